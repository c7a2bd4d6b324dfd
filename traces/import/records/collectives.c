/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels of collectives in traces: kind, size and ranks from what PyTorch's profiler says beside them. */
#include <stdlib.h>
#include <string.h>

#include "gpusim/order.h"
#include "sim/base/scan.h"
#include "traces/import/records/records.h"
#include "traces/import/values.h"

/* As torch.distributed names them; of which count NCCL's size is. */
static const struct {
    const char *name;
    enum gsim_collective_kind kind;
    bool is_out;
} kinds[] = {
    {"allreduce", GSIM_COLLECTIVE_ALL_REDUCE, false},
    {"allreduce_coalesced", GSIM_COLLECTIVE_ALL_REDUCE, false},
    {"allgather", GSIM_COLLECTIVE_ALL_GATHER, true},
    {"_allgather_base", GSIM_COLLECTIVE_ALL_GATHER, true},
    {"allgather_into_tensor_coalesced", GSIM_COLLECTIVE_ALL_GATHER, true},
    {"reduce_scatter", GSIM_COLLECTIVE_REDUCE_SCATTER, false},
    {"_reduce_scatter_base", GSIM_COLLECTIVE_REDUCE_SCATTER, false},
    {"reduce_scatter_tensor_coalesced", GSIM_COLLECTIVE_REDUCE_SCATTER, false},
    {"broadcast", GSIM_COLLECTIVE_BROADCAST, false},
    {"_broadcast_oop", GSIM_COLLECTIVE_BROADCAST, false},
    {"all_to_all", GSIM_COLLECTIVE_ALL_TO_ALL, false},
    {"all_to_allv", GSIM_COLLECTIVE_ALL_TO_ALL, false},
    {"send", GSIM_COLLECTIVE_SEND, false},
    {"recv", GSIM_COLLECTIVE_RECV, true},
};

/* Bytes of an element, by the beginning of the type's name. */
static const struct {
    const char *name;
    uint32_t bytes;
} types[] = {{"BFloat16", 2}, {"Half", 2},  {"Float8", 1}, {"Float", 4}, {"Double", 8}, {"Long", 8},
             {"Int", 4},      {"Short", 2}, {"Bool", 1},   {"Byte", 1},  {"Char", 1}};

static uint32_t type_bytes(const char *value)
{
    for (size_t i = 0; value && *value == '"' && i < sizeof types / sizeof types[0]; i++)
        if (strncmp(value + 1, types[i].name, strlen(types[i].name)) == 0) return types[i].bytes;
    return 0;
}

static double count_of(const char *value)
{
    const char *digits = gsim_value_digits(value);
    double count = digits ? gsim_scan_number(digits) : 0;
    return count >= 0 && count <= (double)GSIM_LIMIT_BYTES ? count : 0;
}

/* "[0, 1, 2]"; a list that is cut short, or none, names no ranks. */
static enum gsim_status read_group(struct gsim_records *r, const char *value, struct gsim_collective *c)
{
    uint32_t count = 1, *group;
    if (!value || *value != '"' || value[1] != '[' || strstr(value, "...")) return GSIM_OK;
    const char *end = strchr(value + 1, '"');
    for (const char *at = value; end && at < end; at++) count += *at == ',';
    if (!end || !(group = GSIM_ARENA_ARRAY(&r->arena, uint32_t, count)))
        return end ? gsim_no_memory(r->error) : GSIM_OK;
    for (const char *at = value + 2; at < end && c->group_count < count;) {
        char *rest;
        unsigned long rank = strtoul(at, &rest, 10);
        if (rest == at || rank >= GSIM_LIMIT_RANKS) break;
        group[c->group_count++] = (uint32_t)rank;
        at = rest + strspn(rest, ", ");
    }
    c->group = group;
    return GSIM_OK;
}

/* The one that a group's name, mostly a number, stands for. */
static uint32_t communicator_of(const char *value)
{
    if (!value || *value != '"') return 0;
    const char *end = strchr(value + 1, '"');
    unsigned long number = strtoul(value + 1, NULL, 10);
    bool is_number = end && strspn(value + 1, "0123456789") == (size_t)(end - value - 1);
    if (is_number && number < GSIM_LIMIT_RANKS) return gsim_whole_u32(number);
    return (uint32_t)(gsim_hash_bytes(GSIM_HASH_START, value + 1, end ? (uint64_t)(end - value - 1) : 0) %
                      GSIM_LIMIT_RANKS);
}

enum gsim_status gsim_records_add_collective(struct gsim_records *r, const struct gsim_collective_words *words,
                                             struct gsim_activity *work)
{
    size_t k = 0;
    struct gsim_collective c = {0};
    uint32_t bytes = type_bytes(words->type);
    while (k < sizeof kinds / sizeof kinds[0] && !gsim_value_is_text(words->name, kinds[k].name)) k++;
    if (k == sizeof kinds / sizeof kinds[0]) return GSIM_OK;
    double count = count_of(kinds[k].is_out ? words->out_count : words->in_count);
    if (!(count > 0) || !bytes) return GSIM_OK;
    c.kind = kinds[k].kind;
    c.bytes = gsim_whole_u64(count) * bytes;
    c.communicator = communicator_of(words->group_name);
    enum gsim_status status = read_group(r, words->group, &c);
    if (status) return status;
    if (gsim_collective_is_pair(c.kind)) {
        const char *peer = gsim_value_digits(c.kind == GSIM_COLLECTIVE_SEND ? words->to : words->from);
        double index = peer ? gsim_scan_number(peer) : -1;
        if (!(index < GSIM_LIMIT_RANKS)) index = -1; /* not given: of two ranks the other one */
        uint32_t *pair = GSIM_ARENA_ARRAY(&r->arena, uint32_t, 3);
        if (!pair) return gsim_no_memory(r->error);
        if (index < 0 && c.group_count != 2) return GSIM_OK;
        pair[0] = index >= 0 ? gsim_whole_u32(index) : UINT32_MAX;
        if (c.group_count == 2) pair[1] = c.group[0], pair[2] = c.group[1];
        c.group = pair;
        c.group_count = 2;
    }
    if (gsim_array_grow(&r->collectives, sizeof *r->collectives, r->collective_count, &r->collective_room))
        return gsim_no_memory(r->error);
    work->is_collective = true;
    work->bytes = r->collective_count;
    r->collectives[r->collective_count++] = c;
    r->notes->collectives++;
    return GSIM_OK;
}

struct gsim_collective gsim_records_collective(const struct gsim_records *r, const struct gsim_activity *work,
                                               uint32_t channels, uint32_t group[2])
{
    struct gsim_collective c = r->collectives[work->bytes];
    c.channels = channels;
    if (gsim_collective_is_pair(c.kind)) { /* from, to */
        uint32_t own = r->notes->rank, other = c.group[0];
        if (other == UINT32_MAX) other = c.group[1] == own ? c.group[2] : c.group[1];
        bool sends = c.kind == GSIM_COLLECTIVE_SEND;
        group[0] = sends ? own : other;
        group[1] = sends ? other : own;
        c.group = group;
        c.communicator = 0;
        return c;
    }
    bool is_all = c.group_count && c.group_count == r->notes->world;
    for (uint32_t i = 0; i < c.group_count && is_all; i++) is_all = c.group[i] == i;
    if (is_all) c.group_count = 0;
    return c;
}

/* --- gradients --- */

#define ACCUMULATES "torch::autograd::AccumulateGrad"
#define ENGINE      "autograd::engine::evaluate_function: " ACCUMULATES

/* Of "[[1024, 4096], ...]" the first list's product. */
static uint64_t elements_of(const char *dims)
{
    double elements = 1;
    const char *at = dims ? strchr(dims, '[') : NULL;
    if (!at || at[1] != '[') return 0;
    for (at += 2; *at && *at != ']';) {
        char *rest;
        double size = strtod(at, &rest);
        if (rest == at) return 0;
        elements *= size;
        at = rest + strspn(rest, ", ");
    }
    return elements >= 1 && elements < (double)GSIM_LIMIT_BYTES ? gsim_whole_u64(elements) : 0;
}

enum gsim_status gsim_records_add_gradient(struct gsim_records *r, const char *name, int64_t start_ns, int64_t end_ns,
                                           const char *dims)
{
    bool is_engine = strcmp(name, ENGINE) == 0;
    if (!is_engine && strcmp(name, ACCUMULATES) != 0) return GSIM_OK;
    const struct gsim_gradient gradient = {start_ns, end_ns, is_engine ? 0 : elements_of(dims)};
    if (!is_engine && !gradient.elements) return GSIM_OK;
    return GSIM_ADD(r->error, r->gradients, r->gradient_count, r->gradient_room, gradient);
}

GSIM_ORDER(by_ready, struct gsim_ready_gradient, GSIM_UP(ready_us))

enum gsim_status gsim_records_keep_gradients(const struct gsim_records *r, int64_t origin_ns)
{
    struct gsim_import_times *times = r->options->times;
    for (uint32_t i = 0; i < r->gradient_count; i++) {
        const struct gsim_gradient *g = &r->gradients[i];
        int64_t ready_ns = g->end_ns;
        for (uint32_t j = 0; j < r->gradient_count && g->elements; j++) {
            const struct gsim_gradient *engine = &r->gradients[j];
            if (!engine->elements && engine->start_ns <= g->start_ns && engine->end_ns >= g->end_ns)
                ready_ns = engine->end_ns;
        }
        if (!g->elements) continue;
        if (!GSIM_APPEND(times->gradients, times->gradient_count, times->gradient_room,
                         (struct gsim_ready_gradient){(double)(ready_ns - origin_ns) / 1e3, g->elements}))
            return gsim_no_memory(r->error);
    }
    if (times->gradient_count) qsort(times->gradients, times->gradient_count, sizeof *times->gradients, by_ready);
    return GSIM_OK;
}
