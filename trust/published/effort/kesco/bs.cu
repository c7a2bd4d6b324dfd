// SPDX-License-Identifier: GPL-3.0-or-later
// BS: KeSCo's annotation: how many arguments a kernel writes, which come first.
#define PROGRAM "../../../examples/cuda/bs.cu"
#include "../kesco_program.h"

__global__ void price(int outputs, double *y, const double *x, int n, double rate, double volatility, double years,
        double strike)
    { kernels::price(x, y, n, rate, volatility, years, strike); }

void run()
{
    for (int i = 0; i < VECTORS; i++) {
        price<<<BLOCKS, THREADS>>>(1, y[i], x[i], N, 0.08, 0.3, 1.0, 60.0);
        cudaDeviceSynchronize();
    }
}
