/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a kernel's thread costs, estimated for the first thread of the first block: arithmetic of floating point, bytes
 * of global memory, loops times their rounds.
 */
#include "source/read/source.h"

#include <math.h>
#include <string.h>

#define MOST_DEPTH        8
#define FUNCTION_FLOPS    16 /* of exp, log, sqrt and their kin; assumed */
#define TEMPLATE_BYTES    4 /* of a type that is a template's parameter; assumed */
#define UNKNOWN_SHARE     0.5 /* of threads that a condition holds for, where it is not known; assumed */

/* --- what a thread costs --- */
struct costs {
    struct gsim_cu *s;
    const struct gsim_cu_access *access;
    uint32_t depth;
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
    if (!is_floating(c->s, cursor, &is_double)) return;
    c->cost->flops += flops;
    c->cost->fp64 |= is_double;
}

static void add_bytes(struct costs *c, CXCursor access, CXCursor base, double weight, bool reads, bool writes)
{
    uint64_t mask = gsim_cu_leads_to(c->s, c->access, base);
    double size = (double)c->s->clang.Type_getSizeOf(c->s->clang.getCursorType(access));
    double bytes = weight * (size > 0 ? size : TEMPLATE_BYTES);
    CXCursor named = c->s->clang.getCursorReferenced(gsim_cu_reference_in(c->s, base));
    bool is_shared = !mask && !c->s->clang.Cursor_isNull(named) &&
                     gsim_cu_has_attribute(c->s, named, CXCursor_CUDASharedAttr);
    if (mask || is_shared) c->cost->accesses += weight * (reads + writes) * fmax(1, size / 4);
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
    double trips = kind == CXCursor_ForStmt ? gsim_cu_trips(c->s, cursor, parts) : NAN;
    c->cost->is_partial |= isnan(trips);
    if (isnan(trips)) trips = 1;
    for (size_t i = 0; i < kids->count; i++) count(c, kids->at[i], weight * trips, true, false);
}

static void count_call(struct costs *c, CXCursor cursor, const struct gsim_cu_kids *kids, double weight)
{
    struct gsim_cu *s = c->s;
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
    } else if (c->depth < MOST_DEPTH) {
        c->depth++;
        count(c, body, weight, true, false);
        c->depth--;
    }
}

static void count_branch(struct costs *c, const struct gsim_cu_kids *kids, double weight)
{
    struct gsim_cu *s = c->s;
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
    struct gsim_cu *s = c->s;
    for (size_t i = 0; i < kids->count; i++) {
        if (s->clang.getCursorKind(kids->at[i]) == CXCursor_CUDASharedAttr)
            c->cost->shared_bytes += fmax(0, (double)s->clang.Type_getSizeOf(s->clang.getCursorType(cursor)));
        count(c, kids->at[i], weight, true, false);
    }
    gsim_cu_declare(s, cursor);
}

static void count(struct costs *c, CXCursor cursor, double weight, bool reads, bool writes)
{
    struct gsim_cu *s = c->s;
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
        static const struct gsim_dim3 none;
        const struct gsim_dim3 of = i < 2 ? none : i == 2 ? shape->block : shape->grid;
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
    struct costs c = {.s = s, .access = gsim_cu_access(s, function), .cost = cost};
    uint32_t frame = s->host.frame;
    bool was_silent = s->host.is_silent;
    *cost = (struct gsim_cu_cost){0};
    CXCursor body = gsim_cu_body(s, function);
    if (body.kind == CXCursor_InvalidFile || !c.access) return;
    s->host.in_kernel = s->host.is_silent = true;
    s->host.frame = gsim_cu_cell(s, gsim_cu_cell(s, 0, gsim_cu_text_key("frames")), ++s->host.frame_count);
    for (unsigned i = 0; i < value_count; i++) {
        CXCursor parameter = gsim_cu_parameter(s, function, i);
        if (!s->clang.Cursor_isNull(parameter) && gsim_cu_is_known(values[i]))
            gsim_cu_store(s, gsim_cu_variable(s, parameter), values[i]);
    }
    set_shape(s, body, grid, block);
    count(&c, body, 1, true, false);
    s->host.frame = frame;
    s->host.in_kernel = false;
    s->host.is_silent = was_silent;
    s->host.flow = GSIM_CU_ON;
}
