/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of devices that are made up for tests. */
#pragma once

#include "sim/device/numbers.h"
#include "tests/test.h"

/* D with the limits of an SM that models/arch has of its compute capability. */
static inline struct gsim_device_spec with_sm_limits(struct gsim_device_spec d)
{
    struct gsim_error error = {0};
    CHECK_OK(gsim_device_set_capability(&d, d.compute_capability, &error), error);
    for (int i = GSIM_DEV_warp_threads; i <= GSIM_DEV_carveout_kib_last; i++)
        d.source[i] = NULL; /* they lie in what a copy of D does not own */
    gsim_arena_release(&d.arena);
    return d;
}

/* D with those, and the defaults of how blocks share an SM and of what holds on all devices: include/gpusim/device.def
 * has them together. */
static inline struct gsim_device_spec with_sm_numbers(struct gsim_device_spec d)
{
    for (int i = GSIM_DEV_issue_share; i < GSIM_DEV_launch_to_start_us; i++)
        *gsim_device_number(&d, (enum gsim_device_number)i) = gsim_device_number_initial((enum gsim_device_number)i);
    d.beside_faults_least = gsim_device_number_initial(GSIM_DEV_beside_faults_least);
    d.pageable_staged_bytes = gsim_device_number_initial(GSIM_DEV_pageable_staged_bytes);
    d.host_page_bytes = gsim_device_number_initial(GSIM_DEV_host_page_bytes);
    return d.compute_capability ? with_sm_limits(d) : d;
}
