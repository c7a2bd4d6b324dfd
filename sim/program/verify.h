/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (data). Whether a finished run did what its program says: every kernel and copy once an iteration, none
 * before what it depends on has ended, nothing left when an iteration ends. A scheduler that forgets a dependence would
 * otherwise win. From the timeline alone; a race that happens to be won is not seen.
 */
#pragma once

#include "gpusim/timeline.h"

/* ITERATIONS: that were to run. IS_PLACED: each GPU has memory of its own, and the scheduler brings data from one to
 * another: then writes are ordered with other accesses on the same GPU alone. GSIM_SIM, with the ops and times in
 * question, if TIMELINE breaks PROGRAM's dependences: reads after writes, writes after reads and writes of the same
 * buffer, in the program's order and across iterations, and what "after" names. Linear in ops, arguments and records.
 */
enum gsim_status gsim_verify_timeline(const struct gsim_timeline *timeline, const struct gsim_program *program,
                                      uint32_t iterations, bool is_placed, struct gsim_error *error) GSIM_NODISCARD;
