/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The blocks that hold SMs (traces/runner/slice.h). They sleep: 1 us between two looks at the gate, in device memory,
 * so that they take neither issue slots nor bandwidth. */
#include "traces/runner/slice.h"

static __global__ void hold(volatile unsigned *state)
{
    if (threadIdx.x) return;
    atomicAdd((unsigned *)state, 1u);
    while (!state[1]) __nanosleep(1000);
}

extern "C" cudaError_t gsim_slice_allow(int smem_bytes)
{
    return cudaFuncSetAttribute((const void *)hold, cudaFuncAttributeMaxDynamicSharedMemorySize, smem_bytes);
}

extern "C" cudaError_t gsim_slice_launch(unsigned count, int smem_bytes, unsigned *state, cudaStream_t stream)
{
    hold<<<count, 32, (size_t)smem_bytes, stream>>>(state);
    return cudaGetLastError();
}
