/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See schedulers/shared/placedmoves.h. */
#include "schedulers/shared/placedmoves.h"

#include <string.h>

#include "sim/program/draw.h"

static void add(struct gsim_bringer *l, const struct gsim_op *op)
{
    if (!GSIM_APPEND(l->ops, l->count, l->room, op)) l->failed = true;
}

const struct gsim_op *gsim_move_keep(struct gsim_run *run, const struct gsim_op *op)
{
    struct gsim_arena *arena = run->arena;
    if (run->draw) return gsim_draw_move(run->draw, op);
    struct gsim_op *own = GSIM_ARENA_NEW(arena, struct gsim_op);
    struct gsim_arg *arg = GSIM_ARENA_NEW(arena, struct gsim_arg);
    struct gsim_segment *segment = op->segments ? GSIM_ARENA_NEW(arena, struct gsim_segment) : NULL;
    if (!own || !arg || (op->segments && !segment)) return NULL;
    *own = *op;
    *arg = *op->args;
    own->args = arg;
    if (segment) *segment = *op->segments;
    own->segments = segment;
    return own;
}

/* A copy of a part of a buffer, for SERVED. */
static void add_move(struct gsim_bringer *l, const struct gsim_op *served, uint32_t buffer,
                     const struct gsim_held_part *part, uint32_t from, uint32_t to)
{
    bool is_back = to == GSIM_AT_HOST, is_peer = from != GSIM_AT_HOST && !is_back;
    bool is_whole = !part->begin && part->end >= l->run->program->buffers[buffer].bytes;
    struct gsim_arg arg = {.buffer_index = buffer, .reads = is_back, .writes = !is_back, .declared_const = is_back};
    struct gsim_segment segment = {part->begin, part->end - part->begin, 0, is_back, !is_back};
    struct gsim_op op = {.kind = GSIM_OP_COPY,
                         .index = served->index,
                         .arg_count = 1,
                         .args = &arg,
                         .bytes = part->end - part->begin,
                         .copy_kind = is_back   ? GSIM_COPY_D2H
                                      : is_peer ? GSIM_COPY_P2P
                                                : GSIM_COPY_H2D,
                         .stream = served->stream,
                         .priority = served->priority,
                         .segments = &segment,
                         .segment_count = !is_whole};
    op.device = (uint16_t)(from == GSIM_AT_HOST ? to : from);
    op.to_device = (uint16_t)(is_peer ? to : 0);
    const struct gsim_op *kept = gsim_move_keep(l->run, &op);
    l->failed |= !kept;
    if (kept) add(l, kept);
    l->move_count += kept != NULL;
}

/* Who gives the part soonest; UINT32_MAX - 1: nobody holds it. */
#define NOBODY (UINT32_MAX - 1)
static uint32_t giver(const struct gsim_bringer *l, const struct gsim_held_part *part, uint32_t to)
{
    struct gsim_placing p = {.run = l->run};
    uint32_t best = NOBODY;
    double most = 0;
    for (uint32_t i = 0; i <= l->run->device_count; i++) {
        uint32_t from = i ? i - 1 : GSIM_AT_HOST;
        if (!gsim_whereabouts_has(part->holders, from)) continue;
        double gbps = gsim_placing_gbps(&p, from, to);
        if (best != NOBODY && gbps <= most) continue;
        best = from;
        most = gbps;
    }
    return best;
}

/* Neighbouring parts that come from one place are one copy. */
static void bring(struct gsim_bringer *l, const struct gsim_op *op, const struct gsim_access *access, uint32_t to)
{
    struct gsim_held_part part, open = {0};
    uint32_t open_from = NOBODY;
    for (uint32_t at = 0; gsim_whereabouts_next(&l->data, access, &at, &part);) {
        if (part.begin == part.end) continue; /* behind the buffer's end */
        uint32_t from = gsim_whereabouts_has(part.holders, to) ? NOBODY : giver(l, &part, to);
        bool is_made_there = l->run->program->buffers[access->buffer_index].init == GSIM_INIT_DEVICE;
        if (to == GSIM_AT_HOST && is_made_there && gsim_whereabouts_is_nowhere(&l->data, part.holders)) from = 0;
        if (open_from != NOBODY && from == open_from && part.begin == open.end) {
            open.end = part.end;
            continue;
        }
        if (open_from != NOBODY) add_move(l, op, access->buffer_index, &open, open_from, to);
        open = part;
        open_from = from;
    }
    if (open_from != NOBODY) add_move(l, op, access->buffer_index, &open, open_from, to);
    gsim_whereabouts_read(&l->data, access, to);
}

static struct gsim_access prefix(const struct gsim_bringer *l, const struct gsim_op *op, uint32_t arg)
{
    struct gsim_access access = {.end = op->bytes, .buffer_index = op->args[arg].buffer_index};
    if (!op->bytes || op->bytes >= l->run->program->buffers[access.buffer_index].bytes) access.end = UINT64_MAX;
    return access;
}

static void add_kernel(struct gsim_bringer *l, const struct gsim_op *op, uint32_t device)
{
    struct gsim_access_walk walk = {.op = op};
    for (struct gsim_access access; gsim_access_next(&walk, &access);)
        if (access.reads) bring(l, op, &access, device);
    for (uint32_t b = 0; op->is_unknown && b < l->run->program->buffer_count; b++) {
        const struct gsim_access whole = {.end = UINT64_MAX, .buffer_index = b};
        bring(l, op, &whole, device);
        gsim_whereabouts_write(&l->data, &whole, device);
    }
}

void gsim_bringer_add(struct gsim_bringer *l, const struct gsim_op *op, uint32_t device)
{
    if (op->kind == GSIM_OP_KERNEL) add_kernel(l, op, device);
    for (uint32_t a = 0; op->kind != GSIM_OP_KERNEL && a < op->arg_count; a++) {
        struct gsim_access access = prefix(l, op, a);
        if (op->kind == GSIM_OP_HOST_READ) bring(l, op, &access, GSIM_AT_HOST);
        else if (op->kind == GSIM_OP_PREFETCH && l->follows) bring(l, op, &access, device);
        else if (op->kind == GSIM_OP_COPY && op->copy_kind == GSIM_COPY_D2H) bring(l, op, &access, device);
    }
    if (op->kind == GSIM_OP_PREFETCH) return;
    add(l, op);
    gsim_whereabouts_note(&l->data, op, device);
}

bool gsim_bringer_init(struct gsim_bringer *l, struct gsim_run *run)
{
    *l = (struct gsim_bringer){.run = run, .follows = run->prefetch && !run->draw};
    uint32_t room = run->draw ? run->draw->tables->buffer_room : run->program->buffer_count;
    return gsim_whereabouts_init(&l->data, run->program, room, run->device_count, false, false);
}

void gsim_bringer_release(struct gsim_bringer *l)
{
    gsim_whereabouts_release(&l->data);
    gsim_free(l->ops);
}

void gsim_bringer_forget(struct gsim_bringer *l, uint32_t buffer) { gsim_whereabouts_begin(&l->data, buffer); }

static bool lower(struct gsim_bringer *l, struct gsim_oplist *list)
{
    const struct gsim_program *program = l->run->program;
    l->count = l->move_count = 0;
    for (uint32_t i = 0; i < program->op_count && !l->failed; i++)
        gsim_bringer_add(l, &program->ops[i], program->ops[i].device);
    list->ops = GSIM_ARENA_ARRAY(l->run->arena, const struct gsim_op *, l->count + 1);
    if (!list->ops || l->failed) return false;
    memcpy(list->ops, l->ops, sizeof *list->ops * l->count);
    list->op_count = (uint32_t)l->count;
    list->move_count = l->move_count;
    return true;
}

enum gsim_status gsim_moves_lower_placed(struct gsim_run *run, struct gsim_lowering *lowering, struct gsim_error *error)
{
    struct gsim_bringer l = {0};
    bool ok = gsim_bringer_init(&l, run) && lower(&l, &lowering->first);
    lowering->steady = lowering->first;
    if (ok && run->iterations > 1) ok = lower(&l, &lowering->steady);
    gsim_bringer_release(&l);
    return ok ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "out of memory while placing data movement");
}
