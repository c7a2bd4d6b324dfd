/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several GPUs under the CUDA backend (cuda.h). CUDA wants a stream's GPU to be current where work is issued to it: the
 * backend sees to that, as nothing in a scheduler does, so that the same calls run here and in the simulator.
 */
#include "traces/runner/cuda.h"

static _Thread_local uint32_t current, set_last;

void gsim_cuda_on_device(const struct gsim_cuda *cuda, uint32_t device)
{
    if (cuda->device_count < 2 || device == current) return;
    cudaSetDevice((int)device);
    current = device;
}

void gsim_cuda_device_forget(void) { current = UINT32_MAX; }

uint32_t gsim_cuda_device_set_last(void) { return set_last; }

uint32_t gsim_cuda_device_of(struct gsim_cuda *cuda, gsim_stream stream)
{
    if (cuda->device_count < 2) return 0;
    gsim_cuda_lock(cuda);
    uint32_t device = stream && stream < cuda->stream_count ? cuda->streams[stream].device : set_last;
    gsim_cuda_unlock(cuda);
    return device;
}

static uint32_t do_device_count(struct gsim_driver *driver) { return gsim_cuda_of(driver)->device_count; }

static void do_device_set(struct gsim_driver *driver, uint32_t device)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    if (gsim_driver_failed(driver)) return;
    if (device >= cuda->device_count)
        gsim_error_set(&driver->error, GSIM_SIM, "GPU %u does not exist: there are %u", device, cuda->device_count);
    else gsim_cuda_on_device(cuda, set_last = device);
}

static void do_peer_enable(struct gsim_driver *driver, uint32_t peer)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    int can = 0;
    if (gsim_driver_failed(driver) || peer >= cuda->device_count) return;
    gsim_cuda_on_device(cuda, set_last);
    if (cudaDeviceCanAccessPeer(&can, (int)set_last, (int)peer) != cudaSuccess || !can)
        return; /* copies then go through the host */
    cudaError_t result = cudaDeviceEnablePeerAccess((int)peer, 0);
    if (result == cudaErrorPeerAccessAlreadyEnabled) cudaGetLastError();
    else gsim_cuda_check(cuda, result, GSIM_API_MEMCPY);
    gsim_cuda_on_device(cuda, peer);
    result = cudaDeviceEnablePeerAccess((int)set_last, 0);
    if (result == cudaErrorPeerAccessAlreadyEnabled) cudaGetLastError();
    else gsim_cuda_check(cuda, result, GSIM_API_MEMCPY);
}

/* Also what memcpy_async() is given of the kind: one call has both. */
void gsim_cuda_memcpy_peer_async(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    cudaStream_t on = gsim_cuda_stream_at(cuda, stream);
    if (!on) return;
    uint32_t buffer = op->args[0].buffer_index;
    uint64_t begin = op->segment_count ? op->segments[0].offset : 0;
    char *from = (char *)cuda->memory->devices[op->device][buffer] + begin,
         *to = (char *)cuda->memory->devices[op->to_device][buffer] + begin;
    int64_t start = gsim_cuda_begin(cuda);
    gsim_cuda_on_device(cuda, gsim_cuda_device_of(cuda, stream));
    gsim_cuda_call_begin(cuda, op, 0, stream, start);
    cudaError_t result = cudaMemcpyPeerAsync(to, op->to_device, from, op->device, op->bytes, on);
    gsim_cuda_call_end(cuda);
    gsim_cuda_end(cuda, GSIM_API_MEMCPY, result, start, false, stream, cuda->program->buffers[buffer].name);
}

void gsim_cuda_devices_set_ops(struct gsim_cuda *cuda)
{
    current = set_last = 0;
    cudaSetDevice(0);
    if (!cuda->device_count) cuda->device_count = 1;
    if (cuda->device_count < 2) return; /* one GPU is as it was: the simulator's driver tells one as well */
    cuda->ops.device_count = do_device_count;
    cuda->ops.device_set = do_device_set;
    cuda->ops.peer_enable = do_peer_enable;
    cuda->ops.memcpy_peer_async = gsim_cuda_memcpy_peer_async;
}
