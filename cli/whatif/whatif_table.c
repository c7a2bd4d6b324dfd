/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of cli/whatif/whatif.h as text, CSV, JSON and picture: time saved, per cent, error bar, and the command
 * that shows that run alone.
 */
#include <math.h>
#include <string.h>

#include "cli/figures/plot.h"
#include "cli/whatif/whatif.h"
#include "plots/tornado.h"
#include "sim/base/answer/answer.h"
#include "sim/base/text.h"
#include "plots/figure.h"

#define NAME_COLUMNS 26
#define NAME_BYTES   GSIM_WHATIF_NAME
#define MOSTLY       0.5 /* of the critical path */
#define SELDOM       0.1  /* of the time, idle */
#define SHOWN        0.0005 /* less is 0.0 % */
#define SCHEMA       "gpusim-whatif/1"

struct table {
    struct gsim_cli_whatif *w;
    const struct gsim_whatif_row *rows; /* behind the scenario as it is the fastest first, then those without a time */
    uint32_t count;
    double now_us;
    const char *command; /* up to the name of the change */
    struct gsim_answer answer;
};

/* --- the command that shows one run --- */
static bool is_of_table(const char *word, bool *has_value)
{
    static const char *const names[] = {"--change", "--csv",   "--json",   "--report", "--output", "--out", "--jobs",
                                        "--title",  "--width", "--height", "--font",   "--keep",   "-o"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(word, names[i], length) != 0 || (word[length] && word[length] != '=')) continue;
        *has_value = !word[length];
        return true;
    }
    return false;
}

static const char *make_command(struct gsim_cli_whatif *w)
{
    const struct gsim_cli_arguments *a = &w->asked.subject.arguments;
    const char *line = "gpusim explain";
    for (int i = 2; i < a->argc && line; i++) {
        bool has_value = false;
        if (is_of_table(a->argv[i], &has_value)) {
            i += has_value;
            continue;
        }
        const char *word = gsim_cli_quoted(&w->arena, a->argv[i]);
        line = word ? gsim_arena_printf(&w->arena, "%s %s", line, word) : NULL;
    }
    return line ? line : "gpusim explain";
}

/* --- text --- */
static void put_row(struct gsim_output *out, const struct table *t, const struct gsim_whatif_row *row)
{
    char name[NAME_BYTES], shown[NAME_COLUMNS + 8];
    gsim_text_fit(shown, sizeof shown, gsim_whatif_name(row, name, sizeof name), NAME_COLUMNS);
    gsim_output_printf(out, "%-*s %12.1f", NAME_COLUMNS, row->is_together ? "best together" : shown, row->time_us);
    double saved_us = t->now_us - row->time_us, percent = 100 / t->now_us;
    if (!row->count) gsim_output_text(out, "\n");
    else
        gsim_output_printf(out, " %12.1f %7.1f %7.1f %7.1f\n", saved_us, percent * saved_us,
                           percent * (saved_us - row->error_us), fmin(percent * (saved_us + row->error_us), 100));
}

static const char *reason(const struct gsim_whatif_row *row) { return row->note[0] ? row->note : "no effect"; }

/* Changes without a time: those of one reason in a line. */
static void put_without(struct gsim_output *out, const struct table *t)
{
    for (uint32_t i = 1; i < t->count; i++) {
        bool is_told = isfinite(t->rows[i].time_us);
        for (uint32_t k = 1; k < i; k++)
            is_told |= !isfinite(t->rows[k].time_us) && strcmp(reason(&t->rows[k]), reason(&t->rows[i])) == 0;
        if (is_told) continue;
        char line[NAME_BYTES] = "";
        for (uint32_t k = i; k < t->count; k++) {
            char name[NAME_BYTES];
            size_t at = strlen(line);
            if (isfinite(t->rows[k].time_us) || strcmp(reason(&t->rows[k]), reason(&t->rows[i])) != 0) continue;
            snprintf(line + at, sizeof line - at, "%s%s", at ? ", " : "",
                     gsim_whatif_name(&t->rows[k], name, sizeof name));
        }
        size_t at = strlen(line);
        snprintf(line + at, sizeof line - at, ": %s", reason(&t->rows[i]));
        gsim_output_text(out, "none:");
        gsim_cli_wrap(out, line, 5, 2);
    }
}

/* Which changes can gain: those of the host and its launches where the critical path is the host's, else those of
 * kernels and streams. */
static void put_bound(struct gsim_output *out, const struct gsim_whatif *w)
{
    bool is_busy =
        w->idle_ratio < SELDOM; /* whatever launched its work, more than that is not to be gained on the host */
    gsim_output_printf(out, "%s-bound\n",
                       w->host_ratio > MOSTLY && !is_busy ? "host"
                       : w->link_ratio > MOSTLY           ? "link"
                                                          : "GPU");
    gsim_output_printf(out, "%.1f %% of the critical path is the host's, the GPU is idle for %.1f %% of the time\n",
                       100 * w->host_ratio, 100 * w->idle_ratio);
    if (w->cause != GSIM_CAUSE_NONE && w->idle_ratio >= SHOWN)
        gsim_output_printf(out, "most of its idle time: %s\n", gsim_cause_text(w->cause));
}

static void put_text(const void *what, struct gsim_output *out)
{
    const struct table *t = what;
    const struct gsim_cli_subject *s = &t->w->asked.subject;
    bool are_tasks = t->w->found.base.clients && !gsim_changeable_has_ranks(&t->w->found.base);
    gsim_cli_asked_put_title(out, &t->w->asked, t->w->found.base.simulation);
    if (are_tasks) gsim_output_printf(out, "\n\na request now: %.1f us, the mean of all tasks'\n", t->now_us);
    else if (t->w->found.base.clients)
        gsim_output_printf(out, "\n\na step now: %.1f us without the profiler\n", t->now_us);
    else gsim_output_text(out, ", an iteration as it repeats: ");
    if (!t->w->found.base.clients) put_bound(out, &t->w->found);
    if (gsim_cli_subject_is_recorded(s)) gsim_cli_step_put_text(out, &s->step);
    if (t->w->found.undecided[0]) gsim_output_printf(out, "%s\n", t->w->found.undecided);
    if (s->gpu_note[0]) {
        gsim_output_text(out, "note:");
        gsim_cli_wrap(out, s->gpu_note, 5, 2);
    }
    gsim_output_printf(out, "\n%-*s %12s %12s %7s %7s %7s\n", NAME_COLUMNS, "change", "us", "saved us", "%", "from",
                       "to");
    put_row(out, t, &t->rows[0]);
    for (uint32_t i = 1; i < t->count; i++)
        if (isfinite(t->rows[i].time_us)) put_row(out, t, &t->rows[i]);
    put_without(out, t);
    gsim_output_printf(out, "each by itself: %s --change CHANGE\n\n", t->command);
    for (int k = 0; k < GSIM_CHANGE_COUNT; k++) {
        bool is_used = false;
        for (uint32_t i = 1; i < t->count; i++)
            for (uint32_t c = 0; c < t->rows[i].count; c++)
                is_used |= (int)t->rows[i].changes[c].kind == k && isfinite(t->rows[i].time_us);
        if (!is_used) continue;
        char line[NAME_BYTES];
        snprintf(line, sizeof line, "%s (+- %.0f %% %s: %s)", gsim_change_help((enum gsim_change_kind)k),
                 100 * gsim_change_error((enum gsim_change_kind)k), gsim_change_error_of((enum gsim_change_kind)k),
                 gsim_change_source((enum gsim_change_kind)k));
        gsim_output_printf(out, "  %-12s", gsim_change_word((enum gsim_change_kind)k));
        gsim_cli_wrap(out, line, 16, 15);
    }
    for (uint32_t i = 0; i < t->count; i++)
        if (isfinite(t->rows[i].time_us) && t->rows[i].note[0]) {
            char name[NAME_BYTES];
            gsim_output_printf(out, "  %s:", gsim_whatif_name(&t->rows[i], name, sizeof name));
            gsim_cli_wrap(out, t->rows[i].note, (int)strlen(name) + 3, 4);
        }
    gsim_cli_asked_put_notes(out, &t->w->asked, true);
}

/* --- CSV and JSON --- */
static void put_csv(const void *what, struct gsim_output *out)
{
    gsim_answer_csv(&((const struct table *)what)->answer, out);
}

static void put_json(const void *what, struct gsim_output *out)
{
    const struct table *t = what;
    const struct gsim_whatif *w = &t->w->found;
    gsim_output_put(out, "{\n  'schema': '%s',\n", SCHEMA);
    gsim_cli_asked_put_json(out, &t->w->asked, w->base.simulation);
    if (gsim_changeable_has_ranks(&w->base)) gsim_output_put(out, ", 'late_rank': %u", w->base.clients[w->late].rank);
    gsim_output_put(out, ", 'time_us': %r", t->now_us);
    if (!w->base.clients)
        gsim_output_put(out, ", 'host_ratio': %r, 'link_ratio': %r, 'idle_ratio': %r, 'idle_cause': '%s'",
                        w->host_ratio, w->link_ratio, w->idle_ratio, gsim_cause_word(w->cause));
    if (gsim_cli_subject_is_recorded(&t->w->asked.subject)) {
        gsim_output_text(out, ",\n  ");
        gsim_cli_step_put_json(out, &t->w->asked.subject.step);
    }
    if (w->undecided[0]) gsim_output_put(out, ",\n  'undecided': %q", w->undecided);
    gsim_output_put(out, ",\n  'changes': ");
    gsim_answer_rows(&t->answer, 1, out);
    gsim_output_text(out, "\n}\n");
}

/* --- the picture --- */
static enum gsim_status draw(const struct table *t, struct gsim_error *error)
{
    struct gsim_tornado_row rows[GSIM_WHATIF_ROWS];
    struct gsim_tornado tornado = {.rows = rows, .label = "time saved (%)", .has_errors = true};
    for (uint32_t i = 1; i < t->count; i++) {
        char name[NAME_BYTES], shown[NAME_COLUMNS + 8];
        const struct gsim_whatif_row *row = &t->rows[i];
        if (!isfinite(row->time_us)) continue;
        gsim_text_fit(shown, sizeof shown, gsim_whatif_name(row, name, sizeof name), NAME_COLUMNS);
        const char *kept = gsim_arena_strdup(&t->w->arena, row->is_together ? "best together" : shown);
        double saved = 100 * (1 - row->time_us / t->now_us), error_percent = 100 * row->error_us / t->now_us;
        rows[tornado.row_count++] = gsim_tornado_saving(&tornado, kept ? kept : "", saved, error_percent);
    }
    return gsim_cli_draw_tornado(&t->w->asked.subject.arguments, &tornado, error);
}

/* Text, --csv, --json, -o. */
static enum gsim_status deliver(struct gsim_cli_whatif *w, struct gsim_error *error)
{
    const char *const *value = w->asked.subject.arguments.value;
    struct table t = {.w = w, .rows = w->found.rows, .count = w->found.row_count, .command = make_command(w)};
    t.now_us = t.rows[0].time_us;
    gsim_whatif_sort(&w->found);
    /* A trace is explained as it repeats, as the table has it; a program only when changed or asked for as it is now.
     */
    for (uint32_t i = 0; i < w->found.row_count; i++) {
        struct gsim_whatif_row *row = &w->found.rows[i];
        char name[NAME_BYTES];
        const char *word = gsim_cli_quoted(&w->arena, gsim_whatif_name(row, name, sizeof name));
        bool is_plain = !row->count && (w->asked.subject.is_trace || w->found.base.clients);
        row->command = is_plain ? t.command
                       : word   ? gsim_arena_printf(&w->arena, "%s --change %s", t.command, word)
                                : NULL;
    }
    gsim_whatif_answer(&w->found, &t.answer);
    enum gsim_status status = value[GSIM_CLI_OUTPUT] ? draw(&t, error) : GSIM_OK;
    if (!status)
        status = gsim_cli_write(value[GSIM_CLI_CSV], value[GSIM_CLI_REPORT],
                                &(struct gsim_cli_forms){put_csv, put_json, put_text}, &t, error);
    gsim_answer_release(&t.answer);
    return status;
}

/* --- the command --- */
static enum gsim_status run(struct gsim_cli_whatif *w, const struct gsim_cli_arguments *arguments,
                            struct gsim_error *error)
{
    const char *picture = arguments->value[GSIM_CLI_OUTPUT];
    struct gsim_cli_subject *s = &w->asked.subject;
    if (picture && gsim_figure_check(picture, error)) return gsim_error_prefix(error, "--output");
    enum gsim_status status = gsim_cli_jobs(arguments, 0, &w->found.jobs, error);
    if (!status) status = gsim_cli_asked_init(&w->asked, arguments, error);
    if (status) return status;
    w->found.base = w->asked.base;
    if (gsim_cli_subject_is_recorded(s)) gsim_cli_step_factors(s, w->found.host_factors);
    gsim_whatif_settle(&w->found.base, &s->point.simulation);
    status = gsim_whatif_run(&w->found, arguments->value[GSIM_CLI_CHANGE], error);
    if (!status) gsim_whatif_check(w);
    return status ? status : deliver(w, error);
}

int gsim_cli_whatif(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    if (gsim_cli_is_server(arguments))
        return gsim_cli_answer(arguments, "whatif", arguments->value[GSIM_CLI_CHANGE], error);
    struct gsim_cli_whatif *w = gsim_alloc(sizeof *w);
    enum gsim_status status = run(w, arguments, error);
    gsim_cli_asked_release(&w->asked);
    gsim_arena_release(&w->arena);
    gsim_free(w);
    return status;
}
