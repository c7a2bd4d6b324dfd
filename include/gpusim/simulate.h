/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. One simulation: a program, a scheduler, a device and options in; a timeline out. A process runs
 * simulations one after another, since SimGrid has one engine a process. Fork to run several at a time.
 */
#pragma once

#include "gpusim/device.h"
#include "gpusim/ranks.h"
#include "gpusim/scheduler.h"
#include "gpusim/source.h"
#include "gpusim/task.h"
#include "gpusim/timeline.h"

GSIM_DECLARATIONS_BEGIN

/* Options of the machine that are not numbers of the device: --opt gpu.NAME=VALUE. */
struct gsim_gpu_options {
    bool exact;            /* one event for each block, no cohorts (slow, for checks) */
    bool check;            /* check capacity and conservation of work after every event (tests) */
    double tolerance;      /* relative change of the chip's memory load at which all SMs are re-rated */
    int model;             /* work model (gpusim/model.h) of devices that name none */
    /* simulate one SM in this many, an estimate for dozens of concurrent kernels; 0 or 1: all */
    int64_t sample;
};
extern const struct gsim_param gsim_gpu_params[];

/* For benchmarks. */
struct gsim_statistics {
    uint64_t block_events; /* blocks placed or retired */
    uint64_t gpu_events;   /* events of GPUs */
    uint64_t engine_calls; /* calls into SimGrid */
};

struct gsim_demand;

/* until_steady ends a run before GSIM_STEADY_MAX iterations if a cycle of at most GSIM_STEADY_CYCLE iterations repeats
 * within GSIM_STEADY_SAME, or if the last GSIM_STEADY_NEAR_COUNT iterations differ by at most GSIM_STEADY_NEAR of the
 * shortest. With noise it ends after the second iteration. */
#define GSIM_STEADY_MAX        30
#define GSIM_STEADY_CYCLE      8
#define GSIM_STEADY_SAME       1e-10 /* chance reaches 1e-8 */
#define GSIM_STEADY_NEAR       1e-3
#define GSIM_STEADY_NEAR_COUNT 5

struct gsim_simulation {
    const struct gsim_program *program;  /* NULL with SOURCE */
    /* in place of PROGRAM: draws ops while it runs; NULL: none */
    const struct gsim_source_ops *source;
    const void *source_params;           /* NULL: defaults */
    /* With a source: result, the known and drawn program, which the timeline refers to. The caller releases it. */
    struct gsim_program *drawn;
    /* with SOURCE: keeps neither ops nor records, only gsim_timeline.sums */
    bool folds;
    const struct gsim_device_spec *device;
    const struct gsim_scheduler_ops *scheduler;
    const void *scheduler_params;        /* NULL: defaults */
    /* in place of PROGRAM and SCHEDULER; PROGRAM is its ALL. NULL: one program */
    const struct gsim_task_set *tasks;
    const struct gsim_sharing_ops *sharing; /* mode of sharing of the tasks */
    const void *sharing_params;          /* NULL: defaults */
    const struct gsim_ranks *ranks;      /* with TASKS: each is a rank with its own GPU; NULL: they share one */
    const struct gsim_task_profiles *profile;  /* for a sharing policy; NULL: none */
    /* host time of a profiler before every launch; 0: no profiler */
    double measure_us;
    struct gsim_gpu_options gpu;
    const struct gsim_node *node;        /* node file; NULL: GPU_COUNT equal devices, each with its own links */
    /* By device of the node; NULL: all are DEVICE. DEVICE, the first, has the costs of host calls. */
    const struct gsim_device_spec *const *devices;
    uint32_t gpu_count;                  /* devices used, from the first; 0: all of NODE, or 1 */
    /* chooses the GPU of each op (gpusim/placement.h); NULL: the program has it */
    const struct gsim_placement_ops *placement;
    const void *placement_params;        /* NULL: defaults */
    const struct gsim_op_plan *op_plan;  /* for the scheduler plan; NULL: none */
    enum gsim_memory_mode memory;
    bool prefetch;
    uint32_t iterations;                 /* 0: the program's own */
    bool until_steady;                   /* stops when iterations repeat, after GSIM_STEADY_MAX at the latest */
    uint64_t seed;
    /* durations of kernels and calls vary (device: kernel_spread, call_spread) */
    bool noise;
    /* keeps no records of kernels and copies; of several tasks, requests only */
    bool omits_kernels;
    bool detailed;                       /* also records API calls, waits and occupancy */
    const struct gsim_observer *observer; /* NULL: none */
    /* Returns the scheduler's driver, made from REAL (struct gsim_forward), which outlives it. NULL: the scheduler
     * calls the simulated driver itself. */
    struct gsim_driver *(*attach)(void *data, struct gsim_driver *real);
    void *attach_data;
    struct gsim_statistics *statistics;  /* NULL: not wanted */
    /* of the program's kernels (gsim_demands_init()), if runs share them; NULL: computed */
    const struct gsim_demand *demands;
};

/* The engine, which gsim_run() (gpusim/scenario.h) calls. Simulates and fills TIMELINE, which the caller releases, also
 * on failure. Times count from the program's first call. GSIM_INPUT: a block does not fit the device (the message names
 * kernel and limit), or a scheduler or driver has another interface (abi, size). GSIM_SIM: a deadlock, or the scheduler
 * broke a dependence or left out an op. */
enum gsim_status gsim_simulate(const struct gsim_simulation *simulation, struct gsim_timeline *timeline,
                               struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
