/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a kernel's description to what its blocks demand (sim/gpu_work.h), and the inversion that makes a
 * kernel alone take exactly its measured time. Leaves placement and events to sim/gpu.c, which it uses as
 * the function to invert, so that any refinement of the machine is inverted with it.
 */
#include "sim/gpu_work.h"

#include <float.h>

#include "sim/gpu.h"

/* Independent instructions in flight per thread of ordinary compiled code; hand-tuned arithmetic reaches 4
 * (assumed; H200 'fma' microbenchmarks have 4 chains). */
#define INSTRUCTIONS_IN_FLIGHT 2.0
/* Threads that saturate an SM's issue when nothing but launch shape and time is known (assumed; see
 * models/README.md, "What a plain profiler trace tells"). */
#define SATURATING_SHARE 1.0
#define REGISTERS_DEFAULT 32 /* when the program does not say */

struct parts {
    double latency_ps, issue_ps, memory_ps; /* of one block alone, each as if the others were free */
    double issue_work_ps;                   /* one SM's whole issue rate for this long */
    double bytes;                           /* DRAM traffic */
};

double gsim_stretch(double load, double knee)
{
    if (load <= 0) return 1;
    double power = pow(load, knee);
    if (power < 1e-9) return 1;
    return power > 1e9 ? load : pow(1 + power, 1 / knee);
}

static double block_count(const struct gsim_kernel *k) { return (double)k->grid.x * k->grid.y * k->grid.z; }
static double block_threads(const struct gsim_kernel *k) { return (double)k->block.x * k->block.y * k->block.z; }

static double sm_flops_per_ps(const struct gsim_device_spec *d, bool fp64)
{
    return 2 * d->fp32_lanes_per_sm * d->clock_mhz * 1e6 * (fp64 ? d->fp64_ratio : 1) * 1e-12;
}

/* Demands as the description gives them. */
static struct parts describe(const struct gsim_device_spec *d, const struct gsim_kernel *k)
{
    double blocks = block_count(k), threads = block_threads(k);
    struct parts p = {.bytes = k->dram_bytes / blocks};
    double flops = k->flops / blocks;
    p.issue_work_ps = flops / sm_flops_per_ps(d, k->fp64);
    double in_flight = threads * INSTRUCTIONS_IN_FLIGHT / (d->fp32_lanes_per_sm * d->issue_latency_cycles);
    if (k->fp64) in_flight /= d->fp64_ratio;
    p.issue_ps = p.issue_work_ps / (in_flight < 1 ? in_flight : 1);
    double bytes_per_ns = threads * d->bytes_in_flight_per_thread / d->dram_latency_ns; /* = GB/s */
    if (bytes_per_ns > d->sm_dram_gbps) bytes_per_ns = d->sm_dram_gbps;
    p.memory_ps = p.bytes / bytes_per_ns * 1e3;
    p.latency_ps = k->thread_cycles / (d->clock_mhz * 1e6) * 1e12;
    double turnaround_ps = d->block_turnaround_ns * 1e3;
    if (p.latency_ps < turnaround_ps) p.latency_ps = turnaround_ps;
    return p;
}

static void set_block(struct gsim_work *w, const struct gsim_device_spec *d, const struct parts *p)
{
    double knee = d->compute_memory_knee;
    double l = pow(p->latency_ps, knee), i = pow(p->issue_ps, knee), m = pow(p->memory_ps, knee);
    double sum = l + i + m;
    w->block_ps = pow(sum, 1 / knee);
    w->latency_p = l / sum;
    w->issue_p = i / sum;
    w->memory_p = m / sum;
    w->issue_load = p->issue_work_ps / w->block_ps;
    w->dram_gbps = p->bytes / w->block_ps * 1e3;
}

/* The grid's time alone on the chip, by the machine itself. */
static void ended(void *data, void *tag, gsim_time now)
{
    (void)tag;
    *(gsim_time *)data = now;
}

static double alone(struct gsim_gpu *gpu, struct gsim_work *w, gsim_time *clock, gsim_time *end)
{
    (void)end;
    gsim_time start = *clock;
    gsim_gpu_submit(gpu, start, w, 0, NULL);
    for (gsim_time next; (next = gsim_gpu_next(gpu)) != GSIM_TIME_NEVER; *clock = next) gsim_gpu_advance(gpu, next);
    return (double)(*clock - start);
}

/* Parts of a block that takes BLOCK_PS alone: what issue and memory do not explain is latency; where they
 * would explain more than all of it, they are scaled down (the description overstates the demand). */
static void set_block_time(struct gsim_work *w, const struct gsim_device_spec *d, const struct parts *given, double block_ps)
{
    double knee = d->compute_memory_knee;
    struct parts p = *given;
    double explained = pow(pow(p.issue_ps, knee) + pow(p.memory_ps, knee), 1 / knee);
    double scale = explained > block_ps ? block_ps / explained : 1;
    p.issue_ps *= scale;
    p.memory_ps *= scale;
    p.issue_work_ps *= scale;
    double rest = pow(block_ps, knee) - pow(p.issue_ps, knee) - pow(p.memory_ps, knee);
    p.latency_ps = rest > 0 ? pow(rest, 1 / knee) : 0;
    set_block(w, d, &p);
}

/* Without flops and bytes: the more threads share an SM, the more they compete for its issue slots. */
static void infer_demand(const struct gsim_device_spec *d, const struct gsim_work *w, const struct gsim_kernel *k,
                         struct parts *p, double block_ps)
{
    if (k->flops > 0 || k->dram_bytes > 0) return;
    double full = w->need.blocks_per_sm * block_threads(k);
    p->issue_work_ps = SATURATING_SHARE * block_ps * block_threads(k) / full;
    p->issue_ps = block_ps;
    (void)d;
}

static void cap_demand(const struct gsim_device_spec *d, const struct gsim_kernel *k, double solo_ps, struct parts *p)
{
    double blocks = block_count(k), sms = blocks < d->sm_count ? blocks : d->sm_count;
    double most_bytes = 0.985 * d->dram_gbps * solo_ps * 1e-3 / blocks;
    if (p->bytes > most_bytes) {
        p->memory_ps *= most_bytes / p->bytes;
        p->bytes = most_bytes;
    }
    double most_work = 0.985 * solo_ps * sms / blocks;
    if (p->issue_work_ps > most_work) {
        p->issue_ps *= most_work / p->issue_work_ps;
        p->issue_work_ps = most_work;
    }
}

/* Finds the block time at which the grid alone takes SOLO_PS (regula falsi, Illinois variant, on a
 * logarithmic scale: the answer lies within orders of magnitude of the first guess). */
static void invert(struct gsim_work *w, const struct gsim_device_spec *d, const struct gsim_kernel *k,
                   struct gsim_gpu *gpu, gsim_time *clock)
{
    double target = k->solo_us * 1e6;
    struct parts given = describe(d, k);
    cap_demand(d, k, target, &given);
    double waves = ceil(block_count(k) / (d->sm_count * w->need.blocks_per_sm));
    double low = target / waves * 1e-3, high = target * 1.0001, f_low = 0, f_high = 0;
    for (int i = 0; i < 60; i++) {
        double x;
        if (i == 0)
            x = low;
        else if (i == 1)
            x = high;
        else {
            double share = f_high > f_low ? -f_low / (f_high - f_low) : 0.5;
            if (!(share > 0.02 && share < 0.98) || i % 8 == 7) share = 0.5;
            x = exp(log(low) + share * (log(high) - log(low)));
        }
        struct parts p = given;
        infer_demand(d, w, k, &p, x);
        set_block_time(w, d, &p, x);
        double f = log(alone(gpu, w, clock, clock) / target);
        if (fabs(f) < 2e-6) break;
        if (i == 0) {
            f_low = f;
            if (f > 0) break; /* the bounds alone take longer than measured: keep the closest */
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
}

static enum gsim_status check_work(const struct gsim_device_spec *d, const struct gsim_kernel *k, struct gsim_error *error)
{
    bool is_other = k->solo_us > 0 && k->solo_device && strcmp(k->solo_device, d->name) != 0;
    if (is_other && !(k->flops > 0 || k->dram_bytes > 0 || k->thread_cycles > 0))
        return gsim_error_set(error, GSIM_INPUT,
                              "kernel '%s': solo_us was measured on '%s', found device '%s': expected flops, dram_bytes "
                              "or thread_cycles as well, or --device %s", k->name, k->solo_device, d->name, k->solo_device);
    if (!(k->solo_us > 0) && !(k->flops > 0 || k->dram_bytes > 0 || k->thread_cycles > 0))
        return gsim_error_set(error, GSIM_INPUT,
                              "kernel '%s': nothing says how long it takes: expected solo_us, flops, dram_bytes or "
                              "thread_cycles", k->name);
    return GSIM_OK;
}

enum gsim_status gsim_work_init(struct gsim_work *work, const struct gsim_device_spec *device,
                                const struct gsim_kernel *kernel, struct gsim_error *error)
{
    const struct gsim_sm_limits *limits = gsim_sm_limits(device->compute_capability);
    *work = (struct gsim_work){.blocks = (uint64_t)kernel->grid.x * kernel->grid.y * kernel->grid.z};
    enum gsim_status status = gsim_block_need(limits, kernel, &work->need, error);
    if (!status) status = check_work(device, kernel, error);
    if (status) return status;
    uint32_t per_thread = kernel->regs_per_thread ? kernel->regs_per_thread : REGISTERS_DEFAULT;
    uint32_t per_warp = (per_thread * 32 + limits->register_unit - 1) / limits->register_unit * limits->register_unit;
    work->registers = per_warp * work->need.warps;
    work->carveout_bytes = limits->smem_bytes;
    struct parts parts = describe(device, kernel);
    set_block(work, device, &parts);

    struct gsim_arena arena = {0};
    gsim_time end = 0, clock = 0;
    struct gsim_gpu_listener listener = {.data = &end, .kernel_ended = ended};
    struct gsim_gpu_options options;
    gsim_params_set_defaults(gsim_gpu_params, &options);
    struct gsim_gpu *gpu = gsim_gpu_create(&arena, device, &options, &listener);
    if (!gpu) {
        gsim_arena_release(&arena);
        return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    }
    bool is_measured = kernel->solo_us > 0 && (!kernel->solo_device || strcmp(kernel->solo_device, device->name) == 0);
    if (is_measured) invert(work, device, kernel, gpu, &clock);
    work->solo_ps = alone(gpu, work, &clock, &end);
    gsim_arena_release(&arena);
    return GSIM_OK;
}

enum gsim_status gsim_kernel_solo(const struct gsim_device_spec *device, const struct gsim_kernel *kernel,
                                  gsim_time *solo, struct gsim_error *error)
{
    struct gsim_work work;
    enum gsim_status status = gsim_work_init(&work, device, kernel, error);
    if (!status) *solo = (gsim_time)llround(work.solo_ps);
    return status;
}
