/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/sm. The SMs and the work distributor of one GPU: which blocks are resident where, and when they end.
 * Every block counts, but SMs in the same state are one group, and blocks of a kernel that started together are one
 * cohort, so that cost follows changes. Streams and dependences are sim/front/front.c's.
 *
 * How long a block takes. It begins with WORK = cold x scale x factor to do: cold, more than 1 where its data left L2;
 * scale, the kernel's (noise, gsim_gpu_lengthen); factor, its own where blocks are unequal. It does speed x pace of
 * that per picosecond, and ends when nothing is left:
 *   speed = 1 / T    T: a block's time under the present load of its SM and of the chip (share.h; alone T = block_ps)
 *   pace             the part of it that arriving pages allow (gsim_gpu_set_pace), else 1
 * Whenever what an SM holds or what DRAM is asked for changes, what is left is brought up to date and T is found anew.
 *
 * Rules (tests/sim/sm/test_gpu.c holds each):
 *  - Kernels are served in arrival order within a priority. Only the head of the most urgent queue places blocks, and
 *    nothing bypasses it (Amert et al., RTSS 2017, rules X1, A1, A2).
 *  - A block never moves and is never stopped: priorities act when blocks end.
 *  - The SM with room for most of the kernel's blocks takes the next one, ties go to the lowest SM id (H200, measured:
 *    traces/h200/vm/places.txt; 400 blocks alone stand 3 on 128 SMs, 4 on 4).
 *  - Blocks that computed together end one after the other (spread.c). The head of the queue gets all SMs that are free
 *    when the distributor polls; the next kernel gets what is free at the next poll (H200 and H100:
 *    traces/h200/vm/heads.txt).
 *  - An empty SM takes the carve-out of the kernel that enters it, and keeps it until it is empty again. A kernel joins
 *    only where the carve-out holds its full occupancy (H200: 2,025 of 2,025 ordered pairs). An SM that the head of the
 *    queue fills as it empties keeps its carve-out if that is enough (traces/h200/vm/joins.txt).
 *  - Blocks that wait for memory leave alike SMs one after the other (spread.c).
 */
#pragma once

#include "sim/sm/work.h"
#include "gpusim/units.h"

struct gsim_gpu;
struct gsim_kernel_run; /* a kernel from its submission to its end */

struct gsim_gpu_listener {
    void *data;
    void (*kernel_started)(void *data, void *tag, gsim_time now); /* its first block is resident */
    void (*kernel_ended)(void *data, void *tag, gsim_time now);
    /* all of its blocks have, before their end; not called where trigger is 1 */
    void (*kernel_triggered)(void *data, void *tag, gsim_time now);
    /* it is paused, and its last resident block has ended */
    void (*kernel_drained)(void *data, void *tag, gsim_time now);
};

/* So many blocks of the kernel with TAG are resident on each of SMS (a bit each, GSIM_BLOCK_SMS of them) from SINCE to
 * UNTIL, and no longer. Waves that are handled at once are told of at once, before their time. */
struct gsim_gpu_watcher {
    void *data;
    void (*blocks_stayed)(void *data, void *tag, const uint64_t *sms, uint64_t blocks, gsim_time since,
                          gsim_time until);
};

struct gsim_gpu_load {
    uint32_t busy_sms, warps, kernels;
    uint32_t unknown_warps; /* of kernels of which nothing but shape and time is known */
    uint64_t blocks;
};

/* From ARENA; NULL when memory is out. LISTENER may be NULL. */
struct gsim_gpu *gsim_gpu_create(struct gsim_arena *arena, const struct gsim_device_spec *device,
                                 const struct gsim_gpu_options *options, const struct gsim_gpu_listener *listener);

/* A kernel whose dependences are met joins the distributor's queue of its priority (CUDA's: 0 default,
 * negative more urgent). WORK must stay as it is while anything is resident; this time it is SCALE of it. NULL when
 * memory is out; else valid until the kernel ends. */
struct gsim_kernel_run *gsim_gpu_submit_as(struct gsim_gpu *gpu, gsim_time now, const struct gsim_demand *work,
                                           double scale, bool is_held, int priority, void *tag);
static inline struct gsim_kernel_run *gsim_gpu_submit(struct gsim_gpu *gpu, gsim_time now,
                                                      const struct gsim_demand *work, int priority, void *tag)
{
    return gsim_gpu_submit_as(gpu, now, work, 1, false, priority, tag);
}

void gsim_gpu_release(struct gsim_gpu *gpu, gsim_time now, struct gsim_kernel_run *run);

/* A task of a resident kernel: one block of WORK, FACTOR times the mean's work, on the given SM at once, past the
 * distributor; it stands for BLOCKS blocks of its grid. AHEAD, if not negative: it waits behind that share of its work
 * until it is released. NULL, and *HAS_ROOM tells which, when memory is out or the SM has no room. */
struct gsim_kernel_run *gsim_gpu_place(struct gsim_gpu *gpu, gsim_time now, const struct gsim_demand *work,
                                       double factor, uint32_t blocks, uint32_t sm, double ahead, void *tag,
                                       bool *has_room);

/* Drops what is cached by the address of a demand. Call it before an address is used again; no block of that demand may
 * be resident. */
void gsim_gpu_forget_works(struct gsim_gpu *gpu);

/* From now on the work of each kernel submitted is drawn around what it is, with the device's kernel_spread. NOISE must
 * stay; NULL: no more. */
void gsim_gpu_set_noise(struct gsim_gpu *gpu, const struct gsim_random *noise);

/* SCATTER seeds the order in which blocks that started together end, and so how tightly the next kernels are packed.
 * The order is fixed within a run. At first 0. */
void gsim_gpu_set_scatter(struct gsim_gpu *gpu, uint64_t scatter);

/* WATCHER is copied; it cannot change anything. */
void gsim_gpu_watch(struct gsim_gpu *gpu, const struct gsim_gpu_watcher *watcher);

/* The next time at which blocks end; GSIM_TIME_NEVER when none is resident. */
gsim_time gsim_gpu_next(const struct gsim_gpu *gpu);
/* Handles everything that happens at NOW (<= gsim_gpu_next). */
void gsim_gpu_advance(struct gsim_gpu *gpu, gsim_time now);

/* How often the listener has been called. */
uint64_t gsim_gpu_told(const struct gsim_gpu *gpu);

/* Promises that the caller changes nothing before HORIZON, so that steady waves of one kernel alone may be handled
 * at once; holds until the next call or the end of a kernel (0, the default: no promise). */
void gsim_gpu_promise(struct gsim_gpu *gpu, gsim_time horizon);

/* A kernel that waits for pages goes at PACE (0 to 1) of its speed, and asks that much less of SMs and DRAM. */
void gsim_gpu_set_pace(struct gsim_gpu *gpu, gsim_time now, struct gsim_kernel_run *run, double pace);
struct gsim_gpu_progress {
    double done;             /* share of the kernel's work */
    double full_speed;       /* of all its resident blocks at pace 1: shares of the kernel per picosecond */
    double resident_threads;
};
struct gsim_gpu_progress gsim_gpu_progress(const struct gsim_gpu *gpu, const struct gsim_kernel_run *run,
                                           gsim_time now);

/* What L2 does to a kernel's time at most: one that reads nothing else takes twice as long without it
 * (traces/h200/vm/reuse.txt, traces/h100/reuse.txt: 1.9 to 2.2). */
#define GSIM_MOST_SCALE  2.0
#define GSIM_LEAST_SCALE (1 / GSIM_MOST_SCALE)
/* What is left of the kernel takes SHARE of its measured time longer, or shorter, within these limits. */
void gsim_gpu_lengthen(struct gsim_gpu *gpu, gsim_time now, struct gsim_kernel_run *run, double share);

/* No further block of the kernel is placed, until it goes on; those that are resident end. False: all are placed. */
bool gsim_gpu_pause(struct gsim_gpu *gpu, gsim_time now, struct gsim_kernel_run *run);
bool gsim_gpu_is_drained(const struct gsim_kernel_run *run);
/* It stands behind those that wait for room now. */
void gsim_gpu_go_on(struct gsim_gpu *gpu, gsim_time now, struct gsim_kernel_run *run);
/* Its blocks are gone, and so is RUN; its end is not told. */
void gsim_gpu_kill(struct gsim_gpu *gpu, gsim_time now, struct gsim_kernel_run *run);

/* Copies draw on DRAM too: adds (or takes back) their traffic. */
void gsim_gpu_add_copy_load(struct gsim_gpu *gpu, gsim_time now, double gbps);

/* So much in all. */
void gsim_gpu_set_copy_load(struct gsim_gpu *gpu, gsim_time now, double gbps);
/* What its blocks ask of DRAM, in GB/s. */
double gsim_gpu_demand(const struct gsim_gpu *gpu);

/* Whatever is under way happens so much later: its time has stood still. */
void gsim_gpu_delay(struct gsim_gpu *gpu, gsim_time by);

/* Some kernel is resident or waits for room. */
bool gsim_gpu_is_busy(const struct gsim_gpu *gpu);
/* Kernels of which some blocks are not resident yet. */
uint32_t gsim_gpu_queued(const struct gsim_gpu *gpu);
bool gsim_gpu_has_empty_sm(const struct gsim_gpu *gpu);
struct gsim_gpu_load gsim_gpu_load(const struct gsim_gpu *gpu);
void gsim_gpu_count(const struct gsim_gpu *gpu, struct gsim_statistics *statistics);

/* Checks capacity and conservation of blocks and SMs; GSIM_BUG on a violation. */
void gsim_gpu_check(const struct gsim_gpu *gpu);

/* How many blocks of the kernel with TAG are resident on each SM now (tests; over time: gsim_gpu_watch). */
void gsim_gpu_residency(const struct gsim_gpu *gpu, const void *tag, uint32_t *blocks_by_sm, uint32_t sm_count);
