/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (interface). A scenario is what gpusim simulates: clients, each a host thread that issues a program to
 * its GPU, and the platform, sharing, placement and options that they run under. The smallest is one program on one
 * GPU.
 */
#pragma once

#include "gpusim/ranks.h"
#include "gpusim/simulate.h"

GSIM_DECLARATIONS_BEGIN

/* A rank or, with COPIES, several that do the same at the same time and are simulated once; or a task. */
struct gsim_client {
    const struct gsim_program *program;
    const struct gsim_scheduler_ops *scheduler;
    const void *scheduler_params; /* NULL: defaults */
    uint32_t rank, copies;        /* the first of COPIES ranks */
    uint32_t device;              /* GPU of the first */
    double start_us;              /* of its first iteration */
    const struct gsim_task *task; /* of a task: its arrivals, priority and process; NULL: a rank */
};

struct gsim_scenario {
    /* Platform, sharing, placement, options. Its program, source and scheduler, or its tasks, are the clients until
     * gsim_scenario_join() sets others. */
    struct gsim_simulation simulation;
    bool is_checked;              /* the timeline is checked against the programs (sim/program/verify.h) */
    struct gsim_ranks ranks;      /* from here on gsim_scenario_join()'s */
    struct gsim_task *tasks;
    struct gsim_task_set *set;
    struct gsim_arena arena;
};

/* Makes the COUNT entries of CLIENTS, which must outlive SCENARIO, its clients. Ranks have GPUs of their own, joined by
 * LINKS, whose lists are not read; ITERATIONS 0: the programs'. Tasks share the simulation's GPUs.
 * Released by the caller, also on failure. */
enum gsim_status gsim_scenario_join(struct gsim_scenario *scenario, const struct gsim_client *clients, uint32_t count,
                                    const struct gsim_ranks *links, uint32_t iterations,
                                    struct gsim_error *error) GSIM_NODISCARD;
void gsim_scenario_release(struct gsim_scenario *scenario); /* accepts zeroed */

/* Gives the timeline of ranks its iterations: each from the first rank's call to the last one's end. */
enum gsim_status gsim_timeline_join(struct gsim_timeline *timeline, struct gsim_error *error) GSIM_NODISCARD;

/* Simulates and fills TIMELINE, which the caller releases, also on failure, and before SCENARIO. Errors are those of
 * gsim_simulate(), which it alone calls. GSIM_SIM also: the timeline breaks a dependence, or a kernel did not run. */
enum gsim_status gsim_run(const struct gsim_scenario *scenario, struct gsim_timeline *timeline,
                          struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
