/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One SM in several is simulated, with as small a part of each grid and of DRAM (--opt gpu.sample). Where dozens of
 * kernels run side by side SMs are alike on average, and cost falls as their number: an estimate. What a GPU tells of
 * itself is of all its SMs.
 */
#include "sim/sm/state.h"

#include <math.h>

const struct gsim_device_spec *gsim_sample_begin(struct gsim_gpu *gpu, double by)
{
    gpu->sampled = *gpu->device;
    gpu->sampled.sm_count = fmax(1, round(gpu->device->sm_count / by));
    gpu->sms_each = gpu->device->sm_count / gpu->sampled.sm_count;
    gpu->sampled.dram_gbps /= gpu->sms_each;
    gpu->device = &gpu->sampled;
    return gpu->device;
}

uint64_t gsim_sample_blocks(struct gsim_gpu *gpu, uint64_t grid)
{
    if (gpu->sms_each <= 1) return grid;
    double wanted = (double)grid / gpu->sms_each + gpu->left_over, blocks = fmax(1, round(wanted));
    gpu->left_over = fmax(-1, wanted - blocks);
    return gsim_whole_u64(blocks);
}

struct gsim_gpu_load gsim_gpu_load(const struct gsim_gpu *gpu)
{
    if (gpu->sms_each <= 1) return gpu->load;
    struct gsim_gpu_load load = gpu->load;
    load.busy_sms = (uint32_t)lround(load.busy_sms * gpu->sms_each);
    load.warps = (uint32_t)lround(load.warps * gpu->sms_each);
    load.blocks = (uint64_t)llround((double)load.blocks * gpu->sms_each);
    return load;
}
