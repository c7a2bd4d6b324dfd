/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A plain second prediction of an assignment (ask/schedule/assign.h): a kernel takes the share of SMs that its blocks
 * come to, and kernels that together want more than all of them go slower in proportion, so that nothing is gained
 * beside a kernel that fills the GPU.
 */
#include <math.h>

#include "ask/schedule/assign.h"

struct stream {
    uint32_t unit, node;  /* what it runs or waits for; UNIT is the units' count where it is through */
    double ready_us;      /* its node may begin */
    double left_us, share; /* of the node under way; LEFT_US below 0: it has not begun */
};

struct walk {
    const struct gsim_assignment *a;
    const struct gsim_units *u;
    const struct gsim_simulation *base;
    double *end_us; /* by unit; INFINITY: not ended */
    struct stream streams[GSIM_ASSIGN_STREAMS];
    double now_us, gap_us, cross_us;
};

static double share_of(const struct walk *w, const struct gsim_op *op)
{
    if (op->kind != GSIM_OP_KERNEL) return 0; /* a copy engine's */
    const struct gsim_kernel *k = &w->u->source->kernels[op->kernel_index];
    return fmin(1, (double)k->grid.x * k->grid.y * k->grid.z / w->base->device->sm_count);
}

/* The next unit of STREAM from FROM on. */
static void go_on(struct walk *w, uint32_t stream, uint32_t from)
{
    struct stream *s = &w->streams[stream];
    while (from < w->u->count && w->a->stream_of[from] != stream) from++;
    s->unit = from;
    s->left_us = -1;
    s->ready_us = INFINITY;
    if (from < w->u->count) s->node = w->u->units[from].first;
}

/* When the node that STREAM waits with may begin; INFINITY where that is not known yet. */
static double ready(const struct walk *w, const struct stream *s, double free_us)
{
    double us = free_us;
    for (uint32_t e = w->a->wait_start[s->unit]; e < w->a->wait_start[s->unit + 1]; e++)
        us = fmax(us, w->end_us[w->a->waits[e]] + w->cross_us);
    return us;
}

static void end_node(struct walk *w, uint32_t stream, double *free_us)
{
    struct stream *s = &w->streams[stream];
    const struct gsim_unit *unit = &w->u->units[s->unit];
    free_us[stream] = w->now_us + w->gap_us;
    if (s->node + 1 < unit->first + unit->count) {
        s->node++;
        s->left_us = -1;
        s->ready_us = free_us[stream];
        return;
    }
    w->end_us[s->unit] = w->now_us;
    go_on(w, stream, s->unit + 1);
}

/* Up to the next start or end; false: nothing is left. */
static bool step(struct walk *w, double *free_us)
{
    double wanted = 0, next_us = INFINITY;
    for (uint32_t i = 0; i < w->a->stream_count; i++) {
        struct stream *s = &w->streams[i];
        if (s->unit == w->u->count) continue;
        if (s->left_us < 0 && !isfinite(s->ready_us)) s->ready_us = ready(w, s, free_us[i]);
        if (s->left_us < 0 && s->ready_us <= w->now_us) {
            const struct gsim_op *op = &w->u->source->ops[w->u->nodes[s->node]];
            s->left_us = gsim_units_node_us(w->base, op);
            s->share = share_of(w, op);
        }
        if (s->left_us >= 0) wanted += s->share;
    }
    double rate = wanted > 1 ? 1 / wanted : 1;
    for (uint32_t i = 0; i < w->a->stream_count; i++) {
        const struct stream *s = &w->streams[i];
        if (s->unit == w->u->count) continue;
        next_us = fmin(next_us, s->left_us < 0 ? s->ready_us : w->now_us + s->left_us / (s->share > 0 ? rate : 1));
    }
    if (!isfinite(next_us)) return false;
    double passed_us = next_us - w->now_us;
    w->now_us = next_us;
    for (uint32_t i = 0; i < w->a->stream_count; i++) {
        struct stream *s = &w->streams[i];
        if (s->unit == w->u->count || s->left_us < 0) continue;
        s->left_us -= passed_us * (s->share > 0 ? rate : 1);
        if (s->left_us < 1e-9) end_node(w, i, free_us);
    }
    return true;
}

enum gsim_status gsim_assignment_plain(const struct gsim_assignment *a, const struct gsim_units *u,
                                       const struct gsim_simulation *base, double *us, struct gsim_error *error)
{
    double free_us[GSIM_ASSIGN_STREAMS] = {0};
    struct walk w = {.a = a, .u = u, .base = base, .gap_us = base->device->graph_node_gap_us};
    w.cross_us = fmax(w.gap_us, base->device->graph_cross_gap_us);
    w.end_us = gsim_alloc(sizeof *w.end_us * ((size_t)u->count + 1));
    if (!w.end_us) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (uint32_t i = 0; i < u->count; i++) w.end_us[i] = INFINITY;
    for (uint32_t s = 0; s < a->stream_count; s++) go_on(&w, s, 0);
    while (step(&w, free_us)) {}
    *us = w.now_us;
    gsim_free(w.end_us);
    return GSIM_OK;
}
