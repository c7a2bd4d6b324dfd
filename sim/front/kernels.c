/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Submission, start and end of kernels, between a front end, its arbiter (sim/front/front.h) and the SMs. */
#include <string.h>

#include "sim/collective/collective.h"
#include "sim/device/rules.h"
#include "sim/front/front.h"

void gsim_front_submit(struct gsim_command *command)
{
    struct gsim_device *d = command->device;
    if (gsim_collective_is(command)) {
        gsim_collective_submit(command);
        return;
    }
    if (d->space->mode == GSIM_MEMORY_MANAGED && !gsim_managed_prepare_kernel(d, command)) return;
    gsim_managed_submit(d, command);
}

static void kernel_drained(void *data, void *tag, gsim_time now)
{
    struct gsim_command *command = tag;
    (void)data;
    (void)now;
    if (command->front->arbiter && command->front->arbiter->drained)
        command->front->arbiter->drained(command->front->arbiter, command);
}

void gsim_front_kill(struct gsim_command *command)
{
    struct gsim_machine *m = command->device->machine;
    gsim_faults_kernel_killed(command->device, command);
    gsim_l2_kernel_ended(command->device, command);
    gsim_gpu_kill(command->part->sm, m->now, command->run);
    command->run = NULL;
    gsim_partition_changed(command->part);
}

static void hand_over(void *argument)
{
    struct gsim_command *command = argument;
    if (command->front->arbiter) command->front->arbiter->ready(command->front->arbiter, command);
    else gsim_front_submit(command);
}

/* Kernels of all processes are launched one after another; one of another process than the one before occupies the
 * front end for a time. */
static gsim_time launch_client(struct gsim_device *d, const struct gsim_process *process, gsim_time now)
{
    bool is_other = d->client && d->client != process;
    if (!(d->spec->client_switch_us > 0) || !gsim_rule_holds(d->spec->rules_off, GSIM_RULE_CLIENT_SWITCH)) return now;
    gsim_time at = d->client_free > now ? d->client_free : now;
    d->client = process;
    d->client_free = is_other ? at + gsim_time_from_us(d->spec->client_switch_us) : at;
    return at;
}

static void start(struct gsim_command *command)
{
    struct gsim_machine *m = command->device->machine;
    if (command->op->kind != GSIM_OP_KERNEL) {
        gsim_copies_start(command->device, command);
        return;
    }
    bool has_turns = command->front->arbiter; /* of its own */
    gsim_time at = has_turns ? m->now : launch_client(command->device, command->front->process, m->now);
    if (at > m->now) gsim_machine_at(m, at, hand_over, command);
    else hand_over(command);
}

static void began(struct gsim_command *command, gsim_time now)
{
    struct gsim_front *f = command->front;
    command->start = now;
    f->device->touched_bytes += gsim_device_work(f->device, command->op->kernel_index)->touched_bytes;
    gsim_faults_kernel_started(f->device, command);
    gsim_reuse_kernel_started(f->device, command);
    if (command->in_policy) gsim_front_policy_started(f, command);
    if (f->arbiter && f->arbiter->started) f->arbiter->started(f->arbiter, command);
}

static void over(struct gsim_command *command, gsim_time now)
{
    struct gsim_front *f = command->front;
    f->machine->now = now;
    f->device->ended_bytes += gsim_device_work(f->device, command->op->kernel_index)->touched_bytes;
    gsim_clock_count(f->device, command->op->kernel_index);
    struct gsim_kernel_record record = {
        .op = gsim_command_op(command),
        .iteration = command->iteration,
        .task = command->client->task,
        .stream = command->stream,
        .device = f->device->index,
        .kernel_index = command->op->kernel_index,
        .correlation = command->correlation,
        .launch = command->launch,
        .ready = command->ready,
        .start = command->start,
        .end = now,
    };
    if (gsim_collective_is(command)) gsim_collective_ended(command);
    if (!f->machine->simulation->omits_kernels) gsim_timeline_add_kernel(f->machine->timeline, &record);
    if (f->machine->simulation->observer && f->machine->simulation->observer->on_kernel)
        f->machine->simulation->observer->on_kernel(f->machine->simulation->observer->data, &record);
    gsim_faults_kernel_ended(f->device, command);
    gsim_l2_kernel_ended(f->device, command);
    if (f->arbiter && f->arbiter->ended) f->arbiter->ended(f->arbiter, command);
    command->ended(command);
}

/* For observers alone. */
static void blocks_stayed(void *data, void *tag, const uint64_t *sms, uint64_t blocks, gsim_time since, gsim_time until)
{
    const struct gsim_command *command = tag;
    (void)data;
    if (!command) return;
    const struct gsim_front *f = command->front;
    struct gsim_block_record record = {
        .op = gsim_command_op(command),
        .iteration = command->iteration,
        .stream = command->stream,
        .kernel_index = command->op->kernel_index,
        .correlation = command->correlation,
        .blocks = blocks,
        .start = since,
        .end = until,
    };
    memcpy(record.sms, sms, sizeof record.sms);
    f->machine->simulation->observer->on_blocks(f->machine->simulation->observer->data, &record);
}

static void triggered(struct gsim_command *command, gsim_time now)
{
    if (gsim_collective_is(command)) gsim_collective_resident(command);
    else gsim_programmatic_triggered(command, now);
}

const struct gsim_command_class gsim_front_op = {start, began, triggered, over};

/* A kernel without a command is a graph node's signal. */
#define TELL(what)                                                               \
    static void kernel_##what(void *data, void *command, gsim_time now)          \
    {                                                                            \
        const struct gsim_command *told = command;                               \
        (void)data;                                                              \
        if (told && told->class->what) told->class->what(command, now);          \
    }
TELL(began)
TELL(triggered)
TELL(over)

const struct gsim_gpu_listener gsim_front_listener = {NULL, kernel_began, kernel_over, kernel_triggered,
                                                      kernel_drained};
const struct gsim_gpu_watcher gsim_front_watcher = {NULL, blocks_stayed};
