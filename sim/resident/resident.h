/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (internal). A resident launch while it runs: workers on SMs, the state of every op, and how the next task
 * comes to a worker, which is its policy's. A task is a share of an op's blocks, on most programs one.
 *
 *   resident.c  the launch from its start to its end; tasks on SMs; idle time
 *   plan.c      its workers, tasks, order and costs
 *   lists.c     preset order: static, claim, barrier, and sched-warps with tasks bound ahead
 *   queue.c     a queue on the GPU, and scheduler warps
 *   host.c      threads of the host
 * The front end knows of all this a command's class alone (sim/platform/command.h).
 */
#pragma once

#include "sim/front/front.h"

/* An op has at most so many tasks for each worker: where it has more blocks, a task is several, one after the other. */
#define GSIM_RESIDENT_WAVES 16
/* Of a plan: some twenty bytes for each are within any host's memory. */
#define GSIM_RESIDENT_TASKS (1u << 25)

struct gsim_resident;
struct gsim_resident_worker;

struct gsim_resident_op {
    uint32_t first_task, task_count;
    uint32_t block_count, task_blocks;  /* of the grid; of a task, but for the last */
    uint32_t level;
    uint32_t unfinished;                /* tasks whose work has not ended */
    uint32_t unannounced;               /* tasks whose end its scheduler has not been told of */
    uint32_t untold;                    /* copilot: tasks whose end waiting workers have not been told of */
    uint32_t follows,
        waits_for; /* ops that it follows: those whose work has not ended, those that its scheduler has not seen end */
    uint32_t unplaced;                  /* tasks that no worker has been given */
    bool has_started;
    gsim_time ready, start;
    gsim_time visible; /* when a polling worker sees that all tasks have ended; GSIM_TIME_NEVER: not known */
    struct gsim_resident_worker *waiting; /* for that */
};

enum gsim_resident_placed {
    GSIM_RESIDENT_UNPLACED,
    GSIM_RESIDENT_PLACED,
    GSIM_RESIDENT_MISPLACED /* ahead, and wrongly: to be placed again */
};

/* A task given to a worker. */
struct gsim_resident_slot {
    uint32_t task;
    gsim_time visible;
    bool is_gated;                      /* placed ahead: waits on its worker for what it follows */
    bool is_passed_on;                  /* of a report: its worker went on with the task behind it */
    struct gsim_resident_worker *worker; /* of an end that other workers are told of */
    struct gsim_resident_slot *next;
};

struct gsim_resident_worker {
    struct gsim_resident *resident;
    uint32_t index, sm;
    struct gsim_command *command;       /* its task on the SM */
    gsim_time time;                     /* up to when it is occupied */
    uint32_t task, position,
        next_pred; /* what it does; its place in its list; which of the ops that the task follows it looks at */
    uint32_t next_follower;
    bool is_idle;
    bool is_early;                      /* its task's prologue has begun, and it waits for what the task follows */
    struct gsim_kernel_run *run;        /* on the SM */
    struct { /* the next of its list, whose loads come while it does the one before */
        struct gsim_command *command;
        struct gsim_kernel_run *run; /* NULL: there is none */
        uint32_t task;
    } ahead;
    struct gsim_resident_worker *next_waiting;
    struct gsim_resident_slot *slots, **slots_tail;
    uint32_t slot_count;                /* that the host knows of, with the running task */
    struct gsim_resident_slot *reports, **reports_tail; /* ends on their way to the host */
    uint32_t next_task;                 /* copilot: that it goes on with by itself; UINT32_MAX: none */
};

/* A host thread, or a scheduler warp. */
struct gsim_resident_server {
    struct gsim_resident *resident;
    uint32_t first_worker, worker_count, next_worker;
    gsim_time free;
    bool is_asleep;                     /* finds nothing until WAKE, or somebody wakes it earlier */
    gsim_time wake;                     /* when the sweep begins that is due */
    struct gsim_resident_slot **batch;  /* placed, and not visible yet */
    struct gsim_resident_worker **batch_workers;
    uint32_t batch_count;
    gsim_time batch_since;
};

struct gsim_resident_costs {
    gsim_time handoff, fence, take, fetch, check, update, push, atomic, barrier, scheduler;
    gsim_time up, down, host_fetch, post, poll, retire, host_update, place, commit, batch;
};

struct gsim_resident_policy {
    void (*begin)(struct gsim_resident *r);
    void (*ended)(struct gsim_resident_worker *w); /* the worker's task ended now */
    void (*next)(struct gsim_resident_worker *w);  /* it has told so, and is free at its time; the policy's own */
    /* counters: of what OP follows nothing is left, as the worker finds; the policy's own */
    void (*release)(struct gsim_resident_worker *w, struct gsim_resident_op *op);
    void (*began)(struct gsim_resident_worker *w); /* it began, with nothing more to wait for; NULL: of no interest */
};

struct gsim_resident {
    struct gsim_front *front;
    struct gsim_residents *all;         /* of the front end */
    struct gsim_command *command;       /* in its stream */
    const struct gsim_persistent *plan;
    const struct gsim_resident_policy *policy;
    struct gsim_resident_costs costs;
    struct gsim_resident_op *ops;
    struct gsim_resident_worker *workers;
    struct gsim_resident_server *servers;
    uint32_t *op_of, *sequence;         /* by task; tasks in the preset order */
    uint32_t *follower_start, *followers;
    uint32_t worker_count, server_count, op_count, task_count, tasks_left;
    uint32_t pending;                   /* timers */
    gsim_time start;
    /* idle time */
    uint32_t running, ready;
    gsim_time counted;
    double busy_ps, late_ps, limited_ps, late_makespan_ps;
    /* policies */
    gsim_time word_free;                /* the counter or queue that all workers use */
    uint32_t taken, arrived, phase;     /* of the sequence; workers at the barrier */
    uint32_t *queue, queue_first, queue_count; /* tasks in a queue, and when they are there */
    gsim_time *queue_since;
    struct gsim_resident_worker *waiting, **waiting_tail; /* for a task */
    uint32_t next_server;
    uint8_t *is_placed;                 /* copilot, by task: enum gsim_resident_placed */
    uint32_t staged;                    /* no task before it in the preset order is left to be placed ahead */
    struct gsim_resident_slot *free_slots;
    struct gsim_resident *next;         /* waits for the device, or idle */
};

extern const struct gsim_resident_policy gsim_resident_static, gsim_resident_claim, gsim_resident_barrier,
    gsim_resident_queue, gsim_resident_warps, gsim_resident_copilot;

/* A launch in a stream, whose plan is the command's argument; a task of one on an SM, whose worker is. */
extern const struct gsim_command_class gsim_resident_class, gsim_resident_task;
/* What PLAN is when it runs, made at its first launch. NULL: the run has failed. */
struct gsim_resident *gsim_resident_of_plan(struct gsim_front *f, const struct gsim_persistent *plan);

/* Loads of TASK, which the worker does next, begin now, beside its task's; false: they do not, since there is no room
 * for them. */
bool gsim_resident_load_ahead(struct gsim_resident_worker *w, uint32_t task);
/* That task is the worker's now, and waits for what it follows. */
void gsim_resident_take_ahead(struct gsim_resident_worker *w);
/* The worker begins TASK at TIME. */
void gsim_resident_begin(struct gsim_resident_worker *w, uint32_t task, gsim_time time);
/* The same, but it waits behind its prologue until it is let go of. */
void gsim_resident_begin_early(struct gsim_resident_worker *w, uint32_t task, gsim_time time);
void gsim_resident_let_go(struct gsim_resident_worker *w, gsim_time time);
/* Calls FIRE at TIME with ARGUMENT, unless the launch is over by then. */
void gsim_resident_at(struct gsim_resident *r, gsim_time time, void (*fire)(void *), void *argument);
/* To be called first by what gsim_resident_at calls: false where there is nothing left to do. */
bool gsim_resident_fires(struct gsim_resident *r);
/* The same of what is called with a worker, whose time is now from here on. */
bool gsim_resident_worker_fires(struct gsim_resident_worker *w);
/* Nobody else's word: an atomic that arrives at TIME is done behind those before it. */
static inline gsim_time gsim_resident_atomic(struct gsim_resident *r, gsim_time time)
{
    r->word_free = (time > r->word_free ? time : r->word_free) + r->costs.atomic;
    return r->word_free;
}
static inline gsim_time gsim_resident_now(const struct gsim_resident *r) { return r->front->machine->now; }
static inline const struct gsim_resident_op *gsim_resident_op_of(const struct gsim_resident *r, uint32_t task)
{
    return &r->ops[r->op_of[task]];
}
/* A slot for TASK at the end of the worker's; NULL, and the run fails, when memory is out. */
struct gsim_resident_slot *gsim_resident_give(struct gsim_resident_worker *w, uint32_t task, gsim_time visible);
/* The worker's first slot leaves; returns its task. */
uint32_t gsim_resident_take(struct gsim_resident_worker *w);
struct gsim_resident_slot *gsim_resident_new_slot(struct gsim_resident *r, uint32_t task, gsim_time visible);
void gsim_resident_free_slot(struct gsim_resident *r, struct gsim_resident_slot *slot);

/* --- lists.c ------------------------------------------------------------------------------------------ */
/* The worker, free at its time, has its task's descriptor: waits for what the task follows, and begins. */
void gsim_resident_await(struct gsim_resident_worker *w);
/* All tasks of the op are over, and workers see it from VISIBLE on. */
void gsim_resident_show(struct gsim_resident_op *op, gsim_time visible);
