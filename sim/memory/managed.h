/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (internal). Managed memory in the machine: which kernels go through pages that are
 * not there, and how fast; which copies memory makes by itself. managed.c decides at launches and host accesses,
 * faults.c follows running kernels.
 *
 * A kernel goes through each of its buffers from the first byte to the last while it goes from 0 to 1. Where pages
 * are there it runs at full speed; where a stretch of them is missing it goes as fast as they come
 * (sim/memory/fault_rate.h), so migration and its own computation overlap; a stretch that one round brings stalls it
 * once.
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

/* One buffer of a kernel that may meet missing pages. */
struct gsim_fault_arg {
    uint32_t buffer_index;
    uint64_t cursor;       /* groups before it are behind the kernel */
    uint64_t stretch_end;  /* of the stretch of groups in one place that it is in */
    gsim_places places;    /* that hold it */
    bool writes;
    bool is_missing;       /* the stretch is not on the device: */
    bool is_short;         /* one round brings it, and the kernel stalls until then */
    bool is_flowing;       /* or the kernel goes on as its pages come */
    double round_bytes;
    double ps_per_byte;    /* of the driver's time */
    uint64_t bytes, from_devices; /* that came for it, from the host and from other devices */
    gsim_time first, last; /* when; -1: never */
};

/* A kernel from its submission to its end. */
struct gsim_faulter {
    struct gsim_command *command;
    bool is_running;
    gsim_time stall_until; /* 0: it does not stall */
    double done, full_speed, pace;
    struct gsim_gpu_progress
        progress;          /* at the present update, while nothing has changed since (gsim_faults.is_as_found) */
    uint64_t evicted;      /* bytes written back to make room for it */
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
    struct gsim_agenda_source source; /* when the next stretch, stall or free memory ends */
    bool is_as_found;      /* no pace has changed in this update */
    double load_gbps;      /* arriving and leaving, as the DRAM knows it */
    /* Scratch of one update. */
    struct gsim_fault_kernel *kernels;
    struct gsim_fault_flow *flows;
    uint32_t *users, *flow_buffers;
    size_t kernel_capacity, flow_capacity, user_capacity, flow_buffer_capacity;
};

/* --- managed.c ------------------------------------------------------------------------------------------------ */
/* The program's memory fits where it must: explicit copies, and devices without page faults, cannot oversubscribe. */
enum gsim_status gsim_managed_init(struct gsim_space *space, struct gsim_machine *m,
                                   const struct gsim_device_spec *const *specs, uint32_t device_count,
                                   struct gsim_error *error);
/* A kernel is about to be submitted. True when it may be now; else the transfers it waits for will submit it. */
bool gsim_managed_prepare_kernel(struct gsim_device *d, struct gsim_command *command);
void gsim_managed_submit(struct gsim_device *d, struct gsim_command *command);
/* Devices without page faults: a launch of the COUNT ops, one or a graph's, moves what the host wrote, and the calling
 * thread waits. */
void gsim_managed_launch(struct gsim_device *d, const struct gsim_op *const *ops, uint32_t count, uint32_t stream,
                         uint32_t iteration);
/* COMMAND is a resident kernel that does the COUNT ops: what they use and is not on the device comes before its first
 * task, buffer after buffer, as fast as faults bring pages alone, beside nothing else on the link. Returns when all is
 * there. */
gsim_time gsim_managed_take_all(struct gsim_device *d, const struct gsim_command *command,
                                const struct gsim_op *const *ops, uint32_t count);
void gsim_managed_attach(struct gsim_space *space, uint32_t buffer_index, uint32_t stream);
/* From where the first BYTES bytes of the buffer, as far as the device does not hold them, would come in one transfer:
 * the place that has most of them. False: there is nothing to move. */
bool gsim_managed_leg(const struct gsim_device *d, uint32_t buffer, uint64_t bytes, struct gsim_leg *leg);
/* The host touches a managed buffer: a transfer back that the running thread waits for, where needed. */
void gsim_managed_host_access(struct gsim_device *d, const struct gsim_op *op, uint32_t iteration);
/* A bulk copy to the device begins: makes room. True when it may move now. */
bool gsim_managed_begin_prefetch(struct gsim_device *d, struct gsim_command *command);
void gsim_managed_arrived(struct gsim_device *d, const struct gsim_command *command);
/* Memory of the residency or of the faults ran out: fails the run. */
void gsim_managed_check(struct gsim_device *d);

/* --- faults.c ------------------------------------------------------------------------------------------------- */
/* The kernel may meet missing pages: follows it from now on. */
void gsim_faults_add(struct gsim_device *d, struct gsim_command *command);
/* It is submitted, and does nothing before the first update after its start. */
void gsim_faults_hold(struct gsim_device *d, struct gsim_command *command);
void gsim_faults_kernel_started(struct gsim_device *d, struct gsim_command *command);
void gsim_faults_kernel_ended(struct gsim_device *d, struct gsim_command *command);
/* It begins anew some day: pages that it has come through are there. Before the SMs forget it. */
void gsim_faults_kernel_killed(struct gsim_device *d, struct gsim_command *command);
/* Registers the source that brings pages and paces to now whenever something happened. False: out of memory. */
bool gsim_faults_init(struct gsim_device *d);
void gsim_faults_release(struct gsim_device *d);
