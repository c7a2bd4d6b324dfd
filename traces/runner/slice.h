/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner. Keeps kernels off most of the GPU: blocks that take an SM's whole shared memory hold all SMs
 * but a few, and what is launched meanwhile, on another stream, runs on those. How much longer a kernel then takes says
 * what bounds it: a kernel that waits for latencies hardly, one that is bound by throughput in proportion.
 * Needs compute capability 8.0, where any block takes shared memory.
 */
#pragma once

#include <cuda_runtime_api.h>

#include "gpusim/version.h"

GSIM_DECLARATIONS_BEGIN

struct gsim_run_slice {
    cudaStream_t holders, control; /* control: opens the gate while the holders run */
    unsigned *state;               /* device: [0] blocks that have begun, [1] the gate */
    unsigned *host;                /* pinned: read-back, open */
    unsigned sm_count;             /* left free */
    unsigned held;
    int smem_bytes;
};

/* Launches COUNT blocks with SMEM_BYTES each that begin, count themselves in STATE[0] and stay until STATE[1] is not
 * 0. */
cudaError_t gsim_slice_launch(unsigned count, int smem_bytes, unsigned *state, cudaStream_t stream);
/* Lets the kernel have that much. */
cudaError_t gsim_slice_allow(int smem_bytes);

/* cudaErrorNotSupported below compute capability 8.0. */
cudaError_t gsim_slice_init(struct gsim_run_slice *slice, unsigned sm_count);
/* The GPU must be idle; returns when all but slice->sm_count SMs are held. */
cudaError_t gsim_slice_hold(struct gsim_run_slice *slice);
/* Frees them; returns when they are free. */
cudaError_t gsim_slice_free(struct gsim_run_slice *slice);
void gsim_slice_release(struct gsim_run_slice *slice); /* accepts a zeroed one */

GSIM_DECLARATIONS_END
