/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (internal to sim/validate*.c). What the kinds of cases share while they are simulated:
 * validate_cases.c two kernels on the bare GPU, validate_dags.c whole programs, validate_baselines.c the simpler
 * models. Everybody else includes trust/validate/validate.h.
 */
#pragma once

#include "trust/validate/validate.h"

/* Adds a sample whose error is predicted/measured - 1, without baselines; NULL when memory is out. */
struct gsim_sample *gsim_validation_add(struct gsim_validation *v, const struct gsim_case *subject,
                                        enum gsim_quantity quantity, double predicted, double measured);

enum gsim_status gsim_validation_run_two(struct gsim_validation *v, const struct gsim_case *subject,
                                         struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_validation_run_dag(struct gsim_validation *v, const struct gsim_case *subject,
                                         struct gsim_error *error) GSIM_NODISCARD;

/* The simpler models' makespan of a DAG executed live or as a graph, or of two kernels; NAN for others. */
enum gsim_status gsim_baselines_dag(const struct gsim_device_spec *device, const struct gsim_case *subject,
                                    enum gsim_schedule schedule, double us[GSIM_BASELINE_COUNT],
                                    struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_baselines_two(const struct gsim_device_spec *device, const struct gsim_case *subject,
                                    double us[GSIM_BASELINE_COUNT], struct gsim_error *error) GSIM_NODISCARD;
