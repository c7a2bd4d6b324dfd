/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A policy among tasks on real launches (traces/runner/share/policy.h). A launch's turn has come when those before it
 * in its stream are done; where something else is ahead of it, when the GPU says so. That it runs is taken from its
 * release: nobody sees its start. What a policy charges for a decision is not waited for, since here a decision takes
 * the time it takes.
 */
#include "traces/runner/share/policy.h"

#include <stddef.h>
#include <string.h>

struct held_kernel {
    struct gsim_share_kernel kernel; /* first */
    struct gsim_ledger_stream *stream;
    uint32_t launch;                 /* its number in the stream */
    struct held_kernel *next_free;
};

struct policy_timer {
    double at_us;
    void *argument;
};

struct seen_stream {
    uint32_t done;              /* told to the policy */
    struct held_kernel *head;   /* whose turn has come */
};

struct gsim_ledger_policy {
    struct gsim_share share;
    struct gsim_ledger_policy_setup setup;
    uint32_t *identity, *first_kernel;          /* by kernel of all; by task */
    struct seen_stream (*streams)[GSIM_LEDGER_STREAMS];
    uint32_t *began, *ended;                    /* by task: told to the policy */
    bool *is_first, *is_over;                   /* by task: no kernel of its request has come; told that it has ended */
    uint64_t number;
    struct gsim_arena arena;
    struct held_kernel *free_kernels;
    struct policy_timer *timers;
    size_t timer_count, timer_capacity;
    struct gsim_error error;
};

static struct gsim_ledger_policy *policy_of(struct gsim_share *share)
{
    return (struct gsim_ledger_policy *)((char *)share - offsetof(struct gsim_ledger_policy, share));
}

/* --- actions ------------------------------------------------------------------------------------------------ */

static double do_now_us(struct gsim_share *share)
{
    return policy_of(share)->setup.now_us(policy_of(share)->setup.clock);
}

static void do_release(struct gsim_share *share, struct gsim_share_kernel *kernel, double delay_us)
{
    struct held_kernel *h = (struct held_kernel *)kernel;
    (void)share;
    (void)delay_us;
    if (kernel->state != GSIM_SHARE_HELD) return;
    kernel->state = GSIM_SHARE_RELEASED;
    atomic_store_explicit(&h->stream->open, h->launch, memory_order_release);
}

static void refuse(struct gsim_share *share, const char *what)
{
    struct gsim_ledger_policy *p = policy_of(share);
    if (!p->error.status)
        gsim_error_set(&p->error, GSIM_USAGE, "--share %s: it %s, which a GPU's driver does not do", p->setup.ops->name,
                       what);
}

static void do_pause(struct gsim_share *share, struct gsim_share_kernel *kernel)
{
    (void)kernel;
    refuse(share, "pauses a kernel that runs");
}

static void do_go_on(struct gsim_share *share, struct gsim_share_kernel *kernel)
{
    (void)kernel;
    refuse(share, "resumes a kernel that was paused");
}

static void do_kill(struct gsim_share *share, struct gsim_share_kernel *kernel)
{
    if (kernel->state != GSIM_SHARE_HELD) refuse(share, "takes back a kernel that it let go");
}

static void do_timer(struct gsim_share *share, double at_us, void *argument)
{
    struct gsim_ledger_policy *p = policy_of(share);
    (void)GSIM_APPEND(p->timers, p->timer_count, p->timer_capacity, (struct policy_timer){at_us, argument});
}

static uint32_t do_behind(struct gsim_share *share, const struct gsim_share_kernel *kernel)
{
    const struct held_kernel *h = (const struct held_kernel *)kernel;
    uint32_t issued = atomic_load_explicit(&h->stream->issued, memory_order_acquire);
    (void)share;
    return issued > h->launch ? issued - h->launch : 0;
}

/* Whose the SMs are is the driver's business. */
static void do_give(struct gsim_share *share, uint32_t task)
{
    (void)share;
    (void)task;
}

static const struct gsim_share_actions actions = {do_now_us, do_release, do_pause,  do_go_on,
                                                  do_kill,   do_timer,   do_behind, do_give};

/* --- what happens -------------------------------------------------------------------------------------------- */

static void kernel_started(struct gsim_ledger_policy *p, struct held_kernel *h)
{
    if (h->kernel.state != GSIM_SHARE_RELEASED) return;
    h->kernel.state = GSIM_SHARE_RUNNING;
    h->kernel.start_us = do_now_us(&p->share);
    if (p->setup.ops->started) p->setup.ops->started(&p->share, &h->kernel);
}

static void kernel_ended(struct gsim_ledger_policy *p, struct seen_stream *seen)
{
    struct held_kernel *h = seen->head;
    seen->head = NULL;
    seen->done++;
    if (!h) return;
    kernel_started(p, h); /* it may have begun and ended between two looks */
    if (p->setup.ops->ended) p->setup.ops->ended(&p->share, &h->kernel);
    h->next_free = p->free_kernels;
    p->free_kernels = h;
}

static void see_ends(struct gsim_ledger_policy *p, uint32_t task)
{
    struct gsim_ledger_task *t = &p->setup.ledger->tasks[task];
    uint32_t count = t->stream_count;
    for (uint32_t s = 0; s < count; s++) {
        uint32_t done = atomic_load_explicit(&t->streams[s].done, memory_order_acquire);
        while (p->streams[task][s].done < done) kernel_ended(p, &p->streams[task][s]);
    }
}

/* Beginnings and ends of requests; an end comes behind the ends of the request's kernels. */
static void see_requests(struct gsim_ledger_policy *p, uint32_t task)
{
    const struct gsim_sharing_ops *ops = p->setup.ops;
    struct gsim_ledger_task *t = &p->setup.ledger->tasks[task];
    uint32_t ended = t->ended, began = t->began;
    while (p->began[task] < began || p->ended[task] < ended) {
        if (p->began[task] == p->ended[task]) {
            p->began[task]++;
            p->is_first[task] = true;
            if (ops->request_began) ops->request_began(&p->share, task);
        } else if (p->ended[task] < ended) {
            see_ends(p, task);
            p->ended[task]++;
            if (ops->request_ended) ops->request_ended(&p->share, task);
        } else {
            return;
        }
    }
}

/* Its last request has been told. */
static void record_end(struct gsim_ledger_policy *p, uint32_t task)
{
    bool is_done = p->setup.ledger->tasks[task].state == GSIM_LEDGER_DONE;
    see_requests(p, task);
    if (!is_done || p->is_over[task]) return;
    p->is_over[task] = true;
    if (p->setup.ops->task_ended) p->setup.ops->task_ended(&p->share, task);
}

static struct held_kernel *new_kernel(struct gsim_ledger_policy *p)
{
    struct held_kernel *h = p->free_kernels;
    if (h) p->free_kernels = h->next_free;
    return h ? h : GSIM_ARENA_NEW(&p->arena, struct held_kernel);
}

/* The launch NUMBER of the stream is at its head. */
static void kernel_ready(struct gsim_ledger_policy *p, uint32_t task, uint32_t stream, uint32_t number)
{
    struct gsim_ledger_stream *s = &p->setup.ledger->tasks[task].streams[stream];
    const struct gsim_ledger_slot *slot = gsim_ledger_slot_at(s, number);
    struct held_kernel *h = new_kernel(p);
    uint32_t kernel = p->first_kernel[task] + slot->kernel;
    *h = (struct held_kernel){.stream = s, .launch = number};
    h->kernel = (struct gsim_share_kernel){
        .task = task,
        .stream = stream,
        .identity = p->identity[kernel],
        .op = &p->setup.set->all.ops[p->setup.set->first_op[task] + slot->op],
        .kernel = &p->setup.set->all.kernels[kernel],
        .is_first = p->is_first[task],
        .ready_us = do_now_us(&p->share),
        .priority = slot->priority,
        .number = p->number++,
    };
    p->is_first[task] = false;
    p->streams[task][stream].head = h;
    p->setup.ops->ready(&p->share, &h->kernel);
}

static void see_launches(struct gsim_ledger_policy *p, uint32_t task)
{
    struct gsim_ledger_task *t = &p->setup.ledger->tasks[task];
    uint32_t count = t->stream_count;
    for (uint32_t s = 0; s < count; s++) {
        struct gsim_ledger_stream *stream = &t->streams[s];
        struct seen_stream *seen = &p->streams[task][s];
        uint32_t issued = atomic_load_explicit(&stream->issued, memory_order_acquire), next = seen->done + 1;
        if (!seen->head && next <= issued) {
            bool is_marked = gsim_ledger_slot_at(stream, next)->is_marked;
            if (is_marked && atomic_load_explicit(&stream->reached, memory_order_acquire) < next) continue;
            see_requests(p, task);
            kernel_ready(p, task, s, next);
        } else if (seen->head) {
            kernel_started(p, seen->head);
        }
    }
}

static void see_timers(struct gsim_ledger_policy *p)
{
    if (!p->timer_count) return;
    double now = do_now_us(&p->share);
    for (size_t i = 0; i < p->timer_count;) {
        struct policy_timer timer = p->timers[i];
        if (timer.at_us > now) {
            i++;
            continue;
        }
        p->timers[i] = p->timers[--p->timer_count];
        if (p->setup.ops->timer) p->setup.ops->timer(&p->share, timer.argument);
    }
}

bool gsim_ledger_policy_look(struct gsim_ledger_policy *p, struct gsim_error *error)
{
    for (uint32_t i = 0; i < p->share.task_count; i++) {
        see_ends(p, i);
        record_end(p, i);
        see_launches(p, i);
    }
    see_timers(p);
    if (!p->error.status) return true;
    gsim_error_set(error, p->error.status, "%s", p->error.message);
    return false;
}

/* --- life ---------------------------------------------------------------------------------------------------- */

enum gsim_status gsim_ledger_policy_check(const struct gsim_sharing_ops *ops, const void *params,
                                          const struct gsim_share_settings *settings, struct gsim_error *error)
{
    if (settings->mechanism == GSIM_MECHANISM_PARTITION)
        return gsim_error_set(
            error, GSIM_USAGE,
            "--share %s: the runner gives no task SMs of its own; --share mps with percentage= caps them", ops->name);
    const struct gsim_param *level = strcmp(ops->name, "xsched") == 0 ? gsim_params_find(ops->params, "level") : NULL;
    if (level && gsim_params_get(level, params) != 1)
        return gsim_error_set(error, GSIM_USAGE,
                              "--share %s: a GPU's driver takes no launch back: expected --opt xsched.level=1",
                              ops->name);
    if (strcmp(ops->name, "reef") == 0 || strcmp(ops->name, "tally") == 0)
        return gsim_error_set(error, GSIM_USAGE,
                              "--share %s: it stops kernels that run, which a GPU's driver does not do", ops->name);
    return GSIM_OK;
}

enum gsim_status gsim_ledger_policy_open(const struct gsim_ledger_policy_setup *setup,
                                         struct gsim_ledger_policy **policy, struct gsim_error *error)
{
    const struct gsim_task_set *set = setup->set;
    uint32_t count = set->count;
    struct gsim_ledger_policy *p = *policy = gsim_alloc(sizeof *p);
    *p = (struct gsim_ledger_policy){.setup = *setup};
    p->identity = GSIM_ARENA_ARRAY(&p->arena, uint32_t, set->all.kernel_count + 1);
    p->first_kernel = GSIM_ARENA_ARRAY(&p->arena, uint32_t, count);
    p->streams = gsim_arena_alloc(&p->arena, sizeof *p->streams * count);
    p->began = GSIM_ARENA_ARRAY(&p->arena, uint32_t, count);
    p->ended = GSIM_ARENA_ARRAY(&p->arena, uint32_t, count);
    p->is_first = GSIM_ARENA_ARRAY(&p->arena, bool, count);
    p->is_over = GSIM_ARENA_ARRAY(&p->arena, bool, count);
    memset(p->streams, 0, sizeof *p->streams * count);
    gsim_task_set_identify(set, p->identity);
    for (uint32_t i = 1; i < count; i++)
        p->first_kernel[i] = p->first_kernel[i - 1] + set->tasks[i - 1].program->kernel_count;
    p->share = (struct gsim_share){.actions = &actions,
                                   .tasks = set->tasks,
                                   .task_count = count,
                                   .params = setup->params,
                                   .device = setup->device,
                                   .profile = setup->profile,
                                   .arena = &p->arena};
    return gsim_share_start(&p->share, setup->ops, error);
}

uint64_t gsim_ledger_policy_decisions(const struct gsim_ledger_policy *p) { return p->share.decisions; }

void gsim_ledger_policy_close(struct gsim_ledger_policy *p)
{
    if (!p) return;
    gsim_free(p->timers);
    gsim_arena_release(&p->arena);
    gsim_free(p);
}
