/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ask/whatif/names.h. */
#include "ask/whatif/names.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MARK 10 /* "..ac3040b0": names that are cut end so (traces/import/records/records.c) */

static bool is_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The place of the bracket that the one at END closes; NULL: there is none. */
static const char *opening(const char *name, const char *end, char open, char close)
{
    int depth = 0;
    for (const char *at = end + 1; at-- > name;) {
        depth += (*at == close) - (*at == open);
        if (!depth) return at;
    }
    return NULL;
}

/* Names may be cut: their brackets need not be closed. */
size_t gsim_name_length(const char *name)
{
    int depth = 0;
    for (const char *at = name; *at; at++) {
        bool is_own = strncmp(at, "(anonymous", 10) == 0 || (at - name >= 8 && strncmp(at - 8, "operator", 8) == 0);
        if (*at == '(' && !depth && at > name && !is_own) return (size_t)(at - name);
        if (*at == '(' && !depth && is_own) { /* of the name */
            at += strcspn(at, ")");
            if (!*at) break;
            continue;
        }
        depth += (*at == '<' || *at == '{' || *at == '(') - (*at == '>' || *at == '}' || *at == ')');
    }
    return strlen(name);
}

bool gsim_name_holds(const char *name, const char *word, bool whole)
{
    size_t length = gsim_name_length(name), wanted = strlen(word);
    for (const char *at = name; (at = strstr(at, word)) != NULL && (size_t)(at - name) + wanted <= length; at++) {
        bool begins = at == name || !is_letter(at[-1]), ends = !is_letter(at[wanted]);
        if (!whole || (begins && ends)) return true;
    }
    return false;
}

static bool is_type(const char *word, size_t length)
{
    static const char *const types[] = {
        "void",   "bool",  "char", "int",    "long",        "short",         "float",    "double",    "unsigned",
        "signed", "const", "half", "__half", "nv_bfloat16", "__nv_bfloat16", "Half",     "BFloat16",  "true",
        "false",  "std",   "at",   "c10",    "native",      "lambda",        "operator", "anonymous", "namespace"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strlen(types[i]) == length && strncmp(types[i], word, length) == 0) return true;
    return isdigit((unsigned char)*word) || length < 2;
}

/* From BEGIN, the last word before END. */
static const char *last_word(const char *begin, const char *end, size_t *length)
{
    while (end > begin && !is_letter(end[-1])) end--;
    const char *at = end;
    while (at > begin && is_letter(at[-1])) at--;
    *length = (size_t)(end - at);
    return at;
}

/* The INDEXth longest word between BEGIN and END that is no type; of equally long ones the first. */
static const char *long_word(const char *begin, const char *end, unsigned index, size_t *length)
{
    const char *best = NULL;
    size_t most = SIZE_MAX;
    const char *before = begin; /* of words as long as the last one found: those behind it */
    for (unsigned i = 0; i <= index; i++) {
        const char *found = NULL;
        *length = 0;
        for (const char *at = begin; at < end;) {
            const char *word = at;
            while (at < end && is_letter(*at)) at++;
            size_t size = (size_t)(at - word);
            bool is_left = size < most || (size == most && word > before);
            if (size > *length && is_left && !is_type(word, size)) {
                found = word;
                *length = size;
            }
            if (at < end && !size) at++;
        }
        if (!found) return NULL;
        best = before = found;
        most = *length;
    }
    return best;
}

bool gsim_name_word(const char *name, unsigned index, char *word, size_t size)
{
    const char *end = name + gsim_name_length(name), *function = end, *arguments = end;
    size_t length;
    bool is_cut = !*end && end - name > MARK && strncmp(end - MARK, "..", 2) == 0; /* the function is not known */
    if (is_cut && index) return false;
    if (is_cut) end -= MARK, arguments = name, index++;
    if (!is_cut && function > name && function[-1] == '>') { /* its template arguments */
        const char *open = opening(name, function - 1, '<', '>');
        if (open) function = open, arguments = open;
    }
    const char *own = last_word(name, function, &length);
    if (index) own = arguments < end ? long_word(arguments, end, index - 1, &length) : NULL;
    if (!own || !length) return false;
    snprintf(word, size, "%.*s", (int)length, own);
    return true;
}
