/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner (by gpu.cu, and by a test on the CPU). What a worker of a resident kernel does, one thread of
 * it: one text for nvcc and for C, whose atomics and clocks worker_cuda.h and worker_cpu.h have. A fence comes between
 * a task's work and whatever says that it has ended. A worker that waits polls without sleeping, and looks at the clock
 * now and then, so that it does not wait for ever.
 */
#pragma once

#include "traces/runner/resident/tasks.h"

#ifdef __CUDACC__
#include "traces/runner/resident/worker_cuda.h"
#else
#include "traces/runner/resident/worker_cpu.h"
#endif

#define FEW_PREDS 4u /* for so many flags an acquire each costs less than a fence */

struct worker {
    const struct gsim_tasks_view *view;
    uint32_t index;
    uint64_t until_ns;
    bool gives_up;
};

WORKER_FUNCTION bool is_over(struct worker *w)
{
    uint32_t *late = &w->view->words[GSIM_TASKS_LATE * GSIM_TASKS_APART];
    if (worker_time_ns() > w->until_ns) worker_store(late, w->view->launch);
    w->gives_up = worker_load(late) == w->view->launch;
    return w->gives_up;
}

/* Until the counter has reached TARGET, in front of all that was written before it did. False: the worker gives up. */
WORKER_FUNCTION bool await_count(struct worker *w, const uint32_t *counter, uint32_t target)
{
    for (uint32_t polls = 1; (int32_t)(worker_acquire(counter) - target) < 0; polls++) {
        if (polls % WORKER_PATIENCE == 0 && is_over(w)) return false;
        worker_pause();
    }
    return true;
}

/* What the task of the sequence at AT is; two fetches, one behind the other. */
WORKER_FUNCTION uint32_t fetch(const struct worker *w, uint32_t at, struct gsim_tasks_task *task)
{
    uint32_t index = worker_load(&w->view->sequence[at]);
    worker_copy(task, &w->view->tasks[index]);
    return index;
}

/* The same without the order, where one fence behind many does. */
WORKER_FUNCTION bool await_count_relaxed(struct worker *w, const uint32_t *counter, uint32_t target)
{
    for (uint32_t polls = 1; (int32_t)(worker_load(counter) - target) < 0; polls++) {
        if (polls % WORKER_PATIENCE == 0 && is_over(w)) return false;
        worker_pause();
    }
    return true;
}

/* All that the task follows. What is to be looked at next is fetched meanwhile. */
WORKER_FUNCTION bool await_preds(struct worker *w, const struct gsim_tasks_task *task)
{
    const struct gsim_tasks_view *v = w->view;
    const bool are_many = task->pred_count > FEW_PREDS;
    struct gsim_tasks_pred next = task->pred_count ? v->preds[task->pred_start] : (struct gsim_tasks_pred){0, 0};
    for (uint32_t i = 0; i < task->pred_count; i++) {
        const uint32_t *done = &v->done[next.op * GSIM_TASKS_OP_WORDS], target = v->launch * next.task_count;
        if (i + 1 < task->pred_count) next = v->preds[task->pred_start + i + 1];
        if (!(are_many ? await_count_relaxed(w, done, target) : await_count(w, done, target))) return false;
    }
    if (are_many) worker_fence_light();
    return true;
}

WORKER_FUNCTION uint64_t sum_of_preds(const struct gsim_tasks_view *v, const struct gsim_tasks_task *task)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < task->pred_count; i++) {
        const struct gsim_tasks_op op = v->ops[v->preds[task->pred_start + i].op];
        for (uint32_t t = 0; t < op.task_count; t++) sum += worker_load_wide(&v->values[op.first_task + t]);
    }
    return sum;
}

WORKER_FUNCTION void run_task(const struct worker *w, uint32_t index, const struct gsim_tasks_task *task)
{
    const struct gsim_tasks_view *v = w->view;
    struct gsim_tasks_stamp *stamp = &v->stamps[index];
    uint64_t began = worker_time_ns(),
             value = v->verifies ? gsim_tasks_value(index, v->launch, sum_of_preds(v, task)) : 0;
    worker_spin(task->cycles);
    if (v->verifies) worker_store_wide(&v->values[index], value);
    (void)worker_add(&stamp->runs, 1);
    stamp->start_ns = began;
    stamp->end_ns = worker_time_ns();
    stamp->launch = v->launch;
    stamp->worker = w->index;
    stamp->sm = worker_sm();
}

/* Workers that poll the op see that one more of its tasks has ended. */
WORKER_FUNCTION void announce(const struct worker *w, const struct gsim_tasks_task *task)
{
    uint32_t *done = &w->view->done[task->op * GSIM_TASKS_OP_WORDS];
    worker_fence();
    if (task->task_count == 1) worker_store(done, w->view->launch);
    else worker_add(done, 1);
}

/* --- a preset order --- */

WORKER_FUNCTION void work_through_list(struct worker *w)
{
    const struct gsim_tasks_view *v = w->view;
    struct gsim_tasks_task task, next;
    uint32_t index = 0, next_index = 0;
    bool has_next = false;
    for (uint32_t at = w->index; at < v->task_count; at += v->worker_count) {
        if (has_next) {
            task = next;
            index = next_index;
        } else {
            index = fetch(w, at, &task);
        }
        if (!await_preds(w, &task)) return;
        has_next = v->fetches_ahead && at + v->worker_count < v->task_count;
        if (has_next) next_index = fetch(w, at + v->worker_count, &next);
        run_task(w, index, &task);
        announce(w, &task);
    }
}

WORKER_FUNCTION void work_by_claim(struct worker *w)
{
    const struct gsim_tasks_view *v = w->view;
    uint32_t base = (v->launch - 1) * (v->task_count + v->worker_count), at;
    struct gsim_tasks_task task;
    while ((at = worker_add(&v->words[GSIM_TASKS_HEAD * GSIM_TASKS_APART], 1) - base) < v->task_count) {
        uint32_t index = fetch(w, at, &task);
        if (!await_preds(w, &task)) break;
        run_task(w, index, &task);
        announce(w, &task);
    }
}

WORKER_FUNCTION void work_by_level(struct worker *w)
{
    const struct gsim_tasks_view *v = w->view;
    uint32_t *arrived = &v->words[GSIM_TASKS_ARRIVED * GSIM_TASKS_APART],
             target = (v->launch - 1) * v->level_count * v->worker_count;
    struct gsim_tasks_task task;
    for (uint32_t level = 0; level < v->level_count; level++) {
        for (uint32_t at = v->level_start[level] + w->index; at < v->level_start[level + 1]; at += v->worker_count) {
            uint32_t index = fetch(w, at, &task);
            run_task(w, index, &task);
        }
        worker_fence();
        worker_add(arrived, 1);
        target += v->worker_count;
        if (!await_count(w, arrived, target)) return;
    }
}

/* --- a queue on the GPU --- */

/* The tasks of an op that has nothing more to wait for. */
WORKER_FUNCTION void push(const struct worker *w, const struct gsim_tasks_op *op)
{
    const struct gsim_tasks_view *v = w->view;
    uint32_t base = (v->launch - 1) * (v->task_count - v->root_count);
    uint32_t at = worker_add(&v->words[GSIM_TASKS_TAIL * GSIM_TASKS_APART], op->task_count) - base + v->root_count;
    worker_fence();
    for (uint32_t t = 0; t < op->task_count; t++)
        worker_store_wide(&v->queue[at + t], (uint64_t)v->launch << 32 | (op->first_task + t));
}

/* One counter after the other, by the worker that ended the op's last task. */
WORKER_FUNCTION void update_followers(const struct worker *w, const struct gsim_tasks_task *task)
{
    const struct gsim_tasks_view *v = w->view;
    worker_fence();
    if (task->task_count > 1) {
        if (worker_add(&v->done[task->op * GSIM_TASKS_OP_WORDS], 1) + 1 != v->launch * task->task_count) return;
        worker_fence();
    }
    for (uint32_t i = 0; i < task->follower_count; i++) {
        uint32_t index = v->followers[task->follower_start + i];
        const struct gsim_tasks_op op = v->ops[index];
        if (worker_add(&v->arrived[index * GSIM_TASKS_OP_WORDS], 1) + 1 == v->launch * op.pred_count) push(w, &op);
    }
}

WORKER_FUNCTION void work_from_queue(struct worker *w)
{
    const struct gsim_tasks_view *v = w->view;
    uint32_t base = (v->launch - 1) * (v->task_count + v->worker_count), at;
    struct gsim_tasks_task task;
    while ((at = worker_add(&v->words[GSIM_TASKS_HEAD * GSIM_TASKS_APART], 1) - base) < v->task_count) {
        uint64_t entry;
        if (at < v->root_count) {
            entry = worker_load(&v->roots[at]);
        } else {
            for (uint32_t polls = 1; (entry = worker_acquire_wide(&v->queue[at])) >> 32 != v->launch; polls++) {
                if (polls % WORKER_PATIENCE == 0 && is_over(w)) return;
                worker_pause();
            }
        }
        worker_copy(&task, &v->tasks[(uint32_t)entry]);
        run_task(w, (uint32_t)entry, &task);
        update_followers(w, &task);
    }
}

/* --- threads of the host --- */

WORKER_FUNCTION void work_for_host(struct worker *w)
{
    const struct gsim_tasks_view *v = w->view;
    struct gsim_tasks_task task;
    for (uint32_t ticket = v->tickets[w->index] + 1;; ticket++) {
        const struct gsim_tasks_slot *slot = &v->slots[w->index * v->depth + ticket % v->depth];
        uint64_t flag;
        for (uint32_t polls = 1; (uint32_t)(flag = worker_acquire_host(&slot->flag)) != ticket; polls++) {
            if (polls % WORKER_PATIENCE == 0 && is_over(w)) return;
            worker_pause();
        }
        if (flag >> 32 == GSIM_TASKS_STOP) {
            v->tickets[w->index] = ticket;
            return;
        }
        bool is_gated = v->tells_workers && worker_load_host(&slot->is_gated);
        worker_copy_host(&task, &slot->task);
        if (is_gated && !await_preds(w, &task)) return;
        run_task(w, (uint32_t)(flag >> 32), &task);
        if (v->tells_workers) announce(w, &task);
        worker_fence_host();
        worker_store_host(&v->reports[w->index].ended, ticket);
    }
}

WORKER_FUNCTION void gsim_worker_run(const struct gsim_tasks_view *view, uint32_t index)
{
    struct worker w = {view, index, worker_time_ns() + view->limit_ns, false};
    switch (view->mode) {
    case GSIM_PERSISTENT_BARRIER: work_by_level(&w); break;
    case GSIM_PERSISTENT_QUEUE: work_from_queue(&w); break;
    case GSIM_PERSISTENT_CLAIM: work_by_claim(&w); break;
    case GSIM_PERSISTENT_COPILOT: work_for_host(&w); break;
    default: work_through_list(&w); break;
    }
}
