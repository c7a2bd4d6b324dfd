/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/memory/device.h: the parts of a GPU and their event sources. */
#include "sim/memory/device.h"

#include "sim/device/rules.h"

/* False: it has no kernels. */
static bool add_load(const struct gsim_device *d, struct gsim_gpu_load *sum)
{
    bool is_busy = false;
    for (uint32_t p = 0; p < d->part_count; p++) {
        if (!gsim_gpu_is_busy(d->parts[p].sm)) continue;
        is_busy = true;
        if (d->parts[p].is_stopped) continue;
        struct gsim_gpu_load load = gsim_gpu_load(d->parts[p].sm);
        sum->blocks += load.blocks;
        sum->warps += load.warps;
        sum->kernels += load.kernels;
        sum->busy_sms += load.busy_sms;
    }
    return is_busy;
}

static struct gsim_gpu_load load_of_all(const struct gsim_device *d)
{
    struct gsim_gpu_load sum = {0};
    if (d->all_count == 1 && d->part_count == 1 && !d->parts->is_stopped) return gsim_gpu_load(d->sm);
    for (uint32_t w = 0; w <= d->all_count / 64; w++) {
        uint64_t bits = d->busy ? d->busy[w] : ~UINT64_C(0);
        for (; bits; bits &= bits - 1) {
            uint32_t i = 64 * w + (uint32_t)__builtin_ctzll(bits);
            if (i >= d->all_count) break;
            if (d->all[i] && !add_load(d->all[i], &sum) && d->busy) d->busy[w] &= ~(bits & -bits);
        }
    }
    return sum;
}

static void check_parts(const struct gsim_device *d)
{
    for (uint32_t p = 0; p < d->part_count; p++) {
        gsim_gpu_check(d->parts[p].sm);
        GSIM_INVARIANT(d->parts[p].source.next ==
                       (d->parts[p].is_stopped ? GSIM_TIME_NEVER : gsim_gpu_next(d->parts[p].sm)));
    }
}

/* Of all devices, by the first one's source. */
static void record_occupancy(void *device)
{
    struct gsim_device *d = device;
    for (uint32_t i = 0; d->machine->simulation->gpu.check && i < d->all_count; i++)
        if (d->all[i]) check_parts(d->all[i]);
    if (!d->machine->timeline->detailed) return;
    struct gsim_gpu_load load = load_of_all(d);
    if (load.blocks == d->last_load.blocks && load.warps == d->last_load.warps &&
        load.kernels == d->last_load.kernels && load.busy_sms == d->last_load.busy_sms)
        return;
    d->last_load = load;
    struct gsim_occupancy_record record = {d->machine->now, load.busy_sms, load.warps, load.kernels, load.blocks};
    gsim_timeline_add_occupancy(d->machine->timeline, &record);
}

static gsim_time gap_if(const struct gsim_device_spec *spec, enum gsim_rule rule, double us)
{
    return gsim_rule_holds(spec->rules_off, rule) ? gsim_time_from_us(us) : 0;
}

static struct gsim_gaps gaps_of(const struct gsim_device_spec *spec)
{
    return (struct gsim_gaps){
        .stream = gsim_time_from_us(spec->stream_gap_us),
        .programmatic = gsim_time_from_us(spec->programmatic_gap_us),
        .event = gsim_time_from_us(spec->event_gap_us),
        .acquire = gap_if(spec, GSIM_RULE_ACQUIRE_ORDER, spec->acquire_us),
        .acquire_cold = gap_if(spec, GSIM_RULE_ACQUIRE_ORDER, spec->acquire_cold_us),
        .busy = gap_if(spec, GSIM_RULE_FRONT_INTERVAL, spec->busy_gap_us),
        .timed_record = gsim_time_from_us(spec->timed_record_us),
        .copy = gsim_time_from_us(spec->copy_gap_us),
        .copy_switch = gsim_time_from_us(spec->copy_switch_us),
        .engine_poll = gap_if(spec, GSIM_RULE_ENGINE_POLL, spec->engine_poll_us),
        .engine_poll_blur = gsim_time_from_us(spec->engine_poll_blur_us),
        .kernel_to_copy = gsim_time_from_us(spec->kernel_to_copy_us),
        .copy_to_kernel = gsim_time_from_us(spec->copy_to_kernel_us),
    };
}

static bool add_sources(struct gsim_device *d)
{
    struct gsim_agenda *agenda = &d->machine->agenda;
    d->l2_starts = (struct gsim_agenda_source){
        .class = GSIM_AGENDA_L2, .handle_index = d->index, .handle = gsim_reuse_update, .owner = d};
    d->occupancy = (struct gsim_agenda_source){
        .class = GSIM_AGENDA_OCCUPANCY, .handle_index = d->index, .handle = record_occupancy, .owner = d};
    d->occupancy.follows = !d->index && (d->machine->timeline->detailed || d->machine->simulation->gpu.check);
    return gsim_faults_init(d) && gsim_agenda_add_follower(agenda, &d->l2_starts) &&
           gsim_agenda_add_follower(agenda, &d->occupancy);
}

/* Streams of their own, so that what a scheduler draws stays the same with and without noise. */
static enum gsim_status init_random(struct gsim_device *d, struct gsim_error *error)
{
    const struct gsim_simulation *s = d->machine->simulation;
    return s->noise ? gsim_random_init(&d->kernel_noise, (s->seed * GSIM_SEED_STEP >> 32) + d->index, error) : GSIM_OK;
}

enum gsim_status gsim_device_open(struct gsim_device *d, struct gsim_machine *machine,
                                  const struct gsim_device_spec *spec, uint32_t index, uint32_t part_count,
                                  const struct gsim_gpu_listener *listener, struct gsim_error *error)
{
    *d = (struct gsim_device){.machine = machine, .index = index, .spec = spec, .gaps = gaps_of(spec)};
    gsim_copies_init(d);
    enum gsim_status status = init_random(d, error);
    if (status) return status;
    struct gsim_partition *part = gsim_partitions_init(d, part_count)
                                      ? gsim_partitions_add(d, gsim_whole_u32(spec->sm_count), 1, listener)
                                      : NULL;
    if (!part || !add_sources(d)) return gsim_no_memory(error);
    d->sm = part->sm;
    return GSIM_OK;
}

enum gsim_status gsim_device_use(struct gsim_device *d, struct gsim_space *space, struct gsim_works *works,
                                 struct gsim_error *error)
{
    d->space = space;
    d->works = works;
    d->moving = GSIM_ARENA_ARRAY(&d->machine->arena, struct gsim_command *, space->buffer_room + 1);
    if (!d->moving) return gsim_no_memory(error);
    d->overwrites_l2 = works->share_l2 || d->machine->is_drawn;
    return gsim_l2_init(d) ? GSIM_OK : gsim_no_memory(error);
}

void gsim_device_close(struct gsim_device *d)
{
    gsim_faults_release(d);
    gsim_random_release(&d->kernel_noise);
}
