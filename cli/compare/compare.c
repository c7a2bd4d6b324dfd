/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). "gpusim compare": workloads x schedulers, the median time of an iteration and the
 * speed-up over a base scheduler. Runs are made by worker processes: one that fails or crashes costs its cell. Tables
 * and files: cli/compare/compare_table.c.
 */
#include "cli/compare/compare.h"
#include "ask/subject.h"
#include "gpusim/limits.h"
#include "cli/place/node.h"
#include "cli/tasks/tasks.h"

#include <string.h>

#include "sim/base/jobs/each.h"
#include "sim/base/text.h"
#include "sim/program/guess.h"
#include "cli/ranks/ranks.h"

#define BASE_DEFAULT  "serial"
#define REPEAT_MAX    1e6

const char *const gsim_compare_settings[GSIM_COMPARE_SETTINGS] = {"suite",  "size",   "block1d",
                                                                  "blocks", "memory", "prefetch"};

/* --- which runs ---------------------------------------------------------------------------------------------- */
static enum gsim_status choose_workloads(struct gsim_comparison *comparison, struct gsim_error *error)
{
    const char *text = comparison->arguments->value[GSIM_CLI_WORKLOAD];
    bool all = !text || strcmp(text, "all") == 0;
    size_t room = 0;
    while (gsim_workload_at((uint32_t)room)) room++;
    if (!all) room = gsim_text_items(text);
    comparison->workloads = GSIM_ARENA_ARRAY(&comparison->arena, const char *, room);
    char *list = gsim_arena_strdup(&comparison->arena, all ? "" : text);
    if (all) {
        for (size_t i = 0; i < room; i++)
            comparison->workloads[comparison->workload_count++] = gsim_workload_at((uint32_t)i)->name;
        return GSIM_OK;
    }
    for (char *item; (item = gsim_text_cut(&list));) {
        if (!*item) return gsim_refuse(error, "--workload: expected names separated by commas, found '%s'", text);
        if (strcmp(item, "-") == 0)
            return gsim_refuse(
                error, "--workload: every scheduler reads the program, standard input cannot be: expected a file");
        comparison->workloads[comparison->workload_count++] = item;
    }
    return GSIM_OK;
}

static bool has_size(const char *workload, const char *size)
{
    const struct gsim_workload_ops *ops = gsim_workload_find(workload);
    double number;
    if (!ops || gsim_text_quantity(size, &number)) return true;
    for (const struct gsim_workload_preset *preset = ops->presets; preset && preset->name; preset++)
        if (strcmp(preset->name, size) == 0) return true;
    return false;
}

/* A preset belongs to some workloads only: the others are left out, unless there would be none. */
static void drop_without_preset(struct gsim_comparison *comparison)
{
    const char *size = comparison->arguments->value[GSIM_CLI_SIZE];
    size_t kept = 0;
    for (size_t i = 0; size && i < comparison->workload_count; i++) kept += has_size(comparison->workloads[i], size);
    if (!kept || kept == comparison->workload_count) return;
    kept = 0;
    for (size_t i = 0; i < comparison->workload_count; i++) {
        if (has_size(comparison->workloads[i], size)) comparison->workloads[kept++] = comparison->workloads[i];
        else fprintf(stderr, "gpusim: %s is left out: it has no size preset '%.60s'\n", comparison->workloads[i], size);
    }
    comparison->workload_count = kept;
}

static enum gsim_status add_scheduler(struct gsim_comparison *comparison, const char *name, size_t *index,
                                      struct gsim_error *error)
{
    const struct gsim_scheduler_ops *ops;
    enum gsim_status status = gsim_cli_scheduler(name, &ops, error);
    if (status != GSIM_OK) return status;
    for (*index = 0; *index < comparison->scheduler_count; ++*index)
        if (comparison->schedulers[*index] == ops) return GSIM_OK;
    comparison->schedulers[comparison->scheduler_count++] = ops;
    return GSIM_OK;
}

/* --place A,B: a column for each scheduler and placement; the base is the first, or --base's of the first placement. */
static enum gsim_status add_placements(struct gsim_comparison *comparison, const char *text, struct gsim_error *error)
{
    size_t schedulers = comparison->shown_count, count = gsim_text_items(text) * schedulers, at = 0;
    struct gsim_arena *arena = &comparison->arena;
    struct gsim_cli_arguments *words = GSIM_ARENA_NEW(arena, struct gsim_cli_arguments);
    const struct gsim_scheduler_ops **own = comparison->schedulers;
    char *list = gsim_arena_strdup(arena, text);
    comparison->schedulers = GSIM_ARENA_ARRAY(arena, const struct gsim_scheduler_ops *, count);
    comparison->placements = GSIM_ARENA_ARRAY(arena, const struct gsim_placement_ops *, count);
    comparison->names = GSIM_ARENA_ARRAY(arena, const char *, count);
    for (char *item; (item = gsim_text_cut(&list));)
        for (size_t s = 0; s < schedulers; s++, at++) {
            const struct gsim_placement_ops **placement = &comparison->placements[at];
            if (gsim_placement_load(item, placement, error)) return gsim_error_prefix(error, "--place");
            const char *name = (*placement)->name;
            comparison->schedulers[at] = own[s];
            comparison->names[at] = schedulers == 1 ? name : gsim_arena_printf(arena, "%s/%s", own[s]->name, name);
        }
    if (comparison->base_index == schedulers && comparison->arguments->value[GSIM_CLI_BASE])
        return gsim_refuse(error, "--base: expected one of --sched where --place names several");
    if (comparison->base_index == schedulers) comparison->base_index = 0;
    comparison->scheduler_count = comparison->shown_count = count;
    *words = *comparison->arguments;
    words->value[GSIM_CLI_PLACE] = NULL; /* each run has one of them */
    comparison->arguments = words;
    return GSIM_OK;
}

static enum gsim_status choose_columns(struct gsim_comparison *comparison, struct gsim_error *error)
{
    const char *place = comparison->arguments->value[GSIM_CLI_PLACE];
    const char *text = comparison->arguments->value[GSIM_CLI_SCHED],
               *base = comparison->arguments->value[GSIM_CLI_BASE];
    bool all = !text || strcmp(text, "all") == 0;
    size_t room = 0, index;
    enum gsim_status status = GSIM_OK;
    while (gsim_scheduler_at((uint32_t)room)) room++;
    if (!all) room = gsim_text_items(text);
    comparison->schedulers = GSIM_ARENA_ARRAY(&comparison->arena, const struct gsim_scheduler_ops *, room + 1);
    char *list = gsim_arena_strdup(&comparison->arena, all ? "" : text);
    if (all)
        for (uint32_t i = 0; gsim_scheduler_at(i); i++)
            comparison->schedulers[comparison->scheduler_count++] = gsim_scheduler_at(i);
    else
        for (char *item; status == GSIM_OK && (item = gsim_text_cut(&list));)
            status = add_scheduler(comparison, item, &index, error);
    if (status == GSIM_OK) comparison->shown_count = comparison->scheduler_count;
    if (status == GSIM_OK)
        status = add_scheduler(comparison, base ? base : BASE_DEFAULT, &comparison->base_index, error);
    if (status || (place && strchr(place, ','))) return status ? status : add_placements(comparison, place, error);
    comparison->names = GSIM_ARENA_ARRAY(&comparison->arena, const char *, comparison->scheduler_count);
    for (size_t i = 0; i < comparison->scheduler_count; i++) comparison->names[i] = comparison->schedulers[i]->name;
    return GSIM_OK;
}

struct collector {
    struct gsim_comparison *comparison;
    struct gsim_progress progress;
    struct gsim_error *failures; /* per cell: of its first repetition that failed */
    struct gsim_each each;
};

/* --- one run, in a worker -------------------------------------------------------------------------------------- */
static void keep_settings(const struct gsim_cli_point *point, struct gsim_compare_cell *cell)
{
    for (size_t i = 0; i < point->option_count; i++)
        for (size_t s = 0; s < GSIM_COMPARE_SETTINGS; s++)
            if (strcmp(point->options[i].name, gsim_compare_settings[s]) == 0)
                snprintf(cell->settings[s], sizeof cell->settings[s], "%s", point->options[i].value);
}

/* --- --ranks: a cell is a run of all ranks under one scheduler --- */
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

static enum gsim_status open_ranks(struct gsim_comparison *comparison, struct gsim_error *error)
{
    struct gsim_cli_arguments words;
    struct gsim_cli_ranks ranks = {0};
    comparison->asked = comparison->arguments;
    enum gsim_status status = gsim_cli_check_used(comparison->asked, GSIM_CLI_OF_RANKS, error);
    if (!status && !is_count(comparison)) { /* the file names the programs */
        if (comparison->arguments->value[GSIM_CLI_WORKLOAD])
            return gsim_refuse(error, "--workload: the file of --ranks names the programs");
        comparison->workloads[0] = comparison->arguments->value[GSIM_CLI_RANKS];
        comparison->workload_count = 1;
    }
    if (!status) status = read_cell(comparison, 0, 0, &words, &ranks, error);
    struct gsim_cli_arguments *kept = GSIM_ARENA_NEW(&comparison->arena, struct gsim_cli_arguments);
    if (!status) {
        const char *device = ranks.words.value[GSIM_CLI_DEVICE];
        *kept = *comparison->asked; /* of a node ranks have the device and the links alone */
        kept->value[GSIM_CLI_NODE] = NULL;
        kept->value[GSIM_CLI_DEVICE] = device ? gsim_arena_strdup(&comparison->arena, device) : NULL;
        comparison->arguments = kept;
    }
    gsim_cli_ranks_release(&ranks);
    return status;
}

static enum gsim_status run_ranks(const struct gsim_comparison *comparison, size_t workload, size_t scheduler,
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
        keep_settings(&r.points[0], cell);
    }
    gsim_timeline_release(&timeline);
    gsim_cli_ranks_release(&r);
    return status;
}

static enum gsim_status run_once(void *data, uint64_t item, void *result, struct gsim_error *error)
{
    const struct gsim_comparison *comparison = ((struct collector *)data)->comparison;
    struct gsim_compare_cell *cell = result;
    size_t index = (size_t)(item / comparison->repeat), repetition = (size_t)(item % comparison->repeat);
    size_t workload = index / comparison->scheduler_count, scheduler = index % comparison->scheduler_count;
    struct gsim_cli_setup setup = comparison->setup;
    struct gsim_cli_point point;
    struct gsim_timeline timeline = {0};
    if (comparison->asked) return run_ranks(comparison, workload, scheduler, repetition, cell, error);
    setup.seed += repetition;
    if (comparison->placements) setup.placement = comparison->placements[scheduler];
    enum gsim_status status =
        gsim_cli_point_init(&point, &setup, comparison->workloads[workload], comparison->schedulers[scheduler], error);
    if (status != GSIM_OK) return status;
    if (setup.places_best) status = gsim_cli_best_place(&point, false, error);
    if (status == GSIM_OK)
        status = gsim_cli_point_run(&point, comparison->writes_plan, &timeline, &cell->metrics, error);
    if (status == GSIM_OK && comparison->writes_plan)
        status = gsim_cli_write_plan(comparison->arguments, &timeline, error);
    if (status == GSIM_OK) keep_settings(&point, cell);
    if (status == GSIM_OK && timeline.iteration_count) {
        cell->done = true;
        cell->first = timeline.iterations[0];
        cell->iterations = timeline.iteration_count;
        cell->kernels = point.iteration_kernels;
        bool is_used[GSIM_LIMIT_GPUS] = {false};
        uint32_t count = 0;
        for (size_t i = 0; i < timeline.kernel_count; i++) {
            count += !is_used[timeline.kernels[i].device];
            is_used[timeline.kernels[i].device] = true;
        }
        cell->gpus = count;
        gsim_energy_note(&timeline, point.simulation.device, cell->metrics.makespan, cell->over);
        cell->critical_path = point.iteration.critical_path;
        cell->lower_bound = point.iteration.lower_bound;
    }
    gsim_timeline_release(&timeline);
    gsim_cli_point_release(&point);
    return status;
}

/* --- all runs ---------------------------------------------------------------------------------------------------- */
static enum gsim_status deliver(void *data, uint64_t item, const void *result, const struct gsim_error *failure,
                                struct gsim_error *error)
{
    struct collector *c = data;
    size_t index = (size_t)(item / c->comparison->repeat), repetition = (size_t)(item % c->comparison->repeat);
    struct gsim_compare_cell *cell = &c->comparison->cells[index];
    const struct gsim_compare_cell *found = result;
    (void)error;
    /* Bad usage concerns all runs: no others are begun. */
    if (failure->status == GSIM_USAGE || failure->status == GSIM_NOMEM) c->each.count = c->each.started;
    if (failure->status && !c->failures[index].status) c->failures[index] = *failure;
    if (failure->status || !found->done) return GSIM_OK;
    cell->times[repetition] = found->metrics.iteration_median;
    if (repetition) return GSIM_OK;
    gsim_time *times = cell->times;
    *cell = *found;
    cell->times = times;
    return GSIM_OK;
}

static enum gsim_status run_pool(struct collector *c, struct gsim_error *error)
{
    struct gsim_comparison *comparison = c->comparison;
    c->each = (struct gsim_each){
        .count = (uint64_t)comparison->workload_count * comparison->scheduler_count * comparison->repeat,
        .size = sizeof(struct gsim_compare_cell), .run = run_once, .deliver = deliver, .data = c,
        .progress = &c->progress,
        .heeds_signals = true};
    enum gsim_status status = gsim_cli_jobs(comparison->arguments, 0, &c->each.jobs, error);
    if (status != GSIM_OK) return status;
    gsim_progress_start(&c->progress, c->each.count, stderr);
    c->progress.unit = "runs";
    status = gsim_each_run(&c->each, error);
    gsim_progress_clear(&c->progress);
    if (c->each.stopped_by) raise(c->each.stopped_by); /* and it ends the process here */
    return status;
}

static bool is_drawn_for(const struct gsim_comparison *comparison, size_t workload, size_t scheduler)
{
    return gsim_source_find(comparison->workloads[workload]) && !comparison->schedulers[scheduler]->takes_source;
}

/* Bad usage ends the comparison; other failures are told and the table goes on. */
static enum gsim_status tell_failures(struct collector *c, struct gsim_error *error)
{
    struct gsim_comparison *comparison = c->comparison;
    const char *last = "";
    for (size_t i = 0; i < comparison->workload_count * comparison->scheduler_count; i++) {
        const struct gsim_error *failure = &c->failures[i];
        size_t scheduler = i % comparison->scheduler_count;
        comparison->cells[i].done &= failure->status == GSIM_OK;
        comparison->done_count += comparison->cells[i].done;
        if (failure->status == GSIM_OK) continue;
        if (failure->status == GSIM_USAGE || failure->status == GSIM_NOMEM)
            return gsim_error_set(error, failure->status, "%s", failure->message);
        /* A program that cannot be read fails under every scheduler with the same words. */
        if (!is_drawn_for(comparison, i / comparison->scheduler_count, scheduler) &&
            (!scheduler || strcmp(failure->message, last) != 0))
            fprintf(stderr, "gpusim: %s with %s: %s\n", comparison->workloads[i / comparison->scheduler_count],
                    comparison->names[scheduler], failure->message);
        last = failure->message;
        if (comparison->worst == GSIM_OK) comparison->worst = failure->status;
    }
    /* One line for each scheduler that programs which are drawn cannot be given. */
    for (size_t s = 0; s < comparison->scheduler_count; s++) {
        size_t count = 0;
        for (size_t w = 0; w < comparison->workload_count; w++) {
            if (!is_drawn_for(comparison, w, s)) continue;
            if (!count)
                fprintf(stderr, "gpusim: %s needs the whole program beforehand, and ", comparison->schedulers[s]->name);
            fprintf(stderr, "%s'%s'", count++ ? ", " : "", comparison->workloads[w]);
        }
        if (count) fprintf(stderr, " %s\n", count > 1 ? "are drawn while they run" : "is drawn while it runs");
    }
    return GSIM_OK;
}

/* What is odd in a program file is told once, here. */
static void note_programs(struct gsim_comparison *comparison)
{
    for (size_t i = 0; i < comparison->workload_count; i++) {
        struct gsim_cli_point point;
        struct gsim_error ignored = {0};
        if (gsim_subject_is_name(gsim_subject_kind_of(comparison->workloads[i]))) continue;
        if (gsim_cli_point_init(&point, &comparison->setup, comparison->workloads[i], comparison->schedulers[0],
                                &ignored) != GSIM_OK)
            continue;
        gsim_cli_note_devices(&point.program, (const char *const[]){comparison->setup.device.name}, 1);
        if (!gsim_program_guess(&comparison->said, point.program.guesses)) comparison->worst = GSIM_NOMEM;
        gsim_cli_point_release(&point);
    }
}

static enum gsim_status run_all(struct gsim_comparison *comparison, struct gsim_error *error)
{
    struct collector c = {.comparison = comparison};
    size_t count = comparison->workload_count * comparison->scheduler_count;
    comparison->cells = GSIM_ARENA_ARRAY(&comparison->arena, struct gsim_compare_cell, count);
    c.failures = GSIM_ARENA_ARRAY(&comparison->arena, struct gsim_error, count);
    for (size_t i = 0; i < count; i++) {
        comparison->cells[i].times = GSIM_ARENA_ARRAY(&comparison->arena, gsim_time, comparison->repeat);
    }
    enum gsim_status status = run_pool(&c, error);
    return status == GSIM_OK ? tell_failures(&c, error) : status;
}

/* Repetitions have seeds of their own, the same ones for every scheduler: ratios are taken seed by seed. */
static void sum_up(struct gsim_comparison *comparison)
{
    for (size_t i = 0; i < comparison->workload_count; i++)
        for (size_t j = 0; j < comparison->scheduler_count; j++) {
            const struct gsim_compare_cell *base = gsim_compare_cell(comparison, i, comparison->base_index);
            struct gsim_compare_cell *cell = gsim_compare_cell(comparison, i, j);
            struct gsim_stats times, ratios;
            gsim_stats_init(&times);
            gsim_stats_init(&ratios);
            for (size_t r = 0; r < comparison->repeat && cell->done; r++) {
                gsim_stats_add(&times, gsim_time_us(cell->times[r]));
                if (base->done && cell->times[r] > 0)
                    gsim_stats_add(&ratios, (double)base->times[r] / (double)cell->times[r]);
            }
            cell->us = gsim_stats_mean(&times);
            cell->us_ci = gsim_stats_ci95(&times);
            cell->speedup = gsim_stats_mean(&ratios);
            cell->speedup_ci = gsim_stats_ci95(&ratios);
        }
}

/* Of the cells that came out. What an option changes under a plug-in is not asked, as that may crash: nothing is said
 * then. */
static void note_idle_opts(struct gsim_comparison *comparison)
{
    size_t count = 0, total = comparison->workload_count * comparison->scheduler_count;
    struct gsim_cli_case *cells = GSIM_ARENA_ARRAY(&comparison->arena, struct gsim_cli_case, total + 1);
    if (!cells) return;
    for (size_t i = 0; i < comparison->scheduler_count; i++)
        if (gsim_scheduler_find(comparison->schedulers[i]->name) != comparison->schedulers[i]) return;
    for (size_t i = 0; i < total; i++) {
        const struct gsim_compare_cell *cell = &comparison->cells[i];
        if (!cell->done) continue;
        cells[count++] = (struct gsim_cli_case){comparison->workloads[i / comparison->scheduler_count],
                                                comparison->schedulers[i % comparison->scheduler_count],
                                                cell->metrics.makespan,
                                                cell->metrics.iteration_total,
                                                cell->kernels};
    }
    gsim_cli_note_idle_opts(&comparison->setup, cells, count);
}

/* The best cell once more. */
static enum gsim_status write_plan(struct gsim_comparison *comparison, struct gsim_error *error)
{
    size_t best = SIZE_MAX, total = comparison->workload_count * comparison->scheduler_count;
    struct gsim_compare_cell cell = {0};
    if (comparison->workload_count > 1)
        return gsim_refuse(error, "--plan: expected one workload, found %zu", comparison->workload_count);
    for (size_t i = 0; i < total; i++)
        if (comparison->cells[i].done && (best == SIZE_MAX || comparison->cells[i].us < comparison->cells[best].us))
            best = i;
    if (best == SIZE_MAX) return GSIM_OK;
    comparison->writes_plan = true;
    return run_once(&(struct collector){.comparison = comparison}, (uint64_t)best * comparison->repeat, &cell, error);
}

static enum gsim_status check_place(const struct gsim_comparison *comparison, struct gsim_error *error)
{
    size_t ignoring = 0;
    for (size_t i = 0; i < comparison->shown_count; i++)
        ignoring += gsim_cli_ignores_place(comparison->schedulers[i]);
    if (ignoring == comparison->shown_count)
        return gsim_refuse(error, "--place: eager takes none: whichever GPU has room takes a kernel");
    if (ignoring)
        fputs("gpusim: note: --place has no effect on eager: whichever GPU has room takes a kernel\n", stderr);
    return GSIM_OK;
}

static enum gsim_status compare(struct gsim_comparison *comparison, struct gsim_error *error)
{
    const struct gsim_cli_arguments *arguments = comparison->arguments; /* with --place A,B */
    uint32_t repeat;
    enum gsim_status status = gsim_cli_count(comparison->arguments, GSIM_CLI_REPEAT, 1, REPEAT_MAX, 1, &repeat, error);
    comparison->repeat = repeat;
    if (status == GSIM_OK) status = gsim_cli_check_used(comparison->arguments, GSIM_CLI_OF_PROGRAM, error);
    if (status == GSIM_OK) status = choose_workloads(comparison, error);
    if (status == GSIM_OK) drop_without_preset(comparison);
    if (status == GSIM_OK) status = choose_columns(comparison, error);
    if (status == GSIM_OK && comparison->arguments->value[GSIM_CLI_RANKS]) status = open_ranks(comparison, error);
    if (status == GSIM_OK) {
        /* An --opt is of one of the schedulers or placements. */
        size_t count = comparison->scheduler_count, all = comparison->placements ? 2 * count : count;
        struct gsim_arena *arena = &comparison->arena;
        const struct gsim_scheduler_ops **list = GSIM_ARENA_ARRAY(arena, const struct gsim_scheduler_ops *, all);
        struct gsim_scheduler_ops *views = GSIM_ARENA_ARRAY(arena, struct gsim_scheduler_ops, count);
        for (size_t i = 0; i < count; i++) {
            list[i] = comparison->schedulers[i];
            if (!comparison->placements) continue;
            views[i] = gsim_cli_placement_view(comparison->placements[i]);
            list[count + i] = &views[i];
        }
        status = gsim_cli_check_opts(comparison->arguments, list, all, error);
    }
    if (status == GSIM_OK && arguments->value[GSIM_CLI_PLACE]) status = check_place(comparison, error);
    if (status == GSIM_OK) status = gsim_cli_setup_init(&comparison->setup, comparison->arguments, error);
    if (status == GSIM_OK && comparison->placements && gsim_cli_gpu_count(&comparison->setup) < 2)
        status = gsim_refuse(error, "--place: applies to several GPUs (--gpus, --node)");
    if (status != GSIM_OK) return status;
    comparison->setup.until_steady = true;
    if (!comparison->asked) note_programs(comparison);
    status = run_all(comparison, error);
    if (status != GSIM_OK || !comparison->done_count) return status; /* a table of failures says no more */
    if (!comparison->asked && !comparison->placements) note_idle_opts(comparison);
    sum_up(comparison);
    if (comparison->arguments->value[GSIM_CLI_PLAN]) status = write_plan(comparison, error);
    if (status != GSIM_OK) return status;
    return gsim_compare_deliver(comparison, error);
}

int gsim_cli_compare(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct gsim_comparison comparison = {.arguments = arguments};
    enum gsim_status status, worst = GSIM_OK;
    if (gsim_cli_has_tasks(arguments) && !arguments->value[GSIM_CLI_RANKS]) {
        status = gsim_cli_compare_tasks(arguments, &worst, error);
    } else {
        status = compare(&comparison, error);
        worst = comparison.worst;
    }
    gsim_cli_setup_release(&comparison.setup);
    gsim_program_release(&comparison.said);
    gsim_arena_release(&comparison.arena);
    return status ? (int)status : gsim_cli_exit(error, gsim_status_exit(worst));
}
