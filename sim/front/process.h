/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (internal). One process: its driver (sim/host), its memory, streams, events and graphs. Front ends
 * (sim/front/front.h) execute them. A handle of the public API is an index into a table here.
 */
#pragma once

#include "sim/memory/device.h"

/* Hardware queues of one front end that wait for a recorded event. */
struct gsim_marker_wait {
    struct gsim_front *front;
    uint32_t hw_queues;            /* a bit each */
    struct gsim_marker_wait *next;
};

struct gsim_marker {
    uint32_t references;
    bool is_complete;
    bool is_timed;                 /* the event records its time */
    uint32_t unit;                 /* that executed the stream's last work */
    gsim_time time, later;         /* LATER: delay (ps, may be negative) of queues that wait */
    double ended_bytes;            /* the device's ended_bytes at that time */
    uint32_t recorded_stream, event, iteration;
    uint32_t correlation;          /* of the recording call */
    struct gsim_marker_wait waiting; /* the first; front NULL: nobody waits */
    struct gsim_host_thread *waiting_threads;
    struct gsim_marker *next_free;
};

/* Work that a stream's next kernel waits for: of another stream or its own. */
struct gsim_acquire {
    struct gsim_acquire *next;
    uint32_t stream;
    gsim_time ready;    /* its end plus the gap; 0: not on the SMs */
    double ended_bytes; /* the device's ended_bytes at that time */
};

struct gsim_stream_state {
    struct gsim_front *front;      /* of its device */
    bool exists, busy;
    bool is_held; /* busy with a kernel that a policy holds: later commands do not block the queue */
    int priority;
    uint32_t hw_queue;              /* its queue, or its last one */
    struct gsim_command *early;    /* programmatic launch that began before the running kernel's end */
    bool is_triggered;             /* all blocks of the running kernel have triggered */
    gsim_time triggered, own_ready; /* time of the trigger; ready[GSIM_UNIT_SMS] that the last kernel's end set */
    struct gsim_command *records,
        **records_tail; /* event records due at the end of the running command; if held or kept, all later commands */
    const struct gsim_marker *kept_for; /* the wait for this marker and all later commands stay with the client */
    bool is_bound;                 /* has incomplete commands, all in hw_queue */
    uint64_t issued, completed;
    /* By unit: end of the last work there that the next command follows; the same plus the gap. */
    gsim_time follows[GSIM_UNIT_COUNT], ready[GSIM_UNIT_COUNT];
    bool has_worked;               /* a kernel or copy has ended; OWN describes it */
    struct gsim_acquire own,
        *acquires; /* its last work; other work that its next kernel waits for, by stream */
    gsim_time last_end;
    uint32_t ended_unit;           /* that executed its last command */
    gsim_time recorded, turned;    /* end of its last timed record; extra time of the front end behind it */
    uint32_t used_mark;            /* iteration + 1 of its last work */
    struct gsim_host_thread *waiting_threads;
    uint64_t opened;               /* gates up to this count are open */
    uint32_t taken;                /* launches that the front end's policy took and that run or wait */
    uint32_t capture;              /* graph being captured, 0: none */
    uint32_t *tail;                /* capture: predecessors of the next node */
    uint32_t tail_count, tail_capacity;
};

struct gsim_event_state {
    bool exists;
    enum gsim_event_flags flags;
    struct gsim_marker *marker;    /* of the latest recording */
    uint32_t capture, stream;      /* stream: where it was recorded in the capture */
    uint32_t *nodes;               /* capture: the nodes before the recording */
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
    struct gsim_front **fronts;    /* by node: of its device */
    uint32_t *streams, *predecessor_count;
    bool has_programmatic;         /* some nodes are programmatic launches */
    uint32_t *cross_edges;         /* by node: its predecessors in other branches */
    bool *crosses;                 /* by node: its predecessors are in several branches */
    bool *signals;                 /* by node: it has such successors and one other */
    /* of node n: successors[first_successor[n]] up to [first_successor[n + 1] - 1] */
    uint32_t *first_successor, *successors;
    uint32_t node_count, copy_count;
    double launched_at_bytes;      /* the device's touched_bytes at the last launch */
    struct gsim_graph_run *idle_runs;
};

struct gsim_process {
    struct gsim_driver driver;     /* first: the driver's calls get its address */
    struct gsim_machine *machine;
    struct gsim_device *const *devices; /* visible devices, by index */
    uint32_t device_count, first_device; /* FIRST_DEVICE: index of the first in the machine */
    struct gsim_front *const *fronts; /* by device */
    const struct gsim_device_spec *spec; /* costs of its host calls */
    struct gsim_space *space;      /* its memory, shared with other processes */
    uint32_t requests;             /* that its tasks are at work on */
    gsim_time call_gap;            /* call_gap of the device file */
    gsim_time driver_free;         /* when the driver's lock is free again */
    uint32_t driver_caller;        /* thread that held the lock last */

    struct gsim_stream_state *streams;
    size_t stream_count, stream_capacity;
    uint32_t lowest_free;          /* lowest free handle */
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

/* Returns the running thread's device, made at its first use. After a failure: the first device. */
static inline struct gsim_device *gsim_process_device(const struct gsim_process *p)
{
    struct gsim_machine *m = p->machine;
    struct gsim_device *d =
        m->running && m->running->device ? m->open_device(m, p->first_device + m->running->device) : NULL;
    return d ? d : p->devices[0];
}

/* Returns the task that makes the running call. */
static inline struct gsim_caller *gsim_process_client(const struct gsim_process *p)
{
    return p->machine->running->client;
}

/* Makes a marker with one reference. NULL: out of memory, and the run has failed. */
struct gsim_marker *gsim_process_marker(struct gsim_process *p);
/* Makes hardware queue HW_QUEUE of FRONT wait for MARKER. Out of memory, the run fails. */
void gsim_process_wait_for(struct gsim_process *p, struct gsim_marker *marker, struct gsim_front *front,
                           uint32_t hw_queue);
void gsim_process_unref(struct gsim_process *p, struct gsim_marker *marker); /* accepts NULL */
/* Makes the stream's next kernel wait for the work that MARKER recorded. READY: end plus gap of work on the SMs, else
 * 0. */
void gsim_acquires_add(struct gsim_process *p, struct gsim_stream_state *stream, const struct gsim_marker *marker,
                       gsim_time ready);
/* Returns when the queue of stream INDEX has seen the end of all that its next kernel waits for. */
gsim_time gsim_acquires_seen(const struct gsim_device *d, const struct gsim_process *p, uint32_t index);
void gsim_acquires_forget(struct gsim_process *p, struct gsim_stream_state *stream);
void gsim_process_release(struct gsim_process *p); /* accepts zeroed */
