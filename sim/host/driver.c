/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The simulated backend of include/gpusim/driver.h: each call takes its host time from the device file, then enqueues
 * into front.c or blocks its thread. Graph calls are in graphs.c, threads, locks and queues in threads.c.
 */
#include "sim/host/api.h"

gsim_time gsim_api_begin(struct gsim_process *p)
{
    p->correlation = ++p->machine->call_count;
    p->machine->running->local += p->call_gap;
    return p->machine->running->local;
}

void gsim_api_spend(struct gsim_process *p, double us)
{
    if (p->machine->simulation->noise) us *= gsim_random_scale(&p->machine->call_noise, p->spec->call_spread);
    double share = p->machine->alive_count > p->spec->cores ? p->machine->alive_count / p->spec->cores : 1;
    p->machine->running->local += gsim_time_from_us(us * share);
}

void gsim_api_take_driver(struct gsim_process *p, double hold_us, double switch_us)
{
    struct gsim_host_thread *self = p->machine->running;
    if (p->machine->alive_count < 2) return;
    if (p->driver_caller != self->index) self->local += gsim_time_from_us(switch_us);
    if (p->driver_free > self->local) self->local = p->driver_free;
    p->driver_free = self->local + gsim_time_from_us(hold_us);
    p->driver_caller = self->index;
}

void gsim_api_end(struct gsim_process *p, enum gsim_api api, gsim_time start, gsim_time waited, uint32_t stream,
                  const char *detail)
{
    if (!p->machine->timeline->detailed) return;
    struct gsim_api_record record = {
        .api = api,
        .thread = p->machine->running->index,
        .iteration = gsim_process_client(p)->iteration,
        .correlation = p->correlation,
        .stream = stream,
        .detail = detail,
        .start = start,
        .end = p->machine->running->local,
        .waited = waited,
    };
    gsim_timeline_add_api(p->machine->timeline, &record);
}

void gsim_api_use_stream(struct gsim_process *p, uint32_t stream)
{
    struct gsim_stream_state *s = &p->streams[stream];
    struct gsim_caller *client = gsim_process_client(p);
    if (s->used_mark == client->iteration + 1) return;
    s->used_mark = client->iteration + 1;
    client->streams_used++;
}

gsim_time gsim_api_wait_queue(struct gsim_process *p, uint32_t stream)
{
    struct gsim_front *front = p->streams[stream].front;
    struct gsim_hw_queue *hw_queue = gsim_front_bind(front, stream);
    uint32_t depth = gsim_whole_u32(p->spec->launch_queue_depth);
    gsim_time before = p->machine->running->local;
    if (hw_queue->pending_launches < depth) return 0;
    gsim_machine_meet(p->machine);
    while ((hw_queue = gsim_front_bind(front, stream))->pending_launches >= depth && !gsim_driver_failed(&p->driver))
        gsim_machine_wait_on(p->machine, &hw_queue->waiting_threads); /* the stream may hold another queue afterwards */
    return p->machine->running->local - before;
}

void gsim_api_send(struct gsim_process *p, struct gsim_command *command, gsim_time launch, double latency_us)
{
    command->launch = launch;
    command->correlation = p->correlation;
    command->arrival = p->machine->running->local + gsim_time_from_us(latency_us);
    gsim_front_issue(command->front, command);
}

void gsim_api_issue(struct gsim_process *p, enum gsim_command_kind kind, const struct gsim_op *op, uint32_t exec,
                    uint32_t stream, gsim_time launch, double latency_us)
{
    struct gsim_command *command = gsim_front_command(p->streams[stream].front, kind, stream);
    if (!command) return;
    command->op = op;
    command->note = p->machine->running->note;
    command->exec = exec;
    gsim_api_send(p, command, launch, latency_us);
    gsim_api_use_stream(p, stream);
}

bool gsim_api_is_stream(struct gsim_process *p, uint32_t stream)
{
    if (gsim_driver_failed(&p->driver)) return false;
    if (stream < p->stream_count && p->streams[stream].exists) return true;
    gsim_machine_fail(p->machine, GSIM_SIM, "stream %u does not exist", stream);
    return false;
}

bool gsim_api_is_event(struct gsim_process *p, gsim_event event)
{
    if (gsim_driver_failed(&p->driver)) return false;
    if (event && event < p->event_count && p->events[event].exists) return true;
    gsim_machine_fail(p->machine, GSIM_SIM, "event %u does not exist", event);
    return false;
}

/* --- streams ------------------------------------------------------------------------------------------- */

static gsim_stream add_stream(struct gsim_process *p, int priority)
{
    uint32_t index = p->lowest_free;
    while (index < p->stream_count && p->streams[index].exists) index++;
    if (index == p->stream_count) {
        if (gsim_array_grow(&p->streams, sizeof *p->streams, p->stream_count, &p->stream_capacity)) {
            gsim_machine_fail(p->machine, GSIM_NOMEM, "out of memory");
            return 0;
        }
        p->stream_count++;
        p->streams[index] = (struct gsim_stream_state){0};
    } else {
        gsim_free(p->streams[index].tail);
    }
    p->streams[index] = (struct gsim_stream_state){.front = p->fronts[gsim_process_device(p)->index],
                                                   .exists = true,
                                                   .priority = priority,
                                                   .hw_queue = GSIM_NO_HW_QUEUE};
    p->lowest_free = index + 1;
    return index;
}

gsim_stream gsim_api_stream_create(struct gsim_driver *driver, int priority)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (gsim_driver_failed(driver)) return 0;
    gsim_machine_order(p->machine);
    gsim_time start = gsim_api_begin(p);
    gsim_api_spend(p, p->spec->stream_create_us);
    gsim_stream stream = add_stream(p, priority);
    gsim_api_end(p, GSIM_API_STREAM_CREATE, start, 0, stream, NULL);
    return stream;
}

void gsim_api_stream_destroy(struct gsim_driver *driver, gsim_stream stream)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!gsim_api_is_stream(p, stream) || stream == 0) return;
    gsim_machine_order(p->machine);
    gsim_time start = gsim_api_begin(p);
    gsim_api_spend(p, p->spec->stream_destroy_us);
    if (p->streams[stream].issued != p->streams[stream].completed) gsim_machine_meet(p->machine);
    /* As in CUDA the work goes on; the stream of pending work stays, and its slot is not used again. */
    if (p->streams[stream].issued == p->streams[stream].completed) {
        p->streams[stream].exists = false;
        if (stream < p->lowest_free) p->lowest_free = stream;
    }
    gsim_api_end(p, GSIM_API_STREAM_DESTROY, start, 0, stream, NULL);
}

void gsim_api_stream_synchronize(struct gsim_driver *driver, gsim_stream stream)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!gsim_api_is_stream(p, stream)) return;
    gsim_time start = gsim_api_begin(p);
    gsim_machine_meet(p->machine);
    gsim_api_take_driver(p, p->spec->driver_sync_lock_us, 0);
    gsim_machine_meet(p->machine);
    bool is_idle = p->streams[stream].completed == p->streams[stream].issued;
    if (!is_idle) {
        p->machine->running->target = p->streams[stream].issued;
        gsim_machine_wait_on(p->machine, &p->streams[stream].waiting_threads);
    }
    gsim_time waited = p->machine->running->local - start;
    gsim_api_spend(p, is_idle ? p->spec->sync_idle_us : p->spec->sync_return_us);
    gsim_api_end(p, GSIM_API_STREAM_SYNC, start, waited, stream, NULL);
}

bool gsim_api_stream_query(struct gsim_driver *driver, gsim_stream stream)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!gsim_api_is_stream(p, stream)) return true;
    gsim_time start = gsim_api_begin(p);
    gsim_machine_meet(p->machine);
    bool is_idle = p->streams[stream].completed == p->streams[stream].issued;
    gsim_api_spend(p, p->spec->query_us);
    gsim_api_end(p, GSIM_API_STREAM_QUERY, start, 0, stream, NULL);
    return is_idle;
}

void gsim_api_device_synchronize(struct gsim_driver *driver)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (gsim_driver_failed(driver)) return;
    gsim_time start = gsim_api_begin(p);
    gsim_machine_meet(p->machine);
    struct gsim_front *front = p->fronts[p->first_device + p->machine->running->device];
    bool is_idle = !front || front->completed == front->issued; /* there is none before it is used */
    if (!is_idle) gsim_machine_wait_on(p->machine, &front->waiting_device);
    gsim_time waited = p->machine->running->local - start;
    gsim_api_spend(p, is_idle ? p->spec->sync_idle_us : p->spec->sync_return_us);
    gsim_api_end(p, GSIM_API_DEVICE_SYNC, start, waited, 0, NULL);
}

/* --- events ---------------------------------------------------------------------------------------------- */

gsim_event gsim_api_event_create(struct gsim_driver *driver, enum gsim_event_flags flags)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (gsim_driver_failed(driver)) return 0;
    gsim_time start = gsim_api_begin(p);
    gsim_event event = 0;
    if (p->free_event_count) {
        event = p->free_events[--p->free_event_count];
    } else {
        if (gsim_array_grow(&p->events, sizeof *p->events, p->event_count, &p->event_capacity)) {
            gsim_machine_fail(p->machine, GSIM_NOMEM, "out of memory");
            return 0;
        }
        event = (gsim_event)p->event_count++;
    }
    p->events[event] = (struct gsim_event_state){.exists = true, .flags = flags};
    gsim_api_spend(p, p->spec->event_create_us);
    gsim_api_end(p, GSIM_API_EVENT_CREATE, start, 0, 0, flags == GSIM_EVENT_NO_TIMING ? GSIM_API_NO_TIMING : NULL);
    return event;
}

void gsim_api_event_destroy(struct gsim_driver *driver, gsim_event event)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!gsim_api_is_event(p, event)) return;
    gsim_time start = gsim_api_begin(p);
    gsim_process_unref(p, p->events[event].marker);
    p->events[event] = (struct gsim_event_state){0};
    if (!GSIM_APPEND(p->free_events, p->free_event_count, p->free_event_capacity, event))
        gsim_machine_fail(p->machine, GSIM_NOMEM, "out of memory");
    gsim_api_spend(p, p->spec->event_destroy_us);
    gsim_api_end(p, GSIM_API_EVENT_DESTROY, start, 0, 0, NULL);
}

/* A record or wait command with MARKER, which gets another reference. */
static void issue_marker(struct gsim_process *p, enum gsim_command_kind kind, gsim_stream stream,
                         struct gsim_marker *marker, gsim_time launch)
{
    struct gsim_command *command = gsim_front_command(p->streams[stream].front, kind, stream);
    if (!command) return;
    marker->references++;
    command->marker = marker;
    gsim_api_send(p, command, launch, p->spec->launch_to_start_us);
}

void gsim_api_event_record(struct gsim_driver *driver, gsim_event event, gsim_stream stream)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!gsim_api_is_stream(p, stream) || !gsim_api_is_event(p, event)) return;
    gsim_machine_order(p->machine);
    gsim_time start = gsim_api_begin(p);
    bool is_timed = p->events[event].flags == GSIM_EVENT_TIMING;
    gsim_api_take_driver(p, p->spec->driver_event_lock_us, 0);
    gsim_api_spend(p, is_timed ? p->spec->event_record_us : p->spec->event_record_no_timing_us);
    gsim_process_client(p)->events_recorded++;
    if (!gsim_api_capture_record(p, event, stream)) {
        struct gsim_marker *marker = gsim_process_marker(p);
        if (!marker) return;
        marker->is_timed = is_timed;
        marker->recorded_stream = stream;
        marker->event = event;
        marker->correlation = p->correlation;
        issue_marker(p, GSIM_COMMAND_RECORD, stream, marker, start); /* first: it may let other threads go on */
        gsim_process_unref(p, p->events[event].marker);
        p->events[event].marker = marker;
    }
    gsim_api_end(p, GSIM_API_EVENT_RECORD, start, 0, stream, NULL);
}

void gsim_api_stream_wait_event(struct gsim_driver *driver, gsim_stream stream, gsim_event event)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!gsim_api_is_stream(p, stream) || !gsim_api_is_event(p, event)) return;
    gsim_machine_order(p->machine);
    gsim_time start = gsim_api_begin(p);
    gsim_api_take_driver(p, p->spec->driver_event_lock_us, 0);
    gsim_api_spend(p, p->spec->stream_wait_us);
    gsim_process_client(p)->stream_waits++;
    if (!gsim_api_capture_wait(p, stream, event) && p->events[event].marker)
        issue_marker(p, GSIM_COMMAND_WAIT, stream, p->events[event].marker, start);
    gsim_api_end(p, GSIM_API_STREAM_WAIT, start, 0, stream, NULL);
}

/* A record with timing is complete a little after the device has come to it. */
static bool marker_pending(const struct gsim_process *p, const struct gsim_marker *marker)
{
    return marker && (!marker->is_complete || marker->time > p->machine->running->local);
}

void gsim_api_event_synchronize(struct gsim_driver *driver, gsim_event event)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!gsim_api_is_event(p, event)) return;
    gsim_time start = gsim_api_begin(p);
    gsim_machine_meet(p->machine);
    struct gsim_marker *marker = p->events[event].marker;
    bool is_pending = marker_pending(p, marker);
    if (is_pending && !marker->is_complete) gsim_machine_wait_on(p->machine, &marker->waiting_threads);
    else if (is_pending) p->machine->running->local = marker->time;
    gsim_time waited = p->machine->running->local - start;
    gsim_api_spend(p, is_pending ? p->spec->sync_return_us : p->spec->sync_idle_us);
    gsim_api_end(p, GSIM_API_EVENT_SYNC, start, waited, 0, NULL);
}

bool gsim_api_event_query(struct gsim_driver *driver, gsim_event event)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!gsim_api_is_event(p, event)) return true;
    gsim_time start = gsim_api_begin(p);
    gsim_machine_meet(p->machine);
    bool is_complete = !marker_pending(p, p->events[event].marker);
    gsim_api_spend(p, p->spec->query_us);
    gsim_api_end(p, GSIM_API_EVENT_QUERY, start, 0, 0, NULL);
    return is_complete;
}

/* --- work -------------------------------------------------------------------------------------------------- */

/* Of a call that puts work into a queue. */
static double gpus_call_us(const struct gsim_process *p) { return p->device_count > 1 ? p->spec->gpus_call_us : 0; }

void gsim_api_launch(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!gsim_api_is_stream(p, stream) || gsim_api_capture_op(p, stream, op)) return;
    gsim_machine_order(p->machine);
    gsim_time start = gsim_api_begin(p), waited = gsim_api_wait_queue(p, stream);
    gsim_time before = p->machine->running->local;
    gsim_managed_launch(gsim_api_device(p, stream), &op, 1, stream, gsim_process_client(p)->iteration);
    waited += p->machine->running->local - before;
    gsim_api_take_driver(p, p->spec->driver_lock_us, p->spec->driver_switch_us);
    gsim_api_spend(p, p->spec->launch_us + gpus_call_us(p));
    gsim_api_issue(p, GSIM_COMMAND_OP, op, 0, stream, start, p->spec->launch_to_start_us);
    gsim_api_end(p, GSIM_API_LAUNCH, start, waited, stream, p->space->program->kernels[op->kernel_index].name);
}

/* A copy between GPUs is the engine's of the one that has the data. */
static bool can_copy(struct gsim_process *p, const struct gsim_op *op, gsim_stream stream)
{
    if (!gsim_api_is_stream(p, stream)) return false;
    const struct gsim_device *d = gsim_api_device(p, stream);
    if (op->copy_kind != GSIM_COPY_P2P) return true;
    if (op->device == d->index && op->to_device != d->index && op->to_device < p->device_count)
        return p->machine->open_device(p->machine, op->to_device) != NULL;
    gsim_machine_fail(p->machine, GSIM_SIM, "a copy from GPU %u to GPU %u cannot be in a stream of GPU %u of %u",
                      op->device, op->to_device, d->index, p->device_count);
    return false;
}

void gsim_api_memcpy_async(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!can_copy(p, op, stream) || gsim_api_capture_op(p, stream, op)) return;
    gsim_machine_order(p->machine);
    gsim_time start = gsim_api_begin(p), waited = gsim_api_wait_queue(p, stream);
    const char *name = p->space->program->buffers[op->args[0].buffer_index].name;
    gsim_api_take_driver(p, p->spec->driver_lock_us, p->spec->driver_switch_us);
    bool is_peer = op->copy_kind == GSIM_COPY_P2P && p->spec->peer_call_us > 0;
    gsim_api_spend(p, is_peer ? p->spec->peer_call_us : p->spec->memcpy_us + gpus_call_us(p));
    bool is_pinned = gsim_copies_is_pinned(p->space, op); /* the staging of others has its own start */
    gsim_api_issue(p, GSIM_COMMAND_OP, op, 0, stream, start, is_pinned ? p->spec->copy_start_us : 0);
    /* Pageable copies are staged by the calling thread; small ones to the device return at once
     * (CUDA driver API, "API synchronization behavior"). */
    bool is_small = op->copy_kind == GSIM_COPY_H2D && (double)op->bytes <= p->spec->pageable_staged_bytes;
    if (gsim_copies_is_pageable(p->space, op) && op->copy_kind != GSIM_COPY_D2D && op->copy_kind != GSIM_COPY_P2P &&
        !is_small) {
        gsim_time before = p->machine->running->local;
        p->machine->running->target = p->streams[stream].issued;
        gsim_machine_wait_on(p->machine, &p->streams[stream].waiting_threads);
        waited += p->machine->running->local - before;
    }
    gsim_api_end(p, GSIM_API_MEMCPY, start, waited, stream, name);
}

void gsim_api_memcpy_peer_async(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream)
{
    gsim_api_memcpy_async(driver, op, stream);
}

void gsim_api_prefetch_async(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!gsim_api_is_stream(p, stream) || gsim_api_capture_op(p, stream, op)) return;
    gsim_machine_order(p->machine);
    gsim_time start = gsim_api_begin(p), waited = gsim_api_wait_queue(p, stream);
    uint64_t missing = gsim_residency_bytes(&p->space->residency, op->args[0].buffer_index, op->bytes, ~UINT64_C(0),
                                            GSIM_HELD_BY(gsim_api_device(p, stream)->index));
    gsim_api_spend(p, p->spec->prefetch_call_us);
    gsim_api_issue(p, GSIM_COMMAND_OP, op, 0, stream, start, 0);
    /* The driver unmaps the pages and hands them to the copy engine piece by piece: the copy is under way. */
    gsim_api_spend(p, p->spec->prefetch_call_us_per_mb * (double)missing * 1e-6);
    gsim_api_end(p, GSIM_API_PREFETCH, start, waited, stream,
                 p->space->program->buffers[op->args[0].buffer_index].name);
}

void gsim_api_stream_attach(struct gsim_driver *driver, uint32_t buffer_index, gsim_stream stream)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!gsim_api_is_stream(p, stream)) return;
    gsim_time start = gsim_api_begin(p);
    gsim_api_spend(p, p->spec->attach_us);
    gsim_managed_attach(p->space, buffer_index, stream);
    gsim_api_end(p, GSIM_API_ATTACH, start, 0, stream, p->space->program->buffers[buffer_index].name);
}

void gsim_api_host_access(struct gsim_driver *driver, const struct gsim_op *op)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (gsim_driver_failed(driver)) return;
    if (op->kind == GSIM_OP_HOST_WRITE) gsim_host_cache_write(p->space, op);
    if (p->space->mode != GSIM_MEMORY_MANAGED) return;
    gsim_time start = gsim_api_begin(p);
    gsim_machine_meet(p->machine);
    gsim_managed_host_access(gsim_process_device(p), op, gsim_process_client(p)->iteration);
    gsim_api_end(p, GSIM_API_HOST_ACCESS, start, p->machine->running->local - start, 0,
                 p->space->program->buffers[op->args[0].buffer_index].name);
}

void gsim_api_host_work(struct gsim_driver *driver, double us, const char *what)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (gsim_driver_failed(driver)) return;
    gsim_time start = gsim_api_begin(p);
    gsim_api_spend(p, us);
    if (us > 0) gsim_api_end(p, GSIM_API_HOST_WORK, start, 0, 0, what); /* else a wait: its calls are records */
}

/* --- bookkeeping --------------------------------------------------------------------------------------------- */

void gsim_api_iteration_begin(struct gsim_driver *driver, uint32_t iteration)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (gsim_driver_failed(driver)) return;
    gsim_machine_meet(p->machine);
    struct gsim_caller *client = gsim_process_client(p);
    const struct gsim_program *program = client->run->program;
    client->iteration = iteration;
    client->iteration_start = p->machine->running->local;
    client->streams_used = client->events_recorded = client->stream_waits = 0;
    for (uint32_t i = 0; i < program->op_count; i++) {
        const struct gsim_op *op = &program->ops[i];
        if (op->kind != GSIM_OP_HOST_WRITE || !op->untimed) continue;
        gsim_residency_host_takes(&p->space->residency, op->args[0].buffer_index, op->bytes, true);
        gsim_host_cache_write(p->space, op);
    }
}

static gsim_time iteration_length(const struct gsim_timeline *timeline, size_t back)
{
    const struct gsim_iteration_record *record = &timeline->iterations[timeline->iteration_count - back];
    return record->end - record->start;
}

/* Whether the last PERIOD iterations are those before them again; of one that is the third time, since a longer cycle
 * may hold two alike. */
static bool is_cycle(const struct gsim_timeline *timeline, size_t period)
{
    size_t compared = period == 1 ? 2 : period;
    /* the first, which makes graphs and moves data, does not count */
    if (compared + period >= timeline->iteration_count) return false;
    for (size_t back = 1; back <= compared; back++) {
        double length = (double)iteration_length(timeline, back),
               before = (double)iteration_length(timeline, back + period);
        if (fabs(length - before) > GSIM_STEADY_SAME * length) return false;
    }
    return true;
}

/* How many of the last iterations stand for all that would follow; 0: that cannot be told yet. */
static size_t steady_count(struct gsim_timeline *timeline)
{
    gsim_time shortest = GSIM_TIME_NEVER, longest = 0;
    for (size_t period = 1; period <= GSIM_STEADY_CYCLE; period++)
        if (is_cycle(timeline, period)) return timeline->cycle = period;
    if (timeline->iteration_count <= GSIM_STEADY_NEAR_COUNT) return 0;
    for (size_t back = 1; back <= GSIM_STEADY_NEAR_COUNT; back++) {
        gsim_time length = iteration_length(timeline, back);
        if (length < shortest) shortest = length;
        if (length > longest) longest = length;
    }
    return (double)(longest - shortest) <= GSIM_STEADY_NEAR * (double)shortest ? GSIM_STEADY_NEAR_COUNT : 0;
}

void gsim_api_iteration_end(struct gsim_driver *driver, uint32_t iteration)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (gsim_driver_failed(driver)) return;
    (void)iteration;
    struct gsim_timeline *timeline = p->machine->timeline;
    struct gsim_caller *client = gsim_process_client(p);
    struct gsim_iteration_record record = {client->iteration_start, p->machine->running->local, client->streams_used,
                                           client->events_recorded, client->stream_waits};
    if (p->machine->simulation->tasks) return; /* requests: sim/task/client.c */
    gsim_timeline_add_iteration(timeline, &record);
    if (!p->machine->simulation->until_steady) return;
    /* With noise no iteration repeats: one behind the warm-up, repetitions are other seeds. */
    size_t count = p->machine->simulation->noise ? timeline->iteration_count >= 2 : steady_count(timeline);
    timeline->stands_for = GSIM_STEADY_MAX;
    if (!count) return;
    timeline->warm_up_count = timeline->iteration_count - count;
    client->run->iterations = (uint32_t)timeline->iteration_count;
}

double gsim_api_now_us(struct gsim_driver *driver)
{
    return gsim_time_us(gsim_api_process(driver)->machine->running->local);
}

void gsim_api_figure(struct gsim_driver *driver, const char *name, const char *unit, double value)
{
    gsim_timeline_set_figure(gsim_api_process(driver)->machine->timeline,
                             &(struct gsim_figure_record){name, unit, value});
}

bool gsim_api_init(struct gsim_process *p)
{
    static const struct gsim_driver_ops ops = {
        GSIM_HEAD(driver),
        .name = "sim",
#define GSIM_DO(name, parameters, arguments)         .name = gsim_api_##name,
#define GSIM_CALL(type, name, parameters, arguments) .name = gsim_api_##name,
#include "gpusim/driver.def"
    };
    p->driver.ops = &ops;
    p->call_gap = gsim_time_from_us(p->spec->call_gap_us);
    /* the legacy default stream */
    add_stream(p, 0);
    if (gsim_array_grow(&p->events, sizeof *p->events, 0, &p->event_capacity))
        return false; /* event 0 means "none" */
    p->events[p->event_count++] = (struct gsim_event_state){0};
    return p->stream_count > 0;
}
