/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The driver of a task's scheduler. Each iteration is a request, which waits for its arrival and, under the exclusive
 * mechanism, for the GPU. It also separates the tasks of a process, as libraries do: synchronising the device waits for
 * the task's own streams, and its default stream is one of them.
 */
#include "gpusim/limits.h"
#include "sim/task/task.h"

static struct gsim_task_state *task_of(struct gsim_driver *driver) { return (struct gsim_task_state *)driver; }

/* --- arrivals ----------------------------------------------------------------------------------------------- */

/* GSIM_TIME_NEVER: after all times. */
static gsim_time arrival_of(struct gsim_task_state *t, uint32_t request)
{
    gsim_time from = gsim_task_follows_last(t->spec, request) ? t->ended : gsim_time_from_us(t->spec->start_us);
    double after_us = gsim_task_arrival_us(t->spec, request, &t->arrived_us, &t->arrivals);
    return after_us + gsim_time_us(from) > GSIM_LIMIT_TOTAL_US ? GSIM_TIME_NEVER : from + gsim_time_from_us(after_us);
}

static void go_to_arrival(struct gsim_task_state *t)
{
    struct gsim_machine *m = t->all->machine;
    if (t->arrival == GSIM_TIME_NEVER)
        gsim_machine_fail(m, GSIM_INPUT, "task '%s': a request arrives later than after %g s, the longest run",
                          t->spec->name, GSIM_LIMIT_TOTAL_US * 1e-6);
    else if (m->running->local < t->arrival)
        m->running->local = t->arrival;
    gsim_machine_meet(m);
}

/* How many come at most. */
static uint32_t most_requests(const struct gsim_task *spec) { return gsim_task_requests(spec, GSIM_LIMIT_REQUESTS); }

uint32_t gsim_task_iterations(const struct gsim_task *spec) { return spec->source ? 1 : most_requests(spec); }

static bool serves_many(const struct gsim_task_state *t) { return t->spec->source && t->spec->source->arrived; }

/* --- one at a time ------------------------------------------------------------------------------------------- */

static void acquire_gpu(struct gsim_task_state *t)
{
    struct gsim_tasks *all = t->all;
    gsim_machine_meet(all->machine);
    if (!all->owner) all->owner = t;
    t->is_waiting = true;
    while (all->owner != t && !gsim_machine_failed(all->machine)) gsim_machine_wait_on(all->machine, &t->waiting);
    t->is_waiting = false;
}

/* The most urgent that waits, then who arrived first. T's own next request may have come long since. */
static void leave_gpu(struct gsim_task_state *t, bool over)
{
    struct gsim_tasks *all = t->all;
    struct gsim_task_state *best = NULL;
    gsim_machine_meet(all->machine);
    for (uint32_t i = 0; i < all->count; i++) {
        struct gsim_task_state *other = &all->states[i];
        bool has_come = other == t && !over && t->arrival < all->machine->running->local;
        if (!other->is_waiting && !has_come) continue;
        if (!best || other->spec->priority < best->spec->priority ||
            (other->spec->priority == best->spec->priority && other->arrival < best->arrival))
            best = other;
    }
    all->owner = best;
    if (best) gsim_machine_wake_all(all->machine, &best->waiting, all->machine->running->local);
}

static bool is_exclusive(const struct gsim_task_state *t)
{
    return t->all->settings.mechanism == GSIM_MECHANISM_EXCLUSIVE;
}

/* --- requests ------------------------------------------------------------------------------------------------ */

static void do_iteration_begin(struct gsim_driver *driver, uint32_t request)
{
    struct gsim_task_state *t = task_of(driver);
    struct gsim_machine *m = t->all->machine;
    if (gsim_driver_failed(t->forward.below)) return;
    if (!request) t->arrival = arrival_of(t, 0);
    go_to_arrival(t);
    if (gsim_machine_failed(m)) return;
    if (is_exclusive(t) && t->all->owner != t) acquire_gpu(t);
    t->began = m->running->local;
    t->process->requests++;
    if (t->all->policy) gsim_policy_request(t->all->policy, t->client.task, true);
    t->forward.below->ops->iteration_begin(t->forward.below, request);
}

static bool is_over(const struct gsim_task_state *t, uint32_t done)
{
    bool is_late =
        t->spec->duration_us > 0 && t->arrival >= gsim_time_from_us(t->spec->start_us + t->spec->duration_us);
    uint32_t most = serves_many(t) ? most_requests(t->spec) : gsim_task_iterations(t->spec);
    return done >= most || is_late || (!gsim_task_is_finite(t->spec) && !t->all->finite_left);
}

static void end_task(struct gsim_task_state *t)
{
    if (t->is_done) return;
    t->is_done = true;
    t->all->finite_left -= gsim_task_is_finite(t->spec);
    if (t->all->policy) gsim_policy_task_ended(t->all->policy, t->client.task);
}

static void do_iteration_end(struct gsim_driver *driver, uint32_t request)
{
    struct gsim_task_state *t = task_of(driver);
    struct gsim_machine *m = t->all->machine;
    if (gsim_driver_failed(t->forward.below)) return;
    t->forward.below->ops->iteration_end(t->forward.below, request);
    gsim_machine_meet(m);
    t->ended = m->running->local;
    t->process->requests--;
    if (!serves_many(t)) {
        struct gsim_request_record record = {t->client.task, request, t->arrival, t->began, t->ended};
        gsim_timeline_add_request(m->timeline, &record);
    }
    if (t->all->policy) gsim_policy_request(t->all->policy, t->client.task, false);
    if (request + 1 < gsim_task_iterations(t->spec)) t->arrival = arrival_of(t, request + 1);
    bool over = t->spec->source || is_over(t, request + 1);
    if (over) end_task(t);
    if (over) t->run.iterations = request + 1;
    if (is_exclusive(t) && (over || !t->all->settings.whole_tasks)) leave_gpu(t, over);
}

/* --- requests of a source that serves many --------------------------------------------------------------------- */

/* The request whose time is t->arrival is there. */
static void let_arrive(struct gsim_task_state *t)
{
    uint32_t request = t->arrived_count;
    if (gsim_array_grow(&t->arrived, sizeof *t->arrived, request, &t->arrived_room)) {
        gsim_machine_fail(t->all->machine, GSIM_NOMEM, "out of memory");
        return;
    }
    t->arrived[t->arrived_count++] = t->arrival;
    gsim_draw_arrive(t->run.draw, request, gsim_time_us(t->arrival));
    t->comes = t->spec->arrival != GSIM_ARRIVAL_CLOSED && request + 1 < most_requests(t->spec);
    if (t->comes) t->arrival = arrival_of(t, request + 1);
    t->comes = t->comes && !is_over(t, request + 1);
}

static bool admit(void *data, bool waits)
{
    struct gsim_task_state *t = data;
    struct gsim_machine *m = t->all->machine;
    while (t->comes && t->arrival <= m->running->local) let_arrive(t);
    if (!waits) return true;
    if (!t->comes || gsim_machine_failed(m)) return false;
    go_to_arrival(t);
    if (gsim_machine_failed(m) || is_over(t, t->arrived_count)) return false;
    let_arrive(t);
    return true;
}

static void serve(void *data, uint32_t request, double begun_us)
{
    struct gsim_task_state *t = data;
    struct gsim_machine *m = t->all->machine;
    if (request >= t->arrived_count || t->arrived[request] == GSIM_TIME_NEVER) {
        gsim_draw_fail(t->run.draw, GSIM_INPUT, "request %u is done, and it has not come, or was done before", request);
        return;
    }
    struct gsim_request_record record = {t->client.task, request, t->arrived[request], gsim_time_from_us(begun_us),
                                         m->running->local};
    gsim_timeline_add_request(m->timeline, &record);
    t->arrived[request] = GSIM_TIME_NEVER;
    t->ended = m->running->local;
    if (t->spec->arrival != GSIM_ARRIVAL_CLOSED || t->arrived_count >= most_requests(t->spec)) return;
    t->arrival = arrival_of(t, t->arrived_count);
    t->comes = !is_over(t, t->arrived_count);
}

void gsim_task_draw(struct gsim_task_state *t, struct gsim_draw *draw)
{
    t->run.draw = draw;
    if (!draw || !serves_many(t)) return;
    t->requests = (struct gsim_draw_requests){.data = t, .look = admit, .served = serve};
    t->comes = true;
    draw->requests = &t->requests;
}

/* --- streams of a task among others --------------------------------------------------------------------------- */

static gsim_stream do_stream_create(struct gsim_driver *driver, int priority)
{
    struct gsim_task_state *t = task_of(driver);
    if (t->all->settings.uses_priority) priority += gsim_task_stream_priority(t->all->set, t->client.task);
    gsim_stream stream = t->forward.below->ops->stream_create(t->forward.below, priority);
    if (t->is_alone || !stream) return stream;
    if (!GSIM_APPEND(t->streams, t->stream_count, t->stream_capacity, stream))
        gsim_machine_fail(t->all->machine, GSIM_NOMEM, "out of memory");
    return stream;
}

/* The stream that stands for S. */
static gsim_stream own_stream(struct gsim_task_state *t, gsim_stream s)
{
    if (s) return s;
    if (!t->stream_count) do_stream_create(&t->forward.driver, 0);
    return t->stream_count ? t->streams[0] : 0;
}

static void do_stream_destroy(struct gsim_driver *driver, gsim_stream stream)
{
    struct gsim_task_state *t = task_of(driver);
    for (size_t i = 1; i < t->stream_count; i++)
        if (t->streams[i] == stream) t->streams[i] = t->streams[--t->stream_count];
    if (t->stream_count && t->streams[0] == stream) return; /* still stands for the default stream */
    t->forward.below->ops->stream_destroy(t->forward.below, stream);
}

static void do_device_synchronize(struct gsim_driver *driver)
{
    struct gsim_task_state *t = task_of(driver);
    for (size_t i = 0; i < t->stream_count; i++)
        t->forward.below->ops->stream_synchronize(t->forward.below, t->streams[i]);
}

/* Calls on a stream, each with the stream that stands for its own. */
#define STREAM_CALLS(X)                                                                              \
    X(void, stream_synchronize, (struct gsim_driver * d, gsim_stream s), (below, own))               \
    X(bool, stream_query, (struct gsim_driver * d, gsim_stream s), (below, own))                     \
    X(void, event_record, (struct gsim_driver * d, gsim_event e, gsim_stream s), (below, e, own))    \
    X(void, stream_wait_event, (struct gsim_driver * d, gsim_stream s, gsim_event e), (below, own, e)) \
    X(void, launch, (struct gsim_driver * d, const struct gsim_op *op, gsim_stream s), (below, op, own)) \
    X(void, memcpy_async, (struct gsim_driver * d, const struct gsim_op *op, gsim_stream s), (below, op, own)) \
    X(void, prefetch_async, (struct gsim_driver * d, const struct gsim_op *op, gsim_stream s), (below, op, own)) \
    X(void, capture_begin, (struct gsim_driver * d, gsim_stream s), (below, own))                    \
    X(gsim_graph, capture_end, (struct gsim_driver * d, gsim_stream s), (below, own))                \
    X(void, graph_launch, (struct gsim_driver * d, gsim_graph_exec x, gsim_stream s), (below, x, own))
#define DEFINE(type, name, parameters, arguments)          \
    static type do_##name parameters                       \
    {                                                      \
        struct gsim_driver *below = task_of(d)->forward.below; \
        gsim_stream own = own_stream(task_of(d), s);       \
        return below->ops->name arguments;                 \
    }
STREAM_CALLS(DEFINE)

/* A measurement stage: what it takes the host to keep each kernel's times. */
static void do_measured_launch(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream s)
{
    struct gsim_task_state *t = task_of(driver);
    t->forward.below->ops->host_work(t->forward.below, t->all->machine->simulation->measure_us, "measure");
    t->forward.below->ops->launch(t->forward.below, op, s);
}

void gsim_task_open(struct gsim_task_state *t, struct gsim_process *process, bool is_alone)
{
    struct gsim_driver_ops *ops = &t->forward.ops;
    gsim_forward_init(&t->forward, &process->driver);
    t->process = process;
    t->is_alone = is_alone;
    ops->iteration_begin = do_iteration_begin;
    ops->iteration_end = do_iteration_end;
    ops->stream_create = do_stream_create;
    /* A resident kernel would go past who decides whose kernels have the SMs. */
    if (t->all->settings.mechanism == GSIM_MECHANISM_TIMESLICE || t->all->ops->ready) ops->persistent_launch = NULL;
    if (t->all->machine->simulation->measure_us > 0) ops->launch = do_measured_launch; /* each task alone */
    if (is_alone) return;
    ops->stream_destroy = do_stream_destroy;
    ops->device_synchronize = do_device_synchronize;
#define SET(type, name, parameters, arguments) ops->name = do_##name;
    STREAM_CALLS(SET)
}

void gsim_task_close(struct gsim_task_state *t)
{
    gsim_free(t->streams);
    gsim_free(t->arrived);
    gsim_random_release(&t->numbers);
    gsim_random_release(&t->arrivals);
    gsim_arena_release(&t->arena);
}
