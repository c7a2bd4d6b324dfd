/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Committed cases, read and simulated on a device of the project, for the tests that bound the model's errors. */
#pragma once

#include "sim/device/device.h"
#include "tests/test.h"
#include "tests/trust/validate/rows.h"
#include "traces/cases.h"
#include "sim/base/gz.h"

/* Bounds are what the model reached plus 15 %. That an error falls by 40 % is news as well: progress, which tightens
 * the bound, or a fault that helps by chance. */
#define MIN_OF_BOUND(most) ((most) > 0.001 ? 0.6 / 1.15 * (most) : 0)
#define CHECK_WITHIN(value, most, ...)                                                                                 \
    do {                                                                                                               \
        char what_[160];                                                                                               \
        snprintf(what_, sizeof what_, __VA_ARGS__);                                                                    \
        CHECK_MSG((value) <= (most) && (value) >= MIN_OF_BOUND(most), "%s: %.4f, expected %.4f to %.4f", what_,        \
                  (double)(value), MIN_OF_BOUND(most), (double)(most));                                                \
    } while (0)

struct validated {
    struct gsim_device_spec device;
    struct gsim_gpu_options options;
    struct gsim_case_set set;
    struct gsim_validation validation; /* points to the others */
};

static inline void validated_read(struct validated *v, const char *path)
{
    struct gsim_error error = {0};
    size_t length = 0;
    char *text = gsim_file_read(path, &length, &error);
    CHECK_MSG(text != NULL, "%s: %s", path, error.message);
    if (text) CHECK_OK(gsim_cases_parse(&v->set, path, text, length, &error), error);
    gsim_free(text);
}

/* V is zeroed before and released in any case; PATHS end with NULL. */
static inline void validated_run(struct validated *v, const char *device, const char *const *paths)
{
    struct gsim_error error = {0};
    gsim_params_set_defaults(gsim_gpu_params, &v->options);
    CHECK_OK(gsim_device_load(device, &v->device, &error), error);
    for (; *paths; paths++) validated_read(v, *paths);
    v->validation.device = &v->device;
    v->validation.gpu = &v->options;
    for (size_t i = 0; i < v->set.count; i++)
        CHECK_OK(gsim_validation_run(&v->validation, &v->set.cases[i], &error), error);
}

static inline void validated_release(struct validated *v)
{
    gsim_validation_release(&v->validation);
    gsim_case_set_release(&v->set);
    gsim_device_release(&v->device);
}
