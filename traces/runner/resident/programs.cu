/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See programs.h. solo_us becomes cycles by the SM's clock as it is measured when the program is loaded. */
#include "traces/runner/resident/programs.h"

#include <cuda_runtime.h>

#include "traces/runner/blocks.h"

#define GSIM_PROGRAMS_GPUS 16

struct spin_args {
    uint64_t cycles;
    uint32_t *ended; /* blocks */
};

struct programs {
    const struct gsim_program *program;
    uint64_t *cycles; /* by kernel */
    uint32_t *ended[GSIM_PROGRAMS_GPUS]; /* by GPU and op, on the GPU; NULL until the first kernel there */
    uint32_t smem_bytes; /* the most of any kernel */
};

static __device__ __forceinline__ bool is_first(void) { return threadIdx.x + threadIdx.y + threadIdx.z == 0; }

static __device__ __forceinline__ void spin_block(const struct spin_args &a)
{
    for (const long long began = clock64(); (uint64_t)(clock64() - began) < a.cycles;) continue;
    if (is_first()) atomicAdd(a.ended, 1u);
}

static __global__ void __launch_bounds__(1024) spin(const struct spin_args a) { spin_block(a); }

static __global__ void __launch_bounds__(1024) spin_stamped(const struct spin_args a, struct gsim_block_stamp *stamps)
{
    struct gsim_block_stamp *stamp =
        &stamps[blockIdx.x + (uint64_t)gridDim.x * (blockIdx.y + (uint64_t)gridDim.y * blockIdx.z)];
    uint64_t now;
    uint32_t sm;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (is_first()) stamp->start_ns = now;
    if (is_first()) stamp->sm = sm;
    spin_block(a);
    __syncthreads();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    if (is_first()) stamp->end_ns = now;
}

/* Cycles of the SM's clock in ten milliseconds, behind as many that raise it. */
static __global__ void count_cycles(uint64_t *out)
{
    for (int i = 0; i < 2; i++) {
        uint64_t first, now;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(first));
        const long long began = clock64();
        do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        while (now - first < 10000000);
        out[0] = (uint64_t)(clock64() - began);
        out[1] = now - first;
    }
}

static cudaError_t measure_mhz(double *mhz)
{
    uint64_t *device, host[2] = {0, 1};
    cudaError_t result = cudaMalloc((void **)&device, sizeof(host));
    if (result != cudaSuccess) return result;
    count_cycles<<<1, 1>>>(device);
    result = cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
    cudaFree(device);
    *mhz = 1e3 * (double)host[0] / (double)host[1];
    return result;
}

/* How many rounds the kernel's blocks take on an empty device. */
static cudaError_t waves_of(const struct gsim_kernel *k, uint64_t *waves)
{
    int device = 0, sms = 1, each = 1;
    const uint64_t blocks = (uint64_t)k->grid.x * k->grid.y * k->grid.z;
    cudaError_t result = cudaGetDevice(&device);
    if (result == cudaSuccess) result = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (result == cudaSuccess)
        result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, spin, (int)(k->block.x * k->block.y * k->block.z),
                                                               k->smem_bytes);
    const uint64_t room = (uint64_t)sms * (each > 0 ? each : 1);
    *waves = (blocks + room - 1) / room;
    return result;
}

static enum gsim_status find_cycles(struct programs *p, struct gsim_error *error)
{
    double mhz = 0;
    cudaError_t result = measure_mhz(&mhz);
    for (uint32_t i = 0; i < p->program->kernel_count && result == cudaSuccess; i++) {
        const struct gsim_kernel *k = &p->program->kernels[i];
        uint64_t waves = 1;
        if (k->solo_us <= 0 && k->thread_cycles <= 0)
            return (enum gsim_status)gsim_error_set(
                error, GSIM_INPUT, "kernel '%.60s': expected solo_us or thread_cycles, for which its blocks can spin",
                k->name);
        if (k->solo_us > 0) result = waves_of(k, &waves);
        p->cycles[i] = (uint64_t)(k->solo_us > 0 ? k->solo_us * mhz / (double)waves : k->thread_cycles);
    }
    if (result == cudaSuccess) return GSIM_OK;
    return (enum gsim_status)gsim_error_set(error, GSIM_SIM, "a program's kernels: %s", cudaGetErrorString(result));
}

/* On GPU DEVICE, which is current. */
static cudaError_t allocate(struct programs *p, int device)
{
    const size_t bytes = sizeof(uint32_t) * (p->program->op_count + 1u);
    cudaError_t result =
        cudaFuncSetAttribute((const void *)spin, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)p->smem_bytes);
    if (result == cudaSuccess)
        result = cudaFuncSetAttribute((const void *)spin_stamped, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)p->smem_bytes);
    if (result == cudaSuccess) result = cudaMalloc((void **)&p->ended[device], bytes);
    return result == cudaSuccess ? cudaMemset(p->ended[device], 0, bytes) : result;
}

static void destroy(struct gsim_runner_bench *bench)
{
    struct programs *p = (struct programs *)bench;
    if (!p) return;
    for (int d = 0; d < GSIM_PROGRAMS_GPUS; d++) cudaFree(p->ended[d]);
    gsim_free(p->cycles);
    gsim_free(p);
}

static enum gsim_status create(const struct gsim_program *program, const struct gsim_workload_options *options,
                               uint64_t seed, struct gsim_runner_bench **bench, struct gsim_error *error)
{
    (void)options;
    (void)seed;
    struct programs *p = (struct programs *)gsim_alloc(sizeof(*p));
    *bench = NULL;
    *p = {};
    p->program = program;
    p->cycles = (uint64_t *)gsim_alloc(sizeof(*p->cycles) * (program->kernel_count + 1u));
    enum gsim_status status = GSIM_OK;
    for (uint32_t i = 0; i < program->kernel_count; i++)
        if (program->kernels[i].smem_bytes > p->smem_bytes) p->smem_bytes = program->kernels[i].smem_bytes;
    cudaError_t result = allocate(p, 0);
    if (result != cudaSuccess)
        status =
            (enum gsim_status)gsim_error_set(error, GSIM_SIM, "a program's kernels: %s", cudaGetErrorString(result));
    if (status == GSIM_OK) status = find_cycles(p, error);
    *bench = (struct gsim_runner_bench *)p;
    if (status == GSIM_OK) return status;
    destroy(*bench);
    *bench = NULL;
    return status;
}

static void fill(const struct gsim_runner_bench *bench, uint32_t buffer_index, void *host)
{
    memset(host, GSIM_BENCH_POISON, ((const struct programs *)bench)->program->buffers[buffer_index].bytes);
}

static void launch(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *const *device,
                   struct gsim_runner_launch *l)
{
    struct programs *p = (struct programs *)bench;
    const struct gsim_kernel *k = &p->program->kernels[op->kernel_index];
    struct spin_args *args = (struct spin_args *)l->storage;
    int current = 0;
    (void)device;
    cudaGetDevice(&current);
    if (!p->ended[current]) allocate(p, current); /* a failure is the launch's too */
    *args = {p->cycles[op->kernel_index], p->ended[current] + op->index};
    l->function = (const void *)spin;
    l->stamped = (const void *)spin_stamped;
    l->grid[0] = k->grid.x, l->grid[1] = k->grid.y, l->grid[2] = k->grid.z;
    l->block[0] = k->block.x, l->block[1] = k->block.y, l->block[2] = k->block.z;
    l->smem_bytes = k->smem_bytes;
    l->args[0] = l->storage;
}

static bool is_result(const struct gsim_runner_bench *bench, uint32_t buffer_index)
{
    (void)bench;
    (void)buffer_index;
    return false;
}

/* Every kernel has had all its blocks equally often; tasks of resident kernels are checked elsewhere. */
static enum gsim_status check(struct gsim_runner_bench *bench, void *const *host, struct gsim_error *error)
{
    const struct programs *p = (const struct programs *)bench;
    const struct gsim_program *program = p->program;
    uint32_t *ended = (uint32_t *)gsim_alloc(2 * sizeof(*ended) * (program->op_count + 1u)),
             *here = ended + program->op_count;
    int64_t rounds = -1;
    enum gsim_status status = GSIM_OK;
    (void)host;
    cudaError_t result = cudaSuccess;
    for (int d = 0; d < GSIM_PROGRAMS_GPUS && result == cudaSuccess; d++) {
        if (!p->ended[d]) continue;
        result = cudaMemcpy(here, p->ended[d], sizeof(*ended) * program->op_count, cudaMemcpyDeviceToHost);
        for (uint32_t i = 0; i < program->op_count; i++) ended[i] += here[i];
    }
    if (result != cudaSuccess)
        status = (enum gsim_status)gsim_error_set(error, GSIM_SIM, "cudaMemcpy: %s", cudaGetErrorString(result));
    for (uint32_t i = 0; i < program->op_count && status == GSIM_OK; i++) {
        if (program->ops[i].kind != GSIM_OP_KERNEL) continue;
        const struct gsim_kernel *k = &program->kernels[program->ops[i].kernel_index];
        const uint64_t blocks = (uint64_t)k->grid.x * k->grid.y * k->grid.z;
        if (rounds < 0) rounds = (int64_t)(ended[i] / blocks);
        if (ended[i] != blocks * (uint64_t)rounds)
            status =
                (enum gsim_status)gsim_error_set(error, GSIM_SIM, "ops[%u]: %u blocks ended, expected %lld times %llu",
                                                 i, ended[i], (long long)rounds, (unsigned long long)blocks);
    }
    gsim_free(ended);
    return status;
}

static uint64_t cycles_of(const struct gsim_runner_bench *bench, const struct gsim_op *op)
{
    return ((const struct programs *)bench)->cycles[op->kernel_index];
}

extern "C" const struct gsim_bench_ops gsim_bench_programs;
const struct gsim_bench_ops gsim_bench_programs = {
    "program file", "each kernel's blocks ended equally often", create, fill, launch, is_result, check, destroy,
    cycles_of};
