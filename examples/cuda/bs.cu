// SPDX-License-Identifier: GPL-3.0-or-later
// B&S: the prices of options by Black and Scholes, ten independent vectors.
#include "support.h"
#ifndef N
#define N (1 << 16)
#endif
#define VECTORS 10
#define BLOCKS  128
#define THREADS 32

__device__ double normal(double d)
{
    double k = 1.0 / (1.0 + 0.2316419 * fabs(d));
    double tail = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    double value = 0.39894228040143267794 * exp(-0.5 * d * d) * tail;
    return d > 0 ? 1.0 - value : value;
}

__global__ void price(const double *x, double *y, int n, double rate, double volatility, double years, double strike)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        double root = sqrt(years),
               d1 = (log(x[i] / strike) + (rate + 0.5 * volatility * volatility) * years) / (volatility * root);
        double d2 = d1 - volatility * root, discount = exp(-rate * years);
        y[i] = x[i] * normal(d1) - strike * discount * normal(d2);
    }
}

#ifndef KERNELS_ALONE // who has the kernels twice
static double *x[VECTORS], *y[VECTORS];

#ifdef OTHER_RUN // who runs the kernels another way: trust/published/effort
void run();
#else
void run()
{
    for (int i = 0; i < VECTORS; i++) {
        price<<<BLOCKS, THREADS>>>(x[i], y[i], N, 0.08, 0.3, 1.0, 60.0);
        cudaDeviceSynchronize();
    }
}
#endif

int main(int argc, char **argv)
{
    for (int i = 0; i < VECTORS; i++) {
        x[i] = array<double>(N, i + 1, 120);
        y[i] = space<double>(N);
    }
    for (int round = 0; round < ROUNDS; round++) {
        begin_round();
        run();
        end_round();
    }
    for (int i = 0; i < VECTORS; i++) put(argc > 1 ? argv[1] : NULL, "y", y[i], N);
    return finish();
}
#endif
