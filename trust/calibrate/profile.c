/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See trust/calibrate/profile.h: samples into numbers. Times are means without the tenth at either end, which first
 * calls and disturbed ones fill; copies are a line over bytes that a few disturbed ones do not turn (GSL's bisquare).
 * What is told too badly stays the base's, with a warning that says so.
 */
#include "trust/calibrate/profile.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/base/ends.h"
#include "gpusim/order.h"

#define MIN_SAMPLES 6 /* four are left in the middle */
#define TRIM_SHARE    0.1
#define RESOLUTION_US 0.001 /* of times in traces */
/* A line: from sizes this far apart; more copies than this say nothing new. */
#define MIN_SIZES_RATIO 4
#define MAX_COPIES        20000
/* Where copies are off the line: small ones by this (H200, see trust/calibrate/probes.c), large ones by a share. */
#define BEND_US     0.5
#define SPREAD_RATIO 0.01
/* Half an interval over the number: beyond, the number is not told. */
#define MAX_DOUBT 0.5

static const struct {
    enum gsim_device_number number;
    const char *text;
} quantities[] = {
#define QUANTITY_ROW(name, number, text) {GSIM_DEV_##number, text},
    GSIM_PROFILE_QUANTITY_MAP(QUANTITY_ROW)
#undef QUANTITY_ROW
};

struct estimate {
    double value, low, high;
};

/* The samples of one quantity: [FIRST, FIRST + COUNT) once sorted, by trace and value. */
struct span {
    const struct gsim_profile_sample *first;
    size_t count;
};

GSIM_ORDER(compare_samples, struct gsim_profile_sample, GSIM_UP(quantity) GSIM_UP(trace) GSIM_UP(bytes) GSIM_UP(value))

static struct span span_of(const struct gsim_profile_samples *all, enum gsim_profile_quantity quantity)
{
    size_t first = 0, end = 0;
    for (size_t i = 0; i < all->count; i++) {
        first += all->samples[i].quantity < quantity;
        end += all->samples[i].quantity <= quantity;
    }
    return end > first ? (struct span){all->samples + first, end - first} : (struct span){0};
}

/* --- where it comes from --- */
/* What a runner's tracer adds to the quantity, by the device's own numbers; GSIM_DEVICE_NUMBER_COUNT: nothing. */
static enum gsim_device_number tracer_number(enum gsim_profile_quantity quantity)
{
    switch (quantity) {
    case GSIM_PROFILE_START:
    case GSIM_PROFILE_H2D:
    case GSIM_PROFILE_D2H: return GSIM_DEV_tracer_start_us;
    case GSIM_PROFILE_STREAM_GAP:
    case GSIM_PROFILE_EVENT_GAP: return GSIM_DEV_tracer_gap_us;
    case GSIM_PROFILE_LAUNCH:
    case GSIM_PROFILE_MEMCPY:
    case GSIM_PROFILE_EVENT_RECORD:
    case GSIM_PROFILE_EVENT_CREATE:
    case GSIM_PROFILE_EVENT_DESTROY:
    case GSIM_PROFILE_STREAM_CREATE:
    case GSIM_PROFILE_STREAM_WAIT:
    case GSIM_PROFILE_SYNC_RETURN:
    case GSIM_PROFILE_SYNC_IDLE:
    case GSIM_PROFILE_D2D:
    case GSIM_PROFILE_PAGEABLE_H2D:
    case GSIM_PROFILE_PAGEABLE_D2H:
    case GSIM_PROFILE_QUANTITY_COUNT: break;
    }
    return GSIM_DEVICE_NUMBER_COUNT;
}

/* What is in the sample besides its number. */
static double excess_us(const struct gsim_calibration *c, const struct gsim_profile_samples *all,
                        const struct gsim_profile_sample *sample)
{
    enum gsim_device_number number = tracer_number(sample->quantity);
    bool is_known = number < GSIM_DEVICE_NUMBER_COUNT && all->traces[sample->trace].tracer == GSIM_TRACER_RUNNER;
    bool is_recorded = sample->quantity == GSIM_PROFILE_EVENT_GAP && all->traces[sample->trace].has_timing;
    return (is_known ? gsim_device_get(&c->device, number) : 0) + (is_recorded ? c->device.timed_record_us : 0);
}

/* "a.json.gz and 2 more: WHAT (NVIDIA H200, 2026-11-20); with what the profiler adds" */
static void write_source(const struct gsim_calibration *c, const struct gsim_profile_samples *all,
                         const struct span *spans, size_t span_count, const char *what, char *text, size_t size)
{
    size_t files = 0, length;
    const struct gsim_profile_source *first = NULL;
    enum gsim_device_number tracer = GSIM_DEVICE_NUMBER_COUNT;
    bool seen[] = {[GSIM_TRACER_NONE] = false, [GSIM_TRACER_RUNNER] = false, [GSIM_TRACER_OTHER] = false};
    for (uint32_t t = 0; t < all->trace_count; t++) {
        bool has = false;
        for (size_t s = 0; s < span_count; s++)
            for (size_t i = 0; i < spans[s].count && !has; i++) has = spans[s].first[i].trace == t;
        if (!has) continue;
        if (!files++) first = &all->traces[t];
        seen[all->traces[t].tracer] = true;
    }
    for (size_t s = 0; s < span_count && tracer == GSIM_DEVICE_NUMBER_COUNT; s++)
        if (spans[s].count) tracer = tracer_number(spans[s].first->quantity);
    length = (size_t)snprintf(text, size, "%.80s", first ? first->file : "");
    if (files > 1) length += (size_t)snprintf(text + length, size - length, " and %zu more", files - 1);
    length += (size_t)snprintf(text + length, size - length, ": %.160s", what);
    if (first && (first->gpu[0] || first->date[0]))
        length += (size_t)snprintf(text + length, size - length, " (%.60s%s%.12s)", first->gpu,
                                   first->gpu[0] && first->date[0] ? ", " : "", first->date);
    if (span_count && spans[0].count && spans[0].first->quantity == GSIM_PROFILE_EVENT_GAP)
        length += (size_t)snprintf(
            text + length, size - length, "; less timed_record_us, %.3g, of the base (%s) where the events have timing",
            c->device.timed_record_us, gsim_number_kind_name(c->device.kind[GSIM_DEV_timed_record_us]));
    if (seen[GSIM_TRACER_NONE]) length += (size_t)snprintf(text + length, size - length, "; simulated");
    if (seen[GSIM_TRACER_RUNNER] && tracer < GSIM_DEVICE_NUMBER_COUNT)
        length += (size_t)snprintf(text + length, size - length, "; less %s, %.3g, of the base (%s)",
                                   gsim_device_number_name(tracer), gsim_device_get(&c->device, tracer),
                                   gsim_number_kind_name(c->device.kind[tracer]));
    if (seen[GSIM_TRACER_OTHER] || (seen[GSIM_TRACER_RUNNER] && tracer == GSIM_DEVICE_NUMBER_COUNT))
        snprintf(text + length, size - length, "; with what the profiler itself adds, which the trace does not tell");
}

static bool is_simulated(const struct gsim_profile_samples *all, const struct span *span)
{
    for (size_t i = 0; i < span->count; i++)
        if (all->traces[span->first[i].trace].tracer != GSIM_TRACER_NONE) return false;
    return true;
}

/* --- whether it will do --- */
static void set_number(struct gsim_calibration *c, enum gsim_device_number number, const struct estimate *e,
                       enum gsim_number_kind kind, const char *text, const char *source)
{
    double least = gsim_device_number_minimum(number);
    if (c->numbers[number].is_touched) return; /* by a probe, or recorded runs */
    if (e->value >= 0 && (e->high - e->low) / 2 <= MAX_DOUBT * gsim_calibration_scale(number, e->value)) {
        gsim_calibration_put(c, number, fmax(e->value, least), fmax(e->low, least), fmax(e->high, least), kind, source);
        c->numbers[number].is_undetermined = number == GSIM_DEV_event_gap_us; /* only together with timed_record_us */
        return;
    }
    gsim_calibration_warn(c, "%s: %s give %.3g, 95 %% interval %.3g to %.3g, which is no answer: kept from the base",
                          gsim_device_number_name(number), text, e->value, e->low, e->high);
}

/* --- means --- */
/* Of COUNT sorted values, the mean of the middle and its interval by the spread of the values with the ends drawn in
 * (Tukey and McLaughlin). A mean, because what programs pay is the sum, and gaps and calls are skewed: a median is too
 * short. */
static struct estimate mean_of(const double *values, size_t count)
{
    size_t cut = gsim_whole_u64(ceil(TRIM_SHARE * (double)count)), kept = count - 2 * cut;
    double mean = gsl_stats_mean(values + cut, 1, kept), all = 0, squares = 0;
    for (size_t i = 0; i < count; i++) all += values[i < cut ? cut : i >= count - cut ? count - cut - 1 : i];
    all /= (double)count;
    for (size_t i = 0; i < count; i++)
        squares += pow(values[i < cut ? cut : i >= count - cut ? count - cut - 1 : i] - all, 2);
    double share = (double)kept / (double)count;
    double half =
        gsl_cdf_tdist_Pinv(0.975, (double)kept - 1) * sqrt(squares / (double)(count - 1) / (double)count) / share;
    return (struct estimate){mean, mean - half - RESOLUTION_US, mean + half + RESOLUTION_US};
}

static void put_mean(struct gsim_calibration *c, const struct gsim_profile_samples *all,
                     enum gsim_profile_quantity quantity)
{
    struct span span = span_of(all, quantity);
    enum gsim_device_number number = quantities[quantity].number;
    const char *text = quantities[quantity].text;
    char what[200], source[600];
    if (!span.count || c->numbers[number].is_touched) return;
    if (span.count < MIN_SAMPLES) {
        gsim_calibration_warn(c, "%s: %zu %s, at least %d are needed for an interval: kept from the base",
                              gsim_device_number_name(number), span.count, text, MIN_SAMPLES);
        return;
    }
    double *values = gsim_alloc(2 * span.count * sizeof *values), *sorted = values + span.count;
    for (size_t i = 0; i < span.count; i++)
        sorted[i] = values[i] = span.first[i].value - excess_us(c, all, &span.first[i]);
    gsl_sort(sorted, 1, span.count);
    struct estimate e = mean_of(sorted, span.count);
    /* Samples of one trace depend on each other, and programs differ: the interval holds that of each trace's own mean.
     */
    size_t count = span.count;
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && span.first[to].trace == span.first[from].trace;) to++;
        if (to - from < MIN_SAMPLES) continue;
        gsl_sort(values + from, 1, to - from);
        struct estimate own = mean_of(values + from, to - from);
        e.low = fmin(e.low, own.low);
        e.high = fmax(e.high, own.high);
    }
    snprintf(what, sizeof what, "%s, mean of the middle 80 %% of %zu, quartiles %.4g to %.4g", text, span.count,
             gsl_stats_quantile_from_sorted_data(sorted, 1, span.count, 0.25),
             gsl_stats_quantile_from_sorted_data(sorted, 1, span.count, 0.75));
    write_source(c, all, &span, 1, what, source, sizeof source);
    gsim_free(values);
    set_number(c, number, &e, is_simulated(all, &span) ? GSIM_KIND_DERIVED : GSIM_KIND_MEASURED, text, source);
}

/* --- lines --- */
/* Copies that share a start-up: us = latency + bytes/rate, a rate for each span. */
struct line {
    struct span spans[2];
    enum gsim_device_number rates[2], latency;
    size_t span_count, count;
    struct estimate coefficients[3]; /* the latency; per span nanoseconds per byte, the rate's inverse */
};

static bool has_sizes(const struct span *span)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < span->count; i++) {
        least = fmin(least, span->first[i].bytes);
        most = fmax(most, span->first[i].bytes);
    }
    return most >= MIN_SIZES_RATIO * least;
}

/* False: GSL finds none. */
static bool solve(const struct gsim_calibration *c, const struct gsim_profile_samples *all, struct line *line,
                  gsl_multifit_robust_workspace *work, gsl_matrix *x, gsl_vector *y)
{
    size_t unknowns = line->span_count + 1, row = 0;
    gsl_matrix *covariance = gsl_matrix_alloc(unknowns, unknowns);
    gsl_vector *found = gsl_vector_alloc(unknowns);
    bool ok = covariance && found;
    gsl_matrix_set_zero(x);
    for (size_t s = 0; s < line->span_count && ok; s++) {
        size_t step = line->spans[s].count / MAX_COPIES + 1;
        for (size_t i = 0; i < line->spans[s].count; i += step, row++) {
            const struct gsim_profile_sample *copy = &line->spans[s].first[i];
            double us = copy->value - excess_us(c, all, copy), sigma = hypot(BEND_US, SPREAD_RATIO * us);
            gsl_matrix_set(x, row, 0, 1 / sigma);
            gsl_matrix_set(x, row, s + 1, copy->bytes * 1e-3 / sigma);
            gsl_vector_set(y, row, us / sigma);
        }
    }
    int code = ok ? gsl_multifit_robust(x, y, found, covariance, work) : GSL_ENOMEM;
    ok = ok && (code == GSL_SUCCESS || code == GSL_EMAXITER);
    double t = ok ? gsl_cdf_tdist_Pinv(0.975, (double)(row - unknowns)) : 0;
    for (size_t k = 0; k < unknowns && ok; k++) {
        double value = gsl_vector_get(found, k), half = t * sqrt(gsl_matrix_get(covariance, k, k));
        line->coefficients[k] = (struct estimate){value, value - half, value + half};
        ok = isfinite(value) && isfinite(half);
    }
    if (covariance) gsl_matrix_free(covariance);
    if (found) gsl_vector_free(found);
    return ok;
}

static void put_line(struct gsim_calibration *c, const struct gsim_profile_samples *all, const struct line *line)
{
    char what[200], source[600];
    enum gsim_number_kind kind =
        is_simulated(all, &line->spans[0]) && is_simulated(all, &line->spans[1]) ? GSIM_KIND_DERIVED : GSIM_KIND_FITTED;
    struct estimate latency = line->coefficients[0];
    latency.low -= RESOLUTION_US;
    latency.high += RESOLUTION_US;
    snprintf(what, sizeof what, "robust line over bytes, %zu copies that no other overlaps", line->count);
    write_source(c, all, line->spans, line->span_count, what, source, sizeof source);
    set_number(c, line->latency, &latency, kind, "copies", source);
    for (size_t s = 0; s < line->span_count; s++) {
        const struct estimate *inverse = &line->coefficients[s + 1];
        struct estimate rate = {1 / inverse->value, 1 / inverse->high, inverse->low > 0 ? 1 / inverse->low : INFINITY};
        rate.low *= 1 - 1e-4; /* times are whole nanoseconds */
        rate.high *= 1 + 1e-4;
        set_number(c, line->rates[s], &rate, kind, quantities[line->spans[s].first->quantity].text, source);
    }
}

static void fit_line(struct gsim_calibration *c, const struct gsim_profile_samples *all, struct line *line)
{
    size_t rows = 0;
    const char *text = quantities[line->spans[0].first->quantity].text;
    for (size_t s = 0; s < line->span_count; s++) {
        size_t step = line->spans[s].count / MAX_COPIES + 1;
        rows += (line->spans[s].count + step - 1) / step;
        line->count += line->spans[s].count;
    }
    gsl_error_handler_t *handler = gsl_set_error_handler(gsim_ends_take_gsl);
    gsl_matrix *x = gsl_matrix_alloc(rows, line->span_count + 1);
    gsl_vector *y = gsl_vector_alloc(rows);
    gsl_multifit_robust_workspace *work =
        gsl_multifit_robust_alloc(gsl_multifit_robust_bisquare, rows, line->span_count + 1);
    if (solve(c, all, line, work, x, y)) put_line(c, all, line);
    else
        gsim_calibration_warn(c, "%s: no line goes through the %zu %s: kept from the base",
                              gsim_device_number_name(line->rates[0]), line->count, text);
    gsl_multifit_robust_free(work);
    gsl_matrix_free(x);
    gsl_vector_free(y);
    gsl_set_error_handler(handler);
}

/* Spans without enough copies, or of one size, are left out. */
static void put_copies(struct gsim_calibration *c, const struct gsim_profile_samples *all,
                       const enum gsim_profile_quantity *wanted, size_t count, enum gsim_device_number latency)
{
    struct line line = {.latency = latency};
    bool is_wanted = !c->numbers[latency].is_touched;
    for (size_t i = 0; i < count; i++) {
        struct span span = span_of(all, wanted[i]);
        enum gsim_device_number rate = quantities[wanted[i]].number;
        is_wanted |= !c->numbers[rate].is_touched;
        if (!span.count) continue;
        if (span.count >= MIN_SAMPLES && has_sizes(&span)) {
            line.spans[line.span_count] = span;
            line.rates[line.span_count++] = rate;
        } else if (!c->numbers[rate].is_touched) {
            gsim_calibration_warn(
                c, "%s: %zu %s%s, at least %d of sizes %d times apart are needed: kept from the base",
                gsim_device_number_name(rate), span.count, quantities[wanted[i]].text,
                span.count >= MIN_SAMPLES ? " of nearly one size" : "", MIN_SAMPLES, MIN_SIZES_RATIO);
        }
    }
    if (line.span_count && is_wanted) fit_line(c, all, &line);
}

/* --- all of it --- */
static void warn_of_tracers(struct gsim_calibration *c, const struct gsim_profile_samples *all)
{
    size_t others = 0, untold = 0;
    for (size_t t = 0; t < all->trace_count; t++) {
        others += all->traces[t].tracer == GSIM_TRACER_OTHER;
        untold += all->traces[t].untold_records;
    }
    if (untold)
        gsim_calibration_warn(c,
                              "event_record_us, event_record_no_timing_us: %zu cudaEventRecord calls, but the "
                              "traces do not tell whether their events have timing: kept from the base",
                              untold);
    if (others)
        gsim_calibration_warn(
            c, "calls, starts, gaps and returns from a profiler's trace hold what the profiler itself adds, which a "
               "trace does not tell; a probe (gpusim-runner probe) has none of it");
}

void gsim_calibrate_profile(struct gsim_calibration *c, struct gsim_profile_samples *all)
{
    static const enum gsim_profile_quantity h2d[] = {GSIM_PROFILE_H2D}, d2h[] = {GSIM_PROFILE_D2H},
                                            pageable[] = {GSIM_PROFILE_PAGEABLE_H2D, GSIM_PROFILE_PAGEABLE_D2H};
    if (all->count) qsort(all->samples, all->count, sizeof *all->samples, compare_samples);
    for (size_t t = 0; t < all->trace_count; t++) {
        const struct gsim_profile_source *trace = &all->traces[t];
        const struct {
            enum gsim_device_number number;
            double value;
            const char *text;
        } rows[] = {{GSIM_DEV_sm_count, trace->sm_count, "SMs"},
                    {GSIM_DEV_memory_gb, trace->memory_bytes * 1e-9, "memory"}};
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            char source[300];
            if (!(rows[i].value > 0) || c->numbers[rows[i].number].is_touched) continue;
            snprintf(source, sizeof source, "%.80s: %s of the device (%.60s)", trace->file, rows[i].text, trace->gpu);
            gsim_calibration_put(c, rows[i].number, rows[i].value, NAN, NAN, GSIM_KIND_MEASURED, source);
        }
    }
    for (int q = 0; q <= GSIM_PROFILE_D2D; q++) put_mean(c, all, (enum gsim_profile_quantity)q);
    put_copies(c, all, h2d, 1, GSIM_DEV_h2d_latency_us);
    put_copies(c, all, d2h, 1, GSIM_DEV_d2h_latency_us);
    put_copies(c, all, pageable, 2, GSIM_DEV_pageable_latency_us);
    warn_of_tracers(c, all);
}
