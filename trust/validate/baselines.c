/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The simpler models that a block-accurate one is compared with, on the same information: sum of the times
 * alone, infinite resources, and each kernel as one fluid on a chip that they share.
 */
#include <math.h>

#include "sim/device/occupancy.h"
#include "trust/validate/run.h"

struct task {
    double alone_us, earliest_us;
    double share;               /* of the chip that it can use; 0: none of it (copies) */
    const uint32_t *deps;
    uint32_t dep_count, stream;
    int64_t before;             /* the node before it in its stream; -1: none */
    double ready_us, left_us, end_us;
    bool is_done;
};

struct gaps {
    double same_us, other_us; /* end of a node to the start of one that follows it in or across streams */
};

static enum gsim_status chip_share(const struct gsim_device_spec *d, const struct gsim_kernel *k, double *share,
                                   struct gsim_error *error)
{
    struct gsim_block_need need;
    const struct gsim_sm_limits limits = gsim_sm_limits(d);
    enum gsim_status status = gsim_block_need(&limits, k, &need, error);
    if (status) return status;
    double blocks = (double)k->grid.x * k->grid.y * k->grid.z;
    *share = fmin(1, blocks / (d->sm_count * need.blocks_per_sm));
    return GSIM_OK;
}

/* When TASK may start, NAN while something before it is not done. */
static double ready_time(const struct task *tasks, const struct task *t, const struct gaps *gaps)
{
    double ready = t->earliest_us;
    if (t->before >= 0) {
        if (!tasks[t->before].is_done) return NAN;
        ready = fmax(ready, tasks[t->before].end_us + gaps->same_us);
    }
    for (uint32_t i = 0; i < t->dep_count; i++) {
        const struct task *dep = &tasks[t->deps[i]];
        if (!dep->is_done) return NAN;
        ready = fmax(ready, dep->end_us + (dep->stream == t->stream ? gaps->same_us : gaps->other_us));
    }
    return ready;
}

/* Makespan when running tasks slow each other down as soon as they ask for more than CHIP of it. */
static double run_fluid(struct task *tasks, uint32_t count, const struct gaps *gaps, double chip)
{
    double now = 0, last = 0;
    for (uint32_t i = 0; i < count; i++) {
        tasks[i].is_done = false;
        tasks[i].left_us = tasks[i].alone_us;
        tasks[i].ready_us = NAN;
    }
    for (uint32_t done = 0; done < count;) {
        double asked = 0, next = INFINITY;
        for (uint32_t i = 0; i < count; i++) {
            struct task *t = &tasks[i];
            if (t->is_done) continue;
            if (isnan(t->ready_us)) t->ready_us = ready_time(tasks, t, gaps);
            if (t->ready_us <= now) asked += t->share;
        }
        double speed = asked > chip ? chip / asked : 1;
        for (uint32_t i = 0; i < count; i++) {
            const struct task *t = &tasks[i];
            if (t->is_done || isnan(t->ready_us)) continue;
            double rate = t->share > 0 ? speed : 1;
            next = fmin(next, t->ready_us > now ? t->ready_us : now + t->left_us / rate);
        }
        GSIM_INVARIANT(isfinite(next));
        for (uint32_t i = 0; i < count; i++) {
            struct task *t = &tasks[i];
            if (t->is_done || !(t->ready_us <= now)) continue;
            double rate = t->share > 0 ? speed : 1;
            if (now + t->left_us / rate <= next) {
                t->is_done = true;
                t->end_us = last = next;
                done++;
            } else {
                t->left_us -= (next - now) * rate;
            }
        }
        now = next;
    }
    return last;
}

static void run_all(struct task *tasks, uint32_t count, const struct gaps *gaps, double end_us,
                    double us[GSIM_BASELINE_COUNT])
{
    us[GSIM_BASELINE_SUM] = 0;
    for (uint32_t i = 0; i < count; i++) us[GSIM_BASELINE_SUM] += tasks[i].alone_us;
    us[GSIM_BASELINE_INFINITE] = run_fluid(tasks, count, gaps, INFINITY) + end_us;
    us[GSIM_BASELINE_FLUID] = run_fluid(tasks, count, gaps, 1) + end_us;
}

enum gsim_status gsim_baselines_two(const struct gsim_device_spec *device, const struct gsim_case *subject,
                                    double us[GSIM_BASELINE_COUNT], struct gsim_error *error)
{
    struct task tasks[2] = {{.before = -1}, {.before = -1, .stream = 1}};
    const struct gaps none = {0, 0};
    for (int i = 0; i < 2; i++) {
        enum gsim_status status = chip_share(device, &subject->kernels[i], &tasks[i].share, error);
        if (status) return status;
        tasks[i].alone_us = subject->kernels[i].solo_us;
    }
    if (subject->delay_us > 0) tasks[1].earliest_us = subject->delay_us + device->launch_us;
    run_all(tasks, 2, &none, 0, us);
    return GSIM_OK;
}

static double copy_alone(const struct gsim_device_spec *d, const struct gsim_case_node *node)
{
    bool h2d = node->copy_kind == GSIM_COPY_H2D;
    return (h2d ? d->h2d_latency_us : d->d2h_latency_us) +
           (double)node->bytes / ((h2d ? d->h2d_gbps : d->d2h_gbps) * 1e3);
}

enum gsim_status gsim_baselines_dag(const struct gsim_device_spec *device, const struct gsim_case *subject,
                                    enum gsim_schedule schedule, double us[GSIM_BASELINE_COUNT],
                                    struct gsim_error *error)
{
    bool live = schedule == GSIM_SCHEDULE_LIVE;
    for (int i = 0; i < GSIM_BASELINE_COUNT; i++) us[i] = NAN;
    if (!live && schedule != GSIM_SCHEDULE_GRAPH) return GSIM_OK;
    struct task *tasks = gsim_alloc(subject->node_count * sizeof *tasks);
    enum gsim_status status = tasks ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (uint32_t i = 0; i < subject->node_count && !status; i++) {
        const struct gsim_case_node *node = &subject->nodes[i];
        struct task *t = &tasks[i];
        *t = (struct task){.deps = node->deps, .dep_count = node->dep_count, .stream = node->stream, .before = -1};
        for (uint32_t j = 0; j < i; j++)
            if (tasks[j].stream == node->stream) t->before = j;
        t->earliest_us = live ? (i + 1) * device->launch_us + device->launch_to_start_us
                              : device->graph_launch_us + device->graph_start_us;
        t->alone_us = node->is_copy ? copy_alone(device, node) : node->kernel.solo_us;
        if (!node->is_copy) status = chip_share(device, &node->kernel, &t->share, error);
    }
    const struct gaps gaps[2] = {{device->graph_node_gap_us, device->graph_node_gap_us},
                                 {device->stream_gap_us, device->event_gap_us}};
    if (!status) run_all(tasks, subject->node_count, &gaps[live], device->sync_return_us, us);
    gsim_free(tasks);
    return status;
}
