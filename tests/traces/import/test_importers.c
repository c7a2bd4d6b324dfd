/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profilers' databases of other versions: each is a case of tests/traces/import/cases, changed by SQL into what another
 * version of the profiler writes. What is expected is counted by SQL in the database itself, or is the case's own.
 */
#include <sqlite3.h>

#include "tests/traces/import/import_fixture.h"
#include "traces/import/importers.h"

#define CASES GPUSIM_SOURCE_DIR "/tests/traces/import/cases/"

/* A copy of the case at PATH. */
static void copy_case(const char *name, const char *path)
{
    static char bytes[1 << 20];
    char from[256];
    snprintf(from, sizeof from, CASES "%s", name);
    FILE *file = fopen(from, "rb");
    size_t length = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) fclose(file);
    CHECK_MSG(length > 0 && length < sizeof bytes, "%s: %zu bytes", from, length);
    write_bytes(path, bytes, length);
}

static void change(const char *path, const char *sql)
{
    sqlite3 *database = NULL;
    char *message = NULL;
    CHECK_INT(sqlite3_open(path, &database), SQLITE_OK);
    CHECK_MSG(sqlite3_exec(database, sql, NULL, NULL, &message) == SQLITE_OK, "%s: %s", sql, message ? message : "");
    sqlite3_free(message);
    sqlite3_close(database);
}

static uint64_t count(const char *path, const char *sql)
{
    sqlite3 *database = NULL;
    sqlite3_stmt *row = NULL;
    CHECK_INT(sqlite3_open(path, &database), SQLITE_OK);
    CHECK_MSG(sqlite3_prepare_v2(database, sql, -1, &row, NULL) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW,
              "%s: %s", sql, sqlite3_errmsg(database));
    uint64_t value = (uint64_t)sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(database);
    return value;
}

/* Imports the database by its own content. */
static void import(const char *path, const char *format, struct imported *i)
{
    const struct gsim_importer *importer = gsim_importer_of(path, NULL, &i->error);
    CHECK_MSG(importer != NULL, "%s", i->error.message);
    if (!importer) return;
    CHECK_STR(importer->name, format);
    CHECK_OK(importer->read(path, &plain, &i->program, &i->notes, &i->error), i->error);
}

/* --- each case, and what other versions make of it --- */
#define K "CUPTI_ACTIVITY_KIND_"

static const struct {
    const char *file, *format, *change;
    uint64_t kernels, copies, pageable, managed_moves, whole_graphs, lost_calls;
} variants[] = {
    {"20_nsys_plain.sqlite", "nsys", "", 20, 0, 0, 0, 0, 0},
    /* kinds of memory: the file's own numbers; names or labels alone; no table */
    {"01_nsys_pinned_copies.sqlite", "nsys", "", 1, 5, 0, 0, 0, 0},
    {"01_nsys_pinned_copies.sqlite", "nsys", "DROP TABLE ENUM_CUDA_MEM_KIND", 1, 5, 0, 0, 0, 0},
    {"01_nsys_pageable_copies.sqlite", "nsys", "", 1, 5, 5, 0, 0, 0},
    {"01_nsys_pageable_copies.sqlite", "nsys", "DROP TABLE ENUM_CUDA_MEM_KIND", 1, 5, 5, 0, 0, 0},
    {"01_nsys_pageable_copies.sqlite", "nsys", "UPDATE ENUM_CUDA_MEM_KIND SET name = NULL", 1, 5, 5, 0, 0, 0},
    {"01_nsys_pageable_copies.sqlite", "nsys",
     "UPDATE ENUM_CUDA_MEM_KIND SET id = id + 11; UPDATE " K
     "MEMCPY SET srcKind = srcKind + 11, dstKind = dstKind + 11",
     1, 5, 5, 0, 0, 0},
    {"01_nsys_pinned_copies.sqlite", "nsys",
     "UPDATE ENUM_CUDA_MEM_KIND SET id = 1 - id WHERE id < 2; UPDATE " K
     "MEMCPY SET srcKind = 1 - srcKind WHERE srcKind < 2; "
     "UPDATE " K "MEMCPY SET dstKind = 1 - dstKind WHERE dstKind < 2",
     1, 5, 0, 0, 0, 0},
    /* to the host */
    {"01_nsys_pageable_copies.sqlite", "nsys", "UPDATE " K "MEMCPY SET copyKind = 2, srcKind = 2, dstKind = 0", 1, 5, 5,
     0, 0, 0},
    {"01_nsys_pageable_copies.sqlite", "nsys", "UPDATE " K "MEMCPY SET copyKind = 2, srcKind = 2, dstKind = 1", 1, 5, 0,
     0, 0, 0},
    /* on the device nothing is pageable, whatever the numbers */
    {"01_nsys_pageable_copies.sqlite", "nsys", "UPDATE " K "MEMCPY SET copyKind = 8, srcKind = 2, dstKind = 2", 1, 5, 0,
     0, 0, 0},
    /* the kind is not said: by what is copied from where */
    {"01_nsys_pageable_copies.sqlite", "nsys", "UPDATE " K "MEMCPY SET copyKind = 0", 1, 5, 5, 0, 0, 0},
    {"01_nsys_pageable_copies.sqlite", "nsys", "ALTER TABLE " K "MEMCPY DROP COLUMN copyKind", 1, 5, 5, 0, 0, 0},
    {"01_nsys_pageable_copies.sqlite", "nsys",
     "ALTER TABLE " K "MEMCPY DROP COLUMN srcKind; ALTER TABLE " K "MEMCPY DROP COLUMN dstKind", 1, 5, 0, 0, 0, 0},
    /* within host memory */
    {"01_nsys_pageable_copies.sqlite", "nsys", "UPDATE " K "MEMCPY SET copyKind = 9 WHERE correlationId = 1", 1, 4, 4,
     0, 0, 0},
    /* graphs as a whole, in versions without some columns */
    {"07_nsys_only_whole_graphs.sqlite", "nsys", "", 10, 0, 0, 0, 10, 0},
    {"07_nsys_only_whole_graphs.sqlite", "nsys", "ALTER TABLE " K "GRAPH_TRACE DROP COLUMN greenContextId", 10, 0, 0, 0,
     10, 0},
    {"07_nsys_only_whole_graphs.sqlite", "nsys", "UPDATE " K "GRAPH_TRACE SET streamId = 7 + correlationId % 3", 10, 0,
     0, 0, 10, 0},
    {"07_nsys_whole_graphs_and_kernels.sqlite", "nsys", "", 20, 0, 0, 0, 10, 0},
    {"07_nsys_whole_graphs_and_kernels.sqlite", "nsys",
     "DELETE FROM " K "GRAPH_TRACE WHERE graphId = 3 AND start > 2000000", 11, 0, 0, 0, 1, 0},
    /* managed memory, by number or by name */
    {"10_nsys_managed_memory_moves.sqlite", "nsys", "", 1, 0, 0, 25, 0, 0},
    {"10_nsys_managed_memory_moves.sqlite", "nsys", "UPDATE " K "MEMCPY SET copyKind = 13 WHERE copyKind = 12", 1, 0, 0,
     25, 0, 0},
    {"10_nsys_managed_memory_moves.sqlite", "nsys",
     "CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INT, name TEXT, label TEXT); INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES "
     "(1, 'HTOD', 'Host-to-Device'), (21, NULL, 'Unified Host-to-Device'), (22, NULL, 'Unified Device-to-Host'); "
     "UPDATE " K "MEMCPY SET copyKind = copyKind + 10",
     1, 0, 0, 25, 0, 0},
    {"10_nsys_managed_memory_moves.sqlite", "nsys",
     "UPDATE " K "MEMCPY SET copyKind = 1, srcKind = 0 WHERE copyKind = 12", 1, 5, 5, 20, 0, 5},
    /* calls before the recording began, and works */
    {"23_nsys_call_before_time_zero.sqlite", "nsys", "", 10, 0, 0, 0, 0, 0},
    {"23_nsys_call_before_time_zero.sqlite", "nsys",
     "UPDATE " K "RUNTIME SET start = start - 5000000, end = end - 5000000; UPDATE " K
     "KERNEL SET start = start - 5000000, end = end - "
     "5000000",
     10, 0, 0, 0, 0, 0},
    /* exports of 2020: columns that were not there yet */
    {"20_nsys_plain.sqlite", "nsys",
     "ALTER TABLE " K "KERNEL DROP COLUMN graphNodeId; ALTER TABLE " K "KERNEL DROP COLUMN greenContextId", 20, 0, 0, 0,
     0, 0},
    {"20_nsys_plain.sqlite", "nsys", "ALTER TABLE " K "KERNEL DROP COLUMN globalPid; DROP TABLE " K "MEMCPY", 20, 0, 0,
     0, 0, 0},
    {"20_nsys_plain.sqlite", "nsys", "ALTER TABLE " K "KERNEL DROP COLUMN deviceId; DROP TABLE ENUM_CUDA_MEM_KIND", 20,
     0, 0, 0, 0, 0},
    {"20_nsys_plain.sqlite", "nsys", "DROP TABLE StringIds", 20, 0, 0, 0, 0, 0},
    {"20_nsys_plain.sqlite", "nsys",
     "DROP TABLE TARGET_INFO_GPU; DROP TABLE " K "MEMCPY; DROP TABLE ENUM_CUDA_MEM_KIND", 20, 0, 0, 0, 0, 0},
    {"20_nsys_plain.sqlite", "nsys", "DROP TABLE " K "RUNTIME", 20, 0, 0, 0, 0, 20},
    {"20_nsys_plain.sqlite", "nsys",
     "UPDATE " K "KERNEL SET gridX = NULL, gridY = NULL, gridZ = NULL WHERE correlationId <= 5", 20, 0, 0, 0, 0, 0},
    /* nvprof */
    {"06_nvprof.nvvp", "nvprof", "", 12, 2, 0, 0, 0, 0},
    {"06_nvprof.nvvp", "nvprof", "DROP TABLE " K "KERNEL; ALTER TABLE " K "CONCURRENT_KERNEL RENAME TO " K "KERNEL", 12,
     2, 0, 0, 0, 0},
    {"06_nvprof.nvvp", "nvprof", "DROP TABLE StringTable", 12, 2, 0, 0, 0, 0},
    {"06_nvprof.nvvp", "nvprof", "UPDATE " K "MEMCPY SET dstKind = 1", 12, 2, 2, 0, 0, 0},
    {"06_nvprof.nvvp", "nvprof", "UPDATE " K "MEMCPY SET copyKind = 1, srcKind = 1, dstKind = 3", 12, 2, 2, 0, 0, 0},
    {"06_nvprof.nvvp", "nvprof", "UPDATE " K "MEMCPY SET copyKind = 9", 12, 0, 0, 0, 0, 0},
    {"06_nvprof.nvvp", "nvprof", "UPDATE " K "RUNTIME SET threadId = -1234567890", 12, 2, 0, 0, 0, 0},
    /* launched by the driver's interface, as cuLaunchKernel */
    {"06_nvprof.nvvp", "nvprof",
     "INSERT INTO " K "DRIVER SELECT * FROM " K "RUNTIME; UPDATE " K "DRIVER SET cbid = 307; DELETE FROM " K "RUNTIME",
     12, 2, 0, 0, 0, 0},
    /* the runtime's call has an id of its own beside the driver's */
    {"06_nvprof.nvvp", "nvprof",
     "UPDATE " K "CONCURRENT_KERNEL SET correlationId = correlationId + 5000; ALTER TABLE " K
     "CONCURRENT_KERNEL ADD COLUMN runtimeCorrelationId INT; UPDATE " K
     "CONCURRENT_KERNEL SET runtimeCorrelationId = correlationId - 5000",
     12, 2, 0, 0, 0, 0},
    {"06_nvprof.nvvp", "nvprof",
     "CREATE TABLE " K "UNIFIED_MEMORY_COUNTER (counterKind INT, value INT, start INT, end INT); INSERT INTO " K
     "UNIFIED_MEMORY_COUNTER VALUES (1, 4096, 5, 9), (2, 4096, 5, 9), (3, 1, 5, 9)",
     12, 2, 0, 2, 0, 0},
    {"06_nvprof.nvvp", "nvprof",
     "CREATE TABLE " K "MEMCPY2 AS SELECT * FROM " K "MEMCPY; UPDATE " K "MEMCPY2 SET copyKind = 10", 12, 4, 0, 0, 0,
     0},
};

static void versions_are_read_alike(void)
{
    for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
        char path[64];
        struct imported i = {0};
        scratch(path);
        copy_case(variants[v].file, path);
        change(path, variants[v].change);
        import(path, variants[v].format, &i);
        CHECK_MSG(i.notes.kernels == variants[v].kernels && i.notes.copies == variants[v].copies &&
                      i.notes.pageable == variants[v].pageable && i.notes.managed_moves == variants[v].managed_moves &&
                      i.notes.whole_graphs == variants[v].whole_graphs && i.notes.lost_calls == variants[v].lost_calls,
                  "%zu: %s, %s: %d kernels, %d copies, %d pageable, %d managed, %d graphs, %d without a call", v,
                  variants[v].file, variants[v].change, (int)i.notes.kernels, (int)i.notes.copies,
                  (int)i.notes.pageable, (int)i.notes.managed_moves, (int)i.notes.whole_graphs,
                  (int)i.notes.lost_calls);
        gsim_program_release(&i.program);
        remove(path);
    }
}

/* Kernels, copies and their time, as SQL counts them in the same file. */
static void counts_are_those_of_sql(void)
{
    static const struct {
        const char *file, *kernel_table;
    } files[] = {{"20_nsys_plain.sqlite", K "KERNEL"},           {"01_nsys_pinned_copies.sqlite", K "KERNEL"},
                 {"01_nsys_pageable_copies.sqlite", K "KERNEL"}, {"23_nsys_call_before_time_zero.sqlite", K "KERNEL"},
                 {"06_nvprof.nvvp", K "CONCURRENT_KERNEL"},      {"07_nsys_only_whole_graphs.sqlite", K "GRAPH_TRACE"}};
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        char path[256], sql[256];
        double us = 0;
        uint64_t bytes = 0;
        struct imported i = {0};
        snprintf(path, sizeof path, CASES "%s", files[f].file);
        import(path, strstr(path, "nvprof") ? "nvprof" : "nsys", &i);
        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", files[f].kernel_table);
        CHECK_INT(i.notes.kernels, count(path, sql));
        for (uint32_t op = 0; op < i.program.op_count; op++) {
            const struct gsim_op *o = &i.program.ops[op];
            if (o->kind == GSIM_OP_KERNEL) us += i.program.kernels[o->kernel_index].solo_us;
            if (o->kind == GSIM_OP_COPY) bytes += o->bytes;
        }
        snprintf(sql, sizeof sql, "SELECT sum(end - start) FROM %s", files[f].kernel_table);
        CHECK_NEAR(us, (double)count(path, sql) / 1e3, 1e-6);
        if (!strstr(path, "graphs")) {
            CHECK_INT(i.notes.copies, count(path, "SELECT count(*) FROM " K "MEMCPY"));
            CHECK_INT(bytes, count(path, "SELECT coalesce(sum(bytes), 0) FROM " K "MEMCPY"));
        }
        gsim_program_release(&i.program);
    }
}

/* Of nvprof: an event that one stream waits for, and what the host waits for. */
static void nvprof_streams_wait_for_each_other(void)
{
    char path[64];
    struct imported i = {0};
    uint32_t waits = 0;
    scratch(path);
    copy_case("06_nvprof.nvvp", path);
    change(path,
           "DELETE FROM " K "MEMCPY; DELETE FROM " K "CONCURRENT_KERNEL WHERE correlationId > 2; DELETE FROM " K
           "RUNTIME WHERE correlationId > 2;"
           "UPDATE " K "CONCURRENT_KERNEL SET streamId = 9, start = 1500000000000460000, end = 1500000000000500000 "
                       "WHERE correlationId = 2;"
           "INSERT INTO " K "RUNTIME VALUES (20, 135, 1500000000000010000, 1500000000000011000, 55, 66, 20, 0);"
           "INSERT INTO " K "RUNTIME VALUES (21, 147, 1500000000000012000, 1500000000000013000, 55, 66, 21, 0);"
           "INSERT INTO " K "RUNTIME VALUES (22, 131, 1500000000000300000, 1500000000000501000, 55, 66, 22, 0);"
           "CREATE TABLE " K "CUDA_EVENT (_id_ INT, correlationId INT, contextId INT, streamId INT, eventId INT);"
           "INSERT INTO " K "CUDA_EVENT VALUES (1, 20, 1, 7, 4);"
           "CREATE TABLE " K
           "SYNCHRONIZATION (_id_ INT, type INT, start INT, end INT, correlationId INT, contextId INT, streamId INT, "
           "cudaEventId INT);"
           "INSERT INTO " K "SYNCHRONIZATION VALUES (1, 2, 1500000000000012000, 1500000000000013000, 21, 1, 9, 4),"
           "(2, 3, 1500000000000300000, 1500000000000501000, 22, 1, 9, 4294967295);"
           "CREATE TABLE " K
           "DEVICE (name INT, computeCapabilityMajor INT, computeCapabilityMinor INT, numMultiprocessors INT);"
           "INSERT INTO " K "DEVICE VALUES (7, 7, 0, 80); INSERT INTO StringTable VALUES (7, 'Tesla V100-SXM2-16GB')");
    import(path, "nvprof", &i);
    const struct gsim_op *first = NULL;
    for (uint32_t op = 0; op < i.program.op_count; op++) {
        const struct gsim_op *o = &i.program.ops[op];
        if (o->kind != GSIM_OP_KERNEL) continue;
        for (uint32_t a = 0; first && o->stream != first->stream && a < o->after_count; a++)
            waits += o->after[a] == first->index;
        if (!first) first = o;
    }
    CHECK_INT(i.notes.kernels, 2);
    CHECK_INT(i.notes.streams, 2);
    CHECK_INT(waits, 1);
    CHECK_INT(i.notes.unknown_waits, 0);
    CHECK_STR(i.notes.gpu, "Tesla V100-SXM2-16GB");
    CHECK_INT(i.notes.compute_capability, 70);
    CHECK_STR(i.notes.date, "2017-07-14");
    gsim_program_release(&i.program);
    remove(path);
}

/* What was launched within a range of NVTX, whose text stands in the table or in StringIds. */
static void ranges_of_nvtx_choose_a_part(void)
{
    static const char *const tables[] = {
        "CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT); INSERT INTO "
        "NVTX_EVENTS VALUES "
        "(1000000, 1010000, 59, 'first', 5), (1070000, 1210000, 59, 'part', 5), (1300000, NULL, 34, 'part', 5)",
        "CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, textId INT); INSERT INTO StringIds VALUES (77, "
        "'part'); "
        "INSERT INTO NVTX_EVENTS VALUES (1070000, 1210000, 60, 77)",
    };
    for (size_t n = 0; n < sizeof tables / sizeof tables[0]; n++) {
        char path[64];
        struct imported i = {0};
        struct gsim_import_options options = plain;
        options.part.between = "part";
        scratch(path);
        copy_case("20_nsys_plain.sqlite", path);
        change(path, tables[n]);
        CHECK_OK(gsim_importer_find("nsys")->read(path, &options, &i.program, &i.notes, &i.error), i.error);
        CHECK_INT(i.notes.kernels,
                  count(path, "SELECT count(*) FROM " K
                              "RUNTIME WHERE start BETWEEN 1070000 AND 1210000 AND correlationId IN (SELECT "
                              "correlationId FROM " K "KERNEL)"));
        CHECK_INT(i.notes.kernels, 4);
        gsim_program_release(&i.program);
        remove(path);
    }
}

static void broken_databases_of_nvprof_never_crash(void)
{
    static char bytes[1 << 16];
    FILE *file = fopen(CASES "06_nvprof.nvvp", "rb");
    size_t length = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) fclose(file);
    CHECK(length > 0);
    if (length) fuzz(bytes, length, 400, gsim_importer_find("nvprof")->read);
}

/* --- what a file is --- */
static void files_are_named(void)
{
    static const struct {
        const char *ending, *content, *importer, *what;
    } files[] = {
        {".json", "{\"schemaVersion\": 1, \"traceEvents\": []}", "kineto", NULL},
        {".json", " \n[{\"ph\": \"X\", \"cat\": \"kernel\"}]", "kineto", NULL},
        {".json", "\xef\xbb\xbf{\"traceEvents\": []}", "chrome", NULL},
        {".json", "[]", "chrome", NULL},
        {".nsys-rep", "whatever", NULL, "nsys export --type sqlite"},
        {".qdrep", "", NULL, "nsys export --type sqlite"},
        {".ncu-rep", "x", NULL, "Nsight Compute"},
        {".bin", "NVR\x01", NULL, "Nsight Compute"},
        {".json", "<!DOCTYPE html><html>", NULL, "a web page"},
        {".zip", "PK\x03\x04", NULL, "a ZIP archive"},
        {".json", "version https://git-lfs.github.com/spec/v1\n", NULL, "git lfs pull"},
        {".xplane.pb", "\x0a", NULL, "trace.json.gz"},
        {".txt", "==1234== NVPROF is profiling", NULL, "nvprof -o FILE"},
        {".json", "{\"schema\": \"gpusim-program/1\"}", NULL, "gpusim --workload"},
        {".json", "{\"other\": 1}", NULL, "JSON without \"traceEvents\""},
        {".dat", "abc", NULL, "a file of unknown kind"},
        {".dat", "", NULL, "empty"},
    };
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        char path[96], text[GSIM_IMPORTER_TEXT];
        bool is_trace;
        struct gsim_error error = {0};
        snprintf(path, sizeof path, "/tmp/gpusim-test-named-%d%s", (int)getpid(), files[f].ending);
        write_bytes(path, files[f].content, strlen(files[f].content));
        const struct gsim_importer *importer = gsim_importer_of(path, NULL, &error);
        CHECK_STR(importer ? importer->name : "none", files[f].importer ? files[f].importer : "none");
        if (files[f].what) CHECK_HAS(error.message, files[f].what);
        gsim_importer_what(path, text, &is_trace);
        CHECK_INT(is_trace, files[f].importer != NULL);
        remove(path);
    }
    struct gsim_error error = {0};
    CHECK(gsim_importer_of("/tmp", NULL, &error) == NULL);
    CHECK_HAS(error.message, "a folder");
    CHECK(gsim_importer_of("/tmp/no such file", NULL, &error) == NULL);
    CHECK_HAS(error.message, "no such file");
}

/* Databases that are no trace. */
static void other_databases_are_named(void)
{
    static const struct {
        const char *sql, *what;
    } databases[] = {
        {"CREATE TABLE x (y INT)", "neither nsys nor nvprof"},
        {"CREATE TABLE sweeps (id INT)", "results of a sweep"},
        {"CREATE TABLE rocpd_kernel_dispatch_0 (id INT)", "rocprofv3 --output-format json"},
    };
    for (size_t d = 0; d < sizeof databases / sizeof databases[0]; d++) {
        char path[64];
        struct gsim_error error = {0};
        scratch(path);
        change(path, databases[d].sql);
        CHECK(gsim_importer_of(path, NULL, &error) == NULL);
        CHECK_HAS(error.message, databases[d].what);
        remove(path);
    }
}

/* Where a trace was made, without reading all of it. */
static void origins_are_found(void)
{
    static const struct {
        const char *file, *gpu;
        int compute_capability;
        double sm_count;
    } files[] = {
        {"00_reference.json", "NVIDIA H200", 90, 132},
        {"20_nsys_plain.sqlite", "NVIDIA H200", 90, 132},
        {"04_rocm_graph_kernels_without_shape.json", "AMD Instinct MI300X", 90, 304},
        {"06_nvprof.nvvp", "", 0, 0},
        {"26_xpu.json", "", 0, 0},
        {"27_jax_like.json", "", 0, 0},
    };
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        char path[256];
        struct gsim_trace_origin origin;
        struct gsim_error error = {0};
        snprintf(path, sizeof path, CASES "%s", files[f].file);
        CHECK_MSG(gsim_importer_of(path, &origin, &error) != NULL, "%s", error.message);
        CHECK_STR(origin.gpu, files[f].gpu);
        CHECK_INT(origin.compute_capability, files[f].compute_capability);
        CHECK_NEAR(origin.sm_count, files[f].sm_count, 0);
        CHECK_STR(origin.device, "");
    }
}

static const struct test_case cases[] = {
    {"versions are read alike", versions_are_read_alike},
    {"counts are those of SQL", counts_are_those_of_sql},
    {"nvprof's streams wait for each other", nvprof_streams_wait_for_each_other},
    {"ranges of NVTX choose a part", ranges_of_nvtx_choose_a_part},
    {"broken databases of nvprof never crash", broken_databases_of_nvprof_never_crash},
    {"files are named", files_are_named},
    {"other databases are named", other_databases_are_named},
    {"origins are found", origins_are_found},
};

TEST_MAIN("traces/import_importers", cases)
