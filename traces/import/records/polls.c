/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waits that are none by their names: calls that free or allocate memory and return when the GPU has done what was
 * launched before, and loops that ask until it has. Both become synchronising calls; other long calls that may wait own
 * their time.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/base/first.h"
#include "gpusim/order.h"
#include "traces/import/records/records.h"

#define LATE_NS 20000 /* behind the end of the GPU's work: a call that returns later may not have waited for it */
/* Calls that ask so often or for so long wait; PyTorch's allocator asked up to 24 times in 77 us (DeepSeek's trace). */
#define SURE_CALLS 64
#define SURE_NS    200000

struct ended {
    int64_t start_ns, end_ns; /* of a work's call, of the work */
};

GSIM_ORDER(compare_ended, struct ended, GSIM_UP(start_ns))

GSIM_ORDER(compare_ends, struct ended, GSIM_UP(end_ns))

static uint32_t list_ends(const struct gsim_records *r, struct ended *all)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->work_count; i++) {
        const struct gsim_activity *w = &r->works[i];
        if (w->call != GSIM_NO_CALL && !w->is_moved)
            all[count++] = (struct ended){r->calls[w->call].start_ns, w->end_ns};
    }
    return count;
}

/* By their calls, with the latest end of any up to each. */
static void order_launches(struct ended *all, uint32_t count)
{
    if (count) qsort(all, count, sizeof *all, compare_ended);
    for (uint32_t i = 1; i < count; i++)
        if (all[i].end_ns < all[i - 1].end_ns) all[i].end_ns = all[i - 1].end_ns;
}

/* How many of ALL were launched before TIME. */
static uint32_t launched_by(const struct ended *all, uint32_t count, int64_t time_ns)
{
    GSIM_FIRST (low, count, middle, all[middle].start_ns < time_ns)
    return low;
}

/* When all that was launched before TIME had ended; INT64_MIN: nothing was. */
static int64_t done_at(const struct ended *all, uint32_t count, int64_t time_ns)
{
    uint32_t launched = launched_by(all, count, time_ns);
    return launched ? all[launched - 1].end_ns : INT64_MIN;
}

static enum gsim_status find_hidden_wait(struct gsim_records *r, const struct ended *all, uint32_t count,
                                         struct gsim_call *call)
{
    int64_t done_ns = done_at(all, count, call->start_ns);
    int64_t late_ns = call->end_ns - done_ns, waited_ns = done_ns - call->start_ns;
    bool has_waited = done_ns > call->start_ns && (late_ns >= 0 ? late_ns <= LATE_NS + waited_ns
                                                                : late_ns >= -GSIM_SKEW_NS && -4 * late_ns < waited_ns);
    if (has_waited) {
        call->kind = GSIM_CALL_SYNC_DEVICE;
        return GSIM_OK;
    }
    call->kind = GSIM_CALL_IDLE;
    return gsim_records_add_owner(r, call);
}

/* --- loops that ask --- */
GSIM_ORDER_AT(compare_by_thread, struct gsim_call, GSIM_UP(thread) GSIM_UP(start_ns) GSIM_PLACE)

/* When the first work of those launched before BY ended within FROM to TO; INT64_MIN: none did. ALL: by their ends. */
static int64_t ends_within(const struct ended *all, uint32_t count, int64_t by_ns, int64_t from_ns, int64_t to_ns)
{
    GSIM_FIRST (low, count, middle, all[middle].end_ns <= from_ns)
    for (; low < count && all[low].end_ns <= to_ns; low++)
        if (all[low].start_ns < by_ns) return all[low].end_ns;
    return INT64_MIN;
}

/* Calls that ask, one after the other, and the end of work that they may have waited for; INT64_MIN: none. */
struct loop {
    struct gsim_call **first, **last;
    int64_t found_ns;
    bool is_sure;
};

/* A loop ends with the work's end, or before the next call would have come. One that asks for long or often waits for
 * something that ended meanwhile, if for nothing later. */
static struct loop measure_loop(const struct ended *all, uint32_t count, struct gsim_call **first,
                                struct gsim_call **last)
{
    int64_t start_ns = (*first)->start_ns, end_ns = (*last)->end_ns;
    struct loop l = {first, last, INT64_MIN, last - first >= SURE_CALLS || end_ns - start_ns >= SURE_NS};
    if (last == first) return l;
    int64_t period_ns = ((*last)->start_ns - start_ns) / (last - first);
    l.found_ns = ends_within(all, count, start_ns, last[-1]->start_ns, end_ns);
    if (l.found_ns == INT64_MIN) l.found_ns = ends_within(all, count, start_ns, end_ns, end_ns + period_ns);
    if (l.found_ns == INT64_MIN && l.is_sure) l.found_ns = ends_within(all, count, start_ns, start_ns, end_ns);
    return l;
}

/* The first call becomes the wait. */
static void make_wait(const struct loop *l, bool waits)
{
    int64_t end_ns = (*l->last)->end_ns;
    for (struct gsim_call **at = l->first; at <= l->last; at++) (*at)->kind = GSIM_CALL_IDLE;
    if (!waits || l->found_ns == INT64_MIN) return;
    (*l->first)->kind = GSIM_CALL_SYNC_EVENT;
    (*l->first)->end_ns = l->found_ns > end_ns ? l->found_ns : end_ns;
}

/* The loops among the calls of one thread, to before UNTIL. PyTorch's allocator asks for blocks that other streams used
 * whenever it needs memory, and goes on: of such calls few end with some work, by chance, while loops that wait do. */
static void find_loops_of(const struct ended *all, uint32_t count, struct gsim_call **from, struct gsim_call **until)
{
    uint32_t loops = 0, found = 0;
    for (int pass = 0; pass < 2; pass++)
        for (struct gsim_call **at = from, **next; at < until; at = next) {
            for (next = at + 1; (*at)->kind == GSIM_CALL_QUERY && next < until; next++)
                if ((*next)->kind != GSIM_CALL_QUERY) break;
            if ((*at)->kind != GSIM_CALL_QUERY) continue;
            struct loop l = measure_loop(all, count, at, next - 1);
            if (pass) make_wait(&l, l.is_sure || 2 * found >= loops);
            else if (!l.is_sure && l.last > l.first) loops++, found += l.found_ns != INT64_MIN;
        }
}

/* A thread that launches nothing asks for itself, as NCCL's watchdog in PyTorch does: nobody waits. CALLS: by
 * thread. */
static enum gsim_status drop_watchers(const struct gsim_records *r, struct gsim_call **calls)
{
    bool *makes = gsim_alloc(r->call_count + 1);
    if (!makes) return gsim_no_memory(r->error);
    memset(makes, 0, r->call_count + 1);
    for (uint32_t i = 0; i < r->work_count; i++)
        if (r->works[i].call != GSIM_NO_CALL) makes[r->works[i].call] = true;
    for (uint32_t from = 0, until; from < r->call_count; from = until) {
        bool launches = false;
        for (until = from; until < r->call_count && calls[until]->thread == calls[from]->thread; until++)
            launches |= makes[calls[until] - r->calls];
        for (uint32_t i = from; i < until && !launches; i++)
            if (calls[i]->kind == GSIM_CALL_QUERY) calls[i]->kind = GSIM_CALL_IDLE;
    }
    gsim_free(makes);
    return GSIM_OK;
}

static enum gsim_status find_loops(struct gsim_records *r, const struct ended *all, uint32_t count)
{
    struct gsim_call **calls = gsim_alloc(sizeof *calls * ((size_t)r->call_count + 1));
    if (!calls) return gsim_no_memory(r->error);
    for (uint32_t i = 0; i < r->call_count; i++) calls[i] = &r->calls[i];
    qsort(calls, r->call_count, sizeof *calls, compare_by_thread);
    enum gsim_status status = drop_watchers(r, calls);
    if (status) {
        gsim_free(calls);
        return status;
    }
    for (uint32_t i = 0, next; i < r->call_count; i = next) {
        for (next = i + 1; next < r->call_count && calls[next]->thread == calls[i]->thread;) next++;
        find_loops_of(all, count, calls + i, calls + next);
    }
    gsim_free(calls);
    return GSIM_OK;
}

enum gsim_status gsim_records_find_hidden_waits(struct gsim_records *r)
{
    bool asks = false, may_wait = false;
    for (uint32_t i = 0; i < r->call_count; i++) {
        asks |= r->calls[i].kind == GSIM_CALL_QUERY;
        may_wait |= r->calls[i].kind == GSIM_CALL_MAY_WAIT;
    }
    if (!asks && !may_wait) return GSIM_OK;
    struct ended *all = gsim_alloc(sizeof *all * ((size_t)r->work_count + 1));
    if (!all) return gsim_no_memory(r->error);
    uint32_t count = list_ends(r, all);
    if (count) qsort(all, count, sizeof *all, compare_ends);
    enum gsim_status status = asks ? find_loops(r, all, count) : GSIM_OK;
    order_launches(all, count);
    for (uint32_t i = 0; i < r->call_count && status == GSIM_OK; i++)
        if (r->calls[i].kind == GSIM_CALL_MAY_WAIT) status = find_hidden_wait(r, all, count, &r->calls[i]);
    gsim_free(all);
    return status;
}
