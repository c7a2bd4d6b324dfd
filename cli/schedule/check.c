/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim schedule --check": the source and what was written are run on the CPU in many
 * orders. */
#include <inttypes.h>
#include <math.h>

#include "cli/schedule/schedule.h"
#include "sim/program/file.h"
#include "source/run/check.h"

#define ORDERS     24
#define LIMIT_S    10.0
#define MOST_WORDS 64

static enum gsim_status read_words(const struct gsim_cli_arguments *arguments, const char *path,
                                   struct gsim_arena *arena, const char ***words, double *limit_s,
                                   struct gsim_error *error)
{
    const char *limit = arguments->value[GSIM_CLI_RUN_LIMIT], *given = arguments->value[GSIM_CLI_RUN_ARGS];
    char *text = gsim_arena_strdup(arena, given ? given : ""), *end = NULL;
    size_t count = 0;
    *words = GSIM_ARENA_ARRAY(arena, const char *, MOST_WORDS + 2);
    if (!text || !*words) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    (*words)[count++] = path;
    while (*(text += strspn(text, " ")) && count <= MOST_WORDS) {
        size_t length = strcspn(text, " ");
        (*words)[count++] = text;
        text += length;
        if (*text) *text++ = '\0';
    }
    if (*text) return gsim_error_set(error, GSIM_USAGE, "--run: expected at most %d words", MOST_WORDS);
    *limit_s = limit ? strtod(limit, &end) : LIMIT_S;
    if (limit && (*end || end == limit || !(*limit_s > 0) || *limit_s > 86400))
        return gsim_error_set(error, GSIM_USAGE, "--run-limit: expected seconds, found '%s'", limit);
    return GSIM_OK;
}

enum gsim_status gsim_cli_schedule_check(const struct gsim_cli_arguments *arguments, const char *path,
                                         const struct gsim_cuda_options *options, const char *written, size_t length,
                                         struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct gsim_run_verdict *verdict = GSIM_ARENA_NEW(&arena, struct gsim_run_verdict);
    struct gsim_run_check check = {
        .path = path, .options = options, .orders = ORDERS, .written = written, .written_length = length};
    const char **words = NULL;
    char *source = gsim_file_read(path, &check.source_length, error);
    enum gsim_status status = source ? GSIM_OK : error->status;
    check.source = source;
    if (status == GSIM_OK && !verdict) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (status == GSIM_OK) status = read_words(arguments, path, &arena, &words, &check.limit_s, error);
    check.words = words;
    if (status == GSIM_OK) status = gsim_run_check(&check, verdict, error);
    if (status == GSIM_OK && !verdict->is_right) {
        fputs(verdict->text, stderr);
        status = gsim_error_set(error, GSIM_INPUT, "%s: %s", path,
                                written ? "what was written is not the same program; nothing is written"
                                        : "its streams are not ordered as its data needs");
    }
    if (status == GSIM_OK)
        fprintf(stderr,
                "checked: %" PRIu32 " kernels in %" PRIu32 " orders: no race, all %" PRIu32
                " copies to the host and what it reads itself are the source's\n",
                verdict->kernels, verdict->orders, verdict->seen);
    gsim_free(source);
    gsim_arena_release(&arena);
    return status;
}
