/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engine alone: its clock, transfers that share links with ends computed by hand (bytes over the share of the
 * bandwidth), host threads that take turns, and many runs in one process that all come out the same.
 */
#include "sim/platform/engine.h"
#include "sim/memory/links.h"
#include "tests/sim/machine_fixture.h"

#define MB 1000000

/* One run: what its threads see and leave behind. */
struct world {
    struct gsim_engine *engine;
    struct gsim_actor *first, *second;
    gsim_time end[4]; /* by tag */
    gsim_time last_clock;
    uint32_t ended;
    char order[16];
};

/* Devices of the fixture's kind, each with links of its own. */
#define GPUS 8

static void run_with_latency(struct world *w, void (*body)(void *), double h2d_latency_us)
{
    static const double none[GPUS];
    struct gsim_device_spec device = fixture_device();
    device.h2d_latency_us += h2d_latency_us;
    const struct gsim_own_links own = gsim_links_access(&device);
    const struct gsim_own_links *access[GPUS];
    const struct gsim_device_facts *facts[GPUS] = {NULL};
    struct gsim_node *node = gsim_node_create_plain(GPUS, none, none);
    struct gsim_arena arena = {0};
    struct gsim_platform platform;
    struct gsim_error error = {0};
    for (int i = 0; i < GPUS; i++) access[i] = &own;
    CHECK(node && gsim_platform_init(&platform, node, GPUS, access, facts, &arena));
    CHECK_OK(gsim_engine_run(&platform, body, w, &w->engine, &error), error);
    CHECK(w->engine == NULL);
    gsim_arena_release(&arena);
    gsim_node_release(node);
}

static void run(struct world *w, void (*body)(void *)) { run_with_latency(w, body, 0); }

/* The host is place 0, GPU G place 1 + G. */
static struct gsim_leg up(enum gsim_move move, uint32_t gpu) { return (struct gsim_leg){move, 0, 1 + gpu}; }
static struct gsim_leg down(enum gsim_move move, uint32_t gpu) { return (struct gsim_leg){move, 1 + gpu, 0}; }

static void start(struct world *w, gsim_time at, struct gsim_leg leg, uint64_t bytes, int tag)
{
    gsim_engine_transfer(w->engine, at, &leg, bytes, &w->end[tag]);
}

/* Until the clock is at UNTIL or no transfer is left. */
static void drain(struct world *w, gsim_time until)
{
    for (;;) {
        gsim_time when;
        gsim_time *end;
        while ((end = gsim_engine_ended(w->engine, &when)) != NULL) {
            *end = when;
            w->ended++;
            CHECK_MSG(when <= gsim_engine_clock(w->engine) + 10, "ended at %.6f us, clock %.6f us", gsim_time_us(when),
                      gsim_time_us(gsim_engine_clock(w->engine)));
        }
        w->last_clock = gsim_engine_clock(w->engine);
        if (!gsim_engine_transfers_in_flight(w->engine) || w->last_clock + 10 >= until) return;
        gsim_engine_wait(w->engine, until);
    }
}

/* 1 MB at 10 GB/s is 100 us; one started at 300 us ends at 400 though nothing happened before. */
static void alone_body(void *argument)
{
    struct world *w = argument;
    CHECK_INT(gsim_engine_clock(w->engine), 0);
    start(w, 0, up(GSIM_MOVE_PINNED, 0), MB, 0);
    CHECK_INT(gsim_engine_transfers_in_flight(w->engine), 1);
    drain(w, GSIM_TIME_NEVER);
    CHECK_INT(gsim_engine_transfers_in_flight(w->engine), 0);
    start(w, gsim_time_from_us(300), down(GSIM_MOVE_PINNED, 0), MB, 1);
    drain(w, GSIM_TIME_NEVER);
    CHECK_INT(gsim_engine_calls(w->engine), 0); /* no SimGrid */
    gsim_engine_finish(w->engine);
}

static void alone(void)
{
    struct world w = {0};
    run(&w, alone_body);
    CHECK_NEAR(gsim_time_us(w.end[0]), 100, 1e-5);
    CHECK_NEAR(gsim_time_us(w.end[1]), 400, 1e-5);
    CHECK_INT(w.ended, 2);
}

static void one_link_body(void *argument)
{
    struct world *w = argument;
    start(w, 0, up(GSIM_MOVE_PINNED, 0), MB, 0);
    drain(w, gsim_time_from_us(50));
    CHECK_NEAR(gsim_time_us(w->last_clock), 50, 1e-4);
    CHECK_INT(w->ended, 0);
    start(w, gsim_time_from_us(50), up(GSIM_MOVE_PINNED, 0), MB, 1);
    drain(w, GSIM_TIME_NEVER);
    gsim_engine_finish(w->engine);
}

/* The second comes when the first has 500 kB to go: both at 5 GB/s, 100 us for those; then the second's last
 * 500 kB at 10 GB/s. */
static void two_share_a_link(void)
{
    struct world w = {0};
    run(&w, one_link_body);
    CHECK_NEAR(gsim_time_us(w.end[0]), 150, 1e-4);
    CHECK_NEAR(gsim_time_us(w.end[1]), 200, 1e-4);
}

/* 20 us of latency, during which faults take 5 of the direction's 10 GB/s. */
static void reserved_early_body(void *argument)
{
    struct world *w = argument;
    start(w, 0, up(GSIM_MOVE_PINNED, 0), MB, 0);
    drain(w, gsim_time_from_us(10));
    gsim_engine_reserve(w->engine, 0, 5, 0);
    drain(w, GSIM_TIME_NEVER);
    gsim_engine_finish(w->engine);
}

static void link_changes_during_latency(void)
{
    struct world w = {0};
    run_with_latency(&w, reserved_early_body, 20);
    CHECK_INT(w.ended, 1);
    CHECK_NEAR(gsim_time_us(w.end[0]), 220, 1e-4);
}

static void bus_body(void *argument)
{
    struct world *w = argument;
    start(w, 0, up(GSIM_MOVE_PINNED, 0), MB, 0);
    start(w, 0, down(GSIM_MOVE_PINNED, 0), 2 * MB, 1);
    drain(w, GSIM_TIME_NEVER);
    gsim_engine_finish(w->engine);
}

/* 15 GB/s for both directions: 7.5 each, 1 MB in 133.33 us; then the other's second MB at its link's 10. */
static void two_share_the_bus(void)
{
    struct world w = {0};
    run(&w, bus_body);
    CHECK_NEAR(gsim_time_us(w.end[0]), 133.333, 1e-3);
    CHECK_NEAR(gsim_time_us(w.end[1]), 233.333, 1e-3);
}

/* A start-up of 2 us in one direction delays its bytes and leaves the shares as they are: the other's 20 kB at its
 * link's 10 GB/s meanwhile, 7.5 each from then on, 135.333 us for the first; then the second's last 980 kB at 10. */
static void latency_leaves_the_shares(void)
{
    struct world w = {0};
    run_with_latency(&w, bus_body, 2);
    CHECK_NEAR(gsim_time_us(w.end[0]), 135.333, 1e-2);
    CHECK_NEAR(gsim_time_us(w.end[1]), 233.333, 0.01);
}

/* From the host to GPU 1 and GPU 7: each has a link of its own. From GPU 1 to GPU 2 beside a copy from the host to GPU
 * 1: opposite directions of its link, 2 MB and 1 MB. */
static void gpus_body(void *argument)
{
    struct world *w = argument;
    for (uint32_t i = 0; i < 2; i++) start(w, 0, up(GSIM_MOVE_PINNED, 1 + 6 * i), MB, (int)i);
    drain(w, GSIM_TIME_NEVER);
    gsim_time now = w->last_clock;
    start(w, now, (struct gsim_leg){GSIM_MOVE_PINNED, 1 + 1, 1 + 2}, 2 * MB, 2);
    start(w, now, up(GSIM_MOVE_PINNED, 1), MB, 3);
    drain(w, GSIM_TIME_NEVER);
    gsim_engine_finish(w->engine);
}

static void several_gpus(void)
{
    struct world w = {0};
    run(&w, gpus_body);
    CHECK_NEAR(gsim_time_us(w.end[0]), 100, 1e-3);
    CHECK_NEAR(gsim_time_us(w.end[1]), 100, 1e-3);
    CHECK_NEAR(gsim_time_us(w.end[2] - w.end[0]), 200, 2e-3);
    CHECK_NEAR(gsim_time_us(w.end[3] - w.end[0]), 100, 2e-3);
}

static void faults_body(void *argument)
{
    struct world *w = argument;
    start(w, 0, down(GSIM_MOVE_FAULT, 0), MB, 0);
    drain(w, GSIM_TIME_NEVER);
    start(w, w->last_clock, up(GSIM_MOVE_BULK, 0), MB, 1);
    drain(w, GSIM_TIME_NEVER);
    gsim_engine_reserve(w->engine, 0, 4, 0); /* faults take 4 of 10 GB/s: 6 are left */
    start(w, w->last_clock, up(GSIM_MOVE_BULK, 0), MB, 2);
    drain(w, GSIM_TIME_NEVER);
    gsim_engine_reserve(w->engine, 0, 0, 0);
    start(w, w->last_clock, up(GSIM_MOVE_PINNED, 0), MB, 3);
    drain(w, GSIM_TIME_NEVER);
    gsim_engine_finish(w->engine);
}

/* The host's faults: 40 us and the rate of a scan, 2 MB in 524.288 + 6 x 40 us (1 MB in 364.440); a prefetch has
 * 8 GB/s (125 us), 6 beside kernels that fault at 4 (166.667), and a copy has 10 again afterwards. */
static void managed_routes(void)
{
    struct world w = {0};
    run(&w, faults_body);
    CHECK_NEAR(gsim_time_us(w.end[0]), 404.440, 1e-3);
    CHECK_NEAR(gsim_time_us(w.end[1] - w.end[0]), 125, 2e-3);
    CHECK_NEAR(gsim_time_us(w.end[2] - w.end[1]), 166.667, 2e-3);
    CHECK_NEAR(gsim_time_us(w.end[3] - w.end[2]), 100, 2e-3);
}

static void note(struct world *w, char letter)
{
    size_t length = strlen(w->order);
    w->order[length] = letter;
    w->order[length + 1] = '\0';
}

static void second_thread(void *argument)
{
    struct world *w = argument;
    CHECK(gsim_engine_self(w->engine) == w->second);
    note(w, 'b');
    gsim_engine_switch(w->engine, w->first);
    CHECK(gsim_engine_self(w->engine) == w->second);
    note(w, 'b');
    start(w, 0, up(GSIM_MOVE_PINNED, 0), MB, 0); /* any thread may */
    drain(w, GSIM_TIME_NEVER);
    gsim_engine_release(w->engine, w->first);
}

static void first_thread(void *argument)
{
    struct world *w = argument;
    w->first = gsim_engine_self(w->engine);
    w->second = gsim_engine_spawn(w->engine, second_thread, w);
    note(w, 'a'); /* the other does not run before the first switch */
    gsim_engine_switch(w->engine, w->first); /* to itself: nothing */
    note(w, 'a');
    gsim_engine_switch(w->engine, w->second);
    CHECK(gsim_engine_self(w->engine) == w->first);
    note(w, 'a');
    CHECK_INT(gsim_engine_clock(w->engine), 0); /* taking turns takes no time */
    gsim_engine_switch(w->engine, w->second);
    note(w, 'a');
    gsim_engine_finish(w->engine);
}

static void threads_take_turns(void)
{
    struct world w = {0};
    run(&w, first_thread);
    CHECK_STR(w.order, "aababa");
    CHECK_NEAR(gsim_time_us(w.end[0]), 100, 1e-5);
}

/* SimGrid's own clock goes on from run to run; ours begins at 0, with the same ends to the picosecond. */
static void many_runs_are_equal(void)
{
    struct world reference = {0};
    run(&reference, bus_body);
    for (int i = 0; i < 300; i++) {
        struct world w = {0};
        run(&w, i % 2 ? alone_body : one_link_body);
        w = (struct world){0};
        run(&w, bus_body);
        CHECK_MSG(w.end[0] == reference.end[0] && w.end[1] == reference.end[1], "run %d: %.6f and %.6f us", i,
                  gsim_time_us(w.end[0]), gsim_time_us(w.end[1]));
    }
}

/* --- with SimGrid and without ------------------------------------------------------------------------------ */

static void nothing(void *argument)
{
    struct world *w = argument;
    gsim_engine_release(w->engine, w->first);
}

/* From now on the run is SimGrid's. */
static void share(struct world *w)
{
    w->first = gsim_engine_self(w->engine);
    w->second = gsim_engine_spawn(w->engine, nothing, w);
    gsim_engine_switch(w->engine, w->second);
    CHECK(gsim_engine_calls(w->engine) > 0);
}

enum { DRAWN = 400 };

/* Transfers one after another: each before the next, or, where they meet, in the middle of it. */
struct drawn {
    struct world world; /* first: bodies take both */
    bool is_shared, meet;
    uint64_t state;
    uint32_t shared_from; /* the transfer at which SimGrid took over */
    gsim_time ends[DRAWN];
};

static uint64_t draw(struct drawn *d, uint64_t count)
{
    d->state = d->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (d->state >> 33) % count;
}

static void collect(struct drawn *d, gsim_time until)
{
    for (struct world *w = &d->world;;) {
        gsim_time when, *end;
        while ((end = gsim_engine_ended(w->engine, &when)) != NULL) *end = when;
        if (!gsim_engine_transfers_in_flight(w->engine) || gsim_engine_clock(w->engine) + 1000 >= until) return;
        gsim_engine_wait(w->engine, until);
    }
}

static void drawn_body(void *argument)
{
    struct drawn *d = argument;
    struct world *w = &d->world;
    gsim_time at = 0;
    if (d->is_shared) share(w);
    d->shared_from = DRAWN;
    for (uint32_t i = 0; i < DRAWN; i++) {
        static const struct {
            enum gsim_move move;
            bool is_up;
        } kinds[] = {{GSIM_MOVE_PINNED, true},    {GSIM_MOVE_PINNED, false}, {GSIM_MOVE_PAGEABLE, true},
                     {GSIM_MOVE_PAGEABLE, false}, {GSIM_MOVE_BULK, true},    {GSIM_MOVE_FAULT, false}};
        uint64_t kind = draw(d, sizeof kinds / sizeof kinds[0]);
        uint32_t gpu = (uint32_t)draw(d, 2);
        const struct gsim_leg leg = kinds[kind].is_up ? up(kinds[kind].move, gpu) : down(kinds[kind].move, gpu);
        uint64_t bytes = 1 + draw(d, 4 * MB);
        if (draw(d, 4) == 0) gsim_engine_reserve(w->engine, gpu, (double)draw(d, 8), (double)draw(d, 8));
        gsim_engine_transfer(w->engine, at, &leg, bytes, &d->ends[i]);
        if (d->shared_from == DRAWN && gsim_engine_calls(w->engine)) d->shared_from = i;
        collect(d, d->meet && i % 50 == 49 ? at + 1000 * (gsim_time)draw(d, 100000) : GSIM_TIME_NEVER);
        at = gsim_engine_clock(w->engine) + 1000 * (gsim_time)(d->meet ? 0 : draw(d, 50000));
    }
    collect(d, GSIM_TIME_NEVER);
    gsim_engine_finish(w->engine);
}

static void check_same(bool meet, uint32_t shared_from)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct drawn by_itself = {.meet = meet, .state = seed},
                     shared = {.meet = meet, .state = seed, .is_shared = true};
        run_with_latency(&by_itself.world, drawn_body, (double)(seed % 3));
        run_with_latency(&shared.world, drawn_body, (double)(seed % 3));
        CHECK_INT(by_itself.shared_from, shared_from);
        CHECK_INT(shared.shared_from, 0);
        for (uint32_t i = 0; i < DRAWN; i++)
            CHECK_MSG(by_itself.ends[i] == shared.ends[i] && shared.ends[i] > 0,
                      "seed %d, transfer %u: %.6f us alone, %.6f us by SimGrid", (int)seed, i,
                      gsim_time_us(by_itself.ends[i]), gsim_time_us(shared.ends[i]));
    }
}

static void alone_as_by_simgrid(void) { check_same(false, DRAWN); }
/* The 51st transfer begins while the 50th is in flight. */
static void simgrid_takes_over(void) { check_same(true, 50); }

static const struct test_case cases[] = {
    {"alone as by SimGrid", alone_as_by_simgrid},
    {"SimGrid takes over", simgrid_takes_over},
    {"latency leaves the shares", latency_leaves_the_shares},
    {"a transfer alone", alone},
    {"two share a link", two_share_a_link},
    {"a link changes during latency", link_changes_during_latency},
    {"two share the bus", two_share_the_bus},
    {"several GPUs", several_gpus},
    {"routes of managed memory", managed_routes},
    {"threads take turns", threads_take_turns},
    {"many runs are equal", many_runs_are_equal},
};
TEST_MAIN("sim/engine", cases)
