// SPDX-License-Identifier: GPL-3.0-or-later
// How long the SMs wait behind a copy, and a copy engine behind a kernel: lengths of the first are swept finely, since
// an engine that waits for another looks for it only now and then. Timed by the host without any tracer, from the first
// call to the return of the synchronise; kernels spin on the SM's clock. One line a case: calls or a graph of them,
// pattern, bytes of the copy, nanoseconds of the kernel before; median, 5, 25, 75 and 95 % quantiles in microseconds.
// nvcc -O2 -arch=native polls.cu -o polls && ./polls >polls.txt
#include "micro.h"

#include <cstring>

#define REPEATS 220

static cudaStream_t s[3];
static cudaEvent_t event, joined;
static char *device_data, *host_data;
static double clock_ghz;

static void kernel(double ns, cudaStream_t stream) { spin_cycles<<<1, 32, 0, stream>>>((long long)(ns * clock_ghz)); }

/* A letter an action: k kernel of NS, t kernel of 2 us, c copy to the device, d copy back, of BYTES; on stream 0; > an
 * event there and a wait for it on stream 1, where what follows goes. */
static void issue(const char *actions, long bytes, double ns)
{
    cudaStream_t on = s[0];
    for (const char *a = actions; *a; a++) {
        if (*a == 'k') kernel(ns, on);
        if (*a == 't') kernel(2000, on);
        if (*a == 'c') CHECK(cudaMemcpyAsync(device_data, host_data, (size_t)bytes, cudaMemcpyHostToDevice, on));
        if (*a == 'd') CHECK(cudaMemcpyAsync(host_data, device_data, (size_t)bytes, cudaMemcpyDeviceToHost, on));
        if (*a != '>') continue;
        CHECK(cudaEventRecord(event, on));
        on = s[1];
        CHECK(cudaStreamWaitEvent(on, event, 0));
    }
}

/* IN_GRAPH: the actions captured, instantiated and launched as one. */
static void run(const char *actions, long bytes, double ns, bool in_graph)
{
    std::vector<double> whole;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    if (in_graph) {
        CHECK(cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal));
        issue(actions, bytes, ns);
        if (strchr(actions, '>')) { /* a capture ends joined */
            CHECK(cudaEventRecord(joined, s[1]));
            CHECK(cudaStreamWaitEvent(s[0], joined, 0));
        }
        CHECK(cudaStreamEndCapture(s[0], &graph));
        CHECK(cudaGraphInstantiate(&exec, graph, 0));
    }
    for (int r = 0; r < REPEATS; r++) {
        double rest = now_us() + 20 + r * 0.11; /* so that no phase is preferred */
        while (now_us() < rest) continue;
        double start = now_us();
        if (in_graph)
            CHECK(cudaGraphLaunch(exec, s[0]));
        else
            issue(actions, bytes, ns);
        CHECK(cudaDeviceSynchronize());
        if (r >= 20) whole.push_back(now_us() - start);
    }
    std::sort(whole.begin(), whole.end());
    size_t n = whole.size();
    if (in_graph) {
        CHECK(cudaGraphExecDestroy(exec));
        CHECK(cudaGraphDestroy(graph));
    }
    printf("%s %-6s bytes %7ld before %6.0f median %7.2f quantiles %7.2f %7.2f %7.2f %7.2f\n",
           in_graph ? "graph" : "calls", actions, bytes, ns, whole[n / 2], whole[n / 20], whole[n / 4],
           whole[3 * n / 4], whole[19 * n / 20]);
}

int main(void)
{
    int khz;
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    clock_ghz = khz * 1e-6;
    for (cudaStream_t &x : s) CHECK(cudaStreamCreate(&x));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    CHECK(cudaHostAlloc(&host_data, 4000000, cudaHostAllocDefault));
    CHECK(cudaMalloc(&device_data, 4000000));
    for (int i = 0; i < 200; i++) kernel(100000, s[0]);
    CHECK(cudaDeviceSynchronize());
    const char *lone[] = {"c", "d", "ct", "c>t", "cd", "c>d", "cc"}, *behind[] = {"k", "kd", "k>d", "kc", "kt", "k>t"};
    for (int in_graph = 0; in_graph < 2; in_graph++) {
        for (const char *actions : lone)
            for (long bytes = 4000; bytes <= 2600000; bytes += bytes < 100000    ? 16000
                                                               : bytes < 1000000 ? 50000
                                                                                 : 100000)
                run(actions, bytes, 0, in_graph);
        for (const char *actions : behind)
            for (double ns = 1000; ns <= 60000; ns += ns < 20000 ? 1000 : 2500) run(actions, 4096, ns, in_graph);
        for (const char *actions : {"kct", "k>ct", "kc>t"})
            for (double ns : {2000.0, 9000.0, 30000.0})
                for (long bytes = 4000; bytes <= 1700000; bytes += bytes < 100000    ? 16000
                                                                   : bytes < 1000000 ? 50000
                                                                                     : 100000)
                    run(actions, bytes, ns, in_graph);
    }
    return 0;
}
