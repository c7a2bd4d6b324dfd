/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: ask. Files of ranks, schema gpusim-ranks/1, and the clients that they are. */
#pragma once

#include "gpusim/scenario.h"
#include "sim/rank_node.h"

/* Ranks that run one program. */
struct gsim_rank_entry {
    const char *program; /* a path, or a name as --workload takes it */
    uint32_t device, count;
};

struct gsim_rank_file {
    const char *node;      /* NULL: not given */
    uint32_t nodes;        /* at least 1 */
    double net_gbps;       /* 0: not given */
    bool folds;            /* ranks of one entry are simulated once */
    struct gsim_rank_entry *entries;
    uint32_t count;
    struct gsim_arena arena;
};
enum gsim_status gsim_rank_file_read(const char *path, struct gsim_rank_file *file,
                                     struct gsim_error *error) GSIM_NODISCARD;
void gsim_rank_file_release(struct gsim_rank_file *file); /* accepts zeroed */
uint64_t gsim_rank_file_count(const struct gsim_rank_file *file); /* of ranks */
/* The node of all ranks, each of which has a GPU of its own there. DEVICE: for a node that leaves it open; or NULL. */
enum gsim_status gsim_rank_file_place(const struct gsim_rank_file *file, const char *device,
                                      struct gsim_rank_node *node, struct gsim_error *error) GSIM_NODISCARD;
/* Makes COUNT clients from ARENA; EACH, by entry, has program and scheduler. NULL: memory is out. */
struct gsim_client *gsim_rank_file_clients(const struct gsim_rank_file *file, const struct gsim_client *each,
                                           struct gsim_arena *arena, uint32_t *count);
