/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (interface). A policy inside the GPU's front end: hardware that does not exist yet. It sees each launch
 * before it starts and says when it starts. It takes no host time; its decisions cost cycles of the SMs' clock.
 *
 * Order of calls in one kernel's life, with time standing still in each:
 *   on_submit the launch is at the head of its hardware queue, and no copy of its stream runs GSIM_FRONTEND_PASS
 *     continues as without a policy; on_ready is called when its dependences are met GSIM_FRONTEND_HOLD blocks its
 *     queue until gsim_frontend_look(), which calls on_submit again GSIM_FRONTEND_TAKE removes it from the queue, which
 *     continues; the policy must release it. Later copies and events of its stream wait for it
 *   on_ready         a passed launch may start: PASS starts it, HOLD as above
 *   on_kernel_start  its first blocks have been placed
 *   on_kernel_end    its last block has ended; LAUNCH is invalid after the call
 *   on_timer         the time of gsim_frontend_arm() has come
 * Functions may be NULL; without on_submit and on_ready launches pass. The simulated device makes all calls.
 */
#pragma once

#include "gpusim/program.h"

GSIM_DECLARATIONS_BEGIN

struct gsim_frontend;

enum gsim_frontend_answer { GSIM_FRONTEND_PASS, GSIM_FRONTEND_HOLD, GSIM_FRONTEND_TAKE };

/* A launch, from on_submit to the end of its kernel. */
struct gsim_frontend_launch {
    const struct gsim_op *op;
    const void *note; /* the note of gsim_launch_noted(); NULL: none */
    void *state;      /* the policy's; NULL at first */
    uint32_t stream, iteration;
    int priority;     /* its stream's at first; may be changed until the release */
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

/* The simulator's half of the functions below. */
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

/* Spends CYCLES of the SMs' clock on the decision. They delay the policy's later actions and its next decision;
 * decisions are serial. */
static inline void gsim_frontend_spend(struct gsim_frontend *f, double cycles) { f->calls->spend(f, cycles); }
/* Starts a taken launch CYCLES after the decision. Call it once for each. */
static inline void gsim_frontend_release(struct gsim_frontend *f, struct gsim_frontend_launch *launch, double cycles)
{
    f->calls->release(f, launch, cycles);
}
/* Calls on_submit or on_ready again for held launches. */
static inline void gsim_frontend_look(struct gsim_frontend *f) { f->calls->look(f); }
/* Calls on_timer with WHAT CYCLES after the decision. */
static inline void gsim_frontend_arm(struct gsim_frontend *f, double cycles, uint64_t what)
{
    f->calls->arm(f, cycles, what);
}
static inline double gsim_frontend_now_us(struct gsim_frontend *f) { return f->calls->now_us(f); }

GSIM_DECLARATIONS_END
