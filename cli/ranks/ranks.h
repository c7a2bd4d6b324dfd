/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim (program). --ranks: programs on GPUs of their own, with collectives between them. */
#ifndef GSIM_CLI_RANKS_H
#define GSIM_CLI_RANKS_H

#include "cli/cli.h"

enum gsim_status gsim_cli_run_ranks(const struct gsim_cli_arguments *arguments, struct gsim_error *error) GSIM_NODISCARD;

/* A node by its name: a device, how many of it, how they and their nodes are connected. */
struct gsim_cli_node {
    char device[80];
    uint32_t gpus;
    struct gsim_ranks links;
};
enum gsim_status gsim_cli_node(const char *name, struct gsim_cli_node *node, struct gsim_error *error) GSIM_NODISCARD;

#endif
