/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Printing a calibration. Fields of the JSON file are contracts.
 */
#include "trust/calibrate/print.h"

#include <math.h>
#include <string.h>

#define SCHEMA "gpusim-calibration/1"
#define COLUMNS 100

/* --- the table --- */
/* The part of a source that fits a column. */
static size_t name_length(const char *name)
{
    size_t length = strcspn(name, ",;:(");
    while (length && name[length - 1] == ' ') length--;
    return length;
}

static void put_number(const struct gsim_calibration *c, enum gsim_device_number number, struct gsim_output *output)
{
    const struct gsim_calibrated *n = &c->numbers[number];
    char interval[48] = "-";
    if (isfinite(n->low)) snprintf(interval, sizeof interval, "%.4g .. %.4g", n->low, n->high);
    const char *source = c->device.source[number], *name = strstr(source, ": ");
    name = name ? name + 2 : source;
    gsim_output_printf(output, "%-32s%10.5g%11.5g %-5s %-20s%-9s%.*s%s\n", gsim_device_number_name(number), n->base,
                       gsim_device_get(&c->device, number), gsim_device_number_unit(number), interval,
                       gsim_number_kind_name(c->device.kind[number]), (int)name_length(name), name,
                       n->is_undetermined ? " (not determined)" : n->is_at_bound ? " (at the end of its range)" : "");
}

/* The names of the numbers for which IS_WANTED says so, as a paragraph; nothing where there are none. */
static void put_names(const struct gsim_calibration *c, const char *head,
                      bool (*is_wanted)(const struct gsim_calibrated *), struct gsim_output *output)
{
    size_t column = 0;
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++) {
        const char *name = gsim_device_number_name((enum gsim_device_number)i);
        if (!is_wanted(&c->numbers[i])) continue;
        bool is_first = column == 0, wraps = !is_first && column + strlen(name) + 2 > COLUMNS;
        if (is_first) gsim_output_printf(output, "\n%s\n", head);
        gsim_output_printf(output, "%s%s", is_first ? "  " : wraps ? ",\n  " : ", ", name);
        column = (is_first || wraps ? 2 : column + 2) + strlen(name);
    }
    if (column) gsim_output_text(output, "\n");
}

static bool is_kept(const struct gsim_calibrated *n) { return !n->is_touched; }

static bool is_undetermined(const struct gsim_calibrated *n) { return n->is_undetermined; }

static bool is_prior(const struct gsim_calibrated *n) { return n->is_prior; }

static void put_errors(const char *of, const struct gsim_error_summary summaries[2], struct gsim_output *output)
{
    if (!summaries[0].count) return;
    gsim_output_printf(output, "  %-6s%5zu", of, summaries[0].count);
    for (int when = 0; when < 2; when++)
        gsim_output_printf(output, "%10.2f%8.2f%8.2f%+8.2f", 100 * summaries[when].mean, 100 * summaries[when].median,
                           100 * summaries[when].worst, 100 * summaries[when].bias);
    gsim_output_text(output, "\n");
}

void gsim_calibration_print(const struct gsim_calibration *c, const char *base, struct gsim_output *output)
{
    gsim_output_printf(output, "%s (%s), from the base %s\n\n", c->device.name, c->device.title, base);
    gsim_output_printf(output, "%-32s%10s%11s %-5s %-20s%-9s%s\n", "number", "base", "now", "", "95 % interval", "kind",
                       "from");
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++)
        if (c->numbers[i].is_touched) put_number(c, (enum gsim_device_number)i, output);
    put_names(
        c, "Not determined by the data one by one, only together with others (near the base where that leaves room):",
        is_undetermined, output);
    put_names(c, "Refined near the probe's values; how near is what their intervals say, as the runs alone tell less:",
              is_prior, output);
    put_names(c, "Not seen in the data, kept from the base:", is_kept, output);
    for (size_t i = 0; i < c->pair_count; i++)
        gsim_output_printf(output, "%s  %s and %s: correlation %+.3f\n",
                           i ? "" : "\nFitted together, told apart badly:\n", gsim_device_number_name(c->pairs[i].a),
                           gsim_device_number_name(c->pairs[i].b), c->pairs[i].correlation);
    bool any = false;
    for (size_t i = 0; i < c->residual_count; i++) {
        const struct gsim_calibration_residual *r = &c->residuals[i];
        if (r->points < 2) continue; /* met by construction, or nearly */
        if (!any)
            gsim_output_printf(output, "\n%-24s%8s%10s%10s%12s\n", "Curves of the probe, in %", "points", "rms",
                               "worst", "left out");
        any = true;
        gsim_output_printf(output, "%-24s%8zu%10.2f%10.2f", r->series, r->points, 100 * r->rms_ratio,
                           100 * r->worst_ratio);
        if (isnan(r->held_out_ratio)) gsim_output_printf(output, "%12s\n", "-");
        else gsim_output_printf(output, "%12.2f\n", 100 * r->held_out_ratio);
    }
    if (c->run_count) {
        gsim_output_printf(output,
                           "\nRecorded runs, error of the predicted time of an iteration, in %%:\n  %-6s%5s%34s%34s\n",
                           "", "", "before the refinement", "after");
        gsim_output_printf(output, "  %-6s%5s%10s%8s%8s%8s%10s%8s%8s%8s\n", "split", "n", "mean", "median", "worst",
                           "bias", "mean", "median", "worst", "bias");
        put_errors("fit", c->fit, output);
        put_errors("test", c->test, output);
        if (c->folds)
            gsim_output_printf(output,
                               "  %u-fold cross-validation over configurations: %.2f %% on average and %.2f %% at "
                               "worst where left out\n",
                               c->folds, 100 * c->held_out.mean, 100 * c->held_out.worst);
        if (c->is_refined)
            gsim_output_printf(output, "  %s after %u iterations\n", c->has_converged ? "converged" : "stopped",
                               c->iterations);
        if (c->skipped) gsim_output_printf(output, "  %zu runs left out: they cannot be predicted\n", c->skipped);
    }
    for (size_t i = 0; i < c->warning_count; i++)
        gsim_output_printf(output, "%sWarning: %s\n", i ? "" : "\n", c->warnings[i]);
}

/* --- JSON --- */
static void put_real(struct gsim_output *output, const char *name, double value)
{
    gsim_output_printf(output, ", \"%s\": ", name);
    if (isfinite(value)) gsim_output_printf(output, "%.9g", value);
    else gsim_output_text(output, "null");
}

static void put_json_errors(struct gsim_output *output, const char *name, const struct gsim_error_summary *summary)
{
    gsim_output_printf(output, ", \"%s\": {\"count\": %zu", name, summary->count);
    put_real(output, "mean", summary->count ? summary->mean : NAN);
    put_real(output, "median", summary->count ? summary->median : NAN);
    put_real(output, "worst", summary->count ? summary->worst : NAN);
    put_real(output, "bias", summary->count ? summary->bias : NAN);
    gsim_output_text(output, "}");
}

void gsim_calibration_json(const struct gsim_calibration *c, const char *base, struct gsim_output *output)
{
    gsim_output_put(output, "{'schema': '%s', 'version': '%s', 'device': %q, 'base': %q,\n 'numbers': [", SCHEMA,
                    GPUSIM_VERSION, c->device.name, base);
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++) {
        if (i) gsim_output_text(output, ",");
        enum gsim_device_number number = (enum gsim_device_number)i;
        const struct gsim_calibrated *n = &c->numbers[number];
        gsim_output_printf(output, "\n  {\"name\": \"%s\"", gsim_device_number_name(number));
        put_real(output, "base", n->base);
        put_real(output, "value", gsim_device_get(&c->device, number));
        put_real(output, "low", n->low);
        put_real(output, "high", n->high);
        gsim_output_put(output,
                        ", 'unit': '%s', 'kind': '%s', 'touched': %b, 'determined': %s, 'prior': %b, 'at_bound': "
                        "%b, 'source': %q}",
                        gsim_device_number_unit(number), gsim_number_kind_name(c->device.kind[number]), n->is_touched,
                        n->is_undetermined ? "false"
                        : n->is_touched    ? "true"
                                           : "null",
                        n->is_prior, n->is_at_bound, c->device.source[number]);
    }
    gsim_output_text(output, "],\n \"correlated\": [");
    for (size_t i = 0; i < c->pair_count; i++) {
        gsim_output_printf(output, "%s\n  {\"a\": \"%s\", \"b\": \"%s\"", i ? "," : "",
                           gsim_device_number_name(c->pairs[i].a), gsim_device_number_name(c->pairs[i].b));
        put_real(output, "correlation", c->pairs[i].correlation);
        gsim_output_text(output, "}");
    }
    gsim_output_text(output, "],\n \"residuals\": [");
    for (size_t i = 0; i < c->residual_count; i++) {
        const struct gsim_calibration_residual *r = &c->residuals[i];
        gsim_output_put(output, "%s\n  {'series': %q, 'points': %z", i ? "," : "", r->series, r->points);
        put_real(output, "rms", r->rms_ratio);
        put_real(output, "worst", r->worst_ratio);
        put_real(output, "left_out", r->held_out_ratio);
        gsim_output_text(output, "}");
    }
    gsim_output_printf(output,
                       "],\n \"runs\": {\"count\": %zu, \"skipped\": %zu, \"refined\": %s, \"converged\": %s, "
                       "\"iterations\": %u, \"folds\": %u",
                       c->run_count, c->skipped, c->is_refined ? "true" : "false", c->has_converged ? "true" : "false",
                       c->iterations, c->folds);
    put_json_errors(output, "fit_before", &c->fit[0]);
    put_json_errors(output, "fit_after", &c->fit[1]);
    put_json_errors(output, "test_before", &c->test[0]);
    put_json_errors(output, "test_after", &c->test[1]);
    put_json_errors(output, "left_out", &c->held_out);
    gsim_output_text(output, "},\n \"warnings\": [");
    for (size_t i = 0; i < c->warning_count; i++) gsim_output_put(output, "%s%q", i ? ", " : "", c->warnings[i]);
    gsim_output_text(output, "]}\n");
}

/* --- beforehand --- */
static const char *minutes(char text[24], double seconds)
{
    snprintf(text, 24, seconds < 90 ? "%.0f s" : "%.0f min", seconds < 90 ? ceil(seconds) : ceil(seconds / 60));
    return text;
}

double gsim_calibration_forecast_text(const struct gsim_calibration_forecast *forecast, double first_pass_s,
                                      unsigned jobs, char text[GSIM_FORECAST_TEXT])
{
    char whole[24], part[24], pass[24];
    double fit_pass_s =
        forecast->runs ? first_pass_s * (double)forecast->fit_runs / (double)forecast->runs : first_pass_s;
    double folds_s = fit_pass_s * (double)forecast->fold_passes;
    double seconds = fit_pass_s * (double)(forecast->passes - forecast->fold_passes) + folds_s;
    int length = snprintf(text, GSIM_FORECAST_TEXT,
                          "%zu numbers from %zu of %zu recorded runs: at most %zu passes over them, about %s with "
                          "--jobs %u (the first took %.2g s)",
                          forecast->numbers, forecast->fit_runs, forecast->runs, forecast->passes,
                          minutes(whole, seconds), jobs, first_pass_s);
    if (length < 0 || length >= GSIM_FORECAST_TEXT) return seconds;
    if (forecast->fold_passes)
        snprintf(text + length, GSIM_FORECAST_TEXT - (size_t)length,
                 "; of that the cross-validation %s (--folds 0: none)", minutes(part, folds_s));
    else
        snprintf(text + length, GSIM_FORECAST_TEXT - (size_t)length, "; a cross-validation (--folds 5) would add %s",
                 minutes(pass, 5 * seconds));
    return seconds;
}
