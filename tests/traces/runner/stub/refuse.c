/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run time of CUDA that refuses every call, to link with. Nothing looks at its arguments. */
#define GSIM_STUB_CALL(name, ...)                                                                                      \
    int name(void);                                                                                                    \
    int name(void) { return 801; }
#include "tests/traces/runner/stub/cuda_runtime.def"

GSIM_STUB_CALL(cudaConfigureCall)
GSIM_STUB_CALL(__cudaPushCallConfiguration)
GSIM_STUB_CALL(__cudaPopCallConfiguration)
const char *cudaGetErrorName(int error);
const char *cudaGetErrorName(int error) { return error ? "refused" : "success"; }
const char *cudaGetErrorString(int error);
const char *cudaGetErrorString(int error) { return cudaGetErrorName(error); }
