/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. A double as an integer: truncated, held to the type's range, 0 for NAN. A plain cast of what the
 * type does not hold is undefined: there is none outside of this file (tests/style/test_casts.sh).
 */
#pragma once

#include <stdint.h>

static inline int64_t gsim_whole(double number)
{
    if (number >= 0x1p63) return INT64_MAX;
    return number > -0x1p63 ? (int64_t)number : number < 0 ? INT64_MIN : 0;
}

static inline uint64_t gsim_whole_u64(double number)
{
    if (number >= 0x1p64) return UINT64_MAX;
    return number > 0 ? (uint64_t)number : 0;
}

static inline uint32_t gsim_whole_u32(double number)
{
    if (number >= 0x1p32) return UINT32_MAX;
    return number > 0 ? (uint32_t)number : 0;
}

static inline int gsim_whole_int(double number)
{
    if (number >= 0x1p31) return INT32_MAX;
    return number > -0x1p31 ? (int)number : number < 0 ? INT32_MIN : 0;
}
