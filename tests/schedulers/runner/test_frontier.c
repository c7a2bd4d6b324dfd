/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GrCUDA's frontier: which of the active vertices a new one follows, and which of them another one implies. By hand. */
#include "schedulers/runner/frontier.h"
#include "tests/schedulers/programs.h"

/* The lines of a program, and the parents of its last kernel, letters of the kernels, with the filter and without. */
static const struct {
    const char *what, *lines[8];
    const char *filtered, *all;
} table[] = {
    {"a chain", {"a: u > x", "b: x > y", NULL}, "a", "a"},
    {"a is implied by b", {"a: u > x", "b: x > y", "c: x y > z", NULL}, "b", "ab"},
    {"two that know nothing of each other", {"a: u > x", "b: v > y", "c: x y > z", NULL}, "ab", "ab"},
    {"a diamond", {"a: u > x", "b: x > y", "c: x > z", "d: y z x > w", NULL}, "bc", "abc"},
    {"implied over two steps", {"a: u > x", "b: x > y", "c: y > z", "d: x z > w", NULL}, "c", "ac"},
    {"the last candidate implies both", {"a: u > x", "b: v > y", "c: x y > z", "d: x y z > w", NULL}, "c", "abc"},
    {"a writer follows readers", {"a: u > x", "b: x > y", "c: x > z", "d: v > x", NULL}, "bc", "abc"},
    {"readers do not follow readers", {"a: u > x", "b: x > y", "c: x > z", NULL}, "a", "a"},
};

static void parents_of_last(const struct gsim_program *program, bool filter, char text[16])
{
    struct gsim_frontier f;
    size_t used = 0;
    text[0] = '\0';
    CHECK(gsim_frontier_init(&f, program, NULL));
    f.with_const = true;
    f.filter = filter;
    for (uint32_t i = 0; i < program->op_count; i++) {
        gsim_frontier_find(&f, &program->ops[i], false);
        uint32_t vertex = gsim_frontier_add(&f, &program->ops[i], false);
        CHECK_INT(vertex, i);
        used = 0;
        text[0] = '\0';
        for (uint32_t p = 0; p < f.vertices[vertex].parent_count && used < 15; p++)
            used += (size_t)snprintf(text + used, 16 - used, "%c",
                                     (char)('a' + f.parents[f.vertices[vertex].parent_start + p]));
    }
    CHECK(!f.failed);
    for (uint32_t i = 0; i < program->op_count; i++) f.vertices[i].finished = true;
    gsim_frontier_release(&f);
}

static void parents(void)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct gsim_program program = {0};
        char filtered[16], all[16];
        program_write(table[i].lines, GSIM_INIT_DEVICE, &program);
        parents_of_last(&program, true, filtered);
        parents_of_last(&program, false, all);
        CHECK_MSG(strcmp(filtered, table[i].filtered) == 0, "%s: filtered '%s', expected '%s'", table[i].what, filtered,
                  table[i].filtered);
        CHECK_MSG(strcmp(all, table[i].all) == 0, "%s: all '%s', expected '%s'", table[i].what, all, table[i].all);
        gsim_program_release(&program);
    }
}

static const struct test_case cases[] = {
    {"parents", parents},
};
TEST_MAIN("schedulers/runner/frontier", cases)
