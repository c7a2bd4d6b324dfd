/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). Names of schedulers, workloads and sizes on the command line, and what is said of unknown
 * ones. */
#include "cli/cli.h"
#include "sim/base/text.h"

enum gsim_status gsim_cli_scheduler(const char *text, const struct gsim_scheduler_ops **ops, struct gsim_error *error)
{
    bool is_plan = strncmp(text, GSIM_CLI_PLAN_SCHED, strlen(GSIM_CLI_PLAN_SCHED)) == 0;
    if (!is_plan && (strchr(text, '/') || gsim_cli_is_shared_object(text)))
        return gsim_scheduler_load(text, ops, error);
    *ops = is_plan ? &gsim_scheduler_plan : gsim_scheduler_find(text);
    if (*ops) return GSIM_OK;
    struct gsim_nearest nearest;
    if (strchr(text, ',') || strcmp(text, "all") == 0)
        return gsim_refuse(error, "--sched: expected one scheduler, found '%.60s' (gpusim compare and gpusim "
                              "sweep take several)",
                              text);
    gsim_nearest_init(&nearest, text);
    for (uint32_t i = 0; gsim_scheduler_at(i); i++) gsim_nearest_offer(&nearest, gsim_scheduler_at(i)->name);
    return gsim_refuse(error, "unknown scheduler '%.60s'%s (see gpusim list schedulers)", text,
                          gsim_nearest_text(&nearest));
}

enum gsim_status gsim_cli_need_program(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    if (!arguments->value[GSIM_CLI_WORKLOAD])
        return gsim_refuse(error, "no program: expected --workload NAME|FILE (see gpusim list workloads)");
    if (arguments->value[GSIM_CLI_SCHED]) return GSIM_OK;
    return gsim_refuse(error, "no scheduler: expected --sched NAME (see gpusim list schedulers)");
}

enum gsim_status gsim_cli_device_number(enum gsim_cli_key key, const char *name, enum gsim_device_number *number,
                                        struct gsim_error *error)
{
    struct gsim_nearest nearest;
    *number = gsim_device_number_find(name);
    if (*number < GSIM_DEVICE_NUMBER_COUNT) return GSIM_OK;
    gsim_nearest_init(&nearest, name);
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++)
        gsim_nearest_offer(&nearest, gsim_device_number_name((enum gsim_device_number)i));
    return gsim_refuse(error, "--%s: unknown number '%s'%s (see gpusim list devices --long)",
                          gsim_cli_option_at(key)->name, name, gsim_nearest_text(&nearest));
}

enum gsim_status gsim_cli_unknown_workload(const char *text, struct gsim_error *error)
{
    struct gsim_nearest nearest;
    if (strchr(text, ',') || strcmp(text, "all") == 0)
        return gsim_refuse(error, "--workload: expected one program, found '%.60s' (gpusim compare and gpusim "
                              "sweep take several, or all)",
                              text);
    gsim_nearest_init(&nearest, text);
    for (uint32_t i = 0; gsim_workload_at(i); i++) gsim_nearest_offer(&nearest, gsim_workload_at(i)->name);
    for (uint32_t i = 0; gsim_generator_at(i); i++) gsim_nearest_offer(&nearest, gsim_generator_at(i)->name);
    for (uint32_t i = 0; gsim_source_at(i); i++) gsim_nearest_offer(&nearest, gsim_source_at(i)->name);
    for (uint32_t i = 0; gsim_service_at(i); i++) gsim_nearest_offer(&nearest, gsim_service_at(i)->name);
    return gsim_refuse(error, "unknown workload '%.60s': expected a name of gpusim list workloads or a "
                          "program file%s",
                          text, gsim_nearest_text(&nearest));
}

/* --size as a number, or as a preset of the workload, which also says the suite and the launch shape where
 * --suite, --blocks and --block1d do not. */
enum gsim_status gsim_cli_size(const struct gsim_cli_setup *setup, const struct gsim_workload_ops *workload,
                                    struct gsim_workload_options *options, struct gsim_error *error)
{
    const char *text = setup->arguments->value[GSIM_CLI_SIZE];
    struct gsim_nearest nearest;
    options->suite = setup->suite;
    options->size = 0;
    if (!text) return GSIM_OK;
    gsim_nearest_init(&nearest, text);
    for (const struct gsim_workload_preset *preset = workload->presets; preset && preset->name; preset++) {
        gsim_nearest_offer(&nearest, preset->name);
        if (strcmp(preset->name, text) != 0) continue;
        if (setup->arguments->value[GSIM_CLI_SUITE] && preset->suite != setup->suite)
            return gsim_refuse(error, "--size %s: this preset belongs to the other suite than --suite %s", text,
                                  setup->arguments->value[GSIM_CLI_SUITE]);
        options->suite = preset->suite;
        options->size = preset->size;
        if (!options->blocks) options->blocks = preset->blocks;
        if (!options->block1d) options->block1d = preset->block1d;
        return GSIM_OK;
    }
    if (strchr(text, ','))
        return gsim_refuse(error, "--size: expected one size, found '%.60s' (several: gpusim sweep --vary size=%.60s)",
                              text, text);
    if (!gsim_text_quantity(text, &options->size))
        return gsim_refuse(error, "--size: expected a number such as 1e6 or 4k, or a preset of %s, found "
                              "'%.60s'%s",
                              workload->name, text, gsim_nearest_text(&nearest));
    if (options->size < 1)
        return gsim_refuse(error, "--size: expected at least 1 (%s), found '%.60s'",
                              workload->size_meaning, text);
    return GSIM_OK;
}
