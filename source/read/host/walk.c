/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statements of host code, in the order in which they are executed: see source/read/source.h. */
#include "source/read/source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of loops without calls of CUDA: what one computes is not known behind so many expressions, nor once all took ALL. */
#define MOST_PLAIN_STEPS 4000u
#define ALL_PLAIN_STEPS  200000u
#define MOST_PLAIN_TRIPS 256u
#define MOST_TRIPS       1000000u
#define MOST_DEPTH       64

static bool is_null(CXCursor cursor) { return cursor.kind == CXCursor_InvalidFile; }
static const CXCursor none = {.kind = CXCursor_InvalidFile};
static void walk(struct gsim_cu *s, CXCursor statement);

/* --- what a statement holds --- */
struct search {
    struct gsim_cu *s;
    bool found;
};

static enum CXChildVisitResult search_calls(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct search *search = data;
    struct gsim_cu *s = search->s;
    char name[GSIM_LIMIT_NAME + 1];
    (void)parent;
    if (s->clang.getCursorKind(cursor) != CXCursor_CallExpr) return CXChildVisit_Recurse;
    gsim_cu_name(s, cursor, name);
    bool is_cuda = (gsim_cu_is_api(s, cursor, name) && strncmp(name, "cudaGetErr", 10) != 0) ||
                   strncmp(name, "__cudaPush", 10) == 0;
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

static enum CXChildVisitResult forget(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct forgetting *f = data;
    struct gsim_cu *s = f->s;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    (void)parent;
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

static void forget_all(struct gsim_cu *s, CXCursor statement, bool is_guess)
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
static uint64_t element_key(struct gsim_cu *s, const struct gsim_cu_kids *fields, size_t index)
{
    char name[GSIM_LIMIT_NAME + 1];
    for (size_t i = 0, field = 0; i < fields->count; i++) {
        if (s->clang.getCursorKind(fields->at[i]) != CXCursor_FieldDecl || field++ != index) continue;
        gsim_cu_name(s, fields->at[i], name);
        return gsim_cu_text_key(name);
    }
    return index + 1;
}

static void initialise(struct gsim_cu *s, uint32_t cell, CXCursor initial)
{
    if (s->clang.getCursorKind(initial) != CXCursor_InitListExpr) {
        gsim_cu_store(s, cell, gsim_cu_evaluate(s, initial));
        return;
    }
    struct gsim_cu_kids kids = gsim_cu_kids(s, initial);
    CXType type = s->clang.getCanonicalType(s->clang.getCursorType(initial));
    struct gsim_cu_kids fields =
        type.kind == CXType_Record ? gsim_cu_kids(s, s->clang.getTypeDeclaration(type)) : (struct gsim_cu_kids){0};
    for (size_t i = 0; i < kids.count; i++)
        initialise(s, gsim_cu_cell(s, cell, element_key(s, &fields, i)), kids.at[i]);
    gsim_free(fields.at);
    if (kids.count == 1 && gsim_cu_is_integer(s, initial)) initialise(s, cell, kids.at[0]);
    gsim_free(kids.at);
}

void gsim_cu_declare(struct gsim_cu *s, CXCursor variable)
{
    struct gsim_cu_value given;
    struct gsim_cu_kids kids = gsim_cu_kids(s, variable);
    uint32_t cell = gsim_cu_variable(s, variable);
    CXType type = s->clang.getCursorType(variable);
    enum CXTypeKind kind = s->clang.getCanonicalType(type).kind;
    bool is_array = kind == CXType_ConstantArray || kind == CXType_VariableArray || kind == CXType_IncompleteArray;
    CXCursor initial = kids.count ? kids.at[kids.count - 1] : none;
    enum CXCursorKind first = s->clang.getCursorKind(initial);
    bool has_initial = kids.count && first != CXCursor_TypeRef && first != CXCursor_NamespaceRef &&
                       first < CXCursor_FirstAttr && (!is_array || first == CXCursor_InitListExpr);
    if (gsim_cu_given(s, variable, &given))
        gsim_cu_store(s, cell, given);
    else if (has_initial && kind == CXType_LValueReference)
        gsim_cu_store(s, cell, (struct gsim_cu_value){.kind = GSIM_CU_CELL, .at = gsim_cu_place(s, initial, false)});
    else if (has_initial)
        initialise(s, cell, initial);
    else
        gsim_cu_store(s, cell, (struct gsim_cu_value){0});
    if (gsim_cu_is_integer(s, variable) && cell != GSIM_CU_NONE && gsim_cu_is_known(s->memory.cells[cell].value))
        s->memory.cells[cell].value.n[0] = trunc(s->memory.cells[cell].value.n[0]);
    gsim_free(kids.at);
}

/* --- branches --- */
static int truth(struct gsim_cu *s, CXCursor condition, bool *is_guess) /* -1: not known */
{
    struct gsim_cu_value value = gsim_cu_told(s, condition, gsim_cu_evaluate(s, condition));
    *is_guess |= gsim_cu_is_guess(value);
    if (value.kind == GSIM_CU_POINTER || value.kind == GSIM_CU_CELL) return 1;
    return gsim_cu_is_known(value) ? value.n[0] != 0 : -1;
}

struct jumps {
    struct gsim_cu *s;
    bool any, returns;
};

static enum CXChildVisitResult find_jumps(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct jumps *jumps = data;
    enum CXCursorKind kind = jumps->s->clang.getCursorKind(cursor);
    (void)parent;
    if (kind == CXCursor_LambdaExpr) return CXChildVisit_Continue;
    jumps->returns |= kind == CXCursor_ReturnStmt;
    jumps->any |= kind == CXCursor_ReturnStmt || kind == CXCursor_BreakStmt || kind == CXCursor_ContinueStmt ||
                  kind == CXCursor_GotoStmt;
    return CXChildVisit_Recurse;
}

bool gsim_cu_has_jumps(struct gsim_cu *s, CXCursor statement)
{
    struct jumps jumps = {.s = s};
    s->clang.visitChildren(statement, find_jumps, &jumps);
    return jumps.any;
}

/* What comes behind the statement may not be executed: a loop around it makes an unknown number of rounds, and the rest
 * of a function is not sure. Behind main nothing comes. */
static void note_jumps(struct gsim_cu *s, CXCursor statement)
{
    struct jumps jumps = {.s = s};
    s->clang.visitChildren(statement, find_jumps, &jumps);
    s->host.is_cut |= jumps.any;
    if (jumps.returns && s->host.depth > 1 && s->host.body < s->text.entry_count) gsim_cu_log_serial(s, s->host.body);
}

struct unknown {
    struct gsim_cu *s;
    char *name;
};

static enum CXChildVisitResult find_unknown(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct unknown *u = data;
    struct gsim_cu *s = u->s;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    (void)parent;
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

static void branch(struct gsim_cu *s, CXCursor statement)
{
    struct gsim_cu_kids kids = gsim_cu_kids(s, statement);
    if (kids.count >= 2) {
        CXCursor second = kids.count >= 3 ? kids.at[2] : none;
        bool is_guessed = false;
        int is_true = truth(s, kids.at[0], &is_guessed);
        bool in_first = gsim_cu_has_calls(s, kids.at[1]), in_second = gsim_cu_has_calls(s, second);
        CXCursor taken = is_true == 1 ? kids.at[1] : second; /* no guess ends the program */
        if (is_guessed && (in_first || in_second || (!is_null(taken) && gsim_cu_has_jumps(s, taken)))) is_true = -1;
        bool is_guess = is_true < 0 && (in_first || in_second);
        char name[GSIM_LIMIT_NAME + 1];
        if (is_guess) {
            gsim_cu_log_serial(s, s->text.entry_count - 1);
            gsim_cu_note(s, statement, "whether the condition holds is not known: taken as %s (--arg %s=VALUE)",
                         in_first ? "true" : "false", gsim_cu_unknown_name(s, kids.at[0], name));
        }
        if (is_true == 1 || (is_true < 0 && in_first)) walk(s, kids.at[1]);
        else if (!is_null(second) && (is_true == 0 || in_second)) walk(s, second);
        if (in_first && in_second && is_guess) gsim_cu_barrier(s, second, "");
        if (is_true < 0) {
            forget_all(s, statement, false);
            note_jumps(s, statement);
            if (s->host.flow != GSIM_CU_ON) s->host.flow = GSIM_CU_ON; /* perhaps */
        } else if (is_guessed) forget_all(s, statement, true);
    }
    gsim_free(kids.at);
}

/* --- loops --- */
/* The parts of "for": initial, condition, step, body; those left out are null. */
static void split_for(struct gsim_cu *s, CXCursor loop, CXCursor parts[4])
{
    struct gsim_cu_kids kids = gsim_cu_kids(s, loop);
    size_t left = 0, at = 0;
    unsigned from = 0, marks[2] = {UINT32_MAX, UINT32_MAX}, found = 0;
    int depth = 0;
    const char *text = gsim_cu_text(s, s->clang.getRangeStart(s->clang.getCursorExtent(loop)), &left, NULL);
    s->clang.getSpellingLocation(s->clang.getRangeStart(s->clang.getCursorExtent(loop)), NULL, NULL, NULL, &from);
    for (; text && at < left && found < 2; at++) {
        depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
        if (text[at] == ';' && depth == 1) marks[found++] = from + (unsigned)at;
        if (text[at] == ')' && depth == 0) break;
    }
    for (int i = 0; i < 4; i++) parts[i] = none;
    for (size_t i = 0; i < kids.count; i++) {
        unsigned begin = 0;
        s->clang.getExpansionLocation(s->clang.getRangeStart(s->clang.getCursorExtent(kids.at[i])), NULL, NULL, NULL,
                                      &begin);
        int part = i + 1 == kids.count ? 3
                   : kids.count == 4   ? (int)i
                   : begin <= marks[0] ? 0
                   : begin <= marks[1] ? 1
                                       : 2;
        if (part < 4) parts[part] = kids.at[i];
    }
    gsim_free(kids.at);
}

/* Once more? */
static bool goes_on(struct gsim_cu *s)
{
    if (s->host.flow == GSIM_CU_CONTINUE) s->host.flow = GSIM_CU_ON;
    if (s->host.flow != GSIM_CU_BREAK) return s->host.flow == GSIM_CU_ON && s->status == GSIM_OK;
    s->host.flow = GSIM_CU_ON;
    return false;
}

/* A loop without calls of CUDA, within no other: how long it may take. */
static void begin_plain(struct gsim_cu *s)
{
    uint64_t left = s->host.plain_steps < ALL_PLAIN_STEPS ? ALL_PLAIN_STEPS - s->host.plain_steps : 0;
    if (s->host.plain_loops++) return;
    s->host.plain_until = s->counts.steps + (left < MOST_PLAIN_STEPS ? left : MOST_PLAIN_STEPS);
    s->host.plain_steps -= s->counts.steps;
}

static void end_plain(struct gsim_cu *s)
{
    if (!--s->host.plain_loops) s->host.plain_steps += s->counts.steps;
}

static void loop(struct gsim_cu *s, CXCursor statement, CXCursor initial, CXCursor condition, CXCursor step,
                 CXCursor body, bool tests_first)
{
    bool has_calls = gsim_cu_has_calls(s, statement), is_known = true;
    uint32_t most = has_calls ? MOST_TRIPS : MOST_PLAIN_TRIPS, trips = 0;
    bool was_cut = s->host.is_cut, is_guessed = false;
    char name[GSIM_LIMIT_NAME + 1];
    s->host.is_cut = false;
    if (!has_calls) begin_plain(s);
    if (!is_null(initial)) walk(s, initial);
    for (;; trips++) {
        if (trips || tests_first) {
            int is_true = is_null(condition) ? 1 : truth(s, condition, &is_guessed);
            if (has_calls && is_guessed) is_true = -1;
            is_known = is_true >= 0;
            if (is_true == 0 || (!is_known && (trips || !has_calls))) break;
        }
        if (!has_calls && !s->host.in_kernel && s->counts.steps >= s->host.plain_until) is_known = false;
        if (trips == most || (!has_calls && !is_known)) break;
        walk(s, body);
        is_known &= !s->host.is_cut;
        s->host.is_cut = was_cut;
        if (!goes_on(s)) break;
        if (!is_null(step)) (void)gsim_cu_evaluate(s, step);
        if (!is_known) break;
    }
    if (!is_known && has_calls) gsim_cu_log_serial(s, s->text.entry_count - 1);
    if (!is_known && has_calls)
        gsim_cu_note(s, statement, "how often the loop is executed is not known: %u assumed (--arg %s=VALUE)",
                     trips ? trips : 1, gsim_cu_unknown_name(s, condition, name));
    else if (trips == most && has_calls)
        gsim_cu_fail(s, statement, "expected a loop with calls of CUDA of at most %u rounds", most);
    if (!is_known || trips == most || is_guessed) forget_all(s, statement, is_known && trips < most);
    if (!has_calls) end_plain(s);
}

void gsim_cu_parts(struct gsim_cu *s, CXCursor statement, CXCursor parts[4])
{
    enum CXCursorKind kind = s->clang.getCursorKind(statement);
    struct gsim_cu_kids kids = gsim_cu_kids(s, statement);
    for (int i = 0; i < 4; i++) parts[i] = none;
    if (kind == CXCursor_ForStmt) {
        split_for(s, statement, parts);
    } else if (kids.count >= 2) {
        bool is_first = kind == CXCursor_IfStmt || kind == CXCursor_SwitchStmt, is_do = kind == CXCursor_DoStmt;
        parts[3] = kids.at[is_do ? 0 : kids.count - 1];
        parts[1] = kids.at[is_first ? 0 : is_do ? kids.count - 1 : kids.count - 2];
    }
    gsim_free(kids.at);
}

static CXCursor list_of(struct gsim_cu *s, CXCursor range)
{
    bool is_there = true;
    while (is_there && s->clang.getCursorKind(range) == CXCursor_UnexposedExpr) range = gsim_cu_last_kid(s, range, &is_there);
    return range;
}

bool gsim_cu_list_of(struct gsim_cu *s, CXCursor range)
{
    return s->clang.getCursorKind(list_of(s, range)) == CXCursor_InitListExpr;
}

/* for (VARIABLE : RANGE), of a list, an array or what the run told. */
static void each_of(struct gsim_cu *s, CXCursor statement, CXCursor range, CXCursor body)
{
    CXCursor list = list_of(s, range);
    struct gsim_cu_kids kids = gsim_cu_kids(s, statement), items = {0};
    long long size = s->clang.getArraySize(s->clang.getCanonicalType(s->clang.getCursorType(range)));
    struct gsim_cu_value array = {0}, rounds = size >= 0 ? gsim_cu_number((double)size) : array;
    if (s->clang.getCursorKind(list) == CXCursor_InitListExpr) {
        items = gsim_cu_kids(s, list);
        rounds = gsim_cu_number((double)items.count);
    }
    if (size >= 0) array = gsim_cu_object(s, range);
    rounds = gsim_cu_told(s, range, rounds);
    bool is_known = gsim_cu_is_known(rounds) && rounds.n[0] <= MOST_TRIPS, has_calls = gsim_cu_has_calls(s, body);
    if (has_calls && !is_known) {
        gsim_cu_log_serial(s, s->text.entry_count - 1);
        gsim_cu_note(s, statement, "how often the loop is executed is not known: 1 assumed (--run tells it)");
    }
    for (double i = 0; i < (!is_known ? 1 : has_calls ? rounds.n[0] : fmin(rounds.n[0], MOST_PLAIN_TRIPS)); i++) {
        struct gsim_cu_value value = {0};
        if (i < (double)items.count) value = gsim_cu_evaluate(s, items.at[(size_t)i]);
        else if (array.kind == GSIM_CU_CELL) value = gsim_cu_load(s, gsim_cu_cell(s, array.at, (uint64_t)i + 1));
        if (s->clang.getCursorKind(kids.at[0]) == CXCursor_VarDecl)
            gsim_cu_store(s, gsim_cu_variable(s, kids.at[0]), value);
        walk(s, body);
        if (!goes_on(s)) break;
    }
    if (!is_known || !has_calls) forget_all(s, statement, false);
    gsim_free(kids.at);
    gsim_free(items.at);
}

static void loops(struct gsim_cu *s, CXCursor statement, enum CXCursorKind kind)
{
    CXCursor parts[4];
    gsim_cu_parts(s, statement, parts);
    if (kind == CXCursor_CXXForRangeStmt) {
        each_of(s, statement, parts[1], parts[3]);
    } else if (!is_null(parts[3])) {
        loop(s, statement, parts[0], parts[1], parts[2], parts[3], kind != CXCursor_DoStmt);
    }
}

double gsim_cu_trips(struct gsim_cu *s, CXCursor statement, CXCursor parts[4])
{
    char op[4] = "";
    split_for(s, statement, parts);
    if (is_null(parts[1])) return NAN;
    if (!is_null(parts[0])) walk(s, parts[0]);
    struct gsim_cu_kids kids = gsim_cu_kids(s, parts[1]);
    double trips = NAN;
    if (s->clang.getCursorKind(parts[1]) == CXCursor_BinaryOperator && kids.count == 2 && !is_null(parts[2])) {
        gsim_cu_operator(s, kids.at[0], kids.at[1], op);
        struct gsim_cu_value from = gsim_cu_evaluate(s, kids.at[0]), to = gsim_cu_evaluate(s, kids.at[1]);
        (void)gsim_cu_evaluate(s, parts[2]);
        struct gsim_cu_value next = gsim_cu_evaluate(s, kids.at[0]);
        if (gsim_cu_is_known(from) && gsim_cu_is_known(to) && gsim_cu_is_known(next) && next.n[0] != from.n[0]) {
            double step = next.n[0] - from.n[0], way = to.n[0] - from.n[0] + (op[1] == '=' ? step : 0);
            trips = from.n[0] && next.n[0] / from.n[0] == 0.5 ? log2(from.n[0]) : fmax(0, way / step);
        }
    }
    gsim_free(kids.at);
    return trips;
}

/* What a label or several of them stand before; *IS_IT: one is VALUE's, or, without VALUE, "default". */
static CXCursor behind_labels(struct gsim_cu *s, CXCursor statement, const double *value, bool *is_it)
{
    enum CXCursorKind kind = s->clang.getCursorKind(statement);
    if (kind != CXCursor_CaseStmt && kind != CXCursor_DefaultStmt) return statement;
    struct gsim_cu_kids kids = gsim_cu_kids(s, statement);
    struct gsim_cu_value label = {0};
    if (kind == CXCursor_CaseStmt && value && kids.count) label = gsim_cu_evaluate(s, kids.at[0]);
    *is_it |= value ? gsim_cu_is_known(label) && label.n[0] == *value : kind == CXCursor_DefaultStmt;
    CXCursor inner = kids.count ? kids.at[kids.count - 1] : none;
    gsim_free(kids.at);
    return is_null(inner) ? inner : behind_labels(s, inner, value, is_it);
}

static void choose_case(struct gsim_cu *s, CXCursor statement)
{
    CXCursor parts[4];
    gsim_cu_parts(s, statement, parts);
    struct gsim_cu_value value = {0};
    if (!is_null(parts[1])) value = gsim_cu_told(s, parts[1], gsim_cu_evaluate(s, parts[1]));
    bool is_known = gsim_cu_is_known(value) && !gsim_cu_is_guess(value), is_in = false;
    struct gsim_cu_kids kids = is_known ? gsim_cu_kids(s, parts[3]) : (struct gsim_cu_kids){0};
    for (int pass = 0; pass < 2 && !is_in; pass++) /* the second: "default" */
        for (size_t i = 0; i < kids.count; i++) {
            CXCursor inner = behind_labels(s, kids.at[i], pass ? NULL : value.n, &is_in);
            if (is_in && !is_null(inner)) walk(s, inner);
        }
    gsim_free(kids.at);
    if (s->host.flow == GSIM_CU_BREAK) s->host.flow = GSIM_CU_ON;
    if (is_known) return;
    if (gsim_cu_has_calls(s, statement)) {
        gsim_cu_log_serial(s, s->text.entry_count - 1);
        gsim_cu_note(s, statement, "which case of the switch is taken is not known: its calls of CUDA are not read");
        gsim_cu_barrier(s, statement, "");
    }
    forget_all(s, statement, false);
    note_jumps(s, statement);
}

static void execute(struct gsim_cu *s, CXCursor statement, enum CXCursorKind kind)
{
    if (kind == CXCursor_IfStmt) {
        branch(s, statement);
        return;
    }
    if (kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt ||
        kind == CXCursor_CXXForRangeStmt) {
        loops(s, statement, kind);
        return;
    }
    if (kind == CXCursor_BreakStmt) s->host.flow = GSIM_CU_BREAK;
    if (kind == CXCursor_ContinueStmt) s->host.flow = GSIM_CU_CONTINUE;
    if (kind == CXCursor_SwitchStmt) choose_case(s, statement);
    if (kind == CXCursor_CXXTryStmt) { /* nothing is thrown */
        struct gsim_cu_kids parts = gsim_cu_kids(s, statement);
        if (parts.count) walk(s, parts.at[0]);
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
    for (size_t i = 0; i < kids.count && kind != CXCursor_ReturnStmt; i++) walk(s, kids.at[i]);
    if (kind == CXCursor_ReturnStmt) s->host.flow = GSIM_CU_RETURN;
    gsim_free(kids.at);
}

static void walk(struct gsim_cu *s, CXCursor statement)
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
    if (s->host.depth >= MOST_DEPTH) {
        if (gsim_cu_has_calls(s, body))
            gsim_cu_note(s, function, "calls itself more than %d deep: not followed", MOST_DEPTH);
        return result;
    }
    s->host.depth++;
    s->host.frame = gsim_cu_cell(s, gsim_cu_cell(s, 0, gsim_cu_text_key("frames")), ++s->host.frame_count);
    s->host.self = self;
    struct gsim_cu_kids kids = gsim_cu_kids(s, function);
    size_t place = 0;
    for (size_t i = 0; i < kids.count; i++) {
        struct gsim_cu_value given;
        if (s->clang.getCursorKind(kids.at[i]) != CXCursor_ParmDecl) continue;
        uint32_t cell = gsim_cu_variable(s, kids.at[i]);
        given = gsim_cu_given(s, kids.at[i], &given) ? given : place < count ? values[place] : result;
        bool was_shared = given.kind == GSIM_CU_CELL && s->memory.cells[given.at].is_shared;
        gsim_cu_store(s, cell, given);
        if (gsim_cu_is_guess(given) && s->host.depth == 1) s->host.argc = cell;
        if (given.kind == GSIM_CU_CELL) s->memory.cells[given.at].is_shared = was_shared;
        place++;
    }
    gsim_free(kids.at);
    uint32_t outer = s->host.body;
    bool was_cut = s->host.is_cut;
    s->host.body = s->text.entry_count;
    s->host.returned = result;
    walk(s, body);
    s->host.body = outer;
    s->host.is_cut = was_cut;
    result = s->host.returned;
    if (s->host.flow == GSIM_CU_RETURN) s->host.flow = GSIM_CU_ON;
    s->host.frame = frame;
    s->host.self = own;
    s->host.depth--;
    return result;
}
