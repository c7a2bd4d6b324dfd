/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sweep/sink.h and sweep/run.h. What arrives together is committed together; progress counts what is committed. */
#include "sweep/sink.h"

#include "sweep/wire.h"

enum gsim_status gsim_sink_take(void *data, uint64_t item, const char *outcome, size_t length, struct gsim_error *error)
{
    struct gsim_sink *sink = data;
    struct gsim_row row;
    enum gsim_status status = GSIM_OK;
    if (!gsim_row_unpack(&row, outcome, length))
        return gsim_error_set(error, GSIM_SIM, "point %llu came back as %zu bytes that are no row",
                              (unsigned long long)item, length);
    if (!sink->is_open) status = gsim_store_begin(sink->store, error);
    if (status != GSIM_OK) return status;
    sink->is_open = true;
    status = gsim_store_insert(sink->store, &row, NULL, error);
    const struct gsim_cell *end = &row.cells[GSIM_COLUMN_status];
    sink->received++;
    sink->done++;
    if (end->type == GSIM_CELL_TEXT && strcmp(end->text, "ok") == 0) return status;
    const struct gsim_cell *why = &row.cells[GSIM_COLUMN_error];
    char *first = sink->progress->first_error;
    sink->failed++;
    if (!first[0] && why->type == GSIM_CELL_TEXT)
        snprintf(first, sizeof(sink->progress->first_error), "%s", why->text);
    return status;
}

enum gsim_status gsim_sink_commit(struct gsim_sink *sink, struct gsim_error *error)
{
    if (!sink->is_open) return GSIM_OK;
    enum gsim_status status = gsim_store_commit(sink->store, error);
    if (status != GSIM_OK) return status;
    sink->progress->done += sink->done;
    sink->progress->failed += sink->failed;
    sink->done = sink->failed = 0;
    sink->is_open = false;
    return GSIM_OK;
}

static enum gsim_status commit(void *sink, struct gsim_error *error) { return gsim_sink_commit(sink, error); }

enum gsim_status gsim_sweep_run(struct gsim_sweep_job *job, struct gsim_error *error)
{
    struct gsim_sink sink = {.store = job->store, .progress = job->progress};
    struct gsim_pool_run run = {.pool = job->pool,
                                .items = job->items,
                                .count = job->count,
                                .deliver = gsim_sink_take,
                                .data = &sink,
                                .after_round = commit,
                                .progress = job->progress,
                                .heeds_signals = true};
    enum gsim_status status = gsim_pool_run(&run, error);
    job->stopped_by = run.stopped_by;
    return status;
}
