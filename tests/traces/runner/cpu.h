/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The runner's kernels on the CPU, one block after another: a program's buffers in one memory that host and device
 * share, and its ops executed in any order.
 */
#pragma once

#include <stdlib.h>

#include "gpusim/memory.h"
#include "tests/test.h"
#include "traces/runner/kernels/kernel.h"

struct cpu {
    struct gsim_program program;
    const struct gsim_bench_ops *ops;
    struct gsim_runner_bench *bench;
    void **memory; /* by buffer */
};

static inline void cpu_open(struct cpu *cpu, const char *workload, const struct gsim_workload_options *options,
                            uint64_t seed)
{
    struct gsim_error error = {0};
    *cpu = (struct cpu){.ops = gsim_bench_find(workload)};
    CHECK_MSG(cpu->ops != NULL, "no kernels of '%s'", workload);
    CHECK_OK(gsim_workload_find(workload)->build(options, &cpu->program, &error), error);
    CHECK_OK(cpu->ops->create(&cpu->program, options, seed, &cpu->bench, &error), error);
    cpu->memory = gsim_alloc(sizeof(*cpu->memory) * cpu->program.buffer_count);
    for (uint32_t i = 0; i < cpu->program.buffer_count; i++) cpu->memory[i] = gsim_alloc(cpu->program.buffers[i].bytes);
}

static inline void cpu_close(struct cpu *cpu)
{
    for (uint32_t i = 0; i < cpu->program.buffer_count; i++) gsim_free(cpu->memory[i]);
    gsim_free(cpu->memory);
    if (cpu->ops) cpu->ops->destroy(cpu->bench);
    gsim_program_release(&cpu->program);
}

/* As before the first iteration. */
static inline void cpu_start(struct cpu *cpu)
{
    for (uint32_t i = 0; i < cpu->program.buffer_count; i++) cpu->ops->fill(cpu->bench, i, cpu->memory[i]);
}

static inline void cpu_kernel(struct cpu *cpu, const struct gsim_op *op)
{
    struct gsim_runner_launch launch;
    cpu->ops->launch(cpu->bench, op, cpu->memory, &launch);
    gsim_cpu_kernel kernel = (gsim_cpu_kernel)launch.function;
    struct gsim_cpu_block block = {.shared = gsim_alloc(launch.smem_bytes)};
    memcpy(block.grid, launch.grid, sizeof(block.grid));
    memcpy(block.block, launch.block, sizeof(block.block));
    for (block.at[2] = 0; block.at[2] < block.grid[2]; block.at[2]++)
        for (block.at[1] = 0; block.at[1] < block.grid[1]; block.at[1]++)
            for (block.at[0] = 0; block.at[0] < block.grid[0]; block.at[0]++) kernel(launch.args[0], &block);
    gsim_free(block.shared);
}

/* Kernels and timed host writes do something; moves have nothing to do here. */
static inline bool cpu_matters(const struct gsim_op *op)
{
    return op->kind == GSIM_OP_KERNEL || (op->kind == GSIM_OP_HOST_WRITE && !op->untimed);
}

static inline void cpu_execute(struct cpu *cpu, uint32_t op_index)
{
    const struct gsim_op *op = &cpu->program.ops[op_index];
    if (!cpu_matters(op)) return;
    if (op->kind == GSIM_OP_KERNEL) cpu_kernel(cpu, op);
    else cpu->ops->fill(cpu->bench, op->args[0].buffer_index, cpu->memory[op->args[0].buffer_index]);
}

/* The next iteration: poison, and what the host resets. */
static inline void cpu_restart(struct cpu *cpu)
{
    for (uint32_t i = 0; i < cpu->program.buffer_count; i++)
        if (gsim_bench_is_remade(&cpu->program, i))
            memset(cpu->memory[i], GSIM_BENCH_POISON, cpu->program.buffers[i].bytes);
    for (uint32_t i = 0; i < cpu->program.op_count; i++) {
        const struct gsim_op *op = &cpu->program.ops[i];
        if (op->untimed) cpu->ops->fill(cpu->bench, op->args[0].buffer_index, cpu->memory[op->args[0].buffer_index]);
    }
}

static inline void cpu_iteration(struct cpu *cpu)
{
    for (uint32_t i = 0; i < cpu->program.op_count; i++) cpu_execute(cpu, i);
}
