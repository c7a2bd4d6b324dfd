/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading recorded cases: one reader with a sticky error, which knows the place it is at. Lists that it does not
 * know (solo, streams, join) and fields that predictions must not see are passed over.
 */
#include "traces/cases.h"

#include <math.h>
#include <stdarg.h>

#include "sim/base/json.h"
#include "sim/base/text.h"
#include "gpusim/limits.h"

#define MOST_SMS 4096
#define MOST_STREAMS 1024
#define MOST_PAIRS 64 /* of buffers, which have PAIR_BYTES each */
#define PAIR_BYTES GSIM_CASE_BUFFER_BYTES
/* PyTorch 2.11 on the 16 Xeon cores beside an H200, means of three machines (traces/h200/vm/aten.json.gz, aten-later.json.gz, aten-shapes.json.gz:
 * "host"), where a file of ATen ops does not say: an op (7 elementwise to 18 a product by two kernels), streams, events, synchronise. Each was
 * measured in a row of its like; one after the other, as a program makes them, they take 1.4 times as long (issue_us and serial_issue_us there). */
#define IN_PROGRAM 1.4
#define OP_HOST_US 10.2
static const struct gsim_case_host host_of_python = {.stream_us = 9.6, .record_us = 4.1, .wait_us = 1.8, .sync_us = 6.1};

struct reader {
    struct gsim_case_set *set;
    const char *file;
    const cJSON **solo; /* the file's list of kernels, which pairs may point to */
    uint32_t solo_count;
    const cJSON *host; /* the host's times of its ATen ops; NULL: none given */
    struct gsim_error *error;
    char place[96];    /* "pairs[3]" */
    bool failed;
};

/* --- values --------------------------------------------------------------------------------------------------- */
static void fail(struct reader *r, const char *field, const char *expected, const cJSON *found)
{
    char text[96];
    if (r->failed) return;
    r->failed = true;
    gsim_error_set(r->error, GSIM_INPUT, "%s%s%s%sexpected %s, found %s", r->place, field[0] && r->place[0] ? "." : "",
                   field, field[0] || r->place[0] ? ": " : "", expected, gsim_json_found(found, text, sizeof text));
}

static void no_memory(struct reader *r)
{
    if (!r->failed) gsim_error_set(r->error, GSIM_NOMEM, "out of memory");
    r->failed = true;
}

static const cJSON *member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* A number from 0 to MOST; OTHERWISE where the field is missing (NAN: it must be there). */
static double number_or(struct reader *r, const cJSON *object, const char *key, double most, double otherwise)
{
    const cJSON *item = member(object, key);
    if (!item && !isnan(otherwise)) return otherwise;
    if (cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= most) return item->valuedouble;
    fail(r, key, "a number that is not negative", item);
    return 0;
}

static double number(struct reader *r, const cJSON *object, const char *key)
{
    return number_or(r, object, key, GSIM_LIMIT_WORK, NAN);
}

static uint32_t count_or(struct reader *r, const cJSON *object, const char *key, double most, double otherwise)
{
    double value = number_or(r, object, key, most, otherwise);
    if (value != floor(value)) fail(r, key, "a whole number", member(object, key));
    return (uint32_t)value;
}

/* Measured time in nanoseconds, as microseconds. */
static double time_us(struct reader *r, const cJSON *object, const char *key)
{
    return number_or(r, object, key, GSIM_LIMIT_US, NAN) / 1e3;
}

static const cJSON *list(struct reader *r, const cJSON *object, const char *key)
{
    const cJSON *item = member(object, key);
    if (!cJSON_IsArray(item)) fail(r, key, "a list", item);
    return item;
}

/* Appends to the place; returns the length to go back to. */
static size_t enter(struct reader *r, const char *format, ...) GSIM_PRINTF(2, 3);
static size_t enter(struct reader *r, const char *format, ...)
{
    size_t length = strlen(r->place);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->place + length, sizeof r->place - length, format, arguments);
    va_end(arguments);
    return length;
}

static void leave(struct reader *r, size_t length)
{
    if (!r->failed) r->place[length] = '\0';
}

/* --- kernels -------------------------------------------------------------------------------------------------- */
/* A count (x), or a list [x, y, z]. */
static struct gsim_dim3 shape(struct reader *r, const cJSON *object, const char *key, double most)
{
    const cJSON *item = member(object, key);
    uint32_t size[3] = {1, 1, 1};
    int at = 0;
    const cJSON *first = cJSON_IsArray(item) ? item->child : item;
    for (const cJSON *c = first; c && at < 3; c = cJSON_IsArray(item) ? c->next : NULL) {
        if (!cJSON_IsNumber(c) || c->valuedouble < 1 || c->valuedouble > most || c->valuedouble != floor(c->valuedouble))
            fail(r, key, "a positive whole number or three", c);
        else
            size[at] = (uint32_t)c->valuedouble;
        at++;
    }
    if (!at) fail(r, key, "a positive whole number or three", item);
    return (struct gsim_dim3){size[0], size[1], size[2]};
}

static void read_kernel(struct reader *r, const cJSON *object, struct gsim_kernel *kernel)
{
    if (!cJSON_IsObject(object)) {
        fail(r, "", "a kernel", object);
        return;
    }
    *kernel = (struct gsim_kernel){
        .name = "kernel",
        .grid = shape(r, object, "grid", GSIM_LIMIT_GRID_X),
        .block = shape(r, object, "block", GSIM_LIMIT_BLOCK_THREADS),
        .regs_per_thread = count_or(r, object, "regs", GSIM_LIMIT_REGS, NAN),
        .smem_bytes = count_or(r, object, "smem", GSIM_LIMIT_SMEM_BYTES, NAN),
        .flops = number_or(r, object, "flops", GSIM_LIMIT_WORK, 0),
        .dram_bytes = number_or(r, object, "dram_bytes", GSIM_LIMIT_WORK, 0),
        .demand_given = member(object, "flops") && member(object, "dram_bytes"),
        .solo_us = time_us(r, object, "solo_ns"),
    };
    if (!r->failed && !(kernel->solo_us > 0)) fail(r, "solo_ns", "a positive number", member(object, "solo_ns"));
}

/* The kernel OBJECT.KEY: described there, or the index of one in the file's list "solo". */
static void read_kernel_at(struct reader *r, const cJSON *object, const char *key, struct gsim_kernel *kernel)
{
    const cJSON *item = member(object, key);
    size_t back = enter(r, ".%s", key);
    if (cJSON_IsNumber(item)) {
        double index = item->valuedouble;
        if (index < 0 || index >= r->solo_count || index != floor(index))
            fail(r, "", "an index of the list solo", item);
        else
            item = r->solo[(uint32_t)index];
    }
    if (!r->failed) read_kernel(r, item, kernel);
    leave(r, back);
}

/* --- two kernels ---------------------------------------------------------------------------------------------- */
static uint32_t *read_blocks(struct reader *r, const cJSON *blocks, uint32_t sm_count)
{
    uint32_t *by_sm = GSIM_ARENA_ARRAY(&r->set->arena, uint32_t, sm_count);
    const cJSON *block;
    if (!by_sm) {
        no_memory(r);
        return NULL;
    }
    cJSON_ArrayForEach(block, blocks)
    {
        const cJSON *sm = cJSON_IsArray(block) ? block->child : NULL;
        if (!cJSON_IsNumber(sm) || sm->valuedouble < 0 || sm->valuedouble >= sm_count) {
            fail(r, "blocks", "lists [sm, start, end] with an SM of the device", sm ? sm : block);
            return NULL;
        }
        by_sm[(int)sm->valuedouble]++;
    }
    return by_sm;
}

static bool is_whole(const cJSON *blocks, const struct gsim_kernel *kernel)
{
    return cJSON_IsArray(blocks) &&
           (double)cJSON_GetArraySize(blocks) == (double)kernel->grid.x * kernel->grid.y * kernel->grid.z;
}

/* Four times [a start, a end, b start, b end] in nanoseconds. */
static bool repetition(const cJSON *item, double ns[4])
{
    if (cJSON_GetArraySize(item) != 4) return false;
    for (int i = 0; i < 4; i++) {
        const cJSON *time = cJSON_GetArrayItem(item, i);
        if (!cJSON_IsNumber(time) || time->valuedouble < 0) return false;
        ns[i] = time->valuedouble;
    }
    return true;
}

/* Which of two kernels released together comes first is chance. Where all repetitions were recorded, the median
 * one of those in which the first launched came first stands for the case. */
static void choose_repetition(struct reader *r, const cJSON *all, struct gsim_case *c)
{
    const cJSON *item, *other;
    double mine[4], others[4];
    cJSON_ArrayForEach(item, all)
    {
        int below = 0, equal = 0, count = 0;
        if (!repetition(item, mine)) {
            fail(r, "all", "lists of four numbers", item);
            return;
        }
        if (mine[0] > mine[2]) continue;
        bool before = true;
        cJSON_ArrayForEach(other, all)
        {
            if (other == item) before = false;
            if (!repetition(other, others) || others[0] > others[2]) continue;
            double difference = fmax(others[1], others[3]) - fmax(mine[1], mine[3]);
            below += difference < 0;
            equal += difference == 0 && before;
            count++;
        }
        if (below + equal != count / 2) continue;
        for (int i = 0; i < 2; i++) {
            c->start_us[i] = mine[2 * i] / 1e3;
            c->end_us[i] = mine[2 * i + 1] / 1e3;
        }
        c->span_us = fmax(mine[1], mine[3]) / 1e3;
    }
}

static void read_two(struct reader *r, const cJSON *object, struct gsim_case *c)
{
    bool capital = member(object, "A") != NULL; /* the older priority records */
    read_kernel_at(r, object, capital ? "A" : "a", &c->kernels[0]);
    read_kernel_at(r, object, capital ? "B" : "b", &c->kernels[1]);
    bool urgent = c->kind == GSIM_CASE_PRIORITY && number_or(r, object, "high", 1, 1) > 0;
    c->priority = urgent ? -5 : 0;
    c->delay_us = number_or(r, object, "delay_us", GSIM_LIMIT_US, c->kind == GSIM_CASE_PRIORITY ? -1 : 0);
    if (c->delay_us < 0) c->delay_us = NAN;
    c->start_us[0] = capital ? 0 : time_us(r, object, "a_start");
    c->end_us[0] = time_us(r, object, "a_end");
    c->start_us[1] = time_us(r, object, "b_start");
    c->end_us[1] = time_us(r, object, "b_end");
    c->span_us = capital ? fmax(c->end_us[0], c->end_us[1]) : time_us(r, object, "span");
    c->spread_ratio = NAN;
    if (r->failed) return;
    if (!(c->end_us[0] > c->start_us[0])) fail(r, "a_end", "a time after a_start", member(object, "a_end"));
    if (!(c->end_us[1] > c->start_us[1])) fail(r, "b_end", "a time after b_start", member(object, "b_end"));
    if (!(c->span_us > 0)) fail(r, "span", "a positive number", member(object, "span"));
    if (member(object, "min") && member(object, "max"))
        c->spread_ratio = (time_us(r, object, "max") - time_us(r, object, "min")) / 2 / c->span_us;
    const cJSON *a = member(object, "blocks_a"), *b = member(object, "blocks_b"), *all = member(object, "all");
    if (!r->failed && c->sm_count && is_whole(a, &c->kernels[0]) && is_whole(b, &c->kernels[1])) {
        c->blocks_by_sm[0] = read_blocks(r, a, c->sm_count);
        c->blocks_by_sm[1] = read_blocks(r, b, c->sm_count);
    }
    /* The blocks are those of the recorded run: then that one it stays. */
    if (all && !(c->delay_us > 0) && c->kind != GSIM_CASE_PRIORITY && !c->blocks_by_sm[0]) choose_repetition(r, all, c);
}

/* --- DAGs ----------------------------------------------------------------------------------------------------- */
/* How many nodes the entry of a DAG's list is: an ATen op may be several kernels. */
static uint32_t node_size(const cJSON *entry)
{
    const cJSON *kernels = member(entry, "kernels");
    return kernels ? (uint32_t)cJSON_GetArraySize(kernels) : 1;
}

static void read_copy(struct reader *r, const cJSON *entry, struct gsim_case_node *node)
{
    const cJSON *kind = member(entry, "copy");
    bool d2h = cJSON_IsString(kind) && strcmp(kind->valuestring, "d2h") == 0;
    if (!d2h && !(cJSON_IsString(kind) && strcmp(kind->valuestring, "h2d") == 0)) fail(r, "copy", "h2d or d2h", kind);
    node->is_copy = true;
    node->copy_kind = d2h ? GSIM_COPY_D2H : GSIM_COPY_H2D;
    node->bytes = (uint64_t)number_or(r, entry, "bytes", (double)GSIM_LIMIT_BYTES, NAN);
    node->start_us = node->end_us = NAN;
    if (!r->failed && !node->bytes) fail(r, "bytes", "a positive number", member(entry, "bytes"));
}

/* LAST: of each earlier entry, its last node. */
static void read_deps(struct reader *r, const cJSON *entry, uint32_t index, const uint32_t *last,
                      struct gsim_case_node *node)
{
    const cJSON *deps = list(r, entry, "dep"), *dep;
    if (r->failed) return;
    uint32_t *nodes = GSIM_ARENA_ARRAY(&r->set->arena, uint32_t, (size_t)cJSON_GetArraySize(deps) + 1);
    if (!nodes) {
        no_memory(r);
        return;
    }
    cJSON_ArrayForEach(dep, deps)
    {
        if (!cJSON_IsNumber(dep) || dep->valuedouble < 0 || dep->valuedouble >= index ||
            dep->valuedouble != floor(dep->valuedouble)) {
            fail(r, "dep", "indices of earlier nodes", dep);
            return;
        }
        nodes[node->dep_count++] = last[(uint32_t)dep->valuedouble];
    }
    node->deps = nodes;
}

/* NODE, the next of the case, comes after the one before it. */
static void follow_previous(struct reader *r, const struct gsim_case *c, struct gsim_case_node *node)
{
    uint32_t *before = GSIM_ARENA_NEW(&r->set->arena, uint32_t);
    if (!before) {
        no_memory(r);
        return;
    }
    *before = c->node_count - 1;
    node->deps = before;
    node->dep_count = 1;
}

/* What issuing the op took: as the file says, else the mean of all ops there. */
static double op_host_us(struct reader *r, const cJSON *entry, const struct gsim_case *c)
{
    const cJSON *name = member(entry, "op"), *ops = member(r->host, "op");
    if (c->kind != GSIM_CASE_ATEN) return 0;
    if (!cJSON_IsString(name) || !ops) return IN_PROGRAM * OP_HOST_US;
    return IN_PROGRAM * number_or(r, ops, name->valuestring, GSIM_LIMIT_US, OP_HOST_US);
}

/* Entry INDEX of the list: one node, or one per kernel, each after the one before. */
static void read_entry(struct reader *r, const cJSON *entry, uint32_t index, struct gsim_case *c, uint32_t *last)
{
    const cJSON *kernels = member(entry, "kernels"), *kernel = kernels ? kernels->child : member(entry, "kernel");
    uint32_t size = node_size(entry), stream = count_or(r, entry, "stream", MOST_STREAMS - 1, NAN);
    if (!size) fail(r, "kernels", "a list of kernels", kernels);
    for (uint32_t i = 0; i < size && !r->failed; i++) {
        struct gsim_case_node *node = &c->nodes[c->node_count];
        node->stream = stream;
        node->host_us = i ? 0 : op_host_us(r, entry, c);
        if (i)
            follow_previous(r, c, node);
        else
            read_deps(r, entry, index, last, node);
        if (r->failed) return;
        if (member(entry, "copy")) {
            read_copy(r, entry, node);
        } else {
            size_t back = kernels ? enter(r, ".kernels[%u]", i) : enter(r, ".kernel");
            read_kernel(r, kernel, &node->kernel);
            leave(r, back);
            if (kernels) kernel = kernel->next;
            bool timed = member(entry, "start") != NULL;
            node->start_us = timed ? time_us(r, entry, "start") : NAN;
            node->end_us = timed ? time_us(r, entry, "end") : NAN;
        }
        last[index] = c->node_count++;
    }
    if (stream >= c->stream_count) fail(r, "stream", "a stream below the DAG's number of streams", member(entry, "stream"));
}

static void read_nodes(struct reader *r, const cJSON *entries, struct gsim_case *c)
{
    const cJSON *entry;
    uint32_t nodes = 0, index = 0;
    cJSON_ArrayForEach(entry, entries) nodes += node_size(entry);
    c->nodes = GSIM_ARENA_ARRAY(&r->set->arena, struct gsim_case_node, nodes);
    uint32_t *last = GSIM_ARENA_ARRAY(&r->set->arena, uint32_t, (size_t)cJSON_GetArraySize(entries));
    if (!c->nodes || !last) {
        no_memory(r);
        return;
    }
    cJSON_ArrayForEach(entry, entries)
    {
        size_t back = enter(r, ".nodes[%u]", index);
        read_entry(r, entry, index++, c, last);
        leave(r, back);
        if (r->failed) return;
    }
    if (!c->node_count) fail(r, "nodes", "at least one node", entries);
}

static enum gsim_case_kind kind_of_dag(const struct gsim_case *c)
{
    double sum = 0;
    uint32_t kernels = 0;
    for (uint32_t i = 0; i < c->node_count; i++) {
        sum += c->nodes[i].is_copy ? 0 : c->nodes[i].kernel.solo_us;
        kernels += !c->nodes[i].is_copy;
    }
    return kernels && sum / kernels < GSIM_LAUNCH_BOUND_US ? GSIM_CASE_LAUNCH : GSIM_CASE_DAG;
}

/* The times of the Python program that issued ATen ops. */
static void read_host(struct reader *r, struct gsim_case *c)
{
    if (c->kind != GSIM_CASE_ATEN) return;
    const struct gsim_case_host *h = &host_of_python;
    c->host.stream_us = IN_PROGRAM * number_or(r, r->host, "stream", GSIM_LIMIT_US, h->stream_us);
    c->host.record_us = IN_PROGRAM * number_or(r, r->host, "record", GSIM_LIMIT_US, h->record_us);
    c->host.wait_us = IN_PROGRAM * number_or(r, r->host, "wait", GSIM_LIMIT_US, h->wait_us);
    c->host.sync_us = number_or(r, r->host, "sync", GSIM_LIMIT_US, h->sync_us);
}

static void read_dag(struct reader *r, const cJSON *object, struct gsim_case *c)
{
    static const char *const fields[GSIM_SCHEDULE_COUNT] = {"live_us", "serial_us", "sync_us", "graph_us",
                                                            "graph_serial_us"};
    bool any = false;
    read_host(r, c);
    c->stream_count = count_or(r, object, "streams", MOST_STREAMS, NAN);
    for (int i = 0; i < GSIM_SCHEDULE_COUNT; i++) {
        c->makespan_us[i] = number_or(r, object, fields[i], GSIM_LIMIT_US, 0);
        any |= c->makespan_us[i] > 0;
    }
    c->spread_ratio = NAN;
    if (member(object, "live_min_us") && c->makespan_us[GSIM_SCHEDULE_LIVE] > 0)
        c->spread_ratio = (number(r, object, "live_max_us") - number(r, object, "live_min_us")) / 2 /
                          c->makespan_us[GSIM_SCHEDULE_LIVE];
    const cJSON *nodes = list(r, object, "nodes");
    if (!any) fail(r, "live_us", "a measured makespan", member(object, "live_us"));
    if (!r->failed) read_nodes(r, nodes, c);
    if (!r->failed && c->kind == GSIM_CASE_DAG) c->kind = kind_of_dag(c);
}

/* Two ATen ops as the branches of a graph. */
static void read_branches(struct reader *r, const cJSON *object, struct gsim_case *c)
{
    static const char *const keys[2] = {"ka", "kb"};
    const cJSON *kernels[2] = {list(r, object, keys[0]), list(r, object, keys[1])}, *kernel;
    read_host(r, c);
    c->makespan_us[GSIM_SCHEDULE_GRAPH] = number(r, object, "graph_us");
    c->stream_count = 2;
    c->spread_ratio = NAN;
    if (!r->failed && !(c->makespan_us[GSIM_SCHEDULE_GRAPH] > 0))
        fail(r, "graph_us", "a positive number", member(object, "graph_us"));
    if (r->failed) return;
    size_t total = (size_t)cJSON_GetArraySize(kernels[0]) + (size_t)cJSON_GetArraySize(kernels[1]);
    c->nodes = GSIM_ARENA_ARRAY(&r->set->arena, struct gsim_case_node, total);
    if (!c->nodes) no_memory(r);
    for (uint32_t i = 0; i < 2 && !r->failed; i++) {
        uint32_t at = 0;
        cJSON_ArrayForEach(kernel, kernels[i])
        {
            struct gsim_case_node *node = &c->nodes[c->node_count++];
            size_t back = enter(r, ".%s[%u]", keys[i], at++);
            node->stream = i;
            node->start_us = node->end_us = NAN;
            read_kernel(r, kernel, &node->kernel);
            leave(r, back);
        }
        if (!at) fail(r, keys[i], "at least one kernel", kernels[i]);
    }
}

/* --- irregular graphs ------------------------------------------------------------------------------------------- */
/* One node, [kernel, stream, [earlier nodes]]; "buf" of a kernel is a pair of buffers: it reads "elems" of 16 bytes of one and writes the other. */
static void read_triple(struct reader *r, const cJSON *entry, struct gsim_case *c)
{
    const cJSON *kernel = cJSON_GetArrayItem(entry, 0), *stream = cJSON_GetArrayItem(entry, 1), *after = cJSON_GetArrayItem(entry, 2), *dep;
    struct gsim_case_node *node = &c->nodes[c->node_count];
    uint32_t *deps = GSIM_ARENA_ARRAY(&r->set->arena, uint32_t, (size_t)cJSON_GetArraySize(after) + 1);
    if (!cJSON_IsNumber(kernel) || kernel->valuedouble < 0 || kernel->valuedouble >= r->solo_count) fail(r, "[0]", "an index of the list kernels", kernel);
    if (!cJSON_IsNumber(stream) || stream->valuedouble < 0 || stream->valuedouble >= MOST_STREAMS) fail(r, "[1]", "a stream", stream);
    if (!cJSON_IsArray(after)) fail(r, "[2]", "a list", after);
    if (!deps) no_memory(r);
    if (r->failed) return;
    cJSON_ArrayForEach(dep, after)
    {
        bool is_earlier = cJSON_IsNumber(dep) && dep->valuedouble >= 0 && dep->valuedouble < c->node_count;
        if (!is_earlier) fail(r, "[2]", "indices of earlier nodes", dep);
        if (r->failed) return;
        deps[node->dep_count++] = (uint32_t)dep->valuedouble;
    }
    const cJSON *from = r->solo[(uint32_t)kernel->valuedouble], *pair = member(from, "buf");
    node->deps = deps;
    node->stream = (uint32_t)stream->valuedouble;
    node->start_us = node->end_us = NAN;
    read_kernel(r, from, &node->kernel);
    if (pair && !(cJSON_IsNumber(pair) && pair->valuedouble >= -1 && pair->valuedouble < MOST_PAIRS)) fail(r, "buf", "a pair of buffers, or -1", pair);
    if (r->failed) return;
    node->buffer = pair && pair->valuedouble >= 0 ? 2 * (uint32_t)pair->valuedouble : 0;
    node->part_bytes = pair && pair->valuedouble >= 0 ? 16 * (uint64_t)count_or(r, from, "elems", PAIR_BYTES / 16, NAN) : 0;
    if (node->stream >= c->stream_count) c->stream_count = node->stream + 1;
    if (node->part_bytes && node->buffer + 2 > c->buffer_count) c->buffer_count = node->buffer + 2;
    c->node_count++;
}

static void read_irregular(struct reader *r, const cJSON *object, struct gsim_case *c)
{
    const cJSON *nodes = list(r, object, "nodes"), *node;
    uint32_t index = 0;
    c->makespan_us[GSIM_SCHEDULE_LIVE] = number(r, object, "streams8_us");
    c->makespan_us[GSIM_SCHEDULE_SERIAL] = number(r, object, "one_stream_us");
    c->makespan_us[GSIM_SCHEDULE_SYNC] = number(r, object, "sync_each_us");
    c->makespan_us[GSIM_SCHEDULE_GRAPH] = number(r, object, "graph_relaunch_us");
    c->spread_ratio = NAN;
    c->nodes = GSIM_ARENA_ARRAY(&r->set->arena, struct gsim_case_node, (size_t)cJSON_GetArraySize(nodes) + 1);
    if (!c->nodes) no_memory(r);
    if (r->failed) return;
    cJSON_ArrayForEach(node, nodes)
    {
        size_t back = enter(r, ".nodes[%u]", index++);
        read_triple(r, node, c);
        leave(r, back);
        if (r->failed) return;
    }
    if (!r->failed && !c->node_count) fail(r, "nodes", "at least one node", nodes);
}

/* --- the file --------------------------------------------------------------------------------------------------- */
/* The cases of the list KEY in OBJECT, where there is one. */
static bool read_list(struct reader *r, const cJSON *object, const char *prefix, const char *key,
                      enum gsim_case_kind kind, uint32_t sm_count,
                      void (*read)(struct reader *, const cJSON *, struct gsim_case *))
{
    const cJSON *items = member(object, key), *item;
    uint32_t index = 0;
    if (!items || r->failed) return false;
    r->place[0] = '\0';
    if (!cJSON_IsArray(items)) fail(r, key, "a list", items);
    cJSON_ArrayForEach(item, items)
    {
        const cJSON *tag = member(item, "tag");
        struct gsim_case *c = gsim_case_add(r->set);
        if (!c) {
            no_memory(r);
            return true;
        }
        r->place[0] = '\0';
        enter(r, "%s%s[%u]", prefix, key, index);
        c->kind = kind;
        c->file = r->file;
        c->index = index++;
        c->sm_count = sm_count;
        char *name = cJSON_IsString(tag) ? gsim_arena_printf(&r->set->arena, "%s %.40s", r->place, tag->valuestring)
                                         : gsim_arena_strdup(&r->set->arena, r->place);
        if (name)
            c->name = gsim_text_clean(name);
        else
            no_memory(r);
        if (!cJSON_IsObject(item)) fail(r, "", "an object", item);
        if (!r->failed) read(r, item, c);
        if (r->failed) return true;
    }
    r->place[0] = '\0';
    return true;
}

/* Looked up by every case: cJSON counts its way to an element. */
static void index_solo(struct reader *r, const cJSON *kernels)
{
    const cJSON *kernel;
    r->solo = GSIM_ARENA_ARRAY(&r->set->arena, const cJSON *, cJSON_GetArraySize(kernels));
    if (!r->solo) no_memory(r);
    cJSON_ArrayForEach(kernel, kernels) if (r->solo) r->solo[r->solo_count++] = kernel;
}

static void read_file(struct reader *r, const cJSON *root)
{
    const cJSON *aten = member(root, "aten");
    uint32_t sms = count_or(r, root, "sms", MOST_SMS, 0);
    index_solo(r, member(root, member(root, "graphs") ? "kernels" : "solo"));
    r->host = member(aten, "host");
    if (r->host && !cJSON_IsObject(r->host)) fail(r, "aten.host", "an object", r->host);
    if (member(r->host, "op") && !cJSON_IsObject(member(r->host, "op"))) fail(r, "aten.host.op", "an object", member(r->host, "op"));
    bool any = read_list(r, root, "", "pairs", GSIM_CASE_PAIR, sms, read_two);
    any |= read_list(r, root, "", "arrivals", GSIM_CASE_ARRIVAL, sms, read_two);
    any |= read_list(r, root, "", "priority", GSIM_CASE_PRIORITY, sms, read_two);
    any |= read_list(r, root, "", "dags", GSIM_CASE_DAG, sms, read_dag);
    any |= read_list(r, root, "", "micro", GSIM_CASE_MICRO, sms, read_two);
    any |= read_list(r, root, "", "graphs", GSIM_CASE_REPEATED, sms, read_irregular);
    any |= read_list(r, aten, "aten.", "dags", GSIM_CASE_ATEN, sms, read_dag);
    any |= read_list(r, aten, "aten.", "pairs", GSIM_CASE_ATEN, sms, read_branches);
    if (!any) fail(r, "", "an object with lists of cases (pairs, arrivals, priority, dags, micro, graphs, aten)", root);
}

enum gsim_status gsim_cases_parse(struct gsim_case_set *set, const char *file, const char *text, size_t length,
                                  struct gsim_error *error)
{
    const char *end = NULL;
    size_t before = set->count;
    struct reader r = {.set = set, .error = error, .file = gsim_arena_strdup(&set->arena, file)};
    if (!r.file) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    cJSON *root = cJSON_ParseWithLengthOpts(text, length + 1, &end, 1);
    if (!root) {
        size_t line = 1;
        for (const char *c = text; end && c < end && c < text + length; c++) line += *c == '\n';
        return gsim_error_set(error, GSIM_INPUT, "line %zu: not JSON%s", line,
                              end && end >= text + length ? ": the file ends too early" : "");
    }
    read_file(&r, root);
    cJSON_Delete(root);
    if (!r.failed) return GSIM_OK;
    set->count = before;
    return error->status;
}
