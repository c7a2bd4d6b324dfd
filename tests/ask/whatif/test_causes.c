/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs in which the cause of idle time is known: gsim_explain names it, with its time; the shares add up
 * exactly. */
#include "ask/whatif/causes.h"

#include "gpusim/workload.h"
#include "tests/sim/machine_fixture.h"

#define COUNT 50

struct explained {
    struct fixture f;
    struct gsim_explanation x;
    size_t iteration;
};

static void check_sums(const struct gsim_explanation *x)
{
    gsim_time all = 0, path = 0, stretches = 0;
    for (int s = 0; s < GSIM_GPU_STATE_COUNT; s++) all += gsim_explained_state(x, (enum gsim_gpu_state)s);
    for (size_t i = 0; i < x->part_count; i++) path += x->parts[i].time;
    for (size_t i = 0; i < x->stretch_count; i++) {
        CHECK_INT(x->stretches[i].start, x->from + stretches);
        stretches = x->stretches[i].end - x->from;
    }
    CHECK_INT(all, x->makespan);
    CHECK_INT(path, x->makespan);
    CHECK_INT(stretches, x->makespan);
}

static void explain(struct explained *e, const struct gsim_scheduler_ops *scheduler)
{
    struct fixture *f = &e->f;
    struct gsim_simulation simulation = {.program = &f->program,
                                         .device = &f->device,
                                         .scheduler = scheduler,
                                         .memory = f->memory,
                                         .seed = 1,
                                         .detailed = true};
    gsim_params_set_defaults(gsim_gpu_params, &simulation.gpu);
    CHECK_OK(gsim_simulate(&simulation, &f->timeline, &f->error), f->error);
    CHECK_OK(gsim_explain(&simulation, &f->timeline, e->iteration, &e->x, &f->error), f->error);
    check_sums(&e->x);
}

static void explain_by(struct explained *e, enum gsim_status (*execute)(struct gsim_run *, struct gsim_error *))
{
    explain(e, &(struct gsim_scheduler_ops){
                   GSIM_HEAD(scheduler), .name = "fixture", .execute = execute});
}

static void release(struct explained *e)
{
    gsim_explanation_release(&e->x);
    fixture_release(&e->f);
}

static struct explained begin(const struct gsim_kernel *kernels, uint32_t count, const struct gsim_op *extra,
                              uint32_t extra_count)
{
    struct explained e = {
        .f.device = fixture_device(), .f.memory = GSIM_MEMORY_PINNED, .iteration = GSIM_ALL_ITERATIONS};
    fixture_program(&e.f, kernels, count, extra, extra_count);
    return e;
}

/* COUNT equal kernels. */
static struct explained begin_many(double us, uint32_t blocks)
{
    struct gsim_kernel kernels[COUNT];
    for (int i = 0; i < COUNT; i++) kernels[i] = fixture_kernel("k", blocks, 128, us);
    return begin(kernels, COUNT, NULL, 0);
}

#define IDLE(e, cause, us, tolerance)                                                                                  \
    CHECK_NEAR(gsim_time_us(gsim_explained_idle(&(e)->x, GSIM_CAUSE_##cause)), us, tolerance)
#define BUSY(e, cause, us, tolerance)                                                                                  \
    CHECK_NEAR(gsim_time_us(gsim_explained_busy(&(e)->x, GSIM_CAUSE_##cause)), us, tolerance)

/* --- the host --- */
ITERATION(launch_all)
{
    gsim_stream s = gsim_stream_create(d, 0);
    for (uint32_t i = 0; i < run->program->op_count; i++) gsim_launch(d, OP(run, i), s);
}

static enum gsim_status launch_and_wait(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    gsim_stream s = gsim_stream_create(run->driver, 0);
    gsim_iteration_begin(run->driver, 0);
    for (uint32_t i = 0; i < run->program->op_count; i++) {
        gsim_launch(run->driver, OP(run, i), s);
        gsim_stream_synchronize(run->driver, s);
    }
    gsim_iteration_end(run->driver, 0);
    return GSIM_OK;
}

/* A launch every 2 us, kernels of 0.5: the first comes behind call and latency, each later one 1.5 us behind the one
 * before. */
static void test_launch_calls(void)
{
    struct explained e = begin_many(0.5, 4);
    explain_by(&e, launch_all);
    IDLE(&e, LAUNCH_CALLS, 2 + 1.5 * (COUNT - 1), 1e-6);
    IDLE(&e, LAUNCH_LATENCY, 1, 1e-6);
    IDLE(&e, RESULT, 2, 1e-6);
    CHECK_NEAR(gsim_time_us(gsim_explained_state(&e.x, GSIM_GPU_ALL_SMS)), 0.5 * COUNT, 1e-6);
    release(&e);
}

/* Each launch waits for the return of the synchronise call behind the kernel before. */
static void test_result(void)
{
    struct explained e = begin_many(10, 4);
    explain_by(&e, launch_and_wait);
    IDLE(&e, RESULT, 2 * COUNT, 1e-6);
    IDLE(&e, LAUNCH_CALLS, 2 * COUNT, 1e-6);
    IDLE(&e, LAUNCH_LATENCY, COUNT, 1e-6);
    release(&e);
}

static struct explained begin_with_host(bool overhead)
{
    struct explained e = {
        .f.device = fixture_device(), .f.memory = GSIM_MEMORY_PINNED, .iteration = GSIM_ALL_ITERATIONS};
    struct gsim_builder *b = gsim_builder_create("host");
    struct gsim_kernel kernel = fixture_kernel("k", 4, 128, 2);
    for (int i = 0; i < COUNT; i++) {
        gsim_builder_op(
            b, &(struct gsim_op){.kind = GSIM_OP_HOST_COMPUTE, .host_us = 10, .overhead = overhead, .stream = -1});
        gsim_builder_op(
            b, &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(b, &kernel), .stream = 1});
    }
    CHECK_OK(gsim_builder_finish(b, 1, &e.f.program, &e.f.error), e.f.error);
    explain(&e, gsim_scheduler_find("async"));
    return e;
}

/* 10 us of the host's and 2 of the call for each kernel of 2 us. */
static void test_host_time(void)
{
    struct explained work = begin_with_host(false), framework = begin_with_host(true);
    IDLE(&work, HOST_WORK, 8 * COUNT + 2, 1e-6);
    IDLE(&work, FRAMEWORK, 0, 1e-6);
    IDLE(&framework, FRAMEWORK, 8 * COUNT + 2, 1e-6);
    IDLE(&framework, HOST_WORK, 0, 1e-6);
    IDLE(&framework, LAUNCH_CALLS, 2 * COUNT, 1e-6);
    release(&work);
    release(&framework);
}

/* --- the device --- */
static void test_gap(void)
{
    struct explained e = begin_many(10, 4);
    explain_by(&e, launch_all);
    IDLE(&e, GAP, COUNT - 1, 1e-6);
    IDLE(&e, LAUNCH_CALLS, 2, 1e-6);
    release(&e);
}

ITERATION(wait_across)
{
    gsim_stream a = gsim_stream_create(d, 0), b = gsim_stream_create(d, 0);
    gsim_event event = gsim_event_create(d, GSIM_EVENT_NO_TIMING);
    gsim_launch(d, OP(run, 0), a);
    gsim_event_record(d, event, a);
    gsim_stream_wait_event(d, b, event);
    gsim_launch(d, OP(run, 1), b);
}

/* One block of 100 us on one of four SMs; the other kernel waits for it, and 1.5 us for the event. The launch is late
 * for 0.75 + 2. */
static void test_dependence(void)
{
    const struct gsim_kernel kernels[] = {fixture_kernel("a", 1, 128, 100), fixture_kernel("b", 4, 128, 10)};
    struct explained e = begin(kernels, 2, NULL, 0);
    explain_by(&e, wait_across);
    BUSY(&e, DEPENDENCE, 100, 1e-6);
    IDLE(&e, GAP, 1.5, 1e-6);
    release(&e);
}

ITERATION(behind_another)
{
    gsim_stream a = gsim_stream_create(d, 0), b = gsim_stream_create(d, 0);
    gsim_launch(d, OP(run, 0), a);
    gsim_launch(d, OP(run, 1), a);
    gsim_launch(d, OP(run, 2), b);
}

/* One hardware queue: the second stream's kernel, there 4 us behind the first's start, waits until the first's second
 * one has left. */
static void test_hardware_queue(void)
{
    const struct gsim_kernel kernels[] = {fixture_kernel("a", 1, 128, 100), fixture_kernel("b", 1, 128, 10),
                                          fixture_kernel("c", 1, 128, 20)};
    struct explained e = begin(kernels, 3, NULL, 0), wide = begin(kernels, 3, NULL, 0);
    e.f.device.hw_queues = 1;
    explain_by(&e, behind_another);
    explain_by(&wide, behind_another);
    BUSY(&e, HW_QUEUE, 96, 96 * 0.05);
    BUSY(&wide, HW_QUEUE, 0, 1e-6);
    release(&e);
    release(&wide);
}

ITERATION(side_by_side)
{
    gsim_stream streams[8];
    for (uint32_t i = 0; i < run->program->op_count; i++) streams[i] = gsim_stream_create(d, 0);
    for (uint32_t i = 0; i < run->program->op_count; i++) gsim_launch(d, OP(run, i), streams[i]);
}

/* A block of A on each SM leaves no room for B's, which is there 2 us later. */
static void check_room(struct gsim_kernel a, struct gsim_kernel b, enum gsim_cause cause)
{
    const struct gsim_kernel kernels[] = {a, b};
    struct explained e = begin(kernels, 2, NULL, 0);
    explain_by(&e, side_by_side);
    CHECK_NEAR(gsim_time_us(gsim_explained_busy(&e.x, cause)), 98, 98 * 0.05);
    release(&e);
}

static void test_room(void)
{
    struct gsim_kernel threads = fixture_kernel("a", 8, 1024, 100), small = fixture_kernel("b", 4, 128, 10);
    check_room(threads, small, GSIM_CAUSE_ROOM_THREADS);
    struct gsim_kernel registers = fixture_kernel("a", 4, 256, 100);
    registers.regs_per_thread = 255;
    struct gsim_kernel hungry = registers;
    hungry.thread_cycles = 10000;
    check_room(registers, hungry, GSIM_CAUSE_ROOM_REGISTERS);
    struct gsim_kernel shared = fixture_kernel("a", 4, 128, 100);
    shared.smem_bytes = 100 * 1024;
    struct gsim_kernel wants = shared;
    wants.thread_cycles = 10000;
    check_room(shared, wants, GSIM_CAUSE_ROOM_SMEM);
    check_room(fixture_kernel("a", 4 * 32, 32, 100), fixture_kernel("b", 4, 32, 10), GSIM_CAUSE_ROOM_BLOCKS);
    struct gsim_kernel plain = fixture_kernel("a", 4, 128, 100);
    shared.smem_bytes = 8 * 1024;
    check_room(plain, wants, GSIM_CAUSE_ROOM_CARVEOUT);
    /* What is short most: of 164 KB an SM 262 are wanted, of 64 warps 80 and as many registers; then 173 KB of 164. */
    struct gsim_kernel both = fixture_kernel("a", 8, 768, 100), more = fixture_kernel("b", 4, 1024, 10);
    both.smem_bytes = 80 * 1024, more.smem_bytes = 99 * 1024;
    check_room(both, more, GSIM_CAUSE_ROOM_SMEM);
    both.smem_bytes = 60 * 1024, more.smem_bytes = 50 * 1024;
    check_room(both, more, GSIM_CAUSE_ROOM_THREADS);
}

/* The GPU holds one kernel at a time, whatever room it has: the second is there 2 us behind the first. */
static void test_resident_kernels(void)
{
    const struct gsim_kernel kernels[] = {fixture_kernel("a", 1, 128, 100), fixture_kernel("b", 1, 128, 10)};
    struct explained e = begin(kernels, 2, NULL, 0);
    e.f.device.resident_grids = 1;
    explain_by(&e, side_by_side);
    BUSY(&e, ROOM_GRIDS, 98, 98 * 0.05);
    release(&e);
}

ITERATION(record_often)
{
    gsim_stream s = gsim_stream_create(d, 0);
    gsim_event event = gsim_event_create(d, GSIM_EVENT_TIMING);
    for (uint32_t i = 0; i < run->program->op_count; i++) {
        for (int n = 0; n < 20; n++) gsim_event_record(d, event, s);
        gsim_launch(d, OP(run, i), s);
    }
}

/* 20 events of 0.5 us and a launch of 2 for each kernel of 1 us. */
static void test_other_calls(void)
{
    struct explained e = begin_many(1, 4);
    explain_by(&e, record_often);
    IDLE(&e, OTHER_CALLS, 10 + 9 * (COUNT - 1), 0.05 * 9 * COUNT);
    IDLE(&e, LAUNCH_CALLS, 2 * COUNT, 0.05 * 2 * COUNT);
    release(&e);
}

ITERATION(fill_queue)
{
    gsim_stream a = gsim_stream_create(d, 0), b = gsim_stream_create(d, 0);
    for (uint32_t i = 0; i + 1 < run->program->op_count; i++) gsim_launch(d, OP(run, i), a);
    gsim_launch(d, OP(run, run->program->op_count - 1), b);
}

/* A kernel of 100 us on one SM of four, and a queue of a single launch: the host comes to launch what is behind it when
 * it has ended. */
static void test_launch_queue(void)
{
    struct gsim_kernel kernels[4];
    for (int i = 0; i < 4; i++) kernels[i] = fixture_kernel("k", 1, 128, i ? 1 : 100);
    struct explained e = begin(kernels, 4, NULL, 0), wide = begin(kernels, 4, NULL, 0);
    e.f.device.launch_queue_depth = 1;
    explain_by(&e, fill_queue);
    explain_by(&wide, fill_queue);
    BUSY(&e, LAUNCH_QUEUE, 100, 5);
    BUSY(&wide, LAUNCH_QUEUE, 0, 1e-6);
    release(&e);
    release(&wide);
}

ITERATION(copy_twice)
{
    gsim_stream a = gsim_stream_create(d, 0), b = gsim_stream_create(d, 0);
    gsim_memcpy_async(d, OP(run, 1), a);
    gsim_memcpy_async(d, OP(run, 2), b);
    gsim_launch(d, OP(run, 0), b);
}

/* Two copies of 100 us, one engine; the kernel follows the second. */
/* On a stream each. */
ITERATION(copy_apart)
{
    for (uint32_t i = 0; i < run->program->op_count; i++) gsim_memcpy_async(d, OP(run, i), gsim_stream_create(d, 0));
}

/* Two copies to the device, of which the second waits for the engine, and one to the host that ends in between: that
 * makes no room. */
static void test_path_of_copies(void)
{
    const struct gsim_arg in = {.buffer_index = 0, .writes = true}, out = {.buffer_index = 0, .reads = true};
    const struct gsim_op copies[] = {{.kind = GSIM_OP_COPY,
                                      .copy_kind = GSIM_COPY_H2D,
                                      .args = &in,
                                      .arg_count = 1,
                                      .bytes = 1000000,
                                      .copy_us = 300,
                                      .stream = -1},
                                     {.kind = GSIM_OP_COPY,
                                      .copy_kind = GSIM_COPY_D2H,
                                      .args = &out,
                                      .arg_count = 1,
                                      .bytes = 1000000,
                                      .copy_us = 200,
                                      .stream = -1},
                                     {.kind = GSIM_OP_COPY,
                                      .copy_kind = GSIM_COPY_H2D,
                                      .args = &in,
                                      .arg_count = 1,
                                      .bytes = 1000000,
                                      .copy_us = 400,
                                      .stream = -1}};
    for (int late = 0; late < 2; late++) { /* the one to the host ends before, and just behind the first */
        struct gsim_op ops[3] = {copies[0], copies[1], copies[2]};
        gsim_time to[GSIM_COPY_KIND_COUNT] = {0};
        if (late) ops[1].copy_us = 299;
        struct explained e = begin(NULL, 0, ops, 3);
        e.f.device.copy_gap_us = 20;
        explain_by(&e, copy_apart);
        for (size_t i = 0; i < e.x.part_count; i++)
            if (e.x.parts[i].kind == GSIM_PART_COPY) to[e.x.parts[i].index] += e.x.parts[i].time;
        CHECK_NEAR(gsim_time_us(to[GSIM_COPY_H2D]), 700, 1);
        CHECK_INT(to[GSIM_COPY_D2H], 0);
        release(&e);
    }
}

static void test_copy_engine(void)
{
    const struct gsim_kernel kernel = fixture_kernel("k", 4, 128, 10);
    const struct gsim_arg arg = {.buffer_index = 0, .writes = true};
    const struct gsim_op copy = {
        .kind = GSIM_OP_COPY, .copy_kind = GSIM_COPY_H2D, .args = &arg, .arg_count = 1, .bytes = 1000000, .stream = -1};
    const struct gsim_op copies[] = {copy, copy};
    struct explained e = begin(&kernel, 1, copies, 2);
    explain_by(&e, copy_twice);
    BUSY(&e, COPY_ENGINE, 100, 5);
    BUSY(&e, DEPENDENCE, 100, 5);
    release(&e);
}

/* A chain in a graph: 0.5 us behind each node. */
static void test_graph_gap(void)
{
    struct explained e = {
        .f.device = fixture_device(), .f.memory = GSIM_MEMORY_PINNED, .iteration = GSIM_ALL_ITERATIONS};
    struct gsim_builder *b = gsim_builder_create("chain");
    struct gsim_kernel kernel = fixture_kernel("k", 4, 128, 3);
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t before = i - 1;
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                             .kernel_index = gsim_builder_kernel(b, &kernel),
                                             .stream = 0,
                                             .after = &before,
                                             .after_count = i > 0});
    }
    CHECK_OK(gsim_builder_finish(b, 1, &e.f.program, &e.f.error), e.f.error);
    explain(&e, gsim_scheduler_find("cudagraph"));
    IDLE(&e, GRAPH_GAP, 0.5 * (COUNT - 1), 0.05 * 0.5 * COUNT);
    IDLE(&e, GAP, 0, 1e-6);
    IDLE(&e, DEPENDENCE, 0, 1e-6);
    release(&e);
}

/* What the importer makes of time that a trace does not explain. */
static void test_unexplained(void)
{
    const struct gsim_kernel kernels[] = {fixture_kernel("a", 4, 128, 10),
                                          fixture_kernel(GSIM_UNEXPLAINED_KERNEL, 1, 32, 50),
                                          fixture_kernel("b", 4, 128, 10)};
    struct explained e = begin(kernels, 3, NULL, 0);
    explain_by(&e, launch_all);
    IDLE(&e, UNEXPLAINED, 52, 1e-6); /* with the gaps around it */
    CHECK_NEAR(gsim_time_us(gsim_explained_state(&e.x, GSIM_GPU_ALL_SMS)), 20, 1e-6);
    release(&e);
}

/* --- mixtures --- */
/* 10 kernels that are launched one after the other, a wait, 10 with host time before each. */
ITERATION(mixture)
{
    gsim_stream s = gsim_stream_create(d, 0);
    for (uint32_t i = 0; i < 10; i++) gsim_launch(d, OP(run, i), s);
    gsim_device_synchronize(d);
    for (uint32_t i = 10; i < 20; i++) {
        gsim_host_work(d, 30, "reads");
        gsim_launch(d, OP(run, i), s);
    }
}

static void test_mixture(void)
{
    struct explained e = begin_many(10, 4);
    explain_by(&e, mixture);
    IDLE(&e, GAP, 9, 1e-6);
    IDLE(&e, HOST_WORK, 30 + 9 * 20, 0.05 * 210);
    IDLE(&e, LAUNCH_CALLS, 2 + 10 * 2, 0.05 * 22);
    IDLE(&e, RESULT, 4, 0.05 * 4);
    release(&e);
}

/* A kernel of 100 us on one SM, behind it on its stream one of 10; one queue for both streams, so that the other
 * stream's kernel comes behind both; then the host works for 200 us, and two copies share an engine before the last
 * kernel. */
ITERATION(second_mixture)
{
    gsim_stream a = gsim_stream_create(d, 0), b = gsim_stream_create(d, 0);
    gsim_launch(d, OP(run, 0), a);
    gsim_launch(d, OP(run, 1), a);
    gsim_launch(d, OP(run, 2), b);
    gsim_device_synchronize(d);
    gsim_host_work(d, 200, "reads");
    gsim_memcpy_async(d, OP(run, 4), a);
    gsim_memcpy_async(d, OP(run, 5), b);
    gsim_launch(d, OP(run, 3), b);
}

static void test_second_mixture(void)
{
    const struct gsim_kernel kernels[] = {fixture_kernel("a", 1, 128, 100), fixture_kernel("b", 1, 128, 10),
                                          fixture_kernel("c", 1, 128, 20), fixture_kernel("d", 4, 128, 30)};
    const struct gsim_arg arg = {.buffer_index = 0, .writes = true};
    const struct gsim_op copy = {
        .kind = GSIM_OP_COPY, .copy_kind = GSIM_COPY_H2D, .args = &arg, .arg_count = 1, .bytes = 1000000, .stream = -1};
    const struct gsim_op copies[] = {copy, copy};
    struct explained e = begin(kernels, 4, copies, 2);
    e.f.device.hw_queues = 1;
    explain_by(&e, second_mixture);
    BUSY(&e, HW_QUEUE, 96, 0.05 * 96);
    IDLE(&e, HOST_WORK, 200, 0.05 * 200);
    BUSY(&e, COPY_ENGINE, 100, 0.05 * 100);
    BUSY(&e, DEPENDENCE, 100, 0.05 * 100);
    release(&e);
}

/* Whatever the scheduler and the memory, nothing is lost and nothing counted twice. */
static void test_sums(void)
{
    static const char *const workloads[] = {"vec", "img", "ml", "hits"};
    for (uint32_t w = 0; w < sizeof workloads / sizeof workloads[0]; w++)
        for (uint32_t i = 0; gsim_scheduler_at(i); i++)
            for (int memory = GSIM_MEMORY_MANAGED; memory <= GSIM_MEMORY_PAGEABLE; memory++) {
                const struct gsim_workload_ops *workload = gsim_workload_find(workloads[w]);
                const struct gsim_workload_options options = {.size = w == 0 ? 1e6 : 1000, .iterations = 2};
                for (size_t iteration = 0; iteration <= 2; iteration++) {
                    struct explained e = {.f.device = fixture_device(),
                                          .f.memory = (enum gsim_memory_mode)memory,
                                          .iteration = iteration < 2 ? iteration : GSIM_ALL_ITERATIONS};
                    CHECK_OK(workload->build(&options, &e.f.program, &e.f.error), e.f.error);
                    explain(&e, gsim_scheduler_at(i));
                    CHECK(e.x.makespan > 0);
                    release(&e);
                }
            }
}

static const struct test_case cases[] = {
    {"launch calls", test_launch_calls},
    {"waiting for a result", test_result},
    {"the host's own time", test_host_time},
    {"gaps of a chain", test_gap},
    {"dependence", test_dependence},
    {"hardware queue", test_hardware_queue},
    {"no room", test_room},
    {"resident kernels", test_resident_kernels},
    {"other calls", test_other_calls},
    {"launch queue", test_launch_queue},
    {"copy engine", test_copy_engine},
    {"path of copies", test_path_of_copies},
    {"graph gaps", test_graph_gap},
    {"unexplained", test_unexplained},
    {"mixture", test_mixture},
    {"another mixture", test_second_mixture},
    {"sums of all schedulers", test_sums},
};

TEST_MAIN("ask/whatif/causes", cases)
