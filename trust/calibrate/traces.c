/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See trust/calibrate/traces.h.
 */
#include "trust/calibrate/traces.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpusim/order.h"

static void add(struct gsim_calibrated_trace *traced, const char *series, double x, double us, double weight)
{
    gsim_array_grow(&traced->samples, sizeof *traced->samples, traced->count, &traced->capacity);
    traced->samples[traced->count++] = (struct gsim_traced_sample){series, x, us, weight};
}

/* Small copies may go with the commands instead of through a copy engine. */
#define MIN_BYTES 4096

static bool overlaps(const struct gsim_recording *run, uint32_t index)
{
    const struct gsim_recorded_op *a = &run->ops[index];
    for (uint32_t i = 0; i < run->op_count; i++) {
        const struct gsim_recorded_op *b = &run->ops[i];
        if (i != index && !b->is_kernel && b->start_us < a->end_us && a->start_us < b->end_us) return true;
    }
    return false;
}

/* Share of an iteration: where the host waits longer, its own way is not looked for. */
#define MAX_WAITING 0.5

enum gsim_status gsim_traced_add(struct gsim_calibrated_trace *traced, const struct gsim_recording *run,
                                 struct gsim_error *error)
{
    static const struct {
        const char *call, *series;
    } calls[] = {{"cudaLaunchKernel", "called_launch"},
                 {"cudaMemcpyAsync", "called_memcpy"},
                 {"cudaEventRecord", "called_event_record"},
                 {"cudaStreamWaitEvent", "called_stream_wait"},
                 {"cudaEventCreate", "called_event_create"},
                 {"cudaEventDestroy", "called_event_destroy"},
                 {"cudaStreamCreateWithPriority", "called_stream_create"}};
    enum gsim_status status = GSIM_OK;
    double iteration_us = gsl_stats_mean(run->iteration_us, 1, run->iteration_count);
    if (run->memory != GSIM_MEMORY_PINNED) return GSIM_OK; /* pageable copies block, managed memory faults */
    for (uint32_t i = 0; i < run->call_count; i++) {
        const struct gsim_recorded_call *c = &run->calls[i];
        for (size_t k = 0; k < sizeof calls / sizeof calls[0] && status == GSIM_OK; k++)
            if (c->count > 0 && strcmp(c->call, calls[k].call) == 0)
                add(traced, calls[k].series, 0, c->total_us / c->count, c->total_us / iteration_us);
    }
    if (status == GSIM_OK) {
        /* What an iteration takes besides its calls is the host's own way from one to the next; where the host mostly
         * waits, its few tenths of a microsecond a call are lost in the spread of the waiting. */
        double count = 0, calls_us = 0, waits_us = 0;
        for (uint32_t i = 0; i < run->call_count; i++) {
            const struct gsim_recorded_call *c = &run->calls[i];
            count += c->count;
            calls_us += c->total_us;
            if (strstr(c->call, "Synchronize")) waits_us += c->total_us;
        }
        double median_us, spread;
        status = gsim_recording_time(run, &median_us, &spread, error);
        if (status == GSIM_OK && count > 0 && !(waits_us > MAX_WAITING * median_us))
            add(traced, "called_gap", 0, fmax((median_us - calls_us) / count, 0), count);
    }
    for (uint32_t i = 0; i < run->op_count && status == GSIM_OK; i++) {
        const struct gsim_recorded_op *op = &run->ops[i];
        if (op->is_kernel || op->copy_kind == GSIM_COPY_D2D || op->bytes <= MIN_BYTES || op->end_us <= op->start_us ||
            overlaps(run, i))
            continue;
        const char *series = op->copy_kind == GSIM_COPY_H2D ? "traced_h2d" : "traced_d2h";
        add(traced, series, (double)op->bytes, op->end_us - op->start_us, 1);
    }
    return status;
}

GSIM_ORDER(by_series, struct gsim_traced_sample, GSIM_TEXT(series) GSIM_UP(x) GSIM_UP(us))

/* Of COUNT samples in order of time: the least time that SHARE of all weight is not above. */
static double weighted_quantile(const struct gsim_traced_sample *samples, size_t count, double share)
{
    double total = 0, sum = 0;
    size_t i = 0;
    for (size_t k = 0; k < count; k++) total += samples[k].weight;
    while (i + 1 < count && (sum += samples[i].weight) < share * total) i++;
    return samples[i].us;
}

void gsim_traced_probe(struct gsim_calibrated_trace *traced, bool copies, struct gsim_probe *probe)
{
    struct gsim_probe_series *series = NULL;
    if (traced->count) qsort(traced->samples, traced->count, sizeof *traced->samples, by_series);
    for (size_t first = 0, next; first < traced->count; first = next) {
        const struct gsim_traced_sample *s = &traced->samples[first];
        for (next = first;
             next < traced->count && traced->samples[next].x == s->x && traced->samples[next].series == s->series;)
            next++;
        if (!copies && strncmp(s->series, "traced", 6) == 0) continue;
        if (!series || strcmp(series->name, s->series) != 0)
            series = gsim_probe_add(probe, s->series, "us", traced->count);
        series->points[series->point_count++] = (struct gsim_probe_point){
            .x = s->x,
            .median = weighted_quantile(s, next - first, 0.5),
            .low = weighted_quantile(s, next - first, 0.05),
            .high = weighted_quantile(s, next - first, 0.95),
            .count = (double)(next - first),
        };
    }
}

void gsim_traced_release(struct gsim_calibrated_trace *traced)
{
    gsim_free(traced->samples);
    *traced = (struct gsim_calibrated_trace){0};
}
