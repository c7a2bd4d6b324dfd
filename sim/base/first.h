/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Declares AT: the first index below COUNT for which IS_BEFORE, an expression of INDEX, is false, else
 * COUNT. It must not become true again behind that.
 */
#pragma once

#include <stdint.h>

#define GSIM_FIRST(at, count, index, is_before)                                                                        \
    uint32_t at = 0;                                                                                                   \
    for (uint32_t at##_high = (count), index; at < at##_high;) {                                                       \
        index = at + (at##_high - at) / 2;                                                                             \
        if (is_before) at = index + 1;                                                                                 \
        else at##_high = index;                                                                                        \
    }
