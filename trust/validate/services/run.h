/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/validate (internal to trust/validate/sharing.c and trust/validate/services/ranges.c). Recordings of
 * services that share a GPU: reading them, simulating what was recorded, and what a service's requests took.
 */
#pragma once

#include "gpusim/simulate.h"
#include "sim/base/json.h"

/* The file, packed or not; freed by cJSON_Delete(). NULL with ERROR set. */
cJSON *gsim_services_read(const char *path, struct gsim_error *error);

/* Tasks under a way of sharing by name, with OPTIONS "NAME=VALUE,..." or NULL. MEASURE_US and PROFILES as in struct
 * gsim_simulation. TIMELINE: the caller's to release. */
enum gsim_status gsim_services_simulate(struct gsim_task_set *set, const struct gsim_device_spec *device,
                                        const char *share, const char *options, double measure_us,
                                        const struct gsim_task_profiles *profiles, struct gsim_timeline *timeline,
                                        struct gsim_error *error) GSIM_NODISCARD;

/* Median and 90 % quantile of a task's requests, from their arrival or from their start; NAN: it had none. */
void gsim_services_quantiles(const struct gsim_timeline *timeline, uint32_t task, bool from_arrival,
                             double quantiles[2]);
