/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim (program). "gpusim reproduce xsched" and "fikit". */
#ifndef GSIM_CLI_REPRODUCE_SHARING_H
#define GSIM_CLI_REPRODUCE_SHARING_H

#include "cli/cli.h"

bool gsim_cli_is_sharing_paper(const char *name); /* accepts NULL */
enum gsim_status gsim_cli_reproduce_sharing(const struct gsim_cli_arguments *arguments, struct gsim_error *error) GSIM_NODISCARD;

#endif
