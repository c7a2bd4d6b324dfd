/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces (private to the importers). What a recording of gpusim trace says beside PyTorch's events: part of the
 * records.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpusim/status.h"

/* gpusim trace: when the host had waited. */
struct gsim_waited {
    int64_t *ns;
    uint32_t count;
    size_t room;
};

struct gsim_launched { /* of the run without recording, in order */
    int64_t ns;
    uint64_t function; /* the same for launches of the same kernel; 0: of a graph */
};

struct gsim_graph_pair { /* of nodes' numbers: an edge; what a node is a copy of */
    uint64_t from, to;
};

struct gsim_priority { /* of a stream */
    uint32_t context;
    int32_t priority;
    uint64_t number;
};

struct gsim_allocation {
    uint64_t address, bytes;
    int64_t from_ns, until_ns;
    bool is_host;
};

/* What a launch, copy or memset was given. */
struct gsim_pointers {
    uint64_t correlation;
    int64_t ns;
    uint32_t count;
    struct gsim_pointer {
        uint32_t parameter;
        uint64_t address;
    } * at; /* the arena's */
};

struct gsim_recorded {
    struct gsim_waited waited[2]; /* with and without recording */
    struct gsim_launched *launched;
    struct gsim_graph_pair *edges, *copies; /* by TO; by FROM, which copies TO */
    struct gsim_priority *priorities;
    struct gsim_allocation *allocations; /* by time */
    struct gsim_pointers *pointers;
    uint32_t launched_count, edge_count, copy_count, priority_count, allocation_count, pointers_count;
    size_t launched_room, edge_room, copy_room, priority_room, allocation_room, pointers_room;
    struct {
        double call_ns, launch_ns; /* of a call, of a launch */
        bool is_known;
    } cost; /* of recording, as measured beside it */
};
void gsim_recorded_release(struct gsim_recorded *recorded);

struct gsim_records;
struct gsim_host_event;
struct gsim_dataflow;
struct gsim_trace_steps;
void gsim_recorded_costs(struct gsim_records *records, const char *text);
enum gsim_status gsim_recorded_meta(struct gsim_records *records, const char *text) GSIM_NODISCARD;
/* traces/import/recorded/pointers.c */
enum gsim_status gsim_recorded_memory(struct gsim_records *records, const char *text) GSIM_NODISCARD;
enum gsim_status gsim_recorded_pointers(struct gsim_records *records, const char *text) GSIM_NODISCARD;
/* FLOW: of allocations. GSIM_USAGE: the recording holds no pointers. */
enum gsim_status gsim_recorded_flow(struct gsim_records *records, struct gsim_dataflow *flow) GSIM_NODISCARD;
void gsim_recorded_sort(struct gsim_records *records); /* after all is read */
enum gsim_status gsim_recorded_call(struct gsim_records *records, const struct gsim_host_event *event, const char *name,
                                    const char *args) GSIM_NODISCARD;
enum gsim_status gsim_recorded_steps(const struct gsim_records *records, struct gsim_trace_steps *found) GSIM_NODISCARD;
