/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (internal). One process: the driver that it calls (sim/host), its memory, and its streams, events and
 * graphs, which front ends execute (sim/front/front.h). Handles of the public API are indices into its tables.
 */
#pragma once

#include "sim/memory/device.h"

/* Hardware queues of one front end that wait for a recording. */
struct gsim_marker_wait {
    struct gsim_front *front;
    uint32_t hw_queues;            /* a bit each */
    struct gsim_marker_wait *next;
};

struct gsim_marker {
    uint32_t references;
    bool is_complete;
    bool is_timed;                 /* recorded with timing */
    uint32_t unit;                 /* of the stream's last work */
    gsim_time time, later;         /* LATER: delay, perhaps negative, of queues that wait */
    double ended_bytes;            /* the device's then */
    uint32_t recorded_stream, event, iteration;
    uint32_t correlation;          /* of the call that recorded it */
    struct gsim_marker_wait waiting; /* the first; no front: nobody waits */
    struct gsim_host_thread *waiting_threads;
    struct gsim_marker *next_free;
};

/* What a stream's next kernel waits for: the work of STREAM, or its own. */
struct gsim_acquire {
    struct gsim_acquire *next;
    uint32_t stream;
    gsim_time ready;    /* its end and the gap behind it; 0 of work that is not on the SMs */
    double ended_bytes; /* the device's then */
};

struct gsim_stream_state {
    struct gsim_front *front;      /* of the device that it is on */
    bool exists, busy;
    bool is_held; /* busy with a kernel that a policy has not let go: what follows is not in the queue's way */
    int priority;
    uint32_t hw_queue;              /* the one that holds it, or held it last */
    struct gsim_command *early;    /* launched programmatically, begun before what it is busy with has ended */
    bool is_triggered;             /* all blocks of the kernel that it is busy with have */
    gsim_time triggered, own_ready; /* when; ready[GSIM_UNIT_SMS] as the end of its last kernel has set it */
    struct gsim_command *records,
        **records_tail; /* of what it is busy with, to be made when that ends; held or kept: all that follows */
    const struct gsim_marker *kept_for; /* a wait for this one, and all that follows, is with the client */
    bool is_bound;                 /* has commands that are not complete, all in that hw_queue */
    uint64_t issued, completed;
    /* By unit, of the last work there that its next command must follow: its end, and with the gap behind it. */
    gsim_time follows[GSIM_UNIT_COUNT], ready[GSIM_UNIT_COUNT];
    bool has_worked;               /* a kernel or copy of its has ended: OWN says which */
    struct gsim_acquire own,
        *acquires; /* its last work; what its next kernel waits for besides, in the order of the streams */
    gsim_time last_end;
    uint32_t ended_unit;           /* of its last command */
    gsim_time recorded, turned;    /* end of its last timed record; how much longer the front end then takes to go on */
    uint32_t used_mark;            /* iteration + 1 in which it last held work */
    struct gsim_host_thread *waiting_threads;
    uint64_t opened;               /* gates up to this are open */
    uint32_t taken;                /* launches that the front end's policy took and that have not ended */
    uint32_t capture;              /* graph being captured, 0: none */
    uint32_t *tail;                /* capture: the nodes that the next one follows */
    uint32_t tail_count, tail_capacity;
};

struct gsim_event_state {
    bool exists;
    enum gsim_event_flags flags;
    struct gsim_marker *marker;    /* of the latest recording */
    uint32_t capture, stream;      /* stream: capture, on which it was recorded */
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
    struct gsim_front **fronts;    /* of each node: of the device that it is for */
    uint32_t *streams, *predecessor_count;
    bool has_programmatic;         /* some nodes are launched programmatically */
    uint32_t *cross_edges;         /* of each node: how many of other branches it follows */
    bool *crosses;                 /* of each node: it follows nodes of several branches */
    bool *signals;                 /* of each node: such ones follow it, and one other */
    uint32_t *first_successor, *successors; /* of node n: successors[first[n]] .. successors[first[n + 1] - 1] */
    uint32_t node_count, copy_count;
    double launched_at_bytes;      /* the device's touched_bytes at its last launch */
    struct gsim_graph_run *idle_runs;
};

struct gsim_process {
    struct gsim_driver driver;     /* first: the driver's calls get a pointer to it */
    struct gsim_machine *machine;
    struct gsim_device *const *devices; /* that it sees, by index */
    uint32_t device_count, first_device; /* the machine's number of the first */
    struct gsim_front *const *fronts; /* its own, by the device's index */
    const struct gsim_device_spec *spec; /* what its host calls cost */
    struct gsim_space *space;      /* its memory; buffers of other processes are in it, too */
    gsim_time call_gap;            /* of the device file */
    gsim_time driver_free;         /* when the driver's lock is free again */
    uint32_t driver_caller;        /* the thread that held it last */

    struct gsim_stream_state *streams;
    size_t stream_count, stream_capacity;
    uint32_t lowest_free;          /* all streams below exist */
    struct gsim_event_state *events;
    size_t event_count, event_capacity;
    uint32_t *free_events;
    size_t free_event_count, free_event_capacity;
    struct gsim_graph_state *graphs;
    size_t graph_count, graph_capacity;
    struct gsim_exec_state *execs;
    size_t exec_count, exec_capacity;
    struct gsim_marker *free_markers;
    struct gsim_marker_wait *free_waits;
    struct gsim_acquire *free_acquires;

    uint32_t correlation;
};

/* The running thread's device, made at its first use; of a run that fails, another one. */
static inline struct gsim_device *gsim_process_device(const struct gsim_process *p)
{
    struct gsim_machine *m = p->machine;
    struct gsim_device *d =
        m->running && m->running->device ? m->open_device(m, p->first_device + m->running->device) : NULL;
    return d ? d : p->devices[0];
}

/* The task that makes the running call. */
static inline struct gsim_client *gsim_process_client(const struct gsim_process *p)
{
    return p->machine->running->client;
}

/* A recording with one reference; NULL, and the run fails, when memory is out. */
struct gsim_marker *gsim_process_marker(struct gsim_process *p);
/* Hardware queue HW_QUEUE of FRONT waits for it. Out of memory, the run fails. */
void gsim_process_wait_for(struct gsim_process *p, struct gsim_marker *marker, struct gsim_front *front,
                           uint32_t hw_queue);
void gsim_process_unref(struct gsim_process *p, struct gsim_marker *marker); /* accepts NULL */
/* The next kernel of the stream waits for what MARKER recorded on the SMs, from READY on, or elsewhere (0). */
void gsim_acquires_add(struct gsim_process *p, struct gsim_stream_state *stream, const struct gsim_marker *marker,
                       gsim_time ready);
/* When the queue of the stream, by index, has seen that all of it ended. */
gsim_time gsim_acquires_seen(const struct gsim_device *d, const struct gsim_process *p, uint32_t index);
void gsim_acquires_forget(struct gsim_process *p, struct gsim_stream_state *stream);
void gsim_process_release(struct gsim_process *p); /* accepts zeroed */
