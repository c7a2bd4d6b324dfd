/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Control characters, of all kinds that a terminal or a reader obeys, are found and made a '?'; all else stays.
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

static const struct test_case cases[] = {{"control characters", test_control}, {"messages", test_messages}};
TEST_MAIN("sim/base/text", cases)
