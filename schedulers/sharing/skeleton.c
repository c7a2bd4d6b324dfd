/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * skeleton: where a new policy among tasks starts. It works: one kernel at a time has the GPU, of the most urgent task
 * that has one, and of equals the one that came first. Built and tested with the others, but not listed in sharing.def;
 * as a shared object of its own it exports "gsim_sharing" (include/gpusim/task.h says what is called when, and what it
 * may do).
 */
#include "gpusim/task.h"

/* Parameters: one field and one row of the table below for each. bool, int64_t, double, or int for a choice. */
struct skeleton_params {
    double decision_us;
};

#define MOST 256

/* The policy's own: share->state, zeroed at first. */
struct skeleton {
    struct gsim_share_kernel *held[MOST];
    uint32_t count;
    bool is_busy;
};

static void release_next(struct gsim_share *share)
{
    struct skeleton *s = share->state;
    const struct skeleton_params *p = share->params;
    uint32_t best = 0;
    if (s->is_busy || !s->count) return;
    for (uint32_t i = 1; i < s->count; i++) {
        int own = share->tasks[s->held[i]->task].priority, other = share->tasks[s->held[best]->task].priority;
        if (own < other || (own == other && s->held[i]->number < s->held[best]->number)) best = i;
    }
    struct gsim_share_kernel *kernel = s->held[best];
    s->held[best] = s->held[--s->count];
    s->is_busy = true;
    gsim_share_release(share, kernel, p->decision_us);
}

/* A launch has come to the head of its stream. It is held until the policy releases it. */
static void ready(struct gsim_share *share, struct gsim_share_kernel *kernel)
{
    struct skeleton *s = share->state;
    if (s->count == MOST) {
        gsim_share_release(share, kernel, 0); /* more streams than this policy remembers */
        return;
    }
    s->held[s->count++] = kernel;
    release_next(share);
}

static void ended(struct gsim_share *share, struct gsim_share_kernel *kernel)
{
    struct skeleton *s = share->state;
    (void)kernel;
    s->is_busy = false;
    release_next(share);
}

extern const struct gsim_sharing_ops gsim_sharing_skeleton; /* of a shared object: leave this out */
const struct gsim_sharing_ops gsim_sharing_skeleton = {
    GSIM_HEAD(sharing),
    .name = "skeleton",
    .summary = "one kernel at a time, the most urgent task's first",
    .source = "ours",
    GSIM_PARAMS(struct skeleton_params,
        GSIM_REAL(struct skeleton_params, decision_us, 0, 0, 1000, "us", "what a decision takes")),
    .base = {.mechanism = GSIM_MECHANISM_MPS}, /* where the tasks' contexts meet below the policy */
    .state_size = sizeof(struct skeleton),
    .ready = ready,
    .ended = ended,
};
