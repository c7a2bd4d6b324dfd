/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: traces (private to traces/export/cuda). What stands before the functions of a scheduled source: its streams,
 * events and helpers. */
#pragma once

#include "traces/export/cuda/cuda.h"
#include "traces/export/cuda/graph.h"

struct gsim_prelude {
    const char *command;
    const struct gsim_weave *weave;
    const struct gsim_cuda_counts *counts;
    const struct gsim_regions *regions;
};

void gsim_prelude_write(const struct gsim_prelude *what, struct gsim_output *output);
