/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tally: Tally (ASPLOS 2025; tally-project/tally 86feb12). The most urgent task's launches go at once. Kernels of
 * others go, one of each task at a time, only while that one has nothing queued or running and idle_us have passed
 * since. A kernel that takes longer than turnaround_us was made to stop between blocks: when an urgent launch comes,
 * its blocks end and no further one begins, and it goes on from there later; shorter ones run to their end. The urgent
 * kernel does not wait for that: it queues on the device.
 *
 * form=whole stops nothing (no_transform), form=beside lets others go beside the urgent task (space_share). Deviations:
 * one form in place of slices and persistent blocks: a kernel stops at any block, and is not slowed down by that form;
 * the choice by measured speed is left out.
 */
#include "schedulers/sharing/held.h"

enum { FORM_STOPS, FORM_WHOLE, FORM_BESIDE };

struct tally_params {
    int form;
    double idle_us, turnaround_us, hop_us, flag_us;
};

struct tally_task {
    struct gsim_held held;
    struct gsim_share_kernel *kernel; /* under way or stopped */
    bool is_stopped;
};

struct tally {
    uint32_t urgent_in_flight;
    double idle_since;
    struct tally_task tasks[];
};

GSIM_SHARE_OWN(struct tally, struct tally_params)

static bool may_go(struct gsim_share *share)
{
    const struct tally *t = state_of(share);
    if (params_of(share)->form == FORM_BESIDE) return true;
    return !t->urgent_in_flight && gsim_share_now(share) >= t->idle_since + params_of(share)->idle_us - 1e-6;
}

/* In the order of their priorities. */
static void let_others_go(struct gsim_share *share)
{
    struct tally *t = state_of(share);
    for (int priority = 0; priority < GSIM_TASK_PRIORITIES && may_go(share); priority++)
        for (uint32_t i = 0; i < share->task_count; i++) {
            struct tally_task *own = &t->tasks[i];
            if (i == share->urgent || share->tasks[i].priority != priority) continue;
            if (own->kernel && own->is_stopped) {
                own->is_stopped = false;
                gsim_share_go_on(share, own->kernel);
            } else if (!own->kernel && own->held.count) {
                own->kernel = gsim_held_pop(&own->held);
                gsim_share_decide(share, own->kernel, params_of(share)->hop_us);
            }
        }
}

/* What runs of others stops between blocks, once the flag is seen. */
static void stop_others(struct gsim_share *share)
{
    struct tally *t = state_of(share);
    const struct tally_params *p = params_of(share);
    for (uint32_t i = 0; i < share->task_count && p->form == FORM_STOPS; i++) {
        struct tally_task *own = &t->tasks[i];
        if (i == share->urgent || !own->kernel || own->is_stopped ||
            gsim_profiled_us(share, own->kernel) <= p->turnaround_us)
            continue;
        own->is_stopped = true;
        gsim_share_timer(share, gsim_share_now(share) + p->flag_us, own);
    }
}

static void timer(struct gsim_share *share, void *argument)
{
    struct tally_task *own = argument;
    if (!own) let_others_go(share);
    else if (own->is_stopped && own->kernel) gsim_share_pause(share, own->kernel);
}

static void ready(struct gsim_share *share, struct gsim_share_kernel *k)
{
    struct tally *t = state_of(share);
    if (k->task == share->urgent) {
        t->urgent_in_flight++;
        stop_others(share);
        gsim_share_release(share, k, params_of(share)->hop_us);
        return;
    }
    gsim_held_push(&t->tasks[k->task].held, k);
    let_others_go(share);
}

static void ended(struct gsim_share *share, struct gsim_share_kernel *k)
{
    struct tally *t = state_of(share);
    if (k->task != share->urgent) {
        t->tasks[k->task].kernel = NULL;
        t->tasks[k->task].is_stopped = false;
        let_others_go(share);
        return;
    }
    if (--t->urgent_in_flight) return;
    t->idle_since = gsim_share_now(share);
    gsim_share_timer(share, t->idle_since + params_of(share)->idle_us, NULL);
}

static enum gsim_status start(struct gsim_share *share, struct gsim_error *error)
{
    (void)error;
    state_of(share)->idle_since = -params_of(share)->idle_us;
    return GSIM_OK;
}

const struct gsim_sharing_ops gsim_sharing_tally = {
    GSIM_HEAD(sharing),
    .name = "tally",
    .summary = "others run while the urgent task is idle, and long kernels stop between blocks for it",
    .source = "Tally (ASPLOS 2025), tally-project/tally 86feb12",
    GSIM_PARAMS(struct tally_params,
        GSIM_CHOICE(struct tally_params, form, FORM_STOPS, 2, "stops|whole|beside",
                    "long kernels stop between blocks, or are left whole (no_transform), or run beside (space_share)"),
        GSIM_REAL(struct tally_params, idle_us, 100, 0, 1e6, "us",
                  "how long the urgent task must have had nothing before others go"),
        GSIM_REAL(struct tally_params, turnaround_us, 100, 0, 1e6, "us", "kernels up to this are left whole"),
        GSIM_REAL(struct tally_params, hop_us, 2, 0, 1000, "us", "what the server takes for a launch"),
        GSIM_REAL(struct tally_params, flag_us, 1, 0, 1000, "us", "until blocks see that they shall stop")),
    .needs_profile = true,
    .base = {.mechanism = GSIM_MECHANISM_MPS, .uses_priority = true},
    .state_size = sizeof(struct tally),
    .task_size = sizeof(struct tally_task),
    .start = start,
    .ready = ready,
    .ended = ended,
    .timer = timer,
};
