/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner. Threads of the host that give tasks to workers (mode copilot), for real: each sweeps over the
 * reports of its own workers, takes note of ends, and puts ready tasks, of a queue that all threads share, into slots
 * of those that hold fewest. The model of the same, in the same steps: sim/resident/host.c.
 */
#pragma once

#include "traces/runner/resident/tasks.h"

struct gsim_host_board;

/* For launches of TASKS. SLOTS and REPORTS: memory that host and workers share, zero; as many as the view says. */
struct gsim_host_board *gsim_host_board_create(const struct gsim_tasks_tables *tasks, struct gsim_tasks_slot *slots,
                                               struct gsim_tasks_report *reports);
/* Schedules one launch, whose workers have begun or will; returns when all tasks have ended and all workers have been
 * told to stop. The calling thread is the first of the plan's. GSIM_SIM: it took longer than LIMIT_NS; workers have
 * been told to stop all the same. */
enum gsim_status gsim_host_board_run(struct gsim_host_board *board, uint64_t limit_ns,
                                     struct gsim_error *error) GSIM_NODISCARD;
void gsim_host_board_destroy(struct gsim_host_board *board); /* accepts NULL */
