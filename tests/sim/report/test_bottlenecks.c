/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a run is limited by, on hand-made timelines: every stretch of the chain is charged to the cause that the times
 * were made for, and all together are the makespan.
 */
#include "gpusim/metrics.h"
#include "tests/test.h"

#define US GSIM_PS_PER_US

static const struct gsim_device_spec device = {.name = "d",
                                               .compute_capability = 80,
                                               .warps_per_sm = 64,
                                               .sm_count = 10,
                                               .launch_to_start_us = 1,
                                               .stream_gap_us = 2,
                                               .event_gap_us = 2};

/* Op i reads the buffer i - 1 and writes the buffer i, except where a test says otherwise. */
#define OPS 4
static struct gsim_arg args[OPS][2];
static struct gsim_op ops[OPS];
static struct gsim_kernel kernels[OPS];
static struct gsim_program program;

static void reset(struct gsim_timeline *timeline)
{
    for (uint32_t i = 0; i < OPS; i++) {
        static const char *const names[] = {"a", "b", "c", "d"};
        args[i][0] = (struct gsim_arg){.buffer_index = i, .writes = true};
        args[i][1] = (struct gsim_arg){.buffer_index = i ? i - 1 : 0, .reads = true};
        kernels[i] = (struct gsim_kernel){.name = names[i]};
        ops[i] = (struct gsim_op){
            .kind = GSIM_OP_KERNEL, .index = i, .kernel_index = i, .args = args[i], .arg_count = i ? 2 : 1};
    }
    program = (struct gsim_program){
        .ops = ops, .op_count = OPS, .kernels = kernels, .kernel_count = OPS, .buffer_count = OPS};
    gsim_timeline_init(timeline, &program, true);
}

static void call(struct gsim_timeline *t, enum gsim_api api, uint32_t correlation, int64_t start, int64_t end,
                 int64_t waited)
{
    gsim_timeline_add_api(
        t, &(struct gsim_api_record){
               .api = api, .correlation = correlation, .start = start * US, .end = end * US, .waited = waited * US});
}

/* Op OP, launched by the call of its number plus 1. */
static void kernel(struct gsim_timeline *t, uint32_t op, uint32_t stream, int64_t launch, int64_t ready, int64_t start,
                   int64_t end)
{
    gsim_timeline_add_kernel(t, &(struct gsim_kernel_record){.op = op,
                                                             .kernel_index = op,
                                                             .stream = stream,
                                                             .correlation = op + 1,
                                                             .launch = launch * US,
                                                             .ready = ready * US,
                                                             .start = start * US,
                                                             .end = end * US});
}

static void occupancy(struct gsim_timeline *t, int64_t time, uint32_t sms)
{
    gsim_timeline_add_occupancy(t, &(struct gsim_occupancy_record){.time = time * US, .busy_sms = sms});
}

/* EXPECTED: per cause, in us. Releases the timeline. */
static void check(struct gsim_timeline *t, const struct gsim_kernel_alone *alone,
                  const int64_t expected[GSIM_BOTTLENECK_COUNT], enum gsim_bottleneck greatest, const char *detail)
{
    struct gsim_metrics m;
    struct gsim_error error = {0};
    gsim_time sum = 0;
    CHECK_OK(gsim_metrics_compute(t, &device, alone, &m, &error), error);
    CHECK(m.has_bottlenecks);
    for (int i = 0; i < GSIM_BOTTLENECK_COUNT; i++) {
        CHECK_MSG(m.bottleneck_time[i] == expected[i] * US, "%s: %g us, expected %d",
                  gsim_bottleneck_name((enum gsim_bottleneck)i), gsim_time_us(m.bottleneck_time[i]), (int)expected[i]);
        sum += m.bottleneck_time[i];
    }
    CHECK(sum == m.makespan);
    CHECK_STR(gsim_bottleneck_name(m.bottleneck), gsim_bottleneck_name(greatest));
    CHECK_STR(m.bottleneck_detail ? m.bottleneck_detail : "", detail);
    gsim_timeline_release(t);
}

/* 100 us of host work, then a kernel of 10 us whose launch takes 4, and a synchronise that returns 3 after its end. */
static void host(void)
{
    struct gsim_timeline t;
    reset(&t);
    call(&t, GSIM_API_HOST_WORK, 0, 0, 100, 0);
    call(&t, GSIM_API_LAUNCH, 1, 100, 104, 0);
    kernel(&t, 0, 1, 100, 105, 105, 115);
    call(&t, GSIM_API_DEVICE_SYNC, 9, 104, 118, 14);
    occupancy(&t, 105, 10);
    occupancy(&t, 115, 0);
    check(&t, NULL,
          (const int64_t[GSIM_BOTTLENECK_COUNT]){
              [GSIM_BOTTLENECK_HOST] = 107, [GSIM_BOTTLENECK_GAPS] = 1, [GSIM_BOTTLENECK_SMS] = 10},
          GSIM_BOTTLENECK_HOST, "host work");
}

/* Three kernels one after the other in streams of their own, on half of the SMs; none takes half of that time. */
static void dependence(void)
{
    struct gsim_timeline t;
    reset(&t);
    for (uint32_t i = 0; i < 3; i++) call(&t, GSIM_API_LAUNCH, i + 1, i, i + 1, 0);
    kernel(&t, 0, 1, 0, 2, 2, 32);
    kernel(&t, 1, 2, 1, 34, 34, 64);
    kernel(&t, 2, 3, 2, 66, 66, 96);
    call(&t, GSIM_API_DEVICE_SYNC, 9, 3, 97, 94);
    occupancy(&t, 2, 5);
    occupancy(&t, 96, 0);
    check(&t, NULL,
          (const int64_t[GSIM_BOTTLENECK_COUNT]){
              [GSIM_BOTTLENECK_HOST] = 2, [GSIM_BOTTLENECK_GAPS] = 5, [GSIM_BOTTLENECK_DEPENDENCE] = 90},
          GSIM_BOTTLENECK_DEPENDENCE, "");
}

/* The same with one kernel that takes most of it. */
static void one_kernel(void)
{
    struct gsim_timeline t;
    reset(&t);
    for (uint32_t i = 0; i < 2; i++) call(&t, GSIM_API_LAUNCH, i + 1, i, i + 1, 0);
    kernel(&t, 0, 1, 0, 2, 2, 12);
    kernel(&t, 1, 2, 1, 14, 14, 94);
    call(&t, GSIM_API_DEVICE_SYNC, 9, 2, 95, 93);
    occupancy(&t, 2, 5);
    occupancy(&t, 94, 0);
    check(&t, NULL,
          (const int64_t[GSIM_BOTTLENECK_COUNT]){[GSIM_BOTTLENECK_HOST] = 2,
                                                 [GSIM_BOTTLENECK_GAPS] = 3,
                                                 [GSIM_BOTTLENECK_DEPENDENCE] = 10,
                                                 [GSIM_BOTTLENECK_KERNEL] = 80},
          GSIM_BOTTLENECK_KERNEL, "b");
}

/* b needs nothing of a, its launch returned at 2, and it starts when a has ended: 3 us (1.5 gaps of 2) may be the front
 * end's way, the rest stands in the queue. Its 10 us at the end, a in front does not count. */
static void queue(void)
{
    struct gsim_timeline t;
    reset(&t);
    ops[1].arg_count = 1;
    call(&t, GSIM_API_LAUNCH, 1, 0, 1, 0);
    call(&t, GSIM_API_LAUNCH, 2, 1, 2, 0);
    kernel(&t, 0, 1, 0, 2, 2, 50);
    kernel(&t, 1, 2, 1, 52, 52, 62);
    call(&t, GSIM_API_DEVICE_SYNC, 9, 2, 62, 60);
    occupancy(&t, 2, 10);
    occupancy(&t, 62, 0);
    check(&t, NULL,
          (const int64_t[GSIM_BOTTLENECK_COUNT]){[GSIM_BOTTLENECK_HOST] = 2,
                                                 [GSIM_BOTTLENECK_GAPS] = 3,
                                                 [GSIM_BOTTLENECK_QUEUES] = 47,
                                                 [GSIM_BOTTLENECK_SMS] = 10},
          GSIM_BOTTLENECK_QUEUES, "");
}

/* The same behind an event: what the stream waits for is a dependence, though the program has none. */
static void event(void)
{
    struct gsim_timeline t;
    reset(&t);
    ops[1].arg_count = 1;
    call(&t, GSIM_API_LAUNCH, 1, 0, 1, 0);
    call(&t, GSIM_API_LAUNCH, 2, 1, 2, 0);
    kernel(&t, 0, 1, 0, 2, 2, 50);
    gsim_timeline_add_wait(&t, &(struct gsim_wait_record){.correlation = 1,
                                                          .record_correlation = 1,
                                                          .waiting_stream = 2,
                                                          .recorded_stream = 1,
                                                          .recorded = 50 * US,
                                                          .satisfied = 50 * US});
    kernel(&t, 1, 2, 1, 52, 52, 62);
    call(&t, GSIM_API_DEVICE_SYNC, 9, 2, 62, 60);
    occupancy(&t, 2, 10);
    occupancy(&t, 62, 0);
    check(&t, NULL,
          (const int64_t[GSIM_BOTTLENECK_COUNT]){
              [GSIM_BOTTLENECK_HOST] = 1, [GSIM_BOTTLENECK_GAPS] = 3, [GSIM_BOTTLENECK_SMS] = 58},
          GSIM_BOTTLENECK_SMS, "");
}

/* A copy of 80 us, the kernel that reads it, then 5 of its 20 us for a page fault of its own; it needs DRAM throughout.
 */
static void link_and_dram(void)
{
    const struct gsim_kernel_alone alone[OPS] = {{.time = 20 * US, .dram_us = 18}};
    struct gsim_timeline t;
    reset(&t);
    call(&t, GSIM_API_MEMCPY, 9, 0, 1, 0);
    call(&t, GSIM_API_LAUNCH, 1, 1, 2, 0);
    gsim_timeline_add_copy(
        &t,
        &(struct gsim_copy_record){
            .op = 0, .correlation = 9, .stream = 1, .buffer_index = 0, .launch = 0, .start = 1 * US, .end = 81 * US});
    gsim_timeline_add_copy(&t, &(struct gsim_copy_record){.op = 0,
                                                          .correlation = 1,
                                                          .stream = 1,
                                                          .buffer_index = 0,
                                                          .reason = GSIM_REASON_FAULT,
                                                          .launch = 1 * US,
                                                          .start = 84 * US,
                                                          .end = 89 * US});
    kernel(&t, 0, 1, 1, 82, 82, 102);
    call(&t, GSIM_API_DEVICE_SYNC, 10, 2, 102, 100);
    occupancy(&t, 82, 10);
    occupancy(&t, 102, 0);
    check(&t, alone,
          (const int64_t[GSIM_BOTTLENECK_COUNT]){[GSIM_BOTTLENECK_HOST] = 1,
                                                 [GSIM_BOTTLENECK_GAPS] = 1,
                                                 [GSIM_BOTTLENECK_LINK] = 85,
                                                 [GSIM_BOTTLENECK_DRAM] = 15},
          GSIM_BOTTLENECK_LINK, "");
}

/* A kernel that finds the SMs full stands for SMs while it waits for room. */
static void room(void)
{
    struct gsim_timeline t;
    reset(&t);
    ops[1].arg_count = 1;
    call(&t, GSIM_API_LAUNCH, 1, 0, 1, 0);
    call(&t, GSIM_API_LAUNCH, 2, 1, 2, 0);
    kernel(&t, 0, 1, 0, 2, 2, 50);
    kernel(&t, 1, 2, 1, 3, 48, 98);
    call(&t, GSIM_API_DEVICE_SYNC, 9, 2, 98, 96);
    occupancy(&t, 2, 10);
    occupancy(&t, 98, 0);
    check(&t, NULL,
          (const int64_t[GSIM_BOTTLENECK_COUNT]){
              [GSIM_BOTTLENECK_HOST] = 2, [GSIM_BOTTLENECK_GAPS] = 1, [GSIM_BOTTLENECK_SMS] = 95},
          GSIM_BOTTLENECK_SMS, "");
}

/* A copy that the host, or a launch without page faults, has managed memory make: no call's number is on it. */
static void migration(struct gsim_timeline *t, uint32_t buffer, enum gsim_copy_kind kind, int64_t start, int64_t end)
{
    gsim_timeline_add_copy(t, &(struct gsim_copy_record){.op = OPS,
                                                         .kind = kind,
                                                         .reason = GSIM_REASON_FAULT,
                                                         .buffer_index = buffer,
                                                         .launch = start * US,
                                                         .start = start * US,
                                                         .end = end * US});
}

/* The host waits for a (30 us), reads its result (20 us) and launches b (10 us) for it: all of that is the chain, and
 * each launch counts for its own microseconds alone. Two calls of 4 and 1, two returns of 3, and 1 from each call to
 * its kernel. */
static void host_read(void)
{
    struct gsim_timeline t;
    reset(&t);
    call(&t, GSIM_API_LAUNCH, 1, 0, 1, 0);
    kernel(&t, 0, 1, 0, 2, 2, 32);
    call(&t, GSIM_API_DEVICE_SYNC, 5, 1, 35, 31);
    migration(&t, 0, GSIM_COPY_D2H, 35, 55);
    call(&t, GSIM_API_HOST_ACCESS, 6, 35, 55, 20);
    call(&t, GSIM_API_LAUNCH, 2, 55, 59, 0);
    kernel(&t, 1, 1, 55, 60, 60, 70);
    call(&t, GSIM_API_DEVICE_SYNC, 9, 59, 73, 11);
    occupancy(&t, 2, 10);
    occupancy(&t, 73, 0);
    check(&t, NULL,
          (const int64_t[GSIM_BOTTLENECK_COUNT]){[GSIM_BOTTLENECK_HOST] = 11,
                                                 [GSIM_BOTTLENECK_GAPS] = 2,
                                                 [GSIM_BOTTLENECK_LINK] = 20,
                                                 [GSIM_BOTTLENECK_SMS] = 40},
          GSIM_BOTTLENECK_SMS, "");
}

/* The same with the read last, and another thread's call that begins during the copy: it did not wait for that. */
static void host_read_last(void)
{
    struct gsim_timeline t;
    reset(&t);
    call(&t, GSIM_API_LAUNCH, 1, 0, 1, 0);
    kernel(&t, 0, 1, 0, 2, 2, 32);
    call(&t, GSIM_API_DEVICE_SYNC, 5, 1, 35, 31);
    gsim_timeline_add_api(
        &t, &(struct gsim_api_record){
                .api = GSIM_API_HOST_WORK, .thread = 1, .correlation = 7, .start = 50 * US, .end = 55 * US});
    migration(&t, 0, GSIM_COPY_D2H, 35, 55);
    call(&t, GSIM_API_HOST_ACCESS, 6, 35, 55, 20);
    occupancy(&t, 2, 10);
    occupancy(&t, 55, 0);
    check(&t, NULL,
          (const int64_t[GSIM_BOTTLENECK_COUNT]){[GSIM_BOTTLENECK_HOST] = 4,
                                                 [GSIM_BOTTLENECK_GAPS] = 1,
                                                 [GSIM_BOTTLENECK_SMS] = 30,
                                                 [GSIM_BOTTLENECK_LINK] = 20},
          GSIM_BOTTLENECK_SMS, "");
}

/* A launch without page faults waits 40 us for its data. It follows a kernel of 20 us that the host waited for. */
static void launch_moves_data(void)
{
    struct gsim_timeline t;
    reset(&t);
    call(&t, GSIM_API_LAUNCH, 1, 0, 1, 0);
    kernel(&t, 0, 1, 0, 2, 2, 22);
    call(&t, GSIM_API_DEVICE_SYNC, 5, 1, 24, 21);
    migration(&t, 2, GSIM_COPY_H2D, 24, 64);
    call(&t, GSIM_API_LAUNCH, 2, 24, 68, 40);
    kernel(&t, 1, 1, 24, 69, 69, 79);
    call(&t, GSIM_API_DEVICE_SYNC, 9, 68, 79, 11);
    occupancy(&t, 2, 10);
    occupancy(&t, 79, 0);
    check(&t, NULL,
          (const int64_t[GSIM_BOTTLENECK_COUNT]){[GSIM_BOTTLENECK_HOST] = 7,
                                                 [GSIM_BOTTLENECK_GAPS] = 2,
                                                 [GSIM_BOTTLENECK_LINK] = 40,
                                                 [GSIM_BOTTLENECK_SMS] = 30},
          GSIM_BOTTLENECK_LINK, "");
}

/* The host waits for an event behind a (until 20) and returns at 25; that c of another stream ends meanwhile (23) frees
 * nobody. */
static void synchronise(void)
{
    struct gsim_timeline t;
    reset(&t);
    call(&t, GSIM_API_LAUNCH, 1, 0, 1, 0);
    call(&t, GSIM_API_LAUNCH, 3, 1, 2, 0);
    kernel(&t, 0, 1, 0, 2, 2, 20);
    kernel(&t, 2, 2, 1, 3, 3, 23);
    call(&t, GSIM_API_EVENT_SYNC, 5, 2, 25, 18);
    call(&t, GSIM_API_LAUNCH, 2, 25, 29, 0);
    kernel(&t, 1, 1, 25, 30, 30, 40);
    call(&t, GSIM_API_DEVICE_SYNC, 9, 29, 40, 11);
    occupancy(&t, 2, 10);
    occupancy(&t, 40, 0);
    check(&t, NULL,
          (const int64_t[GSIM_BOTTLENECK_COUNT]){
              [GSIM_BOTTLENECK_HOST] = 10, [GSIM_BOTTLENECK_GAPS] = 2, [GSIM_BOTTLENECK_SMS] = 28},
          GSIM_BOTTLENECK_SMS, "");
}

/* Without calls there is nobody to blame: nothing is said. */
static void without_detail(void)
{
    struct gsim_timeline t;
    struct gsim_metrics m;
    struct gsim_error error = {0};
    reset(&t);
    t.detailed = false;
    kernel(&t, 0, 1, 0, 2, 2, 50);
    CHECK_OK(gsim_metrics_compute(&t, &device, NULL, &m, &error), error);
    CHECK(!m.has_bottlenecks);
    gsim_timeline_release(&t);
}

static const struct test_case cases[] = {
    {"host", host},
    {"dependence", dependence},
    {"a single kernel", one_kernel},
    {"hardware queues", queue},
    {"an event", event},
    {"link and DRAM", link_and_dram},
    {"no room on the SMs", room},
    {"a host read", host_read},
    {"a host read at the end", host_read_last},
    {"a launch that moves data", launch_moves_data},
    {"a synchronise", synchronise},
    {"no calls recorded", without_detail},
};

TEST_MAIN("report/bottlenecks", cases)
