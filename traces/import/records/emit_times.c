/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traces/import/records/emitter.h: when works and calls were, beside the program. */
#include <math.h>
#include <stdlib.h>

#include "gpusim/order.h"
#include "traces/import/records/emitter.h"

static double us_of(const struct gsim_emitter *e, int64_t time_ns) { return (double)(time_ns - e->origin_ns) / 1e3; }

/* What of other streams OP waits for on the device: the links of WAITS. */
static void note_awaited(const struct gsim_emitter *e, uint32_t waits, struct gsim_recorded_op *op)
{
    for (uint32_t at = waits; at != GSIM_EMIT_NONE; at = e->links[at].next) {
        const struct gsim_emit_made *made = &e->made[e->links[at].op];
        op->awaits_copy |= made->is_copy;
        double end_us = us_of(e, made->end_ns);
        if (!made->is_copy && !(op->awaited_us > end_us)) op->awaited_us = end_us;
    }
}

/* WAITS: first link of what it waits for. */
void gsim_emit_keep_times(struct gsim_emitter *e, const struct gsim_step *step, uint32_t op, uint32_t waits)
{
    struct gsim_import_times *times = e->options->times;
    const struct gsim_activity *work = &e->records->works[step->index];
    const struct gsim_call *call = work->call == GSIM_NO_CALL ? NULL : &e->records->calls[work->call];
    bool is_shared = call && work->call == e->last_call,
         has_end = call && call->kind != GSIM_CALL_GRAPH && call->end_ns > call->start_ns;
    if (gsim_array_grow(&times->ops, sizeof *times->ops, times->count, &times->room)) {
        e->failed = true;
        return;
    }
    struct gsim_recorded_op *kept = &times->ops[times->count++];
    *kept = (struct gsim_recorded_op){
        .is_kernel = work->kind != GSIM_ACTIVITY_COPY,
        .copy_kind = (enum gsim_copy_kind)work->copy_kind,
        .op = op,
        .bytes = work->bytes,
        .stream = (uint32_t)e->streams[work->stream].number,
        .launch_us = us_of(e, step->time_ns),
        .start_us = work->is_moved ? NAN : us_of(e, work->start_ns),
        .end_us = work->is_moved ? NAN : us_of(e, work->end_ns),
        .returned_us = has_end && !is_shared ? us_of(e, call->end_ns) : NAN,
        .awaited_us = NAN,
        .is_memset = work->kind == GSIM_ACTIVITY_MEMSET,
        .is_pageable = work->pageable,
        .is_managed = work->is_managed,
    };
    note_awaited(e, waits, kept);
    if (is_shared) kept[-1].returned_us = NAN;
    e->last_call = work->call;
}

void gsim_emit_keep_origin(struct gsim_emitter *e, uint32_t op, uint64_t external)
{
    struct gsim_import_origin *origin = e->options->origin;
    while (!e->failed && origin->count <= op) {
        e->failed = gsim_array_grow(&origin->external, sizeof *origin->external, origin->count, &origin->room) != 0;
        if (!e->failed) origin->external[origin->count++] = 0;
    }
    if (!e->failed) origin->external[op] = external;
}

static void keep_call(struct gsim_emitter *e, const struct gsim_host_call *call)
{
    struct gsim_import_times *times = e->options->times;
    if (call->end_us <= call->start_us) return;
    e->failed |= gsim_array_grow(&times->calls, sizeof *times->calls, times->call_count, &times->call_room) != 0;
    if (!e->failed) times->calls[times->call_count++] = *call;
}

GSIM_ORDER(compare_host_calls, struct gsim_host_call, GSIM_UP(start_us) GSIM_UP(kind) GSIM_UP(end_us))

void gsim_emit_keep_calls(struct gsim_emitter *e)
{
    static const int8_t kinds[] = {[GSIM_CALL_EVENT_CREATE] = GSIM_HOST_EVENT_CREATE + 1,
                                   [GSIM_CALL_EVENT_CREATE_FLAGS] = GSIM_HOST_EVENT_CREATE_FLAGS + 1,
                                   [GSIM_CALL_EVENT_DESTROY] = GSIM_HOST_EVENT_DESTROY + 1,
                                   [GSIM_CALL_STREAM_CREATE] = GSIM_HOST_STREAM_CREATE + 1,
                                   [GSIM_CALL_WAIT] = GSIM_HOST_STREAM_WAIT + 1,
                                   [GSIM_CALL_EVENT_RECORD] = GSIM_HOST_EVENT_RECORD + 1};
    struct gsim_import_times *times = e->options->times;
    for (uint32_t i = 0; i < e->records->call_count && !e->failed; i++) {
        const struct gsim_call *call = &e->records->calls[i];
        int kind = (size_t)call->kind < sizeof kinds / sizeof kinds[0] ? kinds[call->kind] - 1 : -1;
        if (kind >= 0)
            keep_call(e, &(struct gsim_host_call){(enum gsim_host_call_kind)kind, false, us_of(e, call->start_ns),
                                                  us_of(e, call->end_ns), NAN});
    }
    if (times->call_count) qsort(times->calls, times->call_count, sizeof *times->calls, compare_host_calls);
}

/* Times are kept of calls behind the last work, too. */
void gsim_emit_keep_sync(struct gsim_emitter *e, const struct gsim_call *call)
{
    const struct gsim_sync *sync = gsim_records_sync_of(e->records, call);
    bool is_device = call->kind == GSIM_CALL_SYNC_DEVICE;
    bool is_known = is_device || (call->kind == GSIM_CALL_SYNC_STREAM && sync && sync->kind == GSIM_SYNC_STREAM);
    struct gsim_host_call kept = {GSIM_HOST_SYNC, !is_known, us_of(e, call->start_ns), us_of(e, call->end_ns), NAN};
    for (uint32_t s = 0; s < e->records->stream_count && is_known; s++) {
        uint32_t last = is_device || sync->stream == s ? e->streams[s].last : GSIM_EMIT_NONE;
        if (last == GSIM_EMIT_NONE) continue;
        double end_us = us_of(e, e->made[last].end_ns);
        if (!(kept.awaited_us > end_us)) kept.awaited_us = end_us;
        kept.is_unknown |= e->made[last].is_moved;
    }
    keep_call(e, &kept);
}

