/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A scheduler as a shared object. An op follows its latest predecessor on that one's stream; an op without
 * predecessors takes the next of STREAMS streams. Events between streams come from the shared plan.
 */
#include <gpusim/schedulers/plan.h>

struct lifo_params {
    int64_t streams;
};

struct lifo_state {
    struct gsim_lowering lowering;
    struct gsim_plan first, steady; /* of iteration 0 and of all later ones */
};

static enum gsim_status make_plan(struct gsim_run *run, const struct gsim_oplist *list, struct gsim_plan *plan,
                                  struct gsim_error *error)
{
    const struct lifo_params *params = run->params;
    uint32_t next = 0, *stream_of = GSIM_ARENA_ARRAY(run->arena, uint32_t, list->op_count + 1);
    if (!stream_of) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    struct gsim_dag dag;
    enum gsim_status status = gsim_dag_build(run, list, &dag, error);
    if (status != GSIM_OK) return status;
    for (uint32_t i = 0; i < list->op_count; i++) {
        uint32_t begin = dag.pred_start[i], end = dag.pred_start[i + 1];
        stream_of[i] = begin < end ? stream_of[dag.preds[end - 1]] : next++ % (uint32_t)params->streams;
    }
    const struct gsim_plan_choice choice = {.list = list,
                                            .dag = &dag,
                                            .stream_of = stream_of,
                                            .stream_count = (uint32_t)params->streams,
                                            .prune = GSIM_PRUNE_CLOCK};
    status = gsim_plan_build(run, &choice, plan, error);
    gsim_dag_release(&dag);
    return status;
}

static enum gsim_status prepare(struct gsim_run *run, struct gsim_error *error)
{
    struct lifo_state *state = run->state = GSIM_ARENA_NEW(run->arena, struct lifo_state);
    if (!state) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    enum gsim_status status = gsim_moves_lower(run, gsim_moves_place_default(run), &state->lowering, error);
    if (status == GSIM_OK) status = make_plan(run, &state->lowering.first, &state->first, error);
    if (status == GSIM_OK) status = make_plan(run, &state->lowering.steady, &state->steady, error);
    return status;
}

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    const struct lifo_state *state = run->state;
    const struct gsim_plan_style style = {
        .first = &state->first, .steady = &state->steady, .event_flags = GSIM_EVENT_NO_TIMING};
    return gsim_plan_execute(run, &style, error);
}

static const struct gsim_param params_table[] = {
    {"streams", GSIM_PARAM_INT, offsetof(struct lifo_params, streams), 4, 1, 64, "", NULL, "streams to create"},
    {.name = NULL},
};

const struct gsim_scheduler_ops gsim_scheduler = {
    GSIM_HEAD(scheduler),
    .name = "lifo",
    .summary = "follows the latest predecessor on its stream",
    .source = "example",
    .shape = GSIM_SHAPE_CONCURRENT,
    .params_size = sizeof(struct lifo_params),
    .params = params_table,
    .prepare = prepare,
    .execute = execute,
};
