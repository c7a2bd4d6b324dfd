/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The equations of sim/sm/share.h for on-chip blocks: they come first, others do not take shared memory from them, but
 * the issue slots that their chains of dependent instructions need. All other blocks are sim/sm/share.c's.
 */
#include "sim/sm/share_parts.h"

#include <math.h>
#include <string.h>

/* T = C (L / g + w) + l. A chain of dependent instructions waits for an issue slot at each step (w). Blocks queue for
 * their SM's shared memory as customers of a priority server, oldest first (g), and wait for loads that other warps
 * have in flight (L).
 *
 * An SM serves the share U of its shared memory's time when A is asked for. Of a customer who is preceded by the share
 * S, the speed is 1 / (1 + W U (1 - S)^-1.5), W = on_chip_wait, so that S grows with what is asked for as dS = dA / (1
 * + ...), which integrates to A = S + 2 W U ((1 - S)^(-1/2) - 1); all of it together is S = U. Newton's method, from
 * one that is near. */
static double used_chip(double asked, double wait)
{
    double used = asked / sqrt(1 + asked * asked);
    for (int i = 0; i < 20 && used > 0; i++) {
        double root = sqrt(1 - used), slope = 1 + 2 * wait * (1 / root - 1) + wait * used / (root * root * root);
        double step = (used + 2 * wait * used * (1 / root - 1) - asked) / slope;
        used = used - step < 1 ? used - step : 0.5 * (1 + used);
        if (fabs(step) < 1e-5) break; /* the next one would be its square */
    }
    return used;
}

/* sqrt(1 - S), S the share that is served to the oldest blocks, which ask for ASKED together. ROOT: the same of the
 * blocks before, where Newton's method starts. */
static double root_of_served(double asked, double used, double root, double on_chip_wait)
{
    double wait = 2 * on_chip_wait * used, rest = asked - 1 + wait;
    for (int i = 0; i < 20; i++) {
        double step = (root * root * root + rest * root - wait) / (3 * root * root + rest);
        root -= step;
        if (fabs(step) < 1e-5) break;
    }
    return root;
}

/* L: how many times as long an access to shared memory takes beside loads. */
static double beside_loads(const struct gsim_share_sums *s)
{
    const struct gsim_device_spec *d = s->device;
    if (!gsim_share_rule(s, GSIM_RULE_ONCHIP_LOADS)) return 1;
    double asked = s->lines / (d->lines_per_l1_kib * s->l1_kib) + s->filled / d->l1_free_share;
    return (1 + d->on_chip_beside_loads * s->loading / GSIM_THREADS_OF_WIDTH) *
           (1 + d->on_chip_beside_lines * fmax(asked - 1, 0));
}

/* Adds what COUNT cohorts from C on, of one launch, take of the slots if they wait for none. Returns whether they take
 * any. */
static bool add_slots(struct gsim_share_slots *slots, const struct gsim_cohort *c, uint32_t count,
                      const struct gsim_share_sums *s)
{
    const struct gsim_demand *w = c->work;
    for (uint32_t i = 0; i < count && w->has_flops; i++) {
        gsim_share_add_to_halves(slots->halves, &c[i]);
        if (gsim_share_has_arithmetic(w))
            slots->rate +=
                c[i].blocks * c[i].pace * w->issue_ps / (w->compute_ps + w->latency_ps + gsim_share_memory_time(w, s));
    }
    return w->has_flops;
}

/* w: ALL is the share of slots that others take, OLDER that by older ones. */
static double wait_for_issue(const struct gsim_share_sums *s, double all, double older)
{
    if (!gsim_share_rule(s, GSIM_RULE_ISSUE_WAIT)) return 0;
    return s->device->issue_wait_on_chip * fmax(older, all) / fmax(1 - older, s->device->starved_issue_share);
}

void gsim_share_on_chip(struct gsim_cohort *c, uint32_t count, const struct gsim_share_sums *s)
{
    if (!s->has_on_chip) return;
    struct gsim_share_slots all = {.rate = 0}, older = {.rate = 0};
    for (uint32_t i = 0; i < count; i++) add_slots(&all, &c[i], 1, s);
    double loads = beside_loads(s), used = used_chip(s->on_chip, s->device->on_chip_wait), asked = 0, root = 1;
    double seen = fmin(gsim_share_taken(s, &all), 1 - used * used), wait = wait_for_issue(s, seen, 0),
           share = s->on_chip > 0 ? used / s->on_chip : 1;
    const struct gsim_cohort *last = NULL; /* as fast as the next one of its kind */
    for (uint32_t i = 0, length; i < count; i += length) {
        const struct gsim_demand *w = c[i].work;
        double blocks;
        length = gsim_share_alike(&c[i], count - i, &blocks);
        if (add_slots(&older, &c[i], length, s)) {
            wait = wait_for_issue(s, seen, gsim_share_taken(s, &older));
            last = NULL;
        }
        if (w->kind != GSIM_DEMAND_ON_CHIP) continue;
        bool is_as_last = last && last->work == w && !s->is_crowded;
        if (s->is_crowded) {
            double own = blocks * w->issue_ps / w->compute_ps, before = root;
            asked += own;
            share = s->on_chip > 0 ? used / s->on_chip : 1;
            if (own > 0) {
                root = asked < s->on_chip * (1 - 1e-9) ? root_of_served(asked, used, before, s->device->on_chip_wait)
                                                       : sqrt(1 - used);
                share = (before * before - root * root) / own;
            }
        }
        double speed = is_as_last ? last->speed : 1 / (w->compute_ps * (loads / share + wait) + w->latency_ps);
        for (uint32_t k = 0; k < length; k++) c[i + k].speed = speed;
        last = &c[i];
    }
}

static bool is_plain(const struct gsim_demand *w)
{
    return w->kind == GSIM_DEMAND_ON_CHIP && !w->is_crowded && !w->has_flops;
}

/* used_chip() over what is asked for, from a cache: SMs ask for the same again and again. */
static double known_share(struct gsim_chip_shares *shares, double asked, double wait)
{
    uint64_t bits;
    memcpy(&bits, &asked, sizeof bits);
    bits *= UINT64_C(0x9e3779b97f4a7c15); /* 2^64 over the golden ratio */
    struct gsim_chip_share *known = &shares->known[bits >> (64 - GSIM_CHIP_SHARE_BITS)];
    if (known->asked != asked) *known = (struct gsim_chip_share){asked, used_chip(asked, wait) / asked};
    return known->share;
}

bool gsim_share_plain_chip(const struct gsim_device_spec *device, struct gsim_chip_shares *known, struct gsim_cohort *c,
                           uint32_t count, double *soonest)
{
    double asked = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (c[i].asks == 0) {
            if (!is_plain(c[i].work)) return false;
            c[i].asks = gsim_cohort_asks(&c[i]);
        }
        asked += c[i].asks;
    }
    double share = asked > 0 ? known_share(known, asked, device->on_chip_wait) : 1;
    *soonest = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        c[i].speed = 1 / (c[i].work->compute_ps * (1 / share) + c[i].work->latency_ps);
        double remaining = gsim_cohort_remaining(&c[i]);
        *soonest = remaining < *soonest ? remaining : *soonest;
    }
    return true;
}
