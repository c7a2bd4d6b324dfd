/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fikit: FIKIT (Wu, arXiv 2311.10359). The most urgent tasks that have a request go at once; while a gap between their
 * kernels lasts that the profile foretells, kernels of other tasks fill it that fit by their measured times: queue
 * after queue (BestPrioFit), the longest of a queue first. The next urgent kernel closes the gap before its time
 * (feedback). Who comes first in a queue is first among equals.
 *
 * Ours, where only the abstract and summaries were to be had: gaps up to small_gap_us are left alone (0.1 ms
 * remembered, not confirmed); most_fillers kernels fill at a time; tasks of one priority are the holders together; a
 * task without a request holds nothing, so between the urgent one's requests the next one is the holder; kernels
 * without a profile never fill; tasks are threads of one process.
 */
#include "schedulers/sharing/held.h"

struct fikit_params {
    double small_gap_us, sched_us, margin;
    int64_t most_fillers;
};

struct fikit_task {
    bool is_active;                        /* has a request */
    uint32_t under_way;                    /* kernels of it that were released */
    struct gsim_held held;
};

struct fikit {
    double gap_end;                        /* of the holder's gap; 0: it has none */
    uint32_t fillers;                      /* under way */
    struct fikit_task tasks[];
};

GSIM_SHARE_OWN(struct fikit, struct fikit_params)

/* The priority of the holders; GSIM_TASK_PRIORITIES: there are none. */
static int top_of(const struct gsim_share *share)
{
    const struct fikit *f = state_of(share);
    int top = GSIM_TASK_PRIORITIES;
    for (uint32_t i = 0; i < share->task_count; i++)
        if (f->tasks[i].is_active && share->tasks[i].priority < top) top = share->tasks[i].priority;
    return top;
}

static void let_go(struct gsim_share *share, struct gsim_share_kernel *k)
{
    state_of(share)->tasks[k->task].under_way++;
    gsim_share_decide(share, k, params_of(share)->sched_us);
}

static double time_of(const struct gsim_share *share, const struct gsim_share_kernel *k)
{
    return gsim_profiled_us(share, k) * (1 + params_of(share)->margin);
}

/* BestPrioFit: of the first queue behind the holders' that has one that fits, the longest. Tasks with one, by index;
 * task_count: none. */
static uint32_t best_fit(const struct gsim_share *share, int top, double idle)
{
    const struct fikit *f = state_of(share);
    uint32_t best = share->task_count;
    for (uint32_t i = 0; i < share->task_count; i++) {
        const struct gsim_share_kernel *k = f->tasks[i].held.first;
        int priority = share->tasks[i].priority;
        if (!k || priority <= top || time_of(share, k) <= 0 || time_of(share, k) > idle) continue;
        if (best < share->task_count) {
            const struct gsim_share_kernel *other = f->tasks[best].held.first;
            if (priority > share->tasks[best].priority) continue;
            bool is_same_queue = priority == share->tasks[best].priority;
            if (is_same_queue && (time_of(share, k) < time_of(share, other) ||
                                  (time_of(share, k) == time_of(share, other) && k->number > other->number)))
                continue;
        }
        best = i;
    }
    return best;
}

static void fill(struct gsim_share *share)
{
    struct fikit *f = state_of(share);
    const struct fikit_params *p = params_of(share);
    while (f->gap_end > 0 && f->fillers < (uint32_t)p->most_fillers) {
        double idle = f->gap_end - gsim_share_now(share) - p->sched_us;
        uint32_t task = idle > p->small_gap_us ? best_fit(share, top_of(share), idle) : share->task_count;
        if (task == share->task_count) return;
        struct gsim_share_kernel *k = gsim_held_pop(&f->tasks[task].held);
        f->fillers++;
        k->data = f; /* it fills */
        let_go(share, k);
    }
}

/* The holders' kernels that were held while they were none. */
static void serve_holders(struct gsim_share *share)
{
    struct fikit *f = state_of(share);
    int top = top_of(share);
    for (uint32_t i = 0; i < share->task_count; i++)
        while (share->tasks[i].priority == top && f->tasks[i].held.first)
            let_go(share, gsim_held_pop(&f->tasks[i].held));
}

static void request_began(struct gsim_share *share, uint32_t task)
{
    struct fikit *f = state_of(share);
    int before = top_of(share);
    f->tasks[task].is_active = true;
    if (top_of(share) < before) f->gap_end = 0; /* the gap was another one's */
}

static void request_ended(struct gsim_share *share, uint32_t task)
{
    struct fikit *f = state_of(share);
    int before = top_of(share);
    f->tasks[task].is_active = false;
    if (top_of(share) != before) f->gap_end = 0; /* the gap was the holder's; a filler's request leaves it */
    serve_holders(share);
}

static void ready(struct gsim_share *share, struct gsim_share_kernel *k)
{
    struct fikit *f = state_of(share);
    if (share->tasks[k->task].priority <= top_of(share)) {
        f->gap_end = 0;
        k->data = NULL;
        let_go(share, k);
        return;
    }
    gsim_held_push(&f->tasks[k->task].held, k);
    fill(share);
}

static bool holders_work(const struct gsim_share *share, int top)
{
    const struct fikit *f = state_of(share);
    for (uint32_t i = 0; i < share->task_count; i++)
        if (share->tasks[i].priority == top && f->tasks[i].under_way) return true;
    return false;
}

static void ended(struct gsim_share *share, struct gsim_share_kernel *k)
{
    struct fikit *f = state_of(share);
    int top = top_of(share);
    f->tasks[k->task].under_way--;
    if (k->data == f) {
        f->fillers--;
    } else if (share->tasks[k->task].priority == top && !holders_work(share, top)) {
        double gap = share->profile->tasks[k->task].entries[k->identity].gap_us;
        f->gap_end = gap > params_of(share)->small_gap_us ? gsim_share_now(share) + gap : 0;
    }
    fill(share);
}

static bool note(const void *params, double run_us, char *text, size_t size)
{
    double small_us = ((const struct fikit_params *)params)->small_gap_us;
    (void)run_us;
    snprintf(text, size, "fikit: gaps up to %g us are not filled (fikit.small_gap_us, remembered of the paper)",
             small_us);
    return small_us > 0;
}

const struct gsim_sharing_ops gsim_sharing_fikit = {
    GSIM_HEAD(sharing),
    .name = "fikit",
    .summary = "kernels of other tasks fill the gaps that a profile foretells of the urgent one's",
    .source = "FIKIT (Wu, arXiv 2311.10359v5)",
    GSIM_PARAMS(struct fikit_params,
        GSIM_REAL(struct fikit_params, small_gap_us, 100, 0, 1e6, "us", "gaps up to this are not filled"),
        GSIM_REAL(struct fikit_params, sched_us, 2, 0, 1000, "us",
                  "what the scheduler takes for each kernel that it lets go"),
        GSIM_REAL(struct fikit_params, margin, 0, 0, 10, "",
                  "how much longer than measured a filler is taken to be, relative"),
        GSIM_INT(struct fikit_params, most_fillers, 1, 1, 64, "", "kernels that fill at a time")),
    .needs_profile = true,
    .base = {.mechanism = GSIM_MECHANISM_STREAMS, .uses_priority = true},
    .state_size = sizeof(struct fikit),
    .task_size = sizeof(struct fikit_task),
    .request_began = request_began,
    .request_ended = request_ended,
    .ready = ready,
    .ended = ended,
    .note = note,
};
