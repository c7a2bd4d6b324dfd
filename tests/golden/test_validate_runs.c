/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What gpusim-runner recorded of all workloads under all schedulers on real GPUs (traces/h200, traces/h100): the
 * predictions of the runs that no fit has seen (split "test") stay as close as they are. The bounds are what the model
 * reached when they were written plus 15 % of it; to loosen them needs a reason in the commit.
 */
#include "trust/validate/report.h"
#include "tests/test.h"
#include "traces/runs.h"

static const struct {
    const char *device, *path;
    size_t count; /* test runs */
    double mean, worst, bias, speedup, tau_clear, regret, replay;
} bounds[] = {
    {"h200-vm", "traces/h200/runs-small.json.gz", 192, 0.0375, 0.185, 0.0080, 0.0463, 0.89, 0.0145, 0.0370},
    {"h200-vm", "traces/h200/runs-1g.json.gz", 96, 0.0260, 0.0875, 0.0076, 0.0298, 0.83, 0.0010, 0.0242},
    {"h200-vm", "traces/h200/vm/runs-unseen.json.gz", 288, 0.0285, 0.140, 0.0080, 0.0341, 0.86, 0.0119, 0.0314},
    {"h200-vm", "traces/h200/vm/runs-grcuda.json.gz", 192, 0.0462, 0.302, 0.0247, 0.0527, 0.94, 0.0175, 0.0367},
    {"h200-vm", "traces/h200/vm/runs-blind.json.gz", 288, 0.0213, 0.105, 0.0060, 0.0263, 0.92, 0.0078, 0.0250},
    {"h100-vm", "traces/h100/runs-small.json.gz", 192, 0.0382, 0.182, 0.0080, 0.0466, 0.89, 0.0198, 0.0397},
};

static enum gsim_status add(void *context, const struct gsim_recordings *recordings, const struct gsim_recording *run,
                            struct gsim_error *error)
{
    if (run->split != GSIM_SPLIT_TEST) return GSIM_OK;
    return gsim_run_validation_add(context, "", recordings, run, error);
}

static void predictions_stay_as_close(void)
{
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        struct gsim_error error = {0};
        struct gsim_device_spec device = {0};
        struct gsim_gpu_options gpu;
        struct gsim_recordings recordings = {0};
        gsim_params_set_defaults(gsim_gpu_params, &gpu);
        CHECK_OK(gsim_device_load(bounds[i].device, &device, &error), error);
        struct gsim_predictor predictor = {&device, &gpu, gsim_scheduler_find("async"), NULL, NULL};
        struct gsim_run_validation v = {.predictor = &predictor, .base = "serial"};
        CHECK_OK(gsim_runs_read(bounds[i].path, &(struct gsim_runs_handler){add, &v}, &recordings, &error), error);
        struct {
            double mean, worst, bias, speedup, replay, tau_clear, regret;
        } m;
        sqlite3 *tables = gsim_run_validation_tables(&v);
        gsim_tables_numbers(tables,
                            "SELECT mean, worst, bias, speed_up_mean, replay_mean, tau_clear, regret FROM run_line "
                            "JOIN run_ranking USING (split) WHERE place = 0 AND split = 'test'",
                            &m.mean, 7);
        gsim_tables_close(tables);
        CHECK_INT(v.count, bounds[i].count);
        CHECK_INT(v.skipped, 0);
        CHECK_INT(v.unchecked, 0); /* results of every run agreed with the reference */
        CHECK_MSG(m.mean <= bounds[i].mean, "%s: mean %.4f, at most %.4f", bounds[i].path, m.mean, bounds[i].mean);
        CHECK_MSG(m.worst <= bounds[i].worst, "%s: worst %.4f, at most %.4f", bounds[i].path, m.worst,
                  bounds[i].worst);
        CHECK_MSG(fabs(m.bias) <= bounds[i].bias, "%s: bias %.4f, at most %.4f", bounds[i].path, m.bias,
                  bounds[i].bias);
        CHECK_MSG(m.speedup <= bounds[i].speedup, "%s: speed-up %.4f, at most %.4f", bounds[i].path,
                  m.speedup, bounds[i].speedup);
        CHECK_MSG(m.replay <= bounds[i].replay, "%s: replay %.4f, at most %.4f", bounds[i].path, m.replay,
                  bounds[i].replay);
        CHECK_MSG(m.tau_clear >= bounds[i].tau_clear, "%s: tau of clear pairs %.3f, at least %.3f",
                  bounds[i].path, m.tau_clear, bounds[i].tau_clear);
        CHECK_MSG(m.regret <= bounds[i].regret, "%s: regret %.4f, at most %.4f", bounds[i].path,
                  m.regret, bounds[i].regret);
        gsim_run_validation_release(&v);
        gsim_recordings_release(&recordings);
        gsim_device_release(&device);
    }
}

static const struct test_case cases[] = {{"predictions stay as close", predictions_stay_as_close}};
TEST_MAIN("golden/validate_runs", cases)
