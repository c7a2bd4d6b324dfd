/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner (CUDA C++). What the probe's parts share: series of measured points, clocks, stamps of blocks,
 * and a gate that holds the device back until the host has queued its work. The parts: probe_host.cu (costs of calls),
 * probe_gaps.cu (latencies on the device), probe_graphs.cu, probe_copies.cu, probe_chip.cu; probe.cu runs them all.
 * What is measured how, and which device number comes from it: traces/runner/PROBE.md.
 */
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace gsim_probe {

/* Median, 5 % and 95 % quantile of COUNT repetitions at X. */
struct Point {
    double x, median, low, high;
    size_t count;
};

struct Series {
    std::string name, x, unit, what;
    std::vector<Point> points;
};

/* Everything measured so far. The first CUDA error ends the probe through fail(). */
struct Probe {
    cudaDeviceProp device;
    int clock_khz, memory_clock_khz, priority_least, priority_greatest, device_index;
    bool managed, quick, resident_only;
    std::vector<Series> series;

    Series &add(const char *name, const char *x, const char *unit, const char *what);
    int repetitions(int usual) const { return quick ? (usual + 4) / 5 : usual; }
};

[[noreturn]] void fail(cudaError_t error, const char *call, const char *file, int line);
#define PROBE_CHECK(call)                                                           \
    do {                                                                            \
        cudaError_t probe_error = (call);                                           \
        if (probe_error != cudaSuccess)                                             \
            ::gsim_probe::fail(probe_error, #call, __FILE__, __LINE__);             \
    } while (0)

/* Sorts VALUES. */
Point summarize(double x, std::vector<double> &values);

/* Host clock, microseconds since some start; steady. */
inline double now_us()
{
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/* What the first thread of a block notes: SM and the GPU's clock (nanoseconds; steps of 32 on Hopper, 1,000 on
 * others). */
struct Stamp {
    unsigned long long start, end;
    unsigned sm, unused;
};

__device__ __forceinline__ unsigned long long device_ns()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__device__ __forceinline__ unsigned sm_index()
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

/* Each block keeps its slot for CYCLES of the SM's clock; STAMPS may be NULL, else has one for each block. */
__global__ void spin_kernel(Stamp *stamps, long long cycles);
__global__ void empty_kernel();
/* Holds its stream until *FLAG is set, at most some seconds. */
__global__ void gate_kernel(volatile int *flag, long long most_cycles);

/* A stream is held back from close() to open(). */
class Gate {
public:
    explicit Gate(const Probe &probe);
    ~Gate();
    void close(cudaStream_t stream);
    void open() { *host = 1; }

private:
    volatile int *host;
    int *device;
    long long most_cycles;
};

/* Stamps in device memory, read back on demand. */
class Stamps {
public:
    explicit Stamps(size_t room);
    ~Stamps();
    std::vector<Stamp> read(size_t count) const;
    Stamp *device;
};

/* The GPU's clock less the host's, in microseconds, and how far that may be off (half a round trip). */
struct ClockOffset {
    double us, uncertainty_us;
};
ClockOffset clock_offset(const Probe &probe);

/* Cycles of the SM's clock in US microseconds. */
long long cycles_of(const Probe &probe, double us);

/* The parts. */
void probe_host(Probe &probe);
void probe_gaps(Probe &probe);
void probe_queues(Probe &probe);
void probe_graphs(Probe &probe);
void probe_copies(Probe &probe);
void probe_chip(Probe &probe);
void probe_resident(Probe &probe);
/* The numbers of a device file that follow from it, as lines of one. */
void print_resident(const Probe &probe);

} // namespace gsim_probe
