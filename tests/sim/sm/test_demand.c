/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a kernel to its blocks' work: parts of described blocks by hand, kinds of measured ones, their inversion over
 * a grid of shapes, shared-memory configurations as seen on an H200, what other kernels do to data in L2, and errors.
 */
#include "sim/sm/gpu.h"
#include "tests/sim/machine_fixture.h"

static struct gsim_device_spec loaded(const char *name)
{
    struct gsim_device_spec d = {0};
    struct gsim_error error = {0};
    CHECK_OK(gsim_device_load(name, &d, &error), error);
    return d;
}

static struct gsim_demand work_of(const struct gsim_device_spec *device, struct gsim_kernel kernel)
{
    struct gsim_demand work = {0};
    struct gsim_error error = {0};
    kernel.name = "k";
    CHECK_OK(gsim_demand_init(&work, device, &kernel, &error), error);
    return work;
}

/* --- described ---------------------------------------------------------------------------------------------- */
/* 4 SMs at 1 GHz, 64 lanes: 128 flops per ns and SM. 8 bytes in flight per thread over 500 ns. */
static void described_by_hand(void)
{
    struct gsim_device_spec d = fixture_device();
    struct gsim_kernel k = {.grid = {8, 1, 1}, .block = {512, 1, 1}, .thread_cycles = 1000};
    struct gsim_demand w = work_of(&d, k);
    CHECK_INT(w.kind, GSIM_DEMAND_DESCRIBED);
    CHECK_NEAR(w.block_ps, 1e6, 1e-3); /* 1000 cycles */
    CHECK_NEAR(w.solo_ps, 1e6, 2000);  /* 2 of 4 possible blocks on each SM at once */
    k.flops = 8 * 1.28e6;              /* 10 us a block: 512 threads fill the lanes' 64 x 4 slots */
    w = work_of(&d, k);
    CHECK_NEAR(w.issue_ps, 1e7, 1);
    CHECK_NEAR(w.compute_ps, 1e7, 1);
    k.block.x = 64; /* 64 threads x 2 instructions fill half of them */
    w = work_of(&d, k);
    CHECK_NEAR(w.issue_ps, 1e7, 1);
    CHECK_NEAR(w.compute_ps, 2e7, 1);
    k.fp64 = true; /* half the lanes: twice the time, full again */
    w = work_of(&d, k);
    CHECK_NEAR(w.issue_ps, 2e7, 1);
    CHECK_NEAR(w.compute_ps, 2e7, 1);
    k = (struct gsim_kernel){.grid = {8, 1, 1}, .block = {512, 1, 1}, .flops = 8 * 1.28e6, .dram_bytes = 8 * 81920.0};
    w = work_of(&d, k); /* 8.192 GB/s of a block: 10 us as well; p = 4 */
    CHECK_NEAR(w.memory_ps, 1e7, 1);
    CHECK_NEAR(w.block_ps, 1e7 * pow(2, 0.25), 10);
    CHECK_NEAR(w.dram_gbps, 8.192 / pow(2, 0.25), 1e-6);
    k = (struct gsim_kernel){.grid = {8, 1, 1}, .block = {512, 1, 1}, .sm_cycles = 8 * 3000};
    w = work_of(&d, k);
    CHECK_NEAR(w.issue_ps, 3e6, 1);
    d.block_turnaround_ns = 250;
    k = (struct gsim_kernel){.grid = {8, 1, 1}, .block = {512, 1, 1}, .thread_cycles = 1};
    CHECK_NEAR(work_of(&d, k).block_ps, 250e3, 1e-3); /* no block is shorter */
}

/* A measurement on another device is no measurement here. */
static void measured_elsewhere(void)
{
    struct gsim_device_spec d = fixture_device();
    struct gsim_kernel k = {.grid = {8, 1, 1}, .block = {512, 1, 1}, .thread_cycles = 1000, .solo_us = 50};
    CHECK_NEAR(work_of(&d, k).solo_ps, 50e6, 50e3);
    k.solo_device = "fixture";
    CHECK_NEAR(work_of(&d, k).solo_ps, 50e6, 50e3);
    CHECK(work_of(&d, k).is_inverted);
    k.solo_device = "other";
    CHECK_NEAR(work_of(&d, k).solo_ps, 1e6, 2000);
    CHECK(!work_of(&d, k).is_inverted);
}

/* --- measured ------------------------------------------------------------------------------------------------ */
static const struct {
    const char *name;
    bool has_flops, has_bytes, is_known;
    uint32_t smem_bytes;
    enum gsim_demand_kind kind;
} kinds[] = {
    {"flops alone", true, false, true, 0, GSIM_DEMAND_ISSUE},
    {"nothing known", false, false, false, 0, GSIM_DEMAND_ON_CHIP},
    {"neither, with shared memory", false, false, true, 8192, GSIM_DEMAND_ON_CHIP},
    {"neither", false, false, true, 0, GSIM_DEMAND_SCATTER},
    {"bytes alone", false, true, true, 0, GSIM_DEMAND_MEMORY},
    {"both", true, true, true, 0, GSIM_DEMAND_MEMORY},
};
#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

static struct gsim_kernel measured(size_t kind, uint32_t blocks, uint32_t threads, double solo_us)
{
    return (struct gsim_kernel){.grid = {blocks, 1, 1},
                                .block = {threads, 1, 1},
                                .smem_bytes = kinds[kind].smem_bytes,
                                .flops = kinds[kind].has_flops ? 1e5 * blocks : 0,
                                .dram_bytes = kinds[kind].has_bytes ? 2e3 * blocks : 0,
                                .demand_given = kinds[kind].is_known,
                                .solo_us = solo_us};
}

/* That many blocks of dense arithmetic; with less, warps would wait for something else. */
static struct gsim_kernel dense(uint32_t blocks, uint32_t threads)
{
    struct gsim_kernel k = measured(0, blocks, threads, 60);
    k.flops = 9e6 * blocks;
    return k;
}

static void kinds_and_units(void)
{
    struct gsim_device_spec d = loaded("h200");
    for (size_t i = 0; i < KIND_COUNT; i++) {
        struct gsim_demand w = work_of(&d, i ? measured(i, 400, 256, 60) : dense(400, 256));
        CHECK_MSG(w.kind == kinds[i].kind, "%s: kind %d", kinds[i].name, (int)w.kind);
        CHECK_NEAR(w.block_ps, w.compute_ps + w.latency_ps + w.memory_ps, 1e-3);
        CHECK(w.units == 1 && w.width == 2 && w.cold == 1 && w.blocks == 400);
    }
    /* Parts of at most two warps per sub-partition: 32 warps are 4 of 2, 9 are 2 of 1.125. */
    CHECK_INT(work_of(&d, measured(0, 400, 256, 60)).kind, GSIM_DEMAND_DESCRIBED);
    struct gsim_demand w = work_of(&d, dense(400, 1024));
    CHECK(w.units == 4 && w.width == 2);
    w = work_of(&d, dense(400, 288));
    CHECK(w.units == 2 && w.width == 1.125);
    CHECK_INT(work_of(&d, measured(4, 400, 1024, 60)).units, 1);
    gsim_device_release(&d);
}

/* On a machine of its own that nothing ran on before. PROMISE: nothing else comes, so waves may be skipped. */
static double alone_as(const struct gsim_device_spec *device, const struct gsim_demand *work, bool exact, bool promise)
{
    struct gsim_arena arena = {0};
    struct gsim_gpu_options options;
    gsim_params_set_defaults(gsim_gpu_params, &options);
    options.exact = exact;
    struct gsim_gpu *gpu = gsim_gpu_create(&arena, device, &options, NULL);
    gsim_time now = 0;
    if (promise) gsim_gpu_promise(gpu, GSIM_TIME_NEVER);
    CHECK(gsim_gpu_submit(gpu, 0, work, 0, NULL));
    for (gsim_time next; (next = gsim_gpu_next(gpu)) != GSIM_TIME_NEVER; now = next) gsim_gpu_advance(gpu, next);
    gsim_arena_release(&arena);
    return gsim_time_us(now);
}

static double alone_us(const struct gsim_device_spec *device, const struct gsim_demand *work)
{
    return alone_as(device, work, false, false);
}

/* Alone, each takes its measured time within 0.1 %: from one block to many waves, all kinds. */
static void inversion_is_exact(void)
{
    static const char *const devices[] = {"h200", "a100-sxm4-40gb"};
    static const uint32_t blocks[] = {1, 7, 131, 132, 133, 400, 2113, 9000}, threads[] = {32, 96, 256, 640, 1024};
    for (size_t n = 0; n < 2; n++) {
        struct gsim_device_spec d = loaded(devices[n]);
        for (size_t i = 0; i < KIND_COUNT; i++)
            for (size_t b = 0; b < sizeof(blocks) / sizeof(blocks[0]); b++)
                for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++) {
                    /* Not below what launching and draining the blocks takes. */
                    double solo_us = (b + t) % 2 ? 4 + 0.02 * blocks[b] : 150 + 0.05 * blocks[b];
                    struct gsim_demand w = work_of(&d, measured(i, blocks[b], threads[t], solo_us));
                    double took_us = alone_us(&d, &w);
                    CHECK_MSG(fabs(took_us / solo_us - 1) <= 1e-3 && fabs(w.solo_ps * 1e-6 / took_us - 1) <= 1e-3,
                              "%s: %s: %d blocks of %d threads: %.6g us alone, measured %.6g", d.name, kinds[i].name,
                              (int)blocks[b], (int)threads[t], took_us, solo_us);
                }
        gsim_device_release(&d);
    }
}

static double on_slice_us(const struct gsim_device_spec *device, const struct gsim_demand *work, uint32_t sm_count)
{
    struct gsim_device_spec part = *device;
    part.sm_count = (int)sm_count;
    return alone_us(&part, work);
}

/* 16 x 16 blocks of 8 x 8 threads stride over 394 x 394 items: along an axis 128 threads, so 10 of them, in 2 blocks,
 * have a fourth round. 4 blocks have 16 rounds, 28 and 28 have 12, 196 have 9: 2500 in all, 9.77 on average. 132 SMs
 * take block after block; 46 of the first 132 are longer ones, and 10 more SMs get one after a shorter: after 9/16 of
 * the time only these are at work. */
static void blocks_of_unequal_work(void)
{
    static const double rounds[GSIM_BLOCK_KINDS] = {9, 12, 12, 16, 0};
    static const uint64_t counts[3][GSIM_BLOCK_KINDS + 1] = {
        {256, 196, 28, 28, 4, 0}, {33, 0, 1, 28, 4, 0}, {53, 14, 4, 28, 4, 3}};
    struct gsim_device_spec d = loaded("h200");
    struct gsim_kernel k = {
        .grid = {16, 16, 1}, .block = {8, 8, 1}, .regs_per_thread = 32, .solo_us = 400, .loop_x = 394, .loop_y = 394};
    struct gsim_demand w = work_of(&d, k);
    CHECK(w.is_unequal);
    for (int i = 0; i < GSIM_BLOCK_KINDS; i++) CHECK_NEAR(w.unequal.factor[i], rounds[i] * 256 / 2500, 1e-12);
    for (int n = 0; n < 3; n++) {
        uint64_t found[GSIM_BLOCK_KINDS];
        struct gsim_unequal u = w.unequal;
        if (n == 2) u.busy = 50; /* the last three of 53 have nothing to do */
        gsim_unequal_count(&u, counts[n][0], found);
        for (int i = 0; i < GSIM_BLOCK_KINDS; i++) CHECK_INT(found[i], counts[n][i + 1]);
    }
    CHECK_NEAR(alone_us(&d, &w), 400, 0.4);
    struct gsim_arena arena = {0};
    struct gsim_gpu *gpu = gsim_gpu_create(&arena, &d, NULL, NULL);
    CHECK(gsim_gpu_submit(gpu, 0, &w, 0, NULL));
    while (gsim_gpu_next(gpu) < gsim_time_from_us(0.65 * 400)) gsim_gpu_advance(gpu, gsim_gpu_next(gpu));
    gsim_gpu_check(gpu);
    CHECK_INT(gsim_gpu_load(gpu).busy_sms, 56);
    gsim_arena_release(&arena);
    /* One to many waves, pooled, with waves skipped and exact: the same time. */
    static const struct { uint32_t x, y, threads_x, threads_y; double loop_x, loop_y, flops; } shapes[] = {
        {16, 16, 8, 8, 394, 394, 0}, {200, 200, 8, 8, 2400, 2400, 0}, {200, 200, 8, 8, 2400, 0, 0},
        {5000, 1, 256, 1, 8000.0 * 256, 0, 0}, {1056, 1, 256, 1, 1156.0 * 256, 0, 1e9}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct gsim_kernel m = {.grid = {shapes[i].x, shapes[i].y, 1},
                                .block = {shapes[i].threads_x, shapes[i].threads_y, 1},
                                .regs_per_thread = 32,
                                .solo_us = 400,
                                .loop_x = shapes[i].loop_x,
                                .loop_y = shapes[i].loop_y,
                                .flops = shapes[i].flops};
        w = work_of(&d, m);
        CHECK(w.is_unequal);
        CHECK_NEAR(alone_as(&d, &w, false, false), 400, 2);
        CHECK_NEAR(alone_as(&d, &w, false, true), 400, 2);
        CHECK_NEAR(alone_as(&d, &w, true, false), 400, 4);
    }
    /* 16 x 16 x 16 blocks of which two planes have work: 2.5 us for the others (DL's pooling). */
    struct gsim_kernel pool = {
        .grid = {16, 16, 16}, .block = {4, 4, 4}, .regs_per_thread = 20, .dram_bytes = 8e6, .solo_us = 30, .loop_z = 8};
    w = work_of(&d, pool);
    CHECK(w.is_unequal && w.unequal.busy == 512);
    CHECK_NEAR(w.unequal.factor[0], 1, 1e-12);
    CHECK_NEAR(alone_us(&d, &w), 30, 0.03);
    CHECK(w.block_ps > 25e6); /* next to all of the time: 4 of them on an SM at once */
    k.loop_x = 255; /* the last thread of every axis has one item less: no block has */
    k.loop_y = 255;
    CHECK(!work_of(&d, k).is_unequal);
    k.loop_x = 256; /* two rounds for all */
    k.loop_y = 100; /* less than one */
    CHECK(!work_of(&d, k).is_unequal);
    k.loop_x = 394;
    k.loop_y = 0;
    CHECK(work_of(&d, k).is_unequal);
    k.solo_us = 0; /* not measured: all alike */
    k.flops = 1e9;
    CHECK(!work_of(&d, k).is_unequal);
    gsim_device_release(&d);
}

/* Of two kernels of unknown demand, the one with 64 registers per thread beside shared memory is a matrix product.
 * H200: cuBLAS's 128 blocks of 128 threads, 56.2 us alone, take 97.6 two on an SM behind another kernel (pair 5 of
 * traces/h200/vm/ aten-loaded.json.gz, behind an elementwise one of 185 us). Of a short one 2 us, at most four fifths,
 * are latency that others leave alone. */
static void tiles_are_issue_bound(void)
{
    struct gsim_device_spec d = loaded("h200");
    struct gsim_kernel k = {
        .grid = {128, 1, 1}, .block = {128, 1, 1}, .regs_per_thread = 224, .smem_bytes = 18816, .solo_us = 56.2};
    struct gsim_demand w = work_of(&d, k);
    CHECK_INT(w.kind, GSIM_DEMAND_ISSUE);
    CHECK_NEAR(w.latency_ps, 2e6, 1);
    CHECK_NEAR(alone_us(&d, &w), 56.2, 0.06);
    CHECK_NEAR(on_slice_us(&d, &w, 64), 97.6, 0.03 * 97.6);
    k.solo_us = 2;
    w = work_of(&d, k);
    CHECK_NEAR(w.latency_ps, 1.6e6, 1);
    CHECK_NEAR(alone_us(&d, &w), 2, 0.002);
    k.regs_per_thread = 63;
    CHECK_INT(work_of(&d, k).kind, GSIM_DEMAND_ON_CHIP);
    k.regs_per_thread = 224;
    k.smem_bytes = 4096;
    CHECK_INT(work_of(&d, k).kind, GSIM_DEMAND_ON_CHIP);
    k.demand_given = true; /* and none: it waits for memory */
    CHECK_INT(work_of(&d, k).kind, GSIM_DEMAND_SCATTER);
    gsim_device_release(&d);
}

/* 128 blocks, one on an SM, take 100 us; on 16 SMs, 8 on each, 400: a block waits for L and has the SM's units for I,
 * with L^4 + I^4 = 100^4 and L^4 + (8 I)^4 = 400^4 (knee 4), so I = 49.95 and L = 98.4 us. */
static void two_times_tell_latency_from_throughput(void)
{
    struct gsim_device_spec d = loaded("h200");
    struct gsim_kernel k = {.name = "k",
                            .grid = {128, 1, 1},
                            .block = {64, 1, 1},
                            .regs_per_thread = 32,
                            .dram_bytes = 1000,
                            .flops = 1000,
                            .demand_given = true,
                            .solo_us = 100,
                            .slice_sms = 16,
                            .slice_us = 400};
    struct gsim_demand w = work_of(&d, k);
    CHECK_INT(w.kind, GSIM_DEMAND_DESCRIBED);
    CHECK_NEAR(w.issue_ps * 1e-6, 49.95, 0.5);
    CHECK_NEAR(w.latency_ps * 1e-6, 98.4, 0.5);
    CHECK_NEAR(alone_us(&d, &w), 100, 0.01);
    CHECK_NEAR(on_slice_us(&d, &w, 16), 400, 3);
    k.slice_us = 102; /* it waits, as its kind has it */
    w = work_of(&d, k);
    CHECK_INT(w.kind, GSIM_DEMAND_MEMORY);
    k.slice_us = 5000; /* more than eight blocks one after the other: as far as one SM's units go */
    w = work_of(&d, k);
    CHECK_INT(w.kind, GSIM_DEMAND_DESCRIBED);
    CHECK_NEAR(alone_us(&d, &w), 100, 0.01);
    CHECK(on_slice_us(&d, &w, 16) > 600);
    gsim_device_release(&d);
}

static void solo_is_the_same(void)
{
    struct gsim_device_spec d = loaded("h200");
    struct gsim_error error = {0};
    struct gsim_kernel k = measured(4, 400, 256, 60);
    struct gsim_kernel_alone alone = {0};
    k.name = "k";
    CHECK_OK(gsim_kernel_alone(&d, &k, &alone, &error), error);
    CHECK_NEAR((double)alone.time, work_of(&d, k).solo_ps, 1);
    /* 1e9 bytes; 1e9 flops and 66e6 cycles of 132 SMs, 32 units to which 64 are twice as fast. */
    k = (struct gsim_kernel){
        .name = "k", .grid = {1320, 1, 1}, .block = {256, 1, 1}, .dram_bytes = 1e9, .flops = 1e9, .sm_cycles = 66e6};
    d.load_store_per_sm = 64;
    CHECK_OK(gsim_kernel_alone(&d, &k, &alone, &error), error);
    CHECK_NEAR(alone.dram_us, 1e6 / d.dram_gbps, 1e-6);
    CHECK_NEAR(alone.issue_us, 1e9 / (d.fma_share * 2 * d.fp32_lanes_per_sm * d.clock_mhz * 132) + 0.25e6 / d.clock_mhz,
               1e-6);
    /* One block cannot have asked for 3 TB/s: it asks for what an SM draws at most. */
    k = (struct gsim_kernel){.name = "k", .grid = {1, 1, 1}, .block = {256, 1, 1}, .dram_bytes = 6e8, .solo_us = 200};
    CHECK_OK(gsim_kernel_alone(&d, &k, &alone, &error), error);
    CHECK(alone.dram_us <= 200 * d.sm_dram_gbps / d.dram_gbps);
    /* Waves that the clock cannot hold. */
    k = (struct gsim_kernel){
        .name = "k", .grid = {2147483647, 65535, 65535}, .block = {256, 1, 1}, .thread_cycles = 1000};
    CHECK_INT(gsim_kernel_alone(&d, &k, &alone, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "kernel 'k': would take 4.4");
    k.solo_us = 1;
    CHECK_INT(gsim_kernel_alone(&d, &k, &alone, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "kernel 'k': 9.223e+18 blocks take");
    gsim_device_release(&d);
}

/* --- shared-memory configurations ----------------------------------------------------------------------------- */
/* H200, KiB: without shared memory by the number of blocks per SM; with it the class that holds all of them and
 * the system's 1 KiB each, or one class more where there are more than two and at most 100 KiB. */
static void carveouts(void)
{
    static const struct {
        uint32_t threads, registers, smem_kib, blocks_per_sm, carveout_kib, join_kib;
    } rows[] = {
        {1024, 64, 0, 1, 8, 1},     {1024, 32, 0, 2, 8, 2},      {512, 32, 0, 4, 16, 4},    {256, 32, 0, 8, 32, 8},
        {32, 32, 0, 32, 32, 32},    {1024, 32, 10, 2, 32, 22},   {1024, 32, 31, 2, 64, 64}, {512, 32, 7, 4, 64, 32},
        {256, 32, 10, 8, 132, 88},  {512, 32, 24, 4, 132, 100},  {512, 32, 25, 4, 132, 104}, {512, 32, 32, 4, 132, 132},
        {512, 32, 40, 4, 164, 164}, {1024, 32, 227, 1, 228, 228},
    };
    struct gsim_device_spec d = loaded("h200");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct gsim_kernel k = {.grid = {1000, 1, 1}, .block = {rows[i].threads, 1, 1}, .thread_cycles = 1000,
                                .regs_per_thread = rows[i].registers, .smem_bytes = rows[i].smem_kib * 1024};
        struct gsim_demand w = work_of(&d, k);
        CHECK_MSG(w.need.blocks_per_sm == rows[i].blocks_per_sm && w.carveout_bytes == rows[i].carveout_kib * 1024 &&
                      w.join_bytes == rows[i].join_kib * 1024,
                  "row %d: %d blocks per SM, configuration %g KiB, to join %g KiB", (int)i, (int)w.need.blocks_per_sm,
                  w.carveout_bytes / 1024.0, w.join_bytes / 1024.0);
    }
    gsim_device_release(&d);
}

/* --- L2 ----------------------------------------------------------------------------------------------------- */
/* BYTES of DRAM traffic alone (1000 blocks, 1 us each), of GIVEN as described. */
static struct gsim_demand l2_work(enum gsim_demand_kind kind, double bytes, double given)
{
    return (struct gsim_demand){.kind = kind,
                                .is_inverted = true,
                                .blocks = 1000,
                                .memory_ps = 1e6,
                                .block_ps = 1e6,
                                .cold = 1,
                                .dram_gbps = bytes / 1e6,
                                .given_bytes = given};
}

/* 10 MiB of L2 hold 8 MiB of data between runs. */
static void others_displace_l2(void)
{
    struct gsim_device_spec d = fixture_device();
    d.l2_mib = 10;
    struct gsim_demand w[4] = {l2_work(GSIM_DEMAND_MEMORY, 4e6, 8e6), l2_work(GSIM_DEMAND_MEMORY, 3e7, 6e7),
                             l2_work(GSIM_DEMAND_MEMORY, 4e6, 1.6e7), l2_work(GSIM_DEMAND_MEMORY, 0, 0)};
    gsim_demands_share_l2(w, 4, &d);
    CHECK_NEAR(w[0].cold, 2, 1e-9);    /* half of its traffic came from L2 */
    CHECK_NEAR(w[1].cold, 1, 0);       /* far more than L2 holds: was cold anyway, and the others are small */
    CHECK_NEAR(w[2].cold, 3, 1e-9);    /* at most */
    w[0].block_ps = 1e7;
    gsim_demands_share_l2(w, 4, &d);
    CHECK_NEAR(w[0].cold, 1.1, 1e-9);  /* of which nine tenths are arithmetic */
    gsim_demands_share_l2(w, 1, &d);
    CHECK_NEAR(w[0].cold, 1, 0); /* alone as measured */
    w[0].is_inverted = false;
    gsim_demands_share_l2(w, 4, &d);
    CHECK_NEAR(w[0].cold, 1, 0); /* described: its bytes are DRAM's already */
}

/* 1,024 threads, a load each under way, that takes 185 ns from L2 (10 MiB) and 580 from DRAM. 20 loads of all touch 2.6
 * MB, which are there when it is measured again; 58 touch 7.6 MB, 0.725 of L2, so half of them miss; of 100 all. Cold
 * all miss, and what missed takes 11 us longer in all. */
static void cold_dependent_loads(void)
{
    static const struct {
        double solo_us, cold;
    } cases[] = {{20 * 0.185, 0.580 / 0.185},
                 {58 * 0.3825, 0.580 / 0.3825 + 0.5 * 11 / (58 * 0.3825)},
                 {100 * 0.580, 1 + 11 / 58.0}};
    struct gsim_device_spec d = fixture_device();
    d.l2_mib = 10;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gsim_demand w[2] = {l2_work(GSIM_DEMAND_SCATTER, 0, 0), l2_work(GSIM_DEMAND_MEMORY, 3e7, 6e7)};
        w[0].blocks = 4;
        w[0].threads = 256;
        w[0].need.blocks_per_sm = 8;
        w[0].solo_ps = cases[i].solo_us * 1e6;
        gsim_demands_share_l2(w, 2, &d);
        CHECK_NEAR(w[0].cold, cases[i].cold, 2e-3);
    }
}

/* --- errors --------------------------------------------------------------------------------------------------- */
static void errors(void)
{
    static const struct {
        struct gsim_kernel kernel;
        const char *message;
    } rows[] = {
        {{.name = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}},
         "kernel 'k': nothing says how long it takes: expected solo_us, flops, dram_bytes, thread_cycles or sm_cycles"},
        {{.name = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}, .solo_us = 5, .solo_device = "h300"},
         "kernel 'k': solo_us was measured on 'h300', found device 'fixture': expected flops, dram_bytes or cycles as "
         "well, or --device h300"},
        {{.name = "k", .grid = {1, 1, 1}, .block = {1024, 2, 1}, .solo_us = 5},
         "kernel 'k': block of 2048 threads: at most 1024 on compute capability 8.0"},
        {{.name = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}, .solo_us = 5, .smem_bytes = 200 * 1024},
         "kernel 'k': 204800 bytes of shared memory per block: at most 166912 on compute capability 8.0"},
        {{.name = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}, .solo_us = 5, .slice_us = 9, .slice_sms = 200},
         "kernel 'k': slice_sms: expected 1 to 3 with slice_us on 'fixture', found 200"},
    };
    struct gsim_device_spec d = fixture_device();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct gsim_demand w;
        struct gsim_error error = {0};
        struct gsim_kernel_alone alone = {.time = -1};
        CHECK_INT(gsim_demand_init(&w, &d, &rows[i].kernel, &error), GSIM_INPUT);
        CHECK_STR(error.message, rows[i].message);
        CHECK_INT(gsim_kernel_alone(&d, &rows[i].kernel, &alone, &error), GSIM_INPUT);
        CHECK_INT(alone.time, -1);
    }
}

/* Of the same kernels with another time alone: as if found afresh, where waves are not so short that the grid of ends
 * shows. */
static void adjusted_is_as_found_afresh(void)
{
    struct gsim_device_spec d = loaded("h200");
    struct gsim_kernel kernels[] = {{.name = "chip", .smem_bytes = 8192, .demand_given = true},
                                    {.name = "issue", .flops = 1e8},
                                    {.name = "stream", .dram_bytes = 1e7},
                                    {.name = "both", .flops = 1e7, .dram_bytes = 1e7},
                                    {.name = "loads", .demand_given = true},
                                    {.name = "unknown"},
                                    {.name = "same"}};
    enum { KERNELS = sizeof kernels / sizeof kernels[0] };
    struct gsim_demand demands[KERNELS], same;
    struct gsim_error error = {0};
    for (int i = 0; i < KERNELS; i++) {
        kernels[i].grid = (struct gsim_dim3){200 + 700 * (uint32_t)i, 1, 1};
        kernels[i].block = (struct gsim_dim3){256, 1, 1};
        kernels[i].solo_us = 40 + 30 * i;
    }
    CHECK_OK(gsim_demands_init(demands, KERNELS, &d, kernels, &error), error);
    same = demands[KERNELS - 1];
    for (int i = 0; i + 1 < KERNELS; i++) kernels[i].solo_us *= i % 2 ? 1.4 : 0.6;
    CHECK_OK(gsim_demands_adjust(demands, KERNELS, &d, kernels, &error), error);
    CHECK(memcmp(&same, &demands[KERNELS - 1], sizeof same) == 0);
    for (int i = 0; i + 1 < KERNELS; i++) {
        struct gsim_demand afresh = work_of(&d, kernels[i]);
        CHECK_INT(demands[i].kind, afresh.kind);
        CHECK_NEAR(demands[i].solo_ps, kernels[i].solo_us * 1e6, 2e-5 * kernels[i].solo_us * 1e6);
        CHECK_NEAR(demands[i].block_ps, afresh.block_ps, 1e-3 * afresh.block_ps);
    }
    gsim_device_release(&d);
}

static void out_of_memory(void)
{
    struct gsim_device_spec d = fixture_device();
    struct gsim_kernel k = {.name = "k", .grid = {8, 1, 1}, .block = {512, 1, 1}, .solo_us = 50};
    struct gsim_demand w;
    struct gsim_error error = {0};
    gsim_alloc_fail_nth(1);
    CHECK_INT(gsim_demand_init(&w, &d, &k, &error), GSIM_NOMEM);
    gsim_alloc_fail_nth(0);
    CHECK_OK(gsim_demand_init(&w, &d, &k, &error), error);
}

static const struct test_case cases[] = {
    {"described: by hand", described_by_hand},
    {"measured elsewhere", measured_elsewhere},
    {"measured: kinds and units", kinds_and_units},
    {"measured: the inversion is exact", inversion_is_exact},
    {"register tiles are issue-bound", tiles_are_issue_bound},
    {"blocks of unequal work", blocks_of_unequal_work},
    {"measured twice: latency and throughput", two_times_tell_latency_from_throughput},
    {"solo is the same", solo_is_the_same},
    {"shared-memory configurations", carveouts},
    {"others displace L2", others_displace_l2},
    {"cold dependent loads", cold_dependent_loads},
    {"adjusted is as found afresh", adjusted_is_as_found_afresh},
    {"errors", errors},
    {"out of memory", out_of_memory},
};
TEST_MAIN("sim/sm/demand", cases)
