/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions: parsed by precedence into steps in postfix order, evaluated on a stack. See sweep/query/where.h. */
#include "sweep/query/where.h"

#include <ctype.h>
#include <math.h>

#include "sim/base/text.h"

/* What joins two values: kind, how strongly it binds, what comes out. */
#define GSIM_JOINS(X)                                                                                                  \
    X(OR, BINDS_OR, is_true(left) || is_true(right))                                                                   \
    X(AND, BINDS_AND, is_true(left) && is_true(right))                                                                 \
    X(EQUAL, BINDS_COMPARISON, can_order && order == 0)                                                                \
    X(UNEQUAL, BINDS_COMPARISON, !has_null && !(can_order && order == 0)) /* a number is not a text */                 \
    X(LESS, BINDS_COMPARISON, can_order && order < 0)                                                                  \
    X(LESS_EQUAL, BINDS_COMPARISON, can_order && order <= 0)                                                           \
    X(GREATER, BINDS_COMPARISON, can_order && order > 0)                                                               \
    X(GREATER_EQUAL, BINDS_COMPARISON, can_order && order >= 0)                                                        \
    X(ADD, BINDS_SUM, a + b)                                                                                           \
    X(SUBTRACT, BINDS_SUM, a - b)                                                                                      \
    X(MULTIPLY, BINDS_PRODUCT, a *b)                                                                                   \
    X(DIVIDE, BINDS_PRODUCT, a / b)                                                                                    \
    X(REMAINDER, BINDS_PRODUCT, fmod(a, b))

enum precedence { BINDS_OR, BINDS_AND, BINDS_NOT, BINDS_COMPARISON, BINDS_SUM, BINDS_PRODUCT, BINDS_VALUE };

enum kind {
#define X(name, precedence, value) KIND_##name,
    GSIM_JOINS(X)
#undef X
    KIND_IN,    /* a list and the value before that */
    KIND_VALUE, /* puts a constant on the stack */
    KIND_NAME,  /* puts its value there */
    KIND_NOT,
};

static const enum precedence precedences[] = {
#define X(name, precedence, value) precedence,
    GSIM_JOINS(X)
#undef X
    BINDS_COMPARISON};

static const struct sign {
    const char *text;
    enum kind kind;
} signs[] = {{"||", KIND_OR},          {"or", KIND_OR},      {"&&", KIND_AND},  {"and", KIND_AND},
             {"==", KIND_EQUAL},       {"!=", KIND_UNEQUAL}, {"<=", KIND_LESS_EQUAL},
             {">=", KIND_GREATER_EQUAL}, {"=", KIND_EQUAL},  {"<", KIND_LESS},  {">", KIND_GREATER},
             {"in", KIND_IN},          {"+", KIND_ADD},      {"-", KIND_SUBTRACT}, {"*", KIND_MULTIPLY},
             {"/", KIND_DIVIDE},       {"%", KIND_REMAINDER}};
#define SIGN_COUNT (sizeof signs / sizeof signs[0])

#define DEPTH_MAX 64 /* of parentheses, minus signs and negations */
#define STEPS_MAX 10000

struct step {
    enum kind kind;
    struct gsim_cell cell; /* KIND_VALUE; KIND_NAME: its text; KIND_IN: the length of its list */
};

struct gsim_where {
    struct step *steps;
    struct gsim_cell *stack;
    size_t count, room; /* room of both */
};

struct parser {
    const char *whole, *at;
    const struct gsim_where_names *names;
    struct gsim_arena *arena;
    struct gsim_error *error;
    enum gsim_status status;
    struct gsim_where *where;
    unsigned depth;
};

static void parse(struct parser *parser, enum precedence least);

static void fail(struct parser *parser, const char *expected)
{
    if (parser->status == GSIM_OK)
        parser->status =
            gsim_error_set(parser->error, GSIM_USAGE, "condition '%.120s': expected %s, found %s%.40s%s", parser->whole,
                           expected, *parser->at ? "'" : "its end", parser->at, *parser->at ? "'" : "");
}

static void append_step(struct parser *parser, enum kind kind, struct gsim_cell cell)
{
    struct gsim_where *where = parser->where;
    if (where->count == where->room) fail(parser, "a shorter condition");
    if (parser->status == GSIM_OK) where->steps[where->count++] = (struct step){kind, cell};
}

/* --- words ----------------------------------------------------------------------------------------------------- */
static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

/* Length of the word at AT: '-' belongs to it inside (a100-sxm4-40gb), not at its ends. */
static size_t word_length(const char *at)
{
    size_t length = 0;
    while (is_word(at[length]) || (length && at[length] == '-' && is_word(at[length + 1]))) length++;
    return length;
}

/* Takes the sign, or the word, when it is next. */
static bool accept(struct parser *parser, const char *sign)
{
    size_t length = strlen(sign);
    while (isspace((unsigned char)*parser->at)) parser->at++;
    if (strncmp(parser->at, sign, length) != 0) return false;
    if (isalpha((unsigned char)*sign) && word_length(parser->at) != length) return false;
    parser->at += length;
    return true;
}

/* A number, a name or a text. */
static void parse_word(struct parser *parser)
{
    const char *at = parser->at, quote = *at == '\'' || *at == '"' ? *at : '\0';
    const char *end = quote ? strchr(++at, quote) : NULL;
    size_t length = end ? (size_t)(end - at) : word_length(at);
    struct gsim_cell unused;
    double number;
    if (quote && !end) {
        parser->at = at;
        fail(parser, "a closing quote");
        return;
    }
    /* A number may hold a sign behind its e: 1e-3. */
    if (!quote && isdigit((unsigned char)*at)) {
        char *behind;
        (void)strtod(at, &behind);
        if (behind > at + length) length = (size_t)(behind - at);
    }
    if (!quote && !length) fail(parser, "a name, a number or a text in quotes");
    const char *text = gsim_arena_printf(parser->arena, "%.*s", (int)length, at);
    parser->at = at + length + (quote != 0);
    if (!text || parser->status != GSIM_OK) return;
    if (!quote && gsim_text_quantity(text, &number)) append_step(parser, KIND_VALUE, gsim_cell_real(number));
    else if (!quote && parser->names->value(parser->names->data, text, &unused))
        append_step(parser, KIND_NAME, gsim_cell_text(text));
    else append_step(parser, KIND_VALUE, gsim_cell_text(text));
}

/* --- the grammar ------------------------------------------------------------------------------------------------- */
/* A value with what stands before it. Returns how strongly a sign behind it may bind. */
static enum precedence parse_value(struct parser *parser, enum precedence least)
{
    enum precedence most = BINDS_VALUE;
    if (++parser->depth > DEPTH_MAX) {
        fail(parser, "fewer parentheses, minus signs or negations inside each other");
    } else if (least <= BINDS_NOT &&
               (accept(parser, "not") || (*parser->at == '!' && parser->at[1] != '=' && accept(parser, "!")))) {
        parse(parser, BINDS_NOT);
        append_step(parser, KIND_NOT, gsim_cell_text(NULL));
        most = BINDS_AND;
    } else if (accept(parser, "-")) {
        append_step(parser, KIND_VALUE, gsim_cell_real(-1));
        parse_value(parser, BINDS_VALUE);
        append_step(parser, KIND_MULTIPLY, gsim_cell_text(NULL));
    } else if (accept(parser, "(")) {
        parse(parser, BINDS_OR);
        if (!accept(parser, ")")) fail(parser, "')'");
    } else {
        parse_word(parser);
    }
    parser->depth--;
    return most;
}

static int64_t parse_list(struct parser *parser)
{
    int64_t length = 0;
    if (!accept(parser, "(")) fail(parser, "'(' and a list");
    do {
        parse(parser, BINDS_SUM);
        length++;
    } while (parser->status == GSIM_OK && accept(parser, ","));
    if (!accept(parser, ")")) fail(parser, "',' or ')'");
    return length;
}

/* "shced == kesco" compares two texts: certainly a slip of the hand. */
static void check_names(struct parser *parser, size_t first)
{
    const char *word = NULL;
    for (size_t i = first; i < parser->where->count; i++) {
        const struct step *step = &parser->where->steps[i];
        if (step->kind == KIND_NAME) return;
        if (!word && step->kind == KIND_VALUE) word = step->cell.text;
    }
    if (parser->status == GSIM_OK)
        parser->status =
            gsim_error_set(parser->error, GSIM_USAGE, "condition '%.120s': '%.60s' is no name that is known here",
                           parser->whole, word ? word : "a number");
}

/* Whether a sign that binds so strongly is next, and then takes it. */
static bool accept_sign(struct parser *parser, enum precedence least, enum precedence most, enum kind *kind)
{
    const char *before = parser->at;
    size_t i = 0;
    while (i < SIGN_COUNT && !accept(parser, signs[i].text)) i++;
    if (i < SIGN_COUNT) *kind = signs[i].kind;
    if (i < SIGN_COUNT && precedences[*kind] >= least && precedences[*kind] <= most) return true;
    parser->at = before;
    (void)accept(parser, ""); /* the space before it */
    return false;
}

/* What is joined by signs that bind at least so strongly. "1 < size < 5" would not say what it seems to. */
static void parse(struct parser *parser, enum precedence least)
{
    size_t first = parser->where->count;
    enum precedence most = parse_value(parser, least);
    enum kind kind;
    while (parser->status == GSIM_OK && accept_sign(parser, least, most, &kind)) {
        struct gsim_cell length = gsim_cell_integer(kind == KIND_IN ? parse_list(parser) : 0);
        most = precedences[kind];
        if (kind != KIND_IN) parse(parser, most + 1);
        append_step(parser, kind, length);
        if (most != BINDS_COMPARISON) continue;
        check_names(parser, first);
        most = BINDS_NOT;
    }
}

enum gsim_status gsim_where_compile(const char *text, const struct gsim_where_names *names, struct gsim_arena *arena,
                                    struct gsim_where **where, struct gsim_error *error)
{
    struct parser parser = {.whole = text, .at = text, .names = names, .arena = arena, .error = error};
    size_t room = 2 * strlen(text) + 1; /* no character makes more than two steps */
    if (room > STEPS_MAX) room = STEPS_MAX;
    if ((*where = parser.where = GSIM_ARENA_NEW(arena, struct gsim_where)))
        *parser.where = (struct gsim_where){.steps = GSIM_ARENA_ARRAY(arena, struct step, room),
                                            .stack = GSIM_ARENA_ARRAY(arena, struct gsim_cell, room),
                                            .room = room};
    if (!arena->failed) parse(&parser, BINDS_OR);
    if (*parser.at) fail(&parser, "a comparison sign, 'and' or 'or'");
    for (size_t i = 0; i < parser.where->count; i++)
        if (parser.where->steps[i].kind == KIND_NAME) return parser.status;
    if (parser.status != GSIM_OK) return parser.status;
    return gsim_error_set(error, GSIM_USAGE, "condition '%.120s': expected at least one name that is known here", text);
}

/* --- evaluation --- */
static bool is_number(const struct gsim_cell *cell)
{
    return cell->type == GSIM_CELL_INTEGER || cell->type == GSIM_CELL_REAL;
}

static bool is_true(const struct gsim_cell *cell)
{
    return cell->type == GSIM_CELL_TEXT ? cell->text[0] != '\0' : is_number(cell) && cell->real != 0;
}

/* Comparisons with null are false; a number is not a text, and neither is less. */
static struct gsim_cell join(enum kind kind, const struct gsim_cell *left, const struct gsim_cell *right)
{
    bool numbers = is_number(left) && is_number(right);
    bool texts = left->type == GSIM_CELL_TEXT && right->type == GSIM_CELL_TEXT, can_order = numbers || texts;
    bool has_null = left->type == GSIM_CELL_NULL || right->type == GSIM_CELL_NULL;
    double a = numbers ? left->real : NAN, b = numbers ? right->real : NAN;
    int order = texts ? strcmp(left->text, right->text) : (a > b) - (a < b);
#define X(name, precedence, value)                                                                                     \
    if (kind == KIND_##name)                                                                                           \
        return precedence < BINDS_SUM ? gsim_cell_integer(gsim_whole(value)) : gsim_cell_real((double)(value));
    GSIM_JOINS(X)
#undef X
    GSIM_BUG("condition of kind %d", (int)kind);
}

bool gsim_where_holds(const struct gsim_where *where, const struct gsim_where_names *names)
{
    struct gsim_cell *top = where->stack; /* behind the last one */
    for (const struct step *step = where->steps; step < where->steps + where->count; step++) {
        if (step->kind == KIND_VALUE) {
            *top++ = step->cell;
        } else if (step->kind == KIND_NAME) {
            if (!names->value(names->data, step->cell.text, top)) *top = gsim_cell_text(NULL);
            top++;
        } else if (step->kind == KIND_NOT) {
            top[-1] = gsim_cell_integer(!is_true(&top[-1]));
        } else if (step->kind == KIND_IN) {
            bool found = false;
            top -= step->cell.integer;
            for (int64_t i = 0; i < step->cell.integer; i++) found |= join(KIND_EQUAL, &top[-1], &top[i]).integer != 0;
            top[-1] = gsim_cell_integer(found);
        } else {
            top--;
            top[-1] = join(step->kind, &top[-1], &top[0]);
        }
    }
    return is_true(&where->stack[0]);
}
