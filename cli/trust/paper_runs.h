/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). The runs that a paper asks for (trust/published/paper.h), by several worker processes. */
#pragma once

#include "cli/cli.h"
#include "sim/base/jobs/progress.h"
#include "trust/published/paper.h"

struct gsim_paper_runs {
    uint32_t jobs;
    struct gsim_progress *progress;
    const char *scale; /* this number of every device is FACTOR times what it is; NULL: none */
    double factor;
    const char *folder; /* of files that are kept; NULL: there are none. Whoever made RUNS removes it */
    uint32_t file_count;
    struct gsim_arena *arena;
};
/* As gsim_paper_host has them; DATA: struct gsim_paper_runs. */
enum gsim_status gsim_cli_paper_runs(void *data, struct gsim_paper_batch *batch, struct gsim_error *error);
enum gsim_status gsim_cli_paper_keep(void *data, const char *text, const char **path, struct gsim_error *error);
