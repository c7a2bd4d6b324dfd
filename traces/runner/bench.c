/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of workloads with real kernels, made from traces/runner/bench.def.
 */
#include "traces/runner/bench.h"

#include <string.h>

static const struct gsim_bench_ops *const benches[] = {
#define X(name) &gsim_bench_##name,
#include "traces/runner/bench.def"
#undef X
};

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
