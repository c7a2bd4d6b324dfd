/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim (program). "gpusim schedule TRACE". */
#include "cli/schedule/schedule.h"

enum gsim_status gsim_cli_schedule_trace(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    return gsim_error_set(error, GSIM_USAGE, "cannot schedule '%.200s'", arguments->operands[0]);
}
