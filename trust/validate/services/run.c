/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See trust/validate/services/run.h. */
#include "trust/validate/services/run.h"
#include "gpusim/scenario.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/gz.h"

cJSON *gsim_services_read(const char *path, struct gsim_error *error)
{
    size_t length;
    char *bytes = gsim_file_read(path, &length, error);
    if (!bytes) return NULL;
    cJSON *json = cJSON_ParseWithLength(bytes, length);
    gsim_free(bytes);
    if (!json) gsim_error_set(error, GSIM_INPUT, "expected JSON");
    return json;
}

enum gsim_status gsim_services_simulate(struct gsim_task_set *set, const struct gsim_device_spec *device,
                                        const char *share, const char *options, double measure_us,
                                        const struct gsim_task_profiles *profiles, struct gsim_timeline *timeline,
                                        struct gsim_error *error)
{
    const struct gsim_sharing_ops *ops = gsim_sharing_find(share);
    void *params = gsim_arena_alloc(&set->arena, ops->params_size + 1);
    struct gsim_simulation s = {.program = &set->all,
                                .device = device,
                                .scheduler = set->tasks[0].scheduler,
                                .tasks = set,
                                .sharing = ops,
                                .sharing_params = params,
                                .memory = GSIM_MEMORY_PINNED,
                                .seed = 1,
                                .omits_kernels = !(measure_us > 0),
                                .measure_us = measure_us,
                                .profile = profiles};
    gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
    char text[96];
    enum gsim_status status = GSIM_OK;
    if (ops->params) gsim_params_set_defaults(ops->params, params);
    snprintf(text, sizeof text, "%s", options ? options : "");
    for (char *at = text[0] ? text : NULL, *next; at && status == GSIM_OK; at = next) {
        next = strchr(at, ',');
        if (next) *next++ = '\0';
        char *equals = strchr(at, '=');
        *equals = '\0';
        status = gsim_params_set(ops->params, params, at, equals + 1, error);
    }
    if (status == GSIM_OK) status = gsim_run(&(struct gsim_scenario){.simulation = s}, timeline, error);
    timeline->program = NULL; /* goes with the set */
    return status;
}

void gsim_services_quantiles(const struct gsim_timeline *timeline, uint32_t task, bool from_arrival,
                             double quantiles[2])
{
    size_t count = 0;
    double *times = gsim_alloc(sizeof *times * (timeline->request_count + 1));
    for (size_t i = 0; i < timeline->request_count; i++) {
        const struct gsim_request_record *r = &timeline->requests[i];
        if (r->task == task) times[count++] = gsim_time_us(r->end - (from_arrival ? r->arrival : r->start));
    }
    gsl_sort(times, 1, count);
    quantiles[0] = count ? times[count / 2] : NAN;
    quantiles[1] = count ? times[count * 9 / 10] : NAN;
    gsim_free(times);
}
