/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source/run/rewrite.h. */
#include "source/run/rewrite.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "gpusim/memory.h"

#define HEADER_END "#pragma gpusim text"

struct part {
    const char *at;
    size_t length;
};

struct rewriter {
    const char *text, *end;
    const char *header_end;
    struct part *calls; /* names of the API */
    size_t call_count, call_room;
    char *out;
    size_t count, room;
    bool failed;
};

static void append(struct rewriter *r, const char *text, size_t length)
{
    while (r->count + length >= r->room && !r->failed) {
        size_t room = r->room ? 2 * r->room : 1 << 20;
        char *grown = gsim_realloc(r->out, room);
        if ((r->failed = !grown)) break;
        r->out = grown;
        r->room = room;
    }
    if (r->failed) return;
    memcpy(r->out + r->count, text, length);
    r->count += length;
}

static void say(struct rewriter *r, const char *text) { append(r, text, strlen(text)); }

/* --- tokens --- */
static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

static const char *skip_quoted(const struct rewriter *r, const char *at)
{
    char quote = *at++;
    for (; at < r->end && *at != quote && *at != '\n'; at++) at += *at == '\\' && at + 1 < r->end;
    return at < r->end ? at + 1 : at;
}

/* R"tag( ... )tag", AT behind the R */
static const char *skip_raw(const struct rewriter *r, const char *at)
{
    char close[24] = ")";
    size_t length = 1;
    for (at++; at < r->end && *at != '(' && length < 20; at++) close[length++] = *at;
    close[length++] = '"';
    while (at + length <= r->end && memcmp(at, close, length) != 0) at++;
    return at + length <= r->end ? at + length : r->end;
}

/* The end of the token that begins at AT, which is no blank. */
static const char *token_end(const struct rewriter *r, const char *at)
{
    if (*at == '#' && (at == r->text || at[-1] == '\n')) {
        while (at < r->end && *at != '\n') at++;
        return at;
    }
    if (*at == '"') return skip_quoted(r, at);
    if (*at == '\'') return skip_quoted(r, at);
    if (!is_word(*at)) return at + 1;
    const char *begin = at;
    bool is_number = isdigit((unsigned char)*at);
    while (at < r->end && (is_word(*at) || (is_number && *at == '\'' && is_word(at[1])))) at++;
    bool is_raw = at < r->end && *at == '"' && at[-1] == 'R' && at - begin <= 3;
    return is_raw ? skip_raw(r, at) : at;
}

static const char *skip_blanks(const struct rewriter *r, const char *at)
{
    for (;;) {
        while (at < r->end && isspace((unsigned char)*at)) at++;
        if (at >= r->end || *at != '#' || at[-1] != '\n') return at;
        at = token_end(r, at);
    }
}

static bool is_token(const char *at, const char *end, const char *word)
{
    return (size_t)(end - at) == strlen(word) && memcmp(at, word, strlen(word)) == 0;
}

/* Behind the bracket that closes the one at AT. */
static const char *skip_group(const struct rewriter *r, const char *at)
{
    size_t depth = 0;
    while (at < r->end) {
        if (strchr("([{", *at)) depth++;
        if (strchr(")]}", *at) && --depth == 0) return at + 1;
        at = skip_blanks(r, token_end(r, at));
    }
    return r->end;
}

static void rewrite(struct rewriter *r, const char *begin, const char *end);

/* --- launches: AT is the <<< --- */
static const char *put_launch(struct rewriter *r, const char *at)
{
    const char *config = at + 3, *close = skip_blanks(r, config);
    while (close < r->end && strncmp(close, ">>>", 3) != 0)
        close = skip_blanks(r, strchr("([{", *close) ? skip_group(r, close) : token_end(r, close));
    const char *open = close < r->end ? skip_blanks(r, close + 3) : r->end;
    if (open >= r->end || *open != '(') return NULL;
    const char *behind = skip_group(r, open);
    rewrite(r, open, behind);
    say(r, ", gpusim_launch(");
    rewrite(r, config, close);
    say(r, ").go()");
    return behind;
}

/* --- kernels: AT is behind __global__ --- */
static const char *put_kernel(struct rewriter *r, const char *at)
{
    const char *from = at, *open = skip_blanks(r, at);
    for (;; open = skip_blanks(r, token_end(r, open))) {
        const char *end = open < r->end ? token_end(r, open) : r->end;
        if (open >= r->end || *open == ';' || *open == '{') return NULL;
        bool has_group =
            is_token(open, end, "__attribute__") || is_token(open, end, "alignas") || is_token(open, end, "decltype");
        if (has_group) {
            open = skip_blanks(r, end);
            open = skip_group(r, open) - 1;
        } else if (*open == '(') {
            break;
        }
    }
    const char *body = skip_blanks(r, skip_group(r, open));
    if (body >= r->end || *body != '{') return NULL; /* a declaration */
    const char *behind = skip_group(r, body);
    rewrite(r, from, body + 1);
    say(r, " gpusim_kernel(__func__, [=]() mutable {");
    rewrite(r, body + 1, behind - 1);
    say(r, "}); }");
    return behind;
}

/* --- shared memory: AT is "extern" or "__shared__" --- */
static bool is_dropped(const char *at, const char *end)
{
    return is_token(at, end, "extern") || is_token(at, end, "__shared__");
}

/* "extern __shared__ T NAME[]" is a pointer to the block's memory. NULL: it is none. */
static const char *put_dynamic(struct rewriter *r, const char *at)
{
    const char *name = NULL, *name_end = NULL, *bracket = NULL, *behind = at;
    bool is_extern = false, is_shared = false;
    while (behind < r->end && *behind != ';') {
        const char *end = token_end(r, behind);
        if (strchr("={}", *behind)) return NULL;
        is_extern |= is_token(behind, end, "extern");
        is_shared |= is_token(behind, end, "__shared__");
        if (*behind == '(') end = skip_group(r, behind);
        else if (*behind == '[' && !bracket) bracket = behind;
        else if (is_word(*behind) && !bracket) {
            name = behind;
            name_end = end;
        }
        behind = skip_blanks(r, end);
    }
    if (!is_extern || !is_shared || !bracket || !name) return NULL;
    struct part type[32];
    size_t count = 0;
    for (const char *from = at; from < name && count < 32;) {
        const char *end = token_end(r, from);
        bool has_group = is_token(from, end, "__attribute__") || is_token(from, end, "alignas");
        if (has_group) end = skip_group(r, skip_blanks(r, end));
        else if (!is_dropped(from, end)) type[count++] = (struct part){from, (size_t)(end - from)};
        from = skip_blanks(r, end);
    }
    const char *rest = skip_group(r, bracket); /* further sizes */
    say(r, "static ");
    for (size_t i = 0; i < count; i++) append(r, type[i].at, type[i].length), say(r, " ");
    say(r, "(*const ");
    append(r, name, (size_t)(name_end - name));
    say(r, ")");
    append(r, rest, (size_t)(behind - rest));
    say(r, " = (");
    for (size_t i = 0; i < count; i++) append(r, type[i].at, type[i].length), say(r, " ");
    say(r, "(*)");
    append(r, rest, (size_t)(behind - rest));
    say(r, ")gpusim_dynamic");
    return behind;
}

/* --- calls of the API --- */
/* What device.h declares with a place. */
static void find_calls(struct rewriter *r)
{
    for (const char *at = skip_blanks(r, r->text); at < r->header_end; at = skip_blanks(r, token_end(r, at))) {
        const char *end = token_end(r, at), *open = skip_blanks(r, end);
        if (end - at < 5 || memcmp(at, "cuda", 4) != 0 || *open != '(') continue;
        open = skip_blanks(r, open + 1);
        if (!is_token(open, token_end(r, open), "gpusim_place")) continue;
        if (gsim_array_grow(&r->calls, sizeof *r->calls, r->call_count + 1, &r->call_room) != GSIM_OK) r->failed = true;
        else r->calls[r->call_count++] = (struct part){at, (size_t)(end - at)};
    }
}

static bool is_call(const struct rewriter *r, const char *at, const char *end)
{
    for (size_t i = 0; i < r->call_count; i++)
        if (r->calls[i].length == (size_t)(end - at) && memcmp(r->calls[i].at, at, r->calls[i].length) == 0)
            return true;
    return false;
}

/* Its first argument is a kernel, whose type a cast must not hide. */
static const char *put_launch_kernel(struct rewriter *r, const char *open)
{
    const char *at = skip_blanks(r, open + 1), *end = token_end(r, at);
    say(r, "gpusim_launch_kernel(");
    if (*at == '(') {
        const char *behind = skip_blanks(r, skip_group(r, at));
        return behind < r->end && *behind != ',' ? behind : at; /* behind the cast */
    }
    if (!is_token(at, end, "reinterpret_cast") && !is_token(at, end, "static_cast")) return at;
    while (at < r->end && *at != '>') at = skip_blanks(r, token_end(r, at));
    return at < r->end ? at + 1 : at;
}

static const char *put_call(struct rewriter *r, const char *at, const char *end)
{
    const char *open = skip_blanks(r, end);
    if (open >= r->end || *open != '(') return NULL;
    if (is_token(at, end, "cudaLaunchKernel")) return put_launch_kernel(r, open);
    if (!is_call(r, at, end)) return NULL;
    const char *first = skip_blanks(r, open + 1);
    append(r, at, (size_t)(open + 1 - at));
    say(r, first < r->end && *first == ')' ? "gpusim_place()" : "gpusim_place(), ");
    return open + 1;
}

static const char *put_word(struct rewriter *r, const char *at, const char *end)
{
    static const char *const dropped[] = {"__device__", "__host__", "__constant__", "__managed__", "__global__"};
    const char *behind = NULL;
    if (is_token(at, end, "__global__") && at > r->header_end && (behind = put_kernel(r, end))) return behind;
    for (size_t i = 0; i < sizeof dropped / sizeof dropped[0]; i++)
        if (is_token(at, end, dropped[i])) return end;
    if (is_dropped(at, end) && (behind = put_dynamic(r, at))) return behind;
    if (is_token(at, end, "__shared__")) {
        say(r, "static __attribute__((section(\"gpusim_shared\")))");
        return end;
    }
    return at > r->header_end && end - at > 4 && memcmp(at, "cuda", 4) == 0 ? put_call(r, at, end) : NULL;
}

static void rewrite(struct rewriter *r, const char *begin, const char *end)
{
    const char *at = begin;
    while (at < end) {
        const char *token = skip_blanks(r, at), *behind = NULL;
        if (token > end) token = end;
        append(r, at, (size_t)(token - at));
        if (token >= end) return;
        const char *next = token_end(r, token);
        if (is_word(*token) && !isdigit((unsigned char)*token)) behind = put_word(r, token, next);
        else if (end - token > 3 && strncmp(token, "<<<", 3) == 0 && token > r->header_end)
            behind = put_launch(r, token);
        if (!behind) append(r, token, (size_t)(next - token));
        at = behind ? behind : next;
    }
}

char *gsim_run_rewrite(const char *text, size_t length, size_t *rewritten_length)
{
    struct rewriter r = {.text = text, .end = text + length};
    const char *mark = strstr(text, HEADER_END);
    r.header_end = mark ? mark : text;
    find_calls(&r);
    rewrite(&r, text, r.end);
    append(&r, "", 1);
    gsim_free(r.calls);
    if (r.failed) {
        gsim_free(r.out);
        return NULL;
    }
    *rewritten_length = r.count - 1;
    return r.out;
}
