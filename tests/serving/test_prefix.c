/* SPDX-License-Identifier: GPL-3.0-or-later */
/* serving/prefix.h: which blocks are kept, by hand: the one that was used longest ago goes first. */
#include "serving/prefix.h"

#include "tests/test.h"

static uint32_t found(struct gsim_prefix *p, uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t blocks[] = {a, b, c};
    return gsim_prefix_find(p, blocks, 3, false);
}

static void test_kept(void)
{
    struct gsim_prefix *p = gsim_prefix_create();
    const uint64_t first[] = {11, 12, 13}, second[] = {11, 21}, third[] = {31, 32};
    CHECK_INT(found(p, 11, 12, 13), 0);
    CHECK(gsim_prefix_keep(p, first, 3, 3)); /* as many as there is room for */
    CHECK_INT(found(p, 11, 12, 13), 3);
    CHECK_INT(found(p, 11, 13, 99), 2);
    CHECK_INT(found(p, 12, 99, 13), 1); /* none behind one that is not there */
    CHECK_INT(found(p, 99, 11, 12), 0);
    CHECK(gsim_prefix_keep(p, second, 2, 3.5)); /* used last: 13, 11, 21; 12 is gone */
    CHECK_INT(found(p, 11, 12, 13), 1);
    CHECK_INT(found(p, 13, 11, 21), 3);
    CHECK_INT(gsim_prefix_find(p, first, 1, true), 1); /* 13, 21, 11 */
    CHECK_INT(found(p, 13, 21, 11), 3);                /* a look is no use */
    CHECK(gsim_prefix_keep(p, third, 2, 3));           /* 11, 31, 32 */
    CHECK_INT(found(p, 11, 31, 32), 3);
    CHECK_INT(found(p, 13, 11, 31), 0);
    CHECK_INT(found(p, 21, 11, 31), 0);
    CHECK(gsim_prefix_keep(p, first, 3, 4)); /* 32, 11, 12, 13: those that were gone are back */
    CHECK_INT(found(p, 11, 12, 13), 3);
    CHECK_INT(found(p, 32, 31, 11), 1);
    CHECK(gsim_prefix_keep(p, third, 1, 0));
    CHECK_INT(found(p, 31, 11, 13), 0); /* no room at all */
    CHECK(gsim_prefix_keep(p, second, 2, 2));
    CHECK_INT(found(p, 11, 21, 31), 2);
    gsim_prefix_destroy(p);
    gsim_prefix_destroy(NULL);
}

static const struct test_case cases[] = {{"by hand", test_kept}};
TEST_MAIN("serving/prefix", cases)
