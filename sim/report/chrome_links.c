/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See sim/report/chrome_links.h. A stream's work is in the order of its calls, which correlations count, so what stands
 * before a recording and behind a wait follows from them. A graph's nodes share one correlation.
 */
#include "sim/report/chrome_links.h"

#include "gpusim/order.h"
#include "sim/base/first.h"

#define INSIDE 1000 /* an arrow begins so long before its slice ends: at the end itself readers find no slice */

static void put_label(struct gsim_output *output, const char *what, const char *value)
{
    gsim_output_printf(output, ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":0,\"name\":\"%s\",\"ts\":0,\"args\":{%s}}",
                       GSIM_TRACE_ITERATIONS_PID, what, value);
}

void gsim_chrome_write_iterations(const struct gsim_result *result, struct gsim_output *output)
{
    const struct gsim_timeline *timeline = result->timeline;
    if (!timeline->iteration_count) return;
    put_label(output, "process_name", "\"name\":\"iterations\"");
    put_label(output, "process_sort_index", "\"sort_index\":-1");
    put_label(output, "thread_name", "\"name\":\"iterations\"");
    for (size_t i = 0; i < timeline->iteration_count; i++) {
        const struct gsim_iteration_record *iteration = &timeline->iterations[i];
        if (!gsim_result_shows(result, iteration->start, iteration->end)) continue;
        gsim_output_put(output, ",\n{'ph':'X','cat':'iteration','pid':%u,'tid':0,'name':'iteration %z%s','ts':%t,"
                                "'dur':%t,'args':{'iteration':%z,'streams':%u,'events recorded':%u,'stream waits':%u}}",
                        GSIM_TRACE_ITERATIONS_PID, i, i < timeline->warm_up_count ? " (warm-up)" : "", iteration->start,
                        iteration->end - iteration->start, i, iteration->streams_used, iteration->events_recorded,
                        iteration->stream_waits);
    }
}

/* --- waits ------------------------------------------------------------------------------------------------------- */
GSIM_ORDER(compare_works, struct gsim_trace_work, GSIM_UP(stream) GSIM_UP(correlation) GSIM_UP(start))

/* The first of STREAM whose correlation is CORRELATION or more; COUNT: none in any stream from there on. */
static size_t find_from(const struct gsim_trace_work *works, size_t count, uint32_t stream, uint32_t correlation)
{
    GSIM_FIRST (low, (uint32_t)count, middle,
                works[middle].stream != stream ? works[middle].stream < stream
                                               : works[middle].correlation < correlation)
    return low;
}

static void put_end(struct gsim_output *output, const char *phase, const struct gsim_trace_work *work, uint64_t id,
                    gsim_time at)
{
    gsim_output_put(output, ",\n{'ph':'%s','cat':'event_wait','pid':%u,'tid':%z,'name':'waits for','id':%z,'ts':%t%s",
                    phase, work->device, (unsigned long long)work->tid, (unsigned long long)id, at,
                    *phase == 'f' ? ",\"bp\":\"e\"}" : "}");
}

void gsim_chrome_write_waits(const struct gsim_result *result, struct gsim_trace_work *works, size_t count,
                             uint64_t after_id, struct gsim_output *output)
{
    const struct gsim_timeline *timeline = result->timeline;
    if (count) qsort(works, count, sizeof *works, compare_works);
    for (size_t i = 0; i < timeline->wait_count; i++) {
        const struct gsim_wait_record *wait = &timeline->waits[i];
        if (wait->waiting_stream == wait->recorded_stream) continue;
        /* Of what the last call before wait->record_correlation issued to wait->recorded_stream, that which ends last.
         */
        const struct gsim_trace_work *from = NULL;
        for (size_t k = find_from(works, count, wait->recorded_stream, wait->record_correlation); k > 0; k--) {
            const struct gsim_trace_work *work = &works[k - 1];
            if (work->stream != wait->recorded_stream || (from && work->correlation != from->correlation)) break;
            if (!from || work->end > from->end) from = work;
        }
        uint32_t correlation = wait->correlation;
        size_t j = find_from(works, count, wait->waiting_stream, correlation + 1);
        const struct gsim_trace_work *to = j < count && works[j].stream == wait->waiting_stream ? &works[j] : NULL;
        if (!from || !to || to->start < from->end) continue; /* not kept: the run's own check has said so */
        gsim_time length = from->end - from->start, inside = length / 2 < INSIDE ? length / 2 : INSIDE;
        put_end(output, "s", from, after_id + 1 + i, from->end - inside);
        put_end(output, "f", to, after_id + 1 + i, to->start);
    }
}
