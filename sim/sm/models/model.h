/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/sm. A work model: five functions that say what a kernel demands, where its blocks go, how fast they go and
 * what happens when they end. All work is blocks of a demand on SMs (state.h). gpu.c calls describe() once for a
 * kernel, place() when a launch is at the head of its queue or SMs have room, rate() for each group that has changed,
 * share() behind all of these, and end() when gpu->next comes.
 */
#pragma once

#include "gpusim/model.h"
#include "sim/sm/state.h"

#define GSIM_WHOLE_MAX 32 /* kernels at once, where they are wholes */

struct gsim_work_model {
    const char *name, *summary;
    /* Each kernel is one block that takes no room, on no SM in particular. Persistent kernels are refused. */
    bool is_whole;
    /* Sets the demand of the kernel on the device. Errors name the kernel. */
    enum gsim_status (*describe)(struct gsim_demand *, const struct gsim_device_spec *, const struct gsim_kernel *,
                                 struct gsim_error *);
    void (*place)(struct gsim_gpu *, gsim_time now);   /* places blocks of the queues' heads where there is room */
    void (*rate)(struct gsim_gpu *, uint32_t group);   /* sets the speeds of a group's cohorts, and its next end */
    bool (*share)(struct gsim_gpu *, gsim_time now);   /* settles what SMs share; whether speeds may have changed */
    void (*end)(struct gsim_gpu *, gsim_time now);     /* ends blocks whose work is done */
};

#define X(name) extern const struct gsim_work_model gsim_model_##name;
#include "sim/sm/models/models.def"
#undef X

const struct gsim_work_model *gsim_model_at(uint32_t index); /* NULL: there is none */

/* --- simple.c: what the simpler models have in common ------------------------------------------------------------- */
/* Sets *SOLO_PS to the time of KERNEL alone: its solo_us if that was measured on DEVICE, or with IS_ANY anywhere; else
 * what "blocks" finds. */
enum gsim_status gsim_simple_alone(const struct gsim_device_spec *device, const struct gsim_kernel *kernel, bool is_any,
                                   double *solo_ps, struct gsim_error *error) GSIM_NODISCARD;
/* Makes WORK a demand of BLOCKS blocks that take BLOCK_PS each and ask for nothing; its other fields stay. */
void gsim_simple_demand(struct gsim_demand *work, const struct gsim_kernel *kernel, uint64_t blocks, double block_ps,
                        double solo_ps);
/* rate(): all blocks go at their speed alone divided by gpu->dram.stretch. */
void gsim_simple_rate(struct gsim_gpu *gpu, uint32_t group);
/* share(): blocks do not slow each other. */
bool gsim_simple_share(struct gsim_gpu *gpu, gsim_time now);
