/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members of JSON objects: what is taken, and what each message says. */
#include "sim/base/json.h"

#include <math.h>

#include "tests/test.h"

static const char text[] =
    "{\"schema\": \"a/1\", \"x\": 2.5, \"n\": 3, \"word\": \"w\", \"empty\": \"\", \"list\": []}";

static void taken(void)
{
    struct gsim_error error = {0};
    struct gsim_arena arena = {0};
    cJSON *json = cJSON_Parse(text);
    double x = 0;
    uint32_t n = 0;
    const char *word = NULL;
    CHECK_OK(gsim_json_check_schema(json, "a/1", &error), error);
    CHECK_OK(gsim_json_read_number(json, "", "x", 2.5, 3, NAN, &x, &error), error);
    CHECK_NEAR(x, 2.5, 0);
    CHECK_OK(gsim_json_read_number(json, "", "absent", 2, 3, 7, &x, &error), error);
    CHECK_NEAR(x, 7, 0); /* a fallback is no value of the file */
    CHECK_OK(gsim_json_read_count(json, "", "n", 1, 3, NAN, &n, &error), error);
    CHECK_INT(n, 3);
    CHECK_OK(gsim_json_read_count(json, "", "absent", 1, 3, 9, &n, &error), error);
    CHECK_INT(n, 9);
    CHECK_OK(gsim_json_read_text(json, "", "word", NULL, &arena, &word, &error), error);
    CHECK_STR(word, "w");
    CHECK_OK(gsim_json_read_text(json, "", "absent", "else", &arena, &word, &error), error);
    CHECK_STR(word, "else");
    gsim_arena_release(&arena);
    cJSON_Delete(json);
}

static void refused(void)
{
    static const char *const keys[] = {"schema", "x", NULL}, *const some[] = {"x",     "schema", "n", "word",
                                                                              "empty", "list",   NULL};
    struct gsim_error error = {0};
    struct gsim_arena arena = {0};
    cJSON *json = cJSON_Parse(text), *twice = cJSON_Parse("{\"x\": 1, \"x\": 1}");
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "list");
    double x;
    uint32_t n;
    const char *word;
#define REFUSED(call, expected)                                                                                        \
    CHECK_INT(call, GSIM_INPUT);                                                                                       \
    CHECK_STR(error.message, expected)
    REFUSED(gsim_json_check_schema(json, "b/1", &error), "schema: expected \"b/1\", found \"a/1\"");
    REFUSED(gsim_json_read_number(json, "p[2]", "x", 0, 2, NAN, &x, &error),
            "p[2].x: expected a number from 0 to 2, found 2.5");
    REFUSED(gsim_json_read_number(json, "", "absent", 0, 2, NAN, &x, &error),
            "absent: expected a number from 0 to 2, found nothing");
    REFUSED(gsim_json_read_number(json, "", "word", 0, 2, 1, &x, &error),
            "word: expected a number from 0 to 2, found \"w\"");
    REFUSED(gsim_json_read_count(json, "p", "x", 0, 9, 1, &n, &error),
            "p.x: expected an integer from 0 to 9, found 2.5");
    REFUSED(gsim_json_read_count(json, "p", "n", 4, 9, 5, &n, &error), "p.n: expected an integer from 4 to 9, found 3");
    REFUSED(gsim_json_read_count(json, "p", "m", 4, 9, NAN, &n, &error),
            "p.m: expected an integer from 4 to 9, found nothing");
    REFUSED(gsim_json_read_text(json, "p", "empty", "e", &arena, &word, &error),
            "p.empty: expected a text, found \"\"");
    REFUSED(gsim_json_read_text(json, "p", "absent", NULL, &arena, &word, &error),
            "p.absent: expected a text, found nothing");
    REFUSED(gsim_json_check_keys(json, "", keys, &error), "n: unknown field, expected one of schema, x");
    REFUSED(gsim_json_check_keys(json, "p", keys, &error), "p.n: unknown field, expected one of schema, x");
    REFUSED(gsim_json_check_keys(twice, "p", keys, &error), "p.x: given twice");
    REFUSED(gsim_json_check_keys(list, "p.list", keys, &error),
            "p.list: expected an object with schema, x, found a list");
    REFUSED(gsim_json_check_schema(NULL, "a/1", &error), "top level: expected an object, found nothing");
    CHECK_OK(gsim_json_check_keys(json, "", some, &error), error);
    gsim_arena_release(&arena);
    cJSON_Delete(json);
    cJSON_Delete(twice);
}

static const struct test_case cases[] = {{"taken", taken}, {"refused", refused}};

TEST_MAIN("sim/base/json", cases)
