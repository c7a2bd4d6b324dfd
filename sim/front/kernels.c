/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels between a front end, its arbiter (sim/front/front.h) and the SMs: submitted, started, ended. */
#include <string.h>

#include "sim/collective/collective.h"
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

void gsim_front_kernel_drained(void *data, void *tag, gsim_time now)
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
    gsim_reuse_kernel_ended(command->device, command);
    gsim_recent_kernel_ended(command->device, command->op);
    gsim_gpu_kill(command->part->sm, m->now, command->run);
    command->run = NULL;
    gsim_partition_changed(command->part);
}

void gsim_front_start(struct gsim_command *command)
{
    struct gsim_device *d = command->device;
    if (command->op->kind != GSIM_OP_KERNEL) {
        gsim_copies_start(d, command);
        return;
    }
    if (command->front->arbiter) command->front->arbiter->ready(command->front->arbiter, command);
    else gsim_front_submit(command);
}

static void kernel_started(void *data, void *command, gsim_time now)
{
    struct gsim_command *t = command;
    (void)data;
    if (!t || t->kind == GSIM_COMMAND_TASK) return; /* a graph node's signal, or its launch knows */
    struct gsim_front *f = t->front;
    t->start = now;
    f->device->touched_bytes += gsim_device_work(f->device, t->op->kernel_index)->touched_bytes;
    gsim_faults_kernel_started(f->device, t);
    gsim_reuse_kernel_started(f->device, t);
    if (t->in_policy) gsim_front_policy_started(f, t);
    if (f->arbiter && f->arbiter->started) f->arbiter->started(f->arbiter, t);
}

static void kernel_ended(void *data, void *tag, gsim_time now)
{
    struct gsim_command *command = tag;
    (void)data;
    if (!command) return;
    struct gsim_front *f = command->front;
    f->machine->now = now;
    if (command->kind == GSIM_COMMAND_TASK) {
        command->ended(command);
        return;
    }
    f->device->ended_bytes += gsim_device_work(f->device, command->op->kernel_index)->touched_bytes;
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
    gsim_reuse_kernel_ended(f->device, command);
    gsim_recent_kernel_ended(f->device, command->op);
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

static void kernel_triggered(void *data, void *tag, gsim_time now)
{
    if (tag && gsim_collective_is(tag)) gsim_collective_resident(tag);
    else gsim_programmatic_triggered(data, tag, now);
}

const struct gsim_gpu_listener gsim_front_listener = {NULL, kernel_started, kernel_ended, kernel_triggered,
                                                      gsim_front_kernel_drained};
const struct gsim_gpu_watcher gsim_front_watcher = {NULL, blocks_stayed};
