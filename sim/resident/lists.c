/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tasks in a preset order: assigned round robin before the launch (static; scheduler warps that bind ahead), taken from
 * a counter (claim), or level by level with a barrier of all workers. A worker polls the flags of its task's
 * predecessors one after another. The worker that ends the last task of an op sets the op's flag.
 */
#include "sim/resident/resident.h"

/* --- waiting for what a task follows --------------------------------------------------------------------------- */

void gsim_resident_await(struct gsim_resident_worker *w)
{
    struct gsim_resident *r = w->resident;
    const uint32_t *starts = &r->plan->after_start[r->op_of[w->task]];
    for (uint32_t count = starts[1] - starts[0]; w->next_pred < count; w->next_pred++) {
        struct gsim_resident_op *op = &r->ops[r->plan->after[starts[0] + w->next_pred]];
        if (op->visible == GSIM_TIME_NEVER) {
            w->next_waiting = op->waiting;
            op->waiting = w;
            return;
        }
        w->time += r->costs.check;
        if (w->time < op->visible) w->time = op->visible;
    }
    if (w->is_early) gsim_resident_let_go(w, w->time);
    else gsim_resident_begin(w, w->task, w->time);
}

void gsim_resident_show(struct gsim_resident_op *op, gsim_time visible)
{
    struct gsim_resident_worker *next = op->waiting;
    op->visible = visible;
    op->waiting = NULL;
    for (struct gsim_resident_worker *w = next; w; w = next) {
        next = w->next_waiting;
        gsim_resident_await(w);
    }
}

/* The last task of an op to be announced shows the op. */
static void announced(void *argument)
{
    struct gsim_resident_worker *w = argument;
    struct gsim_resident *r = w->resident;
    struct gsim_resident_op *op = &r->ops[r->op_of[w->task]];
    if (!gsim_resident_worker_fires(w)) return;
    if (!--op->unannounced) gsim_resident_show(op, w->time + r->costs.handoff);
    r->policy->next(w);
}

static void announce(struct gsim_resident_worker *w)
{
    gsim_resident_at(w->resident, w->time + w->resident->costs.fence, announced, w);
}

static void begin_all(struct gsim_resident *r)
{
    for (uint32_t i = 0; i < r->worker_count; i++) r->policy->next(&r->workers[i]);
}

/* The worker has its next task from its time on, whose flags it looks at then. */
static void await_next(struct gsim_resident_worker *w, uint32_t task)
{
    w->task = task;
    w->next_pred = 0;
    if (!w->run || !w->resident->plan->fetches_ahead) w->time += w->resident->costs.take + w->resident->costs.fetch;
    const struct gsim_op *op = w->resident->plan->ops[w->resident->op_of[task]];
    if (gsim_device_work(w->resident->front->device, op->kernel_index)->prologue > 0)
        gsim_resident_begin_early(w, task, w->time);
    gsim_resident_await(w);
}

/* --- static ---------------------------------------------------------------------------------------------------- */

static void next_of_list(struct gsim_resident_worker *w)
{
    struct gsim_resident *r = w->resident;
    if (w->position >= r->task_count) return;
    uint32_t task = r->sequence[w->position];
    w->position += r->worker_count;
    if (!w->ahead.run) {
        await_next(w, task);
        return;
    }
    gsim_resident_take_ahead(w);
    w->next_pred = 0;
    gsim_resident_await(w);
}

/* The worker's task runs: loads of the next one of its list come beside. */
static void static_began(struct gsim_resident_worker *w)
{
    struct gsim_resident *r = w->resident;
    if (r->plan->prefetch_kib <= 0 || w->position >= r->task_count) return;
    uint32_t task = r->sequence[w->position];
    const struct gsim_op *op = r->plan->ops[r->op_of[task]];
    if (gsim_device_work(r->front->device, op->kernel_index)->prologue > 0) gsim_resident_load_ahead(w, task);
}

const struct gsim_resident_policy gsim_resident_static = {
    .begin = begin_all, .ended = announce, .next = next_of_list, .began = static_began};

/* --- claim ----------------------------------------------------------------------------------------------------- */

static void claim_next(struct gsim_resident_worker *w)
{
    struct gsim_resident *r = w->resident;
    w->time = gsim_resident_atomic(r, w->time);
    if (r->taken < r->task_count) await_next(w, r->sequence[r->taken++]);
}

const struct gsim_resident_policy gsim_resident_claim = {.begin = begin_all, .ended = announce, .next = claim_next};

/* --- barrier ---------------------------------------------------------------------------------------------------- */

static void begin_phase(struct gsim_resident *r, gsim_time time);

/* The next of the worker's tasks of this level; none left: it comes to the barrier. */
static void next_of_phase(struct gsim_resident_worker *w, gsim_time time)
{
    struct gsim_resident *r = w->resident;
    w->time = time;
    if (w->position < r->phase) {
        w->task = r->sequence[w->position];
        w->position += r->worker_count;
        gsim_resident_begin(w, w->task, time + r->costs.take + r->costs.fetch);
        return;
    }
    if (++r->arrived == r->worker_count) begin_phase(r, time + r->costs.barrier);
}

static void phase_begins(void *argument)
{
    struct gsim_resident *r = argument;
    if (!gsim_resident_fires(r)) return;
    uint32_t first = r->phase, level = gsim_resident_op_of(r, r->sequence[first])->level;
    while (r->phase < r->task_count && gsim_resident_op_of(r, r->sequence[r->phase])->level == level) r->phase++;
    r->arrived = 0;
    for (uint32_t i = 0; i < r->worker_count; i++) {
        r->workers[i].position = first + i;
        next_of_phase(&r->workers[i], gsim_resident_now(r));
    }
}

static void begin_phase(struct gsim_resident *r, gsim_time time)
{
    if (r->phase < r->task_count) gsim_resident_at(r, time, phase_begins, r);
}

static void barrier_begin(struct gsim_resident *r) { begin_phase(r, gsim_resident_now(r)); }

static void barrier_ended(struct gsim_resident_worker *w) { next_of_phase(w, w->time); }

const struct gsim_resident_policy gsim_resident_barrier = {.begin = barrier_begin, .ended = barrier_ended};
