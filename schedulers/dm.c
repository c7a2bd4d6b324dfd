/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dm: a queue for each GPU; a kernel that is ready goes to the one that the placement names: --place, or dmda (StarPU's
 * dm family, at run time). A queue goes by the placement's order: first in, first out, or what lacks fewest bytes
 * there. A policy: gpusim/policy.h.
 */
#include "gpusim/policy.h"

struct dm_params {
    struct gsim_policy_params common;
};

struct dm {
    struct gsim_policy_queue *queues; /* by device */
    uint32_t *devices;                /* all of them, as candidates */
};

static enum gsim_status init(struct gsim_policy_run *p, struct gsim_error *error)
{
    struct dm *s = p->state = GSIM_ARENA_NEW(p->run->arena, struct dm);
    if (s) s->queues = GSIM_ARENA_ARRAY(p->run->arena, struct gsim_policy_queue, p->device_count);
    if (s) s->devices = GSIM_ARENA_ARRAY(p->run->arena, uint32_t, p->device_count);
    if (p->run->arena->failed) return gsim_no_memory(error);
    for (uint32_t d = 0; d < p->device_count; d++) s->devices[d] = d;
    return GSIM_OK;
}

static void push(struct gsim_policy_run *p, struct gsim_policy_op *op)
{
    const struct dm *s = p->state;
    gsim_policy_append(&s->queues[gsim_placing_choose(p->placing, op->op, s->devices, p->device_count)], op);
}

/* The one before the op that lacks fewest bytes on DEVICE; NULL: the first of all. */
static struct gsim_policy_op *before_best(struct gsim_policy_run *p, const struct gsim_policy_queue *q, uint32_t device)
{
    struct gsim_policy_op *best = NULL, *before = NULL;
    uint64_t least = UINT64_MAX;
    for (struct gsim_policy_op *op = q->first; op; before = op, op = op->next) {
        uint64_t lacks = gsim_placing_total(p->placing, op->op) - gsim_placing_present(p->placing, op->op, device);
        if (lacks >= least) continue;
        least = lacks;
        best = before;
    }
    return best;
}

static struct gsim_policy_op *pop(struct gsim_policy_run *p, uint32_t device)
{
    struct gsim_policy_queue *q = &((struct dm *)p->state)->queues[device];
    struct gsim_policy_op *before = p->run->placement->queue == GSIM_QUEUE_DATA ? before_best(p, q, device) : NULL;
    if (!before) return gsim_policy_take(q);
    struct gsim_policy_op *op = before->next;
    before->next = op->next;
    if (q->last == op) q->last = before;
    return op;
}

static const struct gsim_policy_ops policy = {.init = init, .push = push, .pop = pop};

static const struct gsim_param params_table[] = {GSIM_POLICY_PARAMS(struct dm_params), {.name = NULL}};

GSIM_POLICY_SCHEDULER(dm, "dm",
                      "a queue for each GPU; a kernel that is ready goes where the placement says (default dmda)",
                      "StarPU, deque_modeling_policy_data_aware.c", struct dm_params, params_table, &policy);
