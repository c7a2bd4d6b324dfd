/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See cli/whatif/explain.h: pairs of streams with their reasons, and the trace whose extra track holds the causes. */
#include <stdlib.h>

#include "cli/whatif/explain.h"
#include "gpusim/order.h"
#include "sim/report/chrome.h"
#include "ask/whatif/moments.h"

#define HOLDS       0.01 /* of what a pair is apart: less is no reason */
#define TEXT_COLUMN 34

/* --- what reasons are worth --- */
static double time_of(const struct gsim_cli_explained *e, const struct gsim_metrics *metrics)
{
    return gsim_time_us(e->run.repeats ? metrics->iteration_median : metrics->makespan);
}

/* A run that cannot be made leaves the worth open. */
static double worth_of(const struct gsim_cli_explained *e, const struct gsim_pair *pair, enum gsim_reason reason)
{
    struct gsim_variant variant;
    struct gsim_error error = {0};
    struct gsim_metrics metrics;
    enum gsim_status status =
        gsim_pair_without(&variant, &e->run.variant.simulation, e->run.explanation.moments, pair, reason, &error);
    variant.simulation.detailed = true; /* the makespan counts calls, too */
    if (!status) status = gsim_question_run(&variant.simulation, &metrics, &error);
    gsim_variant_release(&variant);
    return status ? NAN : e->now_us - time_of(e, &metrics);
}

static bool holds(const struct gsim_pair *pair, int reason)
{
    return pair->held[reason] > gsim_whole(HOLDS * (double)pair->apart);
}

enum gsim_status gsim_explained_find_pairs(struct gsim_cli_explained *e, struct gsim_error *error)
{
    struct gsim_metrics metrics;
    double shared[GSIM_PAIR_REASON_COUNT];
    bool is_known[GSIM_PAIR_REASON_COUNT] = {false};
    enum gsim_status status = gsim_pairs_find(&e->run.explanation, &e->pairs, &e->pair_count, error);
    if (status != GSIM_OK || !e->pair_count) return status;
    status = gsim_metrics_compute(&e->run.timeline, e->run.variant.simulation.device, NULL, &metrics, error);
    if (status != GSIM_OK) return status;
    e->now_us = time_of(e, &metrics);
    for (size_t i = 0; i < GSIM_EXPLAINED_PAIRS && i < e->pair_count; i++)
        for (int r = 0; r < GSIM_PAIR_REASON_COUNT; r++) {
            bool is_shared = gsim_reason_is_shared((enum gsim_reason)r);
            e->worth_us[i][r] = NAN;
            if (!holds(&e->pairs[i], r)) continue;
            e->worth_us[i][r] = is_shared && is_known[r] ? shared[r] : worth_of(e, &e->pairs[i], (enum gsim_reason)r);
            shared[r] = e->worth_us[i][r];
            is_known[r] = true;
        }
    return status;
}

/* --- text and JSON --- */
struct row {
    int reason;
    gsim_time held;
};

GSIM_ORDER(compare_rows, struct row, GSIM_DOWN(held) GSIM_UP(reason))

/* The number that the program gives a stream of the timeline, where it gives one. */
static uint32_t number_of(const struct gsim_cli_explained *e, uint32_t stream)
{
    const struct gsim_moments *m = e->run.explanation.moments;
    const struct gsim_program *p = m->timeline->program;
    for (uint32_t i = 0; i < m->work_count; i++) {
        const struct gsim_moment_work *w = &m->works[i];
        if (w->stream == stream && !w->is_migration && w->op < p->op_count && p->ops[w->op].stream >= 0)
            return (uint32_t)p->ops[w->op].stream;
    }
    return stream;
}

static void put_pair(struct gsim_output *out, const struct gsim_cli_explained *e, size_t index)
{
    const struct gsim_pair *p = &e->pairs[index];
    struct row rows[GSIM_PAIR_REASON_COUNT];
    size_t count = 0;
    char line[200];
    snprintf(line, sizeof line, "%u and %u: %.3f and %.3f us of kernels, %.3f us at once, %.3f us that could be",
             number_of(e, p->streams[0]), number_of(e, p->streams[1]), gsim_time_us(p->busy[0]),
             gsim_time_us(p->busy[1]), gsim_time_us(p->overlap), gsim_time_us(p->apart));
    gsim_output_text(out, "  ");
    gsim_cli_wrap(out, line, 4, 4);
    for (int r = 0; r < GSIM_PAIR_REASON_COUNT; r++)
        if (holds(p, r)) rows[count++] = (struct row){r, p->held[r]};
    qsort(rows, count, sizeof *rows, compare_rows);
    for (size_t i = 0; i < count; i++) {
        double worth = e->worth_us[index][rows[i].reason];
        char text[160] = "worth unknown";
        gsim_output_printf(out, "    %-*s %12.3f us ", TEXT_COLUMN, gsim_reason_text((enum gsim_reason)rows[i].reason),
                           gsim_time_us(rows[i].held));
        if (isfinite(worth))
            snprintf(text, sizeof text, "worth %.3f us, if %s", worth,
                     gsim_reason_without((enum gsim_reason)rows[i].reason));
        gsim_cli_wrap(out, text, TEXT_COLUMN + 21, 8);
    }
}

void gsim_explained_put_pairs(struct gsim_output *out, const struct gsim_cli_explained *e)
{
    if (!e->pair_count) return;
    gsim_output_text(
        out, "\nstreams that could overlap more: why the one's next kernel did not start while the other ran\n");
    for (size_t i = 0; i < e->pair_count && i < GSIM_EXPLAINED_PAIRS; i++) put_pair(out, e, i);
    if (e->pair_count > GSIM_EXPLAINED_PAIRS)
        gsim_output_printf(out, "  and %zu pairs more (--json)\n", e->pair_count - GSIM_EXPLAINED_PAIRS);
}

void gsim_explained_put_pairs_json(struct gsim_output *out, const struct gsim_cli_explained *e)
{
    gsim_output_text(out, "  \"pairs\": [");
    for (size_t i = 0; i < e->pair_count; i++) {
        const struct gsim_pair *p = &e->pairs[i];
        gsim_output_put(out, "%s\n    {'streams': [%u, %u], 'busy_us': [%t, %t], 'overlap_us': %t, 'apart_us': %t, "
                             "'reasons': [", i ? "," : "", number_of(e, p->streams[0]), number_of(e, p->streams[1]),
                        p->busy[0], p->busy[1], p->overlap, p->apart);
        for (int r = 0; r < GSIM_PAIR_REASON_COUNT; r++) {
            gsim_output_put(out, "%s\n      {'reason': '%s', 'text': '%s', 'held_us': %t, 'worth_us': %r}",
                            r ? "," : "", gsim_reason_word((enum gsim_reason)r), gsim_reason_text((enum gsim_reason)r),
                            p->held[r], i < GSIM_EXPLAINED_PAIRS ? e->worth_us[i][r] : NAN);
        }
        gsim_output_text(out, "]}");
    }
    gsim_output_text(out, "\n  ],\n");
}

/* --- the trace --- */
enum gsim_status gsim_explained_trace(const struct gsim_cli_explained *e, struct gsim_error *error)
{
    const char *path = e->asked.subject.arguments.value[GSIM_CLI_TRACE];
    const struct gsim_explanation *x = &e->run.explanation;
    struct gsim_output out;
    struct gsim_metrics metrics;
    if (!path) return GSIM_OK;
    struct gsim_named_span *spans = gsim_alloc(sizeof *spans * (x->stretch_count + 1));
    size_t count = 0;
    for (size_t i = 0; i < x->stretch_count; i++) {
        const struct gsim_stretch *s = &x->stretches[i];
        if (s->cause != GSIM_CAUSE_NONE)
            spans[count++] =
                (struct gsim_named_span){s->start, s->end, gsim_cause_text(s->cause), gsim_gpu_state_text(s->state)};
    }
    enum gsim_status status =
        gsim_metrics_compute(&e->run.timeline, e->run.variant.simulation.device, NULL, &metrics, error);
    struct gsim_result result = {.simulation = &e->run.variant.simulation,
                                 .timeline = &e->run.timeline,
                                 .metrics = &metrics,
                                 .spans = spans,
                                 .span_count = count,
                                 .span_track = "why the GPU was not full"};
    if (status == GSIM_OK)
        status = gsim_cli_trace_window(&e->asked.subject.arguments, &result.window_from, &result.window_until, error);
    if (status == GSIM_OK) gsim_cli_note_window(&result);
    if (status == GSIM_OK) status = gsim_output_open(&out, path, error);
    if (status == GSIM_OK) {
        status = gsim_chrome_write(&result, &out, error);
        if (status == GSIM_OK) status = gsim_output_commit(&out, error);
        else gsim_output_release(&out);
    }
    gsim_free(spans);
    return status;
}
