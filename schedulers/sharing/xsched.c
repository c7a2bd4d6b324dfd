/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xsched: XSched (OSDI 2025; XpuOS/xsched). Each task's launches are a queue that is ready while it has some that have
 * not ended. Highest priority first: on every change the ready queues of the highest priority go on, the others are
 * suspended. Utilisation partition: one queue at a time goes on, in a ring, for slice_us times its percentage over all
 * percentages, or until it has nothing. What suspending does is the level's: 1 lets go nothing more, so the launches
 * that were made, at most threshold, still run; 2 takes back what has not begun; 3 interrupts what runs, and another
 * context has the SMs after interrupt_us.
 *
 * Below are the driver's time slices, as XSched's processes have them; at level 3 it decides whose the SMs are. Ours: a
 * launch costs hop_us; a task's percentage= is its share, 1 where it has none; a graph's kernels are launches of their
 * own.
 */
#include "schedulers/sharing/held.h"

#define NEXT_US 3.0 /* a stream's next launch has come by then */

enum { POLICY_PRIORITY, POLICY_PARTITION };

struct xsched_params {
    int policy;
    int64_t level, threshold;
    double slice_us, hop_us, interrupt_us;
};

struct xqueue {
    struct gsim_held held;
    uint32_t released;           /* that have not ended */
    uint32_t allowed;            /* suspended at level 1: of those, how many still go */
    struct gsim_share_kernel *last; /* released, of one stream the only one */
    bool goes;
};

struct xsched {
    uint32_t owner;              /* partition */
    double slice_end;
    struct xqueue queues[];
};

GSIM_SHARE_OWN(struct xsched, struct xsched_params)

static bool is_ready(const struct xqueue *q) { return q->held.count || q->released; }

static void release_next(struct gsim_share *share, struct xqueue *q)
{
    struct gsim_share_kernel *k = gsim_held_pop(&q->held);
    q->released++;
    q->last = k;
    gsim_share_decide(share, k, params_of(share)->hop_us);
}

static void resume(struct gsim_share *share, struct xqueue *q)
{
    q->goes = true;
    while (q->held.count) release_next(share, q);
}

static void suspend(struct gsim_share *share, struct xqueue *q)
{
    const struct xsched_params *p = params_of(share);
    if (!q->goes) return;
    q->goes = false;
    q->allowed = 0;
    uint32_t behind = q->last ? gsim_share_behind(share, q->last) : 0;
    if (p->level == 1) q->allowed = behind < (uint32_t)p->threshold - 1 ? behind : (uint32_t)p->threshold - 1;
    if (p->level == 2 && q->released && q->last && q->last->state == GSIM_SHARE_RELEASED) {
        struct gsim_share_kernel *k = q->last;
        gsim_share_kill(share, k);
        if (k->state != GSIM_SHARE_HELD) return; /* its context holds it */
        q->released--;
        q->last = NULL;
        gsim_held_push(&q->held, k);
    }
}

/* Which tasks go on now: by priority. */
static void serve_priority(struct gsim_share *share)
{
    struct xsched *x = state_of(share);
    int top = GSIM_TASK_PRIORITIES;
    for (uint32_t i = 0; i < share->task_count; i++)
        if (is_ready(&x->queues[i]) && share->tasks[i].priority < top) top = share->tasks[i].priority;
    for (uint32_t i = 0; i < share->task_count; i++)
        if (share->tasks[i].priority != top) suspend(share, &x->queues[i]);
    bool is_owned = is_ready(&x->queues[x->owner]) && share->tasks[x->owner].priority == top;
    for (uint32_t i = 0; i < share->task_count; i++) {
        if (share->tasks[i].priority != top) continue;
        resume(share, &x->queues[i]);
        if (!is_owned && is_ready(&x->queues[i])) {
            x->owner = i;
            is_owned = true;
        }
    }
    if (is_owned) gsim_share_give(share, x->owner);
}

static double share_of(const struct gsim_share *share, uint32_t task)
{
    return share->tasks[task].percentage > 0 ? share->tasks[task].percentage : 1;
}

/* The next in the ring that has something. */
static void serve_partition(struct gsim_share *share)
{
    struct xsched *x = state_of(share);
    double now = gsim_share_now(share), sum = 0;
    uint32_t next = x->owner, count = share->task_count;
    if (is_ready(&x->queues[x->owner]) && now < x->slice_end) {
        resume(share, &x->queues[x->owner]);
        return;
    }
    for (uint32_t i = 1; i <= count; i++) {
        next = (x->owner + i) % count;
        if (is_ready(&x->queues[next])) break;
    }
    if (!is_ready(&x->queues[next])) return;
    for (uint32_t i = 0; i < count; i++) sum += share_of(share, i);
    if (next != x->owner) suspend(share, &x->queues[x->owner]);
    x->owner = next;
    x->slice_end = now + params_of(share)->slice_us * share_of(share, next) / sum;
    if (params_of(share)->level == 3) x->slice_end += params_of(share)->interrupt_us; /* until it has the SMs */
    gsim_share_timer(share, x->slice_end, NULL);
    gsim_share_give(share, next);
    resume(share, &x->queues[next]);
}

static void serve(struct gsim_share *share)
{
    if (params_of(share)->policy == POLICY_PRIORITY) serve_priority(share);
    else serve_partition(share);
}

static void ready(struct gsim_share *share, struct gsim_share_kernel *k)
{
    struct xqueue *q = &state_of(share)->queues[k->task];
    gsim_held_push(&q->held, k);
    if (!q->goes && q->allowed) {
        q->allowed--; /* it was launched before */
        release_next(share, q);
    }
    serve(share);
}

static void ended(struct gsim_share *share, struct gsim_share_kernel *k)
{
    struct xqueue *q = &state_of(share)->queues[k->task];
    q->released--;
    if (q->last == k) q->last = NULL;
    if (!gsim_share_behind(share, k) || is_ready(q)) serve(share);
    else
        gsim_share_timer(share, gsim_share_now(share) + NEXT_US, q); /* else the next one of its stream comes at once */
}

static void timer(struct gsim_share *share, void *argument)
{
    if (argument || gsim_share_now(share) >= state_of(share)->slice_end) serve(share);
}

static void request_ended(struct gsim_share *share, uint32_t task)
{
    (void)task;
    serve(share);
}

static void settings(const void *params, struct gsim_share_settings *s)
{
    const struct xsched_params *p = params;
    s->is_directed = p->level == 3;
    if (s->is_directed) s->switch_us = p->interrupt_us;
}

const struct gsim_sharing_ops gsim_sharing_xsched = {
    GSIM_HEAD(sharing),
    .name = "xsched",
    .summary = "highest priority first, or shares of the time, with three levels of preemption",
    .source = "XSched (OSDI 2025), XpuOS/xsched bd494cb",
    GSIM_PARAMS(struct xsched_params,
        GSIM_CHOICE(struct xsched_params, policy, POLICY_PRIORITY, 1, "priority|partition",
                    "highest priority first, or utilisation partition by the tasks' percentage="),
        GSIM_INT(struct xsched_params, level, 2, 1, 3, "",
                 "of preemption: 1 launch nothing more, 2 flush what waits, 3 interrupt"),
        GSIM_INT(struct xsched_params, threshold, 8, 1, 1024, "", "launches in flight, at most"),
        GSIM_REAL(struct xsched_params, slice_us, 5000, 100, 1e7, "us", "of the utilisation partition"),
        GSIM_REAL(struct xsched_params, hop_us, 1, 0, 1000, "us", "what a launch costs more"),
        GSIM_REAL(struct xsched_params, interrupt_us, 32, 0, 10000, "us", "level 3: from one context to the next")),
    .base.mechanism = GSIM_MECHANISM_TIMESLICE,
    .settings = settings,
    .state_size = sizeof(struct xsched),
    .task_size = sizeof(struct xqueue),
    .request_ended = request_ended,
    .ready = ready,
    .ended = ended,
    .timer = timer,
};
