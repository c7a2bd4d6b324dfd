/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. Figures of merit of a finished timeline: makespan, overlap as GrCUDA defines it, bytes moved,
 * host cost, SM use, critical path and lower bound. Knows nothing of how the timeline came about.
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

/* A kernel alone on the device: its time, and the least time for its traffic at the chip's DRAM bandwidth and for its
 * instructions at all SMs' issue rate. */
struct gsim_kernel_alone {
    gsim_time time;
    double dram_us, issue_us;
};

/* What may keep a run from being faster. Texts are contracts of the reports. */
#define GSIM_BOTTLENECK_MAP(X)                                                                                         \
    X(HOST, "host", "host_us") /* the device waits for calls, or the host for itself */                                \
    X(GAPS, "launch gaps", "launch_gaps_us") /* from a launch, or an end, to the start of what comes next */           \
    X(DEPENDENCE, "dependence", "dependence_us") /* kernels follow one another while SMs have room */                  \
    X(QUEUES, "hardware queues", "hardware_queues_us") /* a kernel is behind others in its queue */                    \
    X(LINK, "link", "link_us") /* copies, prefetches, faults */                                                        \
    X(SMS, "SMs", "sms_us") /* all SMs hold blocks */                                                                  \
    X(DRAM, "DRAM", "dram_us") /* a kernel that needs DRAM's bandwidth for most of its time */                         \
    X(KERNEL, "a single kernel", "single_kernel_us") /* one op that leaves room on the SMs, longer than all its like */

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
    gsim_time kernel_time, transfer_time; /* sums of durations */
    gsim_time device_busy;                /* while any kernel or transfer is under way */
    struct gsim_overlap overlap;
    uint64_t h2d_bytes, d2h_bytes, d2d_bytes;
    uint64_t bytes_by_reason[4]; /* enum gsim_copy_reason */
    gsim_time h2d_time, d2h_time; /* sums of copy durations per direction */
    /* From the detailed records; 0, and NAN for the ratios, where the timeline has none. */
    gsim_time host_busy, host_waited; /* of all host threads: working in calls, blocked in calls */
    double sm_busy_ratio;             /* mean share of SMs holding a block, over the makespan */
    double achieved_occupancy;        /* resident warps per busy SM over the SM's warp slots */
    /* Of detailed timelines: where the makespan goes, along the chain of what waited for what. Sums up to the
     * makespan. */
    bool has_bottlenecks;
    gsim_time bottleneck_time[GSIM_BOTTLENECK_COUNT];
    enum gsim_bottleneck bottleneck;    /* the greatest of them */
    const char *bottleneck_detail; /* the host's dearest call, the single kernel's name; else NULL */
    /* From the kernels' times alone on the device; 0 where those were not given. */
    gsim_time critical_path;
    gsim_time lower_bound;
    const char *lower_bound_reason; /* what gives the bound: "critical path", "DRAM bandwidth", ... */
};

/* What perturbed copies of one simulation say of its makespan (sim/spread.h). */
struct gsim_spread {
    uint32_t runs;                        /* copies; 0: none */
    double median_us, low_us, high_us;    /* of their makespans: the median, and an interval around it */
    bool unstable;                        /* that interval is wider than GSIM_SPREAD_UNSTABLE of the median */
};
#define GSIM_SPREAD_UNSTABLE 0.3

/* ALONE: each of the program's kernels alone on DEVICE, indexed like program->kernels; NULL: no
 * critical path and no bounds from kernels. Fails with GSIM_NOMEM only. */
enum gsim_status gsim_metrics_compute(const struct gsim_timeline *timeline, const struct gsim_device_spec *device,
                                      const struct gsim_kernel_alone *alone, struct gsim_metrics *metrics,
                                      struct gsim_error *error) GSIM_NODISCARD;

/* gsim_metrics_compute() of one iteration: of those after the warm-up, the one of median length. Its sums and lower
 * bound do not depend on how many others ran. *KERNELS: how many ran in it. */
enum gsim_status gsim_metrics_iteration(const struct gsim_timeline *timeline, const struct gsim_device_spec *device,
                                        const struct gsim_kernel_alone *alone, struct gsim_metrics *metrics,
                                        size_t *kernels, struct gsim_error *error) GSIM_NODISCARD;

/* Longest path over ITERATIONS repetitions of the program's ops, ordered by the true data dependences (read
 * after write, write after read, write after write, iterations included) and by "after". OP_TIME: per op.
 * Untimed ops take no part. O(iterations x (ops + arguments)). */
enum gsim_status gsim_critical_path(const struct gsim_program *program, uint32_t iterations, const gsim_time *op_time,
                                    gsim_time *path, struct gsim_error *error) GSIM_NODISCARD;

/* The overlap fractions (and kernel_time, transfer_time, device_busy) alone. O(n log n). */
enum gsim_status gsim_metrics_overlap(const struct gsim_timeline *timeline, struct gsim_metrics *metrics,
                                      struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
