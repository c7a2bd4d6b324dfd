/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (internal). A running launch of a persistent kernel: its workers on SMs and the state of every op. Its
 * policy says how a worker gets its next task. A task is one block of an op, or several where an op has many.
 *
 *   resident.c  the launch from its start to its end; tasks on SMs; idle time
 *   plan.c      its workers, tasks, order and costs
 *   lists.c     preset order: static, claim, barrier, and sched-warps with tasks bound ahead
 *   queue.c     a queue on the GPU, and scheduler warps
 *   host.c      threads of the host
 * The front end knows only a command's class (sim/platform/command.h).
 */
#pragma once

#include "sim/front/front.h"

/* Most tasks of an op for each worker. With more blocks a task is several blocks, one after another. */
#define GSIM_RESIDENT_WAVES 16
/* Most tasks of a plan; each takes some twenty bytes of the host. */
#define GSIM_RESIDENT_TASKS (1u << 25)

struct gsim_resident;
struct gsim_resident_worker;

struct gsim_resident_op {
    uint32_t first_task, task_count;
    uint32_t block_count, task_blocks;  /* of the grid; of each task but the last */
    uint32_t level;
    uint32_t unfinished;                /* tasks that have not ended */
    uint32_t unannounced;               /* tasks whose end the scheduler does not know */
    uint32_t untold;                    /* copilot: tasks whose end waiting workers do not know */
    uint32_t follows,
        waits_for; /* predecessors that have not ended / whose end the scheduler has not seen */
    uint32_t unplaced;                  /* tasks without a worker */
    bool has_started;
    gsim_time ready, start;
    gsim_time visible; /* when a polling worker sees its end; GSIM_TIME_NEVER: not known yet */
    struct gsim_resident_worker *waiting; /* workers that poll for its end */
};

enum gsim_resident_placed {
    GSIM_RESIDENT_UNPLACED,
    GSIM_RESIDENT_PLACED,
    GSIM_RESIDENT_MISPLACED /* speculation failed: to be placed again */
};

/* A task given to a worker. */
struct gsim_resident_slot {
    uint32_t task;
    gsim_time visible;
    bool is_gated;                      /* placed ahead: waits on its worker for its predecessors */
    bool is_passed_on;                  /* of a report: its worker went on with the successor */
    struct gsim_resident_worker *worker; /* of a reported end */
    struct gsim_resident_slot *next;
};

struct gsim_resident_worker {
    struct gsim_resident *resident;
    uint32_t index, sm;
    struct gsim_command *command;       /* its task as a command */
    gsim_time time;                     /* busy until */
    uint32_t task, position,
        next_pred; /* its task; its position in its list; the predecessor that it polls */
    uint32_t next_follower;
    bool is_idle;
    bool is_early;                      /* its task's prologue has begun; it waits for predecessors */
    struct gsim_kernel_run *run;        /* on the SM */
    struct { /* next task of its list, loaded while the current one runs */
        struct gsim_command *command;
        struct gsim_kernel_run *run; /* NULL: none */
        uint32_t task;
    } ahead;
    struct gsim_resident_worker *next_waiting;
    struct gsim_resident_slot *slots, **slots_tail;
    uint32_t slot_count;                /* tasks that the host has given it, the running one included */
    struct gsim_resident_slot *reports, **reports_tail; /* reports of ends on their way to the host */
    uint32_t next_task;                 /* copilot: successor that it runs without the host; UINT32_MAX: none */
};

/* A host thread, or a scheduler warp. */
struct gsim_resident_server {
    struct gsim_resident *resident;
    uint32_t first_worker, worker_count, next_worker;
    gsim_time free;
    bool is_asleep;                     /* nothing to do until WAKE, unless woken earlier */
    gsim_time wake;                     /* start of its next sweep */
    struct gsim_resident_slot **batch;  /* placements that are not visible yet */
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
    void (*ended)(struct gsim_resident_worker *w); /* the worker's task has ended */
    /* the end is reported; the worker is free at its time. Called by the policy */
    void (*next)(struct gsim_resident_worker *w);
    /* all predecessors of OP have ended, as the worker sees. Called by the policy */
    void (*release)(struct gsim_resident_worker *w, struct gsim_resident_op *op);
    void (*began)(struct gsim_resident_worker *w); /* its task has begun and waits for nothing; may be NULL */
};

struct gsim_resident {
    struct gsim_front *front;
    struct gsim_residents *all;         /* of the front end */
    struct gsim_command *command;       /* the launch in its stream */
    const struct gsim_persistent *plan;
    const struct gsim_resident_policy *policy;
    struct gsim_resident_costs costs;
    struct gsim_resident_op *ops;
    struct gsim_resident_worker *workers;
    struct gsim_resident_server *servers;
    uint32_t *op_of, *sequence;         /* op by task; tasks in the preset order */
    uint32_t *follower_start, *followers;
    uint32_t worker_count, server_count, op_count, task_count, tasks_left;
    uint32_t pending;                   /* timers */
    gsim_time start;
    /* idle time */
    uint32_t running, ready;
    gsim_time counted;
    double busy_ps, late_ps, limited_ps, late_makespan_ps;
    /* policies */
    gsim_time word_free;                /* when the workers' common counter or queue is free */
    uint32_t taken, arrived, phase;     /* tasks taken from SEQUENCE; workers at the barrier, and its phase */
    uint32_t *queue, queue_first, queue_count; /* ring of ready tasks, and the time of each */
    gsim_time *queue_since;
    struct gsim_resident_worker *waiting, **waiting_tail; /* workers without a task */
    uint32_t next_server;
    uint8_t *is_placed;                 /* copilot: enum gsim_resident_placed by task */
    uint32_t staged;                    /* all earlier tasks of the preset order are placed */
    struct gsim_resident_slot *free_slots;
    struct gsim_resident *next;         /* of the list of waiting or of idle launches */
};

extern const struct gsim_resident_policy gsim_resident_static, gsim_resident_claim, gsim_resident_barrier,
    gsim_resident_queue, gsim_resident_warps, gsim_resident_copilot;

/* Classes of a launch in a stream (ARGUMENT is its plan) and of a task on an SM (ARGUMENT is its worker). */
extern const struct gsim_command_class gsim_resident_class, gsim_resident_task;
/* Returns the runtime state of PLAN, made at its first launch. NULL: the run has failed. */
struct gsim_resident *gsim_resident_of_plan(struct gsim_front *f, const struct gsim_persistent *plan);

/* Starts the loads of TASK, the worker's next one, beside its current task. False: no room on the SM. */
bool gsim_resident_load_ahead(struct gsim_resident_worker *w, uint32_t task);
/* Makes the task that was loaded ahead the worker's current one; it waits for its predecessors. */
void gsim_resident_take_ahead(struct gsim_resident_worker *w);
/* Starts TASK on the worker at TIME. */
void gsim_resident_begin(struct gsim_resident_worker *w, uint32_t task, gsim_time time);
/* The same, but the task stops behind its prologue until gsim_resident_let_go(). */
void gsim_resident_begin_early(struct gsim_resident_worker *w, uint32_t task, gsim_time time);
void gsim_resident_let_go(struct gsim_resident_worker *w, gsim_time time);
/* Calls FIRE at TIME with ARGUMENT, unless the launch is over by then. */
void gsim_resident_at(struct gsim_resident *r, gsim_time time, void (*fire)(void *), void *argument);
/* Call it first in a function that gsim_resident_at() calls. False: the launch is over, return. */
bool gsim_resident_fires(struct gsim_resident *r);
/* The same for a function of a worker, whose time becomes now. */
bool gsim_resident_worker_fires(struct gsim_resident_worker *w);
/* Returns when an atomic that arrives at TIME is done; atomics on the common word are served in order. */
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
/* Appends a slot for TASK to the worker's. NULL: out of memory, and the run has failed. */
struct gsim_resident_slot *gsim_resident_give(struct gsim_resident_worker *w, uint32_t task, gsim_time visible);
/* Removes the worker's first slot and returns its task. */
uint32_t gsim_resident_take(struct gsim_resident_worker *w);
struct gsim_resident_slot *gsim_resident_new_slot(struct gsim_resident *r, uint32_t task, gsim_time visible);
void gsim_resident_free_slot(struct gsim_resident *r, struct gsim_resident_slot *slot);

/* --- lists.c ------------------------------------------------------------------------------------------ */
/* Waits for the predecessors of the worker's task, then starts it. The descriptor arrived at the worker's time. */
void gsim_resident_await(struct gsim_resident_worker *w);
/* Shows the end of OP, all of whose tasks are over, to workers from VISIBLE on. */
void gsim_resident_show(struct gsim_resident_op *op, gsim_time visible);
