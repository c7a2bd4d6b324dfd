/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). What is asked of a program before anything simulates it: gpusim-runner links this, and no
 * simulator. */
#include "cli/cli.h"

enum gsim_status gsim_cli_point_known(const struct gsim_cli_point *point, const char *what, struct gsim_error *error)
{
    if (!point->source) return GSIM_OK;
    return gsim_refuse(error, "%s needs the whole program beforehand, and '%s' is drawn while it runs", what,
                       point->source->name);
}
