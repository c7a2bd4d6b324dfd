/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). "gpusim reproduce": reads published tables, makes the runs behind them, prints and draws
 * published against simulated. What is run: trust/published/rules.c.
 */
#include "trust/published/mp.h"
#include "trust/published/reproduce.h"
#include "trust/published/collectives/collectives.h"
#include "trust/published/grcuda_gpus.h"
#include "trust/published/effort.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/figures/figures.h"
#include "cli/trust/paper.h"
#include "cli/trust/reproduce_sharing.h"
#include "sim/base/scratch.h"
#include "sim/base/text.h"

#define FOLDER "trust/published"

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* --- input -------------------------------------------------------------------------------------------------------- */
static enum gsim_status read_file(struct gsim_reproduction *r, const char *file, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    const char *name = gsim_arena_printf(&arena, FOLDER "/%s", file),
               *path = name ? gsim_data_path(&arena, name) : NULL;
    enum gsim_status status = path ? GSIM_OK : gsim_error_set(error, GSIM_IO, "cannot find " FOLDER "/%s", file);
    if (status == GSIM_OK)
        status = is(file, "launches.csv") ? gsim_published_read_launches(&r->published, path, error)
                                          : gsim_published_read(&r->published, path, error);
    gsim_arena_release(&arena);
    return status;
}

/* Each file once; PAPER "all": GrCUDA's and KeSCo's, whose runs are others. */
static enum gsim_status read_all(struct gsim_reproduction *r, const char *paper, struct gsim_error *error)
{
    const char *before = "";
    enum gsim_status status = read_file(r, "launches.csv", error);
    for (const struct gsim_reproduce_figure *f = gsim_reproduce_figures; f->name && status == GSIM_OK; f++) {
        if (is(f->file, before) || !(is(paper, f->paper) || is(paper, "all"))) continue;
        before = f->file;
        status = read_file(r, f->file, error);
    }
    return status;
}

/* Is the figure, device or workload of the row one of WORDS (separated by commas; NULL: any)? */
static bool is_wanted(const struct gsim_published_row *row, const char *words)
{
    const char *const fields[] = {row->figure, row->device, row->workload};
    for (const char *word = words; word; word = strchr(word, ',')) {
        word += *word == ',';
        size_t length = strcspn(word, ",");
        for (int f = 0; f < 3; f++)
            if (strlen(fields[f]) == length && strncmp(fields[f], word, length) == 0) return true;
    }
    return !words;
}

static bool has_figure(const struct gsim_reproduction *r, const char *figure)
{
    bool has = false;
    for (size_t i = 0; i < r->published.row_count && !has; i++) has = is(r->published.rows[i].figure, figure);
    return has;
}

/* Each of WORDS must be the figure, device or workload of some row: a slip would else go unseen beside others. */
static enum gsim_status check_words(const struct gsim_reproduction *r, const char *words, struct gsim_error *error)
{
    for (const char *word = words; word; word = strchr(word, ',')) {
        char text[64], hint[96], figures[400] = "";
        struct gsim_nearest nearest;
        word += *word == ',';
        snprintf(text, sizeof text, "%.*s", (int)(strcspn(word, ",") < 60 ? strcspn(word, ",") : 60), word);
        bool found = false;
        gsim_nearest_init(&nearest, text);
        for (size_t i = 0; i < r->published.row_count && !found; i++) {
            const struct gsim_published_row *row = &r->published.rows[i];
            const char *const fields[] = {row->figure, row->device, row->workload};
            for (int f = 0; f < 3; f++) {
                found = found || is(fields[f], text);
                gsim_nearest_offer(&nearest, fields[f]);
            }
        }
        if (found) continue;
        size_t length = 0;
        for (const struct gsim_reproduce_figure *f = gsim_reproduce_figures; f->name && length < sizeof figures; f++)
            if (has_figure(r, f->name))
                length +=
                    (size_t)snprintf(figures + length, sizeof figures - length, "%s%s", length ? ", " : "", f->name);
        return gsim_error_set(error, GSIM_USAGE,
                              "--only: expected figures (%s), devices or workloads of what is reproduced, found '%s'%s",
                              figures, text, gsim_nearest_text(&nearest, hint, sizeof hint));
    }
    return GSIM_OK;
}

/* Puts the wanted rows first, in their order. */
static enum gsim_status choose_rows(struct gsim_reproduction *r, const char *words, struct gsim_error *error)
{
    size_t count = r->published.row_count, other = 0;
    struct gsim_published_row *others = gsim_alloc(sizeof *others * (count + 1));
    if (!others) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (size_t i = 0; i < count; i++) {
        const struct gsim_published_row row = r->published.rows[i];
        if (is_wanted(&row, words)) r->published.rows[r->shown_count++] = row;
        else others[other++] = row;
    }
    memcpy(r->published.rows + r->shown_count, others, sizeof *others * other);
    gsim_free(others);
    return GSIM_OK;
}

/* "NUMBER=FACTOR"; NAME keeps the number's name. */
static enum gsim_status parse_scale(struct gsim_reproduction *r, const char *text, char name[64],
                                    struct gsim_error *error)
{
    const char *equals = text ? strchr(text, '=') : NULL;
    char *end = NULL, hint[96];
    struct gsim_nearest nearest;
    if (!text) return GSIM_OK;
    if (!equals || equals - text >= 64 || !((r->factor = strtod(equals + 1, &end)) > 0) || !equals[1] || *end ||
        r->factor > 1e6)
        return gsim_error_set(error, GSIM_USAGE,
                              "--scale: expected NUMBER=FACTOR with a positive factor, found '%.80s'", text);
    snprintf(name, 64, "%.*s", (int)(equals - text), text);
    r->number = name;
    if (gsim_device_number_find(name) != GSIM_DEVICE_NUMBER_COUNT) return GSIM_OK;
    gsim_nearest_init(&nearest, name);
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++)
        gsim_nearest_offer(&nearest, gsim_device_number_name((enum gsim_device_number)i));
    return gsim_error_set(error, GSIM_USAGE,
                          "--scale: expected a number of the devices, found '%s'%s (see gpusim list devices --long)",
                          name, gsim_nearest_text(&nearest, hint, sizeof hint));
}

/* --- output ------------------------------------------------------------------------------------------------------- */
typedef void (*writer)(const struct gsim_reproduction *r, struct gsim_output *output);

static enum gsim_status write_file(const struct gsim_reproduction *r, const char *path, writer write,
                                   struct gsim_error *error)
{
    struct gsim_output output;
    enum gsim_status status = gsim_output_open(&output, path, error);
    if (status != GSIM_OK) return status;
    write(r, &output);
    return gsim_output_commit(&output, error);
}

/* The figures that the papers show as bars of speed-ups, which plots/reproduce.gp draws; others become points. */
static bool has_bars(const struct gsim_reproduction *r)
{
    bool has = false;
    for (size_t i = 0; i < r->shown_count && !has; i++) {
        const char *figure = r->published.rows[i].figure;
        has = is(figure, "mean-speedup") || is(figure, "average") || is(figure, "average-prefetch");
    }
    return has;
}

static enum gsim_status draw(const struct gsim_reproduction *r, const char *path, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    const char *csv = NULL;
    enum gsim_status status = gsim_scratch_file(&arena, &csv, error);
    if (status == GSIM_OK) status = write_file(r, csv, gsim_reproduce_csv, error);
    if (status == GSIM_OK)
        status = gsim_figure_draw(has_bars(r) ? "reproduce.gp" : "reproduce_points.gp", csv, path, error);
    gsim_scratch_remove(csv);
    gsim_arena_release(&arena);
    return status;
}

static enum gsim_status deliver(struct gsim_reproduction *r, const struct gsim_cli_arguments *arguments,
                                struct gsim_error *error)
{
    const char *csv = arguments->value[GSIM_CLI_CSV], *report = arguments->value[GSIM_CLI_REPORT];
    const char *figure = arguments->value[GSIM_CLI_FIGURE];
    bool stdout_taken = (csv && is(csv, "-")) || (report && is(report, "-"));
    enum gsim_status status = figure ? draw(r, figure, error) : GSIM_OK;
    if (status == GSIM_OK && csv) status = write_file(r, csv, gsim_reproduce_csv, error);
    if (status == GSIM_OK && report) status = write_file(r, report, gsim_reproduce_json, error);
    if (status != GSIM_OK || stdout_taken) return status;
    struct gsim_output output;
    status = gsim_output_open(&output, "-", error);
    if (status != GSIM_OK) return status;
    gsim_reproduce_print(r, arguments->value[GSIM_CLI_PER_CASE] != NULL, &output);
    if (r->mp) gsim_mp_print(r->mp, &output);
    return gsim_output_commit(&output, error);
}

static enum gsim_status run_grcuda_gpus(const struct gsim_cli_arguments *arguments, bool is_csv,
                                        struct gsim_output *output, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct gsim_grcuda_gpus g = {0};
    struct gsim_progress progress;
    uint32_t jobs;
    const char *path = gsim_data_path(&arena, FOLDER "/grcuda_gpus.csv");
    enum gsim_status status = gsim_cli_jobs(arguments, 0, &jobs, error);
    if (status == GSIM_OK && !path) status = gsim_error_set(error, GSIM_IO, "cannot find " FOLDER "/grcuda_gpus.csv");
    gsim_progress_start(&progress, 0, stderr);
    progress.unit = "runs";
    if (status == GSIM_OK) status = gsim_grcuda_gpus_run(&g, path, jobs, &progress, error);
    gsim_progress_clear(&progress);
    if (status == GSIM_OK) (is_csv ? gsim_grcuda_gpus_csv : gsim_grcuda_gpus_print)(&g, output);
    gsim_grcuda_gpus_release(&g);
    gsim_arena_release(&arena);
    return status;
}

/* Tables of their own: --csv alone goes with them. */
static enum gsim_status run_own(const char *paper, const struct gsim_cli_arguments *arguments, bool is_csv,
                                struct gsim_output *output, struct gsim_error *error)
{
    if (is(paper, "grcuda-gpus")) return run_grcuda_gpus(arguments, is_csv, output, error);
    if (is(paper, "collectives")) {
        struct gsim_published_collectives collectives = {0};
        enum gsim_status found = gsim_published_collectives_run(&collectives, error);
        if (found == GSIM_OK)
            (is_csv ? gsim_published_collectives_csv : gsim_published_collectives_print)(&collectives, output);
        return found;
    }
    struct gsim_effort effort;
    enum gsim_status counted = gsim_effort_run(&effort, gsim_data_path, error);
    if (counted == GSIM_OK) (is_csv ? gsim_effort_csv : gsim_effort_print)(&effort, output);
    return counted;
}

static int reproduce_own(const char *paper, const struct gsim_cli_arguments *arguments)
{
    struct gsim_error error = {0};
    struct gsim_output output;
    const char *csv = arguments->value[GSIM_CLI_CSV];
    enum gsim_status status = GSIM_OK;
    static const enum gsim_cli_key others[] = {GSIM_CLI_ONLY, GSIM_CLI_REPORT, GSIM_CLI_FIGURE, GSIM_CLI_SCALE,
                                               GSIM_CLI_PER_CASE};
    for (size_t i = 0; i < sizeof others / sizeof others[0] && status == GSIM_OK; i++)
        if (arguments->value[others[i]])
            status = gsim_error_set(&error, GSIM_USAGE, "reproduce %s: --%s: expected --csv alone", paper,
                                    gsim_cli_option_at(others[i])->name);
    if (status == GSIM_OK) status = gsim_output_open(&output, csv ? csv : "-", &error);
    if (status == GSIM_OK) {
        status = run_own(paper, arguments, csv != NULL, &output, &error);
        if (status == GSIM_OK) status = gsim_output_commit(&output, &error);
        else gsim_output_release(&output);
    }
    return status == GSIM_OK ? 0 : gsim_cli_fail(&error);
}

/* KeSCo's sets of tasks, where all of it is asked for. */
static enum gsim_status run_tasks(struct gsim_reproduction *r, const struct gsim_cli_arguments *arguments,
                                  const char *paper, struct gsim_mp *mp, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct gsim_device_spec device = {0};
    const char *files[GSIM_MP_SETS] = {gsim_data_path(&arena, "workloads/tasks/mp-1.json"),
                                       gsim_data_path(&arena, "workloads/tasks/mp-2.json")};
    enum gsim_status status = GSIM_OK;
    if (is(paper, "kesco") && !arguments->value[GSIM_CLI_ONLY] && !arguments->value[GSIM_CLI_SCALE]) {
        status = files[0] && files[1] ? gsim_device_load("a100-sxm4-40gb", &device, error)
                                      : gsim_error_set(error, GSIM_IO, "cannot find workloads/tasks/mp-1.json");
        if (status == GSIM_OK) status = gsim_mp_run(&device, files, mp, error);
        if (status == GSIM_OK) r->mp = mp;
    }
    gsim_device_release(&device);
    gsim_arena_release(&arena);
    return status;
}

int gsim_cli_reproduce(const struct gsim_cli_arguments *arguments)
{
    struct gsim_mp mp;
    struct gsim_error error = {0};
    struct gsim_reproduction r = {.factor = 1};
    const char *figure = arguments->value[GSIM_CLI_FIGURE];
    const char *paper = arguments->operand_count ? arguments->operands[0] : "all";
    if (gsim_cli_is_paper(paper))
        return gsim_cli_paper(paper, arguments, &error) == GSIM_OK ? 0 : gsim_cli_fail(&error);
    if (gsim_cli_is_sharing_paper(paper))
        return gsim_cli_reproduce_sharing(arguments, &error) == GSIM_OK ? 0 : gsim_cli_fail(&error);
    char number[64];
    struct gsim_progress progress;
    uint32_t jobs = 1;
    enum gsim_status status = GSIM_OK;
    if (is(paper, "collectives") || is(paper, "grcuda-gpus") || is(paper, "kesco-effort"))
        return reproduce_own(paper, arguments);
    if (!is(paper, "all") && !is(paper, "kesco") && !is(paper, "grcuda"))
        status = gsim_error_set(&error, GSIM_USAGE,
                                "reproduce: expected kesco, kesco-effort, grcuda, grcuda-gpus, all, acs, ccks, mega, "
                                "collectives, xsched, fikit or tally, found '%.60s'",
                                paper);
    if (status == GSIM_OK && figure && (status = gsim_figure_check(figure, &error)) != GSIM_OK)
        (void)gsim_error_prefix(&error, "--figure");
    if (status == GSIM_OK) status = gsim_cli_jobs(arguments, 0, &jobs, &error);
    if (status == GSIM_OK) status = parse_scale(&r, arguments->value[GSIM_CLI_SCALE], number, &error);
    if (status == GSIM_OK) status = read_all(&r, paper, &error);
    if (status == GSIM_OK) status = check_words(&r, arguments->value[GSIM_CLI_ONLY], &error);
    if (status == GSIM_OK) status = choose_rows(&r, arguments->value[GSIM_CLI_ONLY], &error);
    gsim_progress_start(&progress, 0, stderr);
    progress.unit = "runs";
    progress.is_estimate = true; /* some runs are chosen by what others gave */
    r.reruns.progress = &progress;
    if (status == GSIM_OK) status = gsim_reproduce_all(&r, jobs, &error);
    if (status == GSIM_OK) status = run_tasks(&r, arguments, paper, &mp, &error);
    gsim_progress_clear(&progress);
    if (status == GSIM_OK) status = deliver(&r, arguments, &error);
    gsim_published_release(&r.published);
    gsim_reruns_release(&r.reruns);
    gsim_free(r.simulated);
    return status == GSIM_OK ? 0 : gsim_cli_fail(&error);
}
