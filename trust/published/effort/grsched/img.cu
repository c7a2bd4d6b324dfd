// SPDX-License-Identifier: GPL-3.0-or-later
// IMG: GrCUDA's kernels, whose run time finds streams.
#define OTHER_RUN
#include "../../../../examples/cuda/img.cu"
#include "../grcuda.h"

void run()
{
    auto gaussian_blur_kernel = grcuda::buildkernel(gaussian_blur, "gaussian_blur",
        "const pointer, pointer, sint32, sint32, const pointer, sint32");
    auto sobel_kernel = grcuda::buildkernel(sobel, "sobel", "const pointer, pointer, sint32, sint32");
    auto maximum_kernel = grcuda::buildkernel(maximum, "maximum", "const pointer, pointer, sint32");
    auto minimum_kernel = grcuda::buildkernel(minimum, "minimum", "const pointer, pointer, sint32");
    auto extend_kernel = grcuda::buildkernel(extend, "extend", "pointer, const pointer, const pointer, sint32");
    auto unsharpen_kernel = grcuda::buildkernel(unsharpen, "unsharpen",
        "const pointer, const pointer, pointer, float, sint32");
    auto combine_kernel = grcuda::buildkernel(combine, "combine",
        "const pointer, const pointer, const pointer, pointer, sint32");
    dim3 blocks(BLOCKS / 2, BLOCKS / 2), threads(8, 8);
    gaussian_blur_kernel(blocks, threads, SMALL * SMALL * sizeof(float))(image, blurred_small, N, N, kernel_small,
        SMALL);
    gaussian_blur_kernel(blocks, threads, LARGE * LARGE * sizeof(float))(image, blurred_large, N, N, kernel_large,
        LARGE);
    gaussian_blur_kernel(blocks, threads, SMALL * SMALL * sizeof(float))(image, blurred_unsharpen, N, N,
        kernel_unsharpen, SMALL);
    sobel_kernel(blocks, threads)(blurred_small, mask_small, N, N);
    sobel_kernel(blocks, threads)(blurred_large, mask_large, N, N);
    maximum_kernel(BLOCKS, THREADS)(mask_large, most, N * N);
    minimum_kernel(BLOCKS, THREADS)(mask_large, least, N * N);
    extend_kernel(BLOCKS, THREADS)(mask_large, least, most, N * N);
    unsharpen_kernel(BLOCKS, THREADS)(image, blurred_unsharpen, image_unsharpen, 0.5f, N * N);
    combine_kernel(BLOCKS, THREADS)(image_unsharpen, blurred_large, mask_large, image2, N * N);
    combine_kernel(BLOCKS, THREADS)(image2, blurred_small, mask_small, image3, N * N);
    grcuda::synchronize();
}
