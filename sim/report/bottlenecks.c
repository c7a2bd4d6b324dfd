/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. See sim/report/bottlenecks.h. From a kernel or copy the walk goes to what it waited for last: its launch
 * call, or what ended before it in its stream, behind an event or on one of its buffers. From a call it goes back over
 * the thread's calls to one that blocked, and from there to the work that released it. So every moment is charged once.
 */
#include "sim/report/bottlenecks.h"
#include "sim/base/first.h"

#define NONE UINT32_MAX
#define FULL 0.95  /* of the SMs hold blocks: there is no room */
#define BOUND 0.6  /* share of its time alone for which a kernel needs all of DRAM */
#define SINGLE 0.5 /* share of the time with room on the SMs that one op takes */

/* A kernel, or from kernel_count on a copy. Lists of them by what they may make others wait for; each in order of ends:
 * all, copies per direction, per stream, what wrote a buffer, what used it. */
enum { LIST_ALL, LIST_DIRECTION, LIST_STREAMS = LIST_DIRECTION + 3 };

struct walk {
    const struct gsim_timeline *timeline;
    const struct gsim_device_spec *device;
    const struct gsim_kernel_alone *alone;
    struct gsim_metrics *metrics;
    uint32_t stream_count, list_count, record_count, correlation_count;
    uint32_t *records;              /* all, in order of ends */
    uint32_t *list_start, *lists;   /* positions in records */
    uint32_t *call_of;              /* correlation -> call, the first one that has it */
    uint32_t *previous_call;        /* per call: the one before it on its thread */
    gsim_time *op_time;             /* per op: charged to it while the SMs had room */
    gsim_time api_time[GSIM_API_COUNT];
    gsim_time gap;                  /* what the device takes from one thing to the next at most */
    struct gsim_arena arena;
};

static bool is_copy(const struct walk *w, uint32_t record) { return record >= w->timeline->kernel_count; }

static const struct gsim_copy_record *copy_of(const struct walk *w, uint32_t record)
{
    return &w->timeline->copies[record - w->timeline->kernel_count];
}

static gsim_time end_of(const struct walk *w, uint32_t record)
{
    return is_copy(w, record) ? copy_of(w, record)->end : w->timeline->kernels[record].end;
}

static const struct gsim_op *op_of(const struct walk *w, uint32_t record)
{
    uint32_t op = is_copy(w, record) ? copy_of(w, record)->op : w->timeline->kernels[record].op;
    return op < w->timeline->program->op_count ? &w->timeline->program->ops[op] : NULL;
}

static void charge(struct walk *w, enum gsim_bottleneck bottleneck, gsim_time from, gsim_time until)
{
    if (until > from) w->metrics->bottleneck_time[bottleneck] += until - from;
}

/* --- the lists ----------------------------------------------------------------------------------------------- */
static uint32_t list_of_writers(const struct walk *w, uint32_t buffer)
{
    return LIST_STREAMS + w->stream_count + buffer;
}
static uint32_t list_of_users(const struct walk *w, uint32_t buffer)
{
    return LIST_STREAMS + w->stream_count + w->timeline->program->buffer_count + buffer;
}

/* Calls VISIT for every list that RECORD is in. */
static void for_lists(struct walk *w, uint32_t record, void (*visit)(struct walk *, uint32_t list, uint32_t record))
{
    visit(w, LIST_ALL, record);
    if (is_copy(w, record)) {
        const struct gsim_copy_record *copy = copy_of(w, record);
        visit(w, LIST_DIRECTION + copy->kind, record);
        visit(w, LIST_STREAMS + copy->stream, record);
        if (copy->buffer_index >= w->timeline->program->buffer_count) return;
        visit(w, list_of_writers(w, copy->buffer_index), record);
        visit(w, list_of_users(w, copy->buffer_index), record);
        return;
    }
    const struct gsim_op *op = op_of(w, record);
    visit(w, LIST_STREAMS + w->timeline->kernels[record].stream, record);
    for (uint32_t a = 0; op && a < op->arg_count; a++) {
        if (op->args[a].writes) visit(w, list_of_writers(w, op->args[a].buffer_index), record);
        visit(w, list_of_users(w, op->args[a].buffer_index), record);
    }
}

static void count_record(struct walk *w, uint32_t list, uint32_t record)
{
    (void)record;
    w->list_start[list + 1]++;
}

static void file_record(struct walk *w, uint32_t list, uint32_t record) { w->lists[w->list_start[list]++] = record; }

static bool make_lists(struct walk *w)
{
    const struct gsim_timeline *t = w->timeline;
    for (size_t i = 0; i < t->kernel_count; i++)
        if (t->kernels[i].stream >= w->stream_count) w->stream_count = t->kernels[i].stream + 1;
    for (size_t i = 0; i < t->copy_count; i++)
        if (t->copies[i].stream >= w->stream_count) w->stream_count = t->copies[i].stream + 1;
    w->record_count = (uint32_t)(t->kernel_count + t->copy_count);
    w->list_count = list_of_users(w, t->program->buffer_count);
    w->records = GSIM_ARENA_ARRAY(&w->arena, uint32_t, w->record_count + 1);
    w->list_start = GSIM_ARENA_ARRAY(&w->arena, uint32_t, w->list_count + 2);
    if (!w->records || !w->list_start) return false;
    /* Records are kept in the order they end, kernels and copies apart. */
    size_t kernels = w->timeline->kernel_count, copies = w->timeline->copy_count, k = 0, c = 0;
    while (k < kernels || c < copies) {
        bool takes_kernel = c == copies || (k < kernels && w->timeline->kernels[k].end <= w->timeline->copies[c].end);
        w->records[k + c] = (uint32_t)(takes_kernel ? k : kernels + c);
        if (takes_kernel) k++;
        else c++;
    }
    for (uint32_t i = 0; i < w->record_count; i++) for_lists(w, w->records[i], count_record);
    for (uint32_t l = 0; l < w->list_count; l++) w->list_start[l + 1] += w->list_start[l];
    w->lists = GSIM_ARENA_ARRAY(&w->arena, uint32_t, w->list_start[w->list_count] + 1);
    if (!w->lists) return false;
    for (uint32_t i = 0; i < w->record_count; i++) for_lists(w, w->records[i], file_record);
    for (uint32_t l = w->list_count; l > 0; l--) w->list_start[l] = w->list_start[l - 1];
    w->list_start[0] = 0;
    return true;
}

/* Where the records of LIST that end at UNTIL or before stop. */
static uint32_t stop_of(const struct walk *w, uint32_t list, gsim_time until)
{
    uint32_t low = w->list_start[list], high = w->list_start[list + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (end_of(w, w->lists[middle]) <= until) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The record of LIST that ends last, at UNTIL at the latest, other than SELF. */
static uint32_t last_of(const struct walk *w, uint32_t list, gsim_time until, uint32_t self)
{
    uint32_t low = stop_of(w, list, until), first = w->list_start[list];
    while (low > first && w->lists[low - 1] == self) low--;
    return low > first ? w->lists[low - 1] : NONE;
}

#define THREADS_LOOKED_AT 64 /* calls of so many others may end between a copy and the call that waits for it */

/* The call that waited for a copy which has none of its own: a host access, or a launch without page faults, moves
 * managed memory by itself. NONE: none did. */
static uint32_t call_around(const struct walk *w, const struct gsim_copy_record *copy)
{
    const struct gsim_timeline *t = w->timeline;
    /* Calls are kept in the order they end. */
    GSIM_FIRST (low, (uint32_t)t->api_count, middle, t->apis[middle].end < copy->end)
    for (size_t i = low; i < t->api_count && i < low + THREADS_LOOKED_AT; i++)
        if (t->apis[i].start <= copy->launch && t->apis[i].end > copy->launch) return (uint32_t)i;
    return NONE;
}

static uint32_t call_of(const struct walk *w, uint32_t record)
{
    uint32_t correlation =
        is_copy(w, record) ? copy_of(w, record)->correlation : w->timeline->kernels[record].correlation;
    uint32_t call = correlation < w->correlation_count ? w->call_of[correlation] : NONE;
    return call == NONE && is_copy(w, record) ? call_around(w, copy_of(w, record)) : call;
}

/* Calls are kept in the order they end, those of a thread one after the other. */
static bool index_calls(struct walk *w)
{
    const struct gsim_timeline *t = w->timeline;
    uint32_t threads = 0;
    for (size_t i = 0; i < t->api_count; i++) {
        if (t->apis[i].correlation >= w->correlation_count) w->correlation_count = t->apis[i].correlation + 1;
        if (t->apis[i].thread >= threads) threads = t->apis[i].thread + 1;
    }
    uint32_t *last = GSIM_ARENA_ARRAY(&w->arena, uint32_t, threads + 1);
    w->call_of = GSIM_ARENA_ARRAY(&w->arena, uint32_t, w->correlation_count + 1);
    w->previous_call = GSIM_ARENA_ARRAY(&w->arena, uint32_t, t->api_count + 1);
    if (!last || !w->call_of || !w->previous_call) return false;
    for (uint32_t c = 0; c < w->correlation_count; c++) w->call_of[c] = NONE;
    for (uint32_t i = 0; i < threads; i++) last[i] = NONE;
    for (uint32_t i = 0; i < t->api_count; i++) {
        if (w->call_of[t->apis[i].correlation] == NONE) w->call_of[t->apis[i].correlation] = i;
        w->previous_call[i] = last[t->apis[i].thread];
        last[t->apis[i].thread] = i;
    }
    return true;
}

/* --- the device ------------------------------------------------------------------------------------------------ */
static uint32_t later_of(const struct walk *w, uint32_t a, uint32_t b)
{
    if (a == NONE || b == NONE) return a == NONE ? b : a;
    return end_of(w, a) >= end_of(w, b) ? a : b;
}

/* What the stream of KERNEL waited for by events: per wait the stream's latest record before the event's own. */
static uint32_t last_behind_events(const struct walk *w, const struct gsim_kernel_record *kernel, uint32_t self)
{
    const struct gsim_timeline *t = w->timeline;
    uint32_t found = NONE;
    /* Waits are kept in the order they are satisfied. */
    GSIM_FIRST (low, (uint32_t)t->wait_count, middle, t->waits[middle].satisfied <= kernel->ready)
    for (size_t i = low, seen = 0; i-- > 0 && seen < 64; seen++) {
        const struct gsim_wait_record *wait = &t->waits[i];
        if (wait->waiting_stream != kernel->stream || wait->correlation > kernel->correlation) continue;
        if (wait->recorded_stream >= w->stream_count) continue;
        found = later_of(w, found, last_of(w, LIST_STREAMS + wait->recorded_stream, wait->recorded, self));
        if (kernel->ready - wait->satisfied > w->gap) break;
    }
    return found;
}

/* What RECORD, ready at READY, waited for on the device. */
static uint32_t cause_of(const struct walk *w, uint32_t record, gsim_time ready)
{
    const struct gsim_op *op = op_of(w, record);
    if (is_copy(w, record)) {
        const struct gsim_copy_record *copy = copy_of(w, record);
        uint32_t found = later_of(w, last_of(w, LIST_STREAMS + copy->stream, ready, record),
                                  last_of(w, LIST_DIRECTION + copy->kind, ready, record));
        if (copy->buffer_index >= w->timeline->program->buffer_count) return found;
        return later_of(w, found, last_of(w, list_of_users(w, copy->buffer_index), ready, record));
    }
    const struct gsim_kernel_record *kernel = &w->timeline->kernels[record];
    uint32_t found =
        later_of(w, last_of(w, LIST_STREAMS + kernel->stream, ready, record), last_behind_events(w, kernel, record));
    for (uint32_t a = 0; op && a < op->arg_count; a++) {
        uint32_t buffer = op->args[a].buffer_index;
        uint32_t list = op->args[a].writes ? list_of_users(w, buffer) : list_of_writers(w, buffer);
        found = later_of(w, found, last_of(w, list, ready, record));
    }
    return found;
}

/* Time from FROM to UNTIL in which SMs are empty. */
static gsim_time time_with_room(const struct walk *w, gsim_time from, gsim_time until)
{
    const struct gsim_timeline *t = w->timeline;
    gsim_time room = 0;
    GSIM_FIRST (low, (uint32_t)t->occupancy_count, middle, t->occupancy[middle].time <= from)
    for (size_t i = low ? low - 1 : 0; i < t->occupancy_count && t->occupancy[i].time < until; i++) {
        gsim_time begin = t->occupancy[i].time > from ? t->occupancy[i].time : from;
        gsim_time end =
            i + 1 < t->occupancy_count && t->occupancy[i + 1].time < until ? t->occupancy[i + 1].time : until;
        if (t->occupancy[i].busy_sms < FULL * w->device->sm_count && end > begin) room += end - begin;
    }
    return room;
}

/* How much of that the kernel of OP waits for its own data. */
static gsim_time faulted(const struct walk *w, uint32_t op, gsim_time from, gsim_time until)
{
    gsim_time time = 0;
    for (uint32_t i = stop_of(w, LIST_ALL, until); i-- > w->list_start[LIST_ALL];) {
        uint32_t record = w->lists[i];
        if (end_of(w, record) <= from) break;
        if (!is_copy(w, record) || copy_of(w, record)->reason != GSIM_REASON_FAULT || copy_of(w, record)->op != op)
            continue;
        gsim_time begin = copy_of(w, record)->start > from ? copy_of(w, record)->start : from;
        gsim_time end = copy_of(w, record)->end < until ? copy_of(w, record)->end : until;
        if (end > begin) time += end - begin;
    }
    return time < until - from ? time : until - from;
}

static void charge_kernel(struct walk *w, uint32_t record, gsim_time until)
{
    const struct gsim_kernel_record *kernel = &w->timeline->kernels[record];
    gsim_time whole = until - kernel->start, link = faulted(w, kernel->op, kernel->start, until);
    if (whole <= 0) return;
    double rest = (double)(whole - link) / (double)whole;
    gsim_time room = gsim_whole(rest * (double)time_with_room(w, kernel->start, until));
    const struct gsim_kernel_alone *alone = w->alone ? &w->alone[kernel->kernel_index] : NULL;
    bool by_dram = alone && alone->dram_us >= BOUND * gsim_time_us(alone->time);
    w->metrics->bottleneck_time[GSIM_BOTTLENECK_LINK] += link;
    if (by_dram) {
        w->metrics->bottleneck_time[GSIM_BOTTLENECK_DRAM] += whole - link;
        return;
    }
    w->metrics->bottleneck_time[GSIM_BOTTLENECK_SMS] += whole - link - room;
    w->metrics->bottleneck_time[GSIM_BOTTLENECK_DEPENDENCE] += room;
    if (kernel->op < w->timeline->program->op_count) w->op_time[kernel->op] += room;
}

/* --- the walk ---------------------------------------------------------------------------------------------------- */
/* Where it is: at TIME in or behind CALL, or, with RECORD, at the end of that. */
struct place {
    gsim_time time;
    uint32_t call, record;
};

static void charge_host(struct walk *w, uint32_t call, gsim_time from, gsim_time until)
{
    charge(w, GSIM_BOTTLENECK_HOST, from, until);
    if (call != NONE && until > from) w->api_time[w->timeline->apis[call].api] += until - from;
}

static void step_host(struct walk *w, struct place *at)
{
    uint32_t call = at->call;
    if (call == NONE) {
        charge_host(w, NONE, 0, at->time);
        at->time = 0;
        return;
    }
    const struct gsim_api_record *api = &w->timeline->apis[call];
    uint32_t list =
        api->api == GSIM_API_STREAM_SYNC && api->stream < w->stream_count ? LIST_STREAMS + api->stream : LIST_ALL;
    gsim_time woken =
        api->api == GSIM_API_MEMCPY ? api->end : api->start + api->waited; /* a staged copy waits at its end */
    uint32_t freed_by = api->waited > 0 ? last_of(w, list, woken < at->time ? woken : at->time, NONE) : NONE;
    if (freed_by != NONE && end_of(w, freed_by) >= api->start) {
        charge_host(w, call, end_of(w, freed_by), at->time);
        *at = (struct place){end_of(w, freed_by), call, freed_by};
        return;
    }
    uint32_t before = w->previous_call[call];
    gsim_time until = before == NONE ? 0 : w->timeline->apis[before].end;
    charge_host(w, call, until, at->time);
    if (until < at->time) at->time = until;
    at->call = before;
}

static gsim_time call_end(const struct walk *w, uint32_t call) { return w->timeline->apis[call].end; }

static void step_device(struct walk *w, struct place *at)
{
    uint32_t record = at->record;
    gsim_time ready, launch;
    if (is_copy(w, record)) {
        const struct gsim_copy_record *copy = copy_of(w, record);
        charge(w, GSIM_BOTTLENECK_LINK, copy->start, at->time);
        ready = copy->start;
        launch = copy->launch;
    } else {
        const struct gsim_kernel_record *kernel = &w->timeline->kernels[record];
        charge_kernel(w, record, at->time);
        charge(w, GSIM_BOTTLENECK_SMS, kernel->ready, kernel->start);
        ready = kernel->ready;
        launch = kernel->launch;
    }
    uint32_t call = call_of(w, record);
    uint32_t cause = cause_of(w, record, ready);
    gsim_time called = call == NONE || call_end(w, call) > ready ? launch : call_end(w, call);
    if (called > ready) called = ready;
    bool by_device = cause != NONE && end_of(w, cause) >= called;
    gsim_time from = by_device ? end_of(w, cause) : called;
    gsim_time slack = ready - from < w->gap ? ready - from : w->gap;
    charge(w, GSIM_BOTTLENECK_GAPS, from, from + slack);
    charge(w, is_copy(w, record) ? GSIM_BOTTLENECK_LINK : GSIM_BOTTLENECK_QUEUES, from + slack, ready);
    *at = by_device ? (struct place){from, at->call, cause} : (struct place){from, call, NONE};
    if (!by_device && call == NONE) charge(w, GSIM_BOTTLENECK_HOST, 0, from);
    if (!by_device && call == NONE) at->time = 0;
}

static gsim_time longest_gap(const struct gsim_device_spec *d)
{
    double gaps[] = {d->launch_to_start_us,
                     d->stream_gap_us,
                     d->event_gap_us,
                     d->graph_start_us + d->graph_cold_us,
                     d->graph_node_gap_us,
                     d->graph_cross_gap_us,
                     d->copy_start_us,
                     d->kernel_to_copy_us + d->engine_poll_us,
                     d->copy_to_kernel_us + d->engine_poll_us};
    double longest = 0;
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++)
        if (gaps[i] > longest) longest = gaps[i];
    return gsim_time_from_us(1.5 * longest);
}

/* The greatest cause, and what stands for it: of room on the SMs an op that takes most of it, of the host its dearest
 * call. */
static void name_bottleneck(struct walk *w)
{
    struct gsim_metrics *m = w->metrics;
    const struct gsim_program *program = w->timeline->program;
    uint32_t longest = 0, dearest = 0;
    for (uint32_t i = 1; i < program->op_count; i++)
        if (w->op_time[i] > w->op_time[longest]) longest = i;
    for (uint32_t i = 1; i < GSIM_API_COUNT; i++)
        if (w->api_time[i] > w->api_time[dearest]) dearest = i;
    gsim_time room = m->bottleneck_time[GSIM_BOTTLENECK_DEPENDENCE];
    if (program->op_count && room > 0 && (double)w->op_time[longest] > SINGLE * (double)room) {
        m->bottleneck_time[GSIM_BOTTLENECK_KERNEL] = w->op_time[longest];
        m->bottleneck_time[GSIM_BOTTLENECK_DEPENDENCE] -= w->op_time[longest];
    }
    for (int i = 1; i < GSIM_BOTTLENECK_COUNT; i++)
        if (m->bottleneck_time[i] > m->bottleneck_time[m->bottleneck]) m->bottleneck = (enum gsim_bottleneck)i;
    if (m->bottleneck == GSIM_BOTTLENECK_HOST) m->bottleneck_detail = gsim_api_name((enum gsim_api)dearest);
    if (m->bottleneck == GSIM_BOTTLENECK_KERNEL && program->ops[longest].kind == GSIM_OP_KERNEL)
        m->bottleneck_detail = program->kernels[program->ops[longest].kernel_index].name;
}

const char *gsim_bottleneck_name(enum gsim_bottleneck bottleneck)
{
    static const char *const names[] = {
#define GSIM_BOTTLENECK_TEXT(name, text, key) text,
        GSIM_BOTTLENECK_MAP(GSIM_BOTTLENECK_TEXT)
#undef GSIM_BOTTLENECK_TEXT
    };
    return names[bottleneck];
}

const char *gsim_bottleneck_key(enum gsim_bottleneck bottleneck)
{
    static const char *const keys[] = {
#define GSIM_BOTTLENECK_KEY(name, text, key) key,
        GSIM_BOTTLENECK_MAP(GSIM_BOTTLENECK_KEY)
#undef GSIM_BOTTLENECK_KEY
    };
    return keys[bottleneck];
}

enum gsim_status gsim_bottlenecks_compute(const struct gsim_timeline *timeline, const struct gsim_device_spec *device,
                                     const struct gsim_kernel_alone *alone, struct gsim_metrics *metrics,
                                     struct gsim_error *error)
{
    struct walk w = {
        .timeline = timeline, .device = device, .alone = alone, .metrics = metrics, .gap = longest_gap(device)};
    if (timeline->request_count || !timeline->detailed || !timeline->api_count || !timeline->program ||
        metrics->makespan <= 0)
        return GSIM_OK;
    w.op_time = GSIM_ARENA_ARRAY(&w.arena, gsim_time, timeline->program->op_count + 1);
    bool ok = w.op_time && make_lists(&w) && index_calls(&w);
    if (ok) {
        const struct gsim_timeline *t = w.timeline;
        struct place at = {w.metrics->makespan, NONE, NONE};
        if (t->api_count) at.call = (uint32_t)t->api_count - 1;
        uint32_t last = w.record_count ? w.records[w.record_count - 1] : NONE;
        if (last != NONE && (at.call == NONE || end_of(&w, last) > call_end(&w, at.call)))
            at = (struct place){end_of(&w, last), at.call, last};
        for (size_t steps = 2 * (t->api_count + w.record_count) + 2; at.time > 0 && steps > 0; steps--) {
            if (at.record != NONE) step_device(&w, &at);
            else step_host(&w, &at);
        }
        charge(&w, GSIM_BOTTLENECK_HOST, 0, at.time);
        name_bottleneck(&w);
        metrics->has_bottlenecks = true;
    }
    gsim_arena_release(&w.arena);
    return ok ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "cannot tell what limits the run: out of memory");
}
