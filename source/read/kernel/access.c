/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a function of the device does with the memory that its parameters lead to. Each pointer is followed from its
 * parameter through variables, casts, members, references and calls to the places where memory is read or written.
 * Whatever is not known here makes the function "may use any memory": source/read/source.h, struct gsim_cu_access.
 */
#include "source/read/kernel/walk.h"

#include <string.h>

#define MAX_DEPTH 24 /* of calls, and of types within types */

static void visit(struct gsim_cu_walk *w, CXCursor cursor);

/* --- types --- */
CXType gsim_cu_type(struct gsim_cu *s, CXCursor cursor)
{
    return s->clang.getCanonicalType(s->clang.getCursorType(cursor));
}

static bool is_array(CXType type)
{
    return type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray ||
           type.kind == CXType_VariableArray || type.kind == CXType_DependentSizedArray;
}

bool gsim_cu_is_reference(CXType type)
{
    return type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
}

static bool is_number(CXType type)
{
    return (type.kind >= CXType_Bool && type.kind <= CXType_LongDouble) || type.kind == CXType_Enum ||
           type.kind == CXType_Half || type.kind == CXType_Float16 || type.kind == CXType_Float128 ||
           type.kind == CXType_Void || type.kind == CXType_Vector || type.kind == CXType_ExtVector;
}

bool gsim_cu_is_nameless(struct gsim_cu *s, CXCursor record)
{
    char name[GSIM_LIMIT_NAME + 1];
    gsim_cu_name(s, record, name);
    return !name[0] || name[0] == '(';
}

/* May a value of the type hold a pointer? */
static bool holds(struct gsim_cu *s, CXType type, uint32_t depth)
{
    type = s->clang.getCanonicalType(type);
    if (is_number(type)) return false;
    if (is_array(type)) return holds(s, s->clang.getArrayElementType(type), depth + 1);
    if (type.kind != CXType_Record || depth > MAX_DEPTH) return true;
    bool are_all, found = false;
    struct gsim_cu_kids parts = gsim_cu_fields(s, type, &are_all);
    for (size_t i = 0; i < parts.count && !found; i++)
        found = holds(s, s->clang.getCursorType(parts.at[i]), depth + 1);
    gsim_free(parts.at);
    /* a closure's captures are not shown */
    return found || !are_all || (!parts.count && gsim_cu_is_nameless(s, s->clang.getTypeDeclaration(type)));
}

bool gsim_cu_holds(struct gsim_cu *s, CXType type) { return holds(s, type, 0); }

bool gsim_cu_is_decayed(struct gsim_cu *s, CXCursor cursor)
{
    if (s->clang.getCursorKind(cursor) == CXCursor_DeclRefExpr) cursor = s->clang.getCursorReferenced(cursor);
    return s->clang.getCursorKind(cursor) == CXCursor_ParmDecl &&
           is_array(s->clang.getCanonicalType(s->clang.getCursorType(cursor)));
}

/* --- origins and marks --- */
void gsim_cu_give_up(struct gsim_cu_walk *w, CXCursor at, const char *why)
{
    if (w->is_quiet || w->a->unknown) return;
    w->a->unknown = why;
    w->a->where = at;
}

void gsim_cu_mark(struct gsim_cu_walk *w, CXCursor at, uint64_t memory, bool reads, bool writes)
{
    if (w->is_quiet) return;
    if (memory & GSIM_CU_ANY)
        gsim_cu_give_up(w, at, "it uses a pointer that it loads from memory or makes of a number");
    if (reads) w->a->reads |= memory;
    if (writes) w->a->writes |= memory;
}

static uint64_t *origin(struct gsim_cu_walk *w, CXCursor declaration)
{
    static uint64_t lost = GSIM_CU_ANY;
    struct gsim_cu *s = w->s;
    uint64_t key = s->clang.hashCursor(s->clang.getCanonicalCursor(declaration));
    for (size_t i = 0; i < w->a->origin_count; i++)
        if (w->a->origins[i].key == key) return &w->a->origins[i].mask;
    if (gsim_array_grow(&w->a->origins, sizeof *w->a->origins, w->a->origin_count, &w->a->origin_room)) {
        if (s->status == GSIM_OK) s->status = gsim_error_set(s->error, GSIM_NOMEM, "out of memory");
        return &lost;
    }
    w->a->origins[w->a->origin_count] = (struct gsim_cu_origin){key, 0};
    return &w->a->origins[w->a->origin_count++].mask;
}

void gsim_cu_flow_add(struct gsim_cu_walk *w, CXCursor declaration, uint64_t mask)
{
    uint64_t *now = origin(w, declaration);
    w->changed |= (*now | mask) != *now;
    *now |= mask;
}

uint64_t gsim_cu_flow_held(uint64_t memory)
{
    return memory && memory <= GSIM_CU_SELF && !(memory & (memory - 1)) ? GSIM_CU_HELD(memory) : GSIM_CU_ANY;
}

/* What pointers in a value of that type point to that lies in MEMORY. */
static uint64_t held_in(struct gsim_cu *s, uint64_t memory, CXType type)
{
    if (!holds(s, type, 0)) return 0;
    return gsim_cu_flow_held(memory);
}

struct gsim_cu_flow gsim_cu_flow_in(struct gsim_cu_walk *w, CXCursor at, uint64_t memory, CXType type)
{
    if (memory & GSIM_CU_ANY)
        gsim_cu_give_up(w, at, "it uses a pointer that it loads from memory or makes of a number");
    return (struct gsim_cu_flow){.memory = memory & ~GSIM_CU_ANY, .value = held_in(w->s, memory & ~GSIM_CU_ANY, type)};
}

uint64_t gsim_cu_flow_load(struct gsim_cu_walk *w, CXCursor cursor)
{
    struct gsim_cu_flow f = gsim_cu_flow_of(w, cursor);
    gsim_cu_mark(w, cursor, f.memory, true, false);
    return f.value;
}

void gsim_cu_flow_store(struct gsim_cu_walk *w, CXCursor at, struct gsim_cu_flow to, uint64_t value)
{
    gsim_cu_mark(w, at, to.memory, false, true);
    if (to.is_variable) gsim_cu_flow_add(w, to.variable, value);
    else if (value && to.memory) w->a->kept |= value;
    else if (value) gsim_cu_give_up(w, at, "it stores a pointer where it cannot be followed");
}

/* As a reference or an address: who has it may change the pointers in a variable. */
static uint64_t escape(struct gsim_cu_walk *w, struct gsim_cu_flow f)
{
    if (f.is_variable && holds(w->s, w->s->clang.getCursorType(f.variable), 0))
        gsim_cu_flow_add(w, f.variable, GSIM_CU_ANY);
    return f.memory;
}

CXCursor gsim_cu_strip(struct gsim_cu *s, CXCursor cursor)
{
    for (;;) {
        enum CXCursorKind kind = s->clang.getCursorKind(cursor);
        struct gsim_cu_kids kids = gsim_cu_kids(s, cursor);
        bool passes = kids.count == 1 && (kind == CXCursor_UnexposedExpr || kind == CXCursor_ParenExpr);
        CXCursor kid = passes ? kids.at[0] : cursor;
        gsim_free(kids.at);
        if (!passes) return cursor;
        cursor = kid;
    }
}

/* An array itself; of what was made of a parameter "T name[]" clang shows the array's type, too. */
static bool is_array_there(struct gsim_cu *s, CXCursor inner)
{
    enum CXCursorKind kind = s->clang.getCursorKind(inner);
    bool is_behind;
    struct gsim_cu_kids kids = gsim_cu_kids(s, inner);
    bool is_step = kind == CXCursor_UnaryOperator && kids.count &&
                   gsim_cu_unary(s, inner, kids.at[0], &is_behind) != '*';
    gsim_free(kids.at);
    return !is_step && is_array(gsim_cu_type(s, inner)) && !gsim_cu_is_decayed(s, inner) &&
           kind != CXCursor_StringLiteral && kind != CXCursor_BinaryOperator &&
           kind != CXCursor_CompoundAssignOperator && kind != CXCursor_ConditionalOperator;
}

/* What a pointer's expression points to; an array is its own begin. */
uint64_t gsim_cu_flow_pointee(struct gsim_cu_walk *w, CXCursor cursor, struct gsim_cu_flow *array)
{
    CXCursor inner = gsim_cu_strip(w->s, cursor);
    if (array) array->is_variable = false;
    if (!is_array_there(w->s, inner)) return gsim_cu_flow_load(w, cursor);
    struct gsim_cu_flow f = gsim_cu_flow_of(w, inner);
    if (!array && !f.is_variable && !f.memory) return f.value; /* a list */
    if (!array) return escape(w, f);
    *array = f;
    return f.memory;
}

/* --- leaves --- */
bool gsim_cu_has_attribute(struct gsim_cu *s, CXCursor declaration, enum CXCursorKind kind)
{
    struct gsim_cu_kids kids = gsim_cu_kids(s, declaration);
    bool found = false;
    for (size_t i = 0; i < kids.count; i++) found |= s->clang.getCursorKind(kids.at[i]) == kind;
    gsim_free(kids.at);
    return found;
}

static struct gsim_cu_flow evaluate_name(struct gsim_cu_walk *w, CXCursor cursor)
{
    struct gsim_cu *s = w->s;
    CXCursor declaration = s->clang.getCursorReferenced(cursor);
    enum CXCursorKind kind = s->clang.getCursorKind(declaration);
    CXType type = s->clang.getCursorType(declaration);
    if (kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl) return (struct gsim_cu_flow){0};
    if (kind == CXCursor_VarDecl && gsim_cu_is_lasting(s, declaration) &&
        !gsim_cu_has_attribute(s, declaration, CXCursor_CUDASharedAttr)) { /* it is read and written: operands.c */
        if (s->clang.Cursor_getStorageClass(declaration) == CX_SC_Extern &&
            s->clang.Cursor_isNull(s->clang.getCursorDefinition(declaration)) && !gsim_cu_is_of_cuda(s, declaration))
            gsim_cu_give_up(w, cursor, "it names a variable of another file");
        return (struct gsim_cu_flow){.value = held_in(s, 0, type)};
    }
    uint64_t mask = *origin(w, declaration);
    if (gsim_cu_is_reference(s->clang.getCanonicalType(type)))
        return gsim_cu_flow_in(w, cursor, mask, s->clang.getPointeeType(s->clang.getCanonicalType(type)));
    bool has_pointer = gsim_cu_is_decayed(s, declaration) || holds(s, type, 0);
    return (struct gsim_cu_flow){.value = has_pointer ? mask : 0, .is_variable = true, .variable = declaration};
}

static struct gsim_cu_flow evaluate_member(struct gsim_cu_walk *w, CXCursor cursor, const struct gsim_cu_kids *kids)
{
    struct gsim_cu *s = w->s;
    CXCursor field = s->clang.getCursorReferenced(cursor);
    CXType type = s->clang.getCursorType(cursor), declared = s->clang.getCanonicalType(s->clang.getCursorType(field));
    struct gsim_cu_flow f = {.memory = GSIM_CU_SELF, .value = held_in(s, GSIM_CU_SELF, type)};
    if (kids->count && s->clang.getCursorKind(kids->at[0]) >= CXCursor_FirstExpr) {
        if (gsim_cu_type(s, kids->at[0]).kind == CXType_Pointer)
            f = gsim_cu_flow_in(w, cursor, gsim_cu_flow_pointee(w, kids->at[0], NULL), type);
        else f = gsim_cu_flow_of(w, kids->at[0]);
        if (!holds(s, type, 0)) f.value = 0;
        else if (!f.is_variable && f.memory) f.value = held_in(s, f.memory, type);
    }
    bool is_punned = s->clang.getCursorKind(s->clang.getCursorSemanticParent(field)) == CXCursor_UnionDecl;
    if (is_punned && gsim_cu_holds(s, type)) f.value = GSIM_CU_ANY; /* it may be a number's bytes */
    if (s->clang.getCursorKind(field) == CXCursor_VarDecl) return (struct gsim_cu_flow){.value = held_in(s, 0, type)};
    return gsim_cu_is_reference(declared) ? gsim_cu_flow_in(w, cursor, f.value, type) : f;
}

static struct gsim_cu_flow evaluate_subscript(struct gsim_cu_walk *w, CXCursor cursor, const struct gsim_cu_kids *kids)
{
    struct gsim_cu *s = w->s;
    bool is_turned = is_number(gsim_cu_type(s, kids->at[0])); /* 3[p] */
    struct gsim_cu_flow array;
    CXType type = s->clang.getCursorType(cursor);
    (void)gsim_cu_flow_load(w, kids->at[!is_turned]);
    uint64_t memory = gsim_cu_flow_pointee(w, kids->at[is_turned], &array);
    if (!array.is_variable) return gsim_cu_flow_in(w, cursor, memory, type);
    array.value = holds(s, type, 0) ? array.value : 0;
    return array;
}

static struct gsim_cu_flow evaluate_cast(struct gsim_cu_walk *w, CXCursor cursor, CXCursor from)
{
    struct gsim_cu *s = w->s;
    CXType to = gsim_cu_type(s, cursor), type = gsim_cu_type(s, gsim_cu_strip(s, from));
    if (to.kind == CXType_Pointer && is_array(type))
        return (struct gsim_cu_flow){.value = gsim_cu_flow_pointee(w, from, NULL)};
    struct gsim_cu_flow f = gsim_cu_flow_of(w, from);
    if (!is_array(to) && !holds(s, to, 0)) f.value = 0; /* clang shows a decayed type as the array's */
    else if (is_number(type) && type.kind != CXType_Void) {
        double number = 1;
        (void)gsim_cu_constant(s, from, &number); /* 0: no pointer */
        f.value = number != 0 ? GSIM_CU_ANY : 0;
    } else if (!f.is_variable && f.memory) f.value = held_in(s, f.memory, to);
    return f;
}

static struct gsim_cu_flow evaluate_unary(struct gsim_cu_walk *w, CXCursor cursor, CXCursor kid)
{
    struct gsim_cu *s = w->s;
    struct gsim_cu_flow f;
    bool is_behind;
    switch (gsim_cu_unary(s, cursor, kid, &is_behind)) {
    case '*':
        return gsim_cu_flow_in(w, cursor, gsim_cu_flow_pointee(w, kid, NULL), s->clang.getCursorType(cursor));
    case '&':
        f = gsim_cu_flow_of(w, kid);
        return (struct gsim_cu_flow){.value = escape(w, f)};
    case '-':
    case '+':
    case '!':
    case '~':
        return (struct gsim_cu_flow){.value = gsim_cu_flow_load(w, kid) & 0};
    default: /* ++, --, or one that a macro hides */
        f = gsim_cu_flow_of(w, kid);
        gsim_cu_mark(w, cursor, f.memory, true, true);
        return f;
    }
}

static struct gsim_cu_flow evaluate_binary(struct gsim_cu_walk *w, CXCursor cursor, const struct gsim_cu_kids *kids)
{
    struct gsim_cu *s = w->s;
    char op[4];
    gsim_cu_operator(s, kids->at[0], kids->at[1], op);
    bool is_compound = s->clang.getCursorKind(cursor) == CXCursor_CompoundAssignOperator || !op[0];
    if (is_compound || strcmp(op, "=") == 0) {
        struct gsim_cu_flow to = gsim_cu_flow_of(w, kids->at[0]);
        uint64_t value = gsim_cu_flow_pointee(w, kids->at[1], NULL);
        gsim_cu_mark(w, cursor, to.memory, is_compound, true);
        gsim_cu_flow_store(w, cursor, to, is_compound && !holds(s, s->clang.getCursorType(kids->at[0]), 0) ? 0 : value);
        return to;
    }
    if (strcmp(op, ",") == 0) {
        (void)gsim_cu_flow_load(w, kids->at[0]);
        return gsim_cu_flow_of(w, kids->at[1]);
    }
    uint64_t left = gsim_cu_flow_pointee(w, kids->at[0], NULL), right = gsim_cu_flow_pointee(w, kids->at[1], NULL);
    uint64_t value = left | right;
    if (left && right && left != right && strcmp(op, "-") == 0)
        gsim_cu_give_up(w, cursor, "it subtracts pointers of two arguments");
    CXType type = gsim_cu_type(s, cursor);
    return (struct gsim_cu_flow){.value = is_array(type) || holds(s, type, 0) ? value : 0};
}

/* --- expressions and statements --- */
/* Anything else: well only as long as no pointer of a parameter is in it. */
static struct gsim_cu_flow evaluate_other(struct gsim_cu_walk *w, CXCursor cursor, const struct gsim_cu_kids *kids,
                                          const char *why)
{
    uint64_t all = 0;
    for (size_t i = 0; i < kids->count; i++) {
        if (w->s->clang.getCursorKind(kids->at[i]) < CXCursor_FirstExpr) continue;
        struct gsim_cu_flow f = gsim_cu_flow_of(w, kids->at[i]);
        gsim_cu_mark(w, cursor, f.memory, true, true);
        all |= escape(w, f) | f.value;
    }
    if (all) gsim_cu_give_up(w, cursor, why);
    return (struct gsim_cu_flow){.value = holds(w->s, w->s->clang.getCursorType(cursor), 0) ? GSIM_CU_ANY : 0};
}

static struct gsim_cu_flow evaluate_list(struct gsim_cu_walk *w, const struct gsim_cu_kids *kids)
{
    struct gsim_cu_flow f = {0};
    for (size_t i = 0; i < kids->count; i++)
        if (w->s->clang.getCursorKind(kids->at[i]) >= CXCursor_FirstExpr)
            f.value |= gsim_cu_flow_pointee(w, kids->at[i], NULL);
    return f;
}

static struct gsim_cu_flow evaluate_choice(struct gsim_cu_walk *w, const struct gsim_cu_kids *kids)
{
    (void)gsim_cu_flow_load(w, kids->at[0]);
    struct gsim_cu_flow a = gsim_cu_flow_of(w, kids->at[1]), b = gsim_cu_flow_of(w, kids->at[2]);
    if (is_array_there(w->s, gsim_cu_strip(w->s, kids->at[1]))) a.value = escape(w, a);
    return (struct gsim_cu_flow){.memory = a.memory | b.memory, .value = a.value | b.value};
}

/* In assembly an address stands in brackets. */
static struct gsim_cu_flow evaluate_assembly(struct gsim_cu_walk *w, CXCursor cursor, const struct gsim_cu_kids *kids)
{
    struct gsim_cu *s = w->s;
    size_t left = 0, end = 0;
    bool is_quoted = false;
    CXSourceRange range = s->clang.getCursorExtent(cursor);
    const char *text = gsim_cu_text(s, s->clang.getRangeStart(range), &left, NULL);
    const char *behind = gsim_cu_text(s, s->clang.getRangeEnd(range), &end, NULL);
    if (!text || !behind || behind < text) gsim_cu_give_up(w, cursor, "it has assembly");
    for (; text && text < behind; text++) {
        is_quoted ^= *text == '"';
        if (is_quoted && *text == '[') gsim_cu_give_up(w, cursor, "it has assembly that uses memory");
    }
    return evaluate_other(w, cursor, kids, "it has assembly that gets a pointer");
}

static struct gsim_cu_flow evaluate_lambda(struct gsim_cu_walk *w, CXCursor cursor, const struct gsim_cu_kids *kids)
{
    struct gsim_cu *s = w->s;
    for (size_t i = 0; i < kids->count; i++) {
        if (s->clang.getCursorKind(kids->at[i]) == CXCursor_ParmDecl)
            gsim_cu_flow_add(w, kids->at[i], holds(s, s->clang.getCursorType(kids->at[i]), 0) ? GSIM_CU_ANY : 0);
        else visit(w, kids->at[i]);
    }
    (void)cursor;
    return (struct gsim_cu_flow){0};
}

struct gsim_cu_flow gsim_cu_flow_of(struct gsim_cu_walk *w, CXCursor cursor)
{
    struct gsim_cu *s = w->s;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    struct gsim_cu_kids kids = gsim_cu_kids(s, cursor);
    struct gsim_cu_flow f = {0};
    if (kind == CXCursor_DeclRefExpr) f = evaluate_name(w, cursor);
    else if (kind == CXCursor_MemberRefExpr) f = evaluate_member(w, cursor, &kids);
    else if (kind == CXCursor_ArraySubscriptExpr && kids.count == 2) f = evaluate_subscript(w, cursor, &kids);
    else if (kind == CXCursor_CallExpr) f = gsim_cu_flow_call(w, cursor, &kids);
    else if ((kind == CXCursor_BinaryOperator || kind == CXCursor_CompoundAssignOperator) && kids.count == 2)
        f = evaluate_binary(w, cursor, &kids);
    else if (kind == CXCursor_UnaryOperator && kids.count == 1) f = evaluate_unary(w, cursor, kids.at[0]);
    else if (kind == CXCursor_ConditionalOperator && kids.count == 3) f = evaluate_choice(w, &kids);
    else if (kind == CXCursor_InitListExpr || kind == CXCursor_CompoundLiteralExpr || kind == CXCursor_CXXNewExpr)
        f = evaluate_list(w, &kids);
    else if (kind == CXCursor_LambdaExpr) f = evaluate_lambda(w, cursor, &kids);
    else if (kind == CXCursor_CXXThisExpr) f.value = GSIM_CU_SELF;
    else if (kind == CXCursor_StmtExpr) {
        for (size_t i = 0; i < kids.count; i++) visit(w, kids.at[i]);
        f.value = holds(s, s->clang.getCursorType(cursor), 0) ? GSIM_CU_ANY : 0;
    } else if (kids.count && (kind == CXCursor_CStyleCastExpr || kind == CXCursor_CXXStaticCastExpr ||
                              kind == CXCursor_CXXReinterpretCastExpr || kind == CXCursor_CXXConstCastExpr ||
                              kind == CXCursor_CXXFunctionalCastExpr ||
                              ((kind == CXCursor_ParenExpr || kind == CXCursor_UnexposedExpr) && kids.count == 1)))
        f = evaluate_cast(w, cursor, kids.at[kids.count - 1]);
    else if (kind == CXCursor_OverloadedDeclRef) gsim_cu_give_up(w, cursor, "it calls what is not known here");
    else if (kids.count) f = evaluate_other(w, cursor, &kids, "it does with a pointer what is not known here");
    gsim_free(kids.at);
    return f;
}

static void declare(struct gsim_cu_walk *w, CXCursor variable, const struct gsim_cu_kids *kids)
{
    struct gsim_cu *s = w->s;
    CXType type = s->clang.getCanonicalType(s->clang.getCursorType(variable));
    for (size_t i = 0; i < kids->count; i++) {
        enum CXCursorKind kind = s->clang.getCursorKind(kids->at[i]);
        if (kind < CXCursor_FirstExpr || kind > CXCursor_LastExpr) continue;
        if (gsim_cu_is_reference(type)) gsim_cu_flow_add(w, variable, escape(w, gsim_cu_flow_of(w, kids->at[i])));
        else {
            uint64_t value = gsim_cu_flow_pointee(w, kids->at[i], NULL);
            if (holds(s, type, 0)) gsim_cu_flow_add(w, variable, value);
        }
    }
}

/* Then its value, which is that of a place, is not read; where it is a condition, it is the one that was stored. */
static bool is_store(struct gsim_cu *s, CXCursor expression)
{
    char op[4] = "";
    struct gsim_cu_kids kids = gsim_cu_kids(s, expression);
    if (s->clang.getCursorKind(expression) == CXCursor_BinaryOperator && kids.count == 2)
        gsim_cu_operator(s, kids.at[0], kids.at[1], op);
    gsim_free(kids.at);
    return strcmp(op, "=") == 0 || gsim_cu_is_named(s, expression, "operator=");
}

static void visit(struct gsim_cu_walk *w, CXCursor cursor)
{
    struct gsim_cu *s = w->s;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    if (kind >= CXCursor_FirstExpr && kind <= CXCursor_LastExpr) {
        struct gsim_cu_flow f = gsim_cu_flow_of(w, cursor);
        if (f.memory && !is_store(s, gsim_cu_strip(s, cursor))) gsim_cu_mark(w, cursor, f.memory, true, false);
        return;
    }
    bool is_statement = kind >= CXCursor_FirstStmt && kind <= CXCursor_LastStmt;
    if (!is_statement && kind != CXCursor_VarDecl) return; /* types and names */
    struct gsim_cu_kids kids = gsim_cu_kids(s, cursor);
    if (kind == CXCursor_VarDecl) declare(w, cursor, &kids);
    else if (kind == CXCursor_ReturnStmt && kids.count) {
        uint64_t value =
            w->returns_place ? escape(w, gsim_cu_flow_of(w, kids.at[0])) : gsim_cu_flow_pointee(w, kids.at[0], NULL);
        w->changed |= (w->a->returns | value) != w->a->returns;
        w->a->returns |= value;
    } else if (kind == CXCursor_GCCAsmStmt) (void)evaluate_assembly(w, cursor, &kids);
    else if (kind == CXCursor_CXXForRangeStmt || kind == CXCursor_MSAsmStmt) {
        (void)evaluate_other(w, cursor, &kids, "it does with a pointer what is not known here");
        for (size_t i = 0; i < kids.count; i++) visit(w, kids.at[i]);
    } else
        for (size_t i = 0; i < kids.count; i++) visit(w, kids.at[i]);
    gsim_free(kids.at);
}

/* --- functions --- */
static struct gsim_cu_access *find(struct gsim_cu *s, uint64_t key)
{
    struct gsim_cu_access *a = s->code.accesses;
    while (a && a->key != key) a = a->next;
    if (a || !(a = gsim_alloc(sizeof *a))) return a;
    *a = (struct gsim_cu_access){.key = key, .next = s->code.accesses};
    s->code.accesses = a;
    return a;
}

const struct gsim_cu_access *gsim_cu_access(struct gsim_cu *s, CXCursor function)
{
    struct gsim_cu_access *a = find(s, s->clang.hashCursor(function));
    CXCursor body = gsim_cu_body(s, function);
    struct gsim_cu_walk w = {.s = s, .a = a};
    if (!a && s->status == GSIM_OK) s->status = gsim_error_set(s->error, GSIM_NOMEM, "out of memory");
    if (!a || a->is_done || a->is_open) return a;
    a->is_open = true;
    w.returns_place = gsim_cu_is_reference(s->clang.getCanonicalType(s->clang.getCursorResultType(function)));
    s->code.access_depth++;
    if (body.kind == CXCursor_InvalidFile) gsim_cu_give_up(&w, function, "its body is in another file");
    else if (gsim_cu_has_error(s, function)) gsim_cu_give_up(&w, function, "it holds an error");
    else if (s->code.access_depth > MAX_DEPTH) gsim_cu_give_up(&w, function, "it calls too deep");
    for (unsigned i = 0; !a->unknown; i++) {
        CXCursor parameter = gsim_cu_parameter(s, function, i);
        if (s->clang.Cursor_isNull(parameter)) break;
        if (gsim_cu_is_decayed(s, parameter) || holds(s, s->clang.getCursorType(parameter), 0))
            gsim_cu_flow_add(&w, parameter, i < GSIM_CU_TOLD ? (uint64_t)1 << i : GSIM_CU_ANY);
    }
    struct gsim_cu_kids kids = gsim_cu_kids(s, function);
    w.changed = true;
    for (uint64_t kept = ~a->kept; !a->unknown && s->status == GSIM_OK && (w.changed || kept != a->kept);) {
        w.changed = false;
        kept = a->kept;
        for (size_t i = 0; i < kids.count; i++) { /* the body; of a constructor what its members begin with */
            enum CXCursorKind kind = s->clang.getCursorKind(kids.at[i]);
            if (kind >= CXCursor_FirstExpr && kind <= CXCursor_LastExpr) a->kept |= gsim_cu_flow_load(&w, kids.at[i]);
            else if (kind == CXCursor_CompoundStmt) visit(&w, kids.at[i]);
        }
    }
    gsim_free(kids.at);
    s->code.access_depth--;
    a->is_open = false;
    a->is_done = true;
    return a;
}

uint64_t gsim_cu_leads_to(struct gsim_cu *s, const struct gsim_cu_access *access, CXCursor pointer)
{
    struct gsim_cu_walk w = {.s = s, .a = (struct gsim_cu_access *)access, .is_quiet = true};
    uint64_t kept = access->kept;
    uint64_t mask = gsim_cu_flow_pointee(&w, pointer, NULL);
    w.a->kept = kept;
    return mask & (((uint64_t)1 << GSIM_CU_TOLD) - 1);
}

void gsim_cu_access_release(struct gsim_cu *s)
{
    for (struct gsim_cu_access *a = s->code.accesses, *next; a; a = next) {
        next = a->next;
        gsim_free(a->origins);
        gsim_free(a);
    }
}
