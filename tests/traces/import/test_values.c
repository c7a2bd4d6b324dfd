/* SPDX-License-Identifier: GPL-3.0-or-later */
/* traces/import/values.h by hand: numbers as profilers write them. */
#include "traces/import/values.h"

#include "tests/test.h"

static void test_ns(void)
{
    static const struct {
        const char *text;
        int64_t ns;
    } rows[] = {
        {"1", 1000}, {"1.5,", 1500}, {"-2.25", -2250}, {"0.001}", 1}, {"0", 0}, {"007.5", 7500},
        {"1e3", 1000000}, {"2.5E-1", 250}, {"12e+1", 120000}, {"1e-4000", 0}, {"1e4000", INT64_MAX}, {"0e4000", 0},
        {"-1e30", -INT64_MAX}, {"1e1001", INT64_MAX},
        /* downwards, but up from 0.9995 on */
        {"1.0005", 1000}, {"1.0009994", 1000}, {"1.0009995", 1001}, {"1.00099949", 1000}, {"0.0009996", 1},
        {"0.00000000000001", 0},
        /* beyond a double's 53 bits, and beyond 64 */
        {"1719999999999999.123", 1719999999999999123}, {"123456789012345.6789012", 123456789012345678},
        {"9223372036854775.807", INT64_MAX - 7}, {"12345678901234567890", INT64_MAX}, {"9300000000000000", INT64_MAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t found = gsim_value_ns(rows[i].text);
        CHECK_MSG(found == rows[i].ns, "%s: %" PRId64 ", expected %" PRId64, rows[i].text, found, rows[i].ns);
    }
}

static void test_numbers(void)
{
    CHECK_NEAR(gsim_value_number("12.5", 7), 12.5, 0);
    CHECK_NEAR(gsim_value_number("\"  -3\"", 7), -3, 0);
    static const char *const none[] = {"\"x3\"", "-", "--3", "null", "[3]", "\"\"", "+3", ".5"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        CHECK_MSG(gsim_value_number(none[i], 7) == 7, "%s", none[i]);
        CHECK_MSG(gsim_value_id(none[i]) == 0, "%s", none[i]);
    }
    CHECK_NEAR(gsim_value_number(NULL, 7), 7, 0);
    CHECK(gsim_value_id("9007199254740992") == UINT64_C(9007199254740992) && gsim_value_id("1e16") == 0);
    CHECK(gsim_value_id("1") == 1 && gsim_value_id("0.5") == 0 && gsim_value_id("\"42\"") == 42);
    CHECK(gsim_value_is_text("\"ab\"", "ab") && !gsim_value_is_text("\"abc\"", "ab"));
    CHECK(!gsim_value_is_text(NULL, "ab"));
    CHECK(!gsim_value_is_text("ab", "ab") && !gsim_value_is_text("\"ab\"", "abc"));
    CHECK(gsim_value_is_missing(NULL) && gsim_value_is_missing("null") && gsim_value_is_missing("\"\""));
    CHECK(!gsim_value_is_missing("0") && !gsim_value_is_missing("\"n\""));
    CHECK_STR(gsim_value_member("{\"a\": 1, \"b\": {\"a\": 2}, \"a\": 3}", "a"), "3}");
    CHECK(!gsim_value_member("[1]", "a") && !gsim_value_member(NULL, "a") && !gsim_value_member("{\"b\": 1}", "a"));
}

static void test_sizes(void)
{
    static const struct {
        const char *text;
        int count;
        double sizes[3];
        int wrong; /* where in the text; -1: nowhere */
    } rows[] = {{"[64,2,1]", 3, {64, 2, 1}, -1}, {"[2]", 1, {2}, -1}, {"[1,2,3,9]", 4, {1, 2, 3}, -1},
                {"[4096,\"8\"]", 2, {4096, 8}, -1}, {"[1,4097,0]", 2 + 1, {1, 4097, 0}, 3}, {"[0]", 1, {0}, 1},
                {"[1.5]", 1, {1.5}, 1}, {"[1,x]", 2, {1, 0}, 3}, {"\"(64, 2, 1)\"", 3, {64, 2, 1}, -1},
                {"\"grid 7\"", 1, {7}, -1}, {"\"-7\"", 1, {-7}, 0}, {"\"2x5000\"", 2, {2, 5000}, 0},
                {"\"none\"", 0, {0}, -1}, {"12", 0, {0}, -1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double sizes[3] = {0};
        const char *wrong;
        int count = gsim_value_sizes(rows[i].text, 4096, sizes, &wrong);
        ptrdiff_t at = wrong ? wrong - rows[i].text : -1;
        CHECK_MSG(count == rows[i].count && at == rows[i].wrong, "%s: %d, wrong at %td", rows[i].text, count, at);
        for (int k = 0; k < 3 && k < count; k++) CHECK_NEAR(sizes[k], rows[i].sizes[k], 0);
    }
    const char *wrong;
    CHECK_INT(gsim_value_sizes(NULL, 9, (double[3]){0}, &wrong), 0);
}

static void test_streams(void)
{
    static const struct {
        const char *text;
        uint64_t number;
    } rows[] = {{"7", 7}, {"\"0x10\"", 16}, {"010", 10}, {"94489280512", 94489280512}, {"\"queue 12\"", 12},
                {"\"q7b3\"", 3}};
    static const char *const none[] = {"-1", "4294967295", "18446744073709551615", "null", "\"\"", "true", "\"-1\""};
    uint64_t a = 0, b = 0, again = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_MSG(gsim_value_stream(rows[i].text, &a) && a == rows[i].number, "%s: %" PRIu64, rows[i].text, a);
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        CHECK_MSG(!gsim_value_stream(none[i], &a), "%s", none[i]);
    CHECK(!gsim_value_stream(NULL, &a));
    CHECK(gsim_value_stream("\"queue A\"", &a) && gsim_value_stream("\"queue B\"", &b));
    CHECK(gsim_value_stream("\"queue A\", 5", &again) && a == again && a != b && a <= INT64_MAX && b <= INT64_MAX);
    CHECK(gsim_hash_value(5, NULL) == 5 && gsim_hash_value(5, "[1]") != gsim_hash_value(5, "[2]"));
}

static const struct test_case cases[] = {
    {"nanoseconds", test_ns}, {"numbers", test_numbers}, {"sizes", test_sizes}, {"streams", test_streams}};
TEST_MAIN("traces/import/values", cases)
