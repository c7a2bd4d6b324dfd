/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programmatic dependent launch on the SMs: a block that triggers lets launches that follow begin before its end, and
 * one that is held waits behind its prologue, on its SM, for the end of what it follows (CUDA programming guide:
 * programmatic dependent launch). Both are marks in a block's work, where it passes from one stretch to the next. What
 * waits asks for nothing but its place.
 */
#include "sim/sm/state.h"

/* The first mark of the cohort's work behind AT; 1: there is none. */
static double next_mark(const struct gsim_cohort *c, double at)
{
    double next = gsim_demand_triggers(c->work) && c->work->trigger > at ? c->work->trigger : 1;
    return c->run->is_held && c->run->prologue > at && c->run->prologue < next ? c->run->prologue : next;
}

void gsim_marks_begin(struct gsim_cohort *c, double work)
{
    c->whole = work;
    c->reached = next_mark(c, 0);
    c->left = work * c->reached;
    c->is_spread = true; /* what ends there is no block */
    if (c->run->is_held && c->run->prologue <= 0) c->pace = c->asks = 0;
}

static void all_triggered(struct gsim_gpu *gpu, struct gsim_kernel_run *run, gsim_time now)
{
    if (run->untriggered || run->unplaced) return;
    gpu->told++;
    if (gpu->listener.kernel_triggered) gpu->listener.kernel_triggered(gpu->listener.data, run->tag, now);
}

void gsim_marks_placed(struct gsim_gpu *gpu, struct gsim_kernel_run *run, gsim_time now)
{
    if (gsim_demand_triggers(run->work)) all_triggered(gpu, run, now);
}

bool gsim_marks_pass(struct gsim_gpu *gpu, const struct gsim_sm_group *g, struct gsim_cohort *c, gsim_time now)
{
    double at = c->reached;
    if (at >= 1) return false;
    c->reached = next_mark(c, at);
    c->left = (c->reached - at) * c->whole;
    if (c->run->is_held && at == c->run->prologue) c->pace = c->asks = 0;
    if (at == c->work->trigger && c->frees) {
        c->run->untriggered -= (uint64_t)c->blocks * g->sm_count;
        all_triggered(gpu, c->run, now);
    }
    return true;
}

void gsim_gpu_release(struct gsim_gpu *gpu, gsim_time now, struct gsim_kernel_run *run)
{
    if (!run->is_held) return;
    run->is_held = false;
    gsim_gpu_change(gpu, now, run, 1, true);
}
