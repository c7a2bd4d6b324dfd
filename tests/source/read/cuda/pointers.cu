// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels that use pointers in as many ways; what each reads and writes is in test_pointers.sh, worked out by hand.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
struct P { float a, b; };
struct C { float f; __device__ C(float g) : f(g) {} __device__ C &operator+=(const C &o) { f += o.f; return *this; } };
struct V {
    float *p;
    __device__ float &operator[](int i) { return p[i]; }
    __device__ float get(int i) const { return p[i]; }
};
union U { float *p; unsigned long long n; };
__device__ float *pointer;
__device__ void elsewhere(float *x);
__device__ float &at(float *x, int i) { return x[i]; }
__device__ void set(float &to, const float &from) { to = from; }
__device__ void fill(float *x, int i) { x[i] = 1; }
__device__ float get(const V &v, int i) { return v.p[i]; }
template <class T> __device__ void put(T *x, int i, T v) { x[i] = v; }
#define KERNEL(name) __global__ void name(float *x, float *y, unsigned long long n, int i)
KERNEL(vector) { reinterpret_cast<float4 *>(x)[i] = make_float4(1, 2, 3, 4); }
KERNEL(copied) { P p = ((P *)y)[i]; ((P *)x)[i] = p; }
KERNEL(braced) { ((P *)x)[i] = {y[i], 1}; }
KERNEL(added) { ((C *)x)[i] += C(2); }
KERNEL(referred) { float &r = x[i]; r = 1; }
KERNEL(constant) { const float &r = x[i]; y[i] = r; }
KERNEL(halves) { ((__half *)x)[i] = __float2half(1.f); }
KERNEL(chosen) { float *p = i & 1 ? x : y; *p = 1; }
KERNEL(returned) { at(x, i) = y[i]; }
KERNEL(by_reference) { set(x[i], y[i]); }
KERNEL(viewed) { V v{x}; v[i] = 1; }
KERNEL(view_passed) { V v = {x}; y[i] = get(v, i) + v.get(1); }
KERNEL(lambda) { auto f = [&](int j) { x[j] = 1; }; f(i); }
KERNEL(instance) { put(x, i, y[i]); }
KERNEL(atomic) { atomicAdd(x, y[i]); }
KERNEL(stepped) { float *p = x + i; *p++ = 1; }
KERNEL(listed) { float *p[2] = {x, y}; p[i & 1][i] = 1; }
// A condition alone reads its memory.
KERNEL(asked) { if (*y) x[i] += 1; }
KERNEL(waited) { while (*(volatile float *)y) x[i] += 1; }
KERNEL(switched) { switch (((int *)y)[i]) case 1: x[i] += 1; }
KERNEL(until) { do x[i] += 1; while (at(y, i)); }
KERNEL(compared) { for (; y[i];) x[i] += 1; }
KERNEL(met) { if (int k = ((int *)y)[i]) x[k] = 1; }
KERNEL(number) { ((float *)n)[i] = 1; }
KERNEL(loaded) { (*(float **)x)[i] = 1; }
KERNEL(punned) { U u; u.n = n; u.p[i] = 1; }
KERNEL(stored) { asm volatile("st.global.f32 [%0], %1;" ::"l"(x), "f"(1.f)); }
KERNEL(lane) { int l; asm("mov.u32 %0, %laneid;" : "=r"(l)); y[l] = 1; }
KERNEL(far) { elsewhere(x); }
KERNEL(global) { pointer[i] = y[i]; }
KERNEL(child) { lane<<<1, 32>>>(x, y, n, i); }
KERNEL(called) { void (*f)(float *, int) = fill; f(x, i); }
KERNEL(broken) { x[i] = nosuch(y[i]); }
KERNEL(unused) { if (n) return; }
int main()
{
    float *x, *y;
    cudaMalloc(&x, 4096);
    cudaMalloc(&y, 4096);
#define LAUNCH(name) name<<<1, 32>>>(x, y, 0, 1);
    LAUNCH(vector) LAUNCH(copied) LAUNCH(braced) LAUNCH(added) LAUNCH(referred) LAUNCH(constant) LAUNCH(halves)
    LAUNCH(chosen) LAUNCH(returned) LAUNCH(by_reference) LAUNCH(viewed) LAUNCH(view_passed) LAUNCH(lambda)
    LAUNCH(instance) LAUNCH(atomic) LAUNCH(stepped) LAUNCH(listed) LAUNCH(number) LAUNCH(loaded) LAUNCH(punned)
    LAUNCH(stored) LAUNCH(lane) LAUNCH(far) LAUNCH(global) LAUNCH(child) LAUNCH(called) LAUNCH(broken) LAUNCH(unused)
    LAUNCH(asked) LAUNCH(waited) LAUNCH(switched) LAUNCH(until) LAUNCH(compared) LAUNCH(met)
    return 0;
}
