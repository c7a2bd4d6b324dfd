/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim/collective (internal). The state of all collectives of a run. */
#pragma once

#include "gpusim/ranks.h"
#include "sim/collective/collective.h"
#include "sim/collective/plan.h"

/* An ordered group of ranks. */
struct gsim_communicator {
    const struct gsim_collective *like; /* has its group */
    uint32_t task_count;
    const uint32_t *tasks;              /* of its ranks that are simulated, in the group's order */
    uint32_t ranks;                     /* of the group */
};

struct gsim_collective_member {
    struct gsim_command *command;       /* NULL: not submitted, or ended */
    bool has_come, is_resident;
};

/* One collective, from its first kernel's submission to its last kernel's end. */
struct gsim_collective_run {
    uint32_t communicator, iteration, ordinal;
    const struct gsim_collective_plan *plan;
    struct gsim_collective_member *members; /* as the communicator has its tasks */
    uint32_t resident, ended;
    bool has_begun, is_over;
    gsim_time begun, since;
    double left, speed;                 /* share of it; shares per picosecond */
    double load_gbps;                   /* that it draws of each rank's device memory */
    struct gsim_collective_run *next;
};

struct gsim_collectives {
    struct gsim_machine *machine;
    const struct gsim_ranks *ranks;     /* NULL: one rank alone */
    uint32_t task_count;
    struct gsim_nccl nccl;
    struct gsim_collective_links links;
    struct gsim_collective_plan *plans; /* by kernel of the program */
    struct gsim_communicator *communicators;
    uint32_t communicator_count;
    size_t communicator_room;
    uint32_t *communicator_of,
        *ordinal_of; /* by op of the timeline's program: of a collective, which among its communicator's */
    uint32_t *moving;                   /* by device: collectives under way there */
    struct gsim_collective_run *runs, *free_runs; /* open ones, oldest first */
    struct gsim_agenda_source source;
};

struct gsim_collective_links gsim_collective_links_of(const struct gsim_device_spec *device,
                                                      const struct gsim_ranks *ranks); /* RANKS may be NULL */
bool gsim_collectives_attend(struct gsim_collectives *c); /* to the agenda; false: out of memory */
static inline uint32_t gsim_collectives_rank(const struct gsim_collectives *c, uint32_t task)
{
    return c->ranks ? c->ranks->rank_of[task] : 0;
}
