/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Control characters, of all kinds that a terminal or a reader obeys, are found and made a '?'; all else stays.
 * Stretches of time with their units.
 */
#include "tests/test.h"

#include "gpusim/status.h"
#include "sim/base/text.h"

static const struct {
    const char *text, *clean;
    bool has;
} texts[] = {
    {"", "", false},
    {"plain ~", "plain ~", false},
    {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", false},
    {"\x1b[2J", "?[2J", true},
    {"a\rb\x7f", "a?b?", true},
    {"line\n\ttab", "line??tab", true},
    {"\xc2\x80\xc2\x9f\xc2\xa0", "??\xc2\xa0", true},
    {"\x9b" "31m", "?31m", true}, /* no UTF-8: a control character of ISO 8859 */
    {"\xe9t\xe9", "\xe9t\xe9", false},
    {"\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xae\xe2\x80\xaf", "\xe2\x80\xa7??\xe2\x80\xaf", true},
    {"\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa", "\xe2\x81\xa5??\xe2\x81\xaa", true},
    {"cut \xe2\x80", "cut \xe2?", true},
};

static void test_control(void)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", texts[i].text);
        CHECK_MSG(gsim_text_has_control(text, strlen(text)) == texts[i].has, "text %zu", i);
        CHECK_STR(gsim_text_clean(text), texts[i].clean);
    }
    CHECK(gsim_text_has_control("a\0b", 3));
}

/* Every message passes it, whoever quotes what. */
static void test_messages(void)
{
    struct gsim_error error = {0};
    gsim_error_set(&error, GSIM_INPUT, "found \"%s\"", "a\x1b[2J\xe2\x80\xaez");
    CHECK_STR(error.message, "found \"a?[2J?z\"");
    gsim_error_prefix(&error, "cannot read '%s'", "x\xc2\x9b.json");
    CHECK_STR(error.message, "cannot read 'x?.json': found \"a?[2J?z\"");
}

/* Four digits of any length, longer than gsim_time holds too. */
static void test_times(void)
{
    static const struct {
        double us;
        const char *text;
    } rows[] = {{0, "0 us"},
                {0.0123456, "12.35 ns"},
                {-1.5, "-1.500 us"},
                {1234, "1.234 ms"},
                {10499995e6, "10499995 s"}, /* 121 days */
                {9223372036854775.0, "9223372037 s"}, /* 2^63 ns */
                {9223372036854775.0 * 1000, "9223372036855 s"},
                {1e300, "1.000e+294 s"},
                {NAN, "-"}};
    char text[GSIM_TEXT_SIZE];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) CHECK_STR(gsim_text_us(text, rows[i].us), rows[i].text);
    CHECK_STR(gsim_text_time(text, gsim_time_from_us(12.34)), "12.34 us");
    CHECK(gsim_time_from_us(1e300) == GSIM_TIME_NEVER && gsim_time_from_us(-1e13) == -GSIM_TIME_NEVER);
    CHECK(gsim_time_from_us(9e12) == INT64_C(9000000000000000000));
}

static void test_windows(void)
{
    static const struct {
        const char *text;
        double from, to; /* NAN: none */
    } rows[] = {{"5:10", 5, 10},          {"250us:1.5ms", 250, 1500}, {"800ns:2s", 0.8, 2e6}, {":1s", 0, 1e6},
                {"2 ms:3 ms", 2000, 3000}, {"4ms:", 4000, INFINITY},   {":", 0, INFINITY},     {"0:1e3", 0, 1000},
                {"5", NAN, 0},            {"10:5", NAN, 0},           {"5:5", NAN, 0},        {"-1:5", NAN, 0},
                {"1min:2min", NAN, 0},    {"0x10:99", NAN, 0},        {"1:2:3", NAN, 0},      {"us:5", NAN, 0},
                {"nan:5", NAN, 0},        {"1:inf", NAN, 0},          {"", NAN, 0},           {"1us2:3", NAN, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double from, to;
        bool is_window = gsim_text_window(rows[i].text, &from, &to);
        CHECK_MSG(is_window == !isnan(rows[i].from), "'%s' is %s", rows[i].text, is_window ? "taken" : "refused");
        if (!is_window) continue;
        CHECK_MSG(fabs(from - rows[i].from) < 1e-9, "'%s' is from %g", rows[i].text, from);
        CHECK_MSG(to == rows[i].to || fabs(to - rows[i].to) < 1e-6, "'%s' is to %g", rows[i].text, to);
    }
}

static const struct test_case cases[] = {
    {"control characters", test_control}, {"messages", test_messages},
    {"times", test_times}, {"windows", test_windows}};
TEST_MAIN("sim/base/text", cases)
