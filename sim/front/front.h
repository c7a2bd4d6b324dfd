/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (internal). The front end of one GPU: its hardware queues, which streams hold while they have commands,
 * and the dispatcher of graph nodes. Streams themselves are the process's (sim/front/process.h).
 */
#pragma once

#include "sim/front/policy.h"
#include "sim/front/process.h"

#define GSIM_MAX_HW_QUEUES 32
#define GSIM_NO_HW_QUEUE UINT32_MAX

struct gsim_hw_queue {
    struct gsim_command *head, **tail;
    uint32_t bound_streams;        /* that have commands here */
    uint32_t pending_launches;     /* issued, not retired */
    bool blocked;                  /* head is a wait that was found incomplete */
    gsim_time records_until;       /* end of the last timed record behind a kernel there */
    bool waits_default;            /* head is held by the default stream's barrier */
    struct gsim_host_thread *waiting_threads; /* launch queue full */
};

/* Decides when kernels whose turn has come go to the SMs (sim/task/). */
struct gsim_arbiter {
    void (*ready)(struct gsim_arbiter *arbiter,
                  struct gsim_command *command); /* passes it to gsim_front_submit() or another one, now or later */
    void (*started)(struct gsim_arbiter *arbiter, struct gsim_command *command); /* NULL: it does not want to know */
    void (*ended)(struct gsim_arbiter *arbiter, struct gsim_command *command);
    void (*drained)(struct gsim_arbiter *arbiter, struct gsim_command *command);
};

struct gsim_front {
    struct gsim_machine *machine;
    struct gsim_device *device;
    struct gsim_process *process;  /* whose streams it executes */
    struct gsim_partition *part;        /* the SMs that its kernels run on */
    struct gsim_arbiter *arbiter;  /* NULL: kernels go at once */
    bool keeps_waits; /* a policy serves the process: waits do not hold back other streams of their hardware queue */
    uint32_t kept_count;           /* streams of which that is so now */
    uint32_t context;              /* its number among the contexts of an arbiter */
    struct gsim_agenda_source source;     /* when the next hardware queue is polled */
    struct gsim_front_policy *policies; /* of the tasks that have one */
    struct gsim_random turns;      /* whom it turns to first */

    uint32_t hw_queue_count;
    gsim_time hw_queue_at[GSIM_MAX_HW_QUEUES]; /* when they are polled; written by set_poll alone */
    uint32_t polled;            /* a bit for each that is at some time */
    struct gsim_hw_queue hw_queues[GSIM_MAX_HW_QUEUES];
    uint32_t next_hw_queue;        /* where the search for one that holds no stream begins */
    gsim_time front_free;          /* when it may turn to another hw_queue */

    uint64_t issued, completed;    /* stream commands */
    uint64_t default_issued, default_completed;
    struct gsim_host_thread *waiting_device;

    gsim_time graph_dispatch_free; /* when the graph dispatcher may start another node */
    uint32_t graph_kernels;        /* nodes of graphs under way */
    void *resident;                /* of who launches commands of another class (sim/resident/); NULL at first */
    struct gsim_demand signal;     /* fills an SM; graphs.c. 0 blocks: there is none */
};

/* --- front.c: streams, hardware queues, events ----------------------------------------------------------- */
/* A device, with room for PART_COUNT parts, which tells front ends of their kernels. */
enum gsim_status gsim_front_open_device(struct gsim_device *device, struct gsim_machine *machine,
                                        const struct gsim_device_spec *spec, uint32_t index, uint32_t part_count,
                                        struct gsim_error *error);
extern const struct gsim_gpu_listener gsim_front_listener; /* of a device's parts: kernels.c */
extern const struct gsim_gpu_watcher gsim_front_watcher;   /* where an observer wants blocks */
/* PROCESS's, the machine's INDEX-th, on the device. */
enum gsim_status gsim_front_init(struct gsim_front *f, struct gsim_device *device, struct gsim_partition *part,
                                 struct gsim_process *process, uint32_t index, struct gsim_error *error);
void gsim_front_release(struct gsim_front *f); /* accepts zeroed */
/* The stream's hardware queue while it has commands: its last one or another that holds no stream; where all do, they
 * are taken in turn. */
struct gsim_hw_queue *gsim_front_bind(struct gsim_front *f, uint32_t stream);
/* A command for the stream, not issued yet. NULL, and the run fails, when memory is out. */
struct gsim_command *gsim_front_command(struct gsim_front *f, enum gsim_command_kind kind, uint32_t stream);
/* Appends to the stream's hardware queue; visible to the device from command->arrival on. */
void gsim_front_issue(struct gsim_front *f, struct gsim_command *command);
/* When UNIT, which polls at FIRST and then every engine_poll_us for another unit's end, goes on behind work that ended
 * at END (H200, H100: traces/runner/micro/polls.cu, traces/h200/polls.txt.gz). */
gsim_time gsim_front_seen(const struct gsim_front *f, uint32_t unit, gsim_time first, gsim_time end);
/* The kernel that the stream is busy with has not been launched yet, or is from now on. */
void gsim_front_hold(struct gsim_front *f, uint32_t stream, bool is_held);
/* Gates of the stream up to COUNT are open from now on. */
void gsim_front_open(struct gsim_front *f, uint32_t stream, uint64_t count);
/* Polls the hardware queue at TIME, unless it is polled before. */
void gsim_front_poll(struct gsim_front *f, uint32_t hw_queue, gsim_time time);
/* A command of the stream is complete: those who wait for the stream, the device, the queue or a barrier go on. */
void gsim_front_complete(struct gsim_front *f, uint32_t stream_index);
/* An op in a stream or a graph. Its start, when its dependences are met: a kernel goes to the arbiter or the
 * distributor, a copy to its engine. */
extern const struct gsim_command_class gsim_front_op;
/* A kernel to the distributor. */
void gsim_front_submit(struct gsim_command *command);
/* One that was submitted is as if it had not been. */
void gsim_front_kill(struct gsim_command *command);

/* --- programmatic.c ---------------------------------------------------------------------------------------- */
/* The command is a kernel that may begin before the one that its stream is busy with has ended. Kernels in missing
 * pages do not. */
bool gsim_programmatic_may_begin(const struct gsim_front *f, const struct gsim_stream_state *stream,
                                 const struct gsim_command *command);
/* Of such a launch, READY otherwise: behind the trigger, or the end, of its stream's last kernel, if that is all it
 * waits for. */
gsim_time gsim_programmatic_ready(const struct gsim_front *f, const struct gsim_stream_state *stream, gsim_time ready);
/* The kernel that the stream was busy with has ended: the one behind it, which has begun, is what it is busy with. */
void gsim_programmatic_go_on(struct gsim_front *f, struct gsim_stream_state *stream);
/* What the kernel of COMMAND waits for behind its prologue has come. */
void gsim_front_let_go(void *command);
void gsim_programmatic_triggered(struct gsim_command *command, gsim_time now);

/* --- graphs.c: instantiated graphs, and their launches as they run ---------------------------------------- */
/* What the nodes of the graph are when it runs. False: out of memory. */
bool gsim_graphs_build(struct gsim_process *p, const struct gsim_graph_state *graph, struct gsim_exec_state *exec);
extern const struct gsim_command_class gsim_graphs_launch;
/* All blocks of the node's kernel have triggered. */
void gsim_graphs_triggered(struct gsim_command *node, gsim_time now);
/* Told to the device: what follows a node that copies (struct gsim_copy_hooks). */
bool gsim_graphs_copies_on(const struct gsim_front *f, const struct gsim_command *copy, uint32_t *next);
