/* SPDX-License-Identifier: GPL-3.0-or-later */
/* eager: one queue for all GPUs, first in, first out; whichever has room takes the first (StarPU's eager). A policy:
 * gpusim/policy.h. */
#include "gpusim/policy.h"

struct eager_params {
    struct gsim_policy_params common;
};

static enum gsim_status init(struct gsim_policy_run *p, struct gsim_error *error)
{
    if (p->run->placement && p->run->placement->follows_program)
        return gsim_error_set(error, GSIM_INPUT, "eager: whichever GPU has room takes a kernel, not the program's");
    p->state = GSIM_ARENA_NEW(p->run->arena, struct gsim_policy_queue);
    return p->state ? GSIM_OK : gsim_no_memory(error);
}

static void push(struct gsim_policy_run *p, struct gsim_policy_op *op) { gsim_policy_append(p->state, op); }

static struct gsim_policy_op *pop(struct gsim_policy_run *p, uint32_t device)
{
    (void)device;
    return gsim_policy_take(p->state);
}

static const struct gsim_policy_ops policy = {.init = init, .push = push, .pop = pop};

static const struct gsim_param params_table[] = {GSIM_POLICY_PARAMS(struct eager_params), {.name = NULL}};

GSIM_POLICY_SCHEDULER(eager, "eager", "one queue for all GPUs: whichever has room takes the first kernel that is ready",
                      "StarPU, eager_central_policy.c", struct eager_params, params_table, &policy);
