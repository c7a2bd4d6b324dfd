/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chunked: a prompt is prefilled in chunks of at most CHUNK tokens, and each chunk goes in one step with the decode of
 * all that run (Sarathi-Serve, OSDI 2024; vLLM 1.x). Deviation: chunk and decode are two programs behind each other in
 * one stream, where fused kernels would read the weights once.
 */
#include <stddef.h>

#include "gpusim/batching.h"

struct numbers {
    int64_t chunk;
};

static void next(void *state, const void *params, const struct gsim_batch_view *view, struct gsim_batch_step *step)
{
    const struct numbers *n = params;
    (void)state;
    step->prefill = gsim_batch_next_prefill(view);
    step->tokens = (uint32_t)n->chunk;
    step->decodes = view->decoding_count > 0;
}

static const struct gsim_param table[] = {
    GSIM_INT(struct numbers, chunk, 256, 1, 1e6, "tokens", "most of a prompt that one step computes"),
    {.name = NULL},
};

const struct gsim_batching_ops gsim_batching_chunked = {
    GSIM_HEAD(batching),
    .name = "chunked",
    .summary = "prompts in chunks, each in one step with the decode of all that run",
    .source = "Sarathi-Serve (OSDI 2024); vLLM 1.x",
    .params_size = sizeof(struct numbers),
    .params = table,
    .next = next,
};
