/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/sm. One GPU's SMs and its work distributor over time: kernels are submitted, their blocks are placed, run
 * at speeds that change with what runs beside them, and end (README.md has the order). SMs in the same state are one
 * group and blocks of a kernel that started together on an SM are one cohort (state.h), so that cost follows changes
 * and not blocks. Streams and dependences are sim/front/front.c's.
 *
 * How long a block takes. It begins with WORK = cold x scale x factor: cold, more than 1 where its data left L2; scale,
 * the kernel's in this launch (noise, L2 reuse); factor, its own where blocks are unequal. It does pace / T of work per
 * picosecond and ends when none is left:
 *   T      a whole block's time under the present load of its SM and of the chip (share.h; alone block_ps)
 *   pace   the share of its speed that arriving pages allow (gsim_gpu_set_pace), else 1
 * Whenever what an SM holds or what DRAM is asked for changes, the work done is settled and T is found anew.
 *
 * Rules (tests/sim/sm/test_gpu.c holds each; evidence: docs/model/placement.md, docs/model/ends.md):
 *  - Kernels are served in arrival order within a priority. Only the head of the most urgent queue places blocks, and
 *    nothing bypasses it (Amert et al., RTSS 2017, rules X1, A1, A2).
 *  - A block never moves and is never preempted: priorities act when blocks end.
 *  - The next block goes to the SM with room for most of the kernel's blocks; ties go to the lowest SM id.
 *  - The head of the queue gets all SMs that are free when the distributor polls; the next kernel gets what is free at
 *    the next poll.
 *  - An empty SM takes the carve-out of the kernel that enters it, and keeps it until it is empty again. A kernel joins
 *    only where the carve-out holds its full occupancy. An SM that the head of the queue refills as it empties keeps
 *    its carve-out if that is enough.
 *  - Blocks that started together end one after another (spread.c), whether they compute or wait for memory.
 *
 * Calls take the time NOW, which never decreases and is not after gsim_gpu_next(). Kernels are told apart by their TAG.
 */
#pragma once

#include "sim/sm/demand.h"
#include "gpusim/units.h"

struct gsim_gpu;
struct gsim_kernel_run; /* a launch from its submission to its end */

struct gsim_gpu_listener {
    void *data;
    void (*kernel_started)(void *data, void *tag, gsim_time now); /* its first block is resident */
    void (*kernel_ended)(void *data, void *tag, gsim_time now);
    /* all of its blocks have triggered (programmatic launches); not called where that is at their end */
    void (*kernel_triggered)(void *data, void *tag, gsim_time now);
    /* it is paused, and its last resident block has ended */
    void (*kernel_drained)(void *data, void *tag, gsim_time now);
};

/* Told when blocks leave: BLOCKS of the kernel were resident on each of SMS (one bit per SM, GSIM_BLOCK_SMS of them)
 * from SINCE to UNTIL. Waves that are handled at once are told of at once, before their time. */
struct gsim_gpu_watcher {
    void *data;
    void (*blocks_stayed)(void *data, void *tag, const uint64_t *sms, uint64_t blocks, gsim_time since,
                          gsim_time until);
};

struct gsim_gpu_load {
    uint32_t busy_sms, warps, kernels;
    uint32_t unknown_warps; /* of kernels of which only shape and time are known */
    uint64_t blocks;
};

/* An idle GPU from ARENA; NULL when memory is out. DEVICE must outlive it; OPTIONS and LISTENER are copied, and may be
 * NULL. */
struct gsim_gpu *gsim_gpu_create(struct gsim_arena *arena, const struct gsim_device_spec *device,
                                 const struct gsim_gpu_options *options, const struct gsim_gpu_listener *listener);

/* Puts a launch whose dependences are met into the distributor's queue of PRIORITY (CUDA's: 0 default, negative more
 * urgent). WORK must stay as it is until the launch has ended; its blocks have SCALE times that work. IS_HELD: they
 * wait behind their prologue for gsim_gpu_release(). Returns the launch, valid until it ends; NULL when memory is
 * out. */
struct gsim_kernel_run *gsim_gpu_submit_as(struct gsim_gpu *gpu, gsim_time now, const struct gsim_demand *work,
                                           double scale, bool is_held, int priority, void *tag);
static inline struct gsim_kernel_run *gsim_gpu_submit(struct gsim_gpu *gpu, gsim_time now,
                                                      const struct gsim_demand *work, int priority, void *tag)
{
    return gsim_gpu_submit_as(gpu, now, work, 1, false, priority, tag);
}

/* Lets the blocks of a held launch go on behind their prologue. */
void gsim_gpu_release(struct gsim_gpu *gpu, gsim_time now, struct gsim_kernel_run *run);

/* Starts a task of a persistent kernel: one block of FACTOR times WORK's mean, at once on SM, past the distributor. It
 * stands for BLOCKS blocks of its grid. AHEAD, if not negative: it waits behind that share of its work until it is
 * released. NULL when memory is out or, *HAS_ROOM is false then, when the SM has no room. */
struct gsim_kernel_run *gsim_gpu_place(struct gsim_gpu *gpu, gsim_time now, const struct gsim_demand *work,
                                       double factor, uint32_t blocks, uint32_t sm, double ahead, void *tag,
                                       bool *has_room);

/* Drops what is cached by the address of a demand. Call it before an address is used again; no block of that demand may
 * be resident. */
void gsim_gpu_forget_works(struct gsim_gpu *gpu);

/* Multiplies the work of each launch from now on by a factor drawn from NOISE with the device's kernel_spread. NOISE
 * must outlive the GPU; NULL: no more. */
void gsim_gpu_set_noise(struct gsim_gpu *gpu, const struct gsim_random *noise);

/* Seeds the order in which blocks that started together end. It is fixed within a run. Default 0. */
void gsim_gpu_set_scatter(struct gsim_gpu *gpu, uint64_t scatter);

/* Tells WATCHER, which is copied, of residency. It cannot change a run. */
void gsim_gpu_watch(struct gsim_gpu *gpu, const struct gsim_gpu_watcher *watcher);

/* When the next blocks end or the distributor polls; GSIM_TIME_NEVER when nothing will happen by itself. */
gsim_time gsim_gpu_next(const struct gsim_gpu *gpu);
/* Handles everything that happens at NOW (<= gsim_gpu_next). */
void gsim_gpu_advance(struct gsim_gpu *gpu, gsim_time now);

/* How many calls of the listener there have been, or would have been. */
uint64_t gsim_gpu_told(const struct gsim_gpu *gpu);

/* Promises that the caller changes nothing before HORIZON, so that waves that repeat may be handled at once. Holds
 * until the next change or the end of a kernel. Default 0: no promise. */
void gsim_gpu_promise(struct gsim_gpu *gpu, gsim_time horizon);

/* Lets a launch that waits for pages go at PACE (0 to 1) of its speed. It asks that much less of SMs and DRAM. */
void gsim_gpu_set_pace(struct gsim_gpu *gpu, gsim_time now, struct gsim_kernel_run *run, double pace);
struct gsim_gpu_progress {
    double done;             /* share of the launch's work, 0 to 1 */
    double full_speed;       /* of all its resident blocks at pace 1: shares of the launch per picosecond */
    double resident_threads;
};
struct gsim_gpu_progress gsim_gpu_progress(const struct gsim_gpu *gpu, const struct gsim_kernel_run *run,
                                           gsim_time now);

/* Most and least that L2 reuse changes a kernel's time: one that reads nothing else takes twice as long without it
 * (traces/h200/vm/reuse.txt, traces/h100/reuse.txt: 1.9 to 2.2). */
#define GSIM_MAX_SCALE   2.0
#define GSIM_MIN_SCALE (1 / GSIM_MAX_SCALE)
/* Adds SHARE, which may be negative, of the launch's time alone to what is left of it, within these limits. */
void gsim_gpu_lengthen(struct gsim_gpu *gpu, gsim_time now, struct gsim_kernel_run *run, double share);

/* Places no further block of the launch until gsim_gpu_go_on(); resident ones end. False: all are placed already. */
bool gsim_gpu_pause(struct gsim_gpu *gpu, gsim_time now, struct gsim_kernel_run *run);
bool gsim_gpu_is_drained(const struct gsim_kernel_run *run);
/* Puts a paused launch back into its queue, at the end. */
void gsim_gpu_go_on(struct gsim_gpu *gpu, gsim_time now, struct gsim_kernel_run *run);
/* Removes its blocks at once, and RUN with them. The listener is not told of an end. */
void gsim_gpu_kill(struct gsim_gpu *gpu, gsim_time now, struct gsim_kernel_run *run);

/* Adds GBPS, which may be negative, to the DRAM traffic of copies, or sets it. */
void gsim_gpu_add_copy_load(struct gsim_gpu *gpu, gsim_time now, double gbps);
void gsim_gpu_set_copy_load(struct gsim_gpu *gpu, gsim_time now, double gbps);
/* What the resident blocks ask of DRAM, in GB/s. */
double gsim_gpu_demand(const struct gsim_gpu *gpu);

/* Delays whatever is under way by BY: the GPU has stood still for so long. */
void gsim_gpu_delay(struct gsim_gpu *gpu, gsim_time by);

/* Whether some kernel is resident or waits for room. */
bool gsim_gpu_is_busy(const struct gsim_gpu *gpu);
/* How many launches have blocks that wait for room. */
uint32_t gsim_gpu_queued(const struct gsim_gpu *gpu);
bool gsim_gpu_has_empty_sm(const struct gsim_gpu *gpu);
struct gsim_gpu_load gsim_gpu_load(const struct gsim_gpu *gpu);
/* Sets block_events and gpu_events. */
void gsim_gpu_count(const struct gsim_gpu *gpu, struct gsim_statistics *statistics);

/* Checks that no SM is over its limits and that no block or SM is lost; GSIM_BUG otherwise. */
void gsim_gpu_check(const struct gsim_gpu *gpu);
