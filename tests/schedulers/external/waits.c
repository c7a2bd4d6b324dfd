/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * waits: one op after another on streams in turn, each followed by a host function that pushes the op into a queue. The
 * thread waits for the queue or a deadline, so that every call of that kind runs, here and on a real GPU:
 *   gpusim-runner --workload vec --sched ./waits.so
 */
#include "gpusim/schedulers/dag.h"

#define STREAMS 3
#define DEADLINE_US 5e6

struct waits_state {
    struct gsim_lowering lowering;
};

struct done {
    gsim_queue queue;
    const struct gsim_op *op;
};

static enum gsim_status prepare(struct gsim_run *run, struct gsim_error *error)
{
    struct waits_state *state = run->state = GSIM_ARENA_NEW(run->arena, struct waits_state);
    if (!state) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    return gsim_moves_lower(run, gsim_moves_place_default(run), &state->lowering, error);
}

static void push(struct gsim_driver *driver, void *argument)
{
    const struct done *done = argument;
    gsim_queue_push(driver, done->queue, (void *)done->op);
}

/* Waits for the queue, then for event and stream, which must be complete by then. */
static bool comes_back(struct gsim_run *run, gsim_queue queue, const struct gsim_op *op, gsim_event event,
                       gsim_stream stream)
{
    const struct gsim_waitable list[] = {
        {GSIM_WAITABLE_QUEUE, queue}, {GSIM_WAITABLE_EVENT, event}, {GSIM_WAITABLE_STREAM, stream}};
    void *item = NULL;
    uint32_t first = gsim_wait_any(run->driver, list, 1, DEADLINE_US);
    return first == 0 && gsim_queue_try_pop(run->driver, queue, &item) && item == op &&
           gsim_wait_any(run->driver, list + 1, 1, DEADLINE_US) == 0 &&
           gsim_wait_any(run->driver, list + 2, 1, DEADLINE_US) == 0 && gsim_wait_any(run->driver, list, 1, 10) == 1 &&
           !gsim_queue_try_pop(run->driver, queue, &item);
}

static enum gsim_status run_iteration(struct gsim_run *run, const struct gsim_oplist *list, gsim_queue queue,
                                      gsim_event event, const gsim_stream *streams, struct gsim_error *error)
{
    for (uint32_t i = 0; i < list->op_count && !gsim_driver_failed(run->driver); i++) {
        struct done done = {queue, list->ops[i]};
        gsim_op_issue(run->driver, list->ops[i], streams[i % STREAMS]);
        if (gsim_op_is_host(list->ops[i])) continue;
        gsim_launch_host_func(run->driver, push, &done, streams[i % STREAMS]);
        gsim_event_record(run->driver, event, streams[i % STREAMS]);
        if (!comes_back(run, queue, list->ops[i], event, streams[i % STREAMS]) && !gsim_driver_failed(run->driver))
            return gsim_error_set(error, GSIM_INPUT, "op %u: its host function was not seen", i);
    }
    gsim_device_synchronize(run->driver);
    return GSIM_OK;
}

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    struct waits_state *state = run->state;
    gsim_stream streams[STREAMS];
    enum gsim_status status = GSIM_OK;
    if (!GSIM_DRIVER_HAS(run->driver, wait_any) || !GSIM_DRIVER_HAS(run->driver, launch_host_func))
        return gsim_error_set(error, GSIM_USAGE, "waits: the driver lacks its calls");
    for (int s = 0; s < STREAMS; s++) streams[s] = gsim_stream_create(run->driver, 0);
    gsim_queue queue = gsim_queue_create(run->driver, 4);
    gsim_event event = gsim_event_create(run->driver, GSIM_EVENT_NO_TIMING);
    for (uint32_t i = 0; i < run->iterations && status == GSIM_OK && !gsim_driver_failed(run->driver); i++) {
        gsim_iteration_begin(run->driver, i);
        status =
            run_iteration(run, i == 0 ? &state->lowering.first : &state->lowering.steady, queue, event, streams, error);
        gsim_iteration_end(run->driver, i);
    }
    return status == GSIM_OK ? gsim_run_status(run, error) : status;
}

extern const struct gsim_scheduler_ops gsim_scheduler;
const struct gsim_scheduler_ops gsim_scheduler = {
    GSIM_HEAD(scheduler),
    .name = "waits",
    .summary = "one op after another, by host functions and waits for any",
    .source = "none",
    .shape = GSIM_SHAPE_CONCURRENT,
    .has_threads = true,
    .prepare = prepare,
    .execute = execute,
};
