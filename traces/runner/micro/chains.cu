// SPDX-License-Identifier: GPL-3.0-or-later
// What launch-bound programs are made of, timed by the host without any tracer: copies, kernels, records and waits in
// the patterns in which schedulers use them, also captured as graphs (g...), from the first call to the return of the
// synchronise. One line a case: pattern, how many, bytes of each copy, timing of the events; then medians in
// microseconds of the whole and of the calls before the synchronise, and quartiles of the whole. nvcc -O2 -arch=native
// chains.cu -o chains && ./chains >chains.txt
#include "micro.h"

#define MOST 10
#define REPEATS 300

static cudaStream_t s[MOST + 1];
static cudaEvent_t events[2][MOST], ends[MOST + 1];
static char *device_data, *host_data;

struct Case {
    const char *pattern;
    int count;
    long bytes;
    bool timing;
};

static void h2d(const Case &c, int i, cudaStream_t stream)
{
    CHECK(cudaMemcpyAsync(device_data + i * c.bytes, host_data + i * c.bytes, (size_t)c.bytes, cudaMemcpyHostToDevice,
                          stream));
}

static void d2h(const Case &c, int i, cudaStream_t stream)
{
    CHECK(cudaMemcpyAsync(host_data + i * c.bytes, device_data + i * c.bytes, (size_t)c.bytes, cudaMemcpyDeviceToHost,
                          stream));
}

static void kernel(cudaStream_t stream) { spin<<<4, 32, 0, stream>>>(NULL, 2000); }

/* One letter an action on the one stream: c copy to the device, d copy back, k kernel, e record, s synchronise. */
static void in_order(const Case &c, const char *actions)
{
    for (int i = 0; i < c.count; i++)
        for (const char *a = actions; *a; a++)
            switch (*a) {
            case 'c': h2d(c, i, s[0]); break;
            case 'd': d2h(c, i, s[0]); break;
            case 'k': kernel(s[0]); break;
            case 'e': CHECK(cudaEventRecord(events[c.timing][i], s[0])); break;
            case 's': CHECK(cudaDeviceSynchronize()); break;
            }
}

static void issue(const Case &c, const char *name)
{
    if (*name == '1') in_order(c, name + 2); /* "1:ck" */
    if (*name == 'a') { /* copies ahead on a stream of their own, then kernels on theirs, each waiting for its copy */
        for (int i = 0; i < c.count; i++) {
            h2d(c, i, s[0]);
            CHECK(cudaEventRecord(events[c.timing][i], s[0]));
        }
        for (int i = 0; i < c.count; i++) {
            cudaStream_t on = name[1] == 's' ? s[1] : s[i + 1];
            CHECK(cudaStreamWaitEvent(on, events[c.timing][i], 0));
            kernel(on);
            if (name[1] == 's') CHECK(cudaStreamSynchronize(on));
        }
    }
    if (*name == 'o') /* each on a stream of its own: copy, kernel */
        for (int i = 0; i < c.count; i++) {
            if (c.bytes) h2d(c, i, s[i + 1]);
            kernel(s[i + 1]);
        }
    if (*name == 'm') /* copies alone, each on a stream of its own */
        for (int i = 0; i < c.count; i++) h2d(c, i, s[i + 1]);
    if (*name == 'z') /* a chain that changes streams: kernel, record, wait, kernel */
        for (int i = 0; i < c.count; i++) {
            if (i) CHECK(cudaStreamWaitEvent(s[1 + i % 2], events[c.timing][i - 1], 0));
            kernel(s[1 + i % 2]);
            CHECK(cudaEventRecord(events[c.timing][i], s[1 + i % 2]));
        }
    if (*name == 'j') { /* join: kernels on streams of their own, then one that waits for all */
        for (int i = 1; i < c.count; i++) {
            kernel(s[i]);
            CHECK(cudaEventRecord(events[c.timing][i], s[i]));
        }
        for (int i = 1; i < c.count; i++) CHECK(cudaStreamWaitEvent(s[0], events[c.timing][i], 0));
        kernel(s[0]);
    }
}

/* The streams that have work join the first, so that a capture on it ends. */
static void join_all(int count)
{
    for (int i = 1; i <= count; i++) {
        CHECK(cudaEventRecord(ends[i], s[i]));
        CHECK(cudaStreamWaitEvent(s[0], ends[i], 0));
    }
}

/* A pattern that begins with g: the rest of it, captured, is launched as a graph. */
static cudaGraphExec_t capture(const Case &c)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(ends[0], s[0]));
    int used = c.pattern[1] == '1' ? 0 : c.pattern[1] == 'z' ? 2 : c.count;
    for (int i = 1; i <= used; i++) CHECK(cudaStreamWaitEvent(s[i], ends[0], 0));
    issue(c, c.pattern + 1);
    join_all(used);
    CHECK(cudaStreamEndCapture(s[0], &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
}

static void run(const Case &c)
{
    std::vector<double> whole, calls;
    cudaGraphExec_t exec = *c.pattern == 'g' ? capture(c) : NULL;
    for (int r = 0; r < REPEATS; r++) {
        double start = now_us();
        if (exec)
            CHECK(cudaGraphLaunch(exec, s[0]));
        else
            issue(c, c.pattern);
        double issued = now_us();
        CHECK(cudaDeviceSynchronize());
        double end = now_us();
        if (r < 50) continue;
        whole.push_back(end - start);
        calls.push_back(issued - start);
    }
    if (exec) CHECK(cudaGraphExecDestroy(exec));
    Quartiles q = quartiles(whole);
    printf("%-8s count %2d bytes %7ld %-9s median %7.2f calls %7.2f quartiles %7.2f %7.2f\n", c.pattern, c.count,
           c.bytes, c.timing ? "timing" : "no-timing", q.median, quartiles(calls).median, q.low, q.high);
}

int main(void)
{
    const long sizes[] = {4, 4096, 50000, 250000, 1000000};
    for (cudaStream_t &x : s) CHECK(cudaStreamCreate(&x));
    for (int t = 0; t < 2; t++)
        for (cudaEvent_t &e : events[t])
            CHECK(cudaEventCreateWithFlags(&e, t ? cudaEventDefault : cudaEventDisableTiming));
    for (cudaEvent_t &e : ends) CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    CHECK(cudaHostAlloc(&host_data, MOST * 1000000, cudaHostAllocDefault));
    CHECK(cudaMalloc(&device_data, MOST * 1000000));
    for (int count : {1, 2, 3, 5, 10}) {
        for (const char *pattern : {"1:k", "1:ks", "o", "g1:k", "go", "gz", "gj"}) run({pattern, count, 0, false});
        for (bool timing : {false, true})
            for (const char *pattern : {"1:ke", "1:kes", "z", "j"}) run({pattern, count, 0, timing});
        for (long bytes : sizes) {
            for (const char *pattern : {"1:c", "1:cs", "1:d", "1:ds", "1:ck", "1:cks", "1:kd", "1:kds", "1:cckds", "o",
                                        "m", "g1:c", "g1:d", "g1:ck", "g1:kd", "g1:kck", "go", "gm", "ga"})
                run({pattern, count, bytes, false});
            for (bool timing : {false, true})
                for (const char *pattern : {"1:ce", "a", "as"}) run({pattern, count, bytes, timing});
        }
    }
    return 0;
}
