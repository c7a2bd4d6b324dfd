/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source/write/replay.h. */
#include "source/write/replay.h"
#include "gpusim/scenario.h"

#include <string.h>

#include "gpusim/metrics.h"
#include "gpusim/schedulers/feed.h"
#include "gpusim/simulate.h"

#define NONE     GSIM_WEAVE_NONE
#define MAX_OPS 2000 /* of a program that is simulated with kernels faster and slower, too */

struct replay {
    const struct gsim_weave *weave;
    struct gsim_driver *driver;
    gsim_stream *streams; /* of the weave */
    gsim_event *events;
    uint32_t *step_of; /* by op of the program */
    bool *is_busy;     /* by stream: it was given something that the host did not wait for */
    size_t step;       /* the next */
    bool is_source;
    gsim_event join;
};

struct replay_params {
    const struct gsim_weave *weave;
    bool is_source;
};

static void wait_all(void *data)
{
    struct replay *r = data;
    gsim_device_synchronize(r->driver);
    memset(r->is_busy, 0, r->weave->stream_count * sizeof *r->is_busy);
}

/* A call in the default stream follows all streams, and they follow it. */
static void issue_in_default(struct replay *r, const struct gsim_op *op, bool is_blocking)
{
    uint32_t count = r->is_source ? 0 : r->weave->stream_count;
    for (uint32_t s = 0; s < count; s++) {
        if (!r->is_busy[s]) continue;
        r->is_busy[s] = false;
        gsim_event_record(r->driver, r->join, r->streams[s]);
        gsim_stream_wait_event(r->driver, 0, r->join);
    }
    gsim_op_issue(r->driver, op, 0);
    if (is_blocking) {
        gsim_stream_synchronize(r->driver, 0);
        return;
    }
    if (count) gsim_event_record(r->driver, r->join, 0);
    for (uint32_t s = 0; s < count; s++) gsim_stream_wait_event(r->driver, r->streams[s], r->join);
}

static void issue(struct replay *r, const struct gsim_op *op, const struct gsim_cuda_step *step,
                  const struct gsim_weave_item *item)
{
    if (r->is_source || !item || item->stream == NONE) {
        issue_in_default(r, op, step && step->is_blocking);
    } else {
        gsim_stream stream = r->streams[item->stream];
        r->is_busy[item->stream] = true;
        for (size_t i = 0; i < item->waits.count; i++)
            gsim_stream_wait_event(r->driver, stream, r->events[r->weave->items[item->waits.at[i]].event]);
        gsim_op_issue(r->driver, op, stream);
        if (item->event != NONE) gsim_event_record(r->driver, r->events[item->event], stream);
    }
}

/* What the host does at a step that gives the GPU nothing. */
static void host_wait(struct replay *r, const struct gsim_cuda_step *step)
{
    const struct gsim_weave_site *site = &r->weave->sites[step->site];
    enum gsim_cuda_step_kind kind = r->weave->log->sites[step->site].kind;
    if (kind == GSIM_CUDA_SYNC && (r->is_source || site->is_kept)) wait_all(r);
    if (r->is_source || (kind != GSIM_CUDA_USE && kind != GSIM_CUDA_END)) return;
    if (site->waits_for_all || site->streams.count > 2) wait_all(r);
    else
        for (size_t i = 0; i < site->streams.count; i++) {
            gsim_stream_synchronize(r->driver, r->streams[site->streams.at[i]]);
            r->is_busy[site->streams.at[i]] = false;
        }
}

static void do_op(struct replay *r, const struct gsim_op *op)
{
    const struct gsim_weave *w = r->weave;
    bool is_own = op >= w->program->ops && op < w->program->ops + w->program->op_count;
    uint32_t number = is_own ? r->step_of[op - w->program->ops] : NONE, item = NONE;
    for (; number != NONE && r->step <= number; r->step++) host_wait(r, &w->log->steps[r->step]);
    if (gsim_op_is_host(op)) {
        if (r->is_source && op->after_count) wait_all(r); /* what its copies and waits had given it */
        gsim_op_issue(r->driver, op, 0);
        return;
    }
    if (op->index < w->program->op_count) item = w->item_of[op->index];
    issue(r, op, number == NONE ? NULL : &w->log->steps[number], item == NONE ? NULL : &w->items[item]);
}

static enum gsim_status do_list(void *data, const struct gsim_feed *feed, struct gsim_error *error)
{
    (void)error;
    for (uint32_t i = 0; i < feed->list.op_count; i++) do_op(data, feed->list.ops[i]);
    return GSIM_OK;
}

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    static const struct gsim_feed_user user = {.list = do_list, .wait = wait_all};
    const struct replay_params *params = run->params;
    const struct gsim_weave *w = params->weave;
    struct replay r = {.weave = w, .driver = run->driver, .is_source = params->is_source};
    r.streams = GSIM_ARENA_ARRAY(run->arena, gsim_stream, w->stream_count + 1);
    r.events = GSIM_ARENA_ARRAY(run->arena, gsim_event, w->event_count + 1);
    r.step_of = GSIM_ARENA_ARRAY(run->arena, uint32_t, w->program->op_count + 1);
    r.is_busy = GSIM_ARENA_ARRAY(run->arena, bool, w->stream_count + 1);
    if (!r.streams || !r.events || !r.step_of || !r.is_busy) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (uint32_t i = 0; i < w->program->op_count; i++) r.step_of[i] = NONE;
    for (uint32_t i = 0; i < w->log->step_count; i++)
        if (w->log->steps[i].op != GSIM_CUDA_NONE) r.step_of[w->log->steps[i].op] = i;
    for (uint32_t s = 0; s < w->stream_count && !r.is_source; s++)
        r.streams[s] = gsim_stream_create(run->driver, w->priorities ? w->priorities[s] : 0);
    for (uint32_t i = 0; i < w->event_count && !r.is_source; i++)
        r.events[i] = gsim_event_create(run->driver, GSIM_EVENT_NO_TIMING);
    if (!r.is_source) r.join = gsim_event_create(run->driver, GSIM_EVENT_NO_TIMING);
    return gsim_feed_run(run, GSIM_FEED_MAX, &user, &r, error);
}

static const struct gsim_scheduler_ops as_written = {
    GSIM_HEAD(scheduler),
    .name = "as written",
    .shape = GSIM_SHAPE_CONCURRENT,
    .params_size = sizeof(struct replay_params),
    .prepare = gsim_feed_prepare_default,
    .execute = execute,
};

static enum gsim_status replay(const struct gsim_weave *weave, const struct gsim_simulation *simulation, bool is_source,
                               gsim_time *makespan, struct gsim_error *error)
{
    const struct replay_params params = {weave, is_source};
    struct gsim_simulation own = *simulation;
    struct gsim_timeline timeline = {0};
    struct gsim_metrics metrics;
    own.scheduler = &as_written;
    own.scheduler_params = &params;
    own.op_plan = NULL;
    own.attach = NULL;
    own.iterations = 1;
    if (is_source) own.prefetch = false;
    enum gsim_status status = gsim_run(&(struct gsim_scenario){.simulation = own}, &timeline, error);
    if (status == GSIM_OK) status = gsim_metrics_compute(&timeline, own.device, NULL, &metrics, error);
    if (status == GSIM_OK) *makespan = metrics.makespan;
    gsim_timeline_release(&timeline);
    return status;
}

static void scale(struct gsim_kernel *kernels, uint32_t count, double by)
{
    for (uint32_t k = 0; k < count; k++) {
        double *times[] = {&kernels[k].flops,     &kernels[k].dram_bytes, &kernels[k].thread_cycles,
                           &kernels[k].sm_cycles, &kernels[k].solo_us,    &kernels[k].cold_us};
        for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) *times[i] *= by;
    }
}

enum gsim_status gsim_gain_compute(struct gsim_gain *gain, const struct gsim_weave *weave,
                                   const struct gsim_simulation *simulation, double factor, struct gsim_error *error)
{
    const double factors[GSIM_GAIN_TIMES] = {1, 1 / factor, factor};
    struct gsim_program program = *simulation->program;
    struct gsim_simulation own = *simulation;
    enum gsim_status status = GSIM_OK;
    program.kernels = gsim_alloc(sizeof *program.kernels * (program.kernel_count + 1));
    if (!program.kernels) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    own.program = &program;
    for (size_t i = 0; i < GSIM_GAIN_TIMES && status == GSIM_OK; i++) {
        gain->before[i] = gain->before[0];
        gain->now[i] = gain->now[0];
        if (i && program.op_count > MAX_OPS) continue;
        memcpy(program.kernels, simulation->program->kernels, sizeof *program.kernels * program.kernel_count);
        scale(program.kernels, program.kernel_count, factors[i]);
        status = replay(weave, &own, true, &gain->before[i], error);
        if (status == GSIM_OK) status = replay(weave, &own, false, &gain->now[i], error);
    }
    gsim_free(program.kernels);
    return status;
}
