/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). What "gpusim validate" is made of beside cli/trust/validate.c. */
#pragma once

#include "cli/cli.h"
#include "sim/base/jobs/progress.h"
#include "trust/validate/validate.h"

/* --other-device; --kind sharing */
enum gsim_status gsim_cli_validate_other(const struct gsim_cli_arguments *arguments,
                                         struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_cli_validate_sharing(const struct gsim_cli_arguments *arguments,
                                           struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_cli_read_cases(struct gsim_case_set *set, const char *path,
                                     struct gsim_error *error) GSIM_NODISCARD;
/* Adds the samples of the cases at INDEX[0..COUNT) of SET to VALIDATION, as gsim_validation_run() does one by one, in
 * the cases' order: by worker processes (sim/base/jobs/pool.h). */
enum gsim_status gsim_validation_jobs(struct gsim_validation *validation, const struct gsim_case_set *set,
                                      const size_t *index, size_t count, uint32_t jobs, struct gsim_progress *progress,
                                      struct gsim_error *error) GSIM_NODISCARD;
