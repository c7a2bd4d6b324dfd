/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces (runner, by kernel.h only). What kernels are written in, for nvcc: a __global__ function, whose threads
 * are the device's.
 */
#pragma once

#include "traces/runner/blocks.h"

/* Two kernels of one text, the second of which says when and where each block ran (blocks.h). Registers are kept few
 * enough for the largest block. */
#define GSIM_KERNEL(name)                                                                                              \
    static __device__ __forceinline__ void name##_block(const struct name##_args a);                                  \
    static __global__ void __launch_bounds__(1024) name(const struct name##_args a)                                    \
    {                                                                                                                  \
        name##_block(a);                                                                                               \
    }                                                                                                                  \
    static __global__ void __launch_bounds__(1024)                                                                     \
    name##_stamped(const struct name##_args a, struct gsim_block_stamp *stamps)                                        \
    {                                                                                                                  \
        gsim_block_begins(stamps);                                                                                     \
        name##_block(a);                                                                                               \
        gsim_block_ends(stamps);                                                                                       \
    }                                                                                                                  \
    static __device__ __forceinline__ void name##_block(const struct name##_args a)
#define GSIM_CODE(name)   (const void *)name, (const void *)name##_stamped
#define GSIM_HELPER       static __device__ __forceinline__

/* clang-format off */
#define GSIM_THREADS for (int once_ = 1; once_; once_ = 0)
#define GSIM_WARPS   for (int warps_ = 1; warps_; warps_ = 0)
#define GSIM_LANES   for (int once_ = 1; once_; once_ = 0)
/* clang-format on */
#define GSIM_BARRIER()      __syncthreads()
#define GSIM_WARP_BARRIER() __syncwarp(gsim_warp_mask())
/* Inside GSIM_WARPS: which warp of the block, how many lanes it has. */
#define GSIM_WARP_INDEX (GSIM_THREAD / GSIM_WARP)
#define GSIM_WARP_LANES gsim_warp_lanes()

#define GSIM_SHARED(type, name, count) __shared__ type name[count]
#define GSIM_SHARED_DYNAMIC(type, name)                                                                                \
    extern __shared__ __align__(16) unsigned char dynamic_shared_[];                                                   \
    type *const name = (type *)dynamic_shared_
#define GSIM_PRIVATE(type, name, count) type name[count]
#define GSIM_MINE(name)                 (name)

#define GSIM_THREAD_X        threadIdx.x
#define GSIM_THREAD_Y        threadIdx.y
#define GSIM_THREAD_Z        threadIdx.z
#define GSIM_BLOCK_X         blockIdx.x
#define GSIM_BLOCK_Y         blockIdx.y
#define GSIM_BLOCK_Z         blockIdx.z
#define GSIM_BLOCK_DIM(axis) blockDim.axis
#define GSIM_GRID_DIM(axis)  gridDim.axis
#define GSIM_THREAD          (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))

#define gsim_atomic_add(address, value) ((void)atomicAdd((address), (value)))
/* Adds to an int32_t and gives what was there. */
#define gsim_atomic_take(address, value) atomicAdd((address), (value))
#define gsim_atomic_max(address, value)  ((void)atomicMax((uint32_t *)(address), gsim_bits(value)))
#define gsim_atomic_min(address, value)  ((void)atomicMin((int32_t *)(address), (int32_t)gsim_bits(value)))

GSIM_HELPER uint64_t gsim_global_time(void)
{
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

GSIM_HELPER void gsim_block_begins(struct gsim_block_stamp *stamps)
{
    if (GSIM_THREAD) return;
    struct gsim_block_stamp *stamp =
        &stamps[blockIdx.x + (uint64_t)gridDim.x * (blockIdx.y + (uint64_t)gridDim.y * blockIdx.z)];
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    stamp->start_ns = gsim_global_time();
    stamp->sm = sm;
}

GSIM_HELPER void gsim_block_ends(struct gsim_block_stamp *stamps)
{
    __syncthreads();
    if (GSIM_THREAD) return;
    stamps[blockIdx.x + (uint64_t)gridDim.x * (blockIdx.y + (uint64_t)gridDim.y * blockIdx.z)].end_ns =
        gsim_global_time();
}

/* Floats that are not negative order like their bits, signed or unsigned; what is no number is -1, so that it wins. */
GSIM_HELPER uint32_t gsim_bits(float value) { return value == value ? __float_as_uint(value) : 0xffffffffu; }

GSIM_HELPER uint32_t gsim_block_threads(void) { return blockDim.x * blockDim.y * blockDim.z; }

/* How many threads the calling thread's warp has: the last one of a block may be smaller. */
GSIM_HELPER uint32_t gsim_warp_lanes(void)
{
    uint32_t left = gsim_block_threads() - GSIM_THREAD / GSIM_WARP * GSIM_WARP;
    return left < GSIM_WARP ? left : GSIM_WARP;
}

GSIM_HELPER uint32_t gsim_warp_mask(void)
{
    uint32_t lanes = gsim_warp_lanes();
    return lanes == GSIM_WARP ? 0xffffffffu : (1u << lanes) - 1;
}

/* The first lane's private NAME becomes the combination of all lanes' by a tree. */
#define GSIM_WARP_REDUCE(name, combine)                                                                                \
    do {                                                                                                               \
        uint32_t lane_ = GSIM_THREAD % GSIM_WARP, lanes_ = gsim_warp_lanes();                                          \
        for (uint32_t offset_ = GSIM_WARP / 2; offset_; offset_ /= 2) {                                                \
            float other_ = __shfl_down_sync(gsim_warp_mask(), (name)[0], offset_);                                     \
            if (lane_ + offset_ < lanes_) (name)[0] = combine((name)[0], other_);                                      \
        }                                                                                                              \
    } while (0)
