/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sim/base/names.h: what was added is found, nothing else is, and the table grows before it is full. */
#include "sim/base/names.h"

#include "tests/test.h"

#define COUNT 1000

static void test_find(void)
{
    static char texts[COUNT][8];
    struct gsim_names names = {0};
    struct gsim_error error = {0};
    CHECK_INT(gsim_names_find(&names, "n0"), GSIM_NAME_NONE);
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(texts[i], sizeof texts[i], "n%u", i);
        CHECK_OK(gsim_names_add(&names, texts[i], 7 * i, &error), error);
        CHECK(names.count == i + 1 && names.size >= 64 && !(names.size & (names.size - 1)));
        CHECK(4ull * names.count <= 3ull * names.size && (names.size == 64 || 3ull * names.size < 8ull * names.count));
        CHECK_INT(gsim_names_find(&names, "n1000"), GSIM_NAME_NONE);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        char copy[8];
        snprintf(copy, sizeof copy, "n%u", i);
        CHECK_INT(gsim_names_find(&names, copy), 7 * i);
    }
    CHECK_INT(gsim_names_find(&names, ""), GSIM_NAME_NONE);
    CHECK_INT(gsim_names_find(&names, "n"), GSIM_NAME_NONE);
    gsim_names_release(&names);
    CHECK(!names.size && !names.count);
    CHECK_INT(gsim_names_find(&names, "n0"), GSIM_NAME_NONE);
}

static const struct test_case cases[] = {{"a thousand names", test_find}};
TEST_MAIN("sim/base/names", cases)
