/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * moe-decode: one token of each sequence through layers of experts: attention, a router, an op for each expert that
 * some token was sent to, and what adds them up. Which expert a token goes to is drawn, by Zipf's law, so how many
 * experts there are and how much each has to do differs from layer to layer. The program holds what was drawn: a preset
 * order knows it before the router, as no real one would.
 */
#include <math.h>

#include "workloads/generators/tiles.h"

#define MAX_EXPERTS 512

struct moe_params {
    int64_t layers, experts, top, batch, tiles;
    double zipf, expert_us, dense_us;
};

/* An expert by Zipf's law with exponent S. */
static uint32_t draw_expert(const struct gsim_random *numbers, const double *sums, uint32_t experts)
{
    double at = gsim_random_uniform(numbers) * sums[experts - 1];
    uint32_t e = 0;
    while (e + 1 < experts && sums[e] <= at) e++;
    return e;
}

/* Tiles that take so long beside others on an H100: each a 132nd of 2.6 TB/s. */
static struct gsim_tiles tiles_of(const char *name, uint32_t tiles, double us)
{
    return (struct gsim_tiles){.name = name, .tiles = tiles, .us = us, .bytes = us * 2.6e6 * tiles / 132, .flops = 1e6};
}

static void fill(const void *params, struct gsim_builder *b, const struct gsim_random *numbers)
{
    const struct moe_params *p = params;
    double sums[MAX_EXPERTS];
    uint32_t last = 0, experts = (uint32_t)p->experts, tiles = (uint32_t)p->tiles;
    for (uint32_t e = 0; e < experts; e++) sums[e] = pow(e + 1, -p->zipf) + (e ? sums[e - 1] : 0);
    for (int64_t l = 0; l < p->layers; l++) {
        uint32_t tokens[MAX_EXPERTS] = {0}, after[MAX_EXPERTS], count = 0;
        struct gsim_tiles t = tiles_of("attention", 132, p->dense_us);
        last = gsim_tiles_add(b, numbers, &t, &last, l > 0);
        t = tiles_of("router", 8, 1);
        last = gsim_tiles_add(b, numbers, &t, &last, 1);
        for (int64_t i = 0; i < p->batch * p->top; i++) tokens[draw_expert(numbers, sums, experts)]++;
        for (uint32_t e = 0; e < experts; e++) {
            if (!tokens[e]) continue;
            t = tiles_of("expert", tiles, p->expert_us);
            t.flops *= tokens[e];
            after[count++] = gsim_tiles_add(b, numbers, &t, &last, 1);
        }
        t = tiles_of("combine", 16, 1);
        last = gsim_tiles_add(b, numbers, &t, after, count);
    }
}

#define PARAMS struct moe_params
static enum gsim_status build(const void *params, uint64_t seed, struct gsim_program *program, struct gsim_error *error)
{
    return gsim_tiles_build("moe-decode", params, fill, seed, program, error);
}

const struct gsim_generator_ops gsim_generator_moe_decode = {
    GSIM_HEAD(generator),
    .name = "moe-decode",
    .summary = "one token through layers of experts, whose choice is drawn",
    .help = "From: Mirage MPK; Cohere 2026; sizes are assumptions.",
    GSIM_PARAMS(struct moe_params,
        GSIM_INT(PARAMS, layers, 8, 1, 1000, "", "layers (assumed)"),
        GSIM_INT(PARAMS, experts, 128, 1, MAX_EXPERTS, "", "experts of a layer"),
        GSIM_INT(PARAMS, top, 8, 1, 64, "", "experts of a token"),
        GSIM_INT(PARAMS, batch, 8, 1, 4096, "", "sequences"),
        GSIM_INT(PARAMS, tiles, 8, 1, 4096, "", "tiles of an expert (assumed)"),
        GSIM_REAL(PARAMS, zipf, 0.6, 0, 4, "",
                  "exponent of the law by which tokens choose; 0: all experts alike (assumed)"),
        GSIM_REAL(PARAMS, expert_us, 4, 0.1, 1000, "us", "an expert's tile on a busy H100 (assumed: 2 to 6)"),
        GSIM_REAL(PARAMS, dense_us, 8, 0.1, 1000, "us", "attention and its projections (assumed)")),
    .build = build,
};
