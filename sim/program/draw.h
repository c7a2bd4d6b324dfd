/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. A program while it is drawn from a source (include/gpusim/source.h): tables of buffers and kernels that
 * fill as they are first used, and ops that live until they have ended. Where what was drawn is not kept, an idle
 * kernel's place goes to the next one and ops are used again, so that memory grows with what is in flight. What a
 * kernel or buffer means to the machine is said by hooks; who draws, and where data has to be moved:
 * include/gpusim/schedulers/pull.h.
 */
#pragma once

#include "gpusim/source.h"

/* Places of the tables: where all that was drawn is kept, and where not. Kernels: of those in flight and those used
 * last. */
#define GSIM_DRAW_KERNELS_KEPT 65536u
#define GSIM_DRAW_BUFFERS_KEPT 16384u
#define GSIM_DRAW_KERNELS      2048u
#define GSIM_DRAW_BUFFERS      8192u

struct gsim_draw_hooks {
    void *data;
    enum gsim_status (*add_kernel)(void *data, uint32_t index, struct gsim_error *error);
    enum gsim_status (*add_buffer)(void *data, uint32_t index, struct gsim_error *error);
    void (*drop_kernel)(void *data, uint32_t index); /* another one gets its place */
    void (*drop_buffer)(void *data, uint32_t index);
    double (*now_us)(void *data);
};

struct gsim_drawn_op;
struct gsim_draw_kernel_state;
struct gsim_draw_buffer_state;

/* What the draws of a run have in common: kernels and buffers, of known programs too. */
struct gsim_draw_tables {
    const struct gsim_draw_hooks *hooks;   /* NULL: nobody is told */
    struct gsim_program program;           /* buffers and kernels; no ops */
    uint32_t buffer_room, kernel_room;
    uint32_t known_buffers, known_kernels; /* the first so many were there before, and stay */
    bool keeps;
    struct gsim_draw_kernel_state *kernels;
    struct gsim_draw_buffer_state *buffers;
    uint32_t *slots, slot_count;           /* kernels by hash: index + 1 of the first */
    uint32_t oldest, newest;               /* idle kernels, by their last use; UINT32_MAX: none */
    uint32_t free_buffer;                  /* UINT32_MAX: none */
    uint64_t bytes;                        /* of all buffers */
};

/* Of a task: requests that come while its source draws. */
struct gsim_draw_requests {
    void *data;
    /* Tells the source of those that have come (gsim_draw_arrive). WAITS: after the next one's arrival. False: none can
     * come any more. */
    bool (*look)(void *data, bool waits);
    void (*served)(void *data, uint32_t request, double begun_us);
};

struct gsim_draw {
    const struct gsim_source_ops *source;
    void *state;
    struct gsim_draw_tables *tables;
    const struct gsim_draw_requests *requests; /* NULL: none come */
    struct gsim_random numbers;
    uint32_t gpu_count;                    /* that ops may be for */
    bool is_open, has_ended;
    struct gsim_drawn_op *idle, *all;
    uint32_t drawn, live;                  /* ops so far; of those and of moves, that have not ended */
    uint64_t made;                         /* places for ops, ever */
    struct gsim_op *ops;                   /* kept */
    size_t op_room;
    struct gsim_error error;               /* the first failure */
};

/* KNOWN: programs whose buffers and kernels come first, which outlive the tables; NULL: none. On failure, too,
 * gsim_draw_tables_release() is the caller's duty. */
enum gsim_status gsim_draw_tables_init(struct gsim_draw_tables *tables, const struct gsim_program *known,
                                       const char *name, bool keeps, struct gsim_error *error) GSIM_NODISCARD;
void gsim_draw_tables_release(struct gsim_draw_tables *tables); /* accepts zeroed */

/* On failure, too, gsim_draw_release() is the caller's duty, before the tables'. */
enum gsim_status gsim_draw_init(struct gsim_draw *draw, struct gsim_draw_tables *tables,
                                const struct gsim_source_ops *source, uint64_t seed,
                                struct gsim_error *error) GSIM_NODISCARD;
/* The source begins; PARAMS stay valid. */
enum gsim_status gsim_draw_open(struct gsim_draw *draw, const void *params, struct gsim_error *error) GSIM_NODISCARD;
void gsim_draw_release(struct gsim_draw *draw); /* accepts zeroed */

/* The next op, valid until gsim_draw_ended(); NULL: there are no more, or the draw has failed. */
const struct gsim_op *gsim_draw_op(struct gsim_draw *draw);
/* A copy of an op that serves another one and is none of the program's own, on the same terms. NULL: out of memory. */
const struct gsim_op *gsim_draw_move(struct gsim_draw *draw, const struct gsim_op *op);
/* OP, which one of the two gave, has ended. */
void gsim_draw_ended(struct gsim_draw *draw, const struct gsim_op *op, double now_us);
/* OP, which gsim_draw_op() gave last, is for DEVICE. */
void gsim_draw_place(const struct gsim_op *op, uint32_t device);
/* OP, which one of the two gave, is none of the program's own. */
bool gsim_draw_is_move(const struct gsim_op *op);
/* Counts up when the buffer's place goes to another one. */
uint32_t gsim_draw_generation(const struct gsim_draw *draw, uint32_t buffer);
/* A request of the task has come. */
void gsim_draw_arrive(struct gsim_draw *draw, uint32_t request, double at_us);
/* The buffer is the draw's own. */
bool gsim_draw_owns(const struct gsim_draw *draw, uint32_t buffer);
/* What was known and drawn, as a program; its name alone where it was not kept. FIRST_OP, by draw: its ops' first
 * number in it; NULL: not wanted. KNOWN as for the tables, and outlives PROGRAM, which is written on success. */
enum gsim_status gsim_draws_to_program(struct gsim_draw_tables *tables, struct gsim_draw *draws, uint32_t count,
                                       const struct gsim_program *known, uint32_t *first_op,
                                       struct gsim_program *program, struct gsim_error *error) GSIM_NODISCARD;
