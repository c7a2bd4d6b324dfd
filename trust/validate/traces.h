/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/validate. Predictions against profilers' traces: the program that a trace became is replayed on its own
 * streams, and where its kernels and copies start and end is compared with where they did. Kernels have the trace's own
 * durations, so what is tested is all else. Printing: trust/validate/report.h. Times: microseconds from the first
 * launch call.
 */
#pragma once

#include "trust/validate/predict.h"

/* What was read from a trace; all of it the caller's. */
struct gsim_validated_trace {
    const char *file, *gpu;
    const struct gsim_program *program;
    const struct gsim_recorded_op
        *ops; /* what each of its kernels and copies was; start_us NAN: not known, or repaired */
    uint32_t op_count;
    double span_us; /* first launch call to last end */
    uint64_t repairs;
    const char *notes; /* a line for each thing that was noticed, "" for none */
};

struct gsim_trace_stream {
    uint32_t stream, op_count;
    double measured_us, predicted_us; /* the sum of its kernels' and copies' durations */
};

struct gsim_trace_op {
    bool is_kernel;
    enum gsim_copy_kind copy_kind;
    uint32_t stream;
    const char *name;                                                                /* of a kernel */
    double measured_start_us, measured_end_us, predicted_start_us, predicted_end_us; /* NAN: not known */
};

struct gsim_trace_sample {
    const char *file, *gpu, *notes; /* the validation's, like the lists */
    uint64_t repairs;
    uint32_t stream_count, op_count;
    double measured_us, predicted_us;
    double error;                            /* predicted over measured, less 1 */
    struct gsim_timeline_deviation timeline; /* as shares of the measured span, counted from the first launch call */
    struct gsim_trace_stream *streams;       /* by number */
    struct gsim_trace_op *ops;               /* in launch order */
};

struct gsim_trace_validation {
    const struct gsim_predictor *predictor; /* its replay scheduler is needed */
    struct gsim_trace_sample *samples;
    size_t count, capacity;
    struct gsim_arena arena;
};
void gsim_trace_validation_release(struct gsim_trace_validation *validation);

/* Replays the program and adds a sample. GSIM_INPUT: a kernel does not fit the device. */
enum gsim_status gsim_trace_validation_add(struct gsim_trace_validation *validation,
                                           const struct gsim_validated_trace *traced,
                                           struct gsim_error *error) GSIM_NODISCARD;

/* The same of one that was replayed already: MOMENTS, by op of its program. */
struct gsim_moment;
void gsim_trace_validation_add_replayed(struct gsim_trace_validation *validation,
                                        const struct gsim_validated_trace *traced, const struct gsim_moment *moments);
