/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * heft by hand: rank_u(i) = w_i + max over successors of (c_ij + rank_u(j)) orders the ops, each goes where it ends
 * first, gaps are filled (Topcuoglu 2002, equations 8 and 6). Expected streams and orders follow from the times given.
 */
#include "tests/schedulers/check.h"
#include "tests/schedulers/programs.h"

/* Kernel K of PROGRAM alone takes US[K]; the kernels of a program have different names, so each is an entry. */
static void set_times(struct gsim_program *program, const double *us)
{
    for (uint32_t k = 0; k < program->kernel_count; k++) program->kernels[k].solo_us = us[k];
}

static struct recorder *run(const struct gsim_program *program, const char *options, enum gsim_memory_mode memory,
                            bool prefetch)
{
    enum gsim_status status;
    struct gsim_error error;
    struct trial t = {.ops = gsim_scheduler_find("heft"),
                      .program = program,
                      .memory = memory,
                      .prefetch = prefetch,
                      .options = options};
    struct recorder *r = trial_run(&t, &status, &error);
    CHECK_OK(status, error);
    CHECK_STR(check_record(&t, r).text, "");
    return r;
}

/* The names of the kernels in the order of their calls, and each one's stream. */
static void describe(const struct gsim_program *program, const struct recorder *r, char text[128])
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < r->item_count; i++)
        if (r->items[i].op->kind == GSIM_OP_KERNEL)
            used += (size_t)snprintf(text + used, 128 - used, "%s%s%u", used ? " " : "",
                                     program->kernels[r->items[i].op->kernel_index].name, r->items[i].stream);
}

static void test_placing(void)
{
    static const struct {
        const char *what, *lines[8], *options;
        double us[6];
        const char *expected;
        uint32_t waits;
    } table[] = {
        /* Ranks 41, 26, 30, 5, an edge costing 2 * 1/2 on average: c, on the longer path, follows a in its stream. */
        {"the longer path stays in its stream",
         {"a: u > x", "b: x > y", "c: x > z", "d: y z > w", NULL},
         "streams=2 cross_us=2",
         {10, 20, 24, 5},
         "a1 c1 b2 d1",
         2},
        {"no other stream where crossing costs more",
         {"a: u > x", "b: x > y", "c: x > z", "d: y z > w", NULL},
         "streams=2 cross_us=100",
         {10, 1, 20, 5},
         "a1 c1 b1 d1",
         0},
        /* An edge costs 10 * 1/2 on average with two streams, 10 * 2/3 with three: ranks 25, 27 and 10, or 26.7, 26
           and 10. */
        {"crossing costs (n - 1) / n on average, two",
         {"a: u > x", "c: x > z", "b: v > y", NULL},
         "streams=2 cross_us=10",
         {10, 10, 27},
         "a2 b1 c2",
         0},
        {"the same of three",
         {"a: u > x", "c: x > z", "b: v > y", NULL},
         "streams=3 cross_us=10",
         {10, 10, 26},
         "a1 b2 c1",
         0},
        {"one stream, ranks alone", {"a: u > x", "b: v > y", "c: w > z", NULL}, "streams=1", {5, 9, 7}, "b1 c1 a1", 0},
        {"the stream that is free first",
         {"a: u > x", "b: v > y", "c: w > z", NULL},
         "streams=2",
         {5, 9, 7},
         "b1 c2 a2",
         0},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct gsim_program program = {0};
        char found[128];
        program_write(table[i].lines, GSIM_INIT_DEVICE, &program);
        set_times(&program, table[i].us);
        struct recorder *r = run(&program, table[i].options, GSIM_MEMORY_MANAGED, false);
        describe(&program, r, found);
        CHECK_MSG(strcmp(found, table[i].expected) == 0, "%s: found %s, expected %s", table[i].what, found,
                  table[i].expected);
        CHECK_INT(r->waits, table[i].waits);
        rec_destroy(r);
        gsim_program_release(&program);
    }
}

/* Stream 2 holds b from 0 to 4, then waits for a (10) and the crossing (2): c from 12 on. The small one, last by rank,
 * fits between where gaps are filled, and comes behind everything where not. */
static void test_insertion(void)
{
    static const char *const lines[] = {"a: u > x", "d: x > p", "c: x > q", "s: v > r", NULL};
    static const double us[] = {10, 30, 29, 6};
    struct gsim_program program = {0};
    char found[128];
    program_write(lines, GSIM_INIT_DEVICE, &program);
    set_times(&program, us);
    struct recorder *r = run(&program, "streams=2 cross_us=2", GSIM_MEMORY_MANAGED, false);
    describe(&program, r, found);
    CHECK_STR(found, "a1 s2 d1 c2");
    rec_destroy(r);
    r = run(&program, "streams=2 cross_us=2 insertion=off", GSIM_MEMORY_MANAGED, false);
    describe(&program, r, found);
    CHECK_STR(found, "a1 d1 c2 s1");
    rec_destroy(r);
    gsim_program_release(&program);
}

/* Transfers have a stream per direction, host ops keep their order. */
static void test_transfers(void)
{
    static const char *const lines[] = {"a: u > x", "b: v > y", "?y", "?x", NULL};
    static const double us[] = {5, 5};
    struct gsim_program program = {0};
    program_write(lines, GSIM_INIT_HOST, &program);
    set_times(&program, us);
    struct recorder *r = run(&program, "streams=2", GSIM_MEMORY_PINNED, false);
    int32_t last_host = -1;
    for (uint32_t i = 0; i < r->item_count; i++) {
        const struct gsim_op *op = r->items[i].op;
        if (op->kind == GSIM_OP_COPY) CHECK_INT(r->items[i].stream, op->copy_kind == GSIM_COPY_H2D ? 3 : 4);
        if (op->kind == GSIM_OP_KERNEL) CHECK(r->items[i].stream <= 2);
        if (op->kind != GSIM_OP_HOST_READ) continue;
        CHECK((int32_t)op->index > last_host);
        last_host = (int32_t)op->index;
    }
    CHECK_INT(last_host, 3);
    CHECK_INT(r->stream_count - 1, 4);
    rec_destroy(r);
    gsim_program_release(&program);
}

static const struct test_case cases[] = {
    {"ranks and places", test_placing},
    {"gaps are filled", test_insertion},
    {"transfers and host ops", test_transfers},
};

TEST_MAIN("schedulers/heft", cases)
