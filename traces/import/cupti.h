/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces (private to the importers of SQLite databases). CUPTI's activity records as Nsight Systems and nvprof
 * export them: tables and meanings are the same, names of columns differ, so each is looked up by all its names.
 */
#pragma once

#include "traces/import/table.h"

gsim_table_reader gsim_cupti_kernels, gsim_cupti_copies, gsim_cupti_memsets, gsim_cupti_calls, gsim_cupti_events,
    gsim_cupti_syncs, gsim_cupti_gpu;

/* The next work of an open table, as far as the columns GSIM_CUPTI_WORK tell. */
#define GSIM_CUPTI_WORK GSIM_WORK_COLUMNS, "globalPid", "runtimeCorrelationId"
enum { GSIM_CUPTI_FIRST = GSIM_WORK_FIRST + 2 }; /* the column behind these */
struct gsim_activity gsim_cupti_work(struct gsim_table *table, enum gsim_activity_kind kind);
