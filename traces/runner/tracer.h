/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner. What the GPU did and when, through CUPTI's activity records (kernels, copies), each tied to the
 * driver call that caused it. Times are those of gsim_runner_now_ns(). libcupti is loaded when it is first needed, so
 * that a machine without it still runs and times programs.
 */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpusim/status.h"

struct gsim_tracer;

struct gsim_tracer_activity {
    uint64_t call;      /* as pushed around the call that caused it */
    uint64_t node;      /* of the graph as it was built; 0: not from a graph */
    int64_t start_ns, end_ns;
    uint64_t bytes;     /* copy */
    uint32_t registers; /* kernel */
    int32_t smem_bytes; /* kernel: static and dynamic */
    bool is_copy;
};

/* Nanoseconds of CLOCK_MONOTONIC. */
int64_t gsim_runner_now_ns(void);

/* Starts recording; one tracer at a time. Fails with GSIM_SIM when CUPTI cannot be loaded or refuses. */
enum gsim_status gsim_tracer_start(struct gsim_tracer **tracer, struct gsim_error *error) GSIM_NODISCARD;
/* Around each call that causes work on the device; per host thread. */
void gsim_tracer_push(struct gsim_tracer *tracer, uint64_t call);
void gsim_tracer_pop(struct gsim_tracer *tracer);
/* The identity of a node of a graph that was built (not instantiated); 0 when unknown. */
uint64_t gsim_tracer_node(struct gsim_tracer *tracer, cudaGraphNode_t node);
/* Ends recording after all work is complete; LIST is the tracer's, sorted by end. DROPPED: records CUPTI had no room
 * for. */
void gsim_tracer_stop(struct gsim_tracer *tracer, const struct gsim_tracer_activity **list, size_t *count,
                      size_t *dropped);
void gsim_tracer_destroy(struct gsim_tracer *tracer); /* accepts NULL; stops first where that was not done */
