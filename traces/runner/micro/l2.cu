// SPDX-License-Identifier: GPL-3.0-or-later
// What a kernel finds in L2: it reads what another has written (or read). Each thread has one load in flight, or four.
//   reuse  BYTES are written, then OTHER bytes by another kernel, then a grid reads them, all threads in one stride
//   near   a kernel of the same grid reads, block by block, what the same block had, and so the same SM ("same"), or
//          what another block had ("mixed")
// One line a case: settings, then median and quartiles of the reading kernel's time, first block's start to last
// block's end, in nanoseconds. nvcc -std=c++17 -O2 -arch=native l2.cu -o l2 && ./l2 reuse >reuse.txt && ./l2 near
// >near.txt
#include "micro.h"

#include <cstring>

#define MAX_BLOCKS 4096

/* STRIDE: all threads through all; OWN: each block a part of its own; OTHER: another block's part, each one's once (the
 * numbers of blocks are multiples of 2 and 3). */
enum Walk { STRIDE, OWN, OTHER };
struct Part {
    size_t first, step, end;
};

static __device__ Part part_of(Walk walk, size_t count)
{
    if (walk == STRIDE) return {blockIdx.x * (size_t)blockDim.x + threadIdx.x, (size_t)gridDim.x * blockDim.x, count};
    size_t each = count / gridDim.x, part = walk == OTHER ? (blockIdx.x * 5 + 37) % gridDim.x : blockIdx.x;
    return {part * each + threadIdx.x, blockDim.x, (part + 1) * each};
}

__global__ void write(float *to, size_t count, float value, Walk walk)
{
    Part p = part_of(walk, count);
    for (size_t i = p.first; i < p.end; i += p.step) to[i] = value;
}

/* LOADS independent ones at a time; the sum keeps them. */
template <int LOADS> __global__ void read(const float *from, size_t count, float *out, Stamp *stamps, Walk walk)
{
    unsigned long long start = now_ns();
    Part p = part_of(walk, count);
    float sum = 0;
    for (size_t i = p.first; i + (LOADS - 1) * p.step < p.end; i += LOADS * p.step) {
        float loaded[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) loaded[k] = __ldcg(from + i + k * p.step);
#pragma unroll
        for (int k = 0; k < LOADS; k++) sum += loaded[k];
        if (LOADS == 1 && sum == 1e30f) break; /* the next load waits for this one */
    }
    if (sum == 1e30f) *out = sum;
    leave(stamps, start);
}

static float *buffer, *other, *out;
static Stamp *stamps;

static void touch(float *data, size_t count, int blocks, int threads, bool writes, Walk walk)
{
    if (writes) write<<<blocks, threads>>>(data, count, 1, walk);
    else read<4><<<blocks, threads>>>(data, count, out, NULL, walk);
}

static double time_reading(size_t count, int blocks, int threads, int loads, Walk walk)
{
    if (loads == 1) read<1><<<blocks, threads>>>(buffer, count, out, stamps, walk);
    else read<4><<<blocks, threads>>>(buffer, count, out, stamps, walk);
    Stamp all = span(read_stamps(stamps, (size_t)blocks));
    return (double)(all.end - all.start);
}

static void run_reuse(size_t bytes, size_t other_bytes, bool is_written, bool other_written, int blocks, int threads,
                      int loads)
{
    std::vector<double> times;
    for (int r = 0; r < 9; r++) {
        touch(buffer, bytes / 4, 264, 1024, is_written, STRIDE);
        if (other_bytes) touch(other, other_bytes / 4, 264, 1024, other_written, STRIDE);
        double ns = time_reading(bytes / 4, blocks, threads, loads, STRIDE);
        if (r > 1) times.push_back(ns);
    }
    Quartiles q = quartiles(times);
    printf("bytes %zu %s other %zu %s blocks %d threads %d loads %d median %.0f quartiles %.0f %.0f\n", bytes,
           is_written ? "written" : "read", other_bytes, other_written ? "written" : "read", blocks, threads, loads,
           q.median, q.low, q.high);
}

static void reuse()
{
    const size_t MB = 1000000;
    for (int is_written = 0; is_written < 2; is_written++)
        for (int other_written = 0; other_written < 2; other_written++)
            for (size_t mb : {2, 6, 16, 32})
                for (size_t other_mb : {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 56, 64, 96, 200})
                    run_reuse(mb * MB, other_mb * MB, is_written != 0, other_written != 0, 32, 512, 1);
    for (size_t other_mb : {0, 8, 16, 24, 32, 40, 48, 64, 200}) {
        run_reuse(6 * MB, other_mb * MB, true, true, 9, 256, 1);
        run_reuse(6 * MB, other_mb * MB, true, true, 9, 256, 4);
        run_reuse(6 * MB, other_mb * MB, true, true, 32, 512, 4);
        run_reuse(6 * MB, other_mb * MB, true, true, 132, 256, 1);
        run_reuse(6 * MB, other_mb * MB, true, true, 1056, 256, 1);
    }
}

static void run_near(bool writes, size_t mib, int blocks, int threads, int loads)
{
    std::vector<double> times[2];
    const size_t count = (mib << 20) / 4;
    for (int r = -2; r < 15; r++)
        for (int mixed = 0; mixed < 2; mixed++) {
            CHECK(cudaMemset(other, r, 256 << 20)); /* nothing is left in L2 */
            touch(buffer, count, blocks, threads, writes, OWN);
            double ns = time_reading(count, blocks, threads, loads, mixed ? OTHER : OWN);
            if (r >= 0) times[mixed].push_back(ns);
        }
    Quartiles same = quartiles(times[0]), mixed = quartiles(times[1]);
    printf(
        "%-7s MiB %2zu blocks %4d threads %3d loads %d same %.0f quartiles %.0f %.0f mixed %.0f quartiles %.0f %.0f\n",
        writes ? "written" : "read", mib, blocks, threads, loads, same.median, same.low, same.high, mixed.median,
        mixed.low, mixed.high);
}

static void near()
{
    const int grids[][2] = {{132, 64}, {132, 256}, {264, 64}, {264, 256}, {1056, 64}, {1056, 128}};
    for (bool writes : {true, false})
        for (size_t mib : {1, 4, 12, 24})
            for (auto &g : grids)
                for (int loads : {1, 4}) run_near(writes, mib, g[0], g[1], loads);
}

int main(int argc, char **argv)
{
    CHECK(cudaMalloc(&buffer, 64 << 20));
    CHECK(cudaMalloc(&other, 256 << 20));
    CHECK(cudaMalloc(&out, 4));
    CHECK(cudaMalloc(&stamps, MAX_BLOCKS * sizeof *stamps));
    CHECK(cudaMemset(buffer, 0, 64 << 20));
    CHECK(cudaMemset(other, 0, 256 << 20));
    if (argc > 1 && strcmp(argv[1], "near") == 0) near();
    else reuse();
    return 0;
}
