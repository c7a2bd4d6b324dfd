/* SPDX-License-Identifier: GPL-3.0-or-later */
/* KeSCo on programs that are drawn while they run; its plans are in tests/golden/test_kesco_plans.c. */
#include "gpusim/simulate.h"
#include "gpusim/workload.h"
#include "tests/sim/known_program.h"
#include "tests/test.h"

static struct gsim_device_spec device;

/* DRAWN: gets the program that was drawn; NULL: the program is known. */
static bool run(const struct gsim_program *program, enum gsim_memory_mode memory, struct gsim_program *drawn,
                struct gsim_timeline *timeline)
{
    struct gsim_error error = {0};
    struct gsim_source_of_program_params params = {program};
    struct gsim_simulation simulation = {.program = drawn ? drawn : program,
                                         .drawn = drawn,
                                         .source = drawn ? &gsim_source_of_program : NULL,
                                         .source_params = &params,
                                         .device = &device,
                                         .scheduler = gsim_scheduler_find("kesco"),
                                         .memory = memory,
                                         .iterations = 1,
                                         .seed = 1};
    gsim_params_set_defaults(gsim_gpu_params, &simulation.gpu);
    enum gsim_status status = gsim_simulate(&simulation, timeline, &error);
    CHECK_MSG(status == GSIM_OK, "%s: %s", program->name, error.message);
    return status == GSIM_OK;
}

static uint32_t stream_of_op(const struct gsim_timeline *t, uint32_t op)
{
    for (size_t i = 0; i < t->kernel_count; i++)
        if (t->kernels[i].op == op) return t->kernels[i].stream;
    return UINT32_MAX;
}

/* KeSCo's pass sees one function body at a time, which ends with a host op, and so does a stretch that is drawn: two
 * kernels of a body share a stream in both or in none. */
static void planned_alike(void)
{
    struct gsim_error error = {0};
    uint32_t shared = 0, apart = 0;
    CHECK_OK(gsim_device_load("p100", &device, &error), error);
    for (int c = 0; gsim_workload_at((uint32_t)c / 2); c++) {
        struct gsim_program program = {0}, drawn = {0};
        struct gsim_workload_options options = {.size = 1000, .iterations = 1};
        struct gsim_timeline known = {0}, piecewise = {0};
        CHECK_OK(gsim_workload_at((uint32_t)c / 2)->build(&options, &program, &error), error);
        bool ran = run(&program, (enum gsim_memory_mode)(c % 2), NULL, &known);
        ran = run(&program, (enum gsim_memory_mode)(c % 2), &drawn, &piecewise) && ran;
        for (size_t i = 1; ran && i < known.kernel_count; i++) {
            const struct gsim_kernel_record *a = &known.kernels[i - 1], *b = &known.kernels[i];
            bool is_same = stream_of_op(&piecewise, a->op) == stream_of_op(&piecewise, b->op);
            CHECK_MSG(is_same == (a->stream == b->stream), "%s: ops %u and %u", program.name, a->op, b->op);
            shared += is_same;
            apart += !is_same;
        }
        gsim_timeline_release(&known);
        gsim_timeline_release(&piecewise);
        gsim_program_release(&program);
        gsim_program_release(&drawn);
    }
    CHECK(shared > 20 && apart > 20);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {{"what is drawn is planned as what is known", planned_alike}};
TEST_MAIN("schedulers/kesco", cases)
