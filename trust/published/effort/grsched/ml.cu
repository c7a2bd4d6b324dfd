// SPDX-License-Identifier: GPL-3.0-or-later
// ML: GrCUDA's kernels, whose run time finds streams.
#define OTHER_RUN
#include "../../../../examples/cuda/ml.cu"
#include "../grcuda.h"

void run()
{
    auto rr_1_kernel = grcuda::buildkernel(rr_1, "rr_1", "const pointer, pointer, sint32, sint32");
    auto nb_1_kernel = grcuda::buildkernel(nb_1, "nb_1",
        "const pointer, const pointer, pointer, sint32, sint32, sint32");
    auto rr_2_kernel = grcuda::buildkernel(rr_2, "rr_2",
        "const pointer, const pointer, pointer, sint32, sint32, sint32");
    auto nb_2_kernel = grcuda::buildkernel(nb_2, "nb_2", "const pointer, pointer, sint32, sint32");
    auto nb_3_kernel = grcuda::buildkernel(nb_3, "nb_3", "const pointer, const pointer, pointer, sint32, sint32");
    auto rr_3_kernel = grcuda::buildkernel(rr_3, "rr_3", "pointer, const pointer, sint32, sint32");
    auto nb_4_kernel = grcuda::buildkernel(nb_4, "nb_4", "pointer, const pointer, sint32, sint32");
    auto softmax_kernel = grcuda::buildkernel(softmax, "softmax", "pointer, sint32, sint32");
    auto argmax_kernel = grcuda::buildkernel(argmax, "argmax",
        "const pointer, const pointer, pointer, sint32, sint32");
    rr_1_kernel(BLOCKS, THREADS)(x, z, N, FEATURES);
    nb_1_kernel(BLOCKS, THREADS)(x, log_prob, r1, N, FEATURES, CLASSES);
    rr_2_kernel(BLOCKS, THREADS)(z, coefficients, r2, N, FEATURES, CLASSES);
    nb_2_kernel(BLOCKS, THREADS)(r1, most, N, CLASSES);
    nb_3_kernel(BLOCKS, THREADS)(r1, most, l, N, CLASSES);
    rr_3_kernel(BLOCKS, THREADS)(r2, intercept, N, CLASSES);
    nb_4_kernel(BLOCKS, THREADS)(r1, l, N, CLASSES);
    softmax_kernel(BLOCKS, THREADS)(r1, N, CLASSES);
    softmax_kernel(BLOCKS, THREADS)(r2, N, CLASSES);
    argmax_kernel(BLOCKS, THREADS)(r1, r2, r, N, CLASSES);
    grcuda::synchronize();
}
