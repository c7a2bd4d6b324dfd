/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What gzip expands to is bounded by its size beyond GSIM_GZ_FREE_BYTES; plain text and what compresses as real traces
 * do is not. A refusal takes little memory.
 */
#include "tests/test.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "gpusim/memory.h"
#include "sim/base/gz.h"
#include "gpusim/program.h"
#include "traces/events.h"

#define PIECE_BYTES (1u << 20)

static char path[64];

/* HEAD, then PIECES megabytes of BYTE. Every STRIDE-th byte is another one, which follows no pattern (0: none). */
static void write_file(const char *mode, const char *head, unsigned pieces, char byte, unsigned stride)
{
    char *piece = gsim_alloc(PIECE_BYTES);
    uint32_t state = 1;
    snprintf(path, sizeof path, "/tmp/gpusim-gz-%ld.json.gz", (long)getpid());
    gzFile file = gzopen(path, mode);
    CHECK(file && piece);
    if (!file || !piece) return;
    gzwrite(file, head, (unsigned)strlen(head));
    for (unsigned i = 0; i < pieces; i++) {
        memset(piece, byte, PIECE_BYTES);
        for (uint32_t at = 0; stride && at < PIECE_BYTES; at += stride)
            piece[at] = (char)('a' + ((state = state * 1664525u + 1013904223u) >> 24) % 26);
        gzwrite(file, piece, PIECE_BYTES);
    }
    gzclose(file);
    gsim_free(piece);
}

/* Reads all; the bytes read, with the error where it ends in one. */
static uint64_t read_all(struct gsim_error *error)
{
    struct gsim_gz gz;
    char *piece = gsim_alloc(PIECE_BYTES);
    size_t got = 1;
    CHECK_OK(gsim_gz_open(&gz, path, error), *error);
    while (got && gsim_gz_read(&gz, piece, PIECE_BYTES, &got, error) == GSIM_OK) continue;
    uint64_t bytes = gz.bytes;
    gsim_gz_close(&gz);
    gsim_free(piece);
    remove(path);
    return bytes;
}

static void test_bounds(void)
{
    static const struct {
        const char *mode;
        unsigned pieces, stride;
        bool is_read;
    } files[] = {{"wb9", 20, 0, true},
                 {"wb9", 100, 0, false},
                 {"wb6", 64, 64, true},
                 {"wbT", 64, 0, true},
                 {"wb1", 100, 0, false}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct gsim_error error = {0};
        write_file(files[i].mode, "", files[i].pieces, ' ', files[i].stride);
        uint64_t bytes = read_all(&error);
        CHECK_MSG((error.status == GSIM_OK) == files[i].is_read, "file %zu: %s", i, error.message);
        if (files[i].is_read) CHECK_INT(bytes, (uint64_t)files[i].pieces * PIECE_BYTES);
        if (!files[i].is_read) CHECK_HAS(error.message, "times its size: expected at most 200 times");
        if (!files[i].is_read) CHECK(bytes <= GSIM_GZ_FREE_BYTES + PIECE_BYTES);
    }
}

static void test_damage(void)
{
    struct gsim_error error = {0};
    write_file("wb6", "", 1, ' ', 16);
    CHECK_INT(truncate(path, 1000), 0);
    (void)read_all(&error);
    CHECK_STR(error.message, "damaged gzip data: unexpected end of file");
}

static enum gsim_status pass_event(void *context, uint64_t index, const char *text, struct gsim_error *error)
{
    (void)context, (void)index, (void)text, (void)error;
    return GSIM_OK;
}

static enum gsim_status pass_header(void *context, const char *name, const char *text, struct gsim_error *error)
{
    (void)context, (void)name, (void)text, (void)error;
    return GSIM_OK;
}

static enum gsim_status read_program(struct gsim_error *error)
{
    struct gsim_program program = {0};
    return gsim_program_read(path, &program, error);
}

static enum gsim_status read_events(struct gsim_error *error)
{
    const struct gsim_events_handler handler = {.event = pass_event, .header = pass_header};
    return gsim_events_read(path, &handler, error);
}

/* Megabytes that the process holds at most; 0 where the child failed to refuse. */
static long megabytes_of(enum gsim_status (*read)(struct gsim_error *))
{
    int status = 0;
    struct rusage usage;
    pid_t child = fork();
    if (child == 0) {
        struct gsim_error error = {0};
        _exit(read(&error) == GSIM_INPUT && strstr(error.message, "times its size") ? 0 : 1);
    }
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
    getrusage(RUSAGE_CHILDREN, &usage);
    return usage.ru_maxrss / 1024;
}

/* 100 MB in 100 KB: a program, whose reader keeps the text, and a trace. */
static void test_bombs(void)
{
#if defined(__SANITIZE_ADDRESS__)
    const long most = 400; /* the sanitizer's own memory counts */
#else
    const long most = 100;
#endif
    write_file("wb9", "{\"schema\":\"gpusim-program/1\",\"name\":\"", 100, 'a', 0);
    long program = megabytes_of(read_program);
    CHECK_MSG(program > 0 && program <= most, "%ld MB", program);
    remove(path);
    write_file("wb9", "{\"traceEvents\":[", 100, ' ', 0);
    long trace = megabytes_of(read_events);
    CHECK_MSG(trace > 0 && trace <= most, "%ld MB", trace);
    remove(path);
}

/* As many bytes as are let in, and one more. */
static void test_most(void)
{
    size_t length;
    for (unsigned extra = 0; extra < 2; extra++) {
        struct gsim_error error = {0};
        write_file("wb0", extra ? "x" : "", 1, 'a', 0);
        char *text = gsim_file_read_most(path, PIECE_BYTES, &length, &error);
        CHECK(extra ? !text : text && length == PIECE_BYTES && text[length] == '\0' && text[length - 1] == 'a');
        if (extra) CHECK_STR(error.message, "larger than 1 MiB");
        gsim_free(text);
        remove(path);
    }
}

/* Regular files alone: nobody writes to the pipe, and it is not waited for. */
static void test_regular(void)
{
    struct gsim_error error = {0};
    snprintf(path, sizeof path, "/tmp/gpusim-gz-%ld.pipe", (long)getpid());
    CHECK_INT(mkfifo(path, 0600), 0);
    CHECK_INT(gsim_input_open(path, &error), -1);
    CHECK_STR(error.message, "expected a regular file");
    CHECK(!gsim_input_stream("/", &error));
    CHECK_STR(error.message, "expected a file, found a directory");
    CHECK_INT(error.status, GSIM_INPUT);
    remove(path);
}

static const struct test_case cases[] = {{"bounds", test_bounds}, {"damage", test_damage}, {"bombs", test_bombs},
                                         {"most", test_most},     {"regular", test_regular}};
TEST_MAIN("sim/base/gz", cases)
