// SPDX-License-Identifier: GPL-3.0-or-later
// VEC: GrCUDA's kernels, whose run time finds streams.
#define OTHER_RUN
#include "../../../../examples/cuda/vec.cu"
#include "../grcuda.h"

void run()
{
    auto square_kernel = grcuda::buildkernel(square, "square", "const pointer, pointer, sint32");
    auto reduce_kernel = grcuda::buildkernel(reduce, "reduce", "const pointer, const pointer, pointer, sint32");
    square_kernel(BLOCKS, THREADS)(x, xx, N);
    square_kernel(BLOCKS, THREADS)(y, yy, N);
    reduce_kernel(BLOCKS, THREADS)(xx, yy, sum, N);
    grcuda::synchronize();
}
