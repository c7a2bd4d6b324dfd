/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. Figures of merit of a finished timeline: makespan, overlap as GrCUDA defines it, bytes moved, host cost,
 * SM use, critical path and lower bound.
 */
#pragma once

#include "gpusim/device.h"
#include "gpusim/timeline.h"

GSIM_DECLARATIONS_BEGIN

/* GrCUDA, IPDPS 2021, and the analysis script of its artifact: every op in order of its start is compared
 * with the union of the ops before it. So CC = (sum of kernel times - their union) / sum of kernel times, and
 * TOT the same over kernels and transfers together; CT and TC are the shares of kernel (transfer) time during
 * which at least one transfer (kernel) is under way. 0 where there is nothing to overlap. */
struct gsim_overlap {
    double compute_transfer, transfer_compute, compute_compute, total;
};

/* A kernel alone on the device: its time, and its least time by the chip's DRAM bandwidth and by all SMs' issue
 * rate. */
struct gsim_kernel_alone {
    gsim_time time;
    double dram_us, issue_us;
};

/* Bottlenecks. The texts are part of the reports' format. */
#define GSIM_BOTTLENECK_MAP(X)                                                                                         \
    X(HOST, "host", "host_us") /* the device waits for the host */                                \
    X(GAPS, "launch gaps", "launch_gaps_us") /* from a launch or an end to the start of the next command */           \
    X(DEPENDENCE, "dependence", "dependence_us") /* kernels wait for each other; SMs have room */                  \
    X(QUEUES, "hardware queues", "hardware_queues_us") /* blocked behind others in a queue */                    \
    X(LINK, "link", "link_us") /* copies, prefetches, faults */                                                        \
    X(SMS, "SMs", "sms_us") /* all SMs hold blocks */                                                                  \
    X(DRAM, "DRAM", "dram_us") /* DRAM limits a kernel for most of its time */                         \
    X(KERNEL, "a single kernel", "single_kernel_us") /* one op, the longest of its kind, that leaves room on the SMs */

enum gsim_bottleneck {
#define GSIM_BOTTLENECK_ENUM(name, text, key) GSIM_BOTTLENECK_##name,
    GSIM_BOTTLENECK_MAP(GSIM_BOTTLENECK_ENUM)
#undef GSIM_BOTTLENECK_ENUM
    GSIM_BOTTLENECK_COUNT
};
const char *gsim_bottleneck_name(enum gsim_bottleneck bottleneck);
const char *gsim_bottleneck_key(enum gsim_bottleneck bottleneck); /* in JSON: "host_us", "launch_gaps_us", ... */

struct gsim_metrics {
    gsim_time makespan; /* end of the last kernel, copy, call or iteration */
    gsim_time iteration_total, iteration_min, iteration_median, iteration_max;
    gsim_time kernel_time, transfer_time; /* sums of durations, kernels / copies */
    gsim_time device_busy;                /* while any kernel or transfer runs */
    struct gsim_overlap overlap;
    uint64_t h2d_bytes, d2h_bytes, d2d_bytes;
    uint64_t bytes_by_reason[4]; /* enum gsim_copy_reason */
    gsim_time h2d_time, d2h_time; /* sums of copy durations per direction */
    /* From detailed records; without them 0, ratios NAN. */
    gsim_time host_busy, host_waited; /* of all host threads: in calls, and blocked in calls */
    double sm_busy_ratio;             /* mean share of SMs with a block over the makespan */
    double achieved_occupancy;        /* resident warps per busy SM over the SM's warp slots */
    /* Of detailed timelines: the makespan by bottleneck along the chain of waits. The sum is the makespan. */
    bool has_bottlenecks;
    gsim_time bottleneck_time[GSIM_BOTTLENECK_COUNT];
    enum gsim_bottleneck bottleneck;    /* the greatest of them */
    const char *bottleneck_detail; /* the host's longest call, or the single kernel's name; else NULL */
    /* From the kernels' times alone; 0: not given. */
    gsim_time critical_path;
    gsim_time lower_bound;
    const char *lower_bound_reason; /* "critical path", "DRAM bandwidth", ... */
};

/* Makespan over perturbed copies of one simulation (sim/spread.h). */
struct gsim_spread {
    uint32_t runs;                        /* copies; 0: none */
    double median_us, low_us, high_us;    /* makespans: median and interval */
    bool unstable;                        /* the interval exceeds GSIM_SPREAD_UNSTABLE of the median */
};
#define GSIM_SPREAD_UNSTABLE 0.3

/* Fills METRICS. ALONE: the program's kernels alone on DEVICE, by kernel; NULL: no critical path and no bounds from
 * kernels. Fails with GSIM_NOMEM only. */
enum gsim_status gsim_metrics_compute(const struct gsim_timeline *timeline, const struct gsim_device_spec *device,
                                      const struct gsim_kernel_alone *alone, struct gsim_metrics *metrics,
                                      struct gsim_error *error) GSIM_NODISCARD;

/* gsim_metrics_compute() of one iteration: that of median length after the warm-up. Sums and lower bound are its own.
 * *KERNELS: how many ran in it. */
enum gsim_status gsim_metrics_iteration(const struct gsim_timeline *timeline, const struct gsim_device_spec *device,
                                        const struct gsim_kernel_alone *alone, struct gsim_metrics *metrics,
                                        size_t *kernels, struct gsim_error *error) GSIM_NODISCARD;

/* Sets *PATH to the longest path over ITERATIONS repetitions of the ops, along data dependences (read after write,
 * write after read, write after write, across iterations too) and "after". OP_TIME: by op. Untimed ops are left out.
 * O(iterations x (ops + arguments)). */
enum gsim_status gsim_critical_path(const struct gsim_program *program, uint32_t iterations, const gsim_time *op_time,
                                    gsim_time *path, struct gsim_error *error) GSIM_NODISCARD;

/* Fills the overlap fractions, kernel_time, transfer_time and device_busy only. O(n log n). */
enum gsim_status gsim_metrics_overlap(const struct gsim_timeline *timeline, struct gsim_metrics *metrics,
                                      struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
