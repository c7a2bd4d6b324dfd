/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/memory. The content of L2: the data that kernels touched last, by segment or whole argument. A kernel
 * takes longer by the share of its data that it misses.
 *
 * D = the bytes that were touched since, S = its own: all of it is there up to D + S of l2_kept_whole of L2, nothing
 * from l2_kept_none on (H200, H100: traces/runner/micro/l2.cu, traces/h200/vm/reuse.txt, traces/h100/reuse.txt: 2 to
 * 32 MB, written or read before, 0 to 200 MB written or read since; 0.10 root mean square). A kernel touches all its
 * data at its submission; parts that it skips or reads later are not known. Data without arguments displaces other data
 * and is always cold.
 *
 * A time measured by repetition includes hits on the kernel's own data. Inside a program the kernel takes up to
 * gsim_demand.cold times as long, by the share that others have displaced.
 *
 * A time measured inside a program (solo_cold) includes hits of the program's order (reuse.c). In another order, or
 * beside other kernels, there are more or fewer.
 *
 * Kernels that read the same data at the same time: the leader misses and brings it for the others. A follower hits,
 * catches up, and leads if it is faster; the slower kernel then hits on the rest (traces/h200/runs-small.json.gz, ML of
 * 64 MB: rr_1, whose 200 threads read a matrix row by row, takes 13.9 ms beside nb_1, which reads it in 0.7, and 15.4
 * alone).
 *
 * L2 has two halves; data is near to the SMs of the half that brought it. Successive kernels of one grid have their
 * blocks on the same SMs, so their measured times include near data. If either was placed beside other kernels the data
 * is far, and the kernel takes l2_far_share longer (traces/runner/micro/l2.cu, traces/h200/vm/near.txt,
 * traces/h100/near.txt).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/program/access.h"

struct gsim_command;
struct gsim_device;
struct gsim_l2_part;

/* Of an op of a program with kernels measured inside it. */
struct gsim_l2_op {
    double missed;      /* bytes that missed L2 when it was measured */
    double near;        /* share of its reads that a kernel of the same grid had touched last then */
    uint32_t first_arg; /* of its arguments, in GONE */
};

struct gsim_l2_buffer {
    const struct gsim_command *bringing; /* the kernel that brings it from DRAM now; NULL: none */
    const struct gsim_op *last;          /* last kernel that touched it in program order; NULL: none */
    bool is_mixed;                       /* that kernel was placed beside others */
};

struct gsim_l2 {
    struct gsim_l2_part *first, *last; /* most recently used first */
    struct gsim_l2_part **of_buffer;   /* by buffer: its first part; NULL: not kept */
    struct gsim_l2_part *idle;
    uint32_t count;                    /* parts */
    bool has_repeated;                 /* times measured by repetition depend on what L2 holds */
    bool has_measured;                 /* times measured inside the program do */
    uint32_t *running;                 /* by kernel: its running launches; the first brings the data */
    struct gsim_l2_op *ops;            /* NULL: no kernel was measured inside the program */
    struct gsim_l2_buffer *buffers;
    double *gone;                      /* by argument: share missed at the last submission */
    struct gsim_command *started;      /* kernels that began now, linked by next_started */
};

/* False: out of memory. */
bool gsim_l2_init(struct gsim_device *d);
/* Makes the kernel COMMAND touch its data at its submission. Returns the factor on its demand's work; 1: its measured
 * time times its demand's cold. */
double gsim_l2_kernel(struct gsim_device *d, const struct gsim_command *command);
void gsim_l2_kernel_ended(struct gsim_device *d, struct gsim_command *command);
/* Invalidates the buffer of OP, a copy to the device or a host write. */
void gsim_l2_copy(struct gsim_device *d, const struct gsim_op *op);
/* Invalidates the buffer. */
void gsim_l2_forget(struct gsim_device *d, uint32_t buffer);

/* --- for reuse.c --- */
bool gsim_l2_keep(struct gsim_device *d); /* starts to keep the content; false: out of memory */
/* gsim_access_next(), with the real end of whole buffers. */
bool gsim_l2_next(const struct gsim_device *d, struct gsim_access_walk *walk, struct gsim_access *access);
/* Returns how many bytes from BEGIN to END of a buffer are not in L2. */
double gsim_l2_missing(const struct gsim_device *d, uint32_t buffer, uint64_t begin, uint64_t end);
/* Makes the kernel OP touch its data. */
void gsim_l2_touch(struct gsim_device *d, const struct gsim_op *op);

/* --- reuse.c: kernels whose time was measured inside a program --------------------------------------------- */
bool gsim_reuse_is_measured(const struct gsim_device *d, const struct gsim_op *op);
/* Replays the program in order, as it ran when its kernels were measured. False: out of memory. */
bool gsim_reuse_init(struct gsim_device *d);
/* Returns the factor on the work of the kernel COMMAND, relative to its measured time. */
double gsim_reuse_kernel(struct gsim_device *d, const struct gsim_command *command);
/* Call these when the first block is resident / the last block has ended. */
void gsim_reuse_kernel_started(struct gsim_device *d, struct gsim_command *command);
void gsim_reuse_kernel_ended(struct gsim_device *d, struct gsim_command *command);
/* Updates the work of kernels that read the same data, once the blocks of those that just began are placed. DEVICE: a
 * struct gsim_device. */
void gsim_reuse_update(void *device);
