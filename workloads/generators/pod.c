/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pod: prefill beside decode (POD-Attention). Each step has blocks of prefill attention, bound by arithmetic, and
 * blocks of decode attention, bound by memory, which do not depend on each other; the next step follows both. Serially
 * each kind leaves one half of the chip idle.
 */
#include <math.h>

#include "workloads/generators/tiles.h"

struct pod_params {
    int64_t steps, prefill, decode;
    double prefill_us, decode_us, jitter;
};

static void fill(const void *params, struct gsim_builder *b, const struct gsim_random *numbers)
{
    const struct pod_params *p = params;
    uint32_t both[2] = {0};
    for (int64_t s = 0; s < p->steps; s++) {
        /* 2.5e11 flops a second on an SM of an H100 is a quarter of its peak; a 132nd of 2.6 TB/s. */
        const struct gsim_tiles prefill = {.name = "prefill",
                                           .tiles = (uint32_t)p->prefill,
                                           .us = p->prefill_us * fmax(1, (double)p->prefill / 132),
                                           .spread = p->jitter,
                                           .bytes = 1e3,
                                           .flops = (double)p->prefill * p->prefill_us * 2.5e5};
        const struct gsim_tiles decode = {.name = "decode",
                                          .tiles = (uint32_t)p->decode,
                                          .us = p->decode_us * fmax(1, (double)p->decode / 132),
                                          .spread = p->jitter,
                                          .flops = 0,
                                          .bytes = (double)p->decode * p->decode_us * 2.6e6 / 132};
        uint32_t first = gsim_tiles_add(b, numbers, &prefill, both, s ? 2 : 0),
                 second = gsim_tiles_add(b, numbers, &decode, both, s ? 2 : 0);
        both[0] = first;
        both[1] = second;
    }
}

#define PARAMS struct pod_params
static enum gsim_status build(const void *params, uint64_t seed, struct gsim_program *program, struct gsim_error *error)
{
    return gsim_tiles_build("pod", params, fill, seed, program, error);
}

const struct gsim_generator_ops gsim_generator_pod = {
    GSIM_HEAD(generator),
    .name = "pod",
    .summary = "prefill attention beside decode attention",
    .help = "From: POD-Attention (ASPLOS 2025); sizes are assumptions.",
    GSIM_PARAMS(struct pod_params,
        GSIM_INT(PARAMS, steps, 16, 1, 10000, "", "steps, one behind the other"),
        GSIM_INT(PARAMS, prefill, 132, 1, 65536, "", "blocks of prefill (ratio to decode: 1:8 to 8:1)"),
        GSIM_INT(PARAMS, decode, 528, 1, 65536, "", "blocks of decode"),
        GSIM_REAL(PARAMS, prefill_us, 20, 0.1, 10000, "us",
                  "a block of prefill on an SM of an H100 (assumed: 10 to 40)"),
        GSIM_REAL(PARAMS, decode_us, 5, 0.1, 10000, "us", "a block of decode on a busy H100 (assumed: 3 to 10)"),
        GSIM_REAL(PARAMS, jitter, 0.05, 0, 1, "", "spread from step to step, relative (assumed)")),
    .build = build,
};
