/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (internal). Managed memory in the machine. managed.c decides at launches and host accesses which copies
 * memory starts by itself; faults.c brings missing pages to running kernels.
 *
 * How a page moves:
 *   1. A kernel reads each buffer from its first byte to its last while its progress goes from 0 to 1.
 *   2. Where pages are resident it runs at full speed.
 *   3. Through a missing stretch it runs at the rate of arriving pages (fault_rate.h): migration overlaps computation.
 *   4. A stretch that one round of faults brings stalls it once.
 *   5. gsim_residency_arrive() makes pages the device's; it evicts the oldest blocks of 2 MB if the device is full.
 */
#pragma once

#include "sim/platform/agenda.h"
#include "sim/memory/fault_rate.h"
#include "sim/memory/residency.h"
#include "sim/sm/gpu.h"
#include "gpusim/timeline.h"
#include "gpusim/units.h"

struct gsim_device;
struct gsim_space;
struct gsim_command;
struct gsim_device_spec;
struct gsim_machine;

/* One buffer of a kernel with missing pages. */
struct gsim_fault_arg {
    uint32_t buffer_index;
    uint64_t cursor;       /* the kernel has passed all groups before this one */
    uint64_t stretch_end;  /* end of the current stretch of groups in one place */
    gsim_places places;    /* places that hold the stretch */
    bool writes;
    bool is_missing;       /* the stretch is not on the device */
    bool is_short;         /* one round brings it; the kernel stalls */
    bool is_flowing;       /* the kernel runs at the rate of its pages */
    double round_bytes;
    double ps_per_byte;    /* of the driver's time */
    uint64_t bytes, from_devices; /* bytes that came from the host / from other devices */
    gsim_time first, last; /* first and last arrival; -1: none */
};

/* A kernel with missing pages, from its submission to its end. */
struct gsim_faulter {
    struct gsim_command *command;
    bool is_running;
    gsim_time stall_until; /* 0: not stalled */
    double done, full_speed, pace;
    struct gsim_gpu_progress
        progress;          /* of this update; valid while gsim_faults.is_as_found */
    uint64_t evicted;      /* bytes evicted for it */
    uint32_t evicted_buffer;
    gsim_time evicted_first;
    struct gsim_fault_arg *args;
    uint32_t arg_count, arg_capacity;
    struct gsim_faulter *next_free;
};

struct gsim_faults {
    struct gsim_faulter **active;
    size_t count, capacity;
    struct gsim_faulter *free;
    struct gsim_agenda_source source; /* end of the next stretch, stall or free memory */
    bool is_as_found;      /* no pace changed in this update */
    double load_gbps;      /* traffic of migrations as the DRAM knows it */
    /* Scratch of one update. */
    struct gsim_fault_kernel *kernels;
    struct gsim_fault_flow *flows;
    uint32_t *users, *flow_buffers;
    size_t kernel_capacity, flow_capacity, user_capacity, flow_buffer_capacity;
};

/* --- managed.c ------------------------------------------------------------------------------------------------ */
/* Places the program's buffers. GSIM_INPUT: they exceed device memory, and explicit copies or a device without page
 * faults cannot oversubscribe. */
enum gsim_status gsim_managed_init(struct gsim_space *space, struct gsim_machine *m,
                                   const struct gsim_device_spec *const *specs, uint32_t device_count,
                                   struct gsim_error *error);
/* Prepares the kernel's buffers before its submission. False: transfers are under way, and the last one submits it. */
bool gsim_managed_prepare_kernel(struct gsim_device *d, struct gsim_command *command);
void gsim_managed_submit(struct gsim_device *d, struct gsim_command *command);
/* Devices without page faults: moves what the host wrote before a launch of COUNT ops (one, or a graph's); the calling
 * thread waits. */
void gsim_managed_launch(struct gsim_device *d, const struct gsim_op *const *ops, uint32_t count, uint32_t stream,
                         uint32_t iteration);
/* Brings all buffers of the COUNT ops before the first task of the persistent kernel COMMAND, one after another at the
 * rate of faults alone. Other traffic on the link is ignored. Returns when all have arrived. */
gsim_time gsim_managed_take_all(struct gsim_device *d, const struct gsim_command *command,
                                const struct gsim_op *const *ops, uint32_t count);
void gsim_managed_attach(struct gsim_space *space, uint32_t buffer_index, uint32_t stream);
/* Sets *LEG for the first BYTES bytes that the device lacks: from the place that has most of them. False: none are
 * missing. */
bool gsim_managed_leg(const struct gsim_device *d, uint32_t buffer, uint64_t bytes, struct gsim_leg *leg);
/* Migrates what the host accesses of a managed buffer back; the running thread waits. */
void gsim_managed_host_access(struct gsim_device *d, const struct gsim_op *op, uint32_t iteration);
/* Makes room for a bulk copy to the device. True: it may begin now. */
bool gsim_managed_begin_prefetch(struct gsim_device *d, struct gsim_command *command);
void gsim_managed_arrived(struct gsim_device *d, const struct gsim_command *command);
/* Fails the run if memory of the residency or the faults ran out. */
void gsim_managed_check(struct gsim_device *d);

/* --- faults.c ------------------------------------------------------------------------------------------------- */
/* Registers a kernel that may have missing pages. */
void gsim_faults_add(struct gsim_device *d, struct gsim_command *command);
/* Stops a submitted kernel until the first update after its start. */
void gsim_faults_hold(struct gsim_device *d, struct gsim_command *command);
void gsim_faults_kernel_started(struct gsim_device *d, struct gsim_command *command);
void gsim_faults_kernel_ended(struct gsim_device *d, struct gsim_command *command);
/* Keeps the pages that a killed kernel has passed. Call it before the SMs drop the kernel. */
void gsim_faults_kernel_killed(struct gsim_device *d, struct gsim_command *command);
/* Registers the event source that updates pages and paces after each event. False: out of memory. */
bool gsim_faults_init(struct gsim_device *d);
void gsim_faults_release(struct gsim_device *d);
