/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions: a parser by recursive descent into a tree, and its evaluation. See sweep/query/where.h. */
#include "sweep/query/where.h"

#include <ctype.h>
#include <math.h>

#include "sim/base/text.h"

enum kind {
    KIND_NUMBER,
    KIND_TEXT,
    KIND_NAME,
    KIND_OR,
    KIND_AND,
    KIND_NOT,
    KIND_NEGATE,
    KIND_ADD,
    KIND_SUBTRACT,
    KIND_MULTIPLY,
    KIND_DIVIDE,
    KIND_REMAINDER,
    KIND_EQUAL,
    KIND_UNEQUAL,
    KIND_LESS,
    KIND_LESS_EQUAL,
    KIND_GREATER,
    KIND_GREATER_EQUAL,
    KIND_IN,   /* left: the value; right: a chain of KIND_ITEM */
    KIND_ITEM, /* left: the item; right: the next */
};

struct gsim_where {
    enum kind kind;
    struct gsim_where *left, *right;
    double number;
    const char *text;
    unsigned height; /* of the tree below: it is walked by recursion, on stacks of 256 KB too */
};

#define DEPTH_MAX 64
#define NODES_MAX 10000
#define HEIGHT_MAX 400

struct parser {
    const char *whole, *at;
    const struct gsim_where_names *names;
    struct gsim_arena *arena;
    struct gsim_error *error;
    enum gsim_status status;
    unsigned depth, node_count;
};

static struct gsim_where *parse_or(struct parser *parser);

static struct gsim_where *fail(struct parser *parser, const char *expected)
{
    if (parser->status == GSIM_OK)
        parser->status =
            gsim_error_set(parser->error, GSIM_USAGE, "condition '%.120s': expected %s, found %s%.40s%s", parser->whole,
                           expected, *parser->at ? "'" : "its end", parser->at, *parser->at ? "'" : "");
    return NULL;
}

static struct gsim_where *node(struct parser *parser, enum kind kind, struct gsim_where *left, struct gsim_where *right)
{
    if (parser->status != GSIM_OK) return NULL;
    if (++parser->node_count > NODES_MAX) return fail(parser, "a shorter condition");
    unsigned height = left ? left->height + 1 : 1;
    if (right && right->height >= height) height = right->height + 1;
    if (height > HEIGHT_MAX) return fail(parser, "a shorter chain, or parentheses around its halves");
    struct gsim_where *made = GSIM_ARENA_NEW(parser->arena, struct gsim_where);
    if (made)
        *made = (struct gsim_where){.kind = kind, .left = left, .right = right, .height = height};
    else
        parser->status = gsim_error_set(parser->error, GSIM_NOMEM, "out of memory");
    return made;
}

/* --- words ----------------------------------------------------------------------------------------------------- */
static void skip_space(struct parser *parser)
{
    while (isspace((unsigned char)*parser->at)) parser->at++;
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

/* Length of the word at AT: '-' belongs to it inside (a100-sxm4-40gb), not at its ends. */
static size_t word_length(const char *at)
{
    size_t length = 0;
    while (is_word(at[length]) || (length && at[length] == '-' && is_word(at[length + 1]))) length++;
    return length;
}

/* Takes the sign, or the word, when it is next. */
static bool take(struct parser *parser, const char *sign)
{
    size_t length = strlen(sign);
    skip_space(parser);
    if (strncmp(parser->at, sign, length) != 0) return false;
    if (isalpha((unsigned char)*sign) && word_length(parser->at) != length) return false;
    parser->at += length;
    return true;
}

static struct gsim_where *parse_quoted(struct parser *parser)
{
    char quote = *parser->at++;
    const char *end = strchr(parser->at, quote);
    if (!end) return fail(parser, "a closing quote");
    struct gsim_where *made = node(parser, KIND_TEXT, NULL, NULL);
    if (made) made->text = gsim_arena_printf(parser->arena, "%.*s", (int)(end - parser->at), parser->at);
    parser->at = end + 1;
    return made;
}

static struct gsim_where *parse_word(struct parser *parser)
{
    size_t length = word_length(parser->at);
    struct gsim_cell unused;
    double number;
    /* A number may hold a sign behind its e: 1e-3. */
    if (isdigit((unsigned char)*parser->at)) {
        char *end;
        (void)strtod(parser->at, &end);
        if (end > parser->at + length) length = (size_t)(end - parser->at);
    }
    if (!length) return fail(parser, "a name, a number or a text in quotes");
    struct gsim_where *made = node(parser, KIND_TEXT, NULL, NULL);
    char *text = gsim_arena_printf(parser->arena, "%.*s", (int)length, parser->at);
    if (!made || !text) return NULL;
    made->text = text;
    if (gsim_text_quantity(text, &number))
        *made = (struct gsim_where){.kind = KIND_NUMBER, .number = number};
    else if (parser->names->value(parser->names->data, text, &unused))
        made->kind = KIND_NAME;
    parser->at += length;
    return made;
}

/* --- the grammar ------------------------------------------------------------------------------------------------- */
static struct gsim_where *parse_primary(struct parser *parser)
{
    skip_space(parser);
    if (*parser->at == '\'' || *parser->at == '"') return parse_quoted(parser);
    if (take(parser, "-")) {
        if (++parser->depth > DEPTH_MAX) return fail(parser, "fewer minus signs");
        struct gsim_where *negated = parse_primary(parser);
        parser->depth--;
        return node(parser, KIND_NEGATE, negated, NULL);
    }
    if (!take(parser, "(")) return parse_word(parser);
    if (++parser->depth > DEPTH_MAX) return fail(parser, "fewer parentheses inside each other");
    struct gsim_where *inside = parse_or(parser);
    parser->depth--;
    if (parser->status == GSIM_OK && !take(parser, ")")) return fail(parser, "')'");
    return inside;
}

static struct gsim_where *parse_product(struct parser *parser)
{
    struct gsim_where *left = parse_primary(parser);
    for (;;) {
        enum kind kind = take(parser, "*")   ? KIND_MULTIPLY
                         : take(parser, "/") ? KIND_DIVIDE
                         : take(parser, "%") ? KIND_REMAINDER
                                             : KIND_NUMBER;
        if (kind == KIND_NUMBER || parser->status != GSIM_OK) return left;
        left = node(parser, kind, left, parse_primary(parser));
    }
}

static struct gsim_where *parse_sum(struct parser *parser)
{
    struct gsim_where *left = parse_product(parser);
    for (;;) {
        enum kind kind = take(parser, "+") ? KIND_ADD : take(parser, "-") ? KIND_SUBTRACT : KIND_NUMBER;
        if (kind == KIND_NUMBER || parser->status != GSIM_OK) return left;
        left = node(parser, kind, left, parse_product(parser));
    }
}

static bool has_name(const struct gsim_where *where)
{
    for (; where; where = where->right)
        if (where->kind == KIND_NAME || has_name(where->left)) return true;
    return false;
}

/* "shced == kesco" compares two texts: certainly a slip of the hand. */
static struct gsim_where *check_names(struct parser *parser, struct gsim_where *made)
{
    if (!made || has_name(made)) return made;
    const struct gsim_where *word = made->left->kind == KIND_TEXT ? made->left : made->right;
    parser->status =
        gsim_error_set(parser->error, GSIM_USAGE, "condition '%.120s': '%.60s' is no name that is known here",
                       parser->whole, word && word->text ? word->text : "a number");
    return NULL;
}

static struct gsim_where *parse_items(struct parser *parser)
{
    struct gsim_where *first = NULL, **next = &first;
    if (!take(parser, "(")) return fail(parser, "'(' and a list");
    do {
        *next = node(parser, KIND_ITEM, parse_sum(parser), NULL);
        if (!*next) return NULL;
        next = &(*next)->right;
    } while (take(parser, ","));
    return take(parser, ")") ? first : fail(parser, "',' or ')'");
}

static struct gsim_where *parse_comparison(struct parser *parser)
{
    static const struct {
        const char *sign;
        enum kind kind;
    } signs[] = {{"==", KIND_EQUAL}, {"!=", KIND_UNEQUAL}, {"<=", KIND_LESS_EQUAL}, {">=", KIND_GREATER_EQUAL},
                 {"=", KIND_EQUAL},  {"<", KIND_LESS},     {">", KIND_GREATER},     {"in", KIND_IN}};
    struct gsim_where *left = parse_sum(parser);
    for (size_t i = 0; parser->status == GSIM_OK && i < sizeof(signs) / sizeof(signs[0]); i++) {
        if (!take(parser, signs[i].sign)) continue;
        struct gsim_where *right = signs[i].kind == KIND_IN ? parse_items(parser) : parse_sum(parser);
        return check_names(parser, node(parser, signs[i].kind, left, right));
    }
    return left;
}

static struct gsim_where *parse_not(struct parser *parser)
{
    if (++parser->depth > DEPTH_MAX) return fail(parser, "fewer negations");
    struct gsim_where *made =
        take(parser, "not") || (skip_space(parser), *parser->at == '!' && parser->at[1] != '=' && take(parser, "!"))
            ? node(parser, KIND_NOT, parse_not(parser), NULL)
            : parse_comparison(parser);
    parser->depth--;
    return made;
}

static struct gsim_where *parse_and(struct parser *parser)
{
    struct gsim_where *left = parse_not(parser);
    while (parser->status == GSIM_OK && (take(parser, "&&") || take(parser, "and")))
        left = node(parser, KIND_AND, left, parse_not(parser));
    return left;
}

static struct gsim_where *parse_or(struct parser *parser)
{
    struct gsim_where *left = parse_and(parser);
    while (parser->status == GSIM_OK && (take(parser, "||") || take(parser, "or")))
        left = node(parser, KIND_OR, left, parse_and(parser));
    return left;
}

enum gsim_status gsim_where_compile(const char *text, const struct gsim_where_names *names, struct gsim_arena *arena,
                                    struct gsim_where **where, struct gsim_error *error)
{
    struct parser parser = {.whole = text, .at = text, .names = names, .arena = arena, .error = error};
    *where = parse_or(&parser);
    skip_space(&parser);
    if (parser.status == GSIM_OK && *parser.at) fail(&parser, "a comparison sign, 'and' or 'or'");
    if (parser.status == GSIM_OK && arena->failed) parser.status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (parser.status == GSIM_OK && !has_name(*where))
        parser.status = gsim_error_set(error, GSIM_USAGE,
                                       "condition '%.120s': expected at least one name that is known here", text);
    return parser.status;
}

/* --- evaluation --- */
static bool is_number(const struct gsim_cell *cell)
{
    return cell->type == GSIM_CELL_INTEGER || cell->type == GSIM_CELL_REAL;
}

static struct gsim_cell truth(bool holds) { return gsim_cell_integer(holds); }

static bool is_true(const struct gsim_cell *cell)
{
    if (cell->type == GSIM_CELL_TEXT) return cell->text[0] != '\0';
    return cell->type != GSIM_CELL_NULL && cell->real != 0;
}

/* Below 0, 0 or above 0; false when the two cannot be compared. */
static bool order(const struct gsim_cell *left, const struct gsim_cell *right, int *sign)
{
    if (is_number(left) && is_number(right)) {
        *sign = left->real < right->real ? -1 : left->real > right->real;
        return true;
    }
    if (left->type != GSIM_CELL_TEXT || right->type != GSIM_CELL_TEXT) return false;
    *sign = strcmp(left->text, right->text);
    return true;
}

static struct gsim_cell compare(enum kind kind, const struct gsim_cell *left, const struct gsim_cell *right)
{
    int sign;
    if (left->type == GSIM_CELL_NULL || right->type == GSIM_CELL_NULL) return truth(false);
    if (!order(left, right, &sign)) return truth(kind == KIND_UNEQUAL); /* a number is not a text */
    return truth(kind == KIND_EQUAL        ? sign == 0
                 : kind == KIND_UNEQUAL    ? sign != 0
                 : kind == KIND_LESS       ? sign < 0
                 : kind == KIND_LESS_EQUAL ? sign <= 0
                 : kind == KIND_GREATER    ? sign > 0
                                           : sign >= 0);
}

static struct gsim_cell calculate(enum kind kind, const struct gsim_cell *left, const struct gsim_cell *right)
{
    if (!is_number(left) || !is_number(right)) return (struct gsim_cell){.type = GSIM_CELL_NULL};
    return gsim_cell_real(kind == KIND_ADD        ? left->real + right->real
                          : kind == KIND_SUBTRACT ? left->real - right->real
                          : kind == KIND_MULTIPLY ? left->real * right->real
                          : kind == KIND_DIVIDE   ? left->real / right->real
                                                  : fmod(left->real, right->real));
}

static struct gsim_cell evaluate(const struct gsim_where *where, const struct gsim_where_names *names)
{
    struct gsim_cell left, right;
    switch (where->kind) {
    case KIND_NUMBER:
        return gsim_cell_real(where->number);
    case KIND_TEXT:
        return gsim_cell_text(where->text);
    case KIND_NAME:
        if (!names->value(names->data, where->text, &left)) left.type = GSIM_CELL_NULL;
        return left;
    case KIND_OR:
    case KIND_AND:
        left = evaluate(where->left, names);
        if (is_true(&left) == (where->kind == KIND_OR)) return truth(where->kind == KIND_OR);
        right = evaluate(where->right, names);
        return truth(is_true(&right));
    case KIND_NOT:
        left = evaluate(where->left, names);
        return truth(!is_true(&left));
    case KIND_NEGATE:
        left = evaluate(where->left, names);
        return is_number(&left) ? gsim_cell_real(-left.real) : (struct gsim_cell){.type = GSIM_CELL_NULL};
    case KIND_IN:
        left = evaluate(where->left, names);
        for (const struct gsim_where *item = where->right; item; item = item->right) {
            right = evaluate(item->left, names);
            right = compare(KIND_EQUAL, &left, &right);
            if (is_true(&right)) return right;
        }
        return truth(false);
    case KIND_ITEM:
        break;
    case KIND_ADD:
    case KIND_SUBTRACT:
    case KIND_MULTIPLY:
    case KIND_DIVIDE:
    case KIND_REMAINDER:
        left = evaluate(where->left, names);
        right = evaluate(where->right, names);
        return calculate(where->kind, &left, &right);
    case KIND_EQUAL:
    case KIND_UNEQUAL:
    case KIND_LESS:
    case KIND_LESS_EQUAL:
    case KIND_GREATER:
    case KIND_GREATER_EQUAL:
        left = evaluate(where->left, names);
        right = evaluate(where->right, names);
        return compare(where->kind, &left, &right);
    }
    GSIM_BUG("condition of kind %d", (int)where->kind);
}

bool gsim_where_holds(const struct gsim_where *where, const struct gsim_where_names *names)
{
    struct gsim_cell result = evaluate(where, names);
    return is_true(&result);
}
