/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See ask/whatif/path.h. Three places to be: in a work, before a work's start, in the host's time. Each step goes to
 * an earlier time, so that the parts are a partition of the makespan.
 */
#include "ask/whatif/path.h"

#include <stdlib.h>
#include <string.h>

#include "ask/whatif/blame.h"
#include "sim/base/first.h"
#include "gpusim/order.h"

struct walk {
    const struct gsim_moments *m;
    struct gsim_explanation *x;
    uint32_t *part_of; /* by kind and index: its part, counted from 1 */
    uint32_t *alike;   /* by kernel: the first of that name */
    uint32_t kernels;
    gsim_time now;     /* all behind it is accounted for */
    uint32_t thread;
    bool failed;
};

/* The part of that kind, of a cause also of what the host did; NULL when memory is out. */
static struct gsim_path_part *part_of(struct walk *w, enum gsim_part_kind kind, uint32_t index, const char *what)
{
    struct gsim_explanation *x = w->x;
    uint32_t key =
        kind == GSIM_PART_KERNEL ? index : w->kernels + (kind == GSIM_PART_COPY ? index : GSIM_COPY_KIND_COUNT + index);
    if (!what && w->part_of[key]) return &x->parts[w->part_of[key] - 1];
    for (size_t i = 0; what && i < x->part_count; i++)
        if (x->parts[i].kind == kind && x->parts[i].index == index && x->parts[i].what &&
            strcmp(x->parts[i].what, what) == 0)
            return &x->parts[i];
    if (!GSIM_APPEND(x->parts, x->part_count, x->part_room,
                     (struct gsim_path_part){.kind = kind, .index = index, .what = what}))
        return NULL;
    if (!what) w->part_of[key] = (uint32_t)x->part_count;
    return &x->parts[x->part_count - 1];
}

static void spend_on(struct walk *w, gsim_time from, enum gsim_part_kind kind, uint32_t index, const char *what)
{
    if (from < w->x->from) from = w->x->from;
    if (from >= w->now || w->failed) return;
    struct gsim_path_part *part = part_of(w, kind, index, what);
    w->failed = !part;
    if (!part) return;
    part->time += w->now - from;
    part->count++;
    w->now = from;
}

static void spend(struct walk *w, gsim_time from, enum gsim_part_kind kind, uint32_t index)
{
    spend_on(w, from, kind, index, NULL);
}

/* How many of the works by end have ended at TIME. */
static uint32_t ended_before(const struct gsim_moments *m, gsim_time time)
{
    GSIM_FIRST (low, m->work_count, middle, m->works[m->by_end[middle]].end <= time)
    return low;
}

/* The work that ended last at or before TIME. */
static uint32_t ended_by(const struct gsim_moments *m, gsim_time time)
{
    uint32_t count = ended_before(m, time);
    return count ? m->by_end[count - 1] : GSIM_NO_WORK;
}

/* The call of THREAD that was under way just before TIME, or the last one before it. */
static uint32_t call_before(const struct gsim_moments *m, uint32_t thread, gsim_time time)
{
    const struct gsim_api_record *apis = m->timeline->apis;
    size_t low = 0, high = m->timeline->api_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct gsim_api_record *call = &apis[m->calls[middle]];
        if (call->thread < thread || (call->thread == thread && call->start < time)) low = middle + 1;
        else high = middle;
    }
    return low && apis[m->calls[low - 1]].thread == thread ? m->calls[low - 1] : UINT32_MAX;
}

/* Back along the host's calls, until one that waited for work. Returns that work, GSIM_NO_WORK at the beginning. */
static uint32_t walk_host(struct walk *w)
{
    const struct gsim_moments *m = w->m;
    const enum gsim_cause between = m->has_framework ? GSIM_CAUSE_FRAMEWORK : GSIM_CAUSE_HOST_WORK;
    while (w->now > w->x->from && !w->failed) {
        struct gsim_until until;
        uint32_t index = call_before(m, w->thread, w->now);
        if (index == UINT32_MAX) {
            spend(w, w->x->from, GSIM_PART_CAUSE, between);
            return GSIM_NO_WORK;
        }
        const struct gsim_api_record *call = &m->timeline->apis[index];
        if (call->end < w->now) {
            spend(w, call->end, GSIM_PART_CAUSE, between);
            continue;
        }
        bool is_staged = call->api == GSIM_API_MEMCPY;
        gsim_time woken = is_staged ? call->end : call->start + call->waited;
        uint32_t released = call->waited && woken <= w->now ? ended_by(m, woken) : GSIM_NO_WORK;
        enum gsim_cause cause = gsim_blame_host(m, w->thread, w->now - 1, &until);
        if (released != GSIM_NO_WORK && m->works[released].end > call->start) {
            spend_on(w, m->works[released].end, GSIM_PART_CAUSE, cause, until.what);
            return released;
        }
        spend_on(w, call->start, GSIM_PART_CAUSE, cause, until.what);
    }
    return GSIM_NO_WORK;
}

#define MOST_RUNNING 256 /* looked back at: more kernels are not resident at once */

/* The kernels that ran when WORK was ready. */
static uint32_t running_at(const struct gsim_moments *m, uint32_t work, gsim_time time, uint32_t others[MOST_RUNNING])
{
    uint32_t count = 0;
    for (uint32_t back = 1; back <= MOST_RUNNING && back <= work; back++) {
        const struct gsim_moment_work *w = &m->works[work - back];
        if (!w->is_copy && !w->is_unexplained && w->start <= time && w->end > time) others[count++] = work - back;
    }
    return count;
}

/* The last kernel (of a copy: copy that way) that ended before TIME while WORK was ready: it made room. */
static uint32_t room_by(const struct gsim_moments *m, uint32_t work, gsim_time time)
{
    const struct gsim_moment_work *w = &m->works[work];
    uint32_t i = ended_before(m, time);
    for (; i > 0 && m->works[m->by_end[i - 1]].end > w->ready; i--) {
        const struct gsim_moment_work *other = &m->works[m->by_end[i - 1]];
        if (m->by_end[i - 1] != work && other->start < time && other->is_copy == w->is_copy &&
            (!w->is_copy || other->copy_kind == w->copy_kind))
            return m->by_end[i - 1];
    }
    return GSIM_NO_WORK;
}

/* Back to FROM, by what WORK lacked from then on. */
static void spend_until(struct walk *w, uint32_t work, gsim_time from, const struct gsim_running *running)
{
    if (from < w->x->from) from = w->x->from;
    while (w->now > from && !w->failed) {
        gsim_time begin = from;
        struct gsim_until until = {.time = from};
        enum gsim_cause cause = GSIM_CAUSE_NONE;
        while (until.time < w->now) { /* the last stretch before now */
            begin = until.time;
            cause = gsim_blame(w->m, work, begin, false, running, &until);
        }
        spend_on(w, begin, GSIM_PART_CAUSE, cause, until.what);
    }
}

/* What started at the time: the parts between its readiness and its start, then what it waited for. Returns the next
 * work, or GSIM_NO_WORK where the host is next. */
static uint32_t walk_start(struct walk *w, uint32_t index)
{
    const struct gsim_moments *m = w->m;
    const struct gsim_moment_work *work = &m->works[index];
    uint32_t others[MOST_RUNNING];
    const struct gsim_running running = {others, running_at(m, index, work->ready, others)};
    if (work->call == UINT32_MAX || work->is_migration)
        return ended_by(m, w->now); /* a copy by the driver itself: whatever was before */
    w->thread = m->timeline->apis[work->call].thread;
    uint32_t before = room_by(m, index, w->now);
    if (before != GSIM_NO_WORK) {
        spend_until(w, index, m->works[before].end, &running);
        return before;
    }
    spend_until(w, index, work->ready, &running);
    bool host = gsim_blames_host(m, work);
    gsim_time from = host ? work->arrival : work->follows;
    while (w->now > from && w->now > w->x->from && !w->failed) {
        struct gsim_until until;
        gsim_time begin = from;
        gsim_time there = work->follows + work->gap;
        if (!host && there < w->now && there > from) begin = there; /* the queue's part behind the gap */
        enum gsim_cause cause = gsim_blame(m, index, begin, false, &running, &until);
        spend_on(w, begin, GSIM_PART_CAUSE, cause, until.what);
    }
    if (!host) return work->after;
    gsim_time called = m->timeline->apis[work->call].end;
    if (called < w->now) spend(w, called, GSIM_PART_CAUSE, GSIM_CAUSE_LAUNCH_LATENCY);
    return GSIM_NO_WORK;
}

static void walk(struct walk *w)
{
    const struct gsim_moments *m = w->m;
    uint32_t work = ended_by(m, w->now);
    if (work != GSIM_NO_WORK && m->works[work].end < w->now) work = GSIM_NO_WORK;
    while (w->now > w->x->from && !w->failed) {
        if (work == GSIM_NO_WORK) {
            work = walk_host(w);
            continue;
        }
        const struct gsim_moment_work *at = &m->works[work];
        if (at->end < w->now) spend(w, at->end, GSIM_PART_CAUSE, GSIM_CAUSE_GAP);
        gsim_time before = w->now;
        if (at->is_unexplained)
            spend(w, at->start, GSIM_PART_CAUSE, at->is_rank_wait ? GSIM_CAUSE_OTHER_RANKS : GSIM_CAUSE_UNEXPLAINED);
        else
            spend(w, at->start, at->is_copy ? GSIM_PART_COPY : GSIM_PART_KERNEL,
                  at->is_copy ? (uint32_t)at->copy_kind : w->alike[at->kernel_index]);
        work = walk_start(w, work);
        if (w->now == before) work = GSIM_NO_WORK; /* a work without length: the host is next */
    }
}

GSIM_ORDER(compare_parts, struct gsim_path_part, GSIM_DOWN(time) GSIM_UP(kind) GSIM_UP(index))

struct named {
    const char *name;
    uint32_t kernel;
};

GSIM_ORDER(compare_names, struct named, GSIM_TEXT(name) GSIM_UP(kernel))

/* Kernels that differ in their shapes or times only are one on the path. */
static bool find_alike(struct walk *w)
{
    const struct gsim_program *p = w->m->timeline->program;
    struct named *names = gsim_alloc(sizeof *names * ((size_t)p->kernel_count + 1));
    w->alike = gsim_alloc(sizeof *w->alike * ((size_t)p->kernel_count + 1));
    if (names && w->alike) {
        for (uint32_t i = 0; i < p->kernel_count; i++) names[i] = (struct named){p->kernels[i].name, i};
        qsort(names, p->kernel_count, sizeof *names, compare_names);
        for (uint32_t i = 0; i < p->kernel_count; i++) {
            bool is_new = i == 0 || strcmp(names[i].name, names[i - 1].name) != 0;
            w->alike[names[i].kernel] = is_new ? names[i].kernel : w->alike[names[i - 1].kernel];
        }
    }
    gsim_free(names);
    return names && w->alike;
}

enum gsim_status gsim_path_find(struct gsim_explanation *x, struct gsim_error *error)
{
    struct walk w = {
        .m = x->moments, .x = x, .now = x->from + x->makespan, .kernels = x->moments->timeline->program->kernel_count};
    w.part_of = gsim_alloc(sizeof *w.part_of * ((size_t)w.kernels + GSIM_COPY_KIND_COUNT + GSIM_CAUSE_COUNT));
    w.failed = !w.part_of || !find_alike(&w);
    if (!w.failed) walk(&w);
    gsim_free(w.part_of);
    gsim_free(w.alike);
    if (w.failed) return gsim_error_set(error, GSIM_NOMEM, "cannot explain the run: out of memory");
    if (x->part_count) qsort(x->parts, x->part_count, sizeof *x->parts, compare_parts);
    return GSIM_OK;
}
