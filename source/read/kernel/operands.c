/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The buffers that a launch reads and writes: its pointer arguments, by what the kernel's body does with them or,
 * without a body, by KeSCo's annotation; variables in device memory that the body names. See
 * source/read/source.h.
 */
#include "source/read/source.h"

#include <math.h>
#include <stdio.h>

#define MAX_DEPTH 8

void gsim_cu_add_operand(struct gsim_cu *s, struct gsim_cu_operands *o, struct gsim_cu_value pointer, bool reads,
                         bool writes, bool is_const)
{
    uint32_t buffer = s->memory.regions[pointer.at].buffer, at = 0;
    if (!reads && !writes) return;
    if (buffer == GSIM_CU_NONE) { /* host memory, which the device may use */
        o->hosts[o->host_count] = pointer.at;
        o->uses[o->host_count++] = (struct gsim_cu_use){0, writes, 0, INFINITY}; /* before the pointer, too */
        return;
    }
    uint64_t bytes = gsim_builder_buffer_bytes(s->builder, buffer);
    while (at < o->arg_count && o->args[at].buffer_index != buffer) at++;
    if (at < o->arg_count) { /* named twice: all of it */
        uint32_t kept = 0;
        o->args[at].reads |= reads;
        o->args[at].writes |= writes;
        o->args[at].declared_const &= is_const;
        for (uint32_t i = 0; i < o->segment_count; i++)
            if (o->segments[i].arg != at) o->segments[kept++] = o->segments[i];
        o->segment_count = kept;
        return;
    }
    o->args[o->arg_count++] = (struct gsim_arg){buffer, reads, writes, is_const};
    if (pointer.n[0] > 0 && pointer.n[0] < (double)bytes)
        o->segments[o->segment_count++] = (struct gsim_segment){
            gsim_whole_u64(pointer.n[0]), bytes - gsim_whole_u64(pointer.n[0]), at, reads, writes};
}

/* --- variables in device memory --- */
struct globals {
    struct gsim_cu *s;
    struct gsim_cu_operands *o;
    CXCursor at;
    uint32_t seen, depth; /* SEEN: cells of functions that were looked through */
};

/* Outside of functions, and not shared; *IS_CONSTANT: it is only read. MANAGED where nothing says whose it is. */
static enum gsim_cu_memory memory_of(struct gsim_cu *s, CXCursor variable, bool *is_constant)
{
    struct gsim_cu_kids kids = gsim_cu_kids(s, variable);
    enum gsim_cu_memory memory = GSIM_CU_MANAGED;
    *is_constant = s->clang.isConstQualifiedType(s->clang.getCursorType(variable));
    for (size_t i = 0; i < kids.count; i++) {
        enum CXCursorKind kind = s->clang.getCursorKind(kids.at[i]);
        if (kind == CXCursor_CUDADeviceAttr || kind == CXCursor_CUDAConstantAttr) memory = GSIM_CU_DEVICE;
        if (kind == CXCursor_CUDASharedAttr) memory = GSIM_CU_HOST;
        *is_constant |= kind == CXCursor_CUDAConstantAttr;
    }
    gsim_free(kids.at);
    return memory == GSIM_CU_MANAGED && *is_constant ? GSIM_CU_HOST : memory;
}

/* Of BYTES, by the key in the table of variables. */
static void add_named(struct globals *g, CXCursor at, uint64_t key, const char *name, enum gsim_cu_memory memory,
                      double bytes, bool is_constant)
{
    struct gsim_cu *s = g->s;
    uint32_t cell = gsim_cu_cell(s, gsim_cu_cell(s, 0, gsim_cu_text_key("globals")), key);
    if (cell == GSIM_CU_NONE || bytes < 1) return;
    if (!s->memory.cells[cell].is_set) {
        uint32_t region = gsim_cu_region(s, memory, name, bytes, at);
        if (region == GSIM_CU_NONE) return;
        gsim_cu_store(s, cell, (struct gsim_cu_value){.kind = GSIM_CU_POINTER, .at = region});
        if (!is_constant)
            gsim_cu_note(s, at, "'%s' is in device memory: each kernel that names it is taken to read and write it",
                         name);
    }
    gsim_cu_add_operand(s, g->o, gsim_cu_load(s, cell), true, !is_constant, is_constant);
}

static void add_global(struct globals *g, CXCursor variable)
{
    struct gsim_cu *s = g->s;
    char name[GSIM_LIMIT_NAME + 1];
    bool is_constant;
    if (s->clang.Cursor_getStorageClass(variable) == CX_SC_Extern || !gsim_cu_is_lasting(s, variable)) return;
    enum gsim_cu_memory memory = memory_of(s, variable, &is_constant);
    if (memory == GSIM_CU_HOST) return;
    gsim_cu_name(s, variable, name);
    add_named(g, variable, s->clang.hashCursor(s->clang.getCanonicalCursor(variable)), name, memory,
              (double)s->clang.Type_getSizeOf(s->clang.getCursorType(variable)), is_constant);
}

static enum CXChildVisitResult find_globals(CXCursor cursor, GSIM_CU_PARENT, CXClientData data)
{
    struct globals *g = data;
    struct gsim_cu *s = g->s;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    if (kind != CXCursor_DeclRefExpr && kind != CXCursor_CallExpr) return CXChildVisit_Recurse;
    CXCursor named = kind == CXCursor_CallExpr ? gsim_cu_function(s, cursor) : s->clang.getCursorReferenced(cursor);
    if (s->clang.Cursor_isNull(named)) return CXChildVisit_Recurse;
    if (kind == CXCursor_DeclRefExpr) {
        if (s->clang.getCursorKind(named) == CXCursor_VarDecl) add_global(g, named);
        return CXChildVisit_Recurse;
    }
    if (gsim_cu_is_named(s, named, "printf"))
        add_named(g, cursor, gsim_cu_text_key("printf"), "printf", GSIM_CU_DEVICE, 1, false);
    uint32_t cell = gsim_cu_cell(s, g->seen, s->clang.hashCursor(named));
    CXCursor body = gsim_cu_body(s, named);
    if (cell == GSIM_CU_NONE || s->memory.cells[cell].is_set || body.kind == CXCursor_InvalidFile ||
        g->depth == MAX_DEPTH)
        return CXChildVisit_Recurse;
    gsim_cu_store(s, cell, gsim_cu_number(1));
    g->depth++;
    s->clang.visitChildren(body, find_globals, g);
    g->depth--;
    return CXChildVisit_Recurse;
}

/* --- KeSCo's annotation --- */
/* kernel(int outputs, T *written, ..., const T *read, ..., int priority): the next OUTPUTS pointers are written. */
static bool annotate(struct gsim_cu *s, CXCursor at, CXCursor kernel, const struct gsim_cu_value *values, size_t count,
                     uint64_t *reads, uint64_t *writes)
{
    bool has_body = gsim_cu_body(s, kernel).kind != CXCursor_InvalidFile;
    uint64_t written = 0, pointers = 0;
    double outputs = -1;
    for (size_t i = 0; i < count && i < GSIM_CU_TOLD; i++) {
        CXCursor parameter = gsim_cu_parameter(s, kernel, (unsigned)i);
        if (s->clang.Cursor_isNull(parameter)) break;
        if (gsim_cu_is_named(s, parameter, "outputs") && gsim_cu_is_known(values[i])) outputs = values[i].n[0];
        if (gsim_cu_is_named(s, parameter, "priority") && gsim_cu_is_known(values[i]))
            gsim_cu_note(s, at,
                         "priority %g is of the whole program: give it by --task PROGRAM,priority=", values[i].n[0]);
        if (s->clang.getCanonicalType(s->clang.getCursorType(parameter)).kind != CXType_Pointer) continue;
        pointers |= (uint64_t)1 << i;
        if (outputs > 0) written |= (uint64_t)1 << i;
        outputs -= outputs > 0;
    }
    if (outputs < 0 && !written) return false;
    if (has_body && (*writes & pointers) != written)
        gsim_cu_note(s, at, "the kernel writes other arguments than 'outputs' says: its body is believed");
    if (has_body) return false;
    *reads = pointers;
    *writes = written;
    return true;
}

/* --- a launch --- */
static void give_up(struct gsim_cu *s, CXCursor at, struct gsim_cu_operands *o, const char *why)
{
    bool has_buffers = false;
    for (size_t i = 0; i < s->memory.region_count; i++) has_buffers |= s->memory.regions[i].buffer != GSIM_CU_NONE;
    if (!has_buffers) /* one stands for all */
        (void)gsim_cu_region(s, GSIM_CU_DEVICE, "memory", sizeof(double), at);
    o->is_unknown = true;
    gsim_cu_note(s, at, "%s: it may read and write any buffer", why);
}

/* An argument: a pointer, or a class whose fields are. */
static void add_argument(struct gsim_cu *s, CXCursor at, CXCursor declared, struct gsim_cu_value value, size_t index,
                         bool reads, bool writes, struct gsim_cu_operands *o)
{
    char why[64];
    CXType type = s->clang.getCanonicalType(s->clang.getCursorType(declared));
    bool is_decayed = gsim_cu_is_decayed(s, declared), is_pointer = is_decayed || type.kind == CXType_Pointer;
    CXType to = is_decayed ? s->clang.getArrayElementType(type) : s->clang.getPointeeType(type);
    bool is_const = is_pointer && s->clang.isConstQualifiedType(to);
    if ((!is_decayed && !gsim_cu_holds(s, type)) || (gsim_cu_is_known(value) && value.n[0] == 0)) return; /* NULL */
    if (is_pointer && value.kind == GSIM_CU_POINTER && o->arg_count < GSIM_CU_PARAMS &&
        o->host_count < GSIM_CU_PARAMS) {
        gsim_cu_add_operand(s, o, value, reads, writes, is_const);
        return;
    }
    if (type.kind == CXType_Record && value.kind == GSIM_CU_CELL) {
        bool are_all;
        struct gsim_cu_kids fields = gsim_cu_fields(s, type, &are_all);
        for (size_t i = 0; i < fields.count; i++) {
            char name[GSIM_LIMIT_NAME + 1];
            gsim_cu_name(s, fields.at[i], name);
            uint32_t cell = gsim_cu_cell(s, value.at, gsim_cu_text_key(name));
            CXType part = s->clang.getCanonicalType(s->clang.getCursorType(fields.at[i]));
            struct gsim_cu_value own = gsim_cu_load(s, cell);
            if (part.kind == CXType_Record) own = (struct gsim_cu_value){.kind = GSIM_CU_CELL, .at = cell};
            add_argument(s, at, fields.at[i], own, index, reads, writes, o);
        }
        gsim_free(fields.at);
        if (fields.count && are_all) return;
    }
    snprintf(why, sizeof why, "argument %zu is not known", index + 1);
    if (!o->is_unknown) give_up(s, at, o, why);
}

void gsim_cu_read_operands(struct gsim_cu *s, CXCursor at, CXCursor kernel, const struct gsim_cu_value *values,
                           size_t count, struct gsim_cu_operands *o)
{
    const uint64_t told = ((uint64_t)1 << GSIM_CU_TOLD) - 1;
    CXCursor body = gsim_cu_body(s, kernel);
    enum CXCursorKind kind = s->clang.getCursorKind(kernel);
    bool is_function = kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod;
    const struct gsim_cu_access *access = is_function ? gsim_cu_access(s, kernel) : NULL;
    uint64_t reads = access ? access->reads : 0, writes = access ? access->writes : 0;
    bool is_told = annotate(s, at, kernel, values, count, &reads, &writes);
    if (!access) give_up(s, at, o, "it is launched through a variable");
    else if (access->unknown && !is_told) give_up(s, access->where, o, access->unknown);
    else if (s->memory.has_distances) give_up(s, at, o, "the program knows how far its buffers lie apart");
    else if ((reads | writes) & ~told) give_up(s, kernel, o, "it uses pointers that it loads from memory");
    for (size_t i = 0; i < count && i < GSIM_CU_TOLD; i++)
        if (o->is_unknown || ((reads | writes) >> i & 1))
            add_argument(s, at, gsim_cu_parameter(s, kernel, (unsigned)i), values[i], i, reads >> i & 1,
                         writes >> i & 1, o);
    if (body.kind == CXCursor_InvalidFile) return;
    struct globals g = {.s = s, .o = o, .at = at};
    g.seen = gsim_cu_cell(s, gsim_cu_cell(s, 0, gsim_cu_text_key("looked through")), ++s->counts.looks);
    s->clang.visitChildren(body, find_globals, &g);
}
