/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/validate (internal). What the kinds of cases share while they are simulated: cases.c two kernels on the
 * bare GPU, dags.c whole programs. Everybody else includes trust/validate/validate.h.
 */
#pragma once

#include "trust/validate/validate.h"

/* Adds a sample whose error is predicted/measured - 1. */
struct gsim_sample *gsim_validation_add(struct gsim_validation *v, const struct gsim_case *subject,
                                        enum gsim_quantity quantity, double predicted, double measured);

enum gsim_status gsim_validation_run_two(struct gsim_validation *v, const struct gsim_case *subject,
                                         struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_validation_run_dag(struct gsim_validation *v, const struct gsim_case *subject,
                                         struct gsim_error *error) GSIM_NODISCARD;
