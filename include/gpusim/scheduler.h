/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (interface). What a scheduler is: ordinary host code against include/gpusim/driver.h, in up to two
 * parts. Implementations live in schedulers/, one file each; schedulers/schedulers.def lists them.
 *
 * Order of calls in one run, all from the run's first host thread:
 *   prepare(run)  optional. What a compiler or an offline pass does: no simulated time passes. May allocate
 *                 from run->arena (freed by the caller after the run) and keep state in run->state.
 *   execute(run)  required. What the runtime does on the host: every driver call and gsim_host_work() takes
 *                 simulated host time. Must begin and end each of run->iterations iterations, issue every op
 *                 of the program once per iteration (prefetches: where run->prefetch, gpusim/schedulers/moves.h), and
 *                 return with nothing pending on the device.
 * Nothing is kept between runs: no static variables; random numbers come from run->rng alone.
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
    GSIM_MEMORY_PAGEABLE, /* the same with pageable host memory: copies are staged and block */
};

/* Which launch shapes a workload should use: serial and concurrent runs were tuned apart (KeSCo). */
enum gsim_shape { GSIM_SHAPE_CONCURRENT, GSIM_SHAPE_SERIAL };

/* What a scheduler may know of a device: its data sheet and a bandwidth test, but not how the machine works inside. */
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
    const void *params;            /* the scheduler's parameter struct, filled by its table */
    enum gsim_memory_mode memory;
    bool prefetch;
    int compute_capability;        /* 10 * major + minor, for rules that depend on the architecture */
    uint32_t iterations;           /* >= 1; of a program that is drawn 1 */
    const struct gsim_random *rng; /* seeded from --seed; the scheduler's own stream of numbers */
    struct gsim_arena *arena;
    void *state;                   /* the scheduler's own */
    struct gsim_device_facts device;
    /* the program's ops, one after another (gpusim/schedulers/pull.h), of which PROGRAM has the buffers and kernels as
     * they come; NULL: PROGRAM is all there is to know */
    struct gsim_draw *draw;
    const struct gsim_platform *platform; /* where it runs, gpusim/platform.h; NULL: nobody knows (traces/runner/) */
    uint32_t device_count;         /* GPUs that it may use; 0 counts as 1 */
    /* says which GPU an op is for (gpusim/placement.h); NULL: PROGRAM does */
    const struct gsim_placement_ops *placement;
    const void *placement_params;
    const struct gsim_op_plan *op_plan; /* to be followed (gpusim/opplan.h), by the scheduler plan; NULL: none */
    bool is_placed;                /* PROGRAM's ops have the devices that PLACEMENT gave them */
    /* per kernel of the program, alone on the device; NULL where nobody knows (traces/runner/) */
    const double *kernel_us;
};

/* How long OP takes with the device to itself, as a profile would say: a kernel's time alone, a copy or a prefetch at
 * the bandwidth of its link, a host computation. Without run->kernel_us: solo_us, or the roofline of the device's
 * facts. 0 where a program says nothing. May be called in prepare(); takes no simulated time. */
double gsim_estimate_us(const struct gsim_run *run, const struct gsim_op *op);

struct gsim_scheduler_ops {
    uint32_t abi;                  /* GSIM_ABI */
    size_t size;                   /* sizeof(struct gsim_scheduler_ops) */
    const char *name;              /* registered name = file name = option value */
    const char *summary;           /* one line for gpusim list */
    const char *source;            /* the paper or document it follows */
    enum gsim_shape shape;
    bool has_threads;              /* starts host threads beside its first: the backend must have them */
    bool has_frontend;             /* puts a policy into the front end: simulated GPUs alone have one */
    bool uses_devices;             /* follows op->device: makes its streams on several GPUs */
    bool takes_placed;             /* knows one GPU, but takes a program that --place has placed: gsim_plan_build() */
    bool places;                   /* asks run->placement as it issues; else PROGRAM has been placed before */
    /* looks at one op after another, and may be given a program that is drawn while it runs: run->draw */
    bool takes_source;
    size_t params_size;
    const struct gsim_param *params; /* NULL: none */
    enum gsim_status (*prepare)(struct gsim_run *run, struct gsim_error *error); /* NULL: nothing to prepare */
    enum gsim_status (*execute)(struct gsim_run *run, struct gsim_error *error);
};

static inline bool gsim_scheduler_can_place(const struct gsim_scheduler_ops *s)
{
    return s->places || s->uses_devices || s->takes_placed;
}

/* What a shared object exports; of no meaning in a program. */
extern const struct gsim_scheduler_ops gsim_scheduler;

/* schedulers/registry.c. NULL when the name is not registered. */
const struct gsim_scheduler_ops *gsim_scheduler_find(const char *name);
/* Follows run->op_plan; it is not in the list. */
extern const struct gsim_scheduler_ops gsim_scheduler_plan;
/* The registered schedulers in list order; NULL at the end. */
const struct gsim_scheduler_ops *gsim_scheduler_at(uint32_t index);
/* By name, or from a shared object (a path with a slash) that exports "const struct gsim_scheduler_ops gsim_scheduler".
 * One that was compiled against the headers of another interface (abi, size) is refused. The object stays loaded. A
 * name that ends in .so is refused. */
enum gsim_status gsim_scheduler_load(const char *name_or_path, const struct gsim_scheduler_ops **ops,
                                     struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
