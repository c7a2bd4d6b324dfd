/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/collective. Collectives while they run. On each rank a collective is a kernel, whose resident blocks hold
 * their SMs. When all blocks of all ranks are resident they move data, and end together. Their speed is that of
 * sim/collective/plan.h under the conditions of each moment: links are shared with other collectives, device memory
 * with co-resident kernels.
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

/* Whether COMMAND is a kernel of a collective. */
bool gsim_collective_is(const struct gsim_command *command);
/* Submits it when its stream lets it start. */
void gsim_collective_submit(struct gsim_command *command);
/* To be called when all its blocks are resident. */
void gsim_collective_resident(struct gsim_command *command);
/* To be called when its last block has ended. */
void gsim_collective_ended(struct gsim_command *command);
/* Writes which ranks wait for which, in a deadlock. False: no collective waits. */
bool gsim_collectives_explain(const struct gsim_machine *m, char *text, size_t size);
