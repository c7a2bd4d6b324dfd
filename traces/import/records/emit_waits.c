/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traces/import/records/emitter.h: what the host and streams waited for. */
#include "traces/import/records/emitter.h"

/* The latest op of STREAM that a call which returned at END_NS can have waited for. */
static uint32_t finished_by(const struct gsim_emitter *e, const struct gsim_emit_stream *stream, int64_t end_ns)
{
    uint32_t op = stream->last;
    while (op != GSIM_EMIT_NONE && op != stream->seen && e->made[op].end_ns > end_ns) op = e->made[op].before;
    return op;
}

/* Of a wait that does not say for what: the op whose end is nearest to its own, which may be a little behind it where
 * the clocks of host and GPU differ. ITS_OWN: in streams only to which its thread launched last. GSIM_EMIT_NONE: no end
 * explains how long it took. */
static uint32_t nearest_op(const struct gsim_emitter *e, const struct gsim_step *step, const struct gsim_call *call,
                           bool its_own)
{
    uint32_t best = GSIM_EMIT_NONE;
    int64_t best_ns = INT64_MAX;
    for (uint32_t s = 0; s < e->records->stream_count; s++) {
        const struct gsim_emit_stream *stream = &e->streams[s];
        uint32_t op = finished_by(e, stream, call->end_ns + GSIM_SKEW_NS);
        if (its_own && stream->thread != step->thread) continue;
        for (; op != GSIM_EMIT_NONE && op != stream->seen && e->made[op].end_ns > call->start_ns;
             op = e->made[op].before) {
            if (call->kind == GSIM_CALL_SYNC_STREAM && op != stream->last) break;
            int64_t early_ns = call->end_ns - e->made[op].end_ns, off_ns = early_ns < 0 ? -4 * early_ns : early_ns;
            if (off_ns < best_ns) {
                best_ns = off_ns;
                best = op;
            }
            if (early_ns >= 0) break; /* those before are farther off */
        }
    }
    return best;
}

/* What the call waited for, as links: of the device or a stream all that was launched, else the op that explains it
 * best, else all that had ended. */
static uint32_t find_awaited(struct gsim_emitter *e, const struct gsim_step *step, const struct gsim_call *call,
                             const struct gsim_sync *sync)
{
    uint32_t waits = GSIM_EMIT_NONE, nearest = GSIM_EMIT_NONE;
    bool is_known = call->kind == GSIM_CALL_SYNC_DEVICE || sync;
    if (!is_known) nearest = nearest_op(e, step, call, true);
    if (!is_known && nearest == GSIM_EMIT_NONE) nearest = nearest_op(e, step, call, false);
    if (nearest != GSIM_EMIT_NONE) {
        gsim_emit_wait_for(e, &waits, nearest);
        return waits;
    }
    for (uint32_t s = 0; s < e->records->stream_count && !e->failed; s++) {
        const struct gsim_emit_stream *stream = &e->streams[s];
        if (sync && sync->stream != s) continue;
        uint32_t op = is_known ? stream->last : finished_by(e, stream, call->end_ns);
        if (op != GSIM_EMIT_NONE && op != stream->seen) gsim_emit_wait_for(e, &waits, op);
    }
    for (uint32_t at = e->open; at != GSIM_EMIT_NONE && !e->failed && is_known; at = e->links[at].next)
        gsim_emit_wait_for(e, &waits, e->links[at].op);
    return waits;
}

/* The host knows of these, and of what came before them in their streams, that they are complete. */
static void note_seen(struct gsim_emitter *e, uint32_t waits)
{
    for (uint32_t at = waits; at != GSIM_EMIT_NONE && !e->failed; at = e->links[at].next) {
        uint32_t op = e->links[at].op;
        struct gsim_emit_stream *stream = &e->streams[e->made[op].stream];
        if (stream->seen == GSIM_EMIT_NONE || stream->seen < op) stream->seen = op;
        gsim_emit_wait_for(e, &e->host_waits, op);
    }
}

/* A synchronising call. Where the next launch is another thread's, only this thread's next op waits. */
/* When the host launches next. */
static int64_t next_launch(const struct gsim_emitter *e, const struct gsim_step *step)
{
    const struct gsim_step *end = e->steps->steps + e->steps->count;
    for (step++; step < end; step++)
        if (step->kind == GSIM_STEP_WORK) return step->time_ns;
    return INT64_MAX;
}

void gsim_emit_sync(struct gsim_emitter *e, const struct gsim_step *step)
{
    const struct gsim_call *call = &e->records->calls[step->index];
    const struct gsim_sync *sync = gsim_records_sync_of(e->records, call);
    int64_t last_ns = INT64_MIN, replayed_ns = INT64_MIN,
            back_ns = call->start_ns + gsim_emit_ns(e->options->sync_idle_us);
    if (call->kind != GSIM_CALL_SYNC_STREAM || (sync && sync->kind != GSIM_SYNC_STREAM)) sync = NULL;
    gsim_emit_pass_time(e, call->thread, call->start_ns);
    if (e->options->times) gsim_emit_keep_sync(e, call);
    uint32_t waits = find_awaited(e, step, call, sync);
    if (e->failed) return;
    if (waits == GSIM_EMIT_NONE && e->steps->until_ns && !e->work_count) { /* for works of the step before */
        if (e->cursor_ns < call->end_ns) e->cursor_ns = call->end_ns;
        return;
    }
    if (waits == GSIM_EMIT_NONE) {
        gsim_emit_return(e, call, back_ns > e->cursor_ns ? back_ns : e->cursor_ns, GSIM_SPAN_WAIT);
        return;
    }
    for (uint32_t at = waits; at != GSIM_EMIT_NONE; at = e->links[at].next) {
        const struct gsim_emit_made *made = &e->made[e->links[at].op];
        if (made->end_ns > last_ns) last_ns = made->end_ns;
        if (made->replayed_ns > replayed_ns) replayed_ns = made->replayed_ns;
    }
    if (step->next_thread != GSIM_NO_CALL && step->thread != GSIM_NO_CALL && step->thread != step->next_thread) {
        for (uint32_t at = waits; at != GSIM_EMIT_NONE && !e->failed; at = e->links[at].next)
            gsim_emit_wait_for(e, &e->thread_waits[step->thread], e->links[at].op);
        e->thread_back_ns[step->thread] = call->end_ns;
        return;
    }
    note_seen(e, waits);
    e->is_needed |= gsim_records_reads_within(e->records, last_ns, next_launch(e, step));
    /* A replay that is late makes up for it while it waits. */
    if (last_ns <= call->start_ns && e->cursor_ns >= call->end_ns) return;
    if (last_ns > call->start_ns) back_ns = replayed_ns + gsim_emit_ns(e->options->sync_return_us);
    gsim_emit_return(e, call, last_ns > call->end_ns ? last_ns : back_ns, GSIM_SPAN_WAIT);
}

/* In a replay by one thread the host waits before the launch, so that what another thread launched meanwhile is ahead
 * of it. */
void gsim_emit_thread_waits(struct gsim_emitter *e, uint32_t thread, int64_t time_ns)
{
    int64_t back_ns = e->thread_back_ns[thread] < time_ns ? e->thread_back_ns[thread] : time_ns;
    uint32_t waits = e->thread_waits[thread];
    if (waits == GSIM_EMIT_NONE) return;
    e->thread_waits[thread] = GSIM_EMIT_NONE;
    note_seen(e, waits);
    if (e->cursor_ns < back_ns) e->cursor_ns = back_ns;
}

void gsim_emit_wait(struct gsim_emitter *e, const struct gsim_step *step)
{
    const struct gsim_sync *sync = &e->records->syncs[step->index];
    if (sync->stream == sync->source || sync->source == GSIM_NO_STREAM || sync->stream == GSIM_NO_STREAM) return;
    uint32_t record =
        gsim_records_find_call(e->records, sync->process, sync->record, step->time_ns);
    int64_t by_ns = record == GSIM_NO_CALL ? step->time_ns : e->records->calls[record].start_ns;
    uint32_t op = e->streams[sync->source].last;
    while (op != GSIM_EMIT_NONE && e->made[op].call_ns > by_ns) op = e->made[op].before;
    if (op != GSIM_EMIT_NONE && op != e->streams[sync->source].seen)
        gsim_emit_wait_for(e, &e->streams[sync->stream].waits, op);
}

