/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Printing a validation of runs. Columns of the CSV lines are those of trust/validate/table.c: plots/validate_*.gp
 * read them by position.
 */
#include "trust/validate/runs_table.h"

#include <math.h>
#include <string.h>

#include "trust/validate/validate.h"

/* Called for each line of the table that has samples. */
typedef void line_function(const struct gsim_run_choice *choice, const struct gsim_run_summary *summary,
                           struct gsim_output *output, bool is_first);

static void line(const struct gsim_run_validation *v, const struct gsim_run_choice *choice, line_function *put,
                 bool *is_first, struct gsim_output *output)
{
    struct gsim_run_summary summary;
    gsim_run_summarize(v, choice, &summary);
    if (!summary.makespan.count) return;
    put(choice, &summary, output, *is_first);
    *is_first = false;
}

static bool is_first_of(const struct gsim_run_validation *v, size_t index, bool by_workload)
{
    const struct gsim_run_sample *s = &v->samples[index];
    for (size_t i = 0; i < index; i++) {
        const struct gsim_run_sample *other = &v->samples[i];
        if (strcmp(by_workload ? other->key.workload : other->scheduler,
                   by_workload ? s->key.workload : s->scheduler) == 0)
            return false;
    }
    return true;
}

/* All of a split, then each scheduler's and each workload's, in the order of the recording. */
static void lines(const struct gsim_run_validation *v, line_function *put, struct gsim_output *output)
{
    static const enum gsim_split splits[] = {GSIM_SPLIT_TEST, GSIM_SPLIT_FIT};
    bool is_first = true;
    for (size_t i = 0; i < 2; i++) {
        struct gsim_run_choice choice = {.split = splits[i]};
        line(v, &choice, put, &is_first, output);
        for (int by_workload = 0; by_workload < 2; by_workload++) {
            for (size_t s = 0; s < v->count; s++) {
                if (!is_first_of(v, s, by_workload)) continue;
                choice.scheduler = by_workload ? NULL : v->samples[s].scheduler;
                choice.workload = by_workload ? v->samples[s].key.workload : NULL;
                line(v, &choice, put, &is_first, output);
            }
        }
    }
}

/* --- the table -------------------------------------------------------------------------------------------------- */
static void put_line(const struct gsim_run_choice *choice, const struct gsim_run_summary *s, struct gsim_output *output,
                     bool is_first)
{
    (void)is_first;
    const char *of = choice->scheduler ? choice->scheduler : choice->workload ? choice->workload : "all runs";
    gsim_output_printf(output, "%-6s%-14.13s%5zu", gsim_split_word(choice->split), of, s->makespan.count);
    gsim_output_percent(output, 8, s->makespan.mean, false);
    gsim_output_percent(output, 8, s->makespan.median, false);
    gsim_output_percent(output, 8, s->makespan.worst, false);
    gsim_output_percent(output, 8, s->makespan.bias, true);
    gsim_output_percent(output, 8, s->spread_ratio, false);
    gsim_output_percent(output, 9, s->speedup.mean, false);
    gsim_output_percent(output, 8, s->speedup.worst, false);
    gsim_output_percent(output, 9, s->replay.mean, false);
    gsim_output_percent(output, 8, s->replay.worst, false);
    gsim_output_percent(output, 10, s->timeline_mean, false);
    gsim_output_percent(output, 8, s->traced_ratio, true);
    gsim_output_text(output, "\n");
}

static void put_table(const struct gsim_run_validation *v, struct gsim_output *output)
{
    gsim_output_printf(output, "%-25s%-32s%8s%17s%17s%10s%8s\n", "", "  error of the prediction, in %", "own",
                       "speed-up", "replay", "times", "tracer");
    gsim_output_printf(output, "%-6s%-14s%5s%8s%8s%8s%8s%8s%9s%8s%9s%8s%10s%8s\n", "split", "of", "n", "mean", "median",
                       "worst", "bias", "spread", "mean", "worst", "mean", "worst", "mean", "mean");
    lines(v, put_line, output);
    static const enum gsim_split splits[] = {GSIM_SPLIT_TEST, GSIM_SPLIT_FIT};
    for (size_t i = 0; i < 2; i++) {
        struct gsim_run_ranking r;
        gsim_run_rank(v, splits[i], &r);
        if (!r.count) continue;
        gsim_output_printf(
            output,
            "%s%-5s %zu configurations, Kendall's tau over schedulers %.3f on average, %.3f over clear pairs;\n"
            "      following the prediction costs %.2f %% on average, %.2f %% at worst\n",
            i ? "" : "\n", gsim_split_word(splits[i]), r.count, r.tau_mean, r.tau_clear, 100 * r.regret_mean,
            100 * r.regret_worst);
    }
}

void gsim_run_validation_print(const struct gsim_run_validation *v, struct gsim_output *output)
{
    gsim_output_printf(output, "Runs of gpusim-runner, predicted on %s:\n", v->predictor->device->name);
    put_table(v, output);
    /* On the same times alone; a second recording in the place of predictions has none. */
    static const enum gsim_split splits[] = {GSIM_SPLIT_TEST, GSIM_SPLIT_FIT};
    for (size_t i = 0; i < 2; i++) {
        struct gsim_run_choice choice = {.split = splits[i]};
        struct gsim_run_summary s;
        gsim_run_summarize(v, &choice, &s);
        if (!s.makespan.count) continue;
        gsim_output_printf(output,
                           "%s  simpler models, %s runs: kernels' times alone added up %.2f %% off on average,\n",
                           i ? "" : "\n", gsim_split_word(splits[i]), 100 * s.sum_mean);
        gsim_output_printf(output, "  the longest path of dependent ones %.2f %%, gpusim %.2f %%\n", 100 * s.path_mean,
                           100 * s.makespan.mean);
    }
    if (v->skipped) gsim_output_printf(output, "\n%zu runs left out; the first: %s.\n", v->skipped, v->skipped_reason);
    if (v->unchecked)
        gsim_output_printf(output, "\n%zu of these runs were recorded without checking their results.\n", v->unchecked);
    gsim_output_printf(
        output,
        "\n  mean, median, worst of the absolute error of the predicted time of an iteration, bias its signed mean;\n"
        "  own spread: half of what lies between the 5 %% and 95 %% quantiles of the repetitions, over their median.\n"
        "  speed-up over %s: error of the ratio. replay: the traced iteration, predicted from its own streams, order\n"
        "  and host times (not of graphs), with the tracer's own cost. times: mean deviation of the starts and ends "
        "of\n"
        "  kernels and copies, as a share of the traced iteration. tracer: by how much tracing lengthens an "
        "iteration.\n"
        "  clear pairs: measured times further apart than both their spreads.\n",
        v->base);
}

void gsim_run_validation_print_again(const struct gsim_run_validation *again, const char *path,
                                     struct gsim_output *output)
{
    gsim_output_printf(output, "\nThe same runs, %zu of them, recorded once more (%s), in the place of predictions:\n",
                       again->count, path);
    put_table(again, output);
}

void gsim_run_validation_print_runs(const struct gsim_run_validation *v, struct gsim_output *output)
{
    gsim_output_printf(output, "%-6s%-11s%14s%14s%9s%9s%9s%9s  %s\n", "split", "scheduler", "predicted us",
                       "measured us", "error %", "spread", "replay %", "times %", "run");
    for (size_t i = 0; i < v->count; i++) {
        const struct gsim_run_sample *s = &v->samples[i];
        char text[128];
        gsim_output_printf(output, "%-6s%-11.10s%14.3f%14.3f", gsim_split_word(s->split), s->scheduler,
                           s->prediction.iteration_us, s->measured_us);
        gsim_output_percent(output, 9, s->error, true);
        gsim_output_percent(output, 9, s->spread_ratio, false);
        gsim_output_percent(output, 9, gsim_run_replay_error(s), true);
        gsim_output_percent(output, 9, s->prediction.timeline.mean, false);
        gsim_output_printf(output, "  %s\n", gsim_run_config_text(s, text, sizeof text));
    }
    gsim_output_text(output, "\n");
}

/* --- files ------------------------------------------------------------------------------------------------------ */
static void put_csv_line(const struct gsim_run_sample *s, const char *quantity, double predicted, double measured,
                         double error, struct gsim_output *output)
{
    char text[128];
    if (isnan(error)) return;
    gsim_output_put(output, "%c,%s", s->scheduler, quantity);
    gsim_validation_field(output, predicted);
    gsim_validation_field(output, measured);
    gsim_validation_field(output, error);
    gsim_validation_field(output, s->spread_ratio);
    gsim_validation_no_models(output);
    gsim_output_printf(output, ",%s,0,", gsim_split_word(s->split));
    gsim_output_put(output, "%c,%c\n", gsim_run_config_text(s, text, sizeof text), s->file);
}

void gsim_run_validation_csv(const struct gsim_run_validation *v, struct gsim_output *output)
{
    for (size_t i = 0; i < v->count; i++) {
        const struct gsim_run_sample *s = &v->samples[i], *base = gsim_run_base(v, s);
        const struct gsim_prediction *p = &s->prediction;
        put_csv_line(s, "makespan", p->iteration_us, s->measured_us, s->error, output);
        put_csv_line(s, "replay", p->replay_us, s->measured_us * (1 + s->traced_ratio), gsim_run_replay_error(s),
                     output);
        if (base)
            put_csv_line(s, "speed-up", base->prediction.iteration_us / p->iteration_us,
                         base->measured_us / s->measured_us, gsim_run_speedup_error(v, s), output);
        put_csv_line(s, "times", NAN, NAN, p->timeline.mean, output);
        put_csv_line(s, "times at worst", NAN, NAN, p->timeline.worst, output);
    }
}

static void put_json_text(struct gsim_output *output, const char *name, const char *text)
{
    gsim_output_put(output, ", '%s': %q", name, text);
}

static void put_json_line(const struct gsim_run_choice *choice, const struct gsim_run_summary *s,
                          struct gsim_output *output, bool is_first)
{
    gsim_output_printf(output, "%s\n   {\"split\": \"%s\"", is_first ? "" : ",", gsim_split_word(choice->split));
    if (choice->scheduler) put_json_text(output, "scheduler", choice->scheduler);
    if (choice->workload) put_json_text(output, "workload", choice->workload);
    gsim_output_put(output, ", 'count': %z, 'mean': %r, 'median': %r, 'worst': %r, 'bias': %r, 'spread': %r, "
                            "'speedup_mean': %r, 'speedup_worst': %r, 'replay_mean': %r, 'replay_worst': %r, "
                            "'times_mean': %r, 'tracer': %r}", s->makespan.count, s->makespan.mean, s->makespan.median,
                    s->makespan.worst, s->makespan.bias, s->spread_ratio, s->speedup.mean, s->speedup.worst,
                    s->replay.mean, s->replay.worst, s->timeline_mean, s->traced_ratio);
}

void gsim_run_validation_json(const struct gsim_run_validation *v, struct gsim_output *output)
{
    gsim_output_put(output, "{'device': %q", v->predictor->device->name);
    put_json_text(output, "base", v->base);
    gsim_output_printf(output, ", \"count\": %zu, \"skipped\": %zu, \"unchecked\": %zu,\n  \"rows\": [", v->count,
                       v->skipped, v->unchecked);
    lines(v, put_json_line, output);
    gsim_output_text(output, "],\n  \"rankings\": [");
    const char *separator = "";
    for (int split = 0; split < GSIM_SPLIT_COUNT; split++) {
        struct gsim_run_ranking r;
        gsim_run_rank(v, (enum gsim_split)split, &r);
        if (!r.count) continue;
        gsim_output_put(output,
                        "%s\n   {'split': '%s', 'count': %z, 'kendall_tau': %r, 'tau_of_clear_pairs': %r, "
                        "'regret_mean': %r, 'regret_worst': %r}",
                        separator, gsim_split_word((enum gsim_split)split), r.count, r.tau_mean, r.tau_clear,
                        r.regret_mean, r.regret_worst);
        separator = ",";
    }
    gsim_output_text(output, "]}");
}
