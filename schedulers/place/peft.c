/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * peft: PEFT over GPUs (Arabnejad, Barbosa, TPDS 2014): by the mean of a table of optimistic costs, of what is ready;
 * each where its end and the table's entry are least. Deviation: ops of the host have their times alone.
 */
#include <math.h>

#include "schedulers/place/eft.h"

struct peft {
    struct gsim_eft e;
    double *cost; /* the table, by node and GPU */
    uint32_t *waiting, *ready, ready_count;
};

static double *entry(const struct peft *s, uint32_t node, uint32_t device)
{
    return &s->cost[(size_t)node * s->e.p->device_count + device];
}

static void fill_table(struct peft *s)
{
    const struct gsim_dag *dag = s->e.dag;
    uint32_t devices = s->e.p->device_count;
    for (uint32_t node = s->e.list->op_count; node-- > 0;)
        for (uint32_t d = 0; d < devices; d++)
            for (uint32_t i = dag->succ_start[node]; i < dag->succ_start[node + 1]; i++) {
                uint32_t next = dag->succs[i];
                double least = INFINITY;
                for (uint32_t q = 0; q < devices; q++)
                    least = fmin(least, *entry(s, next, q) + s->e.cost_us[next] +
                                            (q == d ? 0 : gsim_eft_mean_us(&s->e, node, next)));
                *entry(s, node, d) = fmax(*entry(s, node, d), least);
            }
}

static double rank(const struct peft *s, uint32_t node)
{
    double sum = 0;
    for (uint32_t d = 0; d < s->e.p->device_count; d++) sum += *entry(s, node, d);
    return sum;
}

/* The ready node of the greatest rank; ties go to the first in the program. */
static uint32_t pop_ready(struct peft *s)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < s->ready_count; i++) {
        double a = rank(s, s->ready[i]), b = rank(s, s->ready[best]);
        if (a > b || (a == b && s->ready[i] < s->ready[best])) best = i;
    }
    uint32_t node = s->ready[best];
    s->ready[best] = s->ready[--s->ready_count];
    return node;
}

static void place_node(struct peft *s, uint32_t node)
{
    const struct gsim_dag *dag = s->e.dag;
    uint32_t best = 0;
    double least = INFINITY;
    for (uint32_t d = 0; d < s->e.p->device_count; d++) {
        double us = gsim_eft_end_us(&s->e, node, d) + *entry(s, node, d);
        if (us >= least) continue;
        least = us;
        best = d;
    }
    gsim_eft_put(&s->e, node, best);
    for (uint32_t i = dag->succ_start[node]; i < dag->succ_start[node + 1]; i++)
        if (!--s->waiting[dag->succs[i]]) s->ready[s->ready_count++] = dag->succs[i];
}

static enum gsim_status plan(struct gsim_placing *p, const struct gsim_oplist *list, const struct gsim_dag *dag,
                             uint32_t *device_of, struct gsim_error *error)
{
    struct peft s = {0};
    size_t nodes = (size_t)list->op_count + 1;
    bool ok = gsim_eft_init(&s.e, p, list, dag, device_of);
    s.cost = gsim_alloc(sizeof *s.cost * nodes * p->device_count);
    s.waiting = gsim_alloc(sizeof *s.waiting * nodes);
    s.ready = gsim_alloc(sizeof *s.ready * nodes);
    ok = ok && s.cost && s.waiting && s.ready;
    if (ok) fill_table(&s);
    for (uint32_t node = 0; ok && node < list->op_count; node++) {
        s.waiting[node] = dag->pred_start[node + 1] - dag->pred_start[node];
        if (!s.waiting[node]) s.ready[s.ready_count++] = node;
    }
    while (ok && s.ready_count) {
        place_node(&s, pop_ready(&s));
        ok = !s.e.failed;
    }
    gsim_eft_release(&s.e);
    gsim_free(s.cost);
    gsim_free(s.waiting);
    gsim_free(s.ready);
    return ok ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "out of memory while placing");
}

const struct gsim_placement_ops gsim_placement_peft = {
    GSIM_PLACEMENT_HEAD,
    .name = "peft",
    .summary = "PEFT over GPUs, with transfers",
    .source = "Arabnejad, Barbosa, TPDS 25(3), 2014",
    .plan = plan,
};
