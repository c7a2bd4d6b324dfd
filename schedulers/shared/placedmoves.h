/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). The moves of ops that are placed on several GPUs, in explicit memory: what a kernel reads
 * and its GPU lacks is copied from the host or, if that has more bandwidth, from a GPU that holds it; once, until
 * somebody writes.
 */
#pragma once

#include "schedulers/shared/whereabouts.h"

/* A move of one argument that lives as long as the run, or as one that is drawn. NULL: out of memory. */
const struct gsim_op *gsim_move_keep(struct gsim_run *run, const struct gsim_op *op);

struct gsim_bringer {
    struct gsim_run *run;
    struct gsim_whereabouts data;
    const struct gsim_op **ops; /* moves and ops; the caller sets COUNT and MOVE_COUNT back */
    size_t count, room;
    uint32_t move_count;
    bool follows, failed;       /* FOLLOWS: the program's own prefetches */
};

bool gsim_bringer_init(struct gsim_bringer *b, struct gsim_run *run);
void gsim_bringer_release(struct gsim_bringer *b); /* accepts zeroed */
/* Another buffer of a program that is drawn has got the place. */
void gsim_bringer_forget(struct gsim_bringer *b, uint32_t buffer);
/* Adds what OP needs on DEVICE, then OP, unless it is a prefetch, which stands for the copy. */
void gsim_bringer_add(struct gsim_bringer *b, const struct gsim_op *op, uint32_t device);

/* As gsim_moves_lower(), of a program that has been placed (gsim_placing_program): moves stand at use. */
enum gsim_status gsim_moves_lower_placed(struct gsim_run *run, struct gsim_lowering *lowering,
                                         struct gsim_error *error) GSIM_NODISCARD;
