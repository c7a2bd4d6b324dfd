/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "gpusim validate" as a user runs it: refusals, files, figures, and the same bytes twice.
 */
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "sim/device/device.h"
#include "tests/sim/result_fixture.h"
#include "tests/traces/synthetic.h"

/* Exit status; what it printed is in *OUT and *ERR, for gsim_free(). */
static int call(const char *arguments, char **out, char **err)
{
    char out_path[64], err_path[64], command[1024];
    snprintf(command, sizeof command, "%s validate %s >%s 2>%s </dev/null", GPUSIM_BINARY, arguments,
             scratch_path(out_path, ".stdout"), scratch_path(err_path, ".stderr"));
    int status = system(command);
    *out = read_file(out_path);
    *err = read_file(err_path);
    remove(out_path);
    remove(err_path);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void check_call(const char *arguments, int expected, const char *out_part, const char *err_part)
{
    char *out, *err;
    int status = call(arguments, &out, &err);
    CHECK_MSG(status == expected, "'%s': exit %d, expected %d: %s", arguments, status, expected, err);
    CHECK_HAS(out, out_part);
    CHECK_HAS(err, err_part);
    if (expected) CHECK_STR(out, "");
    gsim_free(out);
    gsim_free(err);
}

static void bad_usage_is_refused(void)
{
    check_call("--kind pears", 2, "",
               "--kind: expected pairs, arrival, priority, dags, launch, aten, repeated, beside, unlike, micro, runs, "
               "traces, all or sharing alone, found 'pears'");
    check_call("--kind pairs,", 2, "", "found ''");
    check_call("--half third", 2, "", "--half: expected even, odd or all, found 'third'");
    check_call("--split third", 2, "", "--split: expected fit, test or all, found 'third'");
    check_call("--workload img", 2, "", "--workload is not an option of gpusim validate");
    check_call("--opt streams=4", 2, "", "streams");
    check_call("--scatter plot.jpg", 2, "",
               "--scatter: expected a file name ending in .svg, .pdf or .png, found 'plot.jpg'");
    check_call("--histogram /nowhere/at/all.png", 2, "", "--histogram: ");
    check_call("--csv same.svg --scatter same.svg", 2, "", "expected two files, found 'same.svg' twice");
    check_call("/nowhere/cases.json.gz", 2, "", "cannot read '/nowhere/cases.json.gz': No such file or directory");
}

/* The committed recordings, cut in the middle of the compressed data, and without a field. */
static void damaged_files_are_refused(void)
{
    char path[64], *bytes = gsim_alloc(1 << 16), arguments[96];
    FILE *whole = fopen(GPUSIM_SOURCE_DIR "/traces/h200/concurrency.json.gz", "rb");
    CHECK_MSG(whole != NULL, "no recordings");
    if (!whole) return;
    size_t length = fread(bytes, 1, 20000, whole);
    fclose(whole);
    FILE *cut = fopen(scratch_path(path, ".json.gz"), "wb");
    fwrite(bytes, 1, length, cut);
    fclose(cut);
    snprintf(arguments, sizeof arguments, "%s", path);
    check_call(arguments, 2, "", "damaged gzip data: unexpected end of file");
    gzFile file = gzopen(path, "wb");
    gzputs(file, "{\"pairs\": [{\"a\": {\"grid\": 1, \"block\": 32}}]}");
    gzclose(file);
    check_call(arguments, 2, "", "pairs[0].a.regs: expected a number that is not negative, found nothing");
    remove(path);
    gsim_free(bytes);
}

static void equal_calls_give_equal_bytes(void)
{
    char *first, *second, *err;
    CHECK_INT(call("--kind launch,arrival --per-case", &first, &err), 0);
    CHECK_MSG(is_quiet(err), "printed: %s", err);
    gsim_free(err);
    CHECK_INT(call("--kind launch,arrival --per-case", &second, &err), 0);
    CHECK_STR(second, first);
    CHECK_HAS(first, "launch   live");
    CHECK_HAS(first, "arrivals[0] ra0 (second)");
    CHECK(!strstr(first, "pairs"));
    gsim_free(first);
    gsim_free(second);
    gsim_free(err);
}

/* Halves: nothing of the other half is in the CSV. */
static void halves_leave_out_the_other(void)
{
    char *out, *err;
    CHECK_INT(call("--kind arrival --half odd --csv -", &out, &err), 0);
    CHECK_HAS(out, ",odd,");
    CHECK(!strstr(out, ",even,"));
    gsim_free(out);
    gsim_free(err);
}

static bool begins_with(const char *path, const char *magic, size_t length)
{
    char head[16] = {0};
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    size_t got = fread(head, 1, length, file);
    fclose(file);
    return got == length && memcmp(head, magic, length) == 0;
}

/* The name has a quote and a space: nothing on the way may parse it. */
static void figures_are_drawn(void)
{
    char scatter[64], histogram[64], arguments[256];
    if (system("command -v gnuplot >/dev/null") != 0) return;
    scratch_path(scatter, "' s.svg");
    scratch_path(histogram, ".png");
    snprintf(arguments, sizeof arguments, "--kind arrival --scatter \"%s\" --histogram %s", scatter, histogram);
    check_call(arguments, 0, "arrival  span", "");
    CHECK_MSG(begins_with(scatter, "<?xml", 5), "'%s' is not SVG", scatter);
    CHECK_MSG(begins_with(histogram, "\x89PNG", 4), "'%s' is not PNG", histogram);
    remove(scatter);
    remove(histogram);
}

/* Recordings of the runner: recognised by their schema, predicted on the device they name. */
static void recorded_runs_are_predicted(void)
{
    static const struct gsim_recording_key keys[] = {{"vec", GSIM_SUITE_KESCO, GSIM_SHAPE_CONCURRENT, 1e6, 256, 64},
                                                     {"vec", GSIM_SUITE_KESCO, GSIM_SHAPE_CONCURRENT, 2e6, 256, 64}};
    static const char *const schedulers[] = {"serial", "async", NULL};
    char path[64], figure[64], arguments[256];
    struct gsim_error error = {0};
    struct gsim_device_spec device;
    CHECK_OK(gsim_device_load("v100", &device, &error), error);
    struct synthetic_runs runs = {&device, keys, 2, schedulers, 0.02};
    CHECK_OK(synthetic_runs_write(&runs, scratch_path(path, ".runs.json.gz"), &error), error);
    gsim_device_release(&device);
    check_call(path, 0, "predicted on v100:", "");
    snprintf(arguments, sizeof arguments, "%s --split test --per-case", path);
    check_call(arguments, 0, "test  async             2    0.00    0.00    0.00", "");
    snprintf(arguments, sizeof arguments, "%s --again %s", path, path);
    check_call(arguments, 0, "recorded once more (", "");
    snprintf(arguments, sizeof arguments, "%s --again %s --report -", path, path);
    check_call(arguments, 0, ",\n \"again\": {\"device\": \"v100\"", "");
    snprintf(arguments, sizeof arguments, "%s --again no-such-file.json.gz", path);
    check_call(arguments, 2, "", "--again: cannot read 'no-such-file.json.gz'");
    snprintf(arguments, sizeof arguments, "%s --device h200 --csv -", path);
    check_call(arguments, 0, "\nserial,makespan,", "");
    snprintf(arguments, sizeof arguments, "%s --report -", path);
    check_call(arguments, 0, "\"runs\": {\"device\": \"v100\"", "");
    snprintf(arguments, sizeof arguments, "%s --kind pairs", path);
    check_call(arguments, 2, "", "no cases of that kind, half and split in the files");
    if (system("command -v gnuplot >/dev/null") == 0) {
        snprintf(arguments, sizeof arguments, "%s --scatter %s", path, scratch_path(figure, ".svg"));
        check_call(arguments, 0, "predicted on v100:", "");
        remove(figure);
    }
    remove(path);
}

static void write_dags(const char *path, const double live_us[2], double graph_us)
{
    static const char *const kernel = "{\"grid\": 132, \"block\": 1024, \"regs\": 16, \"smem\": 0, \"flops\": 1e9, "
                                      "\"dram_bytes\": 0, \"solo_ns\": 50000}";
    gzFile file = gzopen(path, "wb");
    gzprintf(file, "{\"sms\": 132, \"dags\": [");
    for (int i = 0; i < 2; i++)
        gzprintf(file,
                 "%s{\"tag\": \"d%d\", \"streams\": 1, \"live_us\": %g, \"graph_us\": %g, \"nodes\": [{\"stream\": 0, "
                 "\"dep\": [], \"kernel\": %s}]}",
                 i ? ", " : "", i, live_us[i], graph_us, kernel);
    gzprintf(file, "]}");
    gzclose(file);
}

/* Live 10 and 30 % longer than before, as a graph as before; of the odd half the second one. */
static void cases_recorded_again(void)
{
    char before[64], again[64], arguments[256];
    write_dags(scratch_path(before, ".before.json.gz"), (double[]){60, 60}, 55);
    write_dags(scratch_path(again, ".again.json.gz"), (double[]){66, 78}, 55);
    snprintf(arguments, sizeof arguments, "%s --again %s", before, again);
    check_call(arguments, 0, "dags     live                  2   20.00   20.00   30.00  +20.00", "");
    check_call(arguments, 0, "dags     graph                 2    0.00    0.00    0.00   +0.00", "");
    snprintf(arguments, sizeof arguments, "%s --again %s --half odd --report -", before, again);
    check_call(arguments, 0,
               "\"again_rows\": [\n  {\"kind\": \"dags\", \"quantity\": \"live\", \"count\": 1, \"mean\": 0.3", "");
    snprintf(arguments, sizeof arguments, "%s --kind pairs --again %s", before, again);
    check_call(arguments, 2, "", "holds none of the 2 cases");
    snprintf(arguments, sizeof arguments, "%s --again %s", before, GPUSIM_SOURCE_DIR "/README.md");
    check_call(arguments, 2, "", "--again: cannot read '");
    remove(before);
    remove(again);
}

/* Profilers' traces: those of PyTorch are as far off as docs/accuracy.md says, those of gpusim itself are predicted on
 * the device that they name. */
static void traces_are_replayed(void)
{
    static const char *const names[] = {"resnet18", "deeplab50", "vgg16"};
    char path[64], arguments[256], command[512], *out, *err;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(arguments, sizeof arguments, "traces/h200/kineto/kineto_%s.json.gz --csv -", names[i]);
        CHECK_INT(call(arguments, &out, &err), 0);
        const char *makespan = strstr(out, "\ntrace,makespan,"), *times = strstr(out, "\ntrace,times,,,");
        double predicted = 0, measured = 1, error = 1;
        CHECK(makespan && sscanf(makespan, "\ntrace,makespan,%lf,%lf,%lf", &predicted, &measured, &error) == 3);
        CHECK_MSG(fabs(error) < 0.02, "%s: %.3f us, measured %.3f", names[i], predicted, measured);
        CHECK_NEAR(error, predicted / measured - 1, 1e-5);
        CHECK(times && strtod(times + strlen("\ntrace,times,,,"), NULL) < 0.01);
        CHECK_HAS(out, "\ntrace,stream busy,");
        CHECK(!strstr(out, "trace,start"));
        gsim_free(out);
        gsim_free(err);
    }
    snprintf(command, sizeof command,
             "%s --workload vec --sched serial --device v100 --memory pinned --trace %s >/dev/null", GPUSIM_BINARY,
             scratch_path(path, ".trace.json.gz"));
    CHECK_INT(system(command), 0);
    snprintf(arguments, sizeof arguments, "%s --per-case", path);
    check_call(arguments, 0, "Traces, replayed by async on v100:", "");
    check_call(arguments, 0, "copy to device\n", "");
    snprintf(arguments, sizeof arguments, "%s --per-case --csv -", path);
    check_call(arguments, 0, "\ntrace,start,", "");
    snprintf(arguments, sizeof arguments, "%s --per-case --report -", path);
    check_call(arguments, 0, ",\n \"traces\": {\"device\": \"v100\", \"scheduler\": \"async\"", "");
    check_call(arguments, 0, "\"timeline\": [", "");
    snprintf(arguments, sizeof arguments, "%s --device h200", path);
    check_call(arguments, 0, "on h200:", "its durations now count as those of h200");
    snprintf(arguments, sizeof arguments, "%s --kind runs", path);
    check_call(arguments, 2, "", "no cases of that kind");
    FILE *file = fopen(path, "r+b"); /* in the middle of the compressed data */
    CHECK(file && ftruncate(fileno(file), 900) == 0);
    if (file) fclose(file);
    check_call(path, 2, "", "damaged gzip data");
    remove(path);
}

/* What one device cannot run is left out, and said. */
static void misfits_are_counted(void)
{
    check_call("--device v100 --kind pairs", 0, "bytes of shared memory per block: at most 98304", "");
    check_call("workloads/examples/axpy-chain.json", 2, "", "axpy-chain.json': expected an object with lists of cases");
}

static const struct test_case cases[] = {
    {"bad usage", bad_usage_is_refused},
    {"damaged files", damaged_files_are_refused},
    {"same bytes twice", equal_calls_give_equal_bytes},
    {"halves", halves_leave_out_the_other},
    {"figures", figures_are_drawn},
    {"cases recorded again", cases_recorded_again},
    {"recorded runs", recorded_runs_are_predicted},
    {"traces", traces_are_replayed},
    {"misfits", misfits_are_counted},
};
TEST_MAIN("sim/cli_validate", cases)
