/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). Answers that contradict themselves say so before they are printed: times below zero, parts that
 * are not the whole, a GPU that is busy for less than one stream's kernels take, a change that saves more than there is
 * to save. A step that is longer without the profiler: cli/whatif/step.c.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/whatif/explain.h"
#include "cli/whatif/whatif.h"

#define CLOSE 0.02 /* of the time: less is rounding and what neighbours on an SM do */

/* A stream's kernels: the sum of their times, when the last one ended. More streams than these are not looked at. */
#define STREAMS 256
struct stream {
    double us;
    gsim_time end;
};

/* What the kernels of one stream take by themselves, the most of all streams. NaN: they have other orders. */
static double least_of(const struct gsim_program *p)
{
    struct stream streams[STREAMS] = {{0}};
    double least = 0;
    for (uint32_t i = 0; i < p->op_count; i++) {
        const struct gsim_op *op = &p->ops[i];
        if (op->after_count) return NAN;
        bool is_kernel = op->kind == GSIM_OP_KERNEL && op->stream >= 0 && op->stream < STREAMS; /* -1: in none */
        if (!is_kernel || gsim_is_delay(p->kernels[op->kernel_index].name)) continue;
        least = fmax(least, streams[op->stream].us += p->kernels[op->kernel_index].solo_us);
    }
    return least;
}

/* Neither what kernels take nor what they wait for in their stream changes. */
static bool keeps_kernels(const struct gsim_whatif_row *row)
{
    static const bool kinds[GSIM_CHANGE_COUNT] = {
        [GSIM_CHANGE_GRAPH] = true,     [GSIM_CHANGE_NOSYNC] = true, [GSIM_CHANGE_LAUNCH] = true,
        [GSIM_CHANGE_HW_QUEUES] = true, [GSIM_CHANGE_LINK] = true,   [GSIM_CHANGE_PINNED] = true};
    bool keeps = row->count > 0;
    for (uint32_t i = 0; i < row->count; i++) keeps &= kinds[row->changes[i].kind];
    return keeps;
}

void gsim_whatif_check(struct gsim_cli_whatif *w)
{
    char text[200 + GSIM_CHANGE_TEXT], name[GSIM_CHANGE_TEXT];
    const struct gsim_changeable *base = &w->asked.base;
    bool is_ordered =
        !base->clients && !base->has_data && strcmp(w->asked.subject.scheduler->name, "async") == 0;
    double least = is_ordered ? least_of(&w->asked.subject.point.program) : NAN;
    for (uint32_t i = 0; i < w->found.row_count; i++) {
        const struct gsim_whatif_row *row = &w->found.rows[i];
        bool is_short = keeps_kernels(row) && row->time_us < least * (1 - CLOSE);
        if (!(row->time_us < 0) && !is_short) continue;
        snprintf(text, sizeof text, "a contradiction: %.1f us with %.100s, and the kernels of one stream take %.1f",
                 row->time_us, gsim_whatif_name(row, name, sizeof name), least);
        gsim_cli_subject_note(&w->asked.subject, text);
        return;
    }
}

void gsim_explained_check(struct gsim_cli_explained *e)
{
    const struct gsim_explanation *x = &e->run.explanation;
    const struct gsim_timeline *t = &e->run.timeline;
    gsim_time all = 0, idle = 0, below = 0;
    char text[200];
    struct stream streams[STREAMS] = {{0}};
    double kernels = 0;
    for (int s = 0; s < GSIM_GPU_STATE_COUNT; s++)
        for (int c = 0; c < GSIM_CAUSE_COUNT; c++) {
            all += x->time[s][c];
            idle += s == GSIM_GPU_IDLE ? x->time[s][c] : 0;
            below = x->time[s][c] < below ? x->time[s][c] : below;
        }
    for (size_t i = 0; i < t->kernel_count; i++) { /* nodes of a graph overlap: only what is behind the one before */
        const struct gsim_kernel_record *k = &t->kernels[i];
        bool is_shown = k->start >= x->from && k->end <= x->from + x->makespan && k->stream < STREAMS;
        if (!is_shown || gsim_is_delay(t->program->kernels[k->kernel_index].name)) continue;
        struct stream *s = &streams[k->stream];
        gsim_time start = k->start > s->end ? k->start : s->end;
        if (k->end > start) kernels = fmax(kernels, s->us += gsim_time_us(k->end - start));
        s->end = k->end > s->end ? k->end : s->end;
    }
    double busy = gsim_time_us(all - idle);
    if (below < 0 || all != x->makespan)
        snprintf(text, sizeof text, "a contradiction: causes add up to %.3f us of %.3f, the least is %.3f",
                 gsim_time_us(all), gsim_time_us(x->makespan), gsim_time_us(below));
    else if (kernels > busy * (1 + CLOSE))
        snprintf(text, sizeof text, "a contradiction: the GPU is busy for %.1f us, and the kernels of one stream take "
                 "%.1f", busy, kernels);
    else
        return;
    gsim_cli_subject_note(&e->asked.subject, text);
}
