/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (data). Checks a finished run against its program: every kernel and copy ran once an iteration, none
 * before its predecessors had ended, all before the iteration's end. It sees the timeline only, not a race that ends
 * well by chance.
 */
#pragma once

#include "gpusim/timeline.h"

/* GSIM_SIM, with ops and times: TIMELINE breaks a dependence of PROGRAM over ITERATIONS (read after write, write after
 * read, write after write, also across iterations, or "after"). IS_PLACED: each GPU has its own memory, so a write is
 * ordered only with accesses on its GPU. Linear in ops, arguments and records. */
enum gsim_status gsim_verify_timeline(const struct gsim_timeline *timeline, const struct gsim_program *program,
                                      uint32_t iterations, bool is_placed, struct gsim_error *error) GSIM_NODISCARD;
