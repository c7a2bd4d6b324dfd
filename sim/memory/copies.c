/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Copy engines, one FIFO for each direction (NVIDIA forum 365145), and kernels that wait for a transfer. The links of
 * sim/platform/engine.h give the times. managed.c starts the transfers of managed memory.
 */
#include "sim/memory/device.h"
#include "sim/memory/links.h"

struct gsim_waiter {
    struct gsim_command *command;
    struct gsim_waiter *next;
};

void gsim_copies_init(struct gsim_device *d)
{
    for (int i = 0; i < GSIM_COPY_KIND_COUNT; i++) {
        d->engines[i].device = d;
        d->engines[i].tail = &d->engines[i].head;
    }
}

static void transfer_ended(struct gsim_command *command);
static void local_copy_ended(void *command) { transfer_ended(command); }

static void finish(struct gsim_device *d, struct gsim_command *command);
static void nothing_to_move(void *command) { finish(((struct gsim_command *)command)->device, command); }

static void add_load(struct gsim_device *d, double gbps) { gsim_partitions_add_copy_load(d, gbps); }

struct gsim_leg gsim_copies_host_leg(const struct gsim_device *d, enum gsim_move move, enum gsim_copy_kind kind)
{
    const struct gsim_platform *p = d->machine->platform;
    gsim_place host = gsim_platform_host_place(p, d->index), device = gsim_platform_device_place(p, d->index);
    return kind == GSIM_COPY_H2D ? (struct gsim_leg){move, host, device} : (struct gsim_leg){move, device, host};
}

struct gsim_leg gsim_copies_peer_leg(const struct gsim_device *d, uint32_t from, uint32_t to)
{
    const struct gsim_platform *p = d->machine->platform;
    struct gsim_leg leg = {GSIM_MOVE_DIRECT, gsim_platform_device_place(p, from), gsim_platform_device_place(p, to)};
    if (!gsim_machine_are_peers(d->machine, from, to) || !gsim_platform_has_peer_links(p, from, to))
        leg.move = GSIM_MOVE_PINNED;
    return leg;
}

/* Returns the device at the other end of a copy between devices. */
static struct gsim_device *other_end(const struct gsim_command *command)
{
    const struct gsim_platform *p = command->device->machine->platform;
    uint32_t to = gsim_platform_device_of(p, command->leg.to);
    return command->device->all[to == command->device->index ? gsim_platform_device_of(p, command->leg.from) : to];
}

bool gsim_copies_is_pinned(const struct gsim_space *space, const struct gsim_op *op)
{
    return op->copy_memory == GSIM_COPY_MEMORY_OF_RUN ? space->mode == GSIM_MEMORY_PINNED
                                                      : op->copy_memory == GSIM_COPY_MEMORY_PINNED;
}

bool gsim_copies_is_pageable(const struct gsim_space *space, const struct gsim_op *op)
{
    return op->copy_memory == GSIM_COPY_MEMORY_OF_RUN ? space->mode == GSIM_MEMORY_PAGEABLE
                                                      : op->copy_memory == GSIM_COPY_MEMORY_PAGEABLE;
}

/* Returns the fixed duration of a copy; 0: by the links. */
static double recorded_us(const struct gsim_command *command)
{
    return command->op && command->op->kind == GSIM_OP_COPY ? command->op->copy_us : 0;
}

/* Changes the DRAM traffic by a transfer's: at both ends between GPUs. */
static void add_load_of(const struct gsim_command *command, double sign)
{
    struct gsim_device *d = command->device;
    double gbps = recorded_us(command) > 0 ? (double)command->bytes * 1e-3 / recorded_us(command)
                  : command->copy_kind == GSIM_COPY_D2D
                      ? d->spec->d2d_gbps
                      : gsim_links_leg_gbps(d->machine->platform, &command->leg, d->spec);
    add_load(d, sign * gbps);
    if (command->copy_kind == GSIM_COPY_P2P) add_load(other_end(command), sign * gbps);
}

void gsim_copies_begin(struct gsim_device *d, struct gsim_command *command)
{
    const struct gsim_device_spec *spec = d->spec;
    if (command->reason == GSIM_REASON_PREFETCH && !gsim_managed_begin_prefetch(d, command)) {
        if (!command->bytes)
            gsim_machine_at(d->machine, d->machine->now, nothing_to_move, command); /* a kernel was faster */
        return;
    }
    command->start = d->machine->now;
    command->transferred = transfer_ended;
    add_load_of(command, 1);
    if (recorded_us(command) > 0) {
        gsim_machine_at(d->machine, d->machine->now + gsim_time_from_us(recorded_us(command)), local_copy_ended,
                        command);
        return;
    }
    if (command->copy_kind == GSIM_COPY_D2D) { /* reads and writes every byte; no link */
        gsim_time length = gsim_time_from_us(spec->h2d_latency_us) +
                           gsim_time_from_ns(2 * (double)command->bytes / spec->d2d_gbps);
        gsim_machine_at(d->machine, d->machine->now + length, local_copy_ended, command);
        return;
    }
    uint64_t bytes = command->bytes ? command->bytes : 1;
    if (command->copy_kind == GSIM_COPY_H2D && command->leg.move == GSIM_MOVE_PINNED)
        bytes += gsim_whole_u64(gsim_host_cache_copy(d->space, spec, command->buffer_index, (double)bytes));
    gsim_engine_transfer(d->machine->engine, d->machine->now, &command->leg, bytes, command);
}

static void engine_next(struct gsim_copy_engine *engine)
{
    struct gsim_command *command = engine->head;
    engine->current = command;
    if (!command) return;
    engine->head = command->next;
    if (!engine->head) engine->tail = &engine->head;
    command->next = NULL;
    gsim_copies_begin(engine->device, command);
}

static void let_engine_go(void *argument)
{
    struct gsim_copy_engine *engine = argument;
    engine->is_held = false;
    if (!engine->current) engine_next(engine);
}

/* What ENGINE does behind COMMAND's copy. In a graph the next copy of its lane comes before those of other lanes that
 * wait (H200: bs with taskflow in traces/h200/runs-1g.json.gz, three copies of one lane, then of the next; assumed of
 * all devices whose engines poll one another). In streams the engine itself makes the records that follow, then serves
 * another stream (H200: traces/h200/probe.json, h2d_record_chain and h2d_across). */
static void engine_after(struct gsim_device *d, struct gsim_copy_engine *engine, const struct gsim_command *command)
{
    if (command->graph_run && d->gaps.engine_poll && d->hooks->goes_on(command->front, command, &engine->kept_node)) {
        engine->kept_for = command->graph_run;
        engine->is_held = true;
        engine->current = NULL;
        return;
    }
    gsim_time held = command->is_migration || command->graph_run ? 0 : d->hooks->records(command->front, command);
    if (engine->head && engine->head->stream != command->stream) held += d->gaps.copy_switch;
    engine->current = NULL;
    if (!held) {
        engine_next(engine);
        return;
    }
    engine->is_held = true;
    gsim_machine_at(d->machine, d->machine->now + held, let_engine_go, engine);
}

void gsim_copies_enqueue(struct gsim_device *d, struct gsim_command *command)
{
    struct gsim_copy_engine *engine = &d->engines[command->copy_kind];
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
    if (!engine->current && !engine->is_held) engine_next(engine);
}

bool gsim_copies_wait_for(struct gsim_device *d, struct gsim_command *transfer, struct gsim_command *command)
{
    struct gsim_waiter *waiter = d->free_waiters;
    if (waiter)
        d->free_waiters = waiter->next;
    else if (!(waiter = GSIM_ARENA_NEW(&d->machine->arena, struct gsim_waiter))) {
        gsim_machine_fail(d->machine, GSIM_NOMEM, "out of memory");
        return false;
    }
    *waiter = (struct gsim_waiter){command, transfer->waiters};
    transfer->waiters = waiter;
    command->migrations++;
    return true;
}

void gsim_copies_record(struct gsim_machine *m, const struct gsim_copy_record *record)
{
    const struct gsim_observer *observer = m->simulation->observer;
    if (!m->simulation->omits_kernels) gsim_timeline_add_copy(m->timeline, record);
    if (observer && observer->on_copy) observer->on_copy(observer->data, record);
}

static void record_transfer(struct gsim_machine *m, const struct gsim_command *command)
{
    struct gsim_copy_record record = {
        .op = command->op ? gsim_command_op(command) : UINT32_MAX,
        .iteration = command->iteration,
        .task = command->client->task,
        .stream = command->stream,
        .device = command->device->index,
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

static void inline_copy_ended(void *argument)
{
    struct gsim_command *command = argument;
    record_transfer(command->device->machine, command);
    command->ended(command);
}

uint32_t gsim_copies_unit(const struct gsim_device *d, const struct gsim_op *op)
{
    if (op->kind != GSIM_OP_COPY) return GSIM_UNIT_SMS;
    bool is_inline = gsim_copies_is_pinned(d->space, op) && !(op->copy_us > 0) && op->copy_kind == GSIM_COPY_H2D &&
                     (double)op->bytes <= d->spec->inline_copy_bytes;
    return is_inline ? GSIM_UNIT_SMS : GSIM_UNIT_COPIES + op->copy_kind;
}

void gsim_copies_start(struct gsim_device *d, struct gsim_command *command)
{
    const struct gsim_op *op = command->op;
    bool is_managed = d->space->mode == GSIM_MEMORY_MANAGED;
    bool is_pageable = gsim_copies_is_pageable(d->space, op);
    gsim_l2_copy(d, op);
    command->buffer_index = op->args[0].buffer_index;
    command->bytes = op->bytes;
    command->copy_kind = op->kind == GSIM_OP_PREFETCH ? GSIM_COPY_H2D : op->copy_kind;
    command->reason = op->kind == GSIM_OP_PREFETCH ? GSIM_REASON_PREFETCH : GSIM_REASON_EXPLICIT;
    if (op->kind == GSIM_OP_PREFETCH) {
        bool is_needed = is_managed && !d->moving[command->buffer_index] && d->spec->eager_migration <= 0;
        if (is_needed && gsim_managed_leg(d, command->buffer_index, op->bytes, &command->leg))
            command->bytes = gsim_residency_bytes(&d->space->residency, command->buffer_index, op->bytes, ~UINT64_C(0),
                                                  GSIM_HELD_BY(d->index));
        else
            command->bytes = 0;
        if (!command->bytes) {
            if (is_needed)
                gsim_managed_begin_prefetch(d, command); /* pages that nobody wrote come to be on the device */
            command->ended(command);
            return;
        }
        if (!gsim_platform_is_host(d->machine->platform, command->leg.from)) command->copy_kind = GSIM_COPY_P2P;
        d->moving[command->buffer_index] = command;
    } else if (command->copy_kind == GSIM_COPY_P2P) {
        command->leg = gsim_copies_peer_leg(d, d->index, op->to_device);
    } else {
        command->leg = gsim_copies_host_leg(d, is_pageable ? GSIM_MOVE_PAGEABLE : GSIM_MOVE_PINNED, command->copy_kind);
    }
    if (op->kind == GSIM_OP_COPY && gsim_copies_unit(d, op) == GSIM_UNIT_SMS) {
        command->start = d->machine->now;
        gsim_time length = gsim_time_from_us(d->spec->inline_copy_us);
        if (command->graph_run)
            length += d->gaps.stream - gsim_time_from_us(d->spec->graph_node_gap_us); /* it follows as in a stream */
        gsim_machine_at(d->machine, d->machine->now + length, inline_copy_ended, command);
        return;
    }
    gsim_copies_enqueue(d, command);
}

/* Submits kernels whose last transfer has arrived. */
static void let_waiters_go(struct gsim_device *d, struct gsim_command *transfer)
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
        w->next = d->free_waiters;
        d->free_waiters = w;
        if (!--command->migrations) gsim_managed_submit(d, command);
    }
    transfer->waiters = NULL;
}

/* Ends a copy: its engine, its waiters and its stream go on. */
static void finish(struct gsim_device *d, struct gsim_command *command)
{
    struct gsim_command *then = command->then;
    bool is_managed = d->space->mode == GSIM_MEMORY_MANAGED;
    bool is_prefetch = command->reason == GSIM_REASON_PREFETCH;
    if (is_managed && (command->copy_kind == GSIM_COPY_H2D || is_prefetch)) gsim_managed_arrived(d, command);
    if (command->in_engine) {
        struct gsim_copy_engine *engine = &d->engines[command->copy_kind];
        GSIM_INVARIANT(engine->current == command);
        engine_after(d, engine, command);
    }
    let_waiters_go(d, command);
    if (command->waiting_thread) gsim_machine_wake(d->machine, command->waiting_thread, d->machine->now);
    command->ended(command);
    if (then) gsim_copies_begin(d, then);
}

static void transfer_ended(struct gsim_command *command)
{
    struct gsim_device *d = command->device;
    add_load_of(command, -1);
    record_transfer(d->machine, command);
    finish(d, command);
}
