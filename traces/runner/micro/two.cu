/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a second GPU costs the host per call: medians of 21 times 200 launches of an empty kernel, and of 10 host copies
 * of 4 KiB (pinned), in us from the first call to the return of the last synchronise. Build and run: nvcc -O2 -o two
 * traces/runner/micro/two.cu && CUDA_VISIBLE_DEVICES=0 ./two && ./two (2 GPUs). Outputs: traces/h100/two.txt
 */
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

#define CHECKED(call)                                                                          \
    do {                                                                                       \
        cudaError_t error = (call);                                                            \
        if (error != cudaSuccess) {                                                            \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                     \
            return 1;                                                                          \
        }                                                                                      \
    } while (0)

__global__ void nothing() {}

static double now_us()
{
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static cudaStream_t streams[2];
static void *there[2], *here[2];

/* LAUNCHES calls on the GPUs FIRST and, in turn or one half after the other, SECOND. */
static int launches(const char *name, int first, int second, bool in_turn, bool copies)
{
    const int count = copies ? 20 : 200;
    std::vector<double> total, issue;
    for (int run = 0; run < 26; run++) {
        double begin = now_us();
        int device = -1;
        for (int i = 0; i < count; i++) {
            int next = in_turn ? (i % 2 ? second : first) : (i < count / 2 ? first : second);
            if (next != device) CHECKED(cudaSetDevice(device = next));
            if (copies)
                CHECKED(cudaMemcpyAsync(there[device], here[device], 4096, cudaMemcpyHostToDevice, streams[device]));
            else
                nothing<<<1, 32, 0, streams[device]>>>();
        }
        double issued = now_us();
        CHECKED(cudaSetDevice(first));
        CHECKED(cudaStreamSynchronize(streams[first]));
        if (second != first) CHECKED(cudaStreamSynchronize(streams[second]));
        if (run < 5) continue;
        total.push_back(now_us() - begin);
        issue.push_back(issued - begin);
    }
    std::sort(total.begin(), total.end());
    std::sort(issue.begin(), issue.end());
    printf("  %-44s total %8.2f us, issued %8.2f us, %6.3f us a call\n", name, total[total.size() / 2],
           issue[issue.size() / 2], issue[issue.size() / 2] / count);
    return 0;
}

int main()
{
    int count = 0;
    CHECKED(cudaGetDeviceCount(&count));
    cudaDeviceProp property;
    CHECKED(cudaGetDeviceProperties(&property, 0));
    printf("%s, %d visible\n", property.name, count);
    auto open = [](int device) {
        CHECKED(cudaSetDevice(device));
        CHECKED(cudaStreamCreateWithFlags(&streams[device], cudaStreamNonBlocking));
        CHECKED(cudaMalloc(&there[device], 1 << 20));
        CHECKED(cudaMallocHost(&here[device], 1 << 20));
        return 0;
    };
    if (open(0)) return 1;
    if (launches("GPU 0, before the other has a context", 0, 0, false, false)) return 1;
    if (launches("GPU 0, copies of 4 KiB", 0, 0, false, true)) return 1;
    if (count < 2) return 0;
    if (open(1)) return 1;
    if (launches("GPU 0, the other has a context", 0, 0, false, false)) return 1;
    if (launches("GPU 1", 1, 1, false, false)) return 1;
    if (launches("half on each, one after the other", 0, 1, false, false)) return 1;
    if (launches("both in turn", 0, 1, true, false)) return 1;
    if (launches("GPU 0, copies of 4 KiB", 0, 0, false, true)) return 1;
    if (launches("both in turn, copies of 4 KiB", 0, 1, true, true)) return 1;
    CHECKED(cudaSetDevice(0));
    CHECKED(cudaDeviceEnablePeerAccess(1, 0));
    CHECKED(cudaSetDevice(1));
    CHECKED(cudaDeviceEnablePeerAccess(0, 0));
    if (launches("GPU 0, with peer access", 0, 0, false, false)) return 1;
    if (launches("both in turn, with peer access", 0, 1, true, false)) return 1;
    if (launches("GPU 0, with peer access, copies of 4 KiB", 0, 0, false, true)) return 1;
    return launches("both in turn, with peer access, copies", 0, 1, true, true);
}
