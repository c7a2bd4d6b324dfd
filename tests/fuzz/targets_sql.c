/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Targets that read SQLite databases. Input that begins with "SQLite format 3" is the file itself. Any other input is
 * taken as a list of edits of a good database, five bytes and a value each: it stays a database, and what is odd about
 * it is what it says.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plots/frame.h"
#include "sweep/query/query.h"
#include "tests/fuzz/targets.h"
#include "traces/import/importers.h"

#define MAX_EDITS 12

static void must(sqlite3 *database, int code)
{
    if (code == SQLITE_OK) return;
    fprintf(stderr, "the good database: %s\n", database ? sqlite3_errmsg(database) : "out of memory");
    exit(2);
}

struct bytes {
    const uint8_t *at, *end;
};

static unsigned next_byte(struct bytes *bytes) { return bytes->at < bytes->end ? *bytes->at++ : 0; }

static void bind_value(struct bytes *bytes, sqlite3_stmt *statement)
{
    static const int64_t numbers[] = {0, 1, -1, 2, 1000, INT32_MAX, UINT32_MAX, INT64_MAX, INT64_MIN, 1ll << 53};
    unsigned kind = next_byte(bytes), length = next_byte(bytes) % 24;
    if (length > (size_t)(bytes->end - bytes->at)) length = (unsigned)(bytes->end - bytes->at);
    const char *text = (const char *)bytes->at;
    int64_t number = 0;
    memcpy(&number, text, length < 8 ? length : 8);
    bytes->at += length;
    switch (kind % 6) {
    case 0:
        sqlite3_bind_null(statement, 1);
        break;
    case 1:
        sqlite3_bind_int64(statement, 1, number);
        break;
    case 2:
        sqlite3_bind_int64(statement, 1, numbers[(uint64_t)number % (sizeof numbers / sizeof numbers[0])]);
        break;
    case 3:
        sqlite3_bind_double(statement, 1, (double)number * 1e3);
        break;
    case 4:
        sqlite3_bind_text(statement, 1, text, (int)length, SQLITE_TRANSIENT);
        break;
    default:
        sqlite3_bind_blob(statement, 1, text, (int)length, SQLITE_TRANSIENT);
    }
}

/* The tables of a good database and their columns: looked up once, as that takes longer than what is fuzzed. */
#define MAX_NAMES 256

struct good {
    const uint8_t *image;
    size_t size;
    struct {
        char table[48], column[48];
    } names[MAX_NAMES];
    unsigned name_count;
};

static void find_names(sqlite3 *database, struct good *good)
{
    static const char sql[] = "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = "
                              "'table' ORDER BY 1, c.cid";
    sqlite3_stmt *rows = NULL;
    must(database, sqlite3_prepare_v2(database, sql, -1, &rows, NULL));
    while (good->name_count < MAX_NAMES && sqlite3_step(rows) == SQLITE_ROW) {
        snprintf(good->names[good->name_count].table, 48, "%s", (const char *)sqlite3_column_text(rows, 0));
        snprintf(good->names[good->name_count++].column, 48, "%s", (const char *)sqlite3_column_text(rows, 1));
    }
    sqlite3_finalize(rows);
}

static void edit_once(sqlite3 *database, const struct good *good, struct bytes *bytes)
{
    static const char *const edits[] = {
        "UPDATE \"%s\" SET \"%s\" = ?1 WHERE _rowid_ = %u",
        "UPDATE \"%s\" SET \"%s\" = ?1 WHERE _rowid_ >= %u",
        "INSERT INTO \"%s\" (\"%s\") SELECT ?1 WHERE %u",
        "DELETE FROM \"%s\" WHERE \"%s\" = ?1 OR _rowid_ = %u",
        "ALTER TABLE \"%s\" DROP COLUMN \"%s\" /* %u */",
        "ALTER TABLE \"%s\" RENAME COLUMN \"%s\" TO other%u",
        "DROP TABLE \"%s\" /* %s %u */",
    };
    char sql[256];
    unsigned kind = next_byte(bytes) % (sizeof edits / sizeof edits[0]), which = next_byte(bytes) % good->name_count;
    const char *table = good->names[which].table, *column = good->names[which].column;
    sqlite3_stmt *statement = NULL;
    snprintf(sql, sizeof sql, edits[kind], table, column, next_byte(bytes) % 8);
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK) {
        bind_value(bytes, statement);
        (void)sqlite3_step(statement);
    } else {
        (void)next_byte(bytes);
    }
    sqlite3_finalize(statement);
}

/* DATA as a file, or the GOOD database after the edits that DATA asks for. */
static const char *edited(const uint8_t *data, size_t size, const struct good *good)
{
    static const char magic[] = "SQLite format 3";
    bool is_file = size > sizeof magic && memcmp(data, magic, sizeof magic) == 0;
    const char *path = gsim_fuzz_file(is_file ? data : good->image, is_file ? size : good->size, ".sqlite");
    if (is_file) return path;
    struct bytes bytes = {data, data + size};
    sqlite3 *database = NULL;
    must(database, sqlite3_open(path, &database));
    must(database,
         sqlite3_exec(database,
                      "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN",
                      NULL, NULL, NULL));
    for (int i = 0; i < MAX_EDITS && bytes.at < bytes.end; i++) edit_once(database, good, &bytes);
    (void)sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(database);
    return path;
}

/* SQLite is no code of ours, and most of an execution: its memory comes from C's allocator past the sanitizers. A head
 * has the size. */
void *__libc_malloc(size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *memory);
#define HEAD_BYTES 16

static void *with_size(int *memory, int size) { return memory ? (*memory = size, (char *)memory + HEAD_BYTES) : NULL; }
static int size_of(void *memory) { return *(int *)(void *)((char *)memory - HEAD_BYTES); }
static void *take(int size) { return with_size(__libc_malloc((size_t)size + HEAD_BYTES), size); }
static void *take_again(void *old, int size)
{
    return with_size(__libc_realloc((char *)old - HEAD_BYTES, (size_t)size + HEAD_BYTES), size);
}
static void give(void *memory) { __libc_free((char *)memory - HEAD_BYTES); }
static int round_up(int size) { return (size + 15) & ~15; }
static int begin(void *context) { return (void)context, SQLITE_OK; }
static void end(void *context) { (void)context; }

/* The bytes of a database that SQL makes; kept for the life of the process. */
static void make(const char *sql, struct good *good)
{
    sqlite3 *database = NULL;
    sqlite3_int64 length = 0;
    static const sqlite3_mem_methods methods = {take, give, take_again, size_of, round_up, begin, end, NULL};
    (void)sqlite3_config(SQLITE_CONFIG_MALLOC, &methods); /* refused where SQLite is at work already */
    must(database, sqlite3_open(":memory:", &database));
    must(database, sqlite3_exec(database, sql, NULL, NULL, NULL));
    good->image = sqlite3_serialize(database, "main", &length, 0);
    if (!good->image) must(database, SQLITE_NOMEM);
    good->size = (size_t)length;
    find_names(database, good);
    sqlite3_close(database);
}

/* --- Nsight Systems' ---------------------------------------------------------------------------------------------- */
#define PID "281474993487872"
#define TID "281474993487873"
static const char nsys_sql[] =
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);"
    "INSERT INTO StringIds VALUES (1, 'a<int>'), (2, 'c'), (10, 'cudaLaunchKernel_v7000'), (11, "
    "'cudaMemcpyAsync_v3020'),"
    " (12, 'cudaStreamWaitEvent_v3020'), (13, 'cudaEventRecord_v3020'), (14, 'cudaStreamSynchronize_v3020');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, nameId INT, globalTid INT, correlationId INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10000, 12000, 10, " TID ", 1), (13000, 13200, 13, " TID ", 2),"
    " (14000, 16000, 10, " TID ", 3), (20000, 20200, 12, " TID ", 4), (24000, 26000, 10, " TID ", 5),"
    " (30000, 172000, 14, " TID ", 6), (180000, 182000, 11, " TID ", 7);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, streamId INT,"
    " correlationId INT, globalPid INT, demangledName INT, registersPerThread INT, gridX INT, gridY INT, gridZ INT,"
    " blockX INT, blockY INT, blockZ INT, staticSharedMemory INT, dynamicSharedMemory INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
    " (15000, 115000, 0, 1, 7, 1, " PID ", 1, 32, 8, 2, 1, 128, 1, 1, 1000, 24),"
    " (120000, 220000, 0, 1, 7, 3, " PID ", 1, 32, 8, 2, 1, 128, 1, 1, 1000, 24),"
    " (120000, 170000, 0, 1, 8, 5, " PID ", 2, 32, 8, 2, 1, 128, 1, 1, 1000, 24);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, contextId INT, streamId INT,"
    " correlationId INT, globalPid INT, bytes INT, copyKind INT, srcKind INT, dstKind INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (185000, 190000, 0, 1, 8, 7, " PID ", 4096, 2, 3, 2);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT, end INT, deviceId INT, contextId INT, streamId INT,"
    " correlationId INT, globalPid INT, bytes INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (191000, 192000, 0, 1, 8, 8, " PID ", 4096);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INT, contextId INT, streamId INT, correlationId INT,"
    " globalPid INT, eventId INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 1, 7, 2, " PID ", 3);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INT, end INT, deviceId INT, contextId INT, streamId INT,"
    " correlationId INT, globalPid INT, syncType INT, eventId INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (20000, 20200, 0, 1, 8, 4, " PID ", 2, 3),"
    " (30000, 172000, 0, 1, 8, 6, " PID ", 3, 0);"
    "CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT, computeMajor INT, computeMinor INT, smCount INT, totalMemory "
    "INT);"
    "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H200', 9, 0, 132, 150000000000)";

static void import_edited(const struct gsim_importer *importer, const uint8_t *data, size_t size, const char *sql,
                          struct good *good)
{
    struct gsim_program program = {0};
    struct gsim_import_notes notes;
    struct gsim_import_times times = {0};
    struct gsim_error error = {0};
    struct gsim_import_options options = {.name = "fuzz", .gaps = true, .last = UINT32_MAX, .times = &times};
    if (!good->image) make(sql, good);
    if (importer->read(edited(data, size, good), &options, &program, &notes, &error) == GSIM_OK)
        gsim_program_release(&program);
    gsim_import_times_release(&times);
}

void gsim_fuzz_nsys(const uint8_t *data, size_t size)
{
    static struct good good;
    import_edited(gsim_importer_find("nsys"), data, size, nsys_sql, &good);
}

/* --- nvprof's --- */
static const char nvprof_sql[] =
    "CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringTable VALUES (1, "
    "'scale(float*, int)'), (2, 'Tesla V100');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (_id_ INTEGER PRIMARY KEY, cbid INT, start INT, end INT, processId INT, "
    "threadId INT,"
    " correlationId INT, returnValue INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 211, 10000, 16000, 55, 66, 1, 0), (2, 211, 20000, 26000, 55, "
    "66, 2, 0),"
    " (3, 41, 30000, 36000, 55, 66, 3, 0), (4, 131, 40000, 90000, 55, 66, 4, 0);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_DRIVER (_id_ INTEGER PRIMARY KEY, cbid INT, start INT, end INT, processId INT, "
    "threadId INT,"
    " correlationId INT, returnValue INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (_id_ INTEGER PRIMARY KEY, registersPerThread INT, start INT, "
    "end INT, completed INT,"
    " deviceId INT, contextId INT, streamId INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT, "
    "staticSharedMemory INT,"
    " dynamicSharedMemory INT, correlationId INT, gridId INT, name INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL VALUES (1, 32, 19000, 29000, 0, 0, 1, 7, 64, 1, 1, 256, 1, 1, "
    "0, 0, 1, 1, 1),"
    " (2, 32, 31000, 39000, 0, 0, 1, 8, 64, 1, 1, 256, 1, 1, 0, 0, 2, 2, 1);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (_id_ INTEGER PRIMARY KEY, copyKind INT, srcKind INT, dstKind INT, flags "
    "INT, bytes INT, start INT,"
    " end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, runtimeCorrelationId INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 2, 3, 2, 0, 4000000, 41000, 49000, 0, 1, 7, 3, 0);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (_id_ INTEGER PRIMARY KEY, bytes INT, start INT, end INT, deviceId INT, "
    "contextId INT, streamId INT,"
    " correlationId INT); INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (1, 64, 50000, 51000, 0, 1, 7, 5);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER (_id_ INTEGER PRIMARY KEY, counterKind INT, value INT, "
    "start INT, end INT, srcId INT,"
    " dstId INT, streamId INT, processId INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER VALUES (1, 1, 65536, 52000, 53000, 0, 1, 7, 55);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (_id_ INTEGER PRIMARY KEY, correlationId INT, contextId INT, streamId "
    "INT, eventId INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (1, 6, 1, 7, 3);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (_id_ INTEGER PRIMARY KEY, type INT, start INT, end INT, "
    "correlationId INT, contextId INT,"
    " streamId INT, eventId INT); INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (1, 3, 54000, 55000, 4, 1, 7, "
    "0);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_DEVICE (_id_ INTEGER PRIMARY KEY, name INT, computeCapabilityMajor INT, "
    "computeCapabilityMinor INT,"
    " numMultiprocessors INT, globalMemorySize INT); INSERT INTO CUPTI_ACTIVITY_KIND_DEVICE VALUES (1, 2, 7, 0, 80, "
    "17000000000)";

void gsim_fuzz_nvprof(const uint8_t *data, size_t size)
{
    static struct good good;
    import_edited(gsim_importer_find("nvprof"), data, size, nvprof_sql, &good);
}

/* --- results of sweeps -------------------------------------------------------------------------------------------- */
static const char results_sql[] =
    "CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
    "INSERT INTO meta VALUES('schema', '" GSIM_STORE_SCHEMA "');"
    "CREATE TABLE sweeps(id INTEGER PRIMARY KEY, name TEXT, command TEXT, spec TEXT, version TEXT, model TEXT,"
    " points INTEGER, shard TEXT);"
    "INSERT INTO sweeps VALUES (1, 'n', 'c', '{}', '1', 'm', 3, NULL);"
    "CREATE TABLE points(id INTEGER PRIMARY KEY"
#define X(name, type, unit, help) ", " #name " " #type
#include "sweep/columns.def"
#undef X
    ");"
    "CREATE UNIQUE INDEX points_key ON points(key);"
    "INSERT INTO points (key, sweep, position, axes, options, workload, scheduler, status, iteration_us, model) VALUES"
    " ('1', 1, 0, '{\"workload\":\"vec\",\"sched\":\"serial\",\"size\":1}', '{\"memory\":\"managed\"}', 'vec', "
    "'serial',"
    " 'ok', 100, 'm'),"
    " ('2', 1, 1, '{\"workload\":\"vec\",\"sched\":\"kesco\",\"size\":1,\"kesco.streams\":2}', '{}', 'vec', 'kesco', "
    "'ok',"
    " 50, 'm'),"
    " ('3', 1, 2, '{\"workload\":\"vec\",\"sched\":\"kesco\",\"size\":2}', '{}', 'vec', 'kesco', 'failed', NULL, 'm');"
    "PRAGMA application_id = 1735423347; PRAGMA user_version = 2";

void gsim_fuzz_results(const uint8_t *data, size_t size)
{
    static struct good good;
    struct gsim_store *store = NULL;
    struct gsim_selected answer = {0};
    struct gsim_frame frame = {0};
    struct gsim_error error = {0};
    static const char *const conditions[] = {"size >= 1 and sched != x"}, *const columns[] = {"sched", "kesco.streams"};
    const struct gsim_query query = {.conditions = conditions, .condition_count = 1, .columns = columns,
                                     .column_count = 2, .base_name = "sched", .base_value = "serial",
                                     .is_grouped = size % 2 == 0};
    if (!good.image) make(results_sql, &good);
    const char *path = edited(data, size, &good);
    if (gsim_store_open(path, GSIM_STORE_READ, &store, &error) == GSIM_OK)
        (void)!gsim_query_run(store, &query, &answer, &error);
    gsim_selected_release(&answer);
    gsim_store_close(store);
    (void)!gsim_frame_read_db(&frame, path, &error);
    gsim_frame_release(&frame);
}
