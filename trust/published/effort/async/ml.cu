// SPDX-License-Identifier: GPL-3.0-or-later
// ML: streams and events by hand.
#define OTHER_RUN
#include "../../../../examples/cuda/ml.cu"

void run()
{
    cudaStream_t stream1, stream2;
    cudaEvent_t event1;
    cudaStreamCreate(&stream1);
    cudaStreamCreate(&stream2);
    cudaEventCreate(&event1);
    rr_1<<<BLOCKS, THREADS, 0, stream2>>>(x, z, N, FEATURES);
    nb_1<<<BLOCKS, THREADS, 0, stream1>>>(x, log_prob, r1, N, FEATURES, CLASSES);
    rr_2<<<BLOCKS, THREADS, 0, stream2>>>(z, coefficients, r2, N, FEATURES, CLASSES);
    nb_2<<<BLOCKS, THREADS, 0, stream1>>>(r1, most, N, CLASSES);
    nb_3<<<BLOCKS, THREADS, 0, stream1>>>(r1, most, l, N, CLASSES);
    rr_3<<<BLOCKS, THREADS, 0, stream2>>>(r2, intercept, N, CLASSES);
    nb_4<<<BLOCKS, THREADS, 0, stream1>>>(r1, l, N, CLASSES);
    softmax<<<BLOCKS, THREADS, 0, stream1>>>(r1, N, CLASSES);
    softmax<<<BLOCKS, THREADS, 0, stream2>>>(r2, N, CLASSES);
    cudaEventRecord(event1, stream2);
    cudaStreamWaitEvent(stream1, event1, 0);
    argmax<<<BLOCKS, THREADS, 0, stream1>>>(r1, r2, r, N, CLASSES);
    cudaDeviceSynchronize();
}
