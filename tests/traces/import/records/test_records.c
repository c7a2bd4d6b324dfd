/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an import needs of memory: nothing for what it passes over, a record for each work and call that it keeps. In a
 * process of its own whose data may grow by a fixed amount only.
 */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <zlib.h>

#include "tests/traces/import/import_fixture.h"
#include "traces/import/importers.h"

/* Their own memory is without bounds. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_SANITIZERS 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define UNDER_SANITIZERS 1
#endif
#ifndef UNDER_SANITIZERS
#define UNDER_SANITIZERS 0
#endif

#define KEPT_BYTES      512 /* most per kernel and its launch: two records, a step, two ops of the program */
#define EVERYTHING_ELSE (8u << 20)

/* What PyTorch's profiler writes beside launches and kernels, and a kernel now and then. */
static void write_trace(const char *path, uint32_t skipped, uint32_t kernels)
{
    gzFile file = gzopen(path, "wb1");
    CHECK(file != NULL);
    if (!file) return;
    gzputs(file, "{\"schemaVersion\": 1, \"traceEvents\": [\n{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1}");
    for (uint32_t i = 0; i < skipped; i++)
        gzprintf(file,
                 ",\n{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::op%u\", \"pid\": 9, \"tid\": 9, \"ts\": "
                 "%u.5, \"dur\": 3.25, "
                 "\"args\": {\"External id\": %u, \"Input Dims\": [[64, 3, 224, 224], [64, 3, 7, 7], [], []]}},\n"
                 "{\"ph\": \"s\", \"id\": %u, \"pid\": 9, \"tid\": 9, \"ts\": %u.5, \"cat\": \"ac2g\", \"name\": "
                 "\"ac2g\"},\n"
                 "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaPeekAtLastError\", \"pid\": 9, \"tid\": "
                 "9, \"ts\": %u.75, "
                 "\"dur\": 0.1, \"args\": {\"External id\": %u, \"cbid\": 11, \"correlation\": %u}}",
                 i, i, i, i, i, i, i, i + 1);
    for (uint32_t i = 0; i < kernels; i++)
        gzprintf(file,
                 ",\n{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 9, \"tid\": "
                 "9, \"ts\": %u, \"dur\": 2, "
                 "\"args\": {\"correlation\": %u}},\n"
                 "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void k<%u>()\", \"ts\": %u, \"dur\": 5, \"args\": "
                 "{\"device\": 0, "
                 "\"context\": 1, \"stream\": 7, \"correlation\": %u, \"grid\": [8, 1, 1], \"block\": [128, 1, 1]}}",
                 10 * i, skipped + i + 1, i % 50, 10 * i + 4, skipped + i + 1);
    gzputs(file, "\n]}\n");
    CHECK_INT(gzclose(file), Z_OK);
}

/* Bytes of data that this process may have more than it has. */
static bool limit_data(size_t more)
{
    char line[128];
    unsigned long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmData: %lu kB", &kib) == 1) break;
    if (status) fclose(status);
    struct rlimit limit = {.rlim_cur = kib * 1024 + more, .rlim_max = kib * 1024 + more};
    return kib > 0 && setrlimit(RLIMIT_DATA, &limit) == 0;
}

/* The status of the import in a process that may take so many bytes; -1: it could not be limited. */
static int import_within(const char *path, size_t bytes, uint64_t *kernels)
{
    int ends[2], result = -1;
    struct {
        uint64_t kernels;
        int status;
    } told = {.status = -1};
    if (pipe(ends) != 0) return -1;
    pid_t child = fork();
    if (child == 0) {
        struct imported i = {0};
        if (limit_data(bytes)) told.status = (int)gsim_import_kineto(path, &plain, &i.program, &i.notes, &i.error);
        told.kernels = i.notes.kernels;
        _exit(write(ends[1], &told, sizeof told) == (ssize_t)sizeof told ? 0 : 1);
    }
    close(ends[1]);
    if (child > 0 && read(ends[0], &told, sizeof told) == (ssize_t)sizeof told) {
        result = told.status;
        *kernels = told.kernels;
    }
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
    return result;
}

/* 100 MB of what is passed over, and then the same limit with what is kept. */
static void what_is_passed_over_takes_no_memory(void)
{
    char path[64];
    uint64_t kernels = 0;
    if (UNDER_SANITIZERS) return;
    scratch(path);
    write_trace(path, 220000, 10);
    CHECK_INT(import_within(path, EVERYTHING_ELSE, &kernels), GSIM_OK);
    CHECK_INT(kernels, 10);
    write_trace(path, 0, 100000);
    CHECK_INT(import_within(path, EVERYTHING_ELSE, &kernels), GSIM_NOMEM); /* the limit does bite */
    remove(path);
}

static void what_is_kept_takes_a_record_each(void)
{
    enum { KERNELS = 120000 };
    char path[64];
    uint64_t kernels = 0;
    if (UNDER_SANITIZERS) return;
    scratch(path);
    write_trace(path, 0, KERNELS);
    CHECK_INT(import_within(path, (size_t)KERNELS * KEPT_BYTES + EVERYTHING_ELSE, &kernels), GSIM_OK);
    CHECK_INT(kernels, KERNELS);
    remove(path);
}

static const struct test_case cases[] = {
    {"what is passed over takes no memory", what_is_passed_over_takes_no_memory},
    {"what is kept takes a record each", what_is_kept_takes_a_record_each},
};

TEST_MAIN("traces/records", cases)
