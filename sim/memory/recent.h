/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. What L2 holds follows from what ran: the data that kernels touched last, part by part (their segments, or
 * whole arguments), and how much of it a kernel finds. A time that was measured by repeating a kernel found what L2 can
 * hold of its own data; inside a program it takes up to struct gsim_demand's COLD times as long, by the share that
 * others have displaced.
 *
 * D = the bytes that were touched since, S = its own: all of it is there up to D + S of 0.54 of L2, nothing from 0.90
 * on (sim/memory/reuse.h). What a kernel touches without saying so (no arguments) displaces, and is found cold.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct gsim_device;
struct gsim_op;
struct gsim_recent_part;

struct gsim_recent {
    bool is_kept;                          /* kernels whose repeated times need it are in the program */
    struct gsim_recent_part *first, *last; /* that touched last first */
    struct gsim_recent_part **of_buffer;   /* the first of a buffer's */
    struct gsim_recent_part *idle;
    uint32_t *running;                     /* launches of each kernel whose data are its own: the first brings them */
    uint32_t count;                        /* parts */
    bool is_bounded;                       /* no more of them are kept than are ever looked at */
};

/* False: out of memory. */
bool gsim_recent_init(struct gsim_device *d);
/* OP, a kernel, is submitted and so touches its data. Returns its work relative to a repeated run's: 1, or up to its
 * demand's cold where its data is not in L2. */
double gsim_recent_kernel(struct gsim_device *d, const struct gsim_op *op);
void gsim_recent_kernel_ended(struct gsim_device *d, const struct gsim_op *op);
/* The buffer has new data from elsewhere. */
void gsim_recent_forget(struct gsim_device *d, uint32_t buffer);
