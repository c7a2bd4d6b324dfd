/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli. "gpusim validate --other-device". */
#pragma once

#include "cli/cli.h"

enum gsim_status gsim_cli_validate_other(const struct gsim_cli_arguments *arguments,
                                         struct gsim_error *error) GSIM_NODISCARD;
