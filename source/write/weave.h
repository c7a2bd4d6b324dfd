/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: source (private to source/write). Rewrites each CUDA call for the chosen streams. Adds every wait that the
 * order of the source's calls needs: each dependence of the program is checked, and added where the policy's own waits
 * do not give it.
 */
#pragma once

#include "gpusim/program.h"
#include "source/write/choice.h"
#include "source/read/log.h"

#define GSIM_WEAVE_NONE   UINT32_MAX
#define GSIM_FORMULA_NAME 31
/* Why a blocking copy from or to pageable memory is kept, to no one's loss: it follows all that was given before. */
#define GSIM_WEAVE_PLAIN ""

/* One op, or one prefetch that the policy added before it. */
struct gsim_weave_item {
    uint32_t op, step, site, node;
    uint32_t stream;     /* NONE: the default stream, which waits for all and which all wait for */
    uint32_t chosen;     /* by the policy, though the call may be left in the default stream */
    uint32_t pointer;    /* of a prefetch: of the log; NONE: it is an op */
    uint64_t bytes;
    uint32_t event;      /* NONE: nobody waits for it */
    uint32_t position;   /* in its stream, from 1 */
    struct gsim_choice_list waits; /* items */
};

/* What becomes of a call in the text. */
struct gsim_weave_site {
    const char *keep_reason;      /* why it stays in the default stream; NULL: it does not */
    bool is_op, is_kept;          /* a synchronisation that stays */
    bool waits_for_all;           /* a USE or an END: for more than STREAMS */
    bool has_table;               /* its executions have different streams */
    uint32_t period;              /* the stream is the first one's and COUNTER % PERIOD; 0: it is not */
    char counter[GSIM_FORMULA_NAME + 1];
    struct gsim_choice_list items; /* its executions, without prefetches */
    struct gsim_choice_list streams; /* that the host waits for */
};

struct gsim_weave {
    const struct gsim_cuda_log *log;
    const struct gsim_program *program;
    struct gsim_weave_item *items;
    struct gsim_weave_site *sites;
    uint32_t *first_item, *item_of; /* by step, one more than there are; by op of the program */
    size_t item_count, item_room;
    uint32_t stream_count, event_count;
    bool is_default;              /* its only stream is the default one: launches stay as they are */
    int32_t *priorities;          /* by stream */
    uint32_t added_waits, lost_prefetches;
    bool failed;
};

/* The weave is the caller's to release in any case. KEEP_REASONS: why a call's text cannot be changed, by site; NULL:
 * it can. */
enum gsim_status gsim_weave_make(struct gsim_weave *weave, const struct gsim_cuda_log *log,
                                 const struct gsim_program *program, const struct gsim_choice *choice,
                                 const char *const *keep_reasons, struct gsim_error *error) GSIM_NODISCARD;
/* Calls of a loop whose streams take turns by its counter lose their table. Before gsim_weave_number(). */
void gsim_formula_find(struct gsim_weave *weave);
/* Gives events to those items that others wait for. */
void gsim_weave_number(struct gsim_weave *weave);
void gsim_weave_release(struct gsim_weave *weave); /* accepts zeroed */
