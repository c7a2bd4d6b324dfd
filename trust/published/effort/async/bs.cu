// SPDX-License-Identifier: GPL-3.0-or-later
// BS: streams and events by hand.
#define OTHER_RUN
#include "../../../../examples/cuda/bs.cu"

void run()
{
    cudaStream_t streams[VECTORS];
    for (int i = 0; i < VECTORS; i++) {
        cudaStreamCreate(&streams[i]);
        price<<<BLOCKS, THREADS, 0, streams[i]>>>(x[i], y[i], N, 0.08, 0.3, 1.0, 60.0);
    }
    cudaDeviceSynchronize();
}
