/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random programs whose kernels read and write parts of a few small buffers, or anything, and what they touch byte by
 * byte.
 */
#pragma once

#include "tests/schedulers/programs.h"

#define SEGMENT_BUFFERS 4
#define SEGMENT_BYTES   48

static inline uint32_t segments_kernel(struct gsim_builder *builder, const struct gsim_random *rng, double us)
{
    struct gsim_kernel kernel = {
        .name = "k", .grid = {1 + program_draw(rng, 40), 1, 1}, .block = {128, 1, 1}, .solo_us = us};
    return gsim_builder_kernel(builder, &kernel);
}

/* Kernels of 1 to 4 segments; a quarter of the buffers is touched whole, one kernel in UNKNOWN_IN may touch anything
 * (0: none). */
static inline void segments_random(unsigned long seed, uint32_t kernels, uint32_t unknown_in,
                                   struct gsim_program *program)
{
    struct gsim_random numbers, *rng = &numbers;
    struct gsim_error error = {0};
    struct gsim_builder *builder = gsim_builder_create("segments");
    CHECK_OK(gsim_random_init(rng, seed, &error), error);
    for (uint32_t b = 0; b < SEGMENT_BUFFERS; b++)
        gsim_builder_buffer(builder, (const char[]){(char)('a' + b), 0}, SEGMENT_BYTES, GSIM_INIT_DEVICE);
    for (uint32_t i = 0; i < kernels; i++) {
        struct gsim_arg args[SEGMENT_BUFFERS];
        struct gsim_segment segments[8];
        uint32_t after = 0;
        struct gsim_op op = {.kind = GSIM_OP_KERNEL, .args = args, .segments = segments, .after = &after, .stream = -1};
        for (uint32_t b = 0; b < SEGMENT_BUFFERS; b++) {
            if (program_draw(rng, 3)) continue;
            uint32_t access = 1 + program_draw(rng, 3), parts = program_draw(rng, 4) ? 1 + program_draw(rng, 2) : 0;
            for (uint32_t s = 0; s < parts; s++) {
                uint64_t offset = program_draw(rng, SEGMENT_BYTES), bytes = 1 + program_draw(rng, 12);
                if (bytes > SEGMENT_BYTES - offset) bytes = SEGMENT_BYTES - offset;
                uint32_t own = access == 3 ? 1 + program_draw(rng, 3) : access;
                segments[op.segment_count++] = (struct gsim_segment){offset, bytes, op.arg_count, own & 1, own & 2};
            }
            args[op.arg_count++] = (struct gsim_arg){b, access & 1, access & 2, !(access & 2)};
        }
        if (i && program_draw(rng, 12) == 0) {
            after = program_draw(rng, i);
            op.after_count = 1;
        }
        op.is_unknown = unknown_in && program_draw(rng, unknown_in) == 0;
        op.kernel_index = segments_kernel(builder, rng, 1 + program_draw(rng, 20));
        gsim_builder_op(builder, &op);
    }
    CHECK_OK(gsim_builder_finish(builder, 1, program, &error), error);
    gsim_random_release(rng);
}

/* By byte of all buffers: bit 0 read, bit 1 written. */
static inline void segments_bytes(const struct gsim_op *op, unsigned char bytes[SEGMENT_BUFFERS * SEGMENT_BYTES])
{
    memset(bytes, op->is_unknown ? 3 : 0, SEGMENT_BUFFERS * SEGMENT_BYTES);
    for (uint32_t a = 0; a < op->arg_count; a++) {
        for (int bit = 1; bit <= 2; bit++) {
            bool has_access = bit == 1 ? op->args[a].reads : op->args[a].writes, is_whole = has_access;
            for (uint32_t s = 0; s < op->segment_count; s++)
                if (op->segments[s].arg == a && (bit == 1 ? op->segments[s].reads : op->segments[s].writes))
                    is_whole = false;
            for (uint32_t at = 0; at < SEGMENT_BYTES; at++) {
                bool is_in = is_whole;
                for (uint32_t s = 0; s < op->segment_count; s++) {
                    const struct gsim_segment *g = &op->segments[s];
                    is_in |= g->arg == a && (bit == 1 ? g->reads : g->writes) && at >= g->offset &&
                             at < g->offset + g->bytes;
                }
                if (is_in) bytes[op->args[a].buffer_index * SEGMENT_BYTES + at] |= (unsigned char)bit;
            }
        }
    }
}

/* B, later than A, must follow it: by a byte that both touch and one writes. */
static inline bool segments_conflict(const struct gsim_op *a, const struct gsim_op *b)
{
    unsigned char x[SEGMENT_BUFFERS * SEGMENT_BYTES], y[SEGMENT_BUFFERS * SEGMENT_BYTES];
    if (a->is_unknown || b->is_unknown) return true; /* of what is not named, too */
    segments_bytes(a, x);
    segments_bytes(b, y);
    for (size_t i = 0; i < sizeof x; i++)
        if (x[i] && y[i] && ((x[i] | y[i]) & 2)) return true;
    return false;
}
