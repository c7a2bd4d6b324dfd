/* SPDX-License-Identifier: GPL-3.0-or-later
 * dagrun: DAGs of kernels and copies on a real GPU, live and as a graph, many repetitions of each: makespans, host time
 * of each launch's return, each kernel's first start and last end, on how many SMs it had how many blocks; of one
 * repetition each block's SM, start and end. Usage: dagrun dags.txt out.json REPETITIONS; recorded_dags.py and
 * draw_dags.py write dags.txt. A line K is a kernel: type, grid, block, shared memory, iterations, elements, FMAs per
 * component, buffer. D NAME STREAMS NODES is followed by a line per node: stream, kernel, how many nodes it waits for,
 * which. A negative kernel is a copy.
 */
#include "micro.h"

#include <cstring>
#include <map>
#include <string>

typedef unsigned long long u64;
struct Stamp { u64 s, e; unsigned sm, pad; };
#define ENTER u64 t0 = 0; if (threadIdx.x == 0) t0 = now_ns()
#define LEAVE                                                                                                          \
    __syncthreads();                                                                                                   \
    if (threadIdx.x == 0 && st) {                                                                                      \
        Stamp x;                                                                                                       \
        x.s = t0;                                                                                                      \
        x.e = now_ns();                                                                                                \
        x.sm = sm_id();                                                                                                \
        x.pad = 0;                                                                                                     \
        st[blockIdx.x] = x;                                                                                            \
    }
__global__ void k_fma(Stamp *st, float *out, int iters) { ENTER; fma_chains(out, iters); LEAVE }
__global__ void k_smem(Stamp *st, float *out, int iters, int words) {
    extern __shared__ unsigned sh[]; ENTER; shared_chain(sh, out, iters, words); LEAVE
}
__global__ void k_stream(Stamp *st, const float4 *in, float4 *o, long n, int fl) {
    ENTER; stream_through(in, o, n, fl); LEAVE
}
__global__ void k_chase(Stamp *st, const unsigned *p, float *out, int iters, unsigned n) {
    ENTER; chase(p, out, iters, n); LEAVE
}
struct K {
    std::string type;
    int grid, block, smem, iters;
    long elems;
    int fl, buf;
    int regs;
    double flops, bytes, solo;
};
static std::vector<K> ks;
static float *dout;
static unsigned *dchase;
static float4 *dbuf;
static const unsigned CH = 1u << 24;
static const long BUFE = 1l << 24; static Stamp *dst; static const int MAXB = 4096, MAXK = 256;
static void launch(const K &k, cudaStream_t s, Stamp *st) {
    if (k.type == "fma") k_fma<<<k.grid, k.block, 0, s>>>(st, dout, k.iters);
    else if (k.type == "smem") k_smem<<<k.grid, k.block, k.smem, s>>>(st, dout, k.iters, k.smem / 4);
    else if (k.type == "stream")
        k_stream<<<k.grid, k.block, 0, s>>>(st, dbuf + (long)(k.buf * 2) * BUFE, dbuf + (long)(k.buf * 2 + 1) * BUFE,
                                            k.elems, k.fl);
    else k_chase<<<k.grid, k.block, 0, s>>>(st, dchase, dout, k.iters, CH);
}
static void fetch(int slot, int grid, std::vector<Stamp> &v)
{
    v.resize(grid);
    CHECK(cudaMemcpy(v.data(), dst + (long)slot * MAXB, sizeof(Stamp) * grid, cudaMemcpyDeviceToHost));
}
static void span(const std::vector<Stamp> &v, u64 &s, u64 &e)
{
    s = ~0ull;
    e = 0;
    for (auto &x : v) {
        s = std::min(s, x.s);
        e = std::max(e, x.e);
    }
}
struct Node { int stream; long k; std::vector<int> dep; };
int main(int argc, char **argv) {
    if (argc < 4) return 2;
    int reps = atoi(argv[3]);
    CHECK(cudaMalloc(&dst, sizeof(Stamp) * (long)MAXB * MAXK));
    CHECK(cudaMalloc(&dout, 1024));
    dchase = chase_table(CH);
    CHECK(cudaMalloc(&dbuf, 16l * BUFE * 48));
    CHECK(cudaMemset(dbuf, 0, 16l * BUFE * 48));
    char *hcopy, *dcopy; CHECK(cudaMallocHost(&hcopy, 128l << 20)); CHECK(cudaMalloc(&dcopy, 128l << 20));
    CHECK(cudaFuncSetAttribute(k_smem, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
    cudaStream_t S[16], G;
    for (auto &s : S) CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&G, cudaStreamNonBlocking));
    std::vector<cudaEvent_t> ev(1024); for (auto &e : ev) CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    std::map<std::string, int> regs;
    {
        cudaFuncAttributes a;
        CHECK(cudaFuncGetAttributes(&a, k_fma));
        regs["fma"] = a.numRegs;
        CHECK(cudaFuncGetAttributes(&a, k_smem));
        regs["smem"] = a.numRegs;
        CHECK(cudaFuncGetAttributes(&a, k_stream));
        regs["stream"] = a.numRegs;
        CHECK(cudaFuncGetAttributes(&a, k_chase));
        regs["chase"] = a.numRegs;
    }
    FILE *in = fopen(argv[1], "r"), *f = fopen(argv[2], "w"); char line[1 << 16]; double tstart = now_us();
    while (fgets(line, sizeof line, in)) {
        std::vector<char *> t; for (char *p = strtok(line, " \n"); p; p = strtok(0, " \n")) t.push_back(p);
        if (t.empty() || t[0][0] == '#') continue;
        if (now_us() - tstart > 90e6) { fprintf(stderr, "out of time\n"); break; }
        if (!strcmp(t[0], "K")) {
            K k;
            k.type = t[1];
            k.grid = atoi(t[2]);
            k.block = atoi(t[3]);
            k.smem = atoi(t[4]);
            k.iters = atoi(t[5]);
            k.elems = atol(t[6]);
            k.fl = atoi(t[7]);
            k.buf = atoi(t[8]);
            k.regs = regs[k.type];
            k.flops = k.type == "fma" ? 8.0 * k.grid * k.block * k.iters : 8.0 * k.elems * k.fl;
            k.bytes = 32.0 * k.elems;
            std::vector<double> d;
            std::vector<Stamp> v;
            for (int r = 0; r < 10; r++) {
                launch(k, S[0], dst);
                CHECK(cudaDeviceSynchronize());
                fetch(0, k.grid, v);
                u64 s, e;
                span(v, s, e);
                if (r) d.push_back(e - s);
            }
            k.solo = quartiles(d).median;
            fprintf(f,
                    "{\"solo\":%zu,\"type\":\"%s\",\"grid\":%d,\"block\":%d,\"smem\":%d,\"regs\":%d,\"iters\":%d,"
                    "\"elems\":%ld,\"fl\":%d,\"flops\":%.0f,\"dram_bytes\":%.0f,\"buf\":%d,\"solo_ns\":%.0f}\n",
                    ks.size(), k.type.c_str(), k.grid, k.block, k.smem, k.regs, k.iters, k.elems, k.fl, k.flops,
                    k.bytes, k.buf, k.solo);
            ks.push_back(k);
            continue;
        }
        std::string tag = t[1]; int ns = atoi(t[2]), nn = atoi(t[3]); std::vector<Node> nd(nn);
        for (auto &q : nd) {
            if (!fgets(line, sizeof line, in)) return 3;
            char *p = line;
            q.stream = strtol(p, &p, 10);
            q.k = strtol(p, &p, 10);
            int c = strtol(p, &p, 10);
            while (c--) q.dep.push_back(strtol(p, &p, 10));
        }
        if (nn > MAXK) return 4;
        std::vector<char> rec(nn, 0); for (auto &q : nd) for (int d : q.dep) if (nd[d].stream != q.stream) rec[d] = 1;
        std::vector<double> hc(nn); double h0 = 0;
        auto body = [&]() {
            for (int i = 0; i < nn; i++) {
                auto &q = nd[i];
                for (int d : q.dep)
                    if (nd[d].stream != q.stream) CHECK(cudaStreamWaitEvent(S[q.stream], ev[d], 0));
                if (q.k >= 0) launch(ks[q.k], S[q.stream], dst + (long)i * MAXB);
                else {
                    long b = -q.k;
                    bool h2d = b & 1;
                    b /= 2;
                    CHECK(cudaMemcpyAsync(h2d ? dcopy : hcopy, h2d ? hcopy : dcopy, b,
                                       h2d ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, S[q.stream]));
                }
                hc[i] = now_us() - h0;
                if (rec[i]) CHECK(cudaEventRecord(ev[i], S[q.stream]));
            }
        };
        fprintf(f, "{\"dag\":\"%s\",\"streams\":%d,\"nodes\":[", tag.c_str(), ns);
        for (int i = 0; i < nn; i++) {
            fprintf(f, "%s[%d,%ld,[", i ? "," : "", nd[i].stream, nd[i].k);
            for (size_t j = 0; j < nd[i].dep.size(); j++) fprintf(f, "%s%d", j ? "," : "", nd[i].dep[j]);
            fprintf(f, "]]");
        }
        fprintf(f, "]");
        auto times = [&](bool blocks) {
            std::vector<std::vector<Stamp>> v(nn);
            u64 z = ~0ull;
            std::vector<u64> s(nn), e(nn);
            for (int i = 0; i < nn; i++)
                if (nd[i].k >= 0) {
                    fetch(i, ks[nd[i].k].grid, v[i]);
                    span(v[i], s[i], e[i]);
                    z = std::min(z, s[i]);
                }
            fprintf(f, "[");
            for (int i = 0; i < nn; i++) {
                if (nd[i].k >= 0) fprintf(f, "%s%llu,%llu", i ? "," : "", s[i] - z, e[i] - z);
                else fprintf(f, "%s0,0", i ? "," : "");
            }
            fprintf(f, "]");
            fprintf(f, ",["); /* of each kernel: [blocks on an SM, SMs with that many, ...] */
            for (int i = 0; i < nn; i++) {
                std::map<int, int> by, h;
                for (auto &x : v[i]) by[x.sm]++;
                for (auto &x : by) h[x.second]++;
                fprintf(f, "%s[", i ? "," : "");
                bool c = false;
                for (auto &x : h) {
                    fprintf(f, "%s%d,%d", c ? "," : "", x.first, x.second);
                    c = true;
                }
                fprintf(f, "]");
            }
            fprintf(f, "]");
            if (!blocks) return;
            fprintf(f, ",[");
            for (int i = 0; i < nn; i++) {
                fprintf(f, "%s[", i ? "," : "");
                for (size_t j = 0; j < v[i].size(); j++)
                    fprintf(f, "%s%u,%llu,%llu", j ? "," : "", v[i][j].sm, (v[i][j].s - z) / 32, (v[i][j].e - z) / 32);
                fprintf(f, "]");
            }
            fprintf(f, "]");
        };
        fprintf(f, ",\"live\":[");
        for (int r = -3; r < reps; r++) {
            h0 = now_us();
            body();
            double c = now_us();
            CHECK(cudaDeviceSynchronize());
            double b = now_us();
            if (r < 0) continue;
            fprintf(f, "%s[%.2f,%.2f,", r ? "," : "", b - h0, c - h0);
            times(false);
            fprintf(f, ",[");
            for (int i = 0; i < nn; i++) fprintf(f, "%s%.2f", i ? "," : "", hc[i]);
            fprintf(f, "]]");
        }
        fprintf(f, "],\"live_blocks\":[");
        h0 = now_us();
        body();
        CHECK(cudaDeviceSynchronize());
        times(true);
        fprintf(f, "],\"graph\":[");
        cudaGraph_t g;
        cudaGraphExec_t ge;
        CHECK(cudaStreamBeginCapture(G, cudaStreamCaptureModeThreadLocal));
        CHECK(cudaEventRecord(ev[1000], G));
        for (int s = 0; s < ns; s++) CHECK(cudaStreamWaitEvent(S[s], ev[1000], 0));
        body();
        for (int s = 0; s < ns; s++) {
            CHECK(cudaEventRecord(ev[900 + s], S[s]));
            CHECK(cudaStreamWaitEvent(G, ev[900 + s], 0));
        }
        CHECK(cudaStreamEndCapture(G, &g));
        CHECK(cudaGraphInstantiate(&ge, g, 0));
        for (int r = -3; r < reps; r++) {
            double a = now_us();
            CHECK(cudaGraphLaunch(ge, G));
            CHECK(cudaStreamSynchronize(G));
            double b = now_us();
            if (r < 0) continue;
            fprintf(f, "%s[%.2f,", r ? "," : "", b - a);
            times(false);
            fprintf(f, "]");
        }
        fprintf(f, "],\"graph_blocks\":[");
        CHECK(cudaGraphLaunch(ge, G));
        CHECK(cudaStreamSynchronize(G));
        times(true);
        fprintf(f, "]}\n");
        cudaGraphExecDestroy(ge); cudaGraphDestroy(g); fflush(f);
    }
    fclose(f); fprintf(stderr, "done %.1f s\n", (now_us() - tstart) / 1e6); return 0;
}
