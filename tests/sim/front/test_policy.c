/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Policies in the front end on the device with round numbers (tests/sim/machine_fixture.h): a cycle is a nanosecond,
 * launches arrive 1 us after the call, which takes 2 us; calls are at 0, 2, 4, ... us. Timelines computed by hand.
 */
#include "tests/sim/machine_fixture.h"

#include "gpusim/frontend.h"

#define KERNELS 4

/* What the policy of a test does, and what it saw. */
struct policy {
    enum gsim_frontend_answer answer;
    double cycles, start_cycles; /* of a decision; from it to the start */
    uint32_t limit, running;     /* of kernels under way: others are held, or wait taken */
    struct gsim_frontend_launch *waiting[KERNELS];
    uint32_t waiting_count, submitted, ready, started, ended, rung;
    const void *notes[KERNELS];
    bool by_timer;
};
static struct policy policy;

static enum gsim_frontend_answer on_submit(void *own, struct gsim_frontend *f, struct gsim_frontend_launch *launch)
{
    struct policy *p = own;
    if (p->answer == GSIM_FRONTEND_TAKE) {
        gsim_frontend_spend(f, p->cycles);
        p->notes[p->submitted++] = launch->note;
        if (p->by_timer) {
            p->waiting[p->waiting_count++] = launch;
            if (p->waiting_count == 1) gsim_frontend_arm(f, p->start_cycles, 7);
        } else if (p->running < p->limit) {
            p->running++;
            gsim_frontend_release(f, launch, p->start_cycles);
        } else {
            p->waiting[p->waiting_count++] = launch;
        }
        return GSIM_FRONTEND_TAKE;
    }
    p->submitted++;
    return p->answer;
}

static enum gsim_frontend_answer on_ready(void *own, struct gsim_frontend *f, struct gsim_frontend_launch *launch)
{
    struct policy *p = own;
    (void)launch;
    p->ready++;
    gsim_frontend_spend(f, p->cycles);
    if (p->running >= p->limit) return GSIM_FRONTEND_HOLD;
    p->running++;
    return GSIM_FRONTEND_PASS;
}

static void on_kernel_start(void *own, struct gsim_frontend *f, struct gsim_frontend_launch *launch)
{
    (void)f;
    (void)launch;
    ((struct policy *)own)->started++;
}

static void on_kernel_end(void *own, struct gsim_frontend *f, struct gsim_frontend_launch *launch)
{
    struct policy *p = own;
    (void)launch;
    p->ended++;
    p->running--;
    if (p->waiting_count && !p->by_timer) {
        gsim_frontend_spend(f, p->cycles);
        p->running++;
        gsim_frontend_release(f, p->waiting[0], p->start_cycles);
        for (uint32_t i = 1; i < p->waiting_count; i++) p->waiting[i - 1] = p->waiting[i];
        p->waiting_count--;
    }
    gsim_frontend_look(f);
}

/* Releases what has gathered, the last one first. */
static void on_timer(void *own, struct gsim_frontend *f, uint64_t what)
{
    struct policy *p = own;
    CHECK_INT(what, 7);
    p->rung++;
    while (p->waiting_count) {
        p->running++;
        gsim_frontend_release(f, p->waiting[--p->waiting_count], 0);
    }
}

static const struct gsim_frontend_ops taking = {
    GSIM_ABI, sizeof(struct gsim_frontend_ops), "taking", on_submit, NULL, on_kernel_start, on_kernel_end, on_timer};
static const struct gsim_frontend_ops capping = {
    GSIM_ABI, sizeof(struct gsim_frontend_ops), "capping", NULL, on_ready, on_kernel_start, on_kernel_end, NULL};
static const struct gsim_frontend_ops *ops;
static bool has_streams;
static const int notes[KERNELS];

static enum gsim_status launch_all(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    gsim_stream first = gsim_stream_create(d, 0), streams[2] = {first, has_streams ? gsim_stream_create(d, 0) : first};
    if (ops) gsim_frontend_set(d, ops, &policy);
    gsim_iteration_begin(d, 0);
    for (uint32_t i = 0; i < run->program->op_count; i++) {
        if (OP(run, i)->kind == GSIM_OP_COPY) gsim_memcpy_async(d, OP(run, i), streams[i % 2]);
        else gsim_launch_noted(d, OP(run, i), streams[i % 2], &notes[i]);
    }
    gsim_device_synchronize(d);
    gsim_iteration_end(d, 0);
    return d->error.status ? gsim_error_set(error, d->error.status, "%s", d->error.message) : GSIM_OK;
}

/* Kernels of 10 us on one SM each. */
static void run(struct fixture *f, const struct gsim_frontend_ops *wanted, const struct gsim_op *extra,
                uint32_t extra_count)
{
    struct gsim_kernel kernels[KERNELS];
    for (int i = 0; i < KERNELS; i++) kernels[i] = fixture_kernel("k", 1, 1024, 10);
    *f = (struct fixture){.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    f->device.thread_create_us = 0;
    ops = wanted;
    fixture_program(f, kernels, KERNELS - extra_count, extra, extra_count);
    fixture_run(f, launch_all);
}

static void without(void)
{
    struct fixture f;
    has_streams = false;
    run(&f, NULL, NULL, 0);
    for (uint32_t i = 0; i < KERNELS; i++) CHECK_KERNEL(&f, i, 3 + 11 * i, 13 + 11 * i); /* one stream: a gap of 1 us */
    fixture_release(&f);
}

/* One stream, and all four are under way at once: they start 0.5 + 0.25 us after they arrive at 3, 5, 7, 9 us. */
static void taken_launches_leave_their_stream(void)
{
    struct fixture f;
    has_streams = false;
    policy = (struct policy){.answer = GSIM_FRONTEND_TAKE, .cycles = 500, .start_cycles = 250, .limit = 4};
    run(&f, &taking, NULL, 0);
    for (uint32_t i = 0; i < KERNELS; i++) CHECK_KERNEL(&f, i, 3.75 + 2 * i, 13.75 + 2 * i);
    CHECK_INT(policy.submitted, 4);
    CHECK_INT(policy.started, 4);
    CHECK_INT(policy.ended, 4);
    for (uint32_t i = 0; i < KERNELS; i++) CHECK(policy.notes[i] == &notes[i]);
    CHECK_NEAR(f.end_us, 19.75 + 2, 1e-5); /* the host synchronises with all of them */
    fixture_release(&f);
}

/* Decisions one after the other: with 5 us each they are made at 8, 13, 18 and 23 us. */
static void decisions_take_their_time(void)
{
    struct fixture f;
    has_streams = false;
    policy = (struct policy){.answer = GSIM_FRONTEND_TAKE, .cycles = 5000, .limit = 4};
    run(&f, &taking, NULL, 0);
    /* Kernel 0 from 8 to 18; its end costs nothing, as nobody waits. */
    for (uint32_t i = 0; i < KERNELS; i++) CHECK_KERNEL(&f, i, 8 + 5 * i, 18 + 5 * i);
    fixture_release(&f);
}

/* Two at once: the third is released when the first ends at 13.5, 0.5 us later. */
static void taken_launches_wait_for_their_release(void)
{
    struct fixture f;
    has_streams = false;
    policy = (struct policy){.answer = GSIM_FRONTEND_TAKE, .cycles = 500, .limit = 2};
    run(&f, &taking, NULL, 0);
    CHECK_KERNEL(&f, 0, 3.5, 13.5);
    CHECK_KERNEL(&f, 1, 5.5, 15.5);
    CHECK_KERNEL(&f, 2, 14, 24);
    CHECK_KERNEL(&f, 3, 16, 26);
    fixture_release(&f);
}

/* Two streams, one kernel at once: held where they are, in the order of their queues. */
static void ready_launches_can_be_held(void)
{
    struct fixture f;
    has_streams = true;
    policy = (struct policy){.limit = 1};
    run(&f, &capping, NULL, 0);
    CHECK_KERNEL(&f, 0, 3, 13);
    CHECK_KERNEL(&f, 1, 13, 23); /* the other stream's queue is looked at, while kernel 2 waits its stream's gap */
    CHECK_KERNEL(&f, 2, 23, 33);
    CHECK_KERNEL(&f, 3, 33, 43);
    CHECK_INT(policy.ended, 4);
    CHECK(policy.ready > 4); /* some were asked about more than once */
    fixture_release(&f);
}

static void timers_ring(void)
{
    struct fixture f;
    has_streams = false;
    policy = (struct policy){.answer = GSIM_FRONTEND_TAKE, .start_cycles = 20000, .limit = 4, .by_timer = true};
    run(&f, &taking, NULL, 0);
    CHECK_INT(policy.rung, 1);
    for (uint32_t i = 0; i < KERNELS; i++) CHECK_KERNEL(&f, i, 23, 33); /* armed when the first arrived at 3 */
    fixture_release(&f);
}

/* A copy behind taken kernels waits for all of them, a kernel behind it for the copy: 3 kernels, copy of 100 KB (10
 * us), that is op 3. */
static void copies_keep_their_place(void)
{
    struct fixture f;
    struct gsim_arg data = {.buffer_index = 0, .reads = true};
    struct gsim_op copy = {
        .kind = GSIM_OP_COPY, .copy_kind = GSIM_COPY_D2H, .args = &data, .arg_count = 1, .bytes = 100000, .stream = -1};
    has_streams = false;
    policy = (struct policy){.answer = GSIM_FRONTEND_TAKE, .limit = 4};
    run(&f, &taking, &copy, 1);
    CHECK_INT(policy.submitted, 3);
    CHECK_KERNEL(&f, 2, 7, 17);
    CHECK_INT(f.timeline.copy_count, 1);
    CHECK_NEAR(gsim_time_us(f.timeline.copies[0].start), 17, 1e-5);
    fixture_release(&f);
}

/* A taken kernel's trigger (at 8) opens nothing in the stream that it has left: a programmatic kernel behind a copy
 * waits for the copy, which waits for the taken kernel, 13, takes 10 us and is followed a gap of 1 us later. */
static void triggers_stay_with_taken_launches(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_kernel kernels[2] = {fixture_kernel("k", 1, 1024, 10), fixture_kernel("behind", 1, 1024, 10)};
    struct gsim_arg data = {.buffer_index = 0, .reads = true};
    struct gsim_builder *b = gsim_builder_create("triggers");
    gsim_builder_buffer(b, "data", 1000000, GSIM_INIT_HOST);
    kernels[0].trigger = 0.5;
    gsim_builder_op(b, &(struct gsim_op){
                           .kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(b, &kernels[0]), .stream = -1});
    gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_COPY,
                                         .copy_kind = GSIM_COPY_H2D,
                                         .args = &data,
                                         .arg_count = 1,
                                         .bytes = 100000,
                                         .stream = -1});
    gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                         .kernel_index = gsim_builder_kernel(b, &kernels[1]),
                                         .stream = -1,
                                         .programmatic = true});
    CHECK_OK(gsim_builder_finish(b, 1, &f.program, &f.error), f.error);
    has_streams = false;
    f.device.thread_create_us = 0;
    ops = &taking;
    policy = (struct policy){.answer = GSIM_FRONTEND_TAKE, .limit = 4};
    fixture_run(&f, launch_all);
    CHECK_KERNEL(&f, 0, 3, 13);
    CHECK_NEAR(gsim_time_us(f.timeline.copies[0].start), 13, 1e-5);
    CHECK_NEAR(gsim_time_us(f.timeline.copies[0].end), 23, 1e-5);
    CHECK_KERNEL(&f, 2, 24, 34);
    fixture_release(&f);
}

/* Passed launches go on as without a policy. */
static void passing_changes_nothing(void)
{
    struct fixture f;
    has_streams = false;
    policy = (struct policy){.answer = GSIM_FRONTEND_PASS};
    run(&f, &taking, NULL, 0);
    for (uint32_t i = 0; i < KERNELS; i++) CHECK_KERNEL(&f, i, 3 + 11 * i, 13 + 11 * i);
    CHECK_INT(policy.submitted, 4);
    CHECK_INT(policy.ended, 4);
    fixture_release(&f);
}

/* A policy that releases a launch twice, or one that it did not take, ends the run. */
static bool takes;
static enum gsim_frontend_answer release_wrongly(void *own, struct gsim_frontend *f,
                                                 struct gsim_frontend_launch *launch)
{
    (void)own;
    gsim_frontend_release(f, launch, 0);
    if (takes) gsim_frontend_release(f, launch, 0);
    return takes ? GSIM_FRONTEND_TAKE : GSIM_FRONTEND_PASS;
}

static void wrong_releases(void)
{
    static const struct gsim_frontend_ops wrong = {
        GSIM_HEAD(frontend), .name = "wrong", .on_submit = release_wrongly};
    static const char *const messages[] = {"released a launch that it did not take", "'wrong' released a launch twice"};
    for (int i = 0; i < 2; i++) {
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
        struct gsim_kernel kernel = fixture_kernel("k", 1, 1024, 10);
        struct gsim_scheduler_ops scheduler = {
            GSIM_HEAD(scheduler), .name = "fixture", .execute = launch_all};
        fixture_program(&f, &kernel, 1, NULL, 0);
        takes = i;
        ops = &wrong;
        has_streams = false;
        struct gsim_simulation s = {.program = &f.program, .device = &f.device, .scheduler = &scheduler, .seed = 1};
        CHECK_INT(gsim_simulate(&s, &f.timeline, &f.error), GSIM_SIM);
        CHECK_HAS(f.error.message, messages[i]);
        fixture_release(&f);
    }
}

static const struct test_case cases[] = {
    {"without a policy", without},
    {"passing changes nothing", passing_changes_nothing},
    {"taken launches leave their stream", taken_launches_leave_their_stream},
    {"decisions take their time", decisions_take_their_time},
    {"taken launches wait for their release", taken_launches_wait_for_their_release},
    {"ready launches can be held", ready_launches_can_be_held},
    {"timers ring", timers_ring},
    {"copies keep their place", copies_keep_their_place},
    {"triggers stay with taken launches", triggers_stay_with_taken_launches},
    {"wrong releases", wrong_releases},
};

TEST_MAIN("sim/front/policy", cases)
