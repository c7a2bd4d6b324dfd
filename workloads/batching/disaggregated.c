/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * disaggregated: one GPU prefills, another decodes, and the keys and values of the prompt move over the link between
 * (DistServe, OSDI 2024; Splitwise, ISCA 2024). The spec's cache.bytes_per_token and link say how long that takes.
 */
#include "gpusim/batching.h"

static void next(void *state, const void *params, const struct gsim_batch_view *view, struct gsim_batch_step *step)
{
    (void)state;
    (void)params;
    step->prefill = gsim_batch_next_prefill(view);
    step->decodes = step->prefill == GSIM_NO_REQUEST && view->decoding_count;
}

const struct gsim_batching_ops gsim_batching_disaggregated = {
    GSIM_HEAD(batching),
    .name = "disaggregated",
    .summary = "prefill on one GPU, decode on another, the cache moves over the link",
    .source = "DistServe (OSDI 2024); Splitwise (ISCA 2024)",
    .separate = true,
    .next = next,
};
