/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). Files of schema gpusim-ranks/1. */
#pragma once

#include <stdbool.h>

#include "gpusim/collective.h"
#include "gpusim/memory.h"
#include "gpusim/status.h"

/* Ranks that run one program. */
struct gsim_cli_rank_entry {
    const char *program; /* a path, or a name as --workload takes it */
    uint32_t device, count;
};

struct gsim_cli_rank_file {
    const char *node;      /* NULL: not given */
    uint32_t nodes;        /* at least 1 */
    double net_gbps;       /* 0: not given */
    bool folds;            /* ranks of one entry are simulated once */
    struct gsim_cli_rank_entry *entries;
    uint32_t count;
    struct gsim_arena arena;
};
enum gsim_status gsim_cli_rank_file_read(const char *path, struct gsim_cli_rank_file *file,
                                         struct gsim_error *error) GSIM_NODISCARD;
void gsim_cli_rank_file_release(struct gsim_cli_rank_file *file); /* accepts zeroed */
