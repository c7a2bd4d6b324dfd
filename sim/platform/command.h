/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. A command: an entry of a stream, a node of a running graph, or a transfer that memory starts. Its maker
 * sets ENDED, which is called at its end. The loop (sim/platform/machine.c) calls TRANSFERRED.
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
struct gsim_faulter;     /* a kernel with missing pages */
struct gsim_kernel_run;  /* a kernel on the SMs */
struct gsim_host_thread;
struct gsim_front_policy_launch; /* a launch that the front end's policy sees */
struct gsim_front;
struct gsim_caller;
struct gsim_partition;

enum gsim_command_kind {
    GSIM_COMMAND_OP, GSIM_COMMAND_RECORD, GSIM_COMMAND_WAIT, GSIM_COMMAND_GRAPH, GSIM_COMMAND_GATE,
    GSIM_COMMAND_OTHER, /* its class alone knows */
};

/* Calls of a command's life. Each may be NULL, but START of a command in a stream. */
struct gsim_command_class {
    void (*start)(struct gsim_command *);     /* its dependences are met */
    void (*began)(struct gsim_command *, gsim_time now);     /* its kernel's first blocks are resident */
    void (*triggered)(struct gsim_command *, gsim_time now); /* all its blocks have triggered, or all are resident */
    void (*over)(struct gsim_command *, gsim_time now);      /* its last block has ended */
};

struct gsim_command {
    /* All kinds; first what a queue reads. */
    enum gsim_command_kind kind;
    uint32_t stream;                  /* index; of a graph's node the stream in the records */
    gsim_time arrival;
    const struct gsim_command_class *class; /* NULL: records, waits, gates, and what memory started */
    struct gsim_command *next;
    struct gsim_marker *marker;       /* RECORD, WAIT */
    uint64_t gate;                    /* GATE: count to which the stream must be open */
    uint64_t default_before;          /* default-stream commands issued before it */
    uint64_t issue_number;            /* over all streams, from 1 */
    struct gsim_device *device;       /* that executes it */
    struct gsim_front *front;         /* of its hardware queue; NULL: memory started it */
    struct gsim_caller *client;       /* its task */
    gsim_time launch;
    uint32_t correlation, iteration;
    int priority;                     /* of its kernel */
    /* Only of commands that take time: records, waits and gates end before this (GSIM_BRIEF_COMMAND). */
    uint32_t node;
    struct gsim_partition *part;           /* kernels: their SMs */
    void (*ended)(struct gsim_command *command);       /* its kernel, copy or graph ended now */
    void (*transferred)(struct gsim_command *command); /* its bytes have arrived now */
    const struct gsim_op *op;         /* GSIM_COMMAND_OP */
    uint32_t exec;                    /* GRAPH: index */
    void (*body)(struct gsim_driver *, void *); /* OTHER: of its class, with ARGUMENT */
    void *argument;
    struct gsim_graph_run *graph_run; /* of a node; NULL: in a stream */
    gsim_time ready, start;
    uint32_t migrations;             /* transfers that its blocks still wait for */
    struct gsim_kernel_run *run;     /* kernels on the GPU */
    const void *note;                /* of gsim_launch_noted(), for the front end's policy */
    struct gsim_front_policy_launch *in_policy; /* NULL: it was not asked */
    bool is_taken;                   /* by the policy: its hardware queue goes on */
    bool is_held;                    /* programmatic launch that began before its predecessor's end */
    bool has_triggered;              /* all its blocks have triggered */
    bool in_engine;                  /* went through a copy engine's queue */
    bool is_migration;               /* memory started it; in no stream */
    bool has_room;                   /* bulk copies: room was made on the device */
    struct gsim_faulter *faulter;    /* kernels with missing pages */
    uint64_t bytes;                  /* transfers */
    struct gsim_leg leg;             /* transfers: from where to where; none within a device */
    enum gsim_copy_kind copy_kind;
    enum gsim_copy_reason reason;
    uint32_t buffer_index;
    struct gsim_command *then;       /* transfers: the next, which begins at the end of this one */
    struct gsim_waiter *waiters;     /* transfers: kernels that wait for the data */
    struct gsim_host_thread *waiting_thread; /* transfers: host access that waits for the data */
    void *held;                      /* an arbiter's own */
    struct gsim_command *next_started;
};

#define GSIM_BRIEF_COMMAND offsetof(struct gsim_command, node)

static inline bool gsim_command_is_brief(enum gsim_command_kind kind)
{
    return kind == GSIM_COMMAND_RECORD || kind == GSIM_COMMAND_WAIT || kind == GSIM_COMMAND_GATE;
}

/* Takes a zeroed command from the machine's pool and sets what is given. Records, waits and gates have
 * GSIM_BRIEF_COMMAND bytes only. NULL: out of memory, and the run has failed. */
struct gsim_command *gsim_command_new(struct gsim_machine *machine, enum gsim_command_kind kind,
                                      struct gsim_device *device, uint32_t stream, uint32_t iteration);
void gsim_command_free(struct gsim_machine *machine, struct gsim_command *command);
