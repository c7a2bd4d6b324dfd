/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces. A recorded case: kernels and copies with their measured times. traces/cases.h reads them,
 * trust/validate/validate.h simulates them. All times are microseconds.
 */
#pragma once

#include "gpusim/program.h"

/* X(KEY, word of --kind) */
#define GSIM_CASE_KIND_MAP(X)                                                                                          \
    X(PAIR, "pairs")        /* two kernels released together */                                                        \
    X(ARRIVAL, "arrival")   /* a kernel launched while another runs */                                                 \
    X(PRIORITY, "priority") /* a short, urgent one launched while a long one runs */                                   \
    X(DAG, "dags")          /* kernels and copies with dependences, on several streams */                              \
    X(LAUNCH, "launch")     /* such DAGs whose kernels last less than GSIM_LAUNCH_BOUND_US on average */               \
    X(ATEN, "aten")         /* such DAGs of kernels of which neither flops nor bytes are known */                      \
    X(REPEATED,                                                                                                        \
      "repeated")       /* such DAGs of kernels timed by repeating them, which share buffers, run again and again */   \
    X(BESIDE, "beside") /* two kernels that ncu knows, each repeated on a stream of its own */                         \
    X(UNLIKE, "unlike") /* DAGs of such kernels */                                                                     \
    X(MICRO, "micro")   /* two kernels, one rule of the machine at a time */

enum gsim_case_kind {
#define GSIM_CASE_KIND_ENUM(key, word) GSIM_CASE_##key,
    GSIM_CASE_KIND_MAP(GSIM_CASE_KIND_ENUM)
#undef GSIM_CASE_KIND_ENUM
        GSIM_CASE_KIND_COUNT
};
#define GSIM_LAUNCH_BOUND_US 10.0
#define GSIM_CASE_BUFFER_BYTES (1u << 26) /* that kernels share */

/* X(KEY, word): how a DAG was executed. */
#define GSIM_SCHEDULE_MAP(X)                                                                                           \
    X(LIVE, "live")     /* on its streams, events across them, device synchronise at the end */                       \
    X(SERIAL, "serial") /* on one stream, device synchronise at the end */                                            \
    X(SYNC, "sync")     /* on one stream, synchronise after each */                                                   \
    X(GRAPH, "graph")   /* the live calls captured; a relaunch of the graph and synchronise */                        \
    X(CHAIN, "chain")   /* the same of the serial calls */

enum gsim_schedule {
#define GSIM_SCHEDULE_ENUM(key, word) GSIM_SCHEDULE_##key,
    GSIM_SCHEDULE_MAP(GSIM_SCHEDULE_ENUM)
#undef GSIM_SCHEDULE_ENUM
        GSIM_SCHEDULE_COUNT
};

struct gsim_case_node {
    bool is_copy;
    struct gsim_kernel kernel; /* where it is none */
    enum gsim_copy_kind copy_kind;
    uint64_t bytes;
    uint64_t part_bytes; /* a kernel reads so much of the buffer, and writes as much of the next one; 0: what it touches
                            is not known */
    uint32_t buffer;
    bool has_profile_row;    /* the kernel is this row of the profiler's file (traces/kernels/profiles.h) */
    uint32_t profile_row;
    uint32_t stream, dep_count;
    const uint32_t *deps;    /* earlier nodes */
    double start_us, end_us; /* measured; NAN: not recorded */
    double host_us;          /* what the issuing program took for the PyTorch op that begins here; 0: none begins */
};

/* What a DAG's calls took on the host where a program in Python made them, the CUDA calls in them included; zeros: a C
 * program. */
struct gsim_case_host {
    double stream_us;       /* to make a stream the current one and go back */
    double record_us;       /* an event's creation and record */
    double wait_us, sync_us; /* a stream's wait for one; a synchronise with nothing to wait for */
};

/* One recorded case, owned by its set. */
struct gsim_case {
    enum gsim_case_kind kind;
    const char *file, *name; /* name: its place in the file, or its tag there */
    uint32_t index;          /* in its list of the file: the even ones are one half, the odd ones the other */
    /* Two kernels, the second launched after the first: */
    struct gsim_kernel kernels[2];
    int32_t priority;              /* of the second; CUDA's */
    double delay_us;               /* host time between the launch calls; 0: released together; NAN: not recorded */
    double start_us[2], end_us[2]; /* from the first start */
    double span_us;
    uint32_t *blocks_by_sm[2];     /* how many of its blocks ran on each SM; NULL: not recorded */
    uint32_t sm_count;
    /* A DAG: */
    struct gsim_case_node *nodes;
    uint32_t node_count, stream_count, buffer_count;
    double makespan_us[GSIM_SCHEDULE_COUNT]; /* 0: not recorded */
    struct gsim_case_host host;
    /* Half the range of the repeated measurements over their median: span_us, or live. NAN: not recorded. */
    double spread_ratio;
};

struct gsim_case_set {
    struct gsim_case *cases;
    size_t count, capacity;
    struct gsim_arena arena; /* owns what the cases point to */
};
/* A new zeroed case, or NULL when memory is out. */
struct gsim_case *gsim_case_add(struct gsim_case_set *set);
void gsim_case_set_release(struct gsim_case_set *set); /* accepts a zeroed one */
