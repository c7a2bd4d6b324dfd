/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much of the host's time is the profiler's own: PyTorch's profiler and the observer of an execution trace make an operator of 2 us
 * take 10 to 60, so that an eager run is five times as long under them. Between two calls the host is taken to need what its operators
 * and the call need without a profiler; what it took beyond that is the profiler's, up to what that can take.
 */
#include <stdlib.h>

#include "traces/import/records/overhead.h"

/* Six models, eager, on the host of an H100: for each operator, for one that Python calls, and for each launch. */
#define OPERATOR_NS 1400
#define LAUNCH_NS   6500
#define ROOT_NS     8200
/* At most, for each operator and for the call: what is longer is the program's own work. */
#define MOST_NS 60000

static int compare_events(const void *left, const void *right)
{
    const struct gsim_host_event *a = left, *b = right;
    if (a->start_ns != b->start_ns) return a->start_ns < b->start_ns ? -1 : 1;
    return (a->length_ns > b->length_ns) - (a->length_ns < b->length_ns);
}

enum gsim_status gsim_records_add_host_event(struct gsim_records *r, const struct gsim_host_event *event)
{
    void *events = r->host_events;
    if (!r->options->removes_overhead) return GSIM_OK;
    if (r->host_event_count == UINT32_MAX || gsim_array_grow(&events, sizeof *r->host_events, r->host_event_count, &r->host_event_room))
        return gsim_error_set(r->error, GSIM_NOMEM, "out of memory");
    r->host_events = events;
    r->host_events[r->host_event_count++] = *event;
    return GSIM_OK;
}

bool gsim_overhead_init(struct gsim_overhead *o, const struct gsim_records *records)
{
    *o = (struct gsim_overhead){.records = records, .since_ns = INT64_MIN, .root_ns = INT64_MIN};
    if (!records->host_event_count) return true;
    o->events = gsim_alloc(sizeof *o->events * records->host_event_count);
    if (!o->events) return false;
    for (uint32_t i = 0; i < records->host_event_count; i++) o->events[i] = records->host_events[i];
    qsort(o->events, records->host_event_count, sizeof *o->events, compare_events);
    return true;
}

void gsim_overhead_release(struct gsim_overhead *o) { gsim_free(o->events); }

/* The profiler's own time since the last step, of GAP_NS that the host took; LAUNCHES: the step is a launch. */
static int64_t overhead_of(struct gsim_overhead *o, int64_t until_ns, int64_t gap_ns)
{
    int64_t needed_ns = LAUNCH_NS, most_ns = MOST_NS;
    for (; o->next < o->records->host_event_count && o->events[o->next].start_ns < until_ns; o->next++) {
        const struct gsim_host_event *event = &o->events[o->next];
        most_ns += event->is_pause ? event->length_ns : MOST_NS;
        if (event->is_pause) continue;
        needed_ns += OPERATOR_NS + (event->start_ns >= o->root_ns ? ROOT_NS : 0);
        if (event->start_ns >= o->root_ns) o->root_ns = event->start_ns + event->length_ns;
    }
    int64_t overhead_ns = gap_ns - needed_ns;
    if (overhead_ns > most_ns) overhead_ns = most_ns;
    return overhead_ns > 0 ? overhead_ns : 0;
}

int64_t gsim_overhead_before(struct gsim_overhead *o, const struct gsim_step *step, int64_t time_ns)
{
    if (!o->events) return 0;
    int64_t from_ns = o->since_ns, end_ns = time_ns;
    bool is_first = from_ns == INT64_MIN;
    if (step->kind == GSIM_STEP_SYNC && o->records->calls[step->index].end_ns > end_ns) end_ns = o->records->calls[step->index].end_ns;
    int64_t overhead_ns = is_first ? 0 : overhead_of(o, time_ns, time_ns - from_ns);
    if (is_first) {
        while (o->next < o->records->host_event_count && o->events[o->next].start_ns < time_ns) o->next++;
    }
    if (step->kind != GSIM_STEP_WAIT) o->since_ns = end_ns;
    o->records->notes->overhead_us += (double)overhead_ns / 1e3;
    return overhead_ns;
}
