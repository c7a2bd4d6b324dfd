/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Edges by hand for each kind of dependence and memory mode, levels, and that the cost stays linear.
 */
#include "gpusim/schedulers/dag.h"

#include "tests/schedulers/programs.h"

struct expected {
    const char *name, *lines[8];
    enum gsim_memory_mode memory;
    const char *edges; /* "pred>node", by node */
};

static const struct expected table[] = {
    {"RAW", {"a: > x", "b: x > y"}, GSIM_MEMORY_MANAGED, "0>1"},
    {"WAR from all readers since",
     {"a: > x", "b: x > y", "c: x > z", "d: > x", "e: > x"},
     GSIM_MEMORY_MANAGED,
     "0>1 0>2 0>3 1>3 2>3 3>4"},
    {"readers are independent", {"a: x > y", "b: x > z"}, GSIM_MEMORY_MANAGED, ""},
    {"two buffers, one edge", {"a: > x y", "b: x y > z"}, GSIM_MEMORY_MANAGED, "0>1"},
    {"read and write", {"a: x > x", "b: x > x"}, GSIM_MEMORY_MANAGED, "0>1"},
    {"host accesses are nodes", {"!x", "a: x > y", "?y", "!y"}, GSIM_MEMORY_MANAGED, "0>1 1>2 1>3 2>3"},
    {"pinned: a host access needs its copy",
     {"!x", "a: x > y", "?y", "!x"},
     GSIM_MEMORY_PINNED,
     "0>1 1>2 2>3 3>4 0>5 1>5"},
};

static void build(const struct expected *e, struct gsim_program *program, struct gsim_arena *arena,
                  struct gsim_lowering *lowering, struct gsim_dag *dag)
{
    struct gsim_error error = {0};
    program_write(e->lines, GSIM_INIT_NONE, program);
    struct gsim_run run = {.program = program, .memory = e->memory, .iterations = 1, .arena = arena};
    CHECK_OK(gsim_moves_lower(&run, GSIM_MOVES_AT_USE, lowering, &error), error);
    CHECK_OK(gsim_dag_build(&run, &lowering->first, dag, &error), error);
}

static void test_edges(void)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct gsim_program program = {0};
        struct gsim_arena arena = {0};
        struct gsim_lowering lowering;
        struct gsim_dag dag;
        char text[256] = "";
        size_t used = 0;
        uint32_t succs = 0;
        build(&table[i], &program, &arena, &lowering, &dag);
        for (uint32_t n = 0; n < dag.node_count; n++)
            for (uint32_t e = dag.pred_start[n]; e < dag.pred_start[n + 1]; e++) {
                used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u>%u", used ? " " : "", dag.preds[e], n);
                for (uint32_t s = dag.succ_start[dag.preds[e]]; s < dag.succ_start[dag.preds[e] + 1]; s++)
                    succs += dag.succs[s] == n;
            }
        CHECK_MSG(strcmp(text, table[i].edges) == 0, "%s: \"%s\", expected \"%s\"", table[i].name, text,
                  table[i].edges);
        CHECK_INT(succs, dag.edge_count);
        gsim_dag_release(&dag);
        gsim_arena_release(&arena);
        gsim_program_release(&program);
    }
}

static void test_levels(void)
{
    static const struct expected diamond = {
        "", {"a: > w", "b: w > x", "c: w > y", "d: x y > z", "e: > v"}, GSIM_MEMORY_MANAGED, ""};
    struct gsim_program program = {0};
    struct gsim_arena arena = {0};
    struct gsim_lowering lowering;
    struct gsim_dag dag;
    uint32_t levels[5], order[5], start[6];
    static const uint32_t expected_order[] = {0, 4, 1, 2, 3}, expected_start[] = {0, 2, 4, 5};
    build(&diamond, &program, &arena, &lowering, &dag);
    CHECK_INT(gsim_dag_levels(&dag, 0, 5, levels), 3);
    gsim_dag_level_order(levels, 0, 5, 3, order, start);
    for (int i = 0; i < 5; i++) CHECK_INT(order[i], expected_order[i]);
    for (int i = 0; i < 4; i++) CHECK_INT(start[i], expected_start[i]);
    CHECK_INT(gsim_dag_levels(&dag, 1, 5, levels), 2); /* without a, b and c are roots */
    CHECK_INT(levels[2], 1);
    gsim_dag_release(&dag);
    gsim_arena_release(&arena);
    gsim_program_release(&program);
}

/* N readers of one buffer, then a writer, repeatedly: 2 N edges per round and no more entries than edges. */
static void test_many_readers(void)
{
    struct program_writer w = {.builder = gsim_builder_create("readers")};
    struct gsim_program program = {0};
    struct gsim_arena arena = {0};
    struct gsim_lowering lowering;
    struct gsim_dag dag;
    struct gsim_error error = {0};
    for (int round = 0; round < 20; round++) {
        program_line(&w, "w: > x");
        for (int i = 0; i < 1000; i++) program_line(&w, "r: x");
    }
    CHECK_OK(gsim_builder_finish(w.builder, 1, &program, &error), error);
    struct gsim_run run = {.program = &program, .iterations = 1, .arena = &arena};
    CHECK_OK(gsim_moves_lower(&run, GSIM_MOVES_AT_USE, &lowering, &error), error);
    CHECK_OK(gsim_dag_build(&run, &lowering.first, &dag, &error), error);
    CHECK_INT(dag.edge_count, 20 * 1000 + 19 * 1001);
    CHECK_INT(dag.pred_start[1002] - dag.pred_start[1001], 1001); /* the second writer: the first and its readers */
    CHECK_INT(dag.preds[dag.pred_start[1001]], 0);                /* ascending */
    gsim_dag_release(&dag);
    gsim_arena_release(&arena);
    gsim_program_release(&program);
}

static const struct test_case cases[] = {
    {"edges", test_edges},
    {"levels", test_levels},
    {"many readers", test_many_readers},
};

TEST_MAIN("schedulers/dag", cases)
