/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: traces/runner (by worker.h only). The same for threads of the CPU, as a test runs them: cycles are
 * nanoseconds. */
#pragma once

#include <sched.h>
#include <string.h>
#include <time.h>

#define WORKER_FUNCTION static inline
#define WORKER_PATIENCE 64u

WORKER_FUNCTION void worker_pause(void) { sched_yield(); }
WORKER_FUNCTION uint32_t worker_sm(void) { return 0; }

WORKER_FUNCTION uint64_t worker_time_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

WORKER_FUNCTION void worker_spin(uint64_t cycles)
{
    for (const uint64_t began = worker_time_ns(); worker_time_ns() - began < cycles;) sched_yield();
}

WORKER_FUNCTION uint32_t worker_acquire(const uint32_t *at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
WORKER_FUNCTION uint64_t worker_acquire_wide(const uint64_t *at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
WORKER_FUNCTION uint64_t worker_acquire_host(const uint64_t *at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
WORKER_FUNCTION uint32_t worker_load(const uint32_t *at) { return __atomic_load_n(at, __ATOMIC_RELAXED); }
WORKER_FUNCTION uint64_t worker_load_wide(const uint64_t *at) { return __atomic_load_n(at, __ATOMIC_RELAXED); }
WORKER_FUNCTION uint64_t worker_load_host(const uint64_t *at) { return __atomic_load_n(at, __ATOMIC_RELAXED); }
WORKER_FUNCTION void worker_store(uint32_t *at, uint32_t value) { __atomic_store_n(at, value, __ATOMIC_RELAXED); }
WORKER_FUNCTION void worker_store_wide(uint64_t *at, uint64_t value) { __atomic_store_n(at, value, __ATOMIC_RELAXED); }
WORKER_FUNCTION void worker_store_host(uint32_t *at, uint32_t value) { __atomic_store_n(at, value, __ATOMIC_RELAXED); }
WORKER_FUNCTION uint32_t worker_add(uint32_t *at, uint32_t value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
WORKER_FUNCTION void worker_fence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
WORKER_FUNCTION void worker_fence_light(void) { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
WORKER_FUNCTION void worker_fence_host(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
WORKER_FUNCTION void worker_copy(struct gsim_tasks_task *to, const struct gsim_tasks_task *from)
{
    memcpy(to, from, sizeof *to);
}
WORKER_FUNCTION void worker_copy_host(struct gsim_tasks_task *to, const struct gsim_tasks_task *from)
{
    memcpy(to, from, sizeof *to);
}
