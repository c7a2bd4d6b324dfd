/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See ask/whatif/blame.h. Stages between a launch call and the start of its activity:
 *   1. the host comes to the call           2. the launch reaches the GPU      3. what it follows ends
 *   4. the gap behind that                  5. its turn in the hardware queue  6. its data are there
 *   7. it finds room, or a free copy engine
 */
#include "ask/whatif/blame.h"

#include <string.h>

#include "sim/base/first.h"
#include "sim/device/occupancy.h"
#include "sim/sm/demand.h"

/* More than the front end takes by itself where streams share a queue: a stream's turn, two acquires and a look for an
 * engine. */
#define FRONT_END_US 6.0 /* us; ours: above the sum of those numbers of any device */

static bool begins_with(const char *text, const char *beginning)
{
    return text && strncmp(text, beginning, strlen(beginning)) == 0;
}

/* What the host worked on, as the program says it. */
static enum gsim_cause cause_of_work(const char *detail)
{
    static const struct {
        const char *beginning;
        enum gsim_cause cause;
    } owners[] = {{GSIM_API_OVERHEAD, GSIM_CAUSE_FRAMEWORK},    {GSIM_HOST_IN_LAUNCH, GSIM_CAUSE_LAUNCH_CALLS},
                  {GSIM_HOST_IN_CALL, GSIM_CAUSE_OTHER_CALLS}, {GSIM_HOST_IN_WAIT, GSIM_CAUSE_RESULT},
                  {GSIM_HOST_NAMED, GSIM_CAUSE_NAMED}};
    for (size_t i = 0; i < sizeof owners / sizeof owners[0]; i++)
        if (begins_with(detail, owners[i].beginning)) return owners[i].cause;
    return GSIM_CAUSE_HOST_WORK;
}

/* DETAIL where it names an owner. */
static const char *name_of_work(const char *detail)
{
    enum gsim_cause cause = cause_of_work(detail);
    return cause == GSIM_CAUSE_FRAMEWORK || cause == GSIM_CAUSE_HOST_WORK ? NULL : detail;
}

static enum gsim_cause kind_of_call(const struct gsim_api_record *call)
{
    switch (call->api) {
    case GSIM_API_LAUNCH:
    case GSIM_API_RESIDENT:
    case GSIM_API_GRAPH_LAUNCH:
    case GSIM_API_MEMCPY:
    case GSIM_API_PREFETCH:
        return GSIM_CAUSE_LAUNCH_CALLS;
    case GSIM_API_STREAM_SYNC:
    case GSIM_API_STREAM_QUERY:
    case GSIM_API_DEVICE_SYNC:
    case GSIM_API_EVENT_SYNC:
    case GSIM_API_EVENT_QUERY:
    case GSIM_API_WAIT_ANY:
    case GSIM_API_HOST_ACCESS:
        return GSIM_CAUSE_RESULT;
    case GSIM_API_HOST_WORK:
        return cause_of_work(call->detail);
    case GSIM_API_STREAM_CREATE:
    case GSIM_API_STREAM_DESTROY:
    case GSIM_API_EVENT_CREATE:
    case GSIM_API_EVENT_DESTROY:
    case GSIM_API_EVENT_RECORD:
    case GSIM_API_STREAM_WAIT:
    case GSIM_API_ATTACH:
    case GSIM_API_GRAPH_ADD:
    case GSIM_API_GRAPH_CAPTURE:
    case GSIM_API_GRAPH_INSTANTIATE:
    case GSIM_API_LOCK:
    case GSIM_API_GATE:
    case GSIM_API_HOST_FUNC:
    case GSIM_API_THREAD:
    case GSIM_API_COUNT:
        break;
    }
    return GSIM_CAUSE_OTHER_CALLS;
}

static enum gsim_cause between_calls(const struct gsim_moments *m)
{
    return m->has_framework ? GSIM_CAUSE_FRAMEWORK : GSIM_CAUSE_HOST_WORK;
}

enum gsim_cause gsim_blame_host(const struct gsim_moments *m, uint32_t thread, gsim_time time, struct gsim_until *until)
{
    uint32_t index = gsim_moments_call_at(m, thread, time);
    until->what = NULL;
    if (index == UINT32_MAX) {
        until->time = GSIM_TIME_NEVER;
        return between_calls(m);
    }
    const struct gsim_api_record *call = &m->timeline->apis[index];
    if (call->start > time) { /* between two calls: the program's own code */
        until->time = call->start;
        return between_calls(m);
    }
    enum gsim_cause cause = kind_of_call(call);
    until->time = call->end;
    if (call->api == GSIM_API_HOST_WORK) until->what = name_of_work(call->detail);
    if (cause != GSIM_CAUSE_LAUNCH_CALLS || !call->waited) return cause;
    if (call->api == GSIM_API_MEMCPY &&
        call->start + call->waited < call->end) { /* staged: the wait is behind the submission */
        if (time >= call->end - call->waited) return GSIM_CAUSE_RESULT;
        until->time = call->end - call->waited;
        return cause;
    }
    if (call->api == GSIM_API_MEMCPY) return GSIM_CAUSE_RESULT;
    if (time >= call->start + call->waited) return cause;
    until->time = call->start + call->waited;
    return GSIM_CAUSE_LAUNCH_QUEUE;
}

bool gsim_blames_host(const struct gsim_moments *m, const struct gsim_moment_work *w)
{
    (void)m;
    return !w->is_node && w->arrival > w->follows + w->gap;
}

/* --- room --- */
enum { THREADS, REGISTERS, SMEM, BLOCKS, RESOURCES };

static enum gsim_cause missing_room(const struct gsim_moments *m, const struct gsim_moment_work *w,
                                    const struct gsim_running *running)
{
    static const enum gsim_cause causes[] = {[THREADS] = GSIM_CAUSE_ROOM_THREADS,
                                             [REGISTERS] = GSIM_CAUSE_ROOM_REGISTERS,
                                             [SMEM] = GSIM_CAUSE_ROOM_SMEM,
                                             [BLOCKS] = GSIM_CAUSE_ROOM_BLOCKS};
    const struct gsim_device_spec *d = m->simulation->device;
    const struct gsim_sm_limits limits = gsim_sm_limits(d);
    const struct gsim_demand *wanted = &m->demands[w->kernel_index];
    double used[RESOURCES] = {wanted->need.warps, wanted->registers, wanted->need.smem_bytes, 1}, greatest = 1;
    double room[RESOURCES] = {limits.warps, limits.registers, limits.smem_bytes, limits.blocks};
    uint32_t carveout = 0;
    enum gsim_cause cause = GSIM_CAUSE_ROOM_ORDER;
    if (running->count >= gsim_whole_u32(d->resident_grids)) return GSIM_CAUSE_ROOM_GRIDS;
    for (uint32_t i = 0; i < running->count; i++) {
        const struct gsim_demand *k = &m->demands[m->works[running->works[i]].kernel_index];
        double blocks = (double)k->blocks / d->sm_count; /* on each SM, on average */
        if (blocks > k->need.blocks_per_sm) blocks = k->need.blocks_per_sm;
        used[THREADS] += blocks * k->need.warps;
        used[REGISTERS] += blocks * k->registers;
        used[SMEM] += blocks * k->need.smem_bytes;
        used[BLOCKS] += blocks;
        if (k->carveout_bytes > carveout) carveout = k->carveout_bytes;
    }
    if (running->count && wanted->join_bytes > carveout) cause = GSIM_CAUSE_ROOM_CARVEOUT;
    for (int r = 0; r < RESOURCES; r++) {
        if (room[r] <= 0 || used[r] / room[r] <= greatest) continue;
        greatest = used[r] / room[r];
        cause = causes[r];
    }
    return cause;
}

/* --- behind ready --- */
/* The first of the works by end that ends behind TIME. */
static uint32_t first_end(const struct gsim_moments *m, gsim_time time)
{
    GSIM_FIRST (low, m->work_count, middle, m->works[m->by_end[middle]].end <= time)
    return low;
}

/* The latest end within (TIME, w->start] of a copy of the same direction (kernels: of any); 0 for none. */
static gsim_time copy_ends(const struct gsim_moments *m, const struct gsim_moment_work *w, gsim_time time)
{
    gsim_time last = 0;
    for (uint32_t i = first_end(m, time); i < m->work_count; i++) {
        const struct gsim_moment_work *other = &m->works[m->by_end[i]];
        if (other->end > w->start) break;
        if (other->is_copy && other != w && (!w->is_copy || other->copy_kind == w->copy_kind)) last = other->end;
    }
    return last;
}

static enum gsim_cause blame_ready(const struct gsim_moments *m, const struct gsim_moment_work *w, gsim_time time,
                                   const struct gsim_running *running, struct gsim_until *until)
{
    bool looks = w->is_copy || m->simulation->memory == GSIM_MEMORY_MANAGED;
    gsim_time copied = looks ? copy_ends(m, w, time) : 0;
    if (copied > time) {
        until->time = copied;
        return w->is_copy ? GSIM_CAUSE_COPY_ENGINE : GSIM_CAUSE_DATA;
    }
    until->time = w->start;
    if (w->is_copy) return GSIM_CAUSE_GAP;
    return running->count ? missing_room(m, w, running) : w->is_node ? GSIM_CAUSE_GRAPH_GAP : GSIM_CAUSE_LAUNCH_LATENCY;
}

/* --- up to ready --- */
static enum gsim_cause gap_cause(const struct gsim_moments *m, const struct gsim_moment_work *w)
{
    bool is_unexplained = w->is_unexplained || (w->after != GSIM_NO_WORK && m->works[w->after].is_unexplained);
    bool is_rank_wait = w->is_rank_wait || (w->after != GSIM_NO_WORK && m->works[w->after].is_rank_wait);
    if (is_unexplained) return is_rank_wait ? GSIM_CAUSE_OTHER_RANKS : GSIM_CAUSE_UNEXPLAINED;
    return w->is_node ? GSIM_CAUSE_GRAPH_GAP : GSIM_CAUSE_GAP;
}

/* Behind FROM all was there, and yet the work was not looked at before it was ready. */
static enum gsim_cause blame_queue(const struct gsim_moments *m, const struct gsim_moment_work *w, gsim_time from)
{
    bool shares = m->stream_count > gsim_whole_u32(m->simulation->device->hw_queues);
    return shares && w->ready - from > gsim_time_from_us(FRONT_END_US) ? GSIM_CAUSE_HW_QUEUE : gap_cause(m, w);
}

/* The launch is not there yet. Behind other launches, what the host did reaches the GPU a latency later, so what it did
 * then is what the GPU lacks now; where nothing is launched before it, or the host has waited since, the latency
 * stands behind the call. */
static enum gsim_cause blame_arrival(const struct gsim_moments *m, const struct gsim_moment_work *w, gsim_time time,
                                     struct gsim_until *until)
{
    const struct gsim_api_record *call = &m->timeline->apis[w->call], *before = call;
    gsim_time latency = w->arrival > call->end ? w->arrival - call->end : 0;
    do before = gsim_moments_call_before(m, before);
    while (before && kind_of_call(before) != GSIM_CAUSE_LAUNCH_CALLS && !before->waited);
    bool is_alone = !before || kind_of_call(before) == GSIM_CAUSE_RESULT;
    until->time = is_alone ? w->arrival : latency;
    if (is_alone ? time >= call->end : time < latency) return GSIM_CAUSE_LAUNCH_LATENCY;
    if (is_alone) latency = 0;
    enum gsim_cause cause = gsim_blame_host(m, call->thread, time - latency, until);
    if (until->time < GSIM_TIME_NEVER - latency) until->time += latency;
    return cause;
}

static enum gsim_cause blame_unready(const struct gsim_moments *m, const struct gsim_moment_work *w, gsim_time time,
                                     struct gsim_until *until)
{
    bool host = gsim_blames_host(m, w);
    if (host && time < w->arrival) {
        enum gsim_cause cause = blame_arrival(m, w, time, until);
        if (until->time > w->arrival) until->time = w->arrival;
        return cause;
    }
    gsim_time there = host ? w->arrival : w->follows + w->gap < w->ready ? w->follows + w->gap : w->ready;
    if (!host && time < w->follows) {
        until->time = w->follows;
        return GSIM_CAUSE_DEPENDENCE;
    }
    if (!host && time < there) {
        until->time = there;
        return gap_cause(m, w);
    }
    until->time = w->ready;
    return blame_queue(m, w, there);
}

/* What it must follow has not even started: what that lacks is what it lacks. */
static bool waits_for_another(const struct gsim_moments *m, uint32_t work, gsim_time time)
{
    const struct gsim_moment_work *w = &m->works[work];
    if (w->after == GSIM_NO_WORK || time >= w->ready || time >= w->follows || gsim_blames_host(m, w)) return false;
    const struct gsim_moment_work *after = &m->works[w->after];
    return after->start > time && after->call != UINT32_MAX;
}

bool gsim_is_held(const struct gsim_moments *m, const struct gsim_moment_work *w, gsim_time *since)
{
    gsim_time there = w->arrival > w->follows + w->gap ? w->arrival : w->follows + w->gap;
    *since = there < w->ready ? there : w->ready;
    if (w->is_copy || w->call == UINT32_MAX || w->is_unexplained) return false;
    if (*since < w->ready && blame_queue(m, w, *since) == GSIM_CAUSE_HW_QUEUE) return true;
    *since = w->ready;
    return w->start > w->ready;
}

enum gsim_cause gsim_blame(const struct gsim_moments *m, uint32_t work, gsim_time time, bool is_idle,
                           const struct gsim_running *running, struct gsim_until *until)
{
    enum gsim_cause cause;
    until->what = NULL;
    if (work == GSIM_NO_WORK || m->works[work].call == UINT32_MAX) {
        cause = GSIM_CAUSE_END;
        until->time = GSIM_TIME_NEVER;
        if (is_idle) cause = gsim_blame_host(m, 0, time, until);
    } else if (time < m->works[work].ready) {
        while (waits_for_another(m, work, time)) work = m->works[work].after;
        if (time >= m->works[work].ready) return gsim_blame(m, work, time, is_idle, running, until);
        cause = blame_unready(m, &m->works[work], time, until);
    } else {
        cause = blame_ready(m, &m->works[work], time, running, until);
    }
    if (until->time <= time) until->time = time + 1;
    return cause;
}
