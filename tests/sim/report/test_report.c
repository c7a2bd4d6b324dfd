/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The renderings of a finished run: fields of the JSON report, escaping, equal bytes for equal runs, CSV
 * quoting, widths of the terminal report, and files that appear only when they are complete.
 */
#include <cjson/cJSON.h>
#include <sys/stat.h>

#include "sim/base/text.h"
#include "tests/sim/result_fixture.h"
#include "sim/report/chrome.h"

static char *render(const struct gsim_result *result, void (*put)(const struct gsim_result *, struct gsim_output *))
{
    char path[64];
    struct gsim_output output;
    struct gsim_error error = {0};
    scratch_path(path, ".out");
    CHECK_OK(gsim_output_open(&output, path, &error), error);
    put(result, &output);
    CHECK_OK(gsim_output_commit(&output, &error), error);
    char *text = read_file(path);
    remove(path);
    return text;
}

static const cJSON *at(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    CHECK_MSG(item, "no field '%s'", name);
    return item;
}

static double number_at(const cJSON *object, const char *name)
{
    const cJSON *item = at(object, name);
    CHECK_MSG(cJSON_IsNumber(item), "'%s' is not a number", name);
    return item ? item->valuedouble : NAN;
}

static const char *text_at(const cJSON *object, const char *name)
{
    const cJSON *item = at(object, name);
    return cJSON_IsString(item) ? item->valuestring : NULL;
}

static void json_has_the_schema(void)
{
    struct fixture f;
    fixture_init(&f);
    char *text = render(&f.result, gsim_report_json);
    cJSON *report = cJSON_Parse(text);
    CHECK_MSG(report, "not JSON: %s", text);
    CHECK_STR(text_at(report, "schema"), "gpusim-report/1");
    CHECK_STR(text_at(report, "version"), GPUSIM_VERSION);
    CHECK_STR(text_at(report, "workload"), "prog");
    CHECK_STR(text_at(report, "scheduler"), "sched");
    CHECK_STR(text_at(report, "device"), "dev");
    CHECK_NEAR(number_at(report, "seed"), 1, 0);
    CHECK_STR(text_at(at(report, "options"), "size"), "100");
    CHECK_STR(text_at(at(report, "options"), "sched.rule"), "a\"b");
    CHECK_NEAR(number_at(report, "makespan_us"), 52, 1e-9);
    CHECK_NEAR(cJSON_GetArrayItem(at(report, "iteration_us"), 0)->valuedouble, 52, 1e-9);
    CHECK_NEAR(number_at(report, "streams_used"), 2, 0);
    CHECK_NEAR(number_at(report, "events_recorded"), 1, 0);
    CHECK_NEAR(number_at(report, "stream_waits"), 1, 0);
    cJSON_Delete(report);
    gsim_free(text);
    fixture_release(&f);
}

static void json_has_every_record(void)
{
    struct fixture f;
    fixture_init(&f);
    char *text = render(&f.result, gsim_report_json);
    cJSON *report = cJSON_Parse(text);
    CHECK_INT(cJSON_GetArraySize(at(report, "kernels")), 3);
    const cJSON *kernel = cJSON_GetArrayItem(at(report, "kernels"), 2);
    CHECK_NEAR(number_at(kernel, "op"), 2, 0);
    CHECK_NEAR(number_at(kernel, "iteration"), 0, 0);
    CHECK_NEAR(number_at(kernel, "task"), 0, 0);
    CHECK_NEAR(number_at(kernel, "stream"), 2, 0);
    CHECK_NEAR(number_at(kernel, "device"), 0, 0);
    CHECK_NEAR(number_at(kernel, "launch_us"), 3, 0);
    CHECK_NEAR(number_at(kernel, "start_us"), 30, 0);
    CHECK_NEAR(number_at(kernel, "end_us"), 45, 0);
    CHECK_INT(cJSON_GetArraySize(kernel), 9);
    CHECK_INT(cJSON_GetArraySize(at(report, "copies")), 2);
    const cJSON *copy = cJSON_GetArrayItem(at(report, "copies"), 0);
    CHECK_STR(text_at(copy, "kind"), "h2d");
    CHECK_STR(text_at(copy, "reason"), "prefetch");
    CHECK_NEAR(number_at(copy, "bytes"), 4096, 0);
    CHECK_INT(cJSON_GetArraySize(copy), 6);
    CHECK_HAS(text, "\"end_us\": 5.000001,"); /* picoseconds survive */
    const cJSON *task = cJSON_GetArrayItem(at(report, "tasks"), 0);
    CHECK_STR(text_at(task, "name"), "prog");
    CHECK_NEAR(cJSON_GetArrayItem(at(task, "jct_us"), 0)->valuedouble, 52, 1e-9);
    cJSON_Delete(report);
    gsim_free(text);
    fixture_release(&f);
}

/* By hand: SMs 5 of 10 for 35 of 52 us; copies 5.000001 - 1 + 5; kernels 20 + 20 + 15, union 35. */
static void json_has_the_metrics(void)
{
    struct fixture f;
    fixture_init(&f);
    char *text = render(&f.result, gsim_report_json);
    cJSON *report = cJSON_Parse(text);
    const cJSON *metrics = at(report, "metrics"), *overlap = at(metrics, "overlap");
    CHECK_NEAR(number_at(metrics, "sm_busy_ratio"), 0.5 * 35 / 52, 1e-6);
    CHECK_NEAR(number_at(metrics, "achieved_occupancy"), 40.0 / (5 * 64), 1e-6);
    CHECK_NEAR(number_at(metrics, "h2d_bytes"), 4096, 0);
    CHECK_NEAR(number_at(metrics, "d2h_bytes"), 1000, 0);
    const cJSON *reasons = at(metrics, "bytes_by_reason");
    CHECK_NEAR(number_at(reasons, "explicit") + number_at(reasons, "prefetch") + number_at(reasons, "fault") +
                   number_at(reasons, "eviction"), 5096, 0);
    CHECK_NEAR(number_at(metrics, "host_busy_us"), 3 + 3 + 2, 1e-9);
    CHECK_NEAR(number_at(overlap, "compute_compute"), 20.0 / 55, 1e-6);
    CHECK_NEAR(number_at(overlap, "compute_transfer"), 0, 0);
    CHECK_NEAR(number_at(overlap, "transfer_compute"), 0, 0);
    CHECK_NEAR(number_at(overlap, "total"), 20 / (55 + 9.000001), 1e-6);
    CHECK_NEAR(number_at(metrics, "critical_path_us"), 0, 0);
    CHECK_NEAR(number_at(metrics, "lower_bound_us"), 4096 / 1e4, 1e-5);
    cJSON_Delete(report);
    gsim_free(text);
    fixture_release(&f);
}

/* One step of the load per time, each until the next; when iterations begin. */
static void json_has_the_load(void)
{
    struct fixture f;
    fixture_init(&f);
    char *text = render(&f.result, gsim_report_json);
    cJSON *report = cJSON_Parse(text);
    const cJSON *load = at(report, "occupancy"), *steps = at(load, "steps");
    CHECK_NEAR(number_at(load, "sm_count"), 10, 0);
    CHECK_NEAR(number_at(load, "warps_per_sm"), 64, 0);
    CHECK_INT(cJSON_GetArraySize(steps), 2);
    CHECK_NEAR(cJSON_GetArrayItem(cJSON_GetArrayItem(steps, 0), 0)->valuedouble, 10, 0);
    CHECK_NEAR(cJSON_GetArrayItem(cJSON_GetArrayItem(steps, 0), 1)->valuedouble, 5, 0);
    CHECK_NEAR(cJSON_GetArrayItem(cJSON_GetArrayItem(steps, 0), 2)->valuedouble, 40, 0);
    CHECK_NEAR(cJSON_GetArrayItem(cJSON_GetArrayItem(steps, 1), 1)->valuedouble, 0, 0);
    CHECK_INT(cJSON_GetArraySize(at(report, "iteration_start_us")), 1);
    cJSON_Delete(report);
    gsim_free(text);
    fixture_release(&f);
}

static void spread_is_told(void)
{
    const struct gsim_spread spread = {.runs = 30, .median_us = 52, .low_us = 47.5, .high_us = 61.25, .unstable = true};
    const struct gsim_style style = {.columns = 80};
    char path[64];
    struct gsim_error error = {0};
    struct gsim_output output;
    struct fixture f;
    fixture_init(&f);
    char *text = render(&f.result, gsim_report_json);
    CHECK(!strstr(text, "\"spread\""));
    gsim_free(text);
    f.result.spread = &spread;
    text = render(&f.result, gsim_report_json);
    cJSON *report = cJSON_Parse(text);
    const cJSON *its = at(report, "spread");
    CHECK_NEAR(number_at(its, "runs"), 30, 0);
    CHECK_NEAR(number_at(its, "median_us"), 52, 1e-9);
    CHECK_NEAR(number_at(its, "low_us"), 47.5, 1e-9);
    CHECK_NEAR(number_at(its, "high_us"), 61.25, 1e-9);
    CHECK(cJSON_IsTrue(at(its, "unstable")));
    cJSON_Delete(report);
    gsim_free(text);
    CHECK_OK(gsim_output_open(&output, scratch_path(path, ".spread"), &error), error);
    CHECK_OK(gsim_report_print(&f.result, &style, &output, &error), error);
    CHECK_OK(gsim_output_commit(&output, &error), error);
    text = read_file(path);
    remove(path);
    CHECK_HAS(text, "Spread       unstable: 47.50 us to 61.25 us expected, median 52.00 us (30 perturbed copies)\n");
    gsim_free(text);
    fixture_release(&f);
}

static void json_escapes_names(void)
{
    struct fixture f;
    fixture_init(&f);
    char *text = render(&f.result, gsim_report_json);
    cJSON *report = cJSON_Parse(text);
    /* The byte that is not UTF-8 becomes U+FFFD; all else comes back as it was. */
    CHECK_STR(text_at(cJSON_GetArrayItem(at(report, "kernels"), 1), "name"),
              "odd \"name\"\\ \n\x01 \xc3\xa9 \xef\xbf\xbd,");
    cJSON_Delete(report);
    gsim_free(text);
    fixture_release(&f);
}

static void json_is_deterministic(void)
{
    struct fixture f, g;
    fixture_init(&f);
    fixture_init(&g);
    char *one = render(&f.result, gsim_report_json), *two = render(&g.result, gsim_report_json);
    CHECK_STR(one, two);
    gsim_free(one);
    gsim_free(two);
    fixture_release(&f);
    fixture_release(&g);
}

static void json_without_details_has_nulls(void)
{
    struct fixture f;
    fixture_init(&f);
    struct gsim_error error = {0};
    f.timeline.occupancy_count = 0;
    CHECK_OK(gsim_metrics_compute(&f.timeline, &f.device, NULL, &f.metrics, &error), error);
    char *text = render(&f.result, gsim_report_json);
    CHECK_HAS(text, "\"sm_busy_ratio\": null");
    gsim_free(text);
    fixture_release(&f);
}

static void csv_rows(void)
{
    struct fixture f;
    fixture_init(&f);
    char *text = render(&f.result, gsim_csv_write);
    CHECK_HAS(text, "type,op,iteration,task,name,stream,device,bytes,reason,grid,block,launch_us,ready_us,start_us,"
                    "end_us,duration_us\n");
    CHECK_HAS(text, "\nkernel,1,0,0,alpha,1,0,,,8 2 1,32 4 1,0.000000,0.000000,10.000000,30.000000,20.000000\n");
    CHECK_HAS(text, "kernel,3,0,0,\"odd \"\"name\"\"\\ \n");
    CHECK_HAS(text, "\nh2d,0,0,0,x,1,0,4096,prefetch,,,0.000000,,1.000000,5.000001,4.000001\n");
    gsim_free(text);
    fixture_release(&f);
}

static void put_terminal(const struct gsim_result *result, struct gsim_output *output)
{
    struct gsim_style style = {.columns = 100};
    struct gsim_error error = {0};
    CHECK_OK(gsim_report_print(result, &style, output, &error), error);
}

static void terminal_report(void)
{
    struct fixture f;
    fixture_init(&f);
    f.kernels[1].name = "a_kernel_whose_name_is_far_too_long_for_the_column_that_holds_it";
    char *text = render(&f.result, put_terminal);
    CHECK_HAS(text, "prog with sched on dev, seed 1\n");
    CHECK_HAS(text, "Makespan     52.00 us\n");
    CHECK_HAS(text, "2 used, 1 event recorded, 1 stream wait\n");
    CHECK_HAS(text,
              "alpha                                        1   20.00 us   20.00 us   20.00 us   20.00 us  36.4 %\n");
    CHECK_HAS(text, "35.00 us   17.50 us   15.00 us   20.00 us  63.6 %\n");
    CHECK_HAS(text, "h2d prefetch");
    CHECK_HAS(text, "cudaDeviceSynchronize");
    CHECK(!strchr(text, '\033'));
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        CHECK_MSG(length <= 100, "%zu columns: %.*s", length, (int)length, line);
        line += length + (line[length] ? 1 : 0);
    }
    gsim_free(text);
    fixture_release(&f);
}

/* 30 kernel names: 20 rows, and one that holds the other ten. */
/* A bound above 100 % is explained: by kernels that ran faster beside others, or as our fault. */
static void terminal_report_explains_bounds(void)
{
    struct fixture f;
    fixture_init(&f);
    f.metrics.lower_bound = f.metrics.critical_path = f.metrics.makespan + 2 * US;
    f.metrics.lower_bound_reason = "critical path";
    char *text = render(&f.result, put_terminal);
    CHECK_HAS(text, "103.8 % of the makespan: critical path\n");
    CHECK_HAS(text, "beside others some ran faster");
    gsim_free(text);
    f.metrics.critical_path = 1;
    f.metrics.lower_bound_reason = "DRAM bandwidth";
    text = render(&f.result, put_terminal);
    CHECK_HAS(text, "please report this");
    gsim_free(text);
    f.metrics.critical_path = 0; /* of no kernel is known what it takes alone, as on a real GPU */
    text = render(&f.result, put_terminal);
    CHECK(!strstr(text, "Lower bound"));
    gsim_free(text);
    f.metrics.critical_path = 1;
    f.metrics.lower_bound = f.metrics.makespan;
    text = render(&f.result, put_terminal);
    CHECK(!strstr(text, "above the makespan"));
    gsim_free(text);
    fixture_release(&f);
}

static void terminal_report_sums_up(void)
{
    struct fixture f;
    struct gsim_kernel kernels[30];
    char names[30][8];
    fixture_init(&f);
    f.timeline.kernel_count = 0;
    for (uint32_t i = 0; i < 30; i++) {
        snprintf(names[i], sizeof(names[i]), "k%02u", i);
        kernels[i] = (struct gsim_kernel){.name = names[i]};
        gsim_timeline_add_kernel(&f.timeline, &(struct gsim_kernel_record){.kernel_index = i, .end = (30 - i) * US});
    }
    f.program.kernels = kernels;
    f.program.kernel_count = 30;
    char *text = render(&f.result, put_terminal);
    CHECK_HAS(text, "\n  k00 ");
    CHECK_HAS(text, "\n  k19 ");
    CHECK(!strstr(text, "\n  k20 "));
    CHECK_HAS(text, "(10 others)                                 10   55.00 us   5.500 us   1.000 us   10.00 us");
    gsim_free(text);
    fixture_release(&f);
}

static void units(void)
{
    char text[GSIM_TEXT_SIZE];
    CHECK_STR(gsim_text_time(text, 0), "0 us");
    CHECK_STR(gsim_text_time(text, 12300), "12.30 ns");
    CHECK_STR(gsim_text_time(text, 999949 * 1000LL), "999.9 us");
    CHECK_STR(gsim_text_time(text, 999960 * 1000LL), "1.000 ms");
    CHECK_STR(gsim_text_time(text, 12345678 * 1000LL), "12.35 ms");
    CHECK_STR(gsim_text_time(text, 61 * GSIM_PS_PER_S), "61.00 s");
    CHECK_STR(gsim_text_bytes(text, 512), "512 B");
    CHECK_STR(gsim_text_bytes(text, 92160000), "92.16 MB");
    CHECK_STR(gsim_text_count(text, 1234567), "1,234,567");
    CHECK_STR(gsim_text_count(text, 999), "999");
    CHECK_STR(gsim_text_count(text, UINT64_MAX), "18446744073709551615");
    CHECK_STR(gsim_text_percent(text, 0.3374), "33.7 %");
    char fit[32];
    CHECK_STR(gsim_text_fit(fit, sizeof(fit), "abcdefghijkl", 9), "abcd..jkl");
}

static void near_misses(void)
{
    struct gsim_nearest nearest;
    CHECK_INT(gsim_text_distance("kesco", "keso"), 1);
    CHECK_INT(gsim_text_distance("kesco", "kecso"), 1);
    CHECK_INT(gsim_text_distance("acs_sw", "ACS-SW"), 0);
    CHECK_INT(gsim_text_distance("", "abc"), 3);
    gsim_nearest_init(&nearest, "kseco");
    gsim_nearest_offer(&nearest, "serial");
    gsim_nearest_offer(&nearest, "kesco");
    CHECK_STR(gsim_nearest_text(&nearest), ", did you mean 'kesco'?");
    gsim_nearest_init(&nearest, "zebra");
    gsim_nearest_offer(&nearest, "kesco");
    CHECK_STR(gsim_nearest_text(&nearest), "");
}

/* Everything that renders, with the Nth allocation failing: an error or a result, never a crash or a leak. */
static enum gsim_status render_all(struct fixture *f, struct gsim_output *output, struct gsim_error *error)
{
    struct gsim_style style = {.columns = 100};
    struct gsim_kernel_alone alone[2] = {{.time = US}, {.time = US}};
    enum gsim_status status = gsim_metrics_compute(&f->timeline, &f->device, alone, &f->metrics, error);
    if (status == GSIM_OK) status = gsim_report_print(&f->result, &style, output, error);
    if (status == GSIM_OK) status = gsim_gantt_print(&f->result, &style, output, error);
    if (status == GSIM_OK) status = gsim_chrome_write(&f->result, output, error);
    return status;
}

static void every_allocation_may_fail(void)
{
    struct fixture f;
    struct gsim_output output;
    struct gsim_error error = {0};
    enum gsim_status status = GSIM_NOMEM;
    uint64_t failures = 0;
    fixture_init(&f);
    for (uint64_t nth = 1; status != GSIM_OK && nth < 1000; nth++) {
        CHECK_OK(gsim_output_open(&output, "/dev/null", &error), error);
        (void)gsim_alloc_fail_nth(nth);
        status = render_all(&f, &output, &error);
        (void)gsim_alloc_fail_nth(0);
        gsim_output_release(&output);
        failures += status == GSIM_NOMEM;
        CHECK_MSG(status == GSIM_OK || (status == GSIM_NOMEM && strstr(error.message, "out of memory")),
                  "allocation %d: status %d: %s", (int)nth, (int)status, error.message);
        memset(&error, 0, sizeof(error));
    }
    CHECK_INT(status, GSIM_OK);
    CHECK_MSG(failures >= 8, "only %d allocations failed", (int)failures);
    fixture_release(&f);
}

static void malformed_utf8(void)
{
    static const struct {
        const char *in, *out;
    } rows[] = {{"\xc0\x80", "\"\\ufffd\\ufffd\""},            /* overlong */
                {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""}, /* surrogate */
                {"\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\""},  /* an emoji */
                {"a\xe2\x82", "\"a\\ufffd\\ufffd\""},          /* cut off */
                {"\t", "\"\\u0009\""}};
    char path[64];
    scratch_path(path, ".txt");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct gsim_output output;
        struct gsim_error error = {0};
        CHECK_OK(gsim_output_open(&output, path, &error), error);
        gsim_output_json_string(&output, rows[i].in);
        CHECK_OK(gsim_output_commit(&output, &error), error);
        char *text = read_file(path);
        CHECK_STR(text, rows[i].out);
        gsim_free(text);
    }
    remove(path);
}

static void files_appear_when_complete(void)
{
    char path[64];
    struct gsim_output output;
    struct gsim_error error = {0};
    struct stat info;
    scratch_path(path, ".json");
    CHECK_OK(gsim_output_open(&output, path, &error), error);
    gsim_output_text(&output, "half");
    CHECK(stat(path, &info) != 0);
    gsim_output_release(&output);
    CHECK(stat(path, &info) != 0);
    CHECK_OK(gsim_output_open(&output, path, &error), error);
    gsim_output_repeat(&output, "0123456789", 20000); /* more than the buffer */
    CHECK_OK(gsim_output_commit(&output, &error), error);
    CHECK_INT(stat(path, &info), 0);
    CHECK_INT(info.st_size, 200000);
    remove(path);
    CHECK_INT(gsim_output_open(&output, "/nonexistent/folder/x", &error), GSIM_IO);
    CHECK_HAS(error.message, "cannot write '/nonexistent/folder/x': No such file");
    CHECK_INT(gsim_output_check("/nonexistent/folder/x", &error), GSIM_USAGE);
    CHECK_INT(gsim_output_check("/tmp", &error), GSIM_USAGE);
    CHECK_HAS(error.message, "is a folder");
}

/* A full disk is told, not swallowed. */
static void full_disk_is_an_error(void)
{
    struct gsim_output output;
    struct gsim_error error = {0};
    CHECK_OK(gsim_output_open(&output, "/dev/full", &error), error);
    gsim_output_text(&output, "x");
    CHECK_INT(gsim_output_commit(&output, &error), GSIM_IO);
    CHECK_HAS(error.message, "cannot write '/dev/full': No space left");
}

static const struct test_case cases[] = {
    {"json: head", json_has_the_schema},
    {"json: records", json_has_every_record},
    {"json: metrics", json_has_the_metrics},
    {"json: load", json_has_the_load},
    {"the spread of perturbed copies", spread_is_told},
    {"json: escaping", json_escapes_names},
    {"json: same run, same bytes", json_is_deterministic},
    {"json: unknown is null", json_without_details_has_nulls},
    {"csv", csv_rows},
    {"terminal", terminal_report},
    {"terminal: bounds", terminal_report_explains_bounds},
    {"terminal: many kernels", terminal_report_sums_up},
    {"units", units},
    {"near misses", near_misses},
    {"malformed UTF-8", malformed_utf8},
    {"every allocation may fail", every_allocation_may_fail},
    {"files appear when complete", files_appear_when_complete},
    {"full disk", full_disk_is_an_error},
};
TEST_MAIN("sim/report/report", cases)
