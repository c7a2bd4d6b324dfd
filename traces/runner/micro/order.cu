/* SPDX-License-Identifier: GPL-3.0-or-later
 * order: (1) in which order a graph starts the nodes that one node releases; (2) which streams share a queue when many
 * are at work. Prints JSON; times in ns behind the releasing node's end (1), behind the gate's start (2).
 */
#include "micro.h"

typedef unsigned long long u64;
__global__ void spin_all(u64 *st, long ns)
{
    u64 a = now_ns();
    while (now_ns() - a < ns) {
    }
    if (threadIdx.x == 0) {
        atomicMin(st, a);
        atomicMax(st + 1, now_ns());
    }
}
static u64 *d; static cudaStream_t S[48], G; static cudaEvent_t E[128];
static void reset(int n)
{
    std::vector<u64> h(2 * n);
    for (int i = 0; i < n; i++) {
        h[2 * i] = ~0ull;
        h[2 * i + 1] = 0;
    }
    CHECK(cudaMemcpy(d, h.data(), 16 * n, cudaMemcpyHostToDevice));
}
static std::vector<u64> fetch(int n)
{
    std::vector<u64> h(2 * n);
    CHECK(cudaMemcpy(h.data(), d, 16 * n, cudaMemcpyDeviceToHost));
    return h;
}
// node: 0 P (stream 0), 1 Q (stream 4, ends early), 2 R (stream 5, ends early), then the released ones, each fills the
// machine. kind of a released node: s = in P's stream; o = own new stream; q = in Q's stream (so Q precedes it); m =
// own stream, waits for Q too; n = own stream, waits for Q and R; t = in P's stream, waits for Q too; u = behind a node
// W of its own stream that waits for R (ended early)
static void issue(const char *kinds, bool graph) {
    if (graph) {
        CHECK(cudaStreamBeginCapture(G, cudaStreamCaptureModeThreadLocal));
        CHECK(cudaEventRecord(E[0], G));
        for (int i = 0; i < 16; i++) CHECK(cudaStreamWaitEvent(S[i], E[0], 0));
    }
    spin_all<<<1, 32, 0, S[0]>>>(d, 60000); CHECK(cudaEventRecord(E[1], S[0]));
    spin_all<<<1, 32, 0, S[4]>>>(d + 2, 5000); CHECK(cudaEventRecord(E[2], S[4]));
    spin_all<<<1, 32, 0, S[5]>>>(d + 4, 5000); CHECK(cudaEventRecord(E[3], S[5]));
    for (int i = 0; kinds[i]; i++) {
        char c = kinds[i]; cudaStream_t s = c == 's' || c == 't' ? S[0] : c == 'q' ? S[4] : S[6 + i];
        if (c == 'u') { CHECK(cudaStreamWaitEvent(s, E[3], 0)); spin_all<<<1, 32, 0, s>>>(d + 40 + 2 * i, 5000); }
        if (c != 's' && c != 't') CHECK(cudaStreamWaitEvent(s, E[1], 0));
        if (c == 'm' || c == 'n' || c == 't') CHECK(cudaStreamWaitEvent(s, E[2], 0));
        if (c == 'n') CHECK(cudaStreamWaitEvent(s, E[3], 0));
        spin_all<<<264, 1024, 0, s>>>(d + 6 + 2 * i, 20000);
    }
    if (graph)
        for (int i = 0; i < 16; i++) {
            CHECK(cudaEventRecord(E[20 + i], S[i]));
            CHECK(cudaStreamWaitEvent(G, E[20 + i], 0));
        }
}
int main() {
    CHECK(cudaMalloc(&d, 65536));
    for (auto &s : S) CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&G, cudaStreamNonBlocking));
    for (auto &e : E) CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    const char *k = "soqmntu"; std::vector<std::vector<char>> sets;
    printf("{\"order\":[");
    bool first = true;
    for (int a = 0; a < 7; a++)
        for (int b = 0; b < 7; b++)
            for (int c = -1; c < 7; c += 4)
                for (int g = 0; g < 2; g++) {
                    char kinds[4] = {k[a], k[b], c < 0 ? (char)0 : k[c], 0};
                    bool twice = false;
                    for (const char *p = "sqt"; *p; p++) twice |= std::count(kinds, kinds + 3, *p) > 1;
                    if (twice || (std::count(kinds, kinds + 3, 's') && std::count(kinds, kinds + 3, 't'))) continue;
                    int n = c < 0 ? 2 : 3;
                    printf("%s{\"kinds\":\"%s\",\"graph\":%d,\"starts\":[", first ? "" : ",\n", kinds, g);
                    first = false;
                    cudaGraph_t graph;
                    cudaGraphExec_t exec;
                    if (g) {
                        issue(kinds, true);
                        CHECK(cudaStreamEndCapture(G, &graph));
                        CHECK(cudaGraphInstantiate(&exec, graph, 0));
                    }
                    for (int r = -1; r < 15; r++) {
                        reset(32);
                        if (g) CHECK(cudaGraphLaunch(exec, G));
                        else issue(kinds, false);
                        CHECK(cudaDeviceSynchronize());
                        if (r < 0) continue;
                        auto h = fetch(32);
                        printf("%s[", r ? "," : "");
                        for (int i = 0; i < n; i++) printf("%s%lld", i ? "," : "", (long long)(h[6 + 2 * i] - h[1]));
                        printf("]");
                    }
                    printf("]}");
                    if (g) {
                        cudaGraphExecDestroy(exec);
                        cudaGraphDestroy(graph);
                    }
                }
    // (2) streams at work: pattern 0: two kernels each; 1: a kernel, then a wait for a gate's event and a kernel; 2:
    // wait for the gate first, then a kernel; 3: as 0, but a record after each kernel; in all, one more stream gets one
    // kernel at the end: how late does it start?
    printf("],\n\"queues\":[");
    first = true;
    for (int pattern = 0; pattern < 4; pattern++)
        for (int n = 1; n <= 40; n += n < 16 ? 1 : 4)
            for (int r = 0; r < 3; r++) {
                reset(100);
                spin_all<<<1, 32, 0, G>>>(d, 2500000);
                CHECK(cudaEventRecord(E[0], G));
                for (int i = 0; i < n; i++) {
                    if (pattern == 2) CHECK(cudaStreamWaitEvent(S[i], E[0], 0));
                    spin_all<<<1, 32, 0, S[i]>>>(d + 2 + 4 * i, 500000);
                    if (pattern == 3) CHECK(cudaEventRecord(E[1 + i], S[i]));
                    if (pattern == 1) CHECK(cudaStreamWaitEvent(S[i], E[0], 0));
                    if (pattern != 2) {
                        spin_all<<<1, 32, 0, S[i]>>>(d + 4 + 4 * i, 500000);
                        if (pattern == 3) CHECK(cudaEventRecord(E[41 + i], S[i]));
                    }
                }
                spin_all<<<1, 32, 0, S[n]>>>(d + 2 + 4 * n, 1000);
                CHECK(cudaDeviceSynchronize());
                auto h = fetch(100);
                printf("%s{\"pattern\":%d,\"n\":%d,\"starts\":[", first ? "" : ",\n", pattern, n);
                first = false;
                for (int i = 0; i <= n; i++) printf("%s%lld", i ? "," : "", (long long)(h[2 + 4 * i] - h[0]));
                printf("]}");
            }
    printf("]}\n"); return 0;
}
