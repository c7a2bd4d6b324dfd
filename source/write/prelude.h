/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: source (private to source/write). What stands before the functions of a scheduled source: its streams,
 * events and helpers. */
#pragma once

#include "source/write/cuda.h"
#include "source/write/graph.h"

struct gsim_prelude {
    const char *command;
    const struct gsim_weave *weave;
    const struct gsim_cuda_counts *counts;
    const struct gsim_regions *regions;
};

void gsim_prelude_write(const struct gsim_prelude *what, struct gsim_output *output);
