/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One SM in several simulated (--opt gpu.sample), and SMs of plain on-chip work against all equations. */
#include "sim/sm/state.h"
#include "tests/sim/machine_fixture.h"

enum { SMS = 108, KERNELS = 600, KINDS = 6, STREAMS = 40 };

struct world {
    struct gsim_arena arena;
    struct gsim_device_spec device;
    struct gsim_gpu *gpu;
    uint32_t ended, running;
    double sum_us;
    gsim_time began[KERNELS];
    struct gsim_error error;
};

static void ended(void *data, void *tag, gsim_time now)
{
    struct world *w = data;
    w->ended++;
    w->running--;
    w->sum_us += gsim_time_us(now - w->began[(uintptr_t)tag]);
}

static void open_world(struct world *w, int64_t sample)
{
    struct gsim_gpu_options options = {.tolerance = 4e-3, .sample = sample};
    *w = (struct world){.device = fixture_device()};
    w->device.sm_count = SMS;
    w->device.compute_capability = 80;
    struct gsim_gpu_listener listener = {.data = w, .kernel_ended = ended};
    w->gpu = gsim_gpu_create(&w->arena, &w->device, &options, &listener);
    CHECK(w->gpu);
}

static void init_works(struct world *w, struct gsim_demand demands[KINDS])
{
    static const uint32_t grids[KINDS] = {40, 132, 264, 600, 96, 320};
    for (int i = 0; i < KINDS; i++) {
        struct gsim_kernel k = {
            .name = "k", .grid = {grids[i], 1, 1}, .block = {256, 1, 1}, .regs_per_thread = 32, .solo_us = 5 + 4 * i};
        CHECK_OK(gsim_demand_init(&demands[i], &w->device, &k, &w->error), w->error);
    }
}

/* STREAMS kernels side by side, one after the other in each stream. Returns when all have ended. */
static double run_all(struct world *w, const struct gsim_demand demands[KINDS])
{
    gsim_time now = 0;
    for (uint32_t next = 0; w->ended < KERNELS;) {
        for (; w->running < STREAMS && next < KERNELS; next++, w->running++) {
            w->began[next] = now;
            CHECK(gsim_gpu_submit(w->gpu, now, &demands[next * 7 % KINDS], 0, (void *)(uintptr_t)next));
        }
        gsim_gpu_check(w->gpu);
        now = gsim_gpu_next(w->gpu);
        CHECK(now != GSIM_TIME_NEVER);
        if (now == GSIM_TIME_NEVER) break;
        gsim_gpu_advance(w->gpu, now);
    }
    return gsim_time_us(now);
}

/* The whole and a kernel's mean time are those of all SMs within 2 %: 10,000 blocks share the chip. */
static void sample_estimates(void)
{
    struct world all, part;
    struct gsim_demand demands[KINDS];
    open_world(&all, 1);
    init_works(&all, demands);
    double whole = run_all(&all, demands);
    const int64_t samples[] = {4, 12, 27};
    for (int i = 0; i < 3; i++) {
        open_world(&part, samples[i]);
        double estimate = run_all(&part, demands);
        CHECK_INT(part.ended, KERNELS);
        CHECK_NEAR(estimate / whole, 1, 0.02);
        CHECK_NEAR(part.sum_us / all.sum_us, 1, 0.02);
        gsim_arena_release(&part.arena);
    }
    gsim_arena_release(&all.arena);
}

/* A grid that fills every SM alike takes what it takes on all of them; its load is told of all of them. */
static void sample_alone(void)
{
    struct world w;
    struct gsim_demand work = {0};
    struct gsim_kernel k = {
        .name = "k", .grid = {4 * SMS, 1, 1}, .block = {256, 1, 1}, .regs_per_thread = 32, .solo_us = 20};
    open_world(&w, 12);
    CHECK_OK(gsim_demand_init(&work, &w.device, &k, &w.error), w.error);
    CHECK(gsim_gpu_submit(w.gpu, 0, &work, 0, NULL));
    w.running++;
    struct gsim_gpu_load load = gsim_gpu_load(w.gpu);
    CHECK_INT(load.busy_sms, SMS);
    CHECK_INT(load.blocks, 4 * SMS);
    CHECK_INT(load.warps, 4 * SMS * 8);
    while (!w.ended) gsim_gpu_advance(w.gpu, gsim_gpu_next(w.gpu));
    CHECK_NEAR(w.sum_us, 20, 0.01);
    gsim_arena_release(&w.arena);
}

static uint32_t draw(uint64_t *state, uint32_t count)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 33) % count);
}

/* Speeds to the digit, also of blocks that wait for pages; and a block that computes is not plain. */
static void plain_chip(void)
{
    struct world w;
    struct gsim_demand demands[KINDS];
    struct gsim_chip_shares known = {0};
    const struct gsim_dram_state dram = {.stretch = 1, .gain = 1};
    open_world(&w, 1);
    init_works(&w, demands);
    uint64_t state = 7;
    for (int round = 0; round < 500; round++) {
        struct gsim_cohort plain[8], other[8];
        uint32_t count = 1 + draw(&state, 8);
        for (uint32_t i = 0; i < count; i++)
            plain[i] = (struct gsim_cohort){.work = &demands[draw(&state, KINDS)],
                                            .blocks = 1 + draw(&state, 3),
                                            .frees = true,
                                            .since = i,
                                            .left = 1,
                                            .pace = draw(&state, 4) ? 1 : 0.25 * draw(&state, 4)};
        memcpy(other, plain, sizeof other);
        double soonest, first = INFINITY;
        CHECK(gsim_share_plain_chip(&w.device, &known, plain, count, &soonest));
        gsim_share_sm(&w.device, other, count, &dram, 0, NULL);
        for (uint32_t i = 0; i < count; i++) {
            CHECK(plain[i].speed == other[i].speed);
            first = fmin(first, gsim_cohort_remaining(&other[i]));
        }
        CHECK(soonest == first);
    }
    struct gsim_demand computes = demands[0];
    computes.has_flops = true;
    struct gsim_cohort cohort = {.work = &computes, .blocks = 1, .pace = 1};
    double soonest;
    CHECK(!gsim_share_plain_chip(&w.device, &known, &cohort, 1, &soonest));
    gsim_arena_release(&w.arena);
}

static const struct test_case cases[] = {
    {"a sample estimates", sample_estimates},
    {"a sample of a kernel alone", sample_alone},
    {"plain on-chip work", plain_chip},
};
TEST_MAIN("sim/sm/sample", cases)
