/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kesco: compile-time stream assignment of KeSCo (ICCD 2023), kernel level, as the authors' LLVM pass does it.
 * What a framework does between the calls of a traced program is none of the compiled function's.
 * Planning takes no time. Deviations: a host op ends the function that the pass would see (levels and round-robin
 * restart), and so of a program that is drawn; there streams are made at first use, and one event serves all who wait
 * for an op. Ties and the free choice of a stream are deterministic unless asked for. The authors' pass draws the
 * latter: B&S with prefetching gives their log's 15 events by --opt placement=random --seed 14.
 */
#include <math.h>

#include "gpusim/schedulers/plan.h"
#include "schedulers/shared/idle.h"

enum { TIES_PROGRAM, TIES_RANDOM };
enum { PLACE_LEAST_LOADED, PLACE_RANDOM, PLACE_INDEX };
enum { ISSUE_SWEEP, ISSUE_LEVEL };

struct kesco_params {
    int64_t streams;
    int prune; /* enum gsim_plan_prune */
    int ties, placement, issue;
};

/* One function body: the device ops between two host ops. */
struct planner {
    struct gsim_run *run;
    const struct kesco_params *params;
    const struct gsim_dag *dag;
    uint32_t stream_count;
    uint32_t *stream_of, *order; /* of the whole list; order is filled up to issued */
    uint32_t issued;
    uint32_t begin, end;
    uint32_t *levels, *by_level, *level_start; /* of this body */
    uint32_t *waiting;           /* per node of the list: successors not scheduled yet, then predecessors not issued */
    uint32_t *tail, *load;       /* per stream: latest node; number of ops */
    uint32_t *next, *head;       /* per node: its follower in the stream; per stream: first node not issued */
    struct gsim_keyed *ranked;   /* of a level */
};

static uint32_t pred_count(const struct planner *p, uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t e = p->dag->pred_start[node]; e < p->dag->pred_start[node + 1]; e++)
        count += p->dag->preds[e] >= p->begin;
    return count;
}

static void place(struct planner *p, uint32_t node, uint32_t stream)
{
    p->stream_of[node] = stream;
    p->next[node] = UINT32_MAX;
    if (p->load[stream]++ == 0) p->head[stream] = node;
    else p->next[p->tail[stream]] = node;
    p->tail[stream] = node;
    for (uint32_t e = p->dag->pred_start[node]; e < p->dag->pred_start[node + 1]; e++)
        if (p->dag->preds[e] >= p->begin) p->waiting[p->dag->preds[e]]--;
}

/* The predecessor to follow: last in its stream, with the fewest successors still to schedule. */
static bool follow(struct planner *p, uint32_t node, uint32_t *stream)
{
    uint32_t fewest = UINT32_MAX;
    uint32_t ties = 0;
    for (uint32_t e = p->dag->pred_start[node]; e < p->dag->pred_start[node + 1]; e++) {
        uint32_t pred = p->dag->preds[e];
        if (pred < p->begin || p->tail[p->stream_of[pred]] != pred) continue;
        bool better = p->waiting[pred] < fewest;
        if (better) ties = 0;
        if (!better && p->waiting[pred] > fewest) continue;
        ties++;
        if (better || (p->params->ties == TIES_RANDOM && gsim_random_integer(p->run->rng, ties) == 0)) {
            fewest = p->waiting[pred];
            *stream = p->stream_of[pred];
        }
    }
    return fewest != UINT32_MAX;
}

static uint32_t free_choice(struct planner *p, uint32_t index)
{
    uint32_t best = 0;
    if (p->params->placement == PLACE_RANDOM) return gsim_random_integer(p->run->rng, p->stream_count);
    if (p->params->placement == PLACE_INDEX) return index % p->stream_count;
    for (uint32_t s = 1; s < p->stream_count; s++)
        if (p->load[s] < p->load[best]) best = s;
    return best;
}

/* By predecessors, then by a number that is drawn or by the program's order. */
static void place_level(struct planner *p, uint32_t from, uint32_t to)
{
    uint32_t deferred = 0, stream = 0;
    for (uint32_t i = from; i < to; i++) {
        uint32_t tie = p->params->ties == TIES_RANDOM ? gsim_random_integer(p->run->rng, UINT32_MAX) : 0;
        p->ranked[i - from] = (struct gsim_keyed){ldexp(pred_count(p, p->by_level[i]), 32) + tie, p->by_level[i]};
    }
    gsim_keyed_sort(p->ranked, to - from);
    for (uint32_t i = 0; i < to - from; i++) {
        uint32_t node = p->by_level[from + i] = p->ranked[i].node;
        if (follow(p, node, &stream)) place(p, node, stream);
        else p->ranked[deferred++].node = node;
    }
    for (uint32_t i = 0; i < deferred; i++) place(p, p->ranked[i].node, free_choice(p, i));
}

/* Host program order: sweep over the streams, at most the head of each per sweep, if its predecessors are out. */
static void issue_by_sweeps(struct planner *p)
{
    for (uint32_t i = p->begin; i < p->end; i++) p->waiting[i] = pred_count(p, i);
    while (p->issued < p->end) {
        uint32_t before = p->issued;
        for (uint32_t s = 0; s < p->stream_count; s++) {
            uint32_t node = p->head[s];
            if (node == UINT32_MAX || p->waiting[node]) continue;
            p->head[s] = p->next[node];
            p->order[p->issued++] = node;
            for (uint32_t e = p->dag->succ_start[node]; e < p->dag->succ_start[node + 1]; e++)
                p->waiting[p->dag->succs[e]]--;
        }
        GSIM_INVARIANT(p->issued > before);
    }
}

static void plan_body(struct planner *p)
{
    uint32_t level_count = gsim_dag_levels(p->dag, p->begin, p->end, p->levels);
    gsim_dag_level_order(p->levels, p->begin, p->end, level_count, p->by_level, p->level_start);
    for (uint32_t s = 0; s < p->stream_count; s++) {
        p->tail[s] = p->head[s] = UINT32_MAX;
        p->load[s] = 0;
    }
    for (uint32_t i = p->begin; i < p->end; i++) {
        p->waiting[i] = 0;
        for (uint32_t e = p->dag->succ_start[i]; e < p->dag->succ_start[i + 1]; e++)
            p->waiting[i] += p->dag->succs[e] < p->end;
    }
    for (uint32_t i = 0; level_count && i < p->level_start[1]; i++) place(p, p->by_level[i], i % p->stream_count);
    for (uint32_t l = 1; l < level_count; l++) place_level(p, p->level_start[l], p->level_start[l + 1]);
    if (p->params->issue == ISSUE_SWEEP) issue_by_sweeps(p);
    else
        for (uint32_t i = 0; i < p->end - p->begin; i++) p->order[p->issued++] = p->by_level[i];
}

static enum gsim_status choose(struct gsim_run *run, struct gsim_plan_choice *choice, struct gsim_arena *scratch,
                               struct gsim_error *error)
{
    const struct kesco_params *params = run->params;
    struct planner p = {.run = run, .params = params, .dag = choice->dag,
                        .stream_count = (uint32_t)params->streams};
    uint32_t count = choice->list->op_count;
    uint32_t **by_node[] = {&p.stream_of, &p.order, &p.levels, &p.by_level, &p.level_start, &p.waiting, &p.next};
    uint32_t **by_stream[] = {&p.tail, &p.load, &p.head};
    (void)error;
    for (size_t i = 0; i < 7; i++) *by_node[i] = GSIM_ARENA_ARRAY(scratch, uint32_t, (size_t)count + 2);
    for (size_t i = 0; i < 3; i++) *by_stream[i] = GSIM_ARENA_ARRAY(scratch, uint32_t, p.stream_count);
    p.ranked = GSIM_ARENA_ARRAY(scratch, struct gsim_keyed, (size_t)count + 1);
    for (uint32_t i = 0; !scratch->failed && i < count; i = p.end) {
        p.begin = p.end = i;
        while (p.end < count && !gsim_op_is_host(choice->list->ops[p.end])) p.end++;
        if (p.end > p.begin) plan_body(&p);
        else p.order[p.issued++] = p.end++;
    }
    choice->stream_of = p.stream_of;
    choice->order = p.order;
    choice->stream_count = p.stream_count;
    choice->prune = (enum gsim_plan_prune)params->prune;
    choice->event_per_edge = choice->device_syncs = true;
    return GSIM_OK;
}

static enum gsim_status prepare(struct gsim_run *run, struct gsim_error *error)
{
    return gsim_plan_prepare(run, gsim_moves_place_default(run), true, choose, error);
}

/* The pass creates every event anew at each call of the function, timing on, and never destroys one. */
static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    const struct kesco_params *params = run->params;
    const struct gsim_plan_style style = {.stream_count = (uint32_t)params->streams,
                                          .event_flags = GSIM_EVENT_TIMING,
                                          .events_each_iteration = true};
    return gsim_plan_run(run, choose, style, error);
}

const struct gsim_scheduler_ops gsim_scheduler_kesco = {
    GSIM_HEAD(scheduler),
    .name = "kesco",
    .summary = "streams and events planned at compile time: level by level, behind a predecessor where possible",
    .source = "KeSCo, ICCD 2023, doi 10.1109/ICCD58817.2023.00046; the authors' LLVM pass",
    .shape = GSIM_SHAPE_CONCURRENT,
    .takes_placed = true,
    .takes_source = true,
    GSIM_PARAMS(struct kesco_params,
        GSIM_INT(struct kesco_params, streams, 10, 1, 1024, "",
                 "streams, all created whether used or not; the authors settled on 10"),
        GSIM_PLAN_PRUNE_PARAM(struct kesco_params, prune, GSIM_PRUNE_LATEST,
                              " (latest: the authors' code, clock: their intent)"),
        GSIM_CHOICE(struct kesco_params, ties, TIES_PROGRAM, 1, "program|random",
                    "equal predecessor or successor counts: program order, or arbitrary as in the authors' unstable "
                    "sort"),
        GSIM_CHOICE(struct kesco_params, placement, PLACE_LEAST_LOADED, 2, "least-loaded|random|index",
                    "stream of an op that no predecessor's stream can take: the authors' final code draws it, an "
                    "earlier one took the index"),
        GSIM_CHOICE(struct kesco_params, issue, ISSUE_SWEEP, 1, "sweep|level",
                    "host order: one op per stream and sweep (the authors'), or level by level")),
    .prepare = prepare,
    .execute = execute,
};
