/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the blocks of an iteration noted (blocks.h) becomes the timeline's kernels and occupancy, and is shown block by
 * block to who asks.
 */
#include "traces/runner/blocks.h"
#include "traces/runner/cuda.h"

/* How an op came to the device in this iteration. */
struct launch {
    const struct gsim_cuda_call *call;
    uint32_t stream;
};

/* One block begins or ends. */
struct change {
    int64_t ns;
    uint32_t sm, op, warps;
    bool is_end;
};

static void find_launches(const struct gsim_cuda *cuda, struct launch *launches)
{
    for (size_t i = cuda->first_call; i < cuda->call_count; i++) {
        const struct gsim_cuda_call *call = &cuda->calls[i];
        if (call->op && call->op->kind == GSIM_OP_KERNEL)
            launches[call->op->index] = (struct launch){call, call->stream};
        if (call->op || call->exec_index == GSIM_CUDA_NO_EXEC) continue;
        const struct gsim_cuda_graph *graph = &cuda->graphs[cuda->execs[call->exec_index].graph_index];
        for (size_t j = 0; j < graph->node_count; j++) {
            const struct gsim_cuda_node *node = &graph->nodes[j];
            if (node->op->kind == GSIM_OP_KERNEL)
                launches[node->op->index] = (struct launch){call, node->stream ? node->stream : call->stream};
        }
    }
}

static void add_kernel(struct gsim_cuda *cuda, const struct gsim_op *op, const struct launch *launch,
                       const struct gsim_block_stamp *stamps, size_t count)
{
    uint64_t start = stamps[0].start_ns, end = stamps[0].end_ns;
    for (size_t i = 1; i < count; i++) {
        if (stamps[i].start_ns < start) start = stamps[i].start_ns;
        if (stamps[i].end_ns > end) end = stamps[i].end_ns;
    }
    struct gsim_kernel_record record = {.op = op->index,
                                        .iteration = cuda->iteration,
                                        .stream = launch->stream,
                                        .kernel_index = op->kernel_index,
                                        .correlation = (uint32_t)(launch->call - cuda->calls) + 1,
                                        .launch = gsim_cuda_time(cuda, launch->call->launch_ns),
                                        .ready = gsim_cuda_time(cuda, (int64_t)start),
                                        .start = gsim_cuda_time(cuda, (int64_t)start),
                                        .end = gsim_cuda_time(cuda, (int64_t)end)};
    gsim_timeline_add_kernel(cuda->timeline, &record);
}

static void show_blocks(struct gsim_cuda *cuda, const struct gsim_op *op, const struct gsim_block_stamp *stamps,
                        size_t count)
{
    struct gsim_block_run block = {.op = op->index, .kernel = cuda->program->kernels[op->kernel_index].name};
    for (; block.index < count; block.index++) {
        const struct gsim_block_stamp *stamp = &stamps[block.index];
        block.sm = stamp->sm;
        block.start_us = (double)((int64_t)stamp->start_ns - cuda->iteration_start_ns) * 1e-3;
        block.end_us = (double)((int64_t)stamp->end_ns - cuda->iteration_start_ns) * 1e-3;
        cuda->see_block(cuda->block_context, &block);
    }
}

static int compare_changes(const void *left, const void *right)
{
    const struct change *a = left, *b = right;
    if (a->ns != b->ns) return a->ns < b->ns ? -1 : 1;
    return (int)b->is_end - (int)a->is_end;
}

/* ON_SM, OF_OP: blocks that are there; zero. */
static void add_occupancy(struct gsim_cuda *cuda, struct change *changes, size_t count, uint32_t *on_sm,
                          uint32_t *of_op)
{
    struct gsim_occupancy_record now = {0};
    qsort(changes, count, sizeof *changes, compare_changes);
    for (size_t i = 0; i < count; i++) {
        const struct change *c = &changes[i];
        now.time = gsim_cuda_time(cuda, c->ns);
        if (c->is_end) {
            now.busy_sms -= --on_sm[c->sm] == 0;
            now.kernels -= --of_op[c->op] == 0;
            now.warps -= c->warps;
            now.blocks--;
        } else {
            now.busy_sms += on_sm[c->sm]++ == 0;
            now.kernels += of_op[c->op]++ == 0;
            now.warps += c->warps;
            now.blocks++;
        }
        gsim_timeline_add_occupancy(cuda->timeline, &now);
    }
}

static void collect(struct gsim_cuda *cuda, struct gsim_arena *arena)
{
    const struct gsim_program *program = cuda->program;
    struct launch *launches = gsim_arena_alloc(arena, sizeof *launches * (program->op_count + 1u));
    uint32_t *of_op = gsim_arena_alloc(arena, sizeof *of_op * (program->op_count + 1u));
    size_t total = 0, count, change_count = 0;
    uint32_t sm_count = 0;
    for (uint32_t op = 0; op < program->op_count; op++) {
        const struct gsim_block_stamp *stamps = gsim_blocks_ran(cuda->blocks, op, &count);
        total += count;
        for (size_t i = 0; i < count; i++)
            if (stamps[i].sm >= sm_count) sm_count = stamps[i].sm + 1;
    }
    struct change *changes = gsim_arena_alloc(arena, sizeof *changes * (2 * total + 1));
    uint32_t *on_sm = gsim_arena_alloc(arena, sizeof *on_sm * (sm_count + 1u));
    find_launches(cuda, launches);
    for (uint32_t i = 0; i < program->op_count; i++) {
        const struct gsim_op *op = &program->ops[i];
        const struct gsim_block_stamp *stamps = gsim_blocks_ran(cuda->blocks, i, &count);
        if (!count || !launches[i].call) continue;
        const struct gsim_kernel *kernel = &program->kernels[op->kernel_index];
        const uint32_t warps = (kernel->block.x * kernel->block.y * kernel->block.z + 31) / 32;
        add_kernel(cuda, op, &launches[i], stamps, count);
        if (cuda->see_block && cuda->iteration == cuda->blocks_iteration) show_blocks(cuda, op, stamps, count);
        for (size_t j = 0; j < count; j++) {
            changes[change_count++] = (struct change){(int64_t)stamps[j].start_ns, stamps[j].sm, i, warps, false};
            changes[change_count++] = (struct change){(int64_t)stamps[j].end_ns, stamps[j].sm, i, warps, true};
        }
    }
    add_occupancy(cuda, changes, change_count, on_sm, of_op);
}

void gsim_cuda_blocks_begin(struct gsim_cuda *cuda)
{
    cuda->first_call = cuda->call_count;
    gsim_cuda_check(cuda, (cudaError_t)gsim_blocks_clear(cuda->blocks), GSIM_API_MEMCPY);
}

void gsim_cuda_blocks_end(struct gsim_cuda *cuda)
{
    struct gsim_arena arena = {0};
    if (gsim_cuda_check(cuda, (cudaError_t)gsim_blocks_read(cuda->blocks), GSIM_API_MEMCPY)) collect(cuda, &arena);
    gsim_arena_release(&arena);
}
