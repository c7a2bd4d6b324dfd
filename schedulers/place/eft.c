/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See schedulers/place/eft.h. */
#include "schedulers/place/eft.h"

#include <math.h>

#include "sim/program/access.h"

bool gsim_eft_init(struct gsim_eft *e, struct gsim_placing *p, const struct gsim_oplist *list,
                   const struct gsim_dag *dag, uint32_t *device_of)
{
    *e = (struct gsim_eft){.p = p, .list = list, .dag = dag, .device_of = device_of};
    e->cost_us = gsim_alloc(sizeof *e->cost_us * ((size_t)list->op_count + 1));
    e->end_us = gsim_alloc(sizeof *e->end_us * ((size_t)list->op_count + 1));
    e->idle = gsim_alloc(sizeof *e->idle * p->device_count);
    if (!e->cost_us || !e->end_us || !e->idle) return false;
    for (uint32_t node = 0; node < list->op_count; node++) e->cost_us[node] = gsim_estimate_us(p->run, list->ops[node]);
    for (uint32_t d = 0; d < p->device_count; d++)
        if (!gsim_idle_init(&e->idle[d])) return false;
    return true;
}

void gsim_eft_release(struct gsim_eft *e)
{
    for (uint32_t d = 0; e->idle && d < e->p->device_count; d++) gsim_idle_release(&e->idle[d]);
    gsim_free(e->idle);
    gsim_free(e->cost_us);
    gsim_free(e->end_us);
}

/* Bytes that FROM writes and TO reads. */
static double bytes_between(const struct gsim_eft *e, uint32_t from, uint32_t to)
{
    struct gsim_access_walk writer = {.op = e->list->ops[from]};
    double sum = 0;
    for (struct gsim_access w; gsim_access_next(&writer, &w);) {
        struct gsim_access_walk reader = {.op = e->list->ops[to]};
        uint64_t size = e->p->run->program->buffers[w.buffer_index].bytes;
        for (struct gsim_access r; w.writes && gsim_access_next(&reader, &r);) {
            if (!r.reads || r.buffer_index != w.buffer_index) continue;
            uint64_t begin = r.begin > w.begin ? r.begin : w.begin, end = r.end < w.end ? r.end : w.end;
            if (end > size) end = size;
            if (end > begin) sum += (double)(end - begin);
        }
    }
    return sum;
}

static double move_us(const struct gsim_eft *e, double bytes, uint32_t from, uint32_t to)
{
    if (from == to || !(bytes > 0)) return 0;
    return gsim_placing_latency_us(e->p, from, to) + bytes / (gsim_placing_gbps(e->p, from, to) * 1e3);
}

double gsim_eft_mean_us(const struct gsim_eft *e, uint32_t from, uint32_t to)
{
    uint32_t n = e->p->device_count;
    if (!gsim_eft_is_kernel(e, from) || !gsim_eft_is_kernel(e, to)) return 0;
    double sum = 0, bytes = bytes_between(e, from, to);
    for (uint32_t a = 0; a < n && bytes > 0; a++)
        for (uint32_t b = 0; b < n; b++) sum += move_us(e, bytes, a, b);
    return sum / ((double)n * n);
}

static double ready_us(const struct gsim_eft *e, uint32_t node, uint32_t device)
{
    const struct gsim_dag *dag = e->dag;
    double ready = 0;
    for (uint32_t i = dag->pred_start[node]; i < dag->pred_start[node + 1]; i++) {
        uint32_t pred = dag->preds[i];
        const struct gsim_op *op = e->list->ops[pred];
        uint32_t from = op->kind == GSIM_OP_KERNEL       ? e->device_of[pred]
                        : op->kind == GSIM_OP_HOST_WRITE ? GSIM_AT_HOST
                                                         : device;
        bool crosses = gsim_eft_is_kernel(e, node) && from != device;
        ready = fmax(ready, e->end_us[pred] + (crosses ? move_us(e, bytes_between(e, pred, node), from, device) : 0));
    }
    return ready;
}

double gsim_eft_end_us(const struct gsim_eft *e, uint32_t node, uint32_t device)
{
    double start, ready = ready_us(e, node, device);
    if (!gsim_eft_is_kernel(e, node)) return ready + e->cost_us[node];
    gsim_idle_find(&e->idle[device], ready, e->cost_us[node], false, &start);
    return start + e->cost_us[node];
}

void gsim_eft_put(struct gsim_eft *e, uint32_t node, uint32_t device)
{
    double start, ready = ready_us(e, node, device), cost = e->cost_us[node];
    e->device_of[node] = device;
    e->end_us[node] = ready + cost;
    if (!gsim_eft_is_kernel(e, node)) return;
    size_t at = gsim_idle_find(&e->idle[device], ready, cost, false, &start);
    e->end_us[node] = start + cost;
    if (!gsim_idle_take(&e->idle[device], at, start, start + cost)) e->failed = true;
}
