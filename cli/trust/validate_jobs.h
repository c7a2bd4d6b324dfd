/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli. Simulates recorded cases in worker processes (sim/base/jobs/pool.h); the samples come in the cases'
 * order. */
#pragma once

#include "sim/base/jobs/progress.h"
#include "trust/validate/validate.h"

/* Adds the samples of the cases at INDEX[0..COUNT) of SET to VALIDATION, as gsim_validation_run() does one by one. */
enum gsim_status gsim_validation_jobs(struct gsim_validation *validation, const struct gsim_case_set *set,
                                      const size_t *index, size_t count, uint32_t jobs, struct gsim_progress *progress,
                                      struct gsim_error *error) GSIM_NODISCARD;
