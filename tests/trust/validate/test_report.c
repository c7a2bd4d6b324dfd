/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A validation's table, CSV and JSON from samples made by hand.
 */
#include "tests/trust/validate/rows.h"

#include <cjson/cJSON.h>
#include <math.h>

#include "tests/sim/result_fixture.h"

static const struct gsim_case subjects[3] = {
    {.kind = GSIM_CASE_PAIR, .file = "f.json", .name = "pairs[0]", .index = 0},
    {.kind = GSIM_CASE_PAIR, .file = "f.json", .name = "pairs[1], \"odd\"", .index = 1},
    {.kind = GSIM_CASE_PAIR, .file = "f.json", .name = "pairs[2]", .index = 2},
};

/* Errors +10, -20, +30 %: mean 20, median 20, worst 30, bias 6.67; halves 20 and 20; spread 1 %; waves off by
 * 100 % each, fluid by 0, recorded not known. */
static struct gsim_validation validation(struct gsim_sample samples[4], const struct gsim_device_spec *device)
{
    const double predicted[3] = {110, 80, 130};
    for (int i = 0; i < 3; i++)
        samples[i] = (struct gsim_sample){.subject = &subjects[i],
                                          .quantity = GSIM_QUANTITY_SPAN,
                                          .predicted = predicted[i],
                                          .measured = 100,
                                          .error = predicted[i] / 100 - 1,
                                          .spread_ratio = 0.01,
                                          .model_us = {NAN, 200, 100, NAN}};
    samples[3] = (struct gsim_sample){.subject = &subjects[2],
                                      .quantity = GSIM_QUANTITY_PLACEMENT,
                                      .part = 1,
                                      .predicted = NAN,
                                      .measured = NAN,
                                      .error = 0.25,
                                      .spread_ratio = NAN,
                                      .model_us = {NAN, NAN, NAN, NAN}};
    return (struct gsim_validation){
        .device = device, .samples = samples, .count = 4, .skipped = 2, .compares_models = true};
}

/* What WRITE prints, for gsim_free(). */
static void write_json(const struct gsim_validation *v, struct gsim_output *output)
{
    gsim_validation_json(v, &(struct gsim_validation_members){0}, output);
}

static char *written(void (*write)(const struct gsim_validation *, struct gsim_output *))
{
    char path[64];
    struct gsim_error error = {0};
    struct gsim_output output;
    struct gsim_sample samples[4];
    struct gsim_device_spec device = {.name = "h200"};
    const struct gsim_validation v = validation(samples, &device);
    CHECK_OK(gsim_output_open(&output, scratch_path(path, ".table"), &error), error);
    write(&v, &output);
    CHECK_OK(gsim_output_commit(&output, &error), error);
    char *text = read_file(path);
    remove(path);
    return text;
}

static void write_csv(const struct gsim_validation *v, struct gsim_output *output)
{
    gsim_validation_csv(v, output);
}

static void write_cases(const struct gsim_validation *v, struct gsim_output *output)
{
    gsim_validation_print_cases(v, output);
}

static void table_holds_the_numbers(void)
{
    char *text = written(gsim_validation_print);
    CHECK_HAS(text, "pairs    span                  3   20.00   20.00   30.00   +6.67       -    1.00    20.00  20.00"
                    "    100.00      0.00         -\n");
    CHECK_HAS(text, "pairs    blocks per SM         1   25.00   25.00   25.00  +25.00       -       -    25.00      -");
    CHECK_HAS(text, "2 cases left out");
    CHECK(!strstr(text, "arrival"));
    gsim_free(text);
}

static void csv_has_a_line_per_sample(void)
{
    char *text = written(write_csv);
    CHECK_STR(text, "kind,quantity,predicted,measured,error,spread,waves_us,fluid_us,recorded_us,half,part,case,file\n"
                    "pairs,span,110.000000,100.000000,0.100000,0.010000,200.000000,100.000000,,even,0,pairs[0],f.json\n"
                    "pairs,span,80.000000,100.000000,-0.200000,0.010000,200.000000,100.000000,,odd,0,"
                    "\"pairs[1], \"\"odd\"\"\",f.json\n"
                    "pairs,span,130.000000,100.000000,0.300000,0.010000,200.000000,100.000000,,even,0,pairs[2],f.json\n"
                    "pairs,blocks per SM,,,0.250000,,,,,even,1,pairs[2],f.json\n");
    gsim_free(text);
}

static void cases_have_lines(void)
{
    char *text = written(write_cases);
    CHECK_HAS(text, "pairs    span                      80.000       100.000   -20.00     1.00  pairs[1], \"odd\"\n");
    CHECK_HAS(text, "pairs    blocks per SM                  -             -   +25.00        -  pairs[2] (second)\n");
    gsim_free(text);
}

static void json_is_well_formed(void)
{
    char *text = written(write_json);
    cJSON *json = cJSON_Parse(text);
    CHECK_MSG(json != NULL, "%s", text);
    CHECK_STR(cJSON_GetStringValue(cJSON_GetObjectItem(json, "schema")), "gpusim-validation/1");
    const cJSON *rows = cJSON_GetObjectItem(json, "rows"), *row = cJSON_GetArrayItem(rows, 0);
    CHECK_INT(cJSON_GetArraySize(rows), 2);
    CHECK_STR(cJSON_GetStringValue(cJSON_GetObjectItem(row, "quantity")), "span");
    CHECK_NEAR(cJSON_GetNumberValue(cJSON_GetObjectItem(row, "bias")), 0.2 / 3, 1e-6);
    CHECK_NEAR(cJSON_GetNumberValue(cJSON_GetObjectItem(row, "mean_waves")), 1, 1e-6);
    CHECK(cJSON_IsNull(cJSON_GetObjectItem(row, "mean_recorded")));
    CHECK_INT(cJSON_GetArraySize(cJSON_GetObjectItem(json, "rankings")), 0);
    cJSON_Delete(json);
    gsim_free(text);
}

/* Measured 100: in 90 to 120, not in 60 to 95 (off by 20 % and no more), in 85 to 155, which is unstable, off by 30
 * %. */
static void with_intervals(const struct gsim_validation *v, struct gsim_output *output)
{
    static const struct gsim_spread spreads[3] = {
        {.runs = 20, .median_us = 100, .low_us = 90, .high_us = 120},
        {.runs = 20, .median_us = 80, .low_us = 60, .high_us = 95},
        {.runs = 20, .median_us = 125, .low_us = 85, .high_us = 155, .unstable = true},
    };
    struct gsim_validation mine = *v;
    mine.spread_runs = 20;
    for (int i = 0; i < 3; i++) mine.samples[i].spread = spreads[i];
    gsim_validation_print(&mine, output);
    gsim_validation_print_cases(&mine, output);
    gsim_validation_csv(&mine, output);
    write_json(&mine, output);
}

static void intervals_are_counted(void)
{
    char *text = written(with_intervals);
    CHECK_HAS(text, "90 % intervals of 20 perturbed copies");
    CHECK_HAS(text, "pairs    span                  3  66.7 %       43.75 %         1            1 of 1\n");
    CHECK_HAS(text, "pairs[2]  85.000 to 155.000, unstable\n");
    CHECK_HAS(text, ",case,file,copies_median_us,low_us,high_us,unstable\n");
    CHECK_HAS(text, ",f.json,125.000000,85.000000,155.000000,1\n");
    CHECK_HAS(text, ",f.json,,,,\n"); /* no makespan */
    cJSON *json = cJSON_Parse(strstr(text, "{\"schema\""));
    const cJSON *rows = cJSON_GetObjectItem(json, "rows"),
                *interval = cJSON_GetObjectItem(cJSON_GetArrayItem(rows, 0), "interval");
    CHECK_NEAR(cJSON_GetNumberValue(cJSON_GetObjectItem(interval, "runs")), 20, 0);
    CHECK_NEAR(cJSON_GetNumberValue(cJSON_GetObjectItem(interval, "held")), 2, 0);
    CHECK_NEAR(cJSON_GetNumberValue(cJSON_GetObjectItem(interval, "median_width")), 0.4375, 1e-9);
    CHECK_NEAR(cJSON_GetNumberValue(cJSON_GetObjectItem(interval, "off_unstable")), 1, 0);
    CHECK(!cJSON_GetObjectItem(cJSON_GetArrayItem(rows, 1), "interval"));
    cJSON_Delete(json);
    gsim_free(text);
}

/* Five intervals, of which the second begins and the third ends at what was measured: 3 hold it. Widths 0.2, 0.3, 0.8,
 * 0.89, 0.99 of the median. Three predictions are off by more than 20 %, one of them called unstable. */
static void intervals(void)
{
    static const struct {
        double low, high, median, error;
        bool unstable;
    } all[] = {{90, 110, 100, 0.1, false},  {100, 130, 100, 0.25, true}, {60, 100, 50, -0.2, true},
               {101, 200, 100, 0.5, false}, {10, 99, 100, -0.21, false}, {0, 200, 100, 3, true}};
    struct gsim_sample samples[7];
    for (int i = 0; i < 6; i++)
        samples[i] = (struct gsim_sample){.subject = &subjects[0],
                                          .quantity = GSIM_QUANTITY_SPAN,
                                          .measured = 100,
                                          .error = all[i].error,
                                          .spread = {.runs = i < 5 ? 9 : 0,
                                                     .low_us = all[i].low,
                                                     .high_us = all[i].high,
                                                     .median_us = all[i].median,
                                                     .unstable = all[i].unstable}};
    samples[6] = samples[1];
    samples[6].quantity = GSIM_QUANTITY_PLACEMENT;
    const struct gsim_device_spec device = {.name = "h200"};
    const struct gsim_validation v = {.device = &device, .samples = samples, .count = 7};
    const struct row row = row_of(&v, GSIM_CASE_PAIR, GSIM_QUANTITY_SPAN);
    CHECK_NEAR(row.intervals, 5, 0);
    CHECK_NEAR(row.held, 3, 0);
    CHECK_NEAR(row.unstable, 2, 0);
    CHECK_NEAR(row.off, 3, 0);
    CHECK_NEAR(row.off_unstable, 1, 0);
    CHECK_NEAR(row.width, 0.8, 1e-12);
}

/* Of three schedules one pair is ordered otherwise than measured: tau (2 - 1) / 3, and 12 us are chosen where 11 are
 * possible. Of two none is. Serial alone is not ranked, nor is what is no schedule. */
static void rankings(void)
{
    static const struct {
        int subject;
        enum gsim_quantity quantity;
        double predicted, measured;
    } all[] = {{0, GSIM_QUANTITY_LIVE, 10, 12},  {0, GSIM_QUANTITY_SERIAL, 20, 11}, {0, GSIM_QUANTITY_GRAPH, 30, 30},
               {0, GSIM_QUANTITY_SPAN, 1, 99},   {1, GSIM_QUANTITY_LIVE, 5, 6},     {1, GSIM_QUANTITY_GRAPH, 4, 3},
               {2, GSIM_QUANTITY_SERIAL, 7, 70}, {2, GSIM_QUANTITY_SPAN, 8, 1}};
    struct gsim_sample samples[8];
    for (int i = 0; i < 8; i++)
        samples[i] = (struct gsim_sample){.subject = &subjects[all[i].subject],
                                          .quantity = all[i].quantity,
                                          .predicted = all[i].predicted,
                                          .measured = all[i].measured};
    const struct gsim_device_spec device = {.name = "h200"};
    const struct gsim_validation v = {.device = &device, .samples = samples, .count = 8};
    const struct ranking ranking = ranking_of(&v, GSIM_CASE_PAIR);
    CHECK_INT(ranking.count, 2);
    CHECK_NEAR(ranking.tau_mean, 2 / 3.0, 1e-12);
    CHECK_NEAR(ranking.regret_mean, 1 / 22.0, 1e-12);
    CHECK_NEAR(ranking.regret_worst, 1 / 11.0, 1e-12);
}

/* Two traces, letter by letter. The second one's name is a letter too long, its error less than what is printed. */
#define FITS   "abcdefghijklmnopqrstuvwxyz.jso"
#define LONGER "abcdefghijklmnopqrstuvwxyz.json"

static struct gsim_trace_stream trace_streams[] = {{7, 1, 100, 90}, {11, 1, 50, 55}};
static struct gsim_trace_op trace_ops[] = {{.is_kernel = true,
                                      .name = "gemm",
                                      .stream = 7,
                                      .measured_start_us = 10,
                                      .measured_end_us = 110,
                                      .predicted_start_us = 12,
                                      .predicted_end_us = 102},
                                     {.copy_kind = GSIM_COPY_D2H,
                                      .stream = 11,
                                      .measured_start_us = NAN,
                                      .measured_end_us = 150,
                                      .predicted_start_us = 100,
                                      .predicted_end_us = 155}};
static struct gsim_trace_op trace_last[] = {{.copy_kind = GSIM_COPY_D2D,
                                       .stream = 3,
                                       .measured_start_us = 1.5,
                                       .measured_end_us = 80,
                                       .predicted_start_us = 0,
                                       .predicted_end_us = 80.25}};
static struct gsim_trace_sample trace_samples[] = {{.file = FITS,
                                              .gpu = "H200",
                                              .notes = "one\ntwo",
                                              .repairs = 3,
                                              .stream_count = 2,
                                              .op_count = 2,
                                              .measured_us = 200,
                                              .predicted_us = 210,
                                              .error = 0.05,
                                              .timeline = {.mean = 0.0125, .worst = 0.04, .compared = 4, .missing = 1},
                                              .streams = trace_streams,
                                              .ops = trace_ops},
                                             {.file = LONGER,
                                              .gpu = "",
                                              .notes = "",
                                              .op_count = 1,
                                              .measured_us = 80,
                                              .predicted_us = 80.0016,
                                              .error = 0.00002,
                                              .timeline = {.mean = NAN, .worst = 0.5},
                                              .ops = trace_last}};

static const char trace_table[] =
    "                                                     measured     predicted            times off by %\n"
    "trace                              ops  repairs            us            us  error %     mean   worst\n" FITS
    "       2        3       200.000       210.000    +5.00     1.25    4.00\n"
    "    stream 7      busy              1                100.000        90.000   -10.00\n"
    "    stream 11     busy              1                 50.000        55.000   +10.00\n"
    "    note: one\n    note: two\n"
    "abcdefghij..nopqrstuvwxyz.json       1        0        80.000        80.002    +0.00        -   50.00\n";
static const char trace_lines[] =
    "      start us     predicted        end us     predicted  start %    end %  stream  kernel or copy\n" FITS "\n"
    "        10.000        12.000       110.000       102.000    +1.00    -4.00       7  gemm\n"
    "             -       100.000       150.000       155.000        -    +2.50      11  copy to host\n" LONGER "\n"
    "         1.500         0.000        80.000        80.250    -1.88    +0.31       3  copy on device\n\n";
static const char trace_csv[] = "trace,makespan,210.000000,200.000000,0.050000,,,,,,0,," FITS "\n"
                          "trace,times,,,0.012500,,,,,,0,," FITS "\n"
                          "trace,times at worst,,,0.040000,,,,,,0,," FITS "\n"
                          "trace,stream busy,90.000000,100.000000,-0.100000,,,,,,7,," FITS "\n"
                          "trace,stream busy,55.000000,50.000000,0.100000,,,,,,11,," FITS "\n"
                          "trace,start,12.000000,10.000000,0.010000,,,,,,7,gemm," FITS "\n"
                          "trace,end,102.000000,110.000000,-0.040000,,,,,,7,gemm," FITS "\n"
                          "trace,end,155.000000,150.000000,0.025000,,,,,,11,copy to host," FITS "\n"
                          "trace,makespan,80.001600,80.000000,0.000020,,,,,,0,," LONGER "\n"
                          "trace,times at worst,,,0.500000,,,,,,0,," LONGER "\n"
                          "trace,start,0.000000,1.500000,-0.018750,,,,,,3,copy on device," LONGER "\n"
                          "trace,end,80.250000,80.000000,0.003125,,,,,,3,copy on device," LONGER "\n";
static const char trace_json[] =
    "{\"device\": \"h200\", \"scheduler\": \"replayer\",\n  \"rows\": [\n"
    "   {\"file\": \"" FITS
    "\", \"gpu\": \"H200\", \"ops\": 2, \"repairs\": 3, \"measured_us\": 200.000000, \"predicted_us\": 210.000000, "
    "\"error\": 0.050000, \"times_mean\": 0.012500, \"times_worst\": 0.040000, \"compared\": 4, \"missing\": 1,\n"
    "    \"streams\": [{\"stream\": 7, \"ops\": 1, \"measured_us\": 100.000000, \"predicted_us\": 90.000000}, "
    "{\"stream\": 11, \"ops\": 1, \"measured_us\": 50.000000, \"predicted_us\": 55.000000}],\n    \"timeline\": [\n"
    "     {\"stream\": 7, \"name\": \"gemm\", \"start_us\": 10.000000, \"end_us\": 110.000000, \"predicted_start_us\": "
    "12.000000, "
    "\"predicted_end_us\": 102.000000},\n"
    "     {\"stream\": 11, \"name\": \"copy to host\", \"start_us\": null, \"end_us\": 150.000000, "
    "\"predicted_start_us\": 100.000000, "
    "\"predicted_end_us\": 155.000000}]},\n"
    "   {\"file\": \"" LONGER
    "\", \"gpu\": \"\", \"ops\": 1, \"repairs\": 0, \"measured_us\": 80.000000, \"predicted_us\": 80.001600, "
    "\"error\": 0.000020, \"times_mean\": null, \"times_worst\": 0.500000, \"compared\": 0, \"missing\": 0,\n"
    "    \"streams\": [],\n    \"timeline\": [\n"
    "     {\"stream\": 3, \"name\": \"copy on device\", \"start_us\": 1.500000, \"end_us\": 80.000000, "
    "\"predicted_start_us\": 0.000000, "
    "\"predicted_end_us\": 80.250000}]}]}";

static void letter_by_letter(void)
{
    const struct gsim_device_spec device = {.name = "h200"};
    const struct gsim_scheduler_ops replay = {.name = "replayer"};
    const struct gsim_predictor predictor = {.device = &device, .replay = &replay};
    const struct gsim_trace_validation v = {.predictor = &predictor, .samples = trace_samples, .count = 2};
    const char *const right[] = {trace_table, trace_lines, trace_csv, trace_json};
    for (int which = 0; which < 4; which++) {
        char path[64];
        struct gsim_output output;
        struct gsim_error error = {0};
        CHECK_OK(gsim_output_open(&output, scratch_path(path, ".traces"), &error), error);
        if (which == 0) gsim_trace_validation_print(&v, &output);
        else if (which == 1) gsim_trace_validation_print_ops(&v, &output);
        else if (which == 2) gsim_trace_validation_csv(&v, true, &output);
        else gsim_trace_validation_json(&v, true, &output);
        CHECK_OK(gsim_output_commit(&output, &error), error);
        char *text = read_file(path), *from = which ? text : strchr(text, '\n') + 1;
        if (!which) CHECK(strncmp(text, "Traces, replayed by replayer on h200:\n", (size_t)(from - text)) == 0);
        if (!which && strstr(text, "\n\n")) strstr(text, "\n\n")[1] = '\0'; /* what the columns are, in words */
        CHECK_STR(from, right[which]);
        remove(path);
        gsim_free(text);
    }
}

/* Errors of one way 10, -20, 30 and 50 %: of four the third is the middle; of another +25 %. */
static void services_are_summed_up(void)
{
    static const double predicted[5] = {110, 80, 130, 150, 125};
    static const char *const sections[] = {"shared", "shared_csv", "ranged", "ranged_csv"};
    static const char *const right[] = {
        "    0 a  mps                             110.0        100.0   +10.00 %\n"
        "    0 b  mps                              80.0        100.0   -20.00 %\n",
        "file,pair,service,way,predicted_us,measured_us,predicted_p90_us,measured_p90_us,error\n"
        "f,0,a,mps,110.000,100.000,2.000,1.000,0.100000\n",
        "  timeslice          a            b                 2.5        100         90         95  out\n"
        "  in the range: 0 of 1 (within 3 % of its ends)\n",
        "timeslice,a,b,2.5,100.0,90.0,95.0,out\n"};
    for (int i = 0; i < 4; i++) {
        char *text = NULL;
        size_t length = 0;
        struct gsim_output output;
        struct gsim_error error = {0};
        sqlite3 *tables = gsim_tables_of_report();
        gsim_tables_row(tables, "service_about", "sfu", "h200", 0.03, 1u);
        for (unsigned k = 0; k < 5; k++)
            gsim_tables_row(tables, "shared", "suuusffff", "f", k / 2, k % 2, k / 4, k / 4 ? "streams" : "mps",
                            predicted[k], 100.0, 2.0, 1.0);
        gsim_tables_row(tables, "ranged", "sssffffu", "timeslice", "a", "b", 2.5, 100.0, 90.0, 95.0, 0u);
        CHECK_OK(gsim_output_open_memory(&output, &text, &length, &error), error);
        gsim_tables_print(tables, sections[i], &output);
        CHECK_OK(gsim_output_commit(&output, &error), error);
        CHECK_HAS(text, right[i]);
        if (!i) CHECK_HAS(text, "  mps                             4  27.50 %  30.00 %  50.00 %\n"
                                "  streams                         1  25.00 %  25.00 %  25.00 %\n");
        free(text);
    }
}

static const struct test_case cases[] = {
    {"intervals", intervals_are_counted},
    {"the table", table_holds_the_numbers},
    {"CSV", csv_has_a_line_per_sample},
    {"a line per case", cases_have_lines},
    {"JSON", json_is_well_formed},
    {"five intervals", intervals},
    {"rankings", rankings},
    {"traces, letter by letter", letter_by_letter},
    {"services", services_are_summed_up},
};
TEST_MAIN("trust/validate/report", cases)
