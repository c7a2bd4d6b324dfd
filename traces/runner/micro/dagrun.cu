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
    if (k.type == "fma") fma_kernel<<<k.grid, k.block, 0, s>>>(st, dout, k.iters);
    else if (k.type == "smem") smem_kernel<<<k.grid, k.block, k.smem, s>>>(st, dout, k.iters, k.smem / 4);
    else if (k.type == "stream")
        stream_kernel<<<k.grid, k.block, 0, s>>>(st, dbuf + (long)(k.buf * 2) * BUFE,
                                                 dbuf + (long)(k.buf * 2 + 1) * BUFE,
                                                 k.elems, k.fl);
    else chase_kernel<<<k.grid, k.block, 0, s>>>(st, dchase, dout, k.iters, CH);
}
static std::vector<Stamp> fetch(long slot, int grid) { return read_stamps(dst + slot * MAXB, (size_t)grid); }
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
    CHECK(cudaFuncSetAttribute(smem_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
    cudaStream_t S[16], G;
    for (auto &s : S) CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&G, cudaStreamNonBlocking));
    std::vector<cudaEvent_t> ev(1024); for (auto &e : ev) CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    std::map<std::string, int> regs;
    {
        cudaFuncAttributes a;
        CHECK(cudaFuncGetAttributes(&a, fma_kernel));
        regs["fma"] = a.numRegs;
        CHECK(cudaFuncGetAttributes(&a, smem_kernel));
        regs["smem"] = a.numRegs;
        CHECK(cudaFuncGetAttributes(&a, stream_kernel));
        regs["stream"] = a.numRegs;
        CHECK(cudaFuncGetAttributes(&a, chase_kernel));
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
            for (int r = 0; r < 10; r++) {
                launch(k, S[0], dst);
                CHECK(cudaDeviceSynchronize());
                Stamp all = span(fetch(0, k.grid));
                if (r) d.push_back(all.end - all.start);
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
            std::vector<Stamp> all(nn);
            for (int i = 0; i < nn; i++)
                if (nd[i].k >= 0) {
                    v[i] = fetch(i, ks[nd[i].k].grid);
                    all[i] = span(v[i]);
                    z = std::min(z, all[i].start);
                }
            fprintf(f, "[");
            for (int i = 0; i < nn; i++) {
                if (nd[i].k >= 0) fprintf(f, "%s%llu,%llu", i ? "," : "", all[i].start - z, all[i].end - z);
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
                    fprintf(f, "%s%u,%llu,%llu", j ? "," : "", v[i][j].sm, (v[i][j].start - z) / 32,
                            (v[i][j].end - z) / 32);
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
