/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which moves a lowering inserts and where: the list of iteration 0 and of a later one, op by op.
 */
#include "gpusim/schedulers/moves.h"

#include "tests/schedulers/programs.h"

struct expected {
    const char *name, *lines[8];
    enum gsim_buffer_init init;
    enum gsim_memory_mode memory;
    bool prefetch;
    enum gsim_moves_place place;
    const char *first, *steady;
};

/* An op is its number; a move is P (prefetch), > (to the device) or < (to the host) and its buffer. */
static const struct expected table[] = {
    {"managed, no prefetch",
     {"a: x > y", "?y"},
     GSIM_INIT_HOST,
     GSIM_MEMORY_MANAGED,
     false,
     GSIM_MOVES_AT_USE,
     "0 1",
     "0 1"},
    {"managed, prefetch: outputs too, and what the host read comes back",
     {"a: x > y", "?y"},
     GSIM_INIT_HOST,
     GSIM_MEMORY_MANAGED,
     true,
     GSIM_MOVES_AT_USE,
     "Px Py 0 1",
     "Py 0 1"},
    {"untouched buffers count as the host's",
     {"a: x > y", "b: y > z"},
     GSIM_INIT_NONE,
     GSIM_MEMORY_MANAGED,
     true,
     GSIM_MOVES_AT_USE,
     "Px Py 0 Pz 1",
     "0 1"},
    {"data on the device stays",
     {"a: x > y"},
     GSIM_INIT_DEVICE,
     GSIM_MEMORY_MANAGED,
     true,
     GSIM_MOVES_AT_USE,
     "0",
     "0"},
    {"early: behind the leading host writes",
     {"!x", "a: x > y", "b: w > z"},
     GSIM_INIT_HOST,
     GSIM_MEMORY_MANAGED,
     true,
     GSIM_MOVES_EARLY,
     "0 Px Py Pw Pz 1 2",
     "0 Px 1 2"},
    {"early: behind the host write in the middle",
     {"a: x > y", "!x", "!w", "b: w > z", "c: x > y"},
     GSIM_INIT_DEVICE,
     GSIM_MEMORY_MANAGED,
     true,
     GSIM_MOVES_EARLY,
     "0 1 2 Pw Px 3 4",
     "0 1 2 Pw Px 3 4"},
    {"pinned: reads alone move, once",
     {"a: x > y", "b: x y > z", "?z"},
     GSIM_INIT_HOST,
     GSIM_MEMORY_PINNED,
     false,
     GSIM_MOVES_AT_USE,
     ">x 0 1 <z 2",
     "0 1 <z 2"},
    {"pinned: host writes move every iteration",
     {"!x", "a: x > y", "?y", "?y"},
     GSIM_INIT_NONE,
     GSIM_MEMORY_PINNED,
     false,
     GSIM_MOVES_AT_USE,
     "0 >x 1 <y 2 3",
     "0 >x 1 <y 2 3"},
    {"pinned, early",
     {"!x", "a: v > y", "b: x > z"},
     GSIM_INIT_HOST,
     GSIM_MEMORY_PINNED,
     true,
     GSIM_MOVES_EARLY,
     "0 >v >x 1 2",
     "0 >x 1 2"},
    {"pageable: device data that the host reads",
     {"?x", "a: > x"},
     GSIM_INIT_DEVICE,
     GSIM_MEMORY_PAGEABLE,
     false,
     GSIM_MOVES_AT_USE,
     "<x 0 1",
     "<x 0 1"},
    {"pinned: a read by the host first does not move back what it wrote",
     {"!x", "?x", "a: x > x"},
     GSIM_INIT_NONE,
     GSIM_MEMORY_PINNED,
     true,
     GSIM_MOVES_EARLY,
     "0 1 >x 2",
     "0 1 >x 2"},
    {"own prefetches: these and no others, in every iteration",
     {"!x", "^x", "^z", "a: x v > y"},
     GSIM_INIT_HOST,
     GSIM_MEMORY_MANAGED,
     true,
     GSIM_MOVES_EARLY,
     "0 1 2 3",
     "0 1 2 3"},
    {"own prefetches, not asked for",
     {"!x", "^x", "^z", "a: x v > y"},
     GSIM_INIT_HOST,
     GSIM_MEMORY_MANAGED,
     false,
     GSIM_MOVES_AT_USE,
     "0 3",
     "0 3"},
    {"own prefetches under an automatic rule",
     {"!x", "^x", "^z", "a: x v > y"},
     GSIM_INIT_HOST,
     GSIM_MEMORY_MANAGED,
     true,
     GSIM_MOVES_AUTOMATIC,
     "0 Px Pv Py 3",
     "0 Px 3"},
    {"pinned: a prefetch is the copy, where there is one to make; others are copied as ever",
     {"!x", "^x", "^z", "a: x v > y"},
     GSIM_INIT_NONE,
     GSIM_MEMORY_PINNED,
     true,
     GSIM_MOVES_EARLY,
     "0 >x 3",
     "0 >x 3"},
    {"pinned, written before the start",
     {"^x", "a: w > y", "b: x v > y"},
     GSIM_INIT_HOST,
     GSIM_MEMORY_PINNED,
     true,
     GSIM_MOVES_AT_USE,
     ">x >w 1 >v 2",
     "1 2"},
    {"pinned, not asked for",
     {"^x", "a: w > y", "b: x v > y"},
     GSIM_INIT_HOST,
     GSIM_MEMORY_PINNED,
     false,
     GSIM_MOVES_AT_USE,
     ">w 1 >x >v 2",
     "1 2"},
    {"pinned under an automatic rule",
     {"^x", "a: w > y", "b: x v > y"},
     GSIM_INIT_HOST,
     GSIM_MEMORY_PINNED,
     true,
     GSIM_MOVES_AUTOMATIC,
     ">w 1 >x >v 2",
     "1 2"},
    {"nothing but prefetches", {"^x", "^y"}, GSIM_INIT_HOST, GSIM_MEMORY_MANAGED, false, GSIM_MOVES_AT_USE, "", ""},
};

static void list_text(const struct gsim_run *run, const struct gsim_oplist *list, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < list->op_count; i++) {
        const struct gsim_op *op = list->ops[i];
        const char *space = i ? " " : "";
        if (!gsim_op_is_move(run, op)) {
            used += (size_t)snprintf(text + used, size - used, "%s%u", space, op->index);
            continue;
        }
        char kind = op->kind == GSIM_OP_PREFETCH ? 'P' : op->copy_kind == GSIM_COPY_H2D ? '>' : '<';
        used += (size_t)snprintf(text + used, size - used, "%s%c%s", space, kind,
                                 run->program->buffers[op->args[0].buffer_index].name);
    }
}

static void test_lists(void)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct gsim_program program = {0};
        struct gsim_arena arena = {0};
        struct gsim_lowering lowering;
        struct gsim_error error = {0};
        char text[256];
        program_write(table[i].lines, table[i].init, &program);
        struct gsim_run run = {.program = &program,
                               .memory = table[i].memory,
                               .prefetch = table[i].prefetch,
                               .iterations = 2,
                               .arena = &arena};
        CHECK_OK(gsim_moves_lower(&run, table[i].place, &lowering, &error), error);
        list_text(&run, &lowering.first, text, sizeof(text));
        CHECK_MSG(strcmp(text, table[i].first) == 0, "%s: iteration 0 is \"%s\", expected \"%s\"", table[i].name, text,
                  table[i].first);
        list_text(&run, &lowering.steady, text, sizeof(text));
        CHECK_MSG(strcmp(text, table[i].steady) == 0, "%s: later iterations are \"%s\", expected \"%s\"", table[i].name,
                  text, table[i].steady);
        CHECK_INT(lowering.first.ops == lowering.steady.ops, strcmp(table[i].first, table[i].steady) == 0);
        gsim_arena_release(&arena);
        gsim_program_release(&program);
    }
}

/* A kernel writes x; the host writes 100 bytes of it, then reads 1000: the 100 go over before the 1000 come back. */
static void test_partial_accesses(void)
{
    static const char *const lines[] = {"a: > x", "!x", "?x", "?x", NULL};
    struct gsim_program program = {0};
    struct gsim_arena arena = {0};
    struct gsim_lowering lowering;
    struct gsim_error error = {0};
    char text[256];
    program_write(lines, GSIM_INIT_NONE, &program);
    program.ops[1].bytes = 100;
    program.ops[2].bytes = 1000;
    program.ops[3].bytes = 500;
    for (int place = 0; place < 2; place++) {
        struct gsim_run run = {.program = &program, .memory = GSIM_MEMORY_PINNED, .iterations = 1, .arena = &arena};
        CHECK_OK(gsim_moves_lower(&run, (enum gsim_moves_place)place, &lowering, &error), error);
        list_text(&run, &lowering.first, text, sizeof(text));
        CHECK_STR(text, "0 1 >x <x 2 3");
        CHECK_INT(lowering.first.ops[2]->bytes, 100);
        CHECK_INT(lowering.first.ops[3]->bytes, 1000);
        CHECK_INT(lowering.first.ops[3]->index, 2); /* the op it serves */
        CHECK_INT(lowering.first.move_count, 2);
    }
    gsim_arena_release(&arena);
    gsim_program_release(&program);
}

/* a; P after a; Q after P and a; R after Q and P; b after R and c: with the prefetches left out b is after c and a. */
static void test_afters(void)
{
    static const uint32_t none[] = {0}, left_out[] = {0, 1, UINT32_MAX, UINT32_MAX, UINT32_MAX, 2},
                          kept[] = {0, 1, 2, 3, 4, 5};
    static const uint32_t after_p[] = {0}, after_q[] = {2, 0}, after_r[] = {3, 2}, after_b[] = {4, 1};
    static const struct { const char *line; const uint32_t *after; uint32_t count;
    } ops[] = {{"a: x > y", none, 0}, {"c: x > z", none, 0}, {"^x", after_p, 1},
               {"^x", after_q, 2},    {"^x", after_r, 2},    {"b: x > w", after_b, 2}};
    const char *lines[7] = {NULL};
    struct gsim_program program = {0};
    struct gsim_afters afters;
    const uint32_t *list;
    uint32_t count;
    for (size_t i = 0; i < 6; i++) lines[i] = ops[i].line;
    program_write(lines, GSIM_INIT_HOST, &program);
    for (size_t i = 0; i < 6; i++) {
        program.ops[i].after = ops[i].after;
        program.ops[i].after_count = ops[i].count;
    }
    gsim_afters_init(&afters, &program);
    CHECK(gsim_afters_find(&afters, &program.ops[5], left_out, &list, &count));
    CHECK_INT(count, 2);
    CHECK(count == 2 && list[0] == 1 && list[1] == 0);
    CHECK(gsim_afters_find(&afters, &program.ops[5], kept, &list, &count));
    CHECK(count == 2 && list[0] == 4 && list[1] == 1);
    gsim_afters_release(&afters);
    gsim_program_release(&program);
}

static const struct test_case cases[] = {
    {"lists", test_lists},
    {"partial accesses", test_partial_accesses},
    {"what left-out prefetches pass on", test_afters},
};

TEST_MAIN("schedulers/moves", cases)
