/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/platform (internal: sim/platform/simgrid.c and wires.cc). What SimGrid has in C++ alone: links and
 * endpoints made when they are needed, of which each transfer's route is put together; and its zones as networks
 * between nodes. A module of its own, since gpusim is not linked to SimGrid.
 */
#pragma once

#include <stdint.h>

struct gsim_network;

/* Handles are SimGrid's of its C interface. They live as long as the process, and one run after another uses them. */
struct gsim_wires_ops {
    uint32_t abi; /* GSIM_WIRES_ABI */
    void (*endpoint)(uint32_t number, void **start, void **end); /* sg_host_t: of one transfer at a time */
    void *(*wire)(uint32_t number);                              /* sg_link_t */
    /* The next transfer of ENDPOINT goes over these wires, and through NETWORK from leaf to leaf; NULL: through none.
     */
    void (*route)(uint32_t endpoint, const uint32_t *wires, uint32_t count, const struct gsim_network *network,
                  uint32_t leaf_count, const uint32_t leaves[2]);
};
#define GSIM_WIRES_ABI 1
#define GSIM_WIRES_SYMBOL "gsim_wires"
