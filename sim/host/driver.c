/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The simulated backend of include/gpusim/driver.h: each call takes its host time from the device file, then enqueues
 * into front.c or blocks its thread. Graph calls are in graphs.c, threads, locks and queues in threads.c.
 */
#include "sim/clock/machine.h"

static struct gsim_machine *machine(struct gsim_driver *driver) { return (struct gsim_machine *)driver; }

gsim_time gsim_api_begin(struct gsim_machine *m)
{
    m->correlation++;
    m->running->local += m->call_gap;
    return m->running->local;
}

void gsim_api_spend(struct gsim_machine *m, double us)
{
    if (m->simulation->noise) us *= gsim_random_scale(&m->call_noise, m->device->call_spread);
    double share = m->alive_count > m->device->cores ? m->alive_count / m->device->cores : 1;
    m->running->local += gsim_time_from_us(us * share);
}

void gsim_api_take_driver(struct gsim_machine *m, double hold_us, double switch_us)
{
    struct gsim_host_thread *self = m->running;
    if (m->alive_count < 2) return;
    if (m->driver_caller != self->index) self->local += gsim_time_from_us(switch_us);
    if (m->driver_free > self->local) self->local = m->driver_free;
    m->driver_free = self->local + gsim_time_from_us(hold_us);
    m->driver_caller = self->index;
}

void gsim_api_end(struct gsim_machine *m, enum gsim_api api, gsim_time start, gsim_time waited, uint32_t stream,
                  const char *detail)
{
    if (!m->timeline->detailed) return;
    struct gsim_api_record record = {
        .api = api,
        .thread = m->running->index,
        .iteration = m->iteration,
        .correlation = m->correlation,
        .stream = stream,
        .detail = detail,
        .start = start,
        .end = m->running->local,
        .waited = waited,
    };
    gsim_timeline_add_api(m->timeline, &record);
}

void gsim_api_use_stream(struct gsim_machine *m, uint32_t stream)
{
    struct gsim_stream_state *s = &m->streams[stream];
    if (s->used_mark == m->iteration + 1) return;
    s->used_mark = m->iteration + 1;
    m->streams_used++;
}

gsim_time gsim_api_wait_queue(struct gsim_machine *m, uint32_t stream)
{
    struct gsim_hw_queue *hw_queue = gsim_front_bind(m, stream);
    uint32_t depth = (uint32_t)m->device->launch_queue_depth;
    gsim_time before = m->running->local;
    if (hw_queue->pending_launches < depth) return 0;
    gsim_machine_meet(m);
    while ((hw_queue = gsim_front_bind(m, stream))->pending_launches >= depth && !gsim_driver_failed(&m->driver))
        gsim_machine_wait_on(m, &hw_queue->waiting_threads); /* the stream may hold another queue afterwards */
    return m->running->local - before;
}

void gsim_api_issue(struct gsim_machine *m, enum gsim_command_kind kind, const struct gsim_op *op, uint32_t exec,
                    uint32_t stream, gsim_time launch, double latency_us)
{
    struct gsim_command *command = gsim_front_command(m, kind, stream);
    if (!command) return;
    command->op = op;
    command->exec = exec;
    command->launch = launch;
    command->correlation = m->correlation;
    command->arrival = m->running->local + gsim_time_from_us(latency_us);
    gsim_front_issue(m, command);
    gsim_api_use_stream(m, stream);
}

bool gsim_api_is_stream(struct gsim_machine *m, uint32_t stream)
{
    if (gsim_driver_failed(&m->driver)) return false;
    if (stream < m->stream_count && m->streams[stream].exists) return true;
    gsim_machine_fail(m, GSIM_SIM, "stream %u does not exist", stream);
    return false;
}

static bool is_event(struct gsim_machine *m, gsim_event event)
{
    if (gsim_driver_failed(&m->driver)) return false;
    if (event && event < m->event_count && m->events[event].exists) return true;
    gsim_machine_fail(m, GSIM_SIM, "event %u does not exist", event);
    return false;
}

/* --- streams ------------------------------------------------------------------------------------------- */

static gsim_stream add_stream(struct gsim_machine *m, int priority)
{
    uint32_t index = 0;
    while (index < m->stream_count && m->streams[index].exists) index++;
    if (index == m->stream_count) {
        if (gsim_array_grow((void **)&m->streams, sizeof *m->streams, m->stream_count, &m->stream_capacity)) {
            gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
            return 0;
        }
        m->stream_count++;
        m->streams[index] = (struct gsim_stream_state){0};
    } else {
        gsim_free(m->streams[index].tail);
    }
    m->streams[index] = (struct gsim_stream_state){
        .exists = true, .priority = priority, .hw_queue = GSIM_NO_HW_QUEUE};
    return index;
}

static gsim_stream do_stream_create(struct gsim_driver *driver, int priority)
{
    struct gsim_machine *m = machine(driver);
    if (gsim_driver_failed(driver)) return 0;
    gsim_machine_order(m);
    gsim_time start = gsim_api_begin(m);
    gsim_api_spend(m, m->device->stream_create_us);
    gsim_stream stream = add_stream(m, priority);
    gsim_api_end(m, GSIM_API_STREAM_CREATE, start, 0, stream, NULL);
    return stream;
}

static void do_stream_destroy(struct gsim_driver *driver, gsim_stream stream)
{
    struct gsim_machine *m = machine(driver);
    if (!gsim_api_is_stream(m, stream) || stream == 0) return;
    gsim_machine_order(m);
    gsim_time start = gsim_api_begin(m);
    gsim_api_spend(m, m->device->stream_destroy_us);
    if (m->streams[stream].issued != m->streams[stream].completed) gsim_machine_meet(m);
    /* As in CUDA the work goes on; the stream of pending work stays, and its slot is not used again. */
    if (m->streams[stream].issued == m->streams[stream].completed) m->streams[stream].exists = false;
    gsim_api_end(m, GSIM_API_STREAM_DESTROY, start, 0, stream, NULL);
}

static void do_stream_synchronize(struct gsim_driver *driver, gsim_stream stream)
{
    struct gsim_machine *m = machine(driver);
    if (!gsim_api_is_stream(m, stream)) return;
    gsim_time start = gsim_api_begin(m);
    gsim_machine_meet(m);
    gsim_api_take_driver(m, m->device->driver_sync_lock_us, 0);
    gsim_machine_meet(m);
    bool is_idle = m->streams[stream].completed == m->streams[stream].issued;
    if (!is_idle) {
        m->running->target = m->streams[stream].issued;
        gsim_machine_wait_on(m, &m->streams[stream].waiting_threads);
    }
    gsim_time waited = m->running->local - start;
    gsim_api_spend(m, is_idle ? m->device->sync_idle_us : m->device->sync_return_us);
    gsim_api_end(m, GSIM_API_STREAM_SYNC, start, waited, stream, NULL);
}

static bool do_stream_query(struct gsim_driver *driver, gsim_stream stream)
{
    struct gsim_machine *m = machine(driver);
    if (!gsim_api_is_stream(m, stream)) return true;
    gsim_time start = gsim_api_begin(m);
    gsim_machine_meet(m);
    bool is_idle = m->streams[stream].completed == m->streams[stream].issued;
    gsim_api_spend(m, m->device->query_us);
    gsim_api_end(m, GSIM_API_STREAM_QUERY, start, 0, stream, NULL);
    return is_idle;
}

static void do_device_synchronize(struct gsim_driver *driver)
{
    struct gsim_machine *m = machine(driver);
    if (gsim_driver_failed(driver)) return;
    gsim_time start = gsim_api_begin(m);
    gsim_machine_meet(m);
    bool is_idle = m->completed == m->issued;
    if (!is_idle) gsim_machine_wait_on(m, &m->waiting_device);
    gsim_time waited = m->running->local - start;
    gsim_api_spend(m, is_idle ? m->device->sync_idle_us : m->device->sync_return_us);
    gsim_api_end(m, GSIM_API_DEVICE_SYNC, start, waited, 0, NULL);
}

/* --- events ---------------------------------------------------------------------------------------------- */

static gsim_event do_event_create(struct gsim_driver *driver, enum gsim_event_flags flags)
{
    struct gsim_machine *m = machine(driver);
    if (gsim_driver_failed(driver)) return 0;
    gsim_time start = gsim_api_begin(m);
    gsim_event event = 0;
    if (m->free_event_count) {
        event = m->free_events[--m->free_event_count];
    } else {
        if (gsim_array_grow((void **)&m->events, sizeof *m->events, m->event_count, &m->event_capacity)) {
            gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
            return 0;
        }
        event = (gsim_event)m->event_count++;
    }
    m->events[event] = (struct gsim_event_state){.exists = true, .flags = flags};
    gsim_api_spend(m, m->device->event_create_us);
    gsim_api_end(m, GSIM_API_EVENT_CREATE, start, 0, 0, flags == GSIM_EVENT_NO_TIMING ? GSIM_API_NO_TIMING : NULL);
    return event;
}

static void do_event_destroy(struct gsim_driver *driver, gsim_event event)
{
    struct gsim_machine *m = machine(driver);
    if (!is_event(m, event)) return;
    gsim_time start = gsim_api_begin(m);
    gsim_front_unref(m, m->events[event].marker);
    m->events[event] = (struct gsim_event_state){0};
    if (gsim_array_grow((void **)&m->free_events, sizeof *m->free_events, m->free_event_count, &m->free_event_capacity))
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
    else
        m->free_events[m->free_event_count++] = event;
    gsim_api_spend(m, m->device->event_destroy_us);
    gsim_api_end(m, GSIM_API_EVENT_DESTROY, start, 0, 0, NULL);
}

/* A record or wait command with MARKER, which gets another reference. */
static void issue_marker(struct gsim_machine *m, enum gsim_command_kind kind, gsim_stream stream, struct gsim_marker *marker,
                         gsim_time launch)
{
    struct gsim_command *command = gsim_front_command(m, kind, stream);
    if (!command) return;
    marker->references++;
    command->marker = marker;
    command->launch = launch;
    command->correlation = m->correlation;
    command->arrival = m->running->local + gsim_time_from_us(m->device->launch_to_start_us);
    gsim_front_issue(m, command);
}

static void do_event_record(struct gsim_driver *driver, gsim_event event, gsim_stream stream)
{
    struct gsim_machine *m = machine(driver);
    if (!gsim_api_is_stream(m, stream) || !is_event(m, event)) return;
    gsim_machine_order(m);
    gsim_time start = gsim_api_begin(m);
    bool is_timed = m->events[event].flags == GSIM_EVENT_TIMING;
    gsim_api_take_driver(m, m->device->driver_event_lock_us, 0);
    gsim_api_spend(m, is_timed ? m->device->event_record_us : m->device->event_record_no_timing_us);
    m->events_recorded++;
    if (!gsim_graphs_capture_record(m, event, stream)) {
        struct gsim_marker *marker = gsim_front_marker(m);
        if (!marker) return;
        marker->is_timed = is_timed;
        marker->recorded_stream = stream;
        marker->event = event;
        marker->correlation = m->correlation;
        gsim_front_unref(m, m->events[event].marker);
        m->events[event].marker = marker;
        issue_marker(m, GSIM_COMMAND_RECORD, stream, marker, start);
    }
    gsim_api_end(m, GSIM_API_EVENT_RECORD, start, 0, stream, NULL);
}

static void do_stream_wait_event(struct gsim_driver *driver, gsim_stream stream, gsim_event event)
{
    struct gsim_machine *m = machine(driver);
    if (!gsim_api_is_stream(m, stream) || !is_event(m, event)) return;
    gsim_machine_order(m);
    gsim_time start = gsim_api_begin(m);
    gsim_api_take_driver(m, m->device->driver_event_lock_us, 0);
    gsim_api_spend(m, m->device->stream_wait_us);
    m->stream_waits++;
    if (!gsim_graphs_capture_wait(m, stream, event) && m->events[event].marker)
        issue_marker(m, GSIM_COMMAND_WAIT, stream, m->events[event].marker, start);
    gsim_api_end(m, GSIM_API_STREAM_WAIT, start, 0, stream, NULL);
}

/* A record with timing is complete a little after the device has come to it. */
static bool marker_pending(const struct gsim_machine *m, const struct gsim_marker *marker)
{
    return marker && (!marker->is_complete || marker->time > m->running->local);
}

static void do_event_synchronize(struct gsim_driver *driver, gsim_event event)
{
    struct gsim_machine *m = machine(driver);
    if (!is_event(m, event)) return;
    gsim_time start = gsim_api_begin(m);
    gsim_machine_meet(m);
    struct gsim_marker *marker = m->events[event].marker;
    bool is_pending = marker_pending(m, marker);
    if (is_pending && !marker->is_complete) gsim_machine_wait_on(m, &marker->waiting_threads);
    else if (is_pending) m->running->local = marker->time;
    gsim_time waited = m->running->local - start;
    gsim_api_spend(m, is_pending ? m->device->sync_return_us : m->device->sync_idle_us);
    gsim_api_end(m, GSIM_API_EVENT_SYNC, start, waited, 0, NULL);
}

static bool do_event_query(struct gsim_driver *driver, gsim_event event)
{
    struct gsim_machine *m = machine(driver);
    if (!is_event(m, event)) return true;
    gsim_time start = gsim_api_begin(m);
    gsim_machine_meet(m);
    bool is_complete = !marker_pending(m, m->events[event].marker);
    gsim_api_spend(m, m->device->query_us);
    gsim_api_end(m, GSIM_API_EVENT_QUERY, start, 0, 0, NULL);
    return is_complete;
}

/* --- work -------------------------------------------------------------------------------------------------- */

static void do_launch(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream)
{
    struct gsim_machine *m = machine(driver);
    if (!gsim_api_is_stream(m, stream) || gsim_graphs_capture_op(m, stream, op)) return;
    gsim_machine_order(m);
    gsim_time start = gsim_api_begin(m), waited = gsim_api_wait_queue(m, stream);
    gsim_time before = m->running->local;
    gsim_managed_launch(m, &op, 1, stream);
    waited += m->running->local - before;
    gsim_api_take_driver(m, m->device->driver_lock_us, m->device->driver_switch_us);
    gsim_api_spend(m, m->device->launch_us);
    gsim_api_issue(m, GSIM_COMMAND_OP, op, 0, stream, start, m->device->launch_to_start_us);
    gsim_api_end(m, GSIM_API_LAUNCH, start, waited, stream, m->program->kernels[op->kernel_index].name);
}

static void do_memcpy_async(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream)
{
    struct gsim_machine *m = machine(driver);
    if (!gsim_api_is_stream(m, stream) || gsim_graphs_capture_op(m, stream, op)) return;
    gsim_machine_order(m);
    gsim_time start = gsim_api_begin(m), waited = gsim_api_wait_queue(m, stream);
    gsim_api_take_driver(m, m->device->driver_lock_us, m->device->driver_switch_us);
    gsim_api_spend(m, m->device->memcpy_us);
    bool is_pinned = gsim_copies_is_pinned(m, op); /* the staging of others has its own start */
    gsim_api_issue(m, GSIM_COMMAND_OP, op, 0, stream, start, is_pinned ? m->device->copy_start_us : 0);
    /* Pageable copies are staged by the calling thread; small ones to the device return at once
     * (CUDA driver API, "API synchronization behavior": up to 64 KB). */
    bool is_small = op->copy_kind == GSIM_COPY_H2D && op->bytes <= 65536;
    if (gsim_copies_is_pageable(m, op) && op->copy_kind != GSIM_COPY_D2D && !is_small) {
        gsim_time before = m->running->local;
        m->running->target = m->streams[stream].issued;
        gsim_machine_wait_on(m, &m->streams[stream].waiting_threads);
        waited += m->running->local - before;
    }
    gsim_api_end(m, GSIM_API_MEMCPY, start, waited, stream, m->program->buffers[op->args[0].buffer_index].name);
}

static void do_prefetch_async(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream)
{
    struct gsim_machine *m = machine(driver);
    if (!gsim_api_is_stream(m, stream) || gsim_graphs_capture_op(m, stream, op)) return;
    gsim_machine_order(m);
    gsim_time start = gsim_api_begin(m), waited = gsim_api_wait_queue(m, stream);
    uint64_t missing = gsim_residency_bytes(&m->residency, op->args[0].buffer_index, op->bytes, GSIM_PLACE_HOST);
    gsim_api_spend(m, m->device->prefetch_call_us);
    gsim_api_issue(m, GSIM_COMMAND_OP, op, 0, stream, start, 0);
    /* The driver unmaps the pages and hands them to the copy engine piece by piece: the copy is under way. */
    gsim_api_spend(m, m->device->prefetch_call_us_per_mb * (double)missing * 1e-6);
    gsim_api_end(m, GSIM_API_PREFETCH, start, waited, stream, m->program->buffers[op->args[0].buffer_index].name);
}

static void do_stream_attach(struct gsim_driver *driver, uint32_t buffer_index, gsim_stream stream)
{
    struct gsim_machine *m = machine(driver);
    if (!gsim_api_is_stream(m, stream)) return;
    gsim_time start = gsim_api_begin(m);
    gsim_api_spend(m, m->device->attach_us);
    gsim_managed_attach(m, buffer_index, stream);
    gsim_api_end(m, GSIM_API_ATTACH, start, 0, stream, m->program->buffers[buffer_index].name);
}

static void do_host_access(struct gsim_driver *driver, const struct gsim_op *op)
{
    struct gsim_machine *m = machine(driver);
    if (gsim_driver_failed(driver)) return;
    if (op->kind == GSIM_OP_HOST_WRITE) gsim_host_cache_write(m, op);
    if (m->simulation->memory != GSIM_MEMORY_MANAGED) return;
    gsim_time start = gsim_api_begin(m);
    gsim_machine_meet(m);
    gsim_managed_host_access(m, op);
    gsim_api_end(m, GSIM_API_HOST_ACCESS, start, m->running->local - start, 0,
                 m->program->buffers[op->args[0].buffer_index].name);
}

static void do_host_work(struct gsim_driver *driver, double us, const char *what)
{
    struct gsim_machine *m = machine(driver);
    if (gsim_driver_failed(driver)) return;
    gsim_time start = gsim_api_begin(m);
    gsim_api_spend(m, us);
    gsim_api_end(m, GSIM_API_HOST_WORK, start, 0, 0, what);
}

/* --- bookkeeping --------------------------------------------------------------------------------------------- */

static void do_iteration_begin(struct gsim_driver *driver, uint32_t iteration)
{
    struct gsim_machine *m = machine(driver);
    if (gsim_driver_failed(driver)) return;
    gsim_machine_meet(m);
    m->iteration = iteration;
    m->iteration_start = m->running->local;
    m->streams_used = m->events_recorded = m->stream_waits = 0;
    for (uint32_t i = 0; i < m->program->op_count; i++) {
        const struct gsim_op *op = &m->program->ops[i];
        if (op->kind != GSIM_OP_HOST_WRITE || !op->untimed) continue;
        gsim_residency_host_takes(&m->residency, op->args[0].buffer_index, op->bytes, true);
        gsim_host_cache_write(m, op);
    }
}

/* The first iteration, which makes graphs and moves data, does not count. */
static bool repeats(const struct gsim_timeline *timeline)
{
    gsim_time shortest = GSIM_TIME_NEVER, longest = 0;
    for (size_t back = 1; back <= 5 && back < timeline->iteration_count; back++) {
        const struct gsim_iteration_record *record = &timeline->iterations[timeline->iteration_count - back];
        gsim_time length = record->end - record->start;
        if (length < shortest) shortest = length;
        if (length > longest) longest = length;
        double spread = (double)(longest - shortest);
        if (back == 2 && spread <= GSIM_STEADY_SAME * (double)shortest) return true;
        if (back == 5) return spread <= GSIM_STEADY_NEAR * (double)shortest;
    }
    return false;
}

static void do_iteration_end(struct gsim_driver *driver, uint32_t iteration)
{
    struct gsim_machine *m = machine(driver);
    if (gsim_driver_failed(driver)) return;
    (void)iteration;
    struct gsim_iteration_record record = {m->iteration_start, m->running->local, m->streams_used, m->events_recorded,
                                           m->stream_waits};
    gsim_timeline_add_iteration(m->timeline, &record);
    /* With noise no iteration repeats: one behind the warm-up, repetitions are other seeds. */
    bool is_enough = m->simulation->noise ? m->timeline->iteration_count >= 2 : repeats(m->timeline);
    if (m->simulation->until_steady && is_enough) m->run->iterations = (uint32_t)m->timeline->iteration_count;
}

static double do_now_us(struct gsim_driver *driver) { return gsim_time_us(machine(driver)->running->local); }

void gsim_simdriver_init(struct gsim_machine *m)
{
    static const struct gsim_driver_ops own = {
        .abi = GSIM_ABI,
        .size = sizeof(struct gsim_driver_ops),
        .name = "sim",
        .stream_create = do_stream_create,
        .stream_destroy = do_stream_destroy,
        .stream_synchronize = do_stream_synchronize,
        .stream_query = do_stream_query,
        .device_synchronize = do_device_synchronize,
        .event_create = do_event_create,
        .event_destroy = do_event_destroy,
        .event_record = do_event_record,
        .stream_wait_event = do_stream_wait_event,
        .event_synchronize = do_event_synchronize,
        .event_query = do_event_query,
        .launch = do_launch,
        .memcpy_async = do_memcpy_async,
        .prefetch_async = do_prefetch_async,
        .stream_attach = do_stream_attach,
        .host_access = do_host_access,
        .host_work = do_host_work,
        .iteration_begin = do_iteration_begin,
        .iteration_end = do_iteration_end,
        .now_us = do_now_us,
    };
    struct gsim_driver_ops *ops = GSIM_ARENA_NEW(&m->arena, struct gsim_driver_ops);
    if (!ops) {
        gsim_error_set(&m->driver.error, GSIM_NOMEM, "out of memory");
        return;
    }
    *ops = own;
    gsim_graphs_set_ops(ops);
    gsim_threads_set_ops(ops);
    m->driver.ops = ops;
    add_stream(m, 0);                                                             /* the legacy default stream */
    if (gsim_array_grow((void **)&m->events, sizeof *m->events, 0, &m->event_capacity)) /* event 0 means "none" */
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
    else
        m->events[m->event_count++] = (struct gsim_event_state){0};
}
