/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source/read/tokens.h. Tokens are those of the file as it stands: no macro is expanded, no header read. */
#include "source/read/tokens.h"

#include <stdbool.h>
#include <string.h>

#include "source/read/clang.h"

struct lexed {
    struct gsim_clang clang;
    CXTranslationUnit unit;
    CXToken *tokens;
    unsigned count;
};

static bool is_text(const struct lexed *l, unsigned at, const char *text)
{
    if (at >= l->count) return false;
    CXString spelling = l->clang.getTokenSpelling(l->unit, l->tokens[at]);
    bool is = strcmp(l->clang.getCString(spelling), text) == 0;
    l->clang.disposeString(spelling);
    return is;
}

static bool is_comment(const struct lexed *l, unsigned at)
{
    return l->clang.getTokenKind(l->tokens[at]) == CXToken_Comment;
}

/* Behind the bracket at AT and all up to the one that closes it. */
static unsigned skip(const struct lexed *l, unsigned at, const char *opens, const char *closes)
{
    unsigned depth = 0;
    for (; at < l->count; at++) {
        if (!is_comment(l, at) && is_text(l, at, opens)) depth++;
        if (!is_comment(l, at) && is_text(l, at, closes) && --depth == 0) return at + 1;
    }
    return at;
}

/* FUNCTION ( ... ) {: where its body begins; COUNT of tokens: nowhere. */
static unsigned find_body(const struct lexed *l, const char *function)
{
    for (unsigned i = 0; i + 2 < l->count; i++) {
        if (is_comment(l, i) || !is_text(l, i, function) || !is_text(l, i + 1, "(")) continue;
        unsigned behind = skip(l, i + 1, "(", ")");
        while (behind < l->count && is_comment(l, behind)) behind++;
        if (is_text(l, behind, "{")) return behind;
    }
    return l->count;
}

static unsigned line_of(const struct lexed *l, unsigned at)
{
    CXFile file;
    unsigned line = 0, column, offset;
    l->clang.getSpellingLocation(l->clang.getTokenLocation(l->unit, l->tokens[at]), &file, &line, &column, &offset);
    return line;
}

static void count_body(const struct lexed *l, unsigned begin, struct gsim_cuda_effort *effort)
{
    unsigned end = skip(l, begin, "{", "}") - 1, last = 0;
    for (unsigned i = begin + 1; i < end; i++) {
        if (is_comment(l, i)) continue;
        unsigned line = line_of(l, i);
        effort->lines += line != last;
        effort->tokens++;
        last = line;
    }
}

enum gsim_status gsim_cuda_effort_of(const char *path, const char *function, struct gsim_cuda_effort *effort,
                                     struct gsim_error *error)
{
    static const char *const words[] = {"-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib"};
    struct lexed l = {0};
    enum gsim_status status = gsim_clang_load(&l.clang, error);
    *effort = (struct gsim_cuda_effort){0};
    if (status != GSIM_OK) return status;
    CXIndex index = l.clang.createIndex(0, 0);
    if (l.clang.parseTranslationUnit2(index, path, words, sizeof words / sizeof words[0], NULL, 0,
                                      CXTranslationUnit_SkipFunctionBodies, &l.unit) == CXError_Success) {
        l.clang.tokenize(l.unit, l.clang.getCursorExtent(l.clang.getTranslationUnitCursor(l.unit)), &l.tokens,
                         &l.count);
        unsigned begin = find_body(&l, function);
        if (begin < l.count) count_body(&l, begin, effort);
        else status = gsim_error_set(error, GSIM_INPUT, "'%s' has no function %s", path, function);
        l.clang.disposeTokens(l.unit, l.tokens, l.count);
        l.clang.disposeTranslationUnit(l.unit);
    } else {
        status = gsim_error_set(error, GSIM_INPUT, "cannot read '%s'", path);
    }
    l.clang.disposeIndex(index);
    return status;
}
