/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One block of memory on each GPU and one of host memory, cut up at 512-byte boundaries. Managed buffers are allocated
 * one by one, since streams attach to allocations.
 */
#include "traces/runner/memory.h"

#include <cuda_runtime_api.h>

#define ALIGNMENT 512ull

static enum gsim_status cuda_status(cudaError_t result, const char *what, uint64_t bytes, struct gsim_error *error)
{
    if (result == cudaSuccess) return GSIM_OK;
    return gsim_error_set(error, GSIM_SIM, "%s of %.1f MB: %s", what, (double)bytes * 1e-6, cudaGetErrorString(result));
}

static uint32_t gpus_of(const struct gsim_runner_memory *memory) { return memory->gpu_count ? memory->gpu_count : 1; }

static void free_host(struct gsim_runner_memory *memory)
{
    if (memory->host_block && memory->host_mode == GSIM_MEMORY_PINNED)
        cudaFreeHost(memory->host_block);
    else if (memory->host_mode == GSIM_MEMORY_PAGEABLE)
        free(memory->host_block);
    memory->host_block = NULL;
    memory->host_bytes = 0;
}

static void free_device(struct gsim_runner_memory *memory)
{
    for (uint32_t d = 0; d < memory->blocks; d++) cudaFree(memory->device_blocks[d]);
    for (uint32_t i = 0; i < memory->managed_count; i++) cudaFree(memory->managed[i]);
    gsim_free(memory->managed);
    memory->managed = NULL;
    memory->managed_count = 0;
    memory->blocks = 0;
    memory->device_bytes = 0;
}

static enum gsim_status allocate_managed(struct gsim_runner_memory *memory, uint64_t bytes, struct gsim_error *error)
{
    size_t free_bytes, total_bytes;
    enum gsim_status status = cuda_status(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo", 0, error);
    if (status != GSIM_OK) return status;
    if (bytes > free_bytes / 4)
        return gsim_error_set(
            error, GSIM_INPUT,
            "--memory managed: expected a program of at most %.1f MB, a quarter of the memory that is free on "
            "this GPU, found one of %.1f MB",
            (double)free_bytes * 0.25e-6, (double)bytes * 1e-6);
    free_device(memory);
    free_host(memory);
    memory->host_mode = GSIM_MEMORY_MANAGED;
    memory->managed = gsim_alloc(sizeof *memory->managed * (memory->program->buffer_count + 1u));
    for (uint32_t i = 0; i < memory->program->buffer_count && status == GSIM_OK; i++) {
        uint64_t size = memory->program->buffers[i].bytes;
        status = cuda_status(cudaMallocManaged(&memory->managed[i], size, cudaMemAttachGlobal), "cudaMallocManaged",
                             size, error);
        if (status != GSIM_OK) break;
        memory->managed_count++;
        memory->device[i] = memory->host[i] = memory->managed[i];
        memset(memory->managed[i], GSIM_BENCH_POISON, size);
    }
    return status;
}

static enum gsim_status allocate_explicit(struct gsim_runner_memory *memory, uint64_t bytes, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    if (memory->device_bytes < bytes || memory->host_mode == GSIM_MEMORY_MANAGED) {
        free_device(memory);
        for (uint32_t d = 0; d < gpus_of(memory) && status == GSIM_OK; d++) {
            cudaSetDevice((int)d);
            status = cuda_status(cudaMalloc(&memory->device_blocks[d], bytes), "cudaMalloc", bytes, error);
            memory->blocks += status == GSIM_OK;
        }
        cudaSetDevice(0);
        if (status != GSIM_OK) return status;
        memory->device_bytes = bytes;
    }
    if (memory->host_block && memory->host_bytes >= bytes && memory->host_mode == memory->mode) return GSIM_OK;
    free_host(memory);
    memory->host_mode = memory->mode;
    if (memory->mode == GSIM_MEMORY_PINNED) {
        status =
            cuda_status(cudaHostAlloc(&memory->host_block, bytes, cudaHostAllocDefault), "cudaHostAlloc", bytes, error);
    } else {
        memory->host_block = malloc(bytes); /* not gsim_alloc: a gigabyte need not be zeroed */
        if (!memory->host_block)
            status = gsim_error_set(error, GSIM_NOMEM, "out of memory for %.1f MB", (double)bytes * 1e-6);
    }
    if (status == GSIM_OK) memory->host_bytes = bytes;
    return status;
}

/* Who writes which buffer, from the program's ops. */
static void find_writers(struct gsim_runner_memory *memory)
{
    const struct gsim_program *p = memory->program;
    for (uint32_t i = 0; i < p->buffer_count; i++) memory->is_filled[i] = p->buffers[i].init != GSIM_INIT_NONE;
    for (uint32_t i = 0; i < p->op_count; i++) {
        const struct gsim_op *op = &p->ops[i];
        for (uint32_t a = 0; a < op->arg_count; a++) {
            uint32_t b = op->args[a].buffer_index;
            if (op->kind == GSIM_OP_HOST_WRITE) memory->is_filled[b] = true;
            if (op->kind == GSIM_OP_KERNEL && op->args[a].writes) memory->is_written[b] = true;
        }
    }
}

static enum gsim_status keep_pristine(struct gsim_runner_memory *memory, struct gsim_error *error)
{
    for (uint32_t i = 0; i < memory->program->buffer_count; i++) {
        if (!memory->is_filled[i] || !memory->is_written[i]) continue;
        memory->pristine[i] = malloc(memory->program->buffers[i].bytes);
        if (!memory->pristine[i]) return gsim_no_memory(error);
        memcpy(memory->pristine[i], memory->host[i], memory->program->buffers[i].bytes);
    }
    return GSIM_OK;
}

enum gsim_status gsim_runner_memory_bind(struct gsim_runner_memory *memory, const struct gsim_program *program,
                                         enum gsim_memory_mode mode, const struct gsim_bench_ops *ops,
                                         struct gsim_runner_bench *bench, struct gsim_error *error)
{
    uint64_t bytes = 0;
    size_t count = program->buffer_count + 1u;
    gsim_runner_memory_unbind(memory);
    memory->program = program;
    memory->mode = mode;
    for (uint32_t d = 0; d < gpus_of(memory); d++) memory->devices[d] = GSIM_ARENA_ARRAY(&memory->arena, void *, count);
    memory->device = memory->devices[0];
    memory->written_on = GSIM_ARENA_ARRAY(&memory->arena, uint32_t, count);
    memory->host = GSIM_ARENA_ARRAY(&memory->arena, void *, count);
    memory->pristine = GSIM_ARENA_ARRAY(&memory->arena, void *, count);
    memory->is_written = GSIM_ARENA_ARRAY(&memory->arena, bool, count);
    memory->is_filled = GSIM_ARENA_ARRAY(&memory->arena, bool, count);
    for (uint32_t i = 0; i < program->buffer_count; i++)
        bytes += (program->buffers[i].bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    enum gsim_status status = mode == GSIM_MEMORY_MANAGED ? allocate_managed(memory, bytes + ALIGNMENT, error)
                                                          : allocate_explicit(memory, bytes + ALIGNMENT, error);
    if (status != GSIM_OK) return status;
    bytes = 0;
    for (uint32_t i = 0; i < program->buffer_count && mode != GSIM_MEMORY_MANAGED; i++) {
        for (uint32_t d = 0; d < gpus_of(memory); d++) memory->devices[d][i] = (char *)memory->device_blocks[d] + bytes;
        memory->host[i] = (char *)memory->host_block + bytes;
        bytes += (program->buffers[i].bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    find_writers(memory);
    for (uint32_t i = 0; i < program->buffer_count; i++)
        if (memory->is_filled[i]) ops->fill(bench, i, memory->host[i]);
    return keep_pristine(memory, error);
}

/* Leaves GPU 0 current. */
static cudaError_t synchronize(uint32_t device)
{
    cudaSetDevice((int)device);
    cudaError_t result = cudaDeviceSynchronize();
    cudaSetDevice(0);
    return result;
}

enum gsim_status gsim_runner_memory_reset(struct gsim_runner_memory *memory, struct gsim_error *error)
{
    const struct gsim_program *p = memory->program;
    cudaError_t result = cudaSuccess;
    for (uint32_t i = 0; i < p->buffer_count; i++)
        if (memory->pristine[i]) memcpy(memory->host[i], memory->pristine[i], p->buffers[i].bytes);
    if (memory->mode == GSIM_MEMORY_MANAGED) return GSIM_OK;
    for (uint32_t d = 0; d < gpus_of(memory) && result == cudaSuccess; d++) {
        cudaSetDevice((int)d); /* without peer access another GPU's memory cannot be set */
        result = cudaMemset(memory->device_blocks[d], GSIM_BENCH_POISON, memory->device_bytes);
        for (uint32_t i = 0; i < p->buffer_count && result == cudaSuccess; i++)
            if (p->buffers[i].init == GSIM_INIT_DEVICE)
                result =
                    cudaMemcpy(memory->devices[d][i], memory->host[i], p->buffers[i].bytes, cudaMemcpyHostToDevice);
        if (result == cudaSuccess) result = synchronize(d);
    }
    return cuda_status(result, "reset", memory->device_bytes, error);
}

void gsim_runner_memory_host_write(struct gsim_runner_memory *memory, uint32_t buffer_index, uint64_t bytes)
{
    uint64_t size = memory->program->buffers[buffer_index].bytes;
    if (bytes == 0 || bytes > size) bytes = size;
    if (memory->pristine[buffer_index]) memcpy(memory->host[buffer_index], memory->pristine[buffer_index], bytes);
    if (memory->pristine[buffer_index] || memory->mode != GSIM_MEMORY_MANAGED) return;
    volatile char *host = memory->host[buffer_index]; /* the same values, so that the pages come back to the host */
    for (uint64_t i = 0; i < bytes; i += 4096) host[i] = host[i]; // cppcheck-suppress selfAssignment ; volatile
}

void gsim_runner_memory_poison(struct gsim_runner_memory *memory)
{
    const struct gsim_program *p = memory->program;
    if (memory->mode == GSIM_MEMORY_MANAGED) return;
    for (uint32_t d = 0; d < gpus_of(memory); d++) {
        cudaSetDevice((int)d);
        for (uint32_t i = 0; i < p->buffer_count; i++)
            if (gsim_bench_is_remade(p, i)) cudaMemset(memory->devices[d][i], GSIM_BENCH_POISON, p->buffers[i].bytes);
        synchronize(d);
    }
}

/* The program reads all of the buffer itself, so that the scheduler has copied it to the host. */
static bool is_read_back(const struct gsim_program *p, uint32_t buffer)
{
    for (uint32_t i = 0; i < p->op_count; i++)
        if (p->ops[i].kind == GSIM_OP_HOST_READ && p->ops[i].args[0].buffer_index == buffer &&
            (p->ops[i].bytes == 0 || p->ops[i].bytes >= p->buffers[buffer].bytes))
            return true;
    return false;
}

enum gsim_status gsim_runner_memory_download(struct gsim_runner_memory *memory, const struct gsim_bench_ops *ops,
                                             const struct gsim_runner_bench *bench, struct gsim_error *error)
{
    const struct gsim_program *p = memory->program;
    cudaError_t result = cudaSuccess;
    for (uint32_t d = 0; d < gpus_of(memory) && result == cudaSuccess; d++) result = synchronize(d);
    if (memory->mode == GSIM_MEMORY_MANAGED) return cuda_status(result, "cudaDeviceSynchronize", 0, error);
    for (uint32_t i = 0; i < p->buffer_count && result == cudaSuccess; i++)
        if (ops->is_result(bench, i) && !is_read_back(p, i))
            result = cudaMemcpy(memory->host[i], memory->devices[memory->written_on[i]][i], p->buffers[i].bytes,
                                cudaMemcpyDeviceToHost);
    return cuda_status(result, "copy of the results", 0, error);
}

void gsim_runner_memory_unbind(struct gsim_runner_memory *memory)
{
    if (memory->program && memory->pristine)
        for (uint32_t i = 0; i < memory->program->buffer_count; i++) free(memory->pristine[i]);
    gsim_arena_release(&memory->arena);
    memory->arena = (struct gsim_arena){0};
    memory->program = NULL;
    memory->device = memory->host = memory->pristine = NULL;
}

void gsim_runner_memory_release(struct gsim_runner_memory *memory)
{
    gsim_runner_memory_unbind(memory);
    free_host(memory);
    free_device(memory);
}
