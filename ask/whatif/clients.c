/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ask/whatif/clients.h: each moment counts once, a client's own kernels first. */
#include <stdlib.h>

#include "gpusim/order.h"

#include "ask/whatif/clients.h"

enum kind { COMPUTE, TRANSFER, WAITING, OTHERS, INSIDE, KIND_COUNT }; /* INSIDE: of what is told */

struct edge {
    gsim_time time;
    enum kind kind;
    int step;
};

GSIM_ORDER(by_time, struct edge, GSIM_UP(time))

struct edges {
    struct edge *list;
    size_t count;
    gsim_time from, until;
};

/* Returns how much of it lies within what is told. */
static double add(struct edges *e, enum kind kind, gsim_time start, gsim_time end)
{
    if (kind != INSIDE && start < e->from) start = e->from;
    if (kind != INSIDE && end > e->until) end = e->until;
    if (start >= end) return 0;
    e->list[e->count++] = (struct edge){start, kind, 1};
    e->list[e->count++] = (struct edge){end, kind, -1};
    return gsim_time_us(end - start);
}

/* The stretches that are told: the last iteration, or ALL requests. Returns how many; the step is the mean of what they
 * take, of iterations from end to end. */
static uint32_t find_stretches(struct edges *e, const struct gsim_timeline *t, uint32_t task, bool all, double *step)
{
    gsim_time first_end = 0;
    uint32_t count = 0;
    double sum = 0;
    e->from = GSIM_TIME_NEVER;
    for (size_t i = 0; i < t->request_count; i++) {
        const struct gsim_request_record *r = &t->requests[i];
        if (r->task != task) continue;
        if (!count++) first_end = r->end;
        if (!all || r->start < e->from) e->from = r->start;
        e->until = r->end;
        sum += gsim_time_us(r->end - r->arrival);
        if (!all) e->count = 0;
        add(e, INSIDE, r->start, r->end);
    }
    if (all) *step = count ? sum / count : 0;
    else *step = count > 1 ? gsim_time_us(e->until - first_end) / (count - 1) : gsim_time_us(e->until - e->from);
    return all && count ? count : 1;
}

/* False: out of memory. */
static bool time_client(const struct gsim_timeline *t, uint32_t task, bool all, struct gsim_client_time *times)
{
    struct gsim_client_time sums = {0};
    double *const parts[] = {&sums.compute, &sums.exposed_transfer, &sums.exposed_waiting, &sums.others,
                             &sums.idle,    &sums.kernels,          &sums.all_waiting,     &sums.all_transfer};
    struct edges e = {.list = gsim_alloc(sizeof *e.list * (2 * t->kernel_count + 2 * t->copy_count +
                                                           4 * t->collective_count + 2 * t->request_count + 1))};
    int open[KIND_COUNT] = {0};
    if (!e.list) return false;
    uint32_t count = find_stretches(&e, t, task, all, &sums.step);
    uint32_t device = UINT32_MAX;
    for (size_t i = 0; i < t->kernel_count && device == UINT32_MAX; i++)
        if (t->kernels[i].task == task) device = t->kernels[i].device;
    for (size_t i = 0; i < t->kernel_count; i++) {
        const struct gsim_kernel_record *k = &t->kernels[i];
        if (k->task != task && k->device == device) add(&e, OTHERS, k->start, k->end);
        if (k->task != task || t->program->kernels[k->kernel_index].collective) continue;
        sums.kernels += add(&e, COMPUTE, k->start, k->end);
    }
    for (size_t i = 0; i < t->copy_count; i++)
        if (t->copies[i].task == task) add(&e, COMPUTE, t->copies[i].start, t->copies[i].end);
    for (size_t i = 0; i < t->collective_count; i++) {
        const struct gsim_collective_record *c = &t->collectives[i];
        if (c->task != task) continue;
        sums.all_waiting += add(&e, WAITING, c->start, c->begun);
        sums.all_transfer += add(&e, TRANSFER, c->begun, c->end);
    }
    qsort(e.list, e.count, sizeof *e.list, by_time);
    for (size_t i = 0; i < e.count; i++) {
        enum kind kind = open[COMPUTE]    ? COMPUTE
                         : open[TRANSFER] ? TRANSFER
                         : open[WAITING]  ? WAITING
                         : open[OTHERS]   ? OTHERS
                                          : INSIDE;
        if (open[INSIDE]) *parts[kind] += gsim_time_us(e.list[i].time - e.list[i - 1].time);
        open[e.list[i].kind] += e.list[i].step;
    }
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) *parts[i] /= count;
    gsim_free(e.list);
    *times = sums;
    return true;
}

uint32_t gsim_client_times(const struct gsim_timeline *timeline, uint32_t count, bool all,
                           struct gsim_client_time *times, double *step_us)
{
    uint32_t late = 0;
    *step_us = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!time_client(timeline, i, all, &times[i])) return UINT32_MAX;
        if (times[i].step > *step_us) *step_us = times[i].step;
        if (times[i].all_waiting < times[late].all_waiting) late = i;
    }
    return late;
}
