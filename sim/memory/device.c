/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/memory/device.h: what a GPU consists of, and its event sources. */
#include "sim/memory/device.h"

/* Blocks that are due end. What nobody else can change before the next event may be handled at once. */
static void end_blocks(void *device)
{
    struct gsim_device *d = device;
    bool may_change = gsim_engine_transfers_in_flight(d->machine->engine) || d->faults.count;
    gsim_gpu_promise(d->sm, may_change ? 0 : gsim_machine_horizon(d->machine, &d->blocks));
    gsim_gpu_advance(d->sm, d->machine->now);
    gsim_device_sm_changed(d);
}

static struct gsim_gpu_load load_of_all(const struct gsim_device *d)
{
    struct gsim_gpu_load sum = {0};
    for (uint32_t i = 0; i < d->all_count; i++) {
        struct gsim_gpu_load load = gsim_gpu_load(d->all[i]->sm);
        sum.blocks += load.blocks;
        sum.warps += load.warps;
        sum.kernels += load.kernels;
        sum.busy_sms += load.busy_sms;
    }
    return sum;
}

static void record_occupancy(void *device)
{
    struct gsim_device *d = device;
    struct gsim_gpu_load load = load_of_all(d);
    if (d->machine->simulation->gpu.check) {
        gsim_gpu_check(d->sm);
        GSIM_INVARIANT(d->blocks.next == gsim_gpu_next(d->sm));
    }
    if (!d->machine->timeline->detailed) return;
    if (load.blocks == d->last_load.blocks && load.warps == d->last_load.warps && load.kernels == d->last_load.kernels &&
        load.busy_sms == d->last_load.busy_sms)
        return;
    d->last_load = load;
    struct gsim_occupancy_record record = {d->machine->now, load.busy_sms, load.warps, load.kernels, load.blocks};
    gsim_timeline_add_occupancy(d->machine->timeline, &record);
}

static struct gsim_gaps gaps_of(const struct gsim_device_spec *spec)
{
    return (struct gsim_gaps){
        .stream = gsim_time_from_us(spec->stream_gap_us),
        .programmatic = gsim_time_from_us(spec->programmatic_gap_us),
        .event = gsim_time_from_us(spec->event_gap_us),
        .acquire = gsim_time_from_us(spec->acquire_us),
        .acquire_cold = gsim_time_from_us(spec->acquire_cold_us),
        .busy = gsim_time_from_us(spec->busy_gap_us),
        .timed_record = gsim_time_from_us(spec->timed_record_us),
        .copy = gsim_time_from_us(spec->copy_gap_us),
        .copy_switch = gsim_time_from_us(spec->copy_switch_us),
        .engine_poll = gsim_time_from_us(spec->engine_poll_us),
        .kernel_to_copy = gsim_time_from_us(spec->kernel_to_copy_us),
        .copy_to_kernel = gsim_time_from_us(spec->copy_to_kernel_us),
    };
}

static bool add_sources(struct gsim_device *d)
{
    struct gsim_agenda *agenda = &d->machine->agenda;
    d->blocks = (struct gsim_source){.class = GSIM_SOURCE_BLOCKS, .handle_index = d->index, .handle = end_blocks, .owner = d};
    d->l2 = (struct gsim_source){.class = GSIM_SOURCE_L2, .handle_index = d->index, .handle = gsim_reuse_update, .owner = d};
    d->occupancy = (struct gsim_source){.class = GSIM_SOURCE_OCCUPANCY, .handle_index = d->index, .handle = record_occupancy, .owner = d};
    d->occupancy.follows = d->machine->timeline->detailed || d->machine->simulation->gpu.check;
    return gsim_agenda_add(agenda, &d->blocks) && gsim_faults_init(d) && gsim_agenda_add_follower(agenda, &d->l2) &&
           gsim_agenda_add_follower(agenda, &d->occupancy);
}

/* Streams of their own, so that what a scheduler draws stays the same with and without noise. */
static enum gsim_status init_random(struct gsim_device *d, struct gsim_error *error)
{
    const struct gsim_simulation *s = d->machine->simulation;
    gsim_gpu_set_scatter(d->sm, (s->seed - 1) * GSIM_SEED_STEP + d->index);
    if (!s->noise) return GSIM_OK;
    enum gsim_status status = gsim_random_init(&d->kernel_noise, (s->seed * GSIM_SEED_STEP >> 32) + d->index, error);
    gsim_gpu_set_noise(d->sm, &d->kernel_noise);
    return status;
}

enum gsim_status gsim_device_open(struct gsim_device *d, struct gsim_machine *machine, const struct gsim_device_spec *spec, uint32_t index,
                                  const struct gsim_gpu_listener *listener, struct gsim_error *error)
{
    *d = (struct gsim_device){.machine = machine, .index = index, .spec = spec, .gaps = gaps_of(spec)};
    gsim_copies_init(d);
    d->sm = gsim_gpu_create(&machine->arena, spec, &machine->simulation->gpu, listener);
    if (!d->sm || !add_sources(d)) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    return init_random(d, error);
}

enum gsim_status gsim_device_use(struct gsim_device *d, struct gsim_space *space, struct gsim_error *error)
{
    d->space = space;
    d->overwrites_l2 = gsim_demands_share_l2(space->works, space->program->kernel_count, d->spec);
    return gsim_reuse_init(d) ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "out of memory");
}

void gsim_device_close(struct gsim_device *d)
{
    gsim_faults_release(d);
    gsim_random_release(&d->kernel_noise);
}
