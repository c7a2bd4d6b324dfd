/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells, regions and the texts of cursors: see source/read/source.h. */
#include "source/read/source.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/slots.h"
#include "sim/program/guess.h"

#define MAX_NOTES 200

/* Whether it was put there. */
static bool is_room(struct gsim_cu *s, bool is_there)
{
    if (!is_there && s->status == GSIM_OK) s->status = gsim_no_memory(s->error);
    return is_there;
}

/* --- cells --- */
uint32_t gsim_cu_cell(struct gsim_cu *s, uint32_t parent, uint64_t key)
{
    uint64_t hash = (key ^ ((uint64_t)parent << 32)) * 0x9e3779b97f4a7c15u;
    uint32_t *slot = &s->memory.slots[hash >> 48];
    if (parent == GSIM_CU_NONE) return GSIM_CU_NONE;
    for (uint32_t i = *slot; i; i = s->memory.cells[i].next)
        if (s->memory.cells[i].key == key && s->memory.cells[i].parent == parent) return i;
    const struct gsim_cu_cell cell = {.parent = parent, .key = key, .next = *slot};
    for (int i = s->memory.cell_count > 0; i < 2; i++) /* 0 is the parent of all */
        if (!is_room(s, GSIM_APPEND(s->memory.cells, s->memory.cell_count, s->memory.cell_room, cell)))
            return GSIM_CU_NONE;
    return *slot = (uint32_t)s->memory.cell_count - 1;
}

static bool is_wiped(const struct gsim_cu *s, uint32_t cell)
{
    enum gsim_cu_kind kind = s->memory.cells[cell].value.kind;
    uint64_t since = s->memory.cells[cell].since,
             wild = s->memory.wild[kind == GSIM_CU_POINTER || kind == GSIM_CU_CELL];
    for (uint32_t at = cell; at; at = s->memory.cells[at].parent)
        if (s->memory.cells[at].wiped > since || (s->memory.cells[at].is_shared && wild > since)) return true;
    return false;
}

struct gsim_cu_value gsim_cu_load(const struct gsim_cu *s, uint32_t cell)
{
    bool is_known = cell != GSIM_CU_NONE && s->memory.cells[cell].value.kind != GSIM_CU_UNKNOWN && !is_wiped(s, cell);
    return is_known ? s->memory.cells[cell].value : (struct gsim_cu_value){0};
}

bool gsim_cu_is_set(const struct gsim_cu *s, uint32_t cell)
{
    return cell != GSIM_CU_NONE && (s->memory.cells[cell].is_set || is_wiped(s, cell));
}

void gsim_cu_wipe(struct gsim_cu *s, uint32_t cell)
{
    if (cell != GSIM_CU_NONE) s->memory.cells[cell].wiped = ++s->memory.clock;
}

void gsim_cu_wipe_at(struct gsim_cu *s, struct gsim_cu_value pointer)
{
    uint32_t frames = gsim_cu_cell(s, 0, gsim_cu_text_key("frames"));
    for (int depth = 0; depth < 4 && pointer.kind == GSIM_CU_CELL && pointer.at != GSIM_CU_NONE; depth++) {
        uint32_t whole = s->memory.cells[pointer.at].parent, at = pointer.at;
        bool is_part =
            whole && s->memory.cells[whole].parent != frames; /* of an array or a class: its neighbours, too */
        pointer = gsim_cu_load(s, at);
        gsim_cu_wipe(s, is_part ? whole : at);
    }
    if (pointer.kind == GSIM_CU_POINTER) gsim_cu_wipe(s, s->memory.regions[pointer.at].cell);
}

void gsim_cu_store(struct gsim_cu *s, uint32_t cell, struct gsim_cu_value value)
{
    if (cell == GSIM_CU_NONE) return;
    s->memory.cells[cell].value = value;
    s->memory.cells[cell].is_set = true;
    s->memory.cells[cell].since = ++s->memory.clock;
    if (value.kind == GSIM_CU_CELL && value.at != GSIM_CU_NONE) s->memory.cells[value.at].is_shared = true;
}

uint64_t gsim_cu_text_key(const char *text) { return gsim_hash_bytes(GSIM_HASH_START, text, strlen(text)); }

struct gsim_cu_value gsim_cu_number(double number)
{
    return isfinite(number) ? (struct gsim_cu_value){.kind = GSIM_CU_NUMBER, .n = {number}} : (struct gsim_cu_value){0};
}

bool gsim_cu_is_known(struct gsim_cu_value value) { return value.kind == GSIM_CU_NUMBER; }
bool gsim_cu_is_guess(struct gsim_cu_value value) { return value.kind == GSIM_CU_NUMBER && value.n[1] != 0; }

uint32_t gsim_cu_region(struct gsim_cu *s, enum gsim_cu_memory memory, const char *name, double bytes, CXCursor at)
{
    struct gsim_cu_region region = {.memory = memory, .buffer = GSIM_CU_NONE};
    if (memory >= GSIM_CU_DEVICE) {
        char text[GSIM_LIMIT_NAME + 1];
        bool is_known = bytes >= 1 && bytes <= (double)GSIM_LIMIT_BYTES;
        if (!is_known) gsim_cu_note(s, at, "the size of '%s' is not known: 4 bytes assumed (--arg NAME=VALUE)", name);
        snprintf(text, sizeof text, "%.200s", name);
        uint32_t names = gsim_cu_cell(s, 0, gsim_cu_text_key("buffer names"));
        for (uint32_t n = 2; gsim_cu_is_set(s, gsim_cu_cell(s, names, gsim_cu_text_key(text)));) /* they are unique */
            snprintf(text, sizeof text, "%.200s.%u", name, n++);
        gsim_cu_store(s, gsim_cu_cell(s, names, gsim_cu_text_key(text)), gsim_cu_number(1));
        region.buffer = gsim_builder_buffer(s->builder, text, is_known ? gsim_whole_u64(bytes) : 4, GSIM_INIT_NONE);
    }
    region.cell = gsim_cu_cell(s, gsim_cu_cell(s, 0, gsim_cu_text_key("regions")), s->memory.region_count);
    if (!is_room(s, GSIM_APPEND(s->memory.regions, s->memory.region_count, s->memory.region_room, region)))
        return GSIM_CU_NONE;
    if (region.cell != GSIM_CU_NONE) s->memory.cells[region.cell].is_shared = true;
    return (uint32_t)s->memory.region_count - 1;
}

/* --- cursors --- */
struct visit {
    struct gsim_cu *s;
    struct gsim_cu_kids kids;
};

static enum CXChildVisitResult add_kid(CXCursor cursor, GSIM_CU_PARENT, CXClientData data)
{
    struct visit *visit = data;
    bool is_there = is_room(visit->s, GSIM_APPEND(visit->kids.at, visit->kids.count, visit->kids.room, cursor));
    return is_there ? CXChildVisit_Continue : CXChildVisit_Break;
}

struct gsim_cu_kids gsim_cu_kids(struct gsim_cu *s, CXCursor cursor)
{
    struct visit visit = {.s = s};
    s->clang.visitChildren(cursor, add_kid, &visit);
    return visit.kids;
}

static enum CXVisitorResult add_field(CXCursor field, CXClientData data)
{
    return add_kid(field, field, data) == CXChildVisit_Continue ? CXVisit_Continue : CXVisit_Break;
}

struct gsim_cu_kids gsim_cu_fields(struct gsim_cu *s, CXType type, bool *are_all)
{
    struct visit visit = {.s = s};
    CXCursor record = s->clang.getCursorDefinition(s->clang.getTypeDeclaration(type)), pattern;
    *are_all = !s->clang.Cursor_isNull(record);
    if (!*are_all) return visit.kids;
    pattern = s->clang.getSpecializedCursorTemplate(record);
    visit.kids = gsim_cu_kids(s, record);
    size_t kept = 0;
    for (size_t i = 0; i < visit.kids.count; i++) {
        enum CXCursorKind kind = s->clang.getCursorKind(visit.kids.at[i]);
        if (kind == CXCursor_FieldDecl || kind == CXCursor_CXXBaseSpecifier) visit.kids.at[kept++] = visit.kids.at[i];
    }
    visit.kids.count = kept;
    if (kept || s->clang.Cursor_isNull(pattern)) return visit.kids; /* of a template's instance they are not shown */
    s->clang.Type_visitFields(type, add_field, &visit);
    struct gsim_cu_kids parts = gsim_cu_kids(s, pattern);
    for (size_t i = 0; i < parts.count; i++)
        *are_all &= s->clang.getCursorKind(parts.at[i]) != CXCursor_CXXBaseSpecifier;
    gsim_free(parts.at);
    return visit.kids;
}

/* What a call in a template's body names, which is not resolved there. */
static CXCursor unresolved(struct gsim_cu *s, CXCursor call)
{
    struct gsim_cu_kids kids = gsim_cu_kids(s, call);
    CXCursor first = kids.count ? kids.at[0] : call;
    enum CXCursorKind kind = s->clang.getCursorKind(first);
    gsim_free(kids.at);
    return kids.count && (kind == CXCursor_DeclRefExpr || kind == CXCursor_UnexposedExpr) ? unresolved(s, first)
                                                                                          : first;
}

void gsim_cu_name(struct gsim_cu *s, CXCursor cursor, char name[GSIM_LIMIT_NAME + 1])
{
    CXString text = s->clang.getCursorSpelling(cursor);
    const char *chars = s->clang.getCString(text);
    snprintf(name, GSIM_LIMIT_NAME + 1, "%s", chars ? chars : "");
    s->clang.disposeString(text);
    if (name[0] || s->clang.getCursorKind(cursor) != CXCursor_CallExpr) return;
    CXCursor called = unresolved(s, cursor);
    if (called.kind == CXCursor_OverloadedDeclRef) gsim_cu_name(s, called, name);
}

bool gsim_cu_is_named(struct gsim_cu *s, CXCursor cursor, const char *name)
{
    char text[GSIM_LIMIT_NAME + 1];
    gsim_cu_name(s, cursor, text);
    return strcmp(text, name) == 0;
}

const char *gsim_cu_contents(struct gsim_cu *s, CXFile file, size_t *size)
{
    if (!file) return NULL;
    if (file != s->code.last) {
        const char *text = s->clang.getFileContents(s->unit, file, &s->code.last_size);
        for (size_t i = 0; !text && i < s->code.other_count; i++)
            text = s->clang.getFileContents(s->code.others[i], file, &s->code.last_size);
        s->code.last = file;
        s->code.last_text = text;
    }
    *size = s->code.last_size;
    return s->code.last_text;
}

CXCursor gsim_cu_defined(struct gsim_cu *s, CXCursor declaration)
{
    char name[GSIM_LIMIT_NAME + 1];
    if (!s->code.external_count) return declaration;
    gsim_cu_name(s, declaration, name);
    for (size_t i = 0; i < s->code.external_count; i++)
        if (s->clang.getCursorKind(s->code.externals[i]) == s->clang.getCursorKind(declaration) &&
            gsim_cu_is_named(s, s->code.externals[i], name))
            return s->code.externals[i];
    return declaration;
}

const char *gsim_cu_text(struct gsim_cu *s, CXSourceLocation at, size_t *left, size_t *before)
{
    CXFile file = NULL;
    unsigned offset = 0;
    size_t size = 0;
    s->clang.getSpellingLocation(at, &file, NULL, NULL, &offset);
    const char *text = gsim_cu_contents(s, file, &size);
    if (!text || offset >= size) return NULL;
    *left = size - offset;
    if (before) *before = offset;
    return text + offset;
}

/* The characters of an operator that end where TEXT begins, of which there are BEFORE. */
static void operator_before(const char *text, size_t before, char op[4])
{
    size_t end = before, begin;
    while (end && isspace((unsigned char)text[(ptrdiff_t)end - 1 - (ptrdiff_t)before])) end--;
    for (begin = end;
         begin && end - begin < 3 && strchr("+-*/%<>=!&|^,", text[(ptrdiff_t)begin - 1 - (ptrdiff_t)before]);)
        begin--;
    snprintf(op, 4, "%.*s", (int)(end - begin), text + (ptrdiff_t)begin - (ptrdiff_t)before);
}

static void find_operator(struct gsim_cu *s, CXCursor left, CXSourceLocation begin, char op[4])
{
    CXFile file = NULL;
    unsigned at = 0, from = 0;
    size_t size = 0, before = 0;
    s->clang.getExpansionLocation(s->clang.getRangeStart(s->clang.getCursorExtent(left)), NULL, NULL, NULL, &from);
    s->clang.getExpansionLocation(begin, &file, NULL, NULL, &at);
    op[0] = '\0';
    const char *text = gsim_cu_contents(s, file, &size);
    if (text && at != from && at < size) { /* not both in one macro */
        operator_before(text + at, at, op);
        return;
    }
    text = gsim_cu_text(s, begin, &size, &before);
    if (text && before != at) operator_before(text, before, op);
}

/* Once for each place: within many macros libclang takes its time. */
void gsim_cu_operator(struct gsim_cu *s, CXCursor left, CXCursor right, char op[4])
{
    CXSourceLocation begin = s->clang.getRangeStart(s->clang.getCursorExtent(right));
    uint64_t key = (uint64_t)s->clang.hashCursor(left) << 32 | begin.int_data;
    uint32_t cell = gsim_cu_cell(s, gsim_cu_cell(s, 0, gsim_cu_text_key("operators")), key);
    uint32_t chars = 0;
    if (cell == GSIM_CU_NONE || !s->memory.cells[cell].is_set) {
        find_operator(s, left, begin, op);
        memcpy(&chars, op, strlen(op));
        gsim_cu_store(s, cell, gsim_cu_number(chars));
    }
    chars = gsim_whole_u32(gsim_cu_load(s, cell).n[0]);
    memcpy(op, &chars, 4);
}

uint64_t gsim_cu_offset(struct gsim_cu *s, CXCursor cursor)
{
    unsigned offset = 0;
    s->clang.getSpellingLocation(s->clang.getCursorLocation(cursor), NULL, NULL, NULL, &offset);
    return offset;
}

unsigned gsim_cu_line(struct gsim_cu *s, CXCursor cursor)
{
    unsigned line = 0;
    s->clang.getExpansionLocation(s->clang.getCursorLocation(cursor), NULL, &line, NULL, NULL);
    return line;
}

void gsim_cu_tell(struct gsim_cu *s, const char *path, unsigned line, const char *text)
{
    char guess[GSIM_LIMIT_NAME + 1];
    snprintf(guess, sizeof guess, "%.80s:%u: %s", path, line, text);
    if (!gsim_program_guess(&s->said, guess)) s->status = gsim_no_memory(s->error);
    if (s->options->note) s->options->note(path, line, text);
}

void gsim_cu_note(struct gsim_cu *s, CXCursor at, const char *format, ...)
{
    char text[512];
    va_list arguments;
    if (s->host.is_silent || s->status != GSIM_OK) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    uint32_t seen =
        gsim_cu_cell(s, gsim_cu_cell(s, 0, gsim_cu_text_key("notes")), gsim_cu_line(s, at) + gsim_cu_text_key(text));
    if (s->options->log && strstr(text, "assumed")) s->options->log->guesses++;
    if (seen == GSIM_CU_NONE || s->memory.cells[seen].is_set || s->counts.notes++ >= MAX_NOTES) return;
    gsim_cu_store(s, seen, gsim_cu_number(1));
    CXFile file = NULL;
    s->clang.getExpansionLocation(s->clang.getCursorLocation(at), &file, NULL, NULL, NULL);
    CXString name = s->clang.getFileName(file);
    const char *in = s->clang.getCString(name);
    gsim_cu_tell(s, file == s->file || !in ? s->path : in, gsim_cu_line(s, at), text);
    s->clang.disposeString(name);
}

void gsim_cu_fail(struct gsim_cu *s, CXCursor at, const char *format, ...)
{
    char text[512];
    va_list arguments;
    if (s->status != GSIM_OK) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    s->status = gsim_error_set(s->error, GSIM_INPUT, "%s:%u: %s", s->path, gsim_cu_line(s, at), text);
}

bool gsim_cu_given(struct gsim_cu *s, CXCursor variable, struct gsim_cu_value *value)
{
    char name[GSIM_LIMIT_NAME + 1];
    if (s->host.in_kernel) return false;
    gsim_cu_name(s, variable, name);
    for (size_t i = 0; i < s->options->count; i++) {
        struct gsim_cuda_word *word = &s->options->words[i];
        size_t length = strcspn(word->text, "=");
        if (word->kind != GSIM_CUDA_ARG || strlen(name) != length || strncmp(word->text, name, length) != 0) continue;
        *value = gsim_cu_number(strtod(word->text + length + 1, NULL));
        word->is_used = true;
        return true;
    }
    return false;
}

bool gsim_cu_is_integer(struct gsim_cu *s, CXCursor expression)
{
    enum CXTypeKind kind = s->clang.getCanonicalType(s->clang.getCursorType(expression)).kind;
    return (kind >= CXType_Bool && kind <= CXType_Int128) || kind == CXType_Enum;
}

bool gsim_cu_is_local(struct gsim_cu *s, CXCursor variable)
{
    enum CXCursorKind parent = s->clang.getCursorKind(s->clang.getCursorSemanticParent(variable));
    return parent == CXCursor_FunctionDecl || parent == CXCursor_CXXMethod || parent == CXCursor_FunctionTemplate ||
           parent == CXCursor_Constructor || parent == CXCursor_Destructor || parent == CXCursor_ConversionFunction;
}

bool gsim_cu_is_lasting(struct gsim_cu *s, CXCursor variable)
{
    return !gsim_cu_is_local(s, variable) || s->clang.Cursor_getStorageClass(variable) == CX_SC_Static;
}

CXCursor gsim_cu_function(struct gsim_cu *s, CXCursor call)
{
    CXCursor function = s->clang.getCursorReferenced(call), pattern, whole;
    if (s->clang.Cursor_isNull(function) && s->clang.getCursorKind(call) == CXCursor_CallExpr) {
        CXCursor named = unresolved(s, call);
        if (s->clang.getCursorKind(named) == CXCursor_OverloadedDeclRef && s->clang.getNumOverloadedDecls(named) == 1)
            function = s->clang.getOverloadedDecl(named, 0);
    }
    if (s->clang.Cursor_isNull(function)) return function;
    whole = s->clang.getCursorDefinition(function); /* of a template its instance, where clang made that */
    if (!s->clang.Cursor_isNull(whole) && gsim_cu_body(s, whole).kind != CXCursor_InvalidFile) return whole;
    pattern = s->clang.getSpecializedCursorTemplate(function);
    if (!s->clang.Cursor_isNull(pattern)) whole = s->clang.getCursorDefinition(pattern);
    return s->clang.Cursor_isNull(whole) ? gsim_cu_defined(s, function) : whole;
}

CXCursor gsim_cu_body(struct gsim_cu *s, CXCursor function)
{
    struct gsim_cu_kids kids = gsim_cu_kids(s, function);
    CXCursor body = {0};
    body.kind = CXCursor_InvalidFile;
    for (size_t i = 0; i < kids.count; i++)
        if (s->clang.getCursorKind(kids.at[i]) == CXCursor_CompoundStmt) body = kids.at[i];
    gsim_free(kids.at);
    return body;
}

CXCursor gsim_cu_parameter(struct gsim_cu *s, CXCursor function, unsigned index)
{
    struct gsim_cu_kids kids = gsim_cu_kids(s, function);
    CXCursor found = {.kind = CXCursor_InvalidFile};
    for (size_t i = 0; i < kids.count; i++)
        if (s->clang.getCursorKind(kids.at[i]) == CXCursor_ParmDecl && index-- == 0) found = kids.at[i];
    gsim_free(kids.at);
    return found;
}

bool gsim_cu_is_default(struct gsim_cu *s, CXCursor argument)
{
    struct gsim_cu_kids kids = gsim_cu_kids(s, argument);
    gsim_free(kids.at);
    return !kids.count && s->clang.getCursorKind(argument) == CXCursor_UnexposedExpr;
}
