/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See trust/validate/report.h: the tables are filled here, and the texts between queries written. */
#include "trust/validate/report.h"

#include <math.h>
#include <string.h>

#include "gpusim/version.h"

static const char script[] = {
#include "trust/validate/report.inc"
    0};

static sqlite3 *begin(void)
{
    static const struct gsim_statistic statistics[] = {{"log_correlation", 2, gsim_log_correlation},
                                                       {"kendall_tau", 2, gsim_kendall_tau},
                                                       {"choice_regret", 2, gsim_choice_regret},
                                                       {0}};
    sqlite3 *db = gsim_tables_open(statistics);
    gsim_tables_put(db, script, "schema", NULL);
    for (uint32_t m = 0; gsim_model_name(m); m++)
        gsim_tables_row(db, "model", "uss", m, gsim_model_name(m), gsim_model_summary(m));
    return db;
}

/* Of cases recorded once more there is no device. */
sqlite3 *gsim_validation_tables(const struct gsim_validation *v)
{
    sqlite3 *db = begin();
    uint32_t subject = 0;
    gsim_tables_row(db, "about", "ssuuuzzs", GPUSIM_VERSION, v->device ? v->device->name : "",
                    v->device ? v->device->model : 0, (unsigned)v->compares_models, v->spread_runs, v->skipped,
                    v->unfit, v->unfit_reason);
    for (int i = 0; i < GSIM_QUANTITY_COUNT; i++)
        gsim_tables_row(db, "quantity", "uss", (unsigned)i, gsim_quantity_word((enum gsim_quantity)i),
                        gsim_quantity_help((enum gsim_quantity)i));
    for (size_t i = 0; i < v->count; i++) {
        const struct gsim_sample *s = &v->samples[i];
        const struct gsim_case *c = s->subject;
        const struct gsim_spread *spread = &s->spread;
        bool is_spread = spread->runs > 0;
        subject += i && c != v->samples[i - 1].subject;
        gsim_tables_row(db, "sample", "zuususffffuussfffff", i, subject, (unsigned)c->kind,
                        gsim_case_kind_word(c->kind), (unsigned)s->quantity, gsim_quantity_word(s->quantity),
                        s->predicted, s->measured, s->error, s->spread_ratio, c->index & 1, s->part, c->name, c->file,
                        is_spread ? spread->runs : (double)NAN, is_spread ? spread->median_us : (double)NAN,
                        spread->low_us, spread->high_us, is_spread ? spread->unstable : (double)NAN);
        for (uint32_t m = 0; gsim_model_name(m); m++) gsim_tables_row(db, "by_model", "zuf", i, m, s->model_us[m]);
    }
    return db;
}

sqlite3 *gsim_run_validation_tables(const struct gsim_run_validation *v)
{
    sqlite3 *db = begin();
    char name[128];
    gsim_tables_row(db, "run_about", "sszsz", v->predictor->device->name, v->base, v->skipped, v->skipped_reason,
                    v->unchecked);
    for (size_t i = 0; i < v->count; i++) {
        const struct gsim_run_sample *s = &v->samples[i];
        const struct gsim_prediction *p = &s->prediction;
        gsim_tables_row(db, "run", "zsssuffffffffffss", i, gsim_split_word(s->split), s->scheduler, s->key.workload,
                        s->config, p->iteration_us, s->measured_us, s->error, s->spread_ratio, p->replay_us,
                        s->traced_ratio, p->timeline.mean, p->timeline.worst, s->sum_us, s->path_us,
                        gsim_run_config_text(s, name, sizeof name), s->file);
    }
    return db;
}

static sqlite3 *trace_tables(const struct gsim_trace_validation *v, bool has_ops)
{
    static const char *const copies[GSIM_COPY_KIND_COUNT] = {"copy to device", "copy to host", "copy on device",
                                                             "copy to another device"};
    sqlite3 *db = begin();
    gsim_tables_row(db, "trace_about", "ss", v->predictor->device->name, v->predictor->replay->name);
    for (size_t i = 0; i < v->count; i++) {
        const struct gsim_trace_sample *s = &v->samples[i];
        gsim_tables_row(db, "trace", "zsssuzfffffuu", i, s->file, s->gpu, s->notes, s->op_count, s->repairs,
                        s->measured_us, s->predicted_us, s->error, s->timeline.mean, s->timeline.worst,
                        s->timeline.compared, s->timeline.missing);
        for (uint32_t j = 0; j < s->stream_count; j++)
            gsim_tables_row(db, "stream", "zuuff", i, s->streams[j].stream, s->streams[j].op_count,
                            s->streams[j].measured_us, s->streams[j].predicted_us);
        for (uint32_t j = 0; j < s->op_count && has_ops; j++) {
            const struct gsim_trace_op *o = &s->ops[j];
            gsim_tables_row(db, "op", "zusffff", i, o->stream, o->name ? o->name : copies[o->copy_kind],
                            o->measured_start_us, o->measured_end_us, o->predicted_start_us, o->predicted_end_us);
        }
    }
    return db;
}

/* --- what is written ------------------------------------------------------------------------------------------ */

/* Writes SECTIONS, which end with NULL, and closes. */
static void finish(sqlite3 *db, struct gsim_output *output, const char *const *sections)
{
    for (; *sections; sections++) gsim_tables_put(db, script, *sections, output);
    gsim_tables_close(db);
}
#define WRITE(db, output, ...) finish(db, output, (const char *const[]){__VA_ARGS__, NULL})

void gsim_validation_print(const struct gsim_validation *v, struct gsim_output *output)
{
    WRITE(gsim_validation_tables(v), output, "table", "about");
}

void gsim_validation_print_rows(const struct gsim_validation *v, const char *title, const char *path,
                                struct gsim_output *output)
{
    gsim_output_printf(output, "\nThe same cases, %s (%s):\n", title, path);
    WRITE(gsim_validation_tables(v), output, "table");
}

void gsim_validation_print_cases(const struct gsim_validation *v, struct gsim_output *output)
{
    WRITE(gsim_validation_tables(v), output, "cases");
}

void gsim_validation_csv(const struct gsim_validation *v, struct gsim_output *output)
{
    WRITE(gsim_validation_tables(v), output, "csv");
}

void gsim_validation_json(const struct gsim_validation *v, const struct gsim_validation_members *members,
                          struct gsim_output *output)
{
    const struct gsim_run_validation *const runs[] = {members->runs, members->again};
    const struct gsim_validation *const others[] = {members->cases_again, members->times_alone, members->without_pipes};
    static const char *const names[] = {"runs", "again", "again_rows", "times_alone_rows", "without_pipes_rows"};
    WRITE(gsim_validation_tables(v), output, "json", "json_rows", "json_rankings", "json_end");
    for (int i = 0; i < 5; i++) {
        if (i < 2 ? !runs[i] : !others[i - 2]) continue;
        gsim_output_put(output, ",\n '%s': ", names[i]);
        if (i < 2) gsim_run_validation_json(runs[i], output);
        else
            gsim_output_text(output, "["),
                WRITE(gsim_validation_tables(others[i - 2]), output, "json_rows", "json_end");
    }
    if (members->traces) {
        gsim_output_text(output, ",\n \"traces\": ");
        gsim_trace_validation_json(members->traces, members->has_trace_ops, output);
    }
    gsim_output_text(output, "}\n");
}

void gsim_run_validation_print(const struct gsim_run_validation *v, struct gsim_output *output)
{
    WRITE(gsim_run_validation_tables(v), output, "run_title", "run_table", "run_about");
}

void gsim_run_validation_print_again(const struct gsim_run_validation *v, const char *path, struct gsim_output *output)
{
    gsim_output_printf(output, "\nThe same runs, %zu of them, recorded once more (%s), in the place of predictions:\n",
                       v->count, path);
    WRITE(gsim_run_validation_tables(v), output, "run_table");
}

void gsim_run_validation_print_runs(const struct gsim_run_validation *v, struct gsim_output *output)
{
    WRITE(gsim_run_validation_tables(v), output, "runs");
}

void gsim_run_validation_csv(const struct gsim_run_validation *v, struct gsim_output *output)
{
    if (v->count) WRITE(gsim_run_validation_tables(v), output, "run_csv");
}

void gsim_run_validation_json(const struct gsim_run_validation *v, struct gsim_output *output)
{
    WRITE(gsim_run_validation_tables(v), output, "run_json");
}

void gsim_trace_validation_print(const struct gsim_trace_validation *v, struct gsim_output *output)
{
    WRITE(trace_tables(v, false), output, "traces");
}

void gsim_trace_validation_print_ops(const struct gsim_trace_validation *v, struct gsim_output *output)
{
    WRITE(trace_tables(v, true), output, "trace_ops");
}

void gsim_trace_validation_csv(const struct gsim_trace_validation *v, bool has_ops, struct gsim_output *output)
{
    if (v->count) WRITE(trace_tables(v, has_ops), output, "trace_csv");
}

void gsim_trace_validation_json(const struct gsim_trace_validation *v, bool has_ops, struct gsim_output *output)
{
    WRITE(trace_tables(v, has_ops), output, "trace_json");
}

/* --- of others --- */
sqlite3 *gsim_tables_of_report(void) { return begin(); }

void gsim_tables_print(sqlite3 *tables, const char *section, struct gsim_output *output)
{
    WRITE(tables, output, section);
}
