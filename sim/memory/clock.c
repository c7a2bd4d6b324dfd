/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See sim/memory/device.h. The mean power forgets exponentially. It counts a kernel's watts at full clock as it ends,
 * for as long as the clock then makes it. At W of them, where L are allowed, kernels take (W / L)^clock_loss times as
 * long.
 */
#include <math.h>

#include "gpusim/energy.h"
#include "sim/memory/device.h"

static double mean_w(struct gsim_device *d)
{
    gsim_time now = d->machine->now;
    if (!d->drawn && !(d->drawn_w > 0)) d->drawn_w = d->spec->recorded_w;
    d->drawn_w *= exp(-gsim_time_us(now - d->drawn) / d->spec->clock_window_us);
    d->drawn = now;
    return d->drawn_w;
}

static double slowdown(struct gsim_device *d)
{
    return gsim_power_slowdown(d->spec, mean_w(d), d->spec->limit_w - d->spec->base_w);
}

double gsim_clock_scale(struct gsim_device *d, const struct gsim_demand *work)
{
    bool is_of_memory = !work->has_flops && (work->kind == GSIM_DEMAND_MEMORY || work->kind == GSIM_DEMAND_SCATTER);
    if (!d->works->drawn_mj || is_of_memory) return 1;
    return slowdown(d) / gsim_power_slowdown(d->spec, d->spec->recorded_w, d->spec->recorded_limit_w);
}

void gsim_clock_count(struct gsim_device *d, uint32_t index)
{
    double relative, *mj = d->works->drawn_mj, us = gsim_device_work(d, index)->solo_ps * 1e-6;
    bool is_estimated;
    if (!mj) return;
    if (!(mj[index] > 0))
        mj[index] = gsim_energy_of_kernel(&d->space->program->kernels[index], d->spec, us, &relative, &is_estimated);
    d->drawn_w = mean_w(d) + mj[index] * 1e3 * slowdown(d) / fmax(us, d->spec->clock_window_us);
}
