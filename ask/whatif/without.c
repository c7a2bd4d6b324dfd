/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs without one of the reasons of ask/whatif/pairs.h: each takes away more than any single change could, so that
 * its worth is what the reason costs at most.
 */

#include "gpusim/metrics.h"
#include "sim/sm/demand.h"
#include "ask/edits/edit.h"
#include "ask/whatif/moments.h"
#include "ask/whatif/pairs.h"

#define FREE          1e-3 /* of what a call costs */
#define MANY          1e3  /* times faster: nearly free */
#define HW_QUEUES     32
#define FEW_REGISTERS 16

bool gsim_reason_is_shared(enum gsim_reason reason)
{
    return reason != GSIM_PAIR_DEPENDENCE && reason != GSIM_PAIR_ROOM;
}

static void free_host(struct gsim_device_spec *d, struct gsim_edit *e)
{
    double *const calls[] = {
        &d->launch_us,   &d->event_record_us, &d->event_record_no_timing_us, &d->stream_wait_us,  &d->memcpy_us,
        &d->call_gap_us, &d->driver_lock_us,  &d->driver_event_lock_us,      &d->driver_switch_us};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) *calls[i] *= FREE;
    for (uint32_t i = 0; i < e->source->op_count; i++)
        if (e->ops[i].kind == GSIM_OP_HOST_COMPUTE) e->ops[i].host_us = 0;
}

static bool free_waits(struct gsim_edit *e)
{
    bool ok = true;
    for (uint32_t i = 0; i < e->source->op_count && ok; i++) {
        if (e->ops[i].kind == GSIM_OP_HOST_COMPUTE && e->ops[i].after_count) ok = gsim_edit_set_after(e, i, NULL, 0);
        if (e->ops[i].kind == GSIM_OP_HOST_READ) e->dropped[i] = true;
    }
    return ok;
}

/* --- between two streams --- */
/* 1 or 2: the pair's stream that the op's work was on; 0: neither. */
static unsigned char *find_sides(const struct gsim_moments *m, const struct gsim_pair *pair)
{
    uint32_t count = m->timeline->program->op_count;
    unsigned char *sides = gsim_alloc((size_t)count + 1);
    for (uint32_t i = 0; sides && i < m->work_count; i++) {
        const struct gsim_moment_work *w = &m->works[i];
        if (w->op >= count || w->is_migration) continue;
        if (w->stream == pair->streams[0]) sides[w->op] = 1;
        if (w->stream == pair->streams[1]) sides[w->op] = 2;
    }
    return sides;
}

static bool drop_after(struct gsim_edit *e, uint32_t op, const unsigned char *sides)
{
    const uint32_t *after = e->ops[op].after;
    uint32_t count = 0, had = e->ops[op].after_count;
    uint32_t *kept = GSIM_ARENA_ARRAY(&e->arena, uint32_t, (size_t)had + 1);
    if (!kept) return false;
    for (uint32_t a = 0; a < had; a++)
        if (!sides[after[a]] || sides[after[a]] == sides[op]) kept[count++] = after[a];
    return count == had || gsim_edit_set_after(e, op, kept, count);
}

/* Buffers that both sides use and one of them writes are no longer arguments of the second. */
static bool drop_args(struct gsim_edit *e, uint32_t op, const unsigned char *uses)
{
    struct gsim_op *o = &e->ops[op];
    struct gsim_arg *kept = GSIM_ARENA_ARRAY(&e->arena, struct gsim_arg, (size_t)o->arg_count + 1);
    uint32_t count = 0;
    if (!kept) return false;
    for (uint32_t a = 0; a < o->arg_count; a++)
        if ((uses[o->args[a].buffer_index] & 7) != 7) kept[count++] = o->args[a];
    if (count < o->arg_count) o->segment_count = 0; /* they count the arguments */
    o->args = kept;
    o->arg_count = count;
    return true;
}

static bool free_dependence(struct gsim_edit *e, const unsigned char *sides)
{
    const struct gsim_program *p = e->source;
    unsigned char *uses = gsim_alloc((size_t)p->buffer_count + 1); /* 1 and 2: by a side; 4: written by one of them */
    bool ok = uses != NULL;
    for (uint32_t i = 0; ok && i < p->op_count; i++)
        for (uint32_t a = 0; a < e->ops[i].arg_count && sides[i]; a++)
            uses[e->ops[i].args[a].buffer_index] |= (unsigned char)(sides[i] | (e->ops[i].args[a].writes ? 4 : 0));
    for (uint32_t i = 0; ok && i < p->op_count; i++) {
        if (!sides[i] || gsim_op_is_host(&e->ops[i])) continue;
        ok = drop_after(e, i, sides);
        if (ok && sides[i] == 2 && e->ops[i].kind == GSIM_OP_KERNEL) ok = drop_args(e, i, uses);
    }
    gsim_free(uses);
    return ok;
}

/* One small block each that takes as long as the kernel alone. */
static bool free_room(struct gsim_edit *e, const struct gsim_device_spec *d, const unsigned char *sides)
{
    uint32_t *small = gsim_alloc(sizeof *small * ((size_t)e->source->kernel_count + 1)); /* counted from 1 */
    for (uint32_t i = 0; small && i < e->source->op_count; i++) {
        struct gsim_op *op = &e->ops[i];
        if (op->kind != GSIM_OP_KERNEL || !sides[i]) continue;
        const struct gsim_kernel *k = &e->kernels[op->kernel_index];
        uint32_t *place = &small[op->kernel_index];
        if (!*place) {
            struct gsim_kernel_alone alone = {0};
            struct gsim_error ignored = {0};
            double us = k->solo_us;
            if (us <= 0 && gsim_kernel_alone(d, k, &alone, &ignored) == GSIM_OK) us = gsim_time_us(alone.time);
            if (us <= 0) continue;
            e->kernels[e->kernel_count] = (struct gsim_kernel){.name = k->name,
                                                               .grid = {1, 1, 1},
                                                               .block = {32, 1, 1},
                                                               .regs_per_thread = FEW_REGISTERS,
                                                               .solo_us = us,
                                                               .solo_profiled = k->solo_us > 0 && k->solo_profiled,
                                                               .solo_device = k->solo_us > 0 ? k->solo_device : NULL};
            *place = ++e->kernel_count;
        }
        op->kernel_index = *place - 1;
    }
    gsim_free(small);
    return small != NULL;
}

static void free_copies(struct gsim_variant *v, struct gsim_edit *e)
{
    gsim_edit_hasten_link(&v->device, MANY);
    for (uint32_t i = 0; i < e->source->op_count; i++) {
        if (e->ops[i].kind != GSIM_OP_COPY) continue;
        e->ops[i].copy_us /= MANY;
        e->ops[i].copy_memory = GSIM_COPY_MEMORY_PINNED;
    }
    if (v->simulation.memory == GSIM_MEMORY_PAGEABLE) v->simulation.memory = GSIM_MEMORY_PINNED;
}

static bool remove_reason(struct gsim_variant *v, struct gsim_edit *e, const struct gsim_moments *m,
                          const struct gsim_pair *pair, enum gsim_reason reason)
{
    unsigned char *sides = NULL;
    bool ok = true;
    switch (reason) {
    case GSIM_PAIR_HOST: free_host(&v->device, e); break;
    case GSIM_PAIR_WAITS: ok = free_waits(e); break;
    case GSIM_PAIR_QUEUE:
        if (v->device.hw_queues < HW_QUEUES) v->device.hw_queues = HW_QUEUES;
        break;
    case GSIM_PAIR_COPIES: free_copies(v, e); break;
    case GSIM_PAIR_DEPENDENCE:
    case GSIM_PAIR_ROOM:
        sides = find_sides(m, pair);
        ok = sides && (reason == GSIM_PAIR_ROOM ? free_room(e, &v->device, sides) : free_dependence(e, sides));
        break;
    case GSIM_PAIR_REASON_COUNT: break;
    }
    gsim_free(sides);
    return ok;
}

enum gsim_status gsim_pair_without(struct gsim_variant *v, const struct gsim_simulation *base,
                                   const struct gsim_moments *m, const struct gsim_pair *pair, enum gsim_reason reason,
                                   struct gsim_error *error)
{
    struct gsim_edit edit;
    *v = (struct gsim_variant){.simulation = *base, .device = *base->device, .has_effect = true};
    v->device.arena = (struct gsim_arena){0};
    if (!gsim_edit_begin(&edit, base->program) || !remove_reason(v, &edit, m, pair, reason)) {
        gsim_edit_release(&edit);
        return gsim_error_set(error, GSIM_NOMEM, "cannot change the program: out of memory");
    }
    enum gsim_status status = gsim_edit_finish(&edit, &v->program, error);
    v->simulation.program = &v->program;
    v->simulation.device = &v->device;
    v->simulation.demands = NULL;
    if (status == GSIM_OK) gsim_variant_share_works(v, base);
    return status;
}
