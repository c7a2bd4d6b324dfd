/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust. "gpusim reproduce collectives": bandwidths and times of NCCL's collectives that others measured, and
 * what a collective costs a kernel beside it, against the model.
 */
#pragma once

#include "sim/base/output.h"

#define GSIM_COLLECTIVE_CASES 20

struct gsim_published_collectives {
    double simulated[GSIM_COLLECTIVE_CASES]; /* as the published: bus bandwidth, time, or slow-down */
};

enum gsim_status gsim_published_collectives_run(struct gsim_published_collectives *c,
                                                struct gsim_error *error) GSIM_NODISCARD;
void gsim_published_collectives_print(const struct gsim_published_collectives *c, struct gsim_output *output);
void gsim_published_collectives_csv(const struct gsim_published_collectives *c, struct gsim_output *output);
