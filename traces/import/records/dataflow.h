/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces (private to the importers). What the operators of a program read and write, from PyTorch's execution
 * trace (an ExecutionTraceObserver's file, also of Chakra's schema): tensors by storage. A storage that an operator
 * allocates anew is another buffer each time, since the allocator hands the same memory out again: only true
 * dependences remain.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "gpusim/memory.h"
#include "gpusim/status.h"

struct gsim_dataflow_buffer {
    uint64_t bytes;
    bool is_made; /* by an operator; otherwise it was there before */
};

struct gsim_dataflow_op {
    uint64_t id;                  /* the record function's */
    const uint32_t *reads, *writes; /* indices of buffers, each once; what is updated in place is in both */
    uint32_t read_count, write_count;
};

struct gsim_dataflow {
    struct gsim_dataflow_buffer *buffers;
    struct gsim_dataflow_op *ops; /* sorted by id */
    size_t buffer_count, buffer_room, op_count, op_room;
    struct gsim_arena arena;
};

/* Reads the file, plain or gzip. GSIM_INPUT: what is no execution trace. */
enum gsim_status gsim_dataflow_read(const char *path, struct gsim_dataflow *flow,
                                    struct gsim_error *error) GSIM_NODISCARD;
/* NULL for none of that id. */
const struct gsim_dataflow_op *gsim_dataflow_find(const struct gsim_dataflow *flow, uint64_t id);
void gsim_dataflow_release(struct gsim_dataflow *flow); /* accepts a zeroed one */
