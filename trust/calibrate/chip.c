/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A device's numbers that are read off a probe's curves and attributes, rather than fitted: see the table in
 * traces/runner/PROBE.md.
 */
#include <math.h>
#include <stdio.h>

#include "trust/calibrate/parts.h"
#include "sim/device/device.h"
#include "sim/device/occupancy.h"

#define COPY_THREADS 512.0 /* per block of the series copy_bandwidth */
/* A kernel on a stream that shares another's queue waits for a kernel of 400 us (queue_delay). */
#define DELAYED_US 200.0

const char *gsim_calibration_origin(const struct gsim_probe *probe, char *text, size_t size)
{
    text[0] = '\0';
    if (probe->gpu[0])
        snprintf(text, size, " (%.60s%s%.30s%s%.20s)", probe->gpu, probe->driver[0] ? ", driver " : "", probe->driver,
                 probe->date[0] ? ", " : "", probe->date);
    return text;
}

/* A number without an interval. WHAT follows the file's name in the source. */
static void set_number(struct gsim_calibration *c, const struct gsim_probe *probe, const char *file,
                       enum gsim_device_number number, double value, enum gsim_number_kind kind, const char *what)
{
    char origin[160], source[400];
    snprintf(source, sizeof source, "%s: %s%s", file, what, gsim_calibration_origin(probe, origin, sizeof origin));
    gsim_calibration_put(c, number, value, NAN, NAN, kind, source);
}

/* --- attributes --- */
static void check_limits(struct gsim_calibration *c, const struct gsim_probe *probe)
{
    const struct gsim_sm_limits limits = gsim_sm_limits(&c->device);
    const struct {
        const char *name;
        double found, known;
    } pairs[] = {{"threads per SM", probe->threads_per_sm, limits.threads},
                 {"blocks per SM", probe->blocks_per_sm, limits.blocks},
                 {"registers per SM", probe->registers_per_sm, limits.registers},
                 {"bytes of shared memory per SM", probe->smem_per_sm_bytes, limits.smem_bytes},
                 {"bytes of shared memory per block", probe->smem_per_block_bytes, limits.smem_block_bytes},
                 {"reserved bytes of shared memory per block", probe->smem_reserved_bytes, limits.smem_reserved_bytes}};
    char capability[GSIM_CAPABILITY_TEXT];
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (!isnan(pairs[i].found) && pairs[i].found != pairs[i].known)
            gsim_calibration_warn(
                c, "%s: the probe found %.0f, compute capability %s is known to have %.0f, which is used",
                pairs[i].name, pairs[i].found, gsim_capability_text(limits.compute_capability, capability),
                pairs[i].known);
}

enum gsim_status gsim_calibrate_attributes(struct gsim_calibration *c, const struct gsim_probe *probe, const char *file,
                                           struct gsim_error *error)
{
    const struct {
        enum gsim_device_number number;
        double value;
        const char *what;
    } rows[] = {{GSIM_DEV_sm_count, probe->sm_count, "attribute sm_count"},
                {GSIM_DEV_clock_mhz, probe->clock_mhz, "attribute clock_mhz"},
                {GSIM_DEV_memory_gb, probe->memory_bytes * 1e-9, "attribute memory_bytes"},
                {GSIM_DEV_l2_mib, probe->l2_bytes / 1048576, "attribute l2_bytes"},
                {GSIM_DEV_copy_engines, probe->copy_engines, "attribute copy_engines"},
                {GSIM_DEV_priority_levels, probe->priority_levels, "attribute priority_levels"},
                {GSIM_DEV_cores, probe->cores, "attribute cores"}};
    enum gsim_status status = GSIM_OK;
    if (probe->compute_capability && probe->compute_capability != c->device.compute_capability)
        status = gsim_device_set_capability(&c->device, probe->compute_capability, error);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && status == GSIM_OK; i++)
        if (!isnan(rows[i].value) && rows[i].value > 0)
            set_number(c, probe, file, rows[i].number, rows[i].value, GSIM_KIND_MEASURED, rows[i].what);
    if (status == GSIM_OK) check_limits(c, probe);
    return status;
}

/* --- memory --- */
static double greatest(const struct gsim_probe_series *s)
{
    double most = 0;
    for (size_t i = 0; i < s->point_count; i++) most = fmax(most, s->points[i].median);
    return most;
}

/* By how much DRAM time stretches when SHARE of DRAM_GBPS is asked for: blocks that alone draw FIRST each, over what
 * they reach together, interpolated. NAN beyond the ends. */
static double stretch_at(const struct gsim_probe_series *s, double share, double dram_gbps, double first)
{
    double before_x = NAN, before_y = NAN;
    for (size_t i = 0; i < s->point_count; i++) {
        double x = s->points[i].x * first / dram_gbps, y = fmax(1, s->points[i].x * first / s->points[i].median);
        if (x >= share && !isnan(before_x)) return before_y + (y - before_y) * (share - before_x) / (x - before_x);
        if (x >= share) return y;
        before_x = x;
        before_y = y;
    }
    return NAN;
}

static void memory(struct gsim_calibration *c, const struct gsim_probe *probe, const char *file)
{
    static const struct {
        enum gsim_device_number number;
        double share;
    } stretches[] = {{GSIM_DEV_dram_stretch_eighth, 0.125}, {GSIM_DEV_dram_stretch_quarter, 0.25},
                     {GSIM_DEV_dram_stretch_half, 0.5},     {GSIM_DEV_dram_stretch_one, 1},
                     {GSIM_DEV_dram_stretch_two, 2}};
    const struct gsim_probe_series *s = gsim_probe_find(probe, "copy_bandwidth");
    if (!s || !(greatest(s) > 0)) return;
    double most = greatest(s);
    char what[200];
    set_number(c, probe, file, GSIM_DEV_dram_gbps, most, GSIM_KIND_MEASURED,
               "copy_bandwidth, the most that is reached");
    if (s->points[0].x != 1 || !(s->points[0].median > 0)) return;
    double first = s->points[0].median, in_flight = first / COPY_THREADS * c->device.dram_latency_ns;
    snprintf(what, sizeof what, "copy_bandwidth: one block of 512 threads draws %.4g GB/s, times dram_latency_ns",
             first);
    set_number(c, probe, file, GSIM_DEV_most_bytes_in_flight_per_thread, in_flight, GSIM_KIND_DERIVED, what);
    for (size_t i = 0; i < sizeof stretches / sizeof stretches[0]; i++) {
        double stretch = stretch_at(s, stretches[i].share, most, first);
        if (isnan(stretch)) continue;
        snprintf(what, sizeof what,
                 "copy_bandwidth: blocks of %.4g GB/s each over what they reach, interpolated at %g of dram_gbps",
                 first, stretches[i].share);
        set_number(c, probe, file, stretches[i].number, stretch, GSIM_KIND_DERIVED, what);
    }
    const struct gsim_probe_series *one = gsim_probe_find(probe, "sm_bandwidth");
    if (!one || !(greatest(one) > 0)) return;
    set_number(c, probe, file, GSIM_DEV_sm_dram_gbps, greatest(one), GSIM_KIND_MEASURED,
               "sm_bandwidth, the most that one SM reaches");
}

/* Copies both ways end with the slower direction: where that alone explains the time, the bus between them was no
 * limit, and is taken to hold both rates. */
static void both_ways(struct gsim_calibration *c, const struct gsim_probe *probe, const char *file)
{
    const struct gsim_device_spec *d = &c->device;
    if (!gsim_probe_find(probe, "bidirectional")) return;
    if (d->bidirectional_gbps < 0.98 * 2 * fmin(d->h2d_gbps, d->d2h_gbps)) return;
    set_number(c, probe, file, GSIM_DEV_bidirectional_gbps, d->h2d_gbps + d->d2h_gbps, GSIM_KIND_DERIVED,
               "bidirectional: no slower than the slower direction alone, so h2d_gbps plus d2h_gbps");
}

/* --- arithmetic --- */
static void arithmetic(struct gsim_calibration *c, const struct gsim_probe *probe, const char *file)
{
    const struct gsim_probe_series *single = gsim_probe_find(probe, "fma_rate"),
                                   *twice = gsim_probe_find(probe, "fp64_rate");
    const struct gsim_device_spec *d = &c->device;
    if (!single || !(greatest(single) > 0)) return;
    char what[200];
    double most = greatest(single), peak = 2 * d->sm_count * d->fp32_lanes_per_sm * d->clock_mhz * 1e-6;
    snprintf(what, sizeof what, "fma_rate: %.4g TFLOP/s over 2 x %.0f SMs x %.0f lanes x %.5g MHz", most, d->sm_count,
             d->fp32_lanes_per_sm, d->clock_mhz);
    set_number(c, probe, file, GSIM_DEV_fma_share, most / peak, GSIM_KIND_DERIVED, what);
    if (most > 1.02 * peak)
        gsim_calibration_warn(c,
                              "fma_rate: %.4g TFLOP/s is more than the peak %.4g of %.0f FP32 lanes per SM: "
                              "is the base of the same architecture?",
                              most, peak, d->fp32_lanes_per_sm);
    if (!twice || !(greatest(twice) > 0)) return;
    set_number(c, probe, file, GSIM_DEV_fp64_ratio, fmin(1, greatest(twice) / most), GSIM_KIND_DERIVED,
               "fp64_rate over fma_rate");
}

/* --- queues --- */
static void queues(struct gsim_calibration *c, const struct gsim_probe *probe, const char *file)
{
    const struct gsim_probe_series *delay = gsim_probe_find(probe, "queue_delay"),
                                   *depth = gsim_probe_find(probe, "launch_queue_depth");
    for (size_t i = 0; delay && i < delay->point_count; i++) {
        if (delay->points[i].median < DELAYED_US) continue;
        set_number(c, probe, file, GSIM_DEV_hw_queues, delay->points[i].x, GSIM_KIND_MEASURED,
                   "queue_delay: so many streams at work delay the kernel of one more");
        break;
    }
    if (depth)
        set_number(c, probe, file, GSIM_DEV_launch_queue_depth, depth->points[0].median, GSIM_KIND_MEASURED,
                   "launch_queue_depth");
}

void gsim_calibrate_chip(struct gsim_calibration *c, const struct gsim_probe *probe, const char *file)
{
    memory(c, probe, file);
    both_ways(c, probe, file);
    arithmetic(c, probe, file);
    gsim_calibrate_gpcs(c, probe, file);
    queues(c, probe, file);
}
