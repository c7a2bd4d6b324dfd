/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). Op lists whose ops are launched together: a list is cut once into pieces, graphs or
 * resident launches, and single ops between them. A piece goes to the stream of its lane, and the host waits before its
 * own ops for what they follow. How a piece is launched is the user's: graphs.c, resident.c.
 */
#pragma once

#include "gpusim/schedulers/feed.h"

#define GSIM_NO_PIECE UINT32_MAX

struct gsim_piece {
    uint32_t begin, end;       /* in the list */
    bool is_joint;             /* launched as one; else a single op */
    bool needs_sync;           /* host op: a device op that it depends on may be pending */
    /* Graphs. */
    gsim_graph_exec exec;      /* 0: not instantiated yet */
    uint32_t shared;           /* first list: the steady piece whose graph it launches; GSIM_NO_PIECE: its own */
    /* Resident launches. */
    struct gsim_persistent *plan; /* made at its first launch */
    uint32_t *waits;           /* by lane: the last piece there that it follows. NULL: there is one lane */
    bool is_awaited;           /* a piece of another lane follows it */
    gsim_event event;          /* behind it */
};

struct gsim_cut_list {
    struct gsim_oplist list;
    struct gsim_dag dag;
    struct gsim_piece *items;
    size_t count, capacity;
};

struct gsim_piecewise;
struct gsim_piece_user {
    /* Op I may be in a piece that begins with op BEGIN and has all between; BEGIN itself: in a piece at all. */
    bool (*joins)(const struct gsim_piecewise *x, const struct gsim_cut_list *p, uint32_t begin, uint32_t i);
    /* Issues the piece to its lane's stream. False: out of memory. */
    bool (*launch)(const struct gsim_piecewise *x, struct gsim_cut_list *p, struct gsim_piece *piece);
    /* The first and the steady list have been cut, and differ. NULL: nothing to do, as below. */
    void (*share)(const struct gsim_piecewise *x);
    /* Of several lanes: the list may be put into another order; it has been cut. False: out of memory. */
    bool (*arrange)(const struct gsim_piecewise *x, struct gsim_cut_list *p);
    bool (*link)(const struct gsim_piecewise *x, struct gsim_cut_list *p);
};

struct gsim_piecewise {
    struct gsim_run *run;
    const struct gsim_piece_user *user;
    const void *own;             /* the user's */
    const char *what;            /* the pieces are, in messages */
    uint32_t lane_count;         /* 1, or one for each GPU */
    uint32_t gpu_count, stream_count; /* GPUs with streams; on each */
    bool waits;                  /* the host, where a list must follow all before it; else the stream's order does */
    /* Its own. */
    struct gsim_cut_list lists[3]; /* by enum gsim_feed_kind */
    gsim_stream *streams;        /* by GPU; a lane's is the first of its GPU */
    bool *is_pending;            /* by lane: work that the host has not waited for */
};

/* The lane of an op. */
static inline uint32_t gsim_lane_of(const struct gsim_piecewise *x, const struct gsim_op *op)
{
    return x->lane_count > 1 ? op->device : 0;
}
enum gsim_status gsim_piecewise_run(struct gsim_piecewise *x, struct gsim_error *error) GSIM_NODISCARD;
