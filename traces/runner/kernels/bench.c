/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of workloads with real kernels, made from traces/runner/kernels/bench.def.
 */
#include "traces/runner/kernels/bench.h"

#include <string.h>

static const struct gsim_bench_ops *const benches[] = {
#define X(name) &gsim_bench_##name,
#include "traces/runner/kernels/bench.def"
#undef X
};

bool gsim_bench_is_remade(const struct gsim_program *program, uint32_t buffer_index)
{
    const struct gsim_buffer *buffer = &program->buffers[buffer_index];
    for (uint32_t i = 0; i < program->op_count; i++) {
        const struct gsim_op *op = &program->ops[i];
        for (uint32_t a = 0; a < op->arg_count; a++) {
            if (op->args[a].buffer_index != buffer_index) continue;
            if (op->kind == GSIM_OP_HOST_WRITE && op->bytes >= buffer->bytes) return true;
            if (op->kind == GSIM_OP_KERNEL) return !op->args[a].reads || buffer->init == GSIM_INIT_NONE;
        }
    }
    return buffer->init == GSIM_INIT_NONE;
}

const struct gsim_bench_ops *gsim_bench_at(uint32_t index)
{
    return index < sizeof(benches) / sizeof(benches[0]) ? benches[index] : NULL;
}

const struct gsim_bench_ops *gsim_bench_find(const char *workload_name)
{
    for (uint32_t i = 0; i < sizeof(benches) / sizeof(benches[0]); i++)
        if (strcmp(benches[i]->name, workload_name) == 0) return benches[i];
    return NULL;
}
