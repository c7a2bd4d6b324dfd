/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner. A resident launch for real: the tables that its workers read, on the GPU and, for tests, on the
 * CPU. A task is a share of an op's blocks, and lasts so many cycles of the SM's clock, which its worker spends
 * spinning. What a worker does is in worker.h, what threads of the host do in board.h; gpu.h has both on a GPU. The
 * model of the same: sim/resident/resident.h.
 */
#pragma once

#include "gpusim/persistent.h"

GSIM_DECLARATIONS_BEGIN

#define GSIM_TASKS_STOP UINT32_MAX /* in place of a task */
#define GSIM_TASKS_APART 32u       /* words between two that different workers poll or add to: a line of L2 */

/* What a worker fetches of a task. */
struct gsim_tasks_task {
    uint64_t cycles;
    uint32_t op;
    uint32_t pred_start, pred_count;         /* what it follows, in preds */
    uint32_t follower_start, follower_count; /* ops that follow its op, in followers */
    uint32_t task_count;                     /* of its op */
};

struct gsim_tasks_op {
    uint32_t first_task, task_count, pred_count, level;
};

/* An op that a task follows, and how many tasks it has. */
struct gsim_tasks_pred {
    uint32_t op, task_count;
};

/* When and where a task ran: the GPU's clock. */
struct gsim_tasks_stamp {
    uint64_t start_ns, end_ns;
    uint32_t worker, sm, runs, launch; /* RUNS of all launches; LAUNCH: the last one, from 1 */
};

/* Of one worker, in memory of the host that the GPU sees: the host writes slots, the worker reports. */
struct gsim_tasks_slot {
    uint64_t flag;             /* ticket below, task above 32 bits */
    uint64_t is_gated;         /* the worker waits for what the task follows by itself */
    struct gsim_tasks_task task;
    uint64_t unused[2];
};
struct gsim_tasks_report {
    uint32_t ended;            /* tickets */
    uint32_t unused[15];
};

/* Words of WORDS. */
enum gsim_tasks_word { GSIM_TASKS_HEAD, GSIM_TASKS_TAIL, GSIM_TASKS_ARRIVED, GSIM_TASKS_LATE, GSIM_TASKS_WORDS };

/* All that a worker needs, by value. What counts does so over all launches, so that nothing is reset between two. */
struct gsim_tasks_view {
    const struct gsim_tasks_task *tasks;
    const struct gsim_tasks_op *ops;
    const uint32_t *sequence;                /* tasks in the preset order; by level, where there are barriers */
    const struct gsim_tasks_pred *preds;
    const uint32_t *followers;
    const uint32_t *roots;                   /* tasks that follow nothing, in the preset order */
    const uint32_t *level_start;             /* in the sequence; level_count + 1 of them */
    uint32_t *done;                          /* by op, GSIM_TASKS_APART / 4 words apart: tasks that have ended */
    uint32_t *arrived;                       /* by op, as far apart: ops that it follows and that have ended */
    uint64_t *queue;                         /* task below, launch above 32 bits */
    uint32_t *words;                         /* GSIM_TASKS_APART words apart */
    uint32_t *tickets;                       /* by worker: that it has had from the host */
    struct gsim_tasks_stamp *stamps;         /* by task */
    uint64_t *values;                        /* by task: made of those of what it follows, where the launch verifies */
    struct gsim_tasks_slot *slots;           /* by worker, depth of each */
    struct gsim_tasks_report *reports;       /* by worker */
    uint64_t limit_ns;                       /* of the whole launch: workers give up */
    uint32_t task_count, op_count, root_count, level_count, worker_count, depth, launch;
    uint32_t mode;                           /* enum gsim_persistent_mode */
    uint32_t fetches_ahead, verifies, tells_workers; /* truth values */
};

#define GSIM_TASKS_OP_WORDS (GSIM_TASKS_APART / 4)

/* The same in the host's memory. */
struct gsim_tasks_tables {
    const struct gsim_persistent *plan;
    struct gsim_tasks_view view;             /* pointers into one block each */
    void *tables, *state;                    /* read only; of workers, zero at first */
    size_t table_bytes, state_bytes;
    const uint64_t *follower_starts;         /* by op, op_count + 1 of them; not for workers */
    uint32_t threads;                        /* of a worker's block: as many as the largest of the ops' */
    uint32_t smem_bytes;                     /* as much as the ops' most */
};

/* Tables of PLAN, whose ops have as many blocks as their kernels' grids and as many cycles a block as CYCLES says, for
 * WORKERS workers. GSIM_INPUT: the order has an op before one that it follows, or there are too many tasks; GSIM_SIM: a
 * mode or option that is not there for real. */
typedef uint64_t gsim_tasks_cycles(const void *data, const struct gsim_op *op);
enum gsim_status gsim_tasks_make(struct gsim_tasks_tables *tasks, const struct gsim_persistent *plan,
                                 const struct gsim_kernel *kernels, uint32_t workers, gsim_tasks_cycles *cycles,
                                 const void *data, struct gsim_error *error) GSIM_NODISCARD;
void gsim_tasks_release(struct gsim_tasks_tables *tasks); /* accepts a zeroed one */

/* The tables' view with its pointers moved from the host's blocks to ones of the same content elsewhere. */
struct gsim_tasks_view gsim_tasks_move(const struct gsim_tasks_tables *tasks, void *table_block, void *state_block);

/* After LAUNCH: every task ran once in each launch, none began before all that it follows had ended, and, where the
 * launch verified, each has the value that follows from its predecessors' of this launch. Else GSIM_SIM, which names
 * the ops. */
enum gsim_status gsim_tasks_check(const struct gsim_tasks_tables *tasks, const struct gsim_tasks_stamp *stamps,
                                  const uint64_t *values, uint32_t launch, bool verifies,
                                  struct gsim_error *error) GSIM_NODISCARD;

/* A task's value, where SUM is that of the tasks of all ops that it follows. */
#ifdef __CUDACC__
__host__ __device__
#endif
static inline uint64_t gsim_tasks_value(uint32_t task, uint32_t launch, uint64_t sum)
{
    uint64_t z = sum + ((uint64_t)launch << 32 | task) * 0x9e3779b97f4a7c15ull + 1; /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

GSIM_DECLARATIONS_END
