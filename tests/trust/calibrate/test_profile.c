/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers from profilers' traces: which launches, gaps, waits and copies count as undisturbed (made op by op), and what
 * becomes of their samples: trimmed means and lines with intervals, tracers' costs, too few of them, what a probe knew
 * before.
 */
#include "trust/calibrate/profile.h"

#include "tests/test.h"

#define MOST 400

/* --- a trace, op by op --- */
static struct {
    struct gsim_recorded_op ops[MOST];
    struct gsim_host_call calls[MOST];
    struct gsim_profile_trace trace;
} made;

static void begin(enum gsim_profile_tracer tracer)
{
    memset(&made, 0, sizeof made);
    made.trace = (struct gsim_profile_trace){.file = "a.json",
                                             .gpu = "NVIDIA X",
                                             .date = "2026-11-20",
                                             .tracer = tracer,
                                             .ops = made.ops,
                                             .calls = made.calls};
}

static struct gsim_recorded_op *kernel(uint32_t stream, double launch_us, double returned_us, double start_us,
                                       double end_us)
{
    struct gsim_recorded_op *op = &made.ops[made.trace.op_count++];
    *op = (struct gsim_recorded_op){.is_kernel = true,
                                    .stream = stream,
                                    .launch_us = launch_us,
                                    .returned_us = returned_us,
                                    .start_us = start_us,
                                    .end_us = end_us,
                                    .awaited_us = NAN};
    return op;
}

static struct gsim_recorded_op *copy(enum gsim_copy_kind kind, uint64_t bytes, double launch_us, double start_us,
                                     double end_us)
{
    struct gsim_recorded_op *op = kernel(0, launch_us, launch_us + 2, start_us, end_us);
    op->is_kernel = false;
    op->copy_kind = kind;
    op->bytes = bytes;
    return op;
}

static void call(enum gsim_host_call_kind kind, double start_us, double end_us, double awaited_us)
{
    made.calls[made.trace.call_count++] = (struct gsim_host_call){kind, false, start_us, end_us, awaited_us};
}

/* How many samples of the quantity the trace gives; the last one's value in *VALUE. */
static size_t count(enum gsim_profile_quantity quantity, double *value)
{
    struct gsim_profile_samples all = {0};
    size_t found = 0;
    gsim_profile_samples_add(&all, &made.trace, 100);
    *value = NAN;
    for (size_t i = 0; i < all.count; i++) {
        if (all.samples[i].quantity != quantity) continue;
        *value = all.samples[i].value;
        found++;
    }
    gsim_profile_samples_release(&all);
    return found;
}

static void check_samples(const char *what, enum gsim_profile_quantity quantity, size_t expected, double last)
{
    double value;
    size_t found = count(quantity, &value);
    CHECK_MSG(found == expected, "%s: %zu samples, expected %zu", what, found, expected);
    if (expected) CHECK_MSG(fabs(value - last) < 1e-9, "%s: %g, expected %g", what, value, last);
}

/* --- what counts --- */
static void idle_starts_count(void)
{
    begin(GSIM_TRACER_OTHER);
    kernel(0, 0, 4, 6, 20);
    kernel(0, 25, 29, 31.5, 40); /* after the end of all */
    check_samples("idle", GSIM_PROFILE_START, 2, 2.5);
    kernel(1, 35, 39, 41, 60); /* while another ran */
    check_samples("beside another", GSIM_PROFILE_START, 2, 2.5);
    copy(GSIM_COPY_H2D, 1000000, 70, 75, 100);
    kernel(0, 105, 109, 118, 120); /* the copy's end may still be looked for */
    check_samples("behind a copy", GSIM_PROFILE_START, 2, 2.5);
    kernel(0, 160, 164, 166, 170);
    check_samples("long behind it", GSIM_PROFILE_START, 3, 2);
    kernel(0, 175, 179, 190, 195)->awaited_us = 170;
    kernel(0, 200, 204, 207, 210)->is_memset = true;
    kernel(0, 215, 219, NAN, NAN);
    kernel(0, 230, NAN, 240, 250);
    check_samples("waits, memsets, repaired and shared ones", GSIM_PROFILE_START, 3, 2);
}

static void queued_gaps_count(void)
{
    begin(GSIM_TRACER_OTHER);
    kernel(0, 0, 4, 6, 100);
    kernel(0, 4, 8, 101.5, 200);   /* queued for long */
    check_samples("queued", GSIM_PROFILE_STREAM_GAP, 1, 1.5);
    kernel(0, 192, 196, 202, 300); /* arrived too late */
    check_samples("late", GSIM_PROFILE_STREAM_GAP, 1, 1.5);
    kernel(1, 200, 204, 206, 310); /* another stream is at work */
    kernel(0, 204, 208, 303, 400);
    check_samples("not alone", GSIM_PROFILE_STREAM_GAP, 1, 1.5);
    kernel(0, 208, 212, 401.25, 500);
    check_samples("alone again", GSIM_PROFILE_STREAM_GAP, 2, 1.25);
    call(GSIM_HOST_EVENT_RECORD, 220, 221, NAN);
    kernel(0, 222, 226, 503, 600); /* an event's record lies between */
    check_samples("a record between", GSIM_PROFILE_STREAM_GAP, 2, 1.25);
}

static void gaps_across_streams_count(void)
{
    begin(GSIM_TRACER_OTHER);
    kernel(0, 0, 4, 6, 100);
    kernel(1, 4, 8, 103, 200)->awaited_us = 100;
    check_samples("awaited", GSIM_PROFILE_EVENT_GAP, 1, 3);
    kernel(2, 110, 114, 116, 210); /* a third one at work */
    kernel(0, 114, 118, 204, 300)->awaited_us = 200;
    check_samples("a third stream", GSIM_PROFILE_EVENT_GAP, 1, 3);
    struct gsim_recorded_op *op = kernel(1, 118, 122, 304, 400);
    op->awaited_us = 300;
    op->awaits_copy = true;
    check_samples("a copy, too", GSIM_PROFILE_EVENT_GAP, 1, 3);
    check_samples("none is a gap in a stream", GSIM_PROFILE_STREAM_GAP, 0, NAN);
}

static void calls_count_while_the_queue_has_room(void)
{
    begin(GSIM_TRACER_OTHER);
    for (int i = 0; i < 120; i++) kernel(0, 10 * i, 10 * i + (i < 95 ? 3 : 9), 10000 + 10 * i, 10009 + 10 * i);
    check_samples("depth 100, 95 % of it", GSIM_PROFILE_LAUNCH, 95, 3);
    begin(GSIM_TRACER_OTHER);
    call(GSIM_HOST_EVENT_CREATE, 0, 0.5, NAN);
    call(GSIM_HOST_EVENT_RECORD, 1, 2, NAN);
    call(GSIM_HOST_STREAM_WAIT, 3, 3.25, NAN);
    check_samples("of events with timing", GSIM_PROFILE_EVENT_RECORD, 1, 1);
    check_samples("waits", GSIM_PROFILE_STREAM_WAIT, 1, 0.25);
    call(GSIM_HOST_EVENT_CREATE_FLAGS, 4, 5, NAN);
    check_samples("of events with or without", GSIM_PROFILE_EVENT_RECORD, 0, NAN);
    begin(GSIM_TRACER_OTHER);
    call(GSIM_HOST_SYNC, 0, 104, 100);
    call(GSIM_HOST_SYNC, 105, 110, 100);  /* just after the end */
    call(GSIM_HOST_SYNC, 150, 151.5, 100);
    call(GSIM_HOST_SYNC, 160, 170, NAN);  /* of work before the trace */
    made.calls[made.trace.call_count++] = (struct gsim_host_call){GSIM_HOST_SYNC, true, 200, 300, 290};
    check_samples("waited", GSIM_PROFILE_SYNC_RETURN, 1, 4);
    check_samples("did not wait", GSIM_PROFILE_SYNC_IDLE, 1, 1.5);
}

static void copies_alone_count(void)
{
    begin(GSIM_TRACER_OTHER);
    copy(GSIM_COPY_H2D, 1000000, 0, 5, 30);
    check_samples("alone", GSIM_PROFILE_H2D, 1, 25);
    copy(GSIM_COPY_D2H, 1000000, 20, 40, 70);
    copy(GSIM_COPY_H2D, 1000000, 30, 60, 90); /* overlap each other */
    check_samples("overlapped", GSIM_PROFILE_D2H, 0, NAN);
    copy(GSIM_COPY_H2D, 1000, 95, 100, 101);
    copy(GSIM_COPY_H2D, 1000000, 105, 110, 140)->is_managed = true;
    check_samples("small and managed ones", GSIM_PROFILE_H2D, 1, 25);
    copy(GSIM_COPY_D2H, 1000000, 145, 150, 250)->is_pageable = true;
    check_samples("pageable", GSIM_PROFILE_PAGEABLE_D2H, 1, 100);
    check_samples("calls of pageable memory do not", GSIM_PROFILE_MEMCPY, 4, 2);
    copy(GSIM_COPY_D2D, 32000000, 300, 310, 326);
    check_samples("within the device, both ways", GSIM_PROFILE_D2D, 1, 4000);
}

/* --- what becomes of them --- */
static struct gsim_device_spec base;

static void base_is_read(void)
{
    struct gsim_error error = {0};
    CHECK_OK(gsim_device_load("h200", &base, &error), error);
}

static void calibrate(struct gsim_calibration *c)
{
    struct gsim_profile_samples all = {0};
    gsim_profile_samples_add(&all, &made.trace, 1000);
    gsim_calibrate_profile(c, &all);
    gsim_profile_samples_release(&all);
}

static void check_warned(const struct gsim_calibration *c, const char *part)
{
    bool found = false;
    for (size_t i = 0; i < c->warning_count; i++) found |= strstr(c->warnings[i], part) != NULL;
    CHECK_MSG(found, "no warning has '%s'", part);
}

/* NUMBER queued kernels GAP apart, but every eighth much later; launches of LAUNCH, but the first. */
static void make_queue(int number, double launch_us, double gap_us)
{
    double end_us = 10000;
    for (int i = 0; i < number; i++) {
        double start_us = i ? end_us + (i % 8 == 7 ? 60 : gap_us) : end_us;
        end_us = start_us + 50;
        kernel(0, 10 * i, 10 * i + (i ? launch_us : 9), start_us, end_us);
    }
}

static void means_ignore_the_ends(void)
{
    struct gsim_calibration c;
    begin(GSIM_TRACER_OTHER);
    make_queue(81, 4.5, 1.25); /* ten of 80 gaps disturbed, the most that are cut and two more */
    gsim_calibration_init(&c, &base, "found");
    calibrate(&c);
    CHECK_NEAR(c.device.launch_us, 4.5, 1e-9);
    CHECK(c.numbers[GSIM_DEV_launch_us].low <= 4.5 && c.numbers[GSIM_DEV_launch_us].high >= 4.5 &&
          c.numbers[GSIM_DEV_launch_us].high < 4.51);
    CHECK_NEAR(c.device.stream_gap_us, base.stream_gap_us, 0); /* so wide an interval is no answer */
    check_warned(&c, "stream_gap_us: gaps between kernels queued in a stream give");
    CHECK_HAS(c.device.source[GSIM_DEV_launch_us],
              "a.json: cudaLaunchKernel calls, mean of the middle 80 % of 81, quartiles 4.5 to 4.5 (NVIDIA X, "
              "2026-11-20); with what the profiler itself adds");
    CHECK_INT(c.device.kind[GSIM_DEV_launch_us], GSIM_KIND_MEASURED);
    CHECK(!c.numbers[GSIM_DEV_memcpy_us].is_touched);
    gsim_calibration_release(&c);
}

static void few_are_no_answer(void)
{
    struct gsim_calibration c;
    begin(GSIM_TRACER_NONE);
    make_queue(6, 4.5, 1.25);
    gsim_calibration_init(&c, &base, "found");
    calibrate(&c);
    CHECK_NEAR(c.device.launch_us, 4.5, 1e-9);
    CHECK_INT(c.device.kind[GSIM_DEV_launch_us], GSIM_KIND_DERIVED);
    CHECK_NEAR(c.device.stream_gap_us, base.stream_gap_us, 0);
    check_warned(&c, "5 gaps between kernels queued in a stream, at least 6 are needed");
    gsim_calibration_release(&c);
}

/* gpusim-runner's tracer: the device has numbers for what it adds. */
static void known_tracers_are_taken_off(void)
{
    struct gsim_calibration c;
    char source[200];
    begin(GSIM_TRACER_RUNNER);
    for (int i = 0; i < 20; i++)
        kernel(0, 100 * i, 100 * i + 3, 100 * i + 3 + base.tracer_start_us + 2.5, 100 * i + 50);
    gsim_calibration_init(&c, &base, "found");
    calibrate(&c);
    CHECK_NEAR(c.device.launch_to_start_us, 2.5, 1e-9);
    snprintf(source, sizeof source, "; less tracer_start_us, %.3g, of the base", base.tracer_start_us);
    CHECK_HAS(c.device.source[GSIM_DEV_launch_to_start_us], source);
    CHECK_HAS(c.device.source[GSIM_DEV_launch_us], "with what the profiler itself adds");
    gsim_calibration_release(&c);
}

/* Where they are shorter than the tracer would make them, it was another one. */
static void impossible_numbers_are_refused(void)
{
    struct gsim_calibration c;
    begin(GSIM_TRACER_RUNNER);
    for (int i = 0; i < 20; i++) kernel(0, 100 * i, 100 * i + 3, 100 * i + 3.5, 100 * i + 50);
    gsim_calibration_init(&c, &base, "found");
    calibrate(&c);
    CHECK_NEAR(c.device.launch_to_start_us, base.launch_to_start_us, 0);
    check_warned(&c, "which is no answer: kept from the base");
    gsim_calibration_release(&c);
}

/* t = 4 us + bytes/20 GB/s to the device, one in twelve three times as long; to the host one size only. */
static void lines_tell_latency_and_rate(void)
{
    struct gsim_calibration c;
    double at = 0;
    begin(GSIM_TRACER_OTHER);
    for (int i = 0; i < 48; i++, at += 1e6) {
        double bytes = 8192 << i % 12, us = (4 + bytes * 1e-3 / 20) * (1 + 0.004 * (i % 5 - 2));
        copy(GSIM_COPY_H2D, (uint64_t)bytes, at, at + 5, at + 5 + (i % 12 == 3 + i / 12 ? 3 : 1) * us);
        if (i < 8) copy(GSIM_COPY_D2H, 65536, at + 5e5, at + 5e5 + 5, at + 5e5 + 12);
    }
    gsim_calibration_init(&c, &base, "found");
    calibrate(&c);
    const struct gsim_calibrated *latency = &c.numbers[GSIM_DEV_h2d_latency_us], *rate = &c.numbers[GSIM_DEV_h2d_gbps];
    CHECK_NEAR(c.device.h2d_latency_us, 4, 0.1);
    CHECK_NEAR(c.device.h2d_gbps, 20, 0.2);
    CHECK_MSG(latency->low <= 4 && latency->high >= 4, "%g .. %g", latency->low, latency->high);
    CHECK_MSG(rate->low <= 20 && rate->high >= 20, "%g .. %g", rate->low, rate->high);
    CHECK_HAS(c.device.source[GSIM_DEV_h2d_gbps], "a.json: robust line over bytes, 48 copies that no other overlaps");
    CHECK_NEAR(c.device.d2h_gbps, base.d2h_gbps, 0);
    check_warned(&c, "d2h_gbps: 8 pinned copies to the host of nearly one size");
    gsim_calibration_release(&c);
}

static void what_is_known_stays(void)
{
    struct gsim_calibration c;
    begin(GSIM_TRACER_OTHER);
    make_queue(40, 4.5, 1.25);
    gsim_calibration_init(&c, &base, "found");
    gsim_calibration_put(&c, GSIM_DEV_launch_us, 3, 2.9, 3.1, GSIM_KIND_MEASURED, "p.json: launch");
    calibrate(&c);
    CHECK_NEAR(c.device.launch_us, 3, 0);
    CHECK_STR(c.device.source[GSIM_DEV_launch_us], "p.json: launch");
    gsim_calibration_release(&c);
}

/* Two traces whose means differ: the interval holds both. */
static void intervals_hold_every_trace(void)
{
    struct gsim_calibration c;
    struct gsim_profile_samples all = {0};
    gsim_calibration_init(&c, &base, "found");
    for (int t = 0; t < 2; t++) {
        begin(GSIM_TRACER_OTHER);
        make_queue(40, t ? 5 : 4, 1.25);
        gsim_profile_samples_add(&all, &made.trace, 1000);
    }
    gsim_calibrate_profile(&c, &all);
    CHECK_NEAR(c.device.launch_us, 4.5, 0.02);
    CHECK_MSG(c.numbers[GSIM_DEV_launch_us].low <= 4 && c.numbers[GSIM_DEV_launch_us].high >= 5, "%g .. %g",
              c.numbers[GSIM_DEV_launch_us].low, c.numbers[GSIM_DEV_launch_us].high);
    CHECK_HAS(c.device.source[GSIM_DEV_launch_us], "a.json and 1 more: ");
    gsim_profile_samples_release(&all);
    gsim_calibration_release(&c);
    gsim_device_release(&base);
}

static const struct test_case cases[] = {
    {"idle starts", idle_starts_count},
    {"queued gaps", queued_gaps_count},
    {"gaps across streams", gaps_across_streams_count},
    {"calls", calls_count_while_the_queue_has_room},
    {"copies", copies_alone_count},
    {"base", base_is_read},
    {"means", means_ignore_the_ends},
    {"few", few_are_no_answer},
    {"known tracers", known_tracers_are_taken_off},
    {"impossible numbers", impossible_numbers_are_refused},
    {"lines", lines_tell_latency_and_rate},
    {"what is known", what_is_known_stays},
    {"every trace", intervals_hold_every_trace},
};
TEST_MAIN("models/calibrate_profile", cases)
