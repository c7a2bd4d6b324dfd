/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a function of the device does with the memory that its parameters lead to. Each pointer is followed from its
 * parameter through variables, casts, members, references and calls to the places where memory is read or written.
 * Whatever is not known here makes the function "may use any memory": source/read/source.h, struct gsim_cu_access.
 */
#include "source/read/source.h"

#include <string.h>

#define PARAMETERS GSIM_CU_TOLD
#define SELF       ((uint64_t)1 << PARAMETERS)       /* the object of a method, as a parameter */
#define HELD(mask) ((mask) << (PARAMETERS + 1))      /* what pointers in that memory point to */
#define ANY        ((uint64_t)1 << 63)               /* a pointer of unknown origin */
#define MOST_DEPTH 24                                /* of calls, and of types within types */

struct walk {
    struct gsim_cu *s;
    struct gsim_cu_access *a;
    bool changed, is_quiet; /* QUIET: nothing is marked */
    bool returns_place;
    uint32_t depth;
};

/* What an expression is: a place in the memory that MEMORY's parameters lead to, or a variable's; and what pointers in
 * its value point to. */
struct flow {
    uint64_t memory, value;
    bool is_variable;
    CXCursor variable;
};

static struct flow evaluate(struct walk *w, CXCursor cursor);
static void visit(struct walk *w, CXCursor cursor);

/* --- types --- */
static CXType type_of(struct gsim_cu *s, CXCursor cursor)
{
    return s->clang.getCanonicalType(s->clang.getCursorType(cursor));
}

static bool is_array(CXType type)
{
    return type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray ||
           type.kind == CXType_VariableArray || type.kind == CXType_DependentSizedArray;
}

static bool is_reference(CXType type)
{
    return type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
}

static bool is_number(CXType type)
{
    return (type.kind >= CXType_Bool && type.kind <= CXType_LongDouble) || type.kind == CXType_Enum ||
           type.kind == CXType_Half || type.kind == CXType_Float16 || type.kind == CXType_Float128 ||
           type.kind == CXType_Void || type.kind == CXType_Vector || type.kind == CXType_ExtVector;
}

static bool is_nameless(struct gsim_cu *s, CXCursor record)
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
    if (type.kind != CXType_Record || depth > MOST_DEPTH) return true;
    CXCursor record = s->clang.getCursorDefinition(s->clang.getTypeDeclaration(type));
    if (s->clang.Cursor_isNull(record)) return true;
    struct gsim_cu_kids kids = gsim_cu_kids(s, record);
    bool has_part = false;
    for (size_t i = 0; i < kids.count; i++) {
        enum CXCursorKind kind = s->clang.getCursorKind(kids.at[i]);
        if (kind != CXCursor_FieldDecl && kind != CXCursor_CXXBaseSpecifier) continue;
        has_part = true;
        if (holds(s, s->clang.getCursorType(kids.at[i]), depth + 1)) {
            gsim_free(kids.at);
            return true;
        }
    }
    gsim_free(kids.at);
    return is_nameless(s, record) && !has_part; /* a closure's captures are not shown */
}

bool gsim_cu_holds(struct gsim_cu *s, CXType type) { return holds(s, type, 0); }

/* --- origins and marks --- */
static void give_up(struct walk *w, CXCursor at, const char *why)
{
    if (w->is_quiet || w->a->unknown) return;
    w->a->unknown = why;
    w->a->where = at;
}

static void mark(struct walk *w, CXCursor at, uint64_t memory, bool reads, bool writes)
{
    if (w->is_quiet) return;
    if (memory & ANY) give_up(w, at, "it uses a pointer that it loads from memory or makes of a number");
    if (reads) w->a->reads |= memory;
    if (writes) w->a->writes |= memory;
}

static uint64_t *origin(struct walk *w, CXCursor declaration)
{
    static uint64_t lost = ANY;
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

static void add(struct walk *w, CXCursor declaration, uint64_t mask)
{
    uint64_t *now = origin(w, declaration);
    w->changed |= (*now | mask) != *now;
    *now |= mask;
}

/* What pointers in a value of that type point to that lies in MEMORY. */
static uint64_t held_in(struct gsim_cu *s, uint64_t memory, CXType type)
{
    if (!holds(s, type, 0)) return 0;
    return memory && memory <= SELF && !(memory & (memory - 1)) ? HELD(memory) : ANY;
}

static struct flow place_in(struct walk *w, CXCursor at, uint64_t memory, CXType type)
{
    if (memory & ANY) give_up(w, at, "it uses a pointer that it loads from memory or makes of a number");
    return (struct flow){.memory = memory & ~ANY, .value = held_in(w->s, memory & ~ANY, type)};
}

static uint64_t load(struct walk *w, CXCursor cursor)
{
    struct flow f = evaluate(w, cursor);
    mark(w, cursor, f.memory, true, false);
    return f.value;
}

static void store(struct walk *w, CXCursor at, struct flow to, uint64_t value)
{
    mark(w, at, to.memory, false, true);
    if (to.is_variable) add(w, to.variable, value);
    else if (value && to.memory) w->a->kept |= value;
    else if (value) give_up(w, at, "it stores a pointer where it cannot be followed");
}

/* As a reference or an address: who has it may change the pointers in a variable. */
static uint64_t escape(struct walk *w, struct flow f)
{
    if (f.is_variable && holds(w->s, w->s->clang.getCursorType(f.variable), 0)) add(w, f.variable, ANY);
    return f.memory;
}

static CXCursor strip(struct gsim_cu *s, CXCursor cursor)
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

/* What a pointer's expression points to; an array is its own begin. */
static uint64_t pointee(struct walk *w, CXCursor cursor, struct flow *array)
{
    CXCursor inner = strip(w->s, cursor);
    bool is_there = is_array(type_of(w->s, inner)) && w->s->clang.getCursorKind(inner) != CXCursor_StringLiteral;
    if (array) array->is_variable = false;
    if (!is_there) return load(w, cursor);
    struct flow f = evaluate(w, inner);
    if (!array) return escape(w, f);
    *array = f;
    return f.memory;
}

/* --- leaves --- */
static bool has_attribute(struct gsim_cu *s, CXCursor variable, enum CXCursorKind kind)
{
    struct gsim_cu_kids kids = gsim_cu_kids(s, variable);
    bool found = false;
    for (size_t i = 0; i < kids.count; i++) found |= s->clang.getCursorKind(kids.at[i]) == kind;
    gsim_free(kids.at);
    return found;
}

static struct flow evaluate_name(struct walk *w, CXCursor cursor)
{
    struct gsim_cu *s = w->s;
    CXCursor declaration = s->clang.getCursorReferenced(cursor);
    enum CXCursorKind kind = s->clang.getCursorKind(declaration);
    CXType type = s->clang.getCursorType(declaration);
    if (kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl) return (struct flow){0};
    if (kind == CXCursor_VarDecl && !gsim_cu_is_local(s, declaration) &&
        !has_attribute(s, declaration, CXCursor_CUDASharedAttr)) { /* who names one reads and writes it: operands.c */
        if (s->clang.Cursor_getStorageClass(declaration) == CX_SC_Extern &&
            s->clang.Cursor_isNull(s->clang.getCursorDefinition(declaration)) && !gsim_cu_is_of_cuda(s, declaration))
            give_up(w, cursor, "it names a variable of another file");
        return (struct flow){.value = held_in(s, 0, type)};
    }
    uint64_t mask = *origin(w, declaration);
    if (is_reference(s->clang.getCanonicalType(type)))
        return place_in(w, cursor, mask, s->clang.getPointeeType(s->clang.getCanonicalType(type)));
    return (struct flow){.value = holds(s, type, 0) ? mask : 0, .is_variable = true, .variable = declaration};
}

static struct flow evaluate_member(struct walk *w, CXCursor cursor, const struct gsim_cu_kids *kids)
{
    struct gsim_cu *s = w->s;
    CXCursor field = s->clang.getCursorReferenced(cursor);
    CXType type = s->clang.getCursorType(cursor), declared = s->clang.getCanonicalType(s->clang.getCursorType(field));
    struct flow f = {.memory = SELF, .value = held_in(s, SELF, type)};
    if (kids->count && s->clang.getCursorKind(kids->at[0]) >= CXCursor_FirstExpr) {
        if (type_of(s, kids->at[0]).kind == CXType_Pointer) f = place_in(w, cursor, pointee(w, kids->at[0], NULL), type);
        else f = evaluate(w, kids->at[0]);
        if (!holds(s, type, 0)) f.value = 0;
        else if (!f.is_variable && f.memory) f.value = held_in(s, f.memory, type);
    }
    if (s->clang.getCursorKind(field) == CXCursor_VarDecl) return (struct flow){.value = held_in(s, 0, type)};
    return is_reference(declared) ? place_in(w, cursor, f.value, type) : f;
}

static struct flow evaluate_subscript(struct walk *w, CXCursor cursor, const struct gsim_cu_kids *kids)
{
    struct gsim_cu *s = w->s;
    bool is_turned = is_number(type_of(s, kids->at[0])); /* 3[p] */
    struct flow array;
    CXType type = s->clang.getCursorType(cursor);
    (void)load(w, kids->at[!is_turned]);
    uint64_t memory = pointee(w, kids->at[is_turned], &array);
    if (!array.is_variable) return place_in(w, cursor, memory, type);
    array.value = holds(s, type, 0) ? array.value : 0;
    return array;
}

static struct flow evaluate_cast(struct walk *w, CXCursor cursor, CXCursor from)
{
    struct gsim_cu *s = w->s;
    CXType to = type_of(s, cursor), type = type_of(s, strip(s, from));
    if (to.kind == CXType_Pointer && is_array(type)) return (struct flow){.value = pointee(w, from, NULL)};
    struct flow f = evaluate(w, from);
    if (!holds(s, to, 0)) f.value = 0;
    else if (is_number(type) && type.kind != CXType_Void) {
        double number = 1;
        (void)gsim_cu_constant(s, from, &number); /* 0: no pointer */
        f.value = number != 0 ? ANY : 0;
    } else if (!f.is_variable && f.memory) f.value = held_in(s, f.memory, to);
    return f;
}

static struct flow evaluate_unary(struct walk *w, CXCursor cursor, CXCursor kid)
{
    struct gsim_cu *s = w->s;
    struct flow f;
    bool is_behind;
    switch (gsim_cu_unary(s, cursor, kid, &is_behind)) {
    case '*':
        return place_in(w, cursor, pointee(w, kid, NULL), s->clang.getCursorType(cursor));
    case '&':
        f = evaluate(w, kid);
        return (struct flow){.value = escape(w, f)};
    case '-': case '+': case '!': case '~':
        return (struct flow){.value = load(w, kid) & 0};
    default: /* ++, --, or one that a macro hides */
        f = evaluate(w, kid);
        mark(w, cursor, f.memory, true, true);
        return f;
    }
}

static struct flow evaluate_binary(struct walk *w, CXCursor cursor, const struct gsim_cu_kids *kids)
{
    struct gsim_cu *s = w->s;
    char op[4];
    gsim_cu_operator(s, kids->at[0], kids->at[1], op);
    bool is_compound = s->clang.getCursorKind(cursor) == CXCursor_CompoundAssignOperator || !op[0];
    if (is_compound || strcmp(op, "=") == 0) {
        struct flow to = evaluate(w, kids->at[0]);
        uint64_t value = pointee(w, kids->at[1], NULL);
        mark(w, cursor, to.memory, is_compound, true);
        store(w, cursor, to, is_compound && !holds(s, s->clang.getCursorType(kids->at[0]), 0) ? 0 : value);
        return to;
    }
    if (strcmp(op, ",") == 0) {
        (void)load(w, kids->at[0]);
        return evaluate(w, kids->at[1]);
    }
    uint64_t value = pointee(w, kids->at[0], NULL) | pointee(w, kids->at[1], NULL);
    return (struct flow){.value = holds(s, s->clang.getCursorType(cursor), 0) ? value : 0};
}

/* --- calls --- */
struct arguments {
    struct flow at[PARAMETERS], object;
    bool is_place[PARAMETERS], is_const[PARAMETERS]; /* by reference; to what is constant */
    uint32_t count;
    uint64_t all;
};

/* What the callee's bits are for who calls it. */
static uint64_t translate(const struct arguments *c, uint64_t mask)
{
    uint64_t out = mask & ANY;
    for (uint32_t i = 0; i <= PARAMETERS; i++) {
        bool is_place = i == PARAMETERS || (i < c->count && c->is_place[i]);
        const struct flow *f = i == PARAMETERS ? &c->object : &c->at[i];
        uint64_t memory = is_place ? f->memory : f->value;
        if (mask >> i & 1) out |= memory;
        if (!(mask & HELD((uint64_t)1 << i))) continue;
        if (is_place && (f->is_variable || !memory)) out |= f->value;
        else out |= memory <= SELF && !(memory & (memory - 1)) && memory ? HELD(memory) : ANY;
    }
    return out;
}

static void read_arguments(struct walk *w, CXCursor call, CXCursor callee, bool has_object, struct arguments *c)
{
    struct gsim_cu *s = w->s;
    int count = s->clang.Cursor_getNumArguments(call), skip = 0, declared = s->clang.Cursor_getNumArguments(callee);
    struct gsim_cu_kids kids = gsim_cu_kids(s, call);
    *c = (struct arguments){.count = 0};
    if (has_object && declared >= 0 && count == declared + 1) { /* an operator's */
        c->object = evaluate(w, s->clang.Cursor_getArgument(call, 0));
        skip = 1;
    } else if (has_object && kids.count) {
        struct gsim_cu_kids base = gsim_cu_kids(s, strip(s, kids.at[0]));
        c->object = (struct flow){.memory = SELF, .value = HELD(SELF)};
        if (base.count && s->clang.getCursorKind(base.at[0]) >= CXCursor_FirstExpr) {
            bool is_pointer = type_of(s, base.at[0]).kind == CXType_Pointer;
            c->object = evaluate(w, base.at[0]);
            if (is_pointer) {
                mark(w, call, c->object.memory, true, false);
                c->object = place_in(w, call, c->object.value, s->clang.getPointeeType(type_of(s, base.at[0])));
            }
        }
        gsim_free(base.at);
    }
    gsim_free(kids.at);
    for (int i = skip; i < count; i++) {
        CXCursor argument = s->clang.Cursor_getArgument(call, (unsigned)i);
        CXType type = type_of(s, gsim_cu_parameter(s, callee, (unsigned)(i - skip)));
        struct flow f = {0};
        bool is_place = is_reference(type);
        if (is_place) f = evaluate(w, argument);
        else f.value = pointee(w, argument, NULL);
        c->all |= f.memory | f.value;
        if (i - skip >= PARAMETERS) {
            if (c->all) give_up(w, call, "it has more parameters than are told apart");
            continue;
        }
        c->is_place[c->count] = is_place;
        c->is_const[c->count] =
            (is_place || type.kind == CXType_Pointer) && s->clang.isConstQualifiedType(s->clang.getPointeeType(type));
        c->at[c->count++] = f;
    }
    c->all |= c->object.memory | c->object.value;
}

static struct flow result_of(struct walk *w, CXCursor call, CXCursor callee, uint64_t returns)
{
    struct gsim_cu *s = w->s;
    CXType type = s->clang.getCanonicalType(s->clang.getCursorResultType(callee));
    if (is_reference(type)) return place_in(w, call, returns, s->clang.getPointeeType(type));
    return (struct flow){.value = holds(s, s->clang.getCursorType(call), 0) ? returns : 0};
}

static struct flow call_known(struct walk *w, CXCursor call, CXCursor callee, const struct arguments *c)
{
    const struct gsim_cu_access *inner = gsim_cu_access(w->s, callee);
    uint64_t kept = inner ? translate(c, inner->kept) : ANY;
    if (!inner || inner->is_open) {
        give_up(w, call, "it calls a function that calls itself");
        return (struct flow){0};
    }
    if (inner->unknown) give_up(w, inner->where, inner->unknown);
    mark(w, call, translate(c, inner->reads), true, false);
    mark(w, call, translate(c, inner->writes), false, true);
    for (uint32_t i = 0; i <= c->count; i++) { /* pointers that it may have put there */
        const struct flow *f = i < c->count ? &c->at[i] : &c->object;
        if (f->is_variable && (i == c->count || c->is_place[i]) && kept) add(w, f->variable, kept);
    }
    w->a->kept |= kept;
    if (w->s->clang.getCursorKind(callee) == CXCursor_Constructor)
        return (struct flow){.value = kept | (holds(w->s, w->s->clang.getCursorType(call), 0) ? c->all : 0)};
    return result_of(w, call, callee, translate(c, inner->returns));
}

/* Of CUDA or C, without a body here: what it is given it reads, and writes what is not constant. */
static struct flow call_builtin(struct walk *w, CXCursor call, CXCursor callee, const struct arguments *c)
{
    struct gsim_cu *s = w->s;
    CXType type = s->clang.getCursorType(call);
    uint64_t read = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        uint64_t memory = c->is_place[i] ? c->at[i].memory : c->at[i].value;
        mark(w, call, memory, true, !c->is_const[i]);
        if (type_of(s, gsim_cu_parameter(s, callee, i)).kind == CXType_Pointer) read |= memory;
    }
    if (type.kind == CXType_Pointer && gsim_cu_is_named(s, callee, "memcpy"))
        return (struct flow){.value = c->count ? c->at[0].value : 0};
    return (struct flow){.value = read && holds(s, type, 0) ? ANY : 0};
}

static bool is_of_c(struct gsim_cu *s, CXCursor callee)
{
    static const char *const names[] = {"memcpy", "memmove", "memset",  "memcmp",  "printf", "sincos",
                                        "sincosf", "modf",   "modff",   "frexp",   "frexpf", "__assert_fail"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (gsim_cu_is_named(s, callee, names[i])) return true;
    return false;
}

static struct flow evaluate_call(struct walk *w, CXCursor call, const struct gsim_cu_kids *kids)
{
    struct gsim_cu *s = w->s;
    CXCursor callee = gsim_cu_function(s, call);
    enum CXCursorKind kind = s->clang.Cursor_isNull(callee) ? CXCursor_InvalidFile : s->clang.getCursorKind(callee);
    bool is_method = kind == CXCursor_CXXMethod || kind == CXCursor_ConversionFunction || kind == CXCursor_Destructor;
    struct arguments c;
    if (gsim_cu_is_launch(s, kids)) give_up(w, call, "it launches a kernel");
    if (!is_method && kind != CXCursor_FunctionDecl && kind != CXCursor_Constructor) {
        for (size_t i = 0; i < kids->count; i++) (void)load(w, kids->at[i]);
        give_up(w, call, "it calls what is not known here");
        return (struct flow){0};
    }
    read_arguments(w, call, callee, is_method && !s->clang.CXXMethod_isStatic(callee), &c);
    bool is_closure = is_method && is_nameless(s, s->clang.getCursorSemanticParent(callee));
    if (is_closure && c.object.is_variable && *origin(w, c.object.variable) == 0)
        return (struct flow){.value = holds(s, s->clang.getCursorType(call), 0) ? ANY : 0}; /* read where it stands */
    if (kind == CXCursor_Constructor && s->clang.CXXMethod_isDefaulted(callee)) {
        for (uint32_t i = 0; i < c.count; i++) mark(w, call, c.at[i].memory, true, false);
        return (struct flow){.value = c.count ? c.at[0].value : 0};
    }
    if (is_method && s->clang.CXXMethod_isDefaulted(callee) && c.count == 1) { /* operator= */
        mark(w, call, c.at[0].memory, true, false);
        store(w, call, c.object, c.at[0].value);
        return c.object;
    }
    if (gsim_cu_body(s, callee).kind != CXCursor_InvalidFile && !is_closure && w->depth < MOST_DEPTH)
        return call_known(w, call, callee, &c);
    if (gsim_cu_is_of_cuda(s, callee) || is_of_c(s, callee)) return call_builtin(w, call, callee, &c);
    bool is_of_system = s->clang.Location_isInSystemHeader(s->clang.getCursorLocation(callee));
    if (c.all || !is_of_system || is_closure) give_up(w, call, "it calls what is not known here");
    return (struct flow){0};
}

/* --- expressions and statements --- */
/* Anything else: well only as long as no pointer of a parameter is in it. */
static struct flow evaluate_other(struct walk *w, CXCursor cursor, const struct gsim_cu_kids *kids, const char *why)
{
    uint64_t all = 0;
    for (size_t i = 0; i < kids->count; i++) {
        if (w->s->clang.getCursorKind(kids->at[i]) < CXCursor_FirstExpr) continue;
        struct flow f = evaluate(w, kids->at[i]);
        mark(w, cursor, f.memory, true, true);
        all |= escape(w, f) | f.value;
    }
    if (all) give_up(w, cursor, why);
    return (struct flow){.value = holds(w->s, w->s->clang.getCursorType(cursor), 0) ? ANY : 0};
}

static struct flow evaluate_list(struct walk *w, const struct gsim_cu_kids *kids)
{
    struct flow f = {0};
    for (size_t i = 0; i < kids->count; i++)
        if (w->s->clang.getCursorKind(kids->at[i]) >= CXCursor_FirstExpr) f.value |= pointee(w, kids->at[i], NULL);
    return f;
}

static struct flow evaluate_choice(struct walk *w, const struct gsim_cu_kids *kids)
{
    (void)load(w, kids->at[0]);
    struct flow a = evaluate(w, kids->at[1]), b = evaluate(w, kids->at[2]);
    if (is_array(type_of(w->s, strip(w->s, kids->at[1])))) a.value = escape(w, a);
    return (struct flow){.memory = a.memory | b.memory, .value = a.value | b.value};
}

/* In assembly an address stands in brackets. */
static struct flow evaluate_assembly(struct walk *w, CXCursor cursor, const struct gsim_cu_kids *kids)
{
    struct gsim_cu *s = w->s;
    size_t left = 0, end = 0;
    bool is_quoted = false;
    CXSourceRange range = s->clang.getCursorExtent(cursor);
    const char *text = gsim_cu_text(s, s->clang.getRangeStart(range), &left, NULL);
    const char *behind = gsim_cu_text(s, s->clang.getRangeEnd(range), &end, NULL);
    if (!text || !behind || behind < text) give_up(w, cursor, "it has assembly");
    for (; text && text < behind; text++) {
        is_quoted ^= *text == '"';
        if (is_quoted && *text == '[') give_up(w, cursor, "it has assembly that uses memory");
    }
    return evaluate_other(w, cursor, kids, "it has assembly that gets a pointer");
}

static struct flow evaluate_lambda(struct walk *w, CXCursor cursor, const struct gsim_cu_kids *kids)
{
    struct gsim_cu *s = w->s;
    for (size_t i = 0; i < kids->count; i++) {
        if (s->clang.getCursorKind(kids->at[i]) == CXCursor_ParmDecl)
            add(w, kids->at[i], holds(s, s->clang.getCursorType(kids->at[i]), 0) ? ANY : 0);
        else visit(w, kids->at[i]);
    }
    (void)cursor;
    return (struct flow){0};
}

static struct flow evaluate(struct walk *w, CXCursor cursor)
{
    struct gsim_cu *s = w->s;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    struct gsim_cu_kids kids = gsim_cu_kids(s, cursor);
    struct flow f = {0};
    if (kind == CXCursor_DeclRefExpr) f = evaluate_name(w, cursor);
    else if (kind == CXCursor_MemberRefExpr) f = evaluate_member(w, cursor, &kids);
    else if (kind == CXCursor_ArraySubscriptExpr && kids.count == 2) f = evaluate_subscript(w, cursor, &kids);
    else if (kind == CXCursor_CallExpr) f = evaluate_call(w, cursor, &kids);
    else if ((kind == CXCursor_BinaryOperator || kind == CXCursor_CompoundAssignOperator) && kids.count == 2)
        f = evaluate_binary(w, cursor, &kids);
    else if (kind == CXCursor_UnaryOperator && kids.count == 1) f = evaluate_unary(w, cursor, kids.at[0]);
    else if (kind == CXCursor_ConditionalOperator && kids.count == 3) f = evaluate_choice(w, &kids);
    else if (kind == CXCursor_InitListExpr || kind == CXCursor_CompoundLiteralExpr || kind == CXCursor_CXXNewExpr)
        f = evaluate_list(w, &kids);
    else if (kind == CXCursor_LambdaExpr) f = evaluate_lambda(w, cursor, &kids);
    else if (kind == CXCursor_CXXThisExpr) f.value = SELF;
    else if (kind == CXCursor_StmtExpr) {
        for (size_t i = 0; i < kids.count; i++) visit(w, kids.at[i]);
        f.value = holds(s, s->clang.getCursorType(cursor), 0) ? ANY : 0;
    } else if (kids.count && (kind == CXCursor_CStyleCastExpr ||
                              kind == CXCursor_CXXStaticCastExpr || kind == CXCursor_CXXReinterpretCastExpr ||
                              kind == CXCursor_CXXConstCastExpr || kind == CXCursor_CXXFunctionalCastExpr ||
                              ((kind == CXCursor_ParenExpr || kind == CXCursor_UnexposedExpr) && kids.count == 1)))
        f = evaluate_cast(w, cursor, kids.at[kids.count - 1]);
    else if (kind == CXCursor_OverloadedDeclRef) give_up(w, cursor, "it calls what is not known here");
    else if (kids.count) f = evaluate_other(w, cursor, &kids, "it does with a pointer what is not known here");
    gsim_free(kids.at);
    return f;
}

static void declare(struct walk *w, CXCursor variable, const struct gsim_cu_kids *kids)
{
    struct gsim_cu *s = w->s;
    CXType type = s->clang.getCanonicalType(s->clang.getCursorType(variable));
    for (size_t i = 0; i < kids->count; i++) {
        enum CXCursorKind kind = s->clang.getCursorKind(kids->at[i]);
        if (kind < CXCursor_FirstExpr || kind > CXCursor_LastExpr) continue;
        if (is_reference(type)) add(w, variable, escape(w, evaluate(w, kids->at[i])));
        else {
            uint64_t value = pointee(w, kids->at[i], NULL);
            if (holds(s, type, 0)) add(w, variable, value);
        }
    }
}

static void visit(struct walk *w, CXCursor cursor)
{
    struct gsim_cu *s = w->s;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    if (kind >= CXCursor_FirstExpr && kind <= CXCursor_LastExpr) {
        (void)evaluate(w, cursor);
        return;
    }
    bool is_statement = kind >= CXCursor_FirstStmt && kind <= CXCursor_LastStmt;
    if (!is_statement && kind != CXCursor_VarDecl) return; /* types and names */
    struct gsim_cu_kids kids = gsim_cu_kids(s, cursor);
    if (kind == CXCursor_VarDecl) declare(w, cursor, &kids);
    else if (kind == CXCursor_ReturnStmt && kids.count) {
        uint64_t value = w->returns_place ? escape(w, evaluate(w, kids.at[0])) : pointee(w, kids.at[0], NULL);
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
    struct gsim_cu_access *a = s->accesses;
    while (a && a->key != key) a = a->next;
    if (a || !(a = gsim_alloc(sizeof *a))) return a;
    *a = (struct gsim_cu_access){.key = key, .next = s->accesses};
    s->accesses = a;
    return a;
}

const struct gsim_cu_access *gsim_cu_access(struct gsim_cu *s, CXCursor function)
{
    struct gsim_cu_access *a = find(s, s->clang.hashCursor(function));
    CXCursor body = gsim_cu_body(s, function);
    struct walk w = {.s = s, .a = a};
    if (!a && s->status == GSIM_OK) s->status = gsim_error_set(s->error, GSIM_NOMEM, "out of memory");
    if (!a || a->is_done || a->is_open) return a;
    a->is_open = true;
    w.returns_place = is_reference(s->clang.getCanonicalType(s->clang.getCursorResultType(function)));
    w.depth = ++s->access_depth;
    if (body.kind == CXCursor_InvalidFile) give_up(&w, function, "its body is in another file");
    else if (gsim_cu_has_error(s, function)) give_up(&w, function, "it holds an error");
    else if (w.depth > MOST_DEPTH) give_up(&w, function, "it calls too deep");
    for (unsigned i = 0; !a->unknown; i++) {
        CXCursor parameter = gsim_cu_parameter(s, function, i);
        if (s->clang.Cursor_isNull(parameter)) break;
        if (holds(s, s->clang.getCursorType(parameter), 0))
            add(&w, parameter, i < PARAMETERS ? (uint64_t)1 << i : ANY);
    }
    struct gsim_cu_kids kids = gsim_cu_kids(s, function);
    w.changed = true;
    for (uint64_t kept = ~a->kept; !a->unknown && s->status == GSIM_OK && (w.changed || kept != a->kept);) {
        w.changed = false;
        kept = a->kept;
        for (size_t i = 0; i < kids.count; i++) { /* the body; of a constructor what its members begin with */
            enum CXCursorKind kind = s->clang.getCursorKind(kids.at[i]);
            if (kind >= CXCursor_FirstExpr && kind <= CXCursor_LastExpr) a->kept |= load(&w, kids.at[i]);
            else if (kind == CXCursor_CompoundStmt) visit(&w, kids.at[i]);
        }
    }
    gsim_free(kids.at);
    s->access_depth--;
    a->is_open = false;
    a->is_done = true;
    return a;
}

uint64_t gsim_cu_leads_to(struct gsim_cu *s, const struct gsim_cu_access *access, CXCursor pointer)
{
    struct walk w = {.s = s, .a = (struct gsim_cu_access *)access, .is_quiet = true};
    uint64_t kept = access->kept;
    uint64_t mask = pointee(&w, pointer, NULL);
    w.a->kept = kept;
    return mask & (((uint64_t)1 << PARAMETERS) - 1);
}

void gsim_cu_access_release(struct gsim_cu *s)
{
    for (struct gsim_cu_access *a = s->accesses, *next; a; a = next) {
        next = a->next;
        gsim_free(a->origins);
        gsim_free(a);
    }
}
