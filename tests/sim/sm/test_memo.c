/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Remembered speeds are those that sim/sm/share.h computes, whatever about the blocks changes. */
#include <gsl/gsl_rng.h>
#include <string.h>

#include "sim/sm/memo.h"
#include "tests/sim/sm/share_blocks.h"

#define MOST 30

/* Both ways; returns the first one's speed. */
static double check(struct gsim_memo *memo, const struct gsim_cohort *cohorts, uint32_t count,
                    const struct gsim_dram_state *dram, uint32_t carveout)
{
    struct gsim_device_spec d = device();
    struct gsim_cohort c[MOST], own[MOST];
    memcpy(c, cohorts, count * sizeof *c);
    memcpy(own, cohorts, count * sizeof *c);
    double demand = gsim_share_sm(&d, own, count, dram, carveout, NULL);
    const struct gsim_sm_blocks blocks = {c, count, carveout, false};
    struct gsim_mix *mix = gsim_memo_mix(memo, &d, &blocks);
    if (!mix) {
        bool waits = false;
        for (uint32_t i = 0; i < count; i++) waits |= c[i].pace != 1;
        CHECK(waits);
        return own[0].speed;
    }
    double chip[GSIM_CHIP_PIPES];
    CHECK_NEAR(gsim_mix_demand(mix, c, dram, chip), demand, 0);
    CHECK_NEAR(gsim_mix_share(mix, &d, c, dram, chip), demand, 0);
    for (uint32_t i = 0; i < count; i++) CHECK_NEAR(c[i].speed, own[i].speed, 0);
    return c[0].speed;
}

static void what_changes_counts(void)
{
    struct gsim_arena arena = {0};
    struct gsim_memo memo = {.arena = &arena};
    struct gsim_demand issue = issue_work(2), memory = memory_work(100), chip = chip_work(50),
                       demands[] = {memory, issue, chip, issue};
    struct gsim_dram_state dram = {.stretch = 1.5, .load = 1.2, .gain = 1};
    struct gsim_cohort c[4];
    demands[0].has_flops = true;
    for (int i = 0; i < 4; i++) c[i] = cohort(&demands[i], 2, i);
    for (int again = 0; again < 2; again++) {
        double first = check(&memo, c, 4, &dram, 0);
        CHECK_NEAR(check(&memo, c, 4, &dram, 0), first, 0);
        struct gsim_dram_state other = dram;
        other.stretch = 2;
        CHECK(check(&memo, c, 4, &other, 0) < first);
        other.gain = 1.5;
        check(&memo, c, 4, &other, 0);
        other.load = 3;
        check(&memo, c, 4, &other, 0);
        check(&memo, c, 4, &dram, 200 * 1024);
        check(&memo, c, 3, &dram, 0);
        c[1].blocks++;
        check(&memo, c, 4, &dram, 0);
        c[1].half = 1;
        check(&memo, c, 4, &dram, 0);
        c[3].pace = 0.5;
        check(&memo, c, 4, &dram, 0);
        c[3].pace = 1;
        c[1].half = 0;
        c[1].blocks--;
    }
    gsim_arena_release(&arena);
}

static void work_may_be_another_once_forgotten(void)
{
    struct gsim_arena arena = {0};
    struct gsim_memo memo = {.arena = &arena};
    struct gsim_demand w = memory_work(0);
    struct gsim_cohort c[3];
    for (int i = 0; i < 3; i++) c[i] = cohort(&w, 1, i);
    double before = check(&memo, c, 3, &calm, 0);
    w.latency_ps *= 2;
    gsim_memo_forget(&memo);
    CHECK(check(&memo, c, 3, &calm, 0) < before);
    gsim_arena_release(&arena);
}

/* Few kinds of blocks, so that many mixtures come again: some of them of one kernel, as old as the one before. */
static void mixtures_at_random(void)
{
    struct gsim_arena arena = {0};
    struct gsim_memo memo = {.arena = &arena};
    struct gsim_demand demands[] = {issue_work(2), memory_work(0), memory_work(200), chip_work(50)};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    demands[2].has_flops = true;
    for (int round = 0; round < 20000; round++) {
        struct gsim_cohort c[MOST];
        uint32_t count = round % 50 ? 1 + (uint32_t)gsl_rng_uniform_int(rng, 5) : MOST;
        struct gsim_dram_state dram = {.stretch = 1 + (double)gsl_rng_uniform_int(rng, 2), .gain = 1};
        for (uint32_t i = 0; i < count; i++) {
            c[i] = cohort(&demands[gsl_rng_uniform_int(rng, 4)], 1 + (uint32_t)gsl_rng_uniform_int(rng, 2), round + i);
            if (i && c[i].work == c[i - 1].work && gsl_rng_uniform_int(rng, 2)) c[i].since = c[i - 1].since;
        }
        check(&memo, c, count, &dram, 0);
    }
    gsl_rng_free(rng);
    gsim_arena_release(&arena);
}

static const struct test_case cases[] = {{"what changes counts", what_changes_counts},
                                         {"work may be another once forgotten", work_may_be_another_once_forgotten},
                                         {"mixtures at random", mixtures_at_random}};
TEST_MAIN("sim/sm/memo", cases)
