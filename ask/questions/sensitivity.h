/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: ask. Numbers of a device that are varied around what they are. */
#pragma once

#include <stdbool.h>

#include "gpusim/device.h"

struct gsim_input {
    enum gsim_device_number number;
    double value, low, high, spread; /* spread: per cent */
    bool is_count;
};
/* NUMBER of DEVICE, SPREAD per cent off; 0: by where the number is from. False: it is 0, or a switch, which stay. */
bool gsim_input_of(struct gsim_input *input, const struct gsim_device_spec *device, enum gsim_device_number number,
                   double spread);
/* A limit of the architecture, which nobody has wrong. */
bool gsim_number_is_certain(enum gsim_device_number number);
