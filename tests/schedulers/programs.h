/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hand-built and random programs for scheduler tests, in a short notation: a kernel line is
 * "name: reads > writes", buffers appear at first mention, !x is a host write and ?x a host read of x, ^x a
 * prefetch; a name in both lists is one read-write argument; arguments are const when only read.
 */
#pragma once

#include "gpusim/program.h"
#include "gpusim/random.h"
#include "tests/test.h"

#define PROGRAM_BUFFERS 64

struct program_writer {
    struct gsim_builder *builder;
    char names[PROGRAM_BUFFERS][24];
    uint32_t buffer_count;
    enum gsim_buffer_init init;
};

static inline uint32_t program_buffer(struct program_writer *w, const char *name)
{
    for (uint32_t i = 0; i < w->buffer_count; i++)
        if (strcmp(w->names[i], name) == 0) return i;
    snprintf(w->names[w->buffer_count], sizeof(w->names[0]), "%s", name);
    w->buffer_count++;
    return gsim_builder_buffer(w->builder, name, 4096, w->init);
}

static inline void program_arg(struct gsim_arg *args, uint32_t *count, uint32_t buffer, bool reads, bool writes)
{
    for (uint32_t i = 0; i < *count; i++)
        if (args[i].buffer_index == buffer) {
            args[i].reads = args[i].reads || reads;
            args[i].writes = args[i].writes || writes;
            args[i].declared_const = !args[i].writes;
            return;
        }
    args[(*count)++] = (struct gsim_arg){buffer, reads, writes, !writes};
}

static inline uint32_t program_kernel(struct program_writer *w, const char *name)
{
    struct gsim_kernel kernel = {.name = name, .grid = {8, 1, 1}, .block = {128, 1, 1}, .solo_us = 5};
    return gsim_builder_kernel(w->builder, &kernel);
}

static inline void program_line(struct program_writer *w, const char *line)
{
    char name[24] = "", word[24];
    struct gsim_arg args[PROGRAM_BUFFERS];
    struct gsim_op op = {.kind = GSIM_OP_KERNEL, .args = args, .stream = -1};
    bool writes = false;
    int used = 0;
    if (line[0] == '!' || line[0] == '?' || line[0] == '^') {
        op.kind = line[0] == '!' ? GSIM_OP_HOST_WRITE : line[0] == '?' ? GSIM_OP_HOST_READ : GSIM_OP_PREFETCH;
        program_arg(args, &op.arg_count, program_buffer(w, line + 1), line[0] == '?', line[0] != '?');
        op.bytes = 4096;
        gsim_builder_op(w->builder, &op);
        return;
    }
    if (sscanf(line, "%23[^:]:%n", name, &used) != 1) abort();
    for (line += used; sscanf(line, " %23s%n", word, &used) == 1; line += used) {
        if (strcmp(word, ">") == 0) writes = true;
        else program_arg(args, &op.arg_count, program_buffer(w, word), !writes, writes);
    }
    op.kernel_index = program_kernel(w, name);
    gsim_builder_op(w->builder, &op);
}

/* LINES ends with NULL. */
static inline void program_write(const char *const *lines, enum gsim_buffer_init init, struct gsim_program *program)
{
    struct program_writer w = {.builder = gsim_builder_create("test"), .init = init};
    struct gsim_error error = {0};
    for (; *lines; lines++) program_line(&w, *lines);
    CHECK_OK(gsim_builder_finish(w.builder, 1, program, &error), error);
}

/* --- random programs ---------------------------------------------------------------------------------- */
static inline uint32_t program_draw(const struct gsim_random *rng, uint32_t count)
{
    return gsim_random_integer(rng, count);
}

static inline void program_random_op(struct program_writer *w, const struct gsim_random *rng, uint32_t index,
                                     uint32_t buffers)
{
    struct gsim_arg args[4];
    uint32_t after[2], kind = program_draw(rng, 20);
    struct gsim_op op = {.kind = GSIM_OP_KERNEL, .args = args, .after = after, .bytes = 4096,
                         .stream = (int32_t)program_draw(rng, 6) - 1, .priority = -(int32_t)program_draw(rng, 2)};
    if (kind == 0) op.kind = GSIM_OP_HOST_READ;
    if (kind == 1) op.kind = GSIM_OP_HOST_WRITE;
    if (kind == 2) op.kind = GSIM_OP_PREFETCH;
    if (kind == 3) op.kind = GSIM_OP_HOST_COMPUTE;
    uint32_t wanted = op.kind == GSIM_OP_HOST_COMPUTE ? 0 : op.kind == GSIM_OP_KERNEL ? 1 + program_draw(rng, 4) : 1;
    for (uint32_t a = 0; a < wanted; a++) {
        uint32_t access = 1 + program_draw(rng, 3);
        if (op.kind != GSIM_OP_KERNEL) access = op.kind == GSIM_OP_HOST_READ ? 1 : 2;
        program_arg(args, &op.arg_count, program_draw(rng, buffers), access & 1, access & 2);
    }
    if (op.kind == GSIM_OP_HOST_COMPUTE) op.host_us = 1.5;
    if (op.kind != GSIM_OP_KERNEL && op.kind != GSIM_OP_PREFETCH) op.stream = -1;
    for (uint32_t a = 0; index > 0 && op.kind != GSIM_OP_HOST_WRITE && a < 2; a++)
        if (program_draw(rng, 8) == 0) {
            uint32_t earlier = program_draw(rng, index);
            if (op.after_count == 0 || after[0] != earlier) after[op.after_count++] = earlier;
        }
    char name[16];
    snprintf(name, sizeof(name), "k%u", program_draw(rng, 5));
    if (op.kind == GSIM_OP_KERNEL) {
        op.kernel_index = program_kernel(w, name);
        op.bytes = 0;
    }
    gsim_builder_op(w->builder, &op);
}

static inline void program_random(unsigned long seed, struct gsim_program *program)
{
    struct gsim_random numbers, *rng = &numbers;
    struct program_writer w = {.builder = gsim_builder_create("random")};
    struct gsim_error error = {0};
    CHECK_OK(gsim_random_init(rng, seed, &error), error);
    uint32_t buffers = 2 + program_draw(rng, 9), ops = 1 + program_draw(rng, 40), index = 0;
    for (uint32_t b = 0; b < buffers; b++) {
        char name[16];
        snprintf(name, sizeof(name), "b%u", b);
        w.init = (enum gsim_buffer_init)program_draw(rng, 3);
        program_buffer(&w, name);
    }
    for (uint32_t b = 0; b < buffers; b++) {
        if (program_draw(rng, 3)) continue;
        struct gsim_arg arg = {b, false, true, false};
        struct gsim_op reset = {
            .kind = GSIM_OP_HOST_WRITE, .args = &arg, .arg_count = 1, .bytes = 4096, .stream = -1, .untimed = true};
        gsim_builder_op(w.builder, &reset);
        index++;
    }
    for (uint32_t i = 0; i < ops; i++) program_random_op(&w, rng, index++, buffers);
    CHECK_OK(gsim_builder_finish(w.builder, 1, program, &error), error);
    gsim_random_release(rng);
}
