/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (internal). One GPU: its SMs, copy engines, L2, and kernels in missing pages. Its hardware queues are the
 * front end's (sim/front/front.h), which knows this one and says in HOOKS what the copy engines must know of it.
 */
#pragma once

#include "sim/platform/machine.h"
#include "sim/memory/managed.h"
#include "sim/memory/l2.h"
#include "sim/memory/space.h"
#include "sim/memory/works.h"
#include "sim/sm/gpu.h"

struct gsim_front;

/* What executes a command: the SMs, or the copy engine of a kind (GSIM_UNIT_COPIES + enum gsim_copy_kind). */
enum { GSIM_UNIT_SMS, GSIM_UNIT_COPIES, GSIM_UNIT_COUNT = GSIM_UNIT_COPIES + GSIM_COPY_KIND_COUNT };

struct gsim_copy_engine {
    struct gsim_device *device;
    struct gsim_command *head, **tail;
    struct gsim_command *current;
    bool is_held; /* between two copies */
    const struct gsim_graph_run *kept_for; /* held until this run's node KEPT_NODE comes; NULL: not for a node */
    uint32_t kept_node;
};

/* What follows a copy that ends now. */
struct gsim_copy_hooks {
    gsim_time (*records)(const struct gsim_front *front,
                         const struct gsim_command *copy); /* how long its stream's timed records take the engine */
    /* Whether a copy in the same direction follows it on its graph's branch: node NEXT. */
    bool (*goes_on)(const struct gsim_front *front, const struct gsim_command *copy, uint32_t *next);
};

/* Of the device file. */
struct gsim_gaps {
    gsim_time stream, programmatic, event, acquire, acquire_cold, busy, timed_record, copy, copy_switch, engine_poll,
        engine_poll_blur, kernel_to_copy, copy_to_kernel;
};

/* SMs with a work distributor of their own: all of a GPU's, in turn with those of other contexts, or some of them. */
struct gsim_partition {
    struct gsim_device *device;
    struct gsim_device_spec spec;      /* of these SMs */
    struct gsim_gpu *sm;
    struct gsim_agenda_source source;
    bool is_stopped;                   /* its time stands still since STOPPED */
    gsim_time stopped;
    bool shares_dram;                  /* with other parts that run at the same time */
    double told_gbps;                  /* what it draws of DRAM, as those know it */
};

struct gsim_device {
    struct gsim_machine *machine;
    uint32_t index;
    const struct gsim_device_spec *spec;
    struct gsim_gaps gaps;
    struct gsim_device *const *all;    /* the machine's, by index */
    uint32_t all_count;
    uint64_t *busy;                    /* the machine's, a bit of each: it may have kernels; NULL: nobody keeps that */
    const struct gsim_copy_hooks *hooks;
    struct gsim_space *space;          /* of the process whose commands it executes */
    struct gsim_works *works;          /* of its kernels, on devices of this kind */
    struct gsim_command **moving;      /* managed memory, by buffer: the transfer to it under way, or NULL */

    struct gsim_partition *parts; /* the first has all SMs, and is the only one unless contexts have their own */
    uint32_t part_count;
    struct gsim_gpu *sm;               /* the first part's */
    struct gsim_random kernel_noise;   /* with gsim_simulation.noise */
    double copies_gbps;                /* that copies draw of DRAM */

    struct gsim_copy_engine engines[GSIM_COPY_KIND_COUNT];
    struct gsim_waiter *free_waiters;

    bool overwrites_l2;                /* the program's kernels together touch more data than L2 holds */
    double touched_bytes, ended_bytes; /* by all kernels that have started; that have ended */
    struct gsim_l2 l2;
    struct gsim_agenda_source l2_starts;

    struct gsim_faults faults;

    struct gsim_gpu_load last_load;
    struct gsim_agenda_source occupancy;
};

/* The SMs, with room for PART_COUNT parts, their copy engines and sources; LISTENER is told of kernels. Memory comes
 * from the machine's arena. */
enum gsim_status gsim_device_open(struct gsim_device *d, struct gsim_machine *machine,
                                  const struct gsim_device_spec *spec, uint32_t index, uint32_t part_count,
                                  const struct gsim_gpu_listener *listener, struct gsim_error *error);
/* The process whose commands the device executes, and its kernels on such devices. */
enum gsim_status gsim_device_use(struct gsim_device *d, struct gsim_space *space, struct gsim_works *works,
                                 struct gsim_error *error);
void gsim_device_close(struct gsim_device *d); /* accepts zeroed */

/* --- parts.c ------------------------------------------------------------------------------------------------ */
/* Room for COUNT parts. False: out of memory. */
bool gsim_partitions_init(struct gsim_device *d, uint32_t count);
/* Another one, of SM_COUNT SMs; NULL: out of memory. Isolated: it has that share of DRAM. LISTENER is told of its
 * kernels. */
struct gsim_partition *gsim_partitions_add(struct gsim_device *d, uint32_t sm_count, bool is_isolated,
                                           const struct gsim_gpu_listener *listener);
/* Its SMs stand still from now on, and go on where they were. */
void gsim_partition_stop(struct gsim_partition *part);
void gsim_partition_go_on(struct gsim_partition *part);
void gsim_partition_tell(struct gsim_partition *part); /* for gsim_partition_changed */
/* Copies draw so much more of DRAM. */
void gsim_partitions_add_copy_load(struct gsim_device *d, double gbps);

/* The work of the program's kernel INDEX on the device. */
static inline const struct gsim_demand *gsim_device_work(const struct gsim_device *d, uint32_t index)
{
    return d->works->problems && d->works->problems[index] ? gsim_works_fail(d->works, d->machine, index)
                                                           : &d->works->demands[index];
}

/* To be called whenever something was asked of the SMs: their next event may be another. */
static inline void gsim_partition_changed(struct gsim_partition *part)
{
    struct gsim_device *device = part->device;
    if (device->busy) device->busy[device->index / 64] |= UINT64_C(1) << device->index % 64;
    if (part->is_stopped) return;
    gsim_agenda_set(&part->device->machine->agenda, &part->source, gsim_gpu_next(part->sm));
    if (part->shares_dram) gsim_partition_tell(part);
}

/* Whether kernels have displaced from L2 what was there when they had touched BYTES in all (touched_bytes or
 * ended_bytes then). */
static inline bool gsim_device_displaced_l2(const struct gsim_device *d, double bytes)
{
    return d->overwrites_l2 && d->touched_bytes - bytes > gsim_l2_held_bytes(d->spec);
}

/* --- copies.c: copy engines ------------------------------------------------------------------------------- */
void gsim_copies_init(struct gsim_device *d);
void gsim_copies_start(struct gsim_device *d, struct gsim_command *command);
/* Of the host's side of a copy: its own, else the run's. */
bool gsim_copies_is_pinned(const struct gsim_space *space, const struct gsim_op *op);
bool gsim_copies_is_pageable(const struct gsim_space *space, const struct gsim_op *op);
/* Between the device and its host, with KIND's direction. */
struct gsim_leg gsim_copies_host_leg(const struct gsim_device *d, enum gsim_move move, enum gsim_copy_kind kind);
/* From device to device, one of which D is: by links of their own where peer access has opened them, else by those to
 * the host. */
struct gsim_leg gsim_copies_peer_leg(const struct gsim_device *d, uint32_t from, uint32_t to);
/* The unit that executes OP: copies small enough to go with the commands occupy no copy engine. */
uint32_t gsim_copies_unit(const struct gsim_device *d, const struct gsim_op *op);
void gsim_copies_enqueue(struct gsim_device *d, struct gsim_command *command);
void gsim_copies_begin(struct gsim_device *d, struct gsim_command *command); /* past the engines' queues */
/* The kernel COMMAND is submitted when the last transfer that it waits for ended. False when memory is out. */
bool gsim_copies_wait_for(struct gsim_device *d, struct gsim_command *transfer, struct gsim_command *command);
void gsim_copies_record(struct gsim_machine *m, const struct gsim_copy_record *record);
