/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: schedulers (helper). The rules of moves.h op by op, for who does not look at the next ones. */
#pragma once

#include "gpusim/schedulers/moves.h"

struct gsim_moves_walk;

/* Room for BUFFERS of the run's program; NULL: out of memory. AUTOMATIC: the program's own prefetches are left out. */
struct gsim_moves_walk *gsim_moves_walk_create(struct gsim_run *run, uint32_t buffers, bool automatic);
void gsim_moves_walk_destroy(struct gsim_moves_walk *walk); /* accepts NULL */
/* The buffer has just been made. */
void gsim_moves_walk_begin(struct gsim_moves_walk *walk, uint32_t buffer_index);
/* Notes what must be moved before OP; *COUNT moves, which gsim_moves_walk_move() tells. False: out of memory. */
bool gsim_moves_walk_op(struct gsim_moves_walk *walk, const struct gsim_op *op, size_t *count);
/* Move INDEX for OP as an op, with its argument in ARG. */
struct gsim_op gsim_moves_walk_move(const struct gsim_moves_walk *walk, size_t index, const struct gsim_op *op,
                                    struct gsim_arg *arg);
/* Whether a prefetch of the program's own is issued. */
bool gsim_moves_walk_keeps(const struct gsim_moves_walk *walk);
