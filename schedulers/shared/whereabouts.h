/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). Which places hold what: for every address of every buffer the host and the devices whose
 * copy is current. Who writes is the only holder, who reads is another one.
 */
#pragma once

#include "gpusim/placement.h"
#include "sim/program/access.h"
#include "sim/program/extents.h"

struct gsim_whereabouts {
    struct gsim_extents places; /* uint64_t[words]: bit 0 the host, bit d + 1 device d */
    const struct gsim_program *program;
    uint32_t words, device_count;
    bool everything_is_somewhere, by_declaration;
};

/* A part of a buffer that has one set of holders. */
struct gsim_held_part {
    uint64_t begin, end;
    uint64_t *holders;
};

/* ROOM: for buffers. EVERYTHING_IS_SOMEWHERE: those that nobody has written yet are the host's, as managed memory is.
 * False: out of memory. */
bool gsim_whereabouts_init(struct gsim_whereabouts *w, const struct gsim_program *program, uint32_t room,
                           uint32_t device_count, bool everything_is_somewhere, bool by_declaration);
/* The buffer is as at first. */
void gsim_whereabouts_begin(struct gsim_whereabouts *w, uint32_t buffer);
void gsim_whereabouts_release(struct gsim_whereabouts *w); /* accepts zeroed */

/* The parts of what ACCESS covers, in their order: starts with *AT 0. False: there are no more. */
bool gsim_whereabouts_next(struct gsim_whereabouts *w, const struct gsim_access *access, uint32_t *at,
                           struct gsim_held_part *part);
bool gsim_whereabouts_has(const uint64_t *holders, uint32_t place); /* a device, or GSIM_AT_HOST */
bool gsim_whereabouts_is_nowhere(const struct gsim_whereabouts *w, const uint64_t *holders);
/* PLACE read ACCESS: it holds it, too; wrote it: nobody else does. */
void gsim_whereabouts_read(struct gsim_whereabouts *w, const struct gsim_access *access, uint32_t place);
void gsim_whereabouts_write(struct gsim_whereabouts *w, const struct gsim_access *access, uint32_t place);
/* What OP does on DEVICE, or on the host. */
void gsim_whereabouts_note(struct gsim_whereabouts *w, const struct gsim_op *op, uint32_t device);
