/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (internal: only the simulated driver's own files include it). The state of one simulation, and
 * the loop that lets simulated time pass.
 *
 *   host threads --> streams --> hardware queues --> work distributor (gpu.h) --> SMs
 *   (simdriver.c)    (front.c)   (front.c)      \--> copy engines (copies.c) --> links (engine.h)
 *                                                \-> graphs (graphs.c)
 *
 * Temporal decoupling: a host thread's own clock (local) runs ahead of the machine's (now) while its calls
 * only enqueue; they carry their time stamps. It meets the machine where it synchronises, queries, finds a
 * launch queue full, or when other host threads exist. At most one thread runs at a time; the one that blocks
 * drives the loop (gsim_machine_block) until some thread's wake time is the next thing to happen. SimGrid's
 * clock follows: it must be exact only while transfers share its links.
 */
#ifndef GSIM_MACHINE_H
#define GSIM_MACHINE_H

#include "gpusim/driver.h"
#include "sim/clock/engine.h"
#include "sim/sm/gpu.h"
#include "sim/host/host_cache.h"
#include "sim/memory/managed.h"
#include "sim/memory/reuse.h"
#include "gpusim/simulate.h"

#define GSIM_MAX_HW_QUEUES 32
#define GSIM_NO_HW_QUEUE UINT32_MAX

/* What is enqueued in a stream, or a node of a running graph. */
enum gsim_command_kind { GSIM_COMMAND_OP, GSIM_COMMAND_RECORD, GSIM_COMMAND_WAIT, GSIM_COMMAND_GRAPH };

struct gsim_machine;
struct gsim_waiter;     /* a command that waits for a transfer */
struct gsim_marker;     /* one recording of an event */
struct gsim_graph_run;  /* one launch of an executable graph */

struct gsim_command {
    enum gsim_command_kind kind;
    uint32_t stream;                 /* index of the stream; for a graph's node the stream it reports */
    const struct gsim_op *op;        /* GSIM_COMMAND_OP */
    struct gsim_marker *marker;      /* RECORD, WAIT */
    uint32_t exec;                   /* GRAPH: index */
    struct gsim_graph_run *graph_run; /* of a node; NULL for a stream's own command */
    uint32_t node;
    gsim_time launch, arrival, ready, start;
    uint32_t correlation, iteration;
    uint32_t migrations;             /* outstanding transfers before its blocks may be placed */
    struct gsim_kernel_run *run;     /* kernels on the GPU */
    struct gsim_faulter *faulter;    /* kernels that may meet missing pages */
    uint64_t bytes;                  /* transfers */
    enum gsim_route route;
    bool in_engine;                  /* went through a copy engine's queue */
    bool is_migration;               /* memory started it; no stream knows it */
    bool has_room;                   /* bulk copies: what they displace has left */
    struct gsim_command *then;          /* transfers: one that begins when this one ended */
    uint64_t default_before;         /* default-stream commands issued before it */
    uint64_t issue_number;           /* over all streams, from 1 */
    enum gsim_copy_kind copy_kind;
    enum gsim_copy_reason reason;
    uint32_t buffer_index;
    struct gsim_waiter *waiters;     /* transfers: kernels that need the data */
    struct gsim_host_thread *waiting_thread; /* transfers: a host access that needs the data */
    struct gsim_command *next, *next_started;
};

/* What executes a command: the SMs, or the copy engine of a kind (GSIM_UNIT_COPIES + enum gsim_copy_kind). */
enum { GSIM_UNIT_SMS, GSIM_UNIT_COPIES, GSIM_UNIT_COUNT = GSIM_UNIT_COPIES + 3 };

struct gsim_marker {
    uint32_t references;
    bool is_complete;
    bool is_timed;                 /* recorded with timing */
    uint32_t unit;                 /* of the stream's last work */
    gsim_time time, later;         /* LATER: by how much the queues that wait for it are turned to later, or earlier */
    double ended_bytes;            /* the machine's then */
    uint32_t recorded_stream, event, iteration;
    uint32_t correlation;          /* of the call that recorded it */
    uint32_t waiting_hw_queues;     /* bit per hw_queue */
    struct gsim_host_thread *waiting_threads;
    struct gsim_marker *next_free;
};

/* What a stream's next kernel waits for: the work of STREAM, or its own. */
struct gsim_acquire {
    struct gsim_acquire *next;
    uint32_t stream;
    gsim_time ready;    /* its end and the gap behind it; 0 of work that is not on the SMs */
    double ended_bytes; /* the machine's then */
};

struct gsim_stream_state {
    bool exists, busy;
    int priority;
    uint32_t hw_queue;              /* the one that holds it, or held it last */
    struct gsim_command *records, **records_tail; /* of what it is busy with, to be made when that ends */
    bool is_bound;                 /* has commands that are not complete, all in that hw_queue */
    uint64_t issued, completed;
    /* By unit, of the last work there that its next command must follow: its end, and with the gap behind it. */
    gsim_time follows[GSIM_UNIT_COUNT], ready[GSIM_UNIT_COUNT];
    bool has_worked;               /* a kernel or copy of its has ended: OWN says which */
    struct gsim_acquire own, *acquires; /* its last work; what its next kernel waits for besides, in the order of the streams */
    gsim_time last_end;
    uint32_t ended_unit;           /* of its last command */
    gsim_time recorded, turned;    /* end of its last timed record; how much longer the front end then takes to go on */
    uint32_t used_mark;            /* iteration + 1 in which it last held work */
    struct gsim_host_thread *waiting_threads;
    uint32_t capture;              /* graph being captured, 0: none */
    uint32_t *tail;                /* capture: the nodes that the next one follows */
    uint32_t tail_count, tail_capacity;
};

struct gsim_hw_queue {
    struct gsim_command *head, **tail;
    uint32_t bound_streams;        /* that have commands here */
    uint32_t pending_launches;     /* issued, not retired */
    bool blocked;                  /* head is a wait that was found incomplete */
    gsim_time records_until;       /* end of the last timed record behind a kernel there */
    bool waits_default;            /* head is held by the default stream's barrier */
    struct gsim_host_thread *waiting_threads; /* launch queue full */
};

struct gsim_event_state {
    bool exists;
    enum gsim_event_flags flags;
    struct gsim_marker *marker;    /* of the latest recording */
    uint32_t capture;
    uint32_t *nodes;               /* capture: what it was recorded after */
    uint32_t node_count;
};

struct gsim_graph_node_state {
    const struct gsim_op *op;
    uint32_t stream;
    uint32_t *after;
    uint32_t after_count;
};

struct gsim_graph_state {
    struct gsim_graph_node_state *nodes;
    uint32_t node_count;
    size_t node_capacity;
};

struct gsim_exec_state {
    const struct gsim_op **ops;
    uint32_t *streams, *predecessor_count;
    bool *crosses;                 /* of each node: it follows nodes of several hw_queues */
    bool *signals;                 /* of each node: such ones follow it, and one other */
    uint32_t *first_successor, *successors; /* of node n: successors[first[n]] .. successors[first[n + 1] - 1] */
    uint32_t node_count, copy_count;
    double launched_at_bytes;      /* the machine's touched_bytes at its last launch */
    struct gsim_graph_run *idle_runs;
};

struct gsim_host_thread {
    struct gsim_actor *actor;
    gsim_time local;               /* its own clock, >= now while it runs */
    gsim_time wake;                /* blocked: when it goes on; GSIM_TIME_NEVER until its condition holds */
    uint64_t target;               /* stream waits: completed count */
    uint32_t index;
    bool is_alive, is_blocked;
    struct gsim_host_thread *next_waiting;
    struct gsim_host_thread *joiners;
    void (*body)(struct gsim_driver *, void *);
    void *argument, *item;
};

struct gsim_lock_state {
    struct gsim_host_thread *owner, *waiting;
};

struct gsim_queue_state {
    void **items;
    uint32_t capacity, first, count;
    struct gsim_host_thread *pushing, *popping;
};

/* A thing that happens at a fixed time: graph nodes becoming ready, delayed starts. */
struct gsim_timer {
    gsim_time time;
    uint64_t sequence;
    void (*fire)(struct gsim_machine *machine, void *argument);
    void *argument;
};

struct gsim_copy_engine {
    struct gsim_command *head, **tail;
    struct gsim_command *current;
    bool is_held; /* between two copies */
    const struct gsim_graph_run *kept_for; /* held until this run's node KEPT_NODE comes; NULL: not for a node */
    uint32_t kept_node;
};

struct gsim_machine {
    struct gsim_driver driver;     /* first: the driver's calls get a pointer to it */
    const struct gsim_simulation *simulation;
    const struct gsim_device_spec *device;
    const struct gsim_program *program;
    struct gsim_run *run;          /* the scheduler's: ends earlier when iterations repeat */
    struct gsim_timeline *timeline;
    struct gsim_engine *engine;
    struct gsim_arena arena;
    struct gsim_gpu *gpu;
    struct gsim_demand *works;       /* by kernel index */
    bool overwrites_l2;            /* the program's kernels together touch more data than L2 holds */
    double touched_bytes, ended_bytes; /* by all kernels that have started; that have ended */
    struct gsim_reuse reuse;
    struct gsim_host_cache host_cache;
    struct gsim_residency residency;
    struct gsim_faults faults;
    struct gsim_command **moving;     /* by buffer: the transfer to the device under way, or NULL */
    uint32_t *attached;            /* by buffer: the stream that it is attached to; 0: all see it */
    struct gsim_waiter *free_waiters;

    gsim_time now;                 /* everything up to here has happened */
    struct gsim_host_thread **threads;
    size_t thread_count, thread_capacity;
    struct gsim_host_thread *running;
    uint32_t alive_count;
    gsim_time driver_free;         /* when the driver's lock is free again */
    uint32_t driver_caller;        /* the thread that held it last */
    struct gsim_random kernel_noise, call_noise; /* with gsim_simulation.noise */
    struct gsim_random turns;                    /* whom the front end turns to first */

    struct gsim_timer *timers;     /* binary heap by (time, sequence) */
    size_t timer_count, timer_capacity;
    uint64_t timer_sequence;

    uint32_t hw_queue_count;
    gsim_time hw_queue_next, hw_queue_at[GSIM_MAX_HW_QUEUES];
    struct gsim_hw_queue hw_queues[GSIM_MAX_HW_QUEUES];

    struct gsim_stream_state *streams;
    size_t stream_count, stream_capacity;
    uint32_t next_hw_queue;         /* where the search for one that holds no stream begins */
    struct gsim_event_state *events;
    size_t event_count, event_capacity;
    uint32_t *free_events;
    size_t free_event_count, free_event_capacity;
    struct gsim_graph_state *graphs;
    size_t graph_count, graph_capacity;
    struct gsim_exec_state *execs;
    size_t exec_count, exec_capacity;
    struct gsim_lock_state *locks;
    size_t lock_count, lock_capacity;
    struct gsim_queue_state *queues;
    size_t queue_count, queue_capacity;

    struct gsim_command *free_commands;
    struct gsim_marker *free_markers;
    struct gsim_acquire *free_acquires;
    uint64_t issued, completed;    /* stream commands */
    uint64_t default_issued, default_completed;
    struct gsim_host_thread *waiting_device;
    struct gsim_copy_engine engines[3]; /* by enum gsim_copy_kind: to the device, to the host, inside it */
    gsim_time front_free;          /* when the front end may turn to another hw_queue */
    gsim_time graph_dispatch_free; /* when the graph dispatcher may start another node */
    uint64_t placed;               /* kernels of which all blocks were or are resident */
    struct gsim_held_node *held, *last_held, *idle_held; /* graphs.c; in the order in which they go on */
    struct gsim_demand signal;       /* fills an SM; graphs.c. 0 blocks: there is none */

    uint32_t iteration, correlation;
    uint32_t streams_used, events_recorded, stream_waits;
    gsim_time iteration_start;
    struct gsim_gpu_load last_load;
    gsim_time call_gap, stream_gap, event_gap, acquire, acquire_cold, busy_gap, timed_record, copy_gap, copy_switch, engine_poll, kernel_to_copy, copy_to_kernel; /* of the device file */
};

/* Whether kernels have displaced from L2 what was there when they had touched BYTES in all (touched_bytes or ended_bytes then). */
static inline bool gsim_machine_displaced_l2(const struct gsim_machine *m, double bytes)
{
    return m->overwrites_l2 && m->touched_bytes - bytes > gsim_l2_held_bytes(m->device);
}

/* --- machine.c: time ------------------------------------------------------------------------------------- */
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
void gsim_machine_at(struct gsim_machine *m, gsim_time time, void (*fire)(struct gsim_machine *, void *), void *argument);
/* The first failure of the run; all threads are let go. */
void gsim_machine_fail(struct gsim_machine *m, enum gsim_status status, const char *format, ...) GSIM_PRINTF(3, 4);
struct gsim_host_thread *gsim_machine_add_thread(struct gsim_machine *m);
/* At the end of a thread's body: hands control to whoever is next. */
void gsim_machine_end_thread(struct gsim_machine *m);

/* --- front.c: streams, hardware queues, events ----------------------------------------------------------- */
struct gsim_command *gsim_front_command(struct gsim_machine *m, enum gsim_command_kind kind, uint32_t stream);
/* The stream's hardware queue while it has commands: its last one or another that holds no stream; where all do, they are
 * taken in turn. */
struct gsim_hw_queue *gsim_front_bind(struct gsim_machine *m, uint32_t stream);
/* Appends to the stream's hardware queue; visible to the device from command->arrival on. */
void gsim_front_issue(struct gsim_machine *m, struct gsim_command *command);
/* When UNIT, which looks from FIRST on and then once in engine_poll_us whether another unit's work is done, goes on behind
 * work that ended at END (H200, H100: traces/runner/micro/polls.cu, traces/h200/polls.txt.gz). */
gsim_time gsim_front_seen(const struct gsim_machine *m, uint32_t unit, gsim_time first, gsim_time end);
/* How long the timed records that come next in the stream, which has just ended a command, will take. */
gsim_time gsim_front_records(const struct gsim_machine *m, uint32_t stream);
void gsim_front_step(struct gsim_machine *m); /* handles the hw_queues that are due at now */
void gsim_front_find_next(struct gsim_machine *m);
struct gsim_marker *gsim_front_marker(struct gsim_machine *m);
void gsim_front_unref(struct gsim_machine *m, struct gsim_marker *marker);
/* Starts the work of a command whose dependences are met: kernel to the distributor, copy to its engine. */
void gsim_front_start(struct gsim_machine *m, struct gsim_command *command);
/* The kernel, copy or graph of the command ended at now. */
void gsim_front_end(struct gsim_machine *m, struct gsim_command *command);
void gsim_front_kernel_started(void *machine, void *command, gsim_time now);
void gsim_front_kernel_ended(void *machine, void *command, gsim_time now);
void gsim_front_blocks_stayed(void *machine, void *command, const uint64_t *sms, uint64_t blocks, gsim_time since, gsim_time until);
void gsim_front_free(struct gsim_machine *m, struct gsim_command *command);

/* --- copies.c: copy engines ------------------------------------------------------------------------------- */
void gsim_copies_start(struct gsim_machine *m, struct gsim_command *command);
/* Of the host's side of a copy: its own, else the run's. */
bool gsim_copies_is_pinned(const struct gsim_machine *m, const struct gsim_op *op);
bool gsim_copies_is_pageable(const struct gsim_machine *m, const struct gsim_op *op);
/* The unit that executes OP: copies small enough to go with the commands occupy no copy engine. */
uint32_t gsim_copies_unit(const struct gsim_machine *m, const struct gsim_op *op);
void gsim_copies_enqueue(struct gsim_machine *m, struct gsim_command *command);
void gsim_copies_begin(struct gsim_machine *m, struct gsim_command *command); /* past the engines' queues */
/* The kernel TASK is submitted when the last transfer that it waits for ended. False when memory is out. */
bool gsim_copies_wait_for(struct gsim_machine *m, struct gsim_command *transfer, struct gsim_command *command);
void gsim_copies_transfer_ended(struct gsim_machine *m, struct gsim_command *command);
void gsim_copies_record(struct gsim_machine *m, const struct gsim_copy_record *record);

void gsim_copies_init(struct gsim_machine *m);

/* --- graphs.c ---------------------------------------------------------------------------------------------- */
void gsim_graphs_launch(struct gsim_machine *m, struct gsim_command *command);
void gsim_graphs_node_ended(struct gsim_machine *m, struct gsim_command *node);
void gsim_graphs_kernel_placed(void *machine, void *command, gsim_time now);
/* Whether a copy in the same direction follows COPY, which ends now, on its lane: NEXT. */
bool gsim_graphs_copies_on(const struct gsim_machine *m, const struct gsim_command *copy, uint32_t *next);
void gsim_graphs_set_ops(struct gsim_driver_ops *ops);
/* Capture: true when the call on STREAM became part of a graph. */
bool gsim_graphs_capture_op(struct gsim_machine *m, uint32_t stream, const struct gsim_op *op);
bool gsim_graphs_capture_record(struct gsim_machine *m, uint32_t event, uint32_t stream);
bool gsim_graphs_capture_wait(struct gsim_machine *m, uint32_t stream, uint32_t event);

/* --- threads.c --------------------------------------------------------------------------------------------- */
void gsim_threads_set_ops(struct gsim_driver_ops *ops);

/* --- simdriver.c ------------------------------------------------------------------------------------------- */
void gsim_simdriver_init(struct gsim_machine *m);
/* Host time of one API call: the running thread's clock moves on; recorded when the run is detailed. */
gsim_time gsim_api_begin(struct gsim_machine *m);
void gsim_api_spend(struct gsim_machine *m, double us);
/* Of several host threads: waits for the driver's lock and holds it for HOLD_US; SWITCH_US more when another one held it last. */
void gsim_api_take_driver(struct gsim_machine *m, double hold_us, double switch_us);
/* Appends an op to a stream; the caller has spent the call's host time. */
void gsim_api_issue(struct gsim_machine *m, enum gsim_command_kind kind, const struct gsim_op *op, uint32_t exec,
                    uint32_t stream, gsim_time launch, double latency_us);
/* The running thread waits until its launch queue has room; returns the time it waited. */
gsim_time gsim_api_wait_queue(struct gsim_machine *m, uint32_t stream);
/* Marks the stream as used by work in this iteration. */
void gsim_api_use_stream(struct gsim_machine *m, uint32_t stream);
/* False, and the run fails, if it does not exist or the run has failed before. */
bool gsim_api_is_stream(struct gsim_machine *m, uint32_t stream);
void gsim_api_end(struct gsim_machine *m, enum gsim_api api, gsim_time start, gsim_time waited, uint32_t stream,
                  const char *detail);

#endif
