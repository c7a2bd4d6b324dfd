/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Places against one value per byte: random writes and marks on buffers of 64 bytes.
 */
#include "sim/program/extents.h"

#include "gpusim/memory.h"
#include "gpusim/random.h"
#include "tests/test.h"

#define BYTES 64

struct value {
    int writer, marks;
};

static void check_all(struct gsim_extents *places, uint32_t place, const struct value *bytes, bool cuts)
{
    for (uint64_t at = 0; cuts && at < BYTES; at++) {
        struct gsim_extents_found found = gsim_extents_find(places, place, at, at + 1);
        const struct value *value = found.values;
        CHECK_INT(found.count, 1);
        CHECK_INT(value->writer, bytes[at].writer);
        CHECK_INT(value->marks, bytes[at].marks);
    }
}

/* A write sets a new value, a mark adds to what is there. */
static void act(struct gsim_extents *places, uint32_t place, uint64_t begin, uint64_t end, int writer, bool writes,
                struct value *bytes)
{
    struct gsim_extents_found found = gsim_extents_find(places, place, begin, end);
    struct value *values = found.values;
    CHECK(found.count > 0);
    for (uint32_t i = 0; i < found.count && !writes; i++) values[i].marks++;
    if (writes) {
        values[0] = (struct value){writer, 0};
        gsim_extents_join(places, place, &found);
    }
    for (uint64_t at = begin; at < end && at < BYTES; at++) {
        if (writes) bytes[at] = (struct value){writer, 0};
        else bytes[at].marks++;
    }
}

static void against_bytes(void)
{
    struct gsim_error error = {0};
    for (unsigned long seed = 1; seed <= 60; seed++) {
        struct gsim_random rng = {0};
        struct gsim_extents places;
        struct value bytes[3][BYTES];
        CHECK_OK(gsim_random_init(&rng, seed, &error), error);
        CHECK(gsim_extents_init(&places, 3, sizeof(struct value), &(struct value){-1, 0}));
        for (int b = 0; b < 3; b++)
            for (int at = 0; at < BYTES; at++) bytes[b][at] = (struct value){-1, 0};
        for (int step = 0; step < 120; step++) {
            uint32_t place = gsim_random_integer(&rng, 3);
            uint64_t begin = gsim_random_integer(&rng, BYTES),
                     end = begin + 1 + gsim_random_integer(&rng, (uint32_t)(BYTES - begin));
            if (gsim_random_integer(&rng, 6) == 0) {
                begin = 0;
                end = UINT64_MAX;
            }
            act(&places, place, begin, end, step, gsim_random_integer(&rng, 2), bytes[place]);
            check_all(&places, place, bytes[place], step % 10 == 9);
        }
        gsim_extents_release(&places);
        gsim_random_release(&rng);
    }
}

/* A write to all of a buffer makes it one piece again, and no more pieces stay than the accesses have ends. */
static void joins(void)
{
    struct gsim_extents places;
    int nobody = -1;
    CHECK(gsim_extents_init(&places, 1, sizeof nobody, &nobody));
    CHECK(!gsim_extents_was_cut(&places, 0));
    CHECK_INT(gsim_extents_find(&places, 0, 0, UINT64_MAX).count, 1);
    for (uint64_t at = 0; at < 10; at++) CHECK_INT(gsim_extents_find(&places, 0, 4 * at, 4 * at + 4).count, 1);
    CHECK(gsim_extents_was_cut(&places, 0));
    struct gsim_extents_found found = gsim_extents_find(&places, 0, 8, 24);
    CHECK_INT(found.count, 4);
    gsim_extents_join(&places, 0, &found);
    CHECK_INT(gsim_extents_find(&places, 0, 0, UINT64_MAX).count, 8);
    found = gsim_extents_find(&places, 0, 0, UINT64_MAX);
    gsim_extents_join(&places, 0, &found);
    CHECK_INT(gsim_extents_find(&places, 0, 0, UINT64_MAX).count, 1);
    gsim_extents_release(&places);
}

static void out_of_memory(void)
{
    int nobody = -1;
    bool is_done = false;
    for (uint64_t nth = 1; nth < 100 && !is_done; nth++) {
        struct gsim_extents places;
        gsim_alloc_fail_nth(nth);
        bool has_all = gsim_extents_init(&places, 4, sizeof nobody, &nobody);
        for (uint64_t at = 0; at < 200 && has_all; at++)
            has_all = gsim_extents_find(&places, 2, 2 * at, 2 * at + 1).count > 0;
        is_done = gsim_alloc_fail_nth(0) < nth;
        CHECK(has_all == is_done);
        gsim_extents_release(&places);
    }
    CHECK(is_done);
}

static const struct test_case cases[] = {
    {"against a value per byte", against_bytes},
    {"a write joins pieces", joins},
    {"every allocation may fail", out_of_memory},
};

TEST_MAIN("sim/program/places", cases)
