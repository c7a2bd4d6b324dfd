/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * speculative: a draft model proposes LENGTH tokens, one draft step each, and one verify step of the target model
 * checks them all (Leviathan et al., ICML 2023). Each proposal is accepted with probability ACCEPTANCE until the first
 * that is not; the verify step always brings one token more. Otherwise as continuous.
 */

#include "gpusim/batching.h"

struct numbers {
    int64_t length;
    double acceptance;
};

static void next(void *state, const void *params, const struct gsim_batch_view *view, struct gsim_batch_step *step)
{
    const struct numbers *n = params;
    (void)state;
    step->prefill = gsim_batch_next_prefill(view);
    step->decodes = step->prefill == GSIM_NO_REQUEST && view->decoding_count;
    step->launches[0].kind = GSIM_STEP_DRAFT;
    step->launches[0].count = (uint32_t)n->length;
    step->launches[1].kind = GSIM_STEP_VERIFY;
    step->launches[1].count = 1;
    step->launch_count = 2;
}

static uint32_t tokens(void *state, const void *params, const struct gsim_random *numbers)
{
    const struct numbers *n = params;
    uint32_t accepted = 0;
    (void)state;
    while (accepted < (uint32_t)n->length && gsim_random_uniform(numbers) < n->acceptance) accepted++;
    return accepted + 1;
}

const struct gsim_batching_ops gsim_batching_speculative = {
    GSIM_HEAD(batching),
    .name = "speculative",
    .summary = "a draft model proposes tokens, one step of the target verifies them",
    .source = "Leviathan et al. (ICML 2023)",
    GSIM_PARAMS(struct numbers,
        GSIM_INT(struct numbers, length, 4, 1, 64, "tokens", "that the draft model proposes"),
        GSIM_REAL(struct numbers, acceptance, 0.7, 0, 1, "", "probability that a proposal is accepted")),
    .next = next,
    .tokens = tokens,
};
