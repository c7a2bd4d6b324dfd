/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session's callbacks as a policy of the runner (gpusim/policy.h). */
#include "session/policy.h"

/* What the callbacks have been told of, by op; NULL: not pushed, or popped. */
struct told {
    struct gsim_policy_op **ops;
};

static const struct gsim_session_callbacks *calls_of(const struct gsim_policy_run *p) { return p->params; }

static double now_us(const struct gsim_policy_run *p) { return gsim_now_us(p->run->driver); }

static enum gsim_status init(struct gsim_policy_run *p, struct gsim_error *error)
{
    struct told *t = GSIM_ARENA_NEW(p->run->arena, struct told);
    if (t) t->ops = GSIM_ARENA_ARRAY(p->run->arena, struct gsim_policy_op *, (size_t)p->run->program->op_count + 1);
    p->state = t;
    return t && t->ops ? GSIM_OK : gsim_no_memory(error);
}

/* The GPU that holds most of what OP takes; -1: none holds any. */
static int64_t home_of(struct gsim_policy_run *p, const struct gsim_op *op)
{
    int64_t home = -1;
    uint64_t most = 0;
    for (uint32_t d = 0; d < p->device_count; d++) {
        uint64_t bytes = gsim_placing_present(p->placing, op, d);
        if (bytes <= most) continue;
        most = bytes;
        home = d;
    }
    return home;
}

static void push(struct gsim_policy_run *p, struct gsim_policy_op *op)
{
    static const char *const kinds[] = {"kernel", "copy", "prefetch", "host_write", "host_read", "host_compute"};
    const struct gsim_op *o = op->op;
    const char *name = o->kind == GSIM_OP_KERNEL ? p->run->program->kernels[o->kernel_index].name : kinds[o->kind];
    ((struct told *)p->state)->ops[op->number] = op;
    calls_of(p)->push(calls_of(p)->data, op->number, name, op->estimate_us, op->ready_us, home_of(p, o));
}

static struct gsim_policy_op *pop(struct gsim_policy_run *p, uint32_t device)
{
    struct told *t = p->state;
    int64_t number = calls_of(p)->pop(calls_of(p)->data, device, now_us(p));
    if (number < 0) return NULL;
    struct gsim_policy_op *op = number < p->run->program->op_count ? t->ops[number] : NULL;
    if (op) t->ops[number] = NULL;
    else gsim_error_set(&p->error, GSIM_INPUT, "the policy gives op %lld, which is not ready", (long long)number);
    return op;
}

static void done(struct gsim_policy_run *p, struct gsim_policy_op *op)
{
    if (calls_of(p)->done) calls_of(p)->done(calls_of(p)->data, op->number, now_us(p));
}

static const struct gsim_policy_ops policy = {.init = init, .push = push, .pop = pop, .done = done};

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    return gsim_policy_execute(run, &policy, error);
}

const struct gsim_scheduler_ops gsim_session_scheduler_ops = {
    GSIM_HEAD(scheduler),
    .name = "policy",
    .summary = "a policy of the program that embeds the library",
    .source = "gpusim/session.h",
    .shape = GSIM_SHAPE_CONCURRENT,
    .places = true,
    .params_size = sizeof(struct gsim_session_callbacks),
    .execute = execute,
};
