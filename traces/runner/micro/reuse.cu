// SPDX-License-Identifier: GPL-3.0-or-later
// Whether data is still in L2 when a kernel reads it again: a buffer of BYTES is written by one kernel (or read), OTHER
// bytes are then written (or read) by another, then BLOCKS x THREADS read the buffer, one load in flight per thread or
// four. One line a case: settings, then the median and the quartiles of the reading kernel's time, first block's start
// to last block's end, in nanoseconds. nvcc -O2 -arch=native reuse.cu -o reuse && ./reuse >reuse.txt
#include "micro.h"

#define REPEATS 9
#define MOST_BLOCKS 4096

__global__ void write(float *to, size_t count, float value)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        to[i] = value;
}

/* LOADS independent ones at a time; the sum keeps them. */
template <int LOADS> __global__ void read(const float *from, size_t count, float *out, unsigned long long *stamps)
{
    float sum = 0;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    if (threadIdx.x == 0 && stamps) stamps[2 * blockIdx.x] = now_ns();
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i + (LOADS - 1) * stride < count;
         i += LOADS * stride) {
        float part[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) part[k] = __ldcg(from + i + k * stride);
#pragma unroll
        for (int k = 0; k < LOADS; k++) sum += part[k];
        if (LOADS == 1 && sum == 1e30f) break; /* the next load waits for this one */
    }
    if (sum == -1) *out = sum;
    __syncthreads();
    if (threadIdx.x == 0 && stamps) stamps[2 * blockIdx.x + 1] = now_ns();
}

static float *buffer, *other, *out;
static unsigned long long *stamps;

static void run(size_t bytes, size_t other_bytes, bool is_written, bool other_written, int blocks, int threads,
                int loads)
{
    std::vector<double> times;
    std::vector<unsigned long long> host(2 * (size_t)blocks);
    for (int r = 0; r < REPEATS; r++) {
        if (is_written)
            write<<<264, 1024>>>(buffer, bytes / 4, (float)r);
        else
            read<4><<<264, 1024>>>(buffer, bytes / 4, out, NULL);
        if (other_bytes && other_written) write<<<264, 1024>>>(other, other_bytes / 4, (float)r);
        if (other_bytes && !other_written) read<4><<<264, 1024>>>(other, other_bytes / 4, out, NULL);
        if (loads == 1)
            read<1><<<blocks, threads>>>(buffer, bytes / 4, out, stamps);
        else
            read<4><<<blocks, threads>>>(buffer, bytes / 4, out, stamps);
        CHECK(cudaMemcpy(host.data(), stamps, host.size() * sizeof host[0], cudaMemcpyDeviceToHost));
        unsigned long long first = ~0ull, last = 0;
        for (int i = 0; i < blocks; i++)
            first = std::min(first, host[2 * (size_t)i]), last = std::max(last, host[2 * (size_t)i + 1]);
        if (r > 1) times.push_back((double)(last - first));
    }
    Quartiles q = quartiles(times);
    printf("bytes %zu %s other %zu %s blocks %d threads %d loads %d median %.0f quartiles %.0f %.0f\n", bytes,
           is_written ? "written" : "read", other_bytes, other_written ? "written" : "read", blocks, threads, loads,
           q.median, q.low, q.high);
}

int main(void)
{
    const size_t MB = 1000000;
    CHECK(cudaMalloc(&buffer, 64 * MB));
    CHECK(cudaMalloc(&other, 256 * MB));
    CHECK(cudaMalloc(&out, 4));
    CHECK(cudaMalloc(&stamps, 2 * MOST_BLOCKS * sizeof *stamps));
    CHECK(cudaMemset(buffer, 0, 64 * MB));
    CHECK(cudaMemset(other, 0, 256 * MB));
    for (int is_written = 0; is_written < 2; is_written++)
        for (int other_written = 0; other_written < 2; other_written++)
            for (size_t mb : {2, 6, 16, 32})
                for (size_t other_mb : {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 56, 64, 96, 200})
                    run(mb * MB, other_mb * MB, is_written != 0, other_written != 0, 32, 512, 1);
    for (size_t other_mb : {0, 8, 16, 24, 32, 40, 48, 64, 200}) {
        run(6 * MB, other_mb * MB, true, true, 9, 256, 1);
        run(6 * MB, other_mb * MB, true, true, 9, 256, 4);
        run(6 * MB, other_mb * MB, true, true, 32, 512, 4);
        run(6 * MB, other_mb * MB, true, true, 132, 256, 1);
        run(6 * MB, other_mb * MB, true, true, 1056, 256, 1);
    }
    return 0;
}
