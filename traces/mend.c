/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traces/mend.h. */
#include "traces/mend.h"

#include <stdbool.h>
#include <string.h>

static bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

static bool is_escape(const char *at, const char *end)
{
    if (at + 1 >= end || !strchr("\"\\/bfnrtu", at[1]) || !at[1]) return false;
    if (at[1] != 'u') return true;
    for (int i = 2; i < 6; i++)
        if (at + i >= end || !is_hex(at[i])) return false;
    return true;
}

/* Bytes of the UTF-8 sequence at AT; 0: none. */
static int sequence(const unsigned char *at, const unsigned char *end)
{
    int length = *at < 0x80                  ? 1
                 : *at >= 0xc2 && *at < 0xe0 ? 2
                 : *at >= 0xe0 && *at < 0xf0 ? 3
                 : *at >= 0xf0 && *at < 0xf5 ? 4
                                             : 0;
    if (at + length > end) return 0;
    for (int i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    if (length == 3 && ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] >= 0xa0))) return 0;
    if (length == 4 && ((*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] >= 0x90))) return 0;
    return length;
}

static size_t mend_word(char *at, const char *end)
{
    static const char *const words[] = {"-Infinity", "Infinity", "-NaN", "NaN", "-nan", "nan", "-inf", "inf"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(end - at) < length || memcmp(at, words[i], length) != 0) continue;
        memset(at, ' ', length);
        memcpy(at, "[]", 2);
        return length;
    }
    return 1;
}

void gsim_mend(char *text, size_t length)
{
    bool in_string = false;
    char *end = text + length;
    for (char *at = text; at < end;) {
        if (!in_string) {
            in_string = *at == '"';
            at += in_string ? 1 : mend_word(at, end);
            continue;
        }
        int bytes = sequence((const unsigned char *)at, (const unsigned char *)end);
        if (bytes == 0) {
            *at = '?';
            bytes = 1;
        } else if ((unsigned char)*at < 0x20) {
            *at = ' ';
        } else if (*at == '\\') {
            if (is_escape(at, end)) bytes = 2;
            else *at = '/';
        } else if (*at == '"') {
            in_string = false;
        }
        at += bytes;
    }
}

static size_t past_space(const char *text, size_t at, size_t length)
{
    while (at < length && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r')) at++;
    return at;
}

size_t gsim_mend_next(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '}') continue;
        size_t at = past_space(text, i + 1, length);
        if (at >= length || text[at] != ',') continue;
        at = past_space(text, at + 1, length);
        if (at >= length || text[at] != '{') continue;
        size_t quote = past_space(text, at + 1, length);
        if (quote < length && text[quote] == '"') return at;
    }
    return length;
}
