// SPDX-License-Identifier: GPL-3.0-or-later
// What the microbenchmarks share. Each is a program of its own, compiled by the line at its head.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t error_ = (call);                                                                                   \
        if (error_ != cudaSuccess) {                                                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* The host's clock, which is steady. */
static inline double now_us(void)
{
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/* The GPU's clock; it steps 32 ns on Hopper. */
static inline __device__ unsigned long long now_ns(void)
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* The SM that the block is on. */
static inline __device__ unsigned sm_id(void)
{
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

/* --- what kernels of the four kinds do: their time goes to arithmetic, shared memory, DRAM, and dependent loads --- */
static inline __device__ void fma_chains(float *out, int loops)
{
    float a = (float)threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
    const float x = 0.999f, y = 0.5f;
    for (int i = 0; i < loops; i++) {
        a = a * x + y;
        b = b * x + y;
        c = c * x + y;
        d = d * x + y;
    }
    if (a + b + c + d == 12345.678f) out[0] = a;
}

/* SHARED: of WORDS, dynamic. */
static inline __device__ void shared_chain(unsigned *shared, float *out, int loops, int words)
{
    for (int i = threadIdx.x; i < words; i += blockDim.x) shared[i] = i * 2654435761u;
    __syncthreads();
    unsigned p = threadIdx.x, sum = 0;
    for (int i = 0; i < loops; i++) {
        unsigned v = shared[p % words];
        sum += v;
        p = v + sum;
    }
    if (sum == 123456789u) out[0] = (float)sum;
}

static inline __device__ float4 fmas_of(float4 v, int fmas)
{
    for (int f = 0; f < fmas; f++) {
        v.x = v.x * 0.999f + 0.5f;
        v.y = v.y * 0.999f + 0.5f;
        v.z = v.z * 0.999f + 0.5f;
        v.w = v.w * 0.999f + 0.5f;
    }
    return v;
}

static inline __device__ void stream_through(const float4 *from, float4 *to, long n, int fmas)
{
    long step = (long)gridDim.x * blockDim.x;
    for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) to[i] = fmas_of(from[i], fmas);
}

static inline __device__ void chase(const unsigned *table, float *out, int loops, unsigned entries)
{
    unsigned i = (unsigned)(((unsigned long long)(blockIdx.x * blockDim.x + threadIdx.x) * 2654435761ull) % entries);
    for (int n = 0; n < loops; n++) i = table[i];
    if (i == 0xffffffffu) out[0] = (float)i;
}

/* A table for chase(): one circle through all ENTRIES, in an order that no prefetch guesses. */
static inline unsigned *chase_table(unsigned entries)
{
    std::vector<unsigned> p(entries);
    std::mt19937 random(7);
    unsigned *table;
    for (unsigned i = 0; i < entries; i++) p[i] = i;
    for (unsigned i = entries - 1; i > 0; i--) std::swap(p[i], p[random() % i]);
    CHECK(cudaMalloc(&table, 4ul * entries));
    CHECK(cudaMemcpy(table, p.data(), 4ul * entries, cudaMemcpyHostToDevice));
    return table;
}

/* When a block began and ended, by the GPU's clock, and on which SM it was. */
struct Stamp {
    unsigned long long start, end;
    unsigned sm, unused;
};

static inline __device__ void leave(Stamp *stamps, unsigned long long start)
{
    __syncthreads();
    if (threadIdx.x == 0 && stamps) stamps[blockIdx.x] = {start, now_ns(), sm_id(), 0};
}

__global__ void fma_kernel(Stamp *stamps, float *out, int loops)
{
    unsigned long long start = now_ns();
    fma_chains(out, loops);
    leave(stamps, start);
}

__global__ void smem_kernel(Stamp *stamps, float *out, int loops, int words)
{
    extern __shared__ unsigned sh[];
    unsigned long long start = now_ns();
    shared_chain(sh, out, loops, words);
    leave(stamps, start);
}

__global__ void stream_kernel(Stamp *stamps, const float4 *from, float4 *to, long n, int fmas)
{
    unsigned long long start = now_ns();
    stream_through(from, to, n, fmas);
    leave(stamps, start);
}

__global__ void chase_kernel(Stamp *stamps, const unsigned *table, float *out, int loops, unsigned entries)
{
    unsigned long long start = now_ns();
    chase(table, out, loops, entries);
    leave(stamps, start);
}

static inline std::vector<Stamp> read_stamps(const Stamp *device, size_t count, cudaStream_t stream = 0)
{
    std::vector<Stamp> stamps(count);
    CHECK(cudaMemcpyAsync(stamps.data(), device, count * sizeof(Stamp), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    return stamps;
}

/* From the first start to the last end. */
static inline Stamp span(const std::vector<Stamp> &stamps)
{
    Stamp all = stamps[0];
    for (const Stamp &s : stamps) all.start = std::min(all.start, s.start), all.end = std::max(all.end, s.end);
    return all;
}

/* Runs for NS; STAMP, or NULL, is given its start and its end. */
__global__ void spin(unsigned long long *stamp, long long ns)
{
    unsigned long long start = now_ns(), now;
    do now = now_ns();
    while ((long long)(now - start) < ns);
    if (stamp) stamp[0] = start, stamp[1] = now;
}

/* Runs for so many of the SM's cycles, which are finer. */
__global__ void spin_cycles(long long cycles)
{
    for (long long begin = clock64(); clock64() - begin < cycles;) {
    }
}

/* Holds its stream until the host has queued what is measured. */
__global__ void gate(volatile int *open)
{
    while (!*open) continue;
}

__global__ void hold(volatile unsigned *state)
{
    if (threadIdx.x) return;
    atomicAdd((unsigned *)state, 1u);
    while (!state[1]) __nanosleep(1000);
}

/* Puts sleeping blocks with all shared memory on all SMs but one, until let_go(). Kernels that are to run meanwhile
 * must be loaded: a first launch would wait for them. COPIES: a stream for copies. Returns what let_go() takes. */
static inline unsigned *hold_all_but_one(cudaStream_t copies)
{
    int sms, shared;
    unsigned *state;
    cudaStream_t holder;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(cudaStreamCreateWithFlags(&holder, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&state, 8));
    CHECK(cudaMemset(state, 0, 8));
    CHECK(cudaFuncSetAttribute(hold, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    CHECK(cudaDeviceSynchronize());
    hold<<<(unsigned)sms - 1, 32, (size_t)shared, holder>>>(state);
    for (unsigned held = 0; held != (unsigned)sms - 1;) {
        CHECK(cudaMemcpyAsync(&held, state, 4, cudaMemcpyDeviceToHost, copies));
        CHECK(cudaStreamSynchronize(copies));
    }
    return state;
}

static inline void let_go(unsigned *state, cudaStream_t copies)
{
    unsigned open = 1;
    CHECK(cudaMemcpyAsync(state + 1, &open, 4, cudaMemcpyHostToDevice, copies));
    CHECK(cudaDeviceSynchronize());
}

struct Quartiles {
    double low, median, high;
};

/* Sorts VALUES, one at least. */
static inline Quartiles quartiles(std::vector<double> &values)
{
    size_t n = values.size();
    std::sort(values.begin(), values.end());
    return {values[n / 4], values[n / 2], values[3 * n / 4]};
}

/* One line: WHAT was measured, median and quartiles of NS. */
static inline void print(const char *what, std::vector<double> &ns)
{
    Quartiles q = quartiles(ns);
    printf("%s median %.0f quartiles %.0f %.0f\n", what, q.median, q.low, q.high);
}
