/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/published. The partitioned benchmarks of GrCUDA's successor (github.com/necst/grcuda, cuda/multi_gpu):
 * what its single-GPU timings on V100 and A100 were taken with. 16 partitions, launch shapes as published.
 * They are not in the registry: no launch option applies to them.
 */
#pragma once

#include "gpusim/program.h"

/* NAME: b1m (vectors), b5m (Black-Scholes), b6m (ridge regression and naive Bayes), b9m (conjugate gradient), b11m
 * (matrix times vector). SIZE: as published. */
enum gsim_status gsim_partitioned_build(const char *name, double size, struct gsim_program *program,
                                        struct gsim_error *error) GSIM_NODISCARD;
