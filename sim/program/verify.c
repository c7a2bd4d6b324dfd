/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/program/verify.h. Walks the program's order, iteration by iteration, with the latest accesses of each
 * buffer. */
#include "sim/program/verify.h"

#include <inttypes.h>

#include "gpusim/memory.h"
#include "sim/program/access.h"
#include "sim/program/extents.h"

#define NONE UINT32_MAX

/* A kernel or copy as it ran. */
struct ran {
    gsim_time start, end;
    uint32_t times, device;
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

/* A GPU's memory of a buffer. */
struct instance {
    uint32_t device, next; /* of the same buffer; NONE: the last */
};

struct check {
    const struct gsim_timeline *timeline;
    const struct gsim_program *program;
    uint32_t iterations;
    struct ran *ran; /* by iteration and op */
    struct gsim_extents
        buffers; /* struct history: of a buffer's data, wherever they are; with instances their writers alone */
    struct gsim_extents places;       /* struct history, by instance */
    struct instance *instances;      /* NULL: a buffer is one memory */
    uint32_t *first_instance, instance_count; /* by buffer; NONE: it has none */
    size_t instance_room;
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

static enum gsim_status note(const struct check *c, uint32_t op, uint32_t iteration, uint32_t device, gsim_time start,
                             gsim_time end)
{
    if (op >= c->program->op_count || iteration >= c->iterations)
        return gsim_error_set(c->error, GSIM_SIM,
                              "the scheduler ran op %" PRIu32 " in iteration %" PRIu32 ": expected ops below %" PRIu32
                              " in %" PRIu32 " iterations",
                              op, iteration, c->program->op_count, c->iterations);
    struct ran *r = ran_at(c, iteration, op);
    *r = (struct ran){start, end, r->times + 1, device};
    gsim_time closed = c->timeline->iterations[iteration].end;
    if (end <= closed) return GSIM_OK;
    return gsim_error_set(c->error, GSIM_SIM,
                          "the scheduler ended iteration %" PRIu32 " at %.3f us while op %" PRIu32
                          " (%s) ran until %.3f us: expected it to wait for all of its work",
                          iteration, gsim_time_us(closed), op, name_of(c, op), gsim_time_us(end));
}

static enum gsim_status note_all(const struct check *c)
{
    const struct gsim_timeline *t = c->timeline;
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < t->kernel_count && status == GSIM_OK; i++) {
        const struct gsim_kernel_record *k = &t->kernels[i];
        status = note(c, k->op, k->iteration, k->device, k->start, k->end);
    }
    for (size_t i = 0; i < t->copy_count && status == GSIM_OK; i++) {
        const struct gsim_copy_record *r = &t->copies[i];
        if (r->reason != GSIM_REASON_EXPLICIT || r->op >= c->program->op_count) continue;
        const struct gsim_op *op = &c->program->ops[r->op];
        if (op->kind != GSIM_OP_COPY || op->copy_kind != r->kind)
            continue; /* made because an op needed its data elsewhere */
        status = note(c, r->op, r->iteration, r->device, r->start, r->end);
    }
    return status;
}

/* What must come behind the end of what OP depends on: its start, or of an op whose prologue may come before, its
 * end. */
static gsim_time bound_time(const struct check *c, const struct ran *r, uint32_t op)
{
    const struct gsim_op *o = &c->program->ops[op];
    bool has_prologue =
        o->kind == GSIM_OP_KERNEL && (o->programmatic || c->program->kernels[o->kernel_index].prologue > 0);
    return has_prologue ? r->end : r->start;
}

/* OP of ITERATION, at R, may not start before EARLIER has ended. */
static enum gsim_status follows(const struct check *c, const struct ran *r, uint32_t op, uint32_t iteration,
                                const struct access *earlier, const char *why)
{
    if (!earlier->is_there || bound_time(c, r, op) >= earlier->end) return GSIM_OK;
    return gsim_error_set(c->error, GSIM_SIM,
                          "the scheduler broke a dependence: op %" PRIu32 " (%s) of iteration %" PRIu32
                          " starts at %.3f us, op %" PRIu32 " (%s) of iteration %" PRIu32
                          ", which it depends on by %s, ends at %.3f us",
                          op, name_of(c, op), iteration, gsim_time_us(r->start), earlier->op, name_of(c, earlier->op),
                          earlier->iteration, why, gsim_time_us(earlier->end));
}

/* --- instances --- */

static uint32_t find_instance(const struct check *c, uint32_t buffer, uint32_t device)
{
    uint32_t i = c->first_instance[buffer];
    while (i != NONE && c->instances[i].device != device) i = c->instances[i].next;
    return i;
}

static bool add_instance(struct check *c, uint32_t buffer, uint32_t device)
{
    if (find_instance(c, buffer, device) != NONE) return true;
    if (gsim_array_grow(&c->instances, sizeof *c->instances, c->instance_count, &c->instance_room))
        return false;
    c->instances[c->instance_count] = (struct instance){device, c->first_instance[buffer]};
    c->first_instance[buffer] = c->instance_count++;
    return true;
}

/* The memories that the ops used. */
static bool find_instances(struct check *c, struct gsim_arena *arena)
{
    bool ok = (c->first_instance = GSIM_ARENA_ARRAY(arena, uint32_t, (size_t)c->program->buffer_count + 1));
    for (uint32_t b = 0; ok && b < c->program->buffer_count; b++) c->first_instance[b] = NONE;
    for (size_t i = 0; ok && i < (size_t)c->program->op_count * c->iterations; i++) {
        const struct gsim_op *op = &c->program->ops[i % c->program->op_count];
        if (!c->ran[i].times) continue;
        for (uint32_t a = 0; a < op->arg_count && ok; a++)
            ok = add_instance(c, op->args[a].buffer_index, c->ran[i].device);
        for (uint32_t b = 0; op->is_unknown && b < c->program->buffer_count && ok; b++)
            ok = add_instance(c, b, c->ran[i].device);
    }
    return ok && gsim_extents_init(&c->places, c->instance_count, sizeof(struct history), &(struct history){0});
}

/* --- accesses --- */

static enum gsim_status find(struct check *c, struct gsim_extents *places, uint32_t place,
                             const struct gsim_access *access, struct gsim_extents_found *found)
{
    *found = gsim_extents_find(places, place, access->begin, access->end);
    return found->count ? GSIM_OK : gsim_no_memory(c->error);
}

/* One op's access, in one memory: what it reads follows the writer, what it writes follows that and the readers. */
struct seen {
    struct gsim_extents *places;
    uint32_t place;
    const struct gsim_access *access;
    bool reads, writes;
};

static enum gsim_status check_place(struct check *c, const struct ran *r, const struct access *mine,
                                    const struct seen *seen)
{
    struct gsim_extents_found found;
    const char *name = c->program->buffers[seen->access->buffer_index].name;
    enum gsim_status status = find(c, seen->places, seen->place, seen->access, &found);
    const struct history *history = found.values;
    for (uint32_t i = 0; i < found.count && status == GSIM_OK; i++) {
        if (seen->reads || seen->writes) status = follows(c, r, mine->op, mine->iteration, &history[i].written, name);
        if (status == GSIM_OK && seen->writes)
            status = follows(c, r, mine->op, mine->iteration, &history[i].read, name);
    }
    return status;
}

static enum gsim_status note_place(struct check *c, const struct access *mine, const struct seen *seen)
{
    struct gsim_extents_found found;
    enum gsim_status status = find(c, seen->places, seen->place, seen->access, &found);
    struct history *history = found.values;
    for (uint32_t i = 0; i < found.count && !seen->writes; i++)
        if (!history[i].read.is_there || history[i].read.end < mine->end) history[i].read = *mine;
    if (status != GSIM_OK || !seen->writes) return status;
    history[0] = (struct history){.written = *mine};
    gsim_extents_join(seen->places, seen->place, &found);
    return GSIM_OK;
}

/* ACCESS of OP in every memory that it concerns. A GPU's own memory is written by kernels there and by copies to it;
 * data that a kernel wrote are read behind it everywhere, while writers on two GPUs need not follow one another. */
static enum gsim_status visit(struct check *c, const struct ran *r, const struct access *mine,
                              const struct gsim_access *access, bool notes)
{
    bool is_kernel = c->program->ops[mine->op].kind == GSIM_OP_KERNEL, has_instances = c->instances != NULL;
    struct seen data = {&c->buffers, access->buffer_index, access, true, access->writes};
    if (!has_instances) return notes ? note_place(c, mine, &data) : check_place(c, r, mine, &data);
    struct seen own = {&c->places, find_instance(c, access->buffer_index, r->device), access, true, access->writes};
    data.reads = access->reads;
    data.writes = notes && is_kernel && access->writes;
    enum gsim_status status = notes ? note_place(c, mine, &own) : check_place(c, r, mine, &own);
    if (status == GSIM_OK && (!notes || data.writes))
        status = notes ? note_place(c, mine, &data) : check_place(c, r, mine, &data);
    return status;
}

static enum gsim_status check_op(struct check *c, const struct gsim_op *op, uint32_t iteration)
{
    const struct ran *r = ran_at(c, iteration, op->index);
    struct access mine = {r->end, op->index, iteration, true};
    enum gsim_status status = GSIM_OK;
    if (r->times != 1)
        return gsim_error_set(c->error, GSIM_SIM,
                              "the scheduler ran op %" PRIu32 " (%s) to its end %" PRIu32 " times in iteration %" PRIu32
                              ": expected once",
                              op->index, name_of(c, op->index), r->times, iteration);
    for (uint32_t i = 0; i < op->after_count && status == GSIM_OK; i++) {
        if (!is_device_work(&c->program->ops[op->after[i]])) continue;
        struct access before = {ran_at(c, iteration, op->after[i])->end, op->after[i], iteration, true};
        status = follows(c, r, op->index, iteration, &before, "\"after\"");
    }
    for (int notes = 0; notes < 2; notes++) {
        struct gsim_access_walk walk = {.op = op};
        struct gsim_access access = {.end = UINT64_MAX, .reads = true, .writes = true};
        for (; op->is_unknown && access.buffer_index < c->program->buffer_count && status == GSIM_OK;
             access.buffer_index++)
            status = visit(c, r, &mine, &access, notes);
        while (status == GSIM_OK && gsim_access_next(&walk, &access)) status = visit(c, r, &mine, &access, notes);
    }
    return status;
}

enum gsim_status gsim_verify_timeline(const struct gsim_timeline *timeline, const struct gsim_program *program,
                                      uint32_t iterations, bool is_placed, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct check c = {.timeline = timeline, .program = program, .iterations = iterations, .error = error};
    if (timeline->iteration_count != iterations)
        return gsim_error_set(error, GSIM_SIM, "the scheduler ended %zu iterations: expected %" PRIu32,
                              timeline->iteration_count, iterations);
    c.ran = GSIM_ARENA_ARRAY(&arena, struct ran, (size_t)program->op_count * iterations);
    bool has_buffers =
        gsim_extents_init(&c.buffers, program->buffer_count, sizeof(struct history), &(struct history){0});
    enum gsim_status status = arena.failed || !has_buffers ? gsim_no_memory(error) : note_all(&c);
    if (status == GSIM_OK && is_placed && !find_instances(&c, &arena)) status = gsim_no_memory(error);
    for (uint32_t n = 0; n < iterations; n++)
        for (uint32_t i = 0; i < program->op_count && status == GSIM_OK; i++)
            if (is_device_work(&program->ops[i])) status = check_op(&c, &program->ops[i], n);
    gsim_extents_release(&c.buffers);
    gsim_extents_release(&c.places);
    gsim_free(c.instances);
    gsim_arena_release(&arena);
    return status;
}
