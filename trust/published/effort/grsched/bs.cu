// SPDX-License-Identifier: GPL-3.0-or-later
// BS: GrCUDA's kernels, whose run time finds streams.
#define OTHER_RUN
#include "../../../../examples/cuda/bs.cu"
#include "../grcuda.h"

void run()
{
    auto price_kernel = grcuda::buildkernel(price, "price",
        "const pointer, pointer, sint32, double, double, double, double");
    for (int i = 0; i < VECTORS; i++) {
        price_kernel(BLOCKS, THREADS)(x[i], y[i], N, 0.08, 0.3, 1.0, 60.0);
    }
    grcuda::synchronize();
}
