/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim explain": one explained run. Text, CSV, JSON: cli/whatif/explain.c; stream pairs and
 * the trace: cli/whatif/explain_pairs.c. */
#pragma once

#include "ask/questions/explain.h"
#include "ask/whatif/pairs.h"
#include "cli/whatif/asked.h"

#define GSIM_EXPLAINED_PAIRS 3 /* whose reasons are removed, one by one */

struct gsim_cli_explained {
    struct gsim_cli_asked asked;
    struct gsim_explained run;
    struct gsim_answer answer;
    struct gsim_pair *pairs;
    size_t pair_count;
    double now_us;
    double worth_us[GSIM_EXPLAINED_PAIRS]
                   [GSIM_PAIR_REASON_COUNT]; /* time saved; NAN: does not hold, or cannot be run */
};

/* The pairs, and of the first ones what each reason that holds is worth. */
enum gsim_status gsim_explained_find_pairs(struct gsim_cli_explained *explained,
                                           struct gsim_error *error) GSIM_NODISCARD;
void gsim_explained_put_pairs(struct gsim_output *out, const struct gsim_cli_explained *explained);
void gsim_explained_put_pairs_json(struct gsim_output *out, const struct gsim_cli_explained *explained);
/* Notes where the explanation contradicts itself. */
void gsim_explained_check(struct gsim_cli_explained *explained);
/* --trace */
enum gsim_status gsim_explained_trace(const struct gsim_cli_explained *explained,
                                      struct gsim_error *error) GSIM_NODISCARD;
