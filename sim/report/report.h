/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. A finished run and its renderings: the terminal report (sim/report/report.c), the JSON report
 * (sim/report/json.c), CSV (sim/report/csv.c) and the terminal timeline (sim/report/gantt.c). All read only what is here,
 * write to an open output and never change the run. Traces: sim/report/chrome.h.
 */
#ifndef GSIM_REPORT_H
#define GSIM_REPORT_H

#include "sim/report/block_log.h"
#include "gpusim/metrics.h"
#include "sim/base/output.h"
#include "gpusim/simulate.h"

#define GSIM_REPORT_SCHEMA "gpusim-report/1"

/* One resolved option, as the command line would take it: "iterations" = "30", "kesco.streams" = "10". */
struct gsim_option_text {
    const char *name, *value;
};

/* A stretch of time with a name: what an analysis found, shown in a trace on a track of its own. */
struct gsim_named_span {
    gsim_time start, end;
    const char *name, *detail;
};

struct gsim_result {
    const struct gsim_simulation *simulation;
    const struct gsim_timeline *timeline;
    const struct gsim_metrics *metrics;
    const struct gsim_option_text *options;
    size_t option_count;
    const struct gsim_block_log *blocks; /* for traces; NULL: none was kept */
    const struct gsim_named_span *spans;       /* for traces, with their track's name; NULL: none */
    size_t span_count;
    const char *span_track;
    const char *tracer;                  /* who watched a run on a real GPU; NULL: it was simulated */
};

/* What the terminal can show. */
struct gsim_style {
    unsigned columns; /* 40 or more; at most 100 are used */
    bool color, utf8;
};

enum gsim_status gsim_report_print(const struct gsim_result *result, const struct gsim_style *style,
                                   struct gsim_output *output, struct gsim_error *error) GSIM_NODISCARD;
/* GSIM_REPORT_SCHEMA, one record per line; streams, so that long runs need no memory. */
void gsim_report_json(const struct gsim_result *result, struct gsim_output *output);
/* Kernels, then copies: one line each, times in microseconds. */
void gsim_csv_write(const struct gsim_result *result, struct gsim_output *output);
/* The first iteration: a row per stream and copy engine, a legend of kernels. */
enum gsim_status gsim_gantt_print(const struct gsim_result *result, const struct gsim_style *style,
                                  struct gsim_output *output, struct gsim_error *error) GSIM_NODISCARD;

/* "h2d", "explicit", ... as in the report and the CSV. */
const char *gsim_copy_kind_name(enum gsim_copy_kind kind);
const char *gsim_copy_reason_name(enum gsim_copy_reason reason);

#endif
