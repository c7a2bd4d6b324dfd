/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * depthfirst: an out-of-tree scheduler, built as a shared object and loaded by path. An op continues the stream
 * of its latest predecessor while that is free, else takes the next stream; the shared plan does the rest.
 */
#include "gpusim/schedulers/plan.h"

struct depthfirst_params {
    int64_t streams;
};

struct depthfirst_state {
    struct gsim_lowering lowering;
    struct gsim_plan first, steady;
};

static enum gsim_status make_plan(struct gsim_run *run, const struct gsim_oplist *list, struct gsim_plan *plan,
                                  struct gsim_error *error)
{
    const struct depthfirst_params *params = run->params;
    uint32_t count = (uint32_t)params->streams, next = 0;
    uint32_t *stream_of = GSIM_ARENA_ARRAY(run->arena, uint32_t, (size_t)list->op_count + 1);
    uint32_t *tail = GSIM_ARENA_ARRAY(run->arena, uint32_t, count);
    if (!stream_of || !tail) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    struct gsim_dag dag;
    enum gsim_status status = gsim_dag_build(run, list, &dag, error);
    if (status != GSIM_OK) return status;
    for (uint32_t i = 0; i < list->op_count; i++) {
        if (gsim_op_is_host(list->ops[i])) continue;
        uint32_t stream = UINT32_MAX;
        for (uint32_t e = dag.pred_start[i]; e < dag.pred_start[i + 1]; e++)
            if (!gsim_op_is_host(list->ops[dag.preds[e]]) && tail[stream_of[dag.preds[e]]] == dag.preds[e] + 1)
                stream = stream_of[dag.preds[e]];
        if (stream == UINT32_MAX) stream = next++ % count;
        stream_of[i] = stream;
        tail[stream] = i + 1;
    }
    struct gsim_plan_choice choice = {.list = list, .dag = &dag, .stream_of = stream_of, .stream_count = count,
                                      .prune = GSIM_PRUNE_CLOCK};
    status = gsim_plan_build(run, &choice, plan, error);
    gsim_dag_release(&dag);
    return status;
}

static enum gsim_status prepare(struct gsim_run *run, struct gsim_error *error)
{
    struct depthfirst_state *state = run->state = GSIM_ARENA_NEW(run->arena, struct depthfirst_state);
    if (!state) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    enum gsim_status status = gsim_moves_lower(run, gsim_moves_place_default(run), &state->lowering, error);
    if (status == GSIM_OK) status = make_plan(run, &state->lowering.first, &state->first, error);
    if (status == GSIM_OK) status = make_plan(run, &state->lowering.steady, &state->steady, error);
    return status;
}

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    const struct depthfirst_state *state = run->state;
    struct gsim_plan_style style = {
        .first = &state->first, .steady = &state->steady, .event_flags = GSIM_EVENT_NO_TIMING};
    return gsim_plan_execute(run, &style, error);
}

static const struct gsim_param params_table[] = {
    {"streams", GSIM_PARAM_INT, offsetof(struct depthfirst_params, streams), 6, 1, 64, "", NULL, "streams to create"},
    {.name = NULL},
};

const struct gsim_scheduler_ops gsim_scheduler = {
    GSIM_HEAD(scheduler),
    .name = "depthfirst",
    .summary = "out-of-tree example: continue the latest predecessor's stream",
    .source = "none",
    .shape = GSIM_SHAPE_CONCURRENT,
    .params_size = sizeof(struct depthfirst_params),
    .params = params_table,
    .prepare = prepare,
    .execute = execute,
};
