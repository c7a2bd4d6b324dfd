/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. Predictions against measurements: recorded cases (traces/cases.h reads them), their simulation
 * from what a profiler would tell of each kernel, and the samples, rows and rankings that come of it. Printing:
 * trust/validate/table.c; statistics: trust/validate/stats.h. All times are microseconds.
 */
#ifndef GSIM_VALIDATE_H
#define GSIM_VALIDATE_H

#include "sim/base/output.h"
#include "gpusim/simulate.h"
#include "trust/validate/stats.h"

/* X(KEY, word of --kind) */
#define GSIM_CASE_KIND_MAP(X)                                                                                          \
    X(PAIR, "pairs")        /* two kernels released together */                                                       \
    X(ARRIVAL, "arrival")   /* a kernel launched while another runs */                                                \
    X(PRIORITY, "priority") /* a short, urgent one launched while a long one runs */                                  \
    X(DAG, "dags")          /* kernels and copies with dependences, on several streams */                             \
    X(LAUNCH, "launch")     /* such DAGs whose kernels last less than GSIM_LAUNCH_BOUND_US on average */              \
    X(ATEN, "aten")         /* such DAGs of kernels of which neither flops nor bytes are known */                     \
    X(MICRO, "micro")       /* two kernels, one rule of the machine at a time */

enum gsim_case_kind {
#define GSIM_CASE_KIND_ENUM(key, word) GSIM_CASE_##key,
    GSIM_CASE_KIND_MAP(GSIM_CASE_KIND_ENUM)
#undef GSIM_CASE_KIND_ENUM
        GSIM_CASE_KIND_COUNT
};
#define GSIM_LAUNCH_BOUND_US 10.0

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
    uint32_t stream, dep_count;
    const uint32_t *deps;    /* earlier nodes */
    double start_us, end_us; /* measured; NAN: not recorded */
    double host_us;          /* what the issuing program took for the PyTorch op that begins here; 0: none begins */
};

/* What a DAG's calls took on the host where a program in Python made them, the CUDA calls in them included; zeros: a C program. */
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
    uint32_t node_count, stream_count;
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

/* X(KEY, word, what it is) */
#define GSIM_QUANTITY_MAP(X)                                                                                           \
    X(SPAN, "span", "first start to last end")                                                                         \
    X(ORDERED, "ordered span", "the same, told which of two released together came first")                             \
    X(OWN, "own durations", "start to end of each of the two kernels")                                                 \
    X(LATE_END, "late end", "end of the kernel launched second")                                                       \
    X(PLACEMENT, "blocks per SM", "total variation distance of how many SMs ran how many blocks of a kernel")          \
    X(START, "start/block time", "start of the urgent kernel, in the long one's block times")                          \
    X(END, "end/block time", "its end, likewise")                                                                      \
    X(LIVE, "live", "first call to return of the synchronise, several streams; the mean of five seeds")                \
    X(SERIAL, "serial", "the same on one stream")                                                                      \
    X(SYNC, "sync", "the same with a synchronise after each kernel")                                                   \
    X(GRAPH, "graph", "launch of the captured graph to return of the synchronise, the same")                           \
    X(CHAIN, "one-stream graph", "the same of a graph without branches")                                               \
    X(KERNELS, "kernel times", "mean deviation of kernels' starts and ends, relative to the makespan")

enum gsim_quantity {
#define GSIM_QUANTITY_ENUM(key, word, help) GSIM_QUANTITY_##key,
    GSIM_QUANTITY_MAP(GSIM_QUANTITY_ENUM)
#undef GSIM_QUANTITY_ENUM
        GSIM_QUANTITY_COUNT
};

/* X(KEY, word): simpler models, given the same. */
#define GSIM_BASELINE_MAP(X)                                                                                           \
    X(SUM, "sum")           /* of the times alone */                                                                  \
    X(INFINITE, "infinite") /* resources: the longest path, gaps and launch calls included */                         \
    X(FLUID, "fluid")       /* each kernel asks for blocks/room of the chip, at most all of it; kernels share it */

enum gsim_baseline {
#define GSIM_BASELINE_ENUM(key, word) GSIM_BASELINE_##key,
    GSIM_BASELINE_MAP(GSIM_BASELINE_ENUM)
#undef GSIM_BASELINE_ENUM
        GSIM_BASELINE_COUNT
};

struct gsim_sample {
    const struct gsim_case *subject;
    enum gsim_quantity quantity;
    uint32_t part;                           /* which of the two kernels, where it is about one */
    double predicted, measured;              /* us; block times where the quantity says so */
    double error;                            /* signed and relative; a distance for PLACEMENT and KERNELS */
    double spread_ratio;                     /* NAN: not recorded */
    double baseline_us[GSIM_BASELINE_COUNT]; /* NAN: not for this quantity */
};

struct gsim_validation {
    const struct gsim_device_spec *device;
    const struct gsim_gpu_options *gpu;
    struct gsim_sample *samples; /* of one case together, in the order of the cases */
    size_t count, capacity, skipped, unfit;
    char unfit_reason[200]; /* of the first */
};

/* Simulates the case and adds its samples; a priority case without arrival time is counted as skipped, one of which a
 * kernel does not fit the device as unfit. */
enum gsim_status gsim_validation_run(struct gsim_validation *validation, const struct gsim_case *subject,
                                     struct gsim_error *error) GSIM_NODISCARD;
/* The case recorded once more, in the place of a prediction: makespans and spans that both have. */
enum gsim_status gsim_validation_add_again(struct gsim_validation *validation, const struct gsim_case *subject, const struct gsim_case *again,
                                           struct gsim_error *error) GSIM_NODISCARD;
void gsim_validation_release(struct gsim_validation *validation);

/* One line of the table: a quantity over the cases of a kind. */
struct gsim_validation_row {
    enum gsim_case_kind kind;
    enum gsim_quantity quantity;
    struct gsim_error_summary all, even, odd;
    double correlation, spread_ratio;             /* of logarithms; mean of the samples' */
    double baseline_mean[GSIM_BASELINE_COUNT];    /* mean absolute error */
};
/* How well a kind's schedules serial, live and graph are ranked, over the cases that have two of them or more. */
struct gsim_validation_ranking {
    enum gsim_case_kind kind;
    size_t count;
    double tau_mean, regret_mean, regret_worst;
};
/* ROW->all.count is 0 when there are no such samples. */
enum gsim_status gsim_validation_row(const struct gsim_validation *validation, enum gsim_case_kind kind,
                                     enum gsim_quantity quantity, struct gsim_validation_row *row,
                                     struct gsim_error *error) GSIM_NODISCARD;
void gsim_validation_rank(const struct gsim_validation *validation, enum gsim_case_kind kind,
                          struct gsim_validation_ranking *ranking);

const char *gsim_case_kind_word(enum gsim_case_kind kind);
const char *gsim_quantity_word(enum gsim_quantity quantity);
const char *gsim_quantity_help(enum gsim_quantity quantity);
enum gsim_quantity gsim_quantity_of_schedule(enum gsim_schedule schedule); /* the makespan */

#endif
