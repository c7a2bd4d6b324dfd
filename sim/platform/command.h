/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. What is enqueued: an entry of a stream, a node of a running graph, or a transfer that memory starts by
 * itself. Who makes a command says in ENDED what its end means; the loop (sim/platform/machine.c) calls TRANSFERRED.
 */
#pragma once

#include <stddef.h>

#include "gpusim/program.h"
#include "gpusim/timeline.h"
#include "sim/platform/engine.h"

struct gsim_machine;
struct gsim_command;
struct gsim_device;
struct gsim_driver;
struct gsim_waiter;      /* a command that waits for a transfer */
struct gsim_marker;      /* one recording of an event */
struct gsim_graph_run;   /* one launch of an executable graph */
struct gsim_faulter;     /* a kernel that may meet missing pages */
struct gsim_kernel_run;  /* a kernel on the SMs */
struct gsim_host_thread;
struct gsim_front_policy_launch; /* a launch in the hands of the front end's policy */
struct gsim_front;
struct gsim_client;
struct gsim_partition;

enum gsim_command_kind {
    GSIM_COMMAND_OP, GSIM_COMMAND_RECORD, GSIM_COMMAND_WAIT, GSIM_COMMAND_GRAPH, GSIM_COMMAND_GATE,
    GSIM_COMMAND_OTHER, /* what its class says: the front end knows no more of it */
};

/* What is done with a command. Each may be NULL, but for a command in a stream START may not. */
struct gsim_command_class {
    void (*start)(struct gsim_command *);     /* its turn in its stream has come */
    void (*began)(struct gsim_command *, gsim_time now);     /* the first blocks of its kernel are on the SMs */
    void (*triggered)(struct gsim_command *, gsim_time now); /* all its blocks have triggered, or are there */
    void (*over)(struct gsim_command *, gsim_time now);      /* its last block has ended */
};

struct gsim_command {
    /* Of all kinds, first what a queue looks at. */
    enum gsim_command_kind kind;
    uint32_t stream;                  /* index of the stream; for a graph's node the stream it reports */
    gsim_time arrival;
    const struct gsim_command_class *class; /* NULL: records, waits, gates, and what memory started */
    struct gsim_command *next;
    struct gsim_marker *marker;       /* RECORD, WAIT */
    uint64_t gate;                    /* GATE: to what the stream must have been opened */
    uint64_t default_before;          /* default-stream commands issued before it */
    uint64_t issue_number;            /* over all streams, from 1 */
    struct gsim_device *device;       /* that executes it */
    struct gsim_front *front;         /* whose queues it went through; NULL: memory started it */
    struct gsim_client *client;       /* the task that it belongs to */
    gsim_time launch;
    uint32_t correlation, iteration;
    int priority;                     /* of its kernel */
    /* Of what takes time alone: records, waits and gates are no longer than up to here (GSIM_BRIEF_COMMAND). */
    uint32_t node;
    struct gsim_partition *part;           /* kernels: the SMs that they run on */
    void (*ended)(struct gsim_command *command);       /* its kernel, copy or graph ended now */
    void (*transferred)(struct gsim_command *command); /* its bytes have arrived now */
    const struct gsim_op *op;         /* GSIM_COMMAND_OP */
    uint32_t exec;                    /* GRAPH: index */
    void (*body)(struct gsim_driver *, void *); /* OTHER: what its class keeps there, and ARGUMENT */
    void *argument;
    struct gsim_graph_run *graph_run; /* of a node; NULL for a stream's own command */
    gsim_time ready, start;
    uint32_t migrations;             /* outstanding transfers before its blocks may be placed */
    struct gsim_kernel_run *run;     /* kernels on the GPU */
    const void *note;                /* for the front end's policy */
    struct gsim_front_policy_launch *in_policy; /* NULL: it was not asked */
    bool is_taken;                   /* by the policy: its stream goes on without it */
    bool is_held;                    /* kernels launched programmatically before what they follow has ended; */
    bool has_triggered;              /* and all blocks have triggered */
    bool in_engine;                  /* went through a copy engine's queue */
    bool is_migration;               /* memory started it; no stream knows it */
    bool has_room;                   /* bulk copies: what they displace has left */
    struct gsim_faulter *faulter;    /* kernels that may meet missing pages */
    uint64_t bytes;                  /* transfers */
    struct gsim_leg leg;             /* its way; a copy within a device has none */
    enum gsim_copy_kind copy_kind;
    enum gsim_copy_reason reason;
    uint32_t buffer_index;
    struct gsim_command *then;       /* transfers: one that begins when this one ended */
    struct gsim_waiter *waiters;     /* transfers: kernels that need the data */
    struct gsim_host_thread *waiting_thread; /* transfers: a host access that needs the data */
    void *held;                      /* an arbiter's own */
    struct gsim_command *next_started;
};

#define GSIM_BRIEF_COMMAND offsetof(struct gsim_command, node)

static inline bool gsim_command_is_brief(enum gsim_command_kind kind)
{
    return kind == GSIM_COMMAND_RECORD || kind == GSIM_COMMAND_WAIT || kind == GSIM_COMMAND_GATE;
}

/* From the machine's pool, zeroed but for what is given here; NULL, and the run fails, when memory is out. Many wait at
 * a time: brief ones have no more memory than they need. */
struct gsim_command *gsim_command_new(struct gsim_machine *machine, enum gsim_command_kind kind,
                                      struct gsim_device *device, uint32_t stream, uint32_t iteration);
void gsim_command_free(struct gsim_machine *machine, struct gsim_command *command);
