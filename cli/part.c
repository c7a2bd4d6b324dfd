/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which part of a profiler's trace: --gpu, --rank, --range, --time, --step, --steps, --between; and stretches of time
 * in general.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/traces.h"
#include "gpusim/limits.h"
#include "sim/base/text.h"

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

enum gsim_status gsim_cli_window(enum gsim_cli_key key, const char *text, double *from_us, double *to_us,
                                 struct gsim_error *error)
{
    if (gsim_text_window(text, from_us, to_us) && *from_us <= GSIM_LIMIT_US) return GSIM_OK;
    return gsim_refuse(error,
                       "--%s: expected FROM:TO, two times such as 250us, 1.5ms or 2s in ascending order (us without a "
                       "unit), found '%.60s'",
                       gsim_cli_option_at(key)->name, text);
}

enum gsim_status gsim_cli_trace_window(const struct gsim_cli_arguments *arguments, gsim_time *from, gsim_time *until,
                                       struct gsim_error *error)
{
    const char *text = arguments->value[GSIM_CLI_TRACE_WINDOW];
    double from_us, until_us;
    *from = *until = 0;
    if (!text) return GSIM_OK;
    enum gsim_status status = gsim_cli_window(GSIM_CLI_TRACE_WINDOW, text, &from_us, &until_us, error);
    if (status != GSIM_OK) return status;
    *from = gsim_time_from_us(from_us);
    *until = gsim_time_from_us(fmin(until_us, GSIM_LIMIT_US));
    if (*from >= *until) return gsim_refuse(error, "--trace-window: nothing lasts from %s", text);
    return GSIM_OK;
}

static enum gsim_status parse_number(const char *option, const char *text, bool *has, uint32_t *number,
                                     struct gsim_error *error)
{
    *has = text != NULL;
    if (!text || (*text && parse_index(text, text + strlen(text), 0, number))) return GSIM_OK;
    return gsim_refuse(error, "--%s: expected a whole number, found '%s'", option, text);
}

static enum gsim_status parse_steps(const char *text, struct gsim_import_part *part, struct gsim_error *error)
{
    const char *colon = strchr(text, ':');
    part->has_step = true;
    if (colon && parse_index(text, colon, 0, &part->step) &&
        parse_index(colon + 1, colon + strlen(colon), UINT32_MAX, &part->last_step) && part->step <= part->last_step)
        return GSIM_OK;
    return gsim_refuse(error, "--steps: expected FROM:TO, two numbers in ascending order, found '%s'", text);
}

enum gsim_status gsim_cli_part(const struct gsim_cli_arguments *arguments, struct gsim_import_options *options,
                               struct gsim_error *error)
{
    static const enum gsim_cli_key keys[] = {GSIM_CLI_RANGE, GSIM_CLI_TIME,    GSIM_CLI_STEP,
                                             GSIM_CLI_STEPS, GSIM_CLI_BETWEEN, GSIM_CLI_WHOLE};
    const char *const *value = arguments->value;
    struct gsim_import_part *part = &options->part;
    int given = 0;
    options->first = 0;
    options->last = UINT32_MAX;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) given += value[keys[i]] != NULL;
    if (given > 1)
        return gsim_refuse(error, "expected one of --range, --time, --step, --steps, --between and --whole, found %d",
                           given);
    part->rank = value[GSIM_CLI_RANK];
    part->between = value[GSIM_CLI_BETWEEN];
    enum gsim_status status = parse_number("gpu", value[GSIM_CLI_GPU], &part->has_gpu, &part->gpu, error);
    if (status == GSIM_OK) status = parse_number("step", value[GSIM_CLI_STEP], &part->has_step, &part->step, error);
    part->last_step = part->step;
    part->takes_typical = (GSIM_CLI_ON_SUBJECT >> arguments->command & 1) && !given;
    if (status == GSIM_OK && value[GSIM_CLI_STEPS]) status = parse_steps(value[GSIM_CLI_STEPS], part, error);
    if (status == GSIM_OK && value[GSIM_CLI_RANGE]) {
        const char *range = value[GSIM_CLI_RANGE];
        const char *colon = strchr(range, ':');
        if (!(colon && parse_index(range, colon, 0, &options->first) &&
              parse_index(colon + 1, colon + 1 + strlen(colon + 1), UINT32_MAX, &options->last) &&
              options->first <= options->last))
            status =
                gsim_refuse(error, "--range: expected FIRST:LAST, two numbers in ascending order, found '%s'", range);
    }
    part->has_time = value[GSIM_CLI_TIME] != NULL;
    if (status == GSIM_OK && part->has_time)
        status = gsim_cli_window(GSIM_CLI_TIME, value[GSIM_CLI_TIME], &part->from_us, &part->to_us, error);
    if (part->to_us > GSIM_LIMIT_US) part->to_us = GSIM_LIMIT_US;
    return status;
}
