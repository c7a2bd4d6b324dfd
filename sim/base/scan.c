/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JSON text read in place (RFC 8259). The check walks the text once with an explicit stack, so deep nesting needs no
 * recursion. The walk relies on the check, since nothing writes to the text. Numbers are exact, by strtod() only where
 * needed.
 */
#include "sim/base/scan.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"

struct check {
    const char *text, *at, *end;
    struct gsim_error *error;
    const char *inner;          /* the list or object in the outermost one that is open or was open last */
    struct gsim_scan_jump jump; /* over the longest of them */
};

static bool is_space(char c) { return (unsigned char)c <= ' ' && (c == ' ' || c == '\n' || c == '\t' || c == '\r'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A message for the character at C->AT. */
static bool fail(struct check *c, const char *expected)
{
    size_t line = 1;
    const char *line_start = c->text;
    for (const char *p = c->text; p < c->at; p++)
        if (*p == '\n') {
            line++;
            line_start = p + 1;
        }
    char found[32];
    unsigned char byte = c->at < c->end ? (unsigned char)*c->at : 0;
    if (c->at >= c->end)
        snprintf(found, sizeof(found), "the end of the file");
    else if (byte < 0x20 || byte >= 0x7f)
        snprintf(found, sizeof(found), "the byte 0x%02x", byte);
    else
        snprintf(found, sizeof(found), "'%c'", byte);
    gsim_error_set(c->error, GSIM_INPUT, "line %zu, column %zu: expected %s, found %s", line,
                   (size_t)(c->at - line_start) + 1, expected, found);
    return false;
}

static bool check_escape(struct check *c)
{
    char kind = *c->at;
    if (!kind || !strchr("\"\\/bfnrtu", kind)) return fail(c, "an escape character");
    c->at++;
    if (kind != 'u') return true;
    for (int i = 0; i < 4; i++, c->at++)
        if (!isxdigit((unsigned char)*c->at)) return fail(c, "a hexadecimal digit");
    return true;
}

/* What passes unseen inside a string: ASCII but the quote, the backslash and what is below a space. */
static const bool is_plain[256] = {[' ' ... '!'] = true, ['#' ... '['] = true, [']' ... 0x7f] = true};

static bool check_string(struct check *c)
{
    for (c->at++;;) {
        const char *at = c->at;
        while (is_plain[(unsigned char)*at]) at++;
        c->at = at;
        unsigned char byte = (unsigned char)*c->at;
        if (byte == '"') {
            c->at++;
            return true;
        }
        if (byte == '\\') {
            c->at++;
            if (!check_escape(c)) return false;
        } else if (byte < 0x20) {
            return fail(c, "the end of the string");
        } else {
            size_t length = gsim_text_utf8(c->at, (size_t)(c->end - c->at));
            if (!length) return fail(c, "UTF-8 text");
            c->at += length;
        }
    }
}

static bool check_digits(struct check *c)
{
    const char *at = c->at;
    if (!is_digit(*at)) return fail(c, "a digit");
    while (is_digit(*at)) at++;
    c->at = at;
    return true;
}

static bool check_number(struct check *c)
{
    if (*c->at == '-') c->at++;
    if (*c->at == '0')
        c->at++;
    else if (!check_digits(c))
        return false;
    if (*c->at == '.') {
        c->at++;
        if (!check_digits(c)) return false;
    }
    if (*c->at == 'e' || *c->at == 'E') {
        c->at++;
        if (*c->at == '+' || *c->at == '-') c->at++;
        if (!check_digits(c)) return false;
    }
    return true;
}

static bool check_scalar(struct check *c)
{
    static const char *const words[] = {"true", "false", "null"};
    if (*c->at == '"') return check_string(c);
    if (*c->at == '-' || is_digit(*c->at)) return check_number(c);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strncmp(c->at, words[i], strlen(words[i])) == 0) {
            c->at += strlen(words[i]);
            return true;
        }
    return fail(c, "a value");
}

static void check_space(struct check *c)
{
    const char *at = c->at;
    while (is_space(*at)) at++;
    c->at = at;
}

static bool check_key(struct check *c)
{
    check_space(c);
    if (*c->at != '"') return fail(c, "a field name in quotes");
    if (!check_string(c)) return false;
    check_space(c);
    if (*c->at != ':') return fail(c, "':'");
    c->at++;
    return true;
}

/* Behind a value: closes what ends here. Sets *MORE when another value follows. */
static bool check_behind(struct check *c, char *open, unsigned *depth, bool *more)
{
    for (*more = false; *depth; c->at++, (*depth)--) {
        char closing = open[*depth - 1] == '{' ? '}' : ']';
        check_space(c);
        if (*c->at == ',') {
            c->at++;
            *more = true;
            return closing == ']' || check_key(c);
        }
        if (*c->at != closing) return fail(c, closing == '}' ? "',' or '}'" : "',' or ']'");
        if (*depth == 2 && c->at + 1 - c->inner > c->jump.to - c->jump.from)
            c->jump = (struct gsim_scan_jump){c->inner, c->at + 1};
    }
    return true;
}

enum gsim_status gsim_scan_check(const char *text, size_t length, struct gsim_error *error)
{
    struct gsim_scan_jump unused;
    return gsim_scan_check_jump(text, length, &unused, error);
}

enum gsim_status gsim_scan_check_jump(const char *text, size_t length, struct gsim_scan_jump *jump,
                                      struct gsim_error *error)
{
    struct check c = {
        .text = text, .at = text, .end = text + length, .error = error, .inner = text, .jump = {text, text}};
    char open[GSIM_SCAN_DEPTH];
    unsigned depth = 0;
    for (bool more = true; more;) {
        check_space(&c);
        if (*c.at == '{' || *c.at == '[') {
            bool is_object = *c.at == '{';
            if (depth == GSIM_SCAN_DEPTH) {
                fail(&c, "at most 64 lists and objects inside each other");
                return GSIM_INPUT;
            }
            if (depth == 1) c.inner = c.at;
            open[depth++] = *c.at++;
            check_space(&c);
            if (*c.at != (is_object ? '}' : ']')) {
                if (is_object && !check_key(&c)) return GSIM_INPUT;
                continue;
            }
        } else if (!check_scalar(&c)) {
            return GSIM_INPUT;
        }
        if (!check_behind(&c, open, &depth, &more)) return GSIM_INPUT;
    }
    check_space(&c);
    *jump = c.jump;
    if (c.at == c.end) return GSIM_OK;
    fail(&c, "the end of the file");
    return GSIM_INPUT;
}

/* --- walking checked text ----------------------------------------------------------------------------- */
const char *gsim_scan_start(const char *at)
{
    while (is_space(*at)) at++;
    return at;
}

static const char *skip_string(const char *at)
{
    for (at++;; at++) {
        while (is_plain[(unsigned char)*at]) at++;
        if (*at == '"') return at + 1;
        if (*at == '\\') at++;
    }
}

const char *gsim_scan_skip(const char *value)
{
    /* What changes the depth or starts a string; all else inside a list or an object is passed byte by byte. */
    static const signed char step[256] = {['{'] = 1, ['['] = 1, ['}'] = -1, [']'] = -1, ['"'] = 2};
    if (*value == '"') return skip_string(value);
    if (*value != '{' && *value != '[') {
        while (*value && !is_space(*value) && *value != ',' && *value != '}' && *value != ']') value++;
        return value;
    }
    for (int depth = 0;;) {
        int change;
        while (!(change = step[(unsigned char)*value])) value++;
        if (change == 2) {
            value = skip_string(value);
            continue;
        }
        value++;
        if ((depth += change) == 0) return value;
    }
}

static unsigned hex4(const char *at)
{
    unsigned value = 0;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        value = value * 16 + (unsigned)(is_digit(c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10);
    }
    return value;
}

static char *put_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        if (code >= 0x10000) {
            *to++ = (char)(0xf0 | code >> 18);
            *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        } else {
            *to++ = (char)(0xe0 | code >> 12);
        }
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

/* Decodes the escape behind a backslash; a surrogate without its partner becomes U+FFFD. */
static char *put_escape(char *to, const char **from)
{
    static const char names[] = "bfnrt", values[] = "\b\f\n\r\t";
    char c = *(*from)++;
    const char *name = strchr(names, c);
    if (name) {
        *to++ = values[name - names];
        return to;
    }
    if (c != 'u') {
        *to++ = c;
        return to;
    }
    unsigned code = hex4(*from);
    *from += 4;
    if (code >= 0xd800 && code < 0xe000) {
        unsigned low = (*from)[0] == '\\' && (*from)[1] == 'u' ? hex4(*from + 2) : 0;
        if (code < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
            *from += 6;
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        } else {
            code = 0xfffd;
        }
    }
    return put_utf8(to, code);
}

/* Escapes are longer than what they mean: the text never takes more than SPAN's bytes. No NUL is added. */
static size_t decode(const struct gsim_scan_text *span, char *to)
{
    const char *from = span->text, *end = span->text + span->length;
    char *start = to;
    while (from < end) {
        if (*from == '\\') {
            from++;
            to = put_escape(to, &from);
        } else {
            *to++ = *from++;
        }
    }
    return (size_t)(to - start);
}

/* What stands between the quotes of the string at VALUE. */
static struct gsim_scan_text span_of(const char *value)
{
    struct gsim_scan_text span = {.text = value + 1};
    const char *at = value + 1;
    while (is_plain[(unsigned char)*at] || (*at != '"' && *at != '\\')) at++;
    if (*at == '\\') {
        span.has_escapes = true;
        for (; *at != '"'; at++)
            if (*at == '\\') at++;
    }
    span.length = (size_t)(at - span.text);
    return span;
}

const char *gsim_scan_next(const char *at, struct gsim_scan_text *key, const char **rest)
{
    at = gsim_scan_start(at);
    if (*at == '{' || *at == '[' || *at == ',') at = gsim_scan_start(at + 1);
    if (*at == '}' || *at == ']') {
        *rest = at + 1;
        return NULL;
    }
    if (key) {
        *key = span_of(at);
        at = gsim_scan_start(key->text + key->length + 1) + 1; /* the quote and the colon */
    }
    return gsim_scan_start(at);
}

const char *gsim_scan_next_named(const char *at, const char *name)
{
    at = gsim_scan_start(at);
    if (*at == '{' || *at == ',') at = gsim_scan_start(at + 1);
    if (*at++ != '"') return NULL;
    while (*name && *at == *name) at++, name++;
    if (*name || *at != '"') return NULL;
    return gsim_scan_start(gsim_scan_start(at + 1) + 1); /* behind the colon */
}

/* Of a name with escapes: NAME is as long as what they mean, so the span is at most six times as long. */
static bool is_escaped(const struct gsim_scan_text *key, const char *name, size_t length)
{
    char text[6 * GSIM_SCAN_KEY];
    if (length > GSIM_SCAN_KEY || key->length > sizeof text) return false;
    return decode(key, text) == length && memcmp(text, name, length) == 0;
}

bool gsim_scan_matches(const struct gsim_scan_text *key, const char *name)
{
    size_t same = 0;
    if (key->has_escapes) return is_escaped(key, name, strlen(name));
    while (same < key->length && key->text[same] == name[same]) same++; /* no key has a NUL */
    return same == key->length && !name[same];
}

double gsim_scan_number(const char *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *at = value;
    uint32_t small = 0; /* nearly all are short and whole */
    while (is_digit(*at) && at - value < 9) small = small * 10 + (uint32_t)(*at++ - '0');
    if (at > value && !is_digit(*at) && *at != '.' && *at != 'e' && *at != 'E') return small;
    at = value;
    bool negative = *at == '-';
    if (negative) at++;
    uint64_t digits = 0;
    int exponent = 0, read = 0;
    for (bool fraction = false; is_digit(*at) || *at == '.'; at++) {
        if (*at == '.') {
            fraction = true;
            continue;
        }
        digits = digits * 10 + (unsigned)(*at - '0');
        if (++read > 15) return strtod(value, NULL);
        if (fraction) exponent--;
    }
    if (*at == 'e' || *at == 'E') {
        bool down = *++at == '-';
        if (*at == '-' || *at == '+') at++;
        int given = 0;
        for (; is_digit(*at); at++)
            if ((given = given * 10 + (*at - '0')) > 1000) return strtod(value, NULL);
        exponent += down ? -given : given;
    }
    /* Both factors are exact in a double, so that the one rounding gives the nearest (Clinger, PLDI 1990). */
    if (exponent < -22 || exponent > 22) return strtod(value, NULL);
    double number = exponent < 0 ? (double)digits / powers[-exponent] : (double)digits * powers[exponent];
    return negative ? -number : number;
}

/* ROOM holds SPAN's bytes and a NUL. */
static const char *decode_text(const struct gsim_scan_text *span, char *room)
{
    size_t length = span->length;
    if (span->has_escapes) length = decode(span, room);
    else memcpy(room, span->text, length);
    room[length] = '\0';
    return length && !gsim_text_has_control(room, length) ? room : NULL;
}

const char *gsim_scan_string(const char *value, char *room, size_t size)
{
    struct gsim_scan_text span = span_of(value);
    char longer[6 * GSIM_SCAN_KEY + 1];
    if (span.length < size) return decode_text(&span, room);
    if (!span.has_escapes || span.length >= sizeof longer) return NULL;
    const char *text = decode_text(&span, longer);
    size_t length = text ? strlen(text) : size;
    return length < size ? memcpy(room, text, length + 1) : NULL;
}

const char *gsim_scan_copy(const char *value, struct gsim_arena *arena)
{
    struct gsim_scan_text span = span_of(value);
    char *room = gsim_arena_alloc(arena, span.length + 1);
    return room ? decode_text(&span, room) : NULL;
}

const char *gsim_scan_key(const struct gsim_scan_text *key, char *room, size_t size)
{
    size_t length = 0;
    for (const char *from = key->text, *end = key->text + key->length; from < end;) {
        char piece[8];
        const char *behind = from + 1;
        if (*from == '\\') {
            char *to = put_escape(piece, &behind);
            if (length + (size_t)(to - piece) >= size) break;
            memcpy(room + length, piece, (size_t)(to - piece));
            length += (size_t)(to - piece);
        } else {
            size_t bytes = gsim_text_utf8(from, (size_t)(end - from));
            behind = from + (bytes ? bytes : 1);
            if (length + (size_t)(behind - from) >= size) break;
            memcpy(room + length, from, (size_t)(behind - from));
            length += (size_t)(behind - from);
        }
        from = behind;
    }
    room[length] = '\0';
    return gsim_text_clean(room);
}

const char *gsim_scan_found(const char *value, char *text, size_t size)
{
    if (*value == '{') return "an object";
    if (*value == '[') return "a list";
    size_t length = 0;
    bool is_string = *value == '"';
    do {
        if (is_string && value[length] == '\\') length++;
        length++;
    } while (is_string ? value[length] != '"'
                       : value[length] && !is_space(value[length]) && value[length] != ',' && value[length] != '}' &&
                             value[length] != ']');
    if (is_string) length++;
    if (length < size) {
        memcpy(text, value, length);
        text[length] = '\0';
    } else {
        while (size > 4 && ((unsigned char)value[size - 4] & 0xc0) == 0x80) size--; /* not inside a character */
        snprintf(text, size, "%.*s...", (int)size - 4, value);
    }
    return gsim_text_clean(text);
}
