/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim reproduce NAME" of a paper that is a spec: trust/published/NAME.json, or a file. */
#include "cli/trust/paper.h"

#include <string.h>

#include "cli/figures/figures.h"
#include "cli/trust/paper_runs.h"
#include "plots/gnuplot.h"
#include "sim/base/json.h"
#include "sim/base/scratch.h"

#define FOLDER "trust/published"

/* The path of the spec; NULL: the paper is none. */
static const char *find(const char *name, struct gsim_arena *arena)
{
    size_t length = strlen(name);
    if (length > 5 && strcmp(name + length - 5, ".json") == 0) return name;
    const char *file = strchr(name, '/') ? NULL : gsim_arena_printf(arena, FOLDER "/%s.json", name);
    return file ? gsim_data_path(arena, file) : NULL;
}

bool gsim_cli_is_paper(const char *name)
{
    struct gsim_arena arena = {0};
    bool is = find(name, &arena) != NULL;
    gsim_arena_release(&arena);
    return is;
}

static void put(void *output, const char *text) { gsim_output_text(output, text); }

static enum gsim_status write_form(struct gsim_paper *paper, enum gsim_paper_form form, const char *path,
                                   struct gsim_error *error)
{
    struct gsim_output output;
    enum gsim_status status = gsim_output_open(&output, path, error);
    if (status != GSIM_OK) return status;
    status = gsim_paper_write(paper, form, put, &output, error);
    if (status == GSIM_OK) status = gsim_output_commit(&output, error);
    gsim_output_release(&output);
    return status;
}

/* What the CSV has, by the script that the spec names. */
static enum gsim_status draw(struct gsim_paper *paper, const char *script, const char *path, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    const char *csv = NULL;
    enum gsim_status status = gsim_scratch_file(&arena, &csv, error);
    if (status == GSIM_OK) status = write_form(paper, GSIM_PAPER_CSV, csv, error);
    if (status == GSIM_OK) status = gsim_figure_draw(script, csv, path, error);
    gsim_scratch_remove(csv);
    gsim_arena_release(&arena);
    return status;
}

static enum gsim_status deliver(struct gsim_paper *paper, const cJSON *spec, const struct gsim_cli_arguments *arguments,
                                struct gsim_error *error)
{
    const char *figure = arguments->value[GSIM_CLI_FIGURE];
    const char *csv = arguments->value[GSIM_CLI_CSV], *report = arguments->value[GSIM_CLI_REPORT];
    bool is_taken = (csv && strcmp(csv, "-") == 0) || (report && strcmp(report, "-") == 0);
    enum gsim_status status = csv ? write_form(paper, GSIM_PAPER_CSV, csv, error) : GSIM_OK;
    if (status == GSIM_OK && figure)
        status = draw(paper, cJSON_GetObjectItemCaseSensitive(spec, "figure")->valuestring, figure, error);
    if (status == GSIM_OK && report) status = write_form(paper, GSIM_PAPER_JSON, report, error);
    return status == GSIM_OK && !is_taken ? write_form(paper, GSIM_PAPER_TEXT, "-", error) : status;
}

static enum gsim_status check(const char *name, const cJSON *spec, const struct gsim_cli_arguments *arguments,
                              struct gsim_error *error)
{
    static const enum gsim_cli_key others[] = {GSIM_CLI_ONLY, GSIM_CLI_SCALE, GSIM_CLI_PER_CASE, GSIM_CLI_FIGURE};
    const char *figure = arguments->value[GSIM_CLI_FIGURE];
    bool has_figure = cJSON_IsString(cJSON_GetObjectItemCaseSensitive(spec, "figure"));
    for (size_t i = 0; i < sizeof others / sizeof others[0] - has_figure; i++)
        if (arguments->value[others[i]])
            return gsim_error_set(error, GSIM_USAGE, "reproduce %s: --%s: expected %s--csv, --report and --jobs alone",
                                  name, gsim_cli_option_at(others[i])->name, has_figure ? "--figure, " : "");
    if (!figure || gsim_figure_check(figure, error) == GSIM_OK) return GSIM_OK;
    return gsim_error_prefix(error, "--figure");
}

enum gsim_status gsim_cli_paper(const char *name, const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct gsim_paper *paper = NULL;
    struct gsim_progress progress;
    struct gsim_paper_runs runs = {.progress = &progress};
    const char *path = find(name, &arena), *slash = path ? strrchr(path, '/') : NULL,
               *folder = slash ? gsim_arena_printf(&arena, "%.*s", (int)(slash - path), path) : ".";
    cJSON *spec = path && folder ? gsim_json_read(path, error) : NULL;
    enum gsim_status status = spec ? check(name, spec, arguments, error) : gsim_error_prefix(error, "'%s'", name);
    if (status == GSIM_OK) status = gsim_cli_jobs(arguments, 0, &runs.jobs, error);
    gsim_progress_start(&progress, 0, stderr);
    progress.unit = "runs";
    progress.is_estimate = true; /* some runs are chosen by what others gave */
    if (status == GSIM_OK) {
        status = gsim_paper_open(&paper, spec, folder, error);
        if (status == GSIM_OK) status = gsim_paper_run(paper, gsim_cli_paper_runs, &runs, error);
        gsim_progress_clear(&progress);
        if (status == GSIM_OK) status = deliver(paper, spec, arguments, error);
        if (status == GSIM_INPUT) (void)gsim_error_prefix(error, "'%s'", path);
    }
    gsim_paper_close(paper);
    gsim_json_release(spec);
    gsim_arena_release(&arena);
    return status;
}
