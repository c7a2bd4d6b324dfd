/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Validation of a few made-up cases whose prediction is known by hand: kernels of one block that nothing disturbs take
 * as long as alone, and calls cost what the device file says. So errors, rows, baselines and rankings follow.
 */
#include "tests/trust/validate/rows.h"

#include <math.h>

#include "tests/sim/result_fixture.h"

static struct gsim_gpu_options gpu_options(void)
{
    struct gsim_gpu_options options;
    gsim_params_set_defaults(gsim_gpu_params, &options);
    return options;
}

static struct gsim_kernel kernel(uint32_t grid, double solo_us)
{
    return (struct gsim_kernel){.name = "kernel", .grid = {grid, 1, 1}, .block = {128, 1, 1}, .regs_per_thread = 16,
                                .smem_bytes = 8192, .solo_us = solo_us};
}

/* Two kernels released together, measured span SPAN_US, durations as alone. */
static void add_pair(struct gsim_case_set *set, uint32_t grid, double solo_a, double solo_b, double span_us)
{
    struct gsim_case *c = gsim_case_add(set);
    CHECK(c != NULL);
    *c = (struct gsim_case){.kind = GSIM_CASE_PAIR, .file = "f", .name = "pair", .index = (uint32_t)set->count - 1,
                            .kernels = {kernel(grid, solo_a), kernel(grid, solo_b)}, .span_us = span_us,
                            .end_us = {solo_a, solo_b}, .spread_ratio = 0.01};
}

static void run_all(const struct gsim_case_set *set, struct gsim_validation *v)
{
    struct gsim_error error = {0};
    for (size_t i = 0; i < set->count; i++) CHECK_OK(gsim_validation_run(v, &set->cases[i], &error), error);
}

/* An H200, no cases yet. */
struct rig {
    struct gsim_device_spec device;
    struct gsim_gpu_options options;
    struct gsim_case_set set;
    struct gsim_validation v; /* points to the first two */
};

static void rig_open(struct rig *r)
{
    struct gsim_error error = {0};
    *r = (struct rig){.options = gpu_options()};
    CHECK_OK(gsim_device_load("h200", &r->device, &error), error);
    r->v.device = &r->device;
    r->v.gpu = &r->options;
}

static void rig_close(struct rig *r)
{
    gsim_validation_release(&r->v);
    gsim_case_set_release(&r->set);
    gsim_device_release(&r->device);
}

/* Predicted spans are 100 us each (the second, 50 us, starts 0.256 us later): measured 80, 100, 125, 200, errors
 * +25, 0, -20, -50 %. Each kernel uses one of 132 SMs: no model slows it. */
static void rows_follow_from_known_errors(void)
{
    struct gsim_error error = {0};
    struct gsim_device_spec device;
    struct gsim_case_set set = {0};
    struct gsim_gpu_options options = gpu_options();
    CHECK_OK(gsim_device_load("h200", &device, &error), error);
    struct gsim_validation v = {.device = &device, .gpu = &options, .compares_models = true};
    const double spans[] = {80, 100, 125, 200};
    for (int i = 0; i < 4; i++) add_pair(&set, 1, 100, 50, spans[i]);
    run_all(&set, &v);
    struct row row = row_of(&v, GSIM_CASE_PAIR, GSIM_QUANTITY_SPAN);
    CHECK_INT(row.count, 4);
    CHECK_NEAR(row.mean, (0.25 + 0 + 0.2 + 0.5) / 4, 2e-3);
    CHECK_NEAR(row.median, 0.225, 2e-3);
    CHECK_NEAR(row.worst, 0.5, 2e-3);
    CHECK_NEAR(row.bias, (0.25 + 0 - 0.2 - 0.5) / 4, 2e-3);
    CHECK_NEAR(row.even, (0.25 + 0.2) / 2, 2e-3);
    CHECK_NEAR(row.odd, (0 + 0.5) / 2, 2e-3);
    CHECK_NEAR(row.spread, 0.01, 1e-12);
    for (uint32_t m = 1; gsim_model_name(m); m++) CHECK_NEAR(row.model_mean[m], (0.25 + 0 + 0.2 + 0.5) / 4, 1e-9);
    CHECK(isnan(row.model_mean[0])); /* it is the prediction */
    row = row_of(&v, GSIM_CASE_PAIR, GSIM_QUANTITY_OWN);
    CHECK_INT(row.count, 8);
    CHECK_NEAR(row.worst, 0, 2e-3);
    row = row_of(&v, GSIM_CASE_ARRIVAL, GSIM_QUANTITY_SPAN);
    CHECK_INT(row.count, 0);
    gsim_validation_release(&v);
    gsim_case_set_release(&set);
    gsim_device_release(&device);
}

/* Two kernels that both fill the chip: as fluids they halve each other until the shorter is done at 100 us, the longer
 * has 50 us left then: 150 us. Arriving later, it makes the same of it: the chip is never idle. */
static void fluids_share_the_chip(void)
{
    struct gsim_error error = {0};
    struct gsim_device_spec device;
    struct gsim_case_set set = {0};
    struct gsim_gpu_options options = gpu_options();
    CHECK_OK(gsim_device_load("h200", &device, &error), error);
    struct gsim_validation v = {.device = &device, .gpu = &options, .compares_models = true};
    uint32_t full = (uint32_t)device.sm_count * 16; /* 128 threads: 16 blocks of 9 KiB on an SM, or more */
    add_pair(&set, full * 2, 100, 50, 150);
    add_pair(&set, full * 2, 100, 50, 150);
    set.cases[1].kind = GSIM_CASE_ARRIVAL;
    set.cases[1].delay_us = 40;
    run_all(&set, &v);
    size_t spans = 0;
    for (size_t i = 0; i < v.count; i++) {
        const struct gsim_sample *s = &v.samples[i];
        if (s->quantity != GSIM_QUANTITY_SPAN) continue;
        spans++;
        CHECK_NEAR(s->model_us[gsim_model_find("waves")], 150, 0.3);
        CHECK_NEAR(s->model_us[gsim_model_find("fluid")], 150, 0.3);
        CHECK_NEAR(s->model_us[gsim_model_find("recorded")], 100, 0.3);
    }
    CHECK_INT(spans, 2);
    gsim_validation_release(&v);
    gsim_case_set_release(&set);
    gsim_device_release(&device);
}

/* Two nodes of one block, the second on another stream and after the first. Serial: the first starts after its launch
 * call and the way to the GPU; the second follows a gap later. */
static void dags_follow_the_device_file(void)
{
    static const uint32_t first_node = 0;
    struct rig r;
    rig_open(&r);
    r.v.compares_models = true;
    const struct gsim_device_spec *d = &r.device;
    struct gsim_case_node nodes[2] = {
        {.kernel = kernel(1, 100), .stream = 0, .start_us = 10, .end_us = 110},
        {.kernel = kernel(1, 50), .stream = 1, .deps = &first_node, .dep_count = 1, .start_us = 120, .end_us = 170},
    };
    struct gsim_case *c = gsim_case_add(&r.set);
    *c = (struct gsim_case){.kind = GSIM_CASE_DAG, .file = "f", .name = "dag", .nodes = nodes, .node_count = 2,
                            .stream_count = 2, .spread_ratio = NAN};
    for (int i = 0; i < GSIM_SCHEDULE_COUNT; i++) c->makespan_us[i] = 200 + i;
    run_all(&r.set, &r.v);
    double start = d->launch_us + d->launch_to_start_us, expected[GSIM_QUANTITY_COUNT] = {0};
    expected[GSIM_QUANTITY_LIVE] = start + 150 + d->event_gap_us + d->sync_return_us;
    expected[GSIM_QUANTITY_SERIAL] = start + 150 + d->stream_gap_us + d->sync_return_us;
    expected[GSIM_QUANTITY_SYNC] = 2 * (start + d->sync_return_us) + 150;
    size_t checked = 0;
    for (size_t i = 0; i < r.v.count; i++) {
        const struct gsim_sample *s = &r.v.samples[i];
        if (s->quantity == GSIM_QUANTITY_KERNELS) /* starts 0 and 100 + gap, ends likewise; measured 0, 110; 100, 160 */
            CHECK_NEAR(s->error, 2 * (10 - d->event_gap_us) / 4 / 160, 1e-3);
        if (s->quantity == GSIM_QUANTITY_LIVE) {
            for (uint32_t m = 1; gsim_model_name(m); m++)
                CHECK_NEAR(s->model_us[m], expected[GSIM_QUANTITY_LIVE], d->sync_idle_us + 0.5);
        }
        if (!(expected[s->quantity] > 0)) continue;
        /* An idle synchronise ends the synchronised run; waits and records are calls too. */
        CHECK_NEAR(s->predicted, expected[s->quantity], d->sync_idle_us + 0.5);
        checked++;
    }
    CHECK_INT(checked, 3);
    rig_close(&r);
}

/* Two ops of short blocks, the second of two kernels, issued by a program in Python: the host decides. An op takes 30
 * us, the CUDA call in it included; entering and leaving a stream 20, an event's record 10, a wait 5, an idle
 * synchronise 12 of which a third passes behind the CUDA call. Serial: op, op, synchronise. Live: two ops on streams, a
 * record after the first, a wait before the second. */
static void programs_in_python_take_their_time(void)
{
    static const uint32_t first_node = 0, second_node = 1;
    struct rig r;
    rig_open(&r);
    const struct gsim_device_spec *d = &r.device;
    struct gsim_case_node nodes[3] = {
        {.kernel = kernel(1, 1), .stream = 0, .start_us = NAN, .end_us = NAN, .host_us = 30},
        {.kernel = kernel(1, 1),
         .stream = 1,
         .deps = &first_node,
         .dep_count = 1,
         .start_us = NAN,
         .end_us = NAN,
         .host_us = 30},
        {.kernel = kernel(1, 1), .stream = 1, .deps = &second_node, .dep_count = 1, .start_us = NAN, .end_us = NAN},
    };
    struct gsim_case *c = gsim_case_add(&r.set);
    *c = (struct gsim_case){.kind = GSIM_CASE_ATEN,
                            .file = "f",
                            .name = "dag",
                            .nodes = nodes,
                            .node_count = 3,
                            .stream_count = 2,
                            .host = {.stream_us = 20, .record_us = 10, .wait_us = 5, .sync_us = 12},
                            .spread_ratio = NAN};
    for (int i = 0; i < GSIM_SCHEDULE_COUNT; i++) c->makespan_us[i] = 100;
    run_all(&r.set, &r.v);
    double expected[GSIM_QUANTITY_COUNT] = {0}, graph_us = 0, after = 0.33 * 12;
    expected[GSIM_QUANTITY_SERIAL] = 30 + 30 + 12;
    expected[GSIM_QUANTITY_LIVE] = 30 + 20 + 10 + 5 + 30 + 20 + 12;
    size_t checked = 0;
    for (size_t i = 0; i < r.v.count; i++) {
        const struct gsim_sample *s = &r.v.samples[i];
        if (s->quantity == GSIM_QUANTITY_CHAIN) graph_us = s->predicted;
        if (!(expected[s->quantity] > 0)) continue;
        CHECK_NEAR(s->predicted, expected[s->quantity], 0.1);
        checked++;
    }
    CHECK_INT(checked, 2);
    /* Behind work only the replay's time before the launch and the synchronise's after its call remain. */
    double call = d->graph_launch_us + 3 * d->graph_launch_node_us;
    CHECK_NEAR(graph_us,
               0.14 * 12 + call + d->graph_start_us + 3 + 2 * d->graph_node_gap_us + d->sync_return_us + after, 0.1);
    rig_close(&r);
}

/* Samples made by hand: one DAG ranked right, one with serial and graph exchanged, whose choice costs 10 %. */
static void rankings_are_per_case(void)
{
    static const enum gsim_quantity order[] = {GSIM_QUANTITY_LIVE, GSIM_QUANTITY_SERIAL, GSIM_QUANTITY_GRAPH};
    static const double predicted[2][3] = {{20, 30, 10}, {20, 10, 30}}, measured[2][3] = {{20, 30, 10}, {20, 11, 10}};
    struct gsim_case subjects[2] = {{.kind = GSIM_CASE_DAG}, {.kind = GSIM_CASE_DAG}};
    struct gsim_sample samples[8];
    const struct gsim_device_spec device = {.name = "h200"};
    struct gsim_validation v = {.device = &device, .samples = samples};
    for (int c = 0; c < 2; c++) {
        for (int q = 0; q < 3; q++)
            samples[v.count++] = (struct gsim_sample){.subject = &subjects[c], .quantity = order[q],
                                                      .predicted = predicted[c][q], .measured = measured[c][q]};
        samples[v.count++] = (struct gsim_sample){.subject = &subjects[c], .quantity = GSIM_QUANTITY_KERNELS};
    }
    struct ranking ranking = ranking_of(&v, GSIM_CASE_DAG);
    CHECK_INT(ranking.count, 2);
    CHECK_NEAR(ranking.tau_mean, (1 - 1.0 / 3) / 2, 1e-12); /* live-serial agrees, the two others do not */
    CHECK_NEAR(ranking.regret_mean, 0.05, 1e-12);
    CHECK_NEAR(ranking.regret_worst, 0.1, 1e-12);
    ranking = ranking_of(&v, GSIM_CASE_ATEN);
    CHECK_INT(ranking.count, 0);
}

/* A pair whose blocks were recorded: eight blocks on eight SMs, one each, is what the distributor does; four SMs with
 * two each instead is off by 8 + 4 of 132 SMs moved: distance (4 + 8 + 4) / (2 * 132). */
static void placement_is_compared(void)
{
    struct gsim_error error = {0};
    struct gsim_device_spec device;
    struct gsim_case_set set = {0};
    struct gsim_gpu_options options = gpu_options();
    uint32_t spread[132] = {0}, packed[132] = {0};
    CHECK_OK(gsim_device_load("h200", &device, &error), error);
    struct gsim_validation v = {.device = &device, .gpu = &options};
    for (int i = 0; i < 8; i++) spread[i] = 1, packed[i / 2] = 2;
    add_pair(&set, 8, 100, 50, 100);
    set.cases[0].blocks_by_sm[0] = spread;
    set.cases[0].blocks_by_sm[1] = packed;
    set.cases[0].sm_count = 132;
    run_all(&set, &v);
    size_t found = 0;
    for (size_t i = 0; i < v.count; i++) {
        if (v.samples[i].quantity != GSIM_QUANTITY_PLACEMENT) continue;
        CHECK_NEAR(v.samples[i].error, v.samples[i].part ? (4 + 8 + 4) / 264.0 : 0, 1e-9);
        found++;
    }
    CHECK_INT(found, 2);
    gsim_validation_release(&v);
    gsim_case_set_release(&set);
    gsim_device_release(&device);
}

static void missing_arrivals_are_skipped(void)
{
    struct gsim_error error = {0};
    struct gsim_device_spec device;
    struct gsim_case_set set = {0};
    struct gsim_gpu_options options = gpu_options();
    CHECK_OK(gsim_device_load("h200", &device, &error), error);
    struct gsim_validation v = {.device = &device, .gpu = &options};
    add_pair(&set, 1, 100, 50, 100);
    set.cases[0].kind = GSIM_CASE_PRIORITY;
    set.cases[0].delay_us = NAN;
    run_all(&set, &v);
    CHECK_INT(v.count, 0);
    CHECK_INT(v.skipped, 1);
    gsim_validation_release(&v);
    gsim_case_set_release(&set);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {
    {"rows from known errors", rows_follow_from_known_errors},
    {"fluids share the chip", fluids_share_the_chip},
    {"DAGs follow the device file", dags_follow_the_device_file},
    {"programs in Python take their time", programs_in_python_take_their_time},
    {"rankings per case", rankings_are_per_case},
    {"placement", placement_is_compared},
    {"missing arrivals are skipped", missing_arrivals_are_skipped},
};
TEST_MAIN("sim/validate", cases)
