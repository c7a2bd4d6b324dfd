/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See idle.h. */
#include "traces/runner/resident/idle.h"

#include "gpusim/memory.h"
#include "gpusim/order.h"

struct change {
    uint64_t ns;
    int32_t running, ready;
};

GSIM_ORDER(compare, struct change, GSIM_UP(ns))

static uint64_t ready_at(const struct gsim_tasks_view *v, const struct gsim_tasks_stamp *stamps, uint32_t index,
                         uint64_t start_ns)
{
    const struct gsim_tasks_task *task = &v->tasks[index];
    uint64_t ready = start_ns;
    for (uint32_t i = 0; i < task->pred_count; i++) {
        const struct gsim_tasks_op *op = &v->ops[v->preds[task->pred_start + i].op];
        for (uint32_t t = op->first_task; t < op->first_task + op->task_count; t++)
            if (stamps[t].end_ns > ready) ready = stamps[t].end_ns;
    }
    return ready < stamps[index].start_ns ? ready : stamps[index].start_ns;
}

static void add_up(const struct gsim_tasks_tables *tasks, const struct change *changes, size_t count,
                   struct gsim_resident_record *record)
{
    int64_t running = 0, ready = 0;
    for (size_t i = 0; i < count; i++) {
        double span_us = i ? (double)(changes[i].ns - changes[i - 1].ns) * 1e-3 : 0;
        int64_t idle = (int64_t)tasks->view.worker_count - running, late = idle < ready ? idle : ready;
        record->busy_us += span_us * (double)running;
        record->late_us += span_us * (double)late;
        record->limited_us += span_us * (double)(idle - late);
        if (late > 0) record->late_makespan_us += span_us;
        running += changes[i].running;
        ready += changes[i].ready;
    }
}

void gsim_tasks_idle(const struct gsim_tasks_tables *tasks, const struct gsim_tasks_stamp *stamps,
                     struct gsim_resident_record *record, uint64_t *start_ns, uint64_t *end_ns)
{
    const struct gsim_tasks_view *v = &tasks->view;
    size_t count = 0;
    struct change *changes = gsim_alloc(sizeof *changes * (3 * (size_t)v->task_count + 1));
    *start_ns = UINT64_MAX;
    *end_ns = 0;
    for (uint32_t i = 0; i < v->task_count; i++) {
        if (stamps[i].start_ns < *start_ns) *start_ns = stamps[i].start_ns;
        if (stamps[i].end_ns > *end_ns) *end_ns = stamps[i].end_ns;
    }
    for (uint32_t i = 0; i < v->task_count; i++) {
        changes[count++] = (struct change){ready_at(v, stamps, i, *start_ns), 0, 1};
        changes[count++] = (struct change){stamps[i].start_ns, 1, -1};
        changes[count++] = (struct change){stamps[i].end_ns, -1, 0};
    }
    qsort(changes, count, sizeof *changes, compare);
    add_up(tasks, changes, count, record);
    gsim_free(changes);
}
