/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops and switches of host code: see source/read/source.h. */
#include "source/read/source.h"

#include <math.h>

/* Of loops without calls of CUDA: what one computes is not known behind so many expressions, nor once all took ALL. */
#define MAX_PLAIN_STEPS 4000u
#define ALL_PLAIN_STEPS  200000u
#define MAX_PLAIN_TRIPS 256u
#define MAX_TRIPS        1000000u

static bool is_null(CXCursor cursor) { return cursor.kind == CXCursor_InvalidFile; }
static const CXCursor none = {.kind = CXCursor_InvalidFile};

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
    s->host.plain_until = s->counts.steps + (left < MAX_PLAIN_STEPS ? left : MAX_PLAIN_STEPS);
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
    uint32_t most = has_calls ? MAX_TRIPS : MAX_PLAIN_TRIPS, trips = 0;
    bool was_cut = s->host.is_cut, is_guessed = false;
    char name[GSIM_LIMIT_NAME + 1];
    s->host.is_cut = false;
    if (!has_calls) begin_plain(s);
    if (s->clang.getCursorKind(initial) == CXCursor_DeclStmt) gsim_cu_walk(s, initial);
    else if (!is_null(initial)) (void)gsim_cu_evaluate(s, initial); /* no place for others beside it */
    for (;; trips++) {
        if (trips || tests_first) {
            int is_true = is_null(condition) ? 1 : gsim_cu_truth(s, condition, &is_guessed);
            if (has_calls && is_guessed) is_true = -1;
            is_known = is_true >= 0;
            if (is_true == 0 || (!is_known && (trips || !has_calls))) break;
        }
        if (!has_calls && !s->host.in_kernel && s->counts.steps >= s->host.plain_until) is_known = false;
        if (trips == most || (!has_calls && !is_known)) break;
        bool is_guess = !is_known && !trips; /* of the first round alone */
        s->host.guesses += is_guess;
        gsim_cu_walk(s, body);
        s->host.guesses -= is_guess;
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
    if (!is_known || trips == most || is_guessed) gsim_cu_forget(s, statement, is_known && trips < most);
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
    while (is_there && s->clang.getCursorKind(range) == CXCursor_UnexposedExpr)
        range = gsim_cu_last_kid(s, range, &is_there);
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
    rounds = gsim_cu_told_before(s, range, rounds);
    bool is_known = gsim_cu_is_known(rounds) && rounds.n[0] <= MAX_TRIPS, has_calls = gsim_cu_has_calls(s, body);
    if (has_calls && !is_known) {
        gsim_cu_log_serial(s, s->text.entry_count - 1);
        gsim_cu_note(s, statement, "how often the loop is executed is not known: 1 assumed (--run tells it)");
    }
    for (double i = 0; i < (!is_known ? 1 : has_calls ? rounds.n[0] : fmin(rounds.n[0], MAX_PLAIN_TRIPS)); i++) {
        struct gsim_cu_value value = {0};
        if (i < (double)items.count) value = gsim_cu_evaluate(s, items.at[gsim_whole_u64(i)]);
        else if (array.kind == GSIM_CU_CELL) {
            bool is_reference = s->clang.getCursorType(kids.at[0]).kind == CXType_LValueReference;
            value.kind = GSIM_CU_CELL;
            value.at = gsim_cu_cell(s, array.at, gsim_whole_u64(i) + 1);
            if (!is_reference) value = gsim_cu_load(s, value.at);
        }
        if (s->clang.getCursorKind(kids.at[0]) == CXCursor_VarDecl)
            gsim_cu_store(s, gsim_cu_variable(s, kids.at[0]), value);
        s->host.guesses += !is_known;
        gsim_cu_walk(s, body);
        s->host.guesses -= !is_known;
        if (!goes_on(s)) break;
    }
    if (!is_known || (!has_calls && rounds.n[0] > MAX_PLAIN_TRIPS)) gsim_cu_forget(s, statement, false);
    gsim_free(kids.at);
    gsim_free(items.at);
}

void gsim_cu_loop(struct gsim_cu *s, CXCursor statement)
{
    CXCursor parts[4];
    enum CXCursorKind kind = s->clang.getCursorKind(statement);
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
    if (!is_null(parts[0])) gsim_cu_walk(s, parts[0]);
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

void gsim_cu_switch(struct gsim_cu *s, CXCursor statement)
{
    CXCursor parts[4];
    gsim_cu_parts(s, statement, parts);
    struct gsim_cu_value value = {0};
    if (!is_null(parts[1])) value = gsim_cu_told_before(s, parts[1], gsim_cu_evaluate(s, parts[1]));
    bool is_known = gsim_cu_is_known(value) && !gsim_cu_is_guess(value), is_in = false, is_other = false;
    bool is_guess = !is_known && gsim_cu_has_calls(s, statement); /* the first that calls CUDA */
    struct gsim_cu_kids kids = is_known || is_guess ? gsim_cu_kids(s, parts[3]) : (struct gsim_cu_kids){0};
    if (is_guess) {
        gsim_cu_log_serial(s, s->text.entry_count - 1);
        gsim_cu_note(s, statement, "which case of the switch is taken is not known: the first that calls CUDA is read");
    }
    s->host.guesses += is_guess;
    for (int pass = is_guess; pass < 2 && !is_in; pass++) /* the second: "default" */
        for (size_t i = 0; i < kids.count; i++) {
            bool is_default = false, has_calls = is_guess && gsim_cu_has_calls(s, kids.at[i]);
            CXCursor inner = behind_labels(s, kids.at[i], pass ? NULL : value.n, is_guess ? &is_default : &is_in);
            is_in |= has_calls;
            is_other |= has_calls && s->host.flow != GSIM_CU_ON;
            if (is_in && !is_null(inner)) gsim_cu_walk(s, inner);
        }
    s->host.guesses -= is_guess;
    gsim_free(kids.at);
    if (s->host.flow == GSIM_CU_BREAK || is_guess) s->host.flow = GSIM_CU_ON;
    if (is_known) return;
    if (is_other) gsim_cu_barrier(s, statement, "");
    gsim_cu_forget(s, statement, false);
    gsim_cu_note_jumps(s, statement);
}
