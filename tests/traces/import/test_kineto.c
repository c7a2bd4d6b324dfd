/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces of Kineto that are wrong: messages name the place, and nothing crashes.
 */
#include "tests/traces/import/import_fixture.h"
#include "traces/import/importers.h"

static const char *const refusals[][2] = {
    {"{\"traceEvents\": []}", "expected kernels, copies or memsets of a GPU, found none"},
    {"{\"a\": 1}", "expected the list traceEvents"},
    {"", "the trace: expected a trace ('{' or '['), found the end of the file"},
    {"12", "expected a trace"},
    {"{\"traceEvents\": [{\"ph\": \"X\"",
     "traceEvents[0]: expected the end of the value, found the end of the file (line 1, column 28)"},
    {"{\n\"traceEvents\": [\n{},\n 7]}", "traceEvents[1]: expected an event, found another value (line 4, column 2)"},
    {"{\"traceEvents\": [],\n\"a\":\n {\"b\": }}", "behind traceEvents: line 3, column 8: expected a value"},
    {"[{} {}]", "found none but 1 events that are not JSON"},
    {"[{} 7]", "traceEvents[0]: expected ',' or ']', found '7'"},
    {"[{\"ph\": \"b\", \"cat\": \"kernel\", \"ts\": 1}, {\"ph\": \"B\", \"cat\": \"kernel\", \"ts\": 1}]",
     "found 1 of other phases and 1 of phase \"B\" without an end"},
    {"\xff\xfe{\0", "expected text in UTF-8, found UTF-16"},
    {"[{\"ph\": }]", "found none but 1 events that are not JSON"},
    {"[7]", "traceEvents[0]: expected an event"},
    {"[] x", "behind traceEvents: expected the end of the file, found 'x'"},
    {"[{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":\"soon\",\"dur\":2}]",
     "traceEvents[0]: ts: expected a time in microseconds, found \"soon\""},
    {"[{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1,\"dur\":{}}]",
     "traceEvents[0]: dur: expected a time in microseconds, found an object"},
    {"[{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1e99,\"dur\":1}]", "ts: expected a time in microseconds, found 1e99"},
    {"[{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1,\"dur\":2,\"args\":{\"stream\":7,\"grid\":[1,0,1],\"block\":[1,1,1]}}"
     "]",
     "args.grid: expected three positive whole numbers within CUDA's limits, found 0"},
    {"[{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1,\"dur\":2,\"args\":{\"stream\":7,\"grid\":[1,1],\"block\":[1,1,1]}}]",
     "args.grid: expected three"},
    {"[{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1,\"dur\":2,\"args\":{}}]",
     "args.stream: expected the number of a stream"},
    {"[{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"ts\":1,\"dur\":2,\"args\":{\"stream\":7,\"bytes\":-1}}]",
     "args.bytes: expected a whole number"},
};

static void errors_name_the_place(void)
{
    char path[64];
    scratch(path);
    for (size_t r = 0; r < sizeof refusals / sizeof refusals[0]; r++) {
        struct gsim_program program = {0};
        struct gsim_import_notes notes;
        struct gsim_error error = {0};
        write_bytes(path, refusals[r][0], strlen(refusals[r][0]));
        CHECK_INT(gsim_import_kineto(path, &plain, &program, &notes, &error), GSIM_INPUT);
        CHECK_HAS(error.message, refusals[r][1]);
        CHECK_HAS(error.message, path);
        CHECK(!program.ops);
    }
    remove(path);
}

static void broken_kineto_traces_never_crash(void)
{
    struct trace t;
    make_rich_trace(&t);
    fuzz(t.text, t.length, 2000, gsim_import_kineto);
}

static void memory_may_run_out_anywhere(void)
{
    struct trace t;
    char path[64];
    scratch(path);
    make_rich_trace(&t);
    write_bytes(path, t.text, t.length);
    for (uint64_t n = 1; n < 1000; n++) {
        struct imported i = {0};
        (void)gsim_alloc_fail_nth(n);
        enum gsim_status status = gsim_import_kineto(path, &plain, &i.program, &i.notes, &i.error);
        (void)gsim_alloc_fail_nth(0);
        if (status == GSIM_OK) {
            CHECK(n > 10);
            gsim_program_release(&i.program);
            break;
        }
        CHECK_MSG(status == GSIM_NOMEM, "allocation %d: %s", (int)n, i.error.message);
    }
    remove(path);
}

static const struct test_case cases[] = {
    {"errors name the place", errors_name_the_place},
    {"broken traces never crash", broken_kineto_traces_never_crash},
    {"memory may run out anywhere", memory_may_run_out_anywhere},
};

TEST_MAIN("traces/import_kineto", cases)
