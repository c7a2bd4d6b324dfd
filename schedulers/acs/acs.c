/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See schedulers/acs/acs.h. Buffers count as wholes in what is pending. */
#include "schedulers/acs/acs.h"

#include <string.h>

#include "sim/program/draw.h"

#define NONE UINT32_MAX

static bool is_managed(const struct gsim_acs *acs) { return acs->run->memory == GSIM_MEMORY_MANAGED; }

/* --- what is pending --- */

/* All before NODE has ended. */
static void clear(struct gsim_acs_unit *u, uint32_t node)
{
    u->stretch++;
    u->first_node = node;
    u->is_any = u->is_unknown = false;
}

/* OP, not a host op, is launched. */
static void add(const struct gsim_acs *acs, struct gsim_acs_unit *u, const struct gsim_op *op)
{
    struct gsim_access_walk walk = {.op = op};
    if (!u->is_any) u->first_op = op->index;
    for (struct gsim_access part; gsim_access_next(&walk, &part);) {
        struct gsim_acs_buffer *b = &u->buffers[part.buffer_index];
        struct gsim_op_access access = gsim_op_access(op, &part, is_managed(acs));
        if (b->stretch != u->stretch) *b = (struct gsim_acs_buffer){.stretch = u->stretch};
        b->access.device_read |= access.device_read;
        b->access.device_write |= access.device_write;
        b->access.host_read |= access.host_read;
        b->access.host_write |= access.host_write;
    }
    u->is_unknown |= op->is_unknown;
    u->is_any = true;
}

/* OP, of the host or another unit, must wait for something that is pending. */
static bool holds(struct gsim_acs *acs, const struct gsim_acs_unit *u, const struct gsim_op *op)
{
    struct gsim_access_walk walk = {.op = op};
    const uint32_t *after;
    uint32_t after_count;
    if (!u->is_any) return false;
    for (struct gsim_access part; gsim_access_next(&walk, &part);) {
        const struct gsim_acs_buffer *b = &u->buffers[part.buffer_index];
        struct gsim_op_access own = gsim_op_access(op, &part, is_managed(acs));
        if (u->is_unknown && (own.device_read || own.device_write)) return true;
        if (b->stretch != u->stretch) continue;
        if (b->access.device_write && (own.device_read || own.device_write)) return true;
        if (b->access.host_write && (own.host_read || own.host_write)) return true;
        if ((b->access.device_read && own.device_write) || (b->access.host_read && own.host_write)) return true;
    }
    if (!gsim_afters_find(&acs->afters, op, acs->node_of, &after, &after_count)) acs->failed = true;
    for (uint32_t i = 0; i < after_count; i++) {
        uint32_t node = acs->run->draw ? NONE : acs->node_of[after[i]];
        if (acs->run->draw && after[i] >= u->first_op) return true;
        if (node != NONE && node >= u->first_node && !gsim_op_is_host(acs->list->ops[node])) return true;
    }
    return false;
}

/* --- the application --- */

static void wait_for(struct gsim_acs *acs, uint32_t unit, uint32_t next_node)
{
    acs->ops->wait(acs, unit);
    clear(&acs->units[unit], next_node);
}

static void wait_for_all(void *data)
{
    struct gsim_acs *acs = data;
    for (uint32_t u = 0; u < acs->unit_count; u++) wait_for(acs, u, 0);
}

/* From here LIST is launched. Nothing is pending; of a program that is drawn, what was before. */
static void begin(struct gsim_acs *acs, const struct gsim_oplist *list)
{
    acs->list = list;
    if (acs->run->draw) return;
    for (uint32_t i = 0; i < acs->run->program->op_count; i++) acs->node_of[i] = NONE;
    for (uint32_t i = 0; i < list->op_count; i++)
        if (!gsim_op_is_move(acs->run, list->ops[i])) acs->node_of[list->ops[i]->index] = i;
    for (uint32_t u = 0; u < acs->unit_count; u++) clear(&acs->units[u], 0);
}

static void launch(struct gsim_acs *acs, const struct gsim_op *op, uint32_t node)
{
    struct gsim_driver *driver = acs->run->driver;
    struct gsim_acs_unit *own = &acs->units[acs->unit_count > 1 ? op->device : 0];
    for (struct gsim_acs_unit *u = acs->units; u < acs->units + acs->unit_count; u++) {
        if (u == own || !holds(acs, u, op)) continue;
        if (!u->sent) u->sent = gsim_event_create(driver, GSIM_EVENT_NO_TIMING);
        gsim_event_record(driver, u->sent, u->stream);
        gsim_stream_wait_event(driver, own->stream, u->sent);
    }
    add(acs, own, op);
    acs->ops->launch(acs, op, node);
}

static enum gsim_status run_list(void *data, const struct gsim_feed *feed, struct gsim_error *error)
{
    struct gsim_acs *acs = data;
    if (feed->waits) wait_for_all(acs);
    begin(acs, &feed->list);
    for (uint32_t i = 0; i < feed->list.op_count && !gsim_driver_failed(acs->run->driver) && !acs->failed; i++) {
        const struct gsim_op *op = feed->list.ops[i];
        if (!gsim_op_is_host(op)) {
            launch(acs, op, i);
            continue;
        }
        for (uint32_t u = 0; u < acs->unit_count; u++)
            if (holds(acs, &acs->units[u], op)) wait_for(acs, u, i);
        gsim_op_issue(acs->run->driver, op, 0);
    }
    return acs->failed ? gsim_no_memory(error) : GSIM_OK;
}

static bool init(struct gsim_acs *acs)
{
    struct gsim_arena *arena = acs->run->arena;
    const struct gsim_program *program = acs->run->program;
    uint32_t room = acs->run->draw ? acs->run->draw->tables->buffer_room : program->buffer_count;
    gsim_afters_init(&acs->afters, program);
    gsim_afters_init(&acs->tested, program);
    acs->node_of = GSIM_ARENA_ARRAY(arena, uint32_t, (size_t)program->op_count + 1);
    acs->units = GSIM_ARENA_ARRAY(arena, struct gsim_acs_unit, acs->unit_count);
    for (uint32_t u = 0; acs->units && u < acs->unit_count; u++) {
        acs->units[u].buffers = GSIM_ARENA_ARRAY(arena, struct gsim_acs_buffer, (size_t)room + 1);
        acs->units[u].stretch = 1;
    }
    return !arena->failed && acs->ops->begin(acs);
}

enum gsim_status gsim_acs_run(struct gsim_acs *acs, struct gsim_error *error)
{
    static const struct gsim_feed_user user = {.list = run_list, .wait = wait_for_all};
    if (!init(acs)) return gsim_no_memory(error);
    enum gsim_status status = gsim_feed_run(acs->run, 1, &user, acs, error);
    acs->ops->end(acs);
    gsim_afters_release(&acs->afters);
    gsim_afters_release(&acs->tested);
    return status ? status : gsim_run_status(acs->run, error);
}

/* --- tests --- */

void gsim_acs_keep(struct gsim_acs *acs, struct gsim_acs_kept *kept, const struct gsim_op *op)
{
    static const struct gsim_op nothing;
    size_t args = sizeof *op->args * op->arg_count, segments = sizeof *op->segments * op->segment_count;
    kept->op = op;
    kept->is_move = gsim_op_is_move(acs->run, op);
    if (!acs->run->draw) return;
    if (!kept->copy || kept->room < args + segments) {
        kept->room = 2 * (args + segments);
        kept->copy = gsim_arena_alloc(acs->run->arena, sizeof *op + kept->room);
    }
    acs->failed |= !kept->copy;
    kept->op = kept->copy ? kept->copy : &nothing;
    if (!kept->copy) return;
    *kept->copy = *op;
    char *behind = (char *)(kept->copy + 1);
    if (segments) kept->copy->segments = memcpy(behind, op->segments, segments);
    if (args) kept->copy->args = memcpy(behind + segments, op->args, args);
}

struct gsim_acs_test gsim_acs_test_begin(struct gsim_acs *acs, const struct gsim_op *op)
{
    struct gsim_acs_test test = {.op = op, .is_managed = is_managed(acs)};
    acs->failed |= !gsim_afters_find(&acs->tested, op, acs->node_of, &test.after, &test.after_count);
    return test;
}

bool gsim_acs_test_follows(const struct gsim_acs_test *test, const struct gsim_acs_kept *kept)
{
    if (gsim_op_conflicts(kept->op, test->op, test->is_managed)) return true;
    for (uint32_t i = 0; i < test->after_count && !kept->is_move; i++)
        if (kept->op->index == test->after[i]) return true;
    return false;
}
