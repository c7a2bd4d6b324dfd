/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. The table of SM limits and the occupancy of one kernel alone. Which SM a block goes to, and
 * how different kernels share one, is the work distributor's business.
 * Sources: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; the Volta, Turing,
 * Ampere and Hopper tuning guides (carve-outs, reserved shared memory); NVIDIA cuda_occupancy.h.
 */
#include "sim/device/occupancy.h"

#include <stdio.h>

#define KIB(n)               ((n)*1024u)
#define BLOCK_THREADS_MAX    1024u /* the same on all compute capabilities here */
#define REGISTERS_NOT_GIVEN  32u /* include/gpusim/program.h: regs_per_thread 0 */

#define NVIDIA .warp_threads = 32, .thread_registers = 255
/* Waves of 64; the registers are the vector ones, 512 per lane of each of four SIMDs (AMD Instinct MI200 and MI300 ISA: 4.3). */
#define CDNA .warp_threads = 64, .thread_registers = 512

/* clang-format off */
static const struct gsim_sm_limits table[] = {
    {.compute_capability = 52, NVIDIA, .threads = 2048, .warps = 64, .blocks = 32, .registers = 65536,
     .registers_per_block = 65536, .register_unit = 256, .subpartitions = 4, .smem_bytes = KIB(96),
     .smem_block_bytes = KIB(48), .smem_unit = 256, .carveout_bytes = {KIB(96)}},
    {.compute_capability = 60, NVIDIA, .threads = 2048, .warps = 64, .blocks = 32, .registers = 65536,
     .registers_per_block = 65536, .register_unit = 256, .subpartitions = 2, .smem_bytes = KIB(64),
     .smem_block_bytes = KIB(48), .smem_unit = 256, .carveout_bytes = {KIB(64)}},
    {.compute_capability = 61, NVIDIA, .threads = 2048, .warps = 64, .blocks = 32, .registers = 65536,
     .registers_per_block = 65536, .register_unit = 256, .subpartitions = 4, .smem_bytes = KIB(96),
     .smem_block_bytes = KIB(48), .smem_unit = 256, .carveout_bytes = {KIB(96)}},
    {.compute_capability = 70, NVIDIA, .threads = 2048, .warps = 64, .blocks = 32, .registers = 65536,
     .registers_per_block = 65536, .register_unit = 256, .subpartitions = 4, .smem_bytes = KIB(96),
     .smem_block_bytes = KIB(96), .smem_unit = 256,
     .carveout_bytes = {0, KIB(8), KIB(16), KIB(32), KIB(64), KIB(96)}},
    {.compute_capability = 75, NVIDIA, .threads = 1024, .warps = 32, .blocks = 16, .registers = 65536,
     .registers_per_block = 65536, .register_unit = 256, .subpartitions = 4, .smem_bytes = KIB(64),
     .smem_block_bytes = KIB(64), .smem_unit = 256, .carveout_bytes = {KIB(32), KIB(64)}},
    {.compute_capability = 80, NVIDIA, .threads = 2048, .warps = 64, .blocks = 32, .registers = 65536,
     .registers_per_block = 65536, .register_unit = 256, .subpartitions = 4, .smem_bytes = KIB(164),
     .smem_block_bytes = KIB(163), .smem_unit = 128, .smem_reserved_bytes = KIB(1),
     .carveout_bytes = {0, KIB(8), KIB(16), KIB(32), KIB(64), KIB(100), KIB(132), KIB(164)}},
    {.compute_capability = 86, NVIDIA, .threads = 1536, .warps = 48, .blocks = 16, .registers = 65536,
     .registers_per_block = 65536, .register_unit = 256, .subpartitions = 4, .smem_bytes = KIB(100),
     .smem_block_bytes = KIB(99), .smem_unit = 128, .smem_reserved_bytes = KIB(1),
     .carveout_bytes = {0, KIB(8), KIB(16), KIB(32), KIB(64), KIB(100)}},
    {.compute_capability = 87, NVIDIA, .threads = 1536, .warps = 48, .blocks = 16, .registers = 65536,
     .registers_per_block = 65536, .register_unit = 256, .subpartitions = 4, .smem_bytes = KIB(164),
     .smem_block_bytes = KIB(163), .smem_unit = 128, .smem_reserved_bytes = KIB(1),
     .carveout_bytes = {0, KIB(8), KIB(16), KIB(32), KIB(64), KIB(100), KIB(132), KIB(164)}},
    {.compute_capability = 89, NVIDIA, .threads = 1536, .warps = 48, .blocks = 24, .registers = 65536,
     .registers_per_block = 65536, .register_unit = 256, .subpartitions = 4, .smem_bytes = KIB(100),
     .smem_block_bytes = KIB(99), .smem_unit = 128, .smem_reserved_bytes = KIB(1),
     .carveout_bytes = {0, KIB(8), KIB(16), KIB(32), KIB(64), KIB(100)}},
    {.compute_capability = 90, NVIDIA, .threads = 2048, .warps = 64, .blocks = 32, .registers = 65536,
     .registers_per_block = 65536, .register_unit = 256, .subpartitions = 4, .smem_bytes = KIB(228),
     .smem_block_bytes = KIB(227), .smem_unit = 128, .smem_reserved_bytes = KIB(1),
     .carveout_bytes = {0, KIB(8), KIB(16), KIB(32), KIB(64), KIB(100), KIB(132), KIB(164), KIB(196), KIB(228)}},
    {.compute_capability = 100, NVIDIA, .threads = 2048, .warps = 64, .blocks = 32, .registers = 65536,
     .registers_per_block = 65536, .register_unit = 256, .subpartitions = 4, .smem_bytes = KIB(228),
     .smem_block_bytes = KIB(227), .smem_unit = 128, .smem_reserved_bytes = KIB(1),
     .carveout_bytes = {0, KIB(8), KIB(16), KIB(32), KIB(64), KIB(100), KIB(132), KIB(164), KIB(196), KIB(228)}},
    {.compute_capability = 103, NVIDIA, .threads = 2048, .warps = 64, .blocks = 32, .registers = 65536,
     .registers_per_block = 65536, .register_unit = 256, .subpartitions = 4, .smem_bytes = KIB(228),
     .smem_block_bytes = KIB(227), .smem_unit = 128, .smem_reserved_bytes = KIB(1),
     .carveout_bytes = {0, KIB(8), KIB(16), KIB(32), KIB(64), KIB(100), KIB(132), KIB(164), KIB(196), KIB(228)}},
    {.compute_capability = 120, NVIDIA, .threads = 1536, .warps = 48, .blocks = 24, .registers = 65536,
     .registers_per_block = 65536, .register_unit = 256, .subpartitions = 4, .smem_bytes = KIB(100),
     .smem_block_bytes = KIB(99), .smem_unit = 128, .smem_reserved_bytes = KIB(1),
     .carveout_bytes = {0, KIB(8), KIB(16), KIB(32), KIB(64), KIB(100)}},
    {.compute_capability = 121, NVIDIA, .threads = 1536, .warps = 48, .blocks = 24, .registers = 65536,
     .registers_per_block = 65536, .register_unit = 256, .subpartitions = 4, .smem_bytes = KIB(100),
     .smem_block_bytes = KIB(99), .smem_unit = 128, .smem_reserved_bytes = KIB(1),
     .carveout_bytes = {0, KIB(8), KIB(16), KIB(32), KIB(64), KIB(100)}},
    {.compute_capability = GSIM_GFX(0x90a), CDNA, .threads = 2048, .warps = 32, .blocks = 32, .registers = 131072,
     .registers_per_block = 131072, .register_unit = 512, .subpartitions = 4, .smem_bytes = KIB(64),
     .smem_block_bytes = KIB(64), .smem_unit = 512, .carveout_bytes = {KIB(64)}},
    {.compute_capability = GSIM_GFX(0x942), CDNA, .threads = 2048, .warps = 32, .blocks = 32, .registers = 131072,
     .registers_per_block = 131072, .register_unit = 512, .subpartitions = 4, .smem_bytes = KIB(64),
     .smem_block_bytes = KIB(64), .smem_unit = 512, .carveout_bytes = {KIB(64)}},
};
/* clang-format on */

const struct gsim_sm_limits *gsim_sm_limits(int compute_capability)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].compute_capability == compute_capability) return &table[i];
    return NULL;
}

int gsim_capability_next(int known)
{
    int next = 0;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].compute_capability > known && (!next || table[i].compute_capability < next))
            next = table[i].compute_capability;
    return next;
}

const char *gsim_capability_text(int compute_capability, char text[GSIM_CAPABILITY_TEXT])
{
    if (gsim_capability_is_gfx(compute_capability))
        snprintf(text, GSIM_CAPABILITY_TEXT, "gfx%x", (unsigned)(compute_capability - GSIM_GFX(0)));
    else
        snprintf(text, GSIM_CAPABILITY_TEXT, "%d.%d", compute_capability / 10, compute_capability % 10);
    return text;
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* What a block asks for, before the limits. */
struct request {
    uint64_t threads, warps, registers_per_thread, registers_per_warp, registers_per_block;
};

static struct request request_of(const struct gsim_sm_limits *limits, const struct gsim_kernel *kernel)
{
    struct request want = {.threads = (uint64_t)kernel->block.x * kernel->block.y};
    /* Saturates instead of wrapping: three full 32-bit numbers do not fit 64 bits. */
    if (kernel->block.z && want.threads > UINT64_MAX / kernel->block.z / 2)
        want.threads = UINT64_MAX / 2;
    else
        want.threads *= kernel->block.z;
    want.warps = round_up(want.threads, limits->warp_threads) / limits->warp_threads;
    want.registers_per_thread = kernel->regs_per_thread ? kernel->regs_per_thread : REGISTERS_NOT_GIVEN;
    want.registers_per_warp = round_up(want.registers_per_thread * limits->warp_threads, limits->register_unit);
    return want;
}

/* Limits of one block alone, whatever else runs. Fills in the registers of the block. */
static enum gsim_status check_block(const struct gsim_sm_limits *limits, const struct gsim_kernel *kernel,
                                    struct request *want, struct gsim_error *error)
{
    char capability[GSIM_CAPABILITY_TEXT];
    gsim_capability_text(limits->compute_capability, capability);
    const char *name = kernel->name ? kernel->name : "?";
    if (want->threads < 1)
        return gsim_error_set(error, GSIM_INPUT, "kernel '%s': block of 0 threads: expected 1 to %u", name,
                              BLOCK_THREADS_MAX);
    if (want->threads > BLOCK_THREADS_MAX)
        return gsim_error_set(error, GSIM_INPUT,
                              "kernel '%s': block of %llu threads: at most %u on compute capability %s", name,
                              (unsigned long long)want->threads, BLOCK_THREADS_MAX, capability);
    if (want->registers_per_thread > limits->thread_registers)
        return gsim_error_set(error, GSIM_INPUT,
                              "kernel '%s': %llu registers per thread: at most %u on compute capability %s", name,
                              (unsigned long long)want->registers_per_thread, limits->thread_registers, capability);
    want->registers_per_block = want->registers_per_warp * round_up(want->warps, limits->subpartitions);
    if (want->registers_per_block > limits->registers_per_block)
        return gsim_error_set(error, GSIM_INPUT,
                              "kernel '%s': block of %llu threads with %llu registers each takes %llu registers: at "
                              "most %u on compute capability %s",
                              name, (unsigned long long)want->threads, (unsigned long long)want->registers_per_thread,
                              (unsigned long long)want->registers_per_block, limits->registers_per_block, capability);
    if (kernel->smem_bytes > limits->smem_block_bytes)
        return gsim_error_set(
            error, GSIM_INPUT,
            "kernel '%s': %u bytes of shared memory per block: at most %u on compute capability %s", name,
            kernel->smem_bytes, limits->smem_block_bytes, capability);
    return GSIM_OK;
}

/* Keeps the lower of the bound so far and COUNT; on a tie the first named limiter stays. */
static void bound(struct gsim_block_need *need, uint64_t count, const char *limiter)
{
    if (need->limiter && count >= need->blocks_per_sm) return;
    need->blocks_per_sm = (uint32_t)count;
    need->limiter = limiter;
}

enum gsim_status gsim_block_need(const struct gsim_sm_limits *limits, const struct gsim_kernel *kernel,
                                 struct gsim_block_need *need, struct gsim_error *error)
{
    struct request want = request_of(limits, kernel);
    enum gsim_status status = check_block(limits, kernel, &want, error);
    if (status != GSIM_OK) return status;

    struct gsim_block_need result = {.warps = (uint32_t)want.warps};
    /* Each sub-partition holds whole warps; a block's warps spread over all of them. */
    uint64_t per_subpartition = limits->registers / limits->subpartitions / want.registers_per_warp;
    result.register_warps = (uint32_t)(per_subpartition * limits->subpartitions);
    result.smem_bytes = (uint32_t)round_up(kernel->smem_bytes + limits->smem_reserved_bytes, limits->smem_unit);

    bound(&result, limits->warps / result.warps, "threads");
    bound(&result, result.register_warps / result.warps, "registers");
    if (result.smem_bytes) bound(&result, limits->smem_bytes / result.smem_bytes, "shared memory");
    bound(&result, limits->blocks, "blocks");
    *need = result;
    return GSIM_OK;
}
