// SPDX-License-Identifier: GPL-3.0-or-later
/* cold: one short kernel, launched or as a graph, on an idle GPU after so many MB were written: launch to return of the
 * synchronise. Rule probed: the graph's own data comes from device memory once other data has displaced it from L2.
 * Prints a line per case: what MB median_us least_us      (of 41) Build: nvcc -O2 -arch=native -o cold cold.cu. Usage:
 * cold > cold.txt */
#include "micro.h"

enum { REPEATS = 41, WARM_UP = 3 };

__global__ void brief(float *x) { x[threadIdx.x] = x[threadIdx.x] * 0.5f + 1; }

int main()
{
    char *scratch;
    float *x;
    cudaStream_t stream;
    CHECK(cudaMalloc(&scratch, 256 << 20));
    CHECK(cudaMalloc(&x, 4096));
    CHECK(cudaMemset(x, 0, 4096));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    printf("# %s, L2 %d MB\n", properties.name, properties.l2CacheSize >> 20);
    cudaGraphExec_t graphs[2];
    for (int nodes = 1; nodes <= 2; nodes++) {
        cudaGraph_t graph;
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        for (int i = 0; i < nodes; i++) brief<<<1, 128, 0, stream>>>(x);
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&graphs[nodes - 1], graph, 0));
    }
    static const char *const words[] = {"launch", "graph", "graph_of_2"};
    for (int mb : {0, 4, 8, 16, 32, 48, 64, 128, 256}) {
        for (int what = 0; what < 3; what++) {
            std::vector<double> times;
            for (int i = 0; i < WARM_UP + REPEATS; i++) {
                if (mb) CHECK(cudaMemsetAsync(scratch, i, (size_t)mb << 20, stream));
                CHECK(cudaDeviceSynchronize());
                double begin = now_us();
                if (what == 0)
                    brief<<<1, 128, 0, stream>>>(x);
                else
                    CHECK(cudaGraphLaunch(graphs[what - 1], stream));
                CHECK(cudaDeviceSynchronize());
                if (i >= WARM_UP) times.push_back(now_us() - begin);
            }
            std::sort(times.begin(), times.end());
            printf("%s %d %.2f %.2f\n", words[what], mb, times[REPEATS / 2], times[0]);
        }
    }
    return 0;
}
