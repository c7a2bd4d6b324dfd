// SPDX-License-Identifier: GPL-3.0-or-later
// PROGRAM, a serial one of examples/cuda, without its run(): whole, and its kernels once more as device functions of
// namespace kernels, for annotated kernels to call.
#pragma once
#define OTHER_RUN
#include "../../../examples/cuda/support.h"
#pragma push_macro("__global__")
#undef __global__
#define __global__ __device__
#define KERNELS_ALONE
namespace kernels
{
#include PROGRAM
}
#undef KERNELS_ALONE
#pragma pop_macro("__global__")
#include PROGRAM
