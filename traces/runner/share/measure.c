/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The measurement stage that policies' profiles come from. Stand-ins note themselves when their first block began and
 * their last one ended; other kernels have a timed event on either side, as FIKIT's have.
 */
#include "traces/runner/share/client.h"

static struct gsim_client_task *client_of(struct gsim_driver *driver) { return (struct gsim_client_task *)driver; }

static bool has_standins(const struct gsim_client_task *c) { return c->stage->tasks[c->index].standins != NULL; }

static void clear_spans(struct gsim_client_task *c)
{
    for (size_t i = 0; i < c->span_count; i++) c->read[i] = (struct gsim_standin_span){~0ull, 0};
    gsim_cuda_check(&c->cuda, cudaMemcpy(c->spans, c->read, sizeof *c->spans * c->span_count, cudaMemcpyHostToDevice),
                    GSIM_API_MEMCPY);
}

void gsim_client_measure(struct gsim_client_task *c)
{
    if (!has_standins(c) || !c->launch_count) return;
    c->span_count = c->launch_count;
    c->read = gsim_arena_alloc(&c->arena, sizeof *c->read * c->span_count);
    if (gsim_cuda_check(&c->cuda, cudaMalloc((void **)&c->spans, sizeof *c->spans * c->span_count), GSIM_API_MEMCPY))
        clear_spans(c);
}

/* Events are kept for the next request. */
static struct gsim_client_launch *next_launch(struct gsim_client_task *c)
{
    if (c->launch_count == c->launch_room) {
        gsim_array_grow(&c->launches, sizeof *c->launches, c->launch_room, &c->launch_capacity);
        struct gsim_client_launch *fresh = &c->launches[c->launch_room];
        *fresh = (struct gsim_client_launch){0};
        if (!has_standins(c) &&
            (cudaEventCreate(&fresh->before) != cudaSuccess || cudaEventCreate(&fresh->behind) != cudaSuccess))
            return NULL;
        c->launch_room++;
    }
    return &c->launches[c->launch_count++];
}

void gsim_client_measured_launch(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream)
{
    struct gsim_client_task *c = client_of(driver);
    size_t number = c->launch_count;
    struct gsim_client_launch *launch = gsim_driver_failed(driver) ? NULL : next_launch(c);
    cudaStream_t on = gsim_cuda_stream_at(&c->cuda, stream);
    if (!launch && !gsim_driver_failed(driver))
        gsim_error_set(&driver->error, GSIM_NOMEM, "out of memory for the events of a measurement");
    if (!launch) return;
    launch->kernel = op->kernel_index;
    if (has_standins(c)) {
        gsim_standin_note(c->cuda.bench, number < c->span_count ? &c->spans[number] : NULL);
        c->base.launch(driver, op, stream);
        return;
    }
    gsim_cuda_check(&c->cuda, cudaEventRecord(launch->before, on), GSIM_API_EVENT_RECORD);
    c->base.launch(driver, op, stream);
    gsim_cuda_check(&c->cuda, cudaEventRecord(launch->behind, on), GSIM_API_EVENT_RECORD);
}

static void note(struct gsim_client_task *c, uint32_t kernel, uint32_t request, double start_us, double end_us)
{
    struct gsim_ledger_task *own = c->own;
    if (own->kernel_count < GSIM_LEDGER_KERNELS)
        own->kernels[own->kernel_count++] = (struct gsim_ledger_kernel){kernel, request, start_us, end_us};
}

static void note_spans(struct gsim_client_task *c, uint32_t request)
{
    cudaError_t result = cudaMemcpy(c->read, c->spans, sizeof *c->spans * c->span_count, cudaMemcpyDeviceToHost);
    if (!gsim_cuda_check(&c->cuda, result, GSIM_API_MEMCPY)) return;
    size_t count = c->launch_count < c->span_count ? c->launch_count : c->span_count;
    unsigned long long first = gsim_standin_first(c->read, count);
    double start_us, end_us;
    for (size_t i = 0; i < count; i++)
        if (gsim_standin_times(&c->read[i], first, &start_us, &end_us))
            note(c, c->launches[i].kernel, request, start_us, end_us);
    clear_spans(c);
}

void gsim_client_note_kernels(struct gsim_client_task *c, uint32_t request)
{
    if (has_standins(c)) {
        if (c->span_count) note_spans(c, request);
        return;
    }
    for (size_t i = 0; i < c->launch_count; i++) {
        const struct gsim_client_launch *l = &c->launches[i];
        float start_ms = 0, ms = 0;
        cudaError_t result = cudaEventElapsedTime(&start_ms, c->launches[0].before, l->before);
        if (result == cudaSuccess) result = cudaEventElapsedTime(&ms, l->before, l->behind);
        if (!gsim_cuda_check(&c->cuda, result, GSIM_API_EVENT_QUERY)) return;
        double end_us = (start_ms + ms) * 1e3, us = ms * 1e3 - c->stage->excess_us;
        note(c, l->kernel, request, end_us - (us > 0.1 ? us : 0.1), end_us);
    }
}
