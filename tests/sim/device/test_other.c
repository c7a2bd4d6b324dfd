/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A kernel that was timed on one device, on another: values by hand from the two devices' numbers. */
#include "sim/device/other.h"

#include <math.h>
#include <string.h>

#include "sim/device/rules.h"
#include "tests/test.h"

/* Numbers of the test's own: the file's change with what is measured. */
static const struct gsim_other_law law = {
    .knee = 2.6,
    .latency_share = 0.1,
    .l2_repeated = 0.15,
    .other_dram = 0.35,
    .stream_dram = 0.95,
    .mixed_dram = 0.6,
    .l2_keeps = 0.5,
    .thread_bytes = 64,
    .most_gap = 0.5,
    .off_known = 0.12,
    .off_unknown = 0.06,
    .off_common = 0.1,
    .off_beyond = 0.3,
    .off_assumed = 0.2,
    .names = {{"vectorized_elementwise", GSIM_OTHER_STREAMS}, {"gemm", GSIM_OTHER_PRODUCTS}},
    .name_count = 2};

/* Two of an H200 that differ in nothing but what a test changes. */
static struct gsim_device_spec from, to;

static void open_two(void)
{
    struct gsim_error error = {0};
    CHECK_OK(gsim_device_load("h200", &from, &error), error);
    CHECK_OK(gsim_device_load("h200", &to, &error), error);
}

static void close_two(void)
{
    gsim_device_release(&from);
    gsim_device_release(&to);
}

static struct gsim_kernel kernel_of(double us)
{
    return (struct gsim_kernel){
        .name = "k", .grid = {1320, 1, 1}, .block = {256, 1, 1}, .solo_us = us, .solo_device = "h200"};
}

static void by_hand(void)
{
    open_two();
    from.dram_peak_gbps = from.dram_gbps = 2000;
    to.dram_peak_gbps = to.dram_gbps = 4000;
    struct gsim_kernel k = kernel_of(1000);
    k.pipes_given = true;
    k.pipes[GSIM_PIPE_DRAM] = 1; /* nothing but DRAM: half as long */
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).us, 500, 1e-6);
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).low_us, 500 / 1.12, 1e-6);
    k.dram_cost = 2; /* half of a byte's time opens rows */
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).us, 750, 1e-6);
    k.dram_cost = 0;
    k.pipes[GSIM_PIPE_DRAM] = 0.5; /* 0.5^2.6 = 0.164938, 0.25^2.6 = 0.027205; (0.862267)^(1/2.6) = 0.944602 */
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).us, 944.602, 0.01);
    k.pipes[GSIM_PIPE_DRAM] = 0; /* nothing of it */
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).us, 1000, 1e-6);
    to.clock_mhz = from.clock_mhz * 2;
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).us, 500, 1e-6);
    to.clock_mhz = from.clock_mhz;
    k.pipes[GSIM_PIPE_TENSOR] = 1;
    to.tensor_flops_per_clock = from.tensor_flops_per_clock / 4;
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).us, 4000, 1e-6);
    k.pipes[GSIM_PIPE_TENSOR] = 0;
    to.stream_gap_us = from.stream_gap_us + 2;
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).us, 1002, 1e-6);
    to.stream_gap_us = from.stream_gap_us;
    k = kernel_of(1000); /* counted bytes: 1000 us of 2000 GB/s are 2e9, twice what it moves: 0.5 as above */
    k.demand_given = true;
    k.dram_bytes = 1e9;
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).us, 944.602, 0.01);
    close_two();
}

static void limits(void)
{
    open_two();
    from.dram_peak_gbps = from.dram_gbps = 2000;
    to.dram_peak_gbps = to.dram_gbps = 4000;
    struct gsim_kernel k = kernel_of(1000);
    /* nothing told: from all DRAM to nothing of it */
    struct gsim_other_time time = gsim_other_time(&law, &k, &from, &to);
    CHECK_NEAR(time.low_us, 500 / 1.06, 1e-6);
    CHECK_NEAR(time.high_us, 1060, 1e-6);
    CHECK(time.us > time.low_us && time.us < time.high_us);
    to.stream_gap_us = from.stream_gap_us + 2; /* both ends later by the gap between launches */
    time = gsim_other_time(&law, &k, &from, &to);
    CHECK_NEAR(time.low_us, 502 / 1.06, 1e-6);
    CHECK_NEAR(time.high_us, 1002 * 1.06, 1e-6);
    to.stream_gap_us = from.stream_gap_us;
    k.name = "void vectorized_elementwise_kernel<4>";
    k.grid.x = 100000; /* 256 x 64 B of each block: 1.6 GB at 2000 GB/s, more than L2 */
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).us, 603.67, 0.05); /* 0.95^2.6 = 0.87514, 0.475^2.6 = 0.14434 */
    k.grid.x = 1000;                                                    /* 16 MB: L2 keeps it */
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).us, 1000, 1e-6);
    k.pipes_given = true; /* moved there its pipes are of that peak */
    k.pipes[GSIM_PIPE_DRAM] = 1;
    k.smem_bytes = 300000;
    k.energy_mj = 5;
    (void)gsim_other_move(&law, &k, &from, &to);
    CHECK_NEAR(k.solo_us, 500, 1e-6);
    CHECK_NEAR(k.pipes[GSIM_PIPE_DRAM], 1, 1e-9);
    CHECK(k.smem_bytes == 232448 && k.energy_mj == 0); /* 227 KiB, of an SM of 9.0 */
    k = kernel_of(10);
    CHECK(!gsim_other_is(&k, &to));
    k.solo_device = "h100-vm";
    CHECK(gsim_other_is(&k, &to));
    to.rules_off = UINT64_C(1) << GSIM_RULE_OTHER_DEVICE;
    CHECK(!gsim_other_is(&k, &to));
    close_two();
}

/* 1000 us of DRAM alone become 500, so each share doubles; there the peak of DRAM is 2.5 times as high, that of L2 3
 * times, and half the SMs have 2.5 times the clock: 1.25. */
static void pipes_move(void)
{
    open_two();
    from.dram_peak_gbps = from.dram_gbps = 2000, to.dram_gbps = 4000, to.dram_peak_gbps = 5000;
    to.l2_gbps = 3 * from.l2_gbps, to.clock_mhz = 2.5 * from.clock_mhz, to.sm_count = from.sm_count / 2;
    struct gsim_kernel k = kernel_of(1000);
    k.pipes_given = true;
    k.pipes[GSIM_PIPE_DRAM] = 1;
    k.pipes[GSIM_PIPE_L2] = 0.3, k.pipes[GSIM_PIPE_L2_SLICE] = 0.6, k.pipes[GSIM_PIPE_TENSOR] = 0.2;
    k.pipes[GSIM_PIPE_FMA] = 0.9;
    k.cold_us = 1000;
    CHECK_NEAR(gsim_other_move(&law, &k, &from, &to).us, 500, 1e-9);
    CHECK_NEAR(k.pipes[GSIM_PIPE_DRAM], 1 * 2 / 2.5, 1e-9);
    CHECK_NEAR(k.pipes[GSIM_PIPE_L2], 0.3 * 2 / 3, 1e-9);
    CHECK_NEAR(k.pipes[GSIM_PIPE_L2_SLICE], 0.6 * 2 / 3, 1e-9);
    CHECK_NEAR(k.pipes[GSIM_PIPE_TENSOR], 0.2 * 2 / 1.25, 1e-9);
    CHECK_NEAR(k.pipes[GSIM_PIPE_FMA], 1, 0); /* no more than all */
    CHECK_NEAR(k.cold_us, 500, 1e-9);
    CHECK_STR(k.solo_device, to.name);
    close_two();
}

static void machine(void)
{
    open_two();
    from.launch_us = 7;
    from.stream_gap_us += 0.5; /* as a trace says */
    double gap = to.stream_gap_us;
    gsim_other_replace(&to, &from);
    CHECK_NEAR(to.launch_us, 7, 1e-12);
    CHECK_NEAR(to.stream_gap_us, gap + 0.5, 1e-9);
    close_two();
}

/* Widths add up where architectures differ, and where nobody measured a memory; starts take at most half; loads that
 * wait for L2 take less; tiles of a product take as the root of both rates. */
static void widths(void)
{
    open_two();
    to.dram_gbps = to.dram_peak_gbps = from.dram_gbps = from.dram_peak_gbps = 2000;
    struct gsim_kernel k = kernel_of(100);
    k.pipes_given = true;
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).high_us, 112, 1e-9);
    to.kind[GSIM_DEV_dram_gbps] = GSIM_KIND_DERIVED;
    CHECK(gsim_other_is_assumed(&to) && !gsim_other_is_assumed(&from));
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).high_us, 132, 1e-9); /* 12 % and 20 */
    CHECK_NEAR(gsim_other_time(&law, &k, &to, &from).high_us, 132, 1e-9);
    to.compute_capability = 80; /* 30 % more; no gap is known there */
    to.stream_gap_us += 9;
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).high_us, 162, 1e-9);
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).low_us, 100 / 1.62, 1e-9);
    k.pipes_given = false;
    k.name = "gemm";
    k.grid.x = 4; /* L2 holds what moves in its time */
    k.solo_us = 1;
    to.tensor_flops_per_clock = from.tensor_flops_per_clock / 4; /* at worst 4 times as long; the root of 1 and 4 */
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).us, 2, 1e-9);
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).high_us, 4 * 1.56, 1e-9); /* 6, 30 and 20 % */
    close_two();
    open_two();
    k = kernel_of(10);
    k.pipes_given = true;
    to.stream_gap_us = from.stream_gap_us + 9; /* a start is at most half of the kernel's time here: 5 us */
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).us, 15, 1e-9);
    to.stream_gap_us = from.stream_gap_us;
    k.memory_wait = 0.5; /* a tenth of what waits, where DRAM is faster */
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).us, 10, 1e-9);
    to.dram_gbps = from.dram_gbps * 2;
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).us, 9.5, 1e-9);
    from.dram_gbps = from.dram_peak_gbps = 2000;
    to.dram_gbps = to.dram_peak_gbps = 4000;
    k = kernel_of(1000);
    k.pipes_given = true;
    k.pipes[GSIM_PIPE_DRAM] = k.memory_wait = 0.5; /* 0.975^2.6 = 0.936293; (0.781862 + 0.027205)^(1/2.6) = 0.921742 */
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).us, 921.742, 0.01);
    k = kernel_of(1000);
    k.waits = true; /* it asks DRAM for nothing */
    CHECK_NEAR(gsim_other_time(&law, &k, &from, &to).us, 1000, 1e-6);
    close_two();
}

/* The file is there, and its numbers are in range; a host half as fast takes twice as long for its calls. */
static void files(void)
{
    struct gsim_other_law shipped;
    struct gsim_error error = {0};
    CHECK_OK(gsim_other_law_load(&shipped, &error), error);
    CHECK(shipped.knee >= 1.2 && shipped.name_count > 10 && shipped.off_known > 0);
    open_two();
    double launch_us = to.launch_us, clock_mhz = to.clock_mhz, cores = to.cores;
    gsim_other_slow_host(&to, 2);
    CHECK_NEAR(to.launch_us, 2 * launch_us, 1e-12);
    CHECK(to.clock_mhz == clock_mhz && to.cores == cores);
    close_two();
}

/* Three kernels, of which one was timed on the device itself: the sum of the two others, each off by itself and all of
 * them alike, which adds like the sides of a right angle. */
static void sums(void)
{
    struct gsim_kernel k[3] = {kernel_of(300), kernel_of(50), kernel_of(400)};
    const struct gsim_program p = {.kernels = k, .kernel_count = 3};
    struct gsim_error error = {0};
    struct gsim_device_spec v100;
    struct gsim_others others = {0};
    struct gsim_others_sum sum;
    double us = 0, below = 0, above = 0;
    CHECK_OK(gsim_device_load("v100", &v100, &error), error);
    k[0].pipes_given = k[2].pipes_given = true;
    k[0].pipes[GSIM_PIPE_DRAM] = 0.8, k[2].pipes[GSIM_PIPE_TENSOR] = 0.7, k[1].solo_device = "v100";
    for (int i = 0; i < 3; i += 2) {
        struct gsim_kernel moved = k[i];
        struct gsim_other_time one;
        CHECK_OK(gsim_others_move(&others, &moved, &v100, &one, &error), error);
        CHECK(one.low_us < one.us && one.us < one.high_us);
        us += one.us;
        below += pow(one.us - one.low_us, 2), above += pow(one.high_us - one.us, 2);
    }
    double common = others.law.off_common * us;
    CHECK(common > 0 && gsim_others_sum(&p, &v100, &sum));
    CHECK_INT(sum.count, 2);
    CHECK_STR(sum.from, "h200");
    CHECK_NEAR(sum.before_us, 700, 1e-9);
    CHECK_NEAR(sum.us, us, 1e-6);
    CHECK_NEAR(us - sum.low_us, sqrt(below + common * common), 1e-6);
    CHECK_NEAR(sum.high_us - us, sqrt(above + common * common), 1e-6);
    gsim_others_release(&others);
    gsim_device_release(&v100);
}

static const struct test_case cases[] = {{"sums", sums},     {"by hand", by_hand}, {"limits", limits},
                                         {"widths", widths}, {"machine", machine}, {"pipes", pipes_move},
                                         {"files", files}};
TEST_MAIN("sim/device_other", cases)
