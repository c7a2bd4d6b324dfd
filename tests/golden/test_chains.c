/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What launch-bound programs are made of: the patterns of copies, kernels, records and waits that
 * traces/runner/micro/streams.cu timed on real GPUs (traces/h200/chains.txt, traces/h100/chains.txt), simulated. The
 * machine of each file is another one than that of its device file, so the costs of calls and of the return come from
 * the file; everything that happens on the device comes from the model. Bounds: what the model reached plus 15 % of it.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/device/device.h"
#include "gpusim/simulate.h"
#include "tests/test.h"

#define MOST 10
#define LINE 200
#define KERNEL_US 2.1

struct pattern {
    char name[16];
    int count;
    long bytes;
    bool timing;
    double whole_us, calls_us; /* measured */
};

static const struct {
    const char *device, *path;
    double mean, worst_mean; /* over all cases; over those of the worst pattern */
} files[] = {{"h200", "traces/h200/chains.txt", 0.0815, 0.212}, {"h100-vm", "traces/h100/chains.txt", 0.1, 0.158}};

static struct pattern now; /* being simulated */

static bool read_line(FILE *file, struct pattern *p)
{
    char line[LINE], timing[16];
    if (!fgets(line, sizeof line, file)) return false;
    int found = sscanf(line, "%15s count %d bytes %ld %15s median %lf calls %lf", p->name, &p->count, &p->bytes, timing,
                       &p->whole_us, &p->calls_us);
    CHECK_INT(found, 6);
    p->timing = strcmp(timing, "timing") == 0;
    return found == 6;
}

/* --- the patterns, as streams.cu issues them --------------------------------------------------------------------- */
struct handles {
    struct gsim_driver *driver;
    const struct gsim_op *ops; /* of each of MOST buffers: copy to the device, kernel, copy back */
    gsim_stream streams[MOST + 1];
    gsim_event events[MOST];
};

static void copy(const struct handles *h, int i, int stream)
{
    gsim_memcpy_async(h->driver, &h->ops[3 * i], h->streams[stream]);
}
static void copy_back(const struct handles *h, int i, int stream)
{
    gsim_memcpy_async(h->driver, &h->ops[3 * i + 2], h->streams[stream]);
}
static void kernel(const struct handles *h, int i, int stream)
{
    gsim_launch(h->driver, &h->ops[3 * i + 1], h->streams[stream]);
}
static void record(const struct handles *h, int i, int stream)
{
    gsim_event_record(h->driver, h->events[i], h->streams[stream]);
}
static void wait(const struct handles *h, int i, int stream)
{
    gsim_stream_wait_event(h->driver, h->streams[stream], h->events[i]);
}

static void in_order(const struct handles *h, int i)
{
    for (const char *a = strchr(now.name, ':') + 1; *a; a++) {
        if (*a == 'c') copy(h, i, 0);
        if (*a == 'd') copy_back(h, i, 0);
        if (*a == 'k') kernel(h, i, 0);
        if (*a == 'e') record(h, i, 0);
        if (*a == 's') gsim_device_synchronize(h->driver);
    }
}

static void copies_ahead(const struct handles *h)
{
    bool is_serial = strcmp(now.name, "as") == 0;
    for (int i = 0; i < now.count; i++) {
        copy(h, i, 0);
        record(h, i, 0);
    }
    for (int i = 0; i < now.count; i++) {
        int on = is_serial ? 1 : i + 1;
        wait(h, i, on);
        kernel(h, i, on);
        if (is_serial) gsim_stream_synchronize(h->driver, h->streams[on]);
    }
}

static void joined(const struct handles *h)
{
    for (int i = 1; i < now.count; i++) {
        kernel(h, i, i);
        record(h, i, i);
    }
    for (int i = 1; i < now.count; i++) wait(h, i, 0);
    kernel(h, 0, 0);
}

static void issue(const struct handles *h, char kind)
{
    switch (kind) {
    case 'a': copies_ahead(h); return;
    case 'j': joined(h); return;
    case '1':
        for (int i = 0; i < now.count; i++) in_order(h, i);
        return;
    }
    for (int i = 0; i < now.count; i++) {
        if (kind == 'z') { /* a chain that changes streams */
            if (i) wait(h, i - 1, 1 + i % 2);
            kernel(h, i, 1 + i % 2);
            record(h, i, 1 + i % 2);
            continue;
        }
        if (now.bytes) copy(h, i, i + 1);
        if (kind == 'o') kernel(h, i, i + 1);
    }
}

/* Captured from stream 0, which the others follow and join, as streams.cu does. */
static gsim_graph_exec capture(const struct handles *h)
{
    struct gsim_driver *d = h->driver;
    char kind = now.name[1];
    int used = kind == '1' ? 0 : kind == 'z' ? 2 : now.count;
    gsim_capture_begin(d, h->streams[0]);
    gsim_event begun = gsim_event_create(d, GSIM_EVENT_NO_TIMING);
    gsim_event_record(d, begun, h->streams[0]);
    for (int i = 1; i <= used; i++) gsim_stream_wait_event(d, h->streams[i], begun);
    issue(h, kind);
    for (int i = 1; i <= used; i++) {
        gsim_event end = gsim_event_create(d, GSIM_EVENT_NO_TIMING);
        gsim_event_record(d, end, h->streams[i]);
        gsim_stream_wait_event(d, h->streams[0], end);
    }
    return gsim_graph_instantiate(d, gsim_capture_end(d, h->streams[0]));
}

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    struct handles h = {.driver = d, .ops = run->program->ops};
    for (int i = 0; i <= MOST; i++) h.streams[i] = gsim_stream_create(d, 0);
    for (int i = 0; i < MOST; i++)
        h.events[i] = gsim_event_create(d, now.timing ? GSIM_EVENT_TIMING : GSIM_EVENT_NO_TIMING);
    gsim_graph_exec exec = now.name[0] == 'g' ? capture(&h) : 0;
    for (uint32_t i = 0; i < run->iterations; i++) {
        gsim_iteration_begin(d, i);
        if (exec) gsim_graph_launch(d, exec, h.streams[0]);
        else issue(&h, now.name[0]);
        gsim_device_synchronize(d);
        gsim_iteration_end(d, i);
    }
    (void)error;
    return gsim_driver_failed(d) ? d->error.status : GSIM_OK;
}

/* --- simulation --- */
static void build(struct gsim_program *program)
{
    struct gsim_error error = {0};
    struct gsim_builder *b = gsim_builder_create("chains");
    struct gsim_kernel k = {.name = "spin",
                            .grid = {4, 1, 1},
                            .block = {32, 1, 1},
                            .regs_per_thread = 16,
                            .demand_given = true,
                            .solo_us = KERNEL_US};
    uint32_t kernel_index = gsim_builder_kernel(b, &k);
    for (int i = 0; i < MOST; i++) {
        char name[8];
        snprintf(name, sizeof name, "b%d", i);
        uint64_t bytes = now.bytes ? (uint64_t)now.bytes : 4;
        struct gsim_arg arg = {.buffer_index = gsim_builder_buffer(b, name, bytes, GSIM_INIT_HOST), .reads = true};
        struct gsim_op op = {.kind = GSIM_OP_COPY,
                             .copy_kind = GSIM_COPY_H2D,
                             .args = &arg,
                             .arg_count = 1,
                             .bytes = bytes,
                             .stream = -1};
        gsim_builder_op(b, &op);
        gsim_builder_op(
            b, &(struct gsim_op){
                   .kind = GSIM_OP_KERNEL, .kernel_index = kernel_index, .args = &arg, .arg_count = 1, .stream = -1});
        op.copy_kind = GSIM_COPY_D2H;
        gsim_builder_op(b, &op);
    }
    CHECK_OK(gsim_builder_finish(b, 3, program, &error), error);
}

static double predicted_us(const struct gsim_device_spec *device)
{
    static const struct gsim_scheduler_ops scheduler = {
        GSIM_HEAD(scheduler), .name = "chains", .execute = execute};
    struct gsim_error error = {0};
    struct gsim_program program = {0};
    struct gsim_timeline timeline = {0};
    build(&program);
    struct gsim_simulation simulation = {.program = &program, .device = device, .scheduler = &scheduler,
                                         .memory = GSIM_MEMORY_PINNED, .iterations = 3, .seed = 1};
    gsim_params_set_defaults(gsim_gpu_params, &simulation.gpu);
    CHECK_OK(gsim_simulate(&simulation, &timeline, &error), error);
    double us = gsim_time_us(timeline.iterations[2].end - timeline.iterations[2].start);
    gsim_timeline_release(&timeline);
    gsim_program_release(&program);
    return us;
}

static struct pattern find(FILE *file, const char *name, int count, long bytes, bool timing)
{
    struct pattern p, found = {.whole_us = NAN, .calls_us = NAN};
    rewind(file);
    while (read_line(file, &p))
        if (strcmp(p.name, name) == 0 && p.count == count && p.bytes == bytes && p.timing == timing) found = p;
    return found;
}

static void set_calls(struct gsim_device_spec *device, FILE *file)
{
    struct pattern one = find(file, "1:k", 1, 0, false), ten = find(file, "1:k", 10, 0, false);
    device->launch_us = ten.calls_us / 10;
    device->memcpy_us = INFINITY;
    for (long bytes = 50000; bytes <= 1000000; bytes *= bytes == 50000 ? 5 : 4) /* the least disturbed */
        device->memcpy_us = fmin(device->memcpy_us, find(file, "1:c", 10, bytes, false).calls_us / 10);
    device->event_record_us = (find(file, "1:ke", 10, 0, true).calls_us - ten.calls_us) / 10;
    device->event_record_no_timing_us = (find(file, "1:ke", 10, 0, false).calls_us - ten.calls_us) / 10;
    device->sync_return_us = one.whole_us - one.calls_us - device->launch_to_start_us - KERNEL_US;
    CHECK(device->launch_us > 1 && device->memcpy_us > 0.5 && device->event_record_us > 0.1);
}

static void patterns_are_predicted(void)
{
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        struct gsim_device_spec device = {0};
        struct gsim_error error = {0};
        struct { char name[16]; double sum; int count; } kinds[32] = {0};
        size_t kind_count = 0;
        double sum = 0, worst = 0;
        int count = 0;
        FILE *file = fopen(files[f].path, "r");
        CHECK_OK(gsim_device_load(files[f].device, &device, &error), error);
        CHECK(file != NULL);
        if (!file) continue;
        set_calls(&device, file);
        rewind(file);
        while (read_line(file, &now)) {
            double off = fabs(predicted_us(&device) / now.whole_us - 1);
            size_t k = 0;
            while (k < kind_count && strcmp(kinds[k].name, now.name) != 0) k++;
            if (k == kind_count) memcpy(kinds[kind_count++].name, now.name, sizeof now.name);
            kinds[k].sum += off;
            kinds[k].count++;
            sum += off;
            count++;
        }
        CHECK(count > 400);
        for (size_t k = 0; k < kind_count; k++) worst = fmax(worst, kinds[k].sum / kinds[k].count);
        CHECK_MSG(sum / count <= files[f].mean, "%s: mean %.4f, at most %.4f", files[f].path, sum / count,
                  files[f].mean);
        CHECK_MSG(worst <= files[f].worst_mean, "%s: worst pattern %.4f, at most %.4f", files[f].path, worst,
                  files[f].worst_mean);
        fclose(file);
        gsim_device_release(&device);
    }
}

static const struct test_case cases[] = {{"patterns are predicted", patterns_are_predicted}};
TEST_MAIN("golden/chains", cases)
