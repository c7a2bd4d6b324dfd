/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/validate. Predictions against measurements: recorded cases (traces/cases.h reads them), their simulation
 * from what a profiler would tell of each kernel, and the samples, rows and rankings that come of it. Printing:
 * trust/validate/report.h; statistics: trust/validate/stats.h. All times are microseconds.
 */
#pragma once

#include "sim/base/output.h"
#include "gpusim/model.h"
#include "gpusim/simulate.h"
#include "sim/spread.h"
#include "traces/case.h"
#include "trust/validate/stats.h"

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

struct gsim_sample {
    const struct gsim_case *subject;
    enum gsim_quantity quantity;
    uint32_t part;                           /* which of the two kernels, where it is about one */
    double predicted, measured;              /* us; block times where the quantity says so */
    double error;                            /* signed and relative; a distance for PLACEMENT and KERNELS */
    double spread_ratio;                     /* NAN: not recorded */
    double model_us[GSIM_MODEL_MAX];        /* by the other work models, by index; NAN: not asked for, or not a time */
    struct gsim_spread spread;               /* where it was asked for, of makespans */
};

struct gsim_validation {
    const struct gsim_device_spec *device;
    const struct gsim_gpu_options *gpu;
    uint32_t spread_runs;        /* perturbed copies of each DAG; 0: none */
    bool compares_models;        /* each case is simulated under the other work models, too */
    struct gsim_sample *samples; /* of one case together, in the order of the cases */
    size_t count, capacity, skipped, unfit;
    char unfit_reason[200]; /* of the first */
};

/* Simulates the case and adds its samples; a priority case without arrival time is counted as skipped, one of which a
 * kernel does not fit the device as unfit. */
enum gsim_status gsim_validation_run(struct gsim_validation *validation, const struct gsim_case *subject,
                                     struct gsim_error *error) GSIM_NODISCARD;
/* The case recorded once more, in the place of a prediction: makespans and spans that both have. */
void gsim_validation_add_again(struct gsim_validation *validation, const struct gsim_case *subject,
                               const struct gsim_case *again);
void gsim_validation_release(struct gsim_validation *validation);

const char *gsim_case_kind_word(enum gsim_case_kind kind);
const char *gsim_quantity_word(enum gsim_quantity quantity);
const char *gsim_quantity_help(enum gsim_quantity quantity);
enum gsim_quantity gsim_quantity_of_schedule(enum gsim_schedule schedule); /* the makespan */
