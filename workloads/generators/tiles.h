/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: workloads (helper). What the generators of tile tasks share: llm-decode, moe-decode, pod. */
#pragma once

#include "gpusim/generator.h"
#include "gpusim/random.h"

/* A program by FILL, which adds its ops with numbers drawn from SEED. */
typedef void gsim_tiles_fill(const void *params, struct gsim_builder *builder, const struct gsim_random *numbers);
enum gsim_status gsim_tiles_build(const char *name, const void *params, gsim_tiles_fill *fill, uint64_t seed,
                                  struct gsim_program *program, struct gsim_error *error);

/* An op of TILES blocks of 512 threads behind the COUNT ops AFTER, which alone takes US: BYTES of DRAM traffic and
 * FLOPS in all. Returns its index. */
struct gsim_tiles {
    const char *name;
    uint32_t tiles;
    double us, bytes, flops, prologue, trigger, spread; /* SPREAD of its times from op to op, relative */
    bool programmatic;
};
uint32_t gsim_tiles_add(struct gsim_builder *builder, const struct gsim_random *numbers, const struct gsim_tiles *tiles,
                        const uint32_t *after, uint32_t count);
