/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim schedule": a CUDA source is told by its name's end. */
#include "cli/schedule/schedule.h"

#include "cli/whatif/subject.h"

static enum gsim_status schedule(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    const char *path = arguments->operand_count ? arguments->operands[0] : "", *end = strrchr(path, '.');
    bool is_source = end && (strcmp(end, ".cu") == 0 || strcmp(end, ".cuh") == 0);
    if (!is_source && arguments->operand_count != 1)
        return gsim_error_set(error, GSIM_USAGE,
                              "nothing to schedule: expected gpusim schedule FILE.cu [FILE...]|TRACE|PROGRAM|WORKLOAD");
    if (is_source) {
        enum gsim_status status = gsim_cli_check_used(arguments, GSIM_CLI_OF_CUDA, error);
        return status == GSIM_OK ? gsim_cli_schedule_source(arguments, error) : status;
    }
    return gsim_cli_schedule_trace(arguments, error);
}

int gsim_cli_schedule(const struct gsim_cli_arguments *arguments)
{
    struct gsim_error error = {0};
    return schedule(arguments, &error) == GSIM_OK ? 0 : gsim_cli_fail(&error);
}
