/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The equations of sim/fault_rate.h. */
#include "sim/fault_rate.h"

#include <math.h>

#define GROUP_BYTES 65536.0
#define BLOCK_BYTES 2097152.0
#define BATCH_GROUPS 256.0 /* uvm_perf_fault_batch_count */
#define BLOCK_ROUNDS 6.0   /* 64K 64K 128K 256K 512K 1M */

double gsim_fault_round_bytes(double window_bytes)
{
    if (window_bytes <= GROUP_BYTES) return BLOCK_BYTES / BLOCK_ROUNDS;
    if (window_bytes >= BATCH_GROUPS * GROUP_BYTES) return BATCH_GROUPS * GROUP_BYTES;
    if (window_bytes >= BLOCK_BYTES) return window_bytes;
    return BLOCK_BYTES / (BLOCK_ROUNDS - log2(window_bytes / GROUP_BYTES));
}

/* Speed of the kernel when a batch takes BATCH_PS: one round per batch of each of its flows at most. */
static double speed_at(const struct gsim_fault_kernel *k, const struct gsim_fault_flow *flows, const uint32_t *users,
                       double batch_ps)
{
    double speed = k->full_speed;
    for (uint32_t i = 0; i < k->count; i++) {
        const struct gsim_fault_flow *f = &flows[users[k->first + i]];
        double most = f->round_bytes / (f->bytes * batch_ps);
        if (most < speed) speed = most;
    }
    return speed;
}

/* Sets speeds and rates for a batch time; returns the batch time that they cause. */
static double batch_of(double latency_ps, double batch_ps, struct gsim_fault_kernel *kernels, uint32_t kernel_count,
                       struct gsim_fault_flow *flows, uint32_t flow_count, const uint32_t *users)
{
    double together = 0, served = 0;
    for (uint32_t f = 0; f < flow_count; f++) flows[f].bytes_per_ps = 0;
    for (uint32_t i = 0; i < kernel_count; i++) {
        struct gsim_fault_kernel *k = &kernels[i];
        double part = 0; /* of the batches that hold a round of this kernel */
        k->speed = speed_at(k, flows, users, batch_ps);
        for (uint32_t u = 0; u < k->count; u++) {
            struct gsim_fault_flow *f = &flows[users[k->first + u]];
            double rate = f->bytes * k->speed; /* a buffer that several kernels scan arrives once */
            if (rate > f->bytes_per_ps) f->bytes_per_ps = rate;
            part = fmax(part, rate * batch_ps / f->round_bytes);
        }
        together += part;
    }
    for (uint32_t f = 0; f < flow_count; f++) served += flows[f].bytes_per_ps * batch_ps * flows[f].ps_per_byte;
    return latency_ps * (1 + fmin(fmax(together - 1, 0), 1) / 3) + served;
}

void gsim_fault_rates(double latency_ps, struct gsim_fault_kernel *kernels, uint32_t kernel_count,
                      struct gsim_fault_flow *flows, uint32_t flow_count, const uint32_t *users)
{
    double batch_ps = latency_ps * 4 / 3;
    for (uint32_t f = 0; f < flow_count; f++) batch_ps += flows[f].round_bytes * flows[f].ps_per_byte;
    for (int i = 0; i < 200; i++) { /* from above: falls until batches are as long as what they hold */
        double next = batch_of(latency_ps, fmax(batch_ps, 1), kernels, kernel_count, flows, flow_count, users);
        if (next > batch_ps * (1 - 1e-9)) break;
        batch_ps = next;
    }
    batch_of(latency_ps, fmax(batch_ps, 1), kernels, kernel_count, flows, flow_count, users);
}

double gsim_fault_scan_gbps(const struct gsim_device_spec *device)
{
    return BLOCK_BYTES / (BLOCK_BYTES / device->fault_total_gbps + BLOCK_ROUNDS * device->fault_latency_us * 1e3);
}
