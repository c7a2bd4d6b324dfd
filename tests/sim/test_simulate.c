/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tasks whose ops are drawn while they run. Hand-computed on free_device() of task_fixture.h: calls cost nothing. A
 * service that batches: each step is a kernel of 10 us for all requests that have come, then the host works 1 us; a
 * request needs two steps.
 */
#include "tests/sim/task_fixture.h"

#define MOST 8

struct batch {
    uint32_t ids[MOST], left[MOST], count, step, buffer; /* requests in the batch: steps to go */
    double begun_us[MOST];
    bool has_launched, has_stepped;
    struct gsim_arg arg;
    uint32_t after;
};

static struct {
    uint32_t arrived[MOST];
    double arrived_us[MOST];
    uint32_t count;
} seen;

static enum gsim_status open_batch(void *state, const void *params, const struct gsim_random *numbers,
                                   struct gsim_draw *draw, struct gsim_error *error)
{
    (void)params, (void)numbers, (void)error;
    ((struct batch *)state)->buffer = gsim_draw_buffer(draw, "cache", 1000, GSIM_INIT_DEVICE);
    return GSIM_OK;
}

static void arrived(void *state, struct gsim_draw *draw, uint32_t request, double at_us)
{
    struct batch *b = state;
    (void)draw;
    seen.arrived[seen.count] = request;
    seen.arrived_us[seen.count++] = at_us;
    b->ids[b->count] = request;
    b->begun_us[b->count] = -1;
    b->left[b->count++] = 2;
}

static void end_step(struct batch *b, struct gsim_draw *draw)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        if (b->begun_us[i] >= 0 && !--b->left[i]) {
            gsim_draw_served(draw, b->ids[i], b->begun_us[i]);
            continue;
        }
        b->ids[kept] = b->ids[i];
        b->left[kept] = b->left[i];
        b->begun_us[kept++] = b->begun_us[i];
    }
    b->count = kept;
}

/* Requests that came while a step ran are in the next one. */
static enum gsim_source_answer next_step(void *state, struct gsim_draw *draw, struct gsim_op *op)
{
    struct batch *b = state;
    struct gsim_kernel kernel = fixture_kernel("step", 4, 1024, 10);
    if (b->has_launched) {
        *op = (struct gsim_op){
            .kind = GSIM_OP_HOST_COMPUTE, .host_us = 1, .after = &b->after, .after_count = 1, .stream = -1};
        b->has_launched = false;
        b->has_stepped = true;
        b->after = 2 * b->step - 2;
        return GSIM_SOURCE_OP;
    }
    if (b->has_stepped) end_step(b, draw);
    b->has_stepped = false;
    if (!b->count) return GSIM_SOURCE_WAIT;
    for (uint32_t i = 0; i < b->count; i++)
        if (b->begun_us[i] < 0) b->begun_us[i] = gsim_draw_now_us(draw);
    b->step++;
    b->has_launched = true;
    b->arg = (struct gsim_arg){.buffer_index = b->buffer, .reads = true, .writes = true};
    *op = (struct gsim_op){.kind = GSIM_OP_KERNEL,
                           .kernel_index = gsim_draw_kernel(draw, &kernel),
                           .args = &b->arg,
                           .arg_count = 1,
                           .stream = -1};
    return GSIM_SOURCE_OP;
}

static const struct gsim_source_ops batching = {GSIM_HEAD(source),
                                                .name = "batching",
                                                .state_size = sizeof(struct batch),
                                                .open = open_batch,
                                                .next = next_step,
                                                .arrived = arrived};

/* One kernel, then the end: one request. */
static enum gsim_source_answer next_once(void *state, struct gsim_draw *draw, struct gsim_op *op)
{
    struct batch *b = state;
    struct gsim_kernel kernel = fixture_kernel("once", 4, 1024, 10);
    if (b->step++) return GSIM_SOURCE_END;
    *op = (struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = gsim_draw_kernel(draw, &kernel), .stream = -1};
    return GSIM_SOURCE_OP;
}
static const struct gsim_source_ops once = {GSIM_HEAD(source),
                                            .name = "once",
                                            .state_size = sizeof(struct batch),
                                            .open = open_batch,
                                            .next = next_once};

static struct gsim_program nothing = {.iterations = 1, .name = "nothing"}, drawn;

static void add_source(struct task_fixture *f, const struct gsim_source_ops *source)
{
    uint32_t i = f->count++;
    f->programs[i] = nothing;
    f->tasks[i] = (struct gsim_task){.name = source->name,
                                     .program = &f->programs[i],
                                     .source = source,
                                     .scheduler = gsim_scheduler_find("async"),
                                     .process = GSIM_OWN_PROCESS};
}

static void run(struct task_fixture *f, const char *way)
{
    const struct gsim_sharing_ops *ops = gsim_sharing_find(way);
    memset(&seen, 0, sizeof seen);
    f->drawn = &drawn;
    enum gsim_status status = try_share(f, ops);
    CHECK_MSG(status == GSIM_OK, "%s: %s", way, f->error.message);
}

static void release(struct task_fixture *f)
{
    gsim_timeline_release(&f->timeline);
    gsim_task_set_release(&f->set);
    gsim_program_release(&drawn);
    for (uint32_t i = 0; i < f->count; i++)
        if (!f->tasks[i].source) gsim_program_release(&f->programs[i]);
}

static void expect_request(const struct task_fixture *f, size_t at, uint32_t task, uint32_t request, double arrival_us,
                           double start_us, double end_us)
{
    CHECK(at < f->timeline.request_count);
    if (at >= f->timeline.request_count) return;
    const struct gsim_request_record *r = &f->timeline.requests[at];
    CHECK_MSG(r->task == task && r->request == request, "record %zu is of request %u of task %u, expected %u of %u", at,
              r->request, r->task, request, task);
    CHECK_NEAR(gsim_time_us(r->arrival), arrival_us, 1e-6);
    CHECK_NEAR(gsim_time_us(r->start), start_us, 1e-6);
    CHECK_NEAR(gsim_time_us(r->end), end_us, 1e-6);
}

/* Steps 0-11, 11-22 with the second one, 22-33 for it alone; then nothing until the third one comes at 100. */
static void continuous(void)
{
    static const double times[] = {0, 5, 100};
    struct task_fixture f = task_fixture();
    f.device = free_device();
    add_source(&f, &batching);
    f.tasks[0].arrival = GSIM_ARRIVAL_LIST;
    f.tasks[0].times_us = times;
    f.tasks[0].time_count = 3;
    run(&f, "exclusive");
    CHECK_INT(f.timeline.request_count, 3);
    expect_request(&f, 0, 0, 0, 0, 0, 22);
    expect_request(&f, 1, 0, 1, 5, 11, 33);
    expect_request(&f, 2, 0, 2, 100, 100, 122);
    CHECK(seen.count == 3 && seen.arrived[1] == 1);
    CHECK_NEAR(seen.arrived_us[2], 100, 1e-9);
    CHECK_INT(f.timeline.kernel_count, 5);
    CHECK_INT(drawn.op_count, 10);
    CHECK(f.timeline.program == &drawn && f.stats[0].requests == 3);
    release(&f);
}

/* The next request comes 3 us after the end of the one before. */
static void closed_loop(void)
{
    struct task_fixture f = task_fixture();
    f.device = free_device();
    add_source(&f, &batching);
    f.tasks[0].requests = 2;
    f.tasks[0].gap_us = 3;
    run(&f, "exclusive");
    CHECK_INT(f.timeline.request_count, 2);
    expect_request(&f, 0, 0, 0, 0, 0, 22);
    expect_request(&f, 1, 0, 1, 25, 25, 47);
    release(&f);
}

/* A known task beside two sources: ops of all are told apart, and each names its own kernels. */
static void beside_others(void)
{
    static const char *const ways[] = {"streams", "mps", "timeslice", "exclusive"};
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        struct task_fixture f = task_fixture();
        f.device = free_device();
        add_source(&f, &once);
        add_kernel_task(&f, "known", 4, 20)->requests = 2;
        add_source(&f, &batching);
        f.tasks[2].arrival = GSIM_ARRIVAL_PERIODIC;
        f.tasks[2].period_us = 50;
        f.tasks[2].requests = 2;
        run(&f, ways[w]);
        CHECK_INT(f.timeline.request_count, 5);
        CHECK_INT(f.timeline.kernel_count, 7);
        CHECK_INT(drawn.op_count, f.programs[1].op_count + 1 + 8);
        for (size_t k = 0; k < f.timeline.kernel_count; k++) {
            const struct gsim_kernel_record *r = &f.timeline.kernels[k];
            static const char *const names[] = {"once", "known", "step"};
            CHECK_STR(drawn.kernels[r->kernel_index].name, names[r->task]);
            CHECK(r->op < drawn.op_count && drawn.ops[r->op].kernel_index == r->kernel_index);
        }
        release(&f);
    }
}

/* A task that goes on as long as others do ends with them. */
static void endless(void)
{
    struct task_fixture f = task_fixture();
    f.device = free_device();
    add_source(&f, &batching);
    f.tasks[0].arrival = GSIM_ARRIVAL_PERIODIC;
    f.tasks[0].period_us = 30;
    add_kernel_task(&f, "known", 4, 20)->requests = 5;
    run(&f, "streams");
    CHECK(f.stats[0].requests >= 3 && f.stats[0].requests <= 6);
    release(&f);
}

static void profiles(void)
{
    struct task_fixture f = task_fixture();
    f.device = free_device();
    add_source(&f, &once);
    f.drawn = &drawn;
    CHECK(try_share(&f, gsim_sharing_find("fikit")) == GSIM_USAGE);
    CHECK_HAS(f.error.message, "task 'once' is drawn while it runs");
    release(&f);
}

static const struct test_case cases[] = {
    {"requests that a source batches", continuous},
    {"a closed loop", closed_loop},
    {"beside a known task and another source", beside_others},
    {"an endless one", endless},
    {"no profile of what is not known", profiles},
};

TEST_MAIN("sim/simulate", cases)
