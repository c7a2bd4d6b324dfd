/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/memory. The place of each page of managed memory: none yet, the host, or devices. A page has one place
 * (NVIDIA's open UVM driver); readers of a read-mostly buffer get copies. The unit is a group of 64 KB, the driver's
 * unit of faults. Neighbouring groups with the same places are one extent, so cost does not grow with bytes. Eviction
 * takes blocks of 2 MB, first in, first out (the driver orders used chunks by allocation and migration, not by access).
 * When and how fast: sim/memory/managed.c, faults.c.
 */
#pragma once

#include "gpusim/program.h"

#define GSIM_GROUP_BYTES 65536u   /* the driver's big page */
#define GSIM_BLOCK_BYTES 2097152u /* its VA block and root chunk */
#define GSIM_BLOCK_GROUPS (GSIM_BLOCK_BYTES / GSIM_GROUP_BYTES)

/* A set of places: the host, and devices by index. */
typedef uint64_t gsim_places;
#define GSIM_HELD_BY_HOST       UINT64_C(1)
#define GSIM_HELD_BY(d)  (UINT64_C(2) << (d))
#define GSIM_HELD_BY_DEVICES    (~GSIM_HELD_BY_HOST)
#define GSIM_MANAGED_MAX   63 /* devices */

/* Groups from BEGIN to before END. The extents of a buffer cover it in order; neighbours differ. */
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

/* Groups that arrived on a device together; kept in the order of arrival. */
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
    bool failed;              /* out of memory: results are invalid */
};

/* Bytes that came from the host, from other devices, that were populated for the first time, and that were evicted. */
struct gsim_moved {
    uint64_t from_host, from_devices, populated, evicted;
};

/* Makes the tables for ROOM buffers and devices of CAPACITY_BYTES. GSIM_INIT_DEVICE buffers start on device 0 as far as
 * they fit. False: out of memory. */
bool gsim_residency_init(struct gsim_residency *r, const struct gsim_program *program, uint32_t room,
                         uint32_t device_count, const uint64_t *capacity_bytes);
/* Adds a buffer at INDEX, which is new or was dropped. False: out of memory. */
bool gsim_residency_add(struct gsim_residency *r, uint32_t index, const struct gsim_buffer *buffer);
void gsim_residency_drop(struct gsim_residency *r, uint32_t index);
void gsim_residency_release(struct gsim_residency *r); /* accepts zeroed */

/* Returns how many groups hold the first BYTES bytes of the buffer. */
uint64_t gsim_residency_groups(const struct gsim_residency *r, uint32_t buffer_index, uint64_t bytes);
/* Returns how many of the first BYTES bytes, in whole groups, have a place of ANY and no place of NONE. */
uint64_t gsim_residency_bytes(const struct gsim_residency *r, uint32_t buffer_index, uint64_t bytes, gsim_places any,
                              gsim_places none);
/* Returns the place that has most of the first BYTES bytes that HOLDER lacks; 0: no place has any. */
gsim_places gsim_residency_source(const struct gsim_residency *r, uint32_t buffer_index, uint64_t bytes,
                                  gsim_places holder);
/* Returns the bytes of groups BEGIN to before END. The last group of a buffer may be short. */
uint64_t gsim_residency_span(const struct gsim_residency *r, uint32_t buffer_index, uint64_t begin, uint64_t end);
/* Whether the whole buffer is on the device, and nowhere else if the device WRITES. */
bool gsim_residency_is_complete(const struct gsim_residency *r, uint32_t buffer_index, uint32_t device, bool writes);
/* Returns the places that hold GROUP. *END is the end of its extent. */
gsim_places gsim_residency_place(const struct gsim_residency *r, uint32_t buffer_index, uint64_t group, uint64_t *end);

/* Moves groups BEGIN to before END to the device (copies them if read-mostly and not WRITES). Adds the bytes to
 * MOVED. */
void gsim_residency_arrive(struct gsim_residency *r, uint32_t device, uint32_t buffer_index, uint64_t begin,
                           uint64_t end, bool writes, struct gsim_moved *moved);
/* Evicts the oldest blocks until BYTES more fit on the device. Returns the bytes written back. */
uint64_t gsim_residency_make_room(struct gsim_residency *r, uint32_t device, uint64_t bytes);
/* Moves the first BYTES bytes to the host. Returns the bytes that only devices had. If the host WRITES, it also
 * populates pages that were nowhere. */
uint64_t gsim_residency_host_takes(struct gsim_residency *r, uint32_t buffer_index, uint64_t bytes, bool writes);

/* Checks that extents cover the buffers and match the devices' arrivals. GSIM_BUG on a violation. */
void gsim_residency_check(const struct gsim_residency *r);
