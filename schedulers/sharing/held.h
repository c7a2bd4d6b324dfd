/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: schedulers. What policies among tasks share: each task's held launches, first come, first served, by their
 * DATA. */
#pragma once

#include "gpusim/task.h"

/* state_of() and params_of() of a file's policy. */
#define GSIM_SHARE_OWN(state_type, params_type)                                                                        \
    static state_type *state_of(const struct gsim_share *share) { return share->state; }                               \
    static const params_type *params_of(const struct gsim_share *share) { return share->params; }

struct gsim_held {
    struct gsim_share_kernel *first, *last;
    uint32_t count;
};

static inline void gsim_held_push(struct gsim_held *h, struct gsim_share_kernel *k)
{
    k->data = NULL;
    if (h->first) h->last->data = k;
    else h->first = k;
    h->last = k;
    h->count++;
}

/* NULL: none. */
static inline struct gsim_share_kernel *gsim_held_pop(struct gsim_held *h)
{
    struct gsim_share_kernel *k = h->first;
    if (!k) return NULL;
    h->first = k->data;
    h->count--;
    k->data = NULL;
    return k;
}

/* By the profile; 0: not known. */
static inline double gsim_profiled_us(const struct gsim_share *share, const struct gsim_share_kernel *k)
{
    return share->profile ? share->profile->tasks[k->task].entries[k->identity].kernel_us : 0;
}

static inline uint64_t gsim_blocks_of(const struct gsim_share_kernel *k)
{
    return (uint64_t)k->kernel->grid.x * k->kernel->grid.y * k->kernel->grid.z;
}
