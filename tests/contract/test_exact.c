/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The built-in workloads of both suites on devices of three generations: pooling SMs and skipping steady waves
 * must not show. One event per block gives the same times within 0.1 %, and no kernel gets faster than its work; one of
 * known pipes takes its solo_us.
 * A third of them, each workload on another device; all with GPUSIM_FULL.
 */
#include "sim/sm/demand.h"
#include "gpusim/workload.h"
#include "tests/test.h"

static const char *const devices[] = {"gtx960", "v100", "h200"};
static const char *const schedulers[] = {"async", "grsched"};

static double makespan_us(const struct gsim_program *program, const struct gsim_device_spec *device,
                          const char *scheduler, bool exact, double *shortest_us)
{
    struct gsim_simulation s = {.program = program,
                                .device = device,
                                .scheduler = gsim_scheduler_find(scheduler),
                                .memory = GSIM_MEMORY_MANAGED,
                                .seed = 1,
                                .iterations = 2};
    struct gsim_timeline t;
    struct gsim_error error = {0};
    gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
    s.gpu.exact = exact;
    CHECK_OK(gsim_simulate(&s, &t, &error), error);
    double end_us = t.iteration_count ? gsim_time_us(t.iterations[t.iteration_count - 1].end) : 0;
    for (uint32_t k = 0; k < program->kernel_count; k++) shortest_us[k] = INFINITY;
    for (size_t i = 0; i < t.kernel_count; i++) {
        double *shortest = &shortest_us[t.kernels[i].kernel_index];
        *shortest = fmin(*shortest, gsim_time_us(t.kernels[i].end - t.kernels[i].start));
    }
    gsim_timeline_release(&t);
    return end_us;
}

static void compare(const struct gsim_workload_ops *workload, enum gsim_suite suite,
                    const struct gsim_device_spec *device, const char *scheduler)
{
    struct gsim_workload_options options = {
        .suite = suite, .size = floor(workload->size_default[suite] / 8), .iterations = 2};
    struct gsim_program program = {0};
    struct gsim_error error = {0};
    CHECK_OK(workload->build(&options, &program, &error), error);
    double *shortest_us = gsim_alloc(sizeof *shortest_us * (program.kernel_count + 1));
    double exact = makespan_us(&program, device, scheduler, true, shortest_us);
    double pooled = makespan_us(&program, device, scheduler, false, shortest_us);
    CHECK_MSG(fabs(pooled / exact - 1) <= 0.001, "%s, suite %d, %s on %s: %.3f us pooled, %.3f us exact",
              workload->name, (int)suite, scheduler, device->name, pooled, exact);
    for (uint32_t k = 0; k < program.kernel_count; k++) {
        struct gsim_demand work;
        CHECK_OK(gsim_demand_init(&work, device, &program.kernels[k], &error), error);
        double waves = ceil((double)work.blocks / (device->sm_count * work.need.blocks_per_sm));
        CHECK_MSG(shortest_us[k] >= waves * work.block_ps * 1e-6 * (1 - 1e-6),
                  "%s on %s: %s took %.3f us, %g waves of %.3f us", workload->name, device->name,
                  program.kernels[k].name, shortest_us[k], waves, work.block_ps * 1e-6);
    }
    gsim_free(shortest_us);
    gsim_program_release(&program);
}

static void workloads_pooled_and_exact(void)
{
    for (size_t d = 0; d < sizeof devices / sizeof devices[0]; d++) {
        struct gsim_device_spec device = {0};
        struct gsim_error error = {0};
        CHECK_OK(gsim_device_load(devices[d], &device, &error), error);
        for (uint32_t w = 0; gsim_workload_at(w); w++)
            for (uint32_t suite = 0; suite < 2; suite++)
                for (size_t s = 0; s < 2 && (test_is_full() || (w + suite) % 3 == d); s++)
                    compare(gsim_workload_at(w), (enum gsim_suite)suite, &device, schedulers[s]);
        gsim_device_release(&device);
    }
}

/* A kernel alone takes its solo_us, each block by itself or not, whatever it is that its blocks wait for, however full
 * its last wave is, and in its tenth wave as in the first: the blocks behind TENSOR ask for so much less of a slow DRAM
 * that half steps to its load go astray. */
static void solo_times(void)
{
    static const struct {
        const char *device;
        uint32_t grid, threads, registers, smem_bytes;
        double solo_us, l1, dram, tensor;
    } rows[] = {{"gtx960", 36, 256, 168, 16384, 80.74, 0.5, 0.65, 0},
                {"gtx960", 37, 256, 168, 16384, 80.74, 0.69, 0.65, 0},
                {"gtx960", 40, 256, 168, 16384, 80.74, 0.9, 0.65, 0},
                {"v100", 3777, 384, 16, 1024, 352.15, 0, 0.86, 0.81},
                {"a100-sxm4-40gb", 3777, 256, 16, 0, 309.21, 0.55, 0.83, 0.7}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsim_device_spec device = {0};
        struct gsim_error error = {0};
        CHECK_OK(gsim_device_load(rows[i].device, &device, &error), error);
        struct gsim_builder *b = gsim_builder_create("alone");
        struct gsim_program program = {0};
        struct gsim_kernel k = {.name = "k",
                                .grid = {rows[i].grid, 1, 1},
                                .block = {rows[i].threads, 1, 1},
                                .regs_per_thread = rows[i].registers,
                                .smem_bytes = rows[i].smem_bytes,
                                .solo_us = rows[i].solo_us,
                                .pipes_given = true};
        k.pipes[GSIM_PIPE_L1] = rows[i].l1;
        k.pipes[GSIM_PIPE_DRAM] = rows[i].dram;
        k.pipes[GSIM_PIPE_TENSOR] = rows[i].tensor;
        const struct gsim_op op = {.kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(b, &k), .stream = -1};
        (void)gsim_builder_op(b, &op);
        CHECK_OK(gsim_builder_finish(b, 2, &program, &error), error);
        for (int exact = 0; exact < 2; exact++) {
            double took_us;
            makespan_us(&program, &device, "async", exact, &took_us);
            CHECK_MSG(fabs(took_us / rows[i].solo_us - 1) < 1e-3, "row %zu, exact %d: %g us", i, exact, took_us);
        }
        gsim_program_release(&program);
        gsim_device_release(&device);
    }
}

static const struct test_case cases[] = {{"workloads pooled and exact", workloads_pooled_and_exact},
                                         {"solo times", solo_times}};
TEST_MAIN("contract/exact", cases)
