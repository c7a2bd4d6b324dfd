// SPDX-License-Identifier: GPL-3.0-or-later
// Copies to the device of what the host has just written, which its caches still hold: COUNT buffers of BYTES are
// written (or not), then OTHER bytes elsewhere, and the buffers are copied one after the other in a stream. One line a
// case: settings, then median and quartiles in microseconds from the first call to the return of the synchronise. nvcc
// -O2 -arch=native dirty.cu -o dirty && ./dirty >dirty.txt
#include "micro.h"

#include <cstring>

static char *host, *device, *source, *elsewhere;
static cudaStream_t stream;
static const size_t ROOM = 64u << 20;

static void run(bool writes, int count, size_t bytes, size_t other)
{
    std::vector<double> times;
    for (int r = 0; r < 31; r++) {
        if (writes) memcpy(host, source + (r & 1), (size_t)count * bytes);
        if (other) memset(elsewhere, r, other);
        double start = now_us();
        for (int i = 0; i < count; i++)
            CHECK(cudaMemcpyAsync(device + i * bytes, host + i * bytes, bytes, cudaMemcpyHostToDevice, stream));
        CHECK(cudaStreamSynchronize(stream));
        if (r > 5) times.push_back(now_us() - start);
    }
    Quartiles q = quartiles(times);
    printf("%s count %d bytes %zu other %zu median %.2f quartiles %.2f %.2f\n", writes ? "written" : "kept", count,
           bytes, other, q.median, q.low, q.high);
}

int main(void)
{
    CHECK(cudaHostAlloc(&host, ROOM, cudaHostAllocDefault));
    CHECK(cudaMalloc(&device, ROOM));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    source = (char *)malloc(ROOM + 64);
    elsewhere = (char *)malloc(4 * ROOM);
    memset(source, 1, ROOM + 64);
    memset(elsewhere, 1, 4 * ROOM);
    memset(host, 1, ROOM);
    for (size_t bytes : {4u << 10, 16u << 10, 50u << 10, 100u << 10, 222u << 10, 512u << 10, 1u << 20, 2u << 20,
                         4u << 20, 16u << 20, 64u << 20})
        for (size_t other : {(size_t)0, (size_t)1 << 20, (size_t)4 << 20, (size_t)32 << 20, (size_t)256 << 20})
            for (int writes = 0; writes < 2; writes++) run(writes != 0, 1, bytes, other);
    for (int count : {2, 4, 8, 16})
        for (size_t bytes : {50u << 10, 222u << 10, 888u << 10})
            for (int writes = 0; writes < 2; writes++) run(writes != 0, count, bytes, 0);
    return 0;
}
