/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Printing a validation. Columns of the CSV file and fields of the JSON file are contracts: plots/validate_*.gp
 * read the former by position.
 */
#include "trust/validate/table.h"

#include <math.h>

#include "trust/validate/runs_table.h"
#include "trust/validate/traces_table.h"

#define SCHEMA "gpusim-validation/1"

/* The work model INDEX that cases are compared under, beside that of the prediction; NULL: it is not. */
static const char *compared(const struct gsim_validation *v, uint32_t index)
{
    return v->compares_models && index != v->device->model ? gsim_model_name(index) : NULL;
}

/* --- the table -------------------------------------------------------------------------------------------------- */
static void put_row(const struct gsim_validation *v, const struct gsim_validation_row *row, struct gsim_output *output)
{
    gsim_output_printf(output, "%-9s%-18s%5zu", gsim_case_kind_word(row->kind), gsim_quantity_word(row->quantity),
                       row->all.count);
    gsim_output_percent(output, 8, row->all.mean, false);
    gsim_output_percent(output, 8, row->all.median, false);
    gsim_output_percent(output, 8, row->all.worst, false);
    gsim_output_percent(output, 8, row->all.bias, true);
    if (isnan(row->correlation)) gsim_output_printf(output, "%8s", "-");
    else gsim_output_printf(output, "%8.4f", row->correlation);
    gsim_output_percent(output, 8, row->spread_ratio, false);
    gsim_output_percent(output, 9, row->even.mean, false);
    gsim_output_percent(output, 7, row->odd.mean, false);
    for (uint32_t m = 0; m < GSIM_MODEL_MOST; m++)
        if (compared(v, m)) gsim_output_percent(output, 10, row->model_mean[m], false);
    gsim_output_text(output, "\n");
}

static void put_intervals(const struct gsim_validation *v, struct gsim_output *output)
{
    if (!v->spread_runs) return;
    gsim_output_printf(output, "\nWhat was measured, and the 90 %% intervals of %u perturbed copies:\n",
                       v->spread_runs);
    gsim_output_printf(output, "%-9s%-18s%5s%8s%14s%10s%20s\n", "kind", "quantity", "n", "held", "median width",
                       "unstable", "of those >20 % off");
    for (int kind = 0; kind < GSIM_CASE_KIND_COUNT; kind++)
        for (int quantity = 0; quantity < GSIM_QUANTITY_COUNT; quantity++) {
            struct gsim_interval_row row;
            gsim_validation_interval(v, (enum gsim_case_kind)kind, (enum gsim_quantity)quantity, &row);
            if (!row.count) continue;
            gsim_output_printf(output, "%-9s%-18s%5zu%6.1f %%%12.2f %%%10zu%13zu of %zu\n",
                               gsim_case_kind_word((enum gsim_case_kind)kind),
                               gsim_quantity_word((enum gsim_quantity)quantity), row.count,
                               100 * (double)row.held / (double)row.count, 100 * row.width_median, row.unstable,
                               row.off_unstable, row.off);
        }
}

static void put_table(const struct gsim_validation *validation, bool used[GSIM_QUANTITY_COUNT],
                      struct gsim_output *output)
{
    gsim_output_printf(output, "%-32s%-40s%8s%16s%s\n", "", " error of the prediction, in %", "own", "mean of half",
                       validation->compares_models ? "          mean of the model" : "");
    gsim_output_printf(output, "%-9s%-18s%5s%8s%8s%8s%8s%8s%8s%9s%7s", "kind", "quantity", "n", "mean", "median",
                       "worst", "bias", "corr.", "spread", "even", "odd");
    for (uint32_t m = 0; m < GSIM_MODEL_MOST; m++)
        if (compared(validation, m)) gsim_output_printf(output, "%10s", compared(validation, m));
    gsim_output_text(output, "\n");
    for (int kind = 0; kind < GSIM_CASE_KIND_COUNT; kind++) {
        for (int quantity = 0; quantity < GSIM_QUANTITY_COUNT; quantity++) {
            struct gsim_validation_row row;
            gsim_validation_row(validation, (enum gsim_case_kind)kind, (enum gsim_quantity)quantity, &row);
            if (!row.all.count) continue;
            used[quantity] = true;
            put_row(validation, &row, output);
        }
    }
}

void gsim_validation_print_rows(const struct gsim_validation *other, const char *title, const char *path,
                                struct gsim_output *output)
{
    bool used[GSIM_QUANTITY_COUNT] = {false};
    gsim_output_printf(output, "\nThe same cases, %s (%s):\n", title, path);
    put_table(other, used, output);
}

static bool has_kind(const struct gsim_validation *v, enum gsim_case_kind kind)
{
    for (size_t i = 0; i < v->count; i++)
        if (v->samples[i].subject->kind == kind) return true;
    return false;
}

void gsim_validation_print(const struct gsim_validation *validation, struct gsim_output *output)
{
    bool used[GSIM_QUANTITY_COUNT] = {false};
    put_table(validation, used, output);
    bool first = true;
    for (int kind = 0; kind < GSIM_CASE_KIND_COUNT; kind++) {
        struct gsim_validation_ranking ranking;
        gsim_validation_rank(validation, (enum gsim_case_kind)kind, &ranking);
        if (!ranking.count) continue;
        if (first) gsim_output_text(output, "\nWhich of serial, live, graph is faster:\n");
        first = false;
        gsim_output_printf(output,
                           "  %-8s %3zu DAGs, Kendall's tau %.3f on average; following the prediction costs %.2f %% on "
                           "average, %.2f %% at worst\n",
                           gsim_case_kind_word(ranking.kind), ranking.count, ranking.tau_mean,
                           100 * ranking.regret_mean, 100 * ranking.regret_worst);
    }
    put_intervals(validation, output);
    if (validation->skipped)
        gsim_output_printf(output, "\n%zu cases left out: their second kernel's launch time is not recorded.\n",
                           validation->skipped);
    if (validation->unfit)
        gsim_output_printf(output, "\n%zu cases left out: a kernel of theirs cannot run on %s; the first: %s.\n",
                           validation->unfit, validation->device->name, validation->unfit_reason);
    gsim_output_text(output, "\n");
    for (int quantity = 0; quantity < GSIM_QUANTITY_COUNT; quantity++)
        if (used[quantity])
            gsim_output_printf(output, "  %-17s %s\n", gsim_quantity_word((enum gsim_quantity)quantity),
                               gsim_quantity_help((enum gsim_quantity)quantity));
    if (has_kind(validation, GSIM_CASE_ATEN))
        gsim_output_text(
            output,
            "  aten: issued by PyTorch. Host times per op, stream, event and synchronise are the file's \"host\",\n"
            "  else those of another H200 host.\n");
    gsim_output_text(
        output, "  mean, median, worst are of absolute errors, bias is the mean signed one; corr. is Pearson's, of\n"
                "  logarithms; own spread is half the range of the repeated measurements over their median, which for\n"
                "  kernels released together includes the chance of which comes first.\n");
    for (uint32_t m = 0; m < GSIM_MODEL_MOST; m++)
        if (compared(validation, m))
            gsim_output_printf(output, "  %-17s %s\n", gsim_model_name(m), gsim_model_summary(m));
}

void gsim_validation_print_cases(const struct gsim_validation *validation, struct gsim_output *output)
{
    gsim_output_printf(output, "%-9s%-18s%14s%14s%9s%9s  %s\n", "kind", "quantity", "predicted", "measured", "error %",
                       "spread", "case");
    for (size_t i = 0; i < validation->count; i++) {
        const struct gsim_sample *s = &validation->samples[i];
        gsim_output_printf(output, "%-9s%-18s", gsim_case_kind_word(s->subject->kind), gsim_quantity_word(s->quantity));
        if (isnan(s->predicted)) gsim_output_printf(output, "%14s%14s", "-", "-");
        else gsim_output_printf(output, "%14.3f%14.3f", s->predicted, s->measured);
        gsim_output_percent(output, 9, s->error, true);
        gsim_output_percent(output, 9, s->spread_ratio, false);
        bool of_one = s->quantity == GSIM_QUANTITY_OWN || s->quantity == GSIM_QUANTITY_PLACEMENT;
        gsim_output_printf(output, "  %s%s", s->subject->name, of_one ? s->part ? " (second)" : " (first)" : "");
        if (s->spread.runs)
            gsim_output_printf(output, "  %.3f to %.3f%s", s->spread.low_us, s->spread.high_us,
                               s->spread.unstable ? ", unstable" : "");
        gsim_output_text(output, "\n");
    }
    gsim_output_text(output, "\n");
}

/* --- files ------------------------------------------------------------------------------------------------------ */
void gsim_validation_csv(const struct gsim_validation *validation, struct gsim_output *output)
{
    gsim_output_text(output, "kind,quantity,predicted,measured,error,spread");
    for (uint32_t m = 1; gsim_model_name(m); m++) gsim_output_printf(output, ",%s_us", gsim_model_name(m));
    gsim_output_printf(output, ",half,part,case,file%s\n",
                       validation->spread_runs ? ",copies_median_us,low_us,high_us,unstable" : "");
    for (size_t i = 0; i < validation->count; i++) {
        const struct gsim_sample *s = &validation->samples[i];
        gsim_output_put(output, "%c,%c", gsim_case_kind_word(s->subject->kind), gsim_quantity_word(s->quantity));
        gsim_validation_field(output, s->predicted);
        gsim_validation_field(output, s->measured);
        gsim_validation_field(output, s->error);
        gsim_validation_field(output, s->spread_ratio);
        for (uint32_t m = 1; gsim_model_name(m); m++) gsim_validation_field(output, s->model_us[m]);
        gsim_output_put(output, ",%s,%u,%c,%c", s->subject->index & 1 ? "odd" : "even", s->part, s->subject->name,
                        s->subject->file);
        const struct gsim_spread *spread = &s->spread;
        if (validation->spread_runs) {
            gsim_validation_field(output, spread->runs ? spread->median_us : NAN);
            gsim_validation_field(output, spread->runs ? spread->low_us : NAN);
            gsim_validation_field(output, spread->runs ? spread->high_us : NAN);
            gsim_output_text(output, !spread->runs ? "," : spread->unstable ? ",1" : ",0");
        }
        gsim_output_text(output, "\n");
    }
}

static void put_json_interval(const struct gsim_interval_row *interval, uint32_t runs, struct gsim_output *output)
{
    if (!interval->count) return;
    gsim_output_put(output, ", 'interval': {'runs': %u, 'count': %z, 'held': %z, 'median_width': %r, 'unstable': %z, "
                            "'off': %z, 'off_unstable': %z}", runs, interval->count, interval->held,
                    interval->width_median, interval->unstable, interval->off, interval->off_unstable);
}

static void put_json_row(const struct gsim_validation *v, const struct gsim_validation_row *row,
                         const struct gsim_interval_row *interval, struct gsim_output *output)
{
    gsim_output_put(output, "{'kind': '%s', 'quantity': %q, 'count': %z, 'mean': %r, 'median': %r, 'worst': %r, "
                            "'bias': %r, 'log_correlation': %r, 'spread': %r, 'mean_even': %r, 'mean_odd': %r",
                    gsim_case_kind_word(row->kind), gsim_quantity_word(row->quantity), row->all.count, row->all.mean,
                    row->all.median, row->all.worst, row->all.bias, row->correlation, row->spread_ratio, row->even.mean,
                    row->odd.mean);
    for (uint32_t m = 0; m < GSIM_MODEL_MOST; m++) {
        char name[32];
        if (!compared(v, m)) continue;
        snprintf(name, sizeof name, "mean_%s", compared(v, m));
        gsim_output_json_real(output, name, row->model_mean[m]);
    }
    put_json_interval(interval, v->spread_runs, output);
    gsim_output_text(output, "}");
}

static void put_json_rows(const struct gsim_validation *validation, struct gsim_output *output)
{
    const char *separator = "";
    for (int kind = 0; kind < GSIM_CASE_KIND_COUNT; kind++) {
        for (int quantity = 0; quantity < GSIM_QUANTITY_COUNT; quantity++) {
            struct gsim_validation_row row;
            struct gsim_interval_row interval;
            gsim_validation_row(validation, (enum gsim_case_kind)kind, (enum gsim_quantity)quantity, &row);
            gsim_validation_interval(validation, (enum gsim_case_kind)kind, (enum gsim_quantity)quantity, &interval);
            if (!row.all.count) continue;
            gsim_output_printf(output, "%s\n  ", separator);
            put_json_row(validation, &row, &interval, output);
            separator = ",";
        }
    }
}

static void put_json_member(const char *name, const struct gsim_validation *other, struct gsim_output *output)
{
    if (!other) return;
    gsim_output_printf(output, ",\n \"%s\": [", name);
    put_json_rows(other, output);
    gsim_output_text(output, "]");
}

void gsim_validation_json(const struct gsim_validation *validation, const struct gsim_validation_members *members,
                          struct gsim_output *output)
{
    const char *separator = "";
    gsim_output_put(output, "{'schema': '%s', 'version': '%s', 'device': %q, 'skipped': %z, 'unfit': %z,\n 'rows': [",
                    SCHEMA, GPUSIM_VERSION, validation->device->name, validation->skipped, validation->unfit);
    put_json_rows(validation, output);
    gsim_output_text(output, "],\n \"rankings\": [");
    for (int kind = 0; kind < GSIM_CASE_KIND_COUNT; kind++) {
        struct gsim_validation_ranking ranking;
        gsim_validation_rank(validation, (enum gsim_case_kind)kind, &ranking);
        if (!ranking.count) continue;
        gsim_output_put(output, "%s\n  {'kind': '%s', 'count': %z, 'kendall_tau': %r, 'regret_mean': %r, "
                                "'regret_worst': %r}", separator, gsim_case_kind_word(ranking.kind), ranking.count,
                        ranking.tau_mean, ranking.regret_mean, ranking.regret_worst);
        separator = ",";
    }
    gsim_output_text(output, "]");
    if (members->runs) {
        gsim_output_text(output, ",\n \"runs\": ");
        gsim_run_validation_json(members->runs, output);
    }
    if (members->again) {
        gsim_output_text(output, ",\n \"again\": ");
        gsim_run_validation_json(members->again, output);
    }
    put_json_member("again_rows", members->cases_again, output);
    put_json_member("times_alone_rows", members->times_alone, output);
    put_json_member("without_pipes_rows", members->without_pipes, output);
    if (members->traces) {
        gsim_output_text(output, ",\n \"traces\": ");
        gsim_trace_validation_json(members->traces, members->has_trace_ops, output);
    }
    gsim_output_text(output, "}\n");
}
