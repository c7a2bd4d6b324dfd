/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). Options whose value is an integer or one of a few words.
 */
#include <math.h>
#include <unistd.h>

#include "cli/cli.h"
#include "sim/base/jobs/pool.h"
#include "sim/base/text.h"
#include "sim/spread.h"

enum gsim_status gsim_cli_integer(const struct gsim_cli_arguments *arguments, enum gsim_cli_key key, double least,
                                  double most, double *value, struct gsim_error *error)
{
    const char *text = arguments->value[key];
    if (!text) return GSIM_OK;
    if (gsim_text_quantity(text, value) && *value >= least && *value <= most && *value == floor(*value)) return GSIM_OK;
    return gsim_refuse(error, "--%s: expected an integer from %.0f to %.0f, found '%s'", gsim_cli_option_at(key)->name,
                       least, most, text);
}

enum gsim_status gsim_cli_count(const struct gsim_cli_arguments *arguments, enum gsim_cli_key key, double least,
                                double most, uint32_t initial, uint32_t *value, struct gsim_error *error)
{
    double number = initial;
    enum gsim_status status = gsim_cli_integer(arguments, key, least, most, &number, error);
    if (status == GSIM_OK) *value = gsim_whole_u32(number);
    return status;
}

enum gsim_status gsim_cli_jobs(const struct gsim_cli_arguments *arguments, uint32_t initial, uint32_t *jobs,
                               struct gsim_error *error)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *jobs = initial ? initial : cores < 1 ? 1 : cores > GSIM_JOBS_MAX ? GSIM_JOBS_MAX : (uint32_t)cores;
    return gsim_cli_count(arguments, GSIM_CLI_JOBS, 1, GSIM_JOBS_MAX, *jobs, jobs, error);
}

enum gsim_status gsim_cli_spread_runs(const struct gsim_cli_arguments *arguments, uint32_t *runs,
                                      struct gsim_error *error)
{
    return gsim_cli_count(arguments, GSIM_CLI_SPREAD_RUNS, 1, GSIM_LIMIT_SPREAD, 0, runs, error);
}

enum gsim_status gsim_cli_trace_sms(const struct gsim_cli_arguments *arguments, uint32_t *sm_count,
                                    struct gsim_error *error)
{
    const char *text = arguments->value[GSIM_CLI_TRACE_SMS];
    *sm_count = GSIM_BLOCK_SMS;
    if (text && strcmp(text, "all") == 0) return GSIM_OK;
    enum gsim_status status = gsim_cli_count(arguments, GSIM_CLI_TRACE_SMS, 1, GSIM_BLOCK_SMS, 0, sm_count, error);
    return status == GSIM_OK ? status
                             : gsim_refuse(error, "--trace-sms: expected all or an integer from 1 to %d, found '%s'",
                                           GSIM_BLOCK_SMS, text);
}

enum gsim_status gsim_cli_choice(const struct gsim_cli_arguments *arguments, enum gsim_cli_key key, int initial,
                                 int *value, struct gsim_error *error)
{
    const struct gsim_cli_option *option = gsim_cli_option_at(key);
    const char *text = arguments->value[key];
    *value = initial;
    if (!text) return GSIM_OK;
    struct gsim_nearest nearest;
    char words[4][16], all[80] = "";
    size_t count = 0, length;
    gsim_nearest_init(&nearest, text);
    for (const char *at = option->metavar; *at; at += length + (at[length] == '|'), count++) {
        GSIM_INVARIANT(count < sizeof words / sizeof *words);
        length = strcspn(at, "|");
        snprintf(words[count], sizeof words[count], "%.*s", (int)length, at);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", !count ? "" : at[length] ? ", " : " or ",
                 words[count]);
        if (strcmp(words[count], text) == 0) {
            *value = (int)count;
            return GSIM_OK;
        }
        gsim_nearest_offer(&nearest, words[count]);
    }
    return gsim_refuse(error, "--%s: expected %s, found '%.60s'%s", option->name, all, text,
                       gsim_nearest_text(&nearest));
}
