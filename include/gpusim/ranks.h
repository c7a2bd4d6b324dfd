/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (data). Ranks of a run: each is a task with its own process, host thread and GPU. Collectives join them
 * (include/gpusim/collective.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "gpusim/memory.h"
#include "gpusim/status.h"
#include "gpusim/units.h"

GSIM_DECLARATIONS_BEGIN

struct gsim_program;
struct gsim_scheduler_ops;
struct gsim_task;
struct gsim_task_set;

/* Ranks that do the same at the same time are one task, simulated once. */
struct gsim_ranks {
    uint32_t count;              /* all ranks */
    const uint32_t *rank_of;     /* by task: its first rank */
    const uint32_t *device_of;   /* by task: the index of its GPU in the simulation */
    const uint32_t *copies;      /* by task: number of its ranks */
    uint32_t per_node;           /* consecutive ranks of a node; 0: one node */
    double net_gbps;             /* a GPU's share of its node's network, each way */
    double gpu_gbps;             /* a GPU's link to its node's other GPUs, each way; 0: the device's own */
    bool is_over_host;           /* with gpu_gbps: not NVLink */
    bool has_multicast;          /* the node's switch reduces (NVLS) */
    bool is_custom;              /* all-reduces are a serving engine's own where a program names no algorithm */
    double speed;                /* factor on the speed of collectives; 0: 1 */
};

/* Ranks that run one program. */
struct gsim_rank_program {
    const struct gsim_program *program;
    const struct gsim_scheduler_ops *scheduler;
    const void *scheduler_params; /* NULL: defaults */
    uint32_t rank, copies, device; /* first of COPIES ranks; GPU of the first */
    double start_us;               /* of its first iteration */
};

struct gsim_simulation;
struct gsim_rank_set {
    struct gsim_ranks ranks;
    struct gsim_task *tasks;
    struct gsim_task_set *set;
    struct gsim_arena arena;
};
/* Makes the COUNT entries of LIST, which must outlive SET, the tasks of SIMULATION: sets its program, tasks, sharing,
 * ranks and gpu_count. ITERATIONS 0: the programs'. LINKS: connections; its lists are not read. */
enum gsim_status gsim_rank_set_init(struct gsim_rank_set *set, const struct gsim_rank_program *list, uint32_t count,
                                    const struct gsim_ranks *links, uint32_t iterations,
                                    struct gsim_simulation *simulation, struct gsim_error *error) GSIM_NODISCARD;
void gsim_rank_set_release(struct gsim_rank_set *set); /* accepts zeroed */

struct gsim_sharing_ops;
/* Mode of sharing of ranks: a GPU each. */
extern const struct gsim_sharing_ops gsim_sharing_ranks;

GSIM_DECLARATIONS_END
