/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * decode-first: decode steps go on, and after EVERY of them one waiting request is prefilled. It bounds the gap between
 * tokens at the expense of the time to the first (the other end of the trade of Sarathi-Serve, OSDI 2024). EVERY is
 * ours.
 */

#include "gpusim/batching.h"

struct numbers {
    int64_t every;
};

static void next(void *state, const void *params, const struct gsim_batch_view *view, struct gsim_batch_step *step)
{
    const struct numbers *n = params;
    (void)state;
    if (!view->decoding_count || view->decodes_since >= (uint64_t)n->every)
        step->prefill = gsim_batch_next_prefill(view);
    step->decodes = step->prefill == GSIM_NO_REQUEST && view->decoding_count;
}

const struct gsim_batching_ops gsim_batching_decode_first = {
    GSIM_HEAD(batching),
    .name = "decode-first",
    .summary = "decode steps go on; one prefill after every few of them",
    .source = "the trade of Sarathi-Serve (OSDI 2024)",
    GSIM_PARAMS(struct numbers,
        GSIM_INT(struct numbers, every, 16, 1, 1e6, "steps",
                 "decode steps between two prefills while requests decode")),
    .next = next,
};
