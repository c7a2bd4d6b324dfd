/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust. "gpusim reproduce tally": Tally's artifact (ASPLOS 2025, A100): 12 pairs of an inference server and a
 * training, under six systems. Its programs are not to be had; services of Orion's V100 kernels stand for them. What
 * decides is stated: how long a kernel's blocks are.
 */
#pragma once

#include "gpusim/simulate.h"
#include "sim/base/output.h"

#define GSIM_TALLY_PAIRS   12
#define GSIM_TALLY_SYSTEMS 6
#define GSIM_TALLY_TGS     3 /* the system of that number */
#define GSIM_TALLY_WAVES   4 /* sensitivity: how many of them */

struct gsim_tally_cell {
    double p99, throughput; /* of the urgent task's requests over alone; of the other task over alone */
};
struct gsim_tally_pair {
    char urgent[24], other[24];
    struct gsim_tally_cell published[GSIM_TALLY_SYSTEMS], simulated[GSIM_TALLY_SYSTEMS];
};
struct gsim_tally {
    struct gsim_tally_pair pairs[GSIM_TALLY_PAIRS];
    uint32_t count;
    /* P99 over alone under MPS and under MPS with priorities, of the first pair, where a kernel has at most so many
     * waves of blocks. */
    double waves[GSIM_TALLY_WAVES], mps[GSIM_TALLY_WAVES], priority[GSIM_TALLY_WAVES];
};

/* On DEVICE, an A100. TABLE: the published numbers; KERNELS: Orion's (workloads/services). The first PAIR_COUNT pairs.
 */
enum gsim_status gsim_tally_run(const struct gsim_device_spec *device, const char *table, const char *kernels,
                                uint32_t pair_count, struct gsim_tally *tally, struct gsim_error *error) GSIM_NODISCARD;

/* Of two systems whose published numbers differ by more than 5 %: how many pairs of systems there are, and how many
 * come out in that order. WITHOUT: a system that does not count; below 0: all do. */
struct gsim_tally_order {
    uint32_t count, right;
};
struct gsim_tally_order gsim_tally_order(const struct gsim_tally_pair *pair, bool by_throughput, int without);
/* Over all pairs: geometric mean of P99 over alone; mean of the throughput. */
struct gsim_tally_cell gsim_tally_mean(const struct gsim_tally *tally, uint32_t system, bool is_published);

void gsim_tally_print(const struct gsim_tally *tally, struct gsim_output *output);
void gsim_tally_csv(const struct gsim_tally *tally, struct gsim_output *output);
