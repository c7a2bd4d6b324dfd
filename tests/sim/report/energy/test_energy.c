/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Energy of a run (docs/model/energy.md), added up by hand for a GPU of 100 W base power: base for all of the time,
 * kernels and copies on top.
 */
#include "gpusim/energy.h"
#include "tests/test.h"

/* An H100's SMs with power numbers that are easy to add up. */
static struct gsim_device_spec device_of(void)
{
    struct gsim_error error = {0};
    struct gsim_device_spec d = {0};
    CHECK_OK(gsim_device_load("h100-vm", &d, &error), error);
    d.name = "d";
    d.base_w = 100;
    d.copy_w = 10;
    d.flop_pj = 5;
    d.byte_pj = 50;
    d.memory_w = 20;
    d.memory_knee_gbps = 100;
    d.warp_mw = 4;
    d.smem_warp_mw = 50;
    d.unknown_w = 300;
    d.unknown_warps = 500;
    d.tensor_w = 1000;
    d.mma_w = 400;
    d.rise_us = 5;
    return d;
}

/* Two iterations of 100 us. In the first a kernel of 6 mJ runs from 10 to 60 us beside one of 3 mJ from 40 to 80, in
 * the second a copy from 110 to 150 us. */
static void test_sums(void)
{
    struct gsim_error error = {0};
    struct gsim_kernel kernels[] = {
        {.name = "a", .grid = {1, 1, 1}, .block = {32, 1, 1}, .energy_mj = 6, .solo_us = 50},
        {.name = "b", .grid = {1, 1, 1}, .block = {32, 1, 1}, .energy_mj = 3, .solo_us = 40, .solo_device = "d"}};
    struct gsim_program program = {.kernels = kernels, .kernel_count = 2};
    struct gsim_device_spec device = device_of();
    struct gsim_timeline t;
    struct gsim_energy e;
    gsim_timeline_init(&t, &program, false);
    t.gpu_count = 1;
    const gsim_time us = GSIM_PS_PER_US;
    gsim_timeline_add_kernel(&t, &(struct gsim_kernel_record){.kernel_index = 0, .start = 10 * us, .end = 60 * us});
    gsim_timeline_add_kernel(
        &t, &(struct gsim_kernel_record){.kernel_index = 1, .task = 1, .start = 40 * us, .end = 80 * us});
    gsim_timeline_add_copy(
        &t, &(struct gsim_copy_record){.iteration = 1, .kind = GSIM_COPY_H2D, .start = 110 * us, .end = 150 * us});
    gsim_timeline_add_iteration(&t, &(struct gsim_iteration_record){.end = 100 * us});
    gsim_timeline_add_iteration(&t, &(struct gsim_iteration_record){.start = 100 * us, .end = 200 * us});
    CHECK(gsim_energy_is_known(&program, &device));
    CHECK_OK(gsim_energy_compute(&t, &device, 200 * us, &e, &error), error);
    CHECK_NEAR(e.base_busy_mj, 11, 1e-9); /* 70 + 40 us at 100 W */
    CHECK_NEAR(e.base_idle_mj, 9, 1e-9);
    CHECK_NEAR(e.kernels_mj, 9, 1e-9);
    CHECK_NEAR(e.copies_mj, 0.4, 1e-9);
    CHECK_NEAR(e.total_mj, 29.4, 1e-9);
    CHECK_NEAR(e.mean_w, 147, 1e-9);
    CHECK_NEAR(e.iteration_mj[0], 19, 1e-9);
    CHECK_NEAR(e.iteration_mj[1], 10.4, 1e-9);
    CHECK_NEAR(e.task_mj[0], 6, 1e-9);
    CHECK_NEAR(e.task_mj[1], 3, 1e-9);
    CHECK_NEAR(e.gpu_mj[0], 29.4, 1e-9);
    CHECK_NEAR(e.high_mj - e.low_mj, 2 * 0.03 * 9, 1e-9);
    CHECK_INT(e.estimated, 0);
    gsim_energy_release(&e);
    gsim_timeline_release(&t);
    gsim_device_release(&device);
}

/* Of 100 us each. 64 warps are resident: 2 blocks of 1,024 threads. */
static void test_estimates(void)
{
    struct gsim_device_spec device = device_of();
    static const struct {
        struct gsim_kernel kernel;
        double mj, relative;
    } rows[] = {
        {{.flops = 1e9}, 5 + 0.0256, 0.15}, /* 1e9 x 5 pJ; 64 x 4 mW x 100 us */
        {{.dram_bytes = 1e7},
         0.5 + 2 * (1 - 0.367879441) + 0.0256,
         0.15},                                     /* 1e7 x 50 pJ; 20 W (1 - 1/e) x 100 us at 100 GB/s */
        {{.smem_bytes = 1024}, 0.32, 0.35},         /* 64 x 50 mW x 100 us */
        {{.flops = 0}, 30 * (1 - 0.87985338), 0.5}, /* 300 W (1 - exp(-64 / 500)) x 100 us */
        {{.energy_mj = 7, .solo_device = "d"}, 7, 0.03},
        {{.energy_mj = 7, .solo_device = "other"}, 30 * (1 - 0.87985338), 0.5}, /* of another GPU */
        {{.solo_profiled = true}, 30 * (1 - 0.87985338) / 1.05, 0.5},           /* little in 5 of 105 us */
        {{.solo_profiled = true, .smem_bytes = 1024}, 30 * (1 - 0.87985338) / 1.05, 0.5},
        {{.name = "nvjet_sm90_tst_256x128"}, 100. * 2 / 132 / 1.05, 0.2},       /* 1,000 W on 2 of 132 SMs */
        {{.name = "sm80_xmma_gemm", .smem_bytes = 1024}, 40. * 2 / 132 / 1.05, 0.2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsim_kernel k = rows[i].kernel;
        if (!k.name) k.name = "k";
        double relative;
        bool is_estimated;
        k.grid = (struct gsim_dim3){2, 1, 1};
        k.block = (struct gsim_dim3){1024, 1, 1};
        double mj = gsim_energy_of_kernel(&k, &device, 100, &relative, &is_estimated);
        CHECK_MSG(fabs(mj - rows[i].mj) < 1e-6, "row %zu: %.9g mJ, expected %.9g", i, mj, rows[i].mj);
        CHECK_NEAR(relative, rows[i].relative, 1e-12);
        CHECK_INT(is_estimated, i != 4);
    }
    gsim_device_release(&device);
}

/* A kernel of 300 mJ a ms: 400 W with the base, where 200 are allowed. In 100 ms of it the clock leaves 100 of 300 W;
 * in 1 ms from rest it has fallen by nothing, unless the recording was of 300 W. */
static void test_limit(void)
{
    static const struct {
        double ms, recorded_w, clock_loss, mean_w;
    } rows[] = {{100, 0, 0.3, 200}, {1, 0, 0.3, 400}, {1, 300, 0.3, 200}, {100, 0, 0, 400}};
    struct gsim_kernel kernel = {.name = "a", .grid = {1, 1, 1}, .block = {32, 1, 1}};
    struct gsim_program program = {.kernels = &kernel, .kernel_count = 1};
    struct gsim_device_spec device = device_of();
    struct gsim_error error = {0};
    device.limit_w = 200;
    device.clock_window_us = 40000;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsim_timeline t;
        struct gsim_energy e;
        gsim_time end = gsim_time_from_us(rows[i].ms * 1e3);
        kernel.energy_mj = 300 * rows[i].ms;
        device.recorded_w = rows[i].recorded_w;
        device.clock_loss = rows[i].clock_loss;
        gsim_timeline_init(&t, &program, false);
        t.gpu_count = 1;
        gsim_timeline_add_kernel(&t, &(struct gsim_kernel_record){.end = end});
        CHECK_OK(gsim_energy_compute(&t, &device, end, &e, &error), error);
        CHECK_NEAR(e.mean_w, rows[i].mean_w, 1e-6);
        CHECK_NEAR(e.task_mj[0], (rows[i].mean_w - 100) * rows[i].ms, 1e-6);
        gsim_energy_release(&e);
        gsim_timeline_release(&t);
    }
    CHECK_NEAR(gsim_power_slowdown(&device, 300, 100), 1, 1e-12); /* clock_loss 0 */
    device.clock_loss = 0.5;
    CHECK_NEAR(gsim_power_slowdown(&device, 225, 100), 1.5, 1e-12);
    CHECK_NEAR(gsim_power_slowdown(&device, 90, 100), 1, 1e-12);
    gsim_device_release(&device);
}

/* Of two GPUs one draws 300 W above the base, the other 50, where 100 are allowed: the other's share is not lent. */
static void test_limit_of_each_gpu(void)
{
    struct gsim_kernel kernels[] = {{.name = "a", .grid = {1, 1, 1}, .block = {32, 1, 1}, .energy_mj = 30000},
                                    {.name = "b", .grid = {1, 1, 1}, .block = {32, 1, 1}, .energy_mj = 5000}};
    struct gsim_program program = {.kernels = kernels, .kernel_count = 2};
    struct gsim_device_spec device = device_of();
    struct gsim_error error = {0};
    struct gsim_timeline t;
    struct gsim_energy e;
    gsim_time end = gsim_time_from_us(1e5);
    device.limit_w = 200;
    device.clock_window_us = 40000;
    device.clock_loss = 0.3;
    gsim_timeline_init(&t, &program, false);
    t.gpu_count = 2;
    gsim_timeline_add_kernel(&t, &(struct gsim_kernel_record){.end = end});
    gsim_timeline_add_kernel(&t, &(struct gsim_kernel_record){.end = end, .kernel_index = 1, .device = 1});
    CHECK_OK(gsim_energy_compute(&t, &device, end, &e, &error), error);
    CHECK_NEAR(e.gpu_mj[0], 20000, 1e-6);
    CHECK_NEAR(e.gpu_mj[1], 15000, 1e-6);
    CHECK_NEAR(e.kernels_mj, 15000, 1e-6);
    CHECK_NEAR(e.peak_w, 550, 1e-6);
    gsim_energy_release(&e);
    gsim_timeline_release(&t);
    gsim_device_release(&device);
}

static void test_unknown(void)
{
    struct gsim_kernel kernel = {.name = "a", .grid = {1, 1, 1}, .block = {32, 1, 1}, .solo_us = 5};
    struct gsim_program program = {.kernels = &kernel, .kernel_count = 1};
    struct gsim_device_spec device = device_of();
    device.kind[GSIM_DEV_base_w] = GSIM_KIND_ASSUMED;
    CHECK(!gsim_energy_is_known(&program, &device));
    kernel.energy_mj = 1;
    CHECK(gsim_energy_is_known(&program, &device));
    device.base_w = 0;
    CHECK(!gsim_energy_is_known(&program, &device));
    gsim_device_release(&device);
}

static const struct test_case cases[] = {{"sums", test_sums},
                                         {"estimates", test_estimates},
                                         {"limit", test_limit},
                                         {"limit of each GPU", test_limit_of_each_gpu},
                                         {"unknown", test_unknown}};

TEST_MAIN("sim/report/energy/energy", cases)
