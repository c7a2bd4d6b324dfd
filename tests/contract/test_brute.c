/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine against the second simulator of brute.h: random hosts, and every scheduler on random programs. */
#include "gpusim/random.h"
#include "sim/device/rules.h"
#include "tests/schedulers/programs.h"
#include "tests/contract/brute.h"
#include "tests/sim/machine_fixture.h"

enum { KERNELS = 8, COPIES = 4 };
static unsigned long seed, undecided;
static int streams_of_host;

static uint32_t draw(const struct gsim_random *r, uint32_t below) { return gsim_random_integer(r, below); }

struct host {
    struct gsim_run *run;
    unsigned long seed;
    gsim_stream s[6];
    gsim_event e[8];
    gsim_graph_exec graphs[2];
    int first, streams, thread;
};

/* What one thread of a host calls. */
static void random_calls(struct gsim_driver *d, void *data)
{
    const struct host *h = data;
    struct gsim_random r;
    struct gsim_error error;
    CHECK_OK(gsim_random_init(&r, h->seed, &error), error);
    for (uint32_t n = 5 + draw(&r, 25); n--;) {
        gsim_stream to = h->s[h->first + (int)draw(&r, (uint32_t)(h->streams - h->first))];
        gsim_event e = h->e[draw(&r, 6)], own = h->e[2 * h->thread + draw(&r, 2)];
        switch (draw(&r, 16)) {
        default:
            gsim_launch(d, OP(h->run, draw(&r, KERNELS)), to);
            break;
        case 0:
        case 1:
        case 2:
            gsim_memcpy_async(d, OP(h->run, KERNELS + draw(&r, COPIES)), to);
            break;
        case 3:
        case 4:
            gsim_event_record(d, e, to);
            break;
        case 5:
        case 6:
            gsim_stream_wait_event(d, to, e);
            break;
        case 7:
            gsim_host_work(d, 0.37 + 3.1 * draw(&r, 7), "host");
            break;
        case 8:
            gsim_stream_synchronize(d, h->s[h->first + h->thread % (h->streams - h->first)]);
            break;
        case 9:
            gsim_event_synchronize(d, own);
            break;
        case 11:
            if (h->graphs[0]) gsim_graph_launch(d, h->graphs[draw(&r, 2)], to);
            break;
        case 10:
            (void)(draw(&r, 2) ? gsim_event_query(d, e) : gsim_stream_query(d, to));
            break;
        }
    }
    gsim_random_release(&r);
}

/* A graph that is built, each node behind some of the former, and one that is captured in two streams. */
static void make_graphs(struct gsim_driver *d, struct host *h, const struct gsim_random *r)
{
    gsim_graph_node after[12];
    gsim_graph graph = gsim_graph_create(d);
    for (uint32_t n = 0, count = 1 + draw(r, 10); n < count; n++) {
        uint32_t behind = 0;
        for (uint32_t i = 0; i < n; i++)
            if (!draw(r, 3)) after[behind++] = i;
        gsim_graph_add(d, graph, OP(h->run, draw(r, KERNELS + COPIES)), after, behind);
    }
    h->graphs[0] = gsim_graph_instantiate(d, graph);
    const gsim_stream *s = h->s + h->streams - 2;
    gsim_capture_begin(d, s[0]);
    for (uint32_t n = 2 + draw(r, 8); n--;) {
        if (!draw(r, 3)) gsim_event_record(d, h->e[6], s[0]), gsim_stream_wait_event(d, s[1], h->e[6]);
        gsim_launch(d, OP(h->run, draw(r, KERNELS)), s[0]);
        gsim_stream_wait_event(d, s[1], h->e[6]);
        gsim_memcpy_async(d, OP(h->run, KERNELS + draw(r, COPIES)), s[draw(r, 2)]);
        if (draw(r, 2)) gsim_launch(d, OP(h->run, draw(r, KERNELS)), s[1]);
        if (!draw(r, 3)) gsim_event_record(d, h->e[7], s[1]), gsim_stream_wait_event(d, s[0], h->e[7]);
    }
    gsim_event_record(d, h->e[7], s[1]), gsim_stream_wait_event(d, s[0], h->e[7]);
    h->graphs[1] = gsim_graph_instantiate(d, gsim_capture_end(d, s[0]));
}

/* One host in three has three threads, which share streams and events; each waits for a stream and two events of its
 * own, since of two that go on at once either may be first. */
ITERATION(random_host)
{
    struct gsim_random r;
    struct gsim_error error;
    struct host all[3] = {{.run = run, .streams = streams_of_host}};
    gsim_thread threads[2] = {0};
    CHECK_OK(gsim_random_init(&r, seed + 300000, &error), error);
    all[0].first = draw(&r, 3) ? 1 : 0; /* at times with the default stream */
    for (int i = all[0].first; i < streams_of_host; i++) all[0].s[i] = gsim_stream_create(d, -(int)draw(&r, 3));
    for (int i = 0; i < 8; i++)
        all[0].e[i] = gsim_event_create(d, i / 2 == 2 ? GSIM_EVENT_TIMING : GSIM_EVENT_NO_TIMING);
    if (seed % 5 < 3 && all[0].first + 2 <= streams_of_host) make_graphs(d, &all[0], &r);
    for (int i = 0; i < 3; i++) all[i] = all[0], all[i].thread = i, all[i].seed = seed + 400000 * (unsigned long)i;
    for (int i = 0; i < 2 && seed % 3 == 1; i++) {
        threads[i] = gsim_thread_create(d, random_calls, &all[i + 1]);
        gsim_host_work(d, 0.173, "behind it");
    }
    random_calls(d, &all[0]);
    for (int i = 0; i < 2; i++) {
        if (threads[i]) gsim_thread_join(d, threads[i]);
    }
    gsim_random_release(&r);
}

/* Unlike numbers all over, so that no two mistakes are alike. */
static struct gsim_device_spec brute_device(bool is_one_queue)
{
    struct gsim_device_spec d = fixture_device();
    d.stream_gap_us = 1.13, d.event_gap_us = 1.71, d.launch_to_start_us = 0.83, d.copy_gap_us = 0.59;
    d.copy_to_kernel_us = 0.41, d.kernel_to_copy_us = 0.67, d.copy_start_us = 0.29, d.copy_switch_us = 0.97;
    d.launch_us = 2.03, d.memcpy_us = 1.07, d.stream_wait_us = 0.53, d.query_us = 0.47, d.sync_return_us = 2.21;
    d.sync_idle_us = 1.19, d.h2d_gbps = 9.1, d.d2h_gbps = 11.3, d.bidirectional_gbps = 15.7, d.event_record_us = 0.61;
    d.graph_launch_us = 3.07, d.graph_launch_node_us = 0.07, d.graph_launch_copy_us = 0.19, d.graph_branch_us = 0.31;
    d.graph_cross_gap_us = 1.37, d.graph_node_gap_us = 0.51, d.graph_dispatch_us = 0.23, d.graph_add_edge_us = 0.03;
    d.thread_create_us = 4.37, d.hw_queues = is_one_queue ? 1 : BRUTE_QUEUES;
    for (int i = 0; i < 3; i++) d.carveout_plain_kib[i] = 100;
    d.rules_off = UINT64_C(1) << GSIM_RULE_WAVE_TAILS | UINT64_C(1)
                                                            << GSIM_RULE_DRAWN_ENDS; /* blocks take their time */
    return d;
}

static bool agrees(const struct gsim_timeline *t, const struct gsim_simulation *s, const char *what)
{
    char text[BRUTE_TEXT];
    brute_simulate(s->program, s->device);
    if (brute_agrees(t, text) || (brute_is_close() && ++undecided)) return true;
    CHECK_MSG(false, "%s, seed %lu: %s", what, seed, text);
    return false;
}

static void random_hosts(void)
{
    uint32_t good = 0, count = test_is_full() ? 5000 : 600;
    for (seed = 0; seed < count && good + 5 > seed; seed++) {
        bool is_one_queue = seed % 4 == 3;
        struct gsim_device_spec spec = brute_device(is_one_queue);
        struct fixture f = {.device = spec, .memory = GSIM_MEMORY_PINNED};
        struct gsim_random r;
        struct gsim_kernel k[KERNELS];
        struct gsim_op copies[COPIES];
        static const struct gsim_arg argument[1] = {{.buffer_index = 0, .reads = true}};
        CHECK_OK(gsim_random_init(&r, seed + 100000, &f.error), f.error);
        for (int i = 0; i < KERNELS; i++) {
            k[i] = fixture_kernel("k", 1 + draw(&r, 40), 32 * (1 + draw(&r, 32)),
                                  1.003 + 0.771 * draw(&r, 40) + 0.013 * i);
            k[i].regs_per_thread = 16 + draw(&r, 41);
        }
        for (int i = 0; i < COPIES; i++) {
            copies[i] = (struct gsim_op){.kind = GSIM_OP_COPY,
                                         .copy_kind = i % 2 ? GSIM_COPY_H2D : GSIM_COPY_D2H,
                                         .bytes = 1000 + draw(&r, 200000),
                                         .args = argument,
                                         .arg_count = 1,
                                         .stream = -1};
        }
        streams_of_host = 2 + (int)draw(&r, 4);
        gsim_random_release(&r);
        fixture_program(&f, k, KERNELS, copies, COPIES);
        struct gsim_scheduler_ops scheduler = {GSIM_HEAD(scheduler), .name = "fixture", .execute = random_host};
        struct gsim_simulation s = {.program = &f.program,
                                    .device = &spec,
                                    .scheduler = &scheduler,
                                    .memory = GSIM_MEMORY_PINNED,
                                    .seed = 1,
                                    .attach = brute_attach};
        CHECK_OK(gsim_simulate(&s, &f.timeline, &f.error), f.error);
        good += agrees(&f.timeline, &s, "a random host");
        fixture_release(&f);
    }
    CHECK_INT(good, count);
    CHECK_MSG(undecided <= count / 30, "%lu of %u programs were not judged", undecided, count);
}

/* --- every scheduler ---------------------------------------------------------------------------------------------- */

/* A random program whose kernels take their time whatever runs beside them. */
static void draw_program(struct gsim_program *p)
{
    struct gsim_random r;
    struct gsim_error error;
    program_random(seed, p);
    CHECK_OK(gsim_random_init(&r, seed + 200000, &error), error);
    for (uint32_t i = 0; i < p->kernel_count; i++) {
        struct gsim_kernel *k = (struct gsim_kernel *)&p->kernels[i];
        struct gsim_kernel drawn =
            fixture_kernel(k->name, 1 + draw(&r, 20), 32 * (1 + draw(&r, 32)), 1.003 + 0.771 * draw(&r, 40));
        *k = drawn;
    }
    gsim_random_release(&r);
}

static void all_schedulers(void)
{
    uint32_t programs = test_is_full() ? 400 : 40, all = 0;
    struct gsim_device_spec spec = brute_device(false);
    for (uint32_t i = 0; gsim_scheduler_at(i); i++) {
        uint32_t compared = 0;
        bool goes_on = true;
        for (seed = 0; seed < programs && goes_on; seed++) {
            struct gsim_program drawn = {0};
            draw_program(&drawn);
            struct gsim_simulation s = {.program = &drawn,
                                        .device = &spec,
                                        .scheduler = gsim_scheduler_at(i),
                                        .memory = GSIM_MEMORY_PINNED,
                                        .seed = 1,
                                        .iterations = 2,
                                        .attach = brute_attach};
            struct gsim_timeline t;
            struct gsim_error error = {0};
            CHECK_OK(gsim_simulate(&s, &t, &error), error);
            if (brute_sees_all()) {
                goes_on = agrees(&t, &s, gsim_scheduler_at(i)->name);
                compared++;
            }
            gsim_timeline_release(&t);
            gsim_program_release(&drawn);
        }
        all += compared == programs;
    }
    CHECK_INT(all, 9); /* serial, async, cudagraph, taskflow, grsched, kesco, heft, eager, dm */
}

static const struct test_case cases[] = {{"random hosts", random_hosts}, {"every scheduler", all_schedulers}};
TEST_MAIN("contract/brute", cases)
