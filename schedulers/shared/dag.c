/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Built in one pass over the list with, per location, the latest writer and a list of readers since; the
 * reader entries are recycled when a writer takes over, so the pass is linear.
 */
#include "gpusim/schedulers/dag.h"

#include <stdlib.h>
#include <string.h>

#include "schedulers/shared/hazards.h"
#include "gpusim/order.h"
#include "sim/program/extents.h"

#define NONE UINT32_MAX

struct location {
    uint32_t writer, readers; /* node; first entry in the reader pool */
};

struct reader {
    uint32_t node, next;
};

struct builder {
    struct gsim_dag *dag;
    /* struct location; of each buffer, and of what has none, one for each GPU, the host's last. Managed memory uses the
     * first alone, and a program that says itself what is copied between GPUs that of one. */
    struct gsim_extents locations;
    uint32_t places; /* of a buffer */
    struct reader *readers;
    size_t reader_count, reader_capacity, edge_capacity;
    uint32_t free_reader;
    uint32_t *linked;  /* per node: the last node that got an edge from it, plus 1 */
    uint32_t *node_of; /* program op, from FIRST_OP on -> node; NONE: not met yet, or left out */
    uint32_t first_op; /* 0; of a program that is drawn, the first of the list */
    struct gsim_afters afters;
    bool managed, has_unknown, failed;
};

static void add_edge(struct builder *b, uint32_t from, uint32_t to)
{
    struct gsim_dag *dag = b->dag;
    if (from == NONE || from == to || b->linked[from] == to + 1) return;
    if (dag->edge_count == b->edge_capacity &&
        gsim_array_grow(&dag->preds, sizeof(*dag->preds), dag->edge_count, &b->edge_capacity)) {
        b->failed = true;
        return;
    }
    b->linked[from] = to + 1;
    dag->preds[dag->edge_count++] = from;
}

static void read_location(struct builder *b, uint32_t node, struct location *location)
{
    uint32_t entry = b->free_reader;
    add_edge(b, location->writer, node);
    if (entry != NONE) {
        b->free_reader = b->readers[entry].next;
    } else {
        if (b->reader_count == b->reader_capacity &&
            gsim_array_grow(&b->readers, sizeof(*b->readers), b->reader_count, &b->reader_capacity)) {
            b->failed = true;
            return;
        }
        entry = (uint32_t)b->reader_count++;
    }
    b->readers[entry] = (struct reader){node, location->readers};
    location->readers = entry;
}

/* KEEPS: another piece of the buffer may have some of the same reader entries. */
static void write_location(struct builder *b, uint32_t node, struct location *location, bool keeps)
{
    add_edge(b, location->writer, node);
    for (uint32_t entry = location->readers, next; entry != NONE; entry = next) {
        next = b->readers[entry].next;
        add_edge(b, b->readers[entry].node, node);
        if (keeps) continue;
        b->readers[entry].next = b->free_reader;
        b->free_reader = entry;
    }
    location->readers = NONE;
    location->writer = node;
}

/* What NODE does to a part of a location, or to all of it. */
static void access_location(struct builder *b, uint32_t node, size_t place, const struct gsim_access *part, bool reads,
                            bool writes)
{
    if (!reads && !writes) return;
    struct gsim_extents_found found = gsim_extents_find(&b->locations, (uint32_t)place, part->begin, part->end);
    struct location *locations = found.values;
    bool keeps = gsim_extents_was_cut(&b->locations, (uint32_t)place);
    if (!found.count) b->failed = true;
    for (uint32_t i = 0; i < found.count; i++) {
        if (reads) read_location(b, node, &locations[i]);
        if (writes) write_location(b, node, &locations[i], keeps);
    }
    if (writes && found.count) gsim_extents_join(&b->locations, (uint32_t)place, &found);
}

static void access_buffer(struct builder *b, uint32_t node, const struct gsim_op *op, const struct gsim_access *part)
{
    struct gsim_op_access access = gsim_op_access(op, part, b->managed);
    size_t first = b->places * (size_t)part->buffer_index, host = first + b->places - 1;
    bool is_peer = op->kind == GSIM_OP_COPY && op->copy_kind == GSIM_COPY_P2P;
    size_t from = b->places > 2 ? first + op->device : first,
           to = b->places > 2 && is_peer ? first + op->to_device : from;
    /* A copy reads one of them and writes another. */
    access_location(b, node, from, part, access.device_read, false);
    access_location(b, node, host, part, access.host_read, false);
    access_location(b, node, to, part, false, access.device_write);
    access_location(b, node, host, part, false, access.host_write);
}

/* What an op may access that is unknown: all buffers, and what the program names no buffer of, which all ops on the
 * device may access as well. */
static void access_more(struct builder *b, uint32_t node, const struct gsim_op *op, uint32_t buffer_count)
{
    static const struct gsim_access whole = {.end = UINT64_MAX, .reads = true, .writes = true};
    size_t device = b->places > 2 ? op->device : 0;
    for (uint32_t i = op->is_unknown ? 0 : buffer_count; i <= buffer_count && !b->failed; i++)
        access_location(b, node, b->places * (size_t)i + device, &whole, true, op->is_unknown);
}

GSIM_ORDER_OF(compare_nodes, uint32_t)

static void sort_preds(uint32_t *preds, uint32_t count)
{
    if (count > 24) {
        qsort(preds, count, sizeof(*preds), compare_nodes);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t value = preds[i], j = i;
        for (; j > 0 && preds[j - 1] > value; j--) preds[j] = preds[j - 1];
        preds[j] = value;
    }
}

static void add_preds(struct builder *b, const struct gsim_run *run, const struct gsim_oplist *list)
{
    struct gsim_dag *dag = b->dag;
    for (uint32_t node = 0; node < list->op_count && !b->failed; node++) {
        const struct gsim_op *op = list->ops[node];
        const uint32_t *after;
        uint32_t after_count;
        dag->pred_start[node] = dag->edge_count;
        struct gsim_access_walk walk = {.op = op};
        for (struct gsim_access part; gsim_access_next(&walk, &part);) access_buffer(b, node, op, &part);
        if (b->has_unknown && !gsim_op_is_host(op)) access_more(b, node, op, run->program->buffer_count);
        if (!gsim_afters_find(&b->afters, op, b->node_of, &after, &after_count)) b->failed = true;
        for (uint32_t a = 0; a < after_count; a++)
            if (after[a] >= b->first_op) add_edge(b, b->node_of[after[a] - b->first_op], node);
        if (!gsim_op_is_move(run, op)) b->node_of[op->index - b->first_op] = node;
        if (dag->edge_count > dag->pred_start[node] + 1)
            sort_preds(dag->preds + dag->pred_start[node], dag->edge_count - dag->pred_start[node]);
    }
    dag->pred_start[list->op_count] = dag->edge_count;
}

static void add_succs(struct gsim_dag *dag)
{
    for (uint32_t e = 0; e < dag->edge_count; e++) dag->succ_start[dag->preds[e] + 1]++;
    for (uint32_t i = 0; i < dag->node_count; i++) dag->succ_start[i + 1] += dag->succ_start[i];
    for (uint32_t i = 0; i < dag->node_count; i++)
        for (uint32_t e = dag->pred_start[i]; e < dag->pred_start[i + 1]; e++)
            dag->succs[dag->succ_start[dag->preds[e]]++] = i;
    /* The fill advanced every start to the next node's: shift back. */
    for (uint32_t i = dag->node_count; i > 0; i--) dag->succ_start[i] = dag->succ_start[i - 1];
    dag->succ_start[0] = 0;
}

enum gsim_status gsim_dag_build(const struct gsim_run *run, const struct gsim_oplist *list, struct gsim_dag *dag,
                                struct gsim_error *error)
{
    size_t nodes = list->op_count, buffers = run->program->buffer_count;
    struct builder b = {.dag = dag, .free_reader = NONE, .managed = run->memory == GSIM_MEMORY_MANAGED, .places = 2};
    if (run->is_placed && !b.managed) b.places = run->device_count + 1;
    memset(dag, 0, sizeof(*dag));
    gsim_afters_init(&b.afters, run->program);
    dag->node_count = list->op_count;
    dag->pred_start = gsim_alloc(sizeof(uint32_t) * (nodes + 1));
    dag->succ_start = gsim_alloc(sizeof(uint32_t) * (nodes + 1));
    b.linked = gsim_alloc(sizeof(uint32_t) * (nodes + 1));
    uint32_t op_count = run->program->op_count;
    b.first_op = run->draw ? NONE : 0;
    for (size_t i = 0; i < nodes; i++) b.has_unknown |= list->ops[i]->is_unknown;
    for (size_t i = 0; run->draw && i < nodes; i++) {
        if (list->ops[i]->index < b.first_op) b.first_op = list->ops[i]->index;
        if (list->ops[i]->index >= op_count) op_count = list->ops[i]->index + 1;
    }
    if (run->draw && nodes) op_count -= b.first_op;
    b.node_of = gsim_alloc(sizeof(uint32_t) * ((size_t)op_count + 1));
    bool has_locations = gsim_extents_init(&b.locations, (uint32_t)(b.places * (buffers + 1)), sizeof(struct location),
                                          &(struct location){NONE, NONE});
    b.failed = !dag->pred_start || !dag->succ_start || !b.linked || !b.node_of || !has_locations;
    if (!b.failed) {
        for (uint32_t i = 0; i < op_count; i++) b.node_of[i] = NONE;
        add_preds(&b, run, list);
    }
    if (!b.failed) b.failed = !(dag->succs = gsim_alloc(sizeof(uint32_t) * ((size_t)dag->edge_count + 1)));
    if (!b.failed) add_succs(dag);
    gsim_afters_release(&b.afters);
    gsim_free(b.readers);
    gsim_extents_release(&b.locations);
    gsim_free(b.node_of);
    gsim_free(b.linked);
    if (!b.failed) return GSIM_OK;
    gsim_dag_release(dag);
    return gsim_error_set(error, GSIM_NOMEM, "out of memory while building the dependence graph");
}

void gsim_dag_release(struct gsim_dag *dag)
{
    if (!dag) return;
    gsim_free(dag->pred_start);
    gsim_free(dag->preds);
    gsim_free(dag->succ_start);
    gsim_free(dag->succs);
    memset(dag, 0, sizeof(*dag));
}

uint32_t gsim_dag_maker(const struct gsim_dag *dag, const struct gsim_oplist *list, uint32_t node)
{
    for (uint32_t e = dag->pred_start[node + 1]; e-- > dag->pred_start[node];) {
        const struct gsim_op *op = list->ops[dag->preds[e]];
        if (!gsim_op_is_host(op) && op->device == list->ops[node]->device) return dag->preds[e];
    }
    return UINT32_MAX;
}

uint32_t gsim_dag_levels(const struct gsim_dag *dag, uint32_t begin, uint32_t end, uint32_t *levels)
{
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t level = 0;
        for (uint32_t e = dag->pred_start[i]; e < dag->pred_start[i + 1]; e++) {
            uint32_t p = dag->preds[e];
            if (p >= begin && levels[p - begin] + 1 > level) level = levels[p - begin] + 1;
        }
        levels[i - begin] = level;
        if (level + 1 > count) count = level + 1;
    }
    return count;
}

void gsim_dag_level_order(const uint32_t *levels, uint32_t begin, uint32_t end, uint32_t level_count, uint32_t *order,
                          uint32_t *level_start)
{
    uint32_t count = end - begin;
    memset(level_start, 0, sizeof(*level_start) * ((size_t)level_count + 1));
    for (uint32_t i = 0; i < count; i++) level_start[levels[i] + 1]++;
    for (uint32_t l = 0; l < level_count; l++) level_start[l + 1] += level_start[l];
    for (uint32_t i = 0; i < count; i++) order[level_start[levels[i]]++] = begin + i;
    for (uint32_t l = level_count; l > 0; l--) level_start[l] = level_start[l - 1];
    level_start[0] = 0;
}
