// SPDX-License-Identifier: GPL-3.0-or-later
// ML: ridge regression and naive Bayes on the same rows, two chains that meet in argmax.
#include "support.h"
#ifndef N
#define N 4096
#endif
#define FEATURES 200
#define CLASSES  10
#define BLOCKS   256
#define THREADS  32

__global__ void rr_1(const int *x, float *z, int n, int features)
{
    for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < features; j += blockDim.x * gridDim.x) {
        float sum = 0, squares = 0;
        for (int i = 0; i < n; i++) {
            float value = x[i * features + j];
            sum += value;
            squares += value * value;
        }
        float mean = sum / n, deviation = sqrtf(squares / n - mean * mean);
        for (int i = 0; i < n; i++) z[i * features + j] = (x[i * features + j] - mean) / deviation;
    }
}

__global__ void nb_1(const int *x, const float *log_prob, float *r1, int n, int features, int classes)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        for (int j = 0; j < classes; j++)
            for (int q = 0; q < features; q++) r1[i * classes + j] += log_prob[j * features + q] * x[i * features + q];
}

__global__ void rr_2(const float *z, const float *coefficients, float *r2, int n, int features, int classes)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        for (int j = 0; j < classes; j++)
            for (int q = 0; q < features; q++)
                r2[i * classes + j] += z[i * features + q] * coefficients[j * features + q];
}

__global__ void nb_2(const float *r1, float *most, int n, int classes)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float own = r1[i * classes];
        for (int j = 1; j < classes; j++) own = fmaxf(own, r1[i * classes + j]);
        most[i] = own;
    }
}

__global__ void nb_3(const float *r1, const float *most, float *l, int n, int classes)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float sum = 0;
        for (int j = 0; j < classes; j++) sum += expf(r1[i * classes + j] - most[i]);
        l[i] = logf(sum) + most[i];
    }
}

__global__ void rr_3(float *r2, const float *intercept, int n, int classes)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        for (int j = 0; j < classes; j++) r2[i * classes + j] += intercept[j];
}

__global__ void nb_4(float *r1, const float *l, int n, int classes)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        for (int j = 0; j < classes; j++) r1[i * classes + j] = expf(r1[i * classes + j] - l[i]);
}

__global__ void softmax(float *r, int n, int classes)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float sum = 0;
        for (int j = 0; j < classes; j++) sum += expf(r[i * classes + j]);
        for (int j = 0; j < classes; j++) r[i * classes + j] = expf(r[i * classes + j]) / sum;
    }
}

__global__ void argmax(const float *r1, const float *r2, int *r, int n, int classes)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int best = 0;
        for (int j = 1; j < classes; j++)
            if (r1[i * classes + j] + r2[i * classes + j] > r1[i * classes + best] + r2[i * classes + best]) best = j;
        r[i] = best;
    }
}

#ifndef KERNELS_ALONE // who has the kernels twice
static int *x, *r;
static float *z, *log_prob, *coefficients, *intercept, *most, *l, *r1, *r2;

#ifdef OTHER_RUN // who runs the kernels another way: trust/published/effort
void run();
#else
void run()
{
    rr_1<<<BLOCKS, THREADS>>>(x, z, N, FEATURES);
    cudaDeviceSynchronize();
    nb_1<<<BLOCKS, THREADS>>>(x, log_prob, r1, N, FEATURES, CLASSES);
    cudaDeviceSynchronize();
    rr_2<<<BLOCKS, THREADS>>>(z, coefficients, r2, N, FEATURES, CLASSES);
    cudaDeviceSynchronize();
    nb_2<<<BLOCKS, THREADS>>>(r1, most, N, CLASSES);
    cudaDeviceSynchronize();
    nb_3<<<BLOCKS, THREADS>>>(r1, most, l, N, CLASSES);
    cudaDeviceSynchronize();
    rr_3<<<BLOCKS, THREADS>>>(r2, intercept, N, CLASSES);
    cudaDeviceSynchronize();
    nb_4<<<BLOCKS, THREADS>>>(r1, l, N, CLASSES);
    cudaDeviceSynchronize();
    softmax<<<BLOCKS, THREADS>>>(r1, N, CLASSES);
    cudaDeviceSynchronize();
    softmax<<<BLOCKS, THREADS>>>(r2, N, CLASSES);
    cudaDeviceSynchronize();
    argmax<<<BLOCKS, THREADS>>>(r1, r2, r, N, CLASSES);
    cudaDeviceSynchronize();
}
#endif

int main(int argc, char **argv)
{
    x = array<int>((size_t)N * FEATURES, 1, 8);
    z = space<float>((size_t)N * FEATURES);
    log_prob = array<float>(FEATURES * CLASSES, 2, -1);
    coefficients = array<float>(FEATURES * CLASSES, 3, 0.02);
    intercept = array<float>(CLASSES, 4, 0.1);
    most = space<float>(N);
    l = space<float>(N);
    r1 = array<float>((size_t)N * CLASSES, 0, 0);
    r2 = array<float>((size_t)N * CLASSES, 0, 0);
    r = space<int>(N);
    for (int round = 0; round < ROUNDS; round++) {
        if (round) cudaMemset(r1, 0, (size_t)N * CLASSES * sizeof *r1);
        if (round) cudaMemset(r2, 0, (size_t)N * CLASSES * sizeof *r2);
        begin_round();
        run();
        end_round();
    }
    put(argc > 1 ? argv[1] : NULL, "r", r, N);
    put(argc > 1 ? argv[1] : NULL, "r1", r1, (size_t)N * CLASSES);
    put(argc > 1 ? argv[1] : NULL, "r2", r2, (size_t)N * CLASSES);
    return finish();
}
#endif
