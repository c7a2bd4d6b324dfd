/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See blocks.h. The GPU's clock is set to the host's by an exchange of numbers through mapped memory: the host writes
 * one, a thread on the GPU answers with its time. Half of an exchange bounds the error (H200: 2.9 us, so 1.5).
 */
#include "traces/runner/kernels/bench.h"

#include <cuda_runtime.h>

#include "traces/runner/blocks.h"

extern "C" {
int64_t gsim_runner_now_ns(void);
#include "traces/runner/sorted.h"
}

#define EXCHANGES 64

/* Shared by host and device, the question and the answer on cache lines of their own. */
struct mailbox {
    volatile uint64_t question;
    uint64_t unused[15];
    volatile uint64_t answer;
    volatile uint64_t time_ns;
};

struct gsim_blocks {
    const struct gsim_program *program;
    uint64_t *first; /* block, by op of the program; op_count + 1 of them */
    struct gsim_block_stamp *device, *host;
    struct mailbox *mailbox;
};

static __global__ void answer(struct mailbox *mailbox)
{
    for (uint64_t i = 1; i <= EXCHANGES; i++) {
        uint64_t now;
        while (mailbox->question < i) continue;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        mailbox->time_ns = now;
        __threadfence_system();
        mailbox->answer = i;
    }
}

/* The host's clock minus the GPU's: the median over the exchanges, since the fastest may have met a step of the host's
 * clock. */
static cudaError_t clock_difference(struct mailbox *mailbox, int64_t *difference)
{
    double further[EXCHANGES]; /* than the first */
    mailbox->question = mailbox->answer = 0;
    answer<<<1, 1>>>(mailbox);
    cudaError_t result = cudaGetLastError();
    for (uint64_t i = 1; result == cudaSuccess && i <= EXCHANGES; i++) {
        int64_t asked = gsim_runner_now_ns(), answered;
        mailbox->question = i;
        do answered = gsim_runner_now_ns();
        while (mailbox->answer < i && answered - asked < 1000000000);
        if (mailbox->answer < i) return cudaErrorLaunchTimeout;
        int64_t now = asked + (answered - asked) / 2 - (int64_t)mailbox->time_ns;
        if (i == 1) *difference = now;
        further[i - 1] = (double)(now - *difference);
    }
    if (result != cudaSuccess) return result;
    gsim_runner_sort(further, EXCHANGES);
    *difference += (int64_t)further[EXCHANGES / 2];
    return cudaDeviceSynchronize();
}

static uint64_t blocks_of(const struct gsim_program *program, const struct gsim_op *op)
{
    if (op->kind != GSIM_OP_KERNEL) return 0;
    const struct gsim_kernel *kernel = &program->kernels[op->kernel_index];
    return (uint64_t)kernel->grid.x * kernel->grid.y * kernel->grid.z;
}

int gsim_blocks_open(struct gsim_blocks **blocks, const struct gsim_program *program, struct gsim_error *error)
{
    struct gsim_blocks *b = (struct gsim_blocks *)gsim_alloc(sizeof(*b));
    *blocks = b;
    *b = {};
    b->first = (uint64_t *)gsim_alloc(sizeof(*b->first) * (program->op_count + 1u));
    b->program = program;
    uint64_t total = 0;
    for (uint32_t i = 0; i < program->op_count; i++) {
        b->first[i] = total;
        total += blocks_of(program, &program->ops[i]);
    }
    b->first[program->op_count] = total;
    const size_t bytes = sizeof(*b->device) * (total + 1);
    cudaError_t result = cudaMalloc((void **)&b->device, bytes);
    if (result == cudaSuccess) result = cudaHostAlloc((void **)&b->host, bytes, cudaHostAllocDefault);
    if (result == cudaSuccess) result = cudaHostAlloc((void **)&b->mailbox, sizeof(*b->mailbox), cudaHostAllocMapped);
    if (result == cudaSuccess) return GSIM_OK;
    return gsim_error_set(error, GSIM_SIM, "stamps of %llu blocks: %s", (unsigned long long)total,
                          cudaGetErrorString(result));
}

void gsim_blocks_close(struct gsim_blocks *blocks)
{
    if (!blocks) return;
    cudaFree(blocks->device);
    cudaFreeHost(blocks->host);
    cudaFreeHost(blocks->mailbox);
    gsim_free(blocks->first);
    gsim_free(blocks);
}

struct gsim_block_stamp *gsim_blocks_of(struct gsim_blocks *blocks, const struct gsim_op *op)
{
    return blocks->device + blocks->first[op->index];
}

int gsim_blocks_clear(struct gsim_blocks *blocks)
{
    const size_t bytes = sizeof(*blocks->device) * blocks->first[blocks->program->op_count];
    cudaError_t result = cudaMemset(blocks->device, 0, bytes);
    return result == cudaSuccess ? cudaDeviceSynchronize() : result;
}

int gsim_blocks_clock(int64_t *difference)
{
    struct mailbox *mailbox = NULL;
    cudaError_t result = cudaHostAlloc((void **)&mailbox, sizeof(*mailbox), cudaHostAllocMapped);
    if (result == cudaSuccess) result = clock_difference(mailbox, difference);
    cudaFreeHost(mailbox);
    return result;
}

int gsim_blocks_read(struct gsim_blocks *blocks)
{
    const uint64_t total = blocks->first[blocks->program->op_count];
    int64_t difference = 0;
    cudaError_t result =
        cudaMemcpy(blocks->host, blocks->device, sizeof(*blocks->host) * total, cudaMemcpyDeviceToHost);
    if (result == cudaSuccess) result = clock_difference(blocks->mailbox, &difference);
    for (uint64_t i = 0; result == cudaSuccess && i < total; i++) {
        if (!blocks->host[i].end_ns) continue;
        blocks->host[i].start_ns += (uint64_t)difference;
        blocks->host[i].end_ns += (uint64_t)difference;
    }
    return result;
}

const struct gsim_block_stamp *gsim_blocks_ran(const struct gsim_blocks *blocks, uint32_t op, size_t *count)
{
    const struct gsim_block_stamp *stamps = blocks->host + blocks->first[op];
    *count = (size_t)(blocks->first[op + 1] - blocks->first[op]);
    if (*count && !stamps[0].end_ns) *count = 0;
    return stamps;
}
