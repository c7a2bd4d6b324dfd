/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small profiler traces made event by event, and files broken at random, for the tests of all importers.
 */
#pragma once

#include <stdarg.h>
#include <unistd.h>

#include "tests/test.h"
#include "tests/traces/mutate.h"
#include "traces/import/import.h"

/* Charges of nothing, so that recorded times can be read off the ops. */
static const struct gsim_import_options plain = {.name = "t", .solo_device = "h200", .gaps = true, .last = UINT32_MAX};

/* --- traces --- */
struct trace {
    char text[16384];
    size_t length;
};

static inline void put(struct trace *t, const char *format, ...) GSIM_PRINTF(2, 3);
static inline void put(struct trace *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    t->length += (size_t)vsnprintf(t->text + t->length, sizeof t->text - t->length, format, arguments);
    va_end(arguments);
}

static inline void begin(struct trace *t)
{
    t->length = 0;
    put(t,
        "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA H200\"}],\n\"traceEvents\": [\n"
        "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1, \"args\": {\"name\": \"a \\\"b\\\" [{\"}}");
}

static inline void call(struct trace *t, const char *name, int thread, double ts, double dur, int correlation)
{
    put(t,
        ",\n{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"%s\", \"pid\": 9, \"tid\": %d, \"ts\": %.3f, "
        "\"dur\": %.3f, \"args\": {\"correlation\": %d}}",
        name, thread, ts, dur, correlation);
}

static inline void kernel(struct trace *t, const char *name, int stream, double ts, double dur, int correlation)
{
    put(t,
        ",\n{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s\", \"pid\": 0, \"tid\": %d, \"ts\": %.3f, \"dur\": "
        "%.3f, "
        "\"args\": {\"device\": 0, \"context\": 1, \"stream\": %d, \"correlation\": %d, \"registers per thread\": 32, "
        "\"shared memory\": 1024, \"grid\": [8, 2, 1], \"block\": [128, 1, 1]}}",
        name, stream, ts, dur, stream, correlation);
}

static inline void launch(struct trace *t, const char *name, int stream, double call_ts, double ts, double dur,
                          int correlation)
{
    call(t, "cudaLaunchKernel", 1, call_ts, 2, correlation);
    kernel(t, name, stream, ts, dur, correlation);
}

static inline void move(struct trace *t, const char *category, const char *name, int stream, double ts, double dur,
                        int correlation)
{
    put(t,
        ",\n{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"ts\": %.3f, \"dur\": %.3f, \"args\": {\"device\": 0, "
        "\"context\": 1, \"stream\": %d, \"correlation\": %d, \"bytes\": 4096}}",
        category, name, ts, dur, stream, correlation);
}

static inline void wait_event(struct trace *t, double ts, int stream, int source, int correlation, int record)
{
    call(t, "cudaStreamWaitEvent", 1, ts, 0.2, correlation);
    put(t,
        ",\n{\"ph\": \"X\", \"cat\": \"cuda_sync\", \"name\": \"Stream Wait Event\", \"ts\": %.3f, \"dur\": 0, "
        "\"args\": "
        "{\"cuda_sync_kind\": \"Stream Wait Event\", \"device\": 0, \"context\": 1, \"stream\": %d, \"correlation\": "
        "%d, "
        "\"wait_on_stream\": %d, \"wait_on_cuda_event_record_corr_id\": %d, \"wait_on_cuda_event_id\": 3}}",
        ts, stream, correlation, source, record);
}

static inline void scratch(char path[64])
{
    snprintf(path, 64, "/tmp/gpusim-import-XXXXXX");
    int file = mkstemp(path);
    CHECK(file >= 0);
    if (file >= 0) close(file);
}

static inline void write_bytes(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, length, file) == length);
    if (file) fclose(file);
}

static inline void make_rich_trace(struct trace *t)
{
    begin(t);
    for (int k = 0; k < 3; k++) launch(t, "void k<float>(int)", 7 + k % 2, 10 + 20 * k, 15 + 20 * k, 30, k + 1);
    wait_event(t, 75, 8, 7, 10, 11);
    call(t, "cudaMemcpyAsync", 1, 80, 40, 12);
    move(t, "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 8, 85, 20, 12);
    call(t, "cudaDeviceSynchronize", 2, 130, 5, 13);
    launch(t, "void k<float>(int)", 7, 140, 150, 30, 14);
    put(t, "\n]}\n");
}

/* What an import gives. */
struct imported {
    struct gsim_program program;
    struct gsim_import_notes notes;
    struct gsim_error error;
};

/* --- broken files --- */
/* Truncated or with some bits flipped: never a crash, and a program or one message. */
static inline void fuzz(const char *bytes, size_t length, uint32_t rounds,
                        enum gsim_status (*read)(const char *, const struct gsim_import_options *,
                                                 struct gsim_program *, struct gsim_import_notes *,
                                                 struct gsim_error *))
{
    char path[64], *copy = gsim_alloc(length + 1);
    uint64_t state = 20240229;
    uint32_t done = 0, refused = 0;
    scratch(path);
    for (uint32_t round = 0; round < rounds && copy; round++) {
        struct imported i = {0};
        struct gsim_import_times times = {0};
        struct gsim_import_options options = plain;
        if (round % 2) options.times = &times; /* what was measured, too */
        size_t kept = mutate(copy, bytes, length, round, &state);
        write_bytes(path, copy, kept);
        enum gsim_status status = read(path, &options, &i.program, &i.notes, &i.error);
        if (status == GSIM_OK) {
            done++;
            CHECK(i.program.op_count > 0);
            gsim_program_release(&i.program);
        } else {
            refused++;
            CHECK_MSG(status == GSIM_INPUT && i.error.message[0], "round %u: status %d: %s", round, (int)status,
                      i.error.message);
        }
        gsim_import_times_release(&times);
    }
    CHECK_MSG(done > 0 && refused > 0, "%u imported, %u refused", done, refused);
    remove(path);
    gsim_free(copy);
}
