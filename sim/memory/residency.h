/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/memory. Which places hold each page of managed memory: none yet, the host, devices. A page has one place
 * (NVIDIA's open UVM driver); of a buffer that is mostly read, readers get copies. Pages are counted in groups of 64
 * KB, the driver's unit of faults; runs of groups with the same places are one extent, so cost never grows with bytes.
 * Device memory is finite: room is made in blocks of 2 MB, those that arrived first leave first (the driver's list of
 * used chunks is ordered by allocation and migration, not by access). When and how fast: sim/memory/managed.c,
 * faults.c.
 */
#pragma once

#include "gpusim/program.h"

#define GSIM_GROUP_BYTES 65536u   /* the driver's big page */
#define GSIM_BLOCK_BYTES 2097152u /* its VA block and root chunk */
#define GSIM_BLOCK_GROUPS (GSIM_BLOCK_BYTES / GSIM_GROUP_BYTES)

/* A set: the host, and devices by index. */
typedef uint64_t gsim_places;
#define GSIM_HELD_BY_HOST       UINT64_C(1)
#define GSIM_HELD_BY(d)  (UINT64_C(2) << (d))
#define GSIM_HELD_BY_DEVICES    (~GSIM_HELD_BY_HOST)
#define GSIM_MANAGED_MOST  63 /* devices */

/* Groups BEGIN to before END; a buffer's extents cover it in order and neighbours differ. */
struct gsim_extent {
    uint64_t begin, end;
    gsim_places places; /* 0: nowhere yet */
};

struct gsim_pages {
    struct gsim_extent *extents;
    size_t count, capacity;
    uint64_t group_count, bytes;
    bool is_read_mostly; /* readers get copies; a write leaves one */
};

/* What arrived on a device together; in the order of arrival. */
struct gsim_arrival {
    uint64_t begin, end;
    uint32_t buffer_index;
};

/* One device's memory. */
struct gsim_device_pages {
    uint64_t bytes, capacity_bytes;
    struct gsim_arrival *arrivals; /* first .. count - 1 */
    size_t arrival_first, arrival_count, arrival_capacity;
};

struct gsim_residency {
    struct gsim_pages *pages; /* by buffer */
    uint32_t buffer_count, device_count;
    struct gsim_device_pages *held;   /* by device */
    bool failed;              /* memory ran out: results are worthless */
};

/* Bytes that came from the host, from other devices, that were new, and that had to leave for them. */
struct gsim_moved {
    uint64_t from_host, from_devices, populated, evicted;
};

/* False when memory is out. The groups of GSIM_INIT_DEVICE buffers are on device 0, as far as they fit. ROOM: of how
 * many buffers. CAPACITY_BYTES: of each device. */
bool gsim_residency_init(struct gsim_residency *r, const struct gsim_program *program, uint32_t room,
                         uint32_t device_count, const uint64_t *capacity_bytes);
/* Another buffer, INDEX, in the place of one that was dropped or behind the last. */
bool gsim_residency_add(struct gsim_residency *r, uint32_t index, const struct gsim_buffer *buffer);
void gsim_residency_drop(struct gsim_residency *r, uint32_t index);
void gsim_residency_release(struct gsim_residency *r); /* accepts zeroed */

/* Groups that hold the first BYTES bytes of the buffer. */
uint64_t gsim_residency_groups(const struct gsim_residency *r, uint32_t buffer_index, uint64_t bytes);
/* How many of the first BYTES bytes, in whole groups, have a place in ANY, and none in NONE. */
uint64_t gsim_residency_bytes(const struct gsim_residency *r, uint32_t buffer_index, uint64_t bytes, gsim_places any,
                              gsim_places none);
/* Of the first BYTES bytes that none of HOLDER holds: the place that has most; 0: no place has any. */
gsim_places gsim_residency_source(const struct gsim_residency *r, uint32_t buffer_index, uint64_t bytes,
                                  gsim_places holder);
/* Bytes of the groups BEGIN to before END (a buffer's last group may be short). */
uint64_t gsim_residency_span(const struct gsim_residency *r, uint32_t buffer_index, uint64_t begin, uint64_t end);
/* True when all of the buffer is on the device, and there alone where it WRITES. */
bool gsim_residency_is_complete(const struct gsim_residency *r, uint32_t buffer_index, uint32_t device, bool writes);
/* What holds group GROUP, and in *END where the extent ends. */
gsim_places gsim_residency_place(const struct gsim_residency *r, uint32_t buffer_index, uint64_t group, uint64_t *end);

/* The groups BEGIN to before END are on the device from now on, which WRITES them or not; adds what that took to MOVED.
 */
void gsim_residency_arrive(struct gsim_residency *r, uint32_t device, uint32_t buffer_index, uint64_t begin,
                           uint64_t end, bool writes, struct gsim_moved *moved);
/* Lets the oldest blocks go until BYTES more fit on the device; returns the bytes that had to be written back. */
uint64_t gsim_residency_make_room(struct gsim_residency *r, uint32_t device, uint64_t bytes);
/* The host uses the first BYTES bytes: what devices alone had is the host's again; returns that. A host that WRITES
 * owns pages that were nowhere, too. */
uint64_t gsim_residency_host_takes(struct gsim_residency *r, uint32_t buffer_index, uint64_t bytes, bool writes);

/* Checks that extents cover the buffers and that device memory holds what they say; GSIM_BUG on a violation. */
void gsim_residency_check(const struct gsim_residency *r);
