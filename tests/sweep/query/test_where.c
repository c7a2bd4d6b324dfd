/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions: what holds of size = 1e6, sched = kesco, n = 3 and nothing (null), and what is refused. */
#include "sweep/query/where.h"

#include <stdlib.h>

#include "tests/test.h"

static bool value_of(void *data, const char *name, struct gsim_cell *value)
{
    (void)data;
    value->type = GSIM_CELL_NULL;
    if (strcmp(name, "size") == 0) *value = gsim_cell_real(1e6);
    if (strcmp(name, "sched") == 0) *value = gsim_cell_text("kesco");
    if (strcmp(name, "device.n-1") == 0) *value = gsim_cell_integer(3);
    return value->type != GSIM_CELL_NULL || strcmp(name, "nothing") == 0;
}

static const struct gsim_where_names names = {value_of, NULL};

static const struct {
    const char *text;
    bool holds;
} conditions[] = {
    {"size = 1e6", true},
    {"size == 1M", true},
    {"size != 1000k", false},
    {"size >= 1e6 && sched != serial", true},
    {"size > 1e6 || sched = 'kesco'", true},
    {"not sched = kesco", false},
    {"!(sched = kesco) or size<2e6", true},
    {"sched in (serial, kesco)", true},
    {"sched in (serial)", false},
    {"size in (1, 1e6)", true},
    {"size * 2 - 1e6 = 1e6", true},
    {"size / 4 % 2 = 0", true},
    {"-size < 0", true},
    {"1 + 2 * device.n-1 = 7", true},
    {"(1 + 2) * device.n-1 = 9", true},
    {"nothing = 1", false},
    {"nothing != 1", false},
    {"nothing + 1 > 0", false},
    {"sched = 3", false},
    {"sched != 3", true},
    {"sched < m", true},
    {"1 = size / 1e6 and sched = \"kesco\"", true},
    {"sched = kesco or size = 1 and size = 2", true}, /* and binds more strongly */
};

static void conditions_hold_or_not(void)
{
    for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
        struct gsim_arena arena = {0};
        struct gsim_error error = {0};
        struct gsim_where *where;
        enum gsim_status status = gsim_where_compile(conditions[i].text, &names, &arena, &where, &error);
        CHECK_MSG(status == GSIM_OK, "'%s': %s", conditions[i].text, error.message);
        if (status == GSIM_OK)
            CHECK_MSG(gsim_where_holds(where, &names) == conditions[i].holds, "'%s'", conditions[i].text);
        gsim_arena_release(&arena);
    }
}

static const char *const refusals[][2] = {
    {"", "found its end"},
    {"size >", "found its end"},
    {"size > 1 2", "expected a comparison sign"},
    {"(size > 1", "expected ')'"},
    {"sched = 'kesco", "closing quote"},
    {"shced = kesco", "'shced' is no name"},
    {"1 = 1", "no name"},
    {"3", "at least one name"},
    {"size in 3", "'(' and a list"},
    {"size in (3", "',' or ')'"},
    {"size > 1 &&", "found its end"},
    {"((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((size", "fewer"},
};

static void mistakes_are_refused(void)
{
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        struct gsim_arena arena = {0};
        struct gsim_error error = {0};
        struct gsim_where *where;
        CHECK_MSG(gsim_where_compile(refusals[i][0], &names, &arena, &where, &error) == GSIM_USAGE, "'%s'",
                  refusals[i][0]);
        CHECK_HAS(error.message, refusals[i][1]);
        gsim_arena_release(&arena);
    }
}

/* Neither depth nor length may use up the stack. */
static void long_conditions_are_refused(void)
{
    static const char *const parts[][2] = {{"- ", "minus signs"}, {"1 + ", "shorter"}, {"not ", "negations"}};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        struct gsim_arena arena = {0};
        struct gsim_error error = {0};
        struct gsim_where *where;
        size_t length = strlen(parts[i][0]), count = 1000000;
        char *text = malloc(count * length + 5);
        CHECK(text != NULL);
        if (!text) return;
        for (size_t j = 0; j < count; j++) memcpy(text + j * length, parts[i][0], length);
        memcpy(text + count * length, "size", 5);
        CHECK_INT(gsim_where_compile(text, &names, &arena, &where, &error), GSIM_USAGE);
        CHECK_HAS(error.message, parts[i][1]);
        free(text);
        gsim_arena_release(&arena);
    }
}

static const struct test_case cases[] = {
    {"conditions hold or not", conditions_hold_or_not},
    {"mistakes are refused", mistakes_are_refused},
    {"long conditions are refused", long_conditions_are_refused},
};
TEST_MAIN("sweep/where", cases)
