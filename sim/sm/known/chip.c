/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the load on the chip's DRAM and L2, and the waits for L2 of blocks with known pipes (groups.c). A load makes
 * blocks wait, and blocks that wait ask for less. */
#include "sim/sm/state.h"

#include <math.h>

/* Half steps overshoot where SMs ask for much less as DRAM gets a little slower. They are slow where a wait that delays
 * no block depends on itself. After so many of them the search takes secants. */
enum { HALF_STEPS = 8 };
#define MAX_OF_WAY    64   /* longest secant, in times of the distance to the wait that the load gives */
#define CHIP_TOLERANCE 0.01 /* of the waits for L2, which move slowly where little is asked */

double gsim_search_share(struct gsim_search *last, int step, double at, double off, double most)
{
    double share = step < HALF_STEPS ? 0.5 : (last->at - at) / (off - last->off);
    *last = (struct gsim_search){at, off};
    return share > 0 && share < most ? share : 0.5;
}

bool gsim_chip_waits(const struct gsim_gpu *gpu)
{
    for (int p = 0; p < GSIM_CHIP_PIPES; p++)
        if (gpu->chip_asked[p] > 1e-9 || gpu->dram.chip_wait[p] != 0) return true;
    return false;
}

bool gsim_chip_settle(struct gsim_gpu *gpu, int step, struct gsim_search last[GSIM_CHIP_PIPES])
{
    bool is_near = true;
    for (int p = 0; p < GSIM_CHIP_PIPES; p++) {
        double *wait = &gpu->dram.chip_wait[p], knee = gpu->device->l2_knee;
        if (!(gpu->chip_asked[p] > 1e-9) && *wait == 0) continue;
        double asked = gpu->chip_asked[p] > 0 ? gpu->chip_asked[p] : 0, off = gsim_share_knee(asked, knee) - 1 - *wait;
        if (fabs(off) <= CHIP_TOLERANCE * (1 + *wait)) continue;
        *wait = fmax(*wait + off * gsim_search_share(&last[p], step, *wait, off, MAX_OF_WAY), 0);
        is_near = false;
    }
    return is_near;
}
