/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: trust. One run of tasks under a way of sharing, and what a measurement stage finds of them: for what
 * re-derives published figures. */
#pragma once

#include "sim/report/report.h"

struct gsim_trial {
    const struct gsim_device_spec *device;
    const struct gsim_task *tasks;
    uint32_t count;
    const char *way;
    const char *const *opts; /* "name=value" of the way, up to NULL; NULL: none */
    const struct gsim_task_profiles *profiles;
    bool keeps_kernels, is_managed; /* memory: managed, else pinned */
    /* The first task, alone, is measured as task INDEX of SET, at MEASURE_US a launch. */
    struct gsim_task_profiles *makes;
    const struct gsim_task_set *set;
    uint32_t index;
    double measure_us;
};

/* STATS: of each task. TIMELINE: the caller's to release, its program is gone; NULL: not kept. */
enum gsim_status gsim_trial_run(const struct gsim_trial *trial, struct gsim_task_stats *stats,
                                struct gsim_timeline *timeline, struct gsim_error *error) GSIM_NODISCARD;
/* REQUESTS of each task alone, as --measure. PROFILES: the caller's to release. */
enum gsim_status gsim_trial_measure(const struct gsim_device_spec *device, const struct gsim_task *tasks,
                                    uint32_t count, uint32_t requests, struct gsim_task_profiles *profiles,
                                    struct gsim_error *error) GSIM_NODISCARD;
