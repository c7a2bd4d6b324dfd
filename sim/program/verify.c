/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/program/verify.h. Walks through the program's order, iteration after iteration, with each buffer's latest accesses. */
#include "sim/program/verify.h"

#include <inttypes.h>

#include "gpusim/memory.h"

/* A kernel or copy as it ran. */
struct ran {
    gsim_time start, end;
    uint32_t times;
};

/* One buffer's latest writer and, of those that have read it since, the one that ended last. */
struct access {
    gsim_time end;
    uint32_t op, iteration;
    bool is_there;
};

struct check {
    const struct gsim_timeline *timeline;
    const struct gsim_program *program;
    uint32_t iterations;
    struct ran *ran; /* by iteration and op */
    struct access *written, *read; /* by buffer */
    struct gsim_error *error;
};

static bool is_device_work(const struct gsim_op *op) { return op->kind == GSIM_OP_KERNEL || op->kind == GSIM_OP_COPY; }

static struct ran *ran_at(const struct check *c, uint32_t iteration, uint32_t op)
{
    return &c->ran[(size_t)iteration * c->program->op_count + op];
}

static const char *name_of(const struct check *c, uint32_t op)
{
    const struct gsim_op *o = &c->program->ops[op];
    if (o->kind == GSIM_OP_KERNEL) return c->program->kernels[o->kernel_index].name;
    return o->arg_count ? c->program->buffers[o->args[0].buffer_index].name : "copy";
}

static enum gsim_status note(const struct check *c, uint32_t op, uint32_t iteration, gsim_time start, gsim_time end)
{
    if (op >= c->program->op_count || iteration >= c->iterations)
        return gsim_error_set(c->error, GSIM_SIM, "the scheduler ran op %" PRIu32 " in iteration %" PRIu32
                              ": expected ops below %" PRIu32 " in %" PRIu32 " iterations", op, iteration, c->program->op_count, c->iterations);
    struct ran *r = ran_at(c, iteration, op);
    *r = (struct ran){start, end, r->times + 1};
    gsim_time closed = c->timeline->iterations[iteration].end;
    if (end <= closed) return GSIM_OK;
    return gsim_error_set(c->error, GSIM_SIM, "the scheduler ended iteration %" PRIu32 " at %.3f us while op %" PRIu32
                          " (%s) ran until %.3f us: expected it to wait for all of its work", iteration, gsim_time_us(closed), op,
                          name_of(c, op), gsim_time_us(end));
}

static enum gsim_status note_all(const struct check *c)
{
    const struct gsim_timeline *t = c->timeline;
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < t->kernel_count && status == GSIM_OK; i++) {
        const struct gsim_kernel_record *k = &t->kernels[i];
        status = note(c, k->op, k->iteration, k->start, k->end);
    }
    for (size_t i = 0; i < t->copy_count && status == GSIM_OK; i++) {
        const struct gsim_copy_record *r = &t->copies[i];
        if (r->reason != GSIM_REASON_EXPLICIT || r->op >= c->program->op_count) continue;
        const struct gsim_op *op = &c->program->ops[r->op];
        if (op->kind != GSIM_OP_COPY || op->copy_kind != r->kind) continue; /* made because an op needed its data elsewhere */
        status = note(c, r->op, r->iteration, r->start, r->end);
    }
    return status;
}

/* What must come behind the end of what OP depends on: its start, or of an op whose prologue may come before, its end. */
static gsim_time bound_time(const struct check *c, const struct ran *r, uint32_t op)
{
    const struct gsim_op *o = &c->program->ops[op];
    bool has_prologue = o->kind == GSIM_OP_KERNEL && (o->programmatic || c->program->kernels[o->kernel_index].prologue > 0);
    return has_prologue ? r->end : r->start;
}

/* OP of ITERATION, at R, may not start before EARLIER has ended. */
static enum gsim_status follows(const struct check *c, const struct ran *r, uint32_t op, uint32_t iteration,
                                const struct access *earlier, const char *why)
{
    if (!earlier->is_there || bound_time(c, r, op) >= earlier->end) return GSIM_OK;
    return gsim_error_set(c->error, GSIM_SIM, "the scheduler broke a dependence: op %" PRIu32 " (%s) of iteration %" PRIu32
                          " starts at %.3f us, op %" PRIu32 " (%s) of iteration %" PRIu32 ", which it depends on by %s, ends at %.3f us",
                          op, name_of(c, op), iteration, gsim_time_us(r->start), earlier->op, name_of(c, earlier->op),
                          earlier->iteration, why, gsim_time_us(earlier->end));
}

static enum gsim_status check_op(const struct check *c, const struct gsim_op *op, uint32_t iteration)
{
    const struct ran *r = ran_at(c, iteration, op->index);
    struct access mine = {r->end, op->index, iteration, true};
    enum gsim_status status = GSIM_OK;
    if (r->times != 1)
        return gsim_error_set(c->error, GSIM_SIM, "the scheduler ran op %" PRIu32 " (%s) to its end %" PRIu32 " times in iteration %" PRIu32
                              ": expected once", op->index, name_of(c, op->index), r->times, iteration);
    for (uint32_t i = 0; i < op->after_count && status == GSIM_OK; i++) {
        if (!is_device_work(&c->program->ops[op->after[i]])) continue;
        struct access before = {ran_at(c, iteration, op->after[i])->end, op->after[i], iteration, true};
        status = follows(c, r, op->index, iteration, &before, "\"after\"");
    }
    for (uint32_t i = 0; i < op->arg_count && status == GSIM_OK; i++) {
        uint32_t b = op->args[i].buffer_index;
        status = follows(c, r, op->index, iteration, &c->written[b], c->program->buffers[b].name);
        if (status == GSIM_OK && op->args[i].writes) status = follows(c, r, op->index, iteration, &c->read[b], c->program->buffers[b].name);
    }
    for (uint32_t i = 0; i < op->arg_count && status == GSIM_OK; i++) {
        uint32_t b = op->args[i].buffer_index;
        if (op->args[i].writes) {
            c->written[b] = mine;
            c->read[b].is_there = false;
        } else if (!c->read[b].is_there || c->read[b].end < mine.end) {
            c->read[b] = mine;
        }
    }
    return status;
}

enum gsim_status gsim_verify_timeline(const struct gsim_timeline *timeline, const struct gsim_program *program, uint32_t iterations,
                                      struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct check c = {.timeline = timeline, .program = program, .iterations = iterations, .error = error};
    if (timeline->iteration_count != iterations)
        return gsim_error_set(error, GSIM_SIM, "the scheduler ended %zu iterations: expected %" PRIu32, timeline->iteration_count, iterations);
    c.ran = GSIM_ARENA_ARRAY(&arena, struct ran, (size_t)program->op_count * iterations);
    c.written = GSIM_ARENA_ARRAY(&arena, struct access, program->buffer_count);
    c.read = GSIM_ARENA_ARRAY(&arena, struct access, program->buffer_count);
    enum gsim_status status = arena.failed ? gsim_error_set(error, GSIM_NOMEM, "out of memory") : note_all(&c);
    for (uint32_t n = 0; n < iterations; n++)
        for (uint32_t i = 0; i < program->op_count && status == GSIM_OK; i++)
            if (is_device_work(&program->ops[i])) status = check_op(&c, &program->ops[i], n);
    gsim_arena_release(&arena);
    return status;
}
