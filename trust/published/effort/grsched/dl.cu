// SPDX-License-Identifier: GPL-3.0-or-later
// DL: GrCUDA's kernels, whose run time finds streams.
#define OTHER_RUN
#include "../../../../examples/cuda/dl.cu"
#include "../grcuda.h"

void run()
{
    auto conv2d_kernel = grcuda::buildkernel(conv2d, "conv2d",
        "pointer, const pointer, const pointer, sint32, sint32, sint32");
    auto mean_pooling_kernel = grcuda::buildkernel(mean_pooling, "mean_pooling",
        "pointer, const pointer, sint32, sint32");
    auto concat_kernel = grcuda::buildkernel(concat, "concat", "pointer, const pointer, const pointer, sint32");
    auto dot_product_kernel = grcuda::buildkernel(dot_product, "dot_product",
        "const pointer, const pointer, pointer, sint32");
    dim3 blocks(BLOCKS / 2, BLOCKS / 2), threads(8, 8), blocks3(BLOCKS / 2, BLOCKS / 2, BLOCKS / 2), threads3(4, 4,
        4);
    conv2d_kernel(blocks, threads)(x10, x, kernel1, N, 1, FIRST);
    conv2d_kernel(blocks, threads)(y10, y, kernel3, N, 1, FIRST);
    mean_pooling_kernel(blocks3, threads3)(x11, x10, SIDE1, FIRST);
    mean_pooling_kernel(blocks3, threads3)(y11, y10, SIDE1, FIRST);
    conv2d_kernel(blocks, threads)(x2, x11, kernel2, SIDE11, FIRST, SECOND);
    conv2d_kernel(blocks, threads)(y2, y11, kernel4, SIDE11, FIRST, SECOND);
    concat_kernel(BLOCKS, THREADS)(z, x2, y2, SIDE2 * SIDE2 * SECOND);
    dot_product_kernel(BLOCKS, THREADS)(z, weights, result, 2 * SIDE2 * SIDE2 * SECOND);
    grcuda::synchronize();
}
