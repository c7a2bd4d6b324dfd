/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/collective. A collective resolved for the ranks of a run: its algorithm, protocol, channels and threads
 * (rules.c), and the time and traffic of its steps (steps.c, and a file per algorithm). When ranks meet, and how time
 * passes, is sim/collective/collective.h's.
 */
#pragma once

#include "gpusim/program.h"
#include "sim/collective/nccl.h"

/* What connects the ranks of a group. Rates are of one direction of one GPU. */
struct gsim_collective_links {
    double gpu_gbps;        /* peer copies between GPUs of a node; without a link of their own, by way of the host */
    double net_gbps;        /* of a GPU's part of its node's network */
    uint32_t per_node;      /* ranks of a node; ranks of one node follow one another */
    uint32_t world;         /* ranks of the run; 0: those of the group */
    bool has_multicast;     /* the switch reduces */
    bool has_nvlink;
    bool is_custom;         /* all-reduces are an engine's own where the program names no algorithm */
};

struct gsim_collective_plan {
    const struct gsim_collective *what;
    uint32_t ranks, nodes, per_node; /* ranks on the node that has fewest of them */
    enum gsim_collective_algorithm algorithm; /* GSIM_ALGORITHM_AUTO for pairs and all-to-alls, which have none */
    enum gsim_collective_protocol protocol;
    uint32_t channels, threads;
};

/* What slows its steps at one moment. */
struct gsim_collective_conditions {
    double gpu_gbps, net_gbps; /* of the links, what it gets */
    double memory_stretch;     /* of its loads and stores; 1: no other traffic */
    double sent_share;         /* share of its channels that move data; 1: all */
};

/* The plan of WHAT among RANKS ranks, by NCCL's rules. It refers to WHAT. */
struct gsim_collective_plan gsim_collective_plan(const struct gsim_nccl *nccl, const struct gsim_collective *what,
                                                 uint32_t ranks, const struct gsim_collective_links *links);
/* Microseconds under C, from when all blocks of all ranks are resident. */
double gsim_collective_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                          const struct gsim_collective_conditions *c);
/* The same alone on the links. */
double gsim_collective_alone_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                                const struct gsim_collective_links *links);
/* Bytes that it reads and writes in a rank's device memory. */
double gsim_collective_traffic(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan);
/* Bytes that a rank sends. */
double gsim_collective_sent(const struct gsim_collective_plan *plan);
/* Sets grid, block, registers and shared memory of KERNEL. */
void gsim_collective_shape(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                           struct gsim_kernel *kernel);

/* --- steps.c: what the algorithms share -------------------------------------------------------------------------- */
/* Microseconds in which all channels move BYTES of a rank at BLOCK_GBPS a block, over a link of LINK_GBPS; 0: over
 * none. */
double gsim_steps_us(const struct gsim_collective_plan *plan, double bytes, double block_gbps, double link_gbps,
                     const struct gsim_collective_conditions *c);
/* Microseconds of start and end; of HOPS within nodes and NET_HOPS between them, beyond those of two ranks. */
double gsim_steps_base_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan);
double gsim_steps_hops_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan, double hops,
                          double net_hops);
/* Of the GB/s that all channels have of a link, those of the plan's protocol. */
double gsim_steps_protocol_gbps(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan, double gbps);
/* Of FILL_US, the microseconds in which a pipeline fills that a rank sends SENT bytes into. */
double gsim_steps_fill_us(const struct gsim_nccl *nccl, double fill_us, double sent);
/* GB/s of the narrowest link of a ring over all ranks. */
double gsim_steps_link_gbps(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                            const struct gsim_collective_conditions *c);

/* --- a file per algorithm: gsim_collective_us() of each ---------------------------------------------------------- */
double gsim_ring_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                    const struct gsim_collective_conditions *c);
double gsim_tree_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                    const struct gsim_collective_conditions *c);
double gsim_nvls_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                    const struct gsim_collective_conditions *c);
double gsim_pairs_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                     const struct gsim_collective_conditions *c);
double gsim_custom_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                      const struct gsim_collective_conditions *c);
double gsim_copy_engine_us(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                           const struct gsim_collective_conditions *c);

/* --- custom.c: all-reduces of serving engines --- */
bool gsim_custom_takes(const struct gsim_nccl *nccl, const struct gsim_collective_plan *plan,
                       const struct gsim_collective_links *links);
/* Sets algorithm, channels and threads of PLAN. */
void gsim_custom_choose(struct gsim_collective_plan *plan);
