/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tree of times against a search, while things come, go and change. */
#include "tests/test.h"

#include "sim/base/soonest.h"

static uint32_t draw(uint64_t *state, uint32_t count)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 33) % count);
}

static void check(const struct gsim_soonest *s, const gsim_time *times, uint32_t things, uint32_t from, uint32_t limit)
{
    gsim_time first = GSIM_TIME_NEVER;
    uint32_t last = 0, count = 0, due = UINT32_MAX;
    bool is_alone;
    for (uint32_t i = 0; i < things; i++) {
        CHECK_INT(gsim_soonest_get(s, i), times[i]);
        if (times[i] < first) first = times[i];
    }
    for (uint32_t i = 0; i < things; i++) {
        if (times[i] != first) continue;
        last = i;
        count++;
        if (i >= from && i < limit && due == UINT32_MAX) due = i;
    }
    CHECK_INT(gsim_soonest_first(s), first);
    if (first == GSIM_TIME_NEVER) return;
    CHECK_INT(gsim_soonest_which(s, &is_alone), last);
    CHECK_INT(is_alone, count == 1);
    CHECK_INT(gsim_soonest_due(s, from, limit, first), due);
}

/* Drawn from few times, so that several are due at once. */
static void as_found(void)
{
    static struct gsim_soonest s;
    static gsim_time times[GSIM_SOONEST_MAX];
    uint64_t state = 1;
    uint32_t things = 0, wanted = GSIM_SOONEST_MAX;
    gsim_soonest_init(&s);
    for (int round = 0; round < 8000; round++) {
        if (things == wanted) wanted = draw(&state, 3) ? 1 + draw(&state, 40) : 1 + draw(&state, GSIM_SOONEST_MAX);
        if (things < wanted) {
            times[things++] = GSIM_TIME_NEVER;
            gsim_soonest_grow(&s, things);
        } else if (things > wanted) { /* the last takes the place of another */
            uint32_t gone = draw(&state, things--);
            times[gone] = times[things];
            gsim_soonest_set(&s, gone, times[gone]);
            gsim_soonest_set(&s, things, GSIM_TIME_NEVER);
            gsim_soonest_shrink(&s, things);
        }
        uint32_t index = draw(&state, things);
        times[index] = draw(&state, 5) ? 1000 + draw(&state, 20) : GSIM_TIME_NEVER;
        gsim_soonest_set(&s, index, times[index]);
        check(&s, times, things, draw(&state, things), draw(&state, things + 1));
    }
}

static void all_at_once(void)
{
    static struct gsim_soonest s;
    gsim_time times[100];
    uint64_t state = 2;
    gsim_soonest_init(&s);
    for (uint32_t i = 0; i < 100; i++) gsim_soonest_grow(&s, i + 1);
    for (int round = 0; round < 100; round++) {
        for (uint32_t i = 0; i < 100; i++) gsim_soonest_put(&s, i, times[i] = 1000 + draw(&state, 500));
        gsim_soonest_sort(&s, 100);
        check(&s, times, 100, draw(&state, 100), 100);
    }
}

/* Few of many leave no more room than several times as many need. */
static void room(void)
{
    static struct gsim_soonest s;
    gsim_soonest_init(&s);
    for (uint32_t i = 0; i < 300; i++) gsim_soonest_grow(&s, i + 1);
    CHECK_INT(s.leaves, 512);
    for (uint32_t i = 300; i-- > 1;) gsim_soonest_shrink(&s, i);
    CHECK_INT(s.leaves, 4);
}

static const struct test_case cases[] = {
    {"as a search finds", as_found},
    {"all at once", all_at_once},
    {"room", room},
};
TEST_MAIN("sim/soonest", cases)
