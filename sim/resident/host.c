/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Host threads give tasks to workers. Each thread sweeps over the flags of its workers, notes ends, and gives ready
 * tasks from a queue of all threads to its workers with the fewest tasks. What becomes visible during a sweep is seen
 * by the next one. Sweeps that find nothing are skipped: the machine continues at the first that finds something.
 */
#include "sim/resident/resident.h"

#define AHEAD 64u /* tasks that a thread with nothing ready looks at, to place one ahead */

static uint32_t or_one(int64_t count) { return count ? (uint32_t)count : 1; }
static uint32_t depth_of(const struct gsim_resident *r) { return or_one(r->plan->copilot.depth); }
static uint32_t batch_of(const struct gsim_resident *r) { return or_one(r->plan->copilot.batch); }

/* --- workers -------------------------------------------------------------------------------------------------- */

static void next_of_worker(struct gsim_resident_worker *w)
{
    struct gsim_resident *r = w->resident;
    const struct gsim_resident_slot *slot = w->slots;
    w->is_idle = !slot || slot->visible == GSIM_TIME_NEVER;
    if (w->is_idle) return;
    bool is_gated = slot->is_gated;
    if (w->time < slot->visible) w->time = slot->visible;
    w->time += r->costs.host_fetch;
    w->task = gsim_resident_take(w);
    w->next_pred = 0;
    if (is_gated) gsim_resident_await(w);
    else gsim_resident_begin(w, w->task, w->time);
}

/* --- sweeps --------------------------------------------------------------------------------------------------- */

static void sweep(void *server);

static void sweep_at(struct gsim_resident_server *s, gsim_time time)
{
    if (s->wake <= time && s->wake >= gsim_resident_now(s->resident)) return; /* one is due */
    s->wake = time;
    gsim_resident_at(s->resident, time, sweep, s);
}

/* Something of the sleeping thread's becomes visible at TIME: the first sweep that begins then or later. */
static void wake_at(struct gsim_resident_server *s, gsim_time time)
{
    gsim_time length = s->resident->costs.poll * s->worker_count;
    if (!s->is_asleep) return;
    if (time < s->free) time = s->free;
    if (length > 0) time = s->free + (time - s->free + length - 1) / length * length;
    sweep_at(s, time);
}

static void commit(struct gsim_resident_server *s, gsim_time *time)
{
    struct gsim_resident *r = s->resident;
    *time += r->costs.commit;
    for (uint32_t i = 0; i < s->batch_count; i++) s->batch[i]->visible = *time + r->costs.down;
    for (uint32_t i = 0; i < s->batch_count; i++)
        if (s->batch_workers[i]->is_idle) next_of_worker(s->batch_workers[i]);
    s->batch_count = 0;
}

/* Gives TASK to the worker. */
static void place(struct gsim_resident_server *s, struct gsim_resident_worker *w, uint32_t task, bool is_gated,
                  gsim_time *time)
{
    struct gsim_resident *r = s->resident;
    struct gsim_resident_slot *slot = gsim_resident_give(w, task, GSIM_TIME_NEVER);
    if (!slot) return;
    *time += r->costs.place;
    slot->is_gated = is_gated;
    w->slot_count++;
    r->is_placed[task] = GSIM_RESIDENT_PLACED;
    r->ops[r->op_of[task]].unplaced--;
    if (!s->batch_count) s->batch_since = *time;
    s->batch_workers[s->batch_count] = w;
    s->batch[s->batch_count++] = slot;
    if (s->batch_count == batch_of(r)) commit(s, time);
}

/* The host knows that all that OP follows is over. */
static void make_ready(struct gsim_resident *r, const struct gsim_resident_op *op)
{
    for (uint32_t t = op->first_task; t < op->first_task + op->task_count; t++)
        if (r->is_placed[t] != GSIM_RESIDENT_PLACED) r->queue[r->queue_count++] = t;
}

/* The end of TASK, which a worker has reported. */
static void retire_task(struct gsim_resident *r, struct gsim_resident_worker *w,
                        const struct gsim_resident_slot *report, gsim_time *time)
{
    uint32_t index = r->op_of[report->task];
    struct gsim_resident_op *op = &r->ops[index];
    *time += r->costs.retire;
    if (!report->is_passed_on) w->slot_count--;
    if (--op->unannounced) return;
    for (uint32_t i = r->follower_start[index]; i < r->follower_start[index + 1]; i++) {
        *time += r->costs.host_update;
        if (!--r->ops[r->followers[i]].waits_for) make_ready(r, &r->ops[r->followers[i]]);
    }
}

static bool retire_all(struct gsim_resident_server *s, gsim_time *time)
{
    struct gsim_resident *r = s->resident;
    gsim_time began = *time;
    bool any = false;
    for (uint32_t i = 0; i < s->worker_count; i++) {
        struct gsim_resident_worker *w = &r->workers[s->first_worker + i];
        *time += r->costs.poll;
        while (w->reports && w->reports->visible <= began) {
            struct gsim_resident_slot *report = w->reports;
            w->reports = report->next;
            if (!w->reports) w->reports_tail = &w->reports;
            retire_task(r, w, report, time);
            gsim_resident_free_slot(r, report);
            any = true;
        }
    }
    return any;
}

/* Workers of other threads hold fewer tasks than LEVEL: what is ready is theirs. */
static bool is_others_turn(const struct gsim_resident_server *s, uint32_t level)
{
    const struct gsim_resident *r = s->resident;
    if (!r->plan->copilot.is_global) return false;
    for (uint32_t i = 0; i < r->worker_count; i++)
        if (r->workers[i].slot_count < level && i - s->first_worker >= s->worker_count) return true;
    return false;
}

static bool place_ready(struct gsim_resident_server *s, gsim_time *time)
{
    struct gsim_resident *r = s->resident;
    bool any = false;
    for (uint32_t level = 0; level < depth_of(r) && r->queue_first < r->queue_count && !is_others_turn(s, level);
         level++)
        for (uint32_t i = 0; i < s->worker_count && r->queue_first < r->queue_count; i++) {
            struct gsim_resident_worker *w = &r->workers[s->first_worker + i];
            if (w->slot_count != level) continue;
            place(s, w, r->queue[r->queue_first++], false, time);
            any = true;
        }
    return any;
}

/* --- tasks placed ahead --- */

static bool may_stage(const struct gsim_resident *r, uint32_t task)
{
    const struct gsim_resident_op *op = gsim_resident_op_of(r, task);
    uint32_t index = r->op_of[task];
    if (r->is_placed[task] != GSIM_RESIDENT_UNPLACED || !op->waits_for) return false;
    for (uint32_t e = r->plan->after_start[index]; e < r->plan->after_start[index + 1]; e++)
        if (r->ops[r->plan->after[e]].unplaced) return false;
    return true;
}

/* The next task of the preset order all of whose predecessors have been placed; UINT32_MAX: none. */
static uint32_t next_to_stage(struct gsim_resident *r)
{
    while (r->staged < r->task_count && r->is_placed[r->sequence[r->staged]] != GSIM_RESIDENT_UNPLACED) r->staged++;
    for (uint32_t i = r->staged; i < r->task_count && i < r->staged + AHEAD; i++)
        if (may_stage(r, r->sequence[i])) return r->sequence[i];
    return UINT32_MAX;
}

static bool stage(struct gsim_resident_server *s, gsim_time *time)
{
    struct gsim_resident *r = s->resident;
    bool any = false;
    if (!r->plan->copilot.speculates || r->queue_first < r->queue_count) return false;
    for (uint32_t level = 0; level < depth_of(r) && !is_others_turn(s, level); level++)
        for (uint32_t i = 0; i < s->worker_count; i++) {
            struct gsim_resident_worker *w = &r->workers[s->first_worker + i];
            uint32_t task = w->slot_count == level ? next_to_stage(r) : UINT32_MAX;
            if (task == UINT32_MAX) continue;
            any = true;
            if (gsim_random_uniform(&r->front->turns) < r->plan->copilot.guess) {
                place(s, w, task, true, time);
            } else {
                *time += r->costs.place;
                r->is_placed[task] = GSIM_RESIDENT_MISPLACED;
            }
        }
    return any;
}

/* --- the loop --- */

/* When the first end that a worker of the thread's has reported becomes visible. */
static gsim_time first_report(const struct gsim_resident_server *s)
{
    gsim_time first = GSIM_TIME_NEVER;
    for (uint32_t i = 0; i < s->worker_count; i++) {
        const struct gsim_resident_worker *w = &s->resident->workers[s->first_worker + i];
        if (w->reports && w->reports->visible < first) first = w->reports->visible;
    }
    return first;
}

/* Ready tasks are left for other threads, which may have idle workers. */
static void wake_others(struct gsim_resident *r, gsim_time time)
{
    for (uint32_t i = 0; r->queue_first < r->queue_count && i < r->server_count; i++) wake_at(&r->servers[i], time);
}

static void sweep(void *argument)
{
    struct gsim_resident_server *s = argument;
    struct gsim_resident *r = s->resident;
    gsim_time time = gsim_resident_now(r);
    if (!gsim_resident_fires(r) || s->wake != time) return; /* an earlier one has come in between */
    s->is_asleep = false;
    bool any = retire_all(s, &time);
    any |= place_ready(s, &time);
    any |= stage(s, &time);
    if (s->batch_count && time >= s->batch_since + r->costs.batch) commit(s, &time);
    s->free = time;
    s->wake = -1;
    if (any) wake_others(r, time);
    if (any) {
        sweep_at(s, time);
        return;
    }
    s->is_asleep = true;
    gsim_time next = first_report(s);
    if (s->batch_count && s->batch_since + r->costs.batch < next) next = s->batch_since + r->costs.batch;
    if (next != GSIM_TIME_NEVER) wake_at(s, next);
}

/* --- the policy --- */

static void copilot_begin(struct gsim_resident *r)
{
    for (uint32_t i = 0; i < r->op_count; i++)
        if (!r->ops[i].waits_for) make_ready(r, &r->ops[i]);
    for (uint32_t i = 0; i < r->worker_count; i++) r->workers[i].is_idle = true;
    for (uint32_t i = 0; i < r->server_count; i++) {
        r->servers[i].wake = -1;
        sweep_at(&r->servers[i], gsim_resident_now(r));
    }
}

/* The only task behind the worker's, where it follows nothing else and the host has not placed it; UINT32_MAX: there is
 * none. */
static uint32_t task_to_pass_on(const struct gsim_resident_worker *w)
{
    const struct gsim_resident *r = w->resident;
    uint32_t index = r->op_of[w->task], first = r->follower_start[index];
    if (!r->plan->copilot.bypasses || w->slots || r->ops[index].task_count != 1 ||
        r->follower_start[index + 1] - first != 1)
        return UINT32_MAX;
    uint32_t next = r->followers[first];
    bool is_only = r->ops[next].task_count == 1 && r->plan->after_start[next + 1] - r->plan->after_start[next] == 1;
    return is_only && r->is_placed[r->ops[next].first_task] == GSIM_RESIDENT_UNPLACED ? r->ops[next].first_task
                                                                                      : UINT32_MAX;
}

static void announced_here(void *argument)
{
    struct gsim_resident_slot *ended = argument;
    struct gsim_resident_worker *w = ended->worker;
    struct gsim_resident *r = w->resident;
    if (!gsim_resident_fires(r)) return;
    struct gsim_resident_op *op = &r->ops[r->op_of[ended->task]];
    gsim_resident_free_slot(r, ended);
    if (!--op->untold) gsim_resident_show(op, gsim_resident_now(r) + r->costs.handoff);
}

/* Workers that wait for the op by themselves see it. */
static void tell_workers(struct gsim_resident_worker *w)
{
    struct gsim_resident *r = w->resident;
    struct gsim_resident_slot *ended = r->plan->copilot.speculates ? gsim_resident_new_slot(r, w->task, 0) : NULL;
    if (!ended) return;
    ended->worker = w;
    gsim_resident_at(r, w->time + r->costs.fence, announced_here, ended);
}

static void free_again(void *argument)
{
    struct gsim_resident_worker *w = argument;
    uint32_t task = w->next_task;
    if (!gsim_resident_worker_fires(w)) return;
    if (task == UINT32_MAX) next_of_worker(w);
    else gsim_resident_begin(w, task, w->time + w->resident->costs.check);
}

static void copilot_ended(struct gsim_resident_worker *w)
{
    struct gsim_resident *r = w->resident;
    struct gsim_resident_server *s = r->servers;
    while (w->index >= s->first_worker + s->worker_count) s++;
    tell_workers(w);
    w->next_task = task_to_pass_on(w);
    struct gsim_resident_slot *report = gsim_resident_new_slot(r, w->task, w->time + r->costs.post + r->costs.up);
    if (!report) return;
    report->is_passed_on = w->next_task != UINT32_MAX;
    if (report->is_passed_on) {
        r->is_placed[w->next_task] = GSIM_RESIDENT_PLACED;
        r->ops[r->op_of[w->next_task]].unplaced--;
    }
    *w->reports_tail = report;
    w->reports_tail = &report->next;
    wake_at(s, report->visible);
    gsim_resident_at(r, w->time + r->costs.post, free_again, w);
}

const struct gsim_resident_policy gsim_resident_copilot = {.begin = copilot_begin, .ended = copilot_ended};
