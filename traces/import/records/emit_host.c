/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traces/import/records/emitter.h: the host's time between calls and within them. */
#include "gpusim/timeline.h"
#include "traces/import/records/emitter.h"

#define SMALLEST_GAP_NS 500   /* shorter gaps stay with the next one: their sum is not lost */
#define LATE_NS         5000  /* a wait that returns so much later than the model's has time of its own */
#define SMALL_OWN_NS                                                                                                   \
    10000 /* of an application without a framework: the loop around its launches, which a graph saves */

/* The host works for so long; first of all it waits for what it waits for. */
static void add_host(struct gsim_emitter *e, int64_t ns, const char *what, bool is_saved)
{
    bool is_needed = e->host_waits != GSIM_EMIT_NONE && e->is_needed;
    e->is_woken |= e->host_waits != GSIM_EMIT_NONE;
    gsim_emit_take(e, &e->host_waits);
    e->is_needed = false;
    (void)gsim_emit_op(e, &(struct gsim_op){.kind = GSIM_OP_HOST_COMPUTE,
                                      .host_us = (double)ns / 1e3,
                                      .what = what,
                                      .overhead = is_saved,
                                      .needed = is_needed,
                                      .stream = -1});
}

/* A graph does without what a launch took longer than launches do, unless it is one already and the profiler's share is
 * kept. */
static void add_owned(struct gsim_emitter *e, const struct gsim_host_span *owner)
{
    char what[GSIM_OWNER_TEXT];
    bool is_saved = (!e->has_nodes || e->overhead.events) && gsim_owner_is_saved(e->records, owner);
    gsim_owner_text(e->records, owner, what);
    add_host(e, owner->end_ns - owner->start_ns, what, is_saved);
}

/* Between calls: a framework's time, which a graph saves, but not behind a wait, where the host may use what it waited
 * for. */
static void add_rest(struct gsim_emitter *e, int64_t ns)
{
    bool is_loop = e->records->has_framework || ns < SMALL_OWN_NS;
    add_host(e, ns, e->records->has_framework ? NULL : GSIM_HOST_OWN,
             is_loop && e->host_waits == GSIM_EMIT_NONE && !e->is_woken && !e->is_graph);
}

/* Before a call of THREAD at TIME: the host's own work since the last call, and what it waited for before that. */
void gsim_emit_pass_time(struct gsim_emitter *e, uint64_t thread, int64_t time_ns)
{
    int64_t gap = time_ns - e->cursor_ns, removed = gap < e->removed_ns ? gap : e->removed_ns;
    struct gsim_host_span owner;
    e->host_thread = thread;
    if (removed > 0) e->cursor_ns += removed, gap -= removed;
    e->removed_ns = 0;
    bool works = e->options->gaps && gap > SMALLEST_GAP_NS;
    if (!works && e->host_waits != GSIM_EMIT_NONE) add_host(e, 0, NULL, false);
    while (works && gsim_records_next_owner(e->records, thread, e->cursor_ns, time_ns, &owner)) {
        if (owner.start_ns > e->cursor_ns + SMALLEST_GAP_NS) add_rest(e, owner.start_ns - e->cursor_ns);
        else owner.start_ns = e->cursor_ns;
        add_owned(e, &owner);
        e->cursor_ns = owner.end_ns;
    }
    if (works && time_ns > e->cursor_ns) add_rest(e, time_ns - e->cursor_ns);
    if (works) e->cursor_ns = time_ns;
}

/* CALL returned at its end, a replay returns at BACK from what it waits for: what is more is the call's own time. */
void gsim_emit_return(struct gsim_emitter *e, const struct gsim_call *call, int64_t back_ns, enum gsim_span_owner owner)
{
    if (back_ns < call->start_ns) back_ns = call->start_ns;
    e->cursor_ns = back_ns;
    if (!e->options->gaps || call->end_ns - back_ns < LATE_NS) return;
    add_owned(e, &(struct gsim_host_span){back_ns, call->end_ns, call->thread, call->name, owner});
    e->cursor_ns = call->end_ns;
}

