/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim schedule": a CUDA source is told by its name's end. */
#include "cli/schedule/schedule.h"

#include "cli/whatif/subject.h"

static const enum gsim_cli_key of_sources[] = {GSIM_CLI_DEFINE,   GSIM_CLI_ARG,  GSIM_CLI_INCLUDE, GSIM_CLI_ENTRY,
                                               GSIM_CLI_AS_GRAPH, GSIM_CLI_DIFF, GSIM_CLI_PLAN, GSIM_CLI_CHECK,
                                               GSIM_CLI_ALWAYS,   GSIM_CLI_RUN_ARGS, GSIM_CLI_RUN_LIMIT};
static const enum gsim_cli_key of_traces[] = {GSIM_CLI_STREAMS, GSIM_CLI_CUDA_GRAPH, GSIM_CLI_PYTHON,
                                              GSIM_CLI_SPREAD_RUNS};

static enum gsim_status refuse(const struct gsim_cli_arguments *arguments, const enum gsim_cli_key *keys, size_t count,
                               const char *what, struct gsim_error *error)
{
    for (size_t i = 0; i < count; i++) {
        bool is_given = arguments->value[keys[i]];
        for (size_t r = 0; r < arguments->repeated_count; r++) is_given |= arguments->repeated[r].key == keys[i];
        if (is_given)
            return gsim_error_set(error, GSIM_USAGE, "--%s: applies to %s, '%.200s' is none",
                                  gsim_cli_option_at(keys[i])->name, what, arguments->operands[0]);
    }
    return GSIM_OK;
}

static enum gsim_status schedule(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    if (arguments->operand_count != 1)
        return gsim_error_set(error, GSIM_USAGE,
                              "nothing to schedule: expected gpusim schedule FILE.cu|TRACE|PROGRAM|WORKLOAD");
    const char *path = arguments->operands[0], *end = strrchr(path, '.');
    if (end && (strcmp(end, ".cu") == 0 || strcmp(end, ".cuh") == 0)) {
        enum gsim_status status =
            refuse(arguments, of_traces, sizeof of_traces / sizeof of_traces[0], "traces and programs", error);
        return status == GSIM_OK ? gsim_cli_schedule_source(arguments, error) : status;
    }
    enum gsim_status status =
        refuse(arguments, of_sources, sizeof of_sources / sizeof of_sources[0], "CUDA sources", error);
    return status == GSIM_OK ? gsim_cli_schedule_trace(arguments, error) : status;
}

int gsim_cli_schedule(const struct gsim_cli_arguments *arguments)
{
    struct gsim_error error = {0};
    return schedule(arguments, &error) == GSIM_OK ? 0 : gsim_cli_fail(&error);
}
