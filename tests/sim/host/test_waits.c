/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waits for any of several things, host functions and gates, hand-computed on the device of machine_fixture.h: L =
 * launch call (2 us), then 1 us to the start; a round of polls takes 0.5 us for each event or stream and 0.1 for each
 * queue.
 */
#include "tests/sim/machine_fixture.h"

static double seen[8]; /* when the calls of a case returned */

static enum gsim_status finish(struct gsim_run *run)
{
    gsim_device_synchronize(run->driver);
    gsim_iteration_end(run->driver, 0);
    return GSIM_OK;
}

static void run_two(struct fixture *f, double first_us, double second_us,
                    enum gsim_status (*execute)(struct gsim_run *, struct gsim_error *))
{
    struct gsim_kernel k[2] = {fixture_kernel("a", 4, 256, first_us), fixture_kernel("b", 4, 256, second_us)};
    *f = (struct fixture){.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    fixture_program(f, k, 2, NULL, 0);
    fixture_run(f, execute);
}

static enum gsim_status wait_for_events(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    struct gsim_driver *d = run->driver;
    gsim_iteration_begin(d, 0);
    gsim_stream streams[2] = {gsim_stream_create(d, 0), gsim_stream_create(d, 0)};
    struct gsim_waitable events[2], idle = {GSIM_WAITABLE_STREAM, streams[0]};
    for (uint32_t i = 0; i < 2; i++) {
        events[i] = (struct gsim_waitable){GSIM_WAITABLE_EVENT, gsim_event_create(d, GSIM_EVENT_NO_TIMING)};
        CHECK_INT(gsim_wait_any(d, &events[i], 1, 0), 0); /* never recorded: complete. One round: 0.5 us */
        gsim_launch(d, OP(run, i), streams[i]);
        gsim_event_record(d, events[i].handle, streams[i]);
    }
    CHECK_INT(gsim_wait_any(d, events, 2, GSIM_NO_TIMEOUT), 1);
    seen[0] = gsim_now_us(d);
    CHECK_INT(gsim_wait_any(d, events, 1, 1), 1);
    seen[1] = gsim_now_us(d);
    CHECK_INT(gsim_wait_any(d, &idle, 1, 100), 0);
    seen[2] = gsim_now_us(d);
    CHECK_INT(gsim_wait_any(d, events, 2, GSIM_NO_TIMEOUT), 0); /* both: the first of the list */
    seen[3] = gsim_now_us(d);
    return finish(run);
}

/* A: poll 0-0.5, L 0.5-2.5, record to 2.75, 3.5-13.5. B: poll to 3.25, L to 5.25, record to 5.5, 6.25-10.25. Rounds of
 * 1 us from 5.5: that of 10.5 finds B, ends 11.5. Alone for A at most 1 us: rounds at 11.5 and 12. From 12.5 for A's
 * stream: the round of 13.5. */
static void events_and_deadlines(void)
{
    struct fixture f;
    run_two(&f, 10, 4, wait_for_events);
    CHECK_KERNEL(&f, 0, 3.5, 13.5);
    CHECK_KERNEL(&f, 1, 6.25, 10.25);
    CHECK_NEAR(seen[0], 11.5, 1e-5);
    CHECK_NEAR(seen[1], 12.5, 1e-5);
    CHECK_NEAR(seen[2], 14, 1e-5);
    CHECK_NEAR(seen[3], 15, 1e-5);
    fixture_release(&f);
}

static char pushed;

static void produce(struct gsim_driver *d, void *argument)
{
    gsim_host_work(d, 10, "produce");
    gsim_queue_push(d, *(gsim_queue *)argument, &pushed);
}

static enum gsim_status wait_for_queue(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    struct gsim_driver *d = run->driver;
    gsim_iteration_begin(d, 0);
    void *item = NULL;
    gsim_queue queue = gsim_queue_create(d, 2);
    gsim_event never = gsim_event_create(d, GSIM_EVENT_NO_TIMING);
    gsim_launch(d, OP(run, 0), 0);
    gsim_event_record(d, never, 0);
    gsim_thread thread = gsim_thread_create(d, produce, &queue);
    CHECK(!gsim_queue_try_pop(d, queue, &item));
    seen[0] = gsim_now_us(d);
    struct gsim_waitable both[2] = {{GSIM_WAITABLE_EVENT, never}, {GSIM_WAITABLE_QUEUE, queue}};
    CHECK_INT(gsim_wait_any(d, both, 2, 5), 2);
    seen[1] = gsim_now_us(d);
    CHECK_INT(gsim_wait_any(d, both, 2, GSIM_NO_TIMEOUT), 1);
    seen[2] = gsim_now_us(d);
    CHECK(gsim_queue_try_pop(d, queue, &item));
    CHECK(item == &pushed);
    CHECK(!gsim_queue_try_pop(d, queue, &item));
    seen[3] = gsim_now_us(d);
    gsim_thread_join(d, thread);
    return finish(run);
}

/* L 0-2, record to 2.25, the thread to 7.25. It works to 17.25 and has pushed at 17.35. First try to 7.35. Rounds of
 * 0.6 us: nine of them to 12.75, which is the first end 5 us later or more; then those at 12.75, ... 17.55, which finds
 * the item. */
static void queue_and_deadline(void)
{
    struct fixture f;
    run_two(&f, 100, 1, wait_for_queue);
    CHECK_NEAR(seen[0], 7.35, 1e-5);
    CHECK_NEAR(seen[1], 12.75, 1e-5);
    CHECK_NEAR(seen[2], 18.15, 1e-5);
    CHECK_NEAR(seen[3], 18.35, 1e-5);
    fixture_release(&f);
}

struct taker {
    gsim_queue queue, results;
};

static void take_items(struct gsim_driver *d, void *argument)
{
    const struct taker *taker = argument;
    struct gsim_waitable waits = {GSIM_WAITABLE_QUEUE, taker->queue};
    for (void *item; gsim_wait_any(d, &waits, 1, 50) == 0;)
        if (gsim_queue_try_pop(d, taker->queue, &item)) gsim_queue_push(d, taker->results, item);
}

static enum gsim_status share_a_queue(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    struct gsim_driver *d = run->driver;
    static int numbers[12];
    bool got[12] = {false};
    gsim_iteration_begin(d, 0);
    struct taker taker = {gsim_queue_create(d, 12), gsim_queue_create(d, 12)};
    gsim_thread threads[3];
    for (int i = 0; i < 3; i++) threads[i] = gsim_thread_create(d, take_items, &taker);
    for (int i = 0; i < 12; i++) {
        gsim_host_work(d, 1, "make");
        gsim_queue_push(d, taker.queue, &numbers[i]);
    }
    for (int i = 0; i < 3; i++) gsim_thread_join(d, threads[i]);
    for (void *item; gsim_queue_try_pop(d, taker.results, &item);) got[(int *)item - numbers] = true;
    for (int i = 0; i < 12; i++) CHECK_MSG(got[i], "item %d", i);
    return finish(run);
}

/* Three threads find the same item, one gets it, the others go on waiting; each item comes out once, and all end by
 * their deadline. */
static void several_wait_for_one(void)
{
    struct fixture f;
    run_two(&f, 1, 1, share_a_queue);
    CHECK(f.end_us > 50 && f.end_us < 100);
    fixture_release(&f);
}

static void work_on_host(struct gsim_driver *d, void *argument)
{
    seen[(size_t)argument] = gsim_now_us(d);
    gsim_host_work(d, 5, "host function");
}

static enum gsim_status call_host(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    struct gsim_driver *d = run->driver;
    gsim_iteration_begin(d, 0);
    gsim_stream a = gsim_stream_create(d, 0);
    gsim_launch(d, OP(run, 0), a);
    gsim_launch_host_func(d, work_on_host, (void *)0, a);
    gsim_launch(d, OP(run, 1), a);
    seen[2] = gsim_now_us(d);
    gsim_stream_synchronize(d, a);
    for (size_t i = 0; i < 5; i++) gsim_launch_host_func(d, work_on_host, (void *)1, a);
    return finish(run);
}

/* A: L 0-2, 3-13. The function's call 2-4: its turn comes at 14, the driver's thread has seen that at 16, works to 21.
 * B: L 4-6, one gap behind that: 22-26, the host at 28. Then five at once: calls 28-30, 30-32, ...; the first has its
 * turn at 31, is seen at 33 and done at 38; the next turn comes a gap later: 39-46, 47-54, 55-62, 63-70, and the host
 * has that at 72. */
static void host_functions(void)
{
    struct fixture f;
    run_two(&f, 10, 4, call_host);
    CHECK_KERNEL(&f, 0, 3, 13);
    CHECK_NEAR(seen[0], 16, 1e-5);
    CHECK_NEAR(seen[2], 6, 1e-5);
    CHECK_KERNEL(&f, 1, 22, 26);
    CHECK_NEAR(seen[1], 33 + 4 * 8, 1e-5);
    CHECK_NEAR(f.end_us, 72, 1e-5);
    fixture_release(&f);
}

static enum gsim_status hold_launches(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    struct gsim_driver *d = run->driver;
    gsim_iteration_begin(d, 0);
    gsim_stream a = gsim_stream_create(d, 0), b = gsim_stream_create(d, 0);
    gsim_stream_gate(d, a, 1);
    gsim_launch(d, OP(run, 0), a);
    gsim_launch(d, OP(run, 1), b);
    gsim_host_work(d, 10, "decide");
    CHECK(!gsim_stream_query(d, a));
    CHECK(gsim_stream_query(d, b));
    gsim_stream_open(d, a, 2);
    gsim_stream_gate(d, a, 2); /* open already */
    gsim_stream_synchronize(d, a);
    return finish(run);
}

/* Gate to 0.5, L of A to 2.5, of B to 4.5, 5.5-9.5. Work to 14.5, two queries to 15.5; the gate opens at 16.5:
 * A 16.5-26.5. */
static void gates(void)
{
    struct fixture f;
    run_two(&f, 10, 4, hold_launches);
    CHECK_KERNEL(&f, 1, 5.5, 9.5);
    CHECK_KERNEL(&f, 0, 16.5, 26.5);
    CHECK_NEAR(f.end_us, 29.5, 1e-5);
    fixture_release(&f);
}

static enum gsim_status hold_two(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    struct gsim_driver *d = run->driver;
    gsim_iteration_begin(d, 0);
    gsim_stream a = gsim_stream_create(d, 0), b = gsim_stream_create(d, 0);
    gsim_stream_gate(d, a, 1);
    gsim_launch(d, OP(run, 0), b);
    gsim_host_work(d, 10, "decide");
    gsim_stream_open(d, a, 1);
    return finish(run);
}

/* With one hardware queue what stands behind a gate waits too: gate to 0.5, L to 2.5, work to 12.5, opened at 13.5. */
static void gate_holds_its_queue(void)
{
    for (int queues = 1; queues <= 2; queues++) {
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
        struct gsim_kernel k = fixture_kernel("a", 4, 256, 10);
        f.device.hw_queues = queues;
        fixture_program(&f, &k, 1, NULL, 0);
        fixture_run(&f, hold_two);
        CHECK_KERNEL(&f, 0, queues == 1 ? 13.5 : 3.5, queues == 1 ? 23.5 : 13.5);
        fixture_release(&f);
    }
}

static enum gsim_status never_open(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    gsim_iteration_begin(run->driver, 0);
    gsim_stream_gate(run->driver, 0, 1);
    return finish(run);
}

static enum gsim_status wait_without_memory(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    struct gsim_waitable idle = {GSIM_WAITABLE_STREAM, 0};
    gsim_iteration_begin(run->driver, 0);
    gsim_alloc_fail_nth(1);
    CHECK_INT(gsim_wait_any(run->driver, &idle, 1, GSIM_NO_TIMEOUT), 1);
    gsim_alloc_fail_nth(0);
    return finish(run);
}

static enum gsim_status wait_for_nothing(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    struct gsim_waitable none = {GSIM_WAITABLE_QUEUE, 7};
    gsim_iteration_begin(run->driver, 0);
    CHECK_INT(gsim_wait_any(run->driver, &none, 1, GSIM_NO_TIMEOUT), 1);
    return finish(run);
}

static void failures(void)
{
    static const struct {
        enum gsim_status (*execute)(struct gsim_run *, struct gsim_error *);
        enum gsim_status status;
        const char *says;
    } cases[] = {{never_open, GSIM_SIM, "deadlock"},
                 {wait_without_memory, GSIM_NOMEM, "memory"},
                 {wait_for_nothing, GSIM_SIM, "queue 7"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
        struct gsim_kernel k = fixture_kernel("k", 1, 256, 10);
        fixture_program(&f, &k, 1, NULL, 0);
        struct gsim_scheduler_ops scheduler = {
            GSIM_HEAD(scheduler), .name = "fixture", .execute = cases[i].execute};
        struct gsim_simulation s = {
            .program = &f.program, .device = &f.device, .scheduler = &scheduler, .memory = GSIM_MEMORY_PINNED};
        CHECK_INT(gsim_simulate(&s, &f.timeline, &f.error), cases[i].status);
        CHECK_HAS(f.error.message, cases[i].says);
        fixture_release(&f);
    }
}

static const struct test_case cases[] = {
    {"events and deadlines", events_and_deadlines},
    {"queue and deadline", queue_and_deadline},
    {"several wait for one", several_wait_for_one},
    {"host functions", host_functions},
    {"gates", gates},
    {"a gate holds its hardware queue", gate_holds_its_queue},
    {"failures", failures},
};
TEST_MAIN("sim/waits", cases)
