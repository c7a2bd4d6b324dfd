/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a collective takes alone, without a run (include/gpusim/collective.h). */
#include <math.h>

#include "sim/collective/state.h"

double gsim_collective_estimate_us(const struct gsim_device_spec *device, const struct gsim_collective *collective, uint32_t ranks)
{
    struct gsim_nccl nccl;
    struct gsim_error ignored = {0};
    if (gsim_nccl_load(&nccl, device, &ignored)) return NAN;
    const struct gsim_collective_links links = gsim_collective_links_of(device, NULL);
    const struct gsim_collective_plan plan = gsim_collective_plan(&nccl, collective, ranks, &links);
    return gsim_collective_alone_us(&nccl, &plan, &links);
}
