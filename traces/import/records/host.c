/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whose the host's time is: of a call that takes long, of a data loader, annotation or operator during which the thread
 * launches nothing; all else is the framework's, or the program's own where there is no framework. Read by
 * traces/import/records/emit.c.
 */
#include <stdlib.h>
#include <string.h>

#include "gpusim/timeline.h"
#include "sim/base/first.h"
#include "gpusim/order.h"
#include "traces/import/records/host.h"

#define LONG_CALL_NS     20000   /* calls below take what calls take, but those that launch, as often as they come */
#define LONG_LAUNCH_NS                                                                                                 \
    100000 /* a launch that takes longer is no launch as others are: its module is loaded, a queue is full */
#define WARM_UP_NS       1000000 /* calls of a framework below are made once: later iterations do without */
#define LONG_NAMED_NS    20000   /* what the program names by itself */
#define LONG_OPERATOR_NS 1000000 /* operators and Python's functions that compute on the host */
#define MIN_PIECE_NS     5000    /* of a gap: less is not told apart */
#define MIN_LAUNCH_NS    1000    /* of a call that launches or copies, beyond what the replay charges */
#define MIN_PART_NS      500     /* of a launch, where it is in several parts */

GSIM_ORDER(compare_spans, struct gsim_host_span,
           GSIM_UP(thread) GSIM_UP(start_ns) GSIM_DOWN(end_ns) GSIM_UP(owner) GSIM_UP(name))

static enum gsim_status add_span(struct gsim_records *r, const struct gsim_host_span *span)
{
    if (r->span_count == UINT32_MAX || !GSIM_APPEND(r->spans, r->span_count, r->span_room, *span))
        return gsim_no_memory(r->error);
    return GSIM_OK;
}

/* Not what waits, or may: what it waits for is another question. */
static bool may_own(enum gsim_call_kind kind)
{
    return kind != GSIM_CALL_SYNC_DEVICE && kind != GSIM_CALL_SYNC_STREAM && kind != GSIM_CALL_SYNC_EVENT &&
           kind != GSIM_CALL_QUERY && kind != GSIM_CALL_MAY_WAIT;
}

enum gsim_status gsim_records_add_owner(struct gsim_records *r, const struct gsim_call *call)
{
    bool is_launch = call->kind == GSIM_CALL_LAUNCH || call->kind == GSIM_CALL_GRAPH;
    return add_span(r, &(struct gsim_host_span){call->start_ns, call->end_ns, call->thread, call->name,
                                                is_launch ? GSIM_SPAN_LAUNCH : GSIM_SPAN_CALL});
}

enum gsim_status gsim_records_add_named_call(struct gsim_records *r, struct gsim_call *call, const char *name)
{
    enum gsim_status status = GSIM_OK;
    bool is_launch = call->kind == GSIM_CALL_LAUNCH || call->kind == GSIM_CALL_GRAPH;
    bool is_copy = name && strstr(name, "emcpy") && strstr(name, "Async");
    double charge_us = is_launch ? r->options->launch_us : is_copy ? r->options->memcpy_us : 0,
           least_ns = charge_us > 0 ? charge_us * 1e3 + MIN_LAUNCH_NS : LONG_CALL_NS;
    if ((double)(call->end_ns - call->start_ns) >= least_ns) {
        if (name) status = gsim_records_name(r, name, &call->name);
        call->name += name != NULL;
        if (status == GSIM_OK && may_own(call->kind)) status = gsim_records_add_owner(r, call);
    } else if (call->kind == GSIM_CALL_MAY_WAIT) {
        return GSIM_OK;
    }
    return status == GSIM_OK ? gsim_records_add_call(r, call) : status;
}

/* A data loader's time is its own however long it is. */
static bool is_loader(const char *name) { return strstr(name, "DataLoader") || strstr(name, "dataloader"); }

enum gsim_status gsim_records_add_named_span(struct gsim_records *r, const char *name, uint64_t thread,
                                             int64_t start_ns, int64_t end_ns, bool is_operator)
{
    struct gsim_host_span span = {.start_ns = start_ns, .end_ns = end_ns, .thread = thread, .owner = GSIM_SPAN_NAMED};
    int64_t least_ns = is_operator && !is_loader(name) ? LONG_OPERATOR_NS : LONG_NAMED_NS;
    r->has_framework |= is_operator;
    if (end_ns - start_ns < least_ns) return GSIM_OK;
    enum gsim_status status = gsim_records_name(r, name, &span.name);
    span.name++;
    return status == GSIM_OK ? add_span(r, &span) : status;
}

enum gsim_status gsim_records_add_read(struct gsim_records *r, int64_t time_ns)
{
    if (r->read_count == UINT32_MAX || !GSIM_APPEND(r->reads, r->read_count, r->read_room, time_ns))
        return gsim_no_memory(r->error);
    return GSIM_OK;
}

GSIM_ORDER_OF(compare_reads, int64_t)

bool gsim_records_reads_within(const struct gsim_records *r, int64_t from_ns, int64_t to_ns)
{
    GSIM_FIRST (low, r->read_count, middle, r->reads[middle] < from_ns)
    return low < r->read_count && r->reads[low] <= to_ns;
}

/* --- the spans that own time --- */
struct begun {
    uint64_t thread;
    int64_t start_ns;
};

GSIM_ORDER(compare_begun, struct begun, GSIM_UP(thread) GSIM_UP(start_ns))

/* Whether the thread of SPAN begins a call within it that makes works or waits. */
static bool holds_calls(const struct begun *calls, uint32_t count, const struct gsim_host_span *span)
{
    GSIM_FIRST (low, count, middle, compare_begun(&calls[middle], &(struct begun){span->thread, span->start_ns}) < 0)
    return low < count && calls[low].thread == span->thread && calls[low].start_ns < span->end_ns;
}

/* Kernels that only frameworks launch: traces without operators (Nsight Systems') have these. */
static bool has_framework_kernels(const struct gsim_records *r)
{
    static const char *const parts[] = {"at::native",   "at::cuda", "c10::",  "triton_",
                                        "tensorflow::", "xla::",    "Eigen::"};
    for (uint32_t i = 0; i < r->shape_count; i++)
        for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
            if (strstr(r->names[r->shapes[i].name], parts[k])) return true;
    return false;
}

bool gsim_records_is_range(const char *name)
{
    static const char *const beginnings[] = {"\"triton_", "\"Torch-Compiled", "\"TorchDynamo",
                                             "\"## Call", "\"Pregraph",       "\"AOTDispatcher"};
    for (size_t i = 0; name && i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0) return true;
    return false;
}

enum gsim_status gsim_records_find_owners(struct gsim_records *r)
{
    struct begun *calls = r->span_count ? gsim_alloc(sizeof *calls * ((size_t)r->call_count + 1)) : NULL;
    uint32_t count = 0, kept = 0;
    r->has_framework = r->has_framework || has_framework_kernels(r);
    gsim_records_sort_products(r);
    if (r->read_count) qsort(r->reads, r->read_count, sizeof *r->reads, compare_reads);
    if (!r->span_count) return GSIM_OK;
    if (!calls) return gsim_no_memory(r->error);
    for (uint32_t i = 0; i < r->call_count; i++) {
        enum gsim_call_kind kind = r->calls[i].kind;
        bool counts = kind == GSIM_CALL_LAUNCH || kind == GSIM_CALL_GRAPH || kind == GSIM_CALL_COPY ||
                      kind >= GSIM_CALL_SYNC_DEVICE;
        if (counts) calls[count++] = (struct begun){r->calls[i].thread, r->calls[i].start_ns};
    }
    if (count) qsort(calls, count, sizeof *calls, compare_begun);
    qsort(r->spans, r->span_count, sizeof *r->spans, compare_spans);
    for (uint32_t i = 0; i < r->span_count; i++) {
        const struct gsim_host_span *span = &r->spans[i], *before = kept ? &r->spans[kept - 1] : NULL;
        bool is_named = span->owner == GSIM_SPAN_NAMED;
        if (is_named && holds_calls(calls, count, span)) continue;
        if (before && before->thread == span->thread && before->end_ns >= span->end_ns)
            continue; /* within another one */
        r->spans[kept++] = *span;
    }
    r->span_count = kept;
    gsim_free(calls);
    return GSIM_OK;
}

bool gsim_records_next_owner(const struct gsim_records *r, uint64_t thread, int64_t from_ns, int64_t to_ns,
                             struct gsim_host_span *owner)
{
    uint32_t low = 0, high = r->span_count;
    while (low < high) { /* the first of the thread that ends behind FROM: ends are in order */
        uint32_t middle = low + (high - low) / 2;
        const struct gsim_host_span *span = &r->spans[middle];
        if (span->thread < thread || (span->thread == thread && span->end_ns <= from_ns)) low = middle + 1;
        else high = middle;
    }
    for (; low < r->span_count && r->spans[low].thread == thread && r->spans[low].start_ns < to_ns; low++) {
        *owner = r->spans[low];
        if (owner->start_ns < from_ns) owner->start_ns = from_ns;
        if (owner->end_ns > to_ns) owner->end_ns = to_ns;
        if (owner->end_ns - owner->start_ns >= (owner->owner == GSIM_SPAN_LAUNCH ? MIN_PART_NS : MIN_PIECE_NS))
            return true;
    }
    return false;
}

void gsim_owner_text(const struct gsim_records *r, const struct gsim_host_span *owner, char text[GSIM_OWNER_TEXT])
{
    static const char *const beginnings[] = {[GSIM_SPAN_LAUNCH] = GSIM_HOST_IN_LAUNCH,
                                             [GSIM_SPAN_CALL] = GSIM_HOST_IN_CALL,
                                             [GSIM_SPAN_WAIT] = GSIM_HOST_IN_WAIT,
                                             [GSIM_SPAN_NAMED] = GSIM_HOST_NAMED};
    static const char *const unnamed[] = {[GSIM_SPAN_LAUNCH] = "of a kernel", [GSIM_SPAN_CALL] = "without a name",
                                          [GSIM_SPAN_WAIT] = "for the GPU", [GSIM_SPAN_NAMED] = "a range"};
    snprintf(text, GSIM_OWNER_TEXT, "%s%.220s", beginnings[owner->owner],
             owner->name ? r->names[owner->name - 1] : unnamed[owner->owner]);
}

/* A graph that is captured does without a launch that takes somewhat longer than others, and without what a framework
 * calls while it warms up: its allocator, the first launch under a profiler. */
bool gsim_owner_is_saved(const struct gsim_records *r, const struct gsim_host_span *owner)
{
    int64_t ns = owner->end_ns - owner->start_ns;
    if (owner->owner == GSIM_SPAN_LAUNCH) return ns < (r->has_framework ? WARM_UP_NS : LONG_LAUNCH_NS);
    return owner->owner == GSIM_SPAN_CALL && r->has_framework && ns < WARM_UP_NS;
}
