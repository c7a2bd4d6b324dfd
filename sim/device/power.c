/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See gpusim/energy.h: what a kernel draws, and what the power limit makes of its time. */
#include <math.h>
#include <string.h>

#include "gpusim/energy.h"
#include "sim/device/occupancy.h"
#include "sim/device/rules.h"

/* How far nine of ten are off at most, relative: measured by NVML's counter over a second; estimated from operations
 * and DRAM traffic; from a library's name (the worst of 16 services under time slices: docs/model/contexts.md); from
 * shared memory alone; from nothing but time and shape. */
#define OFF_MEASURED 0.03
#define OFF_DEMAND   0.15
#define OFF_NAMED    0.2
#define OFF_SMEM     0.35
#define OFF_UNKNOWN  0.5

static bool is_of(const struct gsim_kernel *k, const struct gsim_device_spec *device)
{
    return !k->solo_device || strcmp(k->solo_device, device->name) == 0;
}

static double warps_of(const struct gsim_kernel *k, const struct gsim_device_spec *device)
{
    const struct gsim_sm_limits limits = gsim_sm_limits(device);
    struct gsim_block_need need = {0};
    struct gsim_error ignored = {0};
    double blocks = (double)k->grid.x * k->grid.y * k->grid.z, threads = (double)k->block.x * k->block.y * k->block.z;
    if (gsim_block_need(&limits, k, &need, &ignored) != GSIM_OK) return 0;
    double resident = fmin(blocks, device->sm_count * need.blocks_per_sm);
    return resident * ceil(threads / limits.warp_threads);
}

static bool has_word(const struct gsim_kernel *k, const char *const *words)
{
    while (*words && !strstr(k->name, *words)) words++;
    return *words != NULL;
}

/* Watts of library kernels with matrix instructions, which their names tell; 0: it is none, or D does not know. */
static double named_w(const struct gsim_kernel *k, const struct gsim_device_spec *d)
{
    static const char *const warp_group[] = {"nvjet_", "sm90_xmma", "wgmma", "cutlass3x_sm90", NULL},
                             *const warp[] = {"_xmma_", "tensorop", "16816", "1688", "wmma", "flash_", NULL};
    return has_word(k, warp_group) ? d->tensor_w : has_word(k, warp) ? d->mma_w : 0;
}

double gsim_energy_of_kernel(const struct gsim_kernel *k, const struct gsim_device_spec *d, double us, double *relative,
                             bool *is_estimated)
{
    *is_estimated = !(k->energy_mj > 0 && is_of(k, d));
    *relative = OFF_MEASURED;
    if (!*is_estimated) return k->energy_mj;
    double time = k->solo_us > 0 && is_of(k, d) ? k->solo_us : us, warps = warps_of(k, d), watt;
    if (!(time > 0)) return 0;
    if (k->flops > 0 || k->dram_bytes > 0) {
        double gbps = k->dram_bytes / time * 1e-3;
        *relative = OFF_DEMAND;
        watt = k->flops / time * d->flop_pj * 1e-6 + k->dram_bytes / time * d->byte_pj * 1e-6 +
               d->memory_w * (1 - exp(-gbps / d->memory_knee_gbps)) + warps * d->warp_mw * 1e-3;
    } else if ((watt = named_w(k, d)) > 0) {
        *relative = OFF_NAMED;
        watt *= fmin((double)k->grid.x * k->grid.y * k->grid.z / d->sm_count, 1) * time / (time + d->rise_us);
    } else if (k->smem_bytes && !k->solo_profiled) {
        *relative = OFF_SMEM;
        watt = warps * d->smem_warp_mw * 1e-3;
    } else {
        *relative = OFF_UNKNOWN;
        watt = d->unknown_w * (1 - exp(-warps / d->unknown_warps));
        if (k->solo_profiled) watt *= time / (time + d->rise_us);
    }
    return watt * time * 1e-3;
}

double gsim_power_slowdown(const struct gsim_device_spec *d, double watt, double limit_w)
{
    return limit_w > 0 && watt > limit_w ? pow(watt / limit_w, d->clock_loss) : 1;
}

bool gsim_power_is_limited(const struct gsim_device_spec *d)
{
    return d->base_w > 0 && d->limit_w > d->base_w && d->clock_loss > 0 &&
           gsim_rule_holds(d->rules_off, GSIM_RULE_CLOCK_LIMIT);
}
