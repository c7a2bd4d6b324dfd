/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner. Random numbers for schedulers on a real GPU, without the GNU Scientific Library, which may not
 * be combined with NVIDIA's libraries (LICENSES.md). The same seed draws the same again here, not what the simulator
 * draws.
 */
#pragma once

#include "gpusim/random.h"

/* STATE stays the caller's, and has to live as long as what is returned. */
struct gsim_random gsim_runner_numbers(uint64_t *state, uint64_t seed);
