/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values that a run of the program told (source/read/told.h). Probes are conditions around calls of CUDA, and what
 * launches and calls that use memory are given: expressions that the reader evaluates as often as the program does.
 */
#include <ctype.h>
#include <string.h>

#include "source/read/kernel/walk.h"

/* --- places --- */
/* In the file as it stands: an expression that a function-like macro makes a part of is at none. */
static bool place_of(struct gsim_cu *s, CXCursor cursor, struct gsim_cuda_probe *place)
{
    CXSourceRange range = s->clang.getCursorExtent(cursor);
    CXSourceLocation ends[2] = {s->clang.getRangeStart(range), s->clang.getRangeEnd(range)};
    unsigned at[2] = {0, 0}, spelled[2] = {0, 0};
    size_t size = 0;
    for (int i = 0; i < 2; i++) {
        CXFile file = NULL;
        s->clang.getExpansionLocation(ends[i], &file, NULL, NULL, &at[i]);
        s->clang.getSpellingLocation(ends[i], NULL, NULL, NULL, &spelled[i]);
        if (!file || file != s->file) return false;
    }
    const char *text = gsim_cu_contents(s, s->file, &size);
    if (!text || at[1] <= at[0] || at[1] > size) return false;
    for (unsigned i = at[0]; spelled[0] != at[0] && i < at[1]; i++) { /* of a macro's name */
        if (text[i] == '(') return false;
        if (!isalnum((unsigned char)text[i]) && text[i] != '_') break;
    }
    if (spelled[1] != at[1] && text[at[1] - 1] == ')') return false;
    *place = (struct gsim_cuda_probe){at[0], at[1], false};
    if (!s->text.spans) return true;
    const struct gsim_cu_span *spans = s->text.spans;
    if (at[1] > s->text.span_count) return false;
    *place = (struct gsim_cuda_probe){spans[at[0]].begin, spans[at[1] - 1].end, false};
    return place->to - place->from == at[1] - at[0]; /* each character has its own */
}

static bool is_value_of(struct gsim_cu *s, CXType type)
{
    if (type.kind == CXType_Pointer) {
        enum CXTypeKind to = s->clang.getCanonicalType(s->clang.getPointeeType(type)).kind;
        return to != CXType_Pointer && to != CXType_FunctionProto && to != CXType_FunctionNoProto;
    }
    return (type.kind >= CXType_Bool && type.kind <= CXType_LongDouble) || type.kind == CXType_Enum ||
           (type.kind == CXType_Record && gsim_cu_is_named(s, s->clang.getTypeDeclaration(type), "dim3"));
}

/* Before and behind conversions that are not written. */
static bool is_value(struct gsim_cu *s, CXCursor expression)
{
    CXCursor inner = gsim_cu_strip(s, expression);
    CXType own = s->clang.getCanonicalType(s->clang.getCursorType(inner));
    enum CXCursorKind kind = s->clang.getCursorKind(inner);
    if (kind == CXCursor_CallExpr &&
        s->clang.getCursorKind(s->clang.getCursorReferenced(inner)) == CXCursor_ConversionFunction)
        return false;
    if (kind >= CXCursor_IntegerLiteral && kind <= CXCursor_CharacterLiteral) return false;
    if (kind == CXCursor_GNUNullExpr || kind == CXCursor_CXXNullPtrLiteralExpr || kind == CXCursor_InitListExpr ||
        kind == CXCursor_CXXBoolLiteralExpr)
        return false;
    return is_value_of(s, s->clang.getCanonicalType(s->clang.getCursorType(expression))) &&
           (is_value_of(s, own) || own.kind == CXType_ConstantArray);
}

/* --- probes --- */
static void add_probe(struct gsim_cu *s, CXCursor expression, bool is_range)
{
    struct gsim_cuda_told *told = s->options->told;
    struct gsim_cuda_probe place;
    if (s->clang.Cursor_isNull(expression) || (!is_range && !is_value(s, expression)) ||
        !place_of(s, expression, &place))
        return;
    place.is_range = is_range;
    for (size_t i = 0; i < told->probe_count; i++)
        if (told->probes[i].from == place.from && told->probes[i].to == place.to) return;
    told->failed |= !GSIM_APPEND(told->probes, told->probe_count, told->probe_room, place);
}

static void add_call(struct gsim_cu *s, CXCursor call, const struct gsim_cu_kids *kids)
{
    char name[GSIM_LIMIT_NAME + 1];
    bool is_launch = gsim_cu_is_launch(s, kids);
    gsim_cu_name(s, call, name);
    bool is_memory = !is_launch && gsim_cu_is_api(s, call, name) && !strstr(name, "Symbol") &&
                     (!strncmp(name, "cudaM", 5) || !strncmp(name, "cudaHostAlloc", 13));
    for (size_t i = is_launch ? 2 : 1; (is_launch || is_memory) && i < kids->count; i++)
        if (!gsim_cu_is_default(s, kids->at[i])) add_probe(s, kids->at[i], false);
    struct gsim_cu_kids shape = is_launch ? gsim_cu_kids(s, kids->at[1]) : (struct gsim_cu_kids){0};
    for (size_t i = 1; i < shape.count; i++)
        if (!gsim_cu_is_default(s, shape.at[i])) add_probe(s, shape.at[i], false);
    gsim_free(shape.at);
}

/* What a variable of a number or a pointer gets. */
static void add_variable(struct gsim_cu *s, CXCursor cursor, const struct gsim_cu_kids *kids)
{
    char op[4] = "";
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    CXCursor last = kids->count ? kids->at[kids->count - 1] : cursor;
    if (kind == CXCursor_BinaryOperator && kids->count == 2) gsim_cu_operator(s, kids->at[0], last, op);
    bool is_variable = kind == CXCursor_VarDecl && kids->count && s->clang.getCursorKind(last) >= CXCursor_FirstExpr &&
                       s->clang.getCursorKind(last) <= CXCursor_LastExpr && gsim_cu_is_local(s, cursor) &&
                       s->clang.Cursor_getStorageClass(cursor) != CX_SC_Static &&
                       !gsim_cu_is_reference(s->clang.getCanonicalType(s->clang.getCursorType(cursor)));
    bool is_class = s->clang.getCanonicalType(s->clang.getCursorType(cursor)).kind == CXType_Record;
    if (!is_class && (is_variable || strcmp(op, "=") == 0)) add_probe(s, last, false);
}

static enum CXChildVisitResult find_probes(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct gsim_cu *s = data;
    CXCursor parts[4];
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    bool is_range = kind == CXCursor_CXXForRangeStmt;
    bool is_loop = kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt || is_range;
    if (s->clang.Location_isInSystemHeader(s->clang.getCursorLocation(cursor))) return CXChildVisit_Continue;
    if (is_loop && !gsim_cu_has_calls(s, cursor)) return CXChildVisit_Continue;
    if ((kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod || kind == CXCursor_Constructor ||
         kind == CXCursor_FunctionTemplate) &&
        (gsim_cu_is_of_cuda(s, cursor) || gsim_cu_has_attribute(s, cursor, CXCursor_CUDAGlobalAttr) ||
         !gsim_cu_has_calls(s, cursor)))
        return CXChildVisit_Continue;
    struct gsim_cu_kids kids = gsim_cu_kids(s, cursor);
    if (is_loop || kind == CXCursor_IfStmt || kind == CXCursor_SwitchStmt) {
        gsim_cu_parts(s, cursor, parts);
        if (!is_range || !gsim_cu_list_of(s, parts[1])) add_probe(s, parts[1], is_range);
    }
    if (kind == CXCursor_CallExpr) add_call(s, cursor, &kids);
    if (s->clang.getCursorKind(parent) != CXCursor_CXXForRangeStmt) add_variable(s, cursor, &kids);
    gsim_free(kids.at);
    return CXChildVisit_Recurse;
}

void gsim_cu_find_probes(struct gsim_cu *s)
{
    s->clang.visitChildren(s->clang.getTranslationUnitCursor(s->unit), find_probes, s);
    if (s->options->told->failed && s->status == GSIM_OK) s->status = gsim_no_memory(s->error);
}

/* --- facts --- */
/* The next of them; NULL: there is none. */
static const struct gsim_cuda_fact *next_fact(const struct gsim_cuda_told *told, uint32_t what, uint32_t line)
{
    const uint64_t key = (uint64_t)what << 32 | line;
    size_t low = 0, high = told && told->facts ? told->fact_count : 0, end = high;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (((uint64_t)told->facts[middle].what << 32 | told->facts[middle].line) < key) low = middle + 1;
        else high = middle;
    }
    if (low == end || told->facts[low].what != what || told->facts[low].line != line) return NULL;
    size_t next = low + told->facts[low].taken;
    if (next >= end || told->facts[next].what != what || told->facts[next].line != line) return NULL;
    told->facts[low].taken++;
    return &told->facts[next];
}

/* The memory at an address of the run. */
static uint32_t region_at(const struct gsim_cu *s, double address, double *offset)
{
    for (size_t i = 0; i < s->memory.region_count; i++) {
        const struct gsim_cu_region *r = &s->memory.regions[i];
        *offset = address - r->address;
        if (r->address > 0 && *offset >= 0 && *offset < r->bytes + (r->bytes == 0)) return (uint32_t)i;
    }
    return GSIM_CU_NONE;
}

struct gsim_cu_value gsim_cu_told(struct gsim_cu *s, CXCursor expression, struct gsim_cu_value value)
{
    const struct gsim_cuda_told *told = s->options->told;
    struct gsim_cuda_probe place;
    size_t p = 0;
    if (!told || !told->facts || s->host.in_kernel || s->host.is_silent ||
        !place_of(s, expression, &place))
        return value;
    while (p < told->probe_count && (told->probes[p].from != place.from || told->probes[p].to != place.to)) p++;
    const struct gsim_cuda_fact *fact = p < told->probe_count ? next_fact(told, (uint32_t)p, 0) : NULL;
    if (!fact) return value;
    enum CXTypeKind type = s->clang.getCanonicalType(s->clang.getCursorType(expression)).kind;
    struct gsim_cu_value now = {.kind = GSIM_CU_NUMBER, .n = {fact->n[0]}};
    if (told->probes[p].is_range) return now;
    if (type == CXType_Record) now.kind = GSIM_CU_DIM; /* of one that a number makes the others are 1 */
    for (int i = 1; i < 3 && type == CXType_Record; i++) now.n[i] = fact->n[i] > 0 ? fact->n[i] : 1;
    if (type == CXType_Pointer && s->device.has_returned) return value;
    if (type == CXType_Pointer && fact->n[0] != 0) {
        double offset;
        uint32_t region = region_at(s, fact->n[0], &offset);
        if (region == GSIM_CU_NONE) return value;
        now = (struct gsim_cu_value){.kind = GSIM_CU_POINTER, .at = region, .n = {offset}};
    }
    bool is_other = value.kind == now.kind && gsim_cu_is_integer(s, expression) && !gsim_cu_is_guess(value) &&
                    value.n[0] != now.n[0];
    if (is_other)
        gsim_cu_note(s, expression, "it is %g as read and %g in the run, which is believed", value.n[0], now.n[0]);
    return now;
}

struct gsim_cu_value gsim_cu_told_before(struct gsim_cu *s, CXCursor expression, struct gsim_cu_value value)
{
    struct gsim_cu_value now = gsim_cu_told(s, expression, value);
    return s->device.has_returned ? value : now;
}

void gsim_cu_tell_region(struct gsim_cu *s, uint32_t region, CXCursor call)
{
    const struct gsim_cuda_fact *fact = next_fact(s->options->told, GSIM_FACT_ALLOCATION, gsim_cu_line(s, call));
    if (!fact || region == GSIM_CU_NONE) return;
    s->memory.regions[region].address = fact->n[0];
    s->memory.regions[region].bytes = fact->n[1];
}

/* What the run's launch used that O does not have: its body was not read right. */
void gsim_cu_confirm(struct gsim_cu *s, CXCursor call, struct gsim_cu_operands *o)
{
    const struct gsim_cuda_told *told = s->options->told;
    const struct gsim_cuda_fact *launch, *fact;
    unsigned line = gsim_cu_line(s, call);
    if (!s->text.call_name) /* the run has the line where <<<>>>() ends */
        s->clang.getExpansionLocation(s->clang.getRangeEnd(s->clang.getCursorExtent(call)), NULL, &line, NULL, NULL);
    launch = next_fact(told, GSIM_FACT_LAUNCH, line);
    for (int writes = 0; launch && writes < 2; writes++)
        while ((fact = next_fact(told, writes ? GSIM_FACT_WRITE : GSIM_FACT_READ, gsim_whole_u32(launch->n[0])))) {
            double offset;
            uint32_t region = region_at(s, fact->n[0], &offset);
            bool has = o->is_unknown || region == GSIM_CU_NONE;
            uint32_t buffer = region == GSIM_CU_NONE ? GSIM_CU_NONE : s->memory.regions[region].buffer;
            for (uint32_t i = 0; i < o->arg_count && buffer != GSIM_CU_NONE; i++)
                has |= o->args[i].buffer_index == buffer && (writes ? o->args[i].writes : o->args[i].reads);
            for (uint32_t i = 0; i < o->host_count; i++) has |= o->hosts[i] == region && (!writes || o->uses[i].writes);
            if (has) continue;
            o->is_unknown = true;
            gsim_cu_note(s, call,
                         "in the run it %s memory that its body does not show: it may read and write any buffer",
                         writes ? "writes" : "reads");
        }
}

/* Whether each value was taken: then the source was read as it ran. */
void gsim_cu_check_told(struct gsim_cu *s)
{
    const struct gsim_cuda_told *told = s->options->told;
    const struct gsim_cuda_fact *first = NULL;
    for (size_t i = 0; told && i < told->fact_count && s->status == GSIM_OK; i++) {
        const struct gsim_cuda_fact *fact = &told->facts[i];
        if (!first || first->what != fact->what || first->line != fact->line) first = fact;
        bool is_last = i + 1 == told->fact_count || fact[1].what != fact->what || fact[1].line != fact->line;
        size_t count = (size_t)(fact - first) + 1;
        if (!is_last || fact->what != GSIM_FACT_LAUNCH || first->taken == count) continue;
        char text[160];
        snprintf(text, sizeof text,
                 "launched %zu times in the run, %u times as read: what it is given, and how often, is not the run's",
                 count, first->taken);
        if (s->options->note) s->options->note(s->path, fact->line, text);
        if (s->options->log) s->options->log->guesses++;
    }
}

void gsim_cuda_told_release(struct gsim_cuda_told *told)
{
    gsim_free(told->probes);
    gsim_free(told->facts);
    *told = (struct gsim_cuda_told){0};
}
