/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Resident kernels. A diamond, a (10 us), then b (4) and c (6), then d (2), by two workers in every mode, computed by
 * hand: the launch call takes 2 us and the kernel starts at 3. And random graphs in every mode: each op once, none
 * before what it follows has ended.
 */
#include <gsl/gsl_rng.h>

#include "tests/sim/machine_fixture.h"

static struct gsim_persistent plan;
static const uint32_t diamond_start[] = {0, 0, 1, 2, 4}, diamond_after[] = {0, 0, 1, 2},
                      chain_start[] = {0, 0, 1, 2, 3}, chain_after[] = {0, 1, 2};

static struct gsim_device_spec costly_device(void)
{
    struct gsim_device_spec d = fixture_device();
    d.handoff_us = d.host_flag_up_us = d.host_flag_down_us = 1;
    d.handoff_fence_us = d.task_update_us = d.scheduler_push_us = d.host_fetch_us = 0.5;
    d.task_take_us = d.task_fetch_us = d.task_push_us = d.host_post_us = 0.25;
    d.task_check_us = d.board_retire_us = d.board_place_us = 0.125;
    d.board_update_us = 0.0625;
    d.grid_barrier_us = 2;
    return d;
}

static enum gsim_status launch_plan(struct gsim_run *run, struct gsim_error *error)
{
    const struct gsim_op *ops[64];
    (void)error;
    for (uint32_t i = 0; i < plan.op_count; i++) ops[i] = OP(run, i);
    plan.ops = ops;
    gsim_iteration_begin(run->driver, 0);
    gsim_stream stream = gsim_stream_create(run->driver, 0);
    gsim_persistent_launch(run->driver, &plan, stream);
    gsim_stream_synchronize(run->driver, stream);
    gsim_iteration_end(run->driver, 0);
    return GSIM_OK;
}

static void run_diamond(struct fixture *f, enum gsim_persistent_mode mode)
{
    const struct gsim_kernel k[4] = {fixture_kernel("a", 1, 256, 10), fixture_kernel("b", 1, 256, 4),
                                     fixture_kernel("c", 1, 256, 6), fixture_kernel("d", 1, 256, 2)};
    struct gsim_device_spec device = f->device;
    *f = (struct fixture){.device = device, .memory = GSIM_MEMORY_PINNED};
    plan.op_count = 4;
    plan.mode = mode;
    plan.workers = 2;
    if (!plan.after_start) {
        plan.after_start = diamond_start;
        plan.after = diamond_after;
    }
    fixture_program(f, k, 4, NULL, 0);
    fixture_run(f, launch_plan);
}

/* Of the diamond. */
static void check_times(const struct fixture *f, const double starts[4], double end)
{
    static const double us[4] = {10, 4, 6, 2};
    for (uint32_t i = 0; i < 4; i++) CHECK_KERNEL(f, i, starts[i], starts[i] + us[i]);
    CHECK_INT(f->timeline.resident_count, 1);
    if (f->timeline.resident_count == 1) CHECK_NEAR(gsim_time_us(f->timeline.residents[0].end), end, 1e-5);
    CHECK_NEAR(f->end_us, end + 2, 1e-5);
}

static struct fixture fresh(void)
{
    plan = (struct gsim_persistent){.copilot = {.fetch_us = -1, .post_us = -1}};
    return (struct fixture){.device = costly_device()};
}

/* Take and fetch to 3.5; a ends 13.5, is announced 14, seen 15. c's worker has it at 14.5. b ends 19, seen 20.5; c 21,
 * seen 22.5, d's worker is at its flag since 20.625. The end is 0.5 behind d's. */
static void preset_lists(void)
{
    struct fixture f = fresh();
    run_diamond(&f, GSIM_PERSISTENT_STATIC);
    check_times(&f, (const double[]){3.5, 15, 15, 22.5}, 25);
    fixture_release(&f);
}

/* The idle worker waits 11.5 for a; then one of two is idle from b's end at 19 to d's start at 22.5, and after d; ready
 * and not running: a 3 to 3.5, b and c 13.5 to 15, d 21 to 22.5. */
static void idle_time(void)
{
    struct fixture f = fresh();
    run_diamond(&f, GSIM_PERSISTENT_STATIC);
    const struct gsim_resident_record *r = f.timeline.residents;
    CHECK_NEAR(r->busy_us, 22, 1e-5);
    CHECK_NEAR(r->late_us, 0.5 + 2 * 1.5 + 1.5, 1e-5);
    CHECK_NEAR(r->late_makespan_us, 0.5 + 1.5 + 1.5, 1e-5);
    CHECK_NEAR(r->limited_us, 2 * 22 - 22 - 5, 1e-5);
    CHECK_INT(r->workers, 2);
    CHECK_INT(r->tasks, 4);
    CHECK_STR(r->mode, "static");
    fixture_release(&f);
}

/* As lists, but one atomic on the counter every 0.25: a is claimed at 3.25, b at 3.5, c at 14.5, d at 20. */
static void claims(void)
{
    struct fixture f = fresh();
    f.device.word_atomic_ns = 250;
    run_diamond(&f, GSIM_PERSISTENT_CLAIM);
    check_times(&f, (const double[]){3.75, 15.25, 15.25, 22.75}, 25.25);
    fixture_release(&f);
}

/* Barriers at 13.5 and 22, each 2 us; nobody polls or announces anything. */
static void barriers(void)
{
    struct fixture f = fresh();
    run_diamond(&f, GSIM_PERSISTENT_BARRIER);
    check_times(&f, (const double[]){3.5, 16, 16, 24.5}, 28.5);
    fixture_release(&f);
}

/* Tickets at 3.25. a is announced 14, b's counter updated 14.5, pushed 14.75, there 15.75; c's 15.25, pushed 15.5,
 * there 16.5, for a ticket of 15.75. b updates d's at 21 and waits with a ticket of 21.25; c does at 23.75, pushes at
 * 24, there 25. */
static void queue(void)
{
    struct fixture f = fresh();
    run_diamond(&f, GSIM_PERSISTENT_QUEUE);
    check_times(&f, (const double[]){3.5, 16, 16.75, 25.25}, 27.75);
    fixture_release(&f);
}

/* Two scheduler warps for two workers: a pushed 3.5, there 4.5. b: updated 15.75, at the warp 16.75, pushed 17.25,
 * there 18.25; c: 16.25, 17.25, 17.75, 18.75; d: 26, 27, 27.5, 28.5. */
static void scheduler_warps(void)
{
    struct fixture f = fresh();
    plan.reserved_sms = 1;
    run_diamond(&f, GSIM_PERSISTENT_SCHED_WARPS);
    check_times(&f, (const double[]){4.75, 18.5, 19, 28.75}, 31.25);
    fixture_release(&f);
    f = fresh();
    plan.reserved_sms = 1;
    plan.is_ahead = true; /* as lists */
    run_diamond(&f, GSIM_PERSISTENT_SCHED_WARPS);
    check_times(&f, (const double[]){3.5, 15, 15, 22.5}, 25);
    fixture_release(&f);
}

/* a placed 3.125, there 4.125, fetched 4.625. Its end is seen 15.875, retired 16, b and c known ready 16.125,
 * placed 16.25 and 16.375. b's is seen 23, c's 25.125: d ready 25.3125, placed 25.4375. */
static void host_thread(void)
{
    struct fixture f = fresh();
    run_diamond(&f, GSIM_PERSISTENT_COPILOT);
    check_times(&f, (const double[]){4.625, 17.75, 17.875, 26.9375}, 30.1875);
    fixture_release(&f);
}

/* b and c become visible together, at 17.375. */
static void batches(void)
{
    struct fixture f = fresh();
    plan.copilot.batch = 16;
    run_diamond(&f, GSIM_PERSISTENT_COPILOT);
    check_times(&f, (const double[]){4.625, 17.875, 17.875, 26.9375}, 30.1875);
    fixture_release(&f);
}

/* All is placed at 3.5: b and d on the second worker, c behind a. a's end is announced 15.125, seen 16.125 on both; b's
 * seen 21.625, c's 23.625. Guesses that are all wrong: three placements of 0.125 each make nothing visible, and d is
 * placed as without. */
static void ahead(void)
{
    struct fixture f = fresh();
    plan.copilot.depth = 2;
    plan.copilot.speculates = true;
    plan.copilot.guess = 1;
    run_diamond(&f, GSIM_PERSISTENT_COPILOT);
    check_times(&f, (const double[]){4.625, 16.125, 16.125, 23.625}, 26.875);
    fixture_release(&f);
    f = fresh();
    plan.copilot.speculates = true;
    run_diamond(&f, GSIM_PERSISTENT_COPILOT);
    CHECK_KERNEL(&f, 1, 17.75, 21.75);
    fixture_release(&f);
}

/* A chain: each task begins 0.25 (post) and 0.125 (check) behind the one before, on its worker. */
static void bypass(void)
{
    struct fixture f = fresh();
    plan.copilot.bypasses = true;
    plan.after_start = chain_start;
    plan.after = chain_after;
    run_diamond(&f, GSIM_PERSISTENT_COPILOT);
    check_times(&f, (const double[]){4.625, 15, 19.375, 25.75}, 29);
    fixture_release(&f);
}

/* --- workers, order, launches --- */

static enum gsim_status simulate(struct fixture *f, enum gsim_status (*execute)(struct gsim_run *, struct gsim_error *))
{
    struct gsim_scheduler_ops scheduler = {
        .abi = GSIM_ABI, .size = sizeof scheduler, .name = "fixture", .execute = execute};
    struct gsim_simulation s = {.program = &f->program,
                                .device = &f->device,
                                .scheduler = &scheduler,
                                .memory = f->memory,
                                .seed = 1,
                                .observer = f->observer,
                                .gpu = {.check = true}};
    return gsim_simulate(&s, &f->timeline, &f->error);
}

static void order(void)
{
    static const uint32_t wrong[] = {0, 2, 3, 1}, twice[] = {0, 1, 1, 3};
    const struct gsim_kernel k[4] = {fixture_kernel("a", 1, 256, 10), fixture_kernel("b", 1, 256, 4),
                                     fixture_kernel("c", 1, 256, 6), fixture_kernel("d", 1, 256, 2)};
    struct fixture f = fresh();
    fixture_program(&f, k, 4, NULL, 0);
    plan.op_count = 4;
    plan.after_start = diamond_start;
    plan.after = diamond_after;
    plan.order = wrong;
    CHECK_INT(simulate(&f, launch_plan), GSIM_INPUT);
    CHECK_HAS(f.error.message,
              "the preset order has ops[3] before ops[1], which it follows: its worker would wait for ever");
    gsim_timeline_release(&f.timeline);
    plan.order = twice;
    CHECK_INT(simulate(&f, launch_plan), GSIM_INPUT);
    CHECK_HAS(f.error.message, "the preset order has entry 2 twice or beyond its 4 ops");
    fixture_release(&f);
}

/* Blocks of 512 threads: four on an SM with 2,048; the fifth has no room. Eight workers do eight blocks at once. */
static void workers(void)
{
    const struct gsim_kernel k = fixture_kernel("wide", 16, 512, 10);
    static const uint32_t none[] = {0, 0};
    struct fixture f = fresh();
    fixture_program(&f, &k, 1, NULL, 0);
    plan.op_count = 1;
    plan.after_start = none;
    plan.workers = 17;
    CHECK_INT(simulate(&f, launch_plan), GSIM_INPUT);
    CHECK_HAS(f.error.message, "17 workers on 4 SMs are 5 on one, and registers and shared memory allow 4");
    gsim_timeline_release(&f.timeline);
    for (uint32_t count = 4; count <= 16; count *= 2) {
        plan.workers = count;
        f.error = (struct gsim_error){0};
        fixture_run(&f, launch_plan);
        uint32_t rounds = 16 / count; /* each with take and fetch, and between two the fence */
        CHECK_KERNEL(&f, 0, 3.5, 3 + rounds * 10.5 + (rounds - 1) * 0.5);
        gsim_timeline_release(&f.timeline);
    }
    gsim_program_release(&f.program);
}

/* 288 items by four blocks of 32 threads, in 12 us alone: the first has three rounds, the others two. */
static void unequal_blocks(void)
{
    struct gsim_kernel k = fixture_kernel("unequal", 4, 32, 0);
    static const uint32_t none[] = {0, 0};
    struct fixture f = fresh();
    k.solo_us = 12;
    k.loop_x = 288;
    fixture_program(&f, &k, 1, NULL, 0);
    plan.op_count = 1;
    plan.after_start = none;
    plan.workers = 4;
    fixture_run(&f, launch_plan);
    CHECK_NEAR(gsim_time_us(f.timeline.kernels[0].end), 3.5 + 12, 1e-3);
    CHECK_NEAR(f.timeline.residents[0].busy_us, 12 + 3 * 8, 1e-3);
    fixture_release(&f);
}

/* The same op again and again. */
ITERATION(launch_many)
{
    enum { MANY = 20000 };
    static uint32_t starts[MANY + 1];
    static const struct gsim_op *ops[MANY];
    for (uint32_t i = 0; i < MANY; i++) ops[i] = OP(run, 0);
    plan.ops = ops;
    plan.op_count = MANY;
    plan.after_start = starts;
    gsim_persistent_launch(d, &plan, 0);
}

/* 2^32 blocks are 0 in 32 bits; 128 workers have up to 2,048 tasks of an op. */
static void too_many(void)
{
    static const uint32_t none[] = {0, 0};
    struct gsim_kernel k = fixture_kernel("big", 131072, 32, 10);
    struct fixture f = fresh();
    k.grid.y = 32768;
    fixture_program(&f, &k, 1, NULL, 0);
    plan.op_count = 1;
    plan.after_start = none;
    CHECK_INT(simulate(&f, launch_plan), GSIM_INPUT);
    CHECK_HAS(f.error.message, "persistent kernel: ops[0] has 4294967296 blocks: expected 4294967295 at most");
    fixture_release(&f);
    f = (struct fixture){.device = f.device};
    k = fixture_kernel("wide", 1u << 20, 32, 10);
    fixture_program(&f, &k, 1, NULL, 0);
    plan.workers = 128;
    CHECK_INT(simulate(&f, launch_many), GSIM_INPUT);
    CHECK_HAS(f.error.message, "first 16385 ops are more than 33554432 tasks for 128 workers");
    fixture_release(&f);
}

ITERATION(launch_in_two_streams)
{
    static const struct gsim_op *ops[1]; /* read after this returns */
    ops[0] = OP(run, 0);
    plan.ops = ops;
    gsim_stream streams[2] = {gsim_stream_create(d, 0), gsim_stream_create(d, 0)};
    for (int i = 0; i < 2; i++) gsim_persistent_launch(d, &plan, streams[i]);
}

/* The first ends at 14; the second, which arrived at 5, starts then. */
static void two_launches(void)
{
    const struct gsim_kernel k = fixture_kernel("one", 1, 256, 10);
    static const uint32_t none[] = {0, 0};
    struct fixture f = fresh();
    fixture_program(&f, &k, 1, NULL, 0);
    plan.op_count = 1;
    plan.after_start = none;
    fixture_run(&f, launch_in_two_streams);
    CHECK_INT(f.timeline.kernel_count, 2);
    CHECK_NEAR(gsim_time_us(f.timeline.kernels[0].start), 3.5, 1e-5);
    CHECK_NEAR(gsim_time_us(f.timeline.kernels[1].start), 14.5, 1e-5);
    fixture_release(&f);
}

/* --- random graphs --- */

struct graph {
    struct gsim_kernel kernels[40];
    uint32_t count, start[41], after[40 * 4], order[40];
};

static uint32_t pick(gsl_rng *rng, uint32_t count) { return (uint32_t)gsl_rng_uniform_int(rng, count); }

static void draw_graph(gsl_rng *rng, struct graph *g)
{
    uint32_t edges = 0;
    g->count = 2 + pick(rng, 38);
    for (uint32_t i = 0; i < g->count; i++) {
        g->kernels[i] =
            fixture_kernel("k", 1 + pick(rng, 12) * pick(rng, 2), 32 << pick(rng, 4), 0.5 + 10 * gsl_rng_uniform(rng));
        g->kernels[i].smem_bytes = 1024 * pick(rng, 20);
        if (pick(rng, 4) == 0) g->kernels[i].dram_bytes = 1e4 * pick(rng, 100);
        g->start[i] = edges;
        for (uint32_t p = 0; p < i && edges < g->start[i] + 4; p++)
            if (pick(rng, i) < 2) g->after[edges++] = p;
    }
    g->start[g->count] = edges;
    /* Some topological order: of those whose predecessors are in it, any. */
    bool placed[40] = {false};
    for (uint32_t n = 0; n < g->count;) {
        uint32_t i = pick(rng, g->count);
        bool may = !placed[i];
        for (uint32_t e = g->start[i]; e < g->start[i + 1]; e++) may &= placed[g->after[e]];
        if (!may) continue;
        placed[i] = true;
        g->order[n++] = i;
    }
}

static void draw_plan(gsl_rng *rng, const struct graph *g, enum gsim_persistent_mode mode)
{
    plan = (struct gsim_persistent){.op_count = g->count,
                                    .after_start = g->start,
                                    .after = g->after,
                                    .order = pick(rng, 3) ? g->order : NULL,
                                    .mode = mode,
                                    .workers = pick(rng, 3) * pick(rng, 4),
                                    .reserved_sms = 1 + pick(rng, 2),
                                    .is_ahead = pick(rng, 3) == 0,
                                    .copilot = {.threads = pick(rng, 4),
                                                .depth = pick(rng, 5),
                                                .batch = pick(rng, 2) * pick(rng, 20),
                                                .batch_us = 0.5 * pick(rng, 3),
                                                .fetch_us = -1,
                                                .post_us = -1,
                                                .is_global = pick(rng, 2),
                                                .speculates = pick(rng, 2),
                                                .guess = 0.25 * pick(rng, 5),
                                                .bypasses = pick(rng, 2)}};
}

static void count_blocks(void *data, const struct gsim_block_record *record)
{
    for (uint32_t sm = 0; sm < GSIM_BLOCK_SMS; sm++)
        *(uint64_t *)data += record->sms[sm / 64] >> sm % 64 & 1 ? record->blocks : 0;
}

static void judge(const struct fixture *f, const struct graph *g, uint64_t blocks_seen)
{
    uint64_t blocks = 0;
    CHECK_INT(f->timeline.kernel_count, g->count);
    for (uint32_t i = 0; i < g->count; i++) {
        const struct gsim_kernel_record *its = fixture_record(f, i, 0);
        blocks += g->kernels[i].grid.x;
        CHECK_MSG(its->start >= 0 && its->ready <= its->start && its->start < its->end, "op %u ran", i);
        for (uint32_t e = g->start[i]; e < g->start[i + 1]; e++)
            CHECK_MSG(fixture_record(f, g->after[e], 0)->end <= its->ready, "op %u began before %u ended", i,
                      g->after[e]);
    }
    CHECK_MSG(blocks == blocks_seen, "%llu blocks of %llu", (unsigned long long)blocks_seen,
              (unsigned long long)blocks);
    const struct gsim_resident_record *r = f->timeline.residents;
    if (f->timeline.resident_count == 1)
        CHECK_NEAR(r->busy_us + r->late_us + r->limited_us, gsim_time_us(r->end - r->start) * r->workers, 1e-3);
}

static void random_graphs(void)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 36);
    for (int round = 0; round < 60; round++) {
        struct graph g;
        draw_graph(rng, &g);
        for (int mode = 0; mode < GSIM_PERSISTENT_MODES; mode++) {
            uint64_t blocks = 0;
            const struct gsim_observer observer = {.data = &blocks, .on_blocks = count_blocks};
            struct fixture f = fresh();
            if (round % 2) f.device.board_poll_us = 0.01;
            f.observer = &observer;
            fixture_program(&f, g.kernels, g.count, NULL, 0);
            draw_plan(rng, &g, (enum gsim_persistent_mode)mode);
            enum gsim_status status = simulate(&f, launch_plan);
            CHECK_MSG(status == GSIM_OK, "round %d, %s: %s", round,
                      gsim_persistent_mode_name((enum gsim_persistent_mode)mode), f.error.message);
            if (status == GSIM_OK) judge(&f, &g, blocks);
            fixture_release(&f);
        }
    }
    gsl_rng_free(rng);
}

static const struct test_case cases[] = {
    {"preset lists", preset_lists},
    {"idle time: scheduler late, graph limited", idle_time},
    {"claims from a counter", claims},
    {"barriers", barriers},
    {"a queue", queue},
    {"scheduler warps", scheduler_warps},
    {"a host thread", host_thread},
    {"batch commit", batches},
    {"placed ahead", ahead},
    {"past the host", bypass},
    {"an order that is none", order},
    {"room for workers", workers},
    {"unequal blocks", unequal_blocks},
    {"too many blocks, too many tasks", too_many},
    {"two launches", two_launches},
    {"random graphs in every mode", random_graphs},
};

TEST_MAIN("sim/resident", cases)
