/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The scanner reads without writing: after any walk and any decoding the text is the same, and a second walk finds the
 * same, above all where a name is written with escapes and is shorter than what stands there.
 */
#include "tests/test.h"

#include "sim/base/scan.h"

/* Walks the members of TEXT and appends "name=first-byte-of-the-value;" of each. */
static void walk(const char *text, char *told, size_t size)
{
    struct gsim_scan_text key;
    const char *rest;
    char name[64];
    told[0] = '\0';
    for (const char *value = gsim_scan_next(gsim_scan_start(text), &key, &rest); value;
         value = gsim_scan_next(gsim_scan_skip(value), &key, &rest)) {
        size_t used = strlen(told);
        snprintf(told + used, size - used, "%s=%c;", gsim_scan_key(&key, name, sizeof name), *value);
    }
}

static void test_walks_again(void)
{
    static const struct {
        const char *text, *told;
    } cases[] = {
        {"{\"\\\\us\":0\t\t}", "\\us=0;"},
        {"{\"\\u0061b\":1,\"c\\n\":[\"\\\"\"],\"\\ud83d\\ude00\":{}}", "ab=1;c?=[;\xf0\x9f\x98\x80={;"},
        {"{\"\":\"\\\\\",\"\\\"\":\"}\"}", "=\";\"=\";"},
        {"{}", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char before[96], told[96];
        size_t length = strlen(cases[i].text);
        char *text = gsim_alloc(length + 1); /* of its exact size: a sanitizer sees a read behind it */
        memcpy(text, cases[i].text, length + 1);
        snprintf(before, sizeof before, "%s", text);
        CHECK_INT(gsim_scan_check(text, length, NULL), GSIM_OK);
        for (int again = 0; again < 2; again++) {
            walk(text, told, sizeof told);
            CHECK_STR(told, cases[i].told);
            CHECK_STR(text, before);
        }
        gsim_free(text);
    }
}

static void test_names(void)
{
    static const struct {
        const char *text, *name;
        bool same;
    } cases[] = {
        {"{\"name\":1}", "name", true},          {"{\"name\":1}", "nam", false},
        {"{\"name\":1}", "names", false},        {"{\"n\\u0061me\":1}", "name", true},
        {"{\"n\\u0061me\":1}", "names", false},  {"{\"\":1}", "name", false},
        {"{\"na\\u0000me\":1}", "na", false},    {"{\"\\/\":1}", "/", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gsim_scan_text key;
        const char *rest;
        CHECK_INT(gsim_scan_check(cases[i].text, strlen(cases[i].text), NULL), GSIM_OK);
        (void)gsim_scan_next(cases[i].text, &key, &rest);
        CHECK_INT(gsim_scan_is(&key, cases[i].name), cases[i].same);
    }
}

/* The next member by its name: where it is written plainly, wherever white space is; the walk goes on behind its
 * value. */
static void test_next_named(void)
{
    const char *text = " { \"a\" : [1, 2] ,\n\"ab\":3,\"\\u0063\":4}", *value = gsim_scan_next_named(text, "a");
    CHECK(!gsim_scan_next_named(text, "ab") && !gsim_scan_next_named(text, "b"));
    CHECK_STR(value, "[1, 2] ,\n\"ab\":3,\"\\u0063\":4}");
    const char *behind = gsim_scan_skip(value);
    CHECK(!gsim_scan_next_named(behind, "a") && !gsim_scan_next_named(behind, "abc"));
    value = gsim_scan_next_named(behind, "ab");
    CHECK_STR(value, "3,\"\\u0063\":4}");
    behind = gsim_scan_skip(value);
    CHECK(!gsim_scan_next_named(behind, "c") && !gsim_scan_next_named("}", "c") && !gsim_scan_next_named("{}", ""));
}

static void test_strings(void)
{
    static const struct {
        const char *value, *text; /* NULL: refused */
    } cases[] = {
        {"\"abc\"", "abc"},
        {"\"\"", NULL},
        {"\"\\u0041\\u0042\\u0043\\u0044\\u0045\\u0046\\u0047\"",
         "ABCDEFG"}, /* longer than the room, its text is not */
        {"\"abcdefg\"", "abcdefg"},
        {"\"abcdefgh\"", NULL},
        {"\"\\ud83d\"", "\xef\xbf\xbd"},
        {"\"a\\n\"", NULL},
        {"\"a\\u0000b\"", NULL},
        {"\"\\u007f\"", NULL},
        {"\"\\u0085\"", NULL},
        {"\"\xc2\x9b\"", NULL},
        {"\"\\u202e\"", NULL},
        {"\"\xe2\x80\xae\"", NULL},
        {"\"\xe2\x81\xa6\"", NULL},
        {"\"\xc3\xa9\xe2\x82\xac\"", "\xc3\xa9\xe2\x82\xac"},
    };
    struct gsim_arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char room[8];
        CHECK_INT(gsim_scan_check(cases[i].value, strlen(cases[i].value), NULL), GSIM_OK);
        const char *text = gsim_scan_string(cases[i].value, room, sizeof room);
        CHECK_STR(text ? text : "none", cases[i].text ? cases[i].text : "none");
        const char *copy = gsim_scan_copy(cases[i].value, &arena);
        if (cases[i].text) CHECK_STR(copy ? copy : "none", cases[i].text);
    }
    gsim_arena_release(&arena);
}

/* What a message quotes steers no terminal, and a cut name ends at a whole character. */
static void test_found(void)
{
    char text[16];
    struct gsim_scan_text key;
    const char *rest, *object = "{\"abcdefgh\\u20ac\":0}";
    CHECK_STR(gsim_scan_found("\"a\xc2\x9b" "2J\xe2\x80\xae\"", text, sizeof text), "\"a?2J?\"");
    CHECK_STR(gsim_scan_found("[1]", text, sizeof text), "a list");
    (void)gsim_scan_next(object, &key, &rest);
    CHECK_STR(gsim_scan_key(&key, text, 12), "abcdefgh\xe2\x82\xac");
    CHECK_STR(gsim_scan_key(&key, text, 11), "abcdefgh");
}

/* Deep text costs neither stack nor time, a number of any length is a number. */
static void test_limits(void)
{
    static char text[1u << 20];
    memset(text, '[', sizeof text - 1);
    struct gsim_error error = {0};
    CHECK_INT(gsim_scan_check(text, sizeof text - 1, &error), GSIM_INPUT);
    CHECK_STR(error.message,
              "line 1, column 65: expected at most 64 lists and objects inside each other, found '['");
    memset(text, '9', sizeof text - 1);
    CHECK_INT(gsim_scan_check(text, sizeof text - 1, &error), GSIM_OK);
    CHECK(gsim_scan_number(text) > 1e308);
    CHECK(gsim_scan_skip(text) == text + sizeof text - 1);
}

/* The longest list or object in the outermost one, whatever is in and beside it. */
static void test_jump(void)
{
    static const struct {
        const char *text, *longest;
    } cases[] = {
        {"{\"a\":[1],\"b\": {\"c\":[[2],\"]}\"]} ,\"d\":[3]}", "{\"c\":[[2],\"]}\"]}"},
        {"[[],[4,[5,6]],\"a long text that is no list\"]", "[4,[5,6]]"},
        {"{\"a\":1}", ""},
        {"[]", ""},
        {"7", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gsim_scan_jump jump;
        size_t length = strlen(cases[i].longest);
        CHECK_INT(gsim_scan_check_jump(cases[i].text, strlen(cases[i].text), &jump, NULL), GSIM_OK);
        CHECK_INT(jump.to - jump.from, (long)length);
        CHECK_MSG(strncmp(jump.from, cases[i].longest, length) == 0, "%.*s, expected %s", (int)(jump.to - jump.from),
                  jump.from, cases[i].longest);
        CHECK(!length || jump.to == gsim_scan_skip(jump.from));
    }
}

static void test_short_numbers(void)
{
    static const char *const cases[] = {"0",    "-0",           "7",   "999999999",   "1000000000", "1234567890123",
                                        "12.5", "123456789.25", "3e2", "123456789E1", "-42",        "100000000e-8"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double expected = strtod(cases[i], NULL), found = gsim_scan_number(cases[i]);
        CHECK_MSG(memcmp(&expected, &found, sizeof found) == 0, "%s: %.17g, expected %.17g", cases[i], found, expected);
    }
}

static const struct test_case cases[] = {
    {"jump", test_jump},
    {"short numbers", test_short_numbers},
    {"next named", test_next_named},
    {"walks again", test_walks_again},
    {"names", test_names},
    {"strings", test_strings},
    {"found", test_found},
    {"limits", test_limits},
};
TEST_MAIN("sim/base/scan", cases)
