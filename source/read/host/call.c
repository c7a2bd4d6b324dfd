/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of the host: of CUDA, of the source's own functions, of what is not read. See source/read/source.h. */
#include "source/read/source.h"

#include <math.h>
#include <string.h>

static const struct gsim_cu_value unknown;

/* 1: a function of one or two numbers that C has. */
static bool mathematics(const char *name, const struct gsim_cu_value *v, size_t count, struct gsim_cu_value *result)
{
    static const struct { const char *name; double (*one)(double); double (*two)(double, double);
    } rows[] = {{"ceil", ceil, NULL},   {"ceilf", ceil, NULL}, {"floor", floor, NULL}, {"floorf", floor, NULL},
                {"sqrt", sqrt, NULL},   {"sqrtf", sqrt, NULL}, {"log", log, NULL},     {"log2", log2, NULL},
                {"log2f", log2, NULL},  {"exp", exp, NULL},    {"fabs", fabs, NULL},   {"abs", fabs, NULL},
                {"round", round, NULL}, {"pow", NULL, pow},    {"powf", NULL, pow},    {"min", NULL, fmin},
                {"max", NULL, fmax},    {"fmin", NULL, fmin},  {"fmax", NULL, fmax}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        *result = unknown;
        if (rows[i].one && count == 1 && gsim_cu_is_known(v[0])) *result = gsim_cu_number(rows[i].one(v[0].n[0]));
        if (rows[i].two && count == 2 && gsim_cu_is_known(v[0]) && gsim_cu_is_known(v[1]))
            *result = gsim_cu_number(rows[i].two(v[0].n[0], v[1].n[0]));
        result->n[1] = gsim_cu_is_known(*result) && (gsim_cu_is_guess(v[0]) || (count == 2 && gsim_cu_is_guess(v[1])));
        return true;
    }
    return false;
}

static struct gsim_cu_value dimensions(const struct gsim_cu_value *values, size_t count)
{
    struct gsim_cu_value result = {.kind = GSIM_CU_DIM, .n = {1, 1, 1}};
    if (count == 1 && values[0].kind == GSIM_CU_DIM) return values[0];
    for (size_t i = 0; i < count && i < 3; i++) {
        if (!gsim_cu_is_known(values[i])) return unknown;
        result.n[i] = values[i].n[0];
    }
    return result;
}

static bool allocation(struct gsim_cu *s, CXCursor call, const char *name, struct gsim_cu_value *result)
{
    if (strcmp(name, "malloc") && strcmp(name, "calloc") && strcmp(name, "aligned_alloc")) return false;
    uint32_t region = gsim_cu_region(s, GSIM_CU_HOST, name, 0, call);
    *result = region == GSIM_CU_NONE ? unknown : (struct gsim_cu_value){.kind = GSIM_CU_POINTER, .at = region};
    return true;
}

/* By value, or where a reference leads. */
static struct gsim_cu_value argument(struct gsim_cu *s, CXCursor function, unsigned index, CXCursor expression)
{
    CXType type = s->clang.getCursorType(gsim_cu_parameter(s, function, index));
    bool is_reference = type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
    if (!is_reference || s->clang.isConstQualifiedType(s->clang.getPointeeType(type)))
        return gsim_cu_object(s, expression);
    uint32_t cell = gsim_cu_place(s, expression, false);
    if (cell == GSIM_CU_NONE) return gsim_cu_evaluate(s, expression);
    return (struct gsim_cu_value){.kind = GSIM_CU_CELL, .at = cell};
}

struct arguments {
    struct gsim_cu_value at[GSIM_CU_PARAMS], object;
    size_t count;
    bool has_object;
};

static void read_arguments(struct gsim_cu *s, CXCursor expression, CXCursor function, const struct gsim_cu_kids *kids,
                           struct arguments *a)
{
    int count = s->clang.Cursor_getNumArguments(expression), skip = 0;
    bool is_method = s->clang.getCursorKind(function) == CXCursor_CXXMethod && !s->clang.CXXMethod_isStatic(function);
    *a = (struct arguments){.has_object = is_method};
    if (is_method && count == s->clang.Cursor_getNumArguments(function) + 1) { /* an operator's */
        a->object = gsim_cu_object(s, s->clang.Cursor_getArgument(expression, 0));
        skip = 1;
    } else if (is_method && kids->count) {
        struct gsim_cu_kids base = gsim_cu_kids(s, gsim_cu_strip(s, kids->at[0]));
        a->object = (struct gsim_cu_value){.kind = GSIM_CU_CELL, .at = s->host.self};
        if (base.count && s->clang.getCursorKind(base.at[0]) != CXCursor_TypeRef)
            a->object = gsim_cu_object(s, base.at[0]);
        gsim_free(base.at);
    }
    for (int i = skip; i < count && a->count < GSIM_CU_PARAMS; i++) {
        CXCursor own = s->clang.Cursor_getArgument(expression, (unsigned)i);
        if (!gsim_cu_is_default(s, own)) a->at[a->count++] = argument(s, function, (unsigned)(i - skip), own);
    }
}

/* Of a library, and what it does is known. */
static bool call_library(struct gsim_cu *s, const char *name, const struct arguments *a, struct gsim_cu_value *result)
{
    bool are_cells = a->count == 2 && a->at[0].kind == GSIM_CU_CELL;
    if (are_cells && strcmp(name, "exchange") == 0) {
        *result = gsim_cu_load(s, a->at[0].at);
        gsim_cu_store(s, a->at[0].at, a->at[1].kind == GSIM_CU_CELL ? gsim_cu_load(s, a->at[1].at) : a->at[1]);
        return true;
    }
    if (!are_cells || a->at[1].kind != GSIM_CU_CELL || strcmp(name, "swap") != 0) return false;
    struct gsim_cu_value first = gsim_cu_load(s, a->at[0].at), second = gsim_cu_load(s, a->at[1].at);
    gsim_cu_wipe(s, a->at[0].at);
    gsim_cu_wipe(s, a->at[1].at);
    gsim_cu_store(s, a->at[0].at, second);
    gsim_cu_store(s, a->at[1].at, first);
    return true;
}

/* A function that is not read does what it likes with what it is given, and may use the device. */
static void call_unread(struct gsim_cu *s, CXCursor expression, CXCursor function, const char *name,
                        const struct arguments *a)
{
    bool is_of_system = s->clang.Location_isInSystemHeader(s->clang.getCursorLocation(function)) ||
                        gsim_cu_is_of_cuda(s, function);
    bool has_body = gsim_cu_body(s, function).kind != CXCursor_InvalidFile, only_numbers = !a->has_object;
    bool gets_device = false;
    for (size_t i = 0; i <= a->count; i++) {
        struct gsim_cu_value value = i < a->count ? a->at[i] : a->object;
        CXType type = s->clang.getCanonicalType(s->clang.getCursorType(gsim_cu_parameter(s, function, (unsigned)i)));
        bool is_const = i < a->count && type.kind == CXType_Pointer &&
                        s->clang.isConstQualifiedType(s->clang.getPointeeType(type));
        only_numbers &= i == a->count || value.kind == GSIM_CU_NUMBER;
        if (value.kind == GSIM_CU_POINTER) {
            gsim_cu_touch(s, value.at, !is_const);
            gets_device |= s->memory.regions[value.at].memory == GSIM_CU_DEVICE;
        }
        if (!is_const) gsim_cu_wipe_at(s, value);
        if (value.kind == GSIM_CU_CELL) s->memory.cells[value.at].is_shared = true;
    }
    if (s->host.in_kernel) return;
    if (gets_device || !is_of_system || gsim_cu_has_calls(s, expression)) {
        gsim_cu_note(s, expression, "%s() is not read: it may give the device work", name);
        gsim_cu_barrier(s, expression, name);
        if (!is_of_system) s->memory.wild[0] = s->memory.wild[1] = ++s->memory.clock;
    } else if (!has_body || !only_numbers) gsim_cu_foreign(s);
}

/* A call of what is not declared here, which is an error that was noted. */
bool gsim_cu_is_undeclared(struct gsim_cu *s, const struct gsim_cu_kids *kids)
{
    if (kids->count < 1 || s->clang.getCursorKind(kids->at[0]) != CXCursor_DeclRefExpr) return false;
    struct gsim_cu_kids inner = gsim_cu_kids(s, kids->at[0]);
    bool is_undeclared = inner.count && s->clang.getCursorKind(inner.at[0]) == CXCursor_OverloadedDeclRef;
    gsim_free(inner.at);
    return is_undeclared;
}

void gsim_cu_call_undeclared(struct gsim_cu *s, CXCursor expression, const struct gsim_cu_kids *kids)
{
    for (size_t i = 1; i < kids->count; i++) {
        struct gsim_cu_value value = gsim_cu_object(s, kids->at[i]);
        uint32_t cell = gsim_cu_place(s, kids->at[i], true); /* by reference, perhaps */
        gsim_cu_wipe_at(s, value);
        gsim_cu_wipe(s, cell);
        if (value.kind == GSIM_CU_POINTER) gsim_cu_touch(s, value.at, true);
    }
    gsim_cu_barrier(s, expression, "");
}

struct gsim_cu_value gsim_cu_call(struct gsim_cu *s, CXCursor expression, const struct gsim_cu_kids *kids)
{
    char name[GSIM_LIMIT_NAME + 1];
    struct gsim_cu_value result = unknown;
    struct arguments a;
    uint32_t self = s->host.self;
    if (gsim_cu_is_launch(s, kids)) return gsim_cu_launch(s, expression, kids);
    gsim_cu_name(s, expression, name);
    if (gsim_cu_api(s, expression, name, kids, &result)) return result;
    CXCursor function = gsim_cu_function(s, expression);
    bool is_function = !s->clang.Cursor_isNull(function);
    read_arguments(s, expression, function, kids, &a);
    bool is_constructor = is_function && s->clang.getCursorKind(function) == CXCursor_Constructor;
    if (is_constructor && strcmp(name, "dim3") == 0) return dimensions(a.at, a.count);
    bool is_read = is_function && gsim_cu_body(s, function).kind != CXCursor_InvalidFile &&
                   !s->clang.Location_isInSystemHeader(s->clang.getCursorLocation(function));
    if (!is_read && (allocation(s, expression, name, &result) || mathematics(name, a.at, a.count, &result)))
        return result;
    if (is_constructor && (!is_read || s->clang.CXXMethod_isDefaulted(function)))
        return a.count == 1 ? a.at[0] : unknown;
    if (!is_read) {
        if (!call_library(s, name, &a, &result)) call_unread(s, expression, function, name, &a);
        return result;
    }
    if (is_constructor) return unknown;
    if (a.object.kind == GSIM_CU_CELL) self = a.object.at;
    else if (a.has_object) self = gsim_cu_cell(s, 0, gsim_cu_text_key("no object"));
    return gsim_cu_inline(s, function, a.at, a.count, self);
}
