/* SPDX-License-Identifier: GPL-3.0-or-later
 * dagrun: DAGs of kernels and copies on a real GPU, live and as a graph, many repetitions of each: makespans, host time
 * of each launch's return, each kernel's first start and last end, on how many SMs it had how many blocks; of one
 * repetition each block's SM, start and end. Usage: dagrun dags.txt out.json REPETITIONS; recorded_dags.py and
 * draw_dags.py write dags.txt. A line K is a kernel: type, grid, block, shared memory, iterations, elements, FMAs per
 * component, buffer. D NAME STREAMS NODES is followed by a line per node: stream, kernel, how many nodes it waits for,
 * which. A negative kernel is a copy.
 */
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <map>
#include <algorithm>
#include <random>
#include <chrono>
#define CK(x)                                                                                                          \
    do {                                                                                                               \
        cudaError_t e_ = (x);                                                                                          \
        if (e_ != cudaSuccess) {                                                                                       \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));                                 \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
typedef unsigned long long u64;
struct Stamp { u64 s, e; unsigned sm, pad; };
__device__ __forceinline__ u64 now() { u64 t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); return t; }
__device__ __forceinline__ unsigned smid() { unsigned t; asm volatile("mov.u32 %0, %%smid;" : "=r"(t)); return t; }
#define ENTER u64 t0 = 0; if (threadIdx.x == 0) t0 = now()
#define LEAVE                                                                                                          \
    __syncthreads();                                                                                                   \
    if (threadIdx.x == 0 && st) {                                                                                      \
        Stamp x;                                                                                                       \
        x.s = t0;                                                                                                      \
        x.e = now();                                                                                                   \
        x.sm = smid();                                                                                                 \
        x.pad = 0;                                                                                                     \
        st[blockIdx.x] = x;                                                                                            \
    }
__global__ void k_fma(Stamp *st, float *out, int iters) {
    ENTER; float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3; const float x = 0.999f, y = 0.5f;
    for (int i = 0; i < iters; i++) { a = a * x + y; b = b * x + y; c = c * x + y; d = d * x + y; }
    if (a + b + c + d == 12345.678f) out[0] = a;
    LEAVE
}
__global__ void k_smem(Stamp *st, float *out, int iters, int words) {
    extern __shared__ unsigned sh[]; ENTER;
    for (int i = threadIdx.x; i < words; i += blockDim.x) sh[i] = i * 2654435761u;
    __syncthreads(); unsigned p = threadIdx.x, acc = 0;
    for (int i = 0; i < iters; i++) { unsigned v = sh[p % words]; acc += v; p = v + acc; }
    if (acc == 123456789u) out[0] = acc;
    LEAVE
}
__global__ void k_stream(Stamp *st, const float4 *in, float4 *o, long n, int fl) {
    ENTER; long step = (long)gridDim.x * blockDim.x;
    for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        float4 v = in[i];
        for (int f = 0; f < fl; f++) {
            v.x = v.x * 0.999f + 0.5f;
            v.y = v.y * 0.999f + 0.5f;
            v.z = v.z * 0.999f + 0.5f;
            v.w = v.w * 0.999f + 0.5f;
        }
        o[i] = v;
    }
    LEAVE
}
__global__ void k_chase(Stamp *st, const unsigned *p, float *out, int iters, unsigned n) {
    ENTER; unsigned i = (unsigned)(((u64)(blockIdx.x * blockDim.x + threadIdx.x) * 2654435761ull) % n);
    for (int k = 0; k < iters; k++) i = p[i];
    if (i == 0xffffffffu) out[0] = i;
    LEAVE
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
    CK(cudaMemcpy(v.data(), dst + (long)slot * MAXB, sizeof(Stamp) * grid, cudaMemcpyDeviceToHost));
}
static double med(std::vector<double> v) { std::sort(v.begin(), v.end()); return v[v.size() / 2]; }
static double us()
{
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
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
    CK(cudaMalloc(&dst, sizeof(Stamp) * (long)MAXB * MAXK));
    CK(cudaMalloc(&dout, 1024));
    CK(cudaMalloc(&dchase, 4l * CH));
    CK(cudaMalloc(&dbuf, 16l * BUFE * 48));
    CK(cudaMemset(dbuf, 0, 16l * BUFE * 48));
    {
        std::vector<unsigned> p(CH);
        for (unsigned i = 0; i < CH; i++) p[i] = i;
        std::mt19937 g(7);
        for (unsigned i = CH - 1; i > 0; i--) {
            unsigned j = g() % i;
            std::swap(p[i], p[j]);
        }
        CK(cudaMemcpy(dchase, p.data(), 4l * CH, cudaMemcpyHostToDevice));
    }
    char *hcopy, *dcopy; CK(cudaMallocHost(&hcopy, 128l << 20)); CK(cudaMalloc(&dcopy, 128l << 20));
    CK(cudaFuncSetAttribute(k_smem, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
    cudaStream_t S[16], G;
    for (auto &s : S) CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CK(cudaStreamCreateWithFlags(&G, cudaStreamNonBlocking));
    std::vector<cudaEvent_t> ev(1024); for (auto &e : ev) CK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    std::map<std::string, int> regs;
    {
        cudaFuncAttributes a;
        CK(cudaFuncGetAttributes(&a, k_fma));
        regs["fma"] = a.numRegs;
        CK(cudaFuncGetAttributes(&a, k_smem));
        regs["smem"] = a.numRegs;
        CK(cudaFuncGetAttributes(&a, k_stream));
        regs["stream"] = a.numRegs;
        CK(cudaFuncGetAttributes(&a, k_chase));
        regs["chase"] = a.numRegs;
    }
    FILE *in = fopen(argv[1], "r"), *f = fopen(argv[2], "w"); char line[1 << 16]; double tstart = us();
    while (fgets(line, sizeof line, in)) {
        std::vector<char *> t; for (char *p = strtok(line, " \n"); p; p = strtok(0, " \n")) t.push_back(p);
        if (t.empty() || t[0][0] == '#') continue;
        if (us() - tstart > 90e6) { fprintf(stderr, "out of time\n"); break; }
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
                CK(cudaDeviceSynchronize());
                fetch(0, k.grid, v);
                u64 s, e;
                span(v, s, e);
                if (r) d.push_back(e - s);
            }
            k.solo = med(d);
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
                    if (nd[d].stream != q.stream) CK(cudaStreamWaitEvent(S[q.stream], ev[d], 0));
                if (q.k >= 0) launch(ks[q.k], S[q.stream], dst + (long)i * MAXB);
                else {
                    long b = -q.k;
                    bool h2d = b & 1;
                    b /= 2;
                    CK(cudaMemcpyAsync(h2d ? dcopy : hcopy, h2d ? hcopy : dcopy, b,
                                       h2d ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, S[q.stream]));
                }
                hc[i] = us() - h0;
                if (rec[i]) CK(cudaEventRecord(ev[i], S[q.stream]));
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
            h0 = us();
            body();
            double c = us();
            CK(cudaDeviceSynchronize());
            double b = us();
            if (r < 0) continue;
            fprintf(f, "%s[%.2f,%.2f,", r ? "," : "", b - h0, c - h0);
            times(false);
            fprintf(f, ",[");
            for (int i = 0; i < nn; i++) fprintf(f, "%s%.2f", i ? "," : "", hc[i]);
            fprintf(f, "]]");
        }
        fprintf(f, "],\"live_blocks\":[");
        h0 = us();
        body();
        CK(cudaDeviceSynchronize());
        times(true);
        fprintf(f, "],\"graph\":[");
        cudaGraph_t g;
        cudaGraphExec_t ge;
        CK(cudaStreamBeginCapture(G, cudaStreamCaptureModeThreadLocal));
        CK(cudaEventRecord(ev[1000], G));
        for (int s = 0; s < ns; s++) CK(cudaStreamWaitEvent(S[s], ev[1000], 0));
        body();
        for (int s = 0; s < ns; s++) {
            CK(cudaEventRecord(ev[900 + s], S[s]));
            CK(cudaStreamWaitEvent(G, ev[900 + s], 0));
        }
        CK(cudaStreamEndCapture(G, &g));
        CK(cudaGraphInstantiate(&ge, g, 0));
        for (int r = -3; r < reps; r++) {
            double a = us();
            CK(cudaGraphLaunch(ge, G));
            CK(cudaStreamSynchronize(G));
            double b = us();
            if (r < 0) continue;
            fprintf(f, "%s[%.2f,", r ? "," : "", b - a);
            times(false);
            fprintf(f, "]");
        }
        fprintf(f, "],\"graph_blocks\":[");
        CK(cudaGraphLaunch(ge, G));
        CK(cudaStreamSynchronize(G));
        times(true);
        fprintf(f, "]}\n");
        cudaGraphExecDestroy(ge); cudaGraphDestroy(g); fflush(f);
    }
    fclose(f); fprintf(stderr, "done %.1f s\n", (us() - tstart) / 1e6); return 0;
}
