/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The source with its own function-like macros expanded, line by line as it was: libclang does not tell the operators
 * within a macro. Macros that are defined twice or that use ## stay.
 */
#include "source/read/expand.h"

#include <ctype.h>
#include <string.h>

#include "gpusim/memory.h"

#define MAX_MACROS 256
#define MAX_PARAMS 16
#define MAX_DEPTH   8

struct text {
    char *at;
    struct gsim_cu_span *spans; /* of each character */
    size_t count, room, span_room;
    bool failed;
};

struct part {
    const char *at;
    size_t length;
    const struct gsim_cu_span *spans; /* NULL: it stands in the source itself */
};

struct macro {
    struct part name, params[MAX_PARAMS], body;
    size_t param_count;
    bool is_usable;
};

struct expander {
    struct macro macros[MAX_MACROS];
    size_t count;
    const char *source;
    struct text out;
};

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }
static bool are_equal(struct part a, struct part b)
{
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

/* Where the character at N of a part stands in the source. */
static struct gsim_cu_span span_of(const struct expander *e, const struct part *part, size_t n)
{
    uint32_t at = part->spans ? 0 : (uint32_t)(part->at - e->source + (ptrdiff_t)n);
    return part->spans ? part->spans[n] : (struct gsim_cu_span){at, at + 1};
}

/* WHOLE: the span of all its characters; NULL: each has its own. */
static void append_part(const struct expander *e, struct text *text, struct part part, const struct gsim_cu_span *whole)
{
    for (size_t i = 0; i < part.length; i++) {
        text->failed |= gsim_array_grow(&text->at, 1, text->count + 1, &text->room) != GSIM_OK;
        text->failed |= gsim_array_grow(&text->spans, sizeof *text->spans, text->count, &text->span_room) != GSIM_OK;
        if (text->failed) return;
        text->spans[text->count] = whole ? *whole : span_of(e, &part, i);
        text->at[text->count++] = part.at[i];
        text->at[text->count] = '\0';
    }
}

static struct part piece(struct part of, size_t from, size_t length)
{
    return (struct part){of.at + from, length, of.spans ? of.spans + from : NULL};
}

size_t gsim_cu_token(const char *at, size_t left)
{
    size_t n = 1;
    if (left > 1 && at[0] == '/' && at[1] == '/') {
        while (n < left && at[n] != '\n') n++;
        return n;
    }
    if (left > 1 && at[0] == '/' && at[1] == '*') {
        for (n = 2; n < left && !(at[n - 1] == '*' && at[n] == '/' && n > 2); n++) {}
        return n < left ? n + 1 : left;
    }
    if (*at == '"' || *at == '\'') {
        while (n < left && at[n] != *at && at[n] != '\n') n += at[n] == '\\' && n + 1 < left ? 2 : 1;
        return n < left ? n + 1 : left;
    }
    while (is_word(*at) && n < left && is_word(at[n])) n++;
    return n;
}

/* To the end of a line of the preprocessor, with those that continue it. */
static size_t directive(const char *at, size_t left)
{
    size_t n = 0;
    while (n < left && (at[n] != '\n' || (n && at[n - 1] == '\\'))) n++;
    return n;
}

/* AT: behind "#define". */
static void define(struct expander *e, const char *at, size_t left)
{
    struct macro macro = {.is_usable = true};
    size_t n = 0;
    while (n < left && (at[n] == ' ' || at[n] == '\t')) n++;
    macro.name = (struct part){at + n, 0, NULL};
    while (n < left && is_word(at[n])) n++;
    macro.name.length = (size_t)(at + n - macro.name.at);
    bool is_function = n < left && at[n] == '(';
    for (n += is_function; is_function && n < left && at[n] != ')'; n++) {
        if (at[n] == '.') macro.is_usable = false; /* ... */
        if (!is_word(at[n])) continue;
        if (macro.param_count == MAX_PARAMS) return;
        struct part *param = &macro.params[macro.param_count++];
        *param = (struct part){at + n, gsim_cu_token(at + n, left - n), NULL};
        n += param->length - 1;
    }
    if (n < left) n += is_function;
    macro.body = (struct part){at + n, left - n, NULL};
    macro.is_usable &= is_function && n <= left;
    for (size_t i = n; i + 1 < left; i++) macro.is_usable &= at[i] != '#' || at[i + 1] != '#';
    for (size_t i = 0; i < e->count; i++)
        if (are_equal(e->macros[i].name, macro.name)) {
            e->macros[i].is_usable = false;
            return;
        }
    if (e->count < MAX_MACROS) e->macros[e->count++] = macro;
}

static const struct macro *find(const struct expander *e, struct part name)
{
    for (size_t i = 0; i < e->count; i++)
        if (e->macros[i].is_usable && are_equal(e->macros[i].name, name)) return &e->macros[i];
    return NULL;
}

/* The arguments at IN's begin, which is "(" or white space; its length, 0: they are not these. */
static size_t arguments(struct part in, size_t wanted, struct part *args)
{
    const char *at = in.at;
    size_t n = 0, count = 0, begin, left = in.length;
    int depth = 0;
    while (n < left && isspace((unsigned char)at[n])) n++;
    if (n == left || at[n] != '(') return 0;
    begin = n + 1;
    for (size_t step; n < left; n += step) {
        step = gsim_cu_token(at + n, left - n);
        if (strchr("([{", at[n])) depth++;
        if (strchr(")]}", at[n])) depth--;
        if (!(depth == 1 && at[n] == ',') && depth) continue;
        if (count == MAX_PARAMS) return 0;
        args[count++] = piece(in, begin, n - begin);
        begin = n + 1;
        if (!depth) return count == wanted ? n + 1 : 0;
    }
    return 0;
}

/* WHOLE: the call's span. */
static void substitute(const struct expander *e, const struct macro *macro, const struct part *args,
                       const struct gsim_cu_span *whole, struct text *out)
{
    static const struct part space = {" ", 1, NULL};
    for (size_t n = 0, step; n < macro->body.length; n += step) {
        const char *at = macro->body.at + n;
        size_t i = 0;
        step = gsim_cu_token(at, macro->body.length - n);
        if (*at == '#') { /* which text an argument makes does not matter */
            while (n + step < macro->body.length && isspace((unsigned char)at[step])) step++;
            step += n + step < macro->body.length ? gsim_cu_token(at + step, macro->body.length - n - step) : 0;
            append_part(e, out, (struct part){"\"\"", 2, NULL}, whole);
            continue;
        }
        while (i < macro->param_count && !are_equal(macro->params[i], (struct part){at, step, NULL})) i++;
        if (i < macro->param_count)
            append_part(e, out, args[i], NULL);
        else if (*at == '\\' || *at == '\n')
            append_part(e, out, space, whole);
        else if (step < 2 || at[0] != '/') /* a comment ends there */
            append_part(e, out, (struct part){at, step, NULL}, whole);
    }
}

static void expand(struct expander *e, struct part in, int depth)
{
    bool is_line_start = depth == 0;
    const char *at = in.at;
    for (size_t n = 0, step, left = in.length; n < left; n += step) {
        struct part args[MAX_PARAMS];
        if (is_line_start && at[n] == '#') {
            step = directive(at + n, left - n);
            append_part(e, &e->out, piece(in, n, step), NULL);
            continue;
        }
        step = gsim_cu_token(at + n, left - n);
        is_line_start = depth == 0 && (at[n] == '\n' || (is_line_start && isspace((unsigned char)at[n])));
        const struct macro *macro = is_word(at[n]) && depth < MAX_DEPTH ? find(e, piece(in, n, step)) : NULL;
        size_t behind = macro ? arguments(piece(in, n + step, left - n - step), macro->param_count, args) : 0;
        if (!behind) {
            append_part(e, &e->out, piece(in, n, step), NULL);
            continue;
        }
        struct text inner = {0};
        struct gsim_cu_span whole = {span_of(e, &in, n).begin, span_of(e, &in, n + step + behind - 1).end};
        substitute(e, macro, args, &whole, &inner);
        if (inner.count) expand(e, (struct part){inner.at, inner.count, inner.spans}, depth + 1);
        e->out.failed |= inner.failed;
        gsim_free(inner.at);
        gsim_free(inner.spans);
        step += behind;
    }
}

char *gsim_cu_expand(const char *source, size_t length, size_t *expanded_length, struct gsim_cu_span **spans)
{
    struct expander *e = gsim_alloc(sizeof *e);
    bool is_line_start = true;
    if (!e) return NULL;
    e->source = source;
    for (size_t n = 0, step; n < length; n += step) {
        step = gsim_cu_token(source + n, length - n);
        if (is_line_start && source[n] == '#') {
            step = directive(source + n, length - n);
            size_t word = 1;
            while (word < step && (source[n + word] == ' ' || source[n + word] == '\t')) word++;
            if (step > word + 6 && memcmp(source + n + word, "define", 6) == 0)
                define(e, source + n + word + 6, step - word - 6);
        }
        is_line_start = source[n] == '\n' || (is_line_start && isspace((unsigned char)source[n]));
    }
    expand(e, (struct part){source, length, NULL}, 0);
    char *text = e->out.at;
    *expanded_length = e->out.count;
    *spans = e->out.spans;
    if (e->out.failed) {
        gsim_free(text);
        gsim_free(*spans);
        text = NULL;
        *spans = NULL;
    }
    gsim_free(e);
    return text;
}
