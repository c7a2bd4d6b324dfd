/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/program/verify.h. Walks through the program's order, iteration after iteration, with each buffer's latest accesses. */
#include "sim/program/verify.h"

#include <inttypes.h>

#include "gpusim/memory.h"
#include "sim/program/access.h"
#include "sim/program/places.h"

/* A kernel or copy as it ran. */
struct ran {
    gsim_time start, end;
    uint32_t times;
};

/* One place's latest writer and, of those that have read it since, the one that ended last. */
struct access {
    gsim_time end;
    uint32_t op, iteration;
    bool is_there;
};

struct history {
    struct access written, read;
};

struct check {
    const struct gsim_timeline *timeline;
    const struct gsim_program *program;
    uint32_t iterations;
    struct ran *ran; /* by iteration and op */
    struct gsim_places buffers; /* struct history */
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

static enum gsim_status find(struct check *c, const struct gsim_access *access, struct gsim_places_found *found)
{
    *found = gsim_places_find(&c->buffers, access->buffer_index, access->begin, access->end);
    return found->count ? GSIM_OK : gsim_error_set(c->error, GSIM_NOMEM, "out of memory");
}

static enum gsim_status check_access(struct check *c, const struct ran *r, uint32_t op, uint32_t iteration, const struct gsim_access *access)
{
    struct gsim_places_found found;
    const char *name = c->program->buffers[access->buffer_index].name;
    enum gsim_status status = find(c, access, &found);
    const struct history *history = found.values;
    for (uint32_t i = 0; i < found.count && status == GSIM_OK; i++) {
        status = follows(c, r, op, iteration, &history[i].written, name);
        if (status == GSIM_OK && access->writes) status = follows(c, r, op, iteration, &history[i].read, name);
    }
    return status;
}

static enum gsim_status note_access(struct check *c, const struct access *mine, const struct gsim_access *access)
{
    struct gsim_places_found found;
    enum gsim_status status = find(c, access, &found);
    struct history *history = found.values;
    for (uint32_t i = 0; i < found.count && !access->writes; i++)
        if (!history[i].read.is_there || history[i].read.end < mine->end) history[i].read = *mine;
    if (status != GSIM_OK || !access->writes) return status;
    history[0] = (struct history){.written = *mine};
    gsim_places_join(&c->buffers, access->buffer_index, &found);
    return GSIM_OK;
}

static enum gsim_status check_op(struct check *c, const struct gsim_op *op, uint32_t iteration)
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
    struct gsim_access_walk walk = {.op = op}, again = walk;
    struct gsim_access access = {.end = UINT64_MAX, .reads = true, .writes = true};
    for (; op->is_unknown && access.buffer_index < c->program->buffer_count && status == GSIM_OK; access.buffer_index++)
        status = check_access(c, r, op->index, iteration, &access);
    while (status == GSIM_OK && gsim_access_next(&walk, &access)) status = check_access(c, r, op->index, iteration, &access);
    while (status == GSIM_OK && gsim_access_next(&again, &access)) status = note_access(c, &mine, &access);
    access = (struct gsim_access){.end = UINT64_MAX, .reads = true, .writes = true};
    for (; op->is_unknown && access.buffer_index < c->program->buffer_count && status == GSIM_OK; access.buffer_index++)
        status = note_access(c, &mine, &access);
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
    bool has_buffers = gsim_places_init(&c.buffers, program->buffer_count, sizeof(struct history), &(struct history){0});
    enum gsim_status status = arena.failed || !has_buffers ? gsim_error_set(error, GSIM_NOMEM, "out of memory") : note_all(&c);
    for (uint32_t n = 0; n < iterations; n++)
        for (uint32_t i = 0; i < program->op_count && status == GSIM_OK; i++)
            if (is_device_work(&program->ops[i])) status = check_op(&c, &program->ops[i], n);
    gsim_places_release(&c.buffers);
    gsim_arena_release(&arena);
    return status;
}
