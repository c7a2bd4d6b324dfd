/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces (helper). A Chrome trace, or another object of long lists, plain or gzip, one value at a time: memory
 * holds one event, however long the file. What events mean: traces/import/kineto.c; runs: traces/runs.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpusim/status.h"

#define GSIM_EVENT_BYTES (64u << 20) /* the longest single event or header field that is read */

/* The file is an object with the list "traceEvents", or that list alone. Each element of the list, and each other
 * member of the object, is handed over as checked JSON text (sim/base/scan.h). */
struct gsim_events_handler {
    enum gsim_status (*event)(void *context, uint64_t index, const char *text, struct gsim_error *error);
    enum gsim_status (*header)(void *context, const char *name, const char *text, struct gsim_error *error);
    void *context;
    /* NULL: what is not JSON is a failure. Otherwise called for each element of traceEvents that is none and was passed
     * over, and elements with small faults are mended first: NaN, control characters, lone backslashes, bytes that are
     * not UTF-8. */
    void (*damaged)(void *context);
    /* NULL allowed: called now and then with how much of the file has been read, 0 to 1. */
    void (*progress)(void *context, double ratio);
    /* NULL: traceEvents. Otherwise the names of the lists whose elements are handed over, each to LIST's element(),
     * in the order of the file; none must be there, and the file must be an object. */
    const char *const *lists;
    enum gsim_status (*element)(void *context, const char *list, uint64_t index, const char *text,
                                struct gsim_error *error);
};

/* Stops at the first failure. GSIM_INPUT: "traceEvents[3]: ..."; the path is the caller's to prefix. */
enum gsim_status gsim_events_read(const char *path, const struct gsim_events_handler *handler,
                                  struct gsim_error *error) GSIM_NODISCARD;
