/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is conserved in every run of every test in C: the linker puts this in place of gsim_simulate() (CMakeLists.txt).
 * Works run after their calls, the sums of time and bytes are the records', busy time is at most all of it, and energy
 * is the sum of its parts: by part, by GPU and by task. A broken law ends the test.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpusim/energy.h"
#include "gpusim/metrics.h"
#include "gpusim/simulate.h"

enum { MOST = 3000 }; /* records of a run that is looked at */

enum gsim_status __real_gsim_simulate(const struct gsim_simulation *s, struct gsim_timeline *t, struct gsim_error *e);
enum gsim_status __wrap_gsim_simulate(const struct gsim_simulation *s, struct gsim_timeline *t, struct gsim_error *e);

static void hold(bool holds, const char *law, const struct gsim_timeline *t, double found, double expected)
{
    if (holds) return;
    fprintf(stderr, "every run: %s: found %.9g, expected %.9g: %s, %zu kernels, %zu copies\n", law, found, expected,
            t->program ? t->program->name : "?", t->kernel_count, t->copy_count);
    abort();
}

static void equal(const char *law, const struct gsim_timeline *t, double found, double expected)
{
    hold(fabs(found - expected) <= 1e-6 * fabs(expected) + 1e-9, law, t, found, expected);
}

static void laws_of_energy(const struct gsim_simulation *s, const struct gsim_timeline *t, gsim_time makespan)
{
    struct gsim_energy e;
    struct gsim_error error;
    double gpus = 0, tasks = 0;
    if (gsim_energy_compute(t, s->device, makespan, &e, &error)) return;
    if (isnan(e.total_mj)) { /* a device without powers */
        gsim_energy_release(&e);
        return;
    }
    for (size_t g = 0; g < e.gpu_count; g++) gpus += e.gpu_mj[g];
    for (size_t i = 0; i < e.task_count; i++) tasks += e.task_mj[i];
    equal("energy is its parts", t, e.total_mj, e.base_idle_mj + e.base_busy_mj + e.kernels_mj + e.copies_mj);
    equal("energy is that of the GPUs", t, e.total_mj, gpus);
    if (s->tasks) equal("kernels' energy is the tasks'", t, e.kernels_mj, tasks);
    hold(e.low_mj <= e.total_mj * 1.000001 && e.total_mj <= e.high_mj * 1.000001, "energy is in its interval", t,
         e.total_mj, e.low_mj);
    equal("each launch counts once", t, (double)e.launches, (double)t->kernel_count);
    gsim_energy_release(&e);
}

static void laws(const struct gsim_simulation *s, const struct gsim_timeline *t)
{
    struct gsim_metrics m;
    struct gsim_error error;
    double kernels = 0, copies = 0, bytes[3] = {0};
    for (size_t i = 0; i < t->kernel_count; i++) {
        const struct gsim_kernel_record *k = &t->kernels[i];
        hold(k->launch <= k->ready && k->ready <= k->start && k->start <= k->end, "a kernel runs after its call", t,
             gsim_time_us(k->start), gsim_time_us(k->launch));
        kernels += (double)(k->end - k->start);
    }
    for (size_t i = 0; i < t->copy_count; i++) {
        const struct gsim_copy_record *c = &t->copies[i];
        hold(c->launch <= c->start && c->start <= c->end, "a copy runs after its call", t, gsim_time_us(c->start),
             gsim_time_us(c->launch));
        copies += (double)(c->end - c->start);
        if (c->kind == GSIM_COPY_H2D) bytes[0] += (double)c->bytes;
        if (c->kind == GSIM_COPY_D2H) bytes[1] += (double)c->bytes;
        if (c->kind == GSIM_COPY_D2D || c->kind == GSIM_COPY_P2P) bytes[2] += (double)c->bytes;
    }
    if (gsim_metrics_compute(t, s->device, NULL, &m, &error)) return;
    equal("time of kernels", t, (double)m.kernel_time, kernels);
    equal("time of copies", t, (double)m.transfer_time, copies);
    equal("bytes to the device", t, (double)m.h2d_bytes, bytes[0]);
    equal("bytes to the host", t, (double)m.d2h_bytes, bytes[1]);
    equal("bytes on the device", t, (double)m.d2d_bytes, bytes[2]);
    hold((double)m.device_busy <= kernels + copies + 1, "busy time", t, (double)m.device_busy, kernels + copies);
    hold(m.device_busy <= m.makespan * t->gpu_count, "busy time", t, (double)m.device_busy, (double)m.makespan);
    laws_of_energy(s, t, m.makespan);
}

enum gsim_status __wrap_gsim_simulate(const struct gsim_simulation *s, struct gsim_timeline *t, struct gsim_error *e)
{
    enum gsim_status status = __real_gsim_simulate(s, t, e);
    if (!status && !t->sums && !t->failed && t->kernel_count + t->copy_count <= MOST) laws(s, t);
    return status;
}
