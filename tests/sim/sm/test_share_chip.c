/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules of sim/sm/share.h for on-chip blocks, and for others beside them, computed by hand from the numbers in that
 * header's comment. */
#include <math.h>

#include "tests/sim/sm/share_blocks.h"

/* That each asks for 0.4 of the time of the SM's shared memory, by summing up thin slices of what is asked for, each of
 * which goes at 1 / (1 + 0.2 U (1 - S)^-1.5): S, what those before it are served; U, what all are. */
static double served_in_slices(double asked, double all)
{
    double low = 0, high = 1, served = 0;
    for (int pass = 0; pass < 40; pass++) {
        double used = (low + high) / 2, sum = 0, step = all / 20000;
        served = -1;
        for (double at = step / 2; at < all && sum < 1; at += step) {
            if (served < 0 && at > asked) served = sum;
            sum += step / (1 + 0.2 * used * pow(1 - sum, -1.5));
        }
        if (served < 0) served = sum;
        *(sum > used ? &low : &high) = used;
    }
    return served;
}

static void on_chip_blocks_among_themselves(void)
{
    struct gsim_device_spec d = device();
    struct gsim_demand alike = chip_work(400), crowded = alike;
    crowded.is_crowded = true;
    for (uint32_t blocks = 1; blocks <= 6; blocks++) {
        struct gsim_cohort one = cohort(&alike, blocks, 0), many[6];
        gsim_share_sm(&d, &one, 1, &calm, 0, NULL);
        for (uint32_t i = 0; i < blocks; i++) many[i] = cohort(&crowded, 1, 0);
        gsim_share_sm(&d, many, blocks, &calm, 0, NULL);
        double all = 0.4 * blocks, rate = 0, before = 0;
        CHECK_NEAR((1 / one.speed - 200) * served_in_slices(all, all) / all, 1000, 1);
        for (uint32_t i = 0; i < blocks; i++) {
            double served = served_in_slices(0.4 * (i + 1), all);
            CHECK_NEAR((1 / many[i].speed - 200) * (served - before) / 0.4, 1000, 3);
            CHECK(i == 0 || many[i].speed < many[i - 1].speed);
            rate += 400 * many[i].speed;
            before = served;
        }
        CHECK_MSG(rate <= 1, "%d blocks issue %g", (int)blocks, rate);
    }
}

/* A quarter of the issue slots is a warp's per sub-partition. */
static void on_chip_blocks_beside_issue(void)
{
    struct gsim_device_spec d = device();
    struct gsim_demand chip = chip_work(1e-6), one = issue_work(1);
    for (uint32_t warps = 0; warps <= 5; warps++)
        for (int is_youngest = 0; is_youngest < 2; is_youngest++) {
            struct gsim_cohort c[6];
            uint32_t at = is_youngest ? warps : 0;
            for (uint32_t i = 0; i <= warps; i++) c[i] = i == at ? cohort(&chip, 1, i) : cohort(&one, 1, i);
            gsim_share_sm(&d, c, warps + 1, &calm, 0, NULL);
            double taken = fmin(warps / 4.0, 1), left = is_youngest ? fmax(1 - taken, STARVED) : 1;
            CHECK_NEAR(1 / c[at].speed, 1000 * (1 + 8.5 * taken / left) + 200, 1e-3);
        }
    /* Of three warps one is older. */
    struct gsim_cohort c[4] = {cohort(&one, 1, 0), cohort(&chip, 1, 1), cohort(&one, 1, 2), cohort(&one, 1, 2)};
    gsim_share_sm(&d, c, 4, &calm, 0, NULL);
    CHECK_NEAR(1 / c[1].speed, 1000 * (1 + 8.5 * 0.75 / 0.75) + 200, 1e-3);
    /* Two warps on one pair of sub-partitions count as one on each of all. */
    struct gsim_demand narrow = issue_work(0.5);
    c[2] = cohort(&narrow, 1, 1);
    c[2].half = 2;
    gsim_share_sm(&d, &c[1], 2, &calm, 0, NULL);
    CHECK_NEAR(1 / c[1].speed, 1000 * (1 + 8.5 * 0.25) + 200, 1e-3);
    /* Younger warps do not reach what on-chip blocks use of it: 1 - u^2, and no slot of theirs is waited for where that
     * is all. */
    struct gsim_demand busy = chip_work(800);
    double used = served_in_slices(0.8, 0.8);
    c[0] = cohort(&busy, 1, 0);
    for (int i = 1; i < 4; i++) c[i] = cohort(&one, 1, 1);
    gsim_share_sm(&d, c, 4, &calm, 0, NULL);
    CHECK_NEAR(1 / c[0].speed, 1000 * (0.8 / used + 8.5 * fmin(0.75, 1 - used * used)) + 200, 1);
}

/* Memory blocks that alone take 0.413 of the issue rate each; four of them all of it, as far as it goes: 0.15 of the
 * slots. Those without arithmetic count as none. Their loads take 1 % for each block. */
static void on_chip_blocks_beside_arithmetic(void)
{
    struct gsim_device_spec d = device();
    struct gsim_demand chip = chip_work(1e-6), memory = memory_work(413);
    for (int has_flops = 0; has_flops < 2; has_flops++) {
        memory.has_flops = has_flops;
        for (uint32_t blocks = 1; blocks <= 4; blocks += 3) {
            double taken = 0.15 * fmin(0.413 * blocks, 1) * has_flops, loads = 1 + 0.01 * blocks;
            struct gsim_cohort behind[2] = {cohort(&memory, blocks, 0), cohort(&chip, 1, 1)};
            struct gsim_cohort before[2] = {cohort(&chip, 1, 0), cohort(&memory, blocks, 1)};
            gsim_share_sm(&d, behind, 2, &calm, 0, NULL);
            gsim_share_sm(&d, before, 2, &calm, 0, NULL);
            CHECK_NEAR(1 / behind[1].speed, 1000 * (loads + 8.5 * taken / (1 - taken)) + 200, 1e-3);
            CHECK_NEAR(1 / before[0].speed, 1000 * (loads + 8.5 * taken) + 200, 1e-3);
        }
    }
}

/* Blocks of 256 threads of which each has 16 bytes under way, or a line: with 28 KiB of L1 three of the first kind fill
 * 0.43 of it, six 0.86, where 0.56 is all that there is room for; two of the second kind ask for 2.3 times the 224
 * lines. With 156 KiB there is room for all. */
static void on_chip_blocks_beside_loads(void)
{
    static const struct {
        enum gsim_demand_kind kind;
        uint32_t blocks, l1_kib;
        double filled, loads;
    } beside[] = {{GSIM_DEMAND_MEMORY, 3, 28, 1, 1.03},
                  {GSIM_DEMAND_MEMORY, 6, 28, 6 / 7.0 / 0.56, 1.06},
                  {GSIM_DEMAND_MEMORY, 8, 156, 1, 1.08},
                  {GSIM_DEMAND_SCATTER, 2, 28, 16 / 7.0, 1},
                  {GSIM_DEMAND_SCATTER, 2, 156, 1, 1}};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        struct gsim_device_spec d = device();
        d.l1_kib = 256;
        struct gsim_demand chip = chip_work(1e-6), loads = memory_work(1e-6);
        loads.kind = beside[i].kind;
        struct gsim_cohort c[2] = {cohort(&chip, 1, 0), cohort(&loads, beside[i].blocks, 1)};
        gsim_share_sm(&d, c, 2, &calm, 1024 * (256 - beside[i].l1_kib), NULL);
        CHECK_NEAR(1 / c[0].speed, 1000 * beside[i].loads * (1 + 2.7 * (beside[i].filled - 1)) + 200, 1e-3);
    }
}

/* On-chip work takes its issue rate before younger blocks, but leaves them 0.3 of it; older ones have theirs before. */
static void issue_beside_on_chip_blocks(void)
{
    struct gsim_device_spec d = device();
    struct gsim_demand chip = chip_work(900), issue = issue_work(1);
    struct gsim_cohort behind[2] = {cohort(&issue, 1, 0), cohort(&chip, 1, 1)},
                       before[2] = {cohort(&chip, 1, 0), cohort(&issue, 1, 1)};
    double served = served_in_slices(0.9, 0.9) / 0.9;
    gsim_share_sm(&d, behind, 2, &calm, 0, NULL);
    CHECK_NEAR(behind[1].speed, 1 / (1000 * (1 / served + 8.5 * 0.25 / 0.75) + 200), 1e-7);
    CHECK_NEAR(behind[0].speed * 1000, SHARE1, 1e-9);
    gsim_share_sm(&d, before, 2, &calm, 0, NULL);
    CHECK_NEAR(before[0].speed, 1 / (1000 * (1 / served + 8.5 * 0.25) + 200), 1e-7);
    CHECK_NEAR(before[1].speed * 1000, SHARE1 * (1 - 900 * before[0].speed), 1e-9);
    /* Tiles of unknown demand do not slow on-chip work down, which keeps 0.91 of the rate, whoever is older. */
    issue.has_flops = false;
    issue.is_unknown = true;
    behind[1].blocks = 3;
    gsim_share_sm(&d, behind, 2, &calm, 0, NULL);
    CHECK_NEAR(behind[0].speed * 1000, SHARE1 * 0.3, 1e-9);
}

/* Three on-chip blocks issue at the rate U: they take 0.15 U of the slots from a younger memory block that computes. */
static void memory_behind_on_chip_blocks(void)
{
    struct gsim_device_spec d = device();
    struct gsim_demand chip = chip_work(300), copy = memory_work(1e-6);
    copy.has_flops = true;
    struct gsim_cohort c[2] = {cohort(&chip, 3, 0), cohort(&copy, 1, 1)};
    gsim_share_sm(&d, c, 2, &calm, 0, NULL);
    double used = 900 * c[0].speed;
    CHECK(used > 0.4);
    CHECK_NEAR(1 / c[1].speed, 1000 * (1 + 0.8 * sqrt(0.15 * used) / (1 - 0.15 * used)), 1e-6);
}

static const struct test_case cases[] = {
    {"among themselves", on_chip_blocks_among_themselves},
    {"beside issue-bound blocks", on_chip_blocks_beside_issue},
    {"beside memory blocks that compute", on_chip_blocks_beside_arithmetic},
    {"beside loads", on_chip_blocks_beside_loads},
    {"what they leave", issue_beside_on_chip_blocks},
    {"memory blocks behind them", memory_behind_on_chip_blocks},
};
TEST_MAIN("sim/sm/share_chip", cases)
