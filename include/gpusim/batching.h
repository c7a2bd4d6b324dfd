/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (interface). What a batching policy is: it decides what a server of a language model runs next, of the
 * requests that wait and those that it serves. Implementations live in workloads/batching/, one file each
 * (batching.def lists them), or in shared objects.
 *
 * A request has PROMPT tokens, which steps of the kind prefill compute, and asks for OUTPUT tokens: the first comes
 * with the last of its prefill, each decode step brings one more. From its first prefill to its end it holds a slot.
 *
 * Order of calls in one run:
 *   open   optional, before the run
 *   next   whenever the server's host is free: fills in a step. It is called again at once where the step launched a
 *          prefill on a stream of its own, and when something has changed where the step was empty
 */
#pragma once

#include "gpusim/params.h"
#include "gpusim/random.h"

GSIM_DECLARATIONS_BEGIN

#define GSIM_NO_REQUEST      UINT32_MAX
#define GSIM_BATCH_LAUNCHES  4

/* The steps that a server knows; a spec gives programs for those that its policy uses. */
#define GSIM_STEP_KIND_MAP(X) \
    X(PREFILL, "prefill")     \
    X(DECODE, "decode")       \
    X(DRAFT, "draft")         \
    X(VERIFY, "verify")
enum gsim_batch_kind {
#define GSIM_STEP_KIND_ENUM(key, text) GSIM_STEP_##key,
    GSIM_STEP_KIND_MAP(GSIM_STEP_KIND_ENUM)
#undef GSIM_STEP_KIND_ENUM
    GSIM_STEP_KIND_COUNT,
};

struct gsim_served {
    double arrival_us;
    uint32_t prompt, output; /* tokens */
    uint32_t computed;       /* tokens of the prompt whose prefill is complete */
    uint32_t produced;       /* tokens of the output */
    uint32_t slot;           /* UINT32_MAX: it waits */
};

/* What a policy sees. Indices into REQUESTS change from call to call. */
struct gsim_batch_view {
    double now_us;
    uint32_t slots, free_slots;
    const struct gsim_served *requests;
    uint32_t waiting;            /* the request that waits longest, or GSIM_NO_REQUEST */
    uint32_t waiting_count;
    uint32_t filling;            /* one with a slot whose prefill is not complete and not running, or GSIM_NO_REQUEST */
    uint32_t decoding_count;     /* those whose prefill is complete */
    uint32_t highest;            /* slots that a decode step covers: 1 + the highest slot of these */
    bool prefill_running;        /* on a stream of its own: no other can begin */
    uint64_t decodes_since;      /* decode steps since the last prefill */
};

/* The next step: at most one prefill, then at most one round of decoding. Both empty: wait. */
struct gsim_batch_step {
    uint32_t prefill; /* a request of the view, or GSIM_NO_REQUEST */
    uint32_t tokens;  /* of its prompt; 0: all that are left */
    bool decodes;     /* the requests that decode get their next tokens */
    /* How a round of decoding runs; none given: one decode step. Each covers the view's highest slot. */
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
    bool separate;       /* prefill has a GPU of its own, and the cache moves over the link */
    void (*open)(void *state, const void *params); /* NULL: nothing to set up. STATE is zeroed */
    void (*next)(void *state, const void *params, const struct gsim_batch_view *view, struct gsim_batch_step *step);
    /* Tokens that a round of decoding brings a request. NULL: one. */
    uint32_t (*tokens)(void *state, const void *params, const struct gsim_random *numbers);
};

/* What a shared object exports; of no meaning in a program. */
extern const struct gsim_batching_ops gsim_batching;

/* The request whose prefill a step can go on with or begin: one that fills its slot, else the one that waits longest,
 * where a slot is free for it and no prefill runs; or GSIM_NO_REQUEST. */
static inline uint32_t gsim_batch_next_prefill(const struct gsim_batch_view *view)
{
    if (view->prefill_running) return GSIM_NO_REQUEST;
    if (view->filling != GSIM_NO_REQUEST) return view->filling;
    return view->free_slots ? view->waiting : GSIM_NO_REQUEST;
}

/* workloads/batching/registry.c */
const struct gsim_batching_ops *gsim_batching_find(const char *name);
const struct gsim_batching_ops *gsim_batching_at(uint32_t index); /* NULL at the end */
/* By name, or from a shared object by its path. It stays loaded. */
enum gsim_status gsim_batching_load(const char *name_or_path, const struct gsim_batching_ops **ops,
                                    struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
