// SPDX-License-Identifier: GPL-3.0-or-later
// ML: KeSCo's annotation: how many arguments a kernel writes, which come first.
#define PROGRAM "../../../examples/cuda/ml.cu"
#include "../kesco_program.h"

__global__ void rr_1(int outputs, float *z, const int *x, int n, int features) { kernels::rr_1(x, z, n, features); }
__global__ void nb_1(int outputs, float *r1, const int *x, const float *log_prob, int n, int features, int classes)
    { kernels::nb_1(x, log_prob, r1, n, features, classes); }
__global__ void rr_2(int outputs, float *r2, const float *z, const float *coefficients, int n, int features,
        int classes)
    { kernels::rr_2(z, coefficients, r2, n, features, classes); }
__global__ void nb_2(int outputs, float *most, const float *r1, int n, int classes)
    { kernels::nb_2(r1, most, n, classes); }
__global__ void nb_3(int outputs, float *l, const float *r1, const float *most, int n, int classes)
    { kernels::nb_3(r1, most, l, n, classes); }
__global__ void rr_3(int outputs, float *r2, const float *intercept, int n, int classes)
    { kernels::rr_3(r2, intercept, n, classes); }
__global__ void nb_4(int outputs, float *r1, const float *l, int n, int classes) { kernels::nb_4(r1, l, n, classes); }
__global__ void softmax(int outputs, float *r, int n, int classes) { kernels::softmax(r, n, classes); }
__global__ void argmax(int outputs, int *r, const float *r1, const float *r2, int n, int classes)
    { kernels::argmax(r1, r2, r, n, classes); }

void run()
{
    rr_1<<<BLOCKS, THREADS>>>(1, z, x, N, FEATURES);
    cudaDeviceSynchronize();
    nb_1<<<BLOCKS, THREADS>>>(1, r1, x, log_prob, N, FEATURES, CLASSES);
    cudaDeviceSynchronize();
    rr_2<<<BLOCKS, THREADS>>>(1, r2, z, coefficients, N, FEATURES, CLASSES);
    cudaDeviceSynchronize();
    nb_2<<<BLOCKS, THREADS>>>(1, most, r1, N, CLASSES);
    cudaDeviceSynchronize();
    nb_3<<<BLOCKS, THREADS>>>(1, l, r1, most, N, CLASSES);
    cudaDeviceSynchronize();
    rr_3<<<BLOCKS, THREADS>>>(1, r2, intercept, N, CLASSES);
    cudaDeviceSynchronize();
    nb_4<<<BLOCKS, THREADS>>>(1, r1, l, N, CLASSES);
    cudaDeviceSynchronize();
    softmax<<<BLOCKS, THREADS>>>(1, r1, N, CLASSES);
    cudaDeviceSynchronize();
    softmax<<<BLOCKS, THREADS>>>(1, r2, N, CLASSES);
    cudaDeviceSynchronize();
    argmax<<<BLOCKS, THREADS>>>(1, r, r1, r2, N, CLASSES);
    cudaDeviceSynchronize();
}
