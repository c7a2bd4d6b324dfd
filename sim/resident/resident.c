/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/resident/resident.h: a launch of a persistent kernel from start to end, its tasks on SMs, and its idle
 * time. */
#include "sim/resident/resident.h"

#include <math.h>
#include <string.h>

#define MAX_AHEAD 0.99 /* what is left needs something of what the task follows */

/* Launches of a front end: one runs, others wait for it; those that are over may be launched again. */
struct gsim_residents {
    struct gsim_resident *running, *waiting, *idle;
};

/* --- idle time ------------------------------------------------------------------------------------------------ */

static void count_time(struct gsim_resident *r)
{
    double span = (double)(gsim_resident_now(r) - r->counted), idle = r->worker_count - r->running;
    double late = idle < r->ready ? idle : r->ready;
    r->counted = gsim_resident_now(r);
    r->busy_ps += span * r->running;
    r->late_ps += span * late;
    r->limited_ps += span * (idle - late);
    if (late > 0) r->late_makespan_ps += span;
}

static void record_launch(struct gsim_resident *r)
{
    const struct gsim_resident_record record = {.iteration = r->command->iteration,
                                                .stream = r->command->stream,
                                                .device = r->front->device->index,
                                                .workers = r->worker_count,
                                                .tasks = r->task_count,
                                                .mode = gsim_persistent_mode_name(r->plan->mode),
                                                .start = r->start,
                                                .end = gsim_resident_now(r),
                                                .busy_us = r->busy_ps / GSIM_PS_PER_US,
                                                .late_us = r->late_ps / GSIM_PS_PER_US,
                                                .limited_us = r->limited_ps / GSIM_PS_PER_US,
                                                .late_makespan_us = r->late_makespan_ps / GSIM_PS_PER_US};
    gsim_timeline_add_resident(r->front->machine->timeline, &record);
}

/* --- timers and slots ------------------------------------------------------------------------------------------- */

void gsim_resident_at(struct gsim_resident *r, gsim_time time, void (*fire)(void *), void *argument)
{
    r->pending++;
    gsim_machine_at(r->front->machine, time > gsim_resident_now(r) ? time : gsim_resident_now(r), fire, argument);
}

static void begin_launch(struct gsim_resident *r);

/* The launch is over and no timer of it is left: its memory may be used again, and the next launch may begin. */
static void retire(struct gsim_resident *r)
{
    struct gsim_residents *all = r->all;
    all->running = NULL;
    r->next = all->idle;
    all->idle = r;
    struct gsim_resident *next = all->waiting;
    if (!next) return;
    all->waiting = next->next;
    begin_launch(next);
}

bool gsim_resident_fires(struct gsim_resident *r)
{
    r->pending--;
    if (r->command) return !gsim_machine_failed(r->front->machine);
    if (!r->pending) retire(r);
    return false;
}

bool gsim_resident_worker_fires(struct gsim_resident_worker *w)
{
    if (!gsim_resident_fires(w->resident)) return false;
    w->time = gsim_resident_now(w->resident);
    return true;
}

struct gsim_resident_slot *gsim_resident_new_slot(struct gsim_resident *r, uint32_t task, gsim_time visible)
{
    struct gsim_resident_slot *slot = r->free_slots;
    if (slot) r->free_slots = slot->next;
    else slot = GSIM_ARENA_NEW(&r->front->machine->arena, struct gsim_resident_slot);
    if (slot)
        *slot = (struct gsim_resident_slot){.task = task, .visible = visible};
    else
        gsim_machine_fail(r->front->machine, GSIM_NOMEM, "out of memory");
    return slot;
}

void gsim_resident_free_slot(struct gsim_resident *r, struct gsim_resident_slot *slot)
{
    slot->next = r->free_slots;
    r->free_slots = slot;
}

struct gsim_resident_slot *gsim_resident_give(struct gsim_resident_worker *w, uint32_t task, gsim_time visible)
{
    struct gsim_resident_slot *slot = gsim_resident_new_slot(w->resident, task, visible);
    if (!slot) return NULL;
    *w->slots_tail = slot;
    w->slots_tail = &slot->next;
    return slot;
}

uint32_t gsim_resident_take(struct gsim_resident_worker *w)
{
    struct gsim_resident_slot *slot = w->slots;
    w->slots = slot->next;
    if (!w->slots) w->slots_tail = &w->slots;
    gsim_resident_free_slot(w->resident, slot);
    return slot->task;
}

/* --- tasks ------------------------------------------------------------------------------------------------------- */

static void op_is_ready(struct gsim_resident *r, struct gsim_resident_op *op)
{
    op->ready = gsim_resident_now(r);
    r->ready += op->task_count;
}

static void record_op(struct gsim_resident *r, const struct gsim_resident_op *op)
{
    const struct gsim_op *its = r->plan->ops[op - r->ops];
    const struct gsim_observer *observer = r->front->machine->simulation->observer;
    struct gsim_kernel_record record = {.op = r->command->client->first_op + its->index,
                                        .iteration = r->command->iteration,
                                        .task = r->command->client->task,
                                        .stream = r->command->stream,
                                        .device = r->front->device->index,
                                        .kernel_index = its->kernel_index,
                                        .correlation = r->command->correlation,
                                        .launch = r->command->launch,
                                        .ready = op->ready < op->start ? op->ready : op->start,
                                        .start = op->start,
                                        .end = gsim_resident_now(r)};
    gsim_timeline_add_kernel(r->front->machine->timeline, &record);
    if (observer && observer->on_kernel) observer->on_kernel(observer->data, &record);
    r->front->device->ended_bytes += gsim_device_work(r->front->device, its->kernel_index)->touched_bytes;
}

static void launch_ended(void *argument)
{
    struct gsim_resident *r = argument;
    struct gsim_command *command = r->command;
    if (!gsim_resident_fires(r)) return;
    count_time(r);
    record_launch(r);
    for (uint32_t i = 0; command->client->run->draw && i < r->op_count; i++)
        gsim_draw_ended(command->client->run->draw, r->plan->ops[i], gsim_time_us(gsim_resident_now(r)));
    r->command = NULL;
    command->ended(command);
    if (!r->pending) retire(r);
}

/* How long after its last task the kernel ends. */
static gsim_time closing(const struct gsim_resident *r)
{
    if (r->plan->mode == GSIM_PERSISTENT_COPILOT) return r->costs.post + r->costs.up;
    return r->plan->mode == GSIM_PERSISTENT_BARRIER ? r->costs.barrier : r->costs.fence;
}

static void task_over(struct gsim_command *command, gsim_time now)
{
    struct gsim_resident_worker *w = command->argument;
    struct gsim_resident *r = w->resident;
    struct gsim_resident_op *op = &r->ops[r->op_of[w->task]];
    r->front->machine->now = now;
    count_time(r);
    r->running--;
    r->tasks_left--;
    w->time = gsim_resident_now(r);
    if (!--op->unfinished) {
        uint32_t index = (uint32_t)(op - r->ops);
        record_op(r, op);
        for (uint32_t i = r->follower_start[index]; i < r->follower_start[index + 1]; i++)
            if (!--r->ops[r->followers[i]].follows) op_is_ready(r, &r->ops[r->followers[i]]);
    }
    if (r->tasks_left) r->policy->ended(w);
    else gsim_resident_at(r, gsim_resident_now(r) + closing(r), launch_ended, r);
}

/* Work of the op's blocks from FIRST on, COUNT of them, in blocks of mean work. */
static double work_of(const struct gsim_demand *work, uint64_t first, uint64_t count)
{
    uint64_t before[GSIM_BLOCK_KINDS], behind[GSIM_BLOCK_KINDS];
    double sum = 0;
    if (!work->is_unequal) return (double)count;
    gsim_unequal_count(&work->unequal, first, before);
    gsim_unequal_count(&work->unequal, first + count, behind);
    for (int i = 0; i < GSIM_BLOCK_KINDS; i++) sum += (double)(behind[i] - before[i]) * work->unequal.factor[i];
    return fmax(sum, 1e-3);
}

/* How much of the task may come before what it follows has ended. */
static double share_ahead(const struct gsim_resident *r, const struct gsim_op *op, uint32_t blocks)
{
    const struct gsim_kernel *kernel = &r->front->process->space->program->kernels[op->kernel_index];
    double grid = (double)kernel->grid.x * kernel->grid.y * kernel->grid.z, bytes = kernel->dram_bytes * blocks / grid;
    if (r->plan->prefetch_kib <= 0 || bytes <= 0) return kernel->prologue;
    return fmin(1024 * r->plan->prefetch_kib / bytes, MAX_AHEAD);
}

/* What the op's tasks take on this worker, relative: drawn once for both, so that it stays whoever asks when. Mean
 * 1. */
static double luck(const struct gsim_resident_worker *w, uint32_t op)
{
    double cv = w->resident->plan->straggler_cv, sum = 0;
    uint64_t z = (uint64_t)op << 32 | w->index;
    if (cv <= 0) return 1;
    for (int i = 0; i < 12; i++) { /* the sum of twelve is nearly normal */
        uint64_t x = z += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
        x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
        sum += (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
    }
    return fmax(0.1, 1 + cv * (sum - 6));
}

static struct gsim_kernel_run *put_on_sm(struct gsim_resident_worker *w, struct gsim_command *command, uint32_t task,
                                         bool is_early, bool *has_room)
{
    struct gsim_resident *r = w->resident;
    struct gsim_device *d = r->front->device;
    const struct gsim_resident_op *op = &r->ops[r->op_of[task]];
    const struct gsim_op *its = r->plan->ops[op - r->ops];
    const struct gsim_demand *work = gsim_device_work(d, its->kernel_index);
    uint32_t first = (task - op->first_task) * op->task_blocks, left = op->block_count - first;
    uint32_t count = left < op->task_blocks ? left : op->task_blocks;
    command->op = its;
    command->iteration = r->command->iteration;
    command->correlation = r->command->correlation;
    command->stream = r->command->stream;
    command->front = r->front;
    command->part = r->front->part;
    command->client = r->command->client;
    struct gsim_kernel_run *run =
        gsim_gpu_place(r->front->part->sm, d->machine->now, work, work_of(work, first, count) * luck(w, r->op_of[task]),
                       count, w->sm, is_early ? share_ahead(r, its, count) : -1, command, has_room);
    if (!run && *has_room) gsim_machine_fail(d->machine, GSIM_NOMEM, "out of memory");
    gsim_partition_changed(r->front->part);
    return run;
}

static void op_starts(struct gsim_resident *r, struct gsim_resident_op *op)
{
    if (op->has_started) return;
    op->has_started = true;
    op->start = gsim_resident_now(r);
    r->front->device->touched_bytes +=
        gsim_device_work(r->front->device, r->plan->ops[op - r->ops]->kernel_index)->touched_bytes;
}

static void begin_task(void *argument)
{
    struct gsim_resident_worker *w = argument;
    struct gsim_resident *r = w->resident;
    if (!gsim_resident_fires(r)) return;
    struct gsim_resident_op *op = &r->ops[r->op_of[w->task]];
    op_starts(r, op);
    if (!w->is_early) {
        GSIM_INVARIANT(!op->follows);
        count_time(r);
        r->running++;
        r->ready--;
    }
    bool has_room = true;
    w->run = put_on_sm(w, w->command, w->task, w->is_early, &has_room);
    if (!has_room)
        gsim_machine_fail(r->front->machine, GSIM_SIM,
                          "no room for a worker on SM %u: a resident kernel beside others is not simulated", w->sm);
    if (w->run && !w->is_early && r->policy->began) r->policy->began(w);
}

void gsim_resident_begin(struct gsim_resident_worker *w, uint32_t task, gsim_time time)
{
    w->task = task;
    w->is_idle = w->is_early = false;
    gsim_resident_at(w->resident, time, begin_task, w);
}

void gsim_resident_begin_early(struct gsim_resident_worker *w, uint32_t task, gsim_time time)
{
    w->task = task;
    w->is_early = true;
    gsim_resident_at(w->resident, time, begin_task, w);
}

static void let_go(void *argument)
{
    struct gsim_resident_worker *w = argument;
    struct gsim_resident *r = w->resident;
    if (!gsim_resident_fires(r)) return;
    GSIM_INVARIANT(!r->ops[r->op_of[w->task]].follows);
    count_time(r);
    r->running++;
    r->ready--;
    w->is_early = false;
    gsim_gpu_release(r->front->part->sm, gsim_resident_now(r), w->run);
    gsim_partition_changed(r->front->part);
    if (r->policy->began) r->policy->began(w);
}

bool gsim_resident_load_ahead(struct gsim_resident_worker *w, uint32_t task)
{
    bool has_room = true;
    w->ahead.task = task;
    w->ahead.run = put_on_sm(w, w->ahead.command, task, true, &has_room);
    if (w->ahead.run) op_starts(w->resident, &w->resident->ops[w->resident->op_of[task]]);
    return w->ahead.run != NULL;
}

void gsim_resident_take_ahead(struct gsim_resident_worker *w)
{
    struct gsim_command *command = w->command;
    w->command = w->ahead.command;
    w->ahead.command = command;
    w->run = w->ahead.run;
    w->ahead.run = NULL;
    w->task = w->ahead.task;
    w->is_early = true;
    w->is_idle = false;
}

void gsim_resident_let_go(struct gsim_resident_worker *w, gsim_time time)
{
    gsim_resident_at(w->resident, time, let_go, w);
}

/* --- the launch --------------------------------------------------------------------------------------------------- */

/* WHEN: the first tasks may begin. */
static void reset(struct gsim_resident *r, gsim_time when)
{
    for (uint32_t i = 0; i < r->op_count; i++) {
        struct gsim_resident_op *op = &r->ops[i];
        op->unfinished = op->unannounced = op->untold = op->unplaced = op->task_count;
        op->follows = op->waits_for = r->plan->after_start[i + 1] - r->plan->after_start[i];
        op->has_started = false;
        op->visible = GSIM_TIME_NEVER;
        op->waiting = NULL;
    }
    for (uint32_t i = 0; i < r->worker_count; i++) {
        struct gsim_resident_worker *w = &r->workers[i];
        *w = (struct gsim_resident_worker){.resident = r,
                                           .index = i,
                                           .sm = w->sm,
                                           .command = w->command,
                                           .ahead.command = w->ahead.command,
                                           .time = gsim_resident_now(r),
                                           .position = i};
        w->slots_tail = &w->slots;
        w->reports_tail = &w->reports;
    }
    for (uint32_t i = 0; i < r->server_count; i++) {
        struct gsim_resident_server *s = &r->servers[i];
        s->next_worker = s->batch_count = 0;
        s->is_asleep = false;
        s->free = s->wake = when;
    }
    r->tasks_left = r->task_count;
    r->running = r->ready = r->taken = r->arrived = r->phase = r->queue_first = r->queue_count = r->next_server =
        r->staged = 0;
    r->busy_ps = r->late_ps = r->limited_ps = r->late_makespan_ps = 0;
    if (r->is_placed) memset(r->is_placed, GSIM_RESIDENT_UNPLACED, r->task_count);
    r->counted = r->start = gsim_resident_now(r);
    r->word_free = when;
    r->waiting = NULL;
    r->waiting_tail = &r->waiting;
}

static void first_tasks(void *argument)
{
    struct gsim_resident *r = argument;
    if (!gsim_resident_fires(r)) return;
    for (uint32_t i = 0; i < r->op_count; i++)
        if (!r->ops[i].follows) op_is_ready(r, &r->ops[i]);
    r->policy->begin(r);
}

static void begin_launch(struct gsim_resident *r)
{
    r->all->running = r;
    gsim_time when = gsim_managed_take_all(r->front->device, r->command, r->plan->ops, r->op_count);
    reset(r, when);
    gsim_resident_at(r, when, r->task_count ? first_tasks : launch_ended, r);
}

/* The one of the command's plan that is not running. NULL: the run has failed. */
static struct gsim_resident *of_command(const struct gsim_command *command)
{
    struct gsim_front *f = command->front;
    struct gsim_residents *all = f->resident;
    if (!all && !(f->resident = all = GSIM_ARENA_NEW(&f->machine->arena, struct gsim_residents))) {
        gsim_machine_fail(f->machine, GSIM_NOMEM, "out of memory");
        return NULL;
    }
    for (struct gsim_resident **idle = &all->idle; *idle; idle = &(*idle)->next) {
        struct gsim_resident *r = *idle;
        if (r->plan != command->argument) continue;
        *idle = r->next;
        return r;
    }
    struct gsim_resident *r = gsim_resident_of_plan(f, command->argument);
    if (r) r->all = all;
    return r;
}

static void launch(struct gsim_command *command)
{
    struct gsim_resident *r = of_command(command);
    if (!r) return;
    r->command = command;
    r->next = NULL;
    if (!r->all->running) {
        begin_launch(r);
        return;
    }
    struct gsim_resident **last = &r->all->waiting;
    while (*last) last = &(*last)->next;
    *last = r;
}

const struct gsim_command_class gsim_resident_class = {.start = launch}, gsim_resident_task = {.over = task_over};
