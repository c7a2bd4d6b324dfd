/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See slice.h. The gate is opened by a copy from a stream of its own: a kernel would need an SM, the host's memory
 * would be read over the bus by every holder. */
#include "traces/runner/slice.h"

#include <string.h>

/* A second or so: then other work is on the GPU. */
#define MAX_LOOKS 100000

cudaError_t gsim_slice_init(struct gsim_run_slice *slice, unsigned sm_count)
{
    int major = 0, sms = 0;
    memset(slice, 0, sizeof *slice);
    cudaError_t result = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    if (result == cudaSuccess) result = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    if (result == cudaSuccess)
        result = cudaDeviceGetAttribute(&slice->smem_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    if (result == cudaSuccess && (major < 8 || sm_count < 1 || (int)sm_count >= sms)) result = cudaErrorNotSupported;
    if (result != cudaSuccess) return result;
    slice->sm_count = sm_count;
    slice->held = (unsigned)sms - sm_count;
    result = gsim_slice_allow(slice->smem_bytes);
    if (result == cudaSuccess) result = cudaStreamCreateWithFlags(&slice->holders, cudaStreamNonBlocking);
    if (result == cudaSuccess) result = cudaStreamCreateWithFlags(&slice->control, cudaStreamNonBlocking);
    if (result == cudaSuccess) result = cudaMalloc((void **)&slice->state, 2 * sizeof *slice->state);
    if (result == cudaSuccess)
        result = cudaHostAlloc((void **)&slice->host, 2 * sizeof *slice->host, cudaHostAllocDefault);
    return result;
}

cudaError_t gsim_slice_free(struct gsim_run_slice *slice)
{
    cudaError_t result =
        cudaMemcpyAsync(slice->state + 1, &slice->host[1], sizeof *slice->host, cudaMemcpyHostToDevice, slice->control);
    cudaError_t waited = cudaStreamSynchronize(slice->holders);
    return result == cudaSuccess ? waited : result;
}

cudaError_t gsim_slice_hold(struct gsim_run_slice *slice)
{
    cudaError_t result = cudaMemsetAsync(slice->state, 0, 2 * sizeof *slice->state, slice->holders);
    if (result == cudaSuccess) result = cudaStreamSynchronize(slice->holders);
    if (result == cudaSuccess) result = gsim_slice_launch(slice->held, slice->smem_bytes, slice->state, slice->holders);
    slice->host[0] = 0;
    slice->host[1] = 1;
    for (int looks = 0; result == cudaSuccess && slice->host[0] < slice->held; looks++) {
        if (looks == MAX_LOOKS) result = cudaErrorLaunchTimeout;
        if (result != cudaSuccess) break;
        result =
            cudaMemcpyAsync(&slice->host[0], slice->state, sizeof *slice->host, cudaMemcpyDeviceToHost, slice->control);
        if (result == cudaSuccess) result = cudaStreamSynchronize(slice->control);
    }
    if (result != cudaSuccess) gsim_slice_free(slice);
    return result;
}

void gsim_slice_release(struct gsim_run_slice *slice)
{
    if (slice->holders) cudaStreamDestroy(slice->holders);
    if (slice->control) cudaStreamDestroy(slice->control);
    if (slice->state) cudaFree(slice->state);
    if (slice->host) cudaFreeHost(slice->host);
    memset(slice, 0, sizeof *slice);
}
