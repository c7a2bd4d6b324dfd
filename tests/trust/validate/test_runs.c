/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recordings made by the simulator itself: on their own device they are predicted exactly, on another by as much as it
 * differs; lines, rankings and speed-ups of hand-made samples are computed by hand.
 */
#include "trust/validate/report.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/test.h"
#include "tests/traces/synthetic.h"
#include "traces/runs.h"

static const struct gsim_recording_key keys[] = {
    {"vec", GSIM_SUITE_KESCO, GSIM_SHAPE_CONCURRENT, 1e6, 256, 64},
    {"img", GSIM_SUITE_GRCUDA, GSIM_SHAPE_CONCURRENT, 400, 128, 16},
    {"ml", GSIM_SUITE_GRCUDA, GSIM_SHAPE_CONCURRENT, 2000, 256, 32},
};
static const char *const schedulers[] = {"serial", "async", "kesco", "cudagraph", NULL};

static char path[64];
static struct gsim_device_spec device;
static struct gsim_gpu_options gpu;

static void recordings_are_written(void)
{
    struct gsim_error error = {0};
    struct synthetic_runs runs = {&device, keys, sizeof keys / sizeof keys[0], schedulers, 0.02};
    snprintf(path, sizeof path, "/tmp/gpusim-synthetic-%ld.json.gz", (long)getpid());
    gsim_params_set_defaults(gsim_gpu_params, &gpu);
    CHECK_OK(gsim_device_load("h200", &device, &error), error);
    device.tracer_start_us = device.tracer_gap_us = 0; /* no tracer watches the simulator */
    CHECK_OK(synthetic_runs_write(&runs, path, &error), error);
}

static enum gsim_status add(void *context, const struct gsim_recordings *recordings, const struct gsim_recording *run,
                            struct gsim_error *error)
{
    return gsim_run_validation_add(context, "synthetic.json.gz", recordings, run, error);
}

static void read_into(struct gsim_run_validation *v)
{
    struct gsim_error error = {0};
    struct gsim_recordings recordings = {0};
    CHECK_OK(gsim_runs_read(path, &(struct gsim_runs_handler){add, v}, &recordings, &error), error);
    gsim_recordings_release(&recordings);
}

static void numbers(const struct gsim_run_validation *v, const char *sql, double *of, int count)
{
    sqlite3 *tables = gsim_run_validation_tables(v);
    gsim_tables_numbers(tables, sql, of, count);
    gsim_tables_close(tables);
}

/* Over schedulers of both splits: how many configurations, Kendall's tau, its worst regret, and tau of clear pairs. */
static const char ranking_sql[] =
    "SELECT count(*), avg(tau), max(regret), (SELECT avg((product > 0) - (product < 0)) FROM run_pair) FROM (SELECT "
    "kendall_tau(predicted, measured) AS tau, choice_regret(predicted, measured) AS regret FROM run GROUP BY config)";

static void own_device_is_predicted_exactly(void)
{
    struct gsim_predictor predictor = {&device, &gpu, gsim_scheduler_find("async"), NULL, NULL};
    struct gsim_run_validation v = {.predictor = &predictor, .base = "serial"};
    read_into(&v);
    CHECK_INT(v.count, 24);
    CHECK_INT(v.skipped, 0);
    CHECK_INT(v.config_count, 6);
    for (size_t i = 0; i < v.count; i++) {
        const struct gsim_run_sample *s = &v.samples[i];
        CHECK_MSG(fabs(s->error) < 1e-5, "%s with %s: %.6f", s->key.workload, s->scheduler, s->error);
        CHECK_MSG(s->prediction.timeline.mean < 1e-5 && s->prediction.timeline.missing == 0,
                  "%s with %s: times %.6f, %u missing", s->key.workload, s->scheduler, s->prediction.timeline.mean,
                  s->prediction.timeline.missing);
        CHECK_MSG(s->path_us > 0 && s->path_us <= s->sum_us * (1 + 1e-9), "%s: path %.3f, sum %.3f us", s->key.workload,
                  s->path_us, s->sum_us);
        if (strcmp(s->key.workload, "vec") == 0) /* two squares side by side, then the sum of their products */
            CHECK_MSG(s->path_us < 0.9 * s->sum_us && s->path_us > 0.5 * s->sum_us, "path %.3f, sum %.3f us",
                      s->path_us, s->sum_us);
        CHECK_NEAR(s->spread_ratio, 0.018, 1e-6); /* 5 % and 95 % of five equally spaced ones, +- 2 % */
        double replay = s->prediction.replay_us / s->measured_us - 1;
        if (strcmp(s->scheduler, "cudagraph") == 0)
            CHECK(isnan(replay));
        else
            CHECK_MSG(fabs(replay) < 0.03, "%s with %s%s: replay %.4f", s->key.workload, s->scheduler,
                      s->prefetch ? ", prefetch" : "", replay);
    }
    double ranking[4];
    numbers(&v, ranking_sql, ranking, 4);
    CHECK_NEAR(ranking[0], 6, 0);
    CHECK_NEAR(ranking[1], 1, 0.01);
    CHECK_NEAR(ranking[2], 0, 1e-6);
    CHECK_NEAR(ranking[3], 1, 0);
    gsim_run_validation_release(&v);
}

/* Kernels that are found once predict to the digit as those that every run finds, on another device, too; they are
 * fewer than runs have. */
static void kernels_are_found_once(void)
{
    struct gsim_device_spec other = device;
    other.dram_gbps *= 0.7;
    other.sm_count = 50;
    struct gsim_kept_works works = {0};
    struct gsim_predictor own = {&other, &gpu, gsim_scheduler_find("async"), NULL, NULL}, kept = own;
    struct gsim_run_validation v[2] = {{.predictor = &own, .base = "serial"}, {.predictor = &kept, .base = "serial"}};
    kept.works = &works;
    for (int i = 0; i < 2; i++) read_into(&v[i]);
    CHECK_INT(v[1].count, v[0].count);
    for (size_t i = 0; i < v[0].count && i < v[1].count; i++) {
        const struct gsim_prediction *a = &v[0].samples[i].prediction, *b = &v[1].samples[i].prediction;
        CHECK(a->iteration_us == b->iteration_us && a->timeline.mean == b->timeline.mean);
        CHECK(a->replay_us == b->replay_us || (isnan(a->replay_us) && isnan(b->replay_us)));
    }
    CHECK_MSG(works.slots.count > 0 && works.slots.count < v[1].count, "%u kernels", works.slots.count);
    for (int i = 0; i < 2; i++) gsim_run_validation_release(&v[i]);
    /* A launch that takes longer leaves them; another SM does not. */
    const struct gsim_program none = {0};
    uint32_t count = works.slots.count;
    other.launch_us *= 2;
    other.stream_gap_us *= 2;
    (void)gsim_kept_works_of(&works, &other, &none);
    CHECK_INT(works.slots.count, count);
    other.sm_count = 51;
    (void)gsim_kept_works_of(&works, &other, &none);
    CHECK_INT(works.slots.count, 0);
    gsim_kept_works_release(&works);
}

/* Where a tracer delays each kernel and copy by 2 us, a serial replay grows by up to 2 for each (host time between the
 * calls hides some), and the prediction of the untraced run does not. The programs have 2 to 13 kernels. */
static void tracers_take_their_time(void)
{
    struct gsim_device_spec slow = device;
    slow.tracer_start_us = 2;
    struct gsim_predictor plain = {&device, &gpu, gsim_scheduler_find("async"), NULL, NULL},
                          watched = {&slow, &gpu, plain.replay, NULL, NULL};
    struct gsim_run_validation a = {.predictor = &plain, .base = "serial"},
                               b = {.predictor = &watched, .base = "serial"};
    read_into(&a);
    read_into(&b);
    CHECK_INT(a.count, b.count);
    for (size_t i = 0; i < a.count && i < b.count; i++) {
        const struct gsim_run_sample *x = &a.samples[i], *y = &b.samples[i];
        CHECK_NEAR(x->prediction.iteration_us, y->prediction.iteration_us, 1e-9);
        if (strcmp(x->scheduler, "serial") != 0) continue;
        double grows_us = y->prediction.replay_us - x->prediction.replay_us;
        CHECK_MSG(grows_us >= 4 && grows_us <= 80, "%s: %.4f us more", x->key.workload, grows_us);
    }
    gsim_run_validation_release(&a);
    gsim_run_validation_release(&b);
}

/* A slower link shows in what copies, and only there. */
static void another_device_is_not(void)
{
    struct gsim_error error = {0};
    struct gsim_device_spec other;
    CHECK_OK(gsim_device_load("h200", &other, &error), error);
    CHECK_OK(gsim_device_set_number(&other, "sync_return_us", "13.2", &error), error);
    struct gsim_predictor predictor = {&other, &gpu, NULL, NULL, NULL};
    struct gsim_run_validation v = {.predictor = &predictor, .base = "serial"};
    read_into(&v);
    for (size_t i = 0; i < v.count; i++) {
        const struct gsim_run_sample *s = &v.samples[i];
        CHECK_MSG(s->error > 0, "%s with %s: %.6f", s->key.workload, s->scheduler, s->error);
        CHECK(isnan(s->prediction.replay_us));
    }
    gsim_run_validation_release(&v);
    gsim_device_release(&other);
}

/* Of the four samples below. Test: errors -50 and 25 %, a speed-up of 0.5 for 1.25, a replay of 110 us for 100. */
static const char table[] =
    "Runs of gpusim-runner, predicted on h200:\n"
    "                           error of the prediction, in %      own         speed-up           replay "
    "    times  tracer\n"
    "split of                n    mean  median   worst    bias  spread     mean   worst     mean   worst "
    "     mean    mean\n"
    "test  all runs          2   37.50   37.50   50.00  -12.50    0.00    60.00   60.00    10.00   10.00 "
    "     3.00  +25.00\n"
    "test  serial            1   50.00   50.00   50.00  -50.00    0.00        -       -        -       - "
    "        -       -\n"
    "test  async             1   25.00   25.00   25.00  +25.00    0.00    60.00   60.00    10.00   10.00 "
    "     3.00  +25.00\n"
    "test  vec               2   37.50   37.50   50.00  -12.50    0.00    60.00   60.00    10.00   10.00 "
    "     3.00  +25.00\n"
    "fit   all runs          2    5.00    5.00   10.00   +5.00    1.00    10.00   10.00        -       - "
    "        -       -\n"
    "fit   serial            1   10.00   10.00   10.00  +10.00    0.00        -       -        -       - "
    "        -       -\n"
    "fit   async             1    0.00    0.00    0.00   +0.00    2.00    10.00   10.00        -       - "
    "        -       -\n"
    "fit   vec               2    5.00    5.00   10.00   +5.00    1.00    10.00   10.00        -       - "
    "        -       -\n"
    "\n"
    "test  1 configurations, Kendall's tau over schedulers -1.000 on average, -1.000 over clear pairs;\n"
    "      following the prediction costs 25.00 % on average, 25.00 % at worst\n"
    "fit   1 configurations, Kendall's tau over schedulers 1.000 on average, 1.000 over clear pairs;\n"
    "      following the prediction costs 0.00 % on average, 0.00 % at worst\n"
    "\n"
    "  simpler models, test runs: kernels' times alone added up 100.00 % off on average,\n"
    "  the longest path of dependent ones 100.00 %, gpusim 37.50 %\n"
    "  simpler models, fit runs: kernels' times alone added up 45.00 % off on average,\n"
    "  the longest path of dependent ones 40.00 %, gpusim 5.00 %\n"
    "\n"
    "2 runs left out; the first: no kernels.\n"
    "\n"
    "1 of these runs were recorded without checking their results.\n"
    "\n";
static const char runs[] =
    "split scheduler    predicted us   measured us  error %   spread replay %  times %  run\n"
    "fit   serial            110.000       100.000   +10.00     0.00        -        -  vec 0, 0 x 0, man"
    "aged\n"
    "fit   async              50.000        50.000    +0.00     2.00        -        -  vec 0, 0 x 0, man"
    "aged\n"
    "test  serial             50.000       100.000   -50.00     0.00        -        -  vec 0, 0 x 0, man"
    "aged\n"
    "test  async             100.000        80.000   +25.00     0.00   +10.00     3.00  vec 0, 0 x 0, man"
    "aged\n"
    "\n";
static const char csv[] =
    "serial,makespan,110.000000,100.000000,0.100000,0.000000,,,,fit,0,\"vec 0, 0 x 0, managed\",f\n"
    "serial,times at worst,,,0.000000,0.000000,,,,fit,0,\"vec 0, 0 x 0, managed\",f\n"
    "async,makespan,50.000000,50.000000,0.000000,0.020000,,,,fit,0,\"vec 0, 0 x 0, managed\",f\n"
    "async,speed-up,2.200000,2.000000,0.100000,0.020000,,,,fit,0,\"vec 0, 0 x 0, managed\",f\n"
    "async,times at worst,,,0.000000,0.020000,,,,fit,0,\"vec 0, 0 x 0, managed\",f\n"
    "serial,makespan,50.000000,100.000000,-0.500000,0.000000,,,,test,0,\"vec 0, 0 x 0, managed\",f\n"
    "serial,times at worst,,,0.000000,0.000000,,,,test,0,\"vec 0, 0 x 0, managed\",f\n"
    "async,makespan,100.000000,80.000000,0.250000,0.000000,,,,test,0,\"vec 0, 0 x 0, managed\",f\n"
    "async,replay,110.000000,100.000000,0.100000,0.000000,,,,test,0,\"vec 0, 0 x 0, managed\",f\n"
    "async,speed-up,0.500000,1.250000,-0.600000,0.000000,,,,test,0,\"vec 0, 0 x 0, managed\",f\n"
    "async,times,,,0.030000,0.000000,,,,test,0,\"vec 0, 0 x 0, managed\",f\n"
    "async,times at worst,,,0.000000,0.000000,,,,test,0,\"vec 0, 0 x 0, managed\",f\n";
static const char json[] =
    "{\"device\": \"h200\", \"base\": \"serial\", \"count\": 4, \"skipped\": 2, \"unchecked\": 1,\n"
    "  \"rows\": [\n"
    "   {\"split\": \"test\", \"count\": 2, \"mean\": 0.375000, \"median\": 0.375000, \"worst\": 0.500000"
    ", \"bias\": -0.125000, \"spread\": 0.000000, \"speedup_mean\": 0.600000, \"speedup_worst\": 0.600000"
    ", \"replay_mean\": 0.100000, \"replay_worst\": 0.100000, \"times_mean\": 0.030000, \"tracer\": 0.250"
    "000},\n"
    "   {\"split\": \"test\", \"scheduler\": \"serial\", \"count\": 1, \"mean\": 0.500000, \"median\": 0."
    "500000, \"worst\": 0.500000, \"bias\": -0.500000, \"spread\": 0.000000, \"speedup_mean\": null, \"sp"
    "eedup_worst\": null, \"replay_mean\": null, \"replay_worst\": null, \"times_mean\": null, \"tracer\""
    ": null},\n"
    "   {\"split\": \"test\", \"scheduler\": \"async\", \"count\": 1, \"mean\": 0.250000, \"median\": 0.2"
    "50000, \"worst\": 0.250000, \"bias\": 0.250000, \"spread\": 0.000000, \"speedup_mean\": 0.600000, \""
    "speedup_worst\": 0.600000, \"replay_mean\": 0.100000, \"replay_worst\": 0.100000, \"times_mean\": 0."
    "030000, \"tracer\": 0.250000},\n";
static const char json_rankings[] =
    "  \"rankings\": [\n"
    "   {\"split\": \"fit\", \"count\": 1, \"kendall_tau\": 1.000000, \"tau_of_clear_pairs\": 1.000000, "
    "\"regret_mean\": 0.000000, \"regret_worst\": 0.000000},\n"
    "   {\"split\": \"test\", \"count\": 1, \"kendall_tau\": -1.000000, \"tau_of_clear_pairs\": -1.000000"
    ", \"regret_mean\": 0.250000, \"regret_worst\": 0.250000}]}";

static void check_text(void (*print)(const struct gsim_run_validation *, struct gsim_output *),
                       const struct gsim_run_validation *v, const char *expected)
{
    struct gsim_output output;
    struct gsim_error error = {0};
    char *text = NULL;
    size_t length = 0;
    CHECK_OK(gsim_output_open_memory(&output, &text, &length, &error), error);
    print(v, &output);
    CHECK_OK(gsim_output_commit(&output, &error), error);
    CHECK_HAS(text, expected);
    gsim_free(text);
}

/* Two configurations; the second is predicted in the wrong order. */
static void lines_are_computed(void)
{
    struct gsim_predictor predictor = {&device, &gpu, NULL, NULL, NULL};
    struct gsim_run_sample samples[4] = {
        {.config = 0, .scheduler = "serial", .measured_us = 100, .error = 0.1, .sum_us = 90, .path_us = 40},
        {.config = 0,
         .scheduler = "async",
         .measured_us = 50,
         .error = 0,
         .spread_ratio = 0.02,
         .sum_us = 90,
         .path_us = 40},
        {.config = 1, .scheduler = "serial", .measured_us = 100, .error = -0.5, .split = GSIM_SPLIT_TEST},
        {.config = 1, .scheduler = "async", .measured_us = 80, .error = 0.25, .split = GSIM_SPLIT_TEST},
    };
    for (int i = 0; i < 4; i++) {
        samples[i].key.workload = "vec";
        samples[i].file = "f";
        samples[i].traced_ratio = samples[i].prediction.timeline.mean = samples[i].prediction.replay_us = NAN;
        samples[i].prediction.iteration_us = samples[i].measured_us * (1 + samples[i].error);
    }
    struct gsim_run_validation v = {
        .predictor = &predictor, .base = "serial", .samples = samples, .count = 4, .config_count = 2};
    double fit[9], ranking[4], bias;
    numbers(&v,
            "SELECT count, mean, worst, spread, sum_mean, path_mean, speed_ups, speed_up_mean, times FROM run_line "
            "WHERE split = 'fit' AND place = 0",
            fit, 9);
    static const double right[] = {2, 0.05, 0.1, 0.01, (0.1 + 0.8) / 2, (0.6 + 0.2) / 2, 1, 0.1}; /* 2.2 for 2 */
    for (int i = 0; i < 8; i++) CHECK_NEAR(fit[i], right[i], 1e-12);
    CHECK(isnan(fit[8]));
    numbers(&v, "SELECT avg(error) FROM run WHERE scheduler = 'async'", &bias, 1);
    CHECK_NEAR(bias, 0.125, 1e-12);
    numbers(&v, "SELECT tau FROM run_ranking WHERE split = 'fit'", ranking, 1);
    CHECK_NEAR(ranking[0], 1, 0);
    numbers(&v, "SELECT tau, regret FROM run_ranking WHERE split = 'test'", ranking, 2);
    CHECK_NEAR(ranking[0], -1, 0);
    CHECK_NEAR(ranking[1], 0.25, 1e-12); /* serial taken, async better */
    numbers(&v, ranking_sql, ranking, 4);
    CHECK_NEAR(ranking[1], 0, 0);
    CHECK_NEAR(ranking[3], 0, 0);
    samples[3].traced_ratio = 0.25, samples[3].prediction.replay_us = 110, samples[3].prediction.timeline.mean = 0.03;
    v.skipped = 2, v.unchecked = 1;
    snprintf(v.skipped_reason, sizeof v.skipped_reason, "no kernels");
    check_text(gsim_run_validation_print, &v, table);
    check_text(gsim_run_validation_print_runs, &v, runs);
    check_text(gsim_run_validation_csv, &v, csv);
    check_text(gsim_run_validation_json, &v, json);
    check_text(gsim_run_validation_json, &v, json_rankings);
}

/* Of the 24 runs recorded "again", one 10 % slower, one is unknown: 23 + 1 samples, of which one is 10 % off. */
static void again_is_another_recording(void)
{
    struct gsim_predictor predictor = {&device, &gpu, gsim_scheduler_find("async"), NULL, NULL};
    struct gsim_run_validation v = {.predictor = &predictor, .base = "serial"}, again = v;
    struct gsim_error error = {0};
    read_into(&v);
    for (size_t i = 0; i < v.count; i++) {
        double us = v.samples[i].measured_us * (i == 3 ? 1.1 : 1);
        struct gsim_recording run = {.key = v.samples[i].key,
                                     .scheduler = v.samples[i].scheduler,
                                     .memory = v.samples[i].memory,
                                     .prefetch = v.samples[i].prefetch,
                                     .iteration_us = &us,
                                     .iteration_count = 1};
        if (i == 5) run.key.size++;
        CHECK_OK(gsim_run_validation_add_again(&again, &v, &run, &error), error);
    }
    CHECK_INT(again.count, 23);
    double of[3], ranking[4];
    numbers(&again, "SELECT max(worst), sum(mean * count) / sum(count), sum(replays) FROM run_line WHERE place = 0", of,
            3);
    CHECK_NEAR(of[0], 0.1, 1e-9);
    CHECK_NEAR(of[1], 0.1 / 23, 1e-9);
    CHECK_NEAR(of[2], 0, 0);
    numbers(&again, ranking_sql, ranking, 4);
    CHECK_NEAR(ranking[0], 6, 0);
    CHECK(ranking[1] > 0.9);
    gsim_run_validation_release(&again);
    gsim_run_validation_release(&v);
}

static void unknown_things_are_skipped(void)
{
    struct gsim_predictor predictor = {&device, &gpu, NULL, NULL, NULL};
    struct gsim_run_validation v = {.predictor = &predictor, .base = "serial"};
    struct gsim_recordings recordings = {0};
    struct gsim_error error = {0};
    double us = 5;
    struct gsim_recording run = {
        .key = {.workload = "vec", .size = 1}, .scheduler = "luck", .iteration_us = &us, .iteration_count = 1};
    CHECK_OK(gsim_run_validation_add(&v, "f", &recordings, &run, &error), error);
    run.scheduler = "serial";
    CHECK_OK(gsim_run_validation_add(&v, "f", &recordings, &run, &error), error);
    CHECK_INT(v.count, 0);
    CHECK_INT(v.skipped, 2);
    CHECK_STR(v.skipped_reason, "vec with luck: scheduler: expected a name of gpusim list schedulers, found \"luck\"");
    gsim_run_validation_release(&v);
}

static void files_are_removed(void)
{
    remove(path);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {
    {"recordings are written", recordings_are_written},
    {"own device", own_device_is_predicted_exactly},
    {"kernels are found once", kernels_are_found_once},
    {"tracers take their time", tracers_take_their_time},
    {"another device", another_device_is_not},
    {"lines and rankings", lines_are_computed},
    {"again", again_is_another_recording},
    {"unknown things are skipped", unknown_things_are_skipped},
    {"clean up", files_are_removed},
};
TEST_MAIN("sim/validate_runs", cases)
