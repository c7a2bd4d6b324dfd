/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A finished run made by hand, for the tests of everything that renders one: two kernels on streams 1 and 2,
 * a third that overlaps on stream 1 (as graph nodes do), two copies, calls, a wait and occupancy.
 */
#pragma once

#include <unistd.h>

#include "sim/report/report.h"

#include "tests/sim/default_device.h"
#include "tests/test.h"

#define US       GSIM_PS_PER_US
#define ODD_NAME "odd \"name\"\\ \n\x01 \xc3\xa9 \xff,"

struct fixture {
    struct gsim_kernel kernels[2];
    struct gsim_buffer buffers[1];
    struct gsim_program program;
    struct gsim_device_spec device;
    struct gsim_scheduler_ops scheduler;
    struct gsim_simulation simulation;
    struct gsim_timeline timeline;
    struct gsim_metrics metrics;
    struct gsim_option_text options[2];
    struct gsim_result result;
};

static inline void fixture_add_records(struct gsim_timeline *timeline)
{
    gsim_timeline_add_api(
        timeline, &(struct gsim_api_record){
                      .api = GSIM_API_LAUNCH, .correlation = 1, .stream = 1, .detail = ODD_NAME, .end = 3 * US});
    gsim_timeline_add_api(timeline,
                          &(struct gsim_api_record){
                              .api = GSIM_API_LAUNCH, .correlation = 2, .stream = 2, .start = 3 * US, .end = 6 * US});
    gsim_timeline_add_api(
        timeline,
        &(struct gsim_api_record){
            .api = GSIM_API_DEVICE_SYNC, .correlation = 3, .start = 6 * US, .end = 52 * US, .waited = 44 * US});
    gsim_timeline_add_copy(timeline, &(struct gsim_copy_record){.op = 0,
                                                                .stream = 1,
                                                                .kind = GSIM_COPY_H2D,
                                                                .bytes = 4096,
                                                                .reason = GSIM_REASON_PREFETCH,
                                                                .start = 1 * US,
                                                                .end = 5 * US + 1});
    gsim_timeline_add_kernel(
        timeline, &(struct gsim_kernel_record){
                      .op = 1, .stream = 1, .kernel_index = 0, .correlation = 1, .start = 10 * US, .end = 30 * US});
    gsim_timeline_add_kernel(
        timeline, &(struct gsim_kernel_record){
                      .op = 3, .stream = 1, .kernel_index = 1, .correlation = 1, .start = 20 * US, .end = 40 * US});
    gsim_timeline_add_kernel(timeline, &(struct gsim_kernel_record){.op = 2,
                                                                    .stream = 2,
                                                                    .kernel_index = 1,
                                                                    .correlation = 2,
                                                                    .launch = 3 * US,
                                                                    .ready = 30 * US,
                                                                    .start = 30 * US,
                                                                    .end = 45 * US});
    gsim_timeline_add_copy(timeline, &(struct gsim_copy_record){.op = 4,
                                                                .stream = 2,
                                                                .kind = GSIM_COPY_D2H,
                                                                .bytes = 1000,
                                                                .reason = GSIM_REASON_EXPLICIT,
                                                                .start = 45 * US,
                                                                .end = 50 * US});
    gsim_timeline_add_wait(
        timeline,
        &(struct gsim_wait_record){
            .waiting_stream = 2, .recorded_stream = 1, .event = 7, .recorded = 30 * US, .satisfied = 30 * US});
    gsim_timeline_add_occupancy(timeline, &(struct gsim_occupancy_record){
                                              .time = 10 * US, .busy_sms = 5, .warps = 40, .blocks = 10, .kernels = 1});
    gsim_timeline_add_occupancy(timeline, &(struct gsim_occupancy_record){.time = 45 * US});
    gsim_timeline_add_iteration(
        timeline,
        &(struct gsim_iteration_record){.end = 52 * US, .streams_used = 2, .events_recorded = 1, .stream_waits = 1});
}

static inline void fixture_init(struct fixture *f)
{
    struct gsim_error error = {0};
    memset(f, 0, sizeof(*f));
    f->kernels[0] = (struct gsim_kernel){
        .name = "alpha", .grid = {8, 2, 1}, .block = {32, 4, 1}, .regs_per_thread = 40, .smem_bytes = 512};
    f->kernels[1] = (struct gsim_kernel){.name = ODD_NAME, .grid = {4, 1, 1}, .block = {64, 1, 1}};
    f->buffers[0] = (struct gsim_buffer){.name = "x", .bytes = 4096};
    f->program = (struct gsim_program){.name = "prog",
                                       .buffers = f->buffers,
                                       .kernels = f->kernels,
                                       .buffer_count = 1,
                                       .kernel_count = 2,
                                       .iterations = 1};
    f->device = with_sm_limits((struct gsim_device_spec){.name = "dev",
                                          .title = "A Device",
                                          .compute_capability = 80,
                                          .sm_count = 10,
                                          .memory_gb = 40,
                                          .h2d_gbps = 10,
                                          .d2h_gbps = 10});
    f->scheduler = (struct gsim_scheduler_ops){
        GSIM_HEAD(scheduler), .name = "sched"};
    f->simulation = (struct gsim_simulation){
        .program = &f->program, .device = &f->device, .scheduler = &f->scheduler, .seed = 1, .iterations = 1};
    f->options[0] = (struct gsim_option_text){"size", "100"};
    f->options[1] = (struct gsim_option_text){"sched.rule", "a\"b"};
    gsim_timeline_init(&f->timeline, &f->program, true);
    fixture_add_records(&f->timeline);
    CHECK_OK(gsim_metrics_compute(&f->timeline, &f->device, NULL, &f->metrics, &error), error);
    f->result = (struct gsim_result){.simulation = &f->simulation,
                                     .timeline = &f->timeline,
                                     .metrics = &f->metrics,
                                     .options = f->options,
                                     .option_count = 2};
}

static inline void fixture_release(struct fixture *f) { gsim_timeline_release(&f->timeline); }

/* Path of a scratch file of this process; TEXT has room for 64. */
static inline const char *scratch_path(char text[64], const char *end)
{
    snprintf(text, 64, "/tmp/gpusim-test-%ld%s", (long)getpid(), end);
    return text;
}

/* The whole file, NUL-terminated, to be freed with gsim_free; NULL when it is not there. */
static inline char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = gsim_alloc(1 << 20);
    size_t length = text ? fread(text, 1, (1 << 20) - 1, file) : 0;
    if (text) text[length] = '\0';
    fclose(file);
    return text;
}

/* What a command wrote to stderr is nothing, or the lines of progress and the forecast that a slow machine gets. */
static inline bool is_quiet(const char *err)
{
    static const char forecast[] = " passes over them, about ";
    for (const char *end; (end = strchr(err, '\n')) != NULL; err = end + 1) {
        const char *told = strstr(err, forecast);
        if ((end - err < 5 || strncmp(end - 5, " left", 5) != 0) && !(told && told < end)) return false;
    }
    return !*err;
}
