/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: base. The time type and its conversions. Simulated time is a signed count of picoseconds (up to 106 days), so
 * sums are exact and the order of events does not depend on rounding.
 */
#pragma once

#include <math.h>
#include <stdint.h>

#include "gpusim/version.h"

GSIM_DECLARATIONS_BEGIN

typedef int64_t gsim_time; /* picoseconds */

#define GSIM_TIME_NEVER INT64_MAX
#define GSIM_PS_PER_NS 1000LL
#define GSIM_PS_PER_US 1000000LL
#define GSIM_PS_PER_S 1000000000000LL

/* The nearest picosecond, held to the range of gsim_time. */
static inline gsim_time gsim_time_from_ps(double ps)
{
    if (fabs(ps) < 0x1p63) return (gsim_time)llround(ps);
    return ps < 0 ? -GSIM_TIME_NEVER : GSIM_TIME_NEVER;
}
static inline gsim_time gsim_time_from_us(double us) { return gsim_time_from_ps(us * 1e6); }
static inline gsim_time gsim_time_from_ns(double ns) { return gsim_time_from_ps(ns * 1e3); }
static inline double gsim_time_us(gsim_time t) { return (double)t * 1e-6; }
static inline double gsim_time_seconds(gsim_time t) { return (double)t * 1e-12; }
static inline gsim_time gsim_time_from_seconds(double s) { return gsim_time_from_ps(s * 1e12); }

GSIM_DECLARATIONS_END
