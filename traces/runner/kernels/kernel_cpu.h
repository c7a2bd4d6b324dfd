/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces (runner, by kernel.h only). What kernels are written in, for a C compiler: a function that executes one
 * block, its threads one after another.
 */
#pragma once

/* One block of a launch on the CPU. SHARED: the dynamic shared memory. */
struct gsim_cpu_block {
    uint32_t grid[3], block[3], at[3];
    void *shared;
};

#define GSIM_CPU_MAX_THREADS 1024

/* What gsim_bench_launch.function is without CUDA: executes one block. */
typedef void (*gsim_cpu_kernel)(const void *args, const struct gsim_cpu_block *block);

#define GSIM_KERNEL(name)                                                                                              \
    static void name##_block(const struct name##_args a, const struct gsim_cpu_block *block_);                         \
    static void name(const void *args, const struct gsim_cpu_block *block_)                                            \
    {                                                                                                                  \
        name##_block(*(const struct name##_args *)args, block_);                                                       \
    }                                                                                                                  \
    static void name##_block(const struct name##_args a, const struct gsim_cpu_block *block_)
#define GSIM_CODE(name) (const void *)name, NULL
#define GSIM_HELPER     static inline

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
#define GSIM_PRIVATE(type, name, count) type name[GSIM_CPU_MAX_THREADS][count]
#define GSIM_MINE(name)                 (name[thread_])

#define GSIM_THREAD_X        (thread_ % block_->block[0])
#define GSIM_THREAD_Y        (thread_ / block_->block[0] % block_->block[1])
#define GSIM_THREAD_Z        (thread_ / block_->block[0] / block_->block[1])
#define GSIM_BLOCK_X         (block_->at[0])
#define GSIM_BLOCK_Y         (block_->at[1])
#define GSIM_BLOCK_Z         (block_->at[2])
#define GSIM_BLOCK_DIM_x     (block_->block[0])
#define GSIM_BLOCK_DIM_y     (block_->block[1])
#define GSIM_BLOCK_DIM_z     (block_->block[2])
#define GSIM_GRID_DIM_x      (block_->grid[0])
#define GSIM_GRID_DIM_y      (block_->grid[1])
#define GSIM_GRID_DIM_z      (block_->grid[2])
#define GSIM_BLOCK_DIM(axis) GSIM_BLOCK_DIM_##axis
#define GSIM_GRID_DIM(axis)  GSIM_GRID_DIM_##axis
#define GSIM_THREAD          thread_

static inline uint32_t gsim_cpu_threads(const struct gsim_cpu_block *block)
{
    return block->block[0] * block->block[1] * block->block[2];
}

#define gsim_block_threads()             gsim_cpu_threads(block_)
#define gsim_atomic_add(address, value)  ((void)(*(address) += (value)))
#define gsim_atomic_take(address, value) gsim_cpu_take((address), (value))
#define gsim_atomic_max(address, value)  gsim_cpu_extreme((address), (value), 1)
#define gsim_atomic_min(address, value)  gsim_cpu_extreme((address), (value), 0)

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

#define GSIM_WARP_REDUCE(name, combine)                                                                                \
    do {                                                                                                               \
        uint32_t threads_ = gsim_cpu_threads(block_);                                                                  \
        for (uint32_t offset_ = GSIM_WARP / 2; offset_; offset_ /= 2)                                                  \
            for (uint32_t t_ = 0; t_ + offset_ < threads_; t_++)                                                       \
                if (t_ % GSIM_WARP + offset_ < GSIM_WARP)                                                              \
                    (name)[t_][0] = combine((name)[t_][0], (name)[t_ + offset_][0]);                                   \
    } while (0)
