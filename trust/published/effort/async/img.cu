// SPDX-License-Identifier: GPL-3.0-or-later
// IMG: streams and events by hand.
#define OTHER_RUN
#include "../../../../examples/cuda/img.cu"

void run()
{
    cudaStream_t stream1, stream2, stream3, stream4;
    cudaEvent_t event1, event2, event3, event4;
    cudaStreamCreate(&stream1);
    cudaStreamCreate(&stream2);
    cudaStreamCreate(&stream3);
    cudaStreamCreate(&stream4);
    cudaEventCreate(&event1);
    cudaEventCreate(&event2);
    cudaEventCreate(&event3);
    cudaEventCreate(&event4);
    dim3 blocks(BLOCKS / 2, BLOCKS / 2), threads(8, 8);
    gaussian_blur<<<blocks, threads, SMALL * SMALL * sizeof(float), stream3>>>(image, blurred_small, N, N,
        kernel_small, SMALL);
    gaussian_blur<<<blocks, threads, LARGE * LARGE * sizeof(float), stream1>>>(image, blurred_large, N, N,
        kernel_large, LARGE);
    gaussian_blur<<<blocks, threads, SMALL * SMALL * sizeof(float), stream2>>>(image, blurred_unsharpen, N, N,
        kernel_unsharpen, SMALL);
    sobel<<<blocks, threads, 0, stream3>>>(blurred_small, mask_small, N, N);
    sobel<<<blocks, threads, 0, stream1>>>(blurred_large, mask_large, N, N);
    cudaEventRecord(event1, stream1);
    cudaStreamWaitEvent(stream4, event1, 0);
    maximum<<<BLOCKS, THREADS, 0, stream4>>>(mask_large, most, N * N);
    cudaEventRecord(event2, stream4);
    minimum<<<BLOCKS, THREADS, 0, stream1>>>(mask_large, least, N * N);
    cudaStreamWaitEvent(stream1, event2, 0);
    extend<<<BLOCKS, THREADS, 0, stream1>>>(mask_large, least, most, N * N);
    unsharpen<<<BLOCKS, THREADS, 0, stream2>>>(image, blurred_unsharpen, image_unsharpen, 0.5f, N * N);
    cudaEventRecord(event3, stream2);
    cudaStreamWaitEvent(stream1, event3, 0);
    combine<<<BLOCKS, THREADS, 0, stream1>>>(image_unsharpen, blurred_large, mask_large, image2, N * N);
    cudaEventRecord(event4, stream1);
    cudaStreamWaitEvent(stream3, event4, 0);
    combine<<<BLOCKS, THREADS, 0, stream3>>>(image2, blurred_small, mask_small, image3, N * N);
    cudaDeviceSynchronize();
}
