/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/platform (internal: sim/platform/simgrid.c and wires.cc). The part of SimGrid that only C++ has: links and
 * endpoints made on demand, routes set for each transfer, and zones as networks between boxes. It is a module of its
 * own because gpusim is not linked to SimGrid.
 */
#pragma once

#include <stdint.h>

struct gsim_network;

/* Handles are those of SimGrid's C interface. They live as long as the process, over all its runs. */
struct gsim_wires_ops {
    uint32_t abi; /* GSIM_WIRES_ABI */
    void (*endpoint)(uint32_t number, void **start, void **end); /* sg_host_t; one transfer at a time */
    void *(*wire)(uint32_t number);                              /* sg_link_t */
    /* Sets the wires of the next transfer of ENDPOINT, and its LEAVES of NETWORK; NULL: none. */
    void (*route)(uint32_t endpoint, const uint32_t *wires, uint32_t count, const struct gsim_network *network,
                  uint32_t leaf_count, const uint32_t leaves[2]);
};
#define GSIM_WIRES_ABI 1
#define GSIM_WIRES_SYMBOL "gsim_wires"
