// SPDX-License-Identifier: GPL-3.0-or-later
/* pools: two kernels that wait for memory, on two streams; a third, with shared memory and so another carve-out, is
 * ready behind the first while the tail of the second is at work (as DL's second convolution on an A100). Rule probed:
 * on how many SMs does it stand, how long does it take? Prints a JSON object per run: [start, end] of the kernels in
 * ns, [blocks, SMs with that many, ...] of the third. Build: nvcc -O2 -arch=native -o pools pools.cu. Usage: pools >
 * pools.jsonl (traces/h200/vm/pools.json.gz holds the lines as a list) */
#include "micro.h"

typedef unsigned long long u64;
struct rec { u64 start, end, sm; };
__global__ void pool(const float *in, float *out, long n, int rounds, rec *r) {
    u64 a = now_ns(); float s = 0; long step = (long)gridDim.x * blockDim.x;
    for (int k = 0; k < rounds; k++)
        for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += step) s += in[i];
    if (s == 12345.f) out[0] = s;
    __syncthreads(); if (threadIdx.x == 0) r[blockIdx.x] = {a, now_ns(), sm_id()};
}
template <int BYTES> __global__ void conv(float *out, int rounds, rec *r) {
    __shared__ float buffer[BYTES / 4]; u64 a = now_ns();
    for (int i = threadIdx.x; i < BYTES / 4; i += blockDim.x) buffer[i] = i; __syncthreads();
    float s = 0;
    for (int k = 0; k < rounds; k++) {
        for (int i = 0; i < 16; i++) s = fmaf(s, 0.5f, buffer[(i * 64 + threadIdx.x + k) % (BYTES / 4)]);
    }
    if (s == 12345.f) out[0] = s;
    __syncthreads(); if (threadIdx.x == 0) r[blockIdx.x] = {a, now_ns(), sm_id()};
}
static float *in[2], *out; static rec *R[3]; static cudaStream_t S[2]; static long N = 1L << 26;
static void line(const char *what, int pools, int bytes, int rep, int np) {
    std::vector<rec> h[3]; int n[3] = {np, np, 256}; u64 t0 = ~0ull;
    for (int i = 0; i < 3; i++) {
        h[i].resize(n[i]);
        CHECK(cudaMemcpy(h[i].data(), R[i], n[i] * sizeof(rec), cudaMemcpyDeviceToHost));
        for (auto &x : h[i])
            if (x.start) t0 = std::min(t0, x.start);
    }
    printf("{\"what\":\"%s\",\"pool_blocks\":%d,\"smem\":%d,\"rep\":%d", what, pools, bytes, rep);
    const char *name[] = {"pool1", "pool2", "conv"};
    for (int i = 0; i < 3; i++) {
        if (!h[i][0].start) continue;
        u64 s = ~0ull, e = 0;
        std::vector<int> c(160, 0);
        for (auto &x : h[i]) {
            s = std::min(s, x.start);
            e = std::max(e, x.end);
            c[x.sm]++;
        }
        std::vector<int> histogram(300, 0); for (int v : c) if (v) histogram[v]++;
        printf(",\"%s\":[%llu,%llu]", name[i], s - t0, e - t0);
        if (i == 2) {
            printf(",\"blocks_on_sms\":[");
            bool f = true;
            for (int v = 1; v < 300; v++)
                if (histogram[v]) {
                    printf("%s%d,%d", f ? "" : ",", v, histogram[v]);
                    f = false;
                }
            printf("]");
        }
    }
    printf("}\n");
}
template <int BYTES> static void all(int np) {
    for (int rep = -1; rep < 20; rep++) for (int mode = 0; mode < 3; mode++) {
        for (int i = 0; i < 3; i++) CHECK(cudaMemset(R[i], 0, 8192 * sizeof(rec)));
        CHECK(cudaDeviceSynchronize());
        if (mode == 0) conv<BYTES><<<256, 64, 0, S[0]>>>(out, 20000, R[2]);           // alone
        if (mode >= 1) pool<<<np, 64, 0, S[0]>>>(in[0], out, N, 6, R[0]);
        if (mode >= 1) pool<<<np, 64, 0, S[1]>>>(in[1], out, N, 6, R[1]);
        if (mode == 1) conv<BYTES><<<256, 64, 0, S[0]>>>(out, 20000, R[2]);           // behind the first
        if (mode == 2) conv<BYTES><<<256, 64, 0, S[1]>>>(out, 20000, R[2]);           // behind the second
        CHECK(cudaDeviceSynchronize());
        if (rep >= 0) line(mode == 0 ? "alone" : mode == 1 ? "behind first" : "behind second", np, BYTES, rep, np);
    }
}
int main() {
    for (auto &p : in) {
        CHECK(cudaMalloc(&p, N * 4));
        CHECK(cudaMemset(p, 0, N * 4));
    }
    CHECK(cudaMalloc(&out, 256));
    for (auto &r : R) CHECK(cudaMalloc(&r, 8192 * sizeof(rec)));
    for (auto &s : S) CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    for (int np : {4224, 4608, 5008, 6000, 7000}) { all<64>(np); all<1024>(np); all<4608>(np); }
    return 0;
}
