/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams by true dependences (ask/edits/changes.h): in the program's order each op goes behind the predecessor that
 * is last in its stream, else to a stream that has nothing yet, else to the one with least work. The scheduler async
 * adds the events.
 */

#include "ask/edits/changes.h"
#include "ask/edits/edit.h"

#define NONE UINT32_MAX

struct spread {
    struct gsim_edit *e;
    uint32_t count;             /* of streams */
    uint32_t *last;             /* by stream: its last op */
    double *load;               /* by stream: microseconds of kernels */
    uint32_t *writer, *reader;  /* by buffer: the last ones */
};

/* PRED may be followed in its stream: the later the better. */
static void consider(const struct spread *s, uint32_t pred, uint32_t *best)
{
    if (pred == NONE || (*best != NONE && pred <= *best)) return;
    int32_t stream = s->e->ops[pred].stream;
    if (stream >= 0 && (uint32_t)stream < s->count && s->last[stream] == pred) *best = pred;
}

static int32_t choose(const struct spread *s, const struct gsim_op *op)
{
    uint32_t best = NONE, least = 0;
    for (uint32_t a = 0; a < op->after_count; a++) consider(s, op->after[a], &best);
    for (uint32_t a = 0; a < op->arg_count; a++) {
        consider(s, s->writer[op->args[a].buffer_index], &best);
        if (op->args[a].writes) consider(s, s->reader[op->args[a].buffer_index], &best);
    }
    if (best != NONE) return s->e->ops[best].stream;
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->last[i] == NONE) return (int32_t)i;
        if (s->load[i] < s->load[least]) least = i;
    }
    return (int32_t)least;
}

static void record(struct spread *s, uint32_t index)
{
    struct gsim_op *op = &s->e->ops[index];
    s->last[op->stream] = index;
    s->load[op->stream] += op->kind == GSIM_OP_KERNEL ? s->e->kernels[op->kernel_index].solo_us : 0;
    for (uint32_t a = 0; a < op->arg_count; a++) {
        uint32_t buffer = op->args[a].buffer_index;
        if (op->args[a].writes) s->writer[buffer] = index;
        s->reader[buffer] = op->args[a].writes ? NONE : index;
    }
}

uint32_t gsim_edit_spread(struct gsim_edit *e, uint32_t count)
{
    struct spread s = {.e = e, .count = count};
    uint32_t changed = 0, buffers = e->source->buffer_count;
    s.last = GSIM_ARENA_ARRAY(&e->arena, uint32_t, (size_t)count + 1);
    s.load = GSIM_ARENA_ARRAY(&e->arena, double, (size_t)count + 1);
    s.writer = GSIM_ARENA_ARRAY(&e->arena, uint32_t, (size_t)buffers + 1);
    s.reader = GSIM_ARENA_ARRAY(&e->arena, uint32_t, (size_t)buffers + 1);
    if (e->arena.failed) return NONE;
    for (uint32_t i = 0; i < count; i++) s.last[i] = NONE;
    for (uint32_t i = 0; i < buffers; i++) s.writer[i] = s.reader[i] = NONE;
    for (uint32_t i = 0; i < e->source->op_count; i++) {
        struct gsim_op *op = &e->ops[i];
        bool is_host =
            op->kind == GSIM_OP_HOST_COMPUTE || op->kind == GSIM_OP_HOST_READ || op->kind == GSIM_OP_HOST_WRITE;
        if (is_host || e->dropped[i]) continue;
        int32_t stream = choose(&s, op);
        changed += stream != op->stream;
        op->stream = stream;
        record(&s, i);
    }
    return changed;
}
