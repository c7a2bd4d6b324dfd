/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces. Recorded concurrency cases (traces/h200/README.md describes the files) into the cases that
 * trust/validate/validate.h simulates. The kernels' types stay in the file: a prediction knows what a profiler shows.
 */
#pragma once

#include "traces/case.h"
#include "traces/kernels/profiles.h"

/* Adds the cases of the JSON TEXT, which FILE held; of each kind in the order of the file. Errors name the place,
 * callers prefix the file; then SET is as before but for memory. Needs at least one list of cases. */
enum gsim_status gsim_cases_parse(struct gsim_case_set *set, const char *file, const char *text, size_t length,
                                  struct gsim_error *error) GSIM_NODISCARD;
/* The same of the kernels alone of a file of unlike ones: each a case of one node, by the name in the file. */
enum gsim_status gsim_cases_parse_timed(struct gsim_case_set *set, const char *file, const char *text, size_t length,
                                        struct gsim_error *error) GSIM_NODISCARD;
/* Gives the kernels of SET what PROFILES say of them. */
void gsim_cases_apply(struct gsim_case_set *set, struct gsim_profiles *profiles);
