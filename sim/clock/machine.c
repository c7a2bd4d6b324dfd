/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How simulated time passes: the loop that interleaves GPU events, hardware queues, timers, transfers and
 * host threads in the order (time, class, sequence). Classes at one time: ended transfers, blocks, hardware
 * queues, timers, then host threads. What the events mean is decided in front.c, copies.c, graphs.c, gpu.c.
 */
#include "sim/clock/machine.h"

#include <stdarg.h>

/* --- timers ----------------------------------------------------------------------------------------------- */

static bool timer_before(const struct gsim_timer *a, const struct gsim_timer *b)
{
    return a->time != b->time ? a->time < b->time : a->sequence < b->sequence;
}

void gsim_machine_at(struct gsim_machine *m, gsim_time time, void (*fire)(struct gsim_machine *, void *), void *argument)
{
    if (gsim_array_grow((void **)&m->timers, sizeof *m->timers, m->timer_count, &m->timer_capacity)) {
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
        return;
    }
    struct gsim_timer timer = {time, m->timer_sequence++, fire, argument};
    size_t i = m->timer_count++;
    for (; i && timer_before(&timer, &m->timers[(i - 1) / 2]); i = (i - 1) / 2) m->timers[i] = m->timers[(i - 1) / 2];
    m->timers[i] = timer;
}

static struct gsim_timer pop_timer(struct gsim_machine *m)
{
    struct gsim_timer first = m->timers[0], last = m->timers[--m->timer_count];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= m->timer_count) break;
        if (child + 1 < m->timer_count && timer_before(&m->timers[child + 1], &m->timers[child])) child++;
        if (!timer_before(&m->timers[child], &last)) break;
        m->timers[i] = m->timers[child];
        i = child;
    }
    if (m->timer_count) m->timers[i] = last;
    return first;
}

/* --- threads ---------------------------------------------------------------------------------------------- */

struct gsim_host_thread *gsim_machine_add_thread(struct gsim_machine *m)
{
    struct gsim_host_thread *thread = GSIM_ARENA_NEW(&m->arena, struct gsim_host_thread);
    if (!thread ||
        gsim_array_grow((void **)&m->threads, sizeof *m->threads, m->thread_count, &m->thread_capacity)) {
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
        return NULL;
    }
    thread->index = (uint32_t)m->thread_count;
    thread->is_alive = true;
    thread->wake = GSIM_TIME_NEVER;
    m->threads[m->thread_count++] = thread;
    m->alive_count++;
    return thread;
}

void gsim_machine_wake(struct gsim_machine *m, struct gsim_host_thread *thread, gsim_time when)
{
    (void)m;
    thread->wake = when > thread->local ? when : thread->local;
}

void gsim_machine_wake_all(struct gsim_machine *m, struct gsim_host_thread **list, gsim_time when)
{
    for (struct gsim_host_thread *t = *list; t; t = t->next_waiting) gsim_machine_wake(m, t, when);
    *list = NULL;
}

void gsim_machine_wait_on(struct gsim_machine *m, struct gsim_host_thread **list)
{
    while (*list) list = &(*list)->next_waiting;
    *list = m->running;
    m->running->next_waiting = NULL;
    m->running->wake = GSIM_TIME_NEVER;
    gsim_machine_block(m);
}

static struct gsim_host_thread *next_thread(const struct gsim_machine *m)
{
    struct gsim_host_thread *first = NULL;
    for (size_t i = 0; i < m->thread_count; i++) {
        struct gsim_host_thread *t = m->threads[i];
        if (t->is_alive && t->is_blocked && (!first || t->wake < first->wake)) first = t;
    }
    return first;
}

void gsim_machine_fail(struct gsim_machine *m, enum gsim_status status, const char *format, ...)
{
    if (!gsim_driver_failed(&m->driver)) {
        char text[sizeof m->driver.error.message];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        gsim_error_set(&m->driver.error, status, "%s", text);
    }
    for (size_t i = 0; i < m->thread_count; i++)
        if (m->threads[i]->wake == GSIM_TIME_NEVER) gsim_machine_wake(m, m->threads[i], m->now);
}

/* --- the loop --------------------------------------------------------------------------------------------- */

static gsim_time next_event(const struct gsim_machine *m)
{
    gsim_time next = gsim_gpu_next(m->gpu);
    if (m->hw_queue_next < next) next = m->hw_queue_next;
    if (m->timer_count && m->timers[0].time < next) next = m->timers[0].time;
    if (m->faults.next < next) next = m->faults.next;
    return next;
}

static void record_load(struct gsim_machine *m)
{
    struct gsim_gpu_load load = gsim_gpu_load(m->gpu);
    if (m->simulation->gpu.check) gsim_gpu_check(m->gpu);
    if (m->simulation->observer && m->simulation->observer->on_block_change)
        m->simulation->observer->on_block_change(m->simulation->observer->data, m->now);
    if (!m->timeline->detailed) return;
    if (load.blocks == m->last_load.blocks && load.warps == m->last_load.warps && load.kernels == m->last_load.kernels &&
        load.busy_sms == m->last_load.busy_sms)
        return;
    m->last_load = load;
    struct gsim_occupancy_record record = {m->now, load.busy_sms, load.warps, load.kernels, load.blocks};
    gsim_timeline_add_occupancy(m->timeline, &record);
}

/* WAKE: when a host thread goes on at the earliest. */
static void handle_events(struct gsim_machine *m, gsim_time time, gsim_time wake)
{
    m->now = time;
    if (gsim_gpu_next(m->gpu) == time) {
        gsim_time horizon = m->hw_queue_next < wake ? m->hw_queue_next : wake;
        if (m->timer_count && m->timers[0].time < horizon) horizon = m->timers[0].time;
        bool may_change = gsim_engine_transfers_in_flight(m->engine) || m->faults.count;
        gsim_gpu_promise(m->gpu, may_change ? 0 : horizon);
        gsim_gpu_advance(m->gpu, time);
    }
    if (m->hw_queue_next <= time) gsim_front_step(m);
    while (m->timer_count && m->timers[0].time <= time) {
        struct gsim_timer timer = pop_timer(m);
        timer.fire(m, timer.argument);
    }
    if (m->faults.count || m->faults.next <= m->now) gsim_faults_update(m);
    gsim_reuse_update(m);
    record_load(m);
}

/* Lets SimGrid's clock go on to LIMIT or the first end of a transfer; true when one ended. */
static bool pass_transfers(struct gsim_machine *m, gsim_time limit)
{
    gsim_time when;
    struct gsim_command *command = gsim_engine_ended(m->engine, &when);
    if (!command) {
        gsim_engine_wait(m->engine, limit);
        command = gsim_engine_ended(m->engine, &when);
    }
    if (!command) return gsim_engine_clock(m->engine) < limit - 1000; /* woken early by an old timer: go round again */
    if (when > m->now) m->now = when;
    gsim_copies_transfer_ended(m, command);
    if (m->faults.count) gsim_faults_update(m);
    gsim_reuse_update(m);
    record_load(m);
    return true;
}

/* Drives time until a thread may go on; returns it. */
static struct gsim_host_thread *drive(struct gsim_machine *m)
{
    for (;;) {
        struct gsim_host_thread *thread = next_thread(m);
        gsim_time event = next_event(m), wake = thread ? thread->wake : GSIM_TIME_NEVER;
        gsim_time next = event < wake ? event : wake;
        if (gsim_engine_transfers_in_flight(m->engine)) {
            if (pass_transfers(m, next)) continue;
        } else if (next == GSIM_TIME_NEVER) {
            gsim_machine_fail(m, GSIM_SIM, "deadlock at %.3f us: every host thread waits for something that nobody will do",
                              gsim_time_us(m->now));
            if (!thread) GSIM_BUG("no host thread is left to end the simulation");
            continue;
        }
        if (event <= wake) {
            handle_events(m, event, wake);
            continue;
        }
        if (wake > m->now) m->now = wake;
        return thread;
    }
}

static void let_run(struct gsim_machine *m, struct gsim_host_thread *thread)
{
    thread->is_blocked = false;
    thread->local = thread->wake;
    thread->wake = GSIM_TIME_NEVER;
    m->running = thread;
}

void gsim_machine_block(struct gsim_machine *m)
{
    struct gsim_host_thread *self = m->running;
    self->is_blocked = true;
    if (gsim_driver_failed(&m->driver) && self->wake == GSIM_TIME_NEVER) self->wake = self->local;
    struct gsim_host_thread *next = drive(m);
    let_run(m, next);
    if (next != self) gsim_engine_switch(m->engine, next->actor);
}

void gsim_machine_meet(struct gsim_machine *m)
{
    struct gsim_host_thread *self = m->running;
    bool is_alone = m->alive_count == 1 && !gsim_engine_transfers_in_flight(m->engine);
    if (is_alone && next_event(m) > self->local) {
        if (m->now < self->local) m->now = self->local;
        return;
    }
    self->wake = self->local;
    gsim_machine_block(m);
}

void gsim_machine_end_thread(struct gsim_machine *m)
{
    struct gsim_host_thread *self = m->running;
    gsim_machine_meet(m);
    self->is_alive = false;
    m->alive_count--;
    gsim_machine_wake_all(m, &self->joiners, self->local);
    if (!m->alive_count) {
        gsim_engine_finish(m->engine);
        return;
    }
    struct gsim_host_thread *next = drive(m);
    let_run(m, next);
    gsim_engine_release(m->engine, next->actor);
}
