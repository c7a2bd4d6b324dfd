/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Importing profiler traces: small ones made event by event, and recorded ones, whose replay must take as long as
 * they did. Broken ones: test_import_kineto.c, test_import_nsys.c.
 */
#include "gpusim/timeline.h"
#include "tests/traces/import/import_fixture.h"
#include "traces/import/importers.h"
#include "gpusim/program.h"

static enum gsim_status import(struct trace *t, const struct gsim_import_options *options, struct gsim_program *program,
                               struct gsim_import_notes *notes, struct gsim_error *error)
{
    char path[64];
    scratch(path);
    put(t, "\n]}\n");
    write_bytes(path, t->text, t->length);
    enum gsim_status status = gsim_import_kineto(path, options, program, notes, error);
    remove(path);
    return status;
}

static bool import_good(struct imported *i, struct trace *t, const struct gsim_import_options *options)
{
    *i = (struct imported){0};
    CHECK_OK(import(t, options, &i->program, &i->notes, &i->error), i->error);
    return i->error.status == GSIM_OK;
}

static double solo_us(const struct gsim_program *p, uint32_t op) { return p->kernels[p->ops[op].kernel_index].solo_us; }

/* --- kernels, copies, time ---------------------------------------------------------------------------------------- */
/* 3 mJ in 10 us are 300 W; of a limit of 700 W the base takes 100. From ten gaps between nodes on their mean counts:
 * 0.8 us of those that are watched or 1.3 of all, 0.3 less without the profiler. A stream's gap counts when it is more
 * than 0.2 us off. */
static void gaps_of_a_trace(void)
{
    static const struct {
        uint32_t node_gaps;
        bool is_watched;
        double stream_gap_us, node_us, stream_us;
    } rows[] = {{9, true, 1.3, 7, 1.3}, {10, true, 1.1, 0.5, 1}, {10, false, 0.7, 1, 0.7}, {10, false, 0, 1, 1}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct gsim_device_spec d = {.limit_w = 700, .base_w = 100, .call_gap_us = 2, .graph_node_gap_us = 7,
                                     .stream_gap_us = 1, .profiled_us = -0.3, .untraced_gap_us = 0.8};
        const struct gsim_import_notes notes = {.span_us = 10, .drawn_mj = 3, .node_gaps = rows[r].node_gaps,
                                                .node_gap_us = 0.8, .kernel_gap_us = 1.3,
                                                .stream_gap_us = rows[r].stream_gap_us};
        gsim_import_fit_gap(&notes, rows[r].is_watched, &d);
        CHECK_NEAR(d.recorded_w, 300, 1e-9);
        CHECK_NEAR(d.recorded_limit_w, 600, 1e-9);
        CHECK_NEAR(d.graph_node_gap_us, rows[r].node_us, 1e-9);
        CHECK_NEAR(d.stream_gap_us, rows[r].stream_us, 1e-9);
        CHECK_NEAR(d.call_gap_us, 0, 0);
        /* longer than half as much again as untraced: 1.3 of 0.8, from ten on; that, and 0.3 less */
        CHECK_INT(gsim_import_untrace_gap(&notes, &d), r > 0);
        CHECK_NEAR(d.graph_node_gap_us, r > 0 ? 0.5 : 7, 1e-9);
        d.untraced_gap_us = 0.9;
        CHECK(!gsim_import_untrace_gap(&notes, &d));
    }
}

static void equal_kernels_share_their_median(void)
{
    static const double durations[] = {100, 101, 99, 110};
    struct trace t;
    struct imported i;
    begin(&t);
    for (int k = 0; k < 4; k++) launch(&t, "a<int>", 7, 10 + 200 * k, 20 + 200 * k, durations[k], k + 1);
    launch(&t, "b", 7, 900, 905, 50, 9);
    struct gsim_import_options options = plain;
    options.gaps = false;
    if (!import_good(&i, &t, &options)) return;
    CHECK_INT(i.program.op_count, 5);
    CHECK_INT(i.program.kernel_count, 3);
    for (uint32_t op = 0; op < 3; op++) CHECK_NEAR(solo_us(&i.program, op), 101, 1e-9);
    CHECK_NEAR(solo_us(&i.program, 3), 110, 1e-9);
    const struct gsim_kernel *a = &i.program.kernels[i.program.ops[0].kernel_index];
    CHECK_STR(a->name, "a<int>");
    CHECK_STR(a->solo_device, "h200");
    CHECK(a->solo_cold);
    CHECK_INT(a->grid.x * 100 + a->grid.y * 10 + a->grid.z, 821);
    CHECK_INT(a->block.x, 128);
    CHECK_INT(a->regs_per_thread, 32);
    CHECK_INT(a->smem_bytes, 1024);
    CHECK_INT(i.program.ops[4].stream, 7);
    CHECK_INT(i.notes.kernels, 5);
    CHECK_NEAR(i.notes.span_us, 945, 1e-6);
    CHECK_STR(i.notes.gpu, "NVIDIA H200");
    gsim_program_release(&i.program);
}

/* Launches at 10, 20 and 22.2, each taking 2 us, of which the replay charges 1.5 (2 for the gap of 0.2 + 0.5: below
 * half a microsecond once it is charged). A call that is longer than the charge spends the rest before. */
static void host_time_between_calls(void)
{
    struct trace t;
    struct imported i;
    begin(&t);
    launch(&t, "a", 7, 10, 13, 1, 1);
    launch(&t, "a", 7, 20, 23, 1, 2);
    launch(&t, "a", 7, 22.2, 25.2, 1, 3);
    struct gsim_import_options options = plain;
    options.launch_us = 1.5;
    if (!import_good(&i, &t, &options)) return;
    /* issued at 10.5, 20.5, 22.7: gaps of 0.5 (not above), 10.5 - 1.5 and, with 0.5 carried over, 0.7 */
    CHECK_INT(i.program.op_count, 5);
    CHECK_INT(i.program.ops[0].kind, GSIM_OP_KERNEL);
    CHECK_NEAR(i.program.ops[1].host_us, 9.0, 1e-9);
    CHECK_NEAR(i.program.ops[3].host_us, 0.7, 1e-9);
    gsim_program_release(&i.program);
}

static void copies_and_memsets(void)
{
    struct trace t;
    struct imported i;
    begin(&t);
    call(&t, "cudaMemcpyAsync", 1, 10, 2, 1);
    move(&t, "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 7, 15, 3, 1);
    call(&t, "cudaMemsetAsync", 1, 20, 2, 2);
    move(&t, "gpu_memset", "Memset (Device)", 7, 25, 3, 2);
    call(&t, "cudaMemcpy", 1, 30, 10, 3);
    move(&t, "gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 7, 33, 5, 3);
    launch(&t, "a", 7, 45, 50, 1, 4);
    struct gsim_import_options options = plain;
    options.gaps = false;
    if (!import_good(&i, &t, &options)) return;
    const struct gsim_op *ops = i.program.ops;
    CHECK_INT(i.program.op_count, 5);
    CHECK_INT(ops[0].copy_kind, GSIM_COPY_H2D);
    CHECK_INT(ops[0].bytes, 4096);
    const struct gsim_kernel *set = &i.program.kernels[ops[1].kernel_index]; /* 16 bytes a thread: one block of 512 */
    CHECK_STR(set->name, "memset");
    CHECK(set->grid.x == 1 && set->grid.y == 1 && set->grid.z == 1 && set->regs_per_thread == 16);
    CHECK(set->block.x == 512 && set->block.y == 1 && set->block.z == 1);
    CHECK_NEAR(solo_us(&i.program, 1), 3, 1e-9);
    CHECK_INT(ops[2].copy_kind, GSIM_COPY_D2H);
    CHECK_INT(ops[3].kind, GSIM_OP_HOST_COMPUTE); /* the call returned when the copy was done */
    CHECK_INT(ops[3].after_count, 1);
    CHECK_INT(ops[3].after[0], 2);
    CHECK_INT(i.notes.pageable, 1);
    CHECK_INT(i.notes.copies * 10 + i.notes.memsets, 21);
    gsim_program_release(&i.program);
}

/* An asynchronous copy of pageable memory, as an H200's were traced: the call stages for 86 us before the copy begins,
 * and returns 14 us before it ends. The staging is the call's, none of it the program's own; what comes 1 us later
 * waited for the copy. */
static void pageable_copies_hold_the_host(void)
{
    struct trace t;
    struct imported i;
    begin(&t);
    call(&t, "cudaMemcpyAsync", 1, 1, 268, 1);
    move(&t, "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 7, 87, 196, 1);
    launch(&t, "a", 8, 270, 290, 80, 2);
    if (!import_good(&i, &t, &plain)) return;
    const struct gsim_op *ops = i.program.ops;
    CHECK_INT(i.program.op_count, 4);
    CHECK_INT(ops[0].kind, GSIM_OP_HOST_COMPUTE);
    CHECK_NEAR(ops[0].host_us, 86, 1e-9);
    CHECK_STR(ops[0].what, GSIM_HOST_IN_CALL "cudaMemcpyAsync");
    CHECK_INT(ops[1].kind, GSIM_OP_COPY);
    CHECK_INT(ops[2].kind, GSIM_OP_HOST_COMPUTE);
    CHECK(ops[2].after_count == 1 && ops[2].after[0] == 1);
    CHECK(ops[2].host_us <= 3);
    gsim_program_release(&i.program);
}

/* --- order --- */
static void synchronisation_holds_the_host(void)
{
    struct trace t;
    struct imported i;
    begin(&t);
    launch(&t, "a", 7, 10, 15, 100, 1);
    launch(&t, "a", 8, 20, 25, 100, 2);
    call(&t, "cudaDeviceSynchronize", 1, 30, 98, 3);
    launch(&t, "a", 7, 158, 165, 100, 4);
    if (!import_good(&i, &t, &plain)) return;
    /* launches are issued at the end of their calls: gap, a, gap, a, gap, synchronisation and gap, a */
    CHECK_INT(i.program.op_count, 7);
    const struct gsim_op *sync = &i.program.ops[i.program.op_count - 2];
    CHECK_INT(sync->kind, GSIM_OP_HOST_COMPUTE);
    CHECK_INT(sync->after_count, 2);
    CHECK_NEAR(sync->host_us, 35,
               1e-9); /* from the end of the last at 125, where a replay returns, to the end of the next call */
    gsim_program_release(&i.program);
}

/* The record is made between two kernels of stream 7: only the first is waited for. */
static void waiting_for_an_event_becomes_after(void)
{
    struct trace t;
    struct imported i;
    struct gsim_import_options options = plain;
    options.gaps = false;
    begin(&t);
    launch(&t, "a", 7, 10, 15, 100, 1);
    call(&t, "cudaEventRecord", 1, 13, 0.2, 2);
    launch(&t, "b", 7, 14, 120, 100, 3);
    wait_event(&t, 20, 8, 7, 4, 2);
    launch(&t, "c", 8, 24, 120, 50, 5);
    if (!import_good(&i, &t, &options)) return;
    CHECK_INT(i.program.op_count, 3);
    CHECK_INT(i.program.ops[2].stream, 8);
    CHECK_INT(i.program.ops[2].after_count, 1);
    if (i.program.ops[2].after_count) CHECK_INT(i.program.ops[2].after[0], 0);
    CHECK_INT(i.notes.unknown_waits, 0);
    CHECK_INT(i.notes.shared, 1);
    gsim_program_release(&i.program);

    begin(&t);
    launch(&t, "a", 7, 10, 15, 100, 1);
    call(&t, "cudaStreamWaitEvent", 1, 20, 0.2, 4);
    launch(&t, "c", 8, 24, 120, 50, 5);
    if (!import_good(&i, &t, &options)) return;
    CHECK_INT(i.notes.unknown_waits, 1);
    gsim_program_release(&i.program);
}

/* Thread 1 waits for its kernel while thread 2 launches: the host waits for it before thread 1's next launch, and not
 * before. */
static void another_thread_goes_on(void)
{
    struct trace t;
    struct imported i;
    struct gsim_import_options options = plain;
    options.gaps = false;
    begin(&t);
    launch(&t, "a", 7, 10, 15, 100, 1);
    call(&t, "cudaStreamSynchronize", 1, 20, 97, 2);
    call(&t, "cudaLaunchKernel", 2, 30, 2, 3);
    kernel(&t, "b", 8, 35, 10, 3);
    launch(&t, "c", 8, 130, 135, 10, 4);
    if (!import_good(&i, &t, &options)) return;
    CHECK_INT(i.program.op_count, 4);
    CHECK_INT(i.program.ops[1].after_count, 0);
    CHECK_INT(i.program.ops[2].kind, GSIM_OP_HOST_COMPUTE);
    CHECK_INT(i.program.ops[2].after_count, 1);
    CHECK_INT(i.program.ops[2].after[0], 0);
    CHECK_INT(i.program.ops[3].after_count, 1);
    CHECK_INT(i.notes.threads, 2);
    CHECK_INT(i.notes.other_threads, 1);
    gsim_program_release(&i.program);
}

static void range_counts_in_launch_order(void)
{
    struct trace t;
    struct imported i;
    struct gsim_import_options options = plain;
    options.gaps = false;
    options.first = 1;
    options.last = 2;
    begin(&t);
    launch(&t, "c", 7, 30, 200, 10, 3);
    launch(&t, "a", 7, 10, 15, 10, 1);
    launch(&t, "b", 8, 20, 300, 10, 2);
    launch(&t, "d", 8, 40, 400, 10, 4);
    if (!import_good(&i, &t, &options)) return;
    CHECK_INT(i.program.op_count, 2);
    CHECK_STR(i.program.kernels[i.program.ops[0].kernel_index].name, "b");
    CHECK_STR(i.program.kernels[i.program.ops[1].kernel_index].name, "c");
    gsim_program_release(&i.program);
}

/* What was measured stands beside the program: from the first launch on, unknown where it was repaired. */
static void times_are_kept(void)
{
    struct trace t;
    struct imported i;
    struct gsim_import_times times = {0};
    struct gsim_import_options options = plain;
    options.times = &times;
    begin(&t);
    launch(&t, "a", 7, 100, 110, 10, 1);
    launch(&t, "b", 8, 120, 115, 20, 2); /* before its launch */
    call(&t, "cudaMemcpyAsync", 1, 130, 2, 3);
    move(&t, "gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 7, 150, 5, 3);
    if (!import_good(&i, &t, &options)) return;
    CHECK_INT(times.count, 3);
    CHECK_INT(gsim_import_repairs(&i.notes), 1);
    if (times.count == 3) {
        const struct gsim_recorded_op *a = &times.ops[0], *b = &times.ops[1], *copy = &times.ops[2];
        CHECK(a->is_kernel && b->is_kernel && !copy->is_kernel);
        CHECK_NEAR(a->launch_us, 0, 0);
        CHECK_NEAR(a->start_us, 10, 1e-9);
        CHECK_NEAR(a->end_us, 20, 1e-9);
        CHECK(isnan(b->start_us) && isnan(b->end_us));
        CHECK_INT(b->stream, 8);
        CHECK_NEAR(copy->launch_us, 30, 1e-9);
        CHECK_NEAR(copy->end_us, 55, 1e-9);
        CHECK_INT(copy->copy_kind, GSIM_COPY_D2H);
        CHECK_INT(copy->bytes, 4096);
        for (int k = 0; k < 3; k++)
            CHECK_INT(i.program.ops[times.ops[k].op].kind, times.ops[k].is_kernel ? GSIM_OP_KERNEL : GSIM_OP_COPY);
    }
    gsim_import_times_release(&times);
    gsim_program_release(&i.program);
}

/* When a call returned is a time of its only work: not of two that it made, nor of a graph's. */
static void shared_calls_have_no_return(void)
{
    static const struct {
        const char *call;
        int works;
        double length;
        bool has_return;
    } rows[] = {{"cudaLaunchKernel", 1, 2, true},
                {"cudaLaunchKernel", 2, 2, false},
                {"cudaLaunchKernel", 3, 2, false},
                {"cudaGraphLaunch", 1, 2, false},
                {"cudaLaunchKernel", 1, 0, false}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct trace t;
        struct imported i;
        struct gsim_import_times times = {0};
        struct gsim_import_options options = plain;
        options.times = &times;
        begin(&t);
        call(&t, rows[r].call, 1, 10, rows[r].length, 1);
        for (int k = 0; k < rows[r].works; k++) kernel(&t, "a", 7, 20 + 50 * k, 40, 1);
        if (!import_good(&i, &t, &options)) return;
        CHECK_INT(times.count, rows[r].works);
        for (uint32_t k = 0; k < times.count; k++)
            CHECK_MSG(!isnan(times.ops[k].returned_us) == rows[r].has_return, "row %zu, work %u: returned at %.3f", r,
                      k, times.ops[k].returned_us);
        gsim_import_times_release(&times);
        gsim_program_release(&i.program);
    }
}

/* What calls took, what they waited for on the device and on the host; whose trace it is, and when. */
static void calls_are_kept(void)
{
    struct trace t;
    struct imported i;
    struct gsim_import_times times = {0};
    struct gsim_import_options options = plain;
    options.times = &times;
    t.length = 0;
    put(&t,
        "{\"baseTimeNanoseconds\": 1709164800000000000, \"deviceProperties\": [{\"name\": \"NVIDIA H200\", "
        "\"computeMajor\": 9, "
        "\"computeMinor\": 0, \"numSms\": 132, \"totalGlobalMem\": 150000000000}], \"traceEvents\": [{\"ph\": \"M\"}");
    launch(&t, "a", 7, 100, 110, 40, 1);
    call(&t, "cudaEventCreateWithFlags", 1, 103, 0.5, 20);
    call(&t, "cudaEventRecord", 1, 104, 0.25, 11);
    wait_event(&t, 105, 8, 7, 10, 11);
    launch(&t, "b", 8, 106, 153, 20, 2);
    call(&t, "cudaGetLastError", 1, 109, 0.1, 21);
    call(&t, "cudaDeviceSynchronize", 1, 120, 58, 13);
    call(&t, "cudaMemcpyAsync", 1, 190, 2, 3);
    move(&t, "gpu_memcpy", "Memcpy HtoD (Managed -> Device)", 7, 200, 5, 3);
    call(&t, "cudaDeviceSynchronize", 1, 202, 8, 14); /* behind all works */
    if (!import_good(&i, &t, &options)) return;
    CHECK_INT(times.count, 3);
    CHECK_INT(times.call_count, 5);
    if (times.count == 3 && times.call_count == 5) {
        static const enum gsim_host_call_kind kinds[] = {GSIM_HOST_EVENT_CREATE_FLAGS, GSIM_HOST_EVENT_RECORD,
                                                         GSIM_HOST_STREAM_WAIT, GSIM_HOST_SYNC};
        CHECK_NEAR(times.ops[0].returned_us, 2, 1e-9);
        CHECK(isnan(times.ops[0].awaited_us));
        CHECK_NEAR(times.ops[1].awaited_us, 50, 1e-9);
        CHECK(!times.ops[1].awaits_copy && !times.ops[1].is_memset);
        CHECK(times.ops[2].is_managed && !times.ops[2].is_pageable);
        CHECK_NEAR(times.ops[2].returned_us, 92, 1e-9);
        for (int k = 0; k < 4; k++) CHECK_INT(times.calls[k].kind, kinds[k]);
        CHECK_NEAR(times.calls[1].end_us - times.calls[1].start_us, 0.25, 1e-9);
        CHECK(!times.calls[3].is_unknown);
        CHECK_NEAR(times.calls[3].awaited_us, 73, 1e-9);
        CHECK_NEAR(times.calls[3].end_us, 78, 1e-9);
        CHECK_INT(times.calls[4].kind, GSIM_HOST_SYNC);
        CHECK_NEAR(times.calls[4].awaited_us, 105, 1e-9);
    }
    CHECK_STR(i.notes.date, "2024-02-29");
    CHECK_INT(i.notes.compute_capability, 90);
    CHECK_NEAR(i.notes.sm_count, 132, 0);
    CHECK(!i.notes.is_simulated && !i.notes.is_runner);
    gsim_import_times_release(&times);
    gsim_program_release(&i.program);
}

/* Simulated, on a GPU under the tracer, on one with stamps instead. */
static void own_traces_are_known(void)
{
    static const struct {
        const char *head;
        bool is_simulated, is_runner;
    } rows[] = {{"{\"device\": \"h200\"}", true, false},
                {"{\"device\": \"h200\", \"tracer\": \"CUPTI\"}", false, true},
                {"{\"tracer\": \"stamps\"}", false, false}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct trace t = {.length = 0};
        struct imported i;
        put(&t, "{\"gpusim\": %s, \"traceEvents\": [{\"ph\": \"M\"}", rows[r].head);
        launch(&t, "a", 7, 100, 110, 40, 1);
        if (!import_good(&i, &t, &plain)) return;
        CHECK_INT(i.notes.is_simulated, rows[r].is_simulated);
        CHECK_INT(i.notes.is_runner, rows[r].is_runner);
        CHECK_STR(i.notes.date, "");
        gsim_program_release(&i.program);
    }
}

/* --- repairs ------------------------------------------------------------------------------------------- */
/* A synchronise that has the id of the launch before it, as in gpusim-runner's traces, and begins before the kernel
 * does. */
static void only_launches_make_works(void)
{
    struct trace t;
    struct imported i;
    begin(&t);
    launch(&t, "a", 7, 10, 40, 10, 1);
    call(&t, "cudaEventRecord", 1, 12, 1, 1);
    call(&t, "cudaDeviceSynchronize", 1, 13, 37, 1);
    launch(&t, "b", 7, 60, 65, 10, 2);
    if (!import_good(&i, &t, &plain)) return;
    CHECK_INT(i.notes.repeated_calls, 0);
    double host_us = 0;
    for (uint32_t k = 0; k < i.program.op_count; k++)
        if (i.program.ops[k].kind == GSIM_OP_HOST_COMPUTE) host_us += i.program.ops[k].host_us;
    CHECK_MSG(host_us < 20, "the host works %g us",
              host_us); /* from the synchronise's end to the next launch, and in the launches */
    gsim_program_release(&i.program);
}

static void repairs_are_counted(void)
{
    struct trace t;
    struct imported i;
    begin(&t);
    launch(&t, "a", 7, 10, 15, 10, 1);
    kernel(&t, "lost", 7, 30, 10, 99);
    kernel(&t, "twice", 7, 50, 10, 1);
    launch(&t, "early", 7, 70, 69, 10, 2);
    launch(&t, "zero", 7, 90, 0, 10, 3);
    kernel(&t, "nowhere", 7, 0, 10, 98);
    launch(&t, "over", 7, 110, 120, 10, 4);
    launch(&t, "lap", 7, 121, 129.9, 10, 5);
    call(&t, "cudaLaunchKernel", 1, 122, 2, 5);
    launch(&t, "empty", 7, 150, 160, 0, 6);
    call(&t, "cudaLaunchKernel", 1, 170, 2, 7); /* its kernel is missing */
    launch(&t, "late", 7, 180, 1.5e6, 10, 8);
    launch(&t, "behind it", 7, 190, 1.6e6, 10, 9); /* late as well, but the GPU was busy until 1.5 s */
    if (!import_good(&i, &t, &plain)) return;
    CHECK_INT(i.notes.kernels, 10);
    CHECK_INT(i.notes.lost_works, 1);
    CHECK_INT(i.notes.late_starts, 1);
    CHECK_INT(i.notes.lost_calls, 1);
    CHECK_INT(i.notes.repeated_works, 1);
    CHECK_INT(i.notes.repeated_calls, 1);
    CHECK_INT(i.notes.early_starts, 1);
    CHECK_INT(i.notes.zero_times, 1);
    CHECK_INT(i.notes.dropped, 1);
    CHECK_INT(i.notes.overlaps, 1);
    CHECK_INT(i.notes.empty, 1);
    bool found = false;
    for (uint32_t k = 0; k < i.program.kernel_count; k++) {
        if (strcmp(i.program.kernels[k].name, "lap") != 0) continue;
        found = true;
        CHECK_NEAR(i.program.kernels[k].solo_us, 9.9, 1e-9);
    }
    CHECK(found);
    gsim_program_release(&i.program);
}

/* --- what was recorded --- */
static void programs_survive_writing(void)
{
    char path[64];
    struct trace t;
    struct imported i;
    struct gsim_program back = {0};
    scratch(path);
    make_rich_trace(&t);
    t.length -= 4; /* import() closes the trace */
    if (!import_good(&i, &t, &plain)) return;
    CHECK_OK(gsim_program_write(&i.program, path, &i.error), i.error);
    CHECK_OK(gsim_program_read(path, &back, &i.error), i.error);
    CHECK_INT(back.op_count, i.program.op_count);
    CHECK_INT(back.kernel_count, i.program.kernel_count);
    for (uint32_t k = 0; k < back.kernel_count; k++) CHECK(back.kernels[k].solo_cold);
    gsim_program_release(&back);
    gsim_program_release(&i.program);
    remove(path);
}

/* The replay takes as long as the recording, from the first launch to the last end: within 2 %. */
static void recorded_traces_are_replayed(void)
{
    static const char *const names[] = {"resnet18", "deeplab50", "vgg16"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        char program[64], report[64], command[1024], text[4096];
        struct imported i = {0};
        scratch(program);
        scratch(report);
        snprintf(command, sizeof command, GPUSIM_SOURCE_DIR "/traces/h200/kineto/kineto_%s.json.gz", names[n]);
        CHECK_OK(gsim_import_kineto(command, &plain, &i.program, &i.notes, &i.error), i.error);
        gsim_program_release(&i.program);
        snprintf(command, sizeof command,
                 "%s import kineto %s/traces/h200/kineto/kineto_%s.json.gz -o %s 2>/dev/null && "
                 "%s --workload %s --sched async --device h200 --report %s >/dev/null",
                 GPUSIM_BINARY, GPUSIM_SOURCE_DIR, names[n], program, GPUSIM_BINARY, program, report);
        CHECK_INT(system(command), 0);
        FILE *file = fopen(report, "r");
        size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
        if (file) fclose(file);
        text[length] = '\0';
        const char *at = strstr(text, "\"makespan_us\":");
        CHECK_MSG(at, "no makespan in %s", report);
        double predicted = at ? strtod(at + strlen("\"makespan_us\":"), NULL) : 0;
        CHECK_MSG(fabs(predicted / i.notes.span_us - 1) < 0.02, "%s: %.1f us, recorded %.1f us", names[n], predicted,
                  i.notes.span_us);
        remove(program);
        remove(report);
    }
}

/* Kernels that ran beside others were slowed by each other on the GPU that recorded them, whatever --device says. */
static void times_alone_where_the_device_allows(void)
{
    static const struct {
        const char *options, *noted, *solo;
    } tried[] = {
        {"--device h200", "2 kernels that ran beside others: taken to need", NULL},
        {"--device h200 --alone recorded", NULL, "40"},
        {"--device gtx960", "2 kernels that ran beside others: taken to need", NULL},
    };
    struct trace t;
    char path[64], program[64], log[64], command[1024], text[4096];
    scratch(path);
    scratch(program);
    scratch(log);
    begin(&t);
    launch(&t, "a", 7, 10, 20, 40, 1);
    launch(&t, "b", 8, 13, 25, 40, 2);
    put(&t, "\n]}\n");
    for (char *at = t.text; (at = strstr(at, "\"shared memory\": 1024")); at++)
        memcpy(at, "\"shared memory\":65536", 21);
    for (char *at = t.text; (at = strstr(at, "[8, 2, 1]")); at++) memcpy(at, "[88,2, 1]", 9);
    write_bytes(path, t.text, t.length);
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        snprintf(command, sizeof command, "%s import kineto %s -o %s --name t %s 2>%s", GPUSIM_BINARY, path, program,
                 tried[i].options, log);
        CHECK_INT(system(command), 0);
        for (int is_log = 0; is_log < 2; is_log++) {
            const char *wanted = is_log ? tried[i].noted : NULL;
            FILE *file = fopen(is_log ? log : program, "r");
            size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
            if (file) fclose(file);
            text[length] = '\0';
            if (is_log) {
                CHECK_MSG(wanted ? strstr(text, wanted) != NULL : !strstr(text, "beside others"), "%s: %s",
                          tried[i].options, text);
                continue;
            }
            const char *solo = strstr(text, "\"solo_us\":");
            double us = solo ? strtod(solo + strlen("\"solo_us\":"), NULL) : 0;
            CHECK_MSG(tried[i].solo ? fabs(us - 40) < 1e-9 : us > 15 && us < 39, "%s: %g us", tried[i].options, us);
        }
    }
    remove(path);
    remove(program);
    remove(log);
}

static const struct test_case cases[] = {
    {"gaps of a trace", gaps_of_a_trace},
    {"shared calls have no return", shared_calls_have_no_return},
    {"equal kernels share their median", equal_kernels_share_their_median},
    {"host time between calls", host_time_between_calls},
    {"copies and memsets", copies_and_memsets},
    {"pageable copies hold the host", pageable_copies_hold_the_host},
    {"synchronisation holds the host", synchronisation_holds_the_host},
    {"waiting for an event becomes after", waiting_for_an_event_becomes_after},
    {"another thread goes on", another_thread_goes_on},
    {"range counts in launch order", range_counts_in_launch_order},
    {"times are kept", times_are_kept},
    {"calls are kept", calls_are_kept},
    {"own traces", own_traces_are_known},
    {"only launches make works", only_launches_make_works},
    {"times alone where the device allows", times_alone_where_the_device_allows},
    {"repairs are counted", repairs_are_counted},
    {"programs survive writing", programs_survive_writing},
    {"recorded traces are replayed", recorded_traces_are_replayed},
};

TEST_MAIN("traces/import", cases)
