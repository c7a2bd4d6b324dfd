/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. See sim/report/bounds.h. Every bound errs on the low side: a makespan below one of them is a bug of
 * the machine. Host call costs are left out, since a scheduler may spread them over threads or graphs.
 */
#include "sim/report/bounds.h"

#include "sim/program/access.h"
#include "sim/program/places.h"

/* When the last writer of a place ends, and the last of its readers since. */
struct ends {
    gsim_time written, read;
};

static gsim_time later(gsim_time a, gsim_time b) { return a > b ? a : b; }

/* What an op that is unknown may touch beside its arguments is left out: a bound may be low. */
static bool op_finish(const struct gsim_program *program, uint32_t index, gsim_time duration,
                      struct gsim_places *buffers, gsim_time *finish)
{
    const struct gsim_op *op = &program->ops[index];
    gsim_time start = 0;
    struct gsim_access_walk walk = {.op = op}, again = walk;
    struct gsim_access access;
    /* A prefetch may be left out of the run: it orders what its "after" names, not the users of its buffer. */
    bool has_args = op->kind != GSIM_OP_PREFETCH;
    while (has_args && gsim_access_next(&walk, &access)) {
        struct gsim_places_found found = gsim_places_find(buffers, access.buffer_index, access.begin, access.end);
        const struct ends *ends = found.values;
        if (!found.count) return false;
        for (uint32_t i = 0; i < found.count; i++) {
            start = later(start, ends[i].written);
            if (access.writes) start = later(start, ends[i].read);
        }
    }
    for (uint32_t i = 0; i < op->after_count; i++) start = later(start, finish[op->after[i]]);
    gsim_time end = start + duration;
    while (has_args && gsim_access_next(&again, &access)) {
        struct gsim_places_found found = gsim_places_find(buffers, access.buffer_index, access.begin, access.end);
        struct ends *ends = found.values;
        if (!found.count) return false;
        for (uint32_t i = 0; i < found.count && !access.writes; i++) ends[i].read = later(ends[i].read, end);
        if (!access.writes) continue;
        *ends = (struct ends){end, 0};
        gsim_places_join(buffers, access.buffer_index, &found);
    }
    finish[index] = end;
    return true;
}

enum gsim_status gsim_critical_path(const struct gsim_program *program, uint32_t iterations, const gsim_time *op_time,
                                    gsim_time *path, struct gsim_error *error)
{
    struct gsim_places buffers;
    bool has_buffers = gsim_places_init(&buffers, program->buffer_count, sizeof(struct ends), &(struct ends){0});
    gsim_time *finish = gsim_alloc(sizeof(*finish) * program->op_count);
    bool is_fine = has_buffers && finish;
    *path = 0;
    for (uint32_t iteration = 0; iteration < iterations; iteration++) {
        for (uint32_t i = 0; i < program->op_count && is_fine; i++) {
            if (program->ops[i].untimed) finish[i] = 0;
            else is_fine = op_finish(program, i, op_time[i], &buffers, finish);
            *path = later(*path, finish[i]);
        }
    }
    gsim_places_release(&buffers);
    gsim_free(finish);
    return is_fine ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "cannot compute the critical path: out of memory");
}

/* Bytes at GB/s: 1 GB/s is 1000 bytes per microsecond. Truncated, so never too long. */
static gsim_time transfer_time(double bytes, double gbps)
{
    return gbps > 0 ? (gsim_time)(bytes / (gbps * 1e3) * (double)GSIM_PS_PER_US) : 0;
}

static gsim_time op_least_time(const struct gsim_op *op, const struct gsim_device_spec *device,
                               const struct gsim_kernel_alone *alone)
{
    switch (op->kind) {
    case GSIM_OP_KERNEL:
        return alone[op->kernel_index].time;
    case GSIM_OP_HOST_COMPUTE:
        return gsim_time_from_us(op->host_us);
    case GSIM_OP_COPY:
        if (op->copy_kind == GSIM_COPY_H2D) return transfer_time((double)op->bytes, device->h2d_gbps);
        if (op->copy_kind == GSIM_COPY_D2H) return transfer_time((double)op->bytes, device->d2h_gbps);
        if (op->copy_kind == GSIM_COPY_P2P)
            return transfer_time((double)op->bytes, fmax(device->peer_gbps, device->h2d_gbps));
        return transfer_time((double)op->bytes, device->d2d_gbps);
    case GSIM_OP_PREFETCH: /* moves nothing when the data is there already */
    case GSIM_OP_HOST_WRITE:
    case GSIM_OP_HOST_READ:
        return 0;
    }
    return 0;
}

/* A starving block still gets 0.3 % of what it asks for: so much may be issued beyond an SM's rate. */
#define MOST_ISSUE 1.03

static void offer(struct gsim_metrics *metrics, gsim_time bound, const char *reason)
{
    if (metrics->lower_bound_reason && bound <= metrics->lower_bound) return;
    metrics->lower_bound = bound;
    metrics->lower_bound_reason = reason;
}

/* No direction of a link carries more than its fastest mode; each of the GPUs has one. */
static void offer_links(const struct gsim_device_spec *device, double gpus, struct gsim_metrics *metrics)
{
    double managed = fmax(device->prefetch_gbps, device->fault_total_gbps);
    double h2d = fmax(fmax(device->h2d_gbps, device->pageable_h2d_gbps), managed);
    double d2h = fmax(fmax(device->d2h_gbps, device->pageable_d2h_gbps), managed);
    offer(metrics, transfer_time((double)metrics->h2d_bytes, h2d * gpus), "host-to-device link");
    offer(metrics, transfer_time((double)metrics->d2h_bytes, d2h * gpus), "device-to-host link");
}

/* A kernel needs the chip's DRAM or its SMs' issue rate for what the machine makes of its demand over the peak, but
 * never for longer than it runs alone; spread evenly over the GPUs at best. */
static void offer_kernels(const struct gsim_timeline *timeline, const struct gsim_kernel_alone *alone,
                          struct gsim_metrics *metrics)
{
    double dram = 0, issue = 0;
    for (size_t i = 0; i < timeline->kernel_count; i++) {
        const struct gsim_kernel_alone *k = &alone[timeline->kernels[i].kernel_index];
        dram += fmin(k->dram_us, gsim_time_us(k->time));
        issue += fmin(k->issue_us, gsim_time_us(k->time));
    }
    offer(metrics, (gsim_time)(dram / timeline->gpu_count * (double)GSIM_PS_PER_US), "DRAM bandwidth");
    offer(metrics, (gsim_time)(issue / timeline->gpu_count / MOST_ISSUE * (double)GSIM_PS_PER_US), "SM throughput");
}

enum gsim_status gsim_bounds_compute(const struct gsim_timeline *timeline, const struct gsim_device_spec *device,
                                     const struct gsim_kernel_alone *alone, struct gsim_metrics *metrics,
                                     struct gsim_error *error)
{
    const struct gsim_program *program = timeline->program;
    metrics->lower_bound_reason = NULL;
    if (alone) {
        gsim_time *op_time = gsim_alloc(sizeof(*op_time) * program->op_count);
        if (!op_time) return gsim_error_set(error, GSIM_NOMEM, "cannot compute the lower bound: out of memory");
        for (uint32_t i = 0; i < program->op_count; i++)
            op_time[i] = op_least_time(&program->ops[i], device, alone);
        enum gsim_status status =
            gsim_critical_path(program, (uint32_t)timeline->iteration_count, op_time, &metrics->critical_path, error);
        gsim_free(op_time);
        if (status != GSIM_OK) return status;
        offer(metrics, metrics->critical_path, "critical path");
        offer_kernels(timeline, alone, metrics);
    }
    offer_links(device, timeline->gpu_count, metrics);
    return GSIM_OK;
}
