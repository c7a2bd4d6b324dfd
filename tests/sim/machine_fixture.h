/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A device with round numbers and kernels of pure latency, so that timelines can be computed by hand; runs a
 * function of driver calls as the scheduler. Shared by the machine's tests. */
#pragma once

#include "gpusim/simulate.h"
#include "tests/sim/default_device.h"
#include "tests/test.h"

#define OP(run, i) (&(run)->program->ops[i])

/* A scheduler for fixture_run(): ITERATION(name) { calls on the driver d }, in an iteration that ends with the
 * device. */
#define ITERATION(name)                                                                                                \
    static void name##_calls(struct gsim_run *run, struct gsim_driver *d);                                             \
    static enum gsim_status name(struct gsim_run *run, struct gsim_error *error)                                       \
    {                                                                                                                  \
        (void)error;                                                                                                   \
        gsim_iteration_begin(run->driver, 0);                                                                          \
        name##_calls(run, run->driver);                                                                                \
        gsim_device_synchronize(run->driver);                                                                          \
        gsim_iteration_end(run->driver, 0);                                                                            \
        return GSIM_OK;                                                                                                \
    }                                                                                                                  \
    static void name##_calls(struct gsim_run *run __attribute__((unused)),                                             \
                             struct gsim_driver *d __attribute__((unused)))

/* 4 SMs of compute capability 8.0 at 1 GHz: a cycle is a nanosecond. Host calls: launch 2 us, event record
 * and wait 0.5, copy 1, create 0, graph launch 3; launch to start 1, stream gap 1, event gap 1.5, graph start
 * 2, graph node gap 0.5, graph dispatch 0.25; synchronise returns after 2 (1 when idle); 1 between copies in a stream.
 * Links: 10 GB/s each way, 15 both, no latency. */
static inline struct gsim_device_spec fixture_device(void)
{
    return with_sm_numbers((struct gsim_device_spec){
        .name = "fixture",
        .compute_capability = 80,
        .sm_count = 4,
        .clock_mhz = 1000,
        .fp32_lanes_per_sm = 64,
        .load_store_per_sm = 32,
        .fp64_ratio = 0.5,
        .issue_latency_cycles = 4,
        .memory_gb = 1,
        .l2_mib = 1,
        .dram_peak_gbps = 1e4,
        .dram_gbps = 1e4,
        .dram_knee = 2,
        .dram_latency_ns = 500,
        .sm_dram_gbps = 500,
        .bytes_in_flight_per_thread = 8,
        .l2_gbps = 1e4,
        .compute_memory_knee = 4,
        .block_turnaround_ns = 0,
        .resident_grids = 128,
        .hw_queues = 8,
        .launch_queue_depth = 1024,
        .priority_levels = 6,
        .copy_engines = 2,
        .launch_to_start_us = 1,
        .stream_gap_us = 1,
        .event_gap_us = 1.5,
        .copy_gap_us = 1,
        .graph_start_us = 2,
        .graph_node_gap_us = 0.5,
        .graph_cross_gap_us = 0.5,
        .l1_kib = 192,
        .fma_share = 1,
        .most_bytes_in_flight_per_thread = 48,
        .graph_dispatch_us = 0.25,
        .h2d_gbps = 10,
        .d2h_gbps = 10,
        .bidirectional_gbps = 15,
        .pageable_h2d_gbps = 5,
        .pageable_d2h_gbps = 5,
        .d2d_gbps = 100,
        .fault_total_gbps = 4,
        .fault_latency_us = 40,
        .fault_knee = 64,
        .prefetch_gbps = 8,
        .prefetch_call_us = 4,
        .launch_us = 2,
        .event_record_us = 0.5,
        .event_record_no_timing_us = 0.25,
        .stream_wait_us = 0.5,
        .query_us = 0.5,
        .memcpy_us = 1,
        .sync_return_us = 2,
        .sync_idle_us = 1,
        .graph_add_node_us = 1,
        .graph_instantiate_us = 10,
        .graph_instantiate_node_us = 1,
        .graph_launch_us = 3,
        .engine_poll_blur_us = 0.7,
        .mps_sms = 2,
        .fault_bytes_per_thread = 8,
        .fault_batch_groups = 256,
        .fault_prefetch_share = 0.51,
        .fault_rows_per_visit = 4,
        .lock_us = 0.1,
        .thread_create_us = 5,
        .cores = 8,
    });
}

/* A kernel of BLOCKS blocks with THREADS threads, each block taking US microseconds whatever runs beside it. */
static inline struct gsim_kernel fixture_kernel(const char *name, uint32_t blocks, uint32_t threads, double us)
{
    return (struct gsim_kernel){.name = name, .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .regs_per_thread = 32,
                                .thread_cycles = us * 1000};
}

struct fixture {
    struct gsim_device_spec device;
    struct gsim_program program;
    struct gsim_timeline timeline;
    struct gsim_error error;
    struct gsim_statistics statistics;
    enum gsim_memory_mode memory;
    struct gsim_gpu_options gpu;
    const struct gsim_observer *observer;
    double end_us;
};

/* A program of one buffer of 1 MB and the given kernels, one op each, then the EXTRA ops. */
static inline void fixture_program(struct fixture *f, const struct gsim_kernel *kernels, uint32_t kernel_count,
                                   const struct gsim_op *extra, uint32_t extra_count)
{
    struct gsim_builder *b = gsim_builder_create("fixture");
    gsim_builder_buffer(b, "data", 1000000, GSIM_INIT_HOST);
    for (uint32_t i = 0; i < kernel_count; i++) {
        struct gsim_op op = {.kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(b, &kernels[i]), .stream = -1};
        gsim_builder_op(b, &op);
    }
    for (uint32_t i = 0; i < extra_count; i++) gsim_builder_op(b, &extra[i]);
    CHECK_OK(gsim_builder_finish(b, 1, &f->program, &f->error), f->error);
}

static inline void fixture_run(struct fixture *f, enum gsim_status (*execute)(struct gsim_run *, struct gsim_error *))
{
    struct gsim_scheduler_ops scheduler = {
        GSIM_HEAD(scheduler), .name = "fixture", .execute = execute};
    struct gsim_simulation simulation = {.program = &f->program,
                                         .device = &f->device,
                                         .scheduler = &scheduler,
                                         .gpu = f->gpu,
                                         .memory = f->memory,
                                         .seed = 1,
                                         .detailed = true,
                                         .observer = f->observer,
                                         .statistics = &f->statistics};
    simulation.gpu.check = true;
    CHECK_OK(gsim_simulate(&simulation, &f->timeline, &f->error), f->error);
    f->end_us =
        f->timeline.iteration_count ? gsim_time_us(f->timeline.iterations[f->timeline.iteration_count - 1].end) : 0;
}

static inline void fixture_release(struct fixture *f)
{
    gsim_timeline_release(&f->timeline);
    gsim_program_release(&f->program);
}

/* Start or end of the record of op OP's kernel in iteration 0. */
static inline const struct gsim_kernel_record *fixture_record(const struct fixture *f, uint32_t op, uint32_t iteration)
{
    static const struct gsim_kernel_record none = {.start = -1, .end = -1};
    for (size_t i = 0; i < f->timeline.kernel_count; i++)
        if (f->timeline.kernels[i].op == op && f->timeline.kernels[i].iteration == iteration)
            return &f->timeline.kernels[i];
    return &none;
}

#define CHECK_KERNEL(f, op, start_us, end_us)                                                   \
    do {                                                                                        \
        const struct gsim_kernel_record *record_ = fixture_record((f), (op), 0);                \
        CHECK_NEAR(gsim_time_us(record_->start), (start_us), 1e-5);                             \
        CHECK_NEAR(gsim_time_us(record_->end), (end_us), 1e-5);                                 \
    } while (0)
