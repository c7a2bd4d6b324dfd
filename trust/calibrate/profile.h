/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/calibrate. A device's numbers from profilers' traces: what single calls, starts, gaps, waits and copies
 * took, where nothing else can have held them up (trust/calibrate/samples.c), as trimmed means and robust lines with
 * intervals (trust/calibrate/profile.c). What a probe or recorded runs have told already stays.
 */
#pragma once

#include "trust/calibrate/calibrate.h"
#include "traces/recording.h"

/* What watched, and so what else is in the times. */
enum gsim_profile_tracer {
    GSIM_TRACER_NONE,   /* nothing: the trace was simulated */
    GSIM_TRACER_RUNNER, /* gpusim-runner's: the device's tracer_start_us and tracer_gap_us are what it adds */
    GSIM_TRACER_OTHER,  /* a profiler of which nothing is known */
};

/* A trace as it was read; all of it the caller's. */
struct gsim_profile_trace {
    const char *file, *gpu, *date; /* "" where not known */
    enum gsim_profile_tracer tracer;
    double sm_count, memory_bytes; /* 0: not known */
    const struct gsim_recorded_op *ops; /* in launch order */
    uint32_t op_count;
    const struct gsim_host_call *calls; /* by start */
    uint32_t call_count;
};

/* What the samples are of; X(name, device number, what it is called in sources). The device's number of copies is one
 * of those that the line through them tells. */
#define GSIM_PROFILE_QUANTITY_MAP(X)                                                                                   \
    X(LAUNCH, launch_us, "cudaLaunchKernel calls")                                                                     \
    X(MEMCPY, memcpy_us, "cudaMemcpyAsync calls")                                                                      \
    X(EVENT_RECORD, event_record_us, "cudaEventRecord calls")                                                          \
    X(EVENT_CREATE, event_create_us, "cudaEventCreate calls")                                                          \
    X(EVENT_DESTROY, event_destroy_us, "cudaEventDestroy calls")                                                       \
    X(STREAM_CREATE, stream_create_us, "cudaStreamCreateWithPriority calls")                                           \
    X(STREAM_WAIT, stream_wait_us, "cudaStreamWaitEvent calls")                                                        \
    X(START, launch_to_start_us, "starts of kernels on an idle GPU")                                                   \
    X(STREAM_GAP, stream_gap_us, "gaps between kernels queued in a stream")                                            \
    X(EVENT_GAP, event_gap_us, "gaps between kernels across streams")                                                  \
    X(SYNC_RETURN, sync_return_us, "returns of synchronise calls")                                                     \
    X(SYNC_IDLE, sync_idle_us, "synchronise calls with nothing to wait for")                                           \
    X(D2D, d2d_gbps, "large copies within the device")                                                                 \
    X(H2D, h2d_gbps, "pinned copies to the device")                                                                    \
    X(D2H, d2h_gbps, "pinned copies to the host")                                                                      \
    X(PAGEABLE_H2D, pageable_h2d_gbps, "pageable copies to the device")                                                \
    X(PAGEABLE_D2H, pageable_d2h_gbps, "pageable copies to the host")

enum gsim_profile_quantity {
#define GSIM_PROFILE_ENUM(name, number, text) GSIM_PROFILE_##name,
    GSIM_PROFILE_QUANTITY_MAP(GSIM_PROFILE_ENUM)
#undef GSIM_PROFILE_ENUM
    GSIM_PROFILE_QUANTITY_COUNT
};

struct gsim_profile_sample {
    enum gsim_profile_quantity quantity;
    uint32_t trace; /* index */
    double bytes;   /* of copies */
    double value;   /* us; D2D: GB/s, read plus written */
};

struct gsim_profile_source {
    const char *file, *gpu, *date;
    enum gsim_profile_tracer tracer;
    double sm_count, memory_bytes;
    bool has_timing;         /* its events; false also where that is not known */
    uint32_t untold_records; /* calls, where it is not known */
};

struct gsim_profile_samples {
    struct gsim_profile_sample *samples;
    size_t count, capacity;
    struct gsim_profile_source *traces;
    size_t trace_count, trace_capacity;
    struct gsim_arena arena;
};

/* QUEUE_DEPTH: launches ahead of the GPU at which a call blocks. */
void gsim_profile_samples_add(struct gsim_profile_samples *samples, const struct gsim_profile_trace *trace,
                              double queue_depth);
void gsim_profile_samples_release(struct gsim_profile_samples *samples); /* accepts a zeroed one */

/* Sets the numbers that the samples tell and nothing else has. Sorts the samples. */
void gsim_calibrate_profile(struct gsim_calibration *c, struct gsim_profile_samples *samples);
