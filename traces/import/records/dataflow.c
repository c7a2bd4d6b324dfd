/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See traces/import/records/dataflow.h. Ids of nodes ascend with their starts, and each names its parent: operators are
 * taken in the order of their ends, inner ones first, so that an output belongs to the innermost operator that
 * allocated it.
 */
#include "traces/import/records/dataflow.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "gpusim/order.h"
#include "sim/base/gz.h"

#define MAX_TENSORS 256 /* of one operator */
#define MAX_DEPTH    4   /* lists of tensors inside lists */

/* The buffer that a storage is now. */
struct storage {
    int64_t id;
    double made_by; /* id of the operator that allocated it last */
    uint32_t buffer;
};

struct storages {
    struct storage *items;
    size_t count, room;
};

struct tensor {
    int64_t storage;
    uint64_t bytes;
};

struct tensors {
    struct tensor items[MAX_TENSORS];
    size_t count;
};

#define MAX_ID 9007199254740992.0 /* 2^53: above, doubles tell neighbours apart no more */

static bool is_number(const cJSON *item) { return cJSON_IsNumber(item); }
static bool is_id(const cJSON *item)
{
    return is_number(item) && item->valuedouble >= 0 && item->valuedouble < MAX_ID;
}

/* [tensor, storage, offset, elements, bytes of each, "cuda:0"] */
static bool is_tensor(const cJSON *list)
{
    if (cJSON_GetArraySize(list) != 6) return false;
    const cJSON *item = list->child;
    for (int i = 0; i < 5; i++, item = item->next)
        if (!is_number(item)) return false;
    return cJSON_IsString(item) && strncmp(item->valuestring, "cpu", 3) != 0;
}

static void find_tensors(const cJSON *values, struct tensors *tensors, int depth)
{
    if (!cJSON_IsArray(values)) return;
    if (is_tensor(values)) {
        const cJSON *storage = values->child->next, *elements = storage->next->next;
        double bytes = elements->valuedouble * elements->next->valuedouble;
        if (is_id(storage) && storage->valuedouble > 0 && bytes > 0 && bytes < 1e15 && tensors->count < MAX_TENSORS)
            tensors->items[tensors->count++] = (struct tensor){gsim_whole(storage->valuedouble), gsim_whole_u64(bytes)};
        return;
    }
    for (const cJSON *item = values->child; item && depth < MAX_DEPTH; item = item->next)
        find_tensors(item, tensors, depth + 1);
}

/* The storage's entry; made where it is new. NULL when memory is out. */
static struct storage *find_storage(struct storages *all, int64_t id)
{
    size_t low = 0, high = all->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (all->items[middle].id < id) low = middle + 1;
        else high = middle;
    }
    if (low < all->count && all->items[low].id == id) return &all->items[low];
    if (gsim_array_grow(&all->items, sizeof *all->items, all->count, &all->room)) return NULL;
    memmove(&all->items[low + 1], &all->items[low], (all->count - low) * sizeof *all->items);
    all->count++;
    all->items[low] = (struct storage){id, -1, UINT32_MAX};
    return &all->items[low];
}

static uint32_t add_buffer(struct gsim_dataflow *flow, bool is_made)
{
    if (gsim_array_grow(&flow->buffers, sizeof *flow->buffers, flow->buffer_count, &flow->buffer_room))
        return UINT32_MAX;
    flow->buffers[flow->buffer_count] = (struct gsim_dataflow_buffer){.is_made = is_made};
    return (uint32_t)flow->buffer_count++;
}

static bool holds(const struct tensors *tensors, int64_t storage)
{
    for (size_t i = 0; i < tensors->count; i++)
        if (tensors->items[i].storage == storage) return true;
    return false;
}

/* The buffers of TENSORS now, each once; an output that no input holds was allocated by the operator. */
static bool list_buffers(struct gsim_dataflow *flow, struct storages *storages, const struct tensors *tensors,
                         const struct tensors *inputs, double op, const uint32_t **list, uint32_t *count)
{
    uint32_t *buffers = GSIM_ARENA_ARRAY(&flow->arena, uint32_t, tensors->count + 1);
    *count = 0;
    *list = buffers;
    if (!buffers) return false;
    for (size_t i = 0; i < tensors->count; i++) {
        const struct tensor *tensor = &tensors->items[i];
        struct storage *storage = find_storage(storages, tensor->storage);
        if (!storage) return false;
        bool is_new = inputs && !holds(inputs, tensor->storage) && storage->made_by < op, is_listed = false;
        if (storage->buffer == UINT32_MAX || is_new) storage->buffer = add_buffer(flow, is_new);
        if (is_new) storage->made_by = op;
        if (storage->buffer == UINT32_MAX) return false;
        struct gsim_dataflow_buffer *buffer = &flow->buffers[storage->buffer];
        if (tensor->bytes > buffer->bytes) buffer->bytes = tensor->bytes;
        for (uint32_t j = 0; j < *count; j++) is_listed |= buffers[j] == storage->buffer;
        if (!is_listed) buffers[(*count)++] = storage->buffer;
    }
    return true;
}

static uint64_t record_function(const cJSON *node)
{
    const cJSON *attrs = cJSON_GetObjectItemCaseSensitive(node, "attrs"),
                *old = cJSON_GetObjectItemCaseSensitive(node, "rf_id"), *attr;
    if (is_id(old)) return gsim_whole_u64(old->valuedouble);
    cJSON_ArrayForEach(attr, attrs)
    {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(attr, "name"),
                    *value = cJSON_GetObjectItemCaseSensitive(attr, "value");
        if (cJSON_IsString(name) && strcmp(name->valuestring, "rf_id") == 0 && is_id(value))
            return gsim_whole_u64(value->valuedouble);
    }
    return 0;
}

static const cJSON *values_of(const cJSON *node, const char *side)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(node, side);
    return cJSON_IsObject(list) ? cJSON_GetObjectItemCaseSensitive(list, "values")
                                : list; /* before schema 1.0.3 the list itself */
}

static bool add_op(struct gsim_dataflow *flow, struct storages *storages, double id, const cJSON *node)
{
    struct tensors inputs = {.count = 0}, outputs = {.count = 0};
    struct gsim_dataflow_op op = {.id = record_function(node)};
    find_tensors(values_of(node, "inputs"), &inputs, 0);
    find_tensors(values_of(node, "outputs"), &outputs, 0);
    if (!list_buffers(flow, storages, &inputs, NULL, id, &op.reads, &op.read_count) ||
        !list_buffers(flow, storages, &outputs, &inputs, id, &op.writes, &op.write_count))
        return false;
    if (!op.id) return true;
    return GSIM_APPEND(flow->ops, flow->op_count, flow->op_room, op);
}

struct node {
    double id, parent;
    const cJSON *node;
};

GSIM_ORDER(compare_nodes, struct node, GSIM_UP(id))

GSIM_ORDER(compare_ops, struct gsim_dataflow_op, GSIM_UP(id))

static enum gsim_status read_nodes(const cJSON *list, struct gsim_dataflow *flow, struct gsim_error *error)
{
    struct storages storages = {0};
    size_t count = (size_t)cJSON_GetArraySize(list), used = 0;
    struct node *nodes = gsim_alloc((count + 1) * sizeof *nodes), *stack = gsim_alloc((count + 1) * sizeof *stack);
    size_t depth = 0;
    bool ok = nodes && stack;
    const cJSON *node;
    cJSON_ArrayForEach(node, list)
    {
        const cJSON *id = cJSON_GetObjectItemCaseSensitive(node, "id");
        const cJSON *parent = cJSON_GetObjectItemCaseSensitive(node, "ctrl_deps"),
                    *old = cJSON_GetObjectItemCaseSensitive(node, "parent");
        if (!ok || !is_number(id)) continue;
        nodes[used++] = (struct node){id->valuedouble,
                                      is_number(parent) ? parent->valuedouble
                                      : is_number(old)  ? old->valuedouble
                                                        : -1,
                                      node};
    }
    if (used) qsort(nodes, used, sizeof *nodes, compare_nodes);
    for (size_t i = 0; i <= used && ok; i++) { /* those on the stack have begun and not ended */
        while (ok && depth && (i == used || stack[depth - 1].id != nodes[i].parent)) {
            depth--;
            ok = add_op(flow, &storages, stack[depth].id, stack[depth].node);
        }
        if (i < used) stack[depth++] = nodes[i];
    }
    if (flow->op_count) qsort(flow->ops, flow->op_count, sizeof *flow->ops, compare_ops);
    gsim_free(storages.items);
    gsim_free(nodes);
    gsim_free(stack);
    return ok ? GSIM_OK : gsim_no_memory(error);
}

enum gsim_status gsim_dataflow_read(const char *path, struct gsim_dataflow *flow, struct gsim_error *error)
{
    size_t length = 0;
    char *text = gsim_file_read(path, &length, error);
    if (!text) return gsim_error_prefix(error, "cannot read '%s'", path);
    cJSON *root = cJSON_ParseWithLength(text, length);
    const cJSON *nodes = cJSON_GetObjectItemCaseSensitive(root, "nodes");
    enum gsim_status status = cJSON_IsArray(nodes)
                                  ? read_nodes(nodes, flow, error)
                                  : gsim_error_set(error, GSIM_INPUT,
                                                   "expected an execution trace (an object with a list of nodes), "
                                                   "found %s",
                                                   root ? "another object" : "no JSON");
    cJSON_Delete(root);
    gsim_free(text);
    return status == GSIM_OK ? status : gsim_error_prefix(error, "cannot read '%s'", path);
}

const struct gsim_dataflow_op *gsim_dataflow_find(const struct gsim_dataflow *flow, uint64_t id)
{
    const struct gsim_dataflow_op wanted = {.id = id};
    return id && flow->op_count ? bsearch(&wanted, flow->ops, flow->op_count, sizeof *flow->ops, compare_ops) : NULL;
}

void gsim_dataflow_release(struct gsim_dataflow *flow)
{
    gsim_free(flow->buffers);
    gsim_free(flow->ops);
    gsim_arena_release(&flow->arena);
    *flow = (struct gsim_dataflow){0};
}
