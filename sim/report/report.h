/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/report. A finished run and its renderings: the terminal report (report.c), the JSON report (json.c), CSV
 * (csv.c) and the terminal timeline (gantt.c). They read what is here and write to an open output, which keeps errors
 * of writing (sim/base/output.h). Traces: sim/report/chrome.h.
 */
#pragma once

#include "sim/report/block_log.h"
#include "gpusim/energy.h"
#include "gpusim/metrics.h"
#include "sim/base/output.h"
#include "gpusim/simulate.h"

#define GSIM_REPORT_SCHEMA "gpusim-report/1"

/* A resolved option, as the command line takes it: "iterations" = "30", "kesco.streams" = "10". */
struct gsim_option_text {
    const char *name, *value;
};

/* A named stretch of time that an analysis found; a trace shows it on a track of its own. */
struct gsim_named_span {
    gsim_time start, end;
    const char *name, *detail;
};

struct gsim_result {
    const struct gsim_simulation *simulation;
    const struct gsim_timeline *timeline;
    const struct gsim_metrics *metrics;
    const struct gsim_energy *energy; /* NULL: not known */
    const struct gsim_spread *spread; /* of perturbed copies; NULL: none were run */
    const struct gsim_option_text *options;
    size_t option_count;
    const struct gsim_block_log *blocks; /* for traces; NULL: none was kept */
    const struct gsim_task_stats *tasks; /* of several tasks; NULL: one program alone */
    const struct gsim_named_span *spans;       /* for traces, with their track's name; NULL: none */
    size_t span_count;
    const char *span_track;
    gsim_time window_from, window_until;       /* traces show what overlaps it; both 0: all */
    const char *tracer;                  /* who watched a run on a real GPU; NULL: it was simulated */
};

/* Whether a trace of the run shows what lasts from START to END. */
static inline bool gsim_result_shows(const struct gsim_result *result, gsim_time start, gsim_time end)
{
    return !result->window_until ||
           (start < result->window_until && (end > result->window_from || start >= result->window_from));
}

/* The requests of one task, from arrival to end. */
struct gsim_task_stats {
    uint32_t requests, late;       /* done; after their deadline */
    double mean_us, p50_us, p90_us, p99_us, max_us;
    double end_us;                 /* of its last request */
    double per_second;             /* requests, from the first arrival to end_us */
    double alone_us, alone_p99_us; /* mean with the GPU to itself; 0: not known */
    double slow_down;              /* mean over mean alone; NAN: not known */
    double kernel_us;              /* sum of its kernels' times */
};
/* Mean and percentiles of COUNT requests' TIMES, which it sorts. */
void gsim_tasks_summarize(double *times, size_t count, struct gsim_task_stats *stats);
/* GPU time between the kernels of the most urgent task (the first of several), within its requests. */
struct gsim_task_gaps {
    uint32_t task;
    double idle_us, filled_us;     /* all of it; the part in which others' kernels ran */
    double overrun_us;             /* while its kernels were ready, others' ran and none of its own */
};
/* Fills STATS, one for each task, whose alone_us the caller has set, or 0. GSIM_NOMEM. */
enum gsim_status gsim_tasks_measure(const struct gsim_timeline *timeline, const struct gsim_task_set *set,
                                    struct gsim_task_stats *stats, struct gsim_error *error) GSIM_NODISCARD;
/* Fills GAPS. GSIM_NOMEM. */
enum gsim_status gsim_tasks_gaps(const struct gsim_timeline *timeline, const struct gsim_task_set *set,
                                 struct gsim_task_gaps *gaps, struct gsim_error *error) GSIM_NODISCARD;
/* Jain's index of the tasks' speeds relative to alone: 1 where all are slowed down alike; NAN: not known. */
double gsim_tasks_fairness(const struct gsim_task_stats *stats, uint32_t count);
void gsim_tasks_print(const struct gsim_result *result, const struct gsim_task_gaps *gaps, struct gsim_output *output);
void gsim_tasks_json(const struct gsim_result *result, struct gsim_output *output);
/* Writes a process track for each task. */
void gsim_chrome_write_tasks(const struct gsim_result *result, struct gsim_output *output);

/* --- ranks.c --- */
/* Where each rank's time went, and the collectives, as text and as JSON. */
void gsim_ranks_print(const struct gsim_result *result, struct gsim_output *output);
void gsim_ranks_json(const struct gsim_result *result, struct gsim_output *output);

/* What the terminal can do. */
struct gsim_style {
    unsigned columns; /* 40 or more; at most 100 are used */
    bool color, utf8;
};

/* The report for a terminal. GSIM_NOMEM. */
enum gsim_status gsim_report_print(const struct gsim_result *result, const struct gsim_style *style,
                                   struct gsim_output *output, struct gsim_error *error) GSIM_NODISCARD;
/* The report as JSON of GSIM_REPORT_SCHEMA, one record per line; needs no memory, however long the run. */
void gsim_report_json(const struct gsim_result *result, struct gsim_output *output);
/* Kernels, then copies: one line each, times in microseconds. */
void gsim_csv_write(const struct gsim_result *result, struct gsim_output *output);
/* The first iteration: a row per stream and copy engine, and a legend of kernels. GSIM_NOMEM. */
enum gsim_status gsim_gantt_print(const struct gsim_result *result, const struct gsim_style *style,
                                  struct gsim_output *output, struct gsim_error *error) GSIM_NODISCARD;

/* --- notes.c: what a reader should know of a run, each in a line --- */
#define GSIM_REPORT_NOTES 9
#define GSIM_REPORT_NOTE  256
/* Writes note INDEX, below GSIM_REPORT_NOTES, into TEXT. False: there is nothing to say. */
bool gsim_report_note(const struct gsim_result *result, uint32_t index, char text[GSIM_REPORT_NOTE]);
/* Writes the note of a way of sharing on tasks with STATS. False: there is nothing to say. */
bool gsim_sharing_note(const struct gsim_sharing_ops *ops, const void *params, const struct gsim_task_stats *stats,
                       uint32_t count, char text[GSIM_REPORT_NOTE]);

/* "h2d", "explicit", ... as in the report and the CSV. */
const char *gsim_copy_kind_name(enum gsim_copy_kind kind);
const char *gsim_copy_reason_name(enum gsim_copy_reason reason);
