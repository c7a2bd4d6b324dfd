/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the simulator predicts, taken as measured: then nothing is off. Shifted by hand, deviations are computed by
 * hand.
 */
#include "trust/validate/traces.h"

#include "trust/validate/report.h"
#include "tests/sim/result_fixture.h"

#define OPS 3

static struct gsim_device_spec device;
static struct gsim_gpu_options gpu;
static struct gsim_predictor predictor;
static struct gsim_program program;

/* Two kernels in stream 7 with the host's work between them, a copy in stream 9. */
static void program_is_made(void)
{
    struct gsim_error error = {0};
    struct gsim_builder *b = gsim_builder_create("traced");
    struct gsim_kernel kernel = {
        .name = "k", .grid = {132, 1, 1}, .block = {256, 1, 1}, .solo_us = 100, .solo_device = "h200"};
    uint32_t buffer = gsim_builder_buffer(b, "h2d of stream 9", 1 << 20, GSIM_INIT_HOST);
    struct gsim_arg arg = {.buffer_index = buffer, .writes = true};
    struct gsim_op ops[] = {
        {.kind = GSIM_OP_KERNEL, .stream = 7, .kernel_index = gsim_builder_kernel(b, &kernel)},
        {.kind = GSIM_OP_HOST_COMPUTE, .stream = -1, .host_us = 150},
        {.kind = GSIM_OP_COPY, .stream = 9, .copy_kind = GSIM_COPY_H2D, .args = &arg, .arg_count = 1, .bytes = 1 << 20},
        {.kind = GSIM_OP_KERNEL, .stream = 7},
    };
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) gsim_builder_op(b, &ops[i]);
    CHECK_OK(gsim_builder_finish(b, 1, &program, &error), error);
    gsim_params_set_defaults(gsim_gpu_params, &gpu);
    CHECK_OK(gsim_device_load("h200", &device, &error), error);
    predictor = (struct gsim_predictor){&device, &gpu, gsim_scheduler_find("async"), NULL, NULL};
}

static const struct gsim_recorded_op blank[OPS] = {
    {.is_kernel = true, .op = 0, .stream = 7, .start_us = NAN, .end_us = NAN},
    {.op = 2, .stream = 9, .start_us = NAN, .end_us = NAN},
    {.is_kernel = true, .op = 3, .stream = 7, .start_us = NAN, .end_us = NAN}};

static void add(struct gsim_trace_validation *v, const struct gsim_recorded_op *ops, double span_us)
{
    struct gsim_error error = {0};
    const struct gsim_validated_trace traced = {.file = "t.json",
                                       .gpu = "NVIDIA H200",
                                       .program = &program,
                                       .ops = ops,
                                       .op_count = OPS,
                                       .span_us = span_us,
                                       .repairs = 2,
                                       .notes = "one\ntwo"};
    CHECK_OK(gsim_trace_validation_add(v, &traced, &error), error);
}

/* The prediction as if it were measured. */
static double predict(struct gsim_recorded_op ops[OPS])
{
    struct gsim_trace_validation v = {.predictor = &predictor};
    memcpy(ops, blank, sizeof blank);
    add(&v, ops, 1000);
    CHECK_INT(v.samples[0].timeline.compared, 0);
    CHECK_INT(v.samples[0].timeline.missing, OPS);
    CHECK(isnan(v.samples[0].timeline.mean));
    for (int i = 0; i < OPS; i++) {
        ops[i].start_us = v.samples[0].ops[i].predicted_start_us;
        ops[i].end_us = v.samples[0].ops[i].predicted_end_us;
    }
    double span_us = v.samples[0].predicted_us;
    gsim_trace_validation_release(&v);
    return span_us;
}

static void own_prediction_is_exact(void)
{
    struct gsim_recorded_op ops[OPS];
    struct gsim_trace_validation v = {.predictor = &predictor};
    double span_us = predict(ops);
    /* The first launch begins at 0; the second kernel waits for the host. */
    CHECK_NEAR(ops[0].start_us, device.launch_us + device.launch_to_start_us, 1e-6);
    CHECK_NEAR(ops[0].end_us - ops[0].start_us, 100, 0.2);
    CHECK(ops[2].start_us > device.launch_us + 150);
    add(&v, ops, span_us);
    const struct gsim_trace_sample *s = &v.samples[0];
    CHECK_NEAR(s->error, 0, 1e-12);
    CHECK_NEAR(s->timeline.worst, 0, 1e-12);
    CHECK_INT(s->timeline.compared, OPS);
    CHECK_INT(s->stream_count, 2);
    CHECK_INT(s->streams[0].stream, 7);
    CHECK_INT(s->streams[0].op_count, 2);
    CHECK_NEAR(s->streams[0].measured_us, 200, 0.4);
    CHECK_NEAR(s->streams[1].predicted_us, s->streams[1].measured_us, 1e-9);
    CHECK_STR(s->ops[0].name, "k");
    CHECK(s->ops[1].name == NULL);
    gsim_trace_validation_release(&v);
}

/* What the host did between its calls is in the program already. */
static void the_way_between_calls_is_the_traces(void)
{
    struct gsim_recorded_op ops[OPS];
    double own_us = device.call_gap_us, without_us = predict(ops);
    device.call_gap_us = 3;
    CHECK_NEAR(predict(ops), without_us, 1e-9);
    device.call_gap_us = own_us;
}

static void deviations_are_shares_of_the_span(void)
{
    struct gsim_recorded_op ops[OPS];
    struct gsim_trace_validation v = {.predictor = &predictor};
    double span_us = predict(ops) * 1.25;
    ops[1].start_us -= 0.03 * span_us; /* one start, and one op's start and end */
    ops[2].start_us += 0.06 * span_us;
    ops[2].end_us += 0.06 * span_us;
    add(&v, ops, span_us);
    CHECK_NEAR(v.samples[0].error, 1 / 1.25 - 1, 1e-9);
    CHECK_NEAR(v.samples[0].timeline.mean, (0.03 + 2 * 0.06) / (2 * OPS), 1e-9);
    CHECK_NEAR(v.samples[0].timeline.worst, 0.06, 1e-9);
    gsim_trace_validation_release(&v);
    gsim_program_release(&program);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {
    {"a program", program_is_made},
    {"its own prediction is exact", own_prediction_is_exact},
    {"the way between calls", the_way_between_calls_is_the_traces},
    {"deviations are shares of the span", deviations_are_shares_of_the_span},
};

TEST_MAIN("trust/validate/traces", cases)
