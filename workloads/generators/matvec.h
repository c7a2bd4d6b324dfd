/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: workloads (helper of b9m and b11m). GrCUDA's dense matrix-vector product: a thread for each row of a
 * partition. */
#pragma once

#include "workloads/generators/partitioned.h"

/*
 * Per element of the matrix. thread_cycles fitted to b9m, one kernel at a time, N = 2e4: 84 (V100) and 106 (A100); of 8
 * elements one comes from DRAM (572 cycles) and seven from L1 (36): 103 derived. sm_cycles derived: the lanes of a warp
 * read 32 sectors, one per cycle, the vector's element is one more, and every eighth time 32 sectors arrive.
 */
static const struct gsim_partitioned_cost gsim_matvec_cost = {2, 4, 95, 1.16, 32};

static inline struct gsim_partitioned_launch gsim_matvec_launch(const struct gsim_partitioned *p, const char *name,
                                                                int partition, int stream)
{
    double rows = p->part, grid = (double)p->params->blocks * (double)p->params->threads;
    struct gsim_partitioned_launch l = {.name = name,
                                        .cost = &gsim_matvec_cost,
                                        .items = rows * p->params->size,
                                        .partition = partition,
                                        .stream = stream};
    l.threads = rows / ceil(rows / grid); /* some have a row more than others, and it is as long as theirs */
    l.rows = gsim_whole_u32(rows);
    return l;
}
