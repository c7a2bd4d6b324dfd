/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a second GPU costs the host per call: medians of 21 times 200 launches of an empty kernel, and of 10 host copies
 * of 4 KiB (pinned), in us from the first call to the return of the last synchronise. Build and run: nvcc -O2 -o two
 * traces/runner/micro/two.cu && CUDA_VISIBLE_DEVICES=0 ./two && ./two (2 GPUs). Outputs: traces/h100/two.txt
 */
#include "micro.h"

__global__ void nothing() {}

static cudaStream_t streams[2];
static void *there[2], *here[2];

/* LAUNCHES calls on the GPUs FIRST and, in turn or one half after the other, SECOND. */
static void launches(const char *name, int first, int second, bool in_turn, bool copies)
{
    const int count = copies ? 20 : 200;
    std::vector<double> total, issue;
    for (int run = 0; run < 26; run++) {
        double begin = now_us();
        int device = -1;
        for (int i = 0; i < count; i++) {
            int next = in_turn ? (i % 2 ? second : first) : (i < count / 2 ? first : second);
            if (next != device) CHECK(cudaSetDevice(device = next));
            if (copies)
                CHECK(cudaMemcpyAsync(there[device], here[device], 4096, cudaMemcpyHostToDevice, streams[device]));
            else
                nothing<<<1, 32, 0, streams[device]>>>();
        }
        double issued = now_us();
        CHECK(cudaSetDevice(first));
        CHECK(cudaStreamSynchronize(streams[first]));
        if (second != first) CHECK(cudaStreamSynchronize(streams[second]));
        if (run < 5) continue;
        total.push_back(now_us() - begin);
        issue.push_back(issued - begin);
    }
    double issued_us = quartiles(issue).median;
    printf("  %-44s total %8.2f us, issued %8.2f us, %6.3f us a call\n", name, quartiles(total).median, issued_us,
           issued_us / count);
}

int main()
{
    int count = 0;
    CHECK(cudaGetDeviceCount(&count));
    cudaDeviceProp property;
    CHECK(cudaGetDeviceProperties(&property, 0));
    printf("%s, %d visible\n", property.name, count);
    auto open = [](int device) {
        CHECK(cudaSetDevice(device));
        CHECK(cudaStreamCreateWithFlags(&streams[device], cudaStreamNonBlocking));
        CHECK(cudaMalloc(&there[device], 1 << 20));
        CHECK(cudaMallocHost(&here[device], 1 << 20));
    };
    open(0);
    launches("GPU 0, before the other has a context", 0, 0, false, false);
    launches("GPU 0, copies of 4 KiB", 0, 0, false, true);
    if (count < 2) return 0;
    open(1);
    launches("GPU 0, the other has a context", 0, 0, false, false);
    launches("GPU 1", 1, 1, false, false);
    launches("half on each, one after the other", 0, 1, false, false);
    launches("both in turn", 0, 1, true, false);
    launches("GPU 0, copies of 4 KiB", 0, 0, false, true);
    launches("both in turn, copies of 4 KiB", 0, 1, true, true);
    CHECK(cudaSetDevice(0));
    CHECK(cudaDeviceEnablePeerAccess(1, 0));
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceEnablePeerAccess(0, 0));
    launches("GPU 0, with peer access", 0, 0, false, false);
    launches("both in turn, with peer access", 0, 1, true, false);
    launches("GPU 0, with peer access, copies of 4 KiB", 0, 0, false, true);
    launches("both in turn, with peer access, copies", 0, 1, true, true);
    return 0;
}
