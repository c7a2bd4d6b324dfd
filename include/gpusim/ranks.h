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

struct gsim_sharing_ops;
/* Mode of sharing of ranks: a GPU each. */
extern const struct gsim_sharing_ops gsim_sharing_ranks;

GSIM_DECLARATIONS_END
