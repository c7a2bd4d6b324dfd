/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams on hardware queues: when a command may start. A stream is bound to a queue while it has commands. A queue is
 * FIFO over its streams, so a head that waits for its stream or an event blocks other streams' commands behind it
 * (false dependences; CUDA_DEVICE_MAX_CONNECTIONS; H200: traces/h200/vm/order.json.gz). Kernels go to sim/sm/gpu.h,
 * copies to copies.c, graphs to graphs.c.
 */
#include "sim/device/rules.h"
#include "sim/front/front.h"

static void find_next(struct gsim_front *f)
{
    gsim_time next = GSIM_TIME_NEVER;
    for (uint32_t bits = f->polled; bits; bits &= bits - 1) {
        gsim_time at = f->hw_queue_at[__builtin_ctz(bits)];
        next = at < next ? at : next;
    }
    gsim_agenda_set(&f->machine->agenda, &f->source, next);
}

static void set_poll(struct gsim_front *f, uint32_t hw_queue, gsim_time time)
{
    uint32_t bit = UINT32_C(1) << hw_queue;
    f->hw_queue_at[hw_queue] = time;
    f->polled = time == GSIM_TIME_NEVER ? f->polled & ~bit : f->polled | bit;
}

static void poll_at(struct gsim_front *f, uint32_t hw_queue, gsim_time time)
{
    set_poll(f, hw_queue, time);
    if (time < f->source.next) gsim_agenda_set(&f->machine->agenda, &f->source, time);
}

void gsim_front_poll(struct gsim_front *f, uint32_t hw_queue, gsim_time time)
{
    if (time < f->hw_queue_at[hw_queue]) poll_at(f, hw_queue, time);
}

static bool is_launch(const struct gsim_command *command) { return command->class != NULL; }

static uint32_t free_hw_queue(const struct gsim_front *f, uint32_t own)
{
    if (own != GSIM_NO_HW_QUEUE && !f->hw_queues[own].bound_streams) return own;
    for (uint32_t i = 0; i < f->hw_queue_count; i++) {
        uint32_t c = (f->next_hw_queue + i) % f->hw_queue_count;
        if (!f->hw_queues[c].bound_streams) return c;
    }
    return GSIM_NO_HW_QUEUE;
}

static struct gsim_hw_queue *bind(struct gsim_front *f, struct gsim_stream_state *stream, uint32_t hw_queue)
{
    if (hw_queue == GSIM_NO_HW_QUEUE) hw_queue = f->next_hw_queue; /* none is free: in turn */
    if (hw_queue != stream->hw_queue) f->next_hw_queue = (hw_queue + 1) % f->hw_queue_count;
    stream->hw_queue = hw_queue;
    stream->is_bound = true;
    f->hw_queues[hw_queue].bound_streams++;
    return &f->hw_queues[hw_queue];
}

struct gsim_hw_queue *gsim_front_bind(struct gsim_front *f, uint32_t stream)
{
    uint32_t own = f->process->streams[stream].hw_queue;
    if (f->process->streams[stream].is_bound) return &f->hw_queues[own];
    uint32_t hw_queue = free_hw_queue(f, own);
    if (hw_queue ==
        GSIM_NO_HW_QUEUE) { /* unless one has become free since the machine last was at this thread's time */
        gsim_machine_meet(f->machine);
        own = f->process->streams[stream].hw_queue;
        if (f->process->streams[stream].is_bound) return &f->hw_queues[own]; /* by another thread meanwhile */
        hw_queue = free_hw_queue(f, own);
    }
    return bind(f, &f->process->streams[stream], hw_queue);
}

void gsim_front_issue(struct gsim_front *f, struct gsim_command *command)
{
    struct gsim_hw_queue *hw_queue = gsim_front_bind(f, command->stream);
    struct gsim_stream_state *stream = &f->process->streams[command->stream];
    stream->issued++;
    command->issue_number = ++f->issued;
    command->priority = stream->priority;
    command->default_before = f->default_issued;
    if (command->stream == 0) f->default_issued++;
    hw_queue->pending_launches += is_launch(command);
    if (!hw_queue->head) poll_at(f, stream->hw_queue, command->arrival);
    else if (f->keeps_waits && hw_queue->blocked) gsim_front_poll(f, stream->hw_queue, command->arrival);
    *hw_queue->tail = command;
    hw_queue->tail = &command->next;
}

/* The legacy default stream is a barrier: its commands wait for all earlier commands, and later commands wait for
 * them. */
static bool default_allows(struct gsim_front *f, struct gsim_hw_queue *hw_queue, const struct gsim_command *command)
{
    bool allows = command->stream == 0 ? f->completed == command->issue_number - 1
                                       : f->default_completed >= command->default_before;
    if (!allows) hw_queue->waits_default = true;
    return allows;
}

void gsim_front_complete(struct gsim_front *f, uint32_t stream_index)
{
    struct gsim_stream_state *stream = &f->process->streams[stream_index];
    stream->completed++;
    f->completed++;
    if (stream->completed == stream->issued) {
        stream->is_bound = false;
        f->hw_queues[stream->hw_queue].bound_streams--;
    }
    if (stream_index == 0) f->default_completed++;
    for (struct gsim_host_thread **t = &stream->waiting_threads; *t;) {
        struct gsim_host_thread *thread = *t;
        if (thread->target > stream->completed) {
            t = &thread->next_waiting;
            continue;
        }
        *t = thread->next_waiting;
        gsim_machine_wake(f->machine, thread, f->machine->now);
    }
    if (f->waiting_device && f->completed == f->issued)
        gsim_machine_wake_all(f->machine, &f->waiting_device, f->machine->now);
    gsim_machine_fulfil(f->machine);
    if (!f->default_issued) return;
    for (uint32_t c = 0; c < f->hw_queue_count; c++) {
        if (!f->hw_queues[c].waits_default) continue;
        f->hw_queues[c].waits_default = false;
        poll_at(f, c, f->machine->now);
    }
}

static void pop(struct gsim_hw_queue *hw_queue)
{
    struct gsim_command *command = hw_queue->head;
    hw_queue->head = command->next;
    if (!hw_queue->head) hw_queue->tail = &hw_queue->head;
    command->next = NULL;
}

/* Removes the head of the queue, which took no time. */
static void drop_head(struct gsim_front *f, struct gsim_hw_queue *hw_queue)
{
    struct gsim_command *command = hw_queue->head;
    pop(hw_queue);
    gsim_front_complete(f, command->stream);
    gsim_command_free(f->machine, command);
}

static void complete_marker(struct gsim_front *f, struct gsim_marker *marker, gsim_time time)
{
    marker->is_complete = true;
    marker->time = time;
    marker->ended_bytes = f->device->ended_bytes;
    for (struct gsim_marker_wait *w = &marker->waiting, *next; w && w->front; w = next) {
        next = w->next;
        for (uint32_t waiting = w->hw_queues; waiting; waiting &= waiting - 1)
            poll_at(w->front, (uint32_t)__builtin_ctz(waiting), f->machine->now);
        if (w == &marker->waiting) continue;
        w->next = f->process->free_waits;
        f->process->free_waits = w;
    }
    marker->waiting = (struct gsim_marker_wait){0};
    gsim_machine_wake_all(f->machine, &marker->waiting_threads, time > f->machine->now ? time : f->machine->now);
    gsim_machine_fulfil(f->machine);
}

static uint32_t unit_of(const struct gsim_front *f, const struct gsim_command *command)
{
    return command->kind == GSIM_COMMAND_OP ? gsim_copies_unit(f->device, command->op) : GSIM_UNIT_SMS;
}

static gsim_time gap_behind(const struct gsim_front *f, uint32_t unit)
{
    return unit == GSIM_UNIT_SMS ? f->device->gaps.stream : f->device->gaps.copy;
}

/* Whether the queue's head is for the SMs' front end, which does not handle copies. */
static bool is_pending(const struct gsim_front *f, const struct gsim_hw_queue *hw_queue)
{
    const struct gsim_command *launch = hw_queue->head;
    if (hw_queue->records_until > f->machine->now) return true;
    if (!launch || launch->arrival > f->machine->now) return false;
    while (launch && !is_launch(launch)) launch = launch->next;
    return !launch || launch->arrival > f->machine->now || unit_of(f, launch) == GSIM_UNIT_SMS;
}

/* Counts the other hardware queues with work for the SMs, and BESIDES in any case (GSIM_NO_HW_QUEUE: none). */
static uint32_t others_pending(const struct gsim_front *f, uint32_t hw_queue, uint32_t besides)
{
    uint32_t count = besides != hw_queue && besides != GSIM_NO_HW_QUEUE;
    for (uint32_t c = 0; c < f->hw_queue_count; c++)
        count += c != hw_queue && c != besides && is_pending(f, &f->hw_queues[c]);
    return count;
}

/* Returns the delay until the front end serves HW_QUEUE, which could go on now. It watches two queues at once; with a
 * third each change of queue takes busy_gap_us, and the next change may begin half of that later (H200, H100:
 * traces/runner/micro/streams.cu, traces/h200/vm/front.txt; tests/golden/test_turns.c). Some pairs of queues share one
 * watcher, and which is not known: beside one other queue it takes half, the mean (0.6 us beside a stream whose kernel
 * runs, 0.2 beside one that waits: traces/h200/vm/acquires.txt). NEEDS_THREE: beside one other none, as for events. */
static gsim_time turn_to(struct gsim_front *f, uint32_t hw_queue, uint32_t besides, bool needs_three)
{
    if (!f->device->gaps.busy) return 0;
    uint32_t others = others_pending(f, hw_queue, besides);
    if (others < 2) return others == 1 && !needs_three ? f->device->gaps.busy / 2 : 0;
    gsim_time start = f->machine->now > f->front_free ? f->machine->now : f->front_free;
    f->front_free = start + f->device->gaps.busy / 2;
    return start + f->device->gaps.busy - f->machine->now;
}

/* A kernel of HW_QUEUE ended. Of the queue's own next kernel and those of other streams that wait for the same end,
 * hardware serves either first: the waiting one in 42 to 54 % of the cases, however many queues have work
 * (traces/h200/vm/first.txt, traces/h100/first.txt). Which one is drawn. Returns the delay of the queue's own
 * kernel. */
static gsim_time draw_first(struct gsim_front *f, uint32_t hw_queue)
{
    const struct gsim_command *first = f->hw_queues[hw_queue].head;
    gsim_time later = 0;
    bool is_drawn = !f->device->gaps.busy || !gsim_rule_holds(f->device->spec->rules_off, GSIM_RULE_FIRST_DRAWN);
    for (const struct gsim_command *t = first; t && t->kind == GSIM_COMMAND_RECORD && t->stream == first->stream;
         t = t->next) {
        if (!t->marker->waiting.front) continue;
        if (!is_drawn && gsim_random_integer(&f->turns, 2)) {
            uint32_t others = others_pending(f, hw_queue, GSIM_NO_HW_QUEUE);
            later = others > 1 ? f->device->gaps.busy / 2
                    : others   ? -(f->device->gaps.busy / 2)
                               : 0; /* as turn_to has them */
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

/* Records with timing take their stream time, one after the other, and twice that where several in a row have
 * streams waiting for them. Who waits for any record of such a row starts after the last of it (H200:
 * traces/runner/micro/streams.cu, traces/h200/events.txt). */
static gsim_time records_of(const struct gsim_front *f, uint32_t stream)
{
    const struct gsim_command *first = f->hw_queues[f->process->streams[stream].hw_queue].head;
    uint32_t count = 0, awaited = 0;
    if (!first || first->stream != stream) return 0;
    for (const struct gsim_command *t = first; t && t->kind == GSIM_COMMAND_RECORD && t->stream == first->stream &&
                                            t->arrival <= f->machine->now && t->marker->is_timed;
         t = t->next) {
        count++;
        awaited += t->marker->waiting.front != NULL;
    }
    return (gsim_time)(count + (count > 1 ? awaited : 0)) * f->device->gaps.timed_record;
}

/* Whether the front end itself handles the record: it has timing. */
static bool is_slow(const struct gsim_front *f, const struct gsim_command *command)
{
    return command->kind == GSIM_COMMAND_RECORD && command->marker->is_timed && f->device->gaps.timed_record;
}

/* Returns the stream's first launch or timed record from FIRST on. NULL: none. */
static const struct gsim_command *turned_for(const struct gsim_front *f, const struct gsim_command *first,
                                             uint32_t stream)
{
    for (const struct gsim_command *t = first; t && t->stream == stream && t->arrival <= f->machine->now; t = t->next) {
        if (is_launch(t) || is_slow(f, t)) return t;
        if (t->kind == GSIM_COMMAND_WAIT && !t->marker->is_complete) return NULL;
    }
    return NULL;
}

/* Defers the head, a record without timing of running work: it blocks no queue and is made at the end of that work. A
 * record with timing blocks (H200: m2 in traces/h200/runs-1g.json.gz, 12 streams on 8 queues). */
static void put_aside(struct gsim_hw_queue *hw_queue, struct gsim_stream_state *stream)
{
    struct gsim_command *command = hw_queue->head;
    if (!stream->records) stream->records_tail = &stream->records;
    pop(hw_queue);
    *stream->records_tail = command;
    stream->records_tail = &command->next;
}

/* Puts the stream's deferred commands back to the front of its queue. */
static void requeue_deferred(struct gsim_hw_queue *hw_queue, struct gsim_stream_state *stream)
{
    if (!stream->records) return;
    stream->front->kept_count -= stream->kept_for != NULL;
    stream->kept_for = NULL;
    if (!hw_queue->head) hw_queue->tail = stream->records_tail;
    *stream->records_tail = hw_queue->head;
    hw_queue->head = stream->records;
    stream->records = NULL;
}

/* Keeps the head, a wait for an event, and its stream's later commands out of the queue, if a policy handles the
 * process's launches: the client's library keeps them, so they do not block other streams. */
static void keep_wait(struct gsim_front *f, struct gsim_hw_queue *hw_queue, struct gsim_stream_state *stream)
{
    stream->kept_for = hw_queue->head->marker;
    f->kept_count++;
    hw_queue->blocked = false;
    put_aside(hw_queue, stream);
}

/* MARKER is complete: puts the commands that were kept for it back to the front of their queues. */
static void release_kept(struct gsim_front *f, const struct gsim_marker *marker)
{
    for (size_t i = 0; f->kept_count && i < f->process->stream_count; i++) {
        struct gsim_stream_state *s = &f->process->streams[i];
        if (s->kept_for != marker) continue;
        requeue_deferred(&f->hw_queues[s->hw_queue], s);
        poll_at(f, s->hw_queue, f->machine->now);
    }
}

static void do_record(struct gsim_front *f, struct gsim_hw_queue *hw_queue, struct gsim_command *command)
{
    struct gsim_stream_state *stream = &f->process->streams[command->stream];
    gsim_time end = stream->last_end;
    if (is_slow(f, command)) {
        if (stream->recorded <= f->machine->now) { /* else of a row accounted for */
            gsim_time takes = records_of(f, command->stream);
            bool turns = stream->ended_unit == GSIM_UNIT_SMS && f->device->gaps.busy &&
                         others_pending(f, stream->hw_queue, GSIM_NO_HW_QUEUE) >= 2;
            stream->recorded = (end > f->machine->now ? end : f->machine->now) + takes;
            if (turns) f->front_free = (f->front_free > f->machine->now ? f->front_free : f->machine->now) + takes / 2;
            stream->turned = turns ? f->device->gaps.busy : 0;
        }
        end = stream->recorded;
        if (stream->ended_unit == GSIM_UNIT_SMS) hw_queue->records_until = end;
        must_follow(stream, stream->ended_unit, end, gap_behind(f, stream->ended_unit) + stream->turned);
    }
    command->marker->unit = stream->ended_unit;
    complete_marker(f, command->marker, end);
    const struct gsim_marker *marker = command->marker;
    gsim_process_unref(f->process, command->marker);
    drop_head(f, hw_queue);
    release_kept(f, marker);
}

static void do_wait(struct gsim_front *f, struct gsim_hw_queue *hw_queue, struct gsim_command *command)
{
    struct gsim_stream_state *stream = &f->process->streams[command->stream];
    struct gsim_marker *marker = command->marker;
    if (marker->recorded_stream != command->stream) {
        const struct gsim_stream_state *recorded = &f->process->streams[marker->recorded_stream];
        bool is_here = recorded->front == f;
        gsim_time gap = f->device->gaps.event;
        if (hw_queue->blocked && marker->unit == GSIM_UNIT_SMS)
            gap += turn_to(f, stream->hw_queue, is_here ? recorded->hw_queue : GSIM_NO_HW_QUEUE, true) + marker->later;
        if (!is_here) gap += gsim_time_from_us(f->device->spec->peer_event_us);
        must_follow(stream, marker->unit, marker->time, gap);
        gsim_acquires_add(f->process, stream, marker, marker->unit == GSIM_UNIT_SMS ? marker->time + gap : 0);
        if (stream->last_end < marker->time) stream->last_end = marker->time;
    }
    if (f->machine->timeline->detailed) {
        struct gsim_wait_record record = {.correlation = command->correlation,
                                          .record_correlation = marker->correlation,
                                          .iteration = command->iteration,
                                          .waiting_stream = command->stream,
                                          .recorded_stream = marker->recorded_stream,
                                          .event = marker->event,
                                          .recorded = marker->time,
                                          .satisfied = f->machine->now};
        gsim_timeline_add_wait(f->machine->timeline, &record);
    }
    hw_queue->blocked = false;
    gsim_process_unref(f->process, marker);
    drop_head(f, hw_queue);
}

/* Returns the earliest start of COMMAND, which has arrived. */
static gsim_time earliest_start(const struct gsim_front *f, const struct gsim_stream_state *stream,
                                const struct gsim_command *command)
{
    uint32_t unit = unit_of(f, command);
    gsim_time earliest = stream->ready[unit], end = 0;
    if (command->kind == GSIM_COMMAND_OP && command->op->programmatic) {
        earliest = gsim_programmatic_ready(f, stream, earliest);
    } else if (unit == GSIM_UNIT_SMS) {
        gsim_time seen = gsim_acquires_seen(f->device, f->process, command->stream);
        if (seen > earliest) earliest = seen;
    }
    for (uint32_t u = 0; u < GSIM_UNIT_COUNT; u++) {
        if (u == unit || !stream->follows[u]) continue;
        if (end < stream->follows[u]) end = stream->follows[u];
        if (f->device->gaps.engine_poll) continue;
        gsim_time ready = stream->ready[u];
        if (unit == GSIM_UNIT_SMS) ready += f->device->gaps.copy_to_kernel;
        if (u == GSIM_UNIT_SMS) ready += f->device->gaps.kernel_to_copy;
        if (earliest < ready) earliest = ready;
    }
    if (!f->device->gaps.engine_poll || !end) return earliest;
    gsim_time seen = gsim_front_seen(f, unit, command->arrival, end);
    return seen > earliest ? seen : earliest;
}

void gsim_front_hold(struct gsim_front *f, uint32_t stream, bool is_held)
{
    struct gsim_stream_state *s = &f->process->streams[stream];
    s->is_held = is_held;
    if (is_held && s->is_bound) poll_at(f, s->hw_queue, f->machine->now);
}

void gsim_front_open(struct gsim_front *f, uint32_t stream, uint64_t count)
{
    struct gsim_stream_state *s = &f->process->streams[stream];
    if (s->opened >= count) return;
    s->opened = count;
    if (s->is_bound) poll_at(f, s->hw_queue, f->machine->now);
}

static void retire_launch(struct gsim_front *f, struct gsim_hw_queue *hw_queue)
{
    if (hw_queue->pending_launches-- && hw_queue->waiting_threads)
        gsim_machine_wake_all(f->machine, &hw_queue->waiting_threads, f->machine->now);
}

/* Removes the head of the queue, which the policy took. */
static void remove_head(struct gsim_front *f, struct gsim_hw_queue *hw_queue, struct gsim_stream_state *stream)
{
    stream->taken++;
    pop(hw_queue);
    retire_launch(f, hw_queue);
}

/* Handles the head of a queue. True: it has left, and the next one can be handled. */
static bool step_head(struct gsim_front *f, uint32_t index)
{
    struct gsim_hw_queue *hw_queue = &f->hw_queues[index];
    struct gsim_command *command = hw_queue->head;
    set_poll(f, index, GSIM_TIME_NEVER);
    if (!command) return false;
    struct gsim_stream_state *stream = &f->process->streams[command->stream];
    if (command->arrival > f->machine->now) {
        set_poll(f, index, command->arrival);
        return false;
    }
    if (stream->kept_for) {
        put_aside(hw_queue, stream);
        return true;
    }
    if (!default_allows(f, hw_queue, command)) return false; /* looked at again when the barrier falls */
    if (command->kind == GSIM_COMMAND_WAIT) {
        if (!command->marker->is_complete && f->keeps_waits && hw_queue->bound_streams > 1) {
            keep_wait(f, hw_queue, stream);
            return true;
        }
        if (!command->marker->is_complete) {
            gsim_process_wait_for(f->process, command->marker, f, index);
            hw_queue->blocked = true;
            return false;
        }
        if (command->marker->time > f->machine->now && f->device->gaps.busy) {
            set_poll(f, index, command->marker->time);
            return false;
        }
        do_wait(f, hw_queue, command);
        return true;
    }
    if (command->kind == GSIM_COMMAND_GATE) {
        hw_queue->blocked = stream->opened < command->gate;
        if (hw_queue->blocked) return false; /* looked at again when it is opened */
        drop_head(f, hw_queue);
        return true;
    }
    if (stream->taken && command->kind == GSIM_COMMAND_RECORD) return false; /* as below */
    if (stream->busy && (stream->is_held || (command->kind == GSIM_COMMAND_RECORD && !command->marker->is_timed))) {
        put_aside(hw_queue, stream);
        return true;
    }
    bool is_early = stream->busy && gsim_programmatic_may_begin(f, stream, command);
    if (stream->busy && !is_early) return false; /* looked at again when its command ends */
    if (command->kind == GSIM_COMMAND_RECORD) {
        do_record(f, hw_queue, command);
        return true;
    }
    gsim_time ready = earliest_start(f, stream, command);
    if (ready > f->machine->now) {
        set_poll(f, index, ready);
        return false;
    }
    enum gsim_front_policy_step asked = gsim_front_policy_submit(f, index, command);
    if (asked == GSIM_POLICY_TAKEN) remove_head(f, hw_queue, stream);
    if (asked == GSIM_POLICY_GOES_ON) asked = gsim_front_policy_ready(f, index, command);
    if (asked != GSIM_POLICY_GOES_ON) return asked == GSIM_POLICY_TAKEN;
    if (is_early) stream->early = command;
    command->is_held = is_early;
    stream->busy = true;
    gsim_acquires_forget(f->process, stream);
    command->ready = command->start = f->machine->now;
    pop(hw_queue);
    command->class->start(command);
    return true;
}

/* Handles the hardware queues that are due. */
static void step(void *front)
{
    struct gsim_front *f = front;
    while (f->source.next <= f->machine->now) {
        uint32_t bits = f->polled;
        while (f->hw_queue_at[__builtin_ctz(bits)] > f->machine->now) bits &= bits - 1;
        uint32_t index = (uint32_t)__builtin_ctz(bits);
        while (step_head(f, index)) {}
        find_next(f);
    }
}

/* Handles the end of the kernel, copy or graph of a stream's command. */
static void command_ended(struct gsim_command *command)
{
    struct gsim_front *f = command->front;
    struct gsim_stream_state *stream = &f->process->streams[command->stream];
    struct gsim_hw_queue *hw_queue = &f->hw_queues[stream->hw_queue];
    gsim_programmatic_go_on(f, stream);
    stream->last_end = f->machine->now;
    stream->ended_unit = unit_of(f, command);
    retire_launch(f, hw_queue);
    requeue_deferred(hw_queue, stream);
    gsim_time turn = 0;
    const struct gsim_command *next =
        stream->ended_unit == GSIM_UNIT_SMS ? turned_for(f, hw_queue->head, command->stream) : NULL;
    if (next) turn = turn_to(f, stream->hw_queue, GSIM_NO_HW_QUEUE, is_slow(f, next));
    if (next && is_slow(f, next))
        stream->last_end += turn;
    else if (next)
        turn += draw_first(f, stream->hw_queue);
    must_follow(stream, stream->ended_unit, f->machine->now, gap_behind(f, stream->ended_unit) + turn);
    stream->own_ready = stream->ready[GSIM_UNIT_SMS];
    stream->has_worked = true;
    stream->own = (struct gsim_acquire){.ready = stream->ended_unit == GSIM_UNIT_SMS ? stream->ready[GSIM_UNIT_SMS] : 0,
                                        .ended_bytes = f->device->ended_bytes};
    if (hw_queue->head) poll_at(f, stream->hw_queue, f->machine->now);
    if (command->in_policy) gsim_front_policy_ended(f, command);
    gsim_front_complete(f, command->stream);
    if (command->kind == GSIM_COMMAND_OP) gsim_machine_op_ended(f->machine, command);
    gsim_command_free(f->machine, command);
}

struct gsim_command *gsim_front_command(struct gsim_front *f, enum gsim_command_kind kind, uint32_t stream)
{
    struct gsim_caller *client = gsim_process_client(f->process);
    struct gsim_command *command = gsim_command_new(f->machine, kind, f->device, stream, client->iteration);
    if (!command) return NULL;
    command->front = f;
    command->client = client;
    if (gsim_command_is_brief(kind)) return command;
    command->part = f->part;
    command->ended = command_ended;
    if (kind == GSIM_COMMAND_OP) command->class = &gsim_front_op;
    if (kind == GSIM_COMMAND_GRAPH) command->class = &gsim_graphs_launch;
    return command;
}

/* --- life ------------------------------------------------------------------------------------------------- */

static gsim_time copy_records(const struct gsim_front *f, const struct gsim_command *copy)
{
    return records_of(f, copy->stream);
}

static const struct gsim_copy_hooks copy_hooks = {.records = copy_records, .goes_on = gsim_graphs_copies_on};

enum gsim_status gsim_front_open_device(struct gsim_device *device, struct gsim_machine *machine,
                                        const struct gsim_device_spec *spec, uint32_t index, uint32_t part_count,
                                        struct gsim_error *error)
{
    const struct gsim_observer *observer = machine->simulation->observer;
    enum gsim_status status = gsim_device_open(device, machine, spec, index, part_count, &gsim_front_listener, error);
    if (status) return status;
    device->hooks = &copy_hooks;
    if (observer && observer->on_blocks) gsim_gpu_watch(device->sm, &gsim_front_watcher);
    return GSIM_OK;
}

enum gsim_status gsim_front_init(struct gsim_front *f, struct gsim_device *device, struct gsim_partition *part,
                                 struct gsim_process *process, uint32_t index, struct gsim_error *error)
{
    struct gsim_machine *machine = device->machine;
    *f = (struct gsim_front){.machine = machine, .device = device, .part = part, .process = process,
                             .hw_queue_count = gsim_whole_u32(device->spec->hw_queues)};
    f->source =
        (struct gsim_agenda_source){.class = GSIM_AGENDA_FRONT, .handle_index = index, .handle = step, .owner = f};
    for (uint32_t c = 0; c < GSIM_MAX_HW_QUEUES; c++) {
        f->hw_queues[c].tail = &f->hw_queues[c].head;
        f->hw_queue_at[c] = GSIM_TIME_NEVER;
    }
    if (!gsim_agenda_add(&machine->agenda, &f->source)) return gsim_no_memory(error);
    return gsim_random_init(&f->turns, ((machine->simulation->seed + 2) * GSIM_SEED_STEP >> 24) + index, error);
}

void gsim_front_release(struct gsim_front *f) { gsim_random_release(&f->turns); }
