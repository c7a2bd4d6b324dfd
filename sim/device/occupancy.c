/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. The occupancy of one kernel alone, from the limits of an SM (models/arch). Placement of blocks, and SMs
 * with several kernels: sim/sm/distributor.c.
 */
#include "sim/device/occupancy.h"

#include <stdio.h>
#include <string.h>

#define BLOCK_THREADS_MAX   1024u /* of CUDA, on all devices */
#define REGISTERS_NOT_GIVEN 32u   /* include/gpusim/program.h: regs_per_thread 0 */

struct gsim_sm_limits gsim_sm_limits(const struct gsim_device_spec *d)
{
    struct gsim_sm_limits l = {
        .compute_capability = d->compute_capability,
        .warp_threads = gsim_whole_u32(d->warp_threads),
        .thread_registers = gsim_whole_u32(d->registers_per_thread),
        .threads = gsim_whole_u32(d->warps_per_sm * d->warp_threads),
        .warps = gsim_whole_u32(d->warps_per_sm),
        .blocks = gsim_whole_u32(d->blocks_per_sm),
        .registers = gsim_whole_u32(d->registers_per_sm),
        .registers_per_block = gsim_whole_u32(d->registers_per_block),
        .register_unit = gsim_whole_u32(d->register_unit),
        .subpartitions = gsim_whole_u32(d->subpartitions),
        .smem_block_bytes = gsim_whole_u32(d->smem_per_block_kib * 1024),
        .smem_unit = gsim_whole_u32(d->smem_unit_bytes),
        .smem_reserved_bytes = gsim_whole_u32(d->smem_reserved_bytes),
    };
    int count = 0;
    for (int i = 0; i < (int)(sizeof d->carveout_kib / sizeof d->carveout_kib[0]); i++) {
        uint32_t bytes = gsim_whole_u32(d->carveout_kib[i] * 1024);
        if (i && bytes <= l.smem_bytes) continue;
        l.carveout_bytes[count++] = l.smem_bytes = bytes;
    }
    return l;
}

int gsim_capability_parse(const char *text)
{
    char back[GSIM_CAPABILITY_TEXT];
    unsigned major, minor;
    int number = 0;
    if (sscanf(text, "gfx%5x", &major) == 1)
        number = GSIM_GFX((int)major);
    else if (sscanf(text, "%3u.%1u", &major, &minor) == 2)
        number = (int)(10 * major + minor);
    return number > 0 && strcmp(gsim_capability_text(number, back), text) == 0 ? number : 0;
}

const char *gsim_capability_text(int compute_capability, char text[GSIM_CAPABILITY_TEXT])
{
    if (gsim_capability_is_gfx(compute_capability))
        snprintf(text, GSIM_CAPABILITY_TEXT, "gfx%x", (unsigned)(compute_capability - GSIM_GFX(0)));
    else
        snprintf(text, GSIM_CAPABILITY_TEXT, "%d.%d", compute_capability / 10, compute_capability % 10);
    return text;
}

static uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

/* What a block asks for, before the limits. */
struct request {
    uint64_t threads, warps, registers_per_thread, registers_per_warp, registers_per_block;
};

static struct request request_of(const struct gsim_sm_limits *limits, const struct gsim_kernel *kernel)
{
    struct request want = {.threads = (uint64_t)kernel->block.x * kernel->block.y};
    /* Saturates instead of wrapping: three full 32-bit numbers do not fit 64 bits. */
    if (kernel->block.z && want.threads > UINT64_MAX / kernel->block.z / 2) want.threads = UINT64_MAX / 2;
    else want.threads *= kernel->block.z;
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
    char capability[GSIM_CAPABILITY_TEXT];
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
    if (!result.blocks_per_sm)
        return gsim_error_set(error, GSIM_INPUT,
                              "kernel '%s': no block of it fits an SM of compute capability %s, for its %s",
                              kernel->name ? kernel->name : "?",
                              gsim_capability_text(limits->compute_capability, capability), result.limiter);
    *need = result;
    return GSIM_OK;
}
