/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One target as libFuzzer calls it; built once for each with its function as GSIM_FUZZ_TARGET (cmake/fuzz.cmake). */
#include "tests/fuzz/targets.h"

#include <stdlib.h>

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    (void)count, (void)arguments;
    return atexit(gsim_fuzz_end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    GSIM_FUZZ_TARGET(data, size);
    return 0;
}
