/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Persistent kernels whose blocks take tiles from a queue (tile_order "dynamic"). A launch has TILES tiles. Its blocks
 * that find room at once share all tiles but the first one of each that did not. Those that did not run their first
 * tile when they find room, and share what the queue still has.
 *
 *   rounds of a block that starts first = ceil((tiles - late) / (blocks - late))     late: blocks without room
 *   rounds of a late block              = 1 + its part of the tiles that nobody has begun
 *
 * Blocks that start first have the launch's start in their time, late ones do not (first_wave_us). So do clusters of
 * kernels without a queue, which have a tile each.
 *
 * Alone all blocks find room, and take ceil(tiles / blocks) rounds in the kernel's time. Tiles that are not known are
 * taken to be many: the work is shared evenly. GEMMs beside held SMs: docs/model/placement.md.
 */
#include "sim/sm/state.h"

#include <math.h>

enum { UNKNOWN_ROUNDS = 64 };
#define NEAR       1e-6 /* of a tile: the same */
#define MOST_START 0.3 /* of a kernel's time */

void gsim_demand_set_tiles(struct gsim_demand *w, const struct gsim_device_spec *d, const struct gsim_kernel *k)
{
    bool has_queue = k->tile_order == GSIM_TILES_DYNAMIC;
    if (!w->is_one_wave || (!has_queue && w->cluster == 1)) return;
    w->tiles = w->blocks;
    if (has_queue && k->tiles != w->blocks) w->tiles = k->tiles > w->blocks ? k->tiles : w->blocks * UNKNOWN_ROUNDS;
    w->rounds = ceil((double)w->tiles / (double)w->blocks);
    if (k->solo_us > 0) w->start = fmin(d->first_wave_us / k->solo_us, MOST_START);
}

/* Of a block's work alone, that of ROUNDS tiles. */
static double part_of(const struct gsim_demand *w, double rounds) { return (1 - w->start) * rounds / w->rounds; }

void gsim_tiles_begin(struct gsim_kernel_run *run, uint64_t room, gsim_time now)
{
    const struct gsim_demand *w = run->work;
    if (!w->tiles || run->started || !room) return;
    uint64_t first = room < run->blocks ? room : run->blocks;
    double share = (double)run->blocks / (double)w->blocks; /* of the grid, that the simulated SMs have */
    run->began = now;
    run->sharers = first;
    run->tiles = (double)w->tiles * share - (double)(run->blocks - first);
    run->rounds = ceil(run->tiles / (double)first - NEAR);
    run->part = w->start + part_of(w, run->rounds);
}

/* Rounds that each resident block has left, on average, without what is left of the start. */
static double rounds_left(struct gsim_gpu *gpu, const struct gsim_kernel_run *run, gsim_time now)
{
    const struct gsim_demand *w = run->work;
    double left = 0, blocks = 0;
    for (uint32_t i = 0; i < gpu->group_count; i++) {
        struct gsim_sm_group *g = gpu->groups[i];
        for (uint32_t c = 0; c < g->cohort_count; c++) {
            if (g->cohorts[c].run != run) continue;
            gsim_group_settle(g, now);
            left += g->cohorts[c].left * g->cohorts[c].blocks * g->sm_count;
            blocks += (double)g->cohorts[c].blocks * g->sm_count;
        }
    }
    left /= blocks * w->cold * run->scale;
    return fmin(left / part_of(w, 1), run->rounds);
}

static void shorten(struct gsim_gpu *gpu, const struct gsim_kernel_run *run, double rounds)
{
    double work = part_of(run->work, rounds) * run->work->cold * run->scale;
    for (uint32_t i = 0; i < gpu->group_count; i++) {
        struct gsim_sm_group *g = gpu->groups[i];
        bool holds = false;
        for (uint32_t c = 0; c < g->cohort_count; c++) {
            if (g->cohorts[c].run != run) continue;
            g->cohorts[c].left = fmax(g->cohorts[c].left - work, 0);
            g->cohorts[c].asks = 0;
            holds = true;
        }
        if (holds) gsim_groups_rate(gpu, i);
    }
}

void gsim_tiles_join(struct gsim_gpu *gpu, struct gsim_kernel_run *run, uint64_t count, gsim_time now)
{
    const struct gsim_demand *w = run->work;
    if (!w->tiles || !run->started || now == run->began) return;
    run->part = part_of(w, 1);
    double rounds = run->resident ? rounds_left(gpu, run, now) : 0;
    if (rounds <= NEAR) return;
    double tile = rounds - (ceil(rounds - NEAR) - 1), blocks = (double)(run->sharers + count);
    double queue = run->tiles - (double)run->sharers * (run->rounds - rounds + tile); /* that no block has begun */
    if (queue < 1) return;
    double each = queue / blocks, more = ceil(each - NEAR);
    shorten(gpu, run, rounds - tile - more);
    run->part = part_of(w, 1 + floor(each + NEAR));
    run->rounds = tile + more;
    run->tiles = queue + blocks * tile;
    run->sharers += count;
}
