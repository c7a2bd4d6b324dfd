/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim reproduce": a paper is a spec, trust/published/NAME.json or a file of the user's. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

#include "cli/figures/plot.h"
#include "cli/trust/paper_runs.h"
#include "plots/gnuplot.h"
#include "sim/device/search.h"
#include "sim/base/json.h"
#include "sim/base/scratch.h"
#include "sim/base/text.h"

#define FOLDER "trust/published"

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* --- the spec --- */

/* A paper that is asked for. */
struct request {
    const struct gsim_cli_arguments *arguments;
    struct gsim_paper_asked asked;
    char number[64]; /* of --scale */
    const char *path, *folder;
    cJSON *spec;
    struct gsim_paper *paper;
    struct gsim_paper_runs runs;
    struct gsim_progress progress;
    struct gsim_arena arena;
};

/* The path of the spec; NULL: the paper is none. */
static const char *find(const char *name, struct gsim_arena *arena)
{
    size_t length = strlen(name);
    if (length > 5 && is(name + length - 5, ".json")) return name;
    const char *file = strchr(name, '/') ? NULL : gsim_arena_printf(arena, FOLDER "/%s.json", name);
    return file ? gsim_data_path(arena, file) : NULL;
}

static const cJSON *member(const struct request *r, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(r->spec, name);
}

/* That of NAME, or the one that it is a part of. */
static enum gsim_status read_spec(struct request *r, const char *name, struct gsim_error *error)
{
    r->path = find(name, &r->arena);
    const char *slash = r->path ? strrchr(r->path, '/') : NULL;
    r->folder = slash ? gsim_arena_printf(&r->arena, "%.*s", (int)(slash - r->path), r->path) : ".";
    r->spec = r->path && r->folder ? gsim_json_read(r->path, error) : NULL;
    const cJSON *same = r->spec ? member(r, "same") : NULL;
    if (!r->path)
        return gsim_refuse(error,
                           "reproduce: expected kesco, kesco-effort, grcuda, grcuda-gpus, all, acs, ccks, mega, mp, "
                           "collectives, xsched, fikit, tally or a spec's file, found '%.60s'",
                           name);
    if (!r->spec) return gsim_error_prefix(error, "'%s'", r->path);
    if (!cJSON_IsString(same)) return GSIM_OK;
    char *whole = gsim_arena_strdup(&r->arena, same->valuestring);
    gsim_json_release(r->spec);
    r->spec = NULL;
    if (!whole || is(whole, name)) return gsim_error_set(error, GSIM_INPUT, "'%s': same: expected another", r->path);
    return read_spec(r, whole, error);
}

/* --- what it takes --- */

/* "NUMBER=FACTOR". */
static enum gsim_status parse_scale(struct request *r, const char *text, struct gsim_error *error)
{
    const char *equals = text ? strchr(text, '=') : NULL;
    char *end = NULL;
    struct gsim_nearest nearest;
    if (!text) return GSIM_OK;
    if (!equals || equals - text >= (int)sizeof r->number || !((r->asked.factor = strtod(equals + 1, &end)) > 0) ||
        !equals[1] || *end || r->asked.factor > 1e6)
        return gsim_refuse(error, "--scale: expected NUMBER=FACTOR with a positive factor, found '%.80s'", text);
    snprintf(r->number, sizeof r->number, "%.*s", (int)(equals - text), text);
    r->asked.scale = r->runs.scale = r->number;
    r->runs.factor = r->asked.factor;
    if (gsim_device_number_find(r->number) != GSIM_DEVICE_NUMBER_COUNT) return GSIM_OK;
    gsim_nearest_init(&nearest, r->number);
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++)
        gsim_nearest_offer(&nearest, gsim_device_number_name((enum gsim_device_number)i));
    return gsim_refuse(error,
                       "--scale: expected a number of the devices, found '%s'%s (see gpusim list devices --long)",
                       r->number, gsim_nearest_text(&nearest));
}

static bool takes(const struct request *r, const char *option)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, member(r, "takes")) if (cJSON_IsString(item) && is(item->valuestring, option)) return true;
    return member(r, option) != NULL; /* only and figure are queries */
}

static enum gsim_status check_options(struct request *r, const char *name, struct gsim_error *error)
{
    static const enum gsim_cli_key keys[] = {GSIM_CLI_ONLY, GSIM_CLI_SCALE, GSIM_CLI_PER_CASE, GSIM_CLI_FIGURE};
    const char *const *value = r->arguments->value;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (value[keys[i]] && !takes(r, gsim_cli_option_at(keys[i])->name))
            return gsim_refuse(error, "reproduce %s: --%s: expected --csv, --report and --jobs alone%s", name,
                               gsim_cli_option_at(keys[i])->name, takes(r, "figure") ? ", or --figure" : "");
    if (value[GSIM_CLI_FIGURE] && gsim_figure_check(value[GSIM_CLI_FIGURE], error) != GSIM_OK)
        return gsim_error_prefix(error, "--figure");
    r->asked.only = value[GSIM_CLI_ONLY];
    r->asked.per_case = value[GSIM_CLI_PER_CASE] != NULL;
    return parse_scale(r, value[GSIM_CLI_SCALE], error);
}

/* Each of --only's words must be one of the spec's: a slip would else go unseen beside others. */
static enum gsim_status check_words(struct request *r, struct gsim_error *error)
{
    const char *(*known)[2], *figures = "";
    size_t count;
    enum gsim_status status = gsim_paper_list(r->paper, "only", &known, &count, error);
    for (size_t i = 0; i < count && figures && status == GSIM_OK; i++)
        if (is(known[i][1], "figure"))
            figures = gsim_arena_printf(&r->arena, "%s%s%s", figures, *figures ? ", " : "", known[i][0]);
    char text[61];
    for (const char *at = r->asked.only; !status && gsim_text_item(&at, text, sizeof text);) {
        struct gsim_nearest nearest;
        bool found = false;
        gsim_nearest_init(&nearest, text);
        for (size_t i = 0; i < count; i++) {
            found = found || is(known[i][0], text);
            gsim_nearest_offer(&nearest, known[i][0]);
        }
        if (!found)
            status = gsim_refuse(
                error, "--only: expected figures (%s), devices or workloads of what is reproduced, found '%s'%s",
                figures ? figures : "", text, gsim_nearest_text(&nearest));
    }
    return status;
}

/* --- what it gives --- */

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
static enum gsim_status draw(struct gsim_paper *paper, const char *path, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    const char *csv = NULL, *(*script)[2];
    size_t count;
    enum gsim_status status = gsim_scratch_file(&arena, &csv, error);
    if (status == GSIM_OK) status = write_form(paper, GSIM_PAPER_CSV, csv, error);
    if (status == GSIM_OK) status = gsim_paper_list(paper, "figure", &script, &count, error);
    if (status == GSIM_OK && count) status = gsim_figure_draw(script[0][0], csv, path, error);
    gsim_scratch_remove(csv);
    gsim_arena_release(&arena);
    return status;
}

static enum gsim_status reproduce(const char *name, const struct gsim_cli_arguments *arguments,
                                  struct gsim_error *error);

static enum gsim_status deliver(const struct request *r, struct gsim_error *error)
{
    const char *csv = r->arguments->value[GSIM_CLI_CSV], *report = r->arguments->value[GSIM_CLI_REPORT];
    const char *figure = r->arguments->value[GSIM_CLI_FIGURE], *(*more)[2];
    bool is_taken = (csv && is(csv, "-")) || (report && is(report, "-"));
    size_t count;
    enum gsim_status status = figure ? draw(r->paper, figure, error) : GSIM_OK;
    if (status == GSIM_OK && csv) status = write_form(r->paper, GSIM_PAPER_CSV, csv, error);
    if (status == GSIM_OK && report) status = write_form(r->paper, GSIM_PAPER_JSON, report, error);
    if (status != GSIM_OK || is_taken) return status;
    status = write_form(r->paper, GSIM_PAPER_TEXT, "-", error);
    if (status == GSIM_OK) status = gsim_paper_list(r->paper, "then", &more, &count, error);
    const struct gsim_cli_arguments jobs_alone = {
        .command = r->arguments->command, .value = {[GSIM_CLI_JOBS] = r->arguments->value[GSIM_CLI_JOBS]}};
    for (size_t i = 0; status == GSIM_OK && i < count; i++) status = reproduce(more[i][0], &jobs_alone, error);
    return status;
}

static enum gsim_status reproduce(const char *name, const struct gsim_cli_arguments *arguments,
                                  struct gsim_error *error)
{
    struct request r = {.arguments = arguments, .asked = {.name = name, .factor = 1}};
    const struct gsim_paper_host host = {.data = &r.runs, .run = gsim_cli_paper_runs, .keep = gsim_cli_paper_keep};
    r.runs.progress = &r.progress;
    r.runs.arena = &r.arena;
    enum gsim_status status = read_spec(&r, name, error);
    if (status == GSIM_OK) status = check_options(&r, name, error);
    if (status == GSIM_OK) status = gsim_cli_jobs(arguments, 0, &r.runs.jobs, error);
    if (status == GSIM_OK) {
        gsim_progress_start(&r.progress, 0, stderr);
        r.progress.unit = "runs";
        r.progress.is_estimate = true; /* some runs are chosen by what others gave */
        status = gsim_paper_open(&r.paper, r.spec, r.folder, &r.asked, error);
        if (status == GSIM_OK) status = check_words(&r, error);
        if (status == GSIM_OK) status = gsim_paper_run(r.paper, &host, error);
        gsim_progress_clear(&r.progress);
        if (status == GSIM_OK) status = deliver(&r, error);
        if (status == GSIM_INPUT) (void)gsim_error_prefix(error, "'%s'", r.path);
    }
    gsim_scratch_remove(r.runs.folder);
    gsim_paper_close(r.paper);
    gsim_json_release(r.spec);
    gsim_arena_release(&r.arena);
    return status;
}

int gsim_cli_reproduce(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    const char *name = arguments->operand_count ? arguments->operands[0] : "all";
    return reproduce(name, arguments, error);
}
