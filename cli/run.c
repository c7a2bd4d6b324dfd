/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). "gpusim run": one simulation. What it gives in the end is cli/deliver.c's.
 */
#include "ask/questions/question.h"
#include "cli/cli.h"
#include "cli/ranks/ranks.h"
#include "cli/run_progress.h"
#include "cli/tasks/tasks.h"

/* Of a program that is drawn, records are added up where no output needs them one by one. */
static bool keeps_records(const struct gsim_cli_arguments *arguments)
{
    static const enum gsim_cli_key needing[] = {GSIM_CLI_TRACE, GSIM_CLI_CSV,           GSIM_CLI_REPORT,
                                                GSIM_CLI_GANTT, GSIM_CLI_WRITE_PROGRAM, GSIM_CLI_PLAN};
    for (size_t i = 0; i < sizeof needing / sizeof needing[0]; i++)
        if (arguments->value[needing[i]]) return true;
    return false;
}

static enum gsim_status run(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    const char *workload = arguments->value[GSIM_CLI_WORKLOAD], *name = arguments->value[GSIM_CLI_SCHED];
    const struct gsim_scheduler_ops *scheduler = NULL;
    struct gsim_cli_setup setup = {0};
    struct gsim_cli_point point = {0};
    struct gsim_timeline timeline = {0};
    struct gsim_block_log blocks = {0};
    struct gsim_metrics metrics;
    struct gsim_spread spread;
    struct gsim_run_progress progress;
    uint32_t sm_count = 0, spread_runs = 0;
    gsim_time from = 0, until = 0;
    if (arguments->value[GSIM_CLI_RANKS]) return gsim_cli_run_ranks(arguments, error);
    if (gsim_cli_has_tasks(arguments)) return gsim_cli_run_tasks(arguments, error);
    if (!workload)
        return gsim_error_set(error, GSIM_USAGE,
                              "no program: expected --workload NAME|FILE (see gpusim list workloads)");
    if (!name)
        return gsim_error_set(error, GSIM_USAGE, "no scheduler: expected --sched NAME (see gpusim list schedulers)");
    enum gsim_status status = gsim_cli_check_used(arguments, GSIM_CLI_OF_PROGRAM, error);
    if (status == GSIM_OK) status = gsim_cli_check_files(arguments, error);
    if (status == GSIM_OK) status = gsim_cli_trace_sms(arguments, &sm_count, error);
    if (status == GSIM_OK) status = gsim_cli_trace_window(arguments, &from, &until, error);
    if (status == GSIM_OK) status = gsim_cli_spread_runs(arguments, &spread_runs, error);
    if (status == GSIM_OK && !gsim_cli_is_best(name)) status = gsim_cli_scheduler(name, &scheduler, error);
    if (status == GSIM_OK && !gsim_cli_is_best(name)) status = gsim_cli_check_opts(arguments, &scheduler, 1, error);
    if (status == GSIM_OK) status = gsim_cli_setup_init(&setup, arguments, error);
    if (status == GSIM_OK && gsim_cli_is_best(name))
        status = gsim_cli_best_scheduler(&setup, workload, &scheduler, error);
    if (status == GSIM_OK) status = gsim_cli_point_init(&point, &setup, workload, scheduler, error);
    if (status == GSIM_OK && setup.places_best) status = gsim_cli_best_place(&point, true, error);
    if (status == GSIM_OK) gsim_cli_note_devices(&point.program, (const char *const[]){setup.device.name}, 1);
    if (status == GSIM_OK && spread_runs) status = gsim_cli_point_known(&point, "--spread", error);
    if (status == GSIM_OK && point.source) point.simulation.folds = !keeps_records(arguments);
    if (status == GSIM_OK && arguments->value[GSIM_CLI_WRITE_PROGRAM] && !point.source)
        status = gsim_program_write(&point.program, arguments->value[GSIM_CLI_WRITE_PROGRAM], error);
    if (status == GSIM_OK && sm_count) {
        gsim_block_log_init(&blocks,
                            sm_count < setup.device.sm_count ? sm_count : gsim_whole_u32(setup.device.sm_count));
        point.simulation.observer = &blocks.observer;
    }
    if (status == GSIM_OK) {
        const struct gsim_observer *observer = point.simulation.observer;
        if (!point.source)
            gsim_run_progress_start(&progress, &point.simulation, stderr); /* how much is to come is not known */
        status = gsim_cli_point_run(&point, true, &timeline, &metrics, error);
        if (!point.source) gsim_run_progress_end(&progress);
        point.simulation.observer = observer;
    }
    if (status == GSIM_OK && arguments->value[GSIM_CLI_WRITE_PROGRAM] && point.source) { /* what was drawn */
        status = gsim_program_write(&point.program, arguments->value[GSIM_CLI_WRITE_PROGRAM], error);
        if (status == GSIM_OK)
            fprintf(stderr,
                    "gpusim: note: the written file may run faster or slower than the source: known in full, its "
                    "copies go ahead of what needs them\n");
    }
    if (status == GSIM_OK && spread_runs) status = gsim_spread_of(&point.simulation, spread_runs, &spread, error);
    if (status == GSIM_OK && !point.source) {
        const struct gsim_cli_case cell = {workload, scheduler, metrics.makespan, metrics.iteration_total,
                                           timeline.kernel_count};
        gsim_cli_note_idle_opts(&setup, &cell, 1);
    }
    if (status == GSIM_OK) {
        struct gsim_result result = {.simulation = &point.simulation,
                                     .timeline = &timeline,
                                     .metrics = &metrics,
                                     .spread = spread_runs ? &spread : NULL,
                                     .options = point.options,
                                     .option_count = point.option_count,
                                     .blocks = sm_count ? &blocks : NULL,
                                     .window_from = from, .window_until = until};
        status = gsim_cli_write_plan(arguments, &timeline, error);
        if (status == GSIM_OK) status = gsim_cli_deliver(arguments, &result, error);
    }
    gsim_timeline_release(&timeline);
    gsim_block_log_release(&blocks);
    gsim_cli_point_release(&point);
    gsim_cli_setup_release(&setup);
    return status;
}

int gsim_cli_run(const struct gsim_cli_arguments *arguments)
{
    struct gsim_error error = {0};
    return run(arguments, &error) == GSIM_OK ? 0 : gsim_cli_fail(&error);
}
