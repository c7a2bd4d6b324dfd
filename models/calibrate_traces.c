/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See models/calibrate_traces.h.
 */
#include "models/calibrate_traces.h"

#include <gsl/gsl_statistics_double.h>
#include <stdlib.h>

static bool overlaps(const struct gsim_recording *run, uint32_t index)
{
    const struct gsim_recorded_op *a = &run->ops[index];
    for (uint32_t i = 0; i < run->op_count; i++) {
        const struct gsim_recorded_op *b = &run->ops[i];
        if (i != index && !b->is_kernel && b->start_us < a->end_us && a->start_us < b->end_us) return true;
    }
    return false;
}

enum gsim_status gsim_traced_copies_add(struct gsim_traced_copies *traced, const struct gsim_recording *run,
                                        struct gsim_error *error)
{
    if (run->memory != GSIM_MEMORY_PINNED) return GSIM_OK;
    for (uint32_t i = 0; i < run->op_count; i++) {
        const struct gsim_recorded_op *op = &run->ops[i];
        if (op->is_kernel || op->copy_kind == GSIM_COPY_D2D || op->end_us <= op->start_us || overlaps(run, i)) continue;
        void *array = traced->copies;
        if (gsim_array_grow(&array, sizeof *traced->copies, traced->count, &traced->capacity))
            return gsim_error_set(error, GSIM_NOMEM, "out of memory");
        traced->copies = array;
        traced->copies[traced->count++] = (struct gsim_traced_copy){op->copy_kind, op->bytes, op->end_us - op->start_us};
    }
    return GSIM_OK;
}

static int by_size(const void *left, const void *right)
{
    const struct gsim_traced_copy *a = left, *b = right;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? -1 : 1;
    return a->us < b->us ? -1 : a->us > b->us;
}

enum gsim_status gsim_traced_copies_probe(struct gsim_traced_copies *traced, struct gsim_probe *probe,
                                          struct gsim_error *error)
{
    const size_t stride = sizeof *traced->copies / sizeof(double);
    struct gsim_probe_series *series = NULL;
    if (traced->count) qsort(traced->copies, traced->count, sizeof *traced->copies, by_size);
    for (size_t first = 0, next; first < traced->count; first = next) {
        const struct gsim_traced_copy *c = &traced->copies[first];
        for (next = first; next < traced->count && traced->copies[next].kind == c->kind && traced->copies[next].bytes == c->bytes;)
            next++;
        if (!first || traced->copies[first - 1].kind != c->kind)
            series = gsim_probe_add(probe, c->kind == GSIM_COPY_H2D ? "traced_h2d" : "traced_d2h", "us", traced->count);
        if (!series) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
        size_t count = next - first;
        series->points[series->point_count++] = (struct gsim_probe_point){
            .x = (double)c->bytes,
            .median = gsl_stats_median_from_sorted_data(&c->us, stride, count),
            .low = gsl_stats_quantile_from_sorted_data(&c->us, stride, count, 0.05),
            .high = gsl_stats_quantile_from_sorted_data(&c->us, stride, count, 0.95),
            .count = (double)count,
        };
    }
    return GSIM_OK;
}

void gsim_traced_copies_release(struct gsim_traced_copies *traced)
{
    gsim_free(traced->copies);
    *traced = (struct gsim_traced_copies){0};
}
