/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/calibrate. What gpusim-runner probe measured (schema gpusim-probe/1, traces/runner/PROBE.md): named
 * series of points. What device numbers follow from them: trust/calibrate/calibrate.h.
 */
#pragma once

#include <stdbool.h>

#include "gpusim/memory.h"

#define GSIM_PROBE_SCHEMA "gpusim-probe/1"

/* Median, 5 % and 95 % quantile of COUNT repetitions at X. */
struct gsim_probe_point {
    double x, median, low, high, count;
};
struct gsim_probe_series {
    const char *name, *unit;
    struct gsim_probe_point *points; /* at least one, x not negative, medians finite */
    size_t point_count;
};

/* X(name): what the driver says of the device. */
#define GSIM_PROBE_ATTRIBUTE_MAP(X)                                                                                    \
    X(sm_count) X(clock_mhz) X(memory_bytes) X(l2_bytes) X(copy_engines) X(priority_levels) X(cores)                   \
    X(threads_per_sm) X(blocks_per_sm) X(registers_per_sm) X(smem_per_sm_bytes) X(smem_per_block_bytes)                \
    X(smem_reserved_bytes)

struct gsim_probe {
    const char *gpu, *driver, *date;                /* "" where not recorded */
    int compute_capability;                         /* 0: not recorded */
#define X(name) double name;                        /* NAN: not recorded */
    GSIM_PROBE_ATTRIBUTE_MAP(X)
#undef X
    struct gsim_probe_series *series;
    size_t series_count, series_capacity;
    struct gsim_arena arena;
};

/* PROBE is the caller's to release, also on failure. GSIM_INPUT names the place; the path is the caller's to prefix. */
enum gsim_status gsim_probe_read(const char *path, struct gsim_probe *probe, struct gsim_error *error) GSIM_NODISCARD;
void gsim_probe_init(struct gsim_probe *probe);    /* an empty one */
void gsim_probe_release(struct gsim_probe *probe); /* accepts a zeroed one */

/* A new series of ROOM points. NAME and UNIT are copied. */
struct gsim_probe_series *gsim_probe_add(struct gsim_probe *probe, const char *name, const char *unit, size_t room);
/* NULL when there is none of that name. */
const struct gsim_probe_series *gsim_probe_find(const struct gsim_probe *probe, const char *name);

/* Whether the JSON file's member "schema" is this one; false also where it cannot be read. */
bool gsim_probe_is(const char *path);
