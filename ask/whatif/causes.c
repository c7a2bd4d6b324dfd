/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See ask/whatif/causes.h: a sweep over all starts, ends and changes of occupancy; between two of them the state of
 * the GPU is one, and ask/whatif/blame.h says why no more was under way.
 */
#include "ask/whatif/causes.h"

#include <stdlib.h>
#include <string.h>

#include "ask/whatif/blame.h"
#include "gpusim/order.h"
#include "sim/base/first.h"

#define STATE_TEXT(name, text) text,
#define CAUSE_TEXTS(name, word, text) {word, text},

/* --- the critical path --- */
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
    GSIM_FIRST (low, (uint32_t)m->timeline->api_count, middle,
                apis[m->calls[middle]].thread < thread ||
                    (apis[m->calls[middle]].thread == thread && apis[m->calls[middle]].start < time))
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

#define MAX_RUNNING 256 /* looked back at: more kernels are not resident at once */

/* The kernels that ran when WORK was ready. */
static uint32_t running_at(const struct gsim_moments *m, uint32_t work, gsim_time time, uint32_t others[MAX_RUNNING])
{
    uint32_t count = 0;
    for (uint32_t back = 1; back <= MAX_RUNNING && back <= work; back++) {
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
    uint32_t others[MAX_RUNNING];
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

/* Fills parts, which add up to the makespan. */
static enum gsim_status find_path(struct gsim_explanation *x, struct gsim_error *error)
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

static const char *const state_texts[] = {GSIM_GPU_STATE_MAP(STATE_TEXT)};
static const char *const cause_texts[][2] = {GSIM_CAUSE_MAP(CAUSE_TEXTS)};

const char *gsim_gpu_state_text(enum gsim_gpu_state state) { return state_texts[state]; }
const char *gsim_cause_word(enum gsim_cause cause) { return cause_texts[cause][0]; }
const char *gsim_cause_text(enum gsim_cause cause) { return cause_texts[cause][1]; }

/* --- the sweep --- */
struct held {
    gsim_time since;
    uint32_t work;
};

bool gsim_is_delay(const char *kernel)
{
    return strcmp(kernel, GSIM_UNEXPLAINED_KERNEL) == 0 || strcmp(kernel, GSIM_RANKS_KERNEL) == 0;
}

struct sweep {
    const struct gsim_moments *m;
    struct gsim_explanation *explanation;
    uint32_t *running;    /* kernels under way, as works; those that stand for unexplained time are not */
    uint32_t running_count, copies, unexplained, rank_waits; /* UNEXPLAINED: waits for ranks among them */
    struct held *held;    /* kernels that were held, by since when */
    uint32_t held_count, first_held;
    uint32_t next, next_kernel, next_end; /* places in the works by start, the kernels by start, the works by end */
    size_t occupancy;     /* the first record that is still to come */
    uint32_t busy_sms;
    uint32_t gpu; /* whose works these are; ALL_GPUS */
    gsim_time now;
    bool failed;
};
#define ALL_GPUS UINT32_MAX

static bool is_shown(const struct sweep *s, uint32_t work)
{
    return s->gpu == ALL_GPUS || s->m->works[work].device == s->gpu;
}

static void add(struct sweep *s, gsim_time start, gsim_time end, enum gsim_gpu_state state, enum gsim_cause cause,
                const char *what, uint32_t next)
{
    struct gsim_explanation *x = s->explanation;
    struct gsim_stretch *last = x->stretch_count ? &x->stretches[x->stretch_count - 1] : NULL;
    x->time[state][cause] += end - start;
    if (last && last->state == state && last->cause == cause && last->next == next && last->what == what) {
        last->end = end;
        return;
    }
    if (s->failed || !GSIM_APPEND(x->stretches, x->stretch_count, x->stretch_room,
                                  (struct gsim_stretch){start, end, state, cause, next, what}))
        s->failed = true;
}

static void stop_running(struct sweep *s, uint32_t work)
{
    uint32_t i = 0;
    while (i < s->running_count && s->running[i] != work) i++;
    if (i == s->running_count) return;
    s->running[i] = s->running[--s->running_count];
}

static void count_work(struct sweep *s, uint32_t work, bool begins)
{
    const struct gsim_moment_work *w = &s->m->works[work];
    uint32_t one = begins ? 1 : UINT32_MAX; /* or one less */
    if (!is_shown(s, work)) return;
    if (w->is_copy) s->copies += one;
    else if (w->is_unexplained) s->unexplained += one, s->rank_waits += w->is_rank_wait ? one : 0;
    else if (begins) s->running[s->running_count++] = work;
    else stop_running(s, work);
}

/* Brings the state to NOW: what ends then has ended, what starts then runs. */
static void advance(struct sweep *s, gsim_time now)
{
    const struct gsim_moments *m = s->m;
    const struct gsim_timeline *t = m->timeline;
    for (; s->next < m->work_count && m->works[s->next].start <= now; s->next++) count_work(s, s->next, true);
    for (; s->next_end < m->work_count && m->works[m->by_end[s->next_end]].end <= now; s->next_end++)
        count_work(s, m->by_end[s->next_end], false);
    while (s->next_kernel < m->kernel_count && m->works[m->starts[s->next_kernel]].start <= now) s->next_kernel++;
    for (; s->occupancy < t->occupancy_count && t->occupancy[s->occupancy].time <= now; s->occupancy++)
        s->busy_sms = t->occupancy[s->occupancy].busy_sms;
}

static enum gsim_gpu_state state_of(const struct sweep *s)
{
    if (!s->running_count) return s->copies ? GSIM_GPU_COPIES : GSIM_GPU_IDLE;
    bool is_delay = s->unexplained > s->rank_waits; /* has an SM to itself; a collective that waits has its own */
    uint32_t gpus = s->m->timeline->gpu_count > 1 ? s->m->timeline->gpu_count : 1;
    bool is_full = s->gpu == ALL_GPUS &&
                   s->busy_sms >= gpus * gsim_whole_u32(s->m->simulation->device->sm_count) + is_delay;
    if (is_full) return s->copies ? GSIM_GPU_ALL_SMS_COPIES : GSIM_GPU_ALL_SMS;
    return s->copies ? GSIM_GPU_SOME_SMS_COPIES : GSIM_GPU_SOME_SMS;
}

/* The next that could have run: while nothing runs anything, else a kernel. Copies that the driver makes by itself have
 * no launch. */
static uint32_t next_work(const struct sweep *s, enum gsim_gpu_state state)
{
    const struct gsim_moments *m = s->m;
    uint32_t at = s->next, kernel = s->next_kernel;
    while (kernel < m->kernel_count && !is_shown(s, m->starts[kernel])) kernel++;
    if (state != GSIM_GPU_IDLE) return kernel < m->kernel_count ? m->starts[kernel] : GSIM_NO_WORK;
    while (at < m->work_count && (m->works[at].is_migration || !is_shown(s, at))) at++;
    return at < m->work_count ? at : GSIM_NO_WORK;
}

static void explain(struct sweep *s, gsim_time from, gsim_time to)
{
    enum gsim_gpu_state state = state_of(s);
    /* The kernel that has been held for longest, GSIM_NO_WORK for none. */
    while (s->first_held < s->held_count && s->m->works[s->held[s->first_held].work].start <= from) s->first_held++;
    uint32_t held = s->first_held < s->held_count && s->held[s->first_held].since <= from ? s->held[s->first_held].work
                                                                                          : GSIM_NO_WORK;
    bool is_full = state == GSIM_GPU_ALL_SMS || state == GSIM_GPU_ALL_SMS_COPIES;
    if (is_full && held == GSIM_NO_WORK) {
        add(s, from, to, state, GSIM_CAUSE_NONE, NULL, GSIM_NO_WORK);
        return;
    }
    if (!s->running_count && s->unexplained) {
        add(s, from, to, state, s->rank_waits ? GSIM_CAUSE_OTHER_RANKS : GSIM_CAUSE_UNEXPLAINED, NULL, GSIM_NO_WORK);
        return;
    }
    uint32_t work = held == GSIM_NO_WORK ? next_work(s, state) : held;
    if (s->gpu != ALL_GPUS && work == GSIM_NO_WORK) { /* the others go on */
        add(s, from, to, state, GSIM_CAUSE_END, NULL, GSIM_NO_WORK);
        return;
    }
    const struct gsim_running running = {s->running, s->running_count};
    while (from < to && !s->failed) {
        struct gsim_until until;
        enum gsim_cause cause = gsim_blame(s->m, work, from, state == GSIM_GPU_IDLE, &running, &until);
        if (until.time > to) until.time = to;
        add(s, from, until.time, state, cause, until.what, work);
        from = until.time;
    }
}

GSIM_ORDER(compare_held, struct held, GSIM_UP(since) GSIM_UP(work))

static void sweep(struct sweep *s)
{
    gsim_time end = s->explanation->from + s->explanation->makespan;
    s->now = s->explanation->from;
    advance(s, s->now);
    while (s->now < end && !s->failed) {
        const struct gsim_moments *m = s->m;
        gsim_time next = m->makespan;
        if (s->next < m->work_count && m->works[s->next].start < next) next = m->works[s->next].start;
        if (s->next_end < m->work_count && m->works[m->by_end[s->next_end]].end < next)
            next = m->works[m->by_end[s->next_end]].end;
        if (s->first_held < s->held_count && s->held[s->first_held].since > s->now &&
            s->held[s->first_held].since < next)
            next = s->held[s->first_held].since;
        if (s->occupancy < m->timeline->occupancy_count && m->timeline->occupancy[s->occupancy].time < next)
            next = m->timeline->occupancy[s->occupancy].time;
        if (next > end) next = end;
        if (next > s->now) explain(s, s->now, next);
        s->now = next;
        advance(s, next);
    }
}

static enum gsim_status sweep_all(struct gsim_explanation *x, uint32_t gpu, struct gsim_error *error)
{
    struct sweep s = {.m = x->moments, .explanation = x, .gpu = gpu};
    s.running = gsim_alloc(sizeof *s.running * ((size_t)x->moments->kernel_count + 1));
    s.held = gsim_alloc(sizeof *s.held * ((size_t)x->moments->work_count + 1));
    s.failed = !s.running || !s.held;
    if (!s.failed) {
        const struct gsim_moments *m = s.m;
        for (uint32_t i = 0; i < m->work_count; i++) {
            struct held held = {.work = i};
            if (is_shown(&s, i) && gsim_is_held(m, &m->works[i], &held.since) && held.since < m->works[i].start)
                s.held[s.held_count++] = held;
        }
        qsort(s.held, s.held_count, sizeof *s.held, compare_held);
    }
    if (!s.failed) sweep(&s);
    gsim_free(s.running);
    gsim_free(s.held);
    return s.failed ? gsim_error_set(error, GSIM_NOMEM, "cannot explain the run: out of memory") : GSIM_OK;
}

enum gsim_status gsim_explain(const struct gsim_simulation *simulation, const struct gsim_timeline *timeline,
                              size_t iteration, struct gsim_explanation *x, struct gsim_error *error)
{
    *x = (struct gsim_explanation){0};
    x->moments = gsim_alloc(sizeof *x->moments);
    if (!x->moments) return gsim_error_set(error, GSIM_NOMEM, "cannot explain the run: out of memory");
    enum gsim_status status = gsim_moments_init(x->moments, simulation, timeline, error);
    if (status != GSIM_OK) return status;
    x->makespan = x->moments->makespan;
    if (iteration < timeline->iteration_count) {
        x->from = timeline->iterations[iteration].start;
        x->makespan = timeline->iterations[iteration].end - x->from;
    }
    status = sweep_all(x, ALL_GPUS, error);
    return status ? status : find_path(x, error);
}

enum gsim_status gsim_explain_gpu(const struct gsim_explanation *explanation, uint32_t gpu,
                                  gsim_time time[GSIM_GPU_STATE_COUNT][GSIM_CAUSE_COUNT], struct gsim_error *error)
{
    struct gsim_explanation x = {
        .from = explanation->from, .makespan = explanation->makespan, .moments = explanation->moments};
    enum gsim_status status = sweep_all(&x, gpu, error);
    memcpy(time, x.time, sizeof x.time);
    gsim_free(x.stretches);
    return status;
}

void gsim_explanation_release(struct gsim_explanation *x)
{
    if (x->moments) gsim_moments_release(x->moments);
    gsim_free(x->moments);
    gsim_free(x->stretches);
    gsim_free(x->parts);
    *x = (struct gsim_explanation){0};
}

gsim_time gsim_explained_state(const struct gsim_explanation *x, enum gsim_gpu_state state)
{
    gsim_time sum = 0;
    for (int c = 0; c < GSIM_CAUSE_COUNT; c++) sum += x->time[state][c];
    return sum;
}

gsim_time gsim_explained_idle(const struct gsim_explanation *x, enum gsim_cause cause)
{
    return x->time[GSIM_GPU_IDLE][cause];
}

gsim_time gsim_explained_busy(const struct gsim_explanation *x, enum gsim_cause cause)
{
    gsim_time sum = 0;
    for (int s = 0; s < GSIM_GPU_IDLE; s++) sum += x->time[s][cause];
    return sum;
}
