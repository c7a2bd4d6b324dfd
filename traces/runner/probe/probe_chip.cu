// SPDX-License-Identifier: GPL-3.0-or-later
// The chip itself: clock under load, arithmetic rates, DRAM and L2 bandwidth and latency, the turnaround of a block's
// slot, and how much shared memory each carve-out leaves.
#include "traces/runner/probe/probe.h"

#include <cfloat>

namespace gsim_probe {

// --- kernels ---------------------------------------------------------------------------------------------------------
__global__ void copy_kernel(const float4 *from, float4 *to, size_t count, int rounds)
{
    size_t step = (size_t)gridDim.x * blockDim.x, first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++)
        for (size_t i = first; i < count; i += step) to[i] = from[i];
}

// Only blocks on SM 0 work: each copies its share of COUNT, the sharers are counted first.
__global__ void one_sm_kernel(const float4 *from, float4 *to, size_t count, unsigned *arrived, unsigned blocks,
                              Stamp *stamps)
{
    __shared__ unsigned mine;
    if (sm_index() != 0) return;
    if (threadIdx.x == 0) mine = atomicAdd(arrived, 1u);
    __syncthreads();
    if (mine >= blocks) return;
    Stamp stamp = {device_ns(), 0, 0, 0};
    for (size_t i = mine * blockDim.x + threadIdx.x; i < count; i += (size_t)blocks * blockDim.x) to[i] = from[i];
    __syncthreads();
    stamp.end = device_ns();
    if (threadIdx.x == 0) stamps[mine] = stamp;
}

template <typename T, int CHAINS> __global__ void fma_kernel(T *out, int iterations, long long *cycles)
{
    T v[CHAINS];
    const T x = (T)0.999, y = (T)0.5;
    for (int c = 0; c < CHAINS; c++) v[c] = (T)(threadIdx.x + c);
    long long from = clock64();
    for (int i = 0; i < iterations; i++) {
#pragma unroll
        for (int c = 0; c < CHAINS; c++) v[c] = v[c] * x + y;
    }
    long long took = clock64() - from;
    T sum = 0;
    for (int c = 0; c < CHAINS; c++) sum += v[c];
    if (sum == (T)12345.678) out[0] = sum;
    if (cycles && threadIdx.x == 0) cycles[blockIdx.x] = took;
}

// Goes on where the last call ended, so that no line is met twice.
__global__ void chase_kernel(const unsigned *next, int loads, unsigned *out, long long *cycles)
{
    unsigned at = *out;
    for (int i = 0; i < loads / 8; i++) at = next[at]; // TLB and row buffers
    long long from = clock64();
    for (int i = 0; i < loads; i++) at = next[at];
    *cycles = clock64() - from;
    *out = at;
}

__global__ void clock_kernel(long long cycles, unsigned long long *ns, long long *took)
{
    unsigned long long start = device_ns();
    long long from = clock64();
    float v = threadIdx.x;
    while (clock64() - from < cycles)
        for (int i = 0; i < 64; i++) v = v * 0.999f + 0.5f;
    long long end = clock64();
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        *ns = device_ns() - start;
        *took = end - from;
    }
    if (v == 12345.678f) *took = 0;
}

// Counts how many blocks an SM holds at once.
__global__ void resident_kernel(unsigned *now, unsigned *most, long long cycles)
{
    extern __shared__ char unused[];
    if (threadIdx.x == 0) atomicMax(&most[sm_index()], atomicAdd(&now[sm_index()], 1u) + 1);
    long long from = clock64();
    while (clock64() - from < cycles) {}
    if (threadIdx.x == 0) atomicSub(&now[sm_index()], 1u);
    (void)unused;
}

// --- measurements ----------------------------------------------------------------------------------------------------
// Device time of LAUNCH in microseconds, by events.
template <typename Launch>
static Point time_kernel(const Probe &probe, double x, int repetitions, double scale, Launch launch)
{
    cudaEvent_t events[2];
    std::vector<double> values;
    for (cudaEvent_t &e : events) PROBE_CHECK(cudaEventCreate(&e));
    for (int r = 0; r < probe.repetitions(repetitions) + 2; r++) {
        float ms;
        PROBE_CHECK(cudaEventRecord(events[0]));
        launch();
        PROBE_CHECK(cudaGetLastError());
        PROBE_CHECK(cudaEventRecord(events[1]));
        PROBE_CHECK(cudaDeviceSynchronize());
        PROBE_CHECK(cudaEventElapsedTime(&ms, events[0], events[1]));
        if (r > 1) values.push_back(scale / (ms * 1e3)); // a rate per microsecond
    }
    for (cudaEvent_t &e : events) PROBE_CHECK(cudaEventDestroy(e));
    return summarize(x, values);
}

static void bandwidth(Probe &probe)
{
    const size_t most = 512u << 20;
    float4 *from, *to;
    PROBE_CHECK(cudaMalloc((void **)&from, most));
    PROBE_CHECK(cudaMalloc((void **)&to, most));
    PROBE_CHECK(cudaMemset(from, 0, most));
    PROBE_CHECK(cudaMemset(to, 0, most));
    int sms = probe.device.multiProcessorCount;
    std::vector<int> grids = {1, 2, 4, 8, 16, sms / 4, sms / 2, sms, 2 * sms, 4 * sms, 8 * sms, 32 * sms};
    Series &blocks =
        probe.add("copy_bandwidth", "blocks", "GB/s",
                  "DRAM traffic (read and written) of a copying kernel of 512 threads per block, 16 bytes per access");
    for (int grid : grids) {
        if (grid < 1) continue;
        // About 5 ms each: a block copies some 20 bytes per nanosecond.
        size_t bytes = std::min(most, std::max((size_t)16 << 20, (size_t)grid * ((size_t)64 << 20)));
        blocks.points.push_back(time_kernel(probe, grid, 10, 2.0 * (double)bytes * 1e-3, [&] {
            copy_kernel<<<grid, 512>>>(from, to, bytes / sizeof(float4), 1);
        }));
    }
    size_t cached = (size_t)probe.device.l2CacheSize / 8;
    probe.add("l2_bandwidth", "bytes", "GB/s", "the same of all SMs over data that stays in L2")
        .points.push_back(time_kernel(probe, (double)cached, 10, 2.0 * (double)cached * 200 * 1e-3, [&] {
            copy_kernel<<<4 * sms, 512>>>(from, to, cached / sizeof(float4), 200);
        }));
    unsigned *arrived;
    Stamps stamps(8);
    PROBE_CHECK(cudaMalloc((void **)&arrived, sizeof *arrived));
    Series &one =
        probe.add("sm_bandwidth", "threads", "GB/s", "DRAM traffic of blocks of 512 threads that are all on one SM");
    for (unsigned count = 1; count * 512 <= (unsigned)probe.device.maxThreadsPerMultiProcessor && count <= 8; count++) {
        std::vector<double> rates;
        size_t bytes = (size_t)count * (16u << 20);
        for (int r = 0; r < probe.repetitions(10) + 2; r++) {
            PROBE_CHECK(cudaMemset(arrived, 0, sizeof *arrived));
            // More blocks than fit at once: SM 0 surely gets enough of them, the others leave at once.
            one_sm_kernel<<<(unsigned)sms * 8, 512>>>(from, to, bytes / sizeof(float4), arrived, count, stamps.device);
            PROBE_CHECK(cudaGetLastError());
            PROBE_CHECK(cudaDeviceSynchronize());
            std::vector<Stamp> s = stamps.read(count);
            unsigned long long start = s[0].start, end = s[0].end;
            for (const Stamp &stamp : s) {
                start = std::min(start, stamp.start);
                end = std::max(end, stamp.end);
            }
            if (r > 1) rates.push_back(2.0 * (double)bytes / (double)(end - start));
        }
        one.points.push_back(summarize(count * 512, rates));
    }
    PROBE_CHECK(cudaFree(arrived));
    PROBE_CHECK(cudaFree(from));
    PROBE_CHECK(cudaFree(to));
}

static void latency(Probe &probe)
{
    // A random cycle over lines of 128 bytes, four times what L2 holds.
    const size_t stride = 128 / sizeof(unsigned);
    size_t lines = std::max((size_t)1 << 18, (size_t)probe.device.l2CacheSize * 4 / 128);
    std::vector<unsigned> order(lines), next(lines * stride);
    for (size_t i = 0; i < lines; i++) order[i] = (unsigned)i;
    unsigned long long state = 88172645463325252ull; // xorshift64 (Marsaglia): any fixed order will do
    for (size_t i = lines - 1; i > 0; i--) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        std::swap(order[i], order[state % (i + 1)]);
    }
    for (size_t i = 0; i < lines; i++) next[order[i] * stride] = (unsigned)(order[(i + 1) % lines] * stride);
    unsigned *list, *out;
    long long *cycles;
    std::vector<double> ns;
    const int loads = 20000;
    PROBE_CHECK(cudaMalloc((void **)&list, next.size() * sizeof(unsigned)));
    PROBE_CHECK(cudaMalloc((void **)&out, sizeof *out));
    PROBE_CHECK(cudaMalloc((void **)&cycles, sizeof *cycles));
    PROBE_CHECK(cudaMemset(out, 0, sizeof *out));
    PROBE_CHECK(cudaMemcpy(list, next.data(), next.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
    for (int r = 0; r < probe.repetitions(10) + 1; r++) {
        long long took;
        chase_kernel<<<1, 1>>>(list, loads, out, cycles);
        PROBE_CHECK(cudaGetLastError());
        PROBE_CHECK(cudaMemcpy(&took, cycles, sizeof took, cudaMemcpyDeviceToHost));
        if (r) ns.push_back((double)took / loads / (probe.clock_khz * 1e-6));
    }
    probe
        .add("dram_latency", "", "ns",
             "dependent loads of one thread over four times the size of L2, address translation included")
        .points.push_back(summarize(0, ns));
    PROBE_CHECK(cudaFree(list));
    PROBE_CHECK(cudaFree(out));
    PROBE_CHECK(cudaFree(cycles));
}

static void arithmetic(Probe &probe)
{
    int sms = probe.device.multiProcessorCount;
    float *out;
    long long *cycles;
    PROBE_CHECK(cudaMalloc((void **)&out, 64));
    PROBE_CHECK(cudaMalloc((void **)&cycles, sizeof *cycles));
    const int iterations = 100000;
    Series &rate = probe.add("fma_rate", "blocks", "TFLOP/s",
                             "single precision, blocks of 256 threads with four independent chains each");
    for (int grid : {sms, 2 * sms, 4 * sms, 8 * sms, 16 * sms})
        rate.points.push_back(time_kernel(probe, grid, 5, 2.0 * 4 * 256 * iterations * (double)grid * 1e-6, [&] {
            fma_kernel<float, 4><<<grid, 256>>>(out, iterations, NULL);
        }));
    const int few = 2000;
    probe.add("fp64_rate", "blocks", "TFLOP/s", "the same in double precision")
        .points.push_back(time_kernel(probe, 8 * sms, 5, 2.0 * 4 * 256 * few * 8.0 * sms * 1e-6, [&] {
            fma_kernel<double, 4><<<8 * sms, 256>>>((double *)out, few, NULL);
        }));
    std::vector<double> latency;
    for (int r = 0; r < probe.repetitions(10) + 1; r++) {
        long long took;
        fma_kernel<float, 1><<<1, 32>>>(out, iterations, cycles);
        PROBE_CHECK(cudaMemcpy(&took, cycles, sizeof took, cudaMemcpyDeviceToHost));
        if (r) latency.push_back((double)took / iterations);
    }
    probe.add("fma_latency", "", "clk", "from one dependent FMA to the next of one warp, loop included")
        .points.push_back(summarize(0, latency));
    PROBE_CHECK(cudaFree(out));
    PROBE_CHECK(cudaFree(cycles));
}

static void clocks(Probe &probe)
{
    unsigned long long *ns, took_ns;
    long long *cycles, took;
    std::vector<double> mhz;
    PROBE_CHECK(cudaMalloc((void **)&ns, sizeof *ns));
    PROBE_CHECK(cudaMalloc((void **)&cycles, sizeof *cycles));
    for (int r = 0; r < probe.repetitions(10) + 1; r++) {
        clock_kernel<<<probe.device.multiProcessorCount, 256>>>(cycles_of(probe, 5000), ns, cycles);
        PROBE_CHECK(cudaGetLastError());
        PROBE_CHECK(cudaMemcpy(&took_ns, ns, sizeof took_ns, cudaMemcpyDeviceToHost));
        PROBE_CHECK(cudaMemcpy(&took, cycles, sizeof took, cudaMemcpyDeviceToHost));
        if (r) mhz.push_back((double)took / (double)took_ns * 1e3);
    }
    probe.add("clock", "", "MHz", "the SM clock under load, against the GPU's clock")
        .points.push_back(summarize(0, mhz));
    PROBE_CHECK(cudaFree(ns));
    PROBE_CHECK(cudaFree(cycles));
}

// One block at a time on each SM, by its shared memory: from the end of one to the start of the next there.
static void turnaround(Probe &probe)
{
    const int per_sm = 6;
    int sms = probe.device.multiProcessorCount, smem = (int)probe.device.sharedMemPerBlockOptin;
    size_t blocks = (size_t)(per_sm * sms);
    Stamps stamps(blocks);
    std::vector<double> means;
    PROBE_CHECK(cudaFuncSetAttribute((const void *)spin_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, smem));
    for (int r = 0; r < probe.repetitions(30) + 2; r++) {
        double sum = 0;
        size_t count = 0;
        spin_kernel<<<(unsigned)blocks, 256, (size_t)smem>>>(stamps.device, cycles_of(probe, 5));
        PROBE_CHECK(cudaGetLastError());
        std::vector<Stamp> s = stamps.read(blocks);
        std::sort(s.begin(), s.end(),
                  [](const Stamp &a, const Stamp &b) { return a.sm != b.sm ? a.sm < b.sm : a.start < b.start; });
        for (size_t i = 1; i < s.size(); i++) {
            if (s[i].sm != s[i - 1].sm) continue;
            sum += (double)(long long)(s[i].start - s[i - 1].end);
            count++;
        }
        if (r > 1 && count) means.push_back(sum / (double)count);
    }
    probe.add("block_turnaround", "", "ns", "end of a block to the start of the next in its place on an SM")
        .points.push_back(summarize(0, means));
}

// For each preferred carve-out, the shared memory that resident blocks of 7 KiB (and what is reserved) really share.
static void carve_outs(Probe &probe)
{
    const int smem = 7 * 1024;
    int sms = probe.device.multiProcessorCount, reserved = 0;
    unsigned *counts;
    cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, probe.device_index);
    PROBE_CHECK(cudaMalloc((void **)&counts, 2 * 1024 * sizeof *counts));
    Series &series = probe.add(
        "carve_out", "percent", "KiB",
        "shared memory of an SM that blocks of 7 KiB fill, by cudaFuncAttributePreferredSharedMemoryCarveout");
    for (int percent = 0; percent <= 100; percent += 5) {
        std::vector<unsigned> most(1024);
        PROBE_CHECK(cudaFuncSetAttribute((const void *)resident_kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                         percent));
        PROBE_CHECK(cudaMemset(counts, 0, 2 * 1024 * sizeof *counts));
        resident_kernel<<<(unsigned)sms * 48, 32, smem>>>(counts, counts + 1024, cycles_of(probe, 30));
        PROBE_CHECK(cudaGetLastError());
        PROBE_CHECK(cudaMemcpy(most.data(), counts + 1024, 1024 * sizeof(unsigned), cudaMemcpyDeviceToHost));
        std::vector<double> values;
        for (unsigned m : most)
            if (m) values.push_back(m * (smem + reserved) / 1024.0);
        series.points.push_back(summarize(percent, values));
    }
    PROBE_CHECK(cudaFree(counts));
}

// How many clusters of 2 to 16 blocks are resident at once, with 1, 2, 4 and 8 blocks on an SM by their shared memory.
static void clusters(Probe &probe)
{
    if (probe.device.major < 9) return;
    int sm_bytes = (int)probe.device.sharedMemPerMultiprocessor, most = (int)probe.device.sharedMemPerBlockOptin,
        reserved = 0;
    cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, probe.device_index);
    PROBE_CHECK(cudaFuncSetAttribute((const void *)resident_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    PROBE_CHECK(cudaFuncSetAttribute((const void *)resident_kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    PROBE_CHECK(
        cudaFuncSetAttribute((const void *)resident_kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    for (int per_sm = 1; per_sm <= 8; per_sm *= 2) {
        std::string name = "clusters_" + std::to_string(per_sm);
        int smem = std::min(most, sm_bytes / per_sm - reserved) / 1024 * 1024;
        Series &series = probe.add(name.c_str(), "blocks of a cluster", "clusters",
                                   "resident at once, with so many blocks on an SM");
        for (unsigned blocks = 2; blocks <= 16; blocks *= 2) {
            cudaLaunchAttribute attribute = {};
            cudaLaunchConfig_t config = {};
            int count = 0;
            attribute.id = cudaLaunchAttributeClusterDimension;
            attribute.val.clusterDim.x = blocks;
            attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
            config.gridDim = dim3(blocks);
            config.blockDim = dim3(128);
            config.dynamicSmemBytes = (size_t)smem;
            config.attrs = &attribute;
            config.numAttrs = 1;
            PROBE_CHECK(cudaOccupancyMaxActiveClusters(&count, (const void *)resident_kernel, &config));
            std::vector<double> values = {(double)count};
            series.points.push_back(summarize(blocks, values));
        }
    }
}

void probe_chip(Probe &probe)
{
    clocks(probe);
    arithmetic(probe);
    latency(probe);
    bandwidth(probe);
    turnaround(probe);
    carve_outs(probe);
    clusters(probe);
}

} // namespace gsim_probe
