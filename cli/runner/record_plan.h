/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli/runner (program). From the words of "gpusim-runner record" to the list of its runs. */
#pragma once

#include "cli/runner/record.h"

/* ARGUMENTS and SETUP back the record's device and are the caller's to release. record->path stays NULL when --help
 * or --dry-run was all that was asked for. */
enum gsim_status gsim_record_plan(struct gsim_record *record, struct gsim_runner_words *words,
                                  struct gsim_cli_arguments *arguments, struct gsim_cli_setup *setup,
                                  struct gsim_error *error) GSIM_NODISCARD;

/* Registers per thread and bytes of shared memory of the kernel that OP launches; 0 when CUDA does not tell. */
void gsim_runner_kernel_resources(const struct gsim_bench_ops *ops, const struct gsim_runner_bench *bench,
                                  const struct gsim_op *op, void *const *device, int *registers, int *smem_bytes);
