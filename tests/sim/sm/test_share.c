/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each equation of sim/sm/share.h on one SM, computed by hand with the numbers of docs/model/sharing.md for made-up
 * blocks; and, over random blocks, that described ones never get more than there is. On-chip blocks: test_share_chip.c.
 */
#include <gsl/gsl_rng.h>

#include "tests/sim/sm/share_blocks.h"

/* --- issue-bound blocks ---------------------------------------------------------------------------------- */
static void dense_arithmetic_alone(void)
{
    static const double at[][2] = {
        {0, 0}, {0.5, 0.413}, {1, SHARE1}, {1.5, 0.883}, {2, SHARE2}, {3, SHARE3}, {4, 1}, {16, 1}};
    struct gsim_device_spec model = device();
    for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++)
        CHECK_NEAR(gsim_issue_share(&model, at[i][0]), at[i][1], 1e-12);
    for (double width = 0.01; width < 5; width += 0.01) {
        CHECK(gsim_issue_share(&model, width) >= gsim_issue_share(&model, width - 0.01));
        struct gsim_device_spec d = device();
        struct gsim_demand w = issue_work(width <= 2 ? width : 2);
        struct gsim_cohort c = cohort(&w, 1, 0);
        CHECK_NEAR(gsim_share_sm(&d, &c, 1, &calm, 0, NULL), 0, 0);
        CHECK_NEAR(c.speed * w.block_ps, 1, 1e-9); /* alone it takes what it takes alone */
    }
}

static void equal_up_to_three_warps(void)
{
    struct gsim_device_spec d = device();
    struct gsim_demand w = issue_work(1), half = issue_work(0.5);
    struct gsim_cohort c[3];
    for (int i = 0; i < 3; i++) c[i] = cohort(&w, 1, i);
    gsim_share_sm(&d, c, 3, &calm, 0, NULL);
    for (int i = 0; i < 3; i++) CHECK_NEAR(c[i].speed * 1000, SHARE3 / 3, 1e-12);
    gsim_share_sm(&d, c, 2, &calm, 0, NULL);
    for (int i = 0; i < 2; i++) CHECK_NEAR(c[i].speed * 1000, SHARE2 / 2, 1e-12);
    c[1] = cohort(&half, 1, 1); /* by warps: 2/3 and 1/3 of what 1.5 warps reach */
    gsim_share_sm(&d, c, 2, &calm, 0, NULL);
    CHECK_NEAR(c[0].speed * 1000, (SHARE1 + SHARE2) / 2 * 2 / 3, 1e-12);
    CHECK_NEAR(c[1].speed * 1000, (SHARE1 + SHARE2) / 2 / 3, 1e-12);
}

static void oldest_first_beyond(void)
{
    static const double expected[5] = {1.0 / 3, 1.0 / 3, 1.0 / 6, 1.0 / 6, STARVED * SHARE1};
    struct gsim_device_spec d = device();
    struct gsim_demand one = issue_work(1), two = issue_work(2), half = issue_work(0.5);
    struct gsim_cohort c[8];
    for (int i = 0; i < 5; i++) c[i] = cohort(&one, 1, i);
    gsim_share_sm(&d, c, 5, &calm, 0, NULL);
    for (int i = 0; i < 5; i++) CHECK_NEAR(c[i].speed * 1000, expected[i], 1e-12);
    for (int i = 0; i < 3; i++) c[i] = cohort(&two, 1, i);
    gsim_share_sm(&d, c, 3, &calm, 0, NULL);
    CHECK_NEAR(c[0].speed * 1000, 2.0 / 3, 1e-12);
    CHECK_NEAR(c[1].speed * 1000, 1.0 / 3, 1e-12);
    CHECK_NEAR(c[2].speed * 1000, STARVED * SHARE2, 1e-12);
    for (int i = 0; i < 8; i++) c[i] = cohort(&half, 1, i); /* 4 warps: 1/6 each for 4, 1/12 each for 4 */
    gsim_share_sm(&d, c, 8, &calm, 0, NULL);
    for (int i = 0; i < 8; i++) CHECK_NEAR(c[i].speed * 1000, i < 4 ? 1.0 / 6 : 1.0 / 12, 1e-12);
}

/* H200: 4 blocks of 256 threads that need 64 us of issue end after 96, 144, 213 and 254 us. */
static void blocks_end_one_after_the_other(void)
{
    static const double measured_us[4] = {96, 144, 213, 254};
    struct gsim_device_spec d = device();
    struct gsim_demand w = issue_work(2);
    w.issue_ps = 64e6;
    w.block_ps = w.compute_ps = 64e6 / SHARE2;
    struct gsim_cohort c[4];
    for (int i = 0; i < 4; i++) c[i] = cohort(&w, 1, 0);
    double now_us = 0;
    for (int first = 0; first < 4; first++) {
        gsim_share_sm(&d, &c[first], (uint32_t)(4 - first), &calm, 0, NULL);
        double took = c[first].left / c[first].speed;
        for (int i = first; i < 4; i++) c[i].left -= took * c[i].speed;
        now_us += took * 1e-6;
        CHECK_NEAR(now_us, measured_us[first], 0.02 * measured_us[first]);
    }
}

/* --- memory blocks ---------------------------------------------------------------------------------------- */
static void memory_blocks_feel_dram(void)
{
    struct gsim_device_spec d = device();
    struct gsim_demand w = memory_work(10);
    struct gsim_cohort c = cohort(&w, 3, 0);
    w.compute_ps = 200;
    CHECK_NEAR(gsim_share_sm(&d, &c, 1, &calm, 0, NULL), 3 * 700.0 / 1200,
               1e-9); /* GB/s asked for, averaged over a block */
    CHECK_NEAR(1 / c.speed, 1200, 1e-9);
    struct gsim_dram_state busy = {.load = 1.5, .stretch = 2, .gain = 1};
    CHECK_NEAR(gsim_share_sm(&d, &c, 1, &busy, 0, NULL), 3 * 1400.0 / 1900, 1e-9);
    CHECK_NEAR(1 / c.speed, 200 + 300 + 2 * 700, 1e-9);
    busy.gain = 1.25; /* a fast SM */
    gsim_share_sm(&d, &c, 1, &busy, 0, NULL);
    CHECK_NEAR(1 / c.speed, 200 + 300 + 1.6 * 700, 1e-9);
    w.dram_gbps = 160; /* 480 GB/s on an SM that draws 200 at most */
    gsim_share_sm(&d, &c, 1, &calm, 0, NULL);
    CHECK_NEAR(1 / c.speed, 200 + 300 + 2.4 * 700, 1e-9);
    w.has_flops = true; /* asks for it in half of its time only */
    w.issue_ps = 1e-6;
    w.compute_ps = 1000;
    w.block_ps = 2000;
    gsim_share_sm(&d, &c, 1, &calm, 0, NULL);
    CHECK_NEAR(1 / c.speed, 1000 + 300 + 1.2 * 700, 1e-3);
}

static void old_memory_blocks_go_first(void)
{
    struct gsim_device_spec d = device();
    struct gsim_demand issue = issue_work(2), memory = memory_work(10);
    struct gsim_cohort c[3] = {cohort(&memory, 1, 0), cohort(&issue, 1, 1), cohort(&issue, 1, 1)};
    gsim_share_sm(&d, c, 3, &calm, 0, NULL);
    CHECK_NEAR(1 / c[0].speed, 1000 * 1.1, 1e-9); /* four younger warps: all slots */
    CHECK_NEAR(c[1].speed * 1000, 2.0 / 3 * (1 - 10 / 1100.0), 1e-12);
    CHECK_NEAR(c[2].speed * 1000, 1.0 / 3 * (1 - 10 / 1100.0), 1e-12);
    gsim_share_sm(&d, c, 2, &calm, 0, NULL);
    CHECK_NEAR(1 / c[0].speed, 1000 * (1 + 0.1 * sqrt(0.5)), 1e-9);
}

/* 900 ps of latency and DRAM, 100 of arithmetic that needs a warp per sub-partition for 80 of them. */
static struct gsim_demand copy_with_arithmetic(void)
{
    struct gsim_demand w = memory_work(80);
    w.has_flops = w.is_crowded = true;
    w.width = 1;
    w.memory_ps = 600;
    w.compute_ps = 100;
    return w;
}

/* COUNT copies with arithmetic by age behind warps that take the share OLDER of the issue slots, all of them but the
 * share ALL; their times by bisection over what they use. */
static void times_of_copies(double *times, int count, double older, double all)
{
    double low = 0, high = 1, used = 0.5;
    for (int pass = 0; pass < 60; pass++, used = (low + high) / 2) {
        double sum = 0, seen = fmax(older, fmin(all, 1 - used * used)), more = 2 * count > 2 ? 2 * count - 2 : 0;
        for (int i = 0; i < count; i++) {
            times[i] =
                1000 *
                (1 + (0.8 * sqrt(seen) * (1 + older * more) + 0.84 * used * used / sqrt(fmax(1 - sum, STARVED))) /
                         (1 - older));
            sum += 80 / times[i];
        }
        *(sum > used ? &low : &high) = used;
    }
}

static void arithmetic_waits_for_other_warps(void)
{
    struct gsim_device_spec d = device();
    struct gsim_demand copy = copy_with_arithmetic();
    struct gsim_cohort c[20];
    double times[20];
    for (int count = 1; count <= 13; count += 4) {
        for (int i = 0; i < count; i++) c[i] = cohort(&copy, 1, 0);
        gsim_share_sm(&d, c, (uint32_t)count, &calm, 0, NULL);
        times_of_copies(times, count, 0, 0);
        for (int i = 0; i < count; i++) CHECK_NEAR(1 / c[i].speed, times[i], 4);
        for (int i = 1; i < count; i++) CHECK(c[i].speed < c[i - 1].speed);
    }
    /* Where they do not crowd the SM they go as one, each with half of the others before it, and a sixth block as well,
     * younger than all. */
    struct gsim_demand few = copy;
    few.is_crowded = false;
    struct gsim_cohort alike[2] = {cohort(&few, 5, 0), cohort(&few, 1, 1)};
    times_of_copies(times, 5, 0, 0);
    gsim_share_sm(&d, alike, 1, &calm, 0, NULL);
    CHECK_NEAR(1 / alike[0].speed, times[2], 2);
    gsim_share_sm(&d, alike, 2, &calm, 0, NULL);
    CHECK(alike[1].speed < alike[0].speed);
}

/* Younger issue-bound warps take slots from a copy with arithmetic, as many as it leaves, and get what it does not
 * use. */
static void younger_arithmetic_beside_memory_blocks(void)
{
    struct gsim_device_spec d = device();
    struct gsim_demand copy = copy_with_arithmetic(), issue = issue_work(2);
    struct gsim_cohort one[3] = {cohort(&copy, 1, 0), cohort(&issue, 1, 1), cohort(&issue, 1, 1)};
    struct gsim_cohort two[4] = {cohort(&copy, 1, 0), cohort(&copy, 1, 0), cohort(&issue, 1, 1), cohort(&issue, 1, 1)};
    double times[2];
    for (uint32_t warps = 2; warps <= 4; warps += 2) {
        times_of_copies(times, 1, 0, warps / 4.0);
        gsim_share_sm(&d, one, 1 + warps / 2, &calm, 0, NULL);
        CHECK_NEAR(1 / one[0].speed, times[0], 2);
        CHECK_NEAR(one[1].speed * 1000, (warps == 2 ? SHARE2 : 2.0 / 3) * (1 - 80 * one[0].speed), 1e-9);
        times_of_copies(times, 2, 0, warps / 4.0);
        gsim_share_sm(&d, two, 2 + warps / 2, &calm, 0, NULL);
        for (int i = 0; i < 2; i++) CHECK_NEAR(1 / two[i].speed, times[i], 4);
    }
}

static void young_memory_blocks_starve(void)
{
    struct gsim_device_spec d = device();
    struct gsim_demand issue = issue_work(2), one = issue_work(1), memory = memory_work(400);
    struct gsim_cohort behind_four[3] = {cohort(&issue, 1, 0), cohort(&issue, 1, 0), cohort(&memory, 2, 1)};
    gsim_share_sm(&d, behind_four, 3, &calm, 0, NULL);
    CHECK_NEAR(1 / behind_four[2].speed, 1000 * (1 + 0.1 * 3 / STARVED),
               1e-6); /* four warps of their own, two of which are in each other's way */
    struct gsim_cohort behind_one[2] = {cohort(&one, 1, 0), cohort(&memory, 1, 1)};
    gsim_share_sm(&d, behind_one, 2, &calm, 0, NULL);
    CHECK_NEAR(1 / behind_one[1].speed, 1000 * (1 + 0.1 * 0.5 / 0.75), 1e-9);
    /* Blocks of one kernel that started together share alike, in however many cohorts they are. */
    struct gsim_cohort apart[3] = {cohort(&one, 1, 0), cohort(&memory, 1, 1), cohort(&memory, 1, 1)};
    gsim_share_sm(&d, apart, 3, &calm, 0, NULL);
    CHECK_NEAR(1 / apart[1].speed, 1000 * (1 + 0.1 * 0.5 * 1.5 / 0.75), 1e-9);
    CHECK_NEAR(apart[2].speed, apart[1].speed, 0);
    /* Scattered loads are not in each other's way. */
    memory.kind = GSIM_DEMAND_SCATTER;
    for (int i = 0; i < 2; i++) apart[1 + i] = cohort(&memory, 1, 1);
    gsim_share_sm(&d, apart, 3, &calm, 0, NULL);
    CHECK_NEAR(1 / apart[1].speed, 1000 * (1 + 0.17 * 0.5 / 0.75), 1e-9);
}

/* Behind two and three issue-bound warps per sub-partition; these have the rest of the issue rate. */
static void few_older_warps_leave_memory_blocks_some(void)
{
    static const double widths[] = {1, 1.25, 1.5};
    struct gsim_device_spec d = device();
    struct gsim_demand memory = copy_with_arithmetic();
    for (int i = 0; i < 3; i++) {
        struct gsim_demand issue = issue_work(widths[i]);
        struct gsim_cohort c[4] = {cohort(&issue, 1, 0), cohort(&issue, 1, 0), cohort(&memory, 1, 1),
                                   cohort(&memory, 1, 1)};
        double times[2];
        times_of_copies(times, 2, widths[i] / 2, widths[i] / 2);
        gsim_share_sm(&d, c, 4, &calm, 0, NULL);
        for (int k = 0; k < 2; k++) CHECK_NEAR(1 / c[2 + k].speed, times[k], 0.002 * times[k]);
        CHECK_NEAR(c[0].speed * 1000, gsim_issue_share(&d, 2 * widths[i]) / 2 * (1 - 80 * (c[2].speed + c[3].speed)),
                   1e-9);
    }
}

static void scattered_loads_need_lines(void)
{
    struct gsim_device_spec d = device();
    struct gsim_demand w = memory_work(1);
    struct gsim_cohort c = cohort(&w, 8, 0);
    w.kind = GSIM_DEMAND_SCATTER;
    gsim_share_sm(&d, &c, 1, &calm, 0, NULL); /* 8 x 256 threads, 8 lines for each of 256 KiB */
    CHECK_NEAR(1 / c.speed, 1000, 1e-9);
    c.blocks = 12;
    gsim_share_sm(&d, &c, 1, &calm, 0, NULL);
    CHECK_NEAR(1 / c.speed, 1500, 1e-9);
    c.blocks = 1;
    gsim_share_sm(&d, &c, 1, &calm, 228 * 1024, NULL); /* 28 KiB left: 224 lines */
    CHECK_NEAR(1 / c.speed, 1000 * 256 / 224.0, 1e-9);
    gsim_share_sm(&d, &c, 1, &calm, 256 * 1024, NULL); /* never less than 2 KiB */
    CHECK_NEAR(1 / c.speed, 1000 * 256 / 16.0, 1e-9);
}

/* Blocks of two warps are on two sub-partitions each: the second of three has two to itself, the others share the other
 * two. */
static void two_warps_on_half_the_sub_partitions(void)
{
    struct gsim_device_spec d = device();
    struct gsim_demand narrow = issue_work(0.5), wide = issue_work(1);
    struct gsim_cohort c[3] = {cohort(&narrow, 1, 0), cohort(&narrow, 1, 0), cohort(&narrow, 1, 0)};
    for (int i = 0; i < 3; i++) c[i].half = i == 1 ? 2 : 1;
    gsim_share_sm(&d, c, 3, &calm, 0, NULL);
    CHECK_NEAR(c[1].speed * 1000, SHARE1 / 2, 1e-9);
    CHECK_NEAR(c[0].speed * 1000, SHARE2 / 4, 1e-9);
    CHECK_NEAR(c[2].speed * 1000, SHARE2 / 4, 1e-9);
    c[2] = cohort(&wide, 1, 1); /* on all: as slow as where it is slower */
    c[1].half = 1;
    gsim_share_sm(&d, c, 3, &calm, 0, NULL);
    CHECK_NEAR(c[2].speed * 1000, SHARE3 / 3, 1e-9);
}

/* 28 KiB of L1 have room for 224 lines. A stream of 256 threads takes that of 32: beside 448 it is 15/7 times as long,
 * beside 192 as alone; one of 2,048 that of 112, not more. With 156 KiB there is room for all. */
static void streams_behind_scattered_loads(void)
{
    static const struct {
        uint32_t threads, l1_kib, blocks;
        double times;
    } beside[] = {{192, 28, 1, 1}, {448, 28, 1, 15.0 / 7}, {448, 28, 8, 2.5}, {448, 156, 1, 1}};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        struct gsim_device_spec d = device();
        d.l1_kib = 256;
        struct gsim_demand stream = memory_work(1e-6), scatter = memory_work(1e-6);
        scatter.kind = GSIM_DEMAND_SCATTER;
        scatter.threads = beside[i].threads;
        struct gsim_cohort c[2] = {cohort(&stream, beside[i].blocks, 0), cohort(&scatter, 1, 1)};
        gsim_share_sm(&d, c, 2, &calm, 1024 * (256 - beside[i].l1_kib), NULL);
        CHECK_NEAR(1 / c[0].speed, 1000 * beside[i].times, 1e-3);
        CHECK_NEAR(1 / c[1].speed, 1000 * beside[i].times, 1e-3); /* and so do they */
    }
}

/* --- described blocks -------------------------------------------------------------------------------------- */
static void described_blocks_by_hand(void)
{
    struct gsim_device_spec d = device();
    struct gsim_demand w = {.kind = GSIM_DEMAND_DESCRIBED, .latency_ps = 600, .memory_ps = 800, .dram_gbps = 10};
    struct gsim_cohort c = cohort(&w, 4, 0);
    d.compute_memory_knee = 2;
    w.block_ps = 1000; /* sqrt(600^2 + 800^2) */
    CHECK_NEAR(gsim_share_sm(&d, &c, 1, &calm, 0, NULL), 40, 1e-9);
    CHECK_NEAR(1 / c.speed, 1000, 1e-9);
    struct gsim_dram_state busy = {.load = 0.5, .stretch = 1.5, .gain = 1};
    gsim_share_sm(&d, &c, 1, &busy, 0, NULL);
    CHECK_NEAR(1 / c.speed, sqrt(600.0 * 600 + 1200.0 * 1200), 1e-9);
    busy.load = 3; /* three times what there is: not in less than three times the block's time */
    gsim_share_sm(&d, &c, 1, &busy, 0, NULL);
    CHECK_NEAR(1 / c.speed, sqrt(600.0 * 600 + 3000.0 * 3000), 1e-9);
    w.issue_ps = 300; /* U = 4 x 0.3 */
    gsim_share_sm(&d, &c, 1, &calm, 0, NULL);
    CHECK_NEAR(1 / c.speed, sqrt(1000.0 * 1000 + 1200.0 * 1200), 1e-9);
}

/* A kernel that waits for pages half of the time is, while it runs, as slow as all of its blocks make it; another
 * kernel on the SM feels half of them. U = 4 x 0.3 = 1.2 of its own, 1 x 0.4 of the other. */
static void described_blocks_wait_together(void)
{
    struct gsim_device_spec d = device();
    struct gsim_demand w = {.kind = GSIM_DEMAND_DESCRIBED, .latency_ps = 1000, .issue_ps = 300, .block_ps = 1000};
    struct gsim_demand other = {.kind = GSIM_DEMAND_DESCRIBED, .latency_ps = 1000, .issue_ps = 400, .block_ps = 1000};
    struct gsim_kernel_run *runs[2] = {(struct gsim_kernel_run *)&w, (struct gsim_kernel_run *)&other};
    struct gsim_cohort c[2] = {cohort(&w, 4, 0), cohort(&other, 1, 0)};
    d.compute_memory_knee = 2;
    for (int i = 0; i < 2; i++) c[i].run = runs[i];
    c[0].pace = 0.5;
    gsim_share_sm(&d, c, 2, &calm, 0, NULL);
    CHECK_NEAR(1 / c[0].speed, hypot(1000, 1000 * (1.2 + 0.4)), 1e-9);
    CHECK_NEAR(1 / c[1].speed, hypot(1000, 1000 * (0.6 + 0.4)), 1e-9);
}

/* Four blocks ask for 0.8 of the SM each, one for 0.2, in all 3.4: filled to a level of 0.2, where the one has all and
 * each of the four a quarter of its demand. In order of arrival all would be 3.4 times slower, in turn the one 1 and
 * the four 4 times. One that asks for 0.1 has all as well; the level of the four is then 0.225. */
static void described_blocks_of_two_kinds(void)
{
    struct gsim_device_spec d = device();
    struct gsim_demand heavy = {.kind = GSIM_DEMAND_DESCRIBED, .latency_ps = 1000, .issue_ps = 800, .block_ps = 1000};
    struct gsim_demand light = {.kind = GSIM_DEMAND_DESCRIBED, .latency_ps = 1000, .issue_ps = 200, .block_ps = 1000};
    struct gsim_cohort c[2] = {cohort(&heavy, 4, 0), cohort(&light, 1, 0)};
    d.compute_memory_knee = 2;
    gsim_share_sm(&d, c, 2, &calm, 0, NULL);
    CHECK_NEAR(1 / c[0].speed, 1000 * sqrt(1 + 3.4 * 4), 1e-9);
    CHECK_NEAR(1 / c[1].speed, 1000 * sqrt(1 + 3.4), 1e-9);
    light.issue_ps = 100;
    gsim_share_sm(&d, c, 2, &calm, 0, NULL);
    CHECK_NEAR(1 / c[0].speed, 1000 * sqrt(1 + 3.3 * 0.8 / 0.225), 1e-9);
    CHECK_NEAR(1 / c[1].speed, 1000 * sqrt(1 + 3.3), 1e-9);
}

static void described_blocks_conserve(void)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    double most_issue = 0, most_sm = 0, most_chip = 0;
    for (unsigned long seed = 1; seed <= 3000; seed++) {
        gsl_rng_set(rng, seed);
        struct gsim_device_spec d = device();
        struct gsim_demand demands[12];
        struct gsim_cohort c[12];
        uint32_t count = 1 + (uint32_t)gsl_rng_uniform_int(rng, 12);
        double asked = 0, p = d.compute_memory_knee = seed % 2 ? 4 : 1.5 + 3 * gsl_rng_uniform(rng);
        for (uint32_t i = 0; i < count; i++) {
            struct gsim_demand *w = &demands[i];
            *w = (struct gsim_demand){.kind = GSIM_DEMAND_DESCRIBED, .latency_ps = 1e6 * gsl_rng_uniform(rng)};
            if (gsl_rng_uniform_int(rng, 3)) w->compute_ps = 3e6 * gsl_rng_uniform(rng);
            if (gsl_rng_uniform_int(rng, 3)) w->memory_ps = 3e6 * gsl_rng_uniform(rng);
            w->issue_ps = w->compute_ps * gsl_rng_uniform(rng);
            w->block_ps = pow(pow(w->latency_ps, p) + pow(w->compute_ps, p) + pow(w->memory_ps, p), 1 / p);
            if (w->memory_ps > 0) w->dram_gbps = 40 * gsl_rng_uniform(rng);
            c[i] = cohort(w, 1 + (uint32_t)gsl_rng_uniform_int(rng, 8), i);
            asked += c[i].blocks * w->dram_gbps;
        }
        struct gsim_dram_state dram = {.load = asked * d.sm_count / d.dram_gbps, .gain = 1}; /* all SMs alike */
        dram.stretch = gsim_share_dram(&d, asked * d.sm_count);
        gsim_share_sm(&d, c, count, &dram, 0, NULL);
        double issue = 0, gbps = 0;
        for (uint32_t i = 0; i < count; i++) {
            CHECK_MSG(c[i].speed * c[i].work->block_ps <= 1 + 1e-9, "seed %lu: faster than alone", seed);
            issue += c[i].blocks * c[i].work->issue_ps * c[i].speed;
            gbps += c[i].blocks * c[i].work->dram_gbps * c[i].work->block_ps * c[i].speed;
        }
        most_issue = fmax(most_issue, issue);
        most_sm = fmax(most_sm, gbps / d.sm_dram_gbps);
        most_chip = fmax(most_chip, gbps * d.sm_count / d.dram_gbps);
    }
    CHECK_MSG(most_issue <= 1 + 1e-9 && most_issue > 0.8, "at most %g of the issue rate", most_issue);
    CHECK_MSG(most_sm <= 1 + 1e-9 && most_sm > 0.3, "at most %g of an SM's DRAM bandwidth", most_sm);
    CHECK_MSG(most_chip <= 1 + 1e-9 && most_chip > 0.8, "at most %g of the chip's DRAM bandwidth", most_chip);
    gsl_rng_free(rng);
}

/* Blocks of all measured kinds and ages: none is faster than alone, the memory blocks take no more than the whole issue
 * rate, and of two alike the older one is not slower. */
static void measured_blocks_conserve(void)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    struct gsim_device_spec d = device();
    double most = 0;
    for (unsigned long seed = 1; seed <= 3000; seed++) {
        gsl_rng_set(rng, seed);
        struct gsim_demand demands[5] = {issue_work(0.25 * (double)(1 + gsl_rng_uniform_int(rng, 8))), memory_work(20),
                                       copy_with_arithmetic(), memory_work(2),
                                       chip_work(100 + 400 * gsl_rng_uniform(rng))};
        struct gsim_cohort c[24];
        uint32_t count = 1 + (uint32_t)gsl_rng_uniform_int(rng, 24), kinds = 1 + (uint32_t)gsl_rng_uniform_int(rng, 5);
        uint32_t first = (uint32_t)gsl_rng_uniform_int(rng, 5);
        demands[2].issue_ps = 50 + 350 * gsl_rng_uniform(rng);
        demands[3].kind = GSIM_DEMAND_SCATTER;
        demands[4].is_crowded = seed % 2;
        for (uint32_t i = 0; i < count; i++)
            c[i] = cohort(&demands[(first + gsl_rng_uniform_int(rng, kinds)) % 5], 1, i);
        gsim_share_sm(&d, c, count, &calm, (uint32_t)gsl_rng_uniform_int(rng, 228) * 1024, NULL);
        double issue = 0;
        for (uint32_t i = 0; i < count; i++) {
            const struct gsim_demand *w = c[i].work;
            CHECK_MSG(c[i].speed > 0 && c[i].speed * w->block_ps <= 1 + 1e-9, "seed %lu: %g of its speed alone", seed,
                      c[i].speed * w->block_ps);
            if (w == &demands[1] || w == &demands[2] || w == &demands[3]) issue += w->issue_ps * c[i].speed;
            for (uint32_t k = 0; k < i; k++)
                if (c[k].work == w)
                    CHECK_MSG(c[k].speed >= c[i].speed * (1 - 1e-9), "seed %lu: %u is slower than %u", seed,
                              (unsigned)k, (unsigned)i);
        }
        most = fmax(most, issue);
    }
    CHECK_MSG(most < 1.02 && most > 0.8, "at most %g of the issue rate", most);
    gsl_rng_free(rng);
}

/* --- DRAM --------------------------------------------------------------------------------------------------- */
static void dram_by_its_knee(void)
{
    struct gsim_device_spec d = device();
    CHECK_NEAR(gsim_share_dram(&d, 0), 1, 0);
    CHECK_NEAR(gsim_share_dram(&d, 1000), sqrt(2), 1e-12);
    CHECK_NEAR(gsim_share_dram(&d, 3000), sqrt(10), 1e-12);
}

static void dram_by_its_table(void)
{
    struct gsim_device_spec d = {0};
    struct gsim_error error = {0};
    CHECK_OK(gsim_device_load("h200", &d, &error), error);
    double bandwidth = d.dram_gbps;
    CHECK_NEAR(gsim_share_dram(&d, bandwidth / 8), d.dram_stretch_eighth, 1e-12);
    CHECK_NEAR(gsim_share_dram(&d, bandwidth / 4), d.dram_stretch_quarter, 1e-12);
    CHECK_NEAR(gsim_share_dram(&d, bandwidth / 2), d.dram_stretch_half, 1e-12);
    CHECK_NEAR(gsim_share_dram(&d, bandwidth), d.dram_stretch_one, 1e-12);
    CHECK_NEAR(gsim_share_dram(&d, bandwidth * 2), d.dram_stretch_two, 1e-12);
    CHECK_NEAR(gsim_share_dram(&d, bandwidth * 1.5), (d.dram_stretch_one + d.dram_stretch_two) / 2, 1e-12);
    CHECK_NEAR(gsim_share_dram(&d, bandwidth * 4), 4, 1e-12);
    CHECK_NEAR(gsim_share_dram(&d, bandwidth * 7), 7, 1e-12);
    gsim_device_release(&d);
}

/* For every shipped device: from 1, never falling, without jumps, and never more served than there is. */
static void dram_is_smooth(void)
{
    struct gsim_device_entries list = {0};
    struct gsim_error error = {0};
    CHECK_OK(gsim_device_list(&list, &error), error);
    CHECK(list.count >= 7);
    for (size_t i = 0; i < list.count; i++) {
        struct gsim_device_spec d = {0};
        CHECK_OK(gsim_device_load(list.entries[i].name, &d, &error), error);
        double before = gsim_share_dram(&d, 0);
        CHECK_NEAR(before, 1, 0);
        for (double load = 0.001; load < 6; load += 0.001) {
            double stretch = gsim_share_dram(&d, load * d.dram_gbps);
            CHECK_MSG(stretch >= before - 1e-12 && stretch - before < 0.003 && stretch >= load - 1e-9,
                      "%s: load %.3f: %g after %g", d.name, load, stretch, before);
            before = stretch;
        }
        gsim_device_release(&d);
    }
    gsim_device_list_release(&list);
}

static const struct test_case cases[] = {
    {"dense arithmetic alone", dense_arithmetic_alone},
    {"issue: equal up to three warps", equal_up_to_three_warps},
    {"issue: oldest first beyond", oldest_first_beyond},
    {"issue: blocks end one after the other", blocks_end_one_after_the_other},
    {"memory: DRAM's stretch", memory_blocks_feel_dram},
    {"memory: older than issue-bound blocks", old_memory_blocks_go_first},
    {"arithmetic between loads waits for other warps", arithmetic_waits_for_other_warps},
    {"arithmetic between loads: beside younger warps", younger_arithmetic_beside_memory_blocks},
    {"memory: younger ones starve", young_memory_blocks_starve},
    {"memory: few older warps leave some", few_older_warps_leave_memory_blocks_some},
    {"measured blocks: conserve issue, ages", measured_blocks_conserve},
    {"scattered loads: lines", scattered_loads_need_lines},
    {"issue: two warps on half the sub-partitions", two_warps_on_half_the_sub_partitions},
    {"streams behind scattered loads", streams_behind_scattered_loads},
    {"described: by hand", described_blocks_by_hand},
    {"described blocks wait together", described_blocks_wait_together},
    {"described: two kinds", described_blocks_of_two_kinds},
    {"described: conserve issue and DRAM", described_blocks_conserve},
    {"DRAM: by its knee", dram_by_its_knee},
    {"DRAM: by its table", dram_by_its_table},
    {"DRAM: smooth on every device", dram_is_smooth},
};
TEST_MAIN("sim/sm/share", cases)
