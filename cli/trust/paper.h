/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim reproduce NAME" of a paper that is a spec (trust/published/paper.h). */
#pragma once

#include "cli/cli.h"

bool gsim_cli_is_paper(const char *name);
enum gsim_status gsim_cli_paper(const char *name, const struct gsim_cli_arguments *arguments,
                                struct gsim_error *error) GSIM_NODISCARD;
