/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces (private to traces/import/records). Ordered records into the ops of a program: what its parts share.
 * The host's time is kept along the way: "cursor" is when, on the trace's clock, a replay's host thread will be ready
 * for the next call, given what the replay charges for calls.
 */
#pragma once

#include "traces/import/records/host.h"
#include "traces/import/records/operands.h"
#include "traces/import/records/overhead.h"

#define GSIM_EMIT_NONE UINT32_MAX
#define GSIM_EMIT_COPY_KINDS 3

struct gsim_emit_link {
    uint32_t op, next;
};

/* An op that a work became. */
struct gsim_emit_made {
    int64_t call_ns, end_ns;
    int64_t replayed_ns; /* when it ends in a replay, about */
    uint32_t before; /* the op before it in its stream, GSIM_EMIT_NONE for none */
    uint32_t stream; /* index into the records' streams */
    bool is_copy, is_moved;
};

struct gsim_emit_stream {
    uint32_t last, seen; /* its latest op; the latest that the host knows to be complete */
    uint32_t thread;     /* that launched that op */
    uint32_t waits;      /* first link of what its next op waits for */
    int32_t number, priority;
    uint32_t launch; /* the graph launch that has nodes in it, plus one */
    uint32_t buffers[GSIM_EMIT_COPY_KINDS];
    uint64_t bytes[GSIM_EMIT_COPY_KINDS]; /* the greatest copy of that kind */
};

/* A graph's launch whose nodes are being made. */
struct gsim_emit_launch {
    uint32_t call, stream_count, node_count;
    uint32_t *streams; /* in which it has nodes */
    struct gsim_emit_node {
        uint64_t original; /* 0: not known */
        uint32_t op;
    } *nodes;
    size_t node_room;
};

struct gsim_emitter {
    bool keeps_times[2][2]; /* [pageable][d2h] */
    const struct gsim_records *records;
    const struct gsim_steps *steps;
    const struct gsim_import_options *options;
    struct gsim_builder *builder;
    struct gsim_emit_stream *streams;
    uint32_t *thread_waits; /* per thread: first link of what its next launch waits for */
    int64_t *thread_back_ns; /* and when that wait returned */
    struct gsim_emit_made *made;      /* per op */
    int64_t *starts;        /* per work in launch order: when it started */
    struct gsim_emit_link *links;     /* what some op will wait for */
    uint32_t *after;        /* of the op being made */
    size_t link_count, link_room, after_count, after_room, made_room;
    struct gsim_operands operands;
    struct gsim_overhead overhead;
    struct gsim_emit_launch launch;
    uint32_t open, barrier; /* with operands: first link of the ops since the last that followed all; that one */
    uint32_t host_waits; /* first link of what the host waits for */
    uint32_t work_count; /* made so far */
    uint32_t last_call, last_graph; /* of the work made last; the same where it is a graph's launch */
    int64_t cursor_ns, origin_ns; /* origin: of the first launch */
    uint64_t host_thread; /* that called last */
    int64_t busy_ns;   /* the latest end of a work made so far */
    int64_t removed_ns; /* of the time up to the step at hand, the profiler's */
    double gap_us;     /* between works that follow each other in a replay */
    struct gsim_nccl *nccl; /* with waits that are split: what a collective takes; NULL: not known */
    bool has_nodes;    /* and it is replayed as graphs */
    bool is_graph;     /* all of it is, so that nothing between is saved by making it one */
    bool is_needed;    /* what the host waits for, it uses */
    bool is_woken;     /* it has waited since the last launch: it may use what it waited for */
    bool failed;
};


int64_t gsim_emit_ns(double us);

/* Adds OP to the links of LIST. */
void gsim_emit_wait_for(struct gsim_emitter *e, uint32_t *list, uint32_t op);
/* Moves LIST to the "after" of the next op. */
void gsim_emit_take(struct gsim_emitter *e, uint32_t *list);
/* Adds OP with the collected "after"; returns its index. */
uint32_t gsim_emit_op(struct gsim_emitter *e, struct gsim_op *op);

/* --- emit_host.c: the host's time --- */
/* Before a call of THREAD at TIME_NS: the host's own work since the last call, and what it waited for before that. */
void gsim_emit_pass_time(struct gsim_emitter *e, uint64_t thread, int64_t time_ns);
/* CALL returned at its end, a replay returns at BACK_NS from what it waits for: what is more is the call's own time. */
void gsim_emit_return(struct gsim_emitter *e, const struct gsim_call *call, int64_t back_ns,
                      enum gsim_span_owner owner);

/* --- emit_waits.c: synchronisation --- */
/* A synchronising call. Where the next launch is another thread's, only this thread's next op waits. */
void gsim_emit_sync(struct gsim_emitter *e, const struct gsim_step *step);
/* What THREAD waited for while another launched: before its launch at TIME_NS. */
void gsim_emit_thread_waits(struct gsim_emitter *e, uint32_t thread, int64_t time_ns);
/* cudaStreamWaitEvent. */
void gsim_emit_wait(struct gsim_emitter *e, const struct gsim_step *step);

/* --- traces/import/recorded/graph.c: nodes of graphs in several streams --- */
/* Before the work of STEP: what its stream waits for, of its own launch by the graph's edges. */
void gsim_emit_graph(struct gsim_emitter *e, const struct gsim_step *step);
/* The work became OP. */
void gsim_emit_graph_made(struct gsim_emitter *e, const struct gsim_activity *work, uint32_t op);

/* --- emit_times.c: what was measured, for who wants to compare or calibrate --- */
/* WAITS: first link of what it waits for. */
void gsim_emit_keep_times(struct gsim_emitter *e, const struct gsim_step *step, uint32_t op, uint32_t waits);
void gsim_emit_keep_origin(struct gsim_emitter *e, uint32_t op, uint64_t external);
void gsim_emit_keep_calls(struct gsim_emitter *e);
/* Times are kept of calls behind the last work, too. */
void gsim_emit_keep_sync(struct gsim_emitter *e, const struct gsim_call *call);
