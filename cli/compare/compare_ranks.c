/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim compare --ranks FILE|N": a cell is a run of all ranks under one scheduler. */
#include <stdlib.h>

#include "cli/compare/compare.h"
#include "cli/ranks/ranks.h"
#include "sim/base/text.h"

#define ITERATIONS 4 /* of programs that have one: the first may build graphs */

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

static int by_time(const void *a, const void *b)
{
    gsim_time x = *(const gsim_time *)a, y = *(const gsim_time *)b;
    return x < y ? -1 : x > y;
}

/* An iteration is from the first rank's call to the last one's end. */
static enum gsim_status measure(const struct gsim_timeline *t, struct gsim_compare_cell *cell, struct gsim_error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < t->request_count; i++)
        if (t->requests[i].request >= count) count = (size_t)t->requests[i].request + 1;
    struct gsim_iteration_record *all = gsim_alloc(sizeof *all * (count + 1));
    gsim_time *times = gsim_alloc(sizeof *times * (count + 1));
    for (size_t i = 0; all && i < count; i++) all[i] = (struct gsim_iteration_record){.start = GSIM_TIME_NEVER};
    for (size_t i = 0; all && i < t->request_count; i++) {
        struct gsim_iteration_record *at = &all[t->requests[i].request];
        if (t->requests[i].start < at->start) at->start = t->requests[i].start;
        if (t->requests[i].end > at->end) at->end = t->requests[i].end;
    }
    for (size_t i = 0; all && times && i < count; i++) times[i] = all[i].end - all[i].start;
    if (times) qsort(times, count, sizeof *times, by_time);
    if (all && times && count) {
        cell->done = true;
        cell->iterations = count;
        cell->first = all[0];
        cell->kernels = t->kernel_count / count;
        cell->metrics.iteration_median = times[(count - 1) / 2] + (times[count / 2] - times[(count - 1) / 2]) / 2;
    }
    enum gsim_status status = all && times ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "out of memory");
    gsim_free(all);
    gsim_free(times);
    return status;
}

enum gsim_status gsim_compare_run_ranks(const struct gsim_comparison *comparison, size_t workload, size_t scheduler,
                                        size_t repetition, struct gsim_compare_cell *cell, struct gsim_error *error)
{
    struct gsim_cli_arguments words;
    struct gsim_cli_ranks r = {0};
    struct gsim_timeline timeline = {0};
    struct gsim_scenario scenario = {.is_checked = true};
    uint32_t iterations = 0;
    enum gsim_status status = read_cell(comparison, workload, scheduler, &words, &r, error);
    if (!status) {
        scenario.simulation = r.points[0].simulation;
        scenario.simulation.seed += repetition;
        iterations = r.setup.iterations                      ? r.setup.iterations
                     : r.points[0].program.iterations > 1 ? r.points[0].program.iterations
                                                             : ITERATIONS;
        status = gsim_scenario_join(&scenario, r.ranks, r.count, &r.node.links, iterations, error);
    }
    if (!status) status = gsim_run(&scenario, &timeline, error);
    if (!status) status = gsim_metrics_compute(&timeline, scenario.simulation.device, NULL, &cell->metrics, error);
    if (!status) status = measure(&timeline, cell, error);
    if (!status) {
        cell->gpus = scenario.ranks.count;
        gsim_compare_keep_settings(&r.points[0], cell);
    }
    gsim_timeline_release(&timeline);
    gsim_scenario_release(&scenario);
    gsim_cli_ranks_release(&r);
    return status;
}
