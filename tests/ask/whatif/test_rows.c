/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes one by one, and those together that can be. */
#include "ask/whatif/rows.h"

#include "tests/sim/machine_fixture.h"

#define COUNT 20

/* A staged copy of 200 us, which keeps the host from launching, then two chains on one stream: 50 us a kernel. */
static struct gsim_program two_chains(void)
{
    struct gsim_builder *b = gsim_builder_create("chains");
    struct gsim_program program = {0};
    struct gsim_error error = {0};
    struct gsim_kernel kernel = fixture_kernel("k", 2, 128, 50);
    const struct gsim_arg arg = {.buffer_index = gsim_builder_buffer(b, "data", 1000000, GSIM_INIT_HOST),
                                 .writes = true};
    uint32_t last[2], copy = gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_COPY,
                                                                  .copy_kind = GSIM_COPY_H2D,
                                                                  .copy_memory = GSIM_COPY_MEMORY_PAGEABLE,
                                                                  .args = &arg,
                                                                  .arg_count = 1,
                                                                  .bytes = 1000000,
                                                                  .stream = 0});
    for (int i = 0; i < COUNT; i++)
        last[i % 2] = gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                                           .kernel_index = gsim_builder_kernel(b, &kernel),
                                                           .after = i < 2 ? &copy : &last[i % 2],
                                                           .after_count = 1,
                                                           .stream = 0});
    CHECK_OK(gsim_builder_finish(b, 1, &program, &error), error);
    return program;
}

/* By true dependences the chains run side by side, as a graph or in two streams: not both. With the copy pinned the
 * faster of the two is the best of all. */
static void together(void)
{
    struct gsim_program program = two_chains();
    struct gsim_device_spec device = fixture_device();
    struct gsim_error error = {0};
    struct gsim_simulation simulation = {.program = &program,
                                         .device = &device,
                                         .scheduler = gsim_scheduler_find("async"),
                                         .memory = GSIM_MEMORY_PINNED,
                                         .seed = 1,
                                         .iterations = 3};
    static struct gsim_whatif w;
    char name[GSIM_WHATIF_NAME];
    gsim_params_set_defaults(gsim_gpu_params, &simulation.gpu);
    w.base = (struct gsim_changeable){.simulation = &simulation, .has_data = true};
    CHECK_OK(gsim_whatif_run(&w, "dag,streams=2,pinned", &error), error);
    CHECK_INT(w.row_count, 5);
    CHECK(w.rows[4].is_together);
    CHECK_STR(gsim_whatif_name(&w.rows[4], name, sizeof name), "dag+pinned");
    CHECK_NEAR(w.rows[1].time_us - w.rows[4].time_us, 100, 1e-6);
    /* Behind the staged copy the first kernel is launched, in 2 us, and starts 1 later; it waits there already: 1.5. */
    CHECK_NEAR(w.rows[0].time_us - w.rows[3].time_us, 100 + 3 - 1.5, 1e-6);
    gsim_program_release(&program);
}

static const struct test_case cases[] = {{"together", together}};
TEST_MAIN("ask/whatif/rows", cases)
