/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nsight Systems' tables (SQLite Export Schema Reference): CUPTI's records, whole graphs, ranges of NVTX.
 */
#include "traces/import/importers.h"

#include <inttypes.h>

#include "traces/import/cupti.h"
#include "traces/import/sniff.h"

/* A graph that was recorded as a whole (nsys' default): as one kernel of its duration. */
static enum gsim_status read_whole_graphs(struct gsim_table *t)
{
    enum { GRAPH = GSIM_CUPTI_FIRST };
    static const char *const columns[] = {GSIM_CUPTI_WORK, "graphId", NULL};
    enum gsim_status status = gsim_table_open(t, columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_activity work = gsim_cupti_work(t, GSIM_ACTIVITY_KERNEL);
        char name[32];
        snprintf(name, sizeof name, "graph %" PRIu64, gsim_table_whole(t, GRAPH, INT64_MAX));
        if (t->failed) break;
        t->records->notes->whole_graphs++;
        status = gsim_table_add(t, &work, &(struct gsim_work_shape){.grid = {1, 1, 1}, .block = {32, 1, 1}}, name);
    }
    return gsim_table_close(t, status);
}

#define LONG_RANGE_NS 100000 /* shorter ones are neither steps nor parts that somebody asks for, unless somebody asks */

/* Ranges of NVTX. */
static enum gsim_status read_annotations(struct gsim_table *t)
{
    enum { START, END, TEXT, TEXT_ID, TID };
    static const char *const columns[] = {"start", "end", "text", "textId", "globalTid", NULL};
    const struct gsim_import_part *part = &t->records->options->part;
    enum gsim_status status = gsim_table_open(t, columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        int64_t start = gsim_table_time(t, START), end = gsim_table_time(t, END);
        uint64_t thread = gsim_table_whole(t, TID, INT64_MAX);
        const char *text = (const char *)sqlite3_column_text(t->rows, TEXT);
        if (t->failed) break;
        if (!text) text = gsim_table_string(t, TEXT_ID);
        if (!text || end <= start) continue;
        bool is_asked = part->has_step || part->between || end - start >= LONG_RANGE_NS;
        if (is_asked) status = gsim_records_add_annotation(t->records, text, start, end);
        if (status == GSIM_OK && thread)
            status = gsim_records_add_named_span(t->records, text, thread, start, end, false);
    }
    return gsim_table_close(t, status);
}

/* Streams are numbered as their works come. */
static const struct gsim_table_kind kinds[] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL", gsim_cupti_kernels, true, true},
    {"CUPTI_ACTIVITY_KIND_MEMCPY", gsim_cupti_copies, true, true},
    {"CUPTI_ACTIVITY_KIND_MEMSET", gsim_cupti_memsets, true, true},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", read_whole_graphs, true, true},
    {"CUPTI_ACTIVITY_KIND_RUNTIME", gsim_cupti_calls, true, false},
    {"TARGET_INFO_GPU", gsim_cupti_gpu, false, false},
    {"CUPTI_ACTIVITY_KIND_CUDA_EVENT", gsim_cupti_events, false, false},
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", gsim_cupti_syncs, true, false},
    {"NVTX_EVENTS", read_annotations, false, false},
    {0},
};

enum gsim_status gsim_import_nsys(const char *path, const struct gsim_import_options *options,
                                  struct gsim_program *program, struct gsim_import_notes *notes,
                                  struct gsim_error *error)
{
    struct gsim_tables tables = {.kinds = kinds, .string_sql = "SELECT value FROM StringIds WHERE id = ?1"};
    return gsim_tables_import(&tables, path, options, program, notes, error);
}

bool gsim_sniff_nsys(const struct gsim_sniff *sniff)
{
    return gsim_sniff_has_table(sniff, "StringIds") || gsim_sniff_has_table(sniff, "TARGET_INFO_GPU") ||
           gsim_sniff_has_table(sniff, "META_DATA_EXPORT") || strstr(sniff->tables, "\nCUPTI_ACTIVITY_KIND_") != NULL;
}
