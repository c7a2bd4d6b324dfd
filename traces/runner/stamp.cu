/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A kernel that takes a given time and says when its block began and ended, by the GPU's own clock. See stamp.h. */
#include "traces/runner/stamp.h"

#include <cuda_runtime.h>

static __global__ void spin(unsigned long long *stamp, unsigned long long ns)
{
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - start < ns);
    stamp[0] = start;
    stamp[1] = now;
}

extern "C" int gsim_stamp_launch(unsigned long long *stamp, unsigned long long ns)
{
    spin<<<1, 32>>>(stamp, ns);
    return (int)cudaGetLastError();
}
