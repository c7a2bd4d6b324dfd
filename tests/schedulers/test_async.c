/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * async follows the author's stream numbers to the letter: which ops share a stream, priorities, where moves
 * go, and numbers that are sparse or missing.
 */
#include "tests/schedulers/check.h"
#include "tests/schedulers/programs.h"

static struct recorder *run(const struct gsim_program *program, enum gsim_memory_mode memory, bool prefetch)
{
    enum gsim_status status;
    struct gsim_error error;
    struct trial t = {.ops = gsim_scheduler_find("async"), .program = program, .memory = memory, .prefetch = prefetch};
    struct recorder *r = trial_run(&t, &status, &error);
    CHECK_OK(status, error);
    CHECK_STR(check_record(&t, r).text, "");
    return r;
}

static const char *const four[] = {"a: u > x", "b: v > y", "c: x > z", "d: y z > w", NULL};

/* Stream numbers of a, b, c, d -> the driver's, from 1, in ascending order of the author's. */
static void test_streams(void)
{
    static const struct { int32_t author[4]; uint32_t driver[4], streams, waits; } table[] = {
        {{0, 1, 0, 0}, {1, 2, 1, 1}, 2, 1},
        {{-1, -1, 7, 3}, {1, 1, 3, 2}, 3, 3},
        {{2000000000, 5, 5, 2000000000}, {2, 1, 1, 2}, 2, 2}, /* d waits for c, which follows b */
        {{-1, -1, -1, -1}, {1, 1, 1, 1}, 1, 0},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct gsim_program program = {0};
        program_write(four, GSIM_INIT_HOST, &program);
        for (int k = 0; k < 4; k++) program.ops[k].stream = table[i].author[k];
        struct recorder *r = run(&program, GSIM_MEMORY_MANAGED, false);
        for (int k = 0; k < 4; k++) CHECK_INT(r->items[k].stream, table[i].driver[k]);
        CHECK_INT(r->stream_count - 1, table[i].streams);
        CHECK_INT(r->waits, table[i].waits);
        rec_destroy(r);
        gsim_program_release(&program);
    }
}

/* u, x, z, w belong to the first stream, v and y, which b writes, to the second; the trial's device is 8.0, where
 * nothing is attached by itself. What two streams read stays visible to all. */
static void test_attach(void)
{
    static const struct { const char *options, *b, *d; uint32_t attaches; } table[] = {
        {"attach=always", "b: v > y", "d: y z > w", 6}, {"attach=always", "b: v u > y", "d: y z > w", 5},
        {"attach=always", "b: v > y", "d: y v > w", 5}, {NULL, "b: v > y", "d: y z > w", 0}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const char *lines[] = {"a: u > x", table[i].b, "c: x > z", table[i].d, NULL};
        enum gsim_status status;
        struct gsim_error error;
        struct gsim_program program = {0};
        program_write(lines, GSIM_INIT_HOST, &program);
        for (int k = 0; k < 4; k++) program.ops[k].stream = k == 1;
        struct trial t = {.ops = gsim_scheduler_find("async"),
                          .program = &program,
                          .memory = GSIM_MEMORY_MANAGED,
                          .options = table[i].options};
        struct recorder *r = trial_run(&t, &status, &error);
        CHECK_OK(status, error);
        CHECK_MSG(r->attaches == table[i].attaches, "%zu: %u attached", i, r->attaches);
        rec_destroy(r);
        gsim_program_release(&program);
    }
}

/* A prefetch of the program takes the author's stream, and asks for none where it is left out. */
static void test_own_prefetch(void)
{
    static const char *const lines[] = {"^x", "a: x > y", NULL};
    struct gsim_program program = {0};
    program_write(lines, GSIM_INIT_HOST, &program);
    program.ops[0].stream = 3;
    program.ops[0].priority = -2;
    program.ops[1].stream = 1;
    struct recorder *r = run(&program, GSIM_MEMORY_MANAGED, true);
    CHECK_INT(r->item_count, 2);
    CHECK_INT(r->stream_count - 1, 2);
    CHECK_INT(r->items[0].stream, 2);
    CHECK_INT(r->streams[2].priority, -2);
    CHECK_INT(r->waits, 1);
    rec_destroy(r);
    r = run(&program, GSIM_MEMORY_MANAGED, false);
    CHECK_INT(r->item_count, 1);
    CHECK_INT(r->stream_count - 1, 1);
    CHECK_INT(r->waits, 0);
    rec_destroy(r);
    r = run(&program, GSIM_MEMORY_PINNED, true); /* the copy in its place goes to the stream of early copies */
    CHECK_INT(r->item_count, 2);
    CHECK_INT(r->items[0].op->kind, GSIM_OP_COPY);
    CHECK_INT(r->stream_count - 1, 2);
    CHECK_INT(r->waits, 1);
    rec_destroy(r);
    gsim_program_release(&program);
}

/* A stream has the priority of its first op, whatever later ones say. */
static void test_priorities(void)
{
    struct gsim_program program = {0};
    program_write(four, GSIM_INIT_HOST, &program);
    for (int k = 0; k < 4; k++) program.ops[k].stream = k % 2;
    program.ops[1].priority = -3;
    program.ops[2].priority = -1;
    struct recorder *r = run(&program, GSIM_MEMORY_MANAGED, false);
    CHECK_INT(r->streams[1].priority, 0);
    CHECK_INT(r->streams[2].priority, -3);
    rec_destroy(r);
    gsim_program_release(&program);
}

/* Prefetches, and copies at their use, go with the op they serve; early copies have a stream of their own; a copy
 * back follows the op that made the data. */
static void test_moves(void)
{
    static const char *const lines[] = {"a: u > x", "b: v > y", "?y", NULL};
    static const struct { enum gsim_memory_mode memory; bool prefetch; uint32_t streams[8], count; } table[] = {
        {GSIM_MEMORY_MANAGED, true, {1, 1, 2, 2, 1, 2, REC_NONE}, 7},
        {GSIM_MEMORY_PINNED, false, {1, 1, 2, 2, 2, REC_NONE}, 6},
        {GSIM_MEMORY_PINNED, true, {3, 3, 1, 2, 2, REC_NONE}, 6},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct gsim_program program = {0};
        program_write(lines, GSIM_INIT_HOST, &program);
        program.ops[0].stream = 0;
        program.ops[1].stream = 1;
        struct recorder *r = run(&program, table[i].memory, table[i].prefetch);
        CHECK_INT(r->item_count, table[i].count);
        for (uint32_t n = 0; n < r->item_count && n < 8; n++)
            CHECK_MSG(r->items[n].stream == table[i].streams[n], "case %d: op %u on stream %u", (int)i, n,
                      r->items[n].stream);
        rec_destroy(r);
        gsim_program_release(&program);
    }
}

static const struct test_case cases[] = {
    {"the author's streams", test_streams},
    {"priorities", test_priorities},
    {"moves", test_moves},
    {"a prefetch of the program", test_own_prefetch},
    {"attached buffers", test_attach},
};

TEST_MAIN("schedulers/async", cases)
