/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See cli/words/source.h. */
#include "cli/words/source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void tell_note(const char *path, unsigned line, const char *text)
{
    fprintf(stderr, "gpusim: note: %s:%u: %s\n", path, line, text);
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
                return gsim_error_set(error, GSIM_USAGE, "--arg: expected NAME=NUMBER, found '%s'", option->text);
            if (kind == GSIM_CUDA_INCLUDE && (stat(option->text, &folder) != 0 || !S_ISDIR(folder.st_mode)))
                return gsim_error_set(error, GSIM_USAGE, "-I: expected a folder, found '%s'", option->text);
            words[source->count].kind = kind;
            words[source->count].is_used = false;
            words[source->count++].text = option->text;
        }
    }
    source->words = words;
    source->note = tell_note;
    return GSIM_OK;
}

enum gsim_status gsim_cli_source_used(const struct gsim_cuda_options *source, struct gsim_error *error)
{
    for (size_t i = 0; i < source->count; i++)
        if (source->words[i].kind == GSIM_CUDA_ARG && !source->words[i].is_used)
            return gsim_error_set(error, GSIM_USAGE, "--arg %.60s: no variable of that name is set in what is executed",
                                  source->words[i].text);
    return GSIM_OK;
}
