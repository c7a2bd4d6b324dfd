/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim reproduce fikit" and "tally". */
#pragma once

#include "cli/cli.h"

bool gsim_cli_is_sharing_paper(const char *name); /* accepts NULL */
enum gsim_status gsim_cli_reproduce_sharing(const struct gsim_cli_arguments *arguments,
                                            struct gsim_error *error) GSIM_NODISCARD;
