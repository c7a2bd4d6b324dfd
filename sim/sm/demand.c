/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a kernel's description to what its blocks demand (sim/sm/demand.h), and the inversion that makes a
 * kernel alone take exactly its measured time. Leaves placement and events to sim/sm/gpu.c, which it uses as
 * the function to invert, so that any refinement of the machine is inverted with it.
 */
#include "sim/sm/demand.h"

#include <string.h>

#include "sim/device/other.h"
#include "sim/device/rules.h"
#include "sim/sm/known/known.h"
#include "sim/sm/models/model.h"
#include "gpusim/limits.h"

/* What was measured of an SM is the device's (include/gpusim/device.def; sources: models/arch/sm_90.json). */
#define SM_CYCLES_UNITS 32.0 /* load/store units that sm_cycles is given for: the unit of that field of programs */
#define MIN_OF_WAVE 0.1 /* of a wave's time, what a block with known pipes takes at least where it waits for nobody */
#define MIN_OF_MEMORY 0.5 /* and where it waits for memory, which takes its time however little the rest does */
#define JUST_BELOW 0.9995 /* of its time: a kernel whose pipes alone would take longer, where nobody waits for memory */
#define MAX_OF_TIME                                                                                                    \
    1.1 /* a block with known pipes takes of its kernel's time at most, while it waits for others of its own */
#define REGISTERS_DEFAULT 32 /* when the program does not say */
/* Predicted over measured time on a slice of the SMs below which the kernel's kind is not believed; from 0.65 to 0.95
 * the runs of traces/h200 are predicted alike, so it is no number of a chip. */
#define SLICE_SHORT 0.8

struct parts { /* of one block alone, each as if the others were free */
    double latency_ps, compute_ps, memory_ps;
    double issue_ps;  /* the SM's whole issue rate for this long */
    double bytes;
};

static double block_count(const struct gsim_kernel *k) { return (double)k->grid.x * k->grid.y * k->grid.z; }

static double waves_on(double sm_count, const struct gsim_demand *w)
{
    return ceil((double)w->blocks / (sm_count * w->need.blocks_per_sm));
}

static double sm_flops_per_ps(const struct gsim_device_spec *d, bool fp64)
{
    return d->fma_share * 2 * d->fp32_lanes_per_sm * d->clock_mhz * 1e-6 * (fp64 ? d->fp64_ratio : 1);
}

/* Most DRAM traffic that a block's threads can ask for, at IN_FLIGHT bytes each. */
static double thread_gbps(const struct gsim_device_spec *d, uint32_t threads, double in_flight)
{
    double gbps = threads * in_flight / d->dram_latency_ns;
    return gbps < d->sm_dram_gbps ? gbps : d->sm_dram_gbps;
}

static struct parts describe(const struct gsim_demand *w, const struct gsim_device_spec *d, const struct gsim_kernel *k)
{
    double blocks = block_count(k), ps_per_cycle = 1e6 / d->clock_mhz;
    struct parts p = {.bytes = k->dram_bytes / blocks};
    double arithmetic = k->flops / blocks / sm_flops_per_ps(d, k->fp64), other = k->sm_cycles / blocks * ps_per_cycle;
    other *= SM_CYCLES_UNITS / d->load_store_per_sm;
    double in_flight = w->threads * d->instructions_in_flight / (d->fp32_lanes_per_sm * d->issue_latency_cycles);
    if (k->fp64) in_flight /= d->fp64_ratio;
    p.issue_ps = arithmetic + other;
    p.compute_ps = arithmetic / (in_flight < 1 ? in_flight : 1) + other;
    /* bytes alone are a copy's, as the device's dram_gbps was measured: 16 at once */
    bool is_copy = k->flops == 0 && k->sm_cycles == 0 && k->thread_cycles == 0;
    double bytes_at_once = is_copy ? d->most_bytes_in_flight_per_thread : d->bytes_in_flight_per_thread;
    p.memory_ps = p.bytes / thread_gbps(d, w->threads, bytes_at_once) * 1e3;
    p.latency_ps = k->thread_cycles * ps_per_cycle;
    if (p.latency_ps < d->block_turnaround_ns * 1e3) p.latency_ps = d->block_turnaround_ns * 1e3;
    return p;
}

/* Without a measured time: the parts overlap inside a block (A100: p 4, from the roofline sweep of gpu-benches). */
static void set_described(struct gsim_demand *w, const struct gsim_device_spec *d, const struct gsim_kernel *k)
{
    struct parts p = describe(w, d, k);
    double knee = d->compute_memory_knee;
    w->kind = GSIM_DEMAND_DESCRIBED;
    w->latency_ps = p.latency_ps;
    w->compute_ps = p.compute_ps;
    w->memory_ps = p.memory_ps;
    w->issue_ps = p.issue_ps;
    w->block_ps = pow(pow(p.latency_ps, knee) + pow(p.compute_ps, knee) + pow(p.memory_ps, knee), 1 / knee);
    w->dram_gbps = p.bytes / w->block_ps * 1e3;
}

/* Of unknown demand, many registers per thread beside shared memory are tiles of a matrix product. */
static enum gsim_demand_kind measured_kind(const struct gsim_device_spec *d, const struct gsim_kernel *k)
{
    if (k->pipes_given) return GSIM_DEMAND_DESCRIBED;
    if (k->dram_bytes > 0) return GSIM_DEMAND_MEMORY;
    if (k->flops > 0) return GSIM_DEMAND_ISSUE;
    bool has_tiles = k->smem_bytes > d->on_chip_smem_bytes;
    if (k->demand_given) return has_tiles ? GSIM_DEMAND_ON_CHIP : GSIM_DEMAND_SCATTER;
    /* A plain profiler trace says nothing about demand: on-chip work is the kind that errs least (H200, all
     * demands hidden: DAGs 4.4 % off, against 19 % as issue-bound and 43 % as memory-bound). */
    return has_tiles && k->regs_per_thread >= d->tiled_registers ? GSIM_DEMAND_ISSUE : GSIM_DEMAND_ON_CHIP;
}

/* What is settled of a kernel measured alone before its one unknown, X, is solved for. */
struct settled {
    double arithmetic; /* scales flops that the measured time cannot hold */
    double memory;     /* the same for DRAM traffic; described kind */
    double issue;      /* of X, that blocks of an SM do one after the other; described kind */
};

/* Two times are known: X is the time that a block waits, settled->issue the part of it in which others wait for it. */
static void set_sliced(struct gsim_demand *w, const struct gsim_device_spec *d, const struct gsim_kernel *k, double x,
                       const struct settled *settled)
{
    double knee = d->compute_memory_knee, bytes = k->dram_bytes / block_count(k);
    w->latency_ps = x;
    w->compute_ps = 0;
    w->issue_ps = x * settled->issue;
    w->memory_ps = settled->memory * bytes / thread_gbps(d, w->threads, d->bytes_in_flight_per_thread) * 1e3;
    w->block_ps = pow(pow(x, knee) + pow(w->memory_ps, knee), 1 / knee);
    w->dram_gbps = settled->memory * bytes / w->block_ps * 1e3;
}

/* A kernel measured alone has one unknown, X: the scale of its arithmetic, or the time of the part that its
 * description does not give. */
static void set_measured(struct gsim_demand *w, const struct gsim_device_spec *d, const struct gsim_kernel *k, double x,
                         const struct settled *settled)
{
    double blocks = block_count(k), width = (double)w->need.warps / d->subpartitions;
    double issue = k->flops / blocks / sm_flops_per_ps(d, k->fp64) * settled->arithmetic,
           turnaround = d->block_turnaround_ns * 1e3;
    w->units = 1;
    w->width = width;
    w->latency_ps = turnaround < x ? turnaround : x; /* a measured time below it is honoured all the same */
    w->memory_ps = w->dram_gbps = 0;
    switch (w->kind) {
    case GSIM_DEMAND_ISSUE:
        w->units = width > d->issue_unit_width ? gsim_whole_u32(ceil(width / d->issue_unit_width - 1e-9)) : 1;
        w->width = width / w->units;
        w->issue_ps = x / w->units;
        w->compute_ps = w->issue_ps / gsim_issue_share(d, w->width);
        w->latency_ps = 0; /* the next block's launch hides behind the others' arithmetic */
        if (w->is_unknown) {
            double wave_us = k->solo_us / waves_on(d->sm_count, w);
            w->latency_ps = fmin(d->tiled_latency_us, d->tiled_latency_most * wave_us) * 1e6;
        }
        break;
    case GSIM_DEMAND_ON_CHIP:
        w->compute_ps = x;
        w->issue_ps = d->on_chip_issue * width * x;
        w->is_crowded = gsim_rule_holds(d->rules_off, GSIM_RULE_ONCHIP_BY_AGE) && !w->is_unknown &&
                        blocks <= d->on_chip_crowded_waves * d->sm_count * w->need.blocks_per_sm &&
                        w->need.blocks_per_sm > 1 &&
                        w->need.blocks_per_sm * d->on_chip_issue * width > d->on_chip_crowded;
        break;
    case GSIM_DEMAND_MEMORY: {
        double bytes = k->dram_bytes / blocks,
               most = w->threads * d->most_bytes_in_flight_per_thread / d->dram_latency_ns;
        issue *= d->around_arithmetic;
        w->issue_ps = issue > 0 ? issue : d->stream_issue * width * x;
        w->compute_ps = issue > 0 ? d->one_warp_visible * issue / width : 0;
        w->memory_ps = x;
        w->is_crowded = gsim_rule_holds(d->rules_off, GSIM_RULE_MEMORY_AGE) && w->has_flops &&
                        blocks <= d->memory_crowded_waves * d->sm_count * w->need.blocks_per_sm &&
                        w->need.blocks_per_sm * w->issue_ps > d->memory_crowded * (w->compute_ps + w->latency_ps + x);
        w->dram_gbps = bytes / x * 1e3;
        if (w->dram_gbps > most) w->dram_gbps = most;
        break;
    }
    case GSIM_DEMAND_SCATTER:
        w->compute_ps = 0;
        w->issue_ps = d->scatter_issue * width * x;
        w->memory_ps = x;
        w->dram_gbps = w->threads * d->scatter_bytes_in_flight / d->dram_latency_ns;
        break;
    case GSIM_DEMAND_DESCRIBED:
        if (w->has_pipes) gsim_demand_set_pipes(w, d, k, x, settled->arithmetic);
        else set_sliced(w, d, k, x, settled);
        return;
    }
    w->block_ps = w->compute_ps + w->latency_ps + w->memory_ps;
}

/* --- inversion -------------------------------------------------------------------------------------------- */

struct sandbox { /* an empty chip, used again and again */
    struct gsim_arena arena;
    struct gsim_gpu *gpu;
    gsim_time clock;
    double sm_count;
    bool failed; /* out of memory: times mean nothing */
};

static enum gsim_status open_sandbox(struct sandbox *box, const struct gsim_device_spec *device,
                                     struct gsim_error *error)
{
    struct gsim_gpu_options options;
    *box = (struct sandbox){.sm_count = device->sm_count};
    gsim_params_set_defaults(gsim_gpu_params, &options);
    box->gpu = gsim_gpu_create(&box->arena, device, &options, NULL);
    if (box->gpu) return GSIM_OK;
    gsim_arena_release(&box->arena);
    return gsim_no_memory(error);
}

/* A kernel of this length or longer is refused; its time need not be exact. */
#define LONGEST_PS (GSIM_LIMIT_US * 1e6)

/* The grid's time alone, by the machine itself. */
static double alone(struct sandbox *box, const struct gsim_demand *w)
{
    double rough = waves_on(box->sm_count, w) * w->block_ps;
    if (rough > 10 * LONGEST_PS) return rough; /* the clock could not hold what the machine makes of it */
    gsim_time start = box->clock;
    gsim_gpu_promise(box->gpu, GSIM_TIME_NEVER);
    if (box->failed || !gsim_gpu_submit(box->gpu, start, w, 0, NULL)) {
        box->failed = true;
        return LONGEST_PS;
    }
    for (gsim_time next; (next = gsim_gpu_next(box->gpu)) != GSIM_TIME_NEVER; box->clock = next)
        gsim_gpu_advance(box->gpu, next);
    return (double)(box->clock - start);
}

/* Finds X in [LOW, HIGH] with alone() = TARGET by regula falsi (Illinois variant) on logarithmic scales; leaves
 * W at the best X. Returns the relative error there. */
static double find(struct gsim_demand *w, const struct gsim_device_spec *d, const struct gsim_kernel *k,
                   struct sandbox *box, double target, const struct settled *settled, double low, double high,
                   double tolerance)
{
    double f_low = 0, f_high = 0, best = INFINITY, best_x = low, x = low;
    for (int i = 0; i < 50; i++) {
        if (i == 1) x = high;
        if (i >= 2) {
            double share = f_high - f_low > 0 ? -f_low / (f_high - f_low) : 0.5;
            if (!(share > 0.01 && share < 0.99) || i % 7 == 6) share = 0.5;
            x = exp(log(low) + share * (log(high) - log(low)));
        }
        set_measured(w, d, k, x, settled);
        double f = log(alone(box, w) / target);
        if (fabs(f) < best) {
            best = fabs(f);
            best_x = x;
        }
        if (fabs(f) < tolerance || (i == 0 && f >= 0) || (i == 1 && f <= 0) || (i >= 2 && high / low < 1 + 1e-9)) break;
        if (i == 0) {
            f_low = f;
        } else if (i == 1) {
            f_high = f;
        } else if (f < 0) {
            low = x;
            f_low = f;
            f_high *= 0.5;
        } else {
            high = x;
            f_high = f;
            f_low *= 0.5;
        }
    }
    set_measured(w, d, k, best_x, settled);
    return best;
}

/* The X that set_measured was given. */
static double unknown_of(const struct gsim_demand *w)
{
    switch (w->kind) {
    case GSIM_DEMAND_ISSUE: return w->issue_ps * w->units;
    case GSIM_DEMAND_ON_CHIP: return w->compute_ps;
    case GSIM_DEMAND_MEMORY:
    case GSIM_DEMAND_SCATTER: return w->memory_ps;
    default: return w->latency_ps;
    }
}

/* Finds X from one that is near: times alone are almost proportional to it, in steps of GSIM_END_GRID a wave. Returns
 * whether it was near. */
static bool find_near(struct gsim_demand *w, const struct gsim_device_spec *d, const struct gsim_kernel *k,
                      struct sandbox *box, double target, const struct settled *settled, double x, double tolerance)
{
    double waves = waves_on(box->sm_count, w),
           step = waves * GSIM_END_GRID / target;
    if (step > tolerance) tolerance = step;
    for (int i = 0; i < 4; i++) {
        set_measured(w, d, k, x, settled);
        double over = alone(box, w) / target;
        if (fabs(over - 1) < tolerance) return true;
        x /= over;
    }
    return false;
}

/* Solves for the one unknown so that the grid alone takes solo_us. NEAR: about what it is; 0: not known. */
static void invert(struct gsim_demand *w, const struct gsim_device_spec *d, const struct gsim_kernel *k,
                   struct sandbox *box, double near)
{
    double target = k->solo_us * 1e6;
    struct settled settled = {1, 1, 0};
    double waves = waves_on(d->sm_count, w);
    w->kind = measured_kind(d, k);
    w->has_flops = k->flops > 0;
    w->is_inverted = !k->solo_cold;
    w->is_unknown = !k->demand_given && !k->pipes_given;
    w->has_pipes = k->pipes_given;
    double low = target / waves * 1e-4, high = target * 1.001;
    if (w->has_pipes) {
        set_measured(w, d, k, target / waves, &settled);
        low = target / waves * (w->is_computing ? MIN_OF_WAVE : MIN_OF_MEMORY);
        high = target * MAX_OF_TIME;
    }
    if (w->has_pipes || (w->kind == GSIM_DEMAND_MEMORY && k->flops > 0)) {
        /* With next to no memory time the arithmetic alone must not take longer than measured. */
        set_measured(w, d, k, low, &settled);
        double least = alone(box, w);
        for (int i = 0; i < 8 && least > target * 0.999; i++) {
            settled.arithmetic *= JUST_BELOW * target / least;
            settled.memory = w->has_pipes ? settled.arithmetic : 1;
            set_measured(w, d, k, low, &settled);
            least = alone(box, w);
        }
    }
    if (w->kind == GSIM_DEMAND_ISSUE) /* one unit alone stretches its issue time by 1/share: start well below */
        low = target / ceil(block_count(k) / d->sm_count) * 0.05;
    if (!(near > 0 && find_near(w, d, k, box, target, &settled, near, 1e-5)))
        find(w, d, k, box, target, &settled, low, high, 1e-5);
    double issue = k->flops / block_count(k) / sm_flops_per_ps(d, k->fp64);
    if (!gsim_known_sparse(w, d, issue)) return;
    w->kind = GSIM_DEMAND_DESCRIBED;
    settled = (struct settled){1, 1, fmin(issue * waves / target, 1)};
    find(w, d, k, box, target, &settled, target / waves * 1e-4, target * 1.001, 1e-5);
}

/* Predicted over measured time on a slice of the SMs, as a logarithm. */
static double slice_error(const struct gsim_demand *w, const struct gsim_kernel *k, struct sandbox *slice)
{
    return log(alone(slice, w) / (k->slice_us * 1e6));
}

/* Two measured times give two unknowns: what a block waits for, and what blocks of an SM do one after the other.
 * Bisects the latter's share on a logarithmic scale, finding the former for each. */
static void invert_sliced(struct gsim_demand *w, const struct gsim_device_spec *d, const struct gsim_kernel *k,
                          struct sandbox *box, struct sandbox *slice)
{
    double target = k->solo_us * 1e6, waves = waves_on(d->sm_count, w);
    double low = target / waves * 1e-4, high = target * 1.001, few = 1e-4, many = 1;
    struct settled settled = {1, 1, 0};
    w->kind = GSIM_DEMAND_DESCRIBED;
    set_measured(w, d, k, low, &settled);
    double least = alone(box, w);
    for (int i = 0; i < 8 && least > target * 0.9; i++) {
        settled.memory *= 0.88 * target / least;
        set_measured(w, d, k, low, &settled);
        least = alone(box, w);
    }
    find(w, d, k, box, target, &settled, low, high, 1e-5);
    if (slice_error(w, k, slice) >= 0) return; /* it only waits */
    for (int i = 0; i < 24 && many / few > 1.01; i++) {
        settled.issue = i ? sqrt(few * many) : many;
        find(w, d, k, box, target, &settled, low, high, 1e-4);
        double error = slice_error(w, k, slice);
        if (i == 0 && error <= 0) break;
        *(error < 0 ? &few : &many) = settled.issue;
        if (fabs(error) < 0.005) break;
    }
    find(w, d, k, box, target, &settled, low, high, 1e-5);
}

/* What the kernel's kind predicts on a slice of the SMs stays when it is not far too short there: the kinds know more
 * of memory and issue than two times tell. */
static enum gsim_status use_slice(struct gsim_demand *w, const struct gsim_device_spec *d, const struct gsim_kernel *k,
                                  struct sandbox *box, struct gsim_error *error)
{
    struct gsim_device_spec part = *d;
    struct sandbox slice;
    if (k->slice_sms < 1 || k->slice_sms >= d->sm_count)
        return gsim_error_set(error, GSIM_INPUT,
                              "kernel '%s': slice_sms: expected 1 to %d with slice_us on '%s', found %u", k->name,
                              gsim_whole_int(d->sm_count) - 1, d->name, k->slice_sms);
    part.sm_count = (int)k->slice_sms;
    enum gsim_status status = open_sandbox(&slice, &part, error);
    if (status) return status;
    if (slice_error(w, k, &slice) < log(SLICE_SHORT)) invert_sliced(w, d, k, box, &slice);
    gsim_arena_release(&slice.arena);
    box->failed |= slice.failed;
    return GSIM_OK;
}

/* --- interface ---------------------------------------------------------------------------------------------- */

static enum gsim_status check_work(const struct gsim_device_spec *d, const struct gsim_kernel *k, bool is_measured,
                                   struct gsim_error *error)
{
    bool is_described = k->flops > 0 || k->dram_bytes > 0 || k->thread_cycles > 0 || k->sm_cycles > 0;
    is_described |= k->demand_given && !(k->solo_us > 0); /* to do nothing: its blocks come and go */
    if (is_measured || is_described) return GSIM_OK;
    if (k->solo_us > 0)
        return gsim_error_set(error, GSIM_INPUT,
                              "kernel '%s': solo_us was measured on '%s', found device '%s': expected flops, "
                              "dram_bytes or cycles as well, or --device %s",
                              k->name, k->solo_device, d->name, k->solo_device);
    return gsim_error_set(error, GSIM_INPUT,
                          "kernel '%s': nothing says how long it takes: expected solo_us, flops, dram_bytes, "
                          "thread_cycles or sm_cycles", k->name);
}

/* Each wave takes at least GSIM_END_GRID. */
static enum gsim_status check_waves(const struct gsim_device_spec *d, const struct gsim_kernel *k,
                                    const struct gsim_demand *w, struct gsim_error *error)
{
    double least_us = waves_on(d->sm_count, w) * GSIM_END_GRID * 1e-6;
    if (k->solo_us >= least_us) return GSIM_OK;
    return gsim_error_set(
        error, GSIM_INPUT,
        "kernel '%s': %.4g blocks take %.3g us on '%s' at least: expected solo_us not below, found %g", k->name,
        block_count(k), least_us, d->name, k->solo_us);
}

static uint32_t class_for(const struct gsim_sm_limits *l, uint32_t bytes)
{
    int i = 0;
    while (i + 1 < GSIM_CARVEOUTS && l->carveout_bytes[i + 1] && l->carveout_bytes[i] < bytes) i++;
    return l->carveout_bytes[i];
}

/* Which shared-memory configuration the driver gives the kernel: room for as many blocks again, up to
 * carveout_doubled_kib, but for large blocks and for those that fill an SM alone. */
static void set_carveout(struct gsim_demand *w, const struct gsim_device_spec *d, const struct gsim_kernel *k,
                         const struct gsim_sm_limits *l)
{
    uint32_t most = gsim_whole_u32(d->carveout_doubled_kib * 1024), n = w->need.blocks_per_sm,
             need = n * w->need.smem_bytes;
    uint32_t doubled = 2 * need < most ? 2 * need : most;
    w->join_bytes = need;
    if (k->smem_bytes)
        w->carveout_bytes =
            class_for(l, doubled > need && n > 1 && w->threads < d->carveout_single_threads ? doubled : need);
    else
        w->carveout_bytes = class_for(l, gsim_whole_u32(d->carveout_plain_kib[n <= 2 ? 0 : n <= 4 ? 1 : 2] * 1024));
}

bool gsim_demand_is_measured(const struct gsim_kernel *kernel, const struct gsim_device_spec *device)
{
    return kernel->solo_us > 0 && (!kernel->solo_device || strcmp(kernel->solo_device, device->name) == 0);
}

enum gsim_status gsim_demand_shape(struct gsim_demand *work, const struct gsim_device_spec *device,
                                   const struct gsim_kernel *kernel, struct gsim_error *error)
{
    const struct gsim_sm_limits limits = gsim_sm_limits(device);
    *work = (struct gsim_demand){.blocks = (uint64_t)kernel->grid.x * kernel->grid.y * kernel->grid.z,
                               .threads = kernel->block.x * kernel->block.y * kernel->block.z,
                               .units = 1,
                               .cluster = gsim_known_cluster(kernel),
                               .cold = 1,
                               .has_flops = kernel->flops > 0,
                               .given_bytes = kernel->dram_bytes,
                               .measured_us = kernel->solo_us,
                               .is_contended = gsim_known_contended(device, kernel),
                               .counted_bytes = gsim_known_bytes(device, kernel),
                               .cold_ratio = kernel->solo_us > 0 ? kernel->cold_us / kernel->solo_us : 0};
    bool is_measured = gsim_demand_is_measured(kernel, device);
    enum gsim_status status = gsim_block_need(&limits, kernel, &work->need, error);
    if (!status) status = check_work(device, kernel, is_measured, error);
    if (!status) status = gsim_known_check_cluster(device, kernel, error);
    if (!status && is_measured) status = check_waves(device, kernel, work, error);
    if (status) return status;
    uint32_t per_thread = kernel->regs_per_thread ? kernel->regs_per_thread : REGISTERS_DEFAULT;
    uint32_t per_warp =
        (per_thread * limits.warp_threads + limits.register_unit - 1) / limits.register_unit * limits.register_unit;
    work->registers = per_warp * work->need.warps;
    work->width = (double)work->need.warps / limits.subpartitions;
    set_carveout(work, device, kernel, &limits);
    work->is_one_wave = work->blocks <= gsim_whole_u64(device->sm_count) * work->need.blocks_per_sm;
    if (gsim_rule_holds(device->rules_off, GSIM_RULE_TILE_QUEUE)) gsim_demand_set_tiles(work, device, kernel);
    return GSIM_OK;
}

/* NEAR: as invert's. */
static enum gsim_status init_near(struct gsim_demand *work, const struct gsim_device_spec *device,
                                  const struct gsim_kernel *given, double near, struct gsim_error *error)
{
    const struct gsim_kernel known = gsim_known_of(device, given), *kernel = &known;
    bool is_measured = gsim_demand_is_measured(kernel, device);
    enum gsim_status status = gsim_demand_shape(work, device, kernel, error);
    if (status) return status;
    if (is_measured && gsim_rule_holds(device->rules_off, GSIM_RULE_UNEQUAL_BLOCKS))
        gsim_demand_set_unequal(work, kernel); /* the costs of others were found with blocks alike */
    set_described(work, device, kernel);
    struct sandbox box;
    status = open_sandbox(&box, device, error);
    if (status) return status;
    if (is_measured) invert(work, device, kernel, &box, near);
    if (is_measured && kernel->slice_us > 0) status = use_slice(work, device, kernel, &box, error);
    work->solo_ps = alone(&box, work);
    work->prologue = kernel->prologue;
    work->trigger = kernel->trigger;
    gsim_arena_release(&box.arena);
    if (box.failed && !status) status = gsim_no_memory(error);
    if (!status && work->solo_ps > LONGEST_PS)
        status = gsim_error_set(error, GSIM_INPUT, "kernel '%s': would take %.3g s on '%s', expected at most %g",
                                kernel->name, work->solo_ps * 1e-12, device->name, GSIM_LIMIT_US * 1e-6);
    return status;
}

enum gsim_status gsim_demand_describe(struct gsim_demand *work, const struct gsim_device_spec *device,
                                      const struct gsim_kernel *kernel, struct gsim_error *error)
{
    return init_near(work, device, kernel, 0, error);
}

/* Of a kernel of another device as of this one. */
static enum gsim_status init_here(struct gsim_demand *work, const struct gsim_device_spec *device,
                                  const struct gsim_kernel *kernel, struct gsim_others *others,
                                  struct gsim_error *error)
{
    struct gsim_kernel here = *kernel;
    struct gsim_other_time time;
    if (gsim_others_move(others, &here, device, &time, error)) return error->status;
    return gsim_model_at(device->model)->describe(work, device, &here, error);
}

enum gsim_status gsim_demands_init(struct gsim_demand *demands, uint32_t count, const struct gsim_device_spec *device,
                                 const struct gsim_kernel *kernels, struct gsim_error *error)
{
    struct gsim_others others = {0};
    enum gsim_status status = GSIM_OK;
    for (uint32_t i = 0; i < count && !status; i++)
        status = init_here(&demands[i], device, &kernels[i], &others, error);
    gsim_others_release(&others);
    return status;
}

enum gsim_status gsim_demand_init(struct gsim_demand *work, const struct gsim_device_spec *device,
                                const struct gsim_kernel *kernel, struct gsim_error *error)
{
    return gsim_demands_init(work, 1, device, kernel, error);
}

static enum gsim_status adjust(struct gsim_demand *demand, const struct gsim_device_spec *device,
                               const struct gsim_kernel *kernel, struct gsim_error *error)
{
    if (demand->measured_us == kernel->solo_us) return GSIM_OK;
    if (device->model) return gsim_model_at(device->model)->describe(demand, device, kernel, error);
    bool is_near = demand->measured_us > 0 && !(kernel->slice_us > 0);
    double near = is_near ? unknown_of(demand) * kernel->solo_us / demand->measured_us : 0;
    return init_near(demand, device, kernel, near, error);
}

enum gsim_status gsim_demands_adjust(struct gsim_demand *demands, uint32_t count, const struct gsim_device_spec *device,
                                     const struct gsim_kernel *kernels, struct gsim_error *error)
{
    struct gsim_others others = {0};
    enum gsim_status status = GSIM_OK;
    for (uint32_t i = 0; i < count && !status; i++) {
        struct gsim_kernel here = kernels[i];
        struct gsim_other_time time;
        status = gsim_others_move(&others, &here, device, &time, error);
        if (!status) status = adjust(&demands[i], device, &here, error);
    }
    gsim_others_release(&others);
    return status;
}

enum gsim_status gsim_kernel_alone(const struct gsim_device_spec *device, const struct gsim_kernel *kernel,
                                   struct gsim_kernel_alone *alone, struct gsim_error *error)
{
    struct gsim_demand work;
    enum gsim_status status = gsim_demand_init(&work, device, kernel, error);
    if (status) return status;
    double bytes = work.is_unknown ? 0 : gsim_demand_touched_bytes(&work, device);
    *alone = (struct gsim_kernel_alone){
        .time = (gsim_time)llround(work.solo_ps),
        .dram_us = bytes / device->dram_gbps * 1e-3,
        .issue_us = work.issue_ps * work.units * (double)work.blocks / device->sm_count * 1e-6,
    };
    return GSIM_OK;
}
