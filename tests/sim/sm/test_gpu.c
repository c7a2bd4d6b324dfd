/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Placement and sharing on SMs, against counts by hand and against what an H200 was seen to do (the numbers
 * in the comments of sim/sm/gpu.h), and the pooled model against one event per block.
 */
#include <gsl/gsl_rng.h>

#include "sim/sm/gpu.h"
#include "tests/sim/machine_fixture.h"
#include "tests/sim/sm/residency.h"

#define SMS 132

static struct gsim_device_spec big_device(void)
{
    struct gsim_device_spec d = fixture_device();
    d.sm_count = SMS;
    d.compute_capability = 90;
    return with_sm_limits(d);
}

struct world {
    struct gsim_arena arena;
    struct gsim_device_spec device;
    struct gsim_gpu *gpu;
    gsim_time end[64];
    uintptr_t order[64]; /* of ends */
    uint32_t ended;
    struct gsim_error error;
};

static void ended(void *data, void *tag, gsim_time now)
{
    struct world *w = data;
    w->end[(uintptr_t)tag] = now;
    w->order[w->ended++ % 64] = (uintptr_t)tag;
}

static void open_world(struct world *w, const struct gsim_gpu_options *options)
{
    *w = (struct world){.device = w->device};
    struct gsim_gpu_listener listener = {.data = w, .kernel_ended = ended};
    w->gpu = gsim_gpu_create(&w->arena, &w->device, options, &listener);
}

static void submit(struct world *w, gsim_time now, const struct gsim_demand *work, uintptr_t tag)
{
    CHECK(gsim_gpu_submit(w->gpu, now, work, 0, (void *)tag));
    gsim_gpu_check(w->gpu);
}

static void run_until(struct world *w, gsim_time limit)
{
    while (gsim_gpu_next(w->gpu) <= limit && gsim_gpu_next(w->gpu) != GSIM_TIME_NEVER) {
        gsim_gpu_advance(w->gpu, gsim_gpu_next(w->gpu));
        gsim_gpu_check(w->gpu);
    }
}

static struct gsim_demand work_of(struct world *w, struct gsim_kernel k)
{
    struct gsim_demand work = {0};
    CHECK_OK(gsim_demand_init(&work, &w->device, &k, &w->error), w->error);
    return work;
}

static void histogram(struct world *w, uintptr_t tag, uint32_t *sms_with)
{
    uint32_t blocks[SMS];
    residency_of(w->gpu, (void *)tag, blocks, SMS);
    memset(sms_with, 0, 33 * sizeof *sms_with);
    for (int i = 0; i < SMS; i++) sms_with[blocks[i]]++;
}

/* H200: 400 blocks alone stand 3 on 128 SMs and 4 on 4. */
static void least_loaded_first(void)
{
    struct world w = {.device = big_device()};
    open_world(&w, NULL);
    struct gsim_demand k = work_of(&w, fixture_kernel("k", 400, 256, 10));
    submit(&w, 0, &k, 1);
    uint32_t sms_with[33];
    histogram(&w, 1, sms_with);
    CHECK_INT(sms_with[3], 128);
    CHECK_INT(sms_with[4], 4);
    gsim_arena_release(&w.arena);
}

/* The SM with room for most of the kernel's blocks, not that with fewest warps (H200, traces/h200/vm/places.txt): the
 * wide block on SM 0 (32 warps, a quarter of the registers) leaves room for 3, that on SM 1 (8 warps, half of the
 * registers) for 2, the other SMs have room for 4: those get one each, then all but SM 1, then all. */
static void most_room_first(void)
{
    struct world w = {.device = big_device()};
    open_world(&w, NULL);
    struct gsim_kernel wide = fixture_kernel("wide", 1, 1024, 10), heavy = fixture_kernel("heavy", 1, 256, 10);
    struct gsim_kernel next = fixture_kernel("next", 0, 256, 10);
    wide.regs_per_thread = 16;
    heavy.regs_per_thread = 128;
    next.regs_per_thread = 64;
    struct gsim_demand a = work_of(&w, wide), b = work_of(&w, heavy);
    for (uint32_t more = 0; more < 3; more++) {
        const uint32_t counts[] = {SMS - 2, SMS - 1, SMS - 2 + SMS - 1 + SMS};
        next.grid.x = counts[more];
        struct gsim_demand c = work_of(&w, next);
        gsim_time start = gsim_time_from_us(100 * (more + 1));
        run_until(&w, start);
        submit(&w, start, &a, 1);
        submit(&w, start, &b, 2);
        submit(&w, start, &c, 3);
        uint32_t wide_at[SMS], heavy_at[SMS], blocks[SMS];
        residency_of(w.gpu, (void *)1, wide_at, SMS);
        residency_of(w.gpu, (void *)2, heavy_at, SMS);
        residency_of(w.gpu, (void *)3, blocks, SMS);
        CHECK(wide_at[0] == 1 && heavy_at[1] == 1);
        static const uint32_t expected[][2] = {{0, 0}, {1, 0}, {2, 1}};
        CHECK_INT(blocks[0], expected[more][0]);
        CHECK_INT(blocks[1], expected[more][1]);
    }
    gsim_arena_release(&w.arena);
}

/* Kernels that end at one time end in the order of their launches, wherever they stand and however SMs are grouped. */
static void ends_at_one_time(void)
{
    static const uint32_t blocks[][3] = {
        {7, 500, 40}, {500, 7, 1}, {1, SMS, 2 * SMS}, {2 * SMS, 3, 131}, {131, 131, 131}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        for (int exact = 0; exact < 2; exact++) {
            struct world w = {.device = big_device()};
            struct gsim_demand demands[3];
            open_world(&w, &(struct gsim_gpu_options){.exact = exact});
            for (uint32_t k = 0; k < 3; k++) {
                demands[k] = work_of(&w, fixture_kernel("k", blocks[i][k], 128, 10));
                submit(&w, 0, &demands[k], k);
            }
            run_until(&w, GSIM_TIME_NEVER - 1);
            CHECK_INT(w.ended, 3);
            for (uint32_t k = 0; k < 3; k++)
                CHECK_MSG(w.order[k] == k && w.end[k] == gsim_time_from_us(10),
                          "%u %u %u, exact %d: %u-th to end is %u, at %.3f us", blocks[i][0], blocks[i][1],
                          blocks[i][2], exact, k, (unsigned)w.order[k], gsim_time_us(w.end[k]));
            gsim_arena_release(&w.arena);
        }
}

static struct gsim_kernel on_chip_kernel(const char *name, uint32_t blocks)
{
    return (struct gsim_kernel){
        .name = name, .grid = {blocks, 1, 1}, .block = {256, 1, 1}, .regs_per_thread = 32, .solo_us = 10};
}

/* What waits behind a full wave finds the SMs that have become free since the distributor looked last: of 8 blocks one
 * on the first SM's first room, the others a turn later; and the kernel behind it its first SMs another turn later,
 * when more are free. */
static void packed_behind_a_full_machine(void)
{
    struct world w = {.device = big_device()};
    w.device.distributor_turn_us = 0.145;
    w.device.block_ends_us = 1;
    open_world(&w, NULL);
    struct gsim_demand a = work_of(&w, on_chip_kernel("a", 8 * SMS)), b = work_of(&w, on_chip_kernel("b", 8)),
                     c = work_of(&w, on_chip_kernel("c", SMS));
    submit(&w, 0, &a, 1);
    submit(&w, 1000, &b, 2);
    submit(&w, 2000, &c, 3);
    static const struct {
        double us;
        uint32_t b, c;
    } expected[] = {{10.001, 1, 0}, {10.14, 1, 0}, {10.15, 8, 0}, {10.28, 8, 0}, {10.3, 8, SMS}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        uint32_t blocks[2][SMS], placed[2] = {0};
        run_until(&w, gsim_time_from_us(expected[i].us));
        for (uintptr_t tag = 2; tag < 4; tag++) {
            residency_of(w.gpu, (void *)tag, blocks[tag - 2], SMS);
            for (int sm = 0; sm < SMS; sm++) placed[tag - 2] += blocks[tag - 2][sm];
        }
        CHECK_MSG(placed[0] == expected[i].b && placed[1] == expected[i].c,
                  "at %g us %u and %u blocks, expected %u and %u", expected[i].us, placed[0], placed[1], expected[i].b,
                  expected[i].c);
    }
    run_until(&w, GSIM_TIME_NEVER);
    CHECK_INT(gsim_gpu_load(w.gpu).busy_sms, 0);
    gsim_arena_release(&w.arena);
}

/* Where the 8 blocks behind a full wave stand depends on the scatter and on nothing else, what a kernel takes alone
 * does not. */
static void scattered_ends(void)
{
    const uint64_t scatters[] = {0, 0, UINT64_C(0x9e3779b97f4a7c15)};
    uint32_t at[3][SMS];
    for (int i = 0; i < 3; i++) {
        struct world w = {.device = big_device()};
        w.device.distributor_turn_us = 0.145;
        w.device.block_ends_us = 1;
        open_world(&w, NULL);
        gsim_gpu_set_scatter(w.gpu, scatters[i]);
        struct gsim_demand a = work_of(&w, on_chip_kernel("a", 8 * SMS)), b = work_of(&w, on_chip_kernel("b", 8)),
                         alone = work_of(&w, on_chip_kernel("alone", 20 * SMS + 7));
        submit(&w, 0, &a, 1);
        submit(&w, 1000, &b, 2);
        run_until(&w, gsim_time_from_us(10.5));
        residency_of(w.gpu, (void *)2, at[i], SMS);
        run_until(&w, GSIM_TIME_NEVER);
        gsim_time start = gsim_time_from_us(100);
        submit(&w, start, &alone, 3);
        run_until(&w, GSIM_TIME_NEVER);
        CHECK_NEAR((double)(w.end[3] - start), alone.solo_ps, 1e-6 * alone.solo_ps);
        gsim_arena_release(&w.arena);
    }
    CHECK(memcmp(at[0], at[1], sizeof at[0]) == 0);
    CHECK(memcmp(at[0], at[2], sizeof at[0]) != 0);
}

/* H200, traces/h200/vm/heads.txt: streams of several waves leave one by one from the last block's start on, those that
 * ended as it was placed, too. Of two waves and a block the kernel behind has no room for 0.25 of a block's time, then
 * some, and all at its end; the stream takes its time. */
static void waves_fall_out_of_step(void)
{
    struct world w = {.device = big_device()};
    w.device.distributor_turn_us = 0.145;
    open_world(&w, NULL);
    struct gsim_kernel stream = on_chip_kernel("stream", 4 * SMS + 1), next = on_chip_kernel("next", 2 * SMS);
    stream.block.x = next.block.x = 1024;
    stream.solo_us = 300;
    next.solo_us = 1000;
    stream.dram_bytes = 1e6;
    stream.demand_given = true;
    struct gsim_demand a = work_of(&w, stream), b = work_of(&w, next);
    submit(&w, 0, &a, 1);
    submit(&w, 1000, &b, 2);
    uint32_t placed[3];
    static const double at_us[] = {224, 260, 299.9};
    for (int i = 0; i < 3; i++) {
        uint32_t blocks[SMS];
        run_until(&w, gsim_time_from_us(at_us[i]));
        residency_of(w.gpu, (void *)2, blocks, SMS);
        placed[i] = 0;
        for (int sm = 0; sm < SMS; sm++) placed[i] += blocks[sm];
    }
    CHECK_MSG(placed[0] == 0 && placed[1] > SMS / 4 && placed[1] < SMS && placed[2] > 3 * SMS / 2, "%u, %u, %u blocks",
              placed[0], placed[1], placed[2]);
    run_until(&w, GSIM_TIME_NEVER);
    CHECK_NEAR(gsim_time_us(w.end[1]), 300, 1);
    gsim_arena_release(&w.arena);
}

/* H200 and H100, traces/h200/vm/joins.txt: an SM that the head of the queue fills as it empties keeps its shared-memory
 * configuration, so kernels can join which would not fit what the head itself asks for. */
static void carveout_kept(void)
{
    for (int comes_behind = 0; comes_behind < 2; comes_behind++) {
        struct world w = {.device = big_device()};
        open_world(&w, NULL);
        struct gsim_kernel large = on_chip_kernel("large", SMS), wide = on_chip_kernel("wide", 2 * SMS),
                           narrow = on_chip_kernel("narrow", SMS);
        large.smem_bytes = 163 * 1024; /* with what each block reserves the whole of 164 KiB */
        wide.block.x = 768;            /* two on an SM: 8 KiB; there is room for more warps */
        narrow.block.x = 128;          /* 16 on an SM: 16 KiB */
        struct gsim_demand a = work_of(&w, large), b = work_of(&w, wide), c = work_of(&w, narrow);
        if (comes_behind) submit(&w, 0, &a, 1);
        submit(&w, 1000, &b, 2);
        gsim_time begin = comes_behind ? gsim_time_from_us(10) : 0;
        run_until(&w, begin + gsim_time_from_us(2));
        submit(&w, begin + gsim_time_from_us(2), &c, 3);
        uint32_t sms_with[33];
        histogram(&w, 3, sms_with);
        CHECK_INT(sms_with[1], comes_behind ? SMS : 0);
        run_until(&w, GSIM_TIME_NEVER);
        CHECK_NEAR(gsim_time_us(w.end[2]) - gsim_time_us(begin), 10, comes_behind ? 5 : 0.01);
        gsim_arena_release(&w.arena);
    }
}

/* 264 blocks of 100 us that wait for memory, two on an SM, end 3.7 us before the last of them in the median when
 * somebody waits for their room, each on its own: a block of his follows every one. The kernel takes its time all the
 * same. */
static void memory_blocks_leave_one_by_one(void)
{
    struct world w = {.device = big_device()};
    open_world(&w, NULL);
    struct gsim_kernel stream = on_chip_kernel("stream", 2 * SMS), next = on_chip_kernel("next", 2 * SMS);
    stream.block.x = next.block.x = 1024;
    stream.solo_us = 100;
    stream.dram_bytes = 1e6;
    stream.demand_given = true;
    struct gsim_demand a = work_of(&w, stream), b = work_of(&w, next);
    submit(&w, 0, &a, 1);
    submit(&w, 1000, &b, 2);
    static const struct {
        double us;
        uint32_t fewest, most;     /* blocks that have followed */
        uint32_t single, most_single; /* SMs with one of them */
    } taken[] = {{93, 0, 0, 0, 0},
                 {95.5, 52, 88, 36, 72},
                 {96.5, 106, 146, 50, 82},
                 {98, 205, 240, 18, 50},
                 {100.1, 2 * SMS, 2 * SMS, 0, 0}};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        uint32_t sms_with[33];
        run_until(&w, gsim_time_from_us(taken[i].us));
        histogram(&w, 2, sms_with);
        uint32_t blocks = sms_with[1] + 2 * sms_with[2];
        CHECK_MSG(blocks >= taken[i].fewest && blocks <= taken[i].most, "%u blocks after %g us", blocks, taken[i].us);
        CHECK_MSG(sms_with[1] >= taken[i].single && sms_with[1] <= taken[i].most_single, "%u SMs with one after %g us",
                  sms_with[1], taken[i].us);
    }
    run_until(&w, GSIM_TIME_NEVER);
    CHECK_NEAR(gsim_time_us(w.end[1]), 100, 0.1);
    gsim_arena_release(&w.arena);
}

/* A later kernel takes what the earlier leaves: the emptier SMs first. */
static void the_rest_goes_to_the_roomiest(void)
{
    struct world w = {.device = big_device()};
    open_world(&w, NULL);
    struct gsim_demand a = work_of(&w, fixture_kernel("a", 100, 1024, 10));
    struct gsim_demand b = work_of(&w, fixture_kernel("b", 64, 1024, 10));
    submit(&w, 0, &a, 1);
    submit(&w, 0, &b, 2);
    uint32_t blocks[SMS];
    residency_of(w.gpu, (void *)2, blocks, SMS);
    uint32_t on_empty = 0;
    for (int i = 100; i < SMS; i++) on_empty += blocks[i];
    CHECK_INT(on_empty, 32); /* 32 SMs had room for two, 100 for one: 32 level them, the rest go by SM id */
    CHECK_INT(gsim_gpu_load(w.gpu).blocks, 164);
    gsim_arena_release(&w.arena);
}

/* Random kernels of all kinds arriving at random times: pooled and exact ends agree within 0.1 %. */
static void pooled_agrees_with_exact(void)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    for (unsigned long seed = 1; seed <= 40; seed++) {
        struct world pooled = {.device = big_device()}, exact = {.device = big_device()};
        pooled.device.dram_gbps = exact.device.dram_gbps = 2000;
        struct gsim_gpu_options defaults, one_by_one;
        gsim_params_set_defaults(gsim_gpu_params, &defaults);
        one_by_one = defaults;
        one_by_one.exact = true;
        open_world(&pooled, &defaults);
        open_world(&exact, &one_by_one);
        struct gsim_demand demands[12];
        gsim_time at[12], now = 0;
        gsl_rng_set(rng, seed);
        for (int i = 0; i < 12; i++) {
            uint32_t blocks = 1 + (uint32_t)gsl_rng_uniform_int(rng, 2000),
                     threads = 32u << gsl_rng_uniform_int(rng, 6);
            struct gsim_kernel k = fixture_kernel("k", blocks, threads, 5 + 20 * gsl_rng_uniform(rng));
            if (gsl_rng_uniform_int(rng, 2)) k.flops = 1e6 * blocks * gsl_rng_uniform(rng);
            if (gsl_rng_uniform_int(rng, 2)) k.dram_bytes = 3e5 * blocks * gsl_rng_uniform(rng);
            demands[i] = work_of(&pooled, k);
            at[i] = now += (gsim_time)gsl_rng_uniform_int(rng, 20 * GSIM_PS_PER_US);
        }
        for (int i = 0; i < 12; i++) {
            run_until(&pooled, at[i]);
            run_until(&exact, at[i]);
            submit(&pooled, at[i], &demands[i], (uintptr_t)i);
            submit(&exact, at[i], &demands[i], (uintptr_t)i);
        }
        run_until(&pooled, GSIM_TIME_NEVER);
        run_until(&exact, GSIM_TIME_NEVER);
        for (int i = 0; i < 12; i++) {
            double fast = (double)(pooled.end[i] - at[i]), slow = (double)(exact.end[i] - at[i]);
            CHECK_MSG(fabs(fast / slow - 1) < 0.001, "seed %lu kernel %d: pooled %.3f us, exact %.3f us", seed, i,
                      fast * 1e-6, slow * 1e-6);
        }
        gsim_arena_release(&pooled.arena);
        gsim_arena_release(&exact.arena);
    }
    gsl_rng_free(rng);
}

static void skip_with_rest(uint32_t rest)
{
    gsim_time end[2][2];
    struct gsim_statistics counted[2];
    for (int skips = 0; skips < 2; skips++) {
        struct world w = {.device = big_device()};
        open_world(&w, NULL);
        struct gsim_demand a = work_of(&w, fixture_kernel("a", 8 * SMS * 50 + rest, 256, 10));
        struct gsim_demand b = work_of(&w, fixture_kernel("b", 64, 512, 7));
        gsim_time arrival = gsim_time_from_us(423.4567);
        if (skips) gsim_gpu_promise(w.gpu, arrival);
        submit(&w, 0, &a, 1);
        run_until(&w, arrival);
        if (skips) gsim_gpu_promise(w.gpu, GSIM_TIME_NEVER);
        submit(&w, arrival, &b, 2);
        run_until(&w, GSIM_TIME_NEVER);
        end[skips][0] = w.end[1];
        end[skips][1] = w.end[2];
        gsim_gpu_count(w.gpu, &counted[skips]);
        gsim_arena_release(&w.arena);
    }
    CHECK_INT(end[1][0], end[0][0]);
    CHECK_INT(end[1][1], end[0][1]);
    CHECK_INT(counted[1].block_events, counted[0].block_events);
    CHECK_MSG(counted[1].gpu_events + 40 < counted[0].gpu_events, "%llu events instead of %llu", /* a wave less each */
              (unsigned long long)counted[1].gpu_events, (unsigned long long)counted[0].gpu_events);
}

/* 50 full waves of 8 blocks per SM and a part of one: the same end to the picosecond with a promise that lets
 * waves be skipped and without, but not an event per wave. A kernel arriving in the middle ends the promise. */
static void steady_waves_are_skipped(void)
{
    static const uint32_t rests[] = {77, 0, 1, 8 * SMS - 1};
    for (size_t i = 0; i < sizeof rests / sizeof rests[0]; i++) skip_with_rest(rests[i]);
}

static void run_promised(struct world *w, gsim_time horizon, bool promises)
{
    while (gsim_gpu_next(w->gpu) < horizon) {
        gsim_gpu_promise(w->gpu, promises ? horizon : 0);
        gsim_gpu_advance(w->gpu, gsim_gpu_next(w->gpu));
        gsim_gpu_check(w->gpu);
    }
}

/* A long kernel on some SMs, one of two waves whose blocks end apart, one of 400 waves that gets their room, and one
 * that comes in between: the same ends with waves skipped beside the long one and without, in a tenth of the events.
 * Streams, and on-chip work. */
static void waves_beside_others_are_skipped(void)
{
    for (int kind = 0; kind < 2; kind++) {
        gsim_time end[2][5];
        struct gsim_statistics counted[2];
        for (int skips = 0; skips < 2; skips++) {
            struct world w = {.device = big_device()};
            w.device.distributor_turn_us = 0.145;
            w.device.block_ends_us = 1;
            open_world(&w, NULL);
            struct gsim_kernel last = on_chip_kernel("last", 8 * SMS * 400 + 5);
            last.solo_us = 4000;
            last.dram_bytes = kind ? 4e9 : 0;
            struct gsim_kernel longest = on_chip_kernel("longest", 100);
            longest.solo_us = 6000;
            struct gsim_demand demands[] = {work_of(&w, longest), work_of(&w, on_chip_kernel("two", 2 * 8 * SMS)),
                                          work_of(&w, last), work_of(&w, on_chip_kernel("new", 300))};
            gsim_time arrival = gsim_time_from_us(1234.5678);
            for (int i = 0; i < 3; i++) submit(&w, 0, &demands[i], (uintptr_t)i + 1);
            run_promised(&w, arrival, skips);
            submit(&w, arrival, &demands[3], 4);
            run_promised(&w, GSIM_TIME_NEVER, skips);
            memcpy(end[skips], w.end, sizeof end[skips]);
            gsim_gpu_count(w.gpu, &counted[skips]);
            gsim_arena_release(&w.arena);
        }
        for (int i = 1; i <= 4; i++) CHECK_NEAR((double)end[1][i], (double)end[0][i], 1e-5 * (double)end[0][i]);
        CHECK_INT(counted[1].block_events, counted[0].block_events);
        CHECK_MSG(counted[1].gpu_events * 10 < counted[0].gpu_events, "%llu events instead of %llu",
                  (unsigned long long)counted[1].gpu_events, (unsigned long long)counted[0].gpu_events);
    }
}

/* Equal times: SMs in order of their ids, whatever order the groups are in. */
static void ties_by_sm(void)
{
    struct world w = {.device = big_device()};
    open_world(&w, NULL);
    struct gsim_demand a = work_of(&w, fixture_kernel("a", 2 * SMS, 1024, 10));
    struct gsim_demand b = work_of(&w, fixture_kernel("b", 3, 1024, 10));
    submit(&w, 0, &a, 1);
    submit(&w, 0, &b, 2);
    run_until(&w, gsim_time_from_us(10));
    uint32_t blocks[SMS];
    residency_of(w.gpu, (void *)2, blocks, SMS);
    for (int i = 0; i < SMS; i++) CHECK_INT(blocks[i], i < 3);
    gsim_arena_release(&w.arena);
}

static const struct test_case cases[] = {
    {"ends at one time", ends_at_one_time},
    {"least loaded SM first", least_loaded_first},
    {"most room first", most_room_first},
    {"packed behind a full machine", packed_behind_a_full_machine},
    {"scattered ends", scattered_ends},
    {"waves fall out of step", waves_fall_out_of_step},
    {"a configuration is kept", carveout_kept},
    {"memory blocks leave one by one", memory_blocks_leave_one_by_one},
    {"the rest goes to the roomiest SMs", the_rest_goes_to_the_roomiest},
    {"pooled agrees with exact", pooled_agrees_with_exact},
    {"steady waves are skipped", steady_waves_are_skipped},
    {"waves beside others are skipped", waves_beside_others_are_skipped},
    {"ties by SM", ties_by_sm},
};
TEST_MAIN("sim/sm/gpu", cases)
