/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Drivers on drivers: a driver that only passes calls on changes nothing under any scheduler, one that holds launches
 * back with gates makes the client wait, and failures come through.
 */
#include "tests/sim/machine_fixture.h"

static struct gsim_driver *attach_plain(void *data, struct gsim_driver *real)
{
    struct gsim_forward *forwards = data;
    gsim_forward_init(&forwards[0], real);
    gsim_forward_init(&forwards[1], &forwards[0].driver); /* two of them */
    return &forwards[1].driver;
}

/* Two chains that cross, with copies and host accesses: what schedulers do with streams, events, graphs and threads. */
static void build(struct gsim_program *program)
{
    struct gsim_error error = {0};
    struct gsim_builder *b = gsim_builder_create("crossing");
    for (int i = 0; i < 4; i++) gsim_builder_buffer(b, (const char *[]){"a", "b", "c", "d"}[i], 100000, GSIM_INIT_HOST);
    for (uint32_t i = 0; i < 12; i++) {
        struct gsim_kernel k = fixture_kernel("k", 4 + i, 256, 5 + i);
        struct gsim_arg args[2] = {{.buffer_index = i % 4, .reads = true, .writes = true},
                                   {.buffer_index = (i * 5 + 2) % 4, .reads = true}};
        struct gsim_op op = {.kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(b, &k), .args = args,
                             .arg_count = args[0].buffer_index == args[1].buffer_index ? 1 : 2, .stream = -1};
        gsim_builder_op(b, &op);
    }
    struct gsim_arg result = {.buffer_index = 0, .reads = true};
    gsim_builder_op(b, &(struct gsim_op){
                           .kind = GSIM_OP_HOST_READ, .bytes = 100000, .args = &result, .arg_count = 1, .stream = -1});
    CHECK_OK(gsim_builder_finish(b, 3, program, &error), error);
}

static void simulate(struct gsim_simulation *s, bool is_attached, struct gsim_timeline *timeline)
{
    struct gsim_forward forwards[2];
    struct gsim_error error = {0};
    s->attach = is_attached ? attach_plain : NULL;
    s->attach_data = forwards;
    CHECK_OK(gsim_simulate(s, timeline, &error), error);
}

static void passing_on_changes_nothing(void)
{
    struct gsim_device_spec device = fixture_device();
    struct gsim_program program;
    uint32_t count = 0;
    build(&program);
    for (const struct gsim_scheduler_ops *scheduler; (scheduler = gsim_scheduler_at(count)) != NULL; count++)
        for (int memory = GSIM_MEMORY_MANAGED; memory <= GSIM_MEMORY_PAGEABLE; memory++) {
            struct gsim_simulation s = {.program = &program,
                                        .device = &device,
                                        .scheduler = scheduler,
                                        .seed = 5,
                                        .detailed = true,
                                        .memory = (enum gsim_memory_mode)memory,
                                        .prefetch = true};
            struct gsim_timeline plain, passed;
            simulate(&s, false, &plain);
            simulate(&s, true, &passed);
            CHECK_INT(plain.kernel_count, 36);
            CHECK_INT(passed.kernel_count, plain.kernel_count);
            CHECK_INT(passed.copy_count, plain.copy_count);
            CHECK_INT(passed.api_count, plain.api_count);
            CHECK_INT(passed.iteration_count, 3);
            for (size_t i = 0; i < plain.kernel_count && i < passed.kernel_count; i++)
                CHECK_MSG(plain.kernels[i].start == passed.kernels[i].start &&
                              plain.kernels[i].end == passed.kernels[i].end,
                          "%s, kernel %zu", scheduler->name, i);
            for (size_t i = 0; i < plain.api_count && i < passed.api_count; i++)
                CHECK(plain.apis[i].api == passed.apis[i].api && plain.apis[i].end == passed.apis[i].end);
            gsim_timeline_release(&plain);
            gsim_timeline_release(&passed);
        }
    CHECK(count >= 6);
    gsim_program_release(&program);
}

/* Launches are held until OPEN_AT_US; a thread of the policy's opens them. */
struct holder {
    struct gsim_forward forward;
    uint64_t held;
    gsim_stream stream;
};

static void open_later(struct gsim_driver *below, void *argument)
{
    struct holder *h = argument;
    gsim_host_work(below, 20, "policy");
    gsim_stream_open(below, h->stream, h->held);
}

static void hold_launch(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream)
{
    struct holder *h = (struct holder *)driver;
    h->stream = stream;
    gsim_stream_gate(h->forward.below, stream, ++h->held);
    gsim_launch(h->forward.below, op, stream);
}

static struct gsim_driver *attach_holder(void *data, struct gsim_driver *real)
{
    struct holder *h = data;
    gsim_forward_init(&h->forward, real);
    h->forward.ops.launch = hold_launch;
    return &h->forward.driver;
}

static struct holder *policy;
static double client_us;

static enum gsim_status launch_and_wait(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    gsim_iteration_begin(run->driver, 0);
    gsim_thread thread = gsim_thread_create(policy->forward.below, open_later, policy);
    gsim_launch(run->driver, OP(run, 0), 0);
    gsim_stream_synchronize(run->driver, 0);
    client_us = gsim_now_us(run->driver);
    gsim_thread_join(policy->forward.below, thread);
    gsim_iteration_end(run->driver, 0);
    return GSIM_OK;
}

/* The thread to 5. Gate to 5.5, L to 7.5. The policy works to 25 and opens: from 26 on. A 26-36, and the client's
 * synchronise to 38. */
static void held_launches(void)
{
    struct holder h = {.held = 0};
    struct fixture f = {.device = fixture_device()};
    struct gsim_kernel k = fixture_kernel("a", 4, 256, 10);
    struct gsim_scheduler_ops scheduler = {
        GSIM_HEAD(scheduler), .name = "fixture", .execute = launch_and_wait};
    fixture_program(&f, &k, 1, NULL, 0);
    struct gsim_simulation s = {.program = &f.program,
                                .device = &f.device,
                                .scheduler = &scheduler,
                                .memory = GSIM_MEMORY_PINNED,
                                .attach = attach_holder,
                                .attach_data = &h};
    policy = &h;
    CHECK_OK(gsim_simulate(&s, &f.timeline, &f.error), f.error);
    CHECK_KERNEL(&f, 0, 26, 36);
    CHECK_NEAR(client_us, 38, 1e-5);
    fixture_release(&f);
}

static enum gsim_status fail_below(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    gsim_iteration_begin(run->driver, 0);
    CHECK(GSIM_DRIVER_HAS(run->driver, wait_any));
    gsim_launch(run->driver, OP(run, 0), 77);
    CHECK(gsim_driver_failed(run->driver));
    CHECK_HAS(run->driver->error.message, "stream 77");
    return GSIM_OK;
}

static void failures_come_through(void)
{
    struct gsim_forward forwards[2];
    struct fixture f = {.device = fixture_device()};
    struct gsim_kernel k = fixture_kernel("a", 4, 256, 10);
    struct gsim_scheduler_ops scheduler = {
        GSIM_HEAD(scheduler), .name = "fixture", .execute = fail_below};
    fixture_program(&f, &k, 1, NULL, 0);
    struct gsim_simulation s = {.program = &f.program,
                                .device = &f.device,
                                .scheduler = &scheduler,
                                .attach = attach_plain,
                                .attach_data = forwards};
    CHECK_INT(gsim_simulate(&s, &f.timeline, &f.error), GSIM_SIM);
    CHECK_HAS(f.error.message, "stream 77");
    fixture_release(&f);
}

/* A driver that was compiled against the headers of another interface. */
static struct gsim_driver *attach_other(void *data, struct gsim_driver *real)
{
    struct gsim_forward *forward = data;
    gsim_forward_init(forward, real);
    forward->ops.abi = GSIM_ABI + 1;
    return &forward->driver;
}

static void other_interface(void)
{
    struct fixture f = {.device = fixture_device()};
    struct gsim_kernel k = fixture_kernel("a", 4, 256, 10);
    struct gsim_scheduler_ops scheduler = {
        GSIM_HEAD(scheduler), .name = "fixture", .execute = launch_and_wait};
    struct gsim_forward forward;
    fixture_program(&f, &k, 1, NULL, 0);
    struct gsim_simulation s = {.program = &f.program,
                                .device = &f.device,
                                .scheduler = &scheduler,
                                .attach = attach_other,
                                .attach_data = &forward};
    CHECK_INT(gsim_simulate(&s, &f.timeline, &f.error), GSIM_INPUT);
    CHECK_HAS(f.error.message, "driver.abi: expected ");
    fixture_release(&f);
}

/* What the backend lacks the driver on it lacks too. */
static void optional_calls(void)
{
    struct gsim_driver_ops ops = {GSIM_HEAD(driver), .name = "bare"};
    struct gsim_driver bare = {.ops = &ops};
    ops.stream_query = gsim_stream_query;
    struct gsim_forward forward;
    gsim_forward_init(&forward, &bare);
    CHECK(!GSIM_DRIVER_HAS(&forward.driver, stream_gate));
    CHECK(!GSIM_DRIVER_HAS(&forward.driver, wait_any));
    CHECK(!GSIM_DRIVER_HAS(&forward.driver, launch));
    CHECK(GSIM_DRIVER_HAS(&forward.driver, stream_query));
    CHECK_INT(gsim_device_count(&forward.driver), 1);
    CHECK_STR(forward.driver.ops->name, "bare");
}

static const struct test_case cases[] = {
    {"passing on changes nothing", passing_on_changes_nothing},
    {"held launches", held_launches},
    {"failures come through", failures_come_through},
    {"drivers of another interface are refused", other_interface},
    {"optional calls", optional_calls},
};
TEST_MAIN("sim/forward", cases)
