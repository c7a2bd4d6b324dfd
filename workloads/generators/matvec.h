/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: workloads (helper of b9m and b11m). GrCUDA's dense matrix-vector product: a thread for each row of a partition. */
#ifndef GSIM_GENERATORS_MATVEC_H
#define GSIM_GENERATORS_MATVEC_H

#include "workloads/bench.h"
#include "workloads/generators/partitioned.h"

/*
 * Per element of the matrix. thread_cycles: published, 16 kernels of b9m one after another on a V100 (N = 2e4 and 6e4): 48 ns for each
 * of a thread's elements. sm_cycles: the same side by side, 1 ns on each of 80 SMs: each lane has a row of its own.
 */
static const struct gsim_partitioned_cost gsim_matvec_cost = {2, 4, 73, 1.5, 32};

static inline struct gsim_partitioned_launch gsim_matvec_launch(const struct gsim_partitioned *p, const char *name, int partition, int stream)
{
    double rows = p->part, grid = (double)p->params->blocks * (double)p->params->threads;
    struct gsim_partitioned_launch l = {.name = name, .cost = &gsim_matvec_cost, .items = rows * p->params->size, .partition = partition, .stream = stream};
    l.threads = rows / ceil(rows / grid); /* some have a row more than others, and it is as long as theirs */
    l.rows = (uint32_t)rows;
    return l;
}

#endif
