/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nsight Systems' tables into records (SQLite Export Schema Reference). Versions differ and tables are made only
 * when there is something in them, so columns are looked up by name, and what is missing reads as NULL.
 */
#include "traces/import/importers.h"

#include <inttypes.h>

#include "gpusim/limits.h"
#include "sim/base/text.h"
#include "traces/import/nsys_kinds.h"
#include "traces/import/sniff.h"
#include "traces/import/table.h"

/* Of a global process or thread id: process in bits 24 to 47, thread below. */
static uint32_t process_of(const struct gsim_table *t, uint64_t global)
{
    return t->all->lacks_processes ? 0 : (uint32_t)(global / 0x1000000 % 0x1000000);
}

/* The column behind those of all works. */
enum { PID = GSIM_WORK_FIRST, FIRST };

static struct gsim_activity work_of(struct gsim_table *t, enum gsim_activity_kind kind)
{
    return gsim_table_work(t, kind, process_of(t, gsim_table_whole(t, PID, INT64_MAX)));
}

static enum gsim_status read_kernels(struct gsim_table *t)
{
    enum { DEMANGLED = FIRST, SHORT, MANGLED, SHAPE };
    static const char *const columns[] = {GSIM_WORK_COLUMNS, "globalPid",         "demangledName", "shortName",
                                          "mangledName",     GSIM_SHAPE_COLUMNS, NULL};
    enum gsim_status status = gsim_table_open(t, "CUPTI_ACTIVITY_KIND_KERNEL", columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_activity work = work_of(t, GSIM_ACTIVITY_KERNEL);
        struct gsim_work_shape shape = gsim_table_shape(t, SHAPE, &work);
        if (t->failed) break;
        const char *name = gsim_table_string(t, DEMANGLED);
        if (!name) name = gsim_table_string(t, SHORT);
        if (!name) name = gsim_table_string(t, MANGLED);
        status = gsim_table_add(t, &work, &shape, name ? name : "unnamed");
    }
    return gsim_table_close(t, status);
}

static enum gsim_nsys_memory memory_of(struct gsim_table *t, const struct gsim_nsys_kinds *kinds, int column)
{
    uint32_t number = gsim_table_whole32(t, column, UINT32_MAX);
    bool is_said = sqlite3_column_type(t->rows, column) != SQLITE_NULL && number < GSIM_NSYS_KINDS;
    return is_said ? kinds->memory[number] : GSIM_NSYS_OTHER;
}

/* Of a copy whose kind is not said. */
static enum gsim_copy_kind by_memory(enum gsim_nsys_memory from, enum gsim_nsys_memory to)
{
    bool from_host = from == GSIM_NSYS_PAGEABLE || from == GSIM_NSYS_PINNED;
    bool to_host = to == GSIM_NSYS_PAGEABLE || to == GSIM_NSYS_PINNED;
    return from_host && !to_host ? GSIM_COPY_H2D : to_host && !from_host ? GSIM_COPY_D2H : GSIM_COPY_D2D;
}

static bool is_between_devices(struct gsim_table *t, int source, int destination)
{
    return sqlite3_column_type(t->rows, source) == SQLITE_INTEGER &&
           sqlite3_column_type(t->rows, destination) == SQLITE_INTEGER &&
           sqlite3_column_int64(t->rows, source) != sqlite3_column_int64(t->rows, destination);
}

static enum gsim_status read_copies(struct gsim_table *t)
{
    enum { BYTES = FIRST, KIND, SOURCE, DESTINATION, SOURCE_DEVICE, DESTINATION_DEVICE };
    static const char *const columns[] = {GSIM_WORK_COLUMNS, "globalPid", "bytes",       "copyKind", "srcKind",
                                          "dstKind",         "srcDeviceId", "dstDeviceId", NULL};
    struct gsim_nsys_kinds kinds;
    gsim_nsys_kinds_read(t->database, &kinds);
    enum gsim_status status = gsim_table_open(t, "CUPTI_ACTIVITY_KIND_MEMCPY", columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_activity work = work_of(t, GSIM_ACTIVITY_COPY);
        work.bytes = gsim_table_whole(t, BYTES, GSIM_LIMIT_BYTES);
        uint32_t kind = gsim_table_whole32(t, KIND, UINT32_MAX);
        enum gsim_nsys_memory from = memory_of(t, &kinds, SOURCE), to = memory_of(t, &kinds, DESTINATION);
        const struct gsim_nsys_copy *copy = &kinds.copies[kind < GSIM_NSYS_KINDS ? kind : 0];
        work.copy_kind = copy->is_said ? copy->kind : by_memory(from, to);
        enum gsim_nsys_memory memory = work.copy_kind == GSIM_COPY_H2D ? from : to;
        work.pageable = memory == GSIM_NSYS_PAGEABLE && work.copy_kind != GSIM_COPY_D2D;
        work.pinned = memory == GSIM_NSYS_PINNED;
        work.is_managed = memory == GSIM_NSYS_MANAGED;
        work.is_peer = copy->is_peer || is_between_devices(t, SOURCE_DEVICE, DESTINATION_DEVICE);
        if (t->failed) break;
        if (copy->is_managed) { /* by page faults or prefetches: kernels' recorded durations hold the wait */
            t->records->notes->managed_moves++;
            if (work.copy_kind == GSIM_COPY_D2H) status = gsim_records_add_read(t->records, work.start_ns);
            continue;
        }
        if (copy->is_host) {
            t->records->notes->host_copies++;
            continue;
        }
        t->records->notes->pageable += work.pageable;
        status = gsim_table_add(t, &work, &(struct gsim_work_shape){.grid = {1, 1, 1}, .block = {1, 1, 1}}, "memcpy");
    }
    return gsim_table_close(t, status);
}

/* A graph that was recorded as a whole (nsys' default): as one kernel of its duration. */
static enum gsim_status read_whole_graphs(struct gsim_table *t)
{
    enum { GRAPH = FIRST };
    static const char *const columns[] = {GSIM_WORK_COLUMNS, "globalPid", "graphId", NULL};
    enum gsim_status status = gsim_table_open(t, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_activity work = work_of(t, GSIM_ACTIVITY_KERNEL);
        char name[32];
        snprintf(name, sizeof name, "graph %" PRIu64, gsim_table_whole(t, GRAPH, INT64_MAX));
        if (t->failed) break;
        t->records->notes->whole_graphs++;
        status = gsim_table_add(t, &work, &(struct gsim_work_shape){.grid = {1, 1, 1}, .block = {32, 1, 1}}, name);
    }
    return gsim_table_close(t, status);
}

static enum gsim_status read_memsets(struct gsim_table *t)
{
    enum { BYTES = FIRST };
    static const char *const columns[] = {GSIM_WORK_COLUMNS, "globalPid", "bytes", NULL};
    enum gsim_status status = gsim_table_open(t, "CUPTI_ACTIVITY_KIND_MEMSET", columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_activity work = work_of(t, GSIM_ACTIVITY_MEMSET);
        work.bytes = gsim_table_whole(t, BYTES, GSIM_LIMIT_BYTES);
        if (t->failed) break;
        status = gsim_table_add(t, &work, &(struct gsim_work_shape){.grid = {1, 1, 1}, .block = {1, 1, 1}}, "memset");
    }
    return gsim_table_close(t, status);
}

/* --- calls and synchronisation --- */
static enum gsim_status read_calls(struct gsim_table *t)
{
    enum { START, END, NAME, TID, CORRELATION };
    static const char *const columns[] = {"start", "end", "nameId", "globalTid", "correlationId", NULL};
    enum gsim_status status = gsim_table_open(t, "CUPTI_ACTIVITY_KIND_RUNTIME", columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_call call = {.start_ns = gsim_table_time(t, START),
                                 .end_ns = gsim_table_time(t, END),
                                 .thread = gsim_table_whole(t, TID, INT64_MAX),
                                 .correlation = gsim_table_whole(t, CORRELATION, INT64_MAX)};
        call.process = process_of(t, call.thread);
        if (t->failed) break;
        const char *name = gsim_table_string(t, NAME);
        call.kind = name ? gsim_records_call_kind(name) : GSIM_CALL_OTHER;
        status = gsim_records_add_named_call(t->records, &call, name);
    }
    return gsim_table_close(t, status);
}

static enum gsim_status read_events(struct gsim_table *t)
{
    enum { DEVICE, CONTEXT, STREAM, CORRELATION, PID_OF_EVENT, EVENT };
    static const char *const columns[] = {"deviceId",  "contextId", "streamId", "correlationId",
                                          "globalPid", "eventId",   NULL};
    enum gsim_status status = gsim_table_open(t, "CUPTI_ACTIVITY_KIND_CUDA_EVENT", columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_table_event item = {.event = gsim_table_whole(t, EVENT, INT64_MAX),
                                        .correlation = gsim_table_whole(t, CORRELATION, INT64_MAX),
                                        .process = process_of(t, gsim_table_whole(t, PID_OF_EVENT, INT64_MAX))};
        item.stream = gsim_table_stream(t, item.process, DEVICE, CONTEXT, STREAM);
        if (t->failed) break;
        status = gsim_tables_add_event(t->all, &item);
    }
    gsim_tables_sort_events(t->all);
    return gsim_table_close(t, status);
}

static enum gsim_status read_syncs(struct gsim_table *t)
{
    enum { START, DEVICE, CONTEXT, STREAM, CORRELATION, PID_OF_SYNC, TYPE, EVENT };
    static const char *const columns[] = {"start",     "deviceId", "contextId", "streamId", "correlationId",
                                          "globalPid", "syncType", "eventId",   NULL};
    enum gsim_status status = gsim_table_open(t, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_sync sync = {.start_ns = gsim_table_time(t, START),
                                 .correlation = gsim_table_whole(t, CORRELATION, INT64_MAX),
                                 .process = process_of(t, gsim_table_whole(t, PID_OF_SYNC, INT64_MAX))};
        uint64_t type = gsim_table_whole(t, TYPE, UINT32_MAX), event = gsim_table_whole(t, EVENT, INT64_MAX);
        if (t->failed) break;
        if (type != GSIM_CUPTI_STREAM_WAIT_EVENT && type != GSIM_CUPTI_STREAM_SYNCHRONIZE) continue;
        sync.stream = gsim_table_stream(t, sync.process, DEVICE, CONTEXT, STREAM);
        if (t->failed) break;
        status = gsim_tables_add_sync(t->all, &sync, type, event);
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
    enum gsim_status status = gsim_table_open(t, "NVTX_EVENTS", columns);
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

static enum gsim_status read_gpu(struct gsim_table *t)
{
    enum { NAME, MAJOR, MINOR, SMS, MEMORY, BANDWIDTH, CLOCK };
    static const char *const columns[] = {"name",        "computeMajor",    "computeMinor", "smCount",
                                          "totalMemory", "memoryBandwidth", "clockRate",    NULL};
    enum gsim_status status = gsim_table_open(t, "TARGET_INFO_GPU", columns);
    if (status == GSIM_OK && gsim_table_next(t)) {
        const char *name = (const char *)sqlite3_column_text(t->rows, NAME);
        struct gsim_import_notes *notes = t->records->notes;
        snprintf(t->records->gpu, sizeof t->records->gpu, "%.*s", (int)sizeof t->records->gpu - 1, name ? name : "");
        gsim_text_clean(t->records->gpu);
        notes->compute_capability = 10 * (int)gsim_table_whole(t, MAJOR, 99) + (int)gsim_table_whole(t, MINOR, 9);
        notes->sm_count = (double)gsim_table_whole(t, SMS, 1 << 20);
        notes->memory_bytes = (double)gsim_table_whole(t, MEMORY, GSIM_LIMIT_BYTES);
        notes->dram_gbps = (double)gsim_table_whole(t, BANDWIDTH, INT64_MAX) * 1e-9;
        notes->clock_mhz = (double)gsim_table_whole(t, CLOCK, INT64_MAX) * 1e-6;
    }
    return gsim_table_close(t, status);
}

/* --- the database ------------------------------------------------------------------------------------------------ */
static const char *const counted[] = {"KERNEL",  "MEMCPY",     "MEMSET",          "GRAPH_TRACE",
                                      "RUNTIME", "CUDA_EVENT", "SYNCHRONIZATION", NULL};
static const char *const works[] = {"KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE", NULL};
static const char *const timed[] = {"KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE", "RUNTIME", "SYNCHRONIZATION", NULL};

enum gsim_status gsim_import_nsys(const char *path, const struct gsim_import_options *options,
                                  struct gsim_program *program, struct gsim_import_notes *notes,
                                  struct gsim_error *error)
{
    static gsim_table_reader *const readers[] = {read_kernels, read_copies, read_memsets, read_whole_graphs,
                                                 read_calls,   read_gpu,    read_events,  read_syncs, read_annotations};
    struct gsim_records records = {.options = options, .notes = notes, .error = error};
    struct gsim_tables tables = {.string_sql = "SELECT value FROM StringIds WHERE id = ?1"};
    *notes = (struct gsim_import_notes){0};
    enum gsim_status status = gsim_tables_open(&tables, path, &records, error);
    if (status == GSIM_OK) {
        if (options->progress) gsim_tables_count(&tables, "CUPTI_ACTIVITY_KIND_", counted);
        tables.lacks_processes = gsim_tables_lack(&tables, "CUPTI_ACTIVITY_KIND_", works, "globalPid");
        gsim_tables_shift(&tables, "CUPTI_ACTIVITY_KIND_", timed);
        status = gsim_tables_read(&tables, readers, sizeof readers / sizeof readers[0]);
    }
    if (status == GSIM_OK) status = gsim_records_program(&records, options, program);
    gsim_records_release(&records);
    gsim_tables_close(&tables);
    return status == GSIM_OK ? GSIM_OK : gsim_error_prefix(error, "cannot read '%s'", path);
}

bool gsim_sniff_nsys(const struct gsim_sniff *sniff)
{
    return gsim_sniff_has_table(sniff, "StringIds") || gsim_sniff_has_table(sniff, "TARGET_INFO_GPU") ||
           gsim_sniff_has_table(sniff, "META_DATA_EXPORT") || strstr(sniff->tables, "\nCUPTI_ACTIVITY_KIND_") != NULL;
}
