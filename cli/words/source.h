/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). The options of "gpusim import" that are a CUDA source's. */
#pragma once

#include "cli/cli.h"
#include "gpusim/memory.h"
#include "source/read/options.h"
#include "source/read/told.h"

/* WORDS: room for all options that are repeated and all operands; outlives SOURCE, whose notes go to stderr. */
enum gsim_status gsim_cli_source(const struct gsim_cli_arguments *arguments, struct gsim_cuda_word *words,
                                 struct gsim_cuda_options *source, struct gsim_error *error) GSIM_NODISCARD;
/* Fails on an --arg that no variable took, once the source was executed. */
enum gsim_status gsim_cli_source_used(const struct gsim_cuda_options *source, struct gsim_error *error) GSIM_NODISCARD;

/* How many launches of the text were read, and how many of them are a guess, on stderr. */
struct gsim_import_notes;
void gsim_cli_print_launches(const struct gsim_import_notes *notes);

/* --run: WORDS of main, and with TELLS a run of the source, which tells the reader its values. */
struct gsim_cli_run {
    struct gsim_arena arena;
    const char **words;
    double limit_s;
    struct gsim_cuda_told told;
};
enum gsim_status gsim_cli_source_run(const struct gsim_cli_arguments *arguments, const char *path,
                                     bool tells, struct gsim_cuda_options *source, struct gsim_cli_run *run,
                                     struct gsim_error *error) GSIM_NODISCARD;
void gsim_cli_run_release(struct gsim_cli_run *run); /* accepts zeroed */
