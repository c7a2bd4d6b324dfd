/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See gpusim/energy.h. */
#include "gpusim/energy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpusim/order.h"

static bool is_of(const struct gsim_kernel *k, const struct gsim_device_spec *device)
{
    return !k->solo_device || strcmp(k->solo_device, device->name) == 0;
}

bool gsim_energy_is_known(const struct gsim_program *program, const struct gsim_device_spec *device)
{
    if (!(device->base_w > 0)) return false;
    if (device->kind[GSIM_DEV_base_w] == GSIM_KIND_MEASURED) return true;
    for (uint32_t i = 0; i < program->kernel_count; i++)
        if (program->kernels[i].energy_mj > 0 && is_of(&program->kernels[i], device)) return true;
    return false;
}

/* --- the whole run --- */

struct span {
    gsim_time start, end;
    uint32_t device;
};

GSIM_ORDER(compare_spans, struct span, GSIM_UP(device) GSIM_UP(start))

/* Time in which something runs, over all GPUs. SPANS are sorted here. */
static gsim_time union_of(struct span *spans, size_t count)
{
    gsim_time sum = 0, end = 0;
    qsort(spans, count, sizeof *spans, compare_spans);
    for (size_t i = 0; i < count; i++) {
        if (!i || spans[i].device != spans[i - 1].device) end = 0;
        gsim_time from = spans[i].start > end ? spans[i].start : end;
        if (spans[i].end > from) sum += spans[i].end - from;
        if (spans[i].end > end) end = spans[i].end;
    }
    return sum;
}

/* Adds MJ, drawn from START_US to END_US, to the windows in which it is drawn. */
static void spread(double *windows, size_t count, double start_us, double end_us, double mj)
{
    size_t first = gsim_whole_u64(start_us / GSIM_ENERGY_WINDOW_US),
           last = gsim_whole_u64(end_us / GSIM_ENERGY_WINDOW_US);
    if (last >= count) last = count - 1;
    for (size_t w = first; w <= last && w < count; w++) {
        double from = fmax(start_us, (double)w * GSIM_ENERGY_WINDOW_US),
               to = fmin(end_us, ((double)w + 1) * GSIM_ENERGY_WINDOW_US);
        windows[w] += end_us > start_us ? mj * (to - from) / (end_us - start_us) : w == first ? mj : 0;
    }
}

struct sums {
    const struct gsim_timeline *timeline;
    const struct gsim_device_spec *device;
    struct gsim_energy *energy;
    struct span *spans;
    double *windows, *left; /* left: by GPU */
    size_t span_count, window_count;
    double off_mj;
};

static void add_part(struct sums *s, gsim_time start, gsim_time end, uint32_t device, uint32_t iteration, double mj)
{
    struct gsim_energy *e = s->energy;
    s->spans[s->span_count++] = (struct span){start, end, device};
    spread(s->windows, s->window_count, gsim_time_us(start), gsim_time_us(end), mj);
    if (iteration < e->iteration_count) e->iteration_mj[iteration] += mj;
    if (device < e->gpu_count) e->gpu_mj[device] += mj;
}

/* What the limit leaves of each GPU's kernels' energy at full clock, in MAKESPAN. A short run from rest has all. */
static void find_left(struct sums *s, gsim_time makespan)
{
    double limit_w = s->device->limit_w - s->device->base_w, us = gsim_time_us(makespan), relative;
    bool is_estimated, from_rest = !(s->device->recorded_w > 0);
    bool is_short = from_rest && us < s->device->clock_window_us;
    bool is_limited = !is_short && gsim_power_is_limited(s->device);
    for (size_t i = 0; i < s->timeline->kernel_count && is_limited; i++) {
        const struct gsim_kernel_record *k = &s->timeline->kernels[i];
        double mj = gsim_energy_of_kernel(&s->timeline->program->kernels[k->kernel_index], s->device,
                                          gsim_time_us(k->end - k->start), &relative, &is_estimated);
        if (k->device < s->energy->gpu_count) s->left[k->device] += mj;
    }
    for (size_t g = 0; g < s->energy->gpu_count; g++)
        s->left[g] = s->left[g] > 0 ? fmin(1, limit_w * us * 1e-3 / s->left[g]) : 1;
}

static void add_kernels(struct sums *s, gsim_time makespan)
{
    struct gsim_energy *e = s->energy;
    find_left(s, makespan);
    for (size_t i = 0; i < s->timeline->kernel_count; i++) {
        const struct gsim_kernel_record *k = &s->timeline->kernels[i];
        double relative, left = k->device < e->gpu_count ? s->left[k->device] : 1;
        bool is_estimated;
        double mj = left * gsim_energy_of_kernel(&s->timeline->program->kernels[k->kernel_index], s->device,
                                                 gsim_time_us(k->end - k->start), &relative, &is_estimated);
        e->launches++;
        e->estimated += is_estimated;
        e->kernels_mj += mj;
        s->off_mj += mj * relative;
        if (k->task < e->task_count) e->task_mj[k->task] += mj;
        spread(s->windows, s->window_count, gsim_time_us(k->start), gsim_time_us(k->end), mj / left - mj);
        add_part(s, k->start, k->end, k->device, k->iteration, mj);
    }
}

static void add_base(struct sums *s, gsim_time makespan)
{
    struct gsim_energy *e = s->energy;
    double base = s->device->base_w * 1e-3, all_us = gsim_time_us(makespan); /* mJ per us */
    gsim_time busy = union_of(s->spans, s->span_count);
    e->base_busy_mj = base * gsim_time_us(busy);
    e->base_idle_mj = base * (all_us * (double)e->gpu_count - gsim_time_us(busy));
    for (size_t i = 0; i < e->iteration_count; i++)
        e->iteration_mj[i] += base * (double)e->gpu_count *
                              gsim_time_us(s->timeline->iterations[i].end - s->timeline->iterations[i].start);
    for (size_t g = 0; g < e->gpu_count; g++) e->gpu_mj[g] += base * all_us;
    e->total_mj = e->base_idle_mj + e->base_busy_mj + e->kernels_mj + e->copies_mj;
    e->low_mj = e->total_mj - s->off_mj;
    e->high_mj = e->total_mj + s->off_mj;
    e->mean_w = all_us > 0 ? e->total_mj / all_us * 1e3 : 0;
    for (size_t w = 0; w < s->window_count; w++) {
        double length = fmin(GSIM_ENERGY_WINDOW_US, all_us - (double)w * GSIM_ENERGY_WINDOW_US);
        if (length > 0)
            e->peak_w = fmax(e->peak_w, s->windows[w] / length * 1e3 + s->device->base_w * (double)e->gpu_count);
    }
    if (s->window_count > 1 && e->peak_w < e->mean_w) e->peak_w = e->mean_w;
}

enum gsim_status gsim_energy_compute(const struct gsim_timeline *timeline, const struct gsim_device_spec *device,
                                     gsim_time makespan, struct gsim_energy *e, struct gsim_error *error)
{
    uint32_t tasks = 1;
    for (size_t i = 0; i < timeline->kernel_count; i++)
        if (timeline->kernels[i].task >= tasks) tasks = timeline->kernels[i].task + 1;
    *e = (struct gsim_energy){.iteration_count = timeline->iteration_count,
                              .task_count = tasks,
                              .gpu_count = timeline->gpu_count};
    struct sums s = {.timeline = timeline,
                     .device = device,
                     .energy = e,
                     .window_count = gsim_whole_u64(gsim_time_us(makespan) / GSIM_ENERGY_WINDOW_US) + 1};
    e->iteration_mj = gsim_alloc(sizeof *e->iteration_mj * (e->iteration_count + 1));
    e->task_mj = gsim_alloc(sizeof *e->task_mj * e->task_count);
    e->gpu_mj = gsim_alloc(sizeof *e->gpu_mj * e->gpu_count);
    s.spans = gsim_alloc(sizeof *s.spans * (timeline->kernel_count + timeline->copy_count + 1));
    s.windows = gsim_alloc(sizeof *s.windows * s.window_count);
    s.left = gsim_alloc(sizeof *s.left * e->gpu_count);
    bool has_all = e->iteration_mj && e->task_mj && e->gpu_mj && s.spans && s.windows && s.left;
    if (has_all) {
        add_kernels(&s, makespan);
        for (size_t i = 0; i < s.timeline->copy_count; i++) {
            const struct gsim_copy_record *c = &s.timeline->copies[i];
            double mj = c->kind == GSIM_COPY_D2D ? 0 : s.device->copy_w * gsim_time_us(c->end - c->start) * 1e-3;
            s.energy->copies_mj += mj;
            add_part(&s, c->start, c->end, c->device, c->iteration, mj);
        }
        add_base(&s, makespan);
    } else {
        gsim_energy_release(e);
    }
    gsim_free(s.spans);
    gsim_free(s.windows);
    gsim_free(s.left);
    return has_all ? GSIM_OK : gsim_no_memory(error);
}

void gsim_energy_release(struct gsim_energy *e)
{
    gsim_free(e->iteration_mj);
    gsim_free(e->task_mj);
    gsim_free(e->gpu_mj);
    *e = (struct gsim_energy){0};
}

bool gsim_energy_is_over(const struct gsim_energy *e, const struct gsim_device_spec *device,
                         char text[GSIM_ENERGY_NOTE])
{
    double limit_w = device->limit_w * (double)e->gpu_count;
    if (!(limit_w > 0) || e->peak_w <= limit_w) return false;
    snprintf(text, GSIM_ENERGY_NOTE, "%.0f W at most, and the limit is %.0f W (power.limit_w): %s", e->peak_w, limit_w,
             gsim_power_is_limited(device)
                 ? "the clock falls and kernels take longer where the mean stays above it (rule.clock_limit)"
                 : "a real GPU lowers its clock there and takes longer, which is not modelled");
    return true;
}

void gsim_energy_note(const struct gsim_timeline *timeline, const struct gsim_device_spec *device, gsim_time makespan,
                      char text[GSIM_ENERGY_NOTE])
{
    struct gsim_energy energy;
    struct gsim_error ignored = {0};
    text[0] = '\0';
    if (!(device->limit_w > 0) || !timeline->program || !gsim_energy_is_known(timeline->program, device)) return;
    if (gsim_energy_compute(timeline, device, makespan, &energy, &ignored) != GSIM_OK) return;
    (void)gsim_energy_is_over(&energy, device, text);
    gsim_energy_release(&energy);
}
