/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See schedulers/acs/pending.h. Buffers count as wholes here. */
#include "schedulers/acs/pending.h"

#include "sim/program/draw.h"

bool gsim_pending_init(struct gsim_pending *pending, const struct gsim_run *run)
{
    *pending = (struct gsim_pending){.run = run};
    pending->node_of = GSIM_ARENA_ARRAY(run->arena, uint32_t, (size_t)run->program->op_count + 1);
    uint32_t room = run->draw ? run->draw->tables->buffer_room : run->program->buffer_count;
    pending->buffers = GSIM_ARENA_ARRAY(run->arena, struct gsim_pending_buffer, (size_t)room + 1);
    pending->stretch = 1;
    gsim_afters_init(&pending->afters, run->program);
    return pending->node_of && pending->buffers;
}

void gsim_pending_release(struct gsim_pending *pending) { gsim_afters_release(&pending->afters); }

void gsim_pending_begin(struct gsim_pending *pending, const struct gsim_oplist *list)
{
    const struct gsim_program *program = pending->run->program;
    pending->list = list;
    if (pending->run->draw) return;
    for (uint32_t i = 0; i < program->op_count; i++) pending->node_of[i] = GSIM_PENDING_NONE;
    for (uint32_t i = 0; i < list->op_count; i++)
        if (!gsim_op_is_move(pending->run, list->ops[i])) pending->node_of[list->ops[i]->index] = i;
    gsim_pending_clear(pending, 0);
}

void gsim_pending_clear(struct gsim_pending *pending, uint32_t node)
{
    pending->stretch++;
    pending->first_node = node;
    pending->is_any = pending->is_unknown = false;
}

void gsim_pending_add(struct gsim_pending *pending, const struct gsim_op *op)
{
    struct gsim_access_walk walk = {.op = op};
    if (!pending->is_any) pending->first_op = op->index;
    for (struct gsim_access part; gsim_access_next(&walk, &part);) {
        struct gsim_pending_buffer *b = &pending->buffers[part.buffer_index];
        struct gsim_op_access access = gsim_op_access(op, &part, pending->run->memory == GSIM_MEMORY_MANAGED);
        if (b->stretch != pending->stretch) *b = (struct gsim_pending_buffer){.stretch = pending->stretch};
        b->access.device_read |= access.device_read;
        b->access.device_write |= access.device_write;
        b->access.host_read |= access.host_read;
        b->access.host_write |= access.host_write;
    }
    pending->is_unknown |= op->is_unknown;
    pending->is_any = true;
}

bool gsim_pending_holds(struct gsim_pending *pending, const struct gsim_op *op)
{
    struct gsim_access_walk walk = {.op = op};
    const uint32_t *after;
    uint32_t after_count;
    for (struct gsim_access part; pending->is_any && gsim_access_next(&walk, &part);) {
        const struct gsim_pending_buffer *b = &pending->buffers[part.buffer_index];
        struct gsim_op_access own = gsim_op_access(op, &part, pending->run->memory == GSIM_MEMORY_MANAGED);
        if (pending->is_unknown && (own.device_read || own.device_write)) return true;
        if (b->stretch != pending->stretch) continue;
        if (b->access.device_write && (own.device_read || own.device_write)) return true;
        if (b->access.host_write && (own.host_read || own.host_write)) return true;
        if ((b->access.device_read && own.device_write) || (b->access.host_read && own.host_write)) return true;
    }
    for (uint32_t i = 0; pending->run->draw && pending->is_any && i < op->after_count; i++)
        if (op->after[i] >= pending->first_op) return true;
    if (pending->run->draw) return false;
    if (!gsim_afters_find(&pending->afters, op, pending->node_of, &after, &after_count)) pending->failed = true;
    for (uint32_t i = 0; pending->is_any && i < after_count; i++) {
        uint32_t node = pending->node_of[after[i]];
        if (node != GSIM_PENDING_NONE && node >= pending->first_node && !gsim_op_is_host(pending->list->ops[node]))
            return true;
    }
    return false;
}
