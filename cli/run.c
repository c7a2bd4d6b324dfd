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

struct run {
    struct gsim_cli_setup setup;
    struct gsim_cli_point point;
    struct gsim_timeline timeline;
    struct gsim_block_log blocks;
    struct gsim_metrics metrics;
    struct gsim_spread spread;
    const struct gsim_scheduler_ops *scheduler;
};

/* What runs, under which scheduler, and where. */
static enum gsim_status prepare(struct run *r, const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    const char *workload = arguments->value[GSIM_CLI_WORKLOAD], *name = arguments->value[GSIM_CLI_SCHED];
    bool is_best = gsim_cli_is_best(name);
    enum gsim_status status = is_best ? GSIM_OK : gsim_cli_scheduler(name, &r->scheduler, error);
    if (!status && !is_best) status = gsim_cli_check_opts(arguments, &r->scheduler, 1, error);
    if (!status) status = gsim_cli_setup_init(&r->setup, arguments, error);
    if (!status && is_best) status = gsim_cli_best_scheduler(&r->setup, workload, &r->scheduler, error);
    if (!status) status = gsim_cli_point_init(&r->point, &r->setup, workload, r->scheduler, error);
    if (!status && r->setup.places_best) status = gsim_cli_best_place(&r->point, true, error);
    if (!status) gsim_cli_note_devices(&r->point.program, (const char *const[]){r->setup.device.name}, 1);
    r->point.simulation.folds = r->point.source && !keeps_records(arguments);
    return status;
}

/* With a bar, but of a program that is drawn: how much is to come is not known. */
static enum gsim_status simulate(struct run *r, uint32_t sm_count, struct gsim_error *error)
{
    struct gsim_run_progress progress;
    if (sm_count) {
        gsim_block_log_init(&r->blocks, sm_count < r->setup.device.sm_count ? sm_count
                                                                            : gsim_whole_u32(r->setup.device.sm_count));
        r->point.simulation.observer = &r->blocks.observer;
    }
    const struct gsim_observer *observer = r->point.simulation.observer;
    if (!r->point.source) gsim_run_progress_start(&progress, &r->point.simulation, stderr);
    enum gsim_status status = gsim_cli_point_run(&r->point, true, &r->timeline, &r->metrics, error);
    if (!r->point.source) gsim_run_progress_end(&progress);
    r->point.simulation.observer = observer;
    return status;
}

/* The file of --write-program: of a program that is drawn behind the run, as it was drawn. */
static enum gsim_status write_program(const struct run *r, const char *path, bool is_drawn, struct gsim_error *error)
{
    if (!path || is_drawn != (r->point.source != NULL)) return GSIM_OK;
    enum gsim_status status = gsim_program_write(&r->point.program, path, error);
    if (!status && is_drawn)
        fprintf(stderr, "gpusim: note: the written file may run faster or slower than the source: known in full, its "
                        "copies go ahead of what needs them\n");
    return status;
}

int gsim_cli_run(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    const char *program = arguments->value[GSIM_CLI_WRITE_PROGRAM];
    struct run r = {0};
    struct gsim_result result = {.simulation = &r.point.simulation, .timeline = &r.timeline, .metrics = &r.metrics};
    uint32_t sm_count = 0, spread_runs = 0;
    if (arguments->value[GSIM_CLI_RANKS]) return gsim_cli_run_ranks(arguments, error);
    if (gsim_cli_has_tasks(arguments)) return gsim_cli_run_tasks(arguments, error);
    enum gsim_status status = gsim_cli_need_program(arguments, error);
    if (!status) status = gsim_cli_check_used(arguments, GSIM_CLI_OF_PROGRAM, error);
    if (!status) status = gsim_cli_trace_sms(arguments, &sm_count, error);
    if (!status) status = gsim_cli_trace_window(arguments, &result.window_from, &result.window_until, error);
    if (!status) status = gsim_cli_spread_runs(arguments, &spread_runs, error);
    if (!status) status = prepare(&r, arguments, error);
    if (!status && spread_runs) status = gsim_cli_point_known(&r.point, "--spread", error);
    if (!status) status = write_program(&r, program, false, error);
    if (!status) status = simulate(&r, sm_count, error);
    if (!status) status = write_program(&r, program, true, error);
    if (!status && spread_runs) status = gsim_spread_of(&r.point.simulation, spread_runs, &r.spread, error);
    if (!status && !r.point.source) {
        const struct gsim_cli_case cell = {arguments->value[GSIM_CLI_WORKLOAD], r.scheduler, r.metrics.makespan,
                                           r.metrics.iteration_total, r.timeline.kernel_count};
        gsim_cli_note_idle_opts(&r.setup, &cell, 1);
    }
    if (!status) status = gsim_cli_write_plan(arguments, &r.timeline, error);
    result.spread = spread_runs ? &r.spread : NULL;
    result.options = r.point.options;
    result.option_count = r.point.option_count;
    result.blocks = sm_count ? &r.blocks : NULL;
    if (!status) status = gsim_cli_deliver(arguments, &result, error);
    gsim_timeline_release(&r.timeline);
    gsim_block_log_release(&r.blocks);
    gsim_cli_point_release(&r.point);
    gsim_cli_setup_release(&r.setup);
    return status;
}
