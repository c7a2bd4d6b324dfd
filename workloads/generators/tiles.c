/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See workloads/generators/tiles.h. */
#include "workloads/generators/tiles.h"

#include <math.h>

enum gsim_status gsim_tiles_build(const char *name, const void *params, gsim_tiles_fill *fill, uint64_t seed,
                                  struct gsim_program *program, struct gsim_error *error)
{
    struct gsim_random numbers = {0};
    enum gsim_status status = gsim_random_init(&numbers, seed, error);
    if (status) return status;
    struct gsim_builder *builder = gsim_builder_create(name);
    if (builder) {
        fill(params, builder, &numbers);
        status = gsim_builder_finish(builder, 1, program, error);
    } else {
        status = gsim_no_memory(error);
    }
    gsim_random_release(&numbers);
    return status;
}

uint32_t gsim_tiles_add(struct gsim_builder *builder, const struct gsim_random *numbers, const struct gsim_tiles *tiles,
                        const uint32_t *after, uint32_t count)
{
    double scale = gsim_random_scale(numbers, tiles->spread);
    const struct gsim_kernel kernel = {.name = tiles->name,
                                       .grid = {tiles->tiles, 1, 1},
                                       .block = {512, 1, 1},
                                       .regs_per_thread = 64,
                                       .smem_bytes = 65536,
                                       .flops = floor(tiles->flops * scale),
                                       .dram_bytes = floor(tiles->bytes * scale),
                                       .solo_us = tiles->us * scale,
                                       .solo_cold = true,
                                       .demand_given = true,
                                       .prologue = tiles->prologue,
                                       .trigger = tiles->trigger};
    return gsim_builder_op(builder, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                                      .kernel_index = gsim_builder_kernel(builder, &kernel),
                                                      .after = after,
                                                      .after_count = count,
                                                      .stream = 0,
                                                      .programmatic = tiles->programmatic && count == 1});
}
