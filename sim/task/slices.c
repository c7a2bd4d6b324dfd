/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time slices: contexts of several processes get all SMs one after another. At the end of a slice, if another context
 * waits, running blocks freeze; they resume in their context's next slice. A context without kernels keeps the SMs for
 * slice_hold_us if another waits, else for good. An arrival does not shorten the current slice, which counts from when
 * its context got the SMs. Next is the next context in the ring that has work.
 */
#include "sim/task/task.h"

static struct gsim_time_slices *slices_of(struct gsim_arbiter *arbiter) { return (struct gsim_time_slices *)arbiter; }

static void consider(struct gsim_time_slices *s);

static void consider_now(void *argument)
{
    struct gsim_time_slices *s = argument;
    if (s->machine->now == s->consider_at) consider(s);
}

/* Considers a switch at TIME and at no other time. */
static void consider_later(struct gsim_time_slices *s, gsim_time time)
{
    if (s->consider_at == time) return;
    s->consider_at = time;
    gsim_machine_at(s->machine, time, consider_now, s);
}

static void submit_held(struct gsim_slice_context *c)
{
    struct gsim_command *command = c->held;
    c->held = NULL;
    c->last = &c->held;
    for (struct gsim_command *next; command; command = next) {
        next = command->next;
        command->next = NULL;
        gsim_front_submit(command);
    }
}

/* The context that was switched to has the SMs now. */
static void switched(void *argument)
{
    struct gsim_time_slices *s = argument;
    struct gsim_slice_context *c = &s->contexts[s->next];
    s->is_switching = false;
    s->current = s->next;
    s->began = s->idle_since = s->machine->now;
    gsim_partition_go_on(c->part);
    submit_held(c);
    consider(s);
}

static void switch_to(struct gsim_time_slices *s, uint32_t next)
{
    struct gsim_slice_context *c = &s->contexts[s->current];
    gsim_partition_stop(c->part);
    s->next = next;
    s->is_switching = true;
    gsim_machine_at(s->machine, s->machine->now + (c->kernels ? s->busy_switch : s->idle_switch), switched, s);
}

/* The next in the ring that has work; the current one where there is no other. */
static uint32_t next_in_ring(const struct gsim_time_slices *s)
{
    for (uint32_t i = 1; i < s->count; i++)
        if (s->contexts[(s->current + i) % s->count].kernels) return (s->current + i) % s->count;
    return s->current;
}

static void consider(struct gsim_time_slices *s)
{
    const struct gsim_slice_context *c = &s->contexts[s->current];
    gsim_time now = s->machine->now, end;
    uint32_t next = s->is_directed ? s->wanted : next_in_ring(s);
    if (s->is_switching || next == s->current) return;
    if (s->is_directed) {
        switch_to(s, next);
        return;
    }
    if (c->kernels) {
        if (now > s->began + s->slice) s->began += (now - s->began) / s->slice * s->slice;
        end = s->began + s->slice;
    } else {
        end = s->idle_since + s->hold;
    }
    if (end <= now) switch_to(s, next);
    else consider_later(s, end);
}

static void slices_ready(struct gsim_arbiter *arbiter, struct gsim_command *command)
{
    struct gsim_time_slices *s = slices_of(arbiter);
    uint32_t index = command->front->context;
    struct gsim_slice_context *c = &s->contexts[index];
    c->kernels++;
    if (index == s->current && !s->is_switching) {
        gsim_front_submit(command);
        if (c->kernels == 1) consider(s); /* no longer idle */
        return;
    }
    command->next = NULL;
    *c->last = command;
    c->last = &command->next;
    if (c->kernels == 1) consider(s);
}

static void slices_ended(struct gsim_arbiter *arbiter, struct gsim_command *command)
{
    struct gsim_time_slices *s = slices_of(arbiter);
    struct gsim_slice_context *c = &s->contexts[command->front->context];
    if (--c->kernels) return;
    s->idle_since = s->machine->now;
    consider(s);
}

void gsim_slices_give(struct gsim_time_slices *s, uint32_t context)
{
    s->wanted = context;
    consider(s);
}

bool gsim_slices_init(struct gsim_time_slices *s, struct gsim_machine *m, const struct gsim_device_spec *spec,
                      struct gsim_partition *const *parts, uint32_t count)
{
    *s = (struct gsim_time_slices){
        .arbiter = {.ready = slices_ready, .ended = slices_ended}, .machine = m, .count = count};
    s->slice = gsim_time_from_us(spec->slice_us);
    s->hold = gsim_time_from_us(spec->slice_hold_us);
    s->busy_switch = gsim_time_from_us(spec->slice_switch_us);
    s->idle_switch = gsim_time_from_us(spec->slice_idle_switch_us);
    s->contexts = GSIM_ARENA_ARRAY(&m->arena, struct gsim_slice_context, count);
    for (uint32_t i = 0; s->contexts && i < count; i++) {
        s->contexts[i] = (struct gsim_slice_context){.part = parts[i]};
        s->contexts[i].last = &s->contexts[i].held;
        if (i) gsim_partition_stop(parts[i]);
    }
    return s->contexts != NULL;
}
