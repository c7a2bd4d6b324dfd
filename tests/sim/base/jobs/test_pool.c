/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Worker processes: every item comes back once, whatever workers do on the way. */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "sim/base/jobs/run.h"
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

static void answer(void *data, uint64_t item, struct gsim_bytes *outcome)
{
    (void)data;
    gsim_bytes_add(outcome, &item, sizeof item);
}

static void note_failure(void *data, uint64_t item, enum gsim_item_end end, const char *message,
                         struct gsim_bytes *outcome)
{
    (void)data;
    CHECK_INT(end, item == ENDLESS ? GSIM_ITEM_TIMEOUT : GSIM_ITEM_CRASHED);
    CHECK_HAS(message, item % 50 == 13 ? "signal 9" : item == ENDLESS ? "time limit of 2 s" : "ended with status 5");
    if (item % 50 == 13) CHECK_HAS(message, "is unlucky"); /* its last words */
    if (item % 50 == 41) CHECK_STR(message, "the worker ended with status 5");
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
        struct gsim_error error = {0};
        unsigned counts[ITEMS] = {0};
        struct gsim_pool_run all = {.pool = {.jobs = jobs, .timeout_s = 2, .run = run, .fail = note_failure},
                                    .count = ITEMS, .deliver = take, .data = counts};
        CHECK_OK(gsim_pool_run(&all, &error), error);
        CHECK_INT(all.received, ITEMS);
        for (int i = 0; i < ITEMS; i++)
            CHECK_MSG(counts[i] == 1, "item %d came %u times with %u workers", i, counts[i], jobs);
    }
}

struct few {
    struct gsim_pool_run run;
    uint64_t sum;
};

static enum gsim_status take_few(void *data, uint64_t item, const char *outcome, size_t length,
                                 struct gsim_error *error)
{
    struct few *few = data;
    (void)outcome, (void)length, (void)error;
    few->sum += item;
    if (item == 3) few->run.count = few->run.put;
    return GSIM_OK;
}

/* 3 + 1; from 8 on 8 + 9 + 10; and with one worker, behind the 3 that ends the run, no more than what it was given. */
static void lists_and_ends_are_kept(void)
{
    const uint64_t list[] = {3, 1};
    const struct gsim_pool_config config = {.jobs = 1, .run = run, .fail = note_failure};
    struct few listed = {.run = {.pool = config, .items = list, .count = 2}};
    struct few counted = {.run = {.pool = config, .first = 8, .count = 3}};
    struct few ended = {.run = {.pool = config, .first = 3, .count = 1000000000}};
    struct few *all[] = {&listed, &counted, &ended};
    const uint64_t sums[] = {4, 27};
    for (int i = 0; i < 3; i++) {
        struct gsim_error error = {0};
        all[i]->run.deliver = take_few;
        all[i]->run.data = all[i];
        if (i == 2) all[i]->run.pool.run = answer;
        CHECK_OK(gsim_pool_run(&all[i]->run, &error), error);
        CHECK_INT(all[i]->run.received, all[i]->run.put);
        if (i < 2) CHECK_INT(all[i]->sum, sums[i]);
    }
    CHECK(ended.run.put < 100000);
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
    errno = EINTR; /* of a call before */
    gsim_pool_destroy(pool);
}

static const struct test_case cases[] = {
    {"every item once", every_item_once},
    {"lists and ends are kept", lists_and_ends_are_kept},
    {"destroying does not wait", destroying_does_not_wait},
};
TEST_MAIN("sweep/pool", cases)
