/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gsim_wait_any(), host functions in streams, and gates of the simulated driver.
 *
 * gsim_wait_any() polls as with CUDA: a round takes query_us for each event and stream and lock_us for each queue; the
 * next round follows at once. Only one round is simulated: the first that begins after a waitable is fulfilled, or the
 * last.
 */
#include "sim/host/api.h"

/* --- wait for any ------------------------------------------------------------------------------------------- */

struct wait {
    struct gsim_process *process;
    const struct gsim_waitable *list;
    uint32_t count;
    uint64_t *targets;         /* of streams: what must be complete */
    gsim_time start, round;    /* of the first round; length of each */
};

/* When the waitable was or will be fulfilled as far as is known now. */
static gsim_time fulfilled_at(const struct wait *w, uint32_t i)
{
    const struct gsim_process *p = w->process;
    uint32_t handle = w->list[i].handle;
    const struct gsim_marker *marker;
    switch (w->list[i].kind) {
    case GSIM_WAITABLE_EVENT:
        marker = p->events[handle].marker;
        if (!marker) return w->start;
        return !marker->is_complete ? GSIM_TIME_NEVER : marker->time > p->machine->now ? marker->time : p->machine->now;
    case GSIM_WAITABLE_STREAM: return p->streams[handle].completed >= w->targets[i] ? p->machine->now : GSIM_TIME_NEVER;
    case GSIM_WAITABLE_QUEUE: return gsim_api_queue_filled(p, handle);
    }
    GSIM_BUG("waitable of kind %d", (int)w->list[i].kind);
}

/* The beginning of the first round at TIME or later. */
static gsim_time round_from(const struct wait *w, gsim_time time)
{
    return time <= w->start ? w->start : w->start + (time - w->start + w->round - 1) / w->round * w->round;
}

static gsim_time first_round(const struct gsim_host_thread *thread)
{
    const struct wait *w = thread->waits;
    gsim_time first = GSIM_TIME_NEVER;
    for (uint32_t i = 0; i < w->count; i++) {
        gsim_time at = fulfilled_at(w, i);
        if (at < first) first = at;
    }
    return first == GSIM_TIME_NEVER ? first : round_from(w, first);
}

static bool init_wait(struct wait *w)
{
    struct gsim_process *p = w->process;
    double round_us = 0;
    w->targets = gsim_alloc(sizeof *w->targets * (size_t)w->count);
    if (!w->targets) {
        gsim_machine_fail(p->machine, GSIM_NOMEM, "out of memory");
        return false;
    }
    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t handle = w->list[i].handle;
        bool is_there = w->list[i].kind == GSIM_WAITABLE_EVENT    ? gsim_api_is_event(p, handle)
                        : w->list[i].kind == GSIM_WAITABLE_STREAM ? gsim_api_is_stream(p, handle)
                                                                  : gsim_api_is_queue(p, handle);
        if (!is_there) return false;
        if (w->list[i].kind == GSIM_WAITABLE_STREAM) w->targets[i] = p->streams[handle].issued;
        round_us += w->list[i].kind == GSIM_WAITABLE_QUEUE ? p->spec->lock_us : p->spec->query_us;
    }
    w->round = gsim_time_from_us(round_us);
    if (w->round < 1) w->round = 1;
    return true;
}

/* The round that begins now finds the first of the list that is fulfilled; else COUNT. */
static uint32_t poll(const struct wait *w)
{
    uint32_t i = 0;
    while (i < w->count && fulfilled_at(w, i) > w->process->machine->running->local) i++;
    return i;
}

static uint32_t wait_for(struct wait *w, double timeout_us)
{
    struct gsim_machine *m = w->process->machine;
    struct gsim_host_thread *self = m->running;
    gsim_time last = GSIM_TIME_NEVER; /* the round at whose end the time is over */
    w->start = self->local;
    if (timeout_us >= 0) last = round_from(w, w->start + gsim_time_from_us(timeout_us) - w->round);
    for (;;) {
        uint32_t found = poll(w);
        if (found < w->count || self->local >= last || gsim_machine_failed(m)) {
            self->local += w->round;
            return found;
        }
        self->fulfilled = first_round;
        self->waits = w;
        self->wake = last;
        gsim_machine_watch(m);
    }
}

uint32_t gsim_api_wait_any(struct gsim_driver *driver, const struct gsim_waitable *list, uint32_t count,
                           double timeout_us)
{
    struct gsim_process *p = gsim_api_process(driver);
    struct wait wait = {.process = p, .list = list, .count = count};
    uint32_t found = count;
    if (gsim_driver_failed(driver)) return count;
    gsim_time start = gsim_api_begin(p);
    gsim_machine_meet(p->machine);
    if (init_wait(&wait)) found = wait_for(&wait, timeout_us);
    gsim_free(wait.targets);
    gsim_api_end(p, GSIM_API_WAIT_ANY, start, p->machine->running->local - start, 0, NULL);
    return found;
}

/* --- host functions ----------------------------------------------------------------------------------------- */

static void host_func_is_over(void *argument)
{
    struct gsim_command *command = argument;
    command->ended(command);
}

static void callback_main(void *argument)
{
    struct gsim_command *command = argument;
    struct gsim_machine *m = command->device->machine;
    struct gsim_host_thread *self = m->running;
    command->body(self->driver, command->argument);
    gsim_machine_meet(m);
    gsim_machine_at(m, m->now, host_func_is_over, command);
    gsim_machine_end_thread(m);
}

/* A thread of the driver, which waits for the stream as who synchronises with it does, calls the function. */
static void start_host_func(struct gsim_command *command)
{
    struct gsim_machine *m = command->device->machine;
    struct gsim_process *p = command->front->process;
    struct gsim_host_thread *thread = gsim_machine_add_callback(m, &p->driver);
    if (!thread) return;
    thread->client = command->client;
    thread->actor = gsim_engine_spawn(m->engine, callback_main, command);
    if (!thread->actor) {
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
        thread->is_alive = false;
        m->alive_count--;
        return;
    }
    thread->is_blocked = true;
    thread->wake = thread->local = m->now + gsim_time_from_us(p->spec->sync_return_us);
}

static const struct gsim_command_class host_func = {.start = start_host_func};

void gsim_api_launch_host_func(struct gsim_driver *driver, gsim_body body, void *argument, gsim_stream stream)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!gsim_api_is_stream(p, stream)) return;
    if (p->streams[stream].capture) {
        gsim_machine_fail(p->machine, GSIM_SIM,
                          "stream %u is being captured: host functions cannot be nodes of a graph", stream);
        return;
    }
    gsim_machine_order(p->machine);
    gsim_time start = gsim_api_begin(p), waited = gsim_api_wait_queue(p, stream);
    struct gsim_front *front = p->streams[stream].front;
    struct gsim_command *command = gsim_front_command(front, GSIM_COMMAND_OTHER, stream);
    if (!command) return;
    gsim_api_spend(p, p->spec->launch_us);
    command->class = &host_func;
    command->body = body;
    command->argument = argument;
    gsim_api_send(p, command, start, p->spec->launch_to_start_us);
    gsim_api_end(p, GSIM_API_HOST_FUNC, start, waited, stream, NULL);
}

/* --- gates -------------------------------------------------------------------------------------------------- */

void gsim_api_stream_gate(struct gsim_driver *driver, gsim_stream stream, uint64_t count)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!gsim_api_is_stream(p, stream)) return;
    gsim_machine_order(p->machine);
    gsim_time start = gsim_api_begin(p);
    struct gsim_command *command = gsim_front_command(p->streams[stream].front, GSIM_COMMAND_GATE, stream);
    if (!command) return;
    gsim_api_spend(p, p->spec->stream_wait_us);
    command->gate = count;
    gsim_api_send(p, command, start, p->spec->launch_to_start_us);
    gsim_api_end(p, GSIM_API_GATE, start, 0, stream, "wait");
}

/* OPENING carries the stream and the count. */
static void open_gate(void *argument)
{
    struct gsim_command *opening = argument;
    gsim_front_open(opening->front, opening->stream, opening->gate);
    gsim_command_free(opening->device->machine, opening);
}

/* A store to memory that the device reads: it takes the host nothing, and is there when a command would be. */
void gsim_api_stream_open(struct gsim_driver *driver, gsim_stream stream, uint64_t count)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!gsim_api_is_stream(p, stream)) return;
    gsim_machine_order(p->machine);
    gsim_time start = gsim_api_begin(p);
    struct gsim_command *opening = gsim_front_command(p->streams[stream].front, GSIM_COMMAND_GATE, stream);
    if (!opening) return;
    opening->gate = count;
    gsim_machine_at(p->machine, start + gsim_time_from_us(p->spec->launch_to_start_us), open_gate, opening);
    gsim_api_end(p, GSIM_API_GATE, start, 0, stream, "open");
}
