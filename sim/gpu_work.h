/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. What one block of a kernel asks of an SM and of DRAM, and how fast it runs under a given load:
 * the equations of the SM model. Placement and events are sim/gpu.c's; constants come from the device file.
 *
 * A block alone on an idle chip takes block_ps. That time has three parts that overlap (p-norm, p =
 * compute_memory_knee): dependent latency, instruction issue, DRAM. Load stretches the latter two:
 *   t = block_ps * (latency^p + (issue * s_issue)^p + (memory * s_memory)^p)^(1/p)
 *   s_issue(U)  = (1 + U^k)^(1/k),       U = sum of the SM's blocks' issue_load, k = issue_knee
 *   s_memory    = max(s_chip, s_sm);     s_chip = (1 + (D/dram_gbps)^q)^(1/q), D = all blocks' demand, q = dram_knee
 */
#ifndef GSIM_GPU_WORK_H
#define GSIM_GPU_WORK_H

#include "sim/device.h"
#include "sim/occupancy.h"
#include "sim/simulate.h"

struct gsim_work {
    struct gsim_block_need need;
    uint64_t blocks;          /* of the grid */
    uint32_t registers;       /* of one block, with allocation granularity */
    uint32_t carveout_bytes;  /* shared-memory configuration that the SM must have */
    double block_ps;          /* one block alone on an idle chip */
    double latency_p, issue_p, memory_p; /* the parts' p-th powers; sum is 1 */
    double issue_load;        /* share of one SM's issue rate that a block asks for */
    double dram_gbps;         /* DRAM traffic that a block asks for */
    double solo_ps;           /* the whole grid alone, by the model */
};

/* The work of KERNEL on DEVICE. With solo_us the block time is found by inverting the model, so that the
 * kernel alone takes solo_us; otherwise it follows from flops, dram_bytes and thread_cycles. Errors name the
 * kernel and what is missing or does not fit. */
enum gsim_status gsim_work_init(struct gsim_work *work, const struct gsim_device_spec *device,
                                const struct gsim_kernel *kernel, struct gsim_error *error) GSIM_NODISCARD;

/* Duration of the kernel alone on the device. */
enum gsim_status gsim_kernel_solo(const struct gsim_device_spec *device, const struct gsim_kernel *kernel,
                                  gsim_time *solo, struct gsim_error *error) GSIM_NODISCARD;

/* (1 + x^k)^(1/k): 1 for a small load x, x for a large one. */
double gsim_stretch(double load, double knee);

/* Fraction of the block's work done per picosecond. */
static inline double gsim_work_speed(const struct gsim_work *work, double knee, double s_issue, double s_memory)
{
    double t;
    if (knee == 4) {
        double a = s_issue * s_issue, b = s_memory * s_memory;
        t = sqrt(sqrt(work->latency_p + work->issue_p * a * a + work->memory_p * b * b));
    } else {
        t = pow(work->latency_p + work->issue_p * pow(s_issue, knee) + work->memory_p * pow(s_memory, knee), 1 / knee);
    }
    return 1 / (work->block_ps * t);
}

#endif
