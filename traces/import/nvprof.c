/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nvprof's tables into records: CUPTI's activity records as they are, names by number in StringTable, calls by their
 * number (traces/import/cbid.def), and CUPTI's own numbers of memory kinds, which are not those of Nsight Systems.
 */
#include "traces/import/importers.h"

#include "gpusim/limits.h"
#include "sim/base/text.h"
#include "traces/import/cbid.def"
#include "traces/import/sniff.h"
#include "traces/import/table.h"

#define EPOCH_NS 1000000000000000000 /* later times count from 1970 */

/* The database is of one process, as far as its ids go. */
enum { PROCESS = 0 };

/* A number of StringTable, or the text itself. */
static const char *text_of(struct gsim_table *t, int column)
{
    bool is_text = sqlite3_column_type(t->rows, column) == SQLITE_TEXT;
    return is_text ? (const char *)sqlite3_column_text(t->rows, column) : gsim_table_string(t, column);
}

/* Old ones have the id of the runtime's call beside that of the driver's. */
static struct gsim_activity work_of(struct gsim_table *t, enum gsim_activity_kind kind)
{
    enum { RUNTIME = GSIM_WORK_FIRST };
    struct gsim_activity work = gsim_table_work(t, kind, PROCESS);
    uint64_t call = gsim_table_whole(t, RUNTIME, INT64_MAX);
    if (call) work.correlation = call;
    return work;
}
#define WORK_COLUMNS GSIM_WORK_COLUMNS, "runtimeCorrelationId"
enum { FIRST = GSIM_WORK_FIRST + 1 };

/* --- works ------------------------------------------------------------------------------------------------------- */
static enum gsim_status read_kernels(struct gsim_table *t, const char *table)
{
    enum { NAME = FIRST, SHAPE };
    static const char *const columns[] = {WORK_COLUMNS, "name", GSIM_SHAPE_COLUMNS, NULL};
    enum gsim_status status = gsim_table_open(t, table, columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_activity work = work_of(t, GSIM_ACTIVITY_KERNEL);
        struct gsim_work_shape shape = gsim_table_shape(t, SHAPE, &work);
        if (t->failed) break;
        if (work.start_ns > EPOCH_NS) t->records->epoch_ns = 1;
        const char *name = text_of(t, NAME);
        status = gsim_table_add(t, &work, &shape, name ? name : "unnamed");
    }
    return gsim_table_close(t, status);
}

/* Recorded as they ran beside each other (the usual way), and one at a time. */
static enum gsim_status read_concurrent(struct gsim_table *t)
{
    return read_kernels(t, "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL");
}

static enum gsim_status read_serialised(struct gsim_table *t) { return read_kernels(t, "CUPTI_ACTIVITY_KIND_KERNEL"); }

/* CUPTI's CUpti_ActivityMemcpyKind and CUpti_ActivityMemoryKind. */
enum { HTOD = 1, DTOH = 2, HTOA = 3, ATOH = 4, HTOH = 9, PTOP = 10 };
enum { PAGEABLE = 1, PINNED = 2, MANAGED = 5 };

static enum gsim_status read_copies_of(struct gsim_table *t, const char *table, bool is_peer)
{
    enum { BYTES = FIRST, KIND, SOURCE, DESTINATION };
    static const char *const columns[] = {WORK_COLUMNS, "bytes", "copyKind", "srcKind", "dstKind", NULL};
    enum gsim_status status = gsim_table_open(t, table, columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_activity work = work_of(t, GSIM_ACTIVITY_COPY);
        uint32_t kind = gsim_table_whole32(t, KIND, UINT32_MAX), from = gsim_table_whole32(t, SOURCE, UINT32_MAX),
                 to = gsim_table_whole32(t, DESTINATION, UINT32_MAX);
        bool from_host = kind == HTOD || kind == HTOA, to_host = kind == DTOH || kind == ATOH;
        uint32_t host = from_host ? from : to_host ? to : 0;
        work.bytes = gsim_table_whole(t, BYTES, GSIM_LIMIT_BYTES);
        work.copy_kind = from_host ? GSIM_COPY_H2D : to_host ? GSIM_COPY_D2H : GSIM_COPY_D2D;
        work.pageable = host == PAGEABLE;
        work.pinned = host == PINNED;
        work.is_managed = host == MANAGED;
        work.is_peer = is_peer || kind == PTOP;
        if (t->failed) break;
        if (kind == HTOH) {
            t->records->notes->host_copies++;
            continue;
        }
        t->records->notes->pageable += work.pageable;
        status = gsim_table_add(t, &work, &(struct gsim_work_shape){.grid = {1, 1, 1}, .block = {1, 1, 1}}, "memcpy");
    }
    return gsim_table_close(t, status);
}

static enum gsim_status read_copies(struct gsim_table *t)
{
    return read_copies_of(t, "CUPTI_ACTIVITY_KIND_MEMCPY", false);
}

static enum gsim_status read_peer_copies(struct gsim_table *t)
{
    return read_copies_of(t, "CUPTI_ACTIVITY_KIND_MEMCPY2", true);
}

static enum gsim_status read_memsets(struct gsim_table *t)
{
    enum { BYTES = FIRST };
    static const char *const columns[] = {WORK_COLUMNS, "bytes", NULL};
    enum gsim_status status = gsim_table_open(t, "CUPTI_ACTIVITY_KIND_MEMSET", columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_activity work = work_of(t, GSIM_ACTIVITY_MEMSET);
        work.bytes = gsim_table_whole(t, BYTES, GSIM_LIMIT_BYTES);
        if (t->failed) break;
        status = gsim_table_add(t, &work, &(struct gsim_work_shape){.grid = {1, 1, 1}, .block = {1, 1, 1}}, "memset");
    }
    return gsim_table_close(t, status);
}

/* Managed memory's: CUpti_ActivityUnifiedMemoryCounterKind. */
static enum gsim_status read_moves(struct gsim_table *t)
{
    enum { KIND, START, BYTES_TO_DEVICE = 1, BYTES_TO_HOST = 2 };
    static const char *const columns[] = {"counterKind", "start", NULL};
    enum gsim_status status = gsim_table_open(t, "CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER", columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        uint64_t kind = gsim_table_whole(t, KIND, INT64_MAX);
        int64_t start_ns = gsim_table_time(t, START);
        t->records->notes->managed_moves += kind == BYTES_TO_DEVICE || kind == BYTES_TO_HOST;
        if (!t->failed && kind == BYTES_TO_HOST && start_ns) status = gsim_records_add_read(t->records, start_ns);
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

static enum gsim_status read_calls(struct gsim_table *t, const char *table, const struct call_kind *kinds)
{
    enum { START, END, CBID, THREAD, CORRELATION };
    static const char *const columns[] = {"start", "end", "cbid", "threadId", "correlationId", NULL};
    enum gsim_status status = gsim_table_open(t, table, columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_call call = {.start_ns = gsim_table_time(t, START),
                                 .end_ns = gsim_table_time(t, END),
                                 .process = PROCESS,
                                 .thread = (uint32_t)sqlite3_column_int64(t->rows, THREAD), /* 32 bits, signed */
                                 .correlation = gsim_table_whole(t, CORRELATION, INT64_MAX)};
        uint32_t cbid = gsim_table_whole32(t, CBID, UINT32_MAX);
        const struct call_kind *row = kinds;
        if (t->failed) break;
        while (row->first && cbid != row->first && cbid != row->second) row++;
        call.kind = row->first ? row->kind : GSIM_CALL_OTHER;
        status = gsim_records_add_named_call(t->records, &call, row->name);
    }
    return gsim_table_close(t, status);
}

static enum gsim_status read_runtime(struct gsim_table *t)
{
    return read_calls(t, "CUPTI_ACTIVITY_KIND_RUNTIME", runtime_calls);
}

static enum gsim_status read_driver(struct gsim_table *t)
{
    return read_calls(t, "CUPTI_ACTIVITY_KIND_DRIVER", driver_calls);
}

/* Records of events and waits name a context, not the device: that of the stream's works, else of any of the context's.
 */
static uint32_t stream_of(struct gsim_table *t, int context_column, int stream_column)
{
    struct gsim_stream_key key = {.process = PROCESS,
                                  .context = gsim_table_whole32(t, context_column, UINT32_MAX),
                                  .number = gsim_table_whole(t, stream_column, UINT32_MAX)};
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

static enum gsim_status read_events(struct gsim_table *t)
{
    enum { CONTEXT, STREAM, CORRELATION, EVENT };
    static const char *const columns[] = {"contextId", "streamId", "correlationId", "eventId", NULL};
    enum gsim_status status = gsim_table_open(t, "CUPTI_ACTIVITY_KIND_CUDA_EVENT", columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_table_event item = {.event = gsim_table_whole(t, EVENT, INT64_MAX),
                                        .correlation = gsim_table_whole(t, CORRELATION, INT64_MAX),
                                        .process = PROCESS};
        item.stream = stream_of(t, CONTEXT, STREAM);
        if (t->failed) break;
        status = gsim_tables_add_event(t->all, &item);
    }
    gsim_tables_sort_events(t->all);
    return gsim_table_close(t, status);
}

static enum gsim_status read_syncs(struct gsim_table *t)
{
    enum { START, CONTEXT, STREAM, CORRELATION, TYPE, EVENT };
    static const char *const columns[] = {"start", "contextId",   "streamId", "correlationId",
                                          "type",  "cudaEventId", NULL};
    enum gsim_status status = gsim_table_open(t, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_sync sync = {.start_ns = gsim_table_time(t, START),
                                 .correlation = gsim_table_whole(t, CORRELATION, INT64_MAX),
                                 .process = PROCESS};
        uint64_t type = gsim_table_whole(t, TYPE, UINT32_MAX);
        if (t->failed) break;
        if (type != GSIM_CUPTI_STREAM_WAIT_EVENT && type != GSIM_CUPTI_STREAM_SYNCHRONIZE) continue;
        uint64_t event = type == GSIM_CUPTI_STREAM_WAIT_EVENT ? gsim_table_whole(t, EVENT, INT64_MAX) : 0;
        sync.stream = stream_of(t, CONTEXT, STREAM);
        if (t->failed) break;
        status = gsim_tables_add_sync(t->all, &sync, type, event);
    }
    return gsim_table_close(t, status);
}

/* --- the database ------------------------------------------------------------------------------------------------ */
static enum gsim_status read_gpu(struct gsim_table *t)
{
    enum { NAME, MAJOR, MINOR, SMS, MEMORY };
    static const char *const columns[] = {"name",
                                          "computeCapabilityMajor",
                                          "computeCapabilityMinor",
                                          "numMultiprocessors",
                                          "globalMemorySize",
                                          NULL};
    enum gsim_status status = gsim_table_open(t, "CUPTI_ACTIVITY_KIND_DEVICE", columns);
    if (status == GSIM_OK && gsim_table_next(t)) {
        const char *name = text_of(t, NAME);
        struct gsim_import_notes *notes = t->records->notes;
        snprintf(t->records->gpu, sizeof t->records->gpu, "%.*s", (int)sizeof t->records->gpu - 1, name ? name : "");
        gsim_text_clean(t->records->gpu);
        notes->compute_capability = 10 * (int)gsim_table_whole(t, MAJOR, 99) + (int)gsim_table_whole(t, MINOR, 9);
        notes->sm_count = (double)gsim_table_whole(t, SMS, 1 << 20);
        notes->memory_bytes = (double)gsim_table_whole(t, MEMORY, GSIM_LIMIT_BYTES);
    }
    return gsim_table_close(t, status);
}

static const char *const tables_with_start[] = {"CONCURRENT_KERNEL", "KERNEL", "MEMCPY", "MEMSET",
                                                "RUNTIME",           "DRIVER", NULL};

enum gsim_status gsim_import_nvprof(const char *path, const struct gsim_import_options *options,
                                    struct gsim_program *program, struct gsim_import_notes *notes,
                                    struct gsim_error *error)
{
    static gsim_table_reader *const readers[] = {read_concurrent, read_serialised, read_copies, read_peer_copies,
                                                 read_memsets,    read_moves,      read_runtime, read_driver,
                                                 read_gpu,        read_events,     read_syncs};
    struct gsim_records records = {.options = options, .notes = notes, .error = error};
    struct gsim_tables tables = {.string_sql = "SELECT value FROM StringTable WHERE _id_ = ?1"};
    *notes = (struct gsim_import_notes){0};
    enum gsim_status status = gsim_tables_open(&tables, path, &records, error);
    if (status == GSIM_OK) {
        if (options->progress) gsim_tables_count(&tables, "CUPTI_ACTIVITY_KIND_", tables_with_start);
        gsim_tables_shift(&tables, "CUPTI_ACTIVITY_KIND_", tables_with_start);
        status = gsim_tables_read(&tables, readers, sizeof readers / sizeof readers[0]);
    }
    if (status == GSIM_OK) status = gsim_records_program(&records, options, program);
    gsim_records_release(&records);
    gsim_tables_close(&tables);
    return status == GSIM_OK ? GSIM_OK : gsim_error_prefix(error, "cannot read '%s'", path);
}

bool gsim_sniff_nvprof(const struct gsim_sniff *sniff)
{
    return gsim_sniff_has_table(sniff, "StringTable") ||
           gsim_sniff_has_table(sniff, "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL");
}
