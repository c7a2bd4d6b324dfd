/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/memory/device.h: partitions of a GPU's SMs, which of them run, and how they share its DRAM. */
#include "sim/memory/device.h"

#include <math.h>

#include "sim/device/rules.h"

#define SCATTER_STRIDE 8 /* of the numbers by which parts draw the places of their blocks */

/* Until when nothing but the part's own events can change it; 0: it is not known. */
static gsim_time horizon_of(const struct gsim_partition *part)
{
    const struct gsim_device *d = part->device;
    bool may_change = gsim_engine_transfers_in_flight(d->machine->engine) || d->faults.count;
    return may_change ? 0 : gsim_machine_horizon(d->machine, &part->source);
}

/* Whether only the record of occupancy sees what happens between events. */
static bool is_alone(const struct gsim_device *d)
{
    const struct gsim_simulation *s = d->machine->simulation;
    bool is_seen = s->gpu.check || (s->observer && s->observer->on_block_change);
    return d->all_count == 1 && d->part_count == 1 && !d->parts->is_stopped && !d->l2_starts.follows &&
           !d->faults.source.follows && !d->machine->collectives && !is_seen;
}

/* Ends the blocks that are due. Further events before any other source's are handled here, too, without the agenda. */
static void end_blocks(void *owner)
{
    struct gsim_partition *part = owner;
    struct gsim_device *d = part->device;
    gsim_time horizon = horizon_of(part);
    bool goes_on = !d->machine->has_woken && is_alone(d);
    for (;;) {
        uint64_t told = gsim_gpu_told(part->sm);
        gsim_gpu_promise(part->sm, horizon);
        gsim_gpu_advance(part->sm, d->machine->now);
        if (gsim_gpu_told(part->sm) != told) { /* whoever was told may have changed anything */
            horizon = horizon_of(part);
            goes_on = !d->machine->has_woken && is_alone(d);
        }
        if (gsim_gpu_next(part->sm) >= horizon || !goes_on) break;
        if (d->occupancy.follows) d->occupancy.handle(d);
        d->machine->now = gsim_gpu_next(part->sm);
    }
    gsim_partition_changed(part);
}

bool gsim_partitions_init(struct gsim_device *d, uint32_t count)
{
    d->parts = GSIM_ARENA_ARRAY(&d->machine->arena, struct gsim_partition, count);
    return d->parts != NULL;
}

struct gsim_partition *gsim_partitions_add(struct gsim_device *d, uint32_t sm_count, double dram_share,
                                           const struct gsim_gpu_listener *listener)
{
    const struct gsim_simulation *s = d->machine->simulation;
    struct gsim_partition *part = &d->parts[d->part_count];
    *part = (struct gsim_partition){.device = d, .spec = *d->spec};
    part->spec.sm_count = sm_count;
    part->spec.dram_gbps *= dram_share;
    part->sm = gsim_gpu_create(&d->machine->arena, &part->spec, &s->gpu, listener);
    if (!part->sm) return NULL;
    gsim_gpu_set_scatter(part->sm, (s->seed - 1) * GSIM_SEED_STEP + d->index + SCATTER_STRIDE * d->part_count);
    if (s->noise) gsim_gpu_set_noise(part->sm, &d->kernel_noise);
    uint32_t handle = d->index + d->machine->platform->device_count * d->part_count++;
    part->source = (struct gsim_agenda_source){
        .class = GSIM_AGENDA_BLOCKS, .handle_index = handle, .handle = end_blocks, .owner = part};
    return gsim_agenda_add(&d->machine->agenda, &part->source) ? part : NULL;
}

void gsim_partition_stop(struct gsim_partition *part)
{
    if (part->is_stopped) return;
    part->is_stopped = true;
    part->stopped = part->device->machine->now;
    gsim_agenda_set(&part->device->machine->agenda, &part->source, GSIM_TIME_NEVER);
}

void gsim_partition_go_on(struct gsim_partition *part)
{
    struct gsim_device *d = part->device;
    if (!part->is_stopped) return;
    part->is_stopped = false;
    gsim_gpu_delay(part->sm, d->machine->now - part->stopped);
    gsim_gpu_set_copy_load(part->sm, d->machine->now, d->copies_gbps);
    gsim_partition_changed(part);
}

/* A change of less than this share of DRAM's bandwidth is not told. */
#define UNTOLD 0.002

void gsim_partition_tell(struct gsim_partition *part)
{
    struct gsim_device *d = part->device;
    double gbps = gsim_gpu_demand(part->sm), more = gbps - part->told_gbps;
    if (more < UNTOLD * d->spec->dram_gbps && -more < UNTOLD * d->spec->dram_gbps && (gbps > 0 || part->told_gbps <= 0))
        return;
    part->told_gbps = gbps;
    for (uint32_t i = 0; i < d->part_count; i++) {
        struct gsim_partition *other = &d->parts[i];
        if (other == part || !other->shares_dram || other->is_stopped) continue;
        gsim_gpu_add_copy_load(other->sm, d->machine->now, more);
        gsim_agenda_set(&d->machine->agenda, &other->source, gsim_gpu_next(other->sm));
    }
}

double gsim_partition_scale(const struct gsim_partition *part, const struct gsim_demand *work)
{
    const struct gsim_device *d = part->device;
    double blocks = (double)work->blocks, all = fmin(blocks, d->spec->sm_count);
    bool holds = gsim_rule_holds(d->spec->rules_off, GSIM_RULE_IDLE_OTHERS);
    if (!holds || !part->shares_dram || !work->is_unknown) return 1;
    double busy = fmin(blocks, part->spec.sm_count);
    for (uint32_t i = 0; i < d->part_count; i++)
        if (&d->parts[i] != part && d->parts[i].requests && *d->parts[i].requests) busy += d->parts[i].spec.sm_count;
    return 1 - (work->tiles > work->blocks ? d->spec->tiled_part : d->spec->shared_part) * (1 - fmin(busy / all, 1));
}

void gsim_partitions_add_copy_load(struct gsim_device *d, double gbps)
{
    d->copies_gbps += gbps;
    for (uint32_t i = 0; i < d->part_count; i++) {
        if (d->parts[i].is_stopped) continue; /* told when it goes on */
        gsim_gpu_add_copy_load(d->parts[i].sm, d->machine->now, gbps);
        gsim_partition_changed(&d->parts[i]);
    }
}
