/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * skeleton: where a new scheduler starts. It works: kernels go round-robin over a few streams, behind a device
 * synchronise where they depend on anything pending. Built and tested with the others, but not listed in
 * schedulers.def. How to add yours: CONTRIBUTING.md; with events in place of the synchronise: gpusim/schedulers/plan.h,
 * as in async.c.
 */
#include "gpusim/schedulers/feed.h"

/* Parameters: one field and one row of the table below for each. bool, int64_t, double, or int for a choice. */
struct skeleton_params {
    int64_t streams;
};

/* Plan time: what a compiler would do. No simulated time passes, no driver call is allowed. May be left NULL. */
static enum gsim_status prepare(struct gsim_run *run, struct gsim_error *error)
{
    return gsim_feed_prepare(run, gsim_moves_place_default(run), false, error);
}

struct skeleton {
    struct gsim_run *run;
    gsim_stream *streams;
};

static void wait_for_all(void *data) { gsim_device_synchronize(((struct skeleton *)data)->run->driver); }

/* Every op of a list once, in an order that respects the graph. Only driver calls and gsim_host_work() take simulated
 * time; what else happens here is free. */
static enum gsim_status run_list(void *data, const struct gsim_feed *feed, struct gsim_error *error)
{
    const struct skeleton *s = data;
    const struct skeleton_params *params = s->run->params;
    const struct gsim_oplist *list = &feed->list;
    const struct gsim_dag *dag = &feed->dag;
    uint32_t synced = 0; /* ops before this one are complete */
    (void)error;
    for (uint32_t i = 0; i < list->op_count; i++) {
        bool pending = false;
        for (uint32_t e = dag->pred_start[i]; e < dag->pred_start[i + 1]; e++)
            pending = pending || (dag->preds[e] >= synced && !gsim_op_is_host(list->ops[dag->preds[e]]));
        if (pending) {
            wait_for_all(data);
            synced = i;
        }
        /* Host ops run on this thread; the stream does not matter to them. */
        gsim_op_issue(s->run->driver, list->ops[i], s->streams[i % (uint64_t)params->streams]);
    }
    wait_for_all(data); /* the next list may need any of it */
    return GSIM_OK;
}

/* Run time: what the program's host thread does. Nothing may be pending at the end of an iteration. Driver errors are
 * sticky: calls after the first one do nothing, and gsim_feed_run() returns it. */
static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    static const struct gsim_feed_user user = {.list = run_list, .wait = wait_for_all, .has_dag = true};
    const struct skeleton_params *params = run->params;
    struct skeleton s = {run, GSIM_ARENA_ARRAY(run->arena, gsim_stream, (size_t)params->streams)};
    if (!s.streams) return gsim_no_memory(error);
    for (int64_t i = 0; i < params->streams; i++) s.streams[i] = gsim_stream_create(run->driver, 0);
    return gsim_feed_run(run, GSIM_FEED_MAX, &user, &s, error);
}

const struct gsim_scheduler_ops gsim_scheduler_skeleton = {
    GSIM_HEAD(scheduler),
    .name = "skeleton",
    .summary = "a starting point for new schedulers",
    .source = "none",
    .takes_source = true,           /* a program may be drawn while it runs */
    .shape = GSIM_SHAPE_CONCURRENT, /* which of a workload's tuned launch shapes to run */
    /* Rows of gpusim/params.h: struct, field, default, least, most, unit, help. Parsing, --help and the report
     * follow. */
    GSIM_PARAMS(struct skeleton_params,
        GSIM_INT(struct skeleton_params, streams, 4, 1, 1024, "", "streams to deal kernels out over")),
    .prepare = prepare,
    .execute = execute,
};
