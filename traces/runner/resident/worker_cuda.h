/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: traces/runner (by worker.h only). Loads, stores, fences and clocks of a GPU; none of these loads is served by
 * L1. */
#pragma once

#define WORKER_FUNCTION static __device__ __forceinline__
#define WORKER_PATIENCE 4096u

WORKER_FUNCTION void worker_pause(void) {}

WORKER_FUNCTION uint64_t worker_time_ns(void)
{
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
}

WORKER_FUNCTION uint32_t worker_sm(void)
{
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

WORKER_FUNCTION void worker_spin(uint64_t cycles)
{
    for (const long long began = clock64(); (uint64_t)(clock64() - began) < cycles;) continue;
}

WORKER_FUNCTION uint32_t worker_acquire(const uint32_t *at)
{
    uint32_t value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

WORKER_FUNCTION uint64_t worker_acquire_wide(const uint64_t *at)
{
    uint64_t value;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
    return value;
}

WORKER_FUNCTION uint64_t worker_acquire_host(const uint64_t *at)
{
    uint64_t value;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
    return value;
}

WORKER_FUNCTION uint32_t worker_load(const uint32_t *at) { return *(const volatile uint32_t *)at; }
WORKER_FUNCTION uint64_t worker_load_wide(const uint64_t *at) { return *(const volatile uint64_t *)at; }
WORKER_FUNCTION uint64_t worker_load_host(const uint64_t *at) { return *(const volatile uint64_t *)at; }
WORKER_FUNCTION void worker_store(uint32_t *at, uint32_t value) { *(volatile uint32_t *)at = value; }
WORKER_FUNCTION void worker_store_wide(uint64_t *at, uint64_t value) { *(volatile uint64_t *)at = value; }
WORKER_FUNCTION void worker_store_host(uint32_t *at, uint32_t value) { *(volatile uint32_t *)at = value; }
WORKER_FUNCTION uint32_t worker_add(uint32_t *at, uint32_t value) { return atomicAdd(at, value); }
WORKER_FUNCTION void worker_fence(void) { __threadfence(); }
WORKER_FUNCTION void worker_fence_light(void)
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
} /* not in one order for all, which nothing needs */
WORKER_FUNCTION void worker_fence_host(void) { __threadfence_system(); }

/* A task, as two loads of 16 bytes. */
WORKER_FUNCTION void worker_copy(struct gsim_tasks_task *to, const struct gsim_tasks_task *from)
{
    static_assert(sizeof *to == 32, "two times 16 bytes");
    uint64_t *out = (uint64_t *)to;
    const uint64_t *in = (const uint64_t *)from;
    asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];" : "=l"(out[0]), "=l"(out[1]) : "l"(in) : "memory");
    asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];" : "=l"(out[2]), "=l"(out[3]) : "l"(in + 2) : "memory");
}

WORKER_FUNCTION void worker_copy_host(struct gsim_tasks_task *to, const struct gsim_tasks_task *from)
{
    worker_copy(to, from);
}
