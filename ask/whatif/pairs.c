/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See ask/whatif/pairs.h: one sweep over the starts and ends of kernels; a stream that runs nothing while another
 * does is asked what its next kernel lacks (ask/whatif/blame.h). Runs without a reason: ask/whatif/without.c.
 */
#include "ask/whatif/pairs.h"

#include <stdlib.h>

#include "ask/whatif/blame.h"
#include "gpusim/order.h"

#define STREAMS GSIM_PAIR_STREAMS
#define NONE    UINT32_MAX

static const struct {
    const char *word, *text, *without;
} reasons[GSIM_PAIR_REASON_COUNT] = {
#define REASON_ROW(name, word_, text_, without_) [GSIM_PAIR_##name] = {word_, text_, without_},
    GSIM_REASON_MAP(REASON_ROW)
#undef REASON_ROW
};

const char *gsim_reason_word(enum gsim_reason reason) { return reasons[reason].word; }
const char *gsim_reason_text(enum gsim_reason reason) { return reasons[reason].text; }
const char *gsim_reason_without(enum gsim_reason reason) { return reasons[reason].without; }

/* The reason of a cause; GSIM_PAIR_REASON_COUNT for none of the six. */
static enum gsim_reason reason_of(enum gsim_cause cause)
{
    switch (cause) {
    case GSIM_CAUSE_LAUNCH_CALLS:
    case GSIM_CAUSE_FRAMEWORK:
    case GSIM_CAUSE_HOST_WORK:
    case GSIM_CAUSE_NAMED:
    case GSIM_CAUSE_OTHER_CALLS:
    case GSIM_CAUSE_LAUNCH_LATENCY:
    case GSIM_CAUSE_LAUNCH_QUEUE:
        return GSIM_PAIR_HOST;
    case GSIM_CAUSE_RESULT:
        return GSIM_PAIR_WAITS;
    case GSIM_CAUSE_DEPENDENCE:
        return GSIM_PAIR_DEPENDENCE;
    case GSIM_CAUSE_HW_QUEUE:
        return GSIM_PAIR_QUEUE;
    case GSIM_CAUSE_ROOM_THREADS:
    case GSIM_CAUSE_ROOM_REGISTERS:
    case GSIM_CAUSE_ROOM_SMEM:
    case GSIM_CAUSE_ROOM_BLOCKS:
    case GSIM_CAUSE_ROOM_CARVEOUT:
    case GSIM_CAUSE_ROOM_GRIDS:
    case GSIM_CAUSE_ROOM_ORDER:
        return GSIM_PAIR_ROOM;
    case GSIM_CAUSE_COPY_ENGINE:
    case GSIM_CAUSE_DATA:
        return GSIM_PAIR_COPIES;
    case GSIM_CAUSE_NONE:
    case GSIM_CAUSE_GAP:
    case GSIM_CAUSE_GRAPH_GAP:
    case GSIM_CAUSE_OTHER_RANKS:
    case GSIM_CAUSE_UNEXPLAINED:
    case GSIM_CAUSE_END:
    case GSIM_CAUSE_COUNT:
        break;
    }
    return GSIM_PAIR_REASON_COUNT;
}

/* --- the streams --- */
struct stream {
    uint32_t number;
    uint32_t *kernels; /* works, by start */
    uint32_t count, next, running;
    gsim_time busy;
};

struct sweep {
    const struct gsim_moments *m;
    gsim_time from, to;
    struct stream *streams; /* the STREAMS busiest */
    uint32_t stream_count, all_count;
    uint32_t *running, running_count, *works;
    gsim_time (*held)[STREAMS][GSIM_PAIR_REASON_COUNT]; /* by the stream that runs, the one that does not */
    gsim_time (*overlap)[STREAMS];
};

static bool is_of_pairs(const struct sweep *s, const struct gsim_moment_work *w)
{
    return !w->is_copy && !w->is_unexplained && w->call != NONE && w->end > s->from && w->start < s->to;
}

GSIM_ORDER(compare_busy, struct stream, GSIM_DOWN(busy) GSIM_UP(number))

GSIM_ORDER(compare_streams, struct stream, GSIM_UP(number))

static struct stream *find_stream(struct sweep *s, uint32_t number, uint32_t count)
{
    const struct stream key = {.number = number};
    return count ? bsearch(&key, s->streams, count, sizeof key, compare_streams) : NULL;
}

/* All streams with kernels; then only the busiest, in the order of their numbers. */
static bool list_streams(struct sweep *s)
{
    const struct gsim_moments *m = s->m;
    uint32_t greatest = 0, *place;
    for (uint32_t i = 0; i < m->kernel_count; i++)
        if (m->works[m->starts[i]].stream > greatest) greatest = m->works[m->starts[i]].stream;
    place = gsim_alloc(sizeof *place * ((size_t)greatest + 1)); /* counted from 1 */
    s->streams = gsim_alloc(sizeof *s->streams * ((size_t)greatest + 1));
    s->works = gsim_alloc(sizeof *s->works * ((size_t)m->kernel_count + 1));
    s->running = gsim_alloc(sizeof *s->running * ((size_t)m->kernel_count + 1));
    for (uint32_t i = 0; place && s->streams && i < m->kernel_count; i++) {
        const struct gsim_moment_work *w = &m->works[m->starts[i]];
        if (!is_of_pairs(s, w)) continue;
        if (!place[w->stream]) {
            place[w->stream] = ++s->all_count;
            s->streams[s->all_count - 1] = (struct stream){.number = w->stream};
        }
        s->streams[place[w->stream] - 1].busy += w->end - w->start;
    }
    gsim_free(place);
    if (!place || !s->streams || !s->works || !s->running) return false;
    if (s->all_count > 1) qsort(s->streams, s->all_count, sizeof *s->streams, compare_busy);
    s->stream_count = s->all_count < STREAMS ? s->all_count : STREAMS;
    if (s->stream_count > 1) qsort(s->streams, s->stream_count, sizeof *s->streams, compare_streams);
    return true;
}

static void list_kernels(struct sweep *s)
{
    const struct gsim_moments *m = s->m;
    uint32_t at = 0;
    for (uint32_t i = 0; i < m->kernel_count; i++) {
        const struct gsim_moment_work *w = &m->works[m->starts[i]];
        struct stream *stream = is_of_pairs(s, w) ? find_stream(s, w->stream, s->stream_count) : NULL;
        if (stream) stream->count++;
    }
    for (uint32_t i = 0; i < s->stream_count; i++) {
        s->streams[i].kernels = &s->works[at];
        at += s->streams[i].count;
        s->streams[i].count = 0;
        s->streams[i].busy = 0;
    }
    for (uint32_t i = 0; i < m->kernel_count; i++) {
        const struct gsim_moment_work *w = &m->works[m->starts[i]];
        struct stream *stream = is_of_pairs(s, w) ? find_stream(s, w->stream, s->stream_count) : NULL;
        if (stream) stream->kernels[stream->count++] = m->starts[i];
    }
}

/* --- the sweep --- */
/* A copy of pageable memory keeps the host until it is done: that is the copy's doing. */
static enum gsim_reason reason_at(const struct sweep *s, uint32_t work, gsim_time time,
                                  const struct gsim_running *running, struct gsim_until *until)
{
    const struct gsim_api_record *apis = s->m->timeline->apis;
    enum gsim_reason reason = reason_of(gsim_blame(s->m, work, time, false, running, until));
    if (reason != GSIM_PAIR_WAITS) return reason;
    uint32_t call = gsim_moments_call_at(s->m, apis[s->m->works[work].call].thread, time);
    return call != NONE && apis[call].api == GSIM_API_MEMCPY ? GSIM_PAIR_COPIES : reason;
}

/* The work that the next kernel of a stream waits for, through all that has not started either; GSIM_NO_WORK where
 * there is none. */
static uint32_t blocker_of(const struct sweep *s, uint32_t work, gsim_time time)
{
    const struct gsim_moment_work *works = s->m->works;
    while (works[work].after != GSIM_NO_WORK && works[works[work].after].start > time) work = works[work].after;
    return works[work].after;
}

static void hold(struct sweep *s, uint32_t idle, gsim_time from, gsim_time to)
{
    const struct stream *stream = &s->streams[idle];
    const struct gsim_running running = {s->running, s->running_count};
    if (stream->next == stream->count) return;
    while (from < to) {
        struct gsim_until until;
        enum gsim_reason reason = reason_at(s, stream->kernels[stream->next], from, &running, &until);
        uint32_t blocker =
                     reason == GSIM_PAIR_DEPENDENCE ? blocker_of(s, stream->kernels[stream->next], from) : GSIM_NO_WORK,
                 by = NONE;
        if (blocker != GSIM_NO_WORK && s->m->works[blocker].is_copy)
            reason = GSIM_PAIR_COPIES;
        else if (blocker != GSIM_NO_WORK)
            by = s->m->works[blocker].stream;
        if (until.time > to) until.time = to;
        for (uint32_t i = 0; i < s->stream_count && reason != GSIM_PAIR_REASON_COUNT; i++)
            if (s->streams[i].running && (by == NONE || by == s->streams[i].number))
                s->held[i][idle][reason] += until.time - from;
        from = until.time;
    }
}

static void account(struct sweep *s, gsim_time from, gsim_time to)
{
    for (uint32_t i = 0; i < s->stream_count; i++) {
        if (!s->streams[i].running) {
            hold(s, i, from, to);
            continue;
        }
        s->streams[i].busy += to - from;
        for (uint32_t k = i + 1; k < s->stream_count; k++)
            if (s->streams[k].running) s->overlap[i][k] += to - from;
    }
}

static void start(struct sweep *s, uint32_t work)
{
    struct stream *stream = find_stream(s, s->m->works[work].stream, s->stream_count);
    s->running[s->running_count++] = work;
    if (!stream) return;
    stream->running++;
    while (stream->next < stream->count && s->m->works[stream->kernels[stream->next]].start <= s->m->works[work].start)
        stream->next++;
}

static void end(struct sweep *s, uint32_t work)
{
    struct stream *stream = find_stream(s, s->m->works[work].stream, s->stream_count);
    uint32_t i = 0;
    while (i < s->running_count && s->running[i] != work) i++;
    if (i == s->running_count) return;
    s->running[i] = s->running[--s->running_count];
    if (stream) stream->running--;
}

static void sweep(struct sweep *s)
{
    const struct gsim_moments *m = s->m;
    uint32_t next_start = 0, next_end = 0;
    gsim_time now = s->from;
    while (now < s->to) {
        gsim_time then = s->to;
        for (; next_start < m->kernel_count && m->works[m->starts[next_start]].start <= now; next_start++)
            if (is_of_pairs(s, &m->works[m->starts[next_start]])) start(s, m->starts[next_start]);
        for (; next_end < m->work_count && m->works[m->by_end[next_end]].end <= now; next_end++)
            if (!m->works[m->by_end[next_end]].is_copy) end(s, m->by_end[next_end]);
        if (next_start < m->kernel_count && m->works[m->starts[next_start]].start < then)
            then = m->works[m->starts[next_start]].start;
        if (next_end < m->work_count && m->works[m->by_end[next_end]].end < then)
            then = m->works[m->by_end[next_end]].end;
        if (s->running_count && then > now) account(s, now, then);
        now = then > now ? then : now + 1;
    }
}

/* --- the pairs --- */
GSIM_ORDER(compare_pairs, struct gsim_pair, GSIM_DOWN(apart) GSIM_UP(streams[0]) GSIM_UP(streams[1]))

static bool list_pairs(const struct sweep *s, struct gsim_pair **pairs, size_t *count)
{
    *pairs = gsim_alloc(sizeof(**pairs) * ((size_t)s->stream_count * s->stream_count / 2 + 1));
    if (!*pairs) return false;
    for (uint32_t i = 0; i < s->stream_count; i++)
        for (uint32_t k = i + 1; k < s->stream_count; k++) {
            const struct stream *a = &s->streams[i], *b = &s->streams[k];
            gsim_time most = a->busy < b->busy ? a->busy : b->busy;
            struct gsim_pair pair = {.streams = {a->number, b->number},
                                     .busy = {a->busy, b->busy},
                                     .overlap = s->overlap[i][k],
                                     .apart = most - s->overlap[i][k]};
            for (int r = 0; r < GSIM_PAIR_REASON_COUNT; r++) pair.held[r] = s->held[i][k][r] + s->held[k][i][r];
            if (pair.apart > 0) (*pairs)[(*count)++] = pair;
        }
    if (*count > 1) qsort(*pairs, *count, sizeof(**pairs), compare_pairs);
    return true;
}

enum gsim_status gsim_pairs_find(const struct gsim_explanation *x, struct gsim_pair **pairs, size_t *count,
                                 struct gsim_error *error)
{
    struct sweep s = {.m = x->moments, .from = x->from, .to = x->from + x->makespan};
    *pairs = NULL;
    *count = 0;
    s.held = gsim_alloc(sizeof *s.held * STREAMS);
    s.overlap = gsim_alloc(sizeof *s.overlap * STREAMS);
    bool ok = s.held && s.overlap && list_streams(&s);
    if (ok && s.stream_count > 1) {
        list_kernels(&s);
        sweep(&s);
        ok = list_pairs(&s, pairs, count);
    }
    void *const arrays[] = {s.held, s.overlap, s.streams, s.works, s.running};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) gsim_free(arrays[i]);
    return ok ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "cannot explain the run: out of memory");
}
