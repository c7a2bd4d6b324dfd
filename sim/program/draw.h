/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. A source while it draws (include/gpusim/source.h): tables of buffers and kernels, filled at first use,
 * and ops, valid until their end. If the drawn program is not kept, idle kernels' entries and ops are reused: memory
 * follows what is in flight. Hooks tell the machine of kernels and buffers. Drawing and data movement:
 * include/gpusim/schedulers/pull.h.
 */
#pragma once

#include "gpusim/source.h"

/* Sizes of the tables if the drawn program is kept / if not: kernels in flight and recently used. */
#define GSIM_DRAW_KERNELS_KEPT 65536u
#define GSIM_DRAW_BUFFERS_KEPT 16384u
#define GSIM_DRAW_KERNELS      2048u
#define GSIM_DRAW_BUFFERS      8192u

struct gsim_draw_hooks {
    void *data;
    enum gsim_status (*add_kernel)(void *data, uint32_t index, struct gsim_error *error);
    enum gsim_status (*add_buffer)(void *data, uint32_t index, struct gsim_error *error);
    void (*drop_kernel)(void *data, uint32_t index); /* INDEX will be reused */
    void (*drop_buffer)(void *data, uint32_t index);
    double (*now_us)(void *data);
};

struct gsim_drawn_op;
struct gsim_draw_kernel_state;
struct gsim_draw_buffer_state;

/* Kernels and buffers of all draws of a run and of known programs. */
struct gsim_draw_tables {
    const struct gsim_draw_hooks *hooks;   /* may be NULL */
    struct gsim_program program;           /* buffers and kernels; no ops */
    uint32_t buffer_room, kernel_room;
    uint32_t known_buffers, known_kernels; /* the first ones, of known programs; never dropped */
    bool keeps;
    struct gsim_draw_kernel_state *kernels;
    struct gsim_draw_buffer_state *buffers;
    uint32_t *slots, slot_count;           /* hash table: index + 1 of the first kernel */
    uint32_t oldest, newest;               /* list of idle kernels by last use; UINT32_MAX: none */
    uint32_t free_buffer;                  /* UINT32_MAX: none */
    uint64_t bytes;                        /* of all buffers */
};

/* A task's requests while its source draws. */
struct gsim_draw_requests {
    void *data;
    /* Tells the source of requests that have arrived (gsim_draw_arrive()); if WAITS, waits for the next one first.
     * False: none can come. */
    bool (*look)(void *data, bool waits);
    void (*served)(void *data, uint32_t request, double begun_us);
};

struct gsim_draw {
    const struct gsim_source_ops *source;
    void *state;
    struct gsim_draw_tables *tables;
    const struct gsim_draw_requests *requests; /* NULL: none */
    struct gsim_random numbers;
    uint32_t gpu_count;                    /* devices of ops: 0 to GPU_COUNT - 1 */
    bool is_open, has_ended;
    struct gsim_drawn_op *idle, *all;
    uint32_t drawn, live;                  /* ops so far; ops and moves that have not ended */
    uint64_t made;                         /* op objects made */
    struct gsim_op *ops;                   /* kept */
    size_t op_room;
    struct gsim_error error;               /* the first failure */
};

/* Makes the tables. KNOWN: programs whose buffers and kernels come first, which must outlive them; NULL: none. The
 * caller releases TABLES, also on failure. */
enum gsim_status gsim_draw_tables_init(struct gsim_draw_tables *tables, const struct gsim_program *known,
                                       const char *name, bool keeps, struct gsim_error *error) GSIM_NODISCARD;
void gsim_draw_tables_release(struct gsim_draw_tables *tables); /* accepts zeroed */

/* Makes a draw. The caller releases it before the tables, also on failure. */
enum gsim_status gsim_draw_init(struct gsim_draw *draw, struct gsim_draw_tables *tables,
                                const struct gsim_source_ops *source, uint64_t seed,
                                struct gsim_error *error) GSIM_NODISCARD;
/* Opens the source. PARAMS must stay valid. */
enum gsim_status gsim_draw_open(struct gsim_draw *draw, const void *params, struct gsim_error *error) GSIM_NODISCARD;
void gsim_draw_release(struct gsim_draw *draw); /* accepts zeroed */

/* Returns the next op, valid until gsim_draw_ended(). NULL: the end, or the draw has failed. */
const struct gsim_op *gsim_draw_op(struct gsim_draw *draw);
/* Returns a copy of OP, a move that serves another op, valid until gsim_draw_ended(). NULL: out of memory. */
const struct gsim_op *gsim_draw_move(struct gsim_draw *draw, const struct gsim_op *op);
/* Ends an op of gsim_draw_op() or gsim_draw_move(). */
void gsim_draw_ended(struct gsim_draw *draw, const struct gsim_op *op, double now_us);
/* Sets the device of OP, the last one of gsim_draw_op(). */
void gsim_draw_place(const struct gsim_op *op, uint32_t device);
/* Whether OP is of gsim_draw_move(). */
bool gsim_draw_is_move(const struct gsim_op *op);
/* Returns the generation of BUFFER's index, which grows with each reuse. */
uint32_t gsim_draw_generation(const struct gsim_draw *draw, uint32_t buffer);
/* Tells the source that a request has arrived. */
void gsim_draw_arrive(struct gsim_draw *draw, uint32_t request, double at_us);
/* Whether the draw made BUFFER. */
bool gsim_draw_owns(const struct gsim_draw *draw, uint32_t buffer);
/* Writes all known and drawn ops to PROGRAM; its name only, if they were not kept. FIRST_OP (may be NULL): by draw, the
 * number of its first op. KNOWN as for the tables; it must outlive PROGRAM. On failure PROGRAM is untouched. */
enum gsim_status gsim_draws_to_program(struct gsim_draw_tables *tables, struct gsim_draw *draws, uint32_t count,
                                       const struct gsim_program *known, uint32_t *first_op,
                                       struct gsim_program *program, struct gsim_error *error) GSIM_NODISCARD;
