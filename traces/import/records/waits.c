/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waits that the profiler did not explain. PyTorch's records cudaEventRecord and cudaStreamWaitEvent calls, but by
 * default not of which streams: the wait is taken to be of the stream in which the waiting thread works next, for what
 * was launched last before the record, in another stream, and had ended when that work began.
 */
#include <stdlib.h>

#include "sim/base/first.h"
#include "gpusim/order.h"
#include "traces/import/records/records.h"

struct launched {
    int64_t time_ns;
    uint32_t work;
};

GSIM_ORDER(compare_launched, struct launched, GSIM_UP(time_ns) GSIM_UP(work))

static bool is_by(const struct gsim_records *r, uint32_t work, const struct gsim_call *call)
{
    uint32_t made_by = r->works[work].call;
    return made_by != GSIM_NO_CALL && r->calls[made_by].process == call->process &&
           r->calls[made_by].thread == call->thread;
}

/* The first of ALL launched at TIME or later. */
static uint32_t find_launched(const struct launched *all, uint32_t count, int64_t time_ns)
{
    GSIM_FIRST (low, count, middle, all[middle].time_ns < time_ns)
    return low;
}

/* By start: calls that wait, and records. */
GSIM_ORDER_AT(compare_times, struct gsim_call, GSIM_UP(start_ns) GSIM_PLACE)

#define LOOK_BACK 64 /* launches before a record that are looked at */

/* The calls that record and wait, by time. */
struct calls {
    const struct gsim_call **list;
    uint32_t count,
        joined; /* JOINED: the next launch that a stream may wait for as a collective; all before are waited for */
};

/* NCCL itself has its streams wait around a launch: behind it, by the first record since. */
static bool is_of_nccl(const struct gsim_records *r, const struct launched *all, uint32_t count,
                       const struct calls *calls, uint32_t at)
{
    const struct gsim_call *wait = calls->list[at];
    uint32_t before = find_launched(all, count, wait->start_ns), records = 0;
    while (before > 0 && !is_by(r, all[before - 1].work, wait)) before--;
    if (!before || !r->works[all[before - 1].work].is_collective) return false;
    for (uint32_t i = at; i > 0 && calls->list[i - 1]->start_ns > all[before - 1].time_ns; i--) {
        if (calls->list[i - 1]->thread != wait->thread) continue;
        if (calls->list[i - 1]->kind == GSIM_CALL_WAIT) return false;
        records++;
    }
    return records == 1;
}

/* A stream that works on waits for the first collective of another one that none has waited for, by the record behind
 * its launch. */
static enum gsim_status join(struct gsim_records *r, const struct launched *all, uint32_t count, struct calls *calls,
                             uint32_t at, const struct gsim_activity *waiting, bool *is_done)
{
    const struct gsim_call *wait = calls->list[at];
    *is_done = false;
    for (uint32_t i = calls->joined; i < count && all[i].time_ns < wait->start_ns; i++) {
        const struct gsim_activity *awaited = &r->works[all[i].work];
        if (!awaited->is_collective || awaited->stream == waiting->stream) continue;
        uint32_t record = 0;
        while (record < at &&
               (calls->list[record]->kind != GSIM_CALL_EVENT_RECORD || calls->list[record]->start_ns < all[i].time_ns))
            record++;
        if (record == at) return GSIM_OK;
        const struct gsim_sync sync = {.kind = GSIM_SYNC_WAIT,
                                       .start_ns = wait->start_ns,
                                       .correlation = wait->correlation,
                                       .record = calls->list[record]->correlation,
                                       .process = wait->process,
                                       .stream = waiting->stream,
                                       .source = awaited->stream};
        calls->joined = i + 1;
        *is_done = true;
        r->notes->inferred_waits++;
        return gsim_records_add_sync(r, &sync);
    }
    return GSIM_OK;
}

static enum gsim_status infer_wait(struct gsim_records *r, const struct launched *all, uint32_t count,
                                   const struct gsim_call *record, struct calls *calls, uint32_t at)
{
    const struct gsim_call *wait = calls->list[at];
    uint32_t next = find_launched(all, count, wait->start_ns);
    while (next < count && !is_by(r, all[next].work, wait)) next++;
    if (next == count) return GSIM_OK;
    bool is_rank = r->collective_count > 0;
    if (is_rank && is_of_nccl(r, all, count, calls, at)) return GSIM_OK;
    if (is_rank && !r->works[all[next].work].is_collective) {
        bool is_done;
        enum gsim_status status = join(r, all, count, calls, at, &r->works[all[next].work], &is_done);
        if (status || is_done) return status;
    }
    const struct gsim_activity *waiting = &r->works[all[next].work];
    uint32_t before = find_launched(all, count, record->start_ns);
    for (uint32_t i = before; i > 0 && before - i < LOOK_BACK; i--) {
        const struct gsim_activity *awaited = &r->works[all[i - 1].work];
        if (awaited->stream == waiting->stream || !is_by(r, all[i - 1].work, record)) continue;
        if (awaited->end_ns > waiting->start_ns) continue; /* it did not wait for that */
        const struct gsim_sync sync = {.kind = GSIM_SYNC_WAIT,
                                       .start_ns = wait->start_ns,
                                       .correlation = wait->correlation,
                                       .record = record->correlation,
                                       .process = wait->process,
                                       .stream = waiting->stream,
                                       .source = awaited->stream};
        r->notes->inferred_waits++;
        return gsim_records_add_sync(r, &sync);
    }
    return GSIM_OK;
}

enum gsim_status gsim_records_infer_waits(struct gsim_records *r)
{
    uint32_t count = 0, times = 0;
    struct launched *all = gsim_alloc(sizeof *all * ((size_t)r->work_count + 1));
    const struct gsim_call **calls = gsim_alloc(sizeof(void *) * ((size_t)r->call_count + 1)), *record = NULL;
    enum gsim_status status = all && calls ? GSIM_OK : gsim_no_memory(r->error);
    for (uint32_t i = 0; i < r->work_count && status == GSIM_OK; i++)
        if (r->works[i].call != GSIM_NO_CALL) all[count++] = (struct launched){r->calls[r->works[i].call].start_ns, i};
    for (uint32_t i = 0; i < r->call_count && status == GSIM_OK; i++)
        if (r->calls[i].kind == GSIM_CALL_EVENT_RECORD ||
            (r->calls[i].kind == GSIM_CALL_WAIT && !gsim_records_sync_of(r, &r->calls[i])))
            calls[times++] = &r->calls[i];
    if (count) qsort(all, count, sizeof *all, compare_launched);
    if (times) qsort(calls, times, sizeof *calls, compare_times);
    struct calls by_time = {calls, times, 0};
    for (uint32_t i = 0; i < times && status == GSIM_OK; i++) {
        if (calls[i]->kind == GSIM_CALL_EVENT_RECORD)
            record = calls[i];
        else if (record && record->process == calls[i]->process)
            status = infer_wait(r, all, count, record, &by_time, i);
    }
    gsim_free(all);
    gsim_free(calls);
    return status;
}

/* --- Python's lock ------------------------------------------------------------------------------------------------ */
struct turn {
    int64_t start_ns, end_ns;
    uint64_t thread;
};

GSIM_ORDER(compare_turns, struct turn, GSIM_UP(start_ns) GSIM_UP(thread))

#define MIN_TURNS 2 /* calls of another thread, between two of one: fewer are launched side by side */

/* How long the thread of turn AT had no call while others, behind its last one, made several: from the first of theirs
 * to the last. */
static int64_t waited(const struct turn *turns, uint32_t at)
{
    uint32_t first = at, others = 0;
    while (first > 0 && turns[first - 1].thread != turns[at].thread) first--, others++;
    if (first == 0 || others < MIN_TURNS) return 0;
    int64_t from_ns = turns[first].start_ns, until_ns = turns[at - 1].end_ns;
    if (from_ns < turns[first - 1].end_ns) from_ns = turns[first - 1].end_ns;
    if (until_ns > turns[at].start_ns) until_ns = turns[at].start_ns;
    return until_ns > from_ns ? until_ns - from_ns : 0;
}

enum gsim_status gsim_records_find_lock(struct gsim_records *r)
{
    uint32_t count = 0;
    int64_t lock_ns = 0;
    bool may_lock = r->has_framework && !r->has_autograd && !r->is_xla;
    struct turn *turns = may_lock ? gsim_alloc(sizeof *turns * ((size_t)r->call_count + 1)) : NULL;
    if (!may_lock) return GSIM_OK;
    if (!turns) return gsim_no_memory(r->error);
    for (uint32_t i = 0; i < r->call_count; i++) {
        const struct gsim_call *call = &r->calls[i];
        if (call->kind == GSIM_CALL_LAUNCH) turns[count++] = (struct turn){call->start_ns, call->end_ns, call->thread};
    }
    if (count) qsort(turns, count, sizeof *turns, compare_turns);
    for (uint32_t i = 1; i < count; i++)
        if (turns[i].thread != turns[i - 1].thread) lock_ns += waited(turns, i);
    r->notes->lock_us = (uint64_t)(lock_ns / 1000);
    gsim_free(turns);
    return GSIM_OK;
}
