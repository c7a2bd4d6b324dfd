/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). What a rank's last iteration went into (cli/ranks/traces.h): each moment counts once, kernels
 * first. */
#include <stdlib.h>

#include "cli/ranks/traces.h"

enum kind { COMPUTE, TRANSFER, WAITING, KIND_COUNT };

struct edge {
    gsim_time time;
    enum kind kind;
    int step;
};

static int by_time(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return x->time < y->time ? -1 : x->time > y->time;
}

struct edges {
    struct edge *list;
    size_t count;
    gsim_time from, until;
};

static void add(struct edges *e, enum kind kind, gsim_time start, gsim_time end)
{
    if (start < e->from) start = e->from;
    if (end > e->until) end = e->until;
    if (start >= end) return;
    e->list[e->count++] = (struct edge){start, kind, 1};
    e->list[e->count++] = (struct edge){end, kind, -1};
}

static void collect(struct edges *e, const struct gsim_timeline *t, uint32_t task, struct gsim_cli_rank_time *sums)
{
    for (size_t i = 0; i < t->kernel_count; i++) {
        const struct gsim_kernel_record *k = &t->kernels[i];
        if (k->task != task || t->program->kernels[k->kernel_index].collective) continue;
        if (k->end > e->from && k->start < e->until) sums->kernels += gsim_time_us(k->end - k->start);
        add(e, COMPUTE, k->start, k->end);
    }
    for (size_t i = 0; i < t->copy_count; i++)
        if (t->copies[i].task == task) add(e, COMPUTE, t->copies[i].start, t->copies[i].end);
    for (size_t i = 0; i < t->collective_count; i++) {
        const struct gsim_collective_record *c = &t->collectives[i];
        if (c->task != task || c->end <= e->from || c->start >= e->until) continue;
        sums->all_waiting += gsim_time_us(c->begun - c->start);
        sums->all_transfer += gsim_time_us(c->end - c->begun);
        add(e, WAITING, c->start, c->begun);
        add(e, TRANSFER, c->begun, c->end);
    }
}

struct gsim_cli_rank_time gsim_cli_rank_time(const struct gsim_timeline *t, uint32_t task)
{
    struct gsim_cli_rank_time sums = {0};
    struct edges e = {
        .list = gsim_alloc(sizeof *e.list * (2 * t->kernel_count + 2 * t->copy_count + 4 * t->collective_count + 1))};
    int open[KIND_COUNT] = {0};
    gsim_time before = 0, first_end = 0;
    uint32_t count = 0;
    for (size_t i = 0; i < t->request_count; i++) {
        const struct gsim_request_record *r = &t->requests[i];
        if (r->task != task) continue;
        if (!count++) first_end = r->end;
        e.from = r->start;
        e.until = r->end;
    }
    if (!e.list) return sums;
    collect(&e, t, task, &sums);
    qsort(e.list, e.count, sizeof *e.list, by_time);
    before = e.from;
    for (size_t i = 0; i < e.count; i++) {
        double us = gsim_time_us(e.list[i].time - before);
        double *sum = open[COMPUTE]    ? &sums.compute
                      : open[TRANSFER] ? &sums.exposed_transfer
                      : open[WAITING]  ? &sums.exposed_waiting
                                       : &sums.idle;
        *sum += us;
        before = e.list[i].time;
        open[e.list[i].kind] += e.list[i].step;
    }
    sums.idle += gsim_time_us(e.until - before);
    sums.step = count > 1 ? gsim_time_us(e.until - first_end) / (count - 1) : gsim_time_us(e.until - e.from);
    gsim_free(e.list);
    return sums;
}

uint32_t gsim_cli_rank_times(const struct gsim_timeline *timeline, uint32_t count, struct gsim_cli_rank_time *times,
                             double *step_us)
{
    uint32_t late = 0;
    *step_us = 0;
    for (uint32_t i = 0; i < count; i++) {
        times[i] = gsim_cli_rank_time(timeline, i);
        if (times[i].step > *step_us) *step_us = times[i].step;
        if (times[i].all_waiting < times[late].all_waiting) late = i;
    }
    return late;
}
