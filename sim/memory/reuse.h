/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. Which of the data that a kernel reads is still in L2 from when it was touched last. A time that was
 * measured inside a program (solo_cold) holds what the program's order left there; in another order, or beside others,
 * a kernel finds more or less, and takes longer by what it misses.
 *
 * Buffer by buffer: D = the bytes of all buffers touched since, S = its own. All of it is there up to D + S of
 * l2_kept_whole of L2, nothing from l2_kept_none on (H200, H100: traces/runner/micro/reuse.cu,
 * traces/h200/vm/reuse.txt, traces/h100/reuse.txt: 2 to 32 MB, written or read before, 0 to 200 MB written or read
 * since; 0.10 root mean square). A kernel touches its buffers whole, when it is submitted: what it only reads a part
 * of, or has not come to yet, is not known.
 *
 * Kernels that read the same data at the same time: who comes first misses it and brings it for the others; who follows
 * finds it, catches up, and leads if it is the faster one; what the slower one had still to read it then finds
 * (traces/h200/runs-small.json.gz, ML of 64 MB: rr_1, whose 200 threads read a matrix row by row, takes 13.9 ms beside
 * nb_1, which reads it in 0.7, and 15.4 alone).
 *
 * L2 has two halves, and data is nearer to the SMs of the half that brought it. One kernel after another of the same
 * grid stands block by block on the same SMs, so its measured time found the data near; where either is placed beside
 * others it does not, and takes l2_far_share longer (traces/runner/micro/near.cu, traces/h200/vm/near.txt,
 * traces/h100/near.txt).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct gsim_device;
struct gsim_op;
struct gsim_command;

struct gsim_reuse {
    /* A ring of the buffers, that touched last first; the last entry is its head. An entry that follows itself is not
     * in it. NULL: nothing is kept. */
    uint32_t *next, *before;
    double *missed; /* by op: bytes read that were not in L2 when the kernel's time was measured */
    uint32_t *first_arg;         /* by op: of its arguments, in gone */
    double *gone; /* by argument: share of the buffer that was not in L2 when the kernel was submitted last */
    const struct gsim_command **bringing; /* by buffer: the kernel that reads it from DRAM now; NULL: none */
    struct gsim_command *started;   /* kernels that began at this time, by next_started */
    /* NULL: how near data is makes no difference. */
    double
        *near; /* by op: of the bytes that it reads, the share that a kernel of the same grid had touched last then */
    bool *is_mixed; /* by buffer: the kernel that touched it last was placed beside others */
};

/* Goes through the program in its order, as the kernels' times were measured. False: out of memory. */
bool gsim_reuse_init(struct gsim_device *d);
/* COMMAND, a kernel, is submitted. Its work, relative to what was measured. */
double gsim_reuse_kernel(struct gsim_device *d, const struct gsim_command *command);
/* Its first block is resident; its last one ended. */
void gsim_reuse_kernel_started(struct gsim_device *d, struct gsim_command *command);
void gsim_reuse_kernel_ended(struct gsim_device *d, struct gsim_command *command);
/* The owner of a source that follows where kernels began, a struct gsim_device. Once the GPU has placed its blocks:
 * what the kernels that just began change for themselves and those beside them. */
void gsim_reuse_update(void *device);
/* A copy to the device, or a host write that one will follow: what was in L2 of the buffer is no longer its data. */
void gsim_reuse_copy(struct gsim_device *d, const struct gsim_op *op);
