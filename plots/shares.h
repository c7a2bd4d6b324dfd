/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. Figures of several tasks on one GPU, from reports of "gpusim compare --task" and "gpusim run --task":
 * how long requests took under each way of sharing (plots/jct.gp), and what more clients do to throughput and P99
 * (plots/clients.gp).
 */
#pragma once

#include "plots/figure.h"
#include "plots/frame.h"

struct gsim_shared_task {
    const char *name;
    int priority;
    double p99_us, per_second; /* NAN where the file does not tell */
    double *jct_us; /* of its requests, ascending; NULL: the file lacks them */
    size_t count;
};
/* The tasks of one file under one way. */
struct gsim_shared_run {
    const char *share, *path;
    struct gsim_shared_task *tasks;
    size_t task_count;
};
struct gsim_shared_runs {
    struct gsim_shared_run *runs;
    size_t count, capacity;
    struct gsim_arena arena;
};

/* Appends the file's ways that ran. */
enum gsim_status gsim_shared_runs_read(struct gsim_shared_runs *runs, const char *path,
                                       struct gsim_error *error) GSIM_NODISCARD;
void gsim_shared_runs_release(struct gsim_shared_runs *runs); /* accepts zeroed */

/* TASK: whose requests; NULL: those of the most urgent one, the first of these. LOG_X below 0: as suits the values. */
enum gsim_status gsim_jct_plot(const struct gsim_shared_runs *runs, const char *task, int log_x,
                               struct gsim_figure *figure, struct gsim_error *error) GSIM_NODISCARD;
/* Over the number of tasks in a file: requests per second of all, and P99 of all requests. */
enum gsim_status gsim_clients_plot(const struct gsim_shared_runs *runs, int log_y, struct gsim_figure *figure,
                                   struct gsim_error *error) GSIM_NODISCARD;
/* A table of gpusim serve: goodput and a percentile (VALUE, a column; NULL: that of the first token) over the rate, a
 * line for each batching policy and way to place the prefill. */
enum gsim_status gsim_load_plot(struct gsim_frame *frame, const char *value, int log_y, struct gsim_figure *figure,
                                struct gsim_error *error) GSIM_NODISCARD;
