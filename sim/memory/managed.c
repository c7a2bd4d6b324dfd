/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Transfers that managed memory starts: prefetched buffers, launches on devices without page faults, host accesses.
 * Page faults of running kernels: sim/memory/faults.c. The transfers themselves: sim/memory/copies.c.
 */
#include "sim/memory/device.h"

/* The host's page faults move at least one page (4 KiB, CUDA on x86) where the device cannot fault. */

static bool is_eager(const struct gsim_device *d) { return d->spec->eager_migration > 0; }

/* Fails if managed memory cannot be on the devices: too many, or several with one that cannot fault. */
static enum gsim_status check_devices(const struct gsim_device_spec *const *specs, uint32_t device_count,
                                      struct gsim_error *error)
{
    if (device_count > GSIM_MANAGED_MAX)
        return gsim_error_set(error, GSIM_INPUT, "managed memory: expected at most %d GPUs, found %u",
                              GSIM_MANAGED_MAX, device_count);
    for (uint32_t d = 0; d < device_count && device_count > 1; d++)
        if (specs[d]->eager_migration > 0)
            return gsim_error_set(error, GSIM_INPUT,
                                  "device '%s': managed memory on several GPUs needs page faults (from Pascal on)",
                                  specs[d]->name);
    return GSIM_OK;
}

enum gsim_status gsim_managed_init(struct gsim_space *space, struct gsim_machine *m,
                                   const struct gsim_device_spec *const *specs, uint32_t device_count,
                                   struct gsim_error *error)
{
    const struct gsim_device_spec *spec = specs[0];
    uint64_t least = UINT64_MAX, total = 0, capacity[GSIM_MANAGED_MAX];
    bool is_managed = space->mode == GSIM_MEMORY_MANAGED;
    if (is_managed && check_devices(specs, device_count, error)) return error->status;
    if (!is_managed) device_count = 1; /* nothing moves by itself */
    for (uint32_t d = 0; d < device_count; d++) {
        uint64_t own = gsim_whole_u64(specs[d]->memory_gb * 1e9);
        capacity[d] = is_managed ? own : UINT64_MAX;
        if (own < least) least = own;
    }
    for (uint32_t i = 0; i < space->program->buffer_count; i++) total += space->program->buffers[i].bytes;
    space->is_oversubscribed = total > least;
    if (total > least && (!is_managed || spec->eager_migration > 0))
        return gsim_error_set(error, GSIM_INPUT,
                              "device '%s': the program's buffers take %.4g GB, expected at most memory_gb = %.4g: %s",
                              spec->name, (double)total * 1e-9, spec->memory_gb,
                              is_managed ? "without page faults (before Pascal) memory cannot be oversubscribed"
                                         : "only managed memory can be oversubscribed");
    space->attached = GSIM_ARENA_ARRAY(&m->arena, uint32_t, space->buffer_room + 1);
    if (!space->attached ||
        !gsim_residency_init(&space->residency, space->program, space->buffer_room, device_count, capacity))
        return gsim_no_memory(error);
    return GSIM_OK;
}

bool gsim_managed_leg(const struct gsim_device *d, uint32_t buffer, uint64_t bytes, struct gsim_leg *leg)
{
    gsim_places source = gsim_residency_source(&d->space->residency, buffer, bytes, GSIM_HELD_BY(d->index));
    if (!source) return false;
    *leg = source == GSIM_HELD_BY_HOST ? gsim_copies_host_leg(d, GSIM_MOVE_BULK, GSIM_COPY_H2D)
                                  : gsim_copies_peer_leg(d, (uint32_t)__builtin_ctzll(source) - 1, d->index);
    return true;
}

void gsim_managed_check(struct gsim_device *d)
{
    if (d->space->residency.failed) gsim_machine_fail(d->machine, GSIM_NOMEM, "out of memory");
    else if (d->machine->simulation->gpu.check) gsim_residency_check(&d->space->residency);
}

static void migration_ended(struct gsim_command *command) { gsim_command_free(command->device->machine, command); }

/* Makes a transfer outside any stream. CAUSE: the command that it serves, or NULL. */
static struct gsim_command *new_migration(struct gsim_device *d, const struct gsim_command *cause, uint32_t iteration,
                                          uint32_t buffer_index, uint64_t bytes, enum gsim_copy_kind kind)
{
    struct gsim_command *command =
        gsim_command_new(d->machine, GSIM_COMMAND_OP, d, cause ? cause->stream : 0, iteration);
    if (!command) return NULL;
    command->ended = migration_ended;
    command->op = cause ? cause->op : NULL;
    command->client = cause ? cause->client : d->machine->running->client;
    command->correlation = cause ? cause->correlation : 0;
    command->launch = command->ready = d->machine->now;
    command->buffer_index = buffer_index;
    command->bytes = bytes;
    command->copy_kind = kind;
    command->reason = GSIM_REASON_FAULT;
    command->is_migration = true;
    command->leg =
        gsim_copies_host_leg(d, kind == GSIM_COPY_H2D || is_eager(d) ? GSIM_MOVE_PINNED : GSIM_MOVE_FAULT, kind);
    return command;
}

/* --- kernels ------------------------------------------------------------------------------------------------ */

bool gsim_managed_prepare_kernel(struct gsim_device *d, struct gsim_command *command)
{
    for (uint32_t i = 0; i < command->op->arg_count; i++) {
        uint32_t buffer = command->op->args[i].buffer_index;
        if (!d->moving[buffer] && is_eager(d)) {
            uint64_t bytes =
                gsim_residency_bytes(&d->space->residency, buffer, UINT64_MAX - GSIM_GROUP_BYTES, GSIM_HELD_BY_HOST, 0);
            if (bytes && (d->moving[buffer] =
                              new_migration(d, command, command->iteration, buffer, bytes, GSIM_COPY_H2D)) != NULL)
                gsim_copies_enqueue(d, d->moving[buffer]);
        }
        if (d->moving[buffer] && !gsim_copies_wait_for(d, d->moving[buffer], command)) return true;
    }
    return command->migrations == 0;
}

/* Whether some argument of the kernel is not on the device. */
static bool may_fault(const struct gsim_device *d, const struct gsim_command *command)
{
    if (is_eager(d) || !command->op->arg_count) return false;
    for (uint32_t i = 0; i < command->op->arg_count; i++)
        if (!gsim_residency_is_complete(&d->space->residency, command->op->args[i].buffer_index, d->index,
                                        command->op->args[i].writes))
            return true;
    return d->space->is_oversubscribed;
}

static void touch_eagerly(struct gsim_device *d, const struct gsim_op *op)
{
    struct gsim_moved moved = {0};
    for (uint32_t i = 0; i < op->arg_count; i++) {
        uint32_t buffer = op->args[i].buffer_index;
        bool writes = op->args[i].writes;
        if (!gsim_residency_is_complete(&d->space->residency, buffer, d->index, writes))
            gsim_residency_arrive(&d->space->residency, d->index, buffer, 0,
                                  d->space->residency.pages[buffer].group_count, writes, &moved);
    }
    gsim_managed_check(d);
}

/* Brings the host's part of BUFFER from TIME on; returns its arrival. */
static gsim_time bring_buffer(struct gsim_device *d, const struct gsim_command *command, const struct gsim_op *op,
                              uint32_t buffer, gsim_time time)
{
    uint64_t bytes = gsim_residency_bytes(&d->space->residency, buffer, UINT64_MAX - GSIM_GROUP_BYTES, ~UINT64_C(0),
                                          GSIM_HELD_BY(d->index));
    if (!bytes) return time;
    struct gsim_copy_record record = {.op = command->client->first_op + op->index,
                                      .iteration = command->iteration,
                                      .stream = command->stream,
                                      .device = d->index,
                                      .buffer_index = buffer,
                                      .correlation = command->correlation,
                                      .kind = GSIM_COPY_H2D,
                                      .reason = GSIM_REASON_FAULT,
                                      .bytes = bytes,
                                      .launch = command->launch,
                                      .start = time};
    record.end = time + gsim_time_from_us(d->spec->fault_latency_us + (double)bytes * 1e-3 / d->spec->fault_total_gbps);
    gsim_copies_record(d->machine, &record);
    return record.end;
}

gsim_time gsim_managed_take_all(struct gsim_device *d, const struct gsim_command *command,
                                const struct gsim_op *const *ops, uint32_t count)
{
    gsim_time time = d->machine->now;
    if (d->space->mode != GSIM_MEMORY_MANAGED) return time;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t a = 0; a < ops[i]->arg_count; a++)
            time = bring_buffer(d, command, ops[i], ops[i]->args[a].buffer_index, time);
        touch_eagerly(d, ops[i]);
    }
    return time;
}

void gsim_managed_submit(struct gsim_device *d, struct gsim_command *command)
{
    bool is_managed = d->space->mode == GSIM_MEMORY_MANAGED, faults = is_managed && may_fault(d, command);
    if (faults) gsim_faults_add(d, command);
    if (is_managed && is_eager(d)) touch_eagerly(d, command->op);
    const struct gsim_demand *work = gsim_device_work(d, command->op->kernel_index);
    double scale = gsim_l2_kernel(d, command) * gsim_partition_scale(command->part, work) * gsim_clock_scale(d, work);
    command->run = gsim_gpu_submit_as(command->part->sm, d->machine->now, work, scale, command->is_held,
                                      command->priority, command);
    gsim_partition_changed(command->part);
    if (!command->run) gsim_machine_fail(d->machine, GSIM_NOMEM, "out of memory");
    else if (command->faulter)
        gsim_faults_hold(d, command);
}

void gsim_managed_attach(struct gsim_space *space, uint32_t buffer_index, uint32_t stream)
{
    space->attached[buffer_index] = stream;
}

/* The first that uses the buffer; none does: the first of all. */
static const struct gsim_op *user_of(const struct gsim_op *const *ops, uint32_t count, uint32_t buffer)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t a = 0; a < ops[i]->arg_count; a++)
            if (ops[i]->args[a].buffer_index == buffer) return ops[i];
    return ops[0];
}

void gsim_managed_launch(struct gsim_device *d, const struct gsim_op *const *ops, uint32_t count, uint32_t stream,
                         uint32_t iteration)
{
    struct gsim_command *last = NULL;
    if (!is_eager(d) || d->space->mode != GSIM_MEMORY_MANAGED || !count) return;
    gsim_machine_meet(d->machine);
    for (uint32_t b = 0; b < d->space->program->buffer_count; b++) {
        bool is_visible = !d->space->attached[b] || d->space->attached[b] == stream;
        uint64_t bytes = is_visible && !d->moving[b]
                             ? gsim_residency_bytes(&d->space->residency, b, d->space->program->buffers[b].bytes,
                                                    GSIM_HELD_BY_HOST, 0)
                             : 0;
        if (!bytes) continue;
        struct gsim_command *command = new_migration(d, NULL, iteration, b, bytes, GSIM_COPY_H2D);
        if (!command) return;
        command->stream = stream;
        command->op = user_of(ops, count, b);
        d->moving[b] = last = command;
        gsim_copies_enqueue(d, command);
    }
    if (!last) return;
    last->waiting_thread = d->machine->running; /* one engine, first in first out: the others are there by then */
    d->machine->running->wake = GSIM_TIME_NEVER;
    gsim_machine_block(d->machine);
}

/* --- bulk copies --------------------------------------------------------------------------------------------- */

/* Writes BYTES of evicted pages back for CAUSE, then begins THEN (may be NULL). */
static void write_back(struct gsim_device *d, const struct gsim_command *cause, uint64_t bytes,
                       struct gsim_command *then)
{
    struct gsim_command *back = new_migration(d, cause, cause->iteration, cause->buffer_index, bytes, GSIM_COPY_D2H);
    if (!back) return;
    back->reason = GSIM_REASON_EVICTION;
    back->leg.move = GSIM_MOVE_PINNED;
    back->then = then;
    gsim_copies_enqueue(d, back);
}

bool gsim_managed_begin_prefetch(struct gsim_device *d, struct gsim_command *command)
{
    struct gsim_moved moved = {0};
    if (command->has_room) return true;
    /* The pages count as arrived from here on; kernels wait until the copy has ended. */
    gsim_residency_arrive(&d->space->residency, d->index, command->buffer_index, 0,
                          gsim_residency_groups(&d->space->residency, command->buffer_index, command->op->bytes), false,
                          &moved);
    gsim_managed_check(d);
    command->bytes = moved.from_host + moved.from_devices;
    command->has_room = true;
    if (moved.evicted) write_back(d, command, moved.evicted, command->bytes ? command : NULL);
    return command->bytes && !moved.evicted;
}

void gsim_managed_arrived(struct gsim_device *d, const struct gsim_command *command)
{
    struct gsim_moved moved = {0};
    if (d->moving[command->buffer_index] == command) d->moving[command->buffer_index] = NULL;
    if (command->has_room) return;
    uint64_t bytes =
        command->is_migration ? d->space->program->buffers[command->buffer_index].bytes : command->op->bytes;
    gsim_residency_arrive(&d->space->residency, d->index, command->buffer_index, 0,
                          gsim_residency_groups(&d->space->residency, command->buffer_index, bytes), true, &moved);
    gsim_managed_check(d);
}

/* --- the host ------------------------------------------------------------------------------------------------ */

void gsim_managed_host_access(struct gsim_device *d, const struct gsim_op *op, uint32_t iteration)
{
    uint32_t buffer = op->args[0].buffer_index;
    uint64_t back = op->untimed ? 0
                                : gsim_residency_bytes(&d->space->residency, buffer, op->bytes, GSIM_HELD_BY_DEVICES,
                                                       GSIM_HELD_BY_HOST);
    gsim_places source = back ? gsim_residency_source(&d->space->residency, buffer, op->bytes, GSIM_HELD_BY_HOST) : 0;
    if (source) d = d->all[__builtin_ctzll(source) - 1]; /* all comes over the link of the device that has most */
    uint64_t page = gsim_whole_u64(d->spec->host_page_bytes);
    if (is_eager(d) && back > op->bytes) back = op->bytes < page ? page : op->bytes;
    if (back > d->space->program->buffers[buffer].bytes) back = d->space->program->buffers[buffer].bytes;
    if (back) {
        struct gsim_command *transfer = new_migration(d, NULL, iteration, buffer, back, GSIM_COPY_D2H);
        if (!transfer) return;
        transfer->op = op;
        transfer->waiting_thread = d->machine->running;
        d->machine->running->wake = GSIM_TIME_NEVER;
        if (is_eager(d)) gsim_copies_enqueue(d, transfer);
        else gsim_copies_begin(d, transfer);
        gsim_machine_block(d->machine);
    }
    gsim_residency_host_takes(&d->space->residency, buffer, op->bytes, op->kind == GSIM_OP_HOST_WRITE);
    gsim_managed_check(d);
}
