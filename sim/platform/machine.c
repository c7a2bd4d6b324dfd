/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loop that advances simulated time. Of what is due at one time it handles first ended transfers, then the agenda's
 * sources, then host threads. The source or the command handles its event.
 */
#include "sim/platform/machine.h"

#include <stdarg.h>

#define GSIM_DEADLOCK_TEXT 480 /* of a message */

/* --- threads ---------------------------------------------------------------------------------------------- */

struct gsim_host_thread *gsim_machine_add_thread(struct gsim_machine *m, struct gsim_driver *driver)
{
    struct gsim_host_thread *thread = GSIM_ARENA_NEW(&m->arena, struct gsim_host_thread);
    if (!thread ||
        gsim_array_grow(&m->threads, sizeof *m->threads, m->thread_count, &m->thread_capacity)) {
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
        return NULL;
    }
    thread->driver = driver;
    thread->client = m->running ? m->running->client : NULL;
    thread->index = (uint32_t)m->thread_count;
    thread->is_alive = true;
    thread->wake = GSIM_TIME_NEVER;
    m->has_woken = true;
    m->threads[m->thread_count++] = thread;
    m->alive_count++;
    return thread;
}

void gsim_machine_wake(struct gsim_machine *m, struct gsim_host_thread *thread, gsim_time when)
{
    m->has_woken = true;
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

struct gsim_host_thread *gsim_machine_add_callback(struct gsim_machine *m, struct gsim_driver *driver)
{
    for (size_t i = 1; i < m->thread_count; i++) {
        struct gsim_host_thread *old = m->threads[i];
        if (old->is_alive || !old->is_reusable) continue;
        *old = (struct gsim_host_thread){
            .driver = driver, .index = old->index, .is_alive = true, .is_reusable = true, .wake = GSIM_TIME_NEVER};
        m->alive_count++;
        m->has_woken = true;
        return old;
    }
    struct gsim_host_thread *thread = gsim_machine_add_thread(m, driver);
    if (thread) thread->is_reusable = true;
    return thread;
}

void gsim_machine_wake_watching(struct gsim_machine *m)
{
    for (struct gsim_host_thread *t = m->watching; t; t = t->next_watching) {
        gsim_time when = t->fulfilled(t);
        if (when < t->wake) gsim_machine_wake(m, t, when);
    }
}

void gsim_machine_watch(struct gsim_machine *m)
{
    struct gsim_host_thread *self = m->running, **t = &m->watching;
    self->next_watching = m->watching;
    m->watching = self;
    gsim_machine_wake_watching(m);
    gsim_machine_block(m);
    while (*t != self) t = &(*t)->next_watching;
    *t = self->next_watching;
}

/* Of the peers of A, as gsim_machine.peers has it; 0: it cannot be one. */
static uint64_t peer_bit(const struct gsim_machine *m, uint32_t a, uint32_t b)
{
    uint32_t count, first = gsim_platform_beside(m->platform, a, &count);
    return b >= first && b < first + count && b < first + 64 && a < first + 64 ? UINT64_C(1) << (b - first) : 0;
}

void gsim_machine_open_peers(struct gsim_machine *m, uint32_t a, uint32_t b)
{
    uint64_t bit = peer_bit(m, a, b);
    if (!bit) return;
    if (!m->peers) m->peers = GSIM_ARENA_ARRAY(&m->arena, uint64_t, m->platform->device_count);
    if (!m->peers) {
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
        return;
    }
    m->peers[a] |= bit;
    m->peers[b] |= peer_bit(m, b, a);
}

bool gsim_machine_are_peers(const struct gsim_machine *m, uint32_t a, uint32_t b)
{
    return m->peers && m->peers[a] & peer_bit(m, a, b);
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
    if (!gsim_machine_failed(m)) {
        char text[sizeof m->error->message];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        gsim_error_set(m->error, status, "%s", text);
    }
    for (size_t i = 0; i < m->thread_count; i++) /* of other processes, too */
        if (m->threads[i]->driver && m->threads[i]->driver->error.status == GSIM_OK)
            m->threads[i]->driver->error = *m->error;
    for (size_t i = 0; i < m->thread_count; i++)
        if (m->threads[i]->wake == GSIM_TIME_NEVER) gsim_machine_wake(m, m->threads[i], m->now);
}

/* --- the loop --------------------------------------------------------------------------------------------- */

void gsim_machine_at(struct gsim_machine *m, gsim_time time, void (*fire)(void *), void *argument)
{
    if (!gsim_agenda_at(&m->agenda, time, fire, argument)) gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
}

gsim_time gsim_machine_horizon(const struct gsim_machine *m, const struct gsim_agenda_source *source)
{
    gsim_time event = gsim_agenda_next_besides(&m->agenda, source);
    return event < m->wake ? event : m->wake;
}

static void observe(const struct gsim_machine *m)
{
    const struct gsim_observer *observer = m->simulation->observer;
    if (observer && observer->on_block_change) observer->on_block_change(observer->data, m->now);
}

/* WAKE: when a host thread goes on at the earliest. */
static void handle_events(struct gsim_machine *m, gsim_time time, gsim_time wake)
{
    m->now = time;
    m->wake = wake;
    gsim_agenda_handle(&m->agenda);
    observe(m);
}

/* Advances SimGrid's clock to LIMIT or the first end of a transfer. True: one ended. */
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
    command->transferred(command);
    gsim_agenda_follow(&m->agenda);
    observe(m);
    return true;
}

static void fail_deadlocked(struct gsim_machine *m)
{
    char text[GSIM_DEADLOCK_TEXT] = "every host thread waits for something that nobody will do";
    if (m->explains) m->explains(m, text, sizeof text);
    gsim_machine_fail(m, GSIM_SIM, "deadlock at %.3f us: %s", gsim_time_us(m->now), text);
}

/* Advances time until a thread may go on; returns it. */
static struct gsim_host_thread *drive(struct gsim_machine *m)
{
    struct gsim_host_thread *thread = NULL;
    m->has_woken = true;
    for (;;) {
        if (m->has_woken) thread = next_thread(m);
        m->has_woken = false;
        gsim_time event = gsim_agenda_next(&m->agenda), wake = thread ? thread->wake : GSIM_TIME_NEVER;
        gsim_time next = event < wake ? event : wake;
        if (gsim_engine_transfers_in_flight(m->engine)) {
            if (pass_transfers(m, next)) continue;
        } else if (next == GSIM_TIME_NEVER) {
            fail_deadlocked(m);
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
    if (gsim_machine_failed(m) && self->wake == GSIM_TIME_NEVER) self->wake = self->local;
    struct gsim_host_thread *next = drive(m);
    let_run(m, next);
    if (next != self) gsim_engine_switch(m->engine, next->actor);
}

void gsim_machine_meet(struct gsim_machine *m)
{
    struct gsim_host_thread *self = m->running;
    bool is_alone = m->alive_count == 1 && !gsim_engine_transfers_in_flight(m->engine);
    if (is_alone && gsim_agenda_next(&m->agenda) > self->local) {
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
