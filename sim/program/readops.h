/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/program (second half of the program reader, private to it). Ops, and the work fields of kernels and ops.
 */
#pragma once

#include "sim/base/names.h"
#include "sim/program/fields.h"
#include "sim/program/kernel.h"

struct gsim_reader_buffer {
    uint64_t bytes;
    const char *name;
    uint32_t last_op;  /* index + 1 of the last op that named it */
    uint32_t position; /* its position in that op's arguments */
};

struct gsim_reader_pending {
    uint32_t op;
    int32_t stream;
    uint16_t device;
};

/* Cache of a launch: its text, and the builder's kernel. */
struct gsim_reader_launch {
    const char *kernel, *grid, *block; /* KERNEL NULL: empty */
    uint32_t index;
};
#define GSIM_READER_LAUNCHES 256
#define GSIM_READER_KINDS 8 /* of ops */

/* One file while it is read. */
struct gsim_reader {
    struct gsim_error *error;
    struct gsim_builder *builder;
    struct gsim_arena arena; /* names while the file is read */
    struct gsim_program said; /* its guesses alone */
    struct gsim_names buffer_names, kernel_names;
    struct gsim_reader_buffer *buffers;
    struct gsim_kernel *kernels; /* of the file, without shapes */
    uint32_t buffer_count;
    double total_bytes;
    size_t buffer_room, kernel_room, arg_room, ordered_room, after_room, pending_room, segment_room, group_room;
    struct gsim_reader_pending *pending; /* ops on the device before the next synchronize */
    size_t pending_count;
    uint8_t followed[GSIM_FIELDS_MAX + 1]; /* of an op's fields */
    uint64_t allowed[GSIM_READER_KINDS]; /* by kind of op: a bit for each allowed field; 0: not computed */
    struct gsim_reader_launch launches[GSIM_READER_LAUNCHES]; /* the latest, by hash of the text */
    /* of the current op */
    struct gsim_arg *args, *ordered;
    uint32_t *after, *group;
    struct gsim_segment *segments; /* by buffer while reading, then by argument */
    uint32_t arg_count, after_count, segment_count;
};

/* Reads the work fields, from FIRST on in FIELDS, into KERNEL; absent ones are unchanged. */
enum gsim_status gsim_reader_work(struct gsim_reader *reader, struct gsim_fields *fields, int first,
                                  struct gsim_kernel *kernel) GSIM_NODISCARD;

/* Reads a whole number from 0 to MAXIMUM; absent: *COUNT is unchanged. */
enum gsim_status gsim_reader_count(struct gsim_fields *fields, int field, double maximum,
                                   uint32_t *count) GSIM_NODISCARD;
/* Whether any work field is given; they start at FIRST. */
bool gsim_reader_has_work(const struct gsim_fields *fields, int first);
/* Reads [x], [x, y] or [x, y, z], each from 1 to its MAXIMUM. */
enum gsim_status gsim_reader_shape(struct gsim_fields *fields, int field, const double maximum[3],
                                   struct gsim_dim3 *shape) GSIM_NODISCARD;

/* Reads the op at VALUE and gives it to the builder. */
enum gsim_status gsim_reader_op(struct gsim_reader *reader, uint32_t index, const char *value,
                                const char **rest) GSIM_NODISCARD;
