/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What all benches share on the host: see common.h. The kernels and their references: bench_*.cu.
 */
#include "traces/runner/kernels/common.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpusim/memory.h"

static const struct gsim_bench_buffer *content_of(const struct gsim_runner_bench *bench, uint32_t buffer_index)
{
    static const struct gsim_bench_buffer unwritten = {.name = "*", .content = GSIM_CONTENT_POISON};
    for (const struct gsim_bench_buffer *b = bench->table->buffers; b->name; b++)
        if (fnmatch(b->name, bench->program->buffers[buffer_index].name, 0) == 0) return b;
    return &unwritten;
}

static const struct gsim_bench_kernel *kernel_of(const struct gsim_runner_bench *bench, const struct gsim_op *op)
{
    const char *name = bench->program->kernels[op->kernel_index].name;
    for (const struct gsim_bench_kernel *k = bench->table->kernels; k->name; k++)
        if (fnmatch(k->name, name, 0) == 0) return k;
    return NULL;
}

/* Every kernel of the program is one of ours and takes as many buffers. */
static enum gsim_status find_kernels(struct gsim_runner_bench *bench, struct gsim_error *error)
{
    const struct gsim_program *program = bench->program;
    const char *workload = bench->table->workload;
    if (strcmp(program->name, workload) != 0)
        return gsim_error_set(error, GSIM_INPUT, "real kernels of workload '%s': expected its program, found '%s'",
                              workload, program->name);
    bench->kernels = gsim_alloc(sizeof(*bench->kernels) * program->op_count);
    for (uint32_t i = 0; i < program->op_count; i++) {
        const struct gsim_op *op = &program->ops[i];
        if (op->kind != GSIM_OP_KERNEL) continue;
        if (bench->first_kernel == UINT32_MAX) bench->first_kernel = i;
        const struct gsim_bench_kernel *kernel = bench->kernels[i] = kernel_of(bench, op);
        if (!kernel || kernel->pointer_count != op->arg_count)
            return gsim_error_set(error, GSIM_INPUT,
                                  "real kernels of workload '%s': ops[%u]: no kernel '%s' of %u buffers", workload, i,
                                  program->kernels[op->kernel_index].name, op->arg_count);
    }
    return GSIM_OK;
}

enum gsim_status gsim_bench_open(const struct gsim_bench_table *table, const struct gsim_program *program,
                                 const struct gsim_workload_options *options, uint64_t seed,
                                 struct gsim_runner_bench **bench, struct gsim_error *error)
{
    const struct gsim_workload_ops *workload = gsim_workload_find(table->workload);
    GSIM_INVARIANT(workload != NULL);
    struct gsim_runner_bench *b = gsim_alloc(sizeof(*b));
    double size = options->size > 0 ? options->size : workload->size_default[options->suite];
    *b = (struct gsim_runner_bench){.table = table,
                             .program = program,
                             .n = gsim_whole(size),
                             .suite = options->suite,
                             .first_kernel = UINT32_MAX,
                             .seed = seed};
    enum gsim_status status = find_kernels(b, error);
    if (status == GSIM_OK && b->n > table->most_size)
        status = gsim_error_set(error, GSIM_INPUT,
                                "real kernels of workload '%s': size: expected at most %lld %s, found %lld",
                                table->workload, (long long)table->most_size, table->what, (long long)b->n);
    if (status != GSIM_OK) {
        gsim_bench_close(b);
        return status;
    }
    *bench = b;
    return GSIM_OK;
}

void gsim_bench_close(struct gsim_runner_bench *bench)
{
    if (!bench) return;
    gsim_free(bench->kernels);
    gsim_free(bench->reference);
    gsim_free(bench);
}

struct gsim_values gsim_bench_values(const struct gsim_runner_bench *bench, uint32_t buffer_index)
{
    const struct gsim_bench_buffer *b = content_of(bench, buffer_index);
    return (struct gsim_values){gsim_mix(bench->seed, buffer_index), b->low, b->high - b->low};
}

void gsim_bench_fill(const struct gsim_runner_bench *bench, uint32_t buffer_index, void *host)
{
    const struct gsim_bench_buffer *b = content_of(bench, buffer_index);
    const struct gsim_values values = gsim_bench_values(bench, buffer_index);
    uint64_t bytes = bench->program->buffers[buffer_index].bytes;
    int64_t count = (int64_t)(bytes / (b->content == GSIM_CONTENT_F64 ? sizeof(double) : sizeof(float)));
    float *f32 = host;
    double *f64 = host;
    int32_t *i32 = host;
    switch (b->content) {
    case GSIM_CONTENT_POISON:
        memset(host, GSIM_BENCH_POISON, bytes);
        break;
    case GSIM_CONTENT_F32:
        for (int64_t i = 0; i < count; i++) f32[i] = gsim_value_f32(&values, i);
        break;
    case GSIM_CONTENT_F64:
        for (int64_t i = 0; i < count; i++) f64[i] = gsim_value_f64(&values, i);
        break;
    case GSIM_CONTENT_I32:
        for (int64_t i = 0; i < count; i++) i32[i] = gsim_value_i32(&values, i);
        break;
    case GSIM_CONTENT_CONSTANT:
        for (int64_t i = 0; i < count; i++) f32[i] = b->low;
        break;
    case GSIM_CONTENT_OWN:
        bench->table->fill(bench, buffer_index, host);
        break;
    }
}

bool gsim_bench_is_result(const struct gsim_runner_bench *bench, uint32_t buffer_index)
{
    return content_of(bench, buffer_index)->is_result;
}

void gsim_bench_prepare(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *const *device,
                        struct gsim_runner_launch *launch)
{
    const struct gsim_kernel *shape = &bench->program->kernels[op->kernel_index];
    const struct gsim_bench_kernel *kernel = bench->kernels[op->index];
    GSIM_INVARIANT(op->kind == GSIM_OP_KERNEL && kernel);
    *launch = (struct gsim_runner_launch){
        .function = kernel->function,
        .stamped = kernel->stamped,
        .grid = {shape->grid.x, shape->grid.y, shape->grid.z},
        .block = {shape->block.x, shape->block.y, shape->block.z},
    };
    /* Dynamic memory makes up to what the program states, also where the kernel needs less. */
    if (shape->smem_bytes > kernel->static_smem_bytes)
        launch->smem_bytes = shape->smem_bytes - kernel->static_smem_bytes;
    launch->args[0] = launch->storage;
    unsigned char *at = (unsigned char *)launch->storage;
    for (uint32_t i = 0; i < op->arg_count; i++, at += sizeof(void *))
        memcpy(at, &device[op->args[i].buffer_index], sizeof device[0]);
    if (kernel->scalars) kernel->scalars(bench, op, at);
}

void gsim_bench_size_scalar(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *at)
{
    (void)op;
    *(int64_t *)at = bench->n;
}

uint32_t gsim_bench_index(const struct gsim_runner_bench *bench, const char *buffer_name)
{
    for (uint32_t i = 0; i < bench->program->buffer_count; i++)
        if (strcmp(bench->program->buffers[i].name, buffer_name) == 0) return i;
    GSIM_BUG("workload '%s' has no buffer '%s'", bench->table->workload, buffer_name);
}

int64_t gsim_bench_count(const struct gsim_runner_bench *bench, uint32_t buffer_index, size_t element_bytes)
{
    return (int64_t)(bench->program->buffers[buffer_index].bytes / element_bytes);
}

uint32_t gsim_bench_number(const struct gsim_runner_bench *bench, const struct gsim_op *op, uint32_t arg)
{
    const char *name = bench->program->buffers[op->args[arg].buffer_index].name;
    return (uint32_t)strtoul(name + strcspn(name, "0123456789"), NULL, 10);
}

int64_t gsim_sample_count(int64_t count, int64_t most) { return count < most ? count : most; }

int64_t gsim_sample_at(int64_t count, int64_t most, int64_t index)
{
    if (count <= most) return index;
    return gsim_whole((double)index / (double)(most - 1) * (double)(count - 1));
}

enum gsim_status gsim_bench_compare(const struct gsim_runner_bench *bench, uint32_t buffer_index, int64_t index,
                                    double found, double expected, double allowed, struct gsim_error *error)
{
    if (fabs(found - expected) <= allowed) return GSIM_OK; /* not of NaN */
    return gsim_error_set(
        error, GSIM_SIM,
        "workload '%s': wrong result: buffer '%s', element %lld: expected %.9g within %.2g, found %.9g",
        bench->table->workload, bench->program->buffers[buffer_index].name, (long long)index, expected, allowed, found);
}

static enum gsim_status not_finite(const struct gsim_runner_bench *bench, uint32_t buffer_index, int64_t index,
                                   double found, struct gsim_error *error)
{
    return gsim_error_set(error, GSIM_SIM,
                          "workload '%s': wrong result: buffer '%s', element %lld: expected a number, found %g",
                          bench->table->workload, bench->program->buffers[buffer_index].name, (long long)index, found);
}

enum gsim_status gsim_bench_finite_f32(const struct gsim_runner_bench *bench, uint32_t buffer_index, const void *host,
                                       struct gsim_error *error)
{
    const float *found = host;
    int64_t count = gsim_bench_count(bench, buffer_index, sizeof(*found));
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(found[i])) return not_finite(bench, buffer_index, i, found[i], error);
    return GSIM_OK;
}

enum gsim_status gsim_bench_finite_f64(const struct gsim_runner_bench *bench, uint32_t buffer_index, const void *host,
                                       struct gsim_error *error)
{
    const double *found = host;
    int64_t count = gsim_bench_count(bench, buffer_index, sizeof(*found));
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(found[i])) return not_finite(bench, buffer_index, i, found[i], error);
    return GSIM_OK;
}
