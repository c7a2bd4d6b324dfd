/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a kernel's thread costs, estimated for the first thread of the first block: arithmetic of floating point, bytes
 * of global memory, loops times their rounds, the loads that it waits for. An index is evaluated for the first thread,
 * its neighbour and the next round of the loop: how far apart these read.
 */
#include "source/read/source.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "gpusim/device.h"
#include "sim/device/law.h"

#define MAX_DEPTH         8
#define FUNCTION_FLOPS    16 /* of exp, log, sqrt and their kin; assumed */
#define TEMPLATE_BYTES    4 /* of a type that is a template's parameter; assumed */
#define UNKNOWN_SHARE     0.5 /* of threads that a condition holds for, where it is not known; assumed */

#define LINE_BYTES        128
#define WARP              32

static const CXCursor none = {.kind = CXCursor_InvalidFile};

/* --- what a thread costs --- */
struct costs {
    struct gsim_cu *s;
    const struct gsim_cu_access *access;
    uint32_t depth, places; /* PLACES: cells of the neighbour's indices, by access */
    bool is_neighbour;      /* they are being found */
    struct gsim_dim3 block;
    struct gsim_cu_cost *cost;
    CXCursor step;      /* of the innermost loop; null: there is none */
    double load_cycles; /* in a round of it, the slowest */
    double rounds;      /* of all loops around, whole ones */
    bool stores;        /* to global memory */
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

/* In the loop's next round INDEX is that much greater; NAN: not known. */
static double round_stride(struct costs *c, CXCursor index, struct gsim_cu_value now)
{
    struct gsim_cu *s = c->s;
    struct gsim_cu_kids kids = {0};
    if (c->step.kind != CXCursor_InvalidFile) kids = gsim_cu_kids(s, c->step);
    uint32_t counter = kids.count ? gsim_cu_place(s, kids.at[0], true) : GSIM_CU_NONE;
    gsim_free(kids.at);
    if (counter == GSIM_CU_NONE || !gsim_cu_is_known(now)) return NAN;
    struct gsim_cu_value before = gsim_cu_load(s, counter);
    (void)gsim_cu_evaluate(s, c->step);
    struct gsim_cu_value next = gsim_cu_evaluate(s, index);
    gsim_cu_store(s, counter, before);
    return gsim_cu_is_known(next) ? fabs(next.n[0] - now.n[0]) : NAN;
}

/* Lines that a warp's access touches, of elements of SIZE bytes; of an index that is not known those that lie together.
 * A block narrower than a warp has its rows in it. */
static double lines_of(struct costs *c, uint64_t access, struct gsim_cu_value index, double size)
{
    struct gsim_cu_value next = gsim_cu_load(c->s, gsim_cu_cell(c->s, c->places, access));
    double lanes = fmin(WARP, c->block.x), together = fmax(1, size * WARP / LINE_BYTES);
    if (!gsim_cu_is_known(index) || !gsim_cu_is_known(next)) return together;
    double lines = lanes * fmin(1, fabs(next.n[0] - index.n[0]) * size / LINE_BYTES) * WARP / lanes;
    return fmax(together, fmin(WARP, lines));
}

/* Of a load that misses L1, by how often all threads together read what MASK leads to. */
static double miss_cycles(struct costs *c, uint64_t mask)
{
    double first = 0;
    for (unsigned i = 0; i < GSIM_CU_PARAMS; i++)
        if (mask >> i & 1) first = fmax(first, gsim_cu_load(c->s, gsim_cu_cell(c->s, c->places, i)).n[0]);
    return c->s->law.l2_cycles + (c->s->law.dram_cycles - c->s->law.l2_cycles) * first;
}

static void add_bytes(struct costs *c, CXCursor access, CXCursor base, CXCursor index, double weight, bool reads,
                      bool writes)
{
    struct gsim_cu *s = c->s;
    struct gsim_cu_value now = {0};
    uint64_t mask = gsim_cu_leads_to(s, c->access, base), key = s->clang.hashCursor(access);
    double size = (double)s->clang.Type_getSizeOf(s->clang.getCursorType(access));
    CXCursor named = s->clang.getCursorReferenced(gsim_cu_reference_in(s, base));
    bool is_shared =
        !mask && !s->clang.Cursor_isNull(named) && gsim_cu_has_attribute(s, named, CXCursor_CUDASharedAttr);
    if (index.kind != CXCursor_InvalidFile) now = gsim_cu_evaluate(s, index);
    if (size <= 0) size = TEMPLATE_BYTES;
    if (c->is_neighbour) gsim_cu_store(s, gsim_cu_cell(s, c->places, key), now);
    if (!mask && !is_shared) return;
    c->cost->accesses += weight * (reads + writes) * (mask ? lines_of(c, key, now, size) : fmax(1, size / 4));
    double apart = mask && reads ? round_stride(c, index, now) * size / LINE_BYTES : 0;
    double cycles = s->law.l1_cycles + (miss_cycles(c, mask) - s->law.l1_cycles) * fmin(1, apart);
    if (reads) c->load_cycles = fmax(c->load_cycles, cycles);
    c->stores |= mask && writes;
    for (unsigned i = 0; i < GSIM_CU_PARAMS; i++) {
        if (!(mask >> i & 1)) continue;
        if (reads) c->cost->read_bytes[i] += weight * size;
        if (writes) c->cost->written_bytes[i] += weight * size;
    }
}

static void count(struct costs *c, CXCursor cursor, double weight, bool reads, bool writes);

static void count_loop(struct costs *c, CXCursor cursor, enum CXCursorKind kind, const struct gsim_cu_kids *kids,
                       double weight)
{
    CXCursor parts[4];
    double trips = kind == CXCursor_ForStmt ? gsim_cu_trips(c->s, cursor, parts) : NAN;
    struct costs outer = *c;
    c->cost->is_partial |= isnan(trips);
    if (isnan(trips)) trips = 1;
    c->step = kind == CXCursor_ForStmt ? parts[2] : none;
    c->load_cycles = c->stores = 0;
    c->rounds *= ceil(trips);
    for (size_t i = 0; i < kids->count; i++) count(c, kids->at[i], weight * trips, true, false);
    c->cost->cycles += c->rounds * c->load_cycles / (c->stores ? 1 : c->s->law.rounds_together);
    c->step = outer.step;
    c->rounds = outer.rounds;
    c->load_cycles = outer.load_cycles;
    c->stores = outer.stores;
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
        add_bytes(c, kids->count > 2 ? kids->at[2] : kids->at[1], kids->at[1], none, weight, true, true);
    if (s->clang.Cursor_isNull(function)) return;
    CXCursor body = gsim_cu_body(s, function);
    if (body.kind == CXCursor_InvalidFile) {
        if (!is_atomic && strncmp(name, "__shfl", 6) != 0) add_flops(c, cursor, weight * FUNCTION_FLOPS);
    } else if (c->depth < MAX_DEPTH) {
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
            add_bytes(c, cursor, kids.at[0], kids.at[1], weight, reads, writes);
        for (size_t i = 0; i < kids.count; i++) count(c, kids.at[i], weight, passes ? reads : true, passes && writes);
    }
    gsim_free(kids.at);
}

struct shape {
    struct gsim_cu *s;
    struct gsim_dim3 of[4]; /* threadIdx, blockIdx, blockDim, gridDim */
};

static enum CXChildVisitResult shape_of(CXCursor cursor, GSIM_CU_PARENT, CXClientData data)
{
    static const char *const names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    const struct shape *shape = data;
    struct gsim_cu *s = shape->s;
    if (s->clang.getCursorKind(cursor) != CXCursor_DeclRefExpr) return CXChildVisit_Recurse;
    for (int i = 0; i < 4; i++)
        if (gsim_cu_is_named(s, cursor, names[i]))
            gsim_cu_store(s, gsim_cu_variable(s, s->clang.getCursorReferenced(cursor)),
                          (struct gsim_cu_value){.kind = GSIM_CU_DIM,
                                                 .n = {shape->of[i].x, shape->of[i].y, shape->of[i].z}});
    return CXChildVisit_Recurse;
}

/* Of the first thread, or of its neighbour. */
static void count_thread(struct costs *c, CXCursor function, CXCursor body, const struct gsim_cu_value *values,
                         size_t value_count, struct gsim_dim3 grid)
{
    struct gsim_cu *s = c->s;
    struct shape shape = {s, {{c->is_neighbour, 0, 0}, {0}, c->block, grid}};
    s->host.frame = gsim_cu_cell(s, gsim_cu_cell(s, 0, gsim_cu_text_key("frames")), ++s->host.frame_count);
    for (unsigned i = 0; i < value_count; i++) {
        CXCursor parameter = gsim_cu_parameter(s, function, i);
        if (!s->clang.Cursor_isNull(parameter) && gsim_cu_is_known(values[i]))
            gsim_cu_store(s, gsim_cu_variable(s, parameter), values[i]);
    }
    s->clang.visitChildren(body, shape_of, &shape);
    *c->cost = (struct gsim_cu_cost){0};
    c->load_cycles = c->stores = 0;
    c->rounds = 1;
    count(c, body, 1, true, false);
    c->cost->cycles += c->load_cycles;
    s->host.flow = GSIM_CU_ON;
}

/* Of all that is read of a parameter's buffer, the share that is read for the first time. */
static void find_first_reads(struct costs *c, const struct gsim_cu_value *values, size_t value_count,
                             struct gsim_dim3 grid)
{
    struct gsim_cu *s = c->s;
    double threads = (double)grid.x * grid.y * grid.z * c->block.x * c->block.y * c->block.z;
    for (size_t i = 0; i < value_count; i++) {
        uint32_t buffer = values[i].kind == GSIM_CU_POINTER ? s->memory.regions[values[i].at].buffer : GSIM_CU_NONE;
        double bytes = buffer == GSIM_CU_NONE ? INFINITY : (double)gsim_builder_buffer_bytes(s->builder, buffer);
        gsim_cu_store(s, gsim_cu_cell(s, c->places, i),
                      gsim_cu_number(fmin(1, bytes / fmax(1, c->cost->read_bytes[i] * threads))));
    }
}

enum gsim_status gsim_cu_law_load(struct gsim_cu_law *law, const struct gsim_device_spec *device,
                                  struct gsim_error *error)
{
    static const struct gsim_sourced_row rows[] = {
        {"l1_cycles", "clk", offsetof(struct gsim_cu_law, l1_cycles), 1, 1000},
        {"l2_cycles", "clk", offsetof(struct gsim_cu_law, l2_cycles), 1, 10000},
        {"dram_cycles", "clk", offsetof(struct gsim_cu_law, dram_cycles), 1, 10000},
        {"rounds_together", "", offsetof(struct gsim_cu_law, rounds_together), 1, 64},
        {"loads_wait", "", offsetof(struct gsim_cu_law, loads_wait), 0, 1},
    };
    enum gsim_status status = gsim_law_read("estimate", rows, sizeof rows / sizeof rows[0], NULL, law, error);
    if (status == GSIM_OK && device)
        law->dram_cycles = fmax(law->l2_cycles, device->dram_latency_ns * device->clock_mhz * 1e-3);
    return status;
}

void gsim_cu_cost(struct gsim_cu *s, CXCursor function, const struct gsim_cu_value *values, size_t value_count,
                  struct gsim_dim3 grid, struct gsim_dim3 block, struct gsim_cu_cost *cost)
{
    uint32_t frame = s->host.frame, all = gsim_cu_cell(s, 0, gsim_cu_text_key("neighbours"));
    bool was_silent = s->host.is_silent;
    *cost = (struct gsim_cu_cost){0};
    CXCursor body = gsim_cu_body(s, function);
    struct costs c = {.s = s, .access = gsim_cu_access(s, function), .block = block, .cost = cost, .step = none};
    if (body.kind == CXCursor_InvalidFile || !c.access) return;
    c.places = gsim_cu_cell(s, all, s->clang.hashCursor(function) ^ block.x);
    s->host.in_kernel = s->host.is_silent = true;
    if (!gsim_cu_is_set(s, c.places)) { /* once for all launches */
        gsim_cu_store(s, c.places, gsim_cu_number(1));
        c.is_neighbour = true;
        count_thread(&c, function, body, values, value_count, grid);
        c.is_neighbour = false;
        find_first_reads(&c, values, value_count, grid);
    }
    count_thread(&c, function, body, values, value_count, grid);
    cost->cycles *= s->law.loads_wait;
    s->host.frame = frame;
    s->host.in_kernel = false;
    s->host.is_silent = was_silent;
}
