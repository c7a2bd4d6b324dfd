/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traces/import/part.h: works of one GPU, and those launched within a time or an annotation. */
#include "traces/import/part.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/import/records/records.h"

#define LISTED 8      /* in messages */
#define FAR_NS 0x1p62 /* behind all that a trace has, and no sum with a time of it overflows */

/* --- whose ------------------------------------------------------------------------------------------------------- */
static const char *label_of(const struct gsim_records *r, uint32_t process)
{
    for (uint32_t i = 0; i < r->rank_count; i++)
        if (r->ranks[i].process == process) return r->ranks[i].label;
    return "";
}

/* "1" is "[TP01]", too: by the last number in the label. */
static bool is_rank(const char *label, const char *rank)
{
    if (strcmp(label, rank) == 0) return true;
    const char *end = label + strlen(label);
    while (end > label && !isdigit((unsigned char)end[-1])) end--;
    const char *from = end;
    while (from > label && isdigit((unsigned char)from[-1])) from--;
    bool is_number = *rank && strspn(rank, "0123456789") == strlen(rank);
    return is_number && from < end && strtoull(from, NULL, 10) == strtoull(rank, NULL, 10);
}

static bool is_asked(const struct gsim_records *r, const struct gsim_stream_key *key)
{
    const struct gsim_import_part *part = &r->options->part;
    return (!part->has_gpu || key->gpu == part->gpu) && (!part->rank || is_rank(label_of(r, key->process), part->rank));
}

static bool is_timed(const struct gsim_activity *work)
{
    return work->end_ns > work->start_ns && work->end_ns - work->start_ns < GSIM_ENDLESS_NS;
}

/* What --gpu and --rank can be; OWNERS: the first stream of each GPU. */
static enum gsim_status no_such_gpu(const struct gsim_records *r, const uint32_t *first)
{
    char list[256] = "", asked[96] = "";
    const struct gsim_import_part *part = &r->options->part;
    uint32_t listed = 0;
    for (uint32_t s = 0; s < r->stream_count; s++) {
        size_t length = strlen(list);
        const char *label = label_of(r, r->streams[s].process);
        if (first[s] != s || listed++ >= LISTED) continue;
        snprintf(list + length, sizeof list - length, "%sGPU %" PRIu32 "%s%s", length ? ", " : "", r->streams[s].gpu,
                 label[0] ? " of rank " : "", label);
    }
    if (part->has_gpu) snprintf(asked, sizeof asked, "GPU %" PRIu32, part->gpu);
    if (part->rank)
        snprintf(asked + strlen(asked), sizeof asked - strlen(asked), "%srank %.40s", part->has_gpu ? " of " : "",
                 part->rank);
    return gsim_error_set(r->error, GSIM_INPUT, "expected one of the trace's GPUs (%s), found %s", list, asked);
}

static uint32_t choose(const struct gsim_records *r, const uint32_t *first, const int64_t *busy_ns)
{
    uint32_t best = GSIM_NO_STREAM;
    for (uint32_t s = 0; s < r->stream_count; s++)
        if (first[s] == s && is_asked(r, &r->streams[s]) && (best == GSIM_NO_STREAM || busy_ns[s] > busy_ns[best]))
            best = s;
    return best;
}

static enum gsim_status keep(struct gsim_records *r, uint32_t *first, int64_t *busy_ns)
{
    uint32_t kept = 0;
    for (uint32_t s = 0; s < r->stream_count; s++) /* sums per GPU stand at its first stream */
        while (r->streams[first[s]].device != r->streams[s].device) first[s]++;
    for (uint32_t i = 0; i < r->work_count; i++)
        if (is_timed(&r->works[i])) busy_ns[first[r->works[i].stream]] += r->works[i].end_ns - r->works[i].start_ns;
    uint32_t best = choose(r, first, busy_ns);
    if (best == GSIM_NO_STREAM) return no_such_gpu(r, first);
    for (uint32_t i = 0; i < r->work_count; i++) {
        if (first[r->works[i].stream] == best) r->works[kept++] = r->works[i];
        else r->notes->other_devices++;
    }
    r->work_count = kept;
    return GSIM_OK;
}

enum gsim_status gsim_records_keep_gpu(struct gsim_records *r)
{
    if (!r->stream_count) return GSIM_OK;
    uint32_t *first = gsim_alloc(sizeof *first * r->stream_count);
    int64_t *busy_ns = gsim_alloc(sizeof *busy_ns * r->stream_count);
    enum gsim_status status = first && busy_ns ? keep(r, first, busy_ns) : gsim_no_memory(r->error);
    gsim_free(first);
    gsim_free(busy_ns);
    return status;
}

/* --- from when to when ----------------------------------------------------------------------------------------- */
struct window {
    int64_t from_ns, to_ns; /* launched at the first or later, before the second */
};

/* Of the works launched within WINDOW the first and last; false: there are none. */
static bool find_works(const struct gsim_steps *steps, const struct window *window, uint32_t *first, uint32_t *last)
{
    uint32_t works = 0;
    bool is_found = false;
    for (uint32_t i = 0; i < steps->count; i++) {
        const struct gsim_step *step = &steps->steps[i];
        if (step->kind != GSIM_STEP_WORK) continue;
        if (step->time_ns >= window->from_ns && step->time_ns < window->to_ns) {
            if (!is_found) *first = works;
            *last = works;
            is_found = true;
        }
        works++;
    }
    return is_found;
}

static enum gsim_status no_such_annotation(const struct gsim_records *r, const char *name, bool is_there)
{
    char list[320] = "";
    uint32_t listed = 0;
    for (uint32_t i = 0; i < r->annotation_count && listed < LISTED; i++) {
        bool is_new = true;
        for (uint32_t j = 0; j < i && is_new; j++) is_new = r->annotations[j].name != r->annotations[i].name;
        size_t length = strlen(list);
        if (is_new && ++listed)
            snprintf(list + length, sizeof list - length, "%s%.36s", length ? ", " : "",
                     r->names[r->annotations[i].name]);
    }
    if (!r->annotation_count)
        return gsim_error_set(r->error, GSIM_INPUT, "expected the annotation %s, found none in the trace", name);
    if (is_there)
        return gsim_error_set(r->error, GSIM_INPUT, "expected launches within the annotation %s, found none", name);
    return gsim_error_set(r->error, GSIM_INPUT, "expected one of the trace's annotations (%s, ...), found %s", list,
                          name);
}

static enum gsim_status find_annotation(const struct gsim_records *r, const struct gsim_steps *steps, const char *name,
                                        uint32_t *first, uint32_t *last)
{
    bool is_there = false;
    const struct gsim_annotation *best = NULL; /* the first in which something was launched */
    for (uint32_t i = 0; i < r->annotation_count; i++) {
        const struct gsim_annotation *a = &r->annotations[i];
        uint32_t from, to;
        if (strcmp(r->names[a->name], name) != 0) continue;
        is_there = true;
        if ((!best || a->start_ns < best->start_ns) &&
            find_works(steps, &(struct window){a->start_ns, a->end_ns}, &from, &to))
            best = a;
    }
    if (!best) return no_such_annotation(r, name, is_there);
    (void)find_works(steps, &(struct window){best->start_ns, best->end_ns}, first, last);
    return GSIM_OK;
}

static enum gsim_status find_time(const struct gsim_records *r, const struct gsim_steps *steps, uint32_t *first,
                                  uint32_t *last)
{
    const struct gsim_import_part *part = &r->options->part;
    const struct gsim_step *start = steps->steps, *end = steps->steps + steps->count;
    while (start < end && start->kind != GSIM_STEP_WORK) start++;
    if (start == end) return GSIM_OK;
    struct window window = {start->time_ns + gsim_whole(fmin(round(part->from_us * 1e3), FAR_NS)),
                            start->time_ns + gsim_whole(fmin(round(part->to_us * 1e3), FAR_NS))};
    if (find_works(steps, &window, first, last)) return GSIM_OK;
    return gsim_error_set(r->error, GSIM_INPUT,
                          "--time: expected launches from %g to %g us behind the first one, found none", part->from_us,
                          part->to_us);
}

static enum gsim_status no_such_step(const struct gsim_records *r, const struct gsim_trace_steps *found)
{
    const struct gsim_import_part *part = &r->options->part;
    char asked[32];
    snprintf(asked, sizeof asked, part->last_step > part->step ? "%" PRIu32 ":%" PRIu32 : "%" PRIu32, part->step,
             part->last_step);
    if (!found->count)
        return gsim_error_set(r->error, GSIM_INPUT,
                              "expected steps (ProfilerStep or other annotations, waits or launches that repeat), "
                              "found none in the trace");
    return gsim_error_set(r->error, GSIM_INPUT, "expected steps from %" PRIu32 " to %" PRIu32 " (%s), found %s",
                          found->steps[0].number, found->steps[found->count - 1].number, gsim_steps_by_text(found->by),
                          asked);
}

enum gsim_status gsim_records_find_window(const struct gsim_records *r, const struct gsim_trace_steps *found,
                                          bool *is_wanted, int64_t *from_ns, int64_t *until_ns)
{
    const struct gsim_import_part *part = &r->options->part;
    bool has_part = part->between || part->has_time || r->options->first || r->options->last != UINT32_MAX;
    *is_wanted = part->has_step || (part->takes_typical && !has_part && found->count);
    if (!*is_wanted) return GSIM_OK;
    const struct gsim_trace_step *first = NULL, *last = NULL;
    for (uint32_t i = 0; i < found->count; i++) {
        const struct gsim_trace_step *step = &found->steps[i];
        bool is_in =
            part->has_step ? step->number >= part->step && step->number <= part->last_step : i == found->typical;
        if (is_in && !first) first = step;
        if (is_in) last = step;
    }
    if (!first) return no_such_step(r, found);
    *from_ns = first->start_ns;
    *until_ns = last->end_ns;
    return GSIM_OK;
}

enum gsim_status gsim_records_find_part(const struct gsim_records *r, const struct gsim_steps *steps, uint32_t *first,
                                        uint32_t *last)
{
    const struct gsim_import_part *part = &r->options->part;
    *first = r->options->first;
    *last = r->options->last;
    if (part->between) return find_annotation(r, steps, part->between, first, last);
    return part->has_time ? find_time(r, steps, first, last) : GSIM_OK;
}
