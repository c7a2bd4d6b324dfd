/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a recording of gpusim trace says beside PyTorch's events (traces/tracer): what recording cost, and when the
 * host had waited, with it and, in a second run, without. The waits tie the two runs' times together.
 */
#include <stdlib.h>
#include <string.h>

#include "gpusim/limits.h"
#include "sim/base/first.h"
#include "gpusim/order.h"
#include "sim/base/scan.h"
#include "traces/import/pytorch/kineto_header.h"
#include "traces/import/records/records.h"
#include "traces/import/values.h"

void gsim_recorded_release(struct gsim_recorded *recorded)
{
    void *const all[] = {recorded->waited[0].ns, recorded->waited[1].ns, recorded->launched,    recorded->edges,
                         recorded->copies,       recorded->priorities,   recorded->allocations, recorded->pointers};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) gsim_free(all[i]);
}

void gsim_recorded_costs(struct gsim_records *r, const char *text)
{
    r->recorded.cost.call_ns = gsim_value_number(gsim_value_member(text, "call_ns"), 0);
    r->recorded.cost.launch_ns = gsim_value_number(gsim_value_member(text, "launch_ns"), 0);
    r->recorded.cost.is_known = r->recorded.cost.call_ns > 0 && r->recorded.cost.call_ns < 1e5;
}

static enum gsim_status add_launched(struct gsim_records *r, int64_t ns, const char *name)
{
    if (gsim_array_grow(&r->recorded.launched, sizeof *r->recorded.launched, r->recorded.launched_count,
                        &r->recorded.launched_room))
        return gsim_no_memory(r->error);
    uint64_t function = name && *name == '"' ? strtoull(name + 1, NULL, 16) : 0;
    r->recorded.launched[r->recorded.launched_count++] = (struct gsim_launched){ns, function};
    return GSIM_OK;
}

static enum gsim_status add_pair(struct gsim_records *r, const char *args)
{
    const char *from = gsim_value_member(args, "from"), *node = gsim_value_member(args, "node");
    struct gsim_graph_pair pair = {gsim_whole_u64(gsim_value_number(from ? from : node, 0)),
                                   gsim_whole_u64(gsim_value_number(gsim_value_member(args, from ? "to" : "of"), 0))};
    struct gsim_graph_pair **all = from ? &r->recorded.edges : &r->recorded.copies;
    uint32_t *count = from ? &r->recorded.edge_count : &r->recorded.copy_count;
    if (gsim_array_grow(all, sizeof **all, *count, from ? &r->recorded.edge_room : &r->recorded.copy_room))
        return gsim_no_memory(r->error);
    (*all)[(*count)++] = pair;
    return GSIM_OK;
}

static enum gsim_status add_priority(struct gsim_records *r, const char *args)
{
    double priority = gsim_value_number(gsim_value_member(args, "priority"), 0);
    if (priority == 0 || !(fabs(priority) <= GSIM_LIMIT_PRIORITY)) return GSIM_OK;
    return GSIM_ADD(r->error, r->recorded.priorities, r->recorded.priority_count, r->recorded.priority_room,
                    (struct gsim_priority){gsim_whole_u32(gsim_value_number(gsim_value_member(args, "context"), 0)),
                                           gsim_whole_int(priority),
                                           gsim_whole_u64(gsim_value_number(gsim_value_member(args, "stream"), 0))});
}

GSIM_ORDER(compare_edges, struct gsim_graph_pair, GSIM_UP(to) GSIM_UP(from))

GSIM_ORDER(compare_copies, struct gsim_graph_pair, GSIM_UP(from) GSIM_UP(to))

void gsim_recorded_sort(struct gsim_records *r)
{
    if (r->recorded.edge_count)
        qsort(r->recorded.edges, r->recorded.edge_count, sizeof *r->recorded.edges, compare_edges);
    if (r->recorded.copy_count)
        qsort(r->recorded.copies, r->recorded.copy_count, sizeof *r->recorded.copies, compare_copies);
}

static enum gsim_status add_waited(struct gsim_records *r, int64_t ns, const char *name)
{
    struct gsim_waited *w = &r->recorded.waited[gsim_value_is_text(name, "untraced")];
    return GSIM_ADD(r->error, w->ns, w->count, w->room, ns);
}

/* What is no event of PyTorch's, at TEXT: the header, a stream, memory, pointers, part of a graph, the end of a wait, a
 * launch of the run without recording. */
enum gsim_status gsim_recorded_meta(struct gsim_records *r, const char *text)
{
    const char *category = gsim_value_member(text, "cat"), *args = gsim_value_member(text, "args"),
               *digits = gsim_value_digits(gsim_value_member(text, "ts")), *name = gsim_value_member(text, "name");
    struct gsim_scan_text key;
    if (gsim_value_is_text(category, "launched") && digits) return add_launched(r, gsim_value_ns(digits), name);
    if (gsim_value_is_text(category, "waited") && digits) return add_waited(r, gsim_value_ns(digits), name);
    if (!args || *args != '{') return GSIM_OK;
    if (gsim_value_is_text(category, "pointers")) return gsim_recorded_pointers(r, text);
    if (gsim_value_is_text(category, "memory")) return gsim_recorded_memory(r, text);
    if (gsim_value_is_text(category, "graph")) return add_pair(r, args);
    if (gsim_value_is_text(category, "stream")) return add_priority(r, args);
    if (gsim_value_is_text(category, "gpusim")) GSIM_SCAN_EACH(value, args, &key)
        {
            char member[32];
            gsim_kineto_header(r, gsim_scan_key(&key, member, sizeof member), value);
        }
    return GSIM_OK;
}

/* A call, with those of the driver that it made, as so many host events; launches count again. */
enum gsim_status gsim_recorded_call(struct gsim_records *r, const struct gsim_host_event *event, const char *name,
                                    const char *args)
{
    char text[96];
    double inner = gsim_value_number(gsim_value_member(args, "inner"), 0);
    struct gsim_host_event more = {event->start_ns, 0, GSIM_NO_NAME, GSIM_HOST_CALL};
    enum gsim_status status = gsim_records_add_host_event(r, event);
    for (int i = 0; i < inner && i < 64 && status == GSIM_OK; i++) status = gsim_records_add_host_event(r, &more);
    if (!name || *name != '"' || !gsim_scan_string(name, text, sizeof text)) return status;
    enum gsim_call_kind kind = gsim_records_call_kind(text);
    more.kind = GSIM_HOST_LAUNCH;
    bool launches =
        kind == GSIM_CALL_LAUNCH || kind == GSIM_CALL_COPY || strstr(text, "emcpy") || strstr(text, "emset");
    return status == GSIM_OK && launches ? gsim_records_add_host_event(r, &more) : status;
}

/* The time of the run without recording at NS of the other; between two waits in proportion. */
static double without(const struct gsim_records *r, int64_t ns)
{
    const struct gsim_waited *with = &r->recorded.waited[0], *plain = &r->recorded.waited[1];
    uint32_t low = 0, high = with->count - 1;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (with->ns[middle] <= ns) low = middle;
        else high = middle;
    }
    double from = (double)with->ns[low], length = (double)with->ns[low + 1] - from,
           plain_length = (double)(plain->ns[low + 1] - plain->ns[low]);
    return (double)(plain->ns[low] - plain->ns[0]) + ((double)ns - from) * (length > 0 ? plain_length / length : 1);
}

GSIM_ORDER_OF(compare, double)

/* --- by launches, where the host does not wait for each step --- */
/* A launch of the recording. */
struct launch {
    int64_t ns;
    uint32_t name, call; /* of its kernel, plus one; 0: not known, as a graph's */
};

GSIM_ORDER(compare_launches, struct launch, GSIM_UP(ns) GSIM_UP(call))

/* In order of time; how many stand in COUNT. NULL: out of memory. */
static struct launch *list_launches(const struct gsim_records *r, uint32_t *count)
{
    struct launch *all = gsim_alloc(sizeof *all * ((size_t)r->call_count + 1));
    uint32_t *names = gsim_alloc(sizeof *names * ((size_t)r->call_count + 1));
    for (uint32_t i = 0; names && i < r->call_count; i++) names[i] = 0;
    for (uint32_t i = 0; names && i < r->work_count; i++)
        if (r->works[i].call != GSIM_NO_CALL) names[r->works[i].call] = r->shapes[r->works[i].shape].name + 1;
    *count = 0;
    for (uint32_t i = 0; all && names && i < r->call_count; i++) {
        bool is_graph = r->calls[i].kind == GSIM_CALL_GRAPH;
        if (is_graph || r->calls[i].kind == GSIM_CALL_LAUNCH)
            all[(*count)++] = (struct launch){r->calls[i].start_ns, is_graph ? 0 : names[i], i};
    }
    if (names && *count) qsort(all, *count, sizeof *all, compare_launches);
    if (!names) gsim_free(all);
    gsim_free(names);
    return names ? all : NULL;
}

#define FUNCTIONS 4096 /* distinct kernels that are told apart */
struct function {
    uint64_t id;
    uint32_t name;
};

/* Whether ID was seen with no other NAME; 0: not known. */
static bool is_same(struct function known[FUNCTIONS], uint64_t id, uint32_t name)
{
    uint32_t at = (uint32_t)(id * 0x9e3779b97f4a7c15u >> 52), tries = 0;
    while (known[at].id && known[at].id != id && tries++ < FUNCTIONS) at = (at + 1) % FUNCTIONS;
    if (!name || tries > FUNCTIONS) return true;
    if (!known[at].id) known[at] = (struct function){id, name};
    return known[at].name == name;
}

/* How many of the last launches are the same in both runs: a function of the one is a kernel of the other. */
static uint32_t count_alike(const struct gsim_records *r, const struct launch *all, uint32_t count)
{
    static const struct function none;
    struct function *known = gsim_alloc(sizeof *known * FUNCTIONS);
    uint32_t alike = 0;
    for (uint32_t i = 0; known && i < FUNCTIONS; i++) known[i] = none;
    for (; known && alike < count && alike < r->recorded.launched_count; alike++) {
        const struct launch *ours = &all[count - 1 - alike];
        uint64_t id = r->recorded.launched[r->recorded.launched_count - 1 - alike].function;
        if ((r->calls[ours->call].kind == GSIM_CALL_GRAPH) != !id) break;
        if (id && !is_same(known, id, ours->name)) break;
    }
    gsim_free(known);
    return alike;
}

/* When the run without recording made the first launch at NS or later of the other; 0: not known. */
static int64_t launched_at(const struct gsim_records *r, const struct launch *all, uint32_t count, uint32_t alike,
                           int64_t ns)
{
    GSIM_FIRST (low, count, middle, all[middle].ns < ns)
    return low < count && count - low <= alike ? r->recorded.launched[r->recorded.launched_count - (count - low)].ns
                                               : 0;
}

/* Each step from its first launch to that of the next. Returns how many stand in US. */
static enum gsim_status time_by_launches(const struct gsim_records *r, const struct gsim_trace_steps *found, double *us,
                                         uint32_t *timed)
{
    uint32_t count;
    struct launch *all = list_launches(r, &count);
    if (!all) return gsim_no_memory(r->error);
    uint32_t alike = count_alike(r, all, count);
    for (uint32_t i = 1; i + 1 < found->count; i++) {
        int64_t from = launched_at(r, all, count, alike, found->steps[i].start_ns),
                to = launched_at(r, all, count, alike, found->steps[i + 1].start_ns);
        if (from && to > from) us[(*timed)++] = (double)(to - from) / 1e3;
    }
    gsim_free(all);
    return GSIM_OK;
}

static void time_by_waits(const struct gsim_records *r, const struct gsim_trace_steps *found, double *us,
                          uint32_t *timed)
{
    const struct gsim_waited *with = &r->recorded.waited[0];
    for (uint32_t i = 1; i < found->count; i++) {
        const struct gsim_trace_step *step = &found->steps[i];
        if (step->start_ns < with->ns[0] || step->end_ns > with->ns[with->count - 1] + GSIM_SKEW_NS) continue;
        us[(*timed)++] = (without(r, step->end_ns) - without(r, step->start_ns)) / 1e3;
    }
}

/* What steps take without recording: the median of all but the first. */
enum gsim_status gsim_recorded_steps(const struct gsim_records *r, struct gsim_trace_steps *found)
{
    uint32_t waits = r->recorded.waited[1].count, count = 0;
    bool by_waits = waits > 1 && waits == r->recorded.waited[0].count && found->by == GSIM_STEPS_WAITS;
    if ((!waits && !r->recorded.launched_count) || found->count < 2) return GSIM_OK;
    double *us = gsim_alloc(sizeof *us * found->count);
    if (!us) return gsim_no_memory(r->error);
    enum gsim_status status = GSIM_OK;
    if (by_waits) time_by_waits(r, found, us, &count);
    else status = time_by_launches(r, found, us, &count);
    if (count) qsort(us, count, sizeof *us, compare);
    if (count) found->untraced_us = count % 2 ? us[count / 2] : (us[count / 2 - 1] + us[count / 2]) / 2;
    r->notes->unlike_runs = count == 0;
    gsim_free(us);
    return status;
}
