/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See gpu.h. */
#include "traces/runner/resident/worker.h"

#include <cuda_runtime.h>

#include "traces/runner/resident/gpu.h"

struct gsim_tasks_gpu {
    const struct gsim_tasks_tables *tasks;
    void *tables, *state;
    struct gsim_tasks_slot *slots;     /* of the host */
    struct gsim_tasks_report *reports;
    struct gsim_tasks_stamp *stamps;   /* read back */
    uint64_t *values;
    struct gsim_tasks_view view;       /* of the device */
};

static __global__ void __launch_bounds__(1024) resident(const __grid_constant__ struct gsim_tasks_view view)
{
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0) gsim_worker_run(&view, blockIdx.x);
}

extern "C" int gsim_tasks_gpu_workers(uint32_t *workers)
{
    int device = 0, count = 0;
    cudaError_t result = cudaGetDevice(&device);
    if (result == cudaSuccess) result = cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    *workers = (uint32_t)count;
    return result;
}

static cudaError_t share(struct gsim_tasks_gpu *gpu)
{
    struct gsim_tasks_view *v = &gpu->view;
    const size_t slot_bytes = sizeof(*gpu->slots) * v->worker_count * v->depth,
                 report_bytes = sizeof(*gpu->reports) * v->worker_count;
    cudaError_t result = cudaHostAlloc((void **)&gpu->slots, slot_bytes, cudaHostAllocMapped);
    if (result == cudaSuccess) result = cudaHostAlloc((void **)&gpu->reports, report_bytes, cudaHostAllocMapped);
    if (result == cudaSuccess) result = cudaHostGetDevicePointer((void **)&v->slots, gpu->slots, 0);
    if (result == cudaSuccess) result = cudaHostGetDevicePointer((void **)&v->reports, gpu->reports, 0);
    if (result != cudaSuccess) return result;
    memset(gpu->slots, 0, slot_bytes);
    memset(gpu->reports, 0, report_bytes);
    return cudaSuccess;
}

extern "C" int gsim_tasks_gpu_open(struct gsim_tasks_gpu **gpu, const struct gsim_tasks_tables *tasks)
{
    struct gsim_tasks_gpu *g = (struct gsim_tasks_gpu *)calloc(1, sizeof(*g));
    const uint32_t count = tasks->view.task_count + 1;
    *gpu = g;
    if (!g) return cudaErrorMemoryAllocation;
    g->tasks = tasks;
    cudaError_t result = cudaMalloc(&g->tables, tasks->table_bytes);
    if (result == cudaSuccess) result = cudaMalloc(&g->state, tasks->state_bytes);
    if (result == cudaSuccess)
        result = cudaMemcpy(g->tables, tasks->tables, tasks->table_bytes, cudaMemcpyHostToDevice);
    if (result == cudaSuccess) result = cudaMemcpy(g->state, tasks->state, tasks->state_bytes, cudaMemcpyHostToDevice);
    if (result == cudaSuccess)
        result = cudaHostAlloc((void **)&g->stamps, sizeof(*g->stamps) * count, cudaHostAllocDefault);
    if (result == cudaSuccess)
        result = cudaHostAlloc((void **)&g->values, sizeof(*g->values) * count, cudaHostAllocDefault);
    if (result != cudaSuccess) return result;
    g->view = gsim_tasks_move(tasks, g->tables, g->state);
    result = share(g);
    if (result == cudaSuccess)
        result = cudaFuncSetAttribute((const void *)resident, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)tasks->smem_bytes);
    return result;
}

extern "C" void gsim_tasks_gpu_close(struct gsim_tasks_gpu *gpu)
{
    if (!gpu) return;
    cudaFree(gpu->tables);
    cudaFree(gpu->state);
    cudaFreeHost(gpu->slots);
    cudaFreeHost(gpu->reports);
    cudaFreeHost(gpu->stamps);
    cudaFreeHost(gpu->values);
    free(gpu);
}

extern "C" struct gsim_tasks_slot *gsim_tasks_gpu_slots(const struct gsim_tasks_gpu *gpu) { return gpu->slots; }
extern "C" struct gsim_tasks_report *gsim_tasks_gpu_reports(const struct gsim_tasks_gpu *gpu) { return gpu->reports; }

/* Cooperative, so that what cannot all be resident is an error and does not wait for ever. */
extern "C" int gsim_tasks_gpu_launch(struct gsim_tasks_gpu *gpu, uint32_t launch, bool verifies, uint64_t limit_ns,
                                     void *stream)
{
    struct gsim_tasks_view *v = &gpu->view;
    void *arguments[] = {v};
    v->launch = launch;
    v->verifies = verifies;
    v->limit_ns = limit_ns;
    return cudaLaunchCooperativeKernel((const void *)resident, dim3(v->worker_count), dim3(gpu->tasks->threads),
                                       arguments, gpu->tasks->smem_bytes, (cudaStream_t)stream);
}

extern "C" int gsim_tasks_gpu_read(struct gsim_tasks_gpu *gpu, const struct gsim_tasks_stamp **stamps,
                                   const uint64_t **values)
{
    const uint32_t count = gpu->view.task_count;
    cudaError_t result =
        cudaMemcpy(gpu->stamps, gpu->view.stamps, sizeof(*gpu->stamps) * count, cudaMemcpyDeviceToHost);
    if (result == cudaSuccess)
        result = cudaMemcpy(gpu->values, gpu->view.values, sizeof(*gpu->values) * count, cudaMemcpyDeviceToHost);
    *stamps = gpu->stamps;
    *values = gpu->values;
    return result;
}
