/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. Where each page of managed memory is: nowhere yet, in host memory, in device memory (a page has
 * one place: NVIDIA's open UVM driver, no read duplication by default). Pages are counted in groups of 64 KB, the
 * driver's unit of faults; runs of groups in one place are one extent, so cost never grows with bytes. Device
 * memory is finite: room is made in blocks of 2 MB, those that arrived first leave first (the driver's list of
 * used chunks is ordered by allocation and migration, not by access). When and how fast: sim/memory/managed.c, faults.c.
 */
#ifndef GSIM_RESIDENCY_H
#define GSIM_RESIDENCY_H

#include "gpusim/program.h"

#define GSIM_GROUP_BYTES 65536u   /* the driver's big page */
#define GSIM_BLOCK_BYTES 2097152u /* its VA block and root chunk */
#define GSIM_BLOCK_GROUPS (GSIM_BLOCK_BYTES / GSIM_GROUP_BYTES)

enum gsim_place { GSIM_PLACE_NONE, GSIM_PLACE_HOST, GSIM_PLACE_DEVICE };

/* Groups BEGIN to before END; a buffer's extents cover it in order and neighbours differ. */
struct gsim_extent {
    uint64_t begin, end;
    enum gsim_place place;
};

struct gsim_pages {
    struct gsim_extent *extents;
    size_t count, capacity;
    uint64_t group_count, bytes;
};

/* What arrived on the device together; in the order of arrival. */
struct gsim_arrival {
    uint64_t begin, end;
    uint32_t buffer_index;
};

struct gsim_residency {
    struct gsim_pages *pages; /* by buffer */
    uint32_t buffer_count;
    uint64_t device_bytes, capacity_bytes;
    struct gsim_arrival *arrivals; /* first .. count - 1 */
    size_t arrival_first, arrival_count, arrival_capacity;
    bool failed;             /* memory ran out: results are worthless */
};

/* Bytes that came from the host, that were new to the device, and that had to leave for them. */
struct gsim_moved {
    uint64_t from_host, populated, evicted;
};

/* False when memory is out. The groups of GSIM_INIT_DEVICE buffers are on the device, as far as they fit. ROOM: of how many buffers. */
bool gsim_residency_init(struct gsim_residency *r, const struct gsim_program *program, uint32_t room, uint64_t capacity_bytes);
/* Another buffer, INDEX, in the place of one that was dropped or behind the last. */
bool gsim_residency_add(struct gsim_residency *r, uint32_t index, const struct gsim_buffer *buffer);
void gsim_residency_drop(struct gsim_residency *r, uint32_t index);
void gsim_residency_release(struct gsim_residency *r); /* accepts zeroed */

/* Groups that hold the first BYTES bytes of the buffer. */
uint64_t gsim_residency_groups(const struct gsim_residency *r, uint32_t buffer_index, uint64_t bytes);
/* How many of the first BYTES bytes, in whole groups, are in PLACE. */
uint64_t gsim_residency_bytes(const struct gsim_residency *r, uint32_t buffer_index, uint64_t bytes, enum gsim_place place);
/* Bytes of the groups BEGIN to before END (a buffer's last group may be short). */
uint64_t gsim_residency_span(const struct gsim_residency *r, uint32_t buffer_index, uint64_t begin, uint64_t end);
/* True when all of the buffer is on the device. */
bool gsim_residency_is_complete(const struct gsim_residency *r, uint32_t buffer_index);
/* Where group GROUP is, and in *END where the extent ends. */
enum gsim_place gsim_residency_place(const struct gsim_residency *r, uint32_t buffer_index, uint64_t group, uint64_t *end);

/* The groups BEGIN to before END are on the device from now on; adds what that took to MOVED. */
void gsim_residency_arrive(struct gsim_residency *r, uint32_t buffer_index, uint64_t begin, uint64_t end,
                           struct gsim_moved *moved);
/* Writes back the oldest blocks until BYTES more fit; returns the bytes that left. */
uint64_t gsim_residency_make_room(struct gsim_residency *r, uint64_t bytes);
/* The host uses the first BYTES bytes: what was on the device is the host's again; returns that. A host that
 * WRITES owns pages that were nowhere, too. */
uint64_t gsim_residency_host_takes(struct gsim_residency *r, uint32_t buffer_index, uint64_t bytes, bool writes);

/* Checks that extents cover the buffers and that device memory holds what they say; GSIM_BUG on a violation. */
void gsim_residency_check(const struct gsim_residency *r);

#endif
