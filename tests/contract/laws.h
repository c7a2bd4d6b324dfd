/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is conserved in every run, of one program, tasks or ranks. */
#pragma once

#include "gpusim/energy.h"
#include "sim/report/report.h"
#include "tests/test.h"

/* The time in which a kernel or copy runs on DEVICE: from one start or end to the next that anything covers. */
static inline gsim_time laws_busy(const struct gsim_timeline *t, uint32_t device)
{
    gsim_time busy = 0, at = 0, next = 0;
    for (; next != GSIM_TIME_NEVER; at = next) {
        bool runs = false;
        next = GSIM_TIME_NEVER;
        for (size_t i = 0; i < t->kernel_count + t->copy_count; i++) {
            const struct gsim_kernel_record *k = &t->kernels[i < t->kernel_count ? i : 0];
            const struct gsim_copy_record *c = &t->copies[i < t->kernel_count ? 0 : i - t->kernel_count];
            bool is_kernel = i < t->kernel_count;
            gsim_time start = is_kernel ? k->start : c->start, end = is_kernel ? k->end : c->end;
            if ((is_kernel ? k->device : c->device) != device) continue;
            runs |= start <= at && at < end;
            if (start > at && start < next) next = start;
            if (end > at && end < next) next = end;
        }
        if (runs) busy += next - at;
    }
    return busy;
}

/* The base power for all of the time of all GPUs, a copy's while one runs between host and device, and each kernel's
 * own once: by part, by GPU and by task. On a device of 100 W, 30 W beside it for a copy. */
static inline void laws_of_energy(const struct gsim_timeline *t, const struct gsim_device_spec *on, const char *label)
{
    struct gsim_device_spec device = *on;
    struct gsim_energy e;
    struct gsim_error error = {0};
    gsim_time end = 0;
    double busy = 0, copied = 0, gpus = 0, tasks = 0, kernels = 0;
    device.base_w = 100, device.copy_w = 30, device.warp_mw = 2;
    for (size_t i = 0; i < t->kernel_count; i++) {
        const struct gsim_kernel_record *k = &t->kernels[i];
        double relative;
        bool is_estimated;
        if (k->end > end) end = k->end;
        kernels += gsim_energy_of_kernel(&t->program->kernels[t->program->ops[k->op].kernel_index], &device,
                                         gsim_time_us(k->end - k->start), &relative, &is_estimated);
    }
    for (size_t i = 0; i < t->copy_count; i++) {
        const struct gsim_copy_record *c = &t->copies[i];
        if (c->end > end) end = c->end;
        if (c->kind != GSIM_COPY_D2D) copied += gsim_time_us(c->end - c->start);
    }
    CHECK_OK(gsim_energy_compute(t, &device, end, &e, &error), error);
    double all = gsim_time_us(end) * (double)e.gpu_count;
    for (uint32_t g = 0; g < e.gpu_count; g++) gpus += e.gpu_mj[g], busy += gsim_time_us(laws_busy(t, g));
    for (size_t i = 0; i < e.task_count; i++) tasks += e.task_mj[i];
    CHECK_MSG(fabs(e.base_busy_mj - 0.1 * busy) < 1e-6 * all && fabs(e.base_idle_mj - 0.1 * (all - busy)) < 1e-6 * all,
              "%s: base %g and %g mJ, busy %g of %g us", label, e.base_busy_mj, e.base_idle_mj, busy, all);
    CHECK_MSG(fabs(e.copies_mj - 0.03 * copied) < 1e-6 * all, "%s: copies %g mJ", label, e.copies_mj);
    double total = 0.1 * all + 0.03 * copied + e.kernels_mj;
    CHECK_MSG(fabs(e.total_mj - total) < 1e-6 * total && fabs(gpus - total) < 1e-6 * total, "%s: %g mJ, expected %g",
              label, e.total_mj, total);
    CHECK_MSG(e.launches == t->kernel_count && fabs(tasks - e.kernels_mj) < 1e-6 * total &&
                  fabs(kernels - e.kernels_mj) < 1e-6 * total && e.low_mj < 1.000001 * total &&
                  0.999999 * total < e.high_mj,
              "%s: kernels %g mJ, of tasks %g, one by one %g", label, e.kernels_mj, tasks, kernels);
    CHECK_NEAR(e.mean_w * gsim_time_us(end) * 1e-3, total, 1e-6 * total);
    gsim_energy_release(&e);
}

/* Each request counts once, its time lies between the fastest and the slowest, and each kernel's time is one task's. */
static inline void laws_of_tasks(const struct gsim_timeline *t, const struct gsim_task_set *set, const char *label)
{
    struct gsim_task_stats stats[16] = {{0}};
    struct gsim_error error = {0};
    double kernels = 0, own = 0, times = 0, means = 0;
    uint32_t requests = 0;
    CHECK_OK(gsim_tasks_measure(t, set, stats, &error), error);
    for (size_t i = 0; i < t->kernel_count; i++) kernels += gsim_time_us(t->kernels[i].end - t->kernels[i].start);
    for (size_t i = 0; i < t->request_count; i++) times += gsim_time_us(t->requests[i].end - t->requests[i].arrival);
    for (uint32_t i = 0; i < set->count; i++) {
        const struct gsim_task_stats *s = &stats[i];
        own += s->kernel_us, requests += s->requests, means += s->mean_us * s->requests;
        CHECK_MSG(s->p50_us <= s->p90_us && s->p90_us <= s->p99_us && s->p99_us <= s->max_us &&
                      s->mean_us <= s->max_us && s->max_us <= s->end_us + 1e-6,
                  "%s, task %u: times in order", label, i);
    }
    CHECK_MSG(fabs(own - kernels) < 1e-3 && requests == t->request_count && fabs(means - times) < 1e-3 * requests,
              "%s: %g us of kernels, of tasks %g; %u requests of %g us, of tasks %g", label, kernels, own, requests,
              times, means);
}
