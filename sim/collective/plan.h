/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (collective). A collective resolved for the ranks of a run: algorithm, protocol, channels, threads
 * (rules.c), and the time and traffic of its steps (steps.c and one file per algorithm). Rendezvous and clock:
 * sim/collective/collective.h.
 */
#pragma once

#include "gpusim/program.h"
#include "sim/collective/nccl.h"

/* What connects the ranks of a group: the one place that knows the platform. Rates of one direction of one GPU. */
struct gsim_collective_links {
    double gpu_gbps;        /* peer copies between GPUs of a node; without a link of their own, by way of the host */
    double net_gbps;        /* of a GPU's part of its node's network */
    uint32_t per_node;      /* ranks of a node; ranks of one node follow one another */
    bool has_multicast;     /* the switch reduces */
    bool has_nvlink;
};

struct gsim_collective_plan {
    const struct gsim_collective *what;
    uint32_t ranks, nodes;
    enum gsim_collective_algorithm algorithm; /* of pairs and all-to-alls auto: they have none */
    enum gsim_collective_protocol protocol;
    uint32_t channels, threads;
};

/* What stands in the way of its steps. */
struct gsim_collective_conditions {
    double gpu_gbps, net_gbps; /* its parts of the links */
    double memory_stretch;     /* of loads and stores of its blocks, 1: nobody else */
    double sent_share;         /* of the channels that are under way, all: 1 */
};

/* RANKS of them take part. */
struct gsim_collective_plan gsim_collective_plan(const struct gsim_nccl *nccl, const struct gsim_collective *what,
                                                 uint32_t ranks, const struct gsim_collective_links *links);
/* From the moment at which all blocks of all ranks are resident. */
double gsim_collective_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                          const struct gsim_collective_conditions *c);
/* Alone on the links. */
double gsim_collective_alone_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                                const struct gsim_collective_links *links);
/* Of a rank's device memory, in bytes, from its beginning to its end. */
double gsim_collective_traffic(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan);
/* Bytes that a rank sends. */
double gsim_collective_sent(const struct gsim_collective_plan *plan);
/* Blocks, threads, registers and shared memory, in KERNEL. */
void gsim_collective_shape(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                           struct gsim_kernel *kernel);

/* --- steps.c: what the algorithms share -------------------------------------------------------------------------- */
/* All channels move BYTES of a rank by a step of BLOCK_GBPS a block; over a link of LINK_GBPS, 0: over none. */
double gsim_steps_us(const struct gsim_collective_plan *plan, double bytes, double block_gbps, double link_gbps,
                     const struct gsim_collective_conditions *c);
/* Start and end, and hops beyond those between two ranks. */
double gsim_steps_base_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan);
double gsim_steps_hops_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan, double hops,
                          double net_hops);
/* The narrowest link of a ring over all ranks. */
double gsim_steps_link_gbps(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                            const struct gsim_collective_conditions *c);

double gsim_ring_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                    const struct gsim_collective_conditions *c);
double gsim_tree_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                    const struct gsim_collective_conditions *c);
double gsim_nvls_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                    const struct gsim_collective_conditions *c);
double gsim_pairs_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                     const struct gsim_collective_conditions *c);
double gsim_copy_engine_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                           const struct gsim_collective_conditions *c);
