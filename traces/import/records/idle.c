/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Idle time of the GPU that a trace does not explain: other ranks, host functions, values that the GPU polls, clocks
 * that step. */
#include <stdlib.h>

#include "gpusim/order.h"
#include "traces/import/records/records.h"

#define LATE_NS       1000000000 /* from a launch to its start on an idle GPU; launches take microseconds */
#define MIN_IDLE_NS 100000     /* a launch reaches an idle GPU within some tens of us, also under a profiler */
#define MIN_GAP_NS                                                                                                     \
    8000 /* between works of which the second has been launched for longer: such gaps take a microsecond or two */

struct begun {
    int64_t start_ns, end_ns, launched_ns; /* launched: INT64_MAX where that is not known */
    uint32_t work, call;
};

GSIM_ORDER(compare_begun, struct begun, GSIM_UP(start_ns) GSIM_UP(work))

/* Whether a launch does not explain that the GPU idled for so long before it: it is long ago, or it made the work
 * before, too. */
static bool is_unexplained(const struct gsim_records *r, const struct begun *work, const struct begun *before,
                           int64_t idle_ns)
{
    if (idle_ns > MIN_IDLE_NS) return true;
    bool is_node = before && work->call != GSIM_NO_CALL && before->call == work->call &&
                   r->calls[work->call].kind == GSIM_CALL_GRAPH;
    bool is_long_ago = before && work->launched_ns < work->start_ns - MIN_IDLE_NS;
    bool may_be_another = r->notes->zero_times || r->notes->early_starts; /* whose time is not known */
    return idle_ns > MIN_GAP_NS && (is_node || is_long_ago) && !may_be_another;
}

/* The mean gap between kernels of graphs that follow each other, without those that are kept as delays: from and to a
 * copy engine it is another. ALL: by start. */
static void find_node_gap(const struct gsim_records *r, const struct begun *all)
{
    int64_t sum_ns = 0, kernel_ns = 0;
    uint64_t count = 0, kernels = 0;
    for (uint32_t i = 1; i < r->work_count; i++) {
        const struct gsim_activity *work = &r->works[all[i].work], *before = &r->works[all[i - 1].work];
        bool is_node = all[i].call != GSIM_NO_CALL && all[i].call == all[i - 1].call &&
                       r->calls[all[i].call].kind == GSIM_CALL_GRAPH;
        int64_t gap_ns = all[i].start_ns - all[i - 1].end_ns;
        if (!is_node || work->is_moved || before->is_moved || gap_ns > MIN_GAP_NS) continue;
        if (work->stream != before->stream) return; /* branches */
        if (work->kind == GSIM_ACTIVITY_COPY || before->kind == GSIM_ACTIVITY_COPY) continue;
        if (gap_ns < 0) gap_ns = 0;
        sum_ns += gap_ns;
        count++;
        if (work->kind == GSIM_ACTIVITY_MEMSET || before->kind == GSIM_ACTIVITY_MEMSET) continue;
        kernel_ns += gap_ns;
        kernels++;
    }
    r->notes->node_gaps = count;
    r->notes->node_gap_us = count ? (double)sum_ns / (double)count / 1e3 : 0;
    r->notes->kernel_gap_us = kernels ? (double)kernel_ns / (double)kernels / 1e3 : r->notes->node_gap_us;
}

/* A GPU that has nothing to do starts what has been launched: clocks that step, or records mixed up. */
enum gsim_status gsim_records_find_idle(struct gsim_records *r)
{
    struct begun *all = gsim_alloc(sizeof *all * ((size_t)r->work_count + 1));
    int64_t busy_ns = INT64_MIN;
    if (!all) return gsim_no_memory(r->error);
    for (uint32_t i = 0; i < r->work_count; i++) {
        const struct gsim_activity *w = &r->works[i];
        bool is_launched = w->call != GSIM_NO_CALL && r->calls[w->call].end_ns > 0;
        all[i] = (struct begun){w->start_ns, w->end_ns, is_launched ? r->calls[w->call].end_ns : INT64_MAX, i, w->call};
        if (w->call == GSIM_NO_CALL && i) all[i].launched_ns = INT64_MIN; /* no launch explains it */
    }
    if (r->work_count) qsort(all, r->work_count, sizeof *all, compare_begun);
    for (uint32_t i = 0; i < r->work_count; i++) {
        int64_t could_ns = all[i].launched_ns > busy_ns ? all[i].launched_ns : busy_ns;
        int64_t idle_ns = could_ns < all[i].start_ns && could_ns > INT64_MIN ? all[i].start_ns - could_ns : 0;
        r->notes->late_starts += idle_ns > LATE_NS;
        bool is_first = i == 0, is_moved = r->works[all[i].work].is_moved;
        if (r->options->gaps && !is_moved && is_unexplained(r, &all[i], is_first ? NULL : &all[i - 1], idle_ns)) {
            r->works[all[i].work].idle_ns = idle_ns;
            r->notes->idle_us += (double)idle_ns / 1e3;
            r->notes->idle_waits++;
        }
        if (all[i].end_ns > busy_ns) busy_ns = all[i].end_ns;
    }
    find_node_gap(r, all);
    gsim_free(all);
    return GSIM_OK;
}

/* --- gaps between works that follow each other --- */
#define MIN_GAPS     16    /* so many tell what is usual */
#define LAUNCHED_NS  10000 /* before the work before ended: the launch is not what was waited for */

/* Whether works[i] followed the one before it at once. */
static bool follows(const struct gsim_records *r, uint32_t i)
{
    const struct gsim_activity *w = &r->works[i], *before = w - 1;
    if (w->stream != before->stream || w->kind != GSIM_ACTIVITY_KERNEL || before->kind != GSIM_ACTIVITY_KERNEL)
        return false;
    if (w->is_moved || before->is_moved) return false;
    if (w->call == GSIM_NO_CALL) return before->call == GSIM_NO_CALL; /* a trace of the GPU alone */
    return r->calls[w->call].kind != GSIM_CALL_GRAPH && r->calls[w->call].end_ns + LAUNCHED_NS < before->end_ns;
}

void gsim_records_find_gaps(struct gsim_records *r)
{
    uint32_t count = 0;
    int64_t sum_ns = 0;
    for (uint32_t i = 1; i < r->work_count; i++) {
        int64_t gap_ns = r->works[i].start_ns - r->works[i - 1].end_ns;
        if (gap_ns < 0 || gap_ns >= MIN_GAP_NS || !follows(r, i)) continue;
        sum_ns += gap_ns;
        count++;
    }
    r->notes->stream_gap_us = count < MIN_GAPS ? 0 : (double)sum_ns / 1e3 / count;
}
