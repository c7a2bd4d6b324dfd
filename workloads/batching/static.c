/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * static: a batch of requests is prefilled, then decoded to the end of its longest; the next batch waits for it
 * (FasterTransformer). Those that arrive while a batch decodes wait.
 */
#include "gpusim/batching.h"

struct state {
    bool is_decoding;
};

static void next(void *memory, const void *params, const struct gsim_batch_view *view, struct gsim_batch_step *step)
{
    struct state *s = memory;
    (void)params;
    if (!view->decoding_count) s->is_decoding = false;
    if (!s->is_decoding) step->prefill = gsim_batch_next_prefill(view);
    if (step->prefill != GSIM_NO_REQUEST || !view->decoding_count) return;
    s->is_decoding = !view->prefill_running;
    step->decodes = s->is_decoding;
}

const struct gsim_batching_ops gsim_batching_static = {
    GSIM_HEAD(batching),
    .name = "static",
    .summary = "a batch is decoded to the end of its longest request before the next begins",
    .source = "FasterTransformer",
    .state_size = sizeof(struct state),
    .next = next,
};
