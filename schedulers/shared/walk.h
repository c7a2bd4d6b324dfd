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
/* Another iteration of a known program begins: moves that are the same as in the one before are the same ops. */
void gsim_moves_walk_restart(struct gsim_moves_walk *walk);
/* Adds what must be moved before OP to *OPS, of which there are *COUNT and room for *ROOM. Moves live as long as the
 * run, or as one that is drawn. False: out of memory. */
bool gsim_moves_walk_add(struct gsim_moves_walk *walk, const struct gsim_op *op, const struct gsim_op ***ops,
                         size_t *count, size_t *room);
/* Whether a prefetch of the program's own is issued. */
bool gsim_moves_walk_keeps(const struct gsim_moves_walk *walk);
