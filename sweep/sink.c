/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sweep/sink.h. */
#include "sweep/sink.h"

#include "sim/base/ends.h"
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

void gsim_stop_begin(struct gsim_stop *stop)
{
    gsim_ends_signals(&stop->signals);
    gsim_ends_hold(&stop->old_mask);
}

int gsim_stop_asked(const struct gsim_stop *stop)
{
    static const int all[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t pending;
    if (sigpending(&pending) != 0) return 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (sigismember(&stop->signals, all[i]) == 1 && sigismember(&pending, all[i]) == 1) return all[i];
    return 0;
}

void gsim_stop_end(struct gsim_stop *stop)
{
    const struct timespec at_once = {0, 0};
    while (gsim_stop_asked(stop) && sigtimedwait(&stop->signals, NULL, &at_once) > 0) continue;
    sigprocmask(SIG_SETMASK, &stop->old_mask, NULL);
}
