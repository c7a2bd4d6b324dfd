/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (interface). One launch of a persistent kernel. Its workers are blocks that stay on their SMs until the
 * last task has ended. A task is a block of one of the launch's ops. The mode says how a worker gets its next task. The
 * device file has the costs of each step (task_..., handoff_..., board_...).
 */
#pragma once

#include "gpusim/program.h"
#include "gpusim/version.h"

GSIM_DECLARATIONS_BEGIN

#define GSIM_PERSISTENT_MODE_MAP(X)                                                                                    \
    X(STATIC, "static")           /* tasks assigned before the launch; a task polls its predecessors */     \
    X(BARRIER, "barrier")         /* the same by levels, with a barrier of all workers between them */                 \
    X(QUEUE, "queue")             /* one queue in L2: ends push successors, workers take tickets */                  \
    X(CLAIM, "claim") /* tasks in a preset order, taken from a counter */                                   \
    X(SCHED_WARPS, "sched-warps") /* scheduler warps on their own SMs push tasks to their workers */     \
    X(COPILOT, "copilot")         /* host threads do so, through flags in memory that both map */

enum gsim_persistent_mode {
#define GSIM_PERSISTENT_ENUM(name, text) GSIM_PERSISTENT_##name,
    GSIM_PERSISTENT_MODE_MAP(GSIM_PERSISTENT_ENUM)
#undef GSIM_PERSISTENT_ENUM
    GSIM_PERSISTENT_MODES
};

/* Host threads of mode copilot. Counts that are parameters of schedulers have the type of params.h. */
struct gsim_copilot {
    int64_t threads;        /* each serves a share of the workers; 0: 1 */
    int64_t depth;          /* tasks of a worker, the running one included; 0: 1 */
    int64_t batch;          /* placements behind one fence; 0: 1 */
    /* a batch waits this long to fill up; 0: until the thread has nothing more to place */
    double batch_us;
    double decision_us;     /* of one placement, added to board_place_us */
    double up_us, down_us;  /* latency of a flag to the host / to the device; 0: host_flag_up_us, host_flag_down_us */
    double fetch_us;        /* time of a worker to fetch a descriptor behind its flag; below 0: host_fetch_us */
    double post_us;         /* time of a worker to post an end; below 0: host_post_us */
    /* if no task is ready, places tasks ahead; the worker polls for their predecessors */
    bool speculates;
    double guess;           /* share of these placements that are right; the others are repeated */
    bool is_global;         /* a worker gets its nth task only when all workers of all threads have n - 1 */
    /* a task that is the only successor of its only predecessor stays on the worker, without the host */
    bool bypasses;
};

struct gsim_persistent {
    const struct gsim_op *const *ops; /* kernels */
    uint32_t op_count;
    /* ops[i] follows ops[after[after_start[i]]] to before ops[after[after_start[i + 1]]] */
    const uint32_t *after_start, *after;
    const uint32_t *order;          /* preset order of the ops; NULL: as listed */
    enum gsim_persistent_mode mode;
    int64_t workers;                /* 0: one for each SM without scheduler warps */
    /* static: DRAM traffic that a kernel with a prologue prefetches during the task before; 0: the prologue alone,
     * behind that task */
    double prefetch_kib;
    /* relative spread of the DRAM time of an op's tasks */
    double straggler_cv;
    /* lists: the next task's entry and descriptor are fetched during the current task */
    bool fetches_ahead;
    int64_t reserved_sms;           /* sched-warps: SMs for scheduler warps, four on each */
    /* sched-warps: tasks are bound to workers beforehand and poll their predecessors */
    bool is_ahead;
    struct gsim_copilot copilot;
};

const char *gsim_persistent_mode_name(enum gsim_persistent_mode mode);

GSIM_DECLARATIONS_END
