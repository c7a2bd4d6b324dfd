/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which real kernel stands in for a program's (traces/runner/share/standin.h). */
#include "traces/runner/share/standin.h"

#include <math.h>

#define FIRST_ROUNDS 256 /* where the time alone says how many */

static double threads_of(const struct gsim_kernel *k)
{
    return (double)k->grid.x * k->grid.y * k->grid.z * k->block.x * k->block.y * k->block.z;
}

static uint64_t rounds_of(double count)
{
    return count < 1 ? 1 : count > 1e15 ? gsim_whole_u64(1e15) : (uint64_t)llround(count);
}

enum gsim_status gsim_standin_choose(const struct gsim_kernel *k, uint32_t index, struct gsim_standin *s,
                                     struct gsim_error *error)
{
    *s = (struct gsim_standin){
        .smem_bytes = k->smem_bytes, .buffer = index % GSIM_STANDIN_BUFFERS, .wanted_us = k->solo_us};
    if (k->dram_bytes > 0) {
        s->kind = GSIM_STANDIN_STREAM;
        s->rounds = rounds_of(k->dram_bytes / GSIM_STANDIN_STREAM_BYTES);
        s->fmas = gsim_whole_u32(fmin(1e6, k->flops / (8.0 * (double)s->rounds)));
    } else if (k->flops > 0) {
        s->kind = GSIM_STANDIN_FMA;
        s->rounds = rounds_of(k->flops / (GSIM_STANDIN_FMA_FLOPS * threads_of(k)));
    } else if (k->solo_us > 0) {
        s->kind = k->smem_bytes >= 1024 ? GSIM_STANDIN_SMEM : GSIM_STANDIN_FMA;
        s->rounds = FIRST_ROUNDS;
    } else {
        return gsim_error_set(
            error, GSIM_INPUT,
            "kernel '%s': nothing says what stands in for it on a real GPU: expected solo_us, flops or dram_bytes",
            k->name);
    }
    return GSIM_OK;
}

uint64_t gsim_standin_rescale(uint64_t rounds, double us, double wanted_us, double least_us)
{
    if (wanted_us <= least_us || us <= least_us) return wanted_us <= least_us ? 1 : rounds * 2;
    return rounds_of((double)rounds * (wanted_us - least_us) / (us - least_us));
}

/* --- spans ------------------------------------------------------------------------------------------------------- */

unsigned long long gsim_standin_first(const struct gsim_standin_span *spans, size_t count)
{
    unsigned long long first = ~0ull;
    for (size_t i = 0; i < count; i++)
        if (spans[i].end_ns && spans[i].start_ns < first) first = spans[i].start_ns;
    return first;
}

bool gsim_standin_times(const struct gsim_standin_span *span, unsigned long long first, double *start_us,
                        double *end_us)
{
    if (!span->end_ns) return false;
    *start_us = (double)(int64_t)(span->start_ns - first) * 1e-3;
    *end_us = (double)(int64_t)(span->end_ns - first) * 1e-3;
    return true;
}
