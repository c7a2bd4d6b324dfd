/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust. "gpusim reproduce ccks": of CCKS one number is published, a gain of up to 77 % over scheduling on the
 * GPU; where the model finds such a gain, by task length, imbalance, link, width of the graph and what either side
 * takes for a task.
 */
#pragma once

#include "sim/base/output.h"

enum { GSIM_CCKS_LENGTHS = 6, GSIM_CCKS_IMBALANCES = 2, GSIM_CCKS_LINKS = 4, GSIM_CCKS_CASES = 4 };

struct gsim_ccks {
    /* Time of the on-GPU scheduler over that of ccks, less 1: by task length, imbalance, link, and case. */
    double gain[GSIM_CCKS_LENGTHS][GSIM_CCKS_IMBALANCES][GSIM_CCKS_LINKS][GSIM_CCKS_CASES];
    double best;
};

enum gsim_status gsim_ccks_run(struct gsim_ccks *ccks, struct gsim_error *error) GSIM_NODISCARD;
void gsim_ccks_print(const struct gsim_ccks *ccks, struct gsim_output *output);
void gsim_ccks_csv(const struct gsim_ccks *ccks, struct gsim_output *output);
