/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program with another way of communicating (ask/edits/changes.h): its ops are built again one by one, those of
 * collectives changed, merged or split on the way.
 */
#include <math.h>
#include <stdlib.h>

#include "ask/edits/changes.h"
#include "gpusim/limits.h"
#include "gpusim/order.h"

struct builder {
    const struct gsim_program *from;
    const struct gsim_collective_edit *edit;
    struct gsim_builder *to;
    uint32_t *map;             /* by op of FROM in this round: its op; merged all-reduces: that of the bucket */
    uint32_t *after, *pending; /* room for all; ops of FROM that the open bucket is made of */
    uint32_t pending_count, base;
    uint64_t pending_bytes;
    int32_t compute_stream, side_stream; /* of most kernels; one that none has */
    uint32_t next_gradient, like,
        last_bucket;           /* LIKE: of FROM, an all-reduce, UINT32_MAX for none; LAST_BUCKET: that was built */
    uint64_t open_bytes;       /* of gradients since the last bucket */
    uint32_t last_reduce;      /* of FROM, the last all-reduce so far */
    bool has_effect, failed;
};

static const struct gsim_collective *collective_of(const struct gsim_program *p, const struct gsim_op *op)
{
    return op->kind == GSIM_OP_KERNEL ? p->kernels[op->kernel_index].collective : NULL;
}

static void find_streams(struct builder *b)
{
    uint32_t *counts = gsim_alloc((GSIM_LIMIT_STREAM + 1) * sizeof *counts), most = 0;
    if (!counts) {
        b->failed = true;
        return;
    }
    for (uint32_t i = 0; i < b->from->op_count; i++) {
        const struct gsim_op *op = &b->from->ops[i];
        int32_t stream = op->stream < 0 ? 0 : op->stream;
        if (stream >= b->side_stream) b->side_stream = stream + 1;
        if (op->kind == GSIM_OP_KERNEL && !collective_of(b->from, op) && ++counts[stream] > most) {
            most = counts[stream];
            b->compute_stream = stream;
        }
    }
    if (b->side_stream > GSIM_LIMIT_STREAM) b->side_stream = GSIM_LIMIT_STREAM;
    gsim_free(counts);
}

/* Of a bucketed program: it reduces beside the kernels. */
static bool is_bucket(const struct builder *b, const struct gsim_op *op)
{
    const struct gsim_collective *c = collective_of(b->from, op);
    return c && c->kind == GSIM_COLLECTIVE_ALL_REDUCE && (op->stream < 0 ? 0 : op->stream) != b->compute_stream;
}

GSIM_ORDER_OF(compare_numbers, uint32_t)

static uint32_t append_op(struct builder *b, struct gsim_op *op, uint32_t after_count)
{
    uint32_t kept = 0;
    if (after_count > 1) qsort(b->after, after_count, sizeof *b->after, compare_numbers);
    for (uint32_t i = 0; i < after_count; i++)
        if (!i || b->after[i] != b->after[kept - 1]) b->after[kept++] = b->after[i];
    op->after = b->after;
    op->after_count = kept;
    uint32_t index = gsim_builder_op(b->to, op);
    b->failed |= index == UINT32_MAX;
    return index;
}

/* What OP waits for, as ops that were built, behind the COUNT that are there; with overlap collectives count for nobody
 * but the host. */
static uint32_t add_after(struct builder *b, const struct gsim_op *op, uint32_t count)
{
    bool drops = b->edit->overlap > 0 && op->kind == GSIM_OP_KERNEL && !collective_of(b->from, op);
    for (uint32_t i = 0; i < op->after_count; i++) {
        if (drops && collective_of(b->from, &b->from->ops[op->after[i]])) continue;
        bool is_gone =
            b->edit->gradient_count && b->last_bucket != UINT32_MAX && is_bucket(b, &b->from->ops[op->after[i]]);
        uint32_t mapped = is_gone ? b->last_bucket : b->map[op->after[i]];
        if (mapped != UINT32_MAX) b->after[count++] = mapped;
    }
    return count;
}

static struct gsim_collective changed(struct builder *b, const struct gsim_collective *c)
{
    struct gsim_collective n = *c;
    bool gathers = c->kind == GSIM_COLLECTIVE_ALL_GATHER || c->kind == GSIM_COLLECTIVE_ALL_TO_ALL;
    if (b->edit->channels) n.channels = b->edit->channels;
    if (b->edit->by_engines && gathers) n.algorithm = GSIM_ALGORITHM_COPY_ENGINE;
    if (b->edit->is_custom && c->kind == GSIM_COLLECTIVE_ALL_REDUCE && !c->algorithm)
        n.algorithm = GSIM_ALGORITHM_CUSTOM;
    b->has_effect |= n.channels != c->channels || n.algorithm != c->algorithm;
    return n;
}

static void put_collective(struct builder *b, const struct gsim_op *like, const struct gsim_collective *c,
                           uint32_t after_count, uint32_t *index)
{
    struct gsim_op op = *like;
    op.kernel_index = gsim_builder_collective(b->to, c);
    if (b->edit->is_urgent) op.priority = -1;
    if (b->edit->overlap) op.stream = b->edit->overlap > 0 ? b->side_stream : b->compute_stream;
    b->has_effect |= b->edit->is_urgent || (b->edit->overlap && op.stream != like->stream);
    *index = append_op(b, &op, after_count);
}

/* The open bucket becomes one all-reduce. */
static void flush(struct builder *b)
{
    uint32_t count = 0, index = 0;
    if (!b->pending_count) return;
    const struct gsim_op *last = &b->from->ops[b->pending[b->pending_count - 1]];
    struct gsim_collective c = changed(b, collective_of(b->from, last));
    c.bytes = b->pending_bytes;
    for (uint32_t i = 0; i < b->pending_count; i++) count = add_after(b, &b->from->ops[b->pending[i]], count);
    if (b->pending_count > 1) { /* as many blocks as the larger message has */
        c.channels = b->edit->channels;
        b->has_effect = true;
    }
    put_collective(b, last, &c, count, &index);
    for (uint32_t i = 0; i < b->pending_count; i++) b->map[b->pending[i]] = index;
    b->pending_count = 0;
    b->pending_bytes = 0;
}

/* An all-reduce of more than a bucket: its gradients came one by one since the last one, so that its parts may go as
 * they come. All but the last part are put here, behind the kernels of so much of the way. */
static void split(struct builder *b, uint32_t at)
{
    const struct gsim_op *op = &b->from->ops[at];
    struct gsim_collective c = changed(b, collective_of(b->from, op));
    uint32_t parts = (uint32_t)(c.bytes / b->edit->bucket_bytes),
             first = b->last_reduce == UINT32_MAX ? 0 : b->last_reduce + 1, index = 0;
    if (parts > 1) {
        b->has_effect = true;
        c.channels = b->edit->channels;
    }
    c.bytes /= parts ? parts : 1;
    for (uint32_t p = 1; p < parts; p++) {
        uint32_t wanted = first + gsim_whole_u32((double)(at - first) * p / parts), count = 0;
        while (wanted > first && (b->from->ops[wanted].kind != GSIM_OP_KERNEL || b->map[wanted] == UINT32_MAX))
            wanted--;
        if (b->map[wanted] != UINT32_MAX) b->after[count++] = b->map[wanted];
        put_collective(b, op, &c, count, &index);
    }
    put_collective(b, op, &c, add_after(b, op, 0), &index);
    b->map[at] = index;
}

static void build_reduce(struct builder *b, uint32_t at)
{
    const struct gsim_collective *c = collective_of(b->from, &b->from->ops[at]);
    if (c->bytes >= 2 * b->edit->bucket_bytes) {
        flush(b);
        split(b, at);
    } else {
        if (b->pending_count && b->pending_bytes + c->bytes > b->edit->bucket_bytes) flush(b);
        b->pending[b->pending_count++] = at;
        b->pending_bytes += c->bytes;
    }
    b->last_reduce = at;
}

static bool needs_bucket(const struct builder *b, const struct gsim_op *op)
{
    for (uint32_t i = 0; i < op->after_count; i++)
        for (uint32_t p = 0; p < b->pending_count; p++)
            if (op->after[i] == b->pending[p]) return true;
    return false;
}

/* A bucket of the gradients that are open. */
static void put_bucket(struct builder *b, uint32_t behind)
{
    struct gsim_collective c = changed(b, collective_of(b->from, &b->from->ops[b->like]));
    uint32_t count = 0;
    if (!b->open_bytes) return;
    while (behind > 0 && (b->from->ops[behind].kind != GSIM_OP_KERNEL || b->map[behind] == UINT32_MAX)) behind--;
    if (b->map[behind] != UINT32_MAX) b->after[count++] = b->map[behind];
    c.bytes = b->open_bytes;
    c.channels = b->edit->channels; /* those of another size may be others */
    put_collective(b, &b->from->ops[b->like], &c, count, &b->last_bucket);
    b->open_bytes = 0;
    b->has_effect = true;
}

static void build_op(struct builder *b, uint32_t at)
{
    const struct gsim_op *op = &b->from->ops[at];
    const struct gsim_collective *c = collective_of(b->from, op);
    struct gsim_op copy = *op;
    if (b->edit->bucket_bytes && b->edit->gradient_count && b->like != UINT32_MAX) {
        /* As torch's DistributedDataParallel does: a bucket is full once it has so many bytes, whatever its last
         * gradient is. */
        for (; b->next_gradient < b->edit->gradient_count && b->edit->gradients[b->next_gradient].op < at;
             b->next_gradient++) {
            b->open_bytes += b->edit->gradients[b->next_gradient].bytes;
            if (b->open_bytes >= b->edit->bucket_bytes) put_bucket(b, b->edit->gradients[b->next_gradient].op);
        }
        if (b->next_gradient == b->edit->gradient_count && at) put_bucket(b, at - 1);
        if (is_bucket(b, op)) {
            b->map[at] = UINT32_MAX; /* who waits for it waits for the last bucket there is by then */
            return;
        }
    } else if (b->edit->bucket_bytes && is_bucket(b, op)) {
        build_reduce(b, at);
        return;
    }
    if (needs_bucket(b, op)) flush(b);
    uint32_t count = add_after(b, op, 0);
    if (c) {
        struct gsim_collective n = changed(b, c);
        put_collective(b, op, &n, count, &b->map[at]);
        return;
    }
    if (op->kind == GSIM_OP_HOST_COMPUTE && b->edit->is_graph) {
        if (!op->after_count) return; /* nobody waits for it in a graph */
        copy.host_us = 0;
    }
    if (op->kind == GSIM_OP_KERNEL) copy.kernel_index = gsim_builder_kernel(b->to, &b->from->kernels[op->kernel_index]);
    if (b->edit->overlap < 0 && op->kind == GSIM_OP_KERNEL && copy.stream < 0) copy.stream = 0;
    b->map[at] = append_op(b, &copy, count);
}

static void build(struct builder *b)
{
    uint32_t times = b->edit->times ? b->edit->times : 1;
    b->like = UINT32_MAX;
    for (uint32_t i = 0; i < b->from->op_count && b->edit->bucket_bytes; i++)
        if (is_bucket(b, &b->from->ops[i])) b->like = i;
    for (uint32_t i = 0; i < b->from->buffer_count; i++)
        gsim_builder_buffer(b->to, b->from->buffers[i].name, b->from->buffers[i].bytes, b->from->buffers[i].init);
    for (uint32_t round = 0; round < times && !b->failed; round++) {
        for (uint32_t i = 0; i < b->from->op_count; i++) b->map[i] = UINT32_MAX;
        b->last_reduce = b->last_bucket = UINT32_MAX;
        b->next_gradient = 0;
        for (uint32_t i = 0; i < b->from->op_count && !b->failed; i++) {
            const struct gsim_op *op = &b->from->ops[i];
            bool waits = op->kind == GSIM_OP_HOST_COMPUTE && op->after_count && round + 1 < times;
            if (waits && !(op->host_us > 0)) continue; /* the host waits at the end of the step alone */
            build_op(b, i);
        }
        flush(b);
    }
    b->has_effect |= times > 1;
}

enum gsim_status gsim_collective_edit(const struct gsim_program *from, const struct gsim_collective_edit *edit,
                                struct gsim_program *program, bool *has_effect, struct gsim_error *error)
{
    size_t room = (size_t)from->op_count + 1, afters = room;
    for (uint32_t i = 0; i < from->op_count; i++) afters += from->ops[i].after_count;
    struct builder b = {.from = from, .edit = edit, .to = gsim_builder_create(from->name)};
    b.map = gsim_alloc(sizeof *b.map * room);
    b.after = gsim_alloc(sizeof *b.after * afters);
    b.pending = gsim_alloc(sizeof *b.pending * room);
    enum gsim_status status = b.map && b.after && b.pending && b.to ? GSIM_OK : gsim_no_memory(error);
    if (!status) find_streams(&b);
    if (!status && b.failed) status = gsim_no_memory(error);
    if (!status) build(&b);
    if (!status) {
        status = gsim_builder_finish(b.to, from->iterations, program, error);
        b.to = NULL;
    }
    *has_effect |= b.has_effect;
    gsim_builder_destroy(b.to);
    gsim_free(b.map);
    gsim_free(b.after);
    gsim_free(b.pending);
    return status;
}
