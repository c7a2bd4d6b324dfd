/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (internal). One GPU: its SMs, copy engines, L2 and page faults. Its hardware queues belong to the front
 * end (sim/front/front.h), which knows the device; HOOKS is the way back.
 */
#pragma once

#include "sim/platform/machine.h"
#include "sim/memory/managed.h"
#include "sim/memory/l2.h"
#include "sim/memory/space.h"
#include "sim/memory/works.h"
#include "sim/sm/gpu.h"

struct gsim_front;

/* Unit that executes a command: the SMs, or a copy engine (GSIM_UNIT_COPIES + enum gsim_copy_kind). */
enum { GSIM_UNIT_SMS, GSIM_UNIT_COPIES, GSIM_UNIT_COUNT = GSIM_UNIT_COPIES + GSIM_COPY_KIND_COUNT };

struct gsim_copy_engine {
    struct gsim_device *device;
    struct gsim_command *head, **tail;
    struct gsim_command *current;
    bool is_held; /* idle between two copies of one stream */
    const struct gsim_graph_run *kept_for; /* reserved for node KEPT_NODE of this run; NULL: not reserved */
    uint32_t kept_node;
};

/* What a copy engine asks the front end at the end of a copy. */
struct gsim_copy_hooks {
    gsim_time (*records)(const struct gsim_front *front,
                         const struct gsim_command *copy); /* time of the stream's timed event records on the engine */
    /* whether a copy in the same direction follows in its graph's branch: node NEXT */
    bool (*goes_on)(const struct gsim_front *front, const struct gsim_command *copy, uint32_t *next);
};

/* Gaps of the device file, in picoseconds. */
struct gsim_gaps {
    gsim_time stream, programmatic, event, acquire, acquire_cold, busy, timed_record, copy, copy_switch, engine_poll,
        engine_poll_blur, kernel_to_copy, copy_to_kernel, client_node;
};

/* SMs with a work distributor of their own: all of the GPU's, time-sliced between contexts, or a part of them. */
struct gsim_partition {
    struct gsim_device *device;
    struct gsim_device_spec spec;      /* the device's, limited to these SMs */
    struct gsim_gpu *sm;
    struct gsim_agenda_source source;
    bool is_stopped;                   /* its SMs stand still since STOPPED */
    gsim_time stopped;
    bool shares_dram;                  /* other partitions run at the same time */
    const uint32_t *requests;          /* that its process's tasks are at work on; NULL: nobody's */
    double told_gbps;                  /* its DRAM traffic as the others know it */
};

struct gsim_device {
    struct gsim_machine *machine;
    uint32_t index;
    const struct gsim_device_spec *spec;
    struct gsim_gaps gaps;
    struct gsim_device *const *all;    /* the machine's devices, by index */
    uint32_t all_count;
    uint64_t *busy;                    /* the machine's: a bit for each device that may have kernels; NULL: not kept */
    const struct gsim_copy_hooks *hooks;
    struct gsim_space *space;          /* memory of the process that it serves */
    struct gsim_works *works;          /* demands of its kernels on this kind of device */
    struct gsim_command **moving;      /* managed memory, by buffer: the transfer under way to the device; NULL: none */

    struct gsim_partition *parts; /* the first has all SMs; the others are contexts' */
    uint32_t part_count;
    struct gsim_gpu *sm;               /* of the first partition */
    struct gsim_random kernel_noise;   /* with gsim_simulation.noise */
    double copies_gbps;                /* DRAM traffic of copies */

    struct gsim_copy_engine engines[GSIM_COPY_KIND_COUNT];
    struct gsim_waiter *free_waiters;

    bool overwrites_l2;                /* the program's data exceed L2 */
    double touched_bytes, ended_bytes; /* bytes that all started / ended kernels touched */
    struct gsim_l2 l2;
    struct gsim_agenda_source l2_starts;

    const struct gsim_process *client; /* whose kernel was launched last; NULL: none yet */
    gsim_time client_free;             /* when a process's kernel can be launched */

    double drawn_w;                    /* mean above the base as at full clock, until DRAWN (clock.c) */
    gsim_time drawn;

    struct gsim_faults faults;

    struct gsim_gpu_load last_load;
    struct gsim_agenda_source occupancy;
};

/* Makes the SMs, copy engines and event sources, with room for PART_COUNT partitions. LISTENER gets the events of
 * kernels. Memory comes from the machine's arena. */
enum gsim_status gsim_device_open(struct gsim_device *d, struct gsim_machine *machine,
                                  const struct gsim_device_spec *spec, uint32_t index, uint32_t part_count,
                                  const struct gsim_gpu_listener *listener, struct gsim_error *error);
/* Binds the device to a process's memory and its kernels' demands. */
enum gsim_status gsim_device_use(struct gsim_device *d, struct gsim_space *space, struct gsim_works *works,
                                 struct gsim_error *error);
void gsim_device_close(struct gsim_device *d); /* accepts zeroed */

/* --- parts.c ------------------------------------------------------------------------------------------------ */
/* Makes room for COUNT partitions. False: out of memory. */
bool gsim_partitions_init(struct gsim_device *d, uint32_t count);
/* Adds a partition of SM_COUNT SMs and DRAM_SHARE of DRAM's bandwidth. LISTENER gets the events of its
 * kernels. NULL: out of memory. */
struct gsim_partition *gsim_partitions_add(struct gsim_device *d, uint32_t sm_count, double dram_share,
                                           const struct gsim_gpu_listener *listener);
/* How much of its time alone WORK takes if it starts now, by what the SMs share (rule idle_others). */
double gsim_partition_scale(const struct gsim_partition *part, const struct gsim_demand *work);
/* --- clock.c (rule clock_limit) ---------------------------------------------------------------------------------- */
/* How many times its time WORK takes if it starts now, at the clock that the power limit leaves. */
double gsim_clock_scale(struct gsim_device *d, const struct gsim_demand *work);
/* Counts what the program's kernel INDEX has drawn, which ended now. */
void gsim_clock_count(struct gsim_device *d, uint32_t index);

/* Freezes the partition's SMs / resumes them where they were. */
void gsim_partition_stop(struct gsim_partition *part);
void gsim_partition_go_on(struct gsim_partition *part);
void gsim_partition_tell(struct gsim_partition *part); /* for gsim_partition_changed() alone */
/* Adds GBPS (may be negative) to the copies' DRAM traffic. */
void gsim_partitions_add_copy_load(struct gsim_device *d, double gbps);

/* Returns the demand of the program's kernel INDEX. A kernel that cannot run there fails the run. */
static inline const struct gsim_demand *gsim_device_work(const struct gsim_device *d, uint32_t index)
{
    return d->works->problems && d->works->problems[index] ? gsim_works_fail(d->works, d->machine, index)
                                                           : &d->works->demands[index];
}

/* Updates the time of the SMs' next event. Call it after every request to the SMs. */
static inline void gsim_partition_changed(struct gsim_partition *part)
{
    struct gsim_device *device = part->device;
    if (device->busy) device->busy[device->index / 64] |= UINT64_C(1) << device->index % 64;
    if (part->is_stopped) return;
    gsim_agenda_set(&part->device->machine->agenda, &part->source, gsim_gpu_next(part->sm));
    if (part->shares_dram) gsim_partition_tell(part);
}

/* Whether data that was in L2 when touched_bytes (or ended_bytes) was BYTES has been displaced since. */
static inline bool gsim_device_displaced_l2(const struct gsim_device *d, double bytes)
{
    return d->overwrites_l2 && d->touched_bytes - bytes > gsim_l2_held_bytes(d->spec);
}

/* --- copies.c: copy engines ------------------------------------------------------------------------------- */
void gsim_copies_init(struct gsim_device *d);
void gsim_copies_start(struct gsim_device *d, struct gsim_command *command);
/* Whether the host's side of a copy is pinned / pageable: as the op says, else as the run. */
bool gsim_copies_is_pinned(const struct gsim_space *space, const struct gsim_op *op);
bool gsim_copies_is_pageable(const struct gsim_space *space, const struct gsim_op *op);
/* Returns the way between the device and its host in the direction of KIND. */
struct gsim_leg gsim_copies_host_leg(const struct gsim_device *d, enum gsim_move move, enum gsim_copy_kind kind);
/* Returns the way between two devices, D one of them: over peer links if peer access is enabled, else through the
 * host. */
struct gsim_leg gsim_copies_peer_leg(const struct gsim_device *d, uint32_t from, uint32_t to);
/* Returns the unit that executes OP. Copies small enough to be inlined in the commands occupy no copy engine. */
uint32_t gsim_copies_unit(const struct gsim_device *d, const struct gsim_op *op);
void gsim_copies_enqueue(struct gsim_device *d, struct gsim_command *command);
void gsim_copies_begin(struct gsim_device *d, struct gsim_command *command); /* bypasses the engines' queues */
/* Makes the kernel COMMAND wait for TRANSFER; the last transfer that ends submits it. False: out of memory. */
bool gsim_copies_wait_for(struct gsim_device *d, struct gsim_command *transfer, struct gsim_command *command);
void gsim_copies_record(struct gsim_machine *m, const struct gsim_copy_record *record);
