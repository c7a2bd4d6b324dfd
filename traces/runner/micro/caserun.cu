/* SPDX-License-Identifier: GPL-3.0-or-later
 * caserun: runs small concurrency cases on a real GPU and records when and where every block ran.
 * Rules probed (the case list says which): how one SM's issue slots are shared by unlike blocks (order of age or fair), what an arriving kernel
 * gets on a full machine, mixed carve-outs and block sizes (does a later kernel overtake a blocked one), memory with memory and with dependent
 * loads, priorities, false dependences between streams, and host-bound DAGs launched live, on one stream, synchronised, and as a graph.
 * Every block stamps %smid and %globaltimer at entry and exit. Usage: caserun cases.txt out.json
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
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
typedef unsigned long long u64;
struct Stamp { u64 s, e; unsigned sm, pad; };
__device__ __forceinline__ u64 now() { u64 t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); return t; }
__device__ __forceinline__ unsigned smid() { unsigned t; asm volatile("mov.u32 %0, %%smid;" : "=r"(t)); return t; }
#define ENTER u64 t0 = 0; if (threadIdx.x == 0) t0 = now()
#define LEAVE __syncthreads(); if (threadIdx.x == 0 && st) { Stamp x; x.s = t0; x.e = now(); x.sm = smid(); x.pad = 0; st[blockIdx.x] = x; }
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
        for (int f = 0; f < fl; f++) { v.x = v.x * 0.999f + 0.5f; v.y = v.y * 0.999f + 0.5f; v.z = v.z * 0.999f + 0.5f; v.w = v.w * 0.999f + 0.5f; }
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
__global__ void k_gate(volatile int *flag) { while (!*flag) __nanosleep(100); }
struct K { std::string type; int grid, block, smem, iters; long elems; int fl, buf; int regs; double flops, bytes; double solo; };
static std::vector<K> ks; static std::vector<Stamp *> dst_pool; static float *dout; static unsigned *dchase; static float4 *dbuf; static const unsigned CH = 1u << 24;
static const long BUFE = 1l << 24; static volatile int *hflag; static int *dflag; static Stamp *dst; static const int MAXB = 4096, MAXK = 256;
static void launch(const K &k, cudaStream_t s, Stamp *st) {
    if (k.type == "fma") k_fma<<<k.grid, k.block, 0, s>>>(st, dout, k.iters);
    else if (k.type == "smem") k_smem<<<k.grid, k.block, k.smem, s>>>(st, dout, k.iters, k.smem / 4);
    else if (k.type == "stream") k_stream<<<k.grid, k.block, 0, s>>>(st, dbuf + (long)(k.buf * 2) * BUFE, dbuf + (long)(k.buf * 2 + 1) * BUFE, k.elems, k.fl);
    else k_chase<<<k.grid, k.block, 0, s>>>(st, dchase, dout, k.iters, CH);
}
static void fetch(int slot, int grid, std::vector<Stamp> &v) { v.resize(grid); CK(cudaMemcpy(v.data(), dst + (long)slot * MAXB, sizeof(Stamp) * grid, cudaMemcpyDeviceToHost)); }
static double med(std::vector<double> v) { std::sort(v.begin(), v.end()); return v[v.size() / 2]; }
static double us() { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
static void span(const std::vector<Stamp> &v, u64 &s, u64 &e) { s = ~0ull; e = 0; for (auto &x : v) { s = std::min(s, x.s); e = std::max(e, x.e); } }
static void kjson(FILE *f, const K &k) {
    fprintf(f, "{\"type\":\"%s\",\"grid\":%d,\"block\":%d,\"smem\":%d,\"regs\":%d,\"iters\":%d,\"elems\":%ld,\"fl\":%d,\"flops\":%.0f,\"dram_bytes\":%.0f,\"buf\":%d,\"solo_ns\":%.0f}",
            k.type.c_str(), k.grid, k.block, k.smem, k.regs, k.iters, k.elems, k.fl, k.flops, k.bytes, k.buf, k.solo);
}
struct Node { int stream, k; std::vector<int> dep; };
int main(int argc, char **argv) {
    if (argc < 3) return 2;
    int lo, hi; CK(cudaDeviceGetStreamPriorityRange(&lo, &hi));
    CK(cudaMalloc(&dst, sizeof(Stamp) * (long)MAXB * MAXK)); CK(cudaMalloc(&dout, 1024)); CK(cudaMalloc(&dchase, 4l * CH)); CK(cudaMalloc(&dbuf, 16l * BUFE * 48));
    CK(cudaMemset(dbuf, 0, 16l * BUFE * 48));
    { std::vector<unsigned> p(CH); for (unsigned i = 0; i < CH; i++) p[i] = i; std::mt19937 g(7); for (unsigned i = CH - 1; i > 0; i--) { unsigned j = g() % i; std::swap(p[i], p[j]); } CK(cudaMemcpy(dchase, p.data(), 4l * CH, cudaMemcpyHostToDevice)); }
    CK(cudaHostAlloc((void **)&hflag, 4, cudaHostAllocMapped)); CK(cudaHostGetDevicePointer((void **)&dflag, (void *)hflag, 0));
    CK(cudaFuncSetAttribute(k_smem, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
    cudaStream_t S[40], H[2], G; for (auto &s : S) CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking)); CK(cudaStreamCreateWithFlags(&G, cudaStreamNonBlocking));
    for (int i = 0; i < 2; i++) CK(cudaStreamCreateWithPriority(&H[i], cudaStreamNonBlocking, hi));
    std::vector<cudaEvent_t> ev(1024); for (auto &e : ev) CK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    std::map<std::string, int> regs; { cudaFuncAttributes a; CK(cudaFuncGetAttributes(&a, k_fma)); regs["fma"] = a.numRegs; CK(cudaFuncGetAttributes(&a, k_smem)); regs["smem"] = a.numRegs;
        CK(cudaFuncGetAttributes(&a, k_stream)); regs["stream"] = a.numRegs; CK(cudaFuncGetAttributes(&a, k_chase)); regs["chase"] = a.numRegs; }
    FILE *in = fopen(argv[1], "r"), *f = fopen(argv[2], "w"); char line[1 << 16];
    fprintf(f, "{\"device\":\"NVIDIA H200\",\"sms\":132,\n\"cases\":[\n"); bool first = true; double tstart = us();
    while (fgets(line, sizeof line, in)) {
        std::vector<char *> t; for (char *p = strtok(line, " \n"); p; p = strtok(0, " \n")) t.push_back(p);
        if (t.empty() || t[0][0] == '#') continue;
        if (us() - tstart > 230e6) break;
        if (!strcmp(t[0], "K")) {   /* K type grid block smem iters elems fl buf */
            K k; k.type = t[1]; k.grid = atoi(t[2]); k.block = atoi(t[3]); k.smem = atoi(t[4]); k.iters = atoi(t[5]); k.elems = atol(t[6]); k.fl = atoi(t[7]); k.buf = atoi(t[8]); k.regs = regs[k.type];
            k.flops = k.type == "fma" ? 8.0 * k.grid * k.block * k.iters : 8.0 * k.elems * k.fl; k.bytes = 32.0 * k.elems;
            std::vector<double> d; std::vector<Stamp> v; for (int r = 0; r < 8; r++) { launch(k, S[0], dst); CK(cudaDeviceSynchronize()); fetch(0, k.grid, v); u64 s, e; span(v, s, e); if (r) d.push_back(e - s); }
            k.solo = med(d); ks.push_back(k);
        } else if (!strcmp(t[0], "P")) {   /* P tag kA kB mode(0 gated,1 delay) delay_us trace(0/1/2) prio(0/1) */
            const K &a = ks[atoi(t[2])], &b = ks[atoi(t[3])]; int mode = atoi(t[4]); double delay = atof(t[5]); int trace = atoi(t[6]), prio = atoi(t[7]); cudaStream_t sa = S[0], sb = prio ? H[0] : S[1];
            struct R { double span, as, ae, bs, be; std::vector<Stamp> va, vb; u64 z; }; std::vector<R> rs; int reps = trace == 2 ? 2 : 9;
            for (int r = 0; r < reps; r++) {
                if (mode == 0) {
                    *hflag = 0; k_gate<<<1, 1, 0, G>>>(dflag); CK(cudaEventRecord(ev[0], G)); CK(cudaStreamWaitEvent(sa, ev[0], 0)); CK(cudaStreamWaitEvent(sb, ev[0], 0));
                    launch(a, sa, dst); launch(b, sb, dst + MAXB); double w = us(); while (us() - w < 30) {} *hflag = 1;
                } else { launch(a, sa, dst); double w = us(); while (us() - w < delay) {} launch(b, sb, dst + MAXB); }
                CK(cudaDeviceSynchronize()); R x; fetch(0, a.grid, x.va); fetch(1, b.grid, x.vb); u64 s1, e1, s2, e2; span(x.va, s1, e1); span(x.vb, s2, e2); u64 z = std::min(s1, s2);
                x.z = z; x.as = s1 - z; x.ae = e1 - z; x.bs = s2 - z; x.be = e2 - z; x.span = std::max(x.ae, x.be); rs.push_back(x);
            }
            std::sort(rs.begin(), rs.end(), [](const R &p, const R &q) { return p.span < q.span; }); const R &x = rs[rs.size() / 2];
            fprintf(f, "%s{\"kind\":\"%s\",\"tag\":\"%s\",\"delay_us\":%g,\"span\":%.0f,\"min\":%.0f,\"max\":%.0f,\"a_start\":%.0f,\"a_end\":%.0f,\"b_start\":%.0f,\"b_end\":%.0f,\"a\":", first ? "" : ",\n", prio ? "priority" : mode ? "arrival" : "pair", t[1], delay,
                    x.span, rs[0].span, rs.back().span, x.as, x.ae, x.bs, x.be); first = false; kjson(f, a); fprintf(f, ",\"b\":"); kjson(f, b);
            fprintf(f, ",\"all\":["); for (size_t i = 0; i < rs.size(); i++) fprintf(f, "%s[%.0f,%.0f,%.0f,%.0f]", i ? "," : "", rs[i].as, rs[i].ae, rs[i].bs, rs[i].be); fprintf(f, "]");
            if (trace) for (int w = 0; w < 2; w++) { const auto &v = w ? x.vb : x.va; fprintf(f, ",\"blocks_%s\":[", w ? "b" : "a"); bool c = false; for (auto &q : v) { if (trace == 2 && q.sm % 44 > 1) continue; fprintf(f, "%s[%u,%llu,%llu]", c ? "," : "", q.sm, q.s - x.z, q.e - x.z); c = true; } fprintf(f, "]"); }
            fprintf(f, "}");
        } else if (!strcmp(t[0], "C")) {   /* C kA kB delay_us: may B's blocks join A's on an SM? only starts and ends, median of 3 by B's start */
            const K &a = ks[atoi(t[1])], &b = ks[atoi(t[2])]; double delay = atof(t[3]); std::vector<std::vector<double>> rs;
            for (int r = 0; r < 3; r++) { launch(a, S[0], dst); double w = us(); while (us() - w < delay) {} launch(b, S[1], dst + MAXB); CK(cudaDeviceSynchronize()); std::vector<Stamp> va, vb; fetch(0, a.grid, va); fetch(1, b.grid, vb); u64 s1, e1, s2, e2; span(va, s1, e1); span(vb, s2, e2); u64 z = std::min(s1, s2); rs.push_back({(double)(s2 - z), (double)(e1 - z), (double)(e2 - z)}); }
            std::sort(rs.begin(), rs.end()); fprintf(f, "%s{\"kind\":\"join\",\"a\":[\"%s\",%d,%d,%d],\"b\":[\"%s\",%d,%d,%d],\"b_start\":%.0f,\"a_end\":%.0f,\"b_end\":%.0f}", first ? "" : ",\n", a.type.c_str(), a.grid, a.block, a.smem, b.type.c_str(), b.grid, b.block, b.smem, rs[1][0], rs[1][1], rs[1][2]); first = false;
        } else if (!strcmp(t[0], "S")) {   /* S nstreams k : every stream runs k twice, second waits nothing; start/end by kernel */
            int n = atoi(t[1]); const K &k = ks[atoi(t[2])]; for (int r = 0; r < 2; r++) { for (int i = 0; i < n; i++) launch(k, S[i], dst + (long)(2 * i) * MAXB), launch(k, S[i], dst + (long)(2 * i + 1) * MAXB); CK(cudaDeviceSynchronize()); }
            fprintf(f, "%s{\"kind\":\"streams\",\"n\":%d,\"k\":", first ? "" : ",\n", n); first = false; kjson(f, k); fprintf(f, ",\"runs\":["); u64 z = ~0ull; std::vector<std::pair<u64, u64>> q; for (int i = 0; i < 2 * n; i++) { std::vector<Stamp> v; fetch(i, k.grid, v); u64 s, e; span(v, s, e); q.push_back({s, e}); z = std::min(z, s); }
            for (int i = 0; i < 2 * n; i++) fprintf(f, "%s[%llu,%llu]", i ? "," : "", q[i].first - z, q[i].second - z); fprintf(f, "]}");
        } else if (!strcmp(t[0], "D")) {   /* D tag nstreams nnodes, then lines: stream k ndep deps... */
            std::string tag = t[1]; int ns = atoi(t[2]), nn = atoi(t[3]); std::vector<Node> nd(nn);
            for (auto &q : nd) { if (!fgets(line, sizeof line, in)) return 3; char *p = line; q.stream = strtol(p, &p, 10); q.k = strtol(p, &p, 10); int c = strtol(p, &p, 10); while (c--) q.dep.push_back(strtol(p, &p, 10)); }
            std::vector<char> rec(nn, 0); for (auto &q : nd) for (int d : q.dep) if (nd[d].stream != q.stream) rec[d] = 1;
            auto body = [&](int ) { for (int i = 0; i < nn; i++) { auto &q = nd[i]; for (int d : q.dep) if (nd[d].stream != q.stream) CK(cudaStreamWaitEvent(S[q.stream], ev[d], 0)); launch(ks[q.k], S[q.stream], dst + (long)i * MAXB); if (rec[i]) CK(cudaEventRecord(ev[i], S[q.stream])); } };
            std::vector<double> live, serial, sync, graph, call; std::vector<u64> bs(nn), be(nn);
            for (int r = 0; r < 10; r++) { double a = us(); body(0); double c = us(); CK(cudaDeviceSynchronize()); double b = us(); if (r) live.push_back(b - a), call.push_back(c - a); }
            auto getse = [&](std::vector<u64> &s, std::vector<u64> &e) { u64 z = ~0ull; for (int i = 0; i < nn; i++) { std::vector<Stamp> v; fetch(i, ks[nd[i].k].grid, v); span(v, s[i], e[i]); z = std::min(z, s[i]); } for (int i = 0; i < nn; i++) s[i] -= z, e[i] -= z; };
            getse(bs, be);
            for (int r = 0; r < 8; r++) { double a = us(); for (int i = 0; i < nn; i++) launch(ks[nd[i].k], S[0], dst + (long)i * MAXB); CK(cudaDeviceSynchronize()); double b = us(); if (r) serial.push_back(b - a); }
            for (int r = 0; r < 6; r++) { double a = us(); for (int i = 0; i < nn; i++) { launch(ks[nd[i].k], S[0], dst + (long)i * MAXB); CK(cudaStreamSynchronize(S[0])); } double b = us(); if (r) sync.push_back(b - a); }
            cudaGraph_t g; cudaGraphExec_t ge; CK(cudaStreamBeginCapture(G, cudaStreamCaptureModeThreadLocal)); CK(cudaEventRecord(ev[1000], G)); for (int s = 0; s < ns; s++) CK(cudaStreamWaitEvent(S[s], ev[1000], 0)); body(0);
            for (int s = 0; s < ns; s++) { CK(cudaEventRecord(ev[900 + s], S[s])); CK(cudaStreamWaitEvent(G, ev[900 + s], 0)); } CK(cudaStreamEndCapture(G, &g)); CK(cudaGraphInstantiate(&ge, g, 0));
            for (int r = 0; r < 8; r++) { double a = us(); CK(cudaGraphLaunch(ge, G)); CK(cudaStreamSynchronize(G)); double b = us(); if (r) graph.push_back(b - a); } std::vector<u64> gs(nn), gE(nn); getse(gs, gE); cudaGraphExecDestroy(ge); cudaGraphDestroy(g);
            fprintf(f, "%s{\"kind\":\"dag\",\"tag\":\"%s\",\"streams\":%d,\"live_us\":%.2f,\"live_min_us\":%.2f,\"live_max_us\":%.2f,\"call_us\":%.2f,\"serial_us\":%.2f,\"sync_us\":%.2f,\"graph_us\":%.2f,\"nodes\":[", first ? "" : ",\n", tag.c_str(), ns, med(live), *std::min_element(live.begin(), live.end()), *std::max_element(live.begin(), live.end()), med(call), med(serial), med(sync), med(graph)); first = false;
            for (int i = 0; i < nn; i++) { fprintf(f, "%s{\"stream\":%d,\"dep\":[", i ? "," : "", nd[i].stream); for (size_t j = 0; j < nd[i].dep.size(); j++) fprintf(f, "%s%d", j ? "," : "", nd[i].dep[j]); fprintf(f, "],\"start\":%llu,\"end\":%llu,\"gstart\":%llu,\"gend\":%llu,\"kernel\":", bs[i], be[i], gs[i], gE[i]); kjson(f, ks[nd[i].k]); fprintf(f, "}"); }
            fprintf(f, "]}");
        }
    }
    fprintf(f, "\n],\n\"solo\":[\n"); for (size_t i = 0; i < ks.size(); i++) { kjson(f, ks[i]); fprintf(f, i + 1 < ks.size() ? ",\n" : "\n"); } fprintf(f, "]}\n"); fclose(f);
    fprintf(stderr, "done %.1f s\n", (us() - tstart) / 1e6); return 0;
}
