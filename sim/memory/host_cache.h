/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. Data that the host has just written is in its core's cache. A copy to the device reads it more slowly
 * from there than from memory (H200 on a Xeon with 2 MB of L2 a core: traces/runner/micro/dirty.cu,
 * traces/h200/vm/dirty.txt: 1 MB in 47 us instead of 27; what was written 4 MB ago costs nothing more). This holds for
 * pinned memory only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct gsim_device_spec;
struct gsim_machine;
struct gsim_op;
struct gsim_space;

struct gsim_host_cache {
    double written;     /* bytes that the host has written so far */
    double *written_at; /* by buffer: WRITTEN at its last write; 0: copied since. NULL: not kept */
    bool *is_changed;   /* by buffer: a kernel writes it, so the host resets it between iterations */
};

bool gsim_host_cache_init(struct gsim_space *space, struct gsim_machine *m,
                          const struct gsim_device_spec *spec); /* false: out of memory */
/* Notes a host write. An untimed write between iterations counts only for buffers that kernels change. */
void gsim_host_cache_write(struct gsim_space *space, const struct gsim_op *op);
/* Returns the additional bytes that stand for the slower read when BYTES of BUFFER are copied to the device. */
double gsim_host_cache_copy(struct gsim_space *space, const struct gsim_device_spec *spec, uint32_t buffer,
                            double bytes);
