/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From when blocks ran to how unequal they are. */
#include <math.h>

#include "cli/runner/profile.h"

#define MIN_UNEQUAL 1.1

void gsim_stamps_see(void *sums, const struct gsim_block_run *block)
{
    struct gsim_stamps_sum *sum = (struct gsim_stamps_sum *)sums + block->op;
    sum->us += block->end_us - block->start_us;
    sum->longest_us = fmax(sum->longest_us, block->end_us - block->start_us);
    sum->blocks++;
}

void gsim_stamps_imbalance(const struct gsim_program *program, const struct gsim_stamps_sum *sums,
                           struct gsim_kernel *kernels)
{
    for (uint32_t i = 0; i < program->op_count; i++) {
        if (!sums[i].blocks || !(sums[i].us > 0)) continue;
        double ratio = sums[i].longest_us * (double)sums[i].blocks / sums[i].us;
        struct gsim_kernel *kernel = &kernels[program->ops[i].kernel_index];
        if (ratio >= MIN_UNEQUAL && ratio > kernel->imbalance) kernel->imbalance = ratio;
    }
}
