/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). The runner of policies (gpusim/policy.h), in two files. runner.c goes through the
 * program, known or drawn, moves data, and has the ops that wait until all that they follow has ended. ahead.c has
 * those that go to a stream as they come, behind events. Dependences by declared constness: frontier.h.
 */
#pragma once

#include "gpusim/policy.h"
#include "schedulers/runner/frontier.h"
#include "schedulers/shared/placedmoves.h"
#include "schedulers/shared/walk.h"

#define GSIM_NO_VERTEX UINT32_MAX

struct gsim_runner_slot;

/* Of a vertex that has not ended. */
struct gsim_runner_node {
    uint32_t waits; /* for so many others */
    struct gsim_policy_op *op;
};

struct gsim_runner_stream {
    struct gsim_policy_stream *own;
    gsim_stream handle;
    uint32_t last_vertex, live; /* live: not known to have ended */
};

struct gsim_runner_buffer {
    uint32_t generation;    /* of a program that is drawn: of the buffer that this is of */
    gsim_event copied;      /* its latest copy; 0: none yet */
    uint32_t copy_owner;    /* ahead, one GPU: the vertex in whose stream the copy is */
    gsim_stream visible_in; /* ahead: the stream that it is attached to; 0: all */
};

struct gsim_runner {
    struct gsim_run *run;
    struct gsim_driver *driver;
    const struct gsim_policy_ops *policy;
    struct gsim_policy_run view;
    struct gsim_frontier frontier;
    struct gsim_runner_node *nodes; /* by vertex */
    size_t node_room;
    struct gsim_policy_op *free_ops;
    struct gsim_runner_buffer *buffers;
    uint32_t buffer_room, live;     /* live: ops that have come and are not known to have ended */
    gsim_stream *copies;            /* by device: to others; 0: not made yet */
    bool is_ahead, is_managed, brings, failed;
    /* Data: the bringer's moves (BRINGS), or those of moves.h for the present op. */
    struct gsim_bringer bringer;
    struct gsim_moves_walk *walk;
    const struct gsim_op **moves;
    size_t move_count, move_room;
    /* runner.c: DEPTH of each device. */
    struct gsim_runner_slot *slots;
    struct gsim_waitable *waitables;
    const struct gsim_policy_params *params;
    uint32_t slot_count, busy;
    /* ahead.c */
    struct gsim_runner_stream *streams;
    size_t stream_count, stream_room;
    struct gsim_policy_op **parents;
    size_t parent_room;
};

/* --- runner.c --- */
gsim_stream gsim_runner_make_stream(struct gsim_runner *r, uint32_t device);
/* OP becomes a vertex with an op of the policy's; GSIM_NO_VERTEX: out of memory. */
uint32_t gsim_runner_add(struct gsim_runner *r, const struct gsim_op *op);
/* VERTEX has ended. */
void gsim_runner_end(struct gsim_runner *r, uint32_t vertex);
/* Copies what OP, which is VERTEX, needs on DEVICE; STREAM follows the copies. */
void gsim_runner_bring(struct gsim_runner *r, const struct gsim_op *op, uint32_t vertex, uint32_t device,
                       gsim_stream stream);

/* --- ahead.c --- */
void gsim_ahead_launch(struct gsim_runner *r, const struct gsim_op *op);
/* The host waits for the candidates of the frontier, which OP of the host follows. */
void gsim_ahead_wait(struct gsim_runner *r, const struct gsim_op *op);
void gsim_ahead_drain(struct gsim_runner *r);
/* Vertices have new indices, by the old ones; NULL: they are all forgotten. */
void gsim_ahead_renumber(struct gsim_runner *r, const uint32_t *moved);
