/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See ask/whatif/causes.h: a sweep over all starts, ends and changes of occupancy; between two of them the state of
 * the GPU is one, and ask/whatif/blame.h says why no more was under way. The critical path: ask/whatif/path.c.
 */
#include "ask/whatif/causes.h"

#include <stdlib.h>
#include <string.h>

#include "ask/whatif/blame.h"
#include "ask/whatif/path.h"
#include "gpusim/order.h"

#define STATE_TEXT(name, text) text,
#define CAUSE_TEXTS(name, word, text) {word, text},
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

/* Brings the state to NOW: what ends then has ended, what starts then runs. */
static void advance(struct sweep *s, gsim_time now)
{
    const struct gsim_moments *m = s->m;
    const struct gsim_timeline *t = m->timeline;
    for (; s->next < m->work_count && m->works[s->next].start <= now; s->next++) {
        const struct gsim_moment_work *w = &m->works[s->next];
        if (!is_shown(s, s->next)) continue;
        if (w->is_copy)
            s->copies++;
        else if (w->is_unexplained)
            s->unexplained++, s->rank_waits += w->is_rank_wait;
        else
            s->running[s->running_count++] = s->next;
    }
    for (; s->next_end < m->work_count && m->works[m->by_end[s->next_end]].end <= now; s->next_end++) {
        const struct gsim_moment_work *w = &m->works[m->by_end[s->next_end]];
        if (!is_shown(s, m->by_end[s->next_end])) continue;
        if (w->is_copy)
            s->copies--;
        else if (w->is_unexplained)
            s->unexplained--, s->rank_waits -= w->is_rank_wait;
        else
            stop_running(s, m->by_end[s->next_end]);
    }
    while (s->next_kernel < m->kernel_count && m->works[m->starts[s->next_kernel]].start <= now) s->next_kernel++;
    for (; s->occupancy < t->occupancy_count && t->occupancy[s->occupancy].time <= now; s->occupancy++)
        s->busy_sms = t->occupancy[s->occupancy].busy_sms;
}

static gsim_time next_change(const struct sweep *s)
{
    const struct gsim_moments *m = s->m;
    gsim_time next = m->makespan;
    if (s->next < m->work_count && m->works[s->next].start < next) next = m->works[s->next].start;
    if (s->next_end < m->work_count && m->works[m->by_end[s->next_end]].end < next)
        next = m->works[m->by_end[s->next_end]].end;
    if (s->first_held < s->held_count && s->held[s->first_held].since > s->now && s->held[s->first_held].since < next)
        next = s->held[s->first_held].since;
    if (s->occupancy < m->timeline->occupancy_count && m->timeline->occupancy[s->occupancy].time < next)
        next = m->timeline->occupancy[s->occupancy].time;
    return next;
}

static enum gsim_gpu_state state_of(const struct sweep *s)
{
    if (!s->running_count) return s->copies ? GSIM_GPU_COPIES : GSIM_GPU_IDLE;
    bool is_delay = s->unexplained > s->rank_waits; /* has an SM to itself; a collective that waits has its own */
    uint32_t gpus = s->m->timeline->gpu_count > 1 ? s->m->timeline->gpu_count : 1;
    bool is_full = s->gpu == ALL_GPUS &&
                   s->busy_sms >= gpus * (uint32_t)s->m->simulation->device->sm_count + is_delay;
    if (is_full) return s->copies ? GSIM_GPU_ALL_SMS_COPIES : GSIM_GPU_ALL_SMS;
    return s->copies ? GSIM_GPU_SOME_SMS_COPIES : GSIM_GPU_SOME_SMS;
}

/* The kernel that has been held for longest, GSIM_NO_WORK for none. */
static uint32_t held_at(struct sweep *s, gsim_time now)
{
    while (s->first_held < s->held_count && s->m->works[s->held[s->first_held].work].start <= now) s->first_held++;
    return s->first_held < s->held_count && s->held[s->first_held].since <= now ? s->held[s->first_held].work
                                                                                : GSIM_NO_WORK;
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
    uint32_t held = held_at(s, from);
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

static void list_held(struct sweep *s)
{
    const struct gsim_moments *m = s->m;
    for (uint32_t i = 0; i < m->work_count; i++) {
        struct held held = {.work = i};
        if (is_shown(s, i) && gsim_is_held(m, &m->works[i], &held.since) && held.since < m->works[i].start)
            s->held[s->held_count++] = held;
    }
    qsort(s->held, s->held_count, sizeof *s->held, compare_held);
}

static void sweep(struct sweep *s)
{
    gsim_time end = s->explanation->from + s->explanation->makespan;
    s->now = s->explanation->from;
    advance(s, s->now);
    while (s->now < end && !s->failed) {
        gsim_time next = next_change(s);
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
    if (!s.failed) list_held(&s);
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
    return status ? status : gsim_path_find(x, error);
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
