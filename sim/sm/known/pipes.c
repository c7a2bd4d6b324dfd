/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks of which it is known how long they keep each pipe busy (gpusim/pipes.def). A pipe of which the blocks on its SM
 * ask for the share A serves A / (1 + A^k)^(1/k) of it, and all wait the same for each service: a saturated pipe
 * shares, it does not stop a light one. Time that waits for L2 and DRAM is stretched by the whole chip's load.
 */
#include "sim/sm/share_parts.h"

#include <math.h>
#include <string.h>

#define SWEEPS 3         /* over the pipes: those that a block waits for in one ask less of the others */
#define TOLERANCE 5e-4   /* of what a pipe serves */
#define LEAST_LEFT  0.05 /* of a pipe, to the youngest */
#define LEAST_ASKED 0.25 /* of a pipe, for which nobody waits: 1 - (1 + A^6)^(-1/6) is below TOLERANCE */

double gsim_share_knee(double asked, double knee)
{
    double square = asked * asked;
    if (knee == 6) return sqrt(cbrt(1 + square * square * square));
    return pow(1 + pow(asked, knee), 1 / knee);
}

/* What a pipe serves of some cohorts where each service waits WAIT, and how fast that falls. REST: by cohort, its time
 * without that wait. */
struct service {
    double rate, slope;
};

static struct service serve(const struct gsim_cohort *c, uint32_t from, uint32_t to, const double *rest, int pipe, double wait)
{
    struct service sum = {0, 0};
    for (uint32_t i = from; i < to; i++) {
        const struct gsim_demand *w = c[i].work;
        if (!w->has_pipes || w->pipe_ps[pipe] <= 0) continue;
        double time = rest[i] + w->pipe_ps[pipe] * wait, rate = c[i].blocks * c[i].pace * w->pipe_ps[pipe] / time;
        sum.rate += rate;
        sum.slope -= rate * w->pipe_ps[pipe] / time;
    }
    return sum;
}

/* Newton's method from below: what is served falls ever more slowly with the wait. LEFT: of the pipe. */
static double find_wait(const struct gsim_cohort *c, uint32_t from, uint32_t to, const double *rest, int pipe, double left, double knee)
{
    struct service now = serve(c, from, to, rest, pipe, 0);
    double target = now.rate / gsim_share_knee(now.rate / left, knee), wait = 0;
    for (int i = 0; i < 20 && now.rate - target > TOLERANCE * left; i++) {
        wait -= (now.rate - target) / now.slope;
        now = serve(c, from, to, rest, pipe, wait);
    }
    return wait;
}

/* The waits at one pipe, of those who began together before those of younger ones. TIMES holds what they took of the waits there before. */
static void wait_at(const struct gsim_share_sums *s, const struct gsim_cohort *c, uint32_t count, double *rest, double *waits, int pipe)
{
    double older = 0;
    for (uint32_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && c[to].since == c[from].since && c[to].run == c[from].run;) to++;
        if (!c[from].work->has_pipes || c[from].work->pipe_ps[pipe] <= 0) continue;
        double left = fmax(1 - older, LEAST_LEFT);
        for (uint32_t i = from; i < to; i++) rest[i] -= waits[i];
        double wait = find_wait(c, from, to, rest, pipe, left, s->device->pipe_knee);
        for (uint32_t i = from; i < to; i++) {
            waits[i] = c[i].work->pipe_ps[pipe] * wait;
            rest[i] += waits[i];
            older += c[i].blocks * c[i].pace * c[i].work->pipe_ps[pipe] / rest[i];
        }
    }
}

void gsim_share_pipes(struct gsim_share_sums *s, const struct gsim_cohort *c, uint32_t count)
{
    double asked[GSIM_SM_PIPES] = {0}, waits[GSIM_SM_PIPES][GSIM_MAX_COHORTS];
    int busy[GSIM_SM_PIPES], busy_count = 0;
    s->dram_wait = fmax(s->stretch - 1, 0);
    for (uint32_t i = 0; i < count; i++) {
        const struct gsim_demand *w = c[i].work;
        if (!w->has_pipes) continue;
        double wait = w->dram_exposed * s->dram_wait; /* what waits for DRAM waits for L2, too */
        for (int p = 0; p < GSIM_CHIP_PIPES; p++) wait = fmax(wait, w->chip_exposed[p] * s->chip_wait[p]);
        s->pipes_time[i] = w->block_ps * (1 + wait);
        for (int p = 0; p < GSIM_SM_PIPES; p++) asked[p] += c[i].blocks * c[i].pace * w->pipe_ps[p] / s->pipes_time[i];
    }
    for (int p = 0; p < GSIM_SM_PIPES; p++) {
        if (asked[p] < LEAST_ASKED) continue;
        busy[busy_count++] = p;
        memset(waits[p], 0, count * sizeof **waits);
    }
    for (int sweep = 0; sweep < (busy_count > 1 ? SWEEPS : 1); sweep++)
        for (int k = 0; k < busy_count; k++) wait_at(s, c, count, s->pipes_time, waits[busy[k]], busy[k]);
}
