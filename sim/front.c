/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams on hardware queues: which task may start when. A queue is FIFO over all streams mapped to it, so
 * a head that waits holds back other streams' tasks behind it (false dependences; CUDA_DEVICE_MAX_CONNECTIONS).
 * Leaves SMs to gpu.c, copies to copies.c, the inside of graphs to graphs.c.
 */
#include "sim/machine.h"

struct gsim_task *gsim_front_task(struct gsim_machine *m, enum gsim_task_kind kind, uint32_t stream)
{
    struct gsim_task *task = m->free_tasks;
    if (task)
        m->free_tasks = task->next;
    else if (!(task = GSIM_ARENA_NEW(&m->arena, struct gsim_task))) {
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
        return NULL;
    }
    *task = (struct gsim_task){.kind = kind, .stream = stream, .iteration = m->iteration};
    return task;
}

void gsim_front_free(struct gsim_machine *m, struct gsim_task *task)
{
    task->next = m->free_tasks;
    m->free_tasks = task;
}

struct gsim_marker *gsim_front_marker(struct gsim_machine *m)
{
    struct gsim_marker *marker = m->free_markers;
    if (marker)
        m->free_markers = marker->next_free;
    else if (!(marker = GSIM_ARENA_NEW(&m->arena, struct gsim_marker))) {
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
        return NULL;
    }
    *marker = (struct gsim_marker){.references = 1};
    return marker;
}

void gsim_front_unref(struct gsim_machine *m, struct gsim_marker *marker)
{
    if (!marker || --marker->references) return;
    marker->next_free = m->free_markers;
    m->free_markers = marker;
}

void gsim_front_find_next(struct gsim_machine *m)
{
    gsim_time next = GSIM_TIME_NEVER;
    for (uint32_t c = 0; c < m->channel_count; c++)
        if (m->channel_at[c] < next) next = m->channel_at[c];
    m->channel_next = next;
}

static void look_at(struct gsim_machine *m, uint32_t channel, gsim_time time)
{
    m->channel_at[channel] = time;
    if (time < m->channel_next) m->channel_next = time;
}

void gsim_front_issue(struct gsim_machine *m, struct gsim_task *task)
{
    struct gsim_stream_state *stream = &m->streams[task->stream];
    struct gsim_channel *channel = &m->channels[stream->channel];
    stream->issued++;
    task->issue_number = ++m->issued;
    task->default_before = m->default_issued;
    if (task->stream == 0) m->default_issued++;
    if (task->kind == GSIM_TASK_OP || task->kind == GSIM_TASK_GRAPH) channel->pending_launches++;
    if (!channel->head) look_at(m, stream->channel, task->arrival);
    *channel->tail = task;
    channel->tail = &task->next;
}

/* The legacy default stream is a barrier both ways: its tasks wait for all that was issued before them, and
 * what is issued later waits for them. */
static bool default_allows(struct gsim_machine *m, struct gsim_channel *channel, const struct gsim_task *task)
{
    bool allows = task->stream == 0 ? m->completed == task->issue_number - 1 : m->default_completed >= task->default_before;
    if (!allows) channel->waits_default = true;
    return allows;
}

/* A task of the stream is complete: those who wait for the stream, the device, the queue or a barrier. */
static void complete(struct gsim_machine *m, uint32_t stream_index)
{
    struct gsim_stream_state *stream = &m->streams[stream_index];
    stream->completed++;
    m->completed++;
    if (stream_index == 0) m->default_completed++;
    for (struct gsim_host_thread **t = &stream->waiting_threads; *t;) {
        struct gsim_host_thread *thread = *t;
        if (thread->target > stream->completed) {
            t = &thread->next_waiting;
            continue;
        }
        *t = thread->next_waiting;
        gsim_machine_wake(m, thread, m->now);
    }
    if (m->waiting_device && m->completed == m->issued) gsim_machine_wake_all(m, &m->waiting_device, m->now);
    if (!m->default_issued) return;
    for (uint32_t c = 0; c < m->channel_count; c++) {
        if (!m->channels[c].waits_default) continue;
        m->channels[c].waits_default = false;
        look_at(m, c, m->now);
    }
}

static void pop(struct gsim_channel *channel)
{
    struct gsim_task *task = channel->head;
    channel->head = task->next;
    if (!channel->head) channel->tail = &channel->head;
    task->next = NULL;
}

static void complete_marker(struct gsim_machine *m, struct gsim_marker *marker, gsim_time time)
{
    marker->is_complete = true;
    marker->time = time;
    for (uint32_t waiting = marker->waiting_channels; waiting; waiting &= waiting - 1)
        look_at(m, (uint32_t)__builtin_ctz(waiting), m->now);
    marker->waiting_channels = 0;
    gsim_machine_wake_all(m, &marker->waiting_threads, time > m->now ? time : m->now);
}

/* Records with timing take their stream time, one after the other, and twice that where several in a row have
 * streams waiting for them. Who waits for any record of such a row starts after the last of it (H200:
 * traces/runner/micro/events.cu, traces/h200/events.txt). */
static gsim_time timed_record_end(struct gsim_machine *m, const struct gsim_task *first)
{
    struct gsim_stream_state *stream = &m->streams[first->stream];
    gsim_time end = stream->recorded > m->now ? stream->recorded : m->now;
    uint32_t count = 0, awaited = 0;
    if (stream->recorded > m->now) return end; /* of a row already accounted for */
    for (const struct gsim_task *t = first; t && t->kind == GSIM_TASK_RECORD && t->stream == first->stream &&
                                            t->arrival <= m->now && t->marker->is_timed;
         t = t->next) {
        count++;
        awaited += t->marker->waiting_channels != 0;
    }
    return end + (gsim_time)(count + (count > 1 ? awaited : 0)) * m->timed_record;
}

static void do_record(struct gsim_machine *m, struct gsim_channel *channel, struct gsim_task *task)
{
    struct gsim_stream_state *stream = &m->streams[task->stream];
    gsim_time end = stream->last_end;
    if (task->marker->is_timed && m->timed_record) {
        end = stream->recorded = timed_record_end(m, task);
        if (stream->ready < end + m->stream_gap) stream->ready = end + m->stream_gap;
    }
    task->marker->was_busy = stream->ended_busy;
    task->marker->after_copy = stream->ended_copy;
    complete_marker(m, task->marker, end);
    gsim_front_unref(m, task->marker);
    pop(channel);
    complete(m, task->stream);
    gsim_front_free(m, task);
}

static void do_wait(struct gsim_machine *m, struct gsim_channel *channel, struct gsim_task *task)
{
    struct gsim_stream_state *stream = &m->streams[task->stream];
    struct gsim_marker *marker = task->marker;
    if (marker->recorded_stream != task->stream) {
        gsim_time earliest = marker->time + m->event_gap + (marker->was_busy ? m->busy_gap : 0);
        if (stream->ready < earliest) {
            stream->ready = earliest;
            stream->ready_after_copy = marker->after_copy;
        }
        if (stream->last_end < marker->time) stream->last_end = marker->time;
    }
    if (m->timeline->detailed) {
        struct gsim_wait_record record = {task->iteration, task->stream, marker->recorded_stream, marker->event,
                                          marker->time, m->now};
        gsim_timeline_add_wait(m->timeline, &record);
    }
    gsim_front_unref(m, marker);
    pop(channel);
    complete(m, task->stream);
    gsim_front_free(m, task);
}

/* Changing between SMs and copy engines takes longer than the gap between kernels, or between copies. */
static gsim_time switch_time(const struct gsim_machine *m, const struct gsim_stream_state *stream, const struct gsim_task *task)
{
    bool is_copy = task->kind == GSIM_TASK_OP && gsim_copies_has_engine(m, task->op);
    if (!stream->ready || is_copy == stream->ready_after_copy) return 0;
    return is_copy ? m->kernel_to_copy : m->copy_to_kernel;
}

/* Handles the head of a channel; true when it left and the next one can be looked at. */
static bool step_head(struct gsim_machine *m, uint32_t index)
{
    struct gsim_channel *channel = &m->channels[index];
    struct gsim_task *task = channel->head;
    m->channel_at[index] = GSIM_TIME_NEVER;
    if (!task) return false;
    struct gsim_stream_state *stream = &m->streams[task->stream];
    if (task->arrival > m->now) {
        m->channel_at[index] = task->arrival;
        return false;
    }
    if (!default_allows(m, channel, task)) return false; /* looked at again when the barrier falls */
    if (task->kind == GSIM_TASK_WAIT) {
        if (!task->marker->is_complete) {
            task->marker->waiting_channels |= UINT32_C(1) << index;
            return false;
        }
        do_wait(m, channel, task);
        return true;
    }
    if (stream->busy) return false; /* looked at again when its task ends */
    if (task->kind == GSIM_TASK_RECORD) {
        do_record(m, channel, task);
        return true;
    }
    gsim_time ready = stream->ready + switch_time(m, stream, task);
    if (ready > m->now) {
        m->channel_at[index] = ready;
        return false;
    }
    stream->busy = true;
    task->ready = task->start = m->now;
    pop(channel);
    if (task->kind == GSIM_TASK_GRAPH)
        gsim_graphs_launch(m, task);
    else
        gsim_front_start(m, task);
    return true;
}

void gsim_front_step(struct gsim_machine *m)
{
    while (m->channel_next <= m->now) {
        uint32_t index = 0;
        while (m->channel_at[index] > m->now) index++;
        while (step_head(m, index)) {}
        gsim_front_find_next(m);
    }
}

void gsim_front_start(struct gsim_machine *m, struct gsim_task *task)
{
    if (task->op->kind != GSIM_OP_KERNEL) {
        gsim_copies_start(m, task);
        return;
    }
    if (m->simulation->memory == GSIM_MEMORY_MANAGED && !gsim_managed_prepare_kernel(m, task)) return;
    gsim_managed_submit(m, task);
}

void gsim_front_kernel_started(void *machine, void *task, gsim_time now)
{
    struct gsim_machine *m = machine;
    struct gsim_task *t = task;
    t->start = now;
    gsim_faults_kernel_started(m, t);
}

void gsim_front_kernel_ended(void *machine, void *tag, gsim_time now)
{
    struct gsim_machine *m = machine;
    struct gsim_task *task = tag;
    m->now = now;
    struct gsim_kernel_record record = {
        .op = task->op->index,
        .iteration = task->iteration,
        .stream = task->stream,
        .kernel_index = task->op->kernel_index,
        .correlation = task->correlation,
        .launch = task->launch,
        .ready = task->ready,
        .start = task->start,
        .end = now,
    };
    gsim_timeline_add_kernel(m->timeline, &record);
    if (m->simulation->observer && m->simulation->observer->on_kernel)
        m->simulation->observer->on_kernel(m->simulation->observer->data, &record);
    gsim_faults_kernel_ended(m, task);
    gsim_front_end(m, task);
}

void gsim_front_end(struct gsim_machine *m, struct gsim_task *task)
{
    if (task->graph_run) {
        gsim_graphs_node_ended(m, task);
        return;
    }
    struct gsim_stream_state *stream = &m->streams[task->stream];
    struct gsim_channel *channel = &m->channels[stream->channel];
    stream->busy = false;
    stream->last_end = m->now;
    stream->ended_busy = gsim_gpu_is_busy(m->gpu);
    stream->ended_copy = task->kind == GSIM_TASK_OP && gsim_copies_has_engine(m, task->op);
    gsim_time ready = m->now + m->stream_gap + (stream->ended_busy ? m->busy_gap : 0);
    if (stream->ready < ready) {
        stream->ready = ready;
        stream->ready_after_copy = stream->ended_copy;
    }
    if (channel->pending_launches-- && channel->waiting_threads)
        gsim_machine_wake_all(m, &channel->waiting_threads, m->now);
    if (channel->head) look_at(m, stream->channel, m->now);
    complete(m, task->stream);
    gsim_front_free(m, task);
}
