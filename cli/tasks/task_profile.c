/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). --measure and --profile: the measurement stage that policies' profiles come from. */
#include "cli/tasks/tasks.h"
#include "sim/base/text.h"

#include <string.h>

#define MEASURE_US 30 /* of host time a launch: ours, the papers only say that it is much */

enum gsim_status gsim_cli_tasks_measure(struct gsim_cli_tasks *t, struct gsim_error *error)
{
    enum gsim_status status = gsim_task_profiles_init(&t->profiles, t->count, error);
    if (status == GSIM_OK) status = gsim_cli_tasks_alone(t, error);
    for (uint32_t i = 0; i < t->count && status == GSIM_OK; i++) {
        struct gsim_timeline timeline = {0};
        struct gsim_task_stats stats;
        status = gsim_cli_task_alone(t, i, MEASURE_US, &timeline, &stats, error);
        if (status == GSIM_OK) status = gsim_task_profile_make(&t->profiles, &t->set, i, &timeline, MEASURE_US, error);
        gsim_timeline_release(&timeline);
        t->profiles.tasks[i].request_us = t->alone[i].alone_us;
        t->profiles.tasks[i].measured_us = stats.mean_us;
    }
    return status;
}

enum gsim_status gsim_cli_tasks_profile(struct gsim_cli_tasks *t, struct gsim_error *error)
{
    const char *from = t->setup->arguments->value[GSIM_CLI_PROFILE], *to = t->setup->arguments->value[GSIM_CLI_MEASURE];
    enum gsim_status status = GSIM_OK;
    if (from && to) return gsim_error_set(error, GSIM_USAGE, "--profile and --measure: expected one of them");
    if (!to && (!from || strcmp(from, "measure") != 0))
        return from ? gsim_task_profiles_read(&t->profiles, &t->set, from, error) : GSIM_OK;
    status = gsim_cli_tasks_measure(t, error);
    for (uint32_t i = 0; i < t->count && status == GSIM_OK; i++) {
        double with = t->profiles.tasks[i].measured_us, without = t->profiles.tasks[i].request_us;
        char a[GSIM_TEXT_SIZE], b[GSIM_TEXT_SIZE];
        fprintf(stderr, "gpusim: measured %s: a request took %s, %s without measuring (%.2fx)\n", t->tasks[i].name,
                gsim_text_us(a, with), gsim_text_us(b, without),
                with / without);
    }
    return status == GSIM_OK && to ? gsim_task_profiles_write(&t->profiles, t->setup->device.name, to, error) : status;
}
