/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Copy engines (one FIFO per direction, NVIDIA forum 365145: engines are assigned per direction) and the
 * transfers that managed memory causes: faults of kernels and of the host, prefetches, migration at launch
 * before Pascal. Times come from the links of engine.h; what is where, from residency.h.
 */
#include "sim/machine.h"

/* The host's page faults move at least one page (4 KiB, CUDA on x86). */
#define HOST_PAGE_BYTES 4096u

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
    case GSIM_ROUTE_FAULT_H2D:
    case GSIM_ROUTE_FAULT_D2H: return d->fault_gbps;
    case GSIM_ROUTE_COUNT: break;
    }
    GSIM_BUG("route %d", (int)route);
}

static void local_copy_ended(struct gsim_machine *m, void *task) { gsim_copies_transfer_ended(m, task); }

static void begin_transfer(struct gsim_machine *m, struct gsim_task *task)
{
    const struct gsim_device_spec *d = m->device;
    task->start = m->now;
    if (task->copy_kind == GSIM_COPY_D2D) { /* reads and writes every byte; no link */
        gsim_gpu_add_copy_load(m->gpu, m->now, d->d2d_gbps);
        gsim_time length = gsim_time_from_us(d->h2d_latency_us) +
                           gsim_time_from_ns(2 * (double)task->bytes / d->d2d_gbps);
        gsim_machine_at(m, m->now + length, local_copy_ended, task);
        return;
    }
    gsim_gpu_add_copy_load(m->gpu, m->now, route_gbps(d, task->route));
    gsim_engine_transfer(m->engine, m->now, task->route, task->bytes ? task->bytes : 1, task);
}

static void engine_next(struct gsim_machine *m, struct gsim_copy_engine *engine)
{
    struct gsim_task *task = engine->head;
    engine->current = task;
    if (!task) return;
    engine->head = task->next;
    if (!engine->head) engine->tail = &engine->head;
    task->next = NULL;
    begin_transfer(m, task);
}

static void enqueue(struct gsim_machine *m, struct gsim_task *task)
{
    struct gsim_copy_engine *engine = &m->engines[task->copy_kind];
    task->in_engine = true;
    task->next = NULL;
    *engine->tail = task;
    engine->tail = &task->next;
    if (!engine->current) engine_next(m, engine);
}

static bool add_waiter(struct gsim_machine *m, struct gsim_task *transfer, struct gsim_task *task)
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

/* A transfer that managed memory starts by itself; no stream knows it. */
static struct gsim_task *new_migration(struct gsim_machine *m, const struct gsim_task *cause, uint32_t buffer_index,
                                       uint64_t bytes, enum gsim_copy_kind kind)
{
    bool is_eager = m->device->eager_migration > 0;
    struct gsim_task *task = gsim_front_task(m, GSIM_TASK_OP, cause ? cause->stream : 0);
    if (!task) return NULL;
    task->op = cause ? cause->op : NULL;
    task->iteration = cause ? cause->iteration : m->iteration;
    task->launch = task->ready = m->now;
    task->buffer_index = buffer_index;
    task->bytes = bytes;
    task->copy_kind = kind;
    task->reason = GSIM_REASON_FAULT;
    if (kind == GSIM_COPY_H2D)
        task->route = is_eager ? GSIM_ROUTE_H2D : GSIM_ROUTE_FAULT_H2D;
    else
        task->route = is_eager ? GSIM_ROUTE_D2H : GSIM_ROUTE_FAULT_D2H;
    return task;
}

bool gsim_copies_prepare_kernel(struct gsim_machine *m, struct gsim_task *task)
{
    bool is_eager = m->device->eager_migration > 0;
    for (uint32_t i = 0; i < task->op->arg_count; i++) {
        uint32_t buffer = task->op->args[i].buffer_index;
        struct gsim_task *transfer = m->moving[buffer];
        uint64_t missing = transfer ? 0 : gsim_residency_missing(&m->residency, buffer);
        if (missing) {
            transfer = new_migration(m, task, buffer, missing, GSIM_COPY_H2D);
            if (!transfer) return true;
            m->moving[buffer] = transfer;
            if (is_eager)
                enqueue(m, transfer);
            else
                begin_transfer(m, transfer);
        }
        if (!transfer) continue;
        if (!is_eager) task->faulted = true;
        if (!add_waiter(m, transfer, task)) return true;
    }
    return task->migrations == 0;
}

void gsim_copies_kernel_ended(struct gsim_machine *m, struct gsim_task *task)
{
    for (uint32_t i = 0; i < task->op->arg_count; i++)
        if (task->op->args[i].writes) gsim_residency_device_wrote(&m->residency, task->op->args[i].buffer_index);
}

void gsim_copies_start(struct gsim_machine *m, struct gsim_task *task)
{
    const struct gsim_op *op = task->op;
    bool is_managed = m->simulation->memory == GSIM_MEMORY_MANAGED;
    bool is_pageable = m->simulation->memory == GSIM_MEMORY_PAGEABLE;
    task->buffer_index = op->args[0].buffer_index;
    task->bytes = op->bytes;
    task->copy_kind = op->kind == GSIM_OP_PREFETCH ? GSIM_COPY_H2D : op->copy_kind;
    task->reason = op->kind == GSIM_OP_PREFETCH ? GSIM_REASON_PREFETCH : GSIM_REASON_EXPLICIT;
    if (op->kind == GSIM_OP_PREFETCH) {
        bool is_needed = is_managed && !m->moving[task->buffer_index] && m->device->eager_migration <= 0;
        task->bytes = is_needed ? gsim_residency_missing(&m->residency, task->buffer_index) : 0;
        if (!task->bytes) {
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
    enqueue(m, task);
}

static void record_copy(struct gsim_machine *m, const struct gsim_task *task)
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
    gsim_timeline_add_copy(m->timeline, &record);
    if (m->simulation->observer && m->simulation->observer->on_copy)
        m->simulation->observer->on_copy(m->simulation->observer->data, &record);
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
        if (--task->migrations) continue;
        int priority = task->graph_run ? task->op->priority : m->streams[task->stream].priority;
        if (!gsim_gpu_submit(m->gpu, m->now, &m->works[task->op->kernel_index], priority, task))
            gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
    }
    transfer->waiters = NULL;
}

void gsim_copies_transfer_ended(struct gsim_machine *m, struct gsim_task *task)
{
    bool is_local = task->copy_kind == GSIM_COPY_D2D;
    gsim_gpu_add_copy_load(m->gpu, m->now, -(is_local ? m->device->d2d_gbps : route_gbps(m->device, task->route)));
    record_copy(m, task);
    if (task->copy_kind == GSIM_COPY_H2D) {
        gsim_residency_arrived(&m->residency, task->buffer_index);
        if (m->moving[task->buffer_index] == task) m->moving[task->buffer_index] = NULL;
    }
    if (task->in_engine) {
        struct gsim_copy_engine *engine = &m->engines[task->copy_kind];
        GSIM_INVARIANT(engine->current == task);
        engine_next(m, engine);
    }
    let_waiters_go(m, task);
    if (task->waiting_thread) gsim_machine_wake(m, task->waiting_thread, m->now);
    if (task->reason == GSIM_REASON_FAULT)
        gsim_front_free(m, task);
    else
        gsim_front_end(m, task);
}

void gsim_copies_host_access(struct gsim_machine *m, const struct gsim_op *op)
{
    uint32_t buffer = op->args[0].buffer_index;
    uint64_t whole = m->program->buffers[buffer].bytes;
    if (!op->untimed && gsim_residency_host_stale(&m->residency, buffer)) {
        uint64_t bytes = op->bytes < HOST_PAGE_BYTES ? HOST_PAGE_BYTES : op->bytes;
        struct gsim_task *transfer = new_migration(m, NULL, buffer, bytes < whole ? bytes : whole, GSIM_COPY_D2H);
        if (!transfer) return;
        transfer->op = op;
        transfer->waiting_thread = m->running;
        m->running->wake = GSIM_TIME_NEVER;
        if (m->device->eager_migration > 0)
            enqueue(m, transfer);
        else
            begin_transfer(m, transfer);
        gsim_machine_block(m);
        if (op->bytes >= whole) gsim_residency_returned(&m->residency, buffer);
    }
    if (op->kind == GSIM_OP_HOST_WRITE) gsim_residency_host_wrote(&m->residency, buffer);
}
