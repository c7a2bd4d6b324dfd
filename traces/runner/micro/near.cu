// SPDX-License-Identifier: GPL-3.0-or-later
// Whether it matters which SM has brought data into L2: a kernel writes (or reads) a buffer, then one of the same grid
// reads it, block by block what the same block had, and so the same SM ("same"), or what another block had ("mixed").
// Each thread strides through its block's part with one load in flight, or four. One line a case: what was done before,
// bytes, grid, loads, then for both the median and the quartiles of the reading kernel's time, first block's start to
// last block's end, in nanoseconds. nvcc -O2 -arch=native near.cu -o near && ./near >near.txt
#include "micro.h"

#define REPEATS 15
#define MOST_BLOCKS 1056

struct Grid {
    int blocks, threads;
};

/* The part of the buffer that a block works on; MIXED: another's, each one's once (the numbers of blocks are multiples
 * of 2 and 3). */
static __device__ unsigned part_of(bool mixed) { return mixed ? (blockIdx.x * 5 + 37) % gridDim.x : blockIdx.x; }

__global__ void write(float *to, size_t each, float value, bool mixed)
{
    float *part = to + part_of(mixed) * each;
    for (size_t i = threadIdx.x; i < each; i += blockDim.x) part[i] = value;
}

template <int LOADS>
__global__ void read(const float *from, size_t each, float *out, unsigned long long *stamps, bool mixed)
{
    const float *part = from + part_of(mixed) * each;
    float sum = 0;
    if (threadIdx.x == 0 && stamps) stamps[2 * blockIdx.x] = now_ns();
    for (size_t i = threadIdx.x; i + (LOADS - 1) * blockDim.x < each; i += LOADS * blockDim.x) {
        float loaded[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) loaded[k] = __ldcg(part + i + k * blockDim.x);
#pragma unroll
        for (int k = 0; k < LOADS; k++) sum += loaded[k];
        if (LOADS == 1 && sum == 1e30f) break; /* the next load waits for this one */
    }
    if (sum == 1e30f) *out = sum;
    __syncthreads();
    if (threadIdx.x == 0 && stamps) stamps[2 * blockIdx.x + 1] = now_ns();
}

static float *data, *other, *out;
static unsigned long long *stamps;

static double measure(bool writes, size_t each, Grid g, int loads, bool mixed)
{
    std::vector<unsigned long long> seen(2 * (size_t)g.blocks);
    if (writes)
        write<<<g.blocks, g.threads>>>(data, each, 1, false);
    else
        read<1><<<g.blocks, g.threads>>>(data, each, out, NULL, false);
    if (loads == 1)
        read<1><<<g.blocks, g.threads>>>(data, each, out, stamps, mixed);
    else
        read<4><<<g.blocks, g.threads>>>(data, each, out, stamps, mixed);
    CHECK(cudaMemcpy(seen.data(), stamps, seen.size() * sizeof seen[0], cudaMemcpyDeviceToHost));
    unsigned long long start = ~0ull, end = 0;
    for (int b = 0; b < g.blocks; b++) start = std::min(start, seen[2 * b]), end = std::max(end, seen[2 * b + 1]);
    return (double)(end - start);
}

int main()
{
    const Grid grids[] = {{132, 64}, {132, 256}, {264, 64}, {264, 256}, {1056, 64}, {1056, 128}};
    CHECK(cudaMalloc(&data, 64 << 20));
    CHECK(cudaMalloc(&other, 256 << 20));
    CHECK(cudaMalloc(&out, 4));
    CHECK(cudaMalloc(&stamps, 2 * MOST_BLOCKS * sizeof *stamps));
    for (bool writes : {true, false})
        for (size_t mib : {1, 4, 12, 24})
            for (Grid g : grids)
                for (int loads : {1, 4}) {
                    std::vector<double> times[2];
                    size_t each = (mib << 20) / 4 / g.blocks;
                    for (int r = -2; r < REPEATS; r++)
                        for (int mixed = 0; mixed < 2; mixed++) {
                            CHECK(cudaMemset(other, r, 256 << 20)); /* nothing is left in L2 */
                            double ns = measure(writes, each, g, loads, mixed);
                            if (r >= 0) times[mixed].push_back(ns);
                        }
                    Quartiles same = quartiles(times[0]), mixed = quartiles(times[1]);
                    printf("%-7s MiB %2zu blocks %4d threads %3d loads %d same %.0f quartiles %.0f %.0f mixed %.0f "
                           "quartiles %.0f %.0f\n",
                           writes ? "written" : "read", mib, g.blocks, g.threads, loads, same.median, same.low,
                           same.high, mixed.median, mixed.low, mixed.high);
                }
}
