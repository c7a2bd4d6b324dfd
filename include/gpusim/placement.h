/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (interface). A placement chooses the GPU of each op. Implementations live in schedulers/place/, one
 * file each; schedulers/place/place.def lists them.
 *
 * A scheduler that places (gsim_scheduler_ops.places) calls choose() as it issues each op. For the others the program
 * is placed before the run: choose() is called for each kernel, in program order or as kernels become ready in a
 * rehearsal (moment), or plan() is called once.
 */
#pragma once

#include "gpusim/schedulers/dag.h"

GSIM_DECLARATIONS_BEGIN

#define GSIM_AT_HOST UINT32_MAX /* place of data, instead of a device */

struct gsim_whereabouts; /* holders of each buffer (schedulers/shared/whereabouts.h) */

/* What a placement sees. */
struct gsim_placing {
    const struct gsim_run *run;
    const void *params;
    void *state;                   /* the placement's own, from run->arena */
    uint32_t device_count;
    struct gsim_whereabouts *data;
    double now_us;                 /* when the op is ready; 0: not known */
    double *load_us;               /* by device: sum of the estimates of its ops */
    double *free_us;               /* by device: expected end of its last op */
    uint32_t *busy_streams;        /* by device: streams whose work has not ended as far as the host knows */
    uint64_t turn;                 /* of gsim_placing_next() */
};

enum gsim_placement_moment {
    GSIM_PLACE_AT_ISSUE, /* in the program's order */
    GSIM_PLACE_AT_READY, /* at the expected end of the kernel's predecessors */
};

/* Order of a device's queue in a rehearsal. */
enum gsim_placement_queue { GSIM_QUEUE_FIFO, GSIM_QUEUE_RANK, GSIM_QUEUE_DATA };

struct gsim_placement_ops {
    uint32_t abi;                  /* GSIM_ABI */
    size_t size;                   /* sizeof(struct gsim_placement_ops) */
    const char *name, *summary, *source;
    size_t params_size;
    const struct gsim_param *params; /* NULL: none */
    enum gsim_placement_moment moment;
    enum gsim_placement_queue queue;
    bool follows_program;          /* also keeps the GPUs of the program's copies and prefetches */
    double decision_us;            /* host time of each choice while issuing, added to the scheduler's */
    enum gsim_status (*init)(struct gsim_placing *, struct gsim_error *); /* may be NULL */
    /* Returns one of the CANDIDATES, which are in ascending order. NULL: plan() only, for whole programs. */
    uint32_t (*choose)(struct gsim_placing *, const struct gsim_op *, const uint32_t *candidates, uint32_t count);
    void (*chosen)(struct gsim_placing *, const struct gsim_op *, uint32_t device); /* may be NULL */
    /* Sets the device of each node of LIST, the program's ops. Entries of host ops are ignored. */
    enum gsim_status (*plan)(struct gsim_placing *, const struct gsim_oplist *list, const struct gsim_dag *dag,
                             uint32_t *device_of, struct gsim_error *);
    /* Replaces the run's program by one whose ops have the devices that choose() or plan() gave them. */
    enum gsim_status (*place)(struct gsim_run *run, struct gsim_error *);
};
/* The first members of a placement's table. */
#define GSIM_PLACEMENT_HEAD GSIM_HEAD(placement), .place = gsim_placing_program

/* --- schedulers/shared/placing.c: what choose() may ask ----------------------------------------------------------- */
/* Return the bytes of OP's arguments / those of them that DEVICE holds. */
uint64_t gsim_placing_total(struct gsim_placing *placing, const struct gsim_op *op);
uint64_t gsim_placing_present(struct gsim_placing *placing, const struct gsim_op *op, uint32_t device);
/* Returns the sum over arguments that DEVICE lacks: bytes over the largest (WORST: smallest) bandwidth from a
 * holder. */
double gsim_placing_transfer_us(struct gsim_placing *placing, const struct gsim_op *op, uint32_t device, bool worst);
/* Whether DEVICE holds all of argument ARG. */
bool gsim_placing_holds(struct gsim_placing *placing, const struct gsim_op *op, uint32_t arg, uint32_t device);
/* Return the bandwidth / latency between two of host and devices. */
double gsim_placing_gbps(const struct gsim_placing *placing, uint32_t from, uint32_t to);
double gsim_placing_latency_us(const struct gsim_placing *placing, uint32_t from, uint32_t to);
/* Returns the next of CANDIDATES, round robin. */
uint32_t gsim_placing_next(struct gsim_placing *placing, const uint32_t *candidates, uint32_t count);
/* Returns when OP would end on DEVICE, from now, behind its queue and OP's transfers. */
double gsim_placing_end_us(struct gsim_placing *placing, const struct gsim_op *op, uint32_t device);

/* --- the run's side ----------------------------------------------------------------------------------------------- */
/* Makes the state from run->arena. BY_DECLARATION: data move as arguments are declared, whole buffers (GrCUDA). */
struct gsim_placing *gsim_placing_create(struct gsim_run *run, bool by_declaration, struct gsim_error *error);
void gsim_placing_release(struct gsim_placing *placing); /* accepts NULL */
/* Notes that OP goes to DEVICE or runs on the host. */
void gsim_placing_note(struct gsim_placing *placing, const struct gsim_op *op, uint32_t device);
/* Forgets BUFFER, whose index a source uses for another buffer. */
void gsim_placing_forget(struct gsim_placing *placing, uint32_t buffer);
uint32_t gsim_placing_choose(struct gsim_placing *placing, const struct gsim_op *op, const uint32_t *candidates,
                             uint32_t count);
/* The usual gsim_placement_ops.place. */
enum gsim_status gsim_placing_program(struct gsim_run *run, struct gsim_error *error) GSIM_NODISCARD;

/* Sets the devices of copies and prefetches: the GPU that uses the data next, for copies back the last one. False: out
 * of memory. */
bool gsim_placing_moves(const struct gsim_program *program, uint32_t *device_of);

/* Symbol that a shared object exports. */
extern const struct gsim_placement_ops gsim_placement;

/* schedulers/place/registry.c: as gsim_scheduler_find() and its like. */
const struct gsim_placement_ops *gsim_placement_find(const char *name);
const struct gsim_placement_ops *gsim_placement_at(uint32_t index);
enum gsim_status gsim_placement_load(const char *name_or_path, const struct gsim_placement_ops **ops,
                                     struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
