/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * heft: the list scheduler HEFT (Topcuoglu, Hariri, Wu, TPDS 2002): tasks by upward rank, each where it ends first,
 * gaps filled. Deviations: the processors are streams, alike and without contention, beside a stream per direction
 * of the link for transfers, and the host for its own ops, in program order; ops are issued by planned start. Of
 * a program that is drawn each stretch up to a host op is planned on its own, in no time, as if all were idle.
 */
#include <math.h>

#include "gpusim/schedulers/plan.h"
#include "schedulers/shared/idle.h"

struct heft_params {
    int64_t streams;
    double cross_us;
    bool insertion;
};

/* Processors: of each GPU the streams, then the link to it, the link back and, of several, that to others; then the
 * host. */
struct planner {
    struct gsim_run *run;
    const struct heft_params *params;
    const struct gsim_oplist *list;
    const struct gsim_dag *dag;
    uint32_t stream_count, to_device, to_host, to_peer; /* streams for kernels; indices of the others, of a GPU */
    uint32_t per_device, device_count, host;            /* processors of a GPU; the host's index */
    struct gsim_idle *idle;                          /* per processor */
    double *cost, *rank, *start, *end;               /* per node, us */
    uint32_t *place;                                 /* per node: its processor */
};

static bool is_inward(const struct gsim_op *op)
{
    return op->kind == GSIM_OP_PREFETCH || (op->kind == GSIM_OP_COPY && op->copy_kind == GSIM_COPY_H2D);
}

/* The place where NODE must run; UINT32_MAX: in any of the streams. */
static uint32_t fixed_place(const struct planner *p, uint32_t node)
{
    const struct gsim_op *op = p->list->ops[node];
    if (gsim_op_is_host(op)) return p->host;
    uint32_t first = p->device_count > 1 ? op->device * p->per_device : 0;
    if (is_inward(op)) return first + p->to_device;
    if (op->kind == GSIM_OP_COPY && op->copy_kind == GSIM_COPY_D2H) return first + p->to_host;
    if (op->kind == GSIM_OP_COPY && op->copy_kind == GSIM_COPY_P2P && p->device_count > 1) return first + p->to_peer;
    return UINT32_MAX;
}

/* The paper's average communication cost: an edge between two kernels costs nothing in one of the streams. */
static double mean_cross_us(const struct planner *p, uint32_t from, uint32_t to)
{
    uint32_t a = fixed_place(p, from), b = fixed_place(p, to);
    if (a == p->host || b == p->host || (a == b && a != UINT32_MAX)) return 0;
    if (a != b) return p->params->cross_us;
    return p->params->cross_us * (p->stream_count - 1) / p->stream_count;
}

/* Successors stand behind NODE in the list. Host ops keep their order: each leads to the next one. */
static void rank_nodes(struct planner *p)
{
    double next_host = 0;
    for (uint32_t node = p->list->op_count; node-- > 0;) {
        bool is_host = gsim_op_is_host(p->list->ops[node]);
        double longest = is_host ? next_host : 0;
        p->cost[node] = gsim_estimate_us(p->run, p->list->ops[node]);
        for (uint32_t e = p->dag->succ_start[node]; e < p->dag->succ_start[node + 1]; e++) {
            uint32_t next = p->dag->succs[e];
            longest = fmax(longest, mean_cross_us(p, node, next) + p->rank[next]);
        }
        p->rank[node] = p->cost[node] + longest;
        if (is_host) next_host = p->rank[node];
    }
}

/* When all that NODE needs is there on PLACE. */
static double ready_on(const struct planner *p, uint32_t node, uint32_t place)
{
    double ready = 0;
    for (uint32_t e = p->dag->pred_start[node]; e < p->dag->pred_start[node + 1]; e++) {
        uint32_t pred = p->dag->preds[e];
        bool crosses = p->place[pred] != place && p->place[pred] != p->host && place != p->host;
        ready = fmax(ready, p->end[pred] + (crosses ? p->params->cross_us : 0));
    }
    return ready;
}

/* The host fills no gaps, since its ops keep their order. */
static bool place_node(struct planner *p, uint32_t node)
{
    uint32_t fixed = fixed_place(p, node);
    uint32_t device = p->device_count > 1 ? p->list->ops[node]->device : 0;
    uint32_t from = fixed == UINT32_MAX ? device * p->per_device : fixed;
    uint32_t to = fixed == UINT32_MAX ? from + p->stream_count : fixed + 1, best = from;
    size_t best_gap = 0;
    double best_start = INFINITY;
    for (uint32_t place = from; place < to; place++) {
        double start;
        size_t gap = gsim_idle_find(&p->idle[place], ready_on(p, node, place), p->cost[node],
                                    !p->params->insertion || place == p->host, &start);
        if (start >= best_start) continue;
        best = place;
        best_gap = gap;
        best_start = start;
    }
    p->place[node] = best;
    p->start[node] = best_start;
    p->end[node] = best_start + p->cost[node];
    return gsim_idle_take(&p->idle[best], best_gap, best_start, p->end[node]);
}

/* ORDER: by planned start, which is behind all predecessors' ends; ties by the list, in which they stand in front. */
static bool schedule(struct planner *p, struct gsim_keyed *sorted, uint32_t *order)
{
    uint32_t count = p->list->op_count;
    rank_nodes(p);
    for (uint32_t i = 0; i < count; i++) sorted[i] = (struct gsim_keyed){-p->rank[i], i};
    gsim_keyed_sort(sorted, count);
    for (uint32_t i = 0; i < count; i++)
        if (!place_node(p, sorted[i].node)) return false;
    for (uint32_t i = 0; i < count; i++) sorted[i] = (struct gsim_keyed){p->start[i], i};
    gsim_keyed_sort(sorted, count);
    for (uint32_t i = 0; i < count; i++) order[i] = sorted[i].node;
    return true;
}

static bool init_processors(struct planner *p, struct gsim_arena *scratch)
{
    p->to_device = p->stream_count;
    p->to_host = p->stream_count + 1;
    p->to_peer = p->stream_count + 2;
    p->device_count = p->run->is_placed || p->run->draw ? p->run->device_count : 1;
    p->per_device = p->stream_count + (p->device_count > 1 ? 3 : 2);
    p->host = p->device_count * p->per_device;
    p->idle = GSIM_ARENA_ARRAY(scratch, struct gsim_idle, p->host + (size_t)1);
    for (uint32_t i = 0; p->idle && i <= p->host; i++)
        if (!gsim_idle_init(&p->idle[i])) return false;
    return p->idle;
}

static enum gsim_status choose(struct gsim_run *run, struct gsim_plan_choice *choice, struct gsim_arena *scratch,
                               struct gsim_error *error)
{
    const struct heft_params *params = run->params;
    size_t count = (size_t)choice->list->op_count + 1;
    struct planner p = {.run = run,
                        .params = params,
                        .list = choice->list,
                        .dag = choice->dag,
                        .stream_count = (uint32_t)params->streams};
    double **times[] = {&p.cost, &p.rank, &p.start, &p.end};
    struct gsim_keyed *sorted = GSIM_ARENA_ARRAY(scratch, struct gsim_keyed, count);
    uint32_t *order = GSIM_ARENA_ARRAY(scratch, uint32_t, count);
    p.place = GSIM_ARENA_ARRAY(scratch, uint32_t, count);
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) *times[i] = GSIM_ARENA_ARRAY(scratch, double, count);
    bool ok = init_processors(&p, scratch) && !scratch->failed && schedule(&p, sorted, order);
    for (uint32_t i = 0; p.idle && i <= p.host; i++) gsim_idle_release(&p.idle[i]);
    if (!ok) return gsim_error_set(error, GSIM_NOMEM, "out of memory while planning");
    for (uint32_t i = 0; i < choice->list->op_count; i++) p.place[i] %= p.per_device; /* the GPU is the op's */
    choice->stream_of = p.place;
    choice->order = order;
    choice->stream_count = p.per_device;
    choice->prune = GSIM_PRUNE_CLOCK;
    return GSIM_OK;
}

static enum gsim_status prepare(struct gsim_run *run, struct gsim_error *error)
{
    return gsim_plan_prepare(run, gsim_moves_place_default(run), false, choose, error);
}

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    return gsim_plan_run(run, choose, (struct gsim_plan_style){.event_flags = GSIM_EVENT_NO_TIMING}, error);
}

const struct gsim_scheduler_ops gsim_scheduler_heft = {
    GSIM_HEAD(scheduler),
    .name = "heft",
    .summary = "static list schedule by times alone: upward rank, earliest end, gaps filled",
    .source = "HEFT, Topcuoglu, Hariri, Wu, IEEE TPDS 13(3), 2002, doi 10.1109/71.993206",
    .shape = GSIM_SHAPE_CONCURRENT,
    .takes_placed = true,
    .takes_source = true,
    GSIM_PARAMS(struct heft_params,
        GSIM_INT(struct heft_params, streams, 8, 1, 1024, "",
                 "streams that kernels choose among; transfers have one more in each direction"),
        GSIM_REAL(struct heft_params, cross_us, 2, 0, 1000, "us",
                  "what a dependence between two streams costs (communication cost)"),
        GSIM_BOOL(struct heft_params, insertion, 1, "fill gaps that earlier decisions left")),
    .prepare = prepare,
    .execute = execute,
};
