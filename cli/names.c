/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim (program). Names of schedulers and workloads on the command line, and what is said of unknown ones. */
#include "cli/cli.h"
#include "sim/base/text.h"

enum gsim_status gsim_cli_scheduler(const char *text, const struct gsim_scheduler_ops **ops, struct gsim_error *error)
{
    size_t length = strlen(text);
    if (strchr(text, '/') || (length > 3 && strcmp(text + length - 3, ".so") == 0))
        return gsim_scheduler_load(text, ops, error);
    *ops = gsim_scheduler_find(text);
    if (*ops) return GSIM_OK;
    struct gsim_nearest nearest;
    char hint[96];
    if (strchr(text, ',') || strcmp(text, "all") == 0)
        return gsim_error_set(error, GSIM_USAGE, "--sched: expected one scheduler, found '%.60s' (gpusim compare and gpusim "
                                                 "sweep take several)", text);
    gsim_nearest_init(&nearest, text);
    for (uint32_t i = 0; gsim_scheduler_at(i); i++) gsim_nearest_offer(&nearest, gsim_scheduler_at(i)->name);
    return gsim_error_set(error, GSIM_USAGE, "unknown scheduler '%.60s'%s (see gpusim list schedulers)", text,
                          gsim_nearest_text(&nearest, hint, sizeof(hint)));
}

enum gsim_status gsim_cli_unknown_workload(const char *text, struct gsim_error *error)
{
    struct gsim_nearest nearest;
    char hint[96];
    if (strchr(text, ',') || strcmp(text, "all") == 0)
        return gsim_error_set(error, GSIM_USAGE, "--workload: expected one program, found '%.60s' (gpusim compare and gpusim "
                                                 "sweep take several, or all)", text);
    gsim_nearest_init(&nearest, text);
    for (uint32_t i = 0; gsim_workload_at(i); i++) gsim_nearest_offer(&nearest, gsim_workload_at(i)->name);
    for (uint32_t i = 0; gsim_generator_at(i); i++) gsim_nearest_offer(&nearest, gsim_generator_at(i)->name);
    for (uint32_t i = 0; gsim_source_at(i); i++) gsim_nearest_offer(&nearest, gsim_source_at(i)->name);
    return gsim_error_set(error, GSIM_USAGE,
                          "unknown workload '%.60s': expected a name of gpusim list workloads or a "
                          "program file%s",
                          text, gsim_nearest_text(&nearest, hint, sizeof(hint)));
}
