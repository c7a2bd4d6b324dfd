/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * heft: HEFT over GPUs (Topcuoglu, Hariri, Wu, TPDS 2002): kernels by upward rank, each on the GPU on which it ends
 * first, with transfers, gaps filled. Deviation: ops of the host have their times alone.
 */
#include <math.h>

#include "schedulers/place/eft.h"

/* Keys are ranks below zero: the greatest comes first. */
static void rank(const struct gsim_eft *e, struct gsim_keyed *ranked)
{
    for (uint32_t node = e->list->op_count; node-- > 0;) {
        double longest = 0;
        for (uint32_t i = e->dag->succ_start[node]; i < e->dag->succ_start[node + 1]; i++) {
            uint32_t next = e->dag->succs[i];
            longest = fmax(longest, gsim_eft_mean_us(e, node, next) - ranked[next].key);
        }
        ranked[node] = (struct gsim_keyed){-(e->cost_us[node] + longest), node};
    }
}

static enum gsim_status plan(struct gsim_placing *p, const struct gsim_oplist *list, const struct gsim_dag *dag,
                             uint32_t *device_of, struct gsim_error *error)
{
    struct gsim_eft e;
    struct gsim_keyed *ranked = gsim_alloc(sizeof *ranked * ((size_t)list->op_count + 1));
    bool ok = gsim_eft_init(&e, p, list, dag, device_of) && ranked;
    if (ok) rank(&e, ranked);
    if (ok) gsim_keyed_sort(ranked, list->op_count);
    for (uint32_t i = 0; ok && i < list->op_count; i++) {
        uint32_t best = 0;
        for (uint32_t d = 1; d < p->device_count && gsim_eft_is_kernel(&e, ranked[i].node); d++)
            if (gsim_eft_end_us(&e, ranked[i].node, d) < gsim_eft_end_us(&e, ranked[i].node, best)) best = d;
        gsim_eft_put(&e, ranked[i].node, best);
        ok = !e.failed;
    }
    gsim_eft_release(&e);
    gsim_free(ranked);
    return ok ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "out of memory while placing");
}

const struct gsim_placement_ops gsim_placement_heft = {
    GSIM_PLACEMENT_HEAD,
    .name = "heft",
    .summary = "HEFT over GPUs, with transfers",
    .source = "Topcuoglu, Hariri, Wu, TPDS 13(3), 2002",
    .plan = plan,
};
