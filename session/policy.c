/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A plan whose order and streams a session's callbacks choose (gpusim/session.h); events and execution are the plan's
 * (gpusim/schedulers/plan.h).
 */
#include "session/policy.h"

#include "gpusim/schedulers/plan.h"

/* One list while the policy orders it. */
struct ordering {
    struct gsim_run *run;
    const struct gsim_session_callbacks *calls;
    const struct gsim_oplist *list;
    const struct gsim_dag *dag;
    uint32_t *missing;   /* predecessors not issued, by op; UINT32_MAX: issued */
    bool *is_pushed;
    uint32_t *stream_of, *order;
    int64_t *preds;      /* scratch */
    uint32_t count, next_host, earlier; /* issued; the next host op; device ops before it that are not issued */
};

static const char *name_of(const struct ordering *o, const struct gsim_op *op)
{
    static const char *const kinds[] = {"kernel", "copy", "prefetch", "host_write", "host_read", "host_compute"};
    return op->kind == GSIM_OP_KERNEL ? o->run->program->kernels[op->kernel_index].name : kinds[op->kind];
}

static void push_ready(struct ordering *o, uint32_t from, uint32_t until)
{
    for (uint32_t i = from; i < until; i++) {
        if (o->missing[i] || o->is_pushed[i] || gsim_op_is_host(o->list->ops[i])) continue;
        uint32_t begin = o->dag->pred_start[i], count = o->dag->pred_start[i + 1] - begin;
        for (uint32_t p = 0; p < count; p++) o->preds[p] = o->dag->preds[begin + p];
        o->is_pushed[i] = true;
        o->calls->push(o->calls->data, i, name_of(o, o->list->ops[i]), gsim_estimate_us(o->run, o->list->ops[i]),
                       o->preds, count);
    }
}

static void issue(struct ordering *o, uint32_t node)
{
    o->missing[node] = UINT32_MAX;
    o->order[o->count++] = node;
    if (!gsim_op_is_host(o->list->ops[node]) && node < o->next_host) o->earlier--;
    for (uint32_t e = o->dag->succ_start[node]; e < o->dag->succ_start[node + 1]; e++) {
        uint32_t next = o->dag->succs[e];
        if (--o->missing[next] == 0) push_ready(o, next, next + 1);
    }
}

/* The host op behind NEXT_HOST, and how many device ops stand before it. */
static void find_host(struct ordering *o)
{
    for (o->next_host = o->next_host == UINT32_MAX ? 0 : o->next_host + 1; o->next_host < o->list->op_count;
         o->next_host++)
        if (gsim_op_is_host(o->list->ops[o->next_host])) break;
        else o->earlier += o->missing[o->next_host] != UINT32_MAX;
}

static enum gsim_status order(struct ordering *o, struct gsim_error *error)
{
    o->next_host = UINT32_MAX;
    find_host(o);
    push_ready(o, 0, o->list->op_count);
    while (o->count < o->list->op_count) {
        bool has_host = o->next_host < o->list->op_count && !o->missing[o->next_host];
        int64_t stream = 0, node = has_host && !o->earlier ? -1 : o->calls->pop(o->calls->data, &stream);
        if (node < 0 && !has_host)
            return gsim_error_set(error, GSIM_INPUT, "the policy gives no op, and %u of %u are left",
                                  o->list->op_count - o->count, o->list->op_count);
        if (node < 0) {
            uint32_t host = o->next_host;
            issue(o, host);
            find_host(o);
            continue;
        }
        if (node >= o->list->op_count || !o->is_pushed[node] || o->missing[node] == UINT32_MAX)
            return gsim_error_set(error, GSIM_INPUT, "the policy gives op %lld, which is %s", (long long)node,
                                  node < o->list->op_count && o->missing[node] == UINT32_MAX ? "issued already"
                                                                                             : "not ready");
        if (stream < 0 || stream >= o->calls->stream_count)
            return gsim_error_set(error, GSIM_INPUT, "the policy gives stream %lld for op %lld: expected 0 to %lld",
                                  (long long)stream, (long long)node, (long long)o->calls->stream_count - 1);
        o->stream_of[node] = (uint32_t)stream;
        issue(o, (uint32_t)node);
        if (o->calls->done) o->calls->done(o->calls->data, node);
    }
    return GSIM_OK;
}

static enum gsim_status choose(struct gsim_run *run, struct gsim_plan_choice *choice, struct gsim_arena *scratch,
                               struct gsim_error *error)
{
    const struct gsim_dag *dag = choice->dag;
    size_t count = (size_t)choice->list->op_count + 1;
    struct ordering o = {.run = run,
                         .calls = run->params,
                         .list = choice->list,
                         .dag = dag,
                         .missing = GSIM_ARENA_ARRAY(scratch, uint32_t, count),
                         .is_pushed = GSIM_ARENA_ARRAY(scratch, bool, count),
                         .stream_of = GSIM_ARENA_ARRAY(scratch, uint32_t, count),
                         .order = GSIM_ARENA_ARRAY(scratch, uint32_t, count),
                         .preds = GSIM_ARENA_ARRAY(scratch, int64_t, count)};
    if (scratch->failed) return GSIM_OK;
    for (uint32_t i = 0; i < o.list->op_count; i++) o.missing[i] = dag->pred_start[i + 1] - dag->pred_start[i];
    choice->stream_of = o.stream_of;
    choice->order = o.order;
    choice->stream_count = (uint32_t)o.calls->stream_count;
    choice->prune = GSIM_PRUNE_CLOCK;
    return order(&o, error);
}

static enum gsim_status prepare(struct gsim_run *run, struct gsim_error *error)
{
    return gsim_plan_prepare(run, gsim_moves_place_default(run), false, choose, error);
}

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    const struct gsim_session_callbacks *calls = run->params;
    const struct gsim_plan_style style = {.stream_count = (uint32_t)calls->stream_count,
                                          .event_flags = GSIM_EVENT_NO_TIMING};
    return gsim_plan_run(run, choose, style, error);
}

const struct gsim_scheduler_ops gsim_session_scheduler_ops = {
    .abi = GSIM_ABI,
    .size = sizeof(struct gsim_scheduler_ops),
    .name = "policy",
    .summary = "a policy of the program that embeds the library",
    .source = "gpusim/session.h",
    .shape = GSIM_SHAPE_CONCURRENT,
    .params_size = sizeof(struct gsim_session_callbacks),
    .prepare = prepare,
    .execute = execute,
};
