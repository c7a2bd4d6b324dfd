/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: workloads (helper). See workloads/generators/parallel.h. A GEMM is tiles of 128 x 128; matrix units count as
 * flops divided by their rate over that of FP32 lanes, which the model has.
 */
#include "workloads/generators/parallel.h"

#include <math.h>

#define TILE 128.0

struct gsim_parallel gsim_parallel_begin(const char *name, const struct gsim_transformer *model)
{
    struct gsim_parallel p = {.model = model, .builder = gsim_builder_create(name)};
    for (int i = 0; i < GSIM_PARALLEL_STREAMS; i++) p.last[i] = UINT32_MAX;
    return p;
}

/* Behind its stream's last op, and behind AFTER. */
static uint32_t append_kernel(struct gsim_parallel *p, uint32_t kernel, uint32_t stream, uint32_t after)
{
    uint32_t list[2], count = 0;
    if (!p->builder) return UINT32_MAX;
    if (p->last[stream] != UINT32_MAX) list[count++] = p->last[stream];
    if (after != UINT32_MAX && after != p->last[stream]) list[count++] = after;
    const struct gsim_op op = {
        .kind = GSIM_OP_KERNEL, .kernel_index = kernel, .stream = (int32_t)stream, .after = list, .after_count = count};
    return p->last[stream] = gsim_builder_op(p->builder, &op);
}

static void launch(struct gsim_parallel *p, const struct gsim_kernel *kernel)
{
    if (p->builder) append_kernel(p, gsim_builder_kernel(p->builder, kernel), 0, p->last[GSIM_PARALLEL_STREAMS - 1]);
    p->last[GSIM_PARALLEL_STREAMS - 1] = UINT32_MAX;
}

void gsim_parallel_await(struct gsim_parallel *p, uint32_t op) { p->last[GSIM_PARALLEL_STREAMS - 1] = op; }

void gsim_parallel_gemm(struct gsim_parallel *p, const char *name, double m, double n, double k, double scale)
{
    double tiles = fmin(ceil(m / TILE) * ceil(n / TILE) * scale, 1e6);
    const struct gsim_kernel kernel = {.name = name,
                                       .grid = {gsim_whole_u32(fmax(tiles, 1)), 1, 1},
                                       .block = {256, 1, 1},
                                       .regs_per_thread = 128,
                                       .smem_bytes = 32768,
                                       .flops = 2 * m * n * k * scale / p->model->matrix,
                                       .dram_bytes = 2 * scale * (m * k + k * n + m * n)};
    launch(p, &kernel);
}

void gsim_parallel_sweep(struct gsim_parallel *p, const char *name, double bytes)
{
    const struct gsim_kernel kernel = {.name = name,
                                       .grid = {gsim_whole_u32(fmax(fmin(ceil(bytes / 8192), 1e6), 1)), 1, 1},
                                       .block = {256, 1, 1},
                                       .regs_per_thread = 32,
                                       .flops = bytes / 4,
                                       .dram_bytes = bytes};
    launch(p, &kernel);
}

uint32_t gsim_parallel_collective(struct gsim_parallel *p, const struct gsim_collective *what, uint32_t stream,
                                  uint32_t after)
{
    return p->builder ? append_kernel(p, gsim_builder_collective(p->builder, what), stream, after) : UINT32_MAX;
}

void gsim_parallel_attention(struct gsim_parallel *p, bool forward, double part)
{
    double h = (double)p->model->hidden, t = (double)p->model->tokens, scale = forward ? 1 : 2;
    gsim_parallel_sweep(p, "norm", 4 * t * h);
    gsim_parallel_gemm(p, "qkv", t, 3 * h * part, h, scale);
    gsim_parallel_gemm(p, "attention", t, fmin(t, 2048), 2 * h * part, scale);
    gsim_parallel_gemm(p, "projection", t, h, h * part, scale);
}

void gsim_parallel_mlp(struct gsim_parallel *p, bool forward, double part)
{
    double h = (double)p->model->hidden, t = (double)p->model->tokens, scale = forward ? 1 : 2;
    gsim_parallel_sweep(p, "norm", 4 * t * h);
    gsim_parallel_gemm(p, "up", t, 4 * h * part, h, scale);
    gsim_parallel_sweep(p, "gelu", 4 * t * 4 * h * part);
    gsim_parallel_gemm(p, "down", t, h, 4 * h * part, scale);
}

double gsim_parallel_layer_bytes(const struct gsim_parallel *p)
{
    return 2 * 12.0 * (double)p->model->hidden * (double)p->model->hidden;
}

enum gsim_status gsim_parallel_finish(struct gsim_parallel *p, struct gsim_program *program, struct gsim_error *error)
{
    return gsim_builder_finish(p->builder, 1, program, error);
}
