/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (program). "gpusim compare": workloads x schedulers, the median time of an iteration and the
 * speed-up over a base scheduler, with geometric means. Runs that fail are marked and do not enter the means.
 */
#include "cli/cli.h"
#include "sim/base/text.h"
#include "sim/base/jobs/progress.h"

#define BASE_DEFAULT   "serial"
#define COMPARE_SCHEMA "gpusim-compare/1"
#define CELL_WIDTH     15
#define FIRST_SHOWN    0.05 /* a first iteration this far off is shown */

/* Of the options that a point came to, those that say what was run; "" where a program file has none. */
static const char *const settings[] = {"suite", "size", "block1d", "blocks", "memory", "prefetch"};
#define SETTING_COUNT (sizeof settings / sizeof settings[0])

struct cell {
    bool done;
    const char *settings[SETTING_COUNT];
    struct gsim_metrics metrics;
    struct gsim_iteration_record first;
    size_t iterations, kernels;
};

struct comparison {
    const struct gsim_cli_arguments *arguments;
    struct gsim_cli_setup setup;
    const char **workloads;
    const struct gsim_scheduler_ops **schedulers; /* the base is the last one when it was not asked for */
    size_t workload_count, scheduler_count, shown_count, base_index;
    struct cell *cells; /* workloads x schedulers */
    struct gsim_arena arena;
    enum gsim_status worst;
    size_t done_count;
};

static struct cell *cell_of(const struct comparison *comparison, size_t workload, size_t scheduler)
{
    return &comparison->cells[workload * comparison->scheduler_count + scheduler];
}

/* NAN where one of the two runs is missing. */
static double speedup(const struct comparison *comparison, size_t workload, size_t scheduler)
{
    const struct cell *base = cell_of(comparison, workload, comparison->base_index);
    const struct cell *cell = cell_of(comparison, workload, scheduler);
    if (!base->done || !cell->done || cell->metrics.iteration_median <= 0) return NAN;
    return (double)base->metrics.iteration_median / (double)cell->metrics.iteration_median;
}

static double geometric_mean(const struct comparison *comparison, size_t scheduler)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < comparison->workload_count; i++) {
        double ratio = speedup(comparison, i, scheduler);
        if (isnan(ratio) || ratio <= 0) continue;
        sum += log(ratio);
        count++;
    }
    return count ? exp(sum / (double)count) : NAN;
}

/* --- which runs ---------------------------------------------------------------------------------------------- */
/* The next item of a comma-separated list; NULL at the end. */
static char *next_item(char **at)
{
    char *item = *at;
    if (!item) return NULL;
    char *comma = strchr(item, ',');
    *at = comma ? comma + 1 : NULL;
    if (comma) *comma = '\0';
    return item;
}

static size_t count_items(const char *text)
{
    size_t count = 1;
    for (; *text; text++) count += *text == ',';
    return count;
}

static enum gsim_status choose_workloads(struct comparison *comparison, struct gsim_error *error)
{
    const char *text = comparison->arguments->value[GSIM_CLI_WORKLOAD];
    bool all = !text || strcmp(text, "all") == 0;
    size_t room = 0;
    while (gsim_workload_at((uint32_t)room)) room++;
    if (!all) room = count_items(text);
    comparison->workloads = GSIM_ARENA_ARRAY(&comparison->arena, const char *, room);
    char *list = gsim_arena_strdup(&comparison->arena, all ? "" : text);
    if (!comparison->workloads || !list) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (all) {
        for (size_t i = 0; i < room; i++)
            comparison->workloads[comparison->workload_count++] = gsim_workload_at((uint32_t)i)->name;
        return GSIM_OK;
    }
    for (char *item; (item = next_item(&list));) {
        if (!*item)
            return gsim_error_set(error, GSIM_USAGE, "--workload: expected names separated by commas, found '%s'",
                                  text);
        if (strcmp(item, "-") == 0)
            return gsim_error_set(error, GSIM_USAGE,
                                  "--workload: every scheduler reads the program, standard input cannot be: expected a file");
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
static void drop_without_preset(struct comparison *comparison)
{
    const char *size = comparison->arguments->value[GSIM_CLI_SIZE];
    size_t kept = 0;
    for (size_t i = 0; size && i < comparison->workload_count; i++) kept += has_size(comparison->workloads[i], size);
    if (!kept || kept == comparison->workload_count) return;
    kept = 0;
    for (size_t i = 0; i < comparison->workload_count; i++) {
        if (has_size(comparison->workloads[i], size))
            comparison->workloads[kept++] = comparison->workloads[i];
        else
            fprintf(stderr, "gpusim: %s is left out: it has no size preset '%.60s'\n", comparison->workloads[i], size);
    }
    comparison->workload_count = kept;
}

static enum gsim_status add_scheduler(struct comparison *comparison, const char *name, size_t *index,
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

static enum gsim_status choose_schedulers(struct comparison *comparison, struct gsim_error *error)
{
    const char *text = comparison->arguments->value[GSIM_CLI_SCHED],
               *base = comparison->arguments->value[GSIM_CLI_BASE];
    bool all = !text || strcmp(text, "all") == 0;
    size_t room = 0, index;
    enum gsim_status status = GSIM_OK;
    while (gsim_scheduler_at((uint32_t)room)) room++;
    if (!all) room = count_items(text);
    comparison->schedulers = GSIM_ARENA_ARRAY(&comparison->arena, const struct gsim_scheduler_ops *, room + 1);
    char *list = gsim_arena_strdup(&comparison->arena, all ? "" : text);
    if (!comparison->schedulers || !list) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (all)
        for (uint32_t i = 0; gsim_scheduler_at(i); i++)
            comparison->schedulers[comparison->scheduler_count++] = gsim_scheduler_at(i);
    else
        for (char *item; status == GSIM_OK && (item = next_item(&list));)
            status = add_scheduler(comparison, item, &index, error);
    if (status != GSIM_OK) return status;
    comparison->shown_count = comparison->scheduler_count;
    return add_scheduler(comparison, base ? base : BASE_DEFAULT, &comparison->base_index, error);
}

/* --- running ------------------------------------------------------------------------------------------------- */
static enum gsim_status keep_settings(struct comparison *comparison, const struct gsim_cli_point *point, struct cell *cell,
                                      struct gsim_error *error)
{
    for (size_t s = 0; s < SETTING_COUNT; s++) cell->settings[s] = "";
    for (size_t i = 0; i < point->option_count; i++)
        for (size_t s = 0; s < SETTING_COUNT; s++)
            if (strcmp(point->options[i].name, settings[s]) == 0)
                cell->settings[s] = gsim_arena_strdup(&comparison->arena, point->options[i].value);
    return comparison->arena.failed ? gsim_error_set(error, GSIM_NOMEM, "out of memory") : GSIM_OK;
}

static enum gsim_status run_cell(struct comparison *comparison, size_t workload, size_t scheduler,
                                 struct gsim_error *error)
{
    struct cell *cell = cell_of(comparison, workload, scheduler);
    struct gsim_cli_point point;
    struct gsim_timeline timeline = {0};
    enum gsim_status status = gsim_cli_point_init(&point, &comparison->setup, comparison->workloads[workload],
                                                  comparison->schedulers[scheduler], error);
    if (status != GSIM_OK) return status;
    if (!scheduler) gsim_cli_note_devices(&point.program, (const char *const[]){comparison->setup.device.name}, 1);
    status = gsim_cli_point_run(&point, false, &timeline, &cell->metrics, error);
    if (status == GSIM_OK) status = keep_settings(comparison, &point, cell, error);
    if (status == GSIM_OK && timeline.iteration_count) {
        cell->done = true;
        cell->first = timeline.iterations[0];
        cell->iterations = timeline.iteration_count;
        cell->kernels = timeline.kernel_count;
    }
    gsim_timeline_release(&timeline);
    gsim_cli_point_release(&point);
    return status;
}

/* Bad usage concerns all runs and ends the comparison; other failures are told and the table goes on. */
static enum gsim_status run_all(struct comparison *comparison, struct gsim_error *error)
{
    size_t total = comparison->workload_count * comparison->scheduler_count;
    struct gsim_progress progress;
    struct gsim_error last = {0};
    gsim_progress_start(&progress, total, stderr);
    progress.unit = "runs";
    for (size_t i = 0; i < total; i++) {
        size_t workload = i / comparison->scheduler_count, scheduler = i % comparison->scheduler_count;
        const char *workload_name = comparison->workloads[workload];
        const char *scheduler_name = comparison->schedulers[scheduler]->name;
        struct gsim_error failure = {0};
        progress.done = i;
        snprintf(progress.detail, sizeof(progress.detail), "%.30s with %.20s", workload_name, scheduler_name);
        gsim_progress_show(&progress);
        enum gsim_status status = run_cell(comparison, workload, scheduler, &failure);
        if (status != GSIM_OK) gsim_progress_clear(&progress);
        comparison->done_count += status == GSIM_OK;
        if (status == GSIM_OK) continue;
        if (status == GSIM_USAGE || status == GSIM_NOMEM) return gsim_error_set(error, status, "%s", failure.message);
        /* A program that cannot be read fails under every scheduler with the same words. */
        if (!scheduler || strcmp(failure.message, last.message) != 0)
            fprintf(stderr, "gpusim: %s with %s: %s\n", workload_name, scheduler_name, failure.message);
        last = failure;
        if (comparison->worst == GSIM_OK) comparison->worst = status;
    }
    gsim_progress_clear(&progress);
    return GSIM_OK;
}

/* --- the table ----------------------------------------------------------------------------------------------- */
static void put_cell(const struct comparison *comparison, size_t workload, size_t scheduler, struct gsim_output *output)
{
    const struct cell *cell = cell_of(comparison, workload, scheduler);
    double ratio = speedup(comparison, workload, scheduler);
    char time[GSIM_TEXT_SIZE];
    if (!cell->done) {
        gsim_output_printf(output, "%*s", CELL_WIDTH, "failed");
        return;
    }
    gsim_output_printf(output, " %8s", gsim_text_time(time, cell->metrics.iteration_median));
    if (isnan(ratio))
        gsim_output_printf(output, " %5s", "-");
    else
        gsim_output_printf(output, " %5.2f", ratio);
}

/* The columns FIRST to LAST - 1, as many as fit on 100 columns. */
static void put_block(const struct comparison *comparison, size_t first, size_t last, unsigned name_width,
                      struct gsim_output *output)
{
    char name[32];
    gsim_output_printf(output, "\n%-*s", (int)name_width, "");
    for (size_t j = first; j < last; j++)
        gsim_output_printf(output, "%*s", CELL_WIDTH,
                           gsim_text_fit(name, sizeof(name), comparison->schedulers[j]->name, CELL_WIDTH - 1));
    gsim_output_text(output, "\n");
    for (size_t i = 0; i < comparison->workload_count; i++) {
        gsim_output_printf(output, "%-*s", (int)name_width,
                           gsim_text_fit(name, sizeof(name), comparison->workloads[i], name_width - 1));
        for (size_t j = first; j < last; j++) put_cell(comparison, i, j, output);
        gsim_output_text(output, "\n");
    }
    gsim_output_printf(output, "%-*s", (int)name_width, "geomean");
    for (size_t j = first; j < last; j++) {
        double mean = geometric_mean(comparison, j);
        if (isnan(mean))
            gsim_output_printf(output, "%*s", CELL_WIDTH, "-");
        else
            gsim_output_printf(output, "%*.2f", CELL_WIDTH, mean);
    }
    gsim_output_text(output, "\n");
}

/* What a program that runs once would see. */
static void put_first_iterations(const struct comparison *comparison, struct gsim_output *output)
{
    bool any = false;
    for (size_t i = 0; i < comparison->workload_count; i++)
        for (size_t j = 0; j < comparison->shown_count; j++) {
            const struct cell *cell = cell_of(comparison, i, j);
            gsim_time first = cell->first.end - cell->first.start, steady = cell->metrics.iteration_median;
            char time[GSIM_TEXT_SIZE];
            if (!cell->done || cell->iterations < 2 || fabs((double)first / (double)steady - 1) <= FIRST_SHOWN) continue;
            gsim_output_text(output, any ? "" : "\nFirst iterations that differ by more than 5 %, with the time over the steady one:\n");
            any = true;
            gsim_output_printf(output, "  %-20.20s %-15.15s %9s  %.2f\n", comparison->workloads[i], comparison->schedulers[j]->name,
                               gsim_text_time(time, first), (double)first / (double)steady);
        }
}

static void put_table(const struct comparison *comparison, struct gsim_output *output)
{
    size_t longest = strlen("geomean");
    for (size_t i = 0; i < comparison->workload_count; i++)
        if (strlen(comparison->workloads[i]) > longest) longest = strlen(comparison->workloads[i]);
    /* Long paths are cut; the names of built-in workloads leave room for six schedulers. */
    unsigned name_width = (longest > 20 ? 20 : (unsigned)longest) + 1;
    size_t per_block = (100 - name_width) / CELL_WIDTH;
    gsim_output_printf(output, "Median time of an iteration on %s and speed-up over %s, seed %llu%s\n",
                       comparison->setup.device.name, comparison->schedulers[comparison->base_index]->name,
                       (unsigned long long)comparison->setup.seed, comparison->setup.noise ? ", with noise" : "");
    for (size_t first = 0; first < comparison->shown_count; first += per_block) {
        size_t last = first + per_block < comparison->shown_count ? first + per_block : comparison->shown_count;
        put_block(comparison, first, last, name_width, output);
    }
    put_first_iterations(comparison, output);
}

/* --- files --------------------------------------------------------------------------------------------------- */
static void put_csv(const struct comparison *comparison, struct gsim_output *output)
{
    gsim_output_text(output,
                     "workload,scheduler,device,seed,iterations,kernels,iteration_us,makespan_us,speedup,"
                     "streams_used,events_recorded,stream_waits,overlap_total,critical_path_us,lower_bound_us");
    for (size_t s = 0; s < SETTING_COUNT; s++) gsim_output_printf(output, ",%s", settings[s]);
    gsim_output_text(output, "\n");
    for (size_t i = 0; i < comparison->workload_count; i++) {
        for (size_t j = 0; j < comparison->shown_count; j++) {
            const struct cell *cell = cell_of(comparison, i, j);
            double ratio = speedup(comparison, i, j);
            if (!cell->done) continue;
            gsim_output_csv_string(output, comparison->workloads[i]);
            gsim_output_text(output, ",");
            gsim_output_csv_string(output, comparison->schedulers[j]->name);
            gsim_output_text(output, ",");
            gsim_output_csv_string(output, comparison->setup.device.name);
            gsim_output_printf(output, ",%llu,%zu,%zu,", (unsigned long long)comparison->setup.seed, cell->iterations,
                               cell->kernels);
            gsim_output_time_us(output, cell->metrics.iteration_median);
            gsim_output_text(output, ",");
            gsim_output_time_us(output, cell->metrics.makespan);
            gsim_output_text(output, ",");
            if (!isnan(ratio)) gsim_output_real(output, ratio);
            gsim_output_printf(output, ",%u,%u,%u,%.6f,", cell->first.streams_used, cell->first.events_recorded,
                               cell->first.stream_waits, cell->metrics.overlap.total);
            gsim_output_time_us(output, cell->metrics.critical_path);
            gsim_output_text(output, ",");
            gsim_output_time_us(output, cell->metrics.lower_bound);
            for (size_t s = 0; s < SETTING_COUNT; s++) {
                gsim_output_text(output, ",");
                gsim_output_csv_string(output, cell->settings[s]);
            }
            gsim_output_text(output, "\n");
        }
    }
}

static void put_json_run(const struct comparison *comparison, size_t workload, size_t scheduler,
                         struct gsim_output *output)
{
    const struct cell *cell = cell_of(comparison, workload, scheduler);
    gsim_output_text(output, "{\"workload\": ");
    gsim_output_json_string(output, comparison->workloads[workload]);
    gsim_output_text(output, ", \"scheduler\": ");
    gsim_output_json_string(output, comparison->schedulers[scheduler]->name);
    gsim_output_printf(output, ", \"done\": %s", cell->done ? "true" : "false");
    if (cell->done) {
        gsim_output_printf(output, ", \"iterations\": %zu, \"kernels\": %zu, \"iteration_us\": ", cell->iterations,
                           cell->kernels);
        gsim_output_time_us(output, cell->metrics.iteration_median);
        gsim_output_text(output, ", \"makespan_us\": ");
        gsim_output_time_us(output, cell->metrics.makespan);
        gsim_output_text(output, ", \"speedup\": ");
        gsim_output_real(output, speedup(comparison, workload, scheduler));
        gsim_output_printf(output, ", \"streams_used\": %u, \"events_recorded\": %u, \"stream_waits\": %u",
                           cell->first.streams_used, cell->first.events_recorded, cell->first.stream_waits);
        gsim_output_text(output, ", \"critical_path_us\": ");
        gsim_output_time_us(output, cell->metrics.critical_path);
        gsim_output_text(output, ", \"lower_bound_us\": ");
        gsim_output_time_us(output, cell->metrics.lower_bound);
        for (size_t s = 0; s < SETTING_COUNT; s++) {
            if (!*cell->settings[s]) continue;
            gsim_output_printf(output, ", \"%s\": ", settings[s]);
            gsim_output_json_string(output, cell->settings[s]);
        }
    }
    gsim_output_text(output, "}");
}

static void put_json(const struct comparison *comparison, struct gsim_output *output)
{
    gsim_output_text(output, "{\"schema\": \"" COMPARE_SCHEMA "\", \"version\": \"" GPUSIM_VERSION "\", \"device\": ");
    gsim_output_json_string(output, comparison->setup.device.name);
    gsim_output_printf(output, ", \"seed\": %llu, \"base\": ", (unsigned long long)comparison->setup.seed);
    gsim_output_json_string(output, comparison->schedulers[comparison->base_index]->name);
    gsim_output_text(output, ",\n \"runs\": [");
    for (size_t i = 0; i < comparison->workload_count; i++) {
        for (size_t j = 0; j < comparison->shown_count; j++) {
            gsim_output_text(output, i || j ? ",\n  " : "\n  ");
            put_json_run(comparison, i, j, output);
        }
    }
    gsim_output_text(output, "],\n \"geometric_mean\": {");
    for (size_t j = 0; j < comparison->shown_count; j++) {
        if (j) gsim_output_text(output, ", ");
        gsim_output_json_string(output, comparison->schedulers[j]->name);
        gsim_output_text(output, ": ");
        gsim_output_real(output, geometric_mean(comparison, j));
    }
    gsim_output_text(output, "}}\n");
}

static enum gsim_status write_one(const struct comparison *comparison, const char *path,
                                  void (*put)(const struct comparison *, struct gsim_output *),
                                  struct gsim_error *error)
{
    struct gsim_output output;
    enum gsim_status status = gsim_output_open(&output, path, error);
    if (status != GSIM_OK) return status;
    put(comparison, &output);
    return gsim_output_commit(&output, error);
}

static enum gsim_status compare(struct comparison *comparison, struct gsim_error *error)
{
    const char *csv = comparison->arguments->value[GSIM_CLI_CSV],
               *report = comparison->arguments->value[GSIM_CLI_REPORT];
    bool stdout_taken = (csv && strcmp(csv, "-") == 0) || (report && strcmp(report, "-") == 0);
    enum gsim_status status = choose_workloads(comparison, error);
    if (status == GSIM_OK) drop_without_preset(comparison);
    if (status == GSIM_OK) status = choose_schedulers(comparison, error);
    if (status == GSIM_OK)
        status = gsim_cli_check_opts(comparison->arguments, comparison->schedulers, comparison->scheduler_count, error);
    if (status == GSIM_OK) status = gsim_cli_setup_init(&comparison->setup, comparison->arguments, error);
    if (status != GSIM_OK) return status;
    comparison->setup.until_steady = true;
    comparison->cells =
        GSIM_ARENA_ARRAY(&comparison->arena, struct cell, comparison->workload_count * comparison->scheduler_count);
    if (!comparison->cells) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    status = run_all(comparison, error);
    if (!comparison->done_count) return status; /* a table of failures says no more than the messages */
    if (status == GSIM_OK && csv) status = write_one(comparison, csv, put_csv, error);
    if (status == GSIM_OK && report) status = write_one(comparison, report, put_json, error);
    if (status == GSIM_OK && !stdout_taken) status = write_one(comparison, "-", put_table, error);
    return status;
}

int gsim_cli_compare(const struct gsim_cli_arguments *arguments)
{
    struct gsim_error error = {0};
    struct comparison comparison = {.arguments = arguments};
    enum gsim_status status = compare(&comparison, &error);
    enum gsim_status worst = comparison.worst;
    gsim_cli_setup_release(&comparison.setup);
    gsim_arena_release(&comparison.arena);
    return status == GSIM_OK ? gsim_status_exit(worst) : gsim_cli_fail(&error);
}
