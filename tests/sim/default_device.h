/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of devices that are made up for tests. */
#ifndef GSIM_TESTS_DEFAULT_DEVICE_H
#define GSIM_TESTS_DEFAULT_DEVICE_H

#include "sim/device/numbers.h"
#include "tests/test.h"

/* D with the defaults of how blocks share an SM: include/gpusim/device.def has them together. */
static inline struct gsim_device_spec with_sm_numbers(struct gsim_device_spec d)
{
    for (int i = GSIM_DEV_issue_share; i < GSIM_DEV_launch_to_start_us; i++)
        *gsim_device_number(&d, (enum gsim_device_number)i) = gsim_device_number_initial((enum gsim_device_number)i);
    return d;
}

#endif
