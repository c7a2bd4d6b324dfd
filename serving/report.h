/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: serving. What a run of a server has found, as text and as JSON (schema gpusim-serving-report/1). */
#pragma once

#include "serving/server.h"
#include "sim/base/output.h"

struct gsim_serving_head {
    const struct gsim_serving_spec *spec;
    const char *device, *batching, *guesses; /* guesses: of the steps, as struct gsim_program has them */
    uint32_t gpus;
    uint64_t seed, simulations, lookups;
    bool is_exact;
    double interpolation_error; /* largest relative error of a bucket from its neighbours; NAN: not asked for */
};

/* Requests, or tokens, per second between the first arrival and the last end. */
double gsim_serving_rate(const struct gsim_serving_result *result, double count);

void gsim_serving_print(struct gsim_output *out, const struct gsim_serving_head *head,
                        struct gsim_serving_result *result);
void gsim_serving_json(struct gsim_output *out, const struct gsim_serving_head *head,
                       struct gsim_serving_result *result);
