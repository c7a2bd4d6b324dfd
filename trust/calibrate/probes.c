/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A device's numbers from a probe. Each point of a series is a sum of numbers, as the simulator adds them up for the
 * same calls (rows[] below); all points together are one least-squares problem, so that a number which stands in
 * several sums agrees with all of them. What is no such sum is trust/calibrate/chip.c's.
 */
#include <math.h>
#include <stdio.h>

#include "trust/calibrate/parts.h"

/* How a number enters the time at X. */
enum shape {
    END,
    ONCE,      /* p */
    TIMES,     /* p x */
    BUT_FIRST, /* p (x - 1) */
    BYTES,     /* x bytes at p GB/s */
    TWICE,     /* 2 x bytes at p GB/s */
    MEGABYTES, /* p x / 10^6 */
    CHAINED,   /* x copies of CHAIN_BYTES at p GB/s */
};

#define OWN(k) (GSIM_DEVICE_NUMBER_COUNT + (k)) /* a nuisance: it belongs to the measurement, not to the device */
#define OWN_COUNT 11
#define UNKNOWN_COUNT (GSIM_DEVICE_NUMBER_COUNT + OWN_COUNT)
#define MAX_TERMS 6
#define CHAIN_BYTES 131072.0
#define D(name) GSIM_DEV_##name
/* H200, measured: small copies are off the line through the large ones by this, so that the line is theirs alone. */
#define COPY_BEND_US 0.5

/* FLOOR: what the sum itself may be off, as a share; the rest of a point's sigma is its median's standard error, and
 * the medians of DOUBT (half: it is an upper bound). MINUS: a series whose median is subtracted. */
#define SUM(series, least_x, most_x, floor, ...) {series, least_x, most_x, floor, {__VA_ARGS__}, NULL, NULL}
#define ALONE(series, floor, number)             SUM(series, 0, 0, floor, {D(number), ONCE})
static const struct row {
    const char *series;
    double least_x, most_x, floor;
    struct {
        int number;
        enum shape shape;
    } terms[MAX_TERMS];
    const char *doubt, *minus;
} rows[] = {
    ALONE("launch", 0.002, launch_us),
    ALONE("sync_idle", 0.002, sync_idle_us),
    ALONE("event_create", 0.002, event_create_us),
    ALONE("event_destroy", 0.002, event_destroy_us),
    ALONE("query", 0.002, query_us),
    SUM("launch_record", 0, 0, 0.005, {D(launch_us), ONCE}, {D(event_record_no_timing_us), ONCE}),
    SUM("launch_record_timed", 0, 0, 0.005, {D(launch_us), ONCE}, {D(event_record_us), ONCE}),
    SUM("launch_record_wait", 0, 0, 0.005, {D(launch_us), ONCE}, {D(event_record_no_timing_us), ONCE},
        {D(stream_wait_us), ONCE}),
    ALONE("stream_create", 0.002, stream_create_us),
    ALONE("stream_destroy", 0.002, stream_destroy_us),
    ALONE("thread_create", 0.002, thread_create_us),
    ALONE("lock", 0.002, lock_us),
    {"launch_to_start", 0, 0, 0.02, {{D(launch_to_start_us), ONCE}}, "clock_doubt", NULL},
    {"end_to_return", 0, 0, 0.02, {{D(sync_return_us), ONCE}}, "clock_doubt", NULL},
    {"launch_sync", 0, 0, 0.005, {{D(launch_us), ONCE}, {D(launch_to_start_us), ONCE},
        {D(sync_return_us), ONCE}}, NULL, "least_kernel"},
    ALONE("stream_gap", 0.002, stream_gap_us),
    SUM("stream_gap_busy", 0, 0, 0.02, {D(stream_gap_us), ONCE}, {D(busy_gap_us), ONCE}),
    ALONE("event_gap", 0.002, event_gap_us),
    SUM("acquire_gap", 0, 0, 0.02, {D(event_gap_us), ONCE}, {D(acquire_us), ONCE}),
    SUM("event_gap_busy", 0, 0, 0.02, {D(event_gap_us), ONCE}, {D(busy_gap_us), ONCE}),
    SUM("graph_add", 0, INFINITY, 0.02, {D(graph_add_node_us), TIMES}, {OWN(0), ONCE}),
    SUM("graph_add_chain", 0, INFINITY, 0.02, {D(graph_add_node_us), TIMES}, {D(graph_add_edge_us), BUT_FIRST},
        {OWN(1), ONCE}),
    SUM("graph_capture", 0, INFINITY, 0.05, {D(graph_add_node_us), TIMES}, {OWN(2), ONCE}),
    SUM("graph_instantiate", 0, INFINITY, 0.02, {D(graph_instantiate_us), ONCE}, {D(graph_instantiate_node_us), TIMES}),
    SUM("graph_launch", 0, INFINITY, 0.02, {D(graph_launch_us), ONCE}, {D(graph_launch_node_us), TIMES}),
    {"graph_start", 0, 0, 0.02, {{D(graph_start_us), ONCE}}, "clock_doubt", NULL},
    ALONE("graph_node_gap", 0.002, graph_node_gap_us),
    /* OWN(3): what an empty node lasts */
    SUM("graph_chain", 0, INFINITY, 0.02, {D(graph_launch_us), ONCE}, {D(graph_launch_node_us), TIMES},
        {D(graph_start_us), ONCE}, {OWN(3), TIMES}, {D(graph_node_gap_us), BUT_FIRST}, {D(sync_return_us), ONCE}),
    SUM("graph_branches", 0, INFINITY, 0.05, {D(graph_launch_us), ONCE}, {D(graph_launch_node_us), TIMES},
        {D(graph_start_us), ONCE}, {D(graph_branch_us), BUT_FIRST}, {D(sync_return_us), ONCE}),
    SUM("h2d_pinned_call", 0, 65536, 0.02, {D(memcpy_us), ONCE}),
    SUM("d2h_pinned_call", 0, 65536, 0.02, {D(memcpy_us), ONCE}),
    SUM("h2d_pinned", 0, INFINITY, 0.003, {D(memcpy_us), ONCE}, {D(sync_return_us), ONCE}, {D(copy_start_us), ONCE},
        {D(h2d_latency_us), ONCE}, {D(h2d_gbps), BYTES}),
    SUM("d2h_pinned", 0, INFINITY, 0.003, {D(memcpy_us), ONCE}, {D(sync_return_us), ONCE}, {D(copy_start_us), ONCE},
        {D(d2h_latency_us), ONCE}, {D(d2h_gbps), BYTES}),
    /* Copies in a row; what the first takes besides is OWN. */
    SUM("h2d_chain", 0, INFINITY, 0.005, {D(h2d_latency_us), TIMES}, {D(h2d_gbps), CHAINED}, {OWN(7), ONCE}),
    SUM("d2h_chain", 0, INFINITY, 0.005, {D(d2h_latency_us), TIMES}, {D(d2h_gbps), CHAINED}, {OWN(8), ONCE}),
    SUM("h2d_record_chain", 0, INFINITY, 0.005, {D(h2d_latency_us), TIMES}, {D(timed_record_us), TIMES},
        {D(h2d_gbps), CHAINED}, {OWN(9), ONCE}),
    SUM("h2d_across", 0, INFINITY, 0.005, {D(h2d_latency_us), TIMES}, {D(copy_switch_us), BUT_FIRST},
        {D(h2d_gbps), CHAINED}, {OWN(10), ONCE}),
    /* Copies of pageable memory return when they are done, but for small ones to the device. */
    SUM("h2d_pageable", 0, 65536, 0.1, {D(memcpy_us), ONCE}, {D(sync_return_us), ONCE},
        {D(pageable_latency_us), ONCE}, {D(pageable_h2d_gbps), BYTES}),
    SUM("h2d_pageable", 65537, INFINITY, 0.1, {D(memcpy_us), ONCE}, {D(sync_idle_us), ONCE},
        {D(pageable_latency_us), ONCE}, {D(pageable_h2d_gbps), BYTES}),
    SUM("d2h_pageable", 0, INFINITY, 0.1, {D(memcpy_us), ONCE}, {D(sync_idle_us), ONCE},
        {D(pageable_latency_us), ONCE}, {D(pageable_d2h_gbps), BYTES}),
    /* The latency of a copy inside the device is taken to be that of a copy to it: only its rate is fitted. */
    SUM("d2d", 16e6, INFINITY, 0.02, {OWN(5), ONCE}, {D(d2d_gbps), TWICE}),
    SUM("bidirectional", 0, INFINITY, 0.003, {OWN(4), ONCE}, {D(bidirectional_gbps), TWICE}),
    SUM("prefetch_call", 0, INFINITY, 0.05, {D(prefetch_call_us), ONCE}, {D(prefetch_call_us_per_mb), MEGABYTES}),
    SUM("prefetch", 0, INFINITY, 0.05, {D(prefetch_call_us), ONCE}, {D(prefetch_call_us_per_mb), MEGABYTES},
        {D(h2d_latency_us), ONCE}, {D(prefetch_gbps), BYTES}, {D(sync_return_us), ONCE}),
    /* All pages at once, so that the driver's batches are full; what one batch takes is OWN. */
    SUM("faults", 1e6, INFINITY, 0.05, {OWN(6), ONCE}, {D(fault_total_gbps), BYTES}),
    /* Of recorded runs: what calls cost among others, which replaces what a probe saw of them alone; where there is no
     * probe, the durations of the copies. */
    ALONE("called_launch", 0.01, launch_us),
    ALONE("called_gap", 0.01, call_gap_us),
    ALONE("called_memcpy", 0.01, memcpy_us),
    ALONE("called_event_record", 0.01, event_record_us),
    ALONE("called_stream_wait", 0.01, stream_wait_us),
    ALONE("called_event_create", 0.01, event_create_us),
    ALONE("called_event_destroy", 0.01, event_destroy_us),
    ALONE("called_stream_create", 0.01, stream_create_us),
    SUM("traced_h2d", 0, INFINITY, 0.003, {D(h2d_latency_us), ONCE}, {D(h2d_gbps), BYTES}),
    SUM("traced_d2h", 0, INFINITY, 0.003, {D(d2h_latency_us), ONCE}, {D(d2h_gbps), BYTES}),
    /* Steps of a resident kernel's tasks that agree with what whole graphs took; others are for people to look at. */
    ALONE("handoff", 0.02, handoff_us),
    ALONE("task_fence", 0.02, handoff_fence_us),
    ALONE("task_take", 0.02, task_take_us),
    ALONE("task_fetch", 0.02, task_fetch_us),
    ALONE("grid_barrier", 0.02, grid_barrier_us),
    ALONE("host_post", 0.02, host_post_us),
    ALONE("fma_latency", 0.02, issue_latency_cycles),
    ALONE("block_turnaround", 0.01, block_turnaround_ns),
    ALONE("clock", 0.001, clock_mhz),
    SUM("l2_bandwidth", 0, INFINITY, 0.02, {D(l2_gbps), ONCE}),
};
#define ROW_COUNT (sizeof rows / sizeof rows[0])

struct observation {
    const struct row *row;
    const struct gsim_probe_series *series;
    double x, y, sigma;
};

struct problem {
    struct observation *observations;
    size_t count;
    int unknowns[UNKNOWN_COUNT]; /* the number of each parameter */
    int index_of[UNKNOWN_COUNT]; /* the parameter of each number; -1: no data */
    struct gsim_fit_parameter parameters[UNKNOWN_COUNT];
    size_t parameter_count;
};

/* --- observations --- */
static double median_of(const struct gsim_probe *probe, const char *series)
{
    const struct gsim_probe_series *s = series ? gsim_probe_find(probe, series) : NULL;
    return s ? s->points[0].median : 0;
}

static bool is_copy(const struct row *row)
{
    for (int t = 0; t < MAX_TERMS && row->terms[t].shape != END; t++)
        if (row->terms[t].shape == BYTES) return true;
    return false;
}

static void observe(struct problem *problem, const struct gsim_probe *probe, const struct row *row,
                    const struct gsim_probe_series *series, const struct gsim_probe_point *point)
{
    /* Standard error of a median of normal values: 1.2533 sigma/sqrt(n); 5 % to 95 % are 3.29 sigma apart. */
    double error = 1.2533 * (point->high - point->low) / 3.29 / sqrt(fmax(point->count, 1));
    double y = point->median - median_of(probe, row->minus), doubt = median_of(probe, row->doubt) / 2;
    double floor = fmax(row->floor * fabs(y), is_copy(row) ? COPY_BEND_US : 1e-4);
    problem->observations[problem->count++] =
        (struct observation){row, series, point->x, y, sqrt(error * error + doubt * doubt + floor * floor)};
}

/* --- the model --- */
static double term(enum shape shape, double p, double x)
{
    switch (shape) {
    case END: return 0;
    case ONCE: return p;
    case TIMES: return p * x;
    case BUT_FIRST: return p * (x - 1);
    case BYTES: return x * 1e-3 / p;
    case TWICE: return 2 * x * 1e-3 / p;
    case CHAINED: return x * CHAIN_BYTES * 1e-3 / p;
    case MEGABYTES: return p * x * 1e-6;
    }
    GSIM_BUG("shape %d", (int)shape);
}

static enum gsim_status residuals(void *context, const double *values, const bool *skip, double *out,
                                  struct gsim_error *error)
{
    const struct problem *problem = context;
    (void)error;
    for (size_t i = 0; i < problem->count; i++) {
        const struct observation *o = &problem->observations[i];
        double sum = 0;
        if (skip && skip[i]) continue;
        for (int t = 0; t < MAX_TERMS && o->row->terms[t].shape != END; t++)
            sum += term(o->row->terms[t].shape, values[problem->index_of[o->row->terms[t].number]], o->x);
        out[i] = (sum - o->y) / o->sigma;
    }
    return GSIM_OK;
}

/* A rate starts at what its largest copy says, so that a base far from the device does no harm. */
static double start_of(const struct problem *problem, int number, double base)
{
    double most = 0, start = base;
    for (size_t i = 0; i < problem->count; i++) {
        const struct observation *o = &problem->observations[i];
        for (int t = 0; t < MAX_TERMS && o->row->terms[t].shape != END; t++) {
            enum shape shape = o->row->terms[t].shape;
            if (o->row->terms[t].number != number || (shape != BYTES && shape != TWICE) || o->x <= most || o->y <= 0)
                continue;
            most = o->x;
            start = (shape == TWICE ? 2 : 1) * o->x * 1e-3 / o->y;
        }
    }
    return start;
}

static void choose_parameters(struct problem *problem, const struct gsim_device_spec *device)
{
    for (int n = 0; n < UNKNOWN_COUNT; n++) problem->index_of[n] = -1;
    for (size_t i = 0; i < problem->count; i++) {
        const struct row *row = problem->observations[i].row;
        for (int t = 0; t < MAX_TERMS && row->terms[t].shape != END; t++) {
            int number = row->terms[t].number;
            if (problem->index_of[number] >= 0) continue;
            bool is_own = number >= GSIM_DEVICE_NUMBER_COUNT;
            enum gsim_device_number device_number = is_own ? GSIM_DEV_launch_us : (enum gsim_device_number)number;
            double base = is_own ? 0 : gsim_device_get(device, device_number),
                   start = is_own ? 0 : start_of(problem, number, base);
            problem->parameters[problem->parameter_count] = (struct gsim_fit_parameter){
                .start = start,
                .scale = is_own ? 1 : gsim_calibration_scale(device_number, start),
                .prior_ratio = 1000,
                .minimum = is_own ? -1e9 : gsim_device_number_minimum(device_number),
                .maximum = is_own ? 1e9 : gsim_device_number_maximum(device_number),
            };
            problem->unknowns[problem->parameter_count] = number;
            problem->index_of[number] = (int)problem->parameter_count++;
        }
    }
}

/* --- results --- */
static bool has_number(const struct row *row, int number)
{
    for (int t = 0; t < MAX_TERMS && row->terms[t].shape != END; t++)
        if (row->terms[t].number == number) return true;
    return false;
}

/* The one point that is the number itself, or NULL. */
static const struct observation *direct(const struct problem *problem, int number)
{
    const struct observation *found = NULL;
    for (size_t i = 0; i < problem->count; i++) {
        const struct observation *o = &problem->observations[i];
        if (!has_number(o->row, number)) continue;
        if (o->row->terms[0].shape == ONCE && o->row->terms[1].shape == END && o->series->point_count == 1 &&
            !o->row->minus)
            found = o;
    }
    return found;
}

static void name_series(const struct problem *problem, int number, char *text, size_t size)
{
    const struct gsim_probe_series *before = NULL;
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < problem->count && length < size; i++) {
        const struct observation *o = &problem->observations[i];
        if (o->series == before || !has_number(o->row, number)) continue;
        length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "", o->series->name);
        before = o->series;
    }
}

static void put_numbers(struct gsim_calibration *c, const struct problem *problem, const struct gsim_probe *probe,
                        const char *file)
{
    char origin[160], source[500], series[200];
    gsim_calibration_origin(probe, origin, sizeof origin);
    for (size_t i = 0; i < problem->parameter_count; i++) {
        const struct gsim_fit_parameter *p = &problem->parameters[i];
        int number = problem->unknowns[i];
        if (number >= GSIM_DEVICE_NUMBER_COUNT) continue;
        if (!p->is_seen) continue;
        const struct observation *o = direct(problem, number);
        if (o) {
            const struct gsim_probe_point *point = &o->series->points[0];
            snprintf(source, sizeof source, "%s: %s, median of %.0f, 5 %% to 95 %% %.4g to %.4g%s", file,
                     o->series->name, point->count, point->low, point->high, origin);
        } else {
            name_series(problem, number, series, sizeof series);
            snprintf(source, sizeof source, "%s: least squares over %s, 95 %% interval %.4g to %.4g%s", file, series,
                     p->low, p->high, origin);
        }
        gsim_calibration_put(c, (enum gsim_device_number)number, p->value, p->low, p->high,
                             o ? GSIM_KIND_MEASURED : GSIM_KIND_FITTED, source);
        c->numbers[number].is_at_bound = p->is_at_bound && p->value > 0;
        c->numbers[number].is_undetermined = !p->is_determined;
    }
}

static void put_residuals(struct gsim_calibration *c, const struct problem *problem,
                          const struct gsim_fit_result *result, const double *held_out)
{
    for (size_t first = 0, next; first < problem->count; first = next) {
        const struct gsim_probe_series *series = problem->observations[first].series;
        struct gsim_calibration_residual r = {.series = gsim_arena_strdup(&c->arena, series->name)};
        double held = 0;
        for (next = first; next < problem->count && problem->observations[next].series == series; next++) {
            const struct observation *o = &problem->observations[next];
            double share = o->sigma / fmax(fabs(o->y), 1e-4), ratio = fabs(result->residuals[next]) * share;
            r.rms_ratio += ratio * ratio;
            held += pow(held_out[next] * share, 2);
            r.worst_ratio = fmax(r.worst_ratio, ratio);
            r.points++;
        }
        r.rms_ratio = sqrt(r.rms_ratio / (double)r.points);
        r.held_out_ratio = r.points > 2 ? sqrt(held / (double)r.points) : NAN;
        (void)GSIM_APPEND(c->residuals, c->residual_count, c->residual_capacity, r);
    }
}

static void put_pairs(struct gsim_calibration *c, const struct problem *problem, const struct gsim_fit_result *result)
{
    size_t n = problem->parameter_count;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            int a = problem->unknowns[i], b = problem->unknowns[j];
            double correlation = result->correlation[i * n + j];
            if (a < GSIM_DEVICE_NUMBER_COUNT && b < GSIM_DEVICE_NUMBER_COUNT && fabs(correlation) > 0.95)
                gsim_calibration_pair_up(c, (enum gsim_device_number)a, (enum gsim_device_number)b, correlation);
        }
    }
}

enum gsim_status gsim_calibrate_probe(struct gsim_calibration *c, const struct gsim_probe *probe, const char *file,
                                      struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct problem *problem = GSIM_ARENA_NEW(&arena, struct problem);
    struct gsim_fit_result result = {0};
    double *held_out = NULL;
    enum gsim_status status = gsim_calibrate_attributes(c, probe, file, error);
    if (status == GSIM_OK) {
        size_t room = 0;
        for (size_t i = 0; i < probe->series_count; i++) room += probe->series[i].point_count;
        problem->observations = GSIM_ARENA_ARRAY(&arena, struct observation, room + 1);
        for (size_t r = 0; r < ROW_COUNT; r++) {
            const struct gsim_probe_series *series = gsim_probe_find(probe, rows[r].series);
            for (size_t i = 0; series && i < series->point_count; i++) {
                double x = series->points[i].x;
                if (rows[r].most_x > 0 && (x < rows[r].least_x || x > rows[r].most_x)) continue;
                observe(problem, probe, &rows[r], series, &series->points[i]);
            }
        }
    }
    if (status == GSIM_OK && problem->count) {
        choose_parameters(problem, &c->device);
        struct gsim_fit_problem fit = {
            problem->parameters, problem->parameter_count, problem->count, residuals, problem, 1e-6, 1e-10, 200};
        status = gsim_fit(&fit, NULL, &result, error);
        if (status == GSIM_OK) {
            /* Leaves out every fifth point in turn; of a series with one point there is nothing to predict it from. */
            unsigned *fold_of = GSIM_ARENA_ARRAY(&arena, unsigned, fit.observation_count + 1);
            held_out = GSIM_ARENA_ARRAY(&arena, double, fit.observation_count + 1);
            for (size_t i = 0; i < fit.observation_count; i++) fold_of[i] = (unsigned)(i % 5);
            status = gsim_fit_cross_validate(&fit, fold_of, 5, held_out, error);
        }
        if (status == GSIM_OK) {
            put_numbers(c, problem, probe, file);
            put_residuals(c, problem, &result, held_out);
            put_pairs(c, problem, &result);
        }
        gsim_fit_result_release(&result);
    }
    if (status == GSIM_OK) gsim_calibrate_chip(c, probe, file);
    gsim_arena_release(&arena);
    return status;
}
