/* SPDX-License-Identifier: GPL-3.0-or-later */
/* serving/blocks.h by hand: blocks of 16 tokens, six of them. */
#include "serving/blocks.h"

#include "tests/test.h"

static void test_fit(void)
{
    struct gsim_cache_blocks b;
    gsim_blocks_init(&b, 100, 16); /* 6.25 */
    CHECK_NEAR(b.all, 6, 0);
    CHECK(gsim_blocks_fit(&b, 0, 96));
    CHECK(!gsim_blocks_fit(&b, 0, 97));
    double held = 0;
    CHECK(gsim_blocks_hold(&b, 0, &held, 33, GSIM_BLOCKS_NOBODY, 0)); /* three */
    CHECK_NEAR(held, 3, 0);
    CHECK(gsim_blocks_fit(&b, 0, 48) && !gsim_blocks_fit(&b, 0, 49));
    CHECK(gsim_blocks_fit(&b, 3, 96) && !gsim_blocks_fit(&b, 3, 97));
    CHECK(gsim_blocks_hold(&b, 10, &held, 17, GSIM_BLOCKS_NOBODY, 17)); /* two */
    CHECK(gsim_blocks_hold(&b, 15, &held, 80, GSIM_BLOCKS_NOBODY, 0));  /* five */
    CHECK(gsim_blocks_hold(&b, 17, &held, 0, GSIM_BLOCKS_NOBODY, 0));
    CHECK_NEAR(b.time, 3 * 10 + 2 * 5 + 5 * 2, 1e-9);
    CHECK_NEAR(b.most, 5, 0);
    CHECK_NEAR(b.used + held, 0, 0);
    gsim_blocks_release(&b);
    gsim_blocks_init(&b, 0, 16); /* no limit */
    CHECK(gsim_blocks_fit(&b, 0, 1e9));
    CHECK(gsim_blocks_hold(&b, 0, &held, 160, 1, 160) && gsim_blocks_hold(&b, 1, &held, 0, 1, 160));
    CHECK_NEAR(gsim_blocks_back(&b, 2, &held, 1), 0, 0);
    CHECK_NEAR(b.most, 10, 0);
    gsim_blocks_release(&b);
}

/* What was given back and not taken by others is there again. */
static void test_back(void)
{
    struct gsim_cache_blocks b;
    double one = 0, two = 0, three = 0;
    gsim_blocks_init(&b, 96, 16);
    CHECK(gsim_blocks_hold(&b, 0, &one, 64, 1, 0));
    CHECK(gsim_blocks_hold(&b, 1, &one, 0, 1, 50)); /* three of the four are full of what was computed */
    CHECK(gsim_blocks_hold(&b, 2, &two, 48, 2, 0)); /* two that nobody has had, and the one of nobody */
    CHECK_NEAR(b.used, 3, 0);
    CHECK_NEAR(gsim_blocks_back(&b, 3, &one, 2), 0, 0);
    CHECK_NEAR(gsim_blocks_back(&b, 3, &one, 1), 48, 0);
    CHECK_NEAR(one, 3, 0);
    CHECK_NEAR(b.used, 6, 0);
    CHECK_NEAR(b.time, 4 + 3, 1e-9);
    CHECK_NEAR(gsim_blocks_back(&b, 4, &one, 1), 0, 0); /* once */
    CHECK(gsim_blocks_hold(&b, 5, &one, 16, 1, 48));    /* two left behind, all of them full */
    CHECK(gsim_blocks_hold(&b, 6, &two, 0, 2, 16));     /* three, of which one is full */
    CHECK(gsim_blocks_hold(&b, 7, &three, 48, 3, 0));   /* the oldest three: both of the first, and one of nobody */
    CHECK_NEAR(gsim_blocks_back(&b, 8, &one, 1), 0, 0);
    CHECK_NEAR(gsim_blocks_back(&b, 8, &two, 2), 16, 0);
    CHECK(gsim_blocks_hold(&b, 9, &two, 0, 2, 16));
    CHECK(gsim_blocks_hold(&b, 9, &three, 64, 3, 0)); /* the last of nobody, before the second one's */
    CHECK_NEAR(gsim_blocks_back(&b, 9, &two, 2), 16, 0);
    CHECK_NEAR(b.used, 6, 0);
    gsim_blocks_release(&b);
}

static const struct test_case cases[] = {{"what fits", test_fit}, {"what comes back", test_back}};
TEST_MAIN("serving/blocks", cases)
