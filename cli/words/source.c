/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See cli/words/source.h. */
#include "cli/words/source.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "source/run/run.h"
#include "traces/import/import.h"

#define LIMIT_S    10.0
#define MAX_WORDS 64

static void tell_note(const char *path, unsigned line, const char *text)
{
    fprintf(stderr, "gpusim: note: %s:%u: %s\n", path, line, text);
}

void gsim_cli_print_launches(const struct gsim_import_notes *notes)
{
    if (notes->guessed_launches)
        fprintf(stderr, "guessed: %" PRIu64 " launches, in branches, cases or loops that may not be executed\n",
                notes->guessed_launches);
    fprintf(stderr, "launches: %" PRIu64 " of %" PRIu64 " read\n", notes->read_launches, notes->launches);
}

enum gsim_status gsim_cli_source(const struct gsim_cli_arguments *arguments, struct gsim_cuda_word *words,
                                 struct gsim_cuda_options *source, struct gsim_error *error)
{
    static const enum gsim_cli_key keys[] = {[GSIM_CUDA_DEFINE] = GSIM_CLI_DEFINE,
                                             [GSIM_CUDA_ARG] = GSIM_CLI_ARG,
                                             [GSIM_CUDA_INCLUDE] = GSIM_CLI_INCLUDE,
                                             [GSIM_CUDA_ENTRY] = GSIM_CLI_ENTRY};
    for (size_t r = 0; r < arguments->repeated_count; r++) {
        const struct gsim_cli_repeated *option = &arguments->repeated[r];
        const char *value = strchr(option->text, '=');
        for (int kind = GSIM_CUDA_DEFINE; kind <= GSIM_CUDA_ENTRY; kind++) {
            char *end = NULL;
            double number = 0;
            struct stat folder;
            if (option->key != keys[kind]) continue;
            if (kind == GSIM_CUDA_ARG && value) number = strtod(value + 1, &end);
            if (kind == GSIM_CUDA_ARG &&
                (!value || value == option->text || end == value + 1 || *end || !isfinite(number)))
                return gsim_refuse(error, "--arg: expected NAME=NUMBER, found '%s'", option->text);
            if (kind == GSIM_CUDA_INCLUDE && (stat(option->text, &folder) != 0 || !S_ISDIR(folder.st_mode)))
                return gsim_refuse(error, "-I: expected a folder, found '%s'", option->text);
            words[source->count].kind = kind;
            words[source->count].is_used = false;
            words[source->count++].text = option->text;
        }
    }
    bool is_behind = false;
    for (size_t i = 0; i < arguments->operand_count; i++) {
        const char *end = strrchr(arguments->operands[i], '.');
        bool is_code = end && (!strcmp(end, ".c") || !strcmp(end, ".cu") || !strcmp(end, ".cpp"));
        if (is_behind && !is_code && (!end || strcmp(end, ".cc") != 0))
            return gsim_refuse(error, "expected other files of the program (.cu, .cpp, .cc, .c), found '%s'",
                               arguments->operands[i]);
        if (is_behind)
            words[source->count++] = (struct gsim_cuda_word){.kind = GSIM_CUDA_FILE, .text = arguments->operands[i]};
        is_behind |= end && (strcmp(end, ".cu") == 0 || strcmp(end, ".cuh") == 0);
    }
    source->words = words;
    source->note = tell_note;
    return GSIM_OK;
}

enum gsim_status gsim_cli_source_used(const struct gsim_cuda_options *source, struct gsim_error *error)
{
    for (size_t i = 0; i < source->count; i++)
        if (source->words[i].kind == GSIM_CUDA_ARG && !source->words[i].is_used)
            return gsim_refuse(error, "--arg %.60s: no variable of that name is set in what is executed",
                               source->words[i].text);
    return GSIM_OK;
}

enum gsim_status gsim_cli_source_run(const struct gsim_cli_arguments *arguments, const char *path,
                                     bool tells, struct gsim_cuda_options *source, struct gsim_cli_run *run,
                                     struct gsim_error *error)
{
    int exit_status = 0;
    const char *limit = arguments->value[GSIM_CLI_RUN_LIMIT], *given = arguments->value[GSIM_CLI_RUN_ARGS];
    char *text = gsim_arena_strdup(&run->arena, given ? given : ""), *end = NULL;
    size_t count = 0;
    run->words = GSIM_ARENA_ARRAY(&run->arena, const char *, MAX_WORDS + 2);
    run->words[count++] = path;
    while (*(text += strspn(text, " ")) && count <= MAX_WORDS) {
        size_t length = strcspn(text, " ");
        run->words[count++] = text;
        text += length;
        if (*text) *text++ = '\0';
    }
    enum gsim_status status = *text ? gsim_refuse(error, "--run: expected at most %d words", MAX_WORDS) : GSIM_OK;
    if (status == GSIM_OK) run->limit_s = limit ? strtod(limit, &end) : LIMIT_S;
    if (status == GSIM_OK && (limit && (*end || end == limit || !(run->limit_s > 0) || run->limit_s > 86400)))
        status = gsim_refuse(error, "--run-limit: expected seconds, found '%s'", limit);
    if (status != GSIM_OK || !tells || !arguments->value[GSIM_CLI_RUN_ARGS]) return status;
    status = gsim_run_tell(path, source, run->words, run->limit_s, &run->told, &exit_status, error);
    if (status == GSIM_OK && exit_status)
        fprintf(stderr, "gpusim: note: %s, run: it ended with status %d\n", path, exit_status);
    source->told = &run->told;
    return status;
}

void gsim_cli_run_release(struct gsim_cli_run *run)
{
    gsim_cuda_told_release(&run->told);
    gsim_arena_release(&run->arena);
}
