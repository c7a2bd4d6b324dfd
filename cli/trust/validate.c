/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). "gpusim validate": reads recorded cases and runs, simulates them, prints and draws how far the
 * predictions are off. Cases are read by traces/cases.c, simulated by trust/validate/validate.c; runs by traces/runs.c
 * and trust/validate/runs.c; profilers' traces by cli/traces.c.
 */
#include <dirent.h>

#include "cli/ranks/traces.h"
#include "gpusim/order.h"
#include "cli/figures/plot.h"
#include "cli/traces.h"
#include "cli/trust/validate.h"
#include "sim/device/search.h"
#include "sim/base/scratch.h"
#include "sim/base/text.h"
#include "trust/validate/report.h"
#include "traces/cases.h"
#include "traces/runs.h"
#include "sim/base/gz.h"

#define DEVICE_DEFAULT   "h200"
#define TRACES_DEFAULT   "traces/h200"
#define REPLAY_SCHEDULER "async" /* takes a program's own streams literally */
#define BASE_SCHEDULER   "serial"

enum half { HALF_EVEN, HALF_ODD, HALF_ALL };

struct command {
    const struct gsim_cli_arguments *arguments;
    struct gsim_cli_arguments for_cases, for_runs; /* the same with the device of each, where --device does not say */
    struct gsim_cli_setup setup, runs_setup;
    struct gsim_case_set set, set_again;
    struct gsim_validation validation, cases_again, times_alone, without_pipes;
    struct gsim_profiles kernels; /* of --kernels */
    struct gsim_predictor predictor;
    struct gsim_kept_works works;
    struct gsim_run_validation runs, again;
    struct gsim_trace_validation traces;
    struct gsim_arena arena;
    const char **paths;
    enum content { HAS_CASES, HAS_RUNS, HAS_TRACE } *contents; /* of each path */
    size_t path_count, path_capacity;
    const char *path; /* of runs, being read */
    bool kinds[GSIM_CASE_KIND_COUNT], wants_runs, wants_traces;
    struct gsim_import_options part; /* of traces */
    bool infers_alone; /* of kernels in traces that ran beside others */
    struct gsim_progress progress;
    enum half half;
    uint32_t jobs;
    enum gsim_split split; /* GSIM_SPLIT_COUNT: all */
};

/* --- what was asked for ------------------------------------------------------------------------------------------ */
static enum gsim_status add_kind(struct command *c, const char *word, struct gsim_error *error)
{
    bool all = strcmp(word, "all") == 0, runs = strcmp(word, "runs") == 0, traces = strcmp(word, "traces") == 0;
    bool found = all || runs || traces;
    c->wants_runs |= all || runs;
    c->wants_traces |= all || traces;
    for (int kind = 0; kind < GSIM_CASE_KIND_COUNT; kind++) {
        bool is_it = strcmp(gsim_case_kind_word((enum gsim_case_kind)kind), word) == 0;
        c->kinds[kind] |= all || is_it;
        found |= is_it;
    }
    if (found) return GSIM_OK;
    return gsim_refuse(error,
                       "--kind: expected pairs, arrival, priority, dags, launch, aten, repeated, beside, unlike, "
                       "micro, runs, traces, all or "
                       "sharing alone, found '%s'",
                       word);
}

static enum gsim_status parse_words(struct command *c, struct gsim_error *error)
{
    const char *kind = c->arguments->value[GSIM_CLI_KIND];
    int half = HALF_ALL, split = GSIM_SPLIT_COUNT, alone = 0;
    enum gsim_status status = GSIM_OK;
    char word[61];
    for (const char *at = kind ? kind : "all"; !status && gsim_text_item(&at, word, sizeof word);)
        status = add_kind(c, word, error);
    if (!status) status = gsim_cli_choice(c->arguments, GSIM_CLI_ALONE, alone, &alone, error);
    if (!status) status = gsim_cli_part(c->arguments, &c->part, error);
    if (!status) status = gsim_cli_choice(c->arguments, GSIM_CLI_SPLIT, split, &split, error);
    if (!status) status = gsim_cli_choice(c->arguments, GSIM_CLI_HALF, half, &half, error);
    c->infers_alone = !alone;
    c->split = (enum gsim_split)split;
    c->half = (enum half)half;
    return status;
}

/* Before anything runs: can the pictures be drawn? */
static enum gsim_status check_files(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    static const enum gsim_cli_key keys[] = {GSIM_CLI_SCATTER, GSIM_CLI_HISTOGRAM};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *path = arguments->value[keys[i]];
        enum gsim_status status = path ? gsim_figure_check(path, error) : GSIM_OK;
        if (status != GSIM_OK) return gsim_error_prefix(error, "--%s", gsim_cli_option_at(keys[i])->name);
    }
    return GSIM_OK;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */
static void add_path(struct command *c, const char *path)
{
    (void)GSIM_APPEND(c->paths, c->path_count, c->path_capacity, path);
}

GSIM_ORDER_TEXTS(by_text)

/* All *.json.gz of the folder, by name. */
static enum gsim_status list_folder(struct command *c, const char *folder, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    DIR *directory = opendir(folder);
    if (!directory) return gsim_error_set(error, GSIM_IO, "cannot read the folder '%s'", folder);
    for (struct dirent *entry; status == GSIM_OK && (entry = readdir(directory));) {
        size_t length = strlen(entry->d_name);
        if (length <= 8 || strcmp(entry->d_name + length - 8, ".json.gz") != 0) continue;
        add_path(c, gsim_arena_printf(&c->arena, "%s/%s", folder, entry->d_name));
    }
    closedir(directory);
    if (status == GSIM_OK && c->path_count) qsort(c->paths, c->path_count, sizeof *c->paths, by_text);
    if (status == GSIM_OK && !c->path_count) status = gsim_error_set(error, GSIM_INPUT, "no *.json.gz in '%s'", folder);
    return status;
}

static enum gsim_status list_files(struct command *c, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    const struct gsim_cli_arguments *arguments = c->arguments;
    for (size_t i = 0; i < arguments->operand_count && status == GSIM_OK; i++)
        add_path(c, arguments->operands[i]);
    if (arguments->operand_count || status != GSIM_OK) return status;
    const char *folder = gsim_data_path(&c->arena, TRACES_DEFAULT);
    if (!folder)
        return gsim_error_set(error, GSIM_INPUT, "no recordings: expected FILE..., found no folder %s", TRACES_DEFAULT);
    return list_folder(c, folder, error);
}

/* Runs and traces say of which device or GPU they are; --device says otherwise. Cases are DEVICE_DEFAULT's. */
static enum gsim_status choose_device(struct command *c, struct gsim_error *error)
{
    char device[GSIM_RUNS_DEVICE] = "";
    const char *recorded = NULL, *where = NULL;
    uint64_t subjects = 0;
    _Static_assert(GSIM_RUNS_DEVICE == GSIM_CLI_DEVICE_NAME, "one buffer for both");
    c->contents = GSIM_ARENA_ARRAY(&c->arena, enum content, c->path_count);
    for (size_t i = 0; i < c->path_count; i++) {
        struct gsim_trace_origin origin;
        struct gsim_error no_trace = {0};
        c->contents[i] = gsim_runs_is(c->paths[i], device)               ? HAS_RUNS
                         : gsim_importer_of(c->paths[i], &origin, &no_trace) ? HAS_TRACE
                                                                        : HAS_CASES;
        subjects |= c->contents[i] == HAS_RUNS    ? GSIM_CLI_OF_RUNS
                    : c->contents[i] == HAS_TRACE ? GSIM_CLI_OF_TRACE
                                                  : GSIM_CLI_OF_CASES;
        if (c->contents[i] == HAS_TRACE && !c->for_runs.value[GSIM_CLI_DEVICE] &&
            gsim_cli_trace_device(&origin, device, error))
            return error->status;
        bool is_wanted = c->contents[i] == HAS_RUNS ? c->wants_runs : c->contents[i] == HAS_TRACE && c->wants_traces;
        if (!is_wanted || !device[0] || c->for_runs.value[GSIM_CLI_DEVICE]) continue;
        if (recorded && strcmp(recorded, device) != 0)
            return gsim_refuse(error, "'%s' is of the device %s, '%s' of %s: give --device, or one at a time", where,
                               recorded, c->paths[i], device);
        where = c->paths[i];
        recorded = gsim_arena_strdup(&c->arena, device);
    }
    if (gsim_cli_check_used(c->arguments, subjects, error)) return error->status;
    if (c->for_runs.value[GSIM_CLI_DEVICE]) return GSIM_OK;
    c->for_cases.value[GSIM_CLI_DEVICE] = DEVICE_DEFAULT;
    c->for_runs.value[GSIM_CLI_DEVICE] = recorded ? recorded : DEVICE_DEFAULT;
    return GSIM_OK;
}

enum gsim_status gsim_cli_read_cases(struct gsim_case_set *set, const char *path, struct gsim_error *error)
{
    size_t length = 0;
    char *text = gsim_file_read(path, &length, error);
    enum gsim_status status =
        text ? gsim_cases_parse(set, gsim_text_file(path), text, length, error) : error->status;
    gsim_free(text);
    return status;
}

static enum gsim_status add_run(void *context, const struct gsim_recordings *recordings,
                                const struct gsim_recording *run, struct gsim_error *error)
{
    struct command *c = context;
    if (c->split != GSIM_SPLIT_COUNT && run->split != c->split) return GSIM_OK;
    c->progress.done = c->runs.count;
    snprintf(c->progress.detail, sizeof c->progress.detail, "%.30s with %.20s", run->key.workload, run->scheduler);
    gsim_progress_show(&c->progress);
    return gsim_run_validation_add(&c->runs, gsim_text_file(c->path), recordings, run, error);
}

static enum gsim_status read_runs(struct command *c, const char *path, struct gsim_error *error)
{
    const struct gsim_runs_handler handler = {add_run, c};
    struct gsim_recordings recordings = {0};
    if (!c->wants_runs) return GSIM_OK;
    c->path = path;
    enum gsim_status status = gsim_runs_read(path, &handler, &recordings, error);
    gsim_progress_clear(&c->progress);
    gsim_recordings_release(&recordings);
    return status;
}

static enum gsim_status add_again(void *context, const struct gsim_recordings *recordings,
                                  const struct gsim_recording *run, struct gsim_error *error)
{
    struct command *c = context;
    (void)recordings;
    return gsim_run_validation_add_again(&c->again, &c->runs, run, error);
}

static bool is_wanted(const struct command *c, const struct gsim_case *subject)
{
    return c->kinds[subject->kind] && (c->half == HALF_ALL || (enum half)(subject->index & 1) == c->half);
}

/* Recorded once more, of what has been read. */
static enum gsim_status read_again(struct command *c, struct gsim_error *error)
{
    const char *path = c->arguments->value[GSIM_CLI_AGAIN];
    const struct gsim_runs_handler handler = {add_again, c};
    struct gsim_recordings recordings = {0};
    char device[GSIM_RUNS_DEVICE];
    enum gsim_status status = GSIM_OK;
    if (!path) return GSIM_OK;
    bool has_runs = gsim_runs_is(path, device);
    if (has_runs) status = gsim_runs_read(path, &handler, &recordings, error);
    else status = gsim_cli_read_cases(&c->set_again, path, error);
    gsim_recordings_release(&recordings);
    if (status != GSIM_OK) return gsim_error_prefix(error, "--again: cannot read '%s'", path);
    if (!has_runs) {
        /* Cases are the same by kind and name. */
        for (size_t i = 0; i < c->set.count; i++)
            for (size_t j = 0; j < c->set_again.count && is_wanted(c, &c->set.cases[i]); j++) {
                const struct gsim_case *subject = &c->set.cases[i], *again = &c->set_again.cases[j];
                if (subject->kind == again->kind && strcmp(subject->name, again->name) == 0)
                    gsim_validation_add_again(&c->cases_again, subject, again);
            }
    }
    if (status != GSIM_OK || c->again.count || c->cases_again.count) return status;
    return gsim_error_set(error, GSIM_INPUT, "--again: '%s' holds none of the %zu %s", path,
                          has_runs ? c->runs.count : c->set.count, has_runs ? "runs" : "cases");
}

/* Why the file cannot be read: it is no recording at all, or where it is wrong. */
static enum gsim_status explain(const char *path, struct gsim_error *error)
{
    char what[GSIM_IMPORTER_TEXT];
    bool is_trace;
    if (error->status == GSIM_INPUT && gsim_importer_what(path, what, &is_trace)[0])
        return gsim_error_set(error, GSIM_INPUT,
                              "cannot read '%s': expected recordings or a profiler's trace, found %s", path, what);
    return gsim_error_prefix(error, "cannot read '%s'", path);
}

static enum gsim_status read_files(struct command *c, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    gsim_progress_start(&c->progress, 0, stderr); /* how many runs a file holds shows at its end */
    c->progress.unit = "runs";
    if (c->wants_traces && gsim_cli_are_ranks(c->arguments))
        return gsim_cli_validate_ranks(&c->traces, c->arguments, error);
    for (size_t i = 0; i < c->path_count && status == GSIM_OK; i++) {
        if (c->contents[i] == HAS_TRACE) {
            bool guesses = !c->arguments->value[GSIM_CLI_DEVICE];
            if (c->wants_traces)
                status = gsim_cli_trace_add(&c->traces, c->paths[i], &c->part, c->infers_alone, guesses, error);
            continue;
        }
        status = c->contents[i] == HAS_RUNS ? read_runs(c, c->paths[i], error)
                                            : gsim_cli_read_cases(&c->set, c->paths[i], error);
        if (status != GSIM_OK) (void)explain(c->paths[i], error);
    }
    return status;
}

/* --- results ------------------------------------------------------------------------------------------------------ */
/* Of C's cases, into VALIDATION. */
static enum gsim_status simulate_cases(struct command *c, struct gsim_validation *validation, struct gsim_error *error)
{
    size_t count = 0, *index = GSIM_ARENA_ARRAY(&c->arena, size_t, c->set.count + 1);
    for (size_t i = 0; i < c->set.count; i++)
        if (is_wanted(c, &c->set.cases[i])) index[count++] = i;
    gsim_progress_start(&c->progress, count, stderr);
    c->progress.unit = "cases";
    enum gsim_status status =
        gsim_validation_jobs(validation, &c->set, index, count, c->jobs, &c->progress, error);
    gsim_progress_clear(&c->progress);
    return status;
}

static void forget_pipes(struct gsim_case_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        struct gsim_case *c = &set->cases[i];
        for (uint32_t j = 0; j < c->node_count; j++) c->nodes[j].kernel.pipes_given = false;
        for (int j = 0; j < 2; j++) c->kernels[j].pipes_given = false;
    }
}

/* With --kernels three times: with all that is known, without pipes, from times alone. */
static enum gsim_status simulate_known(struct command *c, struct gsim_error *error)
{
    struct gsim_validation *without[] = {&c->times_alone, &c->without_pipes};
    const char *path = c->arguments->value[GSIM_CLI_KERNELS];
    if (!path || !c->set.count) return simulate_cases(c, &c->validation, error);
    for (int i = 0; i < 2; i++) *without[i] = c->validation;
    enum gsim_status status = simulate_cases(c, &c->times_alone, error);
    gsim_cases_apply(&c->set, &c->kernels);
    if (status == GSIM_OK) status = simulate_cases(c, &c->validation, error);
    forget_pipes(&c->set);
    return status == GSIM_OK ? simulate_cases(c, &c->without_pipes, error) : status;
}

static enum gsim_status simulate(struct command *c, struct gsim_error *error)
{
    enum gsim_status status = simulate_known(c, error);
    if (status == GSIM_OK && c->arguments->value[GSIM_CLI_KERNELS])
        gsim_cli_note_kernels(c->arguments->value[GSIM_CLI_KERNELS], &c->kernels);
    if (status != GSIM_OK) return status;
    if (c->validation.count || c->validation.skipped || c->runs.count || c->traces.count) return GSIM_OK;
    if (c->validation.unfit) return gsim_error_set(error, GSIM_INPUT, "%s", c->validation.unfit_reason);
    if (c->runs.skipped) return gsim_error_set(error, GSIM_INPUT, "%s", c->runs.skipped_reason);
    return gsim_error_set(error, GSIM_INPUT, "no cases of that kind, half and split in the files");
}

static void put_csv(const void *what, struct gsim_output *output)
{
    const struct command *c = what;
    gsim_validation_csv(&c->validation, output);
    gsim_run_validation_csv(&c->runs, output);
    gsim_trace_validation_csv(&c->traces, c->arguments->value[GSIM_CLI_PER_CASE], output);
}

static void put_json(const void *what, struct gsim_output *output)
{
    const struct command *c = what;
    const struct gsim_validation_members members = {.runs = c->runs.count ? &c->runs : NULL,
                                                    .again = c->again.count ? &c->again : NULL,
                                                    .cases_again = c->cases_again.count ? &c->cases_again : NULL,
                                                    .times_alone = c->times_alone.count ? &c->times_alone : NULL,
                                                    .without_pipes = c->without_pipes.count ? &c->without_pipes : NULL,
                                                    .traces = c->traces.count ? &c->traces : NULL,
                                                    .has_trace_ops = c->arguments->value[GSIM_CLI_PER_CASE]};
    gsim_validation_json(&c->validation, &members, output);
}

/* Both figures from one CSV file of our own, plain whatever --csv is. */
static enum gsim_status draw(const struct command *c, struct gsim_error *error)
{
    const char *scatter = c->arguments->value[GSIM_CLI_SCATTER], *histogram = c->arguments->value[GSIM_CLI_HISTOGRAM];
    const char *csv = NULL;
    if (!scatter && !histogram) return GSIM_OK;
    struct gsim_arena arena = {0};
    enum gsim_status status = gsim_scratch_file(&arena, &csv, error);
    if (status == GSIM_OK) status = gsim_output_write(csv, put_csv, c, error);
    if (status == GSIM_OK && scatter) status = gsim_figure_draw("validate_scatter.gp", csv, scatter, error);
    if (status == GSIM_OK && histogram) status = gsim_figure_draw("validate_errors.gp", csv, histogram, error);
    gsim_scratch_remove(csv);
    gsim_arena_release(&arena);
    return status;
}

static void put_text(const void *what, struct gsim_output *output)
{
    const struct command *c = what;
    bool has_cases = c->validation.count + c->validation.skipped > 0, per_case = c->arguments->value[GSIM_CLI_PER_CASE];
    if (has_cases && per_case) gsim_validation_print_cases(&c->validation, output);
    if (has_cases) gsim_validation_print(&c->validation, output);
    const struct other {
        const struct gsim_validation *validation;
        const char *title, *path;
    } others[] = {
        {&c->without_pipes, "without pipes", c->arguments->value[GSIM_CLI_KERNELS]},
        {&c->times_alone, "from times alone, without what the file says", c->arguments->value[GSIM_CLI_KERNELS]},
        {&c->cases_again, "recorded once more, in the place of predictions", c->arguments->value[GSIM_CLI_AGAIN]},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].validation->count)
            gsim_validation_print_rows(others[i].validation, others[i].title, others[i].path, output);
    if (has_cases && c->runs.count) gsim_output_text(output, "\n");
    if (c->runs.count && per_case) gsim_run_validation_print_runs(&c->runs, output);
    if (c->runs.count) gsim_run_validation_print(&c->runs, output);
    if (!c->runs.count && c->runs.skipped)
        gsim_output_printf(output, "\nAll %zu recorded runs left out: %s\n", (size_t)c->runs.skipped,
                           c->runs.skipped_reason);
    if (c->again.count)
        gsim_run_validation_print_again(&c->again, c->arguments->value[GSIM_CLI_AGAIN], output);
    if (c->traces.count) {
        if (has_cases || c->runs.count) gsim_output_text(output, "\n");
        if (per_case) gsim_trace_validation_print_ops(&c->traces, output);
        gsim_trace_validation_print(&c->traces, output);
    }
}

int gsim_cli_validate(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    const char *kind = arguments->value[GSIM_CLI_KIND];
    if (kind && strcmp(kind, "sharing") == 0)
        return gsim_cli_validate_sharing(arguments, error);
    if (arguments->value[GSIM_CLI_OTHER_DEVICE])
        return gsim_cli_validate_other(arguments, error);
    struct command c = {.arguments = arguments, .for_cases = *arguments, .for_runs = *arguments};
    enum gsim_status status = parse_words(&c, error);
    if (status == GSIM_OK) status = check_files(arguments, error);
    if (status == GSIM_OK) status = gsim_cli_check_opts(arguments, NULL, 0, error);
    if (status == GSIM_OK) status = gsim_cli_jobs(arguments, 0, &c.jobs, error);
    if (status == GSIM_OK) status = gsim_cli_spread_runs(arguments, &c.validation.spread_runs, error);
    if (status == GSIM_OK) status = list_files(&c, error);
    if (status == GSIM_OK) status = choose_device(&c, error);
    if (status == GSIM_OK && arguments->value[GSIM_CLI_KERNELS]) {
        status = gsim_profiles_read(&c.kernels, arguments->value[GSIM_CLI_KERNELS], error);
        if (status != GSIM_OK) gsim_error_prefix(error, "--kernels");
    }
    if (status == GSIM_OK) status = gsim_cli_setup_init(&c.setup, &c.for_cases, error);
    if (status == GSIM_OK) status = gsim_cli_setup_init(&c.runs_setup, &c.for_runs, error);
    c.predictor =
        (struct gsim_predictor){&c.runs_setup.device, &c.runs_setup.gpu, gsim_scheduler_find(REPLAY_SCHEDULER),
                                arguments->value[GSIM_CLI_KERNELS] ? &c.kernels : NULL, &c.works};
    c.runs = (struct gsim_run_validation){.predictor = &c.predictor, .base = BASE_SCHEDULER};
    c.again = c.runs;
    c.traces.predictor = &c.predictor;
    c.validation.device = &c.setup.device;
    c.validation.gpu = &c.setup.gpu;
    c.validation.compares_models =
        arguments->value[GSIM_CLI_MODEL] && strcmp(arguments->value[GSIM_CLI_MODEL], "all") == 0;
    if (status == GSIM_OK) status = read_files(&c, error);
    if (status == GSIM_OK) status = read_again(&c, error);
    if (status == GSIM_OK) status = simulate(&c, error);
    if (status == GSIM_OK) status = draw(&c, error);
    if (status == GSIM_OK)
        status = gsim_cli_write(arguments->value[GSIM_CLI_CSV], arguments->value[GSIM_CLI_REPORT],
                                &(struct gsim_cli_forms){put_csv, put_json, put_text}, &c, error);
    gsim_run_validation_release(&c.again);
    gsim_run_validation_release(&c.runs);
    gsim_trace_validation_release(&c.traces);
    gsim_validation_release(&c.cases_again);
    gsim_validation_release(&c.times_alone);
    gsim_validation_release(&c.without_pipes);
    gsim_profiles_release(&c.kernels);
    gsim_kept_works_release(&c.works);
    gsim_validation_release(&c.validation);
    gsim_case_set_release(&c.set_again);
    gsim_case_set_release(&c.set);
    gsim_cli_setup_release(&c.setup);
    gsim_cli_setup_release(&c.runs_setup);
    gsim_free(c.paths);
    gsim_arena_release(&c.arena);
    return status;
}
