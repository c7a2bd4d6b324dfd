/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chunked: a prompt is prefilled in chunks of at most CHUNK tokens, and each chunk goes in one step with the decode of
 * all that run, within BUDGET tokens (Sarathi-Serve, OSDI 2024; vLLM 1.x). Where steps are mixed, they share each
 * kernel; else chunk and decode are two programs behind each other in one stream.
 */

#include "gpusim/batching.h"

struct numbers {
    int64_t chunk, budget;
};

#define CHUNK  256  /* of steps that are programs */
#define BUDGET 2048 /* of mixed steps: vLLM's */

static void next(void *state, const void *params, const struct gsim_batch_view *view, struct gsim_batch_step *step)
{
    const struct numbers *n = params;
    (void)state;
    uint32_t budget = n->budget ? (uint32_t)n->budget : view->is_mixed ? BUDGET : UINT32_MAX;
    step->tokens = n->chunk ? (uint32_t)n->chunk : view->is_mixed ? UINT32_MAX : CHUNK;
    step->decodes = view->decoding_count > 0;
    if (view->is_mixed) {
        step->budget = budget;
        return;
    }
    uint32_t left = view->decoding_count < budget ? budget - view->decoding_count : 0;
    if (left) step->prefill = gsim_batch_next_prefill(view);
    if (step->tokens > left) step->tokens = left;
}

const struct gsim_batching_ops gsim_batching_chunked = {
    GSIM_HEAD(batching),
    .name = "chunked",
    .summary = "prompts in chunks, each in one step with the decode of all that run",
    .source = "Sarathi-Serve (OSDI 2024); vLLM 1.x",
    GSIM_PARAMS(struct numbers,
        GSIM_INT(struct numbers, chunk, 0, 0, 1e6, "tokens",
                 "most of a prompt that one step computes; 0: 256, of mixed steps the budget"),
        GSIM_INT(struct numbers, budget, 0, 0, 1e6, "tokens",
                 "of a step, one for each request that decodes; 0: 2,048 of a mixed step, else no limit")),
    .next = next,
};
