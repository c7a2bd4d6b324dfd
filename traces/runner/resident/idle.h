/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: traces/runner. What workers of a real resident launch spent their time with, from what its tasks noted. */
#pragma once

#include "gpusim/timeline.h"
#include "traces/runner/resident/tasks.h"

/* The four sums of RECORD, as sim/resident/resident.c counts them: a task is ready when all that it follows has ended.
 * START_NS, END_NS: of the first task and of the last one, by the GPU's clock. */
void gsim_tasks_idle(const struct gsim_tasks_tables *tasks, const struct gsim_tasks_stamp *stamps,
                     struct gsim_resident_record *record, uint64_t *start_ns, uint64_t *end_ns);
