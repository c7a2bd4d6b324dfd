/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: source (private to source/run). The queues of the run time; graphs. */
#pragma once

#include "source/run/engine.h"

#define GSIM_RUN_SLOTS   256
#define GSIM_RUN_STREAMS 128
#define GSIM_RUN_HANDLE  4096 /* of the first stream, event, graph */

struct gsim_run_queue {
    struct gsim_run_command **at;
    size_t count, room, first;
};

struct gsim_run_nodes {
    uint32_t *at;
    size_t count, room;
};

struct gsim_run_node {
    struct gsim_run_command *command; /* to be copied at each launch */
    uint32_t stream;
    struct gsim_run_nodes follows;
};

struct gsim_run_graph {
    struct gsim_run_node *nodes;
    size_t count, room;
    uint32_t origin;                  /* stream */
    uint32_t slots[GSIM_RUN_STREAMS]; /* of an executable graph, by the captured stream; 0: none yet */
    struct gsim_run_command *last;    /* its launch before */
};

struct gsim_run_stream {
    bool is_blocking;
    uint32_t slot;
    struct gsim_run_command *last;
    struct gsim_run_graph *graph;   /* that it is captured into */
    struct gsim_run_nodes frontier; /* what its next node follows */
};

struct gsim_run_event {
    struct gsim_run_command *recorded;
    struct gsim_run_graph *graph; /* where it was recorded within a capture */
    struct gsim_run_nodes frontier;
};

struct gsim_run_engine {
    struct gpusim_run run;
    const struct gsim_run_settings *settings;
    struct gsim_run_shared *shared;
    struct gsim_run_command **all;
    size_t count, room;
    struct gsim_run_queue queues[GSIM_RUN_SLOTS];
    uint32_t slot_count;
    struct gsim_run_stream streams[GSIM_RUN_STREAMS];
    uint32_t stream_count;
    struct gsim_run_event *events;
    size_t event_count, event_room;
    struct gsim_run_graph **graphs;
    size_t graph_count, graph_room;
    uint32_t host_clock[GSIM_RUN_SLOTS], host_clock_count, segment;
    uint64_t state, clock_calls;
    uint32_t eagerness;
    int last_line;
};

struct gsim_run_engine *gsim_run_engine(void);
bool gsim_run_engine_init(const struct gsim_run_settings *settings, struct gsim_run_shared *shared);
void gsim_run_engine_end(void);

struct gsim_run_command *gsim_run_new(enum gsim_run_kind kind, const char *name, const char *file, int line);
void gsim_run_follow(struct gsim_run_command *c, struct gsim_run_command *earlier); /* EARLIER may be NULL */
uint32_t gsim_run_slot(void);
void gsim_run_put(struct gsim_run_command *c, uint32_t slot);
void gsim_run_enqueue(struct gsim_run_command *c, struct gsim_run_stream *s);
void gsim_run_wait(struct gsim_run_command *c);
void gsim_run_wait_all(void);
void gsim_run_begin(const char *file, int line);
void gsim_run_will_be_seen(struct gsim_run_command *c);
struct gsim_run_stream *gsim_run_stream_of(const void *handle);

/* calls.c */
int gsim_run_call(int what, void *a, void *b, long n, const char *file, int line);
void gsim_run_capture(struct gsim_run_command *c, struct gsim_run_stream *s);
