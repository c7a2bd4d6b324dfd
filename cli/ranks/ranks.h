/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). --ranks: programs on GPUs of their own, with collectives between them. */
#pragma once

#include "ask/scenarios/rank_file.h"
#include "cli/cli.h"
#include "gpusim/collective.h"

/* The ranks of a file, or so many of a workload. */
struct gsim_cli_ranks {
    const struct gsim_cli_arguments *arguments;
    const char *workload;            /* NULL: the file names the programs */
    struct gsim_rank_file file;
    struct gsim_rank_node node;
    struct gsim_cli_arguments words; /* with the node's device */
    struct gsim_cli_setup setup;
    struct gsim_cli_point *points;   /* one of each entry */
    struct gsim_client *ranks;
    uint32_t count, point_count;
    struct gsim_arena arena;
};
/* TEXT: as --ranks takes it. Released by the caller, also on failure. */
enum gsim_status gsim_cli_ranks_init(struct gsim_cli_ranks *ranks, const struct gsim_cli_arguments *arguments,
                                     const char *text, const char *workload, struct gsim_error *error) GSIM_NODISCARD;
void gsim_cli_ranks_release(struct gsim_cli_ranks *ranks); /* accepts zeroed */
uint32_t gsim_cli_ranks_count(const struct gsim_cli_ranks *ranks); /* copies counted */
/* Simulates all ranks, with the seed that is ADDED to theirs. TIMELINE, which the caller releases in any case, has
 * iterations of all together: the given number, the program's, or four. */
enum gsim_status gsim_cli_ranks_time(const struct gsim_cli_ranks *ranks, uint64_t added, struct gsim_timeline *timeline,
                                     struct gsim_metrics *metrics, struct gsim_error *error) GSIM_NODISCARD;

enum gsim_status gsim_cli_run_ranks(const struct gsim_cli_arguments *arguments,
                                    struct gsim_error *error) GSIM_NODISCARD;
