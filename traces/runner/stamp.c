/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See stamp.h: the same kernels in the tracer's records and by their own stamps. */
#include "traces/runner/stamp.h"

#include "traces/runner/sorted.h"
#include "traces/runner/tracer.h"

#define KERNELS 40

static double median_excess(const struct gsim_tracer_activity *list, size_t count, const unsigned long long *stamps)
{
    double excess[KERNELS];
    size_t found = 0;
    for (size_t i = 0; i < count && found < KERNELS; i++) {
        if (list[i].call < 1 || list[i].call > KERNELS) continue;
        const unsigned long long *stamp = &stamps[2 * (list[i].call - 1)];
        excess[found++] = (double)(list[i].end_ns - list[i].start_ns - (int64_t)(stamp[1] - stamp[0])) * 1e-3;
    }
    if (!found) return 0;
    gsim_runner_sort(excess, found);
    return excess[found / 2];
}

double gsim_tracer_excess_us(struct gsim_error *error)
{
    struct gsim_tracer *tracer = NULL;
    const struct gsim_tracer_activity *list;
    unsigned long long *stamps = NULL;
    size_t count, dropped;
    double excess = 0;
    cudaError_t result = cudaHostAlloc((void **)&stamps, 2 * KERNELS * sizeof *stamps, cudaHostAllocMapped);
    enum gsim_status status = result == cudaSuccess ? gsim_tracer_start(&tracer, error) : GSIM_SIM;
    for (int i = 0; i < KERNELS && status == GSIM_OK && result == cudaSuccess; i++) {
        gsim_tracer_push(tracer, (uint64_t)i + 1);
        result = (cudaError_t)gsim_stamp_launch(stamps + 2 * i, 20000);
        gsim_tracer_pop(tracer);
        if (result == cudaSuccess) result = cudaDeviceSynchronize();
    }
    if (status == GSIM_OK) {
        gsim_tracer_stop(tracer, &list, &count, &dropped);
        excess = median_excess(list, count, stamps);
    }
    if (result != cudaSuccess) gsim_error_set(error, GSIM_SIM, "%s", cudaGetErrorString(result));
    gsim_tracer_destroy(tracer);
    cudaFreeHost(stamps);
    return excess;
}
