/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What managed memory moves by itself, and when: prefetched buffers, launches on devices without page faults,
 * host accesses. Kernels that fault are followed by sim/memory/faults.c; the moving is sim/memory/copies.c's.
 */
#include "sim/clock/machine.h"

/* The host's page faults move at least one page (4 KiB, CUDA on x86) where the device cannot fault. */
#define HOST_PAGE_BYTES 4096u

static bool is_eager(const struct gsim_machine *m) { return m->device->eager_migration > 0; }

enum gsim_status gsim_managed_init(struct gsim_machine *m, struct gsim_error *error)
{
    uint64_t capacity = (uint64_t)(m->device->memory_gb * 1e9), total = 0;
    bool is_managed = m->simulation->memory == GSIM_MEMORY_MANAGED;
    for (uint32_t i = 0; i < m->program->buffer_count; i++) total += m->program->buffers[i].bytes;
    m->faults.next = GSIM_TIME_NEVER;
    m->faults.is_oversubscribed = total > capacity;
    if (total > capacity && (!is_managed || is_eager(m)))
        return gsim_error_set(error, GSIM_INPUT,
                              "device '%s': the program's buffers take %.4g GB, expected at most memory_gb = %.4g: %s",
                              m->device->name, (double)total * 1e-9, m->device->memory_gb,
                              is_managed ? "without page faults (before Pascal) memory cannot be oversubscribed"
                                         : "only managed memory can be oversubscribed");
    m->moving = GSIM_ARENA_ARRAY(&m->arena, struct gsim_command *, m->program->buffer_count + 1);
    m->attached = GSIM_ARENA_ARRAY(&m->arena, uint32_t, m->program->buffer_count + 1);
    if (!m->moving || !m->attached || !gsim_residency_init(&m->residency, m->program, is_managed ? capacity : UINT64_MAX))
        return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    return GSIM_OK;
}

void gsim_managed_release(struct gsim_machine *m)
{
    gsim_free(m->faults.active);
    gsim_free(m->faults.kernels);
    gsim_free(m->faults.flows);
    gsim_free(m->faults.users);
    gsim_free(m->faults.flow_buffers);
    gsim_residency_release(&m->residency);
}

void gsim_managed_check(struct gsim_machine *m)
{
    if (m->residency.failed) gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
    else if (m->simulation->gpu.check) gsim_residency_check(&m->residency);
}

/* A transfer that memory starts by itself; no stream knows it. CAUSE: the command it serves, or NULL. */
static struct gsim_command *new_migration(struct gsim_machine *m, const struct gsim_command *cause, uint32_t buffer_index,
                                       uint64_t bytes, enum gsim_copy_kind kind)
{
    struct gsim_command *command = gsim_front_command(m, GSIM_COMMAND_OP, cause ? cause->stream : 0);
    if (!command) return NULL;
    command->op = cause ? cause->op : NULL;
    command->iteration = cause ? cause->iteration : m->iteration;
    command->correlation = cause ? cause->correlation : 0;
    command->launch = command->ready = m->now;
    command->buffer_index = buffer_index;
    command->bytes = bytes;
    command->copy_kind = kind;
    command->reason = GSIM_REASON_FAULT;
    command->is_migration = true;
    if (kind == GSIM_COPY_H2D)
        command->route = GSIM_ROUTE_H2D;
    else
        command->route = is_eager(m) ? GSIM_ROUTE_D2H : GSIM_ROUTE_FAULT_D2H;
    return command;
}

/* --- kernels ------------------------------------------------------------------------------------------------ */

bool gsim_managed_prepare_kernel(struct gsim_machine *m, struct gsim_command *command)
{
    for (uint32_t i = 0; i < command->op->arg_count; i++) {
        uint32_t buffer = command->op->args[i].buffer_index;
        if (!m->moving[buffer] && is_eager(m)) {
            uint64_t bytes = gsim_residency_bytes(&m->residency, buffer, UINT64_MAX - GSIM_GROUP_BYTES, GSIM_PLACE_HOST);
            if (bytes && (m->moving[buffer] = new_migration(m, command, buffer, bytes, GSIM_COPY_H2D)) != NULL)
                gsim_copies_enqueue(m, m->moving[buffer]);
        }
        if (m->moving[buffer] && !gsim_copies_wait_for(m, m->moving[buffer], command)) return true;
    }
    return command->migrations == 0;
}

/* The kernel's arguments are not all on the device. */
static bool may_fault(const struct gsim_machine *m, const struct gsim_command *command)
{
    if (is_eager(m) || !command->op->arg_count) return false;
    for (uint32_t i = 0; i < command->op->arg_count; i++)
        if (!gsim_residency_is_complete(&m->residency, command->op->args[i].buffer_index)) return true;
    return m->faults.is_oversubscribed;
}

static void touch_eagerly(struct gsim_machine *m, const struct gsim_command *command)
{
    struct gsim_moved moved = {0};
    for (uint32_t i = 0; i < command->op->arg_count; i++) {
        uint32_t buffer = command->op->args[i].buffer_index;
        if (!gsim_residency_is_complete(&m->residency, buffer))
            gsim_residency_arrive(&m->residency, buffer, 0, m->residency.pages[buffer].group_count, &moved);
    }
    gsim_managed_check(m);
}

void gsim_managed_submit(struct gsim_machine *m, struct gsim_command *command)
{
    bool is_managed = m->simulation->memory == GSIM_MEMORY_MANAGED, faults = is_managed && may_fault(m, command);
    int priority = command->graph_run ? command->op->priority : m->streams[command->stream].priority;
    if (faults) gsim_faults_add(m, command);
    if (is_managed && is_eager(m)) touch_eagerly(m, command);
    command->run = gsim_gpu_submit_scaled(m->gpu, m->now, &m->works[command->op->kernel_index], gsim_reuse_kernel(m, command->op), priority, command);
    if (!command->run)
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
    else if (command->faulter)
        gsim_faults_hold(m, command);
}

void gsim_managed_attach(struct gsim_machine *m, uint32_t buffer_index, uint32_t stream)
{
    m->attached[buffer_index] = stream;
}

/* The first that uses the buffer; none does: the first of all. */
static const struct gsim_op *user_of(const struct gsim_op *const *ops, uint32_t count, uint32_t buffer)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t a = 0; a < ops[i]->arg_count; a++)
            if (ops[i]->args[a].buffer_index == buffer) return ops[i];
    return ops[0];
}

void gsim_managed_launch(struct gsim_machine *m, const struct gsim_op *const *ops, uint32_t count, uint32_t stream)
{
    struct gsim_command *last = NULL;
    if (!is_eager(m) || m->simulation->memory != GSIM_MEMORY_MANAGED || !count) return;
    gsim_machine_meet(m);
    for (uint32_t b = 0; b < m->program->buffer_count; b++) {
        bool is_visible = !m->attached[b] || m->attached[b] == stream;
        uint64_t bytes = is_visible && !m->moving[b]
                             ? gsim_residency_bytes(&m->residency, b, m->program->buffers[b].bytes, GSIM_PLACE_HOST) : 0;
        if (!bytes) continue;
        struct gsim_command *command = new_migration(m, NULL, b, bytes, GSIM_COPY_H2D);
        if (!command) return;
        command->stream = stream;
        command->op = user_of(ops, count, b);
        m->moving[b] = last = command;
        gsim_copies_enqueue(m, command);
    }
    if (!last) return;
    last->waiting_thread = m->running; /* one engine, first in first out: the others are there by then */
    m->running->wake = GSIM_TIME_NEVER;
    gsim_machine_block(m);
}

/* --- bulk copies --------------------------------------------------------------------------------------------- */

/* What had to leave for the command's pages goes back first, and the command, if any, begins after it. */
static void write_back(struct gsim_machine *m, const struct gsim_command *cause, uint64_t bytes, struct gsim_command *then)
{
    struct gsim_command *back = new_migration(m, cause, cause->buffer_index, bytes, GSIM_COPY_D2H);
    if (!back) return;
    back->reason = GSIM_REASON_EVICTION;
    back->route = GSIM_ROUTE_D2H;
    back->then = then;
    gsim_copies_enqueue(m, back);
}

bool gsim_managed_begin_prefetch(struct gsim_machine *m, struct gsim_command *command)
{
    struct gsim_moved moved = {0};
    if (command->has_room) return true;
    /* The pages count as arrived from here on; kernels wait until the copy has ended. */
    gsim_residency_arrive(&m->residency, command->buffer_index, 0,
                          gsim_residency_groups(&m->residency, command->buffer_index, command->op->bytes), &moved);
    gsim_managed_check(m);
    command->bytes = moved.from_host;
    command->has_room = true;
    if (moved.evicted) write_back(m, command, moved.evicted, moved.from_host ? command : NULL);
    return moved.from_host && !moved.evicted;
}

void gsim_managed_arrived(struct gsim_machine *m, const struct gsim_command *command)
{
    struct gsim_moved moved = {0};
    if (m->moving[command->buffer_index] == command) m->moving[command->buffer_index] = NULL;
    if (command->has_room) return;
    uint64_t bytes = command->is_migration ? m->program->buffers[command->buffer_index].bytes : command->op->bytes;
    gsim_residency_arrive(&m->residency, command->buffer_index, 0,
                          gsim_residency_groups(&m->residency, command->buffer_index, bytes), &moved);
    gsim_managed_check(m);
}

/* --- the host ------------------------------------------------------------------------------------------------ */

void gsim_managed_host_access(struct gsim_machine *m, const struct gsim_op *op)
{
    uint32_t buffer = op->args[0].buffer_index;
    uint64_t back = op->untimed ? 0 : gsim_residency_bytes(&m->residency, buffer, op->bytes, GSIM_PLACE_DEVICE);
    if (is_eager(m) && back > op->bytes) back = op->bytes < HOST_PAGE_BYTES ? HOST_PAGE_BYTES : op->bytes;
    if (back > m->program->buffers[buffer].bytes) back = m->program->buffers[buffer].bytes;
    if (back) {
        struct gsim_command *transfer = new_migration(m, NULL, buffer, back, GSIM_COPY_D2H);
        if (!transfer) return;
        transfer->op = op;
        transfer->waiting_thread = m->running;
        m->running->wake = GSIM_TIME_NEVER;
        if (is_eager(m))
            gsim_copies_enqueue(m, transfer);
        else
            gsim_copies_begin(m, transfer);
        gsim_machine_block(m);
    }
    gsim_residency_host_takes(&m->residency, buffer, op->bytes, op->kind == GSIM_OP_HOST_WRITE);
    gsim_managed_check(m);
}
