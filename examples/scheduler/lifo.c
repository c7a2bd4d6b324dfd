/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A scheduler as a shared object. An op follows its latest predecessor on that one's stream; an op without
 * predecessors takes the next of STREAMS streams. Events between streams come from the shared plan.
 */
#include <gpusim/schedulers/plan.h>

struct lifo_params {
    int64_t streams;
};

/* The policy: a stream for every op of a list, which may be an iteration, or a stretch of a program that is drawn while
 * it runs. */
static enum gsim_status choose(struct gsim_run *run, struct gsim_plan_choice *choice, struct gsim_arena *scratch,
                               struct gsim_error *error)
{
    const struct lifo_params *params = run->params;
    const struct gsim_dag *dag = choice->dag;
    uint32_t next = 0, *stream_of = GSIM_ARENA_ARRAY(scratch, uint32_t, choice->list->op_count + 1);
    (void)error;
    for (uint32_t i = 0; stream_of && i < choice->list->op_count; i++) {
        uint32_t begin = dag->pred_start[i], end = dag->pred_start[i + 1];
        stream_of[i] = begin < end ? stream_of[dag->preds[end - 1]] : next++ % (uint32_t)params->streams;
    }
    choice->stream_of = stream_of;
    choice->stream_count = (uint32_t)params->streams;
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
    .takes_placed = true, /* --place and several GPUs */
    .takes_source = true,
    .params_size = sizeof(struct lifo_params),
    .params = params_table,
    .prepare = prepare,
    .execute = execute,
};
