/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every generator with every choice: the same seed gives the same program and another one another, numbers do what they
 * say, hazards are found in segments, and any number may be at either end of its range.
 */
#include "gpusim/generator.h"
#include "gpusim/schedulers/dag.h"
#include "tests/test.h"

static enum gsim_status try_build(const struct gsim_generator_ops *ops, const char *options, uint64_t seed,
                                  struct gsim_program *program, struct gsim_error *error)
{
    double params[64] = {0};
    if (ops->params_size > sizeof params) abort();
    gsim_params_set_defaults(ops->params, params);
    for (const char *at = options; at && *at; at = strchr(at + 1, ' ')) {
        char key[64], value[64];
        if (sscanf(at, " %63[^= ]=%63[^ ]", key, value) != 2) abort();
        CHECK_OK(gsim_params_set(ops->params, params, key, value, error), *error);
        if (!strchr(at + 1, ' ')) break;
    }
    return ops->build(params, seed, program, error);
}

static void build(const char *name, const char *options, uint64_t seed, struct gsim_program *program)
{
    const struct gsim_generator_ops *ops = gsim_generator_find(name);
    struct gsim_error error = {0};
    CHECK(ops != NULL);
    if (ops) CHECK_OK(try_build(ops, options, seed, program, &error), error);
}

static bool are_equal(const struct gsim_program *a, const struct gsim_program *b)
{
    if (a->op_count != b->op_count || a->kernel_count != b->kernel_count) return false;
    for (uint32_t i = 0; i < a->op_count; i++) {
        const struct gsim_op *x = &a->ops[i], *y = &b->ops[i];
        if (x->kernel_index != y->kernel_index || x->segment_count != y->segment_count ||
            x->is_unknown != y->is_unknown)
            return false;
        for (uint32_t k = 0; k < x->segment_count; k++)
            if (x->segments[k].offset != y->segments[k].offset || x->segments[k].bytes != y->segments[k].bytes)
                return false;
    }
    return true;
}

/* Calls VISIT for every generator with each of its choices. */
static void for_choices(void (*visit)(const struct gsim_generator_ops *ops, const char *choice))
{
    for (uint32_t i = 0; gsim_generator_at(i); i++) {
        const struct gsim_generator_ops *ops = gsim_generator_at(i);
        CHECK(ops == gsim_generator_find(ops->name));
        CHECK(ops->summary && strlen(ops->summary) <= 100 && ops->help);
        const struct gsim_param *choice = ops->params;
        if (choice->type != GSIM_PARAM_CHOICE) {
            visit(ops, "");
            continue;
        }
        for (int c = 0; c <= (int)choice->maximum; c++) {
            char word[32] = "", option[64];
            const char *at = choice->choices;
            for (int skip = 0; skip < c; skip++) at = strchr(at, '|') + 1;
            snprintf(word, sizeof word, "%.*s", (int)strcspn(at, "|"), at);
            snprintf(option, sizeof option, "%s=%s", choice->name, word);
            visit(ops, option);
        }
    }
}

/* Sketches take their data from a pool; others draw nothing, or of tile tasks times only. */
static bool is_sketch(const struct gsim_program *p)
{
    return p->buffer_count && strcmp(p->buffers[0].name, "pool") == 0;
}

static void check_seeds(const struct gsim_generator_ops *ops, const char *choice)
{
    struct gsim_program a = {0}, b = {0}, c = {0};
    struct gsim_error error = {0};
    CHECK_OK(try_build(ops, choice, 3, &a, &error), error);
    CHECK_OK(try_build(ops, choice, 3, &b, &error), error);
    CHECK_OK(try_build(ops, choice, 4, &c, &error), error);
    CHECK(a.op_count > 20);
    CHECK_MSG(are_equal(&a, &b), "%s %s", ops->name, choice);
    bool is_drawn = is_sketch(&a);
    CHECK_MSG(!is_drawn || !are_equal(&a, &c), "%s %s", ops->name, choice);
    for (uint32_t i = 0; i < a.op_count; i++)
        CHECK_MSG(!is_drawn || a.ops[i].segment_count >= 6, "%s %s", ops->name,
                  choice); /* tile tasks name what they follow */
    gsim_program_release(&a);
    gsim_program_release(&b);
    gsim_program_release(&c);
}

static void seeds(void) { for_choices(check_seeds); }

/* Each number alone at its least and its greatest: a program, or a message. */
static void check_ends(const struct gsim_generator_ops *ops, const char *choice)
{
    for (const struct gsim_param *row = ops->params; row->name; row++) {
        if (row->type == GSIM_PARAM_CHOICE || row->maximum > 1e5) continue;
        for (int end = 0; end < 3; end++) {
            char options[160];
            struct gsim_program program = {0};
            struct gsim_error error = {0};
            snprintf(options, sizeof options, "%s%s%s=%.15g", choice, choice[0] ? " " : "", row->name,
                     end == 0 ? row->minimum : end == 1 ? fmax(0, row->minimum) : row->maximum);
            enum gsim_status status = try_build(ops, options, 1, &program, &error);
            CHECK_MSG(status == GSIM_OK || (status != GSIM_NOMEM && error.message[0]), "%s %s: %d", ops->name, options,
                      (int)status);
            if (status == GSIM_OK) gsim_program_release(&program);
        }
    }
}

static void ends(void) { for_choices(check_ends); }

static double share_of_small(const struct gsim_program *p, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->op_count; i++) count += p->kernels[p->ops[i].kernel_index].grid.x <= most;
    return (double)count / p->op_count;
}

/* The published share, and what numbers do. */
static void numbers(void)
{
    struct gsim_program p = {0};
    build("brax", "steps=400", 1, &p);
    CHECK_NEAR(share_of_small(&p, 9), 0.42, 0.03); /* 40 %, and a few of the others */
    gsim_program_release(&p);
    build("brax", "steps=50 branches_least=3 branches_most=3 length_least=4 length_most=4 active=1 cross=0", 1, &p);
    CHECK_INT(p.op_count, 50 * (3 * 4 + 1));
    gsim_program_release(&p);
    build("brax", "steps=100 small_share=0 blocks=50 blocks_sigma=0 us=10 us_sigma=0 clock_mhz=1000 warps=4", 1, &p);
    CHECK_INT(p.kernel_count, 2); /* body and join */
    CHECK_NEAR(p.kernels[0].grid.x, 50, 2);
    CHECK_NEAR(p.kernels[0].thread_cycles, 10000, 10000 * 0.04);
    CHECK_INT(p.kernels[0].block.x, 128);
    gsim_program_release(&p);
    build("layered", "unknown_share=0.25 layers=200", 1, &p);
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < p.op_count; i++) unknown += p.ops[i].is_unknown;
    CHECK_NEAR((double)unknown / p.op_count, 0.25, 0.05);
    gsim_program_release(&p);
    build("layered", "layers=30 width_least=5 width_most=5 inputs_least=2 inputs_most=2", 1, &p);
    CHECK_INT(p.op_count, 150);
    gsim_program_release(&p);
}

static void pool_is_checked(void)
{
    struct gsim_program p = {0};
    struct gsim_error error = {0};
    CHECK_INT(try_build(gsim_generator_find("brax"), "pool_mib=2", 1, &p, &error), GSIM_USAGE);
    CHECK_HAS(error.message, "pool_mib: expected room for four tensors");
}

/* How many levels a program has, by the hazards found in its segments. */
static uint32_t levels_of(const char *name, const char *options, uint32_t *kernels)
{
    struct gsim_program p = {0};
    struct gsim_arena arena = {0};
    struct gsim_lowering lowering;
    struct gsim_dag dag;
    struct gsim_error error = {0};
    build(name, options, 1, &p);
    struct gsim_run run = {.program = &p, .memory = GSIM_MEMORY_PINNED, .iterations = 1, .arena = &arena};
    CHECK_OK(gsim_moves_lower(&run, GSIM_MOVES_AT_USE, &lowering, &error), error);
    CHECK_OK(gsim_dag_build(&run, &lowering.first, &dag, &error), error);
    uint32_t *levels = calloc(dag.node_count, sizeof *levels), count = gsim_dag_levels(&dag, 0, dag.node_count, levels);
    *kernels = p.op_count;
    free(levels);
    gsim_dag_release(&dag);
    gsim_arena_release(&arena);
    gsim_program_release(&p);
    return count;
}

/* Hazards make the graph that was meant, and a small pool adds others, as memory that is used again does. */
static void hazards_are_found(void)
{
    uint32_t kernels,
        count =
            levels_of("brax", "steps=20 branches_least=3 branches_most=3 length_least=4 length_most=4 active=1 cross=0",
                      &kernels);
    CHECK_INT(count, 20 * 5);
    CHECK_INT(kernels, 20 * 13);
    CHECK_INT(levels_of("layered", "layers=30", &kernels), 30);
    CHECK(levels_of("layered", "layers=300 pool_mib=7", &kernels) > 300);
    CHECK(levels_of("layered", "layers=30 unknown_share=1", &kernels) == kernels);
    CHECK(levels_of("static-dnn", "inputs=1", &kernels) < kernels / 2);
}

static const struct test_case cases[] = {
    {"seeds", seeds},
    {"numbers at their ends", ends},
    {"numbers", numbers},
    {"the pool is checked", pool_is_checked},
    {"hazards are found", hazards_are_found},
};

TEST_MAIN("workloads/generators/registry", cases)
