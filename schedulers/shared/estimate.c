/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What schedulers may know of costs: gsim_estimate_us() of include/gpusim/scheduler.h. Times of kernels are the
 * simulator's own (sim/simulate.c); this file knows no machine, so that it serves real devices as well.
 */
#include <math.h>

#include "gpusim/scheduler.h"

/* BYTES at GB/s. */
static double transfer_us(double bytes, double gbps) { return gbps > 0 ? bytes / (gbps * 1e3) : 0; }

/* The greater of what DRAM and the FP32 lanes need. */
static double roofline_us(const struct gsim_device_facts *device, const struct gsim_kernel *kernel)
{
    double flops_per_us = 2.0 * device->sm_count * device->fp32_lanes_per_sm * device->clock_mhz;
    return fmax(transfer_us(kernel->dram_bytes, device->dram_gbps),
                flops_per_us > 0 ? kernel->flops / flops_per_us : 0);
}

static double kernel_us(const struct gsim_run *run, const struct gsim_op *op)
{
    const struct gsim_kernel *kernel = &run->program->kernels[op->kernel_index];
    if (run->kernel_us) return run->kernel_us[op->kernel_index];
    return kernel->solo_us > 0 ? kernel->solo_us : roofline_us(&run->device, kernel);
}

static double copy_us(const struct gsim_run *run, const struct gsim_op *op)
{
    const struct gsim_device_facts *device = &run->device;
    bool pageable = op->copy_memory == GSIM_COPY_MEMORY_PAGEABLE ||
                    (op->copy_memory == GSIM_COPY_MEMORY_OF_RUN && run->memory == GSIM_MEMORY_PAGEABLE);
    double bytes = (double)op->bytes;
    if (op->copy_us > 0) return op->copy_us;
    if (op->copy_kind == GSIM_COPY_H2D)
        return transfer_us(bytes, pageable ? device->pageable_h2d_gbps : device->h2d_gbps);
    if (op->copy_kind == GSIM_COPY_D2H)
        return transfer_us(bytes, pageable ? device->pageable_d2h_gbps : device->d2h_gbps);
    if (op->copy_kind == GSIM_COPY_P2P && run->platform)
        return gsim_platform_transfer_us(run->platform, gsim_platform_device_place(run->platform, op->device),
                                         gsim_platform_device_place(run->platform, op->to_device), bytes);
    return transfer_us(2 * bytes, device->d2d_gbps);
}

/* Whether the last op from UNTIL - 1 down to FROM that accesses BUFFER is the host's: 1, 0, or -1 where none does. */
static int is_left_on_host(const struct gsim_program *program, uint32_t buffer, uint32_t from, uint32_t until)
{
    for (uint32_t i = until; i-- > from;) {
        const struct gsim_op *op = &program->ops[i];
        for (uint32_t a = 0; a < op->arg_count; a++)
            if (op->args[a].buffer_index == buffer && op->kind != GSIM_OP_PREFETCH)
                return op->kind == GSIM_OP_HOST_WRITE || op->kind == GSIM_OP_HOST_READ;
    }
    return -1;
}

/* Moves what the host accessed last, in this iteration, in the one before, or ahead of the program. */
static double prefetch_us(const struct gsim_run *run, const struct gsim_op *op)
{
    const struct gsim_program *program = run->program;
    uint32_t buffer = op->args[0].buffer_index, here = op->index < program->op_count ? op->index : program->op_count;
    int moves = is_left_on_host(program, buffer, 0, here);
    if (moves < 0)
        moves = program->buffers[buffer].init == GSIM_INIT_HOST
                    ? 1
                    : is_left_on_host(program, buffer, here, program->op_count);
    return moves > 0 ? transfer_us((double)op->bytes, run->device.prefetch_gbps) : 0;
}

double gsim_estimate_us(const struct gsim_run *run, const struct gsim_op *op)
{
    switch (op->kind) {
    case GSIM_OP_KERNEL:
        return kernel_us(run, op);
    case GSIM_OP_COPY:
        return copy_us(run, op);
    case GSIM_OP_PREFETCH:
        return prefetch_us(run, op);
    case GSIM_OP_HOST_COMPUTE:
        return op->host_us;
    case GSIM_OP_HOST_READ: /* managed data comes back; explicit copies are ops of their own */
        return run->memory == GSIM_MEMORY_MANAGED ? transfer_us((double)op->bytes, run->device.d2h_gbps) : 0;
    case GSIM_OP_HOST_WRITE:
        return 0;
    }
    return 0;
}
