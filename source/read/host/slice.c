/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which loops of the host matter: those that change what a launch, a call of CUDA or a condition around one depends on.
 * A backward slice over all functions that the source has, without regard to their order: a variable and what it leads
 * to are two things, fields of one name and class are one.
 */
#include "source/read/source.h"

#include <string.h>

#define CONTENT ((uint64_t)1 << 40) /* in a key: what the variable leads to */

struct edge {
    uint64_t to, from; /* TO is computed from FROM */
};

struct gsim_cu_slice {
    struct edge *edges;
    uint64_t *keys; /* that matter */
    size_t edge_count, edge_room, key_count, key_room;
};

struct list {
    uint64_t at[64];
    size_t count;
};

struct build {
    struct gsim_cu *s;
    struct gsim_cu_slice *slice;
    struct list around; /* what conditions around depend on */
    CXCursor function;
    bool is_caller; /* FUNCTION calls CUDA */
};

static uint64_t key_of(struct gsim_cu *s, CXCursor declaration)
{
    return s->clang.hashCursor(s->clang.getCanonicalCursor(declaration));
}

static void add(struct list *list, uint64_t key)
{
    if (list->count < sizeof list->at / sizeof list->at[0]) list->at[list->count++] = key;
}

static void matter(struct build *b, uint64_t key)
{
    struct gsim_cu_slice *slice = b->slice;
    for (size_t i = 0; i < slice->key_count; i++)
        if (slice->keys[i] == key) return;
    if (!gsim_array_grow(&slice->keys, sizeof key, slice->key_count, &slice->key_room))
        slice->keys[slice->key_count++] = key;
    else if (b->s->status == GSIM_OK) b->s->status = gsim_error_set(b->s->error, GSIM_NOMEM, "out of memory");
}

static void link(struct build *b, uint64_t to, uint64_t from)
{
    struct gsim_cu_slice *slice = b->slice;
    if (!gsim_array_grow(&slice->edges, sizeof *slice->edges, slice->edge_count, &slice->edge_room))
        slice->edges[slice->edge_count++] = (struct edge){to, from};
    else if (b->s->status == GSIM_OK) b->s->status = gsim_error_set(b->s->error, GSIM_NOMEM, "out of memory");
}

/* What a value is computed from: names, and where it is read through one, what that leads to. */
struct names {
    struct gsim_cu *s;
    struct list *list;
};

static char unary(struct gsim_cu *s, CXCursor cursor, CXCursor *kid)
{
    bool is_behind;
    if (s->clang.getCursorKind(cursor) != CXCursor_UnaryOperator) return 0;
    struct gsim_cu_kids kids = gsim_cu_kids(s, cursor);
    char op = '!';
    if (kids.count == 1) {
        *kid = kids.at[0];
        op = gsim_cu_unary(s, cursor, kids.at[0], &is_behind);
    }
    gsim_free(kids.at);
    return op;
}

static bool leads(struct gsim_cu *s, CXCursor cursor)
{
    CXCursor kid;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    enum CXTypeKind type = s->clang.getCanonicalType(s->clang.getCursorType(cursor)).kind;
    if (type == CXType_ConstantArray || type == CXType_VariableArray || type == CXType_IncompleteArray) return false;
    return kind == CXCursor_ArraySubscriptExpr || unary(s, cursor, &kid) == '*';
}

static enum CXChildVisitResult find_names(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct names *names = data;
    struct gsim_cu *s = names->s;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    CXCursor kid;
    (void)parent;
    if (kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr || kind == CXCursor_CallExpr) {
        CXCursor named = kind == CXCursor_CallExpr ? gsim_cu_function(s, cursor) : s->clang.getCursorReferenced(cursor);
        if (!s->clang.Cursor_isNull(named)) add(names->list, key_of(s, named));
    } else if (unary(s, cursor, &kid) == '&') { /* an element's address reads none */
        while (s->clang.getCursorKind(kid) == CXCursor_ParenExpr ||
               s->clang.getCursorKind(kid) == CXCursor_UnexposedExpr) {
            struct gsim_cu_kids kids = gsim_cu_kids(s, kid);
            if (kids.count == 1) kid = kids.at[0];
            gsim_free(kids.at);
            if (kids.count != 1) break;
        }
        if (!leads(s, kid)) return CXChildVisit_Recurse;
        s->clang.visitChildren(kid, find_names, names);
        return CXChildVisit_Continue;
    } else if (leads(s, cursor)) {
        struct list inner = {0};
        s->clang.visitChildren(cursor, find_names, &(struct names){s, &inner});
        for (size_t i = 0; i < inner.count; i++) {
            add(names->list, inner.at[i]);
            add(names->list, inner.at[i] | CONTENT);
        }
        return CXChildVisit_Continue;
    }
    return CXChildVisit_Recurse;
}

static void names_in(struct gsim_cu *s, CXCursor cursor, struct list *list)
{
    struct names names = {s, list};
    if (s->clang.Cursor_isNull(cursor)) return;
    if (find_names(cursor, cursor, &names) == CXChildVisit_Recurse) s->clang.visitChildren(cursor, find_names, &names);
}

/* The variable or field that is assigned; *IS_CONTENT: it is what that leads to. */
static bool target_of(struct gsim_cu *s, CXCursor place, uint64_t *key)
{
    uint64_t content = 0;
    for (;;) {
        enum CXCursorKind kind = s->clang.getCursorKind(place);
        if (kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr) {
            CXCursor named = s->clang.getCursorReferenced(place);
            *key = key_of(s, named) | content;
            return true;
        }
        if (leads(s, place)) content = CONTENT;
        struct gsim_cu_kids kids = gsim_cu_kids(s, place);
        CXCursor first = kids.count ? kids.at[0] : place;
        gsim_free(kids.at);
        if (!kids.count) return false;
        place = first;
    }
}

static bool is_pointer(struct gsim_cu *s, CXCursor cursor)
{
    CXType type = s->clang.getCanonicalType(s->clang.getCursorType(cursor));
    return type.kind == CXType_LValueReference || type.kind == CXType_RValueReference || gsim_cu_holds(s, type);
}

/* TO gets VALUE; of pointers, what the two lead to is the same. */
static void assign(struct build *b, uint64_t to, CXCursor value, bool is_pointer_to)
{
    struct list list = {0};
    names_in(b->s, value, &list);
    for (size_t i = 0; i < list.count; i++) {
        link(b, to, list.at[i]);
        if (!is_pointer_to) continue;
        link(b, to | CONTENT, list.at[i] | CONTENT);
        link(b, list.at[i] | CONTENT, to | CONTENT);
    }
    for (size_t i = 0; i < b->around.count; i++) link(b, to, b->around.at[i]);
}

static void matter_all(struct build *b, CXCursor cursor)
{
    struct list list = {0};
    names_in(b->s, cursor, &list);
    for (size_t i = 0; i < list.count; i++) matter(b, list.at[i]);
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data);

static void visit_call(struct build *b, CXCursor call, const struct gsim_cu_kids *kids)
{
    struct gsim_cu *s = b->s;
    char name[GSIM_LIMIT_NAME + 1];
    gsim_cu_name(s, call, name);
    if (gsim_cu_is_launch(s, kids) || gsim_cu_is_api(s, call, name)) {
        for (size_t i = 0; i < kids->count; i++) matter_all(b, kids->at[i]);
        return;
    }
    CXCursor function = gsim_cu_function(s, call);
    for (int i = 0; i < s->clang.Cursor_getNumArguments(call); i++) {
        CXCursor own = s->clang.Cursor_getArgument(call, (unsigned)i);
        CXCursor parameter = gsim_cu_parameter(s, function, (unsigned)i);
        struct list list = {0};
        if (s->clang.Cursor_isNull(parameter)) continue;
        uint64_t key = key_of(s, parameter);
        assign(b, key, own, is_pointer(s, parameter));
        names_in(s, own, &list); /* by a reference or an address the variable itself is changed */
        for (size_t k = 0; is_pointer(s, parameter) && k < list.count; k++) {
            link(b, list.at[k], key);
            link(b, list.at[k], key | CONTENT);
        }
    }
}

static void visit_condition(struct build *b, CXCursor statement, const struct gsim_cu_kids *kids)
{
    struct gsim_cu *s = b->s;
    size_t before = b->around.count;
    bool is_if = s->clang.getCursorKind(statement) == CXCursor_IfStmt;
    bool has_calls = gsim_cu_has_calls(s, statement) || (is_if && b->is_caller && gsim_cu_has_jumps(s, statement));
    for (size_t i = 0; i < kids->count; i++) {
        if (s->clang.getCursorKind(kids->at[i]) == CXCursor_CompoundStmt) continue;
        enum CXCursorKind kind = s->clang.getCursorKind(kids->at[i]);
        if (kind < CXCursor_FirstExpr || kind > CXCursor_LastExpr) continue;
        names_in(s, kids->at[i], &b->around);
        if (has_calls) matter_all(b, kids->at[i]);
    }
    s->clang.visitChildren(statement, visit, b);
    b->around.count = before;
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct build *b = data;
    struct gsim_cu *s = b->s;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    struct gsim_cu_kids kids = gsim_cu_kids(s, cursor);
    bool is_done = false;
    CXCursor kid;
    uint64_t key;
    char op[4] = "=";
    (void)parent;
    if (kind == CXCursor_BinaryOperator && kids.count == 2) gsim_cu_operator(s, kids.at[0], kids.at[1], op);
    bool is_assignment = kids.count == 2 && (kind == CXCursor_CompoundAssignOperator ||
                                             (kind == CXCursor_BinaryOperator && (!strcmp(op, "=") || !op[0])));
    if (is_assignment && target_of(s, kids.at[0], &key)) {
        assign(b, key, kids.at[1], is_pointer(s, kids.at[0]));
        assign(b, key, kids.at[0], false);
    } else if (kind == CXCursor_UnaryOperator && strchr("id?", unary(s, cursor, &kid)) && target_of(s, kid, &key))
        assign(b, key, kids.at[0], false);
    else if (kind == CXCursor_VarDecl && kids.count)
        assign(b, key_of(s, cursor), kids.at[kids.count - 1], is_pointer(s, cursor));
    else if (kind == CXCursor_ReturnStmt && kids.count && !s->clang.Cursor_isNull(b->function))
        assign(b, key_of(s, b->function), kids.at[0], is_pointer(s, kids.at[0]));
    else if (kind == CXCursor_CallExpr) visit_call(b, cursor, &kids);
    else if (kind == CXCursor_IfStmt || kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt ||
             kind == CXCursor_DoStmt || kind == CXCursor_SwitchStmt) {
        visit_condition(b, cursor, &kids);
        is_done = true;
    }
    gsim_free(kids.at);
    return is_done ? CXChildVisit_Continue : CXChildVisit_Recurse;
}

static enum CXChildVisitResult visit_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct build *b = data;
    struct gsim_cu *s = b->s;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    (void)parent;
    if (s->clang.Location_isInSystemHeader(s->clang.getCursorLocation(cursor)) || gsim_cu_is_of_cuda(s, cursor))
        return CXChildVisit_Continue;
    bool is_function = kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod ||
                       kind == CXCursor_FunctionTemplate || kind == CXCursor_Constructor;
    if (!is_function && kind != CXCursor_VarDecl) return CXChildVisit_Recurse;
    b->function = cursor;
    b->is_caller = is_function && gsim_cu_has_calls(s, cursor);
    if (is_function) s->clang.visitChildren(cursor, visit, b);
    else (void)visit(cursor, parent, b);
    return CXChildVisit_Continue;
}

static void build(struct gsim_cu *s)
{
    struct gsim_cu_slice *slice = gsim_alloc(sizeof *slice);
    struct build b = {.s = s, .slice = slice};
    if (!slice) {
        if (s->status == GSIM_OK) s->status = gsim_error_set(s->error, GSIM_NOMEM, "out of memory");
        return;
    }
    *slice = (struct gsim_cu_slice){0};
    s->code.slice = slice;
    s->clang.visitChildren(s->clang.getTranslationUnitCursor(s->unit), visit_function, &b);
    for (size_t k = 0; k < slice->key_count; k++) /* each key that matters once */
        for (size_t i = 0; i < slice->edge_count; i++)
            if (slice->edges[i].to == slice->keys[k]) matter(&b, slice->edges[i].from);
}

struct question {
    struct gsim_cu *s;
    uint32_t depth;
    bool matters;
};

static enum CXChildVisitResult find_target(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct question *q = data;
    struct gsim_cu *s = q->s;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    struct gsim_cu_kids kids = gsim_cu_kids(s, cursor);
    bool is_target = false;
    CXCursor kid;
    uint64_t key = 0;
    char op[4] = "=";
    (void)parent;
    if (kind == CXCursor_BinaryOperator && kids.count == 2) gsim_cu_operator(s, kids.at[0], kids.at[1], op);
    if (kind == CXCursor_CompoundAssignOperator || (kind == CXCursor_BinaryOperator && (!strcmp(op, "=") || !op[0])))
        is_target = kids.count && target_of(s, kids.at[0], &key);
    else if (kind == CXCursor_UnaryOperator)
        is_target = strchr("id?", unary(s, cursor, &kid)) && target_of(s, kid, &key);
    for (size_t i = 0; is_target && i < s->code.slice->key_count; i++) q->matters |= s->code.slice->keys[i] == key;
    q->matters |= kind == CXCursor_ReturnStmt && !q->depth;
    CXCursor function = kind == CXCursor_CallExpr ? gsim_cu_function(s, cursor) : cursor;
    gsim_free(kids.at);
    if (kind == CXCursor_CallExpr && !s->clang.Cursor_isNull(function)) {
        CXCursor body = gsim_cu_body(s, function);
        if (body.kind != CXCursor_InvalidFile && q->depth < 8 &&
            !s->clang.Location_isInSystemHeader(s->clang.getCursorLocation(function))) {
            q->depth++;
            s->clang.visitChildren(body, find_target, q);
            q->depth--;
        }
    }
    return q->matters ? CXChildVisit_Break : CXChildVisit_Recurse;
}

bool gsim_cu_matters(struct gsim_cu *s, CXCursor loop)
{
    struct question q = {.s = s};
    if (!s->code.slice) build(s);
    if (!s->code.slice) return true;
    s->clang.visitChildren(loop, find_target, &q);
    return q.matters;
}

void gsim_cu_slice_release(struct gsim_cu *s)
{
    if (s->code.slice) gsim_free(s->code.slice->edges);
    if (s->code.slice) gsim_free(s->code.slice->keys);
    gsim_free(s->code.slice);
}
