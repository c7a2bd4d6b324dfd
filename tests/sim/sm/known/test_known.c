/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels of which pipes or clusters are known, alone and in pairs on the machine itself. */
#include "sim/sm/gpu.h"

#include "gpusim/device.h"
#include "sim/device/rules.h"
#include "sim/sm/state.h"
#include "tests/test.h"

struct world {
    struct gsim_device_spec device;
    struct gsim_arena arena;
    struct gsim_gpu *gpu;
    gsim_time end[2];
};

static void ended(void *data, void *tag, gsim_time now)
{
    struct world *w = data;
    w->end[tag == (void *)2] = now;
}

/* An idle GPU of the world's device as it is now. */
static void build_gpu(struct world *w)
{
    struct gsim_gpu_options options;
    const struct gsim_gpu_listener listener = {.data = w, .kernel_ended = ended};
    gsim_params_set_defaults(gsim_gpu_params, &options);
    w->gpu = gsim_gpu_create(&w->arena, &w->device, &options, &listener);
}

static void open_world(struct world *w)
{
    struct gsim_error error = {0};
    *w = (struct world){0};
    CHECK_INT(gsim_device_load("h100-vm", &w->device, &error), GSIM_OK);
    build_gpu(w);
}

static void close_world(struct world *w)
{
    gsim_arena_release(&w->arena);
    gsim_device_release(&w->device);
}

static void run(struct world *w)
{
    for (gsim_time next; (next = gsim_gpu_next(w->gpu)) != GSIM_TIME_NEVER;) gsim_gpu_advance(w->gpu, next);
}

static struct gsim_demand work_of(const struct world *w, const struct gsim_kernel *kernel)
{
    struct gsim_demand work;
    struct gsim_error error = {0};
    CHECK_MSG(gsim_demand_init(&work, &w->device, kernel, &error) == GSIM_OK, "%s", error.message);
    return work;
}

/* On two streams at once: the later end, in microseconds. */
static double later_end(struct world *w, const struct gsim_kernel *a, const struct gsim_kernel *b)
{
    struct gsim_demand demands[2] = {work_of(w, a), work_of(w, b)};
    CHECK(gsim_gpu_submit(w->gpu, 0, &demands[0], 0, (void *)1) &&
          gsim_gpu_submit(w->gpu, 0, &demands[1], 0, (void *)2));
    run(w);
    return gsim_time_us(w->end[0] > w->end[1] ? w->end[0] : w->end[1]);
}

static double together(const struct gsim_kernel *a, const struct gsim_kernel *b)
{
    struct world w;
    open_world(&w);
    double end = later_end(&w, a, b);
    close_world(&w);
    return end;
}

static struct gsim_kernel kernel_of(uint32_t blocks, uint32_t threads, double solo_us, enum gsim_pipe pipe,
                                    double share)
{
    struct gsim_kernel k = {.name = "k",
                            .grid = {blocks, 1, 1},
                            .block = {threads, 1, 1},
                            .regs_per_thread = 16,
                            .solo_us = solo_us,
                            .pipes_given = true};
    k.pipes[pipe] = share;
    return k;
}

/* A pipe serves no more than it has: what asks for 0.6 of it twice takes at least 1.2 times as long; what uses
 * other pipes takes no longer. */
static void pipes(void)
{
    const struct gsim_kernel a = kernel_of(132, 128, 100, GSIM_PIPE_FP64, 0.6),
                             b = kernel_of(132, 128, 100, GSIM_PIPE_XU, 0.6);
    const struct gsim_kernel none = kernel_of(132, 128, 100, GSIM_PIPE_FP64, 0);
    double same = together(&a, &a), other = together(&a, &b);
    CHECK_MSG(same > 120 && same < 150, "%g us", same);
    CHECK_NEAR(other, 100, 1);
    CHECK_NEAR(together(&a, &none), 100, 1);
    /* Of 16 warps, too, however they interleave: 2 x 0.95. */
    const struct gsim_kernel full = kernel_of(132, 512, 100, GSIM_PIPE_FMA, 0.95);
    double twice = together(&full, &full);
    CHECK_MSG(twice >= 186 && twice < 200, "%g us", twice);
}

/* A reader of KIB a block, 100 times over, beside OTHER on each SM; lost data costs three times. */
static double beside_reader(double kib, double hit, const struct gsim_kernel *other, bool is_off)
{
    struct world w;
    open_world(&w);
    w.device.l1_lost_times = 3;
    if (is_off) w.device.rules_off |= 1ull << GSIM_RULE_L1_KEPT;
    struct gsim_kernel k = kernel_of(132, 64, 100, GSIM_PIPE_L1, 0.05);
    k.l1_hit = hit;
    k.data_bytes = 132 * 1024 * kib;
    double end = later_end(&w, &k, other ? other : &k);
    close_world(&w);
    return end;
}

/* An H100's L1 has 256 KiB, less 32 of the carve-out: two readers of 100 KiB find room, two of 128 do not. One that
 * finds half of what it asks for keeps nothing. A stream of 20 MB a block in 100 us brings 200 KB in a pass of 1 us;
 * a slow one of 2 MB brings 20. */
static void l1(void)
{
    struct gsim_kernel stream = kernel_of(132, 64, 100, GSIM_PIPE_L1, 0.05), slow = stream;
    stream.data_bytes = 132 * 20e6;
    slow.data_bytes = 132 * 2e6;
    CHECK_NEAR(beside_reader(100, 0.99, NULL, false), 100, 2);
    CHECK_NEAR(beside_reader(128, 0.99, NULL, false), 300, 5);
    CHECK_NEAR(beside_reader(128, 0.99, NULL, true), 100, 2);
    CHECK_NEAR(beside_reader(128, 0.5, NULL, false), 100, 2);
    CHECK_NEAR(beside_reader(100, 0.99, &slow, false), 100, 2);
    double lost = beside_reader(100, 0.99, &stream, false); /* 33 of 100 us are done when the stream ends */
    CHECK_NEAR(lost, 100 + 67, 4);
}

/* Two that take L2's whole rate take twice as long; one that uses none of it takes no longer. */
static void l2(void)
{
    const struct gsim_kernel a = kernel_of(132, 128, 100, GSIM_PIPE_L2, 0.9),
                             b = kernel_of(132, 128, 100, GSIM_PIPE_FMA, 0.3);
    double same = together(&a, &a);
    CHECK_MSG(same > 175 && same < 200, "%g us", same);
    CHECK_NEAR(together(&a, &b), 100, 1);
}

/* Alone a kernel takes its time whatever is known of it. */
static void alone(void)
{
    static const double used[] = {0.1, 0.7};
    struct world w;
    open_world(&w);
    for (int p = 0; p < GSIM_PIPE_COUNT; p++)
        for (size_t i = 0; i < sizeof used / sizeof *used; i++) {
            struct gsim_kernel k = kernel_of(400, 256, 50, (enum gsim_pipe)p, used[i]);
            CHECK_NEAR(work_of(&w, &k).solo_ps, 50e6, 0.01 * 50e6);
        }
    close_world(&w);
}

/* Blocks of 198 KiB stand alone on their SMs. An H100 of GPCs of 18, 18, 16 (5), 8 and four times 2 SMs holds 66
 * clusters of 2 at once, 30 of 4, 15 of 8 and 7 of 16; one more takes a second wave. */
static void clusters(void)
{
    static const struct {
        uint32_t blocks, most;
    } cases[] = {{1, 132}, {2, 66}, {4, 30}, {8, 15}, {16, 7}};
    struct world w;
    open_world(&w);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint32_t more = 0; more < 2; more++) {
            struct gsim_kernel k = {.name = "k",
                                    .block = {128, 1, 1},
                                    .smem_bytes = 198 * 1024,
                                    .thread_cycles = 2e5,
                                    .demand_given = true};
            k.grid = (struct gsim_dim3){cases[i].blocks * (cases[i].most + more), 1, 1};
            k.cluster = (struct gsim_dim3){cases[i].blocks, 1, 1};
            struct gsim_demand work = work_of(&w, &k);
            CHECK_NEAR(work.solo_ps / work.block_ps, 1 + more, 0.01);
        }
    close_world(&w);
}

/* A GPC of two SMs, one of which a block of 198 KiB holds for 1,000 us: a cluster of two blocks of 300 us waits for it,
 * though the other SM has room for both. */
static void own_sms(void)
{
    for (uint32_t blocks = 1; blocks <= 2; blocks++) {
    struct world w;
    open_world(&w);
    w.device.sm_count = 2;
    w.device.gpcs[0] = 2;
    w.device.gpcs[1] = 0;
    build_gpu(&w);
    const double clocks = w.device.clock_mhz;
    struct gsim_kernel first = {.name = "first",
                                .grid = {1, 1, 1},
                                .block = {128, 1, 1},
                                .smem_bytes = 198 * 1024,
                                .thread_cycles = 1000 * clocks,
                                .demand_given = true};
    struct gsim_kernel pair = {.name = "pair",
                               .grid = {2, 1, 1},
                               .block = {128, 1, 1},
                               .smem_bytes = 64 * 1024,
                               .thread_cycles = 300 * clocks,
                               .demand_given = true};
    pair.cluster = (struct gsim_dim3){blocks, 1, 1};
    CHECK_NEAR(later_end(&w, &first, &pair), blocks == 1 ? 1000 : 1300, 5);
    close_world(&w);
    }
}

/* Four SMs, one of which a block holds for HELD us; beside it four blocks of 100 us, each an SM of its own: 10 us of
 * start and 3 tiles of 30 us. Three blocks find room. They share 10 of 12 tiles, 4, 3 and 3: one ends at 10 + 4 x 30,
 * two at 100; the fourth runs its two tiles behind these, until 160. At 50 us they are in their second tiles, and 4 are
 * in the queue: with the fourth's second one 5 for four blocks, two rounds behind the second, until 130. At 1 us 7 are
 * in the queue: two rounds behind the first, 100. 256 tiles of 90 / 64 us: 254 are 85, 85 and 84 of 1.40625, and two
 * behind 84. Of 6 tiles of 45 us there is no second one for the fourth block: 2, 2 and 1 for the three, and it begins
 * at 55; of 7 the three have 2 each, and it begins at 100; of 8 it has two. Without a queue each has its 100 us; of 6
 * tiles dealt out in turn the last two blocks have one each, 50 us, one behind the other. Clusters of two: one finds
 * room, the other takes 10 us less behind it. Where three SMs are held, one block has two of 6 tiles of 45 us, until
 * 100, and the others two, one and one behind it, until 280; of 5 each of these has one, until 235. Behind blocks of
 * 50 us on the three other SMs all are 50 us later. */
static void tiles(void)
{
    static const struct {
        enum gsim_tile_order order;
        uint32_t tiles, cluster, sms; /* that are held */
        double held, wait, us;
    } rows[] = {{GSIM_TILES_DYNAMIC, 12, 1, 1, 1000, 0, 160},   {GSIM_TILES_DYNAMIC, 12, 1, 1, 50, 0, 130},
                {GSIM_TILES_DYNAMIC, 0, 1, 1, 1000, 0, 130.94}, {GSIM_TILES_STATIC, 12, 1, 1, 1000, 0, 200},
                {GSIM_TILES_NONE, 0, 1, 1, 1000, 0, 200},       {GSIM_TILES_NONE, 0, 2, 1, 1000, 0, 190},
                {GSIM_TILES_DYNAMIC, 12, 1, 1, 1, 0, 100},      {GSIM_TILES_STATIC, 6, 1, 1, 1000, 0, 100},
                {GSIM_TILES_DYNAMIC, 6, 1, 1, 1000, 0, 100},    {GSIM_TILES_DYNAMIC, 7, 1, 1, 1000, 0, 145},
                {GSIM_TILES_DYNAMIC, 8, 1, 1, 1000, 0, 190},    {GSIM_TILES_DYNAMIC, 6, 1, 3, 1000, 0, 280},
                {GSIM_TILES_DYNAMIC, 5, 1, 3, 1000, 0, 235},    {GSIM_TILES_DYNAMIC, 12, 1, 1, 1000, 50, 210},
                {GSIM_TILES_DYNAMIC, 12, 1, 1, 100, 50, 180}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct world w;
        open_world(&w);
        w.device.sm_count = 4;
        w.device.gpcs[0] = 4;
        w.device.gpcs[1] = 0;
        w.device.first_wave_us = 10;
        build_gpu(&w);
        struct gsim_kernel first = {
            .name = "first", .grid = {rows[i].sms, 1, 1}, .block = {128, 1, 1}, .smem_bytes = 198 * 1024};
        first.thread_cycles = rows[i].held * w.device.clock_mhz;
        first.demand_given = true;
        struct gsim_kernel other = first;
        other.grid.x = 4 - rows[i].sms;
        other.thread_cycles = rows[i].wait * w.device.clock_mhz;
        struct gsim_kernel k = {.name = "k",
                                .grid = {4, 1, 1},
                                .block = {128, 1, 1},
                                .smem_bytes = 198 * 1024,
                                .solo_us = 100,
                                .tiles = rows[i].tiles,
                                .tile_order = rows[i].order,
                                .cluster = {rows[i].cluster, 1, 1}};
        struct gsim_demand a = work_of(&w, &first), b = work_of(&w, &k), c = work_of(&w, &other);
        CHECK(gsim_gpu_submit(w.gpu, 0, &a, 0, (void *)1));
        if (rows[i].wait > 0) CHECK(gsim_gpu_submit(w.gpu, 0, &c, 0, (void *)3));
        CHECK(gsim_gpu_submit(w.gpu, 0, &b, 0, (void *)2));
        run(&w);
        CHECK_MSG(fabs(w.end[1] * 1e-6 - rows[i].us) < 1.5, "row %zu: %.2f us, expected %.2f", i, w.end[1] * 1e-6,
                  rows[i].us);
        close_world(&w);
    }
}

/* As above, one SM held for 50 us. An urgent kernel of 20 us that waits besides has the SM until 70, before the fourth
 * block. That one runs its two tiles until 130, and so long takes the one of the three that has the last of ten tiles
 * behind its third. A kernel as urgent waits behind the fourth block: of 5 tiles that are left the three take one each
 * until 100, the fourth one until 110, one of the three the last until 130. So it has an SM from 100 on. */
static void urgent_beside_tiles(void)
{
    for (int priority = -1; priority <= 0; priority++) {
        struct world w;
        open_world(&w);
        w.device.sm_count = 4;
        w.device.gpcs[0] = 4;
        w.device.gpcs[1] = 0;
        w.device.first_wave_us = 10;
        build_gpu(&w);
        struct gsim_kernel first = {.name = "first",
                                    .grid = {1, 1, 1},
                                    .block = {128, 1, 1},
                                    .smem_bytes = 198 * 1024,
                                    .thread_cycles = 50 * w.device.clock_mhz,
                                    .demand_given = true},
                           other = first, k = {.name = "k",
                                               .grid = {4, 1, 1},
                                               .block = {128, 1, 1},
                                               .smem_bytes = 198 * 1024,
                                               .solo_us = 100,
                                               .tiles = 12,
                                               .tile_order = GSIM_TILES_DYNAMIC};
        other.thread_cycles = 20 * w.device.clock_mhz;
        struct gsim_demand a = work_of(&w, &first), b = work_of(&w, &k), c = work_of(&w, &other);
        CHECK(gsim_gpu_submit(w.gpu, 0, &a, 0, (void *)1));
        CHECK(gsim_gpu_submit(w.gpu, 0, &b, 0, (void *)2));
        CHECK(gsim_gpu_submit(w.gpu, 0, &c, priority, (void *)1));
        run(&w);
        CHECK_NEAR(gsim_time_us(w.end[0]), priority ? 70 : 120, 1.5);
        CHECK_NEAR(gsim_time_us(w.end[1]), 130, 1.5);
        close_world(&w);
    }
}

/* Alone 6 blocks on 4 SMs take the kernel's time, whichever of them have one of 9 tiles more: four and then two of them
 * are placed. */
static void tiles_of_two(void)
{
    struct world w;
    struct gsim_kernel k = {.name = "k",
                            .grid = {6, 1, 1},
                            .block = {128, 1, 1},
                            .smem_bytes = 100 * 1024,
                            .solo_us = 100,
                            .tiles = 9,
                            .tile_order = GSIM_TILES_DYNAMIC};
    open_world(&w);
    w.device.sm_count = 4;
    w.device.gpcs[0] = 4;
    w.device.gpcs[1] = 0;
    build_gpu(&w);
    struct gsim_demand d = work_of(&w, &k);
    CHECK(gsim_gpu_submit(w.gpu, 0, &d, 0, (void *)1));
    CHECK_INT(gsim_gpu_load(w.gpu).blocks, 6);
    CHECK_INT(gsim_gpu_load(w.gpu).busy_sms, 4);
    run(&w);
    CHECK_NEAR(gsim_time_us(w.end[0]), 100, 0.1);
    close_world(&w);
}

/* Half of the SMs are held, so that two blocks of 100 us stand on each of the others. With p of fma each, the other's
 * m = p and a wait s = p (4 / warps)^(1/2) they take T = (100 + m + ((100 - m)^2 + 4 s m)^(1/2)) / 2: of 4 warps
 * 130.9 us at p = 50, 185.1 at 90, 111.1 at 30; of 16 warps 158.8, but the pipe takes 180 for both. Another kernel's
 * block makes it wait as long as one of its own. */
static void packed(void)
{
    static const struct {
        uint32_t threads;
        double share, us;
    } rows[] = {{128, 0.5, 130.9}, {128, 0.9, 185.1}, {512, 0.9, 180}, {128, 0.3, 111.1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int parts = 1; parts <= 2; parts++) {
            struct world w;
            open_world(&w);
            struct gsim_kernel first = {
                .name = "first", .grid = {66, 1, 1}, .block = {128, 1, 1}, .smem_bytes = 198 * 1024};
            first.thread_cycles = 1000 * w.device.clock_mhz;
            first.demand_given = true;
            struct gsim_kernel k = kernel_of(132 / (uint32_t)parts, rows[i].threads, 100, GSIM_PIPE_FMA,
                                             rows[i].share / parts),
                               other = k;
            k.smem_bytes = other.smem_bytes = 40 * 1024;
            struct gsim_demand a = work_of(&w, &first), b = work_of(&w, &k), c = work_of(&w, &other);
            CHECK(gsim_gpu_submit(w.gpu, 0, &a, 0, (void *)1));
            CHECK(gsim_gpu_submit(w.gpu, 0, &b, 0, (void *)2));
            if (parts == 2) CHECK(gsim_gpu_submit(w.gpu, 0, &c, 0, (void *)2));
            run(&w);
            CHECK_MSG(fabs(gsim_time_us(w.end[1]) - rows[i].us) < 0.5, "row %zu, %d kernels: %.2f us, expected %.1f", i,
                      parts, gsim_time_us(w.end[1]), rows[i].us);
            close_world(&w);
        }
}

/* When a kernel of 100 us that keeps tensor cores busy for 0.9 of it ends, and OTHER beside it. IS_OFF: the rule. */
static void beside_tensor(const struct gsim_kernel *other, bool is_off, double us[2])
{
    struct gsim_kernel tensor = kernel_of(132, 128, 100, GSIM_PIPE_TENSOR, 0.9);
    struct world w;
    tensor.pipes[GSIM_PIPE_ISSUE] = 0.02;
    open_world(&w);
    if (is_off) w.device.rules_off |= 1ull << GSIM_RULE_TENSOR_HOLDS;
    later_end(&w, &tensor, other);
    for (int i = 0; i < 2; i++) us[i] = gsim_time_us(w.end[i]);
    close_world(&w);
}

/* It leaves a tenth of the time to what others issue. Who issues 0.3 of the time gets a third of its work done in
 * 100 us, and 67 us of it are left: 167 us, less the tensor instructions that wait for it. A second tensor kernel loses
 * nothing by that, nor does one of five blocks an SM by its own. */
static void held_back(void)
{
    const struct gsim_kernel other = kernel_of(132, 128, 100, GSIM_PIPE_ISSUE, 0.3);
    struct gsim_kernel light = kernel_of(132, 128, 100, GSIM_PIPE_TENSOR, 0.05),
                       many = kernel_of(660, 128, 100, GSIM_PIPE_TENSOR, 0.9);
    double on[2], off[2];
    beside_tensor(&other, false, on);
    beside_tensor(&other, true, off);
    CHECK_NEAR(off[1], 100, 1);
    CHECK_NEAR(on[1], 160, 10);
    CHECK_NEAR(on[0], 105, 5);
    light.pipes[GSIM_PIPE_ISSUE] = 0.02;
    beside_tensor(&light, false, on);
    beside_tensor(&light, true, off);
    CHECK_NEAR(on[0], off[0], 3);
    CHECK_NEAR(on[1], off[1], 3);
    many.pipes[GSIM_PIPE_ISSUE] = 0.3;
    struct world w;
    open_world(&w);
    struct gsim_demand work = work_of(&w, &many);
    CHECK(gsim_gpu_submit(w.gpu, 0, &work, 0, (void *)1));
    run(&w);
    CHECK_NEAR(gsim_time_us(w.end[0]), 100, 0.1);
    close_world(&w);
}

/* Sleep of 409.6 us in 132 blocks of 1,024 threads and a copy of 512 MiB by 264 of 512, together on an H100: 409.9 and
 * 373.3 us, alone the copy takes 388.1 (traces/h100/contend). Told to load at random, the sleep would slow the copy. */
static void waiting(void)
{
    struct gsim_kernel sleep = {.name = "sleep", .grid = {132, 1, 1}, .block = {1024, 1, 1}, .solo_us = 409.6},
                       copy = {.name = "copy", .grid = {264, 1, 1}, .block = {512, 1, 1}, .solo_us = 388.1};
    sleep.waits = true;
    copy.dram_bytes = 1.07e9;
    copy.demand_given = true;
    struct world w;
    open_world(&w);
    later_end(&w, &sleep, &copy);
    CHECK_NEAR(gsim_time_us(w.end[0]), 409.6, 0.5);
    CHECK_NEAR(gsim_time_us(w.end[1]), 388.1, 4);
    close_world(&w);
}

/* Without GPCs in the device's file all SMs are one; clusters that no GPC has SMs for are refused. */
static void clusters_elsewhere(void)
{
    struct gsim_demand work;
    struct gsim_error error = {0};
    struct world w;
    open_world(&w);
    struct gsim_kernel k = {.name = "k",
                            .grid = {64, 1, 1},
                            .block = {128, 1, 1},
                            .thread_cycles = 2e5,
                            .demand_given = true,
                            .cluster = {32, 1, 1}};
    CHECK_INT(gsim_demand_init(&work, &w.device, &k, &error), GSIM_INPUT);
    w.device.gpcs[0] = 0;
    CHECK_INT(gsim_demand_init(&work, &w.device, &k, &error), GSIM_OK);
    close_world(&w);
}

/* Behind others that displace its data a kernel takes its time with empty caches; else the time that it was measured
 * at. */
static void cold(void)
{
    struct world w;
    open_world(&w);
    struct gsim_kernel small = kernel_of(132, 128, 10, GSIM_PIPE_L2, 0.5),
                       stream = kernel_of(1320, 256, 200, GSIM_PIPE_DRAM, 0.8);
    small.cold_us = 15;
    struct gsim_demand demands[2] = {work_of(&w, &small), work_of(&w, &stream)};
    gsim_demands_share_l2(demands, 2, &w.device);
    CHECK_NEAR(demands[0].cold, 1.5, 1e-9);
    gsim_demands_share_l2(demands, 1, &w.device);
    CHECK_NEAR(demands[0].cold, 1, 0);
    close_world(&w);
}

static const struct test_case tests[] = {
    {"pipes", pipes}, {"L1", l1},
    {"L2", l2},
    {"alone", alone},
    {"cold", cold},
    {"clusters", clusters},
    {"an SM for each block of a cluster", own_sms},
    {"clusters elsewhere", clusters_elsewhere},
    {"tiles", tiles},
    {"tiles of two blocks on an SM", tiles_of_two},
    {"urgent beside tiles", urgent_beside_tiles},
    {"packed", packed},
    {"waiting", waiting},
    {"held back", held_back},
};
TEST_MAIN("sim/sm/known/known", tests)
