/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams on hardware queues: which command may start when. A stream holds a queue while it has commands. A queue is FIFO over
 * all streams that hold it, so a head that waits for its stream or for an event holds back other streams' commands behind it
 * (false dependences; CUDA_DEVICE_MAX_CONNECTIONS; H200: traces/h200/vm/order.json.gz). Leaves SMs to gpu.c, copies to
 * copies.c, graphs to graphs.c.
 */
#include "sim/clock/machine.h"

struct gsim_command *gsim_front_command(struct gsim_machine *m, enum gsim_command_kind kind, uint32_t stream)
{
    struct gsim_command *command = m->free_commands;
    if (command)
        m->free_commands = command->next;
    else if (!(command = GSIM_ARENA_NEW(&m->arena, struct gsim_command))) {
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
        return NULL;
    }
    *command = (struct gsim_command){.kind = kind, .stream = stream, .iteration = m->iteration};
    return command;
}

void gsim_front_free(struct gsim_machine *m, struct gsim_command *command)
{
    command->next = m->free_commands;
    m->free_commands = command;
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
    for (uint32_t c = 0; c < m->hw_queue_count; c++)
        if (m->hw_queue_at[c] < next) next = m->hw_queue_at[c];
    m->hw_queue_next = next;
}

static void look_at(struct gsim_machine *m, uint32_t hw_queue, gsim_time time)
{
    m->hw_queue_at[hw_queue] = time;
    if (time < m->hw_queue_next) m->hw_queue_next = time;
}

static bool is_launch(const struct gsim_command *command) { return command->kind == GSIM_COMMAND_OP || command->kind == GSIM_COMMAND_GRAPH; }

static uint32_t free_hw_queue(const struct gsim_machine *m, uint32_t own)
{
    if (own != GSIM_NO_HW_QUEUE && !m->hw_queues[own].bound_streams) return own;
    for (uint32_t i = 0; i < m->hw_queue_count; i++) {
        uint32_t c = (m->next_hw_queue + i) % m->hw_queue_count;
        if (!m->hw_queues[c].bound_streams) return c;
    }
    return GSIM_NO_HW_QUEUE;
}

static struct gsim_hw_queue *bind(struct gsim_machine *m, struct gsim_stream_state *stream, uint32_t hw_queue)
{
    if (hw_queue == GSIM_NO_HW_QUEUE) hw_queue = m->next_hw_queue; /* none is free: in turn */
    if (hw_queue != stream->hw_queue) m->next_hw_queue = (hw_queue + 1) % m->hw_queue_count;
    stream->hw_queue = hw_queue;
    stream->is_bound = true;
    m->hw_queues[hw_queue].bound_streams++;
    return &m->hw_queues[hw_queue];
}

struct gsim_hw_queue *gsim_front_bind(struct gsim_machine *m, uint32_t stream)
{
    uint32_t own = m->streams[stream].hw_queue;
    if (m->streams[stream].is_bound) return &m->hw_queues[own];
    uint32_t hw_queue = free_hw_queue(m, own);
    if (hw_queue == GSIM_NO_HW_QUEUE) { /* unless one has become free since the machine last was at this thread's time */
        gsim_machine_meet(m);
        own = m->streams[stream].hw_queue;
        if (m->streams[stream].is_bound) return &m->hw_queues[own]; /* by another thread meanwhile */
        hw_queue = free_hw_queue(m, own);
    }
    return bind(m, &m->streams[stream], hw_queue);
}

void gsim_front_issue(struct gsim_machine *m, struct gsim_command *command)
{
    struct gsim_hw_queue *hw_queue = gsim_front_bind(m, command->stream);
    struct gsim_stream_state *stream = &m->streams[command->stream];
    stream->issued++;
    command->issue_number = ++m->issued;
    command->default_before = m->default_issued;
    if (command->stream == 0) m->default_issued++;
    hw_queue->pending_launches += is_launch(command);
    if (!hw_queue->head) look_at(m, stream->hw_queue, command->arrival);
    *hw_queue->tail = command;
    hw_queue->tail = &command->next;
}

/* The legacy default stream is a barrier both ways: its commands wait for all that was issued before them, and
 * what is issued later waits for them. */
static bool default_allows(struct gsim_machine *m, struct gsim_hw_queue *hw_queue, const struct gsim_command *command)
{
    bool allows = command->stream == 0 ? m->completed == command->issue_number - 1 : m->default_completed >= command->default_before;
    if (!allows) hw_queue->waits_default = true;
    return allows;
}

/* A command of the stream is complete: those who wait for the stream, the device, the queue or a barrier. */
static void complete(struct gsim_machine *m, uint32_t stream_index)
{
    struct gsim_stream_state *stream = &m->streams[stream_index];
    stream->completed++;
    m->completed++;
    if (stream->completed == stream->issued) {
        stream->is_bound = false;
        m->hw_queues[stream->hw_queue].bound_streams--;
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
    for (uint32_t c = 0; c < m->hw_queue_count; c++) {
        if (!m->hw_queues[c].waits_default) continue;
        m->hw_queues[c].waits_default = false;
        look_at(m, c, m->now);
    }
}

static void pop(struct gsim_hw_queue *hw_queue)
{
    struct gsim_command *command = hw_queue->head;
    hw_queue->head = command->next;
    if (!hw_queue->head) hw_queue->tail = &hw_queue->head;
    command->next = NULL;
}

static void complete_marker(struct gsim_machine *m, struct gsim_marker *marker, gsim_time time)
{
    marker->is_complete = true;
    marker->time = time;
    marker->ended_bytes = m->ended_bytes;
    for (uint32_t waiting = marker->waiting_hw_queues; waiting; waiting &= waiting - 1)
        look_at(m, (uint32_t)__builtin_ctz(waiting), m->now);
    marker->waiting_hw_queues = 0;
    gsim_machine_wake_all(m, &marker->waiting_threads, time > m->now ? time : m->now);
}

static uint32_t unit_of(const struct gsim_machine *m, const struct gsim_command *command)
{
    return command->kind == GSIM_COMMAND_OP ? gsim_copies_unit(m, command->op) : GSIM_UNIT_SMS;
}

static gsim_time gap_behind(const struct gsim_machine *m, uint32_t unit)
{
    return unit == GSIM_UNIT_SMS ? m->stream_gap : m->copy_gap;
}

/* Whether the SMs' front end has something to look at in the hw_queue: copies are not its own. */
static bool is_pending(const struct gsim_machine *m, const struct gsim_hw_queue *hw_queue)
{
    const struct gsim_command *launch = hw_queue->head;
    if (hw_queue->records_until > m->now) return true;
    if (!launch || launch->arrival > m->now) return false;
    while (launch && !is_launch(launch)) launch = launch->next;
    return !launch || launch->arrival > m->now || unit_of(m, launch) == GSIM_UNIT_SMS;
}

/* Of hw_queues but CHANNEL those that the front end looks at; BESIDES: one that it has just been at, or none. */
static uint32_t others_pending(const struct gsim_machine *m, uint32_t hw_queue, uint32_t besides)
{
    uint32_t count = besides != hw_queue && besides != GSIM_NO_HW_QUEUE;
    for (uint32_t c = 0; c < m->hw_queue_count; c++)
        count += c != hw_queue && c != besides && is_pending(m, &m->hw_queues[c]);
    return count;
}

/* CHANNEL could go on now; how long it takes the front end to turn to it. It looks at two hw_queues at once, so that with a
 * third each turn takes its time, and half of it later the next one can be made (H200, H100:
 * traces/runner/micro/front.cu, traces/h200/vm/front.txt; tests/golden/test_turns.c). Of two hw_queues some pairs share a half of it, which
 * ones is not known: half a turn is what it takes on average beside a stream whose kernel runs (0.6 us, 0.2 beside one that waits for others:
 * traces/h200/vm/acquires.txt). NEEDS_THREE: none then, as for events. */
static gsim_time turn_to(struct gsim_machine *m, uint32_t hw_queue, uint32_t besides, bool needs_three)
{
    if (!m->busy_gap) return 0;
    uint32_t others = others_pending(m, hw_queue, besides);
    if (others < 2) return others == 1 && !needs_three ? m->busy_gap / 2 : 0;
    gsim_time start = m->now > m->front_free ? m->now : m->front_free;
    m->front_free = start + m->busy_gap / 2;
    return start + m->busy_gap - m->now;
}

/* A kernel of CHANNEL ended. Of the queue's own next kernel and those of other streams that wait for the same end, hardware takes either first: the
 * waiting one in 42 to 54 % of the cases, however many queues have work (traces/h200/vm/first.txt, traces/h100/first.txt). Whether the one whose
 * turn comes first keeps it or exchanges it for the other's, half a turn later, is drawn. Returns how much later the own one then is. */
static gsim_time draw_first(struct gsim_machine *m, uint32_t hw_queue)
{
    const struct gsim_command *first = m->hw_queues[hw_queue].head;
    gsim_time later = 0;
    bool is_drawn = !m->busy_gap;
    for (const struct gsim_command *t = first; t && t->kind == GSIM_COMMAND_RECORD && t->stream == first->stream; t = t->next) {
        if (!t->marker->waiting_hw_queues) continue;
        if (!is_drawn && gsim_random_integer(&m->turns, 2)) {
            uint32_t others = others_pending(m, hw_queue, GSIM_NO_HW_QUEUE);
            later = others > 1 ? m->busy_gap / 2 : others ? -(m->busy_gap / 2) : 0; /* as turn_to has them */
        }
        is_drawn = true;
        t->marker->later = -later;
    }
    return later;
}

/* The stream's next command follows work of UNIT that ended at END, on the same unit after GAP. */
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
    const struct gsim_command *first = m->hw_queues[m->streams[stream].hw_queue].head;
    uint32_t count = 0, awaited = 0;
    if (!first || first->stream != stream) return 0;
    for (const struct gsim_command *t = first; t && t->kind == GSIM_COMMAND_RECORD && t->stream == first->stream &&
                                            t->arrival <= m->now && t->marker->is_timed;
         t = t->next) {
        count++;
        awaited += t->marker->waiting_hw_queues != 0;
    }
    return (gsim_time)(count + (count > 1 ? awaited : 0)) * m->timed_record;
}

/* A record that the front end must turn to the stream for. */
static bool is_slow(const struct gsim_machine *m, const struct gsim_command *command)
{
    return command->kind == GSIM_COMMAND_RECORD && command->marker->is_timed && m->timed_record;
}

/* From FIRST on, what of the stream the front end has to turn to now: a launch or a slow record. NULL: nothing. */
static const struct gsim_command *turned_for(const struct gsim_machine *m, const struct gsim_command *first, uint32_t stream)
{
    for (const struct gsim_command *t = first; t && t->stream == stream && t->arrival <= m->now; t = t->next) {
        if (is_launch(t) || is_slow(m, t)) return t;
        if (t->kind == GSIM_COMMAND_WAIT && !t->marker->is_complete) return NULL;
    }
    return NULL;
}

static void do_record(struct gsim_machine *m, struct gsim_hw_queue *hw_queue, struct gsim_command *command)
{
    struct gsim_stream_state *stream = &m->streams[command->stream];
    gsim_time end = stream->last_end;
    if (is_slow(m, command)) {
        if (stream->recorded <= m->now) { /* else of a row accounted for */
            gsim_time takes = gsim_front_records(m, command->stream);
            bool turns = stream->ended_unit == GSIM_UNIT_SMS && m->busy_gap && others_pending(m, stream->hw_queue, GSIM_NO_HW_QUEUE) >= 2;
            stream->recorded = (end > m->now ? end : m->now) + takes;
            if (turns) m->front_free = (m->front_free > m->now ? m->front_free : m->now) + takes / 2;
            stream->turned = turns ? m->busy_gap : 0;
        }
        end = stream->recorded;
        if (stream->ended_unit == GSIM_UNIT_SMS) hw_queue->records_until = end;
        must_follow(stream, stream->ended_unit, end, gap_behind(m, stream->ended_unit) + stream->turned);
    }
    command->marker->unit = stream->ended_unit;
    complete_marker(m, command->marker, end);
    gsim_front_unref(m, command->marker);
    pop(hw_queue);
    complete(m, command->stream);
    gsim_front_free(m, command);
}

static void do_wait(struct gsim_machine *m, struct gsim_hw_queue *hw_queue, struct gsim_command *command)
{
    struct gsim_stream_state *stream = &m->streams[command->stream];
    struct gsim_marker *marker = command->marker;
    if (marker->recorded_stream != command->stream) {
        gsim_time turn = 0;
        if (hw_queue->blocked && marker->unit == GSIM_UNIT_SMS)
            turn = turn_to(m, stream->hw_queue, m->streams[marker->recorded_stream].hw_queue, true) + marker->later;
        must_follow(stream, marker->unit, marker->time, m->event_gap + turn);
        add_acquire(m, stream, marker, marker->unit == GSIM_UNIT_SMS ? marker->time + m->event_gap + turn : 0);
        if (stream->last_end < marker->time) stream->last_end = marker->time;
    }
    if (m->timeline->detailed) {
        struct gsim_wait_record record = {.correlation = command->correlation,
                                          .record_correlation = marker->correlation,
                                          .iteration = command->iteration,
                                          .waiting_stream = command->stream,
                                          .recorded_stream = marker->recorded_stream,
                                          .event = marker->event,
                                          .recorded = marker->time,
                                          .satisfied = m->now};
        gsim_timeline_add_wait(m->timeline, &record);
    }
    hw_queue->blocked = false;
    gsim_front_unref(m, marker);
    pop(hw_queue);
    complete(m, command->stream);
    gsim_front_free(m, command);
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
static gsim_time earliest_start(const struct gsim_machine *m, const struct gsim_stream_state *stream, const struct gsim_command *command)
{
    uint32_t unit = unit_of(m, command);
    gsim_time earliest = stream->ready[unit], end = 0;
    if (unit == GSIM_UNIT_SMS) {
        gsim_time seen = acquired(m, command->stream);
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
    gsim_time seen = gsim_front_seen(m, unit, command->arrival, end);
    return seen > earliest ? seen : earliest;
}

/* The head of the hw_queue records without timing what its stream still does: it holds nobody back and is made when that
 * ends. One with timing does hold back (H200: m2 in traces/h200/runs-1g.json.gz, 12 streams on 8 queues). */
static void put_aside(struct gsim_hw_queue *hw_queue, struct gsim_stream_state *stream)
{
    struct gsim_command *command = hw_queue->head;
    if (!stream->records) stream->records_tail = &stream->records;
    pop(hw_queue);
    *stream->records_tail = command;
    stream->records_tail = &command->next;
}

/* The stream's command has ended: its records are next in the hw_queue. */
static void take_back(struct gsim_hw_queue *hw_queue, struct gsim_stream_state *stream)
{
    if (!stream->records) return;
    if (!hw_queue->head) hw_queue->tail = stream->records_tail;
    *stream->records_tail = hw_queue->head;
    hw_queue->head = stream->records;
    stream->records = NULL;
}

/* Handles the head of a hw_queue; true when it left and the next one can be looked at. */
static bool step_head(struct gsim_machine *m, uint32_t index)
{
    struct gsim_hw_queue *hw_queue = &m->hw_queues[index];
    struct gsim_command *command = hw_queue->head;
    m->hw_queue_at[index] = GSIM_TIME_NEVER;
    if (!command) return false;
    struct gsim_stream_state *stream = &m->streams[command->stream];
    if (command->arrival > m->now) {
        m->hw_queue_at[index] = command->arrival;
        return false;
    }
    if (!default_allows(m, hw_queue, command)) return false; /* looked at again when the barrier falls */
    if (command->kind == GSIM_COMMAND_WAIT) {
        if (!command->marker->is_complete) {
            command->marker->waiting_hw_queues |= UINT32_C(1) << index;
            hw_queue->blocked = true;
            return false;
        }
        if (command->marker->time > m->now && m->busy_gap) {
            m->hw_queue_at[index] = command->marker->time;
            return false;
        }
        do_wait(m, hw_queue, command);
        return true;
    }
    if (stream->busy && command->kind == GSIM_COMMAND_RECORD && !command->marker->is_timed) {
        put_aside(hw_queue, stream);
        return true;
    }
    if (stream->busy) return false; /* looked at again when its command ends */
    if (command->kind == GSIM_COMMAND_RECORD) {
        do_record(m, hw_queue, command);
        return true;
    }
    gsim_time ready = earliest_start(m, stream, command);
    if (ready > m->now) {
        m->hw_queue_at[index] = ready;
        return false;
    }
    stream->busy = true;
    forget_acquires(m, stream);
    command->ready = command->start = m->now;
    pop(hw_queue);
    if (command->kind == GSIM_COMMAND_GRAPH)
        gsim_graphs_launch(m, command);
    else
        gsim_front_start(m, command);
    return true;
}

void gsim_front_step(struct gsim_machine *m)
{
    while (m->hw_queue_next <= m->now) {
        uint32_t index = 0;
        while (m->hw_queue_at[index] > m->now) index++;
        while (step_head(m, index)) {}
        gsim_front_find_next(m);
    }
}

void gsim_front_start(struct gsim_machine *m, struct gsim_command *command)
{
    if (command->op->kind != GSIM_OP_KERNEL) {
        gsim_copies_start(m, command);
        return;
    }
    if (m->simulation->memory == GSIM_MEMORY_MANAGED && !gsim_managed_prepare_kernel(m, command)) return;
    gsim_managed_submit(m, command);
}

void gsim_front_kernel_started(void *machine, void *command, gsim_time now)
{
    struct gsim_machine *m = machine;
    struct gsim_command *t = command;
    if (!t) return; /* a graph node's signal */
    t->start = now;
    m->touched_bytes += m->works[t->op->kernel_index].touched_bytes;
    gsim_faults_kernel_started(m, t);
    gsim_reuse_kernel_started(m, t);
}

void gsim_front_kernel_ended(void *machine, void *tag, gsim_time now)
{
    struct gsim_machine *m = machine;
    struct gsim_command *command = tag;
    m->now = now;
    if (!command) return;
    m->ended_bytes += m->works[command->op->kernel_index].touched_bytes;
    struct gsim_kernel_record record = {
        .op = command->op->index,
        .iteration = command->iteration,
        .stream = command->stream,
        .kernel_index = command->op->kernel_index,
        .correlation = command->correlation,
        .launch = command->launch,
        .ready = command->ready,
        .start = command->start,
        .end = now,
    };
    gsim_timeline_add_kernel(m->timeline, &record);
    if (m->simulation->observer && m->simulation->observer->on_kernel)
        m->simulation->observer->on_kernel(m->simulation->observer->data, &record);
    gsim_faults_kernel_ended(m, command);
    gsim_reuse_kernel_ended(m, command);
    gsim_front_end(m, command);
}

/* For observers alone. */
void gsim_front_blocks_stayed(void *machine, void *tag, const uint64_t *sms, uint64_t blocks, gsim_time since, gsim_time until)
{
    const struct gsim_machine *m = machine;
    const struct gsim_command *command = tag;
    if (!command) return;
    struct gsim_block_record record = {
        .op = command->op->index,
        .iteration = command->iteration,
        .stream = command->stream,
        .kernel_index = command->op->kernel_index,
        .correlation = command->correlation,
        .blocks = blocks,
        .start = since,
        .end = until,
    };
    memcpy(record.sms, sms, sizeof record.sms);
    m->simulation->observer->on_blocks(m->simulation->observer->data, &record);
}

void gsim_front_end(struct gsim_machine *m, struct gsim_command *command)
{
    if (command->graph_run) {
        gsim_graphs_node_ended(m, command);
        return;
    }
    struct gsim_stream_state *stream = &m->streams[command->stream];
    struct gsim_hw_queue *hw_queue = &m->hw_queues[stream->hw_queue];
    stream->busy = false;
    stream->last_end = m->now;
    stream->ended_unit = unit_of(m, command);
    if (hw_queue->pending_launches-- && hw_queue->waiting_threads)
        gsim_machine_wake_all(m, &hw_queue->waiting_threads, m->now);
    take_back(hw_queue, stream);
    gsim_time turn = 0;
    const struct gsim_command *next = stream->ended_unit == GSIM_UNIT_SMS ? turned_for(m, hw_queue->head, command->stream) : NULL;
    if (next) turn = turn_to(m, stream->hw_queue, GSIM_NO_HW_QUEUE, is_slow(m, next));
    if (next && is_slow(m, next))
        stream->last_end += turn;
    else if (next)
        turn += draw_first(m, stream->hw_queue);
    must_follow(stream, stream->ended_unit, m->now, gap_behind(m, stream->ended_unit) + turn);
    stream->has_worked = true;
    stream->own = (struct gsim_acquire){.ready = stream->ended_unit == GSIM_UNIT_SMS ? stream->ready[GSIM_UNIT_SMS] : 0, .ended_bytes = m->ended_bytes};
    if (hw_queue->head) look_at(m, stream->hw_queue, m->now);
    complete(m, command->stream);
    gsim_front_free(m, command);
}
