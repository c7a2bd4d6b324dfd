/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Copy engines, one FIFO per direction (NVIDIA forum 365145: engines are assigned per direction), and whoever
 * waits for a transfer. Times come from the links of engine.h; what managed memory moves, from managed.c.
 */
#include "sim/clock/machine.h"

struct gsim_waiter {
    struct gsim_task *task;
    struct gsim_waiter *next;
};

void gsim_copies_init(struct gsim_machine *m)
{
    for (int i = 0; i < 3; i++) m->engines[i].tail = &m->engines[i].head;
}

static double route_gbps(const struct gsim_device_spec *d, enum gsim_route route)
{
    switch (route) {
    case GSIM_ROUTE_H2D: return d->h2d_gbps;
    case GSIM_ROUTE_D2H: return d->d2h_gbps;
    case GSIM_ROUTE_PAGEABLE_H2D: return d->pageable_h2d_gbps;
    case GSIM_ROUTE_PAGEABLE_D2H: return d->pageable_d2h_gbps;
    case GSIM_ROUTE_PREFETCH: return d->prefetch_gbps;
    case GSIM_ROUTE_FAULT_D2H: return gsim_fault_scan_gbps(d);
    case GSIM_ROUTE_PEER: return fmin(d->d2h_gbps, d->h2d_gbps);
    case GSIM_ROUTE_COUNT: break;
    }
    GSIM_BUG("route %d", (int)route);
}

static void local_copy_ended(struct gsim_machine *m, void *task) { gsim_copies_transfer_ended(m, task); }

static void finish(struct gsim_machine *m, struct gsim_task *task);
static void nothing_to_move(struct gsim_machine *m, void *task) { finish(m, task); }

void gsim_copies_begin(struct gsim_machine *m, struct gsim_task *task)
{
    const struct gsim_device_spec *d = m->device;
    if (task->reason == GSIM_REASON_PREFETCH && !gsim_managed_begin_prefetch(m, task)) {
        if (!task->bytes) gsim_machine_at(m, m->now, nothing_to_move, task); /* a kernel was faster */
        return;
    }
    task->start = m->now;
    if (task->copy_kind == GSIM_COPY_D2D) { /* reads and writes every byte; no link */
        gsim_gpu_add_copy_load(m->gpu, m->now, d->d2d_gbps);
        gsim_time length = gsim_time_from_us(d->h2d_latency_us) +
                           gsim_time_from_ns(2 * (double)task->bytes / d->d2d_gbps);
        gsim_machine_at(m, m->now + length, local_copy_ended, task);
        return;
    }
    gsim_gpu_add_copy_load(m->gpu, m->now, route_gbps(d, task->route));
    uint64_t bytes = task->bytes ? task->bytes : 1;
    if (task->route == GSIM_ROUTE_H2D) bytes += (uint64_t)gsim_host_cache_copy(m, task->buffer_index, (double)bytes);
    gsim_engine_transfer(m->engine, m->now, &(struct gsim_leg){.route = task->route}, bytes, task);
}

static void engine_next(struct gsim_machine *m, struct gsim_copy_engine *engine)
{
    struct gsim_task *task = engine->head;
    engine->current = task;
    if (!task) return;
    engine->head = task->next;
    if (!engine->head) engine->tail = &engine->head;
    task->next = NULL;
    gsim_copies_begin(m, task);
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
static void engine_after(struct gsim_machine *m, struct gsim_copy_engine *engine, const struct gsim_task *task)
{
    if (task->graph_run && m->engine_poll && gsim_graphs_copies_on(m, task, &engine->kept_node)) {
        engine->kept_for = task->graph_run;
        engine->is_held = true;
        engine->current = NULL;
        return;
    }
    gsim_time held = task->is_migration || task->graph_run ? 0 : gsim_front_records(m, task->stream);
    if (engine->head && engine->head->stream != task->stream) held += m->copy_switch;
    engine->current = NULL;
    if (!held) {
        engine_next(m, engine);
        return;
    }
    engine->is_held = true;
    gsim_machine_at(m, m->now + held, let_engine_go, engine);
}

void gsim_copies_enqueue(struct gsim_machine *m, struct gsim_task *task)
{
    struct gsim_copy_engine *engine = &m->engines[task->copy_kind];
    task->in_engine = true;
    task->next = NULL;
    if (task->graph_run && engine->kept_for == task->graph_run && engine->kept_node == task->node) {
        task->next = engine->head;
        if (!engine->head) engine->tail = &task->next;
        engine->head = task;
        engine->kept_for = NULL;
        engine->is_held = false;
    } else {
        *engine->tail = task;
        engine->tail = &task->next;
    }
    if (!engine->current && !engine->is_held) engine_next(m, engine);
}

bool gsim_copies_wait_for(struct gsim_machine *m, struct gsim_task *transfer, struct gsim_task *task)
{
    struct gsim_waiter *waiter = m->free_waiters;
    if (waiter)
        m->free_waiters = waiter->next;
    else if (!(waiter = GSIM_ARENA_NEW(&m->arena, struct gsim_waiter))) {
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
        return false;
    }
    *waiter = (struct gsim_waiter){task, transfer->waiters};
    transfer->waiters = waiter;
    task->migrations++;
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

void gsim_copies_start(struct gsim_machine *m, struct gsim_task *task)
{
    const struct gsim_op *op = task->op;
    bool is_managed = m->simulation->memory == GSIM_MEMORY_MANAGED;
    bool is_pageable = m->simulation->memory == GSIM_MEMORY_PAGEABLE;
    gsim_reuse_copy(m, op);
    task->buffer_index = op->args[0].buffer_index;
    task->bytes = op->bytes;
    task->copy_kind = op->kind == GSIM_OP_PREFETCH ? GSIM_COPY_H2D : op->copy_kind;
    task->reason = op->kind == GSIM_OP_PREFETCH ? GSIM_REASON_PREFETCH : GSIM_REASON_EXPLICIT;
    if (op->kind == GSIM_OP_PREFETCH) {
        bool is_needed = is_managed && !m->moving[task->buffer_index] && m->device->eager_migration <= 0;
        task->bytes = is_needed ? gsim_residency_bytes(&m->residency, task->buffer_index, op->bytes, GSIM_PLACE_HOST) : 0;
        if (!task->bytes) {
            if (is_needed) gsim_managed_begin_prefetch(m, task); /* pages that nobody wrote come to be on the device */
            gsim_front_end(m, task);
            return;
        }
        task->route = GSIM_ROUTE_PREFETCH;
        m->moving[task->buffer_index] = task;
    } else if (task->copy_kind == GSIM_COPY_H2D) {
        task->route = is_pageable ? GSIM_ROUTE_PAGEABLE_H2D : GSIM_ROUTE_H2D;
    } else {
        task->route = is_pageable ? GSIM_ROUTE_PAGEABLE_D2H : GSIM_ROUTE_D2H;
    }
    if (op->kind == GSIM_OP_COPY && gsim_copies_unit(m, op) == GSIM_UNIT_SMS) {
        task->start = m->now;
        gsim_time length = gsim_time_from_us(m->device->inline_copy_us);
        if (task->graph_run) length += m->stream_gap - gsim_time_from_us(m->device->graph_node_gap_us); /* it follows as in a stream */
        gsim_machine_at(m, m->now + length, inline_copy_ended, task);
        return;
    }
    gsim_copies_enqueue(m, task);
}

void gsim_copies_record(struct gsim_machine *m, const struct gsim_copy_record *record)
{
    gsim_timeline_add_copy(m->timeline, record);
    if (m->simulation->observer && m->simulation->observer->on_copy)
        m->simulation->observer->on_copy(m->simulation->observer->data, record);
}

static void record_transfer(struct gsim_machine *m, const struct gsim_task *task)
{
    struct gsim_copy_record record = {
        .op = task->op ? task->op->index : UINT32_MAX,
        .iteration = task->iteration,
        .stream = task->stream,
        .buffer_index = task->buffer_index,
        .correlation = task->correlation,
        .kind = task->copy_kind,
        .reason = task->reason,
        .bytes = task->bytes,
        .launch = task->launch,
        .start = task->start,
        .end = m->now,
    };
    gsim_copies_record(m, &record);
}

/* Kernels that waited for the data may place their blocks once the last of their transfers is there. */
static void let_waiters_go(struct gsim_machine *m, struct gsim_task *transfer)
{
    struct gsim_waiter *reversed = NULL, *next;
    for (struct gsim_waiter *w = transfer->waiters; w; w = next) { /* first come, first served */
        next = w->next;
        w->next = reversed;
        reversed = w;
    }
    for (struct gsim_waiter *w = reversed; w; w = next) {
        struct gsim_task *task = w->task;
        next = w->next;
        w->next = m->free_waiters;
        m->free_waiters = w;
        if (!--task->migrations) gsim_managed_submit(m, task);
    }
    transfer->waiters = NULL;
}

static void inline_copy_ended(struct gsim_machine *m, void *argument)
{
    record_transfer(m, argument);
    gsim_front_end(m, argument);
}

/* The engine, whoever waits, and the stream go on. */
static void finish(struct gsim_machine *m, struct gsim_task *task)
{
    struct gsim_task *then = task->then;
    bool is_managed = m->simulation->memory == GSIM_MEMORY_MANAGED;
    if (is_managed && task->copy_kind == GSIM_COPY_H2D) gsim_managed_arrived(m, task);
    if (task->in_engine) {
        struct gsim_copy_engine *engine = &m->engines[task->copy_kind];
        GSIM_INVARIANT(engine->current == task);
        engine_after(m, engine, task);
    }
    let_waiters_go(m, task);
    if (task->waiting_thread) gsim_machine_wake(m, task->waiting_thread, m->now);
    if (task->is_migration)
        gsim_front_free(m, task);
    else
        gsim_front_end(m, task);
    if (then) gsim_copies_begin(m, then);
}

void gsim_copies_transfer_ended(struct gsim_machine *m, struct gsim_task *task)
{
    bool is_local = task->copy_kind == GSIM_COPY_D2D;
    gsim_gpu_add_copy_load(m->gpu, m->now, -(is_local ? m->device->d2d_gbps : route_gbps(m->device, task->route)));
    record_transfer(m, task);
    finish(m, task);
}
