/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli. "gpusim ablate": what each rule of the model is worth. Recorded cases and runs are predicted with all
 * rules, then with one of them off at a time, kernels' times alone found anew; the errors of the same case are compared
 * in pairs.
 */
#include <math.h>
#include <sys/resource.h>

#include "cli/cli.h"
#include "cli/trust/validate.h"
#include "sim/base/text.h"
#include "sim/device/rules.h"
#include "sim/base/gz.h"
#include "traces/cases.h"
#include "traces/runs.h"
#include "trust/validate/runs.h"

#define DEVICE_DEFAULT "h200"
#define REPLAY_SCHEDULER "async" /* takes a program's own streams literally */
#define OF_RUNS GSIM_QUANTITY_COUNT /* the quantity of recorded runs: their makespan */

struct source { /* a file of recorded cases, or of runs */
    const char *path;
    struct gsim_cli_arguments arguments; /* with its device */
    struct gsim_cli_setup setup;
    struct gsim_case_set set;
    size_t *index; /* 0, 1, 2 ...: all of its cases */
    bool is_runs;
    struct gsim_profiles *kernels; /* of --kernels; NULL: not given */
};

/* Absolute errors of all sources' samples, in their order. */
struct errors {
    double *size;
    enum gsim_quantity *quantity;
    size_t count, capacity[2];
    double seconds; /* of processors */
};

struct command {
    const struct gsim_cli_arguments *arguments;
    struct gsim_arena arena;
    struct source *sources;
    size_t source_count;
    bool rules[GSIM_RULE_COUNT];
    uint32_t jobs;
    struct gsim_profiles kernels;
    struct gsim_output table, csv;
    bool has_table, has_csv;
};

/* --- what was asked for ------------------------------------------------------------------------------------------ */
static enum gsim_status choose_rules(struct command *c, struct gsim_error *error)
{
    const char *text = c->arguments->value[GSIM_CLI_RULES];
    bool all = !text || strcmp(text, "all") == 0;
    for (int i = 0; i < GSIM_RULE_COUNT; i++) c->rules[i] = all;
    char name[64];
    for (const char *at = all ? NULL : text; gsim_text_item(&at, name, sizeof name);) {
        enum gsim_rule rule = gsim_rule_find(name);
        if (rule == GSIM_RULE_COUNT)
            return gsim_refuse(error, "--rules: unknown rule '%.60s' (see gpusim list rules)", name);
        c->rules[rule] = true;
    }
    return GSIM_OK;
}

/* A set that is kept aside decides nothing; its cases are called so, whatever its file is. */
static enum gsim_status check_kept(const struct source *s, struct gsim_error *error)
{
    for (size_t i = 0; i < s->set.count; i++) {
        const char *tag = strrchr(s->set.cases[i].name, ']');
        if (tag && strncmp(tag, "] kept ", 7) == 0)
            return gsim_refuse(
                error, "'%s': %s: this set is kept aside from every decision about the model: validate reports on it",
                s->path, s->set.cases[i].name);
    }
    return GSIM_OK;
}

static enum gsim_status open_source(struct command *c, struct source *s, const char *operand, struct gsim_error *error)
{
    const char *equals = strchr(operand, '='), *slash = strchr(operand, '/');
    bool has_device = equals && (!slash || equals < slash);
    s->path = has_device ? equals + 1 : operand;
    s->arguments = *c->arguments;
    s->kernels = c->arguments->value[GSIM_CLI_KERNELS] ? &c->kernels : NULL;
    char recorded[GSIM_RUNS_DEVICE];
    s->is_runs = gsim_runs_is(s->path, recorded);
    if (has_device)
        s->arguments.value[GSIM_CLI_DEVICE] = gsim_arena_printf(&c->arena, "%.*s", (int)(equals - operand), operand);
    else if (!s->arguments.value[GSIM_CLI_DEVICE] && s->is_runs && recorded[0])
        s->arguments.value[GSIM_CLI_DEVICE] = gsim_arena_strdup(&c->arena, recorded);
    else if (!s->arguments.value[GSIM_CLI_DEVICE])
        s->arguments.value[GSIM_CLI_DEVICE] = DEVICE_DEFAULT;
    enum gsim_status status = gsim_cli_setup_init(&s->setup, &s->arguments, error);
    if (status != GSIM_OK || s->is_runs) return status;
    if (gsim_cli_read_cases(&s->set, s->path, error)) return gsim_error_prefix(error, "cannot read '%s'", s->path);
    status = check_kept(s, error);
    if (status == GSIM_OK && s->kernels) gsim_cases_apply(&s->set, s->kernels);
    s->index = GSIM_ARENA_ARRAY(&c->arena, size_t, s->set.count + 1);
    for (size_t i = 0; status == GSIM_OK && i < s->set.count; i++) s->index[i] = i;
    return status;
}

/* --- predictions -------------------------------------------------------------------------------------------------- */
static double seconds_used(void)
{
    struct rusage own, others;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &others);
    return (double)(own.ru_utime.tv_sec + others.ru_utime.tv_sec) +
           1e-6 * (double)(own.ru_utime.tv_usec + others.ru_utime.tv_usec);
}

static void add_error(struct errors *e, enum gsim_quantity quantity, double size)
{
    gsim_array_grow(&e->size, sizeof *e->size, e->count, &e->capacity[0]);
    gsim_array_grow(&e->quantity, sizeof *e->quantity, e->count, &e->capacity[1]);
    e->size[e->count] = fabs(size);
    e->quantity[e->count++] = quantity;
}

struct reading { /* of a file of runs */
    const struct source *source;
    struct gsim_run_validation runs;
    struct gsim_progress progress;
    size_t left_out; /* recorded to report on, not to decide by */
};

static enum gsim_status add_run(void *context, const struct gsim_recordings *recordings,
                                const struct gsim_recording *run, struct gsim_error *error)
{
    struct reading *r = context;
    r->left_out += run->split == GSIM_SPLIT_TEST;
    if (run->split == GSIM_SPLIT_TEST) return GSIM_OK;
    r->progress.done = r->runs.count;
    gsim_progress_show(&r->progress);
    return gsim_run_validation_add(&r->runs, r->source->path, recordings, run, error);
}

static enum gsim_status predict_runs(const struct source *s, const char *what, struct errors *e,
                                     struct gsim_error *error)
{
    struct gsim_kept_works works = {0};
    const struct gsim_predictor predictor = {&s->setup.device, &s->setup.gpu, gsim_scheduler_find(REPLAY_SCHEDULER),
                                             s->kernels, &works};
    struct reading r = {.source = s, .runs = {.predictor = &predictor, .base = "serial"}};
    const struct gsim_runs_handler handler = {add_run, &r};
    struct gsim_recordings recordings = {0};
    gsim_progress_start(&r.progress, 0, stderr); /* how many runs a file holds shows at its end */
    r.progress.unit = "runs";
    snprintf(r.progress.detail, sizeof r.progress.detail, "%.40s", what);
    enum gsim_status status = gsim_runs_read(s->path, &handler, &recordings, error);
    gsim_progress_clear(&r.progress);
    if (status != GSIM_OK) gsim_error_prefix(error, "cannot read '%s'", s->path);
    if (status == GSIM_OK && !r.runs.count && r.left_out)
        status = gsim_refuse(
            error, "'%s': its %zu runs are a test half, which decides nothing: validate --split test reports on it",
            s->path, r.left_out);
    for (size_t i = 0; i < r.runs.count && status == GSIM_OK; i++) add_error(e, OF_RUNS, r.runs.samples[i].error);
    gsim_recordings_release(&recordings);
    gsim_run_validation_release(&r.runs);
    gsim_kept_works_release(&works);
    return status;
}

static enum gsim_status predict_cases(struct command *c, const struct source *s, const char *what, struct errors *e,
                                      struct gsim_error *error)
{
    struct gsim_validation v = {.device = &s->setup.device, .gpu = &s->setup.gpu};
    struct gsim_progress progress = {0};
    gsim_progress_start(&progress, s->set.count, stderr);
    progress.unit = "cases";
    snprintf(progress.detail, sizeof progress.detail, "%.40s", what);
    enum gsim_status status = gsim_validation_jobs(&v, &s->set, s->index, s->set.count, c->jobs, &progress, error);
    gsim_progress_clear(&progress);
    for (size_t i = 0; i < v.count && status == GSIM_OK; i++) add_error(e, v.samples[i].quantity, v.samples[i].error);
    gsim_validation_release(&v);
    return status;
}

/* All cases and runs, without the rules of the bits OFF besides those that --opt says. */
static enum gsim_status predict(struct command *c, uint64_t off, const char *what, struct errors *e,
                                struct gsim_error *error)
{
    double before = seconds_used();
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < c->source_count && status == GSIM_OK; i++) {
        struct source *s = &c->sources[i];
        uint64_t given = s->setup.device.rules_off;
        s->setup.device.rules_off |= off;
        status = s->is_runs ? predict_runs(s, what, e, error) : predict_cases(c, s, what, e, error);
        s->setup.device.rules_off = given;
    }
    e->seconds = seconds_used() - before;
    return status;
}

/* --- results ------------------------------------------------------------------------------------------------------ */
/* Of that quantity. SCRATCH has room for both. */
static void compare(struct command *c, const char *rule, enum gsim_quantity quantity, const struct errors *with,
                    const struct errors *without, double *scratch)
{
    struct gsim_paired_change change;
    double *before = scratch, *after = scratch + with->count;
    size_t count = 0;
    for (size_t i = 0; i < with->count; i++) {
        if (with->quantity[i] != quantity || isnan(with->size[i]) || isnan(without->size[i])) continue;
        before[count] = 100 * with->size[i];
        after[count++] = 100 * without->size[i];
    }
    if (!count) return;
    gsim_paired_change(before, after, count, &change);
    double rate = with->seconds > 0 ? without->seconds / with->seconds : NAN;
    const char *word = quantity == OF_RUNS ? "run" : gsim_quantity_word(quantity), *mark = change.low > 0    ? "+"
                                                                                           : change.high < 0 ? "-"
                                                                                                             : "";
    if (c->has_table)
        gsim_output_printf(&c->table, "%-17s %-16s %6zu %8.2f %8.2f  %+7.2f  %+7.2f to %+.2f %2s %8.2f\n", rule, word,
                           count, change.before, change.after, change.after - change.before, change.low, change.high,
                           mark, rate);
    if (c->has_csv)
        gsim_output_printf(&c->csv, "%s,%s,%zu,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", rule, word, count, change.before,
                           change.after, change.after - change.before, change.low, change.high, rate);
}

static enum gsim_status ablate(struct command *c, struct gsim_error *error)
{
    struct errors with = {0};
    enum gsim_status status = predict(c, 0, "all rules", &with, error);
    double *scratch = GSIM_ARENA_ARRAY(&c->arena, double, 2 * with.count + 1);
    if (status == GSIM_OK && !with.count) status = gsim_error_set(error, GSIM_INPUT, "no cases in the files");
    if (c->has_table)
        gsim_output_printf(&c->table, "%-17s %-16s %6s %8s %8s  %7s  %-18s %10s\n", "rule off", "quantity", "n",
                           "with %", "off %", "change", "95 % interval", "time");
    if (c->has_csv)
        gsim_output_text(&c->csv, "rule,quantity,count,error_percent,error_off_percent,change,low,high,time_ratio\n");
    for (int i = 0; i < GSIM_RULE_COUNT && status == GSIM_OK; i++)
        if (c->rules[i]) {
            enum gsim_rule rule = (enum gsim_rule)i;
            struct errors without = {0};
            status = predict(c, UINT64_C(1) << rule, gsim_rule_name(rule), &without, error);
            if (status == GSIM_OK && without.count != with.count)
                status = gsim_error_set(error, GSIM_INPUT, "rule.%s=off: other cases can be predicted",
                                        gsim_rule_name(rule));
            for (int q = 0; q <= OF_RUNS && status == GSIM_OK; q++)
                compare(c, gsim_rule_name(rule), (enum gsim_quantity)q, &with, &without, scratch);
            gsim_free(without.size);
            gsim_free(without.quantity);
        }
    if (c->has_table)
        gsim_output_text(&c->table, "\nwith, off: mean absolute error with all rules and without this one; change: by "
                                    "which it is more without, in points;\n"
                                    "interval: from resampling the cases in pairs; +: the rule helps, -: it harms, "
                                    "where the interval excludes 0;\n"
                                    "time: of the processor, without the rule relative to with it.\n");
    gsim_free(with.size);
    gsim_free(with.quantity);
    return status;
}

int gsim_cli_ablate(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct command c = {.arguments = arguments};
    const char *csv = arguments->value[GSIM_CLI_CSV];
    enum gsim_status status = gsim_cli_check_opts(arguments, NULL, 0, error);
    if (status == GSIM_OK) status = gsim_cli_jobs(arguments, 0, &c.jobs, error);
    if (status == GSIM_OK) status = choose_rules(&c, error);
    const char *kernels = arguments->value[GSIM_CLI_KERNELS];
    if (status == GSIM_OK && kernels) {
        status = gsim_profiles_read(&c.kernels, kernels, error);
        if (status != GSIM_OK) gsim_error_prefix(error, "--kernels");
    }
    if (status == GSIM_OK) {
        size_t count = c.arguments->operand_count;
        if (!count) status = gsim_refuse(error, "ablate: expected [DEVICE=]FILE..., found nothing");
        if (status == GSIM_OK) c.sources = GSIM_ARENA_ARRAY(&c.arena, struct source, count);
        for (; status == GSIM_OK && c.source_count < count; c.source_count++)
            status = open_source(&c, &c.sources[c.source_count], c.arguments->operands[c.source_count], error);
    }
    if (status == GSIM_OK && c.kernels.asked) gsim_cli_note_kernels(kernels, &c.kernels);
    if (status == GSIM_OK && (!csv || strcmp(csv, "-") != 0)) {
        status = gsim_output_open(&c.table, "-", error);
        c.has_table = status == GSIM_OK;
    }
    if (status == GSIM_OK && csv) {
        status = gsim_output_open(&c.csv, csv, error);
        c.has_csv = status == GSIM_OK;
    }
    if (status == GSIM_OK) status = ablate(&c, error);
    if (status == GSIM_OK && c.has_csv) status = gsim_output_commit(&c.csv, error);
    if (status == GSIM_OK && c.has_table) status = gsim_output_commit(&c.table, error);
    gsim_output_release(&c.csv);
    gsim_output_release(&c.table);
    for (size_t i = 0; i < c.source_count; i++) {
        gsim_case_set_release(&c.sources[i].set);
        gsim_cli_setup_release(&c.sources[i].setup);
    }
    gsim_profiles_release(&c.kernels);
    gsim_arena_release(&c.arena);
    return status;
}
