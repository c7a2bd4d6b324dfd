/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. Where the valid copy of each buffer is: on the host, on the device, on both. Decides what must
 * move before a kernel or a host access; sim/copies.c moves it. Whole buffers; pages, faults in batches and
 * eviction have their own place here when they come (reference: NVIDIA open UVM driver).
 */
#ifndef GSIM_RESIDENCY_H
#define GSIM_RESIDENCY_H

#include "sim/program.h"

struct gsim_buffer_state {
    bool on_host, on_device;
};

struct gsim_residency {
    const struct gsim_program *program;
    struct gsim_buffer_state *buffers;
};

/* From ARENA; false when memory is out. */
bool gsim_residency_init(struct gsim_residency *residency, const struct gsim_program *program, struct gsim_arena *arena);
/* Bytes of the buffer that must move to the device before it is used there; 0 when none. */
uint64_t gsim_residency_missing(const struct gsim_residency *residency, uint32_t buffer_index);
void gsim_residency_arrived(struct gsim_residency *residency, uint32_t buffer_index);
/* A kernel wrote the buffer: the host's copy is stale. */
void gsim_residency_device_wrote(struct gsim_residency *residency, uint32_t buffer_index);
/* The host wrote it: the device's copy is stale. */
void gsim_residency_host_wrote(struct gsim_residency *residency, uint32_t buffer_index);
/* True when the host's copy is stale. */
bool gsim_residency_host_stale(const struct gsim_residency *residency, uint32_t buffer_index);
/* All of the buffer came back to the host; both copies are valid. */
void gsim_residency_returned(struct gsim_residency *residency, uint32_t buffer_index);

#endif
