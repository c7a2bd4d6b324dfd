// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of a few calls, one per argument, with streams of their own. Each line "CASE n: right|race|FAILURE" is what
// CUDA's rules say of it (CUDA Runtime API: "API synchronization behavior", "Stream synchronization behavior";
// Programming Guide: graphs).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define N 64
__device__ int symbol[N];
__global__ void set(int *x, int v) { x[threadIdx.x] = v; }
__global__ void add(const int *x, int *y) { y[threadIdx.x] += x[threadIdx.x]; }
__global__ void set_symbol(int v) { symbol[threadIdx.x] = v; }
__global__ void get_symbol(int *y) { y[threadIdx.x] = symbol[threadIdx.x]; }
static cudaStream_t s[3];
static cudaEvent_t e;
static int *x, *y, *pinned, *managed, host[N];
static void show(const int *d)
{
    cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
}
int main(int, char **argv)
{
    const int number = atoi(argv[1]);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    for (int i = 0; i < 2; i++) cudaStreamCreate(&s[i]);
    cudaStreamCreateWithFlags(&s[2], cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaMalloc(&x, sizeof host);
    cudaMalloc(&y, sizeof host);
    cudaMallocHost(&pinned, sizeof host);
    cudaMallocManaged(&managed, sizeof host);
    cudaMemset(y, 0, sizeof host);
    cudaDeviceSynchronize();
    switch (number) {
    case 1: // CASE 1: race (nothing orders two streams)
        set<<<1, N, 0, s[0]>>>(x, 1);
        add<<<1, N, 0, s[1]>>>(x, y);
        show(y);
        break;
    case 2: // CASE 2: right (one stream)
        set<<<1, N, 0, s[0]>>>(x, 1);
        add<<<1, N, 0, s[0]>>>(x, y);
        show(y);
        break;
    case 3: // CASE 3: right (an event)
        set<<<1, N, 0, s[0]>>>(x, 1);
        cudaEventRecord(e, s[0]);
        cudaStreamWaitEvent(s[1], e, 0);
        add<<<1, N, 0, s[1]>>>(x, y);
        show(y);
        break;
    case 4: // CASE 4: race (the event is recorded before the work)
        cudaEventRecord(e, s[0]);
        set<<<1, N, 0, s[0]>>>(x, 1);
        cudaStreamWaitEvent(s[1], e, 0);
        add<<<1, N, 0, s[1]>>>(x, y);
        show(y);
        break;
    case 5: // CASE 5: race (a wait for an event that is recorded later is none)
        cudaStreamWaitEvent(s[1], e, 0);
        set<<<1, N, 0, s[0]>>>(x, 1);
        cudaEventRecord(e, s[0]);
        add<<<1, N, 0, s[1]>>>(x, y);
        show(y);
        break;
    case 6: // CASE 6: right (the default stream waits for a blocking one, and it for the default stream)
        set<<<1, N, 0, s[0]>>>(x, 1);
        add<<<1, N>>>(x, y);
        set<<<1, N, 0, s[1]>>>(x, 2);
        add<<<1, N>>>(x, y);
        show(y);
        break;
    case 7: // CASE 7: race (but not for one that does not block)
        set<<<1, N, 0, s[2]>>>(x, 1);
        add<<<1, N>>>(x, y);
        show(y);
        break;
    case 8: // CASE 8: race (a stream's synchronisation is of that stream)
        set<<<1, N, 0, s[0]>>>(x, 1);
        cudaStreamSynchronize(s[1]);
        add<<<1, N, 0, s[1]>>>(x, y);
        show(y);
        break;
    case 9: // CASE 9: right (the host waited)
        set<<<1, N, 0, s[0]>>>(x, 1);
        cudaStreamSynchronize(s[0]);
        add<<<1, N, 0, s[1]>>>(x, y);
        show(y);
        break;
    case 10: // CASE 10: race (an asynchronous copy to pinned memory is not waited for)
        set<<<1, N, 0, s[0]>>>(x, 1);
        cudaMemcpyAsync(pinned, x, sizeof host, cudaMemcpyDeviceToHost, s[0]);
        printf("%d\n", pinned[3]);
        break;
    case 11: // CASE 11: right (to pageable memory the call returns when it is done)
        set<<<1, N, 0, s[0]>>>(x, 1);
        cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, s[0]);
        printf("%d\n", host[3]);
        break;
    case 12: // CASE 12: right (from pageable memory the data has been taken when the call returns)
        host[0] = 5;
        cudaMemcpyAsync(x, host, sizeof host, cudaMemcpyHostToDevice, s[0]);
        host[0] = 6;
        add<<<1, N, 0, s[0]>>>(x, y);
        show(y);
        break;
    case 13: // CASE 13: race (from pinned memory it has not)
        pinned[0] = 5;
        cudaMemcpyAsync(x, pinned, sizeof host, cudaMemcpyHostToDevice, s[0]);
        pinned[0] = 6;
        add<<<1, N, 0, s[0]>>>(x, y);
        show(y);
        break;
    case 14: // CASE 14: race (the host reads managed memory that a kernel may still write)
        set<<<1, N, 0, s[0]>>>(managed, 1);
        printf("%d\n", managed[5]);
        break;
    case 15: // CASE 15: race (memcpy is a read like any other)
        set<<<1, N, 0, s[0]>>>(managed, 1);
        memcpy(host, managed, sizeof host);
        cudaDeviceSynchronize();
        printf("%d\n", host[5]);
        break;
    case 16: // CASE 16: race (variables of the device are memory, too)
        set_symbol<<<1, N, 0, s[0]>>>(1);
        get_symbol<<<1, N, 0, s[1]>>>(y);
        show(y);
        break;
    case 17: // CASE 17: right (a memset of the default stream)
        cudaMemset(x, 1, sizeof host);
        add<<<1, N, 0, s[0]>>>(x, y);
        show(y);
        break;
    case 18: // CASE 18: race (a memset in another stream)
        cudaMemsetAsync(x, 1, sizeof host, s[1]);
        add<<<1, N, 0, s[0]>>>(x, y);
        show(y);
        break;
    case 19: // CASE 19: race (both read, then one writes; the reader is not waited for)
        add<<<1, N, 0, s[0]>>>(x, y);
        set<<<1, N, 0, s[1]>>>(x, 7);
        show(y);
        break;
    case 20: // CASE 20: right (two readers, two halves)
        set<<<1, N / 2, 0, s[0]>>>(x, 7);
        set<<<1, N / 2, 0, s[1]>>>(x + N / 2, 8);
        show(x);
        break;
    case 21:
    case 22:
    case 23:
    case 24:
    case 25:
        for (int round = 0; round < 2; round++) {
            cudaStreamBeginCapture(s[0], cudaStreamCaptureModeThreadLocal);
            set<<<1, N, 0, s[0]>>>(x, round);
            cudaEventRecord(e, s[0]);
            cudaStreamWaitEvent(s[1], e, 0);
            if (number == 22)
                set<<<1, N, 0, s[0]>>>(x,
                                       3); // CASE 22: race (within a graph: the two follow the first, not each other)
            if (number == 24) set<<<1, N>>>(x, 3); // CASE 24: the default stream while another stream is captured
            add<<<1, N, 0, s[1]>>>(x, y);
            if (number != 23) {
                cudaEventRecord(e, s[1]);
                cudaStreamWaitEvent(s[0], e, 0);
            } // CASE 23: a capture ends before all its streams were joined
            cudaStreamEndCapture(s[0], &graph);
            cudaGraphInstantiate(&exec, graph, 0);
            cudaGraphLaunch(exec, s[0]);
            if (number == 25)
                set<<<1, N, 0, s[1]>>>(x, 9); // CASE 25: race (a graph is work of the stream that it is launched in)
        }
        show(y); // CASE 21: right (joined within, launched one after the other)
        break;
    case 26: // CASE 26: ended by signal 6
        set<<<1, N, 0, s[0]>>>(x, 1);
        show(x);
        abort();
        break;
    case 27: // CASE 27: race (the host writes what a kernel may still read)
        for (int i = 0; i < N; i++) managed[i] = i;
        add<<<1, N, 0, s[0]>>>(managed, y);
        managed[0] = 100;
        show(y);
        break;
    case 28: // CASE 28: right (an event that the host waits for)
        set<<<1, N, 0, s[0]>>>(managed, 4);
        cudaEventRecord(e, s[0]);
        cudaEventSynchronize(e);
        printf("%d\n", managed[5]);
        break;
    case 29: // CASE 29: right (memory is given back when the device is done)
        set<<<1, N, 0, s[0]>>>(x, 1);
        cudaFree(x);
        add<<<1, N, 0, s[1]>>>(y, y);
        show(y);
    }
    return 0;
}
