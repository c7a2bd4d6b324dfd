// SPDX-License-Identifier: GPL-3.0-or-later
// What the text does not tell and a run does: sizes and rounds from arguments, memory in a container, a case, a list;
// and rounds that end by what the device computed, which another run may not have.
#include <stdio.h>
#include <stdlib.h>
#include <vector>

__global__ void add(float *to, const float *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i] + 1;
}

__global__ void clear(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0;
}

__global__ void ask(int *more, const float *x, float until) { *more = x[0] < until; }

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: N ROUNDS UNTIL\n");
        return 1;
    }
    int n = atoi(argv[1]), rounds = atoi(argv[2]), *device_more, more = 1;
    std::vector<float *> v(3);
    std::vector<float> h(n);
    for (float *&x : v) cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&device_more, sizeof(int));
    for (auto x : v) clear<<<n / 64, 64>>>(x, n);
    for (int i = 0; i < rounds; i++) add<<<n / 64, 64>>>(v[(i + 1) % 2], v[i % 2], n);
    switch (rounds % 3) {
    case 0:
        add<<<n / 64, 64>>>(v[2], v[0], n);
        break;
    case 1:
    default:
        clear<<<n / 64, 64>>>(v[2], n);
    }
    while (more) {
        add<<<n / 64, 64>>>(v[2], v[2], n);
        ask<<<1, 1>>>(device_more, v[2], atof(argv[3]));
        cudaMemcpy(&more, device_more, sizeof(int), cudaMemcpyDeviceToHost);
    }
    cudaMemcpy(h.data(), v[2], n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", h[1]);
    return 0;
}
