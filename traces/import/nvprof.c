/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nvprof's database (nvprof -o FILE; .nvvp, .nvprof) into records: CUPTI's activity records as tables, names in StringTable, calls by
 * number (cupti_runtime_cbid.h). Kernels are in CONCURRENT_KERNEL, or in KERNEL where they were recorded one at a time.
 */
#include "traces/import/nvprof.h"

#include <string.h>

#include "gpusim/limits.h"
#include "traces/import/table.h"

enum { W_START, W_END, W_DEVICE, W_CONTEXT, W_STREAM, W_CORRELATION, W_FIRST };
#define WORK_COLUMNS "start", "end", "deviceId", "contextId", "streamId", "correlationId"

static struct gsim_activity work_of(struct gsim_table *t, enum gsim_activity_kind kind)
{
    struct gsim_activity work = {.kind = (uint8_t)kind};
    work.start_ns = gsim_table_time(t, W_START);
    work.end_ns = gsim_table_time(t, W_END);
    if (work.end_ns - work.start_ns > GSIM_TABLE_DURATION_LIMIT_NS) gsim_table_wrong(t, W_END, "an end within 11 days of the start");
    work.correlation = gsim_table_whole(t, W_CORRELATION, INT64_MAX);
    struct gsim_stream_key key = {.device = gsim_table_whole32(t, W_DEVICE, UINT32_MAX),
                                  .context = gsim_table_whole32(t, W_CONTEXT, UINT32_MAX),
                                  .number = gsim_table_whole32(t, W_STREAM, UINT32_MAX)};
    key.gpu = key.device;
    if (!t->failed && gsim_records_stream(t->records, &key, &work.stream) != GSIM_OK) t->failed = true;
    return work;
}

static enum gsim_status add_work(struct gsim_table *t, struct gsim_activity *work, struct gsim_work_shape *shape, const char *name)
{
    enum gsim_status status = gsim_records_name(t->records, name, &shape->name);
    if (status == GSIM_OK) status = gsim_records_shape(t->records, shape, &work->shape);
    return status == GSIM_OK ? gsim_records_add_work(t->records, work) : status;
}

/* The text of StringTable, or "unnamed". FIND is a prepared statement, kept for the next. */
static const char *name_of(struct gsim_table *t, sqlite3_stmt **find, int column)
{
    if (!*find && sqlite3_prepare_v2(t->database, "SELECT value FROM StringTable WHERE _id_ = ?1", -1, find, NULL) != SQLITE_OK)
        return "unnamed";
    sqlite3_reset(*find);
    sqlite3_bind_int64(*find, 1, sqlite3_column_int64(t->rows, column));
    const char *text = sqlite3_step(*find) == SQLITE_ROW ? (const char *)sqlite3_column_text(*find, 0) : NULL;
    return text ? text : "unnamed";
}

static enum gsim_status read_kernels(struct gsim_table *t, const char *table)
{
    enum { NAME = W_FIRST, REGS, GRID_X, GRID_Y, GRID_Z, BLOCK_X, BLOCK_Y, BLOCK_Z, STATIC, DYNAMIC };
    static const char *const columns[] = {WORK_COLUMNS, "name",   "registersPerThread", "gridX", "gridY", "gridZ", "blockX", "blockY",
                                          "blockZ",     "staticSharedMemory", "dynamicSharedMemory", NULL};
    sqlite3_stmt *find = NULL;
    t->name = table;
    t->columns = columns;
    enum gsim_status status = gsim_table_open(t);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_activity work = work_of(t, GSIM_ACTIVITY_KERNEL);
        struct gsim_work_shape shape = {
            .grid = {gsim_table_size(t, GRID_X, GSIM_LIMIT_GRID_X), gsim_table_size(t, GRID_Y, GSIM_LIMIT_GRID_YZ),
                     gsim_table_size(t, GRID_Z, GSIM_LIMIT_GRID_YZ)},
            .block = {gsim_table_size(t, BLOCK_X, GSIM_LIMIT_BLOCK_XY), gsim_table_size(t, BLOCK_Y, GSIM_LIMIT_BLOCK_XY),
                      gsim_table_size(t, BLOCK_Z, GSIM_LIMIT_BLOCK_Z)},
            .regs_per_thread = gsim_table_whole32(t, REGS, GSIM_LIMIT_REGS),
            .smem_bytes = gsim_table_whole32(t, STATIC, GSIM_LIMIT_SMEM_BYTES / 2) + gsim_table_whole32(t, DYNAMIC, GSIM_LIMIT_SMEM_BYTES / 2),
        };
        if (t->failed) break;
        status = add_work(t, &work, &shape, name_of(t, &find, NAME));
    }
    sqlite3_finalize(find);
    enum gsim_status closed = gsim_table_close(t);
    return status == GSIM_OK ? closed : status;
}

static enum gsim_status read_concurrent(struct gsim_table *t) { return read_kernels(t, "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL"); }
static enum gsim_status read_serial(struct gsim_table *t) { return read_kernels(t, "CUPTI_ACTIVITY_KIND_KERNEL"); }

/* CUpti_ActivityMemcpyKind, CUpti_ActivityMemoryKind. */
enum { KIND_H2D = 1, KIND_D2H = 2, KIND_H2A = 3, KIND_A2H = 4, KIND_H2H = 9, KIND_P2P = 10, MEMORY_PAGEABLE = 1, MEMORY_PINNED = 2, MEMORY_MANAGED = 5 };

static enum gsim_status read_copies(struct gsim_table *t)
{
    enum { BYTES = W_FIRST, KIND, SOURCE, DESTINATION };
    static const char *const columns[] = {WORK_COLUMNS, "bytes", "copyKind", "srcKind", "dstKind", NULL};
    t->name = "CUPTI_ACTIVITY_KIND_MEMCPY";
    t->columns = columns;
    enum gsim_status status = gsim_table_open(t);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_activity work = work_of(t, GSIM_ACTIVITY_COPY);
        work.bytes = gsim_table_whole(t, BYTES, GSIM_LIMIT_BYTES);
        uint32_t kind = gsim_table_whole32(t, KIND, UINT32_MAX);
        work.copy_kind = kind == KIND_H2D || kind == KIND_H2A   ? GSIM_COPY_H2D
                         : kind == KIND_D2H || kind == KIND_A2H ? GSIM_COPY_D2H
                                                                : GSIM_COPY_D2D;
        uint32_t host = gsim_table_whole32(t, work.copy_kind == GSIM_COPY_H2D ? SOURCE : DESTINATION, UINT32_MAX);
        work.pageable = host == MEMORY_PAGEABLE && work.copy_kind != GSIM_COPY_D2D;
        work.pinned = host == MEMORY_PINNED;
        work.is_managed = host == MEMORY_MANAGED;
        work.is_peer = kind == KIND_P2P;
        if (t->failed) break;
        if (kind == KIND_H2H) {
            t->records->notes->host_copies++;
            continue;
        }
        t->records->notes->pageable += work.pageable;
        status = add_work(t, &work, &(struct gsim_work_shape){.grid = {1, 1, 1}, .block = {1, 1, 1}}, "memcpy");
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

/* Of CUDA's runtime. Of all others a call makes work where a record carries its correlation id. */
static const char *runtime_name(uint64_t number)
{
    static const struct {
        uint64_t number;
        const char *name;
    } known[] = {
        {13, "cudaLaunch"},
        {20, "cudaMalloc"},
        {22, "cudaFree"},
        {31, "cudaMemcpy"},
        {41, "cudaMemcpyAsync"},
        {126, "cudaThreadSynchronize"},
        {129, "cudaStreamCreate"},
        {130, "cudaStreamDestroy"},
        {131, "cudaStreamSynchronize"},
        {132, "cudaStreamQuery"},
        {133, "cudaEventCreate"},
        {134, "cudaEventCreateWithFlags"},
        {135, "cudaEventRecord"},
        {136, "cudaEventDestroy"},
        {137, "cudaEventSynchronize"},
        {138, "cudaEventQuery"},
        {139, "cudaEventElapsedTime"},
        {147, "cudaStreamWaitEvent"},
        {165, "cudaDeviceSynchronize"},
        {211, "cudaLaunchKernel"},
        {214, "cudaLaunchKernel"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].number == number) return known[i].name;
    return "";
}

static enum gsim_status read_calls(struct gsim_table *t, const char *table, bool is_runtime)
{
    enum { START, END, CBID, PROCESS, THREAD, CORRELATION };
    static const char *const columns[] = {"start", "end", "cbid", "processId", "threadId", "correlationId", NULL};
    t->name = table;
    t->columns = columns;
    enum gsim_status status = gsim_table_open(t);
    while (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_call call = {.start_ns = gsim_table_time(t, START),
                                 .end_ns = gsim_table_time(t, END),
                                 .thread = (uint64_t)sqlite3_column_int64(t->rows, THREAD),
                                 .correlation = gsim_table_whole(t, CORRELATION, INT64_MAX)};
        uint64_t number = gsim_table_whole(t, CBID, INT64_MAX);
        if (t->failed) break;
        call.kind = is_runtime ? gsim_records_call_kind(runtime_name(number)) : GSIM_CALL_OTHER;
        status = gsim_records_add_call(t->records, &call);
    }
    enum gsim_status closed = gsim_table_close(t);
    return status == GSIM_OK ? closed : status;
}

static enum gsim_status read_runtime(struct gsim_table *t) { return read_calls(t, "CUPTI_ACTIVITY_KIND_RUNTIME", true); }
static enum gsim_status read_driver(struct gsim_table *t) { return read_calls(t, "CUPTI_ACTIVITY_KIND_DRIVER", false); }

static enum gsim_status read_gpu(struct gsim_table *t)
{
    enum { NAME, MAJOR, MINOR, SMS, MEMORY };
    static const char *const columns[] = {"name", "computeCapabilityMajor", "computeCapabilityMinor", "numMultiprocessors",
                                          "globalMemorySize", NULL};
    sqlite3_stmt *find = NULL;
    t->name = "CUPTI_ACTIVITY_KIND_DEVICE";
    t->columns = columns;
    enum gsim_status status = gsim_table_open(t);
    if (status == GSIM_OK && gsim_table_next(t)) {
        struct gsim_import_notes *notes = t->records->notes;
        const char *name = sqlite3_column_type(t->rows, NAME) == SQLITE_INTEGER ? name_of(t, &find, NAME)
                                                                               : (const char *)sqlite3_column_text(t->rows, NAME);
        snprintf(t->records->gpu, sizeof t->records->gpu, "%.*s", (int)sizeof t->records->gpu - 1, name ? name : "");
        notes->compute_capability = 10 * (int)gsim_table_whole(t, MAJOR, 99) + (int)gsim_table_whole(t, MINOR, 9);
        notes->sm_count = (double)gsim_table_whole(t, SMS, 1 << 20);
        notes->memory_bytes = (double)gsim_table_whole(t, MEMORY, GSIM_LIMIT_BYTES);
    }
    sqlite3_finalize(find);
    enum gsim_status closed = gsim_table_close(t);
    return status == GSIM_OK ? closed : status;
}

enum gsim_status gsim_import_nvprof(const char *path, const struct gsim_import_options *options, struct gsim_program *program,
                                    struct gsim_import_notes *notes, struct gsim_error *error)
{
    static enum gsim_status (*const readers[])(struct gsim_table *) = {read_concurrent, read_serial, read_copies, read_memsets,
                                                                       read_runtime,    read_driver, read_gpu};
    struct gsim_records records = {.options = options, .notes = notes, .error = error};
    struct gsim_table_rows rows = {0};
    *notes = (struct gsim_import_notes){0};
    sqlite3 *database = gsim_table_database(path, error);
    if (!database) return error->status;
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < sizeof readers / sizeof readers[0] && status == GSIM_OK; i++) {
        struct gsim_table table = {.records = &records, .error = error, .database = database, .rows_of_all = &rows};
        status = readers[i](&table);
    }
    if (status == GSIM_OK) status = gsim_records_program(&records, options, program);
    gsim_records_release(&records);
    sqlite3_close(database);
    return status == GSIM_OK ? GSIM_OK : gsim_error_prefix(error, "cannot read '%s'", path);
}
