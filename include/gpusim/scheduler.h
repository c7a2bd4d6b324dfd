/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (interface). A scheduler is host code that calls include/gpusim/driver.h, in up to two parts.
 * Implementations live in schedulers/, one file each; schedulers/schedulers.def lists them.
 *
 * Order of calls in one run, all from the run's first host thread:
 *   prepare(run)  optional. The work of a compiler or an offline pass; takes no simulated time. It may allocate from
 *                 run->arena (freed after the run) and keep state in run->state.
 *   execute(run)  required. The work of the runtime; every driver call and gsim_host_work() takes simulated host time.
 *                 It must begin and end each of run->iterations iterations, issue every op once in each (prefetches if
 *                 run->prefetch, gpusim/schedulers/moves.h), and return when the device is idle.
 * A scheduler keeps nothing between runs: no static variables, random numbers from run->rng only.
 */
#pragma once

#include "gpusim/device.h"
#include "gpusim/driver.h"
#include "gpusim/params.h"
#include "gpusim/platform.h"
#include "gpusim/random.h"

GSIM_DECLARATIONS_BEGIN

enum gsim_memory_mode {
    GSIM_MEMORY_MANAGED,  /* cudaMallocManaged: faults or prefetches move data */
    GSIM_MEMORY_PINNED,   /* device memory, pinned host memory, explicit copies */
    GSIM_MEMORY_PAGEABLE, /* the same with pageable host memory: copies are staged and blocking */
};

/* Launch shapes of a workload. Serial and concurrent runs were tuned apart (KeSCo). */
enum gsim_shape { GSIM_SHAPE_CONCURRENT, GSIM_SHAPE_SERIAL };

/* What a scheduler knows of a device: its data sheet and the results of a bandwidth test. */
struct gsim_device_facts {
    const char *name;
    uint32_t sm_count, fp32_lanes_per_sm, hw_queues, priority_levels;
    double clock_mhz, memory_gb, l2_mib, dram_gbps;
    double h2d_gbps, d2h_gbps, pageable_h2d_gbps, pageable_d2h_gbps, d2d_gbps, prefetch_gbps;
};

static inline struct gsim_device_facts gsim_device_facts(const struct gsim_device_spec *d)
{
    return (struct gsim_device_facts){
        .name = d->name, .sm_count = (uint32_t)d->sm_count, .fp32_lanes_per_sm = (uint32_t)d->fp32_lanes_per_sm,
        .hw_queues = (uint32_t)d->hw_queues, .priority_levels = (uint32_t)d->priority_levels, .clock_mhz = d->clock_mhz,
        .memory_gb = d->memory_gb, .l2_mib = d->l2_mib, .dram_gbps = d->dram_gbps, .h2d_gbps = d->h2d_gbps,
        .d2h_gbps = d->d2h_gbps, .pageable_h2d_gbps = d->pageable_h2d_gbps, .pageable_d2h_gbps = d->pageable_d2h_gbps,
        .d2d_gbps = d->d2d_gbps, .prefetch_gbps = d->prefetch_gbps};
}

struct gsim_placement_ops;
struct gsim_op_plan;

struct gsim_run {
    const struct gsim_program *program;
    struct gsim_driver *driver;
    const void *params;            /* the scheduler's parameter struct */
    enum gsim_memory_mode memory;
    bool prefetch;
    int compute_capability;        /* 10 * major + minor */
    uint32_t iterations;           /* at least 1; of a source 1 */
    const struct gsim_random *rng; /* the scheduler's own stream, seeded from --seed */
    struct gsim_arena *arena;
    void *state;                   /* the scheduler's own */
    struct gsim_device_facts device;
    /* source of ops, one after another (gpusim/schedulers/pull.h); PROGRAM has their buffers and kernels. NULL: PROGRAM
     * is complete */
    struct gsim_draw *draw;
    const struct gsim_platform *platform; /* gpusim/platform.h; NULL: not known (traces/runner/) */
    uint32_t device_count;         /* GPUs that it may use; 0: 1 */
    /* chooses the GPU of each op (gpusim/placement.h); NULL: PROGRAM has it */
    const struct gsim_placement_ops *placement;
    const void *placement_params;
    const struct gsim_op_plan *op_plan; /* for the scheduler plan (gpusim/opplan.h); NULL: none */
    bool is_placed;                /* PLACEMENT has set the devices of PROGRAM's ops */
    /* time of each kernel alone on the device; NULL: not known (traces/runner/) */
    const double *kernel_us;
};

/* Returns the time of OP alone in microseconds: of a kernel, a host computation, or a copy or prefetch at its link's
 * bandwidth. Without run->kernel_us a kernel has solo_us, else the roofline of the device's facts. 0: not known. Takes
 * no simulated time. */
double gsim_estimate_us(const struct gsim_run *run, const struct gsim_op *op);

struct gsim_scheduler_ops {
    uint32_t abi;                  /* GSIM_ABI */
    size_t size;                   /* sizeof(struct gsim_scheduler_ops) */
    const char *name;              /* registered name = file name = option value */
    const char *summary;           /* one line for gpusim list */
    const char *source;            /* paper or document */
    enum gsim_shape shape;
    bool has_threads;              /* starts host threads; the backend must have them */
    bool has_frontend;             /* puts a policy into the front end, which only simulated GPUs have */
    bool uses_devices;             /* follows op->device: its streams are on several GPUs */
    bool takes_placed;             /* knows one GPU, but takes a placed program (--place): gsim_plan_build() */
    bool places;                   /* asks run->placement as it issues; else PROGRAM is placed before */
    /* handles ops one after another and accepts a source: run->draw */
    bool takes_source;
    size_t params_size;
    const struct gsim_param *params; /* NULL: none */
    enum gsim_status (*prepare)(struct gsim_run *run, struct gsim_error *error); /* may be NULL */
    enum gsim_status (*execute)(struct gsim_run *run, struct gsim_error *error);
};

static inline bool gsim_scheduler_can_place(const struct gsim_scheduler_ops *s)
{
    return s->places || s->uses_devices || s->takes_placed;
}

/* Symbol that a shared object exports. */
extern const struct gsim_scheduler_ops gsim_scheduler;

/* schedulers/registry.c. Returns the scheduler called NAME; NULL: not registered. */
const struct gsim_scheduler_ops *gsim_scheduler_find(const char *name);
/* The scheduler plan, which follows run->op_plan. It is not in the list. */
extern const struct gsim_scheduler_ops gsim_scheduler_plan;
/* Returns scheduler INDEX of the list; NULL: past the end. */
const struct gsim_scheduler_ops *gsim_scheduler_at(uint32_t index);
/* Finds a scheduler by name, or loads a shared object (a path with a slash) that exports "const struct
 * gsim_scheduler_ops gsim_scheduler". The object stays loaded. Fails if it was compiled for another interface (abi,
 * size), or if a name without a slash ends in .so. */
enum gsim_status gsim_scheduler_load(const char *name_or_path, const struct gsim_scheduler_ops **ops,
                                     struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
