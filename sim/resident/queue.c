/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Modes that give ready tasks to workers. Queue: the worker that ends the last predecessor pushes the task; idle
 * workers take tickets, in order. Scheduler warps: they get reports of ends and push the released tasks to their
 * workers, round robin. The thread that ended a task updates its successors' counters one after another, so a wide
 * fan-out takes long.
 */
#include "sim/resident/resident.h"

/* --- counters ---------------------------------------------------------------------------------------------------- */

/* The worker has updated a counter at its time; goes on to the next of its op's followers, or says that there is none
 * left. */
static bool update_next(struct gsim_resident_worker *w)
{
    struct gsim_resident *r = w->resident;
    uint32_t index = r->op_of[w->task], first = r->follower_start[index], count = r->follower_start[index + 1] - first;
    if (w->next_follower) { /* it has just updated the one before */
        struct gsim_resident_op *op = &r->ops[r->followers[first + w->next_follower - 1]];
        if (!--op->waits_for) r->policy->release(w, op);
    }
    if (w->next_follower >= count) return false;
    w->next_follower++;
    w->time += r->costs.update;
    return true;
}

/* The worker's task has been announced: is it the op's last? The others have counted on one word of the op. */
static bool is_last_of_op(struct gsim_resident_worker *w)
{
    struct gsim_resident_op *op = &w->resident->ops[w->resident->op_of[w->task]];
    if (op->task_count > 1) w->time += w->resident->costs.update;
    return --op->unannounced == 0;
}

static void updated(void *argument)
{
    struct gsim_resident_worker *w = argument;
    if (!gsim_resident_worker_fires(w)) return;
    if (update_next(w)) gsim_resident_at(w->resident, w->time, updated, w);
    else w->resident->policy->next(w);
}

static void announced(void *argument)
{
    struct gsim_resident_worker *w = argument;
    if (!gsim_resident_worker_fires(w)) return;
    w->next_follower = 0;
    if (is_last_of_op(w)) gsim_resident_at(w->resident, w->time, updated, w);
    else w->resident->policy->next(w);
}

static void announce(struct gsim_resident_worker *w)
{
    gsim_resident_at(w->resident, w->time + w->resident->costs.fence, announced, w);
}

/* Of ops that follow nothing, in the preset order. */
static bool next_root(const struct gsim_resident *r, uint32_t *at, uint32_t *task)
{
    for (; *at < r->task_count; ++*at) {
        const struct gsim_resident_op *op = gsim_resident_op_of(r, r->sequence[*at]);
        if (op->waits_for) continue;
        *task = r->sequence[(*at)++];
        return true;
    }
    return false;
}

/* --- queue -------------------------------------------------------------------------------------------------------- */

static void start_from_queue(struct gsim_resident_worker *w, uint32_t task, gsim_time since)
{
    gsim_time time = w->time > since + w->resident->costs.handoff ? w->time : since + w->resident->costs.handoff;
    gsim_resident_begin(w, task, time + w->resident->costs.fetch);
}

static void has_ticket(void *argument)
{
    struct gsim_resident_worker *w = argument;
    struct gsim_resident *r = w->resident;
    if (!gsim_resident_worker_fires(w)) return;
    if (r->queue_first < r->queue_count) {
        uint32_t at = r->queue_first++;
        start_from_queue(w, r->queue[at], r->queue_since[at]);
        return;
    }
    w->next_waiting = NULL;
    *r->waiting_tail = w;
    r->waiting_tail = &w->next_waiting;
}

static void request_ticket(struct gsim_resident_worker *w)
{
    struct gsim_resident *r = w->resident;
    gsim_resident_at(r, gsim_resident_atomic(r, w->time) + r->costs.take, has_ticket, w);
}

static void push(struct gsim_resident *r, uint32_t task, gsim_time since)
{
    struct gsim_resident_worker *w = r->waiting;
    if (!w) {
        r->queue[r->queue_count] = task;
        r->queue_since[r->queue_count++] = since;
        return;
    }
    r->waiting = w->next_waiting;
    if (!r->waiting) r->waiting_tail = &r->waiting;
    start_from_queue(w, task, since);
}

static void push_op(struct gsim_resident_worker *w, struct gsim_resident_op *op)
{
    struct gsim_resident *r = w->resident;
    for (uint32_t t = 0; t < op->task_count; t++) {
        if (t % 32 == 0) w->time += r->costs.push;
        push(r, op->first_task + t, w->time);
    }
}

static void queue_begin(struct gsim_resident *r)
{
    uint32_t at = 0, task;
    while (next_root(r, &at, &task)) push(r, task, gsim_resident_now(r) - r->costs.handoff);
    for (uint32_t i = 0; i < r->worker_count; i++) request_ticket(&r->workers[i]);
}

const struct gsim_resident_policy gsim_resident_queue = {
    .begin = queue_begin, .ended = announce, .next = request_ticket, .release = push_op};

/* --- scheduler warps --- */

/* The first task that the worker was given, if it is idle. */
static void next_of_slots(struct gsim_resident_worker *w)
{
    struct gsim_resident *r = w->resident;
    w->is_idle = !w->slots;
    if (w->is_idle) return;
    gsim_time visible = w->slots->visible, time = w->time + r->costs.take;
    gsim_resident_begin(w, gsim_resident_take(w), (time > visible ? time : visible) + r->costs.fetch);
}

/* The server gets the op's tasks at TIME and pushes them, one after the other. */
static void push_to_workers(struct gsim_resident_server *s, uint32_t task, gsim_time time)
{
    struct gsim_resident *r = s->resident;
    struct gsim_resident_worker *w = &r->workers[s->first_worker + s->next_worker];
    s->next_worker = (s->next_worker + 1) % s->worker_count;
    s->free = (s->free > time ? s->free : time) + r->costs.scheduler;
    if (!gsim_resident_give(w, task, s->free + r->costs.handoff)) return;
    if (w->is_idle) next_of_slots(w);
}

static struct gsim_resident_server *next_server(struct gsim_resident *r)
{
    struct gsim_resident_server *s = &r->servers[r->next_server];
    r->next_server = (r->next_server + 1) % r->server_count;
    return s;
}

/* An op of many tasks goes to all schedulers, each of which pushes its share. */
static void tell_schedulers(struct gsim_resident_worker *w, struct gsim_resident_op *op)
{
    struct gsim_resident *r = w->resident;
    bool is_massive = op->task_count > r->server_count;
    struct gsim_resident_server *s = next_server(r);
    for (uint32_t t = 0; t < op->task_count; t++) {
        push_to_workers(s, op->first_task + t, w->time + r->costs.handoff);
        if (is_massive) s = next_server(r);
    }
}

static void warps_begin(struct gsim_resident *r)
{
    uint32_t at = 0, task;
    for (uint32_t i = 0; i < r->worker_count; i++) r->workers[i].is_idle = true;
    while (next_root(r, &at, &task)) push_to_workers(next_server(r), task, gsim_resident_now(r));
}

const struct gsim_resident_policy gsim_resident_warps = {
    .begin = warps_begin, .ended = announce, .next = next_of_slots, .release = tell_schedulers};
