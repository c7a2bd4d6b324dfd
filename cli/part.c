/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which part of a profiler's trace: --gpu, --rank, --range, --time, --step, --between.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/traces.h"
#include "gpusim/limits.h"

/* An index, or OTHERWISE where nothing stands before END. */
static bool parse_index(const char *text, const char *end, uint32_t otherwise, uint32_t *index)
{
    uint64_t value = 0;
    *index = otherwise;
    if (text == end) return true;
    for (; text < end; text++) {
        if (!isdigit((unsigned char)*text)) return false;
        value = value * 10 + (uint64_t)(*text - '0');
        if (value >= UINT32_MAX) return false;
    }
    *index = (uint32_t)value;
    return true;
}

static enum gsim_status parse_range(const char *range, struct gsim_import_options *options, struct gsim_error *error)
{
    const char *colon = strchr(range, ':');
    if (colon && parse_index(range, colon, 0, &options->first) &&
        parse_index(colon + 1, colon + 1 + strlen(colon + 1), UINT32_MAX, &options->last) &&
        options->first <= options->last)
        return GSIM_OK;
    return gsim_error_set(error, GSIM_USAGE, "--range: expected FIRST:LAST, two numbers in ascending order, found '%s'",
                          range);
}

/* Microseconds, or OTHERWISE where nothing stands before END. */
static bool parse_us(const char *text, const char *end, double otherwise, double *us)
{
    char *behind;
    *us = otherwise;
    if (text == end) return true;
    if (!isdigit((unsigned char)*text)) return false;
    *us = strtod(text, &behind);
    return behind == end && *us <= GSIM_LIMIT_US;
}

static enum gsim_status parse_time(const char *time, struct gsim_import_part *part, struct gsim_error *error)
{
    const char *colon = strchr(time, ':');
    part->has_time = true;
    if (colon && parse_us(time, colon, 0, &part->from_us) &&
        parse_us(colon + 1, colon + 1 + strlen(colon + 1), GSIM_LIMIT_US, &part->to_us) && part->from_us < part->to_us)
        return GSIM_OK;
    return gsim_error_set(error, GSIM_USAGE, "--time: expected FROM:TO, microseconds in ascending order, found '%s'", time);
}

static enum gsim_status parse_number(const char *option, const char *text, bool *has, uint32_t *number, struct gsim_error *error)
{
    *has = text != NULL;
    if (!text || (*text && parse_index(text, text + strlen(text), 0, number))) return GSIM_OK;
    return gsim_error_set(error, GSIM_USAGE, "--%s: expected a whole number, found '%s'", option, text);
}

enum gsim_status gsim_cli_part(const struct gsim_cli_arguments *arguments, struct gsim_import_options *options, struct gsim_error *error)
{
    static const enum gsim_cli_key keys[] = {GSIM_CLI_RANGE, GSIM_CLI_TIME, GSIM_CLI_STEP, GSIM_CLI_BETWEEN};
    const char *const *value = arguments->value;
    struct gsim_import_part *part = &options->part;
    int given = 0;
    options->first = 0;
    options->last = UINT32_MAX;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) given += value[keys[i]] != NULL;
    if (given > 1) return gsim_error_set(error, GSIM_USAGE, "expected one of --range, --time, --step and --between, found %d", given);
    part->rank = value[GSIM_CLI_RANK];
    part->between = value[GSIM_CLI_BETWEEN];
    enum gsim_status status = parse_number("gpu", value[GSIM_CLI_GPU], &part->has_gpu, &part->gpu, error);
    if (status == GSIM_OK) status = parse_number("step", value[GSIM_CLI_STEP], &part->has_step, &part->step, error);
    if (status == GSIM_OK && value[GSIM_CLI_RANGE]) status = parse_range(value[GSIM_CLI_RANGE], options, error);
    if (status == GSIM_OK && value[GSIM_CLI_TIME]) status = parse_time(value[GSIM_CLI_TIME], part, error);
    return status;
}
