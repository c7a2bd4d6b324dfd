/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/device/other.h. The law: docs/model/demand.md, "other_device". */
#include "sim/device/other.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/device/numbers.h"
#include "sim/device/occupancy.h"
#include "sim/device/rules.h"

static double clamped(double share) { return fmax(0, fmin(1, share)); }

static double blocks_of(const struct gsim_kernel *k) { return (double)k->grid.x * k->grid.y * k->grid.z; }

static bool is_same_arch(const struct gsim_device_spec *from, const struct gsim_device_spec *to)
{
    return gsim_capability_major(from->compute_capability) == gsim_capability_major(to->compute_capability) &&
           gsim_capability_is_gfx(from->compute_capability) == gsim_capability_is_gfx(to->compute_capability);
}

static bool is_named(const struct gsim_other_law *law, const struct gsim_kernel *k, int kind)
{
    for (size_t i = 0; i < law->name_count; i++)
        if (law->names[i].kind == kind && strstr(k->name, law->names[i].part)) return true;
    return false;
}

bool gsim_other_is_assumed(const struct gsim_device_spec *device)
{
    enum gsim_number_kind kind = device->kind[GSIM_DEV_dram_gbps];
    return kind == GSIM_KIND_DATASHEET || kind == GSIM_KIND_DERIVED || kind == GSIM_KIND_ASSUMED;
}

/* --- DRAM --- */
/* By name, and by how much of the data L2 can hold. */
static double guess_dram(const struct gsim_other_law *law, const struct gsim_kernel *k,
                         const struct gsim_device_spec *from)
{
    double share = law->other_dram, bytes = k->solo_us * from->dram_gbps * 1e3, l2 = from->l2_mib * 1048576;
    bool is_stream = is_named(law, k, GSIM_OTHER_STREAMS);
    if (is_stream || is_named(law, k, GSIM_OTHER_MIXED)) {
        share = is_stream ? law->stream_dram : law->mixed_dram;
        bytes = fmin(bytes, blocks_of(k) * k->block.x * k->block.y * k->block.z * law->thread_bytes);
    }
    return share * clamped((bytes / l2 - law->l2_keeps) / (1 - law->l2_keeps));
}

/* Whether its traffic is known. Zeros without pipes are of kernels whose work nobody counted. */
static bool is_told(const struct gsim_kernel *k)
{
    return k->pipes_given || k->waits || (k->demand_given && (k->flops > 0 || k->dram_bytes > 0));
}

static double dram_share(const struct gsim_other_law *law, const struct gsim_kernel *k,
                         const struct gsim_device_spec *from)
{
    double cost = k->dram_cost > 0 ? k->dram_cost : 1;
    if (!is_told(k)) return guess_dram(law, k, from);
    double us = k->dram_bytes / from->dram_gbps * 1e-3;
    if (k->pipes_given || k->waits)
        us = k->pipes[GSIM_PIPE_DRAM] * k->solo_us * from->dram_peak_gbps / from->dram_gbps;
    double kept = us > 0 && k->cold_us > 0 ? clamped((k->cold_us - k->solo_us) / us) : 0; /* in L2, when repeated */
    double large = us * from->dram_gbps * 1e3 / (from->l2_mib * 1048576) / law->l2_repeated - 1;
    return clamped(us * (1 - kept) * cost / k->solo_us) * clamped(large);
}

/* Of a byte's time in DRAM the rows that it opens take as long on any. */
static double dram_ratio(const struct gsim_kernel *k, const struct gsim_device_spec *from,
                         const struct gsim_device_spec *to)
{
    double rows = k->dram_cost > 1 ? 1 - 1 / k->dram_cost : 0;
    return (1 - rows) * from->dram_gbps / to->dram_gbps + rows;
}

/* --- the rest --- */
/* Of the units of an SM that the kernel needs most, a clock's work there over that here. */
static double unit_ratio(const struct gsim_kernel *k, const struct gsim_device_spec *from,
                         const struct gsim_device_spec *to)
{
    double lanes = from->fp32_lanes_per_sm / to->fp32_lanes_per_sm, ratio = 1;
    double of_pipe[GSIM_PIPE_COUNT] = {[GSIM_PIPE_FMA] = lanes};
    of_pipe[GSIM_PIPE_FP64] = lanes * from->fp64_ratio / to->fp64_ratio;
    if (from->tensor_flops_per_clock > 0 && to->tensor_flops_per_clock > 0)
        of_pipe[GSIM_PIPE_TENSOR] = from->tensor_flops_per_clock / to->tensor_flops_per_clock;
    for (int i = 0; k->pipes_given && i < GSIM_PIPE_COUNT; i++)
        if (of_pipe[i] > 0) ratio += clamped(k->pipes[i]) * (of_pipe[i] - 1);
    if (!k->pipes_given && k->fp64) ratio = of_pipe[GSIM_PIPE_FP64];
    return ratio;
}

/* Rounds of blocks on a device; a kernel of one block an SM is written for any number of SMs. */
static double rounds_on(const struct gsim_device_spec *d, const struct gsim_kernel *k)
{
    const struct gsim_sm_limits limits = gsim_sm_limits(d);
    struct gsim_kernel fitting = *k;
    struct gsim_block_need need;
    struct gsim_error ignored = {0};
    if (fitting.smem_bytes > limits.smem_block_bytes) fitting.smem_bytes = limits.smem_block_bytes;
    if (gsim_block_need(&limits, &fitting, &need, &ignored)) return 1;
    return ceil(blocks_of(k) / (d->sm_count * fmax(need.blocks_per_sm, 1)));
}

/* Blocks of one round take as long on more SMs; of many rounds the SMs together count. */
static double width_ratio(const struct gsim_kernel *k, const struct gsim_device_spec *from,
                          const struct gsim_device_spec *to)
{
    double blocks = blocks_of(k), here = rounds_on(from, k), there = rounds_on(to, k);
    if (blocks == from->sm_count) return (double)from->sm_count / to->sm_count; /* persistent */
    return fmin(blocks, from->sm_count) * fmax(here, 1) > from->sm_count || there > here
               ? here > 4 ? (double)from->sm_count / to->sm_count : there / here
               : 1;
}

/* --- together --- */
static double scaled(const struct gsim_other_law *law, double us, double dram, double rest_ratio, double memory_ratio)
{
    double rest = pow(fmax(1 - pow(dram, law->knee), 0), 1 / law->knee) * rest_ratio;
    return us * pow(pow(rest, law->knee) + pow(dram * memory_ratio, law->knee), 1 / law->knee);
}

struct gsim_other_time gsim_other_time(const struct gsim_other_law *law, const struct gsim_kernel *k,
                                       const struct gsim_device_spec *from, const struct gsim_device_spec *to)
{
    bool is_known = k->pipes_given, is_near = is_same_arch(from, to);
    double dram = dram_share(law, k, from), memory = dram_ratio(k, from, to), us = k->solo_us;
    double rest = from->clock_mhz / to->clock_mhz * width_ratio(k, from, to) * unit_ratio(k, from, to), beyond = rest;
    /* A start is a way through the front end. What a trace says of FROM's gap is TO's, too: it is the difference. */
    double gap = is_near ? to->stream_gap_us - from->stream_gap_us : 0;
    bool is_far_product = !is_near && !is_known && is_named(law, k, GSIM_OTHER_PRODUCTS) &&
                          from->tensor_flops_per_clock > 0 && to->tensor_flops_per_clock > 0;
    if (is_far_product) beyond *= from->tensor_flops_per_clock / to->tensor_flops_per_clock;
    else if (!is_near && !is_known) beyond *= from->fp32_lanes_per_sm / to->fp32_lanes_per_sm;
    if (is_near && is_known && to->dram_gbps > from->dram_gbps)
        rest *= 1 - law->latency_share * k->memory_wait * (1 - dram);
    gap = fmax(-law->most_gap * us, fmin(law->most_gap * us, gap));
    struct gsim_other_time time = {.dram = dram};
    time.us = fmax(scaled(law, us, dram, is_far_product ? sqrt(rest * beyond) : rest, memory) + gap, us * 1e-3);
    double few = is_known ? time.us : us * fmin(fmin(rest, beyond), memory) + gap,
           many = is_known ? time.us : us * fmax(fmax(rest, beyond), memory) + gap;
    double off = 1 + (is_known ? law->off_known : law->off_unknown) + (is_near ? 0 : law->off_beyond) +
                 (gsim_other_is_assumed(from) || gsim_other_is_assumed(to) ? law->off_assumed : 0);
    time.low_us = fmin(few, time.us) / off;
    time.high_us = fmax(many, time.us) * off;
    return time;
}

struct gsim_other_time gsim_other_move(const struct gsim_other_law *law, struct gsim_kernel *k,
                                       const struct gsim_device_spec *from, const struct gsim_device_spec *to)
{
    const struct gsim_sm_limits limits = gsim_sm_limits(to);
    const struct gsim_other_time time = gsim_other_time(law, k, from, to);
    double pace = k->solo_us / time.us, sms = (double)from->sm_count * from->clock_mhz / to->sm_count / to->clock_mhz;
    for (int i = 0; k->pipes_given && i < GSIM_PIPE_COUNT; i++) {
        double peak = i == GSIM_PIPE_DRAM                          ? from->dram_peak_gbps / to->dram_peak_gbps
                      : i == GSIM_PIPE_L2 || i == GSIM_PIPE_L2_SLICE ? from->l2_gbps / to->l2_gbps
                                                                   : sms;
        k->pipes[i] = clamped(k->pipes[i] * pace * peak);
    }
    k->cold_us /= pace;
    k->solo_us = time.us;
    k->slice_us = k->energy_mj = 0;
    k->slice_sms = 0;
    k->smem_bytes = k->smem_bytes < limits.smem_block_bytes ? k->smem_bytes : limits.smem_block_bytes;
    k->solo_device = to->name;
    return time;
}

static bool is_of_host(enum gsim_device_number n) { return strcmp(gsim_device_number_section(n), "host") == 0; }

void gsim_other_host(struct gsim_device_spec *to, const struct gsim_device_spec *from)
{
    for (enum gsim_device_number n = 0; n < GSIM_DEVICE_NUMBER_COUNT; n++)
        if (is_of_host(n)) *gsim_device_number(to, n) = gsim_device_get(from, n);
}

void gsim_other_slow_host(struct gsim_device_spec *to, double factor)
{
    for (enum gsim_device_number n = 0; n < GSIM_DEVICE_NUMBER_COUNT; n++)
        if (is_of_host(n) && strcmp(gsim_device_number_unit(n), "us") == 0) *gsim_device_number(to, n) *= factor;
}

void gsim_other_replace(struct gsim_device_spec *to, const struct gsim_device_spec *from)
{
    struct gsim_device_spec file = {0};
    struct gsim_error ignored = {0};
    gsim_other_host(to, from);
    if (gsim_device_load(from->name, &file, &ignored)) return; /* a device of the user's own */
    to->stream_gap_us = fmax(to->stream_gap_us + from->stream_gap_us - file.stream_gap_us, 0.01);
    to->graph_node_gap_us = fmax(to->graph_node_gap_us + from->graph_node_gap_us - file.graph_node_gap_us, 0.01);
    gsim_device_release(&file);
}

bool gsim_other_is(const struct gsim_kernel *k, const struct gsim_device_spec *device)
{
    return gsim_rule_holds(device->rules_off, GSIM_RULE_OTHER_DEVICE) && k->solo_us > 0 && k->solo_device &&
           !k->collective && strcmp(k->solo_device, device->name) != 0;
}

static void release_device(struct gsim_others *others)
{
    if (others->is_loaded) gsim_device_release(&others->from);
    others->is_loaded = false;
}

enum gsim_status gsim_others_move(struct gsim_others *others, struct gsim_kernel *kernel,
                                  const struct gsim_device_spec *device, struct gsim_other_time *time,
                                  struct gsim_error *error)
{
    struct gsim_error ignored = {0};
    *time = (struct gsim_other_time){0};
    if (!gsim_other_is(kernel, device)) return GSIM_OK;
    if (others->is_loaded && strcmp(others->from.name, kernel->solo_device) != 0) release_device(others);
    if (!others->is_loaded) others->is_loaded = !gsim_device_load(kernel->solo_device, &others->from, &ignored);
    if (!others->is_loaded) return GSIM_OK;
    if (!others->law.name_count && gsim_other_law_load(&others->law, error)) return error->status;
    *time = gsim_other_move(&others->law, kernel, &others->from, device);
    return GSIM_OK;
}

void gsim_others_release(struct gsim_others *others)
{
    release_device(others);
    *others = (struct gsim_others){0};
}

bool gsim_others_sum(const struct gsim_program *program, const struct gsim_device_spec *device,
                     struct gsim_others_sum *sum)
{
    struct gsim_others others = {0};
    struct gsim_error ignored = {0}; /* the run told it */
    double below = 0, above = 0;
    *sum = (struct gsim_others_sum){0};
    for (uint32_t i = 0; i < program->kernel_count; i++) {
        struct gsim_kernel kernel = program->kernels[i];
        struct gsim_other_time one;
        if (gsim_others_move(&others, &kernel, device, &one, &ignored) || !(one.us > 0)) continue;
        if (!sum->count++) snprintf(sum->from, sizeof sum->from, "%s", others.from.name);
        sum->before_us += program->kernels[i].solo_us;
        sum->us += one.us;
        sum->is_assumed |= gsim_other_is_assumed(&others.from) || gsim_other_is_assumed(device);
        below = hypot(below, one.us - one.low_us);
        above = hypot(above, one.high_us - one.us);
    }
    sum->low_us = sum->us - hypot(below, others.law.off_common * sum->us);
    sum->high_us = sum->us + hypot(above, others.law.off_common * sum->us);
    gsim_others_release(&others);
    return sum->count > 0;
}
