/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks against a second simulator, written from docs/model/collectives.md: random programs of kernels and
 * collectives in two streams of up to four ranks. Each stream's ops follow one another; a collective moves data once it
 * has begun on all ranks of its group, at the rate of the busiest GPU's link, and ends on all of them at once. What it
 * takes at a rate is test_collective.c's. */
#include "gpusim/random.h"
#include "gpusim/scenario.h"
#include "sim/collective/plan.h"
#include "tests/contract/laws.h"
#include "tests/sim/machine_fixture.h"

enum { RANKS = 4, OPS = 24, STREAMS = 2, RUNS = 64 };

/* Of one rank's op. */
struct step {
    double us;    /* of a kernel; of a collective 0 */
    int run;      /* the collective's */
    double start; /* below 0: has not */
};
/* Of all ranks: a collective. Communicator 0 is of all, 1 of the first two. */
struct meeting {
    struct gsim_collective what;
    uint32_t communicator, members;
    double begun, end, left, us;
    bool is_over;
};

static struct step steps[RANKS][OPS];
static int streams[RANKS][OPS];
static uint32_t counts[RANKS], ranks;
static struct meeting meetings[RUNS];
static int meeting_count;
static struct gsim_nccl nccl;
static struct gsim_device_spec device;

static uint32_t draw(const struct gsim_random *r, uint32_t below) { return gsim_random_integer(r, below); }

/* All collectives of a communicator are in one stream, in one order: none waits for ever. */
static void draw_program(uint64_t seed)
{
    struct gsim_random r;
    struct gsim_error error;
    CHECK_OK(gsim_random_init(&r, seed, &error), error);
    ranks = 2 + draw(&r, RANKS - 1);
    meeting_count = 0;
    memset(counts, 0, sizeof counts);
    for (int n = 3 + (int)draw(&r, 6); n--;) {
        struct meeting *m = &meetings[meeting_count];
        static const enum gsim_collective_kind kinds[] = {GSIM_COLLECTIVE_ALL_REDUCE, GSIM_COLLECTIVE_ALL_GATHER,
                                                          GSIM_COLLECTIVE_BROADCAST};
        static const uint32_t pair[] = {0, 1};
        uint32_t communicator = draw(&r, 2);
        *m = (struct meeting){.communicator = communicator, .members = communicator ? 2 : ranks, .begun = -1};
        m->what = (struct gsim_collective){.kind = kinds[draw(&r, 3)],
                                           .bytes = 16384 * (1 + draw(&r, 200)),
                                           .protocol = GSIM_PROTOCOL_SIMPLE,
                                           .algorithm = GSIM_ALGORITHM_RING,
                                           .channels = 1 + draw(&r, 2),
                                           .communicator = communicator,
                                           .group = communicator ? pair : NULL,
                                           .group_count = communicator ? 2 : 0};
        for (uint32_t k = 0; k < ranks; k++) {
            for (uint32_t i = draw(&r, 3) + !meeting_count; i-- && counts[k] < OPS - 1 - (uint32_t)n;) {
                streams[k][counts[k]] = (int)draw(&r, STREAMS);
                steps[k][counts[k]++] = (struct step){1.003 + 0.771 * draw(&r, 60) + 0.017 * k, -1, -1};
            }
            if (k >= m->members) continue;
            streams[k][counts[k]] = (int)communicator;
            steps[k][counts[k]++] = (struct step){0, meeting_count, -1};
        }
        meeting_count++;
    }
    gsim_random_release(&r);
}

/* --- the second simulator -------------------------------------------------------------------------------------------
 */

/* Starts what may: ops whose stream is there and who know when the one before ended. True: something did. */
static bool streams_go_on(void)
{
    bool has_changed = false;
    for (uint32_t k = 0; k < ranks; k++) {
        for (int s = 0; s < STREAMS; s++) {
            double free_at = 0;
            for (uint32_t i = 0; i < counts[k]; i++) {
                struct step *step = &steps[k][i];
                double arrival = (i + 1) * device.launch_us + device.launch_to_start_us;
                if (streams[k][i] != s) continue;
                if (step->start < 0) step->start = fmax(arrival, free_at), has_changed = true;
                if (step->run >= 0 && !meetings[step->run].is_over) break; /* those behind it wait */
                free_at = (step->run >= 0 ? meetings[step->run].end : step->start + step->us) + device.stream_gap_us;
            }
        }
    }
    return has_changed;
}

static double when_all_came(int m)
{
    double last = 0;
    uint32_t came = 0;
    for (uint32_t k = 0; k < ranks; k++)
        for (uint32_t i = 0; i < counts[k]; i++)
            if (steps[k][i].run == m && steps[k][i].start >= 0) last = fmax(last, steps[k][i].start), came++;
    return came == meetings[m].members ? last : INFINITY;
}

static bool moves(const struct meeting *m) { return m->begun >= 0 && !m->is_over; }

/* The time of M when it has its share of the busiest link: of those that move on one of its GPUs. */
static double us_of(const struct meeting *m)
{
    uint32_t most = 1;
    for (uint32_t k = 0; k < m->members; k++) {
        uint32_t there = 0;
        for (int i = 0; i < meeting_count; i++) there += moves(&meetings[i]) && k < meetings[i].members;
        if (there > most) most = there;
    }
    struct gsim_collective_links links = {.gpu_gbps = device.peer_gbps, .has_nvlink = true, .world = ranks};
    struct gsim_collective_plan plan = gsim_collective_plan(&nccl, &m->what, m->members, &links);
    struct gsim_collective_conditions now = {device.peer_gbps * nccl.link_share / most, 0, 1, 1};
    return gsim_collective_us(&nccl, &plan, &now);
}

static void simulate(void)
{
    for (double now = 0, next; streams_go_on(), now < INFINITY; now = next) {
        next = INFINITY;
        for (int i = 0; i < meeting_count; i++) {
            struct meeting *m = &meetings[i];
            double came = when_all_came(i);
            if (m->begun < 0 && came <= now) m->begun = now, m->left = 1;
            else if (m->begun < 0) next = fmin(next, came);
        }
        for (int i = 0; i < meeting_count; i++) {
            struct meeting *m = &meetings[i];
            if (!moves(m)) continue;
            double us = us_of(m);
            if (fabs(us - m->us) > 0.002 * m->us) m->us = us; /* less is no change */
            next = fmin(next, now + m->left * m->us);
        }
        for (int i = 0; i < meeting_count; i++) {
            struct meeting *m = &meetings[i];
            if (!moves(m)) continue;
            m->left -= (next - now) / m->us;
            if (m->left < 1e-9) m->is_over = true, m->end = next;
        }
    }
}

/* --- the machine ----------------------------------------------------------------------------------------------------
 */

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    gsim_stream s[STREAMS];
    gsim_iteration_begin(run->driver, 0);
    for (int i = 0; i < STREAMS; i++) s[i] = gsim_stream_create(run->driver, 0);
    for (uint32_t i = 0; i < run->program->op_count; i++)
        gsim_launch(run->driver, OP(run, i), s[run->program->ops[i].stream]);
    gsim_device_synchronize(run->driver);
    gsim_iteration_end(run->driver, 0);
    return GSIM_OK;
}

static void make_program(uint32_t rank, struct gsim_program *p)
{
    struct gsim_builder *b = gsim_builder_create("rank");
    struct gsim_error error;
    for (uint32_t i = 0; i < counts[rank]; i++) {
        const struct step *step = &steps[rank][i];
        struct gsim_kernel kernel = fixture_kernel("k", 2, 64, step->us);
        uint32_t index =
            step->run < 0 ? gsim_builder_kernel(b, &kernel) : gsim_builder_collective(b, &meetings[step->run].what);
        gsim_builder_op(b,
                        &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = index, .stream = streams[rank][i]});
    }
    CHECK_OK(gsim_builder_finish(b, 1, p, &error), error);
}

/* Whether each rank's collectives begin and end when the second simulator has them. */
static bool agrees(const struct gsim_timeline *t, uint64_t seed)
{
    size_t found = 0, all = 0;
    for (uint32_t k = 0; k < ranks; k++) {
        for (int c = 0; c < 2; c++) {
            for (uint32_t i = 0; i < counts[k]; i++) {
                const struct meeting *m = &meetings[steps[k][i].run < 0 ? 0 : steps[k][i].run];
                if (steps[k][i].run < 0 || m->communicator != (uint32_t)c) continue;
                all++;
                for (size_t n = 0; n < t->collective_count; n++) {
                    const struct gsim_collective_record *r = &t->collectives[n];
                    bool is_it = r->task == k && fabs(gsim_time_us(r->start) - steps[k][i].start) < 0.02;
                    if (!is_it || r->bytes != m->what.bytes) continue;
                    bool is_right = fabs(gsim_time_us(r->begun) - m->begun) < 0.02 &&
                                    fabs(gsim_time_us(r->end) - m->end) < 0.02 && r->ranks == m->members;
                    found += is_right;
                    if (is_right) break;
                }
            }
        }
    }
    CHECK_MSG(found == all && all == t->collective_count,
              "seed %lu: %zu of %zu collectives as by brute force, %zu in all", (unsigned long)seed, found, all,
              t->collective_count);
    return found == all;
}

static void random_ranks(void)
{
    uint64_t count = test_is_full() ? 5000 : 600, good = 0, seed = 0;
    struct gsim_error error = {0};
    device = fixture_device();
    device.peer_gbps = 61, device.dram_gbps = device.dram_peak_gbps = 1e6, device.stream_gap_us = 1.13;
    device.block_turnaround_ns = 1, device.launch_us = 2.03, device.launch_to_start_us = 0.83;
    for (int i = 0; i < 3; i++) device.carveout_plain_kib[i] = 100;
    CHECK_OK(gsim_nccl_load(&nccl, &device, &error), error);
    static const struct gsim_scheduler_ops scheduler = {GSIM_HEAD(scheduler), .name = "fixture", .execute = execute};
    for (; seed < count && good + 3 > seed; seed++) {
        struct gsim_program programs[RANKS] = {0};
        struct gsim_client clients[RANKS] = {{0}};
        struct gsim_ranks links = {.gpu_gbps = 0};
        struct gsim_timeline t = {0};
        draw_program(seed);
        simulate();
        for (uint32_t k = 0; k < ranks; k++) {
            make_program(k, &programs[k]);
            clients[k] = (struct gsim_client){
                .rank = k, .copies = 1, .device = k, .program = &programs[k], .scheduler = &scheduler};
        }
        struct gsim_scenario s = {.simulation = {.program = &programs[0],
                                                 .device = &device,
                                                 .scheduler = &scheduler,
                                                 .memory = GSIM_MEMORY_PINNED,
                                                 .seed = 1}};
        CHECK_OK(gsim_scenario_join(&s, clients, ranks, &links, 1, &error), error);
        CHECK_OK(gsim_simulate(&s.simulation, &t, &error), error);
        good += agrees(&t, seed);
        if (seed < 100) laws_of_energy(&t, &device, "ranks"), laws_of_tasks(&t, s.set, "ranks");
        gsim_timeline_release(&t);
        gsim_scenario_release(&s);
        for (uint32_t k = 0; k < ranks; k++) gsim_program_release(&programs[k]);
    }
    CHECK_INT((int)good, (int)count);
}

static const struct test_case cases[] = {{"random ranks", random_ranks}};
TEST_MAIN("contract/brute_ranks", cases)
