/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (internal: only the machine's own files include it). The common state of one simulation, and the loop that
 * advances simulated time. The parts:
 *
 *   simulation  struct gsim_machine (here)                     agenda, clock, host threads, observers
 *   process     struct gsim_process (sim/front/process.h)      driver calls, streams, events, graphs
 *               struct gsim_space (sim/memory/space.h)         its memory
 *   device      struct gsim_device (sim/memory/device.h)       SMs, copy engines, L2, faults
 *               struct gsim_front (sim/front/front.h)          its hardware queues and graph dispatcher
 *   command     struct gsim_command (sim/platform/command.h) an entry of a queue
 *
 *   host threads --> streams --> hardware queues --> work distributor (sim/sm/gpu.h) --> SMs
 *   (sim/host)       (sim/front)  (sim/front)    \--> copy engines (sim/memory/copies.c) --> links
 * (sim/platform/engine.h)
 *                                                 \-> graphs (sim/front/graphs.c)
 *
 * Temporal decoupling: a host thread's own clock (local) runs ahead of the machine's (now) while its calls
 * only enqueue; they carry their time stamps. It meets the machine where it synchronises, queries, finds a
 * launch queue full, or when other host threads exist. At most one thread runs at a time; the one that blocks
 * drives the loop (gsim_machine_block) until some thread's wake time is the next thing to happen. SimGrid's
 * clock follows: it must be exact only while transfers share its links.
 */
#pragma once

/* Seeds of different streams of random numbers: 2^64 over the golden ratio, far apart for neighbouring seeds. */
#define GSIM_SEED_STEP UINT64_C(0x9e3779b97f4a7c15)

#include "gpusim/driver.h"
#include "gpusim/simulate.h"
#include "sim/platform/agenda.h"
#include "sim/platform/command.h"
#include "sim/platform/engine.h"
#include "sim/program/draw.h"

struct gsim_device;
struct gsim_hardware;

struct gsim_host_thread {
    struct gsim_actor *actor;
    struct gsim_driver *driver;    /* that it calls */
    const void *note;              /* of its current gsim_launch_noted(), for the front end's policy */
    struct gsim_caller *client;    /* its task */
    uint32_t device;               /* index of its current device: cudaSetDevice() */
    gsim_time local;               /* its own clock; >= now while it runs */
    gsim_time wake;                /* blocked: when it resumes; GSIM_TIME_NEVER until its condition holds */
    uint64_t target;               /* wait for a stream: the count of completed commands */
    uint32_t index;
    bool is_alive, is_blocked;
    struct gsim_host_thread *next_waiting;
    struct gsim_host_thread *joiners;
    void (*body)(struct gsim_driver *, void *);
    void *argument, *item;
    /* gsim_wait_any(): returns when the first waitable is fulfilled; GSIM_TIME_NEVER: not known yet. */
    gsim_time (*fulfilled)(const struct gsim_host_thread *thread);
    const void *waits;
    struct gsim_host_thread *next_watching;
    bool is_reusable;              /* nobody joins it; reused after its end */
};

/* A task as the caller of driver calls. */
struct gsim_caller {
    struct gsim_run *run;          /* the scheduler's; its iterations may be cut when they repeat */
    uint32_t task, first_op;       /* index; of its first op in the timeline's program */
    uint32_t iteration;
    uint32_t streams_used, events_recorded, stream_waits;
    gsim_time iteration_start;
};

struct gsim_lock_state {
    struct gsim_host_thread *owner, *waiting;
};

struct gsim_queue_state {
    void **items;
    uint32_t capacity, first, count;
    gsim_time filled;              /* since when it is not empty */
    struct gsim_host_thread *pushing, *popping;
};

struct gsim_collectives;

struct gsim_machine {
    const struct gsim_simulation *simulation;
    struct gsim_timeline *timeline;
    const struct gsim_platform *platform;
    uint64_t *peers; /* by device: a bit for each peer of its node with peer access; NULL: none */
    /* Returns device INDEX, made at its first use. NULL: the run has failed. */
    struct gsim_device *(*open_device)(struct gsim_machine *machine, uint32_t index);
    struct gsim_hardware *hardware; /* for open_device() */
    struct gsim_engine *engine;
    struct gsim_arena arena;
    struct gsim_error *error;      /* the first failure; driver calls check it */

    gsim_time now;                 /* all events up to here are handled */
    gsim_time wake;                /* earliest wake time of a host thread */
    struct gsim_agenda agenda;

    struct gsim_host_thread **threads;
    size_t thread_count, thread_capacity;
    struct gsim_host_thread *running;
    bool has_woken;                /* WAKE must be computed again */
    uint32_t alive_count;
    uint32_t call_count;           /* driver calls of all processes */
    struct gsim_host_thread *watching; /* threads in gsim_wait_any(), by next_watching */
    struct gsim_random call_noise; /* with gsim_simulation.noise */
    struct gsim_lock_state *locks;
    size_t lock_count, lock_capacity;
    struct gsim_queue_state *queues;
    size_t queue_count, queue_capacity;

    struct gsim_command *free_commands[2]; /* [1]: brief ones */
    bool is_drawn;                 /* some task runs a source */
    const struct gsim_kernel *kernels; /* the program's, with collectives' shapes resolved; NULL: no collectives */
    struct gsim_collectives *collectives; /* sim/collective; NULL: no collectives */
    bool (*explains)(const struct gsim_machine *m, char *text,
                     size_t size); /* describes a deadlock in TEXT; may be NULL */
};

/* Returns the op's number in the timeline's program; op->index is its number in its task's. */
static inline uint32_t gsim_command_op(const struct gsim_command *command)
{
    return command->client->first_op + command->op->index;
}

/* Tells a source that its op has ended. */
static inline void gsim_machine_op_ended(struct gsim_machine *m, const struct gsim_command *command)
{
    if (command->client->run->draw) gsim_draw_ended(command->client->run->draw, command->op, gsim_time_us(m->now));
}

static inline bool gsim_machine_failed(const struct gsim_machine *m) { return m->error->status != GSIM_OK; }

/* Enables peer access between devices A and B. Ignored between nodes, and beyond 64 devices of a node. */
void gsim_machine_open_peers(struct gsim_machine *m, uint32_t a, uint32_t b);
bool gsim_machine_are_peers(const struct gsim_machine *m, uint32_t a, uint32_t b);
/* Blocks the running thread until its wake time, which the caller or the fulfilled condition sets. */
void gsim_machine_block(struct gsim_machine *m);
/* Handles all events up to the running thread's local time. */
void gsim_machine_meet(struct gsim_machine *m);
/* Call it before an effect that other host threads can see: meets the machine if there are several. */
static inline void gsim_machine_order(struct gsim_machine *m)
{
    if (m->alive_count > 1) gsim_machine_meet(m);
}
void gsim_machine_wake(struct gsim_machine *m, struct gsim_host_thread *thread, gsim_time when);
void gsim_machine_wake_all(struct gsim_machine *m, struct gsim_host_thread **list, gsim_time when);
/* Appends the running thread to LIST and blocks it. */
void gsim_machine_wait_on(struct gsim_machine *m, struct gsim_host_thread **list);
/* Blocks the running thread until its fulfilled() holds or its wake time. */
void gsim_machine_watch(struct gsim_machine *m);
/* Updates the wake time of threads in gsim_wait_any(). Call it when a waitable may have changed. */
void gsim_machine_wake_watching(struct gsim_machine *m);
static inline void gsim_machine_fulfil(struct gsim_machine *m)
{
    if (m->watching) gsim_machine_wake_watching(m);
}
/* Calls FIRE with ARGUMENT at TIME. Out of memory, the run fails. */
void gsim_machine_at(struct gsim_machine *m, gsim_time time, void (*fire)(void *argument), void *argument);
/* Returns the time before which only SOURCE and ends of transfers have events. */
gsim_time gsim_machine_horizon(const struct gsim_machine *m, const struct gsim_agenda_source *source);
/* Fails the run unless it has failed before, and wakes all threads. */
void gsim_machine_fail(struct gsim_machine *m, enum gsim_status status, const char *format, ...) GSIM_PRINTF(3, 4);
struct gsim_host_thread *gsim_machine_add_thread(struct gsim_machine *m, struct gsim_driver *driver);
/* Adds a thread that nobody joins. Its place is reused after its end. */
struct gsim_host_thread *gsim_machine_add_callback(struct gsim_machine *m, struct gsim_driver *driver);
/* Passes control to the next thread. Call it at the end of a thread's body. */
void gsim_machine_end_thread(struct gsim_machine *m);
