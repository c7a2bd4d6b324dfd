/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The value of an expression, as far as it is known: see source/read/source.h. */
#include "source/read/source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STEPS 2000000u /* seconds of processor time, as are so many ops */
#define MAX_OPS    32768u

static const struct gsim_cu_value unknown;

CXCursor gsim_cu_last_kid(struct gsim_cu *s, CXCursor cursor, bool *is_there)
{
    struct gsim_cu_kids kids = gsim_cu_kids(s, cursor);
    *is_there = kids.count > 0;
    if (kids.count) cursor = kids.at[kids.count - 1];
    gsim_free(kids.at);
    return cursor;
}

/* Past casts and parentheses. */
static CXCursor strip(struct gsim_cu *s, CXCursor cursor)
{
    bool is_there = true;
    while (is_there) {
        enum CXCursorKind kind = s->clang.getCursorKind(cursor);
        if (kind != CXCursor_UnexposedExpr && kind != CXCursor_ParenExpr && kind != CXCursor_CStyleCastExpr &&
            kind != CXCursor_CXXStaticCastExpr && kind != CXCursor_CXXReinterpretCastExpr &&
            kind != CXCursor_CXXConstCastExpr)
            break;
        cursor = gsim_cu_last_kid(s, cursor, &is_there);
    }
    return cursor;
}

/* --- places --- */
uint32_t gsim_cu_variable(struct gsim_cu *s, CXCursor declaration)
{
    if (s->code.external_count && !gsim_cu_is_local(s, declaration) &&
        s->clang.Cursor_getStorageClass(declaration) != CX_SC_Static)
        declaration = gsim_cu_defined(s, declaration);
    uint32_t frame = gsim_cu_is_lasting(s, declaration) ? 0 : s->host.frame;
    return gsim_cu_cell(s, frame, s->clang.hashCursor(s->clang.getCanonicalCursor(declaration)));
}

void gsim_cu_touch(struct gsim_cu *s, uint32_t region, bool writes)
{
    if (!s->host.in_kernel && s->memory.regions[region].memory == GSIM_CU_MANAGED) gsim_cu_host_op(s, region, writes);
    if (!s->host.in_kernel && s->memory.regions[region].use_count) gsim_cu_copy_op(s, region, writes);
}

/* A store to an element that is not told: all of them become unknown. */
static uint32_t somewhere_in(struct gsim_cu *s, uint32_t whole)
{
    gsim_cu_wipe(s, whole);
    return gsim_cu_cell(s, 0, gsim_cu_text_key("somewhere"));
}

static uint32_t element(struct gsim_cu *s, struct gsim_cu_value base, struct gsim_cu_value index, double size,
                        bool writes)
{
    if (base.kind == GSIM_CU_POINTER) {
        gsim_cu_touch(s, base.at, writes);
        double at = index.kind == GSIM_CU_NUMBER && size > 0 ? base.n[0] + index.n[0] * size : NAN;
        if (at >= 0) return gsim_cu_cell(s, s->memory.regions[base.at].cell, gsim_whole_u64(at));
        return writes ? somewhere_in(s, s->memory.regions[base.at].cell) : GSIM_CU_NONE;
    }
    if (base.kind != GSIM_CU_CELL) {
        if (!s->host.in_kernel) gsim_cu_foreign(s); /* it may be memory that the device has written */
        return GSIM_CU_NONE;
    }
    if (gsim_cu_load(s, base.at).kind == GSIM_CU_POINTER)
        return element(s, gsim_cu_load(s, base.at), index, size, writes);
    if (index.kind == GSIM_CU_NUMBER) return gsim_cu_cell(s, base.at, (uint64_t)gsim_whole(index.n[0]) + 1);
    return writes ? somewhere_in(s, base.at) : GSIM_CU_NONE;
}

/* What an array or a class is: its cell; what a pointer points to. */
struct gsim_cu_value gsim_cu_object(struct gsim_cu *s, CXCursor expression)
{
    enum CXTypeKind kind = s->clang.getCanonicalType(s->clang.getCursorType(strip(s, expression))).kind;
    bool is_array = kind == CXType_ConstantArray || kind == CXType_IncompleteArray || kind == CXType_VariableArray;
    if ((!is_array || gsim_cu_is_decayed(s, strip(s, expression))) && kind != CXType_Record)
        return gsim_cu_evaluate(s, expression);
    uint32_t cell = gsim_cu_place(s, expression, false);
    if (cell == GSIM_CU_NONE) return gsim_cu_evaluate(s, expression);
    struct gsim_cu_value whole = gsim_cu_load(s, cell);
    bool is_it = whole.kind == GSIM_CU_DIM || (is_array && whole.kind == GSIM_CU_POINTER);
    return is_it ? whole : (struct gsim_cu_value){.kind = GSIM_CU_CELL, .at = cell};
}

/* The place of a variable or a field; of a reference where it leads. */
static uint32_t referred(struct gsim_cu *s, CXCursor expression, uint32_t cell)
{
    struct gsim_cu_value value = gsim_cu_load(s, cell);
    CXType type = s->clang.getCursorType(s->clang.getCursorReferenced(expression));
    return type.kind == CXType_LValueReference && value.kind == GSIM_CU_CELL ? value.at : cell;
}

static uint32_t member(struct gsim_cu *s, CXCursor expression, bool writes)
{
    char name[GSIM_LIMIT_NAME + 1];
    struct gsim_cu_kids kids = gsim_cu_kids(s, expression);
    struct gsim_cu_value base = {.kind = GSIM_CU_CELL, .at = s->host.self};
    gsim_cu_name(s, expression, name);
    if (kids.count && s->clang.getCursorKind(kids.at[0]) != CXCursor_TypeRef) base = gsim_cu_object(s, kids.at[0]);
    gsim_free(kids.at);
    if (base.kind == GSIM_CU_POINTER) {
        gsim_cu_touch(s, base.at, writes);
        base = (struct gsim_cu_value){.kind = GSIM_CU_CELL, .at = s->memory.regions[base.at].cell};
    }
    uint32_t cell = base.kind == GSIM_CU_CELL ? gsim_cu_cell(s, base.at, gsim_cu_text_key(name)) : GSIM_CU_NONE;
    return referred(s, expression, cell);
}

/* The cell of a variable; of one that is used before it is executed, as those outside of functions, with its initial
 * value. */
static uint32_t declared(struct gsim_cu *s, CXCursor declaration)
{
    uint32_t cell = gsim_cu_variable(s, declaration);
    if (cell == GSIM_CU_NONE || gsim_cu_is_set(s, cell) || s->clang.getCursorKind(declaration) != CXCursor_VarDecl)
        return cell;
    s->memory.cells[cell].is_set = true;
    s->memory.cells[cell].is_shared = !gsim_cu_is_local(s, declaration) && /* with other files */
                               s->clang.Cursor_getStorageClass(declaration) != CX_SC_Static;
    CXCursor whole = s->clang.getCursorDefinition(gsim_cu_defined(s, declaration));
    gsim_cu_declare(s, s->clang.Cursor_isNull(whole) ? declaration : whole);
    return cell;
}

/* One that kernels name, in managed memory: it may be written. */
static void touch_variable(struct gsim_cu *s, CXCursor declaration)
{
    if (s->host.in_kernel || gsim_cu_is_local(s, declaration)) return;
    uint32_t cell = gsim_cu_cell(s, gsim_cu_cell(s, 0, gsim_cu_text_key("globals")),
                                 s->clang.hashCursor(s->clang.getCanonicalCursor(declaration)));
    struct gsim_cu_value value = gsim_cu_load(s, cell);
    if (value.kind != GSIM_CU_POINTER || s->memory.regions[value.at].memory != GSIM_CU_MANAGED) return;
    gsim_cu_touch(s, value.at, false);
    gsim_cu_touch(s, value.at, true);
}

uint32_t gsim_cu_place(struct gsim_cu *s, CXCursor expression, bool writes)
{
    uint32_t cell = GSIM_CU_NONE;
    expression = strip(s, expression);
    enum CXCursorKind kind = s->clang.getCursorKind(expression);
    if (kind == CXCursor_DeclRefExpr) {
        cell = declared(s, s->clang.getCursorReferenced(expression));
        touch_variable(s, s->clang.getCursorReferenced(expression));
        return referred(s, expression, cell);
    }
    if (kind == CXCursor_MemberRefExpr) return member(s, expression, writes);
    struct gsim_cu_kids kids = gsim_cu_kids(s, expression);
    double size = (double)s->clang.Type_getSizeOf(s->clang.getCursorType(expression));
    if (kind == CXCursor_ArraySubscriptExpr && kids.count == 2)
        cell = element(s, gsim_cu_object(s, kids.at[0]), gsim_cu_evaluate(s, kids.at[1]), size, writes);
    else if (kind == CXCursor_UnaryOperator && kids.count == 1) {
        struct gsim_cu_value base = gsim_cu_evaluate(s, kids.at[0]);
        cell = base.kind == GSIM_CU_CELL ? base.at : element(s, base, gsim_cu_number(0), size, writes);
    } else if (kind == CXCursor_BinaryOperator && kids.count == 2) { /* s.*m, p->*m; (p = q) */
        char op[4];
        gsim_cu_operator(s, kids.at[0], kids.at[1], op);
        (void)gsim_cu_evaluate(s, expression);
        gsim_cu_wipe_at(s, gsim_cu_object(s, kids.at[0]));
        if (strcmp(op, "->*") != 0) gsim_cu_wipe(s, gsim_cu_place(s, kids.at[0], true));
    } else if (kind == CXCursor_ConditionalOperator && kids.count == 3) {
        struct gsim_cu_value condition = gsim_cu_evaluate(s, kids.at[0]);
        for (size_t i = 1; i < 3; i++) {
            uint32_t own = gsim_cu_place(s, kids.at[i], writes);
            if (gsim_cu_is_known(condition) && (condition.n[0] == 0) == (i == 2)) cell = own;
            if (own != GSIM_CU_NONE) s->memory.cells[own].is_shared = true; /* it may be stored to */
        }
    }
    gsim_free(kids.at);
    return cell;
}

/* --- operators --- */
static struct gsim_cu_value arithmetic(const char *op, double a, double b, bool is_integer)
{
    if (strcmp(op, "+") == 0) return gsim_cu_number(a + b);
    if (strcmp(op, "-") == 0) return gsim_cu_number(a - b);
    if (strcmp(op, "*") == 0) return gsim_cu_number(a * b);
    if (strcmp(op, "/") == 0) return b == 0 ? unknown : gsim_cu_number(is_integer ? trunc(a / b) : a / b);
    if (strcmp(op, "%") == 0) return b == 0 ? unknown : gsim_cu_number(fmod(a, b));
    if (strcmp(op, "<") == 0) return gsim_cu_number(a < b);
    if (strcmp(op, ">") == 0) return gsim_cu_number(a > b);
    if (strcmp(op, "<=") == 0) return gsim_cu_number(a <= b);
    if (strcmp(op, ">=") == 0) return gsim_cu_number(a >= b);
    if (strcmp(op, "==") == 0) return gsim_cu_number(a == b);
    if (strcmp(op, "!=") == 0) return gsim_cu_number(a != b);
    if (strcmp(op, "&&") == 0) return gsim_cu_number(a != 0 && b != 0);
    if (strcmp(op, "||") == 0) return gsim_cu_number(a != 0 || b != 0);
    if (fabs(a) > 9e15 || fabs(b) > 9e15) return unknown;
    int64_t i = gsim_whole(a), j = gsim_whole(b);
    if (strcmp(op, "<<") == 0) return j < 0 || j > 52 ? unknown : gsim_cu_number(ldexp(a, (int)j));
    if (strcmp(op, ">>") == 0) return j < 0 || j > 52 ? unknown : gsim_cu_number(floor(ldexp(a, -(int)j)));
    if (strcmp(op, "&") == 0) return gsim_cu_number((double)(i & j));
    if (strcmp(op, "|") == 0) return gsim_cu_number((double)(i | j));
    if (strcmp(op, "^") == 0) return gsim_cu_number((double)(i ^ j));
    return unknown;
}

static struct gsim_cu_value apply(struct gsim_cu *s, CXCursor left, const char *op, struct gsim_cu_value a,
                                  struct gsim_cu_value b, bool is_integer)
{
    CXType type = s->clang.getCanonicalType(s->clang.getCursorType(left));
    CXType element_type =
        type.kind == CXType_Pointer ? s->clang.getPointeeType(type) : s->clang.getArrayElementType(type);
    bool is_sum = strcmp(op, "+") == 0 || strcmp(op, "-") == 0;
    if (a.kind == GSIM_CU_NUMBER && b.kind == GSIM_CU_NUMBER) {
        struct gsim_cu_value result = arithmetic(op, a.n[0], b.n[0], is_integer);
        result.n[1] = gsim_cu_is_known(result) && (gsim_cu_is_guess(a) || gsim_cu_is_guess(b));
        return result;
    }
    if (a.kind == GSIM_CU_POINTER && b.kind == GSIM_CU_POINTER && strcmp(op, "-") == 0) {
        double apart = (a.n[0] - b.n[0]) / (double)s->clang.Type_getSizeOf(element_type);
        if (a.at == b.at) return gsim_cu_number(apart);
        s->memory.has_distances |= !s->host.in_kernel;
        return unknown;
    }
    if (b.kind == GSIM_CU_POINTER && strcmp(op, "+") == 0) {
        b.n[0] = NAN; /* 1 + p: its begin is not told */
        return b;
    }
    if ((a.kind == GSIM_CU_POINTER || a.kind == GSIM_CU_CELL) && a.kind == b.kind &&
        (!strcmp(op, "==") || !strcmp(op, "!=")))
        return gsim_cu_number((a.at == b.at && a.n[0] == b.n[0]) == (op[0] == '='));
    if ((a.kind == GSIM_CU_POINTER || a.kind == GSIM_CU_CELL) && gsim_cu_is_known(b) && b.n[0] == 0 &&
        (!strcmp(op, "==") || !strcmp(op, "!=")))
        return gsim_cu_number(op[0] == '!'); /* with NULL */
    if (a.kind == GSIM_CU_POINTER && is_sum) {
        double bytes = (double)s->clang.Type_getSizeOf(element_type) * (op[0] == '+' ? 1 : -1);
        a.n[0] = gsim_cu_is_known(b) ? a.n[0] + bytes * b.n[0] : NAN;
        return a;
    }
    if (strcmp(op, "&&") == 0 && ((gsim_cu_is_known(a) && a.n[0] == 0) || (gsim_cu_is_known(b) && b.n[0] == 0)))
        return gsim_cu_number(0);
    if (strcmp(op, "||") == 0 && ((gsim_cu_is_known(a) && a.n[0] != 0) || (gsim_cu_is_known(b) && b.n[0] != 0)))
        return gsim_cu_number(1);
    return unknown;
}

/* VALUE, computed in the type of EXPRESSION; unknown where the host's sum, difference or product leaves that type. */
static struct gsim_cu_value fit(struct gsim_cu *s, CXCursor expression, const char *op, struct gsim_cu_value value)
{
    CXType type = s->clang.getCanonicalType(s->clang.getCursorType(expression));
    if (s->host.in_kernel || !gsim_cu_is_known(value) || !strchr("+-*", *op) || type.kind < CXType_Char_U ||
        type.kind > CXType_Int128)
        return value;
    bool is_signed = type.kind > CXType_UInt128;
    double most = ldexp(1, 8 * (int)s->clang.Type_getSizeOf(type) - is_signed);
    return value.n[0] < (is_signed ? -most : 0) || value.n[0] >= most ? unknown : value;
}

/* Whatever has an address, and may be of the type of PLACE, may have got another value. */
void gsim_cu_wild(struct gsim_cu *s, CXCursor place)
{
    if (s->host.in_kernel) return;
    s->memory.wild[0] = ++s->memory.clock;
    if (gsim_cu_holds(s, s->clang.getCursorType(place))) s->memory.wild[1] = s->memory.clock;
}

/* grid.x = 8: a component of a value that has three. */
static bool store_component(struct gsim_cu *s, CXCursor left, struct gsim_cu_value value)
{
    char name[GSIM_LIMIT_NAME + 1];
    left = strip(s, left);
    struct gsim_cu_kids kids = gsim_cu_kids(s, left);
    uint32_t cell = kids.count && s->clang.getCursorKind(left) == CXCursor_MemberRefExpr
                        ? gsim_cu_place(s, kids.at[0], true)
                        : GSIM_CU_NONE;
    gsim_free(kids.at);
    gsim_cu_name(s, left, name);
    struct gsim_cu_value whole = gsim_cu_load(s, cell);
    if (whole.kind != GSIM_CU_DIM || name[1] || name[0] < 'x' || name[0] > 'z') return false;
    if (gsim_cu_is_known(value)) whole.n[name[0] - 'x'] = value.n[0];
    else whole = unknown;
    gsim_cu_store(s, cell, whole);
    return true;
}

static struct gsim_cu_value assign(struct gsim_cu *s, CXCursor left, struct gsim_cu_value value)
{
    CXCursor target = strip(s, left);
    if (gsim_cu_is_integer(s, left) && gsim_cu_is_known(value)) value.n[0] = trunc(value.n[0]);
    if (store_component(s, left, value)) return value;
    struct gsim_cu_value given;
    if (s->clang.getCursorKind(target) != CXCursor_ArraySubscriptExpr && gsim_cu_given(s, target, &given))
        value = given;
    if (s->clang.getCursorKind(target) == CXCursor_CallExpr) (void)gsim_cu_evaluate(s, target);
    uint32_t cell = gsim_cu_place(s, left, true);
    if (cell == GSIM_CU_NONE) gsim_cu_wild(s, left);
    gsim_cu_store(s, cell, value);
    return value;
}

static struct gsim_cu_value folded(struct gsim_cu *s, CXCursor expression);

/* An expression that is executed if CONDITION holds as IS_TRUE says, which is not known. One that calls CUDA is read as
 * the branch of an "if" is; true: it does. IS_OTHER: that of another way was read, this one is not. */
static bool perhaps(struct gsim_cu *s, CXCursor condition, CXCursor expression, bool is_true, bool is_other)
{
    bool has_calls = gsim_cu_has_calls(s, expression);
    if (has_calls && is_other) gsim_cu_barrier(s, expression, "");
    else if (has_calls) {
        gsim_cu_guess(s, condition, is_true);
        s->host.guesses++;
        (void)gsim_cu_evaluate(s, expression);
        s->host.guesses--;
    }
    gsim_cu_forget(s, expression, false);
    return has_calls;
}

static struct gsim_cu_value binary(struct gsim_cu *s, CXCursor expression, const struct gsim_cu_kids *kids)
{
    char op[4];
    bool is_integer = gsim_cu_is_integer(s, kids->at[0]) && gsim_cu_is_integer(s, kids->at[1]);
    gsim_cu_operator(s, kids->at[0], kids->at[1], op);
    if (!op[0]) { /* within a macro */
        struct gsim_cu_value value = folded(s, expression);
        if (gsim_cu_is_known(value)) return value;
        (void)gsim_cu_evaluate(s, kids->at[1]);
        CXCursor left = strip(s, kids->at[0]);
        if (s->clang.getCursorKind(left) == CXCursor_DeclRefExpr) gsim_cu_wipe(s, gsim_cu_place(s, left, true));
        else (void)gsim_cu_evaluate(s, left);
        return value;
    }
    if (strcmp(op, "=") == 0)
        return assign(s, kids->at[0], gsim_cu_told_before(s, kids->at[1], gsim_cu_evaluate(s, kids->at[1])));
    struct gsim_cu_value a = gsim_cu_evaluate(s, kids->at[0]);
    if ((strcmp(op, "&&") == 0 && gsim_cu_is_known(a) && a.n[0] == 0)) return gsim_cu_number(0);
    if ((strcmp(op, "||") == 0 && gsim_cu_is_known(a) && a.n[0] != 0)) return gsim_cu_number(1);
    bool may_be_left = (!strcmp(op, "&&") || !strcmp(op, "||")) && a.kind != GSIM_CU_POINTER &&
                       (!gsim_cu_is_known(a) || (gsim_cu_is_guess(a) && gsim_cu_has_calls(s, kids->at[1])));
    if (may_be_left && perhaps(s, kids->at[0], kids->at[1], *op == '&', false)) return unknown;
    struct gsim_cu_value b = gsim_cu_evaluate(s, kids->at[1]);
    size_t length = strlen(op);
    if (s->clang.getCursorKind(expression) == CXCursor_CompoundAssignOperator) {
        if (length) op[length - 1] = '\0';
        return assign(s, kids->at[0], fit(s, kids->at[0], op, apply(s, kids->at[0], op, a, b, is_integer)));
    }
    return strcmp(op, ",") == 0 ? b : fit(s, expression, op, apply(s, kids->at[0], op, a, b, is_integer));
}

char gsim_cu_unary(struct gsim_cu *s, CXCursor expression, CXCursor kid, bool *is_behind)
{
    size_t left = 0;
    unsigned own, its, end;
    CXSourceRange range = s->clang.getCursorExtent(expression);
    const char *text = gsim_cu_text(s, s->clang.getRangeStart(range), &left, NULL);
    s->clang.getSpellingLocation(s->clang.getRangeStart(range), NULL, NULL, NULL, &own);
    s->clang.getSpellingLocation(s->clang.getRangeStart(s->clang.getCursorExtent(kid)), NULL, NULL, NULL, &its);
    CXFile file; /* which may be a header */
    s->clang.getExpansionLocation(s->clang.getRangeEnd(range), &file, NULL, NULL, &end);
    *is_behind = own == its;
    if (*is_behind) {
        size_t size = 0;
        const char *all = gsim_cu_contents(s, file, &size);
        text = all && end >= 1 && end <= size ? all + end - 1 : NULL;
        return !text ? '?' : *text == '+' ? 'i' : *text == '-' ? 'd' : '?';
    }
    if (!text || !strchr("*&+-!~", *text)) return '?';
    bool is_step = left > 1 && text[1] == *text;
    return *text == '+' && is_step ? 'i' : *text == '-' && is_step ? 'd' : *text;
}

static struct gsim_cu_value unary(struct gsim_cu *s, CXCursor expression, CXCursor kid)
{
    bool is_behind;
    char op = gsim_cu_unary(s, expression, kid, &is_behind);
    if (op == '&') {
        struct gsim_cu_value value = {.kind = GSIM_CU_CELL, .at = gsim_cu_place(s, kid, false)};
        CXCursor target = strip(s, kid);
        if (s->clang.getCursorKind(target) == CXCursor_ArraySubscriptExpr) { /* &p[i] */
            struct gsim_cu_kids kids = gsim_cu_kids(s, target);
            struct gsim_cu_value base = kids.count == 2 ? gsim_cu_object(s, kids.at[0]) : unknown;
            if (base.kind == GSIM_CU_POINTER)
                value = apply(s, kids.at[0], "+", base, gsim_cu_evaluate(s, kids.at[1]), true);
            gsim_free(kids.at);
        }
        return value.kind == GSIM_CU_CELL && value.at == GSIM_CU_NONE ? unknown : value;
    }
    if (op == '*') return gsim_cu_load(s, gsim_cu_place(s, expression, false));
    struct gsim_cu_value value = gsim_cu_evaluate(s, kid);
    if (op == 'i' || op == 'd') {
        const char *sum = op == 'i' ? "+" : "-";
        struct gsim_cu_value next = fit(s, kid, sum, apply(s, kid, sum, value, gsim_cu_number(1), true));
        assign(s, kid, next);
        return is_behind ? value : next;
    }
    if (op == '!' && (value.kind == GSIM_CU_POINTER || value.kind == GSIM_CU_CELL)) return gsim_cu_number(0);
    if (!gsim_cu_is_known(value)) return unknown;
    if (op == '-') return gsim_cu_number(-value.n[0]);
    if (op == '+') return value;
    if (op == '!') return gsim_cu_number(value.n[0] == 0);
    return op == '~' && fabs(value.n[0]) < 9e15 ? gsim_cu_number((double)~gsim_whole(value.n[0])) : unknown;
}

/* --- leaves --- */
static struct gsim_cu_value folded(struct gsim_cu *s, CXCursor expression)
{
    struct gsim_cu_value value = unknown;
    CXEvalResult result = s->clang.Cursor_Evaluate(expression);
    if (!result) return value;
    if (s->clang.EvalResult_getKind(result) == CXEval_Int)
        value = gsim_cu_number((double)s->clang.EvalResult_getAsLongLong(result));
    if (s->clang.EvalResult_getKind(result) == CXEval_Float)
        value = gsim_cu_number(s->clang.EvalResult_getAsDouble(result));
    s->clang.EvalResult_dispose(result);
    return value;
}

bool gsim_cu_constant(struct gsim_cu *s, CXCursor expression, double *number)
{
    struct gsim_cu_value value = folded(s, expression);
    if (gsim_cu_is_known(value)) *number = value.n[0];
    return gsim_cu_is_known(value);
}

static struct gsim_cu_value literal(struct gsim_cu *s, CXCursor expression)
{
    size_t left = 0;
    const char *text = gsim_cu_text(s, s->clang.getRangeStart(s->clang.getCursorExtent(expression)), &left, NULL);
    char *end = NULL;
    struct gsim_cu_value value = folded(s, expression);
    if (gsim_cu_is_known(value) || !text) return value;
    double number = strtod(text, &end);
    if (end != text) return gsim_cu_number(number);
    return *text == 't' || *text == 'f' ? gsim_cu_number(*text == 't') : unknown;
}

static struct gsim_cu_value reference(struct gsim_cu *s, CXCursor expression)
{
    CXCursor declaration = s->clang.getCursorReferenced(expression);
    enum CXCursorKind kind = s->clang.getCursorKind(declaration);
    if (kind == CXCursor_EnumConstantDecl)
        return gsim_cu_number((double)s->clang.getEnumConstantDeclValue(declaration));
    if (kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl) return unknown;
    uint32_t cell = gsim_cu_place(s, expression, false);
    enum CXTypeKind type = s->clang.getCanonicalType(s->clang.getCursorType(declaration)).kind;
    if ((type == CXType_ConstantArray || type == CXType_VariableArray || type == CXType_IncompleteArray) &&
        !gsim_cu_is_decayed(s, expression)) {
        struct gsim_cu_value pinned = gsim_cu_load(s, cell);
        return pinned.kind == GSIM_CU_POINTER ? pinned : (struct gsim_cu_value){.kind = GSIM_CU_CELL, .at = cell};
    }
    if (cell == s->host.argc && cell != GSIM_CU_NONE && !s->host.in_kernel)
        gsim_cu_note(s, expression, "argc is taken as 1 (--arg argc=N)");
    return gsim_cu_load(s, cell);
}

static struct gsim_cu_value component(struct gsim_cu *s, CXCursor expression, const struct gsim_cu_kids *kids)
{
    char name[GSIM_LIMIT_NAME + 1];
    struct gsim_cu_value given, whole = kids->count ? gsim_cu_evaluate(s, kids->at[0]) : unknown;
    gsim_cu_name(s, expression, name);
    if (whole.kind == GSIM_CU_DIM && !name[1] && name[0] >= 'x' && name[0] <= 'z')
        return gsim_cu_number(whole.n[name[0] - 'x']);
    if (gsim_cu_given(s, expression, &given)) return given;
    uint32_t cell = member(s, expression, false);
    struct gsim_cu_value value = gsim_cu_load(s, cell);
    enum CXTypeKind type = s->clang.getCanonicalType(s->clang.getCursorType(expression)).kind;
    if (type == CXType_ConstantArray && cell != GSIM_CU_NONE)
        return (struct gsim_cu_value){.kind = GSIM_CU_CELL, .at = cell};
    CXCursor field = s->clang.getCursorReferenced(expression);
    if (cell != GSIM_CU_NONE && !gsim_cu_is_set(s, cell) &&
        s->clang.getCursorKind(field) == CXCursor_FieldDecl) { /* its default */
        bool is_there = false;
        CXCursor initial = gsim_cu_last_kid(s, field, &is_there);
        if (is_there && s->clang.getCursorKind(initial) != CXCursor_TypeRef) value = gsim_cu_evaluate(s, initial);
    }
    return value;
}

static struct gsim_cu_value choice(struct gsim_cu *s, const struct gsim_cu_kids *kids)
{
    struct gsim_cu_value condition = gsim_cu_evaluate(s, kids->at[0]);
    bool is_guess = gsim_cu_is_guess(condition) && (gsim_cu_has_calls(s, kids->at[1]) ||
                                                    gsim_cu_has_calls(s, kids->at[2]));
    if (condition.kind == GSIM_CU_UNKNOWN || condition.kind == GSIM_CU_DIM || is_guess) {
        bool is_read = perhaps(s, kids->at[0], kids->at[1], true, false);
        (void)perhaps(s, kids->at[0], kids->at[2], false, is_read);
        return unknown;
    }
    bool is_second = gsim_cu_is_known(condition) && condition.n[0] == 0;
    struct gsim_cu_value value = gsim_cu_evaluate(s, kids->at[is_second ? 2 : 1]);
    if (gsim_cu_is_known(value) && gsim_cu_is_guess(condition)) value.n[1] = 1;
    return value;
}

static struct gsim_cu_value cast(struct gsim_cu *s, CXCursor expression, const struct gsim_cu_kids *kids)
{
    if (!kids->count) return unknown;
    struct gsim_cu_value value = gsim_cu_evaluate(s, kids->at[kids->count - 1]);
    if (gsim_cu_is_known(value) && gsim_cu_is_integer(s, expression)) value.n[0] = trunc(value.n[0]);
    return value;
}

struct gsim_cu_value gsim_cu_evaluate(struct gsim_cu *s, CXCursor expression)
{
    struct gsim_cu_value value = unknown;
    enum CXCursorKind kind = s->clang.getCursorKind(expression);
    if (s->status != GSIM_OK) return value;
    if (++s->counts.steps > MAX_STEPS || s->counts.op_count > MAX_OPS) {
        gsim_cu_fail(s, expression, "expected at most %u ops in %u steps: lower counts by --arg", MAX_OPS, MAX_STEPS);
        return value;
    }
    if (kind == CXCursor_IntegerLiteral || kind == CXCursor_FloatingLiteral || kind == CXCursor_CharacterLiteral ||
        kind == CXCursor_CXXBoolLiteralExpr)
        return literal(s, expression);
    if (kind == CXCursor_UnaryExpr) return folded(s, expression);
    if (kind == CXCursor_CXXNullPtrLiteralExpr || kind == CXCursor_GNUNullExpr) return gsim_cu_number(0);
    if (kind == CXCursor_DeclRefExpr) return reference(s, expression);
    if (kind == CXCursor_ArraySubscriptExpr) {
        uint32_t cell = gsim_cu_place(s, expression, false);
        if (s->clang.getCanonicalType(s->clang.getCursorType(expression)).kind != CXType_ConstantArray)
            return gsim_cu_load(s, cell);
        return cell == GSIM_CU_NONE ? value : (struct gsim_cu_value){.kind = GSIM_CU_CELL, .at = cell};
    }
    if (kind == CXCursor_CXXThisExpr) return (struct gsim_cu_value){.kind = GSIM_CU_CELL, .at = s->host.self};
    if (kind == CXCursor_CXXNewExpr) {
        uint32_t region = gsim_cu_region(s, GSIM_CU_HOST, "new", 0, expression);
        return region == GSIM_CU_NONE ? value : (struct gsim_cu_value){.kind = GSIM_CU_POINTER, .at = region};
    }
    if (kind == CXCursor_LambdaExpr) return value;
    struct gsim_cu_kids kids = gsim_cu_kids(s, expression);
    if (kind == CXCursor_UnexposedExpr && gsim_cu_is_undeclared(s, &kids))
        gsim_cu_call_undeclared(s, expression, &kids);
    else if (kind == CXCursor_CallExpr) value = gsim_cu_call(s, expression, &kids);
    else if (kind == CXCursor_MemberRefExpr) value = component(s, expression, &kids);
    else if ((kind == CXCursor_BinaryOperator || kind == CXCursor_CompoundAssignOperator) && kids.count == 2)
        value = binary(s, expression, &kids);
    else if (kind == CXCursor_UnaryOperator && kids.count == 1)
        value = unary(s, expression, kids.at[0]);
    else if (kind == CXCursor_ConditionalOperator && kids.count == 3)
        value = choice(s, &kids);
    else
        value = cast(s, expression, &kids);
    gsim_free(kids.at);
    return value;
}
