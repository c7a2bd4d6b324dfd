/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. See sim/base/text.h. Locale-independent: the program never calls setlocale, so the decimal point
 * is always '.'.
 */
#include "sim/base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool gsim_text_ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* Four significant digits below 1000 of the unit. */
static void format_scaled(char text[GSIM_TEXT_SIZE], double value, const char *unit)
{
    double size = fabs(value);
    int digits = size >= 999.95 ? 0 : size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3;
    if (size < 1e15) snprintf(text, GSIM_TEXT_SIZE, "%.*f %s", digits, value, unit);
    else snprintf(text, GSIM_TEXT_SIZE, "%.3e %s", value, unit);
}

const char *gsim_text_time(char text[GSIM_TEXT_SIZE], gsim_time time)
{
    if (time != GSIM_TIME_NEVER) return gsim_text_us(text, gsim_time_us(time));
    snprintf(text, GSIM_TEXT_SIZE, "never");
    return text;
}

const char *gsim_text_us(char text[GSIM_TEXT_SIZE], double us)
{
    double size = fabs(us);
    if (isnan(us))
        snprintf(text, GSIM_TEXT_SIZE, "-");
    else if (size < 0.5e-6) /* a picosecond is the least that a run has */
        snprintf(text, GSIM_TEXT_SIZE, "0 us");
    else if (size < 0.99995)
        format_scaled(text, us * 1e3, "ns");
    else if (size < 999.95)
        format_scaled(text, us, "us");
    else if (size < 999.95e3)
        format_scaled(text, us * 1e-3, "ms");
    else
        format_scaled(text, us * 1e-6, "s");
    return text;
}

const char *gsim_text_bytes(char text[GSIM_TEXT_SIZE], double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    size_t unit = 0;
    while (bytes >= 999.95 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        bytes /= 1000;
        unit++;
    }
    if (unit == 0) snprintf(text, GSIM_TEXT_SIZE, "%.0f B", bytes);
    else format_scaled(text, bytes, units[unit]);
    return text;
}

const char *gsim_text_count(char text[GSIM_TEXT_SIZE], uint64_t count)
{
    char digits[24];
    /* 20 digits need 26 columns: beyond 10^18 the separators are left out. */
    int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
    size_t out = 0;
    for (int i = 0; i < length && out + 2 < GSIM_TEXT_SIZE; i++) {
        if (i && (length - i) % 3 == 0 && length <= 17) text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = '\0';
    return text;
}

const char *gsim_text_percent(char text[GSIM_TEXT_SIZE], double ratio)
{
    if (isnan(ratio)) snprintf(text, GSIM_TEXT_SIZE, "-");
    else snprintf(text, GSIM_TEXT_SIZE, "%.1f %%", 100 * ratio);
    return text;
}

bool gsim_text_quantity(const char *text, double *value)
{
    static const struct {
        const char *suffix;
        double factor;
    } suffixes[] = {{"", 1},    {"k", 1e3},     {"K", 1e3},        {"M", 1e6},
                    {"G", 1e9}, {"Ki", 1024.0}, {"Mi", 1048576.0}, {"Gi", 1073741824.0}};
    char *end;
    if (strspn(text, "0123456789.") == 0) return false;
    *value = strtod(text, &end);
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        if (strcmp(end, suffixes[i].suffix) != 0) continue;
        *value *= suffixes[i].factor;
        /* "0x10" is no number here, though strtod takes it. */
        return isfinite(*value) && !memchr(text, 'x', (size_t)(end - text)) && !memchr(text, 'X', (size_t)(end - text));
    }
    return false;
}

/* A time up to END, in microseconds. */
static bool read_time(const char *text, const char *end, double *us)
{
    static const struct {
        const char *unit;
        double us;
    } units[] = {{"", 1}, {"us", 1}, {"ms", 1e3}, {"s", 1e6}, {"ns", 1e-3}};
    char *behind;
    if (!isdigit((unsigned char)*text) && *text != '.') return false;
    *us = strtod(text, &behind);
    if (memchr(text, 'x', (size_t)(behind - text)) || memchr(text, 'X', (size_t)(behind - text))) return false;
    while (*behind == ' ') behind++;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        size_t length = strlen(units[i].unit);
        if (behind + length != end || strncmp(behind, units[i].unit, length) != 0) continue;
        *us *= units[i].us;
        return isfinite(*us);
    }
    return false;
}

bool gsim_text_window(const char *text, double *from_us, double *to_us)
{
    const char *colon = strchr(text, ':');
    *from_us = 0;
    *to_us = INFINITY;
    if (!colon) return false;
    const char *end = colon + strlen(colon);
    if (colon > text && !read_time(text, colon, from_us)) return false;
    if (colon + 1 < end && !read_time(colon + 1, end, to_us)) return false;
    return *from_us < *to_us;
}

static int fold(char c) { return c == '_' ? '-' : tolower((unsigned char)c); }

#define NAME_MAX_COMPARED 48

unsigned gsim_text_distance(const char *a, const char *b)
{
    size_t rows = strlen(a), columns = strlen(b);
    if (rows > NAME_MAX_COMPARED || columns > NAME_MAX_COMPARED) return UINT32_MAX;
    unsigned table[3][NAME_MAX_COMPARED + 1];
    for (size_t j = 0; j <= columns; j++) table[0][j] = (unsigned)j;
    for (size_t i = 1; i <= rows; i++) {
        unsigned *now = table[i % 3], *before = table[(i + 2) % 3], *earlier = table[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= columns; j++) {
            bool equal = fold(a[i - 1]) == fold(b[j - 1]);
            unsigned best = before[j - 1] + (equal ? 0 : 1);
            if (before[j] + 1 < best) best = before[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]) &&
                earlier[j - 2] + 1 < best)
                best = earlier[j - 2] + 1;
            now[j] = best;
        }
    }
    return table[rows % 3][columns];
}

const char *gsim_text_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool gsim_text_item(const char **list, char *item, size_t size)
{
    if (!*list) return false;
    size_t length = strcspn(*list, ",");
    snprintf(item, size, "%.*s", (int)length, *list);
    *list = (*list)[length] ? *list + length + 1 : NULL;
    return true;
}

char *gsim_text_cut(char **list)
{
    char *item = *list, *comma = item ? strchr(item, ',') : NULL;
    *list = comma ? comma + 1 : NULL;
    if (comma) *comma = '\0';
    return item;
}

size_t gsim_text_items(const char *list)
{
    size_t count = 1;
    for (; *list; list++) count += *list == ',';
    return count;
}

void gsim_nearest_init(struct gsim_nearest *nearest, const char *wanted)
{
    *nearest = (struct gsim_nearest){.wanted = wanted, .best = NULL, .distance = UINT32_MAX};
}

void gsim_nearest_offer(struct gsim_nearest *nearest, const char *name)
{
    size_t length = strlen(nearest->wanted);
    unsigned distance = gsim_text_distance(nearest->wanted, name);
    size_t same = 0;
    while (same < length && fold(name[same]) == fold(nearest->wanted[same])) same++;
    /* A longer name that begins with what was typed, whatever the case, is a good guess, if not as good as one edit. */
    if (length >= 2 && same == length && distance > 1) distance = 1;
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->best = name;
    }
}

const char *gsim_nearest_text(struct gsim_nearest *nearest)
{
    size_t length = strlen(nearest->wanted);
    /* A third of the letters may be wrong, one more when the word begins alike: beyond that it is another word. */
    unsigned allowed = length < 6 ? 1 : length < 9 ? 2 : 3;
    if (nearest->best && length >= 4 && fold(nearest->wanted[0]) == fold(nearest->best[0]) && allowed < 3) allowed++;
    nearest->text[0] = '\0';
    if (nearest->best && nearest->distance <= allowed && nearest->distance < length)
        snprintf(nearest->text, sizeof nearest->text, ", did you mean '%s'?", nearest->best);
    return nearest->text;
}

/* Unicode 15, table 3-7. */
size_t gsim_text_utf8(const char *text, size_t left)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t length = p[0] < 0x80 ? 1 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : (p[0] & 0xf0) == 0xe0 ? 3 : 0;
    if (p[0] >= 0xf0 && p[0] < 0xf5) length = 4;
    if (length == 0 || length > left) return 0;
    for (size_t i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f)) return 0; /* overlong; surrogates */
    if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)) return 0; /* overlong; above U+10FFFF */
    return length;
}

bool gsim_text_is_control(const char *text, size_t left, size_t *length)
{
    const unsigned char *p = (const unsigned char *)text;
    *length = 1;
    if (p[0] < 0x80) return p[0] < 0x20 || p[0] == 0x7f;
    size_t bytes = gsim_text_utf8(text, left);
    if (!bytes) return p[0] < 0xa0;
    *length = bytes;
    if (p[0] == 0xc2) return p[1] < 0xa0;
    if (p[0] != 0xe2) return false;
    return (p[1] == 0x80 && p[2] >= 0xa8 && p[2] <= 0xae) || (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9);
}

bool gsim_text_has_control(const char *text, size_t length)
{
    for (size_t at = 0, bytes; at < length; at += bytes) {
        bytes = 1;
        if (text[at] >= ' ' && text[at] <= '~') continue; /* nearly all */
        if (gsim_text_is_control(text + at, length - at, &bytes)) return true;
    }
    return false;
}

char *gsim_text_clean(char *text)
{
    size_t length = strlen(text), to = 0;
    for (size_t at = 0, bytes; at < length; at += bytes) {
        if (gsim_text_is_control(text + at, length - at, &bytes)) {
            text[to++] = '?';
        } else {
            memmove(text + to, text + at, bytes);
            to += bytes;
        }
    }
    text[to] = '\0';
    return text;
}

const char *gsim_text_fit(char *text, size_t size, const char *name, size_t width)
{
    size_t length = strlen(name);
    if (width >= size) width = size - 1;
    if (length <= width || width < 5) {
        snprintf(text, size, "%.*s", (int)width, name);
    } else {
        size_t tail = (width - 2) / 2, head = width - 2 - tail;
        snprintf(text, size, "%.*s..%s", (int)head, name, name + length - tail);
    }
    return gsim_text_clean(text);
}

bool gsim_text_is_utf8(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *value = getenv(variables[i]);
        if (!value || !value[0]) continue;
        for (; *value; value++) {
            if (tolower((unsigned char)value[0]) != 'u' || tolower((unsigned char)value[1]) != 't' ||
                tolower((unsigned char)value[2]) != 'f')
                continue;
            return value[3] == '8' || (value[3] == '-' && value[4] == '8');
        }
        return false;
    }
    return false;
}

unsigned gsim_text_columns(unsigned fallback)
{
    unsigned columns = fallback;
    struct winsize window;
    const char *variable = getenv("COLUMNS");
    long given = variable ? strtol(variable, NULL, 10) : 0;
    if (given > 0 && given < 10000)
        columns = (unsigned)given;
    else if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
        columns = window.ws_col;
    return columns < 40 ? 40 : columns;
}

/* Letters and digits alone, in lower case. */
static void squeeze(char *to, size_t size, const char *from, size_t length)
{
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < size; i++)
        if (isalnum((unsigned char)from[i])) to[used++] = (char)tolower((unsigned char)from[i]);
    to[used] = '\0';
}

bool gsim_text_is_gpu(const char *gpu, const char *device)
{
    char part[64];
    squeeze(part, sizeof part, device, strcspn(device, "-"));
    for (const char *start = gpu; part[0] && *start; start++) {
        const char *at = start, *wanted = part;
        for (; *wanted && *at; at++) { /* "GTX 1660 SUPER" holds gtx1660s */
            if (!isalnum((unsigned char)*at)) continue;
            if (tolower((unsigned char)*at) != *wanted) break;
            wanted++;
        }
        if (!*wanted && !isdigit((unsigned char)*at)) return true; /* an L40 is no L4 */
    }
    return false;
}
