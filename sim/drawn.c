/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/drawn.h. */
#include "sim/drawn.h"

#include "sim/device/rules.h"

static enum gsim_status add_kernel(void *data, uint32_t index, struct gsim_error *error)
{
    struct gsim_drawn *w = data;
    const struct gsim_device_spec *spec = w->machine->simulation->device;
    struct gsim_demand *work = &w->space->works[index];
    enum gsim_status status = gsim_work_init(work, spec, &w->draw.program.kernels[index], error);
    if (status) return status;
    if (gsim_rule_holds(spec->rules_off, GSIM_RULE_KNOWN_L2)) gsim_demand_meet(work, spec); /* what is there follows from what ran */
    w->kernel_us[index] = work->solo_ps / (double)GSIM_PS_PER_US;
    return GSIM_OK;
}

/* What knows kernels by their place. */
static void drop_kernel(void *data, uint32_t index)
{
    const struct gsim_drawn *w = data;
    gsim_timeline_forget_kernel(w->machine->timeline, index);
    for (uint32_t i = 0; i < w->device_count; i++)
        for (uint32_t n = 0; n < w->devices[i]->part_count; n++) gsim_gpu_forget_works(w->devices[i]->parts[n].sm);
}

static enum gsim_status add_buffer(void *data, uint32_t index, struct gsim_error *error)
{
    struct gsim_drawn *w = data;
    struct gsim_space *space = w->space;
    const struct gsim_device_spec *spec = w->machine->simulation->device;
    double total = (double)w->draw.bytes, capacity = spec->memory_gb * 1e9;
    bool may_leave = space->mode == GSIM_MEMORY_MANAGED && !(spec->eager_migration > 0);
    if (total > capacity && !may_leave)
        return gsim_error_set(error, GSIM_INPUT, "device '%s': %.4g GB in buffers at once, expected at most memory_gb = %.4g", spec->name,
                              total * 1e-9, spec->memory_gb);
    space->is_oversubscribed |= total > capacity;
    space->moving[index] = NULL;
    space->attached[index] = 0;
    if (space->host_cache.written_at) {
        space->host_cache.written_at[index] = 0;
        space->host_cache.is_changed[index] = true;
    }
    for (uint32_t i = 0; i < w->device_count; i++) gsim_recent_forget(w->devices[i], index);
    return gsim_residency_add(&space->residency, index, &w->draw.program.buffers[index]) ? GSIM_OK
                                                                                         : gsim_error_set(error, GSIM_NOMEM, "out of memory");
}

static void drop_buffer(void *data, uint32_t index) { gsim_residency_drop(&((struct gsim_drawn *)data)->space->residency, index); }

static double now_us(void *data)
{
    const struct gsim_machine *m = ((struct gsim_drawn *)data)->machine;
    return m->running ? gsim_time_us(m->running->local) : 0;
}

enum gsim_status gsim_drawn_init(struct gsim_drawn *w, struct gsim_machine *machine, struct gsim_space *space, struct gsim_error *error)
{
    const struct gsim_simulation *s = machine->simulation;
    w->machine = machine;
    w->space = space;
    enum gsim_status status = gsim_draw_init(&w->draw, s->source, (s->seed + 4) * GSIM_SEED_STEP, !s->folds, error);
    if (status) return status;
    machine->draw = &w->draw;
    machine->timeline->program = space->program = &w->draw.program;
    space->kernel_room = w->draw.kernel_room;
    space->buffer_room = w->draw.buffer_room;
    w->draw.gpu_count = s->scheduler->uses_devices && s->gpu_count ? s->gpu_count : 1;
    w->kernel_us = GSIM_ARENA_ARRAY(&machine->arena, double, space->kernel_room);
    return w->kernel_us ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "out of memory");
}

enum gsim_status gsim_drawn_open(struct gsim_drawn *w, struct gsim_device *const *devices, uint32_t device_count, struct gsim_error *error)
{
    const struct gsim_simulation *s = w->machine->simulation;
    const void *params = s->source_params;
    void *defaults = NULL;
    if (!params && s->source->params) {
        defaults = gsim_arena_alloc(&w->machine->arena, s->source->params_size);
        if (!defaults) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
        gsim_params_set_defaults(s->source->params, defaults);
    }
    w->devices = devices;
    w->device_count = device_count;
    w->hooks = (struct gsim_draw_hooks){.data = w, .add_kernel = add_kernel, .add_buffer = add_buffer, .drop_kernel = drop_kernel,
                                        .drop_buffer = drop_buffer, .now_us = now_us};
    return gsim_draw_open(&w->draw, params ? params : defaults, &w->hooks, error);
}

enum gsim_status gsim_drawn_check(const struct gsim_drawn *w, struct gsim_error *error)
{
    if (!w->draw.live && w->draw.has_ended) return GSIM_OK;
    if (!w->draw.has_ended) return gsim_error_set(error, GSIM_SIM, "the scheduler ended after %u ops, and %s has more", w->draw.drawn, w->draw.source->name);
    return gsim_error_set(error, GSIM_SIM, "the scheduler ended while %u of %u ops of %s, or moves for them, had not: expected it to issue and wait for all",
                          w->draw.live, w->draw.drawn, w->draw.source->name);
}

void gsim_drawn_release(struct gsim_drawn *w) { gsim_draw_release(&w->draw); }
