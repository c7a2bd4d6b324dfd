/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What resident kernels and programmatic launches cost: nvcc -O3 -arch=sm_90 traces/runner/micro/resident.cu &&
 * ./a.out. Prints one line per quantity, in nanoseconds, medians of 20 repetitions: grid barrier of all SMs, atomics of
 * all SMs on one word, one atomic with its result, a fence behind a store, a flag from one SM to another and back with
 * and without fences, and the gap between two kernels of one thread in a stream and in a graph, as they are and
 * launched programmatically.
 */
#include "micro.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum { ROUNDS = 2000, REPETITIONS = 20, LINKS = 400 };

__global__ void barriers(unsigned long long *out)
{
    cg::grid_group grid = cg::this_grid();
    grid.sync();
    unsigned long long start = now_ns();
    for (int i = 0; i < ROUNDS; i++) grid.sync();
    if (grid.thread_rank() == 0) *out = now_ns() - start;
}

/* All blocks add to one word, as fast as they can; the results are used. */
__global__ void one_word(unsigned *word, unsigned long long *out)
{
    cg::grid_group grid = cg::this_grid();
    grid.sync();
    unsigned long long start = now_ns();
    if (threadIdx.x == 0)
        for (int i = 0; i < ROUNDS; i++)
            if (atomicAdd(word, 1u) == 0xffffffffu) *out = 0;
    grid.sync();
    if (grid.thread_rank() == 0) *out = now_ns() - start;
}

__global__ void atomics_alone(unsigned *word, unsigned long long *out)
{
    unsigned long long start = now_ns();
    unsigned sum = 0;
    for (int i = 0; i < ROUNDS; i++) sum = atomicAdd(word + (sum & 0), 1u);
    *out = now_ns() - start;
    if (sum == 0xffffffffu) word[1] = 1;
}

__global__ void fences(volatile unsigned *word, unsigned long long *out)
{
    unsigned long long start = now_ns();
    for (int i = 0; i < ROUNDS; i++) {
        word[i & 31] = i;
        __threadfence();
    }
    *out = now_ns() - start;
}

/* Block 0 and the last hand a flag to and fro; others leave. */
__global__ void handoff(volatile unsigned *flags, bool fenced, unsigned long long *out)
{
    bool first = blockIdx.x == 0;
    if (!first && blockIdx.x != gridDim.x - 1) return;
    unsigned long long start = now_ns();
    for (unsigned i = 1; i <= ROUNDS; i++) {
        if (first) {
            flags[64] = i;
            if (fenced) __threadfence();
            flags[0] = i;
            while (flags[32] < i) {}
        } else {
            while (flags[0] < i) {}
            flags[96] = i;
            if (fenced) __threadfence();
            flags[32] = i;
        }
    }
    if (first) *out = now_ns() - start;
}

__global__ void link_plain(unsigned *word) { word[0]++; }
__global__ void link_programmatic(unsigned *word)
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
    word[0]++;
}

template <typename Run> static double median_ns(Run run)
{
    std::vector<double> all;
    for (int i = 0; i < REPETITIONS; i++) all.push_back(run());
    return quartiles(all).median;
}

static void launch_links(bool programmatic, unsigned *word, cudaStream_t stream)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(1);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = programmatic ? 1 : 0;
    for (int i = 0; i < LINKS; i++)
        CHECK(cudaLaunchKernelEx(&config, programmatic ? link_programmatic : link_plain, word));
}

/* Time from link to link of a chain that waits in the stream behind a kernel that spins, so that the host is not what
 * it waits for. */
static double chain_ns(bool programmatic, bool in_graph, unsigned *word)
{
    cudaStream_t stream;
    cudaEvent_t begin, end;
    cudaGraph_t graph;
    cudaGraphExec_t exec = nullptr;
    float ms = 0;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    if (in_graph) {
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        launch_links(programmatic, word, stream);
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&exec, graph, 0));
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
    }
    spin<<<1, 1, 0, stream>>>(NULL, 4000000);
    CHECK(cudaEventRecord(begin, stream));
    if (in_graph)
        CHECK(cudaGraphLaunch(exec, stream));
    else
        launch_links(programmatic, word, stream);
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    return ms * 1e6 / LINKS;
}

int main()
{
    cudaDeviceProp p;
    unsigned *words;
    unsigned long long *out;
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaMalloc(&words, 4096));
    CHECK(cudaMallocManaged(&out, sizeof *out));
    printf("device %s, %d SMs\n", p.name, p.multiProcessorCount);
    auto timed = [&](auto launch) {
        return median_ns([&] {
            CHECK(cudaMemset(words, 0, 4096));
            launch();
            CHECK(cudaDeviceSynchronize());
            return (double)*out / ROUNDS;
        });
    };
    auto together = [&](const void *kernel, void **arguments) {
        CHECK(cudaLaunchCooperativeKernel(kernel, dim3(p.multiProcessorCount), dim3(32), arguments, 0, 0));
    };
    void *barrier_arguments[] = {&out}, *word_arguments[] = {&words, &out};
    printf("grid_barrier %.0f\n", timed([&] { together((const void *)barriers, barrier_arguments); }));
    printf("one_word_per_atomic %.3f\n",
           timed([&] { together((const void *)one_word, word_arguments); }) / p.multiProcessorCount);
    printf("atomic_with_result %.0f\n", timed([&] { atomics_alone<<<1, 1>>>(words, out); }));
    printf("store_and_fence %.0f\n", timed([&] { fences<<<1, 1>>>(words, out); }));
    printf("handoff_one_way %.0f\n", timed([&] { handoff<<<p.multiProcessorCount, 1>>>(words, false, out); }) / 2);
    printf("handoff_fenced_one_way %.0f\n",
           timed([&] { handoff<<<p.multiProcessorCount, 1>>>(words, true, out); }) / 2);
    for (int graph = 0; graph < 2; graph++)
        for (int programmatic = 0; programmatic < 2; programmatic++)
            printf("%s_%s %.0f\n", graph ? "graph" : "stream", programmatic ? "programmatic" : "plain",
                   median_ns([&] { return chain_ns(programmatic, graph, words); }));
    return 0;
}
