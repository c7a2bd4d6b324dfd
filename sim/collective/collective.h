/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (collective). Collectives while they run. On each rank one is a kernel; when all blocks of all ranks are
 * resident they move data, and end together. A block that is resident waits on its SM. The time is that of
 * sim/collective/plan.h under the conditions of each moment: links shared with other collectives, and device memory
 * with the kernels beside.
 */
#pragma once

#include "sim/memory/device.h"

/* Sets m->collectives where the program has some, and gives the machine's kernels their shapes; else it stays NULL.
 * GSIM_INPUT: the run's tasks are no ranks, or cannot form a collective's group. */
enum gsim_status gsim_collectives_open(struct gsim_machine *m, uint32_t device_count,
                                       struct gsim_error *error) GSIM_NODISCARD;
void gsim_collectives_close(struct gsim_machine *m);
/* Sets the time alone of each collective in DEMANDS, which are by kernel. */
void gsim_collectives_time(const struct gsim_collectives *c, struct gsim_demand *demands);

/* The command is a kernel of a collective. */
bool gsim_collective_is(const struct gsim_command *command);
/* Its turn has come in its stream. */
void gsim_collective_submit(struct gsim_command *command);
/* All its blocks are resident. */
void gsim_collective_resident(struct gsim_command *command);
/* Its last block has left. */
void gsim_collective_ended(struct gsim_command *command);
/* Nothing will happen any more, and host threads wait: who waits for whom. False: no collective waits. */
bool gsim_collectives_explain(const struct gsim_machine *m, char *text, size_t size);
