/* SPDX-License-Identifier: GPL-3.0-or-later
 * weave SEED COUNT OUT SKIP FILE...: draws wrong lines by rule and weaves all of them into copies of the files, each
 * behind a switch, so that one build holds them all and GPUSIM_MUTANT=ID runs one. Writes OUT/FILE and OUT/table: "id,
 * file, line, kind, text, changed text". A line of a function is drawn, as likely as any other, then one change among
 * those that it allows. SKIP names "FILE:LINE" that do not compile (constants of the language, static tables). run.sh
 * has the rest. */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS = 40000, SITES = 400000, FILES = 2000, TEXT = 1200 };

struct token {
    uint32_t at, length, line;
    bool spaced; /* a space or a line's end on both sides: of operators, that it has two operands */
};

struct file {
    const char *name;
    char *text;
    struct token *tokens;
    uint32_t count;
};

struct site { /* bytes FROM to TO become WITH; the expression is FIRST to LAST */
    uint32_t file, line, from, to, first, last, id;
    const char *kind;
    char with[24];
};

static struct file files[FILES];
static struct site *sites, **drawn;
static uint32_t file_count, site_count, drawn_count;

static bool is(const struct file *f, uint32_t t, const char *word)
{
    return t < f->count && f->tokens[t].length == strlen(word) &&
           !strncmp(f->text + f->tokens[t].at, word, strlen(word));
}

static bool is_any(const struct file *f, uint32_t t, const char *const words[])
{
    while (*words && !is(f, t, *words)) words++;
    return *words != NULL;
}

/* Splits F into tokens, without comments, preprocessor lines, strings (one token each). */
static void split(struct file *f)
{
    static const char *const LONG[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
                                       "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", NULL};
    const char *s = f->text;
    uint32_t line = 1;
    f->tokens = calloc(TOKENS, sizeof *f->tokens);
    for (uint32_t i = 0, n; s[i]; i += n) {
        n = 1;
        if (s[i] == '\n') line++;
        if (isspace((unsigned char)s[i])) continue;
        bool is_comment = !strncmp(s + i, "/*", 2), starts = i == 0 || s[i - 1] == '\n';
        if (is_comment || (starts && s[i] == '#')) {
            while (s[i + n] &&
                   (is_comment ? strncmp(s + i + n - 2, "*/", 2) || n < 4 : s[i + n] != '\n' || s[i + n - 1] == '\\'))
                n++;
            for (uint32_t k = 0; k < n; k++) line += s[i + k] == '\n';
            continue;
        }
        if (s[i] == '"' || s[i] == '\'') {
            while (s[i + n] != s[i]) n += s[i + n] == '\\' ? 2 : 1;
            n++;
        } else if (isalnum((unsigned char)s[i]) || s[i] == '_') {
            while (isalnum((unsigned char)s[i + n]) || s[i + n] == '_' ||
                   (isdigit((unsigned char)s[i]) && s[i + n] == '.') ||
                   (isdigit((unsigned char)s[i]) && strchr("+-", s[i + n]) && strchr("eE", s[i + n - 1]) &&
                    s[i + 1] != 'x'))
                n++;
        } else {
            for (int k = 0; LONG[k]; k++) {
                if (!strncmp(s + i, LONG[k], strlen(LONG[k])) && n == 1) n = (uint32_t)strlen(LONG[k]);
            }
        }
        bool spaced = i && isspace((unsigned char)s[i - 1]) && isspace((unsigned char)s[i + n]);
        if (f->count < TOKENS) f->tokens[f->count++] = (struct token){i, n, line, spaced};
    }
}

/* How strongly operator T binds; 0: none with two operands. */
static int strength(const struct file *f, uint32_t t)
{
    static const char *const BY[][7] = {
        {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="},
        {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
    for (int k = 0; f->tokens[t].spaced && k < (int)(sizeof BY / sizeof *BY); k++) {
        if (is_any(f, t, BY[k])) return k + 1;
    }
    return 0;
}

static bool ends_expression(const struct file *f, uint32_t t)
{
    static const char *const WORDS[] = {"(",      "[",    "{",  ")",    "]",      "}",   ";",   ",",  "?",
                                        ":",      "=",    "+=", "-=",   "*=",     "/=",  "%=",  "|=", "&=",
                                        "return", "else", "do", "case", "sizeof", "<<=", ">>=", "^=", NULL};
    return is_any(f, t, WORDS);
}

/* The token before (STEP -1) or after the operand chain that starts beside T, of operators that bind at least as LEAST.
 */
static uint32_t bound(const struct file *f, uint32_t t, int step, int least)
{
    const char *const opens[] = {step > 0 ? "(" : ")", step > 0 ? "[" : "]", step > 0 ? "{" : "}", NULL};
    const char *const closes[] = {step > 0 ? ")" : "(", step > 0 ? "]" : "[", step > 0 ? "}" : "{", NULL};
    uint32_t depth = 0;
    for (t += (uint32_t)step; t && t < f->count; t += (uint32_t)step) {
        if (is_any(f, t, opens)) depth++;
        else if (depth && is_any(f, t, closes)) depth--;
        else if (!depth && (ends_expression(f, t) || (strength(f, t) && strength(f, t) < least))) break;
    }
    return t;
}

static uint32_t end_of(const struct file *f, uint32_t t) { return f->tokens[t].at + f->tokens[t].length; }

/* One change at T: bytes FROM to TO become WITH, within the expression from token FIRST to LAST. */
static void add(uint32_t file, uint32_t t, const char *kind, uint32_t from, uint32_t to, const char *with,
                uint32_t first, uint32_t last)
{
    const struct file *f = &files[file];
    if (site_count == SITES || first > last || last >= f->count) return;
    struct site *s = &sites[site_count++];
    *s = (struct site){file, f->tokens[t].line, from, to, f->tokens[first].at, end_of(f, last), 0, kind, ""};
    snprintf(s->with, sizeof s->with, "%s", with);
}

static void add_operator(uint32_t file, uint32_t t)
{
    static const char *const FLIP[][3] = {{"<", "<=", "compare"},   {"<=", "<", "compare"},   {">", ">=", "compare"},
                                          {">=", ">", "compare"},   {"==", "!=", "compare"},  {"!=", "==", "compare"},
                                          {"+", "-", "arithmetic"}, {"-", "+", "arithmetic"}, {"*", "/", "arithmetic"},
                                          {"/", "*", "arithmetic"}, {"&&", "||", "logic"},    {"||", "&&", "logic"}};
    const struct file *f = &files[file];
    int binds = strength(f, t);
    if (!binds) return;
    uint32_t first = bound(f, t, -1, binds) + 1, last = bound(f, t, 1, binds) - 1, next = bound(f, t, 1, binds + 1) - 1;
    for (size_t k = 0; k < sizeof FLIP / sizeof *FLIP; k++) {
        if (is(f, t, FLIP[k][0])) add(file, t, FLIP[k][2], f->tokens[t].at, end_of(f, t), FLIP[k][1], first, last);
    }
    if (binds < 6 || binds > 8) add(file, t, "operand", f->tokens[t].at, end_of(f, next), "", first, last);
}

/* All changes that F's functions allow. */
static void find_sites(uint32_t file)
{
    const struct file *f = &files[file];
    uint32_t depth = 0, skipped = 0;
    for (uint32_t t = 1; t + 1 < f->count; t++) {
        if (is(f, t, "{")) depth += depth || is(f, t - 1, ")");
        if (is(f, t, "}") && depth) depth--;
        if (!depth) continue;
        if (is(f, t, "static") || is(f, t, "case")) skipped = 1;
        if (is(f, t, ";") || is(f, t, ":")) skipped = 0;
        if (skipped) continue;
        add_operator(file, t);
        char first = f->text[f->tokens[t].at], number[24];
        bool is_empty = is(f, t - 1, "{") && is(f, t + 1, "}"); /* {0}: a struct of nothing */
        bool is_room = is(f, t - 1, "[") && is(f, t + 1, "]") && f->tokens[t].length > 1; /* char text[256] */
        if (isdigit((unsigned char)first) && f->tokens[t].length < 20 && !is_empty && !is_room) {
            char was[24];
            snprintf(was, sizeof was, "%.*s", (int)f->tokens[t].length, f->text + f->tokens[t].at);
            bool is_real = !strchr(was, 'x') && strpbrk(was, ".e");
            if (is_real) snprintf(number, sizeof number, "%.12g", atof(was) == 0 ? 1.5 : 2 * atof(was));
            else snprintf(number, sizeof number, "%llu", strtoull(was, NULL, 0) + 1);
            add(file, t, "constant", f->tokens[t].at, end_of(f, t), number, t, t);
        }
        if (is(f, t, "fmin") || is(f, t, "fmax")) {
            add(file, t, "minmax", f->tokens[t].at, end_of(f, t), is(f, t, "fmin") ? "fmax" : "fmin", t, t);
        }
        if (is(f, t, "if") && is(f, t + 1, "(")) {
            uint32_t close = bound(f, t + 1, 1, 0);
            static const char *const LEAVES[] = {"return", "continue", "break", "goto", NULL};
            bool leaves = is_any(f, close + 1, LEAVES) || (is(f, close + 1, "{") && is_any(f, close + 2, LEAVES));
            if (leaves) add(file, t, "guard", f->tokens[t + 2].at, end_of(f, close - 1), "0", t + 2, close - 1);
        }
        if (is(f, t, "+=") || is(f, t, "-=")) {
            uint32_t last = bound(f, t, 1, 0) - 1;
            add(file, t, "sum", f->tokens[t + 1].at, f->tokens[t + 1].at, "-", t + 1, last);
        }
    }
}

static uint64_t state;
static uint32_t draw(uint32_t below) /* xorshift64* */
{
    state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
    return (uint32_t)((state * 2685821657736338717ULL >> 33) % below);
}

/* TEXT of the line that S changes, or of its changed line, without the indent. */
static void print_line(FILE *out, const struct site *s, bool changed)
{
    const char *text = files[s->file].text;
    uint32_t from = s->from, to = changed ? s->to : s->from;
    while (from && text[from - 1] != '\n') from--;
    while (isspace((unsigned char)text[from]) && from < s->from) from++;
    while (text[to] && text[to] != '\n') to++;
    if (!changed) fprintf(out, "\t%.*s", (int)(to - from), text + from);
    else fprintf(out, "\t%.*s%s%.*s", (int)(s->from - from), text + from, s->with, (int)(to - s->to), text + s->to);
}

static void put(FILE *out, const char *text, uint32_t from, uint32_t to)
{
    for (; from < to; from++) fputc(text[from] == '\n' ? ' ' : text[from], out);
}

static int by_place(const void *a, const void *b)
{
    const struct site *x = *(struct site *const *)a, *y = *(struct site *const *)b;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static void write_woven(const char *folder)
{
    FILE *out = NULL;
    for (uint32_t k = 0, at = 0; k < drawn_count; k++) {
        const struct site *s = drawn[k];
        const char *text = files[s->file].text;
        if (k == 0 || drawn[k - 1]->file != s->file) {
            char path[TEXT];
            snprintf(path, sizeof path, "%s/%s", folder, files[s->file].name);
            out = fopen(path, "w");
            if (!out) exit((perror(path), 2));
            at = 0;
        }
        fprintf(out, "%.*s(gsim_mutant(%u) ? (", (int)(s->first - at), text + at, s->id);
        put(out, text, s->first, s->from);
        bool is_sum = !strcmp(s->kind, "sum");
        fprintf(out, is_sum ? "-(" : "%s", s->with);
        put(out, text, s->to, s->last);
        fprintf(out, "%s) : (%.*s))", is_sum ? ")" : "", (int)(s->last - s->first), text + s->first);
        at = s->last;
        if (k + 1 == drawn_count || drawn[k + 1]->file != s->file) {
            fputs(text + at, out);
            fclose(out);
        }
    }
}

static bool is_skipped(const char *skip, const struct site *s)
{
    char place[TEXT], line[TEXT];
    snprintf(place, sizeof place, "%s:%u", files[s->file].name, s->line);
    FILE *in = fopen(skip, "r");
    bool found = false;
    while (in && !found && fgets(line, sizeof line, in)) found = !strcmp(strtok(line, "\n"), place);
    if (in) fclose(in);
    return found;
}

/* Whether S may be drawn: about memory that ran out contract-faults makes every allocation fail. */
static bool is_fit(const struct site *s, const char *skip)
{
    const char *text = files[s->file].text;
    uint32_t from = s->first, to = s->last;
    while (from && text[from - 1] != '\n') from--;
    while (text[to] && text[to] != '\n') to++;
    static const char *const MEMORY[] = {"NOMEM", "no_memory", "alloc",    "ARENA",
                                         "grow",  "assert",    "GSIM_BUG", "sizeof"};
    for (size_t k = 0; k < sizeof MEMORY / sizeof *MEMORY; k++) {
        const char *found = strstr(text + from, MEMORY[k]);
        if (found && found < text + to) return false;
    }
    for (uint32_t k = 0; k < drawn_count; k++) {
        const struct site *d = drawn[k];
        if (d->file == s->file && (d->line == s->line || (s->first < d->last && d->first < s->last))) return false;
    }
    return !is_skipped(skip, s);
}

int main(int argc, char **argv)
{
    if (argc < 6) return 2;
    sites = calloc(SITES, sizeof *sites);
    for (int i = 5; i < argc && file_count < FILES; i++) {
        struct file *f = &files[file_count];
        FILE *in = fopen(argv[i], "r");
        if (!in) return (perror(argv[i]), 2);
        f->name = argv[i];
        f->text = calloc(1, 1 << 20);
        if (fread(f->text, 1, (1 << 20) - 1, in) == 0) return 2;
        fclose(in);
        split(f);
        find_sites(file_count++);
    }
    uint32_t count = (uint32_t)atoi(argv[2]), *lines = calloc(SITES + 1, sizeof *lines), line_count = 0;
    /* The sites come file by file and, but for an expression of several lines, line by line. */
    for (uint32_t i = 0; i < site_count; i++) {
        if (i == 0 || sites[i].line != sites[i - 1].line || sites[i].file != sites[i - 1].file) lines[line_count++] = i;
    }
    lines[line_count] = site_count;
    state = 88172645463325252ULL + strtoull(argv[1], NULL, 10) * 2654435769ULL;
    for (int i = 0; i < 20; i++) draw(2);
    drawn = calloc(count + 1, sizeof *drawn);
    for (uint32_t tries = 0; drawn_count < count && tries < 20 * count + 1000 && line_count; tries++) {
        uint32_t line = draw(line_count);
        struct site *s = &sites[lines[line] + draw(lines[line + 1] - lines[line])];
        if (is_fit(s, argv[4])) drawn[drawn_count++] = s;
    }
    qsort(drawn, drawn_count, sizeof *drawn, by_place);
    char path[TEXT];
    snprintf(path, sizeof path, "%s/table", argv[3]);
    FILE *table = fopen(path, "w");
    if (!table) return (perror(path), 2);
    for (uint32_t k = 0; k < drawn_count; k++) {
        struct site *s = drawn[k];
        s->id = k;
        fprintf(table, "%u\t%s\t%u\t%s", k, files[s->file].name, s->line, s->kind);
        print_line(table, s, false);
        print_line(table, s, true);
        fputc('\n', table);
    }
    fclose(table);
    write_woven(argv[3]);
    return 0;
}
