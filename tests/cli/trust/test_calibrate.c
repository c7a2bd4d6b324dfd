/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "gpusim calibrate" as a user runs it: probe and runs of another GPU become a device file, on which those runs are
 * then predicted well; refusals; the same bytes twice.
 */
#include <stdarg.h>
#include <sys/wait.h>

#include "sim/device/device.h"
#include "tests/trust/calibrate/synthetic_probe.h"
#include "tests/sim/result_fixture.h"
#include "tests/traces/retell.h"
#include "tests/traces/synthetic.h"

static char probe_path[64], runs_path[64], device_path[64], report_path[64];

/* Exit status; what it printed is in *OUT and *ERR, for gsim_free(). */
static int call(const char *arguments, char **out, char **err)
{
    char out_path[64], err_path[64], command[1024];
    snprintf(command, sizeof command, "%s %s >%s 2>%s </dev/null", GPUSIM_BINARY, arguments,
             scratch_path(out_path, ".stdout"), scratch_path(err_path, ".stderr"));
    int status = system(command);
    *out = read_file(out_path);
    *err = read_file(err_path);
    remove(out_path);
    remove(err_path);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void check_call(int expected, const char *out_part, const char *err_part, const char *format, ...)
    GSIM_PRINTF(4, 5);
static void check_call(int expected, const char *out_part, const char *err_part, const char *format, ...)
{
    char *out, *err, text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    int status = call(text, &out, &err);
    CHECK_MSG(status == expected, "'%s': exit %d, expected %d: %s", text, status, expected, err);
    CHECK_HAS(out, out_part);
    CHECK_HAS(err, err_part);
    if (expected) CHECK_STR(out, "");
    gsim_free(out);
    gsim_free(err);
}

static void another_gpu_is_made(void)
{
    static const struct gsim_recording_key keys[] = {{"vec", GSIM_SUITE_KESCO, GSIM_SHAPE_CONCURRENT, 1e5, 256, 64},
                                                     {"vec", GSIM_SUITE_KESCO, GSIM_SHAPE_CONCURRENT, 2e5, 256, 64},
                                                     {"hits", GSIM_SUITE_KESCO, GSIM_SHAPE_CONCURRENT, 1e4, 128, 16},
                                                     {"m1", GSIM_SUITE_KESCO, GSIM_SHAPE_CONCURRENT, 100, 128, 16}};
    static const char *const schedulers[] = {"serial", "async", "kesco", NULL};
    struct gsim_error error = {0};
    struct gsim_device_spec device;
    struct gsim_probe probe;
    CHECK_OK(gsim_device_load("h200", &device, &error), error);
    CHECK_OK(gsim_device_set_number(&device, "launch_us", "6", &error), error);
    CHECK_OK(gsim_device_set_number(&device, "sync_return_us", "7", &error), error);
    CHECK_OK(gsim_device_set_number(&device, "h2d_gbps", "12", &error), error);
    CHECK_OK(synthetic_probe_make(&device, 0.01, &probe, &error), error);
    CHECK_OK(synthetic_probe_write(&probe, scratch_path(probe_path, ".probe.json"), &error), error);
    struct synthetic_runs runs = {&device, keys, 4, schedulers, 0.01};
    CHECK_OK(synthetic_runs_write(&runs, scratch_path(runs_path, ".runs.json.gz"), &error), error);
    scratch_path(device_path, ".my-gpu.json");
    scratch_path(report_path, ".fit.json");
    gsim_probe_release(&probe);
    gsim_device_release(&device);
}

static void a_probe_makes_a_device(void)
{
    struct gsim_device_spec device;
    struct gsim_error error = {0};
    check_call(0, "launch_us                              2.9          6 us", "",
               "calibrate %s --base h200 -o %s --name my-gpu --report %s", probe_path, device_path, report_path);
    CHECK_OK(gsim_device_load(device_path, &device, &error), error);
    CHECK_STR(device.name, "my-gpu");
    CHECK_STR(device.title, "NVIDIA Synthetic");
    CHECK_NEAR(device.h2d_gbps, 12, 0.1);
    CHECK_INT(device.kind[GSIM_DEV_launch_us], GSIM_KIND_MEASURED);
    gsim_device_release(&device);
    char *report = read_file(report_path);
    CHECK_HAS(report, "{\"schema\": \"gpusim-calibration/1\"");
    CHECK_HAS(report, "\"name\": \"launch_us\", \"base\": 2.9, \"value\": 6");
    gsim_free(report);
    check_call(0, "test  all runs         12    0.0", "", "validate %s --device %s", runs_path, device_path);
}

static void both_are_used_together(void)
{
    check_call(0, "2-fold cross-validation over configurations: 0.", "", "calibrate %s %s --base h200 -o %s --folds 2",
               probe_path, runs_path, device_path);
    /* A cross-validation is what takes longest: nobody gets it unasked. */
    char arguments[256], *out, *err;
    snprintf(arguments, sizeof arguments, "calibrate %s --base h200 -o %s --fit launch_us", runs_path, device_path);
    CHECK_INT(call(arguments, &out, &err), 0);
    CHECK_MSG(!strstr(out, "cross-validation"), "by default: %s", out);
    gsim_free(out);
    gsim_free(err);
}

/* Runs alone, with few numbers to fit; the device on standard output is the same twice. */
static void equal_calls_give_equal_bytes(void)
{
    char arguments[256], *first, *second, *err;
    snprintf(arguments, sizeof arguments, "calibrate %s --base h200 -o - --fit launch_us,sync_return_us --folds 0",
             runs_path);
    CHECK_INT(call(arguments, &first, &err), 0);
    CHECK_MSG(is_quiet(err), "printed: %s", err);
    gsim_free(err);
    CHECK_INT(call(arguments, &second, &err), 0);
    CHECK_STR(second, first);
    CHECK_HAS(first, "makespans of 12 runs");
    gsim_free(first);
    gsim_free(second);
    gsim_free(err);
}

/* However many workers predict the runs: the device, the report and the table. */
static void jobs_change_nothing(void)
{
    static const char *const jobs[] = {"1", "2", "5"};
    char *first[3] = {NULL}, *err;
    for (int i = 0; i < 3; i++) {
        char arguments[400], *now[3];
        snprintf(
            arguments, sizeof arguments,
            "calibrate %s --base h200 --out %s --name x --report %s --fit launch_us,sync_return_us --folds 2 --jobs %s",
            runs_path, device_path, report_path, jobs[i]);
        CHECK_INT(call(arguments, &now[0], &err), 0);
        CHECK_MSG(is_quiet(err), "printed: %s", err);
        gsim_free(err);
        now[1] = read_file(device_path);
        now[2] = read_file(report_path);
        CHECK_HAS(now[2], "\"launch_us\"");
        for (int k = 0; k < 3; k++) {
            if (i) CHECK_STR(now[k], first[k]);
            if (i) gsim_free(now[k]);
            else first[k] = now[k];
        }
    }
    for (int k = 0; k < 3; k++) gsim_free(first[k]);
    check_call(2, "", "--jobs: expected an integer from 1 to 512, found '0'", "calibrate %s -o %s --jobs 0", runs_path,
               device_path);
}

static void bad_usage_is_refused(void)
{
    check_call(2, "", "nothing to calibrate from: expected a probe file, recorded runs or profilers' traces",
               "calibrate -o x.json");
    check_call(2, "", "no output: expected -o FILE", "calibrate %s", probe_path);
    check_call(2, "", "expected one probe, found two", "calibrate %s %s -o %s", probe_path, probe_path, device_path);
    check_call(2, "", "cannot read '/nowhere/p.json': No such file or directory", "calibrate /nowhere/p.json -o %s",
               device_path);
    check_call(2, "",
               "expected the schema \"gpusim-probe/1\" or \"gpusim-runs/1\" in its head or a profiler's trace, found "
               "none of them",
               "calibrate models/h200.json -o %s", device_path);
    check_call(2, "", "--fit: unknown number 'launch_use', did you mean 'launch_us'?",
               "calibrate %s --fit launch_use -o %s", probe_path, device_path);
    check_call(2, "", "--folds: expected an integer from 0 to 100, found 'many'", "calibrate %s --folds many -o %s",
               probe_path, device_path);
    check_call(2, "", "--name: expected letters, digits", "calibrate %s --name 'my gpu' -o %s", probe_path,
               device_path);
    check_call(2, "", "unknown device 'h201'", "calibrate %s --base h201 -o %s", probe_path, device_path);
    check_call(2, "", "--report and --output: expected two files", "calibrate %s -o %s --report %s", probe_path,
               device_path, device_path);
}

/* Cut in the middle: refused with its place, and nothing is written. */
static void damaged_files_are_refused(void)
{
    char cut_path[64], *text = read_file(probe_path);
    FILE *cut = fopen(scratch_path(cut_path, ".cut.json"), "w");
    fwrite(text, 1, strlen(text) / 2, cut);
    fclose(cut);
    gsim_free(text);
    remove(device_path);
    check_call(2, "", "cannot read '", "calibrate %s -o %s", cut_path, device_path);
    CHECK(fopen(device_path, "r") == NULL);
    remove(cut_path);
}

/* --- traces --- */
/* What is different from an H200, of which the traces are, and from the base, an A100; how near it is found,
 * relative. */
static const struct {
    const char *name;
    double value, tolerance;
} traced[] = {{"launch_us", 4.1, 1e-3},       {"memcpy_us", 2.1, 1e-3},        {"event_record_us", 0.9, 1e-3},
              {"event_create_us", 0.31, 0.01}, {"stream_wait_us", 0.35, 0.01},  {"stream_create_us", 2.5, 1e-3},
              {"launch_to_start_us", 3.3, 1e-3}, {"stream_gap_us", 1.1, 2e-3},  {"sync_return_us", 4.4, 1e-3},
              {"h2d_gbps", 24.5, 1e-3},        {"h2d_latency_us", 6.5, 1e-3},   {"pageable_h2d_gbps", 6, 1e-3},
              {"pageable_latency_us", 12, 1e-3}};
static const char *const traced_runs[] = {"dl --sched serial --memory pinned", "img --sched async --memory pinned",
                                          "vec --sched serial --memory pageable", "dl --sched serial --memory pageable",
                                          "ml --sched async --memory pinned"};
enum { TRACED_RUNS = sizeof traced_runs / sizeof traced_runs[0] };

static void trace_path(char path[64], int run)
{
    char suffix[32];
    snprintf(suffix, sizeof suffix, ".trace%d.json.gz", run);
    scratch_path(path, suffix);
}

static void trace_run(const char *run, const char *more, const char *path)
{
    char text[1200], *out, *err;
    size_t length = (size_t)snprintf(text, sizeof text, "--workload %s --device h200 --iterations 8 --trace %s %s", run,
                                     path, more);
    for (size_t i = 0; i < sizeof traced / sizeof traced[0]; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, " --opt device.%s=%g", traced[i].name,
                                   traced[i].value);
    CHECK_INT(call(text, &out, &err), 0);
    CHECK_MSG(is_quiet(err), "printed: %s", err);
    gsim_free(out);
    gsim_free(err);
}

/* Simulated on a device that differs from the base in many numbers: those that show in traces are found. */
static void traces_make_a_device(void)
{
    struct gsim_device_spec device, base;
    struct gsim_error error = {0};
    char text[500], path[64];
    size_t length = (size_t)snprintf(text, sizeof text, "calibrate --base a100-sxm4-40gb -o %s", device_path);
    for (int i = 0; i < TRACED_RUNS; i++) {
        trace_path(path, i);
        trace_run(traced_runs[i], "", path);
        length += (size_t)snprintf(text + length, sizeof text - length, " %s", path);
    }
    check_call(0, "starts of kernels on an idle GPU", "", "%s", text);
    CHECK_OK(gsim_device_load(device_path, &device, &error), error);
    CHECK_OK(gsim_device_load("a100-sxm4-40gb", &base, &error), error);
    for (size_t i = 0; i < sizeof traced / sizeof traced[0]; i++) {
        enum gsim_device_number number = gsim_device_number_find(traced[i].name);
        double found = gsim_device_get(&device, number);
        CHECK_MSG(fabs(found - traced[i].value) <= traced[i].tolerance * traced[i].value, "%s: %.6g, expected %.6g",
                  traced[i].name, found, traced[i].value);
        CHECK_HAS(device.source[number], "; simulated");
    }
    CHECK_NEAR(device.sm_count, 132, 0);
    CHECK_INT(device.compute_capability, 90);
    CHECK_NEAR(device.dram_gbps, base.dram_gbps, 0);
    CHECK_INT(device.kind[GSIM_DEV_dram_gbps], GSIM_KIND_ASSUMED);
    CHECK_HAS(device.source[GSIM_DEV_dram_gbps], "from the base a100-sxm4-40gb");
    gsim_device_release(&device);
    gsim_device_release(&base);
}

/* With calls of random length (call_spread, 15 %) the mean is as near as their number lets it be: four standard errors,
 * of a mean that uses 80 % of them. */
static void noise_is_averaged(void)
{
    struct gsim_device_spec device;
    struct gsim_error error = {0};
    char path[64];
    double samples = 0;
    trace_path(path, 0);
    trace_run("hits --sched serial --memory pinned", "--noise", path);
    check_call(0, "cudaLaunchKernel calls", "", "calibrate %s --base a100-sxm4-40gb -o %s", path, device_path);
    CHECK_OK(gsim_device_load(device_path, &device, &error), error);
    const char *text = strstr(device.source[GSIM_DEV_launch_us], " % of ");
    CHECK_INT(text ? sscanf(text, " %% of %lf", &samples) : 0, 1);
    double off = fabs(device.launch_us / 4.1 - 1), most = 4 * 0.15 / sqrt(0.8 * samples);
    CHECK_MSG(samples >= 50 && off <= most, "%.0f samples: %.4g, %.4f off, expected %.4f at most", samples,
              device.launch_us, off, most);
    gsim_device_release(&device);
}

static void a_probe_wins_over_a_trace(void)
{
    struct gsim_device_spec device;
    struct gsim_error error = {0};
    char path[64];
    trace_path(path, 1);
    check_call(2, "",
               "was recorded on 'NVIDIA H200 SXM', what was given before it on 'NVIDIA Synthetic': expected one GPU",
               "calibrate %s %s --base h200 -o %s", probe_path, path, device_path);
    char *text = read_file(probe_path), *name = strstr(text, "NVIDIA Synthetic");
    CHECK(name != NULL);
    FILE *file = fopen(probe_path, "w");
    fprintf(file, "%.*sNVIDIA H200 SXM%s", (int)(name - text), text, name + strlen("NVIDIA Synthetic"));
    fclose(file);
    check_call(0, "launch_us", "", "calibrate %s %s --base h200 -o %s", path, probe_path, device_path);
    CHECK_OK(gsim_device_load(device_path, &device, &error), error);
    CHECK_NEAR(device.launch_us, 6, 0.05);
    CHECK_HAS(device.source[GSIM_DEV_launch_us], "launch");
    gsim_device_release(&device);
    gsim_free(text);
}

/* The same trace as nsys would have told it. */
static void nsys_exports_say_the_same(void)
{
    struct gsim_device_spec devices[2];
    struct gsim_error error = {0};
    char path[64];
    const char *kineto = "traces/h200/kineto/kineto_deeplab50.json.gz";
    CHECK_OK(retell_nsys(kineto, scratch_path(path, ".sqlite"), &error), error);
    for (int i = 0; i < 2; i++) {
        check_call(0, "gaps between kernels queued in a stream", "", "calibrate %s --base h200 -o %s",
                   i ? path : kineto, device_path);
        CHECK_OK(gsim_device_load(device_path, &devices[i], &error), error);
    }
    CHECK_NEAR(devices[1].launch_us, devices[0].launch_us, 1e-3);
    CHECK_NEAR(devices[1].stream_gap_us, devices[0].stream_gap_us, 1e-3);
    CHECK_NEAR(devices[1].launch_to_start_us, devices[0].launch_to_start_us, 1e-3);
    CHECK_HAS(devices[0].source[GSIM_DEV_launch_us], "NVIDIA H200, 2026-11-20); with what the profiler itself adds");
    gsim_device_release(&devices[0]);
    gsim_device_release(&devices[1]);
    remove(path);
}

static void damaged_traces_are_refused(void)
{
    char path[64], cut_path[64];
    static char bytes[1 << 20];
    trace_path(path, 1);
    FILE *file = fopen(path, "rb"), *cut = fopen(scratch_path(cut_path, ".cut.json.gz"), "wb");
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fwrite(bytes, 1, length / 2, cut);
    fclose(file);
    fclose(cut);
    remove(device_path);
    check_call(2, "", "cannot read '", "calibrate %s -o %s", cut_path, device_path);
    CHECK(fopen(device_path, "r") == NULL);
    cut = fopen(cut_path, "w");
    fputs("{\"traceEvents\": []}", cut);
    fclose(cut);
    check_call(2, "", "expected kernels, copies or memsets of a GPU, found none", "calibrate %s -o %s", cut_path,
               device_path);
    remove(cut_path);
    for (int i = 0; i < TRACED_RUNS; i++) {
        trace_path(path, i);
        remove(path);
    }
}

static void files_are_removed(void)
{
    remove(probe_path);
    remove(runs_path);
    remove(device_path);
    remove(report_path);
}

static const struct test_case cases[] = {
    {"another GPU", another_gpu_is_made},
    {"a probe makes a device", a_probe_makes_a_device},
    {"both together", both_are_used_together},
    {"same bytes twice", equal_calls_give_equal_bytes},
    {"jobs change nothing", jobs_change_nothing},
    {"bad usage", bad_usage_is_refused},
    {"damaged files", damaged_files_are_refused},
    {"traces make a device", traces_make_a_device},
    {"noise is averaged", noise_is_averaged},
    {"a probe wins over a trace", a_probe_wins_over_a_trace},
    {"nsys exports", nsys_exports_say_the_same},
    {"damaged traces", damaged_traces_are_refused},
    {"clean up", files_are_removed},
};
TEST_MAIN("sim/cli_calibrate", cases)
