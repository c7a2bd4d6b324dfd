/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: source (private to source/write). The time of a source as it stands, and of what was written: a scheduler that
 * makes the calls of the text, in their order, with their streams, events and waits.
 */
#pragma once

#include "source/write/weave.h"

#define GSIM_GAIN_TIMES 3

/* Times of a source as it stands and of what was written, with kernels as they are, and with all faster and slower. */
struct gsim_gain {
    gsim_time before[GSIM_GAIN_TIMES], now[GSIM_GAIN_TIMES];
};

/* SIMULATION is that of the weave; FACTOR: by how much kernels may be faster and slower. A graph is taken as the
 * streams it is captured from. */
enum gsim_status gsim_gain_compute(struct gsim_gain *gain, const struct gsim_weave *weave,
                                   const struct gsim_simulation *simulation, double factor,
                                   struct gsim_error *error) GSIM_NODISCARD;
