/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reef: REEF (OSDI 2022; SJTU-IPADS/reef 58dabe0) and REEF-N, as Orion's artifact runs it. The most urgent task is
 * real-time, all others are best-effort. reset: when a real-time request's first kernel comes, everything of the others
 * is killed and begins anew later (their kernels must be idempotent), and the real-time kernels go after preempt_us;
 * others go on when the request has ended. n: a real-time kernel goes at once, and beside it the first of the others
 * that is no longer than it and needs no fewer SMs; where there is no real-time kernel, each look counts the waiting
 * others, and at depth all of them go.
 *
 * Deviations: reset pads no real-time kernel (others' blocks beside it need code of their own); wait=on kills nothing
 * and lets what runs end; n looks at every launch and end, and polls every poll_us while others wait. A killed kernel's
 * work is lost. n gives streams no priorities.
 */
#include <math.h>

#include "schedulers/sharing/held.h"

enum { VARIANT_RESET, VARIANT_N };

struct reef_params {
    int variant;
    bool wait;
    double preempt_us, poll_us;
    int64_t depth;
};

struct reef_task {
    struct gsim_held held, running; /* not released, released */
};

struct reef {
    uint64_t waited;         /* n: looks times waiting others */
    bool has_request;        /* real-time kernels have come */
    double free_at;          /* the SMs have been reset */
    bool is_polling;
    struct gsim_share_kernel *beside; /* n: the real-time kernel that runs */
    struct reef_task tasks[];
};

GSIM_SHARE_OWN(struct reef, struct reef_params)

/* The first that is held; there is one. */
static void let_go(struct gsim_share *share, uint32_t task, double delay_us)
{
    struct reef_task *t = &state_of(share)->tasks[task];
    struct gsim_share_kernel *k = gsim_held_pop(&t->held);
    gsim_held_push(&t->running, k);
    gsim_share_decide(share, k, delay_us);
}

static void let_others_go(struct gsim_share *share)
{
    for (uint32_t i = 0; i < share->task_count; i++)
        while (i != share->urgent && state_of(share)->tasks[i].held.count) let_go(share, i, 0);
}

/* All that others have on the device begins anew later, in the order in which it came. */
static void kill_others(struct gsim_share *share)
{
    for (uint32_t i = 0; i < share->task_count; i++) {
        struct reef_task *t = &state_of(share)->tasks[i];
        struct gsim_held rest = t->held, running = t->running;
        if (i == share->urgent) continue;
        t->held = t->running = (struct gsim_held){0};
        for (struct gsim_share_kernel *k; (k = gsim_held_pop(&running)) != NULL;) {
            gsim_share_kill(share, k);
            gsim_held_push(k->state == GSIM_SHARE_HELD ? &t->held : &t->running, k);
        }
        for (struct gsim_share_kernel *k; (k = gsim_held_pop(&rest)) != NULL;) gsim_held_push(&t->held, k);
    }
}

/* SMs that a kernel fills at 2048 threads each. */
static double sms_of(const struct gsim_share_kernel *k)
{
    uint64_t threads = (uint64_t)k->kernel->block.x * k->kernel->block.y * k->kernel->block.z;
    return ceil((double)(gsim_blocks_of(k) * threads) / 2048);
}

/* n: the first of the others that fits beside the real-time kernel. */
static void pad(struct gsim_share *share)
{
    struct reef *r = state_of(share);
    for (uint32_t i = 0; i < share->task_count; i++) {
        const struct gsim_share_kernel *k = r->tasks[i].held.first;
        if (i == share->urgent || !k || gsim_profiled_us(share, k) > gsim_profiled_us(share, r->beside) ||
            sms_of(k) < sms_of(r->beside))
            continue;
        let_go(share, i, 0);
        return;
    }
}

static uint32_t count_waiting(const struct gsim_share *share)
{
    const struct reef *r = state_of(share);
    uint32_t count = 0;
    for (uint32_t i = 0; i < share->task_count; i++) count += i != share->urgent && r->tasks[i].held.count;
    return count;
}

static void poll_later(struct gsim_share *share)
{
    struct reef *r = state_of(share);
    if (r->is_polling || !count_waiting(share)) return;
    r->is_polling = true;
    gsim_share_timer(share, gsim_share_now(share) + params_of(share)->poll_us, NULL);
}

static void timer(struct gsim_share *share, void *argument)
{
    struct reef *r = state_of(share);
    (void)argument;
    r->is_polling = false;
    if (!r->beside) r->waited += count_waiting(share);
    if (r->waited >= (uint64_t)params_of(share)->depth) {
        r->waited = 0;
        let_others_go(share);
    }
    poll_later(share);
}

static void real_time_ready(struct gsim_share *share, struct gsim_share_kernel *k)
{
    struct reef *r = state_of(share);
    const struct reef_params *p = params_of(share);
    double now = gsim_share_now(share);
    if (p->variant == VARIANT_N) {
        let_go(share, share->urgent, 0);
        r->beside = k;
        r->waited = 0;
        pad(share);
        return;
    }
    if (!r->has_request && !p->wait) {
        kill_others(share);
        r->free_at = now + p->preempt_us;
    }
    r->has_request = true;
    let_go(share, share->urgent, fmax(0, r->free_at - now));
}

static void ready(struct gsim_share *share, struct gsim_share_kernel *k)
{
    struct reef *r = state_of(share);
    gsim_held_push(&r->tasks[k->task].held, k);
    if (k->task == share->urgent) real_time_ready(share, k);
    else if (params_of(share)->variant == VARIANT_N) poll_later(share);
    else if (!r->has_request) let_go(share, k->task, 0);
}

static void ended(struct gsim_share *share, struct gsim_share_kernel *k)
{
    struct reef_task *t = &state_of(share)->tasks[k->task];
    struct gsim_held running = t->running;
    t->running = (struct gsim_held){0};
    for (struct gsim_share_kernel *other; (other = gsim_held_pop(&running)) != NULL;)
        if (other != k) gsim_held_push(&t->running, other);
    if (state_of(share)->beside == k) state_of(share)->beside = NULL;
}

static void request_ended(struct gsim_share *share, uint32_t task)
{
    struct reef *r = state_of(share);
    if (task != share->urgent) return;
    r->has_request = false;
    if (params_of(share)->variant == VARIANT_RESET) let_others_go(share);
}

static void settings(const void *params, struct gsim_share_settings *s)
{
    s->uses_priority = ((const struct reef_params *)params)->variant == VARIANT_RESET;
}

const struct gsim_sharing_ops gsim_sharing_reef = {
    GSIM_HEAD(sharing),
    .name = "reef",
    .summary = "kills best-effort kernels when a real-time request arrives; or REEF-N, without a kill",
    .source = "REEF (OSDI 2022), SJTU-IPADS/reef 58dabe0; REEF-N: Orion's artifact",
    GSIM_PARAMS(struct reef_params,
        GSIM_CHOICE(struct reef_params, variant, VARIANT_RESET, 1, "reset|n", "kill and restart, or REEF-N"),
        GSIM_BOOL(struct reef_params, wait, 0, "reset: kill nothing, what runs ends"),
        GSIM_REAL(struct reef_params, preempt_us, 40, 0, 10000, "us",
                  "reset: from a request's first kernel to free SMs"),
        GSIM_REAL(struct reef_params, poll_us, 2, 0.1, 10000, "us", "n: between two looks at waiting others"),
        GSIM_INT(struct reef_params, depth, 12, 1, 100000, "", "n: looks without a real-time kernel before others go")),
    .needs_profile = true,
    .base.mechanism = GSIM_MECHANISM_STREAMS,
    .settings = settings,
    .state_size = sizeof(struct reef),
    .task_size = sizeof(struct reef_task),
    .request_ended = request_ended,
    .ready = ready,
    .ended = ended,
    .timer = timer,
};
