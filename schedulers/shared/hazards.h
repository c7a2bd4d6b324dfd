/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). Whether one op must follow another by what both touch: read after write, write after
 * write, write after read, segment by segment. For run times that test a kernel against a few others; the graph of a
 * whole list: dag.h.
 */
#pragma once

#include "gpusim/schedulers/moves.h"
#include "sim/program/access.h"

/* What an op does to a part of a buffer, which is in two places, or in managed memory in one, the device's. */
struct gsim_op_access {
    bool device_read, device_write, host_read, host_write;
};
struct gsim_op_access gsim_op_access(const struct gsim_op *op, const struct gsim_access *part, bool is_managed);

/* B, which comes after A, must wait for it. "after" is not looked at. */
bool gsim_op_conflicts(const struct gsim_op *a, const struct gsim_op *b, bool is_managed);
/* Segments that a test of OP goes through: what it reads and what it writes count apart. */
uint32_t gsim_op_segments(const struct gsim_op *op);
