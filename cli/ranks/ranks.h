/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). --ranks: programs on GPUs of their own, with collectives between them. */
#pragma once

#include "cli/cli.h"

enum gsim_status gsim_cli_run_ranks(const struct gsim_cli_arguments *arguments,
                                    struct gsim_error *error) GSIM_NODISCARD;

/* A node by its name: a device, how many of it on each of how many hosts, how they and their hosts are connected. */
struct gsim_cli_node {
    char device[80];
    uint32_t gpus, hosts;
    struct gsim_ranks links;
};
/* DEVICE: for a node that leaves it open; or NULL. */
enum gsim_status gsim_cli_node(const char *name, const char *device, uint32_t ranks, struct gsim_cli_node *node,
                               struct gsim_error *error) GSIM_NODISCARD;
