/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim (program). See cli/trust/validate_sharing.c. */
#ifndef GSIM_CLI_VALIDATE_SHARING_H
#define GSIM_CLI_VALIDATE_SHARING_H

#include "cli/cli.h"

enum gsim_status gsim_cli_validate_sharing(const struct gsim_cli_arguments *arguments, struct gsim_error *error) GSIM_NODISCARD;

#endif
