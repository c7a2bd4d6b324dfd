/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: source (private to source/write). What a scheduler chose in one simulated iteration, as its calls of the
 * driver tell: the stream of each op, what it waits for, in the order of issue.
 */
#pragma once

#include "gpusim/simulate.h"

#define GSIM_CHOICE_NONE UINT32_MAX

struct gsim_choice_list {
    uint32_t *at;
    size_t count, room;
};
/* Adds ITEM unless it is there; without memory FAILED is set. */
void gsim_choice_push(struct gsim_choice_list *list, uint32_t item, bool *failed);

struct gsim_choice_op {
    uint32_t op;          /* of the program; of a prefetch that a policy added, the one it serves */
    uint32_t buffer;      /* of a prefetch that was added; NONE: it is the program's */
    uint64_t bytes;
    uint32_t stream;      /* counted from 0 in the order of use */
    uint32_t wait_start, wait_count; /* into waits */
};

struct gsim_choice {
    struct gsim_choice_op *ops;
    uint32_t *waits;      /* indices of ops */
    int32_t *priorities;  /* by stream */
    size_t op_count, wait_count, op_room, wait_room, stream_room;
    uint32_t stream_count;
};

/* Runs SIMULATION, whose attach it sets, and fills TIMELINE. GSIM_USAGE for a scheduler that decides while the program
 * runs. */
enum gsim_status gsim_choice_make(struct gsim_choice *choice, struct gsim_simulation *simulation,
                                  struct gsim_timeline *timeline, struct gsim_error *error) GSIM_NODISCARD;
void gsim_choice_release(struct gsim_choice *choice); /* accepts zeroed */
