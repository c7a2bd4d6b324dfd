/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * llm-decode: one token of a dense transformer, bf16, as tile tasks: per layer norm + QKV + rope, attention (key-value
 * heads times splits), where asked for its reduction, output projection, norm + gate and up, down; then the LM head.
 * Bytes are the weights and the cache, flops two for each weight and sequence; an op alone takes as long as its bytes
 * do at a bandwidth that is given. Llama-3.2-1B is 81 kernels.
 */
#include <math.h>

#include "workloads/generators/tiles.h"

struct llm_params {
    int model;
    int64_t layers, context, batch, tiles, splits;
    bool reduce, programmatic;
    double attention_spread, jitter, prologue, trigger, gbps, least_us;
};

static const struct model {
    double hidden, layers, heads, kv_heads, head, ffn, vocabulary;
} models[] = {
    {2048, 16, 32, 8, 64, 8192, 128256},  /* Llama-3.2-1B */
    {4096, 36, 32, 8, 128, 12288, 151936}, /* Qwen3-8B */
};

struct maker {
    const struct llm_params *p;
    struct gsim_builder *builder;
    const struct gsim_random *numbers;
    uint32_t last, count;
};

static void add(struct maker *m, const char *name, uint32_t tiles, double bytes, double flops, double spread)
{
    const struct gsim_tiles t = {.name = name,
                                 .tiles = tiles,
                                 .us = fmax(bytes * 1e-3 / m->p->gbps, m->p->least_us),
                                 .bytes = bytes,
                                 .flops = flops,
                                 .spread = spread,
                                 .prologue = m->p->prologue,
                                 .trigger = m->p->trigger,
                                 .programmatic = m->p->programmatic};
    m->last = gsim_tiles_add(m->builder, m->numbers, &t, &m->last, m->count++ > 0);
}

/* A product of every sequence's vector with WEIGHTS weights. */
static void add_product(struct maker *m, const char *name, double weights)
{
    add(m, name, (uint32_t)m->p->tiles, 2 * weights, 2 * weights * (double)m->p->batch, m->p->jitter);
}

static void fill(const void *params, struct gsim_builder *builder, const struct gsim_random *numbers)
{
    const struct llm_params *p = params;
    const struct model *model = &models[p->model];
    struct maker m = {.p = p, .builder = builder, .numbers = numbers};
    double kv = model->kv_heads * model->head, q = model->heads * model->head;
    int64_t layers = p->layers ? p->layers : gsim_whole(model->layers);
    uint32_t attention = gsim_whole_u32(model->kv_heads * (double)p->splits);
    double cache = 2 * 2 * kv * (double)(p->context * p->batch), scores = 4 * q * (double)(p->context * p->batch);
    for (int64_t l = 0; l < layers; l++) {
        add_product(&m, "norm_qkv_rope", model->hidden * (q + 2 * kv));
        add(&m, "attention", attention, cache, scores, p->attention_spread);
        if (p->reduce)
            add(&m, "attention_reduce", gsim_whole_u32(model->kv_heads), 4 * q * (double)(p->splits * p->batch),
                q * (double)p->splits, p->jitter);
        add_product(&m, "output_residual", q * model->hidden);
        add_product(&m, "norm_gate_up", 2 * model->hidden * model->ffn);
        add_product(&m, "down_residual", model->ffn * model->hidden);
    }
    add_product(&m, "lm_head", model->hidden * model->vocabulary);
}

#define PARAMS struct llm_params
static enum gsim_status build(const void *params, uint64_t seed, struct gsim_program *program, struct gsim_error *error)
{
    return gsim_tiles_build("llm-decode", params, fill, seed, program, error);
}

const struct gsim_generator_ops gsim_generator_llm_decode = {
    GSIM_HEAD(generator),
    .name = "llm-decode",
    .summary = "one token of a dense transformer as tile tasks (Llama-1B, Qwen3-8B)",
    .help = "From: Hazy Research, Megakernels; Mirage MPK; the models' configurations.",
    GSIM_PARAMS(struct llm_params,
        GSIM_CHOICE(PARAMS, model, 0, 1, "llama-1b|qwen3-8b", "whose layers"),
        GSIM_INT(PARAMS, layers, 0, 0, 1000, "", "0: the model's"),
        GSIM_INT(PARAMS, context, 512, 1, 1000000, "", "tokens in the cache of each sequence"),
        GSIM_INT(PARAMS, batch, 1, 1, 4096, "", "sequences"),
        GSIM_INT(PARAMS, tiles, 132, 1, 65536, "", "tiles of an op"),
        GSIM_INT(PARAMS, splits, 16, 1, 1024, "", "tiles of attention for each key-value head"),
        GSIM_BOOL(PARAMS, reduce, 0, "an op of its own adds up the splits"),
        GSIM_REAL(PARAMS, attention_spread, 0, 0, 2, "",
                  "spread of attention's work from layer to layer, relative (assumed: lengths mix)"),
        GSIM_REAL(PARAMS, jitter, 0.05, 0, 1, "", "of the other ops' (assumed)"),
        GSIM_REAL(PARAMS, gbps, 2600, 1, 100000, "GB/s",
                  "bandwidth of an op alone (78 % of an H100's peak: published for Hazy's megakernel)"),
        GSIM_REAL(PARAMS, least_us, 2, 0.1, 1000, "us", "no op takes less alone (assumed)"),
        GSIM_BOOL(PARAMS, programmatic, 0, "programmatic dependent launches"),
        GSIM_REAL(PARAMS, prologue, 0, 0, 0.99, "",
                  "share of an op's work that needs nothing of the one before: first loads of weights (assumed)"),
        GSIM_REAL(PARAMS, trigger, 1, 0.001, 1, "", "share of a block's work behind which it triggers (assumed)")),
    .build = build,
};
