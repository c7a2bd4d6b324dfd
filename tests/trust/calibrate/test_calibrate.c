/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Probes and runs of a perturbed H200, made by the simulator: calibrating the plain H200 to them finds what was
 * changed; of less data it says what it cannot tell.
 */
#include "trust/calibrate/calibrate.h"

#include <unistd.h>

#include "trust/calibrate/print.h"
#include "trust/calibrate/traces.h"
#include "sim/device/device.h"
#include "tests/trust/calibrate/synthetic_probe.h"
#include "tests/test.h"
#include "tests/traces/synthetic.h"
#include "traces/runs.h"

/* What is different, and how near it is found (relative). */
static const struct {
    const char *name, *value;
    double tolerance;
} changes[] = {
    {"sm_count", "114", 0},          {"clock_mhz", "1755", 1e-3},          {"l2_mib", "50", 1e-6},
    {"launch_us", "4.1", 1e-3},      {"launch_to_start_us", "3.3", 0.01},  {"sync_return_us", "4.4", 0.01},
    {"sync_idle_us", "0.8", 1e-3},   {"event_create_us", "0.31", 1e-3},    {"event_destroy_us", "0.2", 1e-3},
    {"event_record_us", "0.9", 0.01}, {"event_record_no_timing_us", "0.5", 0.01}, {"stream_wait_us", "0.35", 0.01},
    {"query_us", "0.4", 1e-3},       {"stream_create_us", "2.5", 1e-3},    {"stream_destroy_us", "5", 1e-3},
    {"stream_gap_us", "1.1", 1e-3},  {"event_gap_us", "2.2", 1e-3},        {"busy_gap_us", "0.6", 0.01},
    {"acquire_us", "0.4", 0.02},
    {"hw_queues", "12", 0},          {"graph_add_node_us", "1.7", 0.01},   {"graph_add_edge_us", "0.3", 0.01},
    {"graph_instantiate_us", "9", 0.01}, {"graph_instantiate_node_us", "1.3", 0.01}, {"graph_launch_us", "2.2", 0.01},
    {"graph_launch_node_us", "0.02", 0.01}, {"graph_start_us", "2.6", 0.02}, {"graph_node_gap_us", "1.4", 1e-3},
    {"graph_branch_us", "0.7", 0.02}, {"memcpy_us", "2.1", 0.01},
    {"h2d_gbps", "24.5", 1e-3},      {"d2h_gbps", "26.2", 1e-3},           {"bidirectional_gbps", "40", 0.02},
    {"h2d_latency_us", "6.5", 0.02}, {"d2h_latency_us", "5.5", 0.02},      {"pageable_h2d_gbps", "6", 0.02},
    {"copy_start_us", "1.6", 0.02},  {"copy_switch_us", "0.9", 0.02},      {"timed_record_us", "2.1", 0.02},
    {"pageable_d2h_gbps", "5", 0.02}, {"pageable_latency_us", "12", 0.02}, {"d2d_gbps", "1300", 0.01},
    {"dram_gbps", "1935", 1e-6},     {"fma_share", "0.85", 1e-3},          {"fp64_ratio", "0.25", 1e-6},
    {"l2_gbps", "5000", 1e-6},       {"block_turnaround_ns", "400", 1e-3}, {"thread_create_us", "30", 1e-3},
    {"launch_queue_depth", "512", 0},
};

static struct gsim_device_spec base, truth;
static struct gsim_probe probe;

static void devices_are_made(void)
{
    struct gsim_error error = {0};
    CHECK_OK(gsim_device_load("h200", &base, &error), error);
    CHECK_OK(gsim_device_load("h200", &truth, &error), error);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        CHECK_OK(gsim_device_set_number(&truth, changes[i].name, changes[i].value, &error), error);
    CHECK_OK(synthetic_probe_make(&truth, 0.01, &probe, &error), error);
}

static void changes_are_recovered(void)
{
    struct gsim_calibration c;
    struct gsim_error error = {0};
    gsim_calibration_init(&c, &base, "found");
    CHECK_OK(gsim_calibrate_probe(&c, &probe, "p.json", &error), error);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        enum gsim_device_number number = gsim_device_number_find(changes[i].name);
        double found = gsim_device_get(&c.device, number), right = gsim_device_get(&truth, number);
        const struct gsim_calibrated *n = &c.numbers[number];
        CHECK_MSG(fabs(found - right) <= changes[i].tolerance * right + 1e-12, "%s: %.6g, expected %.6g",
                  changes[i].name, found, right);
        CHECK_MSG(n->is_touched && !n->is_undetermined, "%s: touched %d, undetermined %d", changes[i].name,
                  n->is_touched, n->is_undetermined);
        /* Opposite copies of unequal speed share a bus a little unevenly in the simulator. */
        bool is_exact = number != GSIM_DEV_bidirectional_gbps;
        CHECK_MSG(!is_exact || isnan(n->low) || (n->low <= right * (1 + 1e-9) && n->high >= right * (1 - 1e-9)),
                  "%s: %.6g outside %.6g .. %.6g", changes[i].name, right, n->low, n->high);
        CHECK_MSG(c.device.kind[number] != GSIM_KIND_ASSUMED && strncmp(c.device.source[number], "p.json: ", 8) == 0,
                  "%s: %s", changes[i].name, c.device.source[number]);
    }
    for (size_t i = 0; i < c.residual_count; i++)
        CHECK_MSG(c.residuals[i].rms_ratio < 0.005, "%s: %.4f", c.residuals[i].series, c.residuals[i].rms_ratio);
    /* What no probe touches is the base's, and says so. */
    CHECK_NEAR(c.device.l1_kib, base.l1_kib, 0);
    CHECK_INT(c.device.kind[GSIM_DEV_l1_kib], GSIM_KIND_ASSUMED);
    CHECK_HAS(c.device.source[GSIM_DEV_l1_kib], "from the base h200 (published there): ");
    gsim_calibration_release(&c);
}

/* Only whole copies: their fixed parts are one sum. */
static void sums_are_named(void)
{
    struct gsim_probe part;
    struct gsim_calibration c;
    struct gsim_error error = {0};
    const struct gsim_probe_series *copies = gsim_probe_find(&probe, "h2d_pinned");
    gsim_probe_init(&part);
    struct gsim_probe_series *s = gsim_probe_add(&part, copies->name, copies->unit, copies->point_count);
    memcpy(s->points, copies->points, copies->point_count * sizeof *s->points);
    s->point_count = copies->point_count;
    gsim_calibration_init(&c, &base, "found");
    CHECK_OK(gsim_calibrate_probe(&c, &part, "p.json", &error), error);
    CHECK(c.numbers[GSIM_DEV_h2d_gbps].is_touched && !c.numbers[GSIM_DEV_h2d_gbps].is_undetermined);
    CHECK(c.numbers[GSIM_DEV_h2d_latency_us].is_undetermined && c.numbers[GSIM_DEV_memcpy_us].is_undetermined &&
          c.numbers[GSIM_DEV_sync_return_us].is_undetermined);
    double sum = c.device.h2d_latency_us + c.device.copy_start_us + c.device.memcpy_us + c.device.sync_return_us;
    CHECK_NEAR(sum, truth.h2d_latency_us + truth.copy_start_us + truth.memcpy_us + truth.sync_return_us, 0.2);
    CHECK(!c.numbers[GSIM_DEV_launch_us].is_touched && c.device.launch_us == base.launch_us);
    struct gsim_output output;
    char path[64];
    snprintf(path, sizeof path, "/tmp/gpusim-calibration-%ld.txt", (long)getpid());
    CHECK_OK(gsim_output_open(&output, path, &error), error);
    gsim_calibration_print(&c, "h200", &output);
    CHECK_OK(gsim_output_commit(&output, &error), error);
    char text[8192] = "";
    FILE *file = fopen(path, "r");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    remove(path);
    CHECK_HAS(text, "Not determined by the data one by one");
    CHECK_HAS(text, "h2d_latency_us, copy_start_us, memcpy_us, sync_return_us\n");
    gsim_calibration_release(&c);
    gsim_probe_release(&part);
}

static void odd_probes_are_refused_or_warned_of(void)
{
    struct gsim_probe odd;
    struct gsim_calibration c;
    struct gsim_error error = {0};
    gsim_probe_init(&odd);
    odd.compute_capability = 123;
    gsim_calibration_init(&c, &base, "found");
    CHECK_INT(gsim_calibrate_probe(&c, &odd, "p.json", &error), GSIM_INPUT);
    CHECK_HAS(error.message, "compute_capability: expected one of \"5.2\" \"6.0\"");
    CHECK_HAS(error.message, "found \"12.3\"");
    odd.compute_capability = 80;
    odd.threads_per_sm = 1536;
    CHECK_OK(gsim_calibrate_probe(&c, &odd, "p.json", &error), error);
    CHECK_INT(c.device.compute_capability, 80);
    CHECK_INT(c.warning_count, 1);
    if (c.warning_count)
        CHECK_STR(c.warnings[0],
                  "threads per SM: the probe found 1536, compute capability 8.0 is known to have 2048, which is used");
    gsim_calibration_release(&c);
    gsim_probe_release(&odd);
}

/* --- runs --- */
static const struct gsim_recording_key keys[] = {
    {"vec", GSIM_SUITE_KESCO, GSIM_SHAPE_CONCURRENT, 1e5, 256, 64},
    {"bs", GSIM_SUITE_KESCO, GSIM_SHAPE_CONCURRENT, 1e4, 256, 64},
    {"hits", GSIM_SUITE_KESCO, GSIM_SHAPE_CONCURRENT, 1e4, 128, 16},
    {"m1", GSIM_SUITE_KESCO, GSIM_SHAPE_CONCURRENT, 100, 128, 16},
    {"m2", GSIM_SUITE_KESCO, GSIM_SHAPE_CONCURRENT, 100, 128, 16},
    {"vec", GSIM_SUITE_KESCO, GSIM_SHAPE_CONCURRENT, 1e6, 256, 64},
};
static const char *const schedulers[] = {"serial", "async", "kesco", "cudagraph", NULL};

static struct gsim_calibrated_trace traced;

static enum gsim_status add(void *context, const struct gsim_recordings *recordings, const struct gsim_recording *run,
                            struct gsim_error *error)
{
    enum gsim_status status = gsim_traced_add(&traced, run, error);
    return status ? status : gsim_calibration_add_run(context, recordings, run, error);
}

/* Runs of a device that differs from BASE in NAME alone. */
static void read_runs(struct gsim_calibration *c, const struct gsim_device_spec *device)
{
    char path[64];
    struct gsim_error error = {0};
    struct gsim_recordings recordings = {0};
    struct synthetic_runs runs = {device, keys, sizeof keys / sizeof keys[0], schedulers, 0.01};
    snprintf(path, sizeof path, "/tmp/gpusim-calibrate-%ld.json.gz", (long)getpid());
    CHECK_OK(synthetic_runs_write(&runs, path, &error), error);
    gsim_calibration_init(c, &base, "found");
    CHECK_OK(gsim_runs_read(path, &(struct gsim_runs_handler){add, c}, &recordings, &error), error);
    gsim_recordings_release(&recordings);
    remove(path);
}

/* Without a probe: the makespans alone say which call is slower. */
static void runs_tell_a_slow_call(void)
{
    struct gsim_calibration c;
    struct gsim_device_spec slow;
    struct gsim_gpu_options gpu;
    struct gsim_error error = {0};
    bool chosen[GSIM_DEVICE_NUMBER_COUNT] = {
        [GSIM_DEV_launch_us] = true, [GSIM_DEV_sync_return_us] = true, [GSIM_DEV_thread_create_us] = true};
    struct gsim_calibration_options options = {
        .gpu = &gpu, .chosen = chosen, .folds = 3, .iterations = 10, .file = "r.json.gz"};
    gsim_params_set_defaults(gsim_gpu_params, &gpu);
    CHECK_OK(gsim_device_load("h200", &slow, &error), error);
    CHECK_OK(gsim_device_set_number(&slow, "launch_us", "5", &error), error);
    read_runs(&c, &slow);
    CHECK_INT(c.run_count, 48);
    CHECK_INT(c.program_count, 6);
    CHECK_INT(c.config_count, 12);
    CHECK_OK(gsim_calibrate_runs(&c, &options, &error), error);
    CHECK_NEAR(c.device.launch_us, 5, 0.15);
    CHECK_NEAR(c.device.sync_return_us, base.sync_return_us, 0.3);
    CHECK_INT(c.device.kind[GSIM_DEV_launch_us], GSIM_KIND_FITTED);
    CHECK(!c.numbers[GSIM_DEV_thread_create_us].is_touched); /* no run depends on it */
    CHECK_MSG(c.fit[0].mean > 0.02 && c.fit[1].mean < 0.005, "fit %.4f, then %.4f", c.fit[0].mean, c.fit[1].mean);
    CHECK_MSG(c.test[0].mean > 0.005 && c.test[1].mean < c.test[0].mean / 5, "test %.4f, then %.4f", c.test[0].mean,
              c.test[1].mean);
    CHECK_INT(c.folds, 3);
    CHECK_MSG(c.held_out.count == 24 && c.held_out.mean < 0.01, "%zu left out, %.4f", c.held_out.count,
              c.held_out.mean);
    gsim_calibration_release(&c);
    gsim_device_release(&slow);
}

struct told {
    struct gsim_calibration_forecast forecast;
    size_t calls, before, done;
};

static void take_forecast(void *context, const struct gsim_calibration_forecast *forecast)
{
    struct told *told = context;
    told->forecast = *forecast;
    told->calls++;
    told->before = told->done;
}

static void take_progress(void *context, size_t done, size_t expected)
{
    struct told *told = context;
    CHECK(done <= expected);
    told->done = done;
}

/* What it will take is told behind the first pass, and is never less than what it takes. */
static void what_it_will_take(void)
{
    struct gsim_error error = {0};
    struct gsim_gpu_options gpu;
    bool chosen[GSIM_DEVICE_NUMBER_COUNT] = {[GSIM_DEV_launch_us] = true, [GSIM_DEV_sync_return_us] = true};
    gsim_params_set_defaults(gsim_gpu_params, &gpu);
    for (unsigned folds = 0; folds <= 2; folds += 2) {
        struct gsim_calibration c;
        struct told told = {0};
        struct gsim_calibration_options options = {.gpu = &gpu,
                                                   .chosen = chosen,
                                                   .folds = folds,
                                                   .iterations = 6,
                                                   .file = "r",
                                                   .forecast = take_forecast,
                                                   .progress = take_progress,
                                                   .context = &told};
        read_runs(&c, &base);
        CHECK_OK(gsim_calibrate_runs(&c, &options, &error), error);
        CHECK_INT(told.calls, 1);
        CHECK_INT(told.before, 1);
        CHECK_INT(told.forecast.runs, 48);
        CHECK_INT(told.forecast.fit_runs, 24);
        CHECK_INT(told.forecast.numbers, 2);
        CHECK_INT(told.forecast.fold_passes, folds * 21);
        CHECK_MSG(told.done > 3 && told.done <= told.forecast.passes, "%zu passes, forecast %zu", told.done,
                  told.forecast.passes);
        gsim_calibration_release(&c);
    }
}

static void forecasts_in_words(void)
{
    char text[GSIM_FORECAST_TEXT];
    struct gsim_calibration_forecast forecast = {.runs = 200, .fit_runs = 100, .passes = 240, .numbers = 18};
    CHECK_NEAR(gsim_calibration_forecast_text(&forecast, 2, 4, text), 240, 1e-9);
    CHECK_STR(text, "18 numbers from 100 of 200 recorded runs: at most 240 passes over them, about 4 min with --jobs 4 "
                    "(the first took 2 s); "
                    "a cross-validation (--folds 5) would add 20 min");
    forecast.fold_passes = 200;
    CHECK_NEAR(gsim_calibration_forecast_text(&forecast, 0.5, 1, text), 60, 1e-9);
    CHECK_HAS(text, "about 60 s with --jobs 1");
    CHECK_HAS(text, "of that the cross-validation 50 s (--folds 0: none)");
}

/* Copies in the traces give bandwidth and latency without a simulation. */
static void traces_tell_the_link(void)
{
    struct gsim_calibration c;
    struct gsim_probe seen;
    struct gsim_error error = {0};
    gsim_traced_release(&traced);
    read_runs(&c, &truth);
    gsim_probe_init(&seen);
    CHECK(traced.count > 10);
    gsim_traced_probe(&traced, true, &seen);
    CHECK_OK(gsim_calibrate_probe(&c, &seen, "r.json.gz", &error), error);
    CHECK_NEAR(c.device.h2d_gbps, truth.h2d_gbps, 0.3);
    CHECK_NEAR(c.device.h2d_latency_us, truth.h2d_latency_us, 0.3);
    CHECK_HAS(c.device.source[GSIM_DEV_h2d_gbps], "traced_h2d");
    gsim_probe_release(&seen);
    gsim_traced_release(&traced);
    gsim_calibration_release(&c);
}

static struct gsim_recorded_call calls_of[2];

static enum gsim_status note_calls(double iteration_us, double launch_us)
{
    struct gsim_error error = {0};
    struct gsim_recording run = {.memory = GSIM_MEMORY_PINNED,
                                 .iteration_us = &iteration_us,
                                 .iteration_count = 1,
                                 .calls = calls_of,
                                 .call_count = 2};
    calls_of[0] = (struct gsim_recorded_call){"cudaLaunchKernel", 10, 10 * launch_us};
    calls_of[1] = (struct gsim_recorded_call){"cudaDeviceSynchronize", 1, iteration_us};
    return gsim_traced_add(&traced, &run, &error);
}

/* What launches cost where they are most of an iteration counts, not where they drown in it. */
static void calls_count_where_they_matter(void)
{
    struct gsim_probe seen;
    CHECK_INT(note_calls(50, 3), GSIM_OK);
    CHECK_INT(note_calls(50000, 4.5), GSIM_OK);
    CHECK_INT(note_calls(60000, 4.6), GSIM_OK);
    gsim_probe_init(&seen);
    gsim_traced_probe(&traced, false, &seen);
    CHECK_INT(seen.series_count, 1);
    const struct gsim_probe_series *s = gsim_probe_find(&seen, "called_launch");
    CHECK(s && s->points[0].median == 3 && s->points[0].count == 3);
    gsim_probe_release(&seen);
    gsim_traced_release(&traced);
}

/* 8 of 62 us of an iteration are in none of its 11 calls; where the host mostly waits, nothing is taken from it. */
static void the_way_from_call_to_call(void)
{
    struct gsim_probe seen;
    struct gsim_error error = {0};
    double iterations_us[3] = {400, 62, 12};
    struct gsim_recording run = {.memory = GSIM_MEMORY_PINNED,
                                 .iteration_us = iterations_us,
                                 .iteration_count = 3,
                                 .calls = calls_of,
                                 .call_count = 2};
    calls_of[0] = (struct gsim_recorded_call){"cudaLaunchKernel", 10, 30};
    calls_of[1] = (struct gsim_recorded_call){"cudaDeviceSynchronize", 1, 24};
    CHECK_INT(gsim_traced_add(&traced, &run, &error), GSIM_OK);
    calls_of[1].total_us = 500;
    iterations_us[0] = iterations_us[2] = iterations_us[1] = 900;
    CHECK_INT(gsim_traced_add(&traced, &run, &error), GSIM_OK);
    gsim_probe_init(&seen);
    gsim_traced_probe(&traced, false, &seen);
    const struct gsim_probe_series *s = gsim_probe_find(&seen, "called_gap");
    CHECK(s && s->point_count == 1 && s->points[0].count == 1);
    CHECK_NEAR(s->points[0].median, 8.0 / 11, 1e-12);
    gsim_probe_release(&seen);
    gsim_traced_release(&traced);
}

static void everything_is_released(void)
{
    gsim_probe_release(&probe);
    gsim_device_release(&truth);
    gsim_device_release(&base);
}

static const struct test_case cases[] = {
    {"devices are made", devices_are_made},
    {"changes are recovered", changes_are_recovered},
    {"sums are named", sums_are_named},
    {"odd probes", odd_probes_are_refused_or_warned_of},
    {"runs tell a slow call", runs_tell_a_slow_call},
    {"what it will take", what_it_will_take},
    {"forecasts in words", forecasts_in_words},
    {"traces tell the link", traces_tell_the_link},
    {"calls count where they matter", calls_count_where_they_matter},
    {"the way from call to call", the_way_from_call_to_call},
    {"everything is released", everything_is_released},
};
TEST_MAIN("models/calibrate", cases)
