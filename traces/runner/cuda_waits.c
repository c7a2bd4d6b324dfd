/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The CUDA backend's waits for any of several things, and host functions in streams. No gates: the runtime API has
 * none. */
#include "traces/runner/cuda.h"

static bool is_fulfilled(struct gsim_driver *driver, const struct gsim_waitable *waitable)
{
    switch (waitable->kind) {
    case GSIM_WAITABLE_EVENT: return gsim_event_query(driver, waitable->handle);
    case GSIM_WAITABLE_STREAM: return gsim_stream_query(driver, waitable->handle);
    case GSIM_WAITABLE_QUEUE: return gsim_cuda_queue_has_item(gsim_cuda_of(driver), waitable->handle);
    }
    return false;
}

uint32_t gsim_cuda_wait_any(struct gsim_driver *driver, const struct gsim_waitable *list, uint32_t count,
                            double timeout_us)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    int64_t start = gsim_runner_now_ns();
    uint32_t found = count;
    bool is_over = false;
    while (found == count && !is_over && !gsim_driver_failed(driver)) {
        for (found = 0; found < count && !is_fulfilled(driver, &list[found]); found++) {}
        is_over = timeout_us >= 0 && (double)(gsim_runner_now_ns() - start) >= timeout_us * 1e3;
    }
    gsim_cuda_end(cuda, GSIM_API_WAIT_ANY, cudaSuccess, start, true, 0, NULL);
    return gsim_driver_failed(driver) ? count : found;
}

struct host_func {
    struct gsim_driver *driver;
    void (*body)(struct gsim_driver *, void *);
    void *argument;
};

static void CUDART_CB call_host_func(void *data)
{
    struct host_func *call = data;
    call->body(call->driver, call->argument);
    gsim_free(call);
}

void gsim_cuda_launch_host_func(struct gsim_driver *driver, gsim_body body, void *argument, gsim_stream stream)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    cudaStream_t real = gsim_cuda_stream_at(cuda, stream);
    if (!real) return;
    struct host_func *call = gsim_alloc(sizeof *call);
    *call = (struct host_func){driver, body, argument};
    cuda->is_threaded = true; /* the function runs on a thread of the CUDA driver's */
    int64_t start = gsim_cuda_begin(cuda);
    cudaError_t result = cudaLaunchHostFunc(real, call_host_func, call);
    if (result != cudaSuccess) gsim_free(call);
    gsim_cuda_end(cuda, GSIM_API_HOST_FUNC, result, start, false, stream, NULL);
}
