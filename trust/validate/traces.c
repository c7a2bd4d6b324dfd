/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See trust/validate/traces.h. An op of the program and its record in the timeline find each other by the op's index.
 */
#include "trust/validate/traces.h"

#include "gpusim/order.h"
#include "trust/validate/alone.h"

#include <math.h>
#include <string.h>

void gsim_trace_validation_release(struct gsim_trace_validation *v)
{
    gsim_free(v->samples);
    gsim_arena_release(&v->arena);
    v->samples = NULL;
    v->count = v->capacity = 0;
}

/* --- the comparison --- */
static void compare_ops(const struct gsim_program *p, const struct gsim_validated_trace *traced,
                        const struct gsim_moment *moments, struct gsim_trace_sample *s)
{
    double sum = 0;
    s->timeline = (struct gsim_timeline_deviation){.worst = 0};
    for (uint32_t i = 0; i < traced->op_count; i++) {
        const struct gsim_recorded_op *r = &traced->ops[i];
        const struct gsim_moment *m = &moments[r->op];
        const struct gsim_op *op = &p->ops[r->op];
        struct gsim_trace_op *o = &s->ops[i];
        *o = (struct gsim_trace_op){r->is_kernel, r->copy_kind,
                                    r->stream,    op->kind == GSIM_OP_KERNEL ? p->kernels[op->kernel_index].name : NULL,
                                    r->start_us,  r->end_us,
                                    m->start_us,  m->end_us};
        s->predicted_us = fmax(s->predicted_us, o->predicted_end_us);
        double start = fabs(o->predicted_start_us - o->measured_start_us) / s->measured_us;
        double end = fabs(o->predicted_end_us - o->measured_end_us) / s->measured_us;
        if (isnan(start) || isnan(end)) {
            s->timeline.missing++;
            continue;
        }
        sum += start + end;
        s->timeline.worst = fmax(s->timeline.worst, fmax(start, end));
        s->timeline.compared++;
    }
    s->timeline.mean = s->timeline.compared ? sum / (2.0 * s->timeline.compared) : NAN;
    if (!s->timeline.compared) s->timeline.worst = NAN;
    s->error = s->predicted_us / s->measured_us - 1;
}

GSIM_ORDER(by_stream, struct gsim_trace_stream, GSIM_UP(stream))

static void add_sample(struct gsim_trace_validation *v, const struct gsim_validated_trace *traced,
                       const struct gsim_moment *moments, struct gsim_trace_stream *streams)
{
    struct gsim_arena *arena = &v->arena;
    struct gsim_trace_sample s = {.file = gsim_arena_strdup(arena, traced->file),
                                  .gpu = gsim_arena_strdup(arena, traced->gpu),
                                  .notes = gsim_arena_strdup(arena, traced->notes),
                                  .repairs = traced->repairs,
                                  .op_count = traced->op_count,
                                  .measured_us = traced->span_us};
    s.ops = GSIM_ARENA_ARRAY(arena, struct gsim_trace_op, traced->op_count);
    gsim_array_grow(&v->samples, sizeof s, v->count, &v->capacity);
    compare_ops(traced->program, traced, moments, &s);
    for (uint32_t i = 0; i < s.op_count; i++)
        if (s.ops[i].name) s.ops[i].name = gsim_arena_strdup(arena, s.ops[i].name);
    /* Ops of repaired times have durations all the same. streams has room for one per op. */
    uint32_t at = 0;
    for (uint32_t i = 0; i < traced->op_count; i++) {
        const struct gsim_recorded_op *r = &traced->ops[i];
        const struct gsim_moment *m = &moments[r->op];
        if (!s.stream_count || streams[at].stream != r->stream)
            for (at = 0; at < s.stream_count && streams[at].stream != r->stream;) at++;
        if (at == s.stream_count) streams[s.stream_count++] = (struct gsim_trace_stream){.stream = r->stream};
        streams[at].op_count++;
        if (isnan(r->start_us) || isnan(m->start_us)) continue;
        streams[at].measured_us += r->end_us - r->start_us;
        streams[at].predicted_us += m->end_us - m->start_us;
    }
    if (s.stream_count) qsort(streams, s.stream_count, sizeof *streams, by_stream);
    s.streams = GSIM_ARENA_ARRAY(arena, struct gsim_trace_stream, s.stream_count);
    memcpy(s.streams, streams, sizeof *streams * s.stream_count);
    v->samples[v->count++] = s;
}

void gsim_trace_validation_add_replayed(struct gsim_trace_validation *v, const struct gsim_validated_trace *traced,
                                        const struct gsim_moment *moments)
{
    struct gsim_trace_stream *streams = gsim_alloc(sizeof *streams * ((size_t)traced->op_count + 1));
    add_sample(v, traced, moments, streams);
    gsim_free(streams);
}

enum gsim_status gsim_trace_validation_add(struct gsim_trace_validation *v, const struct gsim_validated_trace *traced,
                                           struct gsim_error *error)
{
    struct gsim_moment *moments = gsim_alloc(sizeof *moments * ((size_t)traced->program->op_count + 1));
    enum gsim_status status = gsim_replay_trace(v->predictor, traced->program, NULL, moments, error);
    if (status == GSIM_OK) gsim_trace_validation_add_replayed(v, traced, moments);
    gsim_free(moments);
    return status;
}
