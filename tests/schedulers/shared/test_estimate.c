/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gsim_estimate_us(): what is given first, then the data sheet; and in a simulation the machine's own time alone. */
#include <math.h>

#include "gpusim/simulate.h"
#include "tests/test.h"

static const struct gsim_device_facts facts = {.name = "d",
                                               .sm_count = 10,
                                               .fp32_lanes_per_sm = 100,
                                               .clock_mhz = 1000,
                                               .dram_gbps = 100,
                                               .h2d_gbps = 10,
                                               .d2h_gbps = 20,
                                               .pageable_h2d_gbps = 5,
                                               .pageable_d2h_gbps = 4,
                                               .d2d_gbps = 200,
                                               .prefetch_gbps = 8};

static void test_without_machine(void)
{
    static struct gsim_kernel kernels[] = {
        {.name = "measured", .solo_us = 7, .flops = 1e9},
        {.name = "arithmetic", .flops = 4e9, .dram_bytes = 1e6}, /* 2e6 flop/us; 10 us of DRAM */
        {.name = "memory", .flops = 2e6, .dram_bytes = 1e6},
        {.name = "unknown"},
    };
    /* The device writes buffer 0, then the host buffer 1, which nobody has written before the first iteration; nobody
     * writes 2. */
    static struct gsim_buffer buffers[] = {{.name = "a", .bytes = 1000000, .init = GSIM_INIT_HOST},
                                           {.name = "b", .bytes = 1000000},
                                           {.name = "c", .bytes = 1000000}};
    static const struct gsim_arg args[] = {
        {.buffer_index = 0, .writes = true}, {.buffer_index = 1, .writes = true}, {.buffer_index = 2, .writes = true}};
    static struct gsim_op ops[] = {{.kind = GSIM_OP_KERNEL, .args = &args[0], .arg_count = 1},
                                   {.kind = GSIM_OP_HOST_WRITE, .index = 1, .args = &args[1], .arg_count = 1}};
    static const struct {
        struct gsim_op op;
        enum gsim_memory_mode memory;
        double us;
    } table[] = {
        {{.kind = GSIM_OP_KERNEL, .kernel_index = 0}, GSIM_MEMORY_PINNED, 7},
        {{.kind = GSIM_OP_KERNEL, .kernel_index = 1}, GSIM_MEMORY_PINNED, 2000},
        {{.kind = GSIM_OP_KERNEL, .kernel_index = 2}, GSIM_MEMORY_PINNED, 10},
        {{.kind = GSIM_OP_KERNEL, .kernel_index = 3}, GSIM_MEMORY_PINNED, 0},
        {{.kind = GSIM_OP_COPY, .copy_kind = GSIM_COPY_H2D, .bytes = 1000000}, GSIM_MEMORY_PINNED, 100},
        {{.kind = GSIM_OP_COPY, .copy_kind = GSIM_COPY_H2D, .bytes = 1000000}, GSIM_MEMORY_PAGEABLE, 200},
        {{.kind = GSIM_OP_COPY, .copy_kind = GSIM_COPY_D2H, .bytes = 1000000}, GSIM_MEMORY_PINNED, 50},
        {{.kind = GSIM_OP_COPY, .copy_kind = GSIM_COPY_D2H, .bytes = 1000000, .copy_memory = GSIM_COPY_MEMORY_PAGEABLE},
         GSIM_MEMORY_PINNED,
         250},
        {{.kind = GSIM_OP_COPY, .copy_kind = GSIM_COPY_D2H, .bytes = 1000000, .copy_memory = GSIM_COPY_MEMORY_PINNED},
         GSIM_MEMORY_PAGEABLE,
         50},
        {{.kind = GSIM_OP_COPY, .copy_kind = GSIM_COPY_D2D, .bytes = 1000000}, GSIM_MEMORY_PINNED, 10},
        {{.kind = GSIM_OP_COPY, .copy_kind = GSIM_COPY_D2D, .bytes = 1000000, .copy_us = 3}, GSIM_MEMORY_PINNED, 3},
        {{.kind = GSIM_OP_PREFETCH, .bytes = 1000000, .args = &args[0], .arg_count = 1}, GSIM_MEMORY_MANAGED, 125},
        {{.kind = GSIM_OP_PREFETCH, .bytes = 1000000, .args = &args[0], .arg_count = 1, .index = 1},
         GSIM_MEMORY_MANAGED,
         0},
        {{.kind = GSIM_OP_PREFETCH, .bytes = 1000000, .args = &args[1], .arg_count = 1}, GSIM_MEMORY_MANAGED, 125},
        {{.kind = GSIM_OP_PREFETCH, .bytes = 1000000, .args = &args[2], .arg_count = 1}, GSIM_MEMORY_MANAGED, 0},
        {{.kind = GSIM_OP_PREFETCH, .bytes = 1000000, .args = &args[1], .arg_count = 1, .index = 2},
         GSIM_MEMORY_MANAGED,
         125},
        {{.kind = GSIM_OP_HOST_COMPUTE, .host_us = 42}, GSIM_MEMORY_PINNED, 42},
        {{.kind = GSIM_OP_HOST_READ, .bytes = 1000000}, GSIM_MEMORY_PINNED, 0},
        {{.kind = GSIM_OP_HOST_READ, .bytes = 1000000}, GSIM_MEMORY_MANAGED, 50},
        {{.kind = GSIM_OP_HOST_WRITE, .bytes = 1000000}, GSIM_MEMORY_MANAGED, 0},
    };
    struct gsim_program program = {
        .kernels = kernels, .kernel_count = 4, .buffers = buffers, .buffer_count = 3, .ops = ops, .op_count = 2};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct gsim_run run = {.program = &program, .memory = table[i].memory, .device = facts};
        double found = gsim_estimate_us(&run, &table[i].op);
        CHECK_MSG(fabs(found - table[i].us) < 1e-9 * (1 + table[i].us), "case %zu: %g us, expected %g", i, found,
                  table[i].us);
    }
}

/* A scheduler that writes down what it is told, and then runs the one op. */
struct told {
    double us, sm_count;
    const char *device;
};
static struct told told;

static enum gsim_status note(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    told = (struct told){gsim_estimate_us(run, &run->program->ops[0]), run->device.sm_count, run->device.name};
    return GSIM_OK;
}

static enum gsim_status issue(struct gsim_run *run, struct gsim_error *error)
{
    gsim_iteration_begin(run->driver, 0);
    gsim_launch(run->driver, &run->program->ops[0], 0);
    gsim_device_synchronize(run->driver);
    gsim_iteration_end(run->driver, 0);
    return run->driver->error.status
               ? gsim_error_set(error, run->driver->error.status, "%s", run->driver->error.message)
               : GSIM_OK;
}

/* The estimate is the time that the simulated machine takes for the kernel alone. */
static void test_in_a_simulation(void)
{
    static const struct gsim_scheduler_ops scheduler = {
        GSIM_HEAD(scheduler), .name = "told", .prepare = note, .execute = issue};
    static const struct gsim_kernel kernels[] = {
        {.name = "k", .grid = {1000, 1, 1}, .block = {256, 1, 1}, .flops = 4e10, .dram_bytes = 1e7},
        {.name = "k", .grid = {1000, 1, 1}, .block = {256, 1, 1}, .flops = 1e7, .dram_bytes = 4e8},
        {.name = "k", .grid = {8, 1, 1}, .block = {128, 1, 1}, .solo_us = 123},
    };
    struct gsim_device_spec device;
    struct gsim_error error = {0};
    CHECK_OK(gsim_device_load("h200", &device, &error), error);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        struct gsim_builder *builder = gsim_builder_create("one");
        struct gsim_op op = {
            .kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(builder, &kernels[i]), .stream = -1};
        struct gsim_program program = {0};
        struct gsim_timeline timeline = {0};
        gsim_builder_op(builder, &op);
        CHECK_OK(gsim_builder_finish(builder, 1, &program, &error), error);
        struct gsim_simulation simulation = {
            .program = &program, .device = &device, .scheduler = &scheduler, .memory = GSIM_MEMORY_PINNED, .seed = 1};
        told = (struct told){0};
        CHECK_OK(gsim_simulate(&simulation, &timeline, &error), error);
        CHECK_INT(timeline.kernel_count, 1);
        double found = timeline.kernel_count ? gsim_time_us(timeline.kernels[0].end - timeline.kernels[0].start) : 0;
        CHECK(told.us > 1);
        CHECK_NEAR(told.us, found, 0.02 * found);
        CHECK_INT((int)told.sm_count, 132);
        CHECK_STR(told.device, "h200");
        gsim_timeline_release(&timeline);
        gsim_program_release(&program);
    }
    gsim_device_release(&device);
}

static const struct test_case cases[] = {
    {"from a program and a data sheet", test_without_machine},
    {"in a simulation", test_in_a_simulation},
};

TEST_MAIN("schedulers/estimate", cases)
