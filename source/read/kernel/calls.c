/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls in code of the device: what the callee does with memory, in terms of who calls it. See
 * source/read/kernel/walk.h. */
#include "source/read/kernel/walk.h"

struct arguments {
    struct gsim_cu_flow at[GSIM_CU_TOLD], object;
    bool is_place[GSIM_CU_TOLD], is_const[GSIM_CU_TOLD]; /* by reference; to what is constant */
    uint32_t count;
    uint64_t all;
};

/* What the callee's bits are for who calls it. */
static uint64_t translate(const struct arguments *c, uint64_t mask)
{
    uint64_t out = mask & GSIM_CU_ANY;
    for (uint32_t i = 0; i <= GSIM_CU_TOLD; i++) {
        bool is_place = i == GSIM_CU_TOLD || (i < c->count && c->is_place[i]);
        const struct gsim_cu_flow *f = i == GSIM_CU_TOLD ? &c->object : &c->at[i];
        uint64_t memory = is_place ? f->memory : f->value;
        if (mask >> i & 1) out |= memory;
        if (!(mask & GSIM_CU_HELD((uint64_t)1 << i))) continue;
        if (is_place && (f->is_variable || !memory)) out |= f->value;
        else out |= gsim_cu_flow_held(memory);
    }
    return out;
}

static void read_arguments(struct gsim_cu_walk *w, CXCursor call, CXCursor callee, bool has_object, struct arguments *c)
{
    struct gsim_cu *s = w->s;
    int count = s->clang.Cursor_getNumArguments(call), skip = 0, declared = s->clang.Cursor_getNumArguments(callee);
    struct gsim_cu_kids kids = gsim_cu_kids(s, call);
    *c = (struct arguments){.count = 0};
    if (has_object && declared >= 0 && count == declared + 1) { /* an operator's */
        c->object = gsim_cu_flow_of(w, s->clang.Cursor_getArgument(call, 0));
        skip = 1;
    } else if (has_object && kids.count) {
        struct gsim_cu_kids base = gsim_cu_kids(s, gsim_cu_strip(s, kids.at[0]));
        c->object = (struct gsim_cu_flow){.memory = GSIM_CU_SELF, .value = GSIM_CU_HELD(GSIM_CU_SELF)};
        if (base.count && s->clang.getCursorKind(base.at[0]) >= CXCursor_FirstExpr) {
            bool is_pointer = gsim_cu_type(s, base.at[0]).kind == CXType_Pointer;
            c->object = gsim_cu_flow_of(w, base.at[0]);
            if (is_pointer) {
                gsim_cu_mark(w, call, c->object.memory, true, false);
                c->object =
                    gsim_cu_flow_in(w, call, c->object.value, s->clang.getPointeeType(gsim_cu_type(s, base.at[0])));
            }
        }
        gsim_free(base.at);
    }
    gsim_free(kids.at);
    for (int i = skip; i < count; i++) {
        CXCursor argument = s->clang.Cursor_getArgument(call, (unsigned)i);
        CXType type = gsim_cu_type(s, gsim_cu_parameter(s, callee, (unsigned)(i - skip)));
        struct gsim_cu_flow f = {0};
        bool is_place = gsim_cu_is_reference(type);
        if (is_place) f = gsim_cu_flow_of(w, argument);
        else f.value = gsim_cu_flow_pointee(w, argument, NULL);
        c->all |= f.memory | f.value;
        if (i - skip >= GSIM_CU_TOLD) {
            if (c->all) gsim_cu_give_up(w, call, "it has more parameters than are told apart");
            continue;
        }
        c->is_place[c->count] = is_place;
        c->is_const[c->count] =
            (is_place || type.kind == CXType_Pointer) && s->clang.isConstQualifiedType(s->clang.getPointeeType(type));
        c->at[c->count++] = f;
    }
    c->all |= c->object.memory | c->object.value;
}

static struct gsim_cu_flow result_of(struct gsim_cu_walk *w, CXCursor call, CXCursor callee, uint64_t returns)
{
    struct gsim_cu *s = w->s;
    CXType type = s->clang.getCanonicalType(s->clang.getCursorResultType(callee));
    if (gsim_cu_is_reference(type)) return gsim_cu_flow_in(w, call, returns, s->clang.getPointeeType(type));
    return (struct gsim_cu_flow){.value = gsim_cu_holds(s, s->clang.getCursorType(call)) ? returns : 0};
}

static struct gsim_cu_flow call_known(struct gsim_cu_walk *w, CXCursor call, CXCursor callee, const struct arguments *c)
{
    const struct gsim_cu_access *inner = gsim_cu_access(w->s, callee);
    uint64_t kept = inner ? translate(c, inner->kept) : GSIM_CU_ANY;
    if (!inner || inner->is_open) {
        gsim_cu_give_up(w, call, "it calls a function that calls itself");
        return (struct gsim_cu_flow){0};
    }
    if (inner->unknown) gsim_cu_give_up(w, inner->where, inner->unknown);
    gsim_cu_mark(w, call, translate(c, inner->reads), true, false);
    gsim_cu_mark(w, call, translate(c, inner->writes), false, true);
    for (uint32_t i = 0; i <= c->count; i++) { /* pointers that it may have put there */
        const struct gsim_cu_flow *f = i < c->count ? &c->at[i] : &c->object;
        if (f->is_variable && (i == c->count || c->is_place[i]) && kept) gsim_cu_flow_add(w, f->variable, kept);
    }
    w->a->kept |= kept;
    if (w->s->clang.getCursorKind(callee) == CXCursor_Constructor)
        return (struct gsim_cu_flow){.value =
                                         kept | (gsim_cu_holds(w->s, w->s->clang.getCursorType(call)) ? c->all : 0)};
    return result_of(w, call, callee, translate(c, inner->returns));
}

/* Of CUDA or C, without a body here: what it is given it reads, and writes what is not constant. */
static struct gsim_cu_flow call_builtin(struct gsim_cu_walk *w, CXCursor call, CXCursor callee,
                                        const struct arguments *c)
{
    struct gsim_cu *s = w->s;
    CXType type = s->clang.getCursorType(call);
    uint64_t read = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        uint64_t memory = c->is_place[i] ? c->at[i].memory : c->at[i].value;
        gsim_cu_mark(w, call, memory, true, !c->is_const[i]);
        if (gsim_cu_type(s, gsim_cu_parameter(s, callee, i)).kind == CXType_Pointer) read |= memory;
    }
    if (type.kind == CXType_Pointer && gsim_cu_is_named(s, callee, "memcpy"))
        return (struct gsim_cu_flow){.value = c->count ? c->at[0].value : 0};
    return (struct gsim_cu_flow){.value = read && gsim_cu_holds(s, type) ? GSIM_CU_ANY : 0};
}

static bool is_of_c(struct gsim_cu *s, CXCursor callee)
{
    static const char *const names[] = {"memcpy",  "memmove", "memset", "memcmp", "printf", "sincos",
                                        "sincosf", "modf",    "modff",  "frexp",  "frexpf", "__assert_fail"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (gsim_cu_is_named(s, callee, names[i])) return true;
    return false;
}

struct gsim_cu_flow gsim_cu_flow_call(struct gsim_cu_walk *w, CXCursor call, const struct gsim_cu_kids *kids)
{
    struct gsim_cu *s = w->s;
    CXCursor callee = gsim_cu_function(s, call);
    enum CXCursorKind kind = s->clang.Cursor_isNull(callee) ? CXCursor_InvalidFile : s->clang.getCursorKind(callee);
    bool is_method = kind == CXCursor_CXXMethod || kind == CXCursor_ConversionFunction || kind == CXCursor_Destructor;
    struct arguments c;
    if (gsim_cu_is_launch(s, kids)) gsim_cu_give_up(w, call, "it launches a kernel");
    if (!is_method && kind != CXCursor_FunctionDecl && kind != CXCursor_Constructor) {
        for (size_t i = 0; i < kids->count; i++) (void)gsim_cu_flow_load(w, kids->at[i]);
        gsim_cu_give_up(w, call, "it calls what is not known here");
        return (struct gsim_cu_flow){0};
    }
    read_arguments(w, call, callee, is_method && !s->clang.CXXMethod_isStatic(callee), &c);
    bool is_closure = is_method && gsim_cu_is_nameless(s, s->clang.getCursorSemanticParent(callee));
    if (is_closure && c.object.is_variable && !c.object.value)
        return (struct gsim_cu_flow){
            .value = gsim_cu_holds(s, s->clang.getCursorType(call)) ? GSIM_CU_ANY : 0}; /* read where it stands */
    if (kind == CXCursor_Constructor && s->clang.CXXMethod_isDefaulted(callee)) {
        for (uint32_t i = 0; i < c.count; i++) gsim_cu_mark(w, call, c.at[i].memory, true, false);
        return (struct gsim_cu_flow){.value = c.count ? c.at[0].value : 0};
    }
    if (is_method && s->clang.CXXMethod_isDefaulted(callee) && c.count == 1) { /* operator= */
        gsim_cu_mark(w, call, c.at[0].memory, true, false);
        gsim_cu_flow_store(w, call, c.object, c.at[0].value);
        return c.object;
    }
    if (gsim_cu_body(s, callee).kind != CXCursor_InvalidFile && !is_closure) return call_known(w, call, callee, &c);
    if (gsim_cu_is_of_cuda(s, callee) || is_of_c(s, callee)) return call_builtin(w, call, callee, &c);
    bool is_of_system = s->clang.Location_isInSystemHeader(s->clang.getCursorLocation(callee));
    if (c.all || !is_of_system || is_closure) gsim_cu_give_up(w, call, "it calls what is not known here");
    return (struct gsim_cu_flow){0};
}
