/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/drawn.h. */
#include "sim/drawn.h"

#include "sim/device/rules.h"

/* What is in L2 follows from what ran. */
static void time_kernel(struct gsim_drawn *w, uint32_t index)
{
    const struct gsim_device_spec *spec = w->machine->simulation->device;
    struct gsim_demand *work = &gsim_works_first(w->space->works)->demands[index];
    if (gsim_rule_holds(spec->rules_off, GSIM_RULE_KNOWN_L2)) gsim_demand_meet(work, spec);
    w->kernel_us[index] = work->solo_ps / (double)GSIM_PS_PER_US;
}

static enum gsim_status add_kernel(void *data, uint32_t index, struct gsim_error *error)
{
    struct gsim_drawn *w = data;
    enum gsim_status status = GSIM_OK;
    for (struct gsim_works *works = w->space->works; works && !status; works = works->next) {
        status = gsim_works_add(works, index, error);
        if (!status && !works->problems) time_kernel(w, index);
    }
    return status;
}

/* What knows kernels by their place. */
static void drop_kernel(void *data, uint32_t index)
{
    const struct gsim_drawn *w = data;
    gsim_timeline_forget_kernel(w->machine->timeline, index);
    for (uint32_t i = 0; i < w->device_count; i++)
        for (uint32_t n = 0; w->devices[i] && n < w->devices[i]->part_count; n++)
            gsim_gpu_forget_works(w->devices[i]->parts[n].sm);
}

static enum gsim_status add_buffer(void *data, uint32_t index, struct gsim_error *error)
{
    struct gsim_drawn *w = data;
    struct gsim_space *space = w->space;
    const struct gsim_device_spec *spec = w->machine->simulation->device;
    double total = (double)w->tables.bytes, capacity = spec->memory_gb * 1e9;
    bool may_leave = space->mode == GSIM_MEMORY_MANAGED && !(spec->eager_migration > 0);
    if (total > capacity && !may_leave)
        return gsim_error_set(error, GSIM_INPUT,
                              "device '%s': %.4g GB in buffers at once, expected at most memory_gb = %.4g", spec->name,
                              total * 1e-9, spec->memory_gb);
    space->is_oversubscribed |= total > capacity;
    space->attached[index] = 0;
    if (space->host_cache.written_at) {
        space->host_cache.written_at[index] = 0;
        space->host_cache.is_changed[index] = true;
    }
    for (uint32_t i = 0; w->devices && i < w->device_count; i++)
        if (w->devices[i]) {
            w->devices[i]->moving[index] = NULL;
            gsim_l2_forget(w->devices[i], index);
        }
    return gsim_residency_add(&space->residency, index, &w->tables.program.buffers[index])
               ? GSIM_OK
               : gsim_no_memory(error);
}

static void drop_buffer(void *data, uint32_t index)
{
    gsim_residency_drop(&((struct gsim_drawn *)data)->space->residency, index);
}

static double now_us(void *data)
{
    const struct gsim_machine *m = ((struct gsim_drawn *)data)->machine;
    return m->running ? gsim_time_us(m->running->local) : 0;
}

enum gsim_status gsim_drawn_init(struct gsim_drawn *w, struct gsim_machine *machine, struct gsim_space *space,
                                 const struct gsim_drawn_source *sources, uint32_t count,
                                 const struct gsim_program *known, struct gsim_error *error)
{
    const struct gsim_simulation *s = machine->simulation;
    const char *name = known ? known->name : sources[0].source->name;
    w->machine = machine;
    w->space = space;
    w->sources = sources;
    w->draws = GSIM_ARENA_ARRAY(&machine->arena, struct gsim_draw, count);
    if (!w->draws) return gsim_no_memory(error);
    w->count = count;
    enum gsim_status status = gsim_draw_tables_init(&w->tables, known, name, !s->folds && !s->omits_kernels, error);
    for (uint32_t i = 0; i < count && !status; i++) {
        const struct gsim_scheduler_ops *scheduler =
            s->tasks ? s->tasks->tasks[sources[i].task].scheduler : s->scheduler;
        status = gsim_draw_init(&w->draws[i], &w->tables, sources[i].source, (s->seed + 4) * GSIM_SEED_STEP + i, error);
        bool follows = scheduler->uses_devices || scheduler->takes_placed;
        w->draws[i].gpu_count = follows ? machine->platform->device_count : 1;
    }
    if (status) return status;
    machine->is_drawn = true;
    machine->timeline->program = space->program = &w->tables.program;
    space->kernel_room = w->tables.kernel_room;
    space->buffer_room = w->tables.buffer_room;
    w->kernel_us = GSIM_ARENA_ARRAY(&machine->arena, double, space->kernel_room);
    return w->kernel_us ? GSIM_OK : gsim_no_memory(error);
}

static enum gsim_status open_draw(struct gsim_drawn *w, uint32_t index, struct gsim_error *error)
{
    const struct gsim_drawn_source *s = &w->sources[index];
    void *defaults = NULL;
    if (!s->params && s->source->params) {
        defaults = gsim_arena_alloc(&w->machine->arena, s->source->params_size);
        if (!defaults) return gsim_no_memory(error);
        gsim_params_set_defaults(s->source->params, defaults);
    }
    return gsim_draw_open(&w->draws[index], s->params ? s->params : defaults, error);
}

enum gsim_status gsim_drawn_open(struct gsim_drawn *w, struct gsim_device *const *devices, uint32_t device_count,
                                 struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    w->devices = devices;
    w->device_count = device_count;
    w->hooks = (struct gsim_draw_hooks){.data = w,
                                        .add_kernel = add_kernel,
                                        .add_buffer = add_buffer,
                                        .drop_kernel = drop_kernel,
                                        .drop_buffer = drop_buffer,
                                        .now_us = now_us};
    w->tables.hooks = &w->hooks;
    for (uint32_t i = 0; i < w->tables.known_kernels; i++) time_kernel(w, i);
    for (uint32_t i = 0; i < w->count && !status; i++) status = open_draw(w, i, error);
    return status;
}

struct gsim_draw *gsim_drawn_of(const struct gsim_drawn *w, uint32_t task)
{
    for (uint32_t i = 0; i < w->count; i++)
        if (w->sources[i].task == task) return &w->draws[i];
    return NULL;
}

static enum gsim_status check_draw(const struct gsim_draw *d, struct gsim_error *error)
{
    if (!d->live && d->has_ended) return GSIM_OK;
    if (!d->has_ended)
        return gsim_error_set(error, GSIM_SIM, "the scheduler ended after %u ops, and %s has more", d->drawn,
                              d->source->name);
    return gsim_error_set(error, GSIM_SIM,
                          "the scheduler ended while %u of %u ops of %s, or moves for them, had not: expected it to "
                          "issue and wait for all",
                          d->live, d->drawn, d->source->name);
}

enum gsim_status gsim_drawn_check(const struct gsim_drawn *w, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    for (uint32_t i = 0; i < w->count && !status; i++) status = check_draw(&w->draws[i], error);
    return status;
}

/* Records of a task count its ops from 0 until it is known how many the others have. */
static void shift_records(struct gsim_timeline *timeline, uint32_t task, uint32_t first)
{
    for (size_t i = 0; first && i < timeline->kernel_count; i++)
        if (timeline->kernels[i].task == task) timeline->kernels[i].op += first;
    for (size_t i = 0; first && i < timeline->copy_count; i++)
        if (timeline->copies[i].task == task && timeline->copies[i].op != UINT32_MAX) timeline->copies[i].op += first;
}

enum gsim_status gsim_drawn_keep(struct gsim_drawn *w, const struct gsim_program *known, struct gsim_error *error)
{
    struct gsim_program *program = w->machine->simulation->drawn;
    uint32_t *first = GSIM_ARENA_ARRAY(&w->machine->arena, uint32_t, w->count);
    if (!first) return gsim_no_memory(error);
    enum gsim_status status = gsim_draws_to_program(&w->tables, w->draws, w->count, known, first, program, error);
    for (uint32_t i = 0; i < w->count && !status; i++)
        shift_records(w->machine->timeline, w->sources[i].task, first[i]);
    return status;
}

void gsim_drawn_release(struct gsim_drawn *w)
{
    for (uint32_t i = 0; i < w->count; i++) gsim_draw_release(&w->draws[i]);
    gsim_draw_tables_release(&w->tables);
}
