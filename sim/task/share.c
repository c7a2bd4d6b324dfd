/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sharing policies on the machine (include/gpusim/task.h). */
#include "sim/task/task.h"

#include <stddef.h>

/* A launch as the machine knows it. */
struct held_kernel {
    struct gsim_share_kernel kernel; /* first */
    struct gsim_policy *policy;
    struct gsim_command *command;
    bool is_submitted;       /* it is with those below */
    uint64_t release;        /* counts the times that it was released */
    struct held_kernel *next_free;
};

struct policy_timer {
    struct gsim_policy *policy;
    void *argument;
    struct held_kernel *kernel; /* to be submitted, if RELEASE is its last */
    uint64_t release;
    struct policy_timer *next_free;
};

struct gsim_policy {
    struct gsim_arbiter arbiter; /* first */
    struct gsim_share share;
    struct gsim_tasks *tasks;
    struct gsim_machine *machine;
    struct gsim_arbiter *below;
    const struct gsim_sharing_ops *ops;
    uint32_t *identity;          /* by kernel index; kernels that are drawn are behind them */
    uint32_t identity_count;
    bool *is_first;              /* by task: no kernel of the request has come yet */
    struct stream_place {
        uint32_t *streams;
        size_t count, capacity;
    } *places;                   /* by task: its streams, by place */
    uint64_t number;
    struct gsim_arena arena;
    struct held_kernel *free_kernels;
    struct policy_timer *free_timers;
};

static struct gsim_policy *policy_of(struct gsim_share *share)
{
    return (struct gsim_policy *)((char *)share - offsetof(struct gsim_policy, share));
}
static struct held_kernel *held_of(struct gsim_command *command) { return command->held; }

/* Commands behind a held kernel stay in the client's stream and do not block the hardware queue. */
static void hold(struct held_kernel *h, bool is_held)
{
    if (!h->command->graph_run) gsim_front_hold(h->command->front, h->command->stream, is_held);
}

/* --- timers ------------------------------------------------------------------------------------------------- */

static void pass_on(struct held_kernel *h)
{
    struct gsim_policy *p = h->policy;
    h->is_submitted = true;
    h->command->priority = h->kernel.priority;
    if (p->below) p->below->ready(p->below, h->command);
    else gsim_front_submit(h->command);
}

static void fire(void *argument)
{
    struct policy_timer *t = argument;
    struct gsim_policy *p = t->policy;
    struct policy_timer now = *t;
    t->next_free = p->free_timers;
    p->free_timers = t;
    if (!now.kernel)
        p->ops->timer(&p->share, now.argument);
    else if (now.kernel->release == now.release && now.kernel->kernel.state == GSIM_SHARE_RELEASED)
        pass_on(now.kernel);
}

static void add_timer(struct gsim_policy *p, gsim_time at, const struct policy_timer *timer)
{
    struct policy_timer *t = p->free_timers;
    if (t)
        p->free_timers = t->next_free;
    else if (!(t = GSIM_ARENA_NEW(&p->arena, struct policy_timer))) {
        gsim_machine_fail(p->machine, GSIM_NOMEM, "out of memory");
        return;
    }
    *t = *timer;
    t->policy = p;
    gsim_machine_at(p->machine, at < p->machine->now ? p->machine->now : at, fire, t);
}

/* --- actions ------------------------------------------------------------------------------------------------ */

static double do_now_us(struct gsim_share *share) { return gsim_time_us(policy_of(share)->machine->now); }

static void do_release(struct gsim_share *share, struct gsim_share_kernel *kernel, double delay_us)
{
    struct gsim_policy *p = policy_of(share);
    struct held_kernel *h = (struct held_kernel *)kernel;
    if (kernel->state != GSIM_SHARE_HELD) return;
    kernel->state = GSIM_SHARE_RELEASED;
    hold(h, false);
    struct policy_timer timer = {.kernel = h, .release = ++h->release};
    add_timer(p, p->machine->now + gsim_time_from_us(delay_us), &timer);
}

static void do_pause(struct gsim_share *share, struct gsim_share_kernel *kernel)
{
    struct gsim_policy *p = policy_of(share);
    struct held_kernel *h = (struct held_kernel *)kernel;
    if (!h->command->run || !gsim_gpu_pause(h->command->part->sm, p->machine->now, h->command->run)) return;
    gsim_partition_changed(h->command->part);
    if (gsim_gpu_is_drained(h->command->run) && p->ops->paused) p->ops->paused(share, kernel);
}

static void do_go_on(struct gsim_share *share, struct gsim_share_kernel *kernel)
{
    struct gsim_policy *p = policy_of(share);
    struct held_kernel *h = (struct held_kernel *)kernel;
    if (!h->command->run) return;
    gsim_gpu_go_on(h->command->part->sm, p->machine->now, h->command->run);
    gsim_partition_changed(h->command->part);
}

/* One that is still on its way simply does not arrive. */
static void do_kill(struct gsim_share *share, struct gsim_share_kernel *kernel)
{
    struct held_kernel *h = (struct held_kernel *)kernel;
    (void)share;
    if (kernel->state == GSIM_SHARE_HELD) return;
    if (h->is_submitted && !h->command->run) return; /* a context below holds it: it has not begun */
    if (h->command->run) gsim_front_kill(h->command);
    h->is_submitted = false;
    kernel->state = GSIM_SHARE_HELD;
    hold(h, true);
}

static void do_timer(struct gsim_share *share, double at_us, void *argument)
{
    struct policy_timer timer = {.argument = argument};
    add_timer(policy_of(share), gsim_time_from_us(at_us), &timer);
}

static void do_give(struct gsim_share *share, uint32_t task)
{
    struct gsim_policy *p = policy_of(share);
    if (p->below) gsim_slices_give(&p->tasks->slices, p->tasks->states[task].process->fronts[0]->context);
}

static uint32_t do_behind(struct gsim_share *share, const struct gsim_share_kernel *kernel)
{
    const struct gsim_command *command = ((const struct held_kernel *)kernel)->command;
    const struct gsim_stream_state *stream = &command->front->process->streams[command->stream];
    (void)share;
    return (uint32_t)(stream->issued - stream->completed) - 1;
}

static const struct gsim_share_actions actions = {do_now_us, do_release, do_pause,  do_go_on,
                                                  do_kill,   do_timer,   do_behind, do_give};

/* --- what happens -------------------------------------------------------------------------------------------- */

static uint32_t place_of(struct gsim_policy *p, uint32_t task, uint32_t stream)
{
    struct stream_place *s = &p->places[task];
    for (size_t i = 0; i < s->count; i++)
        if (s->streams[i] == stream) return (uint32_t)i;
    if (gsim_array_grow(&s->streams, sizeof *s->streams, s->count, &s->capacity)) {
        gsim_machine_fail(p->machine, GSIM_NOMEM, "out of memory");
        return 0;
    }
    s->streams[s->count] = stream;
    return (uint32_t)s->count++;
}

static void policy_ready(struct gsim_arbiter *arbiter, struct gsim_command *command)
{
    struct gsim_policy *p = (struct gsim_policy *)arbiter;
    struct held_kernel *h = p->free_kernels;
    if (h)
        p->free_kernels = h->next_free;
    else if (!(h = GSIM_ARENA_NEW(&p->arena, struct held_kernel))) {
        gsim_machine_fail(p->machine, GSIM_NOMEM, "out of memory");
        return;
    }
    uint32_t task = command->client->task;
    *h = (struct held_kernel){
        .policy = p, .command = command, .release = h->release}; /* its former life's timers do not count */
    h->kernel = (struct gsim_share_kernel){
        .task = task,
        .stream = place_of(p, task, command->stream),
        .identity = command->op->kernel_index < p->identity_count ? p->identity[command->op->kernel_index]
                                                                  : command->op->kernel_index,
        .op = command->op,
        .kernel = &p->tasks->set->all.kernels[command->op->kernel_index],
        .is_first = p->is_first[task],
        .ready_us = gsim_time_us(p->machine->now),
        .priority = command->priority,
        .number = p->number++,
    };
    p->is_first[task] = false;
    command->held = h;
    hold(h, true);
    p->ops->ready(&p->share, &h->kernel);
}

static void policy_started(struct gsim_arbiter *arbiter, struct gsim_command *command)
{
    struct gsim_policy *p = (struct gsim_policy *)arbiter;
    struct held_kernel *h = held_of(command);
    h->kernel.state = GSIM_SHARE_RUNNING;
    h->kernel.start_us = gsim_time_us(p->machine->now);
    if (p->below && p->below->started) p->below->started(p->below, command);
    if (p->ops->started) p->ops->started(&p->share, &h->kernel);
}

static void policy_ended(struct gsim_arbiter *arbiter, struct gsim_command *command)
{
    struct gsim_policy *p = (struct gsim_policy *)arbiter;
    struct held_kernel *h = held_of(command);
    if (p->below && p->below->ended) p->below->ended(p->below, command);
    if (p->ops->ended) p->ops->ended(&p->share, &h->kernel);
    h->release++;
    h->next_free = p->free_kernels;
    p->free_kernels = h;
}

static void policy_drained(struct gsim_arbiter *arbiter, struct gsim_command *command)
{
    struct gsim_policy *p = (struct gsim_policy *)arbiter;
    if (p->ops->paused) p->ops->paused(&p->share, &held_of(command)->kernel);
}

void gsim_policy_request(struct gsim_policy *p, uint32_t task, bool begins)
{
    void (*tell)(struct gsim_share *, uint32_t) = begins ? p->ops->request_began : p->ops->request_ended;
    if (begins) p->is_first[task] = true;
    if (tell) tell(&p->share, task);
}

void gsim_policy_task_ended(struct gsim_policy *p, uint32_t task)
{
    if (p->ops->task_ended) p->ops->task_ended(&p->share, task);
}

/* --- life ---------------------------------------------------------------------------------------------------- */

enum gsim_status gsim_policy_open(struct gsim_tasks *tasks, struct gsim_arbiter *below, struct gsim_error *error)
{
    struct gsim_machine *m = tasks->machine;
    struct gsim_policy *p = tasks->policy = gsim_alloc(sizeof *p);
    if (!p) return gsim_no_memory(error);
    *p = (struct gsim_policy){.arbiter = {policy_ready, policy_started, policy_ended, policy_drained},
                              .tasks = tasks,
                              .machine = m,
                              .below = below,
                              .ops = tasks->ops};
    p->identity_count = tasks->set->all.kernel_count;
    p->identity = GSIM_ARENA_ARRAY(&p->arena, uint32_t, tasks->set->all.kernel_count + 1);
    p->is_first = GSIM_ARENA_ARRAY(&p->arena, bool, tasks->count);
    p->places = GSIM_ARENA_ARRAY(&p->arena, struct stream_place, tasks->count);
    if (p->arena.failed) return gsim_no_memory(error);
    gsim_task_set_identify(tasks->set, p->identity);
    p->share = (struct gsim_share){.actions = &actions,
                                   .tasks = tasks->set->tasks,
                                   .task_count = tasks->count,
                                   .params = tasks->params,
                                   .device = gsim_device_facts(m->simulation->device),
                                   .profile = m->simulation->profile,
                                   .arena = &p->arena};
    return gsim_share_start(&p->share, tasks->ops, error);
}

struct gsim_arbiter *gsim_policy_arbiter(struct gsim_policy *p) { return &p->arbiter; }

void gsim_policy_close(struct gsim_policy *p)
{
    if (!p) return;
    for (uint32_t i = 0; p->places && i < p->tasks->count; i++) gsim_free(p->places[i].streams);
    gsim_arena_release(&p->arena);
    gsim_free(p);
}
