/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). The options of "gpusim import" that are a CUDA source's. */
#pragma once

#include "cli/cli.h"
#include "source/read/options.h"

/* WORDS: room for all options that are repeated; outlives SOURCE, whose notes go to stderr. */
enum gsim_status gsim_cli_source(const struct gsim_cli_arguments *arguments, struct gsim_cuda_word *words,
                                 struct gsim_cuda_options *source, struct gsim_error *error) GSIM_NODISCARD;
/* Fails on an --arg that no variable took, once the source was executed. */
enum gsim_status gsim_cli_source_used(const struct gsim_cuda_options *source, struct gsim_error *error) GSIM_NODISCARD;
