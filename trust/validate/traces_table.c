/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Printing a validation of traces. Columns of the CSV lines are those of trust/validate/table.c: plots/validate_*.gp
 * read them by position.
 */
#include "trust/validate/traces_table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "trust/validate/validate.h"

static const char *op_name(const struct gsim_trace_op *op)
{
    static const char *const copies[] = {"copy to device", "copy to host", "copy on device"}; /* enum gsim_copy_kind */
    return op->name ? op->name : copies[op->copy_kind];
}

/* --- the table --- */
#define NAME_COLUMNS 30
#define NAME_HEAD    10 /* of a longer name; ranks and steps stand at the end */

static void fit_name(const char *name, char text[NAME_COLUMNS + 1])
{
    size_t length = strlen(name), tail = NAME_COLUMNS - NAME_HEAD - 2;
    if (length <= NAME_COLUMNS) snprintf(text, NAME_COLUMNS + 1, "%s", name);
    else snprintf(text, NAME_COLUMNS + 1, "%.*s..%s", NAME_HEAD, name, name + length - tail);
}

static void put_sample(const struct gsim_trace_sample *s, struct gsim_output *output)
{
    char name[NAME_COLUMNS + 1];
    fit_name(s->file, name);
    gsim_output_printf(output, "%-30s%8u%9" PRIu64 "%14.3f%14.3f", name, s->op_count, s->repairs, s->measured_us,
                       s->predicted_us);
    gsim_output_percent(output, 9, s->error, true);
    gsim_output_percent(output, 9, s->timeline.mean, false);
    gsim_output_percent(output, 8, s->timeline.worst, false);
    gsim_output_text(output, "\n");
    for (uint32_t i = 0; i < s->stream_count; i++) {
        const struct gsim_trace_stream *t = &s->streams[i];
        gsim_output_printf(output, "    stream %-6u busy       %8u%9s%14.3f%14.3f", t->stream, t->op_count, "",
                           t->measured_us, t->predicted_us);
        gsim_output_percent(output, 9, t->predicted_us / t->measured_us - 1, true);
        gsim_output_text(output, "\n");
    }
    for (const char *line = s->notes; *line;) {
        size_t length = strcspn(line, "\n");
        gsim_output_printf(output, "    note: %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

void gsim_trace_validation_print(const struct gsim_trace_validation *v, struct gsim_output *output)
{
    gsim_output_printf(output, "Traces, replayed by %s on %s:\n", v->predictor->replay->name,
                       v->predictor->device->name);
    gsim_output_printf(output, "%-30s%8s%9s%14s%14s%9s%17s\n", "", "", "", "measured", "predicted", "",
                       "times off by %");
    gsim_output_printf(output, "%-30s%8s%9s%14s%14s%9s%9s%8s\n", "trace", "ops", "repairs", "us", "us", "error %",
                       "mean", "worst");
    for (size_t i = 0; i < v->count; i++) put_sample(&v->samples[i], output);
    gsim_output_text(output,
                     "\n  measured, predicted: first launch call to last end, then each stream's kernels and "
                     "copies added up. times:\n"
                     "  how far kernels' and copies' starts and ends are off, counted from the first launch, "
                     "as a share of all the time.\n"
                     "  Kernels have the trace's durations, overlapping kernels solo times that reproduce these "
                     "(--alone):\n"
                     "  this tests queues, launch costs, gaps, waits, the host's time and copies, and not how long a "
                     "kernel\n"
                     "  takes. repairs: impossible records that were corrected.\n");
}

void gsim_trace_validation_print_ops(const struct gsim_trace_validation *v, struct gsim_output *output)
{
    gsim_output_printf(output, "%14s%14s%14s%14s%9s%9s%8s  %s\n", "start us", "predicted", "end us", "predicted",
                       "start %", "end %", "stream", "kernel or copy");
    for (size_t i = 0; i < v->count; i++) {
        const struct gsim_trace_sample *s = &v->samples[i];
        if (v->count > 1) gsim_output_printf(output, "%s\n", s->file);
        for (uint32_t j = 0; j < s->op_count; j++) {
            const struct gsim_trace_op *o = &s->ops[j];
            const double times[] = {o->measured_start_us, o->predicted_start_us, o->measured_end_us,
                                    o->predicted_end_us};
            for (int t = 0; t < 4; t++) {
                if (isnan(times[t])) gsim_output_printf(output, "%14s", "-");
                else gsim_output_printf(output, "%14.3f", times[t]);
            }
            gsim_output_percent(output, 9, (times[1] - times[0]) / s->measured_us, true);
            gsim_output_percent(output, 9, (times[3] - times[2]) / s->measured_us, true);
            gsim_output_printf(output, "%8u  %s\n", o->stream, op_name(o));
        }
    }
    gsim_output_text(output, "\n");
}

/* --- files --- */
static void put_csv_line(const struct gsim_trace_sample *s, const char *quantity, double predicted, double measured,
                         double error, uint32_t part, const char *name, struct gsim_output *output)
{
    if (isnan(error)) return;
    gsim_output_printf(output, "trace,%s", quantity);
    gsim_validation_field(output, predicted);
    gsim_validation_field(output, measured);
    gsim_validation_field(output, error);
    gsim_output_text(output, ","); /* no spread */
    gsim_validation_no_models(output);
    gsim_output_put(output, ",,%u,%c,%c\n", part, name, s->file); /* no half */
}

void gsim_trace_validation_csv(const struct gsim_trace_validation *v, bool has_ops, struct gsim_output *output)
{
    for (size_t i = 0; i < v->count; i++) {
        const struct gsim_trace_sample *s = &v->samples[i];
        put_csv_line(s, "makespan", s->predicted_us, s->measured_us, s->error, 0, "", output);
        put_csv_line(s, "times", NAN, NAN, s->timeline.mean, 0, "", output);
        put_csv_line(s, "times at worst", NAN, NAN, s->timeline.worst, 0, "", output);
        for (uint32_t j = 0; j < s->stream_count; j++) {
            const struct gsim_trace_stream *t = &s->streams[j];
            put_csv_line(s, "stream busy", t->predicted_us, t->measured_us, t->predicted_us / t->measured_us - 1,
                         t->stream, "", output);
        }
        for (uint32_t j = 0; has_ops && j < s->op_count; j++) {
            const struct gsim_trace_op *o = &s->ops[j];
            put_csv_line(s, "start", o->predicted_start_us, o->measured_start_us,
                         (o->predicted_start_us - o->measured_start_us) / s->measured_us, o->stream, op_name(o),
                         output);
            put_csv_line(s, "end", o->predicted_end_us, o->measured_end_us,
                         (o->predicted_end_us - o->measured_end_us) / s->measured_us, o->stream, op_name(o), output);
        }
    }
}

static void put_json_ops(const struct gsim_trace_sample *s, struct gsim_output *output)
{
    gsim_output_text(output, ",\n    \"timeline\": [");
    for (uint32_t j = 0; j < s->op_count; j++) {
        const struct gsim_trace_op *o = &s->ops[j];
        gsim_output_put(output, "%s\n     {'stream': %u, 'name': %q, 'start_us': %r, 'end_us': %r, "
                                "'predicted_start_us': %r, 'predicted_end_us': %r}", j ? "," : "", o->stream,
                        op_name(o), o->measured_start_us, o->measured_end_us, o->predicted_start_us,
                        o->predicted_end_us);
    }
    gsim_output_text(output, "]");
}

static void put_json_sample(const struct gsim_trace_sample *s, bool has_ops, struct gsim_output *output)
{
    gsim_output_put(output, "{'file': %q, 'gpu': %q, 'ops': %u, 'repairs': %z, 'measured_us': %r, 'predicted_us': "
                            "%r, 'error': %r, 'times_mean': %r, 'times_worst': %r, 'compared': %u, 'missing': %u,\n  "
                            "  'streams': [", s->file, s->gpu, s->op_count, s->repairs, s->measured_us, s->predicted_us,
                    s->error, s->timeline.mean, s->timeline.worst, s->timeline.compared, s->timeline.missing);
    for (uint32_t j = 0; j < s->stream_count; j++) {
        const struct gsim_trace_stream *t = &s->streams[j];
        gsim_output_put(output, "%s{'stream': %u, 'ops': %u, 'measured_us': %r, 'predicted_us': %r}", j ? ", " : "",
                        t->stream, t->op_count, t->measured_us, t->predicted_us);
    }
    gsim_output_text(output, "]");
    if (has_ops) put_json_ops(s, output);
    gsim_output_text(output, "}");
}

void gsim_trace_validation_json(const struct gsim_trace_validation *v, bool has_ops, struct gsim_output *output)
{
    gsim_output_put(output, "{'device': %q, 'scheduler': %q,\n  'rows': [", v->predictor->device->name,
                    v->predictor->replay->name);
    for (size_t i = 0; i < v->count; i++) {
        gsim_output_text(output, i ? ",\n   " : "\n   ");
        put_json_sample(&v->samples[i], has_ops, output);
    }
    gsim_output_text(output, "]}");
}
