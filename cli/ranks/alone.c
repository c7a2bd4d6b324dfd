/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). Kernels of ranks that ran beside a collective took longer: its blocks held SMs, or moved data.
 * What such a kernel takes alone is told by the same kernel elsewhere, on any rank, beside none (cli/ranks/traces.h).
 */
#include <stdlib.h>
#include <string.h>

#include "cli/ranks/traces.h"

#define BESIDE 0.02 /* of a kernel's time, from which on it counts as beside a collective */

struct launch {
    struct gsim_kernel *kernel;
    double us;
    bool is_beside;
};

static bool is_collective(const struct gsim_program *p, const struct gsim_recorded_op *r)
{
    return p->ops[r->op].kind == GSIM_OP_KERNEL && p->kernels[p->ops[r->op].kernel_index].collective;
}

static double overlap(const struct gsim_recorded_op *const *collectives, size_t count, const struct gsim_recorded_op *r)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const struct gsim_recorded_op *c = collectives[i];
        if (c->start_us >= r->end_us || c->end_us <= r->start_us) continue;
        sum +=
            (c->end_us < r->end_us ? c->end_us : r->end_us) - (c->start_us > r->start_us ? c->start_us : r->start_us);
    }
    return sum;
}

/* COLLECTIVES: room for all of T's. */
static size_t collect(const struct gsim_cli_rank_trace *t, struct launch *list,
                      const struct gsim_recorded_op **collectives)
{
    size_t count = 0, collective_count = 0;
    for (uint32_t i = 0; i < t->times.count; i++)
        if (is_collective(&t->program, &t->times.ops[i])) collectives[collective_count++] = &t->times.ops[i];
    for (uint32_t i = 0; i < t->times.count; i++) {
        const struct gsim_recorded_op *r = &t->times.ops[i];
        if (!r->is_kernel || r->start_us != r->start_us || is_collective(&t->program, r)) continue;
        double us = r->end_us - r->start_us;
        list[count++] = (struct launch){&t->program.kernels[t->program.ops[r->op].kernel_index], us,
                                        overlap(collectives, collective_count, r) > BESIDE * us};
    }
    return count;
}

static int by_kernel(const void *a, const void *b)
{
    const struct launch *x = a, *y = b;
    int names = strcmp(x->kernel->name, y->kernel->name),
        grids = memcmp(&x->kernel->grid, &y->kernel->grid, sizeof x->kernel->grid);
    if (names) return names;
    if (grids) return grids;
    int blocks = memcmp(&x->kernel->block, &y->kernel->block, sizeof x->kernel->block);
    if (blocks) return blocks;
    if (x->is_beside != y->is_beside) return x->is_beside ? 1 : -1;
    return x->us < y->us ? -1 : x->us > y->us;
}

static bool is_same(const struct launch *x, const struct launch *y)
{
    struct launch a = *x, b = *y;
    a.us = b.us = 0;
    a.is_beside = b.is_beside = false;
    return by_kernel(&a, &b) == 0;
}

/* Launches of one kernel: those beside none come first, by time. */
static uint32_t correct(struct launch *list, size_t count)
{
    size_t alone = 0;
    uint32_t corrected = 0;
    while (alone < count && !list[alone].is_beside) alone++;
    for (size_t i = alone; i < count && alone; i++) {
        double us = list[alone / 2].us;
        if (us >= list[i].kernel->solo_us) continue;
        list[i].kernel->solo_us = us;
        corrected++;
    }
    return corrected;
}

void gsim_cli_rank_traces_find_alone(struct gsim_cli_rank_traces *t)
{
    size_t count = 0;
    uint32_t corrected = 0;
    for (uint32_t i = 0; i < t->count; i++) count += t->traces[i].times.count;
    struct launch *list = gsim_alloc(sizeof *list * (count + 1));
    const struct gsim_recorded_op **collectives = gsim_alloc(sizeof *collectives * (count + 1));
    count = 0;
    for (uint32_t i = 0; i < t->count; i++) count += collect(&t->traces[i], list + count, collectives);
    gsim_free(collectives);
    qsort(list, count, sizeof *list, by_kernel);
    for (size_t from = 0, until; from < count; from = until) {
        for (until = from + 1; until < count && is_same(&list[from], &list[until]);) until++;
        corrected += correct(list + from, until - from);
    }
    gsim_free(list);
    if (corrected)
        gsim_cli_rank_note(t, "%u kernels ran beside collectives: taken to need alone what the same ones do beside "
                           "none (--alone)", corrected);
}
