/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: workloads. Programs made from parameters: --workload NAME or NAME:PARAMETER=VALUE:... . Not benchmarks: none has a published size,
 * and "all" does not mean them. One file each; generators.def lists them.
 */
#ifndef GSIM_GENERATOR_H
#define GSIM_GENERATOR_H

#include "gpusim/params.h"
#include "gpusim/program.h"
#include "gpusim/random.h"

#define GSIM_GENERATOR_PARAMS 256 /* bytes, at most, of a parameter struct */

struct gsim_generator {
    const char *name, *summary, *source;
    size_t params_size;
    const struct gsim_param *params;
    void (*build)(const void *params, struct gsim_builder *builder, const struct gsim_random *numbers);
    size_t seed; /* offset of its int64_t "seed" */
};

const struct gsim_generator *gsim_generator_at(uint32_t index); /* NULL at the end */
/* Whether TEXT is one's name, alone or before a colon. */
bool gsim_generator_is(const char *text);
/* Fails with GSIM_USAGE on a parameter that is none, or out of range. */
enum gsim_status gsim_generator_build(const char *text, struct gsim_program *program, struct gsim_error *error) GSIM_NODISCARD;

/* An op of TILES blocks of 512 threads behind the COUNT ops AFTER, which alone takes US: BYTES of DRAM traffic and FLOPS in all. Returns its
 * index. */
struct gsim_tiles {
    const char *name;
    uint32_t tiles;
    double us, bytes, flops, prologue, trigger, spread; /* SPREAD of its times from op to op, relative */
    bool programmatic;
};
uint32_t gsim_generator_add(struct gsim_builder *builder, const struct gsim_random *numbers, const struct gsim_tiles *tiles, const uint32_t *after,
                            uint32_t count);

#endif
