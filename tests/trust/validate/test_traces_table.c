/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A validation of two traces made by hand, as the table, the lines of kernels and copies, CSV and JSON, letter by
 * letter. The second one's name is a letter too long, and its error less than what is printed.
 */
#include "trust/validate/traces_table.h"

#include "tests/sim/result_fixture.h"

#define FITS   "abcdefghijklmnopqrstuvwxyz.jso"
#define LONGER "abcdefghijklmnopqrstuvwxyz.json"

static struct gsim_trace_stream streams[] = {{7, 1, 100, 90}, {11, 1, 50, 55}};
static struct gsim_trace_op ops[] = {{.is_kernel = true,
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
static struct gsim_trace_op last[] = {{.copy_kind = GSIM_COPY_D2D,
                                       .stream = 3,
                                       .measured_start_us = 1.5,
                                       .measured_end_us = 80,
                                       .predicted_start_us = 0,
                                       .predicted_end_us = 80.25}};
static struct gsim_trace_sample samples[] = {{.file = FITS,
                                              .gpu = "H200",
                                              .notes = "one\ntwo",
                                              .repairs = 3,
                                              .stream_count = 2,
                                              .op_count = 2,
                                              .measured_us = 200,
                                              .predicted_us = 210,
                                              .error = 0.05,
                                              .timeline = {.mean = 0.0125, .worst = 0.04, .compared = 4, .missing = 1},
                                              .streams = streams,
                                              .ops = ops},
                                             {.file = LONGER,
                                              .gpu = "",
                                              .notes = "",
                                              .op_count = 1,
                                              .measured_us = 80,
                                              .predicted_us = 80.0016,
                                              .error = 0.00002,
                                              .timeline = {.mean = NAN, .worst = 0.5},
                                              .ops = last}};

static const char table[] =
    "                                                     measured     predicted            times off by %\n"
    "trace                              ops  repairs            us            us  error %     mean   worst\n" FITS
    "       2        3       200.000       210.000    +5.00     1.25    4.00\n"
    "    stream 7      busy              1                100.000        90.000   -10.00\n"
    "    stream 11     busy              1                 50.000        55.000   +10.00\n"
    "    note: one\n    note: two\n"
    "abcdefghij..nopqrstuvwxyz.json       1        0        80.000        80.002    +0.00        -   50.00\n";
static const char lines[] =
    "      start us     predicted        end us     predicted  start %    end %  stream  kernel or copy\n" FITS "\n"
    "        10.000        12.000       110.000       102.000    +1.00    -4.00       7  gemm\n"
    "             -       100.000       150.000       155.000        -    +2.50      11  copy to host\n" LONGER "\n"
    "         1.500         0.000        80.000        80.250    -1.88    +0.31       3  copy on device\n\n";
static const char csv[] = "trace,makespan,210.000000,200.000000,0.050000,,,,,,0,," FITS "\n"
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
static const char json[] =
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
    const struct gsim_trace_validation v = {.predictor = &predictor, .samples = samples, .count = 2};
    const char *const right[] = {table, lines, csv, json};
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

static const struct test_case cases[] = {{"letter by letter", letter_by_letter}};
TEST_MAIN("trust/validate/traces_table", cases)
