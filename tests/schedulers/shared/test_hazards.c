/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hazards between two ops, and the edges of a list's graph, against byte by byte comparison on random programs.
 */
#include "schedulers/shared/hazards.h"

#include "gpusim/schedulers/dag.h"
#include "tests/schedulers/segments.h"

#define KERNELS 30

static void pairs(void)
{
    uint32_t hazards = 0, tests = 0;
    for (unsigned long seed = 1; seed <= 80; seed++) {
        struct gsim_program program = {0};
        segments_random(seed, KERNELS, seed % 3 ? 0 : 10, &program);
        for (uint32_t i = 0; i < program.op_count; i++)
            for (uint32_t j = i + 1; j < program.op_count; j++, tests++) {
                bool expected = segments_conflict(&program.ops[i], &program.ops[j]);
                bool found = gsim_op_conflicts(&program.ops[i], &program.ops[j], j % 2);
                CHECK_MSG(found == expected, "program %lu, ops %u and %u: %d, expected %d", seed, i, j, found,
                          expected);
                hazards += found;
            }
        gsim_program_release(&program);
    }
    CHECK(hazards > tests / 20);
    CHECK(hazards < tests * 19 / 20);
}

/* Read after write, write after write, write after read; two reads go together. */
static void by_hand(void)
{
    struct gsim_arg reads = {0, true, false, true}, writes = {0, false, true, false};
    struct gsim_segment front = {0, 8, 0, true, false}, middle = {4, 8, 0, false, true},
                        behind = {8, 8, 0, false, true};
    struct gsim_op a = {.kind = GSIM_OP_KERNEL, .args = &reads, .arg_count = 1, .segments = &front, .segment_count = 1};
    struct gsim_op b = {
        .kind = GSIM_OP_KERNEL, .args = &writes, .arg_count = 1, .segments = &middle, .segment_count = 1};
    struct gsim_op c = {
        .kind = GSIM_OP_KERNEL, .args = &writes, .arg_count = 1, .segments = &behind, .segment_count = 1};
    struct gsim_op whole = {.kind = GSIM_OP_KERNEL, .args = &reads, .arg_count = 1},
                   unknown = {.kind = GSIM_OP_KERNEL, .is_unknown = true};
    struct gsim_op copy = {.kind = GSIM_OP_COPY, .copy_kind = GSIM_COPY_D2H, .args = &reads, .arg_count = 1};
    struct gsim_op host = {.kind = GSIM_OP_HOST_WRITE, .args = &writes, .arg_count = 1};
    CHECK(gsim_op_conflicts(&a, &b, false));      /* write after read */
    CHECK(gsim_op_conflicts(&b, &a, false));      /* read after write: what the paper's listing forgets */
    CHECK(gsim_op_conflicts(&b, &c, false));      /* write after write */
    CHECK(!gsim_op_conflicts(&a, &c, false));     /* neighbours */
    CHECK(!gsim_op_conflicts(&a, &whole, false)); /* both read */
    CHECK(gsim_op_conflicts(&whole, &c, false));
    CHECK(gsim_op_conflicts(&a, &unknown, false));
    CHECK(gsim_op_conflicts(&unknown, &copy, false));
    CHECK(!gsim_op_conflicts(&unknown, &host, false)); /* the host's copy is another place, */
    CHECK(gsim_op_conflicts(&unknown, &host, true));   /* but in managed memory */
    CHECK(gsim_op_conflicts(&copy, &host, false));
    CHECK(!gsim_op_conflicts(&a, &host, false));
    CHECK_INT(gsim_op_segments(&a), 1);
    CHECK_INT(gsim_op_segments(&whole), 1);
}

/* FOLLOWS[j][i]: j must come after i, directly or not. */
static void close_over(bool follows[KERNELS][KERNELS])
{
    for (uint32_t j = 0; j < KERNELS; j++)
        for (uint32_t i = 0; i < j; i++)
            for (uint32_t k = 0; follows[j][i] && k < i; k++) follows[j][k] |= follows[i][k];
    for (uint32_t j = 0; j < KERNELS; j++)
        for (uint32_t i = j; i-- > 0;)
            for (uint32_t k = 0; follows[j][i] && k < i; k++) follows[j][k] |= follows[i][k];
}

static void graph(void)
{
    for (unsigned long seed = 1; seed <= 60; seed++) {
        struct gsim_program program = {0};
        struct gsim_arena arena = {0};
        struct gsim_lowering lowering;
        struct gsim_error error = {0};
        struct gsim_dag dag;
        bool found[KERNELS][KERNELS] = {{false}}, expected[KERNELS][KERNELS] = {{false}};
        segments_random(seed, KERNELS, seed % 2 ? 0 : 12, &program);
        struct gsim_run run = {.program = &program,
                               .memory = seed % 4 < 2 ? GSIM_MEMORY_MANAGED : GSIM_MEMORY_PINNED,
                               .iterations = 1,
                               .arena = &arena};
        CHECK_OK(gsim_moves_lower(&run, GSIM_MOVES_AT_USE, &lowering, &error), error);
        CHECK_INT(lowering.first.op_count, KERNELS);
        CHECK_OK(gsim_dag_build(&run, &lowering.first, &dag, &error), error);
        for (uint32_t j = 0; j < KERNELS; j++) {
            for (uint32_t e = dag.pred_start[j]; e < dag.pred_start[j + 1]; e++) found[j][dag.preds[e]] = true;
            for (uint32_t i = 0; i < j; i++) {
                expected[j][i] = segments_conflict(&program.ops[i], &program.ops[j]);
                expected[j][i] |= program.ops[j].after_count && program.ops[j].after[0] == i;
                CHECK_MSG(!found[j][i] || expected[j][i], "program %lu: edge %u to %u without a hazard", seed, i, j);
            }
        }
        close_over(found);
        close_over(expected);
        CHECK_MSG(memcmp(found, expected, sizeof found) == 0, "program %lu: not the same order", seed);
        gsim_dag_release(&dag);
        gsim_arena_release(&arena);
        gsim_program_release(&program);
    }
}

static const struct test_case cases[] = {
    {"pairs by hand", by_hand},
    {"pairs against bytes", pairs},
    {"the graph's order against bytes", graph},
};

TEST_MAIN("schedulers/shared/hazards", cases)
