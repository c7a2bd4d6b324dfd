/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams on hardware queues: which task may start when. A stream holds a queue while it has tasks. A queue is FIFO over
 * all streams that hold it, so a head that waits for its stream or for an event holds back other streams' tasks behind it
 * (false dependences; CUDA_DEVICE_MAX_CONNECTIONS; H200: traces/h200/vm/order.json.gz). Leaves SMs to gpu.c, copies to
 * copies.c, graphs to graphs.c.
 */
#include "sim/clock/machine.h"

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

static bool is_launch(const struct gsim_task *task) { return task->kind == GSIM_TASK_OP || task->kind == GSIM_TASK_GRAPH; }

static uint32_t free_channel(const struct gsim_machine *m, uint32_t own)
{
    if (own != GSIM_NO_CHANNEL && !m->channels[own].bound_streams) return own;
    for (uint32_t i = 0; i < m->channel_count; i++) {
        uint32_t c = (m->next_channel + i) % m->channel_count;
        if (!m->channels[c].bound_streams) return c;
    }
    return GSIM_NO_CHANNEL;
}

static struct gsim_channel *bind(struct gsim_machine *m, struct gsim_stream_state *stream, uint32_t channel)
{
    if (channel == GSIM_NO_CHANNEL) channel = m->next_channel; /* none is free: in turn */
    if (channel != stream->channel) m->next_channel = (channel + 1) % m->channel_count;
    stream->channel = channel;
    stream->is_bound = true;
    m->channels[channel].bound_streams++;
    return &m->channels[channel];
}

struct gsim_channel *gsim_front_bind(struct gsim_machine *m, uint32_t stream)
{
    uint32_t own = m->streams[stream].channel;
    if (m->streams[stream].is_bound) return &m->channels[own];
    uint32_t channel = free_channel(m, own);
    if (channel == GSIM_NO_CHANNEL) { /* unless one has become free since the machine last was at this thread's time */
        gsim_machine_meet(m);
        own = m->streams[stream].channel;
        if (m->streams[stream].is_bound) return &m->channels[own]; /* by another thread meanwhile */
        channel = free_channel(m, own);
    }
    return bind(m, &m->streams[stream], channel);
}

void gsim_front_issue(struct gsim_machine *m, struct gsim_task *task)
{
    struct gsim_channel *channel = gsim_front_bind(m, task->stream);
    struct gsim_stream_state *stream = &m->streams[task->stream];
    stream->issued++;
    task->issue_number = ++m->issued;
    task->default_before = m->default_issued;
    if (task->stream == 0) m->default_issued++;
    channel->pending_launches += is_launch(task);
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
    if (stream->completed == stream->issued) {
        stream->is_bound = false;
        m->channels[stream->channel].bound_streams--;
    }
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
    marker->ended_bytes = m->ended_bytes;
    for (uint32_t waiting = marker->waiting_channels; waiting; waiting &= waiting - 1)
        look_at(m, (uint32_t)__builtin_ctz(waiting), m->now);
    marker->waiting_channels = 0;
    gsim_machine_wake_all(m, &marker->waiting_threads, time > m->now ? time : m->now);
}

static uint32_t unit_of(const struct gsim_machine *m, const struct gsim_task *task)
{
    return task->kind == GSIM_TASK_OP ? gsim_copies_unit(m, task->op) : GSIM_UNIT_SMS;
}

static gsim_time gap_behind(const struct gsim_machine *m, uint32_t unit)
{
    return unit == GSIM_UNIT_SMS ? m->stream_gap : m->copy_gap;
}

/* Whether the SMs' front end has something to look at in the channel: copies are not its own. */
static bool is_pending(const struct gsim_machine *m, const struct gsim_channel *channel)
{
    const struct gsim_task *launch = channel->head;
    if (channel->records_until > m->now) return true;
    if (!launch || launch->arrival > m->now) return false;
    while (launch && !is_launch(launch)) launch = launch->next;
    return !launch || launch->arrival > m->now || unit_of(m, launch) == GSIM_UNIT_SMS;
}

/* Of channels but CHANNEL those that the front end looks at; BESIDES: one that it has just been at, or none. */
static uint32_t others_pending(const struct gsim_machine *m, uint32_t channel, uint32_t besides)
{
    uint32_t count = besides != channel && besides != GSIM_NO_CHANNEL;
    for (uint32_t c = 0; c < m->channel_count; c++)
        count += c != channel && c != besides && is_pending(m, &m->channels[c]);
    return count;
}

/* CHANNEL could go on now; how long it takes the front end to turn to it. It looks at two channels at once, so that with a
 * third each turn takes its time, and half of it later the next one can be made (H200, H100:
 * traces/runner/micro/front.cu, traces/h200/vm/front.txt; tests/golden/test_turns.c). Of two channels some pairs share a half of it, which
 * ones is not known: half a turn is what it takes on average beside a stream whose kernel runs (0.6 us, 0.2 beside one that waits for others:
 * traces/h200/vm/acquires.txt). NEEDS_THREE: none then, as for events. */
static gsim_time turn_to(struct gsim_machine *m, uint32_t channel, uint32_t besides, bool needs_three)
{
    if (!m->busy_gap) return 0;
    uint32_t others = others_pending(m, channel, besides);
    if (others < 2) return others == 1 && !needs_three ? m->busy_gap / 2 : 0;
    gsim_time start = m->now > m->front_free ? m->now : m->front_free;
    m->front_free = start + m->busy_gap / 2;
    return start + m->busy_gap - m->now;
}

/* A kernel of CHANNEL ended. Of the queue's own next kernel and those of other streams that wait for the same end, hardware takes either first: the
 * waiting one in 42 to 54 % of the cases, however many queues have work (traces/h200/vm/first.txt, traces/h100/first.txt). Whether the one whose
 * turn comes first keeps it or exchanges it for the other's, half a turn later, is drawn. Returns how much later the own one then is. */
static gsim_time draw_first(struct gsim_machine *m, uint32_t channel)
{
    const struct gsim_task *first = m->channels[channel].head;
    gsim_time later = 0;
    bool is_drawn = !m->busy_gap;
    for (const struct gsim_task *t = first; t && t->kind == GSIM_TASK_RECORD && t->stream == first->stream; t = t->next) {
        if (!t->marker->waiting_channels) continue;
        if (!is_drawn && gsim_random_integer(&m->turns, 2)) {
            uint32_t others = others_pending(m, channel, GSIM_NO_CHANNEL);
            later = others > 1 ? m->busy_gap / 2 : others ? -(m->busy_gap / 2) : 0; /* as turn_to has them */
        }
        is_drawn = true;
        t->marker->later = -later;
    }
    return later;
}

/* The stream's next task follows work of UNIT that ended at END, on the same unit after GAP. */
static void must_follow(struct gsim_stream_state *stream, uint32_t unit, gsim_time end, gsim_time gap)
{
    if (stream->follows[unit] < end) stream->follows[unit] = end;
    if (stream->ready[unit] < end + gap) stream->ready[unit] = end + gap;
}

/* The stream's next kernel waits for what MARKER recorded on the SMs, from READY on, or elsewhere (0). */
static void add_acquire(struct gsim_machine *m, struct gsim_stream_state *stream, const struct gsim_marker *marker, gsim_time ready)
{
    struct gsim_acquire **a = &stream->acquires;
    while (*a && (*a)->stream < marker->recorded_stream) a = &(*a)->next;
    if (!*a || (*a)->stream != marker->recorded_stream) {
        struct gsim_acquire *acquire = m->free_acquires;
        if (acquire)
            m->free_acquires = acquire->next;
        else if (!(acquire = GSIM_ARENA_NEW(&m->arena, struct gsim_acquire))) {
            gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
            return;
        }
        *acquire = (struct gsim_acquire){.next = *a, .stream = marker->recorded_stream};
        *a = acquire;
    }
    if ((*a)->ready < ready) (*a)->ready = ready;
    if ((*a)->ended_bytes < marker->ended_bytes) (*a)->ended_bytes = marker->ended_bytes;
}

static gsim_time acquire(const struct gsim_machine *m, gsim_time from, const struct gsim_acquire *a)
{
    from += m->acquire + (gsim_machine_displaced_l2(m, a->ended_bytes) ? m->acquire_cold : 0);
    return from > a->ready ? from : a->ready;
}

/* When the stream's queue has seen that what its next kernel waits for has ended. It looks at one stream after the other, in the order in
 * which they were created, and at its own among them, however long ago they ended; a look takes longer where kernels have displaced from L2 what
 * was written then (H200, H100: traces/h200/vm/acquires.txt, traces/h100/acquires.txt). */
static gsim_time acquired(const struct gsim_machine *m, uint32_t index)
{
    const struct gsim_stream_state *stream = &m->streams[index];
    const struct gsim_acquire *own = stream->has_worked && stream->acquires ? &stream->own : NULL;
    gsim_time seen = 0;
    for (const struct gsim_acquire *a = stream->acquires; a; a = a->next) {
        if (own && index < a->stream) {
            seen = acquire(m, seen, own);
            own = NULL;
        }
        seen = acquire(m, seen, a);
    }
    return own ? acquire(m, seen, own) : seen;
}

static void forget_acquires(struct gsim_machine *m, struct gsim_stream_state *stream)
{
    for (struct gsim_acquire *a; (a = stream->acquires) != NULL; m->free_acquires = a) {
        stream->acquires = a->next;
        a->next = m->free_acquires;
    }
}

/* When calls are made varies by that much, either way: work that ends so close to a look is seen by it in some runs, in
 * others by the next; the model takes the mean (H200: 5 and 95 % quantiles at the steps of traces/h200/polls.txt.gz). */
#define LOOK_BLUR (GSIM_PS_PER_NS * 700)

/* Records with timing take their stream time, one after the other, and twice that where several in a row have
 * streams waiting for them. Who waits for any record of such a row starts after the last of it (H200:
 * traces/runner/micro/events.cu, traces/h200/events.txt). */
gsim_time gsim_front_records(const struct gsim_machine *m, uint32_t stream)
{
    const struct gsim_task *first = m->channels[m->streams[stream].channel].head;
    uint32_t count = 0, awaited = 0;
    if (!first || first->stream != stream) return 0;
    for (const struct gsim_task *t = first; t && t->kind == GSIM_TASK_RECORD && t->stream == first->stream &&
                                            t->arrival <= m->now && t->marker->is_timed;
         t = t->next) {
        count++;
        awaited += t->marker->waiting_channels != 0;
    }
    return (gsim_time)(count + (count > 1 ? awaited : 0)) * m->timed_record;
}

/* A record that the front end must turn to the stream for. */
static bool is_slow(const struct gsim_machine *m, const struct gsim_task *task)
{
    return task->kind == GSIM_TASK_RECORD && task->marker->is_timed && m->timed_record;
}

/* From FIRST on, what of the stream the front end has to turn to now: a launch or a slow record. NULL: nothing. */
static const struct gsim_task *turned_for(const struct gsim_machine *m, const struct gsim_task *first, uint32_t stream)
{
    for (const struct gsim_task *t = first; t && t->stream == stream && t->arrival <= m->now; t = t->next) {
        if (is_launch(t) || is_slow(m, t)) return t;
        if (t->kind == GSIM_TASK_WAIT && !t->marker->is_complete) return NULL;
    }
    return NULL;
}

static void do_record(struct gsim_machine *m, struct gsim_channel *channel, struct gsim_task *task)
{
    struct gsim_stream_state *stream = &m->streams[task->stream];
    gsim_time end = stream->last_end;
    if (is_slow(m, task)) {
        if (stream->recorded <= m->now) { /* else of a row accounted for */
            gsim_time takes = gsim_front_records(m, task->stream);
            bool turns = stream->ended_unit == GSIM_UNIT_SMS && m->busy_gap && others_pending(m, stream->channel, GSIM_NO_CHANNEL) >= 2;
            stream->recorded = (end > m->now ? end : m->now) + takes;
            if (turns) m->front_free = (m->front_free > m->now ? m->front_free : m->now) + takes / 2;
            stream->turned = turns ? m->busy_gap : 0;
        }
        end = stream->recorded;
        if (stream->ended_unit == GSIM_UNIT_SMS) channel->records_until = end;
        must_follow(stream, stream->ended_unit, end, gap_behind(m, stream->ended_unit) + stream->turned);
    }
    task->marker->unit = stream->ended_unit;
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
        gsim_time turn = 0;
        if (channel->blocked && marker->unit == GSIM_UNIT_SMS)
            turn = turn_to(m, stream->channel, m->streams[marker->recorded_stream].channel, true) + marker->later;
        must_follow(stream, marker->unit, marker->time, m->event_gap + turn);
        add_acquire(m, stream, marker, marker->unit == GSIM_UNIT_SMS ? marker->time + m->event_gap + turn : 0);
        if (stream->last_end < marker->time) stream->last_end = marker->time;
    }
    if (m->timeline->detailed) {
        struct gsim_wait_record record = {.correlation = task->correlation,
                                          .record_correlation = marker->correlation,
                                          .iteration = task->iteration,
                                          .waiting_stream = task->stream,
                                          .recorded_stream = marker->recorded_stream,
                                          .event = marker->event,
                                          .recorded = marker->time,
                                          .satisfied = m->now};
        gsim_timeline_add_wait(m->timeline, &record);
    }
    channel->blocked = false;
    gsim_front_unref(m, marker);
    pop(channel);
    complete(m, task->stream);
    gsim_front_free(m, task);
}

gsim_time gsim_front_seen(const struct gsim_machine *m, uint32_t unit, gsim_time first, gsim_time end)
{
    gsim_time blur = m->engine_poll < 2 * LOOK_BLUR ? 0 : LOOK_BLUR, resume = unit == GSIM_UNIT_SMS ? m->copy_to_kernel : 0;
    if (end <= first - blur) return first;
    if (unit != GSIM_UNIT_SMS) first += m->kernel_to_copy;
    gsim_time behind = end - first + blur;
    if (behind <= 0) return first;
    gsim_time looks = (behind - 1) / m->engine_poll, after = behind - looks * m->engine_poll; /* looks that surely failed; 0 < after */
    double missed = blur > 0 && after < 2 * blur ? (double)after / (2.0 * (double)blur) : 1;
    return first + looks * m->engine_poll + (gsim_time)(missed * (double)m->engine_poll + (looks ? 1 : missed) * (double)resume);
}

/* No earlier start of TASK, which arrived. */
static gsim_time earliest_start(const struct gsim_machine *m, const struct gsim_stream_state *stream, const struct gsim_task *task)
{
    uint32_t unit = unit_of(m, task);
    gsim_time earliest = stream->ready[unit], end = 0;
    if (unit == GSIM_UNIT_SMS) {
        gsim_time seen = acquired(m, task->stream);
        if (seen > earliest) earliest = seen;
    }
    for (uint32_t u = 0; u < GSIM_UNIT_COUNT; u++) {
        if (u == unit || !stream->follows[u]) continue;
        if (end < stream->follows[u]) end = stream->follows[u];
        if (m->engine_poll) continue;
        gsim_time ready = stream->ready[u];
        if (unit == GSIM_UNIT_SMS) ready += m->copy_to_kernel;
        if (u == GSIM_UNIT_SMS) ready += m->kernel_to_copy;
        if (earliest < ready) earliest = ready;
    }
    if (!m->engine_poll || !end) return earliest;
    gsim_time seen = gsim_front_seen(m, unit, task->arrival, end);
    return seen > earliest ? seen : earliest;
}

/* The head of the channel records without timing what its stream still does: it holds nobody back and is made when that
 * ends. One with timing does hold back (H200: m2 in traces/h200/runs-1g.json.gz, 12 streams on 8 queues). */
static void put_aside(struct gsim_channel *channel, struct gsim_stream_state *stream)
{
    struct gsim_task *task = channel->head;
    if (!stream->records) stream->records_tail = &stream->records;
    pop(channel);
    *stream->records_tail = task;
    stream->records_tail = &task->next;
}

/* The stream's task has ended: its records are next in the channel. */
static void take_back(struct gsim_channel *channel, struct gsim_stream_state *stream)
{
    if (!stream->records) return;
    if (!channel->head) channel->tail = stream->records_tail;
    *stream->records_tail = channel->head;
    channel->head = stream->records;
    stream->records = NULL;
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
            channel->blocked = true;
            return false;
        }
        if (task->marker->time > m->now && m->busy_gap) {
            m->channel_at[index] = task->marker->time;
            return false;
        }
        do_wait(m, channel, task);
        return true;
    }
    if (stream->busy && task->kind == GSIM_TASK_RECORD && !task->marker->is_timed) {
        put_aside(channel, stream);
        return true;
    }
    if (stream->busy) return false; /* looked at again when its task ends */
    if (task->kind == GSIM_TASK_RECORD) {
        do_record(m, channel, task);
        return true;
    }
    gsim_time ready = earliest_start(m, stream, task);
    if (ready > m->now) {
        m->channel_at[index] = ready;
        return false;
    }
    stream->busy = true;
    forget_acquires(m, stream);
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
    if (!t) return; /* a graph node's signal */
    t->start = now;
    m->touched_bytes += m->works[t->op->kernel_index].touched_bytes;
    gsim_faults_kernel_started(m, t);
    gsim_reuse_kernel_started(m, t);
}

void gsim_front_kernel_ended(void *machine, void *tag, gsim_time now)
{
    struct gsim_machine *m = machine;
    struct gsim_task *task = tag;
    m->now = now;
    if (!task) return;
    m->ended_bytes += m->works[task->op->kernel_index].touched_bytes;
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
    gsim_reuse_kernel_ended(m, task);
    gsim_front_end(m, task);
}

/* For observers alone. */
void gsim_front_blocks_stayed(void *machine, void *tag, const uint64_t *sms, uint64_t blocks, gsim_time since, gsim_time until)
{
    const struct gsim_machine *m = machine;
    const struct gsim_task *task = tag;
    if (!task) return;
    struct gsim_block_record record = {
        .op = task->op->index,
        .iteration = task->iteration,
        .stream = task->stream,
        .kernel_index = task->op->kernel_index,
        .correlation = task->correlation,
        .blocks = blocks,
        .start = since,
        .end = until,
    };
    memcpy(record.sms, sms, sizeof record.sms);
    m->simulation->observer->on_blocks(m->simulation->observer->data, &record);
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
    stream->ended_unit = unit_of(m, task);
    if (channel->pending_launches-- && channel->waiting_threads)
        gsim_machine_wake_all(m, &channel->waiting_threads, m->now);
    take_back(channel, stream);
    gsim_time turn = 0;
    const struct gsim_task *next = stream->ended_unit == GSIM_UNIT_SMS ? turned_for(m, channel->head, task->stream) : NULL;
    if (next) turn = turn_to(m, stream->channel, GSIM_NO_CHANNEL, is_slow(m, next));
    if (next && is_slow(m, next))
        stream->last_end += turn;
    else if (next)
        turn += draw_first(m, stream->channel);
    must_follow(stream, stream->ended_unit, m->now, gap_behind(m, stream->ended_unit) + turn);
    stream->has_worked = true;
    stream->own = (struct gsim_acquire){.ready = stream->ended_unit == GSIM_UNIT_SMS ? stream->ready[GSIM_UNIT_SMS] : 0, .ended_bytes = m->ended_bytes};
    if (channel->head) look_at(m, stream->channel, m->now);
    complete(m, task->stream);
    gsim_front_free(m, task);
}
