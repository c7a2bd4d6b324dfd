/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statements of host code, in the order in which they are executed: see source/read/source.h. */
#include "source/read/source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_DEPTH        64

static bool is_null(CXCursor cursor) { return cursor.kind == CXCursor_InvalidFile; }
static const CXCursor none = {.kind = CXCursor_InvalidFile};

/* --- what a statement holds --- */
struct search {
    struct gsim_cu *s;
    bool found;
};

static enum CXChildVisitResult search_calls(CXCursor cursor, GSIM_CU_PARENT, CXClientData data)
{
    struct search *search = data;
    struct gsim_cu *s = search->s;
    char name[GSIM_LIMIT_NAME + 1];
    enum CXCursorKind kind = s->clang.getCursorKind(cursor); /* a function that is named may be called elsewhere */
    if (kind != CXCursor_CallExpr && kind != CXCursor_DeclRefExpr) return CXChildVisit_Recurse;
    gsim_cu_name(s, cursor, name);
    bool is_cuda = kind == CXCursor_CallExpr &&
                   ((gsim_cu_is_api(s, cursor, name) && strncmp(name, "cudaGetErr", 10) != 0) ||
                    strncmp(name, "__cudaPush", 10) == 0);
    CXCursor function = gsim_cu_function(s, cursor);
    if (!is_cuda && !s->clang.Cursor_isNull(function) &&
        !s->clang.Location_isInSystemHeader(s->clang.getCursorLocation(function))) {
        CXCursor body = gsim_cu_body(s, function);
        uint32_t known = gsim_cu_cell(s, gsim_cu_cell(s, 0, gsim_cu_text_key("calls")), s->clang.hashCursor(function));
        if (!is_null(body) && known != GSIM_CU_NONE) {
            if (!s->memory.cells[known].is_set) {
                gsim_cu_store(s, known, gsim_cu_number(0)); /* of one that calls itself */
                gsim_cu_store(s, known, gsim_cu_number(gsim_cu_has_calls(s, body)));
            }
            is_cuda = gsim_cu_load(s, known).n[0] != 0;
        }
    }
    search->found |= is_cuda;
    return search->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

bool gsim_cu_has_calls(struct gsim_cu *s, CXCursor statement)
{
    struct search search = {.s = s};
    if (is_null(statement)) return false;
    s->clang.visitChildren(statement, search_calls, &search);
    return search.found;
}

/* What is assigned in a statement that is not executed to its end is not known any more, nor what functions get by
 * reference; the host accesses in it are. */
static void forget_arguments(struct gsim_cu *s, CXCursor call)
{
    CXCursor function = gsim_cu_function(s, call);
    int count = s->clang.Cursor_getNumArguments(call);
    bool is_method = s->clang.getCursorKind(function) == CXCursor_CXXMethod;
    int skip = is_method && count == s->clang.Cursor_getNumArguments(function) + 1;
    for (int i = 0; i < count; i++) {
        CXCursor argument = s->clang.Cursor_getArgument(call, (unsigned)i);
        CXType type =
            s->clang.getCanonicalType(s->clang.getCursorType(gsim_cu_parameter(s, function, (unsigned)(i - skip))));
        bool is_place = type.kind == CXType_LValueReference || type.kind == CXType_RValueReference || i < skip;
        if (is_place && !s->clang.isConstQualifiedType(s->clang.getPointeeType(type)))
            gsim_cu_wipe(s, gsim_cu_place(s, argument, true));
        struct gsim_cu_value value = {0};
        enum CXTypeKind own = s->clang.getCanonicalType(s->clang.getCursorType(argument)).kind;
        if (own == CXType_Pointer || own == CXType_ConstantArray) value = gsim_cu_object(s, argument);
        gsim_cu_wipe_at(s, value);
        if (value.kind == GSIM_CU_POINTER) gsim_cu_touch(s, value.at, true);
    }
}

struct forgetting {
    struct gsim_cu *s;
    uint32_t depth;
    bool any_unknown; /* a pointer whose place is not known is used */
    bool is_guess;    /* it was executed, or left out, by a guess: what is assigned becomes one */
};

static void forget_cell(struct forgetting *f, uint32_t cell)
{
    struct gsim_cu_value value = gsim_cu_load(f->s, cell);
    if (!f->is_guess || !gsim_cu_is_known(value)) {
        gsim_cu_wipe(f->s, cell);
        return;
    }
    value.n[1] = 1;
    gsim_cu_store(f->s, cell, value);
}

static enum CXChildVisitResult forget(CXCursor cursor, GSIM_CU_PARENT, CXClientData data)
{
    struct forgetting *f = data;
    struct gsim_cu *s = f->s;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    struct gsim_cu_kids kids = gsim_cu_kids(s, cursor);
    char op[4] = "=";
    bool is_behind;
    if (kind == CXCursor_BinaryOperator && kids.count == 2) gsim_cu_operator(s, kids.at[0], kids.at[1], op);
    bool is_write = kids.count && (kind == CXCursor_CompoundAssignOperator ||
                                   (kind == CXCursor_BinaryOperator && strcmp(op, "=") == 0));
    if (kind == CXCursor_UnaryOperator && kids.count == 1)
        is_write = strchr("id?", gsim_cu_unary(s, cursor, kids.at[0], &is_behind)) != NULL;
    if (is_write) {
        uint32_t cell = gsim_cu_place(s, kids.at[0], true);
        if (cell == GSIM_CU_NONE) gsim_cu_wild(s, kids.at[0]);
        forget_cell(f, cell);
    } else if (kind == CXCursor_ArraySubscriptExpr) {
        (void)gsim_cu_place(s, cursor, false);
    } else if (kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr) {
        enum CXTypeKind type = s->clang.getCanonicalType(s->clang.getCursorType(cursor)).kind;
        struct gsim_cu_value value = {.kind = GSIM_CU_NUMBER};
        if (type == CXType_Pointer && f->depth == 0) value = gsim_cu_evaluate(s, cursor);
        if (value.kind == GSIM_CU_POINTER) gsim_cu_touch(s, value.at, false);
        f->any_unknown |= value.kind == GSIM_CU_UNKNOWN;
    } else if (kind == CXCursor_CallExpr && !gsim_cu_is_launch(s, &kids)) {
        CXCursor function = gsim_cu_function(s, cursor);
        CXCursor body = s->clang.Cursor_isNull(function) ? none : gsim_cu_body(s, function);
        forget_arguments(s, cursor);
        if (!is_null(body) && f->depth < 4 &&
            !s->clang.Location_isInSystemHeader(s->clang.getCursorLocation(function))) {
            f->depth++; /* what is outside of functions */
            s->clang.visitChildren(body, forget, f);
            f->depth--;
        }
    }
    gsim_free(kids.at);
    return CXChildVisit_Recurse;
}

void gsim_cu_forget(struct gsim_cu *s, CXCursor statement, bool is_guess)
{
    bool was_silent = s->host.is_silent;
    s->host.is_silent = true;
    struct forgetting f = {.s = s, .is_guess = is_guess};
    s->clang.visitChildren(statement, forget, &f);
    s->host.is_silent = was_silent;
    if (f.any_unknown && !gsim_cu_has_calls(s, statement)) gsim_cu_foreign(s);
}

/* --- declarations --- */
/* Of an array its elements, of a class its fields in their order. */
static uint64_t element_key(struct gsim_cu *s, const struct gsim_cu_kids *fields, size_t index, bool *is_reference)
{
    char name[GSIM_LIMIT_NAME + 1];
    for (size_t i = 0, field = 0; i < fields->count; i++) {
        if (s->clang.getCursorKind(fields->at[i]) != CXCursor_FieldDecl || field++ != index) continue;
        gsim_cu_name(s, fields->at[i], name);
        *is_reference = s->clang.getCursorType(fields->at[i]).kind == CXType_LValueReference;
        return gsim_cu_text_key(name);
    }
    return index + 1;
}

static void refer(struct gsim_cu *s, uint32_t cell, CXCursor to)
{
    gsim_cu_store(s, cell, (struct gsim_cu_value){.kind = GSIM_CU_CELL, .at = gsim_cu_place(s, to, false)});
}

static void initialise(struct gsim_cu *s, uint32_t cell, CXCursor initial)
{
    if (s->clang.getCursorKind(initial) != CXCursor_InitListExpr) {
        gsim_cu_store(s, cell, gsim_cu_told_before(s, initial, gsim_cu_evaluate(s, initial)));
        return;
    }
    struct gsim_cu_kids kids = gsim_cu_kids(s, initial);
    CXType type = s->clang.getCanonicalType(s->clang.getCursorType(initial));
    bool are_all;
    struct gsim_cu_kids fields =
        type.kind == CXType_Record ? gsim_cu_fields(s, type, &are_all) : (struct gsim_cu_kids){0};
    for (size_t i = 0; i < kids.count; i++) {
        bool is_reference = false;
        uint32_t part = gsim_cu_cell(s, cell, element_key(s, &fields, i, &is_reference));
        if (is_reference) refer(s, part, kids.at[i]);
        else initialise(s, part, kids.at[i]);
    }
    gsim_free(fields.at);
    if (kids.count == 1 && gsim_cu_is_integer(s, initial)) initialise(s, cell, kids.at[0]);
    gsim_free(kids.at);
}

void gsim_cu_declare(struct gsim_cu *s, CXCursor variable)
{
    struct gsim_cu_value given;
    uint32_t cell = gsim_cu_variable(s, variable);
    if (gsim_cu_is_local(s, variable) && gsim_cu_is_lasting(s, variable) && gsim_cu_is_set(s, cell)) return; /* once */
    struct gsim_cu_kids kids = gsim_cu_kids(s, variable);
    CXType type = s->clang.getCursorType(variable);
    enum CXTypeKind kind = s->clang.getCanonicalType(type).kind;
    bool is_array = kind == CXType_ConstantArray || kind == CXType_VariableArray || kind == CXType_IncompleteArray;
    CXCursor initial = kids.count ? kids.at[kids.count - 1] : none;
    enum CXCursorKind first = s->clang.getCursorKind(initial);
    bool has_initial = kids.count && first != CXCursor_TypeRef && first != CXCursor_NamespaceRef &&
                       first < CXCursor_FirstAttr && (!is_array || first == CXCursor_InitListExpr);
    if (gsim_cu_given(s, variable, &given))
        gsim_cu_store(s, cell, given);
    else if (has_initial && kind == CXType_LValueReference) refer(s, cell, initial);
    else if (has_initial)
        initialise(s, cell, initial);
    else
        gsim_cu_store(s, cell, (struct gsim_cu_value){0});
    if (gsim_cu_is_integer(s, variable) && cell != GSIM_CU_NONE && gsim_cu_is_known(s->memory.cells[cell].value))
        s->memory.cells[cell].value.n[0] = trunc(s->memory.cells[cell].value.n[0]);
    gsim_free(kids.at);
}

/* --- branches --- */
int gsim_cu_truth(struct gsim_cu *s, CXCursor condition, bool *is_guess)
{
    struct gsim_cu_value read = gsim_cu_evaluate(s, condition), value = gsim_cu_told(s, condition, read);
    *is_guess |= gsim_cu_is_guess(value);
    if (s->device.has_returned && gsim_cu_is_known(value) && (!gsim_cu_is_known(read) || gsim_cu_is_guess(read)))
        gsim_cu_log_serial(s, s->text.entry_count - 1); /* the run's way, which another may not take */
    if (value.kind == GSIM_CU_POINTER || value.kind == GSIM_CU_CELL) return 1;
    return gsim_cu_is_known(value) ? value.n[0] != 0 : -1;
}

struct jumps {
    struct gsim_cu *s;
    bool any, returns;
};

static enum CXChildVisitResult find_jumps(CXCursor cursor, GSIM_CU_PARENT, CXClientData data)
{
    struct jumps *jumps = data;
    enum CXCursorKind kind = jumps->s->clang.getCursorKind(cursor);
    if (kind == CXCursor_LambdaExpr) return CXChildVisit_Continue;
    jumps->returns |= kind == CXCursor_ReturnStmt;
    jumps->any |= kind == CXCursor_ReturnStmt || kind == CXCursor_BreakStmt || kind == CXCursor_ContinueStmt ||
                  kind == CXCursor_GotoStmt;
    return CXChildVisit_Recurse;
}

static struct jumps jumps_of(struct gsim_cu *s, CXCursor statement)
{
    struct jumps jumps = {.s = s};
    s->clang.visitChildren(statement, find_jumps, &jumps);
    return jumps;
}

/* What comes behind the statement may not be executed: a loop around it makes an unknown number of rounds, and the rest
 * of a function is not sure, which matters if the device gets work behind the function. Behind main nothing comes. */
void gsim_cu_note_jumps(struct gsim_cu *s, CXCursor statement)
{
    struct jumps jumps = jumps_of(s, statement);
    s->host.is_cut |= jumps.any;
    if (jumps.returns && s->host.depth > 1) gsim_cu_log_return(s, s->host.body);
}

/* The same of a condition that the run told: the function's calls may be others in another run. */
static void note_late_jumps(struct gsim_cu *s, CXCursor statement)
{
    struct jumps jumps = jumps_of(s, statement);
    if (jumps.any && (s->host.depth > 1 || !jumps.returns)) gsim_cu_log_serial(s, s->host.body);
}

struct unknown {
    struct gsim_cu *s;
    char *name;
};

static enum CXChildVisitResult find_unknown(CXCursor cursor, GSIM_CU_PARENT, CXClientData data)
{
    struct unknown *u = data;
    struct gsim_cu *s = u->s;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    if ((kind != CXCursor_DeclRefExpr && kind != CXCursor_MemberRefExpr) || !gsim_cu_is_integer(s, cursor) ||
        gsim_cu_is_known(gsim_cu_evaluate(s, cursor)))
        return CXChildVisit_Recurse;
    gsim_cu_name(s, cursor, u->name);
    return CXChildVisit_Break;
}

const char *gsim_cu_unknown_name(struct gsim_cu *s, CXCursor expression, char name[GSIM_LIMIT_NAME + 1])
{
    struct unknown u = {.s = s, .name = name};
    snprintf(name, GSIM_LIMIT_NAME + 1, "NAME");
    if (is_null(expression)) return name;
    if (find_unknown(expression, expression, &u) == CXChildVisit_Recurse)
        s->clang.visitChildren(expression, find_unknown, &u);
    return name;
}

void gsim_cu_guess(struct gsim_cu *s, CXCursor condition, bool is_true)
{
    char name[GSIM_LIMIT_NAME + 1];
    gsim_cu_log_serial(s, s->text.entry_count - 1);
    gsim_cu_note(s, condition, "whether the condition holds is not known: taken as %s (--arg %s=VALUE)",
                 is_true ? "true" : "false", gsim_cu_unknown_name(s, condition, name));
}

static void branch(struct gsim_cu *s, CXCursor statement)
{
    struct gsim_cu_kids kids = gsim_cu_kids(s, statement);
    if (kids.count >= 2) {
        CXCursor second = kids.count >= 3 ? kids.at[2] : none;
        bool is_guessed = false;
        int is_true = gsim_cu_truth(s, kids.at[0], &is_guessed);
        bool in_first = gsim_cu_has_calls(s, kids.at[1]), in_second = gsim_cu_has_calls(s, second);
        CXCursor taken = is_true == 1 ? kids.at[1] : second; /* no guess ends the program */
        if (is_guessed && (in_first || in_second || (!is_null(taken) && jumps_of(s, taken).any))) is_true = -1;
        bool is_guess = is_true < 0 && (in_first || in_second);
        if (is_true >= 0 && s->device.has_returned && s->options->told) note_late_jumps(s, statement);
        if (is_guess) gsim_cu_guess(s, kids.at[0], in_first);
        s->host.guesses += is_guess;
        if (is_true == 1 || (is_true < 0 && in_first)) gsim_cu_walk(s, kids.at[1]);
        else if (!is_null(second) && (is_true == 0 || in_second)) gsim_cu_walk(s, second);
        s->host.guesses -= is_guess;
        if (in_first && in_second && is_guess) gsim_cu_barrier(s, second, "");
        if (is_true < 0) {
            gsim_cu_forget(s, statement, false);
            gsim_cu_note_jumps(s, statement);
            if (s->host.flow != GSIM_CU_ON) s->host.flow = GSIM_CU_ON; /* perhaps */
        } else if (is_guessed) gsim_cu_forget(s, statement, true);
    }
    gsim_free(kids.at);
}

static void execute(struct gsim_cu *s, CXCursor statement, enum CXCursorKind kind)
{
    if (kind == CXCursor_IfStmt) {
        branch(s, statement);
        return;
    }
    if (kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt ||
        kind == CXCursor_CXXForRangeStmt) {
        gsim_cu_loop(s, statement);
        return;
    }
    if (kind == CXCursor_GotoStmt || kind == CXCursor_IndirectGotoStmt) {
        gsim_cu_log_serial(s, s->host.body);
        gsim_cu_note(s, statement, "goto: how often what it leads to is executed is not known: once assumed");
    }
    if (kind == CXCursor_BreakStmt) s->host.flow = GSIM_CU_BREAK;
    if (kind == CXCursor_ContinueStmt) s->host.flow = GSIM_CU_CONTINUE;
    if (kind == CXCursor_SwitchStmt) gsim_cu_switch(s, statement);
    if (kind == CXCursor_CXXTryStmt) { /* nothing is thrown */
        struct gsim_cu_kids parts = gsim_cu_kids(s, statement);
        if (parts.count) gsim_cu_walk(s, parts.at[0]);
        gsim_free(parts.at);
    }
    if (kind == CXCursor_VarDecl) gsim_cu_declare(s, statement);
    if (s->clang.getCursorKind(statement) >= CXCursor_FirstExpr && kind <= CXCursor_LastExpr)
        (void)gsim_cu_evaluate(s, statement);
    if (kind != CXCursor_CompoundStmt && kind != CXCursor_DeclStmt && kind != CXCursor_ReturnStmt &&
        kind != CXCursor_LabelStmt)
        return;
    struct gsim_cu_kids kids = gsim_cu_kids(s, statement);
    if (kind == CXCursor_ReturnStmt && kids.count) s->host.returned = gsim_cu_evaluate(s, kids.at[0]);
    for (size_t i = 0; i < kids.count && kind != CXCursor_ReturnStmt; i++) gsim_cu_walk(s, kids.at[i]);
    if (kind == CXCursor_ReturnStmt) s->host.flow = GSIM_CU_RETURN;
    gsim_free(kids.at);
}

void gsim_cu_walk(struct gsim_cu *s, CXCursor statement)
{
    if (s->host.flow != GSIM_CU_ON || s->status != GSIM_OK) return;
    gsim_cu_enter(s, statement);
    execute(s, statement, s->clang.getCursorKind(statement));
    gsim_cu_leave(s);
}

struct gsim_cu_value gsim_cu_inline(struct gsim_cu *s, CXCursor function, const struct gsim_cu_value *values,
                                    size_t count, uint32_t self)
{
    struct gsim_cu_value result = {0};
    uint32_t frame = s->host.frame, own = s->host.self;
    CXCursor body = gsim_cu_body(s, function);
    if (s->host.depth >= MAX_DEPTH) {
        if (!gsim_cu_has_calls(s, body)) return result;
        gsim_cu_note(s, function, "calls itself more than %d deep: not followed", MAX_DEPTH);
        for (uint32_t i = 0; i < s->text.entry_count && i < GSIM_CU_ENTRIES; i++)
            if (s->clang.hashCursor(s->text.entries[i].statement) == s->clang.hashCursor(body))
                gsim_cu_log_serial(s, i);
        gsim_cu_barrier(s, function, "");
        return result;
    }
    s->host.depth++;
    s->host.frame = gsim_cu_cell(s, gsim_cu_cell(s, 0, gsim_cu_text_key("frames")), ++s->host.frame_count);
    s->host.self = self;
    struct gsim_cu_kids kids = gsim_cu_kids(s, function);
    size_t place = 0;
    enum CXTypeKind returns = s->clang.getCanonicalType(s->clang.getCursorResultType(function)).kind;
    bool may_return_place = returns == CXType_LValueReference || returns == CXType_Pointer;
    for (size_t i = 0; i < kids.count; i++) {
        struct gsim_cu_value given;
        if (s->clang.getCursorKind(kids.at[i]) != CXCursor_ParmDecl) continue;
        uint32_t cell = gsim_cu_variable(s, kids.at[i]);
        given = gsim_cu_given(s, kids.at[i], &given) ? given : place < count ? values[place] : result;
        bool was_shared = given.kind == GSIM_CU_CELL && s->memory.cells[given.at].is_shared;
        gsim_cu_store(s, cell, given);
        if (gsim_cu_is_guess(given) && s->host.depth == 1) s->host.argc = cell;
        if (given.kind == GSIM_CU_CELL && !may_return_place) s->memory.cells[given.at].is_shared = was_shared;
        place++;
    }
    gsim_free(kids.at);
    uint32_t outer = s->host.body;
    bool was_cut = s->host.is_cut;
    s->host.body = s->text.entry_count;
    s->host.returned = result;
    gsim_cu_walk(s, body);
    s->host.body = outer;
    s->host.is_cut = was_cut;
    result = s->host.returned;
    if (s->host.flow == GSIM_CU_RETURN) s->host.flow = GSIM_CU_ON;
    s->host.frame = frame;
    s->host.self = own;
    s->host.depth--;
    return result;
}
