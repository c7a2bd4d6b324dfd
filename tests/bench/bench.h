/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: tests. Parts of the benchmark: the yardstick (a bare binary heap) and the programs that are timed.
 */
#pragma once

#include "gpusim/program.h"

/* Wall time in seconds, monotonic. */
double bench_seconds(void);

/* Events per second of the hold model on a bare binary heap (pop the earliest, push it back later) with
 * PENDING events pending; runs for about SECONDS. What the machine could do if simulating were nothing else. */
double bench_heap_rate(uint32_t pending, double seconds);

enum bench_shape {
    BENCH_CHAIN,       /* each kernel after the one before, in one stream */
    BENCH_LAYERED,     /* layers of 12: each kernel after its own and its neighbour's predecessor */
    BENCH_INDEPENDENT, /* 12 streams that never wait for one another */
    BENCH_RANDOM,  /* 12 streams, 20 kernels of five grids, each after up to two of the 24 before it, all at random */
    BENCH_SERVICE, /* as independent-12, of one stream and 20 kernels of five grids: a request of a task */
    BENCH_BLOCKS,  /* one kernel of as many blocks */
    BENCH_SHAPE_COUNT
};
const char *bench_shape_name(enum bench_shape shape);

/* COUNT kernels of the shape (BENCH_BLOCKS: blocks of its one kernel), all data on the device. */
enum gsim_status bench_program(enum bench_shape shape, uint32_t count, struct gsim_program *program,
                               struct gsim_error *error) GSIM_NODISCARD;
/* The same program as a file of schema gpusim-program/1; nonzero when it cannot be written. */
int bench_program_write(const struct gsim_program *program, const char *path);
