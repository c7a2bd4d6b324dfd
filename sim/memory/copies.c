/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Copy engines, one FIFO per direction (NVIDIA forum 365145: engines are assigned per direction), and whoever
 * waits for a transfer. Times come from the links of engine.h; what managed memory moves, from managed.c.
 */
#include "sim/clock/machine.h"
#include "sim/memory/links.h"

struct gsim_waiter {
    struct gsim_command *command;
    struct gsim_waiter *next;
};

void gsim_copies_init(struct gsim_machine *m)
{
    for (int i = 0; i < 3; i++) m->engines[i].tail = &m->engines[i].head;
}

static void local_copy_ended(struct gsim_machine *m, void *command) { gsim_copies_transfer_ended(m, command); }

static void finish(struct gsim_machine *m, struct gsim_command *command);
static void nothing_to_move(struct gsim_machine *m, void *command) { finish(m, command); }

void gsim_copies_begin(struct gsim_machine *m, struct gsim_command *command)
{
    const struct gsim_device_spec *d = m->device;
    if (command->reason == GSIM_REASON_PREFETCH && !gsim_managed_begin_prefetch(m, command)) {
        if (!command->bytes) gsim_machine_at(m, m->now, nothing_to_move, command); /* a kernel was faster */
        return;
    }
    command->start = m->now;
    if (command->copy_kind == GSIM_COPY_D2D) { /* reads and writes every byte; no link */
        gsim_gpu_add_copy_load(m->gpu, m->now, d->d2d_gbps);
        gsim_time length = gsim_time_from_us(d->h2d_latency_us) +
                           gsim_time_from_ns(2 * (double)command->bytes / d->d2d_gbps);
        gsim_machine_at(m, m->now + length, local_copy_ended, command);
        return;
    }
    gsim_gpu_add_copy_load(m->gpu, m->now, gsim_links_route_gbps(d, command->route));
    uint64_t bytes = command->bytes ? command->bytes : 1;
    if (command->route == GSIM_ROUTE_H2D) bytes += (uint64_t)gsim_host_cache_copy(m, command->buffer_index, (double)bytes);
    gsim_engine_transfer(m->engine, m->now, &(struct gsim_leg){.route = command->route}, bytes, command);
}

static void engine_next(struct gsim_machine *m, struct gsim_copy_engine *engine)
{
    struct gsim_command *command = engine->head;
    engine->current = command;
    if (!command) return;
    engine->head = command->next;
    if (!engine->head) engine->tail = &engine->head;
    command->next = NULL;
    gsim_copies_begin(m, command);
}

static void let_engine_go(struct gsim_machine *m, void *argument)
{
    struct gsim_copy_engine *engine = argument;
    engine->is_held = false;
    if (!engine->current) engine_next(m, engine);
}

/* Behind the copy of TASK. In a graph the next copy of its lane comes before those of others that wait (H200: bs with taskflow in
 * traces/h200/runs-1g.json.gz, three copies of one lane, then of the next; taken to be so where engines look for one another, which
 * are the same devices). In streams the engine itself makes the records
 * that follow, then turns to another stream (H200: traces/h200/probe.json, h2d_record_chain and h2d_across). */
static void engine_after(struct gsim_machine *m, struct gsim_copy_engine *engine, const struct gsim_command *command)
{
    if (command->graph_run && m->engine_poll && gsim_graphs_copies_on(m, command, &engine->kept_node)) {
        engine->kept_for = command->graph_run;
        engine->is_held = true;
        engine->current = NULL;
        return;
    }
    gsim_time held = command->is_migration || command->graph_run ? 0 : gsim_front_records(m, command->stream);
    if (engine->head && engine->head->stream != command->stream) held += m->copy_switch;
    engine->current = NULL;
    if (!held) {
        engine_next(m, engine);
        return;
    }
    engine->is_held = true;
    gsim_machine_at(m, m->now + held, let_engine_go, engine);
}

void gsim_copies_enqueue(struct gsim_machine *m, struct gsim_command *command)
{
    struct gsim_copy_engine *engine = &m->engines[command->copy_kind];
    command->in_engine = true;
    command->next = NULL;
    if (command->graph_run && engine->kept_for == command->graph_run && engine->kept_node == command->node) {
        command->next = engine->head;
        if (!engine->head) engine->tail = &command->next;
        engine->head = command;
        engine->kept_for = NULL;
        engine->is_held = false;
    } else {
        *engine->tail = command;
        engine->tail = &command->next;
    }
    if (!engine->current && !engine->is_held) engine_next(m, engine);
}

bool gsim_copies_wait_for(struct gsim_machine *m, struct gsim_command *transfer, struct gsim_command *command)
{
    struct gsim_waiter *waiter = m->free_waiters;
    if (waiter)
        m->free_waiters = waiter->next;
    else if (!(waiter = GSIM_ARENA_NEW(&m->arena, struct gsim_waiter))) {
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
        return false;
    }
    *waiter = (struct gsim_waiter){command, transfer->waiters};
    transfer->waiters = waiter;
    command->migrations++;
    return true;
}

static void inline_copy_ended(struct gsim_machine *m, void *argument);

uint32_t gsim_copies_unit(const struct gsim_machine *m, const struct gsim_op *op)
{
    if (op->kind != GSIM_OP_COPY) return GSIM_UNIT_SMS;
    bool is_inline = m->simulation->memory == GSIM_MEMORY_PINNED && op->copy_kind == GSIM_COPY_H2D &&
                     (double)op->bytes <= m->device->inline_copy_bytes;
    return is_inline ? GSIM_UNIT_SMS : GSIM_UNIT_COPIES + op->copy_kind;
}

void gsim_copies_start(struct gsim_machine *m, struct gsim_command *command)
{
    const struct gsim_op *op = command->op;
    bool is_managed = m->simulation->memory == GSIM_MEMORY_MANAGED;
    bool is_pageable = m->simulation->memory == GSIM_MEMORY_PAGEABLE;
    gsim_reuse_copy(m, op);
    command->buffer_index = op->args[0].buffer_index;
    command->bytes = op->bytes;
    command->copy_kind = op->kind == GSIM_OP_PREFETCH ? GSIM_COPY_H2D : op->copy_kind;
    command->reason = op->kind == GSIM_OP_PREFETCH ? GSIM_REASON_PREFETCH : GSIM_REASON_EXPLICIT;
    if (op->kind == GSIM_OP_PREFETCH) {
        bool is_needed = is_managed && !m->moving[command->buffer_index] && m->device->eager_migration <= 0;
        command->bytes = is_needed ? gsim_residency_bytes(&m->residency, command->buffer_index, op->bytes, GSIM_PLACE_HOST) : 0;
        if (!command->bytes) {
            if (is_needed) gsim_managed_begin_prefetch(m, command); /* pages that nobody wrote come to be on the device */
            gsim_front_end(m, command);
            return;
        }
        command->route = GSIM_ROUTE_PREFETCH;
        m->moving[command->buffer_index] = command;
    } else if (command->copy_kind == GSIM_COPY_H2D) {
        command->route = is_pageable ? GSIM_ROUTE_PAGEABLE_H2D : GSIM_ROUTE_H2D;
    } else {
        command->route = is_pageable ? GSIM_ROUTE_PAGEABLE_D2H : GSIM_ROUTE_D2H;
    }
    if (op->kind == GSIM_OP_COPY && gsim_copies_unit(m, op) == GSIM_UNIT_SMS) {
        command->start = m->now;
        gsim_time length = gsim_time_from_us(m->device->inline_copy_us);
        if (command->graph_run) length += m->stream_gap - gsim_time_from_us(m->device->graph_node_gap_us); /* it follows as in a stream */
        gsim_machine_at(m, m->now + length, inline_copy_ended, command);
        return;
    }
    gsim_copies_enqueue(m, command);
}

void gsim_copies_record(struct gsim_machine *m, const struct gsim_copy_record *record)
{
    gsim_timeline_add_copy(m->timeline, record);
    if (m->simulation->observer && m->simulation->observer->on_copy)
        m->simulation->observer->on_copy(m->simulation->observer->data, record);
}

static void record_transfer(struct gsim_machine *m, const struct gsim_command *command)
{
    struct gsim_copy_record record = {
        .op = command->op ? command->op->index : UINT32_MAX,
        .iteration = command->iteration,
        .stream = command->stream,
        .buffer_index = command->buffer_index,
        .correlation = command->correlation,
        .kind = command->copy_kind,
        .reason = command->reason,
        .bytes = command->bytes,
        .launch = command->launch,
        .start = command->start,
        .end = m->now,
    };
    gsim_copies_record(m, &record);
}

/* Kernels that waited for the data may place their blocks once the last of their transfers is there. */
static void let_waiters_go(struct gsim_machine *m, struct gsim_command *transfer)
{
    struct gsim_waiter *reversed = NULL, *next;
    for (struct gsim_waiter *w = transfer->waiters; w; w = next) { /* first come, first served */
        next = w->next;
        w->next = reversed;
        reversed = w;
    }
    for (struct gsim_waiter *w = reversed; w; w = next) {
        struct gsim_command *command = w->command;
        next = w->next;
        w->next = m->free_waiters;
        m->free_waiters = w;
        if (!--command->migrations) gsim_managed_submit(m, command);
    }
    transfer->waiters = NULL;
}

static void inline_copy_ended(struct gsim_machine *m, void *argument)
{
    record_transfer(m, argument);
    gsim_front_end(m, argument);
}

/* The engine, whoever waits, and the stream go on. */
static void finish(struct gsim_machine *m, struct gsim_command *command)
{
    struct gsim_command *then = command->then;
    bool is_managed = m->simulation->memory == GSIM_MEMORY_MANAGED;
    if (is_managed && command->copy_kind == GSIM_COPY_H2D) gsim_managed_arrived(m, command);
    if (command->in_engine) {
        struct gsim_copy_engine *engine = &m->engines[command->copy_kind];
        GSIM_INVARIANT(engine->current == command);
        engine_after(m, engine, command);
    }
    let_waiters_go(m, command);
    if (command->waiting_thread) gsim_machine_wake(m, command->waiting_thread, m->now);
    if (command->is_migration)
        gsim_front_free(m, command);
    else
        gsim_front_end(m, command);
    if (then) gsim_copies_begin(m, then);
}

void gsim_copies_transfer_ended(struct gsim_machine *m, struct gsim_command *command)
{
    bool is_local = command->copy_kind == GSIM_COPY_D2D;
    gsim_gpu_add_copy_load(m->gpu, m->now, -(is_local ? m->device->d2d_gbps : gsim_links_route_gbps(m->device, command->route)));
    record_transfer(m, command);
    finish(m, command);
}
