/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. What ran when on a device, read from a report of gpusim (--report) or from a Chrome trace: gpusim's
 * (--trace), PyTorch's (Kineto) and others with the same fields. For pictures; programs are made of traces by
 * traces/import/import.h.
 */
#pragma once

#include <stdbool.h>

#include "gpusim/memory.h"

enum gsim_span_kind { GSIM_SPAN_KERNEL, GSIM_SPAN_H2D, GSIM_SPAN_D2H, GSIM_SPAN_D2D, GSIM_SPAN_MEMSET, GSIM_SPAN_P2P };

struct gsim_span {
    enum gsim_span_kind kind;
    uint32_t stream, device, iteration, task;
    const char *name;        /* of the kernel; of a copy why it was made: "explicit", "prefetch", "fault", "eviction" */
    double start_us, end_us; /* from the start of the recording */
    uint64_t bytes;
};

/* From START_US on; WARPS of all SMs. */
struct gsim_load {
    double start_us;
    double busy_sms, warps;
};

struct gsim_track_window {
    double start_us, end_us;
};

struct gsim_track {
    struct gsim_span *spans; /* as recorded, not sorted */
    struct gsim_load *loads; /* in order of time; none where the recording does not tell */
    size_t span_count, span_capacity, load_count, load_capacity;
    struct gsim_track_window *iterations;
    size_t iteration_count, iteration_capacity;
    const char **tasks;                        /* names of a run's several tasks, */
    size_t task_count;                         /* 0: it has one, or the recording does not tell */
    double end_us;                             /* of the last span, or the makespan where that is told */
    double sm_count, warps_per_sm;             /* 0: not told */
    const char *workload, *scheduler, *device; /* "" where not told */
    struct gsim_arena arena;
};

/* GSIM_INPUT with the file's name for what is neither. TRACK is for gsim_track_release in any case. */
enum gsim_status gsim_track_read(const char *path, struct gsim_track *track, struct gsim_error *error) GSIM_NODISCARD;
/* Recordings of gpusim-runner (schema gpusim-runs/1) hold many runs: run INDEX of the list, from 0. */
enum gsim_status gsim_track_read_run(const char *path, size_t index, struct gsim_track *track,
                                     struct gsim_error *error) GSIM_NODISCARD;
bool gsim_track_holds_runs(const char *path);
void gsim_track_release(struct gsim_track *track);
