/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: source. A serial CUDA source written anew with the streams, events and waits that a scheduler chose; the text
 * is otherwise untouched. What cannot be scheduled stays in the default stream, which waits for all streams and which
 * all wait for.
 */
#pragma once

#include "gpusim/simulate.h"
#include "sim/base/output.h"
#include "source/read/log.h"
#include "source/write/replay.h"

struct gsim_cuda_export {
    const char *path, *scheduler, *command; /* COMMAND: for the comment that the source gets */
    const struct gsim_cuda_log *log;        /* of importing PATH */
    struct gsim_simulation *simulation;     /* of the program that was imported */
    bool as_graph;
    double factor;                          /* by which kernels' times may be wrong, either way */
    void (*note)(const char *path, unsigned line, const char *text); /* NULL allowed */
};

/* What was written. */
struct gsim_cuda_counts {
    uint32_t streams, events, waits; /* waits: in the text; of calls by a table each time */
    uint32_t calls, left_calls;      /* that give the device work; that stay in the default stream */
    uint32_t removed_syncs, added_syncs, prefetches, lost_prefetches, graphs;
    struct gsim_gain gain;
    uint32_t pageable_copies;        /* of memory that is not pinned: the call returns when the data has left */
};

/* Simulates once. SOURCE and DIFFERENCE: either may be NULL. TIMELINE is the caller's to release. */
enum gsim_status gsim_cuda_export(const struct gsim_cuda_export *export, const char *to_name,
                                  struct gsim_output *source, struct gsim_output *difference,
                                  struct gsim_timeline *timeline, struct gsim_cuda_counts *counts,
                                  struct gsim_error *error) GSIM_NODISCARD;
