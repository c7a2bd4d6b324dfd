/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/published (program). Many runs of built-in workloads, each made once however often it is asked for, by
 * several worker processes (SimGrid has one engine per process). Results depend on the runs alone, not on
 * their order or the number of workers.
 */
#pragma once

#include "gpusim/device.h"
#include "gpusim/metrics.h"
#include "gpusim/workload.h"
#include "sim/base/jobs/progress.h"

#define GSIM_RERUN_KERNELS 12

struct gsim_rerun {
    const char *device, *workload,
        *scheduler; /* workload: a built-in one, or a name of trust/published/partitioned.h */
    enum gsim_suite suite;
    double size;
    uint32_t blocks, block1d;
    bool prefetch;
    bool cxx;           /* the program as the authors' C++ version has it, where that differs */
    const char *number; /* of the device, multiplied by FACTOR: sensitivity; NULL: none */
    double factor;
};

/* Of the last iteration, when data that moves once has moved. */
struct gsim_rerun_result {
    bool done;
    enum gsim_status status;
    char message[160]; /* why not */
    double iteration_ms, kernels_ms;
    double serial_path_ms; /* critical path over the times that the ops took, each from the end of the one before */
    struct gsim_overlap overlap;
    uint32_t streams_used, events_recorded;
    struct {
        char name[20];
        uint32_t count;
        double total_ms;
    } kernels[GSIM_RERUN_KERNELS];
};

struct gsim_reruns {
    struct gsim_rerun *runs;
    struct gsim_rerun_result *results;
    size_t count, capacity;
    size_t done_count;
    struct gsim_progress *progress; /* started; NULL: none */
};

/* The result of RUN where it has been made; NULL, with RUN noted for the next gsim_reruns_make(), where not. */
const struct gsim_rerun_result *gsim_reruns_get(struct gsim_reruns *reruns, const struct gsim_rerun *run);
/* Makes all that were noted. A run that fails has a message; only lack of memory, files or processes fails the whole.
 */
enum gsim_status gsim_reruns_make(struct gsim_reruns *reruns, unsigned jobs, struct gsim_error *error) GSIM_NODISCARD;
void gsim_reruns_release(struct gsim_reruns *reruns);
