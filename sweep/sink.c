/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sweep/sink.h. */
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

static void stop_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
}

void gsim_stop_begin(struct gsim_stop *stop)
{
    sigset_t set;
    stop_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &stop->old_mask);
}

bool gsim_stop_asked(const struct gsim_stop *stop)
{
    sigset_t pending;
    (void)stop;
    return sigpending(&pending) == 0 && (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1);
}

void gsim_stop_end(struct gsim_stop *stop)
{
    sigset_t set;
    const struct timespec at_once = {0, 0};
    stop_signals(&set);
    while (gsim_stop_asked(stop) && sigtimedwait(&set, NULL, &at_once) > 0) continue;
    sigprocmask(SIG_SETMASK, &stop->old_mask, NULL);
}
