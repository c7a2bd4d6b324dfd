/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a kernel that was timed by repeating it does when others have displaced its data from L2: cold, its work
 * relative to that of a repeated run (docs/model/l2.md). Which data is displaced when is sim/memory/l2.c's.
 */
#include "sim/sm/known/known.h"

#include <math.h>

#include "sim/device/rules.h"

/* Data that passes L2 in one run of the grid; of an unknown kernel, the most that DRAM could have delivered. */
double gsim_demand_touched_bytes(const struct gsim_demand *w, const struct gsim_device_spec *device)
{
    if (w->counted_bytes > 0) return w->counted_bytes;
    if (w->is_unknown) return w->solo_ps * device->dram_gbps * 1e-3;
    double asking_ps =
        w->kind == GSIM_DEMAND_DESCRIBED ? w->block_ps : w->memory_ps; /* dram_gbps is an average there */
    return asking_ps * w->dram_gbps * 1e-3 * (double)w->blocks;
}

static double clamp(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/* Dependent loads, one in flight per thread, measured again and again: how much of them missed L2 then is not known,
 * but follows from the time. N of a thread take N x (hit + (miss - hit) m), m the share that missed, which grows from 0
 * to 1 where the lines of all threads are scatter_fit to scatter_miss_all of L2. Cold all miss; what missed before
 * takes scatter_first_us longer in all. */
static double scatter_cold(const struct gsim_demand *w, const struct gsim_device_spec *d)
{
    double waves = ceil((double)w->blocks / (d->sm_count * w->need.blocks_per_sm)), target = w->solo_ps / waves;
    double hit = d->scatter_hit_ns * 1e3, miss = d->scatter_miss_ns * 1e3;
    double low = 0, high = target / hit, missed = 0, l2 = d->l2_mib * 1048576;
    if (!(l2 > 0)) return 1;
    if (!gsim_rule_holds(d->rules_off, GSIM_RULE_COLD_LOADS)) return d->scatter_cold;
    for (int i = 0; i < 40; i++) {
        double loads = (low + high) / 2, lines = loads * (double)w->blocks * w->threads * d->l2_line_bytes;
        missed = clamp((lines / l2 - d->scatter_fit) / fmax(d->scatter_miss_all - d->scatter_fit, 1e-3));
        *(loads * (hit + (miss - hit) * missed) < target ? &low : &high) = loads;
    }
    return miss / (hit + (miss - hit) * missed) + missed * (d->scatter_first_us * 1e6) / w->solo_ps;
}

/* The other kinds of work cold against repeated. Arithmetic takes no longer. */
static double cold_factor(const struct gsim_demand *w, const struct gsim_device_spec *d, double own, double held)
{
    if (w->cold_ratio > 0) return fmax(w->cold_ratio, 1);
    if (w->is_unknown)
        return 1 + d->unknown_cold * clamp((d->unknown_cold_none * held - own) / (d->unknown_cold_range * held));
    if (w->kind == GSIM_DEMAND_SCATTER) return scatter_cold(w, d);
    if (w->kind != GSIM_DEMAND_MEMORY || w->given_bytes >= d->stream_cold_l2 * held || own >= 0.97 * w->given_bytes)
        return 1;
    double more = (w->given_bytes < d->stream_cold_most * own ? w->given_bytes / own : d->stream_cold_most) - 1;
    return 1 + more * w->memory_ps / w->block_ps;
}

double gsim_l2_held_bytes(const struct gsim_device_spec *device)
{
    return device->l2_held_share * device->l2_mib * 1048576;
}

bool gsim_demands_share_l2(struct gsim_demand *demands, uint32_t count, const struct gsim_device_spec *device)
{
    double held = gsim_l2_held_bytes(device), total = 0;
    for (uint32_t i = 0; i < count; i++)
        total += demands[i].touched_bytes = gsim_demand_touched_bytes(&demands[i], device);
    for (uint32_t i = 0; i < count; i++) {
        double own = demands[i].touched_bytes;
        bool is_cold = total - own > held || (count > 1 && demands[i].is_contended);
        demands[i].cold = demands[i].is_inverted && is_cold ? cold_factor(&demands[i], device, own, held) : 1;
    }
    return total > held;
}

void gsim_demand_meet(struct gsim_demand *work, const struct gsim_device_spec *device)
{
    work->touched_bytes = gsim_demand_touched_bytes(work, device);
    work->cold = work->is_inverted ? cold_factor(work, device, work->touched_bytes, gsim_l2_held_bytes(device)) : 1;
}
