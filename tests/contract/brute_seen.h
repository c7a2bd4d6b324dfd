/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the second simulator of brute.h has seen: calls (brute_seen.c), which it simulates (brute.c). */
#pragma once

#include "sim/host/api.h"
#include "tests/contract/brute.h"
#include "tests/test.h"

enum { MOST = 4000, STREAMS = 64, SMS = 4, EVENTS = 512, QUEUES = BRUTE_QUEUES, THREADS = 8, GRAPHS = 32, NODES = 64 };
enum kind {
    KERNEL,
    COPY,
    GRAPH,
    RECORD,
    WAIT,
    WORK,
    SYNC_STREAM,
    SYNC_EVENT,
    SYNC_ALL,
    WAIT_ANY,
    JOIN,
    CREATE,
    QUERY,
    BEGIN,
    END
};

struct call {
    enum kind kind;
    uint32_t stream, event, thread, other; /* OTHER: the thread that is made or joined */
    const struct gsim_op *op;
    double us;
    uint32_t first, last; /* of the waitables */
    uint32_t before;      /* of a wait for the device: one more than was enqueued when it began; 0: not begun */
    /* of what is enqueued */
    int marker; /* the record that a wait is for; -1: none */
    uint32_t queue;
    bool is_done, is_submitted;
    double arrival, start, end, left;
    int to_place, running;
    /* of a graph's launch: its nodes in ISSUED; of a node: that launch, one more; 0: in a stream */
    uint32_t nodes, node_count, of, turn;
};

/* A graph: what each node follows, as bits. */
struct graph {
    uint32_t count, streams[NODES];
    const struct gsim_op *ops[NODES];
    uint64_t after[NODES];
};

extern struct brute {
    struct gsim_forward forward;
    struct call calls[MOST];
    struct gsim_op ops[MOST]; /* copies: those of a scheduler end with the run */
    uint32_t count, op_count;
    struct gsim_waitable waitables[MOST];
    uint32_t waitable_count;
    gsim_thread (*create)(struct gsim_driver *, gsim_body, void *); /* of forward.c */
    int priority[STREAMS];
    bool is_timed[EVENTS];
    struct graph graphs[GRAPHS];
    uint32_t graph_of[GRAPHS], capture[STREAMS], captured[EVENTS]; /* of executables, streams, events */
    uint64_t tail[STREAMS], recorded[EVENTS];
    bool is_beyond; /* a call that is left out here */
} brute_saw;
