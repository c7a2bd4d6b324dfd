/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (interface). A batching policy decides the next step of a language model's server: a prefill, a round of
 * decoding, or both. Implementations live in workloads/batching/, one file each (batching.def lists them), or in shared
 * objects.
 *
 * A request has PROMPT tokens, which prefill steps compute, and asks for OUTPUT tokens. The first one comes with the
 * end of its prefill, each decode step brings one more. It holds a slot from its first prefill to its end.
 *
 * Order of calls in one run:
 *   open   optional, before the run
 *   next   whenever the server's host is free: fills in a step. Called again at once if the step launched a prefill on
 *          a stream of its own; after a change if the step was empty
 */
#pragma once

#include "gpusim/params.h"
#include "gpusim/random.h"

GSIM_DECLARATIONS_BEGIN

#define GSIM_NO_REQUEST      UINT32_MAX
#define GSIM_BATCH_LAUNCHES  4

/* Kinds of steps. A spec gives programs for those that its policy uses. */
#define GSIM_STEP_KIND_MAP(X) \
    X(PREFILL, "prefill")     \
    X(DECODE, "decode")       \
    X(DRAFT, "draft")         \
    X(VERIFY, "verify")     \
    X(MIXED, "mixed") /* of prompts and of requests that decode; a profile has them alone */
enum gsim_batch_kind {
#define GSIM_STEP_KIND_ENUM(key, text) GSIM_STEP_##key,
    GSIM_STEP_KIND_MAP(GSIM_STEP_KIND_ENUM)
#undef GSIM_STEP_KIND_ENUM
    GSIM_STEP_KIND_COUNT,
};

struct gsim_served {
    double arrival_us;
    uint32_t prompt, output; /* tokens */
    uint32_t computed;       /* tokens of the prompt, prefill complete */
    uint32_t produced;       /* tokens of the output */
    uint32_t slot;           /* UINT32_MAX: waiting */
};

/* What a policy sees. Indices into REQUESTS are valid for one call. */
struct gsim_batch_view {
    double now_us;
    uint32_t slots, free_slots;
    const struct gsim_served *requests;
    uint32_t waiting;            /* longest-waiting request, or GSIM_NO_REQUEST */
    uint32_t waiting_count;
    uint32_t filling; /* request with a slot and an incomplete prefill that does not run, or GSIM_NO_REQUEST */
    uint32_t decoding_count;     /* requests whose prefill is complete */
    bool is_mixed;               /* steps are mixed: BUDGET counts */
    uint32_t highest;            /* slots of a decode step: 1 + the highest slot of the decoding */
    bool prefill_running;        /* on a stream of its own; no other may begin */
    uint64_t decodes_since;      /* decode steps since the last prefill */
};

/* The next step: at most one prefill, then at most one round of decoding. Neither: wait. Or a mixed step of at most
 * BUDGET tokens: one of each request that decodes, then of prompts, those that have begun first, at most TOKENS of
 * each. Where a request had to give way for want of cache, no other begins. */
struct gsim_batch_step {
    uint32_t budget;
    uint32_t prefill; /* a request of the view, or GSIM_NO_REQUEST */
    uint32_t tokens;  /* of its prompt; 0: all the rest */
    bool decodes;     /* a round of decoding */
    /* Steps of a round of decoding; none: one decode step. Each covers the view's HIGHEST slots. */
    struct {
        enum gsim_batch_kind kind;
        uint32_t count;
    } launches[GSIM_BATCH_LAUNCHES];
    uint32_t launch_count;
};

struct gsim_batching_ops {
    uint32_t abi;        /* GSIM_ABI */
    size_t size;         /* sizeof(struct gsim_batching_ops) */
    const char *name;    /* what users type */
    const char *summary; /* one line */
    const char *source;  /* the paper or system it follows */
    size_t params_size, state_size;
    const struct gsim_param *params; /* NULL: none */
    bool separate;       /* prefill runs on another GPU; the cache moves over the link */
    void (*open)(void *state, const void *params); /* may be NULL. STATE is zeroed */
    void (*next)(void *state, const void *params, const struct gsim_batch_view *view, struct gsim_batch_step *step);
    /* Returns the tokens of a request that a round of decoding brings. NULL: 1 */
    uint32_t (*tokens)(void *state, const void *params, const struct gsim_random *numbers);
};

/* Symbol that a shared object exports. */
extern const struct gsim_batching_ops gsim_batching;

/* Returns the request whose prefill can continue, else the longest-waiting one if a slot is free. GSIM_NO_REQUEST:
 * none, or a prefill runs. */
static inline uint32_t gsim_batch_next_prefill(const struct gsim_batch_view *view)
{
    if (view->prefill_running) return GSIM_NO_REQUEST;
    if (view->filling != GSIM_NO_REQUEST) return view->filling;
    return view->free_slots ? view->waiting : GSIM_NO_REQUEST;
}

/* workloads/batching/registry.c */
const struct gsim_batching_ops *gsim_batching_find(const char *name);
const struct gsim_batching_ops *gsim_batching_at(uint32_t index); /* NULL at the end */
/* Finds a policy by name, or loads a shared object by its path. The object stays loaded. */
enum gsim_status gsim_batching_load(const char *name_or_path, const struct gsim_batching_ops **ops,
                                    struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
