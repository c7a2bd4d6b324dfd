/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What "gpusim reproduce" prints and writes: published against simulated, with the error and its sign. */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trust/published/reproduce.h"
#include "trust/validate/stats.h"

#define REPRODUCE_SCHEMA "gpusim-reproduction/1"
#define DEVICES_MAX      16

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

static const struct gsim_reproduce_figure *figure_of(const struct gsim_published_row *row)
{
    const struct gsim_reproduce_figure *figure = gsim_reproduce_figures;
    while (figure->name && !is(figure->name, row->figure)) figure++;
    return figure->name ? figure : NULL;
}

/* --- one row each -------------------------------------------------------------------------------------------- */
static void put_percent(struct gsim_output *output, double error, int width)
{
    if (isnan(error)) gsim_output_printf(output, "%*s", width, "-");
    else gsim_output_printf(output, "%+*.1f", width, 100 * error);
}

static void put_value(struct gsim_output *output, double value, int width)
{
    if (isnan(value)) gsim_output_printf(output, "%*s", width, "-");
    else gsim_output_printf(output, value < 100 ? "%*.3f" : "%*.1f", width, value);
}

static void put_row(const struct gsim_reproduction *r, size_t index, struct gsim_output *output)
{
    const struct gsim_published_row *row = &r->published.rows[index];
    char size[24] = "";
    if (row->size > 0) snprintf(size, sizeof size, "%.4g", row->size);
    gsim_output_printf(output, "  %-15s %-5s %9s  %-19s", row->device, row->workload, size, row->quantity);
    put_value(output, row->value, 10);
    put_value(output, r->simulated[index], 10);
    put_percent(output, gsim_reproduce_error(r, index), 8);
    gsim_output_printf(output, " %%  %s\n", row->is_fit ? "fit" : "");
}

static void put_rows(const struct gsim_reproduction *r, const struct gsim_reproduce_figure *figure,
                     struct gsim_output *output)
{
    gsim_output_printf(output, "\n%s\n  %-15s %-5s %9s  %-19s%10s%10s%8s\n", figure->title, "device", "", "size",
                       "quantity", "paper", "simulated", "error");
    for (size_t i = 0; i < r->shown_count; i++)
        if (is(r->published.rows[i].figure, figure->name)) put_row(r, i, output);
}

/* What the averages are made of; no paper says. */
static void put_workloads(struct gsim_reproduction *r, const char *figure, struct gsim_output *output)
{
    gsim_output_printf(output, "  %-24s", "simulated, by workload");
    for (uint32_t i = 0; gsim_workload_at(i); i++) gsim_output_printf(output, "%8s", gsim_workload_at(i)->name);
    gsim_output_printf(output, "%12s\n", "arith. mean");
    for (size_t i = 0; i < r->shown_count; i++) {
        const struct gsim_published_row *row = &r->published.rows[i];
        double sum = 0;
        uint32_t count = 0;
        if (!is(row->figure, figure)) continue;
        gsim_output_printf(output, "  %-24s", row->quantity);
        for (; gsim_workload_at(count); count++) {
            double value = gsim_reproduce_of_workload(r, row, gsim_workload_at(count));
            put_value(output, value, 8);
            sum += value;
        }
        put_value(output, sum / count, 12);
        gsim_output_text(output, "\n");
    }
}

/* --- the speed-ups as a matrix: workloads down, devices across ------------------------------------------------ */
static size_t list_devices(const struct gsim_reproduction *r, const char *figure, const char *devices[DEVICES_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < r->shown_count; i++) {
        const struct gsim_published_row *row = &r->published.rows[i];
        size_t at = 0;
        if (!is(row->figure, figure)) continue;
        while (at < count && !is(devices[at], row->device)) at++;
        if (at == count && count < DEVICES_MAX) devices[count++] = row->device;
    }
    return count;
}

static size_t find_row(const struct gsim_reproduction *r, const char *figure, const char *device, const char *workload)
{
    size_t i = 0;
    for (; i < r->shown_count; i++) {
        const struct gsim_published_row *row = &r->published.rows[i];
        if (is(row->figure, figure) && is(row->device, device) && is(row->workload, workload)) break;
    }
    return i;
}

static void put_matrix(const struct gsim_reproduction *r, const struct gsim_reproduce_figure *figure,
                       struct gsim_output *output)
{
    const char *devices[DEVICES_MAX];
    size_t device_count = list_devices(r, figure->name, devices);
    gsim_output_printf(output, "\n%s\n%8s", figure->title, "");
    for (size_t d = 0; d < device_count; d++) gsim_output_printf(output, "%22s", devices[d]);
    gsim_output_printf(output, "\n%8s", "");
    for (size_t d = 0; d < device_count; d++) gsim_output_printf(output, "%8s%7s%7s", "paper", "sim.", "err.%");
    gsim_output_text(output, "\n");
    for (size_t i = 0; i < r->shown_count; i++) {
        const struct gsim_published_row *row = &r->published.rows[i];
        if (!is(row->figure, figure->name) || find_row(r, figure->name, devices[0], row->workload) != i) continue;
        gsim_output_printf(output, "%-8s", is(row->workload, "all") ? "mean" : row->workload);
        for (size_t d = 0; d < device_count; d++) {
            size_t at = find_row(r, figure->name, devices[d], row->workload);
            if (at == r->shown_count) continue;
            put_value(output, r->published.rows[at].value, 8);
            put_value(output, r->simulated[at], 7);
            put_percent(output, gsim_reproduce_error(r, at), 7);
        }
        gsim_output_text(output, "\n");
    }
}

/* --- the rest in one line per figure, device and quantity ------------------------------------------------------ */
struct summary {
    size_t count, fit_count, failed_count;
    double mean, median, worst, bias;
};

static struct summary summarise(const struct gsim_reproduction *r, const struct gsim_published_row *like,
                                double *errors)
{
    struct summary s = {0};
    for (size_t i = 0; i < r->shown_count; i++) {
        const struct gsim_published_row *row = &r->published.rows[i];
        if (!is(row->figure, like->figure) || !is(row->device, like->device) || !is(row->quantity, like->quantity))
            continue;
        double error = gsim_reproduce_error(r, i);
        if (isnan(r->simulated[i])) s.failed_count++;
        if (isnan(error)) continue;
        s.bias += error;
        s.mean += fabs(error);
        if (fabs(error) > fabs(s.worst)) s.worst = error;
        s.fit_count += row->is_fit;
        errors[s.count++] = fabs(error);
    }
    if (!s.count) return s;
    s.mean /= (double)s.count;
    s.bias /= (double)s.count;
    gsl_sort(errors, 1, s.count);
    s.median = gsl_stats_median_from_sorted_data(errors, 1, s.count);
    return s;
}

static bool is_first_alike(const struct gsim_reproduction *r, size_t index)
{
    const struct gsim_published_row *row = &r->published.rows[index];
    for (size_t i = 0; i < index; i++) {
        const struct gsim_published_row *other = &r->published.rows[i];
        if (is(other->figure, row->figure) && is(other->device, row->device) && is(other->quantity, row->quantity))
            return false;
    }
    return true;
}

static void put_summary(const struct gsim_reproduction *r, const struct gsim_reproduce_figure *figure, double *errors,
                        struct gsim_output *output)
{
    gsim_output_printf(output, "\n%s\n  %-15s %-14s%5s%5s%9s%9s%9s%9s\n", figure->title, "device", "quantity", "n",
                       "fit", "mean |%|", "median", "worst", "bias");
    for (size_t i = 0; i < r->shown_count; i++) {
        const struct gsim_published_row *row = &r->published.rows[i];
        if (!is(row->figure, figure->name) || !is_first_alike(r, i)) continue;
        struct summary s = summarise(r, row, errors);
        gsim_output_printf(output, "  %-15s %-14s%5zu%5zu%9.1f%9.1f%+9.1f%+9.1f", row->device, row->quantity, s.count,
                           s.fit_count, 100 * s.mean, 100 * s.median, 100 * s.worst, 100 * s.bias);
        if (s.failed_count) gsim_output_printf(output, "  (%zu not simulated)", s.failed_count);
        gsim_output_text(output, "\n");
    }
}

/* Kendall's tau of published and simulated values of the workloads on one device: do they rank alike? */
static double rank_agreement(const struct gsim_reproduction *r, const struct gsim_published_row *like)
{
    double *values = gsim_alloc(sizeof *values * (2 * r->shown_count + 1)), *simulated = values + r->shown_count,
           tau = NAN;
    size_t count = 0;
    for (size_t i = 0; values && i < r->shown_count; i++) {
        const struct gsim_published_row *a = &r->published.rows[i];
        if (!is(a->figure, like->figure) || !is(a->device, like->device) || !is(a->quantity, like->quantity)) continue;
        if (!isfinite(r->simulated[i])) continue;
        values[count] = a->value;
        simulated[count++] = r->simulated[i];
    }
    if (values) tau = gsim_kendall_tau(values, simulated, count);
    gsim_free(values);
    return tau;
}

/* Shares of time: their differences in points and their order, as relative errors of small ones say nothing. */
static void put_overlaps(const struct gsim_reproduction *r, const struct gsim_reproduce_figure *figure,
                         struct gsim_output *output)
{
    gsim_output_printf(output, "\n%s\n  %-15s %-10s%5s%18s%8s%22s\n", figure->title, "device", "quantity", "n",
                       "mean |difference|", "worst", "order, Kendall's tau");
    for (size_t i = 0; i < r->shown_count; i++) {
        const struct gsim_published_row *row = &r->published.rows[i];
        double sum = 0, worst = 0;
        size_t count = 0;
        if (!is(row->figure, figure->name) || !is_first_alike(r, i)) continue;
        for (size_t j = i; j < r->shown_count; j++) {
            const struct gsim_published_row *other = &r->published.rows[j];
            double difference = r->simulated[j] - other->value;
            if (!is(other->figure, row->figure) || !is(other->device, row->device) ||
                !is(other->quantity, row->quantity) || isnan(difference))
                continue;
            sum += fabs(difference);
            if (fabs(difference) > fabs(worst)) worst = difference;
            count++;
        }
        gsim_output_printf(output, "  %-15s %-10s%5zu%18.3f%+8.3f%22.2f\n", row->device, row->quantity, count,
                           count ? sum / (double)count : NAN, worst, rank_agreement(r, row));
    }
}

/* --- all ---------------------------------------------------------------------------------------------------------- */
static bool has_rows(const struct gsim_reproduction *r, const char *figure)
{
    for (size_t i = 0; i < r->shown_count; i++)
        if (is(r->published.rows[i].figure, figure)) return true;
    return false;
}

/* Each reason once. */
static void put_failures(const struct gsim_reproduction *r, struct gsim_output *output)
{
    for (size_t i = 0; i < r->reruns.done_count; i++) {
        const struct gsim_rerun_result *result = &r->reruns.results[i];
        size_t before = 0, count = 0;
        for (size_t j = 0; !result->done && j < r->reruns.done_count; j++) {
            bool alike = !r->reruns.results[j].done && is(r->reruns.results[j].message, result->message);
            before += alike && j < i;
            count += alike;
        }
        if (count && !before) gsim_output_printf(output, "\n%zu runs not simulated: %s\n", count, result->message);
    }
}

void gsim_reproduce_print(struct gsim_reproduction *r, bool every_row, struct gsim_output *output)
{
    double *errors = gsim_alloc(sizeof *errors * (r->shown_count + 1));
    if (!errors) return;
    if (r->number) gsim_output_printf(output, "Every device's %s times %g. ", r->number, r->factor);
    gsim_output_printf(output, "%zu published numbers, %zu runs\n", r->shown_count, r->reruns.done_count);
    for (const struct gsim_reproduce_figure *f = gsim_reproduce_figures; f->name; f++) {
        if (!has_rows(r, f->name)) continue;
        if (is(f->name, "mean-speedup"))
            put_matrix(r, f, output);
        else if (f->is_listed || every_row)
            put_rows(r, f, output);
        else if (is(f->name, "overlap"))
            put_overlaps(r, f, output);
        else
            put_summary(r, f, errors, output);
        if (strncmp(f->name, "average", 7) == 0) put_workloads(r, f->name, output);
    }
    gsim_free(errors);
    put_failures(r, output);
}

void gsim_reproduce_csv(const struct gsim_reproduction *r, struct gsim_output *output)
{
    gsim_output_text(output, "figure,device,workload,size,quantity,published,simulated,error,use,source\n");
    for (size_t i = 0; i < r->shown_count; i++) {
        const struct gsim_published_row *row = &r->published.rows[i];
        double error = gsim_reproduce_error(r, i);
        gsim_output_printf(output, "%s,%s,%s,%.15g,%s,%.15g,", row->figure, row->device, row->workload, row->size,
                           row->quantity, row->value);
        if (!isnan(r->simulated[i])) gsim_output_printf(output, "%.6f", r->simulated[i]);
        gsim_output_text(output, ",");
        if (!isnan(error)) gsim_output_printf(output, "%.6f", error);
        gsim_output_printf(output, ",%s,%s\n", row->is_fit ? "fit" : "check", row->source);
    }
}

void gsim_reproduce_json(const struct gsim_reproduction *r, struct gsim_output *output)
{
    gsim_output_put(output, "{'schema': '%s', 'version': '%s',\n 'rows': [", REPRODUCE_SCHEMA, GPUSIM_VERSION);
    for (size_t i = 0; i < r->shown_count; i++) {
        const struct gsim_published_row *row = &r->published.rows[i];
        gsim_output_put(output, "%s\n  {'paper': '%s', 'figure': '%s', 'device': '%s', 'workload': '%s', 'size': "
                                "%.15g, 'quantity': '%s', 'published': %.15g, 'simulated': %r, 'error': %r, 'use': "
                                "'%s', 'source': '%s'}", i ? "," : "", figure_of(row) ? figure_of(row)->paper : "",
                        row->figure, row->device, row->workload, row->size, row->quantity, row->value, r->simulated[i],
                        gsim_reproduce_error(r, i), row->is_fit ? "fit" : "check", row->source);
    }
    gsim_output_text(output, "\n ]}\n");
}
