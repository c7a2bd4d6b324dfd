/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See ask/edits/edit.h. The new program is made by the builder, which checks it.
 */
#include "ask/edits/edit.h"

#include <stdlib.h>
#include <string.h>

#include "gpusim/order.h"

bool gsim_edit_begin(struct gsim_edit *e, const struct gsim_program *source)
{
    *e = (struct gsim_edit){.source = source, .kernel_count = source->kernel_count};
    e->ops = GSIM_ARENA_ARRAY(&e->arena, struct gsim_op, (size_t)source->op_count + 1);
    e->dropped = GSIM_ARENA_ARRAY(&e->arena, bool, (size_t)source->op_count + 1);
    e->kernels = GSIM_ARENA_ARRAY(&e->arena, struct gsim_kernel, (size_t)source->kernel_count + source->op_count + 1);
    if (e->arena.failed) return false;
    if (source->op_count) memcpy(e->ops, source->ops, sizeof *e->ops * source->op_count);
    if (source->kernel_count) memcpy(e->kernels, source->kernels, sizeof *e->kernels * source->kernel_count);
    return true;
}

bool gsim_edit_set_after(struct gsim_edit *e, uint32_t op, const uint32_t *after, uint32_t count)
{
    uint32_t *copy = GSIM_ARENA_ARRAY(&e->arena, uint32_t, (size_t)count + 1);
    if (!copy) return false;
    if (count) memcpy(copy, after, sizeof *copy * count);
    e->ops[op].after = copy;
    e->ops[op].after_count = count;
    return true;
}

bool gsim_edit_add_after(struct gsim_edit *e, uint32_t op, uint32_t other)
{
    uint32_t count = e->ops[op].after_count, *copy = GSIM_ARENA_ARRAY(&e->arena, uint32_t, (size_t)count + 1);
    if (!copy) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (e->ops[op].after[i] == other) return true;
        copy[i] = e->ops[op].after[i];
    }
    copy[count] = other;
    e->ops[op].after = copy;
    e->ops[op].after_count = count + 1;
    return true;
}

GSIM_ORDER_OF(compare_numbers, uint32_t)

struct list {
    uint32_t *items;
    size_t count, room;
    bool failed;
};

static void append(struct list *list, uint32_t item)
{
    if (list->failed || !GSIM_APPEND(list->items, list->count, list->room, item)) list->failed = true;
}

/* What op I follows, in the new program's numbers: dropped ones are replaced by what they follow, which PASSED has. */
static void resolve(const struct gsim_edit *e, uint32_t op, const uint32_t *place, uint32_t **passed,
                    const uint32_t *passed_count, struct list *list)
{
    list->count = 0;
    for (uint32_t i = 0; i < e->ops[op].after_count; i++) {
        uint32_t before = e->ops[op].after[i];
        if (!e->dropped[before]) {
            append(list, place[before]);
            continue;
        }
        for (uint32_t k = 0; k < passed_count[before]; k++) append(list, passed[before][k]);
    }
    size_t kept = 0;
    if (list->count > 1) qsort(list->items, list->count, sizeof *list->items, compare_numbers);
    for (size_t i = 0; i < list->count; i++)
        if (i == 0 || list->items[i] != list->items[kept - 1]) list->items[kept++] = list->items[i];
    list->count = kept;
}

static bool rebuild(struct gsim_edit *e, struct gsim_builder *b)
{
    const struct gsim_program *p = e->source;
    uint32_t *place = GSIM_ARENA_ARRAY(&e->arena, uint32_t, (size_t)p->op_count + 1),
             *kernel_of = GSIM_ARENA_ARRAY(&e->arena, uint32_t, (size_t)e->kernel_count + 1);
    uint32_t **passed = GSIM_ARENA_ARRAY(&e->arena, uint32_t *, (size_t)p->op_count + 1),
             *passed_count = GSIM_ARENA_ARRAY(&e->arena, uint32_t, (size_t)p->op_count + 1);
    struct list list = {0};
    bool ok = place && kernel_of && passed && passed_count;
    for (uint32_t i = 0; ok && i < p->buffer_count; i++)
        ok = gsim_builder_buffer(b, p->buffers[i].name, p->buffers[i].bytes, p->buffers[i].init) != UINT32_MAX;
    for (uint32_t i = 0; ok && i < e->kernel_count; i++) kernel_of[i] = UINT32_MAX;
    for (uint32_t i = 0; ok && i < p->op_count; i++) {
        struct gsim_op op = e->ops[i];
        resolve(e, i, place, passed, passed_count, &list);
        ok = !list.failed;
        if (ok && e->dropped[i]) {
            passed[i] = GSIM_ARENA_ARRAY(&e->arena, uint32_t, list.count + 1);
            ok = passed[i] != NULL;
            if (ok && list.count) memcpy(passed[i], list.items, sizeof *list.items * list.count);
            passed_count[i] = (uint32_t)list.count;
            continue;
        }
        if (ok && op.kind == GSIM_OP_KERNEL) {
            if (kernel_of[op.kernel_index] == UINT32_MAX)
                kernel_of[op.kernel_index] = gsim_builder_kernel(b, &e->kernels[op.kernel_index]);
            op.kernel_index = kernel_of[op.kernel_index];
        }
        op.after = list.items;
        op.after_count = (uint32_t)list.count;
        if (ok) place[i] = gsim_builder_op(b, &op);
        ok = ok && place[i] != UINT32_MAX;
    }
    gsim_free(list.items);
    return ok;
}

enum gsim_status gsim_edit_finish(struct gsim_edit *e, struct gsim_program *program, struct gsim_error *error)
{
    struct gsim_builder *b = e->arena.failed ? NULL : gsim_builder_create(e->source->name);
    enum gsim_status status;
    if (b && rebuild(e, b)) {
        status = gsim_builder_finish(b, e->source->iterations, program, error);
    } else {
        gsim_builder_destroy(b);
        status = gsim_error_set(error, GSIM_NOMEM, "cannot change the program: out of memory");
    }
    gsim_edit_release(e);
    return status;
}

void gsim_edit_release(struct gsim_edit *e)
{
    gsim_arena_release(&e->arena);
    *e = (struct gsim_edit){0};
}
