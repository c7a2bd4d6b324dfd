/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim (program). "gpusim schedule FILE.cu". */
#include "cli/schedule/schedule.h"

enum gsim_status gsim_cli_schedule_source(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    return gsim_error_set(error, GSIM_USAGE, "cannot schedule '%.200s': CUDA sources are not scheduled yet", arguments->operands[0]);
}
