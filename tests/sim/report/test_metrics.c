/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figures of merit of hand-made timelines, all expected values worked out by hand. Overlap (GrCUDA): an op
 * counts for the time during which an op of an earlier start is under way, so CC and TOT are
 * (sum - union) / sum, and CT, TC the shares covered by the other kind.
 */
#include "gpusim/metrics.h"

#include "tests/test.h"

#define US GSIM_PS_PER_US

static void add_kernel(struct gsim_timeline *timeline, uint32_t kernel, int64_t start_us, int64_t end_us)
{
    gsim_timeline_add_kernel(
        timeline, &(struct gsim_kernel_record){.kernel_index = kernel, .start = start_us * US, .end = end_us * US});
}

static void add_copy(struct gsim_timeline *timeline, enum gsim_copy_kind kind, uint64_t bytes, int64_t start_us,
                     int64_t end_us)
{
    gsim_timeline_add_copy(
        timeline, &(struct gsim_copy_record){.kind = kind, .bytes = bytes, .start = start_us * US, .end = end_us * US});
}

static struct gsim_device_spec device(void)
{
    return (struct gsim_device_spec){.name = "d",
                                     .compute_capability = 80,
                                     .warps_per_sm = 64,
                                     .sm_count = 10,
                                     .clock_mhz = 1000,
                                     .fp32_lanes_per_sm = 100,
                                     .load_store_per_sm = 32,
                                     .fp64_ratio = 0.5,
                                     .dram_gbps = 100,
                                     .h2d_gbps = 10,
                                     .d2h_gbps = 5,
                                     .d2d_gbps = 50,
                                     .prefetch_gbps = 8};
}

/* Kernel a 0-10, b 5-15, copy x 8-20, copy y 30-34.
 * CT: a 8-10 (2), b 8-15 (7): 9 of 20. TC: x 8-15 (7) of 16. CC: 5-10 (5) of 20.
 * TOT: sum 36; union 0-20 and 30-34 = 24; 12 of 36. */
static void overlap_by_hand(void)
{
    struct gsim_timeline timeline;
    struct gsim_metrics metrics = {0};
    struct gsim_error error = {0};
    gsim_timeline_init(&timeline, NULL, false);
    add_kernel(&timeline, 0, 5, 15);
    add_copy(&timeline, GSIM_COPY_H2D, 1, 30, 34);
    add_kernel(&timeline, 0, 0, 10);
    add_copy(&timeline, GSIM_COPY_H2D, 1, 8, 20);
    CHECK_OK(gsim_metrics_overlap(&timeline, &metrics, &error), error);
    CHECK_NEAR(metrics.overlap.compute_transfer, 9.0 / 20, 1e-12);
    CHECK_NEAR(metrics.overlap.transfer_compute, 7.0 / 16, 1e-12);
    CHECK_NEAR(metrics.overlap.compute_compute, 5.0 / 20, 1e-12);
    CHECK_NEAR(metrics.overlap.total, 12.0 / 36, 1e-12);
    CHECK_INT(metrics.kernel_time, 20 * US);
    CHECK_INT(metrics.transfer_time, 16 * US);
    CHECK_INT(metrics.device_busy, 24 * US);
    gsim_timeline_release(&timeline);
}

/* Three kernels at once: the second and third each overlap with what came before, once. (30 - 10) / 30. */
static void overlap_counts_unions_once(void)
{
    struct gsim_timeline timeline;
    struct gsim_metrics metrics = {0};
    struct gsim_error error = {0};
    gsim_timeline_init(&timeline, NULL, false);
    for (int i = 0; i < 3; i++) add_kernel(&timeline, 0, 0, 10);
    CHECK_OK(gsim_metrics_overlap(&timeline, &metrics, &error), error);
    CHECK_NEAR(metrics.overlap.compute_compute, 20.0 / 30, 1e-12);
    CHECK_NEAR(metrics.overlap.total, 20.0 / 30, 1e-12);
    CHECK_NEAR(metrics.overlap.compute_transfer, 0, 0);
    CHECK_NEAR(metrics.overlap.transfer_compute, 0, 0);
    gsim_timeline_release(&timeline);
}

/* VEC on a GTX 960 from the medians that GrCUDA's artifact gives (nvprof, 20 July 2020, 8e7 elements): two
 * copies of 320 MB at 12.2 GB/s, the squares (15.14 and 14.69 ms) after their copies, the second 27.3 ms after
 * the first, then the reduction (13.99 ms). Published: CT .337, TC .283, CC 0, TOT .154. */
static void published_overlap_of_vec(void)
{
    struct gsim_timeline timeline;
    struct gsim_metrics metrics = {0};
    struct gsim_error error = {0};
    gsim_timeline_init(&timeline, NULL, false);
    add_copy(&timeline, GSIM_COPY_H2D, 320000000, 0, 26230);
    add_copy(&timeline, GSIM_COPY_H2D, 320000000, 26230, 52460);
    add_kernel(&timeline, 0, 26300, 26300 + 15140);
    add_kernel(&timeline, 0, 53600, 53600 + 14690);
    add_kernel(&timeline, 0, 68300, 68300 + 13990);
    CHECK_OK(gsim_metrics_overlap(&timeline, &metrics, &error), error);
    CHECK_NEAR(metrics.overlap.compute_transfer, 0.337, 0.01);
    CHECK_NEAR(metrics.overlap.transfer_compute, 0.283, 0.01);
    CHECK_NEAR(metrics.overlap.compute_compute, 0, 0);
    CHECK_NEAR(metrics.overlap.total, 0.154, 0.01);
    gsim_timeline_release(&timeline);
}

static void back_to_back_is_no_overlap(void)
{
    struct gsim_timeline timeline;
    struct gsim_metrics metrics = {0};
    struct gsim_error error = {0};
    gsim_timeline_init(&timeline, NULL, false);
    add_kernel(&timeline, 0, 0, 10);
    add_kernel(&timeline, 0, 10, 20);
    add_kernel(&timeline, 0, 20, 20);
    add_copy(&timeline, GSIM_COPY_D2H, 1, 20, 25);
    CHECK_OK(gsim_metrics_overlap(&timeline, &metrics, &error), error);
    CHECK_NEAR(metrics.overlap.total, 0, 0);
    CHECK_INT(metrics.device_busy, 25 * US);
    gsim_timeline_release(&timeline);
}

static void nothing_at_all(void)
{
    struct gsim_program program = {.name = "empty"};
    struct gsim_device_spec spec = device();
    struct gsim_timeline timeline;
    struct gsim_metrics metrics;
    struct gsim_error error = {0};
    gsim_timeline_init(&timeline, &program, true);
    CHECK_OK(gsim_metrics_compute(&timeline, &spec, NULL, &metrics, &error), error);
    CHECK_INT(metrics.makespan, 0);
    CHECK_NEAR(metrics.overlap.total, 0, 0);
    CHECK(isnan(metrics.sm_busy_ratio));
    gsim_timeline_release(&timeline);
}

/* Makespan 40 us. SMs (10, 64 warps each): 0-10 all with 160 warps, 10-20 five with 160 warps, 20-40 none:
 * busy = (10*10 + 5*10) / (10*40) = 0.375; occupancy = (160*10 + 160*10) / ((100 + 50) * 64) = 1/3.
 * Host: calls 0-5 and 10-40 of which 28 blocked: busy 7, waited 28. The same where records are summed. */
static void use_of(bool is_summed)
{
    struct gsim_program program = {.name = "p"};
    struct gsim_device_spec spec = device();
    struct gsim_timeline timeline;
    struct gsim_metrics m;
    struct gsim_error error = {0};
    gsim_timeline_init(&timeline, &program, true);
    if (is_summed) CHECK(gsim_timeline_fold(&timeline));
    gsim_timeline_add_occupancy(&timeline, &(struct gsim_occupancy_record){.time = 0, .busy_sms = 10, .warps = 160});
    gsim_timeline_add_occupancy(&timeline,
                                &(struct gsim_occupancy_record){.time = 10 * US, .busy_sms = 5, .warps = 160});
    gsim_timeline_add_occupancy(&timeline, &(struct gsim_occupancy_record){.time = 20 * US});
    gsim_timeline_add_api(&timeline, &(struct gsim_api_record){.api = GSIM_API_LAUNCH, .end = 5 * US});
    gsim_timeline_add_api(
        &timeline,
        &(struct gsim_api_record){.api = GSIM_API_DEVICE_SYNC, .start = 10 * US, .end = 40 * US, .waited = 28 * US});
    add_copy(&timeline, GSIM_COPY_H2D, 1000, 0, 1);
    add_copy(&timeline, GSIM_COPY_H2D, 500, 1, 2);
    add_copy(&timeline, GSIM_COPY_D2H, 70, 3, 6);
    int64_t ends[] = {10, 14, 30};
    for (int i = 0; i < 3; i++)
        gsim_timeline_add_iteration(
            &timeline, &(struct gsim_iteration_record){.start = (ends[i] - 2 * i - 3) * US, .end = ends[i] * US});
    CHECK_OK(gsim_metrics_compute(&timeline, &spec, NULL, &m, &error), error);
    CHECK_INT(m.makespan, 40 * US);
    CHECK_NEAR(m.sm_busy_ratio, 0.375, 1e-12);
    CHECK_NEAR(m.achieved_occupancy, 1.0 / 3, 1e-12);
    CHECK_INT(m.host_busy, 7 * US);
    CHECK_INT(m.host_waited, 28 * US);
    CHECK_INT(m.h2d_bytes, 1500);
    CHECK_INT(m.d2h_bytes, 70);
    CHECK_INT(m.bytes_by_reason[GSIM_REASON_EXPLICIT], 1570);
    CHECK_INT(m.h2d_time, 2 * US);
    CHECK_INT(m.d2h_time, 3 * US);
    CHECK_INT(m.transfer_time, 5 * US);
    CHECK_INT(m.iteration_min, 3 * US);
    CHECK_INT(m.iteration_median, 5 * US);
    CHECK_INT(m.iteration_max, 7 * US);
    CHECK_INT(m.iteration_total, 15 * US);
    gsim_timeline_release(&timeline);
}

static void device_and_host_use(void)
{
    use_of(false);
    use_of(true);
}

/* --- critical path -------------------------------------------------------------------------------------------- */
#define ARGS(...)                                                                                                      \
    .args = (const struct gsim_arg[]){__VA_ARGS__},                                                                    \
    .arg_count = sizeof((struct gsim_arg[]){__VA_ARGS__}) / sizeof(struct gsim_arg)
#define READ(b)                                                                                                        \
    {                                                                                                                  \
        .buffer_index = (b), .reads = true                                                                             \
    }
#define WRITE(b)                                                                                                       \
    {                                                                                                                  \
        .buffer_index = (b), .writes = true                                                                            \
    }

static gsim_time path_of(struct gsim_program *program, uint32_t iterations, const gsim_time *times)
{
    struct gsim_error error = {0};
    gsim_time path = -1;
    CHECK_OK(gsim_critical_path(program, iterations, times, &path, &error), error);
    return path;
}

/* VEC's shape: two squares of 3 and 5, then a reduction of 4 over both: max(3, 5) + 4 = 9. */
static void path_joins(void)
{
    struct gsim_op ops[] = {{.kind = GSIM_OP_KERNEL, ARGS(READ(0), WRITE(1))},
                            {.kind = GSIM_OP_KERNEL, ARGS(READ(2), WRITE(3))},
                            {.kind = GSIM_OP_KERNEL, ARGS(READ(1), READ(3), WRITE(4))}};
    gsim_time times[] = {3, 5, 4};
    struct gsim_program program = {.ops = ops, .op_count = 3, .buffer_count = 5};
    CHECK_INT(path_of(&program, 1, times), 9);
    /* Again: the squares wait for the reduction to have read (write after read): 2 x 9. */
    CHECK_INT(path_of(&program, 2, times), 18);
}

/* Readers of one buffer run beside each other; a writer waits for all of them and for the writer before. */
static void path_anti_and_output_dependences(void)
{
    struct gsim_op ops[] = {{ARGS(WRITE(0))}, {ARGS(READ(0))}, {ARGS(READ(0))}, {ARGS(WRITE(0))}, {ARGS(WRITE(0))}};
    gsim_time times[] = {1, 10, 20, 3, 4};
    struct gsim_program program = {.ops = ops, .op_count = 5, .buffer_count = 1};
    CHECK_INT(path_of(&program, 1, times), 1 + 20 + 3 + 4);
}

static void path_follows_after(void)
{
    const uint32_t after[] = {0};
    struct gsim_op ops[] = {{.kind = GSIM_OP_HOST_COMPUTE}, {.after = after, .after_count = 1}, {.arg_count = 0}};
    gsim_time times[] = {7, 2, 8};
    struct gsim_program program = {.ops = ops, .op_count = 3};
    CHECK_INT(path_of(&program, 1, times), 9);
    ops[1].after_count = 0;
    CHECK_INT(path_of(&program, 1, times), 8);
}

/* A prefetch, which a run may leave out, does not part two readers; what follows it by "after" follows on. */
static void path_looks_through_prefetches(void)
{
    const uint32_t first[] = {0}, second[] = {1};
    struct gsim_op ops[] = {{.kind = GSIM_OP_KERNEL, ARGS(READ(0))},
                            {.kind = GSIM_OP_PREFETCH, .after = first, .after_count = 1, ARGS(WRITE(0))},
                            {.kind = GSIM_OP_KERNEL, ARGS(READ(0))},
                            {.kind = GSIM_OP_KERNEL, .after = second, .after_count = 1}};
    gsim_time times[] = {5, 0, 7, 1};
    struct gsim_program program = {.ops = ops, .op_count = 4, .buffer_count = 1};
    CHECK_INT(path_of(&program, 1, times), 7);
    times[3] = 4;
    CHECK_INT(path_of(&program, 1, times), 9);
}

static void path_ignores_untimed_resets(void)
{
    struct gsim_op ops[] = {{.kind = GSIM_OP_HOST_WRITE, .untimed = true, ARGS(WRITE(0))}, {ARGS(READ(0))}};
    gsim_time times[] = {100, 6};
    struct gsim_program program = {.ops = ops, .op_count = 2, .buffer_count = 1};
    CHECK_INT(path_of(&program, 3, times), 6);
}

/* A long chain: linear, or this test would not end. */
static void path_of_a_long_chain(void)
{
    const uint32_t count = 300000;
    static const struct gsim_arg args[] = {{.buffer_index = 0, .reads = true, .writes = true}};
    struct gsim_op *ops = gsim_alloc(sizeof(*ops) * count);
    gsim_time *times = gsim_alloc(sizeof(*times) * count);
    CHECK(ops && times);
    for (uint32_t i = 0; ops && times && i < count; i++) {
        ops[i] = (struct gsim_op){.index = i, .args = args, .arg_count = 1};
        times[i] = 2;
    }
    struct gsim_program program = {.ops = ops, .op_count = count, .buffer_count = 1};
    CHECK_INT(path_of(&program, 1, times), 2 * (int64_t)count);
    gsim_free(ops);
    gsim_free(times);
}

/* --- bounds ----------------------------------------------------------------------------------------------------- */
/* Two independent kernels of 50 us alone that need DRAM for 40: path 50, DRAM 80. */
static void bound_by_dram(void)
{
    struct gsim_kernel kernels[] = {{.name = "k"}};
    struct gsim_op ops[] = {{.kind = GSIM_OP_KERNEL, ARGS(WRITE(0))}, {.kind = GSIM_OP_KERNEL, ARGS(WRITE(1))}};
    struct gsim_program program = {.kernels = kernels, .ops = ops, .kernel_count = 1, .op_count = 2, .buffer_count = 2};
    struct gsim_device_spec spec = device();
    struct gsim_timeline timeline;
    struct gsim_metrics m;
    struct gsim_error error = {0};
    struct gsim_kernel_alone alone[] = {{.time = 50 * US, .dram_us = 40, .issue_us = 10}};
    gsim_timeline_init(&timeline, &program, false);
    add_kernel(&timeline, 0, 0, 85);
    add_kernel(&timeline, 0, 0, 85);
    gsim_timeline_add_iteration(&timeline, &(struct gsim_iteration_record){.end = 85 * US});
    CHECK_OK(gsim_metrics_compute(&timeline, &spec, alone, &m, &error), error);
    CHECK_INT(m.critical_path, 50 * US);
    CHECK_NEAR(gsim_time_us(m.lower_bound), 80, 1e-6);
    CHECK_STR(m.lower_bound_reason, "DRAM bandwidth");
    /* A kernel never needs a resource for longer than it takes alone: 2 x 30, though 2 x 40 were asked for. */
    alone[0].time = 30 * US;
    CHECK_OK(gsim_metrics_compute(&timeline, &spec, alone, &m, &error), error);
    CHECK_NEAR(gsim_time_us(m.lower_bound), 60, 1e-6);
    /* 3 % beyond its rate is what an SM may issue. */
    alone[0] = (struct gsim_kernel_alone){.time = 70 * US, .dram_us = 40, .issue_us = 61.8};
    CHECK_OK(gsim_metrics_compute(&timeline, &spec, alone, &m, &error), error);
    CHECK_NEAR(gsim_time_us(m.lower_bound), 120, 1e-5);
    CHECK_STR(m.lower_bound_reason, "SM throughput");
    alone[0].issue_us = 100; /* no longer than alone: 140 / 1.03 */
    CHECK_OK(gsim_metrics_compute(&timeline, &spec, alone, &m, &error), error);
    CHECK_NEAR(gsim_time_us(m.lower_bound), 140 / 1.03, 1e-5);
    gsim_timeline_release(&timeline);
}

/* 2 MB down at 10 GB/s is 200 us; back at most 8 GB/s (managed beats the 5 of a copy): 1 MB is 125 us. */
static void bound_by_link(void)
{
    struct gsim_program program = {.name = "p"};
    struct gsim_device_spec spec = device();
    struct gsim_timeline timeline;
    struct gsim_metrics m;
    struct gsim_error error = {0};
    gsim_timeline_init(&timeline, &program, false);
    add_copy(&timeline, GSIM_COPY_H2D, 2000000, 0, 300);
    add_copy(&timeline, GSIM_COPY_D2H, 1000000, 0, 300);
    CHECK_OK(gsim_metrics_compute(&timeline, &spec, NULL, &m, &error), error);
    CHECK_NEAR(gsim_time_us(m.lower_bound), 200, 1e-6);
    CHECK_STR(m.lower_bound_reason, "host-to-device link");
    timeline.copies[1].bytes = 4000000;
    CHECK_OK(gsim_metrics_compute(&timeline, &spec, NULL, &m, &error), error);
    CHECK_NEAR(gsim_time_us(m.lower_bound), 500, 1e-6);
    CHECK_STR(m.lower_bound_reason, "device-to-host link");
    gsim_timeline_release(&timeline);
}

/* 8 MB from GPU to GPU: at 40 GB/s 200 us, though the host's link would take 800; without links of their own they use
 * that. */
static void bound_by_peer_copies(void)
{
    struct gsim_kernel kernels[] = {{.name = "k"}};
    struct gsim_op ops[] = {{.kind = GSIM_OP_COPY, .copy_kind = GSIM_COPY_P2P, .bytes = 8000000, ARGS(WRITE(0))}};
    struct gsim_program program = {.kernels = kernels, .ops = ops, .kernel_count = 1, .op_count = 1, .buffer_count = 1};
    struct gsim_device_spec spec = device();
    struct gsim_timeline timeline;
    struct gsim_metrics m;
    struct gsim_error error = {0};
    struct gsim_kernel_alone alone[1] = {0};
    gsim_timeline_init(&timeline, &program, false);
    timeline.gpu_count = 2;
    gsim_timeline_add_iteration(&timeline, &(struct gsim_iteration_record){.end = 300 * US});
    spec.peer_gbps = 40;
    CHECK_OK(gsim_metrics_compute(&timeline, &spec, alone, &m, &error), error);
    CHECK_NEAR(gsim_time_us(m.critical_path), 200, 1e-6);
    spec.peer_gbps = 0;
    CHECK_OK(gsim_metrics_compute(&timeline, &spec, alone, &m, &error), error);
    CHECK_NEAR(gsim_time_us(m.critical_path), 800, 1e-6);
    gsim_timeline_release(&timeline);
}

/* Four iterations of 100, 30, 50 and 40 us, the first a warm-up: the one of 40 is the median of the others, with its
 * two kernels, its copy and its call. Its bound is its own: 1 kB at 10 GB/s is nothing, two kernels of 10 us after one
 * another 20. */
static void of_one_iteration(void)
{
    static const int64_t begins[] = {0, 100, 130, 180}, ends[] = {100, 130, 180, 220};
    struct gsim_kernel kernels[] = {{.name = "k"}};
    struct gsim_op ops[] = {{.kind = GSIM_OP_KERNEL, ARGS(WRITE(0))}, {.kind = GSIM_OP_KERNEL, ARGS(READ(0))}};
    struct gsim_program program = {.kernels = kernels, .ops = ops, .kernel_count = 1, .op_count = 2, .buffer_count = 1};
    struct gsim_device_spec spec = device();
    struct gsim_timeline timeline;
    struct gsim_metrics m;
    struct gsim_error error = {0};
    struct gsim_kernel_alone alone[] = {{.time = 10 * US, .dram_us = 1, .issue_us = 1}};
    size_t count = 0;
    gsim_timeline_init(&timeline, &program, true);
    for (uint32_t i = 0; i < 4; i++) {
        gsim_timeline_add_iteration(&timeline,
                                    &(struct gsim_iteration_record){.start = begins[i] * US, .end = ends[i] * US});
        for (int64_t k = 0; k < 2; k++)
            gsim_timeline_add_kernel(&timeline,
                                     &(struct gsim_kernel_record){.iteration = i,
                                                                  .start = (begins[i] + 10 * k) * US,
                                                                  .end = (begins[i] + 10 * k + 10 + (i == 3)) * US});
        gsim_timeline_add_copy(&timeline, &(struct gsim_copy_record){.iteration = i,
                                                                     .kind = GSIM_COPY_H2D,
                                                                     .bytes = i ? 1000 : 5000000,
                                                                     .start = begins[i] * US,
                                                                     .end = (begins[i] + 5) * US});
        gsim_timeline_add_api(
            &timeline, &(struct gsim_api_record){
                           .iteration = i, .start = begins[i] * US, .end = (begins[i] + 7 + i) * US, .waited = 4 * US});
    }
    timeline.warm_up_count = 1;
    CHECK_OK(gsim_metrics_iteration(&timeline, &spec, alone, &m, &count, &error), error);
    CHECK_INT(count, 2);
    CHECK_INT(m.kernel_time, 22 * US);
    CHECK_INT(m.device_busy, 21 * US);
    CHECK_INT(m.h2d_bytes, 1000);
    CHECK_INT(m.host_busy, 6 * US);
    CHECK_INT(m.host_waited, 4 * US);
    CHECK_INT(m.lower_bound, 20 * US);
    timeline.warm_up_count = 0; /* of four the lower of the two in the middle: 40 still */
    CHECK_OK(gsim_metrics_iteration(&timeline, &spec, alone, &m, &count, &error), error);
    CHECK_INT(m.kernel_time, 22 * US);
    timeline.cycle = 2; /* the last two come again: 40 of 50 and 40 */
    CHECK_OK(gsim_metrics_iteration(&timeline, &spec, alone, &m, &count, &error), error);
    CHECK_INT(m.kernel_time, 22 * US);
    timeline.iteration_count = 1;
    timeline.cycle = 0;
    CHECK_OK(gsim_metrics_iteration(&timeline, &spec, alone, &m, &count, &error), error);
    CHECK_INT(count, 8);
    gsim_timeline_release(&timeline);
}

static const struct test_case cases[] = {
    {"bound by peer copies", bound_by_peer_copies},
    {"of one iteration", of_one_iteration},
    {"overlap by hand", overlap_by_hand},
    {"overlap counts unions once", overlap_counts_unions_once},
    {"published overlap of VEC", published_overlap_of_vec},
    {"back to back is no overlap", back_to_back_is_no_overlap},
    {"empty timeline", nothing_at_all},
    {"device and host use", device_and_host_use},
    {"critical path: join, iterations", path_joins},
    {"critical path: anti and output dependences", path_anti_and_output_dependences},
    {"critical path: after", path_follows_after},
    {"critical path: prefetches", path_looks_through_prefetches},
    {"critical path: untimed ops", path_ignores_untimed_resets},
    {"critical path: long chain", path_of_a_long_chain},
    {"bound: DRAM and arithmetic", bound_by_dram},
    {"bound: link", bound_by_link},
};
TEST_MAIN("sim/report/metrics", cases)
