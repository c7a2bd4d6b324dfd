/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (data). A collective as an op of a program: one kernel on each rank of its group, which occupies SMs and
 * waits for the others. models/nccl/ gives its blocks and time (sim/collective/).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "gpusim/units.h"

GSIM_DECLARATIONS_BEGIN

#define GSIM_LIMIT_RANKS    65536u
#define GSIM_LIMIT_CHANNELS 64u

/* X(id, name): NCCL's operations; send_recv: the group's first rank sends to its second, one op for both. */
#define GSIM_COLLECTIVE_KINDS(X)                                                                                      \
    X(ALL_REDUCE, "all_reduce") X(ALL_GATHER, "all_gather") X(REDUCE_SCATTER, "reduce_scatter")                        \
    X(BROADCAST, "broadcast")                                                                                          \
    X(ALL_TO_ALL, "all_to_all") X(SEND, "send") X(RECV, "recv") X(SEND_RECV, "send_recv")
#define GSIM_COLLECTIVE_ENUM(id, name) GSIM_COLLECTIVE_##id,
enum gsim_collective_kind { GSIM_COLLECTIVE_KINDS(GSIM_COLLECTIVE_ENUM) GSIM_COLLECTIVE_COUNT };

enum gsim_collective_algorithm {
    GSIM_ALGORITHM_AUTO,
    GSIM_ALGORITHM_RING,
    GSIM_ALGORITHM_TREE,
    GSIM_ALGORITHM_NVLS,
    GSIM_ALGORITHM_COPY_ENGINE,
    GSIM_ALGORITHM_CUSTOM,   /* of serving engines: one or two shots by size, NCCL's where they take NCCL */
    GSIM_ALGORITHM_ONE_SHOT, /* each rank reads the others' buffers and reduces all of it */
    GSIM_ALGORITHM_TWO_SHOT  /* each rank reduces a part, and reads the others' parts */
};
enum gsim_collective_protocol { GSIM_PROTOCOL_AUTO, GSIM_PROTOCOL_LL, GSIM_PROTOCOL_LL128, GSIM_PROTOCOL_SIMPLE };

struct gsim_collective {
    enum gsim_collective_kind kind;
    enum gsim_collective_algorithm algorithm;
    enum gsim_collective_protocol protocol;
    uint64_t bytes;        /* as NCCL counts them; all_gather and reduce_scatter: of the whole */
    uint32_t channels;     /* at most; 0: NCCL's rules */
    uint32_t communicator; /* number among the communicators of one group */
    uint32_t group_count;  /* 0: all ranks of the run */
    const uint32_t *group; /* ranks in the communicator's order */
};

/* Names in program files; each list ends with NULL. */
extern const char *const gsim_collective_names[GSIM_COLLECTIVE_COUNT + 1];
extern const char *const gsim_algorithm_names[], *const gsim_protocol_names[];

static inline bool gsim_collective_is_pair(enum gsim_collective_kind kind)
{
    return kind == GSIM_COLLECTIVE_SEND || kind == GSIM_COLLECTIVE_RECV || kind == GSIM_COLLECTIVE_SEND_RECV;
}

struct gsim_device_spec;
struct gsim_nccl;
/* Reads NCCL's numbers of the device's architecture. The caller frees them by gsim_free(). NULL: none, or out of
 * memory. */
struct gsim_nccl *gsim_collective_numbers(const struct gsim_device_spec *device);
struct gsim_ranks;
/* Returns the microseconds of a collective of RANKS ranks alone on one node, from the arrival of the last rank. LINKS
 * has the node's; NULL: the device's own. */
double gsim_collective_estimate_us(const struct gsim_nccl *numbers, const struct gsim_device_spec *device,
                                   const struct gsim_collective *collective, uint32_t ranks,
                                   const struct gsim_ranks *links);

GSIM_DECLARATIONS_END
