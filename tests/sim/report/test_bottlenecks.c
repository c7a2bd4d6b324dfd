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

/* One record of a scene, whose times are us from its begin:
 *   launch|work|memcpy|event-sync|device-sync|access CORRELATION START END WAITED [THREAD]     a call of the host
 *   kernel OP STREAM LAUNCH READY START END     launched by the call of correlation OP + 1
 *   copy OP CORRELATION START END               of buffer 0, in stream 1, asked for at 0
 *   fault CORRELATION LAUNCH START END          the same for a page fault of that call
 *   to-host|to-device BUFFER START END          what managed memory moves without a call's number
 *   wait RECORDED                               stream 2 for what call 1 recorded in stream 1
 *   sms TIME COUNT                              so many SMs are busy from now on */
static void add(struct gsim_timeline *t, const char *record)
{
    static const struct {
        const char *name;
        enum gsim_api api;
    } calls[] = {{"launch", GSIM_API_LAUNCH},         {"work", GSIM_API_HOST_WORK},
                 {"memcpy", GSIM_API_MEMCPY},         {"event-sync", GSIM_API_EVENT_SYNC},
                 {"device-sync", GSIM_API_DEVICE_SYNC}, {"access", GSIM_API_HOST_ACCESS}};
    char word[16];
    long long n[6] = {0};
    int count = sscanf(record, "%15s %lld %lld %lld %lld %lld %lld", word, n, n + 1, n + 2, n + 3, n + 4, n + 5);
    CHECK_MSG(count >= 2, "%s", record);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(word, calls[i].name) == 0) {
            gsim_timeline_add_api(t, &(struct gsim_api_record){.api = calls[i].api,
                                                               .correlation = (uint32_t)n[0],
                                                               .start = n[1] * US,
                                                               .end = n[2] * US,
                                                               .waited = n[3] * US,
                                                               .thread = (uint32_t)n[4]});
            return;
        }
    struct gsim_copy_record copy = {.op = OPS, .stream = 1, .reason = GSIM_REASON_FAULT};
    bool is_to_host = strcmp(word, "to-host") == 0;
    if (strcmp(word, "kernel") == 0) {
        gsim_timeline_add_kernel(t, &(struct gsim_kernel_record){.op = (uint32_t)n[0],
                                                                 .kernel_index = (uint32_t)n[0],
                                                                 .stream = (uint32_t)n[1],
                                                                 .correlation = (uint32_t)n[0] + 1,
                                                                 .launch = n[2] * US,
                                                                 .ready = n[3] * US,
                                                                 .start = n[4] * US,
                                                                 .end = n[5] * US});
    } else if (strcmp(word, "wait") == 0) {
        gsim_timeline_add_wait(t, &(struct gsim_wait_record){.correlation = 1,
                                                             .record_correlation = 1,
                                                             .waiting_stream = 2,
                                                             .recorded_stream = 1,
                                                             .recorded = n[0] * US,
                                                             .satisfied = n[0] * US});
    } else if (strcmp(word, "sms") == 0) {
        gsim_timeline_add_occupancy(t, &(struct gsim_occupancy_record){.time = n[0] * US, .busy_sms = (uint32_t)n[1]});
    } else if (strcmp(word, "copy") == 0 || strcmp(word, "fault") == 0) {
        copy.op = 0;
        copy.reason = *word == 'c' ? GSIM_REASON_EXPLICIT : GSIM_REASON_FAULT;
        copy.correlation = (uint32_t)n[*word == 'c'];
        copy.launch = *word == 'c' ? 0 : n[1] * US, copy.start = n[2] * US, copy.end = n[3] * US;
        gsim_timeline_add_copy(t, &copy);
    } else if (is_to_host || strcmp(word, "to-device") == 0) {
        copy.kind = is_to_host ? GSIM_COPY_D2H : GSIM_COPY_H2D;
        copy.stream = 0, copy.buffer_index = (uint32_t)n[0];
        copy.launch = copy.start = n[1] * US, copy.end = n[2] * US;
        gsim_timeline_add_copy(t, &copy);
    } else {
        CHECK_MSG(false, "unknown record '%s'", record);
    }
}

/* What a scene is made of, and what the run is limited by: us of each cause, the greatest, its detail. */
struct scene {
    const char *what, *records[14];
    int64_t us[GSIM_BOTTLENECK_COUNT];
    enum gsim_bottleneck greatest;
    const char *detail;
    bool is_apart;  /* b does not read what a wrote */
    double dram_us; /* that op 0's kernel needs, of 20 us alone; 0: not known */
};
#define HOST       [GSIM_BOTTLENECK_HOST]
#define GAPS       [GSIM_BOTTLENECK_GAPS]
#define QUEUES     [GSIM_BOTTLENECK_QUEUES]
#define SMS        [GSIM_BOTTLENECK_SMS]
#define LINK       [GSIM_BOTTLENECK_LINK]
#define DRAM       [GSIM_BOTTLENECK_DRAM]
#define DEPENDENCE [GSIM_BOTTLENECK_DEPENDENCE]
#define KERNEL     [GSIM_BOTTLENECK_KERNEL]

static const struct scene scenes[] = {
    {"100 us of host work, then a kernel of 10 us whose launch takes 4, and a synchronise that returns 3 after its end",
     {"work 0 0 100 0", "launch 1 100 104 0", "kernel 0 1 100 105 105 115", "device-sync 9 104 118 14", "sms 105 10",
      "sms 115 0"},
     {HOST = 107, GAPS = 1, SMS = 10},
     .greatest = GSIM_BOTTLENECK_HOST,
     .detail = "host work"},
    {"three kernels one after the other in streams of their own, on half of the SMs; none takes half of that time",
     {"launch 1 0 1 0", "launch 2 1 2 0", "launch 3 2 3 0", "kernel 0 1 0 2 2 32", "kernel 1 2 1 34 34 64",
      "kernel 2 3 2 66 66 96", "device-sync 9 3 97 94", "sms 2 5", "sms 96 0"},
     {HOST = 2, GAPS = 5, DEPENDENCE = 90},
     .greatest = GSIM_BOTTLENECK_DEPENDENCE},
    {"the same with one kernel that takes most of it",
     {"launch 1 0 1 0", "launch 2 1 2 0", "kernel 0 1 0 2 2 12", "kernel 1 2 1 14 14 94", "device-sync 9 2 95 93",
      "sms 2 5", "sms 94 0"},
     {HOST = 2, GAPS = 3, DEPENDENCE = 10, KERNEL = 80},
     .greatest = GSIM_BOTTLENECK_KERNEL,
     .detail = "b"},
    /* 3 us (1.5 gaps of 2) may be the front end's way, the rest stands in the queue. The 10 us at the end count, a in
     * front does not. */
    {"b needs nothing of a, its launch returned at 2, and it starts when a has ended",
     {"launch 1 0 1 0", "launch 2 1 2 0", "kernel 0 1 0 2 2 50", "kernel 1 2 1 52 52 62", "device-sync 9 2 62 60",
      "sms 2 10", "sms 62 0"},
     {HOST = 2, GAPS = 3, QUEUES = 47, SMS = 10},
     .greatest = GSIM_BOTTLENECK_QUEUES,
     .is_apart = true},
    {"the same behind an event: what the stream waits for is a dependence, though the program has none",
     {"launch 1 0 1 0", "launch 2 1 2 0", "kernel 0 1 0 2 2 50", "wait 50", "kernel 1 2 1 52 52 62",
      "device-sync 9 2 62 60", "sms 2 10", "sms 62 0"},
     {HOST = 1, GAPS = 3, SMS = 58},
     .greatest = GSIM_BOTTLENECK_SMS,
     .is_apart = true},
    {"a copy of 80 us, the kernel that reads it, then 5 of its 20 us for a page fault of its own; it needs DRAM "
     "throughout",
     {"memcpy 9 0 1 0", "launch 1 1 2 0", "copy 0 9 1 81", "fault 1 1 84 89", "kernel 0 1 1 82 82 102",
      "device-sync 10 2 102 100", "sms 82 10", "sms 102 0"},
     {HOST = 1, GAPS = 1, LINK = 85, DRAM = 15},
     .greatest = GSIM_BOTTLENECK_LINK,
     .dram_us = 18},
    {"a kernel that finds the SMs full stands for SMs while it waits for room",
     {"launch 1 0 1 0", "launch 2 1 2 0", "kernel 0 1 0 2 2 50", "kernel 1 2 1 3 48 98", "device-sync 9 2 98 96",
      "sms 2 10", "sms 98 0"},
     {HOST = 2, GAPS = 1, SMS = 95},
     .greatest = GSIM_BOTTLENECK_SMS,
     .is_apart = true},
    /* All of that is the chain, and each launch counts for its own microseconds alone: two calls of 4 and 1, two
     * returns of 3, and 1 from each call to its kernel. */
    {"the host waits for a (30 us), reads its result (20 us) and launches b (10 us) for it",
     {"launch 1 0 1 0", "kernel 0 1 0 2 2 32", "device-sync 5 1 35 31", "to-host 0 35 55", "access 6 35 55 20",
      "launch 2 55 59 0", "kernel 1 1 55 60 60 70", "device-sync 9 59 73 11", "sms 2 10", "sms 73 0"},
     {HOST = 11, GAPS = 2, LINK = 20, SMS = 40},
     .greatest = GSIM_BOTTLENECK_SMS},
    {"the same with the read last, and another thread's call that begins during the copy: it did not wait for that",
     {"launch 1 0 1 0", "kernel 0 1 0 2 2 32", "device-sync 5 1 35 31", "work 7 50 55 0 1", "to-host 0 35 55",
      "access 6 35 55 20", "sms 2 10", "sms 55 0"},
     {HOST = 4, GAPS = 1, SMS = 30, LINK = 20},
     .greatest = GSIM_BOTTLENECK_SMS},
    {"a launch without page faults waits 40 us for its data; it follows a kernel of 20 us that the host waited for",
     {"launch 1 0 1 0", "kernel 0 1 0 2 2 22", "device-sync 5 1 24 21", "to-device 2 24 64", "launch 2 24 68 40",
      "kernel 1 1 24 69 69 79", "device-sync 9 68 79 11", "sms 2 10", "sms 79 0"},
     {HOST = 7, GAPS = 2, LINK = 40, SMS = 30},
     .greatest = GSIM_BOTTLENECK_LINK},
    {"the host waits for an event behind a (until 20) and returns at 25; c of another stream ends meanwhile (23), "
     "which frees nobody",
     {"launch 1 0 1 0", "launch 3 1 2 0", "kernel 0 1 0 2 2 20", "kernel 2 2 1 3 3 23", "event-sync 5 2 25 18",
      "launch 2 25 29 0", "kernel 1 1 25 30 30 40", "device-sync 9 29 40 11", "sms 2 10", "sms 40 0"},
     {HOST = 10, GAPS = 2, SMS = 28},
     .greatest = GSIM_BOTTLENECK_SMS},
};

static void test_scenes(void)
{
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++) {
        const struct scene *scene = &scenes[s];
        const struct gsim_kernel_alone alone[OPS] = {{.time = 20 * US, .dram_us = scene->dram_us}};
        struct gsim_timeline t;
        struct gsim_metrics m;
        struct gsim_error error = {0};
        gsim_time sum = 0;
        reset(&t);
        if (scene->is_apart) ops[1].arg_count = 1;
        for (size_t i = 0; i < 14 && scene->records[i]; i++) add(&t, scene->records[i]);
        CHECK_OK(gsim_metrics_compute(&t, &device, scene->dram_us > 0 ? alone : NULL, &m, &error), error);
        CHECK_MSG(m.has_bottlenecks, "%s", scene->what);
        for (int i = 0; i < GSIM_BOTTLENECK_COUNT; i++) {
            CHECK_MSG(m.bottleneck_time[i] == scene->us[i] * US, "%s: %s: %g us, expected %d", scene->what,
                      gsim_bottleneck_name((enum gsim_bottleneck)i), gsim_time_us(m.bottleneck_time[i]),
                      (int)scene->us[i]);
            sum += m.bottleneck_time[i];
        }
        CHECK_INT(sum, m.makespan);
        CHECK_STR(gsim_bottleneck_name(m.bottleneck), gsim_bottleneck_name(scene->greatest));
        CHECK_STR(m.bottleneck_detail ? m.bottleneck_detail : "", scene->detail ? scene->detail : "");
        gsim_timeline_release(&t);
    }
}

/* Without calls there is nobody to blame: nothing is said. */
static void without_detail(void)
{
    struct gsim_timeline t;
    struct gsim_metrics m;
    struct gsim_error error = {0};
    reset(&t);
    t.detailed = false;
    add(&t, "kernel 0 1 0 2 2 50");
    CHECK_OK(gsim_metrics_compute(&t, &device, NULL, &m, &error), error);
    CHECK(!m.has_bottlenecks);
    gsim_timeline_release(&t);
}

static const struct test_case cases[] = {{"scenes", test_scenes}, {"no calls recorded", without_detail}};

TEST_MAIN("sim/report/bottlenecks", cases)
