/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper of the runner). GrCUDA's dynamic dependence graph (IPDPS 2021): vertices arrive one by
 * one, depend by declared constness on the vertices that are still active, and finish when the host says so. Streams
 * and driver calls are the runner's.
 */
#pragma once

#include "gpusim/schedulers/moves.h"

struct gsim_vertex {
    uint32_t op_index;    /* in the program */
    uint32_t stream_index, event;
    uint32_t parent_start, parent_count; /* into gsim_frontier.parents: the kept ones, in frontier order */
    uint32_t first_child, last_child;    /* into gsim_frontier.children */
    uint32_t shortcut;    /* a known descendant, for the transitive filter */
    uint32_t before;      /* previous vertex of the stream */
    uint32_t visited;     /* number of the last search that came by */
    uint32_t candidate;   /* number of the last find() that took it as a candidate */
    bool finished;
};

struct gsim_frontier_child {
    uint32_t vertex, next;
};

/* Active uses of one buffer. A use that conflicts takes over from all it conflicts with, so at most one is
 * not const. */
struct gsim_frontier_use {
    uint32_t writer;     /* vertex, or UINT32_MAX */
    uint32_t readers;    /* first of a list in gsim_frontier.readers */
};

/* Of an op that is left out: what it had to follow. */
struct gsim_frontier_passed {
    uint32_t *vertices;
    size_t count, capacity;
};

struct gsim_frontier {
    struct gsim_vertex *vertices;
    struct gsim_frontier_child *children, *readers;
    uint32_t *parents, *candidates, *stack, *vertex_of; /* vertex_of: program op -> vertex */
    struct gsim_frontier_use *uses;                     /* per buffer */
    struct gsim_afters afters;
    size_t vertex_count, vertex_capacity, child_count, child_capacity, parent_count, parent_capacity;
    size_t reader_count, reader_capacity, candidate_count, candidate_capacity, stack_count, stack_capacity;
    uint32_t buffer_count, op_count, free_reader, search, find;
    uint32_t window;     /* of a program that is drawn: vertex_of and passed have the last so many ops; else 0 */
    struct gsim_frontier_passed *passed;
    uint32_t *moved;     /* of gsim_frontier_compact */
    size_t moved_capacity;
    bool with_const;     /* const uses do not conflict with each other */
    bool filter;         /* drop candidates that have a descendant among the candidates */
    bool failed;         /* memory ran out */
};

/* DRAW: of a program that is drawn; else NULL. */
bool gsim_frontier_init(struct gsim_frontier *frontier, const struct gsim_program *program,
                        const struct gsim_draw *draw);
/* Another buffer has got the place. */
void gsim_frontier_forget(struct gsim_frontier *frontier, uint32_t buffer);
void gsim_frontier_release(struct gsim_frontier *frontier);
/* Forgets all vertices; they must be finished. */
void gsim_frontier_reset(struct gsim_frontier *frontier);
/* Forgets finished vertices; the others get new indices in the same order: by old one, UINT32_MAX where it was
 * finished, valid until the next call. NULL: out of memory. Vertices that a finished one follows must be finished. */
const uint32_t *gsim_frontier_compact(struct gsim_frontier *frontier);
/* Of a list by "before": *LAST is the last one that is not finished; UINT32_MAX: there is none. */
void gsim_frontier_skip_finished(const struct gsim_frontier *frontier, uint32_t *last);
/* OP of a program that is drawn does not come: who follows it follows what it had to. */
void gsim_frontier_leave_out(struct gsim_frontier *frontier, const struct gsim_op *op);

/* Fills candidates with the parents of OP, in frontier order, and takes the uses that OP ends out of the
 * frontier. ALL_WRITE treats every argument as not const. */
void gsim_frontier_find(struct gsim_frontier *frontier, const struct gsim_op *op, bool all_write);
/* Makes OP a vertex whose parents are the current candidates. Returns its index, UINT32_MAX out of memory. */
uint32_t gsim_frontier_add(struct gsim_frontier *frontier, const struct gsim_op *op, bool all_write);
