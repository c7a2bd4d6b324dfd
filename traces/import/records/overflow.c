/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Works whose recorded duration overflowed: they reach far beyond works of their own stream that come after them. Works
 * that the profiler put on one stream though they ran side by side reach into each other, too, but not beyond several.
 */
#include "traces/import/records/records.h"

#define FAR 10.0 /* times the time to the end of the only successor: assumed */

/* The successors have been looked at. */
static bool is_overflow(const struct gsim_records *r, uint32_t i)
{
    const struct gsim_activity *work = &r->works[i], *next = work + 1, *then = work + 2;
    if (i + 1 >= r->work_count || next->stream != work->stream || next->is_moved) return false;
    if (work->end_ns - work->start_ns >= GSIM_ENDLESS_NS) return true;
    if (i + 2 >= r->work_count || then->stream != work->stream)
        return (double)(work->end_ns - work->start_ns) > FAR * (double)(next->end_ns - work->start_ns);
    return work->end_ns > then->end_ns && next->end_ns <= then->start_ns + (next->end_ns - next->start_ns) / 2;
}

void gsim_records_cut_overflows(struct gsim_records *r)
{
    for (uint32_t i = r->work_count; i-- > 0;) {
        struct gsim_activity *work = &r->works[i];
        bool is_last = i + 1 == r->work_count || work[1].stream != work->stream;
        if (is_last && work->end_ns - work->start_ns >= GSIM_ENDLESS_NS) {
            r->notes->empty++;
            work->end_ns = work->start_ns + 1;
        } else if (!work->is_moved && is_overflow(r, i)) {
            r->notes->cut_ends++;
            work->end_ns = work[1].start_ns > work->start_ns ? work[1].start_ns : work->start_ns + 1;
        }
    }
}
