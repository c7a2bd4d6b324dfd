/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks of which it is known how long they keep each pipe busy (gpusim/pipes.def). An SM's pipe is a station of a
 * closed queueing network, its customers the blocks there: a service waits for those that it finds. Waits for L2 and
 * DRAM stretch by the chip's load. */
#include "sim/sm/share_parts.h"

#include <math.h>
#include <string.h>

#define SWEEPS      2    /* over the pipes: those that a block waits for in one ask less of the others */
#define MAX_FREE    0.9  /* of a pipe: where more is asked, its queue is looked for from there on */
#define MAX_STEPS   30
#define TOLERANCE   1e-5 /* of a queue: times jump by a multiple of it, and no demand gives solo_us there */
#define MIN_ASKED   0.5  /* of a pipe, below which nobody waits */

double gsim_share_knee(double asked, double knee) { return pow(1 + pow(asked, knee), 1 / knee); }
double gsim_share_knee_load(double stretch, double knee) { return pow(fmax(pow(stretch, knee) - 1, 0), 1 / knee); }

double gsim_share_dram_load(const struct gsim_device_spec *d, double stretch)
{
    double low = 0, high = 2 * stretch * d->dram_gbps;
    for (int i = 0; i < 40; i++) *(gsim_share_dram(d, (low + high) / 2) < stretch ? &low : &high) = (low + high) / 2;
    return low / d->dram_gbps;
}

/* Blocks of one kernel on the SM. */
struct crowd {
    const struct gsim_demand *work;
    double blocks;
    double time;                 /* of a block, with all waits */
    double waits[GSIM_SM_PIPES]; /* of it */
};

/* Shares of a pipe in use: by services, by what holds back others beside them, and of the first by those that never
 * hold back. */
struct use {
    double served, held, others;
};

/* How long a block waits at the pipe that takes REST else, beside QUEUE there. Of that its own part, p / T, and what
 * its kernel HOLDS back, h / T, do not count: T = rest + s (q - (p + h) / T) / (1 + p / T), a quadratic equation. */
static double wait_for(const struct gsim_demand *work, int pipe, double rest, double queue, double holds)
{
    double p = work->pipe_ps[pipe], s = work->service_ps[pipe], b = p - rest - s * queue,
           c = s * (p + holds) - rest * p;
    return fmax((sqrt(fmax(b * b - 4 * c, 0)) - b) / 2 - rest, 0);
}

/* How many are at the pipe if each that comes finds QUEUE there, itself not counted. Leaves how long blocks wait, and
 * in *USE how much of the pipe they use then. A tensor instruction holds back others' issue, not its own kernel's. */
static double queue_at(struct crowd *crowds, uint32_t count, int pipe, double queue, struct use *use)
{
    double there = 0;
    *use = (struct use){0};
    for (uint32_t i = 0; i < count; i++) {
        struct crowd *c = &crowds[i];
        if (c->work->pipe_ps[pipe] <= 0) continue;
        double rest = c->time - c->waits[pipe];
        double holds = count > 1 && pipe == GSIM_PIPE_ISSUE ? c->work->holds_ps : 0;
        double wait = wait_for(c->work, pipe, rest, queue, c->blocks * holds);
        c->time = rest + wait;
        c->waits[pipe] = wait;
        double served = c->blocks * c->work->pipe_ps[pipe] / c->time, held = c->blocks * holds / c->time;
        use->served += served;
        use->held += held;
        use->others += holds > 0 ? 0 : served;
        there += held + served * (1 + wait / c->work->service_ps[pipe]);
    }
    return there;
}

/* Blocks of one kernel alone at a pipe: with m = (n - 1) p of the other ones T = rest + s (m / T) / (1 - m / T), a
 * quadratic equation, and no less than n p, which it serves. */
static void wait_alone_at(struct crowd *c, int pipe)
{
    double p = c->work->pipe_ps[pipe], rest = c->time - c->waits[pipe], m = fmax(c->blocks - 1, 0) * p,
           time = (rest + m + sqrt((rest - m) * (rest - m) + 4 * c->work->service_ps[pipe] * m)) / 2;
    c->time = fmax(time, c->blocks * p);
    c->waits[pipe] = c->time - rest;
}

/* What a queue's length must do, each of which asks for one at least as long: what comes finds as many as there are
 * (Schweitzer's approximation of the mean value analysis of closed networks, Lavenberg and Reiser 1980); the pipe
 * serves no more than it can, nor does it beside those that hold back. */
enum bound { AS_MANY, SERVED, HELD, BOUNDS };

/* How far beyond AT each of them is. */
static void find_excess(struct crowd *crowds, uint32_t count, int pipe, double at, double f[BOUNDS])
{
    struct use use;
    f[AS_MANY] = queue_at(crowds, count, pipe, at, &use) - at;
    f[SERVED] = at * (use.served - 1);
    f[HELD] = use.others > 0 ? at * (use.served + use.held - 1) : -at;
}

/* A first guess: between the queue of an open network and all that may be there. */
static double guess_queue(const struct crowd *crowds, uint32_t count, int pipe, double asked)
{
    double open = asked / (1 - fmin(asked, MAX_FREE)), most = 0;
    for (uint32_t i = 0; i < count; i++)
        if (crowds[i].work->pipe_ps[pipe] > 0)
            most += crowds[i].blocks * crowds[i].work->pipe_ps[pipe] / crowds[i].work->service_ps[pipe];
    return 1 / (1 / open + 1 / most);
}

/* The least queue that does all, from AT on: one root after another, found by secants. ASKED: of the pipe without
 * waits. */
static double wait_at(struct crowd *crowds, uint32_t count, int pipe, double asked, double at)
{
    double low = 0, high = INFINITY, last = 0, f[BOUNDS], f_last[BOUNDS] = {asked, asked - 1, asked - 1};
    for (int i = 0, k = AS_MANY; i < MAX_STEPS; i++) {
        find_excess(crowds, count, pipe, at, f);
        if (fabs(f[k]) <= TOLERANCE * at) {
            while (k < BOUNDS && f[k] <= TOLERANCE * at) k++;
            if (k == BOUNDS) break;
            low = at;
            high = INFINITY;
        } else *(f[k] > 0 ? &low : &high) = at;
        double next = f[k] == f_last[k] ? at : at - f[k] * (at - last) / (f[k] - f_last[k]);
        last = at;
        memcpy(f_last, f, sizeof f);
        if (!(next > low && next < high)) next = high < INFINITY ? (low + high) / 2 : 2 * at;
        at = next;
    }
    return at;
}

/* Issue and those that keep some block busiest, where anybody may wait. Returns how many. */
static uint32_t busy_pipes(const struct crowd *crowds, uint32_t count, const double asked[GSIM_SM_PIPES],
                           int busy[GSIM_SM_PIPES])
{
    uint32_t busy_count = 0, there = 0;
    for (uint32_t i = 0; i <= count; i++) {
        int most = i ? crowds[i - 1].work->busiest : GSIM_PIPE_ISSUE;
        if (asked[most] < MIN_ASKED || there >> most & 1) continue;
        there |= 1u << most;
        busy[busy_count++] = most;
    }
    return busy_count;
}

/* Those that find in L1 what they read again lose it where the blocks need more than there is: their own data, and what
 * the others bring while it is read once. */
static void lose_l1(struct crowd *crowds, uint32_t count, const struct gsim_share_sums *s)
{
    bool is_lost[GSIM_MAX_COHORTS];
    for (uint32_t i = 0; i < count; i++) {
        is_lost[i] = false;
        if (!crowds[i].work->keeps_l1) continue;
        double pass = crowds[i].time / crowds[i].work->l1_times, needed = 0;
        for (uint32_t k = 0; k < count; k++) {
            const struct crowd *c = &crowds[k];
            double bytes = c->work->l1_bytes;
            needed += c->blocks * (c->work->keeps_l1 ? bytes : fmin(bytes, bytes * pass / c->time));
        }
        is_lost[i] = needed > 1024 * s->l1_kib;
    }
    for (uint32_t i = 0; i < count; i++)
        if (is_lost[i]) crowds[i].time *= s->device->l1_lost_times;
}

void gsim_share_crowd(struct gsim_share_sums *s, const struct gsim_cohort *c, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = 0;
        if (!c[i].work->has_pipes) continue;
        while (at < s->crowd_count && c[s->crowd_first[at]].work != c[i].work) at++;
        s->crowd_of[i] = (uint8_t)at;
        if (at == s->crowd_count) {
            s->crowd_first[s->crowd_count++] = (uint8_t)i;
            s->crowd_blocks[at] = s->crowd_alone[at] = 0;
        }
        s->crowd_blocks[at] += c[i].blocks * c[i].pace;
    }
}

void gsim_share_pipes(struct gsim_share_sums *s, const struct gsim_cohort *c)
{
    struct crowd crowds[GSIM_MAX_COHORTS];
    double asked[GSIM_SM_PIPES] = {0};
    uint32_t count = s->crowd_count;
    s->dram_wait = fmax(s->stretch - 1, 0);
    for (uint32_t i = 0; i < count; i++) {
        const struct gsim_demand *w = c[s->crowd_first[i]].work;
        double wait = w->dram_exposed * s->dram_wait; /* what waits for DRAM waits for L2, too */
        for (int p = 0; p < GSIM_CHIP_PIPES; p++) wait = fmax(wait, w->chip_exposed * s->chip_wait[p]);
        crowds[i] = (struct crowd){.work = w, .blocks = s->crowd_blocks[i], .time = w->block_ps * (1 + wait)};
    }
    lose_l1(crowds, count, s);
    bool is_known = true;
    for (uint32_t i = 0; i < count; i++) {
        is_known = is_known && s->crowd_alone[i] == crowds[i].time;
        s->crowd_alone[i] = crowds[i].time;
    }
    if (is_known) return;
    for (uint32_t i = 0; i < count; i++)
        for (int p = 0; p < GSIM_SM_PIPES; p++)
            asked[p] += crowds[i].blocks * crowds[i].work->pipe_ps[p] / crowds[i].time;
    for (uint32_t i = 0; i < count && count > 1; i++)
        asked[GSIM_PIPE_ISSUE] += crowds[i].blocks * crowds[i].work->holds_ps / crowds[i].time;
    int busy[GSIM_SM_PIPES];
    double queues[GSIM_SM_PIPES];
    uint32_t busy_count = busy_pipes(crowds, count, asked, busy);
    for (uint32_t k = 0; k < busy_count && count > 1; k++)
        queues[k] = guess_queue(crowds, count, busy[k], asked[busy[k]]);
    for (int sweep = 0; sweep < (busy_count > 1 ? SWEEPS : 1); sweep++)
        for (uint32_t k = 0; k < busy_count; k++) {
            if (count == 1) wait_alone_at(crowds, busy[k]);
            else queues[k] = wait_at(crowds, count, busy[k], asked[busy[k]], queues[k]);
        }
    for (uint32_t i = 0; i < count; i++) s->pipes_time[i] = crowds[i].time;
}
