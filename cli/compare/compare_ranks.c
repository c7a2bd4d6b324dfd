/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim compare --ranks FILE|N": a cell is a run of all ranks under one scheduler. */
#include "cli/compare/compare.h"
#include "cli/ranks/ranks.h"
#include "sim/base/text.h"

static bool is_count(const struct gsim_comparison *comparison)
{
    double number;
    return gsim_text_quantity(comparison->arguments->value[GSIM_CLI_RANKS], &number);
}

static enum gsim_status read_cell(const struct gsim_comparison *comparison, size_t workload, size_t scheduler,
                                  struct gsim_cli_arguments *words, struct gsim_cli_ranks *ranks,
                                  struct gsim_error *error)
{
    *words = *comparison->asked;
    words->value[GSIM_CLI_SCHED] = comparison->schedulers[scheduler]->name;
    return gsim_cli_ranks_init(ranks, words, words->value[GSIM_CLI_RANKS],
                               is_count(comparison) ? comparison->workloads[workload] : NULL, error);
}

enum gsim_status gsim_compare_open_ranks(struct gsim_comparison *comparison, struct gsim_error *error)
{
    struct gsim_cli_arguments words;
    struct gsim_cli_ranks ranks = {0};
    comparison->asked = comparison->arguments;
    enum gsim_status status = gsim_cli_check_used(comparison->asked, GSIM_CLI_OF_RANKS, error);
    if (!status && !is_count(comparison)) { /* the file names the programs */
        if (comparison->arguments->value[GSIM_CLI_WORKLOAD])
            return gsim_error_set(error, GSIM_USAGE, "--workload: the file of --ranks names the programs");
        comparison->workloads[0] = comparison->arguments->value[GSIM_CLI_RANKS];
        comparison->workload_count = 1;
    }
    if (!status) status = read_cell(comparison, 0, 0, &words, &ranks, error);
    struct gsim_cli_arguments *kept = GSIM_ARENA_NEW(&comparison->arena, struct gsim_cli_arguments);
    if (!status && !kept) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (!status) {
        const char *device = ranks.words.value[GSIM_CLI_DEVICE];
        *kept = *comparison->asked; /* of a node ranks have the device and the links alone */
        kept->value[GSIM_CLI_NODE] = NULL;
        kept->value[GSIM_CLI_DEVICE] = device ? gsim_arena_strdup(&comparison->arena, device) : NULL;
        comparison->arguments = kept;
        if (comparison->arena.failed) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    }
    gsim_cli_ranks_release(&ranks);
    return status;
}

enum gsim_status gsim_compare_run_ranks(const struct gsim_comparison *comparison, size_t workload, size_t scheduler,
                                        size_t repetition, struct gsim_compare_cell *cell, struct gsim_error *error)
{
    struct gsim_cli_arguments words;
    struct gsim_cli_ranks r = {0};
    struct gsim_timeline timeline = {0};
    enum gsim_status status = read_cell(comparison, workload, scheduler, &words, &r, error);
    if (!status) status = gsim_cli_ranks_time(&r, repetition, &timeline, &cell->metrics, error);
    if (!status && timeline.iteration_count) {
        cell->done = true;
        cell->iterations = timeline.iteration_count;
        cell->first = timeline.iterations[0];
        cell->kernels = timeline.kernel_count / timeline.iteration_count;
        cell->gpus = gsim_cli_ranks_count(&r);
        gsim_compare_keep_settings(&r.points[0], cell);
    }
    gsim_timeline_release(&timeline);
    gsim_cli_ranks_release(&r);
    return status;
}
