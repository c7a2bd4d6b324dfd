/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See schedulers/acs/acs.h. Buffers count as wholes in what is pending. */
#include "schedulers/acs/acs.h"

#include "sim/program/draw.h"

static void pending_init(struct gsim_pending *pending, const struct gsim_run *run)
{
    *pending = (struct gsim_pending){.run = run};
    gsim_afters_init(&pending->afters, run->program);
    pending->node_of = GSIM_ARENA_ARRAY(run->arena, uint32_t, (size_t)run->program->op_count + 1);
    uint32_t room = run->draw ? run->draw->tables->buffer_room : run->program->buffer_count;
    pending->buffers = GSIM_ARENA_ARRAY(run->arena, struct gsim_pending_buffer, (size_t)room + 1);
    pending->stretch = 1;
}

/* All before NODE has ended. */
static void pending_clear(struct gsim_pending *pending, uint32_t node)
{
    pending->stretch++;
    pending->first_node = node;
    pending->is_any = pending->is_unknown = false;
}

/* From here LIST is launched. Nothing is pending; of a program that is drawn, what was before. */
static void pending_begin(struct gsim_pending *pending, const struct gsim_oplist *list)
{
    const struct gsim_program *program = pending->run->program;
    pending->list = list;
    if (pending->run->draw) return;
    for (uint32_t i = 0; i < program->op_count; i++) pending->node_of[i] = GSIM_PENDING_NONE;
    for (uint32_t i = 0; i < list->op_count; i++)
        if (!gsim_op_is_move(pending->run, list->ops[i])) pending->node_of[list->ops[i]->index] = i;
    pending_clear(pending, 0);
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

/* --- the application --- */

static void wait_for(struct gsim_acs *acs, uint32_t unit, uint32_t next_node)
{
    acs->ops->wait(acs, unit);
    pending_clear(&acs->pending[unit], next_node);
}

static void wait_for_all(void *data)
{
    struct gsim_acs *acs = data;
    for (uint32_t u = 0; u < acs->unit_count; u++) wait_for(acs, u, 0);
}

static enum gsim_status run_list(void *data, const struct gsim_feed *feed, struct gsim_error *error)
{
    struct gsim_acs *acs = data;
    if (feed->waits) wait_for_all(acs);
    for (uint32_t u = 0; u < acs->unit_count; u++) pending_begin(&acs->pending[u], &feed->list);
    for (uint32_t i = 0; i < feed->list.op_count && !gsim_driver_failed(acs->run->driver) && !acs->failed; i++) {
        const struct gsim_op *op = feed->list.ops[i];
        if (!gsim_op_is_host(op)) {
            acs->ops->launch(acs, op, i);
            continue;
        }
        for (uint32_t u = 0; u < acs->unit_count; u++)
            if (gsim_pending_holds(&acs->pending[u], op)) wait_for(acs, u, i);
        gsim_op_issue(acs->run->driver, op, 0);
    }
    for (uint32_t u = 0; u < acs->unit_count; u++) acs->failed |= acs->pending[u].failed;
    return acs->failed ? gsim_error_set(error, GSIM_NOMEM, "out of memory") : GSIM_OK;
}

enum gsim_status gsim_acs_run(struct gsim_acs *acs, struct gsim_error *error)
{
    static const struct gsim_feed_user user = {.list = run_list, .wait = wait_for_all};
    acs->pending = GSIM_ARENA_ARRAY(acs->run->arena, struct gsim_pending, acs->unit_count);
    for (uint32_t u = 0; acs->pending && u < acs->unit_count; u++) pending_init(&acs->pending[u], acs->run);
    if (acs->run->arena->failed) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    enum gsim_status status = gsim_feed_run(acs->run, 1, &user, acs, error);
    for (uint32_t u = 0; u < acs->unit_count; u++) gsim_afters_release(&acs->pending[u].afters);
    return status;
}

/* --- kept ops --- */

void gsim_acs_keep(struct gsim_acs *acs, struct gsim_acs_kept *kept, const struct gsim_op *op)
{
    kept->op = *op;
    if (!acs->run->draw) return;
    for (uint32_t a = 0; a < op->arg_count && !acs->failed; a++) {
        acs->failed = gsim_array_grow(&kept->args, sizeof *op->args, a, &kept->arg_room);
        if (!acs->failed) kept->args[a] = op->args[a];
    }
    for (uint32_t s = 0; s < op->segment_count && !acs->failed; s++) {
        acs->failed = gsim_array_grow(&kept->segments, sizeof *op->segments, s, &kept->segment_room);
        if (!acs->failed) kept->segments[s] = op->segments[s];
    }
    kept->op.args = kept->args;
    kept->op.segments = kept->segments;
}

void gsim_acs_forget(struct gsim_acs_kept *kept)
{
    gsim_free(kept->args);
    gsim_free(kept->segments);
}
