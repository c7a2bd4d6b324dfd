/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. The rate at which missing pages arrive: the driver's fault service as equations. Time and state are in
 * sim/memory/faults.c. Mechanics: NVIDIA's open UVM driver. Constants: the device files.
 *
 *  - A scan faults on W = the accesses of the resident threads, at once. A fault brings a group of 64 KB; the density
 *    prefetcher adds the largest part of the 2 MB block that is more than half resident: 64K, 64K, 128K, ... 1M. So a
 *    block takes 6 - log2(W / 64 KB) rounds, 1 to 6, and a round brings b = 2 MB / rounds (all of W if more than 2 MB,
 *    at most the 256 groups of a batch).
 *  - Threads that walk a row of P bytes each fault once a row, n = 2 MB / P times in a block. Up to P = 128 KB the
 *    first faults fill more than half of the block, and the prefetcher brings the rest. Longer rows need e = 16 faults
 *    a block (6 + 2.5 n for n below 4, by simulation of the prefetcher's tree). A batch holds 256 faults.
 *  - fault_total_gbps is the rate of a scan, in which the driver visits each block 6 times. A visit takes c = (2 MB /
 *    fault_total_gbps - 2 MB / link) / 6 beside the link. One visit serves the first faults of about 4 neighbouring
 *    rows (a batch mixes the faults of 64 SMs); later faults take a visit each.
 *  - Rounds are served in batches by one driver thread. A batch costs overhead + sum over its rounds of b x s,
 *    s = 1 / fault_total_gbps + 1 / d2h_gbps where device memory is full (a block is written back first).
 *  - overhead: one kernel alone waits fault_latency_us per round. With two, one faults while the other is served:
 *    each round waits for two batches' fixed part, 2/3 of the latency each. With more, batches fill up:
 *    overhead(k) = latency x (1 + min(k - 1, 1) / 3), k = kernels that have a round in each batch.
 *  - A kernel with enough compute per page does not fault in every batch. No kernel gets pages faster than it uses
 *    them. A fault during another kernel's round waits for the rest of it, a round on average.
 *  - Threads in step fault together and compute together; others overlap the two. A kernel takes (compute^p +
 *    faults^p)^(1/p), p = fault_knee, for its computation alone and its faults alone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "gpusim/device.h"

/* One buffer with missing pages. */
struct gsim_fault_flow {
    double bytes;        /* of the buffer that a whole kernel reads */
    double round_bytes;  /* b: brought by one round */
    double ps_per_byte;  /* s: of the driver's time */
    bool is_past_host;   /* its pages come from another device */
    double bytes_per_ps; /* result: rate of arriving pages */
    uint32_t user_count; /* scratch: waiting kernels */
};

/* One kernel and its flows. */
struct gsim_fault_kernel {
    double full_speed;   /* fraction of the kernel per picosecond without faults */
    uint32_t first, count; /* its entries in the list of users */
    double speed;        /* result: at most full_speed */
    double missed_ps;    /* scratch: service of its rounds beyond an average batch */
    double behind_ps;    /* scratch: rest of the rounds under way when it faults */
};

/* Returns b, the bytes of one round, for a window W of WINDOW_BYTES. */
double gsim_fault_round_bytes(const struct gsim_device_spec *device, double window_bytes);

/* Faults of threads that walk a row each. */
struct gsim_fault_rows {
    double round_bytes; /* of one batch in which all rows fault */
    double visits;      /* of the driver to a 2 MB block */
};

/* Returns the faults of ROWS rows of ROW_BYTES (64 KB or more) that are walked at once. */
struct gsim_fault_rows gsim_fault_rows(const struct gsim_device_spec *device, double rows, double row_bytes);

/* Returns s, picoseconds per byte, for VISITS to a block, from the s of a scan and the link's. */
double gsim_fault_visits_ps_per_byte(double scan_ps_per_byte, double link_ps_per_byte, double visits);

/* Sets the speed of each kernel and the rate of each flow while all run together. USERS: indices of flows, kernel by
 * kernel. */
void gsim_fault_rates(double latency_ps, double knee, struct gsim_fault_kernel *kernels, uint32_t kernel_count,
                      struct gsim_fault_flow *flows, uint32_t flow_count, const uint32_t *users);

/* Returns the GB/s at which one kernel scans a buffer by faults, with 6 rounds a block. */
double gsim_fault_scan_gbps(const struct gsim_device_spec *device);
