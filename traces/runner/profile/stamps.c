/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From when blocks ran to how unequal they are. The table has a line a block: op,kernel,block,sm,start_us,end_us. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/runner/profile/profile.h"

#define LEAST_UNEQUAL 1.1

struct sum {
    double us, longest_us;
    uint64_t blocks;
};

enum gsim_status gsim_stamps_imbalance(const struct gsim_program *program, const char *table,
                                       struct gsim_kernel *kernels, struct gsim_error *error)
{
    struct sum *sums = gsim_alloc(sizeof *sums * (program->op_count + 1u));
    const char *line = table + strcspn(table, "\n");
    uint64_t number = 1;
    enum gsim_status status = sums ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (sums) memset(sums, 0, sizeof *sums * (program->op_count + 1u));
    for (; status == GSIM_OK && *line == '\n' && line[1]; line += 1 + strcspn(line + 1, "\n")) {
        unsigned op;
        double start, end;
        const char *rest = strchr(line, ',');
        number++;
        for (int fields = 0; rest && fields < 3; fields++) rest = strchr(rest + 1, ',');
        bool is_read = rest && sscanf(line, " %u,", &op) == 1 && sscanf(rest, ",%lf,%lf", &start, &end) == 2 &&
                       op < program->op_count;
        if (!is_read || program->ops[op].kind != GSIM_OP_KERNEL) {
            status = gsim_error_set(error, GSIM_INPUT, "blocks: line %llu: expected op,kernel,block,sm,start_us,end_us",
                                    (unsigned long long)number);
            break;
        }
        sums[op].us += end - start;
        sums[op].longest_us = fmax(sums[op].longest_us, end - start);
        sums[op].blocks++;
    }
    for (uint32_t i = 0; status == GSIM_OK && i < program->op_count; i++) {
        if (!sums[i].blocks || !(sums[i].us > 0)) continue;
        double ratio = sums[i].longest_us * (double)sums[i].blocks / sums[i].us;
        struct gsim_kernel *kernel = &kernels[program->ops[i].kernel_index];
        if (ratio >= LEAST_UNEQUAL && ratio > kernel->imbalance) kernel->imbalance = ratio;
    }
    gsim_free(sums);
    return status;
}
