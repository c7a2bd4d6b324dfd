/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper of heft.c and peft.c). Earliest finish times on GPUs, one kernel at a time on each, with
 * transfers between them and gaps filled. Host ops keep their order on the host.
 */
#pragma once

#include "gpusim/placement.h"
#include "schedulers/shared/idle.h"

struct gsim_eft {
    struct gsim_placing *p;
    const struct gsim_oplist *list;
    const struct gsim_dag *dag;
    uint32_t *device_of;
    double *cost_us, *end_us;
    struct gsim_idle *idle; /* by device */
    bool failed;
};

bool gsim_eft_init(struct gsim_eft *eft, struct gsim_placing *p, const struct gsim_oplist *list,
                   const struct gsim_dag *dag, uint32_t *device_of);
void gsim_eft_release(struct gsim_eft *eft);
static inline bool gsim_eft_is_kernel(const struct gsim_eft *eft, uint32_t node)
{
    return eft->list->ops[node]->kind == GSIM_OP_KERNEL;
}
/* Of the data that edge FROM to TO carries, averaged over all pairs of GPUs, the same one included. */
double gsim_eft_mean_us(const struct gsim_eft *eft, uint32_t from, uint32_t to);
/* When NODE could end on DEVICE, if all that it follows has its place. */
double gsim_eft_end_us(const struct gsim_eft *eft, uint32_t node, uint32_t device);
/* It gets its place there; of others than kernels the time alone. */
void gsim_eft_put(struct gsim_eft *eft, uint32_t node, uint32_t device);
