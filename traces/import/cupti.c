/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CUPTI's activity records into records (CUPTI's cupti_activity.h; Nsight Systems' SQLite Export Schema Reference).
 * Versions differ and tables are made only when there is something in them: what is missing reads as NULL.
 */
#include "traces/import/cupti.h"

#include <string.h>

#include "gpusim/limits.h"
#include "sim/base/text.h"
#include "traces/import/cbid.def"
#include "traces/import/copies.h"

#define EPOCH_NS 1000000000000000000 /* later times count from 1970 */

/* Of a global process or thread id: process in bits 24 to 47, thread below. nvprof's databases are of one process. */
static uint32_t process_of(const struct gsim_table *t, uint64_t global)
{
    return t->all->lacks_processes ? 0 : (uint32_t)(global / 0x1000000 % 0x1000000);
}

/* A number that stands for a text, or the text itself; NULL where there is none. */
static const char *text_of(struct gsim_table *t, int column)
{
    bool is_text = sqlite3_column_type(t->rows, column) == SQLITE_TEXT;
    return is_text ? (const char *)sqlite3_column_text(t->rows, column) : gsim_table_string(t, column);
}

/* Old databases of nvprof have the id of the runtime's call beside that of the driver's. */
struct gsim_activity gsim_cupti_work(struct gsim_table *t, enum gsim_activity_kind kind)
{
    enum { PID = GSIM_WORK_FIRST, RUNTIME };
    struct gsim_activity work = gsim_table_work(t, kind, process_of(t, gsim_table_whole(t, PID, INT64_MAX)));
    uint64_t call = gsim_table_whole(t, RUNTIME, INT64_MAX);
    if (call) work.correlation = call;
    return work;
}

/* --- works ------------------------------------------------------------------------------------------------------- */
enum gsim_status gsim_cupti_kernels(struct gsim_table *t)
{
    enum { NAME = GSIM_CUPTI_FIRST, SHORT, MANGLED, SHAPE };
    static const char *const columns[] = {GSIM_CUPTI_WORK, "demangledName|name", "shortName", "mangledName",
                                          GSIM_SHAPE_COLUMNS, NULL};
    enum gsim_status status = gsim_table_open(t, columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_activity work = gsim_cupti_work(t, GSIM_ACTIVITY_KERNEL);
        struct gsim_work_shape shape = gsim_table_shape(t, SHAPE, &work);
        if (t->failed) break;
        if (work.start_ns > EPOCH_NS) t->records->epoch_ns = 1;
        const char *name = text_of(t, NAME);
        if (!name) name = text_of(t, SHORT);
        if (!name) name = text_of(t, MANGLED);
        status = gsim_table_add(t, &work, &shape, name ? name : "unnamed");
    }
    return gsim_table_close(t, status);
}

/* What the numbers in copyKind, srcKind and dstKind mean: a file's own tables ENUM_CUDA_MEMCPY_OPER and
 * ENUM_CUDA_MEM_KIND say; where it has none, Nsight Systems' numbering, or CUPTI's, whose memories begin at 1. */
#define KINDS 32
struct kinds {
    struct gsim_copy_words copies[KINDS], memory[KINDS];
};

/* Reads a table of names. False when there is none. */
static bool read_names(sqlite3 *database, const char *sql, struct gsim_copy_words kinds[KINDS])
{
    sqlite3_stmt *rows = NULL;
    bool any = false;
    if (sqlite3_prepare_v2(database, sql, -1, &rows, NULL) == SQLITE_OK)
        while (sqlite3_step(rows) == SQLITE_ROW) {
            int64_t id = sqlite3_column_int64(rows, 0);
            const char *name = (const char *)sqlite3_column_text(rows, 1);
            if (!name) name = (const char *)sqlite3_column_text(rows, 2);
            if (!name || id < 0 || id >= KINDS) continue;
            kinds[id] = gsim_copy_words(name);
            any = true;
        }
    sqlite3_finalize(rows);
    return any;
}

static void read_kinds(const struct gsim_table *t, struct kinds *kinds)
{
    static const char *const copies[] = {"UNKNOWN", "HTOD", "DTOH", "HTOA", "ATOH", "ATOA",     "ATOD",
                                         "DTOA",    "DTOD", "HTOH", "PTOP", "UVM_HTOD", "UVM_DTOH", "UVM_DTOD"};
    static const char *const memory[] = {"PAGEABLE", "PINNED",        "DEVICE",         "ARRAY",
                                         "MANAGED",  "DEVICE_STATIC", "MANAGED_STATIC", "UNKNOWN"};
    struct gsim_copy_words *first = kinds->memory + t->all->has_cupti_numbers;
    if (!read_names(t->database, "SELECT id, name, label FROM ENUM_CUDA_MEMCPY_OPER", kinds->copies))
        for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++) kinds->copies[i] = gsim_copy_words(copies[i]);
    if (!read_names(t->database, "SELECT id, name, label FROM ENUM_CUDA_MEM_KIND", kinds->memory))
        for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++) first[i] = gsim_copy_words(memory[i]);
}

/* What COLUMN says of memory; nothing where it is NULL. */
static struct gsim_copy_words memory_of(struct gsim_table *t, const struct kinds *kinds, int column)
{
    uint32_t number = gsim_table_whole32(t, column, UINT32_MAX);
    bool is_said = sqlite3_column_type(t->rows, column) != SQLITE_NULL && number < KINDS;
    return is_said ? kinds->memory[number] : (struct gsim_copy_words){0};
}

/* Of a copy whose kind is not said. */
static enum gsim_copy_kind by_memory(const struct gsim_copy_words *from, const struct gsim_copy_words *to)
{
    bool from_host = from->is_pageable || from->is_pinned, to_host = to->is_pageable || to->is_pinned;
    return from_host && !to_host ? GSIM_COPY_H2D : to_host && !from_host ? GSIM_COPY_D2H : GSIM_COPY_D2D;
}

static bool is_between_devices(struct gsim_table *t, int source, int destination)
{
    return sqlite3_column_type(t->rows, source) == SQLITE_INTEGER &&
           sqlite3_column_type(t->rows, destination) == SQLITE_INTEGER &&
           sqlite3_column_int64(t->rows, source) != sqlite3_column_int64(t->rows, destination);
}

enum gsim_status gsim_cupti_copies(struct gsim_table *t)
{
    enum { BYTES = GSIM_CUPTI_FIRST, KIND, SOURCE, DESTINATION, SOURCE_DEVICE, DESTINATION_DEVICE };
    static const char *const columns[] = {GSIM_CUPTI_WORK, "bytes",       "copyKind",    "srcKind",
                                          "dstKind",       "srcDeviceId", "dstDeviceId", NULL};
    bool is_peer_table = strcmp(t->name, "CUPTI_ACTIVITY_KIND_MEMCPY2") == 0;
    struct kinds kinds = {0};
    read_kinds(t, &kinds);
    enum gsim_status status = gsim_table_open(t, columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_activity work = gsim_cupti_work(t, GSIM_ACTIVITY_COPY);
        work.bytes = gsim_table_whole(t, BYTES, GSIM_LIMIT_BYTES);
        uint32_t kind = gsim_table_whole32(t, KIND, UINT32_MAX);
        const struct gsim_copy_words from = memory_of(t, &kinds, SOURCE), to = memory_of(t, &kinds, DESTINATION),
                                     *copy = &kinds.copies[kind < KINDS ? kind : 0];
        work.copy_kind = copy->is_said ? copy->kind : by_memory(&from, &to);
        const struct gsim_copy_words *memory = work.copy_kind == GSIM_COPY_H2D ? &from : &to;
        work.pageable = memory->is_pageable && work.copy_kind != GSIM_COPY_D2D;
        work.pinned = memory->is_pinned;
        work.is_managed = memory->is_managed;
        work.is_peer = is_peer_table || copy->is_peer || is_between_devices(t, SOURCE_DEVICE, DESTINATION_DEVICE);
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

enum gsim_status gsim_cupti_memsets(struct gsim_table *t)
{
    enum { BYTES = GSIM_CUPTI_FIRST };
    static const char *const columns[] = {GSIM_CUPTI_WORK, "bytes", NULL};
    enum gsim_status status = gsim_table_open(t, columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_activity work = gsim_cupti_work(t, GSIM_ACTIVITY_MEMSET);
        work.bytes = gsim_table_whole(t, BYTES, GSIM_LIMIT_BYTES);
        if (t->failed) break;
        status = gsim_table_add(t, &work, &(struct gsim_work_shape){.grid = {1, 1, 1}, .block = {1, 1, 1}}, "memset");
    }
    return gsim_table_close(t, status);
}

/* --- calls and synchronisation --- */
struct call_kind {
    uint32_t first, second;
    enum gsim_call_kind kind;
    const char *name; /* NULL: not said */
};
#define CBID_ROW(first, second, kind, name) {first, second, GSIM_CALL_##kind, name},
static const struct call_kind runtime_calls[] = {GSIM_CBID_RUNTIME(CBID_ROW){0}};
static const struct call_kind driver_calls[] = {GSIM_CBID_DRIVER(CBID_ROW){0}};
#undef CBID_ROW

/* By name (Nsight Systems), or by CUPTI's number of the call in its table's interface (nvprof). */
enum gsim_status gsim_cupti_calls(struct gsim_table *t)
{
    enum { START, END, NAME, GLOBAL, CORRELATION, CBID, THREAD };
    static const char *const columns[] = {"start", "end", "nameId", "globalTid", "correlationId", "cbid", "threadId",
                                          NULL};
    const struct call_kind *kinds =
        strcmp(t->name, "CUPTI_ACTIVITY_KIND_DRIVER") == 0 ? driver_calls : runtime_calls;
    enum gsim_status status = gsim_table_open(t, columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_call call = {.start_ns = gsim_table_time(t, START),
                                 .end_ns = gsim_table_time(t, END),
                                 .thread = gsim_table_whole(t, GLOBAL, INT64_MAX),
                                 .correlation = gsim_table_whole(t, CORRELATION, INT64_MAX)};
        uint32_t cbid = gsim_table_whole32(t, CBID, UINT32_MAX);
        const struct call_kind *row = kinds;
        call.process = process_of(t, call.thread);
        if (t->has[THREAD].name) call.thread = (uint32_t)sqlite3_column_int64(t->rows, THREAD); /* 32 bits, signed */
        if (t->failed) break;
        while (row->first && cbid != row->first && cbid != row->second) row++;
        const char *name = gsim_table_string(t, NAME);
        call.kind = name ? gsim_records_call_kind(name) : row->first ? row->kind : GSIM_CALL_OTHER;
        status = gsim_records_add_named_call(t->records, &call, name ? name : row->name);
    }
    return gsim_table_close(t, status);
}

/* The columns of a stream, together: nvprof's tables of events and waits name a context, not the device, which is that
 * of the stream's works, else of any of the context's. */
#define STREAM_COLUMNS "deviceId", "contextId", "streamId", "globalPid", "correlationId"
enum { DEVICE, CONTEXT, STREAM, PID, CORRELATION, STREAM_END };
static uint32_t stream_of(struct gsim_table *t, uint32_t process)
{
    if (t->has[DEVICE].name) return gsim_table_stream(t, process, DEVICE, CONTEXT, STREAM);
    struct gsim_stream_key key = {.process = process,
                                  .context = gsim_table_whole32(t, CONTEXT, UINT32_MAX),
                                  .number = gsim_table_whole(t, STREAM, UINT32_MAX)};
    uint32_t index = GSIM_NO_STREAM;
    for (uint32_t i = 0; i < t->records->stream_count; i++) {
        const struct gsim_stream_key *known = &t->records->streams[i];
        if (known->context != key.context) continue;
        key.device = key.gpu = known->device;
        if (known->number == key.number) break;
    }
    if (!t->failed && gsim_records_stream(t->records, &key, &index) != GSIM_OK) t->failed = true;
    return index;
}

enum gsim_status gsim_cupti_events(struct gsim_table *t)
{
    enum { EVENT = STREAM_END };
    static const char *const columns[] = {STREAM_COLUMNS, "eventId", NULL};
    enum gsim_status status = gsim_table_open(t, columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_table_event item = {.event = gsim_table_whole(t, EVENT, INT64_MAX),
                                        .correlation = gsim_table_whole(t, CORRELATION, INT64_MAX),
                                        .process = process_of(t, gsim_table_whole(t, PID, INT64_MAX))};
        item.stream = stream_of(t, item.process);
        if (t->failed) break;
        status = gsim_tables_add_event(t->all, &item);
    }
    gsim_tables_sort_events(t->all);
    return gsim_table_close(t, status);
}

enum gsim_status gsim_cupti_syncs(struct gsim_table *t)
{
    enum { START = STREAM_END, TYPE, EVENT };
    static const char *const columns[] = {STREAM_COLUMNS, "start", "syncType|type", "eventId|cudaEventId", NULL};
    enum gsim_status status = gsim_table_open(t, columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_sync sync = {.start_ns = gsim_table_time(t, START),
                                 .correlation = gsim_table_whole(t, CORRELATION, INT64_MAX),
                                 .process = process_of(t, gsim_table_whole(t, PID, INT64_MAX))};
        uint64_t type = gsim_table_whole(t, TYPE, UINT32_MAX);
        if (t->failed) break;
        if (type != GSIM_CUPTI_STREAM_WAIT_EVENT && type != GSIM_CUPTI_STREAM_SYNCHRONIZE) continue;
        uint64_t event = type == GSIM_CUPTI_STREAM_WAIT_EVENT ? gsim_table_whole(t, EVENT, INT64_MAX) : 0;
        sync.stream = stream_of(t, sync.process);
        if (t->failed) break;
        status = gsim_tables_add_sync(t->all, &sync, type, event);
    }
    return gsim_table_close(t, status);
}

/* The first GPU. */
enum gsim_status gsim_cupti_gpu(struct gsim_table *t)
{
    enum { NAME, MAJOR, MINOR, SMS, MEMORY, BANDWIDTH, CLOCK };
    static const char *const columns[] = {"name",
                                          "computeMajor|computeCapabilityMajor",
                                          "computeMinor|computeCapabilityMinor",
                                          "smCount|numMultiprocessors",
                                          "totalMemory|globalMemorySize",
                                          "memoryBandwidth",
                                          "clockRate",
                                          NULL};
    enum gsim_status status = gsim_table_open(t, columns);
    if (status == GSIM_OK && gsim_table_next(t)) {
        const char *name = text_of(t, NAME);
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
