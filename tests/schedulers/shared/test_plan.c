/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the plan builder makes of given streams: waits at each pruning level, events per edge or per
 * predecessor, what host ops synchronise, by hand; and the executor's order of calls.
 */
#include "gpusim/schedulers/plan.h"

#include "tests/schedulers/check.h"
#include "tests/schedulers/programs.h"

struct fixture {
    struct gsim_program program;
    struct gsim_arena arena;
    struct gsim_lowering lowering;
    struct gsim_dag dag;
    struct gsim_run run;
    struct gsim_plan plan;
};

static void plan_up(struct fixture *f, const char *const *lines, const uint32_t *streams,
                    struct gsim_plan_choice choice)
{
    struct gsim_error error = {0};
    memset(f, 0, sizeof(*f));
    program_write(lines, GSIM_INIT_NONE, &f->program);
    f->run = (struct gsim_run){.program = &f->program, .iterations = 1, .arena = &f->arena};
    CHECK_OK(gsim_moves_lower(&f->run, GSIM_MOVES_AT_USE, &f->lowering, &error), error);
    CHECK_OK(gsim_dag_build(&f->run, &f->lowering.first, &f->dag, &error), error);
    choice.list = &f->lowering.first;
    choice.dag = &f->dag;
    choice.stream_of = streams;
    CHECK_OK(gsim_plan_build(&f->run, &choice, &f->plan, &error), error);
}

static void plan_down(struct fixture *f)
{
    gsim_dag_release(&f->dag);
    gsim_arena_release(&f->arena);
    gsim_program_release(&f->program);
}

static uint32_t waits(const struct gsim_plan *plan, uint32_t step)
{
    return plan->wait_start[step + 1] - plan->wait_start[step];
}
static uint32_t syncs(const struct gsim_plan *plan, uint32_t step)
{
    return plan->sync_start[step + 1] - plan->sync_start[step];
}

/* Stream 0: a, b. Stream 1: c after both. Stream 2: d after a and c. Stream 1 again: e after b.
 *   none: c waits for a and b, d for a and c, e for b: 5.  latest: c for b alone (a is before it): 4.
 *   clock: d's wait for c implies a; e is in c's stream, which has seen b: 2. */
static void test_prune(void)
{
    static const char *const lines[] = {"a: > x", "b: > y", "c: x y > z", "d: x z > w", "e: y > v", NULL};
    static const uint32_t streams[] = {0, 0, 1, 2, 1};
    static const uint32_t per_level[3][5] = {{0, 0, 2, 2, 1}, {0, 0, 1, 2, 1}, {0, 0, 1, 1, 0}};
    static const uint32_t edges[] = {5, 4, 2},
                          preds[] = {3, 3, 2}; /* events: one per edge, or per predecessor waited for */
    for (int level = 0; level < 3; level++)
        for (int per_edge = 0; per_edge < 2; per_edge++) {
            struct fixture f;
            plan_up(&f, lines, streams,
                    (struct gsim_plan_choice){
                        .stream_count = 3, .prune = (enum gsim_plan_prune)level, .event_per_edge = per_edge});
            for (uint32_t step = 0; step < 5; step++)
                CHECK_MSG(waits(&f.plan, step) == per_level[level][step], "level %d: step %u has %u waits", level, step,
                          waits(&f.plan, step));
            CHECK_INT(f.plan.event_count, per_edge ? edges[level] : preds[level]);
            CHECK_INT(f.plan.record_start[5], f.plan.event_count); /* every event is recorded once */
            CHECK(f.plan.final_sync);
            plan_down(&f);
        }
}

/* The host reads z: that takes c's stream alone, and tells it that a and b, which c waited for, are done too:
 * d then needs neither an event nor, at the end, a synchronisation beyond its own. */
static void test_host(void)
{
    static const char *const lines[] = {"a: > x", "b: > y", "c: x y > z", "?z", "?x", "d: x > w", "?w", NULL};
    static const uint32_t streams[] = {0, 1, 2, 0, 0, 1, 0};
    struct fixture f;
    plan_up(&f, lines, streams, (struct gsim_plan_choice){.stream_count = 3, .prune = GSIM_PRUNE_LATEST});
    CHECK_INT(waits(&f.plan, 2), 2);
    CHECK_INT(syncs(&f.plan, 3), 1);
    CHECK_INT(f.plan.syncs[f.plan.sync_start[3]], 2);
    CHECK_INT(syncs(&f.plan, 4), 0);
    CHECK_INT(waits(&f.plan, 5), 0);
    CHECK_INT(syncs(&f.plan, 6), 1);
    CHECK_INT(f.plan.syncs[f.plan.sync_start[6]], 1);
    CHECK(!f.plan.final_sync);
    CHECK_INT(f.plan.streams[3], GSIM_PLAN_HOST);
    plan_down(&f);
    plan_up(&f, lines, streams,
            (struct gsim_plan_choice){.stream_count = 3, .prune = GSIM_PRUNE_LATEST, .device_syncs = true});
    CHECK_INT(syncs(&f.plan, 3), 1);
    CHECK_INT(f.plan.syncs[f.plan.sync_start[3]], GSIM_PLAN_DEVICE);
    plan_down(&f);
}

/* Two iterations: streams and events once, or the events anew in each; waits and records as planned. */
static void test_execute(void)
{
    static const char *const lines[] = {"a: > x", "b: > y", "c: x y > z", "?z", NULL};
    static const uint32_t streams[] = {0, 1, 1, 0};
    for (int anew = 0; anew < 2; anew++) {
        struct fixture f;
        struct gsim_error error = {0};
        struct recorder *r = rec_create();
        plan_up(&f, lines, streams, (struct gsim_plan_choice){.stream_count = 2, .prune = GSIM_PRUNE_LATEST});
        f.program.ops[1].priority = -1; /* the first op of stream 1 */
        struct gsim_plan_style style = {.first = &f.plan,
                                        .steady = &f.plan,
                                        .stream_count = 3,
                                        .has_op_priorities = true,
                                        .events_each_iteration = anew};
        f.run.driver = &r->driver;
        f.run.iterations = 2;
        CHECK_OK(gsim_plan_execute(&f.run, &style, &error), error);
        CHECK_INT(r->stream_count - 1, 3);
        CHECK_INT(r->streams[2].priority, -1);
        CHECK_INT(r->event_creates, anew ? 2 : 1);
        CHECK_INT(r->records, 2);
        CHECK_INT(r->waits, 2);
        CHECK_INT(r->syncs, 2);
        CHECK_INT(r->device_syncs, 0);
        CHECK_INT(r->item_count, 8);
        struct trial t = {.program = &f.program, .iterations = 2};
        CHECK_STR(check_record(&t, r).text, "");
        rec_destroy(r);
        plan_down(&f);
    }
}

/* Each pair of four GPUs is opened once, from either side, and none to itself; of one GPU none. */
static uint32_t gpus, current_gpu;
static bool opened[4][4];
static uint32_t count_gpus(struct gsim_driver *d)
{
    (void)d;
    return gpus;
}
static void set_gpu(struct gsim_driver *d, uint32_t gpu)
{
    (void)d;
    current_gpu = gpu;
}
static void open_peer(struct gsim_driver *d, uint32_t peer)
{
    (void)d;
    CHECK(peer < gpus && peer != current_gpu && !opened[current_gpu][peer] && !opened[peer][current_gpu]);
    opened[current_gpu][peer % 4] = true;
}

static void test_peers(void)
{
    for (gpus = 1; gpus <= 4; gpus += 3) {
        uint32_t count = 0;
        struct recorder *r = rec_create();
        struct gsim_driver_ops ops = *r->driver.ops;
        ops.device_count = count_gpus, ops.device_set = set_gpu, ops.peer_enable = open_peer;
        r->driver.ops = &ops;
        gsim_peers_enable(&r->driver);
        for (int i = 0; i < 16; i++) count += opened[i / 4][i % 4];
        CHECK_INT(count, gpus == 4 ? 6 : 0);
        CHECK_INT(current_gpu, 0);
        rec_destroy(r);
    }
}

static const struct test_case cases[] = {
    {"peers", test_peers},
    {"waits at each pruning level", test_prune},
    {"what host ops synchronise", test_host},
    {"the executor's calls", test_execute},
};

TEST_MAIN("schedulers/plan", cases)
