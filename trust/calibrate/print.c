/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See trust/calibrate/print.h: the tables of trust/calibrate/print.sql, which says what is written of them. */
#include "trust/calibrate/print.h"

#include <math.h>
#include <string.h>

#include "sim/base/tables/tables.h"

static const char script[] = {
#include "trust/calibrate/print.inc"
    0};

/* The part of a source that fits a column. */
static const char *named(const char *source, char text[64])
{
    const char *name = strstr(source, ": ");
    if (name) source = name + 2;
    size_t length = strcspn(source, ",;:(");
    while (length && source[length - 1] == ' ') length--;
    snprintf(text, 64, "%.*s", (int)length, source);
    return text;
}

static void write_section(const struct gsim_calibration *c, const char *base, const char *section,
                          struct gsim_output *output)
{
    const struct gsim_error_summary *const errors[] = {&c->fit[0], &c->fit[1], &c->test[0], &c->test[1], &c->held_out};
    static const char *const keys[] = {"fit_before", "fit_after", "test_before", "test_after", "left_out"};
    static const char *const splits[] = {"fit", "test", ""};
    sqlite3 *db = gsim_tables_open(NULL);
    gsim_tables_put(db, script, "schema", NULL);
    gsim_tables_row(db, "about", "sssszzuuuu", GPUSIM_VERSION, c->device.name, c->device.title, base, c->run_count,
                    c->skipped, c->is_refined, c->has_converged, c->iterations, c->folds);
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++) {
        enum gsim_device_number number = (enum gsim_device_number)i;
        const struct gsim_calibrated *n = &c->numbers[i];
        const char *source = c->device.source[i];
        char text[64];
        gsim_tables_row(db, "number", "ussffffsssuuuu", (unsigned)i, gsim_device_number_name(number),
                        gsim_device_number_unit(number), n->base, gsim_device_get(&c->device, number), n->low, n->high,
                        gsim_number_kind_name(c->device.kind[i]), source, named(source, text), n->is_touched,
                        n->is_undetermined, n->is_prior, n->is_at_bound);
    }
    for (size_t i = 0; i < c->pair_count; i++)
        gsim_tables_row(db, "pair", "ssf", gsim_device_number_name(c->pairs[i].a),
                        gsim_device_number_name(c->pairs[i].b), c->pairs[i].correlation);
    for (size_t i = 0; i < c->residual_count; i++) {
        const struct gsim_calibration_residual *r = &c->residuals[i];
        gsim_tables_row(db, "residual", "szfff", r->series, r->points, r->rms_ratio, r->worst_ratio, r->held_out_ratio);
    }
    for (unsigned i = 0; i < 5; i++) {
        const struct gsim_error_summary *e = errors[i];
        double scale = e->count ? 1 : (double)NAN;
        gsim_tables_row(db, "error", "suszffff", splits[i / 2], i % 2, keys[i], e->count, scale * e->mean,
                        scale * e->median, scale * e->worst, scale * e->bias);
    }
    for (size_t i = 0; i < c->warning_count; i++) gsim_tables_row(db, "warning", "s", c->warnings[i]);
    gsim_tables_put(db, script, section, output);
    gsim_tables_close(db);
}

void gsim_calibration_print(const struct gsim_calibration *c, const char *base, struct gsim_output *output)
{
    write_section(c, base, "text", output);
}

void gsim_calibration_json(const struct gsim_calibration *c, const char *base, struct gsim_output *output)
{
    write_section(c, base, "json", output);
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
