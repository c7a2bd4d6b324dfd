/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). See cli/trust/validate_sharing.c. */
#pragma once

#include "cli/cli.h"

enum gsim_status gsim_cli_validate_sharing(const struct gsim_cli_arguments *arguments,
                                           struct gsim_error *error) GSIM_NODISCARD;
