/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (internal: only the machine's own files include it). The state of one simulation that is nobody's in
 * particular, and the loop that lets simulated time pass. Who is simulated hangs off it:
 *
 *   simulation  struct gsim_machine (here)                     agenda, clock, host threads, observers
 *   process     struct gsim_process (sim/front/process.h)      driver calls, streams, events, graphs
 *               struct gsim_space (sim/memory/space.h)         its memory
 *   device      struct gsim_device (sim/memory/device.h)       SMs, copy engines, L2, faults
 *               struct gsim_front (sim/front/front.h)          its hardware queues and graph dispatcher
 *   command     struct gsim_command (sim/platform/command.h)      what is enqueued
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
    struct gsim_driver *driver;    /* whose calls it makes */
    const void *note;              /* of the launch that it makes, for the front end's policy */
    struct gsim_client *client;    /* the task that it works for (sim/front/process.h) */
    uint32_t device;               /* whose streams it makes, by index: cudaSetDevice() */
    gsim_time local;               /* its own clock, >= now while it runs */
    gsim_time wake;                /* blocked: when it goes on; GSIM_TIME_NEVER until its condition holds */
    uint64_t target;               /* stream waits: completed count */
    uint32_t index;
    bool is_alive, is_blocked;
    struct gsim_host_thread *next_waiting;
    struct gsim_host_thread *joiners;
    void (*body)(struct gsim_driver *, void *);
    void *argument, *item;
    /* Waits for any of several things: when the first that is known of is fulfilled; GSIM_TIME_NEVER. */
    gsim_time (*fulfilled)(const struct gsim_host_thread *thread);
    const void *waits;
    struct gsim_host_thread *next_watching;
    bool is_reusable;              /* once it has ended: nobody joins it */
};

/* Of a task: who makes the calls, and for which iteration. */
struct gsim_client {
    struct gsim_run *run;          /* the scheduler's: ends earlier when iterations repeat */
    uint32_t task, first_op;       /* its number; that of its first op in the timeline's program */
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
    gsim_time filled;              /* since when it has held an item */
    struct gsim_host_thread *pushing, *popping;
};

struct gsim_collectives;

struct gsim_machine {
    const struct gsim_simulation *simulation;
    struct gsim_timeline *timeline;
    const struct gsim_platform *platform;
    uint64_t *peers; /* by device: those of its node, a bit each, whose memory it reads by the links between them; NULL:
                        none does */
    /* Device INDEX, made when it is first used; NULL, and the run fails, when it cannot be. */
    struct gsim_device *(*open_device)(struct gsim_machine *machine, uint32_t index);
    struct gsim_hardware *hardware; /* what that makes it of */
    struct gsim_engine *engine;
    struct gsim_arena arena;
    struct gsim_error *error;      /* the first failure: where the drivers' calls see it */

    gsim_time now;                 /* everything up to here has happened */
    gsim_time wake;                /* when a host thread goes on at the earliest */
    struct gsim_agenda agenda;

    struct gsim_host_thread **threads;
    size_t thread_count, thread_capacity;
    struct gsim_host_thread *running;
    bool has_woken;                /* some thread: who goes on first is to be found again */
    uint32_t alive_count;
    uint32_t call_count;           /* of all processes */
    struct gsim_host_thread *watching; /* by next_watching */
    struct gsim_random call_noise; /* with gsim_simulation.noise */
    struct gsim_lock_state *locks;
    size_t lock_count, lock_capacity;
    struct gsim_queue_state *queues;
    size_t queue_count, queue_capacity;

    struct gsim_command *free_commands[2]; /* those that are brief are [1] */
    bool is_drawn;                 /* ops of some tasks are drawn while they run */
    const struct gsim_kernel *kernels; /* the program's, with the shapes of collectives; NULL: as it has them */
    struct gsim_collectives *collectives; /* of ranks (sim/collective); NULL: the program has none */
    bool (*explains)(const struct gsim_machine *m, char *text,
                     size_t size); /* what hangs, for a message; NULL: nobody knows */
};

/* In the timeline's program; the op's own number is in its task's. */
static inline uint32_t gsim_command_op(const struct gsim_command *command)
{
    return command->client->first_op + command->op->index;
}

/* Whose op the command was may want to know. */
static inline void gsim_machine_op_ended(struct gsim_machine *m, const struct gsim_command *command)
{
    if (command->client->run->draw) gsim_draw_ended(command->client->run->draw, command->op, gsim_time_us(m->now));
}

static inline bool gsim_machine_failed(const struct gsim_machine *m) { return m->error->status != GSIM_OK; }

/* Devices A and B may use the links between them from now on; those of several nodes, and beyond 64 of one, never do.
 */
void gsim_machine_open_peers(struct gsim_machine *m, uint32_t a, uint32_t b);
bool gsim_machine_are_peers(const struct gsim_machine *m, uint32_t a, uint32_t b);
/* Blocks the running thread until its wake time (set by the caller or by whoever fulfils its condition). */
void gsim_machine_block(struct gsim_machine *m);
/* Brings the machine to the running thread's local time: everything up to it has happened. */
void gsim_machine_meet(struct gsim_machine *m);
/* Calls with an effect that others may see: with several threads alive, meet first. */
static inline void gsim_machine_order(struct gsim_machine *m)
{
    if (m->alive_count > 1) gsim_machine_meet(m);
}
void gsim_machine_wake(struct gsim_machine *m, struct gsim_host_thread *thread, gsim_time when);
void gsim_machine_wake_all(struct gsim_machine *m, struct gsim_host_thread **list, gsim_time when);
/* The running thread joins the end of LIST and blocks. */
void gsim_machine_wait_on(struct gsim_machine *m, struct gsim_host_thread **list);
/* Blocks the running thread until what its fulfilled() waits for has come, or its wake time. */
void gsim_machine_watch(struct gsim_machine *m);
/* Wakes each watching thread when the first thing that it waits for is fulfilled. Call it whenever that may have
 * changed. */
void gsim_machine_wake_watching(struct gsim_machine *m);
static inline void gsim_machine_fulfil(struct gsim_machine *m)
{
    if (m->watching) gsim_machine_wake_watching(m);
}
/* FIRE is called at TIME; out of memory, the run fails. */
void gsim_machine_at(struct gsim_machine *m, gsim_time time, void (*fire)(void *argument), void *argument);
/* Nothing but SOURCE itself, and what ended transfers do, changes anything before then. */
gsim_time gsim_machine_horizon(const struct gsim_machine *m, const struct gsim_agenda_source *source);
/* The first failure of the run; all threads are let go. */
void gsim_machine_fail(struct gsim_machine *m, enum gsim_status status, const char *format, ...) GSIM_PRINTF(3, 4);
struct gsim_host_thread *gsim_machine_add_thread(struct gsim_machine *m, struct gsim_driver *driver);
/* A thread that nobody joins: its place is used again when it has ended. */
struct gsim_host_thread *gsim_machine_add_callback(struct gsim_machine *m, struct gsim_driver *driver);
/* At the end of a thread's body: hands control to whoever is next. */
void gsim_machine_end_thread(struct gsim_machine *m);
