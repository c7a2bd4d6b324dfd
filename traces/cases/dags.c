/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DAGs of kernels and copies, those of PyTorch's operators among them. */
#include <math.h>
#include <string.h>

#include "gpusim/limits.h"
#include "traces/cases/reader.h"

#define MAX_STREAMS GSIM_CASES_MAX_STREAMS
/* PyTorch 2.11 on the 16 Xeon cores beside an H200, means of three machines (traces/h200/vm/aten.json.gz,
 * aten-later.json.gz, aten-shapes.json.gz: "host"), where a file of ATen ops does not say: an op (7 elementwise to 18 a
 * product by two kernels), streams, events, synchronise. Each was measured in a row of its like; one after the other,
 * as a program makes them, they take 1.4 times as long (issue_us and serial_issue_us there). */
#define IN_PROGRAM 1.4
#define OP_HOST_US 10.2
static const struct gsim_case_host host_of_python = {
    .stream_us = 9.6, .record_us = 4.1, .wait_us = 1.8, .sync_us = 6.1};

/* How many nodes the entry of a DAG's list is: an ATen op may be several kernels. */
static uint32_t node_size(const cJSON *entry)
{
    const cJSON *kernels = gsim_cases_member(entry, "kernels");
    return kernels ? (uint32_t)cJSON_GetArraySize(kernels) : 1;
}

static void read_copy(struct gsim_cases_reader *r, const cJSON *entry, struct gsim_case_node *node)
{
    const cJSON *kind = gsim_cases_member(entry, "copy");
    bool d2h = cJSON_IsString(kind) && strcmp(kind->valuestring, "d2h") == 0;
    if (!d2h && !(cJSON_IsString(kind) && strcmp(kind->valuestring, "h2d") == 0))
        gsim_cases_fail(r, "copy", "h2d or d2h", kind);
    node->is_copy = true;
    node->copy_kind = d2h ? GSIM_COPY_D2H : GSIM_COPY_H2D;
    node->bytes = gsim_whole_u64(gsim_cases_number_or(r, entry, "bytes", (double)GSIM_LIMIT_BYTES, NAN));
    node->start_us = node->end_us = NAN;
    if (!r->at.failed && !node->bytes)
        gsim_cases_fail(r, "bytes", "a positive number", gsim_cases_member(entry, "bytes"));
}

/* NODE, the next of the case, comes after the one before it. */
static void follow_previous(struct gsim_cases_reader *r, const struct gsim_case *c, struct gsim_case_node *node)
{
    uint32_t *before = GSIM_ARENA_NEW(&r->set->arena, uint32_t);
    if (!before) {
        gsim_position_no_memory(&r->at);
        return;
    }
    *before = c->node_count - 1;
    node->deps = before;
    node->dep_count = 1;
}

/* What issuing the op took: as the file says, else the mean of all ops there. */
static double op_host_us(struct gsim_cases_reader *r, const cJSON *entry, const struct gsim_case *c)
{
    const cJSON *name = gsim_cases_member(entry, "op"), *ops = gsim_cases_member(r->host, "op");
    if (c->kind != GSIM_CASE_ATEN) return 0;
    if (!cJSON_IsString(name) || !ops) return IN_PROGRAM * OP_HOST_US;
    return IN_PROGRAM * gsim_cases_number_or(r, ops, name->valuestring, GSIM_LIMIT_US, OP_HOST_US);
}

/* Entry INDEX of the list: one node, or one per kernel, each after the one before. */
static void read_entry(struct gsim_cases_reader *r, const cJSON *entry, uint32_t index, struct gsim_case *c,
                       uint32_t *last)
{
    const cJSON *kernels = gsim_cases_member(entry, "kernels"),
                *kernel = kernels ? kernels->child : gsim_cases_member(entry, "kernel");
    uint32_t size = node_size(entry), stream = gsim_cases_count_or(r, entry, "stream", MAX_STREAMS - 1, NAN);
    if (!size) gsim_cases_fail(r, "kernels", "a list of kernels", kernels);
    for (uint32_t i = 0; i < size && !r->at.failed; i++) {
        struct gsim_case_node *node = &c->nodes[c->node_count];
        node->stream = stream;
        node->host_us = i ? 0 : op_host_us(r, entry, c);
        if (i) follow_previous(r, c, node);
        else gsim_cases_deps(r, gsim_cases_member(entry, "dep"), "dep", index, last, node);
        if (r->at.failed) return;
        if (gsim_cases_member(entry, "copy")) {
            read_copy(r, entry, node);
        } else {
            size_t back =
                kernels ? gsim_position_enter(&r->at, ".kernels[%u]", i) : gsim_position_enter(&r->at, ".kernel");
            gsim_cases_kernel(r, kernel, &node->kernel);
            gsim_position_leave(&r->at, back);
            if (kernels) kernel = kernel->next;
            bool timed = gsim_cases_member(entry, "start") != NULL;
            node->start_us = timed ? gsim_cases_time_us(r, entry, "start") : NAN;
            node->end_us = timed ? gsim_cases_time_us(r, entry, "end") : NAN;
        }
        last[index] = c->node_count++;
    }
    if (stream >= c->stream_count)
        gsim_cases_fail(r, "stream", "a stream below the DAG's number of streams", gsim_cases_member(entry, "stream"));
}

static void read_nodes(struct gsim_cases_reader *r, const cJSON *entries, struct gsim_case *c)
{
    const cJSON *entry;
    uint32_t nodes = 0, index = 0;
    cJSON_ArrayForEach(entry, entries) nodes += node_size(entry);
    c->nodes = GSIM_ARENA_ARRAY(&r->set->arena, struct gsim_case_node, nodes);
    uint32_t *last = GSIM_ARENA_ARRAY(&r->set->arena, uint32_t, (size_t)cJSON_GetArraySize(entries));
    if (!c->nodes || !last) {
        gsim_position_no_memory(&r->at);
        return;
    }
    cJSON_ArrayForEach(entry, entries)
    {
        size_t back = gsim_position_enter(&r->at, ".nodes[%u]", index);
        read_entry(r, entry, index++, c, last);
        gsim_position_leave(&r->at, back);
        if (r->at.failed) return;
    }
    if (!c->node_count) gsim_cases_fail(r, "nodes", "at least one node", entries);
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
static void read_host(struct gsim_cases_reader *r, struct gsim_case *c)
{
    if (c->kind != GSIM_CASE_ATEN) return;
    const struct gsim_case_host *h = &host_of_python;
    c->host.stream_us = IN_PROGRAM * gsim_cases_number_or(r, r->host, "stream", GSIM_LIMIT_US, h->stream_us);
    c->host.record_us = IN_PROGRAM * gsim_cases_number_or(r, r->host, "record", GSIM_LIMIT_US, h->record_us);
    c->host.wait_us = IN_PROGRAM * gsim_cases_number_or(r, r->host, "wait", GSIM_LIMIT_US, h->wait_us);
    c->host.sync_us = gsim_cases_number_or(r, r->host, "sync", GSIM_LIMIT_US, h->sync_us);
}

void gsim_cases_dag(struct gsim_cases_reader *r, const cJSON *object, struct gsim_case *c)
{
    static const char *const fields[GSIM_SCHEDULE_COUNT] = {"live_us", "serial_us", "sync_us", "graph_us",
                                                            "graph_serial_us"};
    bool any = false;
    read_host(r, c);
    c->stream_count = gsim_cases_count_or(r, object, "streams", MAX_STREAMS, NAN);
    for (int i = 0; i < GSIM_SCHEDULE_COUNT; i++) {
        c->makespan_us[i] = gsim_cases_number_or(r, object, fields[i], GSIM_LIMIT_US, 0);
        any |= c->makespan_us[i] > 0;
    }
    c->spread_ratio = NAN;
    if (gsim_cases_member(object, "live_min_us") && c->makespan_us[GSIM_SCHEDULE_LIVE] > 0)
        c->spread_ratio = (gsim_cases_number(r, object, "live_max_us") - gsim_cases_number(r, object, "live_min_us")) /
                          2 / c->makespan_us[GSIM_SCHEDULE_LIVE];
    const cJSON *nodes = gsim_cases_list(r, object, "nodes");
    if (!any) gsim_cases_fail(r, "live_us", "a measured makespan", gsim_cases_member(object, "live_us"));
    if (!r->at.failed) read_nodes(r, nodes, c);
    if (!r->at.failed && c->kind == GSIM_CASE_DAG) c->kind = kind_of_dag(c);
}

/* Two ATen ops as the branches of a graph. */
void gsim_cases_branches(struct gsim_cases_reader *r, const cJSON *object, struct gsim_case *c)
{
    static const char *const keys[2] = {"ka", "kb"};
    const cJSON *kernels[2] = {gsim_cases_list(r, object, keys[0]), gsim_cases_list(r, object, keys[1])}, *kernel;
    read_host(r, c);
    c->makespan_us[GSIM_SCHEDULE_GRAPH] = gsim_cases_number(r, object, "graph_us");
    c->stream_count = 2;
    c->spread_ratio = NAN;
    if (!r->at.failed && !(c->makespan_us[GSIM_SCHEDULE_GRAPH] > 0))
        gsim_cases_fail(r, "graph_us", "a positive number", gsim_cases_member(object, "graph_us"));
    if (r->at.failed) return;
    size_t total = (size_t)cJSON_GetArraySize(kernels[0]) + (size_t)cJSON_GetArraySize(kernels[1]);
    c->nodes = GSIM_ARENA_ARRAY(&r->set->arena, struct gsim_case_node, total);
    if (!c->nodes) gsim_position_no_memory(&r->at);
    for (uint32_t i = 0; i < 2 && !r->at.failed; i++) {
        uint32_t at = 0;
        cJSON_ArrayForEach(kernel, kernels[i])
        {
            struct gsim_case_node *node = &c->nodes[c->node_count++];
            size_t back = gsim_position_enter(&r->at, ".%s[%u]", keys[i], at++);
            node->stream = i;
            node->start_us = node->end_us = NAN;
            gsim_cases_kernel(r, kernel, &node->kernel);
            gsim_position_leave(&r->at, back);
        }
        if (!at) gsim_cases_fail(r, keys[i], "at least one kernel", kernels[i]);
    }
}
