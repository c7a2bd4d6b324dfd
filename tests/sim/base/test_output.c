/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How numbers and texts stand in result files, and that a file takes its name only when it is complete. */
#include "sim/base/output.h"
#include "sim/base/text.h"

#include <math.h>
#include <unistd.h>

#include "sim/base/scratch.h"
#include "tests/test.h"

static void read_back(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, size - 1, file) : 0;
    if (file) fclose(file);
    text[length] = '\0';
}

static void formats(void)
{
    struct gsim_arena arena = {0};
    struct gsim_error error = {0};
    struct gsim_output output;
    const char *path = NULL;
    char text[400];
    CHECK_OK(gsim_scratch_file(&arena, &path, &error), error);
    CHECK_OK(gsim_output_open(&output, path, &error), error);
    gsim_output_percent(&output, 7, 0.1234, false);
    gsim_output_percent(&output, 7, 0.1234, true);
    gsim_output_percent(&output, 7, -0.00001, true);
    gsim_output_percent(&output, 4, NAN, false);
    gsim_output_json_real(&output, "a", 1.5);
    gsim_output_json_real(&output, "b", NAN);
    gsim_output_csv_string(&output, "a,\"b\"");
    gsim_output_csv_string(&output, "=1"); /* a spreadsheet would compute it; a number and a dash it would not */
    gsim_output_csv_string(&output, "-1.5");
    gsim_output_csv_string(&output, "-");
    gsim_output_csv_string(&output, "-1,\"");
    gsim_output_csv_string(&output, ";=1"); /* where ; parts cells it would be =1 */
    gsim_output_json_string(&output, "\"\n\xff");
    read_back(path, text, sizeof text);
    CHECK_STR(text, ""); /* not before it is complete */
    CHECK_OK(gsim_output_commit(&output, &error), error);
    read_back(path, text, sizeof text);
    CHECK_STR(text, "  12.34 +12.34  +0.00   -, \"a\": 1.500000, \"b\": "
                    "null\"a,\"\"b\"\"\"'=1-1.5-\"'-1,\"\"\"\";=1\"\"\\\"\\u000a\\ufffd\"");
    remove(path);
    gsim_arena_release(&arena);
}

/* What is around a name of others ends where it would without it. */
static void names(void)
{
    static const struct {
        enum gsim_output_place place;
        const char *name, *text;
    } rows[] = {{GSIM_OUTPUT_COMMENT, "a\nint evil;.cu", "a_int evil;.cu"},
                {GSIM_OUTPUT_COMMENT, "a */ x\xe2\x80\xa8y\r\xff?\\", "a * / x_y___/"},
                {GSIM_OUTPUT_COMMENT, "caf\xc3\xa9.cu", "caf\xc3\xa9.cu"},
                {GSIM_OUTPUT_STRING, "x\"\"\"\nimport os\\", "\"x\\\"\\\"\\\"\\u000aimport os\\\\\""},
                {GSIM_OUTPUT_PATCH, "a/img.cu", "a/img.cu"},
                {GSIM_OUTPUT_PATCH, "a b\n+evil\"\\\xc3", "\"a b\\012+evil\\042\\134\\303\""}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsim_error error = {0};
        struct gsim_output output;
        char *text = NULL;
        size_t length = 0;
        CHECK_OK(gsim_output_open_memory(&output, &text, &length, &error), error);
        gsim_output_quoted(&output, rows[i].place, rows[i].name);
        CHECK_OK(gsim_output_commit(&output, &error), error);
        CHECK_STR(text, rows[i].text);
        free(text);
    }
}

/* Every conversion of gsim_output_put(), with numbers that fill their types. */
static void records(void)
{
    struct gsim_error error = {0};
    struct gsim_output output;
    char *text = NULL;
    size_t length = 0;
    CHECK_OK(gsim_output_open_memory(&output, &text, &length, &error), error);
    gsim_output_put(&output, "{'a': %q, 'b': %u, 'c': %d, 'd': %z, 'e': %t", "x\"", UINT32_MAX, -7, UINT64_MAX,
                    (gsim_time)-1500001);
    gsim_output_put(&output, ", 'f': %b, 'g': %b, 'h': [%r, %r, %f, %.9g]}%s100 %%,%c",
                    true, false, 0.5, NAN, 1e20, 1.0 / 3, "\n", "a,b");
    CHECK_OK(gsim_output_commit(&output, &error), error);
    CHECK_STR(text, "{\"a\": \"x\\\"\", \"b\": 4294967295, \"c\": -7, \"d\": 18446744073709551615, \"e\": -1.500001"
                    ", \"f\": true, \"g\": false, \"h\": [0.500000, null, "
                    "100000000000000000000.000000, 0.333333333]}\n100 %,\"a,b\"");
    free(text);
}

/* On both sides of each power of ten, as the C library writes them; so many that the buffer is full several times. */
static void digits(void)
{
    struct gsim_error error = {0};
    struct gsim_output output;
    char *text = NULL, expected[80];
    size_t length = 0;
    CHECK_OK(gsim_output_open_memory(&output, &text, &length, &error), error);
    for (int round = 0; round < 100; round++)
        for (uint64_t power = 1, n = 0; n < 20; n++, power *= 10)
            for (uint64_t value = power - 1; value <= power + 1; value++) {
                gsim_output_unsigned(&output, value);
                gsim_output_text(&output, " ");
                gsim_output_time_us(&output, n & 1 ? -(gsim_time)(value >> 1) : (gsim_time)(value >> 1));
                gsim_output_text(&output, "\n");
            }
    CHECK_OK(gsim_output_commit(&output, &error), error);
    const char *at = text;
    for (int round = 0; round < 100; round++)
        for (uint64_t power = 1, n = 0; n < 20; n++, power *= 10)
            for (uint64_t value = power - 1; value <= power + 1; value++) {
                unsigned long long half = value >> 1;
                int size = snprintf(expected, sizeof expected, "%llu %s%llu.%06llu\n", (unsigned long long)value,
                                    n & 1 && half ? "-" : "", half / 1000000, half % 1000000);
                CHECK_MSG(strncmp(at, expected, (size_t)size) == 0, "found \"%.60s\", expected \"%s\"", at, expected);
                at += size;
            }
    CHECK(at == text + length);
    free(text);
}

static void dropped(void)
{
    struct gsim_arena arena = {0};
    struct gsim_error error = {0};
    struct gsim_output output;
    const char *folder = NULL;
    CHECK_OK(gsim_scratch_folder(&arena, &folder, &error), error);
    const char *path = gsim_arena_printf(&arena, "%s/x.csv", folder);
    CHECK_OK(gsim_output_open(&output, path, &error), error);
    gsim_output_text(&output, "half of it");
    gsim_output_release(&output);
    CHECK(access(path, F_OK) != 0);
    CHECK(rmdir(folder) == 0); /* nothing is left in it */
    gsim_arena_release(&arena);
}

/* JSON keeps control characters as escapes, CSV and tables show a '?' for each. */
static void controls(void)
{
    struct gsim_output output;
    struct gsim_error error = {0};
    char path[64], text[256] = "";
    snprintf(path, sizeof(path), "/tmp/gpusim-output-%ld.txt", (long)getpid());
    CHECK_OK(gsim_output_open(&output, path, &error), error);
    gsim_output_json_string(&output, "\x1b\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    gsim_output_csv_string(&output, "a\xe2\x80\xae\tb");
    gsim_output_csv_string(&output, "a\n\x1b\"");
    CHECK_OK(gsim_output_commit(&output, &error), error);
    FILE *file = fopen(path, "r");
    CHECK(file && fread(text, 1, sizeof(text) - 1, file) > 0);
    if (file) fclose(file);
    remove(path);
    CHECK_STR(text, "\"\\u001b\\u009b\\u202e\\u2066\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"a?\tb\"a\n?\"\"\"");
    CHECK_STR(gsim_text_fit(text, sizeof(text), "k\xc2\x85k", 20), "k?k");
}

static const struct test_case cases[] = {
    {"records", records},
    {"names", names},
    {"control characters", controls},
    {"numbers and texts", formats},
    {"digits", digits},
    {"dropped when not complete", dropped},
};
TEST_MAIN("sim/output", cases)
