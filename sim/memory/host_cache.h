/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. What the host has just written is still in its core's cache, from where a copy to the device fetches it
 * more slowly than from memory (H200 on a Xeon with 2 MB of L2 a core: traces/runner/micro/dirty.cu,
 * traces/h200/vm/dirty.txt: 1 MB in 47 us instead of 27; what was written 4 MB ago costs nothing more). Only pinned
 * memory: staging and faults read it otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct gsim_device_spec;
struct gsim_machine;
struct gsim_op;
struct gsim_space;

struct gsim_host_cache {
    double written;     /* bytes, by the host so far */
    double *written_at; /* by buffer: WRITTEN when it had been; 0: not since it was copied. NULL: nothing is kept */
    bool *is_changed;   /* by buffer: some kernel writes it, so the host restores it before the next iteration */
};

bool gsim_host_cache_init(struct gsim_space *space, struct gsim_machine *m,
                          const struct gsim_device_spec *spec); /* false: out of memory */
/* A host write, of those untimed ones between iterations only what kernels have changed. */
void gsim_host_cache_write(struct gsim_space *space, const struct gsim_op *op);
/* BYTES of a buffer are copied to the device: as many bytes the link is busy with beside them. */
double gsim_host_cache_copy(struct gsim_space *space, const struct gsim_device_spec *spec, uint32_t buffer,
                            double bytes);
