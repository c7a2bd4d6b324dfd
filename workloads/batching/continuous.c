/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * continuous: a request that waits is prefilled as soon as a slot is free, before the next decode step (Orca, OSDI
 * 2022; vLLM 0.x). Deviation: one request per prefill step, as the server of traces/h100/serving does.
 */
#include "gpusim/batching.h"

static void next(void *state, const void *params, const struct gsim_batch_view *view, struct gsim_batch_step *step)
{
    (void)state;
    (void)params;
    step->prefill = gsim_batch_next_prefill(view);
    step->decodes = step->prefill == GSIM_NO_REQUEST && view->decoding_count;
}

const struct gsim_batching_ops gsim_batching_continuous = {
    GSIM_HEAD(batching),
    .name = "continuous",
    .summary = "prefill first: a waiting request begins as soon as a slot is free",
    .source = "Orca (OSDI 2022); vLLM 0.x",
    .next = next,
};
