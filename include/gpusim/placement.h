/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (interface). What a placement is: it says which GPU an op is for, where the scheduler leaves that
 * open. Implementations live in schedulers/place/, one file each; schedulers/place/place.def lists them.
 *
 * A scheduler that places (gsim_scheduler_ops.places) asks for each op as it issues it. For all others the program is
 * placed before the run: choose() is called for each kernel, in the program's order, or as kernels become ready in a
 * rehearsal of the program (moment); or plan() is called once.
 */
#pragma once

#include "gpusim/schedulers/dag.h"

GSIM_DECLARATIONS_BEGIN

#define GSIM_AT_HOST UINT32_MAX /* in place of a device: where data are */

struct gsim_whereabouts; /* which host and devices hold what (schedulers/shared/whereabouts.h) */

/* What a placement sees. */
struct gsim_placing {
    const struct gsim_run *run;
    const void *params;
    void *state;                   /* the placement's own, from run->arena */
    uint32_t device_count;
    struct gsim_whereabouts *data;
    double now_us;                 /* when the op is ready; 0 where nobody foresees */
    double *load_us;               /* by device: sum of the estimates of what it was given */
    double *free_us;               /* by device: when all that it was given is expected to have ended */
    uint32_t *busy_streams;        /* by device: streams with work that the host does not know to have ended */
    uint64_t turn;                 /* of gsim_placing_next() */
};

enum gsim_placement_moment {
    GSIM_PLACE_AT_ISSUE, /* in the program's order */
    GSIM_PLACE_AT_READY, /* when what the kernel follows is expected to have ended */
};

/* In which order a device does what is queued for it, in a rehearsal. */
enum gsim_placement_queue { GSIM_QUEUE_FIFO, GSIM_QUEUE_RANK, GSIM_QUEUE_DATA };

struct gsim_placement_ops {
    uint32_t abi;                  /* GSIM_ABI */
    size_t size;                   /* of this struct */
    const char *name, *summary, *source;
    size_t params_size;
    const struct gsim_param *params; /* NULL: none */
    enum gsim_placement_moment moment;
    enum gsim_placement_queue queue;
    bool follows_program;          /* a program's own copies and prefetches stay on their GPUs too */
    double decision_us;            /* of host time for each choice beside the scheduler's own, as it issues */
    enum gsim_status (*init)(struct gsim_placing *, struct gsim_error *); /* NULL: nothing to do */
    /* One of the CANDIDATES, which rise. NULL with plan(): only for whole programs. */
    uint32_t (*choose)(struct gsim_placing *, const struct gsim_op *, const uint32_t *candidates, uint32_t count);
    void (*chosen)(struct gsim_placing *, const struct gsim_op *, uint32_t device); /* NULL: it need not know */
    /* By node of LIST, the program's own ops: the device. Host ops' entries are ignored. */
    enum gsim_status (*plan)(struct gsim_placing *, const struct gsim_oplist *list, const struct gsim_dag *dag,
                             uint32_t *device_of, struct gsim_error *);
};

/* --- schedulers/shared/placing.c: what choose() may ask ----------------------------------------------------------- */
/* Bytes of OP's arguments; of these, bytes that DEVICE holds. */
uint64_t gsim_placing_total(struct gsim_placing *placing, const struct gsim_op *op);
uint64_t gsim_placing_present(struct gsim_placing *placing, const struct gsim_op *op, uint32_t device);
/* Sum over the arguments that DEVICE lacks: bytes over the greatest (WORST: smallest) bandwidth from who holds them. */
double gsim_placing_transfer_us(struct gsim_placing *placing, const struct gsim_op *op, uint32_t device, bool worst);
/* Of one argument: DEVICE holds all of it; any device holds some. */
bool gsim_placing_holds(struct gsim_placing *placing, const struct gsim_op *op, uint32_t arg, uint32_t device);
bool gsim_placing_on_gpu(struct gsim_placing *placing, const struct gsim_op *op);
/* Between a device or the host and another one. */
double gsim_placing_gbps(const struct gsim_placing *placing, uint32_t from, uint32_t to);
double gsim_placing_latency_us(const struct gsim_placing *placing, uint32_t from, uint32_t to);
/* The next of the candidates, round robin. */
uint32_t gsim_placing_next(struct gsim_placing *placing, const uint32_t *candidates, uint32_t count);
/* When OP would end on DEVICE, from now on, behind what it has and what must come. */
double gsim_placing_end_us(struct gsim_placing *placing, const struct gsim_op *op, uint32_t device);

/* --- the run's side ----------------------------------------------------------------------------------------------- */
/* From run->arena. BY_DECLARATION: data move as arguments are declared, whole buffers at a time (GrCUDA). */
struct gsim_placing *gsim_placing_create(struct gsim_run *run, bool by_declaration, struct gsim_error *error);
void gsim_placing_release(struct gsim_placing *placing); /* accepts NULL */
/* OP is for DEVICE, or of the host. */
void gsim_placing_note(struct gsim_placing *placing, const struct gsim_op *op, uint32_t device);
/* Another buffer of a program that is drawn has got the place. */
void gsim_placing_forget(struct gsim_placing *placing, uint32_t buffer);
uint32_t gsim_placing_choose(struct gsim_placing *placing, const struct gsim_op *op, const uint32_t *candidates,
                             uint32_t count);
/* The run's program becomes one whose ops have the devices that the run's placement gives them. */
enum gsim_status gsim_placing_program(struct gsim_run *run, struct gsim_error *error) GSIM_NODISCARD;

/* By op: copies and prefetches are for the GPU that uses what they move, next, or of copies back last. False: out of
 * memory. */
bool gsim_placing_moves(const struct gsim_program *program, uint32_t *device_of);

/* What a shared object exports; of no meaning in a program. */
extern const struct gsim_placement_ops gsim_placement;

/* schedulers/place/registry.c: as gsim_scheduler_find() and the others. A shared object exports "gsim_placement". */
const struct gsim_placement_ops *gsim_placement_find(const char *name);
const struct gsim_placement_ops *gsim_placement_at(uint32_t index);
enum gsim_status gsim_placement_load(const char *name_or_path, const struct gsim_placement_ops **ops,
                                     struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
