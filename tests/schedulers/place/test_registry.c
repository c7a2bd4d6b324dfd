/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Placements by hand, on GPUs with links of 10 GB/s from the host, 5 to it and to each other. A program's kernels
 * have the times given; the expected GPUs follow from each rule.
 */
#include "gpusim/placement.h"
#include "tests/schedulers/programs.h"
#include "tests/test.h"

struct trial_place {
    const char *what, *lines[10];
    double us[8];
    const char *placement;
    uint32_t gpus;
    const char *expected; /* of each kernel, in the program's order */
    enum gsim_buffer_init init;
};

static const struct trial_place table[] = {
    {"one after the other",
     {"a: u > x", "b: v > y", "c: w > z", "d: x > q", NULL},
     {5, 5, 5, 5},
     "round-robin",
     3,
     "0120",
     GSIM_INIT_DEVICE},
    {"fewest streams, ties to the lowest",
     {"a: u > x", "b: v > y", "c: w > z", NULL},
     {5, 5, 5},
     "stream-aware",
     2,
     "010",
     GSIM_INIT_DEVICE},
    {"least work",
     {"a: u > x", "b: v > y", "c: w > z", "d: q > r", NULL},
     {10, 1, 1, 9},
     "least-loaded",
     2,
     "0111",
     GSIM_INIT_DEVICE},
    /* c lacks nothing on 0; d has half of its data on each, and the lowest wins; e has none anywhere: round robin goes
       on. */
    {"most bytes",
     {"a: u > x", "b: v > y", "c: x > z", "d: z y > q", "e: w > r", NULL},
     {5, 5, 5, 5, 5},
     "min-transfer-size",
     2,
     "01000",
     GSIM_INIT_HOST},
    {"soonest there",
     {"a: u > x", "b: v > y", "c: y > z", NULL},
     {5, 5, 5},
     "minmax-transfer-time",
     2,
     "011",
     GSIM_INIT_HOST},
    {"soonest there, best link",
     {"a: u > x", "b: v > y", "c: y > z", NULL},
     {5, 5, 5},
     "minmin-transfer-time",
     2,
     "011",
     GSIM_INIT_HOST},
    /* c lacks h, i and j on 0: 300 us from the host, 600 from GPU 1; on 1 it lacks x and w, which 0 alone has: 400. */
    {"the best of unlike links",
     {"a: u > x w", "b: h i j > y", "c: x w h i j > z", NULL},
     {5, 5, 5},
     "minmin-transfer-time",
     2,
     "010",
     GSIM_INIT_HOST},
    {"the worst of unlike links",
     {"a: u > x w", "b: h i j > y", "c: x w h i j > z", NULL},
     {5, 5, 5},
     "minmax-transfer-time",
     2,
     "011",
     GSIM_INIT_HOST},
    /* c ends on 0 at 10 + 300 + 50; on 1 at 10 + 200 for x + 50, and the 200 count once more: 360 are less than 460. */
    {"the copy counts twice",
     {"a: u > x", "b: x > y", "c: x > z", NULL},
     {10, 300, 50},
     "dmda",
     2,
     "000",
     GSIM_INIT_DEVICE},
    /* c writes what GPU 0 holds, however much GPU 0 has to do. */
    {"the owner of what is written",
     {"a: u > x", "b: v > y", "c: y > x", "d: q > r", NULL},
     {50, 5, 50, 5},
     "owner-first",
     2,
     "0101",
     GSIM_INIT_DEVICE},
    /* b and c are ready when a ends; the first stays, the second goes where it can begin at once. */
    {"ready at once", {"a: u > x", "b: x > y", "c: x > z", NULL}, {10, 1000, 1000}, "dmda", 2, "001", GSIM_INIT_DEVICE},
    {"not worth the copy", {"a: u > x", "b: x > y", "c: x > z", NULL}, {10, 1, 1}, "dmda", 2, "000", GSIM_INIT_DEVICE},
    /* c waits in 0's queue for b, and ends at 12; d begins then, and e would at 1012: behind a copy of 200 it can at
       212. */
    {"behind a queue",
     {"a: u > x", "b: x > y", "c: x > z", "d: z > p", "e: z > q", NULL},
     {10, 1, 1, 1000, 1000},
     "dmda",
     2,
     "00001",
     GSIM_INIT_DEVICE},
    {"ready at once, by rank",
     {"a: u > x", "b: x > y", "c: x > z", NULL},
     {10, 1000, 1000},
     "dmdas",
     2,
     "001",
     GSIM_INIT_DEVICE},
    {"ready at once, by data",
     {"a: u > x", "b: x > y", "c: x > z", NULL},
     {10, 1000, 1000},
     "dmdar",
     2,
     "001",
     GSIM_INIT_DEVICE},
    /* c ranks above b: it stays. */
    {"the longest first",
     {"a: u > x", "b: x > y", "c: x > z", NULL},
     {10, 900, 1000},
     "heft",
     2,
     "010",
     GSIM_INIT_DEVICE},
    {"the longest first, with a table",
     {"a: u > x", "b: x > y", "c: x > z", NULL},
     {10, 900, 1000},
     "peft",
     2,
     "001",
     GSIM_INIT_DEVICE},
    /* A copy of 1 MB at 25 GB/s is 40 us: less than to wait for b. */
    {"one bandwidth for all",
     {"a: u > x", "b: x > y", "c: x > z", NULL},
     {10, 1000, 1000},
     "cudastf",
     2,
     "001",
     GSIM_INIT_DEVICE},
};

static void placements(void)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const struct trial_place *t = &table[i];
        struct gsim_program program = {0};
        struct gsim_error error = {0};
        struct gsim_arena arena = {0};
        char found[16] = "";
        size_t count = 0;
        program_write((const char *const *)t->lines, t->init, &program);
        for (uint32_t b = 0; b < program.buffer_count; b++) program.buffers[b].bytes = 1000000;
        struct gsim_run run = {.program = &program,
                               .memory = GSIM_MEMORY_MANAGED,
                               .iterations = 1,
                               .arena = &arena,
                               .device_count = t->gpus,
                               .placement = gsim_placement_find(t->placement),
                               .kernel_us = t->us,
                               .device = {.h2d_gbps = 10, .d2h_gbps = 5, .d2d_gbps = 100}};
        CHECK(run.placement != NULL);
        if (!run.placement) continue;
        void *params = gsim_arena_alloc(&arena, run.placement->params_size + 1);
        if (run.placement->params) gsim_params_set_defaults(run.placement->params, params);
        run.placement_params = params;
        CHECK_OK(gsim_placing_program(&run, &error), error);
        CHECK(run.is_placed && run.program != &program);
        for (uint32_t o = 0; o < run.program->op_count; o++)
            if (run.program->ops[o].kind == GSIM_OP_KERNEL) found[count++] = (char)('0' + run.program->ops[o].device);
        CHECK_MSG(strcmp(found, t->expected) == 0, "%s (%s): found %s, expected %s", t->what, t->placement, found,
                  t->expected);
        gsim_arena_release(&arena);
        gsim_program_release(&program);
    }
}

/* All are known by their names, and say what they are. */
static void names(void)
{
    uint32_t count = 0;
    for (; gsim_placement_at(count); count++) {
        const struct gsim_placement_ops *ops = gsim_placement_at(count);
        CHECK(gsim_placement_find(ops->name) == ops && ops->summary && ops->source && (ops->choose || ops->plan));
    }
    CHECK(count >= 13);
    const struct gsim_placement_ops *ops;
    struct gsim_error error = {0};
    CHECK(gsim_placement_load("round-robim", &ops, &error) == GSIM_USAGE);
    CHECK_HAS(error.message, "did you mean 'round-robin'?");
}

static const struct test_case cases[] = {
    {"placements by hand", placements},
    {"names", names},
};
TEST_MAIN("schedulers/place/registry", cases)
