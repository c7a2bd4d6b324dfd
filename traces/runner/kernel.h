/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces (runner, inside bench_*.cu only). One text of a kernel for two machines: nvcc makes a __global__ function
 * of it; a C compiler makes a function that executes one block on the CPU, thread after thread, for the tests.
 * Kernels are written in what C and C++ have in common, with these rules:
 *   - A kernel takes one structure, `struct NAME_args a`: its pointers in the program's order, then scalars.
 *   - Statements of a thread stand in GSIM_THREADS { }; GSIM_BARRIER() stands between such regions, and loops around
 *     them take the same path in all threads. What a thread keeps from one region to the next is GSIM_PRIVATE.
 *     Likewise for the threads of one warp: GSIM_LANES and GSIM_WARP_BARRIER(), inside GSIM_WARPS { }.
 *   - What is uninitialised holds NaN (GSIM_BENCH_POISON), and no operation swallows it: no fminf, no fmaxf.
 */
#ifndef GSIM_RUNNER_KERNEL_H
#define GSIM_RUNNER_KERNEL_H

#include <math.h>
#include <stdint.h>

#define GSIM_WARP 32u

#ifdef __CUDACC__

#define GSIM_KERNEL(name) static __global__ void name(const struct name##_args a)
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
#define GSIM_SHARED_DYNAMIC(type, name)             \
    extern __shared__ unsigned char dynamic_shared_[]; \
    type *const name = (type *)dynamic_shared_
#define GSIM_PRIVATE(type, name, count) type name[count]
#define GSIM_MINE(name)                 (name)

#define GSIM_THREAD_X  threadIdx.x
#define GSIM_THREAD_Y  threadIdx.y
#define GSIM_THREAD_Z  threadIdx.z
#define GSIM_BLOCK_X   blockIdx.x
#define GSIM_BLOCK_Y   blockIdx.y
#define GSIM_BLOCK_Z   blockIdx.z
#define GSIM_BLOCK_DIM(axis) blockDim.axis
#define GSIM_GRID_DIM(axis)  gridDim.axis
#define GSIM_THREAD    (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))

#define gsim_atomic_add(address, value) ((void)atomicAdd((address), (value)))
/* Adds to an int32_t and gives what was there. */
#define gsim_atomic_take(address, value) atomicAdd((address), (value))
#define gsim_atomic_max(address, value) ((void)atomicMax((uint32_t *)(address), gsim_bits(value)))
#define gsim_atomic_min(address, value) ((void)atomicMin((int32_t *)(address), (int32_t)gsim_bits(value)))

/* Floats that are not negative order like their bits, signed or unsigned; what is no number is -1, so that it wins. */
GSIM_HELPER uint32_t gsim_bits(float value)
{
    return value == value ? __float_as_uint(value) : 0xffffffffu;
}

GSIM_HELPER uint32_t gsim_block_threads(void)
{
    return blockDim.x * blockDim.y * blockDim.z;
}

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
#define GSIM_WARP_REDUCE(name, combine)                                                       \
    do {                                                                                      \
        uint32_t lane_ = GSIM_THREAD % GSIM_WARP, lanes_ = gsim_warp_lanes();                 \
        for (uint32_t offset_ = GSIM_WARP / 2; offset_; offset_ /= 2) {                       \
            float other_ = __shfl_down_sync(gsim_warp_mask(), (name)[0], offset_);            \
            if (lane_ + offset_ < lanes_) (name)[0] = combine((name)[0], other_);             \
        }                                                                                     \
    } while (0)

#else

#include <string.h>

#include "traces/runner/bench.h"

/* One block of a launch on the CPU. SHARED: the dynamic shared memory. */
struct gsim_cpu_block {
    uint32_t grid[3], block[3], at[3];
    void *shared;
};

#define GSIM_CPU_MOST_THREADS 1024

/* What gsim_bench_launch.function is without CUDA: executes one block. */
typedef void (*gsim_cpu_kernel)(const void *args, const struct gsim_cpu_block *block);

#define GSIM_KERNEL(name)                                                                    \
    static void name##_block(const struct name##_args a, const struct gsim_cpu_block *block_); \
    static void name(const void *args, const struct gsim_cpu_block *block_)                  \
    {                                                                                        \
        name##_block(*(const struct name##_args *)args, block_);                             \
    }                                                                                        \
    static void name##_block(const struct name##_args a, const struct gsim_cpu_block *block_)
#define GSIM_HELPER static inline

/* clang-format off */
#define GSIM_THREADS for (uint32_t thread_ = 0, threads_ = gsim_cpu_threads(block_); thread_ < threads_; thread_++)
#define GSIM_WARPS   for (uint32_t warp_ = 0, all_ = gsim_cpu_threads(block_); warp_ < all_; warp_ += GSIM_WARP)
#define GSIM_LANES   for (uint32_t thread_ = warp_; thread_ < all_ && thread_ < warp_ + GSIM_WARP; thread_++)
/* clang-format on */
#define GSIM_BARRIER()      ((void)0)
#define GSIM_WARP_BARRIER() ((void)0)
#define GSIM_WARP_INDEX     (warp_ / GSIM_WARP)
#define GSIM_WARP_LANES     (all_ - warp_ < GSIM_WARP ? all_ - warp_ : GSIM_WARP)

#define GSIM_SHARED(type, name, count)  type name[count]
#define GSIM_SHARED_DYNAMIC(type, name) type *const name = (type *)block_->shared
#define GSIM_PRIVATE(type, name, count) type name[GSIM_CPU_MOST_THREADS][count]
#define GSIM_MINE(name)                 (name[thread_])

#define GSIM_THREAD_X  (thread_ % block_->block[0])
#define GSIM_THREAD_Y  (thread_ / block_->block[0] % block_->block[1])
#define GSIM_THREAD_Z  (thread_ / block_->block[0] / block_->block[1])
#define GSIM_BLOCK_X   (block_->at[0])
#define GSIM_BLOCK_Y   (block_->at[1])
#define GSIM_BLOCK_Z   (block_->at[2])
#define GSIM_BLOCK_DIM_x (block_->block[0])
#define GSIM_BLOCK_DIM_y (block_->block[1])
#define GSIM_BLOCK_DIM_z (block_->block[2])
#define GSIM_GRID_DIM_x  (block_->grid[0])
#define GSIM_GRID_DIM_y  (block_->grid[1])
#define GSIM_GRID_DIM_z  (block_->grid[2])
#define GSIM_BLOCK_DIM(axis) GSIM_BLOCK_DIM_##axis
#define GSIM_GRID_DIM(axis)  GSIM_GRID_DIM_##axis
#define GSIM_THREAD    thread_

static inline uint32_t gsim_cpu_threads(const struct gsim_cpu_block *block)
{
    return block->block[0] * block->block[1] * block->block[2];
}

#define gsim_block_threads() gsim_cpu_threads(block_)
#define gsim_atomic_add(address, value)  ((void)(*(address) += (value)))
#define gsim_atomic_take(address, value) gsim_cpu_take((address), (value))
#define gsim_atomic_max(address, value) gsim_cpu_extreme((address), (value), 1)
#define gsim_atomic_min(address, value) gsim_cpu_extreme((address), (value), 0)

static inline int32_t gsim_cpu_take(int32_t *address, int32_t value)
{
    int32_t old = *address;
    *address += value;
    return old;
}

/* Of floats that are not negative; what is no number wins. */
static inline void gsim_cpu_extreme(float *address, float value, int is_maximum)
{
    if (*address != *address) return;
    if (value != value || (is_maximum ? value > *address : value < *address)) *address = value;
}

#define GSIM_WARP_REDUCE(name, combine)                                                       \
    do {                                                                                      \
        uint32_t threads_ = gsim_cpu_threads(block_);                                         \
        for (uint32_t offset_ = GSIM_WARP / 2; offset_; offset_ /= 2)                         \
            for (uint32_t t_ = 0; t_ + offset_ < threads_; t_++)                              \
                if (t_ % GSIM_WARP + offset_ < GSIM_WARP)                                     \
                    (name)[t_][0] = combine((name)[t_][0], (name)[t_ + offset_][0]);          \
    } while (0)

#endif

/* Of one-dimensional launches, whatever their size: the first item of a thread and how far to the next. */
#define GSIM_FIRST  ((int64_t)GSIM_BLOCK_X * GSIM_BLOCK_DIM(x) + GSIM_THREAD_X)
#define GSIM_STRIDE ((int64_t)GSIM_GRID_DIM(x) * GSIM_BLOCK_DIM(x))
/* The same along one axis of a launch of several dimensions. */
#define GSIM_FIRST_IN(axis, AXIS) ((int64_t)GSIM_BLOCK_##AXIS * GSIM_BLOCK_DIM(axis) + GSIM_THREAD_##AXIS)
#define GSIM_STRIDE_IN(axis)      ((int64_t)GSIM_GRID_DIM(axis) * GSIM_BLOCK_DIM(axis))

GSIM_HELPER float gsim_add(float x, float y)
{
    return x + y;
}

#endif
