/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli. --node: the node of a run with the specs of its devices; and what "gpusim list nodes" prints. */
#pragma once

#include "gpusim/simulate.h"
#include "sim/platform/platform.h"

struct gsim_cli_setup;

/* Devices of the node, each kind once. */
struct gsim_cli_platform {
    struct gsim_node *node;
    struct gsim_device_spec *specs; /* of the kinds but the first, which is the setup's device */
    uint32_t *kinds;                /* by device: 0 is the first, the others specs[kind - 1] */
    uint32_t kind_count;
    struct gsim_arena arena;
};

void gsim_cli_node_release(struct gsim_cli_platform *node); /* accepts NULL */
/* What the simulation has of it, with FIRST as the first kind; nothing of NULL. Memory is of ARENA, which notes when
 * there is none. */
void gsim_cli_node_set(const struct gsim_cli_platform *node, const struct gsim_device_spec *first,
                       struct gsim_arena *arena, struct gsim_simulation *simulation);

/* The setup's --node, or --device, or that which it was given. */
enum gsim_status gsim_cli_node_or_device(struct gsim_cli_setup *setup, struct gsim_error *error) GSIM_NODISCARD;
/* --opt device.NAME=VALUE or rule.NAME=VALUE: of all kinds of devices. */
/* The work model of all devices, by --model or --opt gpu.model. */
enum gsim_status gsim_cli_node_model(struct gsim_cli_setup *setup, struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_cli_node_opt(struct gsim_cli_setup *setup, bool is_rule, const char *name, const char *value,
                                   struct gsim_error *error) GSIM_NODISCARD;

enum gsim_status gsim_cli_list_nodes(bool in_full, struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_cli_list_node(const char *name_or_path, struct gsim_error *error) GSIM_NODISCARD;

/* GPUs of a run: --gpus, else all of the node, else one. */
uint32_t gsim_cli_gpu_count(const struct gsim_cli_setup *setup);

/* The links of a run for who has no simulated machine: what placements ask about. */
struct gsim_cli_links {
    struct gsim_arena arena;
    struct gsim_node *plain; /* without --node: devices alike, each with links of its own */
    struct gsim_platform platform;
};
void gsim_cli_links_open(struct gsim_cli_links *links, const struct gsim_cli_setup *setup, uint32_t count);
void gsim_cli_links_close(struct gsim_cli_links *links); /* accepts zeroed */
