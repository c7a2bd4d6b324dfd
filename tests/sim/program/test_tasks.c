/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs of several tasks as one: numbers of ops, kernels and buffers; which kernels are the same. */
#include "gpusim/task.h"
#include "tests/test.h"

static void build(struct gsim_program *program, const char *name, uint32_t kernels)
{
    struct gsim_error error = {0};
    struct gsim_builder *b = gsim_builder_create(name);
    gsim_builder_buffer(b, "x", 4096, GSIM_INIT_DEVICE);
    gsim_builder_buffer(b, "y", 4096, GSIM_INIT_DEVICE);
    for (uint32_t i = 0; i < kernels; i++) {
        struct gsim_kernel k = {.name = "k", .grid = {1 + i / 2, 1, 1}, .block = {64, 1, 1}, .flops = 1 + i};
        struct gsim_arg arg = {.buffer_index = i % 2, .reads = true, .writes = true};
        uint32_t after = i - 1;
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                             .kernel_index = gsim_builder_kernel(b, &k),
                                             .args = &arg,
                                             .arg_count = 1,
                                             .after = &after,
                                             .after_count = i > 0,
                                             .stream = -1});
    }
    CHECK_OK(gsim_builder_finish(b, 1, program, &error), error);
}

static void merged(void)
{
    struct gsim_program programs[2];
    struct gsim_error error = {0};
    build(&programs[0], "a", 3);
    build(&programs[1], "b", 4);
    const struct gsim_task tasks[2] = {{.name = "first", .program = &programs[0]},
                                       {.name = "second", .program = &programs[1]}};
    struct gsim_task_set set;
    CHECK_OK(gsim_task_set_init(&set, "both", tasks, 2, &error), error);
    CHECK_STR(set.all.name, "both");
    CHECK_STR(set.programs[1].name, "second");
    CHECK_INT(set.all.op_count, 7);
    CHECK_INT(set.all.kernel_count, 7);
    CHECK_INT(set.all.buffer_count, 4);
    CHECK_INT(set.first_op[1], 3);
    const struct gsim_op *own = &set.programs[1].ops[2], *all = &set.all.ops[5];
    CHECK_INT(own->index, 2);
    CHECK_INT(own->after[0], 1);
    CHECK_INT(all->index, 5);
    CHECK_INT(all->after[0], 4);
    CHECK(own->kernel_index == 5 && all->kernel_index == 5 && own->args[0].buffer_index == 2 &&
          all->args[0].buffer_index == 2);
    CHECK_OK(gsim_program_check(&set.all, &error), error);
    uint32_t identity[7];
    gsim_task_set_identify(&set, identity); /* grids 1 1 2 and 1 1 2 2, each task by itself */
    static const uint32_t expected[7] = {0, 0, 1, 0, 0, 1, 1};
    for (int i = 0; i < 7; i++) CHECK_INT(identity[i], expected[i]);
    gsim_task_set_release(&set);
    gsim_program_release(&programs[0]);
    gsim_program_release(&programs[1]);
}

static void out_of_memory(void)
{
    struct gsim_program program;
    build(&program, "a", 3);
    const struct gsim_task tasks[2] = {{.name = "a", .program = &program}, {.name = "b", .program = &program}};
    for (uint64_t nth = 1;; nth++) {
        struct gsim_task_set set;
        struct gsim_error error = {0};
        gsim_alloc_fail_nth(nth);
        enum gsim_status status = gsim_task_set_init(&set, "both", tasks, 2, &error);
        bool was_hit = gsim_alloc_fail_nth(0) >= nth;
        CHECK_INT(status, was_hit ? GSIM_NOMEM : GSIM_OK);
        gsim_task_set_release(&set);
        if (!was_hit) break;
    }
    gsim_program_release(&program);
}

static const struct test_case cases[] = {{"merged", merged}, {"out of memory", out_of_memory}};
TEST_MAIN("sim/program/tasks", cases)
