/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim whatif": text, CSV, JSON and picture of ask/whatif/rows.h. */
#pragma once

#include "ask/whatif/rows.h"
#include "cli/whatif/asked.h"

struct gsim_cli_whatif {
    struct gsim_cli_asked asked;
    struct gsim_whatif found;
    struct gsim_arena arena;
};

/* Notes where the table contradicts itself. */
void gsim_whatif_check(struct gsim_cli_whatif *whatif);
