/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much of the host's time is the profiler's own. PyTorch's profiler makes a host's step 1.1 to 1.9 times as long:
 * it takes time for each operator, call and function of Python that it records, and what the host does between them is
 * slower. The observer of an execution trace takes five times the program's own time: there the host is taken to need
 * what its operators and launches need without a profiler. Costs and their spread: docs/steps.md.
 */
#include <math.h>
#include <stdlib.h>

#include "gpusim/order.h"

#include "traces/import/records/overhead.h"

/* 60 traces of 40 programs whose steps were timed without a profiler, too: half of what each recorded event costs where
 * the launch call takes LAUNCH_NS, and half of the share that steps are longer, which predicts them better than either
 * alone. */
#define OPERATOR_NS    720
#define RANGE_NS       3300 /* more for an operator that Python records: torch.compile's */
#define CALL_NS        470
#define FUNCTION_NS    525  /* functions of Python */
#define SHARE          0.125
#define FIRST_SHARE    0.25  /* of the first step, in which the profiler fills its tables */
#define SLOWED_NS      20000 /* for each event, what lies between them: more is work that nothing records */
#define MOST           0.6   /* of the time between two steps */
#define LAUNCH_NS      4600
#define SLOWER         1.5 /* the costs grow by that power of the launch calls' lengths */
/* 15 traces with an execution trace beside them: what the host needs where the observer makes an operator without
 * others take LEAF_NS. */
#define OPERATOR_NEEDS 2010
#define LAUNCH_NEEDS   11910
#define LEAF_NS        9000
#define OBSERVED_NS    60000 /* at most, for each operator and for the call: what is longer is the program's own work */
#define XLA            2 /* times as much by XLA's profiler, which traces Python, too: 4 programs */
#define MIN_KNOWN      8 /* launches or operators, of which the pace is known */

GSIM_ORDER(compare_events, struct gsim_host_event, GSIM_UP(start_ns) GSIM_UP(length_ns))

enum gsim_status gsim_records_add_host_event(struct gsim_records *r, const struct gsim_host_event *event)
{
    if (r->host_event_count == UINT32_MAX ||
        gsim_array_grow(&r->host_events, sizeof *r->host_events, r->host_event_count, &r->host_event_room))
        return gsim_no_memory(r->error);
    r->host_events[r->host_event_count++] = *event;
    return GSIM_OK;
}

GSIM_ORDER_OF(compare_lengths, int64_t)

/* Lengths of launch calls; where operators are observed, of those that hold nothing. Returns how many. */
static uint32_t collect_lengths(const struct gsim_overhead *o, int64_t *lengths)
{
    const struct gsim_records *r = o->records;
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->call_count && !r->is_observed; i++)
        if (r->calls[i].kind == GSIM_CALL_LAUNCH) lengths[count++] = r->calls[i].end_ns - r->calls[i].start_ns;
    for (uint32_t i = 0; i < r->host_event_count && r->is_observed; i++) {
        const struct gsim_host_event *event = &o->events[i];
        bool is_leaf = i + 1 == r->host_event_count || event[1].start_ns >= event->start_ns + event->length_ns;
        if (gsim_host_is_operator(event) && is_leaf) lengths[count++] = event->length_ns;
    }
    return count;
}

/* Their lower quartile, beside that of the hosts which the costs are of. */
static bool find_pace(struct gsim_overhead *o)
{
    size_t most = o->records->is_observed ? o->records->host_event_count : o->records->call_count;
    int64_t *lengths = gsim_alloc(sizeof *lengths * (most + 1));
    if (!lengths) return false;
    uint32_t count = collect_lengths(o, lengths);
    if (count) qsort(lengths, count, sizeof *lengths, compare_lengths);
    o->pace = count < MIN_KNOWN ? 1 : (double)lengths[count / 4] / (o->records->is_observed ? LEAF_NS : LAUNCH_NS);
    if (!o->records->is_observed)
        o->pace = pow(o->pace, SLOWER); /* part of a launch call is the GPU's driver and not the host's */
    if (o->records->is_xla) o->pace = XLA;
    if (o->pace < 0.4) o->pace = 0.4;
    if (o->pace > 2.5) o->pace = 2.5;
    gsim_free(lengths);
    return true;
}

bool gsim_overhead_init(struct gsim_overhead *o, const struct gsim_records *records, const struct gsim_steps *steps)
{
    const struct gsim_trace_steps *found = records->options->steps;
    bool is_first = !found || found->count < 2;
    *o = (struct gsim_overhead){.records = records,
                                .since_ns = steps->until_ns ? steps->from_ns : INT64_MIN,
                                .share = is_first ? FIRST_SHARE : SHARE};
    if (!records->host_event_count || !records->options->removes_overhead) return true;
    o->events = gsim_alloc(sizeof *o->events * records->host_event_count);
    if (!o->events) return false;
    for (uint32_t i = 0; i < records->host_event_count; i++) o->events[i] = records->host_events[i];
    qsort(o->events, records->host_event_count, sizeof *o->events, compare_events);
    if (!find_pace(o)) return false;
    o->has_calls_only = true;
    for (uint32_t i = 0; i < records->host_event_count; i++) {
        enum gsim_host_event_kind kind = records->host_events[i].kind;
        o->has_calls_only &= kind == GSIM_HOST_CALL || kind >= GSIM_HOST_ANNOTATION;
    }
    while (o->next < records->host_event_count && o->events[o->next].start_ns < o->since_ns) o->next++;
    return true;
}

void gsim_overhead_release(struct gsim_overhead *o) { gsim_free(o->events); }

/* What the host did in one stretch. */
struct passed {
    int64_t pause_ns;
    double operators, ranges, calls, functions, launches; /* ranges: those operators that Python records */
};

static struct passed pass(struct gsim_overhead *o, int64_t until_ns)
{
    struct passed p = {0};
    for (; o->next < o->records->host_event_count && o->events[o->next].start_ns < until_ns; o->next++) {
        const struct gsim_host_event *event = &o->events[o->next];
        p.pause_ns += event->kind == GSIM_HOST_PAUSE ? event->length_ns : 0;
        p.operators += gsim_host_is_operator(event);
        p.ranges += event->kind == GSIM_HOST_RANGE;
        p.calls += event->kind == GSIM_HOST_CALL;
        p.launches += event->kind == GSIM_HOST_LAUNCH;
        p.functions += event->kind == GSIM_HOST_FUNCTION;
    }
    return p;
}

/* The profiler's own of the GAP_NS that the host took. */
static int64_t overhead_of(const struct gsim_overhead *o, const struct passed *p, int64_t gap_ns)
{
    double gap = (double)(gap_ns - p->pause_ns), own, most = MOST * gap;
    if (gap <= 0) return gap_ns > 0 ? gap_ns : 0;
    if (o->records->recorded.cost.is_known) {
        double call_ns = o->records->recorded.cost.call_ns, launch_ns = o->records->recorded.cost.launch_ns;
        own = call_ns * p->calls + (launch_ns - call_ns) * p->launches;
    } else if (o->records->is_observed) {
        own = gap - o->pace * (OPERATOR_NEEDS * p->operators + LAUNCH_NEEDS);
        most = OBSERVED_NS * (p->operators + 1);
    } else if (o->has_calls_only && !o->records->is_xla) {
        own = o->pace * 2 * CALL_NS * p->calls;
    } else {
        double slowed = SLOWED_NS * (p->operators + p->calls + 1);
        own = (o->records->is_xla ? XLA : 1) * o->share * (gap < slowed ? gap : slowed) +
              o->pace *
                  (OPERATOR_NS * p->operators + RANGE_NS * p->ranges + CALL_NS * p->calls + FUNCTION_NS * p->functions);
    }
    if (own > most) own = most;
    return p->pause_ns + (own > 0 ? gsim_whole(own) : 0);
}

static int64_t remove_until(struct gsim_overhead *o, int64_t time_ns)
{
    const struct passed passed = pass(o, time_ns);
    int64_t overhead_ns = o->since_ns == INT64_MIN ? 0 : overhead_of(o, &passed, time_ns - o->since_ns);
    o->records->notes->overhead_us += (double)overhead_ns / 1e3;
    return overhead_ns;
}

int64_t gsim_overhead_before(struct gsim_overhead *o, const struct gsim_step *step, int64_t time_ns)
{
    int64_t end_ns = time_ns;
    if (!o->events) return 0;
    if (step->kind == GSIM_STEP_SYNC && o->records->calls[step->index].end_ns > end_ns)
        end_ns = o->records->calls[step->index].end_ns;
    int64_t overhead_ns = remove_until(o, time_ns);
    if (step->kind != GSIM_STEP_WAIT) o->since_ns = end_ns;
    return overhead_ns;
}

int64_t gsim_overhead_until(struct gsim_overhead *o, int64_t time_ns)
{
    return o->events && time_ns > o->since_ns ? remove_until(o, time_ns) : 0;
}

int64_t gsim_overhead_operator(const struct gsim_overhead *o, const struct gsim_call *call)
{
    int64_t began_ns = call->start_ns;
    for (uint32_t i = 0; o->events && i < o->records->host_event_count && o->events[i].start_ns <= call->start_ns; i++)
        if (gsim_host_is_operator(&o->events[i]) && o->events[i].start_ns + o->events[i].length_ns >= call->end_ns)
            began_ns = o->events[i].start_ns;
    return began_ns;
}
