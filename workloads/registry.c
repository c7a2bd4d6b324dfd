/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of built-in workloads, made from workloads/workloads.def.
 */
#include "workloads/bench.h"

static const struct gsim_workload_ops *const workloads[] = {
#define X(name) &gsim_workload_##name,
#include "workloads/workloads.def"
#undef X
};

const struct gsim_workload_ops *gsim_workload_at(uint32_t index)
{
    return index < sizeof(workloads) / sizeof(workloads[0]) ? workloads[index] : NULL;
}

const struct gsim_workload_ops *gsim_workload_find(const char *name)
{
    for (uint32_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++)
        if (strcmp(workloads[i]->name, name) == 0) return workloads[i];
    return NULL;
}
