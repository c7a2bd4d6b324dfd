/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (internal). The front end of one GPU: its hardware queues and its dispatcher of graph nodes. Streams
 * belong to the process (sim/front/process.h). A launch:
 *   1. gsim_launch() spends host time, then gsim_front_issue() appends a command to its stream's hardware queue.
 *   2. The front end polls the head of the queue: gsim_front_op.start() runs once its dependences are met.
 *   3. An arbiter, if tasks share the GPU, decides when. gsim_front_submit() passes the kernel to gsim_gpu_submit().
 *   4. The distributor places its blocks (sim/sm/gpu.h); their last end calls gsim_front_complete().
 */
#pragma once

#include "sim/front/policy.h"
#include "sim/front/process.h"

#define GSIM_MAX_HW_QUEUES 32
#define GSIM_NO_HW_QUEUE UINT32_MAX

struct gsim_hw_queue {
    struct gsim_command *head, **tail;
    uint32_t bound_streams;        /* streams with commands here */
    uint32_t pending_launches;     /* issued, not retired */
    bool blocked;                  /* the head is a wait for an event that is not complete */
    gsim_time records_until;       /* end of the last timed event record behind a kernel */
    bool waits_default;            /* the head waits for the default stream's barrier */
    struct gsim_host_thread *waiting_threads; /* blocked: the launch queue is full */
};

/* Decides when kernels whose dependences are met go to the SMs (sim/task/). */
struct gsim_arbiter {
    void (*ready)(struct gsim_arbiter *arbiter,
                  struct gsim_command *command); /* calls gsim_front_submit() or another arbiter, now or later */
    void (*started)(struct gsim_arbiter *arbiter, struct gsim_command *command); /* may be NULL */
    void (*ended)(struct gsim_arbiter *arbiter, struct gsim_command *command);
    void (*drained)(struct gsim_arbiter *arbiter, struct gsim_command *command);
};

struct gsim_front {
    struct gsim_machine *machine;
    struct gsim_device *device;
    struct gsim_process *process;  /* owner of the streams */
    struct gsim_partition *part;        /* SMs of its kernels */
    struct gsim_arbiter *arbiter;  /* NULL: kernels are submitted at once */
    bool keeps_waits; /* a policy serves the process: a blocked wait does not block its hardware queue */
    uint32_t kept_count;           /* streams whose wait is kept out of its queue now */
    uint32_t context;              /* index among the arbiter's contexts */
    struct gsim_agenda_source source;     /* when the next hardware queue is polled */
    struct gsim_front_policy *policies; /* one for each task that has one */
    struct gsim_random turns;      /* draws the queue that is polled first */

    uint32_t hw_queue_count;
    gsim_time hw_queue_at[GSIM_MAX_HW_QUEUES]; /* time of the next poll; written by set_poll() alone */
    uint32_t polled;            /* a bit for each queue with a poll to come */
    struct gsim_hw_queue hw_queues[GSIM_MAX_HW_QUEUES];
    uint32_t next_hw_queue;        /* where the search for a free queue begins */
    gsim_time front_free;          /* when it may serve another hardware queue */

    uint64_t issued, completed;    /* stream commands */
    uint64_t default_issued, default_completed;
    struct gsim_host_thread *waiting_device;

    gsim_time graph_dispatch_free; /* when the graph dispatcher is free */
    uint32_t graph_kernels;        /* graph nodes that run */
    void *resident;                /* state of sim/resident/; NULL at first */
    struct gsim_demand signal;     /* demand of one block that fills an SM (graphs.c); 0 blocks: none */
};

/* --- front.c: streams, hardware queues, events ----------------------------------------------------------- */
/* Opens a device with room for PART_COUNT partitions, whose events go to gsim_front_listener. */
enum gsim_status gsim_front_open_device(struct gsim_device *device, struct gsim_machine *machine,
                                        const struct gsim_device_spec *spec, uint32_t index, uint32_t part_count,
                                        struct gsim_error *error);
extern const struct gsim_gpu_listener gsim_front_listener; /* of a device's partitions; kernels.c */
extern const struct gsim_gpu_watcher gsim_front_watcher;   /* for observers of blocks */
/* Makes the front end of PROCESS on DEVICE; INDEX: its number in the machine. */
enum gsim_status gsim_front_init(struct gsim_front *f, struct gsim_device *device, struct gsim_partition *part,
                                 struct gsim_process *process, uint32_t index, struct gsim_error *error);
void gsim_front_release(struct gsim_front *f); /* accepts zeroed */
/* Returns the hardware queue of a stream that gets its first command: its last one if free, else any free one, else the
 * next round robin. */
struct gsim_hw_queue *gsim_front_bind(struct gsim_front *f, uint32_t stream);
/* Makes a command of the stream without issuing it. NULL: out of memory, and the run has failed. */
struct gsim_command *gsim_front_command(struct gsim_front *f, enum gsim_command_kind kind, uint32_t stream);
/* Appends COMMAND to its stream's hardware queue. The device sees it from command->arrival on. */
void gsim_front_issue(struct gsim_front *f, struct gsim_command *command);
/* Returns when UNIT sees work of another unit that ended at END. It polls at FIRST and then every engine_poll_us (H200,
 * H100: traces/runner/micro/streams.cu, traces/h200/polls.txt.gz). */
gsim_time gsim_front_seen(const struct gsim_front *f, uint32_t unit, gsim_time first, gsim_time end);
/* Sets whether a policy holds the kernel that the stream is busy with. */
void gsim_front_hold(struct gsim_front *f, uint32_t stream, bool is_held);
/* Opens the stream's gates up to COUNT. */
void gsim_front_open(struct gsim_front *f, uint32_t stream, uint64_t count);
/* Polls the hardware queue at TIME at the latest. */
void gsim_front_poll(struct gsim_front *f, uint32_t hw_queue, gsim_time time);
/* Counts a complete command of the stream. Wakes what waits for the stream, the device, the queue or a barrier. */
void gsim_front_complete(struct gsim_front *f, uint32_t stream_index);
/* Class of ops in a stream or a graph. start(), once dependences are met, passes a kernel to the arbiter or the
 * distributor and a copy to its engine. */
extern const struct gsim_command_class gsim_front_op;
/* Submits a kernel to the distributor. */
void gsim_front_submit(struct gsim_command *command);
/* Undoes gsim_front_submit(): resident blocks vanish. */
void gsim_front_kill(struct gsim_command *command);

/* --- programmatic.c ---------------------------------------------------------------------------------------- */
/* Whether COMMAND is a programmatic launch that may begin before its stream's running kernel ends. Kernels with missing
 * pages may not. */
bool gsim_programmatic_may_begin(const struct gsim_front *f, const struct gsim_stream_state *stream,
                                 const struct gsim_command *command);
/* Returns when a programmatic launch may begin: behind the trigger or end of its stream's last kernel, READY if it
 * waits for more than that. */
gsim_time gsim_programmatic_ready(const struct gsim_front *f, const struct gsim_stream_state *stream, gsim_time ready);
/* Makes the kernel that began early the stream's running one, once the kernel before has ended. */
void gsim_programmatic_go_on(struct gsim_front *f, struct gsim_stream_state *stream);
/* Lets the kernel of COMMAND, a struct gsim_command, go on behind its prologue. */
void gsim_front_let_go(void *command);
void gsim_programmatic_triggered(struct gsim_command *command, gsim_time now);

/* --- graphs.c: instantiated graphs, and their launches as they run ---------------------------------------- */
/* Builds EXEC, the executable form of GRAPH. False: out of memory. */
bool gsim_graphs_build(struct gsim_process *p, const struct gsim_graph_state *graph, struct gsim_exec_state *exec);
extern const struct gsim_command_class gsim_graphs_launch;
/* Starts the programmatic successors of NODE: all its blocks have triggered. */
void gsim_graphs_triggered(struct gsim_command *node, gsim_time now);
/* For struct gsim_copy_hooks: whether a copy in the same direction follows COPY in its branch; *NEXT is its node. */
bool gsim_graphs_copies_on(const struct gsim_front *f, const struct gsim_command *copy, uint32_t *next);
