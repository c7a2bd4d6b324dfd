/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Operands of a recording with the pointers that kernels were given (gpusim trace --arguments): each stands for the
 * whole allocation that it points into. What a parameter declares const is read, all else is read and written. A kernel
 * with pointers into the host's memory, a collective, and one without pointers follow all before them, as do copies to
 * the host or within the GPU.
 */
#include <stdlib.h>
#include <string.h>

#include "gpusim/order.h"
#include "sim/base/first.h"
#include "sim/base/scan.h"
#include "traces/import/records/dataflow.h"
#include "traces/import/records/records.h"
#include "traces/import/values.h"

#define MAX_POINTERS 96 /* of one launch, as the tracer has it */

static uint64_t number_of(const char *args, const char *name)
{
    const char *value = gsim_value_member(args, name); /* 64 bits: more than a double has */
    return value ? strtoull(value, NULL, 10) : 0;
}

enum gsim_status gsim_recorded_memory(struct gsim_records *r, const char *text)
{
    const char *args = gsim_value_member(text, "args"), *time = gsim_value_digits(gsim_value_member(text, "ts"));
    if (!args || *args != '{' || !time) return GSIM_OK;
    struct gsim_allocation item = {number_of(args, "address"), number_of(args, "bytes"), gsim_value_ns(time), INT64_MAX,
                                   !gsim_value_is_text(gsim_value_member(args, "memory"), "Device")};
    if (!gsim_value_is_text(gsim_value_member(text, "name"), "allocate")) {
        for (uint32_t i = r->recorded.allocation_count; i-- > 0;)
            if (r->recorded.allocations[i].address == item.address &&
                r->recorded.allocations[i].until_ns == INT64_MAX) {
                r->recorded.allocations[i].until_ns = item.from_ns;
                break;
            }
        return GSIM_OK;
    }
    return GSIM_ADD(r->error, r->recorded.allocations, r->recorded.allocation_count, r->recorded.allocation_room, item);
}

enum gsim_status gsim_recorded_pointers(struct gsim_records *r, const char *text)
{
    const char *args = gsim_value_member(text, "args"), *time = gsim_value_digits(gsim_value_member(text, "ts")),
               *list = gsim_value_member(args, "pointers");
    struct gsim_pointer found[MAX_POINTERS];
    struct gsim_pointers item = {number_of(args, "correlation"), time ? gsim_value_ns(time) : 0, 0, NULL};
    if (!list || *list != '[' || !time) return GSIM_OK;
    GSIM_SCAN_EACH(value, list, NULL)
    {
        char *end = NULL;
        unsigned long parameter = *value == '[' ? strtoul(value + 1, &end, 10) : 0;
        if (end && *end == ',' && item.count < MAX_POINTERS)
            found[item.count++] = (struct gsim_pointer){(uint32_t)parameter, strtoull(end + 1, NULL, 10)};
    }
    item.at = gsim_arena_alloc(&r->arena, sizeof *item.at * ((size_t)item.count + 1));
    if (!item.at || gsim_array_grow(&r->recorded.pointers, sizeof *r->recorded.pointers, r->recorded.pointers_count,
                                    &r->recorded.pointers_room))
        return gsim_no_memory(r->error);
    if (item.count) memcpy(item.at, found, sizeof *found * item.count);
    r->recorded.pointers[r->recorded.pointers_count++] = item;
    return GSIM_OK;
}

/* Whether the declaration NAME of a kernel makes its parameter a pointer to what is const: "f(float const*, int)". */
static bool is_const(const char *name, uint32_t parameter)
{
    const char *end = strrchr(name, ')'), *at = end;
    int depth = 0;
    while (at && at > name && (*at != '(' || depth != 1)) {
        depth += *at == ')' ? 1 : *at == '(' ? -1 : 0;
        at--;
    }
    if (!at || *at != '(') return false;
    depth = 0;
    for (const char *from = ++at; at <= end; at++) {
        bool is_end = depth == 0 && (*at == ',' || at == end);
        depth += strchr("(<[{", *at) ? 1 : 0;
        depth -= strchr(")>]}", *at) ? 1 : 0;
        if (!is_end) continue;
        if (parameter-- == 0) return at - from > 7 && strncmp(at - 7, " const*", 7) == 0;
        from = at + 1;
    }
    return false;
}

/* Allocations are by address, then time: the nearest below that reaches so far. */
static uint32_t find_allocation(const struct gsim_records *r, uint64_t address, int64_t ns)
{
    const struct gsim_allocation *all = r->recorded.allocations;
    GSIM_FIRST (i, r->recorded.allocation_count, at,
                all[at].address < address || (all[at].address == address && all[at].from_ns <= ns))
    while (i-- > 0)
        if (address - all[i].address < all[i].bytes && ns >= all[i].from_ns && ns < all[i].until_ns) return i;
    return UINT32_MAX;
}

static void add_once(uint32_t *list, uint32_t *count, uint32_t item)
{
    for (uint32_t i = 0; i < *count; i++)
        if (list[i] == item) return;
    list[(*count)++] = item;
}

/* False: not known, or memory is out. */
static bool find_operands(struct gsim_records *r, const struct gsim_activity *work, const struct gsim_pointers *given,
                          struct gsim_dataflow *flow, struct gsim_dataflow_op *op)
{
    const char *name = r->names[r->shapes[work->shape].name];
    uint32_t *all = gsim_arena_alloc(&flow->arena, 2 * sizeof *all * ((size_t)given->count + 1)),
             *writes = all ? all + given->count + 1 : NULL;
    *op = (struct gsim_dataflow_op){.id = given->correlation};
    if (!all || work->is_collective || strncmp(name, "nccl", 4) == 0) return false;
    for (uint32_t i = 0; i < given->count; i++) {
        uint32_t at = find_allocation(r, given->at[i].address, given->ns);
        if (at == UINT32_MAX) continue; /* a number, or memory of another kind */
        if (r->recorded.allocations[at].is_host) return false;
        add_once(all, &op->read_count, at);
        if (work->kind != GSIM_ACTIVITY_KERNEL || !is_const(name, given->at[i].parameter))
            add_once(writes, &op->write_count, at);
    }
    op->reads = all;
    op->writes = writes;
    return op->write_count > 0;
}

GSIM_ORDER(compare_pointers, struct gsim_pointers, GSIM_UP(correlation))

GSIM_ORDER(compare_allocations, struct gsim_allocation, GSIM_UP(address) GSIM_UP(from_ns))

GSIM_ORDER(compare_ops, struct gsim_dataflow_op, GSIM_UP(id))

static enum gsim_status fill(struct gsim_records *r, struct gsim_dataflow *flow)
{
    for (uint32_t i = 0; i < r->recorded.allocation_count; i++) {
        if (!GSIM_APPEND(flow->buffers, flow->buffer_count, flow->buffer_room,
                         (struct gsim_dataflow_buffer){r->recorded.allocations[i].bytes, false}))
            return GSIM_NOMEM;
    }
    for (uint32_t i = 0; i < r->work_count; i++) {
        const struct gsim_pointers wanted = {.correlation = r->works[i].correlation},
                                   *given = bsearch(&wanted, r->recorded.pointers, r->recorded.pointers_count,
                                                    sizeof wanted, compare_pointers);
        struct gsim_dataflow_op op;
        r->works[i].external = r->works[i].correlation;
        if (!given || r->works[i].node || !find_operands(r, &r->works[i], given, flow, &op)) continue;
        if (!GSIM_APPEND(flow->ops, flow->op_count, flow->op_room, op)) return GSIM_NOMEM;
        if (gsim_records_add_operator(r, &(struct gsim_operator){op.id, op.id}) != GSIM_OK) return GSIM_NOMEM;
        r->notes->pointed_works++;
    }
    return GSIM_OK;
}

enum gsim_status gsim_recorded_flow(struct gsim_records *r, struct gsim_dataflow *flow)
{
    if (!r->recorded.pointers_count)
        return gsim_error_set(r->error, GSIM_USAGE,
                              "--depends data: expected --execution-trace FILE with it, or a "
                              "recording of gpusim trace --arguments");
    qsort(r->recorded.pointers, r->recorded.pointers_count, sizeof *r->recorded.pointers, compare_pointers);
    if (r->recorded.allocation_count)
        qsort(r->recorded.allocations, r->recorded.allocation_count, sizeof *r->recorded.allocations,
              compare_allocations);
    if (fill(r, flow) != GSIM_OK) return gsim_no_memory(r->error);
    if (flow->op_count) qsort(flow->ops, flow->op_count, sizeof *flow->ops, compare_ops);
    r->flow = flow;
    return GSIM_OK;
}
