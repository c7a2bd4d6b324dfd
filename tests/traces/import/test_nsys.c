/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Databases of Nsight Systems' schema, made here: columns are found by name, tables may be missing, ids are of one
 * process, and broken files never crash.
 */
#include <sqlite3.h>

#include "tests/traces/import/import_fixture.h"
#include "tests/traces/retell.h"
#include "traces/import/importers.h"

static void run_sql(sqlite3 *database, const char *format, ...) GSIM_PRINTF(2, 3);
static void run_sql(sqlite3 *database, const char *format, ...)
{
    char text[1024], *message = NULL;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    CHECK_MSG(sqlite3_exec(database, text, NULL, NULL, &message) == SQLITE_OK, "%s: %s", text, message ? message : "");
    sqlite3_free(message);
}

#define GLOBAL_PID(process) ((long long)(process)*0x1000000 + 0x1000000000000)

static void sql_call(sqlite3 *d, int process, int thread, int name, int start, int end, int correlation)
{
    run_sql(d, "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (%d, %d, %d, %lld, %d)", start, end, name,
            GLOBAL_PID(process) + thread, correlation);
}

static void sql_kernel(sqlite3 *d, int process, int name, int start, int end, int stream, int correlation)
{
    run_sql(
        d,
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (%d, %d, 0, 1, %d, %d, %lld, %d, 32, 8, 2, 1, 128, 1, 1, 1000, "
        "24, 5)",
        start, end, stream, correlation, GLOBAL_PID(process), name);
}

/* Two streams, an event between them, a copy, a synchronisation; correlation 1 is used by process 6 as well. */
static void make_database(const char *path)
{
    sqlite3 *d = NULL;
    remove(path);
    CHECK_INT(sqlite3_open(path, &d), SQLITE_OK);
    run_sql(d, "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);"
               "INSERT INTO StringIds VALUES (1, 'a<int>'), (2, 'c'), (10, 'cudaLaunchKernel_v7000'), "
               "(11, 'cudaMemcpyAsync_v3020'), (12, 'cudaStreamWaitEvent_v3020'), (13, 'cudaEventRecord_v3020'), "
               "(14, 'cudaStreamSynchronize_v3020')");
    run_sql(
        d,
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, nameId INT, globalTid INT, correlationId INT)");
    run_sql(
        d,
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, streamId INT, "
        "correlationId INT, globalPid INT, demangledName INT, registersPerThread INT, gridX INT, gridY INT, gridZ INT, "
        "blockX INT, blockY INT, blockZ INT, staticSharedMemory INT, dynamicSharedMemory INT, someNewColumn INT)");
    run_sql(d,
            "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, contextId INT, streamId INT, "
            "correlationId INT, globalPid INT, bytes INT, copyKind INT, srcKind INT, dstKind INT)");
    run_sql(
        d, "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INT, contextId INT, streamId INT, correlationId INT, "
           "globalPid INT, eventId INT)");
    run_sql(d, "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INT, end INT, deviceId INT, contextId INT, "
               "streamId INT, "
               "correlationId INT, globalPid INT, syncType INT, eventId INT)");
    run_sql(d,
            "CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT); INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H200')");
    sql_call(d, 6, 1, 10, 1, 2, 1); /* another process's call with the same id */
    sql_call(d, 5, 1, 10, 10000, 12000, 1);
    sql_kernel(d, 5, 1, 15000, 115000, 7, 1);
    sql_call(d, 5, 1, 13, 13000, 13200, 2);
    run_sql(d, "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 1, 7, 2, %lld, 3)", GLOBAL_PID(5));
    sql_call(d, 5, 1, 10, 14000, 16000, 3);
    sql_kernel(d, 5, 1, 120000, 220000, 7, 3);
    sql_call(d, 5, 1, 12, 20000, 20200, 4);
    run_sql(d, "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (20000, 20200, 0, 1, 8, 4, %lld, 2, 3)",
            GLOBAL_PID(5));
    sql_call(d, 5, 1, 10, 24000, 26000, 5);
    sql_kernel(d, 5, 2, 120000, 170000, 8, 5);
    sql_call(d, 5, 1, 14, 30000, 172000, 6);
    run_sql(d, "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (30000, 172000, 0, 1, 8, 6, %lld, 3, 0)",
            GLOBAL_PID(5));
    sql_call(d, 5, 1, 11, 180000, 182000, 7);
    run_sql(d, "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (185000, 190000, 0, 1, 8, 7, %lld, 4096, 2, 3, 2)",
            GLOBAL_PID(5));
    sqlite3_close(d);
}

/* Newer files say the cluster, and then the name does not count; older ones leave it to the name. */
static void clusters_of_newer_files(void)
{
    static const char *const changes[] = {
        "UPDATE StringIds SET value = 'nvjet_sm90_tst_64x24_64x16_1x2_h_bz' WHERE id = 1; "
        "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = 8, gridY = 8",
        "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN clusterX INT; "
        "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN clusterY INT; "
        "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN clusterZ INT; "
        "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET clusterX = 4, clusterY = 2, clusterZ = 1",
        "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET clusterX = 1, clusterY = 1, clusterZ = 1",
    };
    static const struct gsim_dim3 expected[] = {{2, 1, 1}, {4, 2, 1}, {0}};
    char path[64];
    scratch(path);
    make_database(path);
    for (int step = 0; step < 3; step++) {
        struct imported i = {0};
        sqlite3 *d = NULL;
        CHECK_INT(sqlite3_open(path, &d), SQLITE_OK);
        run_sql(d, "%s", changes[step]);
        sqlite3_close(d);
        CHECK_OK(gsim_import_nsys(path, &plain, &i.program, &i.notes, &i.error), i.error);
        for (uint32_t k = 0; k < i.program.kernel_count; k++) {
            const struct gsim_kernel *kernel = &i.program.kernels[k];
            bool counts = step > 0 || strncmp(kernel->name, "nvjet", 5) == 0;
            CHECK_INT(kernel->cluster.x, counts ? expected[step].x : 0);
            CHECK_INT(kernel->cluster.y, counts ? expected[step].y : 0);
        }
        CHECK_INT(i.notes.named_clusters, step ? 0 : 2);
        gsim_program_release(&i.program);
    }
    remove(path);
}

/* In GB/s, MHz and bytes; both ways of naming the columns. */
static void facts_of_the_gpu(void)
{
    static const char *const columns[] = {
        "id INT, name TEXT, computeMajor INT, computeMinor INT, smCount INT, totalMemory INT, memoryBandwidth INT, "
        "clockRate INT",
        "id INT, name TEXT, computeCapabilityMajor INT, computeCapabilityMinor INT, numMultiprocessors INT, "
        "globalMemorySize INT, memoryBandwidth INT, clockRate INT"};
    for (size_t c = 0; c < 2; c++) {
        char path[64];
        struct imported i = {0};
        sqlite3 *d = NULL;
        scratch(path);
        make_database(path);
        CHECK_INT(sqlite3_open(path, &d), SQLITE_OK);
        run_sql(d, "DROP TABLE TARGET_INFO_GPU; CREATE TABLE TARGET_INFO_GPU (%s); "
                   "INSERT INTO TARGET_INFO_GPU VALUES (0, 'G', 8, 6, 84, 51000000000, 768000000000, 1695000000)",
                columns[c]);
        sqlite3_close(d);
        CHECK_OK(gsim_import_nsys(path, &plain, &i.program, &i.notes, &i.error), i.error);
        remove(path);
        CHECK_STR(i.notes.gpu, "G");
        CHECK_INT(i.notes.compute_capability, 86);
        CHECK(i.notes.sm_count == 84 && i.notes.memory_bytes == 51e9);
        CHECK_NEAR(i.notes.dram_gbps, 768, 1e-9);
        CHECK_NEAR(i.notes.clock_mhz, 1695, 1e-9);
        gsim_program_release(&i.program);
    }
}

static void nsys_is_read_by_column_names(void)
{
    char path[64];
    struct imported i = {0};
    scratch(path);
    make_database(path);
    CHECK_OK(gsim_import_nsys(path, &plain, &i.program, &i.notes, &i.error), i.error);
    remove(path);
    if (i.error.status != GSIM_OK) return;
    CHECK_INT(i.notes.kernels * 10 + i.notes.copies, 31);
    CHECK_INT(i.notes.lost_calls + i.notes.repeated_calls + i.notes.repeated_works + i.notes.early_starts, 0);
    CHECK_STR(i.notes.gpu, "NVIDIA H200");
    const struct gsim_op *device[4] = {0}, *host = NULL;
    uint32_t count = 0;
    for (uint32_t op = 0; op < i.program.op_count; op++) {
        if (i.program.ops[op].kind == GSIM_OP_HOST_COMPUTE && i.program.ops[op].after_count) host = &i.program.ops[op];
        if (i.program.ops[op].kind != GSIM_OP_HOST_COMPUTE && count < 4) device[count++] = &i.program.ops[op];
    }
    CHECK_INT(count, 4);
    if (count == 4 && host) {
        const struct gsim_kernel *a = &i.program.kernels[device[0]->kernel_index];
        CHECK_STR(a->name, "a<int>");
        CHECK_INT(a->smem_bytes, 1024);
        CHECK_INT(device[1]->kernel_index, device[0]->kernel_index);
        CHECK_INT(device[2]->stream, 8);
        CHECK_INT(device[2]->after_count, 1);
        if (device[2]->after_count) CHECK_INT(device[2]->after[0], device[0]->index);
        CHECK_INT(host->after[0], device[2]->index);
        CHECK_INT(host->after_count, 1); /* stream 7 goes on */
        CHECK_INT(device[3]->copy_kind, GSIM_COPY_D2H);
    }
    CHECK(host != NULL);
    gsim_program_release(&i.program);
}

static void nsys_tables_may_be_missing(void)
{
    char path[64];
    struct imported i = {0};
    sqlite3 *d = NULL;
    scratch(path);
    make_database(path);
    CHECK_INT(sqlite3_open(path, &d), SQLITE_OK);
    run_sql(d, "DROP TABLE CUPTI_ACTIVITY_KIND_MEMCPY; DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME; DROP TABLE StringIds; "
               "DROP TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION; DROP TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT");
    CHECK_OK(gsim_import_nsys(path, &plain, &i.program, &i.notes, &i.error), i.error);
    CHECK_INT(i.notes.kernels, 3);
    CHECK_INT(i.notes.lost_calls, 3);
    gsim_program_release(&i.program);
    run_sql(d, "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridY = 0 WHERE streamId = 8");
    CHECK_INT(gsim_import_nsys(path, &plain, &i.program, &i.notes, &i.error), GSIM_INPUT);
    CHECK_HAS(i.error.message,
              "table CUPTI_ACTIVITY_KIND_KERNEL, row 3, column gridY: expected a positive whole number, found 0");
    run_sql(d, "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL");
    CHECK_INT(gsim_import_nsys(path, &plain, &i.program, &i.notes, &i.error), GSIM_INPUT);
    CHECK_HAS(i.error.message, "found none");
    sqlite3_close(d);
    remove(path);
}

static void what_is_no_database_is_refused(void)
{
    char path[64];
    struct imported i = {0};
    scratch(path);
    write_bytes(path, "{\"traceEvents\": []}", 19);
    CHECK_INT(gsim_import_nsys(path, &plain, &i.program, &i.notes, &i.error), GSIM_INPUT);
    CHECK_HAS(i.error.message, path);
    CHECK_HAS(i.error.message, "expected an SQLite database, found another kind of file");
    remove(path);
    CHECK_INT(gsim_import_nsys(path, &plain, &i.program, &i.notes, &i.error), GSIM_INPUT);
    CHECK_HAS(i.error.message, "no such file");
}

static void broken_databases_never_crash(void)
{
    static char bytes[1 << 17];
    char path[64];
    scratch(path);
    make_database(path);
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) fclose(file);
    remove(path);
    CHECK(length > 0 && length < sizeof bytes);
    if (length) fuzz(bytes, length, 500, gsim_import_nsys);
}

/* --- a trace of ours, told in Nsight Systems' tables --- */
static bool same_dim(struct gsim_dim3 a, struct gsim_dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool same_kernel(const struct gsim_kernel *a, const struct gsim_kernel *b)
{
    return strcmp(a->name, b->name) == 0 && same_dim(a->grid, b->grid) && same_dim(a->block, b->block) &&
           a->regs_per_thread == b->regs_per_thread && a->smem_bytes == b->smem_bytes && a->solo_us == b->solo_us;
}

static bool same_op(const struct gsim_program *p, const struct gsim_op *a, const struct gsim_program *q,
                    const struct gsim_op *b)
{
    if (a->kind != b->kind || a->stream != b->stream || a->bytes != b->bytes || a->host_us != b->host_us ||
        a->after_count != b->after_count ||
        (a->after_count && memcmp(a->after, b->after, sizeof *a->after * a->after_count)))
        return false;
    if (a->kind == GSIM_OP_KERNEL) return same_kernel(&p->kernels[a->kernel_index], &q->kernels[b->kernel_index]);
    return a->kind != GSIM_OP_COPY ||
           (a->copy_kind == b->copy_kind && a->args[0].buffer_index == b->args[0].buffer_index);
}

/* The same kernels, shapes, durations, streams, order, waits and host times, whichever way the trace was told. */
static void both_formats_agree(const char *trace)
{
    char database[64];
    struct imported k = {0}, n = {0};
    uint32_t different = 0, waits = 0;
    scratch(database);
    CHECK_OK(retell_nsys(trace, database, &n.error), n.error);
    CHECK_OK(gsim_import_kineto(trace, &plain, &k.program, &k.notes, &k.error), k.error);
    CHECK_OK(gsim_import_nsys(database, &plain, &n.program, &n.notes, &n.error), n.error);
    remove(database);
    CHECK_MSG(k.program.op_count > 0 && k.program.op_count == n.program.op_count, "%s: %u and %u ops", trace,
              k.program.op_count, n.program.op_count);
    for (uint32_t i = 0; i < k.program.op_count && i < n.program.op_count; i++) {
        const struct gsim_op *a = &k.program.ops[i], *b = &n.program.ops[i];
        waits += a->after_count > 0 && a->kind != GSIM_OP_HOST_COMPUTE;
        if (same_op(&k.program, a, &n.program, b)) continue;
        CHECK_MSG(different++ > 0, "%s: op %u is of kind %d on stream %d, or of kind %d on stream %d", trace, i,
                  (int)a->kind, a->stream, (int)b->kind, b->stream);
    }
    CHECK_INT(different, 0);
    CHECK_MSG(strstr(trace, "kineto_") || waits > 0, "%s: no op waits for another stream's", trace);
    CHECK_INT(n.program.kernel_count, k.program.kernel_count);
    CHECK_INT(n.program.buffer_count, k.program.buffer_count);
    CHECK_STR(n.notes.gpu, k.notes.gpu);
    CHECK_NEAR(n.notes.span_us, k.notes.span_us, 1e-9);
    CHECK(memcmp(&n.notes, &k.notes, offsetof(struct gsim_import_notes, kernels)) == 0); /* all repairs */
    gsim_program_release(&k.program);
    gsim_program_release(&n.program);
}

static void recorded_traces_are_the_same_in_both_formats(void)
{
    both_formats_agree(GPUSIM_SOURCE_DIR "/traces/h200/kineto/kineto_resnet18.json.gz");
    both_formats_agree(GPUSIM_SOURCE_DIR "/traces/h200/kineto/kineto_deeplab50.json.gz");
    both_formats_agree(GPUSIM_SOURCE_DIR "/traces/h200/kineto/kineto_vgg16.json.gz");
}

/* With streams, waits for events and copies, which the recorded ones lack. */
static void our_own_traces_are_the_same_in_both_formats(void)
{
    static const char *const runs[] = {"img --sched async", "hits --sched grsched", "ml --sched kesco"};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        char path[64], command[512];
        scratch(path);
        snprintf(command, sizeof command, "%s --workload %s --device h200 --memory pinned --trace %s >/dev/null",
                 GPUSIM_BINARY, runs[i], path);
        CHECK_INT(system(command), 0);
        both_formats_agree(path);
        remove(path);
    }
}

static const struct test_case cases[] = {
    {"facts of the GPU", facts_of_the_gpu},
    {"columns are read by name", nsys_is_read_by_column_names},
    {"clusters of newer files", clusters_of_newer_files},
    {"tables may be missing", nsys_tables_may_be_missing},
    {"what is no database is refused", what_is_no_database_is_refused},
    {"broken databases never crash", broken_databases_never_crash},
    {"recorded traces are the same in both formats", recorded_traces_are_the_same_in_both_formats},
    {"our own traces are the same in both formats", our_own_traces_are_the_same_in_both_formats},
};

TEST_MAIN("traces/import_nsys", cases)
