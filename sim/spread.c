/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/spread.h. A copy is a simulation with noise, another seed, and a device whose latencies and calls are all off
 * by one factor each. */
#include "sim/spread.h"
#include "gpusim/scenario.h"

#include <math.h>

#include "gpusim/order.h"
#include "sim/sm/demand.h"

#define LOW_SHARE  0.05
#define HIGH_SHARE 0.95

/* The device's latencies: nothing that decides how long a kernel takes alone. */
static void scale_gaps(struct gsim_device_spec *d, double factor)
{
    double *const gaps[] = {&d->launch_to_start_us, &d->stream_gap_us,     &d->event_gap_us,
                            &d->acquire_us,         &d->acquire_cold_us,   &d->busy_gap_us,
                            &d->graph_start_us,     &d->graph_cold_us,     &d->graph_node_gap_us,
                            &d->graph_cross_gap_us, &d->graph_signal_us,   &d->graph_dispatch_us,
                            &d->graph_branch_us,    &d->kernel_to_copy_us, &d->copy_to_kernel_us,
                            &d->copy_start_us,      &d->copy_gap_us,       &d->copy_switch_us};
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++) *gaps[i] *= factor;
}

static void scale_calls(struct gsim_device_spec *d, double factor)
{
    double *const calls[] = {&d->call_gap_us,
                             &d->launch_us,
                             &d->event_record_us,
                             &d->event_record_no_timing_us,
                             &d->stream_wait_us,
                             &d->query_us,
                             &d->memcpy_us,
                             &d->peer_call_us,
                             &d->gpus_call_us,
                             &d->sync_return_us,
                             &d->sync_idle_us,
                             &d->graph_launch_us,
                             &d->graph_launch_copy_us,
                             &d->attach_us,
                             &d->graph_launch_node_us,
                             &d->prefetch_call_us,
                             &d->prefetch_call_us_per_mb};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) *calls[i] *= factor;
}

/* Copy INDEX, 0 or above; the same one for the same seed. */
static enum gsim_status make_copy(struct gsim_spread_copy *copy, const struct gsim_simulation *simulation,
                                  uint32_t index, struct gsim_error *error)
{
    struct gsim_random numbers = {0};
    struct gsim_device_spec *d = &copy->device;
    uint64_t seed = simulation->seed + index;
    enum gsim_status status = gsim_random_init(&numbers, seed * UINT64_C(0x9e3779b97f4a7c15) >> 8, error);
    if (status != GSIM_OK) return status;
    *d = *simulation->device;
    scale_calls(d, gsim_random_scale(&numbers, d->spread_calls));
    scale_gaps(d, gsim_random_scale(&numbers, d->spread_gaps));
    copy->simulation = *simulation;
    gsim_random_release(&numbers);
    copy->simulation.device = d;
    copy->simulation.seed = seed;
    copy->simulation.noise = true;
    copy->simulation.observer = NULL;
    copy->simulation.statistics = NULL;
    return GSIM_OK;
}

GSIM_ORDER_OF(by_size, double)

/* Linear between neighbours. */
static double quantile(const double *sorted, uint32_t count, double share)
{
    double place = share * (count - 1);
    uint32_t below = gsim_whole_u32(place);
    if (below + 1 >= count) return sorted[count - 1];
    return sorted[below] + (place - below) * (sorted[below + 1] - sorted[below]);
}

void gsim_spread_summarize(double *times_us, uint32_t runs, const struct gsim_device_spec *device,
                           struct gsim_spread *spread)
{
    qsort(times_us, runs, sizeof *times_us, by_size);
    double median = quantile(times_us, runs, 0.5), least = device->spread_least * median;
    double below = fmax(median - quantile(times_us, runs, LOW_SHARE), least),
           above = fmax(quantile(times_us, runs, HIGH_SHARE) - median, least);
    *spread = (struct gsim_spread){.runs = runs,
                                   .median_us = median,
                                   .low_us = fmax(median - device->spread_width * below, 0),
                                   .high_us = median + device->spread_width * above};
    spread->unstable = spread->high_us - spread->low_us > GSIM_SPREAD_UNSTABLE * spread->median_us;
}

static enum gsim_status run_copies(const struct gsim_simulation *simulation, uint32_t runs, gsim_spread_time *time,
                                   double *times_us, struct gsim_error *error)
{
    struct gsim_spread_copy copy;
    enum gsim_status status = GSIM_OK;
    for (uint32_t i = 0; i < runs && status == GSIM_OK; i++) {
        struct gsim_timeline timeline;
        status = make_copy(&copy, simulation, i, error);
        if (status != GSIM_OK) break;
        status = gsim_run(&(struct gsim_scenario){.simulation = copy.simulation}, &timeline, error);
        if (status == GSIM_OK) status = time(&copy, &timeline, &times_us[i], error);
        gsim_timeline_release(&timeline);
    }
    return status;
}

enum gsim_status gsim_spread_run(const struct gsim_simulation *simulation, uint32_t runs, gsim_spread_time *time,
                                 struct gsim_spread *spread, struct gsim_error *error)
{
    const struct gsim_program *program = simulation->program;
    struct gsim_simulation shared = *simulation;
    struct gsim_arena arena = {0};
    enum gsim_status status = GSIM_OK;
    double *times_us = GSIM_ARENA_ARRAY(&arena, double, runs);
    struct gsim_demand *demands =
        simulation->demands ? NULL : GSIM_ARENA_ARRAY(&arena, struct gsim_demand, program->kernel_count + 1);
    if (!times_us || (!simulation->demands && !demands)) status = gsim_no_memory(error);
    if (status == GSIM_OK && demands) {
        status = gsim_demands_init(demands, program->kernel_count, simulation->device, program->kernels, error);
        shared.demands = demands;
    }
    if (status == GSIM_OK) status = run_copies(&shared, runs, time, times_us, error);
    if (status == GSIM_OK) gsim_spread_summarize(times_us, runs, simulation->device, spread);
    gsim_arena_release(&arena);
    return status;
}
