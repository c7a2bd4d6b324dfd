/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The equations of sim/memory/fault_rate.h. */
#include "sim/memory/fault_rate.h"

#include <math.h>

#include "sim/memory/residency.h"

/* Of the driver, alike on all GPUs: its big page, its block, in how many rounds its tree fills one (64K 64K 128K 256K
 * 512K 1M). */
#define GROUP_BYTES  ((double)GSIM_GROUP_BYTES)
#define BLOCK_BYTES  ((double)GSIM_BLOCK_BYTES)
#define BLOCK_ROUNDS 6.0
/* And faults of long rows in a block, or for each row of it where they are few: what the tree gives. */
#define ROW_FAULTS      16.0
#define ROW_FAULTS_EACH 2.5

double gsim_fault_round_bytes(const struct gsim_device_spec *device, double window_bytes)
{
    double most = device->fault_batch_groups * GROUP_BYTES;
    if (window_bytes <= GROUP_BYTES) return BLOCK_BYTES / BLOCK_ROUNDS;
    if (window_bytes >= most) return most;
    if (window_bytes >= BLOCK_BYTES) return window_bytes;
    return BLOCK_BYTES / (BLOCK_ROUNDS - log2(window_bytes / GROUP_BYTES));
}

struct gsim_fault_rows gsim_fault_rows(const struct gsim_device_spec *device, double rows, double row_bytes)
{
    double in_block = BLOCK_BYTES / row_bytes, fill = device->fault_prefetch_share * BLOCK_BYTES / GROUP_BYTES;
    double first = fmin(in_block, fill),
           faults = fmin(fmax(ROW_FAULTS, first), BLOCK_ROUNDS + ROW_FAULTS_EACH * in_block);
    return (struct gsim_fault_rows){
        .round_bytes = fmin(rows, device->fault_batch_groups) * BLOCK_BYTES / faults,
        .visits = fmax(1, first / device->fault_rows_per_visit) + fmax(0, faults - fmax(1, first)),
    };
}

double gsim_fault_visits_ps_per_byte(double scan_ps_per_byte, double link_ps_per_byte, double visits)
{
    double above = fmax(scan_ps_per_byte - link_ps_per_byte, 0);
    return scan_ps_per_byte + above * (visits / BLOCK_ROUNDS - 1);
}

/* From this knee on, the end of its range, the longer of computation and faults counts alone. */
#define SHARP_KNEE 64.0
/* To which rates are solved for, relative; far below what is known of any. */
#define CLOSE 1e-4

/* Speed of the kernel when a batch takes BATCH_PS: one round per batch of each of its flows at most. */
static double speed_at(const struct gsim_fault_kernel *k, const struct gsim_fault_flow *flows, const uint32_t *users,
                       double batch_ps, double knee)
{
    double own_batch_ps = knee < SHARP_KNEE ? batch_ps + k->missed_ps + k->behind_ps : batch_ps, most = INFINITY;
    for (uint32_t i = 0; i < k->count; i++) {
        const struct gsim_fault_flow *f = &flows[users[k->first + i]];
        most = fmin(most, f->round_bytes / (f->bytes * own_batch_ps));
    }
    double slower = fmin(most, k->full_speed), ratio = slower / fmax(most, k->full_speed);
    if (knee >= SHARP_KNEE) return slower;
    if (knee == 1.5) { /* pow() would be a third of all time */
        double sum = 1 + ratio * sqrt(ratio);
        return slower / cbrt(sum * sum);
    }
    return slower / pow(1 + pow(ratio, knee), 1 / knee);
}

/* A batch with a round of the kernel is longer than one on average, which it is not always part of. And who faults
 * while the driver is at another's round waits for the rest of it, on average as long as a whole round takes: of rounds
 * of 64, 64, 128, 256, 512, 1,024 KB, mean 341, (sum of squares / sum) / 2 = 342 KB are left. Flows of several kernels
 * bring what all of them wait for. */
static void find_missed(struct gsim_fault_kernel *kernels, uint32_t kernel_count, const struct gsim_fault_flow *flows,
                        const uint32_t *users, double batch_ps)
{
    double behind_all_ps = 0;
    for (uint32_t i = 0; i < kernel_count; i++) {
        struct gsim_fault_kernel *k = &kernels[i];
        double most = INFINITY, busy = 0; /* of the kernel, per batch; of the driver's time with its rounds */
        k->missed_ps = 0;
        for (uint32_t u = 0; u < k->count; u++)
            most = fmin(most, flows[users[k->first + u]].round_bytes / flows[users[k->first + u]].bytes);
        for (uint32_t u = 0; u < k->count; u++) {
            const struct gsim_fault_flow *f = &flows[users[k->first + u]];
            k->missed_ps += fmax(f->bytes * most - f->bytes_per_ps * batch_ps, 0) * f->ps_per_byte;
            if (f->user_count < 2) busy += f->bytes_per_ps * f->ps_per_byte;
        }
        k->behind_ps = fmin(busy, 1) * k->missed_ps;
        behind_all_ps += k->behind_ps;
    }
    for (uint32_t i = 0; i < kernel_count; i++) kernels[i].behind_ps = behind_all_ps - kernels[i].behind_ps;
}

static void count_users(const struct gsim_fault_kernel *kernels, uint32_t kernel_count, struct gsim_fault_flow *flows,
                        uint32_t flow_count, const uint32_t *users)
{
    for (uint32_t f = 0; f < flow_count; f++) flows[f].user_count = 0;
    for (uint32_t i = 0; i < kernel_count; i++)
        for (uint32_t u = 0; u < kernels[i].count; u++) flows[users[kernels[i].first + u]].user_count++;
}

/* Sets speeds and rates for a batch time; returns the batch time that they cause. */
static double batch_of(double latency_ps, double knee, double batch_ps, struct gsim_fault_kernel *kernels,
                       uint32_t kernel_count, struct gsim_fault_flow *flows, uint32_t flow_count, const uint32_t *users)
{
    double together = 0, served = 0;
    find_missed(kernels, kernel_count, flows, users, batch_ps);
    for (uint32_t f = 0; f < flow_count; f++) flows[f].bytes_per_ps = 0;
    for (uint32_t i = 0; i < kernel_count; i++) {
        struct gsim_fault_kernel *k = &kernels[i];
        double part = 0; /* of the batches that hold a round of this kernel */
        k->speed = speed_at(k, flows, users, batch_ps, knee);
        for (uint32_t u = 0; u < k->count; u++) {
            struct gsim_fault_flow *f = &flows[users[k->first + u]];
            double rate = f->bytes * k->speed; /* a buffer that several kernels scan arrives once */
            if (rate > f->bytes_per_ps) f->bytes_per_ps = rate;
            part = fmax(part, rate * batch_ps / f->round_bytes);
        }
        together += part;
    }
    for (uint32_t f = 0; f < flow_count; f++) served += flows[f].bytes_per_ps * batch_ps * flows[f].ps_per_byte;
    return latency_ps * (1 + fmin(fmax(together - 1, 0), 1) / 3) * fmin(1, 2 / together) + served;
}

static void alone(double latency_ps, double knee, struct gsim_fault_kernel *kernel, struct gsim_fault_flow *flows,
                  const uint32_t *users)
{
    double most = INFINITY, served = 0;
    for (uint32_t i = 0; i < kernel->count; i++)
        most = fmin(most, flows[users[kernel->first + i]].round_bytes / flows[users[kernel->first + i]].bytes);
    for (uint32_t i = 0; i < kernel->count; i++)
        served += flows[users[kernel->first + i]].bytes * most * flows[users[kernel->first + i]].ps_per_byte;
    kernel->missed_ps = kernel->behind_ps = 0;
    kernel->speed = speed_at(kernel, flows, users, latency_ps + served, knee);
    for (uint32_t i = 0; i < kernel->count; i++) {
        struct gsim_fault_flow *f = &flows[users[kernel->first + i]];
        f->bytes_per_ps = f->bytes * kernel->speed;
    }
}

void gsim_fault_rates(double latency_ps, double knee, struct gsim_fault_kernel *kernels, uint32_t kernel_count,
                      struct gsim_fault_flow *flows, uint32_t flow_count, const uint32_t *users)
{
    double batch_ps = latency_ps * 4 / 3;
    for (uint32_t f = 0; f < flow_count; f++) batch_ps += flows[f].round_bytes * flows[f].ps_per_byte;
    for (uint32_t f = 0; f < flow_count; f++) flows[f].bytes_per_ps = flows[f].round_bytes / batch_ps;
    /* One kernel alone knows how long its batches are; else they lengthen each other. */
    if (kernel_count == 1 && knee < SHARP_KNEE) {
        alone(latency_ps, knee, kernels, flows, users);
        return;
    }
    count_users(kernels, kernel_count, flows, flow_count, users);
    for (int i = 0; i < 200; i++) { /* from above: falls until batches are as long as what they hold */
        double next = batch_of(latency_ps, knee, fmax(batch_ps, 1), kernels, kernel_count, flows, flow_count, users);
        if (knee < SHARP_KNEE ? fabs(next - batch_ps) <= batch_ps * CLOSE : next > batch_ps * (1 - 1e-9)) break;
        batch_ps = next;
    }
    batch_of(latency_ps, knee, fmax(batch_ps, 1), kernels, kernel_count, flows, flow_count, users);
}

double gsim_fault_scan_gbps(const struct gsim_device_spec *device)
{
    return BLOCK_BYTES / (BLOCK_BYTES / device->fault_total_gbps + BLOCK_ROUNDS * device->fault_latency_us * 1e3);
}
