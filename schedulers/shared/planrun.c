/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan executor: the same loop for every static policy. What it costs is what its driver calls cost.
 */
#include "gpusim/schedulers/feed.h"
#include "gpusim/schedulers/plan.h"

struct executor {
    struct gsim_driver *driver;
    const struct gsim_plan_style *style;
    gsim_stream *streams;
    gsim_event *events;
    uint32_t device_count; /* that the plan uses */
};

static void create_events(struct executor *x, uint32_t count)
{
    for (uint32_t e = 0; e < count; e++) x->events[e] = gsim_event_create(x->driver, x->style->event_flags);
}

static void attach(struct executor *x, uint32_t buffer_count)
{
    const uint32_t *attached = x->style->attached;
    for (uint32_t b = 0; attached && b < buffer_count; b++)
        if (attached[b]) gsim_stream_attach(x->driver, b, x->streams[attached[b] - 1]);
}

void gsim_peers_enable(struct gsim_driver *driver)
{
    uint32_t devices = gsim_device_count(driver);
    if (devices < 2) return;
    for (uint32_t i = devices; i-- > 0;) {
        gsim_device_set(driver, i);
        for (uint32_t peer = i + 1; peer < devices; peer++) gsim_peer_enable(driver, peer);
    }
}

void gsim_streams_create(struct gsim_driver *driver, uint32_t gpus, uint32_t count, gsim_stream *streams)
{
    for (uint32_t d = 0; d < gpus; d++) {
        if (gpus > 1) gsim_device_set(driver, d);
        for (uint32_t i = 0; i < count; i++) *streams++ = gsim_stream_create(driver, 0);
    }
}

/* All GPUs, one after the other. */
static void synchronize(struct executor *x)
{
    for (uint32_t i = 0; i < x->device_count; i++) {
        if (x->device_count > 1) gsim_device_set(x->driver, i);
        gsim_device_synchronize(x->driver);
    }
}

static void run_iteration(struct executor *x, const struct gsim_plan *plan)
{
    struct gsim_driver *driver = x->driver;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        for (uint32_t s = plan->sync_start[i]; s < plan->sync_start[i + 1]; s++) {
            if (plan->syncs[s] == GSIM_PLAN_DEVICE) synchronize(x);
            else gsim_stream_synchronize(driver, x->streams[plan->syncs[s]]);
        }
        if (plan->streams[i] == GSIM_PLAN_HOST) {
            gsim_op_issue(driver, plan->ops[i], 0);
            continue;
        }
        gsim_stream stream = x->streams[plan->streams[i]];
        for (uint32_t w = plan->wait_start[i]; w < plan->wait_start[i + 1]; w++)
            gsim_stream_wait_event(driver, stream, x->events[plan->waits[w]]);
        gsim_op_issue(driver, plan->ops[i], stream);
        for (uint32_t r = plan->record_start[i]; r < plan->record_start[i + 1]; r++)
            gsim_event_record(driver, x->events[plan->records[r]], stream);
    }
    if (plan->final_sync) synchronize(x);
}

/* What a stream is like follows from its first op. */
struct kind {
    bool is_used, has_priority;
    int32_t priority;
    uint32_t device;
};

static void find_kinds(const struct gsim_run *run, const struct gsim_plan *plan, struct kind *kinds)
{
    for (uint32_t i = 0; i < plan->step_count; i++) {
        if (plan->streams[i] == GSIM_PLAN_HOST) continue;
        struct kind *kind = &kinds[plan->streams[i]];
        if (!kind->is_used) kind->device = plan->ops[i]->device;
        kind->is_used = true;
        if (kind->has_priority || gsim_op_is_move(run, plan->ops[i])) continue;
        kind->has_priority = true;
        kind->priority = plan->ops[i]->priority;
    }
}

enum gsim_status gsim_plan_execute(struct gsim_run *run, const struct gsim_plan_style *style, struct gsim_error *error)
{
    struct executor x = {.driver = run->driver, .style = style, .device_count = 1};
    uint32_t events = style->first->event_count, streams = style->stream_count;
    uint32_t split = style->first->device_count > 1 ? style->first->device_count : 1;
    if (run->iterations > 1 && style->steady->event_count > events) events = style->steady->event_count;
    streams *= split;
    if (streams < style->first->stream_count) streams = style->first->stream_count;
    if (streams < style->steady->stream_count) streams = style->steady->stream_count;
    x.streams = GSIM_ARENA_ARRAY(run->arena, gsim_stream, (size_t)streams + 1);
    x.events = GSIM_ARENA_ARRAY(run->arena, gsim_event, (size_t)events + 1);
    struct kind *kinds = GSIM_ARENA_ARRAY(run->arena, struct kind, (size_t)streams + 1);
    if (!x.streams || !x.events || !kinds)
        return gsim_error_set(error, GSIM_NOMEM, "out of memory for streams and events");
    gsim_peers_enable(run->driver);
    find_kinds(run, style->first, kinds);
    find_kinds(run, style->steady, kinds);
    for (uint32_t s = 0; s < streams; s++)
        if (kinds[s].device || split > 1) x.device_count = gsim_device_count(run->driver);
    for (uint32_t s = 0; s < streams; s++) {
        if (split > 1 && !kinds[s].is_used) continue;
        if (x.device_count > 1) gsim_device_set(run->driver, kinds[s].device);
        x.streams[s] = gsim_stream_create(run->driver, style->has_op_priorities ? kinds[s].priority : 0);
    }
    if (!style->events_each_iteration) create_events(&x, events);
    for (uint32_t i = 0; i < run->iterations && !gsim_driver_failed(run->driver); i++) {
        const struct gsim_plan *plan = i == 0 ? style->first : style->steady;
        gsim_iteration_begin(run->driver, i);
        if (style->events_each_iteration) create_events(&x, plan->event_count);
        if (split == 1) attach(&x, run->program->buffer_count);
        run_iteration(&x, plan);
        gsim_iteration_end(run->driver, i);
    }
    return gsim_run_status(run, error);
}

/* --- a program that is drawn --- */

struct drawn {
    struct gsim_run *run;
    gsim_plan_choose *choose;
    const struct gsim_plan_style *style;
    struct gsim_arena scratch;
    struct gsim_pull *pull;
};

static enum gsim_status issue_drawn(void *data, const struct gsim_feed *feed, struct gsim_error *error)
{
    struct drawn *d = data;
    struct gsim_plan_choice choice = {.list = &feed->list, .dag = &feed->dag, .pull = d->pull = feed->pull};
    uint32_t device_count = gsim_device_count(d->run->driver);
    enum gsim_status status = d->choose(d->run, &choice, &d->scratch, error);
    if (d->scratch.failed) status = gsim_error_set(error, GSIM_NOMEM, "out of memory while planning");
    if (feed->waits && d->style->most != 1) gsim_pull_synchronize(feed->pull);
    for (uint32_t i = 0; i < feed->list.op_count && !status; i++) {
        uint32_t node = choice.order ? choice.order[i] : i;
        const struct gsim_op *op = feed->list.ops[node];
        struct gsim_pull_stream is = {d->style->has_op_priorities ? op->priority : 0, op->device};
        uint32_t stream = gsim_op_is_host(op) ? 0 : choice.stream_of[node] * device_count + op->device;
        gsim_pull_issue(feed->pull, op, stream, &is, d->style->event_flags);
    }
    gsim_arena_reset(&d->scratch);
    return status;
}

static void wait_drawn(void *data)
{
    if (((struct drawn *)data)->pull) gsim_pull_synchronize(((struct drawn *)data)->pull);
}

enum gsim_status gsim_plan_run(struct gsim_run *run, gsim_plan_choose *choose, struct gsim_plan_style style,
                               struct gsim_error *error)
{
    const struct gsim_planned *planned = run->state;
    if (!run->draw) {
        style.first = &planned->first;
        style.steady = &planned->steady;
        return gsim_plan_execute(run, &style, error);
    }
    const struct gsim_feed_user user = {.list = issue_drawn, .wait = wait_drawn, .has_dag = style.most != 1};
    struct drawn d = {.run = run, .choose = choose, .style = &style};
    enum gsim_status status = gsim_feed_run(run, style.most ? style.most : GSIM_FEED_MAX, &user, &d, error);
    gsim_arena_release(&d.scratch);
    return status;
}
