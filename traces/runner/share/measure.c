/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measurement stage that policies' profiles come from: a timed event on either side of every kernel, as FIKIT has them. */
#include "traces/runner/share/client.h"

static struct gsim_client_task *client_of(struct gsim_driver *driver) { return (struct gsim_client_task *)driver; }

/* Events are kept for the next request. */
static struct gsim_client_launch *next_launch(struct gsim_client_task *c)
{
    if (c->launch_count == c->launch_room) {
        if (gsim_array_grow((void **)&c->launches, sizeof *c->launches, c->launch_room, &c->launch_capacity)) return NULL;
        struct gsim_client_launch *fresh = &c->launches[c->launch_room];
        *fresh = (struct gsim_client_launch){0};
        if (cudaEventCreate(&fresh->before) != cudaSuccess || cudaEventCreate(&fresh->behind) != cudaSuccess) return NULL;
        c->launch_room++;
    }
    return &c->launches[c->launch_count++];
}

void gsim_client_measured_launch(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream)
{
    struct gsim_client_task *c = client_of(driver);
    struct gsim_client_launch *launch = gsim_driver_failed(driver) ? NULL : next_launch(c);
    cudaStream_t on = gsim_cuda_stream_at(&c->cuda, stream);
    if (launch) {
        launch->kernel = op->kernel_index;
        gsim_cuda_check(&c->cuda, cudaEventRecord(launch->before, on), GSIM_API_EVENT_RECORD);
    }
    c->base.launch(driver, op, stream);
    if (launch) gsim_cuda_check(&c->cuda, cudaEventRecord(launch->behind, on), GSIM_API_EVENT_RECORD);
    if (!launch && !gsim_driver_failed(driver)) gsim_error_set(&driver->error, GSIM_NOMEM, "out of memory for the events of a measurement");
}

void gsim_client_note_kernels(struct gsim_client_task *c, uint32_t request)
{
    struct gsim_board_task *own = c->own;
    for (size_t i = 0; i < c->launch_count && own->kernel_count < GSIM_BOARD_KERNELS; i++) {
        const struct gsim_client_launch *l = &c->launches[i];
        float start_ms = 0, ms = 0;
        cudaError_t result = cudaEventElapsedTime(&start_ms, c->launches[0].before, l->before);
        if (result == cudaSuccess) result = cudaEventElapsedTime(&ms, l->before, l->behind);
        if (!gsim_cuda_check(&c->cuda, result, GSIM_API_EVENT_QUERY)) return;
        double end_us = (start_ms + ms) * 1e3, us = ms * 1e3 - c->stage->excess_us;
        own->kernels[own->kernel_count++] = (struct gsim_board_kernel){l->kernel, request, end_us - (us > 0.1 ? us : 0.1), end_us};
    }
}
