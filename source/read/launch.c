/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Launches of kernels as ops of the program: see source/read/source.h. */
#include "source/read/source.h"

#include <math.h>
#include <string.h>

#define LOAD_STORE_UNITS 32 /* of an SM, each of which takes a thread's four bytes in a cycle: the unit of sm_cycles */

bool gsim_cu_is_launch(struct gsim_cu *s, const struct gsim_cu_kids *kids)
{
    return kids->count >= 2 && s->clang.getCursorKind(kids->at[1]) == CXCursor_CallExpr &&
           (gsim_cu_is_named(s, kids->at[1], "__cudaPushCallConfiguration") ||
            gsim_cu_is_named(s, kids->at[1], "cudaConfigureCall"));
}

struct launch {
    CXCursor at, kernel;
    struct gsim_cu_value grid, block, shared, stream, values[GSIM_CU_PARAMS];
    size_t count;
    const struct gsim_cu_kids *kids; /* of the call by <<<>>>; NULL: it is another */
};

static struct gsim_dim3 shape_of(struct gsim_cu *s, const struct launch *launch, struct gsim_cu_value value,
                                 const char *what)
{
    if (gsim_cu_is_known(value)) value = (struct gsim_cu_value){.kind = GSIM_CU_DIM, .n = {value.n[0], 1, 1}};
    bool fits = value.kind == GSIM_CU_DIM;
    for (int i = 0; i < 3; i++) fits &= value.n[i] >= 1 && value.n[i] < 2147483648.0;
    if (fits)
        return (struct gsim_dim3){gsim_whole_u32(value.n[0]), gsim_whole_u32(value.n[1]), gsim_whole_u32(value.n[2])};
    gsim_cu_note(s, launch->at, "the %s of the launch is not known: 1 assumed (--arg NAME=VALUE)", what);
    return (struct gsim_dim3){1, 1, 1};
}

static void count_cost(struct gsim_cu *s, const struct launch *launch, const struct gsim_cu_operands *o,
                       struct gsim_kernel *kernel)
{
    struct gsim_cu_cost cost;
    double threads =
        (double)kernel->grid.x * kernel->grid.y * kernel->grid.z * kernel->block.x * kernel->block.y * kernel->block.z;
    gsim_cu_cost(s, launch->kernel, launch->values, launch->count, kernel->grid, kernel->block, &cost);
    kernel->flops = fmin(cost.flops * threads, 1e20);
    kernel->fp64 = cost.fp64;
    kernel->sm_cycles = fmin(cost.accesses * threads / LOAD_STORE_UNITS, 1e20);
    kernel->thread_cycles = fmin(cost.cycles, 1e20);
    kernel->demand_given = true;
    if (gsim_cu_is_known(launch->shared)) cost.shared_bytes += launch->shared.n[0];
    kernel->smem_bytes = gsim_whole_u32(fmax(0, fmin(cost.shared_bytes, 1048576)));
    for (uint32_t a = 0; a < o->arg_count; a++) { /* what is read again comes from caches */
        double reads = 0, writes = 0, all = (double)gsim_builder_buffer_bytes(s->builder, o->args[a].buffer_index);
        for (size_t i = 0; i < launch->count; i++) {
            if (launch->values[i].kind != GSIM_CU_POINTER ||
                s->memory.regions[launch->values[i].at].buffer != o->args[a].buffer_index)
                continue;
            reads += cost.read_bytes[i] * threads;
            writes += cost.written_bytes[i] * threads;
        }
        kernel->dram_bytes += fmin(reads, all) + fmin(writes, all);
    }
    if (cost.is_partial)
        gsim_cu_note(s, launch->at, "a loop's rounds in the kernel are not known: its cost counts one");
}

static void emit_launch(struct gsim_cu *s, struct launch *launch)
{
    char name[GSIM_LIMIT_NAME + 1];
    struct gsim_cu_operands o = {0};
    struct gsim_kernel kernel = {.name = name};
    gsim_cu_name(s, launch->kernel, name);
    name[strcspn(name, "<")] = '\0';
    kernel.grid = shape_of(s, launch, launch->grid, "grid");
    kernel.block = shape_of(s, launch, launch->block, "block");
    gsim_cu_read_operands(s, launch->at, launch->kernel, launch->values, launch->count, &o);
    gsim_cu_confirm(s, launch->at, &o);
    count_cost(s, launch, &o, &kernel);
    struct gsim_op op = {.kind = GSIM_OP_KERNEL,
                         .kernel_index = gsim_builder_kernel(s->builder, &kernel),
                         .args = o.args,
                         .arg_count = o.arg_count,
                         .segments = o.segment_count ? o.segments : NULL,
                         .segment_count = (uint16_t)o.segment_count,
                         .is_unknown = o.is_unknown};
    s->text.call_values = gsim_cu_hash_values(gsim_cu_hash_values(1, launch->values, launch->count), &launch->grid, 3);
    gsim_cu_add_op(s, &op, gsim_cu_stream_of(s, launch->at, launch->stream), &o);
    for (size_t i = 0; launch->kids && i < launch->count && i + 2 < launch->kids->count; i++)
        if (launch->values[i].kind == GSIM_CU_POINTER && launch->values[i].n[0] == 0)
            gsim_cu_log_pointer(s, s->text.call_step, launch->kids->at[i + 2],
                                s->memory.regions[launch->values[i].at].buffer);
    s->counts.kernels++;
    uint32_t seen = gsim_cu_cell(s, gsim_cu_cell(s, 0, gsim_cu_text_key("launches")), gsim_cu_offset(s, launch->at));
    struct gsim_cu_value was = gsim_cu_load(s, seen), value = gsim_cu_number(1);
    value.n[1] = s->host.guesses && (!gsim_cu_is_known(was) || gsim_cu_is_guess(was)); /* never surely */
    gsim_cu_store(s, seen, value);
}

struct gsim_cu_value gsim_cu_launch(struct gsim_cu *s, CXCursor call, const struct gsim_cu_kids *kids)
{
    struct launch launch = {.at = call, .shared = gsim_cu_number(0), .stream = gsim_cu_number(0), .kids = kids};
    struct gsim_cu_kids parts = gsim_cu_kids(s, kids->at[1]);
    struct gsim_cu_value *into[] = {&launch.grid, &launch.block, &launch.shared, &launch.stream};
    if (s->host.in_kernel) return gsim_cu_number(0);
    launch.kernel = gsim_cu_function(s, call);
    for (size_t i = 1; i < parts.count && i <= 4; i++)
        if (!gsim_cu_is_default(s, parts.at[i]))
            *into[i - 1] = gsim_cu_told(s, parts.at[i], gsim_cu_evaluate(s, parts.at[i]));
    gsim_free(parts.at);
    for (size_t i = 2; i < kids->count && launch.count < GSIM_CU_PARAMS; i++)
        launch.values[launch.count++] = gsim_cu_told(s, kids->at[i], gsim_cu_object(s, kids->at[i]));
    s->text.call = call;
    s->text.call_name = NULL;
    if (s->clang.Cursor_isNull(launch.kernel)) {
        gsim_cu_note(s, call, "which kernel is launched is not known: left out");
        gsim_cu_barrier(s, call, "");
    } else {
        emit_launch(s, &launch);
    }
    return gsim_cu_number(0);
}

/* cudaLaunchKernel(kernel, grid, block, arguments, shared, stream) */
void gsim_cu_launch_by_call(struct gsim_cu *s, CXCursor at, CXCursor named, const struct gsim_cu_value *values)
{
    struct launch launch = {.at = at, .grid = values[1], .block = values[2], .shared = values[4], .stream = values[5]};
    CXCursor found = s->clang.getCursorReferenced(gsim_cu_reference_in(s, named)),
             pattern = s->clang.getSpecializedCursorTemplate(found);
    enum CXCursorKind kind;
    launch.kernel = s->clang.getCursorDefinition(s->clang.Cursor_isNull(pattern) ? found : pattern);
    kind = s->clang.getCursorKind(launch.kernel);
    if (kind != CXCursor_FunctionDecl && kind != CXCursor_FunctionTemplate) {
        gsim_cu_note(s, at, "which kernel is launched is not known: left out");
        gsim_cu_barrier(s, at, s->text.call_name);
        return;
    }
    for (; launch.count < GSIM_CU_PARAMS && values[3].kind == GSIM_CU_CELL; launch.count++) {
        if (s->clang.Cursor_isNull(gsim_cu_parameter(s, launch.kernel, (unsigned)launch.count))) break;
        struct gsim_cu_value place = gsim_cu_load(s, gsim_cu_cell(s, values[3].at, launch.count + 1));
        launch.values[launch.count] =
            place.kind == GSIM_CU_CELL ? gsim_cu_load(s, place.at) : (struct gsim_cu_value){0};
    }
    emit_launch(s, &launch);
}
