/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim. See include/gpusim/metrics.h: the figures of one iteration, that of median length, from its records
 * alone. */

#include "gpusim/metrics.h"

static gsim_time length_of(const struct gsim_timeline *timeline, size_t index)
{
    return timeline->iterations[index].end - timeline->iterations[index].start;
}

/* Of those behind the warm-up the first that as many are shorter as longer than, or one more. */
static size_t median_of(const struct gsim_timeline *timeline)
{
    size_t count = timeline->iteration_count, first = timeline->warm_up_count < count ? timeline->warm_up_count : 0;
    if (timeline->cycle && timeline->cycle <= count) first = count - timeline->cycle;
    for (size_t i = first; i < count; i++) {
        size_t shorter = 0, same = 0;
        for (size_t j = first; j < count; j++) {
            shorter += length_of(timeline, j) < length_of(timeline, i);
            same += length_of(timeline, j) == length_of(timeline, i);
        }
        size_t middle = (count - first - 1) / 2;
        if (shorter <= middle && middle < shorter + same) return i;
    }
    return first;
}

enum gsim_status gsim_metrics_iteration(const struct gsim_timeline *timeline, const struct gsim_device_spec *device,
                                        const struct gsim_kernel_alone *alone, struct gsim_metrics *metrics,
                                        size_t *kernels, struct gsim_error *error)
{
    *kernels = timeline->kernel_count;
    if (timeline->sums || timeline->iteration_count < 2)
        return gsim_metrics_compute(timeline, device, alone, metrics, error);
    size_t index = median_of(timeline);
    struct gsim_timeline one = {
        .program = timeline->program,
        .gpu_count = timeline->gpu_count,
        .kernels = gsim_alloc(sizeof *one.kernels * (timeline->kernel_count + 1)),
        .copies = gsim_alloc(sizeof *one.copies * (timeline->copy_count + 1)),
        .apis = gsim_alloc(sizeof *one.apis * (timeline->api_count + 1)),
        .iterations = &timeline->iterations[index],
        .iteration_count = 1,
    };
    enum gsim_status status = GSIM_OK;
    if (!one.kernels || !one.copies || !one.apis) status = gsim_no_memory(error);
    if (status == GSIM_OK) {
        for (size_t i = 0; i < timeline->kernel_count; i++)
            if (timeline->kernels[i].iteration == index) one.kernels[one.kernel_count++] = timeline->kernels[i];
        for (size_t i = 0; i < timeline->copy_count; i++)
            if (timeline->copies[i].iteration == index) one.copies[one.copy_count++] = timeline->copies[i];
        for (size_t i = 0; i < timeline->api_count; i++)
            if (timeline->apis[i].iteration == index) one.apis[one.api_count++] = timeline->apis[i];
        *kernels = one.kernel_count;
        status = gsim_metrics_compute(&one, device, alone, metrics, error);
    }
    gsim_free(one.kernels);
    gsim_free(one.copies);
    gsim_free(one.apis);
    return status;
}
