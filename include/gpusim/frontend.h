/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (interface). A policy inside the GPU's front end: hardware that does not exist (yet), or a part of what
 * does. It sees launches of kernels before they start, and says when they do; no host time passes, decisions cost
 * cycles.
 *
 * Order of calls in one kernel's life, with time standing still in each:
 *   on_submit        its launch has arrived at the head of its hardware queue, and no copy of its stream runs
 *     GSIM_FRONTEND_PASS  it goes on as without a policy: on_ready is asked when its stream's order lets it start
 *     GSIM_FRONTEND_HOLD  it blocks its queue until gsim_frontend_look(), then on_submit is asked again
 *     GSIM_FRONTEND_TAKE  it leaves the queue, which goes on; the policy must release it. Copies and events of its
 *                         stream wait for all launches that were taken before them
 *   on_ready         of a passed launch: PASS starts it, HOLD as above
 *   on_kernel_start  its first blocks have been placed
 *   on_kernel_end    its last block has ended; LAUNCH is no more when the call returns
 *   on_timer         gsim_frontend_arm()
 * Functions may be NULL; without on_submit and on_ready launches pass. All calls are made by the simulated device.
 */
#pragma once

#include "gpusim/program.h"

GSIM_DECLARATIONS_BEGIN

struct gsim_frontend;

enum gsim_frontend_answer { GSIM_FRONTEND_PASS, GSIM_FRONTEND_HOLD, GSIM_FRONTEND_TAKE };

/* A launch in the policy's hands, until its kernel has ended. */
struct gsim_frontend_launch {
    const struct gsim_op *op;
    const void *note; /* what came with it (gsim_launch_noted); NULL: nothing */
    void *state;      /* the policy's own, at first NULL */
    uint32_t stream, iteration;
    int priority;     /* at first its stream's; may be changed until it is released */
};

struct gsim_frontend_ops {
    uint32_t abi; /* GSIM_ABI */
    size_t size;  /* sizeof(struct gsim_frontend_ops) */
    const char *name;
    enum gsim_frontend_answer (*on_submit)(void *policy, struct gsim_frontend *, struct gsim_frontend_launch *);
    enum gsim_frontend_answer (*on_ready)(void *policy, struct gsim_frontend *, struct gsim_frontend_launch *);
    void (*on_kernel_start)(void *policy, struct gsim_frontend *, struct gsim_frontend_launch *);
    void (*on_kernel_end)(void *policy, struct gsim_frontend *, struct gsim_frontend_launch *);
    void (*on_timer)(void *policy, struct gsim_frontend *, uint64_t what);
};

/* What a policy acts on. */
struct gsim_frontend_calls {
    void (*spend)(struct gsim_frontend *, double cycles);
    void (*release)(struct gsim_frontend *, struct gsim_frontend_launch *, double cycles);
    void (*look)(struct gsim_frontend *);
    void (*arm)(struct gsim_frontend *, double cycles, uint64_t what);
    double (*now_us)(struct gsim_frontend *);
};
struct gsim_frontend {
    const struct gsim_frontend_calls *calls;
};

/* Spends CYCLES of the SMs' clock on the decision: what the policy does from here on, and the next launch that it is
 * asked about, are delayed by that. Decisions are made one after another. */
static inline void gsim_frontend_spend(struct gsim_frontend *f, double cycles) { f->calls->spend(f, cycles); }
/* Starts a launch that was taken, CYCLES after the decision. Call it once for each. */
static inline void gsim_frontend_release(struct gsim_frontend *f, struct gsim_frontend_launch *launch, double cycles)
{
    f->calls->release(f, launch, cycles);
}
/* Asks about held launches again. */
static inline void gsim_frontend_look(struct gsim_frontend *f) { f->calls->look(f); }
/* Calls on_timer with WHAT, CYCLES after the decision. */
static inline void gsim_frontend_arm(struct gsim_frontend *f, double cycles, uint64_t what)
{
    f->calls->arm(f, cycles, what);
}
static inline double gsim_frontend_now_us(struct gsim_frontend *f) { return f->calls->now_us(f); }

GSIM_DECLARATIONS_END
