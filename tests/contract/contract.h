/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: tests. What must hold for every program under every scheduler, checked from the finished
 * timeline alone; the dependences are computed here by brute force, not with the schedulers' code.
 */
#pragma once

#include "sim/device/device.h"
#include "gpusim/simulate.h"

/* One program on one device under one scheduler. */
struct contract {
    const char *label; /* names the case in messages */
    const struct gsim_program *program;
    const struct gsim_device_spec *device;
    const struct gsim_scheduler_ops *scheduler;
    enum gsim_memory_mode memory;
    bool prefetch;
    uint32_t iterations;
    const double *least_us; /* of every kernel of the program: contract_least_us() */
    uint32_t gpu_count;    /* 0: 1 */
    bool as_source;        /* the program is drawn while it runs, once (gsim_source_of_program) */
    bool by_streams;       /* the order within the author's streams holds too (async) */
};

/* Runs the case three times (twice watched, once not) and checks: every op once per iteration, dependences,
 * critical path, capacity, same bytes for the same seed, observers change nothing. Failures go to CUnit. */
void contract_check(const struct contract *c);

/* How long each kernel of PROGRAM takes alone on DEVICE. NULL when memory is out; the caller gsim_free()s. */
double *contract_solo_us(const struct gsim_program *program, const struct gsim_device_spec *device);

/* The least time that each kernel can take beside any others, from its blocks' work (sim/sm/demand.h). Below the time
 * alone: a kernel among others may be faster than alone, since fewer of its blocks share an SM then and those that
 * had to wait may be spread more evenly (seen on an H200 too). The same caller's duties. */
double *contract_least_us(const struct gsim_program *program, const struct gsim_device_spec *device);

/* A random DAG as a program file of a user: most ops are kernels; some copies, reads and work of the host. */
struct contract_shape {
    unsigned long seed;
    uint32_t gpus;        /* kernels name one of so many GPUs; 0, 1: none */
    bool has_pipes;       /* some kernels say what they keep busy */
    bool has_collectives; /* of all ranks: those of one SEED have the same ones, whatever the RANK */
    uint32_t rank;
};
/* Writes the file and reads it. False: a failure, told to CUnit. The caller releases PROGRAM in any case. */
bool contract_draw(const struct contract_shape *shape, struct gsim_program *program);
