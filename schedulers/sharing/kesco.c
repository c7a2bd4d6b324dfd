/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kesco: KeSCo's tasks (ICCD 2023), as its slides have them: each task's streams are a zone, less urgent tasks are
 * postponed, and the zones' streams are merged: a task's stream stands behind the more urgent tasks' streams of the
 * same place, so its kernels go once those have ended. Of equal priorities the one that comes first in the list is the
 * more urgent. The kernel level is the tasks' scheduler's: sched=kesco.
 *
 * Ours, since no pseudo-code was to be had: merged is stream j with stream j, modulo streams; where the paper's
 * compiler knows a program, this one counts: a task has done with a stream when its request has ended, or when every
 * kernel of it that has not come yet stands behind others. demotion=off lets all go at once (zones side by side). Waits
 * that merging makes redundant cost nothing here, so none is removed.
 */
#include <string.h>

#include "schedulers/sharing/held.h"

struct kesco_params {
    bool demotion;
    int64_t streams;
};

#define MAX_STREAMS 64
#define MAX_KERNELS 256 /* of a task at a time: one a stream, or a graph's */

struct zone {
    bool is_active;                     /* has a request */
    uint32_t total, seen;               /* kernels of its program; that have come of this request */
    struct gsim_share_kernel *kernels[MAX_KERNELS]; /* held or under way, in the order in which they came */
    uint32_t count;
};

GSIM_SHARE_OWN(struct zone, struct kesco_params) /* by task */

static uint32_t place_of(const struct gsim_share *share, const struct gsim_share_kernel *k)
{
    return k->stream % (uint32_t)params_of(share)->streams;
}

static bool is_before(const struct gsim_share *share, uint32_t a, uint32_t b)
{
    int x = share->tasks[a].priority, y = share->tasks[b].priority;
    return x < y || (x == y && a < b);
}

/* Whether the task may still have a kernel there. */
static bool is_busy(struct gsim_share *share, uint32_t task, uint32_t place)
{
    const struct zone *z = &state_of(share)[task];
    uint32_t behind = 0;
    if (!z->is_active) return false;
    for (uint32_t i = 0; i < z->count; i++) {
        if (place_of(share, z->kernels[i]) == place) return true;
        behind += gsim_share_behind(share, z->kernels[i]);
    }
    return z->total - z->seen > behind;
}

static bool may_go(struct gsim_share *share, const struct gsim_share_kernel *k)
{
    if (!params_of(share)->demotion) return true;
    for (uint32_t t = 0; t < share->task_count; t++)
        if (t != k->task && is_before(share, t, k->task) && is_busy(share, t, place_of(share, k))) return false;
    return true;
}

static void release_held(struct gsim_share *share)
{
    const struct zone *zones = state_of(share);
    for (uint32_t t = 0; t < share->task_count; t++)
        for (uint32_t i = 0; i < zones[t].count; i++) {
            struct gsim_share_kernel *k = zones[t].kernels[i];
            if (k->state != GSIM_SHARE_HELD || !may_go(share, k)) continue;
            gsim_share_decide(share, k, 0);
        }
}

static void request_began(struct gsim_share *share, uint32_t task)
{
    struct zone *z = &state_of(share)[task];
    z->is_active = true;
    z->seen = 0;
}

static void request_ended(struct gsim_share *share, uint32_t task)
{
    state_of(share)[task].is_active = false;
    release_held(share);
}

static void ready(struct gsim_share *share, struct gsim_share_kernel *k)
{
    struct zone *z = &state_of(share)[k->task];
    if (z->seen < z->total) z->seen++;
    if (z->count == MAX_KERNELS) {
        gsim_share_release(share, k, 0);
        return;
    }
    z->kernels[z->count++] = k;
    release_held(share);
}

static void ended(struct gsim_share *share, struct gsim_share_kernel *k)
{
    struct zone *z = &state_of(share)[k->task];
    for (uint32_t i = 0; i < z->count; i++) {
        if (z->kernels[i] != k) continue;
        memmove(&z->kernels[i], &z->kernels[i + 1], (--z->count - i) * sizeof k);
        break;
    }
    release_held(share);
}

static enum gsim_status start(struct gsim_share *share, struct gsim_error *error)
{
    (void)error;
    for (uint32_t t = 0; t < share->task_count; t++)
        for (uint32_t o = 0; o < share->tasks[t].program->op_count; o++)
            state_of(share)[t].total += share->tasks[t].program->ops[o].kind == GSIM_OP_KERNEL;
    return GSIM_OK;
}

const struct gsim_sharing_ops gsim_sharing_kesco = {
    GSIM_HEAD(sharing),
    .name = "kesco",
    .summary = "tasks in one process whose streams stand behind those of more urgent tasks",
    .source = "KeSCo (ICCD 2023), its slides",
    GSIM_PARAMS(struct kesco_params,
        GSIM_BOOL(struct kesco_params, demotion, 1, "less urgent tasks' streams stand behind the more urgent ones'"),
        GSIM_INT(struct kesco_params, streams, 10, 1, MAX_STREAMS, "", "places of merged streams")),
    .base = {.mechanism = GSIM_MECHANISM_STREAMS},
    .task_size = sizeof(struct zone),
    .start = start,
    .request_began = request_began,
    .request_ended = request_ended,
    .ready = ready,
    .ended = ended,
};
