/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Segments and unknown kernels in program files: what is read, round trips, every message.
 */

#include <unistd.h>

#include "sim/program/access.h"
#include "tests/test.h"

static enum gsim_status read_ops(const char *ops, struct gsim_program *program, struct gsim_error *error)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/gpusim-readops-%ld.json", (long)getpid());
    FILE *file = fopen(path, "wb");
    if (!file) return gsim_error_set(error, GSIM_IO, "no temporary file");
    fprintf(file,
            "{\"schema\": \"gpusim-program/1\", \"name\": \"t\", \"buffers\": [{\"name\": \"x\", \"bytes\": 4096}, "
            "{\"name\": \"y\", \"bytes\": 100}], \"kernels\": [{\"name\": \"k\", \"solo_us\": 2}], \"ops\": [%s]}",
            ops);
    fclose(file);
    enum gsim_status status = gsim_program_read(path, program, error);
    unlink(path);
    return status;
}

#define LAUNCH "{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [4], \"block\": [64], "

/* "reads" or "writes", buffer, begin and end of every access. */
static void tell(const struct gsim_op *op, char text[256])
{
    struct gsim_access_walk walk = {.op = op};
    size_t used = 0;
    text[0] = 0;
    for (struct gsim_access a; gsim_access_next(&walk, &a);)
        used += (size_t)snprintf(text + used, 256 - used, "%s%s%s %u:%llu-%llu", used ? ", " : "", a.reads ? "r" : "",
                                 a.writes ? "w" : "", a.buffer_index, (unsigned long long)a.begin,
                                 a.end == UINT64_MAX ? 0ULL : (unsigned long long)a.end);
}

static const struct {
    const char *ops, *accesses;
    bool is_unknown;
} good[] = {
    {LAUNCH "\"reads\": [\"x\", {\"buffer\": \"y\", \"offset\": 8, \"bytes\": 12}]}", "r 0:0-0, r 1:8-20", false},
    {LAUNCH
     "\"reads\": [{\"buffer\": \"x\", \"bytes\": 5}, {\"buffer\": \"x\", \"offset\": 4090}], \"writes\": [\"y\"]}",
     "r 0:0-5, r 0:4090-4096, w 1:0-0", false},
    {LAUNCH "\"reads\": [\"x\"], \"writes\": [{\"buffer\": \"x\", \"offset\": 1, \"bytes\": 2}]}", "w 0:1-3, r 0:0-0",
     false},
    {LAUNCH "\"reads\": [{\"buffer\": \"x\", \"bytes\": 2}], \"writes\": [\"x\"]}", "r 0:0-2, w 0:0-0", false},
    {LAUNCH "\"reads\": [{\"buffer\": \"x\", \"bytes\": 2}, \"y\"], \"writes\": [{\"buffer\": \"x\", \"offset\": 2}], "
            "\"args\": [\"y\", \"x\"]}",
     "r 1:0-0, r 0:0-2, w 0:2-4096", false},
    {LAUNCH "\"writes\": [{\"buffer\": \"y\"}], \"unknown\": true}", "w 1:0-100", true},
    {LAUNCH "\"unknown\": true}", "", true},
};

static void check_round_trip(const struct gsim_program *program, const char *accesses, bool is_unknown)
{
    char path[64], text[256];
    struct gsim_error error = {0};
    struct gsim_program again = {0};
    snprintf(path, sizeof path, "/tmp/gpusim-readops-out-%ld.json", (long)getpid());
    CHECK_OK(gsim_program_write(program, path, &error), error);
    enum gsim_status status = gsim_program_read(path, &again, &error);
    unlink(path);
    CHECK_OK(status, error);
    if (status != GSIM_OK) return;
    tell(&again.ops[0], text);
    CHECK_STR(text, accesses);
    CHECK_INT(again.ops[0].is_unknown, is_unknown);
    gsim_program_release(&again);
}

static void segments(void)
{
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct gsim_program program = {0};
        struct gsim_error error = {0};
        char text[256];
        enum gsim_status status = read_ops(good[i].ops, &program, &error);
        CHECK_OK(status, error);
        if (status != GSIM_OK) continue;
        tell(&program.ops[0], text);
        CHECK_STR(text, good[i].accesses);
        CHECK_INT(program.ops[0].is_unknown, good[i].is_unknown);
        check_round_trip(&program, good[i].accesses, good[i].is_unknown);
        gsim_program_release(&program);
    }
}

/* The reader expects the fields of an op in the order of the one before: another order, escapes and what is left out
 * mean the same. */
static void orders(void)
{
    static const char *const same[] = {
        LAUNCH "\"reads\": [\"x\"]}, " LAUNCH "\"reads\": [\"y\"]}, " LAUNCH "\"writes\": [\"y\"]}, " LAUNCH
               "\"reads\": [\"x\"]}",
        LAUNCH "\"reads\": [\"x\"]}, {\"reads\": [\"y\"], \"block\": [64], \"gri\\u0064\": [4], \"kernel\": \"k\", "
               "\"op\": \"kernel\"}, "
               "{\"writes\": [\"y\"] , \"op\":\"kernel\", \"grid\": [4],\n\"kernel\": \"k\", \"block\": [64]}, " LAUNCH
               "\"reads\": [\"x\"]}"};
    struct gsim_program programs[2] = {{0}};
    struct gsim_error error = {0};
    char text[2][256];
    for (int i = 0; i < 2; i++) CHECK_OK(read_ops(same[i], &programs[i], &error), error);
    CHECK(programs[0].op_count == 4 && programs[1].op_count == 4);
    for (uint32_t op = 0; op < programs[0].op_count && op < programs[1].op_count; op++) {
        for (int i = 0; i < 2; i++) tell(&programs[i].ops[op], text[i]);
        CHECK_STR(text[1], text[0]);
        CHECK_INT(programs[1].ops[op].kernel_index, programs[0].ops[op].kernel_index);
    }
    for (int i = 0; i < 2; i++) gsim_program_release(&programs[i]);
    CHECK_INT(read_ops(LAUNCH "\"block\": [64]}, " LAUNCH "\"block\": [64]}", &programs[0], &error), GSIM_INPUT);
    CHECK_MSG(strstr(error.message, "ops[0].block: the field is given twice"), "%s", error.message);
}

static void errors(void)
{
    static const struct {
        const char *ops, *message;
    } bad[] = {
        {LAUNCH "\"reads\": [{\"buffer\": \"z\"}]}", "expected the name of a buffer, found \"z\""},
        {LAUNCH "\"reads\": [{\"offset\": 3}]}", "the field \"buffer\" is missing"},
        {LAUNCH "\"reads\": [{\"buffer\": \"y\", \"offset\": 100}]}",
         "ops[0].offset: expected an integer from 0 to 99, found 100"},
        {LAUNCH "\"reads\": [{\"buffer\": \"y\", \"offset\": 90, \"bytes\": 11}]}",
         "ops[0].bytes: expected an integer from 1 to 10, found 11"},
        {LAUNCH "\"reads\": [{\"buffer\": \"y\", \"bytes\": 0}]}",
         "ops[0].bytes: expected a positive integer, found 0"},
        {LAUNCH "\"reads\": [{\"buffer\": \"y\", \"length\": 2}]}", "length"},
        {LAUNCH "\"reads\": [\"y\", {\"buffer\": \"y\", \"bytes\": 2}]}", "the buffer \"y\" is listed twice"},
        {LAUNCH "\"writes\": [{\"buffer\": \"y\", \"bytes\": 2}, \"y\"]}", "the buffer \"y\" is listed twice"},
        {LAUNCH "\"unknown\": 1}", "ops[0].unknown"},
        {"{\"op\": \"host_compute\", \"us\": 1, \"unknown\": true}", "a \"host_compute\" has no such field"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct gsim_program program = {0};
        struct gsim_error error = {0};
        CHECK_INT(read_ops(bad[i].ops, &program, &error), GSIM_INPUT);
        CHECK_HAS(error.message, bad[i].message);
    }
}

/* What a generator that goes wrong would hand over. */
static void checks(void)
{
    const struct gsim_arg args[] = {{0, true, false, true}, {1, false, true, false}};
    static const struct {
        struct gsim_segment segments[2];
        uint32_t count;
        const char *message; /* NULL: fine */
    } rows[] = {
        {{{0, 10, 0, true, false}, {5, 5, 1, false, true}}, 2, NULL},
        {{{0, 11, 0, true, false}}, 1, "expected a part of the 10 bytes of 'a', found 11 from 0 on"},
        {{{10, 1, 0, true, false}}, 1, "found 1 from 10 on"},
        {{{UINT64_MAX, 2, 0, true, false}}, 1, "expected a part of the 10 bytes"},
        {{{0, 0, 0, true, false}}, 1, "found 0 from 0 on"},
        {{{0, 1, 2, true, false}}, 1, "expected an argument below 2, in order, found 2"},
        {{{0, 1, 1, false, true}, {0, 1, 0, true, false}}, 2, "in order, found 0"},
        {{{0, 1, 0, false, true}}, 1, "expected an access that its argument 'a' has"},
        {{{0, 1, 0, false, false}}, 1, "expected an access that its argument 'a' has"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsim_builder *builder = gsim_builder_create("t");
        struct gsim_error error = {0};
        struct gsim_program program = {0};
        struct gsim_kernel kernel = {.name = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}, .solo_us = 1};
        gsim_builder_buffer(builder, "a", 10, GSIM_INIT_NONE);
        gsim_builder_buffer(builder, "b", 10, GSIM_INIT_NONE);
        struct gsim_op op = {.kind = GSIM_OP_KERNEL,
                             .args = args,
                             .arg_count = 2,
                             .segments = rows[i].segments,
                             .segment_count = (uint16_t)rows[i].count,
                             .kernel_index = gsim_builder_kernel(builder, &kernel),
                             .stream = -1};
        gsim_builder_op(builder, &op);
        enum gsim_status status = gsim_builder_finish(builder, 1, &program, &error);
        if (!rows[i].message) {
            CHECK_OK(status, error);
            gsim_program_release(&program);
            continue;
        }
        CHECK_INT(status, GSIM_INPUT);
        CHECK_HAS(error.message, rows[i].message);
    }
}

static const struct test_case cases[] = {
    {"segments and unknown kernels", segments},
    {"order of fields", orders},
    {"errors of segments", errors},
    {"checks of a program", checks},
};

TEST_MAIN("sim/program/readops", cases)
