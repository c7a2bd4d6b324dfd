/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Idle time of the GPU that a trace does not explain: other ranks, host functions, values that the GPU polls, clocks that step. */
#include <stdlib.h>

#include "traces/import/records/records.h"

#define LATE_NS       1000000000 /* from a launch to its start on an idle GPU; launches take microseconds */
#define LEAST_IDLE_NS 100000     /* a launch reaches an idle GPU within some tens of us, also under a profiler */

struct begun {
    int64_t start_ns, end_ns, launched_ns;
    uint32_t work;
};

static int compare_begun(const void *left, const void *right)
{
    const struct begun *a = left, *b = right;
    if (a->start_ns != b->start_ns) return a->start_ns < b->start_ns ? -1 : 1;
    return a->work < b->work ? -1 : a->work > b->work;
}

/* A GPU that has nothing to do starts what has been launched: clocks that step, or records mixed up. */
enum gsim_status gsim_records_find_idle(struct gsim_records *r)
{
    struct begun *all = gsim_alloc(sizeof *all * ((size_t)r->work_count + 1));
    int64_t busy_ns = INT64_MIN;
    if (!all) return gsim_error_set(r->error, GSIM_NOMEM, "out of memory");
    for (uint32_t i = 0; i < r->work_count; i++) {
        const struct gsim_activity *w = &r->works[i];
        bool is_launched = w->call != GSIM_NO_CALL && r->calls[w->call].end_ns > 0;
        all[i] = (struct begun){w->start_ns, w->end_ns, is_launched ? r->calls[w->call].end_ns : INT64_MAX, i};
    }
    if (r->work_count) qsort(all, r->work_count, sizeof *all, compare_begun);
    for (uint32_t i = 0; i < r->work_count; i++) {
        int64_t could_ns = all[i].launched_ns > busy_ns ? all[i].launched_ns : busy_ns;
        int64_t idle_ns = could_ns < all[i].start_ns ? all[i].start_ns - could_ns : 0;
        r->notes->late_starts += idle_ns > LATE_NS;
        if (r->options->gaps && idle_ns > LEAST_IDLE_NS && busy_ns != INT64_MIN && !r->works[all[i].work].is_moved) {
            r->works[all[i].work].idle_ns = idle_ns;
            r->notes->idle_us += (double)idle_ns / 1e3;
            r->notes->idle_waits++;
        }
        if (all[i].end_ns > busy_ns) busy_ns = all[i].end_ns;
    }
    gsim_free(all);
    return GSIM_OK;
}
