/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Worker processes: every item comes back once, whatever workers do on the way. */
#include <signal.h>
#include <unistd.h>

#include "sim/base/jobs/pool.h"
#include "tests/test.h"

enum { ITEMS = 77, ENDLESS = 27 };

/* One item never ends; of 50 each, one crashes, one exits; the others answer with their square. */
static void run(void *data, uint64_t item, struct gsim_bytes *outcome)
{
    uint64_t square = item * item;
    (void)data;
    if (item % 50 == 13) {
        fprintf(stderr, "first line\nitem %d is unlucky\n", (int)item);
        raise(SIGKILL); /* which sanitizers leave alone */
    }
    if (item == ENDLESS || item == ENDLESS + 50) pause();
    if (item % 50 == 41) _exit(5);
    gsim_bytes_add(outcome, &square, sizeof(square));
}

static void note_failure(void *data, uint64_t item, enum gsim_item_end end, const char *message,
                         struct gsim_bytes *outcome)
{
    (void)data;
    CHECK_INT(end, item == ENDLESS ? GSIM_ITEM_TIMEOUT : GSIM_ITEM_CRASHED);
    CHECK_HAS(message, item % 50 == 13 ? "signal 9" : item == ENDLESS ? "time limit of 2 s" : "ended with status 5");
    if (item % 50 == 13) CHECK_HAS(message, "is unlucky"); /* its last words */
    gsim_bytes_add(outcome, "?", 1);
}

static enum gsim_status take(void *data, uint64_t item, const char *outcome, size_t length, struct gsim_error *error)
{
    unsigned *counts = data;
    uint64_t square = 0;
    (void)error;
    CHECK(item < ITEMS);
    counts[item]++;
    if (length == sizeof(square)) {
        memcpy(&square, outcome, sizeof(square));
        CHECK_INT(square, item * item);
    } else {
        CHECK_MSG(length == 1 && (item % 50 == 13 || item == ENDLESS || item % 50 == 41), "item %d", (int)item);
    }
    return GSIM_OK;
}

static void every_item_once(void)
{
    for (uint32_t jobs = 1; jobs <= 3; jobs++) {
        struct gsim_pool_config config = {.jobs = jobs, .timeout_s = 2, .run = run, .fail = note_failure};
        struct gsim_pool *pool;
        struct gsim_error error = {0};
        unsigned counts[ITEMS] = {0};
        uint64_t next = 0;
        CHECK_OK(gsim_pool_create(&config, &pool, &error), error);
        do {
            for (size_t room = gsim_pool_room(pool, ITEMS - next); room && next < ITEMS; room--)
                CHECK_OK(gsim_pool_put(pool, next++, &error), error);
            CHECK_OK(gsim_pool_wait(pool, 100, take, counts, &error), error);
        } while (gsim_pool_held(pool) || next < ITEMS);
        gsim_pool_destroy(pool);
        for (int i = 0; i < ITEMS; i++)
            CHECK_MSG(counts[i] == 1, "item %d came %u times with %u workers", i, counts[i], jobs);
    }
}

/* However long a worker would still be busy. */
static void destroying_does_not_wait(void)
{
    struct gsim_pool_config config = {.jobs = 2, .run = run, .fail = note_failure};
    struct gsim_pool *pool;
    struct gsim_error error = {0};
    CHECK_OK(gsim_pool_create(&config, &pool, &error), error);
    CHECK_OK(gsim_pool_put(pool, ENDLESS, &error), error);
    CHECK_OK(gsim_pool_put(pool, ENDLESS + 50, &error), error);
    gsim_pool_destroy(pool);
}

static const struct test_case cases[] = {
    {"every item once", every_item_once},
    {"destroying does not wait", destroying_does_not_wait},
};
TEST_MAIN("sweep/pool", cases)
