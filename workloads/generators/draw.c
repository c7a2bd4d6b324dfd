/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See workloads/generators/draw.h. Sizes and durations are rounded to steps of about 7 %, so that kernels repeat. */
#include "workloads/generators/draw.h"

#include <math.h>

#define READS_MAX     60
#define WEIGHT_BYTES  4096
#define WEIGHTS       4096 /* of WEIGHT_BYTES each */
#define STEPS_PER_TEN 32   /* of a logarithmic scale */

/* Fills in what is -1. FIRST and PRESET: structs of COUNT doubles. */
static void fill(void *first, const void *preset, size_t count)
{
    double *numbers = first;
    const double *own = preset;
    for (size_t i = 0; i < count; i++)
        if (numbers[i] < 0) numbers[i] = own[i];
}

enum gsim_status gsim_sketch_begin(struct gsim_sketch *draw, const char *name, struct gsim_sketch_numbers *numbers,
                                   const struct gsim_sketch_numbers *preset, void *graph, const double *shape,
                                   size_t count, uint64_t seed, struct gsim_error *error)
{
    fill(graph, shape, count);
    fill(numbers, preset, sizeof *numbers / sizeof(double));
    *draw = (struct gsim_sketch){.numbers = numbers};
    if (numbers->pool_mib * 1048576 < 4 * numbers->most_blocks * numbers->block_bytes)
        return gsim_refuse(error, "%s: pool_mib: expected room for four tensors of %g blocks of %g bytes, found %g MiB",
                           name, numbers->most_blocks, numbers->block_bytes, numbers->pool_mib);
    enum gsim_status status = gsim_random_init(&draw->rng, seed, error);
    if (status != GSIM_OK) return status;
    draw->builder = gsim_builder_create(name);
    if (!draw->builder) {
        gsim_random_release(&draw->rng);
        return gsim_no_memory(error);
    }
    uint64_t pool_bytes = gsim_whole_u64(numbers->pool_mib * 1048576);
    draw->pool = gsim_builder_buffer(draw->builder, "pool", pool_bytes, GSIM_INIT_DEVICE);
    draw->weights = gsim_builder_buffer(draw->builder, "weights", WEIGHTS * WEIGHT_BYTES, GSIM_INIT_DEVICE);
    return GSIM_OK;
}

bool gsim_sketch_chance(struct gsim_sketch *draw, double share) { return gsim_random_uniform(&draw->rng) < share; }

uint32_t gsim_sketch_between(struct gsim_sketch *draw, double least, double most)
{
    uint32_t low = gsim_whole_u32(least), high = most > least ? gsim_whole_u32(most) : low;
    return low + gsim_random_integer(&draw->rng, high - low + 1);
}

static double in_steps(double value) { return pow(10, floor(log10(value) * STEPS_PER_TEN + 0.5) / STEPS_PER_TEN); }

static double log_normal(struct gsim_sketch *draw, double median, double sigma)
{
    double factor = exp(sigma * gsim_random_normal(&draw->rng));
    return median > 0 ? in_steps(median * factor) : 0;
}

static uint32_t draw_blocks(struct gsim_sketch *draw, double scale)
{
    const struct gsim_sketch_numbers *n = draw->numbers;
    double blocks = gsim_sketch_chance(draw, n->small_share)
                        ? 1 + gsim_random_integer(&draw->rng, gsim_whole_u32(fmax(n->small_blocks, 1)))
                        : log_normal(draw, n->blocks * scale, n->blocks_sigma);
    return gsim_whole_u32(fmax(1, fmin(floor(blocks + 0.5), n->most_blocks)));
}

static struct gsim_tensor new_tensor(struct gsim_sketch *draw, uint32_t blocks)
{
    uint64_t pool = gsim_builder_buffer_bytes(draw->builder, draw->pool),
             bytes = gsim_whole_u64(fmax(blocks * draw->numbers->block_bytes, 1));
    if (draw->next + bytes > pool) draw->next = 0;
    struct gsim_tensor tensor = {draw->next, bytes};
    draw->next += bytes;
    return tensor;
}

struct gsim_tensor gsim_sketch_input(struct gsim_sketch *draw) { return new_tensor(draw, 1); }

struct gsim_tensor gsim_sketch_add(struct gsim_sketch *draw, const struct gsim_sketch_kernel *k)
{
    const struct gsim_sketch_numbers *n = draw->numbers;
    uint32_t blocks = draw_blocks(draw, k->scale_blocks > 0 ? k->scale_blocks : 1), count = 0,
             least = gsim_whole_u32(n->segments);
    double us = log_normal(draw, n->us * (k->scale_us > 0 ? k->scale_us : 1), n->us_sigma);
    struct gsim_segment segments[READS_MAX + 66];
    struct gsim_arg args[2] = {{draw->pool, k->read_count > 0, true, false}, {draw->weights, true, false, true}};
    struct gsim_op op = {.kind = GSIM_OP_KERNEL, .args = args, .arg_count = 1, .segments = segments, .stream = -1};
    const struct gsim_kernel kernel = {.name = k->name,
                                       .grid = {blocks, 1, 1},
                                       .block = {32 * gsim_whole_u32(n->warps), 1, 1},
                                       .regs_per_thread = 32,
                                       .thread_cycles = us * n->clock_mhz};
    struct gsim_tensor written = new_tensor(draw, blocks);
    for (uint32_t i = 0; i < k->read_count && i < READS_MAX; i++)
        segments[count++] = (struct gsim_segment){k->reads[i].offset, k->reads[i].bytes, 0, true, false};
    segments[count++] = (struct gsim_segment){written.offset, written.bytes, 0, false, true};
    if (count < least) op.arg_count = 2;
    while (count < least)
        segments[count++] = (struct gsim_segment){(uint64_t)gsim_random_integer(&draw->rng, WEIGHTS) * WEIGHT_BYTES,
                                                  WEIGHT_BYTES, 1, true, false};
    op.segment_count = (uint16_t)count;
    op.is_unknown = n->unknown_share > 0 && gsim_sketch_chance(draw, n->unknown_share);
    op.kernel_index = gsim_builder_kernel(draw->builder, &kernel);
    gsim_builder_op(draw->builder, &op);
    return written;
}

struct gsim_tensor gsim_sketch_next(struct gsim_sketch *draw, const char *name, struct gsim_tensor from,
                                    double scale_blocks, double scale_us)
{
    return gsim_sketch_add(draw, &(struct gsim_sketch_kernel){name, scale_blocks, scale_us, &from, 1});
}

enum gsim_status gsim_sketch_finish(struct gsim_sketch *draw, struct gsim_program *program, struct gsim_error *error)
{
    gsim_random_release(&draw->rng);
    return gsim_builder_finish(draw->builder, 1, program, error);
}
