// SPDX-License-Identifier: GPL-3.0-or-later
// IMG: tasks and edges of Taskflow's cudaFlow.
#define OTHER_RUN
#include "../../../../examples/cuda/img.cu"
#include "../cudaflow.h"

void run()
{
    tf::cudaFlow flow;
    dim3 blocks(BLOCKS / 2, BLOCKS / 2), threads(8, 8);
    tf::cudaTask blur_small_task = flow.kernel(blocks, threads, SMALL * SMALL * sizeof(float), gaussian_blur, image,
        blurred_small, N, N, kernel_small, SMALL).name("blur_small");
    tf::cudaTask blur_large_task = flow.kernel(blocks, threads, LARGE * LARGE * sizeof(float), gaussian_blur, image,
        blurred_large, N, N, kernel_large, LARGE).name("blur_large");
    tf::cudaTask blur_unsharpen_task = flow.kernel(blocks, threads, SMALL * SMALL * sizeof(float), gaussian_blur,
        image, blurred_unsharpen, N, N, kernel_unsharpen, SMALL).name("blur_unsharpen");
    tf::cudaTask sobel_small_task = flow.kernel(blocks, threads, 0, sobel, blurred_small, mask_small, N,
        N).name("sobel_small");
    tf::cudaTask sobel_large_task = flow.kernel(blocks, threads, 0, sobel, blurred_large, mask_large, N,
        N).name("sobel_large");
    tf::cudaTask maximum_task = flow.kernel(BLOCKS, THREADS, 0, maximum, mask_large, most, N * N).name("maximum");
    tf::cudaTask minimum_task = flow.kernel(BLOCKS, THREADS, 0, minimum, mask_large, least, N * N).name("minimum");
    tf::cudaTask extend_task = flow.kernel(BLOCKS, THREADS, 0, extend, mask_large, least, most, N * N).name("extend");
    tf::cudaTask unsharpen_task = flow.kernel(BLOCKS, THREADS, 0, unsharpen, image, blurred_unsharpen,
        image_unsharpen, 0.5f, N * N).name("unsharpen");
    tf::cudaTask combine_large_task = flow.kernel(BLOCKS, THREADS, 0, combine, image_unsharpen, blurred_large,
        mask_large, image2, N * N).name("combine_large");
    tf::cudaTask combine_small_task = flow.kernel(BLOCKS, THREADS, 0, combine, image2, blurred_small, mask_small,
        image3, N * N).name("combine_small");
    blur_small_task.precede(sobel_small_task);
    blur_large_task.precede(sobel_large_task);
    blur_unsharpen_task.precede(unsharpen_task);
    sobel_small_task.precede(combine_small_task);
    sobel_large_task.precede(maximum_task, minimum_task);
    maximum_task.precede(extend_task);
    minimum_task.precede(extend_task);
    extend_task.precede(combine_large_task);
    unsharpen_task.precede(combine_large_task);
    combine_large_task.precede(combine_small_task);
    tf::cudaStream stream;
    flow.run(stream);
    stream.synchronize();
}
