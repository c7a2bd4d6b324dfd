/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/sm. The demand of a kernel on one kind of device: what one of its blocks asks of an SM and of DRAM, as
 * times. It follows from the kernel's description (flops, bytes, cycles), or from its time alone by inverting the
 * machine. How co-resident blocks share an SM is share.h's, placement is distributor.c's. Order of reading: README.md.
 *
 * A block alone on an idle chip takes block_ps. Its parts are issue_ps, in which it would take all of its SM's issue
 * slots, and compute_ps, latency_ps and memory_ps: pipelines, dependences and launch, DRAM. Of a described block they
 * overlap, block_ps = (compute^p + latency^p + memory^p)^(1/p) with p = compute_memory_knee. Of a measured block they
 * follow each other, block_ps = compute + latency + memory. Its kind says which part was solved for, so that the grid
 * alone takes solo_us, and how co-resident blocks slow it.
 */
#pragma once

#include "gpusim/device.h"
#include "sim/device/occupancy.h"
#include "gpusim/metrics.h"
#include "gpusim/random.h"
#include "gpusim/simulate.h"

enum gsim_demand_kind {
    GSIM_DEMAND_DESCRIBED, /* no time of this device is known, or more than one: pipes, slice_us, few flops */
    /* solo_us was measured on this device, and it has */
    GSIM_DEMAND_ISSUE,   /* flops alone, or is unknown and looks like a matrix product; solved for issue_ps */
    GSIM_DEMAND_ON_CHIP, /* shared memory, no flops, no DRAM traffic; or is unknown; solved for compute_ps */
    GSIM_DEMAND_MEMORY,  /* dram_bytes, with flops (has_flops) or without (a stream); solved for memory_ps */
    GSIM_DEMAND_SCATTER, /* dependent loads of unknown volume, one cache line per thread; solved for memory_ps */
};

/* Blocks of unequal work, by a kernel's loop_x, loop_y, loop_z: columns and rows at the low end of an axis have one
 * iteration more, planes beyond some z have nothing to do. While all blocks find room at once they are placed in the
 * grid's order. A grid of several waves is placed longest first: in grid order the time alone is not continuous in the
 * work and cannot be inverted. */
#define GSIM_BLOCK_KINDS 5 /* bit 0: one more along x; bit 1: one more along y; 4: nothing to do */
struct gsim_unequal {
    uint32_t width, height;       /* of the grid, in blocks */
    uint32_t more_x, more_y;      /* columns and rows with one iteration more */
    uint64_t busy;                /* blocks with something to do */
    bool is_sorted;               /* placed longest first */
    uint64_t counts[GSIM_BLOCK_KINDS];
    double factor[GSIM_BLOCK_KINDS]; /* work, relative to the mean of the busy ones */
};

/* Pipes that each SM has: the first of gpusim/pipes.def. */
#define GSIM_SM_PIPES (GSIM_PIPE_L1 + 1)
/* Pipes that all SMs share, beside DRAM. */
enum gsim_chip_pipe { GSIM_CHIP_L2, GSIM_CHIP_SLICE, GSIM_CHIP_PIPES };

/* Times are in picoseconds. They are those of one unit: a block, or a part of an issue-bound block (units). */
struct gsim_demand {
    enum gsim_demand_kind kind;
    bool has_flops;
    bool is_one_wave;          /* the whole grid finds room at once on the idle chip */
    bool is_crowded;           /* an SM full of its blocks lacks issue slots: they are served by age, each on its own */
    bool is_inverted;          /* found from solo_us, whose repeated runs had their data in L2 */
    bool is_unknown;           /* only shape and solo_us are known */
    double issue_ps;           /* at the SM's whole issue rate */
    double compute_ps, latency_ps, memory_ps;
    double block_ps;           /* alone on an idle chip */
    struct gsim_block_need need;
    uint64_t blocks;           /* of the grid */
    uint32_t threads;          /* of a block */
    uint32_t registers;        /* of a block, with allocation granularity */
    uint32_t carveout_bytes;   /* shared-memory configuration that an empty SM takes for it */
    uint32_t join_bytes;       /* least configuration of an occupied SM that it joins */
    uint32_t cluster;          /* blocks of a thread block cluster; 1: none */
    uint64_t tiles;            /* that its blocks take from a queue; 0: none (known/tiles.c) */
    double rounds;             /* of a block alone: tiles one after another */
    double start;              /* share of a block's time alone that late blocks do not have */
    uint32_t units;            /* per block; above 1 for GSIM_DEMAND_ISSUE alone: parts with a progress of their own */
    double width;              /* warps per sub-partition of one unit */
    double dram_gbps;          /* DRAM traffic: of described kinds over block_ps, of measured ones over memory_ps */
    double cold_ratio;         /* the kernel's time with empty caches over its solo_us; 0: not given */
    double measured_us;        /* the kernel's solo_us */
    double given_bytes;        /* the kernel's dram_bytes; 0: not given */
    double counted_bytes;      /* the kernel's data_bytes; 0: not given */
    double touched_bytes;      /* data that passes L2 in one run of the grid (gsim_demands_share_l2) */
    double prologue, trigger;  /* of programmatic launches: shares of a block's work; trigger 0 or 1: at its end */
    bool is_unequal;           /* its blocks differ: UNEQUAL says how */
    struct gsim_unequal unequal;
    bool is_contended;         /* it keeps one slice of L2 much busier than the others */
    bool is_computing;         /* has_pipes: it keeps its SM's pipes busier than L2 and DRAM */
    bool has_pipes;            /* pipes are given; the fields below are set, the kind is GSIM_DEMAND_DESCRIBED */
    int busiest;                       /* of the SM's pipes */
    double pipe_ps[GSIM_SM_PIPES];     /* of one block at each pipe's peak */
    double holds_ps;                   /* of its tensor instructions, which hold back what other kernels issue */
    double service_ps[GSIM_SM_PIPES];  /* wait there for each other block in the pipe's queue */
    double chip_ps[GSIM_CHIP_PIPES];   /* pipe_ps of the pipes of all SMs, as if an SM had its part alone */
    double l1_bytes, l1_times; /* that a block brings into L1, and how often it reads all of that; 0, 0: not known */
    bool keeps_l1;             /* all of it stays there alone */
    double chip_exposed, dram_exposed; /* shares of block_ps that wait for L2, for DRAM */
    double cold;               /* work relative to a repeated run alone: 1, more when others displace its L2 data */
    double solo_ps;            /* the whole grid alone, by the machine */
};

/* Whether its speed depends on other SMs: it asks for DRAM or L2. */
static inline bool gsim_demand_feels(const struct gsim_demand *w)
{
    return w->dram_gbps > 0 || w->chip_ps[GSIM_CHIP_L2] > 0 || w->chip_ps[GSIM_CHIP_SLICE] > 0;
}

/* Whether blocks that start together end together (they compute), or one after another (they wait for data). Described
 * blocks without pipes do neither. */
static inline bool gsim_demand_computes(const struct gsim_demand *w)
{
    return w->kind == GSIM_DEMAND_ISSUE || w->kind == GSIM_DEMAND_ON_CHIP || w->is_computing;
}
static inline bool gsim_demand_waits(const struct gsim_demand *w)
{
    return w->kind == GSIM_DEMAND_MEMORY || w->kind == GSIM_DEMAND_SCATTER || (w->has_pipes && !w->is_computing);
}

/* Whether its blocks trigger dependent launches before their end. */
static inline bool gsim_demand_triggers(const struct gsim_demand *work)
{
    return work->trigger > 0 && work->trigger < 1;
}

/* --- demand.c ----------------------------------------------------------------------------------------------------- */
/* Finds the demand of KERNEL on DEVICE by the device's work model. GSIM_INPUT names the kernel, and what is missing or
 * does not fit; GSIM_NOMEM. WORK owns nothing. */
enum gsim_status gsim_demand_init(struct gsim_demand *work, const struct gsim_device_spec *device,
                                  const struct gsim_kernel *kernel, struct gsim_error *error) GSIM_NODISCARD;
/* The same by the model "blocks", whatever the device says. */
enum gsim_status gsim_demand_describe(struct gsim_demand *work, const struct gsim_device_spec *device,
                                      const struct gsim_kernel *kernel, struct gsim_error *error) GSIM_NODISCARD;
/* Its first step: checks KERNEL and sets what a block needs of an SM, but no times. */
enum gsim_status gsim_demand_shape(struct gsim_demand *work, const struct gsim_device_spec *device,
                                   const struct gsim_kernel *kernel, struct gsim_error *error) GSIM_NODISCARD;
/* gsim_demand_init() of COUNT kernels. */
enum gsim_status gsim_demands_init(struct gsim_demand *demands, uint32_t count, const struct gsim_device_spec *device,
                                   const struct gsim_kernel *kernels, struct gsim_error *error) GSIM_NODISCARD;
/* Finds DEMANDS again after some kernels' solo_us have changed, quicker from those that are there. */
enum gsim_status gsim_demands_adjust(struct gsim_demand *demands, uint32_t count, const struct gsim_device_spec *device,
                                     const struct gsim_kernel *kernels, struct gsim_error *error) GSIM_NODISCARD;
/* Whether KERNEL's solo_us is of DEVICE: it names that one, or none. */
bool gsim_demand_is_measured(const struct gsim_kernel *kernel, const struct gsim_device_spec *device);

/* Share of an SM's issue rate that WIDTH warps per sub-partition of dense arithmetic reach, 0 to 1. */
double gsim_issue_share(const struct gsim_device_spec *device, double width);

/* The kernel alone on DEVICE; errors as gsim_demand_init(). */
enum gsim_status gsim_kernel_alone(const struct gsim_device_spec *device, const struct gsim_kernel *kernel,
                                   struct gsim_kernel_alone *alone, struct gsim_error *error) GSIM_NODISCARD;

/* --- known/cold.c: work with displaced L2 data -------------------------------------------------------------------- */
/* Sets touched_bytes and cold of the COUNT distinct kernels of one program: more than 1 where the others' traffic
 * displaces from L2 what a repeated run alone finds there (H200: a stream of 33 MB takes 24 us alone, 58 between
 * others). Returns whether all of them together overwrite L2. */
bool gsim_demands_share_l2(struct gsim_demand *demands, uint32_t count, const struct gsim_device_spec *device);
/* The same for one kernel that is met while its program runs: among so many that they overwrite L2. */
void gsim_demand_meet(struct gsim_demand *work, const struct gsim_device_spec *device);
/* Bytes that stay in L2 until they are used again (H200: four fifths of L2). */
double gsim_l2_held_bytes(const struct gsim_device_spec *device);

/* --- known/tiles.c ------------------------------------------------------------------------------------------------ */
/* Sets WORK's tiles, rounds and start, once its shape is known. */
void gsim_demand_set_tiles(struct gsim_demand *work, const struct gsim_device_spec *device,
                           const struct gsim_kernel *kernel);
/* --- known/clusters.c --------------------------------------------------------------------------------------------- */
/* Whether a cluster of so many blocks finds room in some GPC of the empty chip. */
bool gsim_clusters_fit(const struct gsim_device_spec *device, uint32_t cluster);

/* --- known/unequal.c ---------------------------------------------------------------------------------------------- */
/* Sets is_unequal and unequal of WORK by KERNEL's loops. */
void gsim_demand_set_unequal(struct gsim_demand *work, const struct gsim_kernel *kernel);
/* How many blocks of each kind are among the first COUNT that are placed. */
void gsim_unequal_count(const struct gsim_unequal *unequal, uint64_t count, uint64_t kinds[GSIM_BLOCK_KINDS]);
