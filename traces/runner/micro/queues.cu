/* SPDX-License-Identifier: GPL-3.0-or-later
 * queues: which streams hold each other back? One waits for the event of a kernel of 150 us, another gets a kernel:
 * does that one start before the event? Every pair of streams, 0, 3 or 6 others at work. Usage: queues STREAMS ORDER(of
 * first use: 0 as created, 1 reversed, 2 shuffled) EXTRA(streams created before) NONBLOCKING(0, 1)
 */
#include "micro.h"

#include <numeric>

typedef unsigned long long u64;
int main(int argc, char **argv) {
    int n = atoi(argv[1]), order = atoi(argv[2]), extra = atoi(argv[3]), nb = atoi(argv[4]);
    u64 *d; CHECK(cudaMalloc(&d, 4096)); std::vector<cudaStream_t> S(n), X(extra); cudaStream_t G;
    for (auto &s : X) CHECK(cudaStreamCreateWithFlags(&s, nb ? cudaStreamNonBlocking : cudaStreamDefault));
    for (auto &s : S) CHECK(cudaStreamCreateWithFlags(&s, nb ? cudaStreamNonBlocking : cudaStreamDefault));
    CHECK(cudaStreamCreateWithFlags(&G, nb ? cudaStreamNonBlocking : cudaStreamDefault));
    cudaEvent_t e; CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    std::vector<int> o(n);
    std::iota(o.begin(), o.end(), 0);
    if (order == 1) std::reverse(o.begin(), o.end());
    if (order == 2) {
        std::mt19937 g(5);
        std::shuffle(o.begin(), o.end(), g);
    }
    printf("{\"n\":%d,\"order\":%d,\"extra\":%d,\"nonblocking\":%d,\"first_use\":[", n, order, extra, nb);
    for (int i = 0; i < n; i++) {
        spin<<<1, 1, 0, S[o[i]]>>>(d, 1000);
        CHECK(cudaDeviceSynchronize());
        printf("%s%d", i ? "," : "", o[i]);
    }
    printf("]");
    for (int busy = 0; busy <= 6; busy += 3) for (int rep = 0; rep < 2; rep++) {
        printf(",\"blocked_busy%d_%d\":[", busy, rep); bool first = true;
        for (int x = 0; x < n; x++) for (int y = 0; y < n; y++) { if (x == y) continue;
            spin<<<1, 1, 0, G>>>(d, 150000); CHECK(cudaEventRecord(e, G)); int left = busy;
            for (int z = n - 1; z >= 0 && left; z--)
                if (z != x && z != y) {
                    spin<<<1, 1, 0, S[z]>>>(d + 16 + 2 * z, 40000);
                    left--;
                }
            CHECK(cudaStreamWaitEvent(S[x], e, 0));
            spin<<<1, 1, 0, S[x]>>>(d + 2, 1000);
            spin<<<1, 1, 0, S[y]>>>(d + 4, 1000);
            CHECK(cudaDeviceSynchronize());
            u64 h[6];
            CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
            if (h[4] >= h[1]) {
                printf("%s[%d,%d]", first ? "" : ",", x, y);
                first = false;
            }
            }
        printf("]");
    }
    // as in a DAG: use some streams in an order that is not that of creation, without a synchronise in between
    printf(",\"dags\":[");
    std::mt19937 g(11);
    for (int r = 0; r < 40; r++) {
        std::vector<int> p(n);
        std::iota(p.begin(), p.end(), 0);
        std::shuffle(p.begin(), p.end(), g);
        int m = std::min(n, 10);
        // stream p[0]: gate; p[1] waits for it; p[2..m-1] run kernels: which are late?
        spin<<<1, 1, 0, S[p[0]]>>>(d, 200000);
        CHECK(cudaEventRecord(e, S[p[0]]));
        CHECK(cudaStreamWaitEvent(S[p[1]], e, 0));
        spin<<<1, 1, 0, S[p[1]]>>>(d + 2, 1000);
        for (int i = 2; i < m; i++) spin<<<1, 1, 0, S[p[i]]>>>(d + 2 * i, 20000);
        CHECK(cudaDeviceSynchronize());
        u64 h[64];
        CHECK(cudaMemcpy(h, d, 16 * m, cudaMemcpyDeviceToHost));
        printf("%s{\"used\":[", r ? "," : "");
        for (int i = 0; i < m; i++) printf("%s%d", i ? "," : "", p[i]);
        printf("],\"late\":[");
        bool f = true;
        for (int i = 2; i < m; i++)
            if (h[2 * i] >= h[1]) {
                printf("%s%d", f ? "" : ",", p[i]);
                f = false;
            }
        printf("]}");
    }
    printf("]}\n"); return 0;
}
