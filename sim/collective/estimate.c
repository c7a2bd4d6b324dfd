/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a collective takes alone, without a run (include/gpusim/collective.h). */
#include "sim/collective/state.h"

struct gsim_nccl *gsim_collective_numbers(const struct gsim_device_spec *device)
{
    struct gsim_error ignored = {0};
    struct gsim_nccl *numbers = gsim_alloc(sizeof *numbers);
    if (!numbers || gsim_nccl_load(numbers, device, &ignored) == GSIM_OK) return numbers;
    gsim_free(numbers);
    return NULL;
}

double gsim_collective_estimate_us(const struct gsim_nccl *numbers, const struct gsim_device_spec *device,
                                   const struct gsim_collective *collective, uint32_t ranks,
                                   const struct gsim_ranks *of_node)
{
    const struct gsim_collective_links links = gsim_collective_links_of(device, of_node);
    const struct gsim_collective_plan plan = gsim_collective_plan(numbers, collective, ranks, &links);
    return gsim_collective_alone_us(numbers, &plan, &links);
}
