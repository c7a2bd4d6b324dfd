/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tgs: TGS (NSDI 2023; pkusys/TGS e1c6a31). The most urgent task is the production job: its rate of blocks launched is
 * told every message_us. Others may launch while their blocks in the present window are below the limit, else they look
 * again every tick_us. The limit follows the production rate: 0 while the first samples find its largest, then slow
 * start (1.5 times, or back and on to avoidance) and avoidance (small steps up, 8 % down), with back-offs where the
 * rate falls by 9 % or stays 12 % low; the constants are the code's. Once the production job has ended there is no
 * limit.
 *
 * Left out: spilling memory. Ours: one limit for all other tasks together.
 */
#include <math.h>
#include <stdio.h>

#include "schedulers/sharing/held.h"

struct tgs_params {
    double message_us, window_us, tick_us;
};

enum phase { PHASE_PROFILE, PHASE_SLOW_START, PHASE_AVOIDANCE };

/* All from TGS's code, limits in blocks per window. */
#define SAMPLES     5
#define FEW         (4 * SAMPLES)  /* messages: a run of fewer shows how the limit starts, not where it settles. Ours */
#define FIRST_LIMIT 20000.0
#define MAX_LIMIT   1099511627776.0 /* 2^40 */

struct tgs {
    double rate, window_blocks; /* blocks of the production job since the last message; of the others in this window */
    double window_start, limit, max_rate, samples[SAMPLES];
    uint32_t messages, low_count, next;
    enum phase phase;
    bool has_increased, is_ticking, is_lifted;
    bool has_ended;               /* the production job */
    struct gsim_held held[];      /* by task */
};

GSIM_SHARE_OWN(struct tgs, struct tgs_params)

static void slow_start(struct tgs *t, double off)
{
    if (off <= 0.03) {
        t->limit = fmin(1.5 * t->limit + 1, MAX_LIMIT);
        return;
    }
    t->limit /= 1.5;
    t->phase = PHASE_AVOIDANCE;
    t->has_increased = false;
}

static void avoid(struct tgs *t, double off)
{
    if (off < 0.03 || (off <= 0.03 && !t->has_increased)) {
        t->limit += fmax(0.00025 * t->max_rate, 1000);
        t->has_increased = true;
    } else {
        t->limit = fmax(0, t->limit - fmax(0.08 * t->limit, 1000));
        t->has_increased = false;
    }
    if (off >= 0.09) {
        t->phase = PHASE_SLOW_START;
        t->limit /= 10;
    }
}

/* The production job's rate, in blocks a message. */
static void receive_rate(struct tgs *t, double rate)
{
    for (int i = 0; i + 1 < SAMPLES; i++) t->samples[i] = t->samples[i + 1];
    t->samples[SAMPLES - 1] = rate;
    t->messages++;
    uint32_t idle = 0;
    for (int i = 0; i < SAMPLES; i++) idle += t->samples[i] < 1000;
    t->is_lifted = t->has_ended || (t->messages > 15 && idle > 2);
    if (t->is_lifted) t->phase = PHASE_SLOW_START;
    if (t->phase == PHASE_PROFILE) {
        if (t->messages < SAMPLES) return;
        for (int i = 0; i + 1 < SAMPLES; i++) /* the largest mean of two neighbours */
            t->max_rate = fmax(t->max_rate, (t->samples[i] + t->samples[i + 1]) / 2);
        t->limit = FIRST_LIMIT;
        t->phase = PHASE_SLOW_START;
        return;
    }
    double off = t->max_rate > 0 ? fabs(rate - t->max_rate) / t->max_rate : 0;
    if (rate > 1.2 * t->max_rate) t->max_rate = rate;
    if (t->phase == PHASE_SLOW_START) slow_start(t, off);
    else avoid(t, off);
    t->low_count = off >= 0.12 ? t->low_count + 1 : 0;
    if (t->low_count < 20) return;
    t->low_count = 0;
    t->max_rate *= 0.8;
    t->limit /= 2;
    t->phase = PHASE_SLOW_START;
}

static void let_others_go(struct gsim_share *share)
{
    struct tgs *t = state_of(share);
    double now = gsim_share_now(share);
    bool waits = false;
    if (now >= t->window_start + params_of(share)->window_us) {
        t->window_start = now;
        t->window_blocks = 0;
    }
    for (uint32_t i = 0; i < share->task_count; i++) {
        uint32_t task = (t->next + i) % share->task_count;
        while (t->held[task].count && (t->is_lifted || (t->limit > 0 && t->window_blocks <= t->limit))) {
            struct gsim_share_kernel *k = gsim_held_pop(&t->held[task]);
            t->window_blocks += (double)gsim_blocks_of(k);
            gsim_share_decide(share, k, 0);
        }
        waits |= t->held[task].count > 0;
    }
    t->next = (t->next + 1) % share->task_count;
    if (!waits || t->is_ticking) return;
    t->is_ticking = true;
    gsim_share_timer(share, now + params_of(share)->tick_us, t);
}

/* ARGUMENT: the state for a tick, NULL for a message. */
static void timer(struct gsim_share *share, void *argument)
{
    struct tgs *t = state_of(share);
    if (argument) {
        t->is_ticking = false;
    } else {
        receive_rate(t, t->rate);
        t->rate = 0;
        gsim_share_timer(share, gsim_share_now(share) + params_of(share)->message_us, NULL);
    }
    let_others_go(share);
}

static void ready(struct gsim_share *share, struct gsim_share_kernel *k)
{
    struct tgs *t = state_of(share);
    if (k->task == share->urgent) {
        t->rate += (double)gsim_blocks_of(k);
        gsim_share_release(share, k, 0);
        return;
    }
    gsim_held_push(&t->held[k->task], k);
    let_others_go(share);
}

static void task_ended(struct gsim_share *share, uint32_t task)
{
    struct tgs *t = state_of(share);
    if (task != share->urgent) return;
    t->has_ended = t->is_lifted = true;
    let_others_go(share);
}

static bool note(const void *params, double run_us, char *text, size_t size)
{
    double message_us = ((const struct tgs_params *)params)->message_us, messages = floor(run_us / message_us);
    if (messages >= FEW) return false;
    snprintf(text, size,
             "tgs: %.0f messages of the urgent task's rate in this run, one each %.4g s. The others wait for %d of "
             "them or its end, and their limit is not settled before %d: use a longer run or --opt message_us=N",
             messages, message_us / 1e6, SAMPLES, FEW);
    return true;
}

static enum gsim_status start(struct gsim_share *share, struct gsim_error *error)
{
    (void)error;
    gsim_share_timer(share, params_of(share)->message_us, NULL);
    return GSIM_OK;
}

const struct gsim_sharing_ops gsim_sharing_tgs = {
    GSIM_HEAD(sharing),
    .name = "tgs",
    .summary = "others' blocks per window are limited so that the urgent task's rate does not fall",
    .source = "TGS (NSDI 2023), pkusys/TGS e1c6a31",
    GSIM_PARAMS(struct tgs_params,
        GSIM_REAL(struct tgs_params, message_us, 5e6, 100, 1e9, "us",
                  "between two messages with the production job's rate"),
        GSIM_REAL(struct tgs_params, window_us, 50000, 10, 1e9, "us", "in which others' blocks are counted"),
        GSIM_REAL(struct tgs_params, tick_us, 10000, 1, 1e9, "us", "between two looks of who is over the limit")),
    .base = {.mechanism = GSIM_MECHANISM_TIMESLICE},
    .state_size = sizeof(struct tgs),
    .task_size = sizeof(struct gsim_held),
    .start = start,
    .ready = ready,
    .timer = timer,
    .task_ended = task_ended,
    .note = note,
};
