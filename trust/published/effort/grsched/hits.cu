// SPDX-License-Identifier: GPL-3.0-or-later
// HITS: GrCUDA's kernels, whose run time finds streams.
#define OTHER_RUN
#include "../../../../examples/cuda/hits.cu"
#include "../grcuda.h"

void run()
{
    auto spmv_kernel = grcuda::buildkernel(spmv, "spmv",
        "pointer, const pointer, const pointer, const pointer, const pointer, pointer, sint32");
    auto sum_kernel = grcuda::buildkernel(sum, "sum", "const pointer, pointer, sint32");
    auto divide_kernel = grcuda::buildkernel(divide, "divide", "const pointer, pointer, const pointer, sint32");
    auto reset_kernel = grcuda::buildkernel(reset, "reset", "pointer, pointer, pointer, pointer");
    spmv_kernel((N + THREADS - 1) / THREADS, THREADS)(counter1, ptr2, idx2, val2, hub1, auth2, N);
    spmv_kernel((N + THREADS - 1) / THREADS, THREADS)(counter2, ptr, idx, val, auth1, hub2, N);
    sum_kernel(BLOCKS, THREADS)(auth2, auth_norm, N);
    sum_kernel(BLOCKS, THREADS)(hub2, hub_norm, N);
    divide_kernel(BLOCKS, THREADS)(auth2, auth1, auth_norm, N);
    divide_kernel(BLOCKS, THREADS)(hub2, hub1, hub_norm, N);
    reset_kernel(1, 1)(auth_norm, hub_norm, counter1, counter2);
    grcuda::synchronize();
}
