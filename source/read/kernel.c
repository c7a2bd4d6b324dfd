/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a kernel's body says: which parameters it reads and writes, and what a thread costs, estimated for the first
 * thread of the first block: arithmetic of floating point, bytes of global memory, loops times their rounds.
 */
#include "source/read/source.h"

#include <math.h>
#include <string.h>

#define MOST_DEPTH        8
#define FUNCTION_FLOPS    16 /* of exp, log, sqrt and their kin; assumed */
#define TEMPLATE_BYTES    4 /* of a type that is a template's parameter; assumed */
#define UNKNOWN_SHARE     0.5 /* of threads that a condition holds for, where it is not known; assumed */

/* --- reads and writes --- */
struct uses {
    struct gsim_cu *s;
    struct gsim_cu_use use;
    uint32_t depth, scope; /* SCOPE: cells that hold which parameters a pointer may come from */
    bool changed;
};

static void mark(struct uses *u, uint64_t mask, bool reads, bool writes)
{
    if (reads) u->use.reads |= mask;
    if (writes) u->use.writes |= mask;
}

static uint32_t origin(struct uses *u, CXCursor declaration)
{
    return gsim_cu_cell(u->s, u->scope, u->s->clang.hashCursor(u->s->clang.getCanonicalCursor(declaration)));
}

/* Masks are kept in two halves, as a double holds 53 bits. */
static uint64_t mask_of_cell(struct uses *u, uint32_t cell)
{
    struct gsim_cu_value value = gsim_cu_load(u->s, cell);
    return (uint64_t)value.n[0] | (uint64_t)value.n[1] << 32;
}

static void add_mask(struct uses *u, uint32_t cell, uint64_t mask)
{
    uint64_t before = mask_of_cell(u, cell), now = before | mask;
    u->changed |= now != before;
    gsim_cu_store(
        u->s, cell,
        (struct gsim_cu_value){.kind = GSIM_CU_DIM, .n = {(double)(uint32_t)now, (double)(uint32_t)(now >> 32)}});
}

static bool is_pointer(struct gsim_cu *s, CXCursor cursor)
{
    enum CXTypeKind kind = s->clang.getCanonicalType(s->clang.getCursorType(cursor)).kind;
    return kind == CXType_Pointer || kind == CXType_IncompleteArray || kind == CXType_ConstantArray ||
           kind == CXType_LValueReference;
}

/* The parameters that a pointer's value may come from. */
static uint64_t sources(struct uses *u, CXCursor cursor)
{
    struct gsim_cu *s = u->s;
    uint64_t mask = 0;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    if (kind == CXCursor_DeclRefExpr) return mask_of_cell(u, origin(u, s->clang.getCursorReferenced(cursor)));
    struct gsim_cu_kids kids = gsim_cu_kids(s, cursor);
    size_t count = kind == CXCursor_ArraySubscriptExpr && kids.count ? 1 : kids.count;
    for (size_t i = kind == CXCursor_CallExpr ? 1 : 0; i < count; i++) mask |= sources(u, kids.at[i]);
    gsim_free(kids.at);
    return mask;
}

static void visit(struct uses *u, CXCursor cursor, bool reads, bool writes);

static void visit_call(struct uses *u, CXCursor cursor, const struct gsim_cu_kids *kids)
{
    char name[GSIM_LIMIT_NAME + 1];
    struct gsim_cu *s = u->s;
    CXCursor function = gsim_cu_function(s, cursor);
    gsim_cu_name(s, cursor, name);
    bool is_atomic = strncmp(name, "atomic", 6) == 0, has_body = !s->clang.Cursor_isNull(function) &&
                                                                 u->depth < MOST_DEPTH &&
                                                                 gsim_cu_body(s, function).kind != CXCursor_InvalidFile;
    struct gsim_cu_use inner = {UINT64_MAX, UINT64_MAX};
    if (has_body) inner = gsim_cu_uses(s, function, u->depth + 1);
    for (size_t i = 1; i < kids->count; i++) {
        uint64_t mask = is_pointer(s, kids->at[i]) ? sources(u, kids->at[i]) : 0;
        CXType type = s->clang.getCanonicalType(s->clang.getCursorType(kids->at[i]));
        bool is_const = s->clang.isConstQualifiedType(s->clang.getPointeeType(type));
        if (is_atomic && i == 1) mark(u, mask, true, true);
        else if (mask && i <= GSIM_CU_PARAMS)
            mark(u, mask, inner.reads >> (i - 1) & 1, !is_const && (inner.writes >> (i - 1) & 1));
        visit(u, kids->at[i], true, false);
    }
}

static void visit_assignment(struct uses *u, const struct gsim_cu_kids *kids, bool reads)
{
    struct gsim_cu *s = u->s;
    visit(u, kids->at[1], true, false);
    visit(u, kids->at[0], reads, true);
    if (is_pointer(s, kids->at[0]) && s->clang.getCursorKind(kids->at[0]) == CXCursor_DeclRefExpr)
        add_mask(u, origin(u, s->clang.getCursorReferenced(kids->at[0])), sources(u, kids->at[1]));
}

/* An expression or a statement; READS, WRITES: what becomes of what it leads to. */
static void visit(struct uses *u, CXCursor cursor, bool reads, bool writes)
{
    struct gsim_cu *s = u->s;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    struct gsim_cu_kids kids = gsim_cu_kids(s, cursor);
    char op[4] = "";
    size_t left = 0;
    bool passes = kind == CXCursor_UnexposedExpr || kind == CXCursor_ParenExpr || kind == CXCursor_MemberRefExpr;
    if (kind == CXCursor_BinaryOperator && kids.count == 2) gsim_cu_operator(s, kids.at[0], kids.at[1], op);
    if (kind == CXCursor_ArraySubscriptExpr && kids.count == 2) {
        mark(u, sources(u, kids.at[0]), reads, writes);
        visit(u, kids.at[0], true, false);
        visit(u, kids.at[1], true, false);
    } else if (kind == CXCursor_UnaryOperator && kids.count == 1) {
        const char *text = gsim_cu_text(s, s->clang.getRangeStart(s->clang.getCursorExtent(cursor)), &left, NULL);
        bool is_step = !is_pointer(s, kids.at[0]) &&
                       (!text || (*text != '-' && *text != '!' && *text != '*' && *text != '&' && *text != '~') ||
                        (left > 1 && text[0] == '-' && text[1] == '-'));
        if (text && *text == '*') mark(u, sources(u, kids.at[0]), reads, writes);
        visit(u, kids.at[0], text && *text == '&' ? false : true, is_step);
    } else if (kids.count == 2 && kind == CXCursor_CompoundAssignOperator)
        visit_assignment(u, &kids, true);
    else if (kids.count == 2 && strcmp(op, "=") == 0)
        visit_assignment(u, &kids, false);
    else if (kind == CXCursor_CallExpr && kids.count)
        visit_call(u, cursor, &kids);
    else {
        if (kind == CXCursor_MemberRefExpr && kids.count && is_pointer(s, kids.at[0]))
            mark(u, sources(u, kids.at[0]), reads, writes);
        for (size_t i = 0; i < kids.count; i++) visit(u, kids.at[i], passes ? reads : true, passes && writes);
        if (kind == CXCursor_VarDecl && is_pointer(s, cursor) && kids.count)
            add_mask(u, origin(u, cursor), sources(u, kids.at[kids.count - 1]));
    }
    gsim_free(kids.at);
}

struct gsim_cu_use gsim_cu_uses(struct gsim_cu *s, CXCursor function, uint32_t depth)
{
    struct uses u = {.s = s, .depth = depth};
    CXCursor body = gsim_cu_body(s, function);
    struct gsim_cu_use all = {UINT64_MAX, UINT64_MAX};
    if (body.kind == CXCursor_InvalidFile) return all; /* const pointers are only read */
    u.scope = gsim_cu_cell(s, gsim_cu_cell(s, 0, gsim_cu_text_key("uses")), s->clang.hashCursor(function));
    for (unsigned i = 0; i < GSIM_CU_PARAMS; i++) {
        CXCursor parameter = gsim_cu_parameter(s, function, i);
        if (s->clang.Cursor_isNull(parameter)) break;
        if (is_pointer(s, parameter)) add_mask(&u, origin(&u, parameter), (uint64_t)1 << i);
    }
    do {
        u.changed = false;
        visit(&u, body, true, false);
    } while (u.changed);
    return u.use;
}

/* --- what a thread costs --- */
struct costs {
    struct uses uses;
    struct gsim_cu_cost *cost;
};

static bool is_floating(struct gsim_cu *s, CXCursor cursor, bool *is_double)
{
    enum CXTypeKind kind = s->clang.getCanonicalType(s->clang.getCursorType(cursor)).kind;
    *is_double = kind == CXType_Double || kind == CXType_LongDouble;
    return *is_double || kind == CXType_Float || kind == CXType_Half || kind == CXType_Dependent ||
           kind == CXType_Unexposed || kind == CXType_Float16;
}

static void add_flops(struct costs *c, CXCursor cursor, double flops)
{
    bool is_double;
    if (!is_floating(c->uses.s, cursor, &is_double)) return;
    c->cost->flops += flops;
    c->cost->fp64 |= is_double;
}

static void add_bytes(struct costs *c, CXCursor access, CXCursor base, double weight, bool reads, bool writes)
{
    uint64_t mask = sources(&c->uses, base);
    double size = (double)c->uses.s->clang.Type_getSizeOf(c->uses.s->clang.getCursorType(access));
    double bytes = weight * (size > 0 ? size : TEMPLATE_BYTES);
    for (unsigned i = 0; i < GSIM_CU_PARAMS; i++) {
        if (!(mask >> i & 1)) continue;
        if (reads) c->cost->read_bytes[i] += bytes;
        if (writes) c->cost->written_bytes[i] += bytes;
    }
}

static void count(struct costs *c, CXCursor cursor, double weight, bool reads, bool writes);

static void count_loop(struct costs *c, CXCursor cursor, enum CXCursorKind kind, const struct gsim_cu_kids *kids,
                       double weight)
{
    CXCursor parts[4];
    double trips = kind == CXCursor_ForStmt ? gsim_cu_trips(c->uses.s, cursor, parts) : NAN;
    c->cost->is_partial |= isnan(trips);
    if (isnan(trips)) trips = 1;
    for (size_t i = 0; i < kids->count; i++) count(c, kids->at[i], weight * trips, true, false);
}

static void count_call(struct costs *c, CXCursor cursor, const struct gsim_cu_kids *kids, double weight)
{
    struct gsim_cu *s = c->uses.s;
    char name[GSIM_LIMIT_NAME + 1];
    CXCursor function = gsim_cu_function(s, cursor);
    gsim_cu_name(s, cursor, name);
    bool is_atomic = strncmp(name, "atomic", 6) == 0;
    for (size_t i = 1; i < kids->count; i++) count(c, kids->at[i], weight, true, false);
    if (is_atomic && kids->count > 1)
        add_bytes(c, kids->count > 2 ? kids->at[2] : kids->at[1], kids->at[1], weight, true, true);
    if (s->clang.Cursor_isNull(function)) return;
    CXCursor body = gsim_cu_body(s, function);
    if (body.kind == CXCursor_InvalidFile) {
        if (!is_atomic && strncmp(name, "__shfl", 6) != 0) add_flops(c, cursor, weight * FUNCTION_FLOPS);
    } else if (c->uses.depth < MOST_DEPTH) {
        c->uses.depth++;
        count(c, body, weight, true, false);
        c->uses.depth--;
    }
}

static void count_branch(struct costs *c, const struct gsim_cu_kids *kids, double weight)
{
    struct gsim_cu *s = c->uses.s;
    struct gsim_cu_value condition = gsim_cu_evaluate(s, kids->at[0]);
    bool is_known = gsim_cu_is_known(condition);
    count(c, kids->at[0], weight, true, false);
    if (!is_known || condition.n[0] != 0)
        count(c, kids->at[1], is_known ? weight : weight * UNKNOWN_SHARE, true, false);
    if (kids->count > 2 && (!is_known || condition.n[0] == 0))
        count(c, kids->at[2], is_known ? weight : weight * UNKNOWN_SHARE, true, false);
}

static void count_variable(struct costs *c, CXCursor cursor, const struct gsim_cu_kids *kids, double weight)
{
    struct gsim_cu *s = c->uses.s;
    for (size_t i = 0; i < kids->count; i++) {
        if (s->clang.getCursorKind(kids->at[i]) == CXCursor_CUDASharedAttr)
            c->cost->shared_bytes += fmax(0, (double)s->clang.Type_getSizeOf(s->clang.getCursorType(cursor)));
        count(c, kids->at[i], weight, true, false);
    }
    gsim_cu_declare(s, cursor);
}

static void count(struct costs *c, CXCursor cursor, double weight, bool reads, bool writes)
{
    struct gsim_cu *s = c->uses.s;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    struct gsim_cu_kids kids = gsim_cu_kids(s, cursor);
    char op[4] = "";
    bool passes = kind == CXCursor_UnexposedExpr || kind == CXCursor_ParenExpr || kind == CXCursor_MemberRefExpr;
    if (kind == CXCursor_BinaryOperator && kids.count == 2) gsim_cu_operator(s, kids.at[0], kids.at[1], op);
    bool is_compound = kind == CXCursor_CompoundAssignOperator, is_store = is_compound || strcmp(op, "=") == 0;
    if (kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt)
        count_loop(c, cursor, kind, &kids, weight);
    else if (kind == CXCursor_IfStmt && kids.count >= 2)
        count_branch(c, &kids, weight);
    else if (kind == CXCursor_VarDecl)
        count_variable(c, cursor, &kids, weight);
    else if (kind == CXCursor_CallExpr && kids.count)
        count_call(c, cursor, &kids, weight);
    else if (is_store && kids.count == 2) {
        if (is_compound) add_flops(c, kids.at[0], weight);
        count(c, kids.at[1], weight, true, false);
        count(c, kids.at[0], weight, is_compound, true);
        (void)gsim_cu_evaluate(s, cursor);
    } else {
        if (*op && strchr("+-*/", *op)) add_flops(c, cursor, weight);
        if (kind == CXCursor_ArraySubscriptExpr && kids.count == 2)
            add_bytes(c, cursor, kids.at[0], weight, reads, writes);
        for (size_t i = 0; i < kids.count; i++) count(c, kids.at[i], weight, passes ? reads : true, passes && writes);
    }
    gsim_free(kids.at);
}

struct shape {
    struct gsim_cu *s;
    struct gsim_dim3 grid, block;
};

static enum CXChildVisitResult shape_of(CXCursor cursor, CXCursor parent, CXClientData data)
{
    static const char *const names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    struct shape *shape = data;
    struct gsim_cu *s = shape->s;
    (void)parent;
    if (s->clang.getCursorKind(cursor) != CXCursor_DeclRefExpr) return CXChildVisit_Recurse;
    for (int i = 0; i < 4; i++) {
        if (!gsim_cu_is_named(s, cursor, names[i])) continue;
        const struct gsim_dim3 of = i < 2 ? (struct gsim_dim3){0} : i == 2 ? shape->block : shape->grid;
        gsim_cu_store(s, gsim_cu_variable(s, s->clang.getCursorReferenced(cursor)),
                      (struct gsim_cu_value){.kind = GSIM_CU_DIM, .n = {of.x, of.y, of.z}});
    }
    return CXChildVisit_Recurse;
}

/* The first thread's place and the launch's shape, for what a kernel computes of them. */
static void set_shape(struct gsim_cu *s, CXCursor body, struct gsim_dim3 grid, struct gsim_dim3 block)
{
    struct shape shape = {s, grid, block};
    s->clang.visitChildren(body, shape_of, &shape);
}

void gsim_cu_cost(struct gsim_cu *s, CXCursor function, const struct gsim_cu_value *values, size_t value_count,
                  struct gsim_dim3 grid, struct gsim_dim3 block, struct gsim_cu_cost *cost)
{
    struct costs c = {.uses = {.s = s}, .cost = cost};
    uint32_t frame = s->frame;
    bool was_silent = s->is_silent;
    *cost = (struct gsim_cu_cost){0};
    CXCursor body = gsim_cu_body(s, function);
    if (body.kind == CXCursor_InvalidFile) return;
    c.uses.scope = gsim_cu_cell(s, gsim_cu_cell(s, 0, gsim_cu_text_key("uses")), s->clang.hashCursor(function));
    s->in_kernel = s->is_silent = true;
    s->frame = gsim_cu_cell(s, gsim_cu_cell(s, 0, gsim_cu_text_key("frames")), ++s->frame_count);
    for (unsigned i = 0; i < value_count; i++) {
        CXCursor parameter = gsim_cu_parameter(s, function, i);
        if (!s->clang.Cursor_isNull(parameter) && gsim_cu_is_known(values[i]))
            gsim_cu_store(s, gsim_cu_variable(s, parameter), values[i]);
    }
    set_shape(s, body, grid, block);
    count(&c, body, 1, true, false);
    s->frame = frame;
    s->in_kernel = false;
    s->is_silent = was_silent;
    s->flow = GSIM_CU_ON;
}
