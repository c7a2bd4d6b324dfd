/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What placements may ask, and their choice for one op after another (include/gpusim/placement.h). */
#include "gpusim/placement.h"

#include <math.h>

#include "schedulers/shared/whereabouts.h"
#include "sim/program/draw.h"

/* --- links -------------------------------------------------------------------------------------------------------- */

static gsim_place place_of(const struct gsim_platform *platform, uint32_t place, uint32_t other)
{
    return place == GSIM_AT_HOST ? gsim_platform_host_place(platform, other)
                                 : gsim_platform_device_place(platform, place);
}

double gsim_placing_gbps(const struct gsim_placing *p, uint32_t from, uint32_t to)
{
    const struct gsim_platform *platform = p->run->platform;
    const struct gsim_device_facts *facts = &p->run->device;
    if (platform) return gsim_platform_gbps(platform, place_of(platform, from, to), place_of(platform, to, from));
    if (from == to) return facts->d2d_gbps;
    return from == GSIM_AT_HOST ? facts->h2d_gbps
           : to == GSIM_AT_HOST ? facts->d2h_gbps
                                : fmin(facts->h2d_gbps, facts->d2h_gbps);
}

double gsim_placing_latency_us(const struct gsim_placing *p, uint32_t from, uint32_t to)
{
    const struct gsim_platform *platform = p->run->platform;
    return platform ? gsim_platform_latency_us(platform, place_of(platform, from, to), place_of(platform, to, from))
                    : 0;
}

/* --- data --------------------------------------------------------------------------------------------------------- */

static uint64_t bytes_of(const struct gsim_placing *p, const struct gsim_access *access)
{
    uint64_t size = p->run->program->buffers[access->buffer_index].bytes, end = access->end < size ? access->end : size;
    return end > access->begin ? end - access->begin : 0;
}

/* The next access of OP: of whole arguments where data move as they are declared. */
static bool next_access(const struct gsim_placing *p, struct gsim_access_walk *walk, struct gsim_access *access)
{
    if (!p->data->by_declaration) return gsim_access_next(walk, access);
    if (walk->arg == walk->op->arg_count) return false;
    *access = (struct gsim_access){
        .end = UINT64_MAX, .buffer_index = walk->op->args[walk->arg++].buffer_index, .reads = true};
    return true;
}

uint64_t gsim_placing_total(struct gsim_placing *p, const struct gsim_op *op)
{
    struct gsim_access_walk walk = {.op = op};
    uint64_t total = 0;
    for (struct gsim_access access; next_access(p, &walk, &access);) total += bytes_of(p, &access);
    return total;
}

uint64_t gsim_placing_present(struct gsim_placing *p, const struct gsim_op *op, uint32_t device)
{
    struct gsim_access_walk walk = {.op = op};
    struct gsim_held_part part;
    uint64_t present = 0;
    for (struct gsim_access access; next_access(p, &walk, &access);)
        for (uint32_t at = 0; gsim_whereabouts_next(p->data, &access, &at, &part);)
            if (gsim_whereabouts_has(part.holders, device)) present += part.end - part.begin;
    return present;
}

/* Of a part that DEVICE lacks. */
static double part_us(const struct gsim_placing *p, const struct gsim_held_part *part, uint32_t device, bool worst)
{
    double best = worst ? INFINITY : 0;
    for (uint32_t i = 0; i <= p->device_count; i++) {
        uint32_t from = i ? i - 1 : GSIM_AT_HOST;
        if (!gsim_whereabouts_has(part->holders, from)) continue;
        double gbps = gsim_placing_gbps(p, from, device);
        best = worst ? fmin(best, gbps) : fmax(best, gbps);
    }
    return best > 0 && isfinite(best) ? (double)(part->end - part->begin) / (best * 1e3) : 0;
}

double gsim_placing_transfer_us(struct gsim_placing *p, const struct gsim_op *op, uint32_t device, bool worst)
{
    struct gsim_access_walk walk = {.op = op};
    struct gsim_held_part part;
    double sum = 0;
    for (struct gsim_access access; next_access(p, &walk, &access);) {
        if (!access.reads) continue;
        for (uint32_t at = 0; gsim_whereabouts_next(p->data, &access, &at, &part);)
            if (!gsim_whereabouts_has(part.holders, device)) sum += part_us(p, &part, device, worst);
    }
    return sum;
}

bool gsim_placing_holds(struct gsim_placing *p, const struct gsim_op *op, uint32_t arg, uint32_t device)
{
    const struct gsim_access whole = {.end = UINT64_MAX, .buffer_index = op->args[arg].buffer_index};
    struct gsim_held_part part;
    for (uint32_t at = 0; gsim_whereabouts_next(p->data, &whole, &at, &part);)
        if (!gsim_whereabouts_has(part.holders, device)) return false;
    return true;
}

/* --- choices ------------------------------------------------------------------------------------------------------ */

uint32_t gsim_placing_next(struct gsim_placing *p, const uint32_t *candidates, uint32_t count)
{
    return candidates[p->turn++ % count];
}

double gsim_placing_end_us(struct gsim_placing *p, const struct gsim_op *op, uint32_t device)
{
    return fmax(p->free_us[device], p->now_us + gsim_placing_transfer_us(p, op, device, false)) +
           gsim_estimate_us(p->run, op);
}

struct gsim_placing *gsim_placing_create(struct gsim_run *run, bool by_declaration, struct gsim_error *error)
{
    struct gsim_placing *p = GSIM_ARENA_NEW(run->arena, struct gsim_placing);
    struct gsim_whereabouts *data = GSIM_ARENA_NEW(run->arena, struct gsim_whereabouts);
    uint32_t count = run->device_count;
    if (!p || !data) goto no_memory;
    *p = (struct gsim_placing){.run = run, .params = run->placement_params, .device_count = count, .data = data,
                               .load_us = GSIM_ARENA_ARRAY(run->arena, double, count),
                               .free_us = GSIM_ARENA_ARRAY(run->arena, double, count),
                               .busy_streams = GSIM_ARENA_ARRAY(run->arena, uint32_t, count)};
    if (run->arena->failed) goto no_memory;
    uint32_t room = run->draw ? run->draw->tables->buffer_room : run->program->buffer_count;
    if (!gsim_whereabouts_init(data, run->program, room, count, run->memory == GSIM_MEMORY_MANAGED, by_declaration))
        goto no_memory;
    if (run->placement->init && run->placement->init(p, error)) {
        gsim_placing_release(p);
        return NULL;
    }
    return p;
no_memory:
    if (data) gsim_whereabouts_release(data);
    gsim_error_set(error, GSIM_NOMEM, "out of memory while placing");
    return NULL;
}

void gsim_placing_release(struct gsim_placing *p)
{
    if (p) gsim_whereabouts_release(p->data);
}

void gsim_placing_note(struct gsim_placing *p, const struct gsim_op *op, uint32_t device)
{
    gsim_whereabouts_note(p->data, op, device);
}

void gsim_placing_forget(struct gsim_placing *p, uint32_t buffer) { gsim_whereabouts_begin(p->data, buffer); }

uint32_t gsim_placing_choose(struct gsim_placing *p, const struct gsim_op *op, const uint32_t *candidates,
                             uint32_t count)
{
    uint32_t device = p->run->placement->choose(p, op, candidates, count);
    double cost_us = gsim_estimate_us(p->run, op);
    p->free_us[device] = gsim_placing_end_us(p, op, device);
    p->load_us[device] += cost_us;
    if (p->run->placement->chosen) p->run->placement->chosen(p, op, device);
    return device;
}
