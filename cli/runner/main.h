/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli/runner (program). What the commands of gpusim-runner share: their words, and a GPU's setup. The
 * options of "gpusim run" are read by cli/words/parse.c; the runner's own are taken out of the words before.
 */
#pragma once

#include <stdio.h>

#include "cli/cli.h"
#include "traces/runner/run.h"

struct gsim_runner_words {
    char **items;
    int count;
};

/* Prints what --help of a command says; false: it cannot. */
bool gsim_runner_help(const char *command, FILE *to);
/* The value of --NAME, which is taken out of the words; INITIAL when it is not there, "" when its value is missing. */
const char *gsim_runner_own_value(struct gsim_runner_words *words, const char *name, const char *initial);
/* A count, and "on" or "off"; INITIAL when not given. ERROR keeps the first failure. */
uint32_t gsim_runner_own_count(struct gsim_runner_words *words, const char *name, uint32_t initial,
                               struct gsim_error *error);
bool gsim_runner_own_switch(struct gsim_runner_words *words, const char *name, bool initial, struct gsim_error *error);
/* What is left of the words, as gpusim run takes it; arguments->opts is the caller's to free, also on failure. */
enum gsim_status gsim_runner_parse(struct gsim_cli_arguments *arguments, struct gsim_runner_words *words,
                                   struct gsim_error *error) GSIM_NODISCARD;
/* The setup with this GPU's own name and limits; pinned memory unless asked otherwise. */
enum gsim_status gsim_runner_setup(struct gsim_cli_setup *setup, struct gsim_cli_arguments *arguments,
                                   const struct gsim_runner_gpu *gpu, struct gsim_error *error) GSIM_NODISCARD;

enum gsim_status gsim_runner_record(struct gsim_runner_words *words, struct gsim_error *error) GSIM_NODISCARD;
/* probe.cu: the words behind "probe". Returns the exit status. */
int gsim_probe_main(int argc, char **argv);
