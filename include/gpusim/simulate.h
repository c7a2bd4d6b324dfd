/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. One simulation: a program, a scheduler, a device and options in; a timeline out. Many may run
 * one after another in one process (SimGrid has one engine per process, so never two at once:
 * who wants several at a time forks).
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
    bool exact;            /* one event per block: no pooling (slow, for checks) */
    bool check;            /* verify capacity and work conservation after every event (tests) */
    double tolerance;      /* relative change of the chip's memory load that re-rates the other SMs */
    int model;             /* of work (gpusim/model.h), of all devices that name none themselves */
    /* simulate one SM in so many, an estimate for dozens of kernels side by side; 0 or 1: all */
    int64_t sample;
};
extern const struct gsim_param gsim_gpu_params[];

/* For benchmarks. */
struct gsim_statistics {
    uint64_t block_events; /* blocks placed or retired, pooled or not */
    uint64_t gpu_events;   /* events the GPU's queue handled */
    uint64_t engine_calls; /* calls into SimGrid */
};

struct gsim_demand;

/* until_steady ends a run before GSIM_STEADY_MOST iterations, when the rest is known: a cycle of at most
 * GSIM_STEADY_CYCLE iterations has come a second time, each within GSIM_STEADY_SAME, or the last GSIM_STEADY_NEAR_COUNT
 * iterations differ by at most GSIM_STEADY_NEAR of the shortest. With noise it ends behind the second iteration. */
#define GSIM_STEADY_MOST       30
#define GSIM_STEADY_CYCLE      8
#define GSIM_STEADY_SAME       1e-10 /* chance gives the same to 1e-8 */
#define GSIM_STEADY_NEAR       1e-3
#define GSIM_STEADY_NEAR_COUNT 5

struct gsim_simulation {
    const struct gsim_program *program;  /* what is known; NULL with SOURCE */
    /* in place of PROGRAM: it is drawn while it runs. NULL: the program is known */
    const struct gsim_source_ops *source;
    const void *source_params;           /* NULL: defaults */
    /* With a source: what was known and drawn, the caller's to release; the timeline's program then. */
    struct gsim_program *drawn;
    /* with SOURCE: neither what was drawn nor records are kept, but sums (gsim_timeline.sums) */
    bool folds;
    const struct gsim_device_spec *device;
    const struct gsim_scheduler_ops *scheduler;
    const void *scheduler_params;        /* NULL: defaults */
    /* in place of program and scheduler: PROGRAM is its ALL. NULL: one program alone */
    const struct gsim_task_set *tasks;
    const struct gsim_sharing_ops *sharing; /* of several tasks */
    const void *sharing_params;          /* NULL: defaults */
    const struct gsim_ranks *ranks;      /* with TASKS: each is a rank on a GPU of its own; NULL: they share one */
    const struct gsim_task_profiles *profile;  /* for a policy; NULL: none */
    /* host time before every launch of a kernel, spent by whoever measures them; 0: nobody does */
    double measure_us;
    struct gsim_gpu_options gpu;
    const struct gsim_node *node;        /* where it runs; NULL: GPU_COUNT devices alike, each with links of its own */
    /* By device of the node; NULL: all are DEVICE. Host calls cost what DEVICE, which is the first, says. */
    const struct gsim_device_spec *const *devices;
    uint32_t gpu_count;                  /* the first ones of NODE; 0: all of them, without NODE 1 */
    /* which GPU an op is for (gpusim/placement.h); NULL: the program says */
    const struct gsim_placement_ops *placement;
    const void *placement_params;        /* NULL: defaults */
    const struct gsim_op_plan *op_plan;  /* for the scheduler plan; NULL: none */
    enum gsim_memory_mode memory;
    bool prefetch;
    uint32_t iterations;                 /* 0: the program's own */
    bool until_steady;                   /* iterations: at most GSIM_STEADY_MOST, until they repeat */
    uint64_t seed;
    /* draw the durations of kernels and calls (device: kernel_spread, call_spread) */
    bool noise;
    /* records of kernels and copies are not kept: of several tasks, requests alone */
    bool omits_kernels;
    bool detailed;                       /* record API calls, waits and occupancy too */
    const struct gsim_observer *observer; /* NULL: none */
    /* The driver that the scheduler sees, made of the simulated one (struct gsim_forward), which outlives it; NULL:
     * that itself. */
    struct gsim_driver *(*attach)(void *data, struct gsim_driver *real);
    void *attach_data;
    struct gsim_statistics *statistics;  /* NULL: not wanted */
    /* of the program's kernels (gsim_demands_init), where several runs share them; NULL: the run's own */
    const struct gsim_demand *demands;
};

/* Simulates and fills TIMELINE, which is initialised here and released by the caller, also on failure. Times count from
 * the program's first call. GSIM_INPUT: a block does not fit the device (the message names kernel and limit), or a
 * scheduler or driver of another interface (abi, size). GSIM_SIM: a deadlock, or a program that was not done right. */
enum gsim_status gsim_simulate(const struct gsim_simulation *simulation, struct gsim_timeline *timeline,
                               struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
