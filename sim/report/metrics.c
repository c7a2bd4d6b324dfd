/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. See include/gpusim/metrics.h: a sweep line over starts and ends for the overlaps, sums for the rest.
 * The critical path and the lower bound are in sim/report/bounds.c.
 */
#include "gpusim/metrics.h"

#include <string.h>

#include "gpusim/order.h"
#include "sim/report/bottlenecks.h"
#include "sim/program/access.h"
#include "sim/program/extents.h"

/* --- bounds --- */
/* When the last writer of a place ends, and the last of its readers since. */
struct ends {
    gsim_time written, read;
};

static gsim_time later(gsim_time a, gsim_time b) { return a > b ? a : b; }

/* What an op that is unknown may touch beside its arguments is left out: a bound may be low. */
static bool op_finish(const struct gsim_program *program, uint32_t index, gsim_time duration,
                      struct gsim_extents *buffers, gsim_time *finish)
{
    const struct gsim_op *op = &program->ops[index];
    gsim_time start = 0;
    struct gsim_access_walk walk = {.op = op}, again = walk;
    struct gsim_access access;
    /* A prefetch may be left out of the run: it orders what its "after" names, not the users of its buffer. */
    bool has_args = op->kind != GSIM_OP_PREFETCH;
    while (has_args && gsim_access_next(&walk, &access)) {
        struct gsim_extents_found found = gsim_extents_find(buffers, access.buffer_index, access.begin, access.end);
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
        struct gsim_extents_found found = gsim_extents_find(buffers, access.buffer_index, access.begin, access.end);
        struct ends *ends = found.values;
        if (!found.count) return false;
        for (uint32_t i = 0; i < found.count && !access.writes; i++) ends[i].read = later(ends[i].read, end);
        if (!access.writes) continue;
        *ends = (struct ends){end, 0};
        gsim_extents_join(buffers, access.buffer_index, &found);
    }
    finish[index] = end;
    return true;
}

enum gsim_status gsim_critical_path(const struct gsim_program *program, uint32_t iterations, const gsim_time *op_time,
                                    gsim_time *path, struct gsim_error *error)
{
    struct gsim_extents buffers;
    bool has_buffers = gsim_extents_init(&buffers, program->buffer_count, sizeof(struct ends), &(struct ends){0});
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
    gsim_extents_release(&buffers);
    gsim_free(finish);
    return is_fine ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "cannot compute the critical path: out of memory");
}

/* Bytes at GB/s: 1 GB/s is 1000 bytes per microsecond. Truncated, so never too long. */
static gsim_time transfer_time(double bytes, double gbps)
{
    return gbps > 0 ? gsim_whole(bytes / (gbps * 1e3) * (double)GSIM_PS_PER_US) : 0;
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
#define MAX_ISSUE 1.03

static void offer(struct gsim_metrics *metrics, gsim_time bound, const char *reason)
{
    if (metrics->lower_bound_reason && bound <= metrics->lower_bound) return;
    metrics->lower_bound = bound;
    metrics->lower_bound_reason = reason;
}

/* Sets critical_path, lower_bound and lower_bound_reason of METRICS, whose transfer sums must be set. GSIM_NOMEM. */
static enum gsim_status compute_bounds(const struct gsim_timeline *timeline, const struct gsim_device_spec *device,
                                       const struct gsim_kernel_alone *alone, struct gsim_metrics *metrics,
                                       struct gsim_error *error)
{
    const struct gsim_program *program = timeline->program;
    metrics->lower_bound_reason = NULL;
    if (alone) {
        gsim_time *op_time = gsim_alloc(sizeof(*op_time) * program->op_count);
        if (!op_time) return gsim_error_set(error, GSIM_NOMEM, "cannot compute the lower bound: out of memory");
        for (uint32_t i = 0; i < program->op_count; i++) op_time[i] = op_least_time(&program->ops[i], device, alone);
        enum gsim_status status =
            gsim_critical_path(program, (uint32_t)timeline->iteration_count, op_time, &metrics->critical_path, error);
        gsim_free(op_time);
        if (status != GSIM_OK) return status;
        offer(metrics, metrics->critical_path, "critical path");
        /* A kernel needs the chip's DRAM or its SMs' issue rate for what the machine makes of its demand over the peak,
         * but never for longer than it runs alone; spread evenly over the GPUs at best. */
        double dram = 0, issue = 0;
        for (size_t i = 0; i < timeline->kernel_count; i++) {
            const struct gsim_kernel_alone *k = &alone[timeline->kernels[i].kernel_index];
            dram += fmin(k->dram_us, gsim_time_us(k->time));
            issue += fmin(k->issue_us, gsim_time_us(k->time));
        }
        offer(metrics, gsim_whole(dram / timeline->gpu_count * (double)GSIM_PS_PER_US), "DRAM bandwidth");
        offer(metrics, gsim_whole(issue / timeline->gpu_count / MAX_ISSUE * (double)GSIM_PS_PER_US), "SM throughput");
    }
    /* No direction of a link carries more than its fastest mode; each of the GPUs has one. */
    double gpus = timeline->gpu_count;
    double managed = fmax(device->prefetch_gbps, device->fault_total_gbps);
    double h2d = fmax(fmax(device->h2d_gbps, device->pageable_h2d_gbps), managed);
    double d2h = fmax(fmax(device->d2h_gbps, device->pageable_d2h_gbps), managed);
    offer(metrics, transfer_time((double)metrics->h2d_bytes, h2d * gpus), "host-to-device link");
    offer(metrics, transfer_time((double)metrics->d2h_bytes, d2h * gpus), "device-to-host link");
    return GSIM_OK;
}

GSIM_ORDER_OF(compare_times, gsim_time)

/* Records arrive in order of completion, so ends are in order already and starts nearly: each is moved as far as it has
 * to be, while that is near. */
static void sort_times(gsim_time *times, size_t count)
{
    enum { NEAR = 32 };
    size_t moves = 0;
    for (size_t i = 1; i < count; i++) {
        gsim_time time = times[i];
        size_t at = i;
        for (; at && times[at - 1] > time; at--) times[at] = times[at - 1];
        times[at] = time;
        moves += i - at;
        if (moves <= NEAR * count) continue;
        qsort(times, count, sizeof(*times), compare_times);
        return;
    }
}

/* A cursor over sorted times. */
struct edge_list {
    gsim_time *times;
    size_t count, next;
};

static gsim_time edge_time(const struct edge_list *list)
{
    return list->next < list->count ? list->times[list->next] : GSIM_TIME_NEVER;
}

static size_t edges_take(struct edge_list *list, gsim_time now)
{
    size_t first = list->next;
    while (list->next < list->count && list->times[list->next] == now) list->next++;
    return list->next - first;
}

enum { KERNEL_START, KERNEL_END, COPY_START, COPY_END, EDGE_LISTS };

struct overlap_sums {
    double kernel, transfer, compute_transfer, transfer_compute, compute_compute, total;
    gsim_time busy;
};

static void sweep(struct edge_list lists[EDGE_LISTS], struct overlap_sums *sums)
{
    gsim_time now = 0;
    size_t kernels = 0, copies = 0;
    for (;;) {
        gsim_time next = GSIM_TIME_NEVER;
        for (int i = 0; i < EDGE_LISTS; i++)
            if (edge_time(&lists[i]) < next) next = edge_time(&lists[i]);
        if (next == GSIM_TIME_NEVER) return;
        if (kernels + copies) {
            double span = (double)(next - now), k = (double)kernels, c = (double)copies;
            sums->busy += next - now;
            sums->kernel += k * span;
            sums->transfer += c * span;
            if (copies) sums->compute_transfer += k * span;
            if (kernels) sums->transfer_compute += c * span;
            if (kernels) sums->compute_compute += (k - 1) * span;
            sums->total += (k + c - 1) * span;
        }
        now = next;
        kernels += edges_take(&lists[KERNEL_START], now);
        copies += edges_take(&lists[COPY_START], now);
        kernels -= edges_take(&lists[KERNEL_END], now);
        copies -= edges_take(&lists[COPY_END], now);
    }
}

static double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

enum gsim_status gsim_metrics_overlap(const struct gsim_timeline *timeline, struct gsim_metrics *metrics,
                                      struct gsim_error *error)
{
    size_t kernels = timeline->kernel_count, copies = timeline->copy_count;
    gsim_time *times = gsim_alloc(sizeof(*times) * 2 * (kernels + copies));
    if (!times) return gsim_error_set(error, GSIM_NOMEM, "cannot compute overlaps: out of memory");
    struct edge_list lists[EDGE_LISTS] = {
        [KERNEL_START] = {.times = times, .count = kernels},
        [KERNEL_END] = {.times = times + kernels, .count = kernels},
        [COPY_START] = {.times = times + 2 * kernels, .count = copies},
        [COPY_END] = {.times = times + 2 * kernels + copies, .count = copies},
    };
    for (size_t i = 0; i < kernels; i++) {
        lists[KERNEL_START].times[i] = timeline->kernels[i].start;
        lists[KERNEL_END].times[i] = timeline->kernels[i].end;
        metrics->kernel_time += timeline->kernels[i].end - timeline->kernels[i].start;
    }
    for (size_t i = 0; i < copies; i++) {
        lists[COPY_START].times[i] = timeline->copies[i].start;
        lists[COPY_END].times[i] = timeline->copies[i].end;
        metrics->transfer_time += timeline->copies[i].end - timeline->copies[i].start;
    }
    for (int i = 0; i < EDGE_LISTS; i++) sort_times(lists[i].times, lists[i].count);
    struct overlap_sums sums = {0};
    sweep(lists, &sums);
    gsim_free(times);
    metrics->device_busy = sums.busy;
    metrics->overlap.compute_transfer = share(sums.compute_transfer, sums.kernel);
    metrics->overlap.transfer_compute = share(sums.transfer_compute, sums.transfer);
    metrics->overlap.compute_compute = share(sums.compute_compute, sums.kernel);
    metrics->overlap.total = share(sums.total, sums.kernel + sums.transfer);
    return GSIM_OK;
}

/* With the iterations that a cycle stands for; TIMES has room for them. Returns how many there are. */
static size_t extend(const struct gsim_timeline *timeline, gsim_time *times)
{
    size_t count = timeline->iteration_count, whole = timeline->stands_for;
    for (size_t i = 0; i < count; i++) times[i] = timeline->iterations[i].end - timeline->iterations[i].start;
    for (; timeline->cycle && count < whole; count++) times[count] = times[count - timeline->cycle];
    return count;
}

static enum gsim_status compute_iterations(const struct gsim_timeline *timeline, struct gsim_metrics *metrics,
                                           struct gsim_error *error)
{
    size_t count = timeline->iteration_count;
    if (!count) return GSIM_OK;
    gsim_time *times = gsim_alloc(sizeof(*times) * (count > timeline->stands_for ? count : timeline->stands_for));
    if (!times) return gsim_error_set(error, GSIM_NOMEM, "cannot compute iteration times: out of memory");
    count = extend(timeline, times);
    for (size_t i = 0; i < timeline->iteration_count; i++) metrics->iteration_total += times[i];
    size_t warm_up = !timeline->cycle && timeline->warm_up_count < count ? timeline->warm_up_count : 0;
    count -= warm_up;
    if (warm_up) memmove(times, times + warm_up, count * sizeof *times);
    sort_times(times, count);
    metrics->iteration_min = times[0];
    metrics->iteration_max = times[count - 1];
    metrics->iteration_median = times[(count - 1) / 2] + (times[count / 2] - times[(count - 1) / 2]) / 2;
    gsim_free(times);
    return GSIM_OK;
}

static void compute_occupancy(const struct gsim_timeline *timeline, const struct gsim_device_spec *device,
                              struct gsim_metrics *metrics)
{
    double busy = 0, warps = 0;
    metrics->sm_busy_ratio = metrics->achieved_occupancy = NAN;
    if (!timeline->occupancy_count || metrics->makespan <= 0) return;
    for (size_t i = 0; i < timeline->occupancy_count; i++) {
        const struct gsim_occupancy_record *now = &timeline->occupancy[i];
        gsim_time end = i + 1 < timeline->occupancy_count ? timeline->occupancy[i + 1].time : metrics->makespan;
        if (end <= now->time) continue;
        busy += (double)now->busy_sms * (double)(end - now->time);
        warps += (double)now->warps * (double)(end - now->time);
    }
    metrics->sm_busy_ratio = busy / (device->sm_count * timeline->gpu_count * (double)metrics->makespan);
    if (busy > 0) metrics->achieved_occupancy = warps / (busy * device->warps_per_sm);
}

/* Where records were not kept: what sums tell. Overlaps, bounds and bottlenecks they do not. */
static void compute_sums(const struct gsim_timeline *timeline, const struct gsim_device_spec *device,
                         struct gsim_metrics *metrics)
{
    const struct gsim_sums *sums = timeline->sums;
    gsim_time calls = 0;
    metrics->makespan = sums->end;
    for (size_t i = 0; i < timeline->iteration_count; i++)
        metrics->makespan = later(metrics->makespan, timeline->iterations[i].end);
    for (size_t i = 0; i <= GSIM_SUMS_NAMES; i++) metrics->kernel_time += sums->kernels[i].total;
    for (int kind = 0; kind < GSIM_COPY_KIND_COUNT; kind++)
        for (int reason = 0; reason < 4; reason++) {
            const struct gsim_sum *tally = &sums->copies[kind][reason];
            metrics->transfer_time += tally->total;
            metrics->bytes_by_reason[reason] += tally->bytes;
            *(kind == GSIM_COPY_H2D   ? &metrics->h2d_bytes
              : kind == GSIM_COPY_D2H ? &metrics->d2h_bytes
                                      : &metrics->d2d_bytes) += tally->bytes;
            if (kind == GSIM_COPY_H2D) metrics->h2d_time += tally->total;
            if (kind == GSIM_COPY_D2H) metrics->d2h_time += tally->total;
        }
    for (int i = 0; i < GSIM_API_COUNT; i++) calls += sums->calls[i].total;
    metrics->host_waited = sums->waited;
    metrics->host_busy = calls - sums->waited;
    double left = (double)(metrics->makespan - sums->occupancy.time),
           whole = device->sm_count * timeline->gpu_count * (double)metrics->makespan;
    double busy = sums->busy_sm_ps + sums->occupancy.busy_sms * left,
           warps = sums->warp_ps + sums->occupancy.warps * left;
    metrics->sm_busy_ratio = timeline->detailed && whole > 0 ? busy / whole : NAN;
    metrics->achieved_occupancy = busy > 0 ? warps / (busy * device->warps_per_sm) : NAN;
}

enum gsim_status gsim_metrics_compute(const struct gsim_timeline *timeline, const struct gsim_device_spec *device,
                                      const struct gsim_kernel_alone *alone, struct gsim_metrics *metrics,
                                      struct gsim_error *error)
{
    memset(metrics, 0, sizeof(*metrics));
    enum gsim_status status = timeline->sums ? GSIM_OK : gsim_metrics_overlap(timeline, metrics, error);
    if (timeline->sums) compute_sums(timeline, device, metrics);
    if (status == GSIM_OK) status = compute_iterations(timeline, metrics, error);
    if (status != GSIM_OK || timeline->sums) return status;
    for (size_t i = 0; i < timeline->copy_count; i++) {
        const struct gsim_copy_record *copy = &timeline->copies[i];
        metrics->bytes_by_reason[copy->reason] += copy->bytes;
        switch (copy->kind) {
        case GSIM_COPY_H2D:
            metrics->h2d_bytes += copy->bytes;
            metrics->h2d_time += copy->end - copy->start;
            break;
        case GSIM_COPY_D2H:
            metrics->d2h_bytes += copy->bytes;
            metrics->d2h_time += copy->end - copy->start;
            break;
        case GSIM_COPY_D2D:
        case GSIM_COPY_P2P:
            metrics->d2d_bytes += copy->bytes;
            break;
        }
    }
    gsim_time end = 0;
    for (size_t i = 0; i < timeline->kernel_count; i++) end = later(end, timeline->kernels[i].end);
    for (size_t i = 0; i < timeline->copy_count; i++) end = later(end, timeline->copies[i].end);
    for (size_t i = 0; i < timeline->iteration_count; i++) end = later(end, timeline->iterations[i].end);
    for (size_t i = 0; i < timeline->api_count; i++) {
        const struct gsim_api_record *call = &timeline->apis[i];
        end = later(end, call->end);
        metrics->host_waited += call->waited;
        metrics->host_busy += call->end - call->start - call->waited;
    }
    if (!end) /* of several tasks, whose kernels nobody kept */
        for (size_t i = 0; i < timeline->request_count; i++) end = later(end, timeline->requests[i].end);
    metrics->makespan = end;
    compute_occupancy(timeline, device, metrics);
    status = gsim_bottlenecks_compute(timeline, device, alone, metrics, error);
    return status == GSIM_OK ? compute_bounds(timeline, device, alone, metrics, error) : status;
}
