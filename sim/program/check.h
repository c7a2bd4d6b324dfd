/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim. The checks of gsim_program_check() one by one, and equality of kernels, for sources. */
#pragma once

#include "gpusim/program.h"

/* program.c: check buffer / kernel INDEX of PROGRAM, or OP, whose index is its number. */
enum gsim_status gsim_program_check_buffer(const struct gsim_program *program, uint32_t index,
                                           struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_program_check_kernel(const struct gsim_program *program, uint32_t index,
                                           struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_program_check_op(const struct gsim_program *program, const struct gsim_op *op,
                                       struct gsim_error *error) GSIM_NODISCARD;

/* builder.c */
uint64_t gsim_kernel_hash(const struct gsim_kernel *kernel);
bool gsim_kernel_is_same(const struct gsim_kernel *a, const struct gsim_kernel *b);
