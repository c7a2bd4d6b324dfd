/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * GrSched's rules beyond the graph (that: golden/plans/test_grsched.c): attaching, prefetching, what host accesses
 * synchronise, copies in explicit memory, the run-time cost and its spread.
 */
#include "tests/schedulers/check.h"
#include "tests/schedulers/programs.h"

static struct recorder *run(const char *const *lines, const char *options, enum gsim_memory_mode memory, bool prefetch,
                            uint32_t iterations, struct gsim_program *program)
{
    enum gsim_status status;
    struct gsim_error error;
    program_write(lines, GSIM_INIT_HOST, program);
    struct trial t = {.ops = gsim_scheduler_find("grsched"), .program = program, .memory = memory, .prefetch = prefetch,
                      .iterations = iterations, .options = options};
    struct recorder *r = trial_run(&t, &status, &error);
    CHECK_OK(status, error);
    CHECK_STR(check_record(&t, r).text, "");
    return r;
}

/* Written arrays belong to the kernel's stream, const ones to all; again only when that changes. */
static void test_attach(void)
{
    static const char *const lines[] = {"a: x > y", "b: y > y", "c: y > z", "?z", NULL};
    struct gsim_program program = {0};
    struct recorder *r = run(lines, NULL, GSIM_MEMORY_MANAGED, false, 1, &program);
    CHECK_INT(r->attaches, 3); /* y to a's stream, not again for b; y to all, z to the stream of c */
    CHECK_INT(r->syncs, 1);
    rec_destroy(r);
    gsim_program_release(&program);
    r = run(lines, "attach=auto", GSIM_MEMORY_MANAGED, false, 1, &program); /* the trial's device is 8.0 */
    CHECK_INT(r->attaches, 0);
    rec_destroy(r);
    gsim_program_release(&program);
}

/* The host reads x, which is const everywhere and so visible to all, while a runs: with attaching the whole
 * device is synchronised; without, two const uses do not conflict and nothing is. At the end all is. */
static void test_global_array(void)
{
    static const char *const lines[] = {"a: x > y", "?x", NULL};
    struct gsim_program program = {0};
    struct recorder *r = run(lines, NULL, GSIM_MEMORY_MANAGED, false, 1, &program);
    CHECK(rec_has(&r->items[1].before, 0));
    CHECK_INT(r->device_syncs, 1);
    rec_destroy(r);
    gsim_program_release(&program);
    r = run(lines, "attach=never", GSIM_MEMORY_MANAGED, false, 1, &program);
    CHECK(!rec_has(&r->items[1].before, 0));
    CHECK_INT(r->device_syncs, 1);
    rec_destroy(r);
    gsim_program_release(&program);
}

/* A host access takes the streams it needs and no more, and the host then knows of ancestors elsewhere. */
static void test_host_access(void)
{
    static const char *const lines[] = {"a: > x", "b: > y", "c: x y > z", "d: > w", "?z", "?y", "?w", NULL};
    struct gsim_program program = {0};
    struct recorder *r = run(lines, "attach=never", GSIM_MEMORY_MANAGED, false, 1, &program);
    CHECK_INT(r->syncs, 2); /* z: c's stream; y: b is c's ancestor, known; w: d's stream */
    CHECK(!rec_has(&r->items[4].before, 3));
    CHECK(rec_has(&r->items[6].before, 3));
    rec_destroy(r);
    gsim_program_release(&program);
}

/* Prefetches go on the kernel's own stream, ahead of its waits: of what the host had last, in iteration 0 also of
 * what nobody touched; in later ones of what the host read. */
static void test_prefetch(void)
{
    static const char *const lines[] = {"a: x > y", "b: y > z", "?z", NULL};
    struct gsim_program program = {0};
    struct recorder *r = run(lines, NULL, GSIM_MEMORY_MANAGED, true, 2, &program);
    static const struct { enum gsim_op_kind kind; uint32_t buffer;
    } expected[] = {{GSIM_OP_PREFETCH, 0}, {GSIM_OP_PREFETCH, 1},  {GSIM_OP_KERNEL, 0}, {GSIM_OP_PREFETCH, 2},
                    {GSIM_OP_KERNEL, 1},   {GSIM_OP_HOST_READ, 2}, {GSIM_OP_KERNEL, 0}, {GSIM_OP_PREFETCH, 2},
                    {GSIM_OP_KERNEL, 1},   {GSIM_OP_HOST_READ, 2}};
    CHECK_INT(r->item_count, 10);
    for (uint32_t n = 0; n < 10 && n < r->item_count; n++) {
        CHECK_INT(r->items[n].op->kind, expected[n].kind);
        CHECK_INT(r->items[n].op->args[0].buffer_index, expected[n].buffer);
    }
    rec_destroy(r);
    gsim_program_release(&program);
}

/* The program's own prefetches are left out, in favour of the same ones as ever. */
static void test_own_prefetch(void)
{
    static const char *const lines[] = {"^y", "^x", "a: x > y", NULL};
    struct gsim_program program = {0};
    struct recorder *r = run(lines, NULL, GSIM_MEMORY_MANAGED, true, 1, &program);
    CHECK_INT(r->item_count, 3);
    for (uint32_t n = 0; n < 2 && n < r->item_count; n++) {
        CHECK_INT(r->items[n].op->kind, GSIM_OP_PREFETCH);
        CHECK_INT(r->items[n].op->args[0].buffer_index, 1 - n); /* x was met second */
        CHECK_INT(r->items[n].op->index, 2);                    /* made for the kernel */
    }
    rec_destroy(r);
    gsim_program_release(&program);
    r = run(lines, NULL, GSIM_MEMORY_MANAGED, false, 1, &program);
    CHECK_INT(r->item_count, 1);
    rec_destroy(r);
    gsim_program_release(&program);
}

/* Two const users of a copied buffer on two streams: the second waits for the copy, not for the first. */
static void test_copies(void)
{
    static const char *const lines[] = {"a: x > y", "b: x > z", NULL};
    struct gsim_program program = {0};
    struct recorder *r = run(lines, NULL, GSIM_MEMORY_PINNED, false, 1, &program);
    CHECK_INT(r->item_count, 3);
    CHECK_INT(r->items[0].op->kind, GSIM_OP_COPY);
    CHECK(rec_has(&r->items[2].before, 0));
    CHECK(!rec_has(&r->items[2].before, 1));
    CHECK_INT(r->waits, 1);
    rec_destroy(r);
    gsim_program_release(&program);
}

/* cost_us per kernel; with a spread its logarithm is normal: mean ln(10), sigma 0.62, here over 400 kernels (the
 * standard errors are 0.031 and 0.022: five of each), and equal for equal seeds. */
static void test_cost(void)
{
    static const char *const lines[] = {"a: x > y", NULL};
    struct gsim_program program = {0};
    double sum = 0, squares = 0;
    program_write(lines, GSIM_INIT_HOST, &program);
    for (unsigned long seed = 0; seed < 400; seed++) {
        enum gsim_status status;
        struct gsim_error error;
        struct trial t = {.ops = gsim_scheduler_find("grsched"),
                          .program = &program,
                          .options = "cost_spread=0.62",
                          .seed = seed * 7919};
        struct recorder *r = trial_run(&t, &status, &error), *again = trial_run(&t, &status, &error);
        CHECK(r->host_us > 0 && r->host_us == again->host_us);
        sum += log(r->host_us);
        squares += log(r->host_us) * log(r->host_us);
        rec_destroy(r);
        rec_destroy(again);
    }
    CHECK_NEAR(sum / 400, log(10), 5 * 0.031);
    CHECK_NEAR(sqrt(squares / 400 - sum / 400 * sum / 400), 0.62, 5 * 0.022);
    gsim_program_release(&program);
}

static const struct test_case cases[] = {
    {"attach", test_attach},
    {"host access to a global array", test_global_array},
    {"host accesses", test_host_access},
    {"prefetch", test_prefetch},
    {"a prefetch of the program", test_own_prefetch},
    {"copies", test_copies},
    {"run-time cost", test_cost},
};

TEST_MAIN("schedulers/grsched", cases)
