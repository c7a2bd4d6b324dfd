/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/sm. A work model: what a kernel asks for, where its work goes, how fast it goes beside others, and what
 * happens when it ends. All work is blocks of a demand on SMs (state.h); the speed of a block is in shares of its work
 * per picosecond.
 */
#pragma once

#include "gpusim/model.h"
#include "sim/sm/state.h"

#define GSIM_WHOLE_MOST 32 /* kernels as wholes that an SM counts at most */

struct gsim_work_model {
    const char *name, *summary;
    /* A kernel is one block of its own, on no SM in particular, and takes no room. Resident kernels are not
     * possible. */
    bool is_whole;
    /* The work of KERNEL on DEVICE. Errors name the kernel. */
    enum gsim_status (*describe)(struct gsim_demand *, const struct gsim_device_spec *, const struct gsim_kernel *,
                                 struct gsim_error *);
    void (*place)(struct gsim_gpu *, gsim_time now);   /* the heads of the queues, wherever they find room */
    void (*rate)(struct gsim_gpu *, uint32_t group);   /* speeds of a group's blocks, and when the first of them ends */
    bool (*share)(struct gsim_gpu *, gsim_time now);   /* what all SMs share: whether speeds of others have changed */
    void (*end)(struct gsim_gpu *, gsim_time now);     /* blocks whose work is done now */
};

#define X(name) extern const struct gsim_work_model gsim_model_##name;
#include "sim/sm/models/models.def"
#undef X

const struct gsim_work_model *gsim_model_at(uint32_t index); /* NULL: there is none */

/* --- simple.c: what the simpler models have in common ------------------------------------------------------------- */
/* The kernel alone, in picoseconds: its solo_us if that was measured on DEVICE, or anywhere with IS_ANY; else by
 * "blocks". */
enum gsim_status gsim_simple_alone(const struct gsim_device_spec *device, const struct gsim_kernel *kernel, bool is_any,
                                   double *solo_ps, struct gsim_error *error) GSIM_NODISCARD;
/* A demand of BLOCKS blocks that take BLOCK_PS each and ask for nothing; the rest of WORK stays. */
void gsim_simple_demand(struct gsim_demand *work, const struct gsim_kernel *kernel, uint64_t blocks, double block_ps,
                        double solo_ps);
/* All blocks go at the speed of one alone, divided by gpu->dram.stretch. */
void gsim_simple_rate(struct gsim_gpu *gpu, uint32_t group);
/* They do not slow each other. */
bool gsim_simple_share(struct gsim_gpu *gpu, gsim_time now);
