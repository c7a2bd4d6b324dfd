/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces of gpusim-runner on an H200 (traces/h200/traced), imported and replayed on their own streams: makespans stay
 * as near as they were. Nothing of the device or the model was fitted to them.
 */
#include <string.h>

#include "cli/traces.h"
#include "tests/test.h"

/* Relative to the measured makespan. What stays above a few per cent: M2 under KeSCo, whose short kernels follow on
 * many streams. */
#define MOST      0.035
#define MAX_M2    0.08
#define MAX_MEAN 0.012

static void replays_stay_near(void)
{
    static const char *const workloads[] = {"bs", "dl", "hits", "img", "m1", "m2", "ml", "vec"};
    static const char *const schedulers[] = {"serial", "async", "grsched", "kesco"};
    struct gsim_device_spec device = {0};
    struct gsim_gpu_options gpu;
    struct gsim_error error = {0};
    gsim_params_set_defaults(gsim_gpu_params, &gpu);
    CHECK_OK(gsim_device_load("h200-vm", &device, &error), error);
    const struct gsim_predictor predictor = {&device, &gpu, gsim_scheduler_find("async"), NULL, NULL};
    struct gsim_trace_validation v = {.predictor = &predictor};
    double sum = 0;
    for (size_t w = 0; w < sizeof workloads / sizeof *workloads; w++)
        for (size_t s = 0; s < sizeof schedulers / sizeof *schedulers; s++) {
            char path[200];
            snprintf(path, sizeof path, GPUSIM_SOURCE_DIR "/traces/h200/traced/%s_%s.json.gz", workloads[w],
                     schedulers[s]);
            CHECK_OK(gsim_cli_trace_add(&v, path, NULL, true, false, &error), error);
            const struct gsim_trace_sample *sample = &v.samples[v.count - 1];
            double most = strcmp(workloads[w], "m2") == 0 ? MAX_M2 : MOST;
            CHECK_MSG(fabs(sample->error) <= most, "%s: %+.2f %% off, at most %.1f", sample->file, 100 * sample->error,
                      100 * most);
            CHECK_INT(sample->timeline.missing, 0);
            sum += fabs(sample->error);
        }
    CHECK_INT(v.count, 32);
    CHECK_MSG(sum / (double)v.count <= MAX_MEAN, "%.2f %% off on average, at most %.1f", 100 * sum / (double)v.count,
              100 * MAX_MEAN);
    gsim_trace_validation_release(&v);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {{"replays stay near", replays_stay_near}};
TEST_MAIN("golden/traced", cases)
