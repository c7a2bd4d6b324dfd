/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source/write/check.h. */
#include "source/write/check.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* What stands around a call from the begin of its statement on: NAME(cudaCall(...)). */
static size_t name_around(const struct gsim_cuda_log *log, const struct gsim_cuda_site *site, const char **name)
{
    size_t at = site->begin, end;
    if (site->begin == GSIM_CUDA_NONE || site->begin > log->length || site->from > site->begin || !site->name[0])
        return 0; /* of a launch that a macro makes, its argument */
    while (at > site->from && isspace((unsigned char)log->text[at - 1])) at--;
    if (at == site->from || log->text[at - 1] != '(') return 0;
    for (end = --at; at > site->from && is_word(log->text[at - 1]);) at--;
    *name = log->text + at;
    return at == site->from && end - at <= GSIM_CHECK_NAME ? end - at : 0;
}

static const char *find_word(const struct gsim_cuda_log *log, const char *name, size_t from)
{
    size_t length = strlen(name);
    for (size_t at = from; at + length < log->length; at++)
        if (strncmp(log->text + at, name, length) == 0 && !is_word(log->text[at + length]) &&
            (!at || !is_word(log->text[at - 1])))
            return log->text + at;
    return NULL;
}

/* A macro that leaves the function cannot stand in any function. */
static bool jumps(const struct gsim_cuda_log *log, const char *word)
{
    const char *end = log->text + log->length, *begin = word;
    while (begin > log->text && isspace((unsigned char)begin[-1]) && begin[-1] != '\n') begin--;
    if (begin - log->text < 6 || strncmp(begin - 6, "define", 6) != 0) return false;
    for (; word < end && (*word != '\n' || word[-1] == '\\'); word++)
        if ((end - word > 6 && strncmp(word, "return", 6) == 0) || (end - word > 4 && strncmp(word, "goto", 4) == 0))
            return true;
    return false;
}

void gsim_check_find(struct gsim_check *check, const struct gsim_cuda_log *log)
{
    uint32_t best = 0, calls = 0;
    *check = (struct gsim_check){.from = SIZE_MAX};
    for (size_t s = 0; s < log->site_count; s++) {
        const char *name, *other;
        uint32_t count = 0;
        calls += strncmp(log->sites[s].name, "cuda", 4) == 0;
        size_t length = name_around(log, &log->sites[s], &name);
        if (!length) continue;
        for (size_t o = 0; o < log->site_count; o++)
            count += name_around(log, &log->sites[o], &other) == length && strncmp(name, other, length) == 0;
        if (count <= best) continue;
        best = count;
        snprintf(check->name, sizeof check->name, "%.*s", (int)length, name);
    }
    const char *word = best * 2 >= calls && best > 1 ? find_word(log, check->name, 0) : NULL;
    if (!word || jumps(log, word)) check->name[0] = '\0';
    else check->from = (size_t)(word - log->text);
}

/* The end of a statement that is a call of CUDA; NULL: none begins there, or it is no use to check it. */
static const char *end_of_call(const char *text)
{
    size_t name = 0;
    int depth = 0;
    if (strncmp(text, "cuda", 4) != 0 || !isupper((unsigned char)text[4])) return NULL;
    while (is_word(text[name])) name++;
    if (name < 7) return NULL;
    if (text[name] != '(' || strncmp(text + name - 7, "Destroy", 7) == 0 || strncmp(text, "cudaGetLast", 11) == 0)
        return NULL;
    for (text += name; *text; text++) {
        depth += *text == '(' ? 1 : *text == ')' ? -1 : 0;
        if (*text == ')' && depth == 0) return text[1] == ';' ? text + 1 : NULL;
    }
    return NULL;
}

void gsim_check_write(const struct gsim_check *check, size_t at, const char *text, struct gsim_output *out)
{
    char before = ';';
    for (const char *end; *text; text++) {
        end = check->name[0] && at > check->from && strchr("{};)", before) ? end_of_call(text) : NULL;
        if (end) {
            gsim_output_printf(out, "%s(%.*s)", check->name, (int)(end - text), text);
            before = ')';
            text = end - 1;
            continue;
        }
        gsim_output_bytes(out, text, 1);
        if (!isspace((unsigned char)*text)) before = *text;
    }
}
