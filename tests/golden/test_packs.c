/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How kernels are packed behind others, and DAGs measured a second time (traces/h200/vm): the rules of sim/gpu_ends.c and
 * sim/front.c against what one H200 did in 40 and 30 repetitions. The rules were found with all of these cases in view;
 * what speaks for them beside is that the older pairs, arrivals and kernel times came closer. Bounds are what the model
 * reached plus 15 %.
 */
#include "models/device.h"
#include "sim/validate.h"
#include "tests/test.h"
#include "traces/cases.h"
#include "workloads/file.h"

static const struct {
    enum gsim_case_kind kind;
    enum gsim_quantity quantity;
    size_t count;
    double even, odd; /* greatest mean error of each half of the cases */
} bounds[] = {
    {GSIM_CASE_ARRIVAL, GSIM_QUANTITY_PLACEMENT, 182, 0.0672, 0.0480},
    {GSIM_CASE_ARRIVAL, GSIM_QUANTITY_LATE_END, 91, 0.0744, 0.0647},
    /* The 37 DAGs of packs.json.gz (two kernels released together: chance) and the 35 of dags.json.gz. */
    {GSIM_CASE_DAG, GSIM_QUANTITY_GRAPH, 72, 0.0329, 0.0415},
    {GSIM_CASE_DAG, GSIM_QUANTITY_KERNELS, 72, 0.0668, 0.0619},
};

static struct gsim_device_spec device;
static struct gsim_gpu_options options;
static struct gsim_case_set set;
static struct gsim_validation validation;

static void read_cases(const char *path)
{
    struct gsim_error error = {0};
    size_t length = 0;
    char *text = gsim_file_read(path, &length, &error);
    CHECK_MSG(text != NULL, "%s: %s", path, error.message);
    if (text) CHECK_OK(gsim_cases_parse(&set, path, text, length, &error), error);
    gsim_free(text);
}

static void recordings_are_simulated(void)
{
    struct gsim_error error = {0};
    gsim_params_set_defaults(gsim_gpu_params, &options);
    CHECK_OK(gsim_device_load("h200", &device, &error), error);
    read_cases(GPUSIM_SOURCE_DIR "/traces/h200/vm/packs.json.gz");
    read_cases(GPUSIM_SOURCE_DIR "/traces/h200/vm/dags.json.gz");
    validation.device = &device;
    validation.gpu = &options;
    for (size_t i = 0; i < set.count; i++) CHECK_OK(gsim_validation_run(&validation, &set.cases[i], &error), error);
}

static void errors_stay_within_bounds(void)
{
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        struct gsim_error error = {0};
        struct gsim_validation_row row;
        const char *kind = gsim_case_kind_word(bounds[i].kind), *quantity = gsim_quantity_word(bounds[i].quantity);
        CHECK_OK(gsim_validation_row(&validation, bounds[i].kind, bounds[i].quantity, &row, &error), error);
        CHECK_INT(row.all.count, bounds[i].count);
        CHECK_MSG(row.even.mean <= bounds[i].even, "%s %s: even half %.4f, at most %.4f", kind, quantity,
                  row.even.mean, bounds[i].even);
        CHECK_MSG(row.odd.mean <= bounds[i].odd, "%s %s: odd half %.4f, at most %.4f", kind, quantity,
                  row.odd.mean, bounds[i].odd);
    }
}

static void unload(void)
{
    gsim_validation_release(&validation);
    gsim_case_set_release(&set);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {
    {"recordings are simulated", recordings_are_simulated},
    {"errors stay within bounds", errors_stay_within_bounds},
    {"everything is released", unload},
};
TEST_MAIN("golden/packs", cases)
