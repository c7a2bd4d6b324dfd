/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (interface). One launch of a persistent kernel. Its workers are blocks that stay on their SMs until the
 * last task has ended. A task is a block of one of the launch's ops. The mode says how the next task comes to a worker.
 * Costs of each step are a device's numbers (task_..., handoff_..., board_...).
 */
#pragma once

#include "gpusim/program.h"
#include "gpusim/version.h"

GSIM_DECLARATIONS_BEGIN

#define GSIM_PERSISTENT_MODE_MAP(X)                                                                                    \
    X(STATIC, "static")           /* the host deals tasks out beforehand; a task polls its predecessors */     \
    X(BARRIER, "barrier")         /* the same by levels, with a barrier of all workers between two */                 \
    X(QUEUE, "queue")             /* one queue in L2: ends push successors, workers take tickets */                  \
    X(CLAIM, "claim")             /* the preset order, tasks taken from a counter */                                   \
    X(SCHED_WARPS, "sched-warps") /* warps on SMs of their own see ends and push tasks to their workers */     \
    X(COPILOT, "copilot")         /* threads of the host do so, through flags that both see */

enum gsim_persistent_mode {
#define GSIM_PERSISTENT_ENUM(name, text) GSIM_PERSISTENT_##name,
    GSIM_PERSISTENT_MODE_MAP(GSIM_PERSISTENT_ENUM)
#undef GSIM_PERSISTENT_ENUM
    GSIM_PERSISTENT_MODES
};

/* What a host thread of mode copilot does beside deciding. */
struct gsim_copilot {
    uint32_t threads;       /* each has its share of the workers; 0: 1 */
    uint32_t depth;         /* tasks that a worker may hold, the running one included; 0: 1 */
    uint32_t batch;         /* placements that one fence makes visible together; 0: 1 */
    /* a batch that is not full waits that long for more; 0: until the thread has nothing more to place */
    double batch_us;
    double decision_us;     /* of one placement, beside board_place_us */
    double up_us, down_us;  /* a flag's way to the host and to the device; 0: host_flag_up_us, host_flag_down_us */
    double fetch_us;        /* a descriptor's way to its worker behind its flag; below 0: host_fetch_us */
    double post_us;         /* what telling the host costs the worker; below 0: host_post_us */
    /* with nothing ready, places tasks before their predecessors have ended; the worker polls for these */
    bool speculates;
    double guess;           /* share of such placements that stay; others are repeated when the task is ready */
    bool is_global;         /* a worker gets a second task only where no other thread's worker has none, and so on */
    /* the only task behind a task that follows nothing else stays on its worker, without the host */
    bool bypasses;
};

struct gsim_persistent {
    const struct gsim_op *const *ops; /* kernels */
    uint32_t op_count;
    /* ops[i] follows ops[after[after_start[i]]] to before ops[after[after_start[i + 1]]] */
    const uint32_t *after_start, *after;
    const uint32_t *order;          /* preset: ops in the order of their tasks; NULL: as listed */
    enum gsim_persistent_mode mode;
    uint32_t workers;               /* 0: one for each SM that no scheduler has */
    /* static: so much of the next task's DRAM traffic comes while the task before runs, and then waits, where its
     * kernel has a prologue; 0: the prologue alone, behind the task before */
    double prefetch_kib;
    /* how unevenly DRAM serves workers during an op: spread of what its tasks take there, relative */
    double straggler_cv;
    /* lists: a task's entry and descriptor come while the worker does the task before */
    bool fetches_ahead;
    uint32_t reserved_sms;          /* sched-warps: for the scheduler warps, four on each */
    /* sched-warps: tasks are bound to workers before, and wait for what they follow by themselves */
    bool is_ahead;
    struct gsim_copilot copilot;
};

const char *gsim_persistent_mode_name(enum gsim_persistent_mode mode);

GSIM_DECLARATIONS_END
