/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. What one block of a kernel asks of an SM and of DRAM: from a kernel's description, or from its
 * measured time alone by inverting the machine. How SMs share is sim/sm/share.h's, placement sim/sm/gpu.h's.
 *
 * Which kind a block is decides how company slows it down (measured on an H200, traces/h200/README.md).
 */
#pragma once

#include "gpusim/device.h"
#include "sim/device/occupancy.h"
#include "gpusim/metrics.h"
#include "gpusim/random.h"
#include "gpusim/simulate.h"

enum gsim_demand_kind {
    GSIM_DEMAND_DESCRIBED, /* from flops, bytes and cycles: its parts overlap, t = (sum of p-th powers)^(1/p) */
    /* Measured alone on this device; what else is known of it decides: */
    GSIM_DEMAND_ISSUE,   /* bound by instruction issue: oldest warps first */
    GSIM_DEMAND_ON_CHIP, /* shared memory and integer work, and most of what a plain profiler trace shows */
    GSIM_DEMAND_MEMORY,  /* DRAM traffic, arithmetic or latency beside it */
    GSIM_DEMAND_SCATTER, /* dependent loads of unknown volume, one cache line per thread */
};

/* Blocks of unequal work: those at the low end of an axis have a round more along it, those beyond some z have nothing
 * to do. They are placed in the grid's order while all find room at once; of several waves, where who stands beside
 * whom means nothing, the longest first: in the grid's order their many ties would make the time alone jump with the
 * work, so that it could not be inverted. */
#define GSIM_BLOCK_KINDS 5 /* more along x counts 1, along y 2; 4: nothing to do */
struct gsim_unequal {
    uint32_t width, height;       /* of the grid */
    uint32_t more_x, more_y;      /* how many columns and rows have a round more */
    uint64_t busy;                /* how many blocks have something to do */
    bool is_sorted;               /* the longest first: */
    uint64_t counts[GSIM_BLOCK_KINDS];
    double factor[GSIM_BLOCK_KINDS]; /* work, relative to the mean of the busy ones */
};

/* Pipes that each SM has: the first of gpusim/pipes.def. */
#define GSIM_SM_PIPES (GSIM_PIPE_L1 + 1)
/* Pipes that all SMs share, beside DRAM. */
enum gsim_chip_pipe { GSIM_CHIP_L2, GSIM_CHIP_SLICE, GSIM_CHIP_PIPES };

struct gsim_demand {
    enum gsim_demand_kind kind;
    bool has_flops;
    bool is_one_wave;          /* all blocks of the grid find room at once on the idle chip */
    bool is_crowded;           /* an SM full of its blocks has not issue slots enough: they are served by age */
    bool is_inverted;          /* from solo_us: its repeated runs found data in L2 */
    bool is_unknown;           /* nothing but shape and solo_us is known of it */
    /* Of one unit alone on an idle chip, in picoseconds. */
    double issue_ps;           /* takes the SM's whole issue rate for this long */
    double compute_ps, latency_ps, memory_ps; /* measured kinds: their sum is block_ps */
    double block_ps;           /* all of it */
    struct gsim_block_need need;
    uint64_t blocks;           /* of the grid */
    uint32_t threads;          /* of a block */
    uint32_t registers;        /* of a block, with allocation granularity */
    uint32_t carveout_bytes;   /* shared-memory configuration that an empty SM takes for it */
    uint32_t join_bytes;       /* configuration that an occupied SM must have */
    uint32_t cluster;          /* blocks that stand in one GPC at once; 1: each alone */
    uint32_t units;            /* per block; above 1 only for GSIM_DEMAND_ISSUE: parts of a block with own progress */
    double width;              /* warps per SM sub-partition of one unit */
    double dram_gbps;          /* traffic asked for: described kinds on average, measured ones in their memory part */
    double cold_ratio;         /* time with empty caches over the kernel's solo_us; 0: not given */
    double measured_us;        /* the kernel's solo_us */
    double given_bytes;        /* DRAM traffic of the grid as described; 0: not given */
    double counted_bytes;      /* the kernel's data_bytes; 0: not given */
    double touched_bytes;      /* data that passes L2 in one run of the grid (gsim_demands_share_l2) */
    double prologue, trigger;  /* the kernel's; trigger 0 or 1: at a block's exit */
    bool is_unequal;           /* its blocks: UNEQUAL says how */
    struct gsim_unequal unequal;
    bool is_contended;         /* it keeps one slice of L2 much busier than the others */
    bool is_computing;         /* of known pipes: it keeps those of its SM busier than L2 and DRAM */
    bool has_pipes;            /* of a described kind: what follows says what it waits for */
    int busiest;                       /* of the pipes that each SM has */
    double pipe_ps[GSIM_SM_PIPES];     /* of one block, at each pipe's peak */
    double service_ps[GSIM_SM_PIPES];  /* how long it waits there for each other one that it finds */
    double chip_ps[GSIM_CHIP_PIPES];   /* the same, as if an SM had its part of the pipe for itself */
    double chip_exposed, dram_exposed; /* share of block_ps that waits for L2; for DRAM */
    double cold;               /* work relative to a repeated run alone: 1, more when others displace its L2 data */
    double solo_ps;            /* the whole grid alone, by the machine */
};

/* How fast it goes depends on what other SMs do. */
static inline bool gsim_demand_feels(const struct gsim_demand *w)
{
    return w->dram_gbps > 0 || w->chip_ps[GSIM_CHIP_L2] > 0 || w->chip_ps[GSIM_CHIP_SLICE] > 0;
}

/* Whether its blocks end together, or one by one as those that wait for data do. */
static inline bool gsim_demand_computes(const struct gsim_demand *w)
{
    return w->kind == GSIM_DEMAND_ISSUE || w->kind == GSIM_DEMAND_ON_CHIP || w->is_computing;
}
static inline bool gsim_demand_waits(const struct gsim_demand *w)
{
    return w->kind == GSIM_DEMAND_MEMORY || w->kind == GSIM_DEMAND_SCATTER || (w->has_pipes && !w->is_computing);
}

static inline bool gsim_demand_triggers(const struct gsim_demand *work)
{
    return work->trigger > 0 && work->trigger < 1;
}

/* The work of KERNEL on DEVICE. With solo_us the block time is found by inverting the machine, so that the
 * kernel alone takes solo_us; otherwise it follows from flops, dram_bytes and thread_cycles. Errors name the
 * kernel and what is missing or does not fit. */
/* By the device's model. */
enum gsim_status gsim_demand_init(struct gsim_demand *work, const struct gsim_device_spec *device,
                                const struct gsim_kernel *kernel, struct gsim_error *error) GSIM_NODISCARD;
/* The same by the model "blocks", whatever the device says; and of it what a block needs of an SM, which is checked. */
enum gsim_status gsim_demand_describe(struct gsim_demand *work, const struct gsim_device_spec *device,
                                      const struct gsim_kernel *kernel, struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_demand_shape(struct gsim_demand *work, const struct gsim_device_spec *device,
                                   const struct gsim_kernel *kernel, struct gsim_error *error) GSIM_NODISCARD;
/* The same of COUNT kernels. */
enum gsim_status gsim_demands_init(struct gsim_demand *works, uint32_t count, const struct gsim_device_spec *device,
                                 const struct gsim_kernel *kernels, struct gsim_error *error) GSIM_NODISCARD;

/* WORKS are of the same kernels, but for their solo_us: near those of before, which is quicker. */
enum gsim_status gsim_demands_adjust(struct gsim_demand *works, uint32_t count, const struct gsim_device_spec *device,
                                     const struct gsim_kernel *kernels, struct gsim_error *error) GSIM_NODISCARD;

/* The distinct kernels of one program run in each other's company: those measured alone, with their data in
 * L2, do more work when the others' traffic displaces it (H200: a 33 MB stream 24 us alone, 58 in company). Returns
 * whether all of them together overwrite it. */
bool gsim_demands_share_l2(struct gsim_demand *works, uint32_t count, const struct gsim_device_spec *device);

/* As gsim_demands_share_l2() has a kernel among so many that they overwrite L2: for one that is met while its program
 * runs. */
void gsim_demand_meet(struct gsim_demand *work, const struct gsim_device_spec *device);

/* How much data stays in L2 until it is used again (H200: four fifths of it). */
double gsim_l2_held_bytes(const struct gsim_device_spec *device);

/* Whether KERNEL's solo_us is of DEVICE: it names that one, or none. */
bool gsim_demand_is_measured(const struct gsim_kernel *kernel, const struct gsim_device_spec *device);

enum gsim_status gsim_kernel_alone(const struct gsim_device_spec *device, const struct gsim_kernel *kernel,
                                   struct gsim_kernel_alone *alone, struct gsim_error *error) GSIM_NODISCARD;

/* Whether a cluster of so many blocks finds room in some GPC of the empty chip (known/clusters.c). */
bool gsim_clusters_fit(const struct gsim_device_spec *device, uint32_t cluster);

/* Whether WORK's blocks are unequal, and how. */
void gsim_demand_set_unequal(struct gsim_demand *work, const struct gsim_kernel *kernel);
/* Of the first COUNT blocks that are placed of a grid of unequal ones, how many of each kind. */
void gsim_unequal_count(const struct gsim_unequal *unequal, uint64_t count, uint64_t kinds[GSIM_BLOCK_KINDS]);

/* Share of an SM's issue rate that WIDTH warps per sub-partition of dense arithmetic reach. */
double gsim_issue_share(const struct gsim_device_spec *device, double width);
