/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a recording of gpusim trace says beside PyTorch's events (traces/tracer): what recording cost, and when the
 * host had waited, with it and, in a second run, without. The waits tie the two runs' times together.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/base/scan.h"
#include "traces/import/records/kineto_header.h"
#include "traces/import/records/records.h"
#include "traces/import/values.h"

void gsim_recorded_costs(struct gsim_records *r, const char *text)
{
    r->cost.call_ns = gsim_value_number(gsim_value_member(text, "call_ns"), 0);
    r->cost.launch_ns = gsim_value_number(gsim_value_member(text, "launch_ns"), 0);
    r->cost.pace_ns = gsim_value_number(gsim_value_member(text, "pace_ns"), 0);
    r->cost.is_known = r->cost.call_ns > 0 && r->cost.call_ns < 1e5;
}

/* The event of phase "M" at TEXT: the header, or the end of a wait. */
enum gsim_status gsim_recorded_meta(struct gsim_records *r, const char *text)
{
    const char *category = gsim_value_member(text, "cat"), *args = gsim_value_member(text, "args");
    struct gsim_scan_text key;
    if (gsim_value_is_text(category, "gpusim") && args && *args == '{')
        GSIM_SCAN_EACH (value, args, &key) {
            char name[32];
            gsim_kineto_header(r, gsim_scan_key(&key, name, sizeof name), value);
        }
    const char *digits = gsim_value_digits(gsim_value_member(text, "ts"));
    if (!gsim_value_is_text(category, "waited") || !digits) return GSIM_OK;
    struct gsim_waited *w = &r->waited[gsim_value_is_text(gsim_value_member(text, "name"), "untraced")];
    if (gsim_array_grow(&w->ns, sizeof *w->ns, w->count, &w->room))
        return gsim_error_set(r->error, GSIM_NOMEM, "out of memory");
    w->ns[w->count++] = gsim_value_ns(digits);
    return GSIM_OK;
}

/* A call, with those of the driver that it made, as so many host events; launches count again. */
enum gsim_status gsim_recorded_call(struct gsim_records *r, const struct gsim_host_event *event, const char *name,
                                    const char *args)
{
    char text[96];
    double inner = gsim_value_number(gsim_value_member(args, "inner"), 0);
    struct gsim_host_event more = {event->start_ns, 0, GSIM_NO_NAME, GSIM_HOST_CALL};
    enum gsim_status status = gsim_records_add_host_event(r, event);
    for (int i = 0; i < inner && i < 64 && status == GSIM_OK; i++) status = gsim_records_add_host_event(r, &more);
    if (!name || *name != '"' || !gsim_scan_string(name, text, sizeof text)) return status;
    enum gsim_call_kind kind = gsim_records_call_kind(text);
    more.kind = GSIM_HOST_LAUNCH;
    bool launches =
        kind == GSIM_CALL_LAUNCH || kind == GSIM_CALL_COPY || strstr(text, "emcpy") || strstr(text, "emset");
    return status == GSIM_OK && launches ? gsim_records_add_host_event(r, &more) : status;
}

/* The time of the run without recording at NS of the other; between two waits in proportion. */
static double without(const struct gsim_records *r, int64_t ns)
{
    const struct gsim_waited *with = &r->waited[0], *plain = &r->waited[1];
    uint32_t low = 0, high = with->count - 1;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (with->ns[middle] <= ns) low = middle;
        else high = middle;
    }
    double from = (double)with->ns[low], length = (double)with->ns[low + 1] - from,
           plain_length = (double)(plain->ns[low + 1] - plain->ns[low]);
    return (double)(plain->ns[low] - plain->ns[0]) + ((double)ns - from) * (length > 0 ? plain_length / length : 1);
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* What steps take without recording: the median of all but the first, of those between the first wait and the last. */
enum gsim_status gsim_recorded_steps(const struct gsim_records *r, struct gsim_trace_steps *found)
{
    const struct gsim_waited *with = &r->waited[0], *plain = &r->waited[1];
    uint32_t count = 0;
    r->notes->unlike_runs = plain->count && plain->count != with->count ? 1 : 0;
    if (plain->count < 2 || plain->count != with->count || found->count < 2) return GSIM_OK;
    double *us = gsim_alloc(sizeof *us * found->count);
    if (!us) return gsim_error_set(r->error, GSIM_NOMEM, "out of memory");
    for (uint32_t i = 1; i < found->count; i++) {
        const struct gsim_trace_step *step = &found->steps[i];
        if (step->start_ns < with->ns[0] || step->end_ns > with->ns[with->count - 1] + GSIM_SKEW_NS) continue;
        us[count++] = (without(r, step->end_ns) - without(r, step->start_ns)) / 1e3;
    }
    if (count) qsort(us, count, sizeof *us, compare);
    if (count) found->untraced_us = count % 2 ? us[count / 2] : (us[count / 2 - 1] + us[count / 2]) / 2;
    gsim_free(us);
    return GSIM_OK;
}
