/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which step so many tokens or slots take, and whether a server has those that it needs (serving/server.h). */
#include "serving/server.h"

struct gsim_serving_launch gsim_serving_bucket(const struct gsim_serving_spec *spec, enum gsim_batch_kind kind,
                                               uint32_t size)
{
    uint32_t first, count = gsim_serving_steps_of(spec, kind, &first), i = 0;
    struct gsim_serving_launch l = {.index = UINT32_MAX, .upper = UINT32_MAX};
    while (i < count && spec->steps[first + i].bucket < size) i++;
    if (i == count) return l;
    l.index = first + i;
    if (!spec->interpolates || !i || spec->steps[first + i].bucket == size) return l;
    double low = spec->steps[first + i - 1].bucket, high = spec->steps[first + i].bucket;
    l.upper = l.index--;
    l.weight = (float)((size - low) / (high - low));
    return l;
}

uint32_t gsim_serving_largest(const struct gsim_serving_spec *spec, enum gsim_batch_kind kind)
{
    uint32_t first, count = gsim_serving_steps_of(spec, kind, &first);
    if (spec->profile) return gsim_profile_most(spec->profile);
    return count ? spec->steps[first + count - 1].bucket : 0;
}

enum gsim_status gsim_server_check(const struct gsim_server *server, struct gsim_error *error)
{
    const struct gsim_serving_spec *spec = server->spec;
    bool drafts = server->policy->tokens != NULL, lacks_prompts = spec->arrivals.prompt.kind == GSIM_LENGTHS_TRACE;
    if (spec->arrivals.kind != GSIM_ARRIVALS_LIST &&
        (lacks_prompts || spec->arrivals.output.kind == GSIM_LENGTHS_TRACE))
        return gsim_error_set(error, GSIM_INPUT, "\"%s\": expected how many tokens drawn requests have, found nothing",
                              lacks_prompts ? "prompt" : "output");
    if (spec->replicas > 1 && spec->router == GSIM_ROUTER_PREFIX && (!spec->arrivals.blocks || spec->cache.forgets))
        return gsim_error_set(error, GSIM_USAGE,
                              "router prefix: expected requests whose blocks are named (hash_ids), and kept");
    if (spec->profile && drafts)
        return gsim_error_set(error, GSIM_INPUT, "batching %s: a profile has no draft and verify steps",
                              server->policy->name);
    if (spec->profile && spec->beside != GSIM_BESIDE_SAME && !server->policy->separate)
        return gsim_error_set(error, GSIM_INPUT,
                              "prefill_beside: a mixed step is one of prompts and decoding: expected same, found %s",
                              gsim_beside_text(spec->beside));
    if (spec->profile) return GSIM_OK;
    static const enum gsim_batch_kind plain[] = {GSIM_STEP_PREFILL, GSIM_STEP_DECODE},
                                      drafted[] = {GSIM_STEP_PREFILL, GSIM_STEP_DRAFT, GSIM_STEP_VERIFY};
    const enum gsim_batch_kind *kinds = drafts ? drafted : plain;
    for (int i = 0; i < (drafts ? 3 : 2); i++) {
        uint32_t most = gsim_serving_largest(spec, kinds[i]);
        if (!most)
            return gsim_error_set(error, GSIM_INPUT, "steps: expected programs of kind %s for batching %s, found none",
                                  gsim_step_kind_text(kinds[i]), server->policy->name);
        if (kinds[i] != GSIM_STEP_PREFILL && most < spec->slots)
            return gsim_error_set(error, GSIM_INPUT, "steps: %s: expected a bucket for %u slots, the largest is %u",
                                  gsim_step_kind_text(kinds[i]), spec->slots, most);
    }
    return GSIM_OK;
}
