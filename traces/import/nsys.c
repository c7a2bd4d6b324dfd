/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nsight Systems' tables into records (SQLite Export Schema Reference). Versions differ and tables are made only
 * when there is something in them, so columns are looked up by name, and what is missing reads as NULL.
 */
#include "traces/import/nsys.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gpusim/limits.h"
#include "sim/base/text.h"
#include "traces/import/nsys_kinds.h"
#include "traces/import/table.h"

/* Of a global process or thread id: process in bits 24 to 47, thread below. */
static uint32_t process_of(uint64_t global)
{
    return (uint32_t)(global / 0x1000000 % 0x1000000);
}

static uint32_t stream_of(struct gsim_table *t, uint32_t process, int device, int context, int stream)
{
    uint32_t index = GSIM_NO_STREAM;
    struct gsim_stream_key key = {.process = process,
                                  .device = gsim_table_whole32(t, device, UINT32_MAX),
                                  .context = gsim_table_whole32(t, context, UINT32_MAX),
                                  .number = gsim_table_whole32(t, stream, UINT32_MAX)};
    key.gpu = key.device;
    if (!t->failed && gsim_records_stream(t->records, &key, &index) != GSIM_OK) t->failed = true;
    return index;
}

/* --- names -------------------------------------------------------------------------------------------------------- */
/* The text of StringIds.id, or NULL. FIND is a prepared statement, kept for the next. */
static const char *string_of(struct gsim_table *t, sqlite3_stmt **find, int column)
{
    if (sqlite3_column_type(t->rows, column) != SQLITE_INTEGER) return NULL;
    if (!*find &&
        sqlite3_prepare_v2(t->database, "SELECT value FROM StringIds WHERE id = ?1", -1, find, NULL) != SQLITE_OK)
        return NULL; /* no such table */
    sqlite3_reset(*find);
    sqlite3_bind_int64(*find, 1, sqlite3_column_int64(t->rows, column));
    return sqlite3_step(*find) == SQLITE_ROW ? (const char *)sqlite3_column_text(*find, 0) : NULL;
}

/* --- works -------------------------------------------------------------------------------------------------------- */
enum { W_START, W_END, W_DEVICE, W_CONTEXT, W_STREAM, W_CORRELATION, W_PID, W_FIRST };
#define WORK_COLUMNS "start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid"

static struct gsim_activity work_of(struct gsim_table *t, enum gsim_activity_kind kind)
{
    struct gsim_activity work = {.kind = (uint8_t)kind};
    work.start_ns = gsim_table_time(t, W_START);
    work.end_ns = gsim_table_time(t, W_END);
    if (work.end_ns - work.start_ns > GSIM_TABLE_DURATION_LIMIT_NS) gsim_table_wrong(t, W_END, "an end within 11 days of the start");
    work.correlation = gsim_table_whole(t, W_CORRELATION, INT64_MAX);
    work.process = process_of(gsim_table_whole(t, W_PID, INT64_MAX));
    work.stream = stream_of(t, work.process, W_DEVICE, W_CONTEXT, W_STREAM);
    return work;
}

static enum gsim_status add_work(struct gsim_table *t, struct gsim_activity *work, struct gsim_work_shape *shape, const char *name)
{
    enum gsim_status status = gsim_records_name(t->records, name, &shape->name);
    if (status == GSIM_OK) status = gsim_records_shape(t->records, shape, &work->shape);
    return status == GSIM_OK ? gsim_records_add_work(t->records, work) : status;
}

static enum gsim_status read_kernels(struct gsim_table *t)
{
    enum {
        DEMANGLED = W_FIRST,
        SHORT,
        MANGLED,
        REGS,
        GRID_X,
        GRID_Y,
        GRID_Z,
        BLOCK_X,
        BLOCK_Y,
        BLOCK_Z,
        STATIC,
        DYNAMIC
    };
    static const char *const columns[] = {WORK_COLUMNS,
                                          "demangledName",
                                          "shortName",
                                          "mangledName",
                                          "registersPerThread",
                                          "gridX",
                                          "gridY",
                                          "gridZ",
                                          "blockX",
                                          "blockY",
                                          "blockZ",
                                          "staticSharedMemory",
                                          "dynamicSharedMemory",
                                          NULL};
    sqlite3_stmt *find = NULL;
    t->name = "CUPTI_ACTIVITY_KIND_KERNEL";
    t->columns = columns;
    enum gsim_status status = gsim_table_open(t);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_activity work = work_of(t, GSIM_ACTIVITY_KERNEL);
        struct gsim_work_shape shape;
        shape.grid.x = gsim_table_size(t, GRID_X, GSIM_LIMIT_GRID_X);
        shape.grid.y = gsim_table_size(t, GRID_Y, GSIM_LIMIT_GRID_YZ);
        shape.grid.z = gsim_table_size(t, GRID_Z, GSIM_LIMIT_GRID_YZ);
        shape.block.x = gsim_table_size(t, BLOCK_X, GSIM_LIMIT_BLOCK_XY);
        shape.block.y = gsim_table_size(t, BLOCK_Y, GSIM_LIMIT_BLOCK_XY);
        shape.block.z = gsim_table_size(t, BLOCK_Z, GSIM_LIMIT_BLOCK_Z);
        shape.regs_per_thread = gsim_table_whole32(t, REGS, GSIM_LIMIT_REGS);
        shape.smem_bytes =
            gsim_table_whole32(t, STATIC, GSIM_LIMIT_SMEM_BYTES / 2) + gsim_table_whole32(t, DYNAMIC, GSIM_LIMIT_SMEM_BYTES / 2);
        if (t->failed) break;
        const char *name = string_of(t, &find, DEMANGLED);
        if (!name) name = string_of(t, &find, SHORT);
        if (!name) name = string_of(t, &find, MANGLED);
        status = add_work(t, &work, &shape, name ? name : "unnamed");
    }
    sqlite3_finalize(find);
    enum gsim_status closed = gsim_table_close(t);
    return status == GSIM_OK ? closed : status;
}

static enum gsim_status read_copies(struct gsim_table *t)
{
    enum { BYTES = W_FIRST, KIND, SOURCE, DESTINATION };
    static const char *const columns[] = {WORK_COLUMNS, "bytes", "copyKind", "srcKind", "dstKind", NULL};
    struct gsim_nsys_kinds kinds;
    gsim_nsys_kinds_read(t->database, &kinds);
    t->name = "CUPTI_ACTIVITY_KIND_MEMCPY";
    t->columns = columns;
    enum gsim_status status = gsim_table_open(t);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_activity work = work_of(t, GSIM_ACTIVITY_COPY);
        work.bytes = gsim_table_whole(t, BYTES, GSIM_LIMIT_BYTES);
        uint32_t kind = gsim_table_whole32(t, KIND, UINT32_MAX);
        const struct gsim_nsys_copy *copy = &kinds.copies[kind < GSIM_NSYS_KINDS ? kind : 0];
        work.copy_kind = copy->kind;
        uint32_t host = gsim_table_whole32(t, work.copy_kind == GSIM_COPY_H2D ? SOURCE : DESTINATION, UINT32_MAX);
        enum gsim_nsys_memory memory = kinds.memory[host < GSIM_NSYS_KINDS ? host : GSIM_NSYS_KINDS - 1];
        work.pageable = memory == GSIM_NSYS_PAGEABLE && copy->kind != GSIM_COPY_D2D;
        work.pinned = memory == GSIM_NSYS_PINNED;
        work.is_managed = memory == GSIM_NSYS_MANAGED;
        work.is_peer = copy->is_peer;
        if (t->failed) break;
        if (copy->is_managed) { /* by page faults or prefetches: kernels' recorded durations hold the wait */
            t->records->notes->managed_moves++;
            continue;
        }
        if (copy->is_host) {
            t->records->notes->host_copies++;
            continue;
        }
        t->records->notes->pageable += work.pageable;
        status = add_work(t, &work, &(struct gsim_work_shape){.grid = {1, 1, 1}, .block = {1, 1, 1}}, "memcpy");
    }
    enum gsim_status closed = gsim_table_close(t);
    return status == GSIM_OK ? closed : status;
}

/* A graph that was recorded as a whole (nsys' default): as one kernel of its duration. */
static enum gsim_status read_whole_graphs(struct gsim_table *t)
{
    enum { GRAPH = W_FIRST };
    static const char *const columns[] = {WORK_COLUMNS, "graphId", NULL};
    t->name = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
    t->columns = columns;
    enum gsim_status status = gsim_table_open(t);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_activity work = work_of(t, GSIM_ACTIVITY_KERNEL);
        char name[32];
        snprintf(name, sizeof name, "graph %" PRIu64, gsim_table_whole(t, GRAPH, INT64_MAX));
        if (t->failed) break;
        t->records->notes->whole_graphs++;
        status = add_work(t, &work, &(struct gsim_work_shape){.grid = {1, 1, 1}, .block = {32, 1, 1}}, name);
    }
    enum gsim_status closed = gsim_table_close(t);
    return status == GSIM_OK ? closed : status;
}

static enum gsim_status read_memsets(struct gsim_table *t)
{
    enum { BYTES = W_FIRST };
    static const char *const columns[] = {WORK_COLUMNS, "bytes", NULL};
    t->name = "CUPTI_ACTIVITY_KIND_MEMSET";
    t->columns = columns;
    enum gsim_status status = gsim_table_open(t);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_activity work = work_of(t, GSIM_ACTIVITY_MEMSET);
        work.bytes = gsim_table_whole(t, BYTES, GSIM_LIMIT_BYTES);
        if (t->failed) break;
        status = add_work(t, &work, &(struct gsim_work_shape){.grid = {1, 1, 1}, .block = {1, 1, 1}}, "memset");
    }
    enum gsim_status closed = gsim_table_close(t);
    return status == GSIM_OK ? closed : status;
}

/* --- calls and synchronisation ------------------------------------------------------------------------------------- */
static enum gsim_status read_calls(struct gsim_table *t)
{
    enum { START, END, NAME, TID, CORRELATION };
    static const char *const columns[] = {"start", "end", "nameId", "globalTid", "correlationId", NULL};
    sqlite3_stmt *find = NULL;
    t->name = "CUPTI_ACTIVITY_KIND_RUNTIME";
    t->columns = columns;
    enum gsim_status status = gsim_table_open(t);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_call call = {.start_ns = gsim_table_time(t, START),
                                 .end_ns = gsim_table_time(t, END),
                                 .thread = gsim_table_whole(t, TID, INT64_MAX),
                                 .correlation = gsim_table_whole(t, CORRELATION, INT64_MAX)};
        call.process = process_of(call.thread);
        if (t->failed) break;
        const char *name = string_of(t, &find, NAME);
        call.kind = name ? gsim_records_call_kind(name) : GSIM_CALL_OTHER;
        status = gsim_records_add_call(t->records, &call);
    }
    sqlite3_finalize(find);
    enum gsim_status closed = gsim_table_close(t);
    return status == GSIM_OK ? closed : status;
}

/* Where an event was last recorded before its use: the table of records, ordered, is asked for each wait. */
struct recorded {
    uint64_t event, correlation;
    uint32_t process, stream;
};

struct recorded_list {
    struct recorded *items;
    uint32_t count;
    size_t room;
};

static int compare_recorded(const void *left, const void *right)
{
    const struct recorded *a = left, *b = right;
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    if (a->event != b->event) return a->event < b->event ? -1 : 1;
    return a->correlation < b->correlation ? -1 : a->correlation > b->correlation;
}

static enum gsim_status read_events(struct gsim_table *t, struct recorded_list *list)
{
    enum { DEVICE, CONTEXT, STREAM, CORRELATION, PID, EVENT };
    static const char *const columns[] = {"deviceId",  "contextId", "streamId", "correlationId",
                                          "globalPid", "eventId",   NULL};
    t->name = "CUPTI_ACTIVITY_KIND_CUDA_EVENT";
    t->columns = columns;
    enum gsim_status status = gsim_table_open(t);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct recorded item = {.event = gsim_table_whole(t, EVENT, INT64_MAX),
                                .correlation = gsim_table_whole(t, CORRELATION, INT64_MAX),
                                .process = process_of(gsim_table_whole(t, PID, INT64_MAX))};
        item.stream = stream_of(t, item.process, DEVICE, CONTEXT, STREAM);
        if (t->failed) break;
        void *items = list->items;
        if (gsim_array_grow(&items, sizeof item, list->count, &list->room))
            status = gsim_error_set(t->error, GSIM_NOMEM, "out of memory");
        list->items = items;
        if (status == GSIM_OK) list->items[list->count++] = item;
    }
    if (list->count) qsort(list->items, list->count, sizeof *list->items, compare_recorded);
    enum gsim_status closed = gsim_table_close(t);
    return status == GSIM_OK ? closed : status;
}

/* The latest record of the event by a call before that with CORRELATION (ids ascend in a process). */
static const struct recorded *find_recorded(const struct recorded_list *list, uint32_t process, uint64_t event,
                                            uint64_t correlation)
{
    struct recorded wanted = {.process = process, .event = event, .correlation = correlation};
    uint32_t low = 0, high = list->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_recorded(&list->items[middle], &wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct recorded *found = low ? &list->items[low - 1] : NULL;
    return found && found->process == process && found->event == event ? found : NULL;
}

/* CUPTI's CUpti_ActivitySynchronizationType. */
enum { SYNC_STREAM_WAIT_EVENT = 2, SYNC_STREAM = 3 };

static enum gsim_status read_syncs(struct gsim_table *t, const struct recorded_list *events)
{
    enum { START, DEVICE, CONTEXT, STREAM, CORRELATION, PID, TYPE, EVENT };
    static const char *const columns[] = {"start",     "deviceId", "contextId", "streamId", "correlationId",
                                          "globalPid", "syncType", "eventId",   NULL};
    t->name = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
    t->columns = columns;
    enum gsim_status status = gsim_table_open(t);
    while (status == GSIM_OK && gsim_table_next(t)) {
        uint64_t type = gsim_table_whole(t, TYPE, UINT32_MAX);
        struct gsim_sync sync = {
            .start_ns = gsim_table_time(t, START), .correlation = gsim_table_whole(t, CORRELATION, INT64_MAX), .source = GSIM_NO_STREAM};
        if (t->failed) break;
        if (type != SYNC_STREAM_WAIT_EVENT && type != SYNC_STREAM) continue;
        sync.kind = type == SYNC_STREAM ? GSIM_SYNC_STREAM : GSIM_SYNC_WAIT;
        sync.process = process_of(gsim_table_whole(t, PID, INT64_MAX));
        sync.stream = stream_of(t, sync.process, DEVICE, CONTEXT, STREAM);
        const struct recorded *event =
            sync.kind == GSIM_SYNC_WAIT
                ? find_recorded(events, sync.process, gsim_table_whole(t, EVENT, INT64_MAX), sync.correlation)
                : NULL;
        if (t->failed) break;
        if (event) {
            sync.source = event->stream;
            sync.record = event->correlation;
        }
        status = gsim_records_add_sync(t->records, &sync);
    }
    enum gsim_status closed = gsim_table_close(t);
    return status == GSIM_OK ? closed : status;
}

static enum gsim_status read_gpu(struct gsim_table *t)
{
    enum { NAME, MAJOR, MINOR, SMS, MEMORY };
    static const char *const columns[] = {"name", "computeMajor", "computeMinor", "smCount", "totalMemory", NULL};
    t->name = "TARGET_INFO_GPU";
    t->columns = columns;
    enum gsim_status status = gsim_table_open(t);
    if (status == GSIM_OK && gsim_table_next(t)) {
        const char *name = (const char *)sqlite3_column_text(t->rows, NAME);
        struct gsim_import_notes *notes = t->records->notes;
        snprintf(t->records->gpu, sizeof t->records->gpu, "%.*s", (int)sizeof t->records->gpu - 1, name ? name : "");
        gsim_text_clean(t->records->gpu);
        notes->compute_capability = 10 * (int)gsim_table_whole(t, MAJOR, 99) + (int)gsim_table_whole(t, MINOR, 9);
        notes->sm_count = (double)gsim_table_whole(t, SMS, 1 << 20);
        notes->memory_bytes = (double)gsim_table_whole(t, MEMORY, GSIM_LIMIT_BYTES);
    }
    enum gsim_status closed = gsim_table_close(t);
    return status == GSIM_OK ? closed : status;
}

/* --- the database -------------------------------------------------------------------------------------------------- */
/* By the last row's number, which costs no pass over the tables; what fails counts as empty. */
static uint64_t count_rows(sqlite3 *database)
{
    static const char *const names[] = {"KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE", "RUNTIME", "CUDA_EVENT", "SYNCHRONIZATION"};
    uint64_t total = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[96];
        sqlite3_stmt *last = NULL;
        snprintf(text, sizeof text, "SELECT max(_rowid_) FROM CUPTI_ACTIVITY_KIND_%s", names[i]);
        if (sqlite3_prepare_v2(database, text, -1, &last, NULL) == SQLITE_OK && sqlite3_step(last) == SQLITE_ROW &&
            sqlite3_column_int64(last, 0) > 0)
            total += (uint64_t)sqlite3_column_int64(last, 0);
        sqlite3_finalize(last);
    }
    return total;
}

/* What has to be added to the earliest start so that it is 1; 0 where none is below 0. */
static int64_t find_shift(sqlite3 *database)
{
    static const char *const names[] = {"KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE", "RUNTIME", "SYNCHRONIZATION"};
    int64_t earliest = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[96];
        sqlite3_stmt *first = NULL;
        snprintf(text, sizeof text, "SELECT min(start) FROM CUPTI_ACTIVITY_KIND_%s", names[i]);
        if (sqlite3_prepare_v2(database, text, -1, &first, NULL) == SQLITE_OK && sqlite3_step(first) == SQLITE_ROW &&
            sqlite3_column_int64(first, 0) < earliest)
            earliest = sqlite3_column_int64(first, 0);
        sqlite3_finalize(first);
    }
    return earliest < 0 && earliest >= -(int64_t)GSIM_TABLE_TIME_LIMIT_NS ? 1 - earliest : 0;
}

static enum gsim_status read_tables(sqlite3 *database, struct gsim_records *records)
{
    static enum gsim_status (*const readers[])(struct gsim_table *) = {read_kernels, read_copies, read_memsets, read_whole_graphs, read_calls,
                                                                  read_gpu};
    struct gsim_table_rows rows = {.total = records->options->progress ? count_rows(database) : 0, .shift_ns = find_shift(database)};
    const struct gsim_table blank = {
        .records = records, .error = records->error, .database = database, .rows_of_all = &rows};
    struct recorded_list events = {0};
    struct gsim_table table;
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < sizeof readers / sizeof readers[0] && status == GSIM_OK; i++) {
        table = blank;
        status = readers[i](&table);
    }
    table = blank;
    if (status == GSIM_OK) status = read_events(&table, &events);
    table = blank;
    if (status == GSIM_OK) status = read_syncs(&table, &events);
    gsim_free(events.items);
    return status;
}

enum gsim_status gsim_import_nsys(const char *path, const struct gsim_import_options *options,
                                  struct gsim_program *program, struct gsim_import_notes *notes,
                                  struct gsim_error *error)
{
    struct gsim_records records = {.options = options, .notes = notes, .error = error};
    *notes = (struct gsim_import_notes){0};
    sqlite3 *database = gsim_table_database(path, error);
    if (!database) return error->status;
    enum gsim_status status = read_tables(database, &records);
    if (status == GSIM_OK) status = gsim_records_program(&records, options, program);
    gsim_records_release(&records);
    sqlite3_close(database);
    return status == GSIM_OK ? GSIM_OK : gsim_error_prefix(error, "cannot read '%s'", path);
}
