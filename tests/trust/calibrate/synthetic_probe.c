/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See synthetic_probe.h. Each measurement is a simulation of its own, whose host code is a scheduler's.
 */
#include "tests/trust/calibrate/synthetic_probe.h"

#include <math.h>

#include "sim/base/output.h"
#include "gpusim/simulate.h"

#define BATCH 20
#define CHAIN 12
#define BUFFER_BYTES (512ull << 20)

enum kernel { EMPTY, SPIN, LONG, FORTY, KERNELS };

struct synthesis {
    struct gsim_program program;
    const struct gsim_device_spec *device;
    struct gsim_probe *probe;
    struct gsim_timeline timeline;
    struct gsim_op copy_op;
    double noise, now[4], x;
    enum gsim_copy_kind kind;
    enum gsim_memory_mode memory;
    uint64_t bytes;
    bool zigzag, busy, cross, failed;
    uint32_t nodes;
};

typedef void body_function(struct gsim_driver *d, struct synthesis *s);

struct call {
    struct synthesis *synthesis;
    body_function *body;
};

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    const struct call *call = run->params;
    gsim_iteration_begin(run->driver, 0);
    call->body(run->driver, call->synthesis);
    gsim_device_synchronize(run->driver);
    gsim_iteration_end(run->driver, 0);
    return gsim_driver_failed(run->driver) ? gsim_error_set(error, GSIM_SIM, "%s", run->driver->error.message)
                                           : GSIM_OK;
}

static void simulate(struct synthesis *s, body_function *body)
{
    static const struct gsim_scheduler_ops ops = {
        GSIM_HEAD(scheduler), .name = "probe", .execute = execute};
    struct gsim_error error = {0};
    struct call call = {s, body};
    struct gsim_simulation simulation = {.program = &s->program,
                                         .device = s->device,
                                         .scheduler = &ops,
                                         .scheduler_params = &call,
                                         .memory = s->memory,
                                         .iterations = 1,
                                         .seed = 1};
    gsim_params_set_defaults(gsim_gpu_params, &simulation.gpu);
    gsim_timeline_release(&s->timeline);
    if (gsim_simulate(&simulation, &s->timeline, &error) != GSIM_OK) {
        fprintf(stderr, "synthetic probe: %s\n", error.message);
        s->failed = true;
    }
}

static void add_point(struct synthesis *s, const char *name, const char *unit, double x, double value)
{
    struct gsim_probe_series *series = (struct gsim_probe_series *)gsim_probe_find(s->probe, name);
    if (!series) series = gsim_probe_add(s->probe, name, unit, 64);
    double spread = fabs(value) * s->noise;
    if (series)
        series->points[series->point_count++] =
            (struct gsim_probe_point){x, value, value - spread, value + spread, 100};
}

static void add(struct synthesis *s, const char *name, double value) { add_point(s, name, "us", 0, value); }

/* --- calls --- */
#define TIME(s, name, count, statement)                              \
    do {                                                             \
        gsim_device_synchronize(d);                                  \
        double from = d->ops->now_us(d);                             \
        for (uint32_t i = 0; i < (count); i++) { statement; }        \
        add((s), (name), (d->ops->now_us(d) - from) / (count));      \
    } while (0)

static void host_body(struct gsim_driver *d, struct synthesis *s)
{
    const struct gsim_op *empty = &s->program.ops[EMPTY];
    gsim_stream a = gsim_stream_create(d, 0), b = gsim_stream_create(d, 0), made[BATCH];
    gsim_event timed[BATCH], untimed[BATCH], fresh[BATCH];
    for (int i = 0; i < BATCH; i++) timed[i] = gsim_event_create(d, GSIM_EVENT_TIMING);
    for (int i = 0; i < BATCH; i++) untimed[i] = gsim_event_create(d, GSIM_EVENT_NO_TIMING);
    TIME(s, "launch", BATCH, gsim_launch(d, empty, a));
    TIME(s, "sync_idle", BATCH, gsim_stream_synchronize(d, a));
    TIME(s, "event_create", BATCH, fresh[i] = gsim_event_create(d, GSIM_EVENT_TIMING));
    TIME(s, "event_destroy", BATCH, gsim_event_destroy(d, fresh[i]));
    TIME(s, "query", BATCH, gsim_event_query(d, untimed[i]));
    TIME(s, "launch_record", BATCH, gsim_launch(d, empty, a); gsim_event_record(d, untimed[i], a));
    TIME(s, "launch_record_timed", BATCH, gsim_launch(d, empty, a); gsim_event_record(d, timed[i], a));
    TIME(s, "launch_record_wait", BATCH, gsim_launch(d, empty, a); gsim_event_record(d, untimed[i], a);
         gsim_stream_wait_event(d, b, untimed[i]));
    TIME(s, "stream_create", BATCH, made[i] = gsim_stream_create(d, 0));
    TIME(s, "stream_destroy", BATCH, gsim_stream_destroy(d, made[i]));
}

static void round_trip_body(struct gsim_driver *d, struct synthesis *s)
{
    gsim_stream a = gsim_stream_create(d, 0);
    s->now[0] = d->ops->now_us(d);
    gsim_launch(d, &s->program.ops[EMPTY], a);
    s->now[1] = d->ops->now_us(d);
    gsim_stream_synchronize(d, a);
    s->now[2] = d->ops->now_us(d);
}

static void round_trip(struct synthesis *s)
{
    simulate(s, round_trip_body);
    const struct gsim_kernel_record *k = &s->timeline.kernels[0];
    add(s, "launch_sync", s->now[2] - s->now[0]);
    add(s, "launch_to_start", gsim_time_us(k->start) - s->now[1]);
    add(s, "end_to_return", s->now[2] - gsim_time_us(k->end));
    add(s, "least_kernel", gsim_time_us(k->end - k->start));
    add(s, "clock_doubt", 0.5);
}

/* --- gaps and queues --- */
static void chain_body(struct gsim_driver *d, struct synthesis *s)
{
    gsim_stream streams[4];
    gsim_event events[CHAIN];
    for (int i = 0; i < 4; i++) streams[i] = gsim_stream_create(d, 0);
    for (int i = 0; i < CHAIN; i++) events[i] = gsim_event_create(d, GSIM_EVENT_NO_TIMING);
    for (int i = 2; s->busy && i < 4; i++) {
        gsim_launch(d, &s->program.ops[LONG], streams[i]);
        gsim_launch(d, &s->program.ops[EMPTY], streams[i]);
    }
    for (int i = 0; i < CHAIN; i++) {
        gsim_stream stream = streams[s->zigzag ? i % 2 : 0];
        if (s->zigzag && i) gsim_stream_wait_event(d, stream, events[i - 1]);
        gsim_launch(d, &s->program.ops[SPIN], stream);
        if (s->zigzag) gsim_event_record(d, events[i], stream);
    }
}

static void chain(struct synthesis *s, const char *name, bool zigzag, bool busy)
{
    const struct gsim_kernel_record *before = NULL;
    double sum[2] = {0};
    int count[2] = {0}, index = 0;
    s->zigzag = zigzag;
    s->busy = busy;
    simulate(s, chain_body);
    for (size_t i = 0; i < s->timeline.kernel_count; i++) {
        const struct gsim_kernel_record *k = &s->timeline.kernels[i];
        if (k->kernel_index != SPIN) continue;
        int is_second =
            zigzag
                ? index % 2
                : 0; /* of the two streams: it looks at its own once the first's has ended, but for its first kernel */
        if (index++ != is_second && ++count[is_second]) sum[is_second] += gsim_time_us(k->start - before->end);
        before = k;
    }
    add(s, name, sum[0] / count[0]);
    if (zigzag && !busy) add(s, "acquire_gap", sum[1] / count[1]);
}

static void queue_body(struct gsim_driver *d, struct synthesis *s)
{
    gsim_stream streams[41];
    for (int i = 0; i < 41; i++) streams[i] = gsim_stream_create(d, 0);
    for (int i = 0; i < 2 * (int)s->x; i++) gsim_launch(d, &s->program.ops[LONG], streams[i / 2]);
    gsim_launch(d, &s->program.ops[EMPTY], streams[(int)s->x]);
}

static void queues(struct synthesis *s)
{
    for (s->x = 1; s->x <= 40; s->x++) {
        double start[2] = {INFINITY, 0};
        simulate(s, queue_body);
        for (size_t i = 0; i < s->timeline.kernel_count; i++) {
            const struct gsim_kernel_record *k = &s->timeline.kernels[i];
            bool is_empty = k->kernel_index == EMPTY;
            if (!is_empty && k->stream != (uint32_t)s->x) continue; /* handles count from 1: the stream before */
            start[is_empty] = is_empty ? gsim_time_us(k->start) : fmin(start[0], gsim_time_us(k->start));
        }
        add_point(s, "queue_delay", "us", s->x, start[1] - start[0]);
    }
}

/* --- graphs --- */
static void nodes_body(struct gsim_driver *d, struct synthesis *s)
{
    double x = s->nodes, t[6];
    gsim_stream a = gsim_stream_create(d, 0);
    gsim_graph loose = gsim_graph_create(d), linked = gsim_graph_create(d);
    t[0] = d->ops->now_us(d);
    for (uint32_t i = 0; i < s->nodes; i++) gsim_graph_add(d, loose, &s->program.ops[EMPTY], NULL, 0);
    t[1] = d->ops->now_us(d);
    for (gsim_graph_node i = 0, before = 0; i < s->nodes; before = i++)
        gsim_graph_add(d, linked, &s->program.ops[EMPTY], &before, i > 0);
    t[2] = d->ops->now_us(d);
    gsim_graph_exec exec = gsim_graph_instantiate(d, linked);
    t[3] = d->ops->now_us(d);
    gsim_capture_begin(d, a);
    for (uint32_t i = 0; i < s->nodes; i++) gsim_launch(d, &s->program.ops[EMPTY], a);
    gsim_capture_end(d, a);
    t[4] = d->ops->now_us(d);
    gsim_graph_launch(d, exec, a);
    double called = d->ops->now_us(d);
    gsim_stream_synchronize(d, a);
    t[5] = d->ops->now_us(d);
    add_point(s, "graph_add", "us", x, t[1] - t[0]);
    add_point(s, "graph_add_chain", "us", x, t[2] - t[1]);
    add_point(s, "graph_instantiate", "us", x, t[3] - t[2]);
    add_point(s, "graph_capture", "us", x, t[4] - t[3]);
    add_point(s, "graph_launch", "us", x, called - t[4]);
    add_point(s, "graph_chain", "us", x, t[5] - t[4]);
}

static void branches_body(struct gsim_driver *d, struct synthesis *s)
{
    gsim_stream a = gsim_stream_create(d, 0);
    gsim_graph graph = gsim_graph_create(d);
    for (uint32_t i = 0; i < s->nodes; i++) gsim_graph_add(d, graph, &s->program.ops[FORTY], NULL, 0);
    gsim_graph_exec exec = gsim_graph_instantiate(d, graph);
    s->now[0] = d->ops->now_us(d);
    gsim_graph_launch(d, exec, a);
    s->now[1] = d->ops->now_us(d);
    gsim_stream_synchronize(d, a);
    s->now[2] = d->ops->now_us(d);
}

/* Node 2i + side follows both nodes before; the long one changes sides. */
static void links_body(struct gsim_driver *d, struct synthesis *s)
{
    gsim_stream a = gsim_stream_create(d, 0);
    gsim_graph graph = gsim_graph_create(d);
    for (uint32_t i = 0; i < CHAIN; i++) {
        for (uint32_t side = 0; side < (s->cross ? 2 : 1); side++) {
            gsim_graph_node after[2] = {s->cross ? 2 * i - 2 + side : i - 1, 2 * i - 1 - side};
            gsim_graph_add(d, graph, &s->program.ops[s->cross && (i + side) % 2 == 0 ? FORTY : SPIN], after,
                           i ? (s->cross ? 2 : 1) : 0);
        }
    }
    gsim_graph_exec exec = gsim_graph_instantiate(d, graph);
    gsim_graph_launch(d, exec, a);
}

/* cross: the other branch's node starts after the long one, later than the one along it. */
static void links(struct synthesis *s)
{
    s->cross = false;
    simulate(s, links_body);
    const struct gsim_kernel_record *k = s->timeline.kernels;
    add(s, "graph_node_gap", gsim_time_us(k[1].start - k[0].end));
    s->cross = true;
    simulate(s, links_body);
    gsim_time end = GSIM_TIME_NEVER, start = 0;
    for (size_t i = 0; i < s->timeline.kernel_count; i++)
        if (s->timeline.kernels[i].kernel_index == FORTY && s->timeline.kernels[i].end < end)
            end = s->timeline.kernels[i].end;
    for (size_t i = 0; i < s->timeline.kernel_count; i++) {
        gsim_time at = s->timeline.kernels[i].start;
        if (at >= end && at < end + gsim_time_from_us(6) && s->timeline.kernels[i].kernel_index == FORTY) start = at;
    }
    /* the next long one is on the other side */
    add(s, "graph_cross_gap", gsim_time_us(start - end));
}

static void graphs(struct synthesis *s)
{
    static const uint32_t sizes[] = {2, 5, 10, 20, 50, 100};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        s->nodes = sizes[i];
        simulate(s, nodes_body);
    }
    for (s->nodes = 1; s->nodes <= 8; s->nodes++) {
        simulate(s, branches_body);
        const struct gsim_kernel_record *k = &s->timeline.kernels[0];
        add_point(s, "graph_branches", "us", s->nodes, s->now[2] - s->now[0] - gsim_time_us(k->end - k->start));
        if (s->nodes == 1) add(s, "graph_start", gsim_time_us(k->start) - s->now[1]);
    }
    links(s);
}

/* --- copies --- */
static void copy_body(struct gsim_driver *d, struct synthesis *s)
{
    gsim_stream a = gsim_stream_create(d, 0);
    s->copy_op.copy_kind = s->kind;
    s->copy_op.bytes = s->bytes;
    s->now[0] = d->ops->now_us(d);
    gsim_memcpy_async(d, &s->copy_op, a);
    s->now[1] = d->ops->now_us(d);
    gsim_stream_synchronize(d, a);
    s->now[2] = d->ops->now_us(d);
}

static void both_body(struct gsim_driver *d, struct synthesis *s)
{
    gsim_stream a = gsim_stream_create(d, 0), b = gsim_stream_create(d, 0);
    static struct gsim_op ops[2];
    for (int i = 0; i < 2; i++) {
        ops[i] = s->copy_op;
        ops[i].copy_kind = i ? GSIM_COPY_D2H : GSIM_COPY_H2D;
        ops[i].bytes = s->bytes;
    }
    gsim_memcpy_async(d, &ops[0], a);
    gsim_memcpy_async(d, &ops[1], b);
}

/* Copies of 128 KiB in a row, a timed record behind each where RECORDED, each in a stream of its own where ACROSS. */
struct copy_chain {
    const char *name;
    enum gsim_copy_kind kind;
    bool recorded, across;
};
static const struct copy_chain *copied;
static int copied_count;

static void copy_chain_body(struct gsim_driver *d, struct synthesis *s)
{
    gsim_stream streams[10];
    for (int i = 0; i < 10; i++) streams[i] = gsim_stream_create(d, 0);
    gsim_event event = gsim_event_create(d, GSIM_EVENT_TIMING);
    s->copy_op.copy_kind = copied->kind;
    s->copy_op.bytes = 131072;
    s->now[0] = d->ops->now_us(d);
    for (int i = 0; i < copied_count; i++) {
        gsim_stream on = streams[copied->across ? i : 0];
        gsim_memcpy_async(d, &s->copy_op, on);
        if (copied->recorded) gsim_event_record(d, event, on);
    }
    gsim_device_synchronize(d);
    s->now[1] = d->ops->now_us(d);
}

static void copy_chains(struct synthesis *s)
{
    static const struct copy_chain chains[] = {{"h2d_chain", GSIM_COPY_H2D, false, false},
                                               {"d2h_chain", GSIM_COPY_D2H, false, false},
                                               {"h2d_record_chain", GSIM_COPY_H2D, true, false},
                                               {"h2d_across", GSIM_COPY_H2D, false, true}};
    for (size_t r = 0; r < sizeof chains / sizeof chains[0]; r++)
        for (copied_count = 2; copied_count <= 10; copied_count += 2) {
            copied = &chains[r];
            simulate(s, copy_chain_body);
            add_point(s, copied->name, "us", copied_count, s->now[1] - s->now[0]);
        }
}

static void copies(struct synthesis *s)
{
    static const uint64_t sizes[] = {4096, 65536, 1u << 20, 4u << 20, 16u << 20, 64u << 20, 256u << 20};
    static const struct {
        const char *name, *call;
        enum gsim_copy_kind kind;
        enum gsim_memory_mode memory;
    } rows[] = {{"h2d_pinned", "h2d_pinned_call", GSIM_COPY_H2D, GSIM_MEMORY_PINNED},
                {"d2h_pinned", "d2h_pinned_call", GSIM_COPY_D2H, GSIM_MEMORY_PINNED},
                {"h2d_pageable", NULL, GSIM_COPY_H2D, GSIM_MEMORY_PAGEABLE},
                {"d2h_pageable", NULL, GSIM_COPY_D2H, GSIM_MEMORY_PAGEABLE},
                {"d2d", NULL, GSIM_COPY_D2D, GSIM_MEMORY_PINNED}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        s->bytes = sizes[i];
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            s->kind = rows[r].kind;
            s->memory = rows[r].memory;
            simulate(s, copy_body);
            add_point(s, rows[r].name, "us", (double)sizes[i], s->now[2] - s->now[0]);
            if (rows[r].call) add_point(s, rows[r].call, "us", (double)sizes[i], s->now[1] - s->now[0]);
        }
        s->memory = GSIM_MEMORY_PINNED;
        if (sizes[i] < 4u << 20) continue;
        simulate(s, both_body);
        gsim_time start = GSIM_TIME_NEVER, end = 0;
        for (size_t k = 0; k < s->timeline.copy_count; k++) {
            if (s->timeline.copies[k].start < start) start = s->timeline.copies[k].start;
            if (s->timeline.copies[k].end > end) end = s->timeline.copies[k].end;
        }
        add_point(s, "bidirectional", "us", (double)sizes[i], gsim_time_us(end - start));
    }
}

/* --- by the numbers --- */
static void numbers(struct synthesis *s)
{
    const struct gsim_device_spec *d = s->device;
    static const double blocks[] = {1, 2, 4, 8, 16, 33, 66, 132, 264, 528, 1056};
    const double share[6] = {0, 0.125, 0.25, 0.5, 1, 2};
    const double stretch[6] = {1,
                               d->dram_stretch_eighth,
                               d->dram_stretch_quarter,
                               d->dram_stretch_half,
                               d->dram_stretch_one,
                               d->dram_stretch_two};
    double first = d->most_bytes_in_flight_per_thread / d->dram_latency_ns * 512,
           fma = 2 * d->fma_share * d->sm_count * d->fp32_lanes_per_sm * d->clock_mhz * 1e-6;
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        double asked = blocks[i] * first / d->dram_gbps, factor = asked;
        for (int k = 0; k < 5; k++)
            if (asked >= share[k] && asked < share[k + 1])
                factor = stretch[k] + (stretch[k + 1] - stretch[k]) * (asked - share[k]) / (share[k + 1] - share[k]);
        double rate = i ? fmin(blocks[i] * first / factor, d->dram_gbps) : first;
        add_point(s, "copy_bandwidth", "GB/s", blocks[i], asked >= 2 ? d->dram_gbps : rate);
    }
    add_point(s, "fma_rate", "TFLOP/s", 1056, fma);
    add_point(s, "fp64_rate", "TFLOP/s", 1056, fma * d->fp64_ratio);
    add_point(s, "l2_bandwidth", "GB/s", 1e7, d->l2_gbps);
    add_point(s, "clock", "MHz", 0, d->clock_mhz);
    add_point(s, "fma_latency", "clk", 0, d->issue_latency_cycles);
    add_point(s, "block_turnaround", "ns", 0, d->block_turnaround_ns);
    add_point(s, "launch_queue_depth", "", 0, d->launch_queue_depth);
    add(s, "thread_create", d->thread_create_us);
    add(s, "lock", d->lock_us);
    s->probe->sm_count = d->sm_count;
    s->probe->memory_bytes = d->memory_gb * 1e9;
    s->probe->l2_bytes = d->l2_mib * 1048576;
    s->probe->cores = d->cores;
}

static enum gsim_status build_program(struct synthesis *s, struct gsim_error *error)
{
    const double us[KERNELS] = {
        [EMPTY] = s->device->block_turnaround_ns * 1e-3, [SPIN] = 8, [LONG] = 400, [FORTY] = 40};
    struct gsim_builder *builder = gsim_builder_create("probe");
    gsim_builder_buffer(builder, "data", BUFFER_BYTES, GSIM_INIT_DEVICE);
    for (int i = 0; i < KERNELS; i++) {
        const struct gsim_kernel kernel = {
            .name = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}, .regs_per_thread = 16, .solo_us = us[i]};
        const struct gsim_op op = {
            .kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(builder, &kernel), .stream = -1};
        gsim_builder_op(builder, &op);
    }
    return gsim_builder_finish(builder, 1, &s->program, error);
}

enum gsim_status synthetic_probe_make(const struct gsim_device_spec *device, double noise_ratio,
                                      struct gsim_probe *probe, struct gsim_error *error)
{
    static const struct gsim_arg whole = {.buffer_index = 0, .reads = true, .writes = true};
    struct synthesis s = {.device = device, .probe = probe, .noise = noise_ratio, .memory = GSIM_MEMORY_PINNED,
                          .copy_op = {.kind = GSIM_OP_COPY, .args = &whole, .arg_count = 1, .stream = -1}};
    gsim_probe_init(probe);
    probe->gpu = "NVIDIA Synthetic";
    probe->compute_capability = device->compute_capability;
    enum gsim_status status = build_program(&s, error);
    if (status != GSIM_OK) return status;
    simulate(&s, host_body);
    round_trip(&s);
    chain(&s, "stream_gap", false, false);
    chain(&s, "stream_gap_busy", false, true);
    chain(&s, "event_gap", true, false);
    chain(&s, "event_gap_busy", true, true);
    queues(&s);
    graphs(&s);
    copies(&s);
    copy_chains(&s);
    numbers(&s);
    gsim_timeline_release(&s.timeline);
    gsim_program_release(&s.program);
    return s.failed ? gsim_error_set(error, GSIM_SIM, "a synthetic measurement failed") : GSIM_OK;
}

enum gsim_status synthetic_probe_write(const struct gsim_probe *probe, const char *path, struct gsim_error *error)
{
    struct gsim_output out;
    enum gsim_status status = gsim_output_open(&out, path, error);
    if (status != GSIM_OK) return status;
    gsim_output_printf(&out,
                       "{\"schema\": \"gpusim-probe/1\", \"gpu\": \"%s\", \"compute_capability\": %d, \"driver\": "
                       "\"0\", \"date\": \"2026-01-01\",\n",
                       probe->gpu, probe->compute_capability);
    gsim_output_printf(&out,
                       " \"attributes\": {\"sm_count\": %.9g, \"memory_bytes\": %.12g, \"l2_bytes\": %.12g, \"cores\": "
                       "%.9g},\n \"series\": [",
                       probe->sm_count, probe->memory_bytes, probe->l2_bytes, probe->cores);
    for (size_t i = 0; i < probe->series_count; i++) {
        const struct gsim_probe_series *s = &probe->series[i];
        gsim_output_printf(&out, "%s\n  {\"name\": \"%s\", \"x\": \"\", \"unit\": \"%s\", \"points\": [", i ? "," : "",
                           s->name, s->unit);
        for (size_t k = 0; k < s->point_count; k++)
            gsim_output_printf(&out, "%s[%.17g, %.17g, %.17g, %.17g, %.17g]", k ? ", " : "", s->points[k].x,
                               s->points[k].median, s->points[k].low, s->points[k].high, s->points[k].count);
        gsim_output_text(&out, "]}");
    }
    gsim_output_text(&out, "]}\n");
    return gsim_output_commit(&out, error);
}
