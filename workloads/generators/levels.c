/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * levels: levels of equal kernels, each behind drawn ones of the level before. For what papers measure on made-up
 * graphs: chains, wide graphs of short tasks, requests of so many kernels.
 */
#include <math.h>

#include "gpusim/generator.h"
#include "gpusim/random.h"

#define MAX_BEHIND 16

struct levels_params {
    int64_t levels, width, behind, tiles, threads, regs, smem_bytes;
    double us, spread, clock_mhz, bytes, prologue, trigger, host_us;
    int limit;
    bool programmatic;
};

enum limit { LATENCY, ALONE, MEMORY };

/* Of op I the ops of the level before that it waits for. */
static uint32_t draw_behind(const struct levels_params *p, const struct gsim_random *numbers, uint32_t i,
                            uint32_t after[MAX_BEHIND])
{
    uint32_t width = (uint32_t)p->width, before = i / width ? i / width * width - width : 0, count = 0, at = 0;
    for (int64_t k = 0; k < p->behind && k < p->width; k++) {
        if (width > 1) at = k ? (at + 1 + gsim_random_integer(numbers, width - 1)) % width
                              : gsim_random_integer(numbers, width);
        uint32_t seen = 0;
        while (seen < count && after[seen] != before + at) seen++;
        if (seen == count) after[count++] = before + at;
    }
    return i < width ? 0 : count;
}

static enum gsim_status build(const void *params, uint64_t seed, struct gsim_program *program, struct gsim_error *error)
{
    const struct levels_params *p = params;
    struct gsim_random numbers = {0};
    enum gsim_status status = gsim_random_init(&numbers, seed, error);
    struct gsim_builder *b = status == GSIM_OK ? gsim_builder_create("levels") : NULL;
    if (status != GSIM_OK) return status;
    for (uint32_t i = 0; b && i < p->levels * p->width; i++) {
        double us = fmax(0.2, p->us * gsim_random_scale(&numbers, p->spread));
        struct gsim_kernel kernel = {.name = "task",
                                     .grid = {(uint32_t)p->tiles, 1, 1},
                                     .block = {(uint32_t)p->threads, 1, 1},
                                     .regs_per_thread = (uint32_t)p->regs,
                                     .smem_bytes = (uint32_t)p->smem_bytes,
                                     .prologue = p->prologue,
                                     .trigger = p->trigger};
        kernel.demand_given = p->limit != ALONE;
        kernel.solo_cold = p->limit == MEMORY;
        if (p->limit == LATENCY) kernel.thread_cycles = floor(us * p->clock_mhz);
        else kernel.solo_us = us;
        if (p->limit == MEMORY) kernel.dram_bytes = kernel.flops = p->bytes;
        uint32_t after[MAX_BEHIND], count = draw_behind(p, &numbers, i, after);
        uint32_t op = gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                                           .kernel_index = gsim_builder_kernel(b, &kernel),
                                                           .after = after,
                                                           .after_count = count,
                                                           .stream = p->width > 1 ? -1 : 0,
                                                           .programmatic = p->programmatic && i >= p->width});
        if (p->host_us > 0)
            gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_HOST_COMPUTE, .host_us = p->host_us, .after = &op,
                                                 .after_count = 1, .stream = -1});
    }
    gsim_random_release(&numbers);
    return b ? gsim_builder_finish(b, 1, program, error) : gsim_no_memory(error);
}

#define PARAMS struct levels_params
const struct gsim_generator_ops gsim_generator_levels = {
    GSIM_HEAD(generator),
    .name = "levels",
    .summary = "levels of equal kernels, each behind drawn ones of the level before",
    .help = "A chain with width=1, independent kernels with behind=0. All numbers are yours; none is of a paper.",
    GSIM_PARAMS(struct levels_params,
        GSIM_INT(PARAMS, levels, 20, 1, 10000, "", "of the graph"),
        GSIM_INT(PARAMS, width, 16, 1, 10000, "", "kernels of a level; 1: a chain in one stream"),
        GSIM_INT(PARAMS, behind, 2, 0, MAX_BEHIND, "", "kernels of the level before that a kernel waits for; 0: none"),
        GSIM_INT(PARAMS, tiles, 1, 1, 1000000, "", "blocks of a kernel"),
        GSIM_INT(PARAMS, threads, 256, 1, 1024, "", "of a block"),
        GSIM_INT(PARAMS, regs, 64, 1, 255, "", "registers of a thread"),
        GSIM_INT(PARAMS, smem_bytes, 0, 0, 1000000, "bytes", "shared memory of a block"),
        GSIM_REAL(PARAMS, us, 10, 0.2, 1e7, "us", "of a kernel: mean"),
        GSIM_REAL(PARAMS, spread, 0, 0, 10, "", "standard deviation over the mean, log-normal"),
        GSIM_CHOICE(PARAMS, limit, LATENCY, 2, "latency|alone|memory",
                    "what us is of: a block's thread in cycles of clock_mhz, the kernel alone, or the kernel alone "
                    "with cold data"),
        GSIM_REAL(PARAMS, clock_mhz, 1400, 1, 10000, "MHz", "SM clock at which us holds, with limit=latency"),
        GSIM_REAL(PARAMS, bytes, 0, 0, 1e12, "bytes", "from DRAM, with limit=memory"),
        GSIM_REAL(PARAMS, prologue, 0, 0, 1, "", "share of a block's time before it reads what others wrote"),
        GSIM_REAL(PARAMS, trigger, 0, 0, 1, "", "share of a block's time after which it lets dependents launch"),
        GSIM_REAL(PARAMS, host_us, 0, 0, 1e7, "us", "host work behind each kernel's end"),
        GSIM_BOOL(PARAMS, programmatic, 0, "dependents launch early (programmatic dependent launch)")),
    .build = build,
};
