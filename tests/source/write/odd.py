# SPDX-License-Identifier: GPL-3.0-or-later
"""CUDA sources in the shapes that samples and benchmark suites have, drawn by a seed: templates, macros, lambdas, namespaces, classes,
constant memory, launches through variables, checks, dynamic grids. Usage: odd.py FIRST END, into oddNNN.cu of the current folder."""
import random
import sys
KERNELS = {
 'plain': '__global__ void plain(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }',
 'tmpl': 'template <class T, int K> __global__ void tmpl(const T *in, T *out, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i] * K; }',
 'ns': 'namespace lib { namespace deep { __global__ void ns(float *__restrict__ x, const float *__restrict__ y, int n) { int i = threadIdx.x; if (i < n) x[i] = y[i]; } } }',
 'strct': 'struct Pack { float *a, *b; int n; };\n__global__ void strct(Pack p) { int i = threadIdx.x; if (i < p.n) p.a[i] = p.b[i]; }',
 'cons': '__constant__ float weights[32];\n__global__ void cons(float *x) { x[threadIdx.x] *= weights[threadIdx.x % 32]; }',
 'dev': '__device__ int counter;\n__device__ float table[64];\n__global__ void dev(float *x) { atomicAdd(&counter, 1); table[threadIdx.x % 64] = x[0]; }',
 'shared': 'extern __shared__ float dyn[];\n__global__ void __launch_bounds__(256) shared(float *x, int n) { __shared__ float s[256]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); dyn[0] = s[0]; if (threadIdx.x < n) x[threadIdx.x] = s[255 - threadIdx.x]; }',
 'warp': '__global__ void warp(float *x, float *y) { float v = x[threadIdx.x]; for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o); if (threadIdx.x % 32 == 0) atomicAdd(y, v); }',
 'many': '__device__ float helper(const float *p, int i) { return p[i] * 2; }\n__global__ void many(float *a, float *b, float *c, const float *d, int n, float s) { int i = threadIdx.x; if (i < n) { a[i] = helper(d, i); b[i] = a[i] + s; float *q = c; q[i] = b[i]; } }',
 'dbl': 'typedef double real;\n__global__ void dbl(real *x, size_t n) { size_t i = threadIdx.x; while (i < n) { x[i] = exp(x[i]); i += blockDim.x; } }',
 'two': '__global__ void two(float x[][16], int rows) { x[threadIdx.x][threadIdx.y] = rows; }',
 'tex': '__global__ void tex(cudaTextureObject_t t, float *y) { y[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); }',
 'coop': '#include <cooperative_groups.h>\n__global__ void coop(float *x) { auto g = cooperative_groups::this_grid(); g.sync(); x[0] = 1; }',
 'half': '#include <cuda_fp16.h>\n__global__ void half_(__half *x) { x[threadIdx.x] = __float2half(1.f); }',
 'fct': 'struct Op { __host__ __device__ float operator()(float v) const { return v + 1; } };\ntemplate <class F> __global__ void fct(float *x, F f) { x[threadIdx.x] = f(x[threadIdx.x]); }',
 'asm_': '__global__ void asm_(unsigned *x) { unsigned v; asm volatile("mov.u32 %0, %%laneid;" : "=r"(v)); x[threadIdx.x] = v; }',
}
LAUNCH = {
 'plain': ['plain<<<(N + 255) / 256, 256>>>({f}, N);', 'plain<<<blocks, threads>>>({f}, N);', 'CHECK_LAUNCH((plain<<<4, 64>>>({f}, N)));', 'dim3 g{u}(N / 64); plain<<<g{u}, dim3(64)>>>({f}, N);'],
 'tmpl': ['tmpl<float, 3><<<2, 128>>>({f}, {g}, N);', 'tmpl<float, 2><<<dim3(2, 1), dim3(128, 1, 1), 0>>>({f} + 16, {g}, 8);'],
 'ns': ['lib::deep::ns<<<1, 64>>>({f}, {g}, 64);', '{{ using namespace lib::deep; ns<<<1, 32>>>({f}, {g}, 32); }}'],
 'strct': ['Pack p{u} = {{{f}, {g}, 64}}; strct<<<1, 64>>>(p{u});', 'strct<<<1, 64>>>(Pack{{{f}, {g}, 64}});'],
 'cons': ['cons<<<1, 64>>>({f});'], 'dev': ['dev<<<1, 64>>>({f});', 'for (int q{u} = 0; q{u} < 2; ++q{u}) dev<<<1, 64>>>({f});'],
 'shared': ['shared<<<1, 256, 256 * sizeof(float)>>>({f}, N);', 'shared<<<1, 256, 1024, 0>>>({f}, 17);'],
 'warp': ['warp<<<1, 64>>>({f}, {g});'], 'many': ['many<<<1, 64>>>({f}, {g}, arr[0], arr[1], 64, 2.5f);'],
 'dbl': ['dbl<<<1, 64>>>((real *){f}, 32);'], 'two': ['two<<<1, dim3(4, 4)>>>((float (*)[16]){f}, 4);'],
 'tex': ['cudaTextureObject_t t{u} = 0; tex<<<1, 32>>>(t{u}, {f});'],
 'coop': ['void *ca{u}[] = {{&{f}}}; cudaLaunchCooperativeKernel((void *)coop, dim3(1), dim3(32), ca{u}, 0, 0);'],
 'half': ['half_<<<1, 32>>>((__half *){f});'], 'fct': ['fct<<<1, 32>>>({f}, Op());', 'fct<<<1, 32>>>({f}, Op{{}});'],
 'asm_': ['asm_<<<1, 32>>>((unsigned *){f});'],
}
HOST = [
 'for (int i{u} = 0; i{u} < 3; i{u}++) {{ {L} }}', 'for (int i{u} = 0; i{u} < count; ++i{u}) {{ {L} std::swap(a, b); }}',
 'if (N > 100) {{ {L} }} else {{ {M} }}', 'do {{ {L} }} while (0);', 'int w{u} = 2; while (w{u}--) {{ {L} }}',
 'switch (N % 3) {{ case 0: {{ {L} }} break; default: {{ {M} }} }}', 'if (rand() % 2) {{ {L} }}', '{{ {L} {M} }}', '{L}', '{L} {M}',
 'CHECK(cudaDeviceSynchronize());', 'cudaDeviceSynchronize();', 'CHECK(cudaMemcpy(h, a, N * sizeof(float), cudaMemcpyDeviceToHost)); total += h[3];',
 'cudaMemcpy(a, h, N * sizeof(float), cudaMemcpyHostToDevice);', 'CHECK(cudaMemcpy(b, a, 256, cudaMemcpyDeviceToDevice));', 'cudaMemset(b, 0, N);',
 'if (cudaMemcpy(h, b, 64, cudaMemcpyDeviceToHost) != cudaSuccess) return 3;', 'm[0] = 5; total += m[1];', 'printf("%f\\n", h[0]);',
 'cudaEventRecord(t0); {L} cudaEventRecord(t1); cudaEventSynchronize(t1); float ms{u}; cudaEventElapsedTime(&ms{u}, t0, t1);',
 'step(a, b, N);', 'twice(b);', 'auto lam{u} = [&](float *z) {{ plain<<<1, 32>>>(z, 32); }}; lam{u}(a);', 'void (*fp{u})(float *, int) = plain; fp{u}<<<1, 32>>>(a, 32);',
 'launch_any(plain, a, N);', 'void *args{u}[] = {{&a, (void *)&count}}; cudaLaunchKernel((const void *)plain, dim3(1), dim3(32), args{u}, 0, 0);',
 'cudaMemcpy2D(h, 64, a, 64, 64, 4, cudaMemcpyDeviceToHost);', 'float one{u}; cudaMemcpy(&one{u}, a, 4, cudaMemcpyDeviceToHost); total += one{u};',
 'std::vector<float> v{u}(64); cudaMemcpy(v{u}.data(), a, 256, cudaMemcpyDeviceToHost); total += v{u}[0];', 'try {{ {L} }} catch (...) {{ }}', 'obj.run();',
 'for (auto p{u} : {{a, b}}) {{ plain<<<1, 32>>>(p{u}, 32); }}', 'float *tmp{u}; cudaMalloc(&tmp{u}, 1024); plain<<<1, 32>>>(tmp{u}, 32); cudaFree(tmp{u});',
 'float *&ref{u} = a; plain<<<1, 32>>>(ref{u}, 32);', 'plain<<<N > 5 ? 2 : 1, 32>>>(N > 5 ? a : b, 32);', 'if (count) plain<<<1, 32>>>(a, 32); else plain<<<1, 32>>>(b, 32);',
 'cudaDeviceProp pr{u}; cudaGetDeviceProperties(&pr{u}, 0); plain<<<pr{u}.multiProcessorCount, 32>>>(a, 32);', 'LOOP2(plain<<<1, 32>>>(b, 32);)', 'goto next{u}; next{u}: ; {L}',
]
HEAD = '''#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>
#ifndef N
#define N 512
#endif
#define CHECK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define CHECK_LAUNCH(l) do { l; cudaError_t e_ = cudaGetLastError(); if (e_ != cudaSuccess) exit(2); } while (0)
#define LOOP2(...) for (int i_ = 0; i_ < 2; i_++) { __VA_ARGS__ }
'''
def gen(seed):
    r = random.Random(seed); u = [0]
    names = ['plain'] + r.sample([k for k in KERNELS if k != 'plain' and (k not in ('tex', 'coop', 'half') or r.random() < .25)], r.randint(1, 6))
    def L():
        u[0] += 1
        k = r.choice(names)
        return r.choice(LAUNCH[k]).format(f=r.choice(['a', 'b', 'arr[0]', 'arr[1]', 'm']), g=r.choice(['b', 'a', 'arr[2]', 'm']), u=u[0])
    t = HEAD + '\n'.join(KERNELS[k] for k in names) + '''
void step(float *x, float *y, int n) { plain<<<(n + 31) / 32, 32>>>(x, n); CHECK(cudaGetLastError()); plain<<<1, 32>>>(y, 32); }
template <class T> void twice(T *x) { for (int i = 0; i < 2; i++) plain<<<1, 64>>>(x, (int)sizeof(T) * 16); }
template <class K, class... A> void launch_any(K k, A... args) { k<<<1, 32>>>(args...); }
class Solver { float *x; int n; public: Solver(int n_) : n(n_) { cudaMalloc(&x, n * sizeof(float)); } ~Solver() { cudaFree(x); } void run() { plain<<<1, 64>>>(x, n); cudaDeviceSynchronize(); } };
int main(int argc, char **argv) {
    const int count = 4;
    float *a, *b, *arr[3], *m, *h, total = 0;
    dim3 blocks(2, 1, 1), threads(128);
    cudaEvent_t t0, t1;
    cudaEventCreate(&t0); cudaEventCreate(&t1);
    CHECK(cudaMalloc((void **)&a, N * sizeof(float)));
    CHECK(cudaMalloc(&b, N * sizeof(float)));
    for (int i = 0; i < 3; i++) cudaMalloc(&arr[i], N * sizeof(float));
    cudaMallocManaged(&m, N * sizeof(float));
    '''+ r.choice(['h = (float *)malloc(N * sizeof(float));', 'cudaMallocHost(&h, N * sizeof(float));', 'h = new float[N];']) + '''
    Solver obj(64);
    for (int i = 0; i < N; i++) h[i] = i;
    cudaMemcpy(a, h, N * sizeof(float), cudaMemcpyHostToDevice);
'''
    if 'cons' in names: t += '    cudaMemcpyToSymbol(weights, h, 32 * sizeof(float));\n'
    for _ in range(r.randint(4, 14)):
        u[0] += 1
        t += '    ' + r.choice(HOST).format(L=L(), M=L(), u=u[0]) + '\n'
    t += '    cudaDeviceSynchronize();\n    printf("%f %f\\n", total, m[0]);\n    cudaFree(a);\n    cudaFree(b);\n    return 0;\n}\n'
    return t
for s in range(int(sys.argv[1]), int(sys.argv[2])):
    open(f'odd{s:03}.cu', 'w').write(gen(s))
