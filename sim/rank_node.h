/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim. A node by its name, as ranks see it: of models/nodes or a file, or "DEVICE-xN", N of a device with the
 * links that its file says. */
#pragma once

#include "gpusim/ranks.h"

struct gsim_rank_node {
    char device[80];
    uint32_t gpus, hosts;    /* GPUs of each host */
    struct gsim_ranks links; /* between GPUs and hosts; per_node is the caller's */
};
/* DEVICE: for a node that leaves it open; or NULL. */
enum gsim_status gsim_rank_node_find(const char *name, const char *device, uint32_t ranks, struct gsim_rank_node *node,
                                     struct gsim_error *error) GSIM_NODISCARD;
